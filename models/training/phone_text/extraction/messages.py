"""Messages as one gets them: reminders, confirmations, notices, signs, receipts, chats. Each is a row of parts, which are said in one of several ways, left
out, joined or put on lines of their own, so that a message hardly ever has the same form twice. messages_slots.py has what they say, messages_parts.py and
messages_more.py how each kind says it, messages_words.py how any kind may."""
import collections
import itertools
import re

from .. import words
from ..split import Lexicon, alternatives, hold_back_everywhere, opened
from . import grammar, noise, schemas, values
from .messages_more import MORE_PARTS, MORE_WAYS, VALUES
from .messages_parts import PARTS
from .messages_slots import RELATIVE, SLOTS
from .messages_words import DESCRIBED, GROUP_OF, LABEL_FRAMES, SHARED

SLOT = re.compile(r"\{(\w+)\}")

JOINTS = {". ": 46, "\n": 26, ", ": 10, " / ": 3, " | ": 3, " - ": 4, "; ": 2, "  ": 3, " · ": 0.5,  " ": 4, "\n\n": 2}


def _lexicon(name, part):
    """The ways to say a part, split, and how often it is left out."""
    ways = alternatives(part)
    said = [way for way in ways if way]
    left_out = 1 - len(said) / len(ways)
    if len(said) <= 2:  # what the first of their choices makes of them
        more = []
        for way in said:
            depths = list(itertools.accumulate((c == "(") - (c == ")") for c in way))
            if way[0] == "(" and 0 not in depths[:-1]:
                more += [choice for choice in alternatives(way[1:-1]) if choice]
                continue
            more += opened(way)
        said = list(dict.fromkeys(more))
    return Lexicon(f"extraction messages, {name}", said, len(said) > 1), left_out


for _kind, _more in MORE_WAYS.items():
    for _i, _ways in _more.items():
        PARTS[_kind][_i] += "|" + _ways
PARTS = {name: [_lexicon(f"{name} {i}", part) for i, part in enumerate(parts)] for name, parts in {**PARTS, **MORE_PARTS}.items()}
hold_back_everywhere([part for parts in PARTS.values() for part, _ in parts], SLOT)
NAMES = list(PARTS)
for _parts in PARTS.values():
    for _slot in {slot for part, _ in _parts for text in part.parts["train"] + part.parts["test"] for slot in SLOT.findall(text)}:
        assert _slot in SLOTS or _slot.startswith("x_"), _slot


PROPERTIES = {slot: names.split("|") for slot, (_, names, _) in SLOTS.items()}
_SHARED_NAMES = {name for name, n in collections.Counter(name for names in PROPERTIES.values() for name in names).items() if n > 1}
# slot -> other slot -> names of the first that could mean the other where both are said
CLASHES = {slot: {other: frozenset(names) & frozenset(PROPERTIES[other]) | (frozenset(names[1:]) & _SHARED_NAMES if slot in GROUP_OF and GROUP_OF[slot] == GROUP_OF.get(other) else frozenset())
                  for other in PROPERTIES if other != slot} for slot, names in PROPERTIES.items()}
CLASHES = {slot: {other: names for other, names in others.items() if names} for slot, others in CLASHES.items()}
SLOTS_OF = {kind: {slot for part, _ in parts for text in part.parts["train"] + part.parts["test"] for slot in SLOT.findall(text)} for kind, parts in PARTS.items()}
_BOOKED = {kind for kind in PARTS if {"tickets", "people", "nights", "seat", "order", "adults", "account"} & SLOTS_OF[kind]}
_HAPPENS = {kind for kind in PARTS if {"time", "start", "title"} & SLOTS_OF[kind]} - {"card payment", "parcel left with a neighbour", "delivery proof", "health log", "queue ticket", "timesheet", "parking", "note"}
# Names that fit some kinds only.
ONLY = {**dict.fromkeys(("customer", "guest", "passenger", "booked by", "customer name", "holder"), _BOOKED), **dict.fromkeys(("date of event", "scheduled for", "takes place on", "event date", "scheduled time"), _HAPPENS),
        **dict.fromkeys(("what is taught", "course", "lesson", "course name", "subject name"), {"course", "school notice", "exam result", "language lesson", "registration form"}), "pnr": {"flight", "train ticket", "ferry"},
        "fare": {"train ticket", "ferry", "taxi ride", "bus delay", "trip in a chat", "lift share"}, **dict.fromkeys(("birthday child", "birthday kid"), {"invitation"}),
        **dict.fromkeys(("check in", "checkin", "arrival day", "first night", "check in date", "arrival date", "arriving", "check out", "checkout", "departure day", "check out date", "departure date"), {"hotel booking", "holiday flat"}),
        "class": {"school notice", "exam result", "sick note", "course", "language lesson"}, "working hours": {"timesheet"}, "hours worked": {"timesheet"},
        **dict.fromkeys(("fee", "charge"), set(PARTS) - {"bank transfer", "money received", "donation receipt", "loan among friends", "card payment"}),
        "payable until": {"invoice", "customs notice", "speeding ticket"},
        **dict.fromkeys(("expires", "valid until", "expiry", "expiry date"), {"locker notice", "wifi note", "offer", "travel document", "warranty card", "contract", "login code", "pet vaccination", "membership", "parking"}),
        "delay": {"bus delay", "flight"}, "wait": {"bus delay", "queue ticket", "taxi ride"}, "dentist": {"appointment"}, "friend": {"recommendation", "note", "plan in a chat", "club meeting"}, "from": {kind for kind in PARTS if not {"sender", "payer", "start", "from"} <= SLOTS_OF[kind]}}
NAMES_IN = {kind: {slot: tuple(name for name in PROPERTIES[slot] if kind in ONLY.get(name, (kind,))) for slot in slots if slot in PROPERTIES} for kind, slots in SLOTS_OF.items()}
# A name behind a label that begins a line looks like a part of the name ("Charity Music Loft"), so there is a colon between them.
PROPER = {slot for slot, group in GROUP_OF.items() if group in (GROUP_OF["name"], GROUP_OF["place"])} | {"film", "show", "book", "band", "brand", "trail", "title", "home", "venue", "dish", "team", "app", "job", "plan"}
LABELLED = re.compile(r"([^\W\d]+) \{(\w+)\}")
LITTLE_WORDS = set("hi hey dear hello the a an your our my at in by from with to for of on near around about after before under behind beside inside outside between".split())
NEVER_UNSAID = {GROUP_OF["name"], GROUP_OF["item"], GROUP_OF["place"]}  # noise may say them
STATE_SPELLINGS = (lambda v: v, lambda v: v.replace(" ", "_"), lambda v: v.replace(" ", "_").upper(), lambda v: v.replace(" ", "-"), str.capitalize, lambda v: v)
PAIRS = ("start", "end"), ("time", "end"), ("departs", "arrives"), ("starts", "ends"), ("checkin", "checkout")
CODES = {"euros": "EUR", "EUR": "EUR", "€": "EUR", "$": "USD", "USD": "USD", "dollars": "USD", "£": "GBP", "pounds": "GBP", "CHF": "CHF"}
MONEY = ("price", "total", "fine", "refund", "rate", "rent", "deposit", "balance", "reward", "price2", "per_litre")
NO_LABELS = set("""from to until by why who what where when leaves leaving departs departing goes at arrives arriving gets in ends closes begins opens finishes turns
about regarding concerning due charged affected scheduled for takes on starts paid left with handed accepted taken sent shipped delivered written led
invited invites off eta back yes no against favour ayes noes lands check out checkin checkout boards hosted bought called won lent borrowed donated
received signed born taught expires valid payable later than through attending invitees kg km kilos kilometres liters fuel pax dep arr""".split()) | {
    "scheduled for", "takes place on", "paid to", "paid by", "left with", "handed to", "accepted by", "taken by", "sent by", "shipped by", "delivered by", "written by", "led by", "invited by", "check in", "check out", "boards at", "hosted by",
    "bought at", "called by", "won by", "lent by", "donated to", "received by", "signed by", "born in", "taught in", "valid until", "payable until", "no later than", "gets in", "in favour", "departure at", "arrival at", "doors at", "leaving from",
    "heading to", "going to", "collect from", "collect at", "pick up at", "be there by", "seen by", "because of", "intended for", "takes place", "the day", "due by", "time from", "time to", "entry from", "boarding from", "goes at", "closes at", "card ends in",
    "doors open", "used for", "citizen of", "represented by", "measured speed kmh", "pet called", "serves", "pay per hour"}
CONFLICTS = {"time": {"start", "departs"}, "start": {"time", "starts"}, "departs": {"time"}, "date": {"starts", "checkin"}, "starts": {"date", "start"}, "checkin": {"date"}}
FIRST_NAMES, LAST_NAMES = ("first name", "given name", "forename", "first name", "firstname"), ("last name", "surname", "family name", "last name", "lastname")


def name_of(choose, kind, slot, others):
    """A name for the property that none of the other slots could be meant by, or None."""
    free, clashes = NAMES_IN[kind][slot], CLASHES[slot]
    for other in others:
        if other in clashes:
            free = [name for name in free if name not in clashes[other]]
    return None if not free else free[0] if choose.chance(0.35) else choose.rng.choice(free)


def _anyhow(choose, kind, text, slots):
    """The slots of a part said as any kind of message may say them: behind a label or in a sentence of their own."""
    out = []
    for slot in SLOT.findall(text):
        if slot.startswith(("x_", "st_", "b_")):
            return [text]
        if slot in SHARED and choose.chance(0.55):
            out.append(choose.fill(choose.of(SHARED[slot])))
            continue
        label = name_of(choose, kind, slot, slots)
        if label is None or label in NO_LABELS or choose.side == "train" and label in grammar.HELD_LABELS or label.startswith(("how ", "what ", "where ", "for ", "to ", "is ")):
            return [text]
        out.append(choose.of(LABEL_FRAMES).replace("{l}", label).replace("{v}", "{%s}" % slot))
    choose.rng.shuffle(out)
    return out


def _in_order(choose, now, made):
    """A start and an end, of which the second is later."""
    for one, other in PAIRS:
        if one in made and other in made:
            while made[one][1] == made[other][1]:
                made[other] = SLOTS[other][2](choose, now)
            if made[one][1] > made[other][1]:
                made[one], made[other] = made[other], made[one]


def _derived(choose, properties, made, got, text):
    """Properties that say a part of what the text says, or several of its facts together: names apart, a currency, a whole address."""
    rng = choose.rng
    used = {name for name, _, _ in properties.values()}
    persons = [slot for slot in made if GROUP_OF.get(slot) == GROUP_OF["name"] and slot != "author"]
    for slot in ("name", "payer", "student", "winner", "deputy"):
        if persons == [slot] and slot in properties and re.fullmatch(r"[^\W\d]{2,} [^\W\d]{3,}", made[slot][1]) and choose.chance(0.3):
            del properties[slot]
            i = rng.randrange(len(FIRST_NAMES))
            both = [(f"{slot} first", FIRST_NAMES[i], made[slot][1].split(" ")[0]), (f"{slot} last", LAST_NAMES[i], made[slot][1].split(" ")[1])]
            for key, name, value in both if choose.chance(0.8) else both[::-1][:rng.randint(1, 2)]:
                if name not in used:
                    properties[key], got[key] = (name, "string", None), value
                    used.add(name)
            break
    money = [slot for slot in made if slot in MONEY]
    if len(money) == 1 and money[0] in properties and choose.chance(0.3):
        said = made[money[0]][0]
        code = next((code for sign, code in CODES.items() if sign in said), None)
        if code:
            codes = list(dict.fromkeys(CODES.values()))
            rng.shuffle(codes)
            if choose.chance(0.5):
                codes = [c for c in codes if c == code or choose.chance(0.6)]
            as_enum = code not in said or choose.chance(0.3)
            properties["currency"], got["currency"] = (rng.choice(("currency", "currency", "currency code", "money in")), "enum" if as_enum else "string", codes if as_enum else None), code
    if {"street", "city"} <= set(made):
        code, city = made.get("postcode", ("?",))[0], made["city"][0]
        street = properties.get("street", ("address",))[0]
        full = values.whole(text, got["street"], f", {code} {city}", f", {city} {code}", f", {city}")
        if full != got["street"]:
            if "address" in street and not {"city", "postcode"} & set(properties) and "street" in properties:
                got["street"] = full
            elif "address" not in street and "address" not in used and choose.chance(0.4) and (", " + city in full or city in full):
                properties["whole"], got["whole"] = (rng.choice(("address", "full address", "address", "postal address", "whole address")), "string", None), full


def _described(choose, schema, spelled, always):
    """Says in the schema's descriptions what the properties are; some of their names say nothing then."""
    for slot, name in spelled.items():
        if slot in DESCRIBED and name in schema["properties"] and (always or "description" not in schema["properties"][name] and choose.chance(0.85)):
            said = choose.rng.choice(DESCRIBED[slot].split("|"))
            if not said.startswith(("why", "what", "how", "whether", "who ")):
                said = choose.rng.choice(("The ", "the ", "", "")) + said
            schema["properties"][name]["description"] = said[0].upper() + said[1:] if choose.chance(0.5) else said


def _asked(choose, kind, slots, texts):
    """Which properties the schema has: slot -> (name, type, items of an array)."""
    rng = choose.rng
    p = rng.random()
    asked = list(slots) if p < 0.45 else rng.sample(list(slots), min(len(slots), rng.choice((1, 1, 2)))) if p < 0.65 else [slot for slot in slots if choose.chance(0.75)] or list(slots)[:1]
    if choose.chance(0.25) and not any("{x_" in text for text in texts):
        groups = {GROUP_OF.get(slot) for slot in slots} - {None} | NEVER_UNSAID
        said_types = {SLOTS[slot][2] for slot in slots}
        state = any(slot.startswith(("st_", "b_")) for slot in slots)
        others = {slot for part, _ in PARTS[kind] for text in part.parts[choose.side] for slot in SLOT.findall(text) if not slot.startswith("x_")} - set(slots)
        others = sorted(slot for slot in others if SLOTS[slot][2] not in said_types and GROUP_OF.get(slot) not in groups and not (state and slot.startswith(("st_", "b_"))))
        asked += rng.sample(others, min(len(others), rng.randint(1, 2)))
    if choose.chance(0.35):
        rng.shuffle(asked)
    used, properties = set(), {}
    for slot in asked[:9]:
        name = name_of(choose, kind, slot, slots)
        if name is not None and name not in used:
            used.add(name)
            properties[slot] = (name, SLOTS[slot][0], {"type": "string"} if SLOTS[slot][0] == "array" else None)
    if not any(slot in slots for slot in properties):
        slot = next(iter(slots))
        properties = {slot: (PROPERTIES[slot][0], SLOTS[slot][0], {"type": "string"} if SLOTS[slot][0] == "array" else None)}
    return properties


def _label(choose, slot, properties):
    name = properties[slot][0]
    return name if name not in grammar.HELD_LABELS or choose.side == "test" else "value"


def make(choose, now):
    rng = choose.rng
    kind = rng.choice(NAMES)
    texts, slots = [], {}
    varied = choose.chance(0.75)
    for i, (part, left_out) in enumerate(PARTS[kind]):
        if rng.random() < (max(left_out, 0.12) if i else left_out):
            continue
        text = choose.fill(choose.of(part)).strip().lstrip(",:")
        if not text or all(slot in slots for slot in SLOT.findall(text)) and "{" in text:  # said already
            continue
        if any(slot in slots for slot in SLOT.findall(text)):  # in part said already
            text = next((t for t in (choose.fill(choose.of(part)).strip() for _ in range(4)) if t and not any(slot in slots for slot in SLOT.findall(t))), "")
            if not text:
                continue
        if any(slots.keys() & CONFLICTS.get(slot, ()) for slot in SLOT.findall(text)):
            continue
        for slot in SLOT.findall(text):
            if not slot.startswith("x_"):
                slots[slot] = None
        texts.append(text)
    if not slots:
        return make(choose, now)
    if varied:
        texts = [way for text in texts for way in (_anyhow(choose, kind, text, slots) if choose.chance(0.35 if text.count("{") == 1 else 0.2) else [text])]
    made = {slot: SLOTS[slot][2](choose, now) for slot in slots}
    _in_order(choose, now, made)
    lower = choose.chance(0.18)
    if lower and choose.chance(0.4):  # names as lazy people write them
        for slot, (said, value) in made.items():
            if said is value and value.isascii() and not any(c.isdigit() for c in value) and choose.chance(0.6):
                made[slot] = said.lower(), value.lower()
    joint = rng.choices(list(JOINTS), list(JOINTS.values()))[0]
    if lower and choose.chance(0.5) and "date" in made and not any(c.isdigit() for c in made["date"][0]):
        made["date"] = made["date"][0].lower(), made["date"][1]
    if choose.chance(0.12):
        rng.shuffle(texts)
    for _ in range(rng.randint(3, 8) if choose.chance(0.06) else choose.chance(0.3)):
        texts.insert(rng.randint(0, len(texts)), noise.sentence(choose).rstrip("."))
    if choose.chance(0.12):
        texts.insert(0, noise.greeting(choose))
    if choose.chance(0.12):
        texts.append(noise.closing(choose))
    pieces = []
    for text in texts:
        labelled = LABELLED.fullmatch(text)
        if labelled and labelled[2] in PROPER and labelled[1].lower() not in LITTLE_WORDS:
            text = f"{labelled[1]}: {{{labelled[2]}}}"
        if len(text) > 25:
            text = words.disturbed(choose, text, 0.06, True)
        if lower:
            text = "".join(part if part.startswith("{") else part.lower() for part in re.split(r"(\{\w+\})", text))
        elif "{" not in text and choose.chance(0.1):
            text = text.upper()
        said = {}
        for slot in SLOT.findall(text):
            said[slot] = made[slot][0] if slot in made else values.date(choose, now)[1] if slot == "x_date" else grammar.DISTRACTORS[slot[2:]](choose)
        for slot in said:
            if said[slot].startswith(RELATIVE):
                text = text.replace("on {%s}" % slot, "{%s}" % slot)
                if slot == "date":
                    text = text.replace("by {date}", "{date}")
        first = text[:1] != "{" or text.startswith(("{st_", "{b_"))
        text = text.format(**said)
        if joint in (". ", "\n", "\n\n") and not lower and first:
            text = text[:1].upper() + text[1:]
        pieces.append(text)
    out = ""
    for piece in pieces:
        if not out:
            out = piece
        elif out[-1] in ".!?:,":
            out += ("\n" if "\n" in joint else " ") + piece
        elif choose.chance(0.08):
            out += rng.choice((", ", "\n", " - ", ". ")) + piece
        else:
            out += joint + piece
    if joint == ". " and out[-1].isalnum() and choose.chance(0.7):
        out += "."
    properties = _asked(choose, kind, slots, texts)
    got = {slot: made[slot][1] for slot in slots}
    _derived(choose, properties, made, got, out)
    spell_state = rng.choice(STATE_SPELLINGS)
    for slot, (name, type_, _) in list(properties.items()):
        if slot in VALUES and type_ == "enum":
            choices = [v for v in VALUES[slot] if v == got.get(slot) or choose.chance(0.85)]
            choices = choices if len(choices) > 1 else list(VALUES[slot])
            rng.shuffle(choices)
            properties[slot] = (name, type_, [spell_state(v) for v in choices])
            if slot in got:
                got[slot] = spell_state(got[slot])
    names = {slot: properties[slot][0] for slot in properties}
    for slot in ("place", "pickup", "clinic", "garage", "venue"):
        if slot in got and names.get(slot) in ("place", "location", "where", "venue", "address", "meeting point") and "street" in made and "street" not in properties:
            got[slot] = values.whole(out, got[slot], f", {made['street'][0]}")
    described = choose.chance(0.2)
    nameless = described and choose.chance(0.2)
    if nameless:  # names that say nothing
        odd = rng.choice(("field", "value", "f", "x", "entry", "key"))
        properties = {slot: (f"{odd} {i}" if slot in DESCRIBED else name, type_, more) for i, (slot, (name, type_, more)) in enumerate(properties.items(), 1)}
    schema, answer = schemas.schema_of(choose, properties, got, list(properties)[:1], None if described else lambda slot: _label(choose, slot, properties))
    if described:
        _described(choose, schema, {slot: grammar.spelled(schema, name) for slot, (name, _, _) in properties.items()}, nameless)
    p = rng.random()
    if p < 0.45:
        ask = noise.FACTS
    elif p < 0.65:
        ask = words.disturbed(choose, choose.fill(choose.of(noise.ASKS)), 0.15, True)
    else:
        ask = choose.fill(choose.of(noise.FRAMES).replace("{}", kind))
        ask = ask[0].upper() + ask[1:]
    return schemas.message(choose, ask, schema, out), schema, answer
