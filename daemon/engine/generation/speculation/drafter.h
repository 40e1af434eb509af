// Drafts the next tokens of one sequence, and knows how likely they are. A draft is looked up: where the end of the
// text came before, what followed it there is expected again (ngram_index.h). Under a grammar it goes on through the
// tokens that are forced: those without an alternative are certain, and where only the bytes are forced, the longest
// token that spells them is expected.
//
// Whether a draft is worth a row of the device is learnt without one: the first drafted token is compared with the
// token that comes, whether its row was computed or not. So a text that repeats nothing costs the look-ups only, and a
// sequence whose text begins to repeat itself is noticed at once. Thread-bound.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/generation/constraint/constraint.h"
#include "engine/generation/speculation/ngram_index.h"

namespace llmd::generation {

// Most drafts of a sequence in one step. At an acceptance of 0.9 the 15th is reached one time in five.
inline constexpr uint32_t kMaxDrafts = 15;

// For measurements: an answer that is known beforehand.
struct Recording {
    std::vector<int32_t> ids;  // the first is the answer's first
    // They are accepted in place of the sampled tokens, where there is no grammar; what is sampled behind them counts
    // again.
    bool replaces = true;
    // Drafts are these ids too, each right with this probability; nothing: they are looked up.
    std::optional<float> acceptance;
};

struct Draft {
    int32_t id = 0;
    double probability = 0;   // that this and all drafts before it are the next tokens
    bool is_certain = false;  // if those before it are
};

class Drafter {
public:
    // The tokens of a sequence depend on this, beside the tokens so far.
    struct Context {
        constraint::Constraint* constraint = nullptr;  // null: none
        std::span<const int32_t> end_ids;              // none of them is drafted
        const Recording* recording = nullptr;          // null: none
        uint32_t n_prompt = 0;
        uint32_t n_vocab = 0;
    };

    explicit Drafter(uint32_t max_tokens) : index_(max_tokens) {}

    // `ids` is the text so far, which may have grown: learns from its new tokens what drafts are worth, and expects the
    // next one.
    void follow(std::span<const int32_t> ids, const Context& context);
    // The probability of the token that is expected; 0 if none is.
    double expectation() const { return expected_ ? estimate(expected_->kind) : 0; }
    // Fills `drafts` with at most `most` next tokens behind `ids`, which follow() has been called with. It ends where
    // nothing is expected, or where it would not pay on any device.
    void draft(std::span<const int32_t> ids, const Context& context, uint32_t most, std::vector<Draft>& drafts) const;

private:
    // Where a draft comes from: a look-up of 2, 3, 4, 5 to 7, 8 to 15, or more tokens that agree, forced bytes, or a
    // recording.
    static constexpr size_t kLookUps = 6, kSpelled = kLookUps, kRecorded = kLookUps + 1, kKinds = kLookUps + 2;
    struct Expected {
        int32_t id = 0;
        size_t kind = 0;
    };
    struct Estimate {
        double hits = 0, tries = 0;  // the older, the less they count
    };

    static size_t kind_of(uint32_t length);
    double estimate(size_t kind) const;
    // The token expected behind `ids` and `drafts`, where a look-up has come to `match`.
    std::optional<Expected> expect(std::span<const int32_t> ids, std::span<const Draft> drafts, const Context& context,
                                   const std::optional<NgramIndex::Match>& match) const;

    NgramIndex index_;
    uint32_t n_followed_ = 0;                 // tokens
    std::optional<NgramIndex::Match> match_;  // its length counts on beyond kLongestNgram as long as tokens agree
    std::optional<Expected> expected_;        // at n_followed_
    std::array<Estimate, kKinds> estimates_;
};

}  // namespace llmd::generation
