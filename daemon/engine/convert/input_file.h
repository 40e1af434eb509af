// The files of a model that is converted: an InputFile with random access, and a JsonFile that is read as a whole. All
// of them are untrusted.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::convert {

// Immutable: may be read from any thread.
class InputFile {
public:
    // ModelLoadFailed if there is none or it is not a regular file. A FIFO does not block.
    static base::Result<InputFile> open(const std::string& path);

    const std::string& path() const { return path_; }
    uint64_t size() const { return size_; }
    // Returns ModelLoadFailed with the path before the parts.
    template <typename... Parts>
    base::Error fail(const Parts&... parts) const {
        return base::fail(base::ErrorCode::ModelLoadFailed, path_, ": ", parts...);
    }
    // Fills `out` from byte `at` on. ModelLoadFailed if the file ends before.
    base::Result<void> read_bytes(uint64_t at, std::span<std::byte> out) const;
    template <typename T, size_t Extent>
    base::Result<void> read(uint64_t at, std::span<T, Extent> out) const {
        return read_bytes(at, std::as_writable_bytes(out));
    }
    // Reads the whole file. ModelLoadFailed if it has more than `limit` bytes.
    base::Result<std::string> read_text(uint64_t limit) const;

private:
    InputFile() = default;

    std::string path_;
    base::UniqueFd fd_;
    uint64_t size_ = 0;
};

// A JSON object with its file and path for error messages. Thread-bound.
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

// Thread-bound.
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
