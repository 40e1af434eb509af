#!/usr/bin/env python3
"""A conversation over D-Bus: each answer is read as it comes, and the next question knows what was said before."""
import os
import sys

from gi.repository import Gio, GLib

BUS = Gio.bus_get_sync(Gio.BusType.SESSION)


def message(role, content):
    return {"role": GLib.Variant("s", role), "content": GLib.Variant("s", content)}


def answer(messages, options):
    options = dict(options, format=GLib.Variant("s", "text"))
    reply, fds = BUS.call_with_unix_fd_list_sync(
        "org.llmd.Llmd1", "/org/llmd/Llmd1", "org.llmd.Llmd1", "StreamChat", GLib.Variant("(aa{sv}a{sv})", (messages, options)),
        GLib.VariantType("(oh)"), Gio.DBusCallFlags.NONE, GLib.MAXINT, None, None)
    with os.fdopen(fds.get(reply.unpack()[1]), encoding="utf-8", newline="") as pipe:
        while character := pipe.read(1):
            yield character


if __name__ == "__main__":
    messages = [message("system", "You answer in one sentence.")]
    for question in sys.argv[1:] or ["Who are you?", "And what can you do?"]:
        messages.append(message("user", question))
        said = ""
        for piece in answer(messages, {"seed": GLib.Variant("t", 7), "max_tokens": GLib.Variant("u", 300)}):
            print(piece, end="", flush=True)
            said += piece
        print()
        messages.append(message("assistant", said))
