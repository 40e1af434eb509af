// mask_speed MODEL.gguf VOCABULARY.gguf <SCHEMAS
// Measures what masks cost beside a model's steps on the CPU. Standard input has a JSON schema a line, or an array of
// OpenAI's tools; for each schema, and for tools that may be called and that must be, the model generates a text of at
// most kMaxTokens tokens at temperature 1.5, whose ids belong to the vocabulary (a model
// with random weights has none of its own). It prints how long masks and steps take; steps of the same rows without a
// mask run in between.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "constraint/json_schema.h"
#include "engine/generation/constraint/constraint.h"
#include "engine/generation/constraint/tool_grammar.h"
#include "engine/generation/forward.h"
#include "engine/generation/loaded_model.h"
#include "engine/model/gguf.h"

namespace llmd {
namespace {

using Microseconds = std::chrono::duration<double, std::micro>;

constexpr uint32_t kMaxTokens = 96;
constexpr uint32_t kPlainEvery = 4;  // tokens; a step without a mask
constexpr float kTemperature = 1.5f;

class QuietObserver : public generation::LoadObserver {
public:
    bool before(generation::LoadStage, std::chrono::milliseconds) override { return true; }
    void on_uploaded(uint64_t, uint64_t) override {}
};

double wall_us() {
    return Microseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double thread_us() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

class Times {
public:
    explicit Times(double (*now_us)()) : now_us_(now_us) {}
    template <typename Work>
    auto of(const Work& work) {
        const double begin = now_us_();
        auto result = work();
        us_.push_back(now_us_() - begin);
        return result;
    }
    double mean() const { return std::accumulate(us_.begin(), us_.end(), 0.0) / static_cast<double>(us_.size()); }
    double at(double part) {
        std::sort(us_.begin(), us_.end());
        return us_[static_cast<size_t>(part * static_cast<double>(us_.size() - 1))];
    }
    void print(const char* name) {
        std::printf(
            "%-18s %7zu  mean %7.0f  a tenth below %7.0f  half %7.0f  all but a hundredth %7.0f  all %7.0f us\n", name,
            us_.size(), mean(), at(0.1), at(0.5), at(0.99), at(1));
    }

private:
    double (*now_us_)();
    std::vector<double> us_;
};

struct Run {
    generation::LoadedModel model;
    std::shared_ptr<const constraint::TokenTrie> tokens;
    Times masks{thread_us};  // of one thread: whoever else uses the machine does not count
    Times steps{wall_us}, plain_steps{wall_us};
    uint32_t n_texts = 0, n_whole = 0, n_forced = 0, n_tokens = 0;

    base::Result<compute::Sampled> step(uint32_t position, int32_t token, std::span<const uint32_t> mask, uint64_t seed,
                                        Times& times) {
        const compute::Row row{.slot = 0, .position = position, .token = token, .wants_output = true};
        const compute::SampleRequest request{
            .temperature = kTemperature, .seed = seed, .position = position, .allowed = mask};
        const auto decode = [&] { return generation::forward(*model.backend, {&row, 1}, {&request, 1}); };
        const auto sampled = times.of(decode);
        if (!sampled) return sampled.error();
        return sampled->front();
    }

    base::Result<void> line(const std::string& line) {
        using Kind = constraint::ToolChoice::Kind;
        if (line.starts_with('[')) {
            const auto tools = constraint::parse_tools(line);
            if (!tools) return tools.error();
            for (const Kind kind : {Kind::Auto, Kind::Required}) {
                const constraint::AnswerShape shape{
                    .tools = tools->tools, .choice = {.kind = kind}, .syntax = &chat::kHermesCalls};
                auto answer = constraint::compile_answer_grammar(shape);
                if (!answer) return answer.error();
                if (auto done = text(answer->grammar); !done) return done;
            }
            return {};
        }
        auto grammar = constraint::compile_json_schema(line);
        if (!grammar) return grammar.error();
        return text(std::make_shared<const constraint::Grammar>(std::move(*grammar)));
    }

    base::Result<void> text(std::shared_ptr<const constraint::Grammar> grammar) {
        constraint::Constraint constraint(std::move(grammar), tokens);
        int32_t token = 1;
        uint32_t position = 0;
        for (; position < kMaxTokens && !constraint.is_final(); ++position) {
            const auto* allowed = masks.of([&] { return &constraint.allowed(); });
            if (allowed->n == 0) break;
            n_forced += allowed->n == 1 ? 1 : 0;
            if (position % kPlainEvery == 0) {
                if (auto plain = step(position, token, {}, n_texts, plain_steps); !plain) return plain.error();
            }
            const auto sampled = step(position, token, allowed->tokens.words(), n_texts, steps);
            if (!sampled) return sampled.error();
            token = sampled->id;
            if (!constraint.accept(token)) break;  // the end of the text
        }
        n_tokens += position;
        n_whole += constraint.is_complete() ? 1 : 0;
        ++n_texts;
        return {};
    }
};

base::Result<std::unique_ptr<tokenizer::Tokenizer>> load_vocabulary(const std::string& path) {
    const auto file = base::MappedFile::open(path);
    if (!file) return file.error();
    const auto gguf = model::Gguf::parse(file->bytes());
    if (!gguf) return gguf.error();
    return tokenizer::Tokenizer::create(*gguf);
}

base::Result<void> measure(const std::string& model_path, const std::string& vocabulary_path) {
    generation::LoadOptions options;
    options.backend.kind = compute::BackendKind::Cpu;
    QuietObserver observer;
    auto model = generation::load_model(model_path, options, observer);
    if (!model) return model.error();
    const auto vocabulary = load_vocabulary(vocabulary_path);
    if (!vocabulary) return vocabulary.error();
    auto tokens = std::make_shared<const constraint::TokenTrie>(**vocabulary, model->spec.n_vocab);
    Run run{.model = std::move(*model), .tokens = std::move(tokens)};
    std::vector<uint32_t> pages((kMaxTokens + compute::kPageTokens - 1) / compute::kPageTokens);
    std::iota(pages.begin(), pages.end(), 0u);
    if (auto set = run.model.backend->set_pages(0, pages); !set) return set;
    for (std::string schema; std::getline(std::cin, schema);) {
        if (auto done = run.line(schema); !done) return done;
    }
    std::printf("%u texts, %u of them were finished, %u tokens of %u ids, %u without a choice\n", run.n_texts,
                run.n_whole, run.n_tokens, run.model.spec.n_vocab, run.n_forced);
    run.masks.print("masks");
    run.steps.print("steps with a mask");
    run.plain_steps.print("steps without");
    // A quick step: the slow ones are the machine's.
    const double step = run.plain_steps.at(0.1);
    std::printf("mask of a quick step: mean %.1f %%, all but a hundredth %.1f %%, worst %.1f %%\n",
                100 * run.masks.mean() / step, 100 * run.masks.at(0.99) / step, 100 * run.masks.at(1) / step);
    return {};
}

}  // namespace
}  // namespace llmd

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: mask_speed MODEL.gguf VOCABULARY.gguf <SCHEMAS\n");
        return 2;
    }
    const auto done = llmd::measure(argv[1], argv[2]);
    if (!done) std::fprintf(stderr, "mask_speed: %s\n", done.error().message.c_str());
    return done ? 0 : 1;
}
