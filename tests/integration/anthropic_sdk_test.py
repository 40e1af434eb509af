"""Anthropic's own Python package against llmd, on its Unix socket and over a bridge that asks for a token. It comes from PyPI, as in
sdk_test.py. Version 2.14 takes clients of httpx2 and sends its key as a bearer token, 0.125 takes those of httpx and sends it as
X-Api-Key."""
import os
import subprocess

import harness
import pypi
from bridge import Bridge
from harness import LLAMA, MARKER

PACKAGES = ["anthropic>=0.60,<3"]

MESSAGES = [{"role": "user", "content": f"Once upon a time {MARKER}"}]
TOOLS = [
    {"name": "clock", "description": "Tells the time.", "input_schema": {"type": "object", "properties": {}}},
    {"name": "alarm", "input_schema": {"type": "object", "required": ["hour"],
                                       "properties": {"hour": {"type": "integer", "minimum": 0, "maximum": 23}}}},
]
N_TESTS = 10

# Runs with the environment's Python: every function whose name begins with "test_".
PROGRAM = f"""
import importlib, json, os, sys
import anthropic

MODEL, MESSAGES, TOOLS = {LLAMA!r}, {MESSAGES!r}, {TOOLS!r}
# The newest package has no arguments for what its makers' models no longer take.
GREEDY = dict(extra_body=dict(temperature=0))
COMMON = dict(model=MODEL, messages=MESSAGES, max_tokens=8, **GREEDY)


def client(address, key):
    # No retries: what a test sees is the first answer.
    if address.startswith("http"):
        return anthropic.Anthropic(base_url=address, api_key=key, max_retries=0)
    http = importlib.import_module("httpx2" if "httpx2" in sys.modules else "httpx")
    return anthropic.Anthropic(base_url="http://llmd", api_key=key, max_retries=0,
                               http_client=http.Client(transport=http.HTTPTransport(uds=address)))


def refused(error, ask):
    try:
        ask()
    except error as met:
        return met
    raise AssertionError(f"{{error.__name__}} was not raised")


def test_create(ai):
    message = ai.messages.create(**COMMON)
    assert message.type == "message" and message.role == "assistant" and message.model == MODEL
    block, = message.content
    assert block.type == "text" and block.text
    assert message.stop_reason == "max_tokens" and message.stop_sequence is None
    assert message.usage.output_tokens == 8
    assert message.usage.input_tokens + message.usage.cache_read_input_tokens > 4
    system = ai.messages.create(system=[dict(type="text", text="A play.", cache_control=dict(type="ephemeral"))], **COMMON)
    assert system.content[0].text
    assert ai.messages.create(**dict(COMMON, max_tokens=0)).usage.output_tokens == 0


def test_stop_sequences(ai):
    text = ai.messages.create(**COMMON).content[0].text
    stop = text[len(text) // 2:][:2]
    message = ai.messages.create(stop_sequences=["never", stop], **COMMON)
    assert message.stop_reason == "stop_sequence" and message.stop_sequence == stop
    assert message.content[0].text == text[:text.index(stop)]
    with ai.messages.stream(stop_sequences=[stop], **COMMON) as stream:
        last = stream.get_final_message()
    assert (last.stop_reason, last.stop_sequence) == ("stop_sequence", stop)


def test_stream(ai):
    whole = ai.messages.create(**COMMON)
    with ai.messages.stream(**COMMON) as stream:
        text = "".join(stream.text_stream)
        last = stream.get_final_message()
    assert text == whole.content[0].text == last.content[0].text
    assert last.stop_reason == whole.stop_reason and last.usage.output_tokens == 8
    assert last.usage.input_tokens + last.usage.cache_read_input_tokens > 4
    types = [event.type for event in ai.messages.create(stream=True, **COMMON)]
    assert types[:2] == ["message_start", "content_block_start"]
    assert types[-3:] == ["content_block_stop", "message_delta", "message_stop"]
    assert set(types[2:-3]) == {{"content_block_delta"}}


def test_prefill(ai):
    begun = ai.messages.create(**dict(COMMON, max_tokens=3)).content[0].text
    turns = MESSAGES + [dict(role="assistant", content=begun)]
    assert ai.messages.create(**dict(COMMON, messages=turns)).content[0].text


def test_tools(ai):
    asked = dict(COMMON, tools=TOOLS, max_tokens=200)
    choice = dict(type="any", disable_parallel_tool_use=True)
    message = ai.messages.create(tool_choice=choice, **asked)
    call, = message.content
    assert message.stop_reason == "tool_use" and call.type == "tool_use" and call.name in ("clock", "alarm")
    assert isinstance(call.input, dict)
    with ai.messages.stream(tool_choice=choice, **asked) as stream:
        last = stream.get_final_message()
    streamed, = last.content
    assert (streamed.name, streamed.input, last.stop_reason) == (call.name, call.input, "tool_use")
    named = ai.messages.create(tool_choice=dict(type="tool", name="alarm"), **asked)
    assert all(one.name == "alarm" and one.input["hour"] in range(24) for one in named.content)
    result = dict(type="tool_result", tool_use_id=call.id, content=[dict(type="text", text="noon")])
    turns = MESSAGES + [dict(role="assistant", content=message.content),
                        dict(role="user", content=[result, dict(type="text", text="And now?")])]
    answer = ai.messages.create(**dict(asked, messages=turns, tool_choice=dict(type="none"), max_tokens=8))
    assert answer.content[0].type == "text" and answer.stop_reason in ("max_tokens", "end_turn")
    failed = dict(result, is_error=True, content="it is broken")
    turns[-1] = dict(role="user", content=[failed])
    assert ai.messages.create(**dict(asked, messages=turns, tool_choice=dict(type="none"), max_tokens=8)).content


def test_thinking(ai):
    thought = ai.messages.create(**dict(COMMON, thinking=dict(type="enabled", budget_tokens=1024)))
    assert all(block.type in ("thinking", "text") for block in thought.content)
    assert ai.messages.create(**dict(COMMON, thinking=dict(type="disabled"))).content[0].type == "text"


def test_schema(ai):
    schema = dict(type="object", properties=dict(lit=dict(type="boolean")), required=["lit"])
    form = dict(type="json_schema", schema=schema)
    body = dict(temperature=0, output_config=dict(format=form))
    message = ai.messages.create(model=MODEL, messages=MESSAGES, max_tokens=60, extra_body=body)
    assert message.stop_reason == "end_turn" and isinstance(json.loads(message.content[0].text)["lit"], bool)


def test_count_tokens(ai):
    counted = ai.messages.count_tokens(model=MODEL, messages=MESSAGES).input_tokens
    usage = ai.messages.create(**dict(COMMON, max_tokens=1)).usage
    assert counted == usage.input_tokens + usage.cache_read_input_tokens
    assert ai.messages.count_tokens(model=MODEL, messages=MESSAGES, tools=TOOLS).input_tokens > counted
    assert ai.messages.count_tokens(model=MODEL, messages=MESSAGES, system="A play.").input_tokens > counted


def test_models(ai):
    assert MODEL in [model.id for model in ai.models.list()]


def test_errors(ai):
    wrong = refused(anthropic.BadRequestError, lambda: ai.messages.create(**dict(COMMON, max_tokens=-7)))
    assert wrong.body["error"]["type"] == "invalid_request_error" and "max_tokens: " in wrong.message
    image = dict(type="image", source=dict(type="base64", media_type="image/png", data="AA=="))
    seen = refused(anthropic.BadRequestError,
                   lambda: ai.messages.create(**dict(COMMON, messages=[dict(role="user", content=[image])])))
    assert "messages[0].content[0].type" in seen.message
    nobody = refused(anthropic.NotFoundError, lambda: ai.messages.create(**dict(COMMON, model="nobody")))
    assert nobody.body["error"]["type"] == "not_found_error"
    long = dict(COMMON, messages=[dict(role="user", content="long " * 20_000)])
    assert "prompt is too long" in refused(anthropic.BadRequestError, lambda: ai.messages.create(**long)).message
    huge = dict(COMMON, messages=[dict(role="user", content="x" * (5 << 20))])
    large = refused(anthropic.APIStatusError, lambda: ai.messages.create(**huge))
    assert large.status_code == 413 and large.body["error"]["type"] == "request_too_large"
    if len(sys.argv) > 3:
        stranger = refused(anthropic.AuthenticationError, lambda: client(sys.argv[1], "wrong").messages.create(**COMMON))
        assert stranger.body["error"]["type"] == "authentication_error"
        bare = anthropic.Anthropic(base_url=sys.argv[1], api_key="wrong", default_headers={{"X-Api-Key": sys.argv[2]}})
        assert bare.messages.create(**COMMON).content


for name, test in list(globals().items()):
    if name.startswith("test_"):
        print(name, flush=True)
        test(client(*sys.argv[1:3]))
"""


class AnthropicSdk(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = pypi.environment("anthropic-venv", PACKAGES)
        super().setUpClass()

    @classmethod
    def prepare(cls):
        # A family that has calls and thinking.
        cls.bus.config('backend = "cpu"\nchat_template = "hermes"\n')

    def run_all(self, *arguments):
        done = subprocess.run([self.python, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=harness.LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(done.stdout.split()), N_TESTS, done.stdout)

    def test_on_the_socket(self):
        self.run_all(self.bus.path("runtime/llmd/llmd.sock"), "none")

    def test_over_a_bridge_with_a_token(self):
        path = self.bus.path("token")
        token = "0123456789abcdef" * 2
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(token + "\n")
        bridge = Bridge(self.bus.environment, "--token-file", path)
        self.addCleanup(bridge.stop)
        self.run_all(bridge.urls[0], token, "asks for a token")


if __name__ == "__main__":
    harness.main()
