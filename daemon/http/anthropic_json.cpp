#include "http/anthropic_json.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/errors.h"
#include "api/info.h"
#include "base/json_writer.h"

namespace llmd::http {

namespace {

using base::JsonWriter;
using service::Finish;
using service::Outcome;

constexpr std::string_view kArticle = "the ";

std::string_view stop_reason(const Outcome& outcome) {
    if (outcome.finish == Finish::ToolCalls) return "tool_use";
    if (outcome.finish != Finish::Stop) return "max_tokens";  // a deadline cuts too, and has no word of its own
    return outcome.stop.empty() ? "end_turn" : "stop_sequence";
}

void write_end(JsonWriter& json, const Outcome& outcome) {
    json.key("stop_reason").value(stop_reason(outcome)).key("stop_sequence");
    outcome.stop.empty() ? json.null() : json.value(outcome.stop);
}

// Anthropic counts apart what was read from a cache; nobody pays for what is written to it.
void write_usage(JsonWriter& json, uint32_t n_prompt, uint32_t n_cached, uint32_t n_output) {
    json.key("usage").begin_object();
    json.key("input_tokens").value(n_prompt - std::min(n_cached, n_prompt));
    json.key("cache_creation_input_tokens").value(uint64_t{0}).key("cache_read_input_tokens").value(n_cached);
    json.key("output_tokens").value(n_output);
    json.end_object();
}

void write_usage(JsonWriter& json, const Outcome& outcome) {
    write_usage(json, outcome.prompt_tokens, outcome.cached_tokens, outcome.generated_tokens);
}

// Writes what stands before the content.
void write_head(JsonWriter& json, const AnswerHead& head) {
    json.key("id").value("msg_" + api::answer_key(head.created, head.id));
    json.key("type").value("message").key("role").value("assistant").key("model").value(head.model);
}

void write_text_block(JsonWriter& json, std::string_view text) {
    json.begin_object().key("type").value("text").key("text").value(text).end_object();
}

// Nothing is signed: the thinking is sent as it is.
void write_thinking_block(JsonWriter& json, std::string_view thinking) {
    json.begin_object().key("type").value("thinking").key("thinking").value(thinking);
    json.key("signature").value("").end_object();
}

void write_call_block(JsonWriter& json, const api::AnswerCall& call, std::string_view input) {
    json.begin_object().key("type").value("tool_use").key("id").value(call.id).key("name").value(call.name);
    json.key("input").json(input).end_object();
}

// One server-sent event.
template <typename Fill>
std::string event(std::string_view type, const Fill& fill) {
    JsonWriter json;
    json.begin_object().key("type").value(type);
    fill(json);
    return base::concat("event: ", type, "\ndata: ", json.end_object().take(), "\n\n");
}

std::string_view error_type(unsigned status) {
    switch (status) {
        case 401:
            return "authentication_error";
        case 403:
            return "permission_error";
        case 404:
            return "not_found_error";
        case 413:
            return "request_too_large";
        case 429:
            return "rate_limit_error";
        case 503:
            return "overloaded_error";
        case 504:
            return "timeout_error";
        default:
            return status < 500 ? "invalid_request_error" : "api_error";
    }
}

void write_error(JsonWriter& json, const base::Error& error, unsigned status) {
    std::string_view message = error.message;
    // Clients know by the message's beginning, "prompt is too long", that they have to shorten it.
    if (error.code == base::ErrorCode::ContextExceeded && message.starts_with(kArticle)) {
        message.remove_prefix(kArticle.size());
    }
    json.key("error").begin_object();
    json.key("type").value(error_type(status)).key("message");
    json.value(message);
    json.key("details").begin_object();
    json.key("error_code").value(api::error_row(error.code).openai_code);
    json.end_object().end_object();
}

class AnthropicFormat final : public BodyFormat {
public:
    const char* stream_type() const override { return "text/event-stream"; }

    std::string begin(const AnswerHead& head) override {
        return event("message_start", [&](JsonWriter& json) {
            json.key("message").begin_object();
            write_head(json, head);
            json.key("content").begin_array().end_array();
            json.key("stop_reason").null().key("stop_sequence").null();
            write_usage(json, head.prompt_tokens, 0, 0);
            json.end_object();
        });
    }

    std::string text(size_t, std::string_view text, Logprobs) override {
        if (text.empty()) return {};
        const std::string begun = go_on_with(Block::Text);
        return begun + delta("text_delta", "text", text);
    }

    std::string thinking(size_t, std::string_view text) override {
        const std::string begun = go_on_with(Block::Thinking);
        return begun + delta("thinking_delta", "thinking", text);
    }

    std::string call_begin(size_t, size_t, const api::AnswerCall& call) override {
        const std::string before = close();
        return before + open(Block::Call, [&](JsonWriter& json) { write_call_block(json, call, "{}"); });
    }

    std::string call_arguments(size_t, size_t, std::string_view fragment) override {
        return delta("input_json_delta", "partial_json", fragment);
    }

    std::string call_end(size_t, size_t, const api::AnswerCall&) override { return close(); }

    std::string end_choice(size_t, const Outcome&, Logprobs) override {
        // Clients take the first block.
        const std::string begun = n_blocks_ == 0 ? go_on_with(Block::Text) : "";
        return begun + close();
    }

    std::string end(const std::vector<Choice>& choices) override {
        const Outcome& outcome = choices.front().outcome;
        const std::string ending = event("message_delta", [&](JsonWriter& json) {
            json.key("delta").begin_object();
            write_end(json, outcome);
            json.end_object();
            write_usage(json, outcome);
            api::write_notes(json, outcome.notes);
        });
        return ending + event("message_stop", [](JsonWriter&) {});
    }

    std::string failure(const base::Error& error, const Choice&) override {
        return event("error",
                     [&](JsonWriter& json) { write_error(json, error, api::error_row(error.code).http_status); });
    }

    std::string whole(const AnswerHead& head, const std::vector<Choice>& choices) override {
        const Choice& choice = choices.front();
        const auto is_whole = [](const api::AnswerCall& call) { return !call.is_cut; };
        const bool has_calls = std::any_of(choice.calls.begin(), choice.calls.end(), is_whole);
        JsonWriter json;
        json.begin_object();
        write_head(json, head);
        json.key("content").begin_array();
        if (!choice.thinking.empty()) write_thinking_block(json, choice.thinking);
        if (!choice.text.empty() || (choice.thinking.empty() && !has_calls)) write_text_block(json, choice.text);
        for (const api::AnswerCall& call : choice.calls) {
            if (is_whole(call)) write_call_block(json, call, call.arguments);
        }
        json.end_array();
        write_end(json, choice.outcome);
        write_usage(json, choice.outcome);
        api::write_notes(json, choice.outcome.notes);
        return json.end_object().take();
    }

    Reply refusal(const base::Error& error, uint32_t) override { return anthropic_error(error); }

private:
    enum class Block : uint8_t { None, Text, Thinking, Call };

    template <typename Write>
    std::string open(Block block, const Write& write) {
        open_ = block;
        ++n_blocks_;
        return block_event("content_block_start", [&](JsonWriter& json) { write(json.key("content_block")); });
    }
    // Opens a block of that kind, if the last one is none that goes on.
    std::string go_on_with(Block block) {
        if (open_ == block) return {};
        const std::string before = close();
        const auto write = block == Block::Text ? write_text_block : write_thinking_block;
        return before + open(block, [&](JsonWriter& json) { write(json, ""); });
    }
    // Does nothing when none is open.
    std::string close() {
        if (std::exchange(open_, Block::None) == Block::None) return {};
        return block_event("content_block_stop", [](JsonWriter&) {});
    }

    // --- Events of the last block ---
    std::string delta(std::string_view type, std::string_view key, std::string_view text) const {
        return block_event("content_block_delta", [&](JsonWriter& json) {
            json.key("delta").begin_object().key("type").value(type).key(key).value(text).end_object();
        });
    }
    template <typename Fill>
    std::string block_event(std::string_view type, const Fill& fill) const {
        return event(type, [&](JsonWriter& json) {
            json.key("index").value(n_blocks_ - 1);
            fill(json);
        });
    }

    Block open_ = Block::None;
    uint64_t n_blocks_ = 0;
};

}  // namespace

std::unique_ptr<BodyFormat> make_anthropic_format() {
    return std::make_unique<AnthropicFormat>();
}

Reply anthropic_error(const base::Error& error) {
    return anthropic_error(error, api::error_row(error.code).http_status);
}

Reply anthropic_error(const base::Error& error, unsigned status) {
    JsonWriter json;
    json.begin_object().key("type").value("error");
    write_error(json, error, status);
    Reply reply = error_reply(error, json.end_object().take());
    reply.status = status;
    return reply;
}

std::string anthropic_count(uint32_t n_tokens) {
    JsonWriter json;
    return json.begin_object().key("input_tokens").value(n_tokens).end_object().take();
}

}  // namespace llmd::http
