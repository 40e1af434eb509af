"""What the scripts of this folder ask of llmd, and how they are run: SCRIPT URL, where a bridge listens. A script has one
function for each feature that its library has; the names of those that have passed are printed. The bundled model answers."""
import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor

import pydantic

NAMES = ["chat", "stream", "tools", "schema", "embeddings", "asynchronous", "too_long", "parallel"]

MODEL = "phone-11m-q8_0"
KEY = "none"  # which most packages want to have
MARKER = "Hollerbusch"  # the log must never hold it
QUESTION = f"Who are you, {MARKER}?"
ALARM = "Wake me at ten to seven."
TIME = "06:50"
PARTY = f"Extract the event. Don't miss the party at the {MARKER}! It is on Friday."
TEXTS = [f"Once upon a time {MARKER}", "The end"]
LONG = f"{MARKER} is long. " * 5_000  # far more than the context has
N_PARALLEL = 12  # more than run at a time of all that come over the bridge
TOLERANCE = 1e-4  # of numbers that packages write as text


class Event(pydantic.BaseModel):
    title: str = pydantic.Field(max_length=40)  # so that it ends


alarms = []  # the times that set_alarm was called with


def url():
    return sys.argv[1]


def openai_url():
    return url() + "/v1"


def set_alarm(time: str) -> str:
    """Set an alarm.

    Args:
        time: 24-hour time, HH:MM
    """
    alarms.append(time)
    return '{"ok": true}'


# As OpenAI's API has it.
ALARM_SCHEMA = {"type": "object", "properties": {"time": {"type": "string", "description": "24-hour time, HH:MM"}},
                "required": ["time"]}
ALARM_TOOL = {"type": "function",
              "function": {"name": "set_alarm", "description": "Set an alarm.", "parameters": ALARM_SCHEMA}}


def called_once():
    """The library has run the tool that the model called."""
    called, alarms[:] = list(alarms), []
    assert called == [TIME], called


def same_text(whole, parts):
    parts = list(parts)
    assert len(parts) > 2, "it came at once"
    assert "".join(parts) == whole and whole.strip(), (whole, parts)


def vectors(first, second, again):
    """The embeddings of TEXTS, and of the first of them alone."""
    assert len(first) == len(second) == len(again) > 64
    assert abs(sum(x * x for x in first) - 1) < 1e-3
    assert all(abs(x - y) < TOLERANCE for x, y in zip(first, again)), "alone it is another one"
    assert any(abs(x - y) > TOLERANCE for x, y in zip(first, second)), "two texts have one vector"


def refused(kind, ask, word="maximum context length"):
    """The error of type `kind` that `ask` ends with, which says `word`."""
    try:
        ask()
    except kind as error:
        assert word in str(error), repr(error)
        return error
    raise AssertionError("it was answered")


def at_once(ask):
    """`ask` in many threads gives one text."""
    with ThreadPoolExecutor(N_PARALLEL) as pool:
        same_answers(pool.map(lambda _: ask(), range(N_PARALLEL)))


def same_answers(texts):
    texts = list(texts)
    assert len(texts) == N_PARALLEL and len(set(texts)) == 1 and texts[0], texts


async def gathered(ask):
    """As at_once(), of coroutines."""
    same_answers(await asyncio.gather(*(ask() for _ in range(N_PARALLEL))))


def run(script):
    """Runs the functions of a script, whose globals() these are."""
    with asyncio.Runner() as runner:  # a client's connections belong to one event loop
        for name in NAMES:
            if name in script:
                done = script[name]()
                if asyncio.iscoroutine(done):
                    runner.run(done)
                print(name, flush=True)
