// Cuts a streamed text at the first stop string, which is no part of it. llmd-remote does this itself: servers differ
// in what they hold back and in which tokens they count, and a text that is to go on after a loss must be known whole.
// Plain data: any one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace llmd::remote {

class StopFilter {
public:
    explicit StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {}

    // What of the text so far became certain: it is no part of a stop string.
    std::string feed(std::string_view text);
    // A stop string has come; nothing follows.
    bool has_stopped() const { return has_stopped_; }
    // What was held back, at the text's end.
    std::string finish();

private:
    const std::vector<std::string> stops_;  // none empty
    std::string held_;
    bool has_stopped_ = false;
};

}  // namespace llmd::remote
