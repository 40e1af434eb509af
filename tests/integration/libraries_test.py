"""Python libraries for language models against the real llmd, over the bridge, with the bundled model: a script for each in the
folder libraries, which does what the library's own documents tell. The table of docs/clients.md says what is tested: where it
has `yes` the script has a test, and everywhere else a reason. The libraries come from PyPI,
half a gigabyte in two environments."""
import os
import subprocess
import sys
import time
import unittest

import documents
import harness
import pypi
from bridge import Bridge
from harness import LIMIT_S, SOURCE

FOLDER = os.path.join(SOURCE, "tests", "integration", "libraries")
VERSIONS = os.path.join(FOLDER, "versions.txt")
DOCUMENT = "docs/clients.md"

# By the script's name, what pip installs, in the versions that VERSIONS has.
LIGHT = {
    "openai": ["openai"],
    "anthropic": ["anthropic"],
    "ollama": ["ollama"],
    "llm": ["llm", "llm-ollama"],
    "pydantic-ai": ["pydantic-ai-slim[openai]"],
    "instructor": ["instructor"],
    "openai-agents": ["openai-agents"],
    "langchain-openai": ["langchain-openai"],
    "langchain-ollama": ["langchain-ollama"],
}
HEAVY = {
    "litellm": ["litellm"],
    "dspy": ["dspy[numpy]"],
    "haystack": ["haystack-ai"],
    "llama-index": ["llama-index-core", "llama-index-llms-ollama", "llama-index-embeddings-ollama"],
    "smolagents": ["smolagents[openai]"],
}

# Nothing is asked of other hosts.
QUIET = {"ANONYMIZED_TELEMETRY": "False", "DO_NOT_TRACK": "1", "HAYSTACK_TELEMETRY_ENABLED": "False", "HF_HUB_OFFLINE": "1",
         "LANGSMITH_TRACING": "false", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def table():
    """{library: {feature: cell}} of the document's first table."""
    lines = documents.read(DOCUMENT).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| library |"))
    heads = cells(lines[first])[1:]
    rows = {}
    for line in lines[first + 2:]:
        if not line.startswith("|"):
            break
        name, *row = cells(line)
        assert len(row) == len(heads), line
        rows[name.strip("`")] = dict(zip((head.replace(" ", "_") for head in heads), row))
    return rows


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


class Table(unittest.TestCase):
    def test_has_each_library_and_a_reason_for_what_is_not_tested(self):
        rows = table()
        self.assertEqual(sorted(rows), sorted([*LIGHT, *HEAVY]))
        scripts = {name[len("with_"):-len(".py")] for name in os.listdir(FOLDER) if name.startswith("with_")}
        self.assertEqual(scripts, {name.replace("-", "_") for name in rows})
        for name, row in rows.items():
            for feature, cell in row.items():
                self.assertTrue(cell == "yes" or cell.startswith("no: "), f"{name}, {feature}: {cell!r}")


class Libraries(harness.TestCase):
    """Those that every run takes."""

    environment, packages = "libraries-venv", LIGHT

    @classmethod
    def setUpClass(cls):
        began = time.monotonic()
        wanted = [package for packages in cls.packages.values() for package in packages]
        cls.python = pypi.environment(cls.environment, wanted, VERSIONS)
        print(f"{cls.environment}: {time.monotonic() - began:.0f} s to be there", file=sys.stderr)
        super().setUpClass()

    @classmethod
    def prepare(cls):
        cls.bus.as_installed()

    def test_each(self):
        bridge = Bridge(self.bus.environment)
        self.addCleanup(bridge.stop)
        rows = table()
        environment = dict(os.environ, **QUIET, HOME=self.bus.path("home"))
        for name in self.packages:
            with self.subTest(name):
                began = time.monotonic()
                script = os.path.join(FOLDER, f"with_{name.replace('-', '_')}.py")
                done = subprocess.run([self.python, script, bridge.urls[0]], env=environment, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=LIMIT_S)
                print(f"{name}: {time.monotonic() - began:.1f} s", file=sys.stderr)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(done.stdout.split(), [feature for feature, cell in rows[name].items() if cell == "yes"])


class HeavyLibraries(Libraries):
    environment, packages = "heavy-libraries-venv", HEAVY


if __name__ == "__main__":
    harness.main()
