#include "client/ndjson.h"

#include "client/json_reading.h"

namespace llmd::client {

struct StreamReader::Parser {
    simdjson::dom::parser dom;
};

StreamReader::StreamReader() : parser_(std::make_unique<Parser>()) {}
StreamReader::~StreamReader() = default;

std::vector<StreamLine> StreamReader::take(std::string_view bytes) {
    std::vector<StreamLine> out;
    for (const std::string& line : lines_.take(bytes)) out.push_back(parse(line));
    return out;
}

StreamLine StreamReader::parse(std::string_view line) {
    const simdjson::dom::object object = parse_object(parser_->dom, line);
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

}  // namespace llmd::client
