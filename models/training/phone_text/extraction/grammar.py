"""How texts are put together. A domain has fields and phrasings; a text says some of the fields in sentences, lines of a form, a table, a chat, or
a mixture, with other sentences around them. Each choice is made by itself, so that hardly two texts have the same form.

Phrasings are written in the small grammar of split.py. A slot is {field}, {field0} is what is put behind a label ("Friday" instead of "on Friday"),
and {x_kind} is a value of its own that is not the wanted one.
"""
import functools
import re

from .. import words
from ..split import Lexicon, expansions
from . import noise, schemas, values

SLOT = re.compile(r"\{(\w+?)(0?)\}")
FREE = ("date", "time", "count", "online", "rsvp", "people")  # kinds whose values are normalised, so that a sentence may begin with them in upper case


HELD_LABELS = set()  # in lower case: no description in a schema of the training says them


class Field:
    """One fact of a domain: the words that name its property, how forms label it, and what makes its value. One that is `hinted` at by what
    says other facts ("we left it at the bakery") is asked for only where it is said."""

    def __init__(self, type_, names, labels, make, kind=None, choices=None, hinted=False):
        self.type, self.names, self.make, self.kind, self.choices, self.hinted = type_, names.split("|"), make, kind, choices, hinted
        self.said_labels = list(dict.fromkeys(labels.split("|") + [n for n in self.names if n not in labels.lower().split("|")]))


class Domain:
    def __init__(self, name, asks, fields, heads, sentences, lines="", openings="", closings="", share=1.0, clash=(), groups=(), facts_like=None):
        self.name, self.fields, self.heads, self.share, self.clash, self.groups = name, fields, heads, share, clash, groups
        self.facts_like = facts_like and re.compile(facts_like)  # of a sentence that says nothing of the domain and could be read so
        self.asks = Lexicon(f"extraction {name}: asks", asks.strip().split("\n"))
        self.held_asks = [text.lower() for text in self.asks.parts["test"]]
        self.sentences = Lexicon(f"extraction {name}: sentences", sentences.strip().split("\n"))
        self.held_sentences = {text for phrasing in self.sentences.parts["test"] for text in expansions(phrasing)}
        self.lines = Lexicon(f"extraction {name}: lines", lines.strip().split("\n")) if lines else None
        self.openings = Lexicon(f"extraction {name}: openings", openings.strip().split("\n")) if openings else None
        self.closings = Lexicon(f"extraction {name}: closings", closings.strip().split("\n")) if closings else None
        self.labels = {key: Lexicon(f"extraction {name} {key}: labels", field.said_labels) for key, field in fields.items()}

        HELD_LABELS.update(label.lower() for lexicon in self.labels.values() for label in lexicon.parts["test"])

    @functools.cache
    def of_field(self, side, lines=False):
        """field -> [(phrasing, the fields that it says)] of one side"""
        found = {key: [] for key in self.fields}
        lexicon = self.lines if lines else self.sentences
        entries, sets = {}, {}  # a phrasing that is there several times is read once, and fields that many say together are one set
        for phrasing in lexicon.parts[side] if lexicon else ():
            entry = entries.get(phrasing)
            if entry is None:
                said = frozenset(name for name, _ in SLOT.findall(phrasing) if not name.startswith("x_"))
                said = frozenset(("time", "end")) | said - {"span"} if "span" in said else said
                entry = entries[phrasing] = phrasing, sets.setdefault(said, said)
            for name in entry[1]:
                found[name].append(entry)
        return found


ODD_LABELS = 0.06  # of the labels say nothing in training: the value and the other properties tell which field it is
DISTURBED = 0.2  # of the sentences have other words in training
DISTRACTORS = {"phone": values.phone, "name": values.someone, "city": values.town, "place": values.place, "street": values.street, "company": values.company, "code": values.code,
               "shop": values.shop, "time": lambda c: values.clock(c)[0], "thing": lambda c: c.of(words.THINGS), "number": lambda c: str(c.rng.randint(2, 900))}


class Facts:
    """What a text says: the fields in the order in which they were made."""

    def __init__(self, choose, now, domain, keys, fields=None):
        self.slots, self.values, self.span, self.span_only = {}, {}, None, False
        self.choose, self.now, self.domain = choose, now, domain
        for key in keys:
            if key == "end" and "time" in keys and choose.chance(0.75):  # a time that ends later
                self.span, (self.values["time"], self.values["end"]) = values.span(choose)
                one, _, other = re.split(r"( to | until | till | - |-)", self.span)[0:3]
                if one.strip()[-1].isdigit() and other.strip()[-1] in "m.":
                    self.span_only = True
                    for slot in ("time", "time0"):
                        del self.slots[slot]
                    continue
                self.slots.update(time=one, time0=one, end=other, end0=other)
                continue
            said, bare, value = (fields or domain.fields)[key].make(choose, now, self.values)
            self.slots[key], self.slots[key + "0"], self.values[key] = said, bare, value
        if self.span:
            self.slots["span"] = self.span

    def fill(self, phrasing, lower=False):
        """The phrasing with its slots filled, or None where a slot has nothing."""
        choose = self.choose
        text = choose.fill(phrasing)
        if lower:
            text = "".join(part if part.startswith("{") else part.lower() for part in re.split(r"(\{\w+\})", text))
        out = {}
        for name, zero in SLOT.findall(text):
            slot = name + zero
            if slot in self.slots:
                out[slot] = self.slots[slot]
            elif name == "x_date":
                out[slot] = values.date(choose, self.now)[1 if zero else 0]
            elif name == "x_time":
                out[slot] = values.clock(choose)[0]
            elif name == "x_price":
                out[slot] = values.price(choose)[0]
            elif name.startswith("x_"):
                out[slot] = DISTRACTORS[name[2:]](choose)
                while out[slot] in self.slots.values():  # "not Bookworm but Bookworm"
                    out[slot] = DISTRACTORS[name[2:]](choose)
            else:
                return None
        filled = text.format(**out)
        if lower:
            return noise.Fixed(filled) if text.startswith("{") else filled
        first = SLOT.match(text)
        if first and not any(first[1].endswith(kind) for kind in FREE):
            return noise.Fixed(filled)
        return filled[:1].upper() + filled[1:]

    def disturbed(self, phrasing):
        """The phrasing, in training often with other words in it, which are none that the test has for itself."""
        choose = self.choose
        if choose.side == "test" or not choose.chance(DISTURBED):
            return phrasing
        text = words.disturbed(choose, choose.fill(phrasing), 1.0, True)
        return phrasing if text.lower() in self.domain.held_sentences else text

    def pieces(self, keys, lines=False, lower=False):
        """[text] that say the fields, each by a phrasing of its own."""
        choose, domain = self.choose, self.domain
        left, out = list(keys), []
        choose.rng.shuffle(left)
        head = next((k for k in domain.heads if k in left), None)
        if head and choose.chance(0.65):
            left.remove(head)
            left.insert(0, head)
        left_set = set(left)
        of_field = domain.of_field(choose.side, lines)
        while left:
            key = left[0]
            text = None
            candidates = of_field[key]
            for _ in range(8 if candidates else 0):
                phrasing, said = choose.rng.choice(candidates)
                if said <= left_set:
                    text = self.fill(phrasing if lines or len(phrasing) < 25 or "{x_" in phrasing else self.disturbed(phrasing), lower)
                    if text:
                        break
            if not text:
                said = frozenset((key,))
                text = self.label(key, noise.separator(choose))
                if text is None:  # a span that cannot be parted
                    said = frozenset(("time", "end"))
                    text = f"{choose.rng.choice(('Time: ', 'Hours: ', 'from ', ''))}{self.span}"
            out.append(text if lines else noise.extended(choose, text))
            left_set -= said
            left = [k for k in left if k in left_set]
        return out

    def label(self, key, separator):
        if key + "0" not in self.slots:
            return None
        odd = self.choose.side == "train" and self.choose.chance(ODD_LABELS)
        label = words.odd_text(self.choose, 1, 2) if odd else self.choose.of(self.domain.labels[key])
        p = self.choose.rng.random()
        label = label if p < 0.5 else label[0].upper() + label[1:] if p < 0.9 else label.upper() if p < 0.95 else label.lower()
        return f"{label}{separator}{self.slots[key + '0']}"

    def form(self, keys):
        """Lines of a form."""
        choose, rng = self.choose, self.choose.rng
        keys = list(keys)
        if choose.chance(0.6):
            rng.shuffle(keys)
        separator = noise.separator(choose)
        out, done = [], set()
        plain = 0.0 if choose.chance(0.5) else rng.random()
        for key in keys:
            if key in done:
                continue
            text = None
            if self.domain.lines and choose.chance(plain):
                candidates = self.domain.of_field(choose.side, True)[key]
                if candidates:
                    phrasing, said = rng.choice(candidates)
                    if said <= set(keys) - done:
                        text = self.fill(phrasing)
                        done |= said if text else set()
            if text is None:
                text = self.label(key, separator)
                done.add(key)
                if text is None:
                    text = f"{rng.choice(('Time', 'Hours', 'When', 'time'))}{separator}{self.span}"
                    done |= {"time", "end"}
            out.append(text)
        return out

    def table(self, keys):
        choose = self.choose
        bar = choose.rng.choice((" | ", ", ", ";", "\t"))
        return [bar.join(choose.of(self.domain.labels[k]) for k in keys), bar.join(self.slots[k + "0"] for k in keys)], keys


STYLES = {"prose": 40, "chat": 12, "form": 22, "mixed": 14, "run-on": 8, "table": 2, "lines": 6}
_STYLES, _STYLE_WEIGHTS = list(STYLES), list(STYLES.values())


def aside(choose, domain):
    """A sentence that says nothing that matters, and that nobody takes for a fact of the domain."""
    while True:
        text = noise.sentence(choose)
        if not (domain and domain.facts_like and domain.facts_like.search(text)):
            return text


def with_noise(choose, pieces, most=3, domain=None):
    """The pieces with sentences among them that say nothing that matters."""
    for _ in range(choose.rng.randint(4, 9) if choose.chance(0.04) else choose.rng.choice((0, 0, 0, 0, 0, 1, 1, 1, 2, 3)[:7 + most])):
        pieces.insert(choose.rng.randint(0, len(pieces)), aside(choose, domain))
    return pieces


def text_of(choose, facts, keys, style=None):
    """A text that says the fields. Returns it and the fields that it could say."""
    rng, domain = choose.rng, facts.domain
    style = style or rng.choices(_STYLES, _STYLE_WEIGHTS)[0]
    if style in ("form", "table", "lines"):
        columns = [k for k in keys if k + "0" in facts.slots and not set(",\n") & set(facts.slots[k + "0"])]
        if style == "table" and len(columns) > 1:
            pieces, keys = facts.table(columns)
        else:
            pieces = facts.form(keys) if style != "lines" else facts.pieces(keys, True)
            if choose.chance(0.25):
                bullet = rng.choice(("- ", "* ", "• " if choose.chance(0.2) else "- ", "> ", "1. "))
                pieces = [bullet + piece for piece in pieces]
        if choose.chance(0.4):
            pieces.insert(0, choose.of(domain.openings) if domain.openings and choose.chance(0.5) else noise.opening(choose))
        if choose.chance(0.3):
            pieces.append(aside(choose, domain) if choose.chance(0.5) else noise.closing(choose))
        joint = "\n" if style == "table" else rng.choices(("\n", ", ", "; ", " | ", ". ", " / ", "\n\n"), (14, 2, 1, 1, 2, 0.5, 0.5))[0]
        return joint.join(pieces), keys
    if style == "mixed":
        n = rng.randint(1, max(1, len(keys) - 1))
        mixed = list(keys)
        rng.shuffle(mixed)
        if facts.span_only:
            n = len(mixed)
        first, rest = mixed[:n], mixed[n:]
        head = next((k for k in domain.heads if k in rest), None)
        if head and choose.chance(0.5):
            rest.remove(head)
            first.append(head)
        parts = [" ".join(finished(piece) for piece in with_noise(choose, facts.pieces(first), 2, domain)), "\n".join(facts.form(rest))]
        if choose.chance(0.3):
            parts.reverse()
        if choose.chance(0.3):
            parts.insert(0, noise.greeting(choose))
        if choose.chance(0.3):
            parts.append(noise.closing(choose))
        return rng.choice(("\n", "\n\n", "\n", " ")).join(p for p in parts if p), keys
    if style in ("chat", "run-on"):
        lower = style == "chat" and choose.chance(0.7)
        if lower and choose.chance(0.6):  # days too
            for slot in ("date", "date0", "rsvp0"):
                if slot in facts.slots and not any(c.isdigit() for c in facts.slots[slot]):
                    facts.slots[slot] = facts.slots[slot].lower()
        pieces = with_noise(choose, facts.pieces(keys, False, lower or style == "run-on"), 2, domain)
        if choose.chance(0.35):
            pieces.insert(0, noise.chat_start(choose))
        if choose.chance(0.25):
            pieces.append(noise.chat_end(choose))
        out = pieces[0]
        always = rng.choice((None, None, ", ", " ", ". ", "\n", " - ", "... "))
        for piece in pieces[1:]:
            joint = always or rng.choice((", ", " and ", ". ", ", ", ", and ", " - ", "; ", ", also ", " btw ", "\n"))
            out = out.rstrip(".:, ") + joint + piece
        return out, keys
    pieces = facts.pieces(keys)
    if domain.openings and choose.chance(0.3):
        pieces.insert(0, choose.of(domain.openings))
    if domain.closings and choose.chance(0.25):
        pieces.append(choose.of(domain.closings))
    pieces = joined(choose, with_noise(choose, pieces, domain=domain))
    joint = " "
    p = rng.random()
    if p < 0.3:
        pieces.insert(0, noise.greeting(choose))
        joint = rng.choice((" ", " ", "\n"))
    if p > 0.15 and choose.chance(0.3):
        pieces.append(noise.closing(choose))
    if choose.chance(0.12):
        return "\n".join(pieces), keys
    if joint == "\n":
        return "\n".join((pieces[0], " ".join(pieces[1:]))), keys
    return " ".join(pieces), keys


def joined(choose, pieces):
    """The sentences, some of them made one."""
    out = []
    for piece in pieces:
        if out and piece[0].isupper() and out[-1][-1] not in "!?:," and choose.chance(0.14):
            out[-1] = type(out[-1])(out[-1].rstrip(".") + choose.rng.choice((", and ", " and ", "; ", " - ", ", so ", ", but ", ", ")) + noise.lowered(piece))
        else:
            out.append(piece)
    return [finished(piece) for piece in out]


def finished(piece):
    return piece if piece[-1] in ".!?:,;" else piece + "."


def spelled(schema, name):
    """As which property of the schema the name is spelled."""
    plain = "".join(name.split()).lower()
    return next((p for p in schema["properties"] if re.sub("[_-]", "", p).lower() == plain), None)


def make(choose, now, domain, fields=None):
    """Returns the message of the user, the schema and the answer."""
    rng = choose.rng
    keys = list(domain.fields)
    for clash in domain.clash:  # of such a group one is said, or what stands behind the first
        drop = clash[1:] if choose.chance(0.75) else clash[:1]
        keys = [k for k in keys if k not in drop]
    possible = list(keys)
    if domain.groups and choose.chance(0.92):  # of two groups of fields that seldom are in one text
        drop = rng.choice(domain.groups)
        keys = [k for k in keys if k not in drop]
    n = min(len(keys), rng.choice((1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6)))
    head = domain.heads[0] if domain.heads else None
    chosen = set(rng.sample(keys, n))
    if head and choose.chance(0.93):
        chosen.add(head)
    if "end" in chosen and "time" in possible:
        chosen.add("time")
    said = [k for k in keys if k in chosen]
    fields = fields or domain.fields
    facts = Facts(choose, now, domain, said, fields)
    text, said = text_of(choose, facts, said)
    got = {k: facts.values[k] for k in said}
    # Some are said and not asked for, and some that are asked for are not said.
    only_said = choose.chance(0.4)
    asked_all = choose.chance(0.5 if only_said else 0.3)
    asked = [k for k in possible if k in got and (asked_all or k in domain.heads or choose.chance(0.85)) or not only_said and k not in got and not domain.fields[k].hinted and choose.chance(0.25)]
    if not any(k in got for k in asked):
        asked.append(rng.choice(said))
    if choose.chance(0.45):
        rng.shuffle(asked)
    properties = {}
    for key in asked[:9]:
        field = fields[key]
        properties[key] = (field.names[0] if choose.chance(0.4) else rng.choice(field.names), field.type, field.choices)
    if "street" in properties and {"street", "city"} <= set(got) and not {"city", "postcode"} & set(properties) and "address" in properties["street"][0]:
        code, city = got.get("postcode", "?"), got["city"]
        got["street"] = values.whole(text, got["street"], f", {code} {city}", f", {city} {code}", f", {city}")
    schema, answer = schemas.schema_of(choose, properties, got, domain.heads[:1], lambda key: choose.of(domain.labels[key]))
    if "street" in properties and "city" in properties and choose.chance(0.25):
        schemas.nest(schema, answer, "address", [name for key in ("street", "postcode", "city") if key in properties for name in schema["properties"] if name == spelled(schema, properties[key][0])])
    ask = noise.ask(choose, domain)
    return schemas.message(choose, ask, schema, text), schema, answer
