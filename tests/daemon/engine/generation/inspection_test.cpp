// What llmd knows of a model before it loads it: the memory of a token and what the model is for.
#include "engine/server/inspection.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "support/gguf_writer.h"

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
    EXPECT_EQ(windowed.kv_bytes_per_token, 2u * 2 * (8 + 16) * 2) << "as if there were no windows";
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
    for (const auto& [pooling, embeds] : {std::pair(0u, false), std::pair(1u, true), std::pair(2u, true),
                                          std::pair(3u, true), std::pair(4u, false), std::pair(~0u, false)}) {
        auto writer = test::tiny_model_writer({});
        writer.add("llama.pooling_type", pooling);
        writer.add("qwen2.pooling_type", 1u);  // another architecture's
        const auto inspection = inspection_of(writer.bytes());
        ASSERT_TRUE(inspection.ok) << inspection.error;
        EXPECT_EQ(inspection.embeds, embeds) << pooling;
    }
    auto writer = test::tiny_model_writer({});
    writer.add("llama.pooling_type", "mean");
    EXPECT_FALSE(inspection_of(writer.bytes()).embeds) << "no number";
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
