// The command line of llmd-bench.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/generation/loaded_model.h"

namespace llmd::bench {

extern const std::string_view kHelp;

enum class Command : uint8_t { Help, Version, Speed, Eval, Launches, Speculation };
enum class Format : uint8_t { Markdown, Json };

struct Options {
    Command command = Command::Help;
    std::string model;
    compute::BackendOptions backend;
    Format format = Format::Markdown;
    uint32_t n_ctx = 0;          // at least; 0: as many tokens as are computed
    uint32_t prefill_chunk = 0;  // 0: generation::kMaxPrefillRows, for eval 16
    // speed; launches has the same but for the batches
    uint32_t prompt = 128;
    uint32_t generated_tokens = 32;
    std::vector<uint32_t> batches = {1, 4};
    uint32_t repeat = 5;
    bool measures_machine = true;  // of speed: what the cores can do at best
    // eval
    std::vector<std::string> tokens;  // paths, or "-" for standard input
    uint32_t greedy = 0;
    // speculation; `repeat` too
    std::vector<std::string> texts;  // paths
    std::string vocabulary;          // path of a GGUF file; empty: the model's
    bool speculates = true;          // beside what is measured without
    std::vector<uint32_t> oracle_percents;
};

// InvalidArgument names the option and its value.
base::Result<Options> parse_options(const std::vector<std::string>& args);

// Loads the model with room for n_slots sequences of n_tokens and for max_outputs rows of output in one step.
base::Result<generation::LoadedModel> load_for(const Options& options, uint32_t n_slots, uint32_t n_tokens,
                                               uint32_t max_outputs);
// Gives the slot, one of n_slots, pages for n_tokens. A windowed page is used again once no row sees it, as if the text
// had been computed from its beginning: positions may go back only where what is computed does not matter.
base::Result<void> give_pages(compute::Backend& backend, uint32_t slot, uint32_t n_slots, uint32_t n_tokens);

}  // namespace llmd::bench
