"""A program sends more calls at once than llmd takes of one: those that are too many wait in their connections, none is lost, and
another program beside it does not wait for all of them. On llmd's socket and through the bridge."""
import json
import subprocess
import sys
import threading

import harness
from bridge import Bridge
from harness import LIMIT_S, LLAMA, MARKER
from socket_test import Connection

N_CALLS = 64
# Calls of more than a process may have in all get 429 and when to come back.
N_TOO_MANY = 80
BODY = {"model": LLAMA, "prompt": f"Once upon a time {MARKER}", "max_tokens": 8, "temperature": 0}
# Another process, whose calls count by themselves.
OTHER = """
import http.client, socket, sys
connection = http.client.HTTPConnection("llmd")
connection.sock = socket.socket(socket.AF_UNIX)
connection.sock.connect(sys.argv[1])
connection.request("POST", "/v1/completions", sys.argv[2])
reply = connection.getresponse()
reply.read()
print(reply.status)
"""


class ParallelCalls(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.client.load(LLAMA)
        self.socket = self.bus.path("runtime/llmd/llmd.sock")

    def answers(self, connect, n, body=BODY):
        """(status, body, Retry-After) of n calls that are sent at once."""
        results = [None] * n
        together = threading.Barrier(n)

        def call(i):
            connection = connect()
            connection.connect()
            together.wait(LIMIT_S)
            connection.request("POST", "/v1/completions", json.dumps(body))
            reply = connection.getresponse()
            results[i] = (reply.status, json.loads(reply.read()), reply.getheader("Retry-After"))
            connection.close()

        threads = [threading.Thread(target=call, args=[i]) for i in range(n)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    def assert_all_answered(self, results):
        self.assertEqual([status for status, _, _ in results], [200] * len(results))
        self.assertEqual(len({body["choices"][0]["text"] for _, body, _ in results}), 1, "temperature 0")

    def test_none_is_lost_on_the_socket(self):
        self.assert_all_answered(self.answers(lambda: Connection(self.socket), N_CALLS))

    def test_none_is_lost_through_the_bridge(self):
        bridge = Bridge(self.bus.environment)
        self.addCleanup(bridge.stop)
        self.assert_all_answered(self.answers(bridge.http, N_CALLS))

    def test_what_is_too_much_is_told_when_to_come_back(self):
        with self.daemon.held_engine():
            results = []
            reader = threading.Thread(target=lambda: results.extend(self.answers(lambda: Connection(self.socket), N_TOO_MANY)))
            reader.start()
            self.client.wait(lambda: len(self.client.requests()) >= 4, "the first calls")
        reader.join()
        refused = [(body["error"]["name"], int(retry)) for status, body, retry in results if status == 429]
        self.assertEqual(len(results) - len(refused), sum(status == 200 for status, _, _ in results))
        self.assertTrue(refused and all(name == "RateLimited" and retry >= 2 for name, retry in refused), refused)

    def test_another_program_has_its_turn(self):
        done = []

        def call():
            done.append(Connection(self.socket).ask("POST", "/v1/completions", dict(BODY, max_tokens=64))[0])

        threads = [threading.Thread(target=call) for _ in range(N_CALLS)]
        for thread in threads:
            thread.start()
        other = subprocess.run([sys.executable, "-c", OTHER, self.socket, json.dumps(BODY)], capture_output=True, text=True, timeout=LIMIT_S)
        n_done = len(done)
        for thread in threads:
            thread.join()
        self.assertEqual(other.stdout.strip(), "200", other.stderr)
        self.assertLess(n_done, N_CALLS // 2, "it has waited for the other program's calls")
        self.assertEqual(done, [200] * N_CALLS)


if __name__ == "__main__":
    harness.main()
