"""llmd as a good citizen of a phone: memory, heat, power, sleep and idleness, on a device that the test holds in its
hands. Every wait is for what llmd reports or does; texts are compared with what they are when nobody disturbs them."""
import os
import select
import signal
import subprocess
import unittest

import harness
from gi.repository import Gio, GLib
from harness import LIMIT_S, LLAMA, LLMCTL, LLMD, MARKER, NAME, Daemon, PrivateBus, error_of, read_line, read_stream
from system_services import LEGACY_PROFILES, PROFILES, Login, PowerProfiles, SystemBus, Thermal, UPower

PROMPT = f"Once upon a time {MARKER}"
OPTIONS = {"max_tokens": 64, "temperature": 1.0, "model": LLAMA}


class PolicyCase(harness.TestCase):
    """Each class has an llmd and a device of its own."""

    settings = ""

    @classmethod
    def prepare(cls):
        cls.system_bus = SystemBus(cls.bus)
        cls.addClassCleanup(cls.system_bus.close)
        sysfs = cls.bus.path("sysfs")
        cls.thermal = Thermal(sysfs)
        cls.pressure = cls.bus.path("pressure")
        os.mkfifo(cls.pressure)
        cls.bus.environment.update(LLMD_SYSFS=sysfs, MEMORY_PRESSURE_WATCH=cls.pressure)
        with open(cls.bus.path("config/llmd/llmd.toml"), "a") as file:
            file.write("threads = 1\n" + cls.settings)

    def service(self, kind, *arguments, **options):
        service = kind(self.system_bus, *arguments, **options)
        self.addCleanup(service.close)
        return service

    def wait_status(self, key, words):
        """Until the words of `key` hold these (empty: until there are none)."""
        holds = (lambda: words in self.client.status()[key]) if words else (lambda: not self.client.status()[key])
        self.client.wait(holds, f"status {key} to say '{words}'")

    def wait_state(self, state):
        self.client.wait(lambda: self.client.status()["state"] == state, f"state {state}")

    def stall(self):
        """Programs wait for memory once more."""
        with open(self.pressure, "w") as fifo:
            fifo.write("x")

    def long_text(self):
        """(seed, text) of a generation that takes all its tokens."""
        for seed in range(50):
            text, info = self.client.generate(PROMPT, seed=seed, **OPTIONS)
            if info["generated_tokens"] == OPTIONS["max_tokens"]:
                self.texts.append(text)
                return seed, text
        self.fail("no seed gives a long text")

    def states(self):
        return {r["request"]: r["state"] for r in self.client.requests()}

    def begin_and_stop_engine(self, seed, **options):
        """(descriptor, first piece) of a text that has begun; its engine stands still until resume_engine()."""
        for _ in range(20):
            path, fd = self.client.stream(PROMPT, seed=seed, **OPTIONS, **options)
            first = read_line(fd)["text"]
            self.engine = self.daemon.engines()[0]
            os.kill(self.engine, signal.SIGSTOP)
            if self.states().get(path) == "decode":
                return fd, first
            # It was too quick.
            self.resume_engine()
            self.rest_of(fd)
        self.fail("every text was over before its engine could be stopped")

    def resume_engine(self):
        os.kill(self.engine, signal.SIGCONT)

    def rest_of(self, fd):
        more = ""
        while "text" in (line := read_line(fd)):
            more += line["text"]
        os.close(fd)
        self.assertTrue(line.get("done"), line)
        return more

    def ctl(self, *arguments, code=0):
        done = subprocess.run([LLMCTL, *arguments], env=self.bus.environment, capture_output=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, code, done.stderr)
        return (done.stderr if code else done.stdout).decode()


class Memory(PolicyCase):
    def test_stalls_go_down_the_ladder_and_what_runs_ends_well(self):
        seed, text = self.long_text()
        self.client.wait(lambda: self.client.status()["memory"] == "enough", "the memory to be enough")
        restarts = self.client.status()["engine_restarts"]
        with self.daemon.held_engine():
            streams = [self.client.stream(PROMPT, seed=seed, **OPTIONS) for _ in range(2)]
            self.client.wait(lambda: list(self.states().values()) == ["prefill"] * 2, "both to have a place")
            self.stall()
            self.wait_status("memory", "the cache has been dropped")
            self.stall()
            self.wait_status("memory", "one request runs at a time")
            self.assertEqual(sorted(self.states().values()), ["paused", "prefill"])
            self.assertRegex(self.ctl("status"), r"(?m)^Paused +all but one request, because memory is short$")
            self.stall()
            self.wait_status("memory", "the model goes when nobody needs it")
            self.stall()
            self.wait_status("memory", "new requests are refused")
            self.assertEqual(error_of(self.client.generate, PROMPT)[0], "OutOfMemory")
            self.assertIn("waiting for memory", self.ctl("generate", PROMPT, code=1))
        for _, fd in streams:
            self.assertEqual(read_stream(fd)[0], text)
        # On a slow machine the texts took so long that the memory is taken for enough again.
        for _ in range(3):
            self.stall()
        self.client.wait(lambda: not self.daemon.engines(), "the engine to end: its memory is wanted")
        self.assertEqual(self.client.status()["engine_restarts"], restarts)

    def test_an_engine_that_is_killed_meanwhile_is_replaced_when_memory_is_enough(self):
        seed, text = self.long_text()
        restarts = self.client.status()["engine_restarts"]
        with self.daemon.held_engine():
            _, fd = self.client.stream(PROMPT, seed=seed, **OPTIONS)
            self.client.wait(lambda: list(self.states().values()) == ["prefill"], "it to have a place")
            self.stall()
            self.wait_status("memory", "the cache has been dropped")
            killed, = self.daemon.engines()
            os.kill(killed, signal.SIGKILL)
        self.client.wait(lambda: killed not in self.daemon.engines(), "the engine to end")

        def is_enough():
            engines = self.daemon.engines()  # before the status, which may change meanwhile
            if self.client.status()["memory"] == "enough":
                return True
            self.assertEqual(engines, [])
            return False
        self.client.wait(is_enough, "the memory to be enough")
        self.assertEqual(read_stream(fd)[0], text)
        self.assertEqual(self.client.status()["engine_restarts"], restarts + 1)


class Heat(PolicyCase):
    def test_slows_down_pauses_and_goes_on(self):
        seed, text = self.long_text()
        self.assertEqual(self.client.status()["heat"], "", "nothing is measured while nothing works")
        fd, first = self.begin_and_stop_engine(seed)
        self.thermal.set(92)
        self.wait_status("heat", "cpu-thermal is at 92.0 °C of 90.0 °C, computing 24 % of the time")
        self.wait_state("throttled")
        self.assertEqual(list(self.states().values()), ["decode"])
        self.thermal.set(101)
        self.wait_status("paused", "everything, because cpu-thermal is at 101.0 °C")
        self.wait_state("throttled")
        self.assertRegex(self.ctl("status"), r"(?m)^State +throttled\n(.*\n)*Heat +cpu-thermal is at 101.0 °C")
        _, other_fd = self.bus.connect().stream(PROMPT, seed=seed, **OPTIONS)
        self.client.wait(lambda: list(self.states().values()) == ["paused", "queued"], "both to wait")
        self.resume_engine()
        self.thermal.set(86)
        self.assertEqual(first + self.rest_of(fd), text)
        self.assertEqual(read_stream(other_fd)[0], text)
        self.wait_state("ready")
        self.wait_status("heat", "")


class Power(PolicyCase):
    def test_background_waits_while_power_is_short(self):
        seed, text = self.long_text()
        self.wait_status("power", "")
        profiles = [self.service(PowerProfiles, name) for name in (PROFILES, LEGACY_PROFILES)]
        upower = self.service(UPower)
        self.wait_status("power", "mains")
        fd, first = self.begin_and_stop_engine(seed, priority="background")
        upower.set_on_battery(True)
        self.wait_status("power", "battery")
        self.assertEqual(self.client.status()["paused"], "")
        for hold, release, why in (
                (lambda: upower.set_warning(3), lambda: upower.set_warning(1), "the battery is low"),
                (lambda: profiles[0].choose("power-saver"), lambda: profiles[0].choose("balanced"), "saves power"),
                (lambda: profiles[1].choose("power-saver"), lambda: profiles[1].choose("balanced"), "saves power")):
            hold()
            self.wait_status("paused", why)
            self.assertTrue(self.client.status()["paused"].startswith("background requests"))
            self.assertEqual(list(self.states().values()), ["paused"])
            release()
            self.wait_status("paused", "")
        self.resume_engine()
        self.assertEqual(first + self.rest_of(fd), text)

    def test_an_empty_battery_unloads_the_model_and_loses_nothing(self):
        seed, text = self.long_text()
        upower = self.service(UPower, on_battery=True)
        self.wait_status("power", "battery")
        fd, first = self.begin_and_stop_engine(seed, priority="background")
        upower.set_warning(4)
        self.wait_status("power", "battery, nearly empty")
        self.resume_engine()
        self.client.wait(lambda: not self.daemon.engines(), "the engine to end")
        name, message = error_of(self.client.generate, PROMPT, priority="background")
        self.assertEqual(name, "Suspended")
        self.assertIn("battery", message)
        _, info = self.client.generate(PROMPT, max_tokens=3)
        self.assertEqual(info["generated_tokens"], 3, "a person still gets an answer")
        self.client.wait(lambda: not self.daemon.engines(), "the engine to end again")
        upower.close()  # and with it what it said
        self.assertEqual(first + self.rest_of(fd), text)
        self.wait_status("power", "")

    def test_an_empty_battery_is_known_while_nothing_is_loaded(self):
        self.client.admin("UnloadModel", "(a{sv})", {})
        self.service(UPower, on_battery=True, warning=4)
        self.wait_status("power", "battery, nearly empty")
        self.assertEqual(error_of(self.client.generate, PROMPT, priority="background")[0], "Suspended")
        self.assertEqual(self.daemon.engines(), [])

    def test_a_service_that_is_not_there_is_never_started(self):
        upower = self.service(UPower)
        self.wait_status("power", "mains")
        upower.close()
        self.wait_status("power", "")
        self.client.generate(PROMPT, max_tokens=2)  # a model is loaded: sleep would be delayed
        self.assertEqual(self.system_bus.started(), [])


class Sleep(PolicyCase):
    def test_pauses_lets_the_device_sleep_and_goes_on(self):
        login = self.service(Login)
        seed, text = self.long_text()
        self.client.wait(lambda: login.n_held() == 1, "an inhibitor, since a model is loaded")
        arguments = login.inhibitors[0][0]
        self.assertEqual((arguments[0], arguments[3]), ("sleep", "delay"))
        fd, first = self.begin_and_stop_engine(seed)
        login.prepare_for_sleep(True)
        self.wait_state("suspended")
        self.assertEqual(login.n_held(), 1, "the engine has not stopped")
        self.resume_engine()
        self.client.wait(lambda: login.n_held() == 0, "the device to be let asleep")
        self.assertEqual(list(self.states().values()), ["paused"])
        status = self.client.status()
        self.assertEqual(status["sleep"], "going to sleep")
        self.assertEqual(status["paused"], "everything, because the device is going to sleep")
        self.assertEqual(error_of(self.client.generate, PROMPT)[0], "Suspended")
        self.assertIn("going to sleep", self.ctl("generate", PROMPT, code=6))
        login.prepare_for_sleep(False)
        self.client.wait(lambda: login.n_held() == 1, "the inhibitor to be taken again")
        self.assertEqual(first + self.rest_of(fd), text)
        self.client.admin("UnloadModel", "(a{sv})", {})
        self.client.wait(lambda: login.n_held() == 0, "no inhibitor without a model")

    def test_a_logind_that_goes_while_the_device_sleeps_leaves_nothing_paused(self):
        login = self.service(Login)
        self.client.load(LLAMA)
        self.client.wait(lambda: login.n_held() == 1, "an inhibitor")
        login.prepare_for_sleep(True)
        self.wait_state("suspended")
        login.close()
        self.wait_state("ready")


class Idle(PolicyCase):
    settings = "idle_unload_seconds = 1\n"

    def test_unloads_after_a_while_and_loads_again(self):
        for _ in range(2):
            _, info = self.client.generate(PROMPT, max_tokens=2)
            self.assertEqual(info["generated_tokens"], 2)
            self.client.wait(lambda: not self.daemon.engines(), "the idle model to go")
            self.wait_state("idle")


class Leaving(unittest.TestCase):
    """An llmd that the bus has started ends when nobody needs it, and the next call is answered by another."""

    def new_bus(self, idle_seconds=1):
        bus = PrivateBus()
        self.addCleanup(bus.close)
        with open(bus.path("config/llmd/llmd.toml"), "a") as file:
            file.write(f"threads = 1\nidle_unload_seconds = {idle_seconds}\nidle_exit_seconds = {idle_seconds}\n")
        with open(bus.path("services", NAME + ".service"), "w") as file:
            file.write(f"[D-BUS Service]\nName={NAME}\nExec={LLMD}\n")
        return bus

    def generate(self, client, token):
        # A token of its own for each: another llmd counts its requests from the beginning.
        _, info = client.generate(PROMPT, max_tokens=2, temperature=0.0, handle_token=token)
        self.assertEqual(info["generated_tokens"], 2)

    def wait_until_it_has_left(self, client, after=lambda: None):
        pid = client.connection.call_sync(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
            GLib.Variant("(s)", (NAME,)), None, Gio.DBusCallFlags.NONE, -1, None).unpack()[0]
        fd = os.pidfd_open(pid)
        try:
            after()
            ready, _, _ = select.select([fd], [], [], LIMIT_S)
            self.assertTrue(ready, "llmd did not leave")
        finally:
            os.close(fd)

    def test_leaves_only_if_the_bus_starts_it_again(self):
        bus = self.new_bus()
        by_hand = Daemon(bus)
        self.addCleanup(by_hand.stop)
        client = bus.connect()
        self.generate(client, "one")
        client.wait(lambda: not by_hand.engines(), "the idle model to go")
        client = self.new_bus().connect()
        for token in ("one", "two"):
            self.generate(client, token)  # starts it
            self.wait_until_it_has_left(client)
        self.assertIsNone(by_hand.process.poll(), "nobody starts this one again, and it had less to do")

    def test_leaves_too_when_systemd_has_started_it_for_the_bus(self):
        """systemd says which process is the service, and nothing of the bus."""
        bus = self.new_bus()
        client = bus.connect()
        client.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ReloadConfig",
                                    None, None, Gio.DBusCallFlags.NONE, -1, None)  # it lists what it knew when it began
        by_systemd = Daemon(bus, command=("sh", "-c", f'SYSTEMD_EXEC_PID=$$ exec "{LLMD}"'))
        self.addCleanup(by_systemd.stop)
        self.generate(client, "one")
        self.wait_until_it_has_left(client)
        self.generate(client, "two")

    def test_leaves_with_the_bus_that_has_started_it(self):
        """Long before its idle time; one that was started by hand waits for the next bus (hardship_test)."""
        bus = self.new_bus(idle_seconds=100 * LIMIT_S)
        client = bus.connect()
        self.generate(client, "one")
        self.wait_until_it_has_left(client, after=bus.restart)

    def test_no_call_is_lost_while_it_leaves(self):
        client = self.new_bus().connect()
        self.generate(client, "one")
        first = client.owner()
        # Calls without a pause until another one has taken over: some come in the moment of leaving.
        while client.owner() in (first, None):
            client.status()
        self.generate(client, "two")


if __name__ == "__main__":
    harness.main()
