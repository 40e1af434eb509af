// Interleaving rows loses nothing, whatever the format and the number of rows.
#include "engine/compute/cpu/cpu_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "daemon/engine/compute/random_model.h"

namespace llmd::compute {
namespace {

constexpr uint32_t kCols = 512;

TEST(PackedRows, UnpackToTheFilesBlocks) {
    for (const model::BlockFormat& format : model::block_formats()) {
        if (format.block_weights == 1) {
            EXPECT_FALSE(is_packed(format.type)) << format.name;
            continue;
        }
        ASSERT_TRUE(is_packed(format.type)) << format.name;
        for (const uint32_t rows : {1u, 15u, 16u, 17u, 40u}) {
            test::Noise noise(rows);
            const auto blocks = test::random_blocks(format.type, uint64_t{rows} * kCols, 1, noise);
            const size_t row_bytes = blocks.size() / rows;
            std::vector<uint8_t> packed(padded_rows(rows) * row_bytes);
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

TEST(PackedRows, HaveTheScalesOf16RowsSideBySide) {
    constexpr size_t kBlock = 18;  // Q4_0: a half and 16 bytes of nibbles
    std::vector<std::byte> blocks(16 * kBlock);
    for (size_t r = 0; r < 16; ++r) blocks[r * kBlock] = blocks[r * kBlock + 2 + 4] = static_cast<std::byte>(r + 1);
    std::vector<uint8_t> packed(blocks.size());
    pack_rows(model::TensorType::Q4_0, kBlock, blocks, packed.data());
    for (size_t r = 0; r < 16; ++r) {
        EXPECT_EQ(packed[2 * r], r + 1);
        EXPECT_EQ(packed[16 * (2 + 4) + 4 * r], r + 1);
    }
}

}  // namespace
}  // namespace llmd::compute
