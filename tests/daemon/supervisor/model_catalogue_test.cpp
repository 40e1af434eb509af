// Folders full of anything become a list of models; hostile names and hanging inspections stay harmless.
#include "supervisor/model_catalogue.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/model_files.h"
#include "fake_engine.h"
#include "protocol/frame.h"
#include "support/temporary_directory.h"

namespace llmd::supervisor {
namespace {

using test::TemporaryDirectory;

using base::ErrorCode;

class ModelCatalogueTest : public testing::Test {
protected:
    // An engine that answers any inspection with this message, and notes the file.
    std::string inspector(const protocol::Message& answer, const std::string& then = "") {
        std::string frame;
        EXPECT_TRUE(protocol::encode(answer, frame));
        const std::string bytes = programs_.write("frame", frame);
        return programs_.write_program(
            "engine", "#!/bin/sh\necho \"$1 $2\" >>" + programs_.path() + "/log\ncat " + bytes + "\n" + then + "\n");
    }
    static protocol::Inspection llama() {
        protocol::Inspection inspection;
        inspection.ok = true;
        inspection.architecture = "llama";
        inspection.quantization = "Q4_0";
        inspection.n_ctx_train = 512;
        inspection.n_parameters = 1'000;
        inspection.n_embd = 64;
        inspection.n_layers = 5;
        inspection.n_heads = 8;
        inspection.n_kv_heads = 4;
        inspection.n_ff = 172;
        inspection.n_vocab = 320;
        inspection.digest = "abc";
        inspection.chat_template = "{{x}}";
        inspection.chat_family = "qwen3";
        inspection.chats = inspection.thinks = true;
        return inspection;
    }
    std::vector<ModelEntry> list(const std::unique_ptr<ModelCatalogue>& catalogue) {
        std::optional<std::vector<ModelEntry>> entries;
        catalogue->list([&](std::vector<ModelEntry> found) { entries = std::move(found); });
        EXPECT_FALSE(entries);  // never from inside the call
        constexpr int kTurns = 1000;
        for (int i = 0; i < kTurns && !entries; ++i) EXPECT_TRUE(loop_.run_once(std::chrono::seconds(10)));
        return entries.value_or(std::vector<ModelEntry>{});
    }
    int inspections() const {
        std::ifstream file(programs_.path() + "/log");
        int n = 0;
        for (std::string line; std::getline(file, line);) ++n;
        return n;
    }

    base::EventLoop loop_;
    TemporaryDirectory first_, second_, programs_;
};

TEST(DefaultModel, IsTheBundledOneOrTheOnlyOneOfThisDevice) {
    const std::string bundled(kBundledModel);
    EXPECT_EQ(default_model_of({}), "");
    EXPECT_EQ(default_model_of({"a"}), "a");
    EXPECT_EQ(default_model_of({"a", "b"}), "");
    EXPECT_EQ(default_model_of({"a", bundled, "z"}), bundled);
    EXPECT_EQ(default_model_of({"big@home", "small"}), "small");
    EXPECT_EQ(default_model_of({"big@home"}), "");
}

TEST_F(ModelCatalogueTest, ListsWhatTheInspectionSaysInOrderOfNames) {
    first_.write("b.gguf", "12345");
    second_.write("a.gguf", "123");
    second_.write("b.gguf", "hidden by the first folder's");
    second_.write("notes.txt", "no model");
    const auto catalogue =
        ModelCatalogue::make(loop_, {first_.path(), second_.path(), "/nonexistent"}, inspector(llama()));
    const auto entries = list(catalogue);
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].name, "a");
    EXPECT_EQ(entries[0].path, second_.path() + "/a.gguf");
    EXPECT_EQ(entries[0].architecture, "llama");
    EXPECT_EQ(entries[0].quantization, "Q4_0");
    EXPECT_EQ(entries[0].n_ctx_train, 512u);
    EXPECT_EQ(entries[0].n_parameters, 1'000u);
    EXPECT_EQ(entries[0].n_embd, 64u);
    EXPECT_EQ(entries[0].n_layers, 5u);
    EXPECT_EQ(entries[0].n_heads, 8u);
    EXPECT_EQ(entries[0].n_kv_heads, 4u);
    EXPECT_EQ(entries[0].n_ff, 172u);
    EXPECT_EQ(entries[0].n_vocab, 320u);
    EXPECT_EQ(entries[0].digest, "abc");
    EXPECT_EQ(entries[0].chat_template, "{{x}}");
    EXPECT_EQ(entries[0].chat_family, "qwen3");
    EXPECT_TRUE(entries[0].chats && entries[0].thinks);
    EXPECT_EQ(entries[0].error, "");
    EXPECT_FALSE(entries[0].loaded);
    EXPECT_EQ(entries[1].path, first_.path() + "/b.gguf");
    EXPECT_EQ(entries[1].size_bytes, 5u);
    std::string log;
    std::getline(std::ifstream(programs_.path() + "/log"), log);
    EXPECT_EQ(log.rfind("--inspect /", 0), 0u) << log;
}

// By size, metadata and a sample of the weights, which the digest tells, whatever time it has.
TEST_F(ModelCatalogueTest, AFileThatWasOnlyTouchedIsTheSame) {
    const std::string path = first_.write("a.gguf", "1");
    auto inspection = llama();
    const auto catalogue = ModelCatalogue::make(loop_, {first_.path()}, inspector(inspection));
    list(catalogue);
    const auto first = catalogue->identify(path);
    ASSERT_TRUE(first);
    const auto touch = [&](int hour) {
        std::filesystem::last_write_time(path, std::filesystem::file_time_type() + std::chrono::hours(hour));
    };
    for (const int hour : {1, 2, 3}) {
        touch(hour);
        EXPECT_NE(catalogue->identify(path), first) << "nobody has looked yet";
        list(catalogue);
        EXPECT_EQ(catalogue->identify(path), first) << hour;
    }
    // Other contents of the same length, in the same file.
    inspection.digest = "def";
    inspector(inspection);
    touch(4);
    list(catalogue);
    EXPECT_NE(catalogue->identify(path), first);
    // A file of the same contents in its place is another.
    first_.write("b.gguf", "1");
    std::filesystem::rename(first_.path() + "/b.gguf", path);
    const auto other = catalogue->identify(path);
    list(catalogue);
    EXPECT_EQ(catalogue->identify(path), other);
}

TEST_F(ModelCatalogueTest, InspectsAFileAgainOnlyWhenItHasChanged) {
    first_.write("a.gguf", "1");
    const auto catalogue = ModelCatalogue::make(loop_, {first_.path()}, inspector(llama()));
    list(catalogue);
    list(catalogue);
    EXPECT_EQ(inspections(), 1);
    first_.write("a.gguf", "12");
    list(catalogue);
    EXPECT_EQ(inspections(), 2);
    catalogue->forget_inspections();
    list(catalogue);
    EXPECT_EQ(inspections(), 3);
}

TEST_F(ModelCatalogueTest, InspectsAgainWhatGaveNoAnswer) {
    first_.write("a.gguf", "1");
    const std::string engine = programs_.path() + "/engine";
    const auto catalogue = ModelCatalogue::make(loop_, {first_.path()}, engine);
    EXPECT_NE(list(catalogue).at(0).error.find("cannot run"), std::string::npos);
    programs_.write_program("engine", "#!/bin/sh\nkill -KILL $$\n");
    EXPECT_NE(list(catalogue).at(0).error.find("without an answer"), std::string::npos);
    inspector(llama());
    EXPECT_EQ(list(catalogue).at(0).error, "");
    EXPECT_EQ(list(catalogue).at(0).architecture, "llama");
    // An answer is an answer, also when it says that this is no model.
    protocol::Inspection bad;
    bad.error = "not a GGUF file";
    inspector(bad);
    first_.write("a.gguf", "12");
    EXPECT_EQ(list(catalogue).at(0).error, "not a GGUF file");
    inspector(llama());
    EXPECT_EQ(list(catalogue).at(0).error, "not a GGUF file");
}

TEST_F(ModelCatalogueTest, TwoQuestionsAtOnceShareTheirInspections) {
    for (const char* name : {"a.gguf", "b.gguf", "c.gguf", "d.gguf"}) first_.write(name, name);
    const auto catalogue = ModelCatalogue::make(loop_, {first_.path()}, inspector(llama()));
    size_t found = 0;
    catalogue->list([&](const auto& entries) { found += entries.size(); });
    EXPECT_EQ(list(catalogue).size(), 4u);
    EXPECT_EQ(found, 4u);
    EXPECT_EQ(inspections(), 4);
}

TEST_F(ModelCatalogueTest, AFailedInspectionIsAnEntryWithAnError) {
    first_.write("a.gguf", "1");
    const auto error_with = [&](const std::string& engine) {
        const auto catalogue = ModelCatalogue::make(loop_, {first_.path()}, engine);
        const auto entries = list(catalogue);
        EXPECT_EQ(entries.size(), 1u);
        return entries.empty() ? "" : entries[0].error;
    };
    protocol::Inspection bad;
    bad.error = "not a GGUF file";
    EXPECT_EQ(error_with(inspector(bad)), "not a GGUF file");
    EXPECT_EQ(error_with("/nonexistent"), "cannot run /nonexistent: No such file or directory");
    EXPECT_EQ(error_with(inspector(protocol::Fault{"x"})), "the inspection ended without an answer (wait status 0)");
    EXPECT_NE(error_with("/bin/true").find("without an answer"), std::string::npos);
    EXPECT_NE(error_with(programs_.write_program("crash", "#!/bin/sh\nkill -SEGV $$\n")).find("(wait status "),
              std::string::npos);
    EXPECT_NE(error_with(programs_.write_program("noise", "#!/bin/sh\necho 'this is no frame'\n")).find("malformed"),
              std::string::npos);
}

TEST_F(ModelCatalogueTest, SkipsWhatIsNoFileAndListsWhatCannotBeNamed) {
    first_.write("good.gguf", "1");
    ASSERT_EQ(::mkfifo((first_.path() + "/fifo.gguf").c_str(), 0600), 0);
    ASSERT_EQ(::mkdir((first_.path() + "/folder.gguf").c_str(), 0700), 0);
    ASSERT_EQ(::symlink("good.gguf", (first_.path() + "/link.gguf").c_str()), 0);
    ASSERT_EQ(::symlink("gone.gguf", (first_.path() + "/dangling.gguf").c_str()), 0);
    for (const char* name : {".gguf", ".hidden.gguf", "bad\xff.gguf", "line\nbreak.gguf", "A.GGUF", "good.GGUF"}) {
        first_.write(name, "1");
    }
    const auto catalogue = ModelCatalogue::make(loop_, {first_.path()}, inspector(llama()));
    EXPECT_EQ(catalogue->names(), (std::vector<std::string>{"good", "link"}));
    std::vector<std::string> faults;
    for (const ModelEntry& entry : list(catalogue)) {
        if (!entry.error.empty()) faults.push_back(entry.name + ": " + entry.error);
    }
    const std::string dot = ": its name begins with a dot: rename the file";
    const std::string suffix = ": its name does not end in .gguf in small letters: rename the file";
    const std::string shown = ": its name has characters that cannot be shown: rename the file";
    EXPECT_EQ(faults,
              (std::vector<std::string>{".gguf" + dot, ".hidden.gguf" + dot, "A.GGUF" + suffix, "bad\\xff.gguf" + shown,
                                        "good.GGUF" + suffix, "line\\x0abreak.gguf" + shown}));
    EXPECT_EQ(inspections(), 1);  // one file, two names
}

TEST_F(ModelCatalogueTest, ListsADirectoryThatCannotBeRead) {
    first_.write("file", "");
    const std::string path = first_.path() + "/file";
    const auto catalogue = ModelCatalogue::make(loop_, {path}, inspector(llama()));
    const auto entries = list(catalogue);
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].error, path + ": this directory cannot be read: Not a directory");
    EXPECT_EQ(without_path_in_error(entries[0]).error, "file: this directory cannot be read: Not a directory");
    EXPECT_TRUE(catalogue->names().empty());
}

TEST_F(ModelCatalogueTest, ASplitModelIsOneModel) {
    first_.write("big-00001-of-00003.gguf", "1");
    first_.write("big-00002-of-00003.gguf", "22");
    const auto catalogue = ModelCatalogue::make(loop_, {first_.path()}, inspector(llama()));
    auto entries = list(catalogue);
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].name, "big");
    EXPECT_EQ(entries[0].path, first_.path() + "/big-00001-of-00003.gguf");
    EXPECT_EQ(entries[0].size_bytes, 3u);
    EXPECT_EQ(*catalogue->find("big"), entries[0].path);
    EXPECT_FALSE(catalogue->find("big-00001-of-00003"));
    EXPECT_FALSE(catalogue->find("big-00002-of-00003"));
    // A part that comes is a change.
    first_.write("big-00003-of-00003.gguf", "333");
    entries = list(catalogue);
    EXPECT_EQ(entries.at(0).size_bytes, 6u);
    EXPECT_EQ(inspections(), 2);
    first_.write("big-00003-of-00003.gguf", "4444");
    list(catalogue);
    EXPECT_EQ(inspections(), 3);
}

TEST_F(ModelCatalogueTest, FindsByNameAndNeverByPath) {
    first_.write("a.gguf", "1");
    second_.write("a.gguf", "2");
    second_.write("b.gguf", "3");
    const auto catalogue = ModelCatalogue::make(loop_, {first_.path(), second_.path()}, "");
    EXPECT_EQ(*catalogue->find("a"), first_.path() + "/a.gguf");
    EXPECT_EQ(*catalogue->find("b"), second_.path() + "/b.gguf");
    const std::string up = "../" + first_.path().substr(first_.path().rfind('/') + 1) + "/a";
    for (const std::string name : {"c", "", ".", "..", up.c_str(), "./a", "a.gguf", "\xff", "a\n"}) {
        const auto found = catalogue->find(name);
        ASSERT_FALSE(found) << name;
        EXPECT_EQ(found.error().code, ErrorCode::ModelNotFound);
    }
    EXPECT_FALSE(catalogue->find(std::string_view("a\0b", 3)));
    EXPECT_EQ(catalogue->find("c").error().message, "no model is called 'c'; there are: a, b");
    const auto empty = ModelCatalogue::make(loop_, {}, "");
    EXPECT_EQ(empty->find("c").error().message, "no model is called 'c'; there are none");
}

// MODEL@REMOTE is asked of a remote, whatever files there are.
TEST_F(ModelCatalogueTest, AFileThatIsCalledLikeARemotesModelIsListedAsUnusable) {
    first_.write("a.gguf", "123");
    first_.write("b@home.gguf", "12345");
    const auto catalogue = ModelCatalogue::make(loop_, {first_.path()}, inspector(llama()));
    const auto entries = list(catalogue);
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].error, "");
    EXPECT_EQ(entries[1].name, "b@home");
    EXPECT_EQ(entries[1].error, base::kNameOfRemote);
    EXPECT_EQ(inspections(), 1);
    EXPECT_EQ(catalogue->names(), std::vector<std::string>{"a"});
    const auto found = catalogue->find("b@home");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message, "no model is called 'b@home'; there are: a");
}

TEST_F(ModelCatalogueTest, GoesAwayInTheMiddleOfAnInspection) {
    first_.write("a.gguf", "1");
    {
        const auto catalogue =
            ModelCatalogue::make(loop_, {first_.path()}, inspector(llama(), "cat /dev/zero >/dev/null"));
        catalogue->list([](const auto&) { FAIL(); });
        settle(loop_);
    }
    settle(loop_);
}

}  // namespace
}  // namespace llmd::supervisor
