// llmd-bench eval: how likely a model finds given tokens, and what it says next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/bench_options.h"
#include "engine/generation/loaded_model.h"

namespace llmd::bench {

struct Evaluation {
    compute::Precision precision = compute::Precision::Faithful;  // of what computed, whatever was asked for
    uint32_t tokens = 0;
    std::optional<double> mean_nll;  // nats per token of ids[1:]; a single id has none
    std::vector<float> last_logits;
    std::vector<int32_t> greedy_ids;
    std::vector<float> greedy_margins;   // best minus second-best logit of each
    std::vector<float> greedy_logprobs;  // natural logarithms of their probabilities
};

// ContextExceeded, InvalidArgument naming an id, or DeviceError for logits that are not finite. At most n_rows tokens
// are computed at once, and no more than the backend's max_outputs.
base::Result<Evaluation> evaluate(generation::LoadedModel& model, const std::vector<int32_t>& ids, uint32_t n_greedy,
                                  uint32_t n_rows);

// The command: the text to print.
base::Result<std::string> run_eval(const Options& options);

}  // namespace llmd::bench
