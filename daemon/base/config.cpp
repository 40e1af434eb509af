#include "base/config.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <sstream>

#include "base/config_file.h"
#include "base/json_writer.h"
#include "base/toml.h"
#include "base/unique_fd.h"

namespace llmd::base {

namespace {

constexpr const char* kFile = "/llmd/llmd.toml";

std::string home_directory() {
    const char* home = std::getenv("HOME");
    const passwd* user = home != nullptr ? nullptr : ::getpwuid(::getuid());
    return user ? user->pw_dir : home ? home : "";
}

// Reads one table's keys; remembers the first error.
class TableReader {
public:
    // `where` is the table, "[[remote]] home", or empty for the keys that are in none.
    TableReader(const std::string& path, std::string where, const toml::table& table)
        : path_(path), where_(std::move(where)), table_(table) {}

    // The values of all keys that are there.
    template <typename Table>
    void all(std::span<const Setting<Table>> settings, Table& out) {
        for (const Setting<Table>& setting : settings) {
            std::visit([&](auto member) { value(setting, out.*member); }, setting.member);
        }
    }
    template <typename Table>
    void value(const Setting<Table>& setting, std::string& out) {
        choice(setting.name, setting.choices, out);
    }
    template <typename Table>
    void value(const Setting<Table>& setting, std::vector<std::string>& out) {
        texts(setting.name, out);
    }
    template <typename Table>
    void value(const Setting<Table>& setting, uint32_t& out) {
        integer(setting.name, setting.least, setting.most, out, !setting.zero.empty());
    }
    template <typename Table>
    void value(const Setting<Table>& setting, bool& out) {
        boolean(setting.name, out);
    }

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
        const auto spell = [](std::string_view name) { return name.empty() ? toml_text(name) : std::string(name); };
        set(*node, key, toml_text(out) + " is none of " + listed(names, spell));
    }

    void texts(std::string_view key, std::vector<std::string>& out) {
        const toml::node* node = find(key);
        if (!node) return;
        const toml::array* list = node->as_array();
        if (!list) return set(*node, key, "expected a list of strings, in [ ]");
        out.clear();
        for (const toml::node& item : *list) {
            const auto* text = item.as_string();
            if (!text) return set(item, key, "expected a list of strings");
            out.push_back(text->get());
        }
    }

    void integer(std::string_view key, uint32_t least, uint32_t most, uint32_t& out, bool may_be_0) {
        const toml::node* node = find(key);
        if (!node) return;
        const auto* number = node->as_integer();
        if (!number) return set(*node, key, "expected an integer");
        const int64_t value = number->get();
        if ((value != 0 || !may_be_0) && (value < least || value > most)) {
            return set(*node, key,
                       concat(value, " is not ", may_be_0 ? "0 or " : "", "in the range ", least, " to ", most));
        }
        out = static_cast<uint32_t>(value);
    }

    void boolean(std::string_view key, bool& out) {
        const toml::node* node = find(key);
        if (!node) return;
        const auto* flag = node->as_boolean();
        if (!flag) return set(*node, key, "expected true or false");
        out = flag->get();
    }

    // The tables [[key]], in their order.
    std::vector<const toml::table*> tables(std::string_view key, size_t most) {
        std::vector<const toml::table*> out;
        const toml::node* node = find(key);
        if (!node) return out;
        const toml::array* list = node->as_array();
        if (list != nullptr && list->size() > most) set(*node, key, concat("there are more than ", most));
        if (list == nullptr) set(*node, key, concat("expected tables, each below [[", key, "]]"));
        if (error) return out;
        for (const toml::node& item : *list) {
            if (!item.is_table()) set(item, key, concat("expected tables, each below [[", key, "]]"));
            if (error) return {};
            out.push_back(item.as_table());
        }
        return out;
    }

    // Says what is wrong with a key that is there, or should be.
    void fault(std::string_view key, const std::string& what) {
        const toml::node* node = table_.get(key);
        set(node ? *node : table_, key, what);
    }
    bool has(std::string_view key) const { return table_.contains(key); }

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
        return concat("settings ", path_, ", line ", node.source().begin.line, ": ", where_, where_.empty() ? "" : ": ",
                      key, ": ");
    }
    const toml::node* find(std::string_view key) {
        known_.push_back(key);
        return table_.get(key);
    }

    const std::string& path_;
    std::string where_;
    const toml::table& table_;
    std::vector<std::string_view> known_;  // literals
};

// "[[remote]] home" as far as the table has a name that is a string.
std::string name_of_table(std::string_view kind, const toml::table& table) {
    const auto* text = table.get_as<std::string>("name");
    const std::string name = text ? text->get() : std::string();
    return concat("[[", kind, "]]", text ? " " : "", !text || is_model_name(name) ? name : in_quotes(name));
}

Result<RemoteSettings> read_remote(const std::string& path, const toml::table& table) {
    TableReader reader(path, name_of_table("remote", table), table);
    RemoteSettings remote;
    reader.all(remote_settings(), remote);
    // A misspelt `pin` or `metered` must not be as good as none.
    if (const auto unknown = reader.unknown_keys(); !unknown.empty()) {
        return fail(ErrorCode::InvalidArgument, unknown.front());
    }
    for (const char* key : {"name", "url", "models"}) {
        if (!reader.has(key)) reader.fault(key, "is missing");
    }
    if (reader.error) return *reader.error;
    remote.key_file = in_home(remote.key_file);
    remote.ca_file = in_home(remote.ca_file);
    if (const auto fault = fault_in(remote)) reader.fault(fault->key, fault->what);
    if (reader.error) return *reader.error;
    return remote;
}

Result<ModelSettings> read_model(const std::string& path, const toml::table& table,
                                 std::vector<std::string>& warnings) {
    TableReader reader(path, name_of_table("models", table), table);
    ModelSettings model;
    reader.all(model_settings(), model);
    if (!reader.has("name")) reader.fault("name", "is missing");
    if (!is_model_name(model.name)) {
        reader.fault("name", in_quotes(model.name) + " cannot be the name of a model, as 'llmctl models' shows them");
    }
    if (model.name.find('@') != std::string::npos) {
        reader.fault("name", in_quotes(model.name) + " is of a remote; these settings are for this device's models");
    }
    if (reader.error) return *reader.error;
    for (std::string& warning : reader.unknown_keys()) warnings.push_back(std::move(warning));
    return model;
}

// Adds what `read` makes of the tables [[kind]] of one file, in place of what has the same name in files before it.
template <typename Table, typename Read>
Result<void> read_tables(const std::string& path, std::string_view kind, const std::vector<const toml::table*>& tables,
                         std::vector<Table>& out, const Read& read) {
    std::vector<Table> own;
    const auto same_in = [](std::vector<Table>& list, const Table& one) {
        return std::find_if(list.begin(), list.end(), [&](const Table& other) { return other.name == one.name; });
    };
    for (const toml::table* table : tables) {
        auto one = read(*table);
        if (!one) return std::move(one).error();
        if (same_in(own, *one) != own.end()) {
            TableReader reader(path, name_of_table(kind, *table), *table);
            reader.fault("name", "another one has this name already");
            return *reader.error;
        }
        own.push_back(std::move(*one));
    }
    for (Table& one : own) {
        if (const auto before = same_in(out, one); before != out.end()) {
            *before = std::move(one);
        } else {
            out.push_back(std::move(one));
        }
    }
    return {};
}

}  // namespace

std::string toml_text(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

std::string in_home(const std::string& path) {
    return path.starts_with("~/") ? home_directory() + path.substr(1) : path;
}

std::string below_home(const std::string& path) {
    const std::string home = home_directory() + "/";
    return path.starts_with(home) ? "~/" + path.substr(home.size()) : path;
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

Result<void> read_keys(const std::string& path, const std::string& text, Settings& settings) {
    const toml::parse_result parsed = toml::parse(text, path);
    if (!parsed) {
        return fail(ErrorCode::InvalidArgument, "settings ", path, ", line ", parsed.error().source().begin.line, ": ",
                    parsed.error().description());
    }
    TableReader reader(path, "", parsed.table());
    reader.all(config_settings(), settings.config);
    for (const Setting<Config>& setting : config_settings()) {
        if (reader.has(setting.name)) settings.said_by[std::string(setting.name)].push_back(path);
    }
    const std::string& model = settings.config.model;
    if (!model.starts_with('/') && model.find('@') != std::string::npos && reader.has("model")) {
        reader.fault("model", in_quotes(model) + " is of a remote; who names no model gets one of this device");
    }
    const auto remotes = reader.tables("remote", kMaxRemotes);
    const auto models = reader.tables("models", kMaxModelSettings);
    if (reader.error) return *reader.error;
    auto read = read_tables(path, "remote", remotes, settings.config.remotes, [&](const toml::table& table) {
        auto remote = read_remote(path, table);
        if (remote) settings.said_by["remote " + remote->name].push_back(path);
        return remote;
    });
    if (!read) return read;
    read = read_tables(path, "models", models, settings.config.models, [&](const toml::table& table) {
        auto own = read_model(path, table, settings.warnings);
        if (own) settings.said_by["models " + own->name].push_back(path);
        return own;
    });
    if (!read) return read;
    for (std::string& warning : reader.unknown_keys()) settings.warnings.push_back(std::move(warning));
    return {};
}

Result<const Setting<Config>*> find_setting(const std::string& name) {
    const auto keys = config_settings();
    const auto key =
        std::find_if(keys.begin(), keys.end(), [&](const auto& candidate) { return candidate.name == name; });
    if (key != keys.end()) return &*key;
    return fail(ErrorCode::InvalidArgument, "there is no setting ", toml_text(name), "; there are ",
                listed(keys, &Setting<Config>::name));
}

namespace {

std::string written_folder() {
    return xdg_config_home() + "/llmd/llmd.toml.d/";
}

std::string xdg_dir(const char* variable, std::string_view below_home) {
    // The specification: a relative path is invalid and ignored.
    if (const char* dir = std::getenv(variable); dir && dir[0] == '/') return dir;
    return home_directory() + "/" + std::string(below_home);
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
    const auto own = static_cast<ptrdiff_t>(files.size());
    std::error_code error;
    for (std::filesystem::directory_iterator entry(written_folder(), error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code ignored;
        if (is_written_file(entry->path()) && !entry->is_directory(ignored)) files.push_back(entry->path());
    }
    std::sort(files.begin() + own, files.end());
    // A folder that cannot be read is as bad as a file: what it says might forbid something. Reading it fails.
    if (error && error != std::errc::no_such_file_or_directory) files.push_back(written_folder());
    return files;
}

std::string user_settings_file() {
    return xdg_config_home() + kFile;
}

std::string written_settings_file() {
    return written_folder() + "50-llmctl.toml";
}

bool is_written_file(const std::string& path) {
    const std::string folder = written_folder();
    return path.starts_with(folder) && path.ends_with(".toml") && path[folder.size()] != '.';
}

std::vector<std::string> overridden_keys(const Settings& settings) {
    std::vector<std::string> lines;
    for (const auto& [key, files] : settings.said_by) {
        const bool is_own = std::find(files.begin(), files.end(), user_settings_file()) != files.end();
        if (!is_own || !is_written_file(files.back())) continue;
        lines.push_back(concat(key, " in ", user_settings_file(), ": ", files.back(), " goes before it"));
    }
    return lines;
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
    for (const Setting<Config>& key : config_settings()) names.emplace_back(key.name);
    return names;
}

Result<std::string> setting_value(const Config& config, const std::string& name) {
    const auto key = find_setting(name);
    if (!key) return key.error();
    if (const auto* flag = std::get_if<bool Config::*>(&(*key)->member))
        return std::string(config.**flag ? "true" : "false");
    if (const auto* number = std::get_if<uint32_t Config::*>(&(*key)->member)) return std::to_string(config.**number);
    return config.*std::get<std::string Config::*>((*key)->member);
}

ModelSettings Config::of(std::string_view wanted) const {
    const auto found =
        std::find_if(models.begin(), models.end(), [&](const ModelSettings& one) { return one.name == wanted; });
    ModelSettings own = found == models.end() ? ModelSettings() : *found;
    own.name.clear();
    if (own.backend.empty()) own.backend = backend;
    if (own.context_length == 0) own.context_length = context_length;
    if (own.chat_template.empty()) own.chat_template = chat_template;
    return own;
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

std::string xdg_state_home() {
    return xdg_dir("XDG_STATE_HOME", ".local/state");
}

Result<std::string> xdg_runtime_dir() {
    const char* dir = std::getenv("XDG_RUNTIME_DIR");
    if (!dir || dir[0] != '/') {
        return fail(ErrorCode::NotReady, "XDG_RUNTIME_DIR is not set to an absolute path; a login session sets it");
    }
    return std::string(dir);
}

}  // namespace llmd::base
