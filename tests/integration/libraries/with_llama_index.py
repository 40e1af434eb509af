"""LlamaIndex with its packages for Ollama's API."""
import ollama
from features import *
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.prompts import PromptTemplate
from llama_index.embeddings.ollama import OllamaEmbedding
from llama_index.llms.ollama import Ollama

model = Ollama(model=MODEL, base_url=url(), temperature=0, request_timeout=300)


def ask(text=QUESTION):
    return model.complete(text).text


def chat():
    assert ask() and model.metadata.context_window > 0


def stream():
    same_text(ask(), (part.delta for part in model.stream_complete(QUESTION)))


async def tools():
    assert str(await FunctionAgent(tools=[set_alarm], llm=model, streaming=False).run(ALARM))
    called_once()


def schema():
    assert model.structured_predict(Event, PromptTemplate(PARTY)).title


def embeddings():
    embedder = OllamaEmbedding(model_name=MODEL, base_url=url())
    vectors(*embedder.get_text_embedding_batch(TEXTS), embedder.get_text_embedding(TEXTS[0]))


async def asynchronous():
    same_text(ask(), [part.delta async for part in await model.astream_complete(QUESTION)])


def too_long():
    refused(ollama.ResponseError, lambda: ask(LONG))


def parallel():
    at_once(ask)


run(globals())
