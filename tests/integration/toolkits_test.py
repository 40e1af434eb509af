"""What the toolkits' own tools make of the interface's XML: code without a warning that compiles, and documentation."""
import glob
import os
import shlex
import shutil
import subprocess
import tempfile
import unittest
import xml.dom.minidom

import harness
from harness import LIMIT_S

INTERFACES = os.path.join(harness.SOURCE, "dbus-interfaces")
NAMES = ["org.llmd.Llmd1", "org.llmd.Llmd1.Admin", "org.llmd.Llmd1.Request"]
# What sdbus-c++-xml2cpp has to say of annotations that are for somebody else.
IGNORED = "org.qtproject.QtDBus.QtTypeName"
WARNINGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror"]


def xml_of(name):
    return os.path.join(INTERFACES, name + ".xml")


class Toolkits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def need(self, *tools):
        if any(shutil.which(tool) is None for tool in tools):
            harness.require("toolkits")

    def run_tool(self, *command):
        """Its standard error."""
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def flags(self, package):
        found = subprocess.run(["pkg-config", "--cflags", package], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True)
        if found.returncode != 0:
            harness.require("toolkits")
        return shlex.split(found.stdout)

    def compile(self, compiler, lines, *flags):
        source = os.path.join(self.folder, "source.c")
        with open(source, "w") as file:
            file.write("\n".join(lines) + "\n")
        self.assertEqual(self.run_tool(*compiler, *WARNINGS, *flags, source), "")

    def test_qdbusxml2cpp(self):
        self.need("qdbusxml2cpp", "c++")
        flags = self.flags("Qt5DBus")
        for name in NAMES:
            for role, prefix in (("-p", "proxy_"), ("-a", "adaptor_")):
                self.assertEqual(self.run_tool("qdbusxml2cpp", role, prefix + name, xml_of(name)), "")
            self.assertEqual(self.run_tool("qdbusxml2cpp", "-N", "-p", "plain_" + name, xml_of(name)), "")
        cxx = ["c++", "-x", "c++", "-std=c++17", "-fPIC"]
        # As qt_add_dbus_interface() calls it, and all of it in one program.
        self.compile(cxx, [f'#include "proxy_{NAMES[0]}.cpp"'], *flags)
        self.compile(cxx, [f'#include "plain_{name}.cpp"' for name in NAMES] +
                     [f'#include "adaptor_{name}.h"' for name in NAMES], *flags)

    def test_gdbus_codegen(self):
        self.need("gdbus-codegen", "cc")
        flags = self.flags("gio-unix-2.0")
        for name in NAMES:
            self.assertEqual(self.run_tool("gdbus-codegen", "--interface-prefix", "org.llmd.", "--c-namespace", "Llmd",
                                           "--generate-c-code", name, xml_of(name)), "")
        self.compile(["cc", "-x", "c"], [f'#include "{name}.h"' for name in NAMES], *flags)
        for name in NAMES:
            self.assertEqual(self.run_tool("cc", *WARNINGS, *flags, name + ".c"), "")

    def test_gdbus_codegen_finds_the_documentation(self):
        self.need("gdbus-codegen")
        for name in NAMES:
            self.assertEqual(self.run_tool("gdbus-codegen", "--generate-docbook", "docbook", xml_of(name)), "")
        documented = 0
        for path in glob.glob(os.path.join(self.folder, "docbook-*.xml")):
            document = xml.dom.minidom.parse(path)  # it is well-formed
            for section in document.getElementsByTagName("refsect2"):
                member = section.getAttribute("id")
                own = [node for node in section.childNodes if node.nodeName == "para"]
                self.assertTrue(self.text(own), member)
                for argument in section.getElementsByTagName("varlistentry"):
                    documented += 1
                    term = self.text(argument.getElementsByTagName("term"))
                    self.assertTrue(self.text(argument.getElementsByTagName("para")), f"{member}: {term} has no text")
            with open(path) as file:
                whole = file.read()
            if path.endswith("docbook-org.llmd.Llmd1.xml"):
                for word in ("SlowConsumer:", "max_tokens u:", "finish_reason s:", "kv_pages_total u:"):
                    self.assertIn(word, whole)
        self.assertGreater(documented, 40)

    @staticmethod
    def text(elements):
        def inside(node):
            return node.data if node.nodeType == node.TEXT_NODE else "".join(map(inside, node.childNodes))

        return "".join(map(inside, elements)).strip()

    def test_sdbus_cpp_xml2cpp(self):
        self.need("sdbus-c++-xml2cpp", "c++")
        flags = self.flags("sdbus-c++")
        headers = []
        for name in NAMES:
            roles = [f"--adaptor=adaptor-{name}.h", f"--proxy=proxy-{name}.h"]
            said = self.run_tool("sdbus-c++-xml2cpp", xml_of(name), *roles)
            self.assertEqual([line for line in said.splitlines() if IGNORED not in line], [])
            headers += [role.split("=")[1] for role in roles]
        self.compile(["c++", "-x", "c++", "-std=c++20"], [f'#include "{header}"' for header in headers], *flags)


if __name__ == "__main__":
    harness.main()
