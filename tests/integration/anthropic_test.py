"""Anthropic's messages on the Unix socket: whole and streamed answers, calls of tools and their results, counts, errors."""
import json

import harness
from chat_templates_chatml import QWEN3_THINKING
from harness import LLAMA, MARKER
from socket_test import Connection

THINKER = "thinker"  # the demonstration weights with the template of models that begin every answer by thinking
USER = {"role": "user", "content": f"Tell me of the {MARKER}"}
TOOLS = [{"name": "alarm", "description": "Sets an alarm.", "input_schema": {
    "type": "object", "properties": {"hour": {"type": "integer", "minimum": 0, "maximum": 23}}, "required": ["hour"]}}]


def events(body):
    """(the event's name, its data) of each."""
    for frame in body.decode().removesuffix("\n\n").split("\n\n"):
        name, data = frame.split("\n")
        yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


class Client(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.connection = Connection(self.bus.path("runtime/llmd/llmd.sock"))
        self.addCleanup(self.connection.close)

    def ask(self, body, path="/v1/messages", status=200):
        asked = {"model": LLAMA, "max_tokens": 8, "temperature": 0, "messages": [USER], **body}
        got, headers, answer = self.connection.ask("POST", path, asked)
        self.assertEqual(got, status, answer)
        self.headers = headers
        return answer

    def message(self, **body):
        return json.loads(self.ask(body))

    def streamed(self, **body):
        """The message that the events of a stream make, and their names."""
        message, names = None, []
        for name, data in events(self.ask({**body, "stream": True})):
            self.assertEqual(name, data["type"])
            names.append(name)
            if name == "message_start":
                message = data["message"]
            elif name == "content_block_start":
                self.assertEqual(data["index"], len(message["content"]))
                message["content"].append({**data["content_block"], "json": ""})
            elif name == "content_block_delta":
                block, delta = message["content"][data["index"]], data["delta"]
                key = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "json"}[delta["type"]]
                block[key] += delta["partial_json" if key == "json" else key]
            elif name == "content_block_stop":
                block = message["content"][data["index"]]
                if text := block.pop("json"):
                    block["input"] = json.loads(text)
            elif name == "message_delta":
                message.update(data["delta"], usage=data["usage"])
        return message, names

    def same(self, **body):
        """The message that a request gives at once and in a stream."""
        whole = self.message(**body)
        stream, names = self.streamed(**body)
        self.assertEqual((names[0], names[-2:]), ("message_start", ["message_delta", "message_stop"]))
        for message in (whole, stream):
            message.pop("id")
            message["calls"] = [block.pop("id") for block in message["content"] if block["type"] == "tool_use"]
            usage = message["usage"]
            usage["input_tokens"] += usage.pop("cache_read_input_tokens")
        self.assertEqual(len(stream.pop("calls")), len(calls := whole.pop("calls")))
        self.assertEqual(whole, stream)
        return {**whole, "calls": calls}


class Anthropic(Client):
    @classmethod
    def prepare(cls):
        cls.bus.config('backend = "cpu"\nchat_template = "hermes"\n')

    def test_a_text(self):
        message = self.same()
        self.assertEqual((message["type"], message["role"], message["model"]), ("message", "assistant", LLAMA))
        self.assertEqual([block["type"] for block in message["content"]], ["text"])
        self.assertEqual((message["stop_reason"], message["stop_sequence"]), ("max_tokens", None))
        self.assertEqual(message["usage"]["output_tokens"], 8)
        text = message["content"][0]["text"]
        stopped = self.same(stop_sequences=["nobody says this", text[3:6]])
        self.assertEqual((stopped["stop_reason"], stopped["stop_sequence"]), ("stop_sequence", text[3:6]))
        self.assertEqual(stopped["content"][0]["text"], text[:3])
        empty = self.same(stop_sequences=[text[:2]])
        self.assertEqual(empty["content"], [{"type": "text", "text": ""}])

    def test_a_call_and_its_result(self):
        message = self.same(tools=TOOLS, tool_choice={"type": "any", "disable_parallel_tool_use": True}, max_tokens=120)
        call, = message["content"]
        self.assertEqual((call["type"], call["name"], message["stop_reason"]), ("tool_use", "alarm", "tool_use"))
        self.assertIn(call["input"]["hour"], range(24))
        for result in ("set", [{"type": "text", "text": "set"}], None):
            turns = [USER, {"role": "assistant", "content": [{**call, "id": message["calls"][0]}]},
                     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": message["calls"][0], "content": result}]}]
            self.assertTrue(self.same(tools=TOOLS, messages=turns, tool_choice={"type": "none"})["content"])

    def test_a_cut_call_is_in_the_stream_alone(self):
        asked = {"tools": TOOLS, "tool_choice": {"type": "tool", "name": "alarm"}}
        for max_tokens in range(1, 60):
            whole = self.message(max_tokens=max_tokens, **asked)
            if whole["content"][0]["type"] == "tool_use":
                break
            self.assertEqual((whole["content"], whole["stop_reason"]), ([{"type": "text", "text": ""}], "max_tokens"))
        else:
            self.fail("no call came to its end")
        sent = [data for _, data in events(self.ask({**asked, "max_tokens": max_tokens - 1, "stream": True}))]
        self.assertEqual(sent[1]["content_block"]["type"], "tool_use")
        self.assertEqual(sent[-2]["delta"]["stop_reason"], "max_tokens")

    def test_the_count_is_that_of_the_prompt(self):
        for body in ({}, {"system": "A play."}, {"tools": TOOLS}, {"messages": [USER, {"role": "assistant", "content": "So"}]}):
            counted = json.loads(self.ask(body, "/v1/messages/count_tokens"))
            usage = self.message(**{**body, "max_tokens": 1})["usage"]
            self.assertEqual(counted, {"input_tokens": usage["input_tokens"] + usage["cache_read_input_tokens"]}, body)

    def test_notes_are_headers(self):
        self.message(thinking={"type": "enabled", "budget_tokens": 1024})
        self.assertIn("thinking.budget_tokens: only max_tokens ends the thinking", self.headers.get_all("x-llmd-note"))

    def test_errors(self):
        image = {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "http://x/y.png"}}]}
        for body, status, kind, word in (({"max_tokens": "many"}, 400, "invalid_request_error", "max_tokens: "),
                                         ({"messages": []}, 400, "invalid_request_error", "messages: "),
                                         ({"messages": [image]}, 400, "invalid_request_error", 'messages[0].content[0].type: "image"'),
                                         ({"model": "nobody"}, 404, "not_found_error", "nobody"),
                                         ({"messages": [{"role": "user", "content": "long " * 9000}]}, 400, "invalid_request_error",
                                          "prompt is too long. ")):
            for path in ("/v1/messages", "/v1/messages/count_tokens"):
                if word == "prompt is too long. " and path.endswith("count_tokens"):
                    continue  # it is counted, whatever the context holds
                answer = json.loads(self.ask(body, path, status))
                self.assertEqual((answer["type"], answer["error"]["type"]), ("error", kind))
                self.assertIn(word, answer["error"]["message"])
        for path in ("/v1/messages/batches", "/v1/messages/"):
            self.connection.request("GET", path)
            response = self.connection.getresponse()
            self.assertEqual(json.loads(response.read())["type"], "error")


class Thinking(Client):
    @classmethod
    def prepare(cls):
        cls.bus.write_with_template(THINKER, QWEN3_THINKING)

    def test_what_a_model_thinks_is_a_block_that_is_taken_back(self):
        message = self.same(model=THINKER, thinking={"type": "enabled", "budget_tokens": 1024}, ignore_eos=True)
        block, = message["content"]
        self.assertEqual((block["type"], block["signature"]), ("thinking", ""))
        self.assertTrue(block["thinking"])
        turns = [USER, {"role": "assistant", "content": [block, {"type": "text", "text": "So."}]}, USER]
        self.assertTrue(self.same(model=THINKER, messages=turns)["content"])


if __name__ == "__main__":
    harness.main()
