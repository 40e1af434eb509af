// The daemon's JSON. All of these throw CommandError(Failed) when it is not what the format allows.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "client/value.h"

namespace llmd::client {

// "the daemon's answer is malformed: `what`"
[[noreturn]] void malformed(std::string_view what);

// `text`, which must be one object. It lives until `parser` reads the next.
simdjson::dom::object parse_object(simdjson::dom::parser& parser, std::string_view text);

// A member that must be there.
std::string text_member(const simdjson::dom::object& object, const char* key);
simdjson::dom::array array_member(const simdjson::dom::object& object, const char* key);

// The text of a member that need not be there; empty where it is not, or is no text.
std::string optional_text(const simdjson::dom::object& object, const char* key);

// Copies the scalars of `object`; nested values and null are left out.
void copy_scalars(const simdjson::dom::object& object, Dictionary& out);
// Copies the texts of a member that is an array; nothing where it is none.
void copy_texts(const simdjson::dom::object& object, const char* key, Dictionary& out);

}  // namespace llmd::client
