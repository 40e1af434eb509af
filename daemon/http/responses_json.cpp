#include "http/responses_json.h"

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

constexpr std::string_view kInProgress = "in_progress";
constexpr std::string_view kCompleted = "completed";
constexpr std::string_view kIncomplete = "incomplete";
constexpr std::string_view kFailed = "failed";

// An item of the output.
struct Item {
    enum class Kind : uint8_t { Reasoning, Summary, Message, Call };
    Kind kind;
    std::string id;
    std::string call_id = {};                         // of a call
    std::string name = {};                            // likewise
    std::string text = {};                            // of a call its arguments
    std::vector<api::AlignedLogprobs> logprobs = {};  // of a message
    std::string_view status = kInProgress;
};

void write_text(JsonWriter& json, std::string_view key, const std::optional<std::string>& text) {
    json.key(key);
    text ? json.value(*text) : json.null();
}

// A reasoning item, which holds all that was thought or calls that a summary, and a message have one part.
void write_part(JsonWriter& json, const Item& item) {
    const char* type = "output_text";
    if (item.kind == Item::Kind::Reasoning) type = "reasoning_text";
    if (item.kind == Item::Kind::Summary) type = "summary_text";
    json.begin_object().key("type").value(type).key("text").value(item.text);
    if (item.kind == Item::Kind::Message) {
        json.key("annotations").begin_array().end_array();
        api::write_token_logprobs(json.key("logprobs"), item.logprobs);
    }
    json.end_object();
}

// Where it is in progress it is shown as it began.
void write_item(JsonWriter& json, const Item& item) {
    const bool begins = item.status == kInProgress;
    json.begin_object();
    json.key("id").value(item.id);
    if (item.kind == Item::Kind::Call) {
        json.key("type").value("function_call").key("status").value(item.status);
        json.key("call_id").value(item.call_id).key("name").value(item.name);
        json.key("arguments").value(begins ? "" : item.text);
    } else {
        if (item.kind == Item::Kind::Message) {
            json.key("type").value("message").key("status").value(item.status).key("role").value("assistant");
        } else {
            json.key("type").value("reasoning").key("status").value(item.status);
            if (item.kind == Item::Kind::Reasoning) json.key("summary").begin_array().end_array();
        }
        json.key(item.kind == Item::Kind::Summary ? "summary" : "content").begin_array();
        if (!begins) write_part(json, item);
        json.end_array();
    }
    json.end_object();
}

void write_usage(JsonWriter& json, const Outcome& outcome) {
    const uint64_t input = outcome.prompt_tokens;
    const uint64_t output = outcome.generated_tokens;
    json.begin_object();
    json.key("input_tokens").value(input);
    json.key("input_tokens_details").begin_object();
    // Nobody pays for what is kept.
    json.key("cached_tokens").value(outcome.cached_tokens).key("cache_write_tokens").value(uint64_t{0});
    json.end_object();
    json.key("output_tokens").value(output);
    json.key("output_tokens_details").begin_object();
    json.key("reasoning_tokens").value(outcome.thinking_tokens);
    json.end_object();
    json.key("total_tokens").value(input + output);
    json.end_object();
}

// Returns one of the codes that a response's error may have.
std::string_view response_error_code(const base::Error& error) {
    const unsigned status = api::error_row(error.code).http_status;
    return status == 400 ? "invalid_prompt" : status == 429 ? "rate_limit_exceeded" : "server_error";
}

class ResponsesFormat final : public BodyFormat {
public:
    ResponsesFormat(ResponsesEcho echo, std::function<uint32_t()> n_ctx)
        : echo_(std::move(echo)), n_ctx_(std::move(n_ctx)) {}

    const char* stream_type() const override { return "text/event-stream"; }

    std::string begin(const AnswerHead& head) override {
        head_ = head;
        key_ = api::answer_key(head.created, head.id);
        const std::string created = response_event("response.created", kInProgress);
        return created + response_event("response.in_progress", kInProgress);
    }

    std::string text(size_t, std::string_view text, Logprobs logprobs) override {
        std::string out = go_on_with(Item::Kind::Message);
        Item& item = items_.back();
        item.text += text;
        item.logprobs.insert(item.logprobs.end(), logprobs.begin(), logprobs.end());
        return out + part_event("response.output_text.delta", [&](JsonWriter& json) {
                   json.key("delta").value(text);
                   api::write_token_logprobs(json.key("logprobs"), logprobs);
               });
    }

    std::string thinking(size_t, std::string_view text) override {
        std::string out = go_on_with(echo_.wants_summary ? Item::Kind::Summary : Item::Kind::Reasoning);
        items_.back().text += text;
        return out + part_event(echo_.wants_summary ? "response.reasoning_summary_text.delta"
                                                    : "response.reasoning_text.delta",
                                [&](JsonWriter& json) { json.key("delta").value(text); });
    }

    std::string call_begin(size_t, size_t, const api::AnswerCall& call) override {
        std::string out = close(kCompleted);
        items_.push_back({Item::Kind::Call, id_of("fc_", items_.size()), call.id, call.name});
        return out + item_event("response.output_item.added");
    }

    std::string call_arguments(size_t, size_t, std::string_view fragment) override {
        items_.back().text += fragment;
        return place_event("response.function_call_arguments.delta",
                           [&](JsonWriter& json) { json.key("delta").value(fragment); });
    }

    std::string call_end(size_t, size_t, const api::AnswerCall& call) override {
        return close(call.is_cut ? kIncomplete : kCompleted);
    }

    std::string end_choice(size_t, const Outcome& outcome, Logprobs logprobs) override {
        // Clients look for an item.
        std::string out = items_.empty() ? go_on_with(Item::Kind::Message) : "";
        if (is_open()) {
            auto& all = items_.back().logprobs;
            all.insert(all.end(), logprobs.begin(), logprobs.end());
        }
        return out + close(is_complete(outcome.finish) ? kCompleted : kIncomplete);
    }

    std::string end(const std::vector<Choice>& choices) override {
        const Outcome& outcome = choices.front().outcome;
        return response_event(is_complete(outcome.finish) ? "response.completed" : "response.incomplete",
                              status_of(outcome), &outcome);
    }

    std::string failure(const base::Error& error, const Choice&) override {
        if (is_open()) items_.back().status = kIncomplete;
        std::string out = event("error", [&](JsonWriter& json) {
            json.key("code").value(api::error_row(error.code).openai_code);
            json.key("message").value(error.message);
            json.key("param").null();
        });
        return out + response_event("response.failed", kFailed, nullptr, &error);
    }

    std::string whole(const AnswerHead& head, const std::vector<Choice>& choices) override {
        const Choice& choice = choices.front();
        (void)begin(head);
        if (!choice.thinking.empty()) (void)thinking(0, choice.thinking);
        if (!choice.text.empty()) (void)text(0, choice.text, choice.logprobs);
        for (const api::AnswerCall& call : choice.calls) {
            (void)call_begin(0, 0, call);
            (void)call_arguments(0, 0, call.arguments);
            (void)call_end(0, 0, call);
        }
        (void)end_choice(0, choice.outcome, {});
        JsonWriter json;
        write_response(json, status_of(choice.outcome), &choice.outcome, nullptr);
        return json.take();
    }

    Reply refusal(const base::Error& error, uint32_t prompt_tokens) override {
        return error_reply(error, api::openai_error(error, {prompt_tokens, n_ctx_()}));
    }

private:
    static std::string_view status_of(const Outcome& outcome) {
        return is_complete(outcome.finish) ? kCompleted : kIncomplete;
    }
    std::string id_of(std::string_view kind, size_t index) const { return base::concat(kind, key_, '_', index); }
    bool is_open() const { return !items_.empty() && items_.back().status == kInProgress; }

    // --- Events, of the last item where they are of one ---
    template <typename Fill>
    std::string event(std::string_view type, const Fill& fill) {
        JsonWriter json;
        json.begin_object().key("type").value(type).key("sequence_number").value(sequence_++);
        fill(json);
        return base::concat("event: ", type, "\ndata: ", json.end_object().take(), "\n\n");
    }
    template <typename Fill>
    std::string place_event(std::string_view type, const Fill& fill) {
        return event(type, [&](JsonWriter& json) {
            json.key("item_id").value(items_.back().id).key("output_index").value(uint64_t{items_.size() - 1});
            fill(json);
        });
    }
    template <typename Fill>
    std::string part_event(std::string_view type, const Fill& fill) {
        return place_event(type, [&](JsonWriter& json) {
            json.key(items_.back().kind == Item::Kind::Summary ? "summary_index" : "content_index").value(uint64_t{0});
            fill(json);
        });
    }
    std::string item_event(std::string_view type) {
        return event(type, [&](JsonWriter& json) {
            json.key("output_index").value(uint64_t{items_.size() - 1});
            write_item(json.key("item"), items_.back());
        });
    }
    std::string response_event(std::string_view type, std::string_view status, const Outcome* outcome = nullptr,
                               const base::Error* error = nullptr) {
        return event(type, [&](JsonWriter& json) { write_response(json.key("response"), status, outcome, error); });
    }

    // Opens an item of that kind, if the last one is none that goes on.
    std::string go_on_with(Item::Kind kind) {
        if (is_open() && items_.back().kind == kind) return {};
        std::string out = close(kCompleted);
        items_.push_back({kind, id_of(kind == Item::Kind::Message ? "msg_" : "rs_", items_.size())});
        out += item_event("response.output_item.added");
        return out + part_event(kind == Item::Kind::Summary ? "response.reasoning_summary_part.added"
                                                            : "response.content_part.added",
                                [&](JsonWriter& json) { write_part(json.key("part"), items_.back()); });
    }
    // Does nothing when none is open.
    std::string close(std::string_view status) {
        if (!is_open()) return {};
        Item& item = items_.back();
        item.status = status;
        std::string out;
        switch (item.kind) {
            case Item::Kind::Message:
                out = part_event("response.output_text.done", [&](JsonWriter& json) {
                    json.key("text").value(item.text);
                    api::write_token_logprobs(json.key("logprobs"), item.logprobs);
                });
                break;
            case Item::Kind::Reasoning:
            case Item::Kind::Summary:
                out = part_event(item.kind == Item::Kind::Summary ? "response.reasoning_summary_text.done"
                                                                  : "response.reasoning_text.done",
                                 [&](JsonWriter& json) { json.key("text").value(item.text); });
                break;
            case Item::Kind::Call:
                // Who takes the arguments from this event takes them for whole.
                if (status == kCompleted) {
                    out = place_event("response.function_call_arguments.done", [&](JsonWriter& json) {
                        json.key("name").value(item.name).key("arguments").value(item.text);
                    });
                }
                break;
        }
        if (item.kind != Item::Kind::Call) {
            out += part_event(item.kind == Item::Kind::Summary ? "response.reasoning_summary_part.done"
                                                               : "response.content_part.done",
                              [&](JsonWriter& json) { write_part(json.key("part"), item); });
        }
        return out + item_event("response.output_item.done");
    }

    // `outcome` at its end, `error` where it has failed.
    void write_response(JsonWriter& json, std::string_view status, const Outcome* outcome,
                        const base::Error* error) const {
        json.begin_object();
        json.key("id").value("resp_" + key_);
        json.key("object").value("response");
        json.key("created_at").value(int64_t{std::chrono::system_clock::to_time_t(head_.created)});
        json.key("status").value(status);
        json.key("background").value(false);
        json.key("error");
        if (error != nullptr) {
            json.begin_object().key("code").value(response_error_code(*error));
            json.key("message").value(error->message).end_object();
        } else {
            json.null();
        }
        json.key("incomplete_details");
        if (status == kIncomplete) {
            // OpenAI has no deadlines, so no word for them.
            const bool is_late = outcome->finish == Finish::Timeout;
            json.begin_object().key("reason").value(is_late ? "timeout" : "max_output_tokens").end_object();
        } else {
            json.null();
        }
        write_text(json, "instructions", echo_.instructions);
        json.key("max_output_tokens");
        echo_.max_output_tokens ? json.value(*echo_.max_output_tokens) : json.null();
        json.key("max_tool_calls").null();
        json.key("metadata").json(echo_.metadata);
        json.key("model").value(head_.model);
        json.key("output").begin_array();
        for (const Item& item : items_) write_item(json, item);
        json.end_array();
        if (outcome != nullptr) api::write_notes(json, outcome->notes);
        json.key("parallel_tool_calls").value(echo_.parallel_tool_calls);
        json.key("previous_response_id").null();
        json.key("reasoning").json(echo_.reasoning);
        json.key("store").value(false);
        json.key("temperature").value(echo_.temperature);
        json.key("text").json(echo_.text);
        json.key("tool_choice").json(echo_.tool_choice);
        json.key("tools").json(echo_.tools);
        json.key("top_logprobs").value(echo_.top_logprobs);
        json.key("top_p").value(echo_.top_p);
        json.key("truncation").value("disabled");
        json.key("usage");
        outcome != nullptr ? write_usage(json, *outcome) : void(json.null());
        write_text(json, "user", echo_.user);
        json.end_object();
    }

    const ResponsesEcho echo_;
    const std::function<uint32_t()> n_ctx_;
    AnswerHead head_;
    std::string key_;  // see api::answer_key()
    std::vector<Item> items_;
    uint64_t sequence_ = 0;
};

}  // namespace

ResponsesEcho responses_echo(const base::Value::Object& body, const api::Call& call) {
    ResponsesEcho echo;
    const auto take_json = [&](std::string_view key, std::string& out) {
        const base::Value* value = base::find(body, key);
        if (value && !value->is_null()) out = base::json_text(*value);
    };
    const auto take_text = [&](std::string_view key, std::optional<std::string>& out) {
        const base::Value* value = base::find(body, key);
        if (const auto* text = value ? value->get<std::string>() : nullptr) out = *text;
    };
    take_text("instructions", echo.instructions);
    take_text("user", echo.user);
    take_json("metadata", echo.metadata);
    take_json("reasoning", echo.reasoning);
    take_json("text", echo.text);
    take_json("tool_choice", echo.tool_choice);
    take_json("tools", echo.tools);
    const base::Value* reasoning = base::find(body, "reasoning");
    if (const auto* asked = reasoning ? reasoning->get<base::Value::Object>() : nullptr) {
        const base::Value* summary = base::find(*asked, "summary");
        if (!summary) summary = base::find(*asked, "generate_summary");
        echo.wants_summary = summary && summary->is<std::string>();
    }
    const base::Value* most = base::find(body, "max_output_tokens");
    if (most && !most->is_null()) echo.max_output_tokens = call.request.max_tokens;
    echo.parallel_tool_calls = call.request.parallel_tool_calls;
    echo.temperature = call.request.sampling.temperature;
    echo.top_p = call.request.sampling.top_p;
    return echo;
}

std::unique_ptr<BodyFormat> make_responses_format(ResponsesEcho echo, std::function<uint32_t()> n_ctx) {
    return std::make_unique<ResponsesFormat>(std::move(echo), std::move(n_ctx));
}

}  // namespace llmd::http
