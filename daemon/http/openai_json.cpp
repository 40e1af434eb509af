#include "http/openai_json.h"

#include <algorithm>
#include <utility>

#include "api/errors.h"
#include "api/info.h"
#include "base/json_writer.h"
#include "http/openai_logprobs.h"

namespace llmd::http {

namespace {

using base::JsonWriter;
using service::Outcome;

constexpr int64_t kNsPerSecond = 1'000'000'000;

std::string event(const std::string& json) {
    return "data: " + json + "\n\n";
}

int64_t unix_time(std::chrono::system_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

// OpenAI's word, and "timeout" for who has set deadline_ms, which is none of OpenAI's either.
std::string_view finish_reason(const Outcome& outcome) {
    return service::finish_name(outcome.finish);
}

void write_timings(JsonWriter& json, const Outcome& outcome) {
    json.key("timings").begin_object();
    json.key("cache_n").value(outcome.cached_tokens);
    json.key("prompt_n").value(outcome.prompt_tokens - std::min(outcome.prompt_tokens, outcome.cached_tokens));
    json.key("prompt_per_second").value(outcome.prefill_tps);
    json.key("predicted_n").value(outcome.generated_tokens);
    json.key("predicted_per_second").value(outcome.decode_tps);
    json.key("draft_n").value(outcome.drafted_tokens);
    json.key("draft_n_accepted").value(outcome.accepted_tokens);
    json.key("queue_ms").value(int64_t{outcome.queue_time.count()});
    json.key("ttft_ms").value(int64_t{outcome.ttft.count()});
    json.key("where").value(outcome.where);
    if (outcome.resumed > 0) json.key("resumed").value(outcome.resumed);
    json.end_object();
}

// Writes the costs of the answer, in OpenAI's numbers and in those that llama.cpp's server adds.
void write_costs(JsonWriter& json, const std::vector<Choice>& choices, uint32_t n_per_prompt) {
    uint64_t prompt = 0;
    uint64_t cached = 0;
    uint64_t generated = 0;
    uint64_t thinking = 0;
    uint64_t drafted = 0;
    uint64_t accepted = 0;
    for (size_t i = 0; i < choices.size(); ++i) {
        const Outcome& outcome = choices[i].outcome;
        generated += outcome.generated_tokens;
        thinking += outcome.thinking_tokens;
        drafted += outcome.drafted_tokens;
        accepted += outcome.accepted_tokens;
        if (i % n_per_prompt != 0) continue;
        prompt += outcome.prompt_tokens;
        cached += outcome.cached_tokens;
    }
    json.key("usage").begin_object();
    json.key("prompt_tokens").value(prompt);
    json.key("completion_tokens").value(generated);
    json.key("total_tokens").value(prompt + generated);
    json.key("prompt_tokens_details").begin_object();
    json.key("cached_tokens").value(cached);
    json.end_object();
    json.key("completion_tokens_details").begin_object();
    json.key("reasoning_tokens").value(thinking);
    json.key("accepted_prediction_tokens").value(accepted);
    json.key("rejected_prediction_tokens").value(drafted - accepted);
    json.end_object().end_object();
    if (choices.size() == 1) write_timings(json, choices.front().outcome);
}

class OpenAiFormat final : public BodyFormat {
public:
    OpenAiFormat(OpenAiKind kind, uint32_t n_per_prompt, bool include_usage, std::optional<uint32_t> top_logprobs,
                 std::function<uint32_t()> n_ctx)
        : is_chat_(kind == OpenAiKind::Chat),
          n_per_prompt_(n_per_prompt),
          include_usage_(include_usage),
          top_logprobs_(top_logprobs),
          n_ctx_(std::move(n_ctx)) {}

    const char* stream_type() const override { return "text/event-stream"; }

    std::string begin(const AnswerHead& head) override {
        head_ = head;
        std::string out;
        for (size_t choice = 0; is_chat_ && choice < head.n_choices; ++choice) {
            JsonWriter json = begin_chunk(choice);
            json.key("delta").begin_object().key("role").value("assistant").key("content").value("").end_object();
            out += end_chunk(json, {}, {});
        }
        return out;
    }

    std::string text(size_t choice, std::string_view text, Logprobs logprobs) override {
        JsonWriter json = begin_chunk(choice);
        if (is_chat_) {
            json.key("delta").begin_object().key("content").value(text).end_object();
        } else {
            json.key("text").value(text);
        }
        return end_chunk(json, {}, logprobs);
    }

    std::string thinking(size_t choice, std::string_view text) override {
        JsonWriter json = begin_chunk(choice);
        json.key("delta").begin_object().key("reasoning_content").value(text).end_object();
        return end_chunk(json, {}, {});
    }

    std::string call_begin(size_t choice, size_t number, const api::AnswerCall& call) override {
        return call_chunk(choice, number, "", &call);
    }
    std::string call_arguments(size_t choice, size_t number, std::string_view fragment) override {
        return call_chunk(choice, number, fragment, nullptr);
    }

    std::string end_choice(size_t choice, const Outcome& outcome, Logprobs logprobs) override {
        JsonWriter json = begin_chunk(choice);
        api::write_notes(json, outcome.notes);
        is_chat_ ? json.key("delta").begin_object().end_object() : json.key("text").value("");
        return end_chunk(json, finish_reason(outcome), logprobs);
    }

    std::string end(const std::vector<Choice>& choices) override {
        std::string out;
        if (include_usage_) {
            JsonWriter usage = chunk();
            usage.key("choices").begin_array().end_array();
            write_costs(usage, choices, n_per_prompt_);
            out = event(usage.end_object().take());
        }
        return out + event("[DONE]");
    }

    std::string failure(const base::Error& error, const Choice&) override {
        return event(api::openai_error(error, {0, n_ctx_()}));
    }

    std::string whole(const AnswerHead& head, const std::vector<Choice>& choices) override {
        JsonWriter json = object(head, is_chat_ ? "chat.completion" : "text_completion");
        json.key("choices").begin_array();
        for (size_t i = 0; i < choices.size(); ++i) {
            begin_choice(json, i);
            api::write_notes(json, choices[i].outcome.notes);
            if (is_chat_) {
                write_message(json, choices[i]);
            } else {
                json.key("text").value(choices[i].text);
            }
            json.key("logprobs");
            top_logprobs_ ? write_logprobs(json, choices[i].logprobs) : void(json.null());
            end_choice(json, finish_reason(choices[i].outcome));
        }
        json.end_array();
        write_costs(json, choices, n_per_prompt_);
        return json.end_object().take();
    }

    Reply refusal(const base::Error& error, uint32_t prompt_tokens) override {
        return error_reply(error, api::openai_error(error, {prompt_tokens, n_ctx_()}));
    }

private:
    static void write_message(JsonWriter& json, const Choice& choice) {
        json.key("message").begin_object().key("role").value("assistant").key("content");
        choice.text.empty() && !choice.calls.empty() ? json.null() : json.value(choice.text);
        if (!choice.thinking.empty()) json.key("reasoning_content").value(choice.thinking);
        if (!choice.calls.empty()) write_tool_calls(json.key("tool_calls"), choice.calls);
        json.end_object();
    }
    // `begun` is the call where it begins.
    std::string call_chunk(size_t choice, size_t number, std::string_view arguments, const api::AnswerCall* begun) {
        JsonWriter json = begin_chunk(choice);
        json.key("delta").begin_object().key("tool_calls").begin_array().begin_object();
        json.key("index").value(uint64_t{number});
        if (begun != nullptr) json.key("id").value(begun->id).key("type").value("function");
        json.key("function").begin_object();
        if (begun != nullptr) json.key("name").value(begun->name);
        json.key("arguments").value(arguments).end_object();
        json.end_object().end_array().end_object();
        return end_chunk(json, {}, {});
    }
    JsonWriter object(const AnswerHead& head, const char* kind) const {
        JsonWriter json;
        json.begin_object();
        json.key("id").value((is_chat_ ? "chatcmpl-" : "cmpl-") + std::to_string(head.id));
        json.key("object").value(kind);
        json.key("created").value(unix_time(head.created));
        json.key("model").value(head.model);
        return json;
    }
    JsonWriter chunk() const { return object(head_, is_chat_ ? "chat.completion.chunk" : "text_completion"); }
    static void begin_choice(JsonWriter& json, size_t index) {
        json.begin_object().key("index").value(uint64_t{index});
    }
    // `reason` is empty while the text goes on.
    static void end_choice(JsonWriter& json, std::string_view reason) {
        json.key("finish_reason");
        reason.empty() ? json.null() : json.value(reason);
        json.end_object();
    }
    void write_logprobs(JsonWriter& json, Logprobs logprobs) const {
        is_chat_ ? write_chat_logprobs(json, logprobs) : write_completion_logprobs(json, logprobs, *top_logprobs_ > 0);
    }
    // A chunk with something of one choice.
    JsonWriter begin_chunk(size_t choice) const {
        JsonWriter json = chunk();
        json.key("choices").begin_array();
        begin_choice(json, choice);
        return json;
    }
    std::string end_chunk(JsonWriter& json, std::string_view reason, Logprobs logprobs) const {
        json.key("logprobs");
        logprobs.empty() ? void(json.null()) : write_logprobs(json, logprobs);
        end_choice(json, reason);
        json.end_array();
        if (include_usage_) json.key("usage").null();
        return event(json.end_object().take());
    }

    const bool is_chat_;
    const uint32_t n_per_prompt_;
    const bool include_usage_;
    const std::optional<uint32_t> top_logprobs_;
    const std::function<uint32_t()> n_ctx_;
    AnswerHead head_;
};

}  // namespace

std::unique_ptr<BodyFormat> make_openai_format(OpenAiKind kind, uint32_t n_per_prompt, bool include_usage,
                                               std::optional<uint32_t> top_logprobs, std::function<uint32_t()> n_ctx) {
    return std::make_unique<OpenAiFormat>(kind, n_per_prompt, include_usage, top_logprobs, std::move(n_ctx));
}

namespace {

void write_model(JsonWriter& json, const supervisor::ModelEntry& model) {
    const bool is_remote = !model.remote.empty();
    const auto file = is_remote ? std::nullopt : supervisor::file_identity(model.path);
    json.begin_object();
    json.key("id").value(model.name);
    json.key("object").value("model");
    json.key("created").value(file ? file->mtime_ns / kNsPerSecond : int64_t{0});
    json.key("owned_by").value(is_remote ? model.remote : "llmd");
    if (is_remote) {
        json.key("remote").value(model.remote).key("host").value(model.host).key("guarantees").begin_array();
        for (const std::string& guarantee : model.guarantees) json.value(guarantee);
        json.end_array().end_object();
        return;
    }
    json.key("architecture").value(model.architecture);
    json.key("quantization").value(model.quantization);
    json.key("size").value(model.size_bytes);
    json.key("context_length").value(model.n_ctx_train);
    if (model.error.empty() && !model.embeds) json.key("chat_family").value(model.chat_family);
    json.key("loaded").value(model.loaded);
    json.key("default").value(model.is_default);
    if (!model.error.empty()) json.key("error").value(model.error);
    json.end_object();
}

}  // namespace

std::string openai_model(const supervisor::ModelEntry& model) {
    JsonWriter json;
    write_model(json, model);
    return json.take();
}

std::string openai_models(const std::vector<supervisor::ModelEntry>& models) {
    JsonWriter json;
    json.begin_object().key("object").value("list").key("data").begin_array();
    for (const supervisor::ModelEntry& model : models) write_model(json, model);
    return json.end_array().end_object().take();
}

}  // namespace llmd::http
