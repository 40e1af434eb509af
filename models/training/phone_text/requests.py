"""Conversations with tools: what is offered, what is asked, what is called, and what the assistant says instead.

The rules of the answers. A request that one of the offered tools can do is a call and nothing else; several requests are several calls in
their order. Arguments stand in the order of the schema, and those that were not said are left out. Texts are copied as they were written,
without the full stop at the end. What no offered tool can do is answered REFUSAL. What lacks a required argument is answered with the
question of its domain, and the next message completes it. Times that do not exist and days that are over are answered with a sentence.
"""
import json
import re

from . import fillers, times, words
from .domains import CORE, DOMAINS
from .manner import FRAMES, IMPERATIVES, among_others, dressed, joined_by, lower, spoken, spoken_value, style_of, upper
from .offered import SOFT, VERBS, Tool, made_up_tool, make_tool  # noqa: F401  some for others
from .refused import other_request
from .split import Lexicon, is_held_back

REFUSAL = "Sorry, I have no tool for that."
NO_SUCH_TIME = "That time does not exist."
PAST = "That day is already over."

SLOT = re.compile(r"\{(\w+)\}")
FREE = {"message", "task", "note", "items", "topic", "phrase"}  # texts in which a further word would be a part of them
CAPITAL = {"items", "room", "label", "duration", "span", "percent", "occasion", "genre", "color", "state", "door", "degrees", "list"}  # may begin a sentence, and be no name
UNCHANGED = {"parcel", "convert"}  # whose texts are not written in lower case
CHANGED_MIND = Lexicon("before the missing", ["hm, ", "oh, ", "make it ", "let's say ", "sorry, ", "right, ", "um, ", "uh, ", "ah, ", "ok, ", "okay, ", "yes, ", "well, ", "er, ", "I mean ",
                                                    "I'd say ", "it is ", "that is ", "please, ", "maybe ", "perhaps ", "I think ", "of course, ", "sure, ", "good, ", "just "])


COMPOSED = 0.55  # of the phrasings of the training


def phrasing_of(choose, listed, composed):
    """One of the list or, in training, one put together. Of an order it begins with "!"."""
    if composed and choose.side == "train" and choose.chance(COMPOSED):
        line = choose.rng.choice(composed)
        said = line.say(choose.rng)
        if not is_held_back(said):
            if line.mark == "~" and choose.chance(0.12):  # its place and not the word says that it is a verb
                other = " ".join([some_verb(choose), *said.split(" ")[1:]])
                said = said if is_held_back(other) else other
            return ("!" if line.mark else "") + said
    return choose.of(listed)


# The arguments of slots that give one and always the same, so that a phrasing is not filled for a tool that lacks it.
GIVES = {"label": "label", "in": "in_minutes", "by": "mode", "going": "mode", "mode": "mode", "move": "mode", "song": "song", "artist": "artist", "genre": "genre", "color": "color",
         "day": "date", "fixed": "date", "state": "state", "switch": "state", "camera": "camera", "selfie": "camera", "darkbright": "state", "brightdark": "state", "dark": "state"}


def can_take(tool, phrasing):
    return all(GIVES[slot] in tool.names for slot in SLOT.findall(phrasing) if slot in GIVES)


def some_verb(choose):
    return words.odd_word(choose).lower() if choose.chance(0.5) else choose.of(VERBS)


def filled(choose, now, domain, phrasing, given=None):
    """Fills the slots of a phrasing; returns the text, the values, and whether it ends and begins with a free text."""
    phrasing = said_as(choose, phrasing)
    values = {}
    texts = {}
    for slot in SLOT.findall(phrasing):
        if given and slot in given:
            text, more = given[slot]
        else:
            text, more = fillers.FILLERS[fillers.OWN.get((domain, slot), slot)](choose, now)
        if slot in texts or any(key in values for key in more):
            return None
        texts[slot] = text
        values.update(more)
    slots = SLOT.findall(phrasing)
    ends_free = phrasing.rstrip('"').endswith("}") and slots[-1] in FREE
    begins = "capital" if slots and slots[0] in CAPITAL and phrasing.startswith("{") else phrasing.startswith(("{", '"'))
    return phrasing.format(**texts).strip(), values, not ends_free, begins


def framed(choose, phrasing):
    """Some requests that begin with what is to be done, put into another sentence."""
    is_order = phrasing.startswith("!")
    phrasing = phrasing.removeprefix("!")
    if (is_order or phrasing.split(" ", 1)[0] in IMPERATIVES) and choose.chance(0.3 if choose.side == "train" else 0.2):
        return choose.of(FRAMES).replace("{}", phrasing)
    return phrasing


def said_as(choose, phrasing):
    """A phrasing with its alternatives chosen and a little changed, but never into one that is the test's."""
    phrasing = _expanded(choose, phrasing)
    said = framed(choose, words.disturbed(choose, phrasing))
    phrasing = phrasing.removeprefix("!")
    return phrasing if choose.side == "train" and said != phrasing and is_held_back(said) else said


def _expanded(choose, phrasing):
    from .split import expand
    return expand(choose.rng, phrasing)


def ask(choose, now, tool, quiet=False):
    """A request that the tool can do: its text and the values. None if the tool is too small for what was drawn."""
    asked = ask_styled(choose, now, tool, quiet, None if quiet else style_of(choose))
    return asked and asked[:2]


def ask_styled(choose, now, tool, quiet, style):
    """The same in a style, and whether something may be said after it."""
    domain = DOMAINS[tool.domain]
    for _ in range(60):
        phrasing = phrasing_of(choose, domain.phrasings, domain.composed)
        if not can_take(tool, phrasing):
            continue
        one = filled(choose, now, tool.domain, phrasing)
        if one is None or not tool.offers(one[1]):
            continue
        text, values, may_end, slot_first = one
        if tool.domain == "convert" and values["from"] == values["to"]:
            continue
        text = dressed(choose, text, may_end, slot_first, quiet)
        if not quiet and choose.side == "train" and choose.chance(0.14):
            text = among_others(choose, text, may_end, slot_first)
        if style == "capital" and tool.domain not in UNCHANGED:  # what is one of a few stays
            text, values = text.upper(), {k: v if domain.arguments[k].values else upper(v) for k, v in values.items()}
        elif style and tool.domain not in UNCHANGED:
            text, values = text.lower(), {k: lower(v) for k, v in values.items()}
            # Items that only commas divide keep them.
            if style == "spoken" and not any("," in said and len(value) > 2 for value in values.values() if isinstance(value, list) for said in (text,)):
                text, values = spoken(text), {k: spoken_value(v) for k, v in values.items()}
            elif choose.chance(0.2) and "'" not in str(list(values.values())):
                text = text.replace("'", "")
        return text, values, may_end
    return None


def ask_without(choose, now, tool):
    """A request that lacks an argument: text, values, question, the next message, and the values it adds. None if there is none."""
    domain = DOMAINS[tool.domain]
    if not domain.missing:
        return None
    key = choose.rng.choice(list(domain.missing))
    missing = domain.missing[key]
    for _ in range(20):
        one = filled(choose, now, tool.domain, phrasing_of(choose, missing.phrasings, missing.composed))
        if one is None or not tool.offers(one[1]):
            continue
        text, values, may_end, slot_first = one
        text = dressed(choose, text, may_end, slot_first)
        if (tool.domain, key) in SOFT and key not in tool.required:
            return text, values, None, None, None
        reply, more = fillers.FILLERS[fillers.OWN.get((tool.domain, missing.slot), missing.slot)](choose, now)
        if not tool.offers(more) or any(k in values for k in more) or tool.domain == "convert" and more["to"] == values["from"]:
            continue
        if missing.slot not in FREE:
            if choose.chance(0.5):
                reply = (words.odd_word(choose) + ", " if choose.side == "train" and choose.chance(0.15) else choose.of(CHANGED_MIND)) + reply
        if choose.chance(0.3) and reply[0].islower() and missing.slot not in FREE | {"person", "list_answer", "town"}:
            reply = reply[0].upper() + reply[1:]
        if choose.chance(0.2):
            reply += "."
        return text, values, missing.question, reply, more
    return None


def bad_time(choose, now):
    """A request with a time that cannot be, and what is said to it."""
    rng = choose.rng
    name = rng.choice(("alarm", "alarm", "reminder", "calendar"))
    hour = rng.randint(25, 99)
    if choose.chance(0.5):
        clock = rng.choice((f"{hour} o'clock", f"{hour}:{rng.randrange(60):02}", f"{rng.randrange(24)}:{rng.randint(60, 99)}", f"{times.in_words(hour)} o'clock",
                            f"{rng.randint(13, 30)}pm" if choose.chance(0.3) else f"{hour}:00"))
        day = rng.choice(("", "", "tomorrow ", "on Friday ", "yesterday "))
        text, answer = f"{day}at {clock}", NO_SUCH_TIME
    else:
        clock, _ = times.time(choose)
        day = rng.choice(("yesterday", "yesterday", "last " + rng.choice(times.DAYS), f"{times.number(choose, rng.randint(2, 9))} days ago", "the day before yesterday",
                          "yesterday evening", "yesterday morning", "last week"))
        text, answer = rng.choice((f"{day} at {clock}", f"at {clock} {day}")), PAST
    domain = DOMAINS[name]
    for _ in range(30):
        phrasing = phrasing_of(choose, domain.phrasings, domain.composed)
        slots = SLOT.findall(phrasing)
        time_slots = [s for s in slots if s in ("when", "when0", "fixed")]
        if not time_slots or "place" in slots:
            continue
        bare = text.removeprefix("at ") if time_slots[0] == "when0" else text
        one = filled(choose, now, name, phrasing, {time_slots[0]: (bare, {})})
        if one is None:
            continue
        return name, dressed(choose, one[0], one[2], one[3]), answer
    return None


# ---- results --------------------------------------------------------------------------------------------------------------------------
FAILURES = Lexicon("failures", ["no network", "contact not found", "permission denied", "not available", "busy", "timeout", "no such list", "out of range",
                                "device is offline", "not found", "no signal", "the calendar is locked", "storage is full"])


def result_of(choose, now, tool, values):
    """What the tool gave, as JSON, and the sentence that reads it out."""
    rng = choose.rng
    if choose.chance(0.1):
        error = words.some(choose, FAILURES, 0.4, 4)
        return json.dumps({"error": error}), f"That did not work: {error}."
    name = tool.domain
    if name == "weather":
        degrees = rng.randint(-15, 38)
        condition = words.some(choose, words.CONDITIONS)
        result = {rng.choice(("temperature", "degrees", "temp")): degrees, rng.choice(("condition", "sky", "weather")): condition}
        where = f" in {values['place']}" if "place" in values else ""
        return json.dumps(result), f"{degrees} degrees and {condition}{where}."
    if name == "agenda":
        events = [{"time": times.time(choose)[1], "title": words.some(choose, words.OCCASIONS)} for _ in range(rng.randrange(4))]
        if not events:
            return json.dumps({"events": []}), "Nothing is planned."
        return json.dumps({"events": events}, ensure_ascii=False), "You have " + fillers.joined([f"{e['title']} at {e['time']}" for e in events]) + "."
    if name == "list_show":
        items = list(dict.fromkeys(words.some(choose, words.THINGS) for _ in range(rng.randrange(5))))
        if not items:
            return json.dumps({"items": []}), "The list is empty."
        return json.dumps({"items": items}), "On the list: " + ", ".join(items) + "."
    if name == "battery":
        percent = rng.randint(1, 100)
        return json.dumps({"percent": percent}), f"The battery is at {percent} percent."
    if name == "translate":
        text = words.odd_text(choose, 1, 4)
        return json.dumps({"translation": text}), f"It is: {text}."
    if name == "convert":
        amount = rng.randint(1, 2000)
        return json.dumps({"result": amount}), f"That is {amount} {values['to']}."
    return json.dumps(rng.choice(({"status": "ok"}, {"ok": True}, {"success": True}, {"result": "done"}))), "Done."


# ---- conversations --------------------------------------------------------------------------------------------------------------------
def offer(choose, names, made_up=0):
    """Tools of the domains in any order, without two of one name."""
    tools, used = [], set()
    for name in names:
        tool = make_tool(choose, name)
        if tool.name not in used:
            used.add(tool.name)
            tools.append(tool)
    return tools


NAMES = list(DOMAINS)


# Days are what is learned last, so those who speak of them speak more often in training.
DATED = {"alarm", "reminder", "calendar", "agenda", "weather", "table"}


def weight_of(choose, name):
    return (3 if name in CORE else 1) * (2 if choose.side == "train" and name in DATED else 1)


def some_domains(choose, n, without=()):
    pool = [d for d in NAMES if d not in without]
    weights = [weight_of(choose, d) for d in pool]
    chosen = []
    while len(chosen) < n:
        d = choose.rng.choices(pool, weights)[0]
        if d not in chosen:
            chosen.append(d)
    return chosen


# Pairs between which a request could go to either.
CLOSE = {"light": {"heating"}, "screen": {"light"}, "volume": set()}


class Turn:
    """A message of the user, and what the assistant says or calls. `kind` is for the evaluation."""

    def __init__(self, kind, user, say=None, calls=None, tools=None):
        self.kind, self.user, self.say, self.calls, self.tools = kind, user, say, calls, tools


def one_request(choose, now, tools):
    tool = choose.rng.choices(tools, [weight_of(choose, t.domain) for t in tools])[0]
    asked = ask(choose, now, tool)
    return asked and [Turn("call", asked[0], calls=[tool.call(asked[1])], tools=[(tool, asked[1])])]


def two_in_one(choose, now, tool):
    """Two requests for one tool that share words: "turn off the kitchen and the hall light"."""
    rng = choose.rng
    phrasing = rng.choice(DOMAINS[tool.domain].pairs).say(rng)
    if is_held_back(phrasing.replace("1}", "}").replace("2}", "}")):
        return None
    texts, values = {}, ({}, {})
    for slot in SLOT.findall(phrasing):
        bare = slot.rstrip("12")
        texts[slot], more = fillers.FILLERS[fillers.OWN.get((tool.domain, bare), bare)](choose, now)
        for i in (0, 1):
            if slot == bare or slot == f"{bare}{i + 1}":
                if any(key in values[i] for key in more):
                    return None
                values[i].update(more)
    if values[0] == values[1] or not all(tool.offers(v) and tool.required <= v.keys() for v in values):
        return None
    text, values = phrasing.format(**texts), list(values)
    if (style := style_of(choose)) and tool.domain not in UNCHANGED:
        text, values = text.lower(), [{k: lower(v) for k, v in one.items()} for one in values]
    elif choose.chance(0.5) and phrasing[0] != "{":
        text = text[0].upper() + text[1:]
    return [Turn("several", text + (rng.choice(("", "", ".")) if style is None else ""), calls=[tool.call(v) for v in values], tools=[(tool, v) for v in values])]


def several_requests(choose, now, tools):
    if choose.side == "train" and choose.chance(0.15):
        fit = [tool for tool in tools if DOMAINS[tool.domain].pairs]
        return two_in_one(choose, now, choose.rng.choice(fit)) if fit else None
    calls, used, text = [], [], ""
    style = style_of(choose) if choose.chance(0.5) else None
    ends_free = False
    for i in range(choose.rng.choice((2, 2, 2, 3))):
        tool = choose.rng.choice(tools)
        asked = ask_styled(choose, now, tool, True, style)
        if asked is None:
            return None
        part, values, may_end = asked
        part = part.rstrip(".?")
        if i:
            between = joined_by(choose, ends_free, style == "spoken")
            text += between if style is None else between.upper() if style == "capital" else between.lower()
        text += part
        ends_free = not may_end
        calls.append(tool.call(values))
        used.append((tool, values))
    if style is None and choose.side == "train" and calls and choose.chance(0.3):
        text += choose.rng.choice((".", "", ".", "!", ", please", ", thanks") if not ends_free else (".",))
    return [Turn("several", text, calls=calls, tools=used)]


def missing_argument(choose, now, tools):
    tool = choose.rng.choice(tools)
    asked = ask_without(choose, now, tool)
    if asked is None:
        return None
    text, values, question, reply, more = asked
    if question is None:
        return [Turn("call", text, calls=[tool.call(values)], tools=[(tool, values)])]
    values = {**values, **more}
    return [Turn("missing", text, say=question), Turn("completed", reply, calls=[tool.call(values)], tools=[(tool, values)])]


CANCELLED = "All right, then not."
# The first lists are for any question, the second not where the answer may be any text.
CANCELS = [Lexicon("cancelled", """never mind|forget it|cancel|cancel that|no, leave it|leave it|skip it|drop it|let it be|no thanks|no thank you|abort|quit|changed my mind|on second thoughts no|don't do it|don't bother
forget about it|forget that|not any more|I don't want it any more|I'd rather not|rather not|let's not|let's leave it|please don't|please stop|scrap that|scratch that|ignore that|ignore me|undo|call it off|stop it
that was a mistake|sorry, wrong request|I didn't mean that|forget I asked|pretend I said nothing|let's drop it|give it up|no, cancel|oh, leave it|no, never mind|ah, forget it|okay, cancel it""".replace("\n", "|").split("|")),
           Lexicon("cancelled, no text", """stop|not now|doesn't matter|it doesn't matter|no|nothing|nope|I changed my mind|it's fine|it's not necessary|not needed|no need|I'll do it myself|end this|go away|my mistake
it's too late now|it's done already|already done|somebody did it|too much trouble|back|I give up|it's off|we don't need it|we don't need that|never|none|no idea, leave it|I did it already""".replace("\n", "|").split("|"))]
NO_ANSWERS = [Lexicon("no answers", """what?|how?|what do you mean?|huh?|eh?|pardon?|sorry?|say that again|once again, what was that?|can you repeat that?|what did you ask?|I don't understand|I didn't get that|what was the question?
come again?|I did not hear you|repeat that please|what do you want to know?|could you say that again?|I beg your pardon?""".replace("\n", "|").split("|")),
              Lexicon("no answers, no text", """why?|which one?|hm|hmm|I don't know|no idea|I'm not sure|I forgot|I can't remember|good question|you tell me|you choose|does it matter?|what can I choose?|why do you ask?|wait
wait a moment|one moment|just a second|hang on|hold on|let me think|I have to think|I need to look it up|let me ask|it depends|whatever|anything|as you like|the usual|guess|take a guess|you know it|well
you should know that|I told you already|ask somebody else|is that important?|do I have to say?|must I say that?|okay|ok|yes|yes please|please|thanks|right|sure|exactly|of course|go ahead|do it|just do it""".replace("\n", "|").split("|"))]


def unanswered(choose, now, tools):
    """The assistant asks, and the next message does not answer: it gives up, or says something else, and then the question is asked again."""
    tool = choose.rng.choice(tools)
    asked = ask_without(choose, now, tool)
    if asked is None or asked[2] is None:
        return None
    text, values, question, reply, more = asked
    is_text = next(missing.slot for missing in DOMAINS[tool.domain].missing.values() if missing.question == question) in FREE
    first = Turn("missing", text, say=question)
    p = choose.rng.random()
    if p < 0.5:
        cancels = choose.of(CANCELS[0 if is_text else choose.rng.randint(0, 1)])
        return [first, Turn("cancelled", dressed(choose, cancels, False, False, quiet=True), say=CANCELLED)]
    values = {**values, **more}
    other = dressed(choose, choose.of(NO_ANSWERS[0 if is_text else choose.rng.randint(0, 1)]), False, False, quiet=True)
    if p < 0.7 and "date" in tool.names and "date" not in values and "time" in more:  # a part of the answer
        other, date = times.day(choose, now)
        values["date"] = str(date)
    return [first, Turn("missing", other, say=question), Turn("completed", reply, calls=[tool.call(values)], tools=[(tool, values)])]


def not_offered(choose, now, tools):
    offered = {t.domain for t in tools}
    for d in list(offered):
        offered |= CLOSE.get(d, set())
    p = choose.rng.random()
    if p < 0.15:
        _, text, _ = made_up_tool(choose, is_offered=False)
        return [Turn("refusal", dressed(choose, text, True, False), say=REFUSAL)]
    if p < 0.3:
        return [Turn("refusal", dressed(choose, other_request(choose), True, False), say=REFUSAL)]
    (name,) = some_domains(choose, 1, offered)
    tool = make_tool(choose, name)
    asked = ask(choose, now, tool)
    if asked is None:
        return None
    text = asked[0]
    if choose.chance(0.15) and (without := ask_without(choose, now, tool)):
        text = without[0]
    return [Turn("refusal", text, say=REFUSAL)]


def impossible(choose, now, tools):
    name, text, answer = bad_time(choose, now) or (None, None, None)
    if name is None or not any(t.domain == name for t in tools):
        return None
    return [Turn("bad time", text, say=answer)]


def messages_of(turns, choose, now, results=0.25):
    """The conversation in OpenAI's form. Answers carry what they are under "kind"."""
    messages = []
    number = 0
    for turn in turns:
        messages.append({"role": "user", "content": turn.user})
        if turn.calls is None:
            messages.append({"role": "assistant", "content": turn.say, "kind": turn.kind})
            continue
        ids = []
        for call in turn.calls:
            ids.append(f"call_{number}")
            number += 1
        messages.append({"role": "assistant", "content": "", "kind": turn.kind, "tool_calls": [
            {"id": i, "type": "function", "function": {"name": c["name"], "arguments": json.dumps(c["arguments"], ensure_ascii=False)}} for i, c in zip(ids, turn.calls)]})
        if turn.tools and choose.chance(results):
            sentences = []
            for i, (tool, values) in zip(ids, turn.tools):
                result, sentence = result_of(choose, now, tool, values)
                messages.append({"role": "tool", "tool_call_id": i, "content": result})
                if sentence not in sentences:
                    sentences.append(sentence)
            messages.append({"role": "assistant", "content": " ".join(sentences), "kind": "result"})
    return messages
