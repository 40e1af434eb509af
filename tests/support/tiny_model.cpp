#include <array>
#include <cmath>
#include <utility>

#include "support/gguf_writer.h"

namespace llmd::test {
namespace {

using model::TensorType;

constexpr uint32_t kEndOfText = 256;
constexpr int32_t kNormal = 1;
constexpr int32_t kControl = 3;
constexpr int32_t kUnused = 5;

// In the order of their rank; "Ġ" stands for a space (the byte-level alphabet of GPT-2).
constexpr std::array<std::pair<const char*, const char*>, 20> kMerges = {{
    {"h", "e"}, {"Ġ", "t"},  {"Ġt", "he"}, {"Ġ", "a"}, {"i", "n"}, {"r", "e"}, {"o", "n"},
    {"Ġ", "s"}, {"n", "d"},  {"Ġa", "nd"}, {"o", "u"}, {"e", "r"}, {"Ġ", "w"}, {"i", "s"},
    {"l", "l"}, {"in", "g"}, {"Ġ", "o"},   {"e", "d"}, {"Ġ", "b"}, {"a", "t"},
}};

// The printable character that stands for a byte: itself where it is one, else the next free code point from U+0100.
std::vector<std::string> byte_alphabet() {
    std::vector<std::string> alphabet;
    uint32_t next = 256;
    for (uint32_t byte = 0; byte < 256; ++byte) {
        const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
        const uint32_t code = printable ? byte : next++;
        std::string text;
        if (code < 0x80) {
            text += static_cast<char>(code);
        } else {
            text += static_cast<char>(0xc0 | code >> 6);
            text += static_cast<char>(0x80 | (code & 0x3f));
        }
        alphabet.push_back(text);
    }
    return alphabet;
}

void add_tokenizer(GgufWriter& writer, const TinyModel& model) {
    std::vector<std::string> tokens = byte_alphabet();
    std::vector<int32_t> kinds(tokens.size(), kNormal);
    std::vector<std::string> merges;
    tokens.push_back("<|endoftext|>");
    kinds.push_back(kControl);
    for (const auto& [left, right] : kMerges) {
        if (tokens.size() >= model.n_vocab) break;
        merges.push_back(std::string(left) + " " + right);
        tokens.push_back(std::string(left) + right);
        kinds.push_back(kNormal);
    }
    for (const std::string& token : model.control_tokens) {
        tokens.push_back(token);
        kinds.push_back(kControl);
    }
    for (size_t n_unused = 0; tokens.size() < model.n_vocab; ++n_unused) {
        tokens.push_back("<unused" + std::to_string(n_unused) + ">");
        kinds.push_back(kUnused);
    }
    writer.add("tokenizer.ggml.model", "gpt2");
    writer.add("tokenizer.ggml.pre", model.pre);
    writer.add_array("tokenizer.ggml.tokens", tokens);
    writer.add_array("tokenizer.ggml.token_type", kinds);
    writer.add_array("tokenizer.ggml.merges", merges);
    writer.add("tokenizer.ggml.bos_token_id", kEndOfText);
    writer.add("tokenizer.ggml.eos_token_id", kEndOfText);
    writer.add("tokenizer.ggml.add_bos_token", false);
}

constexpr uint32_t kTaps = 3;

bool is_gemma(const TinyModel& model) {
    return model.architecture == "gemma2" || model.architecture == "gemma3";
}

bool is_convolution(const TinyModel& model, uint32_t layer) {
    return model.architecture == "lfm2" && layer % 2 == 0;
}

void add_configuration(GgufWriter& writer, const TinyModel& model) {
    const bool gpt2 = model.architecture == "gpt2";
    const auto key = [&](const char* name) { return model.architecture + "." + name; };
    writer.add("general.architecture", model.architecture);
    writer.add("general.name", "tiny-" + model.architecture);
    writer.add(key("block_count"), model.n_layers);
    writer.add(key("context_length"), model.n_ctx);
    writer.add(key("embedding_length"), model.n_embd);
    writer.add(key("feed_forward_length"), model.n_ff);
    writer.add(key("attention.head_count"), model.n_heads);
    if (model.architecture == "lfm2") {
        std::vector<int32_t> n_kv_heads(model.n_layers, static_cast<int32_t>(model.n_kv_heads));
        for (uint32_t layer = 0; layer < model.n_layers; ++layer) {
            if (is_convolution(model, layer)) n_kv_heads[layer] = 0;
        }
        writer.add_array(key("attention.head_count_kv"), n_kv_heads);
        writer.add(key("shortconv.l_cache"), kTaps);
    } else if (model.n_kv_heads != model.n_heads) {
        writer.add(key("attention.head_count_kv"), model.n_kv_heads);
    }
    if (model.n_heads * model.head_dim != model.n_embd) {
        writer.add(key("attention.key_length"), model.head_dim);
        writer.add(key("attention.value_length"), model.head_dim);
    }
    writer.add(key(gpt2 ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"), 1e-5f);
    if (gpt2) return;
    writer.add(key("rope.freq_base"), model.rope_theta);
    if (model.n_rot != 0) writer.add(key("rope.dimension_count"), model.n_rot);
    if (!model.rope_scaling.empty()) writer.add(key("rope.scaling.type"), model.rope_scaling);
    if (model.window != 0) writer.add(key("attention.sliding_window"), model.window);
    if (model.architecture == "gemma3") writer.add(key("attention.sliding_window_pattern"), 2u);
    if (model.rope_factor != 0) writer.add(key("rope.scaling.factor"), model.rope_factor);
}

// Adds tensors with seeded random weights of a magnitude that keeps activations near 1.
class RandomTensors {
public:
    RandomTensors(GgufWriter& writer, const TinyModel& model) : writer_(writer), type_(model.type), bits_(model.seed) {}

    void matrix(const std::string& name, uint64_t rows, uint64_t cols, float amplitude) {
        writer_.add_tensor(name, type_, rows, cols, random_blocks(type_, rows * cols, amplitude, bits_));
    }
    void projection(const std::string& name, uint64_t rows, uint64_t cols) {
        matrix(name, rows, cols, std::sqrt(3.0f / static_cast<float>(cols)));
    }
    void floats(const std::string& name, uint64_t size, float low, float high) {
        std::vector<float> values(size);
        for (float& value : values) value = random_float(bits_, low, high);
        writer_.add_vector(name, values);
    }
    void taps(const std::string& name, uint64_t channels) {
        std::vector<float> values(channels * kTaps);
        for (float& value : values) value = random_float(bits_, -1, 1);
        writer_.add_tensor(name, TensorType::F32, channels, kTaps, std::as_bytes(std::span(values)));
    }
    void norm(const std::string& name, uint64_t size, bool with_bias) {
        floats(name + ".weight", size, 0.8f, 1.2f);
        if (with_bias) bias(name, size);
    }
    void bias(const std::string& name, uint64_t size) { floats(name + ".bias", size, -0.1f, 0.1f); }

private:
    GgufWriter& writer_;
    TensorType type_;
    RandomBits bits_;
};

void add_layer(RandomTensors& tensors, const TinyModel& model, uint32_t layer) {
    const bool gpt2 = model.architecture == "gpt2";
    const bool qkv_biases = gpt2 || model.architecture == "qwen2" || model.qkv_biases;
    const std::string block = "blk." + std::to_string(layer) + ".";
    const uint32_t q = model.n_heads * model.head_dim;
    const uint32_t kv = model.n_kv_heads * model.head_dim;

    tensors.norm(block + "attn_norm", model.n_embd, gpt2);
    if (is_convolution(model, layer)) {
        tensors.projection(block + "shortconv.in_proj.weight", uint64_t{3} * model.n_embd, model.n_embd);
        tensors.taps(block + "shortconv.conv.weight", model.n_embd);
    } else if (gpt2) {
        tensors.projection(block + "attn_qkv.weight", q + 2 * kv, model.n_embd);
        tensors.bias(block + "attn_qkv", q + 2 * kv);
    } else {
        for (const auto& [name, rows] : {std::pair{"attn_q", q}, {"attn_k", kv}, {"attn_v", kv}}) {
            tensors.projection(block + name + ".weight", rows, model.n_embd);
            if (qkv_biases) tensors.bias(block + name, rows);
        }
    }
    const bool normalises_heads =
        model.architecture == "gemma3" || model.architecture == "lfm2" || model.architecture == "qwen3";
    if (normalises_heads && !is_convolution(model, layer)) {
        tensors.norm(block + "attn_q_norm", model.head_dim, false);
        tensors.norm(block + "attn_k_norm", model.head_dim, false);
    }
    if (is_convolution(model, layer)) {
        tensors.projection(block + "shortconv.out_proj.weight", model.n_embd, model.n_embd);
    } else {
        tensors.projection(block + "attn_output.weight", model.n_embd, q);
    }
    if (gpt2) tensors.bias(block + "attn_output", model.n_embd);
    tensors.norm(block + "ffn_norm", model.n_embd, gpt2);
    if (!gpt2) tensors.projection(block + "ffn_gate.weight", model.n_ff, model.n_embd);
    tensors.projection(block + "ffn_up.weight", model.n_ff, model.n_embd);
    if (gpt2) tensors.bias(block + "ffn_up", model.n_ff);
    tensors.projection(block + "ffn_down.weight", model.n_embd, model.n_ff);
    if (gpt2) tensors.bias(block + "ffn_down", model.n_embd);
    if (!is_gemma(model)) return;
    tensors.norm(block + "post_attention_norm", model.n_embd, false);
    tensors.norm(block + "post_ffw_norm", model.n_embd, false);
}

}  // namespace

GgufWriter tiny_model_writer(const TinyModel& model) {
    const bool gpt2 = model.architecture == "gpt2";
    GgufWriter writer(model.version);
    add_configuration(writer, model);
    add_tokenizer(writer, model);
    RandomTensors tensors(writer, model);
    tensors.matrix("token_embd.weight", model.n_vocab, model.n_embd, 1.0f);
    if (gpt2) tensors.matrix("position_embd.weight", model.n_ctx, model.n_embd, 0.5f);
    if (model.rope_freqs) {
        const uint32_t size = (model.n_rot != 0 ? model.n_rot : model.head_dim) / 2;
        std::vector<float> factors(size);
        for (uint32_t i = 0; i < size; ++i) {
            factors[i] = 1 + 7 * static_cast<float>(i) / static_cast<float>(size > 1 ? size - 1 : 1);
        }
        writer.add_vector("rope_freqs.weight", factors);
    }
    for (uint32_t layer = 0; layer < model.n_layers; ++layer) add_layer(tensors, model, layer);
    tensors.norm(model.architecture == "lfm2" ? "token_embd_norm" : "output_norm", model.n_embd, gpt2);
    if (!model.tied) tensors.matrix("output.weight", model.n_vocab, model.n_embd, 1.0f);
    return writer;
}

std::vector<std::byte> tiny_model(const TinyModel& model) {
    return tiny_model_writer(model).bytes();
}

}  // namespace llmd::test
