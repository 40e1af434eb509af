"""DSPy: its language model, which its modules ask."""
import json

import dspy
from features import *

model = dspy.LM(f"openai/{MODEL}", api_base=openai_url(), api_key=KEY, temperature=0, cache=False, max_tokens=200)


def ask(text=QUESTION):
    return model(text)[0]


def chat():
    assert ask()


def tools():
    call, = model(ALARM, tools=[ALARM_TOOL])[0]["tool_calls"]
    assert (call.function.name, json.loads(call.function.arguments)) == ("set_alarm", dict(time=TIME)), call


def schema():
    """Signatures ask for a schema only of the models that it knows; others are asked like this."""
    assert Event.model_validate_json(model(PARTY, response_format=Event)[0]).title


def embeddings():
    embed = dspy.Embedder(f"openai/{MODEL}", api_base=openai_url(), api_key=KEY, encoding_format="float", caching=False)
    vectors(*(vector.tolist() for vector in embed(TEXTS)), embed(TEXTS[0]).tolist())


async def asynchronous():
    assert (await model.acall(QUESTION))[0] == ask()


def too_long():
    refused(dspy.ContextWindowExceededError, lambda: ask(LONG))


def parallel():
    at_once(ask)


run(globals())
