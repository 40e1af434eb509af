"""OpenAI's Agents SDK, over chat/completions and over responses."""
import agents
import openai
from features import *

agents.set_tracing_disabled(True)
client = openai.AsyncOpenAI(base_url=openai_url(), api_key=KEY)
MODELS = [agents.OpenAIChatCompletionsModel(MODEL, client), agents.OpenAIResponsesModel(MODEL, client)]


def agent(model=MODELS[0], **options):
    return agents.Agent(name="llmd", model=model, model_settings=agents.ModelSettings(temperature=0), **options)


async def ask(text=QUESTION, **options):
    return (await agents.Runner.run(agent(**options), text)).final_output


async def chat():
    texts = [await ask(model=model) for model in MODELS]
    assert texts[0] and texts[0] == texts[1]


async def stream():
    for model in MODELS:
        events = agents.Runner.run_streamed(agent(model=model), QUESTION).stream_events()
        raw = [event.data async for event in events if event.type == "raw_response_event"]
        same_text(await ask(), (data.delta for data in raw if data.type == "response.output_text.delta"))


async def tools():
    for model in MODELS:
        assert await ask(ALARM, model=model, tools=[agents.function_tool(set_alarm)])
        called_once()


async def schema():
    for model in MODELS:
        assert (await ask(PARTY, model=model, output_type=Event)).title


asynchronous = chat


async def too_long():
    for model in MODELS:
        try:
            await ask(LONG, model=model)
        except openai.BadRequestError as error:
            assert error.code == "context_length_exceeded"
        else:
            raise AssertionError("it was answered")


async def parallel():
    await gathered(ask)


run(globals())
