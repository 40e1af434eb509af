"""Facts taken out of a text as JSON, for the schema that is given.

The rules. The answer is one JSON object with the properties of the schema in its order. A property of which the text says nothing is left
out, or null where the schema allows null. Texts are copied. Times, dates and numbers are spelled as in calls (times.py); prices are numbers with
the digits that were written. An enum's value is the one that the text means. Where the text corrects itself, the last word counts.
"""
from . import anything, contact, event, grammar, messages, parcel, rows, shopping, ticket

DOMAINS = (contact.CONTACT, event.EVENT, parcel.PARCEL, ticket.TICKET)
MAKERS = {"anything": 0.15, "messages": 0.42, "rows": 0.07, "shopping": 0.15, **{domain.name: 0.15 * domain.share for domain in DOMAINS}}
_NAMES, _WEIGHTS = list(MAKERS), list(MAKERS.values())
_MODULES = {"anything": anything, "messages": messages, "rows": rows, "shopping": shopping}
_BY_NAME = {domain.name: domain for domain in DOMAINS}


def make(choose, now, kinds=None):
    """Returns the message of the user, the schema and the answer, of one of the kinds. `now` is None where the system message says no day."""
    name = choose.rng.choice(kinds) if kinds else choose.rng.choices(_NAMES, _WEIGHTS)[0]
    if name in _MODULES:
        return _MODULES[name].make(choose, now)
    return grammar.make(choose, now, _BY_NAME[name])
