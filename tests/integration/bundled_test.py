"""The model that is installed with llmd: it is the default where no settings name one, turns requests into calls, takes facts out of
a text, and does in tools/try what that says."""
import datetime
import json
import os
import re
import subprocess
import unittest

from harness import LIMIT_S, LLMCTL, PHONE, SOURCE, Daemon, PrivateBus, main

SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}, "date": {"type": "string"}}}
MESSAGE = f"Extract the event.\nSchema: {json.dumps(SCHEMA)}\nText: Don't miss the garden party! It is on DAY."


def tomorrow():
    return datetime.date.today() + datetime.timedelta(1)


class Bundled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bus = PrivateBus()
        cls.addClassCleanup(cls.bus.close)
        cls.bus.as_installed()
        cls.daemon = Daemon(cls.bus)
        cls.addClassCleanup(cls.daemon.stop)

    def run_here(self, *words):
        done = subprocess.run(words, cwd=SOURCE, env=self.bus.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT_S)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_it_is_the_default_and_the_only_one(self):
        listed = self.run_here(LLMCTL, "models").splitlines()[1:]
        self.assertEqual(len(listed), 1, listed)
        self.assertRegex(listed[0], rf"^[* ]  {PHONE} +llama .* default$")

    def test_it_is_measured_over_as_many_tokens_as_were_asked_for(self):
        """Random words end most of its texts before."""
        for _ in range(4):
            figures = json.loads(self.run_here(LLMCTL, "bench", "--json", "--runs", "1", "--generated-tokens", "100"))
            self.assertEqual(figures["generated_tokens"], 100)

    def test_facts_become_json_and_a_day_of_the_week_a_date(self):
        with open(self.bus.path("schema.json"), "w") as file:
            json.dump(SCHEMA, file)
        day = tomorrow()
        facts = self.run_here(LLMCTL, "generate", "--calendar", "--json-schema", self.bus.path("schema.json"), "--temperature", "0",
                              MESSAGE.replace("DAY", f"{day:%A}"))
        self.assertEqual(json.loads(facts), {"title": "garden party", "date": str(day)})

    def test_the_examples_of_generate_are_what_it_answers(self):
        with open(self.bus.path("event.json"), "w") as file:
            json.dump(SCHEMA, file)
        day = tomorrow()
        with open(self.bus.path("message.txt"), "w") as file:
            file.write(MESSAGE.rsplit("Text: ", 1)[1].replace("DAY", f"{day:%A}"))
        help_text = json.loads(self.run_here(LLMCTL, "help", "generate", "--json"))["commands"][0]["description"]
        examples = re.findall(r"^((?:  .*\|\n)?  llmctl generate .*)$", help_text, re.MULTILINE)
        here = [example for example in examples if "--model" not in example]
        self.assertGreaterEqual(len(here), 3)
        for example in here:
            with self.subTest(example):
                done = self.run_here("sh", "-c", f'cd "$1" && PATH=$2:$PATH && {example} --temperature 0 --json', "sh", self.bus.path("."),
                                     os.path.dirname(LLMCTL))
                if done == "":  # it is in the file that the example names
                    with open(self.bus.path("answer.txt")) as file:
                        done = file.read()
                answer = json.loads(done)
                self.assertEqual((answer["model"], answer["finish_reason"]), (PHONE, "stop"))
                if "tale" in example:
                    self.assertRegex(answer["text"], r"lighthouse.*golden key.* The end\.$")
                elif "--json-schema" in example:
                    if day != tomorrow():  # midnight came between the message and the calendar
                        continue
                    self.assertEqual(json.loads(answer["text"]), {"title": "garden party", "date": str(day)})
                else:
                    self.assertTrue(answer["text"].startswith("I can "), answer["text"])

    def test_tools_try_offers_tools_to_a_request_only_if_it_is_told_to(self):
        fake = self.bus.path("llmctl")
        with open(fake, "w", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
            file.write('#!/bin/sh\necho "$(cat): $*"\n')
        nobody = dict(self.bus.environment, DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent")  # whose llmd it would end

        def answer(*words):
            done = subprocess.run(["tools/try", "--on-the-bus", fake, *words], cwd=SOURCE, env=nobody, capture_output=True, text=True,
                                  timeout=LIMIT_S)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout.splitlines()[-1]

        self.assertEqual(answer("Tell me a tale"), "Tell me a tale: chat --temperature 0")
        self.assertEqual(answer("--tools", "Wake me at six"),
                         "Wake me at six: chat --tools docs/examples/tools.json --calendar --temperature 0")
        for words, why in ((("--tool", "x"), "there is no --tool"), (("--tools",), "REQUEST is missing")):
            done = subprocess.run(["tools/try", *words], cwd=SOURCE, capture_output=True, text=True, timeout=LIMIT_S)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(why, done.stderr)

    def test_tools_try_fits_a_narrow_terminal(self):
        with open(os.path.join(SOURCE, "tools", "try")) as file:
            script = file.read()
        closing = script.rsplit("<<END\n", 1)[1].removesuffix("END\n")
        self.assertIn("Next:", closing)
        said = closing.splitlines() + re.findall(r'^ *echo "(.*)"$', script, re.MULTILINE)
        self.assertEqual([line for line in said if len(line) > 80], [])

    def test_tools_try_shows_calls_and_a_tale(self):
        """Last, since it ends llmd."""
        day = tomorrow()
        said = self.run_here("tools/try", "--on-the-bus", LLMCTL)
        answers = re.split(r"\n\$ echo .*\n", said)[1:]
        alarm, message, tale = (answer.strip() for answer in answers)
        self.assertEqual(alarm, f'call set_alarm {{"time":"06:50","date":"{day}"}}')
        self.assertEqual(message.splitlines()[0], '''call send_message {"to":"Anna","text":"I'll be late"}''')
        for named in ("fox", "lighthouse", "golden key"):
            self.assertIn(named, tale)
        self.assertTrue(tale.endswith("The end."), tale)
        self.assertEqual(self.daemon.process.wait(LIMIT_S), 0)


if __name__ == "__main__":
    main()
