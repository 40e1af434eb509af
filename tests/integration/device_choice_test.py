"""With `auto` the device is chosen by its speed at the first load of a model, once for each driver, and said by status,
doctor and the log. PoCL stands for a GPU. LLMD_FAULT_LAYER is tests/fault's layer."""
import json
import os
import re
import shutil
import subprocess

import harness
from fault_control import ABORT, CHANGE_DRIVER, EVERY_TIME, HIDE_CPU_TYPE, FaultControl
from harness import GPT2, LLMCTL, MARKER

CHOSEN = re.compile(r"^(?P<chosen>.+) was chosen: (?P<speed>[\d.]+) tokens/s; (?P<other>.+?): (?P<slower>[\d.]+) tokens/s; "
                    r"(a GPU that is nearly as fast leaves the processor free; )?"
                    r"timed at the first load, on \d{4}-\d\d-\d\d, and kept until a driver, the devices or llmd change$")
GPU_SHARE = 0.8  # kGpuShare of device_choice.h
ROUNDING = 0.1


class Choosing(harness.TestCase):
    @classmethod
    def prepare(cls):
        os.makedirs(cls.bus.path("cache/llmd"))  # the engine writes nowhere else
        cls.control = FaultControl(cls.bus.path("cache/llmd/faults"))
        cls.bus.environment["LLMD_FAULT_CONTROL"] = cls.bus.path("cache/llmd/faults")
        cls.bus.environment["OPENCL_LAYERS"] = os.environ["LLMD_FAULT_LAYER"]
        cls.bus.config('backend = "auto"\n')
        cls.records = cls.bus.path("cache/llmd/devices")

    def setUp(self):
        super().setUp()
        self.count()

    def count(self, hidden=0):
        """How often a device is opened from now on, is what contexts() tells."""
        self.control.arm(hidden=HIDE_CPU_TYPE | hidden, function="clCreateContext")
        self.before = self.control.calls()

    def contexts(self):
        return self.control.calls() - self.before

    def unload(self):
        self.client.admin("UnloadModel", "(a{sv})", {})

    def note(self):
        """Why the device was chosen; the choice is right for its figures."""
        status = self.client.status()
        found = CHOSEN.match(status["notes"][0])
        self.assertTrue(found, status["notes"])
        devices = (found["chosen"], found["other"])
        self.assertIn("CPU", devices)
        speeds = {device: float(found[key]) for device, key in zip(devices, ("speed", "slower"))}
        cpu = speeds.pop("CPU")
        (_, gpu), = speeds.items()
        if found["chosen"] == "CPU":
            self.assertEqual(status["backend"], "cpu")
            self.assertLess(gpu, cpu * GPU_SHARE + ROUNDING)
        else:
            self.assertEqual(status["backend"], "opencl")
            self.assertGreater(gpu, cpu * GPU_SHARE - ROUNDING)
        return status["notes"][0]

    def ask(self, *command):
        return subprocess.run([LLMCTL, *command], env=self.bus.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=harness.LIMIT_S)


class AtTheFirstLoad(Choosing):
    def test_it_is_chosen_once_and_again_with_another_driver(self):
        self.client.load(GPT2)
        self.assertGreaterEqual(self.contexts(), 2, "tested, then timed")
        note = self.note()
        self.assertEqual(len(os.listdir(self.records)), 1)
        self.assertIn(note, re.sub(r"\s+", " ", self.ask("status").stdout))
        checks = json.loads(self.ask("doctor", "--json").stdout)["checks"]
        self.assertIn(note, next(check["text"] for check in checks if check["name"] == "device"))
        self.assertIn(note, self.daemon.log())

        self.assertEqual(self.daemon.stop(), 0)
        type(self).daemon = harness.Daemon(self.bus, "next.log")
        self.client = self.bus.connect()
        self.count()
        self.client.load(GPT2)
        self.assertEqual(self.note(), note)
        self.assertEqual(self.contexts(), 0 if self.client.status()["backend"] == "cpu" else 1, "it is taken, not timed")

        self.unload()
        self.count(CHANGE_DRIVER)
        self.client.load(GPT2)
        self.assertGreaterEqual(self.contexts(), 2)
        self.assertIn("another driver", self.note())
        self.assertEqual(len(os.listdir(self.records)), 2)

        self.unload()
        for name in os.listdir(self.records):
            with open(os.path.join(self.records, name), "r+b") as record:
                record.truncate(20)
        self.count(CHANGE_DRIVER)
        self.client.load(GPT2)
        self.assertGreaterEqual(self.contexts(), 2, "a damaged record is none")


class WhileADriverAborts(Choosing):
    def test_the_request_goes_on_without_it(self):
        options = {"max_tokens": 8, "model": GPT2, "temperature": 0.0}
        self.client.generate(f"{MARKER} and", **options)  # compiles, tests and chooses
        self.unload()
        shutil.rmtree(self.records)
        # No test waits for an event; steps do.
        self.control.arm(1, last=EVERY_TIME, action=ABORT, hidden=HIDE_CPU_TYPE, function="clWaitForEvents")
        text, info = self.client.generate(f"{MARKER} and", **options)
        self.texts.append(text)
        self.assertEqual(info["generated_tokens"], options["max_tokens"])
        self.assertEqual(self.control.last_call(), "clWaitForEvents")
        status = self.client.status()
        self.assertEqual(status["backend"], "cpu")
        self.assertIn("has quarantined", status["quarantined"])
        self.assertEqual(status["notes"], [status["quarantined"]])


if __name__ == "__main__":
    del Choosing
    harness.main()
