// The one frame of `llmd-engine --inspect FILE`: what a model file is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace llmd::protocol {

inline constexpr std::string_view kNoChatTemplate = "none";

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
    static void fields(auto& io, auto& m) {
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
};
inline constexpr size_t kMaxInspectedTemplate = 32u << 10;  // all of an inspection fits into a pipe

}  // namespace llmd::protocol
