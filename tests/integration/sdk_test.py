"""OpenAI's and Ollama's own Python packages against llmd's Unix socket, and the program llm with its plugin llm-ollama over
the bridge. They come from PyPI, into a virtual environment below the build folder that is made once."""
import os
import subprocess

import harness
import pypi
from bridge import Bridge, MAX_WAITING
from chat_templates_chatml import CHATML
from harness import GPT2, LLAMA, MARKER

# What the program below was written for.
PACKAGES = ["openai>=1.40,<4", "ollama>=0.4,<1", "llm>=0.32,<1", "llm-ollama>=0.19,<1"]

CHATTY = "chatty"  # a model with a chat template of its own

PROMPT = f"Once upon a time {MARKER}"
MESSAGES = [{"role": "user", "content": PROMPT}]
TOOLS = [
    {"type": "function", "function": {"name": "clock", "description": "Tells the time.",
                                      "parameters": {"type": "object", "properties": {}}}},
    {"type": "function", "function": {"name": "alarm", "parameters": {
        "type": "object", "properties": {"hour": {"type": "integer", "minimum": 0, "maximum": 23}},
        "required": ["hour"]}}},
]
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

# Runs with the environment's Python: every function whose name begins with that of one package. Importing one takes
# seconds, so that happens once.
PROGRAM = f"""
import contextlib, importlib, json, os, select, signal, socket, sys
from typing import Literal
import httpx

PACKAGE = sys.argv[2]
globals()[PACKAGE] = importlib.import_module(PACKAGE)
PROMPT, MESSAGES, SCHEMA, MODEL, OTHER, CHATTY = {PROMPT!r}, {MESSAGES!r}, {SCHEMA!r}, {LLAMA!r}, {GPT2!r}, {CHATTY!r}
TOOLS = {TOOLS!r}
LOOKS = 100_000  # only a failure needs so many
COMMON = dict(model=MODEL, max_tokens=8, temperature=0)
OPTIONS = dict(num_predict=8, temperature=0)
LONG = dict(COMMON, max_tokens=100_000)  # to the end of the context


# Of every answer that the client has had, also of those that it repeated its request for.
STATUSES = []
when_refused = lambda: None


def transport():
    return httpx.HTTPTransport(uds=sys.argv[1])


def answered(response):
    STATUSES.append(response.status_code)
    if response.status_code == 429:
        when_refused()


def metric(name):
    with httpx.Client(transport=transport()) as client:
        lines = client.get("http://llmd/metrics").text.splitlines()
    value, = [line.split()[1] for line in lines if line.startswith(name + " ")]
    return float(value)


def wait_requests(n):
    for _ in range(LOOKS):
        if metric("llmd_requests_active") + metric("llmd_requests_queued") == n:
            return
    raise AssertionError(f"there are not {{n}} requests")


# No request ends by itself inside the block.
@contextlib.contextmanager
def held_engine():
    os.kill(int(sys.argv[3]), signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(int(sys.argv[3]), signal.SIGCONT)


def openai_completion(ai):
    whole = ai.completions.create(prompt=PROMPT, **COMMON)
    assert whole.choices[0].text and whole.choices[0].finish_reason == "length"
    assert whole.usage.completion_tokens == 8
    stream = list(ai.completions.create(prompt=PROMPT, stream=True, stream_options=dict(include_usage=True), **COMMON))
    assert "".join(chunk.choices[0].text for chunk in stream if chunk.choices) == whole.choices[0].text
    assert stream[-1].usage.completion_tokens == 8
    several = ai.completions.create(prompt=[PROMPT, "The"], n=2, **COMMON)
    assert [choice.index for choice in several.choices] == [0, 1, 2, 3]
    assert [choice.text for choice in several.choices][:2] == [whole.choices[0].text] * 2
    assert several.usage.completion_tokens == 32


def openai_chat(ai):
    whole = ai.chat.completions.create(messages=MESSAGES, **COMMON)
    assert whole.choices[0].message.role == "assistant" and whole.choices[0].message.content
    stream = list(ai.chat.completions.create(messages=MESSAGES, stream=True, **COMMON))
    assert stream[0].choices[0].delta.role == "assistant"
    text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert text == whole.choices[0].message.content
    assert stream[-1].choices[0].finish_reason == "length"
    texts = ["", ""]
    for chunk in ai.chat.completions.create(messages=MESSAGES, n=2, stream=True, **COMMON):
        texts[chunk.choices[0].index] += chunk.choices[0].delta.content or ""
    assert texts == [text] * 2


def openai_completion_logprobs(ai):
    options = dict(prompt=PROMPT, logprobs=3, **COMMON)
    choice = ai.completions.create(**options).choices[0]
    told = choice.logprobs
    assert "".join(told.tokens) == choice.text and len(told.tokens) == 8
    assert [max(top.values()) for top in told.top_logprobs] == told.token_logprobs
    assert [len(top) for top in told.top_logprobs] == [3] * 8
    tokens, offsets = [], []
    for chunk in ai.completions.create(stream=True, **options):
        if chunk.choices[0].logprobs:
            tokens += chunk.choices[0].logprobs.tokens
            offsets += chunk.choices[0].logprobs.text_offset
    assert (tokens, offsets) == (told.tokens, told.text_offset)
    assert ai.completions.create(**dict(options, logprobs=None)).choices[0].text == choice.text


def openai_chat_logprobs(ai):
    options = dict(messages=MESSAGES, logprobs=True, top_logprobs=2, **COMMON)
    choice = ai.chat.completions.create(**options).choices[0]
    told = choice.logprobs.content
    assert b"".join(bytes(one.bytes) for one in told).decode() == choice.message.content
    assert all(one.logprob == one.top_logprobs[0].logprob >= one.top_logprobs[1].logprob for one in told)
    streamed = []
    for chunk in ai.chat.completions.create(stream=True, **options):
        if chunk.choices[0].logprobs:
            streamed += chunk.choices[0].logprobs.content
    assert streamed == told


def openai_token_ids(ai):
    one = ai.completions.create(prompt=[5, 6, 7], **COMMON)
    several = ai.completions.create(prompt=[[5, 6, 7], [8]], **COMMON)
    assert one.usage.prompt_tokens == 3 and several.usage.prompt_tokens == 4
    assert several.choices[0].text == one.choices[0].text and len(several.choices) == 2


# A client may have four requests, and MAX_WAITING more wait. One more is repeated by the package itself, and succeeds when they have gone.
def openai_retries(ai):
    global when_refused
    streams = [ai.completions.create(prompt=PROMPT, stream=True, **LONG) for _ in range(4)]
    for stream in streams:
        next(iter(stream))
    n_ended = metric("llmd_queue_seconds_count")
    STATUSES.clear()
    with contextlib.ExitStack() as until_refused:
        until_refused.enter_context(held_engine())
        for stream in streams:
            until_refused.callback(stream.close)
        others = [until_refused.enter_context(socket.socket(socket.AF_UNIX)) for _ in range({MAX_WAITING + 1})]
        for other in others:
            other.connect(sys.argv[1])
            other.sendall(b"POST /v1/completions HTTP/1.1\\r\\nHost: llmd\\r\\nContent-Length: 2\\r\\n\\r\\n{{}}")
        select.select(others, [], [])  # one of them is refused: the others wait
        when_refused = until_refused.close
        assert ai.completions.create(prompt=PROMPT, **COMMON).usage.completion_tokens == 8
    assert STATUSES == [429, 200], STATUSES
    assert metric("llmd_queue_seconds_count") == n_ended + 5
    # What cannot succeed is asked once: the numbers of llmd's requests tell how many there were.
    number = lambda answer: int(answer.id.removeprefix("cmpl-"))
    before = number(ai.completions.create(prompt=PROMPT, **COMMON))
    STATUSES.clear()
    try:
        ai.completions.create(prompt=[5] * 20_000, **COMMON)
    except openai.BadRequestError as error:
        assert error.code == "context_length_exceeded"
    else:
        raise AssertionError("a prompt that does not fit was accepted")
    assert STATUSES == [400], STATUSES
    assert number(ai.completions.create(prompt=PROMPT, **COMMON)) == before + 2


def openai_leaving_cancels(ai):
    expected = ai.completions.create(prompt=PROMPT, **LONG).choices[0].text
    leaving = ai.completions.create(prompt=PROMPT, n=2, stream=True, **LONG)
    staying = ai.completions.create(prompt=PROMPT, stream=True, **LONG)
    next(iter(leaving))
    text = next(iter(staying)).choices[0].text
    with held_engine():
        leaving.close()
        wait_requests(1)
    assert text + "".join(chunk.choices[0].text for chunk in staying) == expected
    wait_requests(0)


def openai_models(ai):
    assert MODEL in [model.id for model in ai.models.list()]
    assert ai.models.retrieve(MODEL).id == MODEL


def openai_embeddings(ai):
    texts = [PROMPT, "The", PROMPT]
    several = ai.embeddings.create(model=MODEL, input=texts)  # which the package asks for as base64
    assert [one.index for one in several.data] == [0, 1, 2] and several.usage.prompt_tokens > 3
    first, second, again = [one.embedding for one in several.data]
    assert abs(sum(x * x for x in first) - 1) < 1e-5
    assert first == again and first != second and len(first) == len(second)
    numbers = ai.embeddings.create(model=MODEL, input=PROMPT, encoding_format="float")
    assert all(abs(x - y) < 1e-6 for x, y in zip(numbers.data[0].embedding, first, strict=True))
    assert len(ai.embeddings.create(model=MODEL, input=[[1, 2], [3]]).data) == 2
    assert len(ai.embeddings.create(model=MODEL, input=["The"] * 2048).data) == 2048
    short = ai.embeddings.create(model=MODEL, input=PROMPT, dimensions=8).data[0].embedding
    scale = sum(x * x for x in first[:8]) ** 0.5
    assert len(short) == 8 and all(abs(x - y / scale) < 1e-5 for x, y in zip(short, first))
    try:
        ai.embeddings.create(model=MODEL, input="The", dimensions=1 << 20)
    except openai.BadRequestError as error:
        assert "dimensions: " in error.message
    else:
        raise AssertionError("more dimensions than there are were accepted")


# The calls of a whole answer and of its stream, which are the same at temperature 0.
def openai_tools(ai):
    asked = dict(messages=MESSAGES, tools=TOOLS, tool_choice="required", model=MODEL, temperature=0, max_tokens=120)
    whole = ai.chat.completions.create(parallel_tool_calls=False, **asked)
    call, = whole.choices[0].message.tool_calls
    assert whole.choices[0].finish_reason == "tool_calls" and whole.choices[0].message.content is None
    assert call.type == "function" and call.function.name in ("clock", "alarm")
    json.loads(call.function.arguments)
    streamed = {{}}
    for chunk in ai.chat.completions.create(parallel_tool_calls=False, stream=True, **asked):
        for delta in chunk.choices[0].delta.tool_calls or []:
            begun = streamed.setdefault(delta.index, [delta.function.name, ""])
            begun[1] += delta.function.arguments or ""
        reason = chunk.choices[0].finish_reason
    assert streamed == {{0: [call.function.name, call.function.arguments]}} and reason == "tool_calls"
    named = ai.chat.completions.create(**dict(asked, tool_choice=dict(type="function", function=dict(name="alarm"))))
    calls = named.choices[0].message.tool_calls
    assert all(one.function.name == "alarm" and json.loads(one.function.arguments)["hour"] in range(24) for one in calls)
    turns = MESSAGES + [whole.choices[0].message, dict(role="tool", tool_call_id=call.id, content="noon")]
    answer = ai.chat.completions.create(**dict(asked, messages=turns, tool_choice="none", max_tokens=8))
    assert answer.choices[0].message.tool_calls is None and answer.choices[0].message.content
    orphan = dict(asked, messages=MESSAGES + [turns[-1]], tools=[], tool_choice="none", max_tokens=8)
    assert ai.chat.completions.create(**orphan).choices[0].message.content, "the history was trimmed"


# Two calls of one answer, of one of the first seeds.
def openai_parallel_calls(ai):
    for seed in range(64):
        whole = ai.chat.completions.create(messages=MESSAGES, tools=TOOLS, tool_choice="required", model=MODEL, seed=seed,
                                           temperature=1.5, max_tokens=200)
        calls = whole.choices[0].message.tool_calls or []
        if len(calls) > 1:
            assert len(set(call.id for call in calls)) == len(calls)
            return
    raise AssertionError("no answer had two calls")


# More at once than llmd takes of a process.
def openai_many_at_once(ai):
    from concurrent.futures import ThreadPoolExecutor

    def call(_):
        return ai.completions.create(model=MODEL, prompt=PROMPT, temperature=0, max_tokens=16).choices[0].text

    with ThreadPoolExecutor(64) as pool:
        texts = list(pool.map(call, range(64)))
    assert len(texts) == 64 and len(set(texts)) == 1


def openai_parse(ai):
    import pydantic

    class Tale(pydantic.BaseModel):
        hero: Literal["Lily", "Tom"]
        age: int = pydantic.Field(ge=0, le=9)

    parsed = ai.chat.completions.parse(messages=MESSAGES, response_format=Tale, model=MODEL, temperature=0, max_tokens=60)
    tale = parsed.choices[0].message.parsed
    assert tale.hero in ("Lily", "Tom") and 0 <= tale.age <= 9
    response = ai.responses.parse(input=MESSAGES, text_format=Tale, model=MODEL, temperature=0, max_output_tokens=60)
    assert response.output_parsed == tale


# vLLM's, as its own documents ask for them.
def openai_structured_outputs(ai):
    def asked(create, **more):
        return create(**COMMON, **more).choices[0]

    for body, texts in ((dict(structured_outputs=dict(choice=["Lily", "Tom"])), ("Lily", "Tom")), (dict(guided_regex="Li(ly|on)"), ("Lily", "Lion"))):
        assert asked(ai.chat.completions.create, messages=MESSAGES, extra_body=body).message.content in texts
        assert asked(ai.completions.create, prompt=PROMPT, extra_body=body).text in texts


def openai_responses(ai):
    from openai.types.responses import Response
    common = dict(model=MODEL, input=MESSAGES, max_output_tokens=8, temperature=0)
    whole = ai.responses.create(**common)
    assert whole.status == "incomplete" and whole.incomplete_details.reason == "max_output_tokens"
    assert whole.output_text and whole.usage.output_tokens == 8
    events = list(ai.responses.create(stream=True, **common))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[0].type == "response.created" and events[-1].type == "response.incomplete"
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert text == whole.output_text == events[-1].response.output_text
    Response.model_validate(whole.model_dump())  # pydantic's own check of what was constructed without one
    flat = [dict(type="function", **tool["function"]) for tool in TOOLS]
    called = ai.responses.create(model=MODEL, input=MESSAGES, tools=flat, tool_choice="required", temperature=0,
                                 max_output_tokens=120, parallel_tool_calls=False)
    call, = called.output
    assert called.status == "completed" and call.type == "function_call" and json.loads(call.arguments) is not None
    turns = MESSAGES + [call, dict(type="function_call_output", call_id=call.call_id, output="noon")]
    again = ai.responses.create(model=MODEL, input=turns, tools=flat, tool_choice="none", max_output_tokens=4)
    assert again.output_text and again.status == "incomplete"
    try:
        ai.responses.create(model=MODEL, input="x", previous_response_id=called.id)
    except openai.BadRequestError as error:
        assert error.param == "previous_response_id"
    else:
        raise AssertionError("a response that is not kept was found")


def openai_errors(ai):
    try:
        ai.completions.create(prompt=PROMPT, n=9, **COMMON)
    except openai.BadRequestError as error:
        assert error.code == "invalid_value" and "n: " in error.message
    else:
        raise AssertionError("n=9 was accepted")
    try:
        ai.completions.create(prompt=PROMPT, model="nobody")
    except openai.NotFoundError as error:
        assert error.code == "model_not_found"
    else:
        raise AssertionError("a model that is not there was accepted")


def ollama_generate(client):
    whole = client.generate(MODEL, PROMPT, options=OPTIONS)
    assert whole.done and whole.done_reason == "length" and whole.eval_count == 8
    stream = list(client.generate(MODEL, PROMPT, options=OPTIONS, stream=True))
    assert "".join(part.response for part in stream) == whole.response
    assert [part.done for part in stream] == [False] * (len(stream) - 1) + [True]


def ollama_chat(client):
    whole = client.chat(MODEL, MESSAGES, options=OPTIONS)
    assert whole.message.role == "assistant" and whole.message.content
    stream = client.chat(MODEL, MESSAGES, options=OPTIONS, stream=True)
    assert "".join(part.message.content for part in stream) == whole.message.content


def ollama_tools(client):
    called = client.chat(MODEL, MESSAGES, tools=TOOLS, options=dict(num_predict=200, seed=1, temperature=0))
    assert called.done_reason in ("stop", "length")
    for call in called.message.tool_calls or []:
        assert call.function.name in ("clock", "alarm") and isinstance(call.function.arguments, dict)
    turns = MESSAGES + [dict(role="assistant", tool_calls=[dict(function=dict(name="alarm", arguments=dict(hour=7)))]),
                        dict(role="tool", tool_name="alarm", content="set")]
    answer = client.chat(MODEL, turns, think=False, options=OPTIONS)
    assert answer.message.content and not answer.message.tool_calls


def ollama_models(client):
    assert client.generate(MODEL).done_reason == "load"
    assert MODEL in [model.model for model in client.list().models]
    loaded, = [one for one in client.ps().models if one.model == MODEL]  # others stay beside it
    assert loaded.size > 0 and loaded.expires_at.year > 2000
    assert loaded.digest in [model.digest for model in client.list().models]
    show = client.show(MODEL)
    assert show.details.family == "llama" and show.capabilities == ["completion", "embedding"]
    assert show.modelinfo["llama.context_length"] > 0


def ollama_model_files(client):
    assert client.pull(MODEL).status == "success"
    assert [part.status for part in client.pull(MODEL, stream=True)] == ["success"]
    for change, code, word in ((lambda: client.pull("nobody"), 404, "llmctl pull"),
                               (lambda: client.delete(MODEL), 403, "llmctl rm"),
                               (lambda: client.copy(MODEL, "other"), 403, "copies"),
                               (lambda: client.create("other", from_=MODEL), 403, "llmctl import"),
                               (lambda: client.push(MODEL), 403, "uploads")):
        try:
            change()
        except ollama.ResponseError as error:
            assert error.status_code == code and word in error.error, error
        else:
            raise AssertionError("a model was changed")


def ollama_embeddings(client):
    both = client.embed(MODEL, [PROMPT, "The"])
    assert len(both.embeddings) == 2 and both.prompt_eval_count > 2
    assert list(client.embed(MODEL, PROMPT).embeddings[0]) == list(both.embeddings[0])
    assert list(client.embeddings(MODEL, PROMPT).embedding) == list(both.embeddings[0])


def ollama_leaving_cancels(client):
    stream = client.generate(MODEL, PROMPT, stream=True, options=dict(num_predict=-1, temperature=0, seed=-1))
    next(stream)
    with held_engine():
        stream.close()
        wait_requests(0)


def ollama_errors(client):
    try:
        client.generate("nobody", PROMPT)
    except ollama.ResponseError as error:
        assert error.status_code == 404 and "nobody" in error.error
    else:
        raise AssertionError("a model that is not there was accepted")


# It takes models of one digest for one, and what a model can from /api/show.
def llm_models(run):
    listed = [line for line in run("models").splitlines() if line.startswith("Ollama: ")]
    assert sorted(line.split()[1] for line in listed) == sorted("ollama/" + name for name in (MODEL, OTHER, CHATTY)), listed


def llm_prompt(run):
    asked = ["prompt", PROMPT, "-m", "ollama/" + MODEL, "-o", "num_predict", "8", "-o", "temperature", "0"]
    whole = run(*asked, "--no-stream")
    assert whole.strip() and run(*asked) == whole
    last = json.loads(run("logs", "list", "-n", "1", "--json"))[0]
    assert last["response"].strip() == whole.strip() and last["input_tokens"] > 0 and last["output_tokens"] == 8


def llm_tool(run):
    from llm.parts import Message, TextPart, ToolCallPart, ToolResultPart

    def alarm(hour: int) -> str:
        raise AssertionError("the model has called it by itself")

    turns = [Message(role="user", parts=[TextPart(text=PROMPT)])]
    asked = dict(tools=[alarm], num_predict=8, temperature=0, stream=True)
    first = llm.get_model("ollama/" + CHATTY).prompt(messages=turns, **asked)
    assert first.text() and first.tool_calls() == []
    turns += [Message(role="assistant", parts=[ToolCallPart(name="alarm", arguments=dict(hour=7), tool_call_id="1")]),
              Message(role="tool", parts=[ToolResultPart(name="alarm", output="set", tool_call_id="1")])]
    second = llm.get_model("ollama/" + CHATTY).prompt(messages=turns, **asked)
    assert second.text() and second.usage().input > first.usage().input
    assert not llm.get_model("ollama/" + MODEL).supports_tools


def llm_schema(run):
    text = run("prompt", PROMPT, "-m", "ollama/" + MODEL, "-o", "num_predict", "60", "--schema", "lit bool, age int")
    answer = json.loads(text)
    assert isinstance(answer["lit"], bool) and isinstance(answer["age"], int)


def llm_embedding(run):
    vector = json.loads(run("embed", "-m", "ollama/" + MODEL, "-c", PROMPT))
    assert len(vector) > 64 and abs(sum(x * x for x in vector) - 1) < 1e-3


def llm_errors(run):
    try:
        llm.get_model("ollama/" + MODEL).prompt(PROMPT, num_predict=-7).text()
    except Exception as error:
        assert "num_predict" in str(error), error
    else:
        raise AssertionError("-7 tokens were accepted")


def run_llm(*arguments):
    from click.testing import CliRunner
    from llm.cli import cli
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == 0, (arguments, result.output, result.exception)
    return result.output


if PACKAGE == "llm":
    client = run_llm
elif PACKAGE == "openai":
    client = openai.OpenAI(base_url="http://llmd/v1", api_key="none",
                           http_client=httpx.Client(transport=transport(), event_hooks=dict(response=[answered])))
else:
    client = ollama.Client(host="http://llmd", transport=transport())
for name, test in list(globals().items()):
    if name.startswith(PACKAGE + "_"):
        print(name, flush=True)
        test(client)
"""


class Sdk(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = pypi.environment("sdk-venv", PACKAGES)
        super().setUpClass()

    @classmethod
    def prepare(cls):
        # A family whose answers may have several calls.
        cls.bus.config('backend = "cpu"\nchat_template = "hermes"\n')
        cls.bus.write_with_template(CHATTY, CHATML)

    def run_all(self, package, n_tests, **environment):
        self.client.load(LLAMA)
        engine = self.client.engine_of(LLAMA)
        done = subprocess.run([self.python, "-c", PROGRAM, self.bus.path("runtime/llmd/llmd.sock"), package, str(engine)],
                              env=dict(os.environ, **environment), capture_output=True, text=True, timeout=harness.LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(done.stdout.split()), n_tests, done.stdout)

    def test_openai(self):
        self.run_all("openai", 16)

    def test_ollama(self):
        self.run_all("ollama", 8)

    def test_llm(self):
        bridge = Bridge(self.bus.environment)
        self.addCleanup(bridge.stop)
        self.run_all("llm", 6, OLLAMA_HOST=bridge.urls[0], LLM_USER_PATH=self.bus.path("llm"))


if __name__ == "__main__":
    harness.main()
