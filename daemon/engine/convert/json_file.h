// A JSON file of a model's directory: untrusted, read whole. Thread-bound.
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

// An object, with the file that it is from and where in it, for errors.
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

    // What is not there, or null, is absent.
    bool has(std::string_view key) const;
    // ModelLoadFailed names the key of what is absent without an `other`, of another type, or out of range.
    base::Result<uint32_t> number(std::string_view key, uint32_t least, uint32_t most,
                                  std::optional<uint32_t> other = std::nullopt) const;
    base::Result<float> real(std::string_view key, float least, float most,
                             std::optional<float> other = std::nullopt) const;
    base::Result<bool> boolean(std::string_view key, bool other) const;
    base::Result<std::string> text(std::string_view key, std::string_view other) const;
    // Nothing where it is absent.
    base::Result<std::optional<JsonObject>> object(std::string_view key) const;

private:
    // Nothing where it is absent.
    std::optional<simdjson::dom::element> find(std::string_view key) const;
    base::Error wrong_type(std::string_view key, std::string_view expected) const;

    simdjson::dom::object object_;
    std::string path_;
};

class JsonFile {
public:
    static constexpr size_t kMaxDepth = 64;
    // Of all but tokenizer.json: the longest, the index of a model's tensors, has a line for each.
    static constexpr uint64_t kMaxBytes = 16u << 20;

    // `text` is what the file at `path` holds. ModelLoadFailed when it is not one JSON object.
    static base::Result<JsonFile> parse(std::string_view text, const std::string& path);
    // ModelLoadFailed too when there is none, or it has more than `limit` bytes.
    static base::Result<JsonFile> open(const std::string& path, uint64_t limit = kMaxBytes);
    // Likewise, but of the members only those with one of the `keys` are looked at: tokenizer_config.json has numbers
    // that no integer type holds.
    static base::Result<JsonFile> open_some(const std::string& path, std::span<const std::string_view> keys);

    const JsonObject& root() const { return *root_; }

private:
    std::unique_ptr<simdjson::dom::parser> parser_;  // owns what the objects refer to
    std::optional<JsonObject> root_;
};

}  // namespace llmd::convert
