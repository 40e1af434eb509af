"""How answers are judged (models/training/evaluate.py): requests by hand are read, the right answers are right, and others are not."""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.environ["LLMD_SOURCE"], "models", "training"))

import document  # noqa: E402
import evaluate  # noqa: E402
from phone_text import generate  # noqa: E402

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}
REQUESTS = [
    {"id": "a", "system": "Today is Thursday, 2026-11-26, 14:05.", "tools": ["set_alarm", "set_timer"], "messages": [{"role": "user", "content": "wake me at seven tomorrow"}],
     "expect": {"calls": [{"name": "set_alarm", "arguments": {"time": "07:00", "date": "2026-11-27"}}]}, "also": [[{"name": "set_alarm", "arguments": {"time": "07:00"}}]]},
    {"id": "b", "tools": ["set_alarm"], "messages": [{"role": "user", "content": "an alarm"}], "expect": {"ask": "the time"}},
    {"id": "c", "tools": ["set_alarm"], "messages": [{"role": "user", "content": "a taxi"}], "expect": {"refuse": True}},
    {"id": "d", "tools": [], "messages": [{"role": "user", "content": "This is Ida."}], "expect": {"extract": {"name": "Ida"}, "schema": SCHEMA}},
]
EXACT = "by hand: right"
NEAR = "by hand: right but for case, articles and stops"


def answer(content="", calls=(), finished=True):
    return {"content": content, "calls": list(calls), "finished": finished}


class ByHand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(REQUESTS, file)
            file.flush()
            cls.asked = list(evaluate.questions(evaluate.by_hand(file.name)))

    def judged(self, i, said):
        *_, expected, sample = self.asked[i]
        return evaluate.judge("by hand", expected, said, sample)

    def test_a_system_message_states_the_calendar(self):
        messages, tools, _, _, _ = self.asked[0]
        self.assertEqual(messages[0]["content"].split("\n")[0], "Today is Thursday, 2026-11-26. The time is 14:05.")
        self.assertIn("tomorrow Friday 2026-11-27", messages[0]["content"])
        self.assertEqual([tool["function"]["name"] for tool in tools], ["set_alarm", "set_timer"])

    def test_calls(self):
        self.assertTrue(self.judged(0, answer(calls=[("set_alarm", {"time": "07:00", "date": "2026-11-27"})]))[EXACT])
        self.assertTrue(self.judged(0, answer(calls=[("set_alarm", {"time": "07:00"})]))[EXACT])
        for wrong in (answer(calls=[("set_alarm", {"time": "19:00"})]), answer(calls=[("set_alarm", None)]), answer("Done."),
                      answer(calls=[("set_alarm", {"time": "07:00"})] * 2)):
            self.assertFalse(self.judged(0, wrong)[NEAR])

    def test_questions_and_refusals_are_sentences(self):
        self.assertTrue(self.judged(1, answer("When?"))[EXACT])
        self.assertFalse(self.judged(1, answer("No."))[EXACT])
        self.assertTrue(self.judged(2, answer("No."))[EXACT])
        self.assertFalse(self.judged(2, answer("No.", finished=False))[EXACT])
        self.assertFalse(self.judged(2, answer("No.", calls=[("set_alarm", {})]))[EXACT])

    def test_extraction(self):
        messages, _, schema, _, _ = self.asked[3]
        self.assertEqual(schema, SCHEMA)
        self.assertIn(f"Schema: {json.dumps(SCHEMA)}\nText: This is Ida.", messages[-1]["content"])
        self.assertTrue(self.judged(3, answer('{"name": "Ida"}'))[EXACT])
        self.assertEqual([self.judged(3, answer('{"name": "ida."}'))[figure] for figure in (EXACT, NEAR)], [False, True])
        self.assertFalse(self.judged(3, answer('{"name": "Ida'))[NEAR])


class Calls(unittest.TestCase):
    def test_a_call_that_was_cut_off_is_wrong_and_no_error(self):
        message = {"tool_calls": [{"function": {"name": "set_alarm", "arguments": '{"time": "07'}}]}
        self.assertEqual(evaluate.calls_of(message), [("set_alarm", None)])


class Document(unittest.TestCase):
    """What models/training/document.py writes into the documents."""

    def test_each_figure_is_one_that_is_measured(self):
        sets = {**generate.test_samples("figures", 2), "by hand": evaluate.by_hand(os.path.join(evaluate.HERE, "by_hand.json"))}
        measured = set()
        for name, samples in sets.items():
            for *_, expected, sample in evaluate.questions(samples):
                measured.update(evaluate.judge(name, expected, answer("A text."), sample))
        self.assertEqual({name for _, name, _ in document.FIGURES} - measured, set())

    def test_only_what_stands_between_its_comments_is_replaced(self):
        with tempfile.TemporaryDirectory() as document.DOCS:
            path = os.path.join(document.DOCS, "a.md")
            with open(path, "w") as file:
                file.write("a\n<!-- x -->\nold\n<!-- end -->\nb\n<!-- y -->\n<!-- end -->\n")
            for _ in range(2):
                document.replace("a.md", "x", "new\n")
            with open(path) as file:
                self.assertEqual(file.read(), "a\n<!-- x -->\nnew\n<!-- end -->\nb\n<!-- y -->\n<!-- end -->\n")

    def test_a_document_without_the_comments_stays(self):
        with tempfile.TemporaryDirectory() as document.DOCS:
            path = os.path.join(document.DOCS, "a.md")
            with open(path, "w") as file:
                file.write("a\n<!-- x -->\n")
            for name in ("x", "y"):
                with self.assertRaises(ValueError):
                    document.replace("a.md", name, "new\n")
            with open(path) as file:
                self.assertEqual(file.read(), "a\n<!-- x -->\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
