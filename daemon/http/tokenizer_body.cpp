#include "http/tokenizer_body.h"

#include "api/field_readers.h"
#include "api/fields.h"
#include "base/json_writer.h"
#include "base/utf8.h"

namespace llmd::http {

namespace {

void write_piece(base::JsonWriter& json, std::string_view piece) {
    if (base::is_clean_text(piece)) {
        json.value(piece);
        return;
    }
    json.begin_array();
    for (const char byte : piece) json.value(uint64_t{static_cast<unsigned char>(byte)});
    json.end_array();
}

}  // namespace

base::Result<TokenizeBody> parse_tokenize(std::string_view body) {
    const auto json = api::parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    TokenizeBody out;
    api::read_model(reader, "model", out.model);
    reader.text("content", out.content);
    reader.boolean("add_special", out.add_special);
    reader.boolean("with_pieces", out.with_pieces);
    reader.refuse_unless_no("parse_special");
    if (!reader.find("content")) reader.refuse("content", "it is missing");
    if (reader.error()) return *reader.error();
    return out;
}

base::Result<DetokenizeBody> parse_detokenize(std::string_view body) {
    const auto json = api::parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    DetokenizeBody out;
    api::read_model(reader, "model", out.model);
    reader.ids("tokens", out.tokens);
    if (!reader.find("tokens")) reader.refuse("tokens", "it is missing");
    if (reader.error()) return *reader.error();
    return out;
}

std::string tokenized_json(const protocol::Tokenized& tokenized) {
    base::JsonWriter json;
    json.begin_object().key("tokens").begin_array();
    const bool has_pieces = tokenized.pieces.size() == tokenized.ids.size();
    for (size_t i = 0; i < tokenized.ids.size(); ++i) {
        if (!has_pieces) {
            json.value(int64_t{tokenized.ids[i]});
            continue;
        }
        json.begin_object().key("id").value(int64_t{tokenized.ids[i]}).key("piece");
        write_piece(json, tokenized.pieces[i]);
        json.end_object();
    }
    return json.end_array().end_object().take();
}

std::string detokenized_json(std::string_view text) {
    base::JsonWriter json;
    return json.begin_object().key("content").value(text).end_object().take();
}

std::string rendered_json(std::string_view text) {
    base::JsonWriter json;
    return json.begin_object().key("prompt").value(text).end_object().take();
}

}  // namespace llmd::http
