"""Pydantic AI: agents, whose answers are objects of pydantic."""
import pydantic_ai
from features import *
from pydantic_ai.embeddings import Embedder
from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=openai_url(), api_key=KEY)
model = OpenAIChatModel(MODEL, provider=provider)
settings = dict(temperature=0)


def agent(**options):
    return pydantic_ai.Agent(model, model_settings=settings, **options)


def ask(text=QUESTION):
    return agent().run_sync(text).output


def chat():
    first = agent().run_sync(QUESTION)
    assert first.output and agent().run_sync(ALARM, message_history=first.all_messages()).output


async def stream():
    async with agent().run_stream(QUESTION) as answer:
        parts = [part async for part in answer.stream_text(delta=True, debounce_by=None)]
    same_text((await agent().run(QUESTION)).output, parts)


def tools():
    assert agent(tools=[set_alarm]).run_sync(ALARM).output
    called_once()


def schema():
    """As a response format, and as the arguments of a call that the model has to make."""
    for kind in (pydantic_ai.NativeOutput(Event), pydantic_ai.ToolOutput(Event)):
        assert isinstance(agent(output_type=kind).run_sync(PARTY).output.title, str)


def embeddings():
    embedder = Embedder(OpenAIEmbeddingModel(MODEL, provider=provider))
    vectors(*embedder.embed_documents_sync(TEXTS).embeddings, embedder.embed_query_sync(TEXTS[0]).embeddings[0])


async def asynchronous():
    assert (await agent().run(QUESTION)).output


def too_long():
    error = refused(pydantic_ai.exceptions.ModelHTTPError, lambda: ask(LONG))
    assert error.status_code == 400 and error.body["code"] == "context_length_exceeded"


async def parallel():
    async def one():
        return (await agent().run(QUESTION)).output

    await gathered(one)


run(globals())
