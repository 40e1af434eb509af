"""A network of a few machines, each a network namespace, joined by a switch whose links can be slow, lossy and pulled.

The switch is this process: a TAP device a machine, whose frames it forwards. So nothing is asked of the kernel but namespaces and
/dev/net/tun, and what a link does is the same on every kernel."""
import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import threading
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
CLONE_NEWNET = 0x40000000
FRAME_BYTES = 2048
BROADCAST = b"\xff" * 6


class Link:
    """What a machine is joined by. Set from any thread."""

    def __init__(self):
        self.delay_s = 0.0  # in each direction
        self.loss = 0.0  # share of the frames, in each direction
        self.pulled = False


class Network:
    """Machines by name; `address[name]` is each one's. Needs root, and a mount namespace of its own for /run/netns."""

    def __init__(self, names, seed):
        self.address = {name: f"10.77.0.{2 + i}" for i, name in enumerate(names)}
        self.links = {name: Link() for name in names}
        self.taps = {name: self.make(name) for name in names}
        self.chance = random.Random(seed)
        self.wake, self.waker = os.pipe()
        self.thread = threading.Thread(target=self.forward, daemon=True)
        self.thread.start()

    def make(self, name):
        tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        device = f"t-{name}"[:15]
        fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TAP | IFF_NO_PI))
        for command in (f"netns add {name}", f"link set {device} netns {name}", f"-n {name} link set lo up",
                        f"-n {name} addr add {self.address[name]}/24 dev {device}", f"-n {name} link set {device} up"):
            subprocess.run(["ip", *command.split()], check=True)
        return tap

    def inside(self, name, command):
        """The command that runs `command` on a machine."""
        return ["ip", "netns", "exec", name, *command]

    def enter(self, name):
        """The calling thread's sockets are that machine's from now on."""
        with open(f"/run/netns/{name}") as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")

    def close(self):
        os.write(self.waker, b"x")
        self.thread.join()
        for tap in self.taps.values():
            os.close(tap)

    def passes(self, link):
        return not link.pulled and (link.loss == 0 or self.chance.random() >= link.loss)

    def forward(self):
        names = {tap: name for name, tap in self.taps.items()}
        homes = {}  # MAC -> machine
        due = []  # (time, number, tap, frame)
        number = 0
        while True:
            wait = max(0, due[0][0] - time.monotonic()) if due else None
            ready = select.select([*names, self.wake], [], [], wait)[0]
            if self.wake in ready:
                return
            for tap in ready:
                try:
                    frame = os.read(tap, FRAME_BYTES)
                except BlockingIOError:
                    continue
                source, link = names[tap], self.links[names[tap]]
                homes[frame[6:12]] = source
                home = homes.get(frame[:6]) if frame[:6] != BROADCAST else None
                if not self.passes(link):
                    continue
                for target in [home] if home else [name for name in self.taps if name != source]:
                    if target != source and self.passes(self.links[target]):
                        delay_s = link.delay_s + self.links[target].delay_s
                        if delay_s == 0 and not due:
                            self.put(self.taps[target], frame)
                        else:
                            number += 1
                            heapq.heappush(due, (time.monotonic() + delay_s, number, self.taps[target], frame))
            now = time.monotonic()
            while due and due[0][0] <= now:
                self.put(*heapq.heappop(due)[2:])

    @staticmethod
    def put(tap, frame):
        try:
            os.write(tap, frame)
        except OSError:
            pass  # the machine's device is not up: a frame that is lost
