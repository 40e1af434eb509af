// The honoured fields of the table (fields.h): each function reads the field `key` into a call. Pure; the first error
// is kept in the reader.
#pragma once

#include <string>
#include <string_view>

#include "api/call.h"
#include "api/field_reader.h"

namespace llmd::api {

using ReadField = void(FieldReader& reader, std::string_view key, Call& call);

// --- field_readers.cpp -----------------------------------------------------------------------------------------------

// One value
ReadField read_model_or_none, read_bus_model, read_handle_token, read_delivery, read_pipe_format, read_priority,
    read_deadline, read_keep_alive, read_system;
// Sampling, and how far
ReadField read_max_tokens, read_top_k, read_seed, read_repeat_last_n, read_logit_bias, read_adaptive_target, read_stops,
    read_stop_token_ids;
// Thinking
ReadField read_thinking, read_reasoning, read_template_arguments, read_reasoning_format;
// Prompts
ReadField read_completion_prompts, read_inputs, read_ollama_inputs, read_one_input, read_truncate, read_truncation,
    read_encoding;
// Choices and log-probabilities
ReadField read_n, read_best_of, read_completion_echo, read_completion_logprobs, read_chat_logprobs, read_top_logprobs,
    read_stream_options, read_include;
// Conversations and tools
ReadField read_chat_messages, read_ollama_messages, read_add_generation_prompt, read_continue_final_message,
    read_call_tools, read_call_tool_choice, read_bus_tool_choice;

// A model's name; Ollama's clients append ":latest" to one without a tag.
void read_model(FieldReader& reader, std::string_view key, std::string& out);
// The name of a model without Ollama's tag of the newest.
std::string_view without_latest(std::string_view name);

// --- answer_form.cpp -------------------------------------------------------------------------------------------------

// These say which form an answer is to have, in the spellings of OpenAI's two APIs, of Ollama, llama-server, vLLM and
// the bus: each sets GenerateRequest::json_schema, regex or choices. Two of these fields are an error that names both.
ReadField read_schema, read_regex, read_choices, read_format, read_text_form, read_ollama_format,
    read_structured_outputs;
// The JSON of a schema, or of tools. A number of more digits than JSON's readers keep becomes the nearest one that they
// keep: it is a bound that no answer reaches, or a default.
std::string schema_text(base::Value schema);
// Refuses a form beside which nothing can be called together with tools. `reader` is of the whole request, which has
// been read.
void check_form(FieldReader& reader, const Call& call);

// --- anthropic_fields.cpp: what Anthropic's messages spell as no other dialect ---------------------------------------

// Turns of user, assistant or system, whose content is a text or blocks. The results of tools in a turn of the user
// become messages of their own in front of what the user says; one with is_error begins with kToolError. Calls and
// thinking in a turn of the assistant become part of its message; thinking that another server has encrypted is left
// out. Neighbours of one role are one turn, whose texts are joined by an empty line. Images, documents and all other
// blocks are refused.
ReadField read_anthropic_messages;
inline constexpr std::string_view kToolError = "Error: ";  // which a template has no other place for
// A text, or blocks of text.
ReadField read_anthropic_system;
// An array of tools with `input_schema`. Those that Anthropic runs itself, or defines the schema of, are refused by
// their type.
ReadField read_anthropic_tools;
// {"type": auto, any, tool or none}, with the `name` of a tool and disable_parallel_tool_use.
ReadField read_anthropic_tool_choice;
// {"type": enabled, disabled, or what leaves it to the model}. A note says that no budget is kept.
ReadField read_anthropic_thinking;
// `effort`, which no model here has degrees of, and a `format` with a schema.
ReadField read_output_config;
// Says by a note that nothing of the conversation is dropped, whatever a server may drop.
ReadField read_context_management;

}  // namespace llmd::api
