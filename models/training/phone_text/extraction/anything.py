"""Facts about things that nobody has heard of, so that the properties of the schema are read and any text is copied."""
from .. import times, words
from ..split import Lexicon
from . import grammar, noise, schemas, values
from .values import same

KEYS = Lexicon("extraction anything: properties", """color size owner label brand model weight height width depth age speed level material shape code flavor author publisher language chapter score winner team coach species breed
habitat diet engine fuel seats doors year genre singer album length temperature humidity wind salary boss department floor room shelf box rank grade subject teacher ingredient
servings oven dose doctor symptom altitude country capital river mountain customer supplier quantity discount warranty condition amount price date deadline start end status type category version title
name number phone address city sender receiver driver route station stop distance duration rent deposit landlord tenant invoice account bank currency tax due medicine patient clinic ward recipe cook
drink dish table menu hotel guest nights check project task manager budget priority plan meeting speaker topic audience game player goal trainer club league result stadium car plate garage mileage
battery screen memory camera charger plant pot soil tree seed flower garden tool key lock door window lamp song band course school exam student class book page chapter film actor director""".split())
OF = Lexicon("extraction anything: what property", """main first second last new old home work second total final daily weekly monthly early late left right inner outer front back upper lower best worst local next previous current
original official private public maximum minimum average extra own big small net gross full short spare delivery billing contact person product order item user booking travel medical school""".split())
ASKS = Lexicon("extraction anything: asks", ["Extract the {}.", "Take the {} out of the text.", "{} as JSON.", "Fill in the {}.", "Find the {} in this text.", "Give me the {}.", "Turn this into a {}.",
                                             "What does it say about the {}?", "Read the {}.", "Get the data of the {}.", "Note the {} down.", "Describe the {}.", "What do we know of the {}?", "Extract all about the {}.",
                                             "Which facts about the {} are there?", "Fill the {} schema."])
SAID = Lexicon("extraction anything: clauses", """The {key} is {value}.
The {key} (of the {thing} |)(is|was|will be|should be|must be|stays|became|seems to be) {value}.
{Key}: {value}.
{Key} {value}.
{Key}: {value}
{Key} = {value}
{Key} - {value}
(Its|his|her|my|our|their|your) {key} (is|was) {value}.
It (has|had|got|comes with|shows|needs) the {key} {value}.
It (has|had|comes with) (a|the) {key} of {value}.
As {key} we (have|took|chose|want|noted) {value}.
(With|by) (the |){key} {value}.
For the {key} (they|we|I|she|he) (said|took|chose|wrote|wanted|suggested) {value}.
{value} is the {key}.
{value} (was|is|will be) (its|the|our|their|my) {key}.
We (chose|took|picked|want) {value} (as|for) the {key}.
(They|she|he|I) (chose|took|picked|named|gave|wrote) {value} (as|for) (the|its) {key}.
It says {value} (for|under|as|beside) the {key}.
And the {key}? {value}.
(What about|how about|and) the {key}? (It is|that's|) {value}.
(I|we) (set|changed|put|fixed|moved) the {key} to {value}.
The {key} (changed|went|was changed|moved) from {other} to {value}.
The {key} is not {other} but {value}.
(Not {other} but|instead of {other},) {value} is the {key}.
The {key} used to be {other}, now it is {value}.
Under {key} (it says|I read|you find|stands) {value}.
(Regarding|about|concerning) the {key}: {value}.
{Key} (is|was) {value}.
(No|any) doubt about the {key}, it is {value}.
(I think|I heard|they told me|as far as I know|it seems) the {key} is {value}.
The {thing} has {value} as (its |){key}.
The {key} (given|written|printed|listed|stated) (is|was|here is) {value}.
(Please |)(use|take|enter|note|write) {value} (as|for) (the |){key}.
(Listed|noted|given|stored) (as|with|under) {key} {value}.
(When|if) (they|you) ask for the {key}, (it is|say) {value}.
The {thing}'s {key} is {value}.
{key} -> {value}
{key}: {value};
"{key}" {value}
the {key}, {value}, (is fine|is known|is old|will do|came late).
(So|then|also|and|but|here) the {key} (is|was|becomes) {value}.
(Everyone|everybody|she|he) (knows|said|agrees) that the {key} is {value}.
The {key} (there|here|today|this time|in the end) (is|was) {value}.
(Compared with|unlike) the last {thing}, the {key} is {value}.
(Made|sold|seen|found|known) with {key} {value}.
(Official|correct|real) {key}: {value}.
(Nobody|who) (knew|checked) the {key}(, it is|? It's) {value}.
(You'll|you) (find|see|get) {value} (as|listed as|marked as) {key}.
{value} ({key})
{value} - that is the {key}.
{value}, (the|its|our) {key}, (is new|was known|is not bad|matters).
(Wait|sorry|no), the {key} is {value}.
(The|our) {key} (turned out to be|was recorded as|has been set to|remains|would be) {value}.
(Choose|choosing|having) {value} (as|for) {key} (was right|was easy|took long).
(In the column|in the field|next to|beside|after) {key} (you see|stands|there is|it says) {value}.""".replace("{value} ({key})", "{value} [{key}]").replace("(Not {other} but|instead of {other},) {value}", "Not {other} but {value}").split("\n"))
NAMED = Lexicon("extraction anything: openings", """This is about the {thing}.
(Here is|this is|I found|I saw|we have|we got|look at) (the|a|our) {thing}.
(The|our|my) {thing} (is new|came today|was sold|is here|looks fine).
{Thing}
{Thing}:
Report on the {thing}
(Notes|a note|facts|data|file|card) (about|on|of) the {thing}
(Let me tell you|you asked|I wrote down something) about the {thing}.
(Everything|all|some things) about the {thing}:
(Record|sheet|entry|item): {thing}
Do you know the {thing}?
(Today|yesterday|last week) (I|we) (checked|measured|bought|looked at) the {thing}.
(Listing|advert|offer): {thing}
Form for the {thing}""".split("\n"))


def _word(choose):
    return words.odd_word(choose).lower() if choose.chance(0.2) else choose.of(KEYS)


def key_of(choose):
    """A property of one or two words."""
    return f"{choose.of(OF)} {_word(choose)}" if choose.chance(0.35) else _word(choose)


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
    keys = {}
    while len(keys) < rng.choice((2, 3, 3, 4, 5, 6)):
        keys.setdefault(key_of(choose), any_value(choose, now))
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
        text = choose.fill(phrasing)
        other = any_value(choose, now)[0] if "{other}" in text else None
        first = not text.startswith("{")
        text = text.format(key=key, Key=key.capitalize(), value=said, thing=thing, other=other)
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
    unsaid = [key for key in (key_of(choose), key_of(choose)) if key not in keys and choose.chance(0.4)]
    for key in asked + unsaid:
        _, type_, _, choices = keys[key] if key in keys else (None, rng.choice(("string", "string", "integer", "number")), None, None)
        properties[key] = (key, type_, choices)
    if choose.chance(0.4):
        items = list(properties.items())
        rng.shuffle(items)
        properties = dict(items)
    schema, answer = schemas.schema_of(choose, properties, {key: value for key, (_, _, value, _) in keys.items()}, [])
    ask = noise.FACTS if choose.chance(0.15) else choose.fill(choose.of(noise.ASKS)) if choose.chance(0.35) else choose.of(ASKS).format(thing)
    return schemas.message(choose, ask, schema, text), schema, answer
