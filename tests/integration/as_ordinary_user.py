#!/usr/bin/python3
"""as_ordinary_user.py TEST.py: runs that integration test as an ordinary user, with directories of its own.

Root may do what hides faults of permissions: it reads the /proc of a process that is not dumpable, and everybody's files. So the
tests of who may do what run once more without its rights. Whoever is an ordinary user already just runs the test."""
import os
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
NOBODY = 65534  # as in tests/abilities
BECOME = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]


def skip(reason):
    print(f"skipped: {reason}")
    return SKIP


def main():
    test = os.path.abspath(sys.argv[1])
    command = ["/usr/bin/python3", test]
    if os.geteuid() != 0:
        os.execv(command[0], command)
    probe = subprocess.run([os.path.join(os.environ["LLMD_SOURCE"], "tests", "abilities"), "another-user"], stdout=subprocess.PIPE, text=True)
    if probe.returncode != 0:
        return skip(probe.stdout.strip())
    for path in (test, os.path.join(os.environ["LLMD_BUILD"], "daemon", "llmd")):
        if subprocess.run([*BECOME, "test", "-r", path]).returncode != 0:
            return skip(f"user {NOBODY} cannot read {path}; put the tree where everybody may read")
    home = tempfile.mkdtemp(prefix="llmd-user-")
    try:
        os.chown(home, NOBODY, NOBODY)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "DBUS_"))}
        # What only root can do has been tested as root.
        environment.update(HOME=home, XDG_RUNTIME_DIR=home, TMPDIR=home, POCL_CACHE_DIR=home,
                           LLMD_WITHOUT=f"another-user {os.environ.get('LLMD_WITHOUT', '')}")
        return subprocess.run([*BECOME, *command], env=environment, cwd=home).returncode
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
