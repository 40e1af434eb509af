"""A desktop without a screen for tests of a graphical program: an X server, a window manager, and the bus of assistive
technologies, all private. A test presses keys as a person does, and reads what is shown as a screen reader does.

Nothing here waits for time to pass: every wait is for something to be shown, with a limit that only a failure reaches."""
import os
import shutil
import subprocess
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

LIMIT_S = 60
Atspi.set_timeout(LIMIT_S * 1000, LIMIT_S * 1000)
POLL_S = 0.05
NEEDS = ("Xvfb", "openbox", "xcompmgr", "xdotool")
PICTURES_NEED = ("import", "optipng")
AT_SPI = "/usr/libexec/at-spi-bus-launcher"

# It only has the shortcut that gives a window the whole screen.
WINDOW_MANAGER = """<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <theme><keepBorder>no</keepBorder></theme>
  <focus><focusNew>yes</focusNew></focus>
  <keyboard><keybind key="A-F10"><action name="Maximize"/></keybind></keyboard>
</openbox_config>
"""


def missing(pictures):
    """What is not installed, of what this needs; for pictures more."""
    return [name for name in NEEDS + (PICTURES_NEED if pictures else ()) if shutil.which(name) is None] + ([] if os.path.exists(AT_SPI) else ["at-spi2-core"])


class Desktop:
    def __init__(self, bus, width, height):
        """`bus` is the harness's PrivateBus."""
        self.bus = bus
        self.width, self.height = width, height
        self.processes = []
        read_end, write_end = os.pipe()
        self.start("Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset",
                   fds=[write_end])
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            display = ":" + pipe.readline().strip()
        self.environment = dict(
            bus.environment, DISPLAY=display, HOME=bus.folder, GDK_BACKEND="x11", GSK_RENDERER="cairo", GTK_A11Y="atspi", NO_AT_BRIDGE="0",
            GTK_USE_PORTAL="0", GSETTINGS_BACKEND="memory", XDG_DATA_DIRS="/usr/local/share:/usr/share", LANG="C.UTF-8")
        # As on a phone: one button in the title bar, and the font of the desktop that the app is made for.
        os.makedirs(bus.path("config/gtk-4.0"))
        with open(bus.path("config/gtk-4.0/settings.ini"), "w") as file:
            file.write("[Settings]\ngtk-decoration-layout=:close\ngtk-font-name=Cantarell 11\ngtk-enable-animations=0\n")
        with open(bus.path("openbox.xml"), "w") as file:
            file.write(WINDOW_MANAGER)
        self.start("openbox", "--sm-disable", "--config-file", bus.path("openbox.xml"))
        self.start("xcompmgr")  # shadows are transparent
        self.start(AT_SPI, "--launch-immediately")
        self.wait(lambda: self.run("xdotool", "get_desktop", check=False).returncode == 0, "the window manager")
        self.wait(self.has_a11y_bus, "the bus of assistive technologies")

    def has_a11y_bus(self):
        done = self.run("gdbus", "call", "--session", "-d", "org.a11y.Bus", "-o", "/org/a11y/bus", "-m", "org.a11y.Bus.GetAddress", check=False)
        return done.returncode == 0 and "unix:" in done.stdout

    def start(self, *command, fds=(), **more):
        environment = dict(getattr(self, "environment", os.environ), **more)
        with open(self.bus.path(os.path.basename(command[0]) + ".log"), "a") as log:
            process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=fds)
        self.processes.append(process)
        return process

    def run(self, *command, check=True):
        return subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=check, timeout=LIMIT_S)

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait(LIMIT_S)

    @staticmethod
    def wait(condition, what, limit_s=LIMIT_S):
        """What `condition` returns, as soon as that is true."""
        deadline = time.monotonic() + limit_s
        while True:
            try:
                result = condition()
            except GLib.Error:  # what it looked at has gone meanwhile
                result = None
            if result:
                return result
            if time.monotonic() > deadline:
                raise AssertionError(f"still waiting after {limit_s} s: {what() if callable(what) else what}")
            time.sleep(POLL_S)

    def maximize(self):
        """The window that has the focus."""
        self.press("alt+F10")
        self.wait(lambda: f"Geometry: {self.width}x{self.height}" in self.run("xdotool", "getactivewindow", "getwindowgeometry").stdout,
                  "the window has the whole screen")

    def press(self, *keys):
        self.run("xdotool", "key", "--clearmodifiers", *keys)

    def type(self, text):
        self.run("xdotool", "type", "--delay", "1", text)

    def picture(self, path):
        self.run("import", "-window", "root", "-depth", "8", "+dither", "-colors", "64", "png8:" + path)
        self.run("optipng", "-quiet", "-o5", "-strip", "all", path)


class App:
    """A program as assistive technologies see it. Atspi reads its environment once, so a process has one desktop."""

    def __init__(self, desktop, program, **environment):
        self.desktop = desktop
        self.process = desktop.start(program, **environment)
        self.root = desktop.wait(self.find_root, "the program is on the bus of assistive technologies")
        desktop.wait(lambda: self.find(lambda node: node.get_state_set().contains(Atspi.StateType.ACTIVE)), "its window has the focus")
        desktop.maximize()

    def find_root(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the program has ended with {self.process.returncode}")
        screen = Atspi.get_desktop(0)
        for i in range(screen.get_child_count()):
            child = screen.get_child_at_index(i)
            if child is not None and child.get_process_id() == self.process.pid:
                return child
        return None

    def close(self):
        self.process.terminate()
        self.process.wait(LIMIT_S)

    def nodes(self):
        """All that are visible, in their order."""
        return list(self.walk(self.root))

    def walk(self, node):
        try:
            node.clear_cache()
            for i in range(node.get_child_count()):
                child = node.get_child_at_index(i)
                if child is not None and child.get_state_set().contains(Atspi.StateType.VISIBLE):
                    yield child
                    yield from self.walk(child)
        except GLib.Error:  # it has gone meanwhile
            return

    def find(self, condition):
        for node in self.nodes():
            try:
                if condition(node):
                    return node
            except GLib.Error:
                pass
        return None

    def texts(self):
        """What the labels say."""
        return [name_of(node) for node in self.nodes() if node.get_role() == Atspi.Role.LABEL and name_of(node)]

    def named(self, name, role=None):
        return self.find(lambda node: name_of(node) == name and (role is None or node.get_role() == role))

    def wait_named(self, name, role=None):
        return self.desktop.wait(lambda: self.named(name, role), lambda: f"{name!r} among\n{self.dump()}")

    def wait_text(self, part):
        return self.desktop.wait(lambda: next((text for text in self.texts() if part in text), None),
                                 lambda: f"{part!r} among\n{self.dump()}")

    def focused(self):
        return self.find(lambda node: node.get_state_set().contains(Atspi.StateType.FOCUSED))

    def dump(self):
        return "\n".join(f"{node.get_role_name()}: {name_of(node)!r}" for node in self.nodes())


def name_of(node):
    """Empty when it has gone meanwhile."""
    try:
        return node.get_name() or ""
    except GLib.Error:
        return ""
