#include "base/config.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <sstream>
#include <string_view>

// Header-only and without exceptions, whatever the distribution's package was built with.
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/json_writer.h"
#include "base/unique_fd.h"

namespace llmd::base {

namespace {

// Far above any real configuration; keeps a wrong path (a model, a device) from being read into memory.
constexpr size_t kMaxConfigBytes = 256u << 10;

constexpr const char* kFile = "/llmd/llmd.toml";
constexpr uint32_t kMaxIdleSeconds = 365u * 24 * 3600;  // as good as never

constexpr std::array<std::string_view, 3> kBackends = {"auto", "opencl", "cpu"};
constexpr std::array<std::string_view, 2> kPrecisions = {"faithful", "fast"};
constexpr std::array<std::string_view, 32> kTemplates = {"",
                                                         "none",
                                                         "zephyr",
                                                         "llama2",
                                                         "llama3",
                                                         "llama3.1",
                                                         "chatml",
                                                         "hermes",
                                                         "qwen3",
                                                         "qwen3-thinking",
                                                         "qwen3.5",
                                                         "smollm3",
                                                         "lfm2",
                                                         "lfm2.5",
                                                         "minicpm5",
                                                         "gemma",
                                                         "mistral",
                                                         "mistral-v3",
                                                         "mistral-v3-tekken",
                                                         "mistral-v7-tekken",
                                                         "mistral-v7-thinking",
                                                         "phi3",
                                                         "phi4-mini",
                                                         "granite3",
                                                         "granite4",
                                                         "exaone4",
                                                         "hunyuan",
                                                         "ernie",
                                                         "minicpm",
                                                         "olmo2",
                                                         "deepseek-r1",
                                                         "deepseek"};
constexpr std::array<std::string_view, 4> kLogLevels = {"error", "warn", "info", "debug"};

struct Key {
    using Text = std::string Config::*;
    using Number = uint32_t Config::*;

    constexpr Key(std::string_view key, Text member, std::span<const std::string_view> may_be = {})
        : name(key), text(member), choices(may_be) {}
    constexpr Key(std::string_view key, Number member, uint32_t smallest, uint32_t largest)
        : name(key), number(member), least(smallest), most(largest) {}

    std::string_view name;
    Text text = nullptr;                        // or
    Number number = nullptr;                    // 0, which stands for "absent", or least to most
    std::span<const std::string_view> choices;  // empty: any text
    uint32_t least = 0;
    uint32_t most = 0;
};

constexpr std::array kKeys = {
    Key{"model", &Config::model},
    Key{"backend", &Config::backend, kBackends},
    Key{"device", &Config::device},
    Key{"precision", &Config::precision, kPrecisions},
    Key{"chat_template", &Config::chat_template, kTemplates},
    Key{"threads", &Config::threads, 1, 256},
    Key{"context_length", &Config::context_length, 32, 1u << 20},
    Key{"parallel", &Config::parallel, 1, 16},
    Key{"prefill_chunk", &Config::prefill_chunk, 1, 512},
    Key{"idle_unload_seconds", &Config::idle_unload_seconds, 1, kMaxIdleSeconds},
    Key{"idle_exit_seconds", &Config::idle_exit_seconds, 1, kMaxIdleSeconds},
    Key{"saved_prefix_mib", &Config::saved_prefix_mib, 1, 65'536},
    Key{"log_level", &Config::log_level, kLogLevels},
};

std::string toml_text(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

Result<std::string> read_text(const std::string& path, bool& exists) {
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    exists = fd.valid() || errno != ENOENT;
    if (!fd) return fail_errno(ErrorCode::InvalidArgument, "settings " + path, errno);
    struct stat info = {};
    if (::fstat(fd.get(), &info) != 0) return fail_errno(ErrorCode::InvalidArgument, "settings " + path, errno);
    if (!S_ISREG(info.st_mode)) {
        return fail(ErrorCode::InvalidArgument, "settings ", path, ": not a regular file");
    }
    std::string text;
    std::array<char, 4096> chunk;
    while (true) {
        const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno(ErrorCode::InvalidArgument, "settings " + path, errno);
        if (n == 0) return text;
        text.append(chunk.data(), static_cast<size_t>(n));
        if (text.size() > kMaxConfigBytes) {
            return fail(ErrorCode::InvalidArgument, "settings ", path, ": more than ", kMaxConfigBytes, " bytes");
        }
    }
}

// Reads one table's keys; remembers the first error.
class TableReader {
public:
    TableReader(const std::string& path, const toml::table& table) : path_(path), table_(table) {}

    void text(std::string_view key, std::string& out) {
        const toml::node* node = find(key);
        if (!node) return;
        if (const auto* text = node->as_string()) {
            out = text->get();
        } else {
            set(*node, key, "expected a string");
        }
    }

    void choice(std::string_view key, std::span<const std::string_view> names, std::string& out) {
        text(key, out);
        const toml::node* node = table_.get(key);
        if (!node || names.empty() || std::find(names.begin(), names.end(), out) != names.end()) return;
        std::string list;
        for (const std::string_view name : names) {
            list += (list.empty() ? "" : ", ") + (name.empty() ? toml_text(name) : std::string(name));
        }
        set(*node, key, toml_text(out) + " is none of " + list);
    }

    // 0 stands for "absent" as well as least..most.
    void integer(std::string_view key, uint32_t least, uint32_t most, uint32_t& out) {
        const toml::node* node = find(key);
        if (!node) return;
        const auto* number = node->as_integer();
        if (!number) return set(*node, key, "expected an integer");
        const int64_t value = number->get();
        if (value != 0 && (value < least || value > most)) {
            return set(*node, key, concat(value, " is not 0 or in the range ", least, " to ", most));
        }
        out = static_cast<uint32_t>(value);
    }

    // A line for each key that nothing above has asked for.
    std::vector<std::string> unknown_keys() const {
        std::vector<std::string> lines;
        for (const auto& [key, node] : table_) {
            if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
            lines.push_back(concat(place(node, key.str()), "there is no such key"));
        }
        return lines;
    }

    std::optional<Error> error;

private:
    void set(const toml::node& node, std::string_view key, const std::string& what) {
        if (error) return;
        error = fail(ErrorCode::InvalidArgument, place(node, key), what);
    }
    std::string place(const toml::node& node, std::string_view key) const {
        return concat("settings ", path_, ", line ", node.source().begin.line, ": ", key, ": ");
    }
    const toml::node* find(std::string_view key) {
        known_.push_back(key);
        return table_.get(key);
    }

    const std::string& path_;
    const toml::table& table_;
    std::vector<std::string_view> known_;  // literals
};

// The keys of one file, over those of the files before it.
Result<void> read_keys(const std::string& path, const std::string& text, Settings& settings) {
    const toml::parse_result parsed = toml::parse(text, path);
    if (!parsed) {
        return fail(ErrorCode::InvalidArgument, "settings ", path, ", line ", parsed.error().source().begin.line, ": ",
                    parsed.error().description());
    }
    TableReader reader(path, parsed.table());
    for (const Key& key : kKeys) {
        if (key.number == nullptr) {
            reader.choice(key.name, key.choices, settings.config.*key.text);
        } else {
            reader.integer(key.name, key.least, key.most, settings.config.*key.number);
        }
    }
    if (reader.error) return *reader.error;
    for (std::string& warning : reader.unknown_keys()) settings.warnings.push_back(std::move(warning));
    return {};
}

Result<const Key*> find_key(const std::string& name) {
    const auto key =
        std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& candidate) { return candidate.name == name; });
    if (key != kKeys.end()) return &*key;
    std::string list;
    for (const Key& known : kKeys) list += (list.empty() ? "" : ", ") + std::string(known.name);
    return fail(ErrorCode::InvalidArgument, "there is no setting ", toml_text(name), "; there are ", list);
}

// The byte at a position of toml++, which counts lines and, in each, code points from 1 on.
size_t offset_of(const std::string& text, const toml::source_position& position) {
    size_t at = 0;
    for (uint32_t line = 1; line < position.line && at < text.size(); ++line) at = text.find('\n', at) + 1;
    for (uint32_t column = 1; column < position.column && at < text.size(); ++column) {
        do {
            ++at;
        } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
    }
    return at;
}

// `text`, which is sound, with another value of `key` in the place of the one that it has, or else a new line. All else
// stays.
std::string with_value(std::string text, const std::string& key, const std::string& value) {
    const toml::parse_result parsed = toml::parse(text);
    if (const toml::node* node = parsed.table().get(key)) {
        const size_t begin = offset_of(text, node->source().begin);
        return text.replace(begin, offset_of(text, node->source().end) - begin, value);
    }
    const std::string line = key + " = " + value + '\n';
    // What stands behind a table's name belongs to the table.
    if (text.starts_with('[')) return line + text;
    if (const size_t table = text.find("\n["); table != std::string::npos) return text.insert(table + 1, line);
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text + line;
}

// What stands behind "KEY: " in a message of read_keys().
std::string reason_in(const std::string& message, const std::string& key) {
    const size_t at = message.find(key + ": ");
    return at == std::string::npos ? message : message.substr(at + key.size() + 2);
}

// The file is the old one or the new one, also after a crash. A link stays one.
Result<void> write_text(const std::string& path, const std::string& text) {
    std::error_code error;
    std::filesystem::path target = std::filesystem::canonical(path, error);
    // What is not there yet may be a link's target.
    if (error) target = std::filesystem::path(path).parent_path() / std::filesystem::read_symlink(path, error);
    if (error) target = path;
    std::filesystem::create_directories(target.parent_path(), error);
    const std::string next = target.string() + ".new";
    const UniqueFd file(
        ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH));
    const bool written = file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                         ::fsync(file.get()) == 0 && ::rename(next.c_str(), target.c_str()) == 0;
    if (written) return {};
    const int why = errno;
    ::unlink(next.c_str());
    return fail_errno(ErrorCode::Failed, "settings " + path, why);
}

std::string xdg_dir(const char* variable, std::string_view below_home) {
    // The specification: a relative path is invalid and ignored.
    if (const char* dir = std::getenv(variable); dir && dir[0] == '/') return dir;
    const char* home = std::getenv("HOME");
    const passwd* user = home != nullptr ? nullptr : ::getpwuid(::getuid());
    return std::string(user ? user->pw_dir : home ? home : "") + "/" + std::string(below_home);
}

}  // namespace

std::vector<std::string> settings_files() {
    std::vector<std::string> files = {LLMD_DATADIR "/llmd/llmd.toml"};
    const char* list = std::getenv("XDG_CONFIG_DIRS");
    std::istringstream parts(list && *list ? list : "/etc/xdg");
    const auto first = files.size();
    // The specification names the most important one first, and ignores relative ones.
    for (std::string folder; std::getline(parts, folder, ':');) {
        if (folder.starts_with('/')) files.insert(files.begin() + static_cast<ptrdiff_t>(first), folder + kFile);
    }
    files.push_back(user_settings_file());
    return files;
}

std::string user_settings_file() {
    return xdg_config_home() + kFile;
}

Result<Settings> read_settings(const std::vector<std::string>& files, bool must_exist) {
    Settings settings;
    for (const std::string& path : files) {
        bool exists = false;
        const auto text = read_text(path, exists);
        if (!text && !exists && !must_exist) continue;
        if (!text) return text.error();
        if (auto read = read_keys(path, *text, settings); !read) return std::move(read).error();
        settings.files.push_back(path);
    }
    return settings;
}

std::vector<std::string> setting_names() {
    std::vector<std::string> names;
    for (const Key& key : kKeys) names.emplace_back(key.name);
    return names;
}

Result<std::string> setting_value(const Config& config, const std::string& name) {
    const auto key = find_key(name);
    if (!key) return key.error();
    return (*key)->number != nullptr ? std::to_string(config.*(*key)->number) : config.*(*key)->text;
}

Result<void> change_setting(const std::string& path, const std::string& name, const std::string& value) {
    const auto key = find_key(name);
    if (!key) return key.error();
    bool exists = false;
    auto text = read_text(path, exists);
    if (!text && exists) return text.error();
    Settings before;
    if (text) {
        if (auto read = read_keys(path, *text, before); !read) return read;
    }
    const bool is_number = (*key)->number != nullptr;
    const bool has_digits = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && !has_digits)
        return fail(ErrorCode::InvalidArgument, name, ": expected a number, not ", toml_text(value));
    const std::string changed = with_value(text ? *text : "", name, is_number ? value : toml_text(value));
    Settings after;
    if (auto read = read_keys(path, changed, after); !read) {
        return fail(ErrorCode::InvalidArgument, name, ": ", reason_in(read.error().message, name));
    }
    for (const Key& other : kKeys) {
        const auto was = setting_value(before.config, std::string(other.name));
        const auto is = setting_value(after.config, std::string(other.name));
        if (other.name == name ? *is == value || is_number : *is == *was) continue;
        return fail(ErrorCode::InvalidArgument, "settings ", path, " are written so that ", name,
                    " cannot be changed in them");
    }
    return write_text(path, changed);
}

std::string xdg_config_home() {
    return xdg_dir("XDG_CONFIG_HOME", ".config");
}
std::string xdg_data_home() {
    return xdg_dir("XDG_DATA_HOME", ".local/share");
}

std::string xdg_cache_home() {
    return xdg_dir("XDG_CACHE_HOME", ".cache");
}

Result<std::string> xdg_runtime_dir() {
    const char* dir = std::getenv("XDG_RUNTIME_DIR");
    if (!dir || dir[0] != '/') {
        return fail(ErrorCode::NotReady, "XDG_RUNTIME_DIR is not set to an absolute path; a login session sets it");
    }
    return std::string(dir);
}

}  // namespace llmd::base
