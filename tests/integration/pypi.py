"""Packages from PyPI, in virtual environments below the build folder that are made once."""
import os
import subprocess
import sys

import harness

INSTALL_LIMIT_S = 900  # of hundreds of megabytes, on a machine that is busy


def environment(name, packages, versions=None):
    """The Python of the environment `name`, which has these packages, in the versions of the file `versions` where it names them.
    Skips the test where there is no PyPI."""
    folder = os.path.join(harness.BUILD, name)
    python = os.path.join(folder, "bin", "python")
    installed = os.path.join(folder, "installed.txt")  # written last
    wanted = "\n".join(packages) + "\n"
    constraints = []
    if versions:
        constraints = ["--constraint", versions]
        with open(versions) as file:
            wanted += file.read()
    if os.path.exists(installed):
        with open(installed) as file:
            if file.read() == wanted:
                return python
    harness.require("pypi")
    # What is never imported need not be compiled.
    install = [python, "-m", "pip", "install", "--quiet", "--no-compile", *constraints, *packages]
    for command in ([sys.executable, "-m", "venv", "--clear", folder], install):
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_LIMIT_S)
        assert done.returncode == 0, f"{' '.join(command)} failed\n{done.stdout}{done.stderr}"
    with open(installed, "w") as file:
        file.write(wanted)
    return python
