#!/usr/bin/env python3
"""Lets the model call a function of this program, and answer with what the function said."""
import json
import sys

from gi.repository import Gio, GLib

BUS = Gio.bus_get_sync(Gio.BusType.SESSION)
TOOLS = [{"type": "function", "function": {
    "name": "battery", "description": "How full the battery of this device is, in percent.",
    "parameters": {"type": "object", "properties": {"unit": {"enum": ["percent"]}}, "required": ["unit"],
                   "additionalProperties": False}}}]
FUNCTIONS = {"battery": lambda unit: f"83 {unit}"}


def property_of_llmd(name):
    return BUS.call_sync("org.llmd.Llmd1", "/org/llmd/Llmd1", "org.freedesktop.DBus.Properties", "Get",
                         GLib.Variant("(ss)", ("org.llmd.Llmd1", name)), None, Gio.DBusCallFlags.NONE, -1,
                         None).unpack()[0]


def chat(messages, **options):
    texts = [{key: GLib.Variant("s", value) for key, value in message.items()} for message in messages]
    arguments = GLib.Variant("(aa{sv}a{sv})", (texts, {key: GLib.Variant("s", value) for key, value in options.items()}))
    return BUS.call_sync("org.llmd.Llmd1", "/org/llmd/Llmd1", "org.llmd.Llmd1", "Chat", arguments,
                         GLib.VariantType("(sa{sv})"), Gio.DBusCallFlags.NONE, GLib.MAXINT, None).unpack()


if __name__ == "__main__":
    if "tools" not in property_of_llmd("Features"):
        sys.exit("this llmd is too old: it would answer as if there were no tools")
    messages = [{"role": "user", "content": sys.argv[1] if len(sys.argv) > 1 else "How full is my battery?"}]
    text, info = chat(messages, tools=json.dumps(TOOLS), tool_choice="required")  # "auto" leaves it to the model
    messages.append({"role": "assistant", "content": text, "tool_calls": info["tool_calls"]})
    for call in json.loads(info["tool_calls"]):
        function = call["function"]
        result = FUNCTIONS[function["name"]](**json.loads(function["arguments"]))
        print(f"{function['name']}({function['arguments']}) = {result}")
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    print(chat(messages)[0])
