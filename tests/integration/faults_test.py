"""OpenCL calls that fail, come late or end the engine, one after the other, while the real programs load a model and
generate: the text is that of an undisturbed run or there is one typed error, and the daemon serves on. With `auto`
a GPU that fails is left for the CPU. LLMD_FAULT_LAYER is tests/fault's layer."""
import mmap
import os
import random
import struct

import harness
from harness import GPT2, MARKER

# tests/fault/fault_control.h
LAYOUT = struct.Struct("<QQQqIiIIII64s64s")
FAIL, DELAY, ABORT = range(3)
HIDE_CPU_TYPE = 1
EVERY_TIME = 2**64 - 1
OUT_OF_RESOURCES, BUILD_PROGRAM_FAILURE, MEM_OBJECT_ALLOCATION_FAILURE = -5, -11, -4
N_SAMPLES = 10

OPTIONS = {"max_tokens": 24, "model": GPT2, "temperature": 1.0, "seed": 3}
PROMPT = f"Once upon a time {MARKER}"


class FaultControl:
    """What the layer does and has seen, shared with the engine."""

    def __init__(self, path):
        with open(path, "wb") as file:
            file.write(bytes(LAYOUT.size))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), LAYOUT.size)

    def calls(self):
        return LAYOUT.unpack_from(self.memory)[0]

    def arm(self, after=None, status=OUT_OF_RESOURCES, action=FAIL, last=None, delay_ms=0, hidden=0, function=""):
        """The call that comes `after` others from now on meets a fault (None: no call), or all from it to `last`."""
        calls, _, _, objects, queues = LAYOUT.unpack_from(self.memory)[:5]
        first = 0 if after is None else calls + after
        LAYOUT.pack_into(self.memory, 0, calls, first, last or first, objects, queues, status, action, delay_ms, hidden,
                         0, function.encode(), b"")

    def last_call(self):
        return LAYOUT.unpack_from(self.memory)[-1].rstrip(b"\0").decode()


class Faults(harness.TestCase):
    backend = 'backend = "opencl"\ndevice = "Portable"\n'
    hidden = 0

    @classmethod
    def prepare(cls):
        cls.control = FaultControl(cls.bus.path("faults"))
        cls.control.arm(hidden=cls.hidden)
        cls.bus.environment["LLMD_FAULT_CONTROL"] = cls.bus.path("faults")
        cls.bus.environment["OPENCL_LAYERS"] = os.environ["LLMD_FAULT_LAYER"]
        cls.bus.config(cls.backend)

    def generate(self):
        text, info = self.client.generate(PROMPT, **OPTIONS)
        self.texts.append(text)
        return text, info

    def unload(self):
        self.client.admin("UnloadModel", "(a{sv})", {})

    def outcome(self):
        """The text, or the name of the error."""
        try:
            return self.generate()[0], None
        except harness.GLib.Error as error:
            return None, harness.parts_of(error)[0]


class OnTheDevice(Faults):
    def setUp(self):
        super().setUp()
        self.client.load(GPT2)  # compiled programs are kept from now on
        self.unload()
        before = self.control.calls()
        self.client.load(GPT2)
        self.n_load = self.control.calls() - before
        self.text, _ = self.generate()
        self.n_generate = self.control.calls() - before - self.n_load
        self.assertGreater(self.n_load, 100)
        self.assertGreater(self.n_generate, 100)
        self.chance = random.Random(7)

    def tearDown(self):
        self.control.arm()
        # Clears what a failed load has left.
        self.client.load(GPT2)
        self.assertEqual(self.generate()[0], self.text)
        super().tearDown()

    def test_a_call_that_fails_once_while_generating_changes_nothing(self):
        for _ in range(N_SAMPLES):
            self.control.arm(self.chance.randint(1, self.n_generate))
            self.assertEqual(self.generate()[0], self.text, self.control.last_call())
        self.assertEqual(self.client.status()["engine_restarts"], N_SAMPLES)
        self.assertIn("CL_OUT_OF_RESOURCES", self.client.status()["last_fault"])

    def test_an_abort_while_generating_changes_nothing(self):
        for _ in range(N_SAMPLES):
            self.control.arm(self.chance.randint(1, self.n_generate), action=ABORT)
            self.assertEqual(self.generate()[0], self.text, self.control.last_call())

    def test_a_call_that_fails_while_loading_is_one_error(self):
        for sample in range(N_SAMPLES):
            self.unload()
            action = ABORT if sample % 3 == 2 else FAIL
            self.control.arm(self.chance.randint(1, self.n_load), MEM_OBJECT_ALLOCATION_FAILURE, action)
            text, error = self.outcome()
            if error is None:
                self.assertEqual(text, self.text, self.control.last_call())
            else:
                self.assertIn(error, ("ModelLoadFailed", "DeviceError", "OutOfMemory"), self.control.last_call())
            self.control.arm()
            self.client.load(GPT2)
            self.assertEqual(self.generate()[0], self.text)

    def test_a_device_that_never_recovers_is_one_error(self):
        self.control.arm(self.n_generate // 2, last=EVERY_TIME)
        text, error = self.outcome()
        self.assertIsNone(text)
        self.assertIn(error, ("DeviceError", "ModelLoadFailed"))

    def test_late_calls_change_nothing(self):
        self.control.arm(1, last=EVERY_TIME, action=DELAY, delay_ms=1)
        self.assertEqual(self.generate()[0], self.text)


class OnAGpuThatFails(Faults):
    backend = 'backend = "auto"\n'
    hidden = HIDE_CPU_TYPE

    def test_the_cpu_serves_in_its_place(self):
        self.generate()
        self.assertEqual(self.client.status()["backend"], "opencl", self.client.status()["notes"])
        self.unload()
        self.control.arm(1, BUILD_PROGRAM_FAILURE, last=EVERY_TIME, hidden=self.hidden, function="clBuildProgram")
        self.assertTrue(self.generate()[0])
        status = self.client.status()
        self.assertEqual(status["backend"], "cpu")
        self.assertTrue(any("CL_BUILD_PROGRAM_FAILURE" in note for note in status["notes"]), status["notes"])


if __name__ == "__main__":
    del Faults
    harness.main()
