"""What applications do over the bus: Generate and Stream by three clients, embeddings, cancelling, vanishing, activation."""
import fcntl
import json
import os
import re
import subprocess
import unittest

import harness
from gi.repository import Gio, GLib
from harness import GPT2, LIMIT_S, LLAMA, MARKER, NAME, ROOT

PROMPT = f"Once upon a time {MARKER}"
GREEDY = {"max_tokens": 24, "temperature": 0.0, "model": LLAMA}


class Bus(harness.TestCase):
    def tool(self, *arguments):
        done = subprocess.run(arguments, env=self.bus.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_pipe_text_equals_generate_in_both_formats(self):
        text, info = self.client.generate(PROMPT, **GREEDY)
        self.texts.append(text)
        self.assertEqual((info["finish_reason"], info["generated_tokens"], info["model"]), ("length", 24, LLAMA))
        self.assertEqual(harness.read_all(self.client.stream(PROMPT, format="text", **GREEDY)[1]).decode(), text)
        path, fd = self.client.stream(PROMPT, **GREEDY)
        streamed, last = harness.read_stream(fd)
        self.assertEqual(streamed, text)
        self.assertEqual((last["done"], last["finish_reason"]), (True, "length"))
        status, error_name, _, finished = self.client.wait_finished(path)
        self.assertEqual((status, error_name, finished["generated_tokens"]), (0, "", 24))

    def test_signals_deliver_the_same_text(self):
        text, _ = self.client.generate(PROMPT, **GREEDY)
        path, fd = self.client.stream(PROMPT, delivery="signals", **GREEDY)
        self.assertEqual(harness.read_all(fd), b"", "the pipe is at its end")
        _, _, _, info = self.client.wait_finished(path)
        self.assertEqual("".join(self.client.tokens[path]), text)
        self.assertEqual((info["text"], info["truncated"]), (text, False))

    def test_seed_echo_and_stop(self):
        options = {"max_tokens": 24, "seed": 7, "model": GPT2}
        text, info = self.client.generate(PROMPT, **options)
        self.assertEqual(info["seed"], 7)
        self.assertEqual(self.client.generate(PROMPT, **options)[0], text)
        self.assertEqual(self.client.generate(PROMPT, echo=True, **options)[0], PROMPT + text)
        word = text.split()[3]
        cut, info = self.client.generate(PROMPT, stop=[word], **options)
        self.assertEqual((cut, info["finish_reason"]), (text[:text.index(word)], "stop"))

    def test_gdbus_and_busctl_generate(self):
        text, _ = self.client.generate(PROMPT, **GREEDY)
        # gdbus makes 24 an int32 and 0.0 a double by itself.
        out = self.tool("gdbus", "call", "--session", "--timeout", str(LIMIT_S), "-d", NAME, "-o", ROOT, "-m",
                        NAME + ".Generate", PROMPT,
                        f"{{'max_tokens': <24>, 'temperature': <0.0>, 'model': <'{LLAMA}'>}}")
        self.assertEqual(GLib.Variant.parse(None, out.strip(), None, None).unpack()[0], text)
        out = self.tool("busctl", "--user", "--json=short", f"--timeout={LIMIT_S}", "call", NAME, ROOT, NAME, "Generate",
                        "sa{sv}", PROMPT, "3", "max_tokens", "u", "24", "temperature", "d", "0", "model", "s", LLAMA)
        self.assertEqual(json.loads(out)["data"][0], text)

    def test_stream_by_gdbus_and_busctl_is_cancelled_by_their_exit(self):
        self.client.load(LLAMA)
        with self.daemon.held_engine():
            out = self.tool("gdbus", "call", "--session", "-d", NAME, "-o", ROOT, "-m", NAME + ".Stream", PROMPT,
                            "{'max_tokens': <400>}")
            self.assertRegex(out, r"objectpath '/org/llmd/Llmd1/request/1_\d+/\w+', handle \d")
            out = self.tool("busctl", "--user", "call", NAME, ROOT, NAME, "Stream", "sa{sv}", PROMPT, "1", "max_tokens",
                            "u", "400")
            self.assertRegex(out, r'oh "/org/llmd/Llmd1/request/1_\d+/\w+"')
        self.client.wait(lambda: not self.client.requests(), "the requests of clients that have left to end")
        endings = re.findall(r"request \d+ ended: (\w+)", self.daemon.log())[-2:]
        self.assertEqual(endings, ["cancelled", "cancelled"])

    def test_closing_the_pipe_cancels(self):
        path, fd = self.client.stream(PROMPT, max_tokens=400, model=LLAMA)
        self.assertIsNotNone(harness.read_line(fd))
        os.close(fd)
        status, _, _, info = self.client.wait_finished(path)
        self.assertEqual((status, info["finish_reason"]), (1, "cancelled"))
        self.assertLess(info["generated_tokens"], 400)

    def test_leaving_the_bus_cancels_running_and_queued_requests(self):
        leaver = self.bus.connect()
        fds = [leaver.stream(PROMPT, max_tokens=400)[1] for _ in range(4)]
        harness.read_line(fds[0])
        leaver.close()
        self.client.wait(lambda: not self.client.requests(), "the requests of a client that has left to end")
        for fd in fds:
            os.close(fd)

    def test_cancel_ends_the_text_and_then_the_object(self):
        path, fd = self.client.stream(PROMPT, max_tokens=400, handle_token="mine")
        self.assertTrue(path.endswith("/mine"))
        harness.read_line(fd)
        self.client.call("Cancel", GLib.Variant("()", ()), interface=NAME + ".Request", path=path)
        self.assertEqual(self.client.wait_finished(path)[0], 1)
        rest = harness.read_all(fd).splitlines()
        self.assertEqual(json.loads(rest[-1])["finish_reason"], "cancelled")
        name, _ = harness.error_of(self.client.call, "Cancel", GLib.Variant("(o)", (path,)))
        self.assertEqual(name, "NotFound")

    def test_models_tokens_and_status(self):
        models = {model["name"]: model for model in self.client.call("ListModels", GLib.Variant("(a{sv})", ({},)))[0]}
        self.assertEqual(models[LLAMA]["architecture"], "llama")
        self.assertEqual((models[GPT2]["quantization"], models[GPT2]["context_length"]), ("Q8_0", 512))
        count, ids = self.client.call("Tokenize", GLib.Variant("(sa{sv})", (PROMPT, {})))
        self.assertEqual(count, len(ids))
        self.assertEqual(self.client.status()["backend"], harness.BACKEND)

    def test_tokens_become_the_text_again(self):
        _, ids = self.client.call("Tokenize", GLib.Variant("(sa{sv})", (PROMPT, {})))
        arguments = GLib.Variant("(aua{sv})", (ids, {}))
        self.assertEqual(self.client.call("Detokenize", arguments)[0].strip(), PROMPT)
        error = harness.error_of(self.client.call, "Detokenize", GLib.Variant("(aua{sv})", ([1 << 20], {})))
        self.assertEqual(error[0], "InvalidArgument")
        self.assertIn("tokens: 1048576", error[1])

    def test_embeddings_are_vectors_of_length_one(self):
        def embed(*inputs):
            return self.client.call("Embed", GLib.Variant("(asa{sv})", (inputs, harness.variants({"model": LLAMA}))))

        (first, second), info = embed("A king rules", f"The {MARKER} blooms")
        self.assertEqual((info["finish_reason"], info["model"]), ("stop", LLAMA))
        self.assertAlmostEqual(sum(value * value for value in first), 1, places=3)
        self.assertEqual(len(first), len(second))
        self.assertNotEqual(first, second)
        self.assertEqual(embed("A king rules")[0], [first])

    def test_a_prompt_in_sealed_memory_is_the_prompt(self):
        def generate(seals, **options):
            memory = os.memfd_create("prompt", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            try:
                os.write(memory, PROMPT.encode())
                fcntl.fcntl(memory, fcntl.F_ADD_SEALS, seals)
                fds = Gio.UnixFDList.new_from_array([os.dup(memory)])
            finally:
                os.close(memory)
            options["prompt_fd"] = GLib.Variant("h", 0)
            return self.client.connection.call_with_unix_fd_list_sync(
                NAME, ROOT, NAME, "Generate", GLib.Variant("(sa{sv})", ("", harness.variants(options))), None,
                Gio.DBusCallFlags.NONE, LIMIT_S * 1000, fds, None)[0].unpack()

        text, _ = self.client.generate(PROMPT, **GREEDY)
        sealed = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
        self.assertEqual(generate(sealed, **GREEDY)[0], text)
        error = harness.error_of(generate, fcntl.F_SEAL_SHRINK, **GREEDY)
        self.assertEqual(error, ("InvalidArgument", "prompt_fd: its seals lack F_SEAL_WRITE F_SEAL_GROW"))

    def test_the_status_has_a_word_for_each_sentence(self):
        status = self.client.status()
        words = {key: status[key] for key in ("last_fault_cause", "memory_state", "heat_state", "power_state", "sleep_state",
                                              "paused_requests", "duty_cycle_percent")}
        self.assertEqual(words, {"last_fault_cause": "none", "memory_state": "unknown", "heat_state": "unknown",
                                 "power_state": "unknown", "sleep_state": "awake", "paused_requests": "none",
                                 "duty_cycle_percent": 100})

    def test_the_engine_is_sandboxed_and_says_so(self):
        self.client.load(LLAMA)
        with open(f"/proc/{self.client.engine_of(LLAMA)}/status") as file:
            process = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
        sandbox = self.client.status()["sandbox"]
        self.assertEqual(process["NoNewPrivs"], "1")
        self.assertEqual(process["Seccomp"] == "2", "seccomp" in sandbox, sandbox)
        with open("/sys/kernel/security/lsm") if os.path.exists("/sys/kernel/security/lsm") else open(os.devnull) as file:
            self.assertTrue("Landlock" in sandbox or "landlock" not in file.read(), sandbox)

    def test_a_second_daemon_explains_and_leaves(self):
        second = harness.Daemon(self.bus, "second.log")
        self.assertEqual(second.process.wait(LIMIT_S), 0)
        self.assertIn("already", second.log())
        self.assertTrue(any(line.startswith("STATUS=") for lines in second.notifications for line in lines))


class Activation(unittest.TestCase):
    def test_the_bus_starts_the_daemon(self):
        bus = harness.PrivateBus()
        self.addCleanup(bus.close)
        with open(bus.path("services", NAME + ".service"), "w") as file:
            file.write(f"[D-BUS Service]\nName={NAME}\nExec={harness.LLMD}\n")
        client = bus.connect()
        self.assertIsNone(client.owner())
        text, _ = client.generate(PROMPT, max_tokens=4)
        self.assertTrue(text)
        pid = client.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                          "GetConnectionUnixProcessID", GLib.Variant("(s)", (NAME,)), None, 0, -1,
                                          None).unpack()[0]
        os.kill(pid, 15)
        client.wait(lambda: client.owner() is None, "llmd to leave the bus")


if __name__ == "__main__":
    harness.main()
