#include "supervisor/load_failures.h"

#include <algorithm>
#include <utility>

namespace llmd::supervisor {

void LoadFailures::add(const std::string& path, std::optional<FileIdentity> file, base::Error error,
                       base::TimePoint now) {
    const auto before = failures_.find(path);
    const bool again = before != failures_.end() && before->second.file == file;
    const auto delay = again ? std::min(before->second.delay * 2, kLastLoadRetry) : kFirstLoadRetry;
    failures_[path] = Failure{file, std::move(error), delay, now + delay};
    ready_.erase(path);
}

void LoadFailures::add_ready(const std::string& path, const FileIdentity& file) {
    failures_.erase(path);
    ready_[path] = file;
}

bool LoadFailures::was_ready(const std::string& path, const std::optional<FileIdentity>& file) const {
    const auto it = ready_.find(path);
    return it != ready_.end() && file && it->second == *file;
}

std::optional<base::Error> LoadFailures::current(const std::string& path, std::optional<FileIdentity> file,
                                                 base::TimePoint now) {
    const auto it = failures_.find(path);
    if (it == failures_.end()) return std::nullopt;
    if (it->second.file != file) {
        failures_.erase(it);
        return std::nullopt;
    }
    if (now >= it->second.retry_at) return std::nullopt;
    return it->second.error;
}

}  // namespace llmd::supervisor
