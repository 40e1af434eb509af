#include "http/tokenizer_body.h"

#include "api/field_readers.h"
#include "api/fields.h"
#include "base/json_writer.h"

namespace llmd::http {

base::Result<TokenizeBody> parse_tokenize(std::string_view body) {
    const auto json = api::parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    TokenizeBody out;
    api::read_model(reader, out.model);
    reader.text("content", out.content);
    if (!reader.find("content")) reader.refuse("content", "it is missing");
    if (reader.error()) return *reader.error();
    return out;
}

base::Result<DetokenizeBody> parse_detokenize(std::string_view body) {
    const auto json = api::parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    DetokenizeBody out;
    api::read_model(reader, out.model);
    reader.ids("tokens", out.tokens);
    if (!reader.find("tokens")) reader.refuse("tokens", "it is missing");
    if (reader.error()) return *reader.error();
    return out;
}

std::string tokenized_json(const std::vector<int32_t>& ids) {
    base::JsonWriter json;
    json.begin_object().key("tokens").begin_array();
    for (const int32_t id : ids) json.value(int64_t{id});
    return json.end_array().end_object().take();
}

std::string detokenized_json(std::string_view text) {
    base::JsonWriter json;
    return json.begin_object().key("content").value(text).end_object().take();
}

}  // namespace llmd::http
