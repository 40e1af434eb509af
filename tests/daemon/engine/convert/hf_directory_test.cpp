// Toy models as transformers saves them (tests/data/hf): they have transformers' tokens and logits after the
// conversion, and whatever a directory says that is not so, or that llmd does not compute, is refused by name.
#include "engine/convert/convert.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "bench/bench_eval.h"
#include "converted.h"

namespace llmd::convert {
namespace {

using model::TensorType;
namespace fs = std::filesystem;

constexpr double kTolerance = 0.01;  // of a logit

Converted converted_from(const fs::path& directory, std::optional<FileType> type = {}) {
    return Converted([&](int fd) { return convert_hf_directory(directory.string(), type, "toy", fd); });
}

// A copy of a toy that may be changed.
class Copy {
public:
    explicit Copy(const char* toy) : path_(testing::TempDir() + "hf-XXXXXX") {
        EXPECT_NE(::mkdtemp(path_.data()), nullptr);
        fs::copy(fs::path(HF_MODELS) / toy, path_);
    }
    ~Copy() { fs::remove_all(path_); }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;

    fs::path operator/(const char* name) const { return fs::path(path_) / name; }
    std::string text(const char* name) const {
        std::ostringstream text;
        text << std::ifstream(*this / name, std::ios::binary).rdbuf();
        return text.str();
    }
    void write(const char* name, const std::string& text) const {
        std::ofstream(*this / name, std::ios::binary) << text;
    }
    // Replaces the first `from` in the file.
    void change(const char* name, const std::string& from, const std::string& to) const {
        std::string all = text(name);
        const size_t at = all.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        write(name, all.replace(at, from.size(), to));
    }
    std::string fault() const {
        const File out;
        const auto done = convert_hf_directory(path_, std::nullopt, "toy", out.fd());
        return done ? "" : done.error().message;
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

class Toys : public testing::TestWithParam<const char*> {};

TEST_P(Toys, AgreeWithTransformers) {
    const fs::path directory = fs::path(HF_MODELS) / GetParam();
    const Converted converted = converted_from(directory);
    auto model = loaded(converted);
    simdjson::dom::parser parser;
    const simdjson::dom::element golden = parser.load((directory / "golden.json").string());
    size_t n_cases = 0;
    for (const simdjson::dom::element one : golden["cases"].get_array()) {
        std::vector<int32_t> ids;
        for (const int64_t id : one["ids"].get_array()) ids.push_back(static_cast<int32_t>(id));
        EXPECT_EQ(model.tokenizer->encode_prompt(std::string_view(one["text"])), ids) << std::string_view(one["text"]);
        const auto evaluated = bench::evaluate(model, ids, 0, 1);
        ASSERT_TRUE(evaluated) << evaluated.error().message;
        size_t i = 0;
        for (const double logit : one["logits"].get_array()) {
            ASSERT_NEAR(evaluated->last_logits.at(i), logit, kTolerance) << "logit " << i << " of case " << n_cases;
            ++i;
        }
        EXPECT_EQ(i, evaluated->last_logits.size());
        ++n_cases;
    }
    EXPECT_EQ(n_cases, 4u);
}

INSTANTIATE_TEST_SUITE_P(All, Toys, testing::Values("gpt2", "llama2", "llama2-pieces", "llama3", "qwen2"));

TEST(HfDirectory, MatricesKeepTheirTypeOrGetTheOneThatIsWanted) {
    const fs::path llama = fs::path(HF_MODELS) / "llama3", gpt2 = fs::path(HF_MODELS) / "gpt2";
    const auto type_of = [](const Converted& converted, const char* name) {
        return converted.gguf->tensor(name)->type;
    };
    const Converted kept = converted_from(llama);
    EXPECT_EQ(type_of(kept, "blk.0.attn_q.weight"), TensorType::BF16);
    EXPECT_EQ(type_of(kept, "blk.0.attn_q.bias"), TensorType::F32);
    EXPECT_EQ(*kept.gguf->get_u32("general.file_type"), 32u);
    const Converted small = converted_from(llama, FileType::Q4_0);
    EXPECT_EQ(type_of(small, "blk.0.attn_q.weight"), TensorType::Q4_0);
    EXPECT_EQ(type_of(small, "blk.0.ffn_down.weight"), TensorType::F32) << "48 columns";
    EXPECT_EQ(type_of(small, "token_embd.weight"), TensorType::Q8_0) << "of the output too, and 32 columns";
    const Converted half = converted_from(gpt2, FileType::F16);
    EXPECT_EQ(type_of(half, "blk.1.attn_qkv.weight"), TensorType::F16);
    EXPECT_EQ(type_of(half, "position_embd.weight"), TensorType::F32);
}

TEST(HfDirectory, TheTokenizerBringsItsSpecialTokensAndTemplate) {
    auto model = loaded(converted_from(fs::path(HF_MODELS) / "qwen2"));
    EXPECT_EQ(model.tokenizer->end_text(), "<|im_end|>");
    EXPECT_EQ(model.tokenizer->kind(400), tokenizer::TokenKind::UserDefined);
    EXPECT_EQ(model.tokenizer->kind(401), tokenizer::TokenKind::Unused);
    EXPECT_EQ(model.tokenizer->encode("a<tool_call>").back(), 400);
    using Role = chat::ChatMessage::Role;
    const std::vector<chat::ChatMessage> messages{{.role = Role::User, .content = "Hello"}};
    EXPECT_TRUE(model.chat_template.render({.messages = messages, .tools = {}})) << "ChatML";
}

TEST(HfDirectory, ModelsOfSentencePieceThatLieAreRefused) {
    const Copy copy("llama2-pieces");
    const std::string whole = copy.text("tokenizer.model");
    const auto fault_with = [&](const std::string& bytes) {
        copy.write("tokenizer.model", bytes);
        return copy.fault();
    };
    EXPECT_EQ(fault_with(whole), "");
    for (const size_t size : {size_t{0}, size_t{1}, size_t{100}, whole.size() - 1}) {
        EXPECT_NE(fault_with(whole.substr(0, size)).find("tokenizer.model: is no model of SentencePiece"),
                  std::string::npos)
            << size;
    }
    EXPECT_NE(fault_with(std::string(100, '\xff')).find("is no model of SentencePiece"), std::string::npos);
    // Fields that come later count: a trainer's model_type 1 is a unigram model; a normalizer without anything removes
    // spaces, and 2 is its map of characters; 1 is a piece.
    EXPECT_NE(fault_with(whole + "\x12\x02\x18\x01").find("model_type is not BPE"), std::string::npos);
    EXPECT_NE(fault_with(whole + std::string("\x1a\x02\x20\x01")).find("removes spaces"), std::string::npos);
    EXPECT_NE(fault_with(whole + "\x1a\x03\x12\x01x").find("changes characters"), std::string::npos);
    EXPECT_NE(fault_with(whole + std::string("\x0a\0", 2)).find("piece 330 has no text"), std::string::npos);
    EXPECT_NE(fault_with(whole + "\x0a\x05\x0a\x01x\x18\x07").find("piece 330 has the type 7, which is not known"),
              std::string::npos);
    EXPECT_NE(fault_with(whole + std::string("\x08\x01")).find("is no model of SentencePiece"), std::string::npos)
        << "a piece that is a number";
    EXPECT_NE(fault_with(whole + "\x0a\x03\x0a\x01x").find("have the same id 330"), std::string::npos);
    EXPECT_NE(fault_with(whole + "\x12\x04\xc8\x02\xff\x7f").find("tokenizer.model: bos_id is 16383"),
              std::string::npos)
        << copy.fault();
    EXPECT_NE(fault_with(whole + "\x0a\x03\x0a\x01\x65").find("tokenizer.model: token \"e\" has the ids"),
              std::string::npos);
}

TEST(HfDirectory, AnExportWithoutItsOutputHasNoPrefix) {
    const Copy copy("llama3");
    std::string file = copy.text("model.safetensors");
    // As long as before, since the header says how long it is.
    for (size_t at = file.find("\"model."); at != std::string::npos; at = file.find("\"model.", at)) {
        const size_t end = file.find(':', at);
        file.replace(at, end - at, "\"" + file.substr(at + 7, end - at - 7) + "      ");
    }
    copy.write("model.safetensors", file);
    const Converted with = converted_from(fs::path(HF_MODELS) / "llama3"), without = converted_from(copy.path());
    for (const auto& [name, tensor] : with.gguf->tensors()) EXPECT_EQ(with.weights(name), without.weights(name));
}

struct Lie {
    const char* toy;
    const char* file;
    const char* from;
    const char* to;
    const char* words;
};

class Lies : public testing::TestWithParam<Lie> {};

TEST_P(Lies, AreRefusedByName) {
    const Lie& lie = GetParam();
    const Copy copy(lie.toy);
    copy.change(lie.file, lie.from, lie.to);
    EXPECT_NE(copy.fault().find(lie.words), std::string::npos) << copy.fault();
}

constexpr Lie kConfigLies[] = {
    {"llama3", "config.json", "\"model_type\": \"llama\"", "\"model_type\": \"mamba\"",
     "model_type: \"mamba\" is not supported (gpt2, llama, qwen2 are)"},
    {"llama3", "config.json", "\"hidden_size\": 32", "\"hidden_size\": -32",
     "hidden_size: -32 is not in the range 1 to 131072"},
    {"llama3", "config.json", "\"hidden_size\": 32", "\"hidden_size\": \"wide\"", "hidden_size is not a whole number"},
    {"llama3", "config.json", "\"hidden_size\": 32,", "", "hidden_size is absent; it must be a whole number"},
    {"llama3", "config.json", "\"hidden_size\": 32", "\"hidden_size\": 64",
     "tensor \"model.embed_tokens.weight\" has the shape"},
    {"llama3", "config.json", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3",
     "num_attention_heads: 4 is no multiple of num_key_value_heads 3"},
    {"llama3", "config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3",
     "tensor model.layers.2.input_layernorm.weight is missing"},
    {"llama3", "config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1",
     "tensor \"model.layers.1.input_layernorm.weight\" is not known"},
    {"llama3", "config.json", "\"silu\"", "\"gelu\"", "hidden_act: \"gelu\" is not supported (silu is)"},
    {"llama3", "config.json", "\"rope_type\": \"llama3\"", "\"rope_type\": \"yarn\"",
     "rope_scaling: rope_type: \"yarn\" is not supported (default, linear, llama3 are)"},
    {"llama3", "config.json", "\"high_freq_factor\": 4.0", "\"high_freq_factor\": 1.0",
     "high_freq_factor: 1 is not more than low_freq_factor 1"},
    {"llama3", "config.json", "\"rope_theta\": 500.0", "\"rope_theta\": 0", "rope_theta: 0 is not in the range"},
    {"llama3", "config.json", "\"rms_norm_eps\": 1e-05", "\"rms_norm_eps\": 0", "rms_norm_eps: 0 is not in the range"},
    {"llama3", "config.json", "\"vocab_size\": ", "\"vocab_size\": 1", "has the shape"},
    {"llama3", "config.json", "\"bos_token_id\": 0", "\"bos_token_id\": 1000000", "bos_token_id: 1000000 is not"},
    {"llama3", "config.json", "{", "{\"quantization_config\": {},", "quantization_config: only models that are not"},
    {"qwen2", "config.json", "\"use_sliding_window\": false", "\"use_sliding_window\": true",
     "use_sliding_window: true is not supported"},
    {"gpt2", "config.json", "\"gelu_new\"", "\"relu\"", "activation_function: \"relu\" is not supported"},
    {"gpt2", "config.json", "\"scale_attn_weights\": true", "\"scale_attn_weights\": false",
     "scale_attn_weights: false is not supported"},
    {"llama3", "config.json", "\"rope_type\": \"llama3\"", "\"kind\": 7", "rope_scaling: type: \"\" is not supported"},
    {"llama3", "config.json", "\"factor\": 8.0", "\"factor\": 8.0, \"partial_rotary_factor\": 0.5",
     "rope_scaling: partial_rotary_factor: 0.5 is not supported (1 is)"},
    {"llama3", "config.json", "\"num_attention_heads\": 4", "\"num_attention_heads\": 16", "16 heads of 2 are not"},
    {"llama3", "config.json", "\"eos_token_id\": [", "\"eos_token_id\": [\"end\",",
     "eos_token_id holds \"\"end\"\", no token of the 400"},
    {"gpt2", "config.json", "{", "[", "is not a JSON object"},
};
INSTANTIATE_TEST_SUITE_P(OfConfigurations, Lies, testing::ValuesIn(kConfigLies));

constexpr Lie kTokenizerLies[] = {
    {"qwen2", "tokenizer.json", "\"BPE\"", "\"WordPiece\"", "model: type: \"WordPiece\" is not supported (BPE is)"},
    {"qwen2", "tokenizer.json", "\"NFC\"", "\"NFKC\"", "normalizer \"NFKC\" is not known"},
    {"qwen2", "tokenizer.json", "\\\\p{N}|", "\\\\p{N}{1,4}|", "pre_tokenizer \"Split:"},
    {"qwen2", "tokenizer.json", "\"Isolated\"", "\"Removed\"", "is not known"},
    {"gpt2", "tokenizer.json", "\"add_prefix_space\": false", "\"add_prefix_space\": true",
     "pre_tokenizer \"ByteLevel+regex?\" is not known"},
    {"gpt2", "tokenizer.json", "\"type\": \"ByteLevel\"", "\"type\": \"Whitespace\"", "pre_tokenizer \"Whitespace\""},
    {"llama3", "tokenizer.json", "\"ignore_merges\": true", "\"ignore_merges\": false",
     "ignore_merges is not as with the other tokenizers called llama-bpe"},
    {"llama2", "tokenizer.json", "\"Prepend\"", "\"Append\"", "normalizer \"Append Replace\""},
    {"gpt2", "tokenizer.json", "\"!\": 1", "\"!\": 1000", "token \"!\" has the id 1000, the model has 400 tokens"},
    {"gpt2", "tokenizer.json", "\"!\": 1", "\"!\": -1", "vocab: the id of \"!\" is no number"},
    {"gpt2", "tokenizer.json", "\"!\": 1", "\"!\": 2", "have the same id 2"},
    {"gpt2", "tokenizer.json", "\"!\": 1,", "\"!\": 1, \"!\": 3,", "token \"!\" has the ids 1 and 3"},
    {"gpt2", "tokenizer.json", "\"end_of_word_suffix\": null", "\"end_of_word_suffix\": \"</w>\"",
     "end_of_word_suffix: \"</w>\" is not supported"},
    {"qwen2", "model.safetensors.index.json", "model-00001-of", "model\\u0000-00001-of", "not in a file called"},
    {"gpt2", "tokenizer.json", "\"vocab\"", "\"words\"", "vocab is not an object"},
    {"gpt2", "tokenizer.json", "\"merges\"", "\"joins\"", "merges is not an array"},
    {"gpt2", "tokenizer.json", "\"merges\": [", "\"merges\": [\"one\",", "merges[0] is not two tokens"},
    {"gpt2", "tokenizer.json", "\"merges\": [", "\"merges\": [7,", "merges[0] is not two tokens"},
    {"gpt2", "tokenizer.json", "\"merges\": [", "\"merges\": [[\"xyzzy\", \"a\"],", "merges[0]: \"xyzzy\" and \"a\""},
    {"gpt2", "tokenizer.json", "\"added_tokens\": [", "\"added_tokens\": [{},", "added_tokens holds one without an id"},
    {"gpt2", "tokenizer.json", "\"added_tokens\": [", "\"added_tokens\": [{\"id\": 7},", "token 7 \"\" is no text"},
    {"gpt2", "tokenizer_config.json", "{", "{\"chat_template\": 7,", "chat_template is not a string"},
    {"gpt2", "tokenizer_config.json", "{", "{\"add_bos_token\": 7,", "add_bos_token is not true or false"},
    {"qwen2", "model.safetensors.index.json", "model-00001", "../model-00001", "not in a file called *.safetensors"},
    {"qwen2", "model.safetensors.index.json", "model-00001-of-00003", "nothing", "nothing.safetensors: No such file"},
    {"qwen2", "model.safetensors.index.json", "\"weight_map\"", "\"map\"", "weight_map is absent"},
};
INSTANTIATE_TEST_SUITE_P(OfTokenizersAndIndexes, Lies, testing::ValuesIn(kTokenizerLies));

TEST(HfDirectory, WhatIsMissingIsTold) {
    const Copy copy("gpt2");
    fs::rename(copy / "model.safetensors", copy / "elsewhere");
    EXPECT_NE(copy.fault().find(copy.path() + " has no model.safetensors"), std::string::npos);
    copy.write("pytorch_model.bin", "\x80\x02");
    EXPECT_NE(copy.fault().find("pytorch_model.bin is a pickle, which may hold a program"), std::string::npos);
    fs::rename(copy / "elsewhere", copy / "model.safetensors");
    EXPECT_EQ(copy.fault(), "");
    fs::remove(copy / "tokenizer_config.json");
    EXPECT_EQ(copy.fault(), "");
    fs::remove(copy / "tokenizer.json");
    EXPECT_NE(copy.fault().find("tokenizer.json: No such file"), std::string::npos);
    fs::remove(copy / "config.json");
    EXPECT_NE(copy.fault().find("config.json: No such file"), std::string::npos);
}

TEST(HfDirectory, WeightsThatAreNoNumbersAreRefused) {
    const Copy copy("gpt2");
    std::string file = copy.text("model.safetensors");
    const float nan = std::nanf("");
    std::memcpy(&file[file.size() - 4], &nan, sizeof nan);
    copy.write("model.safetensors", file);
    EXPECT_NE(copy.fault().find("is nan, which F32 cannot hold"), std::string::npos) << copy.fault();
}

}  // namespace
}  // namespace llmd::convert
