// The verdict when something at the remote went wrong: whether to ask again, when, and which error it is in the end.
// Whether the next request is sent at all, llmd decides by that error (handover/remote_state.h).
// One table, no clock of its own. Pure functions: any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "remote/upstream_json.h"

namespace llmd::remote {

using Milliseconds = std::chrono::milliseconds;

// Times of one remote. Tests have shorter ones.
struct Limits {
    Milliseconds first_token{300'000};  // from the call to the first event
    Milliseconds resume{120'000};       // how long a text that was cut waits for the remote; 0: it is lost
    Milliseconds hung{120'000};         // without a token, while the connection lives
    Milliseconds probe_period{15'000};  // between looks whether the server lives, before the first token
    Milliseconds reply{30'000};         // for a call that computes nothing
    Milliseconds loading_wait{2'000};   // between looks at a server that loads its model
    Milliseconds first_backoff{500};
    Milliseconds last_backoff{8'000};
    Milliseconds longest_retry_after{60'000};
    Milliseconds last_words{2'000};  // for the counts, after a finish reason
};

inline constexpr unsigned kMaxTries = 2;         // more than the first
inline constexpr unsigned kMaxFailedProbes = 2;  // in a row, before the first token
inline constexpr unsigned kMaxFruitless = 2;     // losses in a row without a new token

struct Failure {
    enum class Kind : uint8_t {
        Unreachable = 0,  // no route, refused, no such name, the interface is not there
        Untrusted,        // TLS, certificate or pin
        Status,           // an answer with an error, or an error event inside a 200
        Cut,              // the answer ended, or the remote fell silent, without a finish reason
        SlowFirstToken,
        Malformed,  // the bytes that came are no answer: not JSON, too long, more tokens than asked for
    };
    Kind kind = Kind::Cut;
    long status = 0;
    UpstreamError told = {};
    std::optional<std::chrono::seconds> retry_after = {};
    std::string detail = {};        // one sentence, without what the user wrote
    bool may_quote_prompt = false;  // a prompt was sent before `told` was
};

// An answer that had begun, or was about to, is not going on.
inline bool is_loss(const Failure& failure) {
    return failure.kind == Failure::Kind::Cut || failure.kind == Failure::Kind::SlowFirstToken;
}

// The history of the request.
struct Attempts {
    unsigned tries = 0;        // tries that failed in a row, before any token
    Milliseconds waited{};     // since the request's first call
    bool has_begun = false;    // a token came, or a call was cut: it waits for its remote
    bool can_resume = false;   // go on where it is, or begin again where nothing was delivered
    unsigned fruitless = 0;    // losses since the last new token
    Milliseconds since_cut{};  // since the loss that it waits to be over
};

struct Verdict {
    enum class What : uint8_t {
        Fail = 0,
        Again,   // the same call
        Resume,  // after a look whether the remote is still the same
    };
    What what = What::Fail;
    Milliseconds delay{};
    base::Error error = {};  // with Fail
};
// `jitter` is in [0, 1): it spreads the waits of several.
Verdict judge(const Failure& failure, const Attempts& attempts, const Limits& limits, double jitter);

// Returns the error for `failure` where nothing had begun and nothing more is tried.
base::Error last_error(const Failure& failure);

// When to ask again, in seconds and at most six hours, as frames have it; 0: nobody knows.
uint32_t retry_after_s(const base::Error& error);

}  // namespace llmd::remote
