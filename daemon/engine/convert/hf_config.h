// The config.json of a model's directory as Hugging Face's transformers writes it: what kind of decoder the model is,
// and which of the directory's tensors is which of GGUF's. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/convert/gguf_output.h"
#include "engine/convert/json_file.h"

namespace llmd::convert {

// The rows of a tensor, or the columns.
enum class Dimension : uint8_t { One, Embedding, Queries, Keys, QueriesKeysValues, FeedForward, Vocabulary, Context };

enum class Arrangement : uint8_t {
    AsIs,
    Transposed,  // GPT-2's matrices have a row for each input
    Rotated,     // rows i and i + head_dim/2 of a head are rotated together; HfArchitecture::rotates_neighbours
};

// Names of tensors in a layer come after "blk.<layer>." and the architecture's prefix of layers.
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
    // ModelLoadFailed names key and value: an architecture that is not known, one of its variants that llmd does not
    // compute (another activation, a window, a scaling of the rotation), numbers that are missing, out of range or do
    // not fit each other.
    static base::Result<HfConfig> read(const JsonObject& config);

    // Everything that is not the tokenizer's, and not of the file.
    void add_metadata(GgufOutput& out) const;
    uint64_t size_of(Dimension dimension) const;

    const HfArchitecture* architecture = nullptr;
    uint32_t n_layers = 0, n_embd = 0, n_heads = 0, n_kv_heads = 0, head_dim = 0, n_ff = 0, n_vocab = 0,
             n_ctx_train = 0;
    float norm_eps = 0, rope_theta = 0;
    float rope_factor = 1;            // of a linear scaling
    std::vector<float> rope_factors;  // of LLaMA 3's: divides each frequency; empty: none
    bool has_output = false;          // a matrix for the output, which else is the embedding's
    std::optional<uint32_t> begin_id;
    std::vector<uint32_t> end_ids;
};

struct HfArchitecture {
    std::string_view name;    // config.json's model_type, and GGUF's general.architecture
    std::string_view base;    // what the names of all tensors but the output's may begin with
    std::string_view layers;  // and in a layer go on with, before its number
    std::span<const HfTensor> tensors;
    std::span<const HfTensor> in_layers;
    std::string_view eps_key;  // GGUF's
    bool rotates;              // positions are rotations
    bool rotates_neighbours;   // GGUF's readers rotate rows 2i and 2i + 1 of a head together
    base::Result<void> (*read)(const JsonObject& config, HfConfig& out);
};

}  // namespace llmd::convert
