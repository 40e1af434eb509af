"""The program llm with its plugin llm-ollama, as a library; OLLAMA_HOST is llmd's bridge."""
import os

from features import *

os.environ["OLLAMA_HOST"] = url()

import llm  # noqa: E402, which reads it

model = llm.get_model(f"ollama/{MODEL}")


def ask(text=QUESTION):
    return model.prompt(text, temperature=0, stream=False).text()


def chat():
    conversation = model.conversation()
    assert conversation.prompt(QUESTION, temperature=0).text() == ask()
    assert conversation.prompt(QUESTION, temperature=0).text()


def stream():
    same_text(ask(), model.prompt(QUESTION, temperature=0))


def tools():
    assert model.chain(ALARM, tools=[set_alarm], options=dict(temperature=0)).text()
    called_once()


def schema():
    assert Event.model_validate_json(model.prompt(PARTY, schema=Event, temperature=0).text()).title


def embeddings():
    embedder = llm.get_embedding_model(f"ollama/{MODEL}")
    vectors(*embedder.embed_multi(TEXTS), embedder.embed(TEXTS[0]))


async def asynchronous():
    same_text(ask(), [part async for part in llm.get_async_model(f"ollama/{MODEL}").prompt(QUESTION, temperature=0)])


def too_long():
    refused(Exception, lambda: ask(LONG))


def parallel():
    at_once(ask)


run(globals())
