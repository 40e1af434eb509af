// One call of llmd, whichever front end it came by: made by read_call() (api/fields.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/sent_names.h"
#include "service/request.h"

namespace llmd::api {

inline constexpr size_t kMaxHandleTokenBytes = 64;  // so that an object's path stays short

enum class TextDelivery : uint8_t { Pipe, Signals };
enum class PipeFormat : uint8_t { JsonLines, Text };

enum class EmbeddingEncoding : uint8_t {
    Numbers,
    Base64,  // of the float32 values, little-endian
};

struct Call {
    service::GenerateRequest request;      // all but whose it is and the prompts of a completion
    std::vector<service::Prompt> prompts;  // of a completion: each gets n answers
    uint32_t n = 1;
    std::optional<std::string> system;  // to stand in front of the conversation; with a prompt it makes one of it
    bool has_max_tokens = false;        // or one of its other names
    bool stream = false;
    bool include_usage = false;     // the stream ends with what the request cost
    bool raw = false;               // the prompt is not to become a conversation
    std::optional<uint32_t> n_ctx;  // the context that the caller believes in
    EmbeddingEncoding encoding = EmbeddingEncoding::Numbers;
    // These come from the bus alone.
    std::string handle_token;  // empty: none was given
    TextDelivery delivery = TextDelivery::Pipe;
    PipeFormat format = PipeFormat::JsonLines;
    // Each note is a sentence that begins with a field, and says how the field was taken otherwise than it was asked.
    std::vector<std::string> notes;
    SentNames sent;
};

}  // namespace llmd::api
