#include "client/stream_line.h"

#include <utility>

#include "client/json_reading.h"

namespace llmd::client {
namespace {

StreamLine parse_line(simdjson::dom::parser& parser, std::string_view line) {
    const simdjson::dom::object object = parse_object(parser, line);
    StreamLine out;
    simdjson::dom::object error;
    if (bool done = false; !object["done"].get_bool().get(done) && done) {
        out.kind = StreamLine::Kind::Done;
        out.finish_reason = text_member(object, "finish_reason");
        copy_scalars(object, out.info);
        out.info.erase("done");
        simdjson::dom::object usage;
        if (!object["usage"].get_object().get(usage)) {
            copy_scalars(usage, out.info);
            copy_texts(usage, "notes", out.info);
        }
    } else if (!object["error"].get_object().get(error)) {
        out.kind = StreamLine::Kind::Error;
        out.error_name = text_member(error, "name");
        out.message = text_member(error, "message");
    } else if (std::string_view thinking; !object["thinking"].get_string().get(thinking)) {
        out.kind = StreamLine::Kind::Thinking;
        out.text = thinking;
    } else if (simdjson::dom::object call; !object["tool_call"].get_object().get(call)) {
        out.kind = StreamLine::Kind::ToolCall;
        if (call["index"].get_uint64().get(out.call.index)) malformed("no number in \"index\"");
        out.call.id = optional_text(call, "id");
        out.call.name = optional_text(call, "name");
        out.call.arguments = optional_text(call, "arguments");
    } else {
        out.text = text_member(object, "text");
    }
    return out;
}

}  // namespace

Value::Array calls_value(const std::vector<ToolCall>& calls) {
    Value::Array out;
    for (const ToolCall& call : calls) {
        Value::Object function = {{"name", call.name}, {"arguments", call.arguments}};
        out.emplace_back(
            Value::Object{{"id", call.id}, {"type", "function"}, {"function", Value(std::move(function))}});
    }
    return out;
}

// One for all lines, whose memory it keeps.
struct StreamReader::Parser {
    simdjson::dom::parser dom;
};

StreamReader::StreamReader() : parser_(std::make_unique<Parser>()) {}
StreamReader::~StreamReader() = default;

std::vector<StreamLine> StreamReader::take(std::string_view bytes) {
    std::vector<StreamLine> lines;
    for (size_t end; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
        pending_ += bytes.substr(0, end);
        lines.push_back(parse_line(parser_->dom, std::exchange(pending_, {})));
    }
    pending_ += bytes;
    if (pending_.size() > kMaxLineBytes) malformed("a line of more than 1 MiB");
    return lines;
}

}  // namespace llmd::client
