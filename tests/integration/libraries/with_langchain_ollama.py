"""LangChain's package for Ollama's API."""
import langchain_ollama
import ollama
from features import *
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool

model = langchain_ollama.ChatOllama(model=MODEL, base_url=url(), temperature=0)


def ask(text=QUESTION):
    return model.invoke(text).content


def chat():
    assert langchain_ollama.OllamaLLM(model=MODEL, base_url=url(), temperature=0).invoke(QUESTION) == ask()


def stream():
    same_text(ask(), (part.content for part in model.stream(QUESTION)))


def tools():
    with_tools = model.bind_tools([tool(set_alarm)])
    turns = [HumanMessage(ALARM)]
    turns.append(with_tools.invoke(turns))
    call, = turns[1].tool_calls
    turns.append(ToolMessage(set_alarm(**call["args"]), tool_call_id=call["id"]))
    called_once()
    assert with_tools.invoke(turns).content


def schema():
    assert model.with_structured_output(Event, method="json_schema").invoke(PARTY).title


def embeddings():
    embedder = langchain_ollama.OllamaEmbeddings(model=MODEL, base_url=url())
    vectors(*embedder.embed_documents(TEXTS), embedder.embed_query(TEXTS[0]))


async def asynchronous():
    same_text(ask(), [part.content async for part in model.astream(QUESTION)])


def too_long():
    refused(ollama.ResponseError, lambda: ask(LONG))


def parallel():
    same_answers(answer.content for answer in model.batch([QUESTION] * N_PARALLEL))


run(globals())
