#!/usr/bin/env python3
"""The Adreno report: what Mesa's compiler makes of every kernel for an Adreno 630, and what decoding costs the host; what it makes
of some models' for other Adrenos, a column each; and whether Mesa's compilers for other GPUs spill. tests/lanes/adreno runs it
where these compilers are.

usage: report.py --bench llmd-bench --answers LIB --opencl-trace LIB [--tinygrad DIRECTORY] [--committed FILE]
                 [--format md|json] [GPU ...]

GPU is 630, which is the default, another chip of gpus.py, asahi or radeonsi. Exit status 1 when a limit of limits.py that does not
depend on time is broken."""
import argparse
import json
import os
import statistics
import sys
import tempfile

import gpus
import hollow_model
import limits
import rows
import shim
import tables
from shim import Refused, Shim

MODELS = [
    ("phone-11m", "Q8_0"), ("phone-11m", "Q4_0"),
    ("gpt2-124m", "Q4_0"), ("gpt2-124m", "Q8_0"), ("gpt2-124m", "Q4_K_M"), ("gpt2-124m", "Q5_0"),
    ("gpt2-124m", "IQ4_NL"), ("gpt2-124m", "F16"), ("smollm2-135m", "Q4_0"), ("tinyllama-1.1b", "Q4_0"),
    ("tinyllama-1.1b", "Q4_K_M"), ("llama3.2-1b", "Q8_0"), ("qwen3-0.6b", "Q4_0"), ("smollm3-3b", "Q4_0"), ("phi4-mini", "Q4_0"),
    ("gemma3-270m", "Q4_0"), ("gemma3-1b", "Q4_0"), ("lfm2-1.2b", "Q4_0"),
]
LONG_CONTEXT = ("tinyllama-1.1b", "Q4_0", 1100)  # attention then needs a launch more a layer
CHIP_MODELS = [("gpt2-124m", "Q4_0"), ("phone-11m", "Q8_0")]  # of the columns of chips
PRECISIONS = ("faithful", "fast")
PEER_ROUNDS = 3


def each_model(gpu_shim, models):
    """Writes each model, and gives its shape, its formats, its name and where it is, with each precision."""
    for shape, mixture in models:
        path = os.path.join(gpu_shim.scratch, "model.gguf")
        hollow_model.write_model(path, hollow_model.SHAPES[shape], mixture)
        for precision in PRECISIONS:
            print(f"{gpu_shim.gpu.name}: {shape} {mixture} {precision} …", file=sys.stderr, flush=True)
            yield shape, mixture, precision, path
        os.remove(path)


def collect(gpu_shim, bench, wanted, is_timed):
    """The rows of all kernels, and {model: {precision: row}}."""
    kernels, models = [], {}
    for shape, mixture, precision, path in each_model(gpu_shim, wanted):
        label = f"{shape} {mixture}"
        chosen = ["--precision", precision]
        decoded = [*chosen, "--prompt", str(rows.POSITION)]
        measured, log = gpu_shim.trace(bench, path, decoded)
        found = [(rows.kernel_row(kernel, precision, label), kernel.identity()) for kernel in shim.read_trace(log)]
        kernels += found
        if is_timed:
            measured = gpu_shim.measure(bench, path, decoded)
        row = rows.model_row(shape, mixture, precision, [kernel for kernel, _ in found], measured)
        if is_timed and (shape, mixture) == LONG_CONTEXT[:2]:
            longer = gpu_shim.measure(bench, path, [*chosen, "--prompt", str(LONG_CONTEXT[2])])
            row[f"launches_per_token_at_{LONG_CONTEXT[2]}"] = longer["launches_per_token"]
        models.setdefault(label, {})[precision] = row
    return rows.merge_rows(kernels), models


def chip_column(gpu_shim, bench):
    """A chip's column of the report: what limits.compared() has of its kernels, or why it is refused."""
    try:
        kernels, models = collect(gpu_shim, bench, CHIP_MODELS, is_timed=False)
    except Refused as refused:
        return {"refused": str(refused)}
    return {"kernels": kernels, "models": models}


def other_row(gpu_shim, bench):
    """The row of another maker's GPU."""
    found, launches, device = [], {}, None
    try:
        for shape, mixture, precision, path in each_model(gpu_shim, CHIP_MODELS):
            measured, log = gpu_shim.trace(bench, path, ["--precision", precision])
            device = measured["device"]
            launches[f"{shape} {mixture}"] = measured["launches_per_token"]
            found += shim.read_statistics(log)
    except Refused as refused:
        return {"refused": str(refused)}
    return {"device": device, "programs": len(found), "launches": launches, "spills_to_memory": sum(one[0] > 0 for one in found),
            "spills_to_registers": sum(one[0] == 0 < one[1] for one in found)}


def compare_with_tinygrad(gpu_shim, bench, tinygrad):
    """The host's time a token of both for GPT-2 124M, one after the other; medians over the rounds."""
    path = os.path.join(gpu_shim.scratch, "model.gguf")
    hollow_model.write_model(path, hollow_model.SHAPES["gpt2-124m"], "Q4_0")
    peer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lanes", "peer_tinygrad.py")
    ours, theirs = [], []
    for done in range(PEER_ROUNDS):
        print(f"tinygrad, round {done + 1} of {PEER_ROUNDS} …", file=sys.stderr, flush=True)
        ours.append(gpu_shim.measure(bench, path, []))
        theirs.append(json.loads(gpu_shim.run([sys.executable, peer], PYTHONPATH=tinygrad, DEV="CL").stdout))
    os.remove(path)
    median = lambda results, key: statistics.median(result[key] for result in results)
    return {
        "llmd_launches": ours[0]["launches_per_token"], "tinygrad_launches": theirs[0]["kernels_per_token"],
        "llmd_us": median(ours, "host_us_per_token"), "tinygrad_us": 1e3 * median(theirs, "ms_per_token"),
        "llmd_cpu_us": median(ours, "cpu_us_per_token"), "tinygrad_cpu_us": 1e3 * median(theirs, "cpu_ms_per_token"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--answers", required=True, help="answers.cpp, compiled")
    parser.add_argument("--opencl-trace", required=True, help="opencl_trace.cpp, compiled")
    parser.add_argument("--tinygrad", help="the directory with its package; without it there is no peer")
    parser.add_argument("--committed", help="an earlier report of the 630, of which no kernel may have grown")
    parser.add_argument("--format", choices=["md", "json"], default="md")
    parser.add_argument("gpus", nargs="*", metavar="GPU")
    options = parser.parse_args()
    names = options.gpus or [gpus.FIRST]
    if unknown := [name for name in names if name not in gpus.CHIPS | gpus.OTHERS]:
        parser.error(f"GPU is {unknown[0]}, not one of {', '.join(gpus.CHIPS | gpus.OTHERS)}")
    report = {"chips": {}, "others": {}}
    with tempfile.TemporaryDirectory() as scratch:
        made = lambda gpu: Shim(options.answers, options.opencl_trace, scratch, gpu)
        if gpus.FIRST in names:
            first = made(gpus.CHIPS[gpus.FIRST])
            kernels, models = collect(first, options.bench, MODELS, is_timed=True)
            report |= {"driver": first.driver(options.bench), "kernels": kernels, "models": models, "peer": None}
            if options.tinygrad:
                report["peer"] = compare_with_tinygrad(first, options.bench, options.tinygrad)
            committed = options.committed and tables.read_sizes(open(options.committed, encoding="utf-8").read())
            report["limits"] = limits.check(report, committed or {})
        if names != [gpus.FIRST]:
            report["chips"] = {name: chip_column(made(gpu), options.bench) for name, gpu in gpus.CHIPS.items() if name in names}
            report["others"] = {name: other_row(made(gpu), options.bench) for name, gpu in gpus.OTHERS.items() if name in names}
    print(json.dumps(report, indent=1) if options.format == "json" else tables.document(report))
    return 0 if all(limit["holds"] for limit in report.get("limits", []) if not limit["timed"]) else 1


if __name__ == "__main__":
    sys.exit(main())
