// A function that a model may call, as a request describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace llmd::chat {

inline constexpr size_t kMaxToolName = 128;  // bytes; OpenAI allows 64, the Model Context Protocol 128

// OpenAI allows letters, digits, '_' and '-'; the Model Context Protocol '.' too, and its gateways ':' and '/'. No
// syntax of calls needs one of these to end a name.
constexpr bool is_tool_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == ':' || c == '/';
}

// How ArgumentSyntax::Parameters spells the value of a parameter.
enum class ValueKind : uint8_t {
    Json,
    Text,        // a string, as it is
    TextOrNull,  // a string as it is, or null
};

struct ToolParameter {
    std::string name;  // UTF-8
    ValueKind kind = ValueKind::Json;
};

struct Tool {
    size_t place = 0;                       // in the request's list
    std::string name;                       // 1 to kMaxToolName bytes for which is_tool_name_byte() holds
    std::string definition;                 // the request's element of `tools`, as JSON without white space
    std::string parameters;                 // the JSON schema of the arguments; empty: it takes none
    bool strict = false;                    // a schema with an unsupported keyword is refused
    std::string fault = {};                 // of the schema as it came, where it had to be mended; empty: none
    std::vector<ToolParameter> properties;  // the properties of the schema, in its order
};

}  // namespace llmd::chat
