"""Facts about things that nobody has heard of, so that the properties of the schema are read and any text is copied."""
import re

from .. import times, words
from ..split import Lexicon
from . import anything_words, grammar, noise, schemas, values

KEYS = Lexicon("extraction anything: properties", anything_words.KEYS)
OF = Lexicon("extraction anything: what property", anything_words.OF)
ASKS = Lexicon("extraction anything: asks", anything_words.ASKS)
SAID = Lexicon("extraction anything: clauses", anything_words.CLAUSES)
NAMED = Lexicon("extraction anything: openings", anything_words.OPENINGS)
WORD = re.compile(r"[^\W\d]+")


def _word(choose):
    return words.odd_word(choose).lower() if choose.chance(0.2) else choose.of(KEYS)


def key_of(choose):
    """A property of one or two words."""
    return f"{choose.of(OF)} {_word(choose)}" if choose.chance(0.35) else _word(choose)


def _free_key(choose, taken):
    """A property none of whose words is taken by another one or by the thing; its words are taken then."""
    while True:
        key = key_of(choose)
        if taken.isdisjoint(key.split()):
            taken.update(key.split())
            return key


def any_value(choose, now):
    """(said, type of the schema, value, choices)"""
    rng = choose.rng
    p = rng.random()
    odd = choose.side == "train"
    if p < 0.16:
        n = rng.randint(1, 999) if choose.chance(0.8) else rng.randint(1000, 99999)
        return times.number(choose, n, 0.2) if n < 1000 else str(n), "integer" if choose.chance(0.7) else "number", n, None
    if p < 0.2:
        n = round(rng.uniform(0.1, 99), rng.choice((1, 1, 2)))
        return str(n), "number", n, None
    if p < 0.25:
        said, _, value = values.price(choose)
        return said, "number", value, None
    if p < 0.32:
        _, said, value = values.date(choose, now)
        return said, "string", value, None
    if p < 0.36:
        said, _, value = values.clock(choose)
        return said, "string", value, None
    if p < 0.41:
        value = choose.chance(0.5)
        return rng.choice(("yes", "true", "yes") if value else ("no", "false", "no")), "boolean", value, None
    if p < 0.48:
        choices = list(dict.fromkeys(words.odd_word(choose).lower() if odd and choose.chance(0.4) else choose.of(words.ANY) for _ in range(rng.randint(2, 5))))
        value = rng.choice(choices)
        return value, "enum", value, choices
    if p < 0.52:
        found = list(dict.fromkeys(words.odd_text(choose, 1, 2) if odd else choose.of(words.ANY) for _ in range(rng.randint(1, 4))))
        return found[0] if len(found) == 1 else ", ".join(found[:-1]) + rng.choice((" and ", ", ", " and ")) + found[-1], "array", found, {"type": "string"}
    if p < 0.58:
        value = values.person(choose)
    elif p < 0.61:
        value = values.company(choose)
    elif p < 0.65:
        value = values.code(choose)
    elif p < 0.69:
        value = values.place(choose)
    elif p < 0.73:
        value = values.town(choose)
    elif p < 0.76:
        value = values.phone(choose)
    elif p < 0.8:
        value = values.event_title(choose)
    elif odd:
        value = words.odd_text(choose, 1, rng.choice((1, 2, 3, 3, 6)), rng.choice((0, 0, 0, 0.3)))
        value = value.title() if choose.chance(0.2) else value
    else:
        value = words.any_words(choose, 1, 3)
    return value, "string", value, None


def make(choose, now):
    rng = choose.rng
    thing = words.some(choose, words.ANY, 0.5, 1)
    keys, taken = {}, {thing.lower(), *thing.lower().split()}
    for _ in range(rng.choice((1, 2, 2, 3, 3, 3, 4, 5, 6))):
        key = _free_key(choose, taken)
        keys[key] = any_value(choose, now)
    form = choose.chance(0.3)
    joint, separator = rng.choice(("\n", "\n", "\n", ", ", "; ", " | ")), noise.separator(choose)
    one = choose.of(SAID) if choose.chance(0.15) else None
    pieces = []
    for key, (said, _, _, _) in keys.items():
        if form:
            pieces.append((key if choose.chance(0.3) else key.capitalize()) + separator + said)
            continue
        phrasing = one or choose.of(SAID)
        if len(phrasing) > 30 and "{other}" not in phrasing:
            phrasing = words.disturbed(choose, phrasing, 0.08, True)
        text = choose.fill(phrasing.replace("({value})", "\x01{value}\x02").replace("({thing})", "\x01{thing}\x02")).replace("\x01", "(").replace("\x02", ")")
        other = any_value(choose, now)[0] if "{other}" in text else None
        first = not text.startswith("{")
        text = text.format(key=key, Key=key.capitalize(), KEY=key.upper(), value=said, thing=thing, other=other)
        pieces.append(noise.extended(choose, text[:1].upper() + text[1:] if first else noise.Fixed(text)))
    rng.shuffle(pieces)
    if choose.chance(0.4):
        opening = choose.fill(choose.of(NAMED)).format(thing=thing, Thing=thing.capitalize())
        pieces.insert(0, opening[:1].upper() + opening[1:])
    if not form:
        grammar.with_noise(choose, pieces, 2)
        pieces = grammar.joined(choose, pieces)
    text = (joint if form else " " if choose.chance(0.85) else "\n").join(pieces)
    # Some are said and not asked for, some the other way round.
    asked = [key for key in keys if choose.chance(0.8)] or list(keys)[:1]
    rng.shuffle(asked)
    properties = {}
    unsaid = [_free_key(choose, taken) for _ in range(2) if choose.chance(0.4)]
    for key in asked + unsaid:
        _, type_, _, choices = keys[key] if key in keys else (None, rng.choice(("string", "string", "integer", "number")), None, None)
        properties[key] = (key, type_, choices)
    if choose.chance(0.4):
        items = list(properties.items())
        rng.shuffle(items)
        properties = dict(items)
    found = WORD.findall(text.lower())
    counts = {word: found.count(word) for key in properties for word in WORD.findall(key)}
    if any(counts[word] > (key in keys) for key in properties for word in WORD.findall(key)):
        return make(choose, now)  # a word of the text that is no property's could be taken for one
    schema, answer = schemas.schema_of(choose, properties, {key: value for key, (_, _, value, _) in keys.items()}, [])
    ask = noise.FACTS if choose.chance(0.15) else choose.fill(choose.of(noise.ASKS)) if choose.chance(0.35) else choose.of(ASKS).format(thing)
    return schemas.message(choose, ask, schema, text), schema, answer
