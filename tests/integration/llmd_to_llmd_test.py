"""A second llmd, behind `llmctl bridge --token-file`, as the bigger machine: llmd-remote asks it, told to in the first llmd's place."""
import os
import signal
import sys

import harness
from bridge import Bridge
from harness import LLAMA
from remote_peer import MARKER, PROGRAM, USER, Remote

PROMPT = f"Once upon a time {MARKER}"
TOKEN = "a-token-of-the-test-0123"
N = 60


class SecondLlmd(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.key = cls.bus.path("token")
        with open(os.open(cls.key, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(TOKEN + "\n")
        cls.bridge = Bridge(cls.bus.environment, "--token-file", cls.key)
        cls.addClassCleanup(cls.bridge.stop)
        cls.url = f"http://127.0.0.1:{cls.bridge.port}"

    def remote(self, **settings):
        remote = Remote(self, self.url, **{"name": LLAMA, "models": [LLAMA], "key_file": self.key, **settings})
        return remote

    def own(self, prompt=PROMPT, n=N, **options):
        text = self.client.generate(prompt, max_tokens=n, temperature=0.0, model=LLAMA, **options)[0]
        self.texts.append(text)
        return text

    def test_a_text_is_its_own(self):
        for api in ("openai", "auto", "ollama"):
            with self.subTest(api):
                answer = self.remote(api=api).ask(n=N, prompt=PROMPT)
                self.assertEqual((answer.end, answer.text), ("length", self.own()))

    def test_a_conversation(self):
        expected, _ = self.client.call("Chat", harness.GLib.Variant("(aa{sv}a{sv})", (
            [{"role": harness.GLib.Variant("s", "user"), "content": harness.GLib.Variant("s", PROMPT)}],
            harness.variants({"model": LLAMA, "max_tokens": N, "temperature": 0.0}))))[:2]
        answer = self.remote(api="openai").ask(n=N, messages=[{"role": USER, "content": PROMPT}])
        self.assertEqual((answer.end, answer.text), ("length", expected))

    def test_its_engine_may_die(self):
        """Which it survives by itself: nobody here notices."""
        remote = self.remote(api="openai")
        killed = []

        def kill(n):
            if n >= 5 and not killed:
                killed.append(self.daemon.engines()[0])
                os.kill(killed[0], signal.SIGKILL)
        answer = remote.ask(n=200, prompt=PROMPT, on_tokens=kill)
        self.assertEqual((answer.end, answer.text, answer.resumed), ("length", self.own(n=200), 0))
        self.assertTrue(killed)

    def test_the_token_is_asked_for(self):
        self.assertEqual(self.remote(key_file="").failed, "RemoteRefused")
        wrong = self.bus.path("wrong")
        with open(os.open(wrong, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write("another-token-of-the-test\n")
        self.assertEqual(self.remote(key_file=wrong).failed, "RemoteRefused")

    def test_its_models_are_listed(self):
        remote = self.remote(name="none", models=["none"])
        self.assertEqual(remote.failed, "ModelNotFound")


if __name__ == "__main__":
    if not os.path.exists(PROGRAM):
        print(f"skipped: there is no {PROGRAM}")
        sys.exit(harness.SKIP)
    harness.main()
