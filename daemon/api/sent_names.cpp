#include "api/sent_names.h"

#include <algorithm>
#include <iterator>

namespace llmd::api {

namespace {

constexpr std::string_view kForms[] = {"json_schema", "regex", "choices"};

}  // namespace

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
    const std::string_view field = message.substr(0, message.find(':'));
    const bool is_form = !form.empty() && field.size() < message.size() &&
                         std::find(std::begin(kForms), std::end(kForms), field) != std::end(kForms);
    return is_form ? base::concat(form, message.substr(field.size())) : std::string(message);
}

base::Error SentNames::in(base::Error error) const {
    error.message = in(std::string_view(error.message));
    return error;
}

}  // namespace llmd::api
