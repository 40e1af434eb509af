"""The tools that a conversation offers: those of the domains with names and schemas that vary, and tools that nobody has heard of."""
from . import times, words
from .domains import DOMAINS
from .manner import FRAMES
from .split import Lexicon

SOFT = {("weather", "place"): 0.3, ("light", "room"): 0.25, ("reminder", "time"): 0.3}  # required arguments that some tools do not require
OFFERED = {"date": 0.75, "label": 0.5, "mode": 0.7, "hours": 0.85, "seconds": 0.85, "in_minutes": 0.6, "brightness": 0.8, "color": 0.7, "place": 0.5}


# Choices of two that some tools have as a boolean: what true is, names of the property, and descriptions.
BOOLEAN = {("on", "off"): ("on", "on enabled active state power turned_on is_on switched_on value enable turn_on status running lit".split(),
                           ("true to turn it on, false to turn it off", "True for on, false for off", "Whether it is on", "True switches it on", "On or off", "If false, it is turned off", None)),
           ("lock", "unlock"): ("lock", "locked lock is_locked secured closed shut lock_it state".split(),
                                ("true to lock it, false to unlock it", "True locks the door", "Whether the door is locked", "Locked or not", "If false, the door is unlocked", None))}


class Tool:
    """One offered tool. `true` has for each argument that is a boolean the value that is true."""

    def __init__(self, name, description, arguments, required, domain=None, true=None):
        self.name, self.domain, self.true = name, domain, true or {}
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
        return {"name": self.name, "arguments": {self.names[key]: values[key] == self.true[key] if key in self.true else values[key] for key in self.order if key in values}}


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


def make_tool(choose, name, booleans=None):
    """A tool of the domain. `booleans` is how likely its choices of two are booleans, in training about half."""
    domain = DOMAINS[name]
    booleans = (0.45 if choose.side == "train" else 0) if booleans is None else booleans
    true = {}
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
        if argument.values in BOOLEAN and booleans and choose.chance(booleans):
            true[key], names, descriptions = BOOLEAN[argument.values]
            said = said if own else next(n for n in [rng.choice(names), *names] if n not in used)
            used.add(said)
            schema = {"type": "boolean"}
            if description := rng.choice(descriptions[:3] if own else descriptions):
                schema["description"] = description
            arguments[key] = {"name": said, "schema": schema}
            continue
        if argument.values:
            schema["enum"] = list(argument.values)
        if own or describes and choose.chance(0.9):
            schema["description"] = rng.choice(argument.descriptions)
        arguments[key] = {"name": said, "schema": schema}
    is_known = said_name in domain.tools.parts[choose.side]
    description = choose.of(domain.descriptions) if not is_known or choose.chance(0.95) else None
    return Tool(said_name, description, arguments, required, name, true)


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
    if choose.side == "train" and choose.chance(0.08):
        value = choose.chance(0.5)
        return {**schema, "type": "boolean"}, value, rng.choice(("yes", "on", "true") if value else ("no", "off", "false"))
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


# Words of the domains: in the name of a tool that nobody has heard of they mean that tool.
KNOWN_VERBS = "play call send note wake dim set turn add take remind text ring book reserve skip pause track lock search translate convert navigate guide delete stop start show".split()
KNOWN_NOUNS = "alarm timer list note message song light door parcel table calendar photo battery volume app reminder call music room heating weather route".split()


def made_up_tool(choose, now=None, is_offered=True):
    """A tool that nobody has heard of, and a request for it."""
    rng = choose.rng
    trains = choose.side == "train"
    verb, thing = words.some(choose, VERBS, 0.35, 1), words.some(choose, words.ANY, 0.5, 1)
    if trains and is_offered:
        verb = rng.choice(KNOWN_VERBS) if choose.chance(0.15) else verb
        thing = rng.choice(KNOWN_NOUNS) if verb not in KNOWN_VERBS and choose.chance(0.1) else thing
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
