"""llmctl against the real daemon: clean pipes, exit codes, Ctrl-C, and what it says when nobody answers."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import termios
import unittest

import harness
from harness import LIMIT_S, LLAMA, LLMCTL, MARKER
from terminal import read_terminal

PROMPT = f"Once upon a time {MARKER}"
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")


def llmctl(bus, *arguments, stdin=b""):
    return subprocess.run([LLMCTL, *arguments], input=stdin, env=bus.environment, capture_output=True, timeout=LIMIT_S)


def write_program(path, script):
    """A shell script."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o755)) as file:
        file.write(f"#!/bin/sh\n{script}\n")


class Llmctl(harness.TestCase):
    def ctl(self, *arguments, stdin=b"", code=0):
        done = llmctl(self.bus, *arguments, stdin=stdin)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def test_a_pipe_gets_text_and_nothing_else(self):
        done = self.ctl("generate", "--model", LLAMA, "--max-tokens", "40", "--temperature", "0", PROMPT)
        text, _ = self.client.generate(PROMPT, model=LLAMA, max_tokens=40, temperature=0.0)
        self.texts.append(text)
        self.assertEqual(done.stdout.decode(), text)
        self.assertIsNone(CONTROL.search(done.stdout))
        self.assertEqual(done.stderr, b"")

    def test_options_and_input_reach_the_daemon(self):
        sampled = ("--seed", "5", "--top-k", "20", "--top-p", "0.9", "--min-p", "0.01", "--repeat-penalty", "1.1",
                   "--max-tokens", "20")
        text, _ = self.client.generate(f"{MARKER}\nand then", seed=5, top_k=20, top_p=0.9, min_p=0.01, repeat_penalty=1.1,
                                       max_tokens=20)
        self.assertEqual(self.ctl("generate", *sampled, MARKER, stdin=b"and then\n").stdout.decode(), text)
        self.assertEqual(self.ctl("generate", *sampled, stdin=f"{MARKER}\nand then\n".encode()).stdout.decode(), text)
        echoed = self.ctl("generate", *sampled, "--echo", f"{MARKER}\nand then").stdout.decode()
        self.assertEqual(echoed, f"{MARKER}\nand then{text}")

    def test_json_is_one_object(self):
        for arguments, key in ((("generate", "--max-tokens", "3", PROMPT), "text"), (("status",), "state"),
                               (("models",), "models"), (("tokenize", PROMPT), "ids"), (("load", LLAMA), "ok"),
                               (("cancel", "--all"), "ok"), (("queue",), "requests"), (("unload",), "ok"), (("version",), "llmd")):
            for words in (*arguments, "--json"), ("--json", *arguments):
                with self.subTest(words=words[:2]):
                    self.assertIn(key, json.loads(self.ctl(*words).stdout))
        failed = self.ctl("generate", "--json", "--model", "no-such", PROMPT, code=4)
        self.assertEqual(json.loads(failed.stdout)["error"]["name"], "ModelNotFound")

    def test_exit_codes(self):
        self.ctl("generate", "--temperature", "-1", PROMPT, code=2)
        self.ctl("generate", "--max-tokens", "1048577", PROMPT, code=2)
        self.assertEqual(self.ctl("generate", "--max-tokens", "0", PROMPT).stdout, b"")
        self.ctl("generate", "--model", "no-such", PROMPT, code=4)
        self.ctl("generate", "once " * 5000, code=7)
        self.ctl("generate", stdin=b"x " * 40000, code=7)
        self.ctl("cancel", "1_1/nobody", code=1)
        self.assertIn(b"temperature", self.ctl("generate", "--temperature", "11", PROMPT, code=2).stderr)

    def test_invalid_utf8_is_refused_before_it_is_sent(self):
        done = self.ctl("generate", stdin=b"abc\xff", code=2)
        self.assertIn(b"byte 3", done.stderr)
        done = self.ctl("generate", b"ab\xc3", code=2)
        self.assertIn(b"byte 2", done.stderr)
        self.ctl("generate", stdin=b"a\0b", code=2)
        folder = os.path.join(os.fsencode(self.bus.path("runtime")), b"\xff")
        os.makedirs(folder)
        done = subprocess.run([LLMCTL, "load", "./model.gguf"], cwd=folder, env=self.bus.environment,
                              capture_output=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"UTF-8", done.stderr)

    def test_a_refusal_is_one_line_that_names_the_option(self):
        for arguments, words in ((("generate", "--temperature", "11", PROMPT), "--temperature: expected a number from 0 to 10, got 11"),
                                 (("generate", "--max-tokens", "1048577", PROMPT), "--max-tokens: expected"),
                                 (("generate", "--stop", "", PROMPT), "--stop: "),
                                 (("generate", "--model", "/a.gguf", PROMPT), "llmctl load"),
                                 (("generate", "--loud", PROMPT), "llmctl generate --help"),
                                 (("load", ""), "llmctl load --help"), (("cancel", "!"), "llmctl queue")):
            with self.subTest(arguments=arguments[:3]):
                lines = self.ctl(*arguments, code=2).stderr.decode().splitlines()
                self.assertEqual(len(lines), 1)
                self.assertTrue(lines[0].startswith("llmctl: "))
                self.assertIn(words, lines[0])

    def test_a_prompt_of_any_length_is_answered(self):
        for size, words in ((65537, b"maximum context length is 512 tokens"), (4 << 20, b"more than 4194304 bytes")):
            self.assertIn(words, self.ctl("generate", "--model", LLAMA, stdin=b"a" * size, code=7).stderr)

    def test_a_closed_standard_output_is_an_error(self):
        for arguments in (("status",), ("generate", "--max-tokens", "2", PROMPT)):
            done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', LLMCTL, *arguments], stdin=subprocess.DEVNULL,
                                  env=self.bus.environment, capture_output=True, timeout=LIMIT_S)
            self.assertEqual((done.returncode, done.stderr), (1, b"llmctl: standard output: Bad file descriptor\n"))

    def test_an_error_that_nobody_can_be_told_is_a_code(self):
        for arguments, code in ((("status",), 1), (("foo",), 2), (("load", "none"), 4)):
            done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >/dev/full 2>&1', LLMCTL, *arguments],
                                  env=self.bus.environment, timeout=LIMIT_S)
            self.assertEqual(done.returncode, code, arguments)

    def test_what_a_file_holds_is_refused_by_its_name(self):
        file = self.bus.path("runtime/an.json")
        for arguments, key in (("generate", "--json-schema", file, PROMPT), "json_schema"), (("chat", "--tools", file), "tools"):
            for text in '{"type": ', '{"type": "strin"}':
                with open(file, "w") as out:
                    out.write(text)
                done = self.ctl(*arguments, stdin=PROMPT.encode() + b"\n", code=2)
                self.assertTrue(done.stderr.startswith(f"llmctl: {arguments[1]}: {file}: ".encode()), done.stderr)
                refused = json.loads(self.ctl("--json", *arguments, stdin=PROMPT.encode() + b"\n", code=2).stdout)
                self.assertTrue(refused["error"]["message"].startswith(f"{key}: {file}: "), refused)
        self.assertIn(b"--temperature: expected", self.ctl("chat", "--temperature", "11", stdin=b"Hello.\n", code=2).stderr)

    def test_a_model_that_cannot_be_used_says_why_in_the_list(self):
        self.add_broken_model()
        self.assertRegex(self.ctl("models").stdout.decode(), r"(?m)^ +broken +unusable: .*not a GGUF file")

    def test_tables_for_people(self):
        self.ctl("load", LLAMA)
        models = self.ctl("models").stdout.decode()
        self.assertRegex(models, rf"\* +{LLAMA} +llama +Q4_0 .* no chat template")
        self.assertNotIn("is loaded", models)
        self.assertRegex(self.on_a_terminal("models"), r"(?m)^\* is loaded; 'llmctl unload' gives its memory back\r?$")
        status = self.ctl("status").stdout.decode()
        self.assertRegex(status, rf"(?m)^Model +{LLAMA}$")
        self.assertRegex(status, rf"(?m)^Device +.*\({harness.BACKEND}\)$")
        self.ctl("generate", "--max-tokens", "3", PROMPT)
        status = self.ctl("status").stdout.decode()
        figures = self.client.status()
        for name, unit, key in (("Waiting", "ms", "queue_ms"), ("First word", "ms", "prefill_ms"), ("Speed", "tokens/s", "decode_tps")):
            told = re.search(rf"(?m)^{name} +([\d.]+) {unit}(?:, of one request| on average of (\d+) requests)(?:, from the .*)?$",
                             status)
            count = figures[f"{key}_count"]
            self.assertEqual(int(told[2] or 1), count)
            self.assertAlmostEqual(float(told[1]), figures[f"{key}_sum"] / count, delta=0.51)
        self.assertRegex(status, r"(?m)^Cache +[\d.]+ MB of the context memory keep the beginnings of earlier prompts, and [\d.]+ MB are "
                         r"used by requests that run now(; \d+ requests? began like an earlier prompt, so that \d+ tokens? did not have "
                         r"to be computed again)?$")
        ids = self.ctl("tokenize", PROMPT).stdout.split()
        self.assertTrue(all(word.isdigit() for word in ids))

    def start(self, *options, **how):
        """A long generation."""
        process = subprocess.Popen([LLMCTL, "generate", "--max-tokens", "400", "--model", LLAMA, *options, PROMPT],
                                   env=dict(self.bus.environment, TERM="xterm"), stdin=subprocess.DEVNULL, bufsize=0, **how)
        self.addCleanup(process.wait, LIMIT_S)
        return process

    def last_ending(self):
        self.client.wait(lambda: not self.client.requests(), "the request to end")
        return re.findall(r"request \d+ ended: (\w+)", self.daemon.log())[-1]

    def test_ctrl_c_cancels_and_exits_130(self):
        process = self.start(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(process.stdout.read(1))
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(errors, b"")
        self.assertEqual(self.last_ending(), "cancelled")

    def test_ctrl_c_with_json_prints_the_text_so_far(self):
        self.client.load(LLAMA)
        with self.daemon.held_engine():  # so that it cannot have finished
            process = self.start("--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)

            def takes_interrupts():
                with open(f"/proc/{process.pid}/status") as status:
                    blocked = next(line.split()[1] for line in status if line.startswith("SigBlk:"))
                return int(blocked, 16) >> (signal.SIGINT - 1) & 1

            # Before it has a request to cancel, Ctrl-C just ends it.
            self.client.wait(takes_interrupts, "llmctl to wait for text and for Ctrl-C")
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual((process.returncode, errors), (130, b""))
        result = json.loads(out)
        self.assertEqual(result["finish_reason"], "cancelled")
        self.assertIn("text", result)

    def test_ctrl_c_does_not_wait_for_a_daemon_that_hangs(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        self.client.load(LLAMA)
        with self.daemon.held_engine():
            process = self.start(stdout=subprocess.DEVNULL, stderr=theirs)  # a terminal: progress is asked for
            os.close(theirs)
            self.client.wait(lambda: select.select([ours], [], [], 0)[0], "the progress line")
            self.daemon.process.send_signal(signal.SIGSTOP)
            try:
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(LIMIT_S / 8), 130)  # llmctl's calls wait for up to LIMIT_S
            finally:
                self.daemon.process.send_signal(signal.SIGCONT)
        self.assertEqual(self.last_ending(), "cancelled")

    def test_two_at_once_get_the_text_that_each_gets_alone(self):
        arguments = [LLMCTL, "generate", "--model", LLAMA, "--max-tokens", "60", "--seed", "3"]
        prompts = (PROMPT, f"The old king {MARKER}")
        both = [subprocess.Popen([*arguments, prompt], env=self.bus.environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE) for prompt in prompts]
        texts = [process.communicate(timeout=LIMIT_S)[0] for process in both]
        self.assertEqual(texts, [self.ctl(*arguments[1:], prompt).stdout for prompt in prompts])

    def on_a_terminal(self, command, columns=80):
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, columns))
        subprocess.run([LLMCTL, command], stdin=subprocess.DEVNULL, stdout=theirs, env=self.bus.environment, check=True,
                       timeout=LIMIT_S)
        os.close(theirs)
        return read_terminal(ours)

    def test_status_fits_the_terminal(self):
        self.ctl("load", LLAMA)
        out = self.on_a_terminal("status", columns=40)
        self.assertIn("Device", out)
        label = 10
        # A word is never broken, however long a driver makes a device's name.
        for line in out.splitlines():
            self.assertTrue(len(line) <= 40 or " " not in line[label:].strip(), line)

    def test_the_queue_shows_whose_turn_is_when(self):
        self.client.load(LLAMA)
        self.assertEqual(self.ctl("queue").stdout, b"There is no request.\n")
        with self.daemon.held_engine():
            fds = [self.client.stream(PROMPT, priority="background", max_tokens=400, handle_token=f"b{i}")[1]
                   for i in range(4)]
            self.client.wait(lambda: [r["state"] for r in self.client.requests()] == ["prefill"] * 4, "four places taken")
            others = self.bus.connect()
            fds.append(others.stream(PROMPT, priority="interactive", max_tokens=4, handle_token="i")[1])
            fds.append(others.stream(PROMPT, max_tokens=4, handle_token="n", priority="background")[1])
            self.client.wait(lambda: any(r["state"] == "paused" for r in self.client.requests()), "a place to change hands")
            lines = self.ctl("queue").stdout.decode().splitlines()
            status = self.ctl("status").stdout.decode()
        for fd in fds:
            os.close(fd)
        self.assertRegex(lines[0], r"REQUEST +CLIENT +PRIORITY +STATE +BEFORE +WAIT +PROMPT +MADE +MODEL")
        self.assertEqual(len(lines), 7)
        self.assertRegex("\n".join(lines), rf"(?m)/i +:\S+ +interactive +prefill +\d+ +\d+ +{LLAMA}$")
        waiting = lines[-2:]  # behind those that run, the first of them first
        self.assertRegex(waiting[0], r"background +(paused|queued) +0 ")
        self.assertRegex(waiting[1], r"background +(paused|queued) +1 ")
        self.assertIn(lines[0], status)

    def test_the_queue_shows_what_came_over_the_socket_too(self):
        self.client.load(LLAMA)
        with self.daemon.held_engine():
            process = self.start(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.client.wait(lambda: self.client.requests(), "the request")
            line = self.ctl("queue").stdout.decode().splitlines()[1]
            self.assertRegex(line, rf"^socket/\d+ +socket:{process.pid} +normal +prefill +\d+ +0 +{LLAMA}$")
            self.ctl("cancel", "socket/0", code=1)
            self.ctl("cancel", line.split()[0])
            _, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"cancelled", errors)

    def test_bench_measures_what_it_says(self):
        bench = ("bench", "--model", LLAMA, "--prompt-tokens", "60", "--generated-tokens", "8", "--runs", "2")
        report = json.loads(self.ctl(*bench, "--json").stdout)
        self.assertEqual((report["model"], report["runs"]), (LLAMA, 2))
        self.assertTrue(40 <= report["prompt_tokens"] <= 80, report)
        self.assertEqual(report["generated_tokens"], 8)
        for figure in "prefill_tps", "decode_tps", "ttft_ms":
            self.assertGreater(report[figure]["mean"], 0)
            self.assertGreaterEqual(report[figure]["deviation"], 0)
        # One prompt must not be found in the cache of another, or reading it would seem to take no time.
        self.assertEqual(self.client.status().get("cache_hit_tokens", 0), self.hits_after(bench))
        self.assertRegex(self.ctl(*bench).stdout.decode(), r"(?s)^\S+ on .+, 2 runs\n +TOKENS +TOKENS/S\nprefill +\d+ +"
                         r"[\d.]+ ± [\d.]+\ndecode +\d+ +[\d.]+ ± [\d.]+\nfirst token after [\d.]+ ± [\d.]+ ms\n$")
        self.ctl("bench", "--runs", "0", code=2)
        self.ctl("bench", "--model", "no-such", code=4)

    def hits_after(self, arguments):
        self.ctl(*arguments)
        return self.client.status().get("cache_hit_tokens", 0)

    def test_the_report_begins_a_line(self):
        verbose = [LLMCTL, "generate", "--verbose", "--max-tokens", "4", "--seed", "1", PROMPT]
        both = subprocess.run(verbose, env=self.bus.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT_S).stdout
        self.assertRegex(both, rb"[^\n]\nllmctl: waited ")
        apart = self.ctl(*verbose[1:])
        self.assertTrue(apart.stderr.startswith(b"llmctl: waited "), apart.stderr)
        self.assertFalse(apart.stdout.endswith(b"\n"))

    def test_watching_goes_on_until_ctrl_c(self):
        process = subprocess.Popen([LLMCTL, "status", "--watch", "--json"], env=self.bus.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        for _ in range(2):
            self.assertIn("requests", json.loads(process.stdout.readline()))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(LIMIT_S), 130)
        process.stdout.close()

    def test_a_reader_that_leaves_cancels_quietly(self):
        process = self.start(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(process.stdout.read(1))
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(LIMIT_S), 0)
        self.assertEqual(self.last_ending(), "cancelled")

    def test_ctrl_c_works_while_nobody_takes_the_output(self):
        ours, theirs = pty.openpty()
        termios.tcflow(theirs, termios.TCOOFF)  # what Ctrl-S does
        self.client.wait(lambda: not self.client.requests(), "requests of other tests to end")
        endings = self.daemon.log().count(" ended: ")
        process = subprocess.Popen([LLMCTL, "generate", "--max-tokens", "8", PROMPT], stdin=subprocess.DEVNULL,
                                   stdout=theirs, stderr=subprocess.DEVNULL, env=self.bus.environment)
        self.client.wait(lambda: self.daemon.log().count(" ended: ") > endings, "the text to be complete")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(LIMIT_S), 130)
        os.close(ours)
        os.close(theirs)

    def errors_on_a_terminal(self, *options):
        ours, theirs = pty.openpty()
        done = subprocess.run([LLMCTL, "generate", "--model", LLAMA, "--temperature", "0", *options, PROMPT],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, env=self.bus.environment,
                              timeout=LIMIT_S)
        os.close(theirs)
        self.assertEqual(done.returncode, 0)
        return read_terminal(ours)

    def test_a_person_is_told_that_a_text_was_cut(self):
        # Behind a pipe that another program shows on the terminal, it begins a line.
        cut = "\r\nllmctl: cut after 4 tokens; --max-tokens allows more\r\n"
        self.assertEqual(self.errors_on_a_terminal("--max-tokens", "4"), cut)
        self.assertEqual(self.errors_on_a_terminal("--max-tokens", "4", "--json"), "")
        self.assertEqual(self.errors_on_a_terminal("--stop", " "), "")
        full = self.errors_on_a_terminal("--max-tokens", "100000")
        self.assertRegex(" ".join(full.split()), r"^llmctl: cut after \d+ tokens, where the model's context is full; the setting "
                         r"context_length says how long it is$")
        self.assertEqual([line for line in full.splitlines() if len(line) > 80], [])

    def test_a_terminal_gets_a_line_end_and_no_progress_after_the_text(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([LLMCTL, "generate", "--max-tokens", "8", PROMPT], stdin=subprocess.DEVNULL,
                                   stdout=theirs, stderr=subprocess.PIPE, env=self.bus.environment)
        os.close(theirs)
        out = read_terminal(ours).encode()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(LIMIT_S), 0)
        self.assertTrue(out.endswith(b"\r\n"))
        self.assertNotIn(b"\x1b", out)


class NoDaemon(unittest.TestCase):
    def test_it_says_whom_it_missed_and_how_to_start_it(self):
        bus = harness.PrivateBus()
        self.addCleanup(bus.close)
        for environment in ({}, {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"}):
            bus.environment.update(environment)
            for command in (["generate", PROMPT], ["status"], ["models"], ["unload"], ["load", LLAMA], ["tokenize", "x"]):
                done = llmctl(bus, *command)
                self.assertEqual(done.returncode, 3, command)
                self.assertEqual(done.stdout, b"")
                self.assertEqual(done.stderr.count(b"\n"), 1)
                self.assertIn(b"org.llmd.Llmd1", done.stderr)
                self.assertIn(b"/llmd/llmd.sock", done.stderr)
                self.assertRegex(done.stderr, rb"start it: (systemctl|rc-service|/.*/llmd)")
            self.assertIn(b"llmctl 0.", llmctl(bus, "version").stdout)

    def test_without_any_model_it_is_said_how_to_get_one(self):
        bus = harness.PrivateBus()
        self.addCleanup(bus.close)
        bus.environment["LLMD_MODEL_PATH"] = ""
        daemon = harness.Daemon(bus)
        self.addCleanup(daemon.stop)
        if json.loads(llmctl(bus, "--json", "models").stdout)["models"]:
            self.skipTest("a model is installed")
        self.assertRegex(llmctl(bus, "status").stdout, rb"(?m)^Model +there is none; 'llmctl doctor' says how to get one$")
        failed = llmctl(bus, "generate", PROMPT)
        self.assertEqual(failed.returncode, 4)
        self.assertIn(b"there is no model: install llmd-models-phone, or 'llmctl pull hf:OWNER/REPO', or 'llmctl import FILE.gguf'\n",
                      failed.stderr)

    def test_a_model_is_shown_without_a_daemon(self):
        bus = harness.PrivateBus()
        self.addCleanup(bus.close)
        shown = llmctl(bus, "show", LLAMA).stdout.decode()
        self.assertRegex(shown, rf"(?m)^Name +{LLAMA}$")
        self.assertRegex(shown, r"(?m)^Model +llama, [\d.]+ million parameters in \d+ layers, weights Q4_0$")
        self.assertRegex(shown, r'(?m)^Template +none; conversations are written as "User: "')
        told = json.loads(llmctl(bus, "--json", "show", LLAMA).stdout)
        self.assertEqual((told["name"], told["architecture"], told["chat_family"], told["embeds"]),
                         (LLAMA, "llama", "none", False))
        missing = llmctl(bus, "show", LLAMA[:-1])
        self.assertEqual(missing.returncode, 4)
        self.assertIn(f'did you mean "{LLAMA}"?'.encode(), missing.stderr)

    def logs_beside_a_journal(self, bus, *options):
        """Of llmctl with programs of bin/ alone, where a journal is."""
        there = harness.with_tmpfs("/var/log", "mode=755", 'mkdir -p /var/log/journal/1 && : >/var/log/journal/1/system.journal && '
                                   'PATH=$1 && shift && exec "$@"')
        return subprocess.run([*there, bus.path("bin"), LLMCTL, "logs", *options], stdin=subprocess.DEVNULL, env=bus.environment,
                              capture_output=True, timeout=LIMIT_S)

    def logs_without_a_journal(self, bus):
        there = harness.with_tmpfs("/var/log", "mode=755", 'exec "$@"')
        return subprocess.run([*there, LLMCTL, "logs"], stdin=subprocess.DEVNULL, env=bus.environment, capture_output=True,
                              timeout=LIMIT_S)

    def test_the_log_is_the_journals(self):
        bus = harness.PrivateBus()
        self.addCleanup(bus.close)
        write_program(bus.path("bin/journalctl"), 'echo "$@"')
        self.assertEqual(self.logs_beside_a_journal(bus, "-n", "7", "--follow").stdout,
                         b"--user-unit=llmd.service --user-unit=llmd-remote@*.service --lines=7 --follow\n")
        os.remove(bus.path("bin/journalctl"))
        without = self.logs_beside_a_journal(bus)
        self.assertEqual(without.returncode, 1)
        self.assertIn(b"there is no journalctl here", without.stderr)

    @unittest.skipIf(os.path.exists("/run/systemd/system"), "systemd runs here")
    def test_without_a_journal_it_says_where_the_log_is(self):
        bus = harness.PrivateBus()
        self.addCleanup(bus.close)
        write_program(bus.path("bin/journalctl"), "echo from the journal")
        daemon = harness.Daemon(bus)
        self.addCleanup(daemon.stop)
        said = "llmctl: systemd does not run here; llmd logs to the standard error of what starts it"
        ours = harness.command_of(os.getpid())
        # A journal that is there is shown all the same.
        both = self.logs_beside_a_journal(bus)
        self.assertEqual((both.returncode, both.stdout), (0, b"from the journal\n"))
        self.assertIn(said, both.stderr.decode())
        bus.environment["PATH"] = bus.path("bin") + ":" + os.environ["PATH"]
        alone = self.logs_without_a_journal(bus)
        self.assertEqual((alone.returncode, alone.stdout), (1, b""))
        self.assertEqual(alone.stderr.decode(), f"{said}: {ours} (process {os.getpid()})\n")
        daemon.stop()
        self.assertIn(f"{said}; to see it, start it in a terminal: /", self.logs_without_a_journal(bus).stderr.decode())

    def test_a_daemon_that_dies_is_told_from_one_that_is_done(self):
        bus = harness.PrivateBus()
        self.addCleanup(bus.close)
        daemon = harness.Daemon(bus)
        self.addCleanup(daemon.stop)
        process = subprocess.Popen([LLMCTL, "generate", "--max-tokens", "400", PROMPT], env=bus.environment, bufsize=0,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(process.stdout.read(1))
        daemon.process.kill()
        _, errors = process.communicate(timeout=LIMIT_S)
        daemon.process.wait(LIMIT_S)
        self.assertIn((process.returncode, b"llmd ended before" in errors), ((3, True), (0, False)))


if __name__ == "__main__":
    harness.main()
