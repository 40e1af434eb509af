"""llmctl import: a good model is there, whole, by its name; a bad one or a full disk leaves nothing. A checkpoint of llama2.c
and a directory of Hugging Face's are GGUF files afterwards."""
import json
import os
import shutil
import struct
import subprocess
import unittest

import harness
from harness import ENGINE, LIMIT_S, LLAMA, LLMCTL, MODELS, SOURCE

MODEL = os.path.join(MODELS, LLAMA + ".gguf")


def write_checkpoint(path, dim=64, hidden=96, layers=2, heads=4, vocab=320, context=64):
    """Version 0, with weights that follow no pattern, and its vocabulary beside it as tokenizer.bin."""
    n_weights = vocab * dim + layers * (2 * dim + 4 * dim * dim + 3 * hidden * dim) + dim
    weights = [((i * 2654435761) % 4093) / 4093 - 0.5 for i in range(n_weights)]
    with open(path, "wb") as file:
        file.write(struct.pack("<7i", dim, hidden, layers, heads, heads, vocab, context))
        file.write(struct.pack(f"<{n_weights}f", *weights) + bytes(context * dim // heads * 4))
    with open(os.path.join(os.path.dirname(path), "tokenizer.bin"), "wb") as file:
        file.write(struct.pack("<i", 6))
        pieces = [b"<unk>", b"\n<s>\n", b"\n</s>\n", *(b"<0x%02X>" % byte for byte in range(256)),
                  *(b" %c" % c for c in range(ord("A"), ord("A") + vocab - 259))]
        for i, piece in enumerate(pieces):
            file.write(struct.pack("<fi", -i, len(piece)) + piece)


class Import(unittest.TestCase):
    def setUp(self):
        self.bus = harness.PrivateBus()
        self.addCleanup(self.bus.close)
        self.folder = self.bus.path("data/llmd/models")
        self.file = self.bus.path("a model.gguf")
        shutil.copyfile(MODEL, self.file)

    def run_import(self, *arguments, prefix=(), code=0):
        done = subprocess.run([*prefix, LLMCTL, "import", *arguments], env=self.bus.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def there(self):
        return sorted(os.listdir(self.folder)) if os.path.isdir(self.folder) else []

    def test_a_model_is_found_by_its_name(self):
        os.rmdir(self.folder)
        report = json.loads(self.run_import(self.file, "--json").stdout)
        self.assertEqual((report["name"], report["architecture"], report["size_bytes"]),
                         ("a model", "llama", os.path.getsize(MODEL)))
        self.assertIn(report["how"], ("clone", "hard link", "copy"))
        line = self.run_import(self.file, "--name", "better.gguf").stdout
        self.assertIn("better (llama ", line)
        self.assertEqual(f"what changes {self.file} changes the model" in line, report["how"] == "hard link")
        self.assertEqual(self.there(), ["a model.gguf", "better.gguf"])
        self.assert_same("better.gguf")
        daemon = harness.Daemon(self.bus)
        self.addCleanup(daemon.stop)
        models = subprocess.run([LLMCTL, "models", "--json"], env=self.bus.environment, capture_output=True).stdout
        self.assertLessEqual({"a model", "better"}, {model["name"] for model in json.loads(models)["models"]})

    def test_another_of_that_name_is_told(self):
        self.assertIn(f"{MODELS} has a model of that name too, which llmd takes in its place\n",
                      self.run_import(self.file, "--name", LLAMA).stdout)
        self.bus.environment["LLMD_MODEL_PATH"] = ":".join([self.folder + "/", MODELS])
        os.unlink(os.path.join(self.folder, LLAMA + ".gguf"))
        self.assertIn(f"it takes the place of the model of that name in {MODELS}\n",
                      self.run_import(self.file, "--name", LLAMA).stdout)

    def assert_same(self, name):
        with open(os.path.join(self.folder, name), "rb") as ours, open(MODEL, "rb") as theirs:
            self.assertTrue(ours.read() == theirs.read())

    def test_a_split_model_is_one(self):
        """It answers as the whole, is listed and shown by one name, and goes as one."""
        write = os.path.join(harness.BUILD, "tests/support/write_tiny_model")
        source = self.bus.path("split")
        subprocess.run([write, source, "llama", "3"], check=True, timeout=LIMIT_S)
        subprocess.run([write, self.bus.path("whole.gguf"), "llama"], check=True, timeout=LIMIT_S)
        parts = [f"{source}-0000{i}-of-00003.gguf" for i in (1, 2, 3)]
        size = sum(map(os.path.getsize, parts))
        self.run_import(self.bus.path("whole.gguf"))
        report = json.loads(self.run_import(parts[0], "--json").stdout)
        self.assertEqual((report["name"], report["size_bytes"]), ("split", size))
        self.run_import(parts[0], "--name", "other")
        self.assertEqual(self.there(), [f"{name}-0000{i}-of-00003.gguf" for name in ("other", "split") for i in (1, 2, 3)] +
                         ["whole.gguf"])
        self.assertIn("is there already", self.run_import(parts[0], code=2).stderr)
        shown = subprocess.run([LLMCTL, "show", "split"], env=self.bus.environment, capture_output=True, text=True)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.bus.config('backend = "cpu"\n')
        daemon = harness.Daemon(self.bus)
        self.addCleanup(daemon.stop)
        connection = self.bus.connect()
        texts = {name: connection.generate("the", model=name, max_tokens=16, temperature=0.0)[0] for name in ("split", "whole")}
        self.assertEqual(texts["split"], texts["whole"])
        os.unlink(os.path.join(self.folder, "other-00002-of-00003.gguf"))
        listed = json.loads(subprocess.run([LLMCTL, "models", "--json"], env=self.bus.environment, capture_output=True).stdout)
        models = {model["name"]: model for model in listed["models"]}
        self.assertEqual(models["split"]["size_bytes"], size)
        self.assertEqual(models["other"]["error"], "part 2 of 3 of the model is missing: other-00002-of-00003.gguf: "
                                                   "No such file or directory")
        subprocess.run([LLMCTL, "rm", "split", "other"], env=self.bus.environment, check=True, capture_output=True)
        self.assertEqual(self.there(), ["whole.gguf"])

    def test_a_part_of_a_split_model_is_none(self):
        source = self.bus.path("split")
        subprocess.run([os.path.join(harness.BUILD, "tests/support/write_tiny_model"), source, "llama", "2"], check=True)
        first, second = (f"{source}-0000{i}-of-00002.gguf" for i in (1, 2))
        self.assertIn(f"{second} is part 2 of 2 of a split model; name the first, split-00001-of-00002.gguf",
                      self.run_import(second, code=2).stderr)
        self.assertIn("this is part 2 of 2 of a split model, which is loaded by its first",
                      self.run_import(second, "--name", "x", code=1).stderr)
        os.unlink(second)
        self.assertIn(f"part 2 of 2 of the model is missing: {second}: No such file", self.run_import(first, code=2).stderr)
        self.assertEqual(self.there(), [])

    def test_from_another_filesystem_it_is_copied(self):
        other = self.in_small_filesystem("64m", self.bus.path("other"))
        script = 'cp "$1" other/m.gguf && shift && "$@" other/m.gguf'
        report = json.loads(self.run_import("--json", prefix=[*other, "sh", "-c", script, "sh", self.file]).stdout)
        self.assertEqual(report["how"], "copy")
        self.assert_same("m.gguf")

    def in_small_filesystem(self, size, place):
        """Words before a command that has one at `place`, and is in the folder above."""
        os.makedirs(place, exist_ok=True)
        return harness.with_tmpfs(place, f"size={size}", f'cd "{self.bus.folder}" && exec "$@"')

    def test_a_full_disk_leaves_nothing(self):
        small = self.in_small_filesystem("1m", self.folder)
        script = '"$@"; code=$?; ls -A data/llmd/models; exit $code'
        done = self.run_import(self.file, prefix=[*small, "sh", "-c", script, "sh"], code=1)
        self.assertRegex(done.stderr, r"has room for 1\.0 MB, the model takes \d+\.\d MB")
        self.assertEqual(done.stdout, "")

    def test_what_llmd_cannot_use_is_refused_with_the_reason(self):
        with open(self.file, "r+b") as file:
            file.truncate(os.path.getsize(MODEL) // 2)
        done = self.run_import(self.file, code=1)
        self.assertIn(self.file + ": ", done.stderr)
        self.assertNotIn("/proc/", done.stderr)
        text = self.bus.path("text.gguf")
        shutil.copyfile(os.path.join(SOURCE, "README.md"), text)
        self.assertIn("not a GGUF file", self.run_import(text, code=1).stderr)
        vocabulary = self.bus.path("vocabulary.gguf")
        shutil.copyfile(MODEL, vocabulary)
        with open(vocabulary, "r+b") as file:
            file.seek(8)
            file.write(bytes(8))  # the number of tensors
        self.assertIn(f"{vocabulary}: tensor token_embd.weight is missing\n", self.run_import(vocabulary, code=1).stderr)
        shown = subprocess.run([LLMCTL, "show", vocabulary], env=self.bus.environment, capture_output=True, text=True)
        self.assertEqual((shown.returncode, shown.stdout), (1, ""))
        self.assertIn("tensor token_embd.weight is missing", shown.stderr)
        self.assertEqual(self.there(), [])

    def test_a_checkpoint_of_llama2c_becomes_a_model(self):
        checkpoint = self.bus.path("tiny.bin")
        write_checkpoint(checkpoint)
        report = json.loads(self.run_import(checkpoint, "--json").stdout)
        self.assertEqual((report["name"], report["architecture"], report["quantization"], report["how"]),
                         ("tiny", "llama", "F32", "conversion"))
        self.run_import(checkpoint, "--name", "tiny-q8", "--quantize", "q8_0",
                        "--tokenizer", self.bus.path("tokenizer.bin"))
        self.assertEqual(self.there(), ["tiny-q8.gguf", "tiny.gguf"])
        self.bus.config('backend = "cpu"\n')
        daemon = harness.Daemon(self.bus)
        self.addCleanup(daemon.stop)
        for model in "tiny", "tiny-q8":
            _, info = self.bus.connect().generate("A B", model=model, max_tokens=8, temperature=0.0)
            self.assertEqual(info["model"], model)

    def test_a_directory_of_hugging_face_becomes_a_model(self):
        directory = os.path.join(SOURCE, "tests/data/hf/qwen2")
        report = json.loads(self.run_import(directory + "/", "--json").stdout)
        self.assertEqual((report["name"], report["architecture"], report["quantization"], report["how"]),
                         ("qwen2", "qwen2", "BF16", "conversion"))
        self.run_import(directory, "--name", "qwen2-q8", "--quantize", "Q8_0")
        self.assertEqual(self.there(), ["qwen2-q8.gguf", "qwen2.gguf"])
        self.bus.config('backend = "cpu"\n')
        daemon = harness.Daemon(self.bus)
        self.addCleanup(daemon.stop)
        _, info = self.bus.connect().generate("The cat", model="qwen2-q8", max_tokens=8, temperature=0.0)
        self.assertEqual(info["model"], "qwen2-q8")

    def test_directories_that_are_none_leave_nothing(self):
        directory = self.bus.path("toy")
        shutil.copytree(os.path.join(SOURCE, "tests/data/hf/gpt2"), directory)
        self.assertIn(f"{directory} is a directory: its tokenizer is in it",
                      self.run_import(directory, "--tokenizer", "x", code=2).stderr)
        self.assertIn('--quantize: "q9" is none of f32, f16, bf16, q8_0, q4_k_m, q4_0',
                      self.run_import(directory, "--quantize", "q9", code=2).stderr)
        tokenizer = os.path.join(directory, "tokenizer.json")
        with open(tokenizer) as file:
            whole = json.load(file)
        whole["model"]["merges"] = []  # which the converter takes, and no loader
        with open(tokenizer, "w") as file:
            json.dump(whole, file)
        self.assertIn("tokenizer.ggml.merges: absent or empty", self.run_import(directory, code=1).stderr)
        os.truncate(os.path.join(directory, "model.safetensors"), 1000)
        self.assertIn(f"{directory}/model.safetensors: a header of ", self.run_import(directory, code=1).stderr)
        os.unlink(os.path.join(directory, "model.safetensors"))
        with open(os.path.join(directory, "pytorch_model.bin"), "wb") as file:
            file.write(b"PK\x03\x04")
        self.assertIn("pytorch_model.bin is a pickle, which may hold a program, and is not read",
                      self.run_import(directory, code=1).stderr)
        self.assertIn("config.json: No such file", self.run_import(self.folder, "--name", "a", code=1).stderr)
        self.assertEqual(self.there(), [])

    def test_checkpoints_that_are_none_leave_nothing(self):
        checkpoint = self.bus.path("tiny.bin")
        write_checkpoint(checkpoint)
        os.truncate(checkpoint, os.path.getsize(checkpoint) - 1)
        self.assertIn(f"{checkpoint}: a header of dim 64, ", self.run_import(checkpoint, code=1).stderr)
        write_checkpoint(checkpoint)
        os.unlink(self.bus.path("tokenizer.bin"))
        self.assertIn("tokenizer.bin: No such file", self.run_import(checkpoint, code=1).stderr)
        for begin in b"PK\x03\x04", b"\x80\x02":
            with open(checkpoint, "wb") as file:
                file.write(begin + bytes(1000))
            self.assertIn("is a pickle of PyTorch", self.run_import(checkpoint, code=1).stderr)
        with open(checkpoint, "wb") as file:
            file.write(b"words and words and words and words and words")
        self.assertIn("neither GGUF nor a llama2.c checkpoint: dim: ", self.run_import(checkpoint, code=1).stderr)
        self.assertIn('--quantize: "q9" is none of', self.run_import(checkpoint, "--quantize", "q9", code=2).stderr)
        self.assertIn("is a GGUF file: --tokenizer and --quantize",
                      self.run_import(self.file, "--quantize", "q8_0", code=2).stderr)
        self.assertEqual(self.there(), [])

    def test_a_conversion_that_fills_the_disk_leaves_nothing(self):
        checkpoint = self.bus.path("tiny.bin")
        write_checkpoint(checkpoint)
        small = self.in_small_filesystem("128k", self.folder)
        script = '"$@"; code=$?; ls -A data/llmd/models; exit $code'
        done = self.run_import(checkpoint, prefix=[*small, "sh", "-c", script, "sh"], code=1)
        self.assertRegex(done.stderr, r"room for a model of \d+ bytes: No space left")
        self.assertEqual(done.stdout, "")

    def test_names_and_files_that_cannot_be(self):
        for arguments, words in (((self.bus.path("none.gguf"),), "No such file"),
                                 (("/dev/null",), "neither a regular file nor a directory"),
                                 ((self.file, "--name", "a/b"), '--name: "a/b"'),
                                 ((self.file, "--name", ".hidden"), '--name: ".hidden"')):
            self.assertIn(words, self.run_import(*arguments, code=2).stderr)
        self.run_import(self.file)
        with open(self.file, "ab") as file:
            file.write(b"changed")
        self.assertIn("is there already; --name", self.run_import(self.file, code=2).stderr)
        self.assertEqual(self.there(), ["a model.gguf"])

    def test_an_engine_that_hangs_or_is_missing_is_told(self):
        self.bus.environment["LLMD_ENGINE"] = "/bin/false"
        self.assertIn("ended with status 1", self.run_import(self.file, code=1).stderr)
        self.bus.environment["LLMD_ENGINE"] = "/bin/true"
        self.assertIn("another version", self.run_import(self.file, code=1).stderr)
        self.bus.environment["LLMD_ENGINE"] = ENGINE
        self.run_import(self.file)


if __name__ == "__main__":
    harness.main()
