#include "engine/convert/file_type.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace llmd::convert {
namespace {

using model::TensorType;

struct FileTypeRow {
    FileType type;
    std::string_view name;
    TensorType matrices;  // of most of them
};

constexpr std::array kFileTypes = {
    FileTypeRow{FileType::F32, "f32", TensorType::F32},        FileTypeRow{FileType::F16, "f16", TensorType::F16},
    FileTypeRow{FileType::BF16, "bf16", TensorType::BF16},     FileTypeRow{FileType::Q8_0, "q8_0", TensorType::Q8_0},
    FileTypeRow{FileType::Q4_K_M, "q4_k_m", TensorType::Q4_K}, FileTypeRow{FileType::Q4_0, "q4_0", TensorType::Q4_0},
};

// True for the first and the last eighth of the layers, and for every third between.
bool deserves_more_bits(uint32_t layer, uint32_t n_layers) {
    const uint32_t eighth = n_layers / 8;
    return layer < eighth || layer >= 7 * n_layers / 8 || (layer - eighth) % 3 == 2;
}

TensorType wanted_type(FileType file, TensorType matrices, const TensorShape& tensor, uint32_t n_layers,
                       bool has_output) {
    const bool is_quantized = model::block_format(matrices).block_weights > 1;
    if (tensor.name == (has_output ? "output.weight" : "token_embd.weight")) {
        return is_quantized && matrices != TensorType::Q8_0 ? TensorType::Q6_K : matrices;
    }
    if (file != FileType::Q4_K_M) return matrices;
    const auto is = [&](std::string_view name) { return tensor.name.ends_with(name); };
    const bool may_have_more = is("attn_v.weight") || is("attn_qkv.weight") || is("ffn_down.weight");
    return may_have_more && deserves_more_bits(tensor.layer, n_layers) ? TensorType::Q6_K : matrices;
}

// Returns the type to use instead if rows are not whole blocks.
TensorType next_type(TensorType type) {
    switch (type) {
        case TensorType::Q4_K:
            return TensorType::Q5_0;
        case TensorType::Q6_K:
            return TensorType::Q8_0;
        default:
            return TensorType::F32;
    }
}

}  // namespace

std::optional<FileType> find_file_type(std::string_view name) {
    std::string lower(name);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const FileTypeRow& row : kFileTypes) {
        if (row.name == lower) return row.type;
    }
    return std::nullopt;
}

std::string file_type_names() {
    std::string names;
    for (const FileTypeRow& row : kFileTypes) names.append(names.empty() ? "" : ", ").append(row.name);
    return names;
}

TensorType tensor_type(FileType type, const TensorShape& tensor, uint32_t n_layers, bool has_output) {
    if (tensor.rows == 0 || tensor.name == "position_embd.weight") return TensorType::F32;
    const auto row = std::find_if(kFileTypes.begin(), kFileTypes.end(), [&](const auto& r) { return r.type == type; });
    TensorType chosen = wanted_type(type, row->matrices, tensor, n_layers, has_output);
    while (tensor.cols % model::block_format(chosen).block_weights != 0) chosen = next_type(chosen);
    return chosen;
}

}  // namespace llmd::convert
