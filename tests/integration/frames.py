"""Frames in Python (daemon/protocol/frame.h), so that a test can talk to llmd-remote, or an engine, in llmd's place.

A message is a dictionary. What is left out when one is sent is as C++ has it by default."""
import json
import os
import select
import socket
import struct
import subprocess
import time

# {message: [[field, kind, default], ...]} in the order of the types, as tests/support/describe_frames.cpp tells.
MESSAGES = json.loads(subprocess.run([os.path.join(os.environ["LLMD_BUILD"], "tests/support/describe_frames")], check=True,
                                     stdout=subprocess.PIPE).stdout)
REASONS = ("stop", "length", "tool_calls", "error")
TEXT, THINKING = range(2)  # AnswerPart.kind


def encode_fields(fields, values):
    out = b""
    for key, kind, default in fields:
        value = values.get(key, default)
        if isinstance(kind, list):
            out += struct.pack("<I", len(value or [])) + b"".join(encode_fields(kind, each) for each in value or [])
        elif kind[0] == "[":
            out += struct.pack("<I", len(value or [])) + b"".join(encode_one(kind[1:], each) for each in value or [])
        elif kind[0] == "?":
            out += b"\0" if value is None else b"\1" + encode_one(kind[1:], value)
        else:
            out += encode_one(kind, value)
    return out


def encode_one(kind, value):
    if kind == "s":
        data = (value or "").encode() if not isinstance(value, bytes) else value
        return struct.pack("<I", len(data)) + data
    return struct.pack("<" + kind, (value or 0) if kind == "f" else int(value or 0))


def encode(name, **values):
    body = bytes([list(MESSAGES).index(name)]) + encode_fields(MESSAGES[name], values)
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

    def fields(self, fields):
        values = {}
        for key, kind, _ in fields:
            if isinstance(kind, list):
                values[key] = [self.fields(kind) for _ in range(self.take("I"))]
            elif kind[0] == "[":
                values[key] = [self.take(kind[1:]) for _ in range(self.take("I"))]
            elif kind[0] == "?":
                values[key] = self.take(kind[1:]) if self.take("B") else None
            else:
                values[key] = self.take(kind)
        return values


def decode(frame):
    """(name, message) of the bytes after the length."""
    name = list(MESSAGES)[frame[0]]
    reader = Reader(frame[1:])
    values = reader.fields(MESSAGES[name])
    assert reader.at == len(frame) - 1, f"{name} has {len(frame) - 1 - reader.at} bytes more"
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
