"""LiteLLM, over OpenAI's API and over Ollama's."""
import json

import litellm
from features import *

litellm.suppress_debug_info = True
common = dict(temperature=0)
OPENAI = dict(common, model=f"openai/{MODEL}", api_base=openai_url(), api_key=KEY)
OLLAMA = dict(common, model=f"ollama_chat/{MODEL}", api_base=url())


def messages(text):
    return [dict(role="user", content=text)]


def ask(text=QUESTION, asked=OPENAI):
    return litellm.completion(messages=messages(text), **asked).choices[0].message.content


def chat():
    assert ask() and ask() == ask(asked=OLLAMA)


def stream():
    for asked in (OPENAI, OLLAMA):
        chunks = litellm.completion(messages=messages(QUESTION), stream=True, **asked)
        same_text(ask(), (chunk.choices[0].delta.content or "" for chunk in chunks))


def tools():
    for asked in (OPENAI, OLLAMA):
        turns = messages(ALARM)
        message = litellm.completion(messages=turns, tools=[ALARM_TOOL], **asked).choices[0].message
        call, = message.tool_calls
        result = set_alarm(**json.loads(call.function.arguments))
        turns += [message.model_dump(), dict(role="tool", tool_call_id=call.id, content=result)]
        called_once()
        assert litellm.completion(messages=turns, tools=[ALARM_TOOL], **asked).choices[0].message.content


def schema():
    for asked in (OPENAI, OLLAMA):
        text = litellm.completion(messages=messages(PARTY), response_format=Event, **asked).choices[0].message.content
        assert Event.model_validate_json(text).title


def embeddings():
    def embed(texts):
        answer = litellm.embedding(model=f"openai/{MODEL}", api_base=openai_url(), api_key=KEY, input=texts,
                                   encoding_format="float")
        return [one["embedding"] for one in answer.data]

    vectors(*embed(TEXTS), *embed(TEXTS[:1]))


async def asynchronous():
    chunks = await litellm.acompletion(messages=messages(QUESTION), stream=True, **OPENAI)
    same_text(ask(), [chunk.choices[0].delta.content or "" async for chunk in chunks])


def too_long():
    refused(litellm.ContextWindowExceededError, lambda: ask(LONG))
    # Longer than llmd splits into tokens at all.
    refused(litellm.ContextWindowExceededError, lambda: ask(LONG * 5), "too long")
    refused(litellm.exceptions.BadRequestError, lambda: ask(LONG, OLLAMA))


def parallel():
    at_once(ask)


run(globals())
