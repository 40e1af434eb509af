#!/usr/bin/env python3
"""Lets the model call a function of this program, with a date that it looks up, and answer with what the function said."""
import datetime
import json
import sys

from gi.repository import Gio, GLib

BUS = Gio.bus_get_sync(Gio.BusType.SESSION)
TOOLS = json.dumps([{"type": "function", "function": {"name": "set_alarm", "description": "Set an alarm.", "parameters": {
    "type": "object", "required": ["time"], "properties": {"time": {"type": "string", "description": "24-hour time, HH:MM"},
                                                           "date": {"type": "string", "description": "Date, YYYY-MM-DD"}}}}}])
FUNCTIONS = {"set_alarm": lambda time, date="": json.dumps({"ok": True})}  # a program with a clock sets its alarm here


def calendar(today):
    """The days as a small model looks them up: it does not know which day it is, and counts none."""
    days = [(f"in {n} days" if n > 1 else "tomorrow", today + datetime.timedelta(n)) for n in range(1, 8)]
    return f"Today is {today:%A}, {today}.\nCalendar: {', '.join(f'{when} {day:%A} {day}' for when, day in days)}."


def chat(messages):
    texts = [{key: GLib.Variant("s", value) for key, value in message.items()} for message in messages]
    arguments = GLib.Variant("(aa{sv}a{sv})", (texts, {"tools": GLib.Variant("s", TOOLS)}))
    return BUS.call_sync("org.llmd.Llmd1", "/org/llmd/Llmd1", "org.llmd.Llmd1", "Chat", arguments,
                         GLib.VariantType("(sa{sv})"), Gio.DBusCallFlags.NONE, GLib.MAXINT, None).unpack()


if __name__ == "__main__":
    said = " ".join(sys.argv[1:]) or "wake me at ten to seven tomorrow"
    messages = [{"role": "system", "content": calendar(datetime.date.today())}, {"role": "user", "content": said}]
    text, info = chat(messages)
    if info["finish_reason"] == "tool_calls":  # otherwise the last call may be cut
        messages.append({"role": "assistant", "content": text, "tool_calls": info["tool_calls"]})
        for call in json.loads(info["tool_calls"]):
            result = FUNCTIONS[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
            print(f"{call['function']['name']}({call['function']['arguments']}) = {result}")
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        text, info = chat(messages)
    print(text)
