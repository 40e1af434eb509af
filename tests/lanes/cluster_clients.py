"""Who asks the cluster of the lane `cluster` for texts: the real llmd, the real llmd-remote, or a stand-in for both."""
import http.client
import json
import os
import shutil
import ssl
import sys
import tempfile
import time
from dataclasses import dataclass

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "integration"))

import frames
from fake_upstream import make_certificate, pin_of

PORT = 8443
KEY = "cluster-key"
SILENT_S = 60  # without a byte: only a hang that nobody ends
RESUME_S = 120


class WrongPin(Exception):
    """Nothing has been sent."""


def connect(cluster, timeout_s, pin=None):
    """A connection from the calling thread's machine to the server, whose key is looked at before anything is sent."""
    context = ssl.create_default_context(cafile=cluster.certificate)
    connection = http.client.HTTPSConnection(cluster.network.address["server"], PORT, timeout=timeout_s, context=context)
    connection.connect()
    certificate = ssl.DER_cert_to_PEM_cert(connection.sock.getpeercert(True))
    if pin and pin != pin_of(certificate):
        connection.close()
        raise WrongPin
    return connection


@dataclass
class Outcome:
    text: str = ""
    error: str = ""
    resumed: int = 0
    longest_wait_s: float = 0  # between two pieces


class HttpClient:
    """llmd's stand-in: goes on from the prompt's ids and those so far after a cut. The thread that makes it is on the phone."""
    own = None

    def __init__(self, network, cluster, _build):
        self.cluster = cluster
        network.enter("phone")

    def ask(self, path, body, pin):
        connection = connect(self.cluster, SILENT_S, pin)
        connection.request("POST", path, json.dumps(body), {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            raise OSError(f"{response.status} {response.read(200)!r}")
        return response

    def text(self, prompt, n, on_tokens=lambda n: None, pin=None):
        outcome, ids, n_whole, fruitless, deadline = Outcome(), [], 0, 0, None
        pin = pin or pin_of(self.cluster.certificate)
        last = time.monotonic()
        start = None
        while True:
            n_before = len(ids)
            try:
                if start is None:
                    start = json.loads(self.ask("/tokenize", {"content": prompt, "add_special": True}, pin).read())["tokens"]
                body = {"prompt": start + ids, "n_predict": n - len(ids), "stream": True, "return_tokens": True, "temperature": 0,
                        "cache_prompt": True}
                for line in self.ask("/completion", body, pin):
                    if not line.startswith(b"data: "):
                        continue
                    event = json.loads(line[6:])
                    if "error" in event:
                        raise OSError(str(event["error"]))
                    ids += event["tokens"]
                    outcome.text += event["content"]
                    n_whole = len(ids) if event["content"] else n_whole
                    outcome.longest_wait_s = max(outcome.longest_wait_s, time.monotonic() - last)
                    last = time.monotonic()
                    deadline = None
                    on_tokens(len(ids))
                    if event["stop"]:
                        return outcome
                raise OSError("the stream has ended without an end")
            except WrongPin:
                outcome.error = "RemoteRefused"
                return outcome
            except (OSError, http.client.HTTPException, ValueError) as error:
                deadline = deadline or time.monotonic() + RESUME_S
                del ids[n_whole:]  # half a character, of which nothing was told
                # A connection that fails is no try: the cluster is not there yet.
                fruitless = fruitless + 1 if len(ids) == n_before and not isinstance(error, ConnectionError) else 0
                if time.monotonic() > deadline or fruitless > 50:
                    outcome.error = f"RemoteLost {error}"
                    return outcome
                outcome.resumed += len(ids) > n_before
                time.sleep(0.1)

    def close(self):
        pass


def write_remotes(cluster, directory):
    """The settings' text of the cluster, and of one by another name whose pin is not the cluster's."""
    key = os.path.join(directory, "cluster.key")
    shutil.copy(os.path.join(cluster.folder, "api.key"), key)
    os.chmod(key, 0o600)
    remote = (f'url = "https://{cluster.network.address["server"]}:{PORT}"\napi = "llama-server"\nmodels = ["tales"]\napps = ["*"]\n'
              f'key_file = "{key}"\nca_file = "{cluster.certificate}"\nresume_seconds = {RESUME_S}\n')
    other = make_certificate(cluster.folder, "other")[0]
    return (f'[[remote]]\nname = "cluster"\n{remote}pin = "{pin_of(cluster.certificate)}"\n'
            f'[[remote]]\nname = "other"\n{remote}pin = "{pin_of(other)}"\n')


class RemoteClient:
    """The real llmd-remote on the phone, told what to do as llmd tells it."""
    own = None

    def __init__(self, network, cluster, build):
        self.directory = tempfile.mkdtemp()
        os.makedirs(os.path.join(self.directory, "llmd"))
        with open(os.path.join(self.directory, "llmd", "llmd.toml"), "w") as file:
            file.write(write_remotes(cluster, self.directory))
        self.command = network.inside("phone", [os.path.join(build, "daemon", "remote", "llmd-remote")])
        self.environment = dict(os.environ, XDG_CONFIG_HOME=self.directory, XDG_CONFIG_DIRS="/nonexistent")
        self.errors = frames.error_names(SOURCE)
        self.last_id = 0
        self.peer, failed = self.connect("cluster")
        if failed:
            raise SystemExit(f"cluster: llmd-remote cannot connect: {failed}")

    def connect(self, remote):
        """(llmd-remote, why it is of no use)"""
        peer = frames.Peer(self.command, self.environment)
        peer.send("Connect", remote=remote, model="tales")
        name, message = peer.expect("Ready", "LoadFailed")
        return peer, self.error(message) if name == "LoadFailed" else ""

    def error(self, message):
        return f"{self.errors[message['code']]} {message['message']}"

    def text(self, prompt, n, on_tokens=lambda n: None, pin=None):
        peer, outcome = self.peer, Outcome()
        if pin:
            peer, failed = self.connect("other")
            if failed:
                peer.close()
                return Outcome(error=failed)
        self.last_id += 1
        number, n_ids, last = self.last_id, 0, time.monotonic()
        peer.send("Submit", id=number, prompt=prompt, max_tokens=n)
        while True:
            name, message = peer.receive()
            if name == "End":
                outcome.error = "llmd-remote has ended"
            elif message.get("id") != number:
                continue
            elif name == "Accepted":
                peer.send("Start", id=number)
            elif name == "Refused":
                outcome.error = self.error(message)
            elif name == "Usage":
                outcome.resumed = message["resumed"]
            elif name in ("Tokens", "Finished"):
                outcome.text += "".join(part["text"] for part in message["parts"])
                outcome.longest_wait_s = max(outcome.longest_wait_s, time.monotonic() - last)
                last = time.monotonic()
            if name == "Tokens":
                n_ids += len(message["ids"])
                on_tokens(n_ids)
            if name == "Finished" and frames.REASONS[message["reason"]] == "error":
                outcome.error = self.error(message)
            if name == "Finished" or outcome.error:
                if pin:
                    peer.close()
                return outcome

    def close(self):
        self.peer.close()


class LlmdClient:
    """The real llmd on the phone, asked over D-Bus. `own` is a text of the phone's own model."""

    def __init__(self, network, cluster, build):
        os.environ.update(LLMD_BUILD=build, LLMD_SOURCE=SOURCE, LLMD_BACKEND="cpu")
        import harness
        self.harness = harness
        self.bus = harness.PrivateBus()
        self.bus.config('backend = "cpu"\n' + write_remotes(cluster, self.bus.folder))
        self.daemon = harness.Daemon(self.bus, command=network.inside("phone", [harness.LLMD]))
        self.client = self.bus.connect()
        self.own = self.client.generate("The fox", model=harness.LLAMA, max_tokens=60, temperature=0.0)[0]

    def own_again(self):
        return self.bus.connect().generate("The fox", model=self.harness.LLAMA, max_tokens=60, temperature=0.0)[0]

    def text(self, prompt, n, on_tokens=lambda n: None, pin=None):
        harness, outcome = self.harness, Outcome()
        try:
            path, fd = self.client.stream(prompt, model="tales@other" if pin else "tales@cluster", max_tokens=n, temperature=0.0)
        except harness.GLib.Error as error:
            return Outcome(error=" ".join(harness.parts_of(error)))
        last, n_pieces = time.monotonic(), 0
        with os.fdopen(fd, "rb") as pipe:
            for line in pipe:
                line = json.loads(line)
                if "text" not in line:
                    continue
                n_pieces += 1
                outcome.text += line["text"]
                outcome.longest_wait_s = max(outcome.longest_wait_s, time.monotonic() - last)
                last = time.monotonic()
                on_tokens(n_pieces)
        _status, error, message, info = self.client.wait_finished(path)
        outcome.error = f"{error.removeprefix(harness.ERROR)} {message}".strip()
        outcome.resumed = info.get("resumed", 0)
        return outcome

    def close(self):
        self.client.close()
        status = self.daemon.stop()
        if status != 0:
            print(f"llmd ended with {status}:\n{self.daemon.log()}")
        self.bus.close()
