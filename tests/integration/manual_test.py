"""The manual pages and the documents are whole: each option, command, setting and member of the interfaces is in them, and
the pages are well formed. What they tell comes from the programs (docs/man/manual.py); this proves that all of it arrives."""
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import harness
from harness import BUILD, LLMCTL, LLMD, SOURCE

# What http-api.md calls the dialects of api/fields.cpp.
WHERE = {
    "kOpenAi": "completions, chat, messages and responses",
    "kConversation": "chat, messages and responses",
    "kChat": "chat",
    "kCompletion": "completions",
    "kResponses": "responses",
    "kResponses | kAnthropic": "messages and responses",
    "kAnthropic": "messages",
    "kSampled": "completions, chat, messages and responses; Ollama's `options`; the bus",
    "kEmbeddings": "embeddings",
    "kOpenAi | kEmbeddings": "all of OpenAI's API, and messages",
    "kCompletion | kEmbeddings": "completions and embeddings",
    "kCompletion | kOllamaGenerate": "completions; Ollama's generate",
    "kOllama": "Ollama's generate and chat",
    "kOllamaGenerate": "Ollama's generate",
    "kOllamaOptions": "Ollama's `options`",
    "kOllama | kOllamaEmbed": "Ollama's generate, chat and embed",
    "kOllamaEmbed | kOllamaEmbeddings": "Ollama's embed and embeddings",
}

PAGES = ("llmctl.1", "llmd.8", "llmd.toml.5", "org.llmd.Llmd1.7")


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout


def page_path(page):
    return os.path.join(BUILD, "docs", "man", page)


def plain(markdown):
    """Without the marks of code and links."""
    parts = re.split(r"`([^`]*)`", markdown)
    return "".join(part if i % 2 else re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", part) for i, part in enumerate(parts))


class Manual(unittest.TestCase):
    def setUp(self):
        harness.require("manuals")

    def page(self, name):
        """As a wide terminal shows it, without its bold and underlined letters."""
        shown = run("mandoc", "-T", "utf8", "-O", "width=400", page_path(name))
        return re.sub(r".\x08", "", shown).replace("\N{HYPHEN}", "-").replace("\N{MINUS SIGN}", "-")

    @staticmethod
    def section_of(page, command):
        return re.search(rf"(?ms)^   {command}$.*?(?=^ ? ?\S|^   \S)", page)[0]

    def test_each_command_and_option_is_told_in_its_section(self):
        page = self.page("llmctl.1")
        table = json.loads(run(LLMCTL, "help", "--json"))
        common = page[page.index("OPTIONS OF ALL COMMANDS"):page.index("\nCOMMANDS")]
        count = 0
        for command in table["commands"]:
            section = self.section_of(page, command["name"])
            self.assertIn(f"llmctl {command['name']}", section)
            for option in command["options"]:
                head = f"--{option['name']}" + (f" {option['value']}" if option["value"] else "")
                if option.get("letter"):
                    head = f"-{option['letter']}, {head}"
                place = common if f"--{option['name']}" in common else section
                self.assertRegex(place, rf"(?m)^ +{re.escape(head)}\n +{re.escape(option['help'][:20])}", command["name"])
                count += 1
        self.assertGreater(count, 60)
        for exit_code in table["exit_codes"]:
            self.assertRegex(page, rf"(?m)^ +{exit_code['code']}\n +{re.escape(exit_code['meaning'])}")

    def test_the_help_names_what_the_table_has(self):
        """So that the page has what people see with --help."""
        for command in json.loads(run(LLMCTL, "help", "--json"))["commands"]:
            shown = run(LLMCTL, command["name"], "--help")
            self.assertEqual(re.findall(r"(?m)^  (?:-\w, |    )--([a-z-]+)", shown),
                             [option["name"] for option in command["options"]])

    def test_the_daemons_options_are_told(self):
        page = self.page("llmd.8")
        usage = run(LLMD, "--help")
        options = re.findall(r"\[(--[a-z-]+(?: [A-Z]+)?)\]", usage)
        self.assertIn("--check-config", options)
        for option in options:
            self.assertRegex(page, rf"(?m)^ +{option}\n")

    def test_each_setting_is_told(self):
        page = self.page("llmd.toml.5")
        rows = json.loads(run(LLMCTL, "--json", "config", "explain"))["settings"]
        for row in rows:
            self.assertRegex(page, rf"(?m)^ +{row['name']}\n +{re.escape(row['meaning'][:20])}")
        self.assertEqual({row["table"] for row in rows}, {"", "models", "remote"})

    def test_each_member_of_the_interfaces_is_told(self):
        page = self.page("org.llmd.Llmd1.7")
        count = 0
        for file in glob.glob(os.path.join(SOURCE, "dbus-interfaces", "*.xml")):
            for interface in xml.etree.ElementTree.parse(file).getroot().iter("interface"):
                self.assertRegex(page, rf"(?m)^{interface.get('name')}$")
                for member in interface:
                    if member.tag in ("method", "signal", "property"):
                        self.assertRegex(page, rf"(?m)^   {member.get('name')} ")
                        count += 1
        self.assertGreater(count, 30)

    def test_the_pages_are_well_formed(self):
        for page in PAGES:
            lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page_path(page)], capture_output=True, text=True)
            # scdoc puts one behind each heading.
            faults = [line for line in lint.stdout.splitlines() if "skipping paragraph macro" not in line]
            self.assertEqual(faults, [])
            self.assertNotIn("@", "".join(re.findall(r"^@.*", self.page(page), re.MULTILINE)))
            if shutil.which("groff"):
                warned = subprocess.run(["groff", "-K", "utf8", "-man", "-Tutf8", "-ww", "-z", page_path(page)], capture_output=True, text=True)
                self.assertEqual(warned.stderr, "")


class Documents(unittest.TestCase):
    """Needs no tools: what the documents list is what the programs have."""

    def read(self, name):
        with open(os.path.join(SOURCE, "docs", name)) as file:
            return file.read()

    def test_the_settings_are_told_as_the_programs_tell_them(self):
        """The tables of configuration.md are those of base/setting_table.cpp."""
        table = None
        told = []
        for line in self.read("configuration.md").splitlines():
            if line == "| key | values | what it sets |":
                table = "" if table is None else "models" if table == "" else "remote"
            elif row := re.fullmatch(r"\| `(\w+)` \| (.*) \| (.*) \|", line):
                told.append({"table": table, "name": row[1], "values": plain(row[2]), "meaning": plain(row[3])})
        rows = json.loads(run(LLMCTL, "--json", "config", "explain"))["settings"]
        for row in rows:
            row.pop("files")  # that say it on this machine
        self.assertEqual([row for row in told if row["table"] is not None and "takes effect" not in row], rows)

    def test_what_the_settings_may_be_is_so(self):
        """Each word and the ends of each range are taken, and what is beyond is not."""
        with tempfile.TemporaryDirectory() as folder:
            def takes(name, value):
                done = subprocess.run([LLMCTL, "config", "set", name, value], stdin=subprocess.DEVNULL, capture_output=True,
                                      env={"HOME": folder, "XDG_CONFIG_DIRS": folder})
                return done.returncode == 0

            for row in json.loads(run(LLMCTL, "--json", "config", "explain"))["settings"]:
                if row["table"] or row["name"] == "model":
                    continue
                values = row["values"].partition(";")[0]
                if found := re.fullmatch(r"(\d+) to (\d+)", values):
                    least, most = int(found[1]), int(found[2])
                    self.assertEqual([takes(row["name"], str(n)) for n in (least, most, most + 1)], [True, True, False], row)
                elif re.fullmatch(r"[a-z]+(, [a-z]+)+", values):
                    self.assertEqual([takes(row["name"], word) for word in values.split(", ") + ["maybe"]],
                                     [True] * len(values.split(", ")) + [False], row)

    def test_the_errors_are_told_as_the_programs_tell_them(self):
        """The table of http-api.md is that of api/errors.cpp, and the interface says what each name means."""
        errors = json.loads(run(LLMCTL, "help", "--json"))["errors"]
        rows = [f"| `{error['name']}` | {error['http_status']} | `{error['code']}` | {'yes' if error['may_retry'] else 'no'} "
                f"| {error['exit_code']} |" for error in errors]
        text = self.read("http-api.md")
        told = text[text.index("| name | status | code |"):].split("\n\n")[0].splitlines()[2:]
        self.assertEqual(told, rows)
        with open(os.path.join(SOURCE, "dbus-interfaces", "org.llmd.Llmd1.xml")) as file:
            described = re.search(r"(?s)NAME is one of:(.*?)OPTIONS of", file.read())[1]
        self.assertEqual(re.findall(r"(?m)^    (\w+):", described), [error["name"] for error in errors])

    def fields(self):
        """[(name, its dialects in api/fields.cpp, Honoured or Harmless or Refused, the value that is not refused)]"""
        with open(os.path.join(SOURCE, "daemon", "api", "fields.cpp")) as file:
            table = re.search(r"(?s)constexpr Field kTable\[\] = \{(.*?)\n\};", file.read())[1]
        rows = re.findall(r'(?m)^    \{"([^"]+)", ([^{}]*?), k(Honoured|Harmless|Refused)'
                          r'(?:, nullptr, (?:R"\((.*?)\)"|"([^"]*)"))?', table)
        self.assertEqual(len(rows), len(re.findall(r'(?m)^    \{"', table)))
        self.assertGreater(len(rows), 150)
        return [(name, dialects, treatment, raw or neutral) for name, dialects, treatment, raw, neutral in rows]

    def test_the_fields_that_change_nothing_and_those_that_are_refused_are_told(self):
        """The table of http-api.md is that of api/fields.cpp."""
        told = {}
        for name, dialects, treatment, neutral in self.fields():
            if treatment != "Honoured":
                told.setdefault(WHERE[dialects], {"Harmless": [], "Refused": []})[treatment].append(
                    f"`{name}`" + (f" (`{neutral}`)" if neutral else ""))
        rows = [f"| {where} | {', '.join(row['Harmless'])} | {', '.join(row['Refused'])} |" for where, row in told.items()]
        text = self.read("http-api.md")
        table = text[text.index("| where | changes nothing |"):].split("\n\n")[0].splitlines()[2:]
        self.assertEqual(table, rows)

    def test_the_fields_that_are_honoured_are_told(self):
        with open(os.path.join(SOURCE, "dbus-interfaces", "org.llmd.Llmd1.xml")) as file:
            interface = file.read()
        code = re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", self.read("http-api.md"))))
        for name, dialects, treatment, _ in self.fields():
            if treatment == "Honoured" and dialects != "kBus":
                self.assertIn(name, code)
            if treatment == "Honoured" and re.search(r"\b(kBus|kAll|kSampled|kTools)\b", dialects) and "~kBus" not in dialects:
                self.assertRegex(interface, rf"\b{name}\b")

    def test_nothing_is_left_to_the_sources(self):
        """The pages for users send nobody to a header or source of the programs."""
        for name in ("configuration.md", "http-api.md", "dbus-api.md", "llmctl.md", "security.md", "models.md", "app.md"):
            self.assertEqual(re.findall(r"\]\(\.\./(?:daemon|client)/[^)]*\)", self.read(name)), [], name)

    def test_the_status_is_told_whole(self):
        """Each key of the table in api/status.cpp is in the description of GetStatus."""
        with open(os.path.join(SOURCE, "daemon", "api", "status.cpp")) as file:
            table = re.search(r"(?s)constexpr std::array kFields = \{(.*?)\n\};", file.read())
        keys = re.findall(r'\{"(\w+)", "', table[1])
        self.assertGreater(len(keys), 30)
        with open(os.path.join(SOURCE, "dbus-interfaces", "org.llmd.Llmd1.xml")) as file:
            told = re.search(r"(?s)GetStatus:(.*?)-->", file.read())[1]
        self.assertEqual([key for key in keys if not re.search(rf"\b{key}\b", told)], [])


if __name__ == "__main__":
    harness.main()
