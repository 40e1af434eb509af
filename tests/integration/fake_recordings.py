"""The recorded answers in tests/data/upstream, whose README says how they are written."""
import json
from dataclasses import dataclass


@dataclass
class Exchange:
    method: str
    path: str
    body: object  # what was sent; None: nothing
    status: int
    type: str
    answer: bytes


def read(path):
    """All exchanges of a file, in its order."""
    with open(path, encoding="utf-8") as file:
        text = "".join(line for line in file if not line.startswith("#"))
    found = []
    for block in ("\n" + text).split("\n> ")[1:]:
        asked, _, answered = block.partition("\n< ")
        call, _, sent = asked.partition("\n")
        head, _, answer = answered.partition("\n")
        status, _, kind = head.partition(" ")
        end = "\n\n" if kind == "text/event-stream" else "\n"
        found.append(Exchange(*call.split(" "), json.loads(sent) if sent else None, int(status), kind, (answer.rstrip() + end).encode()))
    return found
