"""llmd-remote before each engine and each of its failures, as the fake upstream plays them; the test talks to it in llmd's place."""
import json
import os
import shutil
import sys
import tempfile
import unittest

import fake_model as model
from fake_upstream import FakeUpstream, make_certificate, pin_of
from remote_peer import ERRORS, MARKER, N, PROGRAM, USER, Remote
from remote_rows import ROWS, SCHEMA, status

SKIP = 77
ENGINES = ("vllm", "sglang", "llama-server", "ollama", "exo", "openai", "mlx")
WITH_IDS = ("vllm", "sglang", "llama-server")
TEXT_ENDS = ("stop", "length")


def prompt_ids(chat=None, text=f"Once {MARKER}"):
    return model.tokenize(model.render(chat) if chat else text, True, True)


class Case(unittest.TestCase):
    def upstream(self, api, *faults, tls=None, **script):
        upstream = FakeUpstream({"api": api, "faults": list(faults), **script}, tls=tls).start()
        self.addCleanup(upstream.stop)
        return upstream

    def directory(self):
        directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, directory)
        return directory

    def ask(self, api, *faults, submit=None, settings=None, **script):
        """(answer, upstream) of one request: a conversation where the server has no raw prompts."""
        upstream = self.upstream(api, *faults, **script)
        remote = Remote(self, upstream.url, **(settings or {}))
        self.assertEqual(remote.failed, "", f"{api}: {remote.ready}")
        submit = dict(submit or {})
        if api == "exo":
            submit.setdefault("messages", [{"role": USER, "content": f"Once {MARKER}"}])
        answer = remote.ask(**submit)
        if all(MARKER not in json.dumps(fault) for fault in faults):  # whoever asks may be told what the server says
            self.assertNotIn(MARKER, answer.message)
        return answer, upstream

    def expected(self, api, n=N):
        return model.greedy_text(prompt_ids([{"role": "user", "content": f"Once {MARKER}"}] if api == "exo" else None), n)


class Texts(Case):
    def test_every_engine_and_every_parameter(self):
        for api in ENGINES:
            with self.subTest(api):
                answer, upstream = self.ask(api)
                self.assertEqual((answer.end, answer.text, answer.resumed), ("length", self.expected(api), 0))
                self.assertEqual(len(answer.ids), N)
                self.assertEqual(upstream.generations()[0].unsent(upstream.engine.parameters), [])

    def test_conversations(self):
        talk = [{"role": USER, "content": f"Once {MARKER}"}]
        for api in ENGINES:
            with self.subTest(api):
                answer, _ = self.ask(api, submit={"messages": talk})
                self.assertEqual(answer.text, model.greedy_text(prompt_ids([{"role": "user", "content": f"Once {MARKER}"}]), N))
        answer, upstream = self.ask("sglang", submit={"messages": talk}, tokenizes_texts_only=True)
        self.assertEqual((answer.end, upstream.generations()[0].path), ("length", "/v1/chat/completions"))

    def test_the_end_of_the_text(self):
        n_prompt = len(prompt_ids())
        for api in ("vllm", "sglang", "llama-server", "ollama", "openai"):
            with self.subTest(api):
                answer, _ = self.ask(api, ends_at=n_prompt + 10)
                self.assertEqual((answer.end, answer.text), ("stop", self.expected(api, 10)))

    def test_the_form_of_the_stream(self):
        for fault in ({"chunk": 1}, {"chunk": 7, "crlf": True}, {"no_done": True}):
            for api in ("vllm", "llama-server", "ollama"):
                with self.subTest(api, fault=fault):
                    answer, _ = self.ask(api, fault)
                    self.assertEqual((answer.end, answer.text), ("length", self.expected(api)))

    def test_thinking_is_no_answer(self):
        for api in ("vllm", "sglang", "llama-server", "ollama", "exo"):
            with self.subTest(api):
                talk = [{"role": USER, "content": f"Once {MARKER}"}]
                answer, _ = self.ask(api, {"thinks": "let me see"}, submit={"messages": talk, "thinking": 1})
                self.assertEqual(answer.text, model.greedy_text(prompt_ids([{"role": "user", "content": f"Once {MARKER}"}]), N))
                self.assertEqual(answer.thinking.strip(), "let me see")


class Cuts(Case):
    CUTS = ({"cut": True}, {"cut_reset": True}, {"cut_clean": True}, {"error": {"error": {"message": "died", "code": 500}}, "done": True})

    def test_greedy_texts_go_on_from_their_ids(self):
        for api in WITH_IDS:
            for cut in self.CUTS:
                for after in (1, 17):
                    with self.subTest(api, cut=cut, after=after):
                        answer, upstream = self.ask(api, {**cut, "after": after})
                        self.assertEqual((answer.end, answer.text, answer.resumed), ("length", self.expected(api), 1))
                        first, second = upstream.generations()
                        self.assertEqual(second.body["prompt"], first.body["prompt"] + answer.ids[:after])

    def test_texts_without_ids(self):
        """A raw prompt goes on from its text; a conversation is lost, unless nothing of it had been told yet."""
        for api, chat in (("ollama", False), ("ollama", True), ("exo", True), ("openai", False), ("openai", True)):
            for cut in self.CUTS:
                with self.subTest(api, chat=chat, cut=cut):
                    submit = {"messages": [{"role": USER, "content": f"Once {MARKER}"}]} if chat else {}
                    answer, _ = self.ask(api, {**cut, "after": 5}, submit=submit)
                    whole = model.greedy_text(prompt_ids([{"role": "user", "content": f"Once {MARKER}"}] if chat else None), N)
                    if chat and answer.end == "RemoteLost":
                        self.assertTrue(whole.startswith(answer.text))
                    else:
                        self.assertEqual((answer.end, answer.text), ("length", whole))

    def test_it_dies_and_loads(self):
        for api in WITH_IDS:
            with self.subTest(api):
                upstream = self.upstream(api, token_ms=3)
                remote = Remote(self, upstream.url)
                state = []

                def die(n, upstream=upstream, state=state, api=api):
                    if n >= 5 and not state:
                        state.append(n)
                        upstream.stop()
                        upstream.play({"api": api, "loading": 2})
                        upstream.start()
                answer = remote.ask(n=100, on_tokens=die)
                self.assertEqual((answer.end, answer.text, answer.resumed), ("length", self.expected(api, 100), 1))

    def test_it_comes_back_as_another(self):
        for what, script in {"another model": {"models": ["other"]}, "another context": {"n_ctx": 2048},
                             "another context after loading": {"n_ctx": 2048, "loading": 1},
                             "another model after loading": {"models": ["other"], "serves_unlisted": True, "loading": 1}}.items():
            with self.subTest(what):
                upstream = self.upstream("vllm", token_ms=3)
                remote = Remote(self, upstream.url)
                state = []

                def change(n, upstream=upstream, state=state, script=script):
                    if n >= 5 and not state:
                        state.append(n)
                        upstream.stop()
                        upstream.play({"api": "vllm", **script})
                        upstream.start()
                answer = remote.ask(n=100, on_tokens=change)
                self.assertIn(answer.end, ("RemoteLost", "ModelNotFound"))
                self.assertTrue(self.expected("vllm", 100).startswith(answer.text))

    def test_it_never_gets_further(self):
        answer, upstream = self.ask("vllm", {"cut": True, "after": 5}, {"cut": True, "times": -1})
        self.assertEqual((answer.end, len(upstream.generations())), ("RemoteLost", 3))

    def test_sampled_texts_go_on_with_another_seed(self):
        answer, upstream = self.ask("vllm", {"cut": True, "after": 5}, submit={"temperature": 1.0, "seed": 7})
        self.assertEqual((answer.end, answer.resumed, len(answer.ids)), ("length", 1, N))
        seeds = [call.body["seed"] for call in upstream.generations()]
        self.assertEqual(seeds[0], 7)
        self.assertNotEqual(seeds[1], 7)
        self.assertLess(seeds[1], 1 << 31)


class Failures(Case):
    def test_each_has_its_error(self):
        for row in ROWS:
            with self.subTest(row.what, api=row.api):
                answer, _ = self.ask(row.api, row.fault, submit=row.request, settings=row.settings, **row.script)
                self.assertEqual(answer.end, row.error, answer.message)
                self.assertLessEqual(len(answer.ids), N)
                self.assertEqual(bool(answer.text), row.begins)
                if "json_schema" not in row.request:
                    self.assertTrue(self.expected(row.api, N + 1).startswith(answer.text))

    def test_text_that_is_none_is_cleaned_or_refused(self):
        answer, _ = self.ask("openai", {"raw": 'data: {"choices":[{"index":0,"text":"\udcff\udcfe","finish_reason":null}]}\n\n', "times": -1})
        self.assertTrue(answer.end in TEXT_ENDS or answer.end == "RemoteLost")
        answer.text.encode()

    def test_messages_of_the_upstream_are_short_and_clean(self):
        answer, _ = self.ask("vllm", status(400, "bad\u0007 \u001b[31m" + "x" * 5000))
        self.assertEqual(answer.end, "InvalidArgument")
        self.assertLess(len(answer.message.encode()), 400)
        self.assertFalse(any(ord(c) < 32 or ord(c) == 127 for c in answer.message))

    def test_contexts(self):
        for api in ("vllm", "llama-server", "sglang", "ollama"):
            with self.subTest(api):
                answer, _ = self.ask(api, n_ctx=64, submit={"prompt": "x" * 200})
                self.assertEqual((answer.end, answer.text), ("ContextExceeded", ""))

    def test_busy_and_loading_pass(self):
        for fault in (status(503, "server busy"), {"status": 503, "body": {"error": {"code": 503, "message": "Loading model",
                                                                                                  "type": "unavailable_error"}}}):
            with self.subTest(fault=fault["body"]):
                answer, _ = self.ask("llama-server", fault)
                self.assertEqual((answer.end, answer.text, answer.resumed), ("length", self.expected("llama-server"), 0))

    def test_redirects_are_not_followed(self):
        other = self.upstream("vllm")
        key = os.path.join(self.directory(), "key")
        with open(key, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(MARKER)
        for place in (None, "/v1/models", "/version"):
            with self.subTest(place):
                fault = {"redirect": other.url + "/v1/completions", "times": -1, **({"path": place} if place else {})}
                upstream = self.upstream("vllm", fault, key=MARKER)
                remote = Remote(self, upstream.url, api="vllm" if place != "/version" else "auto", key_file=key)
                self.assertNotIn((remote.failed or remote.ask().end), TEXT_ENDS if place != "/version" else ())
        self.assertEqual((other.calls, other.n_connections), ([], 0))

    def test_schemas_are_checked(self):
        for api in ("vllm", "sglang", "llama-server", "ollama", "openai"):
            with self.subTest(api):
                answer, _ = self.ask(api, submit={"json_schema": SCHEMA, "n": 60})
                self.assertEqual((answer.end, json.loads(answer.text)), ("stop", {"hour": 7}))
                answer, _ = self.ask(api, {"schema": "ignore", "times": -1}, submit={"json_schema": SCHEMA, "n": 60})
                self.assertEqual((answer.end, answer.text), ("ConstraintFailed", ""))
        answer, _ = self.ask("exo", submit={"json_schema": SCHEMA, "n": 60})
        self.assertEqual(answer.end, "ConstraintFailed")

    def test_what_a_remote_cannot(self):
        for api, submit in (("vllm", {"seed": 1 << 31, "temperature": 1.0}),
                            ("vllm", {"tools": "[]", "messages": [{"role": USER, "content": "a"}]}),
                            ("ollama", {"prompt_ids": [1, 2]}), ("exo", {"min_tokens": 3})):
            with self.subTest(api, submit=submit):
                answer, upstream = self.ask(api, submit=submit)
                self.assertEqual((answer.end, upstream.generations()), ("NotSupported", []))


class Connecting(Case):
    def test_models_that_are_not_listed(self):
        for api in ENGINES:
            with self.subTest(api):
                remote = Remote(self, self.upstream(api, models=["other"], serves_unlisted=True).url)
                self.assertEqual(remote.failed, "ModelNotFound")
        self.assertEqual(Remote(self, self.upstream("vllm").url, name="unnamed").failed, "ModelNotFound")

    def test_a_million_models(self):
        remote = Remote(self, self.upstream("vllm", more_models=1_000_000).url)
        self.assertTrue(not remote.failed or remote.failed in ERRORS)
        with open(f"/proc/{remote.peer.process.pid}/status") as file:
            peak_kb = next((int(line.split()[1]) for line in file if line.startswith("VmHWM")), 0)
        self.assertLess(peak_kb, 64 << 10)
        with open(f"/proc/{remote.peer.process.pid}/stat") as file:
            user, system = file.read().rsplit(")", 1)[1].split()[11:13]
        self.assertLess((int(user) + int(system)) / os.sysconf("SC_CLK_TCK"), 20)

    def test_models_of_a_cloud_are_refused(self):
        upstream = self.upstream("ollama", models=["tales", "big-cloud"], cloud={"tales": "https://ollama.com"})
        self.assertIn(Remote(self, upstream.url).failed, ("NotAllowed", "RemoteRefused", "NotSupported"))
        self.assertIn(Remote(self, self.upstream("ollama", models=["big-cloud"]).url, models=["tales=big-cloud"]).failed,
                      ("NotAllowed", "RemoteRefused", "NotSupported"))

    def test_keys(self):
        directory = self.directory()
        path = os.path.join(directory, "key")
        with open(path, "w") as file:
            file.write(MARKER + "\n")
        os.chmod(path, 0o644)
        upstream = self.upstream("vllm", key=MARKER)
        remote = Remote(self, upstream.url, key_file=path)
        self.assertNotEqual(remote.failed, "")
        self.assertEqual(upstream.calls, [])
        os.chmod(path, 0o600)
        self.assertEqual(Remote(self, upstream.url, key_file=path).ask().end, "length")
        for settings in ({}, {"key_file": path}):
            remote = Remote(self, self.upstream("vllm", key="another").url, **settings)
            self.assertEqual(remote.failed, "RemoteRefused")
            self.assertNotIn(MARKER, remote.ready["message"])

    def test_who_it_is(self):
        directory = self.directory()
        good = make_certificate(directory)
        upstream = self.upstream("vllm", tls=good)
        self.assertEqual(Remote(self, upstream.url, ca_file=good[0], pin=pin_of(good[0])).ask().end, "length")
        other = make_certificate(directory, "other")[0]
        self.assertEqual(Remote(self, upstream.url, ca_file=good[0], pin=pin_of(other)).failed, "RemoteRefused")
        self.assertEqual(Remote(self, upstream.url).failed, "RemoteRefused")  # signed by nobody
        self.assertEqual(Remote(self, upstream.url, pin=pin_of(good[0])).ask().end, "length")  # but it has the key
        self.assertEqual(Remote(self, upstream.url, pin=pin_of(other)).failed, "RemoteRefused")
        self.assertEqual(Remote(self, upstream.url, ca_file=other, pin=pin_of(good[0])).failed, "RemoteRefused")
        n_calls = len(upstream.calls)
        for what, pair in {"name": make_certificate(directory, "example.org"), "expired": make_certificate(directory, valid_s=-60)}.items():
            with self.subTest(what):
                upstream.use_certificate(pair)
                self.assertEqual(Remote(self, upstream.url, ca_file=pair[0]).failed, "RemoteRefused")
        self.assertEqual(len(upstream.calls), n_calls)

    def test_a_certificate_expires_in_the_middle_of_a_text(self):
        directory = self.directory()
        good, expired = make_certificate(directory), make_certificate(directory, valid_s=-60)
        with open(os.path.join(directory, "both.pem"), "w") as both:
            for certificate, _ in (good, expired):
                with open(certificate) as file:
                    both.write(file.read())
        upstream = self.upstream("vllm", {"cut": True, "after": 9}, tls=good)
        remote = Remote(self, upstream.url, ca_file=both.name)
        answer = remote.ask(on_tokens=lambda n: upstream.use_certificate(expired))
        self.assertIn(answer.end, ("RemoteRefused", "RemoteLost"))
        self.assertTrue(self.expected("vllm").startswith(answer.text))
        self.assertEqual(len(upstream.generations()), 1)

    def test_nobody_is_there(self):
        upstream = self.upstream("vllm")
        upstream.stop()
        self.assertEqual(Remote(self, upstream.url).failed, "RemoteUnreachable")
        upstream.start()


if __name__ == "__main__":
    if not os.path.exists(PROGRAM):
        print(f"skipped: there is no {PROGRAM}")
        sys.exit(SKIP)
    unittest.main(verbosity=2)
