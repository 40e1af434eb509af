"""The prompt that llmd makes of a conversation is, letter for letter, the one that the models' own templates make.

Jinja2 renders the templates of chat_templates.py as Transformers does. Meson gives LLMD_RENDER_CHAT
(tests/support/render_chat.cpp).
"""
import itertools
import os
import re
import subprocess
import sys
import unittest

SKIP = 77  # meson's exit code for a test that cannot run here

try:
    import jinja2.sandbox
except ImportError:
    print("skipped: python3-jinja2 is not installed")
    sys.exit(SKIP)

from chat_templates import GEMMA2, GEMMA3, TEMPLATES  # behind the check for Jinja2

EACH = [(family, text) for family, texts in TEMPLATES.items() for text in texts]

SYSTEM = ("system", " You are brief.\n")
TURNS = [("user", " What is a tale? "), ("assistant", "A story.\n"), ("user", "Tell\none: <s>[INST] {{ 1 + 1 }}"),
         ("assistant", "\tOnce, \u00e4"), ("user", "\u00a0And?\u3000\n")]
LAST = "The end of this"


def render(text, messages, setting=""):
    """(what llmd makes of it, or None, and what it says instead)"""
    words = [word for message in messages for word in message]
    done = subprocess.run([os.environ["LLMD_RENDER_CHAT"], setting, *words], input=text.encode(), capture_output=True,
                          timeout=60)
    return (done.stdout.decode() if done.returncode == 0 else None), done.stderr.decode()


class Refused(Exception):
    pass


# What llmd leaves out of prompts: with the date in them every answer would change overnight.
DATED = re.compile(r"Today(?:'s)? Date: TODAY\.?[ \n]")


def refuse(message):
    raise Refused(message)


def jinja(text, messages, answer=True):
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: "TODAY"
    rendered = environment.from_string(text).render(
        messages=[{"role": role, "content": content} for role, content in messages], bos_token="<s>", eos_token="</s>",
        add_generation_prompt=answer)
    return DATED.sub("", rendered)


class ChatTemplates(unittest.TestCase):
    def test_conversations_of_every_length(self):
        for (family, text), system, length in itertools.product(EACH, (False, True), (1, 3, 5)):
            messages = [SYSTEM] * system + TURNS[:length]
            with self.subTest(family=family, text=text[:80], system=system, length=length):
                self.assertEqual(render(text, messages), (jinja(text, messages), ""))

    def test_an_answer_that_is_begun(self):
        for (family, text), system in itertools.product(EACH, (False, True)):
            messages = [SYSTEM] * system + TURNS[:3] + [("assistant", LAST)]
            if family.startswith("mistral-v3"):  # the template would drop the system message, which an answer follows
                open_end = jinja(text, messages[:-1]) + (" " if family == "mistral-v3" else "") + LAST
            else:
                whole = jinja(text, messages, answer=False)
                open_end = whole[:whole.rindex(LAST) + len(LAST)]
            with self.subTest(family=family, text=text[:80], system=system):
                self.assertEqual(render(text, messages), (open_end, ""))

    def test_contents_of_nothing(self):
        for (family, text), system, content in itertools.product(EACH, ("", " \n"), ("", " \n")):
            messages = [("system", system), ("user", content)]
            with self.subTest(family=family, text=text[:80], system=system, content=content):
                self.assertEqual(render(text, messages), (jinja(text, messages), ""))

    def test_the_setting_does_as_the_file(self):
        for family, text in EACH:
            with self.subTest(family=family, text=text[:80]):
                self.assertEqual(render(text, [SYSTEM, TURNS[0]], family), render(text, [SYSTEM, TURNS[0]]))

    def test_gemma_2_takes_no_system_and_gets_it_as_gemma_3_does(self):
        self.assertEqual(render(GEMMA2, TURNS), (jinja(GEMMA2, TURNS), ""))
        with self.assertRaises(Refused):
            jinja(GEMMA2, [SYSTEM, *TURNS])
        self.assertEqual(render(GEMMA2, [SYSTEM, *TURNS]), (jinja(GEMMA3, [SYSTEM, *TURNS]), ""))

    def test_what_a_template_refuses_is_refused(self):
        for (family, text), messages in itertools.product(EACH, ([TURNS[0]] * 2, [TURNS[1]], [SYSTEM, TURNS[1]])):
            with self.subTest(family=family, text=text[:80], messages=messages):
                try:
                    expected = jinja(text, messages, answer=messages[-1][0] != "assistant")
                except Refused:
                    prompt, why = render(text, messages)
                    self.assertIsNone(prompt)
                    self.assertRegex(why, rf"^messages\[\d\]\.role: .*{family}")
                else:
                    self.assertTrue(expected.startswith(render(text, messages)[0]))

    def test_a_template_of_nobody_is_refused(self):
        prompt, why = render("{% for message in messages %}{{ message['content'] }}{% endfor %}", TURNS)
        self.assertIsNone(prompt)
        self.assertRegex(why, "^chat_template: .*none, " + ", ".join(TEMPLATES))


if __name__ == "__main__":
    unittest.main(verbosity=2)
