"""A trap for llmd's promises: neither it nor its engines ever ask for a socket of another family than AF_UNIX, and llmd-remote, which
may, connects to the addresses of the settings' remotes and to those that resolve names, and nowhere else.

With LLMD_SOCKET_TRAP=DIRECTORY in the environment the harness starts every llmd under strace, which writes each socket() and connect()
of its processes, and of theirs, into a file there, and notes the remotes of its settings beside it; tests/lanes/sockets looks at the
files. What a program writes to a datagram socket without connecting it is not seen."""
import itertools
import os
import re
import socket
import subprocess
import tempfile
import time
import urllib.parse

LIMIT_S = 60
NETWORKED = "llmd-remote"  # the one program that may
SOCKET = re.compile(r"^\d+(<(?P<program>.*)>)? +socket\((?P<family>\w+)")
CONNECT = re.compile(r"^\d+(<(?P<program>.*)>)? +connect\(\d+, (?P<address>\{.*?\})[,) ]")
FAMILY = re.compile(r"sa_family=(\w+)")
UNIX_PATH = re.compile(r'sun_path=(@?)"([^"]*)"')
PORT = re.compile(r"port=htons\((\d+)\)")
INTERNET = re.compile(r'(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]*)"')
URL = re.compile(r'^ *url *= *"([^"]*)"', re.MULTILINE)
# Where glibc's modules for names ask: nscd, systemd-resolved, Avahi.
RESOLVERS = ("/var/run/nscd/", "/run/nscd/", "/run/systemd/resolve/", "/var/run/avahi-daemon/", "/run/avahi-daemon/")
DNS_PORT = 53
serial = itertools.count()


def prefix(directory):
    """What stands before a command: the process becomes the command, and strace is another one beside it."""
    file = os.path.join(directory, f"{os.getpid()}-{next(serial)}.trace")
    return ["strace", "-D", "-f", "--seccomp-bpf", "-qq", "--decode-pids=comm", "--trace=socket,connect", f"--output={file}"]


def note_remotes(directory, settings):
    """The remotes of these settings may be connected to by what this process starts."""
    with open(os.path.join(directory, f"{os.getpid()}.remotes"), "a") as file:
        file.writelines(url + "\n" for url in URL.findall(settings))


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


def matches(directory, line):
    """(process that started it, match) of every line of the traces that is of this form."""
    finished(directory)
    for name in sorted(os.listdir(directory)):
        if name.endswith(".trace"):
            with open(os.path.join(directory, name), errors="replace") as file:
                yield from ((name.split("-")[0], match) for match in map(line.match, file) if match)


def sockets(directory):
    """(program, family) of every socket that was asked for, granted or not."""
    return [(match["program"], match["family"]) for _, match in matches(directory, SOCKET)]


def forbidden(found):
    return [(program, family) for program, family in found
            if family not in ("AF_UNIX", "AF_LOCAL") and not (program or "").startswith(NETWORKED)]


def read_address(text):
    """A path, (address, port), None for none (which takes a datagram socket's peer from it), or the text itself."""
    family = FAMILY.search(text)
    if family and family[1] == "AF_UNSPEC":
        return None
    if path := UNIX_PATH.search(text):
        return path[1] + path[2]
    port, address = PORT.search(text), INTERNET.search(text)
    return (address[1], int(port[1])) if port and address else text


def addresses_of(url):
    """What a connection to a remote may go to."""
    if url.startswith("unix:"):
        return {url.removeprefix("unix:")}
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        found = {info[4][0] for info in socket.getaddrinfo(parts.hostname, port)}
    except (KeyError, ValueError, OSError, UnicodeError):
        return set()  # no url that leads anywhere
    # Without a port glibc asks the kernel which way it would take, to sort several addresses.
    return {(address, which) for address in found for which in (port, 0)}


def name_servers():
    try:
        with open("/etc/resolv.conf") as file:
            return {(words[1], DNS_PORT) for words in map(str.split, file) if words[:1] == ["nameserver"] and len(words) > 1}
    except FileNotFoundError:
        return {("127.0.0.1", DNS_PORT)}


def connections(directory):
    """(address, whether it may) of every connect() of llmd-remote, successful or not."""
    allowed = {name.removesuffix(".remotes"): name_servers() for name in os.listdir(directory) if name.endswith(".remotes")}
    for starter, addresses in allowed.items():
        with open(os.path.join(directory, f"{starter}.remotes")) as file:
            for url in set(file.read().splitlines()):
                addresses |= addresses_of(url)
    found = []
    for starter, match in matches(directory, CONNECT):
        address = read_address(match["address"])
        if (match["program"] or "").startswith(NETWORKED) and address is not None:
            is_resolver = isinstance(address, str) and address.startswith(RESOLVERS)
            found.append((address, is_resolver or address in allowed.get(starter, ())))
    return found


def reason_not_here():
    """Why the trap cannot be set on this machine, having tried it on programs that walk into it; empty: it can."""
    walks = "import socket, os; socket.socket(socket.AF_UNIX); os.fork() or socket.socket(socket.AF_INET)"
    # Datagram sockets, which send nothing when they connect.
    strays = ("import socket, contextlib\n"
              "for address in ('192.0.2.1', 443), ('192.0.2.1', 80), ('192.0.2.2', 443), ('192.0.2.2', 53):\n"
              "    with contextlib.suppress(OSError): socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(address)\n"
              "for path in '/run/nscd/socket', '/run/none':\n"
              "    with contextlib.suppress(OSError): socket.socket(socket.AF_UNIX).connect(path)\n"
              "with contextlib.suppress(OSError): socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).connect(('2001:db8::1', 443))\n")
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as programs:
        remote = os.path.join(programs, NETWORKED)
        os.symlink("/usr/bin/python3", remote)
        note_remotes(directory, 'url = "https://192.0.2.1"\n')
        try:
            for program, text in (("/usr/bin/python3", walks), (remote, strays)):
                subprocess.run([*prefix(directory), program, "-c", text], check=True, capture_output=True, text=True, timeout=LIMIT_S)
        except FileNotFoundError:
            return "there is no strace; install strace"
        except subprocess.CalledProcessError as error:
            return f"strace cannot trace here ({error.stderr.strip()[:100]}); run where ptrace is allowed"
        found, met = sockets(directory), connections(directory)
    n_remotes_own = sum((program or "").startswith(NETWORKED) for program, _ in found)
    if len(forbidden(found)) != 1 or len(found) - n_remotes_own != 2:
        raise AssertionError(f"the trap is blind: {found}")
    if met != [(("192.0.2.1", 443), True), (("192.0.2.1", 80), False), (("192.0.2.2", 443), False), (("192.0.2.2", 53), False),
               ("/run/nscd/socket", True), ("/run/none", False), (("2001:db8::1", 443), False)]:
        raise AssertionError(f"the trap does not know where llmd-remote may go: {met}")
    return ""
