"""llmctl pull from a server that breaks off, stalls, redirects and lies: a model is there whole and with the right hash, or
not at all; what has come once is not asked for again."""
import collections
import contextlib
import hashlib
import http.server
import json
import os
import pty
import re
import signal
import socket
import subprocess
import threading
import unittest

import harness
from harness import LIMIT_S, LLAMA, LLMCTL, MODELS

with open(os.path.join(MODELS, LLAMA + ".gguf"), "rb") as _file:
    MODEL = _file.read()
COMMIT = "0123456789abcdef0123456789abcdef01234567"
TOKEN = "hf_of_this_test"
BLOCK = 1 << 20
HUGE = 600 << 20


class Model:
    """The bytes of a file, of which those behind the model are zeros that llmd does not look at."""

    def __init__(self, size=len(MODEL)):
        self.size = size

    def read(self, begin, end):
        head = MODEL[begin:min(end, len(MODEL))]
        return head + bytes(end - begin - len(head))

    def sha256(self):
        digest = hashlib.sha256(MODEL)
        for begin in range(len(MODEL), self.size, BLOCK):
            digest.update(bytes(min(BLOCK, self.size - begin)))
        return digest.hexdigest()


class Server(http.server.ThreadingHTTPServer):
    """A hub with one repository, o/r. `fault` may answer a request for a file first: it gets the handler and the range's
    begin, and returns whether it did."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.model = Model()
        self.files = {}
        self.fault = lambda handler, begin: False
        self.ranges = []  # of requests for files: the first byte
        self.sent = collections.Counter()  # bytes, by the request's place in `ranges`, from 1
        self.tokens = []
        self.begun = threading.Event()
        self.etag = '"one"'
        self.architecture = "llama"
        self.add("m-Q4_0.gguf")
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def add(self, path, **changes):
        self.files[path] = {"size": self.model.size, "oid": self.model.sha256(), **changes}

    def tree(self):
        return [{"type": "directory", "path": "sub", "oid": "0" * 40, "size": 0},
                *({"type": "file", "path": path, "oid": "0" * 40, "size": 134, "lfs": lfs}
                  for path, lfs in self.files.items())]

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        return True

    def break_off(self):
        self.wfile.flush()
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
        return True

    def send_file(self, begin, end=None, ranged=True, stall=None, **headers):
        """Up to `end`; then the connection breaks off, or nothing more comes before the event `stall`."""
        model = self.server.model
        if begin and ranged:
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{model.size - 1}/{model.size}")
        else:
            begin = 0
            self.send_response(200)
        for name, value in {"Content-Length": model.size - begin, "ETag": self.server.etag, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        end = model.size if end is None else end
        request = len(self.server.ranges)
        while begin < end:
            piece = model.read(begin, min(begin + BLOCK, end))
            self.wfile.write(piece)
            self.server.sent[request] += len(piece)
            begin += len(piece)
            self.server.begun.set()
        if stall is not None:
            stall.wait(LIMIT_S)
        return end == model.size or self.break_off()

    def do_GET(self):
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.answer()

    def answer(self):
        server = self.server
        if self.path == "/api/models/o/r/revision/main":
            return self.reply(200, json.dumps({"sha": COMMIT, "gguf": {"architecture": server.architecture}}).encode())
        if self.path == f"/api/models/o/r/tree/{COMMIT}?recursive=true":
            return self.reply(200, json.dumps(server.tree()).encode())
        if not self.path.endswith(".gguf") and ".gguf?" not in self.path:
            return self.reply(404)
        begin = int(re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "bytes=0-"))[1])
        server.ranges.append(begin)
        server.tokens.append(self.headers.get("Authorization"))
        if server.fault(self, begin):
            return True
        return self.send_file(begin, ranged=self.headers.get("If-Range", server.etag) == server.etag)


class Pull(unittest.TestCase):
    def setUp(self):
        self.bus = harness.PrivateBus()
        self.addCleanup(self.bus.close)
        self.folder = self.bus.path("data/llmd/models")
        self.server = Server()
        self.addCleanup(self.server.close)
        self.bus.config('backend = "cpu"\n')
        self.environment = {name: value for name, value in self.bus.environment.items()
                            if not name.lower().endswith("_proxy") and not name.startswith("HF_")}
        self.environment.update(HF_ENDPOINT=self.server.url, HF_HOME=self.bus.path("hf"))

    def pull(self, source="hf:o/r", *options, prefix=(), code=0, **environment):
        done = subprocess.run([*prefix, LLMCTL, "pull", source, *options], env={**self.environment, **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def there(self):
        return sorted(name for name in os.listdir(self.folder) if name != ".partial")

    def partial(self):
        folder = os.path.join(self.folder, ".partial")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def assert_refused(self, reason, source="hf:o/r", code=1, keeps=False, **environment):
        """And nothing is there, under no name, but what may be of use if `keeps`."""
        self.assertIn(reason, self.pull(source, code=code, **environment).stderr)
        self.assertEqual(self.there(), [])
        if not keeps:
            self.assertEqual([name for name in self.partial()
                              if os.path.getsize(os.path.join(self.folder, ".partial", name))], [])

    def assert_there(self, name="m-Q4_0"):
        self.assertEqual(self.there(), [name + ".gguf"])
        self.assertEqual(self.partial(), [])
        digest = hashlib.sha256()
        with open(os.path.join(self.folder, name + ".gguf"), "rb") as file:
            while piece := file.read(BLOCK):
                digest.update(piece)
        self.assertEqual(digest.hexdigest(), self.server.model.sha256())

    def cut_once(self, at=len(MODEL) // 2, **how):
        def fault(handler, begin):
            return len(self.server.ranges) == 1 and handler.send_file(begin, at, **how)
        self.server.fault = fault

    # --- What comes -----------------------------------------------------------------------------------------------------

    def test_a_model_comes_and_answers(self):
        report = json.loads(self.pull("hf:o/r", "--json", "--name", "mine").stdout)
        self.assertEqual((report["name"], report["architecture"], report["size_bytes"], report["how"]),
                         ("mine", "llama", len(MODEL), "download"))
        self.assert_there("mine")
        daemon = harness.Daemon(self.bus)
        self.addCleanup(daemon.stop)
        _, info = self.bus.connect().generate("Once", model="mine", max_tokens=2)
        self.assertEqual(info["model"], "mine")

    def test_a_large_file_cut_twenty_times_comes_once(self):
        self.server.model = Model(HUGE)
        self.server.add("m-Q4_0.gguf")
        step = HUGE // 21 + 12345

        def fault(handler, begin):
            return len(self.server.ranges) <= 20 and handler.send_file(begin, min(begin + step, HUGE))
        self.server.fault = fault
        self.pull()
        self.assertEqual(len(self.server.ranges), 21)
        self.assertLessEqual(self.server.sent.total(), HUGE + 20 * BLOCK)
        self.assert_there()

    def test_the_next_llmctl_goes_on(self):
        held = threading.Event()
        self.addCleanup(held.set)
        self.cut_once(stall=held)
        at = self.kill_when_some_came()
        self.assertEqual(self.there(), [])
        self.assertEqual(len(self.partial()), 1)
        self.pull()
        self.assertEqual(self.server.ranges, [0, at])
        self.assert_there()

    def kill_when_some_came(self, source="hf:o/r"):
        """Starts a pull, kills it when its progress bar shows bytes, and returns how many there are."""
        ours, theirs = pty.openpty()
        with open(ours, "rb", 0) as shown:
            done = subprocess.Popen([LLMCTL, "pull", source], env={**self.environment, "TERM": "xterm"},
                                    stdout=subprocess.DEVNULL, stderr=theirs)
            os.close(theirs)
            text = b""
            while b" MB of " not in text:
                text += shown.read(1024)
            done.send_signal(signal.SIGKILL)
            done.wait(LIMIT_S)
        sizes = [os.path.getsize(os.path.join(self.folder, ".partial", name)) for name in self.partial()]
        self.assertGreater(max(sizes), 1000)
        return max(sizes)

    def test_two_at_once_do_not_mix(self):
        held = threading.Event()
        self.addCleanup(held.set)

        self.cut_once(1000, stall=held)
        first = subprocess.Popen([LLMCTL, "pull", "hf:o/r"], env=self.environment, stdout=subprocess.DEVNULL)
        self.assertTrue(self.server.begun.wait(LIMIT_S))
        self.assertIn("another llmctl is pulling this file", self.pull(code=1).stderr)
        held.set()
        self.assertEqual(first.wait(LIMIT_S), 0)
        self.assert_there()

    def test_an_address_without_hashes(self):
        report = self.pull(self.server.url + "/some/a%20model.gguf?signature=secret").stdout
        self.assertIn("nothing told its hash", report)
        self.assertNotIn("secret", report)
        self.assert_there("a model")

    def test_an_address_goes_on_only_with_the_same_file(self):
        for etag in '"one"', '"two"':
            with self.subTest(etag):
                self.server.ranges.clear()
                self.server.sent.clear()
                self.server.etag = '"one"'
                held = threading.Event()
                self.addCleanup(held.set)
                self.cut_once(stall=held)
                at = self.kill_when_some_came(self.server.url + "/m.gguf")
                self.server.etag = etag
                self.pull(self.server.url + "/m.gguf")
                # The first request may still be writing to nobody.
                self.assertEqual(self.server.sent[2], len(MODEL) - (at if etag == '"one"' else 0))
                self.assert_there("m")
                os.unlink(os.path.join(self.folder, "m.gguf"))

    def test_a_server_that_knows_no_ranges(self):
        self.server.fault = lambda handler, begin: handler.send_file(
            0, len(MODEL) // 2 if len(self.server.ranges) == 1 else None)
        self.pull()
        self.assertEqual(self.server.ranges, [0, len(MODEL) // 2])
        self.assert_there()

    def test_a_server_that_is_busy_is_asked_again(self):
        self.server.fault = lambda handler, begin: len(self.server.ranges) == 1 and handler.reply(503, Retry_After=1)
        self.pull()
        self.assert_there()

    def test_a_signed_address_that_has_expired_is_asked_for_again(self):
        signed = []

        def fault(handler, begin):
            if "signed=" not in handler.path:
                signed.append(len(signed))
                return handler.reply(302, Location=f"/m.gguf?signed={signed[-1]}")
            if handler.path.endswith("=0"):
                return handler.send_file(begin, 1000)
            return handler.path.endswith("=1") and handler.reply(403)
        self.server.fault = fault
        self.pull()
        self.assertEqual(signed, [0, 1, 2])
        self.assert_there()

    def test_the_token_is_for_the_hub_alone(self):
        other = Server()
        self.addCleanup(other.close)
        self.server.fault = lambda handler, begin: handler.reply(302, Location=other.url + "/m.gguf")
        self.pull(HF_TOKEN=TOKEN)
        self.assertEqual((self.server.tokens, other.tokens), ([f"Bearer {TOKEN}"], [None]))
        os.makedirs(self.bus.path("hf"))
        with open(self.bus.path("hf/token"), "w") as file:
            file.write(TOKEN + "\n")
        self.pull("hf:o/r", "--name", "again")
        self.assertEqual(self.server.tokens[1], f"Bearer {TOKEN}")

    # --- What is refused ------------------------------------------------------------------------------------------------

    def test_redirects_lead_to_https_alone(self):
        for place, reason in (("http://example.org/m.gguf", "http, which is not encrypted"),
                              ("http://example.org/m m.gguf", "http, which is not encrypted"),
                              ("//example.org/m.gguf", "http, which is not encrypted"),
                              ("file:///etc/passwd", '"file:///etc/passwd", which is not https'),
                              (self.server.url + "/m.gguf", "redirected more than 5 times")):
            with self.subTest(place):
                self.server.fault = lambda handler, begin, place=place: handler.reply(302, Location=place)
                self.assert_refused(reason)

    def test_lies_about_the_length(self):
        self.server.fault = lambda handler, begin: handler.send_file(begin, Content_Length=len(MODEL) + 1)
        self.assert_refused(f"is said to be {len(MODEL) + 1} bytes long, and {len(MODEL)} in the repository's list")

        def endless(handler, begin):
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            for piece in (MODEL, MODEL, b""):
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            return True
        self.server.fault = endless
        self.assert_refused(f"is longer than the {len(MODEL)} bytes that it should have")

    def test_another_hash(self):
        self.server.add("m-Q4_0.gguf", oid="0" * 64)
        self.assert_refused(f"its hash is {self.server.model.sha256()} instead of {'0' * 64}. It is removed")

    def test_a_page_instead_of_a_model(self):
        self.server.fault = lambda handler, begin: handler.reply(200, b"<html>" * 100, Content_Type="text/html")
        self.assert_refused("/m.gguf is no GGUF file but text/html", self.server.url + "/m.gguf")

    def test_bytes_from_elsewhere(self):
        def fault(handler, begin):
            if not begin:
                return handler.send_file(0, 1000)
            return handler.reply(206, b"GGUF", Content_Range=f"bytes 0-3/{len(MODEL)}")
        self.server.fault = fault
        self.assert_refused("is sent from another byte on than was asked for", keeps=True)

    def test_a_model_that_llmd_cannot_use(self):
        self.server.fault = lambda handler, begin: handler.reply(200, b"GGUF" + bytes(100))
        self.assert_refused("/m.gguf: ", self.server.url + "/m.gguf")

    def test_what_is_not_given(self):
        for status, code, reason in (401, 6, "HF_TOKEN"), (404, 4, "answered 404"), (418, 1, "answered 418 (no \\x1b[1m)"):
            with self.subTest(status):
                self.server.fault = lambda handler, begin, status=status: handler.reply(status, X_Error_Message="no \x1b[1m")
                self.assert_refused(reason, code=code)
        self.assert_refused("hf:o/other@main: the server answered 404", "hf:o/other", code=4)

    def test_what_is_no_model_by_itself(self):
        self.server.files.clear()
        for path, reason in (("m-00002-of-00003.gguf", "part 2 of 3 of a split model"),
                             ("mmproj-m-f16.gguf", "a projector for pictures")):
            self.server.add(path)
            self.assert_refused(f"{path} is {reason}", f"hf:o/r/{path}")
        self.assert_refused("m-00002-of-00003.gguf is part 2 of 3")
        self.assert_refused("has no file x.gguf; it has m-00002", "hf:o/r/x.gguf", code=4)
        self.assertEqual(self.server.ranges, [])

    def test_a_model_of_a_kind_that_llmd_does_not_run(self):
        """Is refused before it is fetched."""
        self.server.architecture = "mamba"
        self.assert_refused('the architecture "mamba", which llmd does not run; it runs gpt2, llama, qwen2')
        self.assertEqual(self.server.ranges, [])
        self.pull("hf:o/r/m-Q4_0.gguf")
        self.assert_there()

    def test_a_list_that_lies(self):
        for changes in {"oid": "../../x"}, {"size": -1}, {"size": "1"}, {"oid": None}:
            with self.subTest(changes):
                self.server.add("m-Q4_0.gguf", **changes)
                self.assert_refused("no size or no hash")

    def test_nobody_answers(self):
        self.server.close()
        self.assert_refused("cannot be reached")

    def test_a_full_disk(self):
        """64 MiB stay free."""
        small = harness.with_tmpfs(self.folder, "size=66m", 'exec "$@"')
        self.server.model = Model(8 << 20)
        self.server.add("m-Q4_0.gguf")
        done = self.pull(prefix=small, code=1)
        self.assertRegex(done.stderr, r"takes another 8\.4 MB, and 67\.1 MB are to stay free; there are 69\.\d MB in ")

    def test_a_name_that_is_taken(self):
        self.pull()
        self.assertIn("is there already; --name gives another name", self.pull(code=2).stderr)
        self.assertEqual(len(self.server.ranges), 1)


if __name__ == "__main__":
    unittest.main()
