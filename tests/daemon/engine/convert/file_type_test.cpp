// The type of each tensor, as llama-quantize (build 11669) was seen to choose it (tests/lanes/quantizers).
#include "engine/convert/file_type.h"

#include <gtest/gtest.h>

namespace llmd::convert {
namespace {

using model::TensorType;

constexpr uint32_t kLayers = 24;

TensorType chosen(FileType type, const std::string& name, uint64_t cols, uint32_t layer = 0, bool has_output = true) {
    const bool is_vector = name.ends_with("norm.weight") || name.ends_with("bias");
    return tensor_type(type, {name, is_vector ? 0u : 8u, cols, layer}, kLayers, has_output);
}

TEST(FileType, NamesAreFoundInAnyCase) {
    EXPECT_EQ(find_file_type("q4_k_m"), FileType::Q4_K_M);
    EXPECT_EQ(find_file_type("Q4_K_M"), FileType::Q4_K_M);
    EXPECT_EQ(find_file_type("BF16"), FileType::BF16);
    EXPECT_EQ(find_file_type("q5_k_m"), std::nullopt);
    EXPECT_EQ(find_file_type(""), std::nullopt);
    EXPECT_EQ(file_type_names(), "f32, f16, bf16, q8_0, q4_k_m, q4_0");
}

TEST(FileType, VectorsAndPositionsStayFloats) {
    for (const char* name : {"output_norm.weight", "blk.0.attn_q.bias", "position_embd.weight"}) {
        EXPECT_EQ(chosen(FileType::Q4_K_M, name, 256), TensorType::F32) << name;
        EXPECT_EQ(chosen(FileType::F16, name, 256), TensorType::F32) << name;
    }
}

TEST(FileType, TheOutputHasSixBits) {
    for (const FileType type : {FileType::Q4_0, FileType::Q4_K_M}) {
        EXPECT_EQ(chosen(type, "output.weight", 256), TensorType::Q6_K);
        EXPECT_EQ(chosen(type, "output.weight", 896), TensorType::Q8_0) << "rows are not blocks of 256";
        EXPECT_EQ(chosen(type, "token_embd.weight", 256, 0, false), TensorType::Q6_K) << "it is the output too";
    }
    EXPECT_EQ(chosen(FileType::Q4_0, "token_embd.weight", 256), TensorType::Q4_0);
    EXPECT_EQ(chosen(FileType::Q4_K_M, "token_embd.weight", 256), TensorType::Q4_K);
    EXPECT_EQ(chosen(FileType::Q8_0, "output.weight", 256), TensorType::Q8_0);
    EXPECT_EQ(chosen(FileType::F16, "output.weight", 256), TensorType::F16);
}

TEST(FileType, SomeLayersDeserveMoreBits) {
    for (const char* name : {"attn_v.weight", "attn_qkv.weight", "ffn_down.weight"}) {
        std::string with_more;
        for (uint32_t layer = 0; layer < kLayers; ++layer) {
            const TensorType type = chosen(FileType::Q4_K_M, "blk." + std::to_string(layer) + "." + name, 256, layer);
            EXPECT_TRUE(type == TensorType::Q6_K || type == TensorType::Q4_K);
            if (type == TensorType::Q6_K) with_more += std::to_string(layer) + " ";
        }
        EXPECT_EQ(with_more, "0 1 2 5 8 11 14 17 20 21 22 23 ") << name;
    }
    EXPECT_EQ(chosen(FileType::Q4_K_M, "blk.0.ffn_up.weight", 256), TensorType::Q4_K);
    EXPECT_EQ(chosen(FileType::Q4_0, "blk.0.ffn_down.weight", 256), TensorType::Q4_0);
}

TEST(FileType, RowsThatAreNotBlocksGetTheNextTypeThatFits) {
    EXPECT_EQ(chosen(FileType::Q4_K_M, "blk.9.ffn_up.weight", 896, 9), TensorType::Q5_0);
    EXPECT_EQ(chosen(FileType::Q4_K_M, "blk.0.ffn_down.weight", 896), TensorType::Q8_0);
    EXPECT_EQ(chosen(FileType::Q4_K_M, "blk.9.ffn_up.weight", 33, 9), TensorType::F32);
    EXPECT_EQ(chosen(FileType::Q8_0, "blk.9.ffn_up.weight", 33, 9), TensorType::F32);
    EXPECT_EQ(chosen(FileType::Q4_0, "output.weight", 33), TensorType::F32);
}

}  // namespace
}  // namespace llmd::convert
