"""Haystack: generator, embedder and agent."""
import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

import openai  # noqa: E402
from features import *  # noqa: E402
from haystack.components.agents import Agent  # noqa: E402
from haystack.components.embedders import OpenAIDocumentEmbedder, OpenAITextEmbedder  # noqa: E402
from haystack.components.generators.chat import OpenAIChatGenerator  # noqa: E402
from haystack.dataclasses import ChatMessage, Document  # noqa: E402
from haystack.tools import create_tool_from_function  # noqa: E402
from haystack.utils import Secret  # noqa: E402

connection = dict(model=MODEL, api_base_url=openai_url(), api_key=Secret.from_token(KEY))


def generator(**options):
    return OpenAIChatGenerator(generation_kwargs=dict(temperature=0, **options), **connection)


def messages(text):
    return [ChatMessage.from_user(text)]


def ask(text=QUESTION, **options):
    return generator(**options).run(messages(text))["replies"][0].text


def chat():
    assert ask()


def stream():
    parts = []
    generator().run(messages(QUESTION), streaming_callback=lambda chunk: parts.append(chunk.content))
    same_text(ask(), parts)


def tools():
    agent = Agent(chat_generator=generator(), tools=[create_tool_from_function(set_alarm)])
    assert agent.run(messages(ALARM))["messages"][-1].text
    called_once()


def schema():
    assert Event.model_validate_json(ask(PARTY, response_format=Event)).title


def embeddings():
    documents = OpenAIDocumentEmbedder(progress_bar=False, **connection).run([Document(content=text) for text in TEXTS])
    alone = OpenAITextEmbedder(**connection).run(TEXTS[0])["embedding"]
    vectors(*(document.embedding for document in documents["documents"]), alone)


async def asynchronous():
    assert (await generator().run_async(messages(QUESTION)))["replies"][0].text == ask()


def too_long():
    assert refused(openai.BadRequestError, lambda: ask(LONG)).code == "context_length_exceeded"


def parallel():
    at_once(ask)


run(globals())
