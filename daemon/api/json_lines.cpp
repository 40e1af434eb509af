#include "api/json_lines.h"

#include "api/info.h"
#include "base/json_writer.h"

namespace llmd::api {

namespace {

using base::JsonWriter;
using service::Outcome;

class JsonLines final : public AnswerFormat {
public:
    std::string begin(const AnswerHead& head) override {
        head_ = &head;
        return {};
    }
    std::string text(size_t, std::string_view text, Logprobs logprobs) override {
        JsonWriter json = line();
        json.key("text").value(text);
        if (!logprobs.empty()) write_token_logprobs(json.key("logprobs"), logprobs);
        return end_of(json);
    }
    std::string thinking(size_t, std::string_view text) override {
        JsonWriter json = line();
        json.key("thinking").value(text);
        return end_of(json);
    }
    std::string call_end(size_t, size_t number, const AnswerCall& call) override {
        JsonWriter json = line();
        json.key("tool_call").begin_object();
        json.key("id").value(call.id);
        json.key("index").value(uint64_t{number});
        json.key("name").value(call.name);
        json.key("arguments").value(call.arguments);
        if (call.is_cut) json.key("cut").value(true);
        json.end_object();
        return end_of(json);
    }
    std::string end_choice(size_t choice, const Outcome& outcome, Logprobs logprobs) override {
        std::string out = logprobs.empty() ? std::string() : text(choice, {}, logprobs);
        JsonWriter json;
        json.begin_object().key("done").value(true);
        json.key("finish_reason").value(service::finish_name(outcome.finish));
        json.key("usage").begin_object();
        write_info(json, outcome);
        write_notes(json, all_notes(*head_, outcome));
        json.end_object();
        return out + end_of(json);
    }
    std::string end(const std::vector<Choice>&) override { return {}; }
    std::string failure(const base::Error& error, const Choice& failed) override {
        // Here a request that was cancelled has ended like any other.
        if (!failed.outcome.error) return end_choice(0, failed.outcome, failed.logprobs);
        std::string out = failed.logprobs.empty() ? std::string() : text(0, {}, failed.logprobs);
        JsonWriter json;
        json.begin_object().key("error").begin_object();
        json.key("name").value(base::error_name(error.code));
        json.key("message").value(error.message);
        json.end_object();
        return out + end_of(json);
    }

private:
    JsonWriter line() {
        JsonWriter json;
        json.begin_object().key("seq").value(seq_++);
        return json;
    }
    static std::string end_of(JsonWriter& json) { return json.end_object().take() + '\n'; }

    const AnswerHead* head_ = nullptr;
    uint64_t seq_ = 0;
};

class PlainText final : public AnswerFormat {
public:
    std::string begin(const AnswerHead&) override { return {}; }
    std::string text(size_t, std::string_view text, Logprobs) override { return std::string(text); }
    std::string end_choice(size_t, const Outcome&, Logprobs) override { return {}; }
    std::string end(const std::vector<Choice>&) override { return {}; }
    std::string failure(const base::Error&, const Choice&) override { return {}; }
};

}  // namespace

std::unique_ptr<AnswerFormat> make_json_lines() {
    return std::make_unique<JsonLines>();
}

std::unique_ptr<AnswerFormat> make_plain_text() {
    return std::make_unique<PlainText>();
}

}  // namespace llmd::api
