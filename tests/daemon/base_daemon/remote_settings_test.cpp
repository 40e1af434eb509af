// The tables of the settings: what a [[remote]] and a [[models]] may say, how what they may not is reported, which file
// goes first, and how a remote is added and removed without touching anything else.
#include "base/remote_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "base/config.h"

namespace llmd::base {
namespace {

constexpr const char* kPin = "sha256//YhKJKSzoTt2b5FP18fvpHo7fJYqQCjAa3HWY3tvRMwE=";
constexpr const char* kHome = "[[remote]]\nname = \"home\"\nurl = \"https://box.lan:8443\"\nmodels = [\"qwen3-32b\"]\n";

class RemoteSettingsTest : public testing::Test {
protected:
    RemoteSettingsTest() {
        std::string pattern = testing::TempDir() + "remotes-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
        path_ = folder_ + "/llmd.toml";
        ::setenv("HOME", "/home/somebody", 1);
    }
    ~RemoteSettingsTest() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
    std::string written() const {
        std::ifstream file(path_, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }
    // Behind the comment at the beginning of what llmctl writes; empty where there is no file.
    std::string without_comment() const {
        const std::string text = written();
        return text.substr(std::min(text.size(), text.find('\n')) + (text.empty() ? 0 : 1));
    }
    Result<Settings> read(const std::string& text) {
        write(text);
        return read_settings({path_}, true);
    }
    std::string refusal(const std::string& text) {
        const auto settings = read(text);
        if (settings) return "it was accepted";
        EXPECT_EQ(settings.error().code, ErrorCode::InvalidArgument);
        const std::string begin = "settings " + path_ + ", ";
        EXPECT_TRUE(settings.error().message.starts_with(begin)) << settings.error().message;
        return settings.error().message.substr(std::min(begin.size(), settings.error().message.size()));
    }
    // The remote `home` with one more line, or another for the key that the line is of.
    std::string refusal_with(const std::string& line) {
        std::string text = kHome;
        const size_t key = text.find('\n' + line.substr(0, line.find(' ')) + ' ');
        if (key != std::string::npos) text.erase(key + 1, text.find('\n', key + 1) - key);
        const std::string message = refusal(text + line + '\n');
        const std::string where = "line " + std::string(key != std::string::npos ? "4" : "5") + ": [[remote]] home: ";
        return message.starts_with(where) ? message.substr(where.size()) : message;
    }

    std::string folder_;
    std::string path_;
};

TEST_F(RemoteSettingsTest, EveryKeyIsRead) {
    const auto settings = read(
        "max_models = 3\nmemory_mib = 4096\n"
        "[[remote]]\nname = \"home-2\"\nurl = \"https://box.lan/llm/\"\napi = \"vllm\"\n"
        "models = [\"qwen3-32b\", \"big=Qwen/Qwen3-235B=x\"]\nkey_file = \"~/.config/llmd/home.key\"\n"
        "ca_file = \"/etc/ssl/own.pem\"\npin = \"" +
        std::string(kPin) +
        "\"\ninterface = \"tailscale0\"\napps = [\"host\", \"*\", \"org.example.Notes\", \"snap:notes\"]\n"
        "metered = \"allow\"\nparallel = 16\nfirst_token_seconds = 3600\nresume_seconds = 0\n"
        "[[models]]\nname = \"embed\"\ncontext_length = 512\nbackend = \"cpu\"\nchat_template = \"none\"\npinned = "
        "true\n");
    ASSERT_TRUE(settings) << settings.error().message;
    const Config& config = settings->config;
    EXPECT_EQ(config.max_models, 3u);
    EXPECT_EQ(config.memory_mib, 4096u);
    const RemoteSettings remote = {.name = "home-2",
                                   .url = "https://box.lan/llm/",
                                   .api = "vllm",
                                   .models = {"qwen3-32b", "big=Qwen/Qwen3-235B=x"},
                                   .key_file = "/home/somebody/.config/llmd/home.key",
                                   .ca_file = "/etc/ssl/own.pem",
                                   .pin = kPin,
                                   .interface = "tailscale0",
                                   .apps = {"host", "*", "org.example.Notes", "snap:notes"},
                                   .metered = "allow",
                                   .parallel = 16,
                                   .first_token_seconds = 3600,
                                   .resume_seconds = 0};
    EXPECT_EQ(config.remotes, std::vector{remote});
    const ModelSettings model = {
        .name = "embed", .context_length = 512, .backend = "cpu", .chat_template = "none", .pinned = true};
    EXPECT_EQ(config.models, std::vector{model});
    EXPECT_TRUE(settings->warnings.empty());
    EXPECT_EQ(remote_model("big=Qwen/Qwen3-235B=x").name, "big");
    EXPECT_EQ(remote_model("big=Qwen/Qwen3-235B=x").upstream, "Qwen/Qwen3-235B=x");
    EXPECT_EQ(remote_model("qwen3-32b").upstream, "qwen3-32b");
}

TEST_F(RemoteSettingsTest, WhatIsNotSaidIsClosed) {
    const auto settings = read(kHome);
    ASSERT_TRUE(settings) << settings.error().message;
    const RemoteSettings& remote = settings->config.remotes.at(0);
    EXPECT_TRUE(remote.apps.empty());
    EXPECT_EQ(remote.metered, "deny");
    EXPECT_EQ(remote.api, "auto");
    EXPECT_EQ(remote.parallel, 4u);
    EXPECT_EQ(remote.first_token_seconds, 300u);
    EXPECT_EQ(remote.resume_seconds, 120u);
    EXPECT_TRUE(read("remote = []\nmodels = []\n"));
}

TEST_F(RemoteSettingsTest, AMisspeltKeyOfARemoteIsAnError) {
    EXPECT_EQ(refusal_with("pinn = \"x\""), "pinn: there is no such key");
    EXPECT_EQ(refusal_with("key = \"sk-secret\""), "key: there is no such key");
    EXPECT_EQ(refusal("[[remote]]\nname = \"home\"\nurl = \"https://box\"\nmodles = [\"x\"]\n"),
              "line 4: [[remote]] home: modles: there is no such key");
    EXPECT_EQ(refusal(std::string(kHome) + "[remote.more]\na = 1\n"),
              "line 5: [[remote]] home: more: there is no such key");
    // An unknown key of a model costs nobody anything.
    const auto settings = read("[[models]]\nname = \"tales\"\npined = true\n");
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->warnings.at(0),
              "settings " + path_ + ", line 3: [[models]] tales: pined: there is no such key");
}

TEST_F(RemoteSettingsTest, WhatIsMissingIsNamed) {
    EXPECT_EQ(refusal("\n[[remote]]\nurl = \"https://box\"\nmodels = [\"x\"]\n"),
              "line 2: [[remote]]: name: is missing");
    EXPECT_EQ(refusal("[[remote]]\nname = \"home\"\nmodels = [\"x\"]\n"), "line 1: [[remote]] home: url: is missing");
    EXPECT_EQ(refusal("[[remote]]\nname = \"home\"\nurl = \"https://box\"\n"),
              "line 1: [[remote]] home: models: is missing");
    EXPECT_EQ(refusal("[remote]\nname = \"home\"\n"), "line 1: remote: expected tables, each below [[remote]]");
    EXPECT_EQ(refusal("remote = [3]\n"), "line 1: remote: expected tables, each below [[remote]]");
    EXPECT_EQ(refusal("[[models]]\npinned = true\n"), "line 1: [[models]]: name: is missing");
}

TEST_F(RemoteSettingsTest, NamesAreOfOneRemoteEach) {
    const std::string rule = " is not of 1 to 32 characters a-z 0-9 - that begin with a letter";
    for (const char* name : {"", "Home", "1st", "-a", "a_b", "a b", "home@x", "a.b", "häuschen", "/",
                             "abcdefghijklmnopqrstuvwxyz0123456"}) {
        const std::string message =
            refusal("[[remote]]\nname = \"" + std::string(name) + "\"\nurl = \"https://b\"\nmodels = [\"x\"]\n");
        EXPECT_NE(message.find(": name: \"" + std::string(name) + '"' + rule), std::string::npos) << message;
    }
    EXPECT_EQ(refusal("[[remote]]\nname = \"a\\u0000\\n\"\nurl = \"https://b\"\nmodels = [\"x\"]\n").find('\n'),
              std::string::npos);
    EXPECT_TRUE(
        read("[[remote]]\nname = \"abcdefghijklmnopqrstuvwxyz-12345\"\nurl = \"https://b\"\nmodels = [\"x\"]\n"));
    EXPECT_EQ(refusal(std::string(kHome) + kHome), "line 6: [[remote]] home: name: another one has this name already");
    EXPECT_EQ(refusal("[[models]]\nname = \"a\"\n[[models]]\nname = \"a\"\n"),
              "line 4: [[models]] a: name: another one has this name already");
    std::string many;
    for (size_t i = 0; i <= kMaxRemotes; ++i) {
        many += "[[remote]]\nname = \"r" + std::to_string(i) + "\"\nurl = \"https://b\"\nmodels = [\"x\"]\n";
    }
    EXPECT_EQ(refusal(many), "line 1: remote: there are more than 16");
}

TEST_F(RemoteSettingsTest, AddressesAreReadToTheLetter) {
    struct Case {
        const char* url;
        const char* why;  // nullptr: good
    };
    constexpr const char* kPort = "is not in the range 1 to 65535";
    constexpr const char* kHost = "neither a name nor an address";
    constexpr const char* kPath = "no path";
    const Case cases[] = {
        {"https://box.lan", nullptr},
        {"https://box.lan/", nullptr},
        {"https://box.lan:8443/a/b%20c", nullptr},
        {"https://192.168.1.9:1", nullptr},
        {"https://[fd00::9]:65535/x", nullptr},
        {"https://[::1]", nullptr},
        {"https://3090rig", nullptr},
        {"http://localhost:8080", nullptr},
        {"http://127.3.2.1", nullptr},
        {"http://[::1]:8080/x", nullptr},
        {"unix:/run/user/1000/box.sock", nullptr},
        {"", "is empty"},
        {"box.lan", "begins with none of https://, http://, unix:/"},
        {"HTTPS://box.lan", "begins with none of"},
        {"ftp://box.lan", "begins with none of"},
        {"file:///etc/passwd", "begins with none of"},
        {" https://box.lan", "begins with none of"},
        {"https:///x", "a host is missing"},
        {"https://", "a host is missing"},
        {"https://:8443", "a host is missing"},
        {"https://box.lan:", kPort},
        {"https://box.lan:0", kPort},
        {"https://box.lan:65536", kPort},
        {"https://box.lan:-1", kPort},
        {"https://box.lan:+1", kPort},
        {"https://box.lan:8443x", kPort},
        {"https://box.lan:1:2", kPort},
        {"https://[::1]x:1", "is no IPv6 address"},
        {"https://[::1", "is no IPv6 address"},
        {"https://[box]", "is no IPv6 address"},
        {"https://[]", "is no IPv6 address"},
        {"https://[fe80::1%25eth0]", "has a zone"},
        {"https://box .lan", kHost},
        {"https://box..lan", kHost},
        {"https://box.lan.", kHost},
        {"https://-box", kHost},
        {"https://bücher.example", kHost},
        {"https://box%2elan", kHost},
        {"https://127.1", kHost},
        {"https://256.1.1.1", kHost},
        {"https://2130706433", kHost},
        {"https://0x7f000001", kHost},
        {"https://box.lan\\\\x", kHost},
        {"https://box.lan/a b", kPath},
        {"https://box.lan/%zz", kPath},
        {"https://box.lan/%2", kPath},
        {"https://box.lan/a/../b", kPath},
        {"https://box.lan/..", kPath},
        {"https://box.lan/ä", kPath},
        {"https://box.lan/\\n", kPath},
        {"https://box.lan#x", "has a fragment"},
        {"https://box.lan/?x=1", "has a query"},
        {"https://user:secret@box.lan", "has a user or a password in it"},
        {"https://user@box.lan", "has a user or a password in it"},
        {"http://box.lan:8080", "sends prompts in the clear"},
        {"http://192.168.1.9", "sends prompts in the clear"},
        {"http://128.0.0.1", "sends prompts in the clear"},
        {"http://localhost.example", "sends prompts in the clear"},
        {"http://127.0.0.1.example", "sends prompts in the clear"},
        {"http://[::2]", "sends prompts in the clear"},
        {"unix:run/box.sock", "absolute path of a socket"},
        {"unix:/", "absolute path of a socket"},
        {"unix:", "absolute path of a socket"},
        {"unix:/a\\u0000b", "absolute path of a socket"},
    };
    for (const Case& one : cases) {
        const std::string message = refusal_with("url = \"" + std::string(one.url) + '"');
        if (one.why == nullptr) {
            EXPECT_EQ(message, "it was accepted") << one.url;
        } else {
            EXPECT_TRUE(message.starts_with("url: ")) << one.url << ": " << message;
            EXPECT_NE(message.find(one.why), std::string::npos) << one.url << ": " << message;
        }
        EXPECT_EQ(message.find("secret"), std::string::npos);
    }
    EXPECT_NE(refusal_with("url = \"https://" + std::string(64, 'a') + '"').find(kHost), std::string::npos);
    EXPECT_NE(refusal_with("url = \"https://box/" + std::string(2100, 'a') + '"').find("more than 2048"),
              std::string::npos);
    EXPECT_NE(refusal_with("url = \"unix:/" + std::string(107, 'a') + '"').find("more than 107"), std::string::npos);
    const auto url = parse_remote_url("https://[FD00::9]/a/b//");
    ASSERT_TRUE(url);
    EXPECT_EQ(url->host, "FD00::9");
    EXPECT_EQ(url->port, 443);
    EXPECT_EQ(url->path, "/a/b");
    EXPECT_EQ(address_of(*url), "[FD00::9]:443");
    EXPECT_EQ(address_of(*parse_remote_url("http://localhost:8080/v1")), "localhost:8080");
    EXPECT_EQ(address_of(*parse_remote_url("unix:/run/home.sock")), "unix:/run/home.sock");
    EXPECT_EQ(parse_remote_url("https://box/v1")->path, "");
    EXPECT_EQ(parse_remote_url("https://box/x//v1/")->path, "/x");
    EXPECT_EQ(parse_remote_url("https://box/xv1")->path, "/xv1");
    EXPECT_EQ(parse_remote_url("http://localhost")->port, 80);
    EXPECT_EQ(parse_remote_url("unix:/a")->path, "/a");
}

TEST_F(RemoteSettingsTest, PlainHttpTakesADeviceOfItsOwn) {
    EXPECT_EQ(refusal_with("url = \"http://100.64.0.9:8080\"\ninterface = \"tailscale0\""), "it was accepted");
    EXPECT_NE(refusal_with("url = \"http://Box.LOCAL\"\ninterface = \"wlan0\"").find("any device of a network"),
              std::string::npos);
    const auto only = [](const char* key) { return std::string(key) + " is checked with https:// only"; };
    EXPECT_NE(
        refusal_with("url = \"http://localhost\"\npin = \"" + std::string(kPin) + '"').find(only("pin: a public key")),
        std::string::npos);
    EXPECT_NE(refusal_with("url = \"unix:/a\"\nca_file = \"/a\"").find(only("ca_file: a certificate")),
              std::string::npos);
    EXPECT_NE(refusal_with("url = \"unix:/a\"\ninterface = \"lo\"").find("through no network device"),
              std::string::npos);
    for (const char* name : {"wlan 0", "a/b", "a:1", "..", ".", "abcdefghijklmnop", "\\n", "ä"}) {
        EXPECT_NE(
            refusal_with("interface = \"" + std::string(name) + '"').find("cannot be the name of a network device"),
            std::string::npos)
            << name;
    }
}

TEST_F(RemoteSettingsTest, OtherKeysAreCheckedToo) {
    struct Case {
        const char* line;
        const char* message;
    };
    const Case cases[] = {
        {"api = \"VLLM\"", "api: \"VLLM\" is none of auto, vllm, llama-server, sglang, ollama, openai"},
        {"api = \"\"", "api: \"\" is none of"},
        {"metered = \"yes\"", "metered: \"yes\" is none of deny, allow"},
        {"models = []", "models: names no model"},
        {"models = \"x\"", "models: expected a list of strings, in [ ]"},
        {"models = [\"x\", 3]", "models: expected a list of strings"},
        {"models = [\"\"]", "models: \"\": no model of a remote is called \"\""},
        {"models = [\"x=\"]", "models: \"x=\": no model of a remote is called \"\""},
        {"models = [\"=x\"]", "models: \"\" cannot be the name of a model"},
        {"models = [\"a\\nb\"]", "models: \"a\\nb\": no model of a remote is called"},
        {"models = [\"x=a\\u0000\"]", "no model of a remote is called"},
        {"models = [\"Qwen/Qwen3-32B\"]",
         "models: \"Qwen/Qwen3-32B\" has a '/': choose a name for it here, as in \"Qwen3-32B=Qwen/Qwen3-32B\""},
        {"models = [\"a/b=c\"]", "models: \"a/b\" cannot be the name of a model"},
        {"models = [\".a\"]", "models: \".a\" cannot be the name of a model"},
        {"models = [\"x@home\"]", "models: \"x@home\" has an '@'"},
        {"models = [\"x@y=z\"]", "models: \"x@y\" has an '@'"},
        {"models = [\"x\", \"x\"]", "models: \"x\" is there twice"},
        {"models = [\"x=a\", \"x=b\"]", "models: \"x\" is there twice"},
        {"key_file = \"home.key\"", "key_file: is no path from / or ~/ on"},
        {"key_file = \"~other/home.key\"", "key_file: is no path from / or ~/ on"},
        {"key_file = \"/a\\u0000b\"", "key_file: is no path from / or ~/ on"},
        {"key_file = 3", "key_file: expected a string"},
        {"ca_file = \"own.pem\"", "ca_file: \"own.pem\" is no path from / or ~/ on"},
        {"apps = \"host\"", "apps: expected a list of strings"},
        {"apps = [\"hosts\"]", "apps: \"hosts\" is no application: \"host\" is all programs outside"},
        {"apps = [\"org.example.*\"]", "apps: \"org.example.*\": there is no wildcard"},
        {"apps = [\"flatpak:*\"]", "apps: \"flatpak:*\": there is no wildcard"},
        {"apps = [\"\"]", "apps: \"\" is no application"},
        {"apps = [\"org..App\"]", "apps: \"org..App\" is no application"},
        {"apps = [\"org.example.\"]", "is no application"},
        {"apps = [\".org.example\"]", "is no application"},
        {"apps = [\"org.1example\"]", "is no application"},
        {"apps = [\"snap:\"]", "is no application"},
        {"apps = [\"snap:a.b\"]", "is no application"},
        {"apps = [\"org.example.App \"]", "is no application"},
        {"parallel = 0", "parallel: 0 is not in the range 1 to 16"},
        {"parallel = 17", "parallel: 17 is not in the range 1 to 16"},
        {"parallel = 4.0", "parallel: expected an integer"},
        {"first_token_seconds = 0", "first_token_seconds: 0 is not in the range 1 to 3600"},
        {"resume_seconds = -1", "resume_seconds: -1 is not in the range 0 to 3600"},
        {"resume_seconds = 3601", "resume_seconds: 3601 is not in the range 0 to 3600"},
    };
    for (const Case& one : cases) {
        const std::string message = refusal_with(one.line);
        EXPECT_NE(message.find(one.message), std::string::npos) << one.line << ": " << message;
    }
    // A text that looks like a key is shown to nobody.
    EXPECT_EQ(refusal_with("key_file = \"sk-secret\"").find("secret"), std::string::npos);
    EXPECT_TRUE(is_remote_app("flatpak:org.example.App"));
    EXPECT_TRUE(is_remote_app("org.example.App_2-x"));
}

TEST_F(RemoteSettingsTest, APinIsADigest) {
    const std::string good = kPin;
    std::vector<std::string> bad = {"",  // no key at all is right, an empty one is as good as none: see below
                                    good.substr(0, good.size() - 1),
                                    good + '=',
                                    good.substr(8),
                                    "sha1//" + good.substr(8),
                                    "SHA256//" + good.substr(8),
                                    good + ';' + good,
                                    ' ' + good};
    bad.erase(bad.begin());
    for (const char c : std::string("*=-_ ")) {
        std::string changed = good;
        changed[20] = c;
        bad.push_back(changed);
    }
    std::string loose = good;
    loose[loose.size() - 2] = 'F';  // the last two of 258 bits are not 0
    bad.push_back(loose);
    for (const std::string& pin : bad) {
        EXPECT_NE(refusal_with("pin = \"" + pin + '"').find("is not sha256// and the 44 base64 characters"),
                  std::string::npos)
            << pin;
    }
    EXPECT_EQ(refusal_with("pin = \"" + good + '"'), "it was accepted");
}

TEST_F(RemoteSettingsTest, OfModelsToo) {
    EXPECT_EQ(refusal("[[models]]\nname = \"a/b\"\n"),
              "line 2: [[models]] \"a/b\": name: \"a/b\" cannot be the name of a model, as 'llmctl models' shows them");
    EXPECT_NE(refusal("[[models]]\nname = \"a@home\"\n").find("\"a@home\" is of a remote"), std::string::npos);
    EXPECT_EQ(refusal("[[models]]\nname = \"a\"\ncontext_length = 31\n"),
              "line 3: [[models]] a: context_length: 31 is not 0 or in the range 32 to 1048576");
    EXPECT_NE(
        refusal("[[models]]\nname = \"a\"\nbackend = \"gpu\"\n").find("[[models]] a: backend: \"gpu\" is none of"),
        std::string::npos);
    EXPECT_NE(
        refusal("[[models]]\nname = \"a\"\nchat_template = \"x\"\n").find("[[models]] a: chat_template: \"x\" is"),
        std::string::npos);
    EXPECT_NE(refusal("[[models]]\nname = \"a\"\npinned = 1\n").find("pinned: expected true or false"),
              std::string::npos);
    EXPECT_NE(refusal("model = \"big@home\"\n").find("line 1: model: \"big@home\" is of a remote"), std::string::npos);
    EXPECT_TRUE(read("model = \"/models/a@b.gguf\"\n"));
    EXPECT_NE(refusal("max_models = 17\n").find("max_models: 17 is not 0 or in the range 1 to 16"), std::string::npos);
    EXPECT_NE(refusal("memory_mib = 63\n").find("memory_mib: 63 is not 0 or in the range 64 to 1048576"),
              std::string::npos);
}

TEST_F(RemoteSettingsTest, ALaterFileReplacesTheWholeTable) {
    std::ofstream(folder_ + "/system.toml")
        << kHome << "pin = \"" << kPin << "\"\napps = [\"host\"]\n"
        << "[[remote]]\nname = \"work\"\nurl = \"https://work\"\nmodels = [\"x\"]\n"
        << "[[models]]\nname = \"a\"\nbackend = \"cpu\"\npinned = true\n[[models]]\nname = \"b\"\n";
    write("[[remote]]\nname = \"home\"\nurl = \"https://other\"\nmodels = [\"y\"]\n[[models]]\nname = \"a\"\n");
    const auto settings = read_settings({folder_ + "/system.toml", path_});
    ASSERT_TRUE(settings) << settings.error().message;
    const std::vector<RemoteSettings> remotes = {{.name = "home", .url = "https://other", .models = {"y"}},
                                                 {.name = "work", .url = "https://work", .models = {"x"}}};
    EXPECT_EQ(settings->config.remotes, remotes);
    const std::vector<ModelSettings> models = {{.name = "a"}, {.name = "b"}};
    EXPECT_EQ(settings->config.models, models);
}

TEST_F(RemoteSettingsTest, ARemoteIsAddedAndRemovedAndTheRestStays) {
    const RemoteSettings box = {.name = "box",
                                .url = "https://box:8443",
                                .api = "vllm",
                                .models = {"a", "b=c/\"d\""},
                                .key_file = "~/box.key",
                                .pin = kPin,
                                .apps = {"host"},
                                .metered = "allow",
                                .parallel = 2};
    const std::string block =
        "\n[[remote]]\nname = \"box\"\nurl = \"https://box:8443\"\napi = \"vllm\"\n"
        "models = [\"a\", \"b=c/\\\"d\\\"\"]\nkey_file = \"~/box.key\"\npin = \"" +
        std::string(kPin) + "\"\napps = [\"host\"]\nmetered = \"allow\"\nparallel = 2\n";
    const std::string others[] = {"", "threads = 2\n", std::string("\n") + kHome, "\n[[models]]\nname = \"a\"\n"};
    for (const std::string& other : others) {
        write(other);
        const auto added = add_remote(path_, box);
        ASSERT_TRUE(added) << added.error().message;
        EXPECT_EQ(without_comment(), other + block);
        EXPECT_EQ(read_settings({path_})->config.remotes.back().key_file, "/home/somebody/box.key");
        const auto removed = remove_remote(path_, "box");
        ASSERT_TRUE(removed) << removed.error().message;
        EXPECT_EQ(without_comment(), other);
    }
    EXPECT_EQ(remove_remote(path_, "home").error().message, "there is no remote \"home\" in " + path_);
}

TEST_F(RemoteSettingsTest, WhatCannotBeAddedChangesNothing) {
    const auto refused = [this](const std::string& before, const RemoteSettings& remote) {
        write(before);
        const auto added = add_remote(path_, remote);
        EXPECT_EQ(written(), before);
        return added ? "it was accepted" : added.error().message;
    };
    const RemoteSettings box = {.name = "home", .url = "https://box", .models = {"a"}};
    EXPECT_EQ(refused(kHome, box),
              "name: there is a remote \"home\" in " + path_ + " already; it has to be removed first");
    RemoteSettings bad = box;
    bad.pin = "sha256//short";
    EXPECT_NE(refused("", bad).find("pin: \"sha256//short\" is not"), std::string::npos);
    bad = box;
    bad.name = "x\"]\n[[remote]]";
    EXPECT_NE(refused("", bad).find("name: "), std::string::npos);
    EXPECT_NE(refused("threads = many\n", box).find("line 1: "), std::string::npos);
}

TEST_F(RemoteSettingsTest, WhoCouldReadTheFileStillCan) {
    write(kHome);
    std::filesystem::permissions(path_, std::filesystem::perms(0600));
    ASSERT_TRUE(change_setting(path_, "threads", "3"));
    EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms(0600));
}

// Random files of parts that are right or nearly so: whatever is read has no fault, a remote can be added to it and
// removed again, which leaves what the file said, and what is refused names the file.
TEST_F(RemoteSettingsTest, RandomFilesAreReadOrRefused) {
    const std::vector<std::string> parts = {"[[remote]]\n",
                                            "[[remote]] # x\n",
                                            "[remote]\n",
                                            "[[models]]\n",
                                            "[other]\n",
                                            "[remote.sub]\n",
                                            "\n",
                                            "# c\n",
                                            "name = \"a\"\n",
                                            "name = \"b\"\n",
                                            "name = \"a@b\"\n",
                                            "url = \"https://h\"\n",
                                            "url = 'http://h'\n",
                                            "url = \"unix:/s\"\n",
                                            "models = [\"m\"]\n",
                                            "models = [\n\"m\", # x\n\"n=o/p\",\n]\n",
                                            "models = [1]\n",
                                            "apps = [\"*\"]\n",
                                            "pin = \"\"\n",
                                            "pin = \"x\"\n",
                                            "parallel = 3\n",
                                            "parallel = 99\n",
                                            "threads = 2\n",
                                            "pinned = true\n",
                                            "model = \"\"\"\n[[remote]]\n\"\"\"\n",
                                            "x.y = 1\n",
                                            "= 3\n",
                                            "\"\xff\"\n",
                                            "remote = []\n"};
    const std::string remote = "[[remote]]\nurl = \"https://h\"\nmodels = [\"m\"]\n";
    std::mt19937 random(1);
    size_t accepted = 0;
    for (int round = 0; round < 1000; ++round) {
        std::string text;
        for (uint32_t i = random() % 8; i > 0; --i) {
            if (random() % 3 == 0) text += remote + "name = \"r" + std::to_string(random() % 5) + "\"\n";
            text += parts[random() % (random() % 2 == 0 ? 10 : parts.size())];
        }
        const auto settings = read(text);
        if (!settings) {
            EXPECT_EQ(settings.error().message.find("settings " + path_ + ", line "), 0u) << text;
            EXPECT_EQ(settings.error().message.find('\n'), std::string::npos);
            continue;
        }
        for (const RemoteSettings& one : settings->config.remotes) EXPECT_FALSE(fault_in(one)) << text;
        if (round % 5 != 0 || !settings->warnings.empty()) continue;  // writing files takes long
        ASSERT_TRUE(add_remote(path_, {.name = "new", .url = "https://h", .models = {"x"}})) << text;
        ++accepted;
        ASSERT_TRUE(remove_remote(path_, "new")) << text;
        for (const RemoteSettings& one : settings->config.remotes) {
            const auto removed = remove_remote(path_, one.name);
            EXPECT_TRUE(removed) << text << removed.error().message;
        }
        const auto left = read_settings({path_});
        EXPECT_TRUE(left->config.remotes.empty());
        EXPECT_EQ(left->config.models, settings->config.models);
        EXPECT_EQ(left->config.threads, settings->config.threads);
    }
    EXPECT_GT(accepted, 20u);
}

}  // namespace
}  // namespace llmd::base
