// How llmctl changes a file with settings: as text, so that all that is not meant stays as it is, and the outcome is
// read again and compared before it is written.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/config_file.h"
#include "base/json_writer.h"
#include "base/toml.h"
#include "base/unique_fd.h"

namespace llmd::base {

namespace {

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

bool has_header(const toml::node& node) {
    const toml::array* list = node.as_array();
    if (list != nullptr && !list->empty()) return has_header(list->front());
    const toml::table* table = node.as_table();
    return table != nullptr && !table->is_inline();
}

// The lines of a text with where they begin; one more begins at its end.
class Lines {
public:
    explicit Lines(const std::string& text) : text_(text) {
        for (size_t at = 0; at < text.size();) {
            begins_.push_back(at);
            const size_t end = text.find('\n', at);
            at = end == std::string::npos ? text.size() : end + 1;
        }
    }
    size_t count() const { return begins_.size(); }
    size_t begin(size_t line) const { return line < count() ? begins_[line] : text_.size(); }
    // The first character that is no blank, 0 in an empty line and behind the last one.
    char first(size_t line) const {
        const size_t at = text_.find_first_not_of(" \t\r", begin(line));
        return at < begin(line + 1) && text_[at] != '\n' ? text_[at] : '\0';
    }
    // The first line of the comment right above `line`, or else `line`.
    size_t comment_above(size_t line) const {
        while (line > 0 && first(line - 1) == '#') --line;
        return line;
    }

private:
    const std::string& text_;
    std::vector<size_t> begins_;
};

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
    const Lines lines(text);
    size_t table = lines.count();
    for (const auto& [name, node] : parsed.table()) {
        const size_t header = node.source().begin.line - 1;
        if (has_header(node) && lines.first(header) == '[') table = std::min(table, header);
    }
    if (table < lines.count()) return text.insert(lines.begin(lines.comment_above(table)), line);
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
    // Who may read the old one may read the new one, and nobody else.
    if (struct stat old = {}; file && ::stat(target.c_str(), &old) == 0) ::fchmod(file.get(), old.st_mode & 0777);
    const bool written = file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                         ::fsync(file.get()) == 0 && ::rename(next.c_str(), target.c_str()) == 0;
    if (written) return {};
    const int why = errno;
    ::unlink(next.c_str());
    return fail_errno(ErrorCode::Failed, "settings " + path, why);
}

Error cannot_change(const std::string& path, const std::string& what) {
    return fail(ErrorCode::InvalidArgument, "settings ", path, " are written so that ", what,
                " cannot be changed in them");
}

// Have the two the same values but for the setting `name`?
bool same_values(const Config& a, const Config& b, std::string_view name = {}) {
    for (const std::string& other : setting_names()) {
        if (other != name && *setting_value(a, other) != *setting_value(b, other)) return false;
    }
    return a.models == b.models;
}

std::string toml_list(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + toml_text(text);
    return '[' + list + ']';
}

std::string remote_text(const RemoteSettings& remote) {
    const RemoteSettings usual;
    std::string out = "[[remote]]\n";
    const auto line = [&](const char* key, const auto& value, const auto& otherwise, const std::string& text) {
        if (value != otherwise) out += std::string(key) + " = " + text + '\n';
    };
    const auto word = [&](const char* key, const std::string& value, const std::string& otherwise) {
        line(key, value, otherwise, toml_text(value));
    };
    const auto number = [&](const char* key, uint32_t value, uint32_t otherwise) {
        line(key, value, otherwise, std::to_string(value));
    };
    word("name", remote.name, usual.name);
    word("url", remote.url, usual.url);
    word("api", remote.api, usual.api);
    line("models", remote.models, usual.models, toml_list(remote.models));
    word("key_file", remote.key_file, usual.key_file);
    word("ca_file", remote.ca_file, usual.ca_file);
    word("pin", remote.pin, usual.pin);
    word("interface", remote.interface, usual.interface);
    line("apps", remote.apps, usual.apps, toml_list(remote.apps));
    word("metered", remote.metered, usual.metered);
    number("parallel", remote.parallel, usual.parallel);
    number("first_token_seconds", remote.first_token_seconds, usual.first_token_seconds);
    number("resume_seconds", remote.resume_seconds, usual.resume_seconds);
    return out;
}

struct Text {
    std::string text;  // empty where there is no file
    Settings settings;
};
Result<Text> read_file(const std::string& path) {
    bool exists = false;
    auto text = read_text(path, exists);
    if (!text && exists) return std::move(text).error();
    Text out;
    if (text) out.text = std::move(*text);
    if (auto read = read_keys(path, out.text, out.settings); !read) return std::move(read).error();
    return out;
}

}  // namespace

Result<void> change_setting(const std::string& path, const std::string& name, const std::string& value) {
    if (const auto known = setting_value(Config(), name); !known) return known.error();
    const auto before = read_file(path);
    if (!before) return before.error();
    const bool has_digits = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    if (is_number(name) && !has_digits)
        return fail(ErrorCode::InvalidArgument, name, ": expected a number, not ", toml_text(value));
    if (is_switch(name) && value != "true" && value != "false")
        return fail(ErrorCode::InvalidArgument, name, ": expected true or false, not ", toml_text(value));
    const bool is_bare = is_number(name) || is_switch(name);
    const std::string changed = with_value(before->text, name, is_bare ? value : toml_text(value));
    Settings after;
    if (auto read = read_keys(path, changed, after); !read) {
        return fail(ErrorCode::InvalidArgument, name, ": ", reason_in(read.error().message, name));
    }
    const bool is_changed = is_number(name) || *setting_value(after.config, name) == value;
    const bool same_rest = same_values(before->settings.config, after.config, name) &&
                           before->settings.config.remotes == after.config.remotes;
    if (!is_changed || !same_rest) return cannot_change(path, name);
    return write_text(path, changed);
}

Result<void> add_remote(const std::string& path, const RemoteSettings& remote) {
    RemoteSettings expected = remote;
    expected.key_file = in_home(remote.key_file);
    expected.ca_file = in_home(remote.ca_file);
    if (const auto fault = fault_in(expected)) {
        return fail(ErrorCode::InvalidArgument, fault->key, ": ", fault->what);
    }
    const auto before = read_file(path);
    if (!before) return before.error();
    std::vector<RemoteSettings> remotes = before->settings.config.remotes;
    if (std::any_of(remotes.begin(), remotes.end(),
                    [&](const RemoteSettings& one) { return one.name == remote.name; })) {
        return fail(ErrorCode::InvalidArgument, "name: there is a remote ", toml_text(remote.name), " in ", path,
                    " already; it has to be removed first");
    }
    if (remotes.size() >= kMaxRemotes) {
        return fail(ErrorCode::InvalidArgument, "name: ", path, " has ", kMaxRemotes,
                    " remotes already, and no more may be");
    }
    remotes.push_back(std::move(expected));
    std::string changed = before->text;
    if (!changed.empty() && changed.back() != '\n') changed += '\n';
    const Lines lines(before->text);
    if (lines.count() > 0 && lines.first(lines.count() - 1) != '\0') changed += '\n';
    changed += remote_text(remote);
    Settings after;
    const auto read = read_keys(path, changed, after);
    const bool is_added = read && after.config.remotes == remotes && same_values(before->settings.config, after.config);
    if (!is_added) return cannot_change(path, "[[remote]]");
    return write_text(path, changed);
}

Result<void> remove_remote(const std::string& path, const std::string& name) {
    const auto before = read_file(path);
    if (!before) return before.error();
    std::vector<RemoteSettings> remotes = before->settings.config.remotes;
    const auto found =
        std::find_if(remotes.begin(), remotes.end(), [&](const RemoteSettings& one) { return one.name == name; });
    if (found == remotes.end()) {
        return fail(ErrorCode::NotFound, "there is no remote ", toml_text(name), " in ", path);
    }
    const toml::parse_result parsed = toml::parse(before->text);
    const toml::node* list = parsed.table().get("remote");
    const toml::table& table = *list->as_array()->get(static_cast<size_t>(found - remotes.begin()))->as_table();
    if (!has_header(table)) return cannot_change(path, "[[remote]] " + name);
    remotes.erase(found);
    const Lines lines(before->text);
    size_t first = lines.comment_above(table.source().begin.line - 1);
    if (first > 0 && lines.first(first - 1) == '\0') --first;
    size_t values_end = 0;
    for (const auto& [key, value] : table) values_end = std::max<size_t>(values_end, value.source().end.line);
    size_t last = values_end;
    while (last < lines.count() && lines.first(last) == '#') ++last;
    if (lines.first(last) == '[') last = values_end;  // the comment of what follows
    std::string changed = before->text;
    changed.erase(lines.begin(first), lines.begin(last) - lines.begin(first));
    Settings after;
    const auto read = read_keys(path, changed, after);
    const bool is_removed =
        read && after.config.remotes == remotes && same_values(before->settings.config, after.config);
    if (!is_removed) return cannot_change(path, "[[remote]] " + name);
    return write_text(path, changed);
}

}  // namespace llmd::base
