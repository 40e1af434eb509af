// A long prefix that comes again is found by the next engine too, and changes no text. A prefix that comes once, is
// short, has wrong pages or belongs to another application is not found.
#include "engine/generation/kv_cache/disk_prefix_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "daemon/engine/generation/fake_model.h"
#include "daemon/engine/generation/generator_runs.h"
#include "daemon/engine/generation/recorded_events.h"
#include "engine/generation/generator.h"

namespace llmd::generation {
namespace {

namespace fs = std::filesystem;
using test::fake_backend;

constexpr test::FakeModelOptions kOptions = {.n_ctx = 1024, .n_pages = 64};
constexpr uint32_t kTokens = 400;  // of a prompt: twelve whole pages
constexpr uint32_t kWhole = kTokens / compute::kPageTokens * compute::kPageTokens;

std::string long_prompt(const std::string& begin, size_t n_bytes = kTokens) {
    return test::long_text(begin, n_bytes);
}

class DiskPrefixCacheTest : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "llmd-saved-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        root_ = name;
        restart();
    }
    void TearDown() override { fs::remove_all(root_); }

    // Another engine with the same directory.
    void restart(const std::string& identity = "fake", const test::FakeModelOptions& options = kOptions) {
        generator_.reset();
        events_ = {};
        model_.emplace(test::fake_model(options));
        device().asynchronous = GetParam();
        auto store = open_store(identity);
        ASSERT_TRUE(store) << store.error().message;
        generator_.emplace(*model_, PrefillPace::exactly(60), events_, *std::move(store));
    }
    base::Result<PrefixStore> open_store(const std::string& identity) {
        const uint64_t page_bytes = device().page_bytes(compute::KvPool::Full);
        return PrefixStore::open(root_, identity, {page_bytes, page_bytes}, 1u << 20);
    }
    void save_all() {
        while (generator_->has_unsaved()) {
            const uint32_t n_before = device().n_page_reads;
            ASSERT_TRUE(generator_->save_next());
            ASSERT_LE(device().n_page_reads, n_before + 1) << "a page at a time";
        }
    }
    // Runs it alone, saves, and compares it with what it is without a cache. Gives the prompt's tokens that it found.
    uint32_t found(const std::string& prompt, const std::string& scope = "app",
                   const Sampling& sampling = test::kSeeded) {
        auto request = test::request(++last_id_, prompt, 20, sampling);
        request.cache_scope = scope;
        EXPECT_TRUE(generator_->submit(request));
        generator_->start(request.id);
        test::run(*generator_);
        save_all();
        const auto& given = events_.requests[request.id];
        const auto expected = test::undisturbed(request, kOptions);
        EXPECT_EQ(given.ids, expected.ids);
        EXPECT_EQ(given.text, expected.text);
        EXPECT_EQ(given.cached.size(), 1u);
        return given.cached.empty() ? 0 : given.cached[0];
    }
    size_t n_files() const {
        return static_cast<size_t>(std::distance(fs::directory_iterator(root_), fs::directory_iterator()));
    }
    test::FakeBackend& device() { return fake_backend(*model_); }

    fs::path root_;
    std::optional<LoadedModel> model_;
    test::RecordedEvents events_;
    std::optional<Generator> generator_;
    uint64_t last_id_ = 0;
};

TEST_P(DiskPrefixCacheTest, ALongPrefixThatComesAgainOutlivesTheEngine) {
    const std::string prompt = long_prompt("a system prompt");
    EXPECT_EQ(found(prompt), 0u);
    EXPECT_EQ(n_files(), 0u) << "what is asked once is not saved";
    EXPECT_EQ(found(prompt), kWhole);
    EXPECT_EQ(n_files(), 12u);
    for (const auto& sampling : {Sampling{}, test::kSeeded, test::kFiltered}) {
        restart();
        EXPECT_EQ(found(prompt + " and a question", "app", sampling), kWhole);
        EXPECT_EQ(device().n_page_writes, 12u);
        EXPECT_EQ(found(prompt + " and another", "app", sampling), kWhole);
        EXPECT_EQ(device().n_page_writes, 12u) << "memory has them now";
    }
    EXPECT_EQ(n_files(), 12u);
}

TEST_P(DiskPrefixCacheTest, OnlyWhatComesAgainIsSavedOfALongerText) {
    const std::string system = long_prompt("a system prompt", 12 * 32);
    EXPECT_EQ(found(system + long_prompt("one question", 100)), 0u);
    EXPECT_EQ(found(system + long_prompt("two questions", 100)), 12 * 32u);
    EXPECT_EQ(n_files(), 12u);
}

TEST_P(DiskPrefixCacheTest, AShortPrefixIsNotSaved) {
    const std::string prompt =
        long_prompt("short", kLeastSavedTokens);  // its last page is not whole without its last token
    EXPECT_EQ(found(prompt), 0u);
    EXPECT_EQ(found(prompt), kLeastSavedTokens - compute::kPageTokens);
    EXPECT_EQ(n_files(), 0u);
    EXPECT_EQ(found(prompt + "."), kLeastSavedTokens);
    EXPECT_EQ(n_files(), kLeastSavedTokens / compute::kPageTokens);
}

TEST_P(DiskPrefixCacheTest, AnotherApplicationOrProfileFindsNothing) {
    const std::string prompt = long_prompt("a system prompt");
    found(prompt);
    EXPECT_EQ(found(prompt), kWhole);
    restart();
    EXPECT_EQ(found(prompt, "another"), 0u);
    EXPECT_EQ(found(prompt, ""), 0u);
    EXPECT_EQ(found(prompt, ""), 0u);
    restart("another fingerprint");
    EXPECT_EQ(found(prompt), 0u);
    restart();
    EXPECT_EQ(found(prompt), kWhole);
}

TEST_P(DiskPrefixCacheTest, ADamagedPageEndsWhatIsTaken) {
    const std::string prompt = long_prompt("a system prompt");
    found(prompt);
    EXPECT_EQ(found(prompt), kWhole);
    const auto cut = fs::directory_iterator(root_)->path();
    fs::resize_file(cut, fs::file_size(cut) - 1);
    restart();
    EXPECT_LT(found(prompt), kWhole);
    EXPECT_EQ(n_files(), 11u);
    EXPECT_EQ(found(prompt), kWhole);
    EXPECT_EQ(n_files(), 12u) << "it is saved again";
}

TEST_P(DiskPrefixCacheTest, DroppingTheCacheKeepsTheFiles) {
    const std::string prompt = long_prompt("a system prompt");
    found(prompt);
    EXPECT_EQ(found(prompt), kWhole);
    generator_->drop_cache();
    EXPECT_EQ(generator_->page_counts().cached, 0u);
    EXPECT_EQ(n_files(), 12u);
    EXPECT_EQ(found(prompt), kWhole);
    EXPECT_EQ(device().n_page_writes, 12u);
}

TEST_P(DiskPrefixCacheTest, WhatMemoryHasLostMeanwhileIsNotSaved) {
    const std::string prompt = long_prompt("a system prompt");
    found(prompt);
    auto again = test::request(90, prompt, 20);
    again.cache_scope = "app";
    ASSERT_TRUE(generator_->submit(again));
    generator_->start(90);
    test::run(*generator_);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(generator_->save_next());
    generator_->drop_cache();
    save_all();
    EXPECT_FALSE(generator_->has_unsaved());
    EXPECT_EQ(n_files(), 5u);
    restart();
    EXPECT_EQ(found(prompt), 5 * 32u);
}

TEST_P(DiskPrefixCacheTest, WhatGaveNoFiniteLogitsIsRemoved) {
    const std::string prompt = long_prompt("a system prompt");
    found(prompt);
    EXPECT_EQ(found(prompt), kWhole);
    found(long_prompt("something else"));
    EXPECT_EQ(found(long_prompt("something else")), kWhole);
    device().poison = {'#'};
    auto wrong = test::request(90, prompt.substr(0, 100) + "#", 20);
    wrong.cache_scope = "app";
    ASSERT_TRUE(generator_->submit(wrong));
    generator_->start(90);
    test::run(*generator_);
    EXPECT_EQ(n_files(), 12u) << "of something else";
    device().poison.clear();
    restart();
    EXPECT_EQ(found(prompt), 0u);
    EXPECT_EQ(found(long_prompt("something else")), kWhole);
}

// A text that lost its pages and finds them again was asked for once.
TEST_P(DiskPrefixCacheTest, WhatASequenceFindsOfItsOwnIsNoHit) {
    auto request = test::request(1, long_prompt("once"), 100);
    request.cache_scope = "app";
    ASSERT_TRUE(generator_->submit(request));
    generator_->start(1, 1);
    while (events_.requests[1].ids.size() < 40) ASSERT_TRUE(generator_->step());
    generator_->set_paused(1, true);
    for (const uint64_t id : {2, 3}) {  // 52 of 64 pages, so that four of its 16 are gone
        ASSERT_TRUE(generator_->submit(test::request(id, "x", id == 2 ? 1000 : 620)));
        generator_->start(id);
    }
    ASSERT_TRUE(generator_->step());
    for (const uint64_t id : {2, 3}) generator_->cancel(id);
    generator_->set_paused(1, false);
    test::run(*generator_);
    ASSERT_EQ(events_.requests[1].cached.size(), 2u);
    EXPECT_GE(events_.requests[1].cached[1], kLeastSavedTokens);
    EXPECT_FALSE(generator_->has_unsaved());
}

TEST_P(DiskPrefixCacheTest, IsReadWhileOthersCompute) {
    const std::string prompt = long_prompt("a system prompt");
    found(prompt);
    EXPECT_EQ(found(prompt), kWhole);
    restart();
    const auto first = test::request(50, "company", 200, test::kSeeded);
    ASSERT_TRUE(generator_->submit(first));
    generator_->start(50);
    while (events_.requests[50].ids.size() < 20) ASSERT_TRUE(generator_->step());
    EXPECT_EQ(found(prompt), kWhole);
    EXPECT_EQ(events_.requests[50].ids, test::undisturbed(first, kOptions).ids);
}

// The page before the border is the last of three that a window of 70 has, so three windowed pages are saved.
TEST_P(DiskPrefixCacheTest, WithAWindowATextGoesOnFromTheEndOfASavedPrefixOnly) {
    const std::string prompt = long_prompt("a system prompt");
    test::FakeModelOptions options = kOptions;
    options.window = 70;
    options.n_window_pages = 24;
    restart("fake", options);
    EXPECT_EQ(found(prompt), 0u);
    EXPECT_EQ(found(prompt), kWhole);
    EXPECT_EQ(n_files(), 12u + 3);
    restart("fake", options);
    EXPECT_EQ(found(prompt.substr(0, 300)), 0u);
    EXPECT_EQ(found(prompt + " and a question"), kWhole);
    EXPECT_EQ(device().n_page_writes, 3u + 3) << "memory has nine pages";
    restart("fake", options);
    for (const auto& file : fs::directory_iterator(root_)) {
        if (file.path().extension() == ".window") {
            fs::remove(file);
            break;
        }
    }
    EXPECT_EQ(found(prompt), 0u);
    EXPECT_EQ(found(prompt), kWhole);
    EXPECT_EQ(n_files(), 12u + 3) << "it is saved again";
    restart("fake", options);
    EXPECT_EQ(found(prompt), kWhole);
}

TEST_P(DiskPrefixCacheTest, ASlowDiskIsNotUsedAgain) {
    const std::vector<int32_t> ids(3 * compute::kPageTokens + 1, 7);
    auto store = *open_store("fake");
    const std::vector<std::byte> page(device().page_bytes(compute::KvPool::Full));
    for (uint32_t n = 1; n <= 3; ++n) {
        ASSERT_TRUE(
            store.write(compute::KvPool::Full, "app", std::span(ids).first(size_t{n} * compute::kPageTokens), page));
    }
    std::chrono::steady_clock::time_point now;
    int n_until_slow = 0;
    const auto clock = [&] {
        if (--n_until_slow == 0) now += kSlowDisk + std::chrono::milliseconds(1);
        return now;
    };
    DiskPrefixCache saved(*open_store("fake"), device(), clock);
    const std::string scope = "app";
    const auto begin = [&] {
        KvPages pages(8, 1);
        const uint32_t slot = *pages.open(static_cast<uint32_t>(ids.size()), {scope, ids});
        EXPECT_TRUE(saved.begin({scope, ids}, pages, slot, false));
        return pages.n_cached(slot);
    };
    EXPECT_EQ(begin(), 3u);
    n_until_slow = 5;  // while it reads the second page
    EXPECT_EQ(begin(), 1u);
    EXPECT_EQ(begin(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Devices, DiskPrefixCacheTest, testing::Bool(),
                         [](const auto& kind) { return std::string(kind.param ? "Asynchronous" : "Synchronous"); });

}  // namespace
}  // namespace llmd::generation
