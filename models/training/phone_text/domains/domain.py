"""A domain: one thing that a phone can be asked for, with its tools, their arguments, and phrasings of requests."""
import dataclasses

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


@dataclasses.dataclass(frozen=True)
class Domain:
    name: str
    tools: Lexicon            # names
    descriptions: Lexicon
    arguments: dict           # key -> Argument, in the order of the schema
    required: tuple
    phrasings: Lexicon
    missing: dict             # key -> Missing


DOMAINS = {}


def domain(name, tools, descriptions, arguments, required, phrasings, missing=None):
    asked = {}
    for key, (question, slot, lines) in (missing or {}).items():
        asked[key] = Missing(question, Lexicon(f"{name}: without {key}", lines.strip().split("\n")), slot)
    DOMAINS[name] = Domain(name, Lexicon(f"{name}: names", tools.split()), Lexicon(f"{name}: descriptions", descriptions.strip().split("\n")),
                           arguments, tuple(required), Lexicon(f"{name}: phrasings", phrasings.strip().split("\n")), asked)


TIME = Argument(("time", "time", "at", "clock", "time_of_day"), "string", ("Time, HH:MM", "HH:MM", "24-hour time, HH:MM", "When, as HH:MM"))
DATE = Argument(("date", "date", "day", "on"), "string", ("Date, YYYY-MM-DD", "YYYY-MM-DD", "The day, YYYY-MM-DD"))
PERSON = ("contact", "to", "recipient", "person", "name", "who")
