// Values that llmd sends, under the names of the bus.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/value.h"

namespace llmd::client {

using base::Value;
using Dictionary = std::map<std::string, Value>;

// The vector of each text that was asked for, in their order.
struct Embeddings {
    std::vector<std::vector<float>> vectors;
    Dictionary info;  // their costs: model, prompt_tokens
};

// A key's value as a number or text; the fallback when it is absent or of another type.
uint64_t number_of(const Dictionary& dictionary, const std::string& key, uint64_t fallback = 0);
double real_of(const Dictionary& dictionary, const std::string& key, double fallback = 0);
bool flag_of(const Dictionary& dictionary, const std::string& key);
std::string text_of(const Dictionary& dictionary, const std::string& key);
std::vector<std::string> list_of(const Dictionary& dictionary, const std::string& key);
std::vector<Dictionary> dictionaries_of(const Dictionary& dictionary, const std::string& key);

// Appends an object, or an array of objects.
void write_json(base::JsonWriter& json, const Dictionary& dictionary);
void write_json(base::JsonWriter& json, const std::vector<Dictionary>& list);

}  // namespace llmd::client
