"""llmctl bridge with an llmd that this test plays: neither side can fill its memory, take another's place or be taken for
somebody else."""
import errno
import hashlib
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import unittest

import harness
from bridge import AS_NOBODY, Bridge, read_to_end
from harness import LIMIT_S, LLMCTL

# The bridge's buffer, and those of the kernel for two sockets, each at its largest.
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
        os.makedirs(self.bus.path("runtime/llmd-bridge"), exist_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.settimeout(LIMIT_S)
        listener.bind(self.bus.path("runtime/llmd-bridge/bridge.sock"))
        listener.listen()
        return listener

    def accept(self, listener):
        llmd, _ = listener.accept()
        self.addCleanup(llmd.close)
        llmd.settimeout(LIMIT_S)
        length, = struct.unpack("<I", llmd.recv(4, socket.MSG_WAITALL))
        self.preamble = llmd.recv(length, socket.MSG_WAITALL).decode()
        return llmd

    def test_without_llmd_it_says_how_to_start_it(self):
        status, answer = self.bridge.get()
        self.assertEqual(status, 503)
        self.assertRegex(answer, rb"bridge\.sock: No such file or directory; start it: (systemctl|rc-service|/.*/llmd)")
        self.assertIn(b"Retry-After: ", answer)
        self.assertIn(b'{"error":{"message":"llmd is not reached at ', answer)
        self.assertIn(b'{"error":"llmd is not reached at ', self.bridge.get(path="/api/tags")[1])
        llmd = self.listen()
        with self.bridge.connect() as client:
            client.sendall(self.bridge.post(b""))
            self.accept(llmd).close()
            self.assertTrue(read_to_end(client).startswith(b"HTTP/1.1 502 "))

    def test_llmd_gets_a_preamble_and_what_the_client_sends(self):
        token = self.bus.path("token")
        with open(os.open(token, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write("a-token-of-the-test-0123\n")
        listener = self.listen()
        bridge = Bridge(self.bus.environment, "--token-file", token, "--allow-host", "phone.lan", "--allow-host", "box")
        self.addCleanup(bridge.stop)
        for one, hosts, digest in ((self.bridge, [], ""), (bridge, ["phone.lan", "box"],
                                                          hashlib.sha256(b"a-token-of-the-test-0123").hexdigest())):
            with one.connect() as client:
                client.sendall(b"any bytes\0")
                llmd = self.accept(listener)
                self.assertEqual(self.preamble, "\n".join(
                    ["llmd-bridge 1", str(one.port), digest, *(f"host {host}" for host in hosts), f"program {os.getpid()}", ""]))
                self.assertEqual(llmd.recv(65536), b"any bytes\0")
                llmd.sendall(b"answer")
                self.assertEqual(client.recv(65536), b"answer")
                client.sendall(b"more")
                self.assertEqual(llmd.recv(65536), b"more")
                llmd.sendall(b"and more")
                llmd.close()
                self.assertEqual(read_to_end(client), b"and more")

    def test_the_preamble_names_the_process_that_connects(self):
        """Unless it hides its descriptors, which it cannot from root."""
        listener = self.listen()
        script = ("import ctypes, socket, sys\n"
                  "if sys.argv[2] == 'hidden':\n"
                  "    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n"  # PR_SET_DUMPABLE
                  "with socket.create_connection(('127.0.0.1', int(sys.argv[1]))) as client:\n"
                  "    client.sendall(b'any bytes')\n"
                  "    client.recv(1)\n")
        for how in "seen", "hidden", "seen":
            process = subprocess.Popen([sys.executable, "-c", script, str(self.bridge.port), how])
            with self.accept(listener):
                named = f"program {process.pid}\n" in self.preamble
            self.assertEqual(process.wait(LIMIT_S), 0)
            self.assertTrue(named or how == "hidden", self.preamble)
            if how == "hidden" and os.geteuid() != 0:
                self.assertNotIn("program", self.preamble)

    def test_names_that_are_too_long_are_told(self):
        done = subprocess.run([LLMCTL, "bridge", "--port", "0", "--allow-host", "x" * 9000], env=self.bus.environment,
                              capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual((done.returncode, "--allow-host, --allow-origin: preamble: " in done.stderr), (2, True), done.stderr)

    def test_who_says_nothing_costs_llmd_nothing(self):
        listener = self.listen()
        with self.bridge.connect() as client:
            self.assertEqual(read_to_end(client), b"", "it is dropped")
        self.assertEqual(select.select([listener], [], [], 0)[0], [])

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

    def test_an_llmd_that_is_slow_slows_its_client_down(self):
        listener = self.listen()
        with self.bridge.connect() as client:
            client.sendall(b"first")
            llmd = self.accept(listener)
            client.setblocking(False)
            sent = 5
            while select.select([], [client], [], 1)[1]:
                sent += client.send(bytes(65536))
                self.assertLess(sent, MOST_HELD, "the bridge takes what nobody reads")
            received = 0
            while received < sent:
                received += len(llmd.recv(65536))
            self.assertEqual(received, sent)

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
        with self.bridge.connect() as behind:  # it
            behind.sendall(b"x")
            self.accept(listener).close()
            read_to_end(behind)
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
        with self.assertRaises((BrokenPipeError, ConnectionResetError)):
            while True:
                llmd.sendall(b"more")
                select.select([], [], [], 0.05)


if __name__ == "__main__":
    harness.main()
