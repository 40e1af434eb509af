"""Every block of README.md and docs/*.md is what it seems: commands run as they stand, in the order of the document, against the
real llmd, and what a console shows is what comes; settings, JSON and Python are read. STAND_INS lists what cannot run here, why, and
what runs in its place: a new command that cannot run here needs a line there, and no block is left out. With LLMD_BACKEND=opencl
the phone's checklist runs, on Mesa's llvmpipe, which stands for a phone's GPU."""
import ast
import datetime
import json
import os
import re
import subprocess
import unittest

import documents
import harness
from fake_upstream import FakeUpstream
from harness import BACKEND, BUNDLED, LIMIT_S, LLMCTL, LLMD, PHONE, SOURCE
from import_test import write_checkpoint

# Blocks that are no commands, by how they begin: what they are.
NO_COMMANDS = {
    "llmctl, applications ──D-Bus": "drawing",
    "base ← protocol": "drawing",
    "llmctl generate · an application": "drawing",
    '{.name = "qwen3"': "C++",
    'model = "phone': "settings",
    "[[models]]": "settings",
    "[[remote]]": "settings",
    '[{"type": "function"': "tools",
    "memory = os.memfd_create": "Python",
    "import httpx2, openai": "Python",
    "import anthropic, httpx2": "Python",
    "Extract the event.": "message",
}

# (what is replaced, what runs in its place, why). A pattern is a regular expression; {names} are those of prepare().
STAND_INS = [
    (r"^tools/(try|test|packages gtk)\b", r"sh -n {source}/tools/\1",
     "installs packages and takes minutes; the jobs `container` and `gtk` run it in a bare system"),
    (r"^sudo apt-get build-dep .*|^DEB_BUILD_OPTIONS.*|^sudo apt install .*", "true",
     "makes and installs packages as root; the job `packages` does it"),
    (r"^meson setup build-release .*", "true", "compiles everything and needs root; the jobs `packages` and `apk` do it"),
    (r"^llmctl chat(?= *#| --tools)", r"\g<0> <{turn}", "a person types"),
    (r"^llmctl pull hf:OWNER/REPO", "llmctl pull https://127.0.0.1:9/tales.gguf || test $? = 1",
     "needs the Hugging Face Hub; the test `pull` fetches from a hub on this machine"),
    (r"^llmctl import FILE\b", "llmctl import {model} --name $(mktemp -u XXXXXX)", "FILE is the reader's"),
    (r"^llmctl import DIRECTORY\b", "llmctl import {checkpoint} --name stories",
     "DIRECTORY is the reader's; the test `import` converts directories"),
    (r"^ssh -N", "ssh -G", "needs another machine; so ssh only says what it has understood"),
    (r"you@box\.lan &$", "you@box.lan", "likewise"),
    (r"^llmctl remote add home ", r"llmctl remote remove home >/dev/null 2>&1 || true; \g<0>", "the ways that are told are alternatives"),
    (r"^(?=llmctl remote remove .* add home https://box.lan:8080)", "cp box.pem {home}/.config/llmd; ",
     "the document says to copy it"),
    (r"^llmctl (remote test home|generate --model qwen3-32b@home)", r"sh {machine}; \g<0>",
     "needs a bigger machine; a fake of this machine stands in"),
    (r"^llmctl doctor", r"\g<0> || test $? = 1", "a check may fail here, as that of the render node for a user in no group"),
    (r"^llmctl bridge( --port 8080)?", "sh {bridge}", "runs until Ctrl-C, and its port may be taken"),
]

# What the reader says, and what of an answer is not compared.
TURN = "Who lives in the old house?\n"
# The same for llvmpipe, which makes three tokens a second.
SHORTER = [
    (r"--max-tokens (60|200|400)", "--max-tokens 12", "takes minutes"),
    (r"^llmctl report", "llmctl report --runs 1 --prompt-tokens 16 --generated-tokens 4", "takes minutes"),
]

ONLY_AT_A_TERMINAL = re.compile(r"llmctl: cut after \d+ tokens")
# Measured: speeds and times. Chosen by the system: the port in an address of this machine. Every other number is a fact.
VARIES = re.compile(r"\d+(\.\d+)?(?=/s\b| ms\b)|(?<=//127\.0\.0\.1:)\d+|(?<=//\[::1\]:)\d+")
# Answers with dates are those of the day that docs/models.md names.
DAY = re.compile(r"calendar of \w+,\s+(\d{4}-\d\d-\d\d)")


def comparable(text):
    """Without what varies and without where lines end."""
    return " ".join(VARIES.sub("0", text).split())


def calendar_of_the_documents():
    """What --calendar would have sent on their day, by the function that docs/examples shows."""
    tree = ast.parse(documents.read("docs/examples/tools.py"))
    names = {"datetime": datetime}
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "calendar"]
    exec(compile(tree, "tools.py", "exec"), names)
    return names["calendar"](datetime.date.fromisoformat(DAY.search(documents.read("docs/models.md"))[1]))


class Docs(harness.TestCase):
    @classmethod
    def prepare(cls):
        harness.require("documents")
        cls.bus.as_installed()
        if BACKEND == "opencl":
            cls.bus.environment["RUSTICL_ENABLE"] = "llvmpipe"
            cls.bus.config('backend = "opencl"\ndevice = "llvmpipe"\n')
        upstream = FakeUpstream({"api": "llama-server", "models": ["qwen3-32b"]})
        upstream.__enter__()
        cls.addClassCleanup(upstream.__exit__, None, None, None)
        home = cls.bus.path("home")
        os.makedirs(os.path.join(home, ".config"))
        os.rename(cls.bus.path("config/llmd"), os.path.join(home, ".config/llmd"))
        cls.bus.environment.update(HOME=home, XDG_CONFIG_HOME=os.path.join(home, ".config"),
                                   PATH=os.path.dirname(LLMCTL) + ":" + os.environ["PATH"])
        cls.names = {"source": SOURCE, "home": home, "model": os.path.join(BUNDLED, PHONE + ".gguf")}
        cls.write("home/.curlrc", "silent\nshow-error\nfail-with-body\n")
        cls.write("home/.config/llmd/home.key", "secret\n")
        os.chmod(cls.bus.path("home/.config/llmd/home.key"), 0o600)
        cls.names["turn"] = cls.write("turn", TURN)
        # Its first line, and then Ctrl-C, which a shell has its background programs ignore.
        cls.names["with_ctrl_c"] = cls.write("with_ctrl_c", "import os, signal, sys\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n"
                                             "os.execvp(sys.argv[1], sys.argv[1:])\n")
        cls.names["bridge"] = cls.write("bridge", f'mkfifo said\npython3 {cls.names["with_ctrl_c"]} llmctl bridge --port 0 "$@" >said 2>&1 &\n'
                                        'exec 3<said; rm said; read -r line <&3; echo "$line"; kill -INT $!; wait $! || test $? = 130\n')
        cls.names["machine"] = cls.write("machine", "llmctl remote remove home >/dev/null || true\nllmctl remote add home "
                                         f"{upstream.url} --model qwen3-32b --app host >/dev/null\n")
        cls.names["calendar"] = cls.write("calendar", calendar_of_the_documents())
        cls.names["checkpoint"] = cls.bus.path("stories.bin")
        write_checkpoint(cls.names["checkpoint"])

    @classmethod
    def write(cls, name, text):
        with open(cls.bus.path(name), "w") as file:
            file.write(text)
        return cls.bus.path(name)

    def stood_in(self, command):
        for i, (pattern, replacement, _) in enumerate(STAND_INS + (SHORTER if BACKEND == "opencl" else [])):
            replacement = re.sub(r"\{(\w+)\}", lambda name: self.names[name[1]], replacement)
            command, n = re.subn(pattern, replacement, command, flags=re.MULTILINE)
            if n:
                self.used.add(i)
        return command

    def run_shell(self, command, folder, **changes):
        done = subprocess.run(["sh", "-e", "-c", self.stood_in(command)], cwd=folder, stdin=changes.pop("stdin", subprocess.DEVNULL),
                              env=dict(self.bus.environment, **changes), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=LIMIT_S)
        return done.returncode, done.stdout

    def as_me(self, text):
        """What it would be for the user `me`."""
        return text.replace(self.names["home"], "/home/me").replace(self.bus.path("runtime"), "/run/user/1000")

    def run_console(self, block, folder):
        """What is typed behind a dollar sign answers what stands there."""
        for command, answer in block.commands():
            changes = {}
            if answer:
                command = command.replace("--calendar", f'--system "$(cat {self.names["calendar"]})"')
            if "without a bus" in block.text:
                changes["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent"
            typed = [line[4:] + "\n" for line in answer if line.startswith(">>> ")]
            if typed:  # a pipe is greeted by nobody and sees no prompts
                answer = [line for line in answer[1:] if not line.startswith(">>> ")]
                with open(self.write("typed", "".join(typed))) as file:
                    status, said = self.run_shell(command, folder, stdin=file, **changes)
            else:
                status, said = self.run_shell(command, folder, **changes)
            if answer:
                answer = [line for line in answer if not ONLY_AT_A_TERMINAL.match(line)]
                self.assertEqual(comparable(self.as_me(said)), comparable("\n".join(answer)), f"{block.where}: {command}")
            else:
                self.assertEqual(status, 0, f"{block.where}: {command}\n{said}")

    def run_block(self, block, folder):
        status, said = self.run_shell(block.text, folder)
        self.assertEqual(status, 0, f"{block.where}: {self.stood_in(block.text)}\n{said}")
        if "sha256sum" in block.text:  # the document says that they are equal
            self.assertEqual((len(said.splitlines()), len(set(said.splitlines()))), (3, 1), said)

    def read_block(self, block, kind, folder):
        if kind == "settings":
            os.makedirs(os.path.join(folder, "llmd"), exist_ok=True)
            with open(os.path.join(folder, "llmd", "llmd.toml"), "w") as file:
                file.write(block.text)
            done = subprocess.run([LLMD, "--check-config"], env=dict(self.bus.environment, XDG_CONFIG_HOME=folder),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
            self.assertEqual(done.returncode, 0, f"{block.where}: {done.stdout}")
        elif kind == "tools":
            self.assertEqual(json.loads(block.text)[0]["type"], "function")
        elif kind == "Python":
            ast.parse(block.text)

    def kind_of(self, block):
        """Nothing for commands."""
        for begin, kind in NO_COMMANDS.items():
            if block.text.startswith(begin):
                self.used.add(begin)
                return kind
        return None

    def test_every_block_is_what_it_seems(self):
        self.used = set()
        everything = {document: documents.blocks(document) for document in documents.documents()}
        self.assertGreater(sum(len(blocks) for blocks in everything.values()), 25)
        tools, = [block for blocks in everything.values() for block in blocks if self.kind_of(block) == "tools"]
        if BACKEND == "opencl":
            everything = {"docs/phone-checklist.md": everything["docs/phone-checklist.md"]}
        for document, blocks in everything.items():
            folder = self.bus.path("reader", document.replace("/", "-"))
            os.makedirs(folder)
            os.symlink(os.path.join(SOURCE, "docs"), os.path.join(folder, "docs"))
            with open(os.path.join(folder, "tools.json"), "w") as file:
                file.write(tools.text)
            for block in blocks:
                with self.subTest(block.where):
                    if kind := self.kind_of(block):
                        self.read_block(block, kind, folder)
                    elif block.is_console:
                        self.run_console(block, folder)
                    else:
                        self.run_block(block, folder)
        if BACKEND == "opencl":
            self.assertIn("llvmpipe", self.client.status()["device"])
            return
        stale = [begin for begin in NO_COMMANDS if begin not in self.used]
        stale += [pattern for i, (pattern, _, _) in enumerate(STAND_INS) if i not in self.used]
        self.assertEqual(stale, [], "no document has these any more")


class Answers(unittest.TestCase):
    """Which numbers of an answer are compared."""

    def test_measured_ones_are_not(self):
        self.assertEqual(comparable("at 5673.0/s, first token\nafter 4 ms"), comparable("at 12/s, first token after 15 ms"))
        self.assertEqual(comparable("http://127.0.0.1:11434 and http://[::1]:11434"), comparable("http://127.0.0.1:9 and http://[::1]:9"))

    def test_facts_are(self):
        for fact, other in (("prompt 22 tokens", "prompt 23 tokens"), ('{"time":"06:50"}', '{"time":"06:05"}'),
                            ("2026-11-27", "2026-11-26"), ("port 8443", "port 8080"), ("qwen3-32b", "qwen3-8b"),
                            ("10.0.0.1:80", "10.0.0.1:81"), ("seed 7", "seed 8"), ("generated 25 at", "generated 26 at")):
            self.assertNotEqual(comparable(fact), comparable(other))

    def test_the_day_is_the_documents(self):
        day = datetime.date.fromisoformat(DAY.search(documents.read("docs/models.md"))[1])
        self.assertIn(f"Today is {day:%A}, {day}.\n", calendar_of_the_documents())
        self.assertIn(f"calendar of {day:%A},", " ".join(documents.read("docs/models.md").split()))


class Prose(unittest.TestCase):
    """What stands between backticks is not run, but there is such a command, option, program or file."""

    def test_commands_of_llmctl_and_their_options(self):
        table = json.loads(subprocess.run([LLMCTL, "help", "--json"], check=True, stdout=subprocess.PIPE).stdout)
        options = {command["name"]: {"--" + option["name"] for option in command["options"]} for command in table["commands"]}
        options["COMMAND"] = options["help"] = {"--help", "--json"}
        count = 0
        for document in documents.documents():
            for code in documents.inline_code(document):
                for command in re.findall(r"(?:^|; |\| )llmctl ([^;|]*)", code):
                    words = [word.split("=")[0] for word in re.findall(r'"[^"]*"|\S+', command)]
                    name = next((word for word in words if not word.startswith("-")), "")
                    given = {word for word in words if word.startswith("--")}
                    if not name:
                        self.assertLessEqual(given, {"--help", "--json"}, f"{document}: {code}")
                        continue
                    self.assertIn(name, options, f"{document}: {code}")
                    self.assertLessEqual(given, options[name], f"{document}: {code}")
                    count += 1
        self.assertGreater(count, 30)

    def test_programs_of_the_tree(self):
        count = 0
        for document in documents.documents():
            for code in documents.inline_code(document):
                for path in re.findall(r"(?:^| )((?:tools|tests|daemon|models)/[\w./-]*\w)", code):
                    if re.search(r"[A-Z]{3}", path):
                        continue  # the reader's
                    self.assertTrue(os.path.exists(os.path.join(SOURCE, path)), f"{document}: {code}")
                    count += 1
        self.assertGreater(count, 10)


if __name__ == "__main__":
    harness.main()
