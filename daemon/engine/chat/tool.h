// A function that a model may call, as a request describes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace llmd::chat {

// How ArgumentForm::Parameters spells the value of a parameter.
enum class ValueForm : uint8_t {
    Json,
    Text,        // a string, as it is
    TextOrNull,  // a string as it is, or null
};

struct ToolParameter {
    std::string name;  // UTF-8
    ValueForm form = ValueForm::Json;
};

struct Tool {
    std::string name;
    std::string definition;                 // the request's element of `tools`, as JSON without white space
    std::string parameters;                 // the JSON schema of the arguments; empty: it takes none
    bool strict = false;                    // a schema with an unsupported keyword is refused
    std::vector<ToolParameter> properties;  // the properties of the schema, in its order
};

}  // namespace llmd::chat
