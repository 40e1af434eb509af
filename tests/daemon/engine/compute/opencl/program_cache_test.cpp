// Kept programs come back byte for byte; a damaged file of any kind is no program and is replaced; a directory that
// cannot be used costs nothing but the cache.
#include "engine/compute/opencl/runtime/program_cache.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "engine/compute/opencl/runtime/device_queue.h"
#include "support/environment.h"

namespace llmd::test {
namespace {

namespace fs = std::filesystem;
using compute::ProgramCache;

constexpr uint64_t kKey = 0x0123456789abcdef;
constexpr size_t kHeaderBytes = 32;

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void set_content(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

class ProgramCacheTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "llmd-programs-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        root_ = name;
    }
    void TearDown() override { fs::remove_all(root_); }

    fs::path directory() const { return root_ / "a" / "kernels"; }
    fs::path file() const { return directory() / "0123456789abcdef.program"; }
    size_t n_files() const {
        return static_cast<size_t>(std::distance(fs::directory_iterator(directory()), fs::directory_iterator()));
    }

    fs::path root_;
    const std::vector<std::byte> program_ = bytes_of(std::string("a program\0with a zero", 21));
};

TEST_F(ProgramCacheTest, GivesBackWhatItKept) {
    const ProgramCache cache(directory());
    EXPECT_FALSE(cache.take(kKey));
    cache.keep(kKey, program_);
    EXPECT_EQ(n_files(), 1u);
    EXPECT_EQ(cache.take(kKey), program_);
    cache.put_back(kKey);
    EXPECT_EQ(ProgramCache(directory()).take(kKey), program_);
    cache.put_back(kKey);
    EXPECT_FALSE(cache.take(kKey + 1));

    const auto other = bytes_of("another");
    cache.keep(kKey, other);
    EXPECT_EQ(cache.take(kKey), other);
}

TEST_F(ProgramCacheTest, IsForTheOwnerOnly) {
    const mode_t mask = ::umask(0);
    ProgramCache(directory()).keep(kKey, program_);
    ::umask(mask);
    struct stat status = {};
    ASSERT_EQ(::stat(directory().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u);
    ASSERT_EQ(::stat(file().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(ProgramCacheTest, TriesWhatEndedTheProcessOnlyOnce) {
    const ProgramCache cache(directory());
    cache.keep(kKey, program_);
    ASSERT_TRUE(cache.take(kKey));  // and the driver crashes
    EXPECT_FALSE(ProgramCache(directory()).take(kKey));
    cache.keep(kKey, program_);
    EXPECT_EQ(n_files(), 1u) << "the file that was taken is left behind";
    EXPECT_EQ(cache.take(kKey), program_);
}

TEST_F(ProgramCacheTest, TakesNoDamagedFileAndReplacesIt) {
    const ProgramCache cache(directory());
    cache.keep(kKey, program_);
    const std::string whole = content(file());
    ASSERT_EQ(whole.size(), kHeaderBytes + program_.size());
    const auto is_replaced = [&] {
        EXPECT_FALSE(cache.take(kKey));
        cache.keep(kKey, program_);
        EXPECT_EQ(content(file()), whole);
        EXPECT_EQ(n_files(), 1u);
    };
    for (size_t length = 0; length < whole.size(); ++length) {
        SCOPED_TRACE(base::concat("cut to ", length));
        set_content(file(), whole.substr(0, length));
        is_replaced();
    }
    for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
        SCOPED_TRACE(base::concat("bit ", bit));
        std::string damaged = whole;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        set_content(file(), damaged);
        is_replaced();
    }
    set_content(file(), whole + '\0');
    is_replaced();
    set_content(file(), std::string(4096, '\0'));
    is_replaced();
}

TEST_F(ProgramCacheTest, TakesNoOtherProgramsFile) {
    const ProgramCache cache(directory());
    cache.keep(kKey + 1, program_);
    fs::rename(directory() / "0123456789abcdf0.program", file());
    EXPECT_FALSE(cache.take(kKey));
}

TEST_F(ProgramCacheTest, TakesNothingThatIsNoFile) {
    const ProgramCache cache(directory());
    cache.keep(kKey, program_);
    fs::rename(file(), root_ / "elsewhere");
    fs::create_symlink(root_ / "elsewhere", file());
    EXPECT_FALSE(cache.take(kKey));
    fs::remove(file());
    ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
    EXPECT_FALSE(cache.take(kKey));
    cache.keep(kKey, program_);  // replaces a FIFO
    EXPECT_EQ(cache.take(kKey), program_);
    fs::create_directories(file() / "not empty");
    EXPECT_FALSE(cache.take(kKey));
    cache.keep(kKey, program_);  // cannot replace that
    EXPECT_FALSE(cache.take(kKey));
    EXPECT_EQ(n_files(), 2u) << "a temporary file is left behind";
}

TEST_F(ProgramCacheTest, WorksWithoutAFolder) {
    set_content(root_ / "a", "a file where the directory's parent should be");
    for (const fs::path& path : {fs::path(), directory(), fs::path("/proc/llmd/kernels")}) {
        const ProgramCache cache(path);
        cache.keep(kKey, program_);
        EXPECT_FALSE(cache.take(kKey));
        cache.put_back(kKey);
    }
}

TEST_F(ProgramCacheTest, LeavesNothingBehindOnAFullDisk) {
    const ProgramCache cache(directory());
    cache.keep(kKey, program_);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit full{kHeaderBytes + 5, before.rlim_max};
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
    cache.keep(kKey + 1, program_);
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ::signal(SIGXFSZ, handler);
    EXPECT_EQ(n_files(), 1u);
    EXPECT_EQ(cache.take(kKey), program_);
    EXPECT_FALSE(cache.take(kKey + 1));
}

TEST_F(ProgramCacheTest, IsBoundedAndTheOldestGoFirst) {
    const ProgramCache cache(directory());
    const std::vector<std::byte> large(compute::kMaxProgramBytes);
    constexpr uint64_t kFit = compute::kMaxProgramCacheBytes / compute::kMaxProgramBytes - 1;  // and their headers
    const auto now = fs::file_time_type::clock::now();
    const auto set_age = [&](uint64_t key, int hours) {
        fs::last_write_time(directory() / base::concat("000000000000000", key, ".program"),
                            now - std::chrono::hours(hours));
    };
    for (uint64_t key = 0; key < kFit; ++key) {
        cache.keep(key, large);
        set_age(key, 10 - static_cast<int>(key));
    }
    EXPECT_EQ(n_files(), kFit);
    ASSERT_TRUE(cache.take(0));
    cache.put_back(0);           // no longer the oldest
    ASSERT_TRUE(cache.peek(1));  // nor this one
    cache.keep(kFit, large);
    EXPECT_EQ(n_files(), kFit);
    EXPECT_TRUE(cache.take(0));
    EXPECT_TRUE(cache.take(1));
    EXPECT_FALSE(cache.take(2));
    EXPECT_TRUE(cache.take(kFit));

    cache.keep(9, std::vector<std::byte>(compute::kMaxProgramBytes + 1));
    EXPECT_FALSE(cache.take(9));
}

TEST(ProgramKey, TellsPartsApart) {
    using Parts = std::vector<std::string_view>;
    const uint64_t key = compute::program_key(Parts{"source", "options"});
    EXPECT_EQ(compute::program_key(Parts{"source", "options"}), key);
    EXPECT_NE(compute::program_key(Parts{"sourceo", "ptions"}), key);
    EXPECT_NE(compute::program_key(Parts{"source", "options", ""}), key);
    EXPECT_NE(compute::program_key(Parts{"options", "source"}), key);
}

TEST(UserCacheFolder, FollowsTheEnvironment) {
    const char* const xdg = std::getenv("XDG_CACHE_HOME");
    const char* const home = std::getenv("HOME");
    const std::string old_xdg = xdg == nullptr ? "" : xdg, old_home = home == nullptr ? "" : home;
    ::setenv("XDG_CACHE_HOME", "/x", 1);
    ::setenv("HOME", "/h", 1);
    EXPECT_EQ(compute::user_cache_directory("kernels"), "/x/llmd/kernels");
    ::setenv("XDG_CACHE_HOME", "relative", 1);  // to be ignored, says the specification
    EXPECT_EQ(compute::user_cache_directory("kernels"), "/h/.cache/llmd/kernels");
    ::unsetenv("XDG_CACHE_HOME");
    EXPECT_EQ(compute::user_cache_directory("kernels"), "/h/.cache/llmd/kernels");
    ::unsetenv("HOME");
    EXPECT_EQ(compute::user_cache_directory("kernels"), "");
    if (xdg != nullptr) ::setenv("XDG_CACHE_HOME", old_xdg.c_str(), 1);
    if (home != nullptr) ::setenv("HOME", old_home.c_str(), 1);
}

// With a device: what the driver refuses is built again and replaced.
class CachedBuild : public ProgramCacheTest {
protected:
    void SetUp() override {
        ProgramCacheTest::SetUp();
        const auto devices = compute::find_cl_devices();
        ASSERT_TRUE(devices) << devices.error().message;
        if (devices->empty()) GTEST_SKIP() << absent_opencl();
        device_ = devices->front();
        ::setenv("XDG_CACHE_HOME", root_.c_str(), 1);
    }
    void TearDown() override {
        ::unsetenv("XDG_CACHE_HOME");
        ProgramCacheTest::TearDown();
    }

    // Builds a kernel that writes 42 and runs it.
    uint32_t answer() const {
        auto queue = compute::DeviceQueue::open(device_, {});
        if (!queue) return 1;
        const auto program =
            queue->build("answer", {"kernel void answer(global uint* x) { if (get_global_id(0) == 0) x[0] = ANSWER; }"},
                         "-DANSWER=42");
        const auto buffer = queue->allocate("answer", sizeof(uint32_t));
        if (!program || !buffer) return 2;
        const auto kernel = compute::make_kernel(*program, "answer");
        uint32_t answer = 3;
        if (!kernel || !compute::set_args(*kernel, *buffer) || !queue->launch(*kernel, 1, 1) ||
            !queue->read(*buffer, 0, std::as_writable_bytes(std::span(&answer, 1)))) {
            return 4;
        }
        return answer;
    }

    compute::ClDevice device_;
};

TEST_F(CachedBuild, RebuildsWhatTheDriverRefuses) {
    EXPECT_EQ(answer(), 42u);
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(root_ / "llmd" / "kernels")) files.push_back(entry.path());
    ASSERT_EQ(files.size(), 1u);
    const std::string whole = content(files[0]);
    EXPECT_EQ(answer(), 42u);
    EXPECT_EQ(content(files[0]), whole) << "the second build did not take the file";

    const uint64_t key = std::stoull(files[0].stem().string(), nullptr, 16);
    const ProgramCache cache(root_ / "llmd" / "kernels");
    for (const std::string& refused : {std::string("not a program"), std::string(5000, '\0')}) {
        cache.keep(key, bytes_of(refused));
        EXPECT_EQ(answer(), 42u);
        EXPECT_NE(content(files[0]).substr(kHeaderBytes), refused);
        EXPECT_EQ(answer(), 42u);
    }
}

}  // namespace
}  // namespace llmd::test
