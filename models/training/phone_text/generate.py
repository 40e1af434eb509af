"""Generates conversations. `python3 -m phone_text.generate --help` in models/training."""
import argparse
import json
import random
import sys

from . import extraction, requests, tales, talk, times
from .split import TEST, TRAIN, Chooser

PERSONAS = ["You are a helpful assistant on a phone.", "You are an assistant.", "You are the assistant of this phone.", "You help the user of a phone.",
            "Answer briefly.", "You are a voice assistant.", "Be helpful.", "You are llmd, a small assistant that runs on this device."]
# Test sets of extraction: of what the model is for, of any messages, and of things that nobody has heard of.
EXTRACTIONS = {"extraction": ("contact", "event", "shopping", "parcel", "ticket"), "extraction from messages": ("messages", "rows"), "extraction of odd things": ("anything",)}
TURNS = {requests.one_request: 50, requests.several_requests: 16, requests.missing_argument: 14, requests.unanswered: 6, requests.not_offered: 16, requests.impossible: 4, None: 8}


def system_message(choose, now, has_date=True):
    parts = []
    if choose.chance(0.35):
        parts.append(choose.rng.choice(PERSONAS))
    if has_date:
        parts.append(now.system_line())
    return [{"role": "system", "content": "\n".join(parts)}] if parts else []


def without_date(turns):
    return all("date" not in values for turn in turns for _, values in turn.tools or ())


def tools_conversation(choose, n_turns, kind=None, results=0.3):
    now = times.Now(choose)
    has_date = choose.chance(0.9)
    n_offered = choose.rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8))
    if n_offered > 6:  # within the context
        n_turns = min(n_turns, 2)
    names = requests.some_domains(choose, n_offered)
    tools = requests.offer(choose, names)
    unknown = []
    if choose.chance(0.25):
        for _ in range(choose.rng.choice((1, 1, 2))):
            tool, text, values = requests.made_up_tool(choose)
            if all(tool.name != t.name for t in tools):
                unknown.append((tool, text, values))
    offered = tools + [u[0] for u in unknown]
    choose.rng.shuffle(offered)
    turns = []
    for _ in range(20 * n_turns):
        if len(turns) >= n_turns:
            break
        make = kind if kind else choose.rng.choices(list(TURNS), list(TURNS.values()))[0]
        if make is None:
            user, talk_kind, answer = talk.small_talk(choose)
            if talk_kind in ("ramble", "foreign") and len(turns) > 2:
                continue
            turns.append(requests.Turn(talk_kind, user, say=answer))
            continue
        if unknown and make is requests.one_request and choose.chance(0.5):
            tool, text, values = unknown.pop()
            turns.append(requests.Turn("unknown tool", requests.dressed(choose, text, False, False), calls=[tool.call(values)], tools=[(tool, values)]))
            continue
        more = make(choose, now, tools)
        if more and (has_date or without_date(more) and more[0].kind != "missing"):
            turns += more
    if not turns:
        return tools_conversation(choose, n_turns, kind, results)
    messages = system_message(choose, now, has_date) + requests.messages_of(turns, choose, now, results)
    return {"kind": "tools", "tools": [t.json for t in offered], "messages": messages}


def extraction_conversation(choose, n_turns, kinds=None):
    now = times.Now(choose)
    has_date = choose.chance(0.65)
    messages = system_message(choose, now, has_date)
    schema = None
    for _ in range(n_turns):
        user, schema, answer = extraction.make(choose, now if has_date else None, kinds)
        messages += [{"role": "user", "content": user}, {"role": "assistant", "content": json.dumps(answer, ensure_ascii=False), "kind": "extraction"}]
    return {"kind": "extraction", "messages": messages, "schema": schema}


def tale_conversation(choose, n_turns):
    messages = system_message(choose, times.Now(choose), choose.chance(0.2)) if choose.chance(0.4) else []
    wanted = None
    for _ in range(n_turns):
        ask, tale, wanted = tales.make(choose)
        messages += [{"role": "user", "content": ask}, {"role": "assistant", "content": tale, "kind": "tale"}]
    return {"kind": "tale", "messages": messages, "wanted": wanted}


def talk_conversation(choose, n_turns):
    now = times.Now(choose)
    messages = system_message(choose, now, choose.chance(0.3)) if choose.chance(0.5) else []
    for _ in range(n_turns):
        if choose.chance(0.2):  # a request where there are no tools at all
            turn = requests.not_offered(choose, now, [])
            if not turn:
                continue
            user, kind, answer = turn[0].user, "no tools", turn[0].say
        else:
            user, kind, answer = talk.small_talk(choose)
        messages += [{"role": "user", "content": user}, {"role": "assistant", "content": answer, "kind": kind}]
    if not messages or messages[-1]["role"] != "assistant":
        return talk_conversation(choose, n_turns)
    return {"kind": "talk", "messages": messages}


def training_sample(rng, side=TRAIN):
    """A conversation of several turns for the training. Of the other side it is for measuring the loss on it."""
    choose = Chooser(rng, side)
    p = rng.random()
    if p < 0.50:
        return tools_conversation(choose, rng.choice((1, 2, 3, 4, 5, 6)))
    if p < 0.835:
        return extraction_conversation(choose, rng.choice((1, 2, 2, 3)))
    if p < 0.955:
        return tale_conversation(choose, rng.choice((1, 1, 2)))
    return talk_conversation(choose, rng.choice((1, 2, 3, 4, 6)))


def test_samples(seed, n):
    """Conversations of one turn (two where something is missing) for each thing that is measured: name -> list."""
    sets = {}
    kinds = {"call": requests.one_request, "several": requests.several_requests, "missing": requests.missing_argument, "refusal": requests.not_offered,
             "bad time": requests.impossible, "talk": None}
    for name, make in kinds.items():
        choose = Chooser(random.Random(f"{seed} {name}"), TEST)
        sets[name] = []
        while len(sets[name]) < n:
            if make is None:
                sample = talk_conversation(choose, 1) if choose.chance(0.5) else tools_conversation(choose, 1, None)
                first = next(m for m in sample["messages"] if m["role"] == "assistant")
                if "tool_calls" in first or first["kind"] in ("missing", "refusal", "bad time"):
                    continue
            else:
                sample = tools_conversation(choose, 1, make, results=0)
                first = next(m for m in sample["messages"] if m["role"] == "assistant")
                if name == "missing" and first["kind"] != "missing":
                    continue
            sets[name].append(sample)
    choose = Chooser(random.Random(f"{seed} bad input"), TEST)
    sets["bad input"] = []
    for kind in ("foreign", "insult", "facts", "work", "advice", "unclear", "ramble"):
        wanted = max(1, n // 7)
        while wanted:
            user, talk_kind, answer = talk.small_talk(choose)
            if talk_kind != kind:
                continue
            tools = requests.offer(choose, requests.some_domains(choose, choose.rng.randint(0, 4)))
            now = times.Now(choose)
            sets["bad input"].append({"kind": "tools" if tools else "talk", **({"tools": [t.json for t in tools]} if tools else {}), "messages": [
                *system_message(choose, now), {"role": "user", "content": user}, {"role": "assistant", "content": answer, "kind": kind}]})
            wanted -= 1
    choose = Chooser(random.Random(f"{seed} odd tools"), TEST)
    sets["odd tools"] = []
    while len(sets["odd tools"]) < n:
        made = {tool.name: (tool, text, values) for tool, text, values in (requests.made_up_tool(choose) for _ in range(choose.rng.randint(1, 3)))}
        tool, text, values = choose.rng.choice(list(made.values()))
        tools = [t for t, _, _ in made.values()] + requests.offer(choose, requests.some_domains(choose, choose.rng.randint(0, 3)))
        choose.rng.shuffle(tools)
        now = times.Now(choose)
        turn = requests.Turn("call", requests.dressed(choose, text, False, False), calls=[tool.call(values)], tools=[(tool, values)])
        sets["odd tools"].append({"kind": "tools", "tools": [t.json for t in tools], "messages": system_message(choose, now) + requests.messages_of([turn], choose, now, 0)})
    choose = Chooser(random.Random(f"{seed} switches"), TEST)
    sets["switches"] = []
    while len(sets["switches"]) < n:
        tool = requests.make_tool(choose, choose.rng.choice(("torch", "wifi", "bluetooth", "light", "lock")), booleans=1)
        now = times.Now(choose)
        turns = requests.one_request(choose, now, [tool])
        if not turns or not any(isinstance(value, bool) for call in turns[0].calls for value in call["arguments"].values()):
            continue
        tools = [tool, *requests.offer(choose, [name for name in requests.some_domains(choose, choose.rng.randint(1, 3)) if name != tool.domain])]
        choose.rng.shuffle(tools)
        sets["switches"].append({"kind": "tools", "tools": [t.json for t in tools], "messages": system_message(choose, now) + requests.messages_of(turns, choose, now, 0)})
    choose = Chooser(random.Random(f"{seed} no answer"), TEST)
    sets["no answer"] = []
    while len(sets["no answer"]) < n:
        sample = tools_conversation(choose, 1, requests.unanswered, results=0)
        if next(m for m in sample["messages"] if m["role"] == "assistant")["kind"] == "missing":
            sets["no answer"].append(sample)
    for name, kinds in EXTRACTIONS.items():
        choose = Chooser(random.Random(f"{seed} {name}"), TEST)
        sets[name] = [extraction_conversation(choose, 1, (kinds[i % len(kinds)],)) for i in range(n)]
    choose = Chooser(random.Random(f"{seed} tale"), TEST)
    sets["tale"] = [tale_conversation(choose, 1) for _ in range(n)]
    return sets


def main():
    parser = argparse.ArgumentParser(description="Prints generated conversations, one JSON object a line.")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--side", choices=(TRAIN, TEST), default=TRAIN)
    parser.add_argument("--text", action="store_true", help="prompts as the model sees them instead of JSON")
    options = parser.parse_args()
    if options.side == TEST:
        for name, samples in test_samples(options.seed, options.samples).items():
            for sample in samples:
                print(json.dumps({"set": name, **sample}, ensure_ascii=False))
        return
    rng = random.Random(options.seed)
    for _ in range(options.samples):
        sample = training_sample(rng)
        if options.text:
            from .render import segments_of
            print("".join(s[0] for s in segments_of(sample["messages"], sample.get("tools", ()))))
        else:
            print(json.dumps(sample, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
