#include "client/json_reading.h"

#include "client/exit_code.h"

namespace llmd::client {

void malformed(std::string_view what) {
    throw CommandError(ExitCode::Failed, "the daemon's answer is malformed: " + std::string(what));
}

simdjson::dom::object parse_object(simdjson::dom::parser& parser, std::string_view text) {
    simdjson::dom::object object;
    if (parser.parse(text.data(), text.size()).get_object().get(object)) malformed("it is not a JSON object");
    return object;
}

std::string text_member(const simdjson::dom::object& object, const char* key) {
    std::string_view value;
    if (object[key].get_string().get(value)) malformed(std::string("no text in \"") + key + '"');
    return std::string(value);
}

std::string optional_text(const simdjson::dom::object& object, const char* key) {
    std::string_view value;
    return object[key].get_string().get(value) ? std::string() : std::string(value);
}

simdjson::dom::array array_member(const simdjson::dom::object& object, const char* key) {
    simdjson::dom::array value;
    if (object[key].get_array().get(value)) malformed(std::string("no array in \"") + key + '"');
    return value;
}

void copy_scalars(const simdjson::dom::object& object, Dictionary& out) {
    for (const auto [key, value] : object) {
        const std::string name(key);
        if (value.is_bool()) {
            out[name] = bool(value.get_bool().value_unsafe());
        } else if (value.is_uint64()) {  // also every non-negative int64
            out[name] = uint64_t(value.get_uint64().value_unsafe());
        } else if (value.is_int64()) {
            out[name] = int64_t(value.get_int64().value_unsafe());
        } else if (value.is_double()) {
            out[name] = double(value.get_double().value_unsafe());
        } else if (value.is_string()) {
            out[name] = std::string(value.get_string().value_unsafe());
        }
    }
}

void copy_texts(const simdjson::dom::object& object, const char* key, Dictionary& out) {
    simdjson::dom::array values;
    if (object[key].get_array().get(values)) return;
    std::vector<std::string> texts;
    for (const simdjson::dom::element value : values) {
        if (std::string_view text; !value.get_string().get(text)) texts.emplace_back(text);
    }
    out[key] = texts;
}

}  // namespace llmd::client
