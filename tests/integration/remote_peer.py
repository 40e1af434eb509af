"""The real llmd-remote, which a test talks to in llmd's place."""
import json
import os
import shutil
import tempfile
from dataclasses import dataclass, field

import frames
import socket_trap

PROGRAM = os.path.join(os.environ["LLMD_BUILD"], "daemon", "remote", "llmd-remote")
ERRORS = frames.error_names(os.environ["LLMD_SOURCE"])
N = 30
MARKER = "Hollerbusch"  # in prompts and keys: no message may have it
USER = 1  # ChatMessage.role


@dataclass
class Answer:
    end: str = ""  # stop, length or the name of an error
    message: str = ""
    text: str = ""
    thinking: str = ""
    ids: list = field(default_factory=list)
    resumed: int = 0
    prompt_tokens: int = 0


class Remote:
    """An llmd-remote that is connected to what is at `url`; `failed` is the error's name where it is not."""

    def __init__(self, case, url, name="tales", **settings):
        directory = tempfile.mkdtemp()
        case.addCleanup(shutil.rmtree, directory)
        os.makedirs(os.path.join(directory, "llmd"))
        lines = {"name": "home", "url": url, "models": ["tales"], "apps": ["host"], **settings}
        with open(os.path.join(directory, "llmd", "llmd.toml"), "w") as file:
            file.write("[[remote]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items()))
        command = [PROGRAM]
        if trap := os.environ.get("LLMD_SOCKET_TRAP"):
            command = [*socket_trap.prefix(trap), PROGRAM]
            socket_trap.note_remotes(trap, f'url = "{url}"')
        self.peer = frames.Peer(command, dict(os.environ, XDG_CONFIG_HOME=directory, XDG_CONFIG_DIRS="/nonexistent"))
        case.addCleanup(self.peer.close)
        self.peer.send("Connect", remote="home", model=name)
        kind, self.ready = self.peer.expect("Ready", "LoadFailed")
        self.failed = ERRORS[self.ready["code"]] if kind == "LoadFailed" else ""
        self.last_id = 0

    def ask(self, n=N, on_tokens=lambda n: None, **submit):
        self.last_id += 1
        number, answer = self.last_id, Answer()
        if "messages" not in submit and "prompt_ids" not in submit:
            submit.setdefault("prompt", f"Once {MARKER}")
        self.peer.send("Submit", id=number, max_tokens=n, **submit)
        while not answer.end:
            kind, message = self.peer.receive()
            assert kind != "End", "llmd-remote has ended"
            if message.get("id") != number:
                continue
            if kind == "Accepted":
                answer.prompt_tokens = message["prompt_tokens"]
                self.peer.send("Start", id=number)
            if kind in ("Tokens", "Finished"):
                answer.text += "".join(part["text"] for part in message["parts"] if part["kind"] == frames.TEXT)
                answer.thinking += "".join(part["text"] for part in message["parts"] if part["kind"] == frames.THINKING)
                answer.ids += message.get("ids", [])
                on_tokens(len(answer.ids))
            if kind == "Usage":
                answer.resumed = message["resumed"]
            if kind == "Refused" or kind == "Finished" and frames.REASONS[message["reason"]] == "error":
                answer.end, answer.message = ERRORS[message["code"]], message["message"]
            elif kind == "Finished":
                answer.end = frames.REASONS[message["reason"]]
        return answer
