#!/usr/bin/python3
"""A machine that plays vLLM, SGLang, llama-server, Ollama, exo, mlx or a plain server of OpenAI's form, and fails as it is told.

usage: fake_upstream.py SCRIPT.json [--unix PATH | --port N] [--tls CERTIFICATE.pem KEY.pem] [--record FILE]

prints the URL as soon as it listens, and with --record a line of JSON in FILE for every call when that has ended; SIGTERM ends it.
In a test: `with FakeUpstream({"api": "vllm"}) as upstream:`, then upstream.url, upstream.calls. The script, every key optional:

  api            vllm | sglang | llama-server | ollama | exo | mlx | openai (the default)
  recorded       a file of tests/data/upstream: a call gets the next answer to its path there, and the last one again and again
  models         names (["tales"]); more_models: so many more are listed; serves_unlisted: any name is served
  tokenizes_texts_only  true: SGLang's tokenizer, as it was before it took conversations
  n_ctx          4096; version; slots (llama-server's); capabilities, cloud {name: host} (Ollama's); priorities (vLLM's)
  router         {name: status}: llama-server as a router
  embeddings     true: it was started for them
  key            the bearer token that is asked for
  ends_at        the model ends a text when prompt and answer have so many ids
  token_ms       between tokens; ping_ms: between comments, in place of the engine's own seconds
  loading        so many calls, whatever their path, are answered 503 Loading first
  faults         a list. A call takes the first whose `path` is its own (without one: a call that generates) and whose `times`
                 (1; -1: always) are not used up. What it may say, before anything is answered:
      delay_ms, hold    waits; `hold`: until FakeUpstream.release()
      drop, reset       the connection is closed without an answer, or reset
      silent            nothing is ever answered
      status, body, headers, type     this in place of an answer; `html`: 200 and a page; `redirect`: 302 to this address
      gzip              the answer is compressed, whatever was accepted
    of the text (fake_openai.py):
      extra_tokens, finish_reason, usage {..: ..}, thinks "text", schema "ignore", echo "text" (of the prefill, say), cached
      token_ids [n]     in place of the id of the token after `after`
    and after `after` tokens (0) of a streamed text:
      cut, cut_reset    the end of the connection, orderly or not; `cut_clean`: the end of the answer, without a finish_reason
      hang              nothing more comes; `ping`: but comments; `stall`: until FakeUpstream.release()
      error {...}       this event, and `done`: [DONE] after it
      event_bytes n     an event of so many bytes; `raw` "text": this, as it is
    of the form of the stream:
      chunk n           in pieces of n bytes; `crlf`: lines end so; no_finish, no_done, no_usage: without these events

What a machine does when it dies and comes back: stop(), start() (the same address)."""
import argparse
import base64
import contextlib
import gzip
import hashlib
import http.server
import json
import os
import select
import signal
import socket
import socketserver
import ssl
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field

import fake_recordings
from fake_engines import ENGINES
from fake_openai import Call, Refusal, Reply

IN_STREAM = ("cut", "cut_reset", "cut_clean", "hang", "ping", "stall", "error", "event_bytes", "raw")
GENERATES = ("/completions", "/completion", "/chat/completions", "/api/generate", "/api/chat", "/generate")
PAGE = b"<!DOCTYPE html><html><body>Please sign in to this network.</body></html>"
HOLD_LIMIT_S = 300  # only a test that forgot to release reaches it


@dataclass
class Record:
    """A call, as it came, and what became of it."""
    method: str
    path: str
    headers: dict
    body: object
    fault: dict = field(default_factory=dict)
    status: int = 0
    tokens: int = 0  # that were written
    left: bool = False  # the caller closed before the end

    def unsent(self, parameters):
        """The sampling parameters that the caller left to the server."""
        sent = set(self.body) | set(self.body.get("options", {}))
        if "max_completion_tokens" in sent:
            sent.add("max_tokens")
        return sorted(set(parameters) - sent)


class Cut(Exception):
    """The connection ends here."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        if self.server.upstream.tls:
            self.request.settimeout(30)
            self.request = self.server.upstream.tls.wrap_socket(self.request, server_side=True)
            self.request.settimeout(None)
            self.server.connections.add(self.request)  # which owns the descriptor now
        if self.server.address_family == socket.AF_UNIX:
            self.disable_nagle_algorithm = False
            self.client_address = ("unix", 0)
        super().setup()

    def finish(self):
        super().finish()
        if isinstance(self.request, ssl.SSLSocket):
            self.server.connections.discard(self.request)
            self.request.close()

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer()

    do_POST = do_PUT = do_DELETE = do_HEAD = do_GET

    def answer(self):
        upstream = self.server.upstream
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            body = raw.decode(errors="replace")
        path = self.path.split("?")[0]
        self.record = Record(self.command, path, dict(self.headers.items()), body)
        with upstream.changed:
            self.record.fault = fault = upstream.take_fault(path)
            upstream.calls.append(self.record)
            upstream.changed.notify_all()
        try:
            self.before(fault)
            self.write_reply(upstream.reply(self.record), fault)
        except Cut:
            self.close_connection = True
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            self.record.left = True
            self.close_connection = True
        finally:
            upstream.ended(self.record)

    def before(self, fault):
        time.sleep(fault.get("delay_ms", 0) / 1000)
        if fault.get("hold"):
            self.wait_released()
        if fault.get("reset"):
            self.reset()
        if fault.get("drop"):
            raise Cut
        if fault.get("silent"):
            self.hang()
        if "html" in fault:
            raise_reply = Reply(PAGE, 200, type="text/html")
        elif "redirect" in fault:
            raise_reply = Reply(b"", fault.get("status", 302), {"Location": fault["redirect"]})
        elif "status" in fault:
            raise_reply = Reply(fault.get("body", {"error": {"message": "scripted", "type": "scripted", "code": fault["status"]}}),
                                fault["status"], fault.get("headers", {}), type=fault.get("type", "application/json"))
        else:
            return
        self.write_reply(raise_reply, fault)
        raise Cut

    def reset(self):
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.rfile.close()
        self.request.close()
        raise Cut

    def wait_released(self):
        """Until the test says so, or the caller has left."""
        upstream = self.server.upstream
        deadline = time.monotonic() + HOLD_LIMIT_S
        while not upstream.released.wait(0.02):
            self.look_for_end()
            if time.monotonic() > deadline:
                raise Cut

    def look_for_end(self):
        """Ends the call when the caller has closed, or the machine is stopped."""
        if self.server.upstream.stopping.is_set():
            raise Cut
        if select.select([self.request], [], [], 0)[0] and not self.has_bytes():
            self.record.left = True
            raise Cut

    def has_bytes(self):
        try:
            if isinstance(self.request, ssl.SSLSocket):
                self.request.settimeout(0.01)
                try:
                    return bool(self.request.recv(1))
                finally:
                    self.request.settimeout(None)
            return bool(self.request.recv(1, socket.MSG_PEEK))
        except (ssl.SSLWantReadError, TimeoutError):
            return True
        except OSError:
            return False

    def hang(self, ping_s=None):
        due = time.monotonic()
        while True:
            self.server.upstream.stopping.wait(0.02)
            self.look_for_end()
            if ping_s is not None and time.monotonic() >= due:
                self.write_chunk(b": ping\n\n")
                due += ping_s

    def write_reply(self, reply, fault):
        self.record.status = reply.status
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        squeeze = gzip.compress if fault.get("gzip") else bytes
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.type)
        if fault.get("gzip"):
            self.send_header("Content-Encoding", "gzip")
        for name, value in reply.headers.items():
            self.send_header(name, str(value))
        if reply.events is None:
            self.send_header("Content-Length", str(len(squeeze(body))))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(squeeze(body))
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        events = self.server.upstream.spoil(reply.events, fault, self)
        if fault.get("gzip"):
            events = [gzip.compress(b"".join(events))]
        for data in events:
            self.write_chunk(data.replace(b"\n", b"\r\n") if fault.get("crlf") else data, fault.get("chunk"))
        self.wfile.write(b"0\r\n\r\n")

    def write_chunk(self, data, size=None):
        for at in range(0, len(data), size or len(data) or 1):
            piece = data[at:at + (size or len(data))]
            self.wfile.write(b"%x\r\n" % len(piece) + piece + b"\r\n")
            self.wfile.flush()


class Listener(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, upstream, address, family):
        self.upstream, self.address_family = upstream, family
        self.connections = set()
        super().__init__(address, Handler)

    def server_bind(self):
        if self.address_family == socket.AF_UNIX:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.server_address)
            self.socket.bind(self.server_address)
        else:
            super().server_bind()

    def process_request(self, request, client_address):
        self.connections.add(request)
        with self.upstream.changed:
            self.upstream.n_connections += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, *_):
        pass  # a caller that left, or does not like the certificate


class FakeUpstream:
    """Listens from start(), or the beginning of a `with`, on loopback or the Unix socket `unix`. Any thread."""

    def __init__(self, script=None, unix=None, port=0, tls=None, record=None):
        self.unix, self.port, self.record_path = unix, port, record
        self.changed = threading.Condition()
        self.calls = []  # Record, in the order of arrival
        self.n_connections = 0
        self.stopping, self.released = threading.Event(), threading.Event()
        self.tls = None
        self.use_certificate(tls)
        self.play(script or {})
        self.listener = None

    def play(self, script):
        """Another script from now on: another engine or model at the same address, if need be."""
        self.script = json.loads(json.dumps(script))
        self.engine = ENGINES[self.script.get("api", "openai")](self.script)
        self.loading = self.script.get("loading", 0)
        self.faults = [dict(fault, times=fault.get("times", 1)) for fault in self.script.get("faults", [])]
        self.recorded = {}
        for exchange in fake_recordings.read(self.script["recorded"]) if "recorded" in self.script else []:
            self.recorded.setdefault((exchange.method, exchange.path), []).append(exchange)
        unknown = set(self.script) - {"api", "recorded", "models", "more_models", "serves_unlisted", "n_ctx", "version", "slots", "capabilities",
                                      "cloud", "priorities", "router", "embeddings", "key", "ends_at", "token_ms", "ping_ms",
                                      "loading", "faults", "tokenizes_texts_only"}
        if unknown:
            raise ValueError(f"a script has no {sorted(unknown)}")

    def use_certificate(self, pair):
        """(certificate, key) of the connections from now on; None: plain HTTP."""
        self.tls = None
        if pair:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(*pair)

    def start(self):
        self.stopping.clear()
        address = self.unix or ("127.0.0.1", self.port)
        self.listener = Listener(self, address, socket.AF_UNIX if self.unix else socket.AF_INET)
        if not self.unix:
            self.port = self.listener.server_address[1]
        self.thread = threading.Thread(target=self.listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        return self

    def stop(self):
        """Dies: nobody listens, and all connections are cut."""
        self.stopping.set()
        self.listener.shutdown()
        self.listener.server_close()
        for connection in list(self.listener.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.thread.join()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    @property
    def url(self):
        return f"unix:{self.unix}" if self.unix else f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    def release(self):
        self.released.set()

    def wait(self, condition, limit_s=60):
        """Until condition(self) holds; it is looked at when a call begins, has a token or ends."""
        with self.changed:
            if not self.changed.wait_for(lambda: condition(self), limit_s):
                raise AssertionError(f"still waiting after {limit_s} s; calls: {[(c.path, c.status) for c in self.calls]}")

    def generations(self):
        """The calls that asked for texts."""
        return [call for call in self.calls if call.path.endswith(GENERATES)]

    def ended(self, record):
        with self.changed:
            if self.record_path:
                with open(self.record_path, "a") as file:
                    file.write(json.dumps(record.__dict__) + "\n")
            self.changed.notify_all()

    # --- for the handler ---

    def take_fault(self, path):
        for fault in self.faults:
            wanted = fault.get("path")
            if fault["times"] and (path.endswith(GENERATES) if wanted is None else wanted in (path, "*")):
                fault["times"] -= 1
                return fault
        return {}

    def reply(self, record):
        if recorded := self.recorded.get((record.method, record.path)):
            exchange = recorded.pop(0) if len(recorded) > 1 else recorded[0]
            return Reply(exchange.answer, exchange.status, type=exchange.type)
        if self.loading:
            self.loading -= 1
            return Reply(self.engine.error(503, "unavailable_error", "Loading model"), 503)
        key, open_paths = self.script.get("key"), self.engine.open_paths
        if key and open_paths is not None and record.path not in open_paths and record.headers.get("Authorization") != f"Bearer {key}":
            return self.engine.unauthorized()
        route = self.engine.routes().get((record.method, record.path))
        if not route:
            return Reply(self.engine.error(404, "Not Found", "Not Found"), 404)
        try:
            return route(Call(record.path, record.body, record.fault))
        except Refusal as refusal:
            return refusal.reply

    def spoil(self, events, fault, handler):
        """The bytes of a stream, with what the fault does to it."""
        n, after = 0, fault.get("after", 0)
        acts = any(name in fault for name in IN_STREAM)
        pause_s = self.script.get("token_ms", 0) / 1000
        if getattr(self.engine, "pings_at_once", False):
            yield b": ping\n\n"
        for kind, data in events:
            if acts and n >= after and kind in ("token", "last", "finish"):
                acts = False
                yield from self.act(fault, handler)
                if fault.keys() & {"error", "cut_clean"}:
                    return
            if f"no_{kind}" in fault:
                continue
            if kind in ("token", "last"):
                n += 1
                if pause_s:
                    self.stopping.wait(pause_s)
                    handler.look_for_end()
            yield data
            with self.changed:
                handler.record.tokens = n
                self.changed.notify_all()

    def act(self, fault, handler):
        if "event_bytes" in fault:
            frame = json.dumps({"choices": [{"index": 0, "text": "", "finish_reason": None}]}).encode()
            yield b"data: " + frame.replace(b'""', b'"' + b"x" * fault["event_bytes"] + b'"') + b"\n\n"
        if "raw" in fault:
            yield fault["raw"].encode("utf-8", "surrogateescape")
        if "error" in fault:
            yield from (data for _kind, data in self.engine.error_events(fault["error"], fault.get("done")))
        if fault.get("cut_reset"):
            handler.reset()
        if fault.get("cut"):
            raise Cut
        if fault.get("stall"):
            handler.wait_released()
        if fault.get("hang") or fault.get("ping"):
            ping_ms = self.script.get("ping_ms", (self.engine.pings or 30) * 1000)
            handler.hang(ping_ms / 1000 if fault.get("ping") else None)


# --- Certificates ----------------------------------------------------------------------------------------------------

def openssl(*arguments, given=None):
    return subprocess.run(["openssl", *arguments], input=given, check=True, capture_output=True, text=True).stdout


def make_certificate(folder, name="127.0.0.1", valid_s=86400, begins_s=-3600):
    """(certificate, key): self-signed, for this name or address, valid from and for so many seconds."""
    stem = os.path.join(folder, f"{name}-{valid_s}-{begins_s}")
    certificate, key, database, config = (f"{stem}{end}" for end in (".pem", ".key", ".db", ".cnf"))
    kind = "IP" if name.replace(".", "").isdigit() else "DNS"
    with open(config, "w") as file:
        file.write(f"[ca]\ndefault_ca=c\n[c]\ndatabase={database}\nnew_certs_dir={folder}\ndefault_md=sha256\npolicy=p\nunique_subject=no\n"
                   f"rand_serial=yes\n[p]\ncommonName=supplied\n[x]\nsubjectAltName={kind}:{name}\nbasicConstraints=critical,CA:true\n")
    open(database, "w").close()
    openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
            "-keyout", key, "-out", stem + ".csr")
    times = [time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + s)) for s in (begins_s, valid_s)]
    # Not `req -x509`, which counts in days before OpenSSL 3.4.
    openssl("ca", "-batch", "-notext", "-selfsign", "-config", config, "-extensions", "x", "-keyfile", key, "-in", stem + ".csr",
            "-startdate", times[0], "-enddate", times[1], "-out", certificate)
    return certificate, key


def pin_of(certificate):
    """sha256//BASE64 of its public key, as curl and [[remote]] write it. A file, or what one holds."""
    given = certificate
    if "\n" not in certificate:
        with open(certificate) as file:
            given = file.read()
    lines = openssl("x509", "-noout", "-pubkey", given=given).splitlines()
    key = base64.b64decode("".join(line for line in lines if not line.startswith("-----")))
    return "sha256//" + base64.b64encode(hashlib.sha256(key).digest()).decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script")
    parser.add_argument("--unix")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls", nargs=2)
    parser.add_argument("--record")
    args = parser.parse_args()
    with open(args.script) as file:
        script = json.load(file)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    with FakeUpstream(script, args.unix, args.port, args.tls, args.record) as upstream:
        print(upstream.url, flush=True)
        signal.sigwait({signal.SIGTERM, signal.SIGINT})
    return 0


if __name__ == "__main__":
    sys.exit(main())
