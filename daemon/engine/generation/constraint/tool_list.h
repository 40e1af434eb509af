// The tools of a request: OpenAI's `tools` and `tool_choice`.
// Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/chat/chat_message.h"
#include "engine/chat/tool.h"

namespace llmd::constraint {

inline constexpr size_t kQuotedBytes = 200;          // of a caller's text in a message
inline constexpr std::string_view kFieldEnd = ": ";  // between the field and the rest of a message

struct ToolList {
    std::vector<chat::Tool> tools;
    std::vector<std::string> left_out;  // a sentence for each tool that cannot be offered, which names the field
    std::string text;                   // the JSON array without those, for the template
};

// Reads a JSON array of OpenAI's tools, `{"type":"function","function":{name,description,parameters,strict}}` or, as
// /v1/responses has them, without the inner object. InvalidArgument names the field: `tools[3].function.name: ...`. The
// schemas of the parameters are compiled later (tool_grammar.h). One without a type gets `"type":"object"`, since
// arguments are an object. What is malformed in the schema of a tool that is not strict is mended (mended_schema.h);
// where that is not enough the tool becomes unconstrained. A tool that is malformed itself, or whose name another one
// has, is left out; it is an error if the tool is strict, is no function, or no other tool remains.
base::Result<ToolList> parse_tools(std::string_view json);

// Lets a tool take any object, whose properties may be those that are known of it already. `why` becomes its fault.
void unconstrain(chat::Tool& tool, std::string_view why);

struct ToolChoice {
    enum class Kind : uint8_t {
        None,      // nothing is a call
        Auto,      // text, calls, or text and then calls
        Required,  // at least one call and no text
        Named,     // as Required, of the tool `name`
    };
    Kind kind = Kind::Auto;
    std::string name;
    bool parallel = true;  // more than one call, if the syntax has that
};

}  // namespace llmd::constraint
