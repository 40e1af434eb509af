// The honoured fields of the table (fields.h): each function reads the field `key` into a call. Pure; the first error
// is kept in the reader.
#pragma once

#include <string>
#include <string_view>

#include "api/call.h"
#include "api/field_reader.h"

namespace llmd::api {

// --- One value -------------------------------------------------------------------------------------------------------
void read_model_or_none(FieldReader& reader, std::string_view key, Call& call);
void read_bus_model(FieldReader& reader, std::string_view key, Call& call);
void read_handle_token(FieldReader& reader, std::string_view key, Call& call);
void read_max_tokens(FieldReader& reader, std::string_view key, Call& call);
void read_top_k(FieldReader& reader, std::string_view key, Call& call);
void read_seed(FieldReader& reader, std::string_view key, Call& call);
void read_repeat_last_n(FieldReader& reader, std::string_view key, Call& call);
void read_logit_bias(FieldReader& reader, std::string_view key, Call& call);
void read_stops(FieldReader& reader, std::string_view key, Call& call);
void read_stop_token_ids(FieldReader& reader, std::string_view key, Call& call);
void read_delivery(FieldReader& reader, std::string_view key, Call& call);
void read_pipe_format(FieldReader& reader, std::string_view key, Call& call);
void read_priority(FieldReader& reader, std::string_view key, Call& call);
void read_deadline(FieldReader& reader, std::string_view key, Call& call);
void read_system(FieldReader& reader, std::string_view key, Call& call);

// --- Thinking --------------------------------------------------------------------------------------------------------
void read_thinking(FieldReader& reader, std::string_view key, Call& call);
void read_reasoning(FieldReader& reader, std::string_view key, Call& call);
void read_template_arguments(FieldReader& reader, std::string_view key, Call& call);
void read_reasoning_format(FieldReader& reader, std::string_view key, Call& call);

// --- Prompts ---------------------------------------------------------------------------------------------------------
void read_completion_prompts(FieldReader& reader, std::string_view key, Call& call);
void read_inputs(FieldReader& reader, std::string_view key, Call& call);
void read_ollama_inputs(FieldReader& reader, std::string_view key, Call& call);
void read_one_input(FieldReader& reader, std::string_view key, Call& call);
void read_truncate(FieldReader& reader, std::string_view key, Call& call);
void read_truncation(FieldReader& reader, std::string_view key, Call& call);
void read_encoding(FieldReader& reader, std::string_view key, Call& call);

// --- Choices and log-probabilities -----------------------------------------------------------------------------------
void read_n(FieldReader& reader, std::string_view key, Call& call);
void read_best_of(FieldReader& reader, std::string_view key, Call& call);
void read_completion_echo(FieldReader& reader, std::string_view key, Call& call);
void read_completion_logprobs(FieldReader& reader, std::string_view key, Call& call);
void read_chat_logprobs(FieldReader& reader, std::string_view key, Call& call);
void read_top_logprobs(FieldReader& reader, std::string_view key, Call& call);
void read_stream_options(FieldReader& reader, std::string_view key, Call& call);

// --- Conversations and tools -----------------------------------------------------------------------------------------
void read_chat_messages(FieldReader& reader, std::string_view key, Call& call);
void read_ollama_messages(FieldReader& reader, std::string_view key, Call& call);
void read_add_generation_prompt(FieldReader& reader, std::string_view key, Call& call);
void read_continue_final_message(FieldReader& reader, std::string_view key, Call& call);
void read_call_tools(FieldReader& reader, std::string_view key, Call& call);
void read_call_tool_choice(FieldReader& reader, std::string_view key, Call& call);
void read_bus_tool_choice(FieldReader& reader, std::string_view key, Call& call);
void read_adaptive_target(FieldReader& reader, std::string_view key, Call& call);
void read_include(FieldReader& reader, std::string_view key, Call& call);

// A model's name; Ollama's clients append ":latest" to one without a tag.
void read_model(FieldReader& reader, std::string_view key, std::string& out);
// The name of a model without Ollama's tag of the newest.
std::string_view without_latest(std::string_view name);
void read_keep_alive(FieldReader& reader, std::string_view key, Call& call);

}  // namespace llmd::api
