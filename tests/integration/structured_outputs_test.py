"""vLLM's structured_outputs: texts that a regular expression matches as Python's re judges it, and texts that are one of a list, on every
way by which they come, made by the demonstration models at a temperature at which they make nonsense."""
import json
import random
import re

from gi.repository import GLib

import harness
import response_format
from harness import GPT2, LLAMA, MARKER, PHONE

N_REQUESTS = 200
SEED = 40
NONSENSE = {"temperature": 1.5, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "max_tokens": 40}
WORDS = ("yes", "yes!", "no", "größe", "naïve", "中文", "中", "\U0001f600", "\U0001f600\U0001f601", "a\"b\\c", "two words", " x", "\n", "x\ty",
         "(a|b)*", "Ünder", "", "0", "00", "</think>")


class RandomRegex:
    """Expressions that llmd and Python's re read alike, whose texts end soon."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.n_unbounded = 2  # more of them, and Python's re tries for ever

    def regex(self, depth=2):
        some = [self.part(depth) for _ in range(self.chance.randint(1, 4))]
        regex = "".join(some)
        return f"{regex}|{self.regex(depth - 1)}" if depth > 0 and self.chance.random() < 0.25 else regex

    def part(self, depth):
        if depth > 0 and self.chance.random() < 0.3:
            inner = self.regex(depth - 1)
            one = self.chance.choice(("(%s)", "(?:%s)", "(?P<n%d>%%s)" % self.chance.getrandbits(40))) % inner
            return one + ("" if self.n_unbounded < 2 else self.chance.choice(("", "?", "{2}", "{1,3}", "{0,2}")))
        else:
            one = self.chance.choice(("a", "e", " ", "é", "中", "\U0001f600", "\"", "\\\\", "\\.", ".", "\\d", "\\w", "\\s", "\\S", "[a-z]", "[^a-z]",
                                      "[A-Zé-ü]", "[\\w-]", "\\n", "\\t", "\\x41", "\\u00e9"))
        unbounded = self.n_unbounded > 0 and self.chance.random() < 0.3
        self.n_unbounded -= unbounded
        return one + self.chance.choice(("*", "+", "*?") if unbounded else ("", "", "", "?", "{2}", "{1,3}", "{0,2}"))


class StructuredOutputs(response_format.TestCase):
    @classmethod
    def prepare(cls):
        super().prepare()
        cls.bus.environment["LLMD_MODEL_PATH"] = f"{harness.BUNDLED}:{harness.MODELS}"

    def ask_for(self, fields, path="/v1/completions", model=LLAMA, **options):
        body = {"model": model, "seed": 1, **NONSENSE, **options, **fields}
        if path == "/v1/completions":
            body["prompt"] = f"{MARKER} was asked, and said:"
        else:
            body.setdefault("messages", [{"role": "user", "content": f"What did {MARKER} say?"}])
        return self.ask(path, body)

    def texts_for(self, fields, **options):
        """[(text, finish_reason)] of an answer that is not streamed."""
        status, _, body = self.ask_for(fields, **options)
        self.assertEqual(status, 200, body)
        answers = [(one["message"]["content"] or "" if "message" in one else one["text"], one["finish_reason"])
                   for one in json.loads(body)["choices"]]
        self.texts += [text for text, _ in answers if len(text) > 20]
        return answers

    def refusal(self, fields, **options):
        status, _, body = self.ask_for(fields, **options)
        self.assertEqual(status, 400, body)
        return json.loads(body)["error"]

    def test_every_finished_text_is_one_of_the_form(self):
        n_finished = {"regex": 0, "choice": 0}
        for i in sorted(range(N_REQUESTS), key=lambda i: i % 3):  # model by model
            kind = "regex" if i % 4 else "choice"
            chance = random.Random(SEED + i)
            value = RandomRegex(SEED + i).regex() if kind == "regex" else chance.sample(WORDS, chance.randint(1, len(WORDS)))
            fields = {"structured_outputs": {kind: value}} if i % 3 else {f"guided_{kind}": value}
            way = {"model": (LLAMA, GPT2, PHONE)[i % 3], "path": ("/v1/completions", "/v1/chat/completions")[i % 3 == 2], "seed": i}
            (text, reason), = self.texts_for(fields, **way)
            with self.subTest(i=i, value=value, text=text, **way):
                if reason == "length":
                    continue
                self.assertEqual(reason, "stop")
                n_finished[kind] += 1
                if kind == "regex":
                    self.assertIsNotNone(re.fullmatch(value, text))
                else:
                    self.assertIn(text, value)
        self.assertEqual(n_finished["choice"], N_REQUESTS // 4)
        self.assertGreater(n_finished["regex"], N_REQUESTS // 2, "too few to prove anything")

    def test_json_is_what_response_format_is(self):
        schema = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9}, "minItems": 2, "maxItems": 3}
        of_format = {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}}
        expected = self.texts_for(of_format)
        self.assertIn(len(json.loads(expected[0][0])), (2, 3))
        for fields in ({"structured_outputs": {"json": schema}}, {"structured_outputs": {"json": json.dumps(schema)}}, {"guided_json": schema}):
            self.assertEqual(self.texts_for(fields), expected)
        self.assertEqual(self.texts_for({"structured_outputs": {"json_object": True}}, max_tokens=9),
                         self.texts_for({"response_format": {"type": "json_object"}}, max_tokens=9))

    def test_a_stream_has_the_same_text(self):
        for fields in ({"structured_outputs": {"regex": "(\U0001f600|中|é)[a-z ]{10,20}\\."}}, {"guided_choice": ["\U0001f600 said", "中 said"]}):
            for path, of in (("/v1/completions", lambda choice: choice["text"]),
                             ("/v1/chat/completions", lambda choice: choice["delta"].get("content") or "")):
                (text, reason), = self.texts_for(fields, path=path, model=PHONE)
                status, _, body = self.ask_for({**fields, "stream": True}, path=path, model=PHONE)
                self.assertEqual((status, reason), (200, "stop"))
                events = [json.loads(line[6:]) for line in body.decode().split("\n") if line.startswith("data: {")]
                self.assertEqual("".join(of(choice) for event in events for choice in event["choices"]), text)

    def test_several_answers_stop_texts_and_logprobs(self):
        choices = ["red", "green", "dark green", "blue"]
        answers = self.texts_for({"guided_choice": choices, "n": 4})
        self.assertEqual(len(answers), 4)
        for text, reason in answers:
            self.assertIn(text, choices)
            self.assertEqual(reason, "stop")
        self.assertEqual(self.texts_for({"guided_regex": "\\w{3,5}@enigma\\.com\n", "stop": ["@"]})[0][1], "stop")
        self.assertRegex(self.texts_for({"guided_regex": "\\w{3,5}@enigma\\.com\n", "stop": ["\n"]})[0][0], r"^\w{3,5}@enigma\.com$")
        status, _, body = self.ask_for({"guided_choice": ["\U0001f600中"], "logprobs": 1})
        choice, = json.loads(body)["choices"]
        self.assertEqual((status, choice["text"], "".join(choice["logprobs"]["tokens"]).count("\ufffd")), (200, "\U0001f600中", 0))

    def test_the_bus_has_them_too(self):
        def texts(some):
            return GLib.Variant("as", some)

        text, info = self.client.generate(f"{MARKER} said:", model=LLAMA, regex="(no|yes)[!?]{2}", seed=1)
        self.assertRegex(text, r"\A(no|yes)[!?]{2}\Z")
        self.assertEqual(info["finish_reason"], "stop")
        self.assertEqual(self.client.generate(f"{MARKER} said:", model=LLAMA, choices=texts(["maybe"]), seed=1)[0], "maybe")
        name, said = harness.error_of(self.client.generate, MARKER, model=LLAMA, regex="a", choices=texts(["a"]))
        self.assertEqual((name, said), ("InvalidArgument", "choices: given together with regex"))

    def test_what_cannot_be_done_is_refused_before_any_text(self):
        for regex, message in (
                ("a(?<=b)", 'regex: "a(?<=b)" at character 2: a look-behind is not supported'),
                ("(a)\\1", 'regex: "(a)\\\\1" at character 4: a back-reference is not supported'),
                ("x(?=b)", 'regex: "x(?=b)" at character 2: a look-ahead is supported right after a leading ^ only'),
                ("a$b", "regex: no text matches it"), ("(a", 'regex: "(a" at character 1: the group is not closed')):
            error = self.refusal({"structured_outputs": {"regex": regex}, "stream": True})
            self.assertEqual((error["message"], error["param"]), (f"structured_outputs.{message}", "structured_outputs.regex"))
        said = self.refusal({"guided_regex": "(a|b)*a(a|b){60}"})["message"]
        self.assertRegex(said, r"^guided_regex: it is too complicated: it needs more than 8192 states or \d+ steps to compile$")
        error = self.refusal({"structured_outputs": {"choice": ["x" * (1 << 20)]}})
        self.assertEqual(error["param"], "structured_outputs.choice")
        many = [f"choice {i:05}" for i in range(10_000)]
        (text, _), = self.texts_for({"structured_outputs": {"choice": many}})
        self.assertIn(text, many)
        tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]
        error = self.refusal({"structured_outputs": {"choice": ["a"]}, "tools": tools}, path="/v1/chat/completions", model=PHONE)
        self.assertEqual(error["message"], "structured_outputs.choice: given together with tools")


if __name__ == "__main__":
    harness.main()
