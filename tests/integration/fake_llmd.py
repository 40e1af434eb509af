"""What stands in llmd's place, on the bus for llmd-gtk or on its socket for llmctl, where a test chooses the answers: no
demonstration model thinks or calls tools. It says only what these two ask for, and keeps what it was asked.

An answer is a list of ("text", TEXT), ("thinking", TEXT), ("call", ID, NAME, ARGUMENTS) and, last, the finish reason.
"""
import http.server
import json
import os
import socketserver
import threading

import harness
from harness import Gio, GLib

MEMBERS = {
    "Stream": '<method name="Stream"><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/>'
              '<arg type="o" direction="out"/><arg type="h" direction="out"/></method>',
    "StreamChat": '<method name="StreamChat"><arg type="aa{sv}" direction="in"/><arg type="a{sv}" direction="in"/>'
                  '<arg type="o" direction="out"/><arg type="h" direction="out"/></method>',
    "ListModels": '<method name="ListModels"><arg type="a{sv}" direction="in"/><arg type="aa{sv}" direction="out"/></method>',
    "GetStatus": '<method name="GetStatus"><arg type="a{sv}" direction="in"/><arg type="a{sv}" direction="out"/></method>',
    "Features": '<property name="Features" type="as" access="read"/>',
    "State": '<property name="State" type="s" access="read"/>',
    "Model": '<property name="Model" type="s" access="read"/>',
}


def lines(answer):
    """The answer in the format ndjson."""
    n_calls = 0
    info = {}
    for seq, (kind, *rest) in enumerate(answer[:-1]):
        value = rest[0]
        if kind == "info":
            info = value
            continue
        if kind == "call":
            kind, value = "tool_call", {"id": rest[0], "index": n_calls, "name": rest[1], "arguments": rest[2]}
            n_calls += 1
        yield json.dumps({"seq": seq, kind: value}) + "\n"
    yield json.dumps({"done": True, "finish_reason": answer[-1], "usage": {"generated_tokens": 7, "seed": 1, **info}}) + "\n"


class OnTheBus:
    def __init__(self, bus):
        self.answers, self.asked = [], []
        self.properties = {"Features": GLib.Variant("as", ["thinking", "tools"]), "State": GLib.Variant("s", "idle"),
                           "Model": GLib.Variant("s", "tales")}
        self.address = bus.address
        self.xml = f'<node><interface name="{harness.NAME}">{"".join(MEMBERS.values())}</interface></node>'
        self.loop = self.connection = None
        self.status = {}
        ready = threading.Event()
        self.thread = threading.Thread(target=self._serve, args=(ready,))
        self.thread.start()
        assert ready.wait(harness.LIMIT_S)

    def close(self):
        self.loop.get_context().invoke_full(GLib.PRIORITY_DEFAULT, self.loop.quit)
        self.thread.join(harness.LIMIT_S)

    def _serve(self, ready):
        context = GLib.MainContext()
        context.push_thread_default()
        flags = Gio.DBusConnectionFlags
        self.connection = connection = Gio.DBusConnection.new_for_address_sync(
            self.address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)
        connection.set_exit_on_close(False)
        connection.register_object(harness.ROOT, Gio.DBusNodeInfo.new_for_xml(self.xml).interfaces[0], self._call,
                                   lambda _connection, _sender, _path, _interface, name: self.properties[name], None)
        connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                             GLib.Variant("(su)", (harness.NAME, 0)), None, Gio.DBusCallFlags.NONE, -1, None)
        self.loop = GLib.MainLoop(context)
        ready.set()
        self.loop.run()
        connection.close_sync(None)
        context.pop_thread_default()

    def set_state(self, state, **status):
        """From now on State is this, and GetStatus says `status` too."""
        self.status = status
        self.properties["State"] = GLib.Variant("s", state)
        changed = GLib.Variant("(sa{sv}as)", (harness.NAME, {"State": self.properties["State"]}, []))
        self.connection.emit_signal(None, harness.ROOT, "org.freedesktop.DBus.Properties", "PropertiesChanged", changed)

    def _call(self, _connection, _sender, _path, _interface, method, arguments, invocation):
        if method == "ListModels":
            model = {"name": GLib.Variant("s", "tales"), "default": GLib.Variant("b", True), "size_bytes": GLib.Variant("t", 7_000_000),
                     "architecture": GLib.Variant("s", "llama"), "quantization": GLib.Variant("s", "Q4_0")}
            invocation.return_value(GLib.Variant("(aa{sv})", ([model],)))
            return
        if method == "GetStatus":
            invocation.return_value(GLib.Variant("(a{sv})", (self.status,)))
            return
        what, options = arguments.unpack()
        for message in what if method == "StreamChat" else []:
            if "tool_calls" in message:
                message["tool_calls"] = json.loads(message["tool_calls"])
        if "tools" in options:
            options["tools"] = json.loads(options["tools"])
        self.asked.append((what, options))
        if not self.answers:
            invocation.return_dbus_error(harness.ERROR + "Failed", "no answer was chosen for this")
            return
        read_end, write_end = os.pipe()
        with os.fdopen(write_end, "w") as pipe:  # shorter than what a pipe holds
            pipe.writelines(lines(self.answers.pop(0)))
        fds = Gio.UnixFDList.new_from_array([read_end])  # which it closes
        invocation.return_value_with_unix_fd_list(GLib.Variant("(oh)", (harness.ROOT + "/request/1_1/a", 0)), fds)


class OnTheSocket(socketserver.ThreadingUnixStreamServer):
    def __init__(self, bus):
        self.answers, self.asked = [], []
        self.refused = set()  # paths, to what asks from a sandbox
        os.makedirs(bus.path("runtime/llmd"), exist_ok=True)
        super().__init__(bus.path("runtime/llmd/llmd.sock"), Handler)
        self.thread = threading.Thread(target=self.serve_forever)
        self.thread.start()

    def close(self):
        self.shutdown()
        self.server_close()
        self.thread.join(harness.LIMIT_S)


class Handler(http.server.BaseHTTPRequestHandler):
    def address_string(self):
        return "socket"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path in self.server.refused:
            self.reply('{"error": {"name": "NotAllowed", "message": "not from a sandbox"}}', 403)
        else:
            self.reply("{}")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "tools" in body:
            body["tools"] = json.loads(body["tools"])
        what = body.pop("messages", None)
        self.server.asked.append((body.pop("prompt") if what is None else what, body))
        self.reply("".join(lines(self.server.answers.pop(0))))

    def reply(self, text, status=200):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())
