"""llmctl at a terminal, as a person has it."""
import fcntl
import os
import pty
import select
import signal
import subprocess
import termios

from harness import LIMIT_S, LLMCTL


def read_terminal(fd):
    """What is written to a terminal until nobody is left at its other end; closes it."""
    out = b""
    try:
        while piece := os.read(fd, 4096):
            out += piece
    except OSError:  # how a terminal says so
        pass
    os.close(fd)
    return out.decode()


class Terminal:
    """A command of llmctl at a terminal of its own. Everything that it writes is kept in `seen`."""

    def __init__(self, test, *options, command="chat", environment=None):
        self.ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 200))
        self.process = subprocess.Popen(
            [LLMCTL, command, *options], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env=dict(environment or test.bus.environment, TERM="xterm", LANG="C"))
        os.close(theirs)
        self.seen = ""
        test.addCleanup(self.close)

    def expect(self, *words):
        """Reads until these words have come, in this order."""
        begin = len(self.seen)
        for word in words:
            while word not in self.seen[begin:]:
                ready, _, _ = select.select([self.ours], [], [], LIMIT_S)
                assert ready, f"{word!r} did not come: {self.seen!r}"
                self.seen += os.read(self.ours, 4096).decode(errors="replace")
            begin = self.seen.index(word, begin) + len(word)
        if words[-1] == ">>> ":  # who sees the prompt may type any key
            assert not termios.tcgetattr(self.ours)[3] & termios.ICANON, "the prompt came before the keys were taken"

    def type(self, text):
        os.write(self.ours, text.encode())

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LIMIT_S)
        os.close(self.ours)
