"""kill -9 of an engine that computes on a GPU, in both precisions: the text is that of an undisturbed run.
The device is Mesa's llvmpipe, which stands for a GPU."""
import os
import signal

import harness
from harness import GPT2, MARKER

OPTIONS = {"max_tokens": 16, "model": GPT2, "temperature": 1.0, "seed": 4}
PROMPT = f"Once upon a time {MARKER}"


class GpuDeath(harness.TestCase):
    precision = None

    @classmethod
    def prepare(cls):
        cls.bus.environment["RUSTICL_ENABLE"] = "llvmpipe"
        cls.bus.config(f'backend = "opencl"\ndevice = "llvmpipe"\nprecision = "{cls.precision}"\n')

    def test_the_text_continues_as_if_nothing_had_happened(self):
        text, info = self.client.generate(PROMPT, **OPTIONS)
        self.texts.append(text)
        self.assertEqual(info["generated_tokens"], OPTIONS["max_tokens"])
        self.assertEqual(self.client.status()["precision"], self.precision)
        _, fd = self.client.stream(PROMPT, **OPTIONS)
        again = "".join(harness.read_line(fd)["text"] for _ in range(3))
        os.kill(self.daemon.engines()[0], signal.SIGKILL)
        while "text" in (line := harness.read_line(fd)):
            again += line["text"]
        os.close(fd)
        self.assertEqual(again, text)
        self.assertEqual(line["finish_reason"], "length", line)
        self.assertEqual(self.client.status()["engine_restarts"], 1)


class InFaithful(GpuDeath):
    precision = "faithful"


class InFast(GpuDeath):
    precision = "fast"


if __name__ == "__main__":
    del GpuDeath
    harness.main()
