// The config.json of a model's directory, as Hugging Face's transformers writes it: the kind of decoder, and how the
// directory's tensors map to GGUF's. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/convert/gguf_output.h"
#include "engine/convert/input_file.h"

namespace llmd::convert {

// The number of rows or columns of a tensor.
enum class Dimension : uint8_t { One, Embedding, Queries, Keys, QueriesKeysValues, FeedForward, Vocabulary, Context };

enum class Arrangement : uint8_t {
    AsIs,
    Transposed,  // GPT-2's matrices have a row for each input
    Rotated,     // RoPE rotates rows i and i + head_dim/2 of a head together; see HfArchitecture::rotates_neighbours
};

// The names of tensors in a layer follow "blk.<layer>." in GGUF, and the architecture's prefix of layers here.
struct HfTensor {
    std::string_view gguf;  // "attn_q.weight"
    std::string_view hf;    // "self_attn.q_proj.weight"
    Dimension rows, cols;   // rows One: a vector
    Arrangement arrangement = Arrangement::AsIs;
    bool is_optional = false;
};

// A row of the table of architectures.
struct HfArchitecture;

struct HfConfig {
    // ModelLoadFailed names key and value: an unknown architecture, a variant that is not supported (another
    // activation, sliding-window attention, another RoPE scaling), or numbers that are missing, out of range or
    // inconsistent.
    static base::Result<HfConfig> read(const JsonObject& config);

    // Adds the metadata of the architecture.
    void add_metadata(GgufOutput& out) const;
    uint64_t size_of(Dimension dimension) const;

    const HfArchitecture* architecture = nullptr;
    uint32_t n_layers = 0, n_embd = 0, n_heads = 0, n_kv_heads = 0, head_dim = 0, n_ff = 0, n_vocab = 0,
             n_ctx_train = 0;
    float norm_eps = 0, rope_theta = 0;
    float rope_factor = 1;            // of linear scaling
    std::vector<float> rope_factors;  // divisors of the frequencies in LLaMA 3's scaling; empty: none
    bool has_output = false;          // the output has a matrix of its own; else it is the token embedding's
    std::optional<uint32_t> begin_id;
    std::vector<uint32_t> end_ids;
};

struct HfArchitecture {
    std::string_view name;    // config.json's model_type, and GGUF's general.architecture
    std::string_view base;    // optional prefix of all tensor names but the output's
    std::string_view layers;  // prefix after `base` of tensors in a layer, before the layer's number
    std::span<const HfTensor> tensors;
    std::span<const HfTensor> in_layers;
    std::string_view eps_key;  // GGUF's
    bool rotates;              // it uses RoPE
    bool rotates_neighbours;   // in GGUF, RoPE rotates rows 2i and 2i + 1 of a head together
    base::Result<void> (*read)(const JsonObject& config, HfConfig& out);
};

}  // namespace llmd::convert
