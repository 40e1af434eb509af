#include "bench/bench_eval.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>

#include "base/json_writer.h"
#include "engine/generation/forward.h"

namespace llmd::bench {

using base::ErrorCode;
using base::fail;

namespace {

constexpr uint32_t kDefaultRows = 16;  // of one step: each gives a whole row of logits

// Feeds one sequence and looks at the logits of every token.
class Evaluator {
public:
    explicit Evaluator(generation::LoadedModel& model) : model_(model), logits_(model.spec.n_vocab) {}

    base::Result<void> open(uint32_t n_tokens) { return give_pages(*model_.backend, 0, 1, n_tokens); }

    // Calls on_logits(position, logits) for each of `ids`, which follow what was fed before.
    template <typename OnLogits>
    base::Result<void> feed(std::span<const int32_t> ids, OnLogits on_logits) {
        std::vector<compute::Row> rows;
        for (const int32_t id : ids) rows.push_back({0, position_ + static_cast<uint32_t>(rows.size()), id, true});
        const std::vector<compute::SampleRequest> requests(rows.size());
        const auto sampled = generation::forward(*model_.backend, rows, requests);
        if (!sampled) return sampled.error();
        for (uint32_t i = 0; i < rows.size(); ++i) {
            if (!(*sampled)[i].finite) {
                return fail(ErrorCode::DeviceError, "the logits after position ", rows[i].position, " are not finite");
            }
            if (auto read = model_.backend->read_logits(i, logits_); !read) return read;
            on_logits(rows[i].position, logits_);
        }
        position_ += static_cast<uint32_t>(rows.size());
        return {};
    }

private:
    generation::LoadedModel& model_;
    uint32_t position_ = 0;
    std::vector<float> logits_;
};

double log_sum_exp(const std::vector<float>& logits) {
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(logit - largest);
    return largest + std::log(sum);
}

struct Best {
    int32_t id = 0;
    float margin = 0;  // its lead over the second
    float logprob = 0;
};

// The best id, the lowest among equals.
Best best_of(const std::vector<float>& logits) {
    const auto best = std::max_element(logits.begin(), logits.end());
    float second = -std::numeric_limits<float>::infinity();
    for (auto it = logits.begin(); it != logits.end(); ++it) {
        if (it != best) second = std::max(second, *it);
    }
    const auto logprob = static_cast<float>(*best - log_sum_exp(logits));
    return {static_cast<int32_t>(best - logits.begin()), *best - second, logprob};
}

base::Result<std::vector<int32_t>> read_ids(const std::string& path) {
    std::ifstream file;
    if (path != "-") {
        file.open(path);
        if (!file) return fail(ErrorCode::InvalidArgument, "--tokens: cannot open ", path);
    }
    std::istream& in = path == "-" ? std::cin : file;
    std::vector<int32_t> ids;
    int32_t id = 0;
    while (in >> id) ids.push_back(id);
    if (!in.eof())
        return fail(ErrorCode::InvalidArgument, "--tokens: what follows id ", ids.size(), " is not a token id");
    return ids;
}

std::string as_json(const Evaluation& evaluation) {
    base::JsonWriter json;
    json.begin_object().key("precision");
    json.value(evaluation.precision == compute::Precision::Fast ? "fast" : "faithful");
    json.key("tokens").value(evaluation.tokens).key("mean_nll");
    json.value(evaluation.mean_nll.value_or(std::numeric_limits<double>::quiet_NaN()));
    json.key("last_logits").begin_array();
    for (const float logit : evaluation.last_logits) json.value(double{logit});
    json.end_array().key("greedy_ids").begin_array();
    for (const int32_t id : evaluation.greedy_ids) json.value(int64_t{id});
    json.end_array().key("greedy_margins").begin_array();
    for (const float margin : evaluation.greedy_margins) json.value(double{margin});
    json.end_array().key("greedy_logprobs").begin_array();
    for (const float logprob : evaluation.greedy_logprobs) json.value(double{logprob});
    json.end_array().end_object();
    return json.take() + "\n";
}

std::string as_markdown(const Evaluation& evaluation) {
    std::string out = base::concat("| tokens | mean nll | perplexity |\n|---|---|---|\n| ", evaluation.tokens, " | ");
    if (const auto nll = evaluation.mean_nll) {
        out += base::concat(*nll, " | ", std::exp(*nll), " |\n");
    } else {
        out += "| |\n";
    }
    if (evaluation.greedy_ids.empty()) return out;
    out += "\n| greedy id | margin |\n|---|---|\n";
    for (size_t i = 0; i < evaluation.greedy_ids.size(); ++i) {
        out += base::concat("| ", evaluation.greedy_ids[i], " | ", evaluation.greedy_margins[i], " |\n");
    }
    return out;
}

}  // namespace

base::Result<Evaluation> evaluate(generation::LoadedModel& model, const std::vector<int32_t>& ids, uint32_t n_greedy,
                                  uint32_t n_rows) {
    if (ids.empty()) return fail(ErrorCode::InvalidArgument, "--tokens: no token id");
    for (const int32_t id : ids) {
        if (id < 0 || static_cast<uint32_t>(id) >= model.spec.n_vocab) {
            return fail(ErrorCode::InvalidArgument, "--tokens: ", id, " is not in the vocabulary of ",
                        model.spec.n_vocab);
        }
    }
    const uint64_t n_tokens = ids.size() + uint64_t{n_greedy};
    if (n_tokens > model.backend->limits().n_ctx) {
        return fail(ErrorCode::ContextExceeded, n_tokens, " tokens are more than the context of ",
                    model.backend->limits().n_ctx);
    }
    Evaluator evaluator(model);
    if (auto opened = evaluator.open(static_cast<uint32_t>(n_tokens)); !opened) return opened.error();

    Evaluation evaluation;
    evaluation.precision = model.backend->report().precision;
    evaluation.tokens = static_cast<uint32_t>(ids.size());
    double nll = 0;
    Best best;
    const size_t chunk = std::clamp(n_rows, 1u, model.backend->limits().max_outputs);
    for (size_t begin = 0; begin < ids.size(); begin += chunk) {
        const auto part = std::span(ids).subspan(begin, std::min(chunk, ids.size() - begin));
        const auto fed = evaluator.feed(part, [&](uint32_t position, const std::vector<float>& logits) {
            if (position + 1 < ids.size()) {
                nll += log_sum_exp(logits) - logits[static_cast<size_t>(ids[position + 1])];
            } else {
                evaluation.last_logits = logits;
                best = best_of(logits);
            }
        });
        if (!fed) return fed.error();
    }
    if (ids.size() > 1) evaluation.mean_nll = nll / static_cast<double>(ids.size() - 1);
    for (uint32_t i = 0; i < n_greedy; ++i) {
        evaluation.greedy_ids.push_back(best.id);
        evaluation.greedy_margins.push_back(best.margin);
        evaluation.greedy_logprobs.push_back(best.logprob);
        const auto fed = evaluator.feed(std::span(&evaluation.greedy_ids.back(), 1),
                                        [&](uint32_t, const std::vector<float>& logits) { best = best_of(logits); });
        if (!fed) return fed.error();
    }
    return evaluation;
}

base::Result<std::string> run_eval(const Options& options) {
    std::vector<std::vector<int32_t>> sequences;
    uint64_t n_tokens = 1;
    for (const std::string& path : options.tokens) {
        auto ids = read_ids(path);
        if (!ids) return ids.error();
        n_tokens = std::max(n_tokens, ids->size() + uint64_t{options.greedy});
        sequences.push_back(std::move(*ids));
    }
    if (n_tokens > model::DecoderSpecLimits::kMaxContext) {
        return fail(ErrorCode::ContextExceeded, n_tokens, " tokens are more than any model's context");
    }
    const uint32_t n_rows = options.prefill_chunk == 0 ? kDefaultRows : options.prefill_chunk;
    auto model = load_for(options, 1, static_cast<uint32_t>(n_tokens), n_rows);
    if (!model) return model.error();
    std::string out;
    for (const auto& ids : sequences) {
        const auto evaluation = evaluate(*model, ids, options.greedy, n_rows);
        if (!evaluation) return evaluation.error();
        out += options.format == Format::Json ? as_json(*evaluation) : as_markdown(*evaluation);
    }
    return out;
}

}  // namespace llmd::bench
