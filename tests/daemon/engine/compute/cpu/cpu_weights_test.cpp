// Interleaving rows loses nothing, whatever the format and the number of rows, and a large tensor is copied in parts.
#include "engine/compute/cpu/cpu_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "daemon/engine/compute/random_model.h"

namespace llmd::compute {
namespace {

constexpr uint32_t kCols = 512;

TEST(PackedRows, UnpackToTheFilesBlocks) {
    for (const model::BlockLayout& format : model::kBlockLayouts) {
        if (format.block_weights == 1) {
            EXPECT_FALSE(is_packed(format.type)) << format.name;
            continue;
        }
        ASSERT_TRUE(is_packed(format.type)) << format.name;
        for (const uint32_t rows : {1u, 15u, 16u, 17u, 40u}) {
            test::Noise noise(rows);
            const auto blocks = test::random_blocks(format.type, uint64_t{rows} * kCols, 1, noise);
            const size_t row_bytes = blocks.size() / rows;
            std::vector<uint8_t> packed(packed_bytes(rows, row_bytes));
            pack_rows(format.type, row_bytes, blocks, packed.data());
            for (uint32_t r = 0; r < rows; ++r) {
                std::vector<std::byte> row(row_bytes);
                unpack_row(format.type, packed.data(), r, row);
                EXPECT_TRUE(
                    std::equal(row.begin(), row.end(), blocks.begin() + static_cast<std::ptrdiff_t>(r * row_bytes)))
                    << format.name << ", row " << r << " of " << rows;
            }
        }
    }
}

TEST(PackedRows, HaveTheHalvesOf16RowsBeforeTheirBlocks) {
    constexpr size_t kBlock = 18;  // Q4_0: a half and 16 bytes of nibbles
    constexpr size_t kBlocks = 3;
    std::vector<std::byte> rows(16 * kBlocks * kBlock);
    for (size_t r = 0; r < 16; ++r) {
        for (size_t b = 0; b < kBlocks; ++b) {
            std::byte* block = &rows[(r * kBlocks + b) * kBlock];
            block[0] = block[2 + 4] = static_cast<std::byte>(100 * b + r);
        }
    }
    std::vector<uint8_t> packed(packed_bytes(16, kBlocks * kBlock));
    EXPECT_EQ(packed.size() % kCacheLineBytes, 0u);
    EXPECT_EQ(packed_halves_bytes(kBlocks) % kCacheLineBytes, 0u);
    pack_rows(model::TensorType::Q4_0, kBlocks * kBlock, rows, packed.data());
    for (size_t r = 0; r < 16; ++r) {
        for (size_t b = 0; b < kBlocks; ++b) {
            EXPECT_EQ(packed[32 * b + 2 * r], 100 * b + r);
            EXPECT_EQ(packed[packed_halves_bytes(kBlocks) + 16 * (16 * b + 4) + 4 * r], 100 * b + r);
        }
    }
}

void expect_copied_in_parts(model::TensorType type) {
    test::UniformSpec shape = test::small_llama();
    shape.n_vocab = 100'003;  // 7 MB of Q8_0; the last group of rows is not full
    const test::RandomModel random(shape, {.type = type, .tied = true});
    const model::DecoderSpec spec = random.spec();
    const model::TensorView view = *random.find(model::Role::TokenEmbedding);
    CpuWeights weights(spec);
    std::vector<size_t> parts;
    const auto added =
        weights.add({model::Role::TokenEmbedding, 0, view}, [&](size_t bytes) { parts.push_back(bytes); });
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_GT(parts.size(), view.data.size() / kCopiedBytes);
    EXPECT_LE(*std::max_element(parts.begin(), parts.end()), kCopiedBytes);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), size_t{0}), view.data.size());

    const Matrix& matrix = *weights.matrix(model::Role::TokenEmbedding);
    std::vector<std::byte> row(matrix.row_bytes);
    for (uint32_t r = 0; r < matrix.rows; ++r) {
        if (matrix.is_packed) {
            unpack_row(type, matrix.data, r, row);
        } else {
            std::memcpy(row.data(), matrix.data + r * matrix.row_bytes, row.size());
        }
        ASSERT_TRUE(std::ranges::equal(row, view.row(r))) << r;
    }
}

TEST(CpuWeights, CopyALargeTensorInParts) {
    expect_copied_in_parts(model::TensorType::F32);
    expect_copied_in_parts(model::TensorType::Q8_0);
}

}  // namespace
}  // namespace llmd::compute
