"""Ollama's own package."""
import ollama
from features import *

client = ollama.Client(url())
asked = dict(model=MODEL, options=dict(temperature=0))


def messages(text):
    return [dict(role="user", content=text)]


def ask(text=QUESTION):
    return client.chat(messages=messages(text), **asked).message.content


def chat():
    assert client.generate(prompt=QUESTION, **asked).response == ask()


def stream():
    same_text(ask(), (part.message.content for part in client.chat(messages=messages(QUESTION), stream=True, **asked)))


def tools():
    turns = messages(ALARM)
    message = client.chat(messages=turns, tools=[set_alarm], **asked).message
    call, = message.tool_calls
    turns += [message, dict(role="tool", tool_name=call.function.name, content=set_alarm(**call.function.arguments))]
    called_once()
    assert client.chat(messages=turns, tools=[set_alarm], **asked).message.content


def schema():
    text = client.chat(messages=messages(PARTY), format=Event.model_json_schema(), **asked).message.content
    assert Event.model_validate_json(text).title


def embeddings():
    vectors(*client.embed(MODEL, TEXTS).embeddings, client.embed(MODEL, TEXTS[0]).embeddings[0])


async def asynchronous():
    parts = await ollama.AsyncClient(url()).chat(messages=messages(QUESTION), stream=True, **asked)
    same_text(ask(), [part.message.content async for part in parts])


def too_long():
    assert refused(ollama.ResponseError, lambda: ask(LONG)).status_code == 400
    # Turns that a conversation can do without are left out, as Ollama does it.
    turns = [dict(role="user", content=LONG[:4_000]), dict(role="assistant", content="No.")] * 4
    assert client.chat(messages=turns + messages(QUESTION), **asked).message.content


def parallel():
    at_once(ask)


run(globals())
