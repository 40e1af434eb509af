#!/usr/bin/env python3
"""Writes what docs/models.md and docs/tales.md say of the bundled model: its figures, answers to the requests below, and tales, of
which none is left out.

    document.py --figures Q8_0.json Q4_0.json F16.json      of evaluate.py --json, of the bundled file first
    document.py --model FILE.gguf           through the real llmd, greedy; LLMD_BUILD names the build directory
"""
import argparse
import datetime
import json
import os
import re

import evaluate
from phone_text import generate, times

DOCS = os.path.join(evaluate.SOURCE, "docs")
TODAY = datetime.date(2026, 11, 26)
N_TALES = 50
# What it is, the figure of evaluate.py, and the goal in percent.
FIGURES = [
    ("one call: name and all arguments", "call: whole call exact", 90),
    ("one call: the name", "call: name", 97),
    ("several calls in one request: all of them", "several: whole call exact", None),
    ("tools that nobody has heard of: name and all arguments", "odd tools: whole call exact", None),
    ("on and off, lock and unlock as a boolean: name and all arguments", "switches: whole call exact", None),
    ("an argument is missing: it asks", "missing: asked", 85),
    ("the call after its question", "completed after a question: whole call exact", None),
    ("its question is not answered: it asks again or lets it be", "no answer: no call", None),
    ("no tool fits: it says so", "refusal: refused", 90),
    ("a time that cannot be (25 o'clock, yesterday): it says so", "bad time: refused", None),
    ("other languages, insults, questions for facts, rambles: a sentence", "bad input: a sentence", None),
    ("contacts, events, shopping lists, parcels and tickets as JSON: all facts, and no other", "extraction: exact", 85),
    ("facts of other messages, and of rows of things, as JSON", "extraction from messages: exact", None),
    ("facts about things that nobody has heard of as JSON", "extraction of odd things: exact", None),
    ("a tale: hero, place and thing are named", "tale: hero, place and thing named", 97),
    ("a tale: it ends within 220 words", "tale: ended within 220 words", 97),
    ("a tale: pronouns are kept", "tale: pronouns kept", 95),
    ("requests by hand: calls", "by hand, calls: right", None),
    ("requests by hand: questions back", "by hand, ask: right", None),
    ("requests by hand: refusals", "by hand, refuse: right", None),
    ("requests by hand: facts as JSON", "by hand, extract: right", None),
    ("requests by hand, all of them", "by hand: right", 75),
]
EVENT = {"title": "string", "date": "string", "time": "string"}
SAID = [
    ("wake me at ten to seven tomorrow", True), ("I need to be up by quarter past five on Saturday", True), ("tell Anna I'll be late", True),
    ("Remind me on Sunday at nine to water the flowers", True), ("text Omar that the train is delayed and wake me at six", True),
    ("remind me to call the dentist in three days", True), ("set an alarm", True), ("send a message to Lena", True), ("play some jazz", True),
    ("wake me at 25 o'clock", True), ("wake me yesterday at six", True), ("Stell einen Wecker auf sieben Uhr", True),
    ("What is the capital of France?", True), ("You are stupid", True), ("Who are you?", False), ("What can you do?", False),
    ("Don't miss the garden party! It is on Friday at half past four.", EVENT),
    ("Can you get oat milk, pears and a bag of nuts? Not more than 20 euros.", {"items": "array", "store": "string", "budget": "number"}),
    ("Your parcel N798477 comes tomorrow. Your Lamp Land team.", {"number": "string", "sender": "string", "date": "string"}),
    ("Tell me a tale about a fox in a lighthouse and a golden key", False),
]
KINDS = {"title": "event", "items": "shopping list", "number": "parcel"}


def schema_of(properties):
    return {"type": "object", "properties": {name: {"type": "array", "items": {"type": "string"}} if kind == "array" else {"type": kind}
                                             for name, kind in properties.items()}}


def replace(document, name, text):
    """What stands between <!-- NAME --> and the next comment."""
    path = os.path.join(DOCS, document)
    with open(path) as file:
        before, _, after = file.read().partition(f"<!-- {name} -->\n")
    replaced = f"{before}<!-- {name} -->\n{text}{after[after.index('<!-- end -->'):]}"
    with open(path, "w") as file:
        file.write(replaced)


def figures(paths):
    files = {}
    for path in paths:
        with open(path) as file:
            files[os.path.basename(path).removesuffix(".json")] = json.load(file)
    rows = [f"| what | {' | '.join(files)} | goal |", "|---" * (len(files) + 2) + "|"]
    for what, name, goal in FIGURES:
        cells = [f"{100 * measured[name]['right'] / measured[name]['of']:.1f} % of {measured[name]['of']}" for measured in files.values()]
        rows.append(f"| {what} | {' | '.join(cells)} | {f'{goal} %' if goal else ''} |")
    return "\n".join(rows) + "\n"


def transcripts(llmd):
    with open(os.path.join(DOCS, "examples", "tools.json")) as file:
        tools = json.load(file)
    rows = ["| said | answered |", "|---|---|"]
    for text, what in SAID:
        schema = schema_of(what) if isinstance(what, dict) else None
        if schema:
            text = f"Extract the {KINDS[next(iter(what))]}.\nSchema: {json.dumps(schema)}\nText: {text}"
        messages = [{"role": "system", "content": times.calendar(TODAY)}] if what else []
        answer = llmd.answer("tale", [*messages, {"role": "user", "content": text}], tools if what is True else [], schema)
        called = "<br>".join(f"`{name} {json.dumps(arguments, ensure_ascii=False)}`" for name, arguments in answer["calls"])
        said = text if not schema else f"{text.splitlines()[0]} (a schema with {', '.join(what)}) {text.splitlines()[-1]}"
        content = f"`{answer['content']}`" if schema else answer["content"]
        rows.append(f"| {said} | {called or content} |")
    return "\n".join(rows) + "\n"


def tales(llmd):
    out = []
    for sample in generate.test_samples("documented", N_TALES)["tale"][:N_TALES]:
        asked = sample["messages"][-2]["content"]
        text = re.sub(r"\s+", " ", llmd.answer("tale", [{"role": "user", "content": asked}], [], None)["content"])  # as anybody can ask
        out.append(f"**{asked}** {text}\n")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--figures", nargs="+")
    parser.add_argument("--model")
    options = parser.parse_args()
    if options.figures:
        replace("models.md", "figures", figures(options.figures))
    if options.model:
        llmd = evaluate.Llmd(options.model)
        try:
            replace("models.md", "transcripts", transcripts(llmd))
            replace("tales.md", "tales", tales(llmd))
        finally:
            llmd.close()


if __name__ == "__main__":
    main()
