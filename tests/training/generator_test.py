"""The generator of training text: what is held back for the test never reaches the training, nothing repeats, and every answer fits its
request. Proven on a few thousand conversations, without anything but Python."""
import json
import os
import random
import re
import sys
import unittest
from unittest import mock

SOURCE = os.environ["LLMD_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "models", "training"))

from phone_text import domains, extraction, generate, render, requests, split, tales, times  # noqa: E402

N = 1500


def training(seed, n):
    rng = random.Random(seed)
    return [generate.training_sample(rng) for _ in range(n)]


def text_of(sample):
    return "".join(text for text, _, _ in render.segments_of(sample["messages"], sample.get("tools", ())))


class Split(unittest.TestCase):
    def test_every_lexicon_has_two_parts(self):
        for name, lexicon in split.LEXICONS.items():
            if not lexicon.is_split:
                continue
            ours, theirs = set(lexicon.parts[split.TRAIN]), set(lexicon.parts[split.TEST])
            self.assertTrue(ours and theirs, name)
            self.assertFalse(ours & theirs, name)

    def test_what_is_held_back_is_never_trained(self):
        held = {}
        for name, lexicon in split.LEXICONS.items():
            trained = {entry for other in split.LEXICONS.values() for entry in other.parts[split.TRAIN]}
            if lexicon.is_split and not name.endswith((": names", ": descriptions")):  # of tools, which users do not say
                for entry in lexicon.parts[split.TEST]:
                    if "{" not in entry and "(" not in entry and len(entry) >= split.SHORT and entry not in trained:
                        held[entry.lower()] = name
        self.assertGreater(len(held), 100)
        pattern = re.compile(r"(?<![\w'])(" + "|".join(map(re.escape, sorted(held, key=len, reverse=True))) + r")(?![\w'])")
        # A phrasing may be the beginning of another one: those that train say themselves are no test of the split.
        others = "\n".join(text for lexicon in split.LEXICONS.values() for entry in lexicon.parts[split.TRAIN] for text in split.expansions(entry))
        for sample in training("split", N):
            for message in sample["messages"]:
                if message["role"] not in ("user", "assistant"):
                    continue
                for found in pattern.findall(message["content"].lower()):
                    self.assertTrue(found.strip().removeprefix("the ") in others, f"{held[found]}: {found} in {message['content'][:300]}")

    def test_a_held_back_phrasing_is_not_put_together_of_parts(self):
        """Neither by alternatives of a trained one nor by the sentence that it is put into."""
        all_, long = split.held_back()
        self.assertGreater(len(long), 200)
        for name, domain in domains.DOMAINS.items():
            for lexicon in [domain.phrasings, *(missing.phrasings for missing in domain.missing.values())]:
                for entry in lexicon.parts[split.TRAIN]:
                    self.assertTrue(all_.isdisjoint(split.expansions(entry)), f"{name}: {entry}")
        choose = split.Chooser(random.Random("parts"), split.TRAIN)
        found = 0
        for _ in range(6000):
            name = choose.rng.choice(list(domains.DOMAINS))
            phrasing = choose.of(domains.DOMAINS[name].phrasings)
            for entry in split.expansions(phrasing):
                said = choose.of(requests.FRAMES).replace("{}", entry)
                if split.is_held_back(said):  # such a one is drawn now and then, and must not get through
                    found += 1
                    with mock.patch.object(requests, "framed", lambda choose, phrasing, said=said: said):
                        self.assertFalse(split.is_held_back(requests.said_as(choose, phrasing)))
        self.assertGreater(found, 0)

    def test_a_composed_phrasing_is_none_of_the_tests(self):
        choose = split.Chooser(random.Random("composed"), split.TRAIN)
        found = 0
        for _ in range(60):
            for domain in domains.DOMAINS.values():
                for listed, composed in [(domain.phrasings, domain.composed), *((missing.phrasings, missing.composed) for missing in domain.missing.values())]:
                    if composed:
                        found += split.is_held_back(choose.rng.choice(composed).say(choose.rng))
                        said = requests.phrasing_of(choose, listed, composed)
                        self.assertFalse(any(split.is_held_back(text) for text in split.expansions(said.removeprefix("!"))), said)
        self.assertGreater(found, 0)  # such a one is put together now and then, and must not get through

    def test_a_message_of_the_test_is_trained_in_no_other_kind(self):
        parts = [part for parts in extraction.messages.PARTS.values() for part, _ in parts if part.is_split]
        held = {text for part in parts for entry in part.parts[split.TEST] for text in split.expansions(entry)
                if len(extraction.messages.SLOT.sub("", text)) >= split.SHORT}
        self.assertGreater(len(held), 1000)
        for part in parts:
            for entry in part.parts[split.TRAIN]:
                self.assertTrue(held.isdisjoint(split.expansions(entry)), f"{part.name}: {entry}")

    def test_the_tests_say_what_is_held_back(self):
        names = set(domains.DOMAINS["timer"].phrasings.parts[split.TEST])
        self.assertTrue(names)
        self.assertFalse(names & set(domains.DOMAINS["timer"].phrasings.parts[split.TRAIN]))


class Calls(unittest.TestCase):
    def test_a_choice_of_two_can_be_a_boolean(self):
        """On and lock are true, and no call has the words of the choice then."""
        seen = set()
        for sample in generate.test_samples("booleans", 60)["switches"]:
            said = sample["messages"][-2]["content"].lower()
            values = [value for call in sample["messages"][-1]["tool_calls"] for value in json.loads(call["function"]["arguments"]).values()]
            self.assertTrue({True, False} & {value for value in values if isinstance(value, bool)}, said)
            self.assertFalse({"on", "off", "unlock"} & set(map(str, values)), said)
            if "unlock" in said:
                self.assertIn(False, values, said)
            seen.update(value for value in values if isinstance(value, bool))
        self.assertEqual(seen, {True, False})

    def test_a_question_that_is_not_answered_leads_to_no_call(self):
        kinds = set()
        for sample in generate.test_samples("no answers", 60)["no answer"]:
            said = [message for message in sample["messages"] if message["role"] == "assistant"]
            self.assertEqual(said[0]["kind"], "missing")
            self.assertNotIn("tool_calls", said[1])
            self.assertIn(said[1]["content"], (said[0]["content"], requests.CANCELLED))
            kinds.add(said[1]["kind"])
        self.assertEqual(kinds, {"missing", "cancelled"})


class Tales(unittest.TestCase):
    def test_a_word_that_begins_as_a_person_does_is_it(self):
        """Such words are among the heroes that are it, none of them is a person, and their tales keep the pronoun."""
        people, rng, found = set(tales.PEOPLE), random.Random("animals"), set()
        for side in (split.TRAIN, split.TEST):
            choose = split.Chooser(rng, side)
            for _ in range(2000):
                word = tales.animal(choose)
                self.assertNotIn(word, people)
                if side == split.TRAIN and word not in tales.IT_ROLES.parts[side] and any(word.startswith(person[:3]) for person in people):
                    found.add(word)
        self.assertGreater(len(found), 50)
        for _ in range(300):
            _, tale, wanted = tales.make(split.Chooser(rng, split.TRAIN))
            if wanted["pronoun"] == "it":
                self.assertFalse({"she", "he", "him", "his"} & set(re.findall("[a-z]+", tale.lower())), tale)


class Samples(unittest.TestCase):
    def test_a_seed_gives_the_same_text(self):
        self.assertEqual(training("same", 20), training("same", 20))
        self.assertNotEqual(training("same", 3), training("other", 3))

    def test_nothing_repeats(self):
        """Of so many conversations none is there twice, so that far more than a million are possible. A greeting and its answer may be."""
        texts = [text_of(sample) for sample in training("repeats", N) if sample["kind"] != "talk"]
        self.assertEqual(len(set(texts)), len(texts))

    def test_calls_are_of_offered_tools_and_fit_their_schemas(self):
        n = 0
        for sample in training("calls", N):
            tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in sample.get("tools", ())}
            for message in sample["messages"]:
                for call in message.get("tool_calls", ()):
                    n += 1
                    parameters = tools[call["function"]["name"]]
                    arguments = json.loads(call["function"]["arguments"])
                    order = [name for name in parameters["properties"] if name in arguments]
                    self.assertEqual(list(arguments), order)
                    self.assertLessEqual(set(parameters.get("required", ())), set(arguments), call)
                    for name, value in arguments.items():
                        schema = parameters["properties"][name]
                        kind = {"string": str, "integer": int, "array": list, "boolean": bool}[schema["type"]]
                        self.assertIsInstance(value, kind)
                        if "enum" in schema:
                            self.assertIn(value, schema["enum"])
        self.assertGreater(n, N // 2)

    def test_extracted_texts_are_in_the_text(self):
        samples = generate.test_samples("copies", 60)["extraction"]
        for sample in samples:
            user, answer = sample["messages"][-2]["content"], json.loads(sample["messages"][-1]["content"])
            properties = sample["schema"]["properties"]
            self.assertEqual(list(answer), [name for name in properties if name in answer])
            for value in answer.values():
                for text in value if isinstance(value, list) else [value]:
                    if isinstance(text, str) and not re.fullmatch(r"[\d:-]+", text):
                        self.assertIn(text, user)

    def test_extracted_answers_fit_their_schemas(self):
        """Of every maker of texts, on both sides: types, choices, required properties and their order; texts are copied from the message."""
        kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict, "null": type(None)}
        seen = set()

        def check(value, schema, user):
            types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            self.assertTrue(any(isinstance(value, kinds[t]) and (t == "boolean") == isinstance(value, bool) for t in types), (value, schema))
            seen.update(types)
            if "enum" in schema:
                self.assertIn(value, schema["enum"])
            elif isinstance(value, str) and not re.fullmatch(r"[\d:-]+", value):
                self.assertIn(value, user)
            elif isinstance(value, list):
                for one in value:
                    check(one, schema["items"], user)
            elif isinstance(value, dict):
                self.assertEqual(list(value), [name for name in schema["properties"] if name in value])
                self.assertLessEqual(set(schema.get("required", ())), set(value))
                for name, one in value.items():
                    check(one, schema["properties"][name], user)

        for side in (split.TRAIN, split.TEST):
            choose = split.Chooser(random.Random(f"schemas {side}"), side)
            for i in range(N):
                user, schema, answer = extraction.make(choose, times.Now(choose) if i % 2 else None)
                self.assertTrue(answer)
                self.assertIn(json.dumps(schema, ensure_ascii=False).replace(" ", ""), user.replace(" ", ""))
                check(answer, schema, user)
        self.assertEqual(seen, set(kinds))

    def test_bad_input_has_rows_for_the_evaluation(self):
        sets = generate.test_samples("bad", 14)
        kinds = {}
        for sample in sets["bad input"]:
            expected = sample["messages"][-1]
            kinds.setdefault(expected["kind"], []).append(sample)
            self.assertTrue(expected["content"].endswith("."))
            self.assertNotIn("tool_calls", expected)
        self.assertEqual(set(kinds), {"foreign", "insult", "facts", "work", "advice", "unclear", "ramble"})
        for samples in kinds.values():
            self.assertEqual(len(samples), 2)
        self.assertTrue(any(len(sample["messages"][-2]["content"].split()) > 100 for sample in generate.test_samples("ramble", 70)["bad input"]))
        for sample in sets["odd tools"]:
            (call,) = sample["messages"][-1]["tool_calls"]
            self.assertIn(call["function"]["name"], [tool["function"]["name"] for tool in sample["tools"]])
        self.assertEqual(len(sets["bad time"]), 14)

    def test_tales_name_what_was_asked_for_and_end(self):
        for sample in generate.test_samples("tales", 100)["tale"]:
            tale, wanted = sample["messages"][-1]["content"], sample["wanted"]
            self.assertTrue(tale.endswith("The end."))
            self.assertTrue(80 <= len(tale.split()) <= 200, len(tale.split()))
            for key in ("hero", "place", "thing"):
                if wanted[key]:
                    self.assertIn(wanted[key], tale)
            said = set(re.findall(r"[a-z]+", tale.lower()))
            own = {"she": {"she", "her"}, "he": {"he", "him", "his"}, "it": {"it", "its"}}[wanted["pronoun"]]
            self.assertTrue(said & own, tale)
            self.assertFalse(said & ({"she", "her", "he", "him", "his"} - own), tale)


class Times(unittest.TestCase):
    def test_days_follow_from_the_system_message(self):
        choose = split.Chooser(random.Random(1), split.TRAIN)
        for _ in range(500):
            now = times.Now(choose)
            said, date = times.day(choose, now)
            self.assertGreaterEqual(date, now.date)
            self.assertLess((date - now.date).days, 366)
            for k in range(1, 8):
                day = now.after(k)
                self.assertIn(f"{times.DAYS[day.weekday()]} {day}", now.system_line())
                if said.split(" ")[-1] == times.DAYS[day.weekday()]:
                    self.assertEqual(date, day)

    def test_times_are_of_24_hours(self):
        choose = split.Chooser(random.Random(2), split.TRAIN)
        said = {}
        for _ in range(5000):
            text, clock = times.time(choose)
            self.assertRegex(clock, r"^([01]\d|2[0-3]):[0-5]\d$")
            self.assertEqual(said.setdefault(text, clock), clock, text)  # one meaning each
        for text, clock in (("ten to seven", "06:50"), ("half past nine", "09:30"), ("noon", "12:00"), ("quarter past three in the afternoon", "15:15")):
            self.assertEqual(said.get(text, clock), clock)


class Rendering(unittest.TestCase):
    def test_markup_is_balanced(self):
        for sample in training("markup", 200):
            text = text_of(sample)
            self.assertEqual(text.count("<|im_start|>"), text.count("<|im_end|>"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
