"""llama-server as a judge: starts it on a loopback port, and asks for the likeliest next tokens after texts of token ids."""
import contextlib
import json
import shlex
import socket
import subprocess
import time
import urllib.request

START_LIMIT_S = 120   # to load a model
ANSWER_LIMIT_S = 600  # to compute an answer beside other jobs


class NotReady(Exception):
    """llama-server did not come up; the last line that it wrote about an error."""


def _free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    def __init__(self, port):
        self.port = port

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=ANSWER_LIMIT_S) as answer:
            return json.load(answer)

    def context(self):
        return self.ask("/props")["default_generation_settings"]["n_ctx"]

    def vocabulary(self):
        return self.ask("/v1/models")["data"][0]["meta"]["n_vocab"]

    def top(self, ids, n, bias=()):
        """{token id: log-probability} of the n likeliest next tokens. `bias` is llama-server's logit_bias."""
        # More than one token is asked for: the server keeps a token back whose bytes are not yet text.
        answer = self.ask("/completion", {"prompt": ids, "n_predict": 4, "n_probs": n, "temperature": -1, "ignore_eos": True,
                                          "cache_prompt": False, "samplers": [], "logit_bias": list(bias)})
        first = answer["completion_probabilities"][0]
        return {t["id"]: t["logprob"] for t in first["top_logprobs"]}


def _wait_until_ready(server, process, log):
    limit = time.monotonic() + START_LIMIT_S
    while time.monotonic() < limit:
        if process.poll() is not None:
            log.seek(0)
            errors = [line for line in log.read().decode(errors="replace").splitlines() if "rror" in line]
            raise NotReady(errors[0] if errors else f"llama-server ended with {process.returncode}")
        try:
            if server.ask("/health").get("status") == "ok":
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise NotReady("llama-server did not become ready")


@contextlib.contextmanager
def serving(command, model, log, *options):
    """A Server for the model file, on the CPU. `command` starts llama-server, and may be several words; `log` is a binary file for
    what it writes, open for writing and reading."""
    port = _free_port()
    process = subprocess.Popen(shlex.split(command) + ["-m", str(model), "--host", "127.0.0.1", "--port", str(port), "-np", "1", "-ngl",
                                                       "0", "--no-warmup", *options], stdout=log, stderr=log)
    try:
        server = Server(port)
        _wait_until_ready(server, process, log)
        yield server
    finally:
        process.terminate()
        process.wait()
