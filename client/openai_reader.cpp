#include "client/openai_reader.h"

#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "client/json_reading.h"

namespace llmd::client {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kData = "data: ";
constexpr std::string_view kDone = "[DONE]";

StreamLine error_line(const dom::object& error) {
    StreamLine out;
    out.message = text_member(error, "message");
    out.error_name = text_member(error, "name");
    out.kind = StreamLine::Kind::Error;
    if (out.error_name == base::error_name(base::ErrorCode::Cancelled)) {
        // To OpenAI's clients this is a failure; here it is one of the ways in which a text ends.
        out.kind = StreamLine::Kind::Done;
        out.finish_reason = "cancelled";
    }
    return out;
}

// Where the counts stand, and what they are called everywhere else.
struct Count {
    const char* object;  // as a JSON pointer
    const char* key;
    const char* name;
};
constexpr std::array kCounts = {
    Count{"/usage", "prompt_tokens", "prompt_tokens"},
    Count{"/usage", "completion_tokens", "generated_tokens"},
    Count{"/usage/completion_tokens_details", "reasoning_tokens", "thinking_tokens"},
    Count{"/timings", "cache_n", "cached_tokens"},
    Count{"/timings", "queue_ms", "queue_ms"},
    Count{"/timings", "ttft_ms", "ttft_ms"},
    Count{"/timings", "where", "where"},
    Count{"/timings", "resumed", "resumed"},
    Count{"/timings", "prompt_per_second", "prefill_tps"},
    Count{"/timings", "predicted_per_second", "decode_tps"},
    Count{"/timings", "draft_n", "drafted"},
    Count{"/timings", "draft_n_accepted", "accepted"},
};

void copy_counts(const dom::object& event, Dictionary& out) {
    Dictionary found;
    for (const Count& count : kCounts) {
        dom::object object;
        if (event.at_pointer(count.object).get_object().get(object)) continue;
        copy_scalars(object, found);
        if (const auto value = found.find(count.key); value != found.end()) out[count.name] = value->second;
    }
}

// The piece of text in a choice: a completion's, or a conversation's.
std::optional<std::string> text_in(const dom::element& choice) {
    for (const auto& text : {choice["text"], choice["delta"]["content"]}) {
        if (text.is_string()) return std::string(text.get_string().value_unsafe());
    }
    return std::nullopt;
}

ToolCall read_call(const dom::element& element) {
    dom::object call;
    ToolCall out;
    if (element.get_object().get(call)) malformed("a tool call is not an object");
    if (call["index"].get_uint64().get(out.index)) malformed("no number in \"index\"");
    out.id = optional_text(call, "id");
    if (dom::object function; !call["function"].get_object().get(function)) {
        out.name = optional_text(function, "name");
        out.arguments = optional_text(function, "arguments");
    }
    return out;
}

}  // namespace

struct OpenAiStreamReader::Parser {
    dom::parser dom;
};

OpenAiStreamReader::OpenAiStreamReader() : parser_(std::make_unique<Parser>()) {}
OpenAiStreamReader::~OpenAiStreamReader() = default;

std::vector<StreamLine> OpenAiStreamReader::take(std::string_view bytes) {
    std::vector<StreamLine> out;
    for (const std::string& line : lines_.take(bytes)) {
        // Between events is an empty line; other fields than `data` are not for us.
        if (!line.starts_with(kData)) continue;
        parse(std::string_view(line).substr(kData.size()), out);
    }
    return out;
}

void OpenAiStreamReader::parse(std::string_view event, std::vector<StreamLine>& out) {
    if (event == kDone) {
        if (last_.finish_reason.empty()) malformed("the text ends without \"finish_reason\"");
        last_.kind = StreamLine::Kind::Done;
        return out.push_back(last_);
    }
    const dom::object object = parse_object(parser_->dom, event);
    dom::object error;
    if (!object["error"].get_object().get(error)) return out.push_back(error_line(error));
    last_.info["model"] = text_member(object, "model");
    copy_counts(object, last_.info);
    const dom::array choices = array_member(object, "choices");
    if (choices.size() == 0) return;
    const dom::element choice = choices.at(0).value_unsafe();
    if (dom::object fields; !choice.get_object().get(fields)) copy_texts(fields, "notes", last_.info);
    if (std::string_view reason; !choice["finish_reason"].get_string().get(reason)) last_.finish_reason = reason;
    if (std::string_view thinking; !choice["delta"]["reasoning_content"].get_string().get(thinking)) {
        out.push_back({.kind = StreamLine::Kind::Thinking, .text = std::string(thinking)});
    }
    if (auto text = text_in(choice)) out.push_back({.text = *std::move(text)});
    if (dom::array calls; !choice["delta"]["tool_calls"].get_array().get(calls)) {
        for (const dom::element call : calls)
            out.push_back({.kind = StreamLine::Kind::ToolCall, .call = read_call(call)});
    }
}

StreamLine read_error(std::string_view body) {
    dom::parser parser;
    dom::object error;
    if (parse_object(parser, body)["error"].get_object().get(error)) malformed("no object in \"error\"");
    return error_line(error);
}

Embeddings read_embeddings(std::string_view body) {
    dom::parser parser;
    const dom::object answer = parse_object(parser, body);
    Embeddings out;
    for (const dom::element entry : array_member(answer, "data")) {
        dom::array numbers;
        if (entry["embedding"].get_array().get(numbers)) malformed("no array in \"embedding\"");
        std::vector<float>& vector = out.vectors.emplace_back();
        for (const dom::element number : numbers) {
            double value = 0;
            if (number.get_double().get(value)) malformed("an embedding holds what is no number");
            vector.push_back(static_cast<float>(value));
        }
    }
    out.info["model"] = text_member(answer, "model");
    copy_counts(answer, out.info);
    return out;
}

}  // namespace llmd::client
