#include "engine/convert/convert.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "engine/convert/gguf_output.h"
#include "engine/convert/hf_config.h"
#include "engine/convert/hf_tokenizer.h"
#include "engine/convert/input_file.h"
#include "engine/convert/safetensors.h"
#include "engine/model/gguf.h"

namespace llmd::convert {
namespace {

using base::ErrorCode;
using base::Result;
namespace dom = simdjson::dom;

// Older versions of transformers saved these with the weights, although they follow from the configuration.
constexpr std::string_view kDerivedTensors[] = {".attn.bias", ".attn.masked_bias", ".rotary_emb.inv_freq"};

bool is_derived(std::string_view name) {
    return std::any_of(std::begin(kDerivedTensors), std::end(kDerivedTensors),
                       [&](std::string_view end) { return name.ends_with(end); });
}

// Finds each tensor that the model needs, and refuses unknown ones.
class Plan {
public:
    Plan(const std::string& directory, const HfConfig& config, Shards& shards)
        : directory_(directory), config_(config), shards_(shards) {}

    Result<std::vector<TensorSource>> make() {
        const HfArchitecture& architecture = *config_.architecture;
        for (const HfTensor& tensor : architecture.tensors) {
            if (auto added = add(tensor, "", architecture.base, 0); !added) return std::move(added).error();
        }
        constexpr HfTensor kOutput{"output.weight", "lm_head.weight", Dimension::Vocabulary, Dimension::Embedding};
        if (!config_.has_output) {
            used_.insert("lm_head.weight");  // a copy of the embedding
        } else if (auto added = add(kOutput, "", "", 0); !added) {
            return std::move(added).error();
        }
        for (uint32_t layer = 0; layer < config_.n_layers; ++layer) {
            const std::string prefix = base::concat("blk.", layer, ".");
            const std::string hf_prefix = base::concat(architecture.base, architecture.layers, layer, ".");
            for (const HfTensor& tensor : architecture.in_layers) {
                if (auto added = add(tensor, prefix, hf_prefix, layer); !added) return std::move(added).error();
            }
        }
        for (const auto& [name, tensor] : shards_.tensors()) {
            if (!used_.contains(name) && !is_derived(name)) return fail(name, tensor, "is not known");
        }
        if (!config_.rope_factors.empty()) add_rope_factors();
        return std::move(sources_);
    }

private:
    template <typename... Parts>
    base::Error fail(const std::string& name, const Shards::Tensor& tensor, const Parts&... parts) const {
        return base::fail(ErrorCode::ModelLoadFailed, shards_.path_of(tensor), ": tensor ", model::in_quotes(name), " ",
                          parts...);
    }

    Result<void> add(const HfTensor& wanted, const std::string& prefix, std::string_view hf_prefix, uint32_t layer) {
        std::string name = base::concat(hf_prefix, wanted.hf);
        auto found = shards_.tensors().find(name);
        // Models without an output head are saved without the prefix.
        if (found == shards_.tensors().end() && name.starts_with(config_.architecture->base)) {
            name.erase(0, config_.architecture->base.size());
            found = shards_.tensors().find(name);
        }
        if (found == shards_.tensors().end()) {
            if (wanted.is_optional) return {};
            return base::fail(ErrorCode::ModelLoadFailed, directory_, ": tensor ", hf_prefix, wanted.hf, " is missing");
        }
        const auto& [hf_name, tensor] = *found;
        if (!Safetensors::is_readable(tensor.stored)) return fail(hf_name, tensor, "is ", tensor.stored.type);
        const bool is_vector = wanted.rows == Dimension::One;
        const uint64_t rows = config_.size_of(wanted.rows), cols = config_.size_of(wanted.cols);
        std::vector<uint64_t> shape{rows, cols};
        if (wanted.arrangement == Arrangement::Transposed) std::swap(shape[0], shape[1]);
        if (is_vector) shape = {cols};
        if (tensor.stored.shape != shape) {
            return fail(hf_name, tensor, "has the shape ", shape_text(tensor.stored.shape), ", the configuration says ",
                        shape_text(shape));
        }
        used_.insert(hf_name);
        sources_.push_back({{base::concat(prefix, wanted.gguf), is_vector ? 0 : rows, cols, layer},
                            base::concat(shards_.path_of(tensor), ": ", hf_name),
                            reader(wanted.arrangement, tensor, is_vector ? 1 : rows, cols)});
        return {};
    }

    static std::string shape_text(const std::vector<uint64_t>& shape) {
        std::string text;
        for (const uint64_t size : shape) text.append(text.empty() ? "" : " x ").append(std::to_string(size));
        return text;
    }

    using Read = std::function<Result<void>(uint64_t first_row, std::span<float> out)>;

    Read reader(Arrangement arrangement, const Shards::Tensor& tensor, uint64_t rows, uint64_t cols) const {
        Shards& shards = shards_;
        switch (arrangement) {
            case Arrangement::Transposed:
                return [&shards, &tensor, rows, cols](uint64_t first_row, std::span<float> out) {
                    return read_transposed(shards, tensor, rows, cols, first_row, out);
                };
            case Arrangement::Rotated:
                if (!config_.architecture->rotates_neighbours) break;
                // The elements of a vector are rows of one column.
                return [&shards, &tensor, cols = rows == 1 ? 1 : cols, head = uint64_t{config_.head_dim}](
                           uint64_t first_row, std::span<float> out) {
                    return read_in_pairs(shards, tensor, cols, head, first_row, out);
                };
            case Arrangement::AsIs:
                break;
        }
        return [&shards, &tensor, cols](uint64_t first_row, std::span<float> out) {
            return shards.read(tensor, first_row * cols, out);
        };
    }

    // Reads columns [first_row, …) of the stored matrix, which has `cols` rows and `rows` columns.
    static Result<void> read_transposed(Shards& shards, const Shards::Tensor& tensor, uint64_t rows, uint64_t cols,
                                        uint64_t first_row, std::span<float> out) {
        std::vector<float> strip(out.size() / cols);
        for (uint64_t col = 0; col < cols; ++col) {
            if (auto read = shards.read(tensor, col * rows + first_row, strip); !read) return read;
            for (size_t row = 0; row < strip.size(); ++row) out[row * cols + col] = strip[row];
        }
        return {};
    }

    static Result<void> read_in_pairs(Shards& shards, const Shards::Tensor& tensor, uint64_t cols, uint64_t head,
                                      uint64_t first_row, std::span<float> out) {
        for (uint64_t i = 0; i < out.size() / cols; ++i) {
            const uint64_t row = first_row + i, in_head = row % head;
            const uint64_t stored = row - in_head + in_head / 2 + in_head % 2 * (head / 2);
            if (auto read = shards.read(tensor, stored * cols, out.subspan(i * cols, cols)); !read) return read;
        }
        return {};
    }

    void add_rope_factors() {
        const std::vector<float>& factors = config_.rope_factors;
        sources_.push_back({{"rope_freqs.weight", 0, factors.size(), 0},
                            directory_ + ": rope_scaling",
                            [&factors](uint64_t, std::span<float> out) -> Result<void> {
                                std::copy(factors.begin(), factors.end(), out.begin());
                                return {};
                            }});
    }

    const std::string& directory_;
    const HfConfig& config_;
    Shards& shards_;
    std::set<std::string, std::less<>> used_;
    std::vector<TensorSource> sources_;
};

// Returns the type that most weights of the matrices have.
FileType type_of(const Shards& shards) {
    std::map<std::string, uint64_t> weights;
    for (const auto& [name, tensor] : shards.tensors()) {
        if (tensor.stored.shape.size() == 2)
            weights[tensor.stored.type] += tensor.stored.shape[0] * tensor.stored.shape[1];
    }
    const auto most = std::max_element(weights.begin(), weights.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == weights.end() ? FileType::F32 : find_file_type(most->first).value_or(FileType::F32);
}

// Returns the text of a token in tokenizer_config.json, which is a string or an object with a content.
Result<std::string> token_text(const JsonObject& config, std::string_view key) {
    std::string_view content;
    if (config.raw().at_key(key)["content"].get(content) == simdjson::SUCCESS) return std::string(content);
    return config.text(key, "");
}

// Newer directories have the template in a file of its own; in older ones it may be the entry "default" of a list.
Result<std::string> read_chat_template(const std::string& directory, const JsonObject& config) {
    const std::string path = directory + "/chat_template.jinja";
    if (::access(path.c_str(), F_OK) == 0) {
        const auto file = InputFile::open(path);
        if (!file) return file.error();
        auto text = file->read_text(JsonFile::kMaxBytes);
        if (text && !base::is_clean_text(*text)) return file->fail("is no text");
        return text;
    }
    dom::array list;
    if (config.raw()["chat_template"].get(list) != simdjson::SUCCESS) return config.text("chat_template", "");
    for (const dom::element one : list) {
        std::string_view name, text;
        if (one["name"].get(name) == simdjson::SUCCESS && name == "default" &&
            one["template"].get(text) == simdjson::SUCCESS) {
            return std::string(text);
        }
    }
    return std::string();
}

// Reads tokenizer.json, or SentencePiece's file if there is none.
Result<HfTokenizer> read_tokenizer(const std::string& directory, const JsonObject& config, uint32_t n_vocab) {
    const std::string path = directory + "/tokenizer.json", sentencepiece = directory + "/tokenizer.model";
    if (::access(path.c_str(), F_OK) != 0 && ::access(sentencepiece.c_str(), F_OK) == 0) {
        const std::string added = directory + "/added_tokens.json";
        if (::access(added.c_str(), F_OK) == 0 && !config.has("added_tokens_decoder")) {
            return base::fail(ErrorCode::ModelLoadFailed, added,
                              ": tokens that tokenizer_config.json does not have as ",
                              "added_tokens_decoder are not supported; save the tokenizer with a newer transformers");
        }
        const auto model = SentencePieceModel::open(sentencepiece);
        return model ? HfTokenizer::from(*model, config, n_vocab) : model.error();
    }
    const auto file = JsonFile::open(path, HfTokenizer::kMaxFileBytes);
    return file ? HfTokenizer::read(file->root(), n_vocab) : file.error();
}

// Adds the vocabulary, the tokens that begin and end a text, and the chat template. tokenizer_config.json takes
// precedence over the other files.
Result<void> add_tokenizer(const std::string& directory, const HfConfig& model, GgufOutput& out) {
    const std::string path = directory + "/tokenizer_config.json";
    constexpr std::string_view kKeys[] = {"bos_token", "eos_token", "add_bos_token", "chat_template",
                                          "added_tokens_decoder"};
    const auto file =
        ::access(path.c_str(), F_OK) == 0 ? JsonFile::open_some(path, kKeys) : JsonFile::parse("{}", path);
    if (!file) return file.error();
    const JsonObject& config = file->root();
    const auto tokenizer = read_tokenizer(directory, config, model.n_vocab);
    if (!tokenizer) return tokenizer.error();
    tokenizer->add_metadata(out);
    const auto begin_text = token_text(config, "bos_token"), end_text = token_text(config, "eos_token");
    if (!begin_text) return begin_text.error();
    if (!end_text) return end_text.error();
    const auto adds_begin = config.boolean("add_bos_token", tokenizer->begin_id().has_value());
    if (!adds_begin) return adds_begin.error();
    auto begin = tokenizer->begin_id();
    if (!begin) begin = tokenizer->find(*begin_text);
    if (!begin) begin = model.begin_id;
    if (begin) out.add("tokenizer.ggml.bos_token_id", *begin);
    out.add("tokenizer.ggml.add_bos_token", *adds_begin && begin);
    std::vector<uint32_t> ends = model.end_ids;
    if (const auto end = tokenizer->find(*end_text)) {
        std::erase(ends, *end);
        ends.insert(ends.begin(), *end);
    }
    // GGUF has three keys for end tokens, so at most three are kept.
    constexpr std::string_view kEndKeys[] = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                             "tokenizer.ggml.eom_token_id"};
    for (size_t i = 0; i < std::min(ends.size(), std::size(kEndKeys)); ++i) out.add(kEndKeys[i], ends[i]);
    const auto chat_template = read_chat_template(directory, config);
    if (!chat_template) return chat_template.error();
    if (!chat_template->empty()) out.add("tokenizer.chat_template", *chat_template);
    return {};
}

}  // namespace

Result<void> convert_hf_directory(const std::string& directory, std::optional<FileType> type, const std::string& name,
                                  int fd) {
    const auto config_file = JsonFile::open(directory + "/config.json");
    if (!config_file) return config_file.error();
    auto config = HfConfig::read(config_file->root());
    if (!config) return std::move(config).error();
    auto shards = Shards::open(directory);
    if (!shards) return std::move(shards).error();
    auto sources = Plan(directory, *config, *shards).make();
    if (!sources) return std::move(sources).error();
    const FileType chosen = type.value_or(type_of(*shards));

    GgufOutput out(fd);
    config->add_metadata(out);
    out.add("general.name", name);
    out.add("general.file_type", static_cast<uint32_t>(chosen));
    // The vocabulary is freed before the weights are read.
    if (auto added = add_tokenizer(directory, *config, out); !added) return added;
    return write_tensors(out, *sources, chosen, config->n_layers);
}

}  // namespace llmd::convert
