#!/usr/bin/env python3
"""Two ways to ask llmd for a text: wait for all of it, or read it as it comes."""
import os
import sys

from gi.repository import Gio, GLib

FOREVER = GLib.MAXINT
BUS = Gio.bus_get_sync(Gio.BusType.SESSION)


def call(method, prompt, options, reply):
    arguments = GLib.Variant("(sa{sv})", (prompt, options))
    return BUS.call_with_unix_fd_list_sync(
        "org.llmd.Llmd1", "/org/llmd/Llmd1", "org.llmd.Llmd1", method, arguments,
        GLib.VariantType(reply), Gio.DBusCallFlags.NONE, FOREVER, None, None)


def generate(prompt, options):
    reply, _ = call("Generate", prompt, options, "(sa{sv})")
    return reply.unpack()[0]


def stream(prompt, options):
    options = dict(options, format=GLib.Variant("s", "text"))
    reply, fds = call("Stream", prompt, options, "(oh)")
    with os.fdopen(fds.get(reply.unpack()[1]), encoding="utf-8", newline="") as pipe:
        while character := pipe.read(1):
            yield character


if __name__ == "__main__":
    prompt = sys.argv[1] if len(sys.argv) > 1 else "Tell me a tale about a fox in a lighthouse and a golden key"
    options = {"seed": GLib.Variant("t", 7), "max_tokens": GLib.Variant("u", 300), "system": GLib.Variant("s", "Be helpful.")}
    for piece in stream(prompt, options):
        print(piece, end="", flush=True)
    print("\n---\n" + generate(prompt, options))
