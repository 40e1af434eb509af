#include "bench/bench_options.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "engine/generation/kv_cache/kv_pages.h"

namespace llmd::bench {

using base::ErrorCode;
using base::fail;

const std::string_view kHelp =
    "usage: llmd-bench speed --model FILE [options]   tokens per second\n"
    "       llmd-bench eval --model FILE --tokens FILE [options]   likelihood of token ids, logits after them\n"
    "       llmd-bench launches --model FILE [options]   host time of decoding; OpenCL only, nothing is computed\n"
    "       llmd-bench speculation --model FILE --text FILE [options]   what drafted tokens gain on recorded texts\n"
    "       llmd-bench --version | --help\n"
    "\n"
    "  --model FILE          a GGUF file\n"
    "  --backend NAME        auto (default), cpu, opencl, or opencl:DEVICE with a part of the device's name\n"
    "  --precision NAME      faithful (default) or fast: how matmuls take activations\n"
    "  --threads N           CPU workers (default: one a performance core)\n"
    "  --context N           tokens that a sequence may have, if more than are computed: some models' rotations depend "
    "on it\n"
    "  --prefill-chunk N     most prompt tokens computed in one step, 1..512 (default 128, eval 16)\n"
    "  --format md|json      what is printed (default md)\n"
    "speed, launches:\n"
    "  --prompt N            prompt tokens (default 128)\n"
    "  --generated-tokens N  of each sequence that is measured (default 32)\n"
    "speed, launches, speculation:\n"
    "  --repeat N            measurements of each; the median is given, with the extremes (default 5)\n"
    "speed:\n"
    "  --batch N,N,...       sequences decoded together, each 1..16 (default 1,4)\n"
    "                        Where the device is this machine's cores, what they can do at best is measured too,\n"
    "                        on --threads threads (default: all): reading memory beyond the caches, reading as many\n"
    "                        bytes as a step's weights again and again, and float multiply-adds in registers. The\n"
    "                        share of a prompt is of the multiply-adds (the layers' weights x tokens, two operations\n"
    "                        each), that of what is generated is of the memory read\n"
    "  --machine yes|no      whether that is measured (default yes); no leaves the program's instructions to the "
    "model\n"
    "eval:\n"
    "  --tokens FILE,...     token ids separated by white space; - is standard input. Each file is a sequence of its\n"
    "                        own, answered by an object or a table of its own\n"
    "  --greedy N            continue with N greedy tokens (default 0)\n"
    "speculation:\n"
    "  --text FILE,...       a prompt, a line ---- and the answer, whose tokens take the place of the model's. Each "
    "is\n"
    "                        measured in turn without and with drafts; \"times\" is the time without by the time with\n"
    "                        them in the same round, \"of the time\" what rejected drafts took of decode\n"
    "  --vocabulary FILE     a GGUF file whose vocabulary makes tokens of the texts (default: the model's)\n"
    "  --oracle N,...        also with drafts taken from the answer, each right with a probability of N %\n"
    "  --speculation yes|no  no: without drafts only (default yes)\n";

namespace {

constexpr uint32_t kMaxTokens = 1u << 20;
constexpr uint32_t kMaxThreads = 256;
constexpr uint32_t kMaxRepeat = 1000;

base::Result<uint32_t> parse_number(std::string_view option, std::string_view text, uint32_t least, uint32_t most) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
        return fail(ErrorCode::InvalidArgument, option, ": '", text, "' is not a number from ", least, " to ", most);
    }
    return number;
}

base::Result<std::vector<uint32_t>> parse_numbers(std::string_view option, std::string_view text, uint32_t least,
                                                  uint32_t most) {
    std::vector<uint32_t> numbers;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        const auto number = parse_number(option, text.substr(begin, end - begin), least, most);
        if (!number) return number.error();
        numbers.push_back(*number);
        begin = end + 1;
    }
    return numbers;
}

std::vector<std::string> parse_paths(std::string_view text) {
    std::vector<std::string> paths;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        paths.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return paths;
}

base::Result<compute::BackendOptions> parse_backend(std::string_view text) {
    compute::BackendOptions backend;
    const size_t colon = std::min(text.find(':'), text.size());
    const auto kind = compute::backend_kind_from_name(text.substr(0, colon));
    if (!kind || (colon < text.size() && *kind != compute::BackendKind::OpenCl)) {
        return fail(ErrorCode::InvalidArgument, "--backend: '", text, "' is not auto, cpu, opencl or opencl:DEVICE");
    }
    backend.kind = *kind;
    if (colon < text.size()) backend.device = text.substr(colon + 1);
    return backend;
}

// Sets one option. `command` decides which exist.
base::Result<void> apply(const std::string& name, const std::string& value, Options& options) {
    const bool measures = options.command != Command::Eval;
    const bool speculates = options.command == Command::Speculation;
    struct Number {
        uint32_t* target;
        uint32_t least;
        uint32_t most;
        bool exists;
    };
    const std::map<std::string_view, Number> numbers = {
        {"--threads", {&options.backend.n_threads, 1, kMaxThreads, true}},
        {"--context", {&options.n_ctx, 1, model::DecoderSpecLimits::kMaxContext, true}},
        {"--prefill-chunk", {&options.prefill_chunk, 1, generation::kMaxPrefillChunk, true}},
        {"--prompt", {&options.prompt, 1, kMaxTokens, measures && !speculates}},
        {"--generated-tokens", {&options.generated_tokens, 1, kMaxTokens, measures && !speculates}},
        {"--repeat", {&options.repeat, 1, kMaxRepeat, measures}},
        {"--greedy", {&options.greedy, 0, kMaxTokens, !measures}},
    };
    const auto number = numbers.find(name);
    if (number != numbers.end() && number->second.exists) {
        const auto parsed = parse_number(name, value, number->second.least, number->second.most);
        if (!parsed) return parsed.error();
        *number->second.target = *parsed;
    } else if (name == "--model") {
        options.model = value;
    } else if (name == "--tokens" && options.command == Command::Eval) {
        options.tokens = parse_paths(value);
    } else if (name == "--text" && speculates) {
        options.texts = parse_paths(value);
    } else if (name == "--vocabulary" && speculates) {
        options.vocabulary = value;
    } else if (name == "--oracle" && speculates) {
        auto percents = parse_numbers(name, value, 0, 100);
        if (!percents) return percents.error();
        options.oracle_percents = std::move(*percents);
    } else if (name == "--speculation" && speculates && (value == "yes" || value == "no")) {
        options.speculates = value == "yes";
    } else if (name == "--speculation" && speculates) {
        return fail(ErrorCode::InvalidArgument, "--speculation: '", value, "' is not yes or no");
    } else if (name == "--batch" && options.command == Command::Speed) {
        auto batches = parse_numbers(name, value, 1, generation::kMaxSlots);
        if (!batches) return batches.error();
        options.batches = std::move(*batches);
    } else if (name == "--precision" && (value == "faithful" || value == "fast")) {
        options.backend.precision = value == "fast" ? compute::Precision::Fast : compute::Precision::Faithful;
    } else if (name == "--precision") {
        return fail(ErrorCode::InvalidArgument, "--precision: '", value, "' is not faithful or fast");
    } else if (name == "--machine" && options.command == Command::Speed && (value == "yes" || value == "no")) {
        options.measures_machine = value == "yes";
    } else if (name == "--format" && (value == "md" || value == "json")) {
        options.format = value == "json" ? Format::Json : Format::Markdown;
    } else if (name == "--format") {
        return fail(ErrorCode::InvalidArgument, "--format: '", value, "' is not md or json");
    } else if (name == "--backend") {
        auto backend = parse_backend(value);
        if (!backend) return backend.error();
        backend->n_threads = options.backend.n_threads;
        backend->precision = options.backend.precision;
        options.backend = std::move(*backend);
    } else {
        return fail(ErrorCode::InvalidArgument, name, ": unknown option");
    }
    return {};
}

class QuietObserver : public generation::LoadObserver {
public:
    bool before(generation::LoadStage, std::chrono::milliseconds) override { return true; }
    void on_uploaded(uint64_t, uint64_t) override {}
};

}  // namespace

base::Result<Options> parse_options(const std::vector<std::string>& args) {
    Options options;
    if (args.empty()) return fail(ErrorCode::InvalidArgument, "no command: speed, eval, launches or speculation");
    if (args[0] == "--help") return options;
    if (args[0] == "--version") {
        options.command = Command::Version;
        return options;
    }
    const std::map<std::string_view, Command> commands = {{"speed", Command::Speed},
                                                          {"eval", Command::Eval},
                                                          {"launches", Command::Launches},
                                                          {"speculation", Command::Speculation}};
    const auto command = commands.find(args[0]);
    if (command == commands.end()) {
        return fail(ErrorCode::InvalidArgument, "'", args[0],
                    "' is not a command: speed, eval, launches or speculation");
    }
    options.command = command->second;
    for (size_t i = 1; i < args.size(); i += 2) {
        if (i + 1 == args.size()) return fail(ErrorCode::InvalidArgument, args[i], ": no value");
        if (auto applied = apply(args[i], args[i + 1], options); !applied) return applied.error();
    }
    if (options.model.empty()) return fail(ErrorCode::InvalidArgument, "--model: missing");
    if (options.command == Command::Eval && options.tokens.empty()) {
        return fail(ErrorCode::InvalidArgument, "--tokens: missing");
    }
    if (options.command == Command::Speculation && options.texts.empty()) {
        return fail(ErrorCode::InvalidArgument, "--text: missing");
    }
    return options;
}

base::Result<generation::LoadedModel> load_for(const Options& options, uint32_t n_slots, uint32_t n_tokens,
                                               uint32_t max_outputs) {
    generation::LoadOptions load;
    load.backend = options.backend;
    load.n_ctx = std::max(n_tokens, options.n_ctx);
    load.n_slots = n_slots;
    load.prefill_chunk = options.prefill_chunk;
    load.max_outputs = max_outputs;
    QuietObserver observer;
    auto model = generation::load_model(options.model, load, observer);
    if (model && model->backend->limits().n_ctx < n_tokens) {
        return fail(ErrorCode::ContextExceeded, n_tokens, " tokens are more than the model's context of ",
                    model->backend->limits().n_ctx);
    }
    return model;
}

base::Result<void> give_pages(compute::Backend& backend, uint32_t slot, uint32_t n_slots, uint32_t n_tokens) {
    const compute::BackendLimits& limits = backend.limits();
    std::vector<uint32_t> pages(generation::pages_for(n_tokens));
    std::iota(pages.begin(), pages.end(), slot * static_cast<uint32_t>(pages.size()));
    if (auto set = backend.set_pages(slot, pages); !set || limits.window == 0) return set;
    const uint32_t n_own = limits.n_window_pages / n_slots;
    for (uint32_t i = 0; i < pages.size(); ++i) pages[i] = slot * n_own + i % n_own;
    return backend.set_window_pages(slot, 0, pages);
}

}  // namespace llmd::bench
