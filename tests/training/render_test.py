"""What the training renders is what llmd renders: prompts with tools, calls and results, by the chat template that the bundled model has."""
import http.client
import json
import os
import random
import socket
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ["LLMD_SOURCE"], "tests", "integration"))
sys.path.insert(0, os.path.join(os.environ["LLMD_SOURCE"], "models", "training"))

import harness  # noqa: E402
from phone_text import generate, render  # noqa: E402

N = 60


class Rendering(harness.TestCase):
    def ask(self, body):
        connection = http.client.HTTPConnection("llmd", timeout=harness.LIMIT_S)
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.connect(self.bus.path("runtime/llmd/llmd.sock"))
        connection.request("POST", "/apply-template", json.dumps(body))
        response = connection.getresponse()
        data = json.loads(response.read())
        connection.close()
        self.assertEqual(response.status, 200, data)
        return data["prompt"]

    def test_prompts_are_llmds(self):
        self.bus.write_with_template("hermes", render.TEMPLATE)
        rng = random.Random("render")
        seen = set()
        for _ in range(N):
            sample = generate.training_sample(rng)
            # Up to where the assistant says the last thing.
            messages = [{k: v for k, v in message.items() if k != "kind"} for message in sample["messages"][:-1]]
            body = {"model": "hermes", "messages": messages}
            if sample.get("tools"):
                body["tools"] = sample["tools"]
            seen |= {message["role"] for message in messages} | {"tools"} & set(body)
            self.assertEqual(self.ask(body), render.prompt_text(messages, sample.get("tools", ())))
        self.assertEqual(seen, {"system", "user", "assistant", "tool", "tools"})


if __name__ == "__main__":
    harness.main()
