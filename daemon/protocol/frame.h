// Frames: how a Message becomes bytes. A frame is a 32-bit little-endian length of what follows, one byte of message
// type (its index in protocol::Message), then the fields in the struct's order: integers little-endian, floats as their
// IEEE bits, strings and arrays as a 32-bit count and their elements. Both ends are the same build, so there is no
// version. A peer is not trusted: decode() checks every length, enum and float, and refuses trailing bytes. Strings
// that the engine sends for people to read come out as clean text (base/utf8.h), whatever bytes a model file put into
// them; paths and prompts are bytes and pass unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/messages.h"

namespace llmd::protocol {

inline constexpr uint32_t kMaxFrameBytes = 16u << 20;  // a 4 MiB prompt, a replay of 2^20 ids, and room
inline constexpr uint32_t kMaxStringBytes = 8u << 20;
inline constexpr uint32_t kMaxArrayElements = 1u << 20;

// "Submit" for a Submit.
std::string_view message_name(const Message& message);

// Appends the whole frame, length included. InvalidArgument names the message and the field that exceeds a limit or
// holds what decode() would refuse; `out` is then unchanged.
base::Result<void> encode(const Message& message, std::string& out);

// One frame's bytes after the length. InvalidArgument names the message and field.
base::Result<Message> decode(std::string_view frame);

// Collects bytes from a stream and cuts them into frames.
class FrameReader {
public:
    // Bytes just read from the peer.
    void append(std::string_view bytes) { buffer_.append(bytes); }
    // The next whole message, nothing if more bytes are needed. After an error the stream is unusable.
    base::Result<std::optional<Message>> next();

private:
    std::string buffer_;
    size_t begin_ = 0;  // of the first frame that has not been returned
};

}  // namespace llmd::protocol
