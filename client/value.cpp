#include "client/value.h"

namespace llmd::client {
namespace {

template <typename T>
const T* find(const Dictionary& dictionary, const std::string& key) {
    const auto entry = dictionary.find(key);
    return entry == dictionary.end() ? nullptr : entry->second.get<T>();
}

}  // namespace

uint64_t number_of(const Dictionary& dictionary, const std::string& key, uint64_t fallback) {
    if (const auto* value = find<uint64_t>(dictionary, key)) return *value;
    if (const auto* value = find<int64_t>(dictionary, key))
        return *value < 0 ? fallback : static_cast<uint64_t>(*value);
    return fallback;
}

double real_of(const Dictionary& dictionary, const std::string& key, double fallback) {
    if (const auto* value = find<double>(dictionary, key)) return *value;
    if (const auto* value = find<int64_t>(dictionary, key)) return static_cast<double>(*value);
    if (const auto* value = find<uint64_t>(dictionary, key)) return static_cast<double>(*value);
    return fallback;
}

bool flag_of(const Dictionary& dictionary, const std::string& key) {
    const auto* value = find<bool>(dictionary, key);
    return value && *value;
}

std::string text_of(const Dictionary& dictionary, const std::string& key) {
    const auto* value = find<std::string>(dictionary, key);
    return value ? *value : std::string();
}

std::vector<std::string> list_of(const Dictionary& dictionary, const std::string& key) {
    std::vector<std::string> out;
    if (const auto* values = find<Value::Array>(dictionary, key)) {
        for (const Value& value : *values) {
            if (const auto* text = value.get<std::string>()) out.push_back(*text);
        }
    }
    return out;
}

std::vector<Dictionary> dictionaries_of(const Dictionary& dictionary, const std::string& key) {
    std::vector<Dictionary> out;
    if (const auto* values = find<Value::Array>(dictionary, key)) {
        for (const Value& value : *values) {
            const auto* object = value.get<Value::Object>();
            if (object == nullptr) continue;
            Dictionary& one = out.emplace_back();
            for (const Value::Member& member : *object) one.emplace(member.key, member.value);
        }
    }
    return out;
}

void write_json(base::JsonWriter& json, const Dictionary& dictionary) {
    json.begin_object();
    for (const auto& [key, value] : dictionary) write_json(json.key(key), value);
    json.end_object();
}

void write_json(base::JsonWriter& json, const std::vector<Dictionary>& list) {
    json.begin_array();
    for (const Dictionary& item : list) write_json(json, item);
    json.end_array();
}

}  // namespace llmd::client
