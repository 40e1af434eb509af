// KV pages that nobody needs are the system's again, and their neighbours keep every bit. The rotations of a batch are
// those of the positions of its rows.
#include "engine/compute/cpu/cpu_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "engine/compute/cpu/processor.h"

namespace llmd::compute {
namespace {

void check_discard(const model::DecoderSpec& spec, uint32_t n_pages) {
    const auto kv = KvStore::allocate(spec, {.n_pages = n_pages});
    ASSERT_TRUE(kv) << kv.error().message;
    std::vector<std::byte> page(kv->page_bytes(KvPool::Full), std::byte{7}), read(page.size());
    const uint64_t empty = private_dirty_bytes();
    for (uint32_t i = 0; i < n_pages; ++i) kv->write_page({i}, page);
    const uint64_t full = private_dirty_bytes();
    EXPECT_GE(full - empty, kv->size_bytes() * 9 / 10);

    const std::vector<uint32_t> kept = {0, n_pages / 2, n_pages - 1};
    std::vector<uint32_t> others(n_pages);
    std::iota(others.begin(), others.end(), 0);
    std::reverse(others.begin(), others.end());
    std::erase_if(others, [&](uint32_t i) { return std::find(kept.begin(), kept.end(), i) != kept.end(); });
    kv->discard(KvPool::Full, others);
    const uint64_t left = private_dirty_bytes();
    EXPECT_LE(left, full - kv->size_bytes() * 8 / 10) << "of " << kv->size_bytes();
    testing::Test::RecordProperty("private_dirty", base::concat(empty, ", ", full, ", ", left));
    for (const uint32_t i : kept) {
        kv->read_page({i}, read);
        EXPECT_EQ(read, page) << i;
    }
    kv->write_page({others.front()}, page);
    kv->read_page({others.front()}, read);
    EXPECT_EQ(read, page) << "and they can be used again";
}

TEST(KvStore, DiscardedPagesGoBackToTheSystem) {
    model::DecoderSpec spec;
    spec.layers.assign(4, {.n_heads = 4, .n_kv_heads = 4, .head_dim = 64});
    check_discard(spec, 256);  // a page of a layer is four of the system
}

TEST(KvStore, SoDoThoseThatAreSmallerThanASystemPage) {
    model::DecoderSpec spec;
    spec.layers.assign(2, {.n_heads = 1, .n_kv_heads = 1, .head_dim = 20});
    check_discard(spec, 4096);
}

TEST(Rotations, AreThoseOfTheTableOfAllPositions) {
    constexpr uint32_t kContext = 300, kDim = 12, kRot = 8;
    const std::vector<float> factors = {1, 2, 3, 4};
    model::DecoderSpec spec;
    spec.ropes = {{.theta = 500000, .factor = 8, .yarn = model::Yarn{.original_context = 64}, .magnitude = 1.25f},
                  {.theta = 100}};
    model::LayerSpec layer{.n_heads = 1, .n_kv_heads = 1, .head_dim = kDim};
    layer.n_rot = kRot;
    layer.rotation = model::Rotation::Interleaved;
    spec.layers.assign(2, layer);
    spec.layers[1].rope = 1;
    const auto rotations = Rotations::create(spec, 3, factors);
    ASSERT_TRUE(rotations) << rotations.error().message;
    const std::array<uint32_t, 3> positions = {kContext - 1, 0, 77};
    for (uint32_t r = 0; r < positions.size(); ++r) rotations->compute(r, 5);
    for (uint32_t r = 0; r < positions.size(); ++r) rotations->compute(r, positions[r]);
    for (uint32_t l = 0; l < 2; ++l) {
        std::vector<float> table(size_t{kContext} * kRot);
        model::fill_rotations(spec.ropes[l], kRot, l == 0 ? std::span(factors) : std::span<const float>(), table);
        for (uint32_t r = 0; r < positions.size(); ++r) {
            std::vector<float> head(kDim, 1.0f);
            rotations->rotate(spec.layers[l], r, head.data(), 1);
            for (uint32_t i = 0; i < kRot / 2; ++i) {
                const float c = table[positions[r] * kRot + 2 * i], s = table[positions[r] * kRot + 2 * i + 1];
                EXPECT_EQ(head[2 * i], c - s) << "row " << r << ", pair " << i;
                EXPECT_EQ(head[2 * i + 1], s + c) << "row " << r << ", pair " << i;
            }
            EXPECT_EQ(head[kRot], 1) << "the rest of the head";
        }
    }
}

TEST(CpuMemory, SaysBeforehandWhatItTakesToWorkIn) {
    model::DecoderSpec spec;
    spec.layers.assign(3, {.n_heads = 4, .n_kv_heads = 2, .head_dim = 20, .n_ff = 300});
    spec.layers[1].n_ff = 500;
    spec.n_embd = 72;
    spec.n_vocab = 1000;
    BackendLimits limits{.n_ctx = 64, .n_pages = 4, .max_rows = 33, .max_outputs = 5};
    const uint64_t without_drafts = CpuMemory::working_bytes(spec, limits, 1);
    limits.max_drafted = 7;
    EXPECT_EQ(CpuMemory::working_bytes(spec, limits, 1) - without_drafts, 7 * spec.n_vocab * sizeof(float));
    for (const uint32_t n_threads : {1u, 3u}) {
        const auto memory = CpuMemory::allocate(spec, limits, n_threads);
        ASSERT_TRUE(memory) << memory.error().message;
        const CpuMemory& m = *memory;
        uint64_t bytes = m.quantized.size() + m.scratch_data.size();
        for (const Activations* one : {&m.residual, &m.normed, &m.query, &m.key, &m.value, &m.attended, &m.gate, &m.up,
                                       &m.projected, &m.logits}) {
            bytes += one->data.size();
        }
        EXPECT_EQ(CpuMemory::working_bytes(spec, limits, n_threads), bytes);
    }
    spec.layers[0].rotation = model::Rotation::Interleaved;
    spec.layers[0].n_rot = 16;
    spec.ropes.resize(2);
    const uint64_t rotated = CpuMemory::working_bytes(spec, limits, 1);
    for (auto& layer : spec.layers) layer.rotation = model::Rotation::None, layer.n_rot = 0;
    EXPECT_EQ(rotated - CpuMemory::working_bytes(spec, limits, 1), 2u * 33 * 8 * 2 * sizeof(float));
}

TEST(HostArena, GivesZerosOnCacheLinesSideBySide) {
    HostArena arena;
    uint8_t* last = nullptr;
    for (const uint64_t bytes : {1u, 64u, 65u, 1'000'000u, 3u}) {
        const auto data = arena.allocate(bytes, "a test");
        ASSERT_TRUE(data) << data.error().message;
        EXPECT_EQ(reinterpret_cast<uintptr_t>(*data) % kCacheLineBytes, 0u);
        EXPECT_TRUE(std::all_of(*data, *data + bytes, [](uint8_t byte) { return byte == 0; }));
        std::fill_n(*data, bytes, uint8_t{0xff});
        if (last != nullptr) {
            EXPECT_GT(*data, last);
            EXPECT_LE(*data - last, 64);
        }
        last = *data + bytes - 1;
    }
}

TEST(HostArena, TakesMemoryOnlyWhereItIsWritten) {
    constexpr uint64_t kMore = 300u << 20;  // than the addresses that are reserved at a time
    const uint64_t before = private_dirty_bytes();
    HostArena arena;
    for (int i = 0; i < 3; ++i) {
        const auto data = arena.allocate(kMore, "a test");
        ASSERT_TRUE(data) << data.error().message;
        (*data)[0] = (*data)[kMore - 1] = 1;
    }
    EXPECT_LT(private_dirty_bytes(), before + (16u << 20)) << "six huge pages at the most";
}

TEST(HostArena, RefusesWhatIsNotThere) {
    HostArena arena;
    const auto data = arena.allocate(uint64_t{1} << 60, "the model");
    ASSERT_FALSE(data);
    EXPECT_EQ(data.error().code, base::ErrorCode::OutOfMemory);
    EXPECT_NE(data.error().message.find("the model: 1152921504606846976 bytes do not fit"), std::string::npos);
}

TEST(PrivateDirtyBytes, CountWhatIsWritten) {
    constexpr uint64_t kBytes = 32u << 20;
    const uint64_t before = private_dirty_bytes();
    EXPECT_GT(before, 0u);
    const auto buffer = HostBuffer::allocate(kBytes, "a test");
    ASSERT_TRUE(buffer);
    EXPECT_LT(private_dirty_bytes(), before + kBytes / 8) << "nothing is written yet";
    std::fill_n(buffer->as<char>(), kBytes, 'x');
    EXPECT_GE(private_dirty_bytes(), before + kBytes);
    EXPECT_LT(private_dirty_bytes(), before + kBytes + kBytes / 8);
}

}  // namespace
}  // namespace llmd::compute
