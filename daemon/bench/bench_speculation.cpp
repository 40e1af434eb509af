#include "bench/bench_speculation.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iomanip>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/mapped_file.h"
#include "bench/median.h"
#include "engine/generation/generator.h"
#include "engine/model/gguf.h"

namespace llmd::bench {

using base::ErrorCode;
using base::fail;

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using Costs = generation::Sequence::Costs;

constexpr std::string_view kSeparator = "\n----\n";  // between prompt and answer

struct RecordedText {
    std::string name;  // of the file, without directory and extension
    std::vector<int32_t> prompt;
    std::vector<int32_t> answer;
};

// How tokens are drafted.
struct Drafts {
    std::string name;
    bool speculates;
    std::optional<float> acceptance;  // of drafts that are taken from the answer; nothing: they are looked up
};

struct Run {
    double seconds = 0;  // from the first token of the answer to its end
    Costs costs;
};

struct Series {
    const RecordedText* text;
    Drafts drafts;
    std::vector<Run> runs = {};  // one a round

    double tokens_per_second(const Run& run) const {
        return static_cast<double>(text->answer.size() - 1) / run.seconds;
    }
};

// The share of time that drafting took for nothing: the rejected rows and the host's time, of both together with all
// rows.
double extra_share(const Costs& costs) {
    const std::chrono::nanoseconds extra = costs.rejected_time + costs.look_up_time;
    const std::chrono::nanoseconds all = costs.decode_time + costs.look_up_time;
    return all.count() == 0 ? 0 : static_cast<double>(extra.count()) / static_cast<double>(all.count());
}

// Times one answer and compares it with what was recorded.
class Recorder : public generation::GeneratorEvents {
public:
    void begin(const std::vector<int32_t>& expected) {
        expected_ = &expected;
        n_tokens_ = 0;
        differs_ = false;
        finish_.reset();
    }
    void on_started(uint64_t, uint32_t) override {}
    void on_prefill(uint64_t, uint32_t) override {}
    void on_token(uint64_t, int32_t token, std::string, uint32_t, const generation::TokenLogprobs*) override {
        if (n_tokens_ == 0) first_ = Clock::now();
        differs_ = differs_ || n_tokens_ >= expected_->size() || (*expected_)[n_tokens_] != token;
        ++n_tokens_;
    }
    void on_finished(uint64_t, const generation::Finish& finish) override {
        last_ = Clock::now();
        finish_ = finish;
    }

    bool has_ended() const { return finish_.has_value(); }
    base::Result<Run> run() const {
        if (const auto* error = std::get_if<base::Error>(&finish_->how)) return *error;
        if (differs_ || n_tokens_ != expected_->size()) {
            return fail(ErrorCode::Failed, "the answer is not the one that was recorded");
        }
        return Run{Seconds(last_ - first_).count(), finish_->costs};
    }

private:
    const std::vector<int32_t>* expected_ = nullptr;
    size_t n_tokens_ = 0;
    bool differs_ = false;
    Clock::time_point first_, last_;
    std::optional<generation::Finish> finish_;
};

class SpeculationTest {
public:
    SpeculationTest(generation::LoadedModel& model, const Options& options)
        : options_(options), generator_(model, generation::PrefillPace(options.prefill_chunk), recorder_) {}

    base::Result<std::vector<Series>> run(const std::vector<RecordedText>& texts) {
        std::vector<Series> all;
        for (const RecordedText& text : texts) {
            for (const Drafts& drafts : kinds()) all.push_back({&text, drafts});
        }
        // Not measured: it teaches the generator what rows cost, and leaves the prompts in the prefix cache.
        for (Series& m : all) {
            if (auto warm = answer(m); !warm) return warm.error();
        }
        // In turn, and every other round backwards, so that a noisy moment or a drift falls on none of them alone.
        for (uint32_t round = 0; round < options_.repeat; ++round) {
            for (size_t i = 0; i < all.size(); ++i) {
                Series& m = all[round % 2 == 0 ? i : all.size() - 1 - i];
                auto run = answer(m);
                if (!run) return run.error();
                m.runs.push_back(*run);
            }
        }
        return all;
    }

private:
    std::vector<Drafts> kinds() const {
        std::vector<Drafts> kinds = {{"none", false, std::nullopt}};
        if (!options_.speculates) return kinds;
        kinds.push_back({"look-up", true, std::nullopt});
        for (const uint32_t percent : options_.oracle_percents) {
            kinds.push_back({base::concat("oracle ", percent, " %"), true, static_cast<float>(percent) / 100});
        }
        return kinds;
    }

    base::Result<Run> answer(const Series& m) {
        generation::GenerationRequest request;
        request.id = ++last_id_;
        request.prompt_ids = m.text->prompt;
        request.max_tokens = static_cast<uint32_t>(m.text->answer.size());
        request.cache_scope = "bench";
        request.recording = std::make_shared<const generation::Recording>(
            generation::Recording{.ids = m.text->answer, .acceptance = m.drafts.acceptance});
        generator_.set_speculates(m.drafts.speculates);
        recorder_.begin(m.text->answer);
        if (auto submitted = generator_.submit(request); !submitted) return submitted.error();
        generator_.start(request.id);
        while (!recorder_.has_ended()) {
            if (auto done = generator_.step(); !done) return done.error();
        }
        return recorder_.run();
    }

    const Options& options_;
    Recorder recorder_;
    generation::Generator generator_;
    uint64_t last_id_ = 0;
};

// The vocabulary of a model with random weights tells nothing of texts: another file's may take its place.
base::Result<std::unique_ptr<tokenizer::Tokenizer>> read_vocabulary(const std::string& path) {
    const auto file = base::MappedFile::open(path);
    if (!file) return file.error();
    const auto gguf = model::Gguf::parse(file->bytes());
    if (!gguf) return gguf.error();
    return tokenizer::Tokenizer::create(*gguf);
}

// Prompt and answer.
base::Result<std::pair<std::string, std::string>> read_text(const std::string& path) {
    const auto file = base::MappedFile::open(path);
    if (!file) return file.error();
    const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
    const size_t at = text.find(kSeparator);
    if (at == std::string_view::npos) {
        return fail(ErrorCode::InvalidArgument, "--text: ", path, " has no line ---- between prompt and answer");
    }
    return std::pair(std::string(text.substr(0, at)), std::string(text.substr(at + kSeparator.size())));
}

base::Result<std::vector<RecordedText>> read_texts(const Options& options) {
    const auto tokenizer = read_vocabulary(options.vocabulary.empty() ? options.model : options.vocabulary);
    if (!tokenizer) return tokenizer.error();
    std::vector<RecordedText> out;
    for (const std::string& path : options.texts) {
        const auto text = read_text(path);
        if (!text) return text.error();
        out.push_back({.name = std::filesystem::path(path).stem(),
                       .prompt = (*tokenizer)->encode_prompt(text->first),
                       .answer = (*tokenizer)->encode(text->second)});
        if (out.back().prompt.empty() || out.back().answer.size() < 2) {
            return fail(ErrorCode::InvalidArgument, "--text: ", path, " has no prompt, or no two tokens behind it");
        }
    }
    return out;
}

base::Result<void> check_ids(const std::vector<RecordedText>& texts, uint32_t n_vocab) {
    for (const RecordedText& text : texts) {
        for (const auto* ids : {&text.prompt, &text.answer}) {
            const int32_t largest = *std::max_element(ids->begin(), ids->end());
            if (static_cast<uint32_t>(largest) < n_vocab) continue;
            return fail(ErrorCode::InvalidArgument, "--vocabulary: ", largest, " is not in the model's vocabulary of ",
                        n_vocab);
        }
    }
    return {};
}

// Each round has the time without drafts by the time with them; `time` is the one of a run that is meant.
std::vector<double> ratios(const Series& m, const std::vector<Series>& all, double (*time)(const Run& run)) {
    const auto plain = std::find_if(
        all.begin(), all.end(), [&](const Series& other) { return other.text == m.text && !other.drafts.speculates; });
    std::vector<double> out;
    for (size_t i = 0; i < m.runs.size(); ++i) out.push_back(time(plain->runs[i]) / time(m.runs[i]));
    return out;
}

double wall_time(const Run& run) {
    return run.seconds;
}
// The generator's count of the device's steps and of drafting, without the host's other time between steps.
double accounted_time(const Run& run) {
    return Seconds(run.costs.decode_time + run.costs.look_up_time).count();
}

struct Line {
    double tokens_per_second, times, least_times, most_times;
    uint32_t drafted, accepted;
    double extra_share;
};

Line line_of(const Series& m, const std::vector<Series>& all) {
    std::vector<double> speeds, shares;
    for (const Run& run : m.runs) {
        speeds.push_back(m.tokens_per_second(run));
        shares.push_back(extra_share(run.costs));
    }
    const auto times = ratios(m, all, wall_time);
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    const Costs& costs = m.runs.back().costs;
    return {median_of(speeds), median_of(times), *least, *most, costs.drafted, costs.accepted, median_of(shares)};
}

std::string as_json(const Options& options, const generation::LoadedModel& model, const std::vector<Series>& all) {
    const auto& device = model.backend->report();
    base::JsonWriter json;
    json.begin_object().key("model").value(options.model);
    json.key("architecture").value(model.spec.architecture).key("quantization").value(model.spec.quantization);
    json.key("backend").value(backend_name(device.kind)).key("device").value(device.device);
    json.key("profile").value(device.fingerprint).key("rows").begin_array();
    for (const Series& m : all) {
        const Line line = line_of(m, all);
        json.begin_object().key("text").value(m.text->name).key("drafts").value(m.drafts.name);
        json.key("prompt_tokens").value(uint64_t{m.text->prompt.size()});
        json.key("answer_tokens").value(uint64_t{m.text->answer.size()});
        json.key("tokens_per_second").value(line.tokens_per_second);
        json.key("drafted").value(line.drafted).key("accepted").value(line.accepted);
        json.key("extra_rows").value(line.drafted - line.accepted);
        json.key("extra_row_time_share").value(line.extra_share);
        json.key("accounted_times").value(median_of(ratios(m, all, accounted_time)));
        json.key("times").value(line.times).key("rounds").begin_array();
        for (const double ratio : ratios(m, all, wall_time)) json.value(ratio);
        json.end_array().end_object();
    }
    json.end_array().end_object();
    return json.take() + "\n";
}

std::string as_markdown(const generation::LoadedModel& model, const std::vector<Series>& all) {
    const auto& device = model.backend->report();
    std::ostringstream out;
    out << model.spec.architecture << ' ' << model.spec.quantization << " on " << backend_name(device.kind) << ", "
        << device.device << "\n\n"
        << "| text | tokens | drafts | tokens/s | times | min..max | drafted | accepted | extra rows | of the time |\n"
        << "|---|---|---|---|---|---|---|---|---|---|\n";
    for (const Series& m : all) {
        const Line line = line_of(m, all);
        out << std::fixed << "| " << m.text->name << " | " << m.text->answer.size() << " | " << m.drafts.name << " | "
            << std::setprecision(1) << line.tokens_per_second << " | " << std::setprecision(2) << line.times << " | "
            << line.least_times << ".." << line.most_times << " | " << line.drafted << " | " << line.accepted << " | "
            << line.drafted - line.accepted << " | " << std::setprecision(1) << line.extra_share * 100 << " % |\n";
    }
    return out.str();
}

}  // namespace

base::Result<std::string> run_speculation(const Options& options) {
    const auto texts = read_texts(options);
    if (!texts) return texts.error();
    size_t n_tokens = 0;
    for (const RecordedText& text : *texts) n_tokens = std::max(n_tokens, text.prompt.size() + text.answer.size());
    auto model = load_for(options, 1, static_cast<uint32_t>(n_tokens), 1);
    if (!model) return model.error();
    if (auto checked = check_ids(*texts, model->spec.n_vocab); !checked) return checked.error();
    const auto series = SpeculationTest(*model, options).run(*texts);
    if (!series) return series.error();
    return options.format == Format::Json ? as_json(options, *model, *series) : as_markdown(*model, *series);
}

}  // namespace llmd::bench
