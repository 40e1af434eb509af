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
#include "protocol/inspection.h"

namespace llmd::protocol {

// The version of llmd that this program belongs to: "0.1.0".
std::string_view program_version();

// --- llmd to engine --------------------------------------------------------------------------------------------------

// Which kind of device computes: compute::BackendKind says what each means.
// Remote is no device of this machine: llmd-remote's alone, and never in a Load.
enum class BackendKind : uint8_t { Auto = 0, OpenCl, Cpu, Remote };
// "auto", "opencl", "cpu", "remote": as settings, status and logs name it.
constexpr std::string_view backend_name(BackendKind kind) {
    constexpr std::string_view kNames[] = {"auto", "opencl", "cpu", "remote"};
    return kNames[static_cast<size_t>(kind)];
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
    static void fields(auto& io, auto& m) {
        io.bytes("model_path", m.model_path);
        io.choice("backend", m.backend, BackendKind::Cpu);
        io.bytes("device", m.device);
        io.choice("precision", m.precision, Precision::Fast);
        io.number("n_threads", m.n_threads);
        io.number("n_ctx", m.n_ctx);
        io.number("n_slots", m.n_slots);
        io.number("prefill_chunk", m.prefill_chunk);
        io.bytes("avoid_device", m.avoid_device);
        io.bytes("avoid_driver", m.avoid_driver);
        io.bytes("avoid_device_reason", m.avoid_device_reason);
        io.bytes("chat_template", m.chat_template);
        io.number("saved_prefix_bytes", m.saved_prefix_bytes);
        io.number("memory_bytes", m.memory_bytes);
        io.number("speculates", m.speculates);
    }
};

// The first message to llmd-remote, exactly once, in place of Load. It holds names only: llmd-remote reads the
// settings itself, so that whoever reaches its socket cannot have it read a file or go to another address.
struct Connect {
    std::string version{program_version()};  // llmd-remote may outlive an upgrade; of another version it fails
    std::string remote;                      // the name of a [[remote]] of the settings
    std::string model;                       // of one of its models
    static void fields(auto& io, auto& m) {
        io.bytes("version", m.version);
        io.bytes("remote", m.remote);
        io.bytes("model", m.model);
    }
};

// Whether the engine may compute on its device, which it shares with others; it may at first. Without the lease it
// sends LeaseReleased at the next border of a step, or at once, and is in Phase::Waiting while it has work.
struct SetLease {
    bool held = true;
    static void fields(auto& io, auto& m) { io.number("held", m.held); }
};

// Where requests cannot all be served, those of a smaller value are.
enum class Priority : uint8_t { Interactive = 0, Normal, Background };

// Again for a request that has been started: another priority.
struct Start {
    uint64_t id = 0;
    Priority priority = Priority::Normal;
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.choice("priority", m.priority, Priority::Background);
    }
};

struct Cancel {
    uint64_t id = 0;
    static void fields(auto& io, auto& m) { io.number("id", m.id); }
};

// A paused request makes no tokens. It keeps its KV pages until others need them; then it is rebuilt from its tokens.
struct SetPaused {
    uint64_t id = 0;
    bool paused = false;
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.number("paused", m.paused);
    }
};

struct Tokenize {
    uint64_t id = 0;
    std::string text;
    bool add_special = false;  // the begin-of-text token comes first where the model's prompts have one
    bool with_pieces = false;  // Tokenized has the texts of the tokens
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.bytes("text", m.text);
        io.number("add_special", m.add_special);
        io.number("with_pieces", m.with_pieces);
    }
};

struct Detokenize {
    uint64_t id = 0;
    std::vector<int32_t> ids;  // at most kMaxArrayElements (frame.h)
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.list("ids", m.ids);
    }
};

// A conversation, as in Submit, whose prompt is wanted as text, and its length.
struct Render {
    uint64_t id = 0;
    std::vector<ChatMessage> messages;
    Thinking thinking = Thinking::Default;
    std::string tools;
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.records("messages", m.messages, kMaxChatMessages);
        io.choice("thinking", m.thinking, Thinking::Off);
        io.bytes("tools", m.tools);
    }
};

// Memory is short: the engine lets go of what it keeps to save work later. No text changes by it.
struct DropCache {
    static void fields(auto&, auto&) {}
};

inline constexpr uint32_t kFullDutyCycle = 100;  // percent

// The device is hot: the engine computes for this share of the time and rests between its steps.
// 1..kFullDutyCycle, which it does at first.
struct SetPace {
    uint32_t duty_cycle_percent = kFullDutyCycle;
    static void fields(auto& io, auto& m) { io.number("duty_cycle_percent", m.duty_cycle_percent); }
};

// --- engine to llmd --------------------------------------------------------------------------------------------------

// The engine's next activity, sent before every call that may block. Silence longer than the budget is a hang.
enum class Phase : uint8_t { Idle = 0, Load, KernelBuild, Step, Waiting };

struct PhaseChange {
    Phase phase = Phase::Idle;
    uint32_t budget_ms = 0;  // 0: idle, or waiting for the lease: silence means nothing
    static void fields(auto& io, auto& m) {
        io.choice("phase", m.phase, Phase::Waiting);
        io.number("budget_ms", m.budget_ms);
    }
};

struct LoadProgress {
    uint32_t per_mille = 0;
    static void fields(auto& io, auto& m) { io.number("per_mille", m.per_mille); }
};

// Where the model is about to go, before anything is built there; again when that has failed and another device gets
// it. Says whose failure an end before Ready is. Device and driver are those of Ready, empty for the CPU.
struct DeviceChosen {
    BackendKind backend = BackendKind::Cpu;  // never Auto
    std::string device;
    std::string driver;
    static void fields(auto& io, auto& m) {
        io.choice("backend", m.backend, BackendKind::Remote);
        io.text("device", m.device);
        io.text("driver", m.driver);
    }
};

// The answer to SetLease{false}: nothing of this engine is on the device.
struct LeaseReleased {
    static void fields(auto&, auto&) {}
};

// From llmd-remote, before Finished: the figures that only the remote counts.
struct Usage {
    uint64_t id = 0;
    uint32_t prompt_tokens = 0;  // 0: unknown; also where Accepted has said 0
    uint32_t cached_tokens = 0;  // prompt tokens from the cache
    uint32_t generated_tokens = 0;
    uint32_t resumed = 0;  // how often the text was cut and went on
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.number("prompt_tokens", m.prompt_tokens);
        io.number("cached_tokens", m.cached_tokens);
        io.number("generated_tokens", m.generated_tokens);
        io.number("resumed", m.resumed);
    }
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
    static void fields(auto& io, auto& m) {
        io.text("architecture", m.architecture);
        io.text("quantization", m.quantization);
        io.number("n_ctx", m.n_ctx);
        io.number("n_vocab", m.n_vocab);
        io.number("n_slots", m.n_slots);
        io.choice("backend", m.backend, BackendKind::Remote);
        io.text("device", m.device);
        io.text("driver", m.driver);
        io.choice("precision", m.precision, Precision::Fast);
        io.text("profile", m.profile);
        io.texts("notes", m.notes);
        io.text("sandbox", m.sandbox);
        io.number("weight_bytes", m.weight_bytes);
        io.number("kv_bytes", m.kv_bytes);
        io.number("overhead_bytes", m.overhead_bytes);
        io.number("load_ms", m.load_ms);
    }
};

struct LoadFailed {
    base::ErrorCode code = base::ErrorCode::ModelLoadFailed;
    std::string message;
    uint32_t retry_after_s = 0;  // as of Refused
    static void fields(auto& io, auto& m) {
        io.choice("code", m.code, base::kLastErrorCode);
        io.text("message", m.message);
        io.number("retry_after_s", m.retry_after_s);
    }
};

struct Accepted {
    uint64_t id = 0;
    uint32_t prompt_tokens = 0;
    std::vector<std::string> notes;  // parts of the request that are not obeyed to the letter, at most kMaxNotes
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.number("prompt_tokens", m.prompt_tokens);
        io.texts("notes", m.notes);
    }
};
inline constexpr size_t kMaxNotes = 16;

struct Refused {
    uint64_t id = 0;
    base::ErrorCode code = base::ErrorCode::Failed;
    std::string message;
    uint32_t prompt_tokens = 0;  // of the prompt that does not fit, with ContextExceeded
    uint32_t retry_after_s = 0;  // when it may succeed, as a remote says; 0: it says nothing
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.choice("code", m.code, base::kLastErrorCode);
        io.text("message", m.message);
        io.number("prompt_tokens", m.prompt_tokens);
        io.number("retry_after_s", m.retry_after_s);
    }
};

// The request has its KV pages; again after it had to give them away. So many tokens of its prompt are in them already.
struct Started {
    uint64_t id = 0;
    uint32_t cached_tokens = 0;
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.number("cached_tokens", m.cached_tokens);
    }
};

// The KV pages, whenever these numbers have changed: when requests begin and end, not with every token.
struct Pages {
    uint32_t used = 0;    // by requests
    uint32_t cached = 0;  // free for any, and kept meanwhile for those that begin like earlier ones
    uint32_t total = 0;
    static void fields(auto& io, auto& m) {
        io.number("used", m.used);
        io.number("cached", m.cached);
        io.number("total", m.total);
    }
};

// How likely a token was: the logarithm of its probability among all that could come next, before temperature and the
// filters.
struct TokenLogprob {
    int32_t id = 0;
    float logprob = 0;  // at least kLeastLogprob
    std::string bytes;  // of its text; a piece of a character by itself need not be UTF-8
    static void fields(auto& io, auto& m) {
        io.number("logprobs.id", m.id);
        io.number("logprobs.logprob", m.logprob);
        io.bytes("logprobs.bytes", m.bytes);
    }
};
// In place of the logarithm of nothing: a number that JSON can hold, and the one that OpenAI's API gives.
inline constexpr float kLeastLogprob = -9999;

struct TokenLogprobs {
    TokenLogprob chosen;
    std::vector<TokenLogprob> top;  // the likeliest, by falling logprob; the chosen one need not be among them
    static void fields(auto& io, auto& m) {
        TokenLogprob::fields(io, m.chosen);
        io.records("logprobs.top", m.top, kMaxTopLogprobs);
    }
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
    static void fields(auto& io, auto& m) {
        io.choice("parts.kind", m.kind, AnswerPart::Kind::CallCut);
        io.text("parts.text", m.text);
        io.number("parts.call", m.call);
    }
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
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.list("ids", m.ids);
        io.records("parts", m.parts, kMaxParts);
        io.number("bytes", m.bytes);
        io.number("position", m.position);
        io.records("logprobs", m.logprobs, kMaxTokensOfOneStep);
    }
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
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.choice("reason", m.reason, FinishReason::Error);
        io.choice("code", m.code, base::kLastErrorCode);
        io.text("message", m.message);
        io.records("parts", m.parts, kMaxParts);
        io.number("bytes", m.bytes);
        io.number("prefill_tokens", m.prefill_tokens);
        io.number("prefill_us", m.prefill_us);
        io.number("decode_tokens", m.decode_tokens);
        io.number("decode_us", m.decode_us);
        io.list("embedding", m.embedding);
        io.number("drafted_tokens", m.drafted_tokens);
        io.number("accepted_tokens", m.accepted_tokens);
        io.texts("notes", m.notes);
        io.bytes("stop", m.stop);
    }
};

struct Tokenized {
    uint64_t id = 0;
    std::vector<int32_t> ids;
    std::vector<std::string> pieces;  // their texts, control tokens' included, where they are wanted; need not be UTF-8
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.list("ids", m.ids);
        io.list("pieces", m.pieces);
    }
};

struct Detokenized {
    uint64_t id = 0;
    std::string text;  // control tokens have none, nor is there the blank that the tokenizer puts before a text
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.text("text", m.text);
    }
};

struct Rendered {
    uint64_t id = 0;
    std::string text;       // control tokens are spelled
    uint32_t n_tokens = 0;  // of the prompt, which the text alone does not tell
    static void fields(auto& io, auto& m) {
        io.number("id", m.id);
        io.text("text", m.text);
        io.number("n_tokens", m.n_tokens);
    }
};

// The device failed; the engine exits after this frame.
struct Fault {
    std::string message;
    static void fields(auto& io, auto& m) { io.text("message", m.message); }
};

using Message =
    std::variant<Load, Submit, Start, Cancel, SetPaused, Tokenize, PhaseChange, LoadProgress, Ready, LoadFailed,
                 Accepted, Refused, Tokens, Finished, Tokenized, Fault, Inspection, DropCache, SetPace, Started, Pages,
                 DeviceChosen, Detokenize, Detokenized, Render, Rendered, Connect, Usage, SetLease, LeaseReleased>;

}  // namespace llmd::protocol
