#!/usr/bin/env python3
"""usage: tests/lanes/summary.py LANE TESTLOG.json...

Counts what `meson test` ran. GoogleTest's and unittest's programs pass for meson when some of their cases were skipped, so each
skipped case is counted here by itself, with its reason; what a job leaves to another one on purpose (LLMD_WITHOUT in
tests/abilities) is not. Prints a line for each reason, the end of what each failed test printed, and, last, `lane LANE: N passed, N failed, N skipped`. The exit status is 1
when a test failed or none passed."""
import collections
import json
import re
import sys

ELSEWHERE = "left to another lane"
GOOGLE_CASE = re.compile(r": Skipped\n(.*)\n(?:.*\n)*?\[  SKIPPED \] \S+ \(", re.MULTILINE)
PYTHON_CASE = re.compile(r"\.\.\. skipped (['\"])(.*)\1$", re.MULTILINE)
LAST_LINES = 12  # of a failed test, shown again where whoever has only the end of a long log sees them
WHOLE_TEST = re.compile(r"^skipped: (.*)$", re.MULTILINE)


def skipped_cases(test):
    """The reasons, one for each case."""
    output = test.get("stdout", "") + "\n" + test.get("stderr", "")
    if test["result"] == "SKIP":
        return WHOLE_TEST.findall(output)[:1] or [f"{test['name']} does not say why"]
    return GOOGLE_CASE.findall(output) + [reason for _, reason in PYTHON_CASE.findall(output)]


def main():
    lane, *logs = sys.argv[1:]
    tests = []
    for log in logs:
        with open(log) as file:
            tests += [json.loads(line) for line in file]
    reasons = collections.Counter(reason for test in tests for reason in skipped_cases(test))
    for reason, n in sorted(reasons.items()):
        print(f"{n} x {reason}" if reason.startswith(ELSEWHERE) else f"skipped {n} x {reason}")
    for test in tests:
        if test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP"):
            output = test.get("stdout", "") + "\n" + test.get("stderr", "")
            shown = [line for line in output.splitlines() if line.strip() and not line.endswith("... ok")][-LAST_LINES:]
            print(f"FAIL  {test['name']}: {test['result']}, {test['duration']:.1f} s", *shown, sep="\n      ")
    passed = sum(test["result"] in ("OK", "EXPECTEDFAIL") for test in tests)
    failed = sum(test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP") for test in tests)
    skipped = sum(n for reason, n in reasons.items() if not reason.startswith(ELSEWHERE))
    print(f"lane {lane}: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
