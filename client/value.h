// A D-Bus value without D-Bus: what a{sv} holds, and how `--json` prints it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/json_writer.h"

namespace llmd::client {

using Value = std::variant<bool, int64_t, uint64_t, double, std::string, std::vector<std::string>>;
using Dictionary = std::map<std::string, Value>;

// A key's value as a number or text; the fallback when it is absent or of another type.
uint64_t number_of(const Dictionary& dictionary, const std::string& key, uint64_t fallback = 0);
double real_of(const Dictionary& dictionary, const std::string& key, double fallback = 0);
bool flag_of(const Dictionary& dictionary, const std::string& key);
std::string text_of(const Dictionary& dictionary, const std::string& key);
std::vector<std::string> list_of(const Dictionary& dictionary, const std::string& key);

// Appends the value, an object, or an array of objects.
void write_json(base::JsonWriter& json, const Value& value);
void write_json(base::JsonWriter& json, const Dictionary& dictionary);
void write_json(base::JsonWriter& json, const std::vector<Dictionary>& list);

}  // namespace llmd::client
