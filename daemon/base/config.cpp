#include "base/config.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <initializer_list>
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

std::string in_quotes(std::string_view text) {
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

    void choice(std::string_view key, std::initializer_list<std::string_view> names, std::string& out) {
        text(key, out);
        const toml::node* node = table_.get(key);
        if (!node || std::find(names.begin(), names.end(), out) != names.end()) return;
        std::string list;
        for (const std::string_view name : names) {
            list += (list.empty() ? "" : ", ") + (name.empty() ? in_quotes(name) : std::string(name));
        }
        set(*node, key, in_quotes(out) + " is none of " + list);
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
    Config& config = settings.config;
    TableReader reader(path, parsed.table());
    reader.text("model", config.model);
    reader.choice("backend", {"auto", "opencl", "cpu"}, config.backend);
    reader.text("device", config.device);
    reader.choice("precision", {"faithful", "fast"}, config.precision);
    reader.choice("chat_template", {"", "none", "zephyr", "llama2", "llama3", "chatml", "gemma", "mistral", "phi3"},
                  config.chat_template);
    reader.integer("threads", 1, 256, config.threads);
    reader.integer("context_length", 32, 1u << 20, config.context_length);
    reader.integer("parallel", 1, 16, config.parallel);
    reader.integer("prefill_chunk", 1, 512, config.prefill_chunk);
    reader.integer("idle_unload_seconds", 1, kMaxIdleSeconds, config.idle_unload_seconds);
    reader.integer("idle_exit_seconds", 1, kMaxIdleSeconds, config.idle_exit_seconds);
    reader.integer("saved_prefix_mib", 1, 65'536, config.saved_prefix_mib);
    reader.choice("log_level", {"error", "warn", "info", "debug"}, config.log_level);
    if (reader.error) return *reader.error;
    for (std::string& warning : reader.unknown_keys()) settings.warnings.push_back(std::move(warning));
    return {};
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
