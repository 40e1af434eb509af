// Checkpoints in three versions, made here with numbers that tell where they come from: each weight arrives in its
// tensor, and every lie of a header or a vocabulary is refused by name, with nothing written. The checkpoints of the
// reference data too.
#include "engine/convert/convert.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "bench/bench_eval.h"
#include "converted.h"
#include "engine/model/architectures.h"
#include "engine/model/weights.h"
#include "support/environment.h"

namespace llmd::convert {
namespace {

using model::TensorType;

template <typename T>
void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct Shape {
    int32_t dim = 16, hidden_dim = 24, n_layers = 2, n_heads = 4, n_kv_heads = 2, n_vocab = 262, seq_len = 10;
    bool shared = true;
    int32_t group = 8;
};

// The weight at `index` of the tensor that is the `tensor`th in the file; a multiple of 1/8 up to 127/8.
float weight(size_t tensor, size_t index) {
    return static_cast<float>((tensor * 31 + index * 7) % 255) / 8 - 15.875f;
}

std::string checkpoint(int version, const Shape& s = {}) {
    std::string out;
    if (version != 0) {
        put(out, uint32_t{0x616b3432});
        put(out, int32_t{version});
    }
    const int32_t vocab = version == 0 && !s.shared ? -s.n_vocab : s.n_vocab;
    for (const int32_t value : {s.dim, s.hidden_dim, s.n_layers, s.n_heads, s.n_kv_heads, vocab, s.seq_len})
        put(out, value);
    if (version != 0) {
        put(out, static_cast<uint8_t>(s.shared));
        if (version == 2) put(out, s.group);
        out.resize(256);
    }
    size_t tensor = 0;
    const auto floats = [&](int n) {
        for (int i = 0; i < n; ++i) put(out, weight(tensor, static_cast<size_t>(i)));
        ++tensor;
    };
    // Steps of 1/8 are whole numbers with a scale of 1/8: nothing is lost.
    const auto matrix = [&](int n) {
        if (version != 2) return floats(n);
        for (int i = 0; i < n; ++i) put(out, static_cast<int8_t>(weight(tensor, static_cast<size_t>(i)) * 8));
        for (int i = 0; i < n / s.group; ++i) put(out, 0.125f);
        ++tensor;
    };
    const auto layers = [&](int n, const auto& one) {
        for (int layer = 0; layer < s.n_layers; ++layer) one(n);
    };
    const int head = s.dim / s.n_heads, kv = head * s.n_kv_heads;
    const auto attention = [&] {
        for (const int n : {s.dim * s.dim, kv * s.dim, kv * s.dim, s.dim * s.dim}) layers(n, matrix);
    };
    const auto ffn = [&] {
        for (int i = 0; i < 3; ++i) layers(s.hidden_dim * s.dim, matrix);
    };
    if (version == 0) {
        matrix(s.n_vocab * s.dim);
        layers(s.dim, floats);
        attention();
        layers(s.dim, floats);
        ffn();
        floats(s.dim);
        out.resize(out.size() + static_cast<size_t>(s.seq_len) * static_cast<size_t>(head) * sizeof(float), '\xff');
    } else {
        layers(s.dim, floats);
        layers(s.dim, floats);
        floats(s.dim);
        matrix(s.n_vocab * s.dim);
        attention();
        ffn();
    }
    if (!s.shared) matrix(s.n_vocab * s.dim);
    return out;
}

std::string piece(int id) {
    if (id == 0) return "<unk>";
    if (id == 1) return "\n<s>\n";
    if (id == 2) return "\n</s>\n";
    char text[8];
    if (id < 259) return std::snprintf(text, sizeof text, "<0x%02X>", id - 3), text;
    return id == 259 ? " a" : std::string(1, static_cast<char>('a' + id - 259));
}

std::string vocabulary(int n = Shape().n_vocab) {
    std::string out;
    put(out, int32_t{6});
    for (int id = 0; id < n; ++id) {
        put(out, -static_cast<float>(id));
        put(out, static_cast<int32_t>(piece(id).size()));
        out += piece(id);
    }
    return out;
}

// Returns the fault; empty when it was converted.
std::string fault_of(const std::string& checkpoint, const std::string& tokenizer = vocabulary()) {
    const File from(checkpoint), words(tokenizer), to;
    const auto done = convert_llama2c(from.path(), words.path(), FileType::F32, "test", to.fd());
    return done ? "" : done.error().message;
}

Converted converted_from(const std::string& checkpoint, const std::string& words, FileType type) {
    return Converted([&](int fd) { return convert_llama2c(checkpoint, words, type, "test", fd); });
}

class Versions : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(Versions, EveryWeightArrives) {
    const auto [version, shared] = GetParam();
    Shape shape;
    shape.shared = shared;
    const File from(checkpoint(version, shape)), words(vocabulary());
    const Converted converted = converted_from(from.path(), words.path(), FileType::F32);
    const auto spec = model::read_decoder_spec(*converted.gguf);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_TRUE(model::Weights::bind(*converted.gguf, *spec)) << "all of it is there, in the right shape";
    EXPECT_EQ(converted.gguf->tensor("output.weight") == nullptr, shared);

    // Names in the order of the file.
    std::vector<std::string> names;
    const auto layers = [&](const char* name) {
        for (const char* layer : {"blk.0.", "blk.1."}) names.push_back(std::string(layer) + name + ".weight");
    };
    if (version == 0) names.emplace_back("token_embd.weight");
    layers("attn_norm");
    if (version != 0) {
        layers("ffn_norm");
        names.insert(names.end(), {"output_norm.weight", "token_embd.weight"});
    }
    for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"}) layers(name);
    if (version == 0) layers("ffn_norm");
    for (const char* name : {"ffn_gate", "ffn_down", "ffn_up"}) layers(name);
    if (version == 0) names.emplace_back("output_norm.weight");
    if (!shared) names.emplace_back("output.weight");
    EXPECT_EQ(names.size(), converted.gguf->tensors().size());
    for (size_t tensor = 0; tensor < names.size(); ++tensor) {
        const auto weights = converted.weights(names[tensor]);
        for (size_t i = 0; i < weights.size(); ++i) {
            ASSERT_EQ(weights[i], weight(tensor, i)) << names[tensor] << ' ' << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Versions, testing::Combine(testing::Values(0, 1, 2), testing::Bool()));

TEST(Llama2c, TheVocabularyIsSentencePieces) {
    const File from(checkpoint(1)), words(vocabulary());
    const Converted converted = converted_from(from.path(), words.path(), FileType::F32);
    const auto strings = converted.gguf->get_strings("tokenizer.ggml.tokens");
    ASSERT_TRUE(strings);
    const std::vector tokens(strings->begin(), strings->end());
    ASSERT_EQ(tokens.size(), 262u);
    EXPECT_EQ(tokens[1], "<s>");
    EXPECT_EQ(tokens[2], "</s>");
    EXPECT_EQ(tokens[3 + 0xAB], "<0xAB>");
    EXPECT_EQ(tokens[259],
              "\u2581"
              "a");
    EXPECT_EQ(converted.gguf->get_floats("tokenizer.ggml.scores")->at(261), -261.0f);
    const auto types = converted.gguf->get_ints("tokenizer.ggml.token_type");
    EXPECT_EQ((std::vector<int32_t>{(*types)[0], (*types)[1], (*types)[3], (*types)[259]}),
              (std::vector<int32_t>{2, 3, 6, 1}));
}

TEST(Llama2c, RowsThatAreNoBlocksStayFloats) {
    Shape shape;
    shape.dim = 32;
    const File from(checkpoint(1, shape)), words(vocabulary());
    const Converted converted = converted_from(from.path(), words.path(), FileType::Q8_0);
    EXPECT_EQ(converted.gguf->tensor("blk.0.attn_q.weight")->type, TensorType::Q8_0);
    EXPECT_EQ(converted.gguf->tensor("blk.0.ffn_down.weight")->type, TensorType::F32) << "24 columns";
    EXPECT_EQ(converted.gguf->tensor("blk.0.attn_norm.weight")->type, TensorType::F32);
}

TEST(Llama2c, HeadersThatLieAreRefusedByName) {
    const auto with = [](int version, size_t word, int32_t value) {
        std::string bytes = checkpoint(version);
        std::memcpy(&bytes[word * 4], &value, sizeof value);
        return fault_of(bytes);
    };
    const char* const fields[] = {"dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size", "seq_len"};
    for (size_t i = 0; i < std::size(fields); ++i) {
        for (const int32_t value : {0, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
            EXPECT_NE(with(1, 2 + i, value).find(std::string(fields[i]) + ": " + std::to_string(value)),
                      std::string::npos)
                << with(1, 2 + i, value);
            EXPECT_NE(with(0, i, value).find(std::string("neither GGUF nor a llama2.c checkpoint: ") + fields[i]),
                      std::string::npos);
        }
    }
    EXPECT_NE(with(1, 1, 3).find("version 3 is neither 1 nor 2"), std::string::npos);
    EXPECT_NE(with(1, 5, 3).find("dim: 16 is not an even number for each of n_heads 3"), std::string::npos);
    EXPECT_NE(with(1, 6, 3).find("n_heads: 4 is no multiple of n_kv_heads 3"), std::string::npos);
    EXPECT_NE(with(1, 9, 2).find("shared_classifier: 2"), std::string::npos);
    Shape shape;
    for (const int32_t group : {0, -8, 3, 32}) {
        std::string bytes = checkpoint(2, shape);
        std::memcpy(&bytes[37], &group, sizeof group);
        EXPECT_NE(fault_of(bytes).find("group_size: " + std::to_string(group)), std::string::npos);
    }
}

TEST(Llama2c, FilesOfAnotherLengthAreRefused) {
    for (const int version : {0, 1, 2}) {
        const std::string whole = checkpoint(version);
        EXPECT_EQ(fault_of(whole), "");
        EXPECT_NE(fault_of(whole.substr(0, whole.size() - 1)).find("bytes, the file has"), std::string::npos);
        EXPECT_NE(fault_of(whole + '\0').find("bytes, the file has"), std::string::npos);
        EXPECT_NE(fault_of(whole.substr(0, 20)).find("in the middle of a value"), std::string::npos);
        EXPECT_NE(fault_of("").find("ends at byte 0"), std::string::npos);
    }
}

TEST(Llama2c, WeightsThatAreNoNumbersAreRefused) {
    std::string bytes = checkpoint(1);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(&bytes[256 + 16 * 4 + 8], &nan, sizeof nan);
    EXPECT_NE(fault_of(bytes).find("blk.1.attn_norm.weight: weight 2 is nan"), std::string::npos) << fault_of(bytes);
}

TEST(Llama2c, VocabulariesThatLieAreRefused) {
    const std::string good = checkpoint(1);
    EXPECT_NE(fault_of(good, vocabulary(261)).find("has 261 tokens, the model has 262"), std::string::npos);
    EXPECT_NE(fault_of(good, vocabulary(263)).find("has more than the 262 tokens"), std::string::npos);
    const auto with = [&](size_t at, auto value) {
        std::string words = vocabulary();
        std::memcpy(&words[at], &value, sizeof value);
        return fault_of(good, words);
    };
    EXPECT_NE(with(8, int32_t{-1}).find("token 0: a length of -1"), std::string::npos);
    EXPECT_NE(with(8, int32_t{1 << 30}).find("token 0: a length of 1073741824"), std::string::npos);
    EXPECT_NE(with(4, INFINITY).find("token 0: a score of inf"), std::string::npos);
    EXPECT_NE(with(12, '\xff').find("token 0 is not UTF-8"), std::string::npos);
    const size_t first_byte = vocabulary(3).size() + 8;
    EXPECT_NE(with(first_byte + 3, 'A').find("token 3 is not <0x00>"), std::string::npos);
    EXPECT_NE(fault_of(good, vocabulary().substr(0, vocabulary().size() - 1)).find("in the middle of a value"),
              std::string::npos);
    Shape small;
    small.n_vocab = 258;
    EXPECT_NE(fault_of(checkpoint(1, small), vocabulary(258)).find("no room for the 256 bytes"), std::string::npos);
}

TEST(Llama2c, AFullDiskIsToldBeforeAnythingIsWritten) {
    const File from(checkpoint(1)), words(vocabulary());
    const base::UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    const auto done = convert_llama2c(from.path(), words.path(), FileType::F32, "test", full.get());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, base::ErrorCode::Failed);
}

// Version 2 holds the weights of version 0 as bytes: no further away than half a step of the coarsest group.
TEST(Llama2c, TheReferenceCheckpointsAgree) {
    const std::filesystem::path directory = std::filesystem::path(LLMD_TEST_DATA) / "llama2c";
    if (!std::filesystem::exists(directory)) {
        GTEST_SKIP() << test::absent_reference_data(LLMD_TEST_DATA);
    }
    const auto path = [&](const char* name) { return (directory / name).string(); };
    const Converted legacy = converted_from(path("stories260K.bin"), path("tok512.bin"), FileType::F32);
    const Converted version_1 = converted_from(path("checkpoint_v1.bin"), path("tok512.bin"), FileType::F32);
    const Converted version_2 = converted_from(path("stories260K-q8.bin"), path("tok512.bin"), FileType::F32);
    for (const auto& [name, tensor] : legacy.gguf->tensors()) {
        const auto exact = legacy.weights(name), rounded = version_2.weights(name);
        EXPECT_EQ(exact, version_1.weights(name)) << name;
        ASSERT_EQ(exact.size(), rounded.size());
        float largest = 0, error = 0;
        for (size_t i = 0; i < exact.size(); ++i) {
            largest = std::max(largest, std::fabs(exact[i]));
            error = std::max(error, std::fabs(exact[i] - rounded[i]));
        }
        EXPECT_LE(error, largest / 127 * 0.5001f) << name;
    }
}

// The text that llama2.c's own test expects of the checkpoint, and logits of an independent forward pass in float64.
// The third version's weights are rounded: its text may part from the others.
TEST(Llama2c, TheReferenceCheckpointsTellTheReferenceText) {
    const std::filesystem::path directory = std::filesystem::path(LLMD_TEST_DATA) / "llama2c";
    if (!std::filesystem::exists(directory)) GTEST_SKIP() << test::absent_reference_data(LLMD_TEST_DATA);
    simdjson::dom::parser parser;
    const simdjson::dom::element golden = parser.load((directory / "stories260K_reference.json").string());
    std::vector<int32_t> ids;
    for (const int64_t id : golden["ids"].get_array()) ids.push_back(static_cast<int32_t>(id));
    const auto words = (directory / "tok512.bin").string();
    for (const char* name : {"stories260K.bin", "checkpoint_v1.bin", "stories260K-q8.bin"}) {
        auto model = loaded(converted_from((directory / name).string(), words, FileType::F32));
        const bool is_rounded = std::string_view(name).ends_with("q8.bin");
        size_t position = 0;
        for (const simdjson::dom::element row : golden["logits_first4"].get_array()) {
            ++position;
            const auto evaluated =
                bench::evaluate(model, {ids.begin(), ids.begin() + static_cast<long>(position)}, 0, 8);
            ASSERT_TRUE(evaluated) << evaluated.error().message;
            size_t i = 0;
            for (const double logit : row.get_array()) {
                ASSERT_NEAR(evaluated->last_logits.at(i++), logit, is_rounded ? 0.5 : 0.01)
                    << name << " at " << position;
            }
        }
        if (is_rounded) continue;
        const auto told = bench::evaluate(model, {ids.front()}, static_cast<uint32_t>(ids.size() - 1), 8);
        ASSERT_TRUE(told) << told.error().message;
        EXPECT_EQ(told->greedy_ids, std::vector<int32_t>(ids.begin() + 1, ids.end())) << name;
        // The tokenizer puts a space before a text.
        EXPECT_EQ(model.tokenizer->decode(told->greedy_ids), " " + std::string(std::string_view(golden["text"])))
            << name;
    }
}

}  // namespace
}  // namespace llmd::convert
