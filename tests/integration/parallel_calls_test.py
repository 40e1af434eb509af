"""A program sends more calls at once than llmd takes of one: those that are too many wait in their connections, none is lost, and
another program beside it does not wait for all of them. On llmd's socket and through the bridge."""
import json
import sys
import threading

import harness
from beside_a_crowd import CROWD, assert_other_has_its_turn, doors
from bridge import Bridge
from harness import LIMIT_S, LLAMA, MARKER
from socket_test import Connection

# Calls of more than a process may have in all get 429 and when to come back.
N_TOO_MANY = 80
BODY = {"model": LLAMA, "prompt": f"Once upon a time {MARKER}", "max_tokens": 8, "temperature": 0}
# A process that makes a number of calls at once, for assert_other_has_its_turn().
PROGRAM = """
import http.client, json, socket, sys
address, body, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
connections = [http.client.HTTPConnection(address if address[0] != "/" else "llmd") for _ in range(n)]
for connection in connections:
    if address[0] == "/":
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(address)
    connection.request("POST", "/v1/completions", body)
print("sent", flush=True)
print(json.dumps([json.load(connection.getresponse())["id"] for connection in connections]))
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
        self.assert_all_answered(self.answers(lambda: Connection(self.socket), CROWD))

    def test_none_is_lost_through_the_bridge(self):
        bridge = Bridge(self.bus.environment)
        self.addCleanup(bridge.stop)
        self.assert_all_answered(self.answers(bridge.http, CROWD))

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
        for name, address, at_once, ask in doors(self):
            with self.subTest(door=name):
                assert_other_has_its_turn(self, [sys.executable, "-c", PROGRAM, address, json.dumps(BODY)], at_once, ask)


if __name__ == "__main__":
    harness.main()
