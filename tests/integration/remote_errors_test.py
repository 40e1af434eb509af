"""What people and programs are told when a bigger machine fails: each row of what may go wrong, over the bus, over the socket, plain and
streamed, and by llmctl. The machines are fakes; llmd, llmd-remote and llmctl are the real ones."""
import concurrent.futures
import contextlib
import fcntl
import json
import os
import subprocess
import sys
import threading
import unittest

import harness
from fake_upstream import FakeUpstream, make_certificate, pin_of
from harness import LIMIT_S, LLAMA, LLMCTL, MARKER, GLib
from remote_peer import PROGRAM
from remote_rows import ECHO, NEVER_AGAIN, ROWS, SCHEMA, Row, row, status
from socket_test import Connection, events

PROMPT = f"Once {MARKER}"
N = 30
KEY = f"key-of-{MARKER}"
MOST_REMOTES = 16  # of the settings
# An error's HTTP status, whether trying again may help, and llmctl's exit code.
TOLD = {
    "RemoteUnreachable": (503, True, 5),
    "RemoteRefused": (502, False, 6),
    "RemoteLost": (502, False, 1),
    "ModelNotFound": (404, False, 4),
    "ContextExceeded": (400, False, 7),
    "InvalidArgument": (400, False, 2),
    "NotSupported": (400, False, 2),
    "QueueFull": (429, True, 5),
    "NotReady": (503, True, 5),
    "Timeout": (504, False, 1),
    "ConstraintFailed": (400, False, 8),
}
WAITS = ("RemoteUnreachable", "QueueFull", "NotReady", "Timeout")


class Case(harness.TestCase):
    places = threading.Semaphore(4)  # more requests of one process at a time are refused

    @classmethod
    def prepare(cls):
        cls.key = cls.bus.path("key")
        with open(os.open(cls.key, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(KEY + "\n")
        cls.rows = {}  # the remote's name -> Row
        cls.settings = {}  # the remote's name -> its [[remote]]

    @classmethod
    def add(cls, row, url=None, tls=None):
        """A remote that fails as the row says; (its name, the upstream)."""
        name, upstream = f"r{len(cls.rows)}", None
        if url is None:
            upstream = FakeUpstream({"api": row.api, "key": KEY, "faults": [row.fault] if row.fault else [], **row.script}, tls=tls)
            upstream.start()
            cls.addClassCleanup(upstream.stop)
            url = upstream.url
        lines = {"name": name, "url": url, "models": ["tales"], "apps": ["host"], "key_file": cls.key, **row.settings}
        cls.settings[name] = "[[remote]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())
        cls.rows[name] = row
        return name, upstream

    def read_settings(self, names):
        """Only these remotes are there from now on, and nothing is known of them."""
        self.bus.config("\n".join(self.settings[name] for name in names))
        self.client.admin("Reload")

    def setUp(self):
        super().setUp()
        self.own, _ = self.client.generate(PROMPT, model=LLAMA, max_tokens=N, temperature=0.0)
        self.texts.append(self.own)
        self.engine = self.client.engine_of(LLAMA)

    def check_device(self):
        """Its own model is as it was before, and no remote's state tells what was asked of it."""
        text, _ = self.client.generate(PROMPT, model=LLAMA, max_tokens=N, temperature=0.0)
        self.assertEqual((text, self.client.engine_of(LLAMA)), (self.own, self.engine))
        self.assertNotIn(MARKER, json.dumps(self.client.status()))
        log = self.bus.path("state/llmd/remote.log")
        if os.path.exists(log):
            with open(log) as file:
                self.assertNotIn(MARKER, file.read())

    # Each asks the remote for a text in one way: (error's name, its message, what TOLD has of it).

    def over_the_bus(self, name, row):
        client = self.bus.connect()
        options = {"model": f"tales@{name}", "max_tokens": N, "temperature": 0.0, **row.request}
        if row.api == "exo":
            talk = [{"role": GLib.Variant("s", "user"), "content": GLib.Variant("s", PROMPT)}]
            found = harness.error_of(client.call, "Chat", GLib.Variant("(aa{sv}a{sv})", (talk, harness.variants(options))))
        else:
            found = harness.error_of(client.generate, PROMPT, **options)
        return (*found, TOLD[row.error])

    def http(self, name, row, **more):
        body = {"model": f"tales@{name}", "max_tokens": N, "temperature": 0, **more}
        path = "/v1/completions"
        if row.api == "exo":
            path, body["messages"] = "/v1/chat/completions", [{"role": "user", "content": PROMPT}]
        else:
            body["prompt"] = PROMPT
        if "json_schema" in row.request:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "x", "schema": json.loads(SCHEMA)}}
        connection = Connection(self.bus.path("runtime/llmd/llmd.sock"))
        with self.places, contextlib.closing(connection):
            return connection.ask("POST", path, body)

    def refused(self, row, status, headers, data):
        error = json.loads(data)["error"]
        may_retry = "Retry-After" in headers
        self.assertEqual(headers.get("x-should-retry"), None if may_retry else "false")
        if row.retry_after:
            self.assertEqual(headers["Retry-After"], str(row.retry_after))
        return error["name"], error["message"], (status, may_retry, TOLD[row.error][2])

    def over_the_socket(self, name, row):
        return self.refused(row, *self.http(name, row))

    def streamed(self, name, row):
        status, headers, data = self.http(name, row, stream=True)
        # What does not fit the schema is a text of which nothing is told.
        if not row.begins and row.error != "ConstraintFailed":
            return self.refused(row, status, headers, data)
        self.assertEqual(status, 200)
        error = json.loads(events(data)[-1])["error"]
        return error["name"], error["message"], TOLD[row.error]

    def by_llmctl(self, name, row):
        words = [LLMCTL, "generate", "--model", f"tales@{name}", "--max-tokens", str(N), "--temperature", "0"]
        if row.api == "exo":
            words += ["--system", "A tale."]
        if "json_schema" in row.request:
            words += ["--json-schema", self.schema]
        done = subprocess.run([*words, PROMPT], env=self.bus.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
        lines = [line for line in done.stderr.splitlines() if line.startswith("llmctl: ")]
        return row.error, lines[-1].removeprefix("llmctl: ") if lines else "", (*TOLD[row.error][:2], done.returncode)

    WAYS = (over_the_bus, over_the_socket, streamed, by_llmctl)

    def check(self, row, error, message, told):
        self.assertEqual((error, told), (row.error, TOLD[row.error]), message)
        self.assertTrue(message)
        self.assertNotIn(KEY, message)
        if ECHO not in json.dumps(row.fault):
            self.assertNotIn(MARKER, message)


class Rows(Case):
    @classmethod
    def prepare(cls):
        super().prepare()
        cls.schema = cls.bus.path("schema.json")
        with open(cls.schema, "w") as file:
            file.write(SCHEMA)
        for row in ROWS:
            cls.add(row)
        # Those in which no text is asked for yet.
        with FakeUpstream({}) as gone:
            nobody = gone.url
        cls.add(Row("nobody listens", "vllm", {}, "RemoteUnreachable"), url=nobody)
        cls.add(Row("no such name", "vllm", {}, "RemoteUnreachable"), url="https://box.invalid")
        cls.add(Row("no such interface", "vllm", {}, "RemoteUnreachable", settings={"interface": "wg-absent"}), url="http://192.0.2.1")
        folder = cls.bus.path()
        good, other, expired = (make_certificate(folder), make_certificate(folder, "example.org"), make_certificate(folder, valid_s=-60))
        for what, pair, settings in (("signed by nobody", good, {}),
                                     ("another key than the pinned one", good, {"ca_file": good[0], "pin": pin_of(other[0])}),
                                     ("another's name", other, {"ca_file": other[0]}),
                                     ("expired", expired, {"ca_file": expired[0]})):
            cls.add(Row(what, "vllm", {}, "RemoteRefused", settings=settings), tls=pair)
        cls.add(Row("a model that is not listed", "llama-server", {}, "ModelNotFound", script={"models": ["other"], "serves_unlisted": True}))
        cls.add(Row("a prompt that is too long", "vllm", {}, "ContextExceeded", script={"n_ctx": 4}))
        cls.add(Row("it never loads", "vllm", {"path": "*", "status": 503, "times": -1, "body": {"error": {"message": "Loading model"}}},
                    "NotReady", settings={"first_token_seconds": 1}))
        cls.add(Row("the list is busy", "vllm", {"path": "*", **status(429, headers={"Retry-After": 100}), "times": -1}, "QueueFull",
                    retry_after=100))
        cls.add(Row("the list is a page", "vllm", {"path": "*", "html": True, "times": -1}, "RemoteRefused"))
        cls.add(Row("the list is elsewhere", "vllm", {"path": "*", "redirect": nobody, "times": -1}, "RemoteRefused"))
        public = cls.bus.path("public-key")
        with open(public, "w") as file:
            file.write(KEY + "\n")
        os.chmod(public, 0o644)
        cls.add(Row("others can read the key", "vllm", {}, "NotReady", settings={"key_file": public}))

    def test_each_is_told_in_every_way(self):
        """In turn: at any time a fourth of the remotes is asked in each way, and all at once."""
        # What is tried again, as an answer that ends without a reason is too, waits together.
        names = sorted(self.rows, key=lambda name: self.rows[name].error in WAITS or "html" in self.rows[name].fault)
        for begin in range(0, len(names), MOST_REMOTES):
            some = names[begin:begin + MOST_REMOTES]
            for turn in range(len(self.WAYS)):
                self.read_settings(some)
                asked = []
                with concurrent.futures.ThreadPoolExecutor(MOST_REMOTES) as pool:
                    for i, name in enumerate(some):
                        way = self.WAYS[(i + turn) % len(self.WAYS)]
                        asked.append((name, way, pool.submit(way, self, name, self.rows[name])))
                for name, way, future in asked:
                    row = self.rows[name]
                    with self.subTest(row.what, api=row.api, way=way.__name__):
                        self.check(row, *future.result())
                self.check_device()


class InTheMiddle(Case):
    """What happens while a text comes, which a program reads as it comes."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.folder = cls.bus.path()
        cls.certificate = make_certificate(cls.folder)
        stalls = {"stall": True, "after": 5}
        cls.dies, cls.dying = cls.add(Row("it dies", "vllm", stalls, ""))
        cls.sealed, cls.expiring = cls.add(Row("its certificate expires", "vllm", stalls, "", settings={"ca_file": cls.bus.path("both.pem")}),
                                           tls=cls.certificate)
        cls.unloaded, _ = cls.add(Row("it has to load", "llama-server", {}, "", script={"router": {"tales": "unloaded"}}))
        cls.hung, _ = cls.add(row("it pings only", "vllm", {"ping": True, "after": 5}, "RemoteLost", settings=NEVER_AGAIN,
                                  script={"ping_ms": 5000}, begins=True))
        cls.silent, _ = cls.add(row("it is silent after pings", "exo", {"hang": True, "after": 5}, "RemoteLost", settings=NEVER_AGAIN,
                                    begins=True))
        cls.endless, _ = cls.add(Row("nobody reads", "vllm", {}, ""))
        cls.names = list(cls.settings)

    def setUp(self):
        super().setUp()
        self.read_settings(self.names)

    def tearDown(self):
        self.check_device()
        super().tearDown()

    def begin(self, name, upstream, **options):
        """A text that has begun, and then does not go on: what is left to read of it, and its beginning."""
        path, fd = self.client.stream(PROMPT, model=f"tales@{name}", max_tokens=N, temperature=0.0, **options)
        first = harness.read_line(fd)
        upstream.wait(lambda it: it.generations()[-1].tokens >= 5)
        return path, fd, first["text"]

    def rest(self, fd):
        lines = [json.loads(line) for line in harness.read_all(fd).splitlines()]
        return "".join(line["text"] for line in lines[:-1]), lines[-1]

    def comes_back(self, upstream, certificate=None, **script):
        upstream.stop()
        upstream.play({"api": "vllm", "key": KEY, **script})
        if certificate:
            upstream.use_certificate(certificate)
        upstream.start()

    def test_it_dies_and_goes_on_and_dies_and_is_another(self):
        stalls = [self.rows[self.dies].fault]
        self.comes_back(self.dying, faults=stalls)
        path, fd, begun = self.begin(self.dies, self.dying)
        self.comes_back(self.dying)
        text, last = self.rest(fd)
        self.assertTrue(last["done"], last)
        whole, info = self.client.generate(PROMPT, model=f"tales@{self.dies}", max_tokens=N, temperature=0.0)
        self.assertEqual((begun + text, info.get("resumed", 0)), (whole, 0))
        self.client.wait_finished(path)
        self.assertEqual(self.client.finished[path][3]["resumed"], 1)
        for another in ({"models": ["tales"], "n_ctx": 2048}, {"models": ["other"], "serves_unlisted": True}):
            with self.subTest(another=another):
                self.comes_back(self.dying, faults=stalls)
                self.read_settings(self.names)
                _, fd, begun = self.begin(self.dies, self.dying)
                self.comes_back(self.dying, **another)
                text, last = self.rest(fd)
                self.assertEqual(last["error"]["name"], "RemoteLost")
                self.assertTrue(whole.startswith(begun + text))

    def test_its_certificate_expires(self):
        expired = make_certificate(self.folder, valid_s=-60)
        with open(self.bus.path("both.pem"), "w") as both:
            for certificate, _ in (self.certificate, expired):
                with open(certificate) as file:
                    both.write(file.read())
        _, fd, _ = self.begin(self.sealed, self.expiring)
        n_calls = len(self.expiring.calls)
        self.comes_back(self.expiring, expired)
        _, last = self.rest(fd)
        self.assertEqual((last["error"]["name"], len(self.expiring.calls)), ("RemoteRefused", n_calls))

    def test_a_deadline_passes(self):
        self.comes_back(self.dying, faults=[{"silent": True}])
        text, info = self.client.generate(PROMPT, model=f"tales@{self.dies}", max_tokens=N, deadline_ms=200)
        self.assertEqual((text, info["finish_reason"]), ("", "timeout"))
        self.dying.wait(lambda it: it.generations()[-1].left)

    def test_settings_that_are_wrong_change_nothing(self):
        one, another = (self.settings[name] for name in (self.unloaded, self.dies))
        for wrong, reason in ((one + one, "another one has this name already"), (one + another.replace("[[remote]]\n", '[[remote]]\npin = "sha256//x"\n'), "pin: ")):
            with self.subTest(reason):
                self.bus.config(wrong)
                self.client.admin("Reload")
                self.assertIn(reason, self.client.status()["settings_error"])
                name, message = harness.error_of(self.client.generate, PROMPT, model=f"tales@{self.unloaded}")
                self.assertEqual((name, reason in message), ("NotReady", True), message)
                self.check_device()

    # Two minutes pass; the times by a clock are those of session_clock_test.cpp.
    @unittest.skipUnless(os.environ.get("LLMD_ALL"), "left to another lane: what takes minutes")
    def test_nothing_comes_and_nobody_reads(self):
        path, fd = self.client.stream(PROMPT, model=f"tales@{self.endless}", max_tokens=4000, temperature=0.0)
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 4096)
        ways = [(way, name) for way in self.WAYS[:2] for name in (self.hung, self.silent)]
        with concurrent.futures.ThreadPoolExecutor(len(ways)) as pool:
            asked = [pool.submit(way, self, name, self.rows[name]) for way, name in ways]
        for (way, name), future in zip(ways, asked):
            with self.subTest(self.rows[name].what, way=way.__name__):
                self.check(self.rows[name], *future.result())
        self.assertEqual(self.client.wait_finished(path)[1], harness.ERROR + "SlowConsumer")
        os.close(fd)

    def test_it_has_to_load(self):
        text, info = self.client.generate(PROMPT, model=f"tales@{self.unloaded}", max_tokens=N, temperature=0.0)
        self.assertEqual((info["finish_reason"], info["where"]), ("length", self.unloaded))


if __name__ == "__main__":
    if not os.path.exists(PROGRAM):
        print(f"skipped: there is no {PROGRAM}")
        sys.exit(harness.SKIP)
    harness.main()
