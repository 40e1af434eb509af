#!/usr/bin/env python3
"""docs/man/manual.py PAGE.scd OUTPUT [--llmctl PROGRAM] [--llmd PROGRAM] [--xml FILE...]

Fills in what a manual page tells of options, commands, settings and D-Bus members, in place of lines such as @commands@:
from the programs' own tables and from the descriptions of the interfaces, so that there is no second list. OUTPUT is for
scdoc."""
import argparse
import json
import re
import subprocess
import xml.dom.minidom

SPECIAL = re.compile(r"([\\*_#~`\[\]|<>])")
KEY = re.compile(r"\w+( [a-z{}]+)?")
LINE_BEGIN = re.compile(r"^([-.+;:\t ])")


def text(words):
    """Words as they are, wherever a paragraph has them."""
    return LINE_BEGIN.sub(r"\\\1", SPECIAL.sub(r"\\\1", " ".join(words.split())))


def bold(word):
    return f"*{text(word)}*"


def term(name, value="", letter=""):
    """An option or key with its value, as the head of an item."""
    return (f"{bold('-' + letter)}, " if letter else "") + bold(name) + (f" {underlined(value)}" if value else "")


def underlined(word):
    return f"_{text(word)}_"


def item(head, body):
    paragraphs = [text(paragraph) for paragraph in body.split("\n\n")]
    return head + "\n" + "\n\n".join("\t" + paragraph for paragraph in paragraphs) + "\n"


def literal(lines):
    return "```\n" + "\n".join(line.rstrip() for line in lines) + "\n```\n"


def description(words):
    """Paragraphs. Of the lines that begin with a space those with a gap are items, and the rest stays as it is."""
    out = []
    for block in words.strip("\n").split("\n\n"):
        block = re.sub(r"\n {3,}(?=\S)", " ", block)
        lines = block.split("\n")
        items = [re.fullmatch(r"  (\S.*?)  +(\S.*)", line) for line in lines]
        prose = [line for line in lines if not line.startswith(" ")]
        if prose:
            out.append(text(" ".join(prose)) + "\n")
        if all(items):
            out += [item(bold(found[1]), found[2]) for found in items]
        elif len(prose) < len(lines):
            out.append(literal(line[2:] for line in lines if line.startswith(" ")))
    return "\n".join(out)


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def options(command):
    return "\n".join(item(term("--" + option["name"], option["value"], option.get("letter", "")), option["help"])
                     for option in command["options"])


def common(table):
    """The names of the options that every command has."""
    return set.intersection(*({option["name"] for option in command["options"]} for command in table["commands"]))


class LlmctlPage:
    def __init__(self, program):
        self.table = json.loads(run(program, "help", "--json"))

    def common_options(self):
        names = common(self.table)
        first = self.table["commands"][0]
        return options({"options": [option for option in first["options"] if option["name"] in names]})

    def commands(self):
        names = common(self.table)
        out = []
        for command in self.table["commands"]:
            own = {"options": [option for option in command["options"] if option["name"] not in names]}
            usage = f"*llmctl {command['name']}*" + (" [_OPTIONS_]" if own["options"] else "")
            out.append(f"## {command['name']}\n\n{usage} {text(command['operands'])}".rstrip() + "\n\n"
                       + description(command["description"]) + "\n" + options(own))
        return "\n".join(out)

    def exit_codes(self):
        return "\n".join(item(bold(str(exit["code"])), exit["meaning"]) for exit in self.table["exit_codes"])


class LlmdPage:
    """What `llmd --help` prints: a line of its usage, sentences, then an option a line."""

    def __init__(self, program):
        self.lines = run(program, "--help").splitlines()

    def options(self):
        found = [re.fullmatch(r"  (--\S+)(?: (\S+))?  +(\S.*)", line) for line in self.lines]
        return "\n".join(item(term(option[1], option[2] or ""), option[3]) for option in found if option)

    def usage(self):
        return text(self.lines[0].removeprefix("Usage: llmd"))


class SettingsPage:
    def __init__(self, program):
        self.rows = json.loads(run(program, "--json", "config", "explain"))["settings"]

    def keys_of(self, table):
        return "\n".join(item(bold(row["name"]), f"{row['meaning']}.\n\nValues: {row['values']}.")
                         for row in self.rows if row["table"] == table)

    def settings(self):
        return self.keys_of("")

    def model_settings(self):
        return self.keys_of("models")

    def remote_settings(self):
        return self.keys_of("remote")


class InterfacePage:
    """The comments of an interface's description, in the form of gdbus-codegen, and its members' types."""

    def __init__(self, files):
        self.documents = [xml.dom.minidom.parse(file) for file in files]

    @staticmethod
    def comment_before(node):
        while node := node.previousSibling:
            if node.nodeType == node.COMMENT_NODE:
                return node.data
            if node.nodeType == node.ELEMENT_NODE:
                break
        return ""

    @classmethod
    def parts(cls, node):
        """What a comment says of the arguments, by their names, and of all; its first line is a name."""
        arguments, prose = {}, []
        for line in cls.comment_before(node).strip().split("\n")[1:]:
            line = line.strip()
            if found := re.fullmatch(r"@(\w+): (.*)", line):
                arguments[found[1]] = found[2]
            else:
                prose.append(line)
        return arguments, "\n".join(prose).strip()

    @staticmethod
    def paragraphs(prose):
        """A paragraph that begins with names and a colon is an item."""
        out = []
        for paragraph in filter(None, re.split(r"\n\s*\n", prose)):
            paragraph = " ".join(paragraph.split())
            key, colon, meaning = paragraph.partition(": ")
            if colon and len(key.split()) <= 6 and all(KEY.fullmatch(one) for one in key.split(", ")):
                out.append(item(bold(key), meaning))
            else:
                out.append(text(paragraph) + "\n")
        return "\n".join(out)

    @classmethod
    def member(cls, node):
        arguments, prose = cls.parts(node)
        name = node.getAttribute("name")
        given = node.getElementsByTagName("arg")

        def signature(direction):
            chosen = [arg for arg in given if (arg.getAttribute("direction") or "out") == direction]
            return ", ".join(f"{arg.getAttribute('name')} {arg.getAttribute('type')}" for arg in chosen)

        if node.tagName == "property":
            out = f"## {name} {node.getAttribute('type')}\n\n"
        elif node.tagName == "signal":
            out = f"## {name} ({signature('out')})\n\n"
        else:
            out = f"## {name} ({signature('in')})" + (f" → ({signature('out')})" if signature("out") else "") + "\n\n"
        out = SPECIAL.sub(r"\\\1", out.replace("## ", "", 1))
        rows = [item(bold(argument), meaning) for argument, meaning in arguments.items()]
        return "## " + "\n".join([out.rstrip("\n") + "\n", *rows, cls.paragraphs(prose)])

    def interfaces(self):
        out = []
        for document in self.documents:
            interface = document.getElementsByTagName("interface")[0]
            arguments, prose = self.parts(interface)
            out.append(f"# {interface.getAttribute('name')}\n")
            out.append(self.paragraphs(re.sub(r"@short_description:[^\n]*", "", prose)))
            for node in interface.childNodes:
                if node.nodeType == node.ELEMENT_NODE and node.tagName in ("method", "signal", "property"):
                    out.append(self.member(node))
        return "\n".join(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("output")
    parser.add_argument("--llmctl")
    parser.add_argument("--llmd")
    parser.add_argument("--xml", nargs="+", default=[])
    given = parser.parse_args()
    with open(given.page) as file:
        page = file.read()
    makers = {
        "common options": lambda: LlmctlPage(given.llmctl).common_options(),
        "commands": lambda: LlmctlPage(given.llmctl).commands(),
        "exit codes": lambda: LlmctlPage(given.llmctl).exit_codes(),
        "llmd options": lambda: LlmdPage(given.llmd).options(),
        "settings": lambda: SettingsPage(given.llmctl).settings(),
        "model settings": lambda: SettingsPage(given.llmctl).model_settings(),
        "remote settings": lambda: SettingsPage(given.llmctl).remote_settings(),
        "interfaces": lambda: InterfacePage(given.xml).interfaces(),
    }
    filled = re.sub(r"^@([a-z ]+)@$", lambda found: makers[found[1]]().strip("\n"), page, flags=re.MULTILINE)
    with open(given.output, "w") as file:
        file.write(filled)


if __name__ == "__main__":
    main()
