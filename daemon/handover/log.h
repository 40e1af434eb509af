// The record of what left the device: one line of JSON for each request that was handed to a remote, written when it
// has ended, in $XDG_STATE_HOME/llmd/remote.log. It says who, when, where, how much and how it ended; never any text.
// What was refused before it was sent is not in it, nor is a request that ended with llmd itself. Lines stay for
// kLogDays. RemoteLog is thread-bound to the event loop; it logs nothing anywhere else and fails no request.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/event_loop.h"
#include "base/json_writer.h"
#include "base/result.h"

namespace llmd::handover {

inline constexpr std::chrono::hours kLogDays{7 * 24};
// Some thousand requests. When the file would grow beyond, the older half of it goes first.
inline constexpr size_t kMaxLogBytes = 1 << 20;

using LogTime = std::chrono::sys_seconds;

struct LogEntry {
    LogTime time{};           // when it was handed over
    std::string application;  // base::Caller::share: "flatpak:ID", "snap:NAME", "app:UNIT" or "host"
    std::string remote;
    std::string model;           // without the remote's name
    uint64_t prompt_tokens = 0;  // 0: nobody has counted them
    uint64_t generated_tokens = 0;
    uint64_t sent_bytes = 0;      // of prompts, as the request had them
    uint64_t received_bytes = 0;  // of the texts that were answered
    std::chrono::milliseconds duration{0};
    std::string end;  // the name of a Finish, or of the error: never its message, which may quote something
    bool operator==(const LogEntry&) const = default;
};

// The entry as a line of the record has it, one JSON object.
void write_json(base::JsonWriter& json, const LogEntry& entry);

// $XDG_STATE_HOME/llmd/remote.log
std::string remote_log_path();

// Returns the entries of the record at `path` from the kLogDays before `now`, oldest first. Without a record there are
// none; lines that are not entries are passed over. Failed: it cannot be read. Any thread, any process.
base::Result<std::vector<LogEntry>> read_remote_log(const std::string& path, LogTime now);

class RemoteLog {
public:
    struct Options {
        std::string path = remote_log_path();
        bool is_on = true;
        // Told why the record cannot be kept, once until it can again.
        std::function<void(const base::Error&)> warn;
        std::function<LogTime()> now = [] {
            return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
        };
        std::chrono::milliseconds trim_interval = std::chrono::hours(24);
    };

    // Takes out of the file what is too old, and again each day. `loop` must outlive the log.
    RemoteLog(base::EventLoop& loop, Options options);
    ~RemoteLog();
    RemoteLog(const RemoteLog&) = delete;
    RemoteLog& operator=(const RemoteLog&) = delete;

    // While it is off nothing is written, and what is there goes as it gets too old.
    void turn(bool on) { options_.is_on = on; }
    // The directory and the file (0600) are made where they are not there.
    void append(const LogEntry& entry);

private:
    // Leaves of the file what is new enough, and of that the last `most_bytes`.
    base::Result<void> trim(size_t most_bytes);
    base::Result<void> write(const LogEntry& entry);
    void trim_daily();
    void tell(const base::Result<void>& done);

    base::EventLoop& loop_;
    Options options_;
    LogTime trimmed_{};
    base::EventLoop::TimerId timer_ = 0;
    bool has_warned_ = false;
};

}  // namespace llmd::handover
