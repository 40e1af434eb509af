// The architectures that llmd runs, one row each, and the reading of a model file's keys into a DecoderSpec.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/gguf.h"

namespace llmd::model {

// What an architecture's name implies; the numbers are in the file's keys.
struct Architecture {
    std::string_view name;  // general.architecture
    Norm norm;
    Activation activation;
    Rotation rotation;          // None: positions are learned
    std::string_view norm_eps;  // the key of the norm's epsilon, behind "<architecture>."
};

std::span<const Architecture> architectures();

// "gpt2, llama, qwen2"
std::string architecture_names(std::span<const Architecture> known = architectures());

// ModelLoadFailed names the key and its value: an unknown architecture, a number out of range, heads that do not
// divide, a rope scaling other than none or linear (by its name), and so on.
base::Result<DecoderSpec> read_decoder_spec(const Gguf& gguf, std::span<const Architecture> known = architectures());

}  // namespace llmd::model
