"""Packages from PyPI, in virtual environments below the build folder that are made once."""
import os
import subprocess
import sys

import harness

INSTALL_LIMIT_S = 240


def environment(name, packages, modules):
    """The Python of the environment `name`, which has these packages and can import these modules. Skips the test where there is
    no PyPI."""
    folder = os.path.join(harness.BUILD, name)
    python = os.path.join(folder, "bin", "python")
    look = [python, "-c", "import " + ", ".join(modules)]
    if os.path.exists(python) and subprocess.run(look, stderr=subprocess.DEVNULL).returncode == 0:
        return python
    harness.require("pypi")
    for command in ([sys.executable, "-m", "venv", "--clear", folder], [python, "-m", "pip", "install", "--quiet", *packages]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_LIMIT_S)
        assert done.returncode == 0, f"{' '.join(command)} failed\n{done.stdout}{done.stderr}"
    return python
