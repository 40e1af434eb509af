"""The prompt that llmd makes of a conversation is, letter for letter, the one that the models' own templates make.

Jinja2 renders the templates of chat_templates.py as Transformers does. Meson gives LLMD_RENDER_CHAT
(tests/support/render_chat.cpp).
"""
import itertools
import sys
import unittest

SKIP = 77  # meson's exit code for a test that cannot run here

try:
    from chat_rendering import (BRIEF, LAST, ONE_CALL, PARALLEL, SYSTEM, TOOLS, TURNS, Refused, adapted, begun, expected, jinja,
                                message_of, render)
except ImportError as error:
    if (error.name or "").split(".")[0] != "jinja2":
        raise
    print("skipped: python3-jinja2 is not installed")
    sys.exit(SKIP)

from chat_templates import GEMMA2, GEMMA3, LLAMA31, MISTRAL_V3, MISTRAL_V3_TEKKEN, MISTRAL_V7_TEKKEN, TEMPLATES
from chat_templates_chatml import CHATML_BEGUN, SMALLTHINKER, SMOLLM3

EACH = [(family, text) for family, texts in TEMPLATES.items() for text in texts]


class ChatTemplates(unittest.TestCase):
    def test_conversations_of_every_length(self):
        for (family, text), system, length in itertools.product(EACH, (False, True), (1, 3, 5)):
            messages = [SYSTEM] * system + TURNS[:length]
            with self.subTest(family=family, text=text[:80], system=system, length=length):
                self.assertEqual(render(text, messages), expected(jinja(text, messages)))

    def test_an_answer_that_is_begun(self):
        for (family, text), system in itertools.product(EACH, (False, True)):
            messages = [SYSTEM] * system + TURNS[:3] + [("assistant", LAST)]
            with self.subTest(family=family, text=text[:80], system=system):
                self.assertEqual(render(text, messages), (begun(family, text, messages), False))

    def test_contents_of_nothing(self):
        for (family, text), system, content in itertools.product(EACH, ("", " \n"), ("", " \n")):
            messages = [("system", system), ("user", content)]
            with self.subTest(family=family, text=text[:80], system=system, content=content):
                self.assertEqual(render(text, messages), expected(jinja(text, messages)))

    def test_the_setting_does_as_the_file(self):
        for family, text in EACH:
            with self.subTest(family=family, text=text[:80]):
                self.assertEqual(render(text, [SYSTEM, TURNS[0]], family), render(text, [SYSTEM, TURNS[0]]))

    def test_gemma_2_takes_no_system_and_gets_it_as_gemma_3_does(self):
        self.assertEqual(render(GEMMA2, TURNS), (jinja(GEMMA2, TURNS), False))
        with self.assertRaises(Refused):
            jinja(GEMMA2, [SYSTEM, *TURNS])
        self.assertEqual(render(GEMMA2, [SYSTEM, *TURNS]), (jinja(GEMMA3, [SYSTEM, *TURNS]), False))

    def test_what_a_template_refuses_is_refused(self):
        for (family, text), messages in itertools.product(EACH, ([TURNS[0]] * 2, [TURNS[1]], [SYSTEM, TURNS[1]])):
            if text in (CHATML_BEGUN, SMALLTHINKER):
                continue  # they write what their family does only if messages alternate
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
        self.assertRegex(why, "^chat_template: ")
        self.assertEqual(set(why.split(": ")[-1].strip().split(", ")), {"none", *TEMPLATES})


class Tools(unittest.TestCase):
    def check(self, family, text, messages, thinking=""):
        system = messages[0] is BRIEF
        if system and family in ("mistral-v3", "mistral-v3-tekken") and message_of(messages[-1])["role"] != "user":
            return  # the template would drop the system message
        turns, variables = adapted(family, text, messages, TOOLS)
        with self.subTest(family=family, text=text[:80], system=system, length=len(messages), thinking=thinking):
            self.assertEqual(render(text, messages, tools=TOOLS, thinking=thinking),
                             expected(jinja(text, turns, thinking=thinking, **variables)))

    def test_conversations_of_every_length(self):
        for (family, text), system in itertools.product(EACH, (False, True)):
            for turns in [ONE_CALL] if family == "llama3.1" else [ONE_CALL, PARALLEL]:
                for length in (length for length in range(1, len(turns) + 1)
                               if message_of(turns[length - 1])["role"] != "assistant"):
                    self.check(family, text, [BRIEF] * system + turns[:length])

    def test_thinking_on_and_off(self):
        for (family, text), thinking, turns in itertools.product(EACH, ("on", "off"), (ONE_CALL[:3], ONE_CALL)):
            self.check(family, text, [BRIEF, *turns] if family != "mistral-v3" else turns, thinking)
            messages = [message for message in turns if isinstance(message, tuple)]
            if len(messages) > 1:
                messages = ONE_CALL[:1] + ONE_CALL[3:5]
            with self.subTest(family=family, text=text[:80], thinking=thinking, messages=messages):
                self.assertEqual(render(text, messages, thinking=thinking),
                                 expected(jinja(text, messages, thinking=thinking)))

    def test_results_are_found_by_id_by_name_or_by_their_order(self):
        for family, text in EACH:
            for turns in [ONE_CALL] if family == "llama3.1" else [ONE_CALL, PARALLEL]:
                whole = render(text, turns, tools=TOOLS)
                for keys in ({"name"}, {"tool_call_id"}, {"name", "tool_call_id"}):
                    less = [{key: value for key, value in message_of(message).items() if key not in keys}
                            for message in turns]
                    with self.subTest(family=family, text=text[:80], without=keys):
                        self.assertIsNotNone(whole[0], whole[1])
                        self.assertEqual(render(text, less, tools=TOOLS), whole)

    def test_thinking_in_the_content_is_taken_out_as_the_family_does(self):
        thought = "<think>\nA \u00e4\n\nB\n</think>\n\n"
        for family, text in EACH:
            if not family.startswith(("qwen3", "minicpm5", "exaone4", "deepseek", "lfm2.5")):
                continue
            for turns in ([("user", "a"), ("assistant", thought + "b"), ("user", "c")],
                          [("user", "a"), ("assistant", thought + "b"), ("user", "c"), ("assistant", thought + "d"),
                           ("user", "e")]):
                if family == "lfm2.5":  # the last answer keeps it
                    turns = turns[:2] + [("user", "c"), ("assistant", "d"), ("user", "e")]
                with self.subTest(family=family, text=text[:80], turns=len(turns)):
                    self.assertEqual(render(text, turns), expected(jinja(text, turns)))

    def test_switches_in_the_system_message_of_smollm3(self):
        for said, thinking in itertools.product(("/no_think", "Be brief. /no_think", "/think Be /no_think", "/think\n", "a"),
                                                ("", "on", "off")):
            turns = [("system", said), ("user", "/no_think"), ("assistant", "b"), ("user", "c")]
            with self.subTest(said=said, thinking=thinking):
                self.assertEqual(render(SMOLLM3, turns, thinking=thinking),
                                 expected(jinja(SMOLLM3, turns, thinking=thinking)))

    def test_calls_that_a_template_refuses_are_refused(self):
        turns = PARALLEL[:5]
        with self.assertRaises(Refused):
            jinja(LLAMA31, turns, tools=TOOLS)
        self.assertEqual(render(LLAMA31, turns, tools=TOOLS),
                         (None, "messages[1].tool_calls: 3 where the chat template llama3.1 has one"))
        for family, text in (("mistral-v3", MISTRAL_V3), ("mistral-v7-tekken", MISTRAL_V7_TEKKEN)):
            turns = [*ONE_CALL[:3], ("user", "And?")]
            with self.assertRaises(Refused):
                jinja(text, turns, tools=TOOLS)
            self.assertEqual(render(text, turns, tools=TOOLS), (
                None, f'messages[3].role: "user" where the chat template {family} has the turn of the assistant'))

    def test_long_ids_become_short_where_a_template_wants_nine_characters(self):
        turns = [dict(message_of(message)) for message in PARALLEL]
        for message in turns:
            if "tool_calls" in message:
                message["tool_calls"] = [{**call, "id": "long_" + call["id"]} for call in message["tool_calls"]]
            if "tool_call_id" in message:
                message["tool_call_id"] = "long_" + message["tool_call_id"]
        short = [dict(message_of(message)) for message in PARALLEL]
        for message in short:
            if "tool_calls" in message:
                message["tool_calls"] = [{**call, "id": "%09d" % (int(call["id"][4:]) - 1)}
                                         for call in message["tool_calls"]]
            if "tool_call_id" in message:
                message["tool_call_id"] = "%09d" % (int(message["tool_call_id"][4:]) - 1)
        for text in (MISTRAL_V3, MISTRAL_V3_TEKKEN):
            self.assertEqual(render(text, turns, tools=TOOLS), expected(jinja(text, short, tools=TOOLS)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
