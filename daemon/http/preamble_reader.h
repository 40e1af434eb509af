// A connection to the bridges' socket until its preamble (base/bridge_preamble.h) is complete; then it is HTTP's. Not a
// byte of what follows the preamble is taken.
// Thread-bound to the event loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "base/bridge_preamble.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::http {

class PreambleReader {
public:
    // Limit for the whole preamble: the bridge sends it with the client's first bytes.
    static constexpr std::chrono::seconds kTime{5};

    // Called once; the reader may be destroyed in it, and does nothing after it.
    using Done = std::function<void(base::Result<base::BridgePreamble>)>;

    // `fd` does not block.
    PreambleReader(base::EventLoop& loop, base::UniqueFd fd, Done done);
    ~PreambleReader();
    PreambleReader(const PreambleReader&) = delete;
    PreambleReader& operator=(const PreambleReader&) = delete;

    base::UniqueFd take_fd() { return std::move(fd_); }

private:
    void read();
    void end(base::Result<base::BridgePreamble> result);

    base::EventLoop& loop_;
    base::UniqueFd fd_;
    Done done_;
    std::string bytes_;
    bool has_length_ = false;
    size_t n_wanted_ = base::kBridgeLengthBytes;  // of the length, then of the text
    base::EventLoop::TimerId timer_ = 0;          // 0 once it has ended
};

}  // namespace llmd::http
