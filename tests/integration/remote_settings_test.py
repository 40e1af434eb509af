"""llmctl remote: what a person sees who adds, lists, tries and removes a bigger machine, and who gets it wrong. No network."""
import json
import os
import stat
import subprocess
import time
import unittest

import harness
from harness import LIMIT_S, LLMCTL, Daemon, PrivateBus

URL = "https://box.lan:8443"
PIN = "sha256//YhKJKSzoTt2b5FP18fvpHo7fJYqQCjAa3HWY3tvRMwE="
MINE = '# mine\nbackend = "cpu"  # it is small\n\n# for titles\n[[models]]\nname = "embed"\npinned = true\n'


class RemoteSettings(unittest.TestCase):
    def setUp(self):
        self.bus = PrivateBus()
        self.addCleanup(self.bus.close)
        self.file = self.bus.path("config/llmd/llmd.toml")
        self.written = self.bus.path("config/llmd/llmd.toml.d/50-llmctl.toml")
        self.system = self.bus.path("xdg/llmd/llmd.toml")
        os.makedirs(os.path.dirname(self.system))
        self.bus.environment.update(HOME=self.bus.path("home"), XDG_CONFIG_DIRS=self.bus.path("xdg"),
                                    XDG_STATE_HOME=self.bus.path("state"), LLMD_REMOTE=self.bus.path("llmd-remote"))
        os.makedirs(self.bus.path("home"))
        self.bus.config(MINE)

    def run_llmctl(self, *words):
        return subprocess.run([LLMCTL, *words], env=self.bus.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT_S)

    def llmctl(self, *words):
        done = self.run_llmctl(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, *words, code=2):
        done = self.run_llmctl(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("llmctl: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def add(self, name="home", *more):
        return self.llmctl("remote", "add", name, URL, "--model", "qwen3-32b", "--app", "host", *more)

    def text(self):
        """What is said beside the person's own file, which nothing changes."""
        with open(self.file) as file:
            self.assertEqual(file.read(), MINE)
        if not os.path.exists(self.written):
            return ""
        with open(self.written) as file:
            head, _, text = file.read().partition("\n")
        self.assertTrue(head.startswith("# llmctl writes this file whole"))
        return text

    def test_it_comes_and_goes_and_the_rest_stays(self):
        self.add()
        remote = f'\n[[remote]]\nname = "home"\nurl = "{URL}"\nmodels = ["qwen3-32b"]\napps = ["host"]\n'
        self.assertEqual(self.text(), remote)
        self.assertEqual(stat.S_IMODE(os.stat(self.written).st_mode), 0o600)
        self.llmctl("config", "set", "threads", "2")
        self.assertEqual(self.llmctl("config", "get", "threads"), "2\n")
        self.assertIn("remotes, as 'llmctl remote list' shows them: home\n", self.llmctl("config"))
        self.assertEqual(self.llmctl("remote", "remove", "home"), "")
        self.assertEqual(self.text(), "threads = 2\n")
        self.llmctl("config", "unset", "threads")
        self.assertEqual(self.text(), "")
        self.assertEqual(json.loads(self.llmctl("--json", "remote", "add", "box", "unix:/run/x", "--model", "m")), {"ok": True})
        self.assertEqual(self.text(), '\n[[remote]]\nname = "box"\nurl = "unix:/run/x"\nmodels = ["m"]\n')

    def test_every_option_is_written(self):
        key = self.bus.path("home/box.key")
        with open(key, "w") as file:
            file.write("secret\n")
        os.chmod(key, 0o600)
        told = self.add("home", "--model", "big=Qwen/Qwen3-235B", "--app", "org.example.Notes", "--api", "vllm", "--key-file",
                        "~/box.key", "--pin", PIN, "--ca-file", "/etc/own.pem", "--interface", "wg0", "--metered", "allow")
        for line in ('api = "vllm"', 'models = ["qwen3-32b", "big=Qwen/Qwen3-235B"]', 'key_file = "~/box.key"', f'pin = "{PIN}"',
                     'ca_file = "/etc/own.pem"', 'interface = "wg0"', 'apps = ["host", "org.example.Notes"]', 'metered = "allow"'):
            self.assertIn(f"\n{line}\n", self.text())
        self.assertNotIn("secret", told)

    def test_adding_says_what_will_leave_for_whom_and_what_to_do_next(self):
        told = self.add("home", "--model", "big=x/y", "--app", "org.example.Notes")
        self.assertIn("prompts of requests for qwen3-32b@home and big@home; nothing else does\n", told)
        self.assertIn("box.lan, port 8443, encrypted, if its certificate is good\n", told)
        self.assertIn("every program outside of a sandbox (llmctl is one) and org.example.Notes\n", told)
        self.assertIn("never over a connection that costs\n", told)
        self.assertIn("\n  llmctl remote test home\n", told)
        self.assertIn("if its public key is the pinned one", self.add("pinned", "--pin", PIN))
        nobody = self.llmctl("remote", "add", "vpn", "http://100.64.0.9", "--model", "x", "--interface", "wg0")
        self.assertIn("who may ask   nobody; ", nobody)
        self.assertIn("unencrypted but for what wg0 does, and only through wg0\n", nobody)
        self.assertNotIn("llmctl generate", nobody)

    def test_a_key_file_that_would_be_refused_is_told(self):
        key = self.bus.path("home/box.key")
        words = ("remote", "add", "home", URL, "--model", "x", "--key-file", "~/box.key")
        done = self.run_llmctl(*words)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, f"llmctl: --key-file: {key} is not there yet; write the key into it: "
                                      f"(umask 077; cat > '{key}')\n")
        self.llmctl("remote", "remove", "home")
        with open(key, "w") as file:
            file.write("secret\n")
        os.chmod(key, 0o640)
        self.assertEqual(self.run_llmctl(*words).stderr, f"llmctl: --key-file: {key} can be read by others: chmod 600 '{key}'\n")

    def test_what_is_wrong_is_told_in_a_line_and_changes_nothing(self):
        add = ("remote", "add", "home")
        model = ("--model", "x")
        for words, reason in (
                ((*add,), "URL is missing: it is 'llmctl remote add NAME URL --model MODEL'"),
                ((*add, URL), "--model is missing"),
                ((*add, URL, "more", *model), 'unexpected argument "more"'),
                (("remote", "add", "Home", URL, *model), 'NAME: "Home" is not of 1 to 32 characters'),
                (("remote", "add", "a@b", URL, *model), 'NAME: "a@b" is not'),
                ((*add, "box.lan:8443", *model), "URL: begins with none of https://, http://, unix:/"),
                ((*add, "http://box.lan", *model), "URL: http:// to another machine sends prompts in the clear"),
                ((*add, URL + "/?x", *model), "URL: has a query"),
                ((*add, "https://box.lan:99999", *model), 'URL: the port "99999" is not in the range 1 to 65535'),
                ((*add, "https://me:sk-secret@box.lan", *model), "URL: has a user or a password in it"),
                ((*add, URL, "--model", "Qwen/Qwen3"), '--model: "Qwen/Qwen3" has a \'/\''),
                ((*add, URL, "--model", "x@home"), "--model: \"x@home\" has an '@'"),
                ((*add, URL, *model, *model), '--model: "x" is there twice'),
                ((*add, URL, *model, "--pin", "sha256//short"), '--pin: "sha256//short" is not sha256// and the 44'),
                ((*add, "unix:/s", *model, "--pin", PIN), "--pin: a public key is checked with https:// only"),
                ((*add, URL, *model, "--key-file", "sk-secret"), "--key-file: is no path from / or ~/ on"),
                ((*add, URL, *model, "--api", "vlm"), '--api: "vlm" is none of auto, vllm'),
                ((*add, URL, *model, "--app", "org.*"), '--app: "org.*": there is no wildcard'),
                ((*add, URL, *model, "--app", "hsot"), '--app: "hsot" is no application'),
                ((*add, URL, *model, "--interface", "wg 0"), "--interface: "),
                ((*add, URL, *model, "--metered", "yes"), "--metered: \"yes\" is not allow|deny"),
                ((*add, URL, "--modle", "x"), "unknown option --modle"),
                (("remote", "lst"), "takes add, list, test, log or remove, not \"lst\""),
                (("remote", "list", "home"), "it is 'llmctl remote list'"),
                (("remote", "remove", "home", "--pin", "x"), "'llmctl remote remove' takes no --pin"),
                (("config", "set", "model", "x@home"), 'model: "x@home" is of a remote')):
            with self.subTest(words):
                told = self.refused(*words)
                self.assertIn(reason, told)
                self.assertNotIn("secret", told)
                self.assertEqual(self.text(), "")
        self.add()
        before = self.text()
        self.assertIn('NAME: there is a remote "home"', self.refused(*add, URL, *model))
        self.assertIn('there is no remote "hmoe"', self.refused("remote", "remove", "hmoe", code=4))
        self.assertEqual(self.text(), before)

    def test_a_mistake_in_the_file_is_told_with_its_line(self):
        for line, reason in (("pinn = \"x\"", "pinn: there is no such key"),
                             ("metered = \"yes\"", 'metered: "yes" is none of deny, allow'),
                             ("parallel = 17", "parallel: 17 is not in the range 1 to 16")):
            self.bus.config(f'[[remote]]\nname = "home"\nurl = "{URL}"\nmodels = ["x"]\n{line}\n')
            where = f"settings {self.file}, line 5: [[remote]] home: {reason}"
            self.assertIn(where, self.refused("remote", "list", code=1))
            self.assertIn(where, self.refused("remote", "remove", "home"))
            self.assertIn(where, self.refused("config", "set", "threads", "2"))

    def test_a_file_of_the_system_is_told_apart(self):
        with open(self.system, "w") as file:
            file.write('[[remote]]\nname = "home"\nurl = "https://theirs"\nmodels = ["x"]\npin = "%s"\n' % PIN)
        self.assertIn(f"; it is in {self.system}", self.refused("remote", "remove", "home", code=4))
        self.add()
        listed = json.loads(self.llmctl("remote", "list", "--json"))["remotes"]
        self.assertEqual([remote["url"] for remote in listed], [URL])
        done = self.run_llmctl("remote", "remove", "home")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "llmctl: there is still a remote home, from another file: https://theirs\n"))

    def test_they_are_listed(self):
        self.assertIn("There is no remote: nothing leaves this device.", self.llmctl("remote", "list"))
        self.assertEqual(json.loads(self.llmctl("remote", "list", "--json")), {"remotes": []})
        self.add("home", "--model", "big=x/y")
        self.llmctl("remote", "add", "box", "unix:/run/x", "--model", "m")
        shown = self.llmctl("remote")
        self.assertEqual(shown, self.llmctl("remote", "list"))
        self.assertRegex(shown, r"(?m)^home +https://box\.lan:8443 +qwen3-32b@home, big@home +host *$")
        self.assertRegex(shown, r"(?m)^box +unix:/run/x +m@box +nobody *$")
        self.assertEqual(json.loads(self.llmctl("remote", "list", "--json"))["remotes"][1],
                         {"name": "box", "url": "unix:/run/x", "api": "auto", "models": ["m@box"], "apps": [], "metered": "deny"})

    def test_a_running_llmd_reads_them_at_once(self):
        """What it says of its settings changes with the file, which nobody but llmctl has told it."""
        self.bus.config("threads = many\n")
        daemon = Daemon(self.bus)
        self.addCleanup(daemon.stop)
        client = self.bus.connect()
        self.assertIn("line 1: ", client.status()["settings_error"])
        self.bus.config('backend = "cpu"\n')
        self.add()
        client.wait(lambda: client.status()["settings_error"] == "", "the settings to be read")
        self.assertRegex(self.llmctl("remote", "list"), r"(?m)^NAME .* STATE *$")

    def test_what_is_not_there_is_not_tried(self):
        self.assertIn('there is no remote "home"', self.refused("remote", "test", "home", code=4))

    def test_what_has_left_is_shown(self):
        self.assertEqual(self.llmctl("remote", "log"), "Nothing has left this device in the last 7 days.\n")
        self.assertEqual(json.loads(self.llmctl("remote", "log", "--json")), {"requests": []})
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        lines = [{"time": now, "application": "host", "remote": "home", "model": "big", "prompt_tokens": 812,
                  "generated_tokens": 96, "sent_bytes": 3120, "received_bytes": 1, "milliseconds": 5120, "end": "stop"},
                 {"time": now, "application": "flatpak:org.example.Notes\x1b[2J", "remote": "home", "model": "big",
                  "prompt_tokens": 0, "generated_tokens": 3, "sent_bytes": 120, "received_bytes": 12, "milliseconds": 80,
                  "end": "RemoteLost"}]
        os.makedirs(self.bus.path("state/llmd"))
        with open(self.bus.path("state/llmd/remote.log"), "w") as file:
            file.write("\n".join([json.dumps(lines[0]), '{"time": "2026-', "[]", json.dumps(lines[1])]) + "\n")
        shown = self.llmctl("remote", "log")
        self.assertRegex(shown, r"(?m) host +big@home +812 \+ 96 +3120 bytes +1 byte +5\.1 +stop$")
        self.assertRegex(shown, r"(?m) flatpak:org\.example\.Notes.* +big@home +\? \+ 3 +120 bytes +12 bytes +0\.1 +RemoteLost$")
        self.assertIn("\n2 requests in the last 7 days, 3240 bytes of prompts. Texts are not recorded.\n", shown)
        self.assertEqual(json.loads(self.llmctl("remote", "log", "--json")), {"requests": lines})


if __name__ == "__main__":
    harness.main()
