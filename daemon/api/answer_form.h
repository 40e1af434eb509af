// The fields that say which form an answer is to have, in the spellings of OpenAI's two APIs, of Ollama, llama-server,
// vLLM and the bus: each sets GenerateRequest::json_schema. Pure; the first error is kept in the reader.
#pragma once

#include <string>
#include <string_view>

#include "api/call.h"
#include "api/field_reader.h"

namespace llmd::api {

// The JSON of a schema, or of tools. A number of more digits than JSON's readers keep becomes the nearest one that they
// keep: it is a bound that no answer reaches, or a default.
std::string schema_text(const base::Value& schema);

void read_schema(FieldReader& reader, std::string_view key, Call& call);
void read_format(FieldReader& reader, std::string_view key, Call& call);
void read_text_form(FieldReader& reader, std::string_view key, Call& call);
void read_ollama_format(FieldReader& reader, std::string_view key, Call& call);
void read_structured_outputs(FieldReader& reader, std::string_view key, Call& call);

}  // namespace llmd::api
