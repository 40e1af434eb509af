"""OpenAI's own package; chat/completions and responses."""
import json

import openai
from features import *

client = openai.OpenAI(base_url=openai_url(), api_key=KEY)
asked = dict(model=MODEL, temperature=0)


def ask(text=QUESTION):
    return client.chat.completions.create(messages=[dict(role="user", content=text)], **asked).choices[0].message.content


def chat():
    assert client.responses.create(input=QUESTION, **asked).output_text == ask()


def stream():
    chunks = client.chat.completions.create(messages=[dict(role="user", content=QUESTION)], stream=True, **asked)
    same_text(ask(), (chunk.choices[0].delta.content or "" for chunk in chunks))


def tools():
    messages = [dict(role="user", content=ALARM)]
    with_tools = dict(asked, tools=[ALARM_TOOL])
    message = client.chat.completions.create(messages=messages, **with_tools).choices[0].message
    call, = message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == ("set_alarm", dict(time=TIME))
    messages += [message, dict(role="tool", tool_call_id=call.id, content=set_alarm(TIME))]
    called_once()
    answer = client.chat.completions.create(messages=messages, **with_tools).choices[0]
    assert answer.finish_reason == "stop" and answer.message.content


def schema():
    messages = [dict(role="user", content=PARTY)]
    assert client.chat.completions.parse(messages=messages, response_format=Event, **asked).choices[0].message.parsed.title


def embeddings():
    both = client.embeddings.create(model=MODEL, input=TEXTS).data
    vectors(*(one.embedding for one in both), client.embeddings.create(model=MODEL, input=TEXTS[0]).data[0].embedding)


async def asynchronous():
    async with openai.AsyncOpenAI(base_url=openai_url(), api_key=KEY) as ai:
        chunks = await ai.chat.completions.create(messages=[dict(role="user", content=QUESTION)], stream=True, **asked)
        same_text(ask(), [chunk.choices[0].delta.content or "" async for chunk in chunks])


def too_long():
    assert refused(openai.BadRequestError, lambda: ask(LONG)).code == "context_length_exceeded"


def parallel():
    at_once(ask)


run(globals())
