"""Logprobs and prompts of token ids over the Unix socket, with the real engine: what is told of the tokens is the text
to the byte, and the text is the one that comes without."""
import contextlib
import json
import math
import os
import signal

import harness
from harness import GPT2, LLAMA, MARKER
from socket_test import Connection, events

PROMPT = f"Once upon a time {MARKER}"
MESSAGES = [{"role": "user", "content": PROMPT}]
SAMPLINGS = ({"temperature": 0}, {"temperature": 1, "top_k": 0, "top_p": 1, "min_p": 0, "seed": 3},
             {"temperature": 0.8, "seed": 7, "repeat_penalty": 1.2}, {"temperature": 1.5, "top_p": 0.5, "seed": 1})
# Held back over many tokens, and spelled by a vocabulary that has no token for it.
EMOJI = {"type": "json_schema", "json_schema": {"name": "smile", "schema": {"const": "\U0001f600\u20ac"}}}
PERSON = {"type": "json_schema", "json_schema": {"name": "person", "schema": {
    "type": "object", "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"enum": [1, 2]}},
    "required": ["name", "age"]}}}


def merged(chunks):
    """The choices of a stream as they would be at once, by index."""
    choices = {}
    for chunk in chunks:
        for part in chunk["choices"]:
            whole = choices.setdefault(part["index"], {"text": "", "logprobs": {}})
            whole["text"] += part["text"] if "text" in part else part["delta"].get("content", "")
            for key, values in (part["logprobs"] or {}).items():
                if isinstance(values, list):
                    whole["logprobs"].setdefault(key, []).extend(values)
            whole["finish_reason"] = part["finish_reason"]
    return [choices[i] for i in sorted(choices)]


def content(choice):
    return choice["text"] if "text" in choice else choice["message"]["content"]


def spelled(name):
    """The bytes of a token as a completion names it."""
    if not name.startswith("bytes:"):
        return name.encode()
    return bytes.fromhex(name.removeprefix("bytes:").replace("\\x", ""))


class Logprobs(harness.TestCase):
    def ask(self, path, body, status=200):
        with contextlib.closing(Connection(self.bus.path("runtime/llmd/llmd.sock"))) as connection:
            answered, _, data = connection.ask("POST", path, body)
        self.assertEqual(answered, status, data)
        return data

    def choices(self, path, **body):
        """At once and streamed, which must be the same."""
        body = {"model": LLAMA, "max_tokens": 24, **body}
        whole = json.loads(self.ask(path, body))["choices"]
        *frames, done = events(self.ask(path, dict(body, stream=True)))
        self.assertEqual(done, "[DONE]")
        streamed = merged(map(json.loads, frames))
        self.assertEqual([content(choice) for choice in streamed], [content(choice) for choice in whole])
        for one, other in zip(streamed, whole):
            if other["logprobs"] is not None:
                lists = {key: value for key, value in other["logprobs"].items() if value}
                self.assertEqual(one["logprobs"], lists)
        return whole

    def completions(self, **body):
        return self.choices("/v1/completions", **{"prompt": PROMPT, **body})

    def assert_told(self, choice):
        """Of a completion: the tokens are the text, each at its place, and their numbers can be."""
        told = choice["logprobs"]
        names = told["tokens"]
        self.assertEqual(b"".join(map(spelled, names)).decode(errors="replace"), choice["text"])
        self.assertEqual({len(names)}, {len(values) for values in told.values() if values is not None})
        before = b""
        for name, logprob, offset in zip(names, told["token_logprobs"], told["text_offset"]):
            self.assertLessEqual(logprob, 0)
            self.assertEqual(offset, len(before.decode(errors="ignore")), names)
            before += spelled(name)
        for i, alternatives in enumerate(told["top_logprobs"] or ()):
            self.assertEqual(alternatives[names[i]], told["token_logprobs"][i])
            self.assertLessEqual(sum(map(math.exp, alternatives.values())), 1.001)

    def test_the_text_is_the_one_without_them(self):
        for model in (LLAMA, GPT2):
            for sampling in SAMPLINGS:
                with self.subTest(model=model, sampling=sampling):
                    plain, = self.completions(model=model, **sampling)
                    self.assertIsNone(plain["logprobs"])
                    for n_top in (0, 20):
                        choice, = self.completions(model=model, logprobs=n_top, **sampling)
                        self.assertEqual(choice["text"], plain["text"])
                        self.assert_told(choice)
                        self.assertEqual(choice["logprobs"]["top_logprobs"] is None, n_top == 0)
        # Greedy takes the likeliest.
        choice, = self.completions(logprobs=1, temperature=0)
        for name, alternatives in zip(choice["logprobs"]["tokens"], choice["logprobs"]["top_logprobs"]):
            self.assertEqual(list(alternatives), [name])

    def test_a_chat_tells_bytes(self):
        choice, = self.choices("/v1/chat/completions", messages=MESSAGES, logprobs=True, top_logprobs=3, temperature=0)
        told = choice["logprobs"]["content"]
        self.assertEqual(b"".join(bytes(one["bytes"]) for one in told).decode(), content(choice))
        for one in told:
            self.assertEqual(len(one["top_logprobs"]), 3)
            self.assertEqual(one["top_logprobs"][0], {key: one[key] for key in ("token", "logprob", "bytes")})

    def test_ollamas_calls_tell_the_same(self):
        told = self.choices("/v1/chat/completions", messages=MESSAGES, logprobs=True, top_logprobs=3, temperature=0)[0]["logprobs"]
        plain, = self.completions(logprobs=0, temperature=0)  # the model has no chat template
        for path, asked in (("/api/chat", {"messages": MESSAGES}), ("/api/generate", {"prompt": PROMPT})):
            for n_top in (0, 3):
                body = {"model": LLAMA, "options": {"num_predict": 24, "temperature": 0}, "logprobs": True, "top_logprobs": n_top,
                        **asked}
                with self.subTest(path, n_top=n_top):
                    whole = json.loads(self.ask(path, dict(body, stream=False)))
                    lines = [json.loads(line) for line in self.ask(path, body).splitlines()]
                    self.assertEqual([one for line in lines for one in line.get("logprobs", ())], whole["logprobs"])
                    if path == "/api/chat":
                        expected = told["content"] if n_top else [dict(one, top_logprobs=[]) for one in told["content"]]
                        self.assertEqual(whole["logprobs"], expected)
                    else:
                        self.assertEqual(whole["response"], plain["text"])
                        self.assertEqual([one["logprob"] for one in whole["logprobs"]], plain["logprobs"]["token_logprobs"])
                        self.assertEqual({len(one["top_logprobs"]) for one in whole["logprobs"]}, {n_top})
                    for line in lines[:-1]:
                        text = line["message"]["content"] if "message" in line else line["response"]
                        self.assertEqual("".join(one["token"] for one in line["logprobs"]), text)
            self.assertNotIn(b"logprobs", self.ask(path, dict(body, logprobs=False, top_logprobs=0)))
            for wrong in ({"top_logprobs": 21}, {"logprobs": 1}, {"logprobs": False}):
                self.assertRegex(json.loads(self.ask(path, {**body, **wrong}, 400))["error"], "^(top_)?logprobs: ")

    def test_lines_on_the_bus_tell_the_same(self):
        client = harness.Client(self.bus)
        options = {"model": LLAMA, "max_tokens": 24, "temperature": 0.0}
        choice, = self.completions(temperature=0, logprobs=2, response_format=EMOJI)
        for schema, whole in ((None, self.completions(temperature=0, logprobs=2)[0]), (EMOJI, choice)):
            more = {"json_schema": json.dumps(schema["json_schema"]["schema"])} if schema else {}
            _, fd = client.stream(PROMPT, logprobs=harness.GLib.Variant("u", 2), **options, **more)
            *lines, last = map(json.loads, harness.read_all(fd).splitlines())
            self.assertTrue(last["done"])
            text = "".join(line["text"] for line in lines)
            told = [one for line in lines for one in line.get("logprobs", ())]
            self.assertEqual(text, whole["text"])
            self.assertEqual(b"".join(bytes(one["bytes"]) for one in told).decode(), text)
            self.assertEqual([one["logprob"] for one in told], whole["logprobs"]["token_logprobs"])
            if schema is None:  # which may leave fewer alternatives
                self.assertEqual({len(one["top_logprobs"]) for one in told}, {2})
            _, fd = client.stream(PROMPT, **options, **more)
            self.assertFalse([line for line in harness.read_all(fd).splitlines() if b"logprobs" in line])
        for ask, more in ((client.generate, {}), (client.stream, {"format": "text"}),
                          (client.stream, {"delivery": "signals"}), (client.stream, {"echo": True}),
                          (client.stream, {"logprobs": harness.GLib.Variant("u", 21)})):
            name, message = harness.error_of(ask, PROMPT, **{"logprobs": harness.GLib.Variant("u", 2), **options, **more})
            self.assertEqual(name, "InvalidArgument")
            self.assertRegex(message, "^(logprobs|echo): ")

    def test_stop_strings_are_not_told_of(self):
        whole, = self.completions(temperature=0, logprobs=0)
        text = whole["text"]
        # At a token's border, in the middle of one, and over several.
        for begin, end in ((len(whole["logprobs"]["tokens"][0]), 6), (3, 5), (9, 16), (0, 2)):
            stop = text[begin:end]
            choice, = self.completions(temperature=0, logprobs=2, stop=[stop])
            self.assertEqual(choice["finish_reason"], "stop")
            self.assertEqual(choice["text"], text[:text.index(stop)])
            told = choice["logprobs"]
            self.assertEqual("".join(told["tokens"]), choice["text"])
            self.assertEqual(len(told["tokens"]), len(told["top_logprobs"]))

    def test_characters_of_several_tokens(self):
        for model in (LLAMA, GPT2):
            choice, = self.completions(model=model, temperature=0, logprobs=2, response_format=EMOJI)
            self.assertEqual(json.loads(choice["text"]), "\U0001f600\u20ac")
            self.assert_told(choice)
            self.assertTrue(any(name.startswith("bytes:") for name in choice["logprobs"]["tokens"]), choice)

    def test_under_a_schema_they_are_among_what_it_allows(self):
        for sampling in SAMPLINGS:
            plain, = self.completions(max_tokens=60, response_format=PERSON, **sampling)
            choice, = self.completions(max_tokens=60, response_format=PERSON, logprobs=5, **sampling)
            self.assertEqual(choice["text"], plain["text"])
            self.assert_told(choice)
            first = choice["logprobs"]["top_logprobs"][0]
            self.assertTrue(all(name.strip()[:1] in ("{", "") for name in first), first)

    def test_each_choice_has_its_own(self):
        alone = [self.completions(prompt=prompt, seed=seed, logprobs=1)[0]
                 for prompt in (PROMPT, f"{MARKER} was") for seed in (7, 8)]
        together = self.completions(prompt=[PROMPT, f"{MARKER} was"], n=2, seed=7, logprobs=1)
        for one, other in zip(together, alone):
            self.assertEqual((one["text"], one["logprobs"]), (other["text"], other["logprobs"]))

    def test_an_engine_that_dies_is_not_noticed(self):
        body = {"model": LLAMA, "prompt": PROMPT, "temperature": 0, "max_tokens": 200, "logprobs": 1}
        whole = json.loads(self.ask("/v1/completions", body))["choices"][0]
        connection = Connection(self.bus.path("runtime/llmd/llmd.sock"))
        self.addCleanup(connection.close)
        connection.request("POST", "/v1/completions", json.dumps(dict(body, stream=True)))
        response = connection.getresponse()
        begin = response.readline()
        os.kill(self.client.engine_of(LLAMA), signal.SIGKILL)
        *frames, done = events(begin + response.read())
        self.assertEqual(done, "[DONE]")
        choice, = merged(map(json.loads, frames))
        self.assertEqual((choice["text"], choice["logprobs"]), (whole["text"], whole["logprobs"]))

    def test_a_prompt_of_token_ids_is_the_text_that_they_are_of(self):
        for model in (LLAMA, GPT2):
            text = json.loads(self.ask("/v1/completions", {"model": model, "prompt": PROMPT, "temperature": 0,
                                                           "max_tokens": 12}))
            ids = json.loads(self.ask("/tokenize", {"model": model, "content": PROMPT}))["tokens"]
            # A token that begins every text of some models: nobody puts it before ids.
            lacking = text["usage"]["prompt_tokens"] - len(ids)
            self.assertIn(lacking, (0, 1), model)
            if lacking == 0:
                given = json.loads(self.ask("/v1/completions", {"model": model, "prompt": ids, "temperature": 0,
                                                                "max_tokens": 12}))
                self.assertEqual(given["choices"][0]["text"], text["choices"][0]["text"])
                self.assertEqual(given["usage"]["prompt_tokens"], len(ids))
            several = json.loads(self.ask("/v1/completions", {"model": model, "prompt": [ids, ids[:1]], "n": 2,
                                                              "temperature": 0, "max_tokens": 3}))
            self.assertEqual(len(several["choices"]), 4)
            self.assertEqual(several["usage"]["prompt_tokens"], len(ids) + 1)

    def test_token_ids_that_cannot_be_are_refused_by_name(self):
        for body, message in (({"prompt": [5, 1 << 20]}, "prompt[1]: 1048576 is not in the vocabulary of "),
                              ({"prompt": [5, -1]}, "prompt[1]: expected an integer from 0 to 2147483647, got -1"),
                              ({"prompt": [[5], [6, "a"]]}, "prompt[1][1]: "), ({"prompt": [5], "echo": True}, "echo: "),
                              ({"prompt": "p", "logprobs": 1, "echo": True}, "echo: "),
                              ({"prompt": "p", "logprobs": 21}, "logprobs: ")):
            error = json.loads(self.ask("/v1/completions", {"model": LLAMA, **body}, 400))["error"]
            self.assertEqual(error["name"], "InvalidArgument")
            self.assertTrue(error["message"].startswith(message), error)
        error = json.loads(self.ask("/v1/completions", {"model": LLAMA, "prompt": [5] * 20_000}, 400))["error"]
        self.assertEqual((error["name"], error["n_prompt_tokens"]), ("ContextExceeded", 20_000))
        self.assert_serves()


if __name__ == "__main__":
    harness.main()
