// The fields that say which form an answer is to have, in the spellings of OpenAI's two APIs, of Ollama, llama-server,
// vLLM and the bus: each sets GenerateRequest::json_schema, regex or choices. The first error is kept in the reader;
// two of these fields together are one, which names both. Pure.
#pragma once

#include <string_view>

#include "api/call.h"
#include "api/field_reader.h"

namespace llmd::api {

void read_schema(FieldReader& reader, std::string_view key, Call& call);
void read_regex(FieldReader& reader, std::string_view key, Call& call);
void read_choices(FieldReader& reader, std::string_view key, Call& call);
void read_format(FieldReader& reader, std::string_view key, Call& call);
void read_text_form(FieldReader& reader, std::string_view key, Call& call);
void read_ollama_format(FieldReader& reader, std::string_view key, Call& call);
void read_structured_outputs(FieldReader& reader, std::string_view key, Call& call);
// Refuses a form beside which nothing can be called together with tools. `reader` is of the whole request, which has
// been read.
void check_form(FieldReader& reader, const Call& call);

}  // namespace llmd::api
