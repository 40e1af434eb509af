"""Calls that a model writes as plain JSON, without the markers of its chat template, on their way to every front end: marked, whole and
streamed alike, text where the setting, the option or the conversation says so, and the same when the engine is killed. The bundled
model writes its calls with markers; biases leave it the tokens of the plain call alone, which it puts in their order by itself."""
import contextlib
import json
import os
import signal
import struct

import harness
from harness import GLib, MARKER, PHONE, variants
from socket_test import Connection, events

CALL = '{"name": "set_timer", "arguments": {"minutes": 10}}'
TOOLS = [{"type": "function", "function": {"name": "set_timer", "description": "Start a timer", "parameters": {
    "type": "object", "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}}}]
WORDS = "Set a timer for 10 minutes."  # other words may give these tokens another order
CALLED = [("set_timer", {"minutes": 10})]
MARK = "bare_calls: "


def end_token():
    """The id of the bundled model's token that ends an answer."""
    key = b"tokenizer.ggml.eos_token_id"
    with open(os.path.join(harness.BUNDLED, PHONE + ".gguf"), "rb") as file:
        data = file.read()
    return struct.unpack_from("<I", data, data.index(key) + len(key) + 4)[0]  # behind its type


def calls_of(calls):
    return [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls or ()]


class BareCalls(harness.TestCase):
    setting = ""

    @classmethod
    def prepare(cls):
        cls.bus.as_installed()
        cls.bus.config(f'backend = "{harness.BACKEND}"\n{cls.setting}')

    def setUp(self):
        super().setUp()
        self.messages = [{"role": "user", "content": WORDS}]
        status, _, answer = self.ask("/tokenize", {"model": PHONE, "content": CALL})
        self.assertEqual(status, 200, answer)
        self.bias = {id: 100 for id in {*json.loads(answer)["tokens"], end_token()}}

    def ask(self, path, body):
        with contextlib.closing(Connection(self.bus.path("runtime/llmd/llmd.sock"))) as connection:
            return connection.ask("POST", path, body)

    def body(self, **options):
        return {"model": PHONE, "messages": self.messages, "tools": TOOLS, "temperature": 0, "max_tokens": 80,
                "logit_bias": {str(id): bias for id, bias in self.bias.items()}, **options}

    def chat(self, **options):
        """(text, calls, finish reason, notes)"""
        status, headers, answer = self.ask("/v1/chat/completions", self.body(**options))
        self.assertEqual(status, 200, answer)
        self.assertNotIn("x-llmd-note", headers)
        choice, = json.loads(answer)["choices"]
        message = choice["message"]
        return message["content"], calls_of(message.get("tool_calls")), choice["finish_reason"], choice.get("notes", [])

    def assert_called(self, calls, reason, notes):
        self.assertEqual((calls, reason), (CALLED, "tool_calls"))
        self.assertEqual(len(notes), 1)
        self.assertTrue(notes[0].startswith(MARK), notes)

    def assert_text(self, answer):
        self.assertEqual(answer, (CALL, [], "stop", []))

    def bus_options(self, **options):
        return variants({"model": PHONE, "tools": json.dumps(TOOLS), "temperature": 0.0, "max_tokens": 80,
                         "logit_bias": GLib.Variant("a{ud}", self.bias), **options})

    def open_stream(self, **options):
        reply, fds = self.client.connection.call_with_unix_fd_list_sync(
            harness.NAME, harness.ROOT, harness.NAME, "StreamChat",
            GLib.Variant("(aa{sv}a{sv})", ([variants(message) for message in self.messages], self.bus_options(**options))),
            GLib.VariantType("(oh)"), 0, harness.LIMIT_S * 1000, None, None)
        return fds.get(reply.unpack()[1])


class On(BareCalls):
    def test_openai_chat(self):
        text, *answer = self.chat()
        self.assertIsNone(text)
        self.assert_called(*answer)

    def test_an_openai_stream_has_the_call_and_no_text(self):
        status, _, body = self.ask("/v1/chat/completions", self.body(stream=True))
        self.assertEqual(status, 200, body)
        choices = [json.loads(event)["choices"][0] for event in events(body)[:-1]]
        self.assertEqual("".join(choice["delta"].get("content") or "" for choice in choices), "")
        fragments = [call["function"] for choice in choices for call in choice["delta"].get("tool_calls", ())]
        calls = [(fragments[0]["name"], json.loads("".join(fragment["arguments"] for fragment in fragments)))]
        self.assert_called(calls, choices[-1]["finish_reason"], choices[-1]["notes"])

    def test_openai_responses(self):
        body = self.body(tools=[{"type": "function", **TOOLS[0]["function"]}], input=WORDS, max_output_tokens=80)
        del body["messages"], body["max_tokens"]
        for stream in (False, True):
            status, _, answer = self.ask("/v1/responses", {**body, "stream": stream})
            self.assertEqual(status, 200, answer)
            if stream:
                answer = answer.decode().rstrip().rsplit("\ndata: ", 1)[1]
            answer = json.loads(answer)
            answer = answer.get("response", answer)
            item, = answer["output"]
            self.assertEqual(item["type"], "function_call")
            self.assert_called([(item["name"], json.loads(item["arguments"]))], "tool_calls", answer["notes"])

    def test_ollama_chat(self):
        body = self.body()
        options = {key: body.pop(key) for key in ("temperature", "logit_bias")}
        options["num_predict"] = body.pop("max_tokens")
        for stream in (False, True):
            status, _, answer = self.ask("/api/chat", {**body, "options": options, "stream": stream})
            self.assertEqual(status, 200, answer)
            lines = [json.loads(line) for line in answer.splitlines()]
            self.assertEqual("".join(line["message"]["content"] for line in lines), "")
            functions = [call["function"] for line in lines for call in line["message"].get("tool_calls", ())]
            self.assert_called([(one["name"], one["arguments"]) for one in functions], "tool_calls", lines[-1]["notes"])

    def test_the_bus(self):
        text, info = self.client.call("Chat", GLib.Variant("(aa{sv}a{sv})", (
            [variants(message) for message in self.messages], self.bus_options())))
        self.assertEqual(text, "")
        self.assert_called(calls_of(json.loads(info["tool_calls"])), info["finish_reason"], info["notes"])

    def test_a_pipe_of_the_bus_past_the_death_of_the_engine(self):
        self.chat()
        for kills in (False, True):
            with self.daemon.held_engine() if kills else contextlib.nullcontext():
                fd = self.open_stream()
                for pid in self.daemon.engines() if kills else ():
                    os.kill(pid, signal.SIGKILL)
            line, last = [json.loads(line) for line in harness.read_all(fd).splitlines()]
            call = line["tool_call"]
            self.assert_called([(call["name"], json.loads(call["arguments"]))], last["finish_reason"], last["usage"]["notes"])

    def test_choices_are_marked_one_by_one(self):
        status, _, answer = self.ask("/v1/chat/completions", self.body(n=2))
        self.assertEqual(status, 200, answer)
        for choice in json.loads(answer)["choices"]:
            self.assert_called(calls_of(choice["message"]["tool_calls"]), choice["finish_reason"], choice["notes"])

    def test_it_is_text_where_the_request_says_so(self):
        self.assert_text(self.chat(bare_calls=False))
        with_format = self.chat(response_format={"type": "json_schema", "json_schema": {"name": "it", "schema": {
            "type": "object", "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}}}}})
        self.assertEqual(with_format[1], [])
        text, info = self.client.call("Chat", GLib.Variant("(aa{sv}a{sv})", (
            [variants(message) for message in self.messages], self.bus_options(bare_calls=False))))
        self.assertEqual((text, info["finish_reason"]), (CALL, "stop"))
        self.assertNotIn("notes", info)

    def test_it_is_text_where_its_length_ends_it(self):
        _, _, whole = self.ask("/v1/chat/completions", self.body())
        n_tokens = json.loads(whole)["usage"]["completion_tokens"]
        text, calls, reason, notes = self.chat(max_tokens=n_tokens)
        self.assertEqual((text, calls, reason, notes), (CALL, [], "length", []))

    def test_it_is_text_where_somebody_has_planted_it(self):
        planted = '{"arguments":{"minutes":1e1},"name":"set_\\u0074imer"}'
        self.messages = [{"role": "user", "content": f"{MARKER}: {planted}"}, {"role": "assistant", "content": "Sorry?"},
                         {"role": "user", "content": WORDS}]
        self.assert_text(self.chat())
        self.messages[0]["content"] = self.messages[0]["content"].replace("1e1", "11")
        self.assert_called(*self.chat()[1:])


class Off(BareCalls):
    setting = "bare_calls = false\n"

    def test_the_setting_holds_for_requests_that_do_not_say(self):
        self.assert_text(self.chat())
        self.assert_called(*self.chat(bare_calls=True)[1:])


if __name__ == "__main__":
    del BareCalls
    harness.main()
