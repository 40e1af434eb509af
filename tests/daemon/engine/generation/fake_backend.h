// A backend whose logits are a hash of the whole token history of a row, read back from the pages that the slot's
// tables name, those of the window too. Whatever goes wrong above it - a page that two sequences write, a stale table,
// a skipped or repeated row, a wrong position, an answer given to the wrong sequence - changes the ids that come out.
// Misuse of the interface is an error.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/compute/backend.h"
#include "engine/compute/noise.h"

namespace llmd::test {

class FakeBackend : public compute::Backend {
public:
    FakeBackend(uint32_t n_vocab, const compute::BackendLimits& limits)
        : n_vocab_(n_vocab),
          limits_(limits),
          pages_{Pages(limits.n_pages, Page(compute::kPageTokens, kUnwritten)),
                 Pages(limits.n_window_pages, Page(compute::kPageTokens, kUnwritten))},
          tables_{Tables(limits.n_slots), Tables(limits.n_slots)},
          sampled_ids_(limits.n_slots) {
        report_.device = "fake";
        report_.fingerprint = "fake";
    }

    // --- What tests set and read -----------------------------------------------------------------------------------
    std::optional<uint32_t> fail_step;  // wait() of this step fails, counted from 0
    bool fail_logit_reads = false;
    bool fail_residual_reads = false;
    std::set<int32_t> poison;  // a history with one of these tokens gives logits that are not finite
    uint32_t max_candidates = compute::kMaxCandidates;
    bool asynchronous = false;   // what is_asynchronous() says
    uint32_t n_steps = 0;        // that were waited for
    uint32_t n_steps_ahead = 0;  // that were submitted while another was in flight
    uint32_t n_logit_reads = 0;
    uint32_t n_outputs = 0;   // rows that wanted output
    uint32_t n_finished = 0;  // calls of finish()
    uint32_t n_page_reads = 0;
    uint32_t n_page_writes = 0;
    size_t most_window_pages = 0;  // of a slot
    std::vector<uint32_t> rows_per_step;

    // The logits that a history must give, for tests to compare with.
    std::vector<float> logits(const std::vector<int32_t>& history) const {
        uint32_t hash = 1;
        for (const int32_t id : history) hash = compute::mix32(hash * 31 + static_cast<uint32_t>(id) + 1);
        std::vector<float> out(n_vocab_);
        for (uint32_t i = 0; i < n_vocab_; ++i) {
            out[i] = static_cast<float>(compute::mix32(hash ^ (i * 0x9e3779b9u)) >> 8) * 0x1p-24f * 12 - 6;
        }
        return out;
    }

    // Likewise what the last layer leaves behind a history, of kWidth floats.
    static constexpr uint32_t kWidth = 8;
    std::vector<float> residual(const std::vector<int32_t>& history) const {
        auto out = logits(history);
        out.resize(kWidth);
        return out;
    }

    // --- Backend ---------------------------------------------------------------------------------------------------
    const compute::DeviceReport& report() const override { return report_; }
    void set_precision(compute::Precision precision) { report_.precision = precision; }
    void set_fingerprint(std::string fingerprint) { report_.fingerprint = std::move(fingerprint); }
    const compute::BackendLimits& limits() const override { return limits_; }
    base::Result<void> upload(const model::Weight&, const compute::OnCopied&) override { return {}; }
    base::Result<void> finish_loading() override { return {}; }

    base::Result<void> set_pages(uint32_t slot, std::span<const uint32_t> pages) override {
        if (slot >= limits_.n_slots) return misuse("set_pages: slot");
        for (const uint32_t page : pages) {
            if (page >= limits_.n_pages) return misuse("set_pages: page");
        }
        tables_[0][slot].assign(pages.begin(), pages.end());
        tables_[1][slot].clear();
        sampled_ids_[slot].reset();
        return {};
    }
    base::Result<void> set_window_pages(uint32_t slot, uint32_t first, std::span<const uint32_t> pages) override {
        if (slot >= limits_.n_slots) return misuse("set_window_pages: slot");
        for (const uint32_t page : pages) {
            if (page >= limits_.n_window_pages) return misuse("set_window_pages: page");
        }
        most_window_pages = std::max(most_window_pages, pages.size());
        tables_[1][slot].assign(first, kNoPage);
        tables_[1][slot].insert(tables_[1][slot].end(), pages.begin(), pages.end());
        return {};
    }

    uint64_t page_bytes(compute::KvPool) const override { return compute::kPageTokens * sizeof(int32_t); }
    base::Result<void> read_page(compute::KvPage page, std::span<std::byte> out) override {
        if (!may_touch(page) || out.size() != page_bytes(page.pool)) return misuse("read_page");
        std::ranges::copy(std::as_bytes(std::span(at(page))), out.begin());
        ++n_page_reads;
        return {};
    }
    base::Result<void> write_page(compute::KvPage page, std::span<const std::byte> in) override {
        if (!may_touch(page) || in.size() != page_bytes(page.pool)) return misuse("write_page");
        std::ranges::copy(in, std::as_writable_bytes(std::span(at(page))).begin());
        ++n_page_writes;
        return {};
    }
    void discard_pages(compute::KvPool pool, std::span<const uint32_t> pages) override {
        for (const uint32_t page : pages) std::ranges::fill(at({page, pool}), kUnwritten);
    }

    bool is_asynchronous() const override { return asynchronous; }
    base::Result<void> begin(std::span<const compute::Row> rows) override {
        if (is_open_ || in_flight_.size() == compute::kMaxStepsInFlight) return misuse("begin: out of turn");
        if (rows.empty() || rows.size() > limits_.max_rows) return misuse("begin: rows");
        std::vector<std::optional<uint32_t>> last(limits_.n_slots);
        uint32_t wanted = 0;
        for (const auto& row : rows) {
            if (row.slot >= limits_.n_slots || row.position >= limits_.n_ctx) return misuse("begin: slot or position");
            if (row.token == compute::kSampledToken) {
                if (!sampled_ids_[row.slot]) return misuse("begin: no sampled token");
            } else if (row.token < 0 || static_cast<uint32_t>(row.token) >= n_vocab_) {
                return misuse("begin: token");
            }
            const uint32_t i = row.position / compute::kPageTokens;
            if (i >= tables_[0][row.slot].size()) return misuse("begin: no page");
            if (limits_.window != 0 && (i >= tables_[1][row.slot].size() || tables_[1][row.slot][i] == kNoPage)) {
                return misuse("begin: no windowed page");
            }
            if (last[row.slot] && *last[row.slot] + 1 != row.position) return misuse("begin: positions");
            last[row.slot] = row.position;
            wanted += row.wants_output ? 1 : 0;
        }
        if (wanted > limits_.most_outputs()) return misuse("begin: outputs");
        n_outputs += wanted;
        rows_.assign(rows.begin(), rows.end());
        for (auto& row : rows_) {
            if (row.token == compute::kSampledToken) row.token = *sampled_ids_[row.slot];
        }
        is_open_ = true;
        rows_per_step.push_back(static_cast<uint32_t>(rows.size()));
        step_ = {};
        rows_logits_.clear();
        return {};
    }
    base::Result<void> forward() override {
        if (!is_open_ || is_computed_) return misuse("forward: out of turn");
        for (const auto& row : rows_) {
            *kept_token(compute::KvPool::Full, row.slot, row.position) = row.token;
            if (limits_.window != 0) *kept_token(compute::KvPool::Window, row.slot, row.position) = row.token;
        }
        for (const auto& row : rows_) {
            if (!row.wants_output) continue;
            const auto [history, poisoned] = history_of(row);
            rows_logits_.push_back(logits(history));
            if (poisoned) rows_logits_.back()[0] = std::nanf("");
        }
        is_computed_ = true;
        return {};
    }
    base::Result<void> sample(std::span<const compute::SampleRequest> requests) override {
        if (!is_computed_ || is_sampled_) return misuse("sample: out of turn");
        if (requests.size() != rows_logits_.size()) return misuse("sample: requests");
        for (const auto& request : requests) {
            const auto& changes = request.logit_biases;
            const auto is_behind = [](const auto& a, const auto& b) { return a.id >= b.id; };
            if (changes.size() > compute::kMaxLogitBiases ||
                std::adjacent_find(changes.begin(), changes.end(), is_behind) != changes.end()) {
                return misuse("sample: logit_biases");
            }
            const auto& mask = request.allowed;
            if (mask.empty()) continue;
            if (mask.size() != (n_vocab_ + 31) / 32) return misuse("sample: mask");
            if (std::all_of(mask.begin(), mask.end(), [](uint32_t word) { return word == 0; })) {
                return misuse("sample: no id is allowed");
            }
        }
        step_.candidates.resize(requests.size());
        for (size_t i = 0; i < requests.size(); ++i) {
            step_.answers.push_back(answer(requests[i], rows_logits_[i], step_.candidates[i]));
        }
        auto given = step_.answers.begin();
        for (const auto& row : rows_) {
            if (!row.wants_output) continue;
            sampled_ids_[row.slot] = given->finite ? given->id : kNotFinite;
            ++given;
        }
        is_sampled_ = true;
        return {};
    }
    base::Result<void> submit() override {
        if (!is_computed_) return misuse("submit");
        is_open_ = is_computed_ = is_sampled_ = false;
        if (!in_flight_.empty()) ++n_steps_ahead;
        in_flight_.push_back(std::move(step_));
        return {};
    }
    base::Result<std::span<const compute::Sampled>> wait() override {
        if (in_flight_.empty()) return misuse("wait");
        given_ = std::move(in_flight_.front());
        in_flight_.pop_front();
        if (fail_step == n_steps++) return base::fail(base::ErrorCode::DeviceError, "the fake device failed");
        return std::span<const compute::Sampled>(given_.answers);
    }
    base::Result<void> finish() override {
        if (is_open_ || !in_flight_.empty()) return misuse("finish: out of turn");
        ++n_finished;
        return {};
    }
    base::Result<void> read_logits(uint32_t output, std::span<float> out) override {
        if (is_open_ || !in_flight_.empty()) return misuse("read_logits: out of turn");
        if (output >= rows_logits_.size() || out.size() != n_vocab_) return misuse("read_logits");
        if (fail_logit_reads) return base::fail(base::ErrorCode::DeviceError, "the fake device failed");
        std::copy(rows_logits_[output].begin(), rows_logits_[output].end(), out.begin());
        ++n_logit_reads;
        return {};
    }
    base::Result<void> read_residual(std::span<float> out) override {
        if (is_open_ || !in_flight_.empty()) return misuse("read_residual: out of turn");
        if (out.size() != rows_.size() * kWidth) return misuse("read_residual");
        if (fail_residual_reads) return base::fail(base::ErrorCode::DeviceError, "the fake device failed");
        auto to = out.begin();
        for (const auto& row : rows_) {
            const auto [history, poisoned] = history_of(row);
            const auto values = residual(history);
            to = std::copy(values.begin(), values.end(), to);
            if (poisoned) *(to - 1) = std::nanf("");
        }
        return {};
    }

protected:
    compute::DeviceReport report_;

private:
    static constexpr int32_t kUnwritten = -1;
    static constexpr int32_t kNotFinite = -2;  // in place of a sampled token
    static constexpr int32_t kStale = -3;      // in place of a token that the windowed page does not have
    static constexpr uint32_t kNoPage = UINT32_MAX;

    using Page = std::vector<int32_t>;
    using Pages = std::vector<Page>;
    using Tables = std::vector<std::vector<uint32_t>>;  // by slot

    struct Step {
        std::vector<compute::Sampled> answers;
        std::vector<std::vector<compute::Candidate>> candidates;  // of each answer
    };

    static base::Error misuse(const char* what) { return base::fail(base::ErrorCode::Failed, "misuse: ", what); }

    // Returns the row's sequence up to it as the pages have it, and whether that makes its results not finite.
    std::pair<std::vector<int32_t>, bool> history_of(const compute::Row& row) {
        std::vector<int32_t> history;
        bool poisoned = false;
        const uint32_t first_seen = model::first_seen(row.position, limits_.window);
        for (uint32_t p = 0; p <= row.position; ++p) {
            history.push_back(*kept_token(compute::KvPool::Full, row.slot, p));
            if (limits_.window != 0 && p >= first_seen) {
                const int32_t* windowed = kept_token(compute::KvPool::Window, row.slot, p);
                if (windowed == nullptr || *windowed != history.back()) history.back() = kStale;
            }
            poisoned |= history.back() == kNotFinite || poison.contains(history.back());
        }
        return {std::move(history), poisoned};
    }

    bool may_touch(compute::KvPage page) const { return !is_open_ && page.number < limits_.pages_of(page.pool); }
    Page& at(compute::KvPage page) { return pages_[static_cast<size_t>(page.pool)][page.number]; }
    // Null where the slot has no page.
    int32_t* kept_token(compute::KvPool pool, uint32_t slot, uint32_t position) {
        const auto& table = tables_[static_cast<size_t>(pool)][slot];
        const uint32_t i = position / compute::kPageTokens;
        if (i >= table.size() || table[i] == kNoPage) return nullptr;
        return &at({table[i], pool})[position % compute::kPageTokens];
    }

    compute::Sampled answer(const compute::SampleRequest& request, std::vector<float>& logits,
                            std::vector<compute::Candidate>& candidates) const {
        compute::Sampled sampled;
        sampled.finite = true;
        for (const compute::LogitBias& change : request.logit_biases) {
            float& l = logits[static_cast<size_t>(change.id)];
            l = compute::biased(l, change);
        }
        const uint32_t key = compute::noise_key(request.seed, request.position);
        double total = 0;
        float best = -std::numeric_limits<float>::infinity();
        candidates.clear();
        for (uint32_t i = 0; i < n_vocab_; ++i) {
            if (!std::isfinite(logits[i])) sampled.finite = false;
            if (!request.allowed.empty() && (request.allowed[i / 32] >> i % 32 & 1) == 0) continue;
            total += std::exp(static_cast<double>(logits[i]));
            const float score =
                request.temperature > 0 ? logits[i] / request.temperature + compute::gumbel_noise(key, i) : logits[i];
            if (score > best) {
                best = score;
                sampled.id = static_cast<int32_t>(i);
            }
            candidates.push_back({static_cast<int32_t>(i), logits[i]});
        }
        sampled.log_sum_exp = static_cast<float>(std::log(total));
        if (!request.wants_candidates) return sampled;
        std::sort(candidates.begin(), candidates.end(),
                  [](const auto& a, const auto& b) { return a.logit != b.logit ? a.logit > b.logit : a.id < b.id; });
        if (candidates.size() > max_candidates) {
            sampled.candidate_floor = candidates[max_candidates].logit;
            candidates.resize(max_candidates);
        }
        sampled.candidates = candidates;
        return sampled;
    }

    uint32_t n_vocab_;
    compute::BackendLimits limits_;
    std::array<Pages, compute::kKvPools> pages_;
    std::array<Tables, compute::kKvPools> tables_;
    std::vector<compute::Row> rows_;
    std::vector<std::vector<float>> rows_logits_;
    std::vector<std::optional<int32_t>> sampled_ids_;  // by slot
    Step step_, given_;
    std::deque<Step> in_flight_;
    bool is_open_ = false, is_computed_ = false, is_sampled_ = false;
};

}  // namespace llmd::test
