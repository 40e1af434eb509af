"""OpenAI's own Python package, with its own retries and time limit, with 64 parallel calls of 400 tokens of the installed
model: none is lost, and another program's call beside them is not behind them all. On llmd's socket and through the bridge. The
package comes from PyPI, as in sdk_test.py."""
import harness
import pypi
from beside_a_crowd import assert_other_has_its_turn, doors
from harness import MARKER, PHONE
from sdk_test import PACKAGES

N_TOKENS = 400

# Runs with the environment's Python, for assert_other_has_its_turn().
PROGRAM = f"""
import json, sys, threading
from concurrent.futures import ThreadPoolExecutor
import httpx, openai

address, n = sys.argv[1], int(sys.argv[2])
left, lock = n, threading.Lock()


def note(event, info):
    global left
    if event != "http11.send_request_body.complete":
        return
    with lock:
        left -= 1
        if left == 0:
            print("sent", flush=True)


class Transport(httpx.HTTPTransport):
    def handle_request(self, request):
        request.extensions["trace"] = note
        return super().handle_request(request)


unix = dict(uds=address) if address[0] == "/" else dict()
ai = openai.OpenAI(base_url="http://llmd/v1" if unix else f"http://{{address}}/v1", api_key="none",
                   http_client=httpx.Client(transport=Transport(**unix), timeout=openai.DEFAULT_TIMEOUT.read))


def call(seed):
    whole = ai.completions.create(model={PHONE!r}, prompt="Once upon a time {MARKER}", seed=seed, max_tokens={N_TOKENS},
                                  extra_body=dict(ignore_eos=True))
    assert whole.usage.completion_tokens == {N_TOKENS}
    return whole.id


with ThreadPoolExecutor(n) as pool:
    print(json.dumps(list(pool.map(call, range(n)))))
"""


class SdkCrowd(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = pypi.environment("sdk-venv", PACKAGES)
        super().setUpClass()

    @classmethod
    def prepare(cls):
        cls.bus.as_installed()

    def test_another_program_has_its_turn(self):
        self.client.load(PHONE)
        for name, address, at_once, ask in doors(self):
            with self.subTest(door=name):
                n_before = assert_other_has_its_turn(self, [self.python, "-c", PROGRAM, address], at_once, ask)
                print(f"{name}: {n_before} of the crowd's calls ended before the other's")


if __name__ == "__main__":
    harness.main()
