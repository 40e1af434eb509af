"""record.py FILE.txt ...: plays the requests of recorded sessions to the real llmd, and writes what is answered into the files.

A session is one llmd with the demonstration models, tiny random ones and, where the file asks for it, a bigger machine, asked one
request after another. Lines of its file:

  # ...                a comment, kept as it is
  ! settings LINE      a line of llmd.toml; ! remote JSON: a bigger machine called "home" (fake_upstream.py)
  > METHOD PATH BODY   a request over HTTP, BODY as it is sent
  > bus METHOD (...)   a call over D-Bus, with arguments in GLib's text format; also a.b.c.Interface.METHOD
  > ctl ARGUMENTS      a command of llmctl, with a shell's quotes; `< TEXT` at its end is its standard input
  @{TEXT@N}            anywhere in a request: TEXT, N times
  < ...                what was answered: written by this program, compared by record_test.py
  ~ ...                what the bigger machine was asked meanwhile

What differs from run to run is masked (MASKS): ids, times, processes, sizes in memory. The CPU computes with the kernels that every
machine has, since the last digits of a log-probability depend on them."""
import json
import os
import re
import shlex
import subprocess
import sys

import harness
from chat_test import CHATML, NOBODYS
from harness import GLib, Gio, LIMIT_S, LLMCTL
from socket_test import Connection

# Which tokens are drafted depends on how long each step takes.
SETTINGS = 'backend = "cpu"\nthreads = 1\nspeculation = false\n'
REQUEST_INTERFACE = harness.NAME + ".Request"
SIGNATURES = {
    "Generate": "(sa{sv})", "Stream": "(sa{sv})", "Chat": "(aa{sv}a{sv})", "StreamChat": "(aa{sv}a{sv})", "Embed": "(asa{sv})",
    "Cancel": "(o)", "ListModels": "(a{sv})", "Tokenize": "(sa{sv})", "Detokenize": "(aua{sv})", "GetStatus": "(a{sv})",
    "Admin.LoadModel": "(sa{sv})", "Admin.UnloadModel": "(a{sv})", "Admin.Reload": "()", "Admin.ListRequests": "()",
    "Admin.CancelAll": "()", "org.freedesktop.DBus.Properties.Get": "(ss)", "org.freedesktop.DBus.Properties.GetAll": "(s)",
    "org.freedesktop.DBus.Introspectable.Introspect": "()",
}

REPEATED = re.compile(r"@\{(.*?)@(\d+)\}")
INDEX = re.compile(r'"choices":\[\{"(?:text":"(?:[^"\\]|\\.)*","index|index)":(\d+)')
# A number of JSON or of GLib's text format, with the type that the latter may have.
NUMBER = r"(?:u?int\d\d )?-?\d[\d.e+-]*"
BUSY = "Processor "  # `llmctl status` tells of other programs
# Figures of this run or of this machine, by their keys.
FIGURES = ("created", "created_at", "completed_at", "modified_at", "expires_at", r"\w+_ms", r"\w+_duration", r"\w+_per_second", r"\w+_us", r"\w+_tps",
           r"\w+_ms_\w+", r"decode_tps_\w+", "since_s", "idle_s", "last_use_s", "pid", "engine_pid", "memory_bytes",
           "size_vram")
WORDS = ("device", "driver", "sandbox", "memory", "memory_state", "heat", "power", "path", "model_path", "modified_at", "created_at",
         "expires_at", "digest", "build_info", "version")
MASKS = [
    (re.compile(rf"(['\"](?:{'|'.join(FIGURES)})['\"]: ?<?){NUMBER}"), r"\1N"),
    (re.compile(rf"(\"(?:{'|'.join(WORDS)})\": ?)\"(?:[^\"\\]|\\.)+\""), r'\1"…"'),
    (re.compile(rf"('(?:{'|'.join(WORDS)})': <)(?:'(?:[^'\\]|\\.)+'|\"(?:[^\"\\]|\\.)+\")"), r"\1'…'"),
    (re.compile(r"\b(chatcmpl|cmpl|embd)-[\w-]+"), r"\1-ID"),
    (re.compile(r"\b(resp|msg|rs|fc|call)_[0-9A-Za-z_]*\d[0-9A-Za-z_]*"), r"\1_ID"),
    (re.compile(r"/request/\d+_\d+/"), "/request/SENDER/"),
    (re.compile(rf'("size":){NUMBER}(,(?:"parent_model|[^{{}}]*{{[^{{}}]*}},"size_vram"))'), r"\1N\2"),
    (re.compile(r"^((?:out\| )?(?:Device|Sandbox) +).*"), r"\1…"),
    (re.compile(r", \d+\.\d MB(?=, \d+ of \d+ slots)"), ", N MB"),
    (re.compile(r"idle for [^;,]*"), "idle for N"),
    (re.compile(r"(?<= )[\d.]+ (ms|s|tokens/s) on average"), r"N \1 on average"),
    (re.compile(r"(?<= token after )[\d.]+ m?s"), "N ms"),
    (re.compile(r"device=\"[^\"]*\""), 'device="…"'),
    (re.compile(r"^(llmd_(?:engine_memory_bytes|\w+_seconds|\w+_per_second)(?:\{.*\}|_sum) )(?!0$).*"), r"\1N"),
    (re.compile(r"(\"cache_salt\": )\"[0-9a-f]+\""), r"\1\"…\""),  # of this installation
    (re.compile(r"http://127\.0\.0\.1:\d+|127\.0\.0\.1:\d+"), "ADDRESS"),
]
# Where the request has none it is drawn.
SEED = re.compile(r"(['\"]seed['\"]: ?<?(?:uint64 )?)\d+")


def masked(text, folder):
    for mask, instead in MASKS:
        text = mask.sub(instead, text)
    return text.replace(folder, "FOLDER").replace(harness.SOURCE, "SOURCE")


def lines_of(text):
    return text.removesuffix("\n").split("\n")


def by_choice(lines):
    """The events of a stream with several choices, those of each together: which comes first depends on what else the machine does."""
    def choice(line):
        index = line.startswith("data: ") and INDEX.search(line)
        return int(index[1]) if index else None

    first = next((i for i, line in enumerate(lines) if choice(line) is not None), len(lines))
    last = next((i for i in range(len(lines), first, -1) if choice(lines[i - 1]) is not None), first)
    return lines[:first] + sorted(lines[first:last], key=lambda line: choice(line) or 0) + lines[last:]


class Player:
    """One session."""

    def __init__(self, lines):
        self.bus = harness.PrivateBus()
        self.bus.environment["LLMD_CPU_KERNELS"] = "baseline"
        self.upstream = None
        settings = SETTINGS
        for line in lines:
            kind, _, rest = line.partition(" ")[2].partition(" ")
            if line.startswith("! settings"):
                settings += rest + "\n"
            elif line.startswith("! remote"):
                import fake_upstream
                self.upstream = fake_upstream.FakeUpstream(json.loads(rest)).start()
                settings += f'[[remote]]\nname = "home"\nurl = "{self.upstream.url}"\napps = ["host"]\nmodels = ["tales"]\n'
            elif line.startswith("!"):
                raise ValueError(f"{line}: {kind} is neither settings nor remote")
        self.bus.config(settings)
        self.write_models()
        self.daemon = harness.Daemon(self.bus)
        self.client = self.bus.connect()

    def write_models(self):
        for name, template in (("chatml", CHATML), ("nobodys", NOBODYS)):
            self.bus.write_chat_model(name, template)
        self.bus.write_tiny_model("gemma3")
        with open(self.bus.path("data/llmd/models/broken.gguf"), "w") as file:
            file.write("garbage")

    def close(self):
        self.daemon.stop()
        self.bus.close()
        if self.upstream:
            self.upstream.stop()

    def answer(self, request):
        """The lines that a request is answered with, masked."""
        verb, _, rest = REPEATED.sub(lambda match: match[1] * int(match[2]), request).partition(" ")
        n_calls = len(self.upstream.calls) if self.upstream else 0
        lines = self.bus_call(rest) if verb == "bus" else self.command(rest) if verb == "ctl" else self.http(verb, rest)
        lines = ["< " + masked(line, self.bus.folder) for line in lines]
        if self.upstream:
            lines += ["~ " + masked(call, self.bus.folder) for call in self.upstream_calls(n_calls)]
        return [line.rstrip() if "seed" in request else SEED.sub(r"\1RANDOM", line.rstrip()) for line in lines]

    def upstream_calls(self, first):
        return sorted(f"{call.method} {call.path} {json.dumps(call.body, ensure_ascii=False)}" for call in self.upstream.calls[first:])

    def http(self, method, rest):
        path, _, body = rest.partition(" ")
        connection = Connection(self.bus.path("runtime/llmd/llmd.sock"))
        try:
            connection.request(method, path, body.encode() if body else None)
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        headers = "".join(f", {name}: {response.headers[name]}" for name in ("Allow", "Retry-After") if name in response.headers)
        yield f"{response.status} {response.headers['Content-Type']}{headers}"
        yield from by_choice(list(filter(None, text.split("\n"))))

    def bus_call(self, rest):
        name, _, arguments = rest.partition(" ")
        interface, _, method = name.rpartition(".")
        if not interface or interface == "Admin":
            interface = harness.NAME + ("." + interface if interface else "")
        value = GLib.Variant.parse(GLib.VariantType(SIGNATURES[name]), arguments or "()", None, None)
        try:
            reply, fds = self.client.connection.call_with_unix_fd_list_sync(
                harness.NAME, harness.ROOT, interface, method, value, None, Gio.DBusCallFlags.NONE, LIMIT_S * 1000, None, None)
        except GLib.Error as error:
            yield ": ".join(harness.parts_of(error))
            return
        if method == "Introspect":
            yield from reply.unpack()[0].split("\n")
        else:
            yield reply.print_(True)
        if method in ("Stream", "StreamChat"):
            path, index = reply.unpack()
            text = harness.read_all(fds.get(index)).decode()
            yield from lines_of(text)
            status, error_name, message, _ = self.client.wait_finished(path)
            tokens = "".join(self.client.tokens.get(path, []))
            yield f"Finished {status} {error_name} {message} {tokens}".rstrip()

    def command(self, rest):
        command, _, text = rest.partition(" < ")
        done = subprocess.run([LLMCTL, *shlex.split(command)], input=text.encode(), env=self.bus.environment, capture_output=True,
                              cwd=self.bus.folder, timeout=LIMIT_S)
        yield f"exit {done.returncode}"
        for stream, mark in ((done.stdout, "out"), (done.stderr, "err")):
            for line in lines_of(stream.decode()) if stream else []:
                if not line.startswith(BUSY):
                    yield f"{mark}| {line}"


def play(lines):
    """The lines of a session with the answers of now in place of those that stand there."""
    requests = [line for line in lines if line[:1] not in ("<", "~")]
    player = Player([line for line in requests if line.startswith("!")])
    played = []
    try:
        for line in requests:
            played.append(line)
            if line.startswith("> "):
                played += player.answer(line[2:])
    finally:
        player.close()
    return played


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            before = file.read().split("\n")[:-1]
        after = play(before)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(after) + "\n")
        n_requests = sum(line.startswith("> ") for line in after)
        print(f"{os.path.basename(path)}: {n_requests} requests, {sum(a != b for a, b in zip(before, after)) + abs(len(before) - len(after))} lines changed")


if __name__ == "__main__":
    main()
