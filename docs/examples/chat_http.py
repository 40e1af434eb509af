#!/usr/bin/env python3
"""A conversation as OpenAI's API has it, over llmd's Unix socket, with Python's own library alone."""
import http.client
import json
import os
import socket
import sys

PATH = os.path.join(os.environ["XDG_RUNTIME_DIR"], "llmd", "llmd.sock")


class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(PATH)


def answer(messages):
    connection = Connection("llmd")
    body = json.dumps({"messages": messages, "stream": True, "seed": 7, "max_tokens": 300})
    connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    if response.status != 200:
        sys.exit(json.load(response)["error"]["message"])
    for line in response:
        if line.startswith(b"data: {"):
            for choice in json.loads(line[len(b"data: "):])["choices"]:
                yield choice["delta"].get("content") or ""


if __name__ == "__main__":
    messages = [{"role": "system", "content": "You answer in one sentence."}]
    for question in sys.argv[1:] or ["Who are you?", "And what can you do?"]:
        messages.append({"role": "user", "content": question})
        said = ""
        for piece in answer(messages):
            print(piece, end="", flush=True)
            said += piece
        print()
        messages.append({"role": "assistant", "content": said})
