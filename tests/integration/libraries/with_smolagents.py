"""smolagents: its model for OpenAI's API, which its agents ask."""
import json

import openai
import smolagents
from features import *

model = smolagents.OpenAIModel(MODEL, api_base=openai_url(), api_key=KEY, temperature=0)


def messages(text):
    return [dict(role="user", content=[dict(type="text", text=text)])]


def ask(text=QUESTION):
    return model.generate(messages(text)).content


def chat():
    assert ask()


def stream():
    same_text(ask(), (part.content or "" for part in model.generate_stream(messages(QUESTION))))


def tools():
    """It demands a call, and runs it as its agents do."""
    tool = smolagents.tool(set_alarm)
    call, = model.generate(messages(ALARM), tools_to_call_from=[tool]).tool_calls
    assert tool(**json.loads(call.function.arguments))
    called_once()


def schema():
    form = dict(type="json_schema", json_schema=dict(name="event", schema=Event.model_json_schema(), strict=True))
    assert Event.model_validate_json(model.generate(messages(PARTY), response_format=form).content).title


def too_long():
    refused(openai.BadRequestError, lambda: ask(LONG))


def parallel():
    at_once(ask)


run(globals())
