"""LangChain's package for OpenAI's API."""
import langchain_openai
from features import *
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool

connection = dict(base_url=openai_url(), api_key=KEY)
model = langchain_openai.ChatOpenAI(model=MODEL, temperature=0, **connection)


def ask(text=QUESTION):
    return model.invoke(text).content


def chat():
    responses = langchain_openai.ChatOpenAI(model=MODEL, temperature=0, use_responses_api=True, **connection)
    assert responses.invoke(QUESTION).text == ask()


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
    for method in ("json_schema", "function_calling"):
        assert isinstance(model.with_structured_output(Event, method=method).invoke(PARTY).title, str)


def embeddings():
    # Without this it cuts texts into OpenAI's tokens.
    embedder = langchain_openai.OpenAIEmbeddings(model=MODEL, check_embedding_ctx_length=False, **connection)
    vectors(*embedder.embed_documents(TEXTS), embedder.embed_query(TEXTS[0]))


async def asynchronous():
    same_text(ask(), [part.content async for part in model.astream(QUESTION)])


def too_long():
    refused(ContextOverflowError, lambda: ask(LONG))


def parallel():
    same_answers(answer.content for answer in model.batch([QUESTION] * N_PARALLEL))


run(globals())
