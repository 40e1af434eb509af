"""Several things of a kind: an array of objects, one for each row of a text."""
import re

from .. import words
from ..split import Lexicon
from . import messages, noise, schemas

# What the rows are: names of the array, the slots of messages.py that a row says.
KINDS = {
    "contacts": ("contacts|people|persons|entries|members", ("name", "phone"), ("name", "email"), ("name", "job"), ("name", "phone", "city"), ("first", "age")),
    "events": ("events|appointments|dates|entries|schedule", ("title", "date"), ("title", "date", "time"), ("title", "place"), ("date", "time", "title"), ("time", "subject")),
    "prices": ("items|products|prices|positions|goods", ("item", "price"), ("item", "tickets"), ("dish", "price")),
    "trains": ("trips|connections|trains|legs|stops", ("from", "to"), ("train", "departs"), ("to", "platform"), ("from", "to", "departs")),
    "parcels": ("parcels|deliveries|shipments|orders", ("tracking", "sender"), ("tracking", "date"), ("carrier", "tracking")),
    "tasks": ("tasks|todos|jobs|duties|assignments", ("first", "item"), ("subject", "due"), ("first", "subject")),
    "results": ("matches|results|games|scores", ("home", "away"), ("home", "goals", "away", "goals2"), ("first", "goals")),
    "rooms": ("rooms|bookings|reservations", ("room", "name"), ("room", "time"), ("name", "nights")),
}
ROWS = Lexicon("extraction rows: forms", ["{0} {1}", "{0}: {1}", "{0} - {1}", "{0}, {1}", "{0} / {1}", "{0} = {1}", "{1} {0}", "{0} with {1}", "{0} and {1}", "{0} has {1}", "{0} -> {1}", "{0} | {1}", "{1}: {0}",
                                          "{0} is {1}", "{0} gets {1}", "{1} - {0}", "{0}; {1}"])
HEADS = Lexicon("extraction rows: heads", ["Here are the {}:", "{}:", "The {} so far", "List of {}", "We have these {}:", "All {}", "Our {}", "{}, new", "These are the {}.", "I noted the {}:", "You asked for the {}.", "See the {} below",
                                           "The {} of this week:", "{} to check"])


def make(choose, now):
    rng = choose.rng
    kind = rng.choice(list(KINDS))
    names, *rows = KINDS[kind]
    slots = rng.choice(rows)
    form = choose.of(ROWS) if len(slots) == 2 else rng.choice((", ", " - ", ": ", " | ", " ")).join("{%d}" % i for i in range(len(slots)))
    said, value, keys, used = [], [], {}, set()
    spell = schemas.spelling(choose)
    for slot in slots:
        possible = [n for n in messages.SLOTS[slot][1].split("|") if n not in used]
        keys[slot] = possible[0] if choose.chance(0.5) else rng.choice(possible)
        used.add(keys[slot])
    for _ in range(rng.choice((1, 2, 2, 3, 3, 4))):
        made = [messages.SLOTS[slot][2](choose, now) for slot in slots]
        said.append(form.format(*(m[0] for m in made)))
        value.append({spell(keys[slot].split()): m[1] for slot, m in zip(slots, made)})
    if choose.chance(0.6):
        text = rng.choice(("\n", "\n- ", "\n* ")).join(["", *said])[1:]
    else:
        text = rng.choice(("; ", ". ", " / ", ", then ", "; also ")).join(said)
    if choose.chance(0.6):
        head = choose.of(HEADS).format(kind)
        text = head[0].upper() + head[1:] + rng.choice(("\n", " ")) + text
    if choose.chance(0.35):
        text = noise.sentence(choose) + rng.choice(("\n", " ")) + text if choose.chance(0.5) else text + rng.choice(("\n", ". ")) + noise.sentence(choose)
    properties = {spell(keys[slot].split()): {"type": messages.SLOTS[slot][0]} for slot in slots}
    item = {"type": "object", "properties": properties}
    if choose.chance(0.6):
        item["required"] = list(properties)
    name = rng.choice(names.split("|"))
    schema = {"type": "object", "properties": {name: {"type": "array", "items": item}}}
    if choose.chance(0.7):
        schema["required"] = [name]
    ask = noise.FACTS if choose.chance(0.4) else choose.fill(choose.of(noise.ASKS))
    return schemas.message(choose, ask, schema, text), schema, {name: value}
