"""A system bus of the test's own, with logind, UPower, power-profiles-daemon, NetworkManager and ModemManager as far as llmd
knows them, and the files of a kernel: what a desktop tells llmd about the device. Python bindings only; nothing of the machine is touched."""
import os
import subprocess

from gi.repository import Gio, GLib

from harness import LIMIT_S

BUS_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={address}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{services}</servicedir>
  <policy context="default">
    <allow user="*"/><allow send_destination="*" eavesdrop="false"/><allow receive_sender="*"/><allow own="*"/>
  </policy>
</busconfig>
"""

# Whoever starts one of these has asked for a service that is not there.
ACTIVATION = """[D-BUS Service]
Name={name}
Exec=/bin/sh -c 'touch {mark}; exit 1'
User=root
"""

LOGIN = "org.freedesktop.login1"
UPOWER = "org.freedesktop.UPower"
PROFILES = "org.freedesktop.UPower.PowerProfiles"
LEGACY_PROFILES = "net.hadess.PowerProfiles"
NETWORK_MANAGER = "org.freedesktop.NetworkManager"
MODEM_MANAGER = "org.freedesktop.ModemManager1"
MODEM_3GPP = "org.freedesktop.ModemManager1.Modem.Modem3gpp"
SERVICES = (LOGIN, UPOWER, PROFILES, LEGACY_PROFILES, NETWORK_MANAGER, MODEM_MANAGER)

LOGIN_XML = """<node><interface name="org.freedesktop.login1.Manager">
  <method name="Inhibit"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="h" direction="out"/></method>
  <signal name="PrepareForSleep"><arg type="b"/></signal>
</interface></node>"""
UPOWER_XML = """<node><interface name="org.freedesktop.UPower">
  <property name="OnBattery" type="b" access="read"/></interface></node>"""
DEVICE_XML = """<node><interface name="org.freedesktop.UPower.Device">
  <property name="WarningLevel" type="u" access="read"/></interface></node>"""
NETWORK_XML = """<node><interface name="org.freedesktop.NetworkManager">
  <property name="Metered" type="u" access="read"/><property name="State" type="u" access="read"/>
  <property name="PrimaryConnectionType" type="s" access="read"/>
  <property name="PrimaryConnection" type="o" access="read"/></interface></node>"""
OBJECTS_XML = """<node><interface name="org.freedesktop.DBus.ObjectManager">
  <method name="GetManagedObjects"><arg type="a{oa{sa{sv}}}" direction="out"/></method></interface></node>"""
MODEM_XML = """<node><interface name="org.freedesktop.ModemManager1.Modem.Modem3gpp">
  <property name="RegistrationState" type="u" access="read"/></interface></node>"""
PROFILES_XML = """<node><interface name="{name}">
  <property name="ActiveProfile" type="s" access="read"/></interface></node>"""


class SystemBus:
    """A dbus-daemon on which nobody is yet, and which could start each of the services."""

    def __init__(self, bus):
        self.bus = bus
        self.path = bus.path("system-bus")
        services = bus.path("system-services")
        os.makedirs(services)
        for name in SERVICES:
            with open(os.path.join(services, name + ".service"), "w") as file:
                file.write(ACTIVATION.format(name=name, mark=self.mark(name)))
        with open(bus.path("system-bus.conf"), "w") as file:
            file.write(BUS_CONFIG.format(address=self.path, services=services))
        self.daemon = subprocess.Popen(
            ["dbus-daemon", "--config-file", bus.path("system-bus.conf"), "--nofork", "--print-address"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=bus.environment, text=True)
        self.address = self.daemon.stdout.readline().strip()
        bus.environment["DBUS_SYSTEM_BUS_ADDRESS"] = self.address

    def mark(self, name):
        return self.bus.path("started-" + name)

    def started(self):
        """The services that somebody has tried to start."""
        return [name for name in SERVICES if os.path.exists(self.mark(name))]

    def close(self):
        self.daemon.terminate()
        self.daemon.wait(LIMIT_S)
        self.daemon.stdout.close()


class Service:
    """One program on the system bus that owns one name. It answers while the test runs its main context."""

    def __init__(self, system_bus, name):
        self.name = name
        flags = Gio.DBusConnectionFlags
        self.connection = Gio.DBusConnection.new_for_address_sync(
            system_bus.address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)
        self.connection.set_exit_on_close(False)

    def export(self, path, xml, on_call=None, properties=None):
        def get(_connection, _sender, _path, _interface, name):
            return properties[name]
        self.connection.register_object(path, Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0], on_call, get, None)

    def appear(self):
        self.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                                  GLib.Variant("(su)", (self.name, 0)), None, Gio.DBusCallFlags.NONE, -1, None)

    def change(self, path, interface, properties, name, value):
        properties[name] = value
        self.connection.emit_signal(None, path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                                    GLib.Variant("(sa{sv}as)", (interface, {name: value}, [])))

    def close(self):
        if not self.connection.is_closed():
            self.connection.close_sync(None)


class Login(Service):
    """logind: gives inhibitors as pipes, whose other ends tell who still holds one."""

    def __init__(self, system_bus):
        super().__init__(system_bus, LOGIN)
        self.inhibitors = []  # (arguments, read end)
        self.export("/org/freedesktop/login1", LOGIN_XML, self._on_call)
        self.appear()

    def _on_call(self, _connection, _sender, _path, _interface, _method, arguments, invocation):
        read_end, write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        fds = Gio.UnixFDList.new()
        fds.append(write_end)
        os.close(write_end)
        self.inhibitors.append((arguments.unpack(), read_end))
        invocation.return_value_with_unix_fd_list(GLib.Variant("(h)", (0,)), fds)

    def n_held(self):
        """Inhibitors that nobody has closed."""
        n = 0
        for _, read_end in self.inhibitors:
            try:
                n += os.read(read_end, 1) != b""
            except BlockingIOError:
                n += 1
        return n

    def prepare_for_sleep(self, sleeps):
        self.connection.emit_signal(None, "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
                                    "PrepareForSleep", GLib.Variant("(b)", (sleeps,)))

    def close(self):
        super().close()
        while self.inhibitors:
            os.close(self.inhibitors.pop()[1])


class UPower(Service):
    PATH = "/org/freedesktop/UPower"
    DEVICE = PATH + "/devices/DisplayDevice"

    def __init__(self, system_bus, on_battery=False, warning=1):
        super().__init__(system_bus, UPOWER)
        self.properties = {"OnBattery": GLib.Variant("b", on_battery)}
        self.device = {"WarningLevel": GLib.Variant("u", warning)}
        self.export(self.PATH, UPOWER_XML, properties=self.properties)
        self.export(self.DEVICE, DEVICE_XML, properties=self.device)
        self.appear()

    def set_on_battery(self, on_battery):
        self.change(self.PATH, UPOWER, self.properties, "OnBattery", GLib.Variant("b", on_battery))

    def set_warning(self, level):
        self.change(self.DEVICE, UPOWER + ".Device", self.device, "WarningLevel", GLib.Variant("u", level))


class PowerProfiles(Service):
    def __init__(self, system_bus, name):
        super().__init__(system_bus, name)
        self.path = "/" + name.replace(".", "/")
        self.properties = {"ActiveProfile": GLib.Variant("s", "balanced")}
        self.export(self.path, PROFILES_XML.format(name=name), properties=self.properties)
        self.appear()

    def choose(self, profile):
        self.change(self.path, self.name, self.properties, "ActiveProfile", GLib.Variant("s", profile))


class NetworkManager(Service):
    """On Wi-Fi that is guessed not to be metered, unless it is told otherwise."""

    PATH = "/org/freedesktop/NetworkManager"
    METERED, NOT_METERED, UNKNOWN = 1, 4, 0

    def __init__(self, system_bus, metered=NOT_METERED, type="802-11-wireless"):
        super().__init__(system_bus, NETWORK_MANAGER)
        self.n_joined = 1
        self.properties = {"Metered": GLib.Variant("u", metered), "State": GLib.Variant("u", 70),
                           "PrimaryConnectionType": GLib.Variant("s", type), "PrimaryConnection": self._connection()}
        self.export(self.PATH, NETWORK_XML, properties=self.properties)
        self.appear()

    def _connection(self):
        return GLib.Variant("o", f"{self.PATH}/ActiveConnection/{self.n_joined}")

    def set_metered(self, metered):
        self.change(self.PATH, self.name, self.properties, "Metered", GLib.Variant("u", metered))

    def join(self, type="802-11-wireless"):
        """Another network, of this kind ("gsm": a modem's)."""
        self.n_joined += 1
        self.change(self.PATH, self.name, self.properties, "PrimaryConnectionType", GLib.Variant("s", type))
        self.change(self.PATH, self.name, self.properties, "PrimaryConnection", self._connection())


class ModemManager(Service):
    """With one modem."""

    PATH = "/org/freedesktop/ModemManager1"
    MODEM = PATH + "/Modem/0"
    HOME, ROAMING = 1, 5

    def __init__(self, system_bus, registration=HOME):
        super().__init__(system_bus, MODEM_MANAGER)
        self.properties = {"RegistrationState": GLib.Variant("u", registration)}
        self.export(self.PATH, OBJECTS_XML, self._on_call)
        self.export(self.MODEM, MODEM_XML, properties=self.properties)
        self.appear()

    def _on_call(self, _connection, _sender, _path, _interface, _method, _arguments, invocation):
        objects = {self.MODEM: {MODEM_3GPP: self.properties}}
        invocation.return_value(GLib.Variant("(a{oa{sa{sv}}})", (objects,)))

    def register(self, registration):
        self.change(self.MODEM, MODEM_3GPP, self.properties, "RegistrationState", GLib.Variant("u", registration))


class Thermal:
    """One zone below a sysfs of the test's own."""

    def __init__(self, sysfs, passive=90, hot=105):
        self.folder = os.path.join(sysfs, "class/thermal/thermal_zone0")
        os.makedirs(self.folder)
        self._write("type", "cpu-thermal")
        for number, (kind, limit) in enumerate((("passive", passive), ("hot", hot))):
            self._write(f"trip_point_{number}_type", kind)
            self._write(f"trip_point_{number}_temp", limit * 1000)
        self.set(40)

    def _write(self, name, value):
        # In one piece: llmd may read it at any time.
        path = os.path.join(self.folder, name)
        with open(path + ".new", "w") as file:
            file.write(f"{value}\n")
        os.rename(path + ".new", path)

    def set(self, celsius):
        self._write("temp", int(celsius * 1000))
