#include "client/pull/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "client/counts.h"
#include "client/exit_code.h"

namespace llmd::client {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReadBytes = 1u << 20;
// Room that stays free: a full disk would stop more than a download.
constexpr uint64_t kReserveBytes = 64u << 20;
constexpr uint64_t kBytesBetweenRoomChecks = 64u << 20;
constexpr std::string_view kMagic = "GGUF";
constexpr size_t kMaxValidatorBytes = 1024;
constexpr size_t kMaxTypeBytes = 100;
constexpr std::chrono::hours kPartialLifetime{7 * 24};
constexpr const char* kValidatorSuffix = ".validator";

std::string why(int error) {
    return std::strerror(error);
}

}  // namespace

PartialFile open_partial(const std::string& folder, const std::string& key) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw_failed(folder + ": " + error.message());
    PartialFile partial;
    partial.path = folder + '/' + key;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        std::error_code ignored;
        const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
        if (ignored || age < kPartialLifetime || entry.path().string().starts_with(partial.path)) continue;
        fs::remove(entry.path(), ignored);
    }
    partial.fd.reset(::open(partial.path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!partial.fd) throw_failed(partial.path + ": " + why(errno));
    if (::flock(partial.fd.get(), LOCK_EX | LOCK_NB) != 0) {
        throw_failed(errno == EWOULDBLOCK ? "another llmctl is pulling this file" : partial.path + ": " + why(errno));
    }
    return partial;
}

void remove_partial(const PartialFile& partial) {
    ::unlink(partial.path.c_str());
    ::unlink((partial.path + kValidatorSuffix).c_str());
}

std::optional<ContentRange> parse_content_range(std::string_view text) {
    constexpr std::string_view kUnit = "bytes ";
    const size_t slash = text.find('/');
    if (!text.starts_with(kUnit) || slash == std::string_view::npos) return {};
    ContentRange range;
    const std::string_view bytes = text.substr(kUnit.size(), slash - kUnit.size());
    const auto first = std::from_chars(bytes.data(), bytes.data() + bytes.size(), range.first);
    if (first.ec != std::errc{} && bytes != "*") return {};
    const std::string_view size = text.substr(slash + 1);
    if (size == "*") return range;
    uint64_t number = 0;
    const auto read = std::from_chars(size.data(), size.data() + size.size(), number);
    if (read.ec != std::errc{} || read.ptr != size.data() + size.size()) return {};
    range.size = number;
    return range;
}

Arrival::Arrival(PartialFile& partial, std::optional<uint64_t> size_bytes, Digest digest,
                 const DownloadProgress& progress)
    : partial_(partial),
      expected_bytes_(size_bytes),
      digest_(std::move(digest)),
      progress_(progress),
      size_(size_bytes.value_or(0)),
      hasher_(digest_.kind, size_) {
    struct stat info = {};
    if (::fstat(partial.fd.get(), &info) != 0) throw_failed(partial.path + ": " + why(errno));
    const auto there = static_cast<uint64_t>(info.st_size);
    if (has_hash() ? there > size_ : validator().empty()) {
        restart();
    } else {
        read_back(there);
    }
}

std::string Arrival::validator() const {
    if (has_hash()) return "";
    std::string text(kMaxValidatorBytes, '\0');
    const base::UniqueFd file(::open((partial_.path + kValidatorSuffix).c_str(), O_RDONLY | O_CLOEXEC));
    const ssize_t n = file ? ::read(file.get(), text.data(), text.size()) : 0;
    text.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return text;
}

void Arrival::restart() {
    if (::ftruncate(partial_.fd.get(), 0) != 0) throw_failed(partial_.path + ": " + why(errno));
    ::unlink((partial_.path + kValidatorSuffix).c_str());
    have_ = 0;
    hasher_ = Hasher(digest_.kind, size_);
}

void Arrival::begin(const AnswerHead& head) {
    std::optional<uint64_t> size = head.length;
    if (head.is_rest) {
        const auto range = parse_content_range(head.content_range);
        if (!range || range->first != have_) throw_failed("is sent from another byte on than was asked for");
        size = range->size;
    } else if (have_ > 0) {
        restart();
    }
    if (expected_bytes_ && size && *size != *expected_bytes_) {
        throw_failed("is said to be " + std::to_string(*size) + " bytes long, and " + std::to_string(*expected_bytes_) +
                     " in the repository's list");
    }
    if (!expected_bytes_) size_ = size.value_or(0);
    if (!has_hash() && have_ == 0) keep_validator(head.validator);
    content_type_ = head.content_type;
    require_room();
}

void Arrival::take(std::span<const char> bytes) {
    if (size_ != 0 && bytes.size() > size_ - have_) {
        remove_partial(partial_);
        throw_failed("is longer than the " + std::to_string(size_) + " bytes that it should have");
    }
    for (size_t i = 0; have_ + i < kMagic.size() && i < bytes.size(); ++i) {
        if (bytes[i] == kMagic[have_ + i]) continue;
        remove_partial(partial_);
        throw_failed("is no GGUF file" +
                     (content_type_.empty() ? "" : " but " + content_type_.substr(0, kMaxTypeBytes)));
    }
    hasher_.add(bytes);
    const uint64_t before = have_;
    write(bytes);
    if (before / kBytesBetweenRoomChecks != have_ / kBytesBetweenRoomChecks) require_room();
    progress_(have_, size_);
}

void Arrival::verify() {
    if (::fsync(partial_.fd.get()) != 0) throw_failed("cannot be written: " + why(errno));
    const std::string hex = hasher_.hex();
    if (hex == digest_.hex) return;
    remove_partial(partial_);
    throw_failed("is not what the repository lists: its hash is " + hex + " instead of " + digest_.hex +
                 ". It is removed; pull it again");
}

void Arrival::read_back(uint64_t size_bytes) {
    std::vector<char> bytes(kReadBytes);
    while (have_ < size_bytes) {
        const ssize_t n = ::pread(partial_.fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(have_));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw_failed(partial_.path + ": " + why(n < 0 ? errno : EIO));
        hasher_.add({bytes.data(), static_cast<size_t>(n)});
        have_ += static_cast<uint64_t>(n);
    }
}

void Arrival::write(std::span<const char> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::pwrite(partial_.fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(have_));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_failed("cannot be written: " + why(errno));
        have_ += static_cast<uint64_t>(n);
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
}

void Arrival::keep_validator(const std::string& text) {
    if (text.empty() || text.size() > kMaxValidatorBytes) return;
    const base::UniqueFd file(::open((partial_.path + kValidatorSuffix).c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
    // Without it the next attempt begins again.
    if (file && ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) restart();
}

void Arrival::require_room() const {
    struct statvfs disk = {};
    if (::fstatvfs(partial_.fd.get(), &disk) != 0) return;
    const uint64_t room = uint64_t{disk.f_bavail} * disk.f_frsize;
    const uint64_t needed = size_ != 0 ? size_ - have_ : 0;
    if (room >= needed + kReserveBytes) return;
    throw_failed("takes another " + size_text(needed) + ", and " + size_text(kReserveBytes) +
                 " are to stay free; there are " + size_text(room) + " in " +
                 fs::path(partial_.path).parent_path().string());
}

}  // namespace llmd::client
