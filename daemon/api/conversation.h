// Conversations and tools, in the spellings of OpenAI's two APIs, of Ollama's and of the bus. Pure.
// As with every FieldReader, the first error is kept in the reader; it names the message or item by its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_reader.h"
#include "service/request.h"

namespace llmd::api {

// Turns and results of tools that are read of a conversation; those that say nothing are not among the kMaxMessages
// that it may have.
inline constexpr size_t kMaxTurnsRead = 4 * service::RequestLimits::kMaxMessages;

// This holds for a message of the user or the system without `content`; one that is null is empty. Ollama's Python
// package leaves out what is empty.
enum class MissingContent : uint8_t { Refused, IsEmpty };

// An array of messages: role (developer is system, function is tool), content (a text, null, or parts of which each is
// a text), and of the assistant tool_calls (an array, or its JSON as a text) and what it thought (thinking,
// reasoning_content, reasoning), or function_call, as older programs have it. A result says which call it is of by
// tool_call_id or by the tool's name, or by its place. Images and other media are refused. Whether the messages make a
// conversation is for the engine to say.
void read_messages(FieldReader& reader, std::string_view key, MissingContent missing,
                   std::vector<protocol::ChatMessage>& out);
// A text, or an array of parts of which each is a text, put together; absent or null, `out` stays as it is. Parts with
// what a model thought go to `thinking`, and are refused without it.
void read_content(FieldReader& reader, std::string_view key, std::string& out, std::string* thinking = nullptr);
// As read_content(), for the result of a tool: any other value, an array of other things too, is the JSON that it is.
void read_result(FieldReader& reader, std::string_view key, std::string& out);
// The id of a call, a text or a number.
void read_id(FieldReader& reader, std::string_view key, std::string& out);
// The arguments of a call as a JSON text: what came as one, whether it can be read or not, or what another value is
// written as; "{}" where there is nothing.
void read_arguments(FieldReader& reader, std::string_view key, std::string& out);
// OpenAI's `input`: a text, or items: messages, function_call, function_call_output and reasoning. Calls become part of
// the assistant's message before them.
void read_input_items(FieldReader& reader, std::string_view key, std::vector<protocol::ChatMessage>& out);
// An array of tools in OpenAI's form, or its JSON as a text, to GenerateRequest::tools. Functions whose fields stand
// beside `type`, as in responses, are taken too.
void read_tools(FieldReader& reader, std::string_view key, std::string& out);
// none, auto, required, or an object that names a function.
void read_tool_choice(FieldReader& reader, std::string_view key, service::GenerateRequest& out);

}  // namespace llmd::api
