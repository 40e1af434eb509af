// Reads what upstream servers write: lists of models, errors, token ids and the events of streamed answers, as typed
// structs. Nothing of it is trusted: numbers are checked, texts come out as clean text (base/utf8.h), and an object
// that lacks what it must have is InvalidArgument with what it lacks. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/messages.h"

namespace llmd::remote {

// The most bytes of an answer that is read as a whole: the ids of the longest prompt take half of it.
inline constexpr size_t kMaxBodyBytes = 16u << 20;
inline constexpr size_t kMaxListedModels = 4096;
// The most bytes of a server's own words in an error.
inline constexpr size_t kMaxToldBytes = 200;

struct ListedModel {
    std::string id;
    std::vector<std::string> aliases;
    uint32_t n_ctx = 0;    // 0: unknown
    std::string owned_by;  // "vllm", "llamacpp", "sglang", …
};
base::Result<std::vector<ListedModel>> read_models(std::string_view body);

// The value of a member that is a string; nothing where there is none.
std::optional<std::string> read_string(std::string_view body, std::string_view key);
bool has_member(std::string_view body, std::string_view key);

// Ollama says this about one model.
struct ShownModel {
    bool is_elsewhere = false;  // Ollama would send the text to another host
    uint32_t n_ctx = 0;
};
base::Result<ShownModel> read_shown_model(std::string_view body);

struct UpstreamError {
    std::string message;  // at most kMaxToldBytes
    std::string type;     // or a code that is a word
    long status = 0;      // a code that is a number, as an event of a 200 carries it; 0: none
    uint32_t prompt_tokens = 0;
    bool operator==(const UpstreamError&) const = default;
};
// Nothing where the body is no error of any known form.
std::optional<UpstreamError> read_error(std::string_view body);
bool says_context_exceeded(const UpstreamError& error);
bool says_loading(const UpstreamError& error);

// The ids of a text that was tokenized.
base::Result<std::vector<int32_t>> read_tokens(std::string_view body);

struct UpstreamEmbedding {
    std::vector<float> values;
    uint32_t prompt_tokens = 0;
};
// Reads an embedding and makes it one of length 1. InvalidArgument also where it cannot be made so.
base::Result<UpstreamEmbedding> read_embedding(std::string_view body);

// The forms of an answer's events.
enum class Shape : uint8_t {
    Completion = 0,  // /v1/completions
    Chat,            // /v1/chat/completions
    LlamaServer,     // /completion
    Ollama,          // /api/generate and /api/chat
    Embedding,       // no events: read_embedding()
};

struct Counts {
    uint32_t prompt_tokens = 0;
    uint32_t cached_tokens = 0;
    uint32_t generated_tokens = 0;
};

struct AnswerEvent {
    std::string text;
    std::string thinking;      // the text of a reasoning field; no part of the answer
    std::vector<int32_t> ids;  // of the text, where the server sends them
    std::vector<protocol::TokenLogprobs> logprobs;
    std::optional<protocol::FinishReason> finish;  // Stop or Length
    std::string other_finish;                      // any other reason
    std::optional<Counts> counts;
    std::optional<uint32_t> n_generated;  // tokens so far, as llama-server counts them
    std::optional<uint32_t> n_computed;   // of the prompt, as it says: the others were in its cache
    bool is_done = false;                 // "[DONE]", which proves nothing
    std::optional<UpstreamError> error;
};
base::Result<AnswerEvent> read_event(Shape shape, std::string_view data);

}  // namespace llmd::remote
