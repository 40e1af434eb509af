// How llmctl changes settings: it writes a file of its own, whole, from what that says already. No code edits a file
// that a person writes.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/config_file.h"
#include "base/json_writer.h"
#include "base/unique_fd.h"

namespace llmd::base {

namespace {

constexpr std::string_view kHead =
    "# llmctl writes this file whole; it is read after llmd.toml. 'llmctl config unset KEY' takes a line back.\n";

// Returns the text behind "KEY: " in a message of read_keys().
std::string reason_in(const std::string& message, const std::string& key) {
    const size_t at = message.find(key + ": ");
    return at == std::string::npos ? message : message.substr(at + key.size() + 2);
}

// The file is the old one or the new one, also after a crash. A link stays one.
Result<void> write_text(const std::string& path, const std::string& text) {
    std::error_code error;
    std::filesystem::path target = std::filesystem::canonical(path, error);
    // A file that is not there yet may be a link's target.
    if (error) target = std::filesystem::path(path).parent_path() / std::filesystem::read_symlink(path, error);
    if (error) target = path;
    std::filesystem::create_directories(target.parent_path(), error);
    std::string next = target.string() + ".XXXXXX";
    const UniqueFd file(::mkostemp(next.data(), O_CLOEXEC));  // for its owner alone
    // Who may read the old one may read the new one, and nobody else.
    if (struct stat old = {}; file && ::stat(target.c_str(), &old) == 0) ::fchmod(file.get(), old.st_mode & 0777);
    const bool written = file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                         ::fsync(file.get()) == 0 && ::rename(next.c_str(), target.c_str()) == 0;
    if (written) return {};
    const int why = errno;
    if (file) ::unlink(next.c_str());
    return fail_errno(ErrorCode::Failed, "settings " + path, why);
}

// Held while a file of the folder is read and written: two programs that change it do so one after the other.
UniqueFd lock_folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path();
    std::error_code ignored;  // where it cannot be made, writing says why
    std::filesystem::create_directories(folder, ignored);
    UniqueFd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock) ::flock(lock.get(), LOCK_EX);
    return lock;
}

// Returns the text that is written for the value of one key.
std::string in_toml(const std::string& value) {
    return toml_text(value);
}
std::string in_toml(const std::vector<std::string>& value) {
    return '[' + listed(value, toml_text) + ']';
}
std::string in_toml(uint32_t value) {
    return std::to_string(value);
}
std::string in_toml(bool value) {
    return value ? "true" : "false";
}

// The lines of a table whose keys are not as they come anyhow.
template <typename Table>
std::string lines_of(std::span<const Setting<Table>> settings, const Table& table) {
    const Table usual;
    std::string out;
    for (const Setting<Table>& setting : settings) {
        std::visit(
            [&](auto member) {
                if (table.*member != usual.*member) {
                    out += concat(setting.name, " = ", in_toml(table.*member), '\n');
                }
            },
            setting.member);
    }
    return out;
}

// A file with what `settings` say, and with `value`, as TOML has it, for the key `name`. Empty: they say nothing.
std::string text_of(const Settings& settings, std::string_view name = {}, const std::string& value = {}) {
    std::string out;
    for (const Setting<Config>& setting : config_settings()) {
        if (setting.name == name) {
            out += concat(name, " = ", value, '\n');
        } else if (settings.said_by.contains(std::string(setting.name))) {
            std::visit([&](auto member) { out += concat(setting.name, " = ", in_toml(settings.config.*member), '\n'); },
                       setting.member);
        }
    }
    for (const ModelSettings& model : settings.config.models) {
        out += "\n[[models]]\n" + lines_of(model_settings(), model);
    }
    for (RemoteSettings remote : settings.config.remotes) {
        for (std::string* file : {&remote.key_file, &remote.ca_file}) *file = below_home(*file);
        out += "\n[[remote]]\n" + lines_of(remote_settings(), remote);
    }
    return out.empty() ? out : concat(kHead, out);
}

Result<Settings> read_own(const std::string& path) {
    auto settings = read_settings({path});
    // Keys that a newer llmctl has written would be lost.
    if (settings && !settings->warnings.empty()) return fail(ErrorCode::InvalidArgument, settings->warnings.front());
    return settings;
}

// Writes `text`, once it is known to be read as `meant`.
Result<void> write_own(const std::string& path, const std::string& text, const Config& meant) {
    Settings after;
    if (auto read = read_keys(path, text, after); !read) return read;
    bool is_same = after.config.remotes == meant.remotes && after.config.models == meant.models;
    for (const std::string& name : setting_names()) {
        is_same = is_same && *setting_value(after.config, name) == *setting_value(meant, name);
    }
    if (!is_same) return fail(ErrorCode::InvalidArgument, "settings ", path, ": this cannot be written in TOML");
    if (text.size() > kMaxConfigBytes) {
        return fail(ErrorCode::InvalidArgument, "settings ", path, ": more than ", kMaxConfigBytes, " bytes");
    }
    std::error_code ignored;
    if (!text.empty() || std::filesystem::is_symlink(path, ignored)) return write_text(path, text);
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return fail_errno(ErrorCode::Failed, "settings " + path, errno);
}

}  // namespace

Result<void> change_setting(const std::string& path, const std::string& name, const std::string& value) {
    const auto setting = find_setting(name);
    if (!setting) return setting.error();
    const bool is_number = std::holds_alternative<uint32_t Config::*>((*setting)->member);
    const bool is_switch = std::holds_alternative<bool Config::*>((*setting)->member);
    const UniqueFd lock = lock_folder_of(path);
    auto settings = read_own(path);
    if (!settings) return settings.error();
    const bool has_digits = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && !has_digits)
        return fail(ErrorCode::InvalidArgument, name, ": expected a number, not ", toml_text(value));
    if (is_switch && value != "true" && value != "false")
        return fail(ErrorCode::InvalidArgument, name, ": expected true or false, not ", toml_text(value));
    const bool is_bare = is_number || is_switch;
    const std::string changed = text_of(*settings, name, is_bare ? value : toml_text(value));
    Settings after;
    if (auto read = read_keys(path, changed, after); !read) {
        return fail(ErrorCode::InvalidArgument, name, ": ", reason_in(read.error().message, name));
    }
    if (!is_number && *setting_value(after.config, name) != value) {
        return fail(ErrorCode::InvalidArgument, name, ": ", in_quotes(value), " is not UTF-8");
    }
    std::visit([&](auto member) { settings->config.*member = after.config.*member; }, (*setting)->member);
    return write_own(path, changed, settings->config);
}

Result<void> unset_setting(const std::string& path, const std::string& name) {
    const auto setting = find_setting(name);
    if (!setting) return setting.error();
    const UniqueFd lock = lock_folder_of(path);
    auto settings = read_own(path);
    if (!settings) return settings.error();
    if (settings->said_by.erase(name) == 0) return fail(ErrorCode::NotFound, "there is no ", name, " in ", path);
    std::visit([&](auto member) { settings->config.*member = Config().*member; }, (*setting)->member);
    return write_own(path, text_of(*settings), settings->config);
}

Result<void> add_remote(const std::string& path, const RemoteSettings& remote) {
    RemoteSettings added = remote;
    added.key_file = in_home(remote.key_file);
    added.ca_file = in_home(remote.ca_file);
    if (const auto fault = fault_in(added)) return fail(ErrorCode::InvalidArgument, fault->key, ": ", fault->what);
    const UniqueFd lock = lock_folder_of(path);
    auto settings = read_own(path);
    if (!settings) return settings.error();
    std::vector<RemoteSettings>& remotes = settings->config.remotes;
    if (std::any_of(remotes.begin(), remotes.end(),
                    [&](const RemoteSettings& one) { return one.name == added.name; })) {
        return fail(ErrorCode::InvalidArgument, "name: there is a remote ", toml_text(added.name), " in ", path,
                    " already; it has to be removed first");
    }
    if (remotes.size() >= kMaxRemotes) {
        return fail(ErrorCode::InvalidArgument, "name: ", path, " has ", kMaxRemotes,
                    " remotes already, and no more may be");
    }
    remotes.push_back(std::move(added));
    return write_own(path, text_of(*settings), settings->config);
}

Result<void> remove_remote(const std::string& path, const std::string& name) {
    const UniqueFd lock = lock_folder_of(path);
    auto settings = read_own(path);
    if (!settings) return settings.error();
    if (std::erase_if(settings->config.remotes, [&](const RemoteSettings& one) { return one.name == name; }) == 0) {
        return fail(ErrorCode::NotFound, "there is no remote ", toml_text(name), " in ", path);
    }
    return write_own(path, text_of(*settings), settings->config);
}

}  // namespace llmd::base
