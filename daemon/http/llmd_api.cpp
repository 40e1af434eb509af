// llmd's own calls below /llmd/: what the bus has and no other API of HTTP. What org.llmd.Llmd1.Admin
// refuses to programs in a sandbox is refused to them here, and to what comes through the bridge (Api::Endpoint).
#include "api/bus_options.h"
#include "api/fields.h"
#include "api/json_lines.h"
#include "api/listing.h"
#include "base/json_writer.h"
#include "http/api.h"
#include "http/embeddings_json.h"

namespace llmd::http {

namespace {

Reply list_reply(std::string_view name, const std::vector<std::vector<api::StatusValue>>& rows) {
    base::JsonWriter json;
    json.begin_object().key(name).begin_array();
    for (const auto& row : rows) write_values(json, row);
    return json_reply(json.end_array().end_object().take());
}

Reply requests_reply(const std::vector<service::RequestSnapshot>& requests) {
    std::vector<std::vector<api::StatusValue>> rows;
    for (const auto& request : requests) rows.push_back(api::request_values(request));
    return list_reply("requests", rows);
}

// The pipe format "ndjson" as a body.
class LinesFormat final : public BodyFormat {
public:
    const char* stream_type() const override { return "application/x-ndjson"; }
    std::string begin(const AnswerHead& head) override { return lines_->begin(head); }
    std::string text(size_t choice, std::string_view text, Logprobs logprobs) override {
        return lines_->text(choice, text, logprobs);
    }
    std::string thinking(size_t choice, std::string_view text) override { return lines_->thinking(choice, text); }
    std::string call_end(size_t choice, size_t number, const api::AnswerCall& call) override {
        return lines_->call_end(choice, number, call);
    }
    std::string end_choice(size_t choice, const service::Outcome& outcome, Logprobs logprobs) override {
        return lines_->end_choice(choice, outcome, logprobs);
    }
    std::string end(const std::vector<Choice>& choices) override { return lines_->end(choices); }
    std::string failure(const base::Error& error, const Choice& failed) override {
        return lines_->failure(error, failed);
    }
    std::string whole(const AnswerHead&, const std::vector<Choice>&) override { return {}; }  // it is always a stream
    Reply refusal(const base::Error& error, uint32_t) override { return refuse(error); }

private:
    const std::unique_ptr<api::AnswerFormat> lines_ = api::make_json_lines();
};

Reply done_reply(const base::Result<void>& done) {
    if (!done) return refuse(done.error());
    return json_reply(R"({"status":"ok"})");
}

}  // namespace

void Api::get_llmd_models(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    list_models(request, [exchange, caller = request.caller](const std::vector<supervisor::ModelEntry>& models) {
        std::vector<std::vector<api::StatusValue>> rows;
        for (const auto& model : models) rows.push_back(api::model_values(api::model_for(model, caller)));
        exchange->reply(list_reply("models", rows));
    });
}

void Api::post_llmd_stream(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto call = api::read_own_call(request.body);
    if (!call) return exchange->reply(done_reply(call.error()));
    generate(exchange, request, std::move(*call), std::make_unique<LinesFormat>(), api::AnswerMode::StreamNow);
}

void Api::post_llmd_embed(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto call = api::read_own_embedding(request.body);
    if (!call) return exchange->reply(done_reply(call.error()));
    generate(exchange, request, std::move(*call), make_llmd_embed_format());
}

void Api::get_llmd_requests(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    exchange->reply(requests_reply(api::requests_for(service_, request.caller)));
}

void Api::get_llmd_own_requests(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto requests = service_.requests();
    std::erase_if(requests, [&](const auto& one) { return one.caller.name != request.caller.name; });
    exchange->reply(requests_reply(requests));
}

void Api::post_llmd_cancel_all(const std::shared_ptr<Exchange>& exchange, const Request&) {
    service_.cancel_all();
    exchange->reply(done_reply({}));
}

void Api::post_llmd_load(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    const auto body = api::parse_body(request.body);
    if (!body) return exchange->reply(done_reply(body.error()));
    api::FieldReader reader(*body->get<base::Value::Object>());
    std::string model;
    reader.text("model", model);
    if (reader.error()) return exchange->reply(done_reply(*reader.error()));
    service_.load_model(model, [exchange](const auto& done) { exchange->reply(done_reply(done)); });
}

void Api::post_llmd_unload(const std::shared_ptr<Exchange>& exchange, const Request&) {
    service_.unload_model({}, [exchange](const auto& done) { exchange->reply(done_reply(done)); });
}

void Api::post_llmd_reload(const std::shared_ptr<Exchange>& exchange, const Request&) {
    service_.reload();
    exchange->reply(done_reply({}));
}

}  // namespace llmd::http
