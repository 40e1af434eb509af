"""What programs do over llmd's Unix socket, with the real engine: plain HTTP, and clients that misbehave."""
import contextlib
import datetime
import http.client
import json
import os
import re
import select
import signal
import socket
import sys
import time
import unittest

import harness
from bridge import Bridge
from harness import LIMIT_S, LLAMA, MARKER

PROMPT = f"Once upon a time {MARKER}"
GREEDY = {"prompt": PROMPT, "max_tokens": 24, "temperature": 0, "model": LLAMA}
# Never ends by itself within a test.
LONG = dict(GREEDY, max_tokens=400, stream=True)
MAX_PER_PROCESS = 96
MAX_PER_APPLICATION = 128  # all host programs are one
N_PER_CHILD = 64
UNFINISHED = b"POST /health HTTP/1.1\r\nHost: llmd\r\nContent-Length: 1\r\n\r\n"
MAX_INPUTS = 2048
# A tenth of what reading the largest bodies takes.
LEFT_BEHIND_KIB = 8 << 10


class Connection(http.client.HTTPConnection):
    """HTTP over the socket at `path`."""

    def __init__(self, path):
        super().__init__("llmd", timeout=LIMIT_S)
        self.path = path

    def connect(self):
        self.sock = connect(self.path)

    def ask(self, method, path, body=None):
        """(status, headers, body)"""
        self.request(method, path, json.dumps(body) if body is not None else None)
        response = self.getresponse()
        return response.status, response.headers, response.read()


def connect(path):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(LIMIT_S)
    client.connect(path)
    return client


def raw(body, path="/v1/completions"):
    data = json.dumps(body).encode()
    return f"POST {path} HTTP/1.1\r\nHost: llmd\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data


def read_until(client, end):
    data = b""
    while end not in data:
        part = client.recv(65536)
        assert part, f"the connection ended: {data!r}"
        data += part
    return data


def events(body):
    """What a stream of server-sent events carries; the last is "[DONE]"."""
    frames = body.decode().split("\n\n")
    assert frames.pop() == "" and all(frame.startswith("data: ") for frame in frames), body
    return [frame.removeprefix("data: ") for frame in frames]


class Socket(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.path = self.bus.path("runtime/llmd/llmd.sock")

    def http(self):
        connection = Connection(self.path)
        self.addCleanup(connection.close)
        return connection

    def complete(self, **changes):
        status, _, body = self.http().ask("POST", "/v1/completions", dict(GREEDY, **changes))
        self.assertEqual(status, 200, body)
        return json.loads(body)

    def refusal(self, body, path="/v1/completions"):
        status, headers, data = self.http().ask("POST", path, body)
        return status, headers, json.loads(data)["error"]

    def n_requests(self):
        status = self.client.status()
        return status["queued"] + status["active"]

    def wait_idle(self):
        self.client.wait(lambda: self.n_requests() == 0, "all requests to end")

    def test_a_completion_is_that_of_the_bus(self):
        text, info = self.client.generate(PROMPT, max_tokens=24, temperature=0.0, model=LLAMA)
        self.texts.append(text)
        answer = self.complete()
        choice = answer["choices"][0]
        self.assertEqual((choice["text"], choice["finish_reason"]), (text, "length"))
        self.assertEqual((answer["object"], answer["model"]), ("text_completion", LLAMA))
        usage = answer["usage"]
        self.assertEqual((usage["prompt_tokens"], usage["completion_tokens"]), (info["prompt_tokens"], 24))
        self.assertEqual(usage["total_tokens"], usage["prompt_tokens"] + 24)
        self.assertGreaterEqual(usage["prompt_tokens_details"]["cached_tokens"], 0)

    def test_a_stream_is_the_same_text(self):
        options = {"temperature": 0.8, "seed": 7, "echo": True}
        whole = self.complete(**options)
        status, headers, body = self.http().ask(
            "POST", "/v1/completions", dict(GREEDY, stream=True, stream_options={"include_usage": True}, **options))
        self.assertEqual((status, headers["Content-Type"]), (200, "text/event-stream"))
        frames = events(body)
        self.assertEqual(frames.pop(), "[DONE]")
        chunks = [json.loads(frame) for frame in frames]
        self.assertEqual((chunks[-1]["choices"], chunks[-1]["usage"]["completion_tokens"]), ([], 24))
        self.assertEqual([chunk["choices"][0]["finish_reason"] for chunk in chunks[:-1]],
                         [None] * (len(chunks) - 2) + ["length"])
        text = "".join(chunk["choices"][0]["text"] for chunk in chunks[:-1])
        self.assertEqual(text, whole["choices"][0]["text"])
        self.assertTrue(text.startswith(PROMPT))
        self.assertEqual(len({chunk["id"] for chunk in chunks}), 1)

    def test_several_choices_are_what_each_is_alone(self):
        """Prompts in an array and n answers to each: every choice has the text of a request of its own."""
        prompts = [PROMPT, f"{MARKER} was"]
        options = {"temperature": 0.8, "max_tokens": 12}
        alone = [self.complete(prompt=prompt, seed=seed, **options)["choices"][0]["text"]
                 for prompt in prompts for seed in (7, 8)]
        self.assertNotEqual(alone[0], alone[1])
        answer = self.complete(prompt=prompts, n=2, seed=7, **options)
        self.assertEqual([choice["index"] for choice in answer["choices"]], [0, 1, 2, 3])
        self.assertEqual([choice["text"] for choice in answer["choices"]], alone)
        self.assertEqual(answer["usage"]["completion_tokens"], 48)
        body = dict(GREEDY, prompt=prompts, n=2, seed=7, stream=True, stream_options={"include_usage": True}, **options)
        frames = events(self.http().ask("POST", "/v1/completions", body)[2])
        self.assertEqual(frames.pop(), "[DONE]")
        *chunks, last = map(json.loads, frames)
        texts = [""] * 4
        for chunk in chunks:
            texts[chunk["choices"][0]["index"]] += chunk["choices"][0]["text"]
        self.assertEqual(texts, alone)
        self.assertEqual(sum(chunk["choices"][0]["finish_reason"] == "length" for chunk in chunks), 4)
        # What has been cached meanwhile is another matter.
        for usage in last["usage"], answer["usage"]:
            del usage["prompt_tokens_details"]
        self.assertEqual(last["usage"], answer["usage"])

    def test_leaving_cancels_every_choice(self):
        self.client.load(LLAMA)
        client = connect(self.path)
        client.sendall(raw(dict(LONG, n=4)))
        self.client.wait(lambda: self.n_requests() == 4, "four requests to arrive")
        client.close()
        self.wait_idle()

    def test_stop_strings_never_show(self):
        word = self.complete()["choices"][0]["text"].split()[3]
        choice = self.complete(stop=[word])["choices"][0]
        self.assertEqual(choice["finish_reason"], "stop")
        self.assertNotIn(word, choice["text"])

    def test_models_and_health(self):
        connection = self.http()
        status, _, body = connection.ask("GET", "/v1/models")
        self.assertEqual(status, 200)
        self.assertIn(LLAMA, [model["id"] for model in json.loads(body)["data"]])
        status, _, one = connection.ask("GET", f"/v1/models/{LLAMA}")
        self.assertEqual(status, 200)
        self.assertIn(json.loads(one), json.loads(body)["data"])
        status, _, body = connection.ask("GET", "/v1/models/nobody")
        self.assertEqual((status, json.loads(body)["error"]["name"]), (404, "ModelNotFound"))
        status, _, body = connection.ask("GET", "/health")  # on the same connection
        self.assertEqual((status, json.loads(body)["status"]), (200, "ok"))
        status, _, body = connection.ask("HEAD", "/health")
        self.assertEqual((status, body), (200, b""))

    def json(self, method, path, body=None):
        connection = Connection(self.path)
        status, _, data = connection.ask(method, path, body)
        connection.close()
        self.assertEqual(status, 200, data)
        return json.loads(data)

    def test_what_ollama_tells_of_models(self):
        """A digest is that of the content: a copy has the same, a file that differs in one weight another."""
        with open(os.path.join(harness.MODELS, LLAMA + ".gguf"), "rb") as file:
            model = bytearray(file.read())
        names = {"alike": bytes(model)}
        model[-1] ^= 1
        names["other"] = bytes(model)
        for name, content in names.items():
            path = self.bus.path(f"data/llmd/models/{name}.gguf")
            with open(path, "wb") as file:
                file.write(content)
            self.addCleanup(os.unlink, path)
        tags = {one["model"]: one for one in self.json("GET", "/api/tags")["models"]}
        digest = tags[LLAMA]["digest"]
        self.assertRegex(digest, "^[0-9a-f]{64}$")
        self.assertEqual(tags["alike"]["digest"], digest)
        self.assertNotIn(digest, (tags["other"]["digest"], tags[harness.GPT2]["digest"]))
        self.assertRegex(tags[LLAMA]["details"]["parameter_size"], r"^1\d\.\d\dM$")

        show = self.json("POST", "/api/show", {"model": LLAMA + ":latest"})
        self.assertEqual((show["capabilities"], show["template"]), (["completion", "embedding"], ""))
        self.assertEqual(show["details"], tags[LLAMA]["details"])
        info = show["model_info"]
        self.assertEqual(info["general.architecture"], "llama")
        self.assertGreater(info["general.parameter_count"], 10_000_000)
        for figure in ("embedding_length", "block_count", "feed_forward_length", "attention.head_count"):
            self.assertGreater(info["llama." + figure], 0, figure)
        self.assertEqual(info["llama.context_length"], tags[LLAMA]["context_length"])

        loaded = self.json("POST", "/api/generate", {"model": LLAMA})
        self.assertEqual((loaded["done_reason"], loaded["response"]), ("load", ""))
        one, = (row for row in self.json("GET", "/api/ps")["models"] if row["model"] == LLAMA)  # others may be there too
        self.assertEqual((one["model"], one["digest"]), (LLAMA, digest))
        self.assertGreater(one["size"], 5_000_000)
        expected = time.time() + 30 * 60  # no battery is known here
        expires = datetime.datetime.fromisoformat(one["expires_at"].replace("Z", "+00:00")).timestamp()
        self.assertLess(abs(expires - expected), LIMIT_S)
        self.assertEqual(self.json("GET", "/props")["model_alias"], LLAMA)

    def test_a_wish_keeps_a_model_or_unloads_it(self):
        bridge = Bridge(self.bus.environment)
        self.addCleanup(bridge.stop)

        def generate(keep_alive, connect=self.http):
            connection = connect()
            connection.request("POST", "/api/generate", json.dumps({"model": LLAMA, "keep_alive": keep_alive}))
            answer = json.loads(connection.getresponse().read())
            connection.close()
            return answer["done_reason"]

        def rows():
            return [row for row in self.json("GET", "/api/ps")["models"] if row["model"] == LLAMA]

        def stays_s():
            one, = rows()
            return datetime.datetime.fromisoformat(one["expires_at"].replace("Z", "+00:00")).timestamp() - time.time()

        def is_gone():
            return not rows()
        self.client.wait(lambda: generate(0) == "unload" and is_gone(), "the model to be unloaded")
        self.assertEqual(generate("2h"), "load")
        self.assertLess(abs(stays_s() - 2 * 3600), LIMIT_S)
        self.assertEqual(generate(-1), "load")
        self.assertGreater(stays_s(), 20 * 365 * 24 * 3600)
        # A sandbox may neither pin a model nor end another's pin.
        self.assertEqual(generate(0, bridge.http), "unload")
        self.assertGreater(stays_s(), 20 * 365 * 24 * 3600)
        self.assertEqual(generate(-1, bridge.http), "load")
        self.assertEqual(generate(0), "unload")
        self.assertLess(abs(stays_s() - 30 * 60), LIMIT_S)
        self.assertEqual(generate(0, bridge.http), "unload")
        self.client.wait(is_gone, "the model to be unloaded")

    def test_a_prompt_that_a_conversation_becomes(self):
        chat = {"model": LLAMA, "messages": [{"role": "user", "content": PROMPT}]}
        self.assertEqual(self.json("POST", "/apply-template", chat), {"prompt": f"User: {PROMPT}\nAssistant:"})
        status, _, error = self.refusal({"model": LLAMA, "messages": []}, "/apply-template")
        self.assertEqual((status, error["param"]), (400, "messages"))

    def test_a_sandbox_sees_its_own_figures(self):
        bridge = Bridge(self.bus.environment)
        self.addCleanup(bridge.stop)

        def tell(path, connect=self.http):
            connection = connect()
            connection.request("GET", path)
            answer = connection.getresponse().read()
            connection.close()
            return answer
        self.complete(max_tokens=2)
        whole, own = json.loads(tell("/status")), json.loads(tell("/status", bridge.http))
        self.assertEqual(whole.keys(), own.keys())
        self.assertGreater(whole["queue_ms_count"], 0)
        self.assertGreater(whole["engine_pid"], 0)
        for key in ("queue_ms_count", "engine_pid", "cache_hits", "kv_pages_cached", "last_fault"):
            self.assertFalse(own[key], key)
        self.assertEqual((own["model"], own["context_length"]), (LLAMA, whole["context_length"]))
        self.assertIn(b"llmd_queue_seconds_count 0\n", tell("/metrics", bridge.http))

    def test_tokens_and_text_become_each_other(self):
        for model in (LLAMA, harness.GPT2):
            for text in (f" {MARKER} \u00e4\u20ac\U0001f600 said", MARKER, ""):
                tokens = self.json("POST", "/tokenize", {"content": text, "model": model})["tokens"]
                back = self.json("POST", "/detokenize", {"tokens": tokens, "model": model})
                self.assertEqual(back["content"], text)
                pieces = self.json("POST", "/tokenize", {"content": text, "model": model, "with_pieces": True})["tokens"]
                self.assertEqual([one["id"] for one in pieces], tokens)
                data = b"".join(one["piece"].encode() if isinstance(one["piece"], str) else bytes(one["piece"])
                                for one in pieces)
                self.assertEqual(data.decode().removeprefix(" " if model == LLAMA else ""), text)
            status, _, error = self.refusal({"tokens": [1 << 30], "model": model}, "/detokenize")
            self.assertEqual((status, error["name"]), (400, "InvalidArgument"))
            self.assertTrue(error["message"].startswith("tokens: 1073741824 "), error["message"])

    def test_what_cannot_be_is_refused_with_a_reason(self):
        status, headers, error = self.refusal(dict(GREEDY, n=9))
        self.assertEqual((status, error["name"], headers["x-should-retry"]), (400, "InvalidArgument", "false"))
        self.assertTrue(error["message"].startswith("n: "))
        status, _, error = self.refusal(dict(GREEDY, model="nobody"))
        self.assertEqual((status, error["name"]), (404, "ModelNotFound"))
        status, _, error = self.refusal(dict(GREEDY, prompt="a b " * 5000, stream=True))
        self.assertEqual((status, error["name"]), (400, "ContextExceeded"))
        self.assertEqual(error["n_ctx"], self.client.status()["context_length"])
        self.assertGreaterEqual(error["n_prompt_tokens"], 10000)
        self.assertEqual(self.refusal(GREEDY, "/v1/nothing")[0], 404)
        status, headers, _ = self.http().ask("DELETE", "/v1/completions")
        self.assertEqual((status, headers["Allow"]), (405, "POST"))
        self.assert_serves()

    def test_two_thousand_embeddings_are_one_request(self):
        body = {"model": LLAMA, "input": [f"tale {i} of {MARKER}" for i in range(MAX_INPUTS)]}
        status, _, data = self.http().ask("POST", "/v1/embeddings", body)
        self.assertEqual(status, 200, data[:500])
        embeddings = [one["embedding"] for one in json.loads(data)["data"]]
        self.assertEqual(len(embeddings), MAX_INPUTS)
        status, _, data = self.http().ask("POST", "/v1/embeddings", dict(body, input=body["input"][17]))
        self.assertEqual(json.loads(data)["data"][0]["embedding"], embeddings[17])
        body["input"][17] = "a b " * 5000
        status, _, error = self.refusal(body, "/v1/embeddings")
        self.assertEqual((status, error["name"]), (400, "ContextExceeded"))
        self.assertTrue(error["message"].startswith("input[17]: "), error["message"])
        self.assertGreaterEqual(error["n_prompt_tokens"], 10000)
        status, _, data = self.http().ask("POST", "/api/embed", dict(body, truncate=False))
        self.assertEqual((status, json.loads(data)["error"][:11]), (400, "input[17]: "))
        status, headers, data = self.http().ask("POST", "/api/embed", body)
        self.assertEqual((status, len(json.loads(data)["embeddings"])), (200, len(body["input"])))
        self.assertIn("truncate: what is longer than the context is cut", headers["x-llmd-note"])
        self.wait_idle()
        status, _, error = self.refusal(dict(body, input=["a"] * (MAX_INPUTS + 1)), "/v1/embeddings")
        self.assertEqual((status, error["message"]), (400, "input: 2049 inputs, must be 1 to 2048"))

    def test_pipelined_requests_are_answered_in_order(self):
        client = connect(self.path)
        client.sendall(raw(GREEDY) + b"GET /health HTTP/1.1\r\nHost: llmd\r\nConnection: close\r\n\r\n")
        data = b""
        while part := client.recv(65536):
            data += part
        self.assertEqual(data.count(b"HTTP/1.1 200 "), 2)
        self.assertLess(data.index(b"text_completion"), data.index(b'"status":"ok"'))
        client.close()

    def test_disconnecting_cancels_running_and_queued_requests(self):
        self.client.load(LLAMA)
        with self.daemon.held_engine():
            clients = [connect(self.path) for _ in range(4)]
            for client in clients:
                client.sendall(raw(LONG))
            self.client.wait(lambda: self.n_requests() == 4, "four requests to arrive")
            for client in clients:
                client.close()
            self.wait_idle()
        self.assertEqual(re.findall(r"request \d+ ended: (\w+)", self.daemon.log())[-4:], ["cancelled"] * 4)

    def test_half_closing_does_not_cancel(self):
        client = connect(self.path)
        client.sendall(raw(GREEDY))
        client.shutdown(socket.SHUT_WR)
        self.assertIn(b"text_completion", read_until(client, b'"timings"'))
        client.close()

    def test_a_reader_that_never_reads_stops_nobody(self):
        slow = connect(self.path)
        slow.sendall(raw(LONG) * 4)  # more text than the socket holds
        self.assertTrue(self.complete()["choices"][0]["text"])
        slow.close()
        self.wait_idle()

    def test_bad_heads_are_refused_and_headers_must_come_in_time(self):
        slow = connect(self.path)
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: ")
        for request, status in ((b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: l\r\n\r\n", 414),
                                (b"GET / HTTP/1.1\r\nHost: l\r\n" + b"A: b\r\n" * 64 + b"\r\n", 431),
                                (b"POST / HTTP/1.1\r\nHost: l\r\n" + b"Content-Length: 1\r\n" * 2 + b"\r\nx", 400),
                                (b"POST / HTTP/1.1\r\nHost: l\r\nContent-Length: 5000000\r\n\r\n", 413),
                                (b"POST / HTTP/1.1\r\nHost: l\r\nContent-Length: 1x\r\n\r\na", 400)):
            client = connect(self.path)
            client.sendall(request)
            answer = read_until(client, b"}}")
            self.assertTrue(answer.startswith(f"HTTP/1.1 {status} ".encode()), answer)
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1)
            json.loads(answer.partition(b"\r\n\r\n")[2])
            self.assertEqual(client.recv(1), b"")
            client.close()
        nonsense = connect(self.path)
        nonsense.sendall(b"\x00\xff\r\n\r\n" * 100)
        nonsense.close()
        self.assertEqual(slow.recv(1), b"", "ten seconds for the headers are enough")
        slow.close()
        self.assert_serves()

    def memory_kib(self):
        with open(f"/proc/{self.daemon.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])

    def test_large_bodies_leave_no_memory_behind(self):
        """Not what malloc() keeps either: a phone misses it for as long as llmd runs."""
        harness.require("memory-figures")
        self.complete(max_tokens=1)
        before = self.memory_kib()
        for body in ("[" * 4_000_000, '{"prompt":[' + "1," * 2_000_000 + "1]}", '{"prompt":"' + "a" * 4_000_000 + '"}'):
            connection = self.http()
            connection.request("POST", "/v1/completions", body)
            self.assertEqual(connection.getresponse().status, 400)
            connection.close()
        self.assertLess(self.memory_kib() - before, LEFT_BEHIND_KIB)

    def test_bodies_that_are_being_received_have_a_budget(self):
        clients = [connect(self.path) for _ in range(8)]
        for client in clients:
            client.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: llmd\r\nContent-Length: 4194304\r\n\r\n")
        for client in clients[2:]:
            self.assertIn(b"HTTP/1.1 429 ", read_until(client, b"}}"))
            client.close()
        self.assertTrue(self.complete(max_tokens=1)["choices"])
        for client in clients[:2]:
            client.sendall(b"[" + b" " * 4194303)
            self.assertIn(b"HTTP/1.1 400 ", read_until(client, b"}}"))
            client.close()

    def test_a_prompt_that_cannot_fit_keeps_nobody_waiting(self):
        """Tokenizing it would take seconds, and megabytes of memory."""
        _, _, error = self.refusal(dict(GREEDY, prompt="the old house " * 290_000))
        self.assertEqual(error["name"], "ContextExceeded")
        self.assertIn("at least", error["message"])

    def test_too_many_connections_of_a_process_are_told_so(self):
        self.check_limit([connect(self.path) for _ in range(MAX_PER_PROCESS)], b"process ")

    def test_too_many_connections_of_an_application_are_told_so(self):
        """From several processes, each of which has fewer than it may."""
        clients = []
        while len(clients) < MAX_PER_APPLICATION:
            ours, theirs = socket.socketpair()
            child = os.fork()
            if child == 0:
                try:
                    ours.close()
                    made = [connect(self.path) for _ in range(N_PER_CHILD)]
                    socket.send_fds(theirs, [b"x"], [one.fileno() for one in made])
                    theirs.recv(1)
                finally:
                    os._exit(0)
            theirs.close()
            _, fds, _, _ = socket.recv_fds(ours, 1, N_PER_CHILD)
            self.health()  # what comes after them has been taken: llmd knows whose they are, and the child may go
            ours.close()
            os.waitpid(child, 0)
            clients += [socket.socket(fileno=fd) for fd in fds]
        for client in clients:
            client.settimeout(LIMIT_S)
        self.check_limit(clients, b"application ")

    def check_limit(self, clients, of):
        """`clients` are as many as there may be of what `of` names."""
        self.addCleanup(lambda: [client.close() for client in clients])
        self.assertIn(b"HTTP/1.1 200 ", self.health(), "one that waits for a request makes room")
        self.assertEqual(clients[0].recv(1), b"", "the oldest")

        def use(client):
            with contextlib.suppress(OSError):  # it has made room
                client.sendall(UNFINISHED)

        for client in clients:
            use(client)

        def refused():
            # Until llmd has read what they sent, another one makes room.
            clients.append(connect(self.path))
            use(clients[-1])
            return b"HTTP/1.1 429 " in self.health()

        self.client.wait(refused, "all of them to be in use")
        self.assertIn(b'"message":"' + of, self.health(b"}}"))
        for client in clients:
            client.close()
        clients.clear()
        served = lambda: b"HTTP/1.1 200 " in self.health()
        self.client.wait(served, "room for a connection")

    def health(self, end=b"\r\n"):
        """The answer up to `end`."""
        client = connect(self.path)
        try:
            with contextlib.suppress(BrokenPipeError):  # a refusal does not wait for the request
                client.sendall(b"GET /health HTTP/1.1\r\nHost: llmd\r\n\r\n")
            return read_until(client, end)
        except OSError:
            return b""
        finally:
            client.close()

    def test_an_engine_that_dies_is_not_noticed(self):
        whole = self.complete(max_tokens=200)["choices"][0]["text"]
        connection = self.http()
        connection.request("POST", "/v1/completions", json.dumps(dict(GREEDY, max_tokens=200, stream=True)))
        response = connection.getresponse()
        begin = response.readline()
        os.kill(self.client.engine_of(LLAMA), signal.SIGKILL)
        frames = events(begin + response.read())
        self.assertEqual(frames.pop(), "[DONE]")
        self.assertEqual("".join(json.loads(frame)["choices"][0]["text"] for frame in frames), whole)


# Becomes an llmd that has the sockets at the arguments from its service manager, each of the name before it.
ACTIVATE = """
import os, socket, sys
llmd, *sockets = sys.argv[1:]
names, paths = sockets[::2], sockets[1::2]
handed_over = []
for path in paths:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    handed_over.append(os.dup(listener.detach()))
handed_over = [os.dup2(fd, 100 + i) for i, fd in enumerate(handed_over)]
for i, fd in enumerate(handed_over):
    os.dup2(fd, 3 + i)
    os.close(fd)
os.execve(llmd, [llmd], dict(os.environ, LISTEN_FDS=str(len(paths)), LISTEN_PID=str(os.getpid()),
                             LISTEN_FDNAMES=":".join(names)))
"""


class Circumstances(unittest.TestCase):
    def setUp(self):
        self.bus = harness.PrivateBus()
        self.addCleanup(self.bus.close)
        self.path = self.bus.path("runtime/llmd/llmd.sock")

    def assert_served(self):
        connection = Connection(self.path)
        self.assertEqual(connection.ask("POST", "/v1/completions", dict(GREEDY, max_tokens=2))[0], 200)
        connection.close()

    def test_without_a_bus_the_socket_is_served_alone(self):
        self.bus.stop()
        daemon = harness.Daemon(self.bus)
        self.assert_served()
        self.bus.start()
        client = self.bus.connect()
        client.wait(client.owner, "llmd to find the bus")
        client.close()
        self.assert_served()
        self.assertEqual(daemon.stop(), 0)
        self.assertFalse(os.path.exists(self.path), "the socket goes with llmd")

    def test_a_socket_that_is_left_over_is_replaced(self):
        daemon = harness.Daemon(self.bus)
        daemon.process.kill()
        daemon.process.wait(LIMIT_S)
        self.assertTrue(os.path.exists(self.path))
        daemon = harness.Daemon(self.bus, "second.log")
        self.assert_served()
        self.assertEqual(daemon.stop(), 0)

    def activate(self, **sockets):
        arguments = [word for name, path in sockets.items() for word in (name, path)]
        return harness.Daemon(self.bus, command=(sys.executable, "-c", ACTIVATE, harness.LLMD, *arguments))

    def assert_bridged(self):
        bridge = Bridge(self.bus.environment)
        self.addCleanup(bridge.stop)
        self.assertEqual(bridge.get()[0], 200)

    def test_the_service_managers_socket_is_taken_and_left_to_it(self):
        self.path = self.bus.path("runtime/handed-over")
        daemon = self.activate(llmd=self.path)
        self.assert_served()
        self.assert_bridged()  # over the one that llmd has made itself
        self.assertEqual(daemon.stop(), 0)
        self.assertTrue(os.path.exists(self.path))
        self.assertFalse(os.path.exists(self.bus.path("runtime/llmd-bridge/bridge.sock")))

    def test_the_service_manager_hands_over_the_bridges_socket_too(self):
        bridges = self.bus.path("runtime/llmd-bridge/bridge.sock")
        os.makedirs(os.path.dirname(bridges), mode=0o700)
        self.path = self.bus.path("runtime/handed-over")
        daemon = self.activate(bridge=bridges, llmd=self.path)
        self.assert_served()
        self.assert_bridged()
        self.assertEqual(daemon.stop(), 0)
        self.assertTrue(os.path.exists(bridges))

    def test_the_service_manager_may_hand_over_the_bridges_socket_alone(self):
        bridges = self.bus.path("runtime/llmd-bridge/bridge.sock")
        os.makedirs(os.path.dirname(bridges), mode=0o700)
        daemon = self.activate(bridge=bridges)
        self.assert_served()
        self.assert_bridged()
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual((os.path.exists(bridges), os.path.exists(self.path)), (True, False))

    def test_without_a_place_for_the_bridges_socket_the_other_is_served(self):
        with open(self.bus.path("runtime/llmd-bridge"), "w"):
            pass
        daemon = harness.Daemon(self.bus)
        self.assert_served()
        self.assertRegex(daemon.log(), "warning: llmctl bridge is not served: .*/llmd-bridge: Not a directory")
        self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    harness.main()
