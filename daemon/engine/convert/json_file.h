// A JSON file of a model's directory. It is untrusted and read as a whole. Thread-bound.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace llmd::convert {

// A JSON object with its file and path for error messages.
class JsonObject {
public:
    JsonObject(simdjson::dom::object object, std::string path) : object_(object), path_(std::move(path)) {}

    // "config.json: rope_scaling"
    const std::string& path() const { return path_; }
    simdjson::dom::object raw() const { return object_; }
    template <typename... Parts>
    base::Error fail(const Parts&... parts) const {
        return base::fail(base::ErrorCode::ModelLoadFailed, path_, ": ", parts...);
    }

    // A value of null counts as absent.
    bool has(std::string_view key) const;
    // Each returns `other` for an absent key. ModelLoadFailed names a key that is absent without an `other`, of another
    // type, or out of range.
    base::Result<uint32_t> number(std::string_view key, uint32_t least, uint32_t most,
                                  std::optional<uint32_t> other = std::nullopt) const;
    base::Result<float> real(std::string_view key, float least, float most,
                             std::optional<float> other = std::nullopt) const;
    base::Result<bool> boolean(std::string_view key, bool other) const;
    base::Result<std::string> text(std::string_view key, std::string_view other) const;
    // Returns nothing if the key is absent.
    base::Result<std::optional<JsonObject>> object(std::string_view key) const;

private:
    // Returns nothing if the key is absent.
    std::optional<simdjson::dom::element> find(std::string_view key) const;
    base::Error wrong_type(std::string_view key, std::string_view expected) const;

    simdjson::dom::object object_;
    std::string path_;
};

class JsonFile {
public:
    static constexpr size_t kMaxDepth = 64;
    // The limit of all files but tokenizer.json. The longest one, the index of a model's tensors, has a line for each.
    static constexpr uint64_t kMaxBytes = 16u << 20;

    // Parses `text`, the content of the file at `path`. ModelLoadFailed if it is not one JSON object.
    static base::Result<JsonFile> parse(std::string_view text, const std::string& path);
    // Reads and parses a file. ModelLoadFailed also if there is none or it has more than `limit` bytes.
    static base::Result<JsonFile> open(const std::string& path, uint64_t limit = kMaxBytes);
    // Does the same but skips all members except those with one of the `keys`: tokenizer_config.json has numbers that
    // no integer type holds.
    static base::Result<JsonFile> open_some(const std::string& path, std::span<const std::string_view> keys);

    const JsonObject& root() const { return *root_; }

private:
    std::unique_ptr<simdjson::dom::parser> parser_;  // owns what the objects refer to
    std::optional<JsonObject> root_;
};

}  // namespace llmd::convert
