"""Deaths of the engine at random moments of a generation and of the load that follows: the text is that of an undisturbed
run."""
import os
import random
import shutil
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

    def test_a_file_that_was_only_touched_is_the_same_file(self):
        prompt, seed, text = self.undisturbed()
        model = self.bus.link_model(self.bus.path("copy.gguf"))
        shutil.copyfile(os.path.join(harness.MODELS, LLAMA + ".gguf"), self.bus.path("copy.gguf"))
        options = dict(self.options(), model=model, seed=seed)
        self.assertEqual(self.client.generate(prompt, **options)[0], text)
        engine = self.client.engine_of(model)
        os.utime(self.bus.path("copy.gguf"), (0, 0))
        self.assertEqual(self.client.generate(prompt, **options)[0], text)
        self.assertEqual(self.client.engine_of(model), engine, "it was loaded again")
        _, fd = self.client.stream(prompt, **options)
        got = harness.read_line(fd)["text"]
        os.utime(self.bus.path("copy.gguf"), (1, 1))
        os.kill(engine, signal.SIGKILL)
        while "text" in (line := harness.read_line(fd)):
            got += line["text"]
        os.close(fd)
        self.assertEqual((got, line.get("finish_reason")), (text, "length"), line)

    def test_unloading_ends_the_engine(self):
        self.client.load(LLAMA)
        self.assertEqual(len(self.daemon.engines()), 1)
        self.client.admin("UnloadModel", "(a{sv})", {})
        self.assertEqual(self.daemon.engines(), [])
        self.assertEqual(self.client.status()["state"], "idle")


# Stands between llmd and its engine, and has each engine die as the next line of the file `plan` says: "load 7 abort" before
# the seventh frame of its load, or before it is ready; "tokens 3 kill" before a frame with tokens, when three have gone to llmd and
# each request that was started has had one of them.
GO_BETWEEN = """#!/usr/bin/python3
import os, resource, signal, socket, struct, subprocess, sys, threading

ENGINE, PLAN = {engine!r}, {plan!r}
START, READY, TOKENS, FINISHED, PHASE_CHANGE = {types!r}
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
without_token = set()  # the ids of requests


def frames(of):
    stream = of.makefile("rb")
    while length := stream.read(4):
        yield length, stream.read(*struct.unpack("<I", length))


def to_engine():
    for length, body in frames(llmd):
        if body[0] == START:
            without_token.add(body[1:9])
        here.sendall(length + body)
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
    os.kill(os.getpid(), {signals!r}[how])


threading.Thread(target=to_engine, daemon=True).start()
seen = 0
for length, body in frames(here):
    if where == "load":
        seen += 1
        if seen >= n or body[0] == READY:
            die()
    elif where == "tokens" and body[0] == TOKENS and any(body[9:13]):  # it counts ids; none tell of a prefill
        if seen >= n and not without_token:
            die()
        seen += 1
        without_token.discard(body[1:9])
    elif body[0] == FINISHED:
        without_token.discard(body[1:9])
    try:
        llmd.sendall(length + body)
    except BrokenPipeError:  # llmd has closed its end: the engine is to leave
        break
sys.exit(engine.wait())
"""
SIGNALS = {"abort": signal.SIGABRT.value, "kill": signal.SIGKILL.value, "stop": signal.SIGTERM.value}
DEATHS = (*SIGNALS, "exit", "hang")
# As many in a row are forgiven a file that was ready once (supervisor::kMaxReloads). Pauses of 1, 2 and 4 s follow them.
MOST_IN_A_ROW = 3
FRAMES_OF_A_LOAD = 30  # about so many


class DeathsWhileLoading(harness.TestCase):
    seeds = range(6)  # of a client each, two more than there are slots
    # A backend that compiles takes longer to load than all the pauses.
    n_deaths = 200 if "LLMD_ALL" in os.environ else 15 if harness.BACKEND == "cpu" else 5

    @classmethod
    def prepare(cls):
        cls.plan = cls.bus.path("plan")
        program = cls.bus.path("go-between")
        types = tuple(list(frames.MESSAGES).index(name) for name in ("Start", "Ready", "Tokens", "Finished", "PhaseChange"))
        with open(program, "w") as file:
            file.write(GO_BETWEEN.format(engine=harness.ENGINE, plan=cls.plan, types=types, signals=SIGNALS))
        os.chmod(program, stat.S_IRWXU)
        cls.write_plan([])
        cls.bus.environment["LLMD_ENGINE"] = program

    def setUp(self):
        super().setUp()
        self.clients = [self.bus.connect() for _ in self.seeds]

    @classmethod
    def write_plan(cls, lines):
        with open(cls.plan, "w") as file:
            file.write("\n".join(lines))

    def read_plan(self):
        with open(self.plan) as file:
            return file.read().splitlines()

    def unload(self):
        self.client.admin("UnloadModel", "(a{sv})", {})

    def random_plan(self, chance):
        """Deaths of replacements at random moments of their loads, and of each that gets ready after some tokens."""
        plan = []
        n_left, n_in_a_row = self.n_deaths, MOST_IN_A_ROW
        while n_left > 0:
            plan.append(f"tokens {chance.randint(2, 20)} kill")
            for _ in range(min(n_in_a_row, n_left)):
                plan.append(f"load {chance.randint(1, FRAMES_OF_A_LOAD)} {chance.choice(DEATHS)}")
            n_left -= n_in_a_row
            n_in_a_row = chance.choices(range(1, MOST_IN_A_ROW + 1), (7, 2, 1))[0]
        return plan

    def outcomes(self, model):
        """Returns (text, last object) of each client's request; an error at once is one of no text."""
        streams = []
        for client, seed in zip(self.clients, self.seeds):
            try:
                options = {"max_tokens": 200, "model": model, "temperature": 1.0, "seed": seed}
                streams.append(client.stream(f"Once upon a time {MARKER}", **options)[1])
            except harness.GLib.Error as error:
                streams.append(("", {"error": {"name": harness.parts_of(error)[0]}}))
        return [harness.read_stream(each) if isinstance(each, int) else each for each in streams]

    def finished_texts(self):
        outcomes = self.outcomes(LLAMA)
        for _, last in outcomes:
            self.assertIn(last.get("finish_reason"), ("length", "stop"), last)
        return [text for text, _ in outcomes]

    def test_no_text_is_lost_or_changed(self):
        texts = self.finished_texts()
        self.texts.extend(texts)
        self.unload()
        restarts = self.client.status()["engine_restarts"]
        self.write_plan(self.random_plan(random.Random(11)))
        while self.read_plan():
            self.assertEqual(self.finished_texts(), texts)
        # Each death but those of the last line, which the texts may have outrun.
        self.assertGreaterEqual(self.client.status()["engine_restarts"] - restarts, self.n_deaths)
        self.unload()
        self.assert_serves()

    def assert_given_up(self, model, plan, n_deaths):
        """Everybody who waits for the model gets the error after so many deaths of its plan."""
        self.write_plan(plan)
        errors = [last["error"]["name"] for _, last in self.outcomes(model)]
        self.assertEqual(errors, ["ModelLoadFailed"] * len(self.seeds))
        self.assertEqual(len(self.read_plan()), len(plan) - n_deaths, "engines that were started in vain")

    def test_a_file_that_never_loads_is_given_up(self):
        self.assert_given_up(self.bus.write_tiny_model("llama"), ["load 2 abort"] * 3, 1)
        self.write_plan([])
        self.client.load(LLAMA)
        self.unload()
        self.assert_given_up(LLAMA, ["tokens 2 kill"] + ["load 2 abort"] * (MOST_IN_A_ROW + 2), MOST_IN_A_ROW + 2)
        self.write_plan([])
        self.client.load(LLAMA)  # which tries a model again that could not be loaded
        self.assert_serves()


if __name__ == "__main__":
    harness.main()
