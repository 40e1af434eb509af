"""A crowd of calls of one program and one call of another beside it: which of them llmd answers first."""
import contextlib
import json
import re
import subprocess

from bridge import Bridge, MAX_CALLS
from harness import LIMIT_S
from socket_test import Connection

CROWD = 64  # calls of an SDK, of which none is lost
CROWD_LIMIT_S = 3 * LIMIT_S  # 25,600 tokens on a machine under load
MAX_CALLS_ON_THE_SOCKET = 4


def doors(test):
    """(name, address for a program, how many calls of a program are computed at a time, a call that is answered at once)"""
    socket = test.bus.path("runtime/llmd/llmd.sock")

    def ask():
        with contextlib.closing(Connection(socket)) as connection:
            connection.ask("GET", "/health")
    yield "socket", socket, MAX_CALLS_ON_THE_SOCKET, ask
    bridge = Bridge(test.bus.environment)
    test.addCleanup(bridge.stop)
    yield "bridge", f"127.0.0.1:{bridge.port}", MAX_CALLS, bridge.get


def assert_other_has_its_turn(test, program, at_once, ask):
    """`program` is a command that, with a number behind it, prints "ready", waits for a line, makes so many calls of one length at
    once, prints "sent" when all of them are sent, and in the end the ids of the answers as JSON."""
    def start(n):
        process = subprocess.Popen([*program, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        test.addCleanup(process.communicate)
        test.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def send(process):
        process.stdin.write("\n")
        process.stdin.flush()
        test.assertEqual(process.stdout.readline(), "sent\n")
        ask()  # what came before has been taken too

    def end(process):
        out, errors = process.communicate(timeout=CROWD_LIMIT_S)
        test.assertEqual(process.returncode, 0, errors)
        return [int(name.rpartition("-")[2]) for name in json.loads(out)]

    crowd, other = start(CROWD), start(1)
    with test.daemon.held_engine():  # not for long: llmd ends an engine that is silent
        send(crowd)
        send(other)
    crowd, (other,) = end(crowd), end(other)
    test.assertEqual(len(set(crowd)), CROWD)
    order = []

    def is_told():
        order[:] = [int(request) for request in re.findall(r"request (\d+) ended: length", test.daemon.log())]
        return {other, *crowd} <= set(order)
    test.client.wait(is_told, "the ends of all calls in the log")
    n_before = sum(request in crowd for request in order[:order.index(other)])
    # Those that were computed when it came, and those that have been beside it: it takes as long as each of them.
    test.assertLessEqual(n_before, 2 * at_once)
    return n_before
