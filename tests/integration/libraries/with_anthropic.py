"""Anthropic's own package."""
import anthropic
from features import *

client = anthropic.Anthropic(base_url=url(), api_key=KEY)
# Its newest version has no arguments for what its makers' models no longer take.
asked = dict(model=MODEL, max_tokens=100, extra_body=dict(temperature=0))


def messages(text):
    return [dict(role="user", content=text)]


def ask(text=QUESTION):
    return client.messages.create(messages=messages(text), **asked).content[0].text


def chat():
    assert ask() and client.messages.count_tokens(model=MODEL, messages=messages(QUESTION)).input_tokens > 4


def stream():
    with client.messages.stream(messages=messages(QUESTION), **asked) as events:
        same_text(ask(), events.text_stream)


def tools():
    runner = client.beta.messages.tool_runner(messages=messages(ALARM), tools=[anthropic.beta_tool(set_alarm)], **asked)
    last = runner.until_done()
    called_once()
    assert last.stop_reason == "end_turn" and last.content[0].text


def schema():
    assert client.messages.parse(messages=messages(PARTY), output_format=Event, **asked).parsed_output.title


async def asynchronous():
    async with anthropic.AsyncAnthropic(base_url=url(), api_key=KEY) as ai:
        async with ai.messages.stream(messages=messages(QUESTION), **asked) as events:
            same_text(ask(), [text async for text in events.text_stream])


def too_long():
    refused(anthropic.BadRequestError, lambda: ask(LONG), "prompt is too long")


def parallel():
    at_once(ask)


run(globals())
