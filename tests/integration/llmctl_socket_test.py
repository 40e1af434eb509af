"""llmctl where no bus has llmd: the same commands over the Unix socket, and what it says of those that are missing."""
import json
import os
import pty
import re
import signal
import subprocess
import unittest

import harness
from harness import LIMIT_S, LLAMA, LLMCTL, MARKER

PROMPT = f"Once upon a time {MARKER}"
GREEDY = ("--model", LLAMA, "--temperature", "0")
LONG = ("generate", *GREEDY, "--max-tokens", "400", PROMPT)
NO_BUS = "unix:path=/nonexistent/bus"
SCHEMA = '{"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"], "additionalProperties": false}'


class OverTheSocket(harness.TestCase):
    """Of llmd, which has a bus: the texts over it are what those over the socket are compared with."""

    def setUp(self):
        super().setUp()
        # Not just absent: then $XDG_RUNTIME_DIR/bus is tried, which is there.
        self.environment = dict(self.bus.environment, DBUS_SESSION_BUS_ADDRESS=NO_BUS)

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

    def last_ending(self):
        self.client.wait(lambda: not self.client.status()["active"] + self.client.status()["queued"], "all to end")
        return re.findall(r"request \d+ ended: (\w+)", self.daemon.log())[-1]

    def test_a_text_is_that_of_the_bus(self):
        options = {"seed": 5, "top_k": 20, "top_p": 0.9, "min_p": 0.01, "repeat_penalty": 1.1, "max_tokens": 30}
        flags = [word for key, value in options.items() for word in ("--" + key.replace("_", "-"), str(value))]
        text, _ = self.client.generate(PROMPT, **options)
        self.texts.append(text)
        done = self.ctl("generate", *flags, PROMPT)
        self.assertEqual((done.stdout.decode(), done.stderr), (text, b""))
        self.assertEqual(self.ctl("generate", *flags, "--echo", PROMPT).stdout.decode(), PROMPT + text)
        word = text.split()[3]
        self.assertEqual(self.ctl("generate", *flags, "--stop", word, PROMPT).stdout.decode(), text[:text.index(word)])

    def test_a_model_that_cannot_be_used_says_why_in_the_list(self):
        self.add_broken_model()
        self.assertRegex(self.ctl("models").stdout.decode(), r"(?m)^ +broken +unusable: .*not a GGUF file")
        over_bus = json.loads(self.ctl("models", "--json", DBUS_SESSION_BUS_ADDRESS=self.bus.address).stdout)["models"]
        for model in over_bus:
            del model["path"]
        self.assertEqual(json.loads(self.ctl("models", "--json").stdout)["models"], over_bus)

    def test_system_makes_a_conversation(self):
        text, _ = self.client.generate(PROMPT, system="A tale.", temperature=0.0, model=LLAMA)
        self.texts.append(text)
        self.assertEqual(self.ctl("generate", *GREEDY, "--system", "A tale.", PROMPT).stdout.decode(), text)
        refused = self.ctl("generate", "--echo", "--system", "A tale.", PROMPT, code=2)
        self.assertEqual(refused.stderr, b"llmctl: --echo: not with a conversation\n")

    def test_json_has_the_keys_of_the_bus(self):
        arguments = ("generate", *GREEDY, "--max-tokens", "6", "--seed", str(2**64 - 1), "--json", PROMPT)
        over_socket = json.loads(self.ctl(*arguments).stdout)
        over_bus = json.loads(self.ctl(*arguments, DBUS_SESSION_BUS_ADDRESS=self.bus.address).stdout)
        self.assertEqual(over_socket.keys(), over_bus.keys())
        for key in ("text", "finish_reason", "prompt_tokens", "generated_tokens", "seed", "model"):
            self.assertEqual(over_socket[key], over_bus[key], key)

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
                self.assertTrue(done.stderr.startswith(f"llmctl: --json-schema: {path}: not ".encode()), done.stderr)

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

    def test_a_conversation_goes_on(self):
        turns = f"The old house {MARKER}\nAnd then?\n".encode()
        arguments = ("chat", *GREEDY, "--max-tokens", "12", "--system", "A tale.")
        over_socket = self.ctl(*arguments, stdin=turns)
        self.assertEqual(over_socket.stderr, b"")
        self.assertEqual(over_socket.stdout,
                         self.ctl(*arguments, stdin=turns, DBUS_SESSION_BUS_ADDRESS=self.bus.address).stdout)

    def test_tables(self):
        self.client.load(LLAMA)
        self.assertEqual(self.ctl("models").stdout, self.ctl("models", DBUS_SESSION_BUS_ADDRESS=self.bus.address).stdout)
        status = self.ctl("status").stdout.decode()
        self.assertRegex(status, rf"(?m)^Model +{LLAMA}$")
        self.assertRegex(status, r"(?m)^Device +.*\(cpu\)$")
        theirs, ours = self.client.status(), json.loads(self.ctl("status", "--json").stdout)
        for status in theirs, ours:
            for engine in status["engines"]:
                engine.pop("unload_in_ms")  # goes on between the two looks
        for key, value in ours.items():
            self.assertEqual(value, theirs[key], key)
        for key in ("state", "version", "context_length", "weight_bytes", "kv_pages_total", "queued"):
            self.assertIn(key, ours)
        self.assertEqual(self.ctl("tokenize", PROMPT).stdout,
                         self.ctl("tokenize", PROMPT, DBUS_SESSION_BUS_ADDRESS=self.bus.address).stdout)
        self.assertIn(b"llmd   0.", self.ctl("version").stdout)

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
        self.assertEqual(whole["model"], LLAMA)
        self.assertGreater(whole["prompt_tokens"], 2)
        self.ctl("embed", "--model", "no-such", "x", code=4)
        self.ctl("embed", "a b " * 5000, code=7)
        self.assertIn(b"--deadline-ms: ", self.ctl("embed", "--deadline-ms", "0", "x", code=2).stderr)

    def test_tools_and_thinking_reach_the_daemon_either_way(self):
        tools = self.bus.path("tools.json")
        with open(tools, "w") as file:
            json.dump([{"type": "function", "function": {"name": "weather", "parameters": {
                "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}], file)
        arguments = ("chat", *GREEDY, "--max-tokens", "8", "--json")
        plain = json.loads(self.ctl(*arguments, stdin=b"How is it?\n").stdout)
        over_socket, over_bus = (
            json.loads(self.ctl(*arguments, "--tools", tools, "--thinking", "off", stdin=b"How is it?\n",
                                DBUS_SESSION_BUS_ADDRESS=address).stdout) for address in (NO_BUS, self.bus.address))
        self.assertGreater(over_socket["prompt_tokens"], plain["prompt_tokens"])
        for key in ("text", "finish_reason", "prompt_tokens"):
            self.assertEqual(over_socket[key], over_bus[key], key)

    def test_embeddings_are_those_of_the_bus(self):
        arguments = ("embed", "--model", LLAMA, PROMPT, "The end")
        self.assertEqual(self.ctl(*arguments).stdout, self.ctl(*arguments, DBUS_SESSION_BUS_ADDRESS=self.bus.address).stdout)

    def test_what_the_socket_has_not_is_said_in_one_line(self):
        for arguments in (("load", LLAMA), ("unload",), ("queue",), ("cancel", "--all")):
            done = self.ctl(*arguments, code=1)
            self.assertRegex(done.stderr, rb"^llmctl: over the socket, .*\n$")
            self.assertEqual(done.stdout, b"")
        self.assertRegex(self.ctl("cancel", "12345", code=1).stderr, rb'no request is called "12345"')

    def test_another_bus_without_llmd_is_as_none(self):
        other = harness.PrivateBus()
        self.addCleanup(other.close)
        done = self.ctl("generate", *GREEDY, "--max-tokens", "3", PROMPT, DBUS_SESSION_BUS_ADDRESS=other.address)
        self.assertTrue(done.stdout)
        self.assertIn(b"not on this session bus", self.ctl("queue", code=1, DBUS_SESSION_BUS_ADDRESS=other.address).stderr)
        self.assertIn(b"llmd   0.", self.ctl("version", DBUS_SESSION_BUS_ADDRESS=other.address).stdout)

    def test_ctrl_c_cancels(self):
        process = self.start(*LONG, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(process.stdout.read(1))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual((process.returncode, errors), (130, b""))
        self.assertEqual(self.last_ending(), "cancelled")

    def test_cancelled_by_its_number_it_says_so(self):
        process = self.start(*LONG, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(process.stdout.read(1))
        with self.daemon.held_engine():  # so that it cannot have finished
            self.ctl("cancel", str(max(map(int, re.findall(r"request (\d+) ended", self.daemon.log())), default=0) + 1))
        _, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual((process.returncode, errors), (1, b"llmctl: another program cancelled the request\n"))

    def test_a_reader_that_leaves_cancels_quietly(self):
        process = self.start(*LONG, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(process.stdout.read(1))
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(LIMIT_S), 0)
        self.assertEqual(self.last_ending(), "cancelled")

    def test_progress_is_shown_until_the_text_comes(self):
        ours, theirs = pty.openpty()
        self.client.load(LLAMA)
        self.environment["TERM"] = "xterm"
        with self.daemon.held_engine():
            process = self.start(*LONG, stdout=subprocess.PIPE, stderr=theirs)
            os.close(theirs)
            seen = b""
            while b"processing the prompt" not in seen:
                seen += os.read(ours, 4096)
        self.assertTrue(process.stdout.read(1))
        # What is said when the text has ended may come in the same read.
        self.assertTrue(os.read(ours, 4096).startswith(b"\r\x1b[K"))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT_S)
        os.close(ours)


class WithoutABus(unittest.TestCase):
    def setUp(self):
        self.bus = harness.PrivateBus()
        self.addCleanup(self.bus.close)
        del self.bus.environment["DBUS_SESSION_BUS_ADDRESS"]
        self.bus.stop()

    def ctl(self, *arguments):
        return subprocess.run([LLMCTL, *arguments], stdin=subprocess.DEVNULL, env=self.bus.environment,
                              capture_output=True, timeout=LIMIT_S)

    def test_llmd_and_llmctl_find_each_other(self):
        daemon = harness.Daemon(self.bus)
        self.addCleanup(daemon.stop)
        done = self.ctl("generate", "--max-tokens", "3", PROMPT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout)

    def test_it_names_both_ways_when_there_is_neither(self):
        for command in (("generate", PROMPT), ("status",), ("chat",), ("unload",), ("tokenize", "x")):
            done = self.ctl(*command)
            self.assertEqual((done.returncode, done.stdout), (3, b""))
            self.assertRegex(done.stderr.decode(), r"^llmctl: .*org\.llmd\.Llmd1.*/llmd/llmd\.sock: .*; start it: .+\n$")
        self.assertIn(b"llmd   is not running", self.ctl("version").stdout)
        del self.bus.environment["XDG_RUNTIME_DIR"]
        self.assertIn(b"XDG_RUNTIME_DIR", self.ctl("status").stderr)

    def test_a_daemon_that_dies_is_told_from_one_that_is_done(self):
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
