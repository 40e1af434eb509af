"""OpenCL calls that fail, come late or end the engine, one after the other, while the real programs load a model and
generate: the text is that of an undisturbed run or there is one typed error, and the daemon serves on. With `auto`
a GPU that fails is left for the CPU. LLMD_FAULT_LAYER is tests/fault's layer."""
import os
import random

import harness
from fault_control import (ABORT, BUILD_PROGRAM_FAILURE, CHANGE_DRIVER, DELAY, EVERY_TIME, FAIL, HIDE_CPU_TYPE,
                           MEM_OBJECT_ALLOCATION_FAILURE, PANIC, FaultControl)
from harness import GPT2, MARKER

N_SAMPLES = 3 if "LLMD_TEST_SAMPLE" in os.environ else 10

OPTIONS = {"max_tokens": 24, "model": GPT2, "temperature": 1.0, "seed": 3}
PROMPT = f"Once upon a time {MARKER}"


class Faults(harness.TestCase):
    backend = 'backend = "opencl"\ndevice = "Portable"\n'
    hidden = 0

    @classmethod
    def prepare(cls):
        os.makedirs(cls.bus.path("cache/llmd"))  # the engine writes nowhere else
        cls.control = FaultControl(cls.bus.path("cache/llmd/faults"))
        cls.control.arm(hidden=cls.hidden)
        cls.bus.environment["LLMD_FAULT_CONTROL"] = cls.bus.path("cache/llmd/faults")
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
        self.text, _ = self.generate()  # builds what was not built at the load
        before = self.control.calls()
        self.generate()
        # Those that each run makes: whether a step beyond the text's end is submitted is up to chance.
        self.n_generate = (self.control.calls() - before) * 9 // 10
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

    def test_a_panic_of_a_thread_of_the_driver_changes_nothing(self):
        restarts = self.client.status()["engine_restarts"]
        for _ in range(N_SAMPLES):
            self.control.arm(self.chance.randint(1, self.n_generate), action=PANIC)
            self.assertEqual(self.generate()[0], self.text, self.control.last_call())
        self.assertEqual(self.client.status()["engine_restarts"], restarts + N_SAMPLES)

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
    backend = 'backend = "auto"\ndevice = "Portable"\n'  # it is not chosen by its speed
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


class OnAGpuWhoseDriverAborts(Faults):
    backend = 'backend = "auto"\ndevice = "Portable"\n'  # it is not chosen by its speed
    hidden = HIDE_CPU_TYPE

    def restart(self):
        """Another llmd, as after a new boot."""
        self.assertEqual(self.daemon.stop(), 0)
        type(self).daemon = harness.Daemon(self.bus, "next.log")
        self.client = self.bus.connect()

    def test_it_is_left_for_the_cpu_until_it_has_another_driver(self):
        self.control.arm(1, last=EVERY_TIME, action=ABORT, hidden=self.hidden, function="clBuildProgram")
        for _ in range(2):
            self.assertEqual(harness.error_of(self.client.load, GPT2)[0], "ModelLoadFailed")
            self.assertEqual(self.client.status()["quarantined"], "")
        self.client.load(GPT2)  # the third time: it goes on without the GPU
        status = self.client.status()
        self.assertEqual((status["backend"], status["notes"]), ("cpu", [status["quarantined"]]))
        self.assertIn("3 times", status["quarantined"])

        self.restart()
        self.assertEqual(self.client.status()["quarantined"], status["quarantined"])
        before = self.control.calls()
        text, _ = self.generate()
        self.assertEqual(self.client.status()["backend"], "cpu")
        self.assertEqual(self.control.calls(), before, "nothing was compiled")

        self.control.arm(hidden=self.hidden | CHANGE_DRIVER)
        self.unload()
        self.assertTrue(self.generate()[0])
        status = self.client.status()
        self.assertEqual((status["backend"], status["quarantined"]), ("opencl", ""), status["notes"])


if __name__ == "__main__":
    del Faults
    harness.main()
