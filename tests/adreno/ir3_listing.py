"""Reads the compiler listings of Mesa's freedreno driver (ir3), as IR3_SHADER_DEBUG=cs and FD_MESA_DEBUG=shaderdb print
them: what each kernel costs as a whole and in its hot loop.

Counts are of issue slots: an instruction repeated by (rptN) counts N + 1 times, and (nopN) before one is N nops."""
import re
from collections import Counter

_PREFIX = re.compile(r"\((?P<flag>[a-z]+)(?P<number>\d*)\)\s*")
_LABEL = re.compile(r"^(l\d+):$")
_TARGET = re.compile(r"#(l\d+)")
_ENTRY = re.compile(r"(?:decl_function|impl) __wrapped_(\w+) ")
_SIZE = re.compile(r"(\d+) instr, (\d+) nops, .* (\d+) dwords")
_REGISTERS = re.compile(r"(\d+) half, (\d+) full")
_WAVES = re.compile(r"(\d+) max_waves, (\d+) double_threadsize")

# The part of an opcode before its first dot, by what the instruction does; all others are integer arithmetic.
_KINDS = {
    "nop": "nop", "cov": "convert", "isam": "texture", "isaml": "texture", "sam": "texture", "ldg": "global load",
    "ldib": "global load", "stg": "global store", "stib": "global store", "ldl": "local load", "ldlw": "local load",
    "stl": "local store", "stlw": "local store", "ldp": "spill", "stp": "spill", "ldc": "constant load",
    "mov": "move", "mova": "move", "swz": "move", "gat": "move", "sct": "move", "bar": "barrier", "fence": "barrier",
    "br": "branch", "brao": "branch", "braa": "branch", "jump": "branch", "end": "branch", "predt": "branch",
    "predf": "branch", "prede": "branch", "getone": "branch", "shps": "branch", "shpe": "branch", "bany": "branch",
    "ball": "branch", "rcp": "function", "rsq": "function", "sqrt": "function", "exp2": "function",
    "log2": "function",
}


class Count:
    """Issue slots of some code, and how many of each kind."""

    def __init__(self, lines):
        self.instructions = 0  # without nops
        self.nops = 0
        self.multiply_adds = 0
        self.float_multiply_adds = 0  # of them
        self.kinds = Counter()
        for line in lines:
            self._add(line)

    def _add(self, line):
        if _LABEL.match(line):
            return
        repeats = 1
        while prefix := _PREFIX.match(line):
            if prefix["flag"] == "rpt":
                repeats += int(prefix["number"])
            elif prefix["flag"] == "nop":
                self.nops += int(prefix["number"])
            line = line[prefix.end():]
        if not line:
            return
        opcode, *rest = line.split()[0].split(".")
        kind = _KINDS.get(opcode, "float" if any(part.startswith("f") for part in rest) else "integer")
        if kind == "nop":
            self.nops += repeats
            return
        self.instructions += repeats
        self.kinds[kind] += repeats
        if opcode == "mad":
            self.multiply_adds += repeats
            self.float_multiply_adds += repeats if kind == "float" else 0

    def with_twice(self, other):
        """A Count of this and two of the other."""
        both = Count([])
        for name in ("instructions", "nops", "multiply_adds", "float_multiply_adds"):
            setattr(both, name, getattr(self, name) + 2 * getattr(other, name))
        both.kinds = self.kinds + other.kinds + other.kinds
        return both


class Kernel:
    """One compiled kernel. `loops` has a Count for each loop, of its code outside the loops within it, innermost ones first."""

    def __init__(self, name, code, statistics):
        self.name = name
        size = _SIZE.search(statistics)
        self.instructions, self.nops = int(size[1]), int(size[2])  # with nops, and they alone
        self.code_words = int(size[3]) // 2  # of 8 bytes: repeats and chains of nops take one
        self.spills = Count(code).kinds["spill"]
        half, full = _REGISTERS.search(statistics).groups()
        self.half_registers, self.registers = int(half), int(full)
        waves = _WAVES.search(statistics)
        self.waves, self.double_threads = int(waves[1]), waves[2] != "0"
        loops = _loops(code)
        self.loops = [Count(lines) for lines, _ in loops]
        self._around = [around for _, around in loops]  # the loops around each, by their places, from the inside out

    def hot_loop(self, doublings=0):
        """A Count of one pass of the loop that multiplies most, or None. With `doublings` it is that around the innermost
        multiplying one at so many steps, and each of these takes two passes in the next."""
        multiplying = [at for at, loop in enumerate(self.loops) if loop.multiply_adds]
        if not multiplying:
            return None
        if doublings == 0:
            return max((self.loops[at] for at in multiplying), key=lambda loop: (loop.multiply_adds, loop.instructions))
        innermost = max(multiplying, key=lambda at: (len(self._around[at]), self.loops[at].multiply_adds))
        one_pass = self.loops[innermost]
        for around in self._around[innermost][:doublings]:
            one_pass = self.loops[around].with_twice(one_pass)
        return one_pass


def _loops(code):
    """[(lines outside the loops within it, places in this list of those around it)] of every loop."""
    labels, loops = {}, []
    for at, line in enumerate(code):
        if label := _LABEL.match(line):
            labels[label[1]] = at
        elif (target := _TARGET.search(line)) and target[1] in labels:
            loops.append((labels[target[1]], at))
    loops.sort(key=lambda loop: loop[1] - loop[0])
    found = []
    for begin, end in loops:
        inner = [other for other in loops if other != (begin, end) and begin <= other[0] and other[1] <= end]
        around = [at for at, other in enumerate(loops) if other != (begin, end) and other[0] <= begin and end <= other[1]]
        found.append(([code[at] for at in range(begin, end + 1) if not any(a <= at <= b for a, b in inner)], around))
    return found


def read_kernels(log):
    """The kernels in a log, in the order in which they were compiled. Lines of other programs may lie between."""
    lines = [line[len("MESA: info: "):].strip() for line in log.splitlines() if line.startswith("MESA: info: ")]
    kernels, name, at = [], None, 0
    while at < len(lines):
        if entry := _ENTRY.match(lines[at]):
            name = entry[1]
        at += 1
        if not lines[at - 1].startswith("Native code") or name is None:
            continue
        code, statistics = [], []
        while at < len(lines) and not lines[at].startswith("NIR ("):
            (statistics if lines[at].startswith(";") else code).append(lines[at])
            at += 1
        code = [line for line in code if line and not line.startswith("@")]
        kernels.append(Kernel(name, code, " ".join(statistics)))
        name = None
    return kernels
