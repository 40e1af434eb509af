// Makes GGUF files in memory: well-formed ones, ones with a single lie in them, and whole tiny models that tokenize and
// generate. The same arguments give the same bytes on every machine.
// Thread-bound.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/gguf_layout.h"
#include "engine/model/quantization.h"

namespace llmd::test {

using model::ValueType;

template <typename T>
concept Scalar = std::integral<T> || std::floating_point<T>;

template <Scalar T>
constexpr ValueType value_type_of() {
    if constexpr (std::same_as<T, bool>)
        return ValueType::Bool;
    else if constexpr (std::same_as<T, float>)
        return ValueType::F32;
    else if constexpr (std::same_as<T, double>)
        return ValueType::F64;
    else if constexpr (std::signed_integral<T>) {
        return sizeof(T) == 1   ? ValueType::I8
               : sizeof(T) == 2 ? ValueType::I16
               : sizeof(T) == 4 ? ValueType::I32
                                : ValueType::I64;
    } else {
        return sizeof(T) == 1   ? ValueType::U8
               : sizeof(T) == 2 ? ValueType::U16
               : sizeof(T) == 4 ? ValueType::U32
                                : ValueType::U64;
    }
}

class GgufWriter {
public:
    // Version 2 and 3 files have the same layout. With an alignment other than 32, `general.alignment` is added.
    explicit GgufWriter(uint32_t version = 3, uint32_t alignment = 32);

    // Metadata in the order of the calls; the C++ type is the GGUF type. Nothing is checked: a key may be added twice.
    template <Scalar T>
    void add(std::string_view key, T value) {
        add_raw(key, value_type_of<T>(), std::as_bytes(std::span(&value, 1)));
    }
    void add(std::string_view key, std::string_view value);
    void add(std::string_view key, const char* value) { add(key, std::string_view(value)); }
    template <Scalar T>
    void add_array(std::string_view key, const std::vector<T>& values) {
        add_array_raw(key, value_type_of<T>(), values.size(), std::as_bytes(std::span(values)));
    }
    void add_array(std::string_view key, const std::vector<std::string>& values);
    // Any type id and any bytes after it.
    void add_raw(std::string_view key, ValueType type, std::span<const std::byte> value);
    void add_array_raw(std::string_view key, ValueType element, uint64_t count, std::span<const std::byte> elements);

    // Tensors in the order of the calls, each at the next aligned offset. `data` should have the size that type and
    // shape ask for, but nothing is checked.
    void add_tensor(std::string_view name, model::TensorType type, uint64_t rows, uint64_t cols,
                    std::span<const std::byte> data);
    // A vector (one dimension) of floats.
    void add_vector(std::string_view name, std::span<const float> values);
    // As the file shall say it: dimensions in GGUF's order (cols first), any type id, any offset; adds no data.
    void add_tensor_raw(std::string_view name, std::span<const uint64_t> dimensions, uint32_t type_id, uint64_t offset);

    // Offset that the next add_tensor() will use, relative to the data section.
    uint64_t next_offset() const;
    // The whole file.
    std::vector<std::byte> bytes() const;
    // The files of the same model as a split one (engine/model/model_file.h), each with as many tensors as the next, or
    // one more. Precondition: all tensors have their data.
    std::vector<GgufWriter> parts(uint32_t n_parts) const;

private:
    struct Tensor {
        std::string name;
        std::vector<uint64_t> dimensions;
        uint32_t type_id;
        uint64_t offset;
    };

    uint32_t version_;
    uint32_t alignment_;
    uint64_t n_values_ = 0;
    uint64_t n_tensors_ = 0;
    std::vector<std::byte> values_;
    std::vector<std::byte> tensor_infos_;
    std::vector<Tensor> tensors_;
    std::vector<std::byte> data_;
};

using RandomBits = std::mt19937_64;  // the standard fixes its sequence; the distributions differ between libraries

// Uniform in [low, high).
float random_float(RandomBits& bits, float low, float high);

// `weights` random weights as blocks of any supported type, mean about 0, magnitude up to about `amplitude`, all
// finite.
std::vector<std::byte> random_blocks(model::TensorType type, uint64_t weights, float amplitude, RandomBits& bits);

// A complete model with random weights and a byte-level BPE tokenizer ("gpt-2" pre-tokenizer): ids 0..255 are single
// bytes in the order of their values, 256 is the control token <|endoftext|> (begin and end of text, not added to
// prompts), then tokens of a few merges ("he", " the"), then control_tokens, then unused ones.
struct TinyModel {
    // "gpt2", "llama", "qwen2", "qwen3"; "gemma2" and "gemma3": post-norms, and windows in every second layer; "phi3":
    // windows in all layers; "lfm2":
    // every second layer from the first on is a convolution
    std::string architecture = "llama";
    uint64_t seed = 1;
    uint32_t n_layers = 2;
    uint32_t n_embd = 32;
    uint32_t n_heads = 4;
    uint32_t n_kv_heads = 2;  // gpt2 needs n_heads
    uint32_t head_dim = 8;    // gpt2 needs n_embd / n_heads; attention.key_length is written where it differs from that
    uint32_t n_ff = 64;
    uint32_t n_vocab = 288;  // at least 257
    uint32_t n_ctx = 128;
    model::TensorType type = model::TensorType::F32;  // of every matrix; n_embd, n_ff, n_heads * head_dim: whole blocks
    bool tied = true;                                 // no output.weight
    bool qkv_biases = false;                          // llama too; qwen2 and gpt2 always have them
    float rope_theta = 10000;                         // llama and qwen2
    uint32_t n_rot = 0;                               // rope.dimension_count; 0: not written
    bool rope_freqs = false;                          // a rope_freqs.weight tensor with factors 1..8
    std::string rope_scaling;                         // rope.scaling.type; empty: not written
    float rope_factor = 0;                            // rope.scaling.factor; 0: not written
    uint32_t window = 0;                              // attention.sliding_window; 0: not written
    std::vector<std::string> control_tokens;
    uint32_t version = 3;
    std::string pre = "gpt-2";  // tokenizer.ggml.pre
};

// Metadata and tensors of `model`; the caller may add more before bytes().
GgufWriter tiny_model_writer(const TinyModel& model);
std::vector<std::byte> tiny_model(const TinyModel& model);

// Writes `bytes` to `path`, replacing it; false when that fails.
bool write_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace llmd::test
