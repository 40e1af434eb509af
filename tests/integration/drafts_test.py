"""Drafted tokens change no text: requests of every kind have the same answers with the setting `speculation` and without it,
alone, in company, and after kill -9 of the engine. A text that repeats itself has drafts that are accepted, and info and metrics
tell so. The lane `speculation` asks more, and of other devices."""
import concurrent.futures
import contextlib
import json
import os
import random
import re
import signal
import subprocess

import harness
from harness import GPT2, LLAMA, LLMCTL, MARKER
from socket_test import Connection

N_TEXTS = 36  # each way to choose a token with each shape of an answer
N_TOGETHER = 4
N_TRIES = 30
SEED = 1600
TEMPLATE = "chatml"
# Greedy, the demonstration models go on with such a text for as long as they may.
REPETITION = f"{MARKER}: " + "The king had a horse, and the horse had a king. " * 6
SENTENCES = ("The king had a horse, and the horse had a king. ", "one two three four five six seven. ", "She sang la la la, and ",
             "Once upon a time there was a little girl. ", "ab " * 5 + "- ")
ADDRESS = {"type": "object", "required": ["street", "city", "country"], "additionalProperties": False,
           "properties": {"street": {"type": "string", "maxLength": 12}, "city": {"type": "string", "maxLength": 12},
                          "country": {"enum": ["Germany", "France", "Italy", "Spain", "Poland"]}}}
ADDRESSES = {"type": "array", "items": ADDRESS, "minItems": 2, "maxItems": 6}
PLACE = {"type": "object", "required": ["city", "sea"], "additionalProperties": False,
         "properties": {"city": {"type": "string", "maxLength": 12}, "sea": {"enum": ["Baltic", "Black"]}}}
TOOLS = [{"type": "function", "function": {"name": name, "parameters": PLACE}} for name in ("find_place", "forget_place")]


def samplings(chance):
    """What decides which token follows, by what is proven of it."""
    seeded = {"temperature": chance.choice([0.3, 0.7, 1.0]), "seed": chance.randrange(1 << 32)}
    return {
        "greedy": {"temperature": 0},
        "seeded": {**seeded, "top_k": 0, "top_p": 1, "min_p": 0},
        "top-p": {**seeded, "top_k": 0, "top_p": chance.choice([0.3, 0.8, 0.95]), "min_p": 0},
        "top-k": {**seeded, "top_k": chance.choice([2, 40]), "top_p": 1, "min_p": chance.choice([0, 0.05])},
        "penalties": {"temperature": chance.choice([0, 0.5]), "seed": 1, "repeat_penalty": 1.05, "frequency_penalty": 0.02,
                      "presence_penalty": chance.choice([0, 0.1])},
        "bias": {"temperature": 0, "logit_bias": {str(id): -100 for id in range(300, 320)}},
    }


def answers_of(chance):
    """What the answer has to be, likewise."""
    return {
        "text": {},
        "stop": {"stop": [chance.choice(["horse", "three", "girl", ".\n"])]},
        "end": {"ignore_eos": True, "min_tokens": 8},
        "logprobs": {"logprobs": 2},
        "schema": {"response_format": {"type": "json_schema", "json_schema": {"name": "it", "schema": ADDRESSES}}},
        "tools": {"tools": TOOLS, "tool_choice": "required"},
    }


def requests_of(numbers, models, kinds=None):
    """Model by model, so that those in company are on one engine."""
    return sorted((request_of(number, models, kinds) for number in numbers), key=lambda request: request[1]["model"])


def request_of(number, models, kinds):
    """(path, body) of the request with this number; each combination of what follows which way comes again and again."""
    chance = random.Random(SEED + number)
    choices, shapes = samplings(chance), answers_of(chance)
    shape = [*shapes][number % len(shapes)] if kinds is None else kinds[number % len(kinds)]
    prompt = f"{MARKER}: " + chance.choice(SENTENCES) * (1 if shape == "tools" else chance.choice([1, 3, 8]))
    body = {"model": models[(number + number // len(shapes)) % len(models)], "max_tokens": chance.choice([16, 32, 64]),
            **[*choices.values()][number // len(shapes) % len(choices)], **shapes[shape]}
    if shape == "tools":
        return "/v1/chat/completions", {**body, "messages": [{"role": "user", "content": prompt}]}
    return "/v1/completions", {**body, "prompt": prompt}


def ask(bus, path, body):
    """(what must be the same, the usage)"""
    with contextlib.closing(Connection(bus.path("runtime/llmd/llmd.sock"))) as connection:
        status, _, answer = connection.ask("POST", path, body)
    answer = json.loads(answer)
    assert status == 200, (answer, body)
    choice, = answer["choices"]
    for call in choice.get("message", {}).get("tool_calls", ()):
        del call["id"]  # no two answers have the same
    return (choice, answer["usage"]["completion_tokens"]), answer["usage"]["completion_tokens_details"]


def ask_all(bus, requests, together):
    """The answers, and how many tokens were drafted and accepted; `together` at a time."""
    with concurrent.futures.ThreadPoolExecutor(together) as pool:
        asked = list(pool.map(lambda request: ask(bus, *request), requests))
    accepted = sum(details["accepted_prediction_tokens"] for _, details in asked)
    drafted = accepted + sum(details["rejected_prediction_tokens"] for _, details in asked)
    return [answer for answer, _ in asked], drafted, accepted


def text_past_a_death(client, daemon, prompt, options, n_read):
    """The text of a stream whose engine is killed behind `n_read` lines, and the engine that goes on."""
    _, fd = client.stream(prompt, **options)
    parts = []
    while "text" in (line := harness.read_line(fd)):
        parts.append(line["text"])
        if len(parts) == n_read:
            for pid in daemon.engines():
                os.kill(pid, signal.SIGKILL)
    os.close(fd)
    return "".join(parts), line["finish_reason"]


class Speculation(harness.TestCase):
    @classmethod
    def prepare(cls):
        cls.write(True)

    @classmethod
    def write(cls, speculates):
        device = 'device = "Portable"\n' if harness.BACKEND == "opencl" else ""
        setting = "" if speculates else "speculation = false\n"
        cls.bus.config(f'backend = "{harness.BACKEND}"\n{device}chat_template = "{TEMPLATE}"\n{setting}')

    def set(self, speculates):
        """For the next model that is loaded."""
        self.write(speculates)
        self.client.admin("Reload")
        self.client.admin("UnloadModel", "(a{sv})", {})

    def metric(self, name):
        with contextlib.closing(Connection(self.bus.path("runtime/llmd/llmd.sock"))) as connection:
            text = connection.ask("GET", "/metrics")[2].decode()
        return float(re.search(rf"^{name} (\S+)$", text, re.MULTILINE)[1])

    def test_no_text_is_another_one(self):
        requests = requests_of(range(N_TEXTS), [LLAMA, GPT2])
        self.set(False)
        plain, drafted, _ = ask_all(self.bus, requests, 1)
        self.assertEqual(drafted, 0)
        self.set(True)
        for together in (1, N_TOGETHER):
            part = slice(together % 2, None, 2)
            answers, drafted, accepted = ask_all(self.bus, requests[part], together)
            for request, one, other in zip(requests[part], plain[part], answers):
                self.assertEqual(other, one, (together, request))
            self.assertGreaterEqual(drafted, accepted)

    def until_drafted(self, ask):
        """ask() -> (text, whether drafts were accepted), again while a busy machine makes further rows so dear that none is drafted."""
        for _ in range(N_TRIES):
            answer = ask()
            if answer[1]:
                return answer
        self.fail(f"nothing was drafted and accepted in {N_TRIES} texts that repeat themselves")

    def test_a_text_that_repeats_itself_has_drafts_that_fit(self):
        options = {"model": LLAMA, "max_tokens": 300, "temperature": 0.0}
        self.set(False)
        plain, info = self.client.generate(REPETITION, **options)
        self.texts.append(plain)
        self.assertEqual((info["drafted"], info["accepted"]), (0, 0))
        before = {name: self.metric(name) for name in ("llmd_drafted_tokens_total", "llmd_accepted_tokens_total")}
        self.set(True)
        told = {"drafted": 0, "accepted": 0}

        def count(text, usage):
            self.assertEqual(text, plain)
            self.assertGreaterEqual(usage["drafted"], usage["accepted"])
            for key in told:
                told[key] += usage[key]
            return text, usage["accepted"]

        def generate():
            text, info = self.client.generate(REPETITION, **options)
            self.assertLessEqual(info["accepted"], info["generated_tokens"])
            return count(text, info)

        def stream():
            _, fd = self.client.stream(REPETITION, **options)
            text, last = harness.read_stream(fd)
            return count(text, last["usage"])

        self.until_drafted(generate)
        self.until_drafted(stream)
        for key, name in (("drafted", "llmd_drafted_tokens_total"), ("accepted", "llmd_accepted_tokens_total")):
            self.assertEqual(self.metric(name) - before[name], told[key])
            self.assertEqual(self.client.status()[f"{key}_tokens"], self.metric(name))

        def verbose():
            done = self.llmctl("generate", "--verbose", "--model", LLAMA, "--max-tokens", "300", "--temperature", "0", REPETITION)
            return done.stdout, re.search(r"/s \(\d+ of \d+ drafted tokens accepted\)\n", done.stderr)

        self.until_drafted(verbose)
        self.assertRegex(self.llmctl("status").stdout, r"Speculation +\d+ of \d+ drafted tokens accepted\n")

    def llmctl(self, *arguments):
        return subprocess.run([LLMCTL, *arguments], env=self.bus.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=True, timeout=harness.LIMIT_S)

    def test_an_engine_that_dies_changes_no_text(self):
        self.set(True)
        for options in ({"temperature": 0.0}, {"temperature": 0.7, "seed": 5, "top_p": 0.9}):
            options = {"model": LLAMA, "max_tokens": 64, **options}
            plain, info = self.client.generate(REPETITION, **options)
            text, reason = text_past_a_death(self.client, self.daemon, REPETITION, options, 9)
            self.assertEqual((text, reason), (plain, info["finish_reason"]))


if __name__ == "__main__":
    harness.main()
