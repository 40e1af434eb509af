"""A system that fails around llmd: an engine that hangs, a cache that is full or cannot be written, a bus that restarts, a
shutdown in the middle of everything. No request is lost, and each ends once."""
import os
import signal
import stat
import unittest

import harness
from harness import LLAMA, MARKER

PROMPT = f"Once upon a time {MARKER}"
OPTIONS = {"max_tokens": 150, "model": LLAMA, "temperature": 1.0, "seed": 1}
SHUTDOWN_LIMIT_S = 10  # systemd's and ours: whatever the engine and the readers do

# Stands between llmd and its engine. When the file `hang` is there, it stops the engine in the step that begins next, removes
# the file, and gives a budget of a second to that step and to those that had begun before the engine stood.
GO_BETWEEN = """#!/usr/bin/python3
import os, signal, socket, struct, subprocess, sys, threading

ENGINE, HANG = {engine!r}, {hang!r}
BUDGET_MS = 1000
if sys.argv[1] != "--socket-fd":
    os.execv(ENGINE, [ENGINE, *sys.argv[1:]])
llmd = socket.socket(fileno=int(sys.argv[2]))
here, there = socket.socketpair()
engine = subprocess.Popen([ENGINE, "--socket-fd", str(there.fileno())], pass_fds=[there.fileno()])
there.close()


def to_engine():
    while data := llmd.recv(65536):
        here.sendall(data)
    here.shutdown(socket.SHUT_WR)


threading.Thread(target=to_engine, daemon=True).start()
frames = here.makefile("rb")
hung = False
while length := frames.read(4):
    body = frames.read(*struct.unpack("<I", length))
    # No frame but PhaseChange is so long: type, phase, budget, which is 0 at rest.
    rests = len(body) == 6 and body[2:] == bytes(4)
    if hung and rests:  # the text was complete before the engine stood
        engine.send_signal(signal.SIGCONT)
        hung = False
    elif len(body) == 6 and not rests and (hung or os.path.exists(HANG)):
        if not hung:
            engine.send_signal(signal.SIGSTOP)
            os.unlink(HANG)
        hung = True
        body = body[:2] + struct.pack("<I", BUDGET_MS)
    llmd.sendall(length + body)
sys.exit(engine.wait())
"""


class AnEngineThatHangs(harness.TestCase):
    @classmethod
    def prepare(cls):
        cls.hang = cls.bus.path("hang")
        program = cls.bus.path("go-between")
        with open(program, "w") as file:
            file.write(GO_BETWEEN.format(engine=harness.ENGINE, hang=cls.hang))
        os.chmod(program, stat.S_IRWXU)
        cls.bus.environment["LLMD_ENGINE"] = program

    def with_a_hang(self):
        """The text of a stream whose engine is stopped after some tokens."""
        _, fd = self.client.stream(PROMPT, **OPTIONS)
        got = harness.read_line(fd)["text"]
        with open(self.hang, "w"):
            pass
        while "text" in (line := harness.read_line(fd)):
            got += line["text"]
        os.close(fd)
        self.assertIn(line.get("finish_reason"), ("length", "stop"), line)
        return got

    def test_it_is_replaced_and_the_text_goes_on(self):
        text, _ = self.client.generate(PROMPT, **OPTIONS)
        self.texts.append(text)
        # The engine makes a thousand tokens a second, so it may be done before it is stopped: then the next one is.
        for _ in range(20):
            self.assertEqual(self.with_a_hang(), text)
            if self.client.status()["last_fault"]:
                break
        self.assertIn("1000 ms in phase step", self.client.status()["last_fault"])


class OwnDaemon(unittest.TestCase):
    """A bus for each test, which starts its own llmd."""

    def setUp(self):
        self.bus = harness.PrivateBus()
        self.addCleanup(self.bus.close)

    def start(self, *command):
        daemon = harness.Daemon(self.bus, f"llmd-{len(self.bus.clients)}.log", command or (harness.LLMD,))
        self.addCleanup(daemon.stop)
        return daemon, self.bus.connect()


class ACacheThatCannotBeUsed(OwnDaemon):
    def start_with_cache(self, options):
        """llmd with a cache folder that only it and its engine see: another file system, filled to the brim."""
        cache = self.bus.path("cache")
        fill = f'dd if=/dev/zero of="{cache}/ballast" bs=4k 2>/dev/null\nexec "{harness.LLMD}"'
        return self.start(*harness.with_tmpfs(cache, options, fill))

    def test_everything_works_without_it(self):
        daemon, client = self.start()
        text, _ = client.generate(PROMPT, **OPTIONS)
        self.assertEqual(daemon.stop(), 0)
        for options in ("size=16k", "ro"):
            with self.subTest(cache=options):
                daemon, client = self.start_with_cache(options)
                self.assertEqual(client.generate(PROMPT, **OPTIONS)[0], text)
                self.assertEqual(client.status()["last_fault"], "")
                self.assertEqual(daemon.stop(), 0)


class ABusThatRestarts(harness.TestCase):
    def test_its_requests_end_once_and_the_next_bus_is_served(self):
        self.client.load(LLAMA)
        streams = [self.client.stream(PROMPT, model=LLAMA, max_tokens=400) for _ in range(4)]
        harness.read_line(streams[0][1])
        with self.daemon.held_engine():
            self.bus.restart()
            for _, fd in streams:
                lines = harness.read_all(fd).splitlines()
                self.assertEqual(len([line for line in lines if b'"seq"' not in line]), 1, "one last line")
                self.assertIn(b'"error":{"name":"Cancelled"', lines[-1].replace(b" ", b""))
        client = self.bus.connect()
        client.wait(client.owner, "llmd to take its name on the new bus")
        self.assertEqual(client.requests(), [])
        self.assert_serves()
        self.client = client


class AShutdown(OwnDaemon):
    def end_while(self, act):
        """Four requests run and others wait; llmd is ended after `act`, and everybody hears of it in time."""
        daemon, client = self.start()
        client.load(LLAMA)
        streams = [self.bus.connect().stream(PROMPT, max_tokens=400, seed=n, model=LLAMA) for n in range(6)]
        self.bus.connect().stream(PROMPT, max_tokens=400, model=LLAMA)  # nobody reads
        harness.read_line(streams[0][1])
        engine = daemon.engines()[0]
        act(engine)
        daemon.process.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.process.wait(SHUTDOWN_LIMIT_S), 0)
        for _, fd in streams:
            last = harness.read_all(fd).splitlines()[-1]
            self.assertRegex(last, b'"name":"ShuttingDown"|"finish_reason": ?"(length|stop)"')
        self.assertFalse(os.path.exists(f"/proc/{engine}"), "the engine is left behind")
        self.assertIsNone(client.owner())

    def test_with_a_healthy_engine(self):
        self.end_while(lambda engine: None)

    def test_with_an_engine_that_hangs(self):
        self.end_while(lambda engine: os.kill(engine, signal.SIGSTOP))


if __name__ == "__main__":
    harness.main()
