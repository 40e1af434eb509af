"""Clients that ask too much, too often, and change their minds: each call is answered, each accepted request ends once,
whoever asks for little is served meanwhile, and no application fills the queue, however many connections it has."""
import collections
import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import types

import harness
from gi.repository import Gio, GLib
from harness import LIMIT_S, LLAMA, MARKER, NAME, ROOT

PROMPT = f"Once upon a time {MARKER}"
LONG = {"max_tokens": 400, "model": LLAMA, "seed": 1}
SHORT = {"max_tokens": 12, "model": LLAMA, "temperature": 0.0}
N_FLOOD = 10_000
N_IN_FLIGHT = 200  # of the flood; a client cannot have more calls unanswered without filling its own memory
N_PLACES, N_PER_CLIENT, N_PER_APPLICATION, N_PER_SANDBOX = 4, 4, 12, 2


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

    def test_a_thousand_streams_of_an_application_leave_room_for_others(self):
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
            self.assertEqual(outcomes, {None: N_PER_APPLICATION, "RateLimited": 1000 - N_PER_APPLICATION})
            # Eight of them wait, which is as many as may in front of a sandbox; when one has gone there is room.
            with self.as_flatpak("org.example.Late") as late:
                self.assertEqual(late.outcomes, ["QueueFull"] * 2 * N_PER_CLIENT)
            path, fd = streams.pop()
            self.cancel(path, fd)
            with self.as_flatpak("org.example.Later") as later:
                self.assertEqual(later.outcomes.count("ok"), 1)
        for _, fd in streams:
            self.assertEqual(harness.read_stream(fd)[0], text)
        self.client.wait(lambda: sum(len(client.finished) for client in clients) == N_PER_APPLICATION, "every Finished")
        self.assertEqual(self.client.requests(), [])

    def as_flatpak(self, app, n_connections=2):
        """A process in a sandbox that has asked for N_PER_CLIENT streams on each of its connections to the bus. `outcomes`
        are an error's name or "ok" for each; what was accepted ends with the process, at the end of the block."""
        root = self.bus.flatpak_root(app)
        process = subprocess.Popen([sys.executable, __file__, root, self.bus.address, str(n_connections)],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = process.stdout.readline()

        @contextlib.contextmanager
        def stays():
            try:
                yield types.SimpleNamespace(outcomes=json.loads(line))
            finally:
                process.communicate(timeout=LIMIT_S)
        if not line:
            process.communicate(timeout=LIMIT_S)
            self.assertEqual(process.returncode, harness.NOT_PERMITTED)
            self.skipTest(harness.NO_OTHER_ROOT)
        return stays()

    def test_a_sandbox_has_one_allowance_however_many_connections_it_has(self):
        allowance = ["ok"] * N_PER_SANDBOX
        with self.daemon.held_engine(), self.as_flatpak("org.example.Greedy", 4) as greedy:
            self.assertEqual(greedy.outcomes, allowance + ["RateLimited"] * (4 * N_PER_CLIENT - N_PER_SANDBOX))
            # Nor does it take anything from another process of a sandbox, or from programs outside.
            with self.as_flatpak("org.example.Greedy", 1) as again, self.as_flatpak("org.example.Modest", 1) as modest:
                self.assertEqual(again.outcomes, ["RateLimited"] * N_PER_CLIENT)
                self.assertEqual(modest.outcomes, allowance + ["RateLimited"] * (N_PER_CLIENT - N_PER_SANDBOX))
                streams = [self.client.stream(PROMPT, **LONG) for _ in range(N_PER_CLIENT)]
            for stream in streams:
                self.cancel(*stream)
        self.client.wait(lambda: not self.client.requests(), "the sandboxes' requests to end with them")
        self.assert_serves()

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


def flood(root, address, n_connections):
    """The part of as_flatpak() that runs in a process of its own."""
    clients = harness.enter_root(root, address, int(n_connections))
    if not clients:
        return harness.NOT_PERMITTED
    outcomes = []
    streams = []  # whose descriptors stay open
    for client in clients:
        for _ in range(N_PER_CLIENT):
            try:
                streams.append(client.stream(PROMPT, **LONG))
                outcomes.append("ok")
            except GLib.Error as error:
                outcomes.append(harness.parts_of(error)[0])
    print(json.dumps(outcomes), flush=True)
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 4:
        sys.exit(flood(*sys.argv[1:]))
    harness.main()
