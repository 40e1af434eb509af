#include "engine/model/key_reader.h"

#include <algorithm>

namespace llmd::model {
namespace {

using base::Error;
using base::ErrorCode;
using base::fail;

// When a key changes nothing.
enum class Harmless : uint8_t {
    Always,
    IfZero,         // a number, or an array of numbers
    IfUnrotated,    // no layer is rotated
    IfNoYarn,       // the file does not scale by YaRN
    IfNoWindow,     // no layer has a window
    IfPastContext,  // 0, or at least as many positions as the model has
};

struct HarmlessKey {
    std::string_view name;  // with a full stop or an underscore at its end: all names that begin so
    Harmless when;
};

// The keys are those of llama.cpp's table (src/llama-arch.cpp, version 0.7.0) that its converter writes for the
// architectures of architectures.cpp, and those of Ollama's converter (its directory convert/).
constexpr HarmlessKey kHarmless[] = {
    // The tensors' shapes and the tokenizer's list say the same.
    {"vocab_size", Harmless::Always},
    {"attention.head_dim", Harmless::Always},  // Ollama's copy of attention.key_length
    // The other kind of norm. Converters copy what a model's config.json says.
    {"attention.layer_norm_epsilon", Harmless::Always},
    {"attention.layer_norm_rms_epsilon", Harmless::Always},
    // They say something about parts that no supported model has: the tensors of such parts are refused, and so is an
    // expert_count other than 0.
    {"expert_", Harmless::Always},
    {"ssm.", Harmless::Always},
    {"vision.", Harmless::Always},
    {"mm.", Harmless::Always},
    {"leading_dense_block_count", Harmless::Always},
    {"interleave_moe_layer_step", Harmless::Always},
    {"nextn_predict_layers", Harmless::IfZero},
    {"deepstack_mapping", Harmless::Always},  // where features of pictures are added
    {"rope.dimension_sections", Harmless::IfZero},
    // How the file came to be.
    {"tensor_data_layout", Harmless::Always},
    // Rotation and its scaling.
    {"rope.", Harmless::IfUnrotated},
    {"rope.scaling.finetuned", Harmless::Always},  // only Granite's switch
    {"rope.scaling.original_context_length", Harmless::IfNoYarn},
    {"rope.scaling.yarn_", Harmless::IfNoYarn},
    {"rope.scaling.beta_", Harmless::IfNoYarn},
    {"rope.scaling.mscale", Harmless::IfNoYarn},
    {"rope.scaling.extrapolation_factor", Harmless::IfNoYarn},
    {"rope.freq_base_swa", Harmless::IfNoWindow},
    {"rope.local.freq_base", Harmless::IfNoWindow},
    {"attention.sliding_window", Harmless::IfPastContext},
    {"attention.sliding_window_pattern", Harmless::IfNoWindow},
};

bool names(const HarmlessKey& known, std::string_view name) {
    const bool is_prefix = known.name.ends_with('.') || known.name.ends_with('_');
    return is_prefix ? name.starts_with(known.name) : name == known.name;
}

template <typename T>
Error out_of_range(std::string_view key, T value, T least, T most) {
    return fail(ErrorCode::ModelLoadFailed, key, " is ", value, ", outside of ", least, " to ", most);
}

}  // namespace

KeyReader::KeyReader(const Gguf& gguf, std::string_view architecture)
    : gguf_(gguf), prefix_(base::concat(architecture, ".")) {}

std::string_view KeyReader::present(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
        if (has(name)) return name;
    }
    return *names.begin();
}

std::string KeyReader::read(std::string_view name) {
    read_.emplace(name);
    return key(name);
}

uint32_t KeyReader::number(std::string_view name, uint32_t least, uint32_t most, std::optional<uint32_t> other) {
    const std::string full = read(name);
    const auto value = other ? gguf_.get_u32_or(full, *other) : gguf_.get_u32(full);
    if (!value) return keep(value.error()), least;
    if (*value >= least && *value <= most) return *value;
    keep(out_of_range(full, *value, least, most));
    return least;
}

float KeyReader::real(std::string_view name, float least, float most, std::optional<float> other) {
    const std::string full = read(name);
    const auto value = other ? gguf_.get_f32_or(full, *other) : gguf_.get_f32(full);
    if (!value) return keep(value.error()), least;
    if (*value >= least && *value <= most) return *value;
    keep(out_of_range(full, *value, least, most));  // NaN too
    return least;
}

bool KeyReader::boolean(std::string_view name, bool other) {
    const auto value = gguf_.get_bool_or(read(name), other);
    if (!value) return keep(value.error()), other;
    return *value;
}

std::string_view KeyReader::text(std::string_view name, std::string_view other) {
    const auto value = gguf_.get_string_or(read(name), other);
    if (!value) return keep(value.error()), other;
    return *value;
}

bool KeyReader::is_array(std::string_view name) const {
    return has(name) && gguf_.array_size(key(name));
}

std::vector<int32_t> KeyReader::numbers_of_layers(std::string_view name, uint32_t n_layers) {
    const std::string full = read(name);
    auto listed = gguf_.get_ints(full);
    if (!listed) return keep(listed.error()), std::vector<int32_t>();
    if (listed->size() == n_layers) return std::move(*listed);
    keep(fail(ErrorCode::ModelLoadFailed, full, " has ", listed->size(), " elements for the ", n_layers,
              " layers of block_count"));
    return {};
}

uint32_t KeyReader::number_of_all_layers(std::string_view name, uint32_t n_layers, uint32_t least, uint32_t most,
                                         std::optional<uint32_t> other) {
    if (!is_array(name)) return number(name, least, most, other);
    const auto listed = numbers_of_layers(name, n_layers);
    if (listed.empty()) return least;
    const auto differs = std::find_if(listed.begin(), listed.end(), [&](int32_t n) { return n != listed.front(); });
    if (differs != listed.end()) {
        keep(fail(ErrorCode::ModelLoadFailed, key(name), " is ", listed.front(), " in layer 0 and ", *differs,
                  " in layer ", differs - listed.begin(), ": layers that differ in it are not supported"));
        return least;
    }
    if (listed.front() >= 0 && static_cast<uint32_t>(listed.front()) >= least &&
        static_cast<uint32_t>(listed.front()) <= most) {
        return static_cast<uint32_t>(listed.front());
    }
    keep(out_of_range(key(name), int64_t{listed.front()}, int64_t{least}, int64_t{most}));
    return least;
}

bool KeyReader::is_harmless(std::string_view name, const DecoderSpec& spec) const {
    const auto holds = [&](Harmless when) {
        switch (when) {
            case Harmless::Always:
                return true;
            case Harmless::IfZero: {
                if (const auto n = gguf_.get_u32(key(name))) return *n == 0;
                const auto all = gguf_.get_ints(key(name));
                return all && std::all_of(all->begin(), all->end(), [](int32_t n) { return n == 0; });
            }
            case Harmless::IfUnrotated:
                return spec.n_rot() == 0;
            case Harmless::IfNoYarn:
                return !spec.ropes[0].yarn;
            case Harmless::IfNoWindow:
                return std::all_of(spec.layers.begin(), spec.layers.end(),
                                   [](const LayerSpec& layer) { return layer.is_convolution() || layer.window == 0; });
            case Harmless::IfPastContext: {
                const auto n = gguf_.get_u32(key(name));
                return n && (*n == 0 || *n >= spec.n_ctx_train);
            }
        }
        return false;
    };
    return std::any_of(std::begin(kHarmless), std::end(kHarmless),
                       [&](const HarmlessKey& known) { return names(known, name) && holds(known.when); });
}

KeyReport KeyReader::check_all_read(const DecoderSpec& spec) {
    KeyReport report;
    for (const std::string_view full : gguf_.keys(prefix_)) {
        const std::string_view name = full.substr(prefix_.size());
        if (read_.contains(name)) {
            report.read.emplace_back(name);
        } else if (is_harmless(name, spec)) {
            report.harmless.emplace_back(name);
        } else {
            const bool is_known = std::any_of(std::begin(kHarmless), std::end(kHarmless),
                                              [&](const HarmlessKey& known) { return names(known, name); });
            keep(fail(ErrorCode::ModelLoadFailed, "the key ", in_quotes(full), is_known ? " has a value that" : "",
                      " is not supported in ", spec.architecture,
                      " models: the model may need what llmd does not compute"));
        }
    }
    // PrismML's files, whose weights were rotated by a Hadamard transform that a runtime must apply to activations.
    for (const std::string_view full : gguf_.keys("prism.hadamard.")) {
        keep(fail(ErrorCode::ModelLoadFailed, in_quotes(full),
                  ": weights that are stored under a Hadamard transform are not supported"));
    }
    return report;
}

}  // namespace llmd::model
