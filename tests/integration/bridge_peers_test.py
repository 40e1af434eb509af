"""llmctl bridge with an llmd that this test plays: neither side can fill its memory, take another's place or be taken for
somebody else."""
import errno
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import unittest

import harness
from bridge import AS_NOBODY, Bridge, MAX_CALLS, MAX_QUICK, read_to_end
from harness import LIMIT_S

# The bridge's two buffers, and those of the kernel for two sockets, each at its largest.
MOST_HELD = 32 << 20


def binds(listener, port):
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    return True


class WithAnother(unittest.TestCase):
    """In llmd's place: the bridge's memory and what it does where llmd is not."""

    def setUp(self):
        self.bus = harness.PrivateBus()
        self.addCleanup(self.bus.close)
        self.bridge = Bridge(self.bus.environment)
        self.addCleanup(self.bridge.stop)

    def has_remains_of_a_client(self):
        """A connection to the bridge whose end the bridge's kernel has seen: FIN_WAIT2 or TIME_WAIT."""
        with open("/proc/net/tcp") as file:
            connections = [line.split() for line in file][1:]
        return any(remote.endswith(f":{self.bridge.port:04X}") and state in ("05", "06")
                   for _, _, remote, state, *_ in connections)

    def listen(self):
        os.makedirs(self.bus.path("runtime/llmd"), exist_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.settimeout(LIMIT_S)
        listener.bind(self.bus.path("runtime/llmd/llmd.sock"))
        listener.listen()
        return listener

    def accept(self, listener):
        llmd, _ = listener.accept()
        self.addCleanup(llmd.close)
        llmd.settimeout(LIMIT_S)
        return llmd

    def test_without_llmd_it_says_how_to_start_it(self):
        status, answer = self.bridge.get()
        self.assertEqual(status, 503)
        self.assertRegex(answer, rb"llmd\.sock: No such file or directory; start it: (systemctl|rc-service|/.*/llmd)")
        self.assertIn(b"Retry-After: ", answer)
        llmd = self.listen()
        with self.bridge.connect() as client:
            client.sendall(self.bridge.post(b""))
            self.accept(llmd).close()
            self.assertTrue(read_to_end(client).startswith(b"HTTP/1.1 502 "))

    def test_llmd_gets_a_head_of_the_bridges_own(self):
        listener = self.listen()
        with self.bridge.connect() as client:
            client.sendall(self.bridge.post(b"{}", "Content-Type: text/x", "Cookie: secret", "X-Forwarded-For: evil",
                                            "Connection: keep-alive, Content-Length", "Upgrade: h2c", path="/x?y#z"))
            llmd = self.accept(listener)
            data = b""
            while not data.endswith(b"{}"):
                data += llmd.recv(65536)
            self.assertEqual(data.decode().split("\r\n"), [
                "POST /x?y#z HTTP/1.1", "Host: llmd", "Llmd-Bridge: 1", "Connection: close", "Content-Type: text/x",
                "Content-Length: 2", "", "{}"])
            llmd.sendall(b"HTTP/1.1 200 OK\r\n\r\nanswer")
            llmd.close()
            self.assertEqual(read_to_end(client), b"HTTP/1.1 200 OK\r\n\r\nanswer")

    def test_a_reader_that_is_slow_slows_llmd_down(self):
        listener = self.listen()
        with self.bridge.connect(receive_buffer=4096) as client:
            client.sendall(self.bridge.post(b""))
            llmd = self.accept(listener)
            llmd.recv(65536)
            llmd.setblocking(False)
            sent = 0
            # Full for a second: nothing has moved on.
            while select.select([], [llmd], [], 1)[1]:
                sent += llmd.send(bytes(65536))
                self.assertLess(sent, MOST_HELD, "the bridge takes what nobody reads")
            received = 0
            while received < sent:
                received += len(client.recv(65536))
            self.assertEqual(received, sent)
            with open(f"/proc/{self.bridge.process.pid}/status") as file:
                self.assertLess(int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]), 32 << 10)

    def test_the_longest_body_arrives_whole(self):
        listener = self.listen()
        body = os.urandom(4 << 20)
        with self.bridge.connect() as client:
            sender = threading.Thread(target=client.sendall, args=[self.bridge.post(body) + b"and what follows it"])
            sender.start()
            llmd = self.accept(listener)
            data = b""
            while len(data.partition(b"\r\n\r\n")[2]) < len(body):
                data += llmd.recv(1 << 20)
            sender.join()
            llmd.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            self.assertTrue(data.endswith(b"\r\n\r\n" + body))
            llmd.shutdown(socket.SHUT_WR)
            self.assertEqual(llmd.recv(1), b"")

    def test_another_user_who_has_left_is_not_taken_for_root(self):
        """A socket that no process has any more is root's to the kernel."""
        harness.require("another-user")
        listener = self.listen()
        script = ("import socket, sys\n"
                  "client = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
                  "client.sendall(sys.stdin.buffer.read())\n")
        os.kill(self.bridge.process.pid, signal.SIGSTOP)  # what comes waits in its queue
        try:
            subprocess.run([sys.executable, "-c", script, str(self.bridge.port)], timeout=LIMIT_S, check=True, cwd="/",
                           input=self.bridge.post(b"", path="/theirs"), **AS_NOBODY)
            self.bus.connect().wait(lambda: self.has_remains_of_a_client(), "the kernel to forget whose it was")
        finally:
            os.kill(self.bridge.process.pid, signal.SIGCONT)
        with self.bridge.connect() as client:  # behind it in the queue
            client.sendall(self.bridge.post(b"", path="/ours"))
            self.assertTrue(self.accept(listener).recv(65536).startswith(b"POST /ours "))

    def test_a_listener_in_the_place_of_another_user_is_not_taken_for_them(self):
        harness.require("another-user")
        listener = self.listen()
        ours = socket.socket()
        self.addCleanup(ours.close)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        script = ("import socket, sys\n"
                  "client = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
                  "client.setsockopt(socket.IPPROTO_TCP, socket.TCP_LINGER2, 1)\n"  # its remains are gone after 1 s
                  "client.sendall(sys.stdin.buffer.read())\n"
                  "print(client.getsockname()[1])\n")
        os.kill(self.bridge.process.pid, signal.SIGSTOP)
        try:
            port = int(subprocess.run([sys.executable, "-c", script, str(self.bridge.port)], timeout=LIMIT_S, check=True,
                                      cwd="/", input=self.bridge.post(b"", path="/theirs"), stdout=subprocess.PIPE,
                                      **AS_NOBODY).stdout)
            bus = self.bus.connect()
            bus.wait(lambda: not self.has_remains_of_a_client(), "the remains to go")
            # The kernel may keep their port a moment longer.
            bus.wait(lambda: binds(ours, port), "the port to be free")
            ours.listen()
        finally:
            os.kill(self.bridge.process.pid, signal.SIGCONT)
        with self.bridge.connect() as client:  # behind it in the queue
            client.sendall(self.bridge.post(b"", path="/ours"))
            self.assertTrue(self.accept(listener).recv(65536).startswith(b"POST /ours "))

    def test_requests_wait_for_each_other_in_their_order(self):
        listener = self.listen()
        clients = []
        for i in range(MAX_CALLS + 3):
            clients.append(self.bridge.connect())
            clients[-1].sendall(self.bridge.post(b"", path=f"/{i}"))
        places = [self.accept(listener) for _ in range(MAX_CALLS)]
        for i, llmd in enumerate(places):
            self.assertTrue(llmd.recv(65536).startswith(f"POST /{i} ".encode()))
        self.bridge.get(host="evil.example")  # comes behind those that wait
        self.assertEqual(select.select([listener], [], [], 0)[0], [])
        clients[-3].close()  # while it waits
        self.bridge.get(host="evil.example")
        places[0].close()
        clients[1].close()
        for i in -2, -1:
            number = len(clients) + i
            self.assertTrue(self.accept(listener).recv(65536).startswith(f"POST /{number} ".encode()))
        for client in clients:
            client.close()

    def test_what_is_answered_at_once_does_not_wait_for_calls(self):
        listener = self.listen()
        calls = [self.bridge.connect() for _ in range(MAX_CALLS + 1)]
        for client in calls:
            client.sendall(self.bridge.post(b"{}"))
        places = [self.accept(listener) for _ in range(MAX_CALLS)]
        quick = [self.bridge.connect() for _ in range(MAX_QUICK + 1)]
        for client in quick:
            client.sendall(self.bridge.post(b"{}", path="/tokenize"))
        places += [self.accept(listener) for _ in range(MAX_QUICK)]
        for llmd in places[MAX_CALLS:]:
            self.assertTrue(llmd.recv(65536).startswith(b"POST /tokenize "))
        self.bridge.get(host="evil.example")
        self.assertEqual(select.select([listener], [], [], 0)[0], [])
        places[0].close()
        self.assertTrue(self.accept(listener).recv(65536).startswith(b"POST /v1/completions "))
        places[-1].close()
        self.assertTrue(self.accept(listener).recv(65536).startswith(b"POST /tokenize "))
        for client in calls + quick:
            client.close()

    def bridge_kib(self, figure):
        """A figure of the bridge's /proc/PID/status."""
        with open(f"/proc/{self.bridge.process.pid}/status") as file:
            return int(re.search(figure + r":\s+(\d+)", file.read())[1])

    def test_the_bodies_of_those_that_wait_are_limited(self):
        listener = self.listen()
        before = self.bridge_kib("VmRSS")
        senders = [self.bridge.connect() for _ in range(4)]
        for client in senders:
            client.sendall(self.bridge.post(bytes(4 << 20))[:-1])  # never complete: none of them takes a place
        self.bridge.get(host="evil.example")
        for path, shape in ("/v1/completions", b'{"error":{"message":"the bodies '), ("/api/chat", b'{"error":"the bodies '):
            status, answer = self.bridge.exchange(self.bridge.post(b"{}", path=path))
            self.assertEqual(status, 429)
            self.assertIn(b"\r\nRetry-After: 2\r\n", answer)
            self.assertIn(shape, answer)
        self.assertEqual(select.select([listener], [], [], 0)[0], [])
        self.assertLess(self.bridge_kib("VmHWM") - before, 40 << 10)
        senders[0].shutdown(socket.SHUT_WR)
        self.assertEqual(read_to_end(senders[0]), b"")
        with self.bridge.connect() as client:
            client.sendall(self.bridge.post(b"{}"))
            self.accept(listener).close()
            self.assertTrue(read_to_end(client).startswith(b"HTTP/1.1 502 "))
        for client in senders:
            client.close()

    def test_leaving_closes_llmds_side(self):
        listener = self.listen()
        for begun in False, True:
            client = self.bridge.connect()
            client.sendall(self.bridge.post(b"{}"))
            llmd = self.accept(listener)
            llmd.recv(65536)
            if begun:
                llmd.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
                client.recv(65536)
            client.close()
            self.assertEqual(llmd.recv(65536), b"")

    def stream(self, listener):
        """(client, llmd) of a stream that has begun, and of which the bridge knows that the client sends no more."""
        client = self.bridge.connect()
        client.sendall(self.bridge.post(b"{}"))
        llmd = self.accept(listener)
        llmd.recv(65536)
        for part in b"HTTP/1.1 200 OK\r\nTransfer-Enc", b"oding: chunked\r\n\r\n", b"first":
            llmd.sendall(part)
        data = b""
        while not data.endswith(b"first"):
            data += client.recv(65536)
        client.shutdown(socket.SHUT_WR)
        self.bridge.get(host="evil.example")  # comes behind it
        return client, llmd

    def test_a_stream_goes_on_for_a_client_that_sends_no_more(self):
        client, llmd = self.stream(self.listen())
        llmd.sendall(b" second")
        llmd.close()
        self.assertEqual(read_to_end(client), b" second")
        client.close()

    def test_a_stream_for_a_client_that_has_gone_ends_when_it_cannot_be_sent(self):
        client, llmd = self.stream(self.listen())
        client.close()
        while not select.select([llmd], [], [], 0.05)[0]:
            llmd.sendall(b"more")
        self.assertEqual(llmd.recv(65536), b"")


if __name__ == "__main__":
    harness.main()
