#include "api/sent_names.h"

#include "base/error.h"

namespace llmd::api {

std::string SentNames::in(std::string_view message) const {
    const SentNames engine;
    const size_t tool_end = message.starts_with("tools[") ? message.find(']') : std::string_view::npos;
    if (tool_end != std::string_view::npos) {
        const std::string_view tool = message.substr(0, tool_end + 1);
        std::string_view rest = message.substr(tool.size());
        if (!rest.starts_with(engine.function)) return std::string(message);
        rest.remove_prefix(engine.function.size());
        const bool is_schema = rest.starts_with(engine.parameters);
        if (is_schema) rest.remove_prefix(engine.parameters.size());
        return base::concat(tool, function, is_schema ? parameters : std::string_view(), rest);
    }
    const bool is_schema = message.starts_with(engine.schema) && message.substr(engine.schema.size()).starts_with(':');
    return is_schema ? base::concat(schema, message.substr(engine.schema.size())) : std::string(message);
}

}  // namespace llmd::api
