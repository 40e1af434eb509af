// KV pages that nobody needs are the system's again, and their neighbours keep every bit.
#include "engine/compute/cpu/cpu_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace llmd::compute {
namespace {

// Private memory of this process that is written.
uint64_t private_dirty_bytes() {
    std::ifstream smaps("/proc/self/smaps_rollup");
    std::string word;
    while (smaps >> word) {
        uint64_t kib = 0;
        if (word == "Private_Dirty:" && smaps >> kib) return kib << 10;
    }
    ADD_FAILURE() << "/proc/self/smaps_rollup has no Private_Dirty";
    return 0;
}

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

}  // namespace
}  // namespace llmd::compute
