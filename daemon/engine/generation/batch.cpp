#include "engine/generation/batch.h"

#include <algorithm>

namespace llmd::generation {

void PrefillPace::measured(uint32_t prefill_rows, std::chrono::microseconds time) {
    if (max_rows_ == 0 || prefill_rows == 0) return;
    const auto time_us = static_cast<uint64_t>(std::max<int64_t>(time.count(), 1));
    const uint64_t target_us = std::chrono::microseconds(kPrefillTime).count();
    const uint64_t fitting = prefill_rows * target_us / time_us;
    if (prefill_rows < rows_ && fitting >= prefill_rows) return;
    rows_ = static_cast<uint32_t>(std::clamp<uint64_t>(fitting, 1, std::min(2 * prefill_rows, max_rows_)));
}

namespace {

void add_part(Sequence& sequence, uint32_t n_rows, bool is_prefill, Batch& batch) {
    const bool wants_output = n_rows == sequence.n_pending() && !sequence.embeds();
    const auto ids = sequence.ids();
    const auto drafts = wants_output && !is_prefill ? sequence.drafts() : std::span<const Draft>();
    const auto is_followed_by_choice = [&](size_t n) { return n >= drafts.size() || !drafts[n].is_certain; };
    for (uint32_t i = 0; i < n_rows; ++i) {
        const uint32_t position = sequence.n_scheduled() + i;
        batch.rows.push_back({.slot = *sequence.slot,
                              .position = position,
                              .token = position < ids.size() ? ids[position] : compute::kSampledToken,
                              .wants_output = wants_output && i + 1 == n_rows && is_followed_by_choice(0)});
    }
    for (size_t i = 0; i < drafts.size(); ++i) {
        batch.rows.push_back({.slot = *sequence.slot,
                              .position = static_cast<uint32_t>(ids.size() + i),
                              .token = drafts[i].id,
                              .wants_output = is_followed_by_choice(i + 1)});
    }
    const auto n_drafts = static_cast<uint32_t>(drafts.size());
    n_rows += n_drafts;
    const auto wanted = std::span(batch.rows).last(n_rows);
    const auto n_outputs = std::ranges::count_if(wanted, [](const auto& row) { return row.wants_output; });
    batch.parts.push_back({&sequence, n_rows, static_cast<uint32_t>(n_outputs), n_drafts, is_prefill});
}

}  // namespace

void plan_batch(std::span<Sequence* const> sequences, uint32_t prefill_rows, Batch& batch) {
    batch.parts.clear();
    batch.rows.clear();
    batch.n_prefill_rows = 0;
    const auto takes_part = [](const Sequence& s) { return s.slot && !s.paused && !s.end() && s.n_pending() > 0; };
    for (Sequence* sequence : sequences) {
        if (!takes_part(*sequence) || !sequence->is_decoding()) continue;
        const uint32_t n_more = std::min(sequence->n_pending() - 1, prefill_rows - batch.n_prefill_rows);
        add_part(*sequence, 1 + n_more, false, batch);
        batch.n_prefill_rows += n_more;
    }
    for (Sequence* sequence : sequences) {
        if (!takes_part(*sequence) || sequence->is_decoding()) continue;
        const uint32_t n = std::min(sequence->n_pending(), prefill_rows - batch.n_prefill_rows);
        if (n == 0) break;
        add_part(*sequence, n, true, batch);
        batch.n_prefill_rows += n;
    }
}

}  // namespace llmd::generation
