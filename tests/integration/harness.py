"""The real llmd on a private bus with folders of its own, for tests that talk to it as an application would.

Nothing here waits for time to pass: every wait is for an event, with a limit that only a failure reaches.
Meson gives LLMD_BUILD (build root), LLMD_SOURCE (source root) and LLMD_BACKEND (cpu or opencl).
"""
import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import types
import unittest

import socket_trap

SKIP = 77  # meson's exit code for a test that cannot run here

try:
    from gi.repository import Gio, GLib
except ImportError:
    print("skipped: python3-gi is not installed")
    sys.exit(SKIP)

BUILD = os.environ["LLMD_BUILD"]
SOURCE = os.environ["LLMD_SOURCE"]
BACKEND = os.environ.get("LLMD_BACKEND", "cpu")
SOCKET_TRAP = os.environ.get("LLMD_SOCKET_TRAP")
LLMD = os.path.join(BUILD, "daemon", "llmd")
ENGINE = os.path.join(BUILD, "daemon", "engine", "llmd-engine")
LLMCTL = os.path.join(BUILD, "client", "llmctl")
# The two demonstration models. Nothing installs them; the default one of the tests is named by the settings of a device.
MODELS = os.path.join(SOURCE, "tests", "data", "models")
LLAMA = "tales-llama-11m-q4_0"
GPT2 = "tales-gpt2-6m-q8_0"
# What is installed instead.
BUNDLED = os.path.join(SOURCE, "models")
PHONE = "phone-11m-q8_0"

NAME = "org.llmd.Llmd1"
ROOT = "/org/llmd/Llmd1"
ERROR = "org.llmd.Llmd1.Error."

# A machine under load, an OpenCL compiler at its first run: only a hang takes longer.
LIMIT_S = 300

# In every prompt of the tests; the log must never hold it.
MARKER = "Hollerbusch"

BUS_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{services}</servicedir>
  <!-- As a session's bus has them. -->
  <limit name="max_connections_per_user">100000</limit>
  <limit name="max_replies_per_connection">50000</limit>
  <limit name="max_match_rules_per_connection">50000</limit>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>
"""


def backend_is_here():
    return BACKEND != "opencl" or os.path.exists("/etc/OpenCL/vendors/pocl.icd")


def require(ability):
    """Skips the test where this machine lacks an ability of tests/abilities, which says what is absent."""
    probe = subprocess.run([os.path.join(SOURCE, "tests", "abilities"), ability], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, text=True)
    if probe.returncode != 0:
        raise unittest.SkipTest(probe.stdout.strip())


def with_tmpfs(place, options, then):
    """A command that runs the shell script `then` where `place`, for it alone, is a new file system in memory; "$@" is
    what follows the command. Skips the test where nothing can be mounted."""
    require("mounts")
    namespaces = ["--mount"] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps", "--mount"]
    return ["unshare", *namespaces, "sh", "-c", f'mount -t tmpfs -o {options} none "{place}" || exit\n{then}', "sh"]


def command_of(pid):
    """The name of a process's program; empty when it is gone."""
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().rstrip("\n")
    except (FileNotFoundError, ProcessLookupError):
        return ""


class PrivateBus:
    """A dbus-daemon and the folders that a user's session has."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="llmd-test-")
        for name in ("runtime", "config/llmd", "device/llmd", "data/llmd/models", "cache", "services"):
            os.makedirs(os.path.join(self.folder, name), mode=0o700)
        self.config(f'backend = "{BACKEND}"\n' + ('device = "Portable"\n' if BACKEND == "opencl" else ""))
        with open(self.path("device/llmd/llmd.toml"), "w") as file:
            file.write(f'model = "{LLAMA}"\n')
        with open(self.path("bus.conf"), "w") as file:
            file.write(BUS_CONFIG.format(socket=self.path("runtime/bus"), services=self.path("services")))
        self.environment = {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": "/nonexistent",
            "XDG_RUNTIME_DIR": self.path("runtime"), "XDG_CONFIG_HOME": self.path("config"),
            "XDG_CONFIG_DIRS": self.path("device"),
            "XDG_DATA_HOME": self.path("data"), "XDG_CACHE_HOME": self.path("cache"),
            "XDG_STATE_HOME": self.path("state"),
            "LLMD_MODEL_PATH": MODELS,
            # This machine's memory, heat, power and sleep are not those of the test's device.
            "LLMD_SYSFS": self.path("sysfs"), "MEMORY_PRESSURE_WATCH": "/dev/null",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + self.path("no-system-bus"),
            # Compiled kernels are kept between tests: they are not what is tested here.
            "POCL_CACHE_DIR": os.environ.get("POCL_CACHE_DIR", os.path.join(BUILD, "pocl-cache")),
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        os.makedirs(self.environment["POCL_CACHE_DIR"], exist_ok=True)
        self.address = "unix:path=" + self.path("runtime/bus")
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self.address
        self.clients = []
        self.start()

    def start(self):
        self.daemon = subprocess.Popen(
            ["dbus-daemon", "--config-file", self.path("bus.conf"), "--nofork", "--print-address"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment, text=True)
        self.daemon.stdout.readline()  # it listens

    def as_installed(self):
        """For what begins from now on: the bundled model, and no settings of a device."""
        self.environment.update(LLMD_MODEL_PATH=BUNDLED, XDG_CONFIG_DIRS=self.path("none"))

    def stop(self):
        self.daemon.terminate()
        self.daemon.wait(LIMIT_S)
        self.daemon.stdout.close()

    def restart(self):
        """All its connections are lost, and another one is there in its place."""
        self.stop()
        self.start()

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def flatpak_root(self, app):
        """A directory with the file that Flatpak puts into the root of its sandboxes."""
        root = self.path("root-" + app.replace(" ", "-"))
        os.makedirs(root, exist_ok=True)
        with open(os.path.join(root, ".flatpak-info"), "w") as file:
            file.write(f"[Application]\nname={app}\nruntime=runtime/org.example.Platform\n")
        return root

    def config(self, text):
        with open(self.path("config/llmd/llmd.toml"), "w") as file:
            file.write(text)
        if SOCKET_TRAP:
            socket_trap.note_remotes(SOCKET_TRAP, text)

    def write_tiny_model(self, architecture):
        """The name of a tiny model that is there from now on."""
        path = self.path(f"data/llmd/models/tiny-{architecture}.gguf")
        subprocess.run([os.path.join(BUILD, "tests/support/write_tiny_model"), path, architecture], check=True, timeout=LIMIT_S)
        return f"tiny-{architecture}"

    def write_chat_model(self, name, template):
        """A tiny LLaMA of this name with a chat template is there from now on."""
        subprocess.run([os.path.join(BUILD, "tests/support/write_tiny_model"), self.path(f"data/llmd/models/{name}.gguf"), "chat"],
                       input=template.encode(), check=True, timeout=LIMIT_S)

    def link_model(self, path):
        """The name of a model that is there from now on: the file at `path`."""
        name = os.path.splitext(os.path.basename(path))[0]
        os.symlink(os.path.abspath(path), self.path(f"data/llmd/models/{name}.gguf"))
        return name

    def write_with_template(self, name, template):
        """A model of this name, there from now on, that is the demonstration LLaMA with a chat template."""
        key, text = b"tokenizer.chat_template", template.encode()
        head, type_string = struct.Struct("<4sIQQ"), 8  # magic, version, number of tensors, number of metadata
        n_around = len(key) + struct.calcsize("<QIQ")
        text += b" " * (-(n_around + len(text)) % 32)  # the tensors stay aligned
        entry = struct.pack("<Q", len(key)) + key + struct.pack("<IQ", type_string, len(text)) + text
        with open(os.path.join(MODELS, LLAMA + ".gguf"), "rb") as file:
            *start, n_metadata = head.unpack(file.read(head.size))
            rest = file.read()
        with open(self.path(f"data/llmd/models/{name}.gguf"), "wb") as file:
            file.write(head.pack(*start, n_metadata + 1) + entry + rest)

    def connect(self):
        client = Client(self)
        self.clients.append(client)
        return client

    def close(self):
        for client in self.clients:
            client.close()
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Daemon:
    """One llmd, ready when the constructor returns, its log in a file. `command` becomes llmd in the end."""

    def __init__(self, bus, log_name="llmd.log", command=(LLMD,)):
        self.log_path = bus.path(log_name)
        if SOCKET_TRAP:
            command = (*socket_trap.prefix(SOCKET_TRAP), *command)
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify_path = bus.path("notify-" + log_name)
        notify.bind(notify_path)
        with open(self.log_path, "w") as log:
            self.process = subprocess.Popen(command, env=dict(bus.environment, NOTIFY_SOCKET=notify_path),
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.notifications = []
        pidfd = os.pidfd_open(self.process.pid)
        try:
            while not any("READY=1" in lines for lines in self.notifications):
                ready, _, _ = select.select([notify, pidfd], [], [], LIMIT_S)
                assert notify in ready, "llmd did not become ready:\n" + self.log()
                self.notifications.append(notify.recv(4096).decode().split("\n"))
        finally:
            os.close(pidfd)
            notify.close()
        os.unlink(notify_path)

    def log(self):
        with open(self.log_path, errors="replace") as file:
            return file.read()

    def stop(self):
        """Ends it as a service manager does; returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LIMIT_S)

    def engines(self):
        """Process ids of the engines that run now, from the kernel, without asking llmd. A child that is still a copy
        of llmd is none: held then, it would hold llmd's descriptors too."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return [pid for pid in map(int, file.read().split()) if command_of(pid) not in ("", "llmd")]

    @contextlib.contextmanager
    def held_engine(self):
        """No engine that is there makes a token inside the block, so that what happens there comes before the text's end."""
        pids = self.engines()
        assert pids, "no engine runs"
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):  # llmd may have ended inside the block, and it with llmd
                    os.kill(pid, signal.SIGCONT)


class Client:
    """One connection to the bus, as one application has it."""

    def __init__(self, bus):
        self.context = GLib.MainContext.default()
        flags = Gio.DBusConnectionFlags
        self.connection = Gio.DBusConnection.new_for_address_sync(
            bus.address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)
        self.connection.set_exit_on_close(False)
        self.finished = {}  # request path -> (status, error_name, message, info)
        self.tokens = {}    # request path -> [text]
        self.connection.signal_subscribe(None, NAME + ".Request", None, None, None, Gio.DBusSignalFlags.NONE,
                                         self._on_signal)

    def _on_signal(self, _connection, _sender, path, _interface, member, parameters):
        if member == "Finished":
            assert path not in self.finished, "Finished came twice"
            self.finished[path] = parameters.unpack()
        elif member == "Token":
            self.tokens.setdefault(path, []).append(parameters.unpack()[1])

    def call(self, method, arguments, interface=NAME, path=ROOT, reply=None):
        """The reply's values; GLib.Error on an error reply (see error_of)."""
        result = self.connection.call_sync(NAME, path, interface, method, arguments, reply and GLib.VariantType(reply),
                                           Gio.DBusCallFlags.NONE, LIMIT_S * 1000, None)
        return result.unpack()

    def generate(self, prompt, **options):
        return self.call("Generate", GLib.Variant("(sa{sv})", (prompt, variants(options))))

    def stream(self, prompt, **options):
        """(request path, descriptor of the pipe)"""
        reply, fds = self.connection.call_with_unix_fd_list_sync(
            NAME, ROOT, NAME, "Stream", GLib.Variant("(sa{sv})", (prompt, variants(options))),
            GLib.VariantType("(oh)"), Gio.DBusCallFlags.NONE, LIMIT_S * 1000, None, None)
        path, index = reply.unpack()
        return path, fds.get(index)

    def admin(self, method, signature="()", *arguments):
        return self.call(method, GLib.Variant(signature, arguments), interface=NAME + ".Admin")

    def load(self, model):
        return self.admin("LoadModel", "(sa{sv})", model, {})

    def status(self):
        return self.call("GetStatus", GLib.Variant("(a{sv})", ({},)))[0]

    def engine_of(self, model):
        """The process that has it loaded."""
        pid, = [engine["pid"] for engine in self.status()["engines"] if engine["model"] == model]
        return pid

    def requests(self):
        return self.admin("ListRequests")[0]

    def owner(self):
        """llmd's unique name, or None."""
        try:
            return self.connection.call_sync(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner",
                GLib.Variant("(s)", (NAME,)), None, Gio.DBusCallFlags.NONE, -1, None).unpack()[0]
        except GLib.Error:
            return None

    def wait(self, condition, what):
        """Runs the main context until `condition` holds."""
        deadline = time.monotonic() + LIMIT_S
        # Some conditions change without a signal to us: look again a few times a second.
        timer = GLib.timeout_source_new(50)
        timer.set_callback(lambda *_: True)
        timer.attach(self.context)
        try:
            while not condition():
                if time.monotonic() > deadline:
                    raise AssertionError(f"still waiting after {LIMIT_S} s: {what}")
                self.context.iteration(True)
        finally:
            timer.destroy()

    def wait_finished(self, path):
        self.wait(lambda: path in self.finished, f"Finished of {path}")
        return self.finished[path]

    def close(self):
        if not self.connection.is_closed():
            self.connection.close_sync(None)


def variants(options):
    """Python values as the D-Bus types that the interface states; a GLib.Variant stays what it is."""
    types = {"max_tokens": "u", "top_k": "u", "deadline_ms": "u", "seed": "t", "stop": "as", "echo": "b",
             "parallel_tool_calls": "b", "bare_calls": "b"}
    reals = ("temperature", "top_p", "min_p", "repeat_penalty")
    return {key: value if isinstance(value, GLib.Variant)
            else GLib.Variant(types.get(key, "d" if key in reals else "s"), value) for key, value in options.items()}


def parts_of(error):
    """(short error name, message) of a GLib.Error."""
    name = Gio.DBusError.get_remote_error(error) or ""
    return name.removeprefix(ERROR), error.message.removeprefix(f"GDBus.Error:{name}: ")


def error_of(call, *arguments, **options):
    """(short error name, message) of a call that must fail."""
    try:
        call(*arguments, **options)
    except GLib.Error as error:
        return parts_of(error)
    raise AssertionError("the call succeeded")


CLONE_NEWUSER = 0x10000000
NOT_PERMITTED = 77  # exit status of a process that could not change its root
NO_OTHER_ROOT = "nobody may change the root here; run as root with CAP_SYS_CHROOT, or where users may make user namespaces"


def may_change_root():
    """Whether this process may call chroot() from now on: as root, or in a user namespace that it enters. A process with threads
    cannot make one, so this comes before GLib. User and group stay, because the bus checks them."""
    if os.geteuid() == 0:
        return True
    ids = {"uid_map": f"{os.geteuid()} {os.geteuid()} 1", "setgroups": "deny", "gid_map": f"{os.getegid()} {os.getegid()} 1"}
    if ctypes.CDLL(None).unshare(CLONE_NEWUSER) != 0:
        return False
    try:
        for name, text in ids.items():
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    except PermissionError:  # Ubuntu's AppArmor gives it no rights
        return False
    return True


def enter_root(root, address, n=1):
    """`n` clients of the bus at `address`, whose process, which has no threads yet, is in another root from now on; none where it may
    not change it."""
    if not may_change_root():
        return []
    clients = [Client(types.SimpleNamespace(address=address)) for _ in range(n)]
    for client in clients:
        client.owner()  # everything is loaded that the other root does not have
    try:
        os.chroot(root)
    except PermissionError:
        return []
    return clients


def read_all(fd):
    with os.fdopen(fd, "rb") as pipe:
        return pipe.read()


def read_line(fd):
    """One ndjson line, byte by byte, so that the rest stays in the pipe; None at the end."""
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([fd], [], [], LIMIT_S)
        assert ready, "no text came"
        byte = os.read(fd, 1)
        if not byte:
            return None
        line += byte
    return json.loads(line)


def read_stream(fd):
    """(text, last object) of an ndjson pipe."""
    lines = [json.loads(line) for line in read_all(fd).splitlines()]
    assert [line["seq"] for line in lines[:-1]] == list(range(len(lines) - 1)), "seq does not count from 0"
    return "".join(line["text"] for line in lines[:-1]), lines[-1]


class TestCase(unittest.TestCase):
    """A bus and an llmd for each class; the log is shown when a test fails, and is searched for prompts at the end."""

    daemon = None

    @classmethod
    def setUpClass(cls):
        cls.bus = PrivateBus()
        cls.addClassCleanup(cls.bus.close)
        cls.prepare()
        cls.daemon = Daemon(cls.bus)
        cls.addClassCleanup(cls._end)
        cls.texts = []  # what was generated, of which the log must not hold a piece either

    @classmethod
    def prepare(cls):
        """Changes to cls.bus before llmd starts."""

    @classmethod
    def _end(cls):
        status = cls.daemon.stop()
        log = cls.daemon.log()
        assert status == 0, f"llmd ended with {status}:\n{log}"
        assert MARKER not in log, f"a prompt is in the log:\n{log}"
        for text in cls.texts:
            assert len(text) < 20 or text[:20] not in log, f"generated text is in the log:\n{log}"

    def run(self, result=None):
        problems = len(result.failures) + len(result.errors) if result else 0
        outcome = super().run(result)
        if result and self.daemon and len(result.failures) + len(result.errors) > problems:
            print(f"--- log of llmd, {self.id()}\n{self.daemon.log()}---", file=sys.stderr)
        return outcome

    def setUp(self):
        self.client = self.bus.connect()

    def tearDown(self):
        self.client.close()
        self.assertIsNone(self.daemon.process.poll(), "llmd has ended")

    def add_broken_model(self):
        """A model called `broken` until the test ends, whose file is not one."""
        path = self.bus.path("data/llmd/models/broken.gguf")
        with open(path, "w") as file:
            file.write("garbage")
        self.addCleanup(os.unlink, path)

    def assert_serves(self):
        """The daemon still answers, with the model of the distribution."""
        text, info = self.bus.connect().generate(f"{MARKER} and", model=LLAMA, max_tokens=4, temperature=0.0)
        self.assertEqual(info["model"], LLAMA)
        self.assertTrue(text)


def main():
    if not backend_is_here():
        print("skipped: PoCL is not installed; install pocl-opencl-icd")
        sys.exit(SKIP)
    unittest.main(verbosity=2)
