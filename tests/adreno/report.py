#!/usr/bin/env python3
"""The Adreno report: what Mesa's compiler makes of every kernel for an Adreno 630, and what decoding costs the host.
tests/lanes/adreno runs it where that compiler is.

usage: report.py --bench llmd-bench --reset-counts LIB --opencl-trace LIB [--tinygrad DIRECTORY]
                 [--format md|json]

Exit status 1 when a limit of limits.py that does not depend on time is broken."""
import argparse
import json
import os
import statistics
import sys
import tempfile

import hollow_model
import limits
import rows
import tables
from shim import Shim

MODELS = [
    ("phone-11m", "Q8_0"), ("phone-11m", "Q4_0"),
    ("gpt2-124m", "Q4_0"), ("gpt2-124m", "Q8_0"), ("gpt2-124m", "Q4_K_M"), ("gpt2-124m", "Q5_0"),
    ("gpt2-124m", "IQ4_NL"), ("gpt2-124m", "F16"), ("smollm2-135m", "Q4_0"), ("tinyllama-1.1b", "Q4_0"),
    ("tinyllama-1.1b", "Q4_K_M"), ("llama3.2-1b", "Q8_0"), ("qwen3-0.6b", "Q4_0"), ("smollm3-3b", "Q4_0"), ("phi4-mini", "Q4_0"),
    ("gemma3-270m", "Q4_0"), ("gemma3-1b", "Q4_0"), ("lfm2-1.2b", "Q4_0"),
]
LONG_CONTEXT = ("tinyllama-1.1b", "Q4_0", 1100)  # attention then needs a launch more a layer
PRECISIONS = ("faithful", "fast")
PEER_ROUNDS = 3


def collect(shim, bench):
    """The rows of all kernels, and {model: {precision: row}}."""
    kernels, models = [], {}
    for shape, mixture in MODELS:
        label = f"{shape} {mixture}"
        path = os.path.join(shim.scratch, "model.gguf")
        hollow_model.write_model(path, shape, mixture)
        for precision in PRECISIONS:
            print(f"{label} {precision} …", file=sys.stderr, flush=True)
            chosen = ["--precision", precision]
            decoded = [*chosen, "--prompt", str(rows.POSITION)]
            traced = shim.trace(bench, path, decoded)
            found = [(rows.kernel_row(kernel, precision, label), kernel.identity()) for kernel in traced]
            kernels += found
            measured = shim.measure(bench, path, decoded)
            row = rows.model_row(shape, mixture, precision, [kernel for kernel, _ in found], measured)
            if (shape, mixture) == LONG_CONTEXT[:2]:
                longer = shim.measure(bench, path, [*chosen, "--prompt", str(LONG_CONTEXT[2])])
                row[f"launches_per_token_at_{LONG_CONTEXT[2]}"] = longer["launches_per_token"]
            models.setdefault(label, {})[precision] = row
        os.remove(path)
    return rows.merge_rows(kernels), models


def compare_with_tinygrad(shim, bench, tinygrad):
    """The host's time a token of both for GPT-2 124M, one after the other; medians over the rounds."""
    path = os.path.join(shim.scratch, "model.gguf")
    hollow_model.write_model(path, "gpt2-124m", "Q4_0")
    peer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lanes", "peer_tinygrad.py")
    ours, theirs = [], []
    for done in range(PEER_ROUNDS):
        print(f"tinygrad, round {done + 1} of {PEER_ROUNDS} …", file=sys.stderr, flush=True)
        ours.append(shim.measure(bench, path, []))
        theirs.append(json.loads(shim.run([sys.executable, peer], PYTHONPATH=tinygrad, DEV="CL").stdout))
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
    parser.add_argument("--reset-counts", required=True, help="reset_counts.cpp, compiled")
    parser.add_argument("--opencl-trace", required=True, help="opencl_trace.cpp, compiled")
    parser.add_argument("--tinygrad", help="the directory with its package; without it there is no peer")
    parser.add_argument("--format", choices=["md", "json"], default="md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        shim = Shim(options.reset_counts, options.opencl_trace, scratch)
        kernels, models = collect(shim, options.bench)
        report = {"driver": shim.driver(options.bench), "kernels": kernels, "models": models, "peer": None}
        if options.tinygrad:
            report["peer"] = compare_with_tinygrad(shim, options.bench, options.tinygrad)
    report["limits"] = limits.check(report)
    print(json.dumps(report, indent=1) if options.format == "json" else tables.document(report))
    return 0 if all(limit["holds"] for limit in report["limits"] if not limit["timed"]) else 1


if __name__ == "__main__":
    sys.exit(main())
