"""The clients of the lane `soak`: applications that treat their requests badly, and what they find."""
import fcntl
import json
import os
import random
import select
import threading
import time

PRIORITIES = ("interactive", "normal", "background")
# How a request is treated, with weights.
WAYS = {"read": 8, "slow": 2, "late": 2, "generate": 2, "cancel": 3, "close": 2, "leave": 1}
WAYS_WITH_TOOLS = {"chat": 2, "stream_chat": 2, "http": 3}
WAYS_WITH_VECTORS = {"embed": 4}


class Findings:
    """What went wrong, and how much went well."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ended = {way: 0 for way in {**WAYS, **WAYS_WITH_TOOLS, **WAYS_WITH_VECTORS}}
        self.of_models = {}  # the same by model
        self.refused = 0
        self.lost = []
        self.changed = []

    def end(self, way, options):
        with self.lock:
            self.ended[way] += 1
            self.of_models[options["model"]] = self.of_models.get(options["model"], 0) + 1

    def lose(self, what):
        with self.lock:
            self.lost.append(what)
        print("LOST   ", what, flush=True)

    def change(self, what):
        with self.lock:
            self.changed.append(what)
        print("CHANGED", what, flush=True)


class Lines:
    """The text lines of a pipe. `last` is the object that is none, `at_end` that the pipe has ended; either ends read()."""

    def __init__(self, fd, limit_s):
        self.fd = fd
        self.limit_s = limit_s
        self.bytes = b""
        self.text = ""
        self.last = None
        self.at_end = False

    def read(self, n_lines=None, pause=0):
        """Adds at most so many lines to the text."""
        n = 0
        while not self.at_end and self.last is None and n != n_lines:
            line, newline, rest = self.bytes.partition(b"\n")
            if not newline:
                if not select.select([self.fd], [], [], self.limit_s)[0]:
                    raise TimeoutError(f"no text for {self.limit_s} s")
                more = os.read(self.fd, 4096)
                self.bytes += more
                self.at_end = not more
                continue
            self.bytes = rest
            line = json.loads(line)
            self.text += line.get("text", "")
            self.last = None if "text" in line else line
            n += 1
            time.sleep(pause)


def called(calls):
    """What calls say; their ids are of one answer."""
    return [(call["function"]["name"], call["function"]["arguments"]) for call in calls]


def streamed(events):
    """(text, calls, why it ended) of the events of a streamed chat completion, whose calls come in parts."""
    text, calls, reason = "", [], None
    for event in events:
        choice = event["choices"][0]
        text += choice["delta"].get("content") or ""
        for part in choice["delta"].get("tool_calls", []):
            if part["index"] == len(calls):
                calls.append([part["function"]["name"], ""])
            calls[part["index"]][1] += part["function"].get("arguments", "")
        reason = choice["finish_reason"] or reason
    return text, list(map(tuple, calls)), reason


class SoakClient:
    """One application: asks again and again, each time in another way. Its signals arrive in the main thread."""

    def __init__(self, number, soak):
        self.soak = soak
        self.number = number
        self.chance = random.Random(f"{soak.args.seed} {number}")
        self.client = soak.connect()
        self.serial = 0
        self.thread = threading.Thread(target=self.run)

    def run(self):
        soak = self.soak
        while not soak.over.is_set():
            soak.enter()
            try:
                if self.chance.random() < soak.remote_share:
                    self.ask(self.chance.choices(list(WAYS), WAYS.values())[0], soak.remote_texts)
                    continue
                way = self.chance.choices(list(soak.ways), soak.ways.values())[0]
                if way in WAYS_WITH_TOOLS:
                    self.converse(way)
                elif way in WAYS_WITH_VECTORS:
                    self.embed(way)
                else:
                    self.ask(way, soak.texts)
            except Exception as error:  # nothing may end the client before its time
                soak.findings.lose(f"client {self.number}: {type(error).__name__}: {error}")
            finally:
                soak.leave()

    def ask(self, way, texts):
        soak, harness = self.soak, self.soak.harness
        prompt, options, text = self.chance.choice(texts)
        options = dict(options, priority=self.chance.choice(PRIORITIES))
        try:
            if way == "generate":
                self.compare(way, self.client.generate(prompt, **options)[0], text, True)
                soak.findings.end(way, options)
                return
            self.serial += 1
            path, fd = self.client.stream(prompt, handle_token=f"s{self.serial}", **options)
        except harness.GLib.Error as error:
            return self.refused(way, *harness.parts_of(error))
        end = self.client.end_of(path)
        lines = Lines(fd, harness.LIMIT_S)
        if way == "leave":
            lines.read(self.chance.randint(0, 5))
            self.client.close()
            self.client = soak.connect()
        elif way == "close":
            lines.read(self.chance.randint(0, 20))
        elif way == "cancel":
            lines.read(self.chance.randint(0, 30))
            self.cancel(path)
            lines.read()
        elif way == "read":
            lines.read()
        else:
            # One page, so that the end of the text waits in llmd.
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 4096)
            if way == "late":
                soak.over.wait(self.chance.uniform(0, 2))
            lines.read(pause=self.chance.uniform(0, 0.01) if way == "slow" else 0)
        os.close(fd)
        if way not in ("leave", "close"):
            self.check(way, path, lines, text)
        if way == "leave":
            soak.findings.end(way, options)  # nobody is left who could receive Finished
        elif end.wait(harness.LIMIT_S):
            soak.findings.end(way, options)
        else:
            soak.findings.lose(f"{way}: {path}: no Finished")

    def refused(self, way, name, message):
        findings = self.soak.findings
        if name not in ("QueueFull", "RateLimited"):
            findings.lose(f"{way}: refused with {name}: {message}")
        with findings.lock:
            findings.refused += 1

    def converse(self, way):
        """One answer with tools: its text, its calls and the reason for its end."""
        soak = self.soak
        messages, options, answer = self.chance.choice(soak.chats)
        options = dict(options, priority=self.chance.choice(PRIORITIES))
        try:
            got = getattr(self, way)(messages, options)
        except soak.harness.GLib.Error as error:
            return self.refused(way, *soak.harness.parts_of(error))
        if got is None:
            return
        soak.findings.end(way, options)
        if got != answer:
            soak.findings.change(f"{way}: tools, {options['tool_choice']}: {len(got[0])} characters, {len(got[1])} calls, {got[2]} "
                                 f"where {len(answer[0])}, {len(answer[1])}, {answer[2]} came alone")

    def embed(self, way):
        """Some inputs, of which each has the vector that it has alone."""
        soak = self.soak
        chosen = self.chance.sample(soak.vectors, self.chance.randint(1, len(soak.vectors)))
        options = {"model": soak.embedder, "priority": self.chance.choice(PRIORITIES)}
        try:
            got = soak.embed(self.client, [text for text, _ in chosen], options)
        except soak.harness.GLib.Error as error:
            return self.refused(way, *soak.harness.parts_of(error))
        soak.findings.end(way, options)
        if got != [vector for _, vector in chosen]:
            soak.findings.change(f"{way}: {len(chosen)} inputs have other vectors than alone")

    def chat(self, messages, options):
        return self.soak.chat(self.client, messages, options)

    def stream_chat(self, messages, options):
        harness = self.soak.harness
        reply, fds = self.client.connection.call_with_unix_fd_list_sync(
            harness.NAME, harness.ROOT, harness.NAME, "StreamChat", self.soak.arguments(messages, options),
            harness.GLib.VariantType("(oh)"), harness.Gio.DBusCallFlags.NONE, harness.LIMIT_S * 1000, None, None)
        path, index = reply.unpack()
        end = self.client.end_of(path)
        *lines, last = map(json.loads, harness.read_all(fds.get(index)).splitlines())
        if not end.wait(harness.LIMIT_S):
            self.soak.findings.lose(f"stream_chat: {path}: no Finished")
        if "error" in last:
            return self.soak.findings.lose(f"stream_chat: {path}: {last['error']}")
        calls = [(line["tool_call"]["name"], line["tool_call"]["arguments"]) for line in lines if "tool_call" in line]
        return "".join(line.get("text", "") for line in lines), calls, last["finish_reason"]

    def http(self, messages, options):
        """Server-sent events."""
        soak = self.soak
        connection = soak.socket_test.Connection(soak.bus.path("runtime/llmd/llmd.sock"))
        status, _, body = connection.ask("POST", "/v1/chat/completions", dict(options, messages=messages, stream=True))
        connection.close()
        if status != 200:
            return self.refused("http", "RateLimited" if status in (429, 503) else str(status), body.decode())
        *events, done = soak.socket_test.events(body)
        events = [json.loads(event) for event in events]
        for event in events:
            if "error" in event:
                return soak.findings.lose(f"http: {event['error']}")
        answer = streamed(events)
        if done != "[DONE]" or answer[2] is None:
            return soak.findings.lose("http: the stream has no end")
        return answer

    def cancel(self, path):
        try:
            self.client.call("Cancel", self.soak.harness.GLib.Variant("(o)", (path,)))
        except self.soak.harness.GLib.Error as error:
            if self.soak.harness.parts_of(error)[0] != "NotFound":  # it has just ended
                raise

    def check(self, way, path, lines, text):
        last = lines.last
        if last is None:
            self.soak.findings.lose(f"{way}: {path}: the pipe has no last line")
        elif "error" in last:
            self.soak.findings.lose(f"{way}: {path}: {last['error']}")
        else:
            complete = last["finish_reason"] in ("length", "stop")
            if not complete and way != "cancel":
                self.soak.findings.lose(f"{way}: {path}: ended with {last['finish_reason']}")
            self.compare(way, lines.text, text, complete)

    def compare(self, way, got, text, complete):
        findings = self.soak.findings
        if got != text if complete else not text.startswith(got):
            findings.change(f"{way}: {len(got)} characters differ from the {len(text)} made alone")
