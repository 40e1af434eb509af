// The measurements of `llmctl bench`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "client/figure.h"
#include "client/llmd_client.h"

namespace llmd::client {

struct BenchFigures {
    Figure prefill;  // tokens/s
    Figure decode;
    Figure ttft;            // ms
    uint64_t n_prompt = 0;  // tokens, of the last run
    uint64_t n_generated = 0;
};

// A line on standard error about what takes a while; only where that is a terminal.
void show_step(const std::string& text);

// `options` may have model, prompt_tokens, generated_tokens and runs, as the command `bench` has. Prompts are random
// words. Says with show_step() where it is. Returns nothing when Ctrl-C ended it.
std::optional<BenchFigures> measure(const LlmdClient& client, const Dictionary& options);

}  // namespace llmd::client
