// Who has used a model, and how long each asks for it to stay loaded; pure: the time goes in. Not thread-safe.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "platform/policy.h"

namespace llmd::service {

class EngineUse {
public:
    // Shares whose keep_alive is kept. Those that used the model longest ago are forgotten.
    static constexpr size_t kMaxKept = 64;

    // That share has used it, and asks for this from now on (nothing: the idle time). LoadModel has no share.
    void note(const std::string& share, std::optional<std::chrono::seconds> keep_alive, bool sandboxed,
              base::TimePoint now);
    // Its tokenizer was used, or it has been loaded.
    void note_question(base::TimePoint now) { last_question_ = now; }

    // Returns the keep_alives of those that have used it; that of the settings, where it is pinned.
    std::vector<platform::KeepAlive> keep_alives(bool pinned) const;
    base::TimePoint last() const;
    // When the last keep_alive of a certain time ends; max(): never; min(): there is none.
    base::TimePoint kept_until() const;
    // When nobody has needed it for long enough, if those of `running` ended now; max(): never.
    base::TimePoint stays_until(std::vector<platform::KeepAlive> running, bool pinned,
                                std::chrono::seconds idle_time) const;

private:
    base::TimePoint last_question_{};
    std::map<std::string, platform::KeepAlive> by_share_;
};

}  // namespace llmd::service
