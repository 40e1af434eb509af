// How each server is asked, in two dialects: OpenAI's, which all have and Ollama means by other words, and the token
// ids of llama-server, from which greedy texts go on exactly. One row a server says what else it needs, and functions
// make the bodies of calls. Every parameter of sampling is always written, because each server has other defaults, some
// from the model's own files, and none complains of a field that it does not know. Pure functions: any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/remote_settings.h"
#include "base/result.h"
#include "protocol/messages.h"
#include "remote/sse_reader.h"
#include "remote/upstream_json.h"

namespace llmd::remote {

enum class Api : uint8_t { Vllm = 0, LlamaServer, Sglang, Ollama, OpenAi };  // as base::kRemoteApis

// Whose words and meanings the parameters of sampling have.
enum class Sampler : uint8_t {
    LlamaCpp = 0,  // top_k is off at 0; repeat_penalty looks at the last repeat_last_n tokens
    Vllm,          // top_k is off at -1; repetition_penalty looks at the whole text
};

struct ApiTraits {
    std::string_view server;  // for people
    Sampler sampler;
    std::string_view probe{};                 // the path that tells it from the others; empty: none
    std::string_view probe_key{};             // a member of what that answers
    std::array<std::string_view, 4> lacks{};  // fields of a request that it does not know

    bool has(std::string_view field) const { return std::find(lacks.begin(), lacks.end(), field) == lacks.end(); }
};
const ApiTraits& traits(Api api);
// Returns what llmd promises of the API before a server is asked.
const base::RemoteApi& promised(Api api);
std::optional<Api> api_from_name(std::string_view name);  // nothing for "auto" too
// Those that can be recognised, in the order in which they are probed: some answer at the paths of those behind them.
inline constexpr std::array kProbed = {Api::LlamaServer, Api::Ollama, Api::Sglang, Api::Vllm};

// Seeds above are refused: llama-server's wrap at 32 bits, and its largest means a random one.
inline constexpr uint64_t kMaxSeed = (uint64_t{1} << 31) - 1;

// Whether the upstream can do what is asked, before anything is sent: NotSupported names the field. The value is notes
// on what is not held to the letter.
base::Result<std::vector<std::string>> check_supported(Api api, const protocol::Submit& submit);

// Prompts as ids, so that the text can go on after a loss. Thinking is separated by the server's chat endpoint only.
bool wants_ids(Api api, const protocol::Submit& submit);

struct HttpCall {
    std::string path;
    std::string body;  // JSON; empty: GET
};

// Returns sentences for people that hold for every text of such a server and not for this device's models.
std::vector<std::string> caveats(Api api);

// These calls make the prompt's ids. llama-server's template is a call of its own, whose text is then tokenized.
HttpCall make_template_call(std::string_view model, const std::vector<protocol::ChatMessage>& messages,
                            protocol::Thinking thinking);
HttpCall make_tokenize_chat_call(std::string_view model, const protocol::Submit& submit);
struct TokenizeOptions {
    bool add_special = true;
    bool parse_special = false;  // llama-server's only
};
HttpCall make_tokenize_call(Api api, std::string_view model, std::string_view text, TokenizeOptions options);
HttpCall make_detokenize_call(std::string_view model, std::span<const int32_t> ids);
// The member of its answer that has the text.
std::string_view detokenized_key(Api api);

struct Generation {
    const protocol::Submit& submit;
    std::string_view model;
    std::span<const int32_t> ids;  // the prompt's and those generated so far; empty: as text
    std::string_view answer;       // of a plain prompt without ids: what is there of the answer already
    bool goes_on = false;          // the ids are a prompt's and some of its answer: say what of them was in the cache
    bool repeats = false;          // from nothing, as the first time: whatever is in the cache is not taken
    uint32_t max_tokens = 0;       // the tokens that are still to come
    uint64_t seed = 0;
    std::string_view cache_salt;
};
struct GenerationCall {
    HttpCall http;
    Shape shape = Shape::Completion;
};
GenerationCall make_generation_call(Api api, const Generation& generation);

// A seed for what follows the first `n_tokens`: the same one would repeat the text's beginning.
uint64_t seed_at(uint64_t seed, uint64_t n_tokens);

}  // namespace llmd::remote
