#include "base/config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/chat/chat_family.h"

namespace llmd::base {
namespace {

class ConfigTest : public testing::Test {
protected:
    ConfigTest() {
        std::string pattern = testing::TempDir() + "config-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
        path_ = folder_ + "/llmd.toml";
    }
    ~ConfigTest() override { std::filesystem::remove_all(folder_); }

    Result<Config> read(const std::string& text) {
        std::ofstream(path_, std::ios::binary) << text;
        auto settings = read_settings({path_}, true);
        if (!settings) return std::move(settings).error();
        return settings->config;
    }
    // The message of a refused text.
    std::string refusal(const std::string& text) {
        const auto config = read(text);
        if (config) return "it was accepted";
        EXPECT_EQ(config.error().code, ErrorCode::InvalidArgument);
        return config.error().message;
    }

    std::string folder_;
    std::string path_;
};

TEST_F(ConfigTest, EveryKeyIsRead) {
    const auto config = read(
        "model = \"tales\"\nbackend = \"opencl\"\ndevice = \"Adreno\"\nprecision = \"fast\"\n"
        "chat_template = \"zephyr\"\nthreads = 256\ncontext_length = 32\n"
        "parallel = 16\nprefill_chunk = 512\nidle_unload_seconds = 60\nidle_exit_seconds = 31536000\nsaved_prefix_mib "
        "= 65536\nspeculation = false\nbare_calls = false\nlog_level = "
        "\"debug\"\nremote_log = false\n");
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->model, "tales");
    EXPECT_EQ(config->backend, "opencl");
    EXPECT_EQ(config->device, "Adreno");
    EXPECT_EQ(config->precision, "fast");
    EXPECT_EQ(config->chat_template, "zephyr");
    EXPECT_EQ(config->threads, 256u);
    EXPECT_EQ(config->context_length, 32u);
    EXPECT_EQ(config->parallel, 16u);
    EXPECT_EQ(config->prefill_chunk, 512u);
    EXPECT_EQ(config->idle_unload_seconds, 60u);
    EXPECT_EQ(config->idle_exit_seconds, 31'536'000u);
    EXPECT_EQ(config->saved_prefix_mib, 65'536u);
    EXPECT_EQ(config->log_level, "debug");
    EXPECT_FALSE(config->remote_log);
    EXPECT_TRUE(Config().remote_log);
    EXPECT_FALSE(config->speculation);
    EXPECT_TRUE(Config().speculation);
    EXPECT_FALSE(config->bare_calls);
    EXPECT_TRUE(Config().bare_calls);
}

TEST_F(ConfigTest, ASwitchIsTrueOrFalse) {
    EXPECT_NE(refusal("remote_log = \"off\"").find("line 1: remote_log: expected true or false"), std::string::npos);
    ASSERT_TRUE(read("threads = 3\n"));
    ASSERT_TRUE(change_setting(path_, "remote_log", "false"));
    const auto settings = read_settings({path_});
    ASSERT_TRUE(settings);
    EXPECT_FALSE(settings->config.remote_log);
    EXPECT_EQ(*setting_value(settings->config, "remote_log"), "false");
    EXPECT_EQ(change_setting(path_, "remote_log", "off").error().message,
              "remote_log: expected true or false, not \"off\"");
}

TEST_F(ConfigTest, AbsentFileIsAnErrorOnlyWhenNamed) {
    const auto settings = read_settings({folder_ + "/none.toml"});
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->config.backend, "auto");
    EXPECT_TRUE(settings->files.empty());
    const auto named = read_settings({folder_ + "/none.toml"}, true);
    ASSERT_FALSE(named);
    EXPECT_NE(named.error().message.find("/none.toml"), std::string::npos);
}

TEST_F(ConfigTest, RefusalsNameLineKeyAndValue) {
    EXPECT_EQ(refusal("# one\nthreads = 257"),
              "settings " + path_ + ", line 2: threads: 257 is not 0 or in the range 1 to 256");
    EXPECT_NE(refusal("threads = -1").find("threads: -1 is not"), std::string::npos);
    EXPECT_NE(refusal("context_length = 9223372036854775807").find("9223372036854775807 is not"), std::string::npos);
    EXPECT_NE(refusal("context_length = 31").find("31 is not"), std::string::npos);
    EXPECT_NE(refusal("parallel = nan").find("parallel: expected an integer"), std::string::npos);
    EXPECT_NE(refusal("model = 3").find("model: expected a string"), std::string::npos);
    EXPECT_NE(refusal("backend = \"cuda\"").find("backend: \"cuda\" is none of auto, opencl, cpu"), std::string::npos);
    EXPECT_NE(refusal("precision = \"exact\"").find("precision: \"exact\" is none of faithful, fast"),
              std::string::npos);
    EXPECT_NE(refusal("chat_template = \"zephir\"")
                  .find("chat_template: \"zephir\" is none of \"\", none, zephyr, llama2, llama3, llama3.1, chatml, "),
              std::string::npos);
    EXPECT_TRUE(read("chat_template = \"\""));
    for (const chat::ChatFamily& family : chat::chat_families()) {
        EXPECT_TRUE(read("chat_template = \"" + std::string(family.name) + "\"")) << family.name;
    }
    EXPECT_NE(refusal("model = \"x").find("line 1: "), std::string::npos);
}

TEST_F(ConfigTest, HostileFilesAreRefused) {
    EXPECT_NE(refusal(std::string("model = \"\xff\"")).find("line 1"), std::string::npos);
    EXPECT_NE(refusal(std::string(300 << 10, '#')).find("more than"), std::string::npos);
    refusal("a = " + std::string(100'000, '['));
    ASSERT_EQ(::mkfifo((folder_ + "/fifo").c_str(), 0600), 0);
    EXPECT_FALSE(read_settings({folder_ + "/fifo"}));
    EXPECT_FALSE(read_settings({folder_}));
}

TEST_F(ConfigTest, UnknownKeysAreWarnings) {
    ASSERT_TRUE(read("\n\nmodle = \"x\"\nthreads = 2\n[table]\n"));
    const auto settings = read_settings({path_});
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->config.threads, 2u);
    EXPECT_EQ(settings->warnings,
              (std::vector<std::string>{"settings " + path_ + ", line 3: modle: there is no such key",
                                        "settings " + path_ + ", line 5: table: there is no such key"}));
}

TEST_F(ConfigTest, LaterFilesGoFirstKeyByKey) {
    std::ofstream(folder_ + "/system.toml") << "threads = 2\nparallel = 3\n";
    std::ofstream(path_) << "threads = 5\n";
    const auto settings = read_settings({folder_ + "/none.toml", folder_ + "/system.toml", path_});
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->config.threads, 5u);
    EXPECT_EQ(settings->config.parallel, 3u);
    EXPECT_EQ(settings->files, (std::vector<std::string>{folder_ + "/system.toml", path_}));
    ::setenv("XDG_CONFIG_HOME", "/own", 1);
    ::setenv("XDG_CONFIG_DIRS", "/most:relative:/least", 1);
    const auto files = settings_files();
    ASSERT_EQ(files.size(), 4u);
    EXPECT_EQ(std::vector<std::string>(files.begin() + 1, files.end()),
              (std::vector<std::string>{"/least/llmd/llmd.toml", "/most/llmd/llmd.toml", "/own/llmd/llmd.toml"}));
}

TEST(XdgDirectories, RelativeOnesAreIgnored) {
    ::setenv("HOME", "/home/somebody", 1);
    ::setenv("XDG_DATA_HOME", "relative", 1);
    EXPECT_EQ(xdg_data_home(), "/home/somebody/.local/share");
    ::setenv("XDG_DATA_HOME", "/data", 1);
    EXPECT_EQ(xdg_data_home(), "/data");
    ::unsetenv("XDG_RUNTIME_DIR");
    EXPECT_FALSE(xdg_runtime_dir());
}

TEST_F(ConfigTest, AModelHasWhatHoldsForAllWhereItSaysNothing) {
    Config config;
    config.backend = "cpu";
    config.context_length = 128;
    config.chat_template = "chatml";
    config.models = {{.name = "a", .context_length = 64, .pinned = true}, {.name = "b", .backend = "auto"}};
    EXPECT_EQ(config.of("a"),
              (ModelSettings{.context_length = 64, .backend = "cpu", .chat_template = "chatml", .pinned = true}));
    EXPECT_EQ(config.of("b").backend, "auto");
    EXPECT_EQ(config.of("c"), (ModelSettings{.context_length = 128, .backend = "cpu", .chat_template = "chatml"}));
}

constexpr const char* kHead =
    "# llmctl writes this file whole; it is read after llmd.toml. 'llmctl config unset KEY' takes a line back.\n";

TEST_F(ConfigTest, AChangeIsWrittenBesideWhatTheFileSays) {
    const auto change = [this](const std::string& before, const std::string& name, const std::string& value) {
        std::ofstream(path_, std::ios::binary) << before;
        const auto changed = change_setting(path_, name, value);
        if (!changed) return changed.error().message;
        std::ifstream file(path_, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    const std::string head = kHead;
    EXPECT_EQ(change("", "model", "a \"b\""), head + "model = \"a \\\"b\\\"\"\n");
    EXPECT_EQ(change("threads = 2\nmodel = \"\"", "model", "c"), head + "model = \"c\"\nthreads = 2\n");
    // One that is as it comes anyhow may override another file's.
    EXPECT_EQ(change("speculation = true\n", "threads", "0"), head + "threads = 0\nspeculation = true\n");
    EXPECT_EQ(change("[[models]]\nname = \"a\"\ncontext_length = 64\n", "threads", "4"),
              head + "threads = 4\n\n[[models]]\nname = \"a\"\ncontext_length = 64\n");
}

TEST_F(ConfigTest, AChangeIsTakenBack) {
    ASSERT_TRUE(change_setting(path_, "threads", "3"));
    ASSERT_TRUE(change_setting(path_, "backend", "cpu"));
    ASSERT_TRUE(unset_setting(path_, "threads"));
    EXPECT_EQ(unset_setting(path_, "threads").error().code, ErrorCode::NotFound);
    EXPECT_EQ(unset_setting(path_, "thread").error().code, ErrorCode::InvalidArgument);
    const auto settings = read_settings({path_}, true);
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->config.threads, 0u);
    EXPECT_EQ(settings->config.backend, "cpu");
    ASSERT_TRUE(unset_setting(path_, "backend"));
    EXPECT_FALSE(std::filesystem::exists(path_)) << "it says nothing";
}

TEST_F(ConfigTest, AFileOfLlmctlsGoesBeforeTheUsers) {
    ::setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
    ASSERT_TRUE(change_setting(written_settings_file(), "threads", "3"));
    std::ofstream(user_settings_file()) << "threads = 2\nbackend = \"cpu\"\n";
    std::ofstream(folder_ + "/llmd/llmd.toml.d/60-later.toml") << "parallel = 2\n";
    std::ofstream(folder_ + "/llmd/llmd.toml.d/60-later.toml.orig") << "parallel = 3\n";
    std::filesystem::create_directory(folder_ + "/llmd/llmd.toml.d/70-folder.toml");
    const std::vector<std::string> files = settings_files();
    EXPECT_EQ((std::vector<std::string>(files.end() - 3, files.end())),
              (std::vector<std::string>{user_settings_file(), written_settings_file(),
                                        folder_ + "/llmd/llmd.toml.d/60-later.toml"}));
    const auto settings = read_settings(files);
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->config.threads, 3u);
    EXPECT_EQ(settings->config.parallel, 2u);
    EXPECT_EQ(settings->said_by.at("threads"),
              (std::vector<std::string>{user_settings_file(), written_settings_file()}));
    EXPECT_EQ(overridden_keys(*settings), std::vector<std::string>{"threads in " + user_settings_file() + ": " +
                                                                   written_settings_file() + " goes before it"});
    ::unsetenv("XDG_CONFIG_HOME");
}

TEST_F(ConfigTest, AChangeThatCannotBeIsRefusedAndChangesNothing) {
    const auto refused = [this](const std::string& before, const std::string& name, const std::string& value) {
        std::ofstream(path_, std::ios::binary) << before;
        const auto changed = change_setting(path_, name, value);
        std::ifstream file(path_, std::ios::binary);
        EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), before);
        return changed ? "it was accepted" : changed.error().message;
    };
    EXPECT_EQ(refused("", "backend", "gpu"), "backend: \"gpu\" is none of auto, opencl, cpu");
    EXPECT_EQ(refused("", "threads", "257"), "threads: 257 is not 0 or in the range 1 to 256");
    EXPECT_EQ(refused("", "threads", "many"), "threads: expected a number, not \"many\"");
    EXPECT_NE(refused("", "colour", "red").find("there is no setting \"colour\"; there are model, backend"),
              std::string::npos);
    EXPECT_NE(refused("threads = \n", "backend", "cpu").find("line 1"), std::string::npos);
    EXPECT_NE(refused("newer = 1\n", "backend", "cpu").find("newer: there is no such key"), std::string::npos)
        << "it would be lost";
    EXPECT_NE(refused("", "model", "/m/caf\xe9.gguf").find("is not UTF-8"), std::string::npos);
}

TEST_F(ConfigTest, AChangeFollowsALinkAndMakesFolders) {
    std::filesystem::create_symlink(folder_ + "/dotfiles/llmd.toml", path_);
    ASSERT_TRUE(change_setting(path_, "threads", "3"));
    EXPECT_TRUE(std::filesystem::is_symlink(path_));
    const auto settings = read_settings({folder_ + "/dotfiles/llmd.toml"}, true);
    ASSERT_TRUE(settings);
    EXPECT_EQ(*setting_value(settings->config, "threads"), "3");
}

}  // namespace
}  // namespace llmd::base
