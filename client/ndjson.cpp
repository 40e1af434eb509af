#include "client/ndjson.h"

#include <simdjson.h>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

[[noreturn]] void malformed(std::string_view what) {
    throw CommandError(ExitCode::Failed, "the daemon's stream is malformed: " + std::string(what));
}

std::string text_member(const simdjson::dom::object& object, const char* key) {
    std::string_view value;
    if (object[key].get_string().get(value)) malformed(std::string("no text in \"") + key + '"');
    return std::string(value);
}

// Copies the scalars of `object`; nested values are left out.
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

}  // namespace

struct StreamReader::Parser {
    simdjson::dom::parser dom;
};

StreamReader::StreamReader() : parser_(std::make_unique<Parser>()) {}
StreamReader::~StreamReader() = default;

std::vector<StreamLine> StreamReader::take(std::string_view bytes) {
    std::vector<StreamLine> lines;
    for (size_t end; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
        pending_ += bytes.substr(0, end);
        lines.push_back(parse(pending_));
        pending_.clear();
    }
    pending_ += bytes;
    if (pending_.size() > kMaxLineBytes) malformed("a line of more than 1 MiB");
    return lines;
}

StreamLine StreamReader::parse(std::string_view line) {
    const simdjson::padded_string padded(line);
    simdjson::dom::object object;
    if (parser_->dom.parse(padded).get_object().get(object)) malformed("a line is not a JSON object");

    StreamLine out;
    simdjson::dom::object error;
    if (bool done = false; !object["done"].get_bool().get(done) && done) {
        out.kind = StreamLine::Kind::Done;
        out.finish_reason = text_member(object, "finish_reason");
        copy_scalars(object, out.info);
        out.info.erase("done");
        simdjson::dom::object usage;
        if (!object["usage"].get_object().get(usage)) copy_scalars(usage, out.info);
    } else if (!object["error"].get_object().get(error)) {
        out.kind = StreamLine::Kind::Error;
        out.error_name = text_member(error, "name");
        out.message = text_member(error, "message");
    } else {
        out.text = text_member(object, "text");
    }
    return out;
}

}  // namespace llmd::client
