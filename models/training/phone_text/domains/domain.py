"""A domain: one thing that a phone can be asked for, with its tools, their arguments, and phrasings of requests."""
import dataclasses
import re

from ..split import Lexicon


@dataclasses.dataclass(frozen=True)
class Argument:
    names: tuple          # of which a tool has one
    type: str             # string, integer, array or boolean
    descriptions: tuple   # of which a tool has one or none
    values: tuple = ()    # of an enumeration


@dataclasses.dataclass(frozen=True)
class Missing:
    question: str         # the one that the assistant asks
    phrasings: Lexicon    # requests without the argument
    slot: str             # what the user then says
    composed: list        # Lines for the training


@dataclasses.dataclass(frozen=True)
class Domain:
    name: str
    tools: Lexicon            # names
    descriptions: Lexicon
    arguments: dict           # key -> Argument, in the order of the schema
    required: tuple
    phrasings: Lexicon
    missing: dict             # key -> Missing
    composed: list            # Lines for the training
    pairs: list               # Lines for the training with two requests, whose slots end with 1 and 2 where they differ


DOMAINS = {}


class Line:
    """A phrasing of many independent choices, (a|b|) nested to any depth, which say() makes. There are far too many of its texts to list them, so it is for
    the training alone, and who says it must ask is_held_back. A mark in front of the text says what it is: "!" an order, which may stand in
    another sentence ("could you ..."), "~" an order whose verb may be any word, since the rest says what is meant."""

    def __init__(self, text):
        self.mark = text[0] if text[0] in "!~" else ""
        self.parts, rest = _sequence(text[len(self.mark):], 0)
        assert rest == len(text) - len(self.mark), text

    def say(self, rng):
        return " ".join(_said(rng, self.parts).split()).replace(" ,", ",").replace(" :", ":")


def _sequence(text, at):
    """The parts from `at` to the end of the alternative: strings, and lists of alternatives."""
    parts, start = [], at
    while at < len(text) and text[at] not in "|)":
        if text[at] == "(":
            parts.append(text[start:at])
            choices = []
            while text[at] != ")":
                choice, at = _sequence(text, at + 1)
                choices.append(choice)
            parts.append(choices)
            start = at + 1
        at += 1
    parts.append(text[start:at])
    return [part for part in parts if part], at


def _said(rng, parts):
    return "".join(part if type(part) is str else _said(rng, part[int(rng.random() * len(part))]) for part in parts)


def domain(name, tools, descriptions, arguments, required, phrasings, missing=None):
    asked = {}
    for key, (question, slot, lines) in (missing or {}).items():
        asked[key] = Missing(question, Lexicon(f"{name}: without {key}", lines.strip().split("\n")), slot, [])
    DOMAINS[name] = Domain(name, Lexicon(f"{name}: names", tools.split()), Lexicon(f"{name}: descriptions", descriptions.strip().split("\n")),
                           arguments, tuple(required), Lexicon(f"{name}: phrasings", phrasings.strip().split("\n")), asked, [], [])


SYMBOL = re.compile(r"<(\w+)>")
SYMBOLS = {}  # name -> what stands for <name> in a line


def composed(name, lines, missing=None, pairs=""):
    """Adds lines to a domain, to what it asks for, and to its requests that are two in one."""
    def made(text):
        for line in filter(None, text.strip().split("\n")):
            while SYMBOL.search(line):
                line = SYMBOL.sub(lambda found: SYMBOLS[found[1]], line)
            yield Line(line)
    DOMAINS[name].composed.extend(made(lines))
    DOMAINS[name].pairs.extend(made(pairs))
    for key, more in (missing or {}).items():
        DOMAINS[name].missing[key].composed.extend(made(more))


TIME = Argument(("time", "time", "at", "clock", "time_of_day"), "string", ("Time, HH:MM", "HH:MM", "24-hour time, HH:MM", "When, as HH:MM"))
DATE = Argument(("date", "date", "day", "on"), "string", ("Date, YYYY-MM-DD", "YYYY-MM-DD", "The day, YYYY-MM-DD"))
PERSON = ("contact", "to", "recipient", "person", "name", "who")
