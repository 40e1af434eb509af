#include "engine/convert/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "engine/model/gguf.h"

namespace llmd::convert {

using base::ErrorCode;
using base::Result;
using simdjson::SUCCESS;
namespace dom = simdjson::dom;

Result<InputFile> InputFile::open(const std::string& path) {
    InputFile input;
    input.path_ = path;
    input.fd_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat info = {};
    if (!input.fd_ || ::fstat(input.fd_.get(), &info) != 0) {
        return base::fail_errno(ErrorCode::ModelLoadFailed, path, errno);
    }
    if (!S_ISREG(info.st_mode)) return input.fail("is not a regular file");
    input.size_ = static_cast<uint64_t>(info.st_size);
    return input;
}

Result<void> InputFile::read_bytes(uint64_t at, std::span<std::byte> out) const {
    while (!out.empty()) {
        const ssize_t n = ::pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return base::fail_errno(ErrorCode::ModelLoadFailed, path_, errno);
        if (n == 0) return fail("ends at byte ", at, ", in the middle of a value");
        out = out.subspan(static_cast<size_t>(n));
        at += static_cast<uint64_t>(n);
    }
    return {};
}

Result<std::string> InputFile::read_text(uint64_t limit) const {
    if (size_ > limit) return fail("has ", size_, " bytes, more than ", limit);
    std::string text(size_, '\0');
    if (auto read = read_bytes(0, std::as_writable_bytes(std::span(text))); !read) return std::move(read).error();
    return text;
}

std::optional<dom::element> JsonObject::find(std::string_view key) const {
    dom::element value;
    if (object_.at_key(key).get(value) != SUCCESS || value.is_null()) return std::nullopt;
    return value;
}

base::Error JsonObject::wrong_type(std::string_view key, std::string_view expected) const {
    return fail(key, find(key) ? " is not " : " is absent; it must be ", expected);
}

bool JsonObject::has(std::string_view key) const {
    return find(key).has_value();
}

Result<uint32_t> JsonObject::number(std::string_view key, uint32_t least, uint32_t most,
                                    std::optional<uint32_t> other) const {
    const auto value = find(key);
    if (!value && other) return *other;
    int64_t number = 0;
    if (!value || value->get(number) != SUCCESS) return wrong_type(key, "a whole number");
    if (number < least || number > most) {
        return fail(key, ": ", number, " is not in the range ", least, " to ", most);
    }
    return static_cast<uint32_t>(number);
}

Result<float> JsonObject::real(std::string_view key, float least, float most, std::optional<float> other) const {
    const auto value = find(key);
    if (!value && other) return *other;
    double number = 0;
    if (!value || value->get(number) != SUCCESS) return wrong_type(key, "a number");
    const auto real = static_cast<float>(number);
    if (!(real >= least && real <= most)) {
        return fail(key, ": ", number, " is not in the range ", least, " to ", most);
    }
    return real;
}

Result<bool> JsonObject::boolean(std::string_view key, bool other) const {
    const auto value = find(key);
    if (!value) return other;
    bool is = false;
    if (value->get(is) != SUCCESS) return wrong_type(key, "true or false");
    return is;
}

Result<std::string> JsonObject::text(std::string_view key, std::string_view other) const {
    const auto value = find(key);
    if (!value) return std::string(other);
    std::string_view text;
    if (value->get(text) != SUCCESS) return wrong_type(key, "a string");
    return std::string(text);
}

Result<std::optional<JsonObject>> JsonObject::object(std::string_view key) const {
    const auto value = find(key);
    if (!value) return std::optional<JsonObject>();
    dom::object object;
    if (value->get(object) != SUCCESS) return wrong_type(key, "an object");
    return std::optional(JsonObject(object, base::concat(path_, ": ", key)));
}

namespace {

base::Error no_object(const std::string& path, simdjson::error_code error) {
    return base::fail(ErrorCode::ModelLoadFailed, path, " is not a JSON object that nests at most ",
                      JsonFile::kMaxDepth, " deep: ", simdjson::error_message(error));
}

Result<std::string> read_whole(const std::string& path, uint64_t limit) {
    const auto input = InputFile::open(path);
    return input ? input->read_text(limit) : input.error();
}

// Copies the members of `text` with one of the keys to an object of their own.
simdjson::error_code copy_members(const std::string& text, std::span<const std::string_view> keys, std::string& out) {
    simdjson::ondemand::parser parser;
    const simdjson::padded_string padded(text);
    simdjson::ondemand::document document;
    simdjson::ondemand::object root;
    if (auto error = parser.iterate(padded).get(document); error != SUCCESS) return error;
    if (auto error = document.get_object().get(root); error != SUCCESS) return error;
    out = '{';
    for (auto field : root) {
        std::string_view key, value;
        if (auto error = field.unescaped_key().get(key); error != SUCCESS) return error;
        const auto wanted = std::find(keys.begin(), keys.end(), key);
        if (wanted == keys.end()) continue;
        if (auto error = simdjson::to_json_string(field.value()).get(value); error != SUCCESS) return error;
        if (out.size() > 1) out += ',';
        out.append("\"").append(*wanted).append("\":").append(value);
    }
    out += '}';
    return SUCCESS;
}

}  // namespace

Result<JsonFile> JsonFile::parse(std::string_view text, const std::string& path) {
    JsonFile file;
    file.parser_ = std::make_unique<dom::parser>();
    dom::object root;
    auto error = file.parser_->allocate(text.size(), kMaxDepth);
    if (error == SUCCESS) error = file.parser_->parse(text.data(), text.size()).get(root);
    if (error != SUCCESS) return no_object(path, error);
    file.root_.emplace(root, path);
    return file;
}

Result<JsonFile> JsonFile::open(const std::string& path, uint64_t limit) {
    const auto text = read_whole(path, limit);
    if (!text) return text.error();
    return parse(*text, path);
}

Result<JsonFile> JsonFile::open_some(const std::string& path, std::span<const std::string_view> keys) {
    const auto text = read_whole(path, kMaxBytes);
    if (!text) return text.error();
    std::string some;
    if (const auto error = copy_members(*text, keys, some); error != SUCCESS) return no_object(path, error);
    return parse(some, path);
}

}  // namespace llmd::convert
