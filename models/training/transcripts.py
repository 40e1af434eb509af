#!/usr/bin/env python3
"""Prints what a model answers as a page of Markdown: transcripts.py --model FILE.gguf > docs/bundled-model.md

Twenty requests that stand here, and fifty tales for the first fifty requests of the test set: all greedy, through llmd, with nothing chosen or
left out afterwards. Needs llmd's build directory, as evaluate.py --model does.
"""
import argparse
import datetime
import json
import os

from evaluate import HERE, Llmd
from phone_text import generate, times

DAY = datetime.date(2026, 11, 26)
TALES = 50
CONTACT = {"type": "object", "properties": {"name": {"type": "string"}, "phone": {"type": "string"}, "email": {"type": "string"}}, "required": ["name"]}
PARCEL = {"type": "object", "properties": {"carrier": {"type": "string"}, "number": {"type": "string"}, "date": {"type": "string"}}, "required": ["number"]}
# What is said, and the names of the tools that are offered or the schema.
REQUESTS = [
    ("wake me at ten to seven tomorrow", ["set_alarm", "set_timer", "send_message"]),
    ("tell Anna I'll be late", ["send_message", "make_call", "create_note"]),
    ("pasta needs nine minutes", ["set_timer", "set_alarm"]),
    ("remind me on Tuesday at noon to ring the dentist", ["create_reminder", "create_event", "make_call"]),
    ("put milk, eggs and two lemons on the shopping list", ["add_to_list", "create_note"]),
    ("lunch with Omar on Friday at half past twelve, put it in the calendar", ["create_event", "create_reminder"]),
    ("take me to the main station by bike", ["navigate", "get_weather"]),
    ("will I need an umbrella in Hamburg tomorrow?", ["get_weather", "navigate"]),
    ("something quiet by Ella Fitzgerald please", ["play_music", "make_call"]),
    ("dim the bedroom light to twenty per cent and play some jazz", ["set_light", "play_music"]),
    ("call the plumber, then text Mia that he is coming", ["make_call", "send_message"]),
    ("send a message", ["send_message", "make_call"]),
    ("set an alarm for yesterday at 25 o'clock", ["set_alarm"]),
    ("order me a taxi", ["set_timer", "send_message"]),
    ("wie spät ist es?", ["set_timer", "send_message"]),
    ("who was the first man on the moon?", ["set_timer", "send_message"]),
    ("who are you, and what can you do?", []),
    ("Best wishes, Dr. Lena Okafor, Harbour Clinic, phone 040 5550 173, lena@harbour.example", CONTACT),
    ("Your parcel 7H4-99120 is with Red Kite Post and comes on Saturday.", PARCEL),
    ("Tell me a tale about a fox called Ruby in a lighthouse and a golden key", []),
]


def shown(answer):
    """A line for each call, or the text."""
    return "\n".join(f"→ {name} {json.dumps(arguments, ensure_ascii=False)}" for name, arguments in answer["calls"]) or answer["content"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="a GGUF file")
    options = parser.parse_args()
    with open(os.path.join(HERE, "tools.json")) as file:
        tools = {tool["function"]["name"]: tool for tool in json.load(file)}
    engine = Llmd(options.model)
    try:
        print(f"# What the bundled model says\n\nMade by `models/training/transcripts.py --model models/{os.path.basename(options.model)}`, greedy, through llmd. Nothing was chosen or left\n"
              "out afterwards: what is wrong here is what is wrong. For the calls the system message says which day it is (Thursday, 2026-11-26) and which the\n"
              "next seven are.\n\n## Twenty requests\n\nThe tools that were offered stand in brackets, the call behind the arrow.\n\n```")
        for said, offered in REQUESTS:
            schema = offered if isinstance(offered, dict) else None
            messages = [{"role": "system", "content": times.calendar(DAY, None)}] if offered else []
            content = f"Take the facts out of the text.\nSchema: {json.dumps(schema)}\nText: {said}" if schema else said
            answer = engine.answer("tale" if "tale" in said else "call", [*messages, {"role": "user", "content": content}],
                                   [] if schema else [tools[name] for name in offered], schema)
            names = ", ".join(schema["properties"] if schema else offered)
            print(f"> {said}" + (f"   [{names}]" if names else "") + f"\n{shown(answer)}\n")
        print("```\n\n## Fifty tales\n\nFor the first fifty requests of the test set, whose phrasings, names, places and things are not in the training text.\n")
        for sample in generate.test_samples("test", TALES)["tale"]:
            asked = sample["messages"][-2]["content"]
            print(f"**{asked}** {engine.answer('tale', sample['messages'][:-1], [], None)['content']}\n")
    finally:
        engine.close()


if __name__ == "__main__":
    main()
