// What the upstream servers can do and how each is asked: a table with one row an API, and functions that make the
// bodies of calls. Every parameter of sampling is always written, because each server has other defaults, some from the
// model's own files, and none complains of a field that it does not know. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/messages.h"
#include "remote/sse_reader.h"
#include "remote/upstream_json.h"

namespace llmd::remote {

enum class Api : uint8_t { Vllm = 0, LlamaServer, Sglang, Ollama, OpenAi };

struct ApiTraits {
    Api api;
    std::string_view name;        // in the settings
    std::string_view server;      // for people
    std::string_view probe;       // the path that tells it from the others; empty: none
    std::string_view probe_key;   // a member of what that answers
    std::string_view health;      // answers 200 while the server lives; empty: none
    bool takes_ids;               // and gives them, and has a tokenizer
    int top_k_off;                // what switches top_k off
    std::string_view repeat_key;  // of the repetition penalty
    bool penalizes_all;           // of the whole text, not of the last repeat_last_n tokens
    bool has_token_rules;         // min_tokens and stop_token_ids
    bool has_ignore_eos;
    bool has_logit_bias;
    bool has_cache_salt;
    bool begins_answers;  // goes on with an assistant's last message, and does not repeat it in a stream
    bool repeats;  // can compute a text from nothing, in the same steps as before, and says what was in its cache
};
const ApiTraits& traits(Api api);
std::optional<Api> api_from_name(std::string_view name);  // nothing for "auto" too
std::span<const ApiTraits> all_apis();                    // in the order in which they are probed

// Seeds above are refused: llama-server's wrap at 32 bits, and its largest means a random one.
inline constexpr uint64_t kMaxSeed = (uint64_t{1} << 31) - 1;

// Whether the upstream can do what is asked, before anything is sent: NotSupported names the field. The value is notes
// on what is not held to the letter.
base::Result<std::vector<std::string>> check_supported(Api api, const protocol::Submit& submit);

// Prompts as ids, so that the text can go on after a loss. Thinking is told apart by the server's chat endpoint only.
bool wants_ids(Api api, const protocol::Submit& submit);

struct HttpCall {
    std::string path;
    std::string body;  // JSON; empty: GET
};

// What holds for every text of such a server and not for this device's models, for people.
std::vector<std::string> caveats(Api api);

// What makes the prompt's ids. llama-server's template is a call of its own, whose text is then tokenized.
HttpCall make_template_call(std::string_view model, const std::vector<protocol::ChatMessage>& messages,
                            protocol::Thinking thinking);
HttpCall make_tokenize_chat_call(std::string_view model, const protocol::Submit& submit);
struct TokenizeOptions {
    bool add_special = true;
    bool parse_special = false;  // llama-server's only
    bool with_pieces = false;
};
HttpCall make_tokenize_call(Api api, std::string_view model, std::string_view text, TokenizeOptions options);
HttpCall make_detokenize_call(std::string_view model, std::span<const int32_t> ids);
// The member of its answer that has the text.
std::string_view detokenized_key(Api api);

struct Generation {
    const protocol::Submit& submit;
    std::string_view model;
    std::span<const int32_t> ids;  // the prompt's and those generated so far; empty: as text
    std::string_view answer;       // without ids: what is there of the answer already
    bool goes_on = false;          // the ids are a prompt's and some of its answer: say what of them was in the cache
    bool repeats = false;          // from nothing, as the first time: whatever is in the cache is not taken
    uint32_t max_tokens = 0;       // that are still to come
    uint64_t seed = 0;
    std::string_view cache_salt;
};
struct GenerationCall {
    HttpCall http;
    Shape shape = Shape::Completion;
    Framing framing = Framing::ServerSentEvents;
};
GenerationCall make_generation_call(Api api, const Generation& generation);

// Whether a text without ids can go on after `answer`: a raw prompt can, a conversation where that is known not to be
// echoed.
bool can_continue_text(Api api, const protocol::Submit& submit);

// A seed for what follows the first `n_tokens`: the same one would repeat the text's beginning.
uint64_t seed_at(uint64_t seed, uint64_t n_tokens);

}  // namespace llmd::remote
