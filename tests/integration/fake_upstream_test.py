"""The fake upstream does what its script says: each engine's forms and silences, and each way to fail."""
import contextlib
import gzip
import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

import fake_model as model
import fake_recordings
from fake_upstream import FakeUpstream, make_certificate, pin_of

LIMIT_S = 60
RECORDINGS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "upstream")
TALK = [{"role": "user", "content": "Once upon a time"}]


class Answer:
    def __init__(self, response):
        self.status, self.headers = response.status, response.headers
        self.bytes, self.whole = b"", True
        try:
            while piece := response.read1():
                self.bytes += piece
        except (http.client.IncompleteRead, ConnectionResetError):
            self.whole = False

    @property
    def json(self):
        return json.loads(self.bytes)

    def events(self):
        """The objects of an event stream, or of lines; [DONE] and comments are left out."""
        found = []
        for line in self.bytes.decode(errors="replace").splitlines():
            line = line.removeprefix("data: ")
            if line.startswith("{"):
                with contextlib.suppress(ValueError):
                    found.append(json.loads(line))
        return found

    def ids(self):
        return [token for event in self.events() for token in
                (event["choices"][0].get("token_ids", []) if event.get("choices") else event.get("tokens", []))]

    def text(self):
        def of(event):
            choice = (event.get("choices") or [{}])[0]
            return choice.get("text") or choice.get("delta", {}).get("content") or event.get("content") or event.get("response") \
                or event.get("message", {}).get("content") or ""
        return "".join(map(of, self.events()))

    def reasons(self):
        return [c["finish_reason"] for e in self.events() for c in e.get("choices", []) if c["finish_reason"]]


def ask(upstream, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", upstream.port, timeout=LIMIT_S)
    data = None if body is None else json.dumps(body)
    connection.request("GET" if body is None else "POST", path, data, headers)
    try:
        return Answer(connection.getresponse())
    finally:
        connection.close()


class Case(unittest.TestCase):
    def upstream(self, api, *faults, **script):
        upstream = FakeUpstream({"api": api, "faults": list(faults), **script}).start()
        self.addCleanup(upstream.stop)
        return upstream

    def complete(self, upstream, prompt="Once", n=20, **options):
        return ask(upstream, "/v1/completions", {"model": "tales", "prompt": prompt, "max_tokens": n, "temperature": 0, "stream": True,
                                                 "return_token_ids": True, **options})

    def chat(self, upstream, n=20, **options):
        return ask(upstream, "/v1/chat/completions", {"model": "tales", "messages": TALK, "max_tokens": n, "temperature": 0,
                                                      "stream": True, **options})

    def native(self, upstream, prompt="Once", n=20, **options):
        return ask(upstream, "/completion", {"prompt": prompt, "n_predict": n, "temperature": 0, "stream": True, **options})


class Texts(Case):
    def test_a_greedy_text_goes_on_from_its_ids(self):
        upstream = self.upstream("vllm")
        ids = ask(upstream, "/tokenize", {"messages": TALK, "add_generation_prompt": True}).json["tokens"]
        self.assertEqual(ids[:2], [model.BEGIN, model.TURN_BEGIN])
        whole = self.complete(upstream, ids, 60)
        self.assertEqual(whole.text(), model.greedy_text(ids, 60))
        self.assertEqual(whole.text(), self.chat(upstream, 60).text())
        for n in (1, 17, 59):
            begin = self.complete(upstream, ids, n)
            self.assertEqual(begin.ids(), whole.ids()[:n])
            rest = self.complete(upstream, ids + begin.ids(), 60 - n)
            self.assertEqual(begin.ids() + rest.ids(), whole.ids())
        self.assertEqual(upstream.calls[1].body["prompt"], ids)

    def test_a_sampled_text_does_not_go_on_and_repeats_with_its_seed(self):
        upstream = self.upstream("vllm")
        prompt = model.tokenize("Once", True)
        whole = self.complete(upstream, prompt, 30, temperature=1, seed=7).ids()
        self.assertEqual(whole, self.complete(upstream, prompt, 30, temperature=1, seed=7).ids())
        self.assertNotEqual(whole, self.complete(upstream, prompt, 30, temperature=1, seed=8).ids())
        self.assertNotEqual(whole[10:], self.complete(upstream, prompt + whole[:10], 20, temperature=1, seed=7).ids())
        # What is not sent is the model's own, and that is no greedy text.
        unsaid = ask(upstream, "/v1/completions", {"model": "tales", "prompt": prompt, "max_tokens": 30, "return_token_ids": True,
                                                   "stream": True})
        self.assertNotEqual(unsaid.ids(), self.complete(upstream, prompt, 30).ids())

    def test_llama_server_gives_ids_on_its_own_route_only(self):
        upstream = self.upstream("llama-server")
        prompt = ask(upstream, "/apply-template", {"messages": TALK}).json["prompt"]
        ids = ask(upstream, "/tokenize", {"content": prompt, "add_special": True, "parse_special": True}).json["tokens"]
        native = self.native(upstream, ids)
        self.assertEqual(native.text(), model.greedy_text(ids, 20))
        self.assertEqual(len(native.ids()), 20)
        self.assertEqual(native.events()[-1]["stop_type"], "limit")
        self.assertEqual(self.complete(upstream, ids).ids(), [])
        self.assertEqual(ask(upstream, "/detokenize", {"tokens": native.ids()}).json["content"].rstrip("\ufffd"), native.text())

    def test_the_end_depends_on_all_ids(self):
        upstream = self.upstream("vllm", ends_at=40)
        prompt = model.tokenize("Once", True)
        whole = self.complete(upstream, prompt, 100)
        self.assertEqual((len(prompt + whole.ids()), whole.ids()[-1]), (41, model.END))
        self.assertEqual(whole.reasons(), ["stop"])
        self.assertEqual(whole.events()[-1]["choices"][0]["token_ids"], [model.END])  # in the event with the reason
        native = self.native(self.upstream("llama-server", ends_at=40), prompt, 100).events()
        self.assertEqual(([e["tokens"] for e in native[-2:]], native[-1]["stop_type"]), ([[model.END], []], "eos"))
        self.assertEqual(self.complete(upstream, prompt + whole.ids()[:9], 100).ids(), whole.ids()[9:])

    def test_stop_texts_and_characters_of_several_tokens_come_whole(self):
        upstream = self.upstream("vllm")
        text = self.complete(upstream, n=200).text()
        self.assertIn("😀", text)
        self.assertNotIn("�", text)
        stop = text[40:48]
        stopped = self.complete(upstream, n=200, stop=[stop])
        self.assertEqual(stopped.text(), text[:text.index(stop)])
        self.assertEqual(stopped.reasons(), ["stop"])

    def test_in_one_piece(self):
        for api in ("vllm", "openai", "exo"):
            upstream = self.upstream(api)
            whole = self.chat(upstream, stream=False).json
            self.assertEqual(whole["choices"][0]["message"]["content"], self.chat(upstream).text())
            self.assertEqual(whole["usage"]["completion_tokens"], 20)
        native = ask(self.upstream("llama-server"), "/completion", {"prompt": "Once", "n_predict": 5, "return_tokens": True,
                                                                    "temperature": 0}).json
        self.assertEqual(len(native["tokens"]), 5)

    def test_schemas_are_obeyed_where_the_engine_reads_them(self):
        schema = {"type": "object", "properties": {"hour": {"type": "integer"}, "name": {"type": "string"}}}
        openai = {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}}
        self.assertEqual(set(json.loads(self.complete(self.upstream("vllm"), n=99, **openai).text())), {"hour", "name"})
        self.assertEqual(set(json.loads(self.chat(self.upstream("llama-server"), n=99, **openai).text())), {"hour", "name"})
        self.assertEqual(set(json.loads(self.native(self.upstream("llama-server"), n=99, json_schema=schema).text())), {"hour", "name"})
        for deaf in (self.complete(self.upstream("llama-server"), n=30, **openai), self.chat(self.upstream("exo"), n=30, **openai),
                     self.chat(self.upstream("vllm", {"schema": "ignore"}), n=30, **openai)):
            self.assertNotIn("{", deaf.text())


class Engines(Case):
    def test_each_can_be_told_apart(self):
        tells = {"vllm": "/version", "sglang": "/server_info", "llama-server": "/props", "ollama": "/api/version", "exo": "/node_id"}
        for api in (*tells, "openai", "mlx"):
            upstream = self.upstream(api)
            found = [name for name, path in tells.items() if ask(upstream, path).status == 200]
            self.assertEqual(found, [api] if api in tells else [], api)

    def test_lists(self):
        listed = ask(self.upstream("vllm", models=["a", "b"], n_ctx=77), "/v1/models").json["data"]
        self.assertEqual([(each["id"], each["max_model_len"], each["owned_by"]) for each in listed], [("a", 77, "vllm"), ("b", 77, "vllm")])
        self.assertEqual(ask(self.upstream("llama-server", n_ctx=77), "/v1/models").json["data"][0]["meta"]["n_ctx"], 77)
        router = self.upstream("llama-server", router={"a": "sleeping"})
        self.assertEqual(ask(router, "/v1/models").json["data"][0]["status"]["value"], "sleeping")
        self.assertEqual(len(ask(self.upstream("openai", more_models=1000), "/v1/models").json["data"]), 1001)

    def test_unlisted_models(self):
        for api, status in {"vllm": 404, "ollama": 404, "exo": 404, "llama-server": 200, "sglang": 200}.items():
            self.assertEqual(self.chat(self.upstream(api), model="other").status, status, api)
        self.assertEqual(self.chat(self.upstream("vllm", serves_unlisted=True), model="other").status, 200)
        self.assertEqual(self.chat(self.upstream("llama-server", router={"a": "loaded"}), model="b").status, 400)

    def test_seeds_of_each(self):
        def text(upstream, seed):
            return self.complete(upstream, temperature=1, seed=seed).text()
        vllm, llama, sglang = map(self.upstream, ("vllm", "llama-server", "sglang"))
        self.assertNotEqual(text(vllm, 0), text(vllm, 1 << 32))
        self.assertEqual(text(llama, 0), text(llama, 1 << 32))
        self.assertNotEqual(text(llama, 0), text(llama, 1))
        self.assertEqual(text(sglang, 0), text(sglang, 1))

    def test_what_is_refused_and_what_is_ignored(self):
        self.assertEqual(self.complete(self.upstream("sglang"), top_k=0).status, 400)
        self.assertEqual(self.complete(self.upstream("vllm"), top_k=0).status, 200)
        self.assertEqual(self.complete(self.upstream("vllm"), priority=1).status, 400)
        self.assertEqual(self.complete(self.upstream("vllm", priorities=True), priority=1).status, 200)
        self.assertEqual(self.complete(self.upstream("vllm"), prompt=[1 << 20]).status, 400)
        llama = self.upstream("llama-server")
        texts = {self.complete(llama, temperature=1, seed=1, repetition_penalty=p).text() for p in (1, 2)}
        self.assertEqual(len(texts), 1)
        self.assertEqual(len({self.complete(llama, temperature=1, seed=1, repeat_penalty=p).text() for p in (1, 2)}), 2)

    def test_the_context(self):
        long = "x" * 200
        vllm = self.complete(self.upstream("vllm", n_ctx=100), long)
        self.assertEqual((vllm.status, "maximum context length" in vllm.json["error"]["message"]), (400, True))
        llama = self.native(self.upstream("llama-server", n_ctx=100), long)
        self.assertEqual((llama.status, llama.json["error"]["type"], llama.json["error"]["n_ctx"]), (400, "exceed_context_size_error", 100))
        body = {"model": "tales", "prompt": long, "raw": True, "options": {"num_predict": 5, "temperature": 0}}
        ollama = self.upstream("ollama", n_ctx=100)
        self.assertEqual(ask(ollama, "/api/generate", body).status, 200)
        self.assertEqual(ask(ollama, "/api/generate", {**body, "truncate": False, "shift": False}).status, 400)

    def test_where_usage_is(self):
        usages = {}
        for api in ("vllm", "llama-server", "exo"):
            answer = self.chat(self.upstream(api), stream_options={"include_usage": True})
            usages[api] = [(len(e["choices"]), e["usage"]["completion_tokens"]) for e in answer.events() if "usage" in e]
        self.assertEqual(usages, {"vllm": [(0, 20)], "llama-server": [(0, 20)], "exo": [(1, 20)]})
        unasked = self.complete(self.upstream("llama-server")).events()[-1]
        self.assertEqual((unasked["choices"][0]["finish_reason"], unasked["usage"]["completion_tokens"]), ("length", 20))
        each = self.complete(self.upstream("vllm"), stream_options={"continuous_usage_stats": True}).events()
        self.assertEqual([e["usage"]["completion_tokens"] for e in each][:3], [1, 2, 3])

    def test_reasoning_is_beside_the_answer(self):
        for api, name in {"vllm": "reasoning", "sglang": "reasoning_content", "llama-server": "reasoning_content"}.items():
            answer = self.chat(self.upstream(api, {"thinks": "let me see"}))
            self.assertEqual("".join(e["choices"][0]["delta"].get(name, "") for e in answer.events() if e["choices"]), "let me see ")
            self.assertEqual(answer.text(), self.chat(self.upstream(api)).text())

    def test_ollama(self):
        upstream = self.upstream("ollama", models=["a", "big-cloud"], cloud={"big-cloud": "https://ollama.com"}, capabilities=["thinking"])
        self.assertEqual(ask(upstream, "/api/show", {"model": "big-cloud"}).json["remote_host"], "https://ollama.com")
        self.assertNotIn("remote_host", ask(upstream, "/api/show", {"model": "a"}).json)
        chat = ask(upstream, "/api/chat", {"model": "a", "messages": TALK, "options": {"num_predict": 9, "temperature": 0}})
        self.assertEqual(chat.text(), model.greedy_text(model.tokenize(model.render(TALK), True, True), 9))
        self.assertEqual((chat.events()[-1]["done_reason"], chat.events()[-1]["eval_count"]), ("length", 9))
        started = [*TALK, {"role": "assistant", "content": " dan"}]
        going_on = ask(upstream, "/api/chat", {"model": "a", "messages": started, "options": {"num_predict": 9, "temperature": 0}})
        self.assertEqual(going_on.text(), model.greedy_text(model.tokenize(model.render(started, continues=True), True, True), 9))

    def test_begins_of_answers_and_their_echo(self):
        started = [*TALK, {"role": "assistant", "content": " dan"}]
        expected = model.greedy_text(model.tokenize(model.render(started, continues=True), True, True), 20)
        options = {"messages": started, "continue_final_message": True, "add_generation_prompt": False}
        self.assertEqual(self.chat(self.upstream("vllm"), **options).text(), expected)
        self.assertEqual(self.chat(self.upstream("llama-server"), messages=started).text(), expected)
        self.assertNotEqual(self.chat(self.upstream("exo"), messages=started).text(), expected)
        self.assertTrue(self.chat(self.upstream("vllm", {"echo": " dan"}), **options).text().startswith(" dan"))

    def test_logprobs(self):
        old = self.complete(self.upstream("vllm"), logprobs=3).events()[0]["choices"][0]["logprobs"]
        self.assertEqual((len(old["top_logprobs"][0]), old["token_logprobs"]), (3, [-0.25]))
        new = self.chat(self.upstream("vllm"), logprobs=True, top_logprobs=3).events()[1]["choices"][0]["logprobs"]["content"][0]
        self.assertEqual(len(new["top_logprobs"]), 3)
        native = self.native(self.upstream("llama-server"), n_probs=2).events()[0]
        self.assertEqual(native["completion_probabilities"][0]["id"], native["tokens"][0])

    def test_embeddings(self):
        body = {"model": "tales", "input": ["a", "b"]}
        self.assertEqual(len(ask(self.upstream("vllm", embeddings=True), "/v1/embeddings", body).json["data"]), 2)
        self.assertEqual(ask(self.upstream("llama-server"), "/v1/embeddings", body).status, 501)
        self.assertEqual(len(ask(self.upstream("ollama", embeddings=True), "/api/embed", body).json["embeddings"]), 2)

    def test_keys(self):
        upstream = self.upstream("vllm", key="secret")
        self.assertEqual(ask(upstream, "/v1/models").status, 401)
        self.assertEqual(ask(upstream, "/v1/models", Authorization="Bearer secret").status, 200)
        self.assertEqual(ask(upstream, "/tokenize", {"prompt": "a"}).status, 200)
        self.assertEqual(ask(self.upstream("llama-server", key="secret"), "/tokenize", {"content": "a"}).status, 401)

    def test_what_was_not_sent(self):
        upstream = self.upstream("vllm")
        self.complete(upstream, top_p=1, seed=3)
        self.assertEqual(upstream.calls[0].unsent(upstream.engine.parameters),
                         ["frequency_penalty", "min_p", "presence_penalty", "repetition_penalty", "top_k"])
        self.assertIn("Content-Length", upstream.calls[0].headers)


class Failures(Case):
    def test_answers_in_place_of_texts(self):
        upstream = self.upstream("vllm", {"status": 429, "headers": {"Retry-After": 7}}, {"html": True}, {"redirect": "http://127.0.0.2/"},
                                 {"status": 403, "body": {"error": "no"}}, {"gzip": True})
        busy = self.complete(upstream)
        self.assertEqual((busy.status, busy.headers["Retry-After"]), (429, "7"))
        page = self.complete(upstream)
        self.assertEqual((page.status, page.bytes[:9]), (200, b"<!DOCTYPE"))
        elsewhere = self.complete(upstream)
        self.assertEqual((elsewhere.status, elsewhere.headers["Location"]), (302, "http://127.0.0.2/"))
        self.assertEqual(self.complete(upstream).json, {"error": "no"})
        squeezed = self.complete(upstream)
        self.assertIn(b"[DONE]", gzip.decompress(squeezed.bytes))
        self.assertEqual(len(self.complete(upstream).ids()), 20)  # the faults are used up
        whole = self.complete(self.upstream("vllm", {"gzip": True}), stream=False)
        self.assertEqual(json.loads(gzip.decompress(whole.bytes))["usage"]["completion_tokens"], 20)

    def test_loading(self):
        upstream = self.upstream("llama-server", loading=2)
        self.assertEqual([ask(upstream, "/health").status for _ in range(3)], [503, 503, 200])

    def test_the_connection_ends(self):
        upstream = self.upstream("vllm", {"cut": True, "after": 5}, {"cut_reset": True, "after": 5}, {"cut_clean": True, "after": 5})
        for whole in (False, False, True):
            answer = self.complete(upstream)
            self.assertEqual((len(answer.ids()), answer.whole, answer.reasons()), (5, whole, []))
        self.assertEqual([call.tokens for call in upstream.calls], [5, 5, 5])
        for fault in ({"drop": True}, {"reset": True}):
            with self.assertRaises((http.client.RemoteDisconnected, ConnectionResetError)):
                self.complete(self.upstream("vllm", fault))

    def test_hangs_end_when_the_caller_leaves(self):
        for fault in ({"silent": True}, {"hang": True, "after": 3}, {"ping": True, "after": 3}):
            upstream = self.upstream("vllm", fault, ping_ms=5)
            with socket.create_connection(("127.0.0.1", upstream.port), LIMIT_S) as connection:
                body = json.dumps({"model": "tales", "prompt": "Once", "max_tokens": 20, "stream": True}).encode()
                connection.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                got = b""
                while "after" in fault and got.count(b"data: ") < 3 or "ping" in fault and got.count(b": ping") < 3:
                    got += connection.recv(4096)
                upstream.wait(lambda u: u.calls)
            upstream.wait(lambda u: u.calls[0].left)

    def test_stalls_until_released(self):
        upstream = self.upstream("vllm", {"stall": True, "after": 3}, {"hold": True})
        threading.Thread(target=lambda: (upstream.wait(lambda u: u.calls), upstream.release())).start()
        self.assertEqual(len(self.complete(upstream).ids()), 20)
        self.assertEqual(len(self.complete(upstream).ids()), 20)

    def test_what_a_stream_may_hold(self):
        upstream = self.upstream("vllm", {"error": {"error": {"code": 503}}, "done": True}, {"event_bytes": 10 << 20, "after": 2},
                                 {"token_ids": [-5], "after": 2}, {"token_ids": [1 << 31], "after": 0}, {"extra_tokens": 4},
                                 {"no_finish": True}, {"no_done": True}, {"finish_reason": "content_filter"}, {"usage": {"prompt_tokens": -1}},
                                 {"raw": "data: {\"choices\": [\n\n", "after": 1}, {"raw": "data: \udcff\n\n"})
        refused = self.complete(upstream)
        self.assertEqual((refused.status, refused.events()[0], b"[DONE]" in refused.bytes), (200, {"error": {"code": 503}}, True))
        self.assertGreater(len(self.complete(upstream).bytes), 10 << 20)
        self.assertEqual(self.complete(upstream).ids()[2], -5)
        self.assertEqual(self.complete(upstream).ids()[0], 1 << 31)
        self.assertEqual(len(self.complete(upstream).ids()), 24)
        unfinished = self.complete(upstream)
        self.assertEqual((unfinished.reasons(), unfinished.whole, b"[DONE]" in unfinished.bytes), ([], True, True))
        self.assertNotIn(b"[DONE]", self.complete(upstream).bytes)
        self.assertEqual(self.complete(upstream).reasons(), ["content_filter"])
        self.assertEqual(self.complete(upstream, stream_options={"include_usage": True}).events()[-1]["usage"]["prompt_tokens"], -1)
        self.assertIn(b'data: {"choices": [\n\n', self.complete(upstream).bytes)
        self.assertIn(b"data: \xff", self.complete(upstream).bytes)

    def test_the_form_of_a_stream(self):
        upstream = self.upstream("vllm", {"chunk": 3}, {"crlf": True})
        pieces, lines = self.complete(upstream), self.complete(upstream)
        self.assertEqual(pieces.ids(), self.complete(upstream).ids())
        self.assertIn(b"\r\n\r\n", lines.bytes)

    def test_exo_pings_at_once_and_says_done_after_an_error(self):
        upstream = self.upstream("exo", {"error": {"error": {"message": "runner died"}}, "after": 2, "done": True})
        answer = self.chat(upstream)
        self.assertTrue(answer.bytes.startswith(b": ping\n\n"))
        self.assertTrue(answer.bytes.endswith(b"data: [DONE]\n\n"))
        self.assertEqual(answer.reasons(), [])

    def test_dies_and_comes_back_at_its_address(self):
        upstream = self.upstream("vllm", {"hang": True, "after": 3})
        killer = threading.Thread(target=lambda: (upstream.wait(lambda u: u.calls and u.calls[0].tokens == 3), upstream.stop()))
        killer.start()
        self.assertFalse(self.complete(upstream).whole)
        killer.join()
        with self.assertRaises(ConnectionRefusedError):
            ask(upstream, "/health")
        upstream.start()
        self.assertEqual(len(self.complete(upstream).ids()), 20)

    def test_other_faults_are_for_their_path(self):
        upstream = self.upstream("vllm", {"path": "/v1/models", "status": 500, "times": -1}, {"path": "/tokenize", "status": 422})
        self.assertEqual([ask(upstream, "/v1/models").status for _ in range(2)], [500, 500])
        self.assertEqual([ask(upstream, "/tokenize", {"prompt": "a"}).status for _ in range(2)], [422, 200])
        self.assertEqual(self.complete(upstream).status, 200)


def members(value):
    """The paths of all members that say something."""
    if isinstance(value, list):
        return set().union(*map(members, value))
    if not isinstance(value, dict):
        return set()
    return {(key, *rest) for key, inner in value.items() if inner is not None for rest in members(inner) | {()}}


class Recordings(Case):
    FILES = {"vllm": "vllm-0.33.0", "sglang": "sglang-0.5.23", "llama-server": "llama-server-0.7.0", "ollama": "ollama-2026-08",
             "exo": "exo-0.3.70"}

    def path(self, api):
        return os.path.join(RECORDINGS, self.FILES[api] + ".http")

    def test_they_are_answered(self):
        for api in self.FILES:
            exchanges = fake_recordings.read(self.path(api))
            upstream = self.upstream("openai", recorded=self.path(api))
            for exchange in exchanges:
                answer = ask(upstream, exchange.path, exchange.body)
                self.assertEqual((answer.status, answer.headers["Content-Type"], answer.bytes), (exchange.status, exchange.type, exchange.answer))
                self.assertTrue(answer.events() or answer.json)
            self.assertEqual(set(os.listdir(RECORDINGS)) - {"README.md"}, {f"{name}.http" for name in self.FILES.values()})

    def test_the_fake_engines_say_nothing_else(self):
        for api in self.FILES:
            exchanges = fake_recordings.read(self.path(api))
            names = {exchange.body["model"] for exchange in exchanges if exchange.body and "model" in exchange.body} - {"other"}
            upstream = self.upstream(api, *[{"thinks": "Hm.", "path": "/v1/chat/completions"}], models=sorted(names) or ["tales"],
                                     cloud={"large:cloud": "https://ollama.com:443"})
            for exchange in exchanges:
                recorded = [each for each in exchanges if each.path == exchange.path]
                answer = ask(upstream, exchange.path, exchange.body)
                self.assertIn((answer.status, answer.headers["Content-Type"]), {(each.status, each.type) for each in recorded})
                said = members(answer.events() or answer.json)
                known = members([json.loads(line.removeprefix("data: ")) for each in recorded for line in each.answer.decode().splitlines()
                                 if line.removeprefix("data: ")[:1] in ("{", '"')])
                self.assertEqual(said - known, set(), f"{api} {exchange.path}")


class Transports(Case):
    def setUp(self):
        if not shutil.which("openssl"):
            self.skipTest("there is no openssl program to make certificates with; install openssl")
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def get(self, upstream, context):
        return urllib.request.urlopen(upstream.url + "/v1/models", context=context, timeout=LIMIT_S).status

    def test_certificates(self):
        good = make_certificate(self.folder)
        upstream = FakeUpstream({"api": "vllm"}, tls=good).start()
        self.addCleanup(upstream.stop)
        trusting = ssl.create_default_context(cafile=good[0])
        self.assertEqual(self.get(upstream, trusting), 200)
        with self.assertRaisesRegex(urllib.error.URLError, "self.signed"):
            self.get(upstream, ssl.create_default_context())
        for wrong, reason in ((make_certificate(self.folder, "example.org"), "mismatch"), (make_certificate(self.folder, valid_s=-60), "expired"),
                              (make_certificate(self.folder, begins_s=3000), "not yet valid")):
            upstream.use_certificate(wrong)
            with self.assertRaisesRegex(urllib.error.URLError, reason):
                self.get(upstream, ssl.create_default_context(cafile=wrong[0]))
        self.assertRegex(pin_of(good[0]), "^sha256//[A-Za-z0-9+/]{43}=$")
        self.assertNotEqual(pin_of(good[0]), pin_of(wrong[0]))

    def test_a_text_over_tls(self):
        good = make_certificate(self.folder)
        with FakeUpstream({"api": "vllm", "token_ms": 1}, tls=good) as upstream:
            connection = http.client.HTTPSConnection("127.0.0.1", upstream.port, context=ssl.create_default_context(cafile=good[0]))
            connection.request("POST", "/v1/completions", json.dumps({"model": "tales", "prompt": "a", "max_tokens": 9, "stream": True,
                                                                      "return_token_ids": True}))
            self.assertEqual(len(Answer(connection.getresponse()).ids()), 9)
            connection.close()

    def test_as_a_program_on_a_unix_socket(self):
        script, path, record = (os.path.join(self.folder, name) for name in ("script.json", "s", "record"))
        with open(script, "w") as file:
            json.dump({"api": "ollama"}, file)
        program = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_upstream.py"), script,
                                    "--unix", path, "--record", record], stdout=subprocess.PIPE, text=True)
        self.assertEqual(program.stdout.readline(), f"unix:{path}\n")
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            connection.sendall(b"GET /api/version HTTP/1.0\r\n\r\n")
            with connection.makefile("rb") as answer:
                self.assertIn(b"200 OK", answer.readline())
                answer.read()
        program.terminate()
        self.assertEqual(program.wait(LIMIT_S), 0)
        program.stdout.close()
        with open(record) as file:
            self.assertEqual(json.loads(file.readline())["path"], "/api/version")


if __name__ == "__main__":
    unittest.main(verbosity=2)
