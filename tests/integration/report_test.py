"""llmctl report tells of the device, and nothing of whose it is: what could be known by is planted wherever the report looks, or
could look, and none of it comes. LLMD_BACKEND=opencl does the same on Mesa's llvmpipe, which stands for a phone's GPU."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import harness
from harness import BACKEND, ENGINE, LIMIT_S, LLAMA, LLMCTL, MARKER, MODELS
from terminal import Terminal

USER, HOST, FULL_NAME = "zwoelfender", "quappenbach", "Rotraut Immenkamp"
SERIAL, COMMAND_LINE = "9f3e77ab51c0", "androidboot.serialno=9f3e77ab51c0 quiet splash"
PRIVATE_MODEL = "lovelettergpt"
SECRETS = [MARKER, USER, HOST, "Rotraut", "Immenkamp", SERIAL, "androidboot", "splash", PRIVATE_MODEL, "Spittelmarkt"]
DEVICE = "OnePlus 6"
SHORT = ("--runs", "1", "--prompt-tokens", "16", "--generated-tokens", "4")

# All that a report may have; a number stands for any.
FIELDS = """llmctl llmd engine system kernel machine service_manager device compatible cpus memory memory_available swap opencl_N
    opencl_N_platform opencl_N_driver opencl_N_kind opencl_N_memory opencl_N_max_buffer opencl_N_usable opencl
    check_session_bus check_socket check_llmd check_service check_engine check_settings check_opencl check_rusticl check_render_node
    check_device_limits check_device check_model check_kernel_cache check_memory check_processor check_temperature check_power
    setting_backend setting_precision setting_threads setting_context_length setting_parallel setting_prefill_chunk
    setting_saved_prefix_mib setting_speculation setting_max_models setting_memory_mib
    model model_architecture model_weights model_size backend computes_on driver precision last_fault_cause memory_state heat_state
    heat_zone heat_celsius heat_limit_celsius power_state paused_requests context_length slots engine_restarts duty_cycle_percent
    weights keys_and_values engine_system_call_filters engine_resident started_by_unit service_memory
    prompt_tokens generated_tokens prefill_tokens_per_second decode_tokens_per_second first_token_ms measuring_failed""".split()


class Report(harness.TestCase):
    @classmethod
    def prepare(cls):
        environment = cls.bus.environment
        environment.update(HOME=cls.bus.path("home", USER), USER=USER, LOGNAME=USER, HOSTNAME=HOST)
        settings = 'backend = "cpu"\n'
        if BACKEND == "opencl":
            environment["RUSTICL_ENABLE"] = "llvmpipe"
            settings = 'backend = "opencl"\ndevice = "llvmpipe"\n'
        shutil.copyfile(os.path.join(MODELS, LLAMA + ".gguf"), cls.bus.path(f"data/llmd/models/{PRIVATE_MODEL}.gguf"))
        cls.bus.config(f'{settings}model = "{PRIVATE_MODEL}"\nthreads = 2\n')
        # Of the kernel's files all is ours but what is told of processes.
        cls.write("sysfs/firmware/devicetree/base/model", DEVICE + "\0")
        cls.write("sysfs/firmware/devicetree/base/compatible", "oneplus,enchilada\0qcom,sdm845\0")
        cls.write("sysfs/firmware/devicetree/base/serial-number", SERIAL + "\0")
        cls.write("sysfs/devices/soc0/serial_number", SERIAL + "\n")
        cls.write("proc/cmdline", COMMAND_LINE + "\n")
        cls.write("proc/cpuinfo", f"processor : 0\nSerial : {SERIAL}\n")
        cls.write("proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\nSwapTotal: 0 kB\n")

    @classmethod
    def write(cls, name, text):
        path = pathlib.Path(cls.bus.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def setUp(self):
        super().setUp()
        # An application has been there.
        text, _ = self.client.generate(f"{MARKER} lives in Spittelmarkt", max_tokens=8)
        self.texts.append(text)
        self.environment = dict(self.bus.environment, LLMD_PROCFS=self.bus.path("proc"))

    def report(self, *arguments, prefix=(), **changes):
        done = subprocess.run([*prefix, LLMCTL, "report", *SHORT, *arguments], env=dict(self.environment, **changes),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assert_tells_nothing(self, text):
        for secret in SECRETS:
            self.assertNotIn(secret.lower(), text.lower())
        self.assertNotRegex(text, r"[/@=\\]")

    def assert_is_whole(self, report):
        names = [re.sub(r"_\d+(?=_|$)", "_N", re.sub(r"^(check_.*)_reason$", r"\1", name)) for name in report]
        self.assertEqual([name for name in names if name not in FIELDS], [])
        self.assertEqual((report["device"], report["compatible"], report["memory"], report["setting_threads"]),
                         (DEVICE, "oneplus,enchilada qcom,sdm845", "7812 MiB", "2"))
        self.assertEqual((report["model"], report["model_architecture"], report["backend"]), ("another", "llama", BACKEND))
        self.assertRegex(report["decode_tokens_per_second"], r"^[1-9]\d*\.\d, deviation 0.0$")
        self.assertEqual(report["check_model"], "ok")
        if BACKEND == "opencl":
            self.assertIn("llvmpipe", report["computes_on"])

    def test_a_file_that_was_shown(self):
        file = self.bus.path("report.txt")
        shown = self.report(file)
        with open(file) as written:
            self.assertEqual(written.read(), shown)
        self.assertEqual(os.stat(file).st_mode & 0o777, 0o600)
        self.assert_tells_nothing(shown)
        self.assert_is_whole(dict(re.split(" {2,}", line, maxsplit=1) for line in shown.splitlines()))

    def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(self):
        there = self.write("there.txt", "kept")
        for file, why in (there, "File exists"), (self.bus.path("none/report.txt"), "No such file"), (f"{there}/x", "Not a directory"):
            refused = subprocess.run([LLMCTL, "report", *SHORT, file], env=self.environment, stdin=subprocess.DEVNULL,
                                     capture_output=True, text=True, timeout=LIMIT_S)
            self.assertEqual((refused.returncode, refused.stdout, why in refused.stderr), (1, "", True), refused.stderr)
        self.assertEqual(there.read_text(), "kept")

    def test_the_engine_of_this_system(self):
        """With the kernel's own files: only there is the engine's process found."""
        report = json.loads(self.report("--json", LLMD_PROCFS="/proc"))
        # Its own is one more than those that this process has, as in a container.
        with open("/proc/self/status") as status:
            ours = int(re.search(r"(?m)^Seccomp_filters:\s*(\d+)", status.read())[1])
        self.assertEqual(report["engine_system_call_filters"], str(ours + 1))
        self.assertRegex(report["engine_resident"], r"^\d+ MiB$")
        self.assert_tells_nothing(json.dumps(report))

    def on_a_host_called(self, name, passwd="/etc/passwd"):
        harness.require("mounts")
        namespaces = ["--mount", "--uts"] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps", "--mount", "--uts"]
        return ["unshare", *namespaces, "sh", "-ec", f'mount --bind "$1" /etc/passwd; hostname {name}; shift; exec "$@"', "sh", passwd]

    def test_a_user_and_a_host_of_these_names(self):
        """Names in texts that somebody else has chosen are left out, and so is a path."""
        harness.require("mounts")
        account = f"{USER}:x:{os.geteuid()}:{os.getegid()}:{FULL_NAME},,,:/home/{USER}:/bin/sh\n"
        passwd = self.write("passwd", account)
        becomes = self.on_a_host_called(HOST, passwd)
        device = {"platform": f"rusticl of {HOST}.local", "name": "FD630 of immenkamp", "driver": "/home/x/mesa", "gpu": True,
                  "memory_bytes": 4 << 30, "max_buffer_bytes": 2 << 30}
        answer = json.dumps({"devices": [device], "notes": []})
        asked = self.bus.path("asked")
        engine = self.write("engine", f"#!/bin/sh\necho \"$1\" >>{asked}\n"
                            f"[ \"$1\" != --devices ] || {{ echo '{answer}'; exit; }}\nexec {ENGINE} \"$@\"\n")
        engine.chmod(0o700)
        for name in "USER", "LOGNAME", "HOME":
            self.environment.pop(name)
        report = json.loads(self.report("--json", prefix=becomes, LLMD_ENGINE=str(engine)))
        self.assert_tells_nothing(json.dumps(report))
        self.assertEqual([report[name] for name in ("opencl_1", "opencl_1_platform", "opencl_1_driver")], ["(left out)"] * 3)
        self.assertEqual(report["opencl_1_memory"], "4096 MiB")
        self.assert_is_whole(report)
        with open(asked) as lines:  # drivers take seconds to answer
            self.assertEqual(sorted(line for line in lines if line in ("--devices\n", "--version\n")), ["--devices\n", "--version\n"])

    def test_what_is_called_so_for_everybody_stays(self):
        """postmarketOS calls the host as the device tree calls the device."""
        self.environment.update(USER="llama", LOGNAME="llama")
        self.assert_is_whole(json.loads(self.report("--json", prefix=self.on_a_host_called("enchilada"))))

    def test_at_a_terminal_one_is_asked_first(self):
        for answer, is_written in ("n\n", False), ("y\n", True):
            file = self.bus.path("asked.txt")
            terminal = Terminal(self, *SHORT, file, command="report", environment=self.environment)
            terminal.expect("measuring, run 1 of 1", "decode_tokens_per_second", "[y/N]")
            self.assertFalse(os.path.exists(file))
            terminal.type(answer)
            terminal.expect("written")
            self.assertEqual(terminal.process.wait(LIMIT_S), 0)
            self.assertEqual(os.path.exists(file), is_written)

    def test_without_llmd_the_rest_is_told(self):
        report = json.loads(self.report("--json", DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent", XDG_RUNTIME_DIR="/nonexistent"))
        self.assertEqual((report["measuring_failed"], report["device"], report["llmd"]), ("Unreachable", DEVICE, "not running"))
        self.assertEqual((report["check_session_bus"], report["check_session_bus_reason"]), ("warn", "there is no session bus"))
        self.assertEqual(report["check_llmd_reason"], "not running, and nothing starts it")
        self.assert_tells_nothing(json.dumps(report))


if __name__ == "__main__":
    harness.main()
