"""Texts that are held to a JSON schema, made by the demonstration models at a temperature at which they make nonsense:
every finished one must fit its schema, as python3-jsonschema judges it. LLMD_SCHEMAS is how many random schemas are
tried with each model."""
import contextlib
import decimal
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile

import harness
from harness import GPT2, LIMIT_S, LLAMA, LLMCTL, MARKER
from socket_test import Connection

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(harness.SKIP)

CONTROL_TOKEN = 3  # in tokenizer.ggml.token_type
N_SCHEMAS = int(os.environ.get("LLMD_SCHEMAS", "40"))
SEED = 20
WORDS = ("name", "age", "n", "na", "colour", "tags", "größe", "a\"b\\", "x y", "")

PATTERNS = ("^[a-z]+$", "^[A-Z]{2}-\\d{1,4}$", "a", "^(red|green)( wine)?$", "^\\S+$", "\\d$", "^[^\"\\s]{1,6}$",
            "^.{2,5}$", "^(?=.*[0-9])(?!.*x)\\w{1,20}$", "^(?:[a-c]|x\\\\)*?\\.?$", "^$|^\\W", "\\D\\d?é+[^a-z]")

PERSON = {
    "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Person", "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 24, "description": "how friends say"},
        "age": {"type": "integer", "minimum": 0, "maximum": 120},
        "colours": {"type": "array", "items": {"enum": ["red", "green", "dark green"]}, "maxItems": 4},
        "friend": {"anyOf": [{"$ref": "#"}, {"type": "null"}], "default": None},
    },
    "required": ["name", "age", "friend"], "additionalProperties": False,
}


class RandomSchema:
    """Schemas of every keyword that llmd honours, small enough to be finished now and then."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def schema(self):
        root = self.node(3)
        if self.chance.random() < 0.3:
            root = {"$defs": {"it": self.node(1)}, "type": "array", "maxItems": 3, "items": {"$ref": "#/$defs/it"}}
        return root

    def node(self, depth):
        kinds = [self.text, self.whole, self.number, self.choice, self.constant, self.simple, self.formatted,
                 self.patterned, self.multiple, self.merged_text]
        if depth > 0:
            kinds += [self.record, self.record, self.record, self.list, self.tuple, self.any_of, self.one_of, self.map,
                      self.unique, self.merged_record, self.counted_record, self.named, self.matched]
        node = self.chance.choice(kinds)(depth - 1)
        if self.chance.random() < 0.2:
            node[self.chance.choice(["description", "title", "x-order"])] = "of no consequence"
        if "type" in node and self.chance.random() < 0.05:
            node["nullable"] = True
        return node

    def text(self, _depth):
        node = {"type": "string"}
        if self.chance.random() < 0.8:
            node["maxLength"] = self.chance.randint(0, 12)
            if self.chance.random() < 0.5:
                node["minLength"] = self.chance.randint(0, node["maxLength"])
        return node

    def bounds(self):
        low = self.chance.randint(-10 ** self.chance.randint(0, 6), 10 ** self.chance.randint(0, 6))
        bounds = {"minimum": low, "maximum": low + self.chance.randint(0, 10 ** self.chance.randint(0, 6))}
        return {key: value for key, value in bounds.items() if self.chance.random() < 0.7}

    def whole(self, _depth):
        node = {"type": "integer", **self.bounds()}
        if self.chance.random() < 0.2 and "minimum" in node:
            node["exclusiveMinimum"] = node.pop("minimum") - 1
        return node

    def number(self, _depth):
        node = {"type": "number", **self.bounds()}
        if self.chance.random() < 0.3:
            node = {"type": "number", "minimum": self.chance.choice([-2.75, 0.5, 1e-3])}
        if self.chance.random() < 0.3:
            node["exclusiveMaximum"] = node.get("minimum", 0) + self.chance.choice([0.5, 1, 20, 2500])
        return node

    def multiple(self, _depth):
        kind, multiple = self.chance.choice([("integer", 5), ("integer", 7), ("integer", 60), ("number", 12),
                                             ("number", 0.01), ("number", 0.1)])
        bounds = self.bounds()
        if "minimum" in bounds:
            bounds["maximum"] = bounds["minimum"] + self.chance.choice([multiple, 100, 20000])
        return {"type": kind, "multipleOf": multiple, **bounds}

    def patterned(self, _depth):
        node = {"type": "string", "pattern": self.chance.choice(PATTERNS)}
        if self.chance.random() < 0.4:
            node["maxLength"] = self.chance.randint(8, 30)
            if self.chance.random() < 0.5:
                node["minLength"] = self.chance.randint(0, 3)
        return node

    def merged_text(self, _depth):
        parts = [{"maxLength": self.chance.randint(9, 12)}, {"type": ["string", "null"]}, {"minLength": 2},
                 {"pattern": "^[a-z ]"}, {"pattern": "[a-z]$"}]
        return {"type": "string", "allOf": self.chance.sample(parts, self.chance.randint(1, 4))}

    def value(self):
        return self.chance.choice([None, True, False, -3, 17, 2.5, "", "red", "dark red", "größe\n", [1, "a"],
                                   {"k": [None]}])

    def choice(self, _depth):
        return {"enum": [self.value() for _ in range(self.chance.randint(1, 5))]}

    def constant(self, _depth):
        return {"const": self.value()}

    def simple(self, _depth):
        return {"type": self.chance.choice(["null", "boolean", ["boolean", "null"], ["integer", "string"]])}

    def formatted(self, _depth):
        return {"type": "string", "format": self.chance.choice(["date", "time", "date-time", "uuid", "ipv4", "ipv6",
                                                                "duration", "hostname", "email", "uri"])}

    def record(self, depth):
        names = self.chance.sample(WORDS, self.chance.randint(1, 4))
        node = {"type": "object", "properties": {name: self.node(depth) for name in names},
                "required": [name for name in names if self.chance.random() < 0.6]}
        if self.chance.random() < 0.3:
            node["additionalProperties"] = self.chance.choice([False, True, {"type": "integer"}])
        return node

    def merged_record(self, depth):
        """An object whose parts are in an allOf, beside it and in the alternatives of an anyOf."""
        names = self.chance.sample(WORDS, 3)
        first = self.chance.choice([self.text, self.whole, self.patterned])(depth)
        node = {"allOf": [{"type": "object", "properties": {names[0]: first}, "required": names[:1]}],
                "properties": {names[1]: self.node(depth)}}
        if self.chance.random() < 0.5:
            node["anyOf"] = [{"properties": {names[2]: {"type": "integer"}}, "required": names[2:]},
                             {"required": names[1:2]}]
        if self.chance.random() < 0.5:
            node["allOf"].append({"properties": {names[0]: {"type": ["string", "integer", "null"], "maxLength": 40},
                                                 names[1]: True}})
        return node

    def counted_record(self, depth):
        node = self.record(depth)
        least = self.chance.randint(0, len(node["properties"]))
        node["minProperties"] = least
        if self.chance.random() < 0.5:
            node["maxProperties"] = max(least, len(node["required"])) + self.chance.randint(0, 2)
        return node

    def unique(self, _depth):
        node = {"type": "array", "uniqueItems": True,
                "items": self.chance.choice([{"type": "boolean"}, {"const": 3}, {"enum": ["a", "b", "a\"", 4, None]}])}
        if self.chance.random() < 0.5:
            node["minItems"] = 1
        if self.chance.random() < 0.5:
            node["maxItems"] = self.chance.randint(1, 3)
        return node

    def map(self, depth):
        return {"type": "object", "additionalProperties": self.node(depth)}

    def named(self, depth):
        """An object of which only the names are described."""
        names = self.chance.choice([{"enum": ["a", "na", "größe", 3]}, {"const": "x y"}, {"minLength": 2, "maxLength": 4},
                                    {"pattern": self.chance.choice(PATTERNS)}, {"format": "date"}])
        return {"type": "object", "propertyNames": names, "additionalProperties": self.node(depth), "maxProperties": 3}

    def matched(self, depth):
        """Patterns of names beside listed properties, which some of them match."""
        node = self.record(depth)
        patterns = self.chance.sample(PATTERNS + ("^n", "e$", ""), self.chance.randint(1, 3))
        node["patternProperties"] = {
            pattern: any(re.search(pattern, name) for name in node["properties"]) or {"type": ["integer", "null"]}
            for pattern in patterns}
        node["maxProperties"] = len(node["properties"]) + 2
        return node

    def list(self, depth):
        node = {"type": "array", "items": self.node(depth)}
        if self.chance.random() < 0.8:
            node["maxItems"] = self.chance.randint(0, 4)
            if self.chance.random() < 0.5:
                node["minItems"] = self.chance.randint(0, node["maxItems"])
        return node

    def tuple(self, depth):
        return {"type": "array", "prefixItems": [self.node(depth) for _ in range(self.chance.randint(1, 3))],
                "items": False}

    def any_of(self, depth):
        return {"anyOf": [self.node(depth) for _ in range(self.chance.randint(1, 3))]}

    def one_of(self, depth):
        return {"oneOf": [{"type": "integer"}, {"type": "string", "maxLength": 5},
                          {"type": "array", "items": self.node(depth), "maxItems": 2}]}


def write_without(character, source, target):
    """A copy of a GGUF file in which every token that spells `character` is a control token, which no text holds."""
    with open(source, "rb") as file:
        data = bytearray(file.read())

    def elements(key):
        """Where the array of a key begins, and how many elements it has."""
        at = data.index(struct.pack("<Q", len(key)) + key) + 8 + len(key) + 8  # its type and its elements'
        return at + 8, struct.unpack_from("<Q", data, at)[0]

    at, n_tokens = elements(b"tokenizer.ggml.tokens")
    types, _ = elements(b"tokenizer.ggml.token_type")
    for i in range(n_tokens):
        length, = struct.unpack_from("<Q", data, at)
        if character.encode() in data[at + 8:at + 8 + length]:
            struct.pack_into("<i", data, types + 4 * i, CONTROL_TOKEN)
        at += 8 + length
    with open(target, "wb") as file:
        file.write(data)


def is_multiple(_validator, divisor, number, _schema):
    """Of the number as it is written: 0.07 is a multiple of 0.01, though its double is not."""
    if type(number) in (int, float) and decimal.Decimal(repr(number)) % decimal.Decimal(repr(divisor)) != 0:
        yield jsonschema.ValidationError(f"{number} is no multiple of {divisor}")


def has_type(validator, types, value, schema):
    """OpenAPI's `nullable` adds null to `type`."""
    if value is not None or not schema.get("nullable"):
        yield from jsonschema.Draft202012Validator.VALIDATORS["type"](validator, types, value, schema)


Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"multipleOf": is_multiple, "type": has_type})
checker = jsonschema.FormatChecker(formats=("date", "ipv4", "ipv6"))
FORMATS = {
    "duration": r"P(?!$)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?",
    "hostname": r"(?=.{1,253}$)(?!-)[A-Za-z0-9-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*",
    "email": r"[\w.+-]{1,64}@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}",
    "uri": r"[a-z][a-z0-9+.-]*://[^\s/?#]+(/[^\s?#]*)?(\?[^\s#]*)?(#\S*)?",
}
for name, pattern in FORMATS.items():
    checker.checks(name)(lambda text, pattern=pattern: not isinstance(text, str) or re.fullmatch(pattern, text))


def judge(schema, text):
    Validator(schema, format_checker=checker).validate(json.loads(text))


class Schema(harness.TestCase):
    def generate(self, schema, **options):
        options = {"temperature": 1.5, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "seed": 1, "max_tokens": 150, **options}
        text, info = self.client.generate(f"{MARKER} was asked, and said:", json_schema=json.dumps(schema), **options)
        self.texts.append(text)
        return text, info["finish_reason"]

    def test_every_finished_text_fits(self):
        for model in (LLAMA, GPT2):
            n_finished = 0
            for i in range(N_SCHEMAS):
                schema = RandomSchema(SEED + i).schema()
                filters = ({}, {"top_k": 40, "top_p": 0.95, "min_p": 0.05}, {"top_p": 0.9, "repeat_penalty": 1.1})[i % 3]
                text, reason = self.generate(schema, model=model, seed=i, **filters)
                with self.subTest(model=model, i=i, schema=json.dumps(schema), text=text):
                    self.assertIn(reason, ("stop", "length"))
                    if reason == "stop":
                        judge(schema, text)
                        n_finished += 1
            self.assertGreater(n_finished, N_SCHEMAS // 2, "too few to prove anything")

    def test_greedy_text_fits_too(self):
        text, reason = self.generate(PERSON, model=LLAMA, temperature=0.0, max_tokens=400)
        if reason == "stop":
            judge(PERSON, text)
        self.assertTrue(text.startswith('{"name":'), text)

    def test_an_engine_that_dies_changes_no_text(self):
        for seed in range(50):
            options = {"temperature": 1.2, "seed": seed, "model": LLAMA, "max_tokens": 300}
            text, reason = self.generate(PERSON, **options)
            if reason == "stop" and len(text) > 60:
                break
        judge(PERSON, text)
        path, fd = self.client.stream(f"{MARKER} was asked, and said:", json_schema=json.dumps(PERSON), top_k=0,
                                      top_p=1.0, min_p=0.0, **options)
        parts = [harness.read_line(fd)["text"]]
        with self.daemon.held_engine():
            os.kill(self.client.engine_of(LLAMA), signal.SIGKILL)
        while "text" in (line := harness.read_line(fd)):
            parts.append(line["text"])
        os.close(fd)
        self.assertEqual("".join(parts), text)
        self.assertEqual(self.client.wait_finished(path)[3]["finish_reason"], "stop")

    def test_a_malformed_schema_is_refused_before_any_text(self):
        for schema, message in (('{"pattern":3}', 'json_schema: at "#": pattern: 3 is not a string'),
                                ('{"properties":{"a":{"minimum":"1"}}}',
                                 'json_schema: at "#/properties/a": minimum: "1" is not a number'),
                                ("{", None), ("", None), ("[" * 60000, None), ("x" * 70000, None)):
            name, said = harness.error_of(self.client.generate, MARKER, model=LLAMA, json_schema=schema)
            self.assertEqual(name, "InvalidArgument")
            self.assertTrue(said.startswith("json_schema: "), said)
            self.assertIn(said, (message or said,))
        self.assert_serves()

    def test_llmctl_reads_the_schema_from_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json", dir=self.bus.folder) as file:
            json.dump({"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 3}, file)
            file.flush()
            made = self.llmctl("--json-schema", file.name, MARKER)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertIn(len(json.loads(made.stdout)), (2, 3))
            file.seek(0)
            file.truncate()
            file.write('{"not":{}}')
            file.flush()
            refused = self.llmctl("--json-schema", file.name, MARKER)
        self.assertEqual(refused.returncode, 2)
        self.assertRegex(refused.stderr, r'--json-schema: /\S+\.json: at "#": "not" is not supported')
        missing = self.llmctl("--json-schema", "/nowhere", MARKER)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("--json-schema: /nowhere: No such file", missing.stderr)

    def test_a_vocabulary_that_cannot_spell_it_is_an_error_of_its_own(self):
        """On the bus, on the socket and as llmctl's exit code; a text that needs no such token is made."""
        write_without("{", os.path.join(harness.MODELS, GPT2 + ".gguf"), self.bus.path("data/llmd/models/braceless.gguf"))
        braceless = {"model": "braceless", "max_tokens": 20}
        name, said = harness.error_of(self.client.generate, MARKER, json_schema='{"const":"a{b"}', **braceless)
        self.assertEqual(name, "ConstraintFailed")
        self.assertTrue(said.startswith("json_schema: after "), said)
        form = {"type": "json_schema", "json_schema": {"name": "brace", "schema": {"const": "{"}}}
        with contextlib.closing(Connection(self.bus.path("runtime/llmd/llmd.sock"))) as connection:
            status, headers, body = connection.ask("POST", "/v1/completions",
                                                   dict(braceless, prompt=MARKER, response_format=form))
        self.assertEqual((status, headers["x-should-retry"]), (400, "false"))
        self.assertEqual(json.loads(body)["error"]["name"], "ConstraintFailed")
        with tempfile.NamedTemporaryFile("w", suffix=".json", dir=self.bus.folder) as file:
            file.write('{"const":"{"}')
            file.flush()
            failed = self.llmctl("--model", "braceless", "--json-schema", file.name, MARKER)
        self.assertEqual(failed.returncode, 8, failed.stderr)
        self.assertIn("no token of this model goes on with a text that fits", failed.stderr)
        text, reason = self.generate({"const": "a}b"}, **braceless)
        self.assertEqual((json.loads(text), reason), ("a}b", "stop"))

    def llmctl(self, *arguments):
        return subprocess.run([LLMCTL, "generate", *arguments], env=self.bus.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT_S)


if __name__ == "__main__":
    harness.main()
