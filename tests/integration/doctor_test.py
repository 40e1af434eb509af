"""llmctl doctor on devices that lack something: each check sees what it is for, and nothing else does."""
import contextlib
import json
import os
import pathlib
import subprocess
import threading
import unittest

import harness
from harness import ENGINE, LIMIT_S, LLMCTL, PHONE

GPU = {"platform": "rusticl", "name": "FD630", "driver": "26.1.6", "gpu": True, "memory_bytes": 4 << 30,
       "max_buffer_bytes": 2 << 30}
# What is so where the test runs, whatever it sets.
THIS_MACHINES = ("service", "render node")
CPU_DEVICE = dict(GPU, platform="Portable Computing Language", name="pthread", gpu=False)


class Doctor(unittest.TestCase):
    def setUp(self):
        self.bus = harness.PrivateBus()
        self.addCleanup(self.bus.close)
        self.bus.as_installed()
        os.remove(self.bus.path("config/llmd/llmd.toml"))
        with open(self.bus.path("services/llmd.service"), "w") as file:
            file.write(f"[D-BUS Service]\nName={harness.NAME}\nExec=/bin/false\n")
        self.bus.restart()
        self.write("proc/meminfo", "MemTotal: 4000000 kB\nMemAvailable: 2000000 kB\nSwapTotal: 0 kB\n")
        self.bus.environment.update(LLMD_PROCFS=self.bus.path("proc"), LLMD_ENGINE=self.bus.path("engine"))
        self.engine()

    def write(self, path, text):
        path = pathlib.Path(self.bus.path(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def engine(self, devices="echo '{\"devices\":[],\"notes\":[]}'"):
        """In place of the real one, which it calls for all but the devices."""
        self.write("engine", f'#!/bin/sh\n[ "$1" != --devices ] || {{ {devices}; exit; }}\nexec {ENGINE} "$@"\n').chmod(0o700)

    def offer(self, *devices, **rest):
        self.engine("echo '" + json.dumps(dict(rest, devices=devices, notes=[])) + "'")

    def doctor(self, fails=(), warns=()):
        """The checks by name; those named, and no others, are no success."""
        done = subprocess.run([LLMCTL, "doctor", "--json"], env=self.bus.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual(done.stderr, "")
        report = json.loads(done.stdout)
        checks = {check["name"]: check for check in report["checks"]}
        bad = {name: check["state"] for name, check in checks.items() if check["state"] != "ok" and name not in THIS_MACHINES}
        self.assertEqual(bad, dict.fromkeys(fails, "fail") | dict.fromkeys(warns, "warn"), report)
        failed = any(check["state"] == "fail" for check in checks.values())
        self.assertEqual((done.returncode, report["ok"]), (1, False) if failed else (0, True))
        return checks

    def test_a_device_without_opencl_is_well(self):
        checks = self.doctor()
        self.assertEqual(list(checks), ["session bus", "socket", "llmd", "service", "engine", "settings", "OpenCL", "Rusticl",
                                        "render node", "device limits", "device", "model", "kernel cache", "memory", "processor",
                                        "temperature", "power"])
        self.assertIn("no platform; llmd computes on the CPU", checks["OpenCL"]["text"])
        self.assertIn(PHONE, checks["model"]["text"])
        self.assertIn("the bus starts it", checks["llmd"]["text"])
        lines = subprocess.run([LLMCTL, "doctor"], env=self.bus.environment, capture_output=True, text=True).stdout
        self.assertEqual(len(lines.splitlines()), len(checks))
        self.assertRegex(lines, r"(?m)^ok    session bus    it starts llmd")

    def test_the_real_engine_lists_what_there_is(self):
        self.bus.environment["LLMD_ENGINE"] = ENGINE
        self.doctor()

    def test_a_daemon_that_runs_is_seen(self):
        daemon = harness.Daemon(self.bus)
        self.addCleanup(daemon.stop)
        checks = self.doctor()
        self.assertRegex(checks["llmd"]["text"], r"^version [\d.]+ is running$")
        self.assertEqual(checks["socket"]["text"], self.bus.path("runtime/llmd/llmd.sock"))
        os.chmod(self.bus.path("runtime/llmd/llmd.sock"), 0o666)
        self.assertEqual(self.doctor(warns=["socket"])["socket"]["fix"], "chmod 600 " + self.bus.path("runtime/llmd/llmd.sock"))
        os.remove(self.bus.path("runtime/llmd/llmd.sock"))
        self.doctor(fails=["socket", "llmd"])

    def test_nobody_to_start_llmd(self):
        os.remove(self.bus.path("services/llmd.service"))
        self.bus.restart()
        checks = self.doctor(fails=["llmd"], warns=["session bus", "socket"])
        self.assertRegex(checks["llmd"]["fix"], "systemctl|rc-service|/llmd$")
        self.bus.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent"
        self.doctor(fails=["llmd"], warns=["session bus", "socket"])
        del self.bus.environment["XDG_RUNTIME_DIR"]
        self.assertIn("export XDG_RUNTIME_DIR=", self.doctor(fails=["llmd", "socket"], warns=["session bus"])["socket"]["fix"])

    def test_drivers_that_die_harm_nobody(self):
        self.engine("kill -SEGV $$")
        self.assertIn("signal 11", self.doctor(warns=["OpenCL"])["OpenCL"]["text"])
        self.engine("exit 3")
        self.assertIn("status 3", self.doctor(warns=["OpenCL"])["OpenCL"]["text"])
        self.engine("echo nonsense")
        self.doctor(warns=["OpenCL"])
        self.write("config/llmd/llmd.toml", 'backend = "opencl"\n')
        self.doctor(fails=["OpenCL"])
        self.write("config/llmd/llmd.toml", 'backend = "cpu"\n')
        self.doctor()

    def test_devices_and_their_limits(self):
        self.offer(CPU_DEVICE, GPU)
        checks = self.doctor()
        self.assertIn("FD630 (rusticl, driver 26.1.6): 4.3 GB of memory, 2.1 GB in one piece", checks["device limits"]["text"])
        self.offer(dict(GPU, max_buffer_bytes=64 << 20))
        self.doctor(warns=["device limits"])
        self.offer(dict(GPU, error="CL_DEVICE_MAX_WORK_GROUP_SIZE is 32, less than 64"))
        self.assertIn("is 32", self.doctor(warns=["device limits"])["device limits"]["text"])
        self.offer(CPU_DEVICE)
        self.assertIn("no GPU among pthread", self.doctor()["OpenCL"]["text"])
        self.write("config/llmd/llmd.toml", 'device = "adreno"\n')
        self.doctor(fails=["OpenCL"])
        self.offer(dict(GPU, name="Adreno 630"))
        self.doctor()

    def test_the_device_is_the_one_that_the_engine_takes(self):
        self.offer(dict(CPU_DEVICE, name="Intel Xeon"), dict(GPU, name="Intel Arc"))
        for settings in "", 'device = "intel"\n', 'backend = "opencl"\n', 'backend = "opencl"\ndevice = "intel"\n':
            self.write("config/llmd/llmd.toml", settings)
            self.assertRegex(self.doctor()["device limits"]["text"], "^Intel Arc ", settings)
        self.write("config/llmd/llmd.toml", 'backend = "opencl"\ndevice = "xeon"\n')
        self.assertRegex(self.doctor()["device limits"]["text"], "^Intel Xeon ")
        self.write("config/llmd/llmd.toml", 'device = "xeon"\n')  # with backend = "auto", which takes GPUs only
        self.assertIn('no GPU named like "xeon" among', self.doctor(fails=["OpenCL"])["OpenCL"]["text"])
        self.write("config/llmd/llmd.toml", "")
        self.offer(dict(GPU, name="Mali", error="no fp32"), dict(GPU, name="Arc"))  # and the next when one cannot be used
        self.assertRegex(self.doctor()["device limits"]["text"], "^Arc ")

    def test_advice_about_settings_does_not_spoil_them(self):
        self.engine("exit 3")
        file = self.bus.path("config/llmd/llmd.toml")
        os.rmdir(os.path.dirname(file))
        fix = self.doctor(warns=["OpenCL"])["OpenCL"]["fix"]
        self.assertEqual(fix, "llmctl config set backend cpu")
        subprocess.run([LLMCTL, *fix.split()[1:]], env=self.bus.environment, check=True, timeout=LIMIT_S)
        self.assertIn('not used: backend = "cpu"', self.doctor()["OpenCL"]["text"])
        subprocess.run([LLMCTL, "config", "unset", "backend"], env=self.bus.environment, check=True, timeout=LIMIT_S)
        for text, fails in ('backend = "auto"\n', []), ("threads = 2\n", []), ("threads = many\n", ["settings"]):
            self.write("config/llmd/llmd.toml", text)
            checks = self.doctor(fails=fails, warns=["OpenCL"])
            for name in fails:
                self.assertEqual(checks[name]["fix"], "llmctl config edit")

    def test_an_installation_with_parts_missing(self):
        self.bus.environment["LLMD_ENGINE"] = self.bus.path("no-engine")
        self.assertIn("did not start", self.doctor(fails=["engine", "model"], warns=["OpenCL"])["engine"]["text"])

    def test_settings_that_cannot_be_read(self):
        self.write("config/llmd/llmd.toml", "threads = many\n")
        self.assertIn("llmd.toml", self.doctor(fails=["settings"])["settings"]["text"])

    def test_models(self):
        self.write("config/llmd/llmd.toml", 'model = "none-such"\n')
        check = self.doctor(fails=["model"])["model"]
        self.assertIn('"none-such"', check["text"])
        self.assertEqual(check["fix"], "llmctl default " + PHONE)
        self.write("config/llmd/llmd.toml", 'model = "damaged"\n')
        self.write("data/llmd/models/damaged.gguf", "GGUF, but not really")
        self.doctor(fails=["model"])
        os.remove(self.bus.path("data/llmd/models/damaged.gguf"))
        os.remove(self.bus.path("config/llmd/llmd.toml"))
        self.bus.environment["LLMD_MODEL_PATH"] = ""
        if "there is none" in self.doctor_text("model"):  # no installation has one
            self.assertEqual(self.doctor(fails=["model"])["model"]["fix"], "llmctl import FILE.gguf")

    def checks(self):
        done = subprocess.run([LLMCTL, "doctor", "--json"], env=self.bus.environment, capture_output=True, text=True)
        return json.loads(done.stdout)["checks"]

    def doctor_text(self, name):
        return next(check["text"] for check in self.checks() if check["name"] == name)

    def test_memory_heat_and_power(self):
        self.write("proc/meminfo", "MemAvailable: 100000 kB\nSwapTotal: 1000 kB\nSwapFree: 500 kB\n")
        self.assertIn("0.5 MB of swap free", self.doctor(warns=["memory"])["memory"]["text"])
        self.write("proc/meminfo", "MemAvailable: 2000000 kB\n")
        self.write("proc/pressure/memory", "some avg10=42.30 avg60=1.00 avg300=0.00 total=1\n")
        self.assertIn("42 %", self.doctor(warns=["memory"])["memory"]["text"])
        os.remove(self.bus.path("proc/pressure/memory"))
        zone = "sysfs/class/thermal/thermal_zone0/"
        for name, text in {"type": "cpu0-thermal", "temp": "40000", "trip_point_0_temp": "75000",
                           "trip_point_0_type": "passive"}.items():
            self.write(zone + name, text + "\n")
        self.assertIn("cpu0-thermal has 40 °C", self.doctor()["temperature"]["text"])
        self.write(zone + "temp", "73000\n")
        self.doctor(warns=["temperature"])
        self.write(zone + "temp", "40000\n")
        for name, text in {"type": "Battery", "capacity": "12", "status": "Discharging"}.items():
            self.write("sysfs/class/power_supply/battery/" + name, text + "\n")
        self.assertIn("battery 12 %, Discharging", self.doctor(warns=["power"])["power"]["text"])
        self.write("sysfs/class/power_supply/battery/status", "Charging\n")
        self.doctor()

    def test_programs_that_load_the_processor(self):
        for idle, warns, text in ((100, ["processor"], "other programs keep 1.5 of 2 CPUs busy; answers take longer meanwhile"),
                                  (2700, [], "other programs keep 0.2 of 2 CPUs busy")):
            with self.busy_cpus(300, idle):
                self.assertTrue(self.doctor(warns=warns)["processor"]["text"].startswith(text))

    @contextlib.contextmanager
    def busy_cpus(self, busy, idle):
        """Two, of which the kernel tells that so much is done, and so much left, as time passes."""
        done = threading.Event()

        def count():
            n = 0
            while not done.is_set():
                n += 1
                self.write("proc/stat.new", f"cpu  {n * busy} 0 0 {n * idle} 0 0 0 0 0 0\ncpu0 1\ncpu1 1\nintr 1\n")
                os.replace(self.bus.path("proc/stat.new"), self.bus.path("proc/stat"))

        counting = threading.Thread(target=count)
        self.write("proc/stat", "")
        counting.start()
        try:
            yield
        finally:
            done.set()
            counting.join()

    def test_a_cache_that_cannot_be_written(self):
        self.bus.environment["XDG_CACHE_HOME"] = str(self.write("no-folder", "")) + "/cache"
        self.assertIn("no-folder cannot be written", self.doctor(warns=["kernel cache"])["kernel cache"]["text"])


if __name__ == "__main__":
    harness.main()
