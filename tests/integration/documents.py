"""The blocks of code in README.md and docs/*.md, and the commands in them."""
import glob
import os
import re
from dataclasses import dataclass

from harness import SOURCE

INDENT = 4


@dataclass
class Block:
    document: str  # its path from the source root
    line: int
    lines: list

    @property
    def where(self):
        return f"{self.document}:{self.line}"

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    @property
    def is_console(self):
        """It shows what is typed behind a dollar sign, and the answers."""
        return self.lines[0].startswith("$ ")

    def commands(self):
        """[(command, [its answer's lines])]; of a block that is no console all of it is one command."""
        if not self.is_console:
            return [(self.text, [])]
        out = []
        for line in self.lines:
            if line.startswith("$ "):
                out.append((line[2:], []))
            else:
                out[-1][1].append(line)
        return out


def documents():
    return ["README.md", *sorted(os.path.relpath(path, SOURCE) for path in glob.glob(os.path.join(SOURCE, "docs", "*.md")))]


def read(document):
    with open(os.path.join(SOURCE, document)) as file:
        return file.read()


def dedented(lines):
    while not lines[-1].strip():
        lines.pop()
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return [line[margin:] for line in lines]


def blocks(document):
    """Those between fences, and those that are indented."""
    out, lines, begin, fenced, after_blank = [], [], 0, False, True
    for number, line in enumerate([*read(document).splitlines(), "end"], 1):
        fence = line.lstrip().startswith("```")
        if fenced and not fence or not fence and line.startswith(" " * INDENT) and (lines or after_blank):
            begin = begin or number
            lines.append(line)
        elif not (lines and not fenced and not line.strip()):
            if lines:
                out.append(Block(document, begin, dedented(lines)))
            lines, begin = [], 0
            fenced = fence and not fenced
        else:
            lines.append("")
        after_blank = not line.strip()
    return out


def inline_code(document):
    """What stands between backticks, outside of blocks."""
    inside = {number for block in blocks(document) for number in range(block.line, block.line + len(block.lines))}
    prose = "\n".join("" if number in inside else line for number, line in enumerate(read(document).splitlines(), 1))
    return [re.sub(r"\s+", " ", code.replace("\\|", "|")) for code in re.findall(r"`([^`]+)`", prose)]
