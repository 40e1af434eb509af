"""llmctl bridge between TCP clients and the real llmd: what it lets through and whom it turns away."""
import json
import os
import re
import select
import socket
import stat
import struct
import subprocess
import sys
import unittest
import urllib.request

import harness
from bridge import AS_NOBODY, Bridge, MAX_CALLS, MAX_WAITING, read_to_end
from harness import LIMIT_S, LLAMA, LLMCTL, MARKER

PROMPT = f"Once upon a time {MARKER}"
GREEDY = {"prompt": PROMPT, "max_tokens": 24, "temperature": 0, "model": LLAMA}
LONG = dict(GREEDY, max_tokens=400, stream=True)
MAX_CONNECTIONS = 160
MAX_CONNECTIONS_OF_A_PROGRAM = 128
TOKEN = "a-token-of-the-test-0123"


class WithLlmd(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bridge = Bridge(cls.bus.environment)
        cls.addClassCleanup(cls.bridge.stop)

    def with_token(self):
        path = self.bus.path("token")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(TOKEN + "\n")
        bridge = Bridge(self.bus.environment, "--token-file", path)
        self.addCleanup(bridge.stop)
        return bridge

    def n_requests(self):
        status = self.client.status()
        return status["queued"] + status["active"]

    def fetch(self, url, body=None):
        """As a program does that knows nothing but the URL."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, body and json.dumps(body).encode(), timeout=LIMIT_S) as answer:
            return answer.read()

    def test_a_text_is_that_of_the_bus(self):
        text, _ = self.client.generate(PROMPT, max_tokens=24, temperature=0.0, model=LLAMA)
        self.texts.append(text)
        # A bare root may not know the name localhost, which test_only_its_own_names_are_answered sends.
        for url in self.bridge.urls:
            with self.subTest(url=url):
                answer = json.loads(self.fetch(url + "/v1/completions", GREEDY))
                self.assertEqual(answer["choices"][0]["text"], text)
        answer = json.loads(self.fetch(url + "/api/generate", {
            "model": LLAMA, "prompt": PROMPT, "stream": False, "options": {"num_predict": 24, "temperature": 0}}))
        self.assertEqual(answer["response"], text)
        self.assertEqual(self.fetch(url), b"Ollama is running")

    def test_a_stream_comes_as_it_is_made(self):
        self.client.load(LLAMA)
        with self.bridge.connect() as client:
            client.sendall(self.bridge.post(LONG))
            data = b""
            while b'"text":"' not in data:
                data += client.recv(65536)
            self.assertEqual(self.n_requests(), 1)  # it is not complete yet
            rest = data + read_to_end(client)
        self.assertTrue(rest.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n"), rest[-100:])
        self.assertNotIn(b"Access-Control", rest)

    def test_half_closing_cancels_no_stream_that_has_begun(self):
        with self.bridge.connect() as client:
            client.sendall(self.bridge.post(LONG))
            data = b""
            while b'"text":"' not in data:
                data += client.recv(65536)
            client.shutdown(socket.SHUT_WR)
            self.assertTrue(read_to_end(client).endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n"))

    def test_only_its_own_names_are_answered(self):
        """A page whose name was made to resolve to this device has that name in Host (DNS rebinding)."""
        port = self.bridge.port
        for host in f"localhost:{port}", f"LOCALHOST:{port}", f"127.0.0.1:{port}", f"[::1]:{port}":
            self.assertEqual(self.bridge.get(host=host)[0], 200, host)
        for host in ("evil.example", f"evil.example:{port}", "localhost", f"localhost:{port + 1}", f"localhost.:{port}",
                     f"127.0.0.2:{port}", f"localhost:{port}:{port}", f"localhost@evil.example:{port}", f":{port}"):
            status, answer = self.bridge.get(host=host)
            self.assertEqual(status, 403, host)
            self.assertIn(b"Host: '" + host.encode(), answer)
        other = Bridge(self.bus.environment, "--allow-host", "phone.lan")
        self.addCleanup(other.stop)
        self.assertEqual(other.get(host=f"Phone.lan:{other.port}")[0], 200)
        self.assertEqual(other.get(host=f"evil.lan:{other.port}")[0], 403)

    def test_pages_from_elsewhere_are_refused(self):
        for origin in "http://localhost:3000", "https://127.0.0.1", "http://[::1]:8080":
            self.assertEqual(self.bridge.get("Origin: " + origin)[0], 200, origin)
        for origin in ("https://evil.example", "null", "http://localhost.evil.example", "http://evil.example:80",
                       "file://", "http://localhost:3000:x", "chrome-extension://localhost"):
            status, answer = self.bridge.get("Origin: " + origin)
            self.assertEqual(status, 403, origin)
            self.assertNotIn(b"Access-Control", answer)
        # A preflight grants nothing: no origin is allowed.
        answer = self.bridge.get("Origin: http://localhost:3000", "Access-Control-Request-Method: POST", method="OPTIONS",
                                 path="/v1/completions")
        self.assertEqual(answer[0], 403)
        self.assertNotIn(b"Access-Control", answer[1])

    def test_pages_of_an_origin_that_is_allowed_may_ask_and_read(self):
        bridge = Bridge(self.bus.environment, "--allow-origin", "app://obsidian.md")
        self.addCleanup(bridge.stop)
        status, answer = bridge.get("Origin: app://obsidian.md", path="/api/tags")
        self.assertEqual(status, 200)
        self.assertIn(b"\r\nAccess-Control-Allow-Origin: app://obsidian.md\r\n", answer)
        self.assertIn(b"\r\nVary: Origin\r\n", answer)
        preflight = ("Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type")
        status, answer = bridge.get("Origin: app://obsidian.md", *preflight, method="OPTIONS", path="/v1/completions")
        self.assertEqual(status, 204)
        self.assertTrue(answer.startswith(b"HTTP/1.1 204 No Content\r\n"), answer)
        self.assertNotIn(b"Content-Length", answer)
        self.assertIn(b"\r\nAccess-Control-Allow-Headers: content-type\r\n", answer)
        # A refusal is read too, also of a body that is not taken.
        status, answer = bridge.exchange(bridge.post(b"x" * 5_000_000, "Origin: app://obsidian.md"))
        self.assertEqual(status, 413)
        self.assertIn(b"\r\nAccess-Control-Allow-Origin: app://obsidian.md\r\n", answer)
        for origin in "app://obsidian", "app://obsidian.md.evil", "http://evil.example":
            status, answer = bridge.get("Origin: " + origin, *preflight, method="OPTIONS", path="/v1/completions")
            self.assertEqual(status, 403, origin)
            self.assertNotIn(b"Access-Control", answer)

    def test_origins_that_anybody_may_have_are_refused(self):
        for origin, words in (("*", "is no origin"), ("null", "is no origin"), ("file://", "is the origin of every file"),
                              ("http://localhost:3000", "this needs --token-file"), ("app://a/", "does not end with one host")):
            done = subprocess.run([LLMCTL, "bridge", "--port", "0", "--allow-origin", origin], env=self.bus.environment,
                                  capture_output=True, text=True, timeout=LIMIT_S)
            self.assertEqual((done.returncode, done.stderr.startswith("llmctl: --allow-origin: "), words in done.stderr), (2, True, True), done)
        many = [word for n in range(1000) for word in ("--allow-origin", f"app://number-{n}")]
        done = subprocess.run([LLMCTL, "bridge", "--port", "0", *many], env=self.bus.environment, capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual((done.returncode, "are more than 8192" in done.stderr), (2, True), done.stderr)

    def test_a_token_is_asked_for(self):
        bridge = self.with_token()
        self.assertEqual(bridge.get(f"Authorization: Bearer {TOKEN}")[0], 200)
        self.assertEqual(bridge.get(f"authorization: bearer {TOKEN}")[0], 200)
        for header in ("X: y", "Authorization: Bearer ", f"Authorization: Bearer {TOKEN}x", f"Authorization: {TOKEN}",
                       f"Authorization: Bearer {TOKEN[:-1]}", f"Authorization: Basic {TOKEN}"):
            status, answer = bridge.get(header)
            self.assertEqual(status, 401, header)
            self.assertIn(b"WWW-Authenticate: Bearer\r\n", answer)
            self.assertNotIn(TOKEN.encode(), answer)
        with open(f"/proc/{bridge.process.pid}/cmdline", "rb") as file:
            self.assertNotIn(TOKEN.encode(), file.read())

    def test_a_token_is_made_where_there_is_none(self):
        path = self.bus.path("new-token")
        bridge = Bridge(self.bus.environment, "--token-file", path)
        self.addCleanup(bridge.stop)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path) as file:
            token = file.read().strip()
        self.assertRegex(token, r"^[0-9a-f]{64}$")
        self.assertEqual(bridge.get(f"Authorization: Bearer {token}")[0], 200)
        self.assertEqual(bridge.get()[0], 401)
        for mode, text in (0o644, token), (0o600, "short"), (0o600, "with a blank in it"):
            with open(path, "w") as file:
                file.write(text)
            os.chmod(path, mode)
            done = subprocess.run([LLMCTL, "bridge", "--port", "0", "--token-file", path], env=self.bus.environment,
                                  capture_output=True, timeout=LIMIT_S)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(path.encode(), done.stderr)
            self.assertNotIn(text.encode(), done.stderr)

    def test_another_user_is_turned_away(self):
        harness.require("another-user")
        script = ("import socket, sys\n"
                  "client = socket.create_connection((sys.argv[1], int(sys.argv[2])))\n"
                  "try:\n"
                  "    client.sendall(sys.stdin.buffer.read())\n"
                  "    sys.stdout.buffer.write(client.recv(65536))\n"
                  "except ConnectionError:\n"
                  "    pass\n")
        command = [sys.executable, "-c", script]
        request = f"GET /health HTTP/1.1\r\nHost: localhost:{self.bridge.port}\r\n\r\n".encode()
        # The last is a socket of IPv6 that leads to the address of IPv4.
        for address in "127.0.0.1", "::1", "::ffff:127.0.0.1":
            for user, served in ({}, True), (AS_NOBODY, False):
                with self.subTest(address=address, **user):
                    done = subprocess.run([*command, address, str(self.bridge.port)], input=request,
                                          capture_output=True, timeout=LIMIT_S, check=True, cwd="/", **user)
                    self.assertEqual(done.stdout.startswith(b"HTTP/1.1 200 "), served, done)
                    if not served and done.stdout:  # what had been sent before may be lost when the connection closes
                        self.assertTrue(done.stdout.startswith(b"HTTP/1.1 403 "), done.stdout)

    def test_http_that_is_none_is_refused_and_ends_the_connection(self):
        host = f"Host: localhost:{self.bridge.port}\r\n".encode()
        post = b"POST /v1/completions HTTP/1.1\r\n" + host
        inner = b"GET /metrics HTTP/1.1\r\n" + host + b"\r\n"
        for request, status in (
                (post + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400),
                (post + b"Content-Length: 2, 2\r\n\r\n{}", 400),
                (post + b"Content-Length: +2\r\n\r\n{}", 400),
                (post + b"Content-Length: 0x2\r\n\r\n{}", 400),
                (post + b"Content-Length: \r\n\r\n", 400),
                (post + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400),
                (post + host + b"\r\n", 400),
                (post + b"no colon\r\n\r\n", 400),
                (b"GET /health HTTP/1.1\r\n\r\n", 400),
                (b"GET /health HTTP/1.0\r\n\r\n", 400),
                (b"GET http://localhost/health HTTP/1.1\r\n" + host + b"\r\n", 400),
                (b"CONNECT localhost:1 HTTP/1.1\r\n" + host + b"\r\n", 400),
                (b"GET /health HTTP/2.0\r\n" + host + b"\r\n", 505),
                (b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\n" + host + b"\r\n", 414),
                (b"GET /health HTTP/1.1\r\n" + host + b"A: b\r\n" * 64 + b"\r\n", 431),
                (b"GET /health HTTP/1.1\r\n" + host + b"A: " + b"b" * 140000, 431),
                (post + b"Content-Length: 5000000\r\n\r\n", 413),
                (post + b"Content-Length: 99999999999999999999999\r\n\r\n", 413),
                # What follows a refused one is none.
                (b"POST /v1/completions HTTP/1.1\r\nHost: evil.example\r\nContent-Length: %d\r\n\r\n" % len(inner) + inner,
                 403)):
            with self.subTest(request=request[:100]):
                answer = self.bridge.exchange(request)
                self.assertEqual((answer[0], len(re.findall(rb"^HTTP/1\.1 \d", answer[1], re.M))), (status, 1), answer)

    def test_a_body_without_an_end_is_refused(self):
        head = f"POST /api/chat HTTP/1.1\r\nHost: localhost:{self.bridge.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
        with self.bridge.connect() as client:
            client.sendall(head.encode())
            while not select.select([client], [], [], 0)[0]:
                client.sendall(b"10000\r\n" + bytes(0x10000) + b"\r\n")
            answer = client.recv(65536)
        self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer)
        self.assertIn(b'{"error":"body: more than 4194304 bytes"}', answer)

    def test_a_connection_serves_one_request_after_another(self):
        client = self.bridge.http()
        self.addCleanup(client.close)
        texts = set()
        for body, path in ((GREEDY, "/v1/completions"), (GREEDY, "/v1/completions"), ({"content": PROMPT}, "/tokenize")):
            # An iterator is sent in chunks, as programs do that do not know the length.
            for data in json.dumps(body).encode(), iter([json.dumps(body)[:9].encode(), json.dumps(body)[9:].encode()]):
                client.request("POST", path, data)
                sock = client.sock
                answer = client.getresponse()
                self.assertEqual(answer.status, 200)
                texts.add(json.loads(answer.read()).get("choices", [{"text": None}])[0]["text"])
                self.assertIs(client.sock, sock, "the connection is kept")
        self.assertEqual(len(texts), 2, texts)
        self.texts += texts - {None}

    def test_requests_that_come_at_once_are_answered_in_their_order(self):
        with self.bridge.connect() as client:
            client.sendall(self.bridge.post(GREEDY, keep=True) + self.bridge.post({}, path="/api/show", keep=True) +
                           self.bridge.post(GREEDY))
            answers = read_to_end(client).split(b"HTTP/1.1 ")[1:]
        self.assertEqual([answer[:3] for answer in answers], [b"200", b"400", b"200"])
        self.assertTrue(answers[1].endswith(b'{"error":"model: it is missing"}'))

    def test_requests_count_as_a_sandboxed_application(self):
        self.client.load(LLAMA)
        with self.daemon.held_engine():
            clients = [self.bridge.connect() for _ in range(3)]
            for client in clients[:2]:
                client.sendall(self.bridge.post(dict(LONG, priority="interactive")))
            self.client.wait(lambda: self.n_requests() == 2, "two requests")
            self.assertEqual([one["priority"] for one in self.client.requests()], ["normal"] * 2)
            before = {one["request"] for one in self.client.requests()}
            # The third waits, though llmd has room for programs that are not in a sandbox.
            clients[2].sendall(self.bridge.post(LONG))
            self.assertEqual(self.bridge.get()[0], 200)
            self.assertEqual({one["request"] for one in self.client.requests()}, before)
            clients[0].close()
            self.client.wait(lambda: len({one["request"] for one in self.client.requests()} - before) == 1, "its turn")
            self.assertEqual(self.n_requests(), 2)
            queue = subprocess.run([LLMCTL, "queue"], env=self.bus.environment, capture_output=True, text=True).stdout
            self.assertRegex(queue, rf"(?m)^socket/\d+ +bridge:{os.getpid()} +normal +prefill ")
            for client in clients:
                client.close()
            self.client.wait(lambda: self.n_requests() == 0, "those who left to be cancelled")
        self.assertEqual(re.findall(r"request \d+ ended: (\w+)", self.daemon.log())[-3:], ["cancelled"] * 3)

    def test_a_client_that_vanishes_cancels(self):
        self.client.load(LLAMA)
        with self.daemon.held_engine():
            client = self.bridge.connect()
            client.sendall(self.bridge.post(LONG))
            self.client.wait(lambda: self.n_requests() == 1, "the request")
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset instead of an end
            client.close()
            self.client.wait(lambda: self.n_requests() == 0, "the request to go")

    def test_too_many_connections_are_told_so(self):
        script = ("import socket, sys\n"
                  "clients = [socket.create_connection(('127.0.0.1', int(sys.argv[1]))) for _ in range(int(sys.argv[2]))]\n"
                  "print(flush=True)\n"
                  "sys.stdin.read()\n")
        clients = [self.bridge.connect() for _ in range(MAX_CONNECTIONS_OF_A_PROGRAM)]
        with self.bridge.connect() as one_more:
            answer = read_to_end(one_more)
        self.assertTrue(answer.startswith(b"HTTP/1.1 429 "), answer)
        self.assertIn(f"process {os.getpid()} has {MAX_CONNECTIONS_OF_A_PROGRAM} connections in use".encode(), answer)
        self.assertIn(b"Retry-After: ", answer)
        # Another program has what is left.
        other = subprocess.Popen([sys.executable, "-c", script, str(self.bridge.port), str(MAX_CONNECTIONS - MAX_CONNECTIONS_OF_A_PROGRAM)],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(other.communicate)
        self.assertEqual(other.stdout.readline(), b"\n")
        with self.bridge.connect() as one_more:
            self.assertTrue(read_to_end(one_more).startswith(b"HTTP/1.1 503 "))
        for client in clients:
            client.close()

        def is_served():
            try:
                return self.bridge.get()[0] == 200
            except ConnectionError:  # the refusal may be lost when it closes
                return False
        self.client.wait(is_served, "room for a connection")

    def test_as_many_ollama_chats_as_may_wait_are_all_answered(self):
        body = {"model": LLAMA, "messages": [{"role": "user", "content": PROMPT}], "stream": False,
                "options": {"num_predict": 24, "temperature": 0}}
        clients = [self.bridge.connect() for _ in range(MAX_CALLS + MAX_WAITING)]
        for client in clients:
            client.sendall(self.bridge.post(body, path="/api/chat"))
        answers = [read_to_end(client) for client in clients]
        for client, answer in zip(clients, answers):
            self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer)
            client.close()
        texts = {json.loads(answer.partition(b"\r\n\r\n")[2])["message"]["content"] for answer in answers}
        self.assertEqual(len(texts), 1)
        self.texts += texts

    def test_a_request_may_be_cancelled_from_another_connection(self):
        self.client.load(LLAMA)
        with self.daemon.held_engine():
            client = self.bridge.connect()
            self.addCleanup(client.close)
            client.sendall(self.bridge.post(LONG))
            self.client.wait(lambda: self.n_requests() == 1, "the request")
            number = self.client.requests()[0]["request"].rpartition("/")[2]
            status, answer = self.bridge.exchange(self.bridge.post(b"", path=f"/v1/requests/{number}/cancel"))
            self.assertEqual(status, 200, answer)
            self.client.wait(lambda: self.n_requests() == 0, "the request to go")

    def test_connections_that_end_leave_room(self):
        for _ in range(2 * MAX_CONNECTIONS):
            self.assertEqual(self.bridge.get()[0], 200)

    def test_another_llmd_is_found_again(self):
        bus = harness.PrivateBus()
        self.addCleanup(bus.close)
        bridge = Bridge(bus.environment)
        self.addCleanup(bridge.stop)
        for log in "first.log", "second.log":
            self.assertEqual(bridge.get()[0], 503)
            daemon = harness.Daemon(bus, log)
            client = bridge.http()
            client.request("GET", "/health")
            self.assertEqual(client.getresponse().read(), b'{"status":"ok","state":"idle"}')
            self.assertEqual(daemon.stop(), 0)
            self.assertEqual(client.sock.recv(1), b"", "the connection goes with it")
            client.close()

    def test_who_is_no_bridge_is_dropped_for_a_reason(self):
        path = self.bus.path("runtime/llmd-bridge/bridge.sock")
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode), 0o700)
        # The last one comes in time with too little of it.
        for data in b"GET /health HTTP/1.1\r\n\r\n", b"\2\0\0\0ab", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\2\0\0\0a":
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(LIMIT_S)
                client.connect(path)
                client.sendall(data)
                try:
                    self.assertEqual(client.recv(1), b"")
                except ConnectionResetError:  # it has not read all
                    pass
        for reason in ("a length of 542393671 bytes is not from 1 to 8192", "it does not begin with llmd-bridge 1; ", "it did not come within 5 s"):
            self.assertRegex(self.daemon.log(), rf"warning: a connection of process {os.getpid()} to .*bridge\.sock was dropped: "
                                                rf"preamble: {reason}")

    def test_what_waits_is_limited(self):
        self.client.load(LLAMA)
        with self.daemon.held_engine():
            clients = [self.bridge.connect() for _ in range(MAX_CALLS + MAX_WAITING + 1)]
            for client in clients[:MAX_CALLS]:
                client.sendall(self.bridge.post(LONG))
            self.client.wait(lambda: self.n_requests() == MAX_CALLS, "the first to arrive")
            for client in clients[MAX_CALLS:]:
                client.sendall(self.bridge.post(LONG))
            # The one that came last, whichever that is.
            refused, = select.select(clients[MAX_CALLS:], [], [], LIMIT_S)[0]
            answer = read_to_end(refused)
            self.assertTrue(answer.startswith(b"HTTP/1.1 429 "), answer)
            # kShortestRetry to kLongestRetry of call_queue.h: as the requests before have ended.
            wait = re.search(rb"\r\nRetry-After: (\d+)\r\n", answer)
            self.assertIn(int(wait[1]), range(2, 601), answer)
            error = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
            self.assertEqual((error["type"], error["code"]), ("rate_limit_error", "rate_limit_exceeded"))
            status, answer = self.bridge.exchange(self.bridge.post(LONG, path="/api/chat"))
            self.assertEqual(status, 429)
            self.assertEqual(json.loads(answer.partition(b"\r\n\r\n")[2]),
                             {"error": f"{MAX_WAITING} requests of this client are waiting, at most {MAX_WAITING} may"})
            # They are in nobody's way.
            self.assertEqual(self.n_requests(), MAX_CALLS)
            self.assertEqual(self.bridge.get()[0], 200)
            streams = [self.client.stream(PROMPT, model=LLAMA, max_tokens=4) for _ in range(4)]
            for client in clients:
                client.close()
        for _, fd in streams:
            self.assertTrue(harness.read_stream(fd)[0])
        self.client.wait(lambda: self.n_requests() == 0, "those who left to be cancelled")
        self.assertEqual(self.bridge.exchange(self.bridge.post(GREEDY))[0], 200)

    def test_headers_must_come_in_time(self):
        with self.bridge.connect() as client:
            client.sendall(b"GET /health HTTP/1.1\r\nHost: ")
            self.assertTrue(read_to_end(client).startswith(b"HTTP/1.1 408 "))

    def test_a_port_that_is_taken_is_told(self):
        done = subprocess.run([LLMCTL, "bridge", "--port", str(self.bridge.port)], env=self.bus.environment,
                              capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"127.0.0.1 port {self.bridge.port}: Address already in use; --port N", done.stderr)

    def test_it_listens_on_this_device_only(self):
        with open("/proc/net/tcp") as tcp, open("/proc/net/tcp6") as tcp6:
            listening = {line.split()[1] for line in [*tcp, *tcp6] if line.split()[3] == "0A"}
        ours = {address for address in listening if address.endswith(f":{self.bridge.port:04X}")}
        loopback = {"0100007F", "00000000000000000000000001000000"}
        self.assertTrue(ours)
        self.assertLessEqual({address.partition(":")[0] for address in ours}, loopback)


if __name__ == "__main__":
    harness.main()
