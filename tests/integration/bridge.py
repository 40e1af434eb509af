"""llmctl bridge as the tests start it, and clients that speak to it."""
import http.client
import json
import signal
import socket
import subprocess

from harness import LIMIT_S, LLMCTL

MAX_CALLS = 2  # of all bridges that run; others wait
MAX_WAITING = 64
AS_NOBODY = {"user": "nobody", "extra_groups": []}  # of subprocess.run()


class Bridge:
    """A bridge that listens when the constructor returns."""

    def __init__(self, environment, *options):
        self.process = subprocess.Popen([LLMCTL, "bridge", "--port", "0", "--json", *options], env=environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line, "the bridge did not start"
        self.urls = json.loads(line)["urls"]
        self.port = int(self.urls[0].rpartition(":")[2])

    def connect(self, receive_buffer=None):
        client = socket.socket()
        if receive_buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        client.settimeout(LIMIT_S)
        client.connect(("127.0.0.1", self.port))
        return client

    def http(self):
        """As a program does that keeps its connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)

    def post(self, body, *headers, path="/v1/completions", keep=False):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"POST {path} HTTP/1.1", f"Host: localhost:{self.port}", f"Content-Length: {len(data)}", *headers]
        return "\r\n".join(lines + ([] if keep else ["Connection: close"])).encode() + b"\r\n\r\n" + data

    def exchange(self, request):
        """(status, everything that came) of raw bytes."""
        with self.connect() as client:
            client.sendall(request)
            data = read_to_end(client)
        return int(data.split(b" ", 2)[1]), data

    def get(self, *headers, host=None, method="GET", path="/health"):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'localhost:{self.port}'}", "Connection: close", *headers]
        return self.exchange("\r\n".join(lines).encode() + b"\r\n\r\n")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(LIMIT_S)
        self.process.stdout.close()
        return status


def read_to_end(client):
    data = b""
    while part := client.recv(65536):
        data += part
    return data
