"""Frames in Python (daemon/protocol/frame.h), so that a test can talk to llmd-remote, or an engine, in llmd's place.

A message is a dictionary. What is left out when one is sent is 0 or empty, but for what a C++ default makes otherwise."""
import os
import select
import socket
import struct
import subprocess
import time

# Letters of struct, s: bytes, [x: a list of x, {Name}: a list of these. Fields in the order of daemon/protocol/fields.h.
FIELDS = {
    "ToolCall": "id:s name:s arguments:s",
    "ChatMessage": "role:B content:s thinking:s tool_calls:{ToolCall} tool_call_id:s tool_name:s",
    "AnswerPart": "kind:B text:s call:I",
    "TokenLogprob": "id:i logprob:f bytes:s",
    "TokenLogprobs": "id:i logprob:f bytes:s top:{TokenLogprob}",
    "Connect": "remote:s model:s",
    "Submit": "id:Q prompt:s max_tokens:I temperature:f top_k:I top_p:f min_p:f repeat_penalty:f presence_penalty:f frequency_penalty:f "
              "repeat_last_n:i logit_bias_ids:[i logit_biases:[f min_tokens:I ignore_eos:B stop_token_ids:[i seed:Q stops:[s replay_ids:[i "
              "delivered_bytes:Q cache_scope:s thinking:B tools:s tool_choice:B tool_name:s parallel_tool_calls:B bare_calls:B json_schema:s "
              "prompt_ids:[i wants_logprobs:B n_top_logprobs:I embeds:B messages:{ChatMessage}",
    "Start": "id:Q priority:B",
    "Cancel": "id:Q",
    "SetPaused": "id:Q paused:B",
    "Tokenize": "id:Q text:s add_special:B with_pieces:B",
    "Detokenize": "id:Q ids:[i",
    "PhaseChange": "phase:B budget_ms:I",
    "LoadProgress": "per_mille:I",
    "DeviceChosen": "backend:B device:s driver:s",
    "Usage": "id:Q prompt_tokens:I cached_tokens:I generated_tokens:I resumed:I",
    "Ready": "architecture:s quantization:s n_ctx:I n_vocab:I n_slots:I backend:B device:s driver:s precision:B profile:s notes:[s sandbox:s "
             "weight_bytes:Q kv_bytes:Q overhead_bytes:Q load_ms:I",
    "LoadFailed": "code:B message:s retry_after_s:I",
    "Accepted": "id:Q prompt_tokens:I notes:[s",
    "Refused": "id:Q code:B message:s prompt_tokens:I retry_after_s:I",
    "Started": "id:Q cached_tokens:I",
    "Tokens": "id:Q ids:[i parts:{AnswerPart} bytes:Q position:I logprobs:{TokenLogprobs}",
    "Finished": "id:Q reason:B code:B message:s parts:{AnswerPart} bytes:Q prefill_tokens:I prefill_us:Q decode_tokens:I decode_us:Q "
                "embedding:[f drafted_tokens:I accepted_tokens:I notes:[s",
    "Tokenized": "id:Q ids:[i pieces:[s",
    "Detokenized": "id:Q text:s",
    "Fault": "message:s",
}
# The types of frames: the order of protocol::Message. Those without fields above are not needed here.
MESSAGES = ["Load", "Submit", "Start", "Cancel", "SetPaused", "Tokenize", "PhaseChange", "LoadProgress", "Ready", "LoadFailed", "Accepted",
            "Refused", "Tokens", "Finished", "Tokenized", "Fault", "Inspection", "DropCache", "SetPace", "Started", "Pages", "DeviceChosen",
            "Detokenize", "Detokenized", "Render", "Rendered", "Connect", "Usage", "SetLease", "LeaseReleased"]
DEFAULTS = {"Submit": {"top_p": 1, "repeat_penalty": 1, "repeat_last_n": 64, "parallel_tool_calls": 1}, "Start": {"priority": 1}}
REASONS = ("stop", "length", "tool_calls", "error")
TEXT, THINKING = range(2)  # AnswerPart.kind


def encode_fields(name, values):
    out = b""
    for key, kind in (field.split(":") for field in FIELDS[name].split()):
        value = values.get(key, DEFAULTS.get(name, {}).get(key))
        if kind[0] in "[{":
            value = value or []
            out += struct.pack("<I", len(value))
            if kind[0] == "{":
                out += b"".join(encode_fields(kind[1:-1], each) for each in value)
            else:
                out += b"".join(encode_one(kind[1:], each) for each in value)
        else:
            out += encode_one(kind, value)
    return out


def encode_one(kind, value):
    if kind == "s":
        data = (value or "").encode() if not isinstance(value, bytes) else value
        return struct.pack("<I", len(data)) + data
    return struct.pack("<" + kind, value or 0)


def encode(name, **values):
    body = bytes([MESSAGES.index(name)]) + encode_fields(name, values)
    return struct.pack("<I", len(body)) + body


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, kind):
        if kind == "s":
            n = self.take("I")
            self.at += n
            return self.data[self.at - n:self.at].decode(errors="replace")
        size = struct.calcsize("<" + kind)
        self.at += size
        return struct.unpack_from("<" + kind, self.data, self.at - size)[0]

    def fields(self, name):
        values = {}
        for key, kind in (field.split(":") for field in FIELDS[name].split()):
            if kind[0] == "{":
                values[key] = [self.fields(kind[1:-1]) for _ in range(self.take("I"))]
            elif kind[0] == "[":
                values[key] = [self.take(kind[1:]) for _ in range(self.take("I"))]
            else:
                values[key] = self.take(kind)
        return values


def decode(frame):
    """(name, message) of the bytes after the length."""
    name = MESSAGES[frame[0]]
    reader = Reader(frame[1:])
    values = reader.fields(name) if name in FIELDS else {}
    assert name not in FIELDS or reader.at == len(frame) - 1, f"{name} has {len(frame) - 1 - reader.at} bytes more"
    return name, values


class Peer:
    """A program that speaks frames on the descriptor it is given, as llmd starts it. One thread at a time."""

    def __init__(self, command, environment=None, log=None):
        ours, theirs = socket.socketpair()
        self.socket = ours
        with theirs:
            self.process = subprocess.Popen([*command, "--socket-fd", str(theirs.fileno())], pass_fds=[theirs.fileno()], env=environment,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.bytes = b""

    def send(self, name, **values):
        self.socket.sendall(encode(name, **values))

    def receive(self, limit_s=300):
        """The next (name, message); ("End", {}) when the program is gone."""
        deadline = time.monotonic() + limit_s
        while True:
            if len(self.bytes) >= 4 and len(self.bytes) >= 4 + (size := struct.unpack_from("<I", self.bytes)[0]):
                frame, self.bytes = self.bytes[4:4 + size], self.bytes[4 + size:]
                return decode(frame)
            if not select.select([self.socket], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"no frame in {limit_s} s")
            try:
                more = self.socket.recv(1 << 16)
            except ConnectionResetError:
                more = b""
            if not more:
                return "End", {}
            self.bytes += more

    def expect(self, *names, limit_s=300):
        """The next message of one of these names; others are passed over, but the end is not."""
        while True:
            name, message = self.receive(limit_s)
            if name in names:
                return name, message
            assert name != "End", f"it ended, and {names} were expected"

    def close(self):
        self.socket.close()
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def error_names(source):
    """The names of base::ErrorCode in its order, read from daemon/base/error.h."""
    with open(os.path.join(source, "daemon", "base", "error.h")) as file:
        body = file.read().split("enum class ErrorCode", 1)[1].split("{", 1)[1].split("}", 1)[0]
    lines = (line.split("//")[0].strip() for line in body.splitlines())
    return [word.split("=")[0].strip() for line in lines for word in line.split(",") if word.strip()]
