"""Schemas as response_format, and the notes on what of them is not enforced."""
import contextlib
import copy
import json
import re

import harness
from harness import MARKER, PHONE
from socket_test import Connection

WORDS = f"Give an example of {MARKER}."
FIELD = "response_format"
NOTE = re.compile(r'[\w.]+: at ("(?:[^"\\]|\\.)*"): (.*); it is not enforced')
# Where a note names two keywords, the second is the one that is left out.
KEYWORD = re.compile(r'(?:enum|const) beside (\w+)|"([^"]+)" is not supported|(\w+)')


def left_out(notes):
    """(where, keyword) of each note that is about the schema."""
    found = []
    for note in notes:
        place, what = NOTE.fullmatch(note).groups()
        found.append((json.loads(place), next(filter(None, KEYWORD.match(what).groups()))))
    return found


def without(schema, left):
    """The schema without these keywords; the alternatives of a oneOf stay."""
    schema = copy.deepcopy(schema)
    for place, keyword in left:
        at = schema
        for step in place.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            at = at[int(step) if isinstance(at, list) else step]
        value = at.pop(keyword)
        if keyword == "oneOf":
            at["anyOf"] = value
    return schema


class TestCase(harness.TestCase):
    @classmethod
    def prepare(cls):
        cls.bus.as_installed()
        cls.bus.config(f'backend = "{harness.BACKEND}"\n')

    def ask(self, path, body):
        with contextlib.closing(Connection(self.bus.path("runtime/llmd/llmd.sock"))) as connection:
            return connection.ask("POST", path, body)

    def chat(self, schema, **options):
        """(status, text or message, whether it has ended itself, notes)"""
        form = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema, **options}}
        status, headers, body = self.ask("/v1/chat/completions", {
            "model": PHONE, "temperature": 0, "max_tokens": 80, "messages": [{"role": "user", "content": WORDS}],
            "response_format": form})
        answer = json.loads(body)
        if status != 200:
            return status, answer["error"]["message"], False, []
        choice, = answer["choices"]
        self.texts.append(choice["message"]["content"])
        return status, choice["message"]["content"], choice["finish_reason"] == "stop", headers.get_all("x-llmd-note", [])
