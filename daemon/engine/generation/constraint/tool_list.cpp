#include "engine/generation/constraint/tool_list.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/json_writer.h"
#include "constraint/json_schema.h"
#include "constraint/mended_schema.h"
#include "constraint/merged_schema.h"
#include "engine/generation/constraint/value_spelling.h"

namespace llmd::constraint {

using base::ErrorCode;
using base::fail;
using simdjson::SUCCESS;
using simdjson::dom::element;

namespace {

constexpr size_t kMaxDepthInList = kMaxSchemaDepth + 8;  // a schema and what is around it

// True if an object has the key and its value is not null.
bool has(simdjson::dom::object object, std::string_view key, element& value) {
    return object.at_key(key).get(value) == SUCCESS && !value.is_null();
}

// Reads one tool; the location is for messages.
class ToolReader {
public:
    explicit ToolReader(size_t place) : place_(place), at_(base::concat("tools[", place, "]")) {}

    base::Result<chat::Tool> read(element definition) {
        simdjson::dom::object object;
        element value;
        if (definition.get(object) != SUCCESS) return refuse(": ", as_told(definition), " is not an object");
        std::string_view type;
        if (has(object, "type", value) && (value.get(type) != SUCCESS || type != "function")) {
            is_binding_ = !type.empty();  // a tool that another server has
            return refuse(".type: ", as_told(value), " is not \"function\"");
        }
        simdjson::dom::object function = object;
        std::string field;
        if (has(object, "function", value)) {
            field = ".function";
            if (value.get(function) != SUCCESS) return refuse(field, ": ", as_told(value), " is not an object");
        } else if (!has(object, "name", value)) {
            return refuse(".function", " is missing");
        }
        chat::Tool tool;
        tool.place = place_;
        tool.definition = simdjson::minify(definition);
        if (has(function, "strict", value) && value.get(tool.strict) != SUCCESS) {
            return refuse(field, ".strict: ", as_told(value), " is not true or false");
        }
        is_binding_ = tool.strict;
        if (auto named = read_name(function, field + ".name", tool); !named) return named.error();
        if (has(function, "description", value) && !value.is_string()) {
            return refuse(field, ".description: ", as_told(value), " is not a string");
        }
        if (!has(function, "parameters", value)) return tool;
        field += ".parameters";
        const auto mended = tool.strict ? std::nullopt : mend_schema(value);
        simdjson::dom::parser parser;
        if (mended) {
            tool.fault = mended->fault;
            if (parser.parse(mended->text).get(value) != SUCCESS) return refuse(field, ": it is not JSON");
        }
        if (auto taken = read_parameters(value, field, tool); !taken) {
            if (tool.strict) return taken.error();
            unconstrain(tool,
                        std::string_view(taken.error().message).substr(at_.size() + field.size() + kFieldEnd.size()));
        }
        return tool;
    }

    // After read(): without this tool the request would not be what its caller means.
    bool is_binding() const { return is_binding_; }

private:
    template <typename... Parts>
    base::Error refuse(const Parts&... parts) const {
        return fail(ErrorCode::InvalidArgument, at_, parts...);
    }

    base::Result<void> read_name(simdjson::dom::object function, const std::string& field, chat::Tool& tool) const {
        element value;
        std::string_view name;
        if (!has(function, "name", value)) return refuse(field, " is missing");
        if (value.get(name) != SUCCESS) return refuse(field, ": ", as_told(value), " is not a string");
        if (name.empty() || name.size() > chat::kMaxToolName ||
            !std::all_of(name.begin(), name.end(), chat::is_tool_name_byte)) {
            return refuse(field, ": ", base::in_quotes(name, kQuotedBytes), " is not 1 to ", chat::kMaxToolName,
                          " letters, digits and _-.:/");
        }
        tool.name = name;
        return {};
    }

    base::Result<void> read_parameters(element schema, const std::string& field, chat::Tool& tool) const {
        simdjson::dom::object object;
        if (schema.get(object) != SUCCESS) return refuse(field, ": ", as_told(schema), " is not an object");
        const SchemaKeywords keywords(object, "#");
        if (keywords.has(Keyword::Type) && keywords.types() != std::optional<uint8_t>(kObject)) {
            return refuse(field, ": at \"#\": type: ", as_told(*keywords[Keyword::Type]), " is not \"object\"");
        }
        std::string text = simdjson::minify(schema);
        if (text.size() > kMaxSchemaBytes) {
            return refuse(field, ": ", text.size(), " bytes are more than ", kMaxSchemaBytes);
        }
        std::set<std::string_view> names;
        size_t n_merges = 0;
        simdjson::dom::object properties;
        simdjson::dom::array required;
        const auto& listed = keywords[Keyword::Properties];
        if (listed && listed->get(properties) == SUCCESS) {
            for (const auto& [name, property] : properties) {
                if (!names.insert(name).second) {
                    return refuse(field, ": at \"#/properties\": ", base::in_quotes(name, kQuotedBytes),
                                  " comes twice");
                }
                tool.properties.push_back({std::string(name), value_kind(value_parts(property, schema, n_merges))});
            }
        }
        if (const auto& given = keywords[Keyword::Required]; given && given->get(required) == SUCCESS) {
            std::string_view name;
            for (const element one : required) {
                if (one.get(name) == SUCCESS && names.insert(name).second)
                    tool.properties.push_back({std::string(name)});
            }
        }
        if (names.size() > kMaxProperties)
            return refuse(field, ": at \"#\": more than ", kMaxProperties, " properties");
        // An object without properties is what tools without parameters have, and not one of any properties.
        const bool is_free = keywords.has(Keyword::Type) && !keywords.has(Keyword::Properties);
        const bool says_more = is_free || !keywords.unknown.empty() || keywords.twice ||
                               keywords.besides({Keyword::Type, Keyword::Properties}) ||
                               (listed && !listed->is_object());
        if (tool.properties.empty() && !says_more) return {};
        tool.parameters = std::move(text);
        if (!keywords.has(Keyword::Type)) tool.parameters.insert(1, R"("type":"object",)");
        return {};
    }

    size_t place_;
    std::string at_;
    bool is_binding_ = false;
};

// The definitions of the tools as a JSON array.
std::string text_of(const std::vector<chat::Tool>& tools) {
    std::string text = "[";
    for (const chat::Tool& tool : tools) {
        if (text.size() > 1) text += ',';
        text += tool.definition;
    }
    return text += ']';
}

}  // namespace

void unconstrain(chat::Tool& tool, std::string_view why) {
    tool.fault = base::concat(why, "; any object is taken");
    tool.parameters = R"({"type":"object"})";
    tool.properties.resize(std::min(tool.properties.size(), kMaxProperties));
    for (chat::ToolParameter& property : tool.properties) property.kind = chat::ValueKind::Json;
}

base::Result<ToolList> parse_tools(std::string_view json) {
    if (json.size() > chat::kMaxToolsBytes) {
        return fail(ErrorCode::InvalidArgument, "tools: ", json.size(), " bytes are more than ", chat::kMaxToolsBytes);
    }
    simdjson::dom::parser parser;
    simdjson::dom::array listed;
    element root;
    auto error = parser.allocate(std::max<size_t>(json.size(), 64), kMaxDepthInList);
    if (error == SUCCESS) error = parser.parse(json.data(), json.size()).get(root);
    if (error != SUCCESS) {
        return fail(ErrorCode::InvalidArgument, "tools: it is not JSON that nests at most ", kMaxDepthInList,
                    " deep: ", simdjson::error_message(error));
    }
    if (root.get(listed) != SUCCESS) return fail(ErrorCode::InvalidArgument, "tools: it is not an array");
    if (listed.size() > chat::kMaxTools) {
        return fail(ErrorCode::InvalidArgument, "tools: ", listed.size(), " are more than ", chat::kMaxTools);
    }
    ToolList list;
    std::set<std::string> names;
    std::optional<base::Error> first_fault;
    size_t place = 0;
    for (const element one : listed) {
        ToolReader reader(place);
        auto tool = reader.read(one);
        if (tool && !names.insert(tool->name).second) {
            tool =
                fail(ErrorCode::InvalidArgument, "tools[", place, "].function.name: \"", tool->name, "\" comes twice");
        }
        ++place;
        if (tool) {
            list.tools.push_back(std::move(*tool));
            continue;
        }
        if (reader.is_binding()) return tool.error();
        list.left_out.push_back(base::concat(tool.error().message, "; the tool is left out"));
        if (!first_fault) first_fault = tool.error();
    }
    if (list.tools.empty() && first_fault) return *first_fault;
    list.text = list.left_out.empty() ? std::string(json) : text_of(list.tools);
    return list;
}

}  // namespace llmd::constraint
