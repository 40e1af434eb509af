// The models that a request names and the way through them: its `model`, and behind it those of its `fallback`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "handover/remote_policy.h"

namespace llmd::service {

struct Route {
    std::string model;                // the name that is asked now; empty: the default
    std::vector<std::string> keys;    // ModelReference::key() of those that have had the request
    std::vector<std::string> failed;  // '"tales@home" failed with RemoteUnreachable', of each before `model`
    handover::Fallback fallback;

    // Goes on to the next of the request's own fallback. False: what failed last is how the request ends.
    bool advance(std::span<const std::string> models, const base::Error& error, bool has_delivered);
    // Goes on from one that has had the request under another name, with the error that led to it. False: likewise.
    bool skip(std::span<const std::string> models, const base::Error& error);
    // Says for whoever asked which models have failed, and why; empty: none has.
    std::string note() const;
    // The error of the last with those before it.
    base::Error with_history(base::Error error) const;
};

}  // namespace llmd::service
