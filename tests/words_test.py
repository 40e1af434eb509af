#!/usr/bin/env python3
"""Words that the project has retired stay out of it, and comments are whole sentences with a subject.

A retired word is an identifier or a phrase that means nothing outside this project; the table says what is used instead. Words
are searched for whole in what git tracks, in the directories that their rows name; ordinary English is not in the table.
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = (".cpp", ".h", ".cl", ".py", ".build", ".md", ".xml")
LEFT_OUT = ("models/training/", "tests/data/", "tests/words_test.py")

EVERYWHERE = ("",)
ENGINE = ("daemon/engine/", "daemon/constraint/", "daemon/bench/", "tests/daemon/engine/", "tests/daemon/constraint/",
          "tests/support/", "tests/adreno/", "docs/architecture.md", "docs/adding-a-model.md")
# Where requests and processes are, and not the tensors.
REST = ("daemon/api/", "daemon/base/", "daemon/bus/", "daemon/dbus/", "daemon/handover/", "daemon/http/", "daemon/platform/",
        "daemon/protocol/", "daemon/remote/", "daemon/service/", "daemon/supervisor/", "client/", "tests/client/", "tests/daemon/")
GPU = ("daemon/engine/compute/opencl/", "tests/daemon/engine/compute/opencl/")
SELF_TEST = ("daemon/engine/compute/opencl/gpu/self_test", "daemon/engine/compute/opencl/gpu/probe_matrix")

# What is retired: what is used instead, and where that holds.
WORDS = {
    "schedule_turn": ("schedule_pass", REST),
    "turn of the loop": ("iteration of the loop", EVERYWHERE),
    "later turn": ("later iteration of the loop", REST),
    "condemn": ("reject, of a message", REST),
    "dismiss": ("stop, of a process", REST),
    "wish": ("keep_alive", REST),
    "wishes": ("asks for, keep_alives", REST),
    "daemon/engines": ("daemon/supervisor", EVERYWHERE),
    "daemon/remotes": ("daemon/handover", EVERYWHERE),
    "daemon/tools": ("daemon/bench", EVERYWHERE),
    "limb": ("high or low byte", EVERYWHERE),
    "limbs": ("high and low byte, value_bytes", EVERYWHERE),
    "LIMBS": ("VALUE_BYTES", EVERYWHERE),
    "n_limbs": ("n_value_bytes", EVERYWHERE),
    "Sweep": ("FusedOp", ENGINE),
    "sweep": ("fused op", ENGINE),
    "sweeps": ("fused ops", ENGINE),
    "lower_to_sweeps": ("lower_to_fused_ops", EVERYWHERE),
    "Supers": ("SuperScales", ENGINE),
    "supers": ("super-block scales", ENGINE),
    "super scale": ("super-block scale", ENGINE),
    "pair of rows": ("row pair", ENGINE),
    "pairs of rows": ("row pairs", ENGINE),
    "cell_t": ("block_t", GPU),
    "cell": ("block, or entry of an array", GPU),
    "cells": ("blocks, or entries of an array", GPU),
    "made_x": ("group_output_x", GPU),
    "Variants": ("KernelChoice", ENGINE),
    "variants": ("kernel choice", GPU),
    "variant": ("kernel choice", GPU),
    "MatmulVariant": ("MatmulChoice", ENGINE),
    "LaunchVariant": ("LaunchChoice", ENGINE),
    "Use::Qkv": ("MatmulRole::Qkv", ENGINE),
    "use_of": ("matmul_role_of", ENGINE),
    "buffers_.stored": ("buffers_.intermediate", ENGINE),
    "stored_width": ("intermediate_width", ENGINE),
    "SampleMatrix": ("ProbeMatrix", ENGINE),
    "SampleActivations": ("ProbeActivations", ENGINE),
    "sample": ("probe, of a matrix", SELF_TEST),
    "samples": ("probes, of matrices", SELF_TEST),
    "Adjustment": ("LogitBias", ENGINE),
    "compute::Adjustment": ("compute::LogitBias", EVERYWHERE),
    "adjustment": ("logit bias", ENGINE),
    "adjustments": ("logit biases", ENGINE),
    "kMaxAdjustments": ("kMaxLogitBiases", EVERYWHERE),
    "in company": ("with other rows of the batch", ENGINE),
    "any company": ("any other rows of the batch", ENGINE),
    "the company": ("the other rows of the batch", ENGINE),
    "loosened": ("unconstrained", ENGINE),
    "numeric profile": ("numeric fingerprint", ENGINE),
    "ToolForm": ("ToolSyntax", ENGINE),
    "ThinkingForm": ("ThinkingSyntax", ENGINE),
    "ArgumentForm": ("ArgumentSyntax", ENGINE),
    "ValueForm": ("ValueKind", ENGINE),
    "AnswerForm": ("AnswerSyntax", ENGINE),
    "FusedOp::Form": ("FusedOp::Kind", ENGINE),
}

# Comments begin with their subject, here.
SENTENCES = ("daemon/", "client/", "tests/client/", "tests/daemon/", "tests/fuzz/", "tests/support/")
NO_SUBJECT = re.compile(r"\s*(?://|#) (Of|What|To whom) ")
COMMENT = re.compile(r"\s*(?://|#(?! *(?:include|define|undef|pragma|if|ifdef|ifndef|el|else|elif|endif|error)\b))")
# A note on a device, which programs show to people, keeps this phrase.
SPOKEN = '" of a sample"'


def tracked():
    """The files that are searched, as paths from the root; nothing where git cannot tell."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split("\0") if listed.returncode == 0 else []
    return [name for name in names if name.endswith(SUFFIXES) and not name.startswith(LEFT_OUT) and (ROOT / name).is_file()]


def faults(name, text):
    """What is wrong in a file, as lines that name the place, the word and what is used instead."""
    words = [(word, instead) for word, (instead, scopes) in WORDS.items() if name.startswith(scopes)]
    pattern = re.compile(r"(?<!\w)(" + "|".join(re.escape(word) for word, _ in words) + r")(?!\w)")
    is_comment = False
    for number, line in enumerate(text.split("\n"), 1):
        for found in pattern.finditer(line.replace(SPOKEN, "")):
            yield f"{name}:{number}: \"{found[1]}\" is retired: {dict(words)[found[1]]}"
        begins = not is_comment
        is_comment = COMMENT.match(line) is not None and not name.endswith(".md")
        found = NO_SUBJECT.match(line) if is_comment and begins and name.startswith(SENTENCES) else None
        if found:
            yield f"{name}:{number}: a comment begins with \"{found[1]}\": begin with a subject"


class Words(unittest.TestCase):
    def test_the_tree_is_without_them(self):
        found = [fault for name in tracked() for fault in faults(name, (ROOT / name).read_text(encoding="utf-8"))]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_each_is_found_in_its_directories_alone(self):
        for word, (instead, scopes) in WORDS.items():
            for scope in scopes:
                place = f"{scope}file.cpp" if scope.endswith("/") else scope or "file.md"
                found = list(faults(place, f"int a;\nint {word};\n"))
                self.assertEqual(found, [f"{place}:2: \"{word}\" is retired: {instead}"])
                self.assertEqual(list(faults(place, f"int a{word}b;\n")), [])
            if "" not in scopes:
                self.assertEqual(list(faults("README.md", f"{word}\n")), [], word)

    def test_a_comment_begins_with_its_subject(self):
        for begin in ("Of", "What", "To whom"):
            for scope in SENTENCES:
                self.assertEqual(len(list(faults(f"{scope}a.h", f"int a;\n    // {begin} it is.\n"))), 1)
            self.assertEqual(list(faults("daemon/engine/a.h", f"// It is more.\n// {begin} it is.\n")), [])
            self.assertEqual(list(faults("daemon/engine/a.h", f"int a;  // {begin} it is\n")), [])
            self.assertEqual(list(faults("tests/gtk/a.h", f"// {begin} it is.\n")), [])


if __name__ == "__main__":
    if not tracked():
        print("skipped: git lists no files here, so that nothing says which are the project's")
        sys.exit(77)
    unittest.main()
