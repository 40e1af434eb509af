"""Prompts that begin alike, over the bus: the second is not computed again, its text is the same, and no other
application has any of it; nor when files keep it for an engine that comes later."""
import json
import os
import shutil
import signal
import subprocess
import sys

import harness
from harness import GPT2, LIMIT_S, LLAMA, MARKER

PAGE_TOKENS = 32


def prompt_of(words):
    return f"Once upon a time {MARKER} " + " ".join(f"and then came number {i}," for i in range(words))


class Asking(harness.TestCase):
    def generate(self, prompt, **options):
        text, info = self.client.generate(prompt, max_tokens=24, **options)
        self.texts.append(text)
        return text, info

    def as_flatpak(self, app, prompt, options):
        """Asks from a process whose root has the file that Flatpak puts there."""
        root = self.bus.flatpak_root(app)
        asked = subprocess.run([sys.executable, __file__, root, self.bus.address, prompt, json.dumps(options)],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)
        if asked.returncode == harness.NOT_PERMITTED:
            self.skipTest(harness.NO_OTHER_ROOT)
        self.assertEqual(asked.returncode, 0, asked.stderr)
        return json.loads(asked.stdout)


class Prefix(Asking):
    def test_a_repeated_prompt_is_not_computed_again(self):
        prompt = prompt_of(57)
        for options in ({"temperature": 0.0}, {"seed": 7}, {"seed": 7, "repeat_penalty": 1.1, "top_k": 5}):
            for model in (LLAMA, GPT2):
                # A model that is loaded anew has an empty cache.
                self.client.load(model)
                before = self.client.status()
                self.assertEqual(before["kv_pages_cached"], 0)
                text, info = self.generate(prompt, model=model, **options)
                self.assertEqual(info["cached_tokens"], 0)
                self.assertGreaterEqual(info["prompt_tokens"], 400)
                again, info = self.generate(prompt, model=model, **options)
                self.assertEqual(again, text)
                whole_pages = (info["prompt_tokens"] - 1) // PAGE_TOKENS * PAGE_TOKENS
                self.assertEqual(info["cached_tokens"], whole_pages)
                other, info = self.generate(prompt + " and", model=model, **options)
                self.assertGreaterEqual(info["cached_tokens"], whole_pages - PAGE_TOKENS)
                after = self.client.status()
                self.assertEqual(after["cache_hits"] - before["cache_hits"], 2)
                self.assertEqual(after["cache_hit_tokens"] - before["cache_hit_tokens"],
                                 whole_pages + info["cached_tokens"])
                self.assertGreaterEqual(after["kv_pages_cached"], whole_pages // PAGE_TOKENS)
                self.assertLess(after["kv_pages_cached"], after["kv_pages_total"])
                self.assertEqual(after["kv_pages_used"], 0)
                self.client.admin("UnloadModel", "(a{sv})", {})

    def test_an_engine_that_died_takes_the_cache_with_it_and_changes_no_text(self):
        self.client.load(LLAMA)
        prompt = prompt_of(20)
        options = {"model": LLAMA, "seed": 3}
        text, _ = self.generate(prompt, **options)
        self.assertGreater(self.generate(prompt, **options)[1]["cached_tokens"], 0)
        path, fd = self.client.stream(prompt, max_tokens=24, **options)
        parts = [harness.read_line(fd)["text"]]
        os.kill(self.daemon.engines()[0], signal.SIGKILL)
        while "text" in (line := harness.read_line(fd)):
            parts.append(line["text"])
        os.close(fd)
        self.assertEqual("".join(parts), text)
        info = self.client.wait_finished(path)[3]
        self.assertGreater(info["cached_tokens"], 0, "when its prompt was first computed")
        self.assertEqual(self.generate(prompt, **options)[0], text)

    def test_another_application_finds_nothing(self):
        self.client.load(LLAMA)
        prompt = prompt_of(30)
        options = {"model": LLAMA, "temperature": 0.0}
        text, _ = self.generate(prompt, **options)
        self.assertGreater(self.generate(prompt, **options)[1]["cached_tokens"], 0)
        for app, of_first in (("org.example.One", 0), ("org.example.Two", 0)):
            answers = [self.as_flatpak(app, prompt, options) for _ in range(2)]
            for answer in answers:
                self.assertEqual(answer["text"], text)
            self.assertEqual(answers[0]["cached_tokens"], of_first, "what others have asked shows in no time")
            self.assertGreater(answers[1]["cached_tokens"], 0, "its own is its own")
        # Not even to itself, where it cannot be told who it is.
        for _ in range(2):
            self.assertEqual(self.as_flatpak("not a name", prompt, options)["cached_tokens"], 0)


class SavedPrefix(Asking):
    """With files: what comes again outlives the engine."""
    SAVED_MIB = 64
    LEAST_SAVED_TOKENS = 256

    @classmethod
    def prepare(cls):
        with open(cls.bus.path("config/llmd/llmd.toml"), "a") as file:
            file.write(f"saved_prefix_mib = {cls.SAVED_MIB}\n")

    def setUp(self):
        super().setUp()
        self.client.admin("UnloadModel", "(a{sv})", {})
        shutil.rmtree(self.folder(), ignore_errors=True)

    def folder(self):
        return self.bus.path("cache", "llmd", "prefixes")

    def files(self):
        return sorted(os.listdir(self.folder())) if os.path.exists(self.folder()) else []

    def timed(self, prompt, **options):
        text, info = self.generate(prompt, **options)
        return text, info["cached_tokens"], info["ttft_ms"]

    def save(self, prompt, **options):
        """Asks twice, and waits for the files. Gives the text and the time to its first token without them."""
        text, cached, cold_ms = self.timed(prompt, **options)
        self.assertEqual((cached, self.files()), (0, []), "what is asked once is not saved")
        again, cached, _ = self.timed(prompt, **options)
        self.assertEqual(again, text)
        self.assertGreaterEqual(cached, self.LEAST_SAVED_TOKENS)
        is_whole = lambda: [name.endswith(".prefix") for name in self.files()] == [True] * (cached // PAGE_TOKENS)
        self.client.wait(is_whole, "the files")
        return text, cold_ms

    def reload(self, model):
        self.client.admin("UnloadModel", "(a{sv})", {})
        self.client.load(model)
        self.assertEqual(self.client.status()["kv_pages_cached"], 0)

    def test_a_long_prefix_outlives_the_engine(self):
        prompt = prompt_of(57)
        for model in (LLAMA, GPT2):
            for options in ({"temperature": 0.0}, {"seed": 7, "repeat_penalty": 1.1, "top_k": 5}):
                shutil.rmtree(self.folder(), ignore_errors=True)
                self.client.load(model)
                text, cold_ms = self.save(prompt, model=model, **options)
                self.assertEqual(os.stat(self.folder()).st_mode & 0o777, 0o700)
                for name in self.files():
                    self.assertEqual(os.stat(os.path.join(self.folder(), name)).st_mode & 0o777, 0o600)
                self.reload(model)
                again, cached, warm_ms = self.timed(prompt, model=model, **options)
                self.assertEqual(again, text)
                self.assertGreaterEqual(cached, self.LEAST_SAVED_TOKENS)
                print(f"{model}, {options}: first token after {cold_ms} ms, with {cached} from files after {warm_ms} ms")
                self.client.admin("UnloadModel", "(a{sv})", {})

    def test_nobody_elses_and_no_damaged_file(self):
        prompt = prompt_of(57)
        options = {"model": LLAMA, "temperature": 0.0}
        self.client.load(LLAMA)
        text, _ = self.save(prompt, **options)
        self.reload(LLAMA)
        answer = self.as_flatpak("org.example.Three", prompt, options)
        self.assertEqual((answer["text"], answer["cached_tokens"]), (text, 0))
        names = self.files()
        for name in names:
            with open(os.path.join(self.folder(), name), "r+b") as file:
                file.seek(-1, os.SEEK_END)
                last = file.read(1)[0]
                file.seek(-1, os.SEEK_END)
                file.write(bytes([last ^ 1]))
        again, cached, _ = self.timed(prompt, **options)
        self.assertEqual((again, cached), (text, 0))
        self.assertLess(len(self.files()), len(names), "it is removed")

    def test_an_engine_that_is_killed_while_it_saves_leaves_nothing_wrong(self):
        prompt = prompt_of(57)
        options = {"model": LLAMA, "temperature": 0.0}
        self.client.load(LLAMA)
        text, _ = self.generate(prompt, **options)
        self.generate(prompt, **options)
        os.kill(self.client.engine_of(LLAMA), signal.SIGKILL)
        self.assertEqual(self.generate(prompt, **options)[0], text)


class Off(harness.TestCase):
    def test_files_of_an_earlier_setting_are_removed(self):
        folder = self.bus.path("cache", "llmd", "prefixes")
        os.makedirs(folder)
        saved = os.path.join(folder, "0123456789abcdef-0123456789abcdef.prefix")
        other = os.path.join(folder, "README")
        for path in (saved, other):
            with open(path, "w") as file:
                file.write("x")
        self.client.load(LLAMA)
        self.assertEqual(os.listdir(folder), ["README"])


class NoFolder(harness.TestCase):
    @classmethod
    def prepare(cls):
        with open(cls.bus.path("config/llmd/llmd.toml"), "a") as file:
            file.write("saved_prefix_mib = 64\n")
        os.makedirs(cls.bus.path("cache", "llmd"))
        with open(cls.bus.path("cache", "llmd", "prefixes"), "w") as file:
            file.write("x")

    def test_costs_no_text_and_is_told(self):
        self.client.load(LLAMA)
        self.client.generate(prompt_of(10), model=LLAMA, max_tokens=4)
        self.assertIn("prefixes are not saved: ", " ".join(self.client.status()["notes"]))


def ask(root, address, prompt, options):
    """The part of as_flatpak() that runs in a process of its own."""
    clients = harness.enter_root(root, address)
    if not clients:
        return harness.NOT_PERMITTED
    client, = clients
    text, info = client.generate(prompt, max_tokens=24, **json.loads(options))
    print(json.dumps({"text": text, "cached_tokens": info["cached_tokens"]}))
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 5:
        sys.exit(ask(*sys.argv[1:]))
    harness.main()
