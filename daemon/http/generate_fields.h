// The fields that the bodies of generation requests have in common, whichever program's API they follow, beside those
// of api/sampling_fields.h. Pure.
// As with every FieldReader, the first error is kept in the reader.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_reader.h"
#include "service/request.h"

namespace llmd::http {

// Where an API lets the model write until it ends by itself: far longer than answers are, and yet an end for a model
// that finds none.
inline constexpr uint32_t kDefaultAnswerTokens = 1024;

// InvalidArgument unless `body` is one JSON object.
base::Result<base::Value> parse_body(std::string_view body);

// model. Ollama's clients append ":latest" to a name without a tag.
void read_model(api::FieldReader& reader, std::string& out);
// stop
void read_stops(api::FieldReader& reader, std::vector<std::string>& out);
// seed; -1 is none, as clients of both APIs mean it.
void read_seed_or_none(api::FieldReader& reader, std::optional<uint64_t>& out);
// priority
void read_priority(api::FieldReader& reader, service::Priority& out);
// messages; absent is an error, empty as well.
void read_messages(api::FieldReader& reader, std::vector<protocol::ChatMessage>& out);
// `schema`, found at `key`, as GenerateRequest::json_schema holds it.
void read_schema(api::FieldReader& reader, std::string_view key, const base::Value& schema, std::string& out);

using service::Prompt;

// The prompts at `key`, 1 to `most`: a text, an array of texts, one of token ids, or one of such arrays. What the first
// element is, all must be.
void read_prompts(api::FieldReader& reader, const std::string& key, size_t most, std::vector<Prompt>& out);

// What is not offered and would change the answer: each must be absent, or say no (null, false, 0, empty).
void refuse_fields(api::FieldReader& reader, std::initializer_list<std::string_view> keys);

// The schema of "any JSON object".
inline constexpr std::string_view kAnyObjectSchema = R"({"type":"object"})";

}  // namespace llmd::http
