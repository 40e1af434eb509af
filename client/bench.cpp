#include "client/bench.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>

#include "client/commands.h"
#include "client/counts.h"
#include "client/output.h"
#include "client/text_stream.h"

namespace llmd::client {
namespace {

// Short enough for a phone and for the context of the bundled model, long enough that a step's jitter hardly shows.
constexpr uint64_t kPromptTokens = 256;
constexpr uint64_t kGeneratedTokens = 64;
constexpr uint64_t kRuns = 3;

// Prompts consist of these words, which any tokenizer has, in a random order, so that no run finds what another has
// left in the cache.
constexpr std::array kWords = {"the", "old",  "house", "and", "a",   "king", "was",  "in",   "of", "her",
                               "day", "they", "saw",   "his", "not", "with", "said", "that", "to", "very"};

std::string random_words(uint64_t count) {
    std::random_device random;
    std::string out;
    for (uint64_t i = 0; i < count; ++i) out += (i == 0 ? "" : " ") + std::string(kWords[random() % kWords.size()]);
    return out;
}

class Bench {
public:
    Bench(const Dictionary& options, const LlmdClient& client) : options_(options), client_(client) {}

    // As many words as make up that many tokens, more or less.
    uint64_t words_for(uint64_t n_tokens) {
        Dictionary options;
        if (const auto model = options_.find("model"); model != options_.end()) options.insert(*model);
        const uint64_t n_sample = 200;
        const size_t n = client_.tokenize(random_words(n_sample), options).size();
        return std::max<uint64_t>(1, n_tokens * n_sample / std::max<size_t>(1, n));
    }

    // False when Ctrl-C ended it.
    bool run(const std::string& prompt, uint64_t n_generated, Dictionary& result) {
        Dictionary options;
        if (const auto model = options_.find("model"); model != options_.end()) options.insert(*model);
        options["max_tokens"] = n_generated;
        // Random words soon have a model end its text, and a few tokens have no speed. Not every remote can go on.
        if (text_of(options, "model").find('@') == std::string::npos) options["ignore_eos"] = true;
        TextStream text(client_.stream(prompt, options), interrupts_, {.text = false});
        if (text.run() != TextStream::End::Complete) return false;
        result = text.result();
        return true;
    }

private:
    const Dictionary& options_;
    const LlmdClient& client_;
    Interrupts interrupts_;
};

void print_figures(const Dictionary& status, const BenchFigures& figures, uint64_t n_runs, bool json) {
    const std::string device = text_of(status, "device");
    const std::string place = device.empty() ? text_of(status, "backend") : device;
    if (json) {
        base::JsonWriter out;
        out.begin_object().key("model").value(text_of(status, "model")).key("device").value(place);
        out.key("backend").value(text_of(status, "backend")).key("runs").value(n_runs);
        out.key("prompt_tokens").value(figures.n_prompt).key("generated_tokens").value(figures.n_generated);
        figures.prefill.write(out.key("prefill_tps"));
        figures.decode.write(out.key("decode_tps"));
        figures.ttft.write(out.key("ttft_ms"));
        return print(out.end_object().take() + '\n');
    }
    TextOutput output(STDOUT_FILENO);  // a driver chooses the device's name
    output.write(text_of(status, "model") + " on " + place + ", " + counted(n_runs, "run") + "\n" +
                 table({{"", "TOKENS", "TOKENS/S"},
                        {"prefill", std::to_string(figures.n_prompt), figures.prefill.text()},
                        {"decode", std::to_string(figures.n_generated), figures.decode.text()}}) +
                 "first token after " + figures.ttft.text() + " ms\n");
}

uint64_t runs_of(const Dictionary& options) {
    return number_of(options, "runs", kRuns);
}

}  // namespace

void show_step(const std::string& text) {
    if (::isatty(STDERR_FILENO) == 1) tell("llmctl: " + text + '\n');
}

std::optional<BenchFigures> measure(const LlmdClient& client, const Dictionary& options) {
    const uint64_t n_prompt = number_of(options, "prompt_tokens", kPromptTokens);
    const uint64_t n_generated = number_of(options, "generated_tokens", kGeneratedTokens);
    Bench bench(options, client);
    const uint64_t n_words = bench.words_for(n_prompt);
    Dictionary result;
    // The first run loads the model and, on a GPU, times kernels.
    show_step("loading the model");
    if (!bench.run(random_words(n_words), 2, result)) return std::nullopt;
    if (number_of(client.status(), "active") + number_of(client.status(), "queued") != 0) {
        write_all(STDERR_FILENO, "llmctl: other requests run meanwhile: llmd alone is faster\n");
    }
    BenchFigures figures;
    for (uint64_t i = 0; i < runs_of(options); ++i) {
        show_step("measuring, run " + std::to_string(i + 1) + " of " + std::to_string(runs_of(options)));
        if (!bench.run(random_words(n_words), n_generated, result)) return std::nullopt;
        figures.prefill.add(real_of(result, "prefill_tps"));
        figures.decode.add(real_of(result, "decode_tps"));
        figures.ttft.add(static_cast<double>(number_of(result, "ttft_ms")));
        figures.n_prompt = number_of(result, "prompt_tokens");
        figures.n_generated = number_of(result, "generated_tokens");
    }
    return figures;
}

ExitCode run_bench(const Arguments& arguments) {
    const LlmdClient client = connect_to_llmd();
    const auto figures = measure(client, arguments.request);
    if (!figures) return ExitCode::Interrupted;
    print_figures(client.status(), *figures, runs_of(arguments.request), arguments.json);
    return ExitCode::Ok;
}

}  // namespace llmd::client
