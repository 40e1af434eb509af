#include "handover/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/config.h"
#include "base/file_bytes.h"
#include "base/unique_fd.h"
#include "base/value.h"

namespace llmd::handover {

namespace {

using base::ErrorCode;
using base::fail_errno;

constexpr const char* kTimeFormat = "%Y-%m-%dT%H:%M:%SZ";
// Read of a file that somebody else has let grow.
constexpr off_t kMostRead = 4 * kMaxLogBytes;

std::string text_of(LogTime time) {
    const time_t seconds = time.time_since_epoch().count();
    tm parts{};
    std::array<char, 64> text{};
    ::gmtime_r(&seconds, &parts);
    return {text.data(), ::strftime(text.data(), text.size(), kTimeFormat, &parts)};
}

std::optional<LogTime> time_of(const std::string& text) {
    tm parts{};
    const char* end = ::strptime(text.c_str(), kTimeFormat, &parts);
    if (end == nullptr || *end != '\0') return std::nullopt;
    return LogTime(std::chrono::seconds(::timegm(&parts)));
}

std::string line_of(const LogEntry& entry) {
    base::JsonWriter json;
    write_json(json, entry);
    return json.take() + "\n";
}

// Takes the members that a line has beside its time, in its order.
void each_member(auto& entry, auto take) {
    take("application", entry.application);
    take("remote", entry.remote);
    take("model", entry.model);
    take("prompt_tokens", entry.prompt_tokens);
    take("generated_tokens", entry.generated_tokens);
    take("sent_bytes", entry.sent_bytes);
    take("received_bytes", entry.received_bytes);
    take("milliseconds", entry.duration);
    take("end", entry.end);
}

// Nothing when the line is none of ours.
std::optional<LogEntry> entry_of(std::string_view line) {
    const auto value = base::parse_json(line);
    const auto* object = value ? value->get<base::Value::Object>() : nullptr;
    if (object == nullptr) return std::nullopt;
    const auto read = [&](const char* key, auto& member) {
        const base::Value* found = base::find(*object, key);
        if (found == nullptr) return;
        if constexpr (std::is_same_v<decltype(member), std::string&>) {
            if (const auto* text = found->get<std::string>()) member = *text;
        } else if (const auto* number = found->get<int64_t>(); number != nullptr && *number > 0) {
            member = std::remove_reference_t<decltype(member)>(*number);
        }
    };
    std::string text;
    read("time", text);
    const auto time = time_of(text);
    if (!time) return std::nullopt;
    LogEntry entry{.time = *time};
    each_member(entry, read);
    return entry;
}

// The file at `path`; an invalid descriptor where there is none. Whatever else stands there is neither waited for nor
// followed.
base::Result<base::UniqueFd> open_file(const std::string& path, int flags) {
    base::UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!fd)
        return errno == ENOENT ? base::Result<base::UniqueFd>(base::UniqueFd())
                               : fail_errno(ErrorCode::Failed, path, errno);
    struct stat status = {};
    if (::fstat(fd.get(), &status) != 0) return fail_errno(ErrorCode::Failed, path, errno);
    if (!S_ISREG(status.st_mode)) return base::fail(ErrorCode::Failed, path, ": is not a regular file");
    return fd;
}

base::Result<std::string> read_file(const std::string& path) {
    auto fd = open_file(path, O_RDONLY);
    if (!fd) return std::move(fd).error();
    if (!*fd) return std::string();
    const off_t size = ::lseek(fd->get(), 0, SEEK_END);
    const off_t begin = std::max<off_t>(size - kMostRead, 0);
    std::string text(static_cast<size_t>(std::max<off_t>(size, 0) - begin), '\0');
    ::lseek(fd->get(), begin, SEEK_SET);
    if (!base::read_all(fd->get(), std::as_writable_bytes(std::span(text)))) {
        return base::fail(ErrorCode::Failed, path, ": cannot be read");
    }
    return text;
}

// Calls `take` with each line and, where it is one of ours, what it says.
template <typename Take>
void each_line(std::string_view text, Take take) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (auto entry = entry_of(line)) take(line, std::move(*entry));
    }
}

bool is_too_old(const LogEntry& entry, LogTime now) {
    return entry.time < now - kLogDays;
}

size_t file_size(const std::string& path) {
    struct stat status = {};
    return ::lstat(path.c_str(), &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
}

base::Result<void> make_directories(const std::string& path) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        const std::string directory = path.substr(0, slash);
        if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
            return fail_errno(ErrorCode::Failed, directory, errno);
    }
    return {};
}

base::Result<void> replace_file(const std::string& path, std::string_view text) {
    const std::string unfinished = path + ".new";
    ::unlink(unfinished.c_str());
    const base::UniqueFd fd(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return fail_errno(ErrorCode::Failed, unfinished, errno);
    if (base::write_all(fd.get(), std::as_bytes(std::span(text))) && ::rename(unfinished.c_str(), path.c_str()) == 0) {
        return {};
    }
    const int why = errno;
    ::unlink(unfinished.c_str());
    return fail_errno(ErrorCode::Failed, path, why);
}

}  // namespace

void write_json(base::JsonWriter& json, const LogEntry& entry) {
    json.begin_object();
    json.key("time").value(text_of(entry.time));
    each_member(entry, [&](const char* key, const auto& member) {
        if constexpr (std::is_same_v<decltype(member), const std::chrono::milliseconds&>) {
            json.key(key).value(static_cast<int64_t>(member.count()));
        } else {
            json.key(key).value(member);
        }
    });
    json.end_object();
}

std::string remote_log_path() {
    return base::xdg_state_home() + "/llmd/remote.log";
}

base::Result<std::vector<LogEntry>> read_remote_log(const std::string& path, LogTime now) {
    const auto text = read_file(path);
    if (!text) return text.error();
    std::vector<LogEntry> entries;
    each_line(*text, [&](std::string_view, LogEntry entry) {
        if (!is_too_old(entry, now)) entries.push_back(std::move(entry));
    });
    return entries;
}

RemoteLog::RemoteLog(base::EventLoop& loop, Options options) : loop_(loop), options_(std::move(options)) {
    trim_daily();
}

RemoteLog::~RemoteLog() {
    loop_.cancel_timer(timer_);
}

void RemoteLog::trim_daily() {
    tell(trim(kMaxLogBytes));
    timer_ = loop_.add_timer_after(options_.trim_interval, [this] { trim_daily(); });
}

void RemoteLog::append(const LogEntry& entry) {
    if (options_.is_on) tell(write(entry));
}

void RemoteLog::tell(const base::Result<void>& done) {
    if (!done && !has_warned_ && options_.warn) options_.warn(done.error());
    has_warned_ = !done;
}

base::Result<void> RemoteLog::write(const LogEntry& entry) {
    // A device that sleeps counts its days by the wall clock only.
    const LogTime now = options_.now();
    if (now - trimmed_ >= options_.trim_interval) {
        if (auto trimmed = trim(kMaxLogBytes); !trimmed) return trimmed;
    }
    if (auto made = make_directories(options_.path); !made) return made;
    std::string line = line_of(entry);
    if (file_size(options_.path) + line.size() > kMaxLogBytes) {
        if (auto trimmed = trim(kMaxLogBytes / 2); !trimmed) return trimmed;
    }
    auto fd = open_file(options_.path, O_RDWR | O_APPEND | O_CREAT);
    if (!fd) return std::move(fd).error();
    // Others may have had a right to read it, and the last line may have been cut by a full disk.
    char last = '\n';
    const off_t end = ::lseek(fd->get(), 0, SEEK_END);
    if (::fchmod(fd->get(), 0600) != 0 || (end > 0 && ::pread(fd->get(), &last, 1, end - 1) != 1)) {
        return fail_errno(ErrorCode::Failed, options_.path, errno);
    }
    if (last != '\n') line.insert(line.begin(), '\n');
    if (!base::write_all(fd->get(), std::as_bytes(std::span(line)))) {
        return fail_errno(ErrorCode::Failed, options_.path, errno);
    }
    return {};
}

base::Result<void> RemoteLog::trim(size_t most_bytes) {
    const LogTime now = options_.now();
    trimmed_ = now;
    const auto text = read_file(options_.path);
    if (!text) return text.error();
    std::string kept;
    each_line(*text, [&](std::string_view line, const LogEntry& entry) {
        if (!is_too_old(entry, now)) kept.append(line).append("\n");
    });
    if (kept.size() > most_bytes) kept.erase(0, kept.find('\n', kept.size() - most_bytes - 1) + 1);
    if (kept == *text) return {};
    return replace_file(options_.path, kept);
}

}  // namespace llmd::handover
