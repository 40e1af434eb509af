#include "engine/convert/convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "engine/convert/gguf_output.h"
#include "engine/convert/input_file.h"
#include "engine/tokenizer/sentencepiece_bpe.h"

namespace llmd::convert {
namespace {

using base::Result;
using tokenizer::TokenKind;

constexpr uint32_t kCheckpointMagic = 0x616b3432;  // "ak42", as export.py packs it
constexpr uint64_t kHeaderBytes = 256;             // of versions 1 and 2
constexpr uint32_t kMaxPieceBytes = 1024;          // the longest piece of any SentencePiece vocabulary is far shorter

// These are constants in run.c.
constexpr float kNormEpsilon = 1e-5f;
constexpr float kRopeBase = 10000.0f;

// Every vocabulary of llama2.c's tokenizer.py begins with these ids; the bytes 0 to 255 follow.
constexpr uint32_t kUnknownId = 0, kBeginId = 1, kEndId = 2, kFirstByteId = 3;

struct Header {
    uint32_t version = 0;
    uint32_t dim = 0, hidden_dim = 0, n_layers = 0, n_heads = 0, n_kv_heads = 0, n_vocab = 0, seq_len = 0;
    bool shared_classifier = true;
    uint32_t group_size = 0;  // of version 2
    uint64_t bytes = 0;

    uint32_t head_size() const { return dim / n_heads; }
    uint32_t kv_dim() const { return head_size() * n_kv_heads; }
};

using HeaderField = uint32_t Header::*;
struct Field {
    const char* name;
    HeaderField member;
    uint32_t most;
};
// The fields in the order of the file. The limits are far above any model, and keep all sizes below 2^64.
constexpr Field kFields[] = {
    {"dim", &Header::dim, 1u << 16},           {"hidden_dim", &Header::hidden_dim, 1u << 18},
    {"n_layers", &Header::n_layers, 1024},     {"n_heads", &Header::n_heads, 1024},
    {"n_kv_heads", &Header::n_kv_heads, 1024}, {"vocab_size", &Header::n_vocab, 1u << 22},
    {"seq_len", &Header::seq_len, 1u << 20},
};

Result<Header> read_header(const InputFile& file) {
    std::array<int32_t, 9> words{};
    if (auto read = file.read(0, std::span(words)); !read) return std::move(read).error();
    Header header;
    const bool has_magic = static_cast<uint32_t>(words[0]) == kCheckpointMagic;
    std::span<const int32_t> fields = std::span(words).first(std::size(kFields));
    if (has_magic) {
        if (words[1] != 1 && words[1] != 2) return file.fail("version ", words[1], " is neither 1 nor 2");
        header.version = static_cast<uint32_t>(words[1]);
        fields = std::span(words).subspan(2);
    }
    for (size_t i = 0; i < fields.size(); ++i) {
        int64_t value = fields[i];
        // In version 0 a negative size of the vocabulary means that the output has a matrix of its own.
        if (!has_magic && kFields[i].member == &Header::n_vocab && value < 0) {
            header.shared_classifier = false;
            value = -value;
        }
        if (value < 1 || value > kFields[i].most) {
            return file.fail(has_magic ? "" : "neither GGUF nor a llama2.c checkpoint: ", kFields[i].name, ": ", value,
                             " is not in the range 1 to ", kFields[i].most);
        }
        header.*kFields[i].member = static_cast<uint32_t>(value);
    }
    header.bytes = has_magic ? kHeaderBytes : sizeof(int32_t) * std::size(kFields);
    if (header.dim % header.n_heads != 0 || header.head_size() % 2 != 0) {
        return file.fail("dim: ", header.dim, " is not an even number for each of n_heads ", header.n_heads);
    }
    if (header.n_heads % header.n_kv_heads != 0) {
        return file.fail("n_heads: ", header.n_heads, " is no multiple of n_kv_heads ", header.n_kv_heads);
    }
    if (!has_magic) return header;
    uint64_t at = sizeof words;
    uint8_t shared = 0;
    if (auto read = file.read(at, std::span(&shared, 1)); !read) return std::move(read).error();
    if (shared > 1) return file.fail("shared_classifier: ", unsigned{shared}, " is neither 0 nor 1");
    header.shared_classifier = shared == 1;
    if (header.version == 1) return header;
    int32_t group = 0;
    if (auto read = file.read(at + 1, std::span(&group, 1)); !read) return std::move(read).error();
    if (group < 1 || header.dim % static_cast<uint32_t>(group) != 0) {
        return file.fail("group_size: ", group, " does not divide dim ", header.dim);
    }
    header.group_size = static_cast<uint32_t>(group);
    return header;
}

// A tensor of the GGUF file, and where its weights are in the checkpoint.
struct Tensor {
    std::string name;
    uint64_t rows;  // 0: a vector
    uint64_t cols;
    uint32_t layer;
    uint64_t at;
    bool quantized;

    uint64_t weights() const { return std::max<uint64_t>(rows, 1) * cols; }
};

// Lists the tensors of a checkpoint in the order of its version.
class Layout {
public:
    explicit Layout(const Header& header) : header_(header), at_(header.bytes) {
        const uint64_t dim = header.dim, kv = header.kv_dim(), hidden = header.hidden_dim;
        const uint64_t table = uint64_t{header.seq_len} * header.head_size() / 2;
        const auto embedding = [&] { one("token_embd.weight", header.n_vocab, dim); };
        const auto attention_norms = [&] { layers("attn_norm", 0, dim); };
        const auto ffn_norms = [&] { layers("ffn_norm", 0, dim); };
        const auto final_norm = [&] { one("output_norm.weight", 0, dim); };
        const auto attention = [&] {
            layers("attn_q", dim, dim);
            layers("attn_k", kv, dim);
            layers("attn_v", kv, dim);
            layers("attn_output", dim, dim);
        };
        const auto ffn = [&] {
            layers("ffn_gate", hidden, dim);
            layers("ffn_down", dim, hidden);
            layers("ffn_up", hidden, dim);
        };
        if (header.version == 0) {
            embedding();
            attention_norms();
            attention();
            ffn_norms();
            ffn();
            final_norm();
            at_ += 2 * table * sizeof(float);
        } else {
            attention_norms();
            ffn_norms();
            final_norm();
            embedding();
            attention();
            ffn();
        }
        if (!header.shared_classifier) one("output.weight", header.n_vocab, dim);
    }

    const std::vector<Tensor>& tensors() const { return tensors_; }
    uint64_t end() const { return at_; }

private:
    void one(std::string name, uint64_t rows, uint64_t cols, uint32_t layer = 0) {
        tensors_.push_back({std::move(name), rows, cols, layer, at_, header_.version == 2 && rows != 0});
        const Tensor& tensor = tensors_.back();
        at_ += tensor.quantized ? tensor.weights() + tensor.weights() / header_.group_size * sizeof(float)
                                : tensor.weights() * sizeof(float);
    }
    void layers(std::string_view name, uint64_t rows, uint64_t cols) {
        for (uint32_t layer = 0; layer < header_.n_layers; ++layer) {
            one(base::concat("blk.", layer, ".", name, ".weight"), rows, cols, layer);
        }
    }

    const Header& header_;
    uint64_t at_;
    std::vector<Tensor> tensors_;
};

// Reads weights [first, first + out.size()) of a tensor.
Result<void> read_weights(const InputFile& file, const Header& header, const Tensor& tensor, uint64_t first,
                          std::span<float> out) {
    if (!tensor.quantized) {
        if (auto read = file.read(tensor.at + first * sizeof(float), out); !read) return read;
    } else {
        const uint64_t group = header.group_size;
        std::vector<int8_t> quants(out.size());
        const uint64_t first_scale = first / group, end_scale = (first + out.size() - 1) / group + 1;
        std::vector<float> scales(end_scale - first_scale);
        if (auto read = file.read(tensor.at + first, std::span(quants)); !read) return read;
        const uint64_t scales_at = tensor.at + tensor.weights() + first_scale * sizeof(float);
        if (auto read = file.read(scales_at, std::span(scales)); !read) return read;
        for (size_t i = 0; i < out.size(); ++i) {
            out[i] = static_cast<float>(quants[i]) * scales[(first + i) / group - first_scale];
        }
    }
    return {};
}

struct Vocabulary {
    std::vector<std::string> tokens;
    std::vector<float> scores;
    std::vector<int32_t> types;
};

// llama2.c's tokenizer.py stores the printed text of each piece. This returns the piece as SentencePiece has it.
std::string piece_of(uint32_t id, const std::string& text) {
    if (id == kUnknownId) return "<unk>";
    if (id == kBeginId) return "<s>";
    if (id == kEndId) return "</s>";
    std::string piece;
    for (const char c : text) c == ' ' ? piece += tokenizer::kSpace : piece += c;
    return piece;
}

TokenKind kind_of(uint32_t id) {
    if (id == kUnknownId) return TokenKind::Unknown;
    if (id == kBeginId || id == kEndId) return TokenKind::Control;
    return id < kFirstByteId + 256 ? TokenKind::Byte : TokenKind::Normal;
}

// The file has the length of the longest piece, then for each token its score, length and text.
Result<Vocabulary> read_vocabulary(const InputFile& file, uint32_t n_vocab) {
    if (n_vocab < kFirstByteId + 256) return file.fail("a vocabulary of ", n_vocab, " has no room for the 256 bytes");
    Vocabulary vocabulary;
    uint64_t at = sizeof(int32_t);
    for (uint32_t id = 0; id < n_vocab; ++id) {
        struct {
            float score;
            int32_t length;
        } head{};
        if (at == file.size()) return file.fail("has ", id, " tokens, the model has ", n_vocab);
        if (auto read = file.read(at, std::span(&head, 1)); !read) return std::move(read).error();
        at += sizeof head;
        if (head.length < 0 || static_cast<uint32_t>(head.length) > kMaxPieceBytes) {
            return file.fail("token ", id, ": a length of ", head.length, " bytes");
        }
        if (!std::isfinite(head.score)) return file.fail("token ", id, ": a score of ", head.score);
        std::string text(static_cast<size_t>(head.length), '\0');
        if (auto read = file.read(at, std::span(text)); !read) return std::move(read).error();
        at += text.size();
        if (kind_of(id) == TokenKind::Byte) {
            constexpr std::string_view kDigits = "0123456789ABCDEF";
            const uint32_t byte = id - kFirstByteId;
            const std::string expected = {'<', '0', 'x', kDigits[byte / 16], kDigits[byte % 16], '>'};
            if (text != expected) return file.fail("token ", id, " is not ", expected);
        }
        if (!base::is_clean_text(text)) return file.fail("token ", id, " is not UTF-8");
        vocabulary.tokens.push_back(piece_of(id, text));
        vocabulary.scores.push_back(head.score);
        vocabulary.types.push_back(static_cast<int32_t>(kind_of(id)));
    }
    if (at != file.size()) return file.fail("has more than the ", n_vocab, " tokens of the model");
    return vocabulary;
}

void add_metadata(GgufOutput& out, const Header& header, const Vocabulary& vocabulary, FileType type,
                  const std::string& name) {
    out.add("general.architecture", "llama");
    out.add("general.name", name);
    out.add("general.file_type", static_cast<uint32_t>(type));
    out.add("llama.context_length", header.seq_len);
    out.add("llama.embedding_length", header.dim);
    out.add("llama.block_count", header.n_layers);
    out.add("llama.feed_forward_length", header.hidden_dim);
    out.add("llama.attention.head_count", header.n_heads);
    out.add("llama.attention.head_count_kv", header.n_kv_heads);
    out.add("llama.attention.layer_norm_rms_epsilon", kNormEpsilon);
    out.add("llama.rope.dimension_count", header.head_size());
    out.add("llama.rope.freq_base", kRopeBase);
    out.add("tokenizer.ggml.model", "llama");
    out.add("tokenizer.ggml.tokens", vocabulary.tokens);
    out.add("tokenizer.ggml.scores", std::span<const float>(vocabulary.scores));
    out.add("tokenizer.ggml.token_type", std::span<const int32_t>(vocabulary.types));
    out.add("tokenizer.ggml.unknown_token_id", kUnknownId);
    out.add("tokenizer.ggml.bos_token_id", kBeginId);
    out.add("tokenizer.ggml.eos_token_id", kEndId);
    out.add("tokenizer.ggml.add_bos_token", true);
    out.add("tokenizer.ggml.add_eos_token", false);
    out.add("tokenizer.ggml.add_space_prefix", true);
}

}  // namespace

Result<void> convert_llama2c(const std::string& checkpoint, const std::string& tokenizer, FileType type,
                             const std::string& name, int fd) {
    const auto file = InputFile::open(checkpoint);
    if (!file) return file.error();
    const auto header = read_header(*file);
    if (!header) return header.error();
    const Layout layout(*header);
    if (layout.end() != file->size()) {
        return file->fail("a header of dim ", header->dim, ", hidden_dim ", header->hidden_dim, ", n_layers ",
                          header->n_layers, ", vocab_size ", header->n_vocab, ", seq_len ", header->seq_len,
                          " and so on takes ", layout.end(), " bytes, the file has ", file->size());
    }
    if (header->version == 2) {
        for (const Tensor& tensor : layout.tensors()) {
            if (tensor.quantized && tensor.weights() % header->group_size != 0) {
                return file->fail("group_size: ", header->group_size, " does not divide the ", tensor.weights(),
                                  " weights of ", tensor.name);
            }
        }
    }
    const auto tokenizer_file = InputFile::open(tokenizer);
    if (!tokenizer_file) return tokenizer_file.error();
    const auto vocabulary = read_vocabulary(*tokenizer_file, header->n_vocab);
    if (!vocabulary) return vocabulary.error();

    GgufOutput out(fd);
    add_metadata(out, *header, *vocabulary, type, name);
    std::vector<TensorSource> tensors;
    for (const Tensor& tensor : layout.tensors()) {
        tensors.push_back({{tensor.name, tensor.rows, tensor.cols, tensor.layer},
                           base::concat(checkpoint, ": ", tensor.name),
                           [&](uint64_t first_row, std::span<float> weights) {
                               return read_weights(*file, *header, tensor, first_row * tensor.cols, weights);
                           }});
    }
    return write_tensors(out, tensors, type, header->n_layers);
}

}  // namespace llmd::convert
