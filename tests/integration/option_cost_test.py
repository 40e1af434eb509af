"""What a request option costs: one is added to a copy of the tree, as docs/architecture.md ("What a change passes") says, in the
files that it names and no other. Then every dialect takes it, holds it to its range, and an engine gets it in its frame."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["LLMD_SOURCE"]
MOST_FILES = 7
OPTION = "typical_share"  # no dialect has it

# file: (what it has already, what stands before or behind that afterwards)
EDITS = {
    "daemon/protocol/ask.h": [
        ("    std::vector<int32_t> stop_token_ids;", "    float {option} = 1;  // 1: off\n", ""),
        ('        io.number("min_p", m.min_p);\n', "", '        io.number("{option}", m.{option});\n')],
    "daemon/api/fields.cpp": [
        ('    {"min_p", kSampled, kHonoured,\n', '    {"{option}", kSampled, kHonoured,\n     [](FieldReader& reader, Key key, '
         'Call& call) { reader.number(key, 0, 1, call.request.sampling.{option}); }},\n', "")],
    "daemon/engine/generation/sampling/sampler.h": [
        ("sampling.min_p > 0", "sampling.{option} < 1 || ", "")],
    "dbus-interfaces/org.llmd.Llmd1.xml": [
        ("    min_p d: 0 (off) to 1, default 0.05.\n", "", "\n    {option} d: 0 to 1 (off), default 1.\n")],
    "docs/http-api.md": [
        ("| `min_p` | 0 (off) to 1, default 0.05 | likewise |\n", "", "| `{option}` | 0 to 1 (off), default 1 | likewise |\n")],
    "tests/daemon/api/fields_test.cpp": [
        ('    {"min_p", "0.5"},\n', "", '    {"{option}", "0.5"},\n'),
        ("}  // namespace\n}  // namespace llmd::api\n", """TEST(NewOption, IsTakenByEveryDialectAndHeldToItsRange) {
    const auto on_bus = read_call(base::Value::Object{{"{option}", 0.25}}, kBus);
    ASSERT_TRUE(on_bus) << on_bus.error().message;
    EXPECT_EQ(on_bus->request.sampling.{option}, 0.25f);
    for (const Dialect dialect : {kCompletion, kChat, kOllamaGenerate}) {
        const auto with = [&](const char* share) {
            const std::string option = base::concat("\\"{option}\\":", share);
            const bool is_ollamas = dialect == kOllamaGenerate;
            return base::concat("{", is_ollamas ? "\\"model\\":\\"m\\",\\"prompt\\":\\"x\\",\\"options\\":{" : "", option,
                                is_ollamas ? "}" : "", dialect == kCompletion ? ",\\"prompt\\":\\"x\\"" : "",
                                dialect == kChat ? ",\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"x\\"}]" : "", "}");
        };
        const auto call = read_call(with("0.25"), dialect);
        ASSERT_TRUE(call) << call.error().message;
        EXPECT_EQ(call->request.sampling.{option}, 0.25f);
        const auto refused = read_call(with("1.5"), dialect);
        ASSERT_FALSE(refused);
        EXPECT_NE(refused.error().message.find("{option}: expected a number from 0 to 1"), std::string::npos);
    }
}

""", "")],
}
TARGETS = ("tests/daemon/api/api_test", "tests/support/describe_frames")


def copy(source, target):
    return os.symlink(source, target) if source.endswith(".gguf") else shutil.copy2(source, target)


class OptionCost(unittest.TestCase):
    def run_in(self, tree, *command):
        done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout[-4000:]}")
        return done.stdout

    def test_an_option_touches_seven_files_and_reaches_the_engine(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        tree = os.path.join(folder, "tree")
        shutil.copytree(SOURCE, tree, ignore=shutil.ignore_patterns(".git", "build*", "__pycache__"), copy_function=copy)
        for path, edits in EDITS.items():
            with open(os.path.join(tree, path)) as file:
                text = file.read()
            for anchor, before, behind in edits:
                self.assertIn(anchor, text, path)
                text = text.replace(anchor, (before + anchor + behind).replace("{option}", OPTION))
            with open(os.path.join(tree, path), "w") as file:
                file.write(text)
        self.assertLessEqual(len(EDITS) + 1, MOST_FILES, "the fuzzer's frame is one more")

        self.run_in(tree, "meson", "setup", "build", "-Dtests=true", "-Dunity=on", "-Dunity_size=8", "-Ddebug=false")
        self.run_in(tree, "meson", "compile", "-C", "build", *(target.rsplit("/")[-1] for target in TARGETS))
        self.run_in(tree, "build/" + TARGETS[0])
        frames = json.loads(self.run_in(tree, "build/" + TARGETS[1]))
        self.assertIn([OPTION, "f", 1.0], frames["Submit"])


if __name__ == "__main__":
    unittest.main()
