#!/usr/bin/python3
"""cluster BUILD [--kills N] [--seed N] [--tokens N] [--ubatch N] [--through llmd|remote|http] [--server COMMAND] [--rpc-server COMMAND] [--root DIRECTORY]

The machines of a small cluster: `server` with llama-server, `node1` and `node2` with ggml-rpc-server, which hold the model between
them, and `phone`, where the real llmd of the build directory BUILD runs and asks the cluster for greedy texts of N tokens (400), over
TLS with a pinned key. What ends is started again, as a service manager does. Meanwhile:

  - a node is killed at N moments (20), and the server at a quarter as many
  - a node is stopped for 5 s, and for ever, which somebody ends after 15 s
  - the phone's and a node's link is pulled for 5 s
  - the phone's link takes 200 ms more, all links lose 1 % of their frames, or both
  - the server is not the one whose key is pinned: RemoteRefused, and it has been asked for nothing
  - beside every text the phone's own model makes one (through llmd)

Every text must be the undisturbed one, byte for byte, although llama-server's kernels for many tokens round otherwise than those for
one: llmd-remote asks a server that has lost a text for all of it once more. What a server has of a prompt in its cache changes how it
computes the rest; so before each text it is given something else to remember. With --ubatch 1 it computes prompts token by token, and
it makes no difference.
With --through remote the lane talks to llmd-remote in llmd's place. With --through http (which is chosen where BUILD has no
llmd-remote) a client in this file takes the place of both and goes on from token ids, at a server with --ubatch 1: that proves the
cluster, and says nothing of llmd.
The last line is `cluster: N texts, N changed, N resumed, N lost`; exit status 1 if any text was changed or lost."""
import argparse
import base64
import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import os
import random
import shlex
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(SOURCE, "tests", "integration")]

from cluster_clients import KEY, PORT, HttpClient, LlmdClient, RemoteClient, connect
from cluster_network import Network
from fake_upstream import make_certificate

FILE = "tales-llama-11m-q4_0.gguf"
N_CTX = 512
RPC_PORT = 50052
NODES = ("node1", "node2")
READY_S = 120  # a cluster that takes longer does not start
# Beginnings after which the model goes on beyond its context; those after which it does not are left out.
PROMPTS = ["Once upon a time there was", "The old king sat by the fire and", "In the deep forest lived a", "A poor woodcutter had three sons.",
           "The sea was quiet that night, and", "There was a girl who", "Far away in the hills", "When the winter came,"]
LEAST_PROMPTS = 3
OTHER_IDS = [400, 401, 402]  # no beginning of a text's
DRAINED_S = 1  # after a death all that it had sent has been read


class Cluster:
    """The three machines' programs, started again when they end. `n_starts` of the server; `ready_s` of each of its starts."""

    def __init__(self, args, network, folder, log):
        self.args, self.network, self.folder, self.log = args, network, folder, log
        self.certificate, key = make_certificate(folder, network.address["server"])
        self.seen = folder if not args.root else "/tmp/cluster"  # as the programs name it
        with open(os.path.join(folder, "api.key"), "w") as file:
            file.write(KEY)
        nodes = ",".join(f"{network.address[node]}:{RPC_PORT}" for node in NODES)
        models = "/models" if args.root else os.path.join(SOURCE, "tests/data/models")
        self.commands = {node: [*shlex.split(args.rpc_server), "-H", network.address[node], "-p", str(RPC_PORT)] for node in NODES}
        self.commands["server"] = [
            *shlex.split(args.server), "-m", f"{models}/{FILE}", "--alias", "tales", "--rpc", nodes, "-ngl", "99", "--tensor-split", "1,1",
            "-c", str(N_CTX), "-np", "1", "-ub", str(args.ubatch), "--cache-ram", "0", "--host", network.address["server"], "--port", str(PORT), "--api-key-file", f"{self.seen}/api.key",
            "--ssl-cert-file", f"{self.seen}/{os.path.basename(self.certificate)}", "--ssl-key-file", f"{self.seen}/{os.path.basename(key)}"]
        self.processes = {}
        self.ready_s = []
        self.over = False
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self.supervise, daemon=True)

    def start(self):
        self.thread.start()
        if not self.ready.wait(READY_S):
            with open(self.log) as file:
                print("".join(file.readlines()[-30:]))
            raise SystemExit("cluster: it does not start")

    def run(self, name):
        with open(self.log, "a") as log:
            self.processes[name] = subprocess.Popen(self.network.inside(name, self.commands[name]), stdin=subprocess.DEVNULL, stdout=log,
                                                    stderr=log)

    def supervise(self):
        """Nodes first; the server with them, since what it had on a node is gone with the node."""
        try:
            self.network.enter("server")
            while not self.over:
                for node in NODES:
                    if node not in self.processes or self.processes[node].poll() is not None:
                        self.run(node)
                        self.end("server", patience_s=1)
                if "server" not in self.processes or self.processes["server"].poll() is not None:
                    self.ready.clear()
                    began = time.monotonic()
                    self.await_nodes()
                    self.run("server")
                    while not self.over and self.processes["server"].poll() is None and not self.healthy():
                        time.sleep(0.02)
                    if self.processes["server"].poll() is None:
                        self.ready_s.append(time.monotonic() - began)
                        self.ready.set()
                time.sleep(0.02)
        except Exception as error:  # a thread's end would go unseen
            print(f"cluster: its supervisor has failed: {error!r}", flush=True)

    def end(self, name, patience_s=0.0):
        process = self.processes.get(name)
        if process and process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience_s)
            process.kill()
            process.wait()

    def await_nodes(self):
        for node in NODES:
            while not self.over and self.processes[node].poll() is None:
                with contextlib.suppress(OSError), socket.create_connection((self.network.address[node], RPC_PORT), 1):
                    break
                time.sleep(0.02)

    def healthy(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = connect(self, 2)
            with contextlib.closing(connection):
                connection.request("GET", "/health")
                return connection.getresponse().status == 200
        return False

    def signal(self, name, number):
        """To the program itself: the commands before it have become it."""
        self.processes[name].send_signal(number)

    def forget(self):
        """The server's cache holds nothing that a prompt begins with. How it computes a prompt depends on what it has of it."""
        def ask():
            self.network.enter("server")
            connection = connect(self, READY_S)
            with contextlib.closing(connection):
                connection.request("POST", "/completion", json.dumps({"prompt": OTHER_IDS, "n_predict": 1, "cache_prompt": False}),
                                   {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})
                if connection.getresponse().status != 200:
                    raise SystemExit("cluster: the server does not forget")
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            thread.submit(ask).result()

    def asked(self):
        """How many requests the server has logged."""
        with open(self.log, errors="replace") as file:
            return file.read().count("done request")

    def close(self):
        self.over = True
        self.thread.join()
        for name in list(self.processes):
            self.end(name)


class Lane:
    def __init__(self, args, network, cluster, client):
        self.args, self.network, self.cluster, self.client = args, network, cluster, client
        self.chance = random.Random(args.seed)
        self.undisturbed = {}
        self.n_texts = self.n_changed = self.n_resumed = self.n_lost = self.n_failed = 0
        self.waits_s = []

    def fail(self, what):
        self.n_failed += 1
        print(f"FAILED  {what}", flush=True)

    def learn(self):
        """The texts that the others are compared with."""
        for prompt in PROMPTS:
            n = [0]
            self.cluster.forget()
            outcome = self.client.text(prompt, self.args.tokens, lambda so_far: n.__setitem__(0, so_far))
            if outcome.error:
                raise SystemExit(f"cluster: the undisturbed text has failed: {outcome.error}")
            if n[0] >= self.args.tokens * 0.9:  # pieces, of which some tokens make none
                self.undisturbed[prompt] = outcome.text
        print(f"{len(self.undisturbed)} beginnings of {len(PROMPTS)}; texts of {self.args.tokens} tokens", flush=True)
        if len(self.undisturbed) < LEAST_PROMPTS:
            raise SystemExit("cluster: too few texts are long enough")

    def try_one(self, what, disturb, after=None):
        """A text, and disturb() in another thread when it has so many tokens."""
        self.killed = None
        self.cluster.forget()
        prompt, expected = self.chance.choice(sorted(self.undisturbed.items()))
        after = self.chance.randint(1, self.args.tokens * 3 // 4) if after is None else after
        trigger = threading.Event()
        thread = threading.Thread(target=lambda: (trigger.wait(), disturb()))
        thread.start()
        if after == 0:
            trigger.set()
        own = []
        beside = threading.Thread(target=lambda: own.append(self.client.own_again())) if self.client.own else None
        if beside:
            beside.start()
        began = time.monotonic()
        outcome = self.client.text(prompt, self.args.tokens, lambda n: n >= after and trigger.set())
        ended = time.monotonic()
        trigger.set()
        thread.join()
        if beside:
            beside.join()
            if own != [self.client.own]:
                self.fail(f"{what}: the phone's own text has changed")
        self.n_texts += 1
        verdict = "equal"
        if outcome.error:
            self.n_lost += 1
            verdict = f"LOST {outcome.error}"
        elif outcome.text != expected:
            self.n_changed += 1
            same = next((i for i, (a, b) in enumerate(zip(outcome.text, expected)) if a != b), min(len(outcome.text), len(expected)))
            verdict = f"CHANGED at byte {same} of {len(expected)}"
        if self.killed and ended - self.killed > DRAINED_S and outcome.resumed == 0 and not outcome.error:
            self.fail(f"{what}: the text has gone on, and nobody says so")
        self.n_resumed += outcome.resumed > 0
        if outcome.resumed:
            self.waits_s.append(outcome.longest_wait_s)
        print(f"{what} after {after} tokens: {verdict}, resumed {outcome.resumed}, longest wait {outcome.longest_wait_s:.1f} s, "
              f"all {ended - began:.1f} s", flush=True)
        if not self.cluster.ready.wait(READY_S):
            raise SystemExit("cluster: it does not come back")

    def kill(self, name):
        self.cluster.signal(name, signal.SIGKILL)
        self.killed = time.monotonic()

    def stop(self, name, seconds, then):
        self.cluster.signal(name, signal.SIGSTOP)
        time.sleep(seconds)
        if then == signal.SIGKILL:
            return self.kill(name)
        self.cluster.signal(name, then)

    def pull(self, name, seconds):
        self.network.links[name].pulled = True
        time.sleep(seconds)
        self.network.links[name].pulled = False

    @contextlib.contextmanager
    def links(self, delays=(), losses=()):
        for name in delays:
            self.network.links[name].delay_s = 0.1  # there and back
        for name in losses:
            self.network.links[name].loss = 0.01
        yield
        for link in self.network.links.values():
            link.delay_s = link.loss = 0

    def run(self):
        self.learn()
        for i in range(self.args.kills):
            node = NODES[i % 2]
            self.try_one(f"{node} killed", lambda node=node: self.kill(node))
        for _ in range(self.args.kills // 4):
            self.try_one("server killed", lambda: self.kill("server"))
        for node in NODES:
            self.try_one(f"{node} stopped for 5 s", lambda node=node: self.stop(node, 5, signal.SIGCONT))
            self.try_one(f"{node} stopped for ever", lambda node=node: self.stop(node, 15, signal.SIGKILL))
        for name in ("phone", "node1"):
            self.try_one(f"the link of {name} pulled for 5 s", lambda name=name: self.pull(name, 5))
        everything = list(self.network.links)
        for what, delays, losses in (("200 ms", ["phone"], []), ("1 % loss", [], everything), ("200 ms and 1 % loss", ["phone"], everything)):
            with self.links(delays, losses):
                self.try_one(what, lambda: None, 0)
                self.try_one(f"{what}, node2 killed", lambda: self.kill("node2"))
        self.wrong_pin()
        self.try_one("nothing", lambda: None, 0)
        if self.waits_s:
            print(f"waits of the resumed: {min(self.waits_s):.1f} s at least, {statistics.median(self.waits_s):.1f} s half of them, "
                  f"{max(self.waits_s):.1f} s at most; the server started {len(self.cluster.ready_s)} times, "
                  f"{statistics.median(self.cluster.ready_s):.1f} s until it was ready")
        print(f"cluster: {self.n_texts} texts, {self.n_changed} changed, {self.n_resumed} resumed, {self.n_lost} lost")
        return 1 if self.n_changed or self.n_lost or self.n_failed else 0

    def wrong_pin(self):
        before = self.cluster.asked()
        outcome = self.client.text("a secret", 10, pin="sha256//" + base64.b64encode(hashlib.sha256(b"other").digest()).decode())
        if not outcome.error.startswith("RemoteRefused") or outcome.text or self.cluster.asked() != before:
            self.fail(f"the wrong pin: {outcome}, and {self.cluster.asked() - before} requests")
        print(f"wrong pin: {outcome.error}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ubatch", type=int, help="of llama-server: tokens that it computes at a time (512, its own choice)")
    parser.add_argument("--through", choices=("llmd", "remote", "http"))
    parser.add_argument("--server", default="llama-server", help="the command that runs llama-server")
    parser.add_argument("--rpc-server", default="ggml-rpc-server", help="the command that runs ggml-rpc-server")
    parser.add_argument("--root", default="", help="where these commands see /, with this tree's models as /models")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    through = args.through or ("llmd" if os.path.exists(os.path.join(build, "daemon", "remote", "llmd-remote")) else "http")
    args.ubatch = args.ubatch or (1 if through == "http" else 512)
    print(f"asked through {through}", flush=True)
    folder = os.path.join(args.root, "tmp", "cluster") if args.root else tempfile.mkdtemp()
    network = Network(["phone", "server", *NODES], args.seed)
    cluster = Cluster(args, network, folder, os.path.join(tempfile.mkdtemp(), "cluster.log"))
    try:
        cluster.start()
        client = {"http": HttpClient, "remote": RemoteClient, "llmd": LlmdClient}[through](network, cluster, build)
        with contextlib.closing(client):
            return Lane(args, network, cluster, client).run()
    finally:
        cluster.close()
        network.close()


if __name__ == "__main__":
    sys.exit(main())
