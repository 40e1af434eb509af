// Long prefixes are saved to the on-disk prefix cache while there is no work, a page at a time, and each request that
// comes meanwhile is served before the next page.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "served_engine.h"

namespace llmd::engine {
namespace {

namespace fs = std::filesystem;
using protocol::Message;

constexpr uint32_t kTokens = 300;  // of a prompt: nine whole pages

class EngineServerSaving : public test::ServedEngine {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "llmd-saving-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory_ = name;
        prefixes_ = directory_ / "prefixes";
        model_options_ = {.n_ctx = 1024, .n_pages = 64, .max_rows = 256};
        restart();
    }
    void TearDown() override { fs::remove_all(directory_); }

    void restart(uint64_t saved_prefix_bytes = 1u << 20) {
        ServedEngine::SetUp();
        n_started_ = 0;
        say(protocol::Load{.model_path = "good", .saved_prefix_bytes = saved_prefix_bytes});
        ready_ = only<protocol::Ready>(serve()).at(0);
    }
    // Asks, waits for the end, and gives the prompt's tokens that were found.
    uint32_t ask(uint64_t id, const std::string& prompt = std::string(kTokens, 'a')) {
        auto request = test::submit(id, prompt);
        request.cache_scope = "app";
        say(request);
        say(protocol::Start{id});
        n_started_ = 1;
        return only<protocol::Started>(serve()).at(0).cached_tokens;
    }
    // Runs one iteration without a command.
    std::vector<Message> run_once() {
        left_ = server_->run_once();
        return hear();
    }
    size_t n_files() const {
        return static_cast<size_t>(std::distance(fs::directory_iterator(prefixes_), fs::directory_iterator()));
    }

    fs::path directory_;
    protocol::Ready ready_;
};

TEST_F(EngineServerSaving, SavesAPageATurnAndSaysHowLongThatMayTake) {
    ask(1);
    EXPECT_EQ(ask(2), 288u);
    for (size_t n = 1; n <= 9; ++n) {
        const auto phases = only<protocol::PhaseChange>(run_once());
        ASSERT_EQ(phases.size(), 2u);
        EXPECT_EQ(phases[0].phase, protocol::Phase::Idle);
        EXPECT_EQ(phases[0].budget_ms, 0u) << "sleep waits for no more than a page";
        EXPECT_EQ(phases[1].phase, protocol::Phase::Idle) << "the device has no part in it";
        EXPECT_EQ(phases[1].budget_ms, static_cast<uint32_t>(kDiskBudget.count()));
        EXPECT_EQ(n_files(), n);
    }
    say(protocol::Cancel{9});  // or it would wait
    EXPECT_EQ(only<protocol::PhaseChange>(run_once()).size(), 1u);
    restart();
    EXPECT_EQ(ask(3), 288u);
}

TEST_F(EngineServerSaving, ARequestGoesFirst) {
    ask(1);
    ask(2);
    run_once();
    EXPECT_EQ(n_files(), 1u);
    EXPECT_EQ(ask(3, "another"), 0u);
    EXPECT_EQ(n_files(), 1u);
    say(protocol::DropCache{});
    run_once();
    restart();
    EXPECT_EQ(n_files(), 1u) << "of what is saved nothing was dropped";
}

TEST_F(EngineServerSaving, AnotherProfileStartsAnew) {
    ask(1);
    ask(2);
    for (int i = 0; i < 9; ++i) run_once();
    profile_ = "another";
    restart();
    EXPECT_EQ(ask(3), 0u);
    profile_ = "fake";
    restart();
    EXPECT_EQ(ask(4), 288u);
}

TEST_F(EngineServerSaving, WithoutASettingTheFilesGo) {
    ask(1);
    ask(2);
    for (int i = 0; i < 9; ++i) run_once();
    restart(0);
    EXPECT_EQ(n_files(), 0u);
    ask(3);
    ask(4);
    say(protocol::Cancel{9});  // or it would wait
    run_once();
    EXPECT_EQ(n_files(), 0u);
    EXPECT_TRUE(ready_.notes.empty());
}

TEST_F(EngineServerSaving, ANoteSaysWhyNothingIsSaved) {
    prefixes_.clear();
    restart();
    EXPECT_EQ(ready_.notes, std::vector<std::string>{"prefixes are not saved: there is no cache directory"});
    prefixes_ = directory_ / "file";
    std::ofstream(prefixes_) << "x";
    restart();
    ASSERT_EQ(ready_.notes.size(), 1u);
    EXPECT_TRUE(ready_.notes[0].starts_with("prefixes are not saved: " + prefixes_.string())) << ready_.notes[0];
    ask(1);
    EXPECT_EQ(ask(2), 288u);
}

}  // namespace
}  // namespace llmd::engine
