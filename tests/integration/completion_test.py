"""What llmctl's completions offer: every command and option of the help, and in bash, zsh and fish at a terminal what a person
gets for the Tab key. tmux is the terminal."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import harness
from harness import LIMIT_S, LLMCTL, SOURCE

SETTINGS = """[[remote]]
name = "home"
url = "https://box.lan:8443"
models = ["qwen3-32b"]
"""
POLL_S = 0.05


class Completion(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="llmd-completion-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {
            "PATH": os.path.dirname(LLMCTL) + ":" + os.environ["PATH"], "HOME": self.folder, "TERM": "xterm",
            "LANG": "C.UTF-8", "XDG_CONFIG_HOME": self.path("config"), "XDG_DATA_HOME": self.path("data"),
            "XDG_CONFIG_DIRS": self.path("none"), "LLMD_MODEL_PATH": self.path("models")}
        self.write("config/llmd/llmd.toml", SETTINGS)
        for model in ("smollm2", "tales one"):
            self.write(f"models/{model}.gguf", "")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def offered(self, *words):
        done = subprocess.run([LLMCTL, "__complete", *words], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=True, timeout=LIMIT_S)
        self.assertEqual(done.stderr, "")
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def test_every_command_and_option_of_the_help_is_offered(self):
        table = json.loads(subprocess.run([LLMCTL, "help", "--json"], check=True, stdout=subprocess.PIPE).stdout)
        self.assertEqual(self.offered(""), [command["name"] for command in table["commands"]])
        for command in table["commands"]:
            self.assertEqual(self.offered(command["name"], "--"), ["--" + option["name"] for option in command["options"]])

    def test_names_of_models_remotes_and_settings_are_offered(self):
        models = ["smollm2", "tales one", "qwen3-32b@home"]
        for words in (("generate", "--model"), ("chat", "-s", "x", "-m"), ("load",), ("rm", "tales one"), ("default",)):
            self.assertEqual(self.offered(*words, ""), models, words)
        self.assertEqual(self.offered("generate", "--fallback=q"), ["--fallback=qwen3-32b@home"])
        self.assertEqual(self.offered("remote", "test", ""), ["home"])
        self.assertEqual(self.offered("remote", "add", ""), [])
        self.assertIn("context_length", self.offered("config", "set", "c"))
        self.assertEqual(self.offered("config", ""), ["edit", "explain", "get", "set", "unset"])
        self.assertEqual(self.offered("import", ""), [":"])

    def test_settings_that_cannot_be_read_are_no_error(self):
        self.write("config/llmd/llmd.toml", "model = 1\n")
        self.assertEqual(self.offered("load", "s"), ["smollm2"])

    # --- Shells ------------------------------------------------------------------------------------------------------

    def tmux(self, *words):
        return subprocess.run(["tmux", "-f", "/dev/null", "-S", self.path("tmux"), *words], env=self.environment, check=True,
                              stdout=subprocess.PIPE, text=True, timeout=LIMIT_S).stdout

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "shell")

    def expect(self, pattern):
        end = time.monotonic() + LIMIT_S
        while not re.search(pattern, seen := self.screen(), re.MULTILINE):
            self.assertLess(time.monotonic(), end, f"{pattern!r} did not come:\n{seen}")
            time.sleep(POLL_S)

    def shell(self, *command):
        harness.require("shells")
        self.tmux("new-session", "-d", "-s", "shell", "-x", "100", "-y", "40", *command)
        self.addCleanup(self.tmux, "kill-server")
        self.expect(r"^READY>")

    def tab(self, text, pattern, tabs=1):
        """Types `text` and the Tab key, and waits for what the screen shows then."""
        self.tmux("send-keys", "-t", "shell", "-l", text)
        self.expect(re.escape(text))
        self.tmux("send-keys", "-t", "shell", *["Tab"] * tabs)
        self.expect(pattern)

    def completes_to(self, text, pattern):
        self.tab(text, "^READY> " + pattern)
        self.tmux("send-keys", "-t", "shell", "C-u", "C-l")
        self.expect(r"\A\s*READY>\s*\Z")

    def completes(self):
        self.completes_to("llmctl gen", r"llmctl generate")
        self.completes_to("llmctl generate --temp", r"llmctl generate --temperature")
        self.completes_to("llmctl load smo", r"llmctl load smollm2")
        self.completes_to("llmctl load qwen3-32b@ho", r"llmctl load qwen3-32b@home")
        self.completes_to("llmctl load tal", r"llmctl load ('tales one'|tales\\ one)")
        self.completes_to("llmctl remote test h", r"llmctl remote test home")
        self.completes_to("llmctl --json mod", r"llmctl --json models")
        self.write("a-model.gguf", "")
        self.completes_to(f"llmctl import {self.folder}/a-m", rf"llmctl import {self.folder}/a-model.gguf")

    def test_bash(self):
        os.makedirs(self.path("data/bash-completion/completions"))
        os.symlink(f"{SOURCE}/client/completions/llmctl.bash", self.path("data/bash-completion/completions/llmctl"))
        self.write(".bashrc", "PS1='READY> '\n. /usr/share/bash-completion/bash_completion\n")
        self.shell("bash", "--rcfile", self.path(".bashrc"))
        self.completes()
        self.completes_to("llmctl generate --model=smo", r"llmctl generate --model=smollm2")
        self.tab("llmctl generate --top-", r"(?s)--top-k.*--top-p", tabs=2)

    def test_zsh(self):
        self.write(".zshrc", f"PS1='READY> '\nfpath=({SOURCE}/client/completions $fpath)\nautoload -Uz compinit && compinit -u\n")
        self.shell("zsh", "-d")
        self.completes()
        self.completes_to("llmctl generate --model=smo", r"llmctl generate --model=smollm2")
        self.tab("llmctl generate --top-", r"(?s)--top-k +-- choose among")

    def test_fish(self):
        self.write("config/fish/config.fish", "function fish_prompt; echo 'READY> '; end\nset -g fish_greeting\n")
        os.makedirs(self.path("config/fish/completions"))
        os.symlink(f"{SOURCE}/client/completions/llmctl.fish", self.path("config/fish/completions/llmctl.fish"))
        self.shell("fish")
        self.completes()
        self.completes_to("llmctl generate --model=smo", r"llmctl generate --model=smollm2")
        self.tab("llmctl generate --top-", r"(?s)--top-k +\(choose among")


if __name__ == "__main__":
    harness.main()
