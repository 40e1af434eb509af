#include "constraint/mended_schema.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "constraint/json_schema.h"
#include "constraint/schema_keywords.h"

namespace llmd::constraint {

using base::JsonWriter;
using simdjson::SUCCESS;
using simdjson::dom::element;

namespace {

// The words of Python, JavaScript, Java, Rust and of OpenAPI's older generators.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"int", "integer"},   {"long", "integer"},   {"int32", "integer"}, {"int64", "integer"}, {"float", "number"},
    {"double", "number"}, {"decimal", "number"}, {"str", "string"},    {"text", "string"},   {"bool", "boolean"},
    {"list", "array"},    {"tuple", "array"},    {"dict", "object"},   {"map", "object"},    {"none", "null"},
};
constexpr std::array<std::string_view, 4> kBounds = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"};
constexpr std::array<std::string_view, 6> kCounts = {"minLength", "maxLength",     "minItems",
                                                     "maxItems",  "minProperties", "maxProperties"};
constexpr std::array<std::string_view, 2> kTexts = {"pattern", "format"};
constexpr std::array<std::string_view, 2> kFlags = {"uniqueItems", "nullable"};

bool is_one_of(std::string_view key, const auto& keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// The name of the JSON type that is meant; empty: of none.
std::string_view type_meant(std::string_view name, std::string& lower) {
    lower.assign(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (type_bits(lower) != 0) return lower;
    for (const auto& [other, meant] : kOtherNames) {
        if (other == lower) return meant;
    }
    return {};
}

bool is_count(element value) {
    double count = 0;
    return value.get(count) == SUCCESS && count >= 0 && count == std::floor(count);
}

bool is_above_0(element value) {
    double number = 0;
    return value.get(number) == SUCCESS && number > 0;
}

// Whether the value of a keyword is of the kind that the keyword needs.
bool is_of_kind(std::string_view key, element value) {
    const bool is_flag = key.starts_with("exclusive") && value.is_bool();  // draft 4 has such
    if (is_one_of(key, kBounds)) return is_flag || value.is_number();
    if (is_one_of(key, kCounts)) return is_count(value);
    if (is_one_of(key, kTexts)) return value.is_string();
    if (is_one_of(key, kFlags)) return value.is_bool();
    return key != "multipleOf" || is_above_0(value);
}

class Mender {
public:
    explicit Mender(element root) : root_(root) {}

    void schema(element value, const std::string& at) {
        simdjson::dom::object object;
        const bool is_root = at == "#";
        if (value.is_bool() && !is_root) return raw(value);
        if (value.get(object) != SUCCESS) return no_schema(value, at);
        open_.push_back({value, at});
        members(object, at, is_root);
        open_.pop_back();
    }

    bool has_changed() const { return has_changed_; }
    std::string fault() const { return fault_; }
    std::string take() { return json_.take(); }

private:
    struct Open {
        element schema;
        std::string at;
    };

    // An empty array is what PHP writes for an empty object: a tool that takes nothing.
    void no_schema(element value, const std::string& at) {
        bool is_any = false;
        note(at, as_told(value), " is not a schema");
        json_.begin_object();
        if (at == "#" && (value.is_string() || (value.get(is_any) == SUCCESS && is_any))) {
            json_.key("type").value("object");
        }
        json_.end_object();
    }

    void members(simdjson::dom::object object, const std::string& at, bool is_root) {
        const auto listed = object["items"];
        const bool is_tuple = listed.error() == SUCCESS && listed.is_array();
        has_changed_ |= is_tuple;
        json_.begin_object();
        bool has_type = false;
        std::set<std::string_view> keys;
        for (const auto& [key, member] : object) {
            if (!keys.insert(key).second) {
                note(at, in_quotes(key), " comes twice");
            } else if (key == "type") {
                has_type = type(member, at, is_root);
            } else if (is_tuple && key == "items") {
                list("prefixItems", member, at);
            } else if (is_tuple && key == "additionalItems") {
                schema_member("items", member, at);
            } else {
                keyword(key, member, at);
            }
        }
        if (is_root && !has_type) json_.key("type").value("object");
        json_.end_object();
    }

    template <typename... Parts>
    void note(const std::string& at, const Parts&... parts) {
        has_changed_ = true;
        if (fault_.empty()) fault_ = base::concat("at ", base::in_quotes(at), ": ", parts...);
    }
    void raw(element value) { json_.json(simdjson::minify(value)); }

    void keyword(std::string_view key, element value, const std::string& at) {
        const Holds kind = held_by(key);
        const bool is_list = kind == Holds::List || kind == Holds::Alternatives;
        simdjson::dom::array values;
        const bool is_array = value.get(values) == SUCCESS;
        if (kind == Holds::Map) {
            value.is_object() ? map(key, value, at) : note(at, key, ": ", as_told(value), " is not an object");
        } else if (kind == Holds::Schema) {
            const bool is_schema = value.is_object() || value.is_bool();
            is_schema ? schema_member(key, value, at) : note(at, key, ": ", as_told(value), " is not a schema");
        } else if (is_list || key == "enum") {
            if (!is_array || (values.size() == 0 && kind != Holds::List)) {
                return note(at, key, ": ", as_told(value), " is not an array that holds something");
            }
            if (is_list) return list(key, value, at);
            json_.key(key);
            raw(value);
        } else if (key == "required") {
            required(value, at);
        } else if (key == "$ref") {
            reference(value, at);
        } else if (!is_of_kind(key, value)) {
            note(at, key, ": ", as_told(value), " is no value of this keyword");
        } else {
            json_.key(key);
            raw(value);
        }
    }

    // Whether a type was written.
    bool type(element value, const std::string& at, bool is_root) {
        std::string lower;
        std::string_view name;
        if (value.get(name) == SUCCESS) {
            const std::string_view meant = type_meant(name, lower);
            if (meant != name || (is_root && meant != "object"))
                note(at, "type: ", as_told(value), " is no JSON type here");
            if (meant.empty() || (is_root && meant != "object")) return false;
            json_.key("type").value(meant);
            return true;
        }
        simdjson::dom::array names;
        if (value.get(names) == SUCCESS && names.size() > 0 && !is_root) {
            const bool are_types = std::all_of(names.begin(), names.end(), [&](element one) {
                std::string_view text;
                return one.get(text) == SUCCESS && type_bits(text) != 0;
            });
            if (are_types) {
                json_.key("type");
                raw(value);
                return true;
            }
        }
        note(at, "type: ", as_told(value), " is no JSON type here");
        return false;
    }

    void required(element value, const std::string& at) {
        simdjson::dom::array names;
        const bool is_array = value.get(names) == SUCCESS;
        const bool are_texts =
            is_array && std::all_of(names.begin(), names.end(), [](element one) { return one.is_string(); });
        if (!are_texts) return note(at, "required: ", as_told(value), " is not an array of strings");
        json_.key("required");
        raw(value);
    }

    // A schema that was written for itself and put into another one names what is in it.
    void reference(element value, const std::string& at) {
        std::string_view ref;
        const bool is_text = value.get(ref) == SUCCESS;
        if (is_text && resolve(ref, root_)) {
            json_.key("$ref").value(ref);
            return;
        }
        const auto meant =
            std::find_if(open_.rbegin(), open_.rend(), [&](const Open& one) { return resolve(ref, one.schema); });
        if (!is_text || meant == open_.rend()) {
            return note(at, "$ref: ", as_told(value), " names nothing in this schema");
        }
        has_changed_ = true;
        json_.key("$ref").value(meant->at + std::string(ref.substr(1)));
    }

    void schema_member(std::string_view key, element value, const std::string& at) {
        json_.key(key);
        schema(value, path_within(at, key));
    }
    void map(std::string_view key, element value, const std::string& at) {
        simdjson::dom::object members;
        if (value.get(members) != SUCCESS) return;
        json_.key(key).begin_object();
        const std::string path = path_within(at, key);
        std::set<std::string_view> names;
        for (const auto& [name, member] : members) {
            if (!names.insert(name).second) {
                note(path, in_quotes(name), " comes twice");
                continue;
            }
            json_.key(name);
            schema(member, path_within(path, name));
        }
        json_.end_object();
    }
    void list(std::string_view key, element value, const std::string& at) {
        simdjson::dom::array members;
        if (value.get(members) != SUCCESS) return;
        json_.key(key).begin_array();
        size_t i = 0;
        for (const element one : members) schema(one, path_within(path_within(at, key), std::to_string(i++)));
        json_.end_array();
    }

    const element root_;
    std::vector<Open> open_;  // the schemas around the one that is written, and it
    JsonWriter json_;
    bool has_changed_ = false;
    std::string fault_;
};

}  // namespace

std::optional<MendedSchema> mend_schema(element schema) {
    if (nests_deeper(schema, kMaxSchemaDepth)) return std::nullopt;  // which is refused
    Mender mender(schema);
    mender.schema(schema, "#");
    if (!mender.has_changed()) return std::nullopt;
    return MendedSchema{mender.take(), mender.fault()};
}

}  // namespace llmd::constraint
