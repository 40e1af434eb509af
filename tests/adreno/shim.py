"""Runs llmd-bench on a driver of Mesa's without its GPU: Mesa's shim stands in for the kernel's, so programs compile and launches
queue as on a phone, and nothing is computed."""
import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

import gpus
import hollow_model
import ir3_listing

# What the compilers of other drivers say of each program: scalar registers that radeonsi spills go to lanes of vector registers.
_STATISTICS = (re.compile(r"Scratch: (\d+) .*Spilled SGPRs: (\d+) Spilled VGPRs: (\d+)"),
               re.compile(r", (\d+) scratch, .* (\d+):(\d+) spills:fills"))


class Refused(Exception):
    """llmd-bench has failed; the text is its own."""


@dataclass
class Program:
    options: dict
    listings: list  # ir3_listing.Kernel


@dataclass
class TracedKernel:
    """One kernel object: its program's options, the compiler's listing and the bytes that OpenCL tells."""
    name: str
    options: dict
    listing: ir3_listing.Kernel
    private_bytes: int
    local_bytes: int
    launches: int = 0  # in one token

    def identity(self):
        return self.name, tuple(sorted(self.options.items()))


@dataclass
class Shim:
    """Where the helpers of this folder were compiled to, a folder for what a run leaves behind, and the GPU."""
    answers: str
    opencl_trace: str
    scratch: str
    gpu: gpus.Gpu = gpus.CHIPS[gpus.FIRST]
    environment: dict = field(default_factory=dict)

    def __post_init__(self):
        self.environment = dict(os.environ) | {
            "LD_PRELOAD": f"{self.answers}:{self.gpu.shim}", "RUSTICL_ENABLE": self.gpu.driver, "OCL_ICD_VENDORS": "rusticl.icd",
            "XDG_CACHE_HOME": os.path.join(self.scratch, "cache-" + self.gpu.name),
        } | self.gpu.environment

    def run(self, command, **more):
        done = subprocess.run(command, env=self.environment | more, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if not line.startswith(("MESA: info: ", "TRACE "))]
            raise Refused(said[-1].split("model.gguf: ")[-1] if said else f"{command[0]} ended with status {done.returncode}")
        return done

    def _launches(self, bench, model, arguments, **more):
        return self.run([bench, "launches", "--model", model, "--backend", "opencl:" + self.gpu.device, "--format", "json",
                         *arguments], **more)

    def measure(self, bench, model, arguments):
        """The object that `llmd-bench launches` prints."""
        return json.loads(self._launches(bench, model, arguments).stdout)

    def driver(self, bench):
        """Mesa's version, as the driver gives it."""
        path = os.path.join(self.scratch, "model.gguf")
        hollow_model.write_model(path, hollow_model.SHAPES["gpt2-124m"], "Q4_0")
        return self.measure(bench, path, ["--repeat", "1"])["driver"]

    def trace(self, bench, model, arguments):
        """The object that `llmd-bench launches` prints, and the log of every kernel that the engine makes for the model."""
        done = self._launches(bench, model, ["--generated-tokens", "1", "--repeat", "1", *arguments],
                              OPENCL_LAYERS=self.opencl_trace, MESA_SHADER_CACHE_DISABLE="1",
                              XDG_CACHE_HOME=tempfile.mkdtemp(dir=self.scratch))
        return json.loads(done.stdout), done.stderr


def read_statistics(log):
    """[(bytes of memory that the program spills to, registers that it spills elsewhere)] of every program that asahi or radeonsi
    compiled after the first that llmd built."""
    found = []
    for line in log[max(log.find("TRACE build"), 0):].splitlines():
        for pattern in _STATISTICS:
            if match := pattern.search(line):
                scratch, *spills = map(int, match.groups())
                found.append((scratch, sum(spills)))
    return found


def parse_options(text):
    """{"LAYOUT_Q4_0": "", "BATCH_ROWS": "1"} of "-DLAYOUT_Q4_0 -DBATCH_ROWS=1"."""
    return {name: value for name, value in re.findall(r"-D(\w+)(?:=(\S+))?", text)}


def read_trace(log):
    """What opencl_trace.cpp and the compiler wrote; one TracedKernel for each kernel of each program."""
    programs, kernels, found = {}, {}, {}
    token, last_token = [], []
    program = None
    listing = []

    def end_listing():
        if program is not None:
            program.listings += ir3_listing.read_kernels("\n".join(listing))
        elif any("Native code" in line for line in listing):
            raise SystemExit("the driver compiled a kernel again after its build: the report would miss it")
        listing.clear()

    for line in log.splitlines():
        if not line.startswith("TRACE "):
            listing.append(line)
            continue
        end_listing()
        program = None
        _, what, *words = line.split()
        if what == "build":
            program = programs[words[0]] = Program(parse_options(line), [])
        elif what == "kernel":
            kernels[words[0]] = _kernel_of(programs[words[1]], words[2:], found)
        elif what == "launch":
            token.append(kernels[words[0]])
        elif what == "wait" and token:
            last_token, token = token, []
    end_listing()
    for kernel in last_token:
        kernel.launches += 1
    return list(found.values())


def _kernel_of(program, words, found):
    name, private_bytes, local_bytes = words[0], int(words[1]), int(words[2])
    # Rusticl compiles a kernel with global offsets first, then, where that differs, without.
    listing = [one for one in program.listings if one.name == name][-1]
    made = TracedKernel(name, program.options, listing, private_bytes, local_bytes)
    return found.setdefault(made.identity(), made)
