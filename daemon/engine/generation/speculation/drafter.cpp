#include "engine/generation/speculation/drafter.h"

#include <algorithm>
#include <bit>

#include "engine/compute/noise.h"
#include "engine/generation/speculation/row_costs.h"

namespace llmd::generation {

namespace {

// A draft seen so many tries ago counts 1/e: a text's sections differ.
constexpr double kMemory = 32;
// A kind begins as if it had been tried so often, with the success of the kind before it.
constexpr double kPriorTries = 2;
// A row that is less likely than this pays on no device, for none computes a row for less.
constexpr double kLeastProbability = kOpenClRowCost;

// The token at `position` of the text and the drafts behind it: what repeats itself goes on with what is drafted.
int32_t token_at(std::span<const int32_t> ids, std::span<const Draft> drafts, uint32_t position) {
    return position < ids.size() ? ids[position] : drafts[position - ids.size()].id;
}

// The text goes on with `id`: so does the match, unless it had another token there.
void advance(std::optional<NgramIndex::Match>& match, int32_t had, int32_t id) {
    if (had != id) {
        match.reset();
        return;
    }
    ++match->next;
    ++match->length;
}

// A number in [0, 1) that depends on the position only.
double hashed(size_t position) {
    return compute::mix32(static_cast<uint32_t>(position) + 1) * 0x1p-32;
}

}  // namespace

size_t Drafter::kind_of(uint32_t length) {
    if (length < kLongestNgram) return length - kShortestNgram;
    return std::min<size_t>(kLongestNgram - kShortestNgram + (length >= 8) + (length >= 16), kLookUps - 1);
}

double Drafter::estimate(size_t kind) const {
    const Estimate& of = estimates_[kind];
    const double prior = kind > 0 && kind < kLookUps ? estimate(kind - 1) : 0;
    return (of.hits + kPriorTries * prior) / (of.tries + kPriorTries);
}

void Drafter::follow(std::span<const int32_t> ids, const Context& context) {
    if (n_followed_ == ids.size() && n_followed_ > 0) return;
    if (expected_) {
        Estimate& of = estimates_[expected_->kind];
        of.hits += (expected_->id == ids[n_followed_] ? 1 : 0) - of.hits / kMemory;
        of.tries += 1 - of.tries / kMemory;
    }
    for (const int32_t id : ids.subspan(n_followed_)) {
        if (!match_) break;
        advance(match_, ids[match_->next], id);
    }
    n_followed_ = static_cast<uint32_t>(ids.size());
    index_.extend(ids);
    if (!match_ || match_->length < kLongestNgram) match_ = index_.find(ids);
    expected_ = expect(ids, {}, context, match_);
}

std::optional<Drafter::Expected> Drafter::expect(std::span<const int32_t> ids, std::span<const Draft> drafts,
                                                 const Context& context,
                                                 const std::optional<NgramIndex::Match>& match) const {
    const auto is_end = [&](int32_t id) {
        return std::find(context.end_ids.begin(), context.end_ids.end(), id) != context.end_ids.end();
    };
    if (context.recording != nullptr && context.recording->acceptance) {
        const size_t position = ids.size() + drafts.size();
        const size_t n = position - context.n_prompt;
        if (n >= context.recording->ids.size()) return std::nullopt;
        const int32_t id = context.recording->ids[n];
        if (is_end(id)) return std::nullopt;
        if (hashed(position) < *context.recording->acceptance) return Expected{id, kRecorded};
        return Expected{static_cast<int32_t>((static_cast<uint32_t>(id) + 1) % context.n_vocab), kRecorded};
    }
    if (match) {
        const int32_t id = token_at(ids, drafts, match->next);
        if (!is_end(id) && (context.constraint == nullptr || context.constraint->allows(id))) {
            return Expected{id, kind_of(match->length)};
        }
    }
    if (context.constraint == nullptr) return std::nullopt;
    const auto spelled = context.constraint->spelled();
    return spelled ? std::optional(Expected{*spelled, kSpelled}) : std::nullopt;
}

void Drafter::draft(std::span<const int32_t> ids, const Context& context, uint32_t most,
                    std::vector<Draft>& drafts) const {
    drafts.clear();
    auto match = match_;
    double probability = 1;
    constraint::Constraint* constraint = context.constraint;
    while (drafts.size() < most) {
        const auto certain = constraint != nullptr ? constraint->only_id() : std::nullopt;
        std::optional<Expected> next;
        if (!certain) {
            next = drafts.empty() ? expected_ : expect(ids, drafts, context, match);
            if (!next) break;
            probability *= estimate(next->kind);
            if (probability < kLeastProbability) break;
        }
        const int32_t id = certain ? *certain : next->id;
        if (constraint != nullptr && !constraint->draft(id)) break;
        if (match) advance(match, token_at(ids, drafts, match->next), id);
        drafts.push_back({id, probability, certain.has_value()});
    }
    // Behind the last one a certain one would only be computed a step too early.
    while (!drafts.empty() && drafts.back().is_certain) drafts.pop_back();
    if (constraint != nullptr) constraint->roll_back();
}

}  // namespace llmd::generation
