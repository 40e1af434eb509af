"""The programs of docs/examples against the real llmd: each reads a text as it comes, and then waits for the same one; or
lets the model call a function."""
import datetime
import json
import os
import re
import shutil
import subprocess

import harness
from gi.repository import GLib
from harness import LIMIT_S, MARKER

EXAMPLES = os.path.join(harness.SOURCE, "docs", "examples")
PROMPT = f"Tell me a tale about a fox and a {MARKER}"
BETWEEN = "\n---\n"
MOST_LINES = 40


class Examples(harness.TestCase):
    @classmethod
    def prepare(cls):
        """What a reader sees: the model that is installed with llmd answers."""
        cls.bus.as_installed()

    def program(self, *command, prompt=PROMPT):
        done = subprocess.run([*command, prompt], env=self.bus.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def expected(self):
        text, _ = self.client.generate(PROMPT, seed=7, max_tokens=300, system="Be helpful.")
        self.texts.append(text)
        self.assertTrue(text.strip())
        return text

    def assert_both_ways(self, output):
        text = self.expected()
        self.assertEqual(output, text + BETWEEN + text + "\n")

    def need(self, tool):
        if shutil.which(tool) is None:
            harness.require("toolkits")

    def test_each_is_short(self):
        """And each is run by a test below."""
        programs = sorted(set(os.listdir(EXAMPLES)) - {"tools.json"})  # which tools/try shows
        self.assertEqual(programs, ["chat.py", "chat_http.py", "client.cpp", "client.js", "client.py", "client.sh", "client.vala", "tools.py"])
        for name in programs:
            with open(os.path.join(EXAMPLES, name)) as file:
                self.assertLessEqual(len(file.readlines()), MOST_LINES, name)

    def test_python(self):
        self.assert_both_ways(self.program("/usr/bin/python3", os.path.join(EXAMPLES, "client.py")))

    def test_cpp(self):
        self.assert_both_ways(self.program(os.environ["LLMD_CPP_EXAMPLE"]))

    def test_javascript(self):
        self.need("gjs")
        self.assert_both_ways(self.program("gjs", "-m", os.path.join(EXAMPLES, "client.js")))

    def test_vala(self):
        self.need("valac")
        program = self.bus.path("vala-example")
        # What gcc says of the C code that an older valac makes is not about the example.
        subprocess.run(["valac", "--pkg", "gio-unix-2.0", "-X", "-w", "-o", program,
                        os.path.join(EXAMPLES, "client.vala")], cwd=self.bus.folder, check=True, timeout=LIMIT_S)
        self.assert_both_ways(self.program(program))

    def test_conversations(self):
        """Two questions, of which the second is asked with the first and its answer before it."""
        over_bus, over_socket = (self.program("/usr/bin/python3", os.path.join(EXAMPLES, name), PROMPT)
                                 for name in ("chat.py", "chat_http.py"))
        history = [{"role": "system", "content": "You answer in one sentence."}]
        expected = ""
        for _ in range(2):
            history.append({"role": "user", "content": PROMPT})
            messages = [harness.variants(message) for message in history]
            options = harness.variants({"seed": 7, "max_tokens": 300})
            text, _ = self.client.call("Chat", GLib.Variant("(aa{sv}a{sv})", (messages, options)))
            self.texts.append(text)
            history.append({"role": "assistant", "content": text})
            expected += text + "\n"
        self.assertEqual(over_bus, expected)
        self.assertEqual(over_socket, expected)

    def test_tools(self):
        tomorrow = datetime.date.today() + datetime.timedelta(1)
        call, answer = self.program("/usr/bin/python3", os.path.join(EXAMPLES, "tools.py"), prompt="wake me at ten to seven tomorrow").splitlines()
        arguments = re.fullmatch(r'set_alarm\((.*)\) = {"ok": true}', call)
        self.assertEqual(json.loads(arguments[1]), {"time": "06:50", "date": str(tomorrow)})
        self.assertEqual(answer, "Done.")

    def test_shell(self):
        text = self.expected()
        by_gdbus, by_busctl, by_dbus_send = self.program(os.path.join(EXAMPLES, "client.sh")).split(BETWEEN[1:])
        self.assertEqual(GLib.Variant.parse(None, by_gdbus.strip(), None, None).unpack()[0], text)
        self.assertEqual(json.loads(by_busctl)["data"][0], text)
        self.assertEqual(by_dbus_send.split(), ["variant", "ready"])


if __name__ == "__main__":
    harness.main()
