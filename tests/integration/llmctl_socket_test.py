"""llmctl and llmd's socket: what its commands show is what the bus has, with a bus and without one, and who starts llmd."""
import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import unittest

import harness
from harness import LIMIT_S, LLAMA, LLMCTL, LLMD, MARKER, NAME
from terminal import read_terminal

PROMPT = f"Once upon a time {MARKER}"
GREEDY = ("--model", LLAMA, "--temperature", "0")
LONG = ("generate", *GREEDY, "--max-tokens", "400", PROMPT)
NO_BUS = "unix:path=/nonexistent/bus"
SCHEMA = '{"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"], "additionalProperties": false}'


class OverTheSocket(harness.TestCase):
    """llmctl has no bus here; what it shows is compared with what another client gets over the bus."""

    def setUp(self):
        super().setUp()
        # Not just absent: then $XDG_RUNTIME_DIR/bus is tried, which is there.
        self.environment = dict(self.bus.environment, DBUS_SESSION_BUS_ADDRESS=NO_BUS, TERM="xterm")

    def ctl(self, *arguments, stdin=b"", code=0, **environment):
        done = subprocess.run([LLMCTL, *arguments], input=stdin, env=dict(self.environment, **environment),
                              capture_output=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def start(self, *arguments, **how):
        process = subprocess.Popen([LLMCTL, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                                   bufsize=0, **how)
        self.addCleanup(process.wait, LIMIT_S)
        return process

    def test_a_text_ends_before_a_stop(self):
        text, _ = self.client.generate(PROMPT, model=LLAMA, temperature=0.0, max_tokens=30)
        self.texts.append(text)
        word = text.split()[3]
        stopped = self.ctl("generate", *GREEDY, "--max-tokens", "30", "--stop", word, PROMPT)
        self.assertEqual(stopped.stdout.decode(), text[:text.index(word)])

    def test_models_are_those_of_the_bus(self):
        self.add_broken_model()
        self.client.load(LLAMA)
        models = self.client.call("ListModels", harness.GLib.Variant("(a{sv})", ({},)))[0]
        self.assertEqual(json.loads(self.ctl("models", "--json").stdout)["models"], models)
        self.assertTrue(all(os.path.isabs(model["path"]) for model in models))

    def test_requests_are_those_of_the_bus(self):
        self.client.load(LLAMA)
        with self.daemon.held_engine():
            path, fd = self.client.stream(PROMPT, max_tokens=400, handle_token="tale")
            self.client.wait(lambda: self.client.requests() and self.client.requests()[0]["state"] == "prefill", "the request")
            self.assertEqual(json.loads(self.ctl("queue", "--json").stdout)["requests"], self.client.requests())
            self.ctl("cancel", path)  # which is whole, while the queue shows its end
            self.client.wait_finished(path)
            for name in path, "1_1/none":
                shown = json.dumps(name).encode()
                self.assertIn(b"no request is called " + shown, self.ctl("cancel", name, code=1).stderr)
        os.close(fd)

    def test_system_makes_a_conversation(self):
        text, _ = self.client.generate(PROMPT, system="A tale.", temperature=0.0, model=LLAMA)
        self.texts.append(text)
        self.assertEqual(self.ctl("generate", *GREEDY, "--system", "A tale.", PROMPT).stdout.decode(), text)
        refused = self.ctl("generate", "--echo", "--system", "A tale.", PROMPT, code=2)
        self.assertEqual(refused.stderr, b"llmctl: --echo: not with a conversation\n")

    def test_json_has_the_keys_of_the_bus(self):
        result = json.loads(self.ctl("generate", *GREEDY, "--max-tokens", "6", "--seed", str(2**64 - 1), "--json", PROMPT).stdout)
        text, info = self.client.generate(PROMPT, model=LLAMA, temperature=0.0, max_tokens=6, seed=2**64 - 1)
        self.texts.append(text)
        self.assertEqual(result.keys(), {*info, "text", "thinking"})
        for key in ("finish_reason", "prompt_tokens", "generated_tokens", "seed", "model", "where"):
            self.assertEqual(result[key], info[key], key)
        self.assertEqual(result["text"], text)

    def test_verbose_tells_counts_and_a_seed_that_makes_the_text_again(self):
        done = self.ctl("generate", "--max-tokens", "12", "--verbose", PROMPT)
        self.assertRegex(done.stderr.decode(), rf"generated 12 at [\d.]+/s\n.*model {LLAMA}, seed \d+, ended by length\n$")
        seed = re.search(rb"seed (\d+)", done.stderr)[1]
        self.assertEqual(self.ctl("generate", "--max-tokens", "12", "--seed", seed, PROMPT).stdout, done.stdout)

    def test_a_schema_holds_and_what_is_none_is_refused(self):
        path = self.bus.path("schema.json")
        for text, code in ((SCHEMA, 0), ("{", 2), ("[]", 2), ("{} {}", 2)):
            with open(path, "w") as file:
                file.write(text)
            done = self.ctl("generate", "--json-schema", path, "--max-tokens", "100", "--temperature", "0", PROMPT,
                            code=code)
            if code == 0:
                self.assertIsInstance(json.loads(done.stdout)["age"], int)
                self.assertEqual(done.stderr, b"")
                cut = self.ctl("generate", "--json-schema", path, "--max-tokens", "2", "--temperature", "0", PROMPT)
                self.assertEqual(cut.stderr, b"llmctl: cut after 2 tokens; --max-tokens allows more\n")
            else:
                self.assertTrue(done.stderr.startswith(f"llmctl: --json-schema: {path}: ".encode()), done.stderr)

    def test_a_deadline_ends_the_text_and_says_so(self):
        self.client.load(LLAMA)
        with self.daemon.held_engine():
            done = self.ctl(*LONG, "--deadline-ms", "50", "--json")
        result = json.loads(done.stdout)
        self.assertEqual(result["finish_reason"], "timeout")
        self.assertIn("prompt_tokens", result)

    def test_exit_codes_and_names_are_those_of_the_bus(self):
        for arguments, code, name, words in (
                (("--temperature", "11"), 2, "InvalidArgument", "--temperature: "),
                (("--temperature", "nan"), 2, "InvalidArgument", "--temperature: "),
                (("--max-tokens", "1048577"), 2, "InvalidArgument", "--max-tokens: "),
                (("--deadline-ms", "0"), 2, "InvalidArgument", "--deadline-ms: "),
                (("--model", "no-such"), 4, "ModelNotFound", "no-such"),
                (("a b " * 5000,), 7, "ContextExceeded", "")):
            with self.subTest(arguments=arguments[:1]):
                done = self.ctl("generate", "--json", *arguments, PROMPT, code=code)
                self.assertEqual(json.loads(done.stdout)["error"]["name"], name)
                self.assertEqual(done.stderr.count(b"\n"), 1)
                self.assertIn(words, done.stderr.decode())

    def test_status_is_that_of_the_bus(self):
        self.client.load(LLAMA)
        self.client.wait(lambda: not self.client.requests(), "requests of other tests to end")
        theirs, ours = self.client.status(), json.loads(self.ctl("status", "--json").stdout)
        self.assertEqual(ours.pop("requests"), [])
        self.assertEqual(ours.keys(), theirs.keys())
        for engine, same in zip(ours.pop("engines"), theirs.pop("engines"), strict=True):
            self.assertEqual(engine.keys(), same.keys())
            self.assertEqual(list(engine), sorted(engine))
            self.assertEqual((engine["model"], engine["pid"]), (same["model"], same["pid"]))
        # What the engine tells of its cache a moment later goes on between the two looks.
        for key in ("state", "model", "device", "version", "context_length", "weight_bytes", "slots", "ttft_ms_count", "heat_celsius"):
            self.assertEqual(ours[key], theirs[key], key)

    def test_texts_are_embedded(self):
        lines = self.ctl("embed", "--model", LLAMA, PROMPT, "The end").stdout.splitlines()
        vectors = [[float(number) for number in line.split()] for line in lines]
        self.assertEqual(len(vectors), 2)
        for vector in vectors:
            self.assertAlmostEqual(sum(number * number for number in vector), 1, places=4)
        self.assertNotEqual(vectors[0], vectors[1])
        self.assertEqual(self.ctl("embed", "--model", LLAMA, stdin=f"{PROMPT}\nThe end\n".encode()).stdout.splitlines(), lines)
        whole = json.loads(self.ctl("--json", "embed", "-m", LLAMA, PROMPT, "The end").stdout)
        self.assertEqual(whole["embeddings"], vectors)
        _, info = self.client.call("Embed", harness.GLib.Variant("(asa{sv})", ([PROMPT, "The end"], harness.variants({"model": LLAMA}))))
        self.assertEqual(whole.keys(), {*info, "embeddings"})
        self.assertEqual((whole["model"], whole["prompt_tokens"]), (LLAMA, info["prompt_tokens"]))
        self.ctl("embed", "--model", "no-such", "x", code=4)
        self.ctl("embed", "a b " * 5000, code=7)
        self.assertIn(b"--deadline-ms: ", self.ctl("embed", "--deadline-ms", "0", "x", code=2).stderr)

    def test_tools_and_thinking_reach_the_daemon(self):
        tools = self.bus.path("tools.json")
        with open(tools, "w") as file:
            json.dump([{"type": "function", "function": {"name": "weather", "parameters": {
                "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}], file)
        arguments = ("chat", *GREEDY, "--max-tokens", "8", "--json")
        plain, told = (json.loads(self.ctl(*arguments, *more, stdin=b"How is it?\n").stdout)
                       for more in ((), ("--tools", tools, "--thinking", "off")))
        self.assertGreater(told["prompt_tokens"], plain["prompt_tokens"])

    def test_a_model_is_loaded_and_unloaded(self):
        self.assertIn("did you mean", self.ctl("load", LLAMA[:-1], code=4).stderr.decode())
        self.ctl("load", LLAMA)
        self.assertEqual(self.client.status()["model"], LLAMA)
        self.ctl("unload")
        self.assertEqual(self.client.status()["engines"], [])

    def test_cancelled_by_its_number_it_says_so(self):
        process = self.start(*LONG, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(process.stdout.read(1))
        with self.daemon.held_engine():  # so that it cannot have finished
            self.ctl("cancel", str(max(map(int, re.findall(r"request (\d+) ended", self.daemon.log())), default=0) + 1))
        _, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual((process.returncode, errors), (1, b"llmctl: another program cancelled the request\n"))

    def progress(self, process, theirs, ours, word):
        os.close(theirs)
        seen = b""
        while word not in seen:
            seen += os.read(ours, 4096)
        return seen

    def test_progress_is_that_of_the_own_request(self):
        self.client.load(LLAMA)
        with self.daemon.held_engine():
            fds = [self.client.stream(PROMPT, max_tokens=400, priority="interactive", handle_token=f"i{i}")[1] for i in range(4)]
            self.client.wait(lambda: [r["state"] for r in self.client.requests()] == ["prefill"] * 4, "four slots taken")
            ours, theirs = pty.openpty()
            process = self.start(*LONG, stdout=subprocess.PIPE, stderr=theirs)
            self.progress(process, theirs, ours, b"waiting for other requests")
            for fd in fds:
                os.close(fd)
        self.assertTrue(process.stdout.read(1))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT_S)
        seen = self.rest_of(ours)
        self.assertIn(b"\r\x1b[K", seen)
        self.assertNotIn(b"waiting", seen.rpartition(b"\r\x1b[K")[2], "the line is cleared before the text")

    def rest_of(self, terminal):
        """What is left of what a program wrote that has ended."""
        seen = b""
        with contextlib.suppress(OSError):  # EIO: nobody has the other end
            while chunk := os.read(terminal, 4096):
                seen += chunk
        os.close(terminal)
        return seen

    def test_the_prompts_processing_is_shown(self):
        self.client.load(LLAMA)
        ours, theirs = pty.openpty()
        with self.daemon.held_engine():
            process = self.start(*LONG, stdout=subprocess.PIPE, stderr=theirs)
            self.progress(process, theirs, ours, b"processing the prompt")
        self.assertTrue(process.stdout.read(1))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT_S)
        os.close(ours)

    def test_another_bus_without_llmd_is_as_none(self):
        other = harness.PrivateBus()
        self.addCleanup(other.close)
        for command in (("generate", *GREEDY, "--max-tokens", "3", PROMPT), ("queue",), ("version",)):
            done = self.ctl(*command, DBUS_SESSION_BUS_ADDRESS=other.address)
            self.assertTrue(done.stdout)


class WhoStartsLlmd(unittest.TestCase):
    def setUp(self):
        self.bus = harness.PrivateBus()
        self.addCleanup(self.bus.close)

    def ctl(self, *arguments):
        return subprocess.run([LLMCTL, *arguments], stdin=subprocess.DEVNULL, env=self.bus.environment,
                              capture_output=True, timeout=LIMIT_S)

    def without_a_bus(self):
        del self.bus.environment["DBUS_SESSION_BUS_ADDRESS"]
        self.bus.stop()
        self.addCleanup(self.bus.start)  # which close() ends again

    def bus_starts(self, command):
        with open(self.bus.path("services", NAME + ".service"), "w") as file:
            file.write(f"[D-BUS Service]\nName={NAME}\nExec={command}\n")

    def test_the_bus_starts_it_when_it_is_asked_for_something(self):
        self.bus_starts(LLMD)
        self.assertIn(b"llmd   is not running", self.ctl("version").stdout)
        done = self.ctl("generate", *GREEDY, "--max-tokens", "3", PROMPT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b"llmd   0.", self.ctl("version").stdout)

    def test_a_conversation_outlasts_an_llmd_that_has_left(self):
        daemon = harness.Daemon(self.bus)
        self.addCleanup(daemon.stop)
        self.bus_starts(LLMD)
        chat = subprocess.Popen([LLMCTL, "chat", *GREEDY, "--max-tokens", "5"], env=self.bus.environment, bufsize=0,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        chat.stdin.write(b"Hello\n")
        self.assertTrue(chat.stdout.readline())
        daemon.stop()
        text, errors = chat.communicate(b"Go on\n", timeout=LIMIT_S)
        self.assertEqual((chat.returncode, errors), (0, b""))
        self.assertTrue(text)

    def test_what_the_bus_cannot_start_is_named(self):
        self.bus_starts("/nonexistent/llmd")
        done = self.ctl("status")
        self.assertEqual((done.returncode, done.stdout), (3, b""))
        self.assertRegex(done.stderr.decode(), r"^llmctl: .*org\.llmd\.Llmd1 does not start: .*/llmd/llmd\.sock: .*; start it: .+\n$")

    def test_without_a_bus_they_find_each_other(self):
        self.without_a_bus()
        daemon = harness.Daemon(self.bus)
        self.addCleanup(daemon.stop)
        done = self.ctl("generate", "--max-tokens", "3", PROMPT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout)

    def test_without_a_runtime_directory_that_is_said(self):
        del self.bus.environment["XDG_RUNTIME_DIR"]
        done = self.ctl("status")
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"XDG_RUNTIME_DIR", done.stderr)

    def test_a_daemon_that_dies_before_its_first_word_is_told(self):
        daemon = harness.Daemon(self.bus)
        self.addCleanup(daemon.stop)
        self.ctl("generate", "--max-tokens", "1", PROMPT)  # has the model loaded
        process = subprocess.Popen([LLMCTL, *LONG], env=self.bus.environment, bufsize=0, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with daemon.held_engine():
            daemon.process.kill()
            daemon.process.wait(LIMIT_S)
        _, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 3, errors)


if __name__ == "__main__":
    harness.main()
