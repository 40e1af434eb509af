"""Deaths of the engine at random moments of a generation and of the load that follows: the text is that of an undisturbed
run."""
import os
import random
import signal
import stat

import frames
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


# Stands between llmd and its engine, and has each engine die as the next line of the file `plan` says: "load 7 abort" before
# the seventh frame of its load, "tokens 3 kill" before the third frame with tokens.
GO_BETWEEN = """#!/usr/bin/python3
import os, resource, signal, socket, struct, subprocess, sys, threading

ENGINE, PLAN = {engine!r}, {plan!r}
READY, TOKENS, PHASE_CHANGE = {types!r}
LOAD, BUDGET_MS = 1, 100
if sys.argv[1] != "--socket-fd":
    os.execv(ENGINE, [ENGINE, *sys.argv[1:]])
with open(PLAN, "r+") as file:
    line, *rest = file.read().splitlines() or [""]
    file.seek(0)
    file.truncate()
    file.write("\\n".join(rest))
where, n, how = line.split() or ("", 0, "")
n = int(n)
llmd = socket.socket(fileno=int(sys.argv[2]))
here, there = socket.socketpair()
engine = subprocess.Popen([ENGINE, "--socket-fd", str(there.fileno())], pass_fds=[there.fileno()])
there.close()


def to_engine():
    while data := llmd.recv(65536):
        here.sendall(data)
    here.shutdown(socket.SHUT_WR)


def die():
    if how == "hang":  # llmd kills both
        engine.send_signal(signal.SIGSTOP)
        llmd.sendall(struct.pack("<IBBI", 6, PHASE_CHANGE, LOAD, BUDGET_MS))
        signal.pause()
    engine.kill()
    engine.wait()
    if how == "exit":
        os._exit(1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), signal.SIGABRT if how == "abort" else signal.SIGKILL)


threading.Thread(target=to_engine, daemon=True).start()
received = here.makefile("rb")
seen = 0
while length := received.read(4):
    body = received.read(*struct.unpack("<I", length))
    is_last_of_load = where == "load" and body[0] == READY
    seen += where == "load" or body[0] == TOKENS
    if where and (seen == n or is_last_of_load):
        die()
    try:
        llmd.sendall(length + body)
    except BrokenPipeError:  # llmd has closed its end: the engine is to leave
        break
sys.exit(engine.wait())
"""


class DeathsWhileLoading(harness.TestCase):
    @classmethod
    def prepare(cls):
        cls.plan = cls.bus.path("plan")
        program = cls.bus.path("go-between")
        types = tuple(list(frames.MESSAGES).index(name) for name in ("Ready", "Tokens", "PhaseChange"))
        with open(program, "w") as file:
            file.write(GO_BETWEEN.format(engine=harness.ENGINE, plan=cls.plan, types=types))
        os.chmod(program, stat.S_IRWXU)
        cls.write_plan([])
        cls.bus.environment["LLMD_ENGINE"] = program

    @classmethod
    def write_plan(cls, lines):
        with open(cls.plan, "w") as file:
            file.write("\n".join(lines))

    def read_plan(self):
        with open(self.plan) as file:
            return file.read()

    def texts_of(self, seeds):
        streams = [self.client.stream(f"Once upon a time {MARKER}", model=LLAMA, max_tokens=200, temperature=1.0, seed=seed)[1]
                   for seed in seeds]
        results = [harness.read_stream(fd) for fd in streams]
        for _, last in results:
            self.assertIn(last.get("finish_reason"), ("length", "stop"), last)
        return [text for text, _ in results]

    def test_no_text_is_lost_or_changed(self):
        seeds = range(3)
        texts = self.texts_of(seeds)
        self.texts.extend(texts)
        self.client.admin("UnloadModel", "(a{sv})", {})
        chance = random.Random(11)
        plan = []
        # Three in a row are as many as a file that was ready once is forgiven; the pauses after them are 1, 2 and 4 s.
        for deaths in (["kill"], ["abort"], ["hang"], ["exit"], ["abort", "hang", "exit"]):
            plan += [f"load {chance.randint(1, 100)} {how}" for how in deaths]
            plan.append(f"tokens {chance.randint(2, 9)} kill")
        self.write_plan(plan)
        self.assertEqual(self.texts_of(seeds), texts)
        self.assertEqual(self.read_plan(), "", "deaths that did not come about")
        self.assert_serves()


if __name__ == "__main__":
    harness.main()
