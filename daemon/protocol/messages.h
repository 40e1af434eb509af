// Everything that llmd and llmd-engine say to each other: one struct a message, carried in frames (frame.h) over a
// socketpair. This directory is all that the two programs share.
//
// A session: llmd sends Load; the engine answers DeviceChosen, LoadProgress…, then Ready or LoadFailed. For each
// request llmd sends Submit (the engine tokenizes and answers Accepted or Refused, then holds the request), Start when
// its turn has come, and the engine sends Started, Tokens… and one Finished. SetPaused takes the turn away and gives it
// back: at most Ready.n_slots requests are started and not paused. Cancel drops a request silently. Tokenize,
// Detokenize and Render are answered at once, by Tokenized, Detokenized and Rendered or by Refused. A Fault ends the
// engine. Requests are named by llmd; ids are never reused in the life of llmd.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "protocol/ask.h"

namespace llmd::protocol {

// The version of llmd that this program belongs to: "0.1.0".
std::string_view program_version();

// --- llmd to engine --------------------------------------------------------------------------------------------------

// Which kind of device computes: compute::BackendKind says what each means.
// Remote is no device of this machine: llmd-remote's alone, and never in a Load.
enum class BackendKind : uint8_t { Auto = 0, OpenCl, Cpu, Remote };
// "auto", "opencl", "cpu", "remote": as settings, status and logs name it.
constexpr std::string_view backend_name(BackendKind kind) {
    switch (kind) {
        case BackendKind::Auto:
            return "auto";
        case BackendKind::OpenCl:
            return "opencl";
        case BackendKind::Cpu:
            return "cpu";
        case BackendKind::Remote:
            return "remote";
    }
    return {};
}

// Returns the kind that is called "opencl" or "cpu"; else Auto.
constexpr BackendKind backend_from_name(std::string_view name) {
    return name == backend_name(BackendKind::OpenCl) ? BackendKind::OpenCl
           : name == backend_name(BackendKind::Cpu)  ? BackendKind::Cpu
                                                     : BackendKind::Auto;
}

// How activations enter products: compute::Precision says what each means.
enum class Precision : uint8_t { Faithful = 0, Fast };

// The first message, exactly once.
struct Load {
    std::string model_path;
    BackendKind backend = BackendKind::Auto;
    std::string device;  // see compute::BackendOptions
    Precision precision = Precision::Faithful;
    uint32_t n_threads = 0;      // 0: the engine's choice
    uint32_t n_ctx = 0;          // longest sequence; 0: the engine's choice
    uint32_t n_slots = 0;        // sequences in one batch; 0: the engine's choice
    uint32_t prefill_chunk = 0;  // most rows of prefill in one step, fewer where those take too long; 0: 128
    // See compute::AvoidedDevice.
    std::string avoid_device;
    std::string avoid_driver;
    std::string avoid_device_reason;
    std::string chat_template;        // see chat::ChatTemplate::create; empty: what the model file says
    uint64_t saved_prefix_bytes = 0;  // of prefixes kept on disk for the next engine, at most; 0: none are
    uint64_t memory_bytes = 0;        // of weights, KV pages and all else of this engine, at most; 0: its own choice
    bool speculates = true;           // tokens may be drafted and computed ahead; no text changes by it
};

// The first message to llmd-remote, exactly once, in place of Load. It holds names only: llmd-remote reads the
// settings itself, so that whoever reaches its socket cannot have it read a file or go to another address.
struct Connect {
    std::string version{program_version()};  // llmd-remote may outlive an upgrade; of another version it fails
    std::string remote;                      // the name of a [[remote]] of the settings
    std::string model;                       // of one of its models
};

// Whether the engine may compute on its device, which it shares with others; it may at first. Without the lease it
// sends LeaseReleased at the next border of a step, or at once, and is in Phase::Waiting while it has work.
struct SetLease {
    bool held = true;
};

// Where requests cannot all be served, those of a smaller value are.
enum class Priority : uint8_t { Interactive = 0, Normal, Background };

// Again for a request that has been started: another priority.
struct Start {
    uint64_t id = 0;
    Priority priority = Priority::Normal;
};

struct Cancel {
    uint64_t id = 0;
};

// A paused request makes no tokens. It keeps its KV pages until others need them; then it is rebuilt from its tokens.
struct SetPaused {
    uint64_t id = 0;
    bool paused = false;
};

struct Tokenize {
    uint64_t id = 0;
    std::string text;
    bool add_special = false;  // the begin-of-text token comes first where the model's prompts have one
    bool with_pieces = false;  // Tokenized has the texts of the tokens
};

struct Detokenize {
    uint64_t id = 0;
    std::vector<int32_t> ids;  // at most kMaxArrayElements (frame.h)
};

// A conversation, as in Submit, whose prompt is wanted as text, and its length.
struct Render {
    uint64_t id = 0;
    std::vector<ChatMessage> messages;
    Thinking thinking = Thinking::Default;
    std::string tools;
};

// Memory is short: the engine lets go of what it keeps to save work later. No text changes by it.
struct DropCache {};

inline constexpr uint32_t kFullDutyCycle = 100;  // percent

// The device is hot: the engine computes for this share of the time and rests between its steps.
// 1..kFullDutyCycle, which it does at first.
struct SetPace {
    uint32_t duty_cycle_percent = kFullDutyCycle;
};

// --- engine to llmd --------------------------------------------------------------------------------------------------

// The engine's next activity, sent before every call that may block. Silence longer than the budget is a hang.
enum class Phase : uint8_t { Idle = 0, Load, KernelBuild, Step, Waiting };

struct PhaseChange {
    Phase phase = Phase::Idle;
    uint32_t budget_ms = 0;  // 0: idle, or waiting for the lease: silence means nothing
};

struct LoadProgress {
    uint32_t per_mille = 0;
};

// Where the model is about to go, before anything is built there; again when that has failed and another device gets
// it. Says whose failure an end before Ready is. Device and driver are those of Ready, empty for the CPU.
struct DeviceChosen {
    BackendKind backend = BackendKind::Cpu;  // never Auto
    std::string device;
    std::string driver;
};

// The answer to SetLease{false}: nothing of this engine is on the device.
struct LeaseReleased {};

// From llmd-remote, before Finished: the figures that only the remote counts.
struct Usage {
    uint64_t id = 0;
    uint32_t prompt_tokens = 0;  // 0: unknown; also where Accepted has said 0
    uint32_t cached_tokens = 0;  // prompt tokens from the cache
    uint32_t generated_tokens = 0;
    uint32_t resumed = 0;  // how often the text was cut and went on
};

struct Ready {
    std::string architecture;
    std::string quantization;
    uint32_t n_ctx = 0;
    uint32_t n_vocab = 0;
    uint32_t n_slots = 0;
    BackendKind backend = BackendKind::Cpu;  // never Auto
    std::string device;
    std::string driver;
    Precision precision = Precision::Faithful;  // of what computes, whatever was asked for
    std::string profile;                        // equal profiles continue a text bit for bit
    std::vector<std::string> notes;
    std::string sandbox;  // things that the engine cannot do, for people
    uint64_t weight_bytes = 0;
    uint64_t kv_bytes = 0;
    uint64_t overhead_bytes = 0;  // of the engine beside these two, as measured: generation::overhead_bytes()
    uint32_t load_ms = 0;
};

struct LoadFailed {
    base::ErrorCode code = base::ErrorCode::ModelLoadFailed;
    std::string message;
    uint32_t retry_after_s = 0;  // as of Refused
};

struct Accepted {
    uint64_t id = 0;
    uint32_t prompt_tokens = 0;
    std::vector<std::string> notes;  // parts of the request that are not obeyed to the letter, at most kMaxNotes
};
inline constexpr size_t kMaxNotes = 16;

struct Refused {
    uint64_t id = 0;
    base::ErrorCode code = base::ErrorCode::Failed;
    std::string message;
    uint32_t prompt_tokens = 0;  // of the prompt that does not fit, with ContextExceeded
    uint32_t retry_after_s = 0;  // when it may succeed, as a remote says; 0: it says nothing
};

// The request has its KV pages; again after it had to give them away. So many tokens of its prompt are in them already.
struct Started {
    uint64_t id = 0;
    uint32_t cached_tokens = 0;
};

// The KV pages, whenever these numbers have changed: when requests begin and end, not with every token.
struct Pages {
    uint32_t used = 0;    // by requests
    uint32_t cached = 0;  // free for any, and kept meanwhile for those that begin like earlier ones
    uint32_t total = 0;
};

// How likely a token was: the logarithm of its probability among all that could come next, before temperature and the
// filters.
struct TokenLogprob {
    int32_t id = 0;
    float logprob = 0;  // at least kLeastLogprob
    std::string bytes;  // of its text; a piece of a character by itself need not be UTF-8
};
// In place of the logarithm of nothing: a number that JSON can hold, and the one that OpenAI's API gives.
inline constexpr float kLeastLogprob = -9999;

struct TokenLogprobs {
    TokenLogprob chosen;
    std::vector<TokenLogprob> top;  // the likeliest, by falling logprob; the chosen one need not be among them
};
inline constexpr uint32_t kMaxTokensOfOneStep = 4096;

inline constexpr uint32_t kMaxParts = 1u << 16;  // of one step's answer

// A part of an answer.
struct AnswerPart {
    enum class Kind : uint8_t {
        Text = 0,       // `text` continues the answer
        Thinking,       // `text` continues what the model thinks
        CallBegin,      // a call of the tool `text` begins
        CallArguments,  // `text` continues the JSON text of its arguments
        CallEnd,        // the call is whole
        CallCut,        // the call ends unfinished: its arguments are no JSON
    };
    Kind kind = Kind::Text;
    std::string text;  // valid UTF-8 without U+0000; of Text empty where the thinking has ended and nothing follows yet
    uint32_t call = 0;  // of calls: their number in the answer
    bool operator==(const AnswerPart&) const = default;
};

// One step of one request. Text may lag behind ids (kept for UTF-8 or a stop string). During prefill `ids` and `text`
// are empty and `position` is the progress.
struct Tokens {
    uint64_t id = 0;
    std::vector<int32_t> ids;
    std::vector<AnswerPart> parts;
    uint64_t bytes = 0;                   // of the text that the parts were read from, markup included
    uint32_t position = 0;                // tokens of the sequence that have been computed, prompt included
    std::vector<TokenLogprobs> logprobs;  // one for each of `ids` where they are wanted
};

enum class FinishReason : uint8_t { Stop = 0, Length, ToolCalls, Error };

struct Finished {
    uint64_t id = 0;
    FinishReason reason = FinishReason::Stop;
    base::ErrorCode code = base::ErrorCode::Failed;  // with FinishReason::Error
    std::string message;                             // with FinishReason::Error
    std::vector<AnswerPart> parts;                   // the last ones, as in Tokens
    uint64_t bytes = 0;                              // likewise
    // These count this engine's part of the request only.
    uint32_t prefill_tokens = 0;
    uint64_t prefill_us = 0;
    uint32_t decode_tokens = 0;
    uint64_t decode_us = 0;
    std::vector<float> embedding;    // of length 1, where it is wanted
    uint32_t drafted_tokens = 0;     // computed before it was known that they follow
    uint32_t accepted_tokens = 0;    // drafted tokens that did follow
    std::vector<std::string> notes;  // of the answer, as those of Accepted
    std::string stop;                // the stop string before which the text ends; empty: another end
};

struct Tokenized {
    uint64_t id = 0;
    std::vector<int32_t> ids;
    std::vector<std::string> pieces;  // their texts, control tokens' included, where they are wanted; need not be UTF-8
};

struct Detokenized {
    uint64_t id = 0;
    std::string text;  // control tokens have none, nor is there the blank that the tokenizer puts before a text
};

struct Rendered {
    uint64_t id = 0;
    std::string text;       // control tokens are spelled
    uint32_t n_tokens = 0;  // of the prompt, which the text alone does not tell
};

// The device failed; the engine exits after this frame.
struct Fault {
    std::string message;
};

inline constexpr std::string_view kNoChatTemplate = "none";

// The one frame of `llmd-engine --inspect FILE`.
struct Inspection {
    bool ok = false;
    std::string error;  // when not ok
    std::string architecture;
    std::string quantization;
    std::string file_type;  // the file's name for its mixture of types: "Q4_K_M"; empty where it has none
    uint32_t n_ctx_train = 0;
    uint64_t weight_bytes = 0;
    uint64_t n_parameters = 0;
    uint32_t n_embd = 0;
    uint32_t n_layers = 0;
    uint32_t n_heads = 0;  // the most of a layer, as the next two
    uint32_t n_kv_heads = 0;
    uint32_t n_ff = 0;
    uint32_t n_vocab = 0;
    std::string digest;  // 64 hexadecimal digits that tell files apart; of size, metadata and a sample of the weights
    std::string chat_template;  // the file's, where it has one of at most kMaxInspectedTemplate bytes
    // The family of its chat template, as the setting `chat_template` spells it; kNoChatTemplate if the file has none,
    // empty if it has one that llmd does not recognise.
    std::string chat_family;
    bool chats = false;   // llmd knows the form of its conversations; with it, of calls of tools
    bool thinks = false;  // before it answers
    // These say what a sequence takes, as generation::ContextMemory.
    uint64_t kv_bytes_per_token = 0;
    uint64_t window_bytes_per_token = 0;
    uint32_t window_tokens = 0;
    uint32_t border_tokens = 0;
    // The keys of its architecture, without the architecture's name: those that were read, and those that change
    // nothing.
    std::vector<std::string> keys_read, keys_harmless;
    bool embeds = false;  // it was trained for embeddings (ARCHITECTURE.pooling_type), not for texts
};
inline constexpr size_t kMaxInspectedTemplate = 32u << 10;  // all of an inspection fits into a pipe

using Message =
    std::variant<Load, Submit, Start, Cancel, SetPaused, Tokenize, PhaseChange, LoadProgress, Ready, LoadFailed,
                 Accepted, Refused, Tokens, Finished, Tokenized, Fault, Inspection, DropCache, SetPace, Started, Pages,
                 DeviceChosen, Detokenize, Detokenized, Render, Rendered, Connect, Usage, SetLease, LeaseReleased>;

}  // namespace llmd::protocol
