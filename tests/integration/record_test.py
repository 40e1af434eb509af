"""Recorded sessions (record.py) are answered as they were, byte for byte: every dialect, streams, errors, tools, schemas, embeddings, what
llmd tells of itself, llmctl's words, and what a bigger machine is asked. `tools/record` records them anew after a change that is meant."""
import difflib
import glob
import os
import platform
import sys
import unittest

import harness
import record

SESSIONS = sorted(glob.glob(os.path.join(harness.SOURCE, "tests", "data", "record", "*.txt")))


class Record(unittest.TestCase):
    def test_every_session_is_answered_as_it_was(self):
        self.assertTrue(SESSIONS)
        for path in SESSIONS:
            with self.subTest(os.path.basename(path)):
                with open(path, encoding="utf-8") as file:
                    recorded = file.read().split("\n")[:-1]
                differences = list(difflib.unified_diff(recorded, record.play(recorded), "recorded", "answered", n=1, lineterm=""))
                self.assertFalse(differences, "\n".join(line[:2000] for line in differences[:200]))


if __name__ == "__main__":
    if platform.machine() != "x86_64":
        print("skipped: the last digits of log-probabilities were recorded on x86-64")
        sys.exit(harness.SKIP)
    harness.main()
