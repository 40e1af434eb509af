"""The vector that llmd, over a private bus, and llama-server make of a text."""
import os
import pathlib
import sys
import tempfile

import judge

TOLERANCE = 0.002  # of each number of a vector of the length 1
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def llmd(build, path, text):
    """Needs python3-gi and dbus-daemon."""
    os.environ.update(LLMD_BUILD=os.path.abspath(build), LLMD_SOURCE=str(SOURCE), LLMD_BACKEND="cpu")
    sys.path.insert(1, str(SOURCE / "tests" / "integration"))
    import harness
    bus = harness.PrivateBus()
    try:
        bus.config('backend = "cpu"\n')
        daemon = harness.Daemon(bus)
        client = bus.connect()
        try:
            client.load(str(path))
            return client.call("Embed", harness.GLib.Variant("(asa{sv})", ([text], {})))[0][0]
        finally:
            client.close()
            daemon.stop()
    finally:
        bus.close()


def llama_cpp(root, path, text):
    command = " ".join(root.command("llama-server"))
    with tempfile.TemporaryFile() as log, judge.llama_server.serving(command, root.inside(path), log, "--embeddings", "-fa", "off") as server:
        return server.ask("/v1/embeddings", {"input": text})["data"][0]["embedding"]


def largest_difference(a, b):
    return max(abs(x - y) for x, y in zip(a, b))
