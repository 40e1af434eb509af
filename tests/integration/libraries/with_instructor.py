"""Instructor: an answer is an object of pydantic, which is asked for again where it does not fit."""
import instructor
import openai
import pydantic
from features import *

connection = dict(base_url=openai_url(), api_key=KEY)
asked = dict(model=MODEL, temperature=0, max_retries=1)


class Alarm(pydantic.BaseModel):
    """Set an alarm."""
    time: str = pydantic.Field(description="24-hour time, HH:MM")


def client(mode):
    return instructor.from_openai(openai.OpenAI(**connection), mode=mode)


def messages(text):
    return [dict(role="user", content=text)]


def event(text=PARTY):
    return client(instructor.Mode.JSON_SCHEMA).create(messages=messages(text), response_model=Event, **asked).title


def stream():
    parts = client(instructor.Mode.JSON_SCHEMA).create_partial(messages=messages(PARTY), response_model=Event, **asked)
    titles = [part.title for part in parts]
    assert titles[-1] == event() and len(set(titles)) > 2, titles


def tools():
    alarm = client(instructor.Mode.TOOLS).create(messages=messages(ALARM), response_model=Alarm, **asked)
    assert alarm.time == TIME, alarm


def schema():
    assert event()


async def asynchronous():
    ai = instructor.from_openai(openai.AsyncOpenAI(**connection), mode=instructor.Mode.JSON_SCHEMA)
    assert (await ai.create(messages=messages(PARTY), response_model=Event, **asked)).title == event()


def too_long():
    refused(Exception, lambda: event(LONG))


def parallel():
    at_once(event)


run(globals())
