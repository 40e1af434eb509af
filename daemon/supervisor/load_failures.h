// Which models failed to load, and when they may be tried again: after 1, 2, 4 … 60 s. Until then whoever asks gets the
// same error at once. Also which files were ready once: a later failure says less of them. Pure: the caller passes the
// time.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/event_loop.h"
#include "supervisor/model_catalogue.h"

namespace llmd::supervisor {

inline constexpr std::chrono::seconds kFirstLoadRetry{1};
inline constexpr std::chrono::seconds kLastLoadRetry{60};  // a changed file or LoadModel does not wait for it

class LoadFailures {
public:
    // The file at `path`, as it is now (nothing: gone), could not be loaded, and has lost the credit of having been
    // ready.
    void add(const std::string& path, std::optional<FileIdentity> file, base::Error error, base::TimePoint now);
    // The error of the last try while another one is not due; nothing when the file has changed since.
    std::optional<base::Error> current(const std::string& path, std::optional<FileIdentity> file, base::TimePoint now);
    // It was loaded, or somebody who may do so wants it tried at once.
    void forget(const std::string& path) { failures_.erase(path); }
    // The settings have changed: any model may be tried at once.
    void forget_all() { failures_.clear(); }
    // This file was ready.
    void add_ready(const std::string& path, const FileIdentity& file);
    // It was so the last time that it was loaded, and is the same file.
    bool was_ready(const std::string& path, const std::optional<FileIdentity>& file) const;

private:
    struct Failure {
        std::optional<FileIdentity> file;
        base::Error error;
        std::chrono::seconds delay;
        base::TimePoint retry_at;
    };
    std::map<std::string, Failure> failures_;    // by path; one for each file that was asked for and is broken
    std::map<std::string, FileIdentity> ready_;  // by path; one for each file that was loaded
};

}  // namespace llmd::supervisor
