"""The files with settings: which go first, what a fault in them does, that a reload mends it, and how llmctl changes them."""
import json
import os
import shutil
import signal
import subprocess
import unittest

import harness
from harness import GPT2, LIMIT_S, LLAMA, LLMCTL, LLMD, MARKER, MODELS, Daemon, PrivateBus, error_of

PROMPT = f"Once upon a time {MARKER}"
FAULT = "threads = many\n"


class Settings(unittest.TestCase):
    def setUp(self):
        self.bus = PrivateBus()
        self.addCleanup(self.bus.close)
        self.system = self.bus.environment["XDG_CONFIG_DIRS"]

    def start(self, user):
        self.bus.config(user)
        self.daemon = Daemon(self.bus)
        self.addCleanup(self.daemon.stop)
        self.client = self.bus.connect()

    def reload(self, user):
        """Until llmd has read them: what it says of settings changes with each call here."""
        before = self.client.status()["settings_error"]
        self.bus.config(user)
        self.daemon.process.send_signal(signal.SIGHUP)
        self.client.wait(lambda: self.client.status()["settings_error"] != before, "the settings to be read")

    def generate(self):
        return self.client.generate(PROMPT, max_tokens=2, temperature=0.0)[1]["model"]

    def of_system(self, text):
        with open(os.path.join(self.system, "llmd", "llmd.toml"), "w") as file:
            file.write(text)

    def check(self):
        done = subprocess.run([LLMD, "--check-config"], env=self.bus.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_a_fault_at_the_start_is_told_and_a_reload_mends_it(self):
        """A service manager would start for ever what ends because of a typo."""
        self.start("\n" + FAULT)
        where = self.bus.path("config/llmd/llmd.toml") + ", line 2: "
        for call in (lambda: self.client.generate(PROMPT), lambda: self.client.load(LLAMA)):
            name, message = error_of(call)
            self.assertEqual(name, "NotReady")
            self.assertIn(where, message)
        status = self.client.status()
        self.assertEqual(status["state"], "error")
        self.assertIn(where, status["settings_error"])
        self.assertEqual(self.daemon.engines(), [])
        self.reload('backend = "cpu"\n')
        self.assertEqual(self.generate(), LLAMA)

    def test_a_fault_later_changes_nothing(self):
        self.start(f'backend = "cpu"\nmodel = "{GPT2}"\n')
        self.reload(FAULT)
        self.assertEqual(self.generate(), GPT2)
        self.assertIn("line 1: ", self.client.status()["settings_error"])

    def test_a_reload_takes_new_settings(self):
        self.start(f'backend = "cpu"\nmodel = "{GPT2}"\n')
        self.assertEqual(self.generate(), GPT2)
        self.reload(FAULT)  # so that the next reload can be seen
        self.reload(f'backend = "cpu"\nmodel = "{LLAMA}"\ncontext_length = 64\nidle_unload_seconds = 1\n')
        # Again, which changes nothing.
        self.reload(FAULT)
        self.reload(f'backend = "cpu"\nmodel = "{LLAMA}"\ncontext_length = 64\nidle_unload_seconds = 1\n')
        self.assertNotEqual(self.client.status()["context_length"], 64, "the loaded model stays as it is")
        self.client.wait(lambda: self.client.status()["state"] == "idle", "the idle model to go")
        self.assertEqual(self.generate(), LLAMA)
        self.assertEqual(self.client.status()["context_length"], 64)

    def test_the_users_own_go_before_those_of_the_system(self):
        self.of_system(f'backend = "cpu"\nmodel = "{GPT2}"\ncontext_length = 96\n')
        self.start("context_length = 64\n")
        self.assertEqual(self.generate(), GPT2)
        status = self.client.status()
        self.assertEqual((status["context_length"], status["backend"]), (64, "cpu"))

    def test_what_is_unknown_is_a_warning(self):
        self.start('backend = "cpu"\nmodle = "x"\n')
        self.assertEqual(self.generate(), LLAMA)
        self.assertIn("line 2: modle: there is no such key", self.daemon.log())

    def test_they_can_be_checked(self):
        user, system = self.bus.path("config/llmd/llmd.toml"), os.path.join(self.system, "llmd", "llmd.toml")
        self.of_system("threads = 1\n")
        self.assertEqual(self.check(), (0, f"{system}\n{user}\n", ""))
        self.bus.config(FAULT)
        code, _, error = self.check()
        self.assertEqual(code, 1)
        self.assertIn(user + ", line 1: ", error)
        self.bus.config("modle = 1\n")
        self.assertEqual(self.check()[0], 1)
        os.unlink(user)
        os.unlink(system)
        self.assertEqual(self.check(), (0, "no settings: all as it comes\n", ""))

    def own(self):
        with open(self.bus.path("config/llmd/llmd.toml")) as file:
            return file.read()

    def llmctl(self, *words, code=0, **more):
        done = subprocess.run([LLMCTL, *words], env={**self.bus.environment, **more}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_a_default_is_chosen_and_used_at_once(self):
        self.start('# mine\nbackend = "cpu"\n')
        self.assertEqual(self.generate(), LLAMA)
        self.assertRegex(self.llmctl("models"), rf"(?m)^\*  {LLAMA} .* default$")
        self.llmctl("default", GPT2)
        self.assertEqual(self.llmctl("default"), GPT2 + "\n")
        self.assertEqual(self.generate(), GPT2)
        self.assertRegex(self.llmctl("models"), rf"(?m)^\*  {GPT2} .* default$")
        self.assertEqual(self.own(), '# mine\nbackend = "cpu"\n', "no program edits it")
        for words in ("default", "none-such"), ("config", "set", "model", "none-such"):
            self.assertIn('there is no model "none-such"', self.llmctl(*words, code=4))
        self.llmctl("config", "set", "model", LLAMA)
        self.assertEqual(self.llmctl("config", "get", "model"), LLAMA + "\n")
        self.llmctl("config", "set", "model", "")
        self.assertEqual(self.llmctl("config", "get", "model"), "\n")

    def test_settings_are_shown_and_changed(self):
        """Also where llmd does not run."""
        self.bus.config('backend = "cpu"\nmodle = 1\n')
        shown = self.llmctl("config")
        self.assertRegex(shown, r"(?m)^backend +cpu$")
        self.assertIn("modle: there is no such key", shown)
        self.llmctl("config", "set", "threads", "3")
        self.assertEqual(self.llmctl("config", "get", "threads"), "3\n")
        self.assertEqual(json.loads(self.llmctl("config", "--json"))["threads"], "3")
        for words, reason in ((("set", "threads", "many"), 'threads: expected a number, not "many"'),
                              (("set", "backend", "gpu"), 'backend: "gpu" is none of'),
                              (("get", "thread"), 'there is no setting "thread"; did you mean "threads"?'),
                              (("set", "thread", "2"), 'did you mean "threads"?'),
                              (("get", "loud"), 'there is no setting "loud"; there are model, '),
                              (("set", "threads"), "VALUE is missing: it is 'llmctl config set KEY VALUE'"),
                              (("set",), "KEY and VALUE are missing: it is"),
                              (("get",), "KEY is missing: it is 'llmctl config get KEY'"),
                              (("unset", "thread"), 'did you mean "threads"?'),
                              (("list",), "takes get, set, unset, explain or edit, not \"list\"")):
            with self.subTest(words):
                self.assertIn(reason, self.llmctl("config", *words, code=2))
        self.llmctl("config", "unset", "threads")
        self.assertEqual(self.llmctl("config", "get", "threads"), "0\n")
        self.assertIn("there is no threads in ", self.llmctl("config", "unset", "threads", code=1))
        self.llmctl("config", "edit", EDITOR="sed -i 1ithreads=4", VISUAL="")
        self.assertEqual(self.llmctl("config", "get", "threads"), "4\n")
        self.assertIn("expected an integer", self.llmctl("config", "edit", EDITOR="sed -i s/4/true/", VISUAL="", code=1))

    def test_where_two_files_say_a_key_that_of_llmctl_holds_and_both_are_named(self):
        own, written = self.bus.path("config/llmd/llmd.toml"), self.bus.path("config/llmd/llmd.toml.d/50-llmctl.toml")
        self.start('backend = "cpu"\nthreads = 2\n')
        set_ = subprocess.run([LLMCTL, "config", "set", "threads", "3"], env=self.bus.environment, capture_output=True, text=True)
        self.assertEqual((set_.returncode, set_.stdout), (0, ""))
        self.assertEqual(set_.stderr, f"llmctl: threads in {own} is overridden; 'llmctl config unset threads' takes that back\n")
        self.assertEqual(self.own(), 'backend = "cpu"\nthreads = 2\n')
        self.assertEqual(self.llmctl("config", "get", "threads"), "3\n")
        self.assertIn(f"    In {own}, overridden\n    In {written}\n", self.llmctl("config", "explain", "threads"))
        self.assertEqual(json.loads(self.llmctl("config", "explain", "threads", "--json"))["settings"][0]["files"], [own, written])
        self.client.wait(lambda: f"threads in {own}: {written} goes before it" in self.daemon.log(), "a reload to tell of it")
        self.llmctl("config", "unset", "threads")
        self.assertEqual(self.llmctl("config", "get", "threads"), "2\n")
        self.assertFalse(os.path.exists(written))
        self.assertIn(f"; it is in {own}", self.llmctl("config", "unset", "threads", code=1))
        later = self.bus.path("config/llmd/llmd.toml.d/60-later.toml")
        with open(later, "w") as file:
            file.write("threads = 1\n")
        set_ = subprocess.run([LLMCTL, "config", "set", "threads", "3"], env=self.bus.environment, capture_output=True, text=True)
        self.assertEqual(set_.stderr, f"llmctl: threads in {later} goes before what has been written\n")

    def test_a_model_is_removed(self):
        model = self.bus.path("data/llmd/models/mine.gguf")
        shutil.copyfile(os.path.join(MODELS, GPT2 + ".gguf"), model)
        self.assertEqual(self.llmctl("rm", "mine"), "mine deleted\n")
        self.assertFalse(os.path.exists(model))
        self.assertIn('there is no model "mine"', self.llmctl("rm", "mine", code=4))
        self.assertIn('there is no model "../mine"', self.llmctl("rm", "../mine", code=4))
        self.assertIn("is not in", self.llmctl("rm", GPT2, code=4))
        self.assertTrue(os.path.exists(os.path.join(MODELS, GPT2 + ".gguf")))

    def test_a_default_that_is_removed_is_told(self):
        folder = self.bus.path("data/llmd/models/")

        def put(*names):
            for name in names:
                shutil.copyfile(os.path.join(MODELS, GPT2 + ".gguf"), f"{folder}{name}.gguf")

        chooses = "; it was the default: 'llmctl default NAME' chooses another"
        put("mine", "other", "third")
        self.llmctl("default", "mine")
        self.assertEqual(self.llmctl("rm", "other", "mine"), f"other deleted\nmine deleted{chooses}\n")
        self.llmctl("default", f"{folder}third.gguf")
        self.assertEqual(self.llmctl("rm", "third", "--json"), '{"ok":true}\n')
        put("third")
        self.assertEqual(self.llmctl("rm", "third"), f"third deleted{chooses}\n")
        # Another of that name takes its place.
        put(GPT2)
        self.llmctl("default", GPT2)
        self.assertEqual(self.llmctl("rm", GPT2), f"{GPT2} deleted\n")


if __name__ == "__main__":
    harness.main()
