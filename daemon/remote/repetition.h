// A text that was cut and is asked for once more from its beginning. A server that computes it in the same steps says
// the same again; until all that is known has come again, nothing of it is told anybody. Where it says something else,
// the text has to go on in another way.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "remote/retry.h"

namespace llmd::remote {

inline constexpr int32_t kUnknownId = -1;  // of a token that a server counts and does not tell

class Repetition {
public:
    // `known` are the ids so far, kUnknownId being equal to any.
    explicit Repetition(std::vector<int32_t> known) : known_(std::move(known)) {}

    // Whether the ids of one event are the next known ones.
    bool take(std::span<const int32_t> ids);
    // What comes next is new.
    bool is_whole() const { return n_ == known_.size(); }
    // How long all of it takes, after `elapsed` for what has come; 0 as long as too little has come to tell.
    Milliseconds estimate(Milliseconds elapsed) const;

private:
    const std::vector<int32_t> known_;
    size_t n_ = 0;
};

}  // namespace llmd::remote
