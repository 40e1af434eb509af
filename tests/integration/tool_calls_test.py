"""Calls of random tools, made by the demonstration models at a temperature at which they make nonsense, in every syntax of
calls (daemon/engine/chat/call_syntax.h) that a chat template has: each call that is whole names a tool, and its arguments fit
the tool's schema, as python3-jsonschema judges it. The setting `chat_template` chooses the syntax. With LLMD_ALL in the
environment each syntax and each model takes all N_SETS lists of tools, else a few of them."""
import contextlib
import json
import os
import random
import struct

import harness
from harness import GLib, GPT2, LLAMA, MARKER, variants
import schema_test
from socket_test import Connection

N_SETS = 200
TAKES_ALL = "LLMD_ALL" in os.environ
STEP = 1 if TAKES_ALL else 57  # odd, so that either model takes even sets and odd ones
SEED = 4000
LONG_LLAMA = "long-llama"  # the demonstration model, whose contexts of 512 tokens are too short for some lists of tools
N_CTX = 8192
MAX_BYTES = 1500  # of a list of several tools: Llama 3.1 spells them in thrice as many tokens

NAME_BYTES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/"
# Names that every syntax can spell, and one that only JSON can.
PARAMETERS = ("city", "n", "na", "name", "größe", "x y", "a-b", "$ref")
JSON_PARAMETER = 'a"b\\'

NONSENSE = {"temperature": 1.5, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
# The only text beside calls: without it these models make no call unless they must.
NO_CALL = {"const": {"no": 9}}
NO_CALL_FORMAT = {"type": "json_schema", "json_schema": {"name": "no_call", "schema": NO_CALL}}
# How the choice of tools is put, by what is proven of it. All use the same prompt, which is computed once.
CHOICES = {
    "required": {"tool_choice": "required", "max_tokens": 120},
    "one": {"tool_choice": "required", "max_tokens": 250, "parallel_tool_calls": False},
    "named": {"max_tokens": 120},
    "auto": {"max_tokens": 40},
    # At this temperature they begin a call as readily as that text.
    "auto or JSON": {"max_tokens": 120, "response_format": NO_CALL_FORMAT, "temperature": 10},
}


class RandomTools:
    """Lists of 1 to 6 tools. Their schemas have every keyword that llmd honours, at their root those that every syntax has."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.schemas = schema_test.RandomSchema(seed)

    def tools(self):
        names = {}
        for _ in range(self.chance.choice([1, 1, 1, 2, 2, 3, 4, 6])):
            names[self.name(list(names))] = None
        tools = [{"type": "function", "function": self.function(name)} for name in names]
        while len(tools) > 1 and len(json.dumps(tools)) > MAX_BYTES:
            tools.pop()
        return tools

    def name(self, others):
        """Now and then one that another begins with."""
        begin = self.chance.choice(others) if others and self.chance.random() < 0.3 else ""
        most = self.chance.choice([3, 12, 30])
        return begin + "".join(self.chance.choice(NAME_BYTES) for _ in range(self.chance.randint(1, most)))

    def function(self, name):
        function = {"name": name}
        if self.chance.random() < 0.5:
            function["description"] = "of no consequence"
        if self.chance.random() < 0.9:
            function["parameters"] = self.parameters()
        if self.chance.random() < 0.2:
            function["strict"] = True
        return function

    def parameters(self):
        names = self.chance.sample(PARAMETERS, self.chance.randint(0, 3))
        schema = {"type": "object", "properties": {name: self.schemas.node(self.chance.randint(0, 1)) for name in names},
                  "required": [name for name in names if self.chance.random() < 0.7]}
        if self.chance.random() < 0.2:
            schema["properties"][JSON_PARAMETER] = {"type": "boolean"}
        if names and self.chance.random() < 0.2:
            schema["$defs"] = {"it": self.schemas.node(1)}
            schema["properties"][names[0]] = {"$ref": "#/$defs/it"}
        if self.chance.random() < 0.3:
            schema["additionalProperties"] = False
        return schema


def write_with_context(n_ctx, source, target):
    """A copy of a LLaMA's GGUF file that says it was trained with other contexts."""
    with open(source, "rb") as file:
        data = bytearray(file.read())
    key = b"llama.context_length"
    struct.pack_into("<I", data, data.index(key) + len(key) + 4, n_ctx)  # behind its type
    with open(target, "wb") as file:
        file.write(data)


class ToolCalls:
    """With models that write calls as those of `family` do. `marker` begins a call; empty: a call is the whole answer."""

    family = marker = ""
    has_many = True  # an answer may have several calls

    @classmethod
    def prepare(cls):
        write_with_context(N_CTX, os.path.join(harness.MODELS, LLAMA + ".gguf"),
                           cls.bus.path(f"data/llmd/models/{LONG_LLAMA}.gguf"))
        cls.bus.config(f'backend = "{harness.BACKEND}"\nchat_template = "{cls.family}"\ncontext_length = {N_CTX}\n')

    def setUp(self):
        super().setUp()
        self.connection = Connection(self.bus.path("runtime/llmd/llmd.sock"))
        self.addCleanup(self.connection.close)

    def ask(self, body):
        """(finish reason, message) of an answer; None where the prompt is too long for the model."""
        status, headers, answer = self.connection.ask("POST", "/v1/chat/completions", body)
        answer = json.loads(answer)
        if status == 400 and answer["error"]["code"] == "context_length_exceeded" and body["model"] == GPT2:
            return None
        self.assertEqual(status, 200, answer)
        self.assertNotIn("x-llmd-note", headers)
        choice, = answer["choices"]
        return choice["finish_reason"], choice["message"]

    def check_calls(self, tools, reason, calls):
        """Returns how many of the calls are whole. Only the last one of an answer that its length ended may be cut."""
        self.assertIn(reason, ("tool_calls", "length"))
        parameters = {tool["function"]["name"]: tool["function"].get("parameters", {"maxProperties": 0}) for tool in tools}
        self.assertEqual(len({call["id"] for call in calls}), len(calls), "an id comes twice")
        n_whole = 0
        for call in calls:
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            self.assertIn(name, parameters)
            if reason == "length" and call is calls[-1] and not is_json(arguments):
                continue
            self.assertIsInstance(json.loads(arguments), dict)
            schema_test.judge(parameters[name], arguments)
            n_whole += 1
        return n_whole

    def check(self, choice, tools, reason, message):
        """Returns how many calls of the answer are whole."""
        calls = message.get("tool_calls", [])
        content = message["content"] or ""
        if self.marker:
            self.assertNotIn(self.marker, content)
        if choice.startswith("auto"):
            self.assertTrue(self.has_many or len(calls) < 2)
            if calls:
                return self.check_calls(tools, reason, calls)
            self.assertIn(reason, ("stop", "length"))
            if choice != "auto" and reason == "stop":
                schema_test.judge(NO_CALL, content)
            return 0
        self.assertEqual(content, "")
        if reason == "tool_calls":
            self.assertTrue(calls)
        if choice == "one" or not self.has_many:
            self.assertLessEqual(len(calls), 1)
        if choice == "named":
            self.assertLessEqual({call["function"]["name"] for call in calls}, {tools[-1]["function"]["name"]})
        return self.check_calls(tools, reason, calls)

    def test_every_call_fits_its_tool(self):
        first = 0 if TAKES_ALL else FAMILIES.index(self.family)
        n_whole = dict.fromkeys(CHOICES, 0)
        n_answers = dict.fromkeys(CHOICES, 0)
        for i in range(first, N_SETS, STEP):
            tools = RandomTools(SEED + i).tools()
            named = {"type": "function", "function": {"name": tools[-1]["function"]["name"]}}
            asked = {"messages": [{"role": "user", "content": MARKER}], "tools": tools, "seed": i, "reasoning_effort": "none",
                     **NONSENSE}
            # Of a few lists one model answers each: the odd ones GPT-2, where they fit into its context.
            models = [GPT2, LONG_LLAMA] if TAKES_ALL or i % 2 else [LONG_LLAMA]
            for model in models:
                answer = None
                for choice, fields in CHOICES.items():
                    if choice == "named":
                        fields = {**fields, "tool_choice": named}
                    body = {**asked, "model": model, **fields}
                    with self.subTest(choice=choice, body=json.dumps(body)):
                        answer = self.ask(body)
                        if answer is None:
                            break
                        n_answers[choice] += 1
                        n_whole[choice] += self.check(choice, tools, *answer)
                if answer is not None and not TAKES_ALL:
                    break
        # Many are cut where a model makes nonsense.
        least = n_answers["required"] // 2 if TAKES_ALL else 0
        self.assertGreater(n_whole["required"] + n_whole["one"] + n_whole["named"], least, n_whole)
        if TAKES_ALL:
            self.assertGreater(n_whole["auto or JSON"], 0, n_whole)

    def test_the_bus_gives_them_too(self):
        place = FAMILIES.index(self.family)
        for seed in range(N_SETS + place, N_SETS + place + 2):
            tools = RandomTools(SEED + seed).tools()
            options = {"model": LONG_LLAMA, "tools": json.dumps(tools), "tool_choice": "required", "seed": seed,
                       "thinking": "none", "max_tokens": 250, "parallel_tool_calls": GLib.Variant("b", False), **NONSENSE}
            with self.subTest(options=json.dumps({**options, "parallel_tool_calls": False})):
                text, info = self.client.call("Chat", GLib.Variant("(aa{sv}a{sv})", (
                    [variants({"role": "user", "content": MARKER})], variants(options))))
                self.assertEqual(text, "")
                calls = json.loads(info.get("tool_calls", "[]"))
                self.assertEqual(len(calls), 1)
                self.check_calls(tools, info["finish_reason"], calls)


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


# A class for each syntax, with a family that has it; no family has Gemma 4's yet.
class Hermes(ToolCalls, harness.TestCase):
    family = "hermes"
    marker = "<tool_call>"


class Exaone(ToolCalls, harness.TestCase):
    family = "exaone4"
    marker = "<tool_call>"


class Hunyuan(ToolCalls, harness.TestCase):
    family = "hunyuan"
    marker = "<tool_calls>"


class Mistral(ToolCalls, harness.TestCase):
    family = "mistral-v7-tekken"
    marker = "[TOOL_CALLS]"


class MistralList(ToolCalls, harness.TestCase):
    family = "mistral-v3"
    marker = "[TOOL_CALLS]"


class Phi4Mini(ToolCalls, harness.TestCase):
    family = "phi4-mini"
    marker = "<|tool_call|>"


class Llama(ToolCalls, harness.TestCase):
    family = "llama3.1"
    has_many = False


class Generic(ToolCalls, harness.TestCase):
    family = "chatml"
    has_many = False


class QwenXml(ToolCalls, harness.TestCase):
    family = "qwen3.5"
    marker = "<tool_call>"


class MiniCpm5(ToolCalls, harness.TestCase):
    family = "minicpm5"
    marker = '<function name="'


class Lfm2(ToolCalls, harness.TestCase):
    family = "lfm2"
    marker = "<|tool_call_start|>"


FAMILIES = [one.family for one in ToolCalls.__subclasses__()]


if __name__ == "__main__":
    harness.main()
