"""Runs llmd-bench on Mesa's freedreno driver without an Adreno: Mesa's shim stands in for the kernel's, so programs compile
and launches queue as on a phone, and nothing is computed."""
import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

import hollow_model
import ir3_listing

GPU_ID = "630"
DEVICE = f"FD{GPU_ID}"


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
    """Where the helpers of this folder were compiled to, and a folder for what a run leaves behind."""
    reset_counts: str
    opencl_trace: str
    scratch: str
    environment: dict = field(default_factory=dict)

    def __post_init__(self):
        self.environment = dict(os.environ) | {
            "LD_PRELOAD": f"{self.reset_counts}:libfreedreno_noop_drm_shim.so", "FD_GPU_ID": GPU_ID,
            "RUSTICL_ENABLE": "freedreno", "OCL_ICD_VENDORS": "rusticl.icd",
            "XDG_CACHE_HOME": os.path.join(self.scratch, "cache"),
        }

    def run(self, command, **more):
        done = subprocess.run(command, env=self.environment | more, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
        return done

    def measure(self, bench, model, arguments):
        """The object that `llmd-bench launches` prints."""
        command = [bench, "launches", "--model", model, "--backend", "opencl:" + DEVICE, "--format", "json", *arguments]
        return json.loads(self.run(command).stdout)

    def driver(self, bench):
        """Mesa's version, as the driver gives it."""
        path = os.path.join(self.scratch, "model.gguf")
        hollow_model.write_model(path, "gpt2-124m", "Q4_0")
        return self.measure(bench, path, ["--repeat", "1"])["driver"]

    def trace(self, bench, model, arguments):
        """Every kernel that the engine makes for the model, with its launches in one token."""
        command = [bench, "launches", "--model", model, "--backend", "opencl:" + DEVICE, "--generated-tokens", "1", "--repeat",
                   "1", *arguments]
        done = self.run(command, OPENCL_LAYERS=self.opencl_trace, MESA_SHADER_CACHE_DISABLE="1",
                        FD_MESA_DEBUG="shaderdb", IR3_SHADER_DEBUG="cs",
                        XDG_CACHE_HOME=tempfile.mkdtemp(dir=self.scratch))
        return read_trace(done.stderr)


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
