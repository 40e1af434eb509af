// What follows when something at the remote went wrong: whether to ask again, when, and which error it is in the end.
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
    Milliseconds first_token{300'000};   // from the call to the first event
    Milliseconds resume{120'000};        // how long a text that was cut waits for the remote; 0: it is lost
    Milliseconds hung{120'000};          // without a token, while the connection lives
    Milliseconds silent{45'000};         // without a byte, where the server has sent a comment before
    Milliseconds health_period{15'000};  // between looks at the server's health before the first token
    Milliseconds reply{30'000};          // for a call that computes nothing
    Milliseconds loading_wait{2'000};    // between looks at a server that loads its model
    Milliseconds first_backoff{500};
    Milliseconds last_backoff{8'000};
    Milliseconds longest_retry_after{60'000};
    Milliseconds last_words{2'000};  // for the counts, after a finish reason
};

inline constexpr unsigned kMaxTries = 2;      // more than the first
inline constexpr unsigned kMaxFruitless = 2;  // losses in a row without a new token
inline constexpr unsigned kMaxSickLooks = 2;  // of its health in a row

struct Failure {
    enum class Kind : uint8_t {
        Unreachable = 0,  // no route, refused, no such name, the interface is not there
        Untrusted,        // TLS, certificate or pin
        Status,           // an answer with an error, or an error event inside a 200
        Cut,              // the answer ended, or the remote fell silent, without a finish reason
        SlowFirstToken,
        Malformed,  // what came is no answer: not JSON, too long, more tokens than asked for
    };
    Kind kind = Kind::Cut;
    long status = 0;
    UpstreamError told = {};
    std::optional<std::chrono::seconds> retry_after = {};
    std::string detail = {};        // one sentence, without what the user wrote
    bool may_quote_prompt = false;  // a prompt was sent before `told` was
};

// What the request has been through.
struct Attempts {
    unsigned tries = 0;        // that failed in a row, before any token
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
    bool turns_off = false;  // nothing more is asked of this remote until it is configured again
    bool is_away = false;    // it is not asked again for a while: Away
};
// `jitter` is in [0, 1): it spreads the waits of several.
Verdict judge(const Failure& failure, const Attempts& attempts, const Limits& limits, double jitter);

// What `failure` is where nothing had begun and nothing more is tried.
base::Error last_error(const Failure& failure);

// When to ask again, in seconds and at most six hours, as frames have it; 0: nobody knows.
uint32_t retry_after_s(const base::Error& error);

// A remote that could not be reached is away for 30 s, then twice as long each time, to 10 minutes; reached once, it is
// back. Time is what the caller counts.
class Away {
public:
    void note_unreachable(Milliseconds now);
    void note_reached() { *this = {}; }
    // How long it is still away; 0: it may be asked.
    Milliseconds left(Milliseconds now) const;

private:
    Milliseconds until_{};
    Milliseconds last_{};
};

}  // namespace llmd::remote
