// Mapping model files: what is refused and how, ownership of mappings and descriptors.
#include "base/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace llmd::base {
namespace {

// A folder that is gone with everything in it after the test.
class MappedFileTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = std::filesystem::temp_directory_path() / "llmd-mapped-file-XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string path(const char* name) const { return folder_ / name; }
    std::string write(const char* name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }

    std::filesystem::path folder_;
};

std::string text_of(const MappedFile& file) {
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

void expect_refused(const std::string& path, ErrorCode code, const char* why) {
    const auto file = MappedFile::open(path);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, code) << error_name(file.error().code);
    EXPECT_NE(file.error().message.find(path), std::string::npos) << file.error().message;
    EXPECT_NE(file.error().message.find(why), std::string::npos) << file.error().message;
}

TEST_F(MappedFileTest, MapsTheWholeFile) {
    const auto file = MappedFile::open(write("model", "some bytes"));
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->size(), 10u);
    EXPECT_EQ(text_of(*file), "some bytes");
}

TEST_F(MappedFileTest, RefusesAMissingFile) {
    expect_refused(path("nothing"), ErrorCode::ModelNotFound, "No such file");
    expect_refused("", ErrorCode::ModelNotFound, "No such file");
}

TEST_F(MappedFileTest, RefusesWhatIsNotARegularFile) {
    expect_refused(folder_, ErrorCode::InvalidArgument, "not a regular file");
    expect_refused("/dev/null", ErrorCode::InvalidArgument, "not a regular file");
    ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
    expect_refused(path("fifo"), ErrorCode::InvalidArgument, "not a regular file");  // without a writer to wait for
}

TEST_F(MappedFileTest, RefusesAnEmptyFile) {
    expect_refused(write("empty", ""), ErrorCode::ModelLoadFailed, "empty");
}

TEST_F(MappedFileTest, MovesItsMapping) {
    auto first = MappedFile::open(write("first", "one"));
    auto second = MappedFile::open(write("second", "two two"));
    ASSERT_TRUE(first && second);
    MappedFile moved = *std::move(first);
    EXPECT_EQ(text_of(moved), "one");
    EXPECT_EQ(first->size(), 0u);
    moved = *std::move(second);
    EXPECT_EQ(text_of(moved), "two two");
    EXPECT_TRUE(second->bytes().empty());
}

TEST_F(MappedFileTest, DroppedPagesReadAgain) {
    std::string text(3 * 4096 + 123, '\0');
    for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
    const auto file = MappedFile::open(write("big", text));
    ASSERT_TRUE(file);
    EXPECT_EQ(text_of(*file), text);
    file->drop_pages(file->bytes());
    file->drop_pages(file->bytes().subspan(1, 1));  // no whole page: nothing to do
    file->drop_pages(file->bytes().subspan(100, 8192));
    file->drop_pages({file->bytes().data(), 0});
    EXPECT_EQ(text_of(*file), text);
}

bool is_open(int fd) {
    return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(UniqueFd, ClosesWhatItOwns) {
    const int raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ASSERT_GE(raw, 0);
    {
        UniqueFd fd(raw);
        EXPECT_TRUE(fd.valid());
        UniqueFd moved(std::move(fd));
        EXPECT_FALSE(fd.valid());
        EXPECT_EQ(moved.get(), raw);
        EXPECT_TRUE(is_open(raw));
    }
    EXPECT_FALSE(is_open(raw));
}

TEST(UniqueFd, AssignmentResetAndRelease) {
    UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const int first = fd.get();
    fd = UniqueFd(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    EXPECT_FALSE(is_open(first));
    const int second = fd.get();
    UniqueFd& same = fd;
    fd = std::move(same);
    EXPECT_TRUE(is_open(second));
    const int released = fd.release();
    EXPECT_EQ(released, second);
    EXPECT_FALSE(fd);
    EXPECT_TRUE(is_open(released));
    fd.reset(released);
    fd.reset();
    EXPECT_FALSE(is_open(released));
}

}  // namespace
}  // namespace llmd::base
