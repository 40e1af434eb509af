#include "http/ollama_json.h"

#include <array>
#include <cstdio>
#include <ctime>

#include "base/json_writer.h"

namespace llmd::http {

namespace {

using base::JsonWriter;
using service::Outcome;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// RFC 3339, as 2026-01-31T12:00:00.000001Z.
std::string timestamp(std::chrono::system_clock::time_point time) {
    const auto us = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch()).count();
    const std::time_t seconds = us / 1'000'000;
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    std::array<char, 32> date{};
    const size_t n = std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &utc);
    std::array<char, 16> fraction{};
    std::snprintf(fraction.data(), fraction.size(), ".%06dZ", static_cast<int>(us % 1'000'000));
    return std::string(date.data(), n) + fraction.data();
}

int64_t ns(milliseconds time) {
    return nanoseconds(time).count();
}

void write_costs(JsonWriter& json, const Outcome& outcome) {
    // The first token ends prefill, so decode took as long as the others did.
    const milliseconds prefill =
        outcome.ttft > outcome.queue_time ? outcome.ttft - outcome.queue_time : milliseconds(0);
    const std::chrono::duration<double> decode_s(outcome.decode_tps > 0 ? outcome.generated_tokens / outcome.decode_tps
                                                                        : 0);
    const int64_t decode = std::chrono::duration_cast<nanoseconds>(decode_s).count();
    json.key("done_reason").value(outcome.finish == service::Finish::Stop ? "stop" : "length");
    json.key("total_duration").value(ns(outcome.queue_time + prefill) + decode);
    json.key("load_duration").value(ns(outcome.queue_time));
    json.key("prompt_eval_count").value(outcome.prompt_tokens);
    json.key("prompt_eval_duration").value(ns(prefill));
    json.key("eval_count").value(outcome.generated_tokens);
    json.key("eval_duration").value(decode);
}

// One object, all but its end: what is common to every line.
JsonWriter line(OllamaKind kind, const AnswerHead& head, std::string_view text, bool done,
                std::string_view thinking = {}) {
    JsonWriter json;
    json.begin_object();
    json.key("model").value(head.model);
    json.key("created_at").value(timestamp(head.created));
    if (kind == OllamaKind::Chat) {
        json.key("message").begin_object();
        json.key("role").value("assistant").key("content").value(text);
        if (!thinking.empty()) json.key("thinking").value(thinking);
        json.end_object();
    } else {
        json.key("response").value(text);
        if (!thinking.empty()) json.key("thinking").value(thinking);
    }
    json.key("done").value(done);
    return json;
}

std::string error_line(const base::Error& error) {
    JsonWriter json;
    json.begin_object().key("error").value(error.message).end_object();
    return json.take();
}

class OllamaFormat final : public AnswerFormat {
public:
    explicit OllamaFormat(OllamaKind kind) : kind_(kind) {}

    const char* stream_type() const override { return "application/x-ndjson"; }
    std::string begin(const AnswerHead& head) override {
        head_ = head;
        return {};
    }
    std::string text(size_t, std::string_view text, Logprobs) override {
        return line(kind_, head_, text, false).end_object().take() + '\n';
    }
    std::string thinking(size_t, std::string_view text) override {
        return line(kind_, head_, "", false, text).end_object().take() + '\n';
    }
    std::string end_choice(size_t, const Outcome& outcome, Logprobs) override {
        return last_line(head_, {}, outcome) + '\n';
    }
    std::string end(const std::vector<Choice>&) override { return {}; }
    std::string failure(const base::Error& error) override { return error_line(error) + '\n'; }
    std::string whole(const AnswerHead& head, const std::vector<Choice>& choices) override {
        return last_line(head, choices.front(), choices.front().outcome);
    }
    Reply refusal(const base::Error& error, uint32_t) override { return ollama_error(error); }

private:
    std::string last_line(const AnswerHead& head, const Choice& choice, const Outcome& outcome) const {
        JsonWriter json = line(kind_, head, choice.text, true, choice.thinking);
        write_costs(json, outcome);
        return json.end_object().take();
    }

    const OllamaKind kind_;
    AnswerHead head_;
};

void write_details(JsonWriter& json, const service::ModelEntry& model) {
    json.key("details").begin_object();
    json.key("parent_model").value("");
    json.key("format").value("gguf");
    json.key("family").value(model.architecture);
    json.key("families").begin_array().value(model.architecture).end_array();
    json.key("parameter_size").value("");
    json.key("quantization_level").value(model.quantization);
    json.end_object();
}

std::string modified_at(const service::ModelEntry& model) {
    const auto file = service::file_identity(model.path);
    const nanoseconds mtime(file ? file->mtime_ns : 0);
    return timestamp(
        std::chrono::system_clock::time_point(std::chrono::duration_cast<std::chrono::system_clock::duration>(mtime)));
}

}  // namespace

std::unique_ptr<AnswerFormat> make_ollama_format(OllamaKind kind) {
    return std::make_unique<OllamaFormat>(kind);
}

Reply ollama_error(const base::Error& error) {
    return error_reply(error, error_line(error));
}

std::string ollama_loaded(OllamaKind kind, const AnswerHead& head) {
    return line(kind, head, "", true).key("done_reason").value("load").end_object().take();
}

std::string ollama_models(const std::vector<service::ModelEntry>& models) {
    JsonWriter json;
    json.begin_object().key("models").begin_array();
    for (const service::ModelEntry& model : models) {
        if (!model.error.empty()) continue;  // there is no place to say so
        json.begin_object();
        json.key("name").value(model.name);
        json.key("model").value(model.name);
        json.key("modified_at").value(modified_at(model));
        json.key("size").value(model.size_bytes);
        json.key("digest").value("");
        write_details(json, model);
        json.key("context_length").value(model.context_length);
        json.end_object();
    }
    return json.end_array().end_object().take();
}

std::string ollama_model(const service::ModelEntry& model) {
    JsonWriter json;
    json.begin_object();
    json.key("modelfile").value("").key("parameters").value("").key("template").value("");
    json.key("modified_at").value(modified_at(model));
    write_details(json, model);
    json.key("model_info").begin_object();
    json.key("general.architecture").value(model.architecture);
    json.key(model.architecture + ".context_length").value(model.context_length);
    json.end_object();
    json.key("capabilities").begin_array().value("completion").end_array();
    return json.end_object().take();
}

}  // namespace llmd::http
