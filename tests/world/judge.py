"""Judges llmd on one file: how far its five likeliest next tokens are from llama-server's and from transformers'."""
import dataclasses
import http.client
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.error

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "lanes"))
import bench_eval  # noqa: E402
import llama_server  # noqa: E402

TOLERANCE = 0.02  # in natural log-probability
TOP = 5           # tokens that are compared at each position


class Root:
    """The Debian root with llama.cpp, entered by chroot. Models lie inside it."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()

    def inside(self, path):
        return "/" + str(pathlib.Path(path).resolve().relative_to(self.path))

    def command(self, name):
        # Threads that wait for each other leave the core to other jobs.
        return ["chroot", str(self.path), "/usr/bin/env", "OMP_WAIT_POLICY=passive", name]

    def kernels(self):
        """Which of llama.cpp's kernels for CPUs it takes on this one, such as "zen4"."""
        told = subprocess.run([*self.command("llama-bench"), "--list-devices"], capture_output=True, text=True)
        found = re.search(r"libggml-cpu-(\w+)\.so", told.stdout + told.stderr)
        return found[1] if found else "unknown"

    def quantize(self, source, path, kind, *options):
        done = subprocess.run([*self.command("llama-quantize"), *options, self.inside(source), self.inside(path), kind, "1"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"llama-quantize failed on {source}: {done.stderr[-1000:]}")


class Refused(Exception):
    """llama-server did not load the model, or ended while it computed."""


@dataclasses.dataclass(frozen=True)
class Text:
    """A text of token ids, and a token that is text by itself."""
    ids: list
    word: int

    def first(self, lengths):
        return [self.ids[:n] for n in lengths]


def read_reference(directory):
    """(Text, {length: log-probabilities by transformers})"""
    reference = json.loads((directory / "reference.json").read_text())
    return Text(reference["ids"], reference["word"]), {int(n): answer for n, answer in reference["answers"].items()}


def read_embedding(directory):
    return json.loads((directory / "reference.json").read_text())["embedding"]


def top_of(logprobs):
    best = sorted(range(len(logprobs)), key=lambda i: -logprobs[i])[:TOP]
    return {i: logprobs[i] for i in best}


def llama_cpp(root, model, text, lengths, n_ctx, *options):
    """The likeliest next tokens of llama-server in F32 after the first tokens of the text, as many as each of `lengths`."""
    exact = ["-fa", "off", "-ctk", "f32", "-ctv", "f32", "-c", str(n_ctx), "-t", "1", "--no-webui", "-fit", "off", *options]
    with tempfile.TemporaryFile() as log:
        try:
            command = " ".join(root.command("llama-server"))
            with llama_server.serving(command, root.inside(model), log, *exact) as server:
                return [server.top(ids, TOP, [[text.word, 1000]]) for ids in text.first(lengths)]
        except llama_server.NotReady as reason:
            raise Refused(str(reason)) from None
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError) as reason:
            raise Refused(f"llama-server ended while it computed: {reason}") from None


def llmd(bench, model, text, lengths, n_ctx):
    """log-probabilities of all tokens; raises bench_eval.Refused."""
    return bench_eval.logprobs(bench, str(model), text.first(lengths), n_ctx, threads=1)


def difference(ours, theirs):
    """The largest of the tokens that `theirs` has; of what is not a number, infinite."""
    largest = 0.0
    for token, logprob in theirs.items():
        one = abs(ours[token] - logprob) if logprob is not None else float("inf")
        largest = max(largest, one) if one == one else float("inf")
    return largest


def differences(ours, theirs):
    return [difference(*pair) for pair in zip(ours, theirs)]


def refusal(error):
    """The last line, without the file's name."""
    return (str(error).splitlines() or ["no message"])[-1].split(".gguf: ", 1)[-1]
