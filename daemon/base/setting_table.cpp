#include "base/setting_table.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace llmd::base {
namespace {

constexpr uint32_t kMaxIdleSeconds = 365u * 24 * 3600;  // as good as never
constexpr uint32_t kLeastContext = 32, kMostContext = 1u << 20;

constexpr std::array<std::string_view, 3> kBackends = {"auto", "opencl", "cpu"};
constexpr std::array<std::string_view, 2> kPrecisions = {"faithful", "fast"};
constexpr std::string_view kTemplates[] = {"",
                                           "none",
                                           "zephyr",
                                           "llama2",
                                           "llama3",
                                           "llama3.1",
                                           "chatml",
                                           "hermes",
                                           "qwen2.5-first",
                                           "qwen3",
                                           "qwen3-instruct",
                                           "qwen3-thinking",
                                           "qwen3.5",
                                           "qwen3.6",
                                           "smollm3",
                                           "smollm3-unsloth",
                                           "lfm2",
                                           "lfm2.5",
                                           "lfm2.5-8b",
                                           "minicpm5",
                                           "gemma",
                                           "mistral",
                                           "mistral-v3",
                                           "mistral-v3-tekken",
                                           "mistral-v7-tekken",
                                           "mistral-v7-thinking",
                                           "phi3",
                                           "phi4-mini",
                                           "phi4-mini-reasoning",
                                           "granite3",
                                           "granite3.1",
                                           "granite3.0",
                                           "granite4",
                                           "exaone4",
                                           "hunyuan",
                                           "ernie",
                                           "minicpm",
                                           "olmo2",
                                           "deepseek-r1",
                                           "deepseek"};
constexpr auto kRemoteApiNames = [] {
    std::array<std::string_view, kRemoteApis.size() + 1> names = {"auto"};
    std::transform(kRemoteApis.begin(), kRemoteApis.end(), names.begin() + 1,
                   [](const RemoteApi& api) { return api.name; });
    return names;
}();
constexpr std::array<std::string_view, 2> kMetered = {"deny", "allow"};
constexpr std::array<std::string_view, 4> kLogLevels = {"error", "warn", "info", "debug"};

template <typename Table, typename Text>
constexpr Setting<Table> text(std::string_view name, Text Table::*member, std::string_view values,
                              std::string_view meaning) {
    return {.name = name, .member = member, .meaning = meaning, .values = values};
}

template <typename Table>
constexpr Setting<Table> choice(std::string_view name, std::string Table::*member,
                                std::span<const std::string_view> choices, std::string_view meaning,
                                std::string_view values = {}) {
    return {.name = name, .member = member, .meaning = meaning, .values = values, .choices = choices};
}

template <typename Table>
constexpr Setting<Table> number(std::string_view name, uint32_t Table::*member, uint32_t least, uint32_t most,
                                std::string_view zero, std::string_view meaning, std::string_view values = {}) {
    return {.name = name,
            .member = member,
            .meaning = meaning,
            .zero = zero,
            .values = values,
            .least = least,
            .most = most};
}

template <typename Table>
constexpr Setting<Table> flag(std::string_view name, bool Table::*member, std::string_view meaning) {
    return {.name = name, .member = member, .meaning = meaning};
}

constexpr std::array kConfig = {
    text("model", &Config::model, "a name or an absolute path; empty: the bundled model, or the only one there is",
         "the model for requests that name none; where it is empty and another is asked by name, they get the one that "
         "was asked last"),
    choice("backend", &Config::backend, kBackends,
           "which kind of device computes; `auto` takes the faster of a GPU and the CPU"),
    text("device", &Config::device, "part of an OpenCL platform's or device's name",
         "which OpenCL device computes; empty: the first suitable one, with `auto` the fastest"),
    choice("precision", &Config::precision, kPrecisions, "activations of 15 or 16 bits, or most of them of 8"),
    choice("chat_template", &Config::chat_template, kTemplates,
           "the chat format of every model; empty: as each file says",
           "the name of a [family of chat formats](models.md#chat-templates), such as `chatml`"),
    number("threads", &Config::threads, 1, 256, "one for each performance core", "threads of the CPU backend"),
    number("context_length", &Config::context_length, kLeastContext, kMostContext, "the model's, at most 4096",
           "the longest sequence in tokens"),
    number("parallel", &Config::parallel, 1, 16, "4", "how many sequences one batch holds"),
    number("prefill_chunk", &Config::prefill_chunk, 1, 512, "128", "the most prompt tokens in one step"),
    number("idle_unload_seconds", &Config::idle_unload_seconds, 1, kMaxIdleSeconds, "300 on battery, 1800 on mains",
           "seconds without requests after which the model is unloaded"),
    number("idle_exit_seconds", &Config::idle_exit_seconds, 1, kMaxIdleSeconds, "600",
           "seconds without a model after which an llmd that something starts again ends itself"),
    number("saved_prefix_mib", &Config::saved_prefix_mib, 1, 65'536, "off", "the size of the on-disk prefix cache"),
    flag("speculation", &Config::speculation,
         "whether the next tokens are drafted from what the text repeats and computed ahead; no text changes by it"),
    flag("bare_calls", &Config::bare_calls,
         "whether an answer that is a [tool call written as plain JSON](http-api.md#bare-calls) is a call, where a "
         "request does not say"),
    choice("log_level", &Config::log_level, kLogLevels, "how much llmd logs"),
    number("max_models", &Config::max_models, 1, 16, "as many as memory allows",
           "how many models are loaded at a time"),
    number("memory_mib", &Config::memory_mib, 64, 1u << 20, "what is available on the device less 384 MiB",
           "the memory that all loaded models take together, in MiB; one that takes more is loaded alone"),
    flag("remote_log", &Config::remote_log,
         "whether llmd records who asked which remote when, and how much ([security.md](security.md#how-to-see-it)); "
         "never any text"),
};

constexpr std::array kModels = {
    text("name", &ModelSettings::name, "as `llmctl models` shows it; required", "which model this is for"),
    number("context_length", &ModelSettings::context_length, kLeastContext, kMostContext, "as for all models",
           "the longest sequence of this model in tokens", "as above; absent: as for all models"),
    choice("backend", &ModelSettings::backend, kBackends, "which kind of device computes this model",
           "as above; absent: as for all models"),
    choice("chat_template", &ModelSettings::chat_template, kTemplates, "the chat format of this model",
           "as above; absent: as for all models"),
    flag("pinned", &ModelSettings::pinned,
         "whether the model, once loaded, stays when nobody uses it and background requests want another; it is the "
         "last to go when memory is short, the battery is nearly empty, or other requests need its room"),
};

constexpr std::array kRemote = {
    text("name", &RemoteSettings::name, "1 to 32 characters `a-z 0-9 -`, the first a letter; required",
         "the name behind the `@`"),
    text("url", &RemoteSettings::url,
         "`https://HOST[:PORT][/PATH]`, `http://` likewise, or `unix:/PATH` of a socket; required",
         "where the machine is; a `/v1` at the end makes no difference"),
    choice("api", &RemoteSettings::api, kRemoteApiNames, "how it is spoken to; `auto` finds out"),
    text("models", &RemoteSettings::models, "a list of at most 64; required",
         "the models that may be asked for. `\"big=Qwen/Qwen3-235B-A22B\"` calls the machine's model "
         "`Qwen/Qwen3-235B-A22B` `big` here, which a name with a `/` needs"),
    text("key_file", &RemoteSettings::key_file, "a path from `/` or `~/` on; empty: no key",
         "the file with the key, which only its owner may read"),
    text("ca_file", &RemoteSettings::ca_file, "a path from `/` or `~/` on; empty: the system's",
         "the certificates to trust instead of the system's, for an authority of your own"),
    text("pin", &RemoteSettings::pin, "`sha256//` and 44 characters of base64; empty: none",
         "the only public key that the machine may have; without ca_file its certificate need not be signed by anyone "
         "then"),
    text("interface", &RemoteSettings::interface, "a network device; empty: any",
         "the only network device that is used, such as that of a VPN"),
    text("apps", &RemoteSettings::apps, "a list; empty: nobody",
         "who may ask: `\"host\"` or `\"*\"` for all programs outside of a sandbox, `\"org.example.App\"` for a "
         "Flatpak, `\"snap:example\"` for a Snap"),
    choice("metered", &RemoteSettings::metered, kMetered, "whether it is used over a connection that costs"),
    number("parallel", &RemoteSettings::parallel, 1, 16, "", "the most requests at a time"),
    number("first_token_seconds", &RemoteSettings::first_token_seconds, 1, 3600, "",
           "how long the first token may take"),
    number("resume_seconds", &RemoteSettings::resume_seconds, 0, 3600, "",
           "how long a text that was cut waits for the machine, and how long [asking for it once "
           "more](bigger-machine.md#what-is-guaranteed) may take; 0: it is never resumed"),
};

template <typename Table>
void add_rows(std::string_view table, std::span<const Setting<Table>> settings, std::vector<SettingRow>& rows) {
    const Table usual;
    const auto in_code = [](std::string_view word) { return concat('`', word, '`'); };
    for (const Setting<Table>& setting : settings) {
        std::string values(setting.values);
        if (!values.empty()) {
            // The row says it all.
        } else if (const auto* number = std::get_if<uint32_t Table::*>(&setting.member)) {
            values =
                concat(setting.least, " to ", setting.most,
                       setting.zero.empty() ? concat("; absent: ", usual.**number) : concat("; 0: ", setting.zero));
        } else if (const auto* flag = std::get_if<bool Table::*>(&setting.member)) {
            values = concat("`true`, `false`", usual.**flag ? "; absent: `true`" : "");
        } else {
            values = listed(setting.choices, in_code);
        }
        rows.push_back({table, setting.name, std::move(values), setting.meaning});
    }
}

}  // namespace

std::span<const Setting<Config>> config_settings() {
    return kConfig;
}

std::span<const Setting<ModelSettings>> model_settings() {
    return kModels;
}

std::span<const Setting<RemoteSettings>> remote_settings() {
    return kRemote;
}

std::vector<SettingRow> setting_table() {
    std::vector<SettingRow> rows;
    add_rows("", config_settings(), rows);
    add_rows("models", model_settings(), rows);
    add_rows("remote", remote_settings(), rows);
    return rows;
}

std::string plain_text(std::string_view markdown) {
    std::string out;
    bool in_code = false;
    while (!markdown.empty()) {
        const char c = markdown.front();
        markdown.remove_prefix(1);
        if (c == '`') {
            in_code = !in_code;
        } else if (!in_code && c == ']' && markdown.starts_with('(')) {
            markdown.remove_prefix(std::min(markdown.find(')'), markdown.size() - 1) + 1);
        } else if (in_code || c != '[') {
            out += c;
        }
    }
    return out;
}

}  // namespace llmd::base
