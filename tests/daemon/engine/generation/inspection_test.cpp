// The catalogue's knowledge of a model before llmd loads it: the memory of a token and what the model is for.
#include "engine/server/inspection.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/part_name.h"
#include "support/gguf_writer.h"
#include "support/temporary_directory.h"

namespace llmd::engine {
namespace {

protocol::Inspection inspection_of(const std::vector<std::byte>& file) {
    const std::string path =
        std::filesystem::temp_directory_path() / base::concat("llmd-inspection-", ::getpid(), ".gguf");
    EXPECT_TRUE(test::write_file(path, file));
    auto inspection = inspect_model({&path, 1});
    std::filesystem::remove(path);
    return inspection;
}

TEST(Inspection, SaysWhatATokenTakesInTheCache) {
    // Keys and values as halves; a value of 8 elements has the room of 16 on the CPU.
    const auto dense = inspection_of(test::tiny_model({.n_layers = 3, .n_kv_heads = 2, .head_dim = 8}));
    ASSERT_TRUE(dense.ok) << dense.error;
    EXPECT_EQ(dense.kv_bytes_per_token, 3u * 2 * (8 + 16) * 2);
    const auto windowed = inspection_of(test::tiny_model({.architecture = "gemma2", .window = 16}));
    ASSERT_TRUE(windowed.ok) << windowed.error;
    EXPECT_EQ(windowed.kv_bytes_per_token, 2u * 2 * (8 + 16) * 2) << "a window that sees as much as it keeps";
    for (const char* architecture : {"gemma3", "lfm2"}) {
        test::TinyModel model{.architecture = architecture, .n_layers = 4, .n_ctx = 4096, .window = 256};
        if (model.architecture == "lfm2") model.window = 0;
        const auto inspection = inspection_of(test::tiny_model(model));
        ASSERT_TRUE(inspection.ok) << inspection.error;
        EXPECT_EQ(inspection.kv_bytes_per_token, 2u * 2 * (8 + 16) * 2) << "every second layer keeps all";
        EXPECT_GT(inspection.window_bytes_per_token, 0u);
        EXPECT_GE(inspection.window_tokens, model.window + 128) << "what it sees, and the rows of prefill";
        EXPECT_LT(inspection.window_tokens, model.window + 256);
        EXPECT_GE(inspection.border_tokens, model.window);
    }
}

TEST(Inspection, SaysWhatTheFileCallsItsMixtureOfTypes) {
    EXPECT_EQ(inspection_of(test::tiny_model({})).file_type, "");
    for (const auto& [number, name] :
         {std::pair(0u, "F32"), std::pair(15u, "Q4_K_M"), std::pair(5u, ""), std::pair(42u, ""), std::pair(~0u, "")}) {
        auto writer = test::tiny_model_writer({});
        writer.add("general.file_type", number);
        const auto inspection = inspection_of(writer.bytes());
        EXPECT_TRUE(inspection.ok) << inspection.error;
        EXPECT_EQ(inspection.file_type, name);
    }
    auto writer = test::tiny_model_writer({});
    writer.add("general.file_type", "Q4_K_M");
    EXPECT_TRUE(inspection_of(writer.bytes()).ok) << "it is for people";
}

TEST(Inspection, SaysWhatALoadWouldRefuse) {
    for (const char* pre : {"default", "klingon"}) {
        const auto inspection = inspection_of(test::tiny_model({.pre = pre}));
        EXPECT_FALSE(inspection.ok);
        EXPECT_NE(inspection.error.find("tokenizer.ggml.pre: "), std::string::npos) << inspection.error;
    }
}

TEST(Inspection, OfASplitModelIsThatOfTheWhole) {
    const auto writer = test::tiny_model_writer({});
    const auto whole = inspection_of(writer.bytes());
    const test::TemporaryDirectory folder;
    std::vector<std::string> paths;
    for (uint32_t number = 1; number <= 3; ++number) {
        paths.push_back(base::PartName{folder.path() + "/m", 1, 3}.of(number));
        ASSERT_TRUE(test::write_file(paths.back(), writer.parts(3)[number - 1].bytes()));
    }
    const auto split = inspect_model({&paths[0], 1});
    ASSERT_TRUE(split.ok) << split.error;
    EXPECT_EQ(split.weight_bytes, whole.weight_bytes);
    EXPECT_EQ(split.n_parameters, whole.n_parameters);
    EXPECT_EQ(split.digest.size(), whole.digest.size());
    EXPECT_EQ(inspect_model(paths).digest, split.digest);
    auto changed = writer.parts(3)[2].bytes();
    changed.back() ^= std::byte{1};
    ASSERT_TRUE(test::write_file(paths[2], changed));
    EXPECT_NE(inspect_model(paths).digest, split.digest);
}

TEST(Inspection, RefusesAFileThatLacksTensors) {
    auto file = test::tiny_model({});
    constexpr size_t kTensorCount = 8;  // where the file says how many there are
    std::fill_n(file.begin() + kTensorCount, sizeof(uint64_t), std::byte{0});
    const auto inspection = inspection_of(file);
    EXPECT_FALSE(inspection.ok);
    EXPECT_EQ(inspection.error, "tensor token_embd.weight is missing");
}

TEST(Inspection, TellsModelsForEmbeddingsByTheirPooling) {
    EXPECT_FALSE(inspection_of(test::tiny_model({})).embeds);
    const auto with = [](auto pooling) {
        auto writer = test::tiny_model_writer({});
        writer.add("llama.pooling_type", pooling);
        writer.add("qwen2.pooling_type", 1u);  // another architecture's
        return inspection_of(writer.bytes());
    };
    for (const auto& [pooling, embeds] :
         {std::pair(0u, false), std::pair(1u, true), std::pair(2u, true), std::pair(3u, true)}) {
        const auto inspection = with(pooling);
        ASSERT_TRUE(inspection.ok) << inspection.error;
        EXPECT_EQ(inspection.embeds, embeds) << pooling;
    }
    for (const uint32_t unknown : {4u, 5u, ~0u}) {
        EXPECT_NE(with(unknown).error.find("llama.pooling_type"), std::string::npos) << unknown;
    }
    EXPECT_FALSE(with("mean").embeds) << "no number";
}

TEST(Inspection, TellsTheFamilyOfTheChatTemplate) {
    const auto with = [](const char* text) {
        auto writer = test::tiny_model_writer({});
        if (*text != 0) writer.add("tokenizer.chat_template", text);
        return inspection_of(writer.bytes());
    };
    const auto known = with("{{'<|im_start|>' + message['role'] + message['content'] + '<|im_end|>'}}");
    EXPECT_TRUE(known.ok && known.chats) << known.error;
    EXPECT_EQ(known.chat_family, "chatml");
    const auto unknown = with("{{ messages }}");
    EXPECT_TRUE(unknown.ok && !unknown.chats) << unknown.error;
    EXPECT_EQ(unknown.chat_family, "");
    const auto none = with("");
    EXPECT_TRUE(none.ok && !none.chats) << none.error;
    EXPECT_EQ(none.chat_family, protocol::kNoChatTemplate);
}

}  // namespace
}  // namespace llmd::engine
