"""What may go wrong at a bigger machine, and the name of the error that each has: one table, which is played before llmd-remote alone and
before the real llmd with all that asks it."""
import json
from dataclasses import dataclass, field

from remote_peer import MARKER

SCHEMA = json.dumps({"type": "object", "properties": {"hour": {"type": "integer"}}, "required": ["hour"], "additionalProperties": False})
# What a server sends that tells the prompt back.
ECHO = f"prompt: Once {MARKER} is not allowed"


@dataclass(frozen=True)
class Row:
    what: str
    api: str
    fault: dict  # of the fake upstream's script; it lasts
    error: str  # the name of the error
    script: dict = field(default_factory=dict)  # the rest of it
    settings: dict = field(default_factory=dict)  # of its [[remote]]
    request: dict = field(default_factory=dict)  # keys of Submit
    begins: bool = False  # a part of the text has come before
    retry_after: int = 0  # s, that the server asks for and llmd passes on; 0: llmd's own


def status(code, message="no", **more):
    return {"status": code, "body": {"error": {"message": message, "type": "x", "code": code}}, **more}


def row(what, api, fault, error, **more):
    return Row(what, api, dict(fault, times=-1), error, **more)


NEVER_AGAIN = {"resume_seconds": 0}
BUSY = {"error": {"error": {"object": "error", "message": "The request queue is full.", "code": 503}}, "done": True}
DIED = {"error": {"error": {"message": "died", "code": 500}}, "done": True}

ROWS = (
    row("401", "vllm", status(401), "RemoteRefused"),
    row("403", "vllm", status(403), "RemoteRefused"),
    row("404", "vllm", status(404), "ModelNotFound"),
    row("404 of the call", "openai", status(404, "Not Found"), "NotSupported"),
    row("400 context", "openai", status(400, "This model's maximum context length is 64 tokens."), "ContextExceeded"),
    row("400", "vllm", status(400), "InvalidArgument"),
    row("422 that tells the prompt back", "openai", status(422, ECHO), "InvalidArgument"),
    row("403 that tells the prompt back", "vllm", status(403, ECHO), "RemoteRefused"),
    row("502 that tells the prompt back", "openai", status(502, ECHO), "RemoteUnreachable"),
    row("a redirect", "vllm", {"redirect": "http://127.0.0.1:9/v1/completions"}, "RemoteRefused"),
    row("busy for long", "vllm", status(429, headers={"Retry-After": 100}), "QueueFull", retry_after=100),
    row("busy", "vllm", status(429, headers={"Retry-After": 0}), "QueueFull"),
    row("busy, 503", "llama-server", status(503, "server busy"), "QueueFull"),
    row("busy in a 200", "sglang", BUSY, "QueueFull"),
    row("loading", "openai", status(503, "Loading model"), "NotReady", settings={"first_token_seconds": 1}),
    row("no first token", "openai", {"silent": True}, "Timeout", settings={"first_token_seconds": 1}),
    row("a page", "vllm", {"html": True}, "RemoteLost"),
    row("gzip", "vllm", {"gzip": True}, "RemoteLost"),
    row("a large event", "vllm", {"event_bytes": 10 << 20}, "RemoteLost"),
    row("a large event", "llama-server", {"event_bytes": 10 << 20, "after": 3}, "RemoteLost", begins=True),
    row("an event above 1 MiB", "openai", {"event_bytes": 1 << 20, "after": 3}, "RemoteLost", begins=True),
    row("a negative id", "vllm", {"token_ids": [-5], "after": 3}, "RemoteLost", begins=True),
    row("a large id", "llama-server", {"token_ids": [1 << 40], "after": 3}, "RemoteLost", begins=True),
    row("more tokens than asked for", "vllm", {"extra_tokens": 1}, "RemoteLost", begins=True),
    row("more tokens than asked for", "sglang", {"extra_tokens": 1}, "RemoteLost", begins=True),
    row("no finish_reason", "exo", {"no_finish": True}, "RemoteLost", begins=True),
    row("another finish_reason", "openai", {"finish_reason": "content_filter"}, "RemoteLost", begins=True),
    row("no JSON", "vllm", {"raw": "data: {\"choices\": [\n\n"}, "RemoteLost"),
    row("cut", "vllm", {"cut": True, "after": 3}, "RemoteLost", settings=NEVER_AGAIN, begins=True),
    row("cut without ids", "exo", {"cut": True, "after": 3}, "RemoteLost", begins=True),
    row("cut with a schema", "vllm", {"cut": True, "after": 3}, "RemoteLost", request={"json_schema": SCHEMA}, begins=True),
    row("an error in a text", "exo", {**DIED, "after": 3}, "RemoteLost", begins=True),
    row("the schema is not obeyed", "vllm", {"schema": "ignore"}, "ConstraintFailed", request={"json_schema": SCHEMA}),
)
