"""kill -9 of the engine at random moments of a generation: the text is that of an undisturbed run."""
import os
import random
import signal

import harness
from harness import LLAMA, MARKER


class EngineDeath(harness.TestCase):
    n_kills = 20
    n_tokens = 200

    def options(self):
        return {"max_tokens": self.n_tokens, "model": LLAMA, "temperature": 1.0}

    def undisturbed(self):
        """(prompt, seed, text) of a generation that takes all its tokens."""
        for seed in range(100):
            prompt = f"Once upon a time {MARKER}"
            text, info = self.client.generate(prompt, seed=seed, **self.options())
            if info["generated_tokens"] == self.n_tokens:
                self.texts.append(text)
                return prompt, seed, text
        self.fail("no seed gives a long text")

    def setUp(self):
        super().setUp()
        self.killed = set()

    def living(self):
        """The engine that this test has not killed yet: a dying one stays a child until llmd has looked after it."""
        return [pid for pid in self.daemon.engines() if pid not in self.killed]

    def kill_engine(self):
        """How many engines were killed: 0 while a new one is being started."""
        pids = self.living()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            self.killed.add(pid)
        return len(pids)

    def disturbed(self, prompt, seed, chance):
        """(text, how often the engine was killed). Between two kills comes at least one token, except that a replacement
        is sometimes killed while it loads; llmd allows five such in a row."""
        path, fd = self.client.stream(prompt, seed=seed, **self.options())
        text = ""
        n_read = kills = 0
        next_kill = chance.randint(1, 8)
        while (line := harness.read_line(fd)) and "text" in line:
            text += line["text"]
            n_read += 1
            if n_read < next_kill or kills == self.n_kills or not self.kill_engine():
                continue
            kills += 1
            self.client.wait(lambda: self.living() or not self.generated(path), "the next engine")
            if chance.random() < 0.3 and kills < self.n_kills:
                kills += self.kill_engine()
            # llmd has read all that the dead engine wrote: a later token is its replacement's.
            next_kill = max(n_read, self.generated(path)) + chance.randint(1, 8)
        os.close(fd)
        self.assertIsNotNone(line, "the stream ended without a last line")
        self.assertEqual(line.get("finish_reason"), "length", line)
        return text, kills

    def generated(self, path):
        """Tokens that llmd has of a request; 0 when it has ended."""
        return sum(r["generated_tokens"] for r in self.client.requests() if r["request"] == path)

    def test_the_text_continues_as_if_nothing_had_happened(self):
        prompt, seed, text = self.undisturbed()
        chance = random.Random(5)
        # The engine makes thousands of tokens a second, so a run may be over before many kills. Every run must give the text.
        kills = runs = 0
        while kills < self.n_kills and runs < self.n_kills:
            again, killed = self.disturbed(prompt, seed, chance)
            self.assertEqual(again, text)
            kills += killed
            runs += 1
        self.assertGreaterEqual(kills, self.n_kills)
        # Nothing may have asked for another engine after the last kill.
        self.assertGreaterEqual(self.client.status()["engine_restarts"], self.n_kills - 1)
        self.assertIn("kill", self.client.status()["last_fault"].lower())

    def test_a_killed_idle_engine_is_replaced_when_it_is_needed(self):
        self.client.load(LLAMA)
        self.kill_engine()
        self.assert_serves()

    def test_unloading_ends_the_engine(self):
        self.client.load(LLAMA)
        self.assertEqual(len(self.daemon.engines()), 1)
        self.client.admin("UnloadModel", "(a{sv})", {})
        self.assertEqual(self.daemon.engines(), [])
        self.assertEqual(self.client.status()["state"], "idle")


if __name__ == "__main__":
    harness.main()
