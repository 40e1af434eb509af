// Cuts the body of a streamed answer into events: server-sent events (WHATWG HTML, 9.2), or one JSON text a line, which
// is Ollama's form. Lines end in CR, LF or CRLF, however the bytes arrive. The sender is not trusted.
// Plain data: any one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace llmd::remote {

inline constexpr size_t kMaxEventBytes = 1u << 20;

enum class Framing : uint8_t { ServerSentEvents = 0, JsonLines };

struct StreamEvent {
    std::string data;       // the data lines, joined by LF
    bool is_error = false;  // the event's type, or a field of its own, is "error"
    bool operator==(const StreamEvent&) const = default;
};

class SseReader {
public:
    explicit SseReader(Framing framing = Framing::ServerSentEvents) : framing_(framing) {}

    // Appends the events that became whole. An event without data is none; one that the body's end cuts is never
    // reported. InvalidArgument: an event has more than kMaxEventBytes; the reader is then of no more use.
    base::Result<void> feed(std::string_view bytes, std::vector<StreamEvent>& events);

private:
    void take_line(std::vector<StreamEvent>& events);
    void take_field(std::string_view name, std::string_view value);

    const Framing framing_;
    std::string line_;
    bool after_cr_ = false;
    bool is_first_line_ = true;
    StreamEvent event_;
    bool has_data_ = false;
};

}  // namespace llmd::remote
