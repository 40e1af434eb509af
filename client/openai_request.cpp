#include "client/openai_request.h"

#include <simdjson.h>

#include <cmath>
#include <utility>

#include "client/exit_code.h"
#include "service/request.h"

namespace llmd::client {
namespace {

const std::string kSystem = "system";
const std::string kEcho = "echo";
const std::string kJsonSchema = "json_schema";
const std::string kMaxTokens = "max_tokens";
const std::string kTools = "tools";
const std::string kThinking = "thinking";

[[noreturn]] void refuse(const std::string& key, const std::string& why) {
    constexpr std::string_view kName = "InvalidArgument";
    throw CommandError(exit_code_of(kName), key + ": " + why, std::string(kName));
}

// The JSON text of an option, which is pasted into the body: it must be one value, and nothing more.
std::string pasted(const Dictionary& options, const std::string& key, simdjson::dom::element_type type,
                   const std::string& wanted) {
    std::string text = text_of(options, key);
    simdjson::dom::parser parser;
    simdjson::dom::element element;
    if (const auto code = parser.parse(text).get(element)) {
        refuse(key, std::string("not JSON: ") + simdjson::error_message(code));
    }
    if (element.type() != type) refuse(key, "not " + wanted);
    return text;
}

// `json` is in the body's object, behind what is to be continued.
HttpRequest finish(const char* target, base::JsonWriter json, const Dictionary& options) {
    json.key("stream").value(true);
    json.key("stream_options").begin_object().key("include_usage").value(true).end_object();
    for (const auto& [key, value] : options) {
        if (key == kJsonSchema || key == kTools) continue;
        if (const auto* number = value.get<double>(); number && !std::isfinite(*number)) {
            refuse(key, "not a finite number");
        }
        write_json(json.key(key), value);
    }
    std::string body = json.take();
    using Type = simdjson::dom::element_type;
    if (options.contains(kJsonSchema)) {
        body += R"(,"response_format":{"type":"json_schema","json_schema":{"schema":)" +
                pasted(options, kJsonSchema, Type::OBJECT, "a JSON schema, which is an object") + "}}";
    }
    if (options.contains(kTools)) {
        body += R"(,"tools":)" + pasted(options, kTools, Type::ARRAY, "an array of tools");
    }
    return {"POST", target, body + '}'};
}

}  // namespace

HttpRequest completion_request(const std::string& prompt, const Dictionary& options) {
    if (options.contains(kSystem)) return chat_request({{{"role", "user"}, {"content", prompt}}}, options);
    base::JsonWriter json;
    json.begin_object().key("prompt").value(prompt);
    return finish("/v1/completions", std::move(json), options);
}

HttpRequest chat_request(std::vector<Dictionary> messages, Dictionary options) {
    if (flag_of(options, kEcho)) refuse(kEcho, "not with a conversation");
    if (const auto system = options.extract(kSystem)) {
        messages.insert(messages.begin(), {{"role", kSystem}, {"content", system.mapped()}});
    }
    if (const auto thinking = options.extract(kThinking)) {
        const bool is_on = *thinking.mapped().get<std::string>() == "on";
        options["chat_template_kwargs"] = Value::Object{{"enable_thinking", is_on}};
    }
    // OpenAI's conversations have a longer limit of their own.
    options.try_emplace(kMaxTokens, uint64_t{service::GenerateRequest::kDefaultMaxTokens});
    base::JsonWriter json;
    write_json(json.begin_object().key("messages"), messages);
    return finish("/v1/chat/completions", std::move(json), options);
}

HttpRequest embeddings_request(const std::vector<std::string>& texts, const Dictionary& options) {
    Dictionary fields = options;
    fields["input"] = texts;
    base::JsonWriter json;
    write_json(json, fields);
    return {"POST", "/v1/embeddings", json.take()};
}

}  // namespace llmd::client
