// The fields that calls for an answer or an embedding have, in every dialect that llmd speaks: one table that says of
// each whether it is honoured, changes nothing, or is refused by its name. A field that would change the answer is
// never ignored; only a name that none of OpenAI, Ollama, llama-server and vLLM knows is. Pure and reentrant.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/field_readers.h"
#include "base/result.h"
#include "base/value.h"

namespace llmd::api {

// Where a field may stand; a set of them in Field::dialects.
enum Dialect : uint32_t {
    kBus = 1u << 0,             // the options of Generate, Stream, Chat, StreamChat and Embed
    kChat = 1u << 1,            // OpenAI's chat completions, with what llama-server and vLLM add
    kCompletion = 1u << 2,      // likewise completions
    kResponses = 1u << 3,       // OpenAI's responses
    kEmbeddings = 1u << 4,      // OpenAI's embeddings
    kOllamaGenerate = 1u << 5,  // Ollama's calls
    kOllamaChat = 1u << 6,
    kOllamaEmbed = 1u << 7,
    kOllamaEmbeddings = 1u << 8,  // the older call
    kOllamaOptions = 1u << 9,     // the object `options` of generate and chat
    kAnthropic = 1u << 10,        // Anthropic's messages
};

enum class Treatment : uint8_t {
    Honoured,  // read, within its limits
    Harmless,  // it changes no answer of llmd's
    Refused,   // unless it says no: null, false, 0, empty, or Field::neutral
};

struct Field {
    std::string_view name;
    uint32_t dialects;
    Treatment treatment;
    ReadField* read = nullptr;      // of an honoured one
    std::string_view neutral = {};  // of a refused one: as for FieldReader::refuse_unless_no()
};

// In the order in which they are read: a later one wins where two say the same.
std::span<const Field> fields();

// Where an API lets the model write until it ends by itself: far longer than answers are, and yet an end for a model
// that finds none.
inline constexpr uint32_t kDefaultAnswerTokens = 1024;

// InvalidArgument names the field and its value; of texts, which may be prompts, the length alone.
base::Result<Call> read_call(const base::Value::Object& object, Dialect dialect);
// The same of a JSON text; InvalidArgument as well when it is no object.
base::Result<Call> read_call(std::string_view body, Dialect dialect);

// One request for each choice of a completion or chat: with a seed, which is then that of each prompt's first answer,
// the others have the numbers that follow it (modulo 2^64), so that they differ, come again, and do not depend on what
// else is asked.
std::vector<service::GenerateRequest> choices_of(Call& call);

// InvalidArgument unless `body` is one JSON object. `notes` gets a sentence where a character was replaced.
base::Result<base::Value> parse_body(std::string_view body, std::vector<std::string>* notes = nullptr);

}  // namespace llmd::api
