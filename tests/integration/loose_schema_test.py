"""Schemas as common libraries write them, on every way by which one comes: what cannot be enforced is left out, and a note names its place
and keyword, so that the schema without these keywords is what the text fits, as python3-jsonschema judges it. A schema that asks for
strictness is refused instead, and so is what is malformed."""
import json
import subprocess
import tempfile

import response_format
from harness import LIMIT_S, LLMCTL, PHONE, main
from response_format import WORDS, left_out, without
from schema_test import judge

STRING = {"type": "string"}
WHOLE = {"type": "integer", "minimum": 0, "maximum": 9}


def record(**properties):
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


# What zod 4 and zod-to-json-schema write, and what pydantic does, by what is left out of it: (where, keyword).
ENFORCED = {
    "z.record of an enum": {"type": "object", "propertyNames": {"type": "string", "enum": ["x", "y"]},
                            "additionalProperties": WHOLE, "required": ["x", "y"]},
    "z.partialRecord": {"type": "object", "propertyNames": {"enum": ["x", "y"]}, "additionalProperties": WHOLE},
    "z.record of strings": {"type": "object", "propertyNames": {"minLength": 2, "maxLength": 4}, "additionalProperties": WHOLE,
                            "maxProperties": 3},
    "dict of a pattern": {"type": "object", "patternProperties": {"^[a-c]{1,2}$": WHOLE}, "maxProperties": 3},
    "settings beside others": {"type": "object", "properties": {"name": {"enum": ["a", "b"]}}, "required": ["name"],
                               "patternProperties": {"^x-[a-z]{1,3}$": WHOLE}, "additionalProperties": False, "maxProperties": 3},
    "z.set of an enum": {"type": "array", "uniqueItems": True, "items": {"enum": ["x", "y", "z"]}},
    "z.discriminatedUnion": {"oneOf": [record(kind={"const": "a"}, n=WHOLE), record(kind={"const": "b"}, b={"type": "boolean"})]},
    "z.tuple": {"type": "array", "prefixItems": [WHOLE, {"type": "boolean"}], "items": False, "minItems": 2},
    "z.literal of several": {"type": ["string", "number"], "enum": ["a", 1]},
    "z.int": {"type": "integer", "minimum": -9007199254740991, "maximum": 9007199254740991},
    "z.stringFormat": {"type": "string", "format": "hex", "pattern": "^[0-9a-fA-F]{1,8}$"},
    "z.date of datetime": {"type": "string", "format": "date-time"},
    "z.nullable": {"anyOf": [WHOLE, {"type": "null"}]},
    "z.lazy": {"$ref": "#/$defs/list", "$defs": {"list": {"anyOf": [{"type": "null"}, record(n=WHOLE)]}}},
}
LEFT_OUT = {
    "Path": (record(a={"type": "string", "format": "path", "maxLength": 9}), [("#/properties/a", "format")]),
    "bytes": (record(a={"type": "string", "format": "binary", "maxLength": 9}), [("#/properties/a", "format")]),
    "set of str": ({"type": "array", "items": {"type": "string", "maxLength": 3}, "maxItems": 3, "uniqueItems": True},
                   [("#", "uniqueItems")]),
    "Json[int]": ({"type": "string", "maxLength": 9, "contentMediaType": "application/json", "contentSchema": {"type": "integer"}},
                  [("#", "contentSchema")]),
    "a large multiple": ({"type": "integer", "minimum": 0, "maximum": 5000, "multipleOf": 2048}, [("#", "multipleOf")]),
    "z.never in a union": ({"anyOf": [WHOLE, {"type": "boolean", "not": {}}]}, [("#/anyOf/1", "not")]),
    "a pattern of Unicode": (record(a={"type": "string", "pattern": r"^\p{L}+$", "maxLength": 5}), [("#/properties/a", "pattern")]),
    "an enum beside a length": ({"type": "string", "enum": ["a", "bc"], "minLength": 2}, [("#", "minLength")]),
    "a union of keys": ({"type": "object", "propertyNames": {"anyOf": [{"const": "a"}, {"format": "uuid"}]},
                         "additionalProperties": WHOLE, "maxProperties": 2}, [("#", "propertyNames")]),
    "if and then": (dict(record(a=WHOLE), **{"if": {"required": ["a"]}, "then": {"required": ["b"]}}), [("#", "if"), ("#", "then")]),
    "contains": ({"type": "array", "items": WHOLE, "maxItems": 3, "contains": {"const": 7}}, [("#", "contains")]),
    "an overlapping oneOf": ({"oneOf": [{"type": "integer", "minimum": 0, "maximum": 5}, {"type": "number", "const": 5}]},
                             [("#", "oneOf")]),
    "in a definition": ({"$defs": {"p": {"type": "string", "format": "file-path", "maxLength": 5}}, "type": "array", "minItems": 1,
                         "maxItems": 1, "items": {"$ref": "#/$defs/p"}}, [("#/$defs/p", "format")]),
}
REFUSED = {
    "no name of a type": {"type": "any"},
    "properties as an array": {"type": "object", "properties": []},
    "a bound that is a text": {"type": "integer", "minimum": "1"},
    "a reference to nowhere": {"$ref": "#/$defs/a"},
    "a contradiction": {"type": "integer", "minimum": 2, "maximum": 1},
    "the wrapper": {"name": "n", "schema": {"type": "object"}},
}


class LooseSchema(response_format.TestCase):
    def test_what_can_be_enforced_is(self):
        for name, schema in ENFORCED.items():
            for strict in ({}, {"strict": True}, {"strict": None}):
                with self.subTest(name, strict=strict):
                    status, text, has_ended, notes = self.chat(schema, **strict)
                    self.assertEqual((status, notes), (200, []), text)
                    self.assertTrue(has_ended, text)
                    judge(schema, text)

    def test_what_cannot_is_left_out_and_told(self):
        for name, (schema, left) in LEFT_OUT.items():
            with self.subTest(name):
                status, text, has_ended, notes = self.chat(schema)
                self.assertEqual(status, 200, text)
                self.assertEqual(left_out(notes), left)
                self.assertTrue(has_ended, text)
                judge(without(schema, left), text)

    def test_a_strict_schema_is_refused_instead(self):
        for name, (schema, left) in LEFT_OUT.items():
            with self.subTest(name):
                status, said, _, notes = self.chat(schema, strict=True)
                if left[0][1] == "format":  # an annotation, of which a note tells all the same
                    self.assertEqual((status, left_out(notes)), (200, left), said)
                else:
                    self.assertEqual(status, 400)
                    self.assertTrue(said.startswith(f"{response_format.FIELD}: at \"{left[0][0]}\": "), said)

    def test_what_is_malformed_is_refused(self):
        for name, schema in REFUSED.items():
            for strict in ({}, {"strict": True}):
                with self.subTest(name, strict=strict):
                    self.assertEqual(self.chat(schema, **strict)[0], 400)
        self.assert_refused({"strict": 1, "schema": {"type": "object"}})

    def assert_refused(self, form):
        status, _, body = self.ask("/v1/chat/completions", {
            "model": PHONE, "messages": [{"role": "user", "content": WORDS}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "n", **form}}})
        self.assertEqual(status, 400)
        self.assertIn("strict", json.loads(body)["error"]["message"])

    def test_every_way_tells_of_it(self):
        schema, left = LEFT_OUT["set of str"]
        messages = [{"role": "user", "content": WORDS}]
        status, headers, body = self.ask("/api/chat", {"model": PHONE, "messages": messages, "stream": False, "format": schema})
        self.assertEqual((status, left_out(headers.get_all("x-llmd-note"))), (200, left))
        self.assertTrue(headers["x-llmd-note"].startswith("format: at "), headers["x-llmd-note"])
        text = json.loads(body)["message"]["content"]
        form = {"type": "json_schema", "name": "n", "schema": schema}
        status, headers, body = self.ask("/v1/responses", {"model": PHONE, "input": WORDS, "text": {"format": form}})
        self.assertEqual((status, left_out(headers.get_all("x-llmd-note"))), (200, left), body)
        self.assertTrue(headers["x-llmd-note"].startswith("text.format: at "), headers["x-llmd-note"])
        status, _, _ = self.ask("/v1/responses", {"model": PHONE, "input": WORDS, "text": {"format": dict(form, strict=True)}})
        self.assertEqual(status, 400)
        of_bus, info = self.client.generate(WORDS, model=PHONE, system="Answer.", json_schema=json.dumps(schema))
        self.assertEqual(left_out(info["notes"]), left)
        with tempfile.NamedTemporaryFile("w", suffix=".json", dir=self.bus.folder) as file:
            json.dump(schema, file)
            file.flush()
            done = subprocess.run([LLMCTL, "generate", "--system", "Answer.", "--json-schema", file.name, WORDS], text=True,
                                  env=self.bus.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('llmctl: --json-schema: at "#": uniqueItems is supported if ', done.stderr)
        for one in (text, of_bus, done.stdout):
            judge(without(schema, left), one)

    def test_so_does_a_tool(self):
        for strict in (False, True):
            tool = {"type": "function", "function": {"name": "f", "strict": strict, "parameters": record(a=LEFT_OUT["set of str"][0])}}
            status, headers, body = self.ask("/v1/chat/completions", {
                "model": PHONE, "messages": [{"role": "user", "content": WORDS}], "temperature": 0, "max_tokens": 60,
                "tools": [tool], "tool_choice": "required"})
            if strict:
                self.assertEqual(status, 400)
                continue
            self.assertEqual(status, 200, body)
            note, = headers.get_all("x-llmd-note")
            self.assertTrue(note.startswith('tools[0].function.parameters: at "#/properties/a": uniqueItems is supported'), note)
            call, = json.loads(body)["choices"][0]["message"]["tool_calls"]
            judge(without(record(a=LEFT_OUT["set of str"][0]), [("#/properties/a", "uniqueItems")]),
                  call["function"]["arguments"])


if __name__ == "__main__":
    main()
