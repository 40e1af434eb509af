"""Wrong options and hostile model files: each gets a typed error that names what is wrong, and the daemon serves on."""
import json
import os
import random
import re
import struct

import harness
from gi.repository import GLib
from harness import LLAMA, MARKER

PROMPT = f"Once upon a time {MARKER}"
ENTRIES = 100_000  # unpacked they take 110 MB
MOST_KIB = 24 << 10
LEFT_BEHIND_KIB = 4 << 10


def v(signature, value):
    return GLib.Variant(signature, value)


# Option, wrong value: the answer is InvalidArgument and names the option.
WRONG_OPTIONS = [
    ("max_tokens", v("i", -2)), ("max_tokens", v("t", 2**63)), ("max_tokens", v("u", 2**20 + 1)),
    ("max_tokens", v("d", 8.5)), ("max_tokens", v("s", "8")),
    ("temperature", v("d", float("nan"))), ("temperature", v("d", -0.1)), ("temperature", v("d", float("inf"))),
    ("temperature", v("d", 10.5)), ("temperature", v("s", "hot")),
    ("top_k", v("i", -2)), ("top_k", v("t", 2**63)), ("top_k", v("b", True)),
    ("top_p", v("d", float("nan"))), ("top_p", v("d", 1.01)), ("top_p", v("d", -1.0)),
    ("min_p", v("d", float("nan"))), ("min_p", v("d", 1.5)), ("min_p", v("as", ["0"])),
    ("repeat_penalty", v("d", 0.0)), ("repeat_penalty", v("d", -1.0)), ("repeat_penalty", v("d", 11.0)),
    ("repeat_penalty", v("d", float("nan"))),
    ("seed", v("d", 1.5)), ("seed", v("s", "7")),
    ("stop", v("u", 1)), ("stop", v("as", [""])), ("stop", v("as", ["x"] * 17)), ("stop", v("as", ["x"] * 10000)),
    ("stop", v("as", ["x" * 257])),
    ("priority", v("s", "urgent")), ("priority", v("u", 1)),
    ("deadline_ms", v("u", 0)), ("deadline_ms", v("i", -5)), ("deadline_ms", v("u", 86400001)), ("deadline_ms", v("t", 2**63)),
    ("echo", v("u", 1)), ("echo", v("s", "yes")),
    ("model", v("u", 1)), ("handle_token", v("s", "a/b")), ("handle_token", v("s", "")), ("handle_token", v("s", "x" * 65)),
    ("delivery", v("s", "pigeon")), ("format", v("s", "xml")), ("format", v("u", 0)),
]


def write_enormous_model(path):
    """A LLaMA of some 4 TiB whose every tensor is there: a valid header and a hole."""
    n_embd, n_ff, n_layers, head_dim, n_heads = 65536, 131072, 32, 256, 256
    u32, f32, string, array, kind_f32 = 4, 6, 8, 9, 0

    def text(value):
        return struct.pack("<Q", len(value.encode())) + value.encode()

    # Bytes as the byte-level vocabularies spell them: printable ones as themselves, the rest from U+0100 on.
    plain = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174]
    spelt = {b: chr(b) for b in plain}
    spelt.update({b: chr(256 + i) for i, b in enumerate(b for b in range(256) if b not in spelt)})
    tokens = [spelt[b] for b in range(256)] + ["ab", "<|endoftext|>"]
    keys = [("general.architecture", string, text("llama")), ("llama.context_length", u32, struct.pack("<I", 512)),
            ("llama.block_count", u32, struct.pack("<I", n_layers)), ("llama.embedding_length", u32, struct.pack("<I", n_embd)),
            ("llama.feed_forward_length", u32, struct.pack("<I", n_ff)),
            ("llama.attention.head_count", u32, struct.pack("<I", n_heads)),
            ("llama.attention.layer_norm_rms_epsilon", f32, struct.pack("<f", 1e-5)),
            ("tokenizer.ggml.model", string, text("gpt2")), ("tokenizer.ggml.pre", string, text("gpt-2")),
            ("tokenizer.ggml.tokens", array, struct.pack("<IQ", string, len(tokens)) + b"".join(map(text, tokens))),
            ("tokenizer.ggml.merges", array, struct.pack("<IQ", string, 1) + text("a b")),
            ("tokenizer.ggml.eos_token_id", u32, struct.pack("<I", len(tokens) - 1))]
    tensors = [("token_embd.weight", (n_embd, len(tokens))), ("output_norm.weight", (n_embd,))]
    for layer in range(n_layers):
        name = f"blk.{layer}."
        tensors += [(name + "attn_norm.weight", (n_embd,)), (name + "ffn_norm.weight", (n_embd,))]
        tensors += [(name + f"attn_{part}.weight", (n_embd, n_heads * head_dim)) for part in ("q", "k", "v", "output")]
        tensors += [(name + "ffn_gate.weight", (n_embd, n_ff)), (name + "ffn_up.weight", (n_embd, n_ff)),
                    (name + "ffn_down.weight", (n_ff, n_embd))]
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    header += b"".join(text(key) + struct.pack("<I", kind) + value for key, kind, value in keys)
    offset = 0
    for name, shape in tensors:
        header += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", n) for n in shape)
        header += struct.pack("<IQ", kind_f32, offset)
        size = 4 * shape[0] * (shape[1] if len(shape) == 2 else 1)
        offset += size + -size % 32
    with open(path, "wb") as file:
        file.write(header)
        file.truncate(len(header) + -len(header) % 32 + offset)


class Options(harness.TestCase):
    def test_a_wrong_option_is_named(self):
        for key, value in WRONG_OPTIONS:
            for call in (self.client.stream, self.client.generate):
                with self.subTest(option=key, value=value.print_(True)[:60], call=call.__name__):
                    name, message = harness.error_of(call, PROMPT, **{key: value})
                    self.assertEqual(name, "InvalidArgument")
                    self.assertIn(key, message)
                    self.assertLess(len(message), 500, "the message repeats a huge value")
        self.assert_serves()

    def test_unknown_options_and_other_integer_types_are_fine(self):
        self.client.generate(PROMPT, max_tokens=v("y", 2), seed=v("n", 5), top_k=v("x", 5), mood=v("as", ["good"]))

    def memory_kib(self):
        """(resident now, at most until now) of llmd."""
        with open(f"/proc/{self.daemon.process.pid}/status") as file:
            status = file.read()
        return [int(re.search(rf"{key}:\s+(\d+)", status)[1]) for key in ("VmRSS", "VmHWM")]

    def test_a_call_with_too_much_in_it_is_refused_before_it_is_unpacked(self):
        harness.require("memory-figures")
        self.client.status()
        options = {f"unknown{i}": v("i", i) for i in range(ENTRIES)}
        long = v("s", "x" * (5 << 20))
        calls = [("GetStatus", v("(a{sv})", (options,)), "16384 entries"),
                 ("Generate", v("(sa{sv})", (PROMPT, options)), "16384 entries"),
                 ("Chat", v("(aa{sv}a{sv})", ([{}] * ENTRIES, {})), "16384 entries"),
                 ("Chat", v("(aa{sv}a{sv})", ([{"calls": v("aa{sv}", [{}] * ENTRIES)}], {})), "16384 entries"),
                 ("Embed", v("(asa{sv})", (["x"] * ENTRIES, {})), "16384 entries"),
                 ("GetStatus", v("(a{sv})", ({"nested": v("v", v("v", long))},)), "4194304 bytes"),
                 ("Tokenize", v("(sa{sv})", ("x", {"bias": v("a{ud}", {i: 0.5 for i in range(ENTRIES)})})), "16384 entries"),
                 ("Detokenize", v("(aua{sv})", ([1] * (2 << 20), {})), "4194304 bytes")]
        before, _ = self.memory_kib()
        for method, arguments, limit in calls:
            with self.subTest(method=method, limit=limit):
                name, message = harness.error_of(self.client.call, method, arguments)
                self.assertEqual(name, "InvalidArgument")
                self.assertIn(limit, message)
        self.client.status()  # a call is given back when it has been answered
        after, most = self.memory_kib()
        # The bus hands the message over whole: twice the size of the largest, 8 MiB. The rest would be the entries.
        self.assertLess(most - before, MOST_KIB)
        self.assertLess(after - before, LEFT_BEHIND_KIB)
        self.client.call("GetStatus", v("(a{sv})", ({f"unknown{i}": v("i", i) for i in range(1000)},)))
        self.assert_serves()

    def test_unknown_models_are_named(self):
        for model, code in (("no-such-model", "ModelNotFound"), ("../" + LLAMA, "InvalidArgument"),
                            ("/etc/passwd", "InvalidArgument")):
            name, message = harness.error_of(self.client.generate, PROMPT, model=model)
            self.assertEqual(name, code, message)
            self.assertIn(model, message)

    def test_prompts_of_every_size(self):
        self.client.generate("", max_tokens=2)
        name, message = harness.error_of(self.client.generate, "a " * 40000)
        self.assertEqual(name, "PromptTooLong", message)
        name, message = harness.error_of(self.client.generate, "once " * 13000)
        self.assertEqual(name, "ContextExceeded", message)
        self.assertIn("512", message)
        self.assert_serves()

    def test_refusals_after_the_reply_come_on_the_pipe_and_in_finished(self):
        path, fd = self.client.stream("once " * 2000)
        _, last = harness.read_stream(fd)
        self.assertEqual(last["error"]["name"], "ContextExceeded")
        status, name, _, _ = self.client.wait_finished(path)
        self.assertEqual((status, name), (2, harness.ERROR + "ContextExceeded"))

    def test_control_characters_in_the_prompt_are_text(self):
        self.client.generate(f"{MARKER}\x01\x1b[31m\n\t\u202e", max_tokens=2)


    def test_what_libsystemd_does_not_send_ends_nothing(self):
        # Noncharacters are UTF-8, and no D-Bus string holds them.
        schema = json.dumps({"const": "\uffff"})
        self.assertEqual(self.client.generate("x", json_schema=schema)[0], '"\ufffd"')
        path, _ = self.client.stream("x", json_schema=schema, delivery="signals")
        self.assertEqual(self.client.wait_finished(path)[3]["text"], '"\ufffd"')
        os.symlink(os.path.join(harness.MODELS, LLAMA + ".gguf"), self.bus.path("data/llmd/models/a\uffff.gguf"))
        models, = self.client.call("ListModels", GLib.Variant("(a{sv})", ({},)))
        # Its name is shown with what can be shown, and is no model's.
        errors = [model["error"] for model in models if model["name"].startswith("a")]
        self.assertEqual(errors, ["its name has characters that cannot be shown: rename the file"])
        self.assertEqual(harness.error_of(self.client.load, "none")[0], "ModelNotFound")
        self.assert_serves()


class ModelFiles(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(os.path.join(harness.MODELS, LLAMA + ".gguf"), "rb") as file:
            cls.good = file.read()

    def write(self, name, content):
        path = self.bus.path(name + ".gguf")
        with open(path, "wb") as file:
            file.write(content)
        return path

    def refused(self, path, *codes):
        name, message = harness.error_of(self.client.load, path)
        self.assertIn(name, codes or ("ModelLoadFailed", "InvalidArgument"), message)
        self.assertNotIn("\n", message)
        return message

    def test_truncated_files(self):
        for size in (0, 3, 4, 23, 24, 1000, len(self.good) // 2, len(self.good) - 1):
            with self.subTest(size=size):
                self.refused(self.write(f"cut-{size}", self.good[:size]))
        self.assert_serves()

    def test_lying_headers(self):
        lies = {
            "magic": struct.pack("<I", 0x12345678) + self.good[4:],
            "version": self.good[:4] + struct.pack("<I", 99) + self.good[8:],
            "tensors": self.good[:8] + struct.pack("<Q", 2**63) + self.good[16:],
            "keys": self.good[:16] + struct.pack("<Q", 2**40) + self.good[24:],
            "keylength": self.good[:24] + struct.pack("<Q", 2**64 - 1) + self.good[32:],
        }
        for name, content in lies.items():
            with self.subTest(lie=name):
                self.refused(self.write("lie-" + name, content))
        self.assert_serves()

    def test_flipped_bits_load_or_are_refused_but_kill_nothing(self):
        chance = random.Random(1)
        header = self.good.index(b"output_norm.weight")  # flips go into what is parsed, not into weights
        for i in range(12):
            content = bytearray(self.good)
            for _ in range(3):
                content[chance.randrange(24, header)] ^= 1 << chance.randrange(8)
            path = self.write(f"flip-{i}", bytes(content))
            try:
                self.client.load(path)
            except GLib.Error:
                self.refused(path, "ModelLoadFailed", "OutOfMemory")
        self.assertNotIn("SIG", self.client.status()["last_fault"])
        self.assert_serves()

    def test_a_model_larger_than_memory(self):
        path = self.bus.path("enormous.gguf")
        write_enormous_model(path)
        message = self.refused(path, "OutOfMemory")
        self.assertRegex(message, r"needs [0-9]{13} bytes")
        self.assert_serves()

    def test_things_that_are_not_files(self):
        fifo = self.bus.path("fifo.gguf")
        os.mkfifo(fifo)
        for path in (fifo, self.bus.folder, "/dev/zero", "/dev/null"):
            with self.subTest(path=path):
                self.refused(path)
        self.refused(self.bus.path("absent.gguf"), "ModelNotFound", "ModelLoadFailed")
        self.refused("relative/path.gguf", "InvalidArgument", "ModelNotFound")
        self.assert_serves()

    def test_a_model_that_kills_its_engine_is_not_tried_again_and_again(self):
        # An engine that is killed while it loads, by this test in place of a driver: SIGSEGV is a fault of the model.
        program = self.bus.path("engine-that-dies")
        with open(program, "w") as file:
            file.write(f'#!/bin/sh\n[ "$1" = --socket-fd ] || exec {harness.ENGINE} "$@"\nkill -SEGV $$\n')
        os.chmod(program, 0o755)
        bus = harness.PrivateBus()
        self.addCleanup(bus.close)
        bus.environment["LLMD_ENGINE"] = program
        daemon = harness.Daemon(bus)
        self.addCleanup(daemon.stop)
        client = bus.connect()
        for _ in range(3):
            name, message = harness.error_of(client.generate, PROMPT, model=LLAMA)
            self.assertEqual(name, "ModelLoadFailed", message)
        self.assertLessEqual(daemon.log().count(" started"), 2, "it was started again and again")
        self.assertTrue(client.status()["last_fault"])


if __name__ == "__main__":
    harness.main()
