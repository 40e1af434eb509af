"""What llmd computes, by llmd-bench eval: log-probabilities of the next token after texts of token ids."""
import json
import math
import os
import subprocess
import tempfile


class Refused(Exception):
    """The model was not loaded; what llmd-bench said."""


def logprobs(bench, model, texts, n_ctx, backend="cpu", precision="faithful", threads=None):
    """For each of the texts, the log-probability of every token. `threads`: None for as many as llmd-bench chooses."""
    with tempfile.TemporaryDirectory() as directory:
        paths = [os.path.join(directory, str(i)) for i in range(len(texts))]
        for path, ids in zip(paths, texts):
            with open(path, "w") as file:
                file.write(" ".join(map(str, ids)))
        run = subprocess.run([bench, "eval", "--model", model, "--backend", backend, "--tokens", ",".join(paths), "--format", "json",
                              "--precision", precision, "--context", str(n_ctx), *(["--threads", str(threads)] if threads else [])],
                             capture_output=True, text=True)
    if run.returncode != 0:
        raise Refused(run.stderr.strip())
    return [_normalized(json.loads(line)["last_logits"]) for line in run.stdout.splitlines()]


def _normalized(logits):
    top = max(logits)
    total = top + math.log(sum(math.exp(x - top) for x in logits))
    return [x - total for x in logits]
