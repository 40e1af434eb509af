#include "remote/sse_reader.h"

#include <algorithm>
#include <utility>

namespace llmd::remote {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

base::Result<void> SseReader::feed(std::string_view bytes, std::vector<StreamEvent>& events) {
    while (!bytes.empty()) {
        if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        const size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
        if (event_.data.size() + line_.size() + end > kMaxEventBytes) {
            return base::fail(base::ErrorCode::InvalidArgument, "an event has more than ", kMaxEventBytes, " bytes");
        }
        line_ += bytes.substr(0, end);
        if (end == bytes.size()) break;
        after_cr_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        take_line(events);
        line_.clear();
    }
    return {};
}

void SseReader::take_line(std::vector<StreamEvent>& events) {
    std::string_view line = line_;
    if (std::exchange(is_first_line_, false) && line.starts_with(kByteOrderMark)) {
        line.remove_prefix(kByteOrderMark.size());
    }
    if (framing_ == Framing::JsonLines) {
        if (!line.empty()) events.push_back({std::string(line), false});
        return;
    }
    if (line.empty()) {
        if (std::exchange(has_data_, false)) events.push_back(std::move(event_));
        event_ = {};
        return;
    }
    const size_t colon = line.find(':');
    std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    take_field(line.substr(0, colon), value);
}

void SseReader::take_field(std::string_view name, std::string_view value) {
    if (name == "event") {
        event_.is_error = value == "error";
    } else if (name == "data" || name == "error") {
        // Older llama-servers write a field "error" in place of an event of that type.
        event_.is_error = event_.is_error || name == "error";
        if (std::exchange(has_data_, true)) event_.data += '\n';
        event_.data += value;
    }
}

}  // namespace llmd::remote
