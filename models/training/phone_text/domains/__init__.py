"""What a phone can be asked for: tools, their arguments, and the phrasings of requests.

In a phrasing, a word in braces is a slot of FILLERS, which says it and gives the arguments. A phrasing is used only with tools that have all
arguments that it gives, except that a day is not said to a tool without dates.
"""
from . import clock, people, notes, agenda, navigation, music, home  # noqa: F401  each adds its domains
from .domain import DOMAINS

CORE = tuple(DOMAINS)  # what the assistant is about

from . import others, composed, composed_others  # noqa: E402, F401
