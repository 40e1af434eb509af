// The fields of every message, each listed once: frame.cpp walks the same list to encode and to decode, so the two
// cannot disagree. A visitor `io` is called with the field's name and a reference to it:
//     io.bytes(name, std::string)   any bytes                  io.text(name, std::string)   text for people
//     io.number(name, T)            integer, bool or float     io.choice(name, T, last)     enum with values 0 … last
//     io.list(name, std::vector)    numbers; or strings, as bytes (io.list) or text (io.texts)
//     io.records(name, std::vector, most)    structs with fields() of their own
//     io.optional(name, std::optional)       a number, or none
// The structs of ask.h have their lists inside.
#pragma once

#include <concepts>
#include <type_traits>

#include "protocol/messages.h"

namespace llmd::protocol {

// M is Message or const Message: one list serves reading and writing.
template <typename M, typename Message>
concept Is = std::same_as<std::remove_const_t<M>, Message>;

template <typename M>
concept IsOfAsk = Is<M, ToolCall> || Is<M, ChatMessage> || Is<M, LogitBias> || Is<M, Submit>;

template <typename Io>
void fields(Io& io, IsOfAsk auto& m) {
    m.fields(io, m);
}

template <typename Io>
void fields(Io& io, Is<Load> auto& m) {
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

template <typename Io>
void fields(Io& io, Is<Connect> auto& m) {
    io.bytes("version", m.version);
    io.bytes("remote", m.remote);
    io.bytes("model", m.model);
}

template <typename Io>
void fields(Io& io, Is<SetLease> auto& m) {
    io.number("held", m.held);
}

template <typename Io>
void fields(Io& io, Is<Start> auto& m) {
    io.number("id", m.id);
    io.choice("priority", m.priority, Priority::Background);
}

template <typename Io>
void fields(Io& io, Is<Cancel> auto& m) {
    io.number("id", m.id);
}

template <typename Io>
void fields(Io& io, Is<SetPaused> auto& m) {
    io.number("id", m.id);
    io.number("paused", m.paused);
}

template <typename Io>
void fields(Io& io, Is<Tokenize> auto& m) {
    io.number("id", m.id);
    io.bytes("text", m.text);
    io.number("add_special", m.add_special);
    io.number("with_pieces", m.with_pieces);
}

template <typename Io>
void fields(Io& io, Is<Detokenize> auto& m) {
    io.number("id", m.id);
    io.list("ids", m.ids);
}

template <typename Io>
void fields(Io& io, Is<Render> auto& m) {
    io.number("id", m.id);
    io.records("messages", m.messages, kMaxChatMessages);
    io.choice("thinking", m.thinking, Thinking::Off);
    io.bytes("tools", m.tools);
}

template <typename Io>
void fields(Io&, Is<DropCache> auto&) {}

template <typename Io>
void fields(Io& io, Is<SetPace> auto& m) {
    io.number("duty_cycle_percent", m.duty_cycle_percent);
}

template <typename Io>
void fields(Io& io, Is<PhaseChange> auto& m) {
    io.choice("phase", m.phase, Phase::Waiting);
    io.number("budget_ms", m.budget_ms);
}

template <typename Io>
void fields(Io& io, Is<LoadProgress> auto& m) {
    io.number("per_mille", m.per_mille);
}

template <typename Io>
void fields(Io& io, Is<DeviceChosen> auto& m) {
    io.choice("backend", m.backend, BackendKind::Remote);
    io.text("device", m.device);
    io.text("driver", m.driver);
}

template <typename Io>
void fields(Io&, Is<LeaseReleased> auto&) {}

template <typename Io>
void fields(Io& io, Is<Usage> auto& m) {
    io.number("id", m.id);
    io.number("prompt_tokens", m.prompt_tokens);
    io.number("cached_tokens", m.cached_tokens);
    io.number("generated_tokens", m.generated_tokens);
    io.number("resumed", m.resumed);
}

template <typename Io>
void fields(Io& io, Is<Ready> auto& m) {
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

template <typename Io>
void fields(Io& io, Is<LoadFailed> auto& m) {
    io.choice("code", m.code, base::kLastErrorCode);
    io.text("message", m.message);
    io.number("retry_after_s", m.retry_after_s);
}

template <typename Io>
void fields(Io& io, Is<Accepted> auto& m) {
    io.number("id", m.id);
    io.number("prompt_tokens", m.prompt_tokens);
    io.texts("notes", m.notes);
}

template <typename Io>
void fields(Io& io, Is<Refused> auto& m) {
    io.number("id", m.id);
    io.choice("code", m.code, base::kLastErrorCode);
    io.text("message", m.message);
    io.number("prompt_tokens", m.prompt_tokens);
    io.number("retry_after_s", m.retry_after_s);
}

template <typename Io>
void fields(Io& io, Is<Started> auto& m) {
    io.number("id", m.id);
    io.number("cached_tokens", m.cached_tokens);
}

template <typename Io>
void fields(Io& io, Is<Pages> auto& m) {
    io.number("used", m.used);
    io.number("cached", m.cached);
    io.number("total", m.total);
}

template <typename Io>
void fields(Io& io, Is<TokenLogprob> auto& m) {
    io.number("logprobs.id", m.id);
    io.number("logprobs.logprob", m.logprob);
    io.bytes("logprobs.bytes", m.bytes);
}

template <typename Io>
void fields(Io& io, Is<TokenLogprobs> auto& m) {
    fields(io, m.chosen);
    io.records("logprobs.top", m.top, kMaxTopLogprobs);
}

template <typename Io>
void fields(Io& io, Is<AnswerPart> auto& m) {
    io.choice("parts.kind", m.kind, AnswerPart::Kind::CallCut);
    io.text("parts.text", m.text);
    io.number("parts.call", m.call);
}

template <typename Io>
void fields(Io& io, Is<Tokens> auto& m) {
    io.number("id", m.id);
    io.list("ids", m.ids);
    io.records("parts", m.parts, kMaxParts);
    io.number("bytes", m.bytes);
    io.number("position", m.position);
    io.records("logprobs", m.logprobs, kMaxTokensOfOneStep);
}

template <typename Io>
void fields(Io& io, Is<Finished> auto& m) {
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

template <typename Io>
void fields(Io& io, Is<Tokenized> auto& m) {
    io.number("id", m.id);
    io.list("ids", m.ids);
    io.list("pieces", m.pieces);
}

template <typename Io>
void fields(Io& io, Is<Detokenized> auto& m) {
    io.number("id", m.id);
    io.text("text", m.text);
}

template <typename Io>
void fields(Io& io, Is<Rendered> auto& m) {
    io.number("id", m.id);
    io.text("text", m.text);
    io.number("n_tokens", m.n_tokens);
}

template <typename Io>
void fields(Io& io, Is<Fault> auto& m) {
    io.text("message", m.message);
}

template <typename Io>
void fields(Io& io, Is<Inspection> auto& m) {
    io.number("ok", m.ok);
    io.text("error", m.error);
    io.text("architecture", m.architecture);
    io.text("quantization", m.quantization);
    io.text("file_type", m.file_type);
    io.number("n_ctx_train", m.n_ctx_train);
    io.number("weight_bytes", m.weight_bytes);
    io.number("n_parameters", m.n_parameters);
    io.number("n_embd", m.n_embd);
    io.number("n_layers", m.n_layers);
    io.number("n_heads", m.n_heads);
    io.number("n_kv_heads", m.n_kv_heads);
    io.number("n_ff", m.n_ff);
    io.number("n_vocab", m.n_vocab);
    io.text("digest", m.digest);
    io.text("chat_template", m.chat_template);
    io.text("chat_family", m.chat_family);
    io.number("chats", m.chats);
    io.number("thinks", m.thinks);
    io.number("kv_bytes_per_token", m.kv_bytes_per_token);
    io.number("window_bytes_per_token", m.window_bytes_per_token);
    io.number("window_tokens", m.window_tokens);
    io.number("border_tokens", m.border_tokens);
    io.number("embeds", m.embeds);
    io.texts("keys_read", m.keys_read);
    io.texts("keys_harmless", m.keys_harmless);
}

}  // namespace llmd::protocol
