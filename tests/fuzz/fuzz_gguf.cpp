// A model file from anywhere, or two that follow each other as the parts of a split model: parse it, join the parts,
// read its spec, derive operations and rotations, bind its weights, read every metadata key a loader reads and decode
// the first row of each tensor.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/model/architectures.h"
#include "engine/model/gguf.h"
#include "engine/model/model_file.h"
#include "engine/model/weights.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace llmd::model;
    constexpr std::string_view kMagic = "GGUF";
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const size_t cut = std::min(text.find(kMagic, std::min(size, kMagic.size())), size);
    // Buffers of exactly these sizes on the heap, so that the address sanitizer sees one byte too many.
    const std::vector<uint8_t> copy(data, data + cut), rest(data + cut, data + size);
    auto gguf = Gguf::parse(std::as_bytes(std::span(copy)));
    if (!gguf) return 0;
    if (const auto keys = read_part_keys(*gguf); keys && keys->count > 1) {
        const auto part = Gguf::parse(std::as_bytes(std::span(rest)));
        if (part && !join_part(*gguf, *keys, *part, 2)) return 0;
        (void)check_joined(*gguf, *keys);
    }

    for (const char* key : {"general.architecture", "tokenizer.ggml.tokens", "tokenizer.ggml.token_type",
                            "tokenizer.ggml.scores", "tokenizer.ggml.add_bos_token"}) {
        (void)gguf->get_u32(key);
        (void)gguf->get_f32(key);
        (void)gguf->get_bool_or(key, false);
        (void)gguf->get_string(key);
        if (const auto texts = gguf->get_strings(key)) {
            for (const std::string_view one : *texts) (void)in_quotes(one);
        }
        (void)gguf->get_floats(key);
        (void)gguf->get_ints(key);
    }
    std::vector<float> row;
    for (const auto& [name, tensor] : gguf->tensors()) {
        row.resize(tensor.cols);
        dequantize(tensor.type, tensor.row(0), row);
        dequantize(tensor.type, tensor.row(tensor.rows - 1), row);
    }
    const auto spec = read_decoder_spec(*gguf);
    if (!spec) return 0;
    std::vector<float> rotations(size_t{2} * spec->n_rot());  // of two positions
    for (const Rope& rope : spec->ropes) fill_rotations(rope, spec->n_rot(), {}, rotations);
    const auto weights = Weights::bind(*gguf, *spec);
    if (!weights) return 0;
    for (const Weight& weight : weights->all()) (void)weights->find(weight.role, weight.layer);
    return 0;
}
