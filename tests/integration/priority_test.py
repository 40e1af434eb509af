"""An interactive request among background ones: it goes first, and nobody's text changes."""
import os
import signal

import harness
from harness import LLAMA, MARKER

N_BACKGROUND = 4  # as many as decode together
N_TOKENS = 200
OPTIONS = {"max_tokens": N_TOKENS, "model": LLAMA, "temperature": 1.0}


class Priority(harness.TestCase):
    def long_texts(self, n):
        """(prompt, seed, text) of generations that take all their tokens, each made alone."""
        found = []
        for seed in range(100):
            prompt = f"Once upon a time {MARKER} number {seed}"
            text, info = self.client.generate(prompt, seed=seed, **OPTIONS)
            if info["generated_tokens"] == N_TOKENS:
                self.texts.append(text)
                found.append((prompt, seed, text))
            if len(found) == n:
                return found
        self.fail("no seed gives a long text")

    def states(self):
        return {r["request"]: r["state"] for r in self.client.requests()}

    def overtaken(self, background, chat):
        """(the states while the chat had just come, its text, the others' texts); nothing when they were done before."""
        patient = self.bus.connect()
        hasty = self.bus.connect()
        streams = [patient.stream(prompt, seed=seed, priority="background", **OPTIONS) for prompt, seed, _ in background]
        first = [harness.read_line(fd)["text"] for _, fd in streams]
        with self.daemon.held_engine():
            before = self.states()
            path, fd = hasty.stream(chat[0], seed=chat[1], priority="interactive", **OPTIONS)
            self.client.wait(lambda: self.states().get(path) == "prefill", "the interactive request to get its place")
            states = self.states()
        text, last = harness.read_stream(fd)
        self.assertEqual(last.get("finish_reason"), "length", last)
        rest = []
        for (_, stream_fd), begin in zip(streams, first):
            more = ""
            while "text" in (line := harness.read_line(stream_fd)):
                more += line["text"]
            os.close(stream_fd)
            self.assertEqual(line.get("finish_reason"), "length", line)
            rest.append(begin + more)
        if list(before.values()) != ["decode"] * N_BACKGROUND:
            return None
        return states, path, text, rest

    def test_it_takes_a_place_and_everybody_gets_the_text_that_it_gets_alone(self):
        *background, chat = self.long_texts(N_BACKGROUND + 1)
        # The engine makes a thousand tokens a second, so the others may be done before the chat comes: try again.
        for _ in range(20):
            result = self.overtaken(background, chat)
            if result:
                break
        self.assertTrue(result, "the background texts were always made before the interactive request came")
        states, path, text, rest = result
        del states[path]
        self.assertEqual(sorted(states.values()), ["decode"] * (N_BACKGROUND - 1) + ["paused"])
        self.assertEqual(text, chat[2])
        self.assertEqual(rest, [text for _, _, text in background])

    def test_an_engine_that_dies_meanwhile_changes_nothing(self):
        *background, chat = self.long_texts(N_BACKGROUND + 1)
        streams = [self.client.stream(prompt, seed=seed, priority="background", **OPTIONS)
                   for prompt, seed, _ in background]
        self.client.wait(lambda: self.states() == {} or "decode" in self.states().values(), "the first tokens")
        hasty = self.bus.connect()
        path, fd = hasty.stream(chat[0], seed=chat[1], priority="interactive", **OPTIONS)
        for pid in self.daemon.engines():
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(harness.read_stream(fd)[0], chat[2])
        self.assertEqual([harness.read_stream(stream_fd)[0] for _, stream_fd in streams],
                         [text for _, _, text in background])


if __name__ == "__main__":
    harness.main()
