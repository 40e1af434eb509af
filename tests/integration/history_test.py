"""Whatever llmd answered, and whatever a program keeps of it, is taken back: answers to random requests with random tools are cut
anywhere, as programs and limits cut them, put into a conversation whose beginning may have been trimmed, and sent on every door.
With LLMD_ALL in the environment 2,000 of them, else a few."""
import json
import os
import random

import harness
from harness import GLib, MARKER, variants
from socket_test import Connection
from tool_calls_test import LONG_LLAMA, N_CTX, RandomTools, ToolCalls

N_ANSWERS = 2000 if "LLMD_ALL" in os.environ else 40
SEED = 9000
QUESTION = {"role": "user", "content": MARKER}
RESULTS = ["12:00", "", None, 12, -0.5, True, [], {}, {"time": [12, None]}, ["12:00", 1], [{"type": "cafe"}],
           [{"type": "text", "text": "12:00"}]]
# What tools' schemas should not be, and yet are.
ODD_PARAMETERS = [
    True, False, [], "{}", 7, None, {"type": "string"}, {"type": "object", "properties": []}, {"type": "any"},
    {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}}, {"type": "object", "properties": {"a": {"$ref": "a.json"}}},
    {"type": "object", "properties": {"a": {"$ref": "#/$defs/b", "$defs": {"b": {"type": "integer"}}}}},
    {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
    {"type": "object", "properties": {"a": {"type": "string", "minLength": -1}, "b": {"type": "array", "minItems": -1}}},
    {"type": "object", "properties": {"a": {"type": "integer", "minimum": 2, "maximum": 1}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {"enum": []}, "b": {"type": "file"}, "c": 7}, "required": None},
    {"type": "object", "properties": {f"p{i}": {} for i in range(201)}},
]


class Histories:
    """Conversations as a program might hold them, each with an answer of llmd's that was cut somewhere."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def cut(self, text):
        return text[:self.chance.randint(0, len(text))]

    def kept(self, message):
        """An answer as a program keeps it."""
        message = {key: value for key, value in message.items() if key in ("role", "content", "tool_calls")}
        way = self.chance.randrange(5)
        if message.get("content") and way < 2:
            message["content"] = self.cut(message["content"])
        if not message.get("content"):
            message["content"] = self.chance.choice([None, ""])
        for call in message.get("tool_calls", []):
            function = call["function"]
            if self.chance.random() < 0.3:
                function["arguments"] = self.chance.choice([self.cut(function["arguments"]), "null", "[]", "", "7"])
            if self.chance.random() < 0.05:
                del call["function"]
        if "tool_calls" in message and self.chance.random() < 0.1:
            del message["tool_calls"]
        return message

    def conversation(self, message):
        kept = self.kept(message)
        messages = [QUESTION, kept]
        for call in message.get("tool_calls", []):
            if self.chance.random() < 0.9:
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": self.chance.choice(RESULTS)})
        if self.chance.random() < 0.3:
            messages.append({"role": "assistant", "content": self.chance.choice([None, "", "so"])})
        if self.chance.random() < 0.7:
            messages.append(QUESTION)
        if self.chance.random() < 0.2:
            messages = messages[self.chance.randint(0, len(messages) - 1):]  # a program that keeps the newest alone
        asks = any(one["role"] != "assistant" or one["content"] or one.get("tool_calls") for one in messages)
        return messages if asks else messages + [QUESTION]


def as_items(messages):
    """The input of /v1/responses."""
    items = []
    for message in messages:
        if message["role"] == "tool":
            items.append({"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]})
            continue
        items.append({"role": message["role"], "content": message["content"]})
        for call in message.get("tool_calls", []):
            items.append({"type": "function_call", "call_id": call["id"], **call.get("function", {})})
    return items


def as_ollama(messages):
    """Its calls have no ids, and their arguments are objects where they can be."""
    names = {call["id"]: call.get("function", {}).get("name", "") for one in messages for call in one.get("tool_calls", [])}
    out = []
    for message in messages:
        one = {key: message[key] for key in ("role", "content") if message[key] is not None}
        if message["role"] == "tool":
            one["tool_name"] = names.get(message["tool_call_id"], "")
        if message.get("tool_calls"):
            one["tool_calls"] = [{"function": {**call["function"], "arguments": as_object(call["function"]["arguments"])}}
                                 for call in message["tool_calls"] if "function" in call]
        out.append(one)
    return out


def as_turns(messages):
    """Anthropic's, whose calls and results are blocks."""
    turns = []
    for message in messages:
        if message["role"] == "tool":
            result = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
            turns.append({"role": "user", "content": [result]})
            continue
        blocks = [{"type": "text", "text": message["content"]}] if message["content"] else []
        for call in message.get("tool_calls", []):
            function = call.get("function", {})
            blocks.append({"type": "tool_use", "id": call["id"], "name": function.get("name"),
                           "input": as_object(function.get("arguments", "{}"))})
        turns.append({"role": message["role"], "content": blocks if blocks else message["content"]})
    return turns


def as_tools(tools):
    return [{"name": one["name"], "input_schema": one.get("parameters", {"type": "object"})}
            for one in (tool["function"] for tool in tools)]


def as_object(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def as_bus(messages):
    out = []
    for message in messages:
        one = {key: value for key, value in message.items() if value is not None}
        if "tool_calls" in one:
            one["tool_calls"] = json.dumps(one["tool_calls"])
        if not isinstance(one.get("content", ""), str):
            one["content"] = json.dumps(one["content"])  # an application's own code writes it
        out.append(variants(one))
    return out


class HistoryTest(harness.TestCase):
    family = "hermes"

    @classmethod
    def prepare(cls):
        ToolCalls.prepare.__func__(cls)

    def setUp(self):
        super().setUp()
        self.connection = Connection(self.bus.path("runtime/llmd/llmd.sock"))
        self.addCleanup(self.connection.close)

    def ask(self, path, body):
        status, _, answer = self.connection.ask("POST", path, {"model": LONG_LLAMA, **body})
        self.assertEqual(status, 200, answer)
        return json.loads(answer)

    def test_every_answer_is_taken_back_on_every_door(self):
        chance = random.Random(SEED)
        for i in range(N_ANSWERS):
            tools = RandomTools(SEED + i).tools()
            answer = self.ask("/v1/chat/completions", {
                "messages": [QUESTION], "tools": tools, "seed": i, "temperature": 1.5, "reasoning_effort": "none",
                "tool_choice": chance.choice(["auto", "required", "none"]), "max_tokens": chance.choice([1, 5, 30, 90]),
                "stop": chance.choice([[], ["e"], [" "]])})
            messages = Histories(SEED + i).conversation(answer["choices"][0]["message"])
            with self.subTest(messages=json.dumps(messages)):
                few = {"max_tokens": 1, "reasoning_effort": "none"}
                self.ask("/v1/chat/completions", {"messages": messages, "tools": tools, **few})
                self.ask("/v1/responses", {"input": as_items(messages), "tools": tools, "max_output_tokens": 1})
                self.ask("/v1/messages", {"messages": as_turns(messages), "tools": as_tools(tools), "max_tokens": 1,
                                          "thinking": {"type": "disabled"}})
                self.ask("/api/chat", {"messages": as_ollama(messages), "tools": tools, "stream": False, "think": False,
                                       "options": {"num_predict": 1}})
                options = variants({"model": LONG_LLAMA, "tools": json.dumps(tools), "max_tokens": 1, "thinking": "none"})
                self.client.call("Chat", GLib.Variant("(aa{sv}a{sv})", (as_bus(messages), options)))

    def test_one_odd_tool_refuses_no_request(self):
        fine = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        for odd in ODD_PARAMETERS:
            tools = [{"type": "function", "function": {"name": name, "parameters": parameters}}
                     for name, parameters in (("fine", fine), ("odd", odd))]
            with self.subTest(odd=json.dumps(odd)[:200]):
                few = {"max_tokens": 1, "messages": [QUESTION]}
                self.ask("/v1/chat/completions", {**few, "tools": tools, "tool_choice": "required"})
                self.ask("/v1/responses", {"input": MARKER, "tools": tools, "max_output_tokens": 1})
                self.ask("/v1/messages", {**few, "tools": as_tools(tools)})
                self.ask("/api/chat", {"messages": [QUESTION], "tools": tools, "stream": False, "options": {"num_predict": 1}})
                if odd is None or odd == {}:
                    continue
                tools[1]["function"]["strict"] = True
                strict = self.connection.ask("POST", "/v1/chat/completions", {"model": LONG_LLAMA, **few, "tools": tools})
                self.assertEqual(strict[0], 400, strict[2])
                self.assertIn(b"tools[1].function.parameters", strict[2])

    def test_a_tool_that_cannot_be_offered_is_left_out_of_the_others(self):
        odd = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in ("", "fine", "a b", 7, None)]
        few = {"max_tokens": 1, "messages": [QUESTION]}
        for tool in [None, 7, {}, *odd]:
            tools = [{"type": "function", "function": {"name": "fine"}}, tool]
            of_anthropic = [as_tools([one])[0] if isinstance(one, dict) and "function" in one else one for one in tools]
            with self.subTest(tool=json.dumps(tool)):
                for path, body in (("/v1/chat/completions", {**few, "tools": tools, "tool_choice": "required"}),
                                   ("/v1/responses", {"input": MARKER, "tools": tools, "max_output_tokens": 1}),
                                   ("/v1/messages", {**few, "tools": of_anthropic}),
                                   ("/api/chat", {"messages": [QUESTION], "tools": tools, "stream": False,
                                                  "options": {"num_predict": 1}})):
                    status, headers, answer = self.connection.ask("POST", path, {"model": LONG_LLAMA, **body})
                    self.assertEqual(status, 200, answer)
                    self.assertRegex(headers["x-llmd-note"], r"tools\[1\].*the tool is left out")
                named = {"type": "function", "function": {"name": "absent"}}
                chosen = self.connection.ask("POST", "/v1/chat/completions", {"model": LONG_LLAMA, **few, "tools": tools,
                                                                              "tool_choice": named})
                self.assertEqual(chosen[0], 400)
                self.assertRegex(chosen[2].decode(), r"tool_choice: .*absent.* is none of the tools that are left: tools\[1\]")
                alone = self.connection.ask("POST", "/v1/chat/completions", {"model": LONG_LLAMA, **few, "tools": [tool] * 2})
                if isinstance(tool, dict) and tool.get("function", {}).get("name") == "fine":
                    self.assertEqual(alone[0], 200)
                else:
                    self.assertEqual((alone[0], b"tools[0]" in alone[2]), (400, True), alone[2])

    def test_what_older_programs_keep_is_taken(self):
        messages = [{"role": "system", "content": None}, {"role": "user", "content": None}, QUESTION,
                    {"role": "assistant", "content": None, "function_call": {"name": "clock", "arguments": "{}"}},
                    {"role": "function", "name": "clock", "content": "12:00"}, QUESTION,
                    {"role": "assistant", "tool_calls": [{"id": 7, "type": "function", "function": {"name": "clock"}}]},
                    {"role": "tool", "tool_call_id": 7, "content": {"time": 12}}]
        status, headers, body = self.connection.ask("POST", "/apply-template", {"model": LONG_LLAMA, "messages": messages})
        self.assertEqual(status, 200, body)
        prompt = json.loads(body)["prompt"]
        self.assertEqual(prompt.count('{"name": "clock", "arguments": {}}'), 2, prompt)
        self.assertIn('{"time":12}', prompt)
        self.assertNotIn("unknown_tool", prompt)
        self.ask("/v1/chat/completions", {"messages": messages, "max_tokens": 1})

    def test_a_last_message_longer_than_the_context_is_refused_in_the_words_that_programs_look_for(self):
        long = [QUESTION, {"role": "assistant", "content": "so"}, {"role": "user", "content": "tale " * 4 * N_CTX}]
        for path, body in (("/api/chat", {"messages": long}), ("/api/generate", {"prompt": long[-1]["content"]}),
                           ("/v1/chat/completions", {"messages": long})):
            status, _, answer = self.connection.ask("POST", path, {"model": LONG_LLAMA, "stream": False, **body})
            self.assertEqual(status, 400, answer)
            error = json.loads(answer)["error"]
            self.assertIn(f"the prompt is too long. This model's maximum context length is {N_CTX} tokens",
                          error if path.startswith("/api") else error["message"])
        self.assertEqual(error["code"], "context_length_exceeded")


if __name__ == "__main__":
    harness.main()
