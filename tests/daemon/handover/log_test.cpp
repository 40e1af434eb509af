#include "handover/log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/temporary_directory.h"

namespace llmd::handover {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr LogTime kNow{seconds(1'795'644'000)};  // 2026-11-25T22:00:00Z

LogEntry entry(LogTime time, const std::string& model = "qwen3-32b") {
    return {time, "flatpak:org.example.Notes", "home", model, 12, 345, 67, 890, milliseconds(4321), "stop"};
}

class RemoteLogTest : public testing::Test {
protected:
    RemoteLog::Options options() {
        RemoteLog::Options options;
        options.path = path_;
        options.now = [this] { return now_; };
        options.warn = [this](const base::Error& error) { warnings_.push_back(error.message); };
        return options;
    }
    std::string text() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::vector<std::string> models() const {
        const auto entries = read_remote_log(path_, now_);
        EXPECT_TRUE(entries) << entries.error().message;
        std::vector<std::string> names;
        for (const LogEntry& e : entries ? *entries : std::vector<LogEntry>()) names.push_back(e.model);
        return names;
    }
    static unsigned mode(const std::string& path) {
        struct stat status = {};
        EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
        return status.st_mode & 07777;
    }

    base::EventLoop loop_;
    const test::TemporaryDirectory directory_;
    const std::string path_ = directory_.path() + "/state/llmd/remote.log";
    LogTime now_ = kNow;
    std::vector<std::string> warnings_;
};

TEST_F(RemoteLogTest, ALineSaysWhoWhenWhereAndHowMuch) {
    RemoteLog log(loop_, options());
    EXPECT_FALSE(std::filesystem::exists(directory_.path() + "/state")) << "nothing is made before anything was sent";
    log.append(entry(kNow));
    EXPECT_EQ(text(),
              R"({"time":"2026-11-25T22:00:00Z","application":"flatpak:org.example.Notes","remote":"home",)"
              R"("model":"qwen3-32b","prompt_tokens":12,"generated_tokens":345,"sent_bytes":67,"received_bytes":890,)"
              R"("milliseconds":4321,"end":"stop"})"
              "\n");
    log.append(entry(kNow + seconds(1), "b"));
    const auto entries = read_remote_log(path_, now_);
    ASSERT_TRUE(entries);
    EXPECT_EQ(*entries, (std::vector<LogEntry>{entry(kNow), entry(kNow + seconds(1), "b")}));
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(RemoteLogTest, OnlyItsOwnerMayReadIt) {
    const mode_t before = ::umask(0);
    {
        RemoteLog log(loop_, options());
        log.append(entry(kNow));
    }
    EXPECT_EQ(mode(path_), 0600u);
    EXPECT_EQ(mode(directory_.path() + "/state/llmd"), 0700u);
    EXPECT_EQ(mode(directory_.path() + "/state"), 0700u);
    ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
    RemoteLog log(loop_, options());
    log.append(entry(kNow));
    EXPECT_EQ(mode(path_), 0600u) << "whoever let others read it";
    now_ += kLogDays + hours(1);
    const RemoteLog trimmed(loop_, options());
    EXPECT_EQ(text(), "");
    EXPECT_EQ(mode(path_), 0600u) << "a file that was written anew";
    ::umask(before);
}

TEST_F(RemoteLogTest, WhatIsOlderThanAWeekGoesWhenItIsOpened) {
    {
        RemoteLog log(loop_, options());
        log.append(entry(kNow - kLogDays - seconds(1), "old"));
        log.append(entry(kNow - kLogDays, "young"));
    }
    EXPECT_EQ(models(), std::vector<std::string>{"young"}) << "a reader does not show it either";
    EXPECT_NE(text().find("old"), std::string::npos);
    RemoteLog log(loop_, options());
    EXPECT_EQ(text().find("old"), std::string::npos);
    EXPECT_EQ(models(), std::vector<std::string>{"young"});
}

TEST_F(RemoteLogTest, WhatIsOlderThanAWeekGoesEachDay) {
    auto chosen = options();
    chosen.trim_interval = milliseconds(1);
    RemoteLog log(loop_, std::move(chosen));
    log.append(entry(kNow));
    now_ += kLogDays + seconds(1);
    for (int i = 0; i < 1000 && !text().empty(); ++i) ASSERT_TRUE(loop_.run_once(milliseconds(20)));
    EXPECT_EQ(text(), "");
}

TEST_F(RemoteLogTest, ADeviceThatHasSleptForDaysTrimsWithTheNextLine) {
    RemoteLog log(loop_, options());
    log.append(entry(kNow, "old"));
    now_ += kLogDays + hours(1);
    log.append(entry(now_, "new"));
    EXPECT_EQ(text().find("old"), std::string::npos);
    EXPECT_EQ(models(), std::vector<std::string>{"new"});
}

TEST_F(RemoteLogTest, OffWritesNothingAndLetsWhatIsThereGo) {
    auto chosen = options();
    RemoteLog log(loop_, chosen);
    log.append(entry(kNow, "before"));
    log.turn(false);
    log.append(entry(kNow, "after"));
    EXPECT_EQ(models(), std::vector<std::string>{"before"});
    log.turn(true);
    log.append(entry(kNow, "again"));
    EXPECT_EQ(models(), (std::vector<std::string>{"before", "again"}));
    now_ += kLogDays + seconds(1);
    chosen.is_on = false;
    const RemoteLog off(loop_, chosen);
    EXPECT_EQ(text(), "");
}

TEST_F(RemoteLogTest, TheOlderHalfGoesBeforeTheFileGrowsTooLarge) {
    RemoteLog log(loop_, options());
    log.append(entry(kNow, "first"));
    const std::string name(4000, 'm');
    size_t n = 0;
    while (n < 2 * kMaxLogBytes / name.size()) {
        log.append(entry(kNow, name + std::to_string(n++)));
        ASSERT_LE(std::filesystem::file_size(path_), kMaxLogBytes);
    }
    const auto kept = models();
    ASSERT_GT(kept.size(), kMaxLogBytes / 2 / (name.size() + 400));
    for (size_t i = 0; i < kept.size(); ++i) {
        ASSERT_EQ(kept[i], name + std::to_string(n - kept.size() + i)) << "the newest, each whole";
    }
    const std::string all = text();
    EXPECT_EQ(static_cast<size_t>(std::count(all.begin(), all.end(), '\n')), kept.size()) << "no line is cut";
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(RemoteLogTest, LinesThatAreNoneOfOursAreNotInTheWay) {
    RemoteLog log(loop_, options());
    log.append(entry(kNow, "a"));
    {
        std::ofstream file(path_, std::ios::app);
        file << "\n{}\n[]\nnull\n\xff\n{\"time\":\"yesterday\"}\n{\"time\":3}\n"
             << R"({"time":"2026-11-25T22:00:00Z","model":"sparse","prompt_tokens":-1,"end":[]})"
             << "\n"
             << R"({"time":"2026-11-25T22:0)";  // a full disk
    }
    log.append(entry(kNow, "b"));
    EXPECT_EQ(models(), (std::vector<std::string>{"a", "sparse", "b"}));
    const RemoteLog again(loop_, options());
    EXPECT_EQ(models(), (std::vector<std::string>{"a", "sparse", "b"}));
}

TEST_F(RemoteLogTest, ANameCannotBreakALine) {
    RemoteLog log(loop_, options());
    log.append(entry(kNow, "a\n\"b\xff"));
    log.append(entry(kNow, "c"));
    EXPECT_EQ(models(), (std::vector<std::string>{"a\n\"b\xEF\xBF\xBD", "c"}));
}

TEST_F(RemoteLogTest, WhatCannotBeWrittenIsOneWarningUntilItCan) {
    RemoteLog log(loop_, options());
    EXPECT_TRUE(warnings_.empty());
    directory_.write("state", "a file where the directory should be");
    log.append(entry(kNow));
    log.append(entry(kNow));
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_NE(warnings_[0].find(directory_.path() + "/state"), std::string::npos) << warnings_[0];
    std::filesystem::remove(directory_.path() + "/state");
    log.append(entry(kNow));
    EXPECT_EQ(models().size(), 1u);
    std::filesystem::remove(path_);
    std::filesystem::create_directory(path_);
    log.append(entry(kNow));
    EXPECT_EQ(warnings_.size(), 2u);
}

TEST_F(RemoteLogTest, ALinkOrAFifoInItsPlaceIsNeitherFollowedNorWaitedFor) {
    const std::string other = directory_.write("other", "not ours");
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
    std::filesystem::create_symlink(other, path_);
    RemoteLog log(loop_, options());
    log.append(entry(kNow));
    EXPECT_EQ(warnings_.size(), 1u);
    EXPECT_EQ(std::filesystem::file_size(other), 8u);
    EXPECT_FALSE(read_remote_log(path_, now_));
    std::filesystem::remove(path_);
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    log.append(entry(kNow));
    EXPECT_FALSE(read_remote_log(path_, now_));
}

TEST_F(RemoteLogTest, ThereIsNoneBeforeTheFirstRequest) {
    EXPECT_TRUE(models().empty());
    ::setenv("XDG_STATE_HOME", "/somewhere/state", 1);
    EXPECT_EQ(remote_log_path(), "/somewhere/state/llmd/remote.log");
    ::unsetenv("XDG_STATE_HOME");
    ::setenv("HOME", "/home/me", 1);
    EXPECT_EQ(remote_log_path(), "/home/me/.local/state/llmd/remote.log");
}

}  // namespace
}  // namespace llmd::handover
