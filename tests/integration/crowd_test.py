"""Clients that ask too much, too often, and change their minds: each call is answered, each accepted request ends once, and
whoever asks for little is served meanwhile."""
import collections
import fcntl
import json
import os
import signal

import harness
from gi.repository import Gio, GLib
from harness import LIMIT_S, LLAMA, MARKER, NAME, ROOT

PROMPT = f"Once upon a time {MARKER}"
LONG = {"max_tokens": 400, "model": LLAMA, "seed": 1}
SHORT = {"max_tokens": 12, "model": LLAMA, "temperature": 0.0}
N_FLOOD = 10_000
N_IN_FLIGHT = 200  # of the flood; a client cannot have more calls unanswered without filling its own memory
N_PLACES, N_QUEUED, N_PER_CLIENT = 4, 16, 4


class Crowd(harness.TestCase):
    @classmethod
    def prepare(cls):
        # Beside hundreds of clients the engine has one core at most.
        with open(cls.bus.path("config/llmd/llmd.toml"), "a") as file:
            file.write("threads = 1\n")

    def setUp(self):
        super().setUp()
        self.client.load(LLAMA)

    def call_stream(self, client, done, **options):
        """Stream without waiting: done(path, descriptor, None) or done(None, None, error name) comes later."""
        def on_reply(connection, result):
            try:
                reply, fds = connection.call_with_unix_fd_list_finish(result)
                path, index = reply.unpack()
                done(path, fds.get(index), None)
            except GLib.Error as error:
                done(None, None, harness.parts_of(error)[0])

        client.connection.call_with_unix_fd_list(
            NAME, ROOT, NAME, "Stream", GLib.Variant("(sa{sv})", (PROMPT, harness.variants(options))),
            GLib.VariantType("(oh)"), Gio.DBusCallFlags.NONE, LIMIT_S * 1000, None, None, on_reply)

    def test_a_flood_from_one_client_is_refused_and_the_others_are_served(self):
        flooder = self.bus.connect()
        outcomes = collections.Counter()
        streams = []
        sent = 0

        def done(path, fd, error):
            outcomes[error] += 1
            if path:
                streams.append((path, fd))
            send()

        def send():
            nonlocal sent
            while sent < N_FLOOD and sent - outcomes.total() < N_IN_FLIGHT:
                sent += 1
                self.call_stream(flooder, done, **dict(LONG, max_tokens=100))

        send()
        self.client.wait(lambda: outcomes.total() >= N_FLOOD // 10, "the first answers")
        text, _ = self.bus.connect().generate(PROMPT, **SHORT)
        self.assertTrue(text)
        self.client.wait(lambda: outcomes.total() == N_FLOOD, "all answers")
        self.assertEqual(set(outcomes), {None, "RateLimited"}, outcomes)
        # Its own four, and those that took the places of the ones that had ended.
        self.assertGreaterEqual(outcomes[None], N_PER_CLIENT)
        for path, fd in streams:
            self.assertIn("finish_reason", harness.read_stream(fd)[1])
            self.assertEqual(flooder.wait_finished(path)[0], 0)
        self.assertEqual(self.client.requests(), [])

    def test_a_thousand_streams_at_once(self):
        text, _ = self.client.generate(PROMPT, **SHORT)
        clients = [self.bus.connect() for _ in range(1000 // N_PER_CLIENT)]
        outcomes = collections.Counter()
        streams = []

        def done(path, fd, error):
            outcomes[error] += 1
            if path:
                streams.append((path, fd))

        with self.daemon.held_engine():
            for client in clients:
                for _ in range(N_PER_CLIENT):
                    self.call_stream(client, done, **SHORT)
            self.client.wait(lambda: outcomes.total() == 1000, "all answers")
            self.assertEqual(outcomes, {None: N_PLACES + N_QUEUED, "QueueFull": 1000 - N_PLACES - N_QUEUED})
        for _, fd in streams:
            self.assertEqual(harness.read_stream(fd)[0], text)
        self.client.wait(lambda: sum(len(client.finished) for client in clients) == len(streams), "every Finished")
        self.assertEqual(self.client.requests(), [])

    def test_who_does_not_read_gets_everything_when_he_does(self):
        text, _ = self.client.generate(PROMPT, **LONG)
        path, fd = self.client.stream(PROMPT, **LONG)
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 4096)
        self.client.wait(lambda: path not in self.states(), "the text to be made")
        self.assertNotIn(path, self.client.finished, "there is more than the pipe holds")
        self.assertTrue(self.bus.connect().generate(PROMPT, **SHORT)[0])
        self.assertEqual(harness.read_stream(fd)[0], text)
        self.assertEqual(self.client.wait_finished(path)[0], 0)

    # --- Cancelling, while the engine stands still: llmd alone has to do it ---

    def states(self):
        return {request["request"]: request["state"] for request in self.client.requests()}

    def cancel(self, path, fd):
        """Ends at once, once, and the object with it."""
        self.client.call("Cancel", GLib.Variant("(o)", (path,)))
        last = json.loads(harness.read_all(fd).splitlines()[-1])
        self.assertEqual(last["finish_reason"], "cancelled")
        self.client.wait(lambda: path not in self.states(), "the request to end")

    def test_cancel_while_reading_the_prompt_making_text_and_queued(self):
        other = self.bus.connect()
        running = [self.client.stream(PROMPT, **LONG) for _ in range(N_PLACES - 1)]
        harness.read_line(running[0][1])
        with self.daemon.held_engine():
            fresh = other.stream(PROMPT, **LONG)
            queued = other.stream(PROMPT, priority="background", **LONG)
            self.client.wait(lambda: self.states().get(fresh[0]) == "prefill", "a place for the fourth")
            states = self.states()
            self.assertEqual((states[running[0][0]], states[queued[0]]), ("decode", "queued"))
            self.cancel(*queued)
            self.cancel(*fresh)
            for stream in running:
                self.cancel(*stream)
        self.assert_serves()

    def test_cancel_while_paused(self):
        background = [self.client.stream(PROMPT, priority="background", **LONG) for _ in range(N_PLACES)]
        for _, fd in background:
            harness.read_line(fd)
        with self.daemon.held_engine():
            hasty = self.bus.connect().stream(PROMPT, priority="interactive", **LONG)
            self.client.wait(lambda: "paused" in self.states().values(), "a place for the interactive one")
            paused = next(stream for stream in background if self.states()[stream[0]] == "paused")
            self.cancel(*paused)
            background.remove(paused)
            for stream in [*background, hasty]:
                self.cancel(*stream)
        self.assert_serves()

    def test_cancel_while_the_model_loads(self):
        self.client.admin("UnloadModel", "(a{sv})", {})
        path, fd = self.client.stream(PROMPT, **LONG)
        self.client.wait(self.daemon.engines, "an engine")
        with self.daemon.held_engine():
            # Whether it had loaded the model by then or not: mostly not.
            self.assertIn(self.states()[path], ("loading", "prefill", "decode"))
            self.cancel(path, fd)
        self.assert_serves()

    def test_cancelling_everything_while_an_engine_dies(self):
        streams = [self.client.stream(PROMPT, **LONG) for _ in range(N_PER_CLIENT)]
        harness.read_line(streams[0][1])
        os.kill(self.daemon.engines()[0], signal.SIGKILL)
        self.client.admin("CancelAll")
        for path, fd in streams:
            self.assertIn("finish_reason", json.loads(harness.read_all(fd).splitlines()[-1]))
            self.client.wait_finished(path)
        self.assert_serves()


if __name__ == "__main__":
    harness.main()
