"""What well-known programs send to a server of Ollama's or OpenAI's API, sent to the real llmd through the bridge, and
that the answers have what those programs read.

A trace is a table of steps, read off the program's published source, which its comment names. Four things differ from
what the programs send: the model and the texts are the test's own; answers have at most N_TOKENS tokens where the
program allows more, and strings of a schema are bounded; where a model is to think, `ignore_eos` keeps it from ending
at once; and where a call of a tool is to come, `tool_choice` demands it, because the demonstration model makes none by itself.
"""
import datetime
import http.client
import json
import re

import harness
from bridge import Bridge
from chat_templates_chatml import QWEN3_THINKING
from harness import GPT2, LIMIT_S, LLAMA, MARKER

THINKER = "thinker"  # the demonstration weights with the template of models that begin every answer by thinking

N_TOKENS = 12
N_CALL_TOKENS = 120  # a call of a tool ends before, and an object of a small schema

SYSTEM = {"role": "system", "content": "You are brief."}
USER = {"role": "user", "content": f"Tell me of the {MARKER}"}


class Maybe:
    """In a shape: the member may be missing or null."""

    def __init__(self, shape):
        self.shape = shape


def mismatch(value, shape, place="answer"):
    """Why a JSON value does not have a shape, or None. A shape is a type, a dictionary of the members that a program
    reads, a list of one shape that all elements have, a regular expression, or else the value itself."""
    if isinstance(shape, Maybe):
        return value is not None and mismatch(value, shape.shape, place) or None
    if isinstance(shape, type):
        fits = isinstance(value, shape) and (shape is bool or not isinstance(value, bool))
    elif isinstance(shape, re.Pattern):
        fits = isinstance(value, str) and shape.fullmatch(value)
    elif isinstance(shape, dict):
        if not isinstance(value, dict):
            return f"{place} is no object: {value!r}"
        for key, member in shape.items():
            if key not in value and not isinstance(member, Maybe):
                return f"{place}.{key} is missing in {sorted(value)}"
            if problem := mismatch(value.get(key), member, f"{place}.{key}"):
                return problem
        return None
    elif isinstance(shape, list):
        if not isinstance(value, list):
            return f"{place} is no array: {value!r}"
        problems = (mismatch(element, shape[0], f"{place}[{i}]") for i, element in enumerate(value))
        return next(filter(None, problems), None)
    else:
        fits = value == shape and isinstance(value, type(shape))
    return None if fits else f"{place} is {value!r} and not {getattr(shape, '__name__', shape)!r}"


class Answer:
    """One answer of the bridge, as each of the formats that there are."""

    def __init__(self, reply):
        self.status = reply.status
        self.type = reply.getheader("Content-Type", "")
        self.body = reply.read().decode()

    def json(self):
        return json.loads(self.body)

    def lines(self):
        """The objects of an Ollama stream, whose last alone is `done`."""
        lines = [json.loads(line) for line in self.body.splitlines()]
        assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True], self.body
        return lines

    def chunks(self):
        """The objects of an OpenAI stream of chat completions."""
        events = self.body.split("\n\n")
        assert events[-2:] == ["data: [DONE]", ""], self.body[-200:]
        return [json.loads(event.removeprefix("data: ")) for event in events[:-2]]

    def events(self):
        """Those of an OpenAI stream of a response, which say their types and are counted."""
        events = []
        for block in self.body.removesuffix("\n\n").split("\n\n"):
            name, data = block.split("\n")
            events.append(json.loads(data.removeprefix("data: ")))
            assert name == "event: " + events[-1]["type"], block
        assert [event["sequence_number"] for event in events] == list(range(len(events)))
        return events


class Traces(harness.TestCase):
    HEADERS = {}

    @classmethod
    def prepare(cls):
        cls.bus.write_with_template(THINKER, QWEN3_THINKING)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bridge = Bridge(cls.bus.environment)
        cls.addClassCleanup(cls.bridge.stop)

    def send(self, method, path, body=None, status=200):
        """The answer to one request of a program, which has the status that it expects."""
        connection = http.client.HTTPConnection("localhost", self.bridge.port, timeout=LIMIT_S)
        headers = dict(self.HEADERS)
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = Answer(connection.getresponse())
        connection.close()
        self.assertEqual(answer.status, status, f"{method} {path}: {answer.body}")
        return answer

    def has(self, value, shape):
        self.assertIsNone(mismatch(value, shape))

    def replay(self, trace):
        """Each step is (method, path, body or None, shape of the JSON answer or a function of the Answer)."""
        for method, path, body, check in trace:
            with self.subTest(request=f"{method} {path}"):
                answer = self.send(method, path, body)
                if callable(check):
                    check(answer)
                else:
                    self.has(answer.json(), check)

    def one_call(self, calls, shape):
        """The only call."""
        self.assertEqual(len(calls), 1, calls)
        self.has(calls[0], shape)
        return calls[0]


LIGHT = {"name": "light", "description": "Switches a light.", "parameters": {
    "type": "object", "properties": {"room": {"type": "string", "enum": ["hall", "attic"]}}, "required": ["room"]}}
TOOLS = [{"type": "function", "function": LIGHT}]
ROOM = {"room": re.compile("hall|attic")}

# What Ollama's Python package (0.6.3, ollama/_client.py and _types.py) validates of every answer, and its users then read. It
# sends `tools` always and `keep_alive` as a real number, and leaves out of messages what is empty.
TAG = {"model": LLAMA, "modified_at": str, "digest": re.compile("[0-9a-f]{64}"), "size": int,
       "details": {"format": "gguf", "family": "llama", "parameter_size": str, "quantization_level": str}}
FIGURES = {"total_duration": int, "load_duration": int, "prompt_eval_count": int, "prompt_eval_duration": int,
           "eval_count": int, "eval_duration": int}
ENDLESS = {"num_predict": N_TOKENS, "ignore_eos": True}
OLLAMA_CALL = {"function": {"name": "light", "arguments": ROOM}}


class OllamaTraces(Traces):
    def tags(self, answer):
        rows = answer.json()["models"]
        self.assertEqual([row["model"] for row in rows], sorted((LLAMA, GPT2, THINKER)))
        self.assertEqual(len({row["digest"] for row in rows}), len(rows))
        self.has(next(row for row in rows if row["model"] == LLAMA), TAG)

    def text(self, answer):
        """A stream of text: roles, no calls, figures at the end."""
        self.assertTrue(answer.type.startswith("application/x-ndjson"), answer.type)
        lines = answer.lines()
        for line in lines:
            self.has(line, {"model": LLAMA, "created_at": str, "message": {"role": "assistant", "content": str}})
            self.assertNotIn("tool_calls", line["message"])
        self.has(lines[-1], dict(FIGURES, done_reason=re.compile("stop|length")))
        text = "".join(line["message"]["content"] for line in lines)
        self.texts.append(text)
        self.assertTrue(text or lines[-1]["done_reason"] == "stop")

    def thoughts(self, answer):
        """What a model thinks comes apart from what it answers."""
        lines = answer.lines()
        text = "".join(line["message"].get("thinking", "") for line in lines)
        self.texts.append(text)
        self.assertTrue(text)
        self.assertEqual("".join(line["message"]["content"] for line in lines), "")
        self.has(lines[-1], dict(FIGURES, done_reason="length"))

    def call(self, answer):
        """A stream in which a tool is called: all of the call in one line, which does not end the stream."""
        lines = answer.lines()
        calls = [call for line in lines for call in line["message"].get("tool_calls", [])]
        self.one_call(calls, OLLAMA_CALL)
        self.assertNotIn("tool_calls", lines[-1]["message"])
        self.has(lines[-1], dict(FIGURES, done_reason="stop"))


# Alpaca 9.2.4, an instance of the type "Ollama": src/widgets/instances/ollama_instances.py and src/widgets/chat.py,
# through the package ollama.
class AlpacaOllama(OllamaTraces):
    HEADERS = {"Authorization": "Bearer NOKEY", "Accept": "application/json", "User-Agent": "ollama-python/0.6.3"}

    def asked(self, messages, **others):
        return {"model": LLAMA, "messages": messages, "stream": True, "think": False, "keep_alive": 300.0, "tools": [],
                "options": {"temperature": 0.7, "num_ctx": 16384.0, "seed": 7.0, "num_predict": N_TOKENS}, **others}

    def title(self, answer):
        self.has(answer.json(), {"message": {"content": str}, "done": True})
        self.has(json.loads(answer.json()["message"]["content"]), {"title": str})

    def test_a_conversation(self):
        called = {"function": {"name": "light", "arguments": {"room": "hall"}}}
        turns = [USER, {"role": "assistant", "thinking": "Light.", "tool_calls": [called]},
                 {"role": "tool", "tool_name": "light", "content": "It is lit."}]
        # A tool that has nothing to say; and an answer that was cut while the model was thinking.
        silent = [*turns[:2], {"role": "tool", "tool_name": "light"}]
        cut = [USER, {"role": "assistant", "thinking": "Light is"}, USER]
        calling = {"temperature": 0.7, "num_ctx": 16384.0, "num_predict": N_CALL_TOKENS}
        self.replay([
            ("GET", "/api/tags", None, self.tags),
            # Its list of models shows the capabilities, and `think` is only set where they say so.
            ("POST", "/api/show", {"model": LLAMA}, {
                "capabilities": [str], "template": str, "modelfile": str, "details": TAG["details"], "system": Maybe(str),
                "model_info": {"general.architecture": "llama", "llama.context_length": int}}),
            ("POST", "/api/show", {"model": THINKER}, lambda answer: self.assertLessEqual(
                {"completion", "tools", "thinking"}, set(answer.json()["capabilities"]))),
            ("POST", "/api/chat", self.asked([USER], model=THINKER, think=True, options=ENDLESS), self.thoughts),
            # The title of a new conversation is asked for beside the first answer, and its model not kept.
            ("POST", "/api/chat", {
                "model": LLAMA, "stream": False, "messages": [USER], "think": False, "keep_alive": 0.0, "tools": [],
                "options": {"temperature": 0.2, "num_ctx": 16384.0, "num_predict": 240},
                "format": {"type": "object", "properties": {"title": {"type": "string", "maxLength": 30}},
                           "required": ["title"]}}, self.title),
            ("POST", "/api/chat", self.asked([SYSTEM, USER]), self.text),
            ("POST", "/api/chat", self.asked([USER], tools=TOOLS, options=calling, tool_choice="required",
                                             parallel_tool_calls=False), self.call),
            ("POST", "/api/chat", self.asked(turns, tools=TOOLS, tool_choice="none"), self.text),
            ("POST", "/api/chat", self.asked(silent, tools=TOOLS, tool_choice="none"), self.text),
            ("POST", "/api/chat", self.asked(cut), self.text),
            ("POST", "/api/pull", {"model": LLAMA, "stream": True},
             lambda answer: self.has(json.loads(answer.body.splitlines()[-1]), {"status": "success"}))])

    def test_a_model_that_is_not_there(self):
        for path, body in (("/api/show", {"model": "nobody"}), ("/api/chat", dict(self.asked([USER]), model="nobody"))):
            self.has(self.send("POST", path, body, status=404).json(), {"error": re.compile(".*nobody.*")})
        self.has(self.send("DELETE", "/api/delete", {"model": LLAMA}, status=403).json(), {"error": str})


# Newelle 1.4.0, the handler "Ollama": src/handlers/llm/ollama_handler.py and src/handlers/embeddings/ollama_handler.py,
# through the package ollama, which drops `name` and `tool_call_id` of a message, so that results come in their order.
class NewelleOllama(OllamaTraces):
    HEADERS = {"Accept": "application/json", "User-Agent": "ollama-python/0.6.3"}

    def test_a_conversation(self):
        # It thinks unless told otherwise, whatever the model can.
        asked = {"model": LLAMA, "messages": [SYSTEM, USER], "stream": True, "think": True, "tools": []}
        turns = [SYSTEM, USER, {"role": "assistant", "tool_calls": [
            {"function": {"name": "light", "arguments": {"room": room}}} for room in ("hall", "attic")]},
            {"role": "tool", "content": "It is lit."}, {"role": "tool", "content": "It is dark."}]
        self.replay([
            ("GET", "/api/ps", None, {"models": list}),
            ("GET", "/api/tags", None, self.tags),
            ("POST", "/api/generate", {"model": LLAMA, "prompt": MARKER, "stream": False, "options": {"num_predict": 1}},
             {"model": LLAMA, "response": str, "done": True, "done_reason": "length", "eval_count": 1}),
            ("POST", "/api/chat", dict(asked, options={"num_predict": N_TOKENS}), self.text),
            ("POST", "/api/chat", dict(asked, model=THINKER, options=ENDLESS), self.thoughts),
            ("POST", "/api/chat", dict(asked, tools=TOOLS, options={"num_predict": N_CALL_TOKENS}, tool_choice="required",
                                       parallel_tool_calls=False), self.call),
            ("POST", "/api/chat", dict(asked, messages=turns, tools=TOOLS, tool_choice="none",
                                       options={"num_predict": N_TOKENS}), self.text),
            ("POST", "/api/embed", {"model": LLAMA, "input": [MARKER, "The end"]},
             lambda answer: self.assertEqual(len({len(row) for row in answer.json()["embeddings"]}), 1))])


# Home Assistant 2026.2.3, the integration "ollama": homeassistant/components/ollama/__init__.py, config_flow.py and
# entity.py, through the package ollama; of its `dev` branch coordinator.py, sensor.py, and a keep_alive of -1.
class HomeAssistantOllama(OllamaTraces):
    HEADERS = {"Accept": "application/json", "User-Agent": "ollama-python/0.6.3"}
    # As its intents become, with descriptions of units and values.
    TOOL = {"name": "light", "description": "Switches a light", "parameters": {"type": "object", "required": [
        "room"], "properties": {"room": {"type": "string", "enum": ["hall", "attic"]}, "brightness": {
            "type": "integer", "minimum": 0, "maximum": 100, "description": "The percentage of brightness"},
            "domain": {"type": "array", "items": {"type": "string", "enum": ["light"]}, "maxItems": 2}}}}

    def asked(self, messages, keep_alive="-1s", n_tokens=N_TOKENS, **others):
        return {"model": LLAMA + ":latest", "messages": messages, "stream": True, "keep_alive": keep_alive, "think": False,
                "tools": [], "options": {"num_ctx": 8192, "num_predict": n_tokens}, **others}

    def task(self, answer):
        text = "".join(line["message"]["content"] for line in answer.lines())
        self.has(json.loads(text), {"lit": bool})

    def loaded(self, answer):
        row, = answer.json()["models"]
        self.has(row, {"model": LLAMA, "size": int, "size_vram": int, "expires_at": str})

    def named(self, answer):
        """The name that was asked for comes back; a program that compares the two finds its own."""
        for line in answer.lines():
            self.assertIn(line["model"], (LLAMA, LLAMA + ":latest"))

    def test_a_conversation(self):
        tools = [{"type": "function", "function": self.TOOL}]
        # A result has neither the tool's name nor an identifier.
        turns = [SYSTEM, USER, {"role": "assistant", "tool_calls": [
            {"function": {"name": "light", "arguments": {"room": "hall", "brightness": 5}}}]},
            {"role": "tool", "content": json.dumps({"success": True, "response": {"speech": {}}})}]
        schema = {"type": "object", "properties": {"lit": {"type": "boolean", "description": "Is it lit?"}},
                  "required": ["lit"]}
        self.replay([
            ("GET", "/api/tags", None, self.tags),
            ("POST", "/api/chat", self.asked([SYSTEM, USER]), self.named),
            ("POST", "/api/chat", self.asked([SYSTEM, USER], keep_alive=-1.0), self.named),
            ("POST", "/api/chat", self.asked([SYSTEM, USER], n_tokens=N_CALL_TOKENS, tools=tools, tool_choice="required",
                                             parallel_tool_calls=False), self.call_of_intent),
            ("POST", "/api/chat", self.asked(turns, tools=tools, tool_choice="none"), self.named),
            ("POST", "/api/chat", self.asked([USER], n_tokens=N_CALL_TOKENS, format=schema), self.task),
            ("GET", "/api/ps", None, self.loaded)])

    def call_of_intent(self, answer):
        calls = [call for line in answer.lines() for call in line["message"].get("tool_calls") or []]
        arguments = self.one_call(calls, OLLAMA_CALL)["function"]["arguments"]
        self.has(arguments, {"brightness": Maybe(int), "domain": Maybe([str])})


# Open WebUI 0.12.4, a connection to Ollama: backend/open_webui/routers/ollama.py and tasks.py, utils/payload.py,
# utils/response.py and retrieval/utils.py, through aiohttp.
class OpenWebUiOllama(OllamaTraces):
    HEADERS = {"Accept": "*/*", "User-Agent": "Python/3.12 aiohttp/3.13.2", "X-OpenWebUI-User-Name": "Ann",
               "X-OpenWebUI-User-Role": "user"}

    def versions(self, answer):
        """It takes the version apart to find the lowest of its servers'."""
        self.assertEqual(len([int(part) for part in re.sub("^v|-.*", "", answer.json()["version"]).split(".")]), 3)

    def loaded(self, answer):
        for row in answer.json()["models"]:
            self.has(row, {"name": LLAMA, "model": LLAMA})
            expires = re.sub(r"(\.\d{6})\d+", r"\1", row["expires_at"]).replace("Z", "+00:00")  # for Python before 3.11
            self.assertIsNotNone(datetime.datetime.fromisoformat(expires).tzinfo)

    def unloaded(self, answer):
        """Another model may be there still."""
        self.assertNotIn(LLAMA, [row["model"] for row in answer.json()["models"]])

    def test_a_conversation(self):
        asked = {"model": LLAMA, "messages": [SYSTEM, USER], "stream": True, "options": {"num_predict": N_TOKENS}}
        # What its settings of a model may add.
        tuned = {"temperature": 0.7, "top_p": 0.9, "top_k": 40, "min_p": 0.0, "seed": 7, "num_ctx": 2048, "num_batch": 512,
                 "num_keep": 24, "num_gpu": 99, "num_thread": 2, "use_mmap": True, "use_mlock": False, "repeat_last_n": 64,
                 "repeat_penalty": 1.1, "presence_penalty": 0.1, "frequency_penalty": 0.1, "mirostat": 0,
                 "mirostat_eta": 0.1, "mirostat_tau": 5.0, "stop": ["\n\n\n"], "num_predict": N_TOKENS}
        turns = [USER, {"role": "assistant", "content": "", "tool_calls": [
            {"index": 0, "id": "call_1", "function": {"name": "light", "arguments": {"room": "hall"}}}]},
            {"role": "tool", "content": "It is lit.", "tool_call_id": "call_1"}]
        title = {"model": LLAMA, "messages": [USER], "stream": False, "options": {"num_predict": N_TOKENS}}
        self.replay([
            ("GET", "/api/version", None, self.versions),
            ("GET", "/api/tags", None, self.tags),
            ("GET", "/api/ps", None, self.loaded),
            ("POST", "/api/show", {"model": LLAMA}, {"model_info": dict, "capabilities": [str], "details": dict}),
            ("POST", "/api/chat", asked, self.text),
            ("GET", "/api/ps", None, self.loaded),
            ("POST", "/api/chat", dict(asked, options=tuned, keep_alive="5m", think=False), self.text),
            ("POST", "/api/chat", dict(asked, model=THINKER, think=True, options=ENDLESS), self.thoughts),
            ("POST", "/api/chat", dict(asked, tools=TOOLS, options={"num_predict": N_CALL_TOKENS}, tool_choice="required",
                                       parallel_tool_calls=False), self.call),
            ("POST", "/api/chat", dict(asked, messages=turns, tools=TOOLS, tool_choice="none"), self.text),
            ("POST", "/api/chat", title, {"model": LLAMA, "message": {"role": "assistant", "content": str}, "done": True,
                                          "done_reason": str, **FIGURES}),
            ("POST", "/api/embed", {"model": LLAMA, "input": ["a", "b"], "truncate": True}, {"embeddings": [[float]]}),
            ("POST", "/api/embeddings", {"model": LLAMA, "prompt": "a"}, {"embedding": [float]}),
            # "Unload" in its list of models.
            ("POST", "/api/generate", {"model": LLAMA, "keep_alive": 0, "prompt": ""},
             {"done": True, "done_reason": "unload"}),
            ("GET", "/api/ps", None, self.unloaded)])
        self.has(self.send("POST", "/api/chat", dict(asked, model="nobody"), status=404).json(), {"error": str})


OPENAI_CALL = {"id": str, "type": "function", "function": {"name": "light", "arguments": str}}
USAGE = {"prompt_tokens": int, "completion_tokens": int, "total_tokens": int}


class OpenAiTraces(Traces):
    HEADERS = {"Accept": "application/json", "Authorization": "Bearer nokey", "User-Agent": "OpenAI/Python 2.8.0",
               "X-Stainless-Lang": "python", "X-Stainless-Retry-Count": "0"}

    def models(self, answer):
        rows = answer.json()["data"]
        self.has(rows, [{"id": str, "object": "model", "created": int, "owned_by": str}])
        self.assertLessEqual({LLAMA, GPT2}, {row["id"] for row in rows})

    def pieces(self, answer, model=LLAMA):
        """(text, calls by index, finish_reason, chunks) of a stream of one choice."""
        self.assertTrue(answer.type.startswith("text/event-stream"), answer.type)
        chunks = answer.chunks()
        text, calls, reasons = "", {}, []
        for chunk in chunks:
            self.has(chunk, {"id": chunks[0]["id"], "object": "chat.completion.chunk", "created": int, "model": model,
                             "choices": [{"index": 0, "delta": dict}]})
            for choice in chunk["choices"]:
                text += choice["delta"].get("content") or ""
                reasons += [choice["finish_reason"]] if choice["finish_reason"] else []
                for part in choice["delta"].get("tool_calls") or []:
                    call = calls.setdefault(part["index"], {"id": "", "name": "", "arguments": ""})
                    call["id"] += part.get("id") or ""
                    call["name"] += part["function"].get("name") or ""
                    call["arguments"] += part["function"].get("arguments") or ""
        self.assertEqual(chunks[0]["choices"][0]["delta"]["role"], "assistant")
        self.assertEqual(len(reasons), 1, reasons)
        return text, calls, reasons[0], chunks

    def text(self, answer):
        text, calls, reason, _ = self.pieces(answer)
        self.texts.append(text)
        self.assertEqual(calls, {})
        self.assertIn(reason, ("stop", "length") if text else ("stop",))

    def thoughts(self, answer):
        text, calls, reason, chunks = self.pieces(answer, THINKER)
        self.assertEqual((text, calls, reason), ("", {}, "length"))
        thoughts = "".join(choice["delta"].get("reasoning_content") or "" for chunk in chunks for choice in chunk["choices"])
        self.texts.append(thoughts)
        self.assertTrue(thoughts)

    def call(self, answer):
        _, calls, reason, _ = self.pieces(answer)
        self.assertEqual((list(calls), reason), ([0], "tool_calls"))
        self.assertTrue(calls[0]["id"])
        self.assertEqual(calls[0]["name"], "light")
        self.has(json.loads(calls[0]["arguments"]), ROOM)


# Alpaca 9.2.4, an instance of the type "OpenAI compatible": src/widgets/instances/openai_instances.py and
# src/widgets/chat.py, through the package openai.
class AlpacaOpenAi(OpenAiTraces):
    def title(self, answer):
        self.has(answer.json(), {"choices": [{"message": {"role": "assistant", "content": str, "refusal": Maybe(str)},
                                              "finish_reason": str}]})
        self.has(json.loads(answer.json()["choices"][0]["message"]["content"]), {"title": str, "emoji": str})

    def called(self, answer):
        choice, = answer.json()["choices"]
        call = self.one_call(choice["message"]["tool_calls"], OPENAI_CALL)
        self.has(json.loads(call["function"]["arguments"]), ROOM)

    def test_a_conversation(self):
        # Every content is an array of parts.
        parts = [{"role": one["role"], "content": [{"type": "text", "text": one["content"]}]} for one in (SYSTEM, USER)]
        schema = {"type": "object", "title": "ChatTitle", "additionalProperties": False, "required": ["title", "emoji"],
                  "properties": {"title": {"title": "Title", "type": "string", "maxLength": 30},
                                 "emoji": {"title": "Emoji", "type": "string", "default": "", "maxLength": 1}}}
        self.replay([
            ("GET", "/v1/models", None, self.models),
            ("POST", "/v1/chat/completions", {"model": LLAMA, "messages": parts, "stream": True, "max_tokens": N_TOKENS,
                                              "temperature": 0.7, "seed": 7.0}, self.text),
            ("POST", "/v1/chat/completions", {
                "model": LLAMA, "messages": [SYSTEM, dict(USER, content="Generate a title for this prompt:\nx")],
                "temperature": 0.2, "max_tokens": 240, "response_format": {
                    "type": "json_schema", "json_schema": {"name": "ChatTitle", "strict": True, "schema": schema}}},
             self.title),
            ("POST", "/v1/chat/completions", {"model": LLAMA, "messages": parts, "tools": TOOLS, "tool_choice": "required",
                                              "max_tokens": N_CALL_TOKENS, "parallel_tool_calls": False}, self.called),
            ("POST", "/v1/chat/completions", {"model": LLAMA, "messages": parts, "tools": [], "max_tokens": N_TOKENS},
             {"choices": [{"message": {"content": str}}], "usage": USAGE})])
        # After a call it sends the result without the call.
        result = {"role": "tool", "tool_call_id": "call_1", "content": "It is lit."}
        answered = self.send("POST", "/v1/chat/completions", {"model": LLAMA, "messages": [*parts, result], "max_tokens": N_TOKENS})
        self.has(answered.json(), {"choices": [{"message": {"content": str}}]})


# Newelle 1.4.0, the handler "OpenAI API": src/handlers/llm/openai_handler.py, src/handlers/embeddings/openai_handler.py
# and src/utility/util.py, through the package openai.
class NewelleOpenAi(OpenAiTraces):
    def test_a_conversation(self):
        asked = {"model": LLAMA, "messages": [SYSTEM, USER], "stream": True, "top_p": 1, "temperature": 1,
                 "presence_penalty": 0, "frequency_penalty": 0, "max_tokens": N_TOKENS}
        turns = [SYSTEM, USER, {"role": "assistant", "content": "", "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "light", "arguments": '{"room": "hall"}'}},
            {"id": "call_2", "type": "function", "function": {"name": "light", "arguments": '{"room": "attic"}'}}]},
            {"role": "tool", "name": "light", "tool_call_id": "call_2", "content": "It is dark."},
            {"role": "tool", "name": "light", "tool_call_id": "call_1", "content": "It is lit."}]
        self.replay([
            ("GET", "/v1/models", None, self.models),
            ("POST", "/v1/chat/completions", asked, self.text),
            ("POST", "/v1/chat/completions", dict(asked, reasoning_effort="medium"), self.text),
            ("POST", "/v1/chat/completions", dict(asked, model=THINKER, reasoning_effort="medium", ignore_eos=True),
             self.thoughts),
            ("POST", "/v1/chat/completions", dict(asked, tools=TOOLS, max_tokens=N_CALL_TOKENS, tool_choice="required",
                                                  parallel_tool_calls=False), self.call),
            ("POST", "/v1/chat/completions", dict(asked, messages=turns, tools=TOOLS, tool_choice="none"), self.text),
            ("POST", "/v1/embeddings", {"model": LLAMA, "input": [MARKER, "The end"], "encoding_format": "base64"},
             {"data": [{"object": "embedding", "index": int, "embedding": str}], "usage": {"prompt_tokens": int}})])


# Open WebUI 0.12.4, a connection to OpenAI's API: backend/open_webui/routers/openai.py and tasks.py, utils/payload.py,
# utils/middleware.py and retrieval/utils.py, through aiohttp.
class OpenWebUiOpenAi(OpenAiTraces):
    HEADERS = {"Accept": "*/*", "Authorization": "Bearer nokey", "User-Agent": "Python/3.12 aiohttp/3.13.2",
               "X-OpenWebUI-User-Name": "Ann", "X-OpenWebUI-Chat-Id": "c"}

    def counted(self, answer):
        _, _, _, chunks = self.pieces(answer)
        self.assertEqual(chunks[-1]["choices"], [])
        self.has(chunks[-1]["usage"], USAGE)

    def test_a_conversation(self):
        asked = {"model": LLAMA, "messages": [SYSTEM, USER], "stream": True, "stream_options": {"include_usage": True},
                 "max_tokens": N_TOKENS}
        tuned = {"temperature": 0.7, "top_p": 0.9, "min_p": 0.0, "frequency_penalty": 0.1, "presence_penalty": 0.1,
                 "seed": 7, "stop": ["\n\n\n"], "reasoning_effort": "low", "logit_bias": {"5": -100}}
        called = {"name": "light", "arguments": '{"room": "hall"}'}
        turns = [USER, {"role": "assistant", "content": "", "tool_calls": [
            {"id": "call_1", "type": "function", "index": 0, "function": called}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "It is lit."}]
        self.replay([
            ("GET", "/v1/models", None, self.models),
            ("POST", "/v1/chat/completions", asked, self.counted),
            ("POST", "/v1/chat/completions", dict(asked, **tuned), self.counted),
            ("POST", "/v1/chat/completions", dict(asked, model=THINKER, ignore_eos=True), self.thoughts),
            ("POST", "/v1/chat/completions", dict(asked, tools=TOOLS, max_tokens=N_CALL_TOKENS, tool_choice="required",
                                                  parallel_tool_calls=False), self.call),
            ("POST", "/v1/chat/completions", dict(asked, messages=turns, tools=TOOLS, tool_choice="none"), self.counted),
            # Titles, tags and follow-ups.
            ("POST", "/v1/chat/completions", {"model": LLAMA, "messages": [USER], "stream": False, "max_tokens": N_TOKENS},
             {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": str},
                                                        "finish_reason": str}], "usage": USAGE}),
            ("POST", "/v1/embeddings", {"model": LLAMA, "input": ["a", "b"]}, {"data": [{"embedding": [float]}]})])
        # It shows the message of an error's object.
        self.has(self.send("POST", "/v1/chat/completions", dict(asked, model="nobody"), status=404).json(),
                 {"error": {"message": re.compile(".*nobody.*"), "code": "model_not_found"}})


# Home Assistant 2026.2.3, the integration "openai_conversation": homeassistant/components/openai_conversation/entity.py
# and __init__.py, through the package openai with another base_url.
class HomeAssistantOpenAi(OpenAiTraces):
    TOOL = dict(LIGHT, type="function", strict=False)

    def asked(self, items, n_tokens=N_TOKENS, **others):
        return {"model": LLAMA, "input": items, "max_output_tokens": n_tokens, "top_p": 1.0, "temperature": 1.0,
                "user": "01JCONVERSATION", "store": False, "stream": True, "prompt_cache_retention": "24h", **others}

    def ended(self, answer, *ends):
        """The events, which end with the whole response. The program tells an incomplete one to the user as an error."""
        events = answer.events()
        self.assertEqual(events[0]["type"], "response.created")
        response = events[-1]["response"]
        self.has(response, {"usage": {"input_tokens": int, "output_tokens": int}, "output": [dict]})
        self.assertIn(events[-1]["type"], ends)
        is_cut = events[-1]["type"] == "response.incomplete"
        self.assertEqual(response["incomplete_details"], {"reason": "max_output_tokens"} if is_cut else None)
        return events

    def message(self, answer, *ends):
        """The text of the deltas between an output item's begin and its end."""
        events = self.ended(answer, *ends)
        types = [event["type"] for event in events]
        added, done = types.index("response.output_item.added"), types.index("response.output_item.done")
        self.has(events[added]["item"], {"type": "message", "id": str, "role": "assistant", "content": [], "status": str})
        self.assertEqual(types.count("response.output_item.added"), 1)
        deltas = [i for i, kind in enumerate(types) if kind == "response.output_text.delta"]
        self.assertTrue(all(added < i < done for i in deltas), types)
        text = "".join(events[i]["delta"] for i in deltas)
        self.assertEqual(events[done]["item"]["content"][0]["text"], text)
        return text

    def cut(self, answer):
        text = self.message(answer, "response.incomplete", "response.completed")
        self.texts.append(text)
        self.assertTrue(text or answer.events()[-1]["type"] == "response.completed")

    def call(self, answer):
        """The program adds the deltas to the arguments that the item has when it is added, then reads them as JSON."""
        events = self.ended(answer, "response.completed")
        types = [event["type"] for event in events]
        first = types.index("response.output_item.added")
        item = events[first]["item"]
        self.has(item, {"type": "function_call", "id": str, "call_id": str, "name": "light", "arguments": ""})
        last = types.index("response.function_call_arguments.done")
        self.assertEqual(set(types[first + 1:last]), {"response.function_call_arguments.delta"})
        arguments = "".join(event["delta"] for event in events[first + 1:last])
        self.has(json.loads(arguments), ROOM)
        self.assertEqual(events[last]["arguments"], arguments)
        self.assertEqual(types[last + 1:], ["response.output_item.done", "response.completed"])

    def thoughts(self, answer):
        """An item of its own, whose summaries the program counts."""
        events = self.ended(answer, "response.incomplete", "response.completed")
        for event in events:
            if event["type"] in ("response.output_item.added", "response.output_item.done"):
                self.has(event["item"], {"type": "reasoning", "id": str, "summary": list})
        self.assertNotIn("response.output_text.delta", [event["type"] for event in events])

    def task(self, answer):
        self.has(json.loads(self.message(answer, "response.completed")), {"lit": bool, "why": Maybe(str)})

    def test_a_conversation(self):
        said = [{"type": "message", "role": "developer", "content": SYSTEM["content"]},
                {"type": "message", "role": "user", "content": USER["content"]}]
        turns = said + [
            {"type": "function_call", "name": "light", "arguments": '{"room": "hall"}', "call_id": "call_1"},
            {"type": "function_call_output", "call_id": "call_1", "output": '{"success": true}'}]
        # Its schemas have "strict" within, and every member that is not required may be null instead.
        schema = {"type": "object", "strict": True, "additionalProperties": False, "required": ["lit", "why"], "properties": {
            "lit": {"type": "boolean", "description": "Is it lit?"}, "why": {"type": ["string", "null"], "maxLength": 8}}}
        self.replay([
            ("GET", "/v1/models", None, self.models),
            ("POST", "/v1/responses", self.asked(said), self.cut),
            ("POST", "/v1/responses", self.asked(said, N_CALL_TOKENS, tools=[self.TOOL], tool_choice="required",
                                                 parallel_tool_calls=False), self.call),
            ("POST", "/v1/responses", self.asked(turns, tools=[self.TOOL], tool_choice="none"), self.cut),
            ("POST", "/v1/responses", self.asked(said, reasoning={"effort": "low", "summary": "auto"},
                                                 include=["reasoning.encrypted_content"], text={"verbosity": "medium"}),
             self.cut),
            ("POST", "/v1/responses", self.asked(said, model=THINKER, reasoning={"effort": "low", "summary": "auto"},
                                                 include=["reasoning.encrypted_content"]), self.thoughts),
            ("POST", "/v1/responses", self.asked(said, N_CALL_TOKENS, text={"format": {
                "type": "json_schema", "name": "lamp", "schema": schema}}), self.task)])


if __name__ == "__main__":
    harness.main()
