// The request to a model: the one declaration that service::GenerateRequest, protocol::Submit and
// generation::GenerationRequest share. The ranges that callers are held to stand in api/fields.cpp.
//
// Each struct of the protocol lists its fields once: frame.cpp walks the same list to encode and to decode, so the two
// cannot disagree. A visitor `io` is called with the field's name and a reference to it:
//     io.bytes(name, std::string)   any bytes                  io.text(name, std::string)   text for people
//     io.number(name, T)            integer, bool or float     io.choice(name, T, last)     enum with values 0 … last
//     io.list(name, std::vector)    numbers; or strings, as bytes (io.list) or text (io.texts)
//     io.records(name, std::vector, most)    structs with fields() of their own
//     io.optional(name, std::optional)       a number, or none
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llmd::protocol {

// Enough for a day of talk; a context holds fewer.
inline constexpr uint32_t kMaxChatMessages = 1024;

// A call of a tool, as the assistant made it.
struct ToolCall {
    std::string id;  // may be empty
    std::string name;
    std::string arguments;  // the text of a JSON object
    static void fields(auto& io, auto& m) {
        io.bytes("tool_calls.id", m.id);
        io.bytes("tool_calls.name", m.name);
        io.bytes("tool_calls.arguments", m.arguments);
    }
};
inline constexpr uint32_t kMaxToolCalls = 128;  // of one message

// One turn of a conversation. Its texts are UTF-8 and never read for control tokens.
struct ChatMessage {
    enum class Role : uint8_t { System = 0, User, Assistant, Tool };
    Role role = Role::User;
    std::string content;
    std::string thinking;              // of the assistant: what it thought before this answer
    std::vector<ToolCall> tool_calls;  // of the assistant
    std::string tool_call_id;          // of a tool: the call that this is the result of, or
    std::string tool_name;             // the tool that was called; without both, results answer the calls in order
    static void fields(auto& io, auto& m) {
        io.choice("messages.role", m.role, Role::Tool);
        io.bytes("messages.content", m.content);
        io.bytes("messages.thinking", m.thinking);
        io.records("messages.tool_calls", m.tool_calls, kMaxToolCalls);
        io.bytes("messages.tool_call_id", m.tool_call_id);
        io.bytes("messages.tool_name", m.tool_name);
    }
};

// Whether the model thinks before it answers, where its chat template can switch that.
enum class Thinking : uint8_t { Default = 0, On, Off };

// Whether the answer calls tools. Named: the tool of that name.
enum class ToolChoice : uint8_t { Auto = 0, None, Required, Named };

// Most alternatives of one token; what OpenAI's API allows.
inline constexpr uint32_t kMaxTopLogprobs = 20;

struct LogitBias {
    int32_t id = 0;  // a token
    float bias = 0;  // added to its logit
    bool operator==(const LogitBias&) const = default;
    static void fields(auto& io, auto& m) {
        io.number("logit_bias.id", m.id);
        io.number("logit_bias.bias", m.bias);
    }
};
inline constexpr uint32_t kMaxLogitBiases = 4096;  // of one frame

// How the next token is chosen. The defaults take the likeliest.
struct Sampling {
    float temperature = 0;  // 0: greedy
    uint32_t top_k = 0;     // 0: off; keeps the k largest logits, lower ids first among equals
    float top_p = 1;        // 1: off; keeps the fewest largest whose probabilities reach it (Holtzman et al. 2019)
    float min_p = 0;  // 0: off; keeps what has at least this part of the largest's probability (Nguyen et al. 2024)
    float repeat_penalty = 1;     // above 0; 1: off
    float presence_penalty = 0;   // 0: off
    float frequency_penalty = 0;  // 0: off
    int32_t repeat_last_n =
        64;  // tokens that the three penalties look at, as in llama.cpp and Ollama; 0: none; -1: all
    std::optional<uint64_t> seed;         // service: chosen at random when absent, and reported; engine: 0
    std::vector<LogitBias> logit_bias;    // entries of the same id add up
    uint32_t min_tokens = 0;              // the answer does not end before
    bool ignore_eos = false;              // nothing but the length ends the answer
    std::vector<int32_t> stop_token_ids;  // end the answer, beside the model's own

    static void fields(auto& io, auto& m) {
        io.number("temperature", m.temperature);
        io.number("top_k", m.top_k);
        io.number("top_p", m.top_p);
        io.number("min_p", m.min_p);
        io.number("repeat_penalty", m.repeat_penalty);
        io.number("presence_penalty", m.presence_penalty);
        io.number("frequency_penalty", m.frequency_penalty);
        io.number("repeat_last_n", m.repeat_last_n);
        io.optional("seed", m.seed);
        io.records("logit_bias", m.logit_bias, kMaxLogitBiases);
        io.number("min_tokens", m.min_tokens);
        io.number("ignore_eos", m.ignore_eos);
        io.list("stop_token_ids", m.stop_token_ids);
    }
};

struct Ask {
    std::string prompt;  // UTF-8
    // A conversation instead of a prompt: the model's own chat template makes one of it. A last message of the
    // assistant is the beginning of its answer. With a prompt beside them, that is for a model without a chat template.
    std::vector<ChatMessage> messages;
    std::vector<int32_t> prompt_ids;  // instead of a prompt: one that is tokenized already
    // Tools that the answer may call, as a JSON array in OpenAI's form; with messages only. Empty: none.
    std::string tools;
    ToolChoice tool_choice = ToolChoice::Auto;
    std::string tool_name;  // with ToolChoice::Named
    bool parallel_tool_calls = true;
    // With ToolChoice::Auto: constraint::BareCalls looks for calls. Nothing: as the settings say
    // when it is submitted; in an engine, true.
    std::optional<bool> bare_calls;
    // A prompt that is longer than the context is cut: the oldest turns of a conversation, the end of a text to embed.
    bool truncate = false;
    Thinking thinking = Thinking::Default;
    // The form of the text: at most one of these three.
    std::string json_schema;           // it is JSON that fits this; empty: any text
    std::string regex;                 // it matches this from its beginning to its end; empty: any text
    std::vector<std::string> choices;  // it is one of these; none: any text
    uint32_t max_tokens = 0;           // 0: the prompt is only computed
    Sampling sampling;
    std::vector<std::string> stops;        // none empty
    std::optional<uint32_t> top_logprobs;  // each token's is wanted, and so many alternatives, at most kMaxTopLogprobs
    // A keyword of json_schema that cannot be enforced is an error; otherwise it is left out, and a note says so.
    bool strict_schema = false;

    static void fields(auto& io, auto& m) {
        io.bytes("prompt", m.prompt);
        io.records("messages", m.messages, kMaxChatMessages);
        io.list("prompt_ids", m.prompt_ids);
        io.bytes("tools", m.tools);
        io.choice("tool_choice", m.tool_choice, ToolChoice::Named);
        io.bytes("tool_name", m.tool_name);
        io.number("parallel_tool_calls", m.parallel_tool_calls);
        io.optional("bare_calls", m.bare_calls);
        io.number("truncate", m.truncate);
        io.choice("thinking", m.thinking, Thinking::Off);
        io.bytes("json_schema", m.json_schema);
        io.bytes("regex", m.regex);
        io.list("choices", m.choices);
        io.number("max_tokens", m.max_tokens);
        Sampling::fields(io, m.sampling);
        io.list("stops", m.stops);
        io.optional("top_logprobs", m.top_logprobs);
        io.number("strict_schema", m.strict_schema);
    }
};

// A request: what is asked, and what there is of its answer already.
struct Submit : Ask {
    uint64_t id = 0;
    // Resumption: the ids already generated, and how many bytes of their text have been delivered: the sum of
    // Tokens.bytes.
    std::vector<int32_t> replay_ids;
    uint64_t delivered_bytes = 0;
    // Whose requests may share what is computed of equal beginnings, at most kMaxCacheScopeBytes; empty: nobody's.
    std::string cache_scope;
    // Not a text but the prompt's embedding is wanted: Finished has it, and there are no Tokens but those of prefill.
    bool embeds = false;

    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        Ask::fields(io, m);
        io.list("replay_ids", m.replay_ids);
        io.number("delivered_bytes", m.delivered_bytes);
        io.bytes("cache_scope", m.cache_scope);
        io.number("embeds", m.embeds);
    }
};
inline constexpr size_t kMaxCacheScopeBytes = 300;  // an application id has at most 255

}  // namespace llmd::protocol
