"""Two models side by side: both stay resident, and a death of one engine is no concern of the other's, unless it was the kernel that
killed it for want of memory."""
import os
import signal

from gi.repository import GLib

import harness
from harness import GPT2, LLAMA, MARKER


def has_control_group():
    """Whether llmd has one of the second version, which is where it looks for the count of the kernel's kills first."""
    with open("/proc/self/cgroup") as file:
        return any(line.startswith("0::") for line in file)


class TwoModels(harness.TestCase):
    n_tokens = 450  # nearly all that the models' contexts hold
    n_tries = 20

    @classmethod
    def prepare(cls):
        cls.control_groups = cls.bus.path("sysfs/fs/cgroup")
        os.makedirs(cls.control_groups)
        cls.count_kills(0)

    @classmethod
    def count_kills(cls, n):
        """What the kernel says from now on, for the group that is above all others."""
        with open(os.path.join(cls.control_groups, "memory.events"), "w") as file:
            file.write(f"oom 0\noom_kill {n}\noom_group_kill 0\n")

    def options(self, model):
        return {"model": model, "max_tokens": self.n_tokens, "temperature": 1.0, "seed": 5,
                "ignore_eos": GLib.Variant("b", True)}

    def engines(self):
        """Process ids by model, of those that are loaded."""
        return {engine["model"]: engine["pid"] for engine in self.client.status()["engines"]
                if engine["state"] != "loading"}

    def text(self, model):
        text, _ = self.client.generate(f"Once upon a time {MARKER}", **self.options(model))
        self.texts.append(text)
        return text

    def read(self, fd, text=""):
        """What is left of a stream."""
        while (line := harness.read_line(fd)) and "text" in line:
            text += line["text"]
        os.close(fd)
        self.assertIsNotNone(line, "the stream ended without a last line")
        self.assertEqual(line.get("finish_reason"), "length", line)
        return text

    def test_both_stay_and_neither_is_loaded_again(self):
        first = {model: self.text(model) for model in (LLAMA, GPT2)}
        pids = self.engines()
        self.assertEqual(set(pids), {LLAMA, GPT2})
        for _ in range(3):
            for model in (GPT2, LLAMA):
                self.assertEqual(self.text(model), first[model])
        self.assertEqual(self.engines(), pids)
        for engine in self.client.status()["engines"]:
            self.assertGreater(engine["memory_bytes"], 0)
        self.assertEqual({model["name"] for model in self.client.call("ListModels", GLib.Variant("(a{sv})", ({},)))[0] if model["loaded"]},
                         {LLAMA, GPT2})

    def test_a_death_of_one_changes_no_text(self):
        undisturbed = {model: self.text(model) for model in (LLAMA, GPT2)}
        for victim, other in ((LLAMA, GPT2), (GPT2, LLAMA)):
            for _ in range(self.n_tries):
                pids = self.engines()
                streams = {model: self.client.stream(f"Once upon a time {MARKER}", **self.options(model))[1]
                           for model in (other, victim)}
                begun = harness.read_line(streams[victim])["text"]
                were_running = {request["model"] for request in self.client.requests()} == {LLAMA, GPT2}
                if were_running:
                    os.kill(pids[victim], signal.SIGKILL)
                self.assertEqual(self.read(streams[victim], begun), undisturbed[victim])
                self.assertEqual(self.read(streams[other]), undisturbed[other])
                if were_running:
                    break
            self.assertTrue(were_running, "the texts always ended before the kill")
            self.assertEqual(self.engines()[other], pids[other])
            self.text(victim)
            self.assertNotEqual(self.engines()[victim], pids[victim])

    def test_an_idle_one_goes_after_the_kernels_kills_and_only_after_these(self):
        if not has_control_group():
            self.skipTest("llmd has no control group of the second version; boot with cgroup2")
        for model in (GPT2, LLAMA):
            self.text(model)
        for n_kills, stays in ((0, True), (1, False)):
            pids = self.engines()
            self.assertEqual(set(pids), {LLAMA, GPT2})
            self.count_kills(n_kills)
            os.kill(pids[LLAMA], signal.SIGKILL)
            # Whoever asks has a new engine, before which idle ones go if memory was short.
            self.client.wait(lambda: LLAMA not in self.engines(), "the end of the one that was killed")
            self.text(LLAMA)
            self.assertEqual(self.engines().get(GPT2), pids[GPT2] if stays else None)
            self.text(GPT2)

    def test_unloading_ends_both(self):
        for model in (LLAMA, GPT2):
            self.text(model)
        self.client.admin("UnloadModel", "(a{sv})", {})
        self.assertEqual(self.client.status()["engines"], [])
        self.client.wait(lambda: not self.daemon.engines(), "the end of both engines")


if __name__ == "__main__":
    harness.main()
