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
from .domains.domain import Line
from .manner import FRAMES, IMPERATIVES, among_others, dressed, joined_by, lower, spoken, spoken_value, style_of
from .split import Lexicon, is_held_back

REFUSAL = "Sorry, I have no tool for that."
NO_SUCH_TIME = "That time does not exist."
PAST = "That day is already over."

SLOT = re.compile(r"\{(\w+)\}")
FREE = {"message", "task", "note", "items", "topic", "phrase"}  # texts in which a further word would be a part of them
CAPITAL = {"items", "room", "label", "duration", "span", "percent", "occasion", "genre", "color", "state", "door", "degrees", "list"}  # may begin a sentence, and be no name
SOFT = {("weather", "place"): 0.3, ("light", "room"): 0.25, ("reminder", "time"): 0.3}  # required arguments that some tools do not require
UNCHANGED = {"parcel", "convert"}  # whose texts are not written in lower case
OFFERED = {"date": 0.75, "label": 0.5, "mode": 0.7, "hours": 0.85, "seconds": 0.85, "in_minutes": 0.6, "brightness": 0.8, "color": 0.7, "place": 0.5}

CHANGED_MIND = Lexicon("before the missing", ["hm, ", "oh, ", "make it ", "let's say ", "sorry, ", "right, ", "um, ", "uh, ", "ah, ", "ok, ", "okay, ", "yes, ", "well, ", "er, ", "I mean ",
                                                    "I'd say ", "it is ", "that is ", "please, ", "maybe ", "perhaps ", "I think ", "of course, ", "sure, ", "good, ", "just "])


class Tool:
    """One offered tool."""

    def __init__(self, name, description, arguments, required, domain=None):
        self.name, self.domain = name, domain
        self.names = {key: argument["name"] for key, argument in arguments.items()}
        self.order = list(arguments)
        self.required = required
        properties = {}
        for argument in arguments.values():
            properties[argument["name"]] = argument["schema"]
        parameters = {"type": "object", "properties": properties}
        if required:
            parameters["required"] = [self.names[key] for key in self.order if key in required]
        function = {"name": name}
        if description:
            function["description"] = description
        function["parameters"] = parameters
        self.json = {"type": "function", "function": function}

    def offers(self, values):
        return all(key in self.names for key in values)

    def call(self, values):
        return {"name": self.name, "arguments": {self.names[key]: values[key] for key in self.order if key in values}}


def tool_name(choose, domain):
    """A name for a tool of the domain: an app may call it anything, so most names are put together or say nothing at all."""
    rng = choose.rng
    name = choose.of(domain.tools)
    p = rng.random()
    if choose.side == "test" and p < 0.7:
        return name
    if p < 0.35:
        name = words.odd_text(choose, 1, 3).replace(" ", "_")
    elif p < 0.7:
        parts = name.split("_")
        if choose.chance(0.3):
            rng.shuffle(parts)
        if choose.chance(0.5):
            parts.insert(rng.choice((0, len(parts))), rng.choice((words.odd_word(choose), choose.of(words.ANY), "phone", "app", "my", "user", "do", "v2", "tool", "action")))
        name = "_".join(parts)
    p = rng.random()
    if p < 0.15:
        name = name.replace("_", "-")
    elif p < 0.3:
        first, *rest = name.split("_")
        name = first + "".join(part.capitalize() for part in rest)
    elif p < 0.35:
        name = name.replace("_", ".")
    return name


def make_tool(choose, name):
    domain = DOMAINS[name]
    rng = choose.rng
    required = {k for k in domain.required if not choose.chance(SOFT.get((name, k), 0))}
    keys = [k for k in domain.arguments if k in domain.required or choose.chance(OFFERED.get(k, 0.8)) or (name, k) == ("timer", "minutes")]
    if name == "music" and not keys:
        keys = ["song", "artist"]
    if "in_minutes" in keys:
        required.discard("time")
    if choose.chance(0.2):
        rng.shuffle(keys)
    arguments, used = {}, set()
    describes = choose.chance(0.75)
    said_name = tool_name(choose, domain)
    renames = choose.chance(0.15)  # an odd schema, whose descriptions say what it means
    for key in keys:
        argument = domain.arguments[key]
        own = renames and key not in ("hours", "minutes", "seconds", "song", "artist", "genre", "from", "to") and choose.chance(0.6)
        said = words.odd_word(choose) if own else next(n for n in [rng.choice(argument.names)] + list(argument.names) + [key + "_"] if n not in used)
        used.add(said)
        schema = {"type": argument.type}
        if argument.type == "array":
            schema["items"] = {"type": "string"}
        if argument.values:
            schema["enum"] = list(argument.values)
        if own or describes and choose.chance(0.9):
            schema["description"] = rng.choice(argument.descriptions)
        arguments[key] = {"name": said, "schema": schema}
    is_known = said_name in domain.tools.parts[choose.side]
    description = choose.of(domain.descriptions) if not is_known or choose.chance(0.95) else None
    return Tool(said_name, description, arguments, required, name)


VERBS = Lexicon("verbs of unknown tools", ["find", "open", "start", "stop", "check", "order", "rent", "paint", "measure", "scan", "move", "count", "weigh",
                                           "rate", "fetch", "clean", "load", "copy", "hide", "show", "mark", "sort", "lend", "save", "sell", "test",
                                           "wash", "wind", "fold", "fill", "light", "print", "cut", "mix", "heat", "cool", "lift", "spin"]
                + """water feed polish carve grind bake roast stir shake pour peel slice trim mow rake dig plant seed harvest pack unpack wrap seal stamp label file shred scrub rinse dry iron
sew knit glue nail drill saw sand bend twist stretch squeeze press push pull drag throw catch kick roll slide climb tune pluck hum sing draw sketch trace erase highlight encrypt decode
compress merge split rename archive restore upload sync refresh reset reboot mute zoom crop rotate flip tag pin star vote bid trade invest borrow return refund hire fire train coach
inspect audit approve reject assign release deploy dock charge inflate deflate""".split())
UNKNOWN_ARGUMENTS = ("number", "name", "color", "size", "code", "count", "label", "owner", "weight", "speed", "word", "room", "shelf", "level")
NUMBERS = {"number", "size", "count", "weight", "speed", "level", "amount", "width", "height", "page", "floor", "seat", "row", "temperature", "distance", "rounds", "copies"}
MORE_ARGUMENTS = (*UNKNOWN_ARGUMENTS, "amount", "width", "height", "page", "floor", "seat", "row", "temperature", "distance", "rounds", "copies", "title", "note", "style", "shape", "pattern",
                  "material", "brand", "group", "team", "kind", "type", "target", "source", "folder", "file", "path", "tag", "reason", "topic", "flavour", "language", "city", "street", "door",
                  "format", "mode", "channel", "station", "person", "guest", "host", "pet", "plant", "product", "model", "version", "key", "time", "date", "day", "text", "query", "place")


def made_up_argument(choose, now, key, noun):
    """The schema of an argument, its value, and how that is said."""
    rng = choose.rng
    kind = "integer" if key in NUMBERS or key not in MORE_ARGUMENTS and choose.chance(0.2) else "string"
    schema = {"type": kind}
    if choose.chance(0.5):
        schema["description"] = rng.choice((f"The {key} of the {noun}", f"The {key} of the {noun}", f"{key.capitalize()}", f"Which {key}", f"The {key}"))
    if kind == "integer":
        value = rng.randint(1, 500)
        return schema, value, times.number(choose, value, 0.3)
    if key == "time":
        text, value = times.time(choose)
        return {**schema, "description": "HH:MM"}, value, text
    if key in ("date", "day") and now:
        text, date = times.day(choose, now)
        return {**schema, "description": "YYYY-MM-DD"}, str(date), text.strip().removeprefix("on ")
    if choose.side == "train" and choose.chance(0.1):
        values = list(dict.fromkeys(words.odd_word(choose) for _ in range(rng.randint(2, 4))))
        value = rng.choice(values)
        return {**schema, "enum": values}, value, value
    value = words.first_name(choose) if key in ("owner", "name", "person", "guest", "host") else words.odd_text(choose, 1, 2 if choose.side == "test" else 3)
    return schema, value, value


def made_up_tool(choose, now=None):
    """A tool that nobody has heard of, and a request for it."""
    rng = choose.rng
    trains = choose.side == "train"
    verb, thing = words.some(choose, VERBS, 0.35, 1), words.some(choose, words.ANY, 0.5, 1)
    if choose.chance(0.3):
        thing += "_" + words.some(choose, words.ANY, 0.5, 1)
    noun = thing.replace("_", " ")
    keys = rng.sample(MORE_ARGUMENTS if trains else UNKNOWN_ARGUMENTS, rng.choice((0, 1, 1, 1, 2, 2, 3)))
    if not now:
        keys = [key for key in keys if key not in ("date", "day")]
    if choose.chance(0.3):
        keys.append(words.odd_word(choose))
    arguments, values, said = {}, {}, []
    for key in dict.fromkeys(keys):
        schema, value, text = made_up_argument(choose, now, key, noun)
        arguments[key] = {"name": key, "schema": schema}
        values[key] = value
        forms = [f"with {key} {text}", f"{key} {text}", f"with the {key} {text}"]
        if trains and choose.chance(0.5):
            forms = [f"{key}: {text}", f"the {key} is {text}", f"with {text} as {key}", f"{text} as the {key}", f"the {key} should be {text}", f"{key} = {text}", f"using {key} {text}",
                     f"the {key} {text}", f"with a {key} of {text}", f"for the {key} {text}"]
        said.append(rng.choice(forms))
    separator = rng.choice("__-")
    name = rng.choice((f"{verb}_{thing}", f"{verb}_{thing}", f"{thing}_{verb}"))
    if trains and choose.chance(0.25):
        name = rng.choice((f"{verb}_the_{thing}", f"do_{verb}_{thing}", f"{thing}_{verb}_now", f"{verb}{thing.title().replace('_', '')}", f"my_{thing}_{verb}", f"{verb}_{thing}_{words.odd_word(choose)}"))
    name = name.replace("_", separator)
    description = rng.choice((f"{verb.capitalize()} the {noun}.", f"{verb.capitalize()}s a {noun}.", f"Use it to {verb} the {noun}.", None))
    tool = Tool(name, description, arguments, set(arguments) if not trains or choose.chance(0.8) else {key for key in arguments if choose.chance(0.5)})
    ask = rng.choice((f"{verb} the {noun}", f"{verb} my {noun}", f"{verb} this {noun}", f"{verb} {noun}", f"{verb} a {noun}"))
    if choose.chance(0.4):
        ask = choose.of(FRAMES).replace("{}", ask)
    between = rng.choice((", ", ", ", " and ", "; ", ", and ")) if trains else ", "
    text = between.join(said)
    if trains and said and choose.chance(0.15) and text.split(" ")[0].rstrip(":") in ("with", "the", "for", "using", *arguments):
        return tool, f"{text}, {ask}", values
    return tool, ask + (rng.choice((" ", " ", ", ", ": ", " - ")) if trains and said else " " if said else "") + text, values


COMPOSED = 0.55  # of the phrasings of the training


def phrasing_of(choose, listed, composed):
    """One of the list or, in training, one put together. Of an order it begins with "!"."""
    if composed and choose.side == "train" and choose.chance(COMPOSED):
        line = choose.rng.choice(composed)
        said = line.say(choose.rng)
        if not is_held_back(said):
            if line.mark == "~" and choose.chance(0.12):  # its place and not the word says that it is a verb
                said = " ".join([some_verb(choose), *said.split(" ")[1:]])
            if not is_held_back(said):
                return ("!" if line.mark else "") + said
    return choose.of(listed)


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
    return phrasing.format(**texts), values, not ends_free, begins


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
    for _ in range(30):
        one = filled(choose, now, tool.domain, phrasing_of(choose, domain.phrasings, domain.composed))
        if one is None or not tool.offers(one[1]):
            continue
        text, values, may_end, slot_first = one
        if tool.domain == "convert" and values["from"] == values["to"]:
            continue
        text = dressed(choose, text, may_end, slot_first, quiet)
        if not quiet and choose.side == "train" and choose.chance(0.14):
            text = among_others(choose, text, may_end)
        if style and tool.domain not in UNCHANGED:
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


def several_requests(choose, now, tools):
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
            text += between if style is None else between.lower()
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


# What none of the tools can do, however near it comes.
OTHERS = Lexicon("requests for what no tool does", """order me a pizza
order a large pizza with mushrooms
call me a taxi
book a taxi for eight
get me a cab to the airport
buy two tickets for the concert
buy me a new pair of shoes
pay the electricity bill
pay my rent
transfer fifty euros to my sister
how many steps did I walk today
how did I sleep last night
what is my heart rate
delete all my photos
delete the last message
read my new messages
read me my emails
send an email to the bank
reply to the last email
write a review for the hotel
post this on my profile
share this photo with everybody
like the last picture
follow that singer
block this number
hang up
answer the phone
put the call on hold
record this call
print this page
print my tickets
scan this document
scan the code
hoover the kitchen
vacuum the bedroom
mow the lawn
water my plants
feed the dog
make me a coffee
make me a sandwich
cook dinner
do the dishes
close the blinds
lower the blinds in the bedroom
open the curtains
close the window
turn off the telly
turn on the tv
switch to channel five
record the film tonight
turn off the oven
start the washing machine
start the dishwasher
preheat the oven
turn on the fan
switch on the coffee machine
find my keys
where is my car
where are my glasses
start the car
fill up the car
rent a bike
book a flight to Rome
book a hotel room
check me in for my flight
cancel my subscription
cancel my gym membership
renew my library books
order more cat food
order groceries
sell my old phone
update all apps
install a game
remove that app
restart the phone
turn off the phone
record a video
start a voice recording
edit this picture
change my wallpaper
change the ringtone
change my password
log me out
connect the headphones
turn on flight mode
turn on the hotspot
share my location
measure my blood pressure
make an online payment
upload my files
back up the phone
empty the bin
empty my inbox
charge the phone
fix my bike
clean my room""".split("\n"))
MORE_OTHERS = [Line(line) for line in """(turn|switch) (on|off) the (telly|tv|oven|fan|kettle|dishwasher|washing machine|dryer|coffee machine|printer|computer|alarm system|sprinkler|iron|fridge|toaster)
(turn|switch|put) the (telly|tv|oven|fan|kettle|dishwasher|washing machine|dryer|coffee machine|printer|computer|sprinkler|iron|fridge|toaster) (on|off)
(close|lower|raise|pull up|pull down) the (blinds|curtains|shutters|awning|roller blind|garage door) (in the study|in the kitchen|in the bedroom|)
(order|buy|get|fetch|bring) (me|us) (a|some|two|another) (pizza|burger|coffee|beer|curry|salad|taxi|cab|bunch of flowers|new phone|pair of socks|ice cream) (|please|for tonight|for seven|with extra cheese)
(pay|settle|cancel|renew|dispute) (my|the|this) (bill|rent|invoice|subscription|insurance|membership|parking ticket|gym membership|phone contract|fine)
(delete|remove|erase|wipe|hide) (all|every one of|the last of) my (photos|messages|emails|contacts|files|downloads|videos|apps)
(post|share|upload|publish) (this|that|my) (picture|photo|video|story|status) (online|on my page|to my story|with everyone|)
(hoover|vacuum|sweep|mop|tidy|clean|dust|paint) (the|my) (kitchen|bedroom|living room|office|hallway|stairs|floor|whole flat)
(how many|how far) (steps did I take|calories did I burn|kilometres did I walk|hours did I sleep|miles did I run) (today|yesterday|this week|)
(print|scan|fax|photocopy|laminate) (this|the|my) (boarding pass|document|code|letter|form|ticket|receipt|page)
(block|report) (this|that) (number|caller|contact|person) (that keeps calling|please|)
(read|check|answer|delete) my (emails|email|mail|voicemail|inbox|messages)
(install|update|uninstall|download) (the|a|that|all) (apps|game|new version|film|update|album)
(book|reserve|rent|hire) (me|us) a (taxi|flight|hotel room|car|hotel|train seat|bike|holiday flat) (|for tomorrow|please|for two)
(start|warm up|charge|wash|park) (my|the) (car|bike|scooter|van|boat)
(feed|walk|wash|brush) (the|my) (dog|cat|rabbit|fish|hamster)
(cook|make|bake|prepare|heat) (me|us|) (dinner|a cake|some soup|breakfast|a sandwich|tea|a cup of coffee)""".split("\n")]


def other_request(choose):
    if choose.side == "train" and choose.chance(0.4):
        text = choose.rng.choice(MORE_OTHERS).say(choose.rng)
        if not is_held_back(text) and text not in OTHERS.parts["test"]:
            return choose.of(FRAMES).replace("{}", text) if choose.chance(0.15) and text.split(" ")[0] not in ("who", "what", "what's", "how", "which") else text
    return choose.of(OTHERS)


def not_offered(choose, now, tools):
    offered = {t.domain for t in tools}
    for d in list(offered):
        offered |= CLOSE.get(d, set())
    p = choose.rng.random()
    if p < 0.15:
        _, text, _ = made_up_tool(choose)
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
