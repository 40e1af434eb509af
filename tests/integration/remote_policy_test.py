"""Who may have a request handed to a bigger machine, when, and what becomes of one that may not: a test for each rule, through the
real programs. The machine is a fake, and so is the device's desktop; Flatpaks are processes with another root."""
import json
import os
import re
import subprocess
import sys

import harness
from bridge import Bridge
from fake_upstream import FakeUpstream
from gi.repository import GLib
from harness import LIMIT_S, LLAMA, LLMCTL, MARKER, NAME, error_of, read_line
from socket_test import Connection
from system_services import ModemManager, NetworkManager, PowerProfiles, PROFILES, SystemBus

PROMPT = f"Once upon a time {MARKER}"
MODEL = "tales@home"
N = 12
OPTIONS = {"max_tokens": N, "temperature": 0.0}
NOTES = "org.example.Notes"
SETTINGS = """
backend = "cpu"
threads = 1
model = "{own}"
[[remote]]
name = "home"
url = "{url}"
models = ["tales"]
apps = {apps}
metered = "{metered}"
{more}
"""


class RemotePolicy(harness.TestCase):
    script = {"api": "llama-server", "models": ["tales"], "token_ms": 1}

    @classmethod
    def prepare(cls):
        cls.upstream = FakeUpstream(cls.script)
        cls.upstream.__enter__()
        cls.addClassCleanup(cls.upstream.__exit__, None, None, None)
        cls.system_bus = SystemBus(cls.bus)
        cls.addClassCleanup(cls.system_bus.close)
        cls.pressure = cls.bus.path("pressure")
        os.mkfifo(cls.pressure)
        cls.bus.environment.update(MEMORY_PRESSURE_WATCH=cls.pressure)
        cls.write_settings()

    @classmethod
    def write_settings(cls, apps=("host",), metered="deny", url=None, more=""):
        cls.bus.config(SETTINGS.format(url=url or cls.upstream.url, apps=json.dumps(list(apps)), metered=metered, own=LLAMA,
                                   more=more))

    def settings(self, **changes):
        self.write_settings(**changes)
        self.client.admin("Reload")
        self.addCleanup(self.restore)

    def restore(self):
        self.write_settings()
        self.bus.connect().admin("Reload")

    had_services = False

    def setUp(self):
        super().setUp()
        self.upstream.play(self.script)
        self.client.admin("Reload")  # nothing is away or off because of another test
        if self.had_services:
            self.wait_without_services()
            type(self).had_services = False
        self.n_calls = len(self.upstream.calls)

    def service(self, kind, *arguments, **options):
        type(self).had_services = True
        service = kind(self.system_bus, *arguments, **options)
        self.addCleanup(service.close)
        return service

    def wait_without_services(self):
        """Until llmd knows that those of the last test have gone, of which only the ends of requests tell."""
        for _ in range(1000):
            if self.end_of() == "home":
                return
        self.fail("llmd goes by services that have gone")

    def generate(self, model=MODEL, fallback=(), **options):
        text, info = self.client.generate(PROMPT, model=model, **OPTIONS, **options,
                                          **({"fallback": GLib.Variant("as", fallback)} if fallback else {}))
        self.texts.append(text)
        return text, info

    def refusal(self, model=MODEL, **options):
        return error_of(self.generate, model, **options)

    def assert_nothing_was_sent(self):
        self.assertEqual(len(self.upstream.calls), self.n_calls)

    def assert_no_prompt_was_sent(self):
        """An llmd-remote that was started before a condition was noticed may still ask the server what it is."""
        self.assertEqual([call.path for call in self.upstream.calls[self.n_calls:] if MARKER in json.dumps(call.body)], [])

    def listed(self, client=None):
        models, = (client or self.client).call("ListModels", GLib.Variant("(a{sv})", ({},)))
        return {model["name"]: model for model in models}

    def in_flatpak(self, *calls, app=NOTES):
        """What each call answered: ["ok", value] or [error name, message]."""
        done = subprocess.run([sys.executable, __file__, self.bus.flatpak_root(app), self.bus.address, json.dumps(calls)],
                              capture_output=True, text=True, timeout=LIMIT_S, check=False)
        if done.returncode == harness.NOT_PERMITTED:
            self.skipTest(harness.NO_OTHER_ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    # --- Who: "host programs", "Flatpak", "bridge clients, unidentified" ---

    def test_nobody_is_listed_by_default(self):
        self.settings(apps=())
        self.assertEqual(self.refusal()[0], "NotAllowed")
        self.assertEqual(list(self.listed()), list(self.own_models()))
        self.assert_nothing_was_sent()

    def address(self):
        return self.upstream.url.split("/")[2]

    def own_models(self):
        return [name for name in self.listed() if "@" not in name]

    def test_a_host_program_sees_what_it_may_ask_for_and_nobody_is_contacted(self):
        model = self.listed()[MODEL]
        self.assertEqual((model["remote"], model["host"], model["guarantees"]), ("home", self.address(), ["schema checked"]))
        self.assertEqual((model["path"], model["loaded"], model["default"]), ("", False, False))
        self.assertEqual(self.ask("/v1/models")["data"][-1]["remote"], "home")
        self.assertEqual(self.ask("/v1/models/" + MODEL)["owned_by"], "home")
        self.assertEqual(self.ask("/api/tags")["models"][-1]["remote_host"], self.address())
        done = subprocess.run([LLMCTL, "models"], env=self.bus.environment, capture_output=True, text=True, timeout=LIMIT_S, check=True)
        self.assertRegex(done.stdout, rf"(?m)^ +{MODEL} +at {re.escape(self.address())}$")
        self.assert_nothing_was_sent()

    def test_a_flatpak_that_is_not_listed_learns_of_nothing(self):
        self.settings(apps=("host", "org.example.Other"))
        models, (name, message), (ghost_name, ghost), fallback = self.in_flatpak(
            "list", {"model": MODEL}, {"model": "tales@nowhere"}, {"model": MODEL, "fallback": [LLAMA]})
        self.assertEqual(models, ["ok", self.own_models()])
        self.assertEqual((name, message), (ghost_name, ghost.replace("nowhere", "home")))
        self.assertEqual((name, "apps" in message), ("NotAllowed", False))
        self.assertEqual(fallback, ["ok", [LLAMA, "device"]])
        self.assert_nothing_was_sent()

    def test_a_wildcard_never_lets_a_flatpak_in(self):
        self.settings(apps=("*", "host"))
        self.assertEqual(self.generate()[1]["where"], "home")
        self.n_calls = len(self.upstream.calls)
        models, generated = self.in_flatpak("list", {"model": MODEL})
        self.assertEqual((models, generated[0]), (["ok", self.own_models()], "NotAllowed"))
        self.assert_nothing_was_sent()

    def test_a_flatpak_that_is_listed_by_its_exact_id_may(self):
        self.settings(apps=(NOTES,))
        models, generated = self.in_flatpak("list", {"model": MODEL})
        self.assertEqual((models, generated), (["ok", [*self.own_models(), MODEL]], ["ok", [MODEL, "home"]]))
        self.n_calls = len(self.upstream.calls)
        self.assertEqual(self.in_flatpak({"model": MODEL}, app=NOTES + "Too")[0][0], "NotAllowed")
        self.assertEqual(self.refusal()[0], "NotAllowed", "the host is not listed")
        self.assert_nothing_was_sent()

    def test_who_cannot_be_identified_may_never(self):
        self.settings(apps=("*", "host", NOTES))
        models, generated = self.in_flatpak("list", {"model": MODEL}, app="no id")
        self.assertEqual((models, generated[0]), (["ok", self.own_models()], "NotAllowed"))
        self.assert_nothing_was_sent()

    def test_what_comes_through_the_bridge_may_never(self):
        bridge = Bridge(self.bus.environment)
        self.addCleanup(bridge.stop)
        status, answer = bridge.exchange(bridge.post({"model": MODEL, "prompt": PROMPT, "max_tokens": 2}))
        self.assertEqual((status, body_of(answer)["error"]["name"]), (403, "NotAllowed"))
        _, answer = bridge.get(path="/v1/models")
        self.assertEqual([model["id"] for model in body_of(answer)["data"]], self.own_models())
        self.assert_nothing_was_sent()

    # --- When: "metered", "background" ---

    def end_of(self, **options):
        """Where a text is from, or the error's name, while the fake services answer."""
        try:
            path, fd = self.client.stream(PROMPT, model=MODEL, **OPTIONS, **options)
        except GLib.Error as error:
            return harness.parts_of(error)[0]
        _, name, _, info = self.client.wait_finished(path)
        os.close(fd)
        return name.removeprefix(harness.ERROR) or info["where"]

    def wait_end(self, end, what):
        self.client.wait(lambda: self.end_of() == end, what)
        self.n_calls = len(self.upstream.calls)

    def test_a_metered_connection_is_refused_unless_it_is_allowed(self):
        network = self.service(NetworkManager)
        self.wait_end("home", "the network to be known")
        network.set_metered(NetworkManager.METERED)
        self.wait_end("NotAllowed", "the metered connection to be noticed")
        self.assertIn("metered", self.refusal()[1])
        self.assertEqual(self.generate(fallback=[LLAMA])[1]["where"], "device")
        self.assert_no_prompt_was_sent()
        self.settings(metered="allow")
        self.assertEqual(self.end_of(), "home")

    def test_roaming_costs_whatever_the_network_manager_says(self):
        self.service(NetworkManager, type="gsm")
        modem = self.service(ModemManager)
        self.wait_end("home", "a modem that costs nothing")
        modem.register(ModemManager.ROAMING)
        self.wait_end("NotAllowed", "roaming to be noticed")
        self.assertEqual(self.refusal()[0], "NotAllowed")
        self.assert_no_prompt_was_sent()

    def test_background_does_not_go_over_a_modem(self):
        self.service(NetworkManager, type="gsm")
        self.client.wait(lambda: self.end_of(priority="background") == "Suspended", "the modem to be noticed")
        self.n_calls = len(self.upstream.calls)
        name, message = self.refusal(priority="background")
        self.assertEqual((name, "mobile network" in message), ("Suspended", True))
        self.assert_no_prompt_was_sent()
        self.assertEqual(self.end_of(), "home", "a person may")

    def test_background_waits_on_battery_saver(self):
        profiles = self.service(PowerProfiles, PROFILES)
        profiles.choose("power-saver")
        self.client.wait(lambda: self.client.status()["power_saving"] == 1, "battery saver")
        path, fd = self.client.stream(PROMPT, model=MODEL, priority="background", **OPTIONS)
        self.assertEqual(self.generate()[1]["where"], "home", "a person is not kept waiting")
        self.n_calls = len(self.upstream.calls)
        self.assertEqual({r["request"]: r["state"] for r in self.client.requests()}, {path: "queued"})
        self.assert_nothing_was_sent()
        profiles.choose("balanced")
        self.assertEqual(harness.read_stream(fd)[1]["usage"]["where"], "home")

    # --- Over what: "transport", "names" ---

    def test_prompts_never_travel_in_the_clear(self):
        for url in ("http://box.lan:8080", "http://box.local", "http://192.0.2.7:1"):
            self.settings(url=url)
            self.assertIn("sends prompts in the clear", self.client.status()["settings_error"], url)
            self.assertEqual(self.refusal()[0], "NotReady", url)  # llmd-remote reads them too
        self.assert_nothing_was_sent()

    # --- "which name", "device refuses" ---

    def test_a_device_that_is_short_of_memory_gives_nothing_away(self):
        try:
            for state in ("cache_dropped", "one_at_a_time", "unloads_when_idle", "refuses"):
                with open(self.pressure, "w") as fifo:
                    fifo.write("x")
                self.client.wait(lambda s=state: self.client.status()["memory_state"] == s, f"memory to be so short: {state}")
            self.assertEqual(self.refusal(LLAMA)[0], "OutOfMemory")
            name, message = self.refusal(LLAMA, fallback=[MODEL])
            self.assertEqual(name, "OutOfMemory", message)
            self.assert_nothing_was_sent()
        finally:
            self.restart_llmd()

    def restart_llmd(self):
        """Memory is taken for short for a while."""
        cls = type(self)
        self.assertEqual(cls.daemon.stop(), 0)
        cls.daemon = harness.Daemon(cls.bus, "llmd2.log")

    # --- "unreachable": fallback ---

    def test_without_a_fallback_it_is_an_error(self):
        self.upstream.stop()
        self.addCleanup(self.upstream.start)
        self.assertEqual(self.refusal()[0], "RemoteUnreachable")
        self.assertEqual(self.refusal()[0], "RemoteUnreachable", "at once")

    def test_a_fallback_answers_before_the_first_byte(self):
        own, _ = self.generate(LLAMA)
        self.upstream.stop()
        self.addCleanup(self.upstream.start)
        text, info = self.generate(fallback=["tales@nowhere", LLAMA])
        self.assertEqual((text, info["model"], info["where"]), (own, LLAMA, "device"))
        self.assertEqual(info["notes"], [f'fallback: "{MODEL}" failed with RemoteUnreachable, "tales@nowhere" failed with ModelNotFound'])
        done = subprocess.run([LLMCTL, "generate", "--model", MODEL, "--fallback", LLAMA, "--max-tokens", str(N), "--temperature", "0",
                               PROMPT], env=self.bus.environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        self.assertEqual((done.returncode, done.stdout.rstrip("\n")), (0, own.rstrip("\n")), done.stderr)
        self.assertEqual(done.stderr, f"llmctl: generated by {LLAMA}, since {MODEL} failed\n")

    def test_a_fallback_is_told_over_http(self):
        for stream in (False, True):
            self.upstream.play({**self.script, "faults": [{"status": 429, "headers": {"Retry-After": 100}, "times": -1}]})
            answer, headers = self.post({"model": MODEL, "fallback": [LLAMA], "prompt": PROMPT, "stream": stream, **OPTIONS})
            self.assertEqual((answer["model"], headers["x-llmd-where"]), (LLAMA, "device"))
            self.assertEqual(headers["x-llmd-note"], f'fallback: "{MODEL}" failed with QueueFull')
            self.upstream.play(self.script)
            answer, headers = self.post({"model": MODEL, "fallback": [LLAMA], "prompt": PROMPT, "stream": stream, **OPTIONS})
            self.assertEqual((answer["model"], headers["x-llmd-where"], headers.get("x-llmd-note")), (MODEL, "home", None))

    def test_llmctl_draws_seeds_that_remotes_hold(self):
        for _ in range(4):
            done = self.ctl("generate", "--model", MODEL, "--fallback", LLAMA, "--max-tokens", "2", PROMPT)
            # Two random tokens may be no text at all, which llmctl says on a line of its own.
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"^llmctl: generated by home, not on this device\n(llmctl: cut after .*\n)?$")

    def test_llmctl_tells_who_has_answered(self):
        for failing, hint in (("tales@nowhere", f"llmctl: generated by {LLAMA}, since tales@nowhere failed\n"), ("", "")):
            model = ("--model", failing) if failing else ()
            done = self.ctl("generate", *model, "--fallback", LLAMA, "--max-tokens", "2", "--temperature", "0", PROMPT)
            self.assertEqual((done.returncode, done.stderr), (0, hint))
        models = json.loads(self.ctl("models", "--json").stdout)["models"]
        self.assertEqual(models, self.client.call("ListModels", GLib.Variant("(a{sv})", ({},)))[0])
        self.assertIn(MODEL, [model["name"] for model in models])

    def ctl(self, *arguments):
        return subprocess.run([LLMCTL, *arguments], env=self.bus.environment, capture_output=True, text=True, timeout=LIMIT_S,
                              check=False)

    def test_the_first_byte_ends_it(self):
        self.settings(more="resume_seconds = 0")
        self.upstream.play({**self.script, "faults": [{"error": {"error": {"message": "died", "code": 500}}, "done": True, "after": 3,
                                                       "times": -1}]})
        _, fd = self.client.stream(PROMPT, model=MODEL, fallback=GLib.Variant("as", [LLAMA]), **OPTIONS)
        lines = [json.loads(line) for line in harness.read_all(fd).splitlines()]
        self.assertTrue(lines[0]["text"])
        self.assertEqual(lines[-1]["error"]["name"], "RemoteLost")

    def test_the_device_goes_to_a_remote_only_where_it_is_listed(self):
        self.assertEqual(self.refusal("not-here")[0], "ModelNotFound")
        self.assert_nothing_was_sent()
        _, info = self.generate("not-here", fallback=[MODEL])
        self.assertEqual((info["model"], info["where"]), (MODEL, "home"))

    # --- "visible" ---

    def test_a_shell_is_told_when_a_request_is_away(self):
        told = []
        self.client.connection.signal_subscribe(
            NAME, "org.freedesktop.DBus.Properties", "PropertiesChanged", harness.ROOT, None, 0,
            lambda *arguments: told.append(arguments[5].unpack()))
        self.assertEqual(self.in_use(), [])
        self.upstream.play({**self.script, "faults": [{"stall": True, "after": 2}]})
        path, fd = self.client.stream(PROMPT, model=MODEL, **OPTIONS)
        self.assertTrue(read_line(fd)["text"])
        self.client.wait(lambda: any("RemotesInUse" in invalidated for _, _, invalidated in told), "a signal")
        self.assertFalse(any("RemotesInUse" in changed for _, changed, _ in told), "whose value depends on the reader")
        self.assertEqual(self.in_use(), ["home"])
        self.assertEqual([(r["request"], r["where"]) for r in self.client.requests()], [(path, "home")])
        self.assertEqual(self.in_flatpak("in use")[0], ["ok", []], "it is another application's")
        told.clear()
        self.upstream.release()
        harness.read_all(fd)
        self.client.wait(lambda: any("RemotesInUse" in invalidated for _, _, invalidated in told), "a second one")
        self.assertEqual(self.in_use(), [])

    def in_use(self):
        return in_use(self.client)

    # --- The socket ---

    def post(self, body):
        """(object, headers): the answer, or the first of a stream."""
        status, headers, data = self.http("POST", "/v1/completions", body)
        self.assertEqual(status, 200, data)
        return json.loads(data.split(b"\n\n", 1)[0].removeprefix(b"data: ")), headers

    def ask(self, path):
        return json.loads(self.http("GET", path)[2])

    def http(self, *words):
        connection = Connection(self.bus.path("runtime/llmd/llmd.sock"))
        self.addCleanup(connection.close)
        return connection.ask(*words)


def body_of(answer):
    return json.loads(answer.partition(b"\r\n\r\n")[2])


def in_use(client):
    return client.call("Get", GLib.Variant("(ss)", (NAME, "RemotesInUse")), interface="org.freedesktop.DBus.Properties")[0]


def call(root, address, calls):
    """The part of in_flatpak() that runs in a process of its own."""
    clients = harness.enter_root(root, address)
    if not clients:
        return harness.NOT_PERMITTED
    client, = clients
    answers = []
    for what in json.loads(calls):
        try:
            if what == "list":
                models, = client.call("ListModels", GLib.Variant("(a{sv})", ({},)))
                assert not any(model.get("host") or model["path"] for model in models), "no addresses, no paths"
                answers.append(["ok", [model["name"] for model in models]])
            elif what == "in use":
                answers.append(["ok", in_use(client)])
            else:
                if "fallback" in what:
                    what["fallback"] = GLib.Variant("as", what["fallback"])
                _, info = client.generate(PROMPT, **what, **OPTIONS)
                answers.append(["ok", [info["model"], info["where"]]])
        except GLib.Error as error:
            answers.append(list(harness.parts_of(error)))
    print(json.dumps(answers))
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 4:
        sys.exit(call(*sys.argv[1:]))
    harness.main()
