"""A trap for llmd's promise: neither it nor its engines ever ask for a socket of another family than AF_UNIX.

With LLMD_SOCKET_TRAP=DIRECTORY in the environment the harness starts every llmd under strace, which writes each socket() of its
processes, and of theirs, into a file there; tests/lanes/sockets looks at the files."""
import itertools
import os
import re
import subprocess
import tempfile
import time

LIMIT_S = 60
NETWORKED = "llmd-remote"  # the one program that may, and has a trap of its own
LINE = re.compile(r"^(?P<pid>\d+)(<(?P<program>.*)>)? +socket\((?P<family>\w+)")
serial = itertools.count()


def prefix(directory):
    """What stands before a command: the process becomes the command, and strace is another one beside it."""
    file = os.path.join(directory, f"{os.getpid()}-{next(serial)}.trace")
    return ["strace", "-D", "-f", "--seccomp-bpf", "-qq", "--decode-pids=comm", "--trace=socket", f"--output={file}"]


def is_writing(directory):
    """Whether a strace of ours still runs."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue  # it has ended
        if words[0] == b"strace" and any(word.startswith(f"--output={directory}/".encode()) for word in words):
            return True
    return False


def finished(directory):
    """Waits until all traces are whole."""
    deadline = time.monotonic() + LIMIT_S
    while is_writing(directory):
        if time.monotonic() > deadline:
            raise AssertionError("strace does not end")
        time.sleep(0.05)


def sockets(directory):
    """(program, family) of every socket that was asked for, granted or not."""
    finished(directory)
    found = []
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), errors="replace") as file:
            found += [(match["program"], match["family"]) for match in map(LINE.match, file) if match]
    return found


def forbidden(found):
    return [(program, family) for program, family in found
            if family not in ("AF_UNIX", "AF_LOCAL") and not (program or "").startswith(NETWORKED)]


def reason_not_here():
    """Why the trap cannot be set on this machine, having tried it on a program that walks into it; empty: it can."""
    program = "import socket, os; socket.socket(socket.AF_UNIX); os.fork() or socket.socket(socket.AF_INET)"
    with tempfile.TemporaryDirectory() as directory:
        try:
            subprocess.run([*prefix(directory), "/usr/bin/python3", "-c", program], check=True, capture_output=True, text=True, timeout=LIMIT_S)
        except FileNotFoundError:
            return "there is no strace; install strace"
        except subprocess.CalledProcessError as error:
            return f"strace cannot trace here ({error.stderr.strip()[:100]}); run where ptrace is allowed"
        found = sockets(directory)
    if len(forbidden(found)) != 1 or len(found) != 2:
        raise AssertionError(f"the trap is blind: {found}")
    return ""
