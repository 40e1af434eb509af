// Saved pages are read back bit for bit within their scope and nowhere else; a damaged file of any kind counts as no
// page and is removed; the files keep to their limit, the least recently used go first, and no chain loses its
// beginning.
#include "engine/generation/kv_cache/prefix_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

#include "engine/compute/backend.h"

namespace llmd::generation {
namespace {

namespace fs = std::filesystem;
using compute::kPageTokens;

constexpr uint64_t kPageBytes = 1000;
constexpr uint64_t kWindowPageBytes = 300;
constexpr uint64_t kPlenty = 1u << 20;
const std::string kIdentity = "engine 1, fingerprint, model 7";

// So many pages; `text` is in the last id of the first page, which tells chains apart.
std::vector<int32_t> chain(uint32_t n_pages, int32_t text = 0) {
    std::vector<int32_t> ids(size_t{n_pages} * kPageTokens);
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
    ids[kPageTokens - 1] = 1000 + text;
    return ids;
}

std::vector<std::byte> page_of(uint32_t number) {
    std::mt19937 random(number);
    std::vector<std::byte> page(kPageBytes);
    for (auto& byte : page) byte = static_cast<std::byte>(random());
    return page;
}

// How many pages at the beginning of the chain have a file.
uint32_t n_saved(PrefixStore& store, const std::string& scope, std::span<const int32_t> ids) {
    const auto has_file = store.use(compute::KvPool::Full, scope, ids);
    return static_cast<uint32_t>(std::find(has_file.begin(), has_file.end(), false) - has_file.begin());
}

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
void set_content(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}
uint32_t mode_of(const fs::path& path) {
    struct stat status = {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
}

class PrefixStoreTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "llmd-prefixes-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        root_ = name;
    }
    void TearDown() override { fs::remove_all(root_); }

    fs::path directory() const { return root_ / "llmd" / "prefixes"; }
    PrefixStore open(uint64_t max_bytes = kPlenty, const std::string& identity = kIdentity) const {
        auto store = PrefixStore::open(directory(), identity, {kPageBytes, kWindowPageBytes}, max_bytes);
        if (!store) throw std::runtime_error(store.error().message);
        return *std::move(store);
    }
    std::vector<fs::path> files() const {
        std::vector<fs::path> all;
        for (const auto& entry : fs::directory_iterator(directory())) all.push_back(entry.path());
        std::sort(all.begin(), all.end());
        return all;
    }
    // Every page of the chain, page i being page_of(first + i).
    static bool save(PrefixStore& store, const std::vector<int32_t>& ids, uint32_t first = 0,
                     std::string_view scope = "app") {
        for (uint32_t i = 0; (i + 1) * kPageTokens <= ids.size(); ++i) {
            if (!store.write(compute::KvPool::Full, scope, std::span(ids).first((i + 1) * kPageTokens),
                             page_of(first + i)))
                return false;
        }
        return true;
    }
    static bool has(PrefixStore& store, std::span<const int32_t> ids, uint32_t page, std::string_view scope = "app") {
        std::vector<std::byte> read(kPageBytes);
        return store.read(compute::KvPool::Full, scope, ids, read) && read == page_of(page);
    }

    fs::path root_;
};

TEST_F(PrefixStoreTest, APageComesBackBitForBitAndIsItsOwnersAlone) {
    const auto ids = chain(3);
    {
        auto store = open();
        ASSERT_TRUE(save(store, ids));
    }
    auto store = open();
    EXPECT_EQ(n_saved(store, "app", ids), 3u);
    for (uint32_t i = 0; i < 3; ++i) EXPECT_TRUE(has(store, std::span(ids).first((i + 1) * kPageTokens), i)) << i;
    EXPECT_EQ(mode_of(directory()), 0700u);
    uint64_t bytes = 0;
    for (const auto& file : files()) {
        EXPECT_EQ(mode_of(file), 0600u);
        bytes += fs::file_size(file);
    }
    EXPECT_EQ(store.size_bytes(), bytes);
}

TEST_F(PrefixStoreTest, AnotherScopeIdentityOrChainFindsNothing) {
    const auto ids = chain(2);
    auto store = open();
    ASSERT_TRUE(save(store, ids));
    EXPECT_EQ(n_saved(store, "another", ids), 0u);
    EXPECT_FALSE(has(store, ids, 1, "another"));
    EXPECT_EQ(n_saved(store, "app", chain(2, 5)), 0u);
    auto longer = chain(2);
    longer.back() = 7;
    EXPECT_EQ(n_saved(store, "app", longer), 1u);
    auto other = open(kPlenty, kIdentity + "1");
    EXPECT_EQ(n_saved(other, "app", ids), 0u);
    EXPECT_FALSE(has(other, ids, 1));
    EXPECT_TRUE(has(store, ids, 1)) << "and nobody's asking has changed it";
}

TEST_F(PrefixStoreTest, AWindowedPageIsAnotherPageOfTheSameChain) {
    const auto ids = chain(2);
    auto store = open();
    ASSERT_TRUE(save(store, ids));
    const std::vector<std::byte> windowed(kWindowPageBytes, std::byte{5});
    std::vector<std::byte> read(kWindowPageBytes);
    EXPECT_FALSE(store.read(compute::KvPool::Window, "app", ids, read));
    ASSERT_TRUE(store.write(compute::KvPool::Window, "app", ids, windowed));
    EXPECT_EQ(files().size(), 3u);
    EXPECT_EQ(store.use(compute::KvPool::Window, "app", ids), (std::vector<bool>{false, true}));
    ASSERT_TRUE(store.read(compute::KvPool::Window, "app", ids, read));
    EXPECT_EQ(read, windowed);
    EXPECT_TRUE(has(store, ids, 1));
    auto again = open();
    EXPECT_TRUE(again.read(compute::KvPool::Window, "app", ids, read));
    again.forget("app", ids);
    EXPECT_EQ(files().size(), 0u);
}

// A hash alone is not believed: the file must repeat it all.
TEST_F(PrefixStoreTest, AFileUnderAnothersNameIsNoPage) {
    const auto ids = chain(1);
    auto store = open();
    ASSERT_TRUE(save(store, ids));
    const std::string its = content(files().at(0));
    const struct {
        std::vector<int32_t> ids;
        std::string scope, identity;
    } others[] = {
        {chain(1, 5), "app", kIdentity}, {ids, "bpp", kIdentity}, {ids, "app", "Engine" + kIdentity.substr(6)}};
    for (const auto& one : others) {
        fs::remove_all(directory());
        auto foreign = open(kPlenty, one.identity);
        ASSERT_TRUE(save(foreign, one.ids, 0, one.scope));
        set_content(files().at(0), its);
        EXPECT_FALSE(has(foreign, one.ids, 0, one.scope));
        EXPECT_TRUE(files().empty());
    }
}

TEST_F(PrefixStoreTest, ADamagedFileIsNoPageAndGoes) {
    const auto ids = chain(1);
    {
        auto store = open();
        ASSERT_TRUE(save(store, ids));
    }
    const fs::path file = files().at(0);
    const std::string whole = content(file);
    const auto refuses = [&](const std::string& damaged) {
        set_content(file, damaged);
        auto store = open();
        const bool refused = !has(store, ids, 0) && files().empty() && n_saved(store, "app", ids) == 0;
        return refused && store.size_bytes() == 0;
    };
    for (size_t i = 0; i < whole.size(); i += 7) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        ASSERT_TRUE(refuses(damaged)) << "byte " << i << " of " << whole.size();
    }
    for (size_t i = 0; i < whole.size(); i += 101) ASSERT_TRUE(refuses(whole.substr(0, i))) << i << " bytes";
    EXPECT_TRUE(refuses(whole + "x"));
    auto store = open();
    EXPECT_TRUE(save(store, ids)) << "and is saved again";
    EXPECT_TRUE(has(store, ids, 0));
}

TEST_F(PrefixStoreTest, OnlyItsOwnFilesAreEverRemoved) {
    {
        auto store = open();
        ASSERT_TRUE(save(store, chain(2)));
    }
    const std::string name = files().at(0).filename();
    const std::vector<std::string> others = {"README", "0123.prefix", name + ".bak", name.substr(1),
                                             "x" + name.substr(1)};
    for (const auto& other : others) set_content(directory() / other, "mine");
    fs::create_directory(directory() / ("0" + name.substr(1)).replace(1, 1, "0"));
    set_content(directory() / (name + ".a1B2c3"), "half");  // of an engine that ended while it wrote
    auto store = open(1);
    EXPECT_EQ(store.n_files(), 0u) << "none fits";
    EXPECT_EQ(files().size(), others.size() + 1);
    for (const auto& other : others) EXPECT_EQ(content(directory() / other), "mine") << other;
}

TEST_F(PrefixStoreTest, TheLeastRecentlyUsedGoAndNoChainLosesItsBeginning) {
    uint64_t chain_bytes = 0;
    {
        auto store = open();
        ASSERT_TRUE(save(store, chain(3, 1)));
        chain_bytes = store.size_bytes();
        ASSERT_TRUE(save(store, chain(3, 2)));
        ASSERT_TRUE(save(store, chain(3, 3)));
        EXPECT_EQ(n_saved(store, "app", chain(3, 1)), 3u);
    }
    // A new engine knows the order from the files.
    auto store = open(2 * chain_bytes);
    EXPECT_EQ(n_saved(store, "app", chain(3, 2)), 0u) << "the least recently used";
    EXPECT_LE(store.size_bytes(), 2 * chain_bytes);
    ASSERT_TRUE(save(store, chain(1, 4)));
    EXPECT_EQ(n_saved(store, "app", chain(3, 3)), 2u) << "its end goes first";
    EXPECT_EQ(n_saved(store, "app", chain(3, 1)), 3u);
    ASSERT_TRUE(save(store, chain(3, 5)));
    EXPECT_EQ(n_saved(store, "app", chain(3, 1)), 3u);
    EXPECT_EQ(n_saved(store, "app", chain(3, 3)), 0u);
    EXPECT_LE(store.size_bytes(), 2 * chain_bytes);
    EXPECT_FALSE(save(store, chain(7, 6))) << "longer than the limit: it does not eat its own beginning";
    EXPECT_GE(n_saved(store, "app", chain(7, 6)), 5u);
    EXPECT_LE(store.size_bytes(), 2 * chain_bytes);
}

TEST_F(PrefixStoreTest, AClockThatWentBackChangesNoOrder) {
    uint64_t page_bytes = 0;
    {
        auto store = open();
        ASSERT_TRUE(save(store, chain(1, 1)));
        page_bytes = store.size_bytes();
    }
    const timespec far[] = {{.tv_sec = int64_t{1} << 34, .tv_nsec = 0}, {.tv_sec = int64_t{1} << 34, .tv_nsec = 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, files().at(0).c_str(), far, 0), 0);
    auto store = open(2 * page_bytes);
    ASSERT_TRUE(save(store, chain(1, 2)));
    ASSERT_TRUE(save(store, chain(1, 3)));
    EXPECT_EQ(n_saved(store, "app", chain(1, 1)), 0u);
    EXPECT_EQ(n_saved(store, "app", chain(1, 2)), 1u);
    EXPECT_EQ(n_saved(store, "app", chain(1, 3)), 1u);
}

TEST_F(PrefixStoreTest, ForgetsAllThatBeginsAlike) {
    auto store = open();
    auto fork = chain(3);
    fork[2 * kPageTokens] = -1;
    ASSERT_TRUE(save(store, chain(3)) && save(store, fork) && save(store, chain(2, 9)));
    ASSERT_TRUE(save(store, chain(1), 0, "another"));
    store.forget("app", chain(1));
    EXPECT_EQ(n_saved(store, "app", chain(3)), 0u);
    EXPECT_EQ(n_saved(store, "app", chain(2, 9)), 2u);
    EXPECT_EQ(n_saved(store, "another", chain(1)), 1u);
    EXPECT_EQ(files().size(), 3u);
}

TEST_F(PrefixStoreTest, AFullDiskKeepsWhatItHas) {
    auto store = open();
    ASSERT_TRUE(save(store, chain(1)));
    struct Limit {
        Limit() {
            ::getrlimit(RLIMIT_FSIZE, &before);
            ::signal(SIGXFSZ, SIG_IGN);
            const rlimit small{.rlim_cur = kPageBytes / 2, .rlim_max = before.rlim_max};
            ::setrlimit(RLIMIT_FSIZE, &small);
        }
        ~Limit() {
            ::setrlimit(RLIMIT_FSIZE, &before);
            ::signal(SIGXFSZ, SIG_DFL);
        }
        rlimit before{};
    };
    {
        const Limit limit;
        EXPECT_FALSE(save(store, chain(1, 2)));
    }
    EXPECT_EQ(files().size(), 1u) << "nothing half is left";
    EXPECT_TRUE(has(store, chain(1), 0));
    EXPECT_TRUE(save(store, chain(1, 2))) << "when there is room again";
}

TEST_F(PrefixStoreTest, ADirectoryThatCannotBeIsNamed) {
    fs::create_directories(root_ / "llmd");
    set_content(directory(), "a file");
    const auto store = PrefixStore::open(directory() / "below", kIdentity, {kPageBytes, kWindowPageBytes}, kPlenty);
    ASSERT_FALSE(store);
    EXPECT_NE(store.error().message.find((directory() / "below").string()), std::string::npos) << store.error().message;
    PrefixStore::clear(directory());
    EXPECT_EQ(content(directory()), "a file");
}

TEST_F(PrefixStoreTest, ClearRemovesThemAll) {
    PrefixStore::clear(directory());
    EXPECT_FALSE(fs::exists(directory())) << "it makes no directory";
    auto store = open();
    auto other = open(kPlenty, "another");
    ASSERT_TRUE(save(store, chain(2)) && save(other, chain(2)));
    set_content(directory() / "README", "mine");
    PrefixStore::clear(directory());
    EXPECT_EQ(files(), std::vector<fs::path>{directory() / "README"});
}

}  // namespace
}  // namespace llmd::generation
