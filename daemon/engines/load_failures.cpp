#include "engines/load_failures.h"

#include <algorithm>
#include <utility>

namespace llmd::engines {

void LoadFailures::add(const std::string& path, std::optional<FileIdentity> file, base::Error error,
                       base::TimePoint now) {
    const auto before = failures_.find(path);
    const bool again = before != failures_.end() && before->second.file == file;
    const auto delay = again ? std::min(before->second.delay * 2, kLastLoadRetry) : kFirstLoadRetry;
    failures_[path] = Failure{file, std::move(error), delay, now + delay};
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

}  // namespace llmd::engines
