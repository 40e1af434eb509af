#include "client/stream_line.h"

#include <utility>

#include "client/json_reading.h"

namespace llmd::client {

Value::Array calls_value(const std::vector<ToolCall>& calls) {
    Value::Array out;
    for (const ToolCall& call : calls) {
        Value::Object function = {{"name", call.name}, {"arguments", call.arguments}};
        out.emplace_back(
            Value::Object{{"id", call.id}, {"type", "function"}, {"function", Value(std::move(function))}});
    }
    return out;
}

std::vector<std::string> LineBuffer::take(std::string_view bytes) {
    std::vector<std::string> lines;
    for (size_t end; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
        pending_ += bytes.substr(0, end);
        lines.push_back(std::exchange(pending_, {}));
    }
    pending_ += bytes;
    if (pending_.size() > kMaxLineBytes) malformed("a line of more than 1 MiB");
    return lines;
}

}  // namespace llmd::client
