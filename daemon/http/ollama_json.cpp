#include "http/ollama_json.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "api/info.h"
#include "base/json_writer.h"

namespace llmd::http {

namespace {

using base::JsonWriter;
using service::Outcome;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Clients divide by durations: what there was has taken some time.
int64_t ns(nanoseconds time, bool was_there = true) {
    return std::max(int64_t{time.count()}, int64_t{was_there});
}

void write_costs(JsonWriter& json, const Outcome& outcome) {
    // The first token ends prefill, so decode took as long as the others did.
    const milliseconds prefill =
        outcome.ttft > outcome.queue_time ? outcome.ttft - outcome.queue_time : milliseconds(0);
    const std::chrono::duration<double> decode_s(outcome.decode_tps > 0 ? outcome.generated_tokens / outcome.decode_tps
                                                                        : 0);
    const auto decode = std::chrono::duration_cast<nanoseconds>(decode_s);
    json.key("done_reason").value(service::is_complete(outcome.finish) ? "stop" : "length");
    json.key("total_duration").value(ns(outcome.queue_time + prefill + decode));
    json.key("load_duration").value(ns(outcome.queue_time));
    json.key("prompt_eval_count").value(outcome.prompt_tokens);
    json.key("prompt_eval_duration").value(ns(prefill, outcome.prompt_tokens > 0));
    json.key("eval_count").value(outcome.generated_tokens);
    json.key("eval_duration").value(ns(decode, outcome.generated_tokens > 0));
}

// Those of the calls that are whole, the first of which has this number: the form has no place for the others.
void write_calls(JsonWriter& json, std::span<const api::AnswerCall> calls, size_t number) {
    if (std::all_of(calls.begin(), calls.end(), [](const auto& call) { return call.is_cut; })) return;
    json.key("tool_calls").begin_array();
    for (const api::AnswerCall& call : calls) {
        const size_t index = number++;
        if (call.is_cut) continue;
        json.begin_object().key("function").begin_object();
        json.key("index").value(uint64_t{index});
        json.key("name").value(call.name).key("arguments").json(call.arguments);
        json.end_object().end_object();
    }
    json.end_array();
}

// A line says this of the answer.
struct Message {
    std::string_view text;
    std::string_view thinking = {};
    std::span<const api::AnswerCall> calls = {};
    size_t first_call = 0;
    std::span<const api::AlignedLogprobs> logprobs = {};
};

// One object, all but its end: what is common to every line.
JsonWriter line(OllamaKind kind, const AnswerHead& head, const Message& message, bool done) {
    JsonWriter json;
    json.begin_object();
    json.key("model").value(head.model);
    json.key("created_at").value(ollama_time(head.created));
    if (kind == OllamaKind::Chat) {
        json.key("message").begin_object();
        json.key("role").value("assistant").key("content").value(message.text);
    } else {
        json.key("response").value(message.text);
    }
    if (!message.thinking.empty()) json.key("thinking").value(message.thinking);
    if (kind == OllamaKind::Chat) {
        write_calls(json, message.calls, message.first_call);
        json.end_object();
    }
    json.key("done").value(done);
    if (!message.logprobs.empty()) api::write_token_logprobs(json.key("logprobs"), message.logprobs);
    return json;
}

std::string error_line(const base::Error& error) {
    JsonWriter json;
    json.begin_object().key("error").value(error.message).end_object();
    return json.take();
}

class OllamaFormat final : public BodyFormat {
public:
    explicit OllamaFormat(OllamaKind kind) : kind_(kind) {}

    const char* stream_type() const override { return "application/x-ndjson"; }
    std::string begin(const AnswerHead& head) override {
        head_ = head;
        return {};
    }
    std::string text(size_t, std::string_view text, Logprobs logprobs) override {
        return part({.text = text, .logprobs = logprobs});
    }
    std::string thinking(size_t, std::string_view text) override { return part({"", text}); }
    std::string call_end(size_t, size_t number, const api::AnswerCall& call) override {
        return call.is_cut ? "" : part({"", "", {&call, 1}, number});
    }
    std::string end_choice(size_t, const Outcome& outcome, Logprobs logprobs) override {
        return last_line(head_, {.text = "", .logprobs = logprobs}, outcome) + '\n';
    }
    std::string end(const std::vector<Choice>&) override { return {}; }
    std::string failure(const base::Error& error, const Choice&) override { return error_line(error) + '\n'; }
    std::string whole(const AnswerHead& head, const std::vector<Choice>& choices) override {
        const Choice& choice = choices.front();
        return last_line(head, {choice.text, choice.thinking, choice.calls, 0, choice.logprobs}, choice.outcome);
    }
    Reply refusal(const base::Error& error, uint32_t) override { return ollama_error(error); }

private:
    std::string part(const Message& message) const {
        return line(kind_, head_, message, false).end_object().take() + '\n';
    }
    std::string last_line(const AnswerHead& head, const Message& message, const Outcome& outcome) const {
        JsonWriter json = line(kind_, head, message, true);
        write_costs(json, outcome);
        api::write_notes(json, outcome.notes);
        return json.end_object().take();
    }

    const OllamaKind kind_;
    AnswerHead head_;
};

}  // namespace

std::string ollama_time(std::chrono::system_clock::time_point time) {
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

std::unique_ptr<BodyFormat> make_ollama_format(OllamaKind kind) {
    return std::make_unique<OllamaFormat>(kind);
}

Reply ollama_error(const base::Error& error) {
    return error_reply(error, error_line(error));
}

std::string ollama_loaded(OllamaKind kind, const AnswerHead& head, std::string_view done_reason) {
    return line(kind, head, {""}, true).key("done_reason").value(done_reason).end_object().take();
}

}  // namespace llmd::http
