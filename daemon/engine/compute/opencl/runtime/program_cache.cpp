#include "engine/compute/opencl/runtime/program_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/file_bytes.h"
#include "base/unique_fd.h"

namespace llmd::compute {
namespace {

namespace fs = std::filesystem;
using base::read_all;
using base::write_all;

static_assert(std::endian::native == std::endian::little, "files are written as they are in memory");

constexpr uint64_t kMagic = 0x31306c636d6c6cu;  // "llmcl01"; another layout gets another number

struct Header {
    uint64_t magic = kMagic;
    uint64_t key = 0;
    uint64_t length = 0;    // bytes after the header
    uint64_t checksum = 0;  // of those bytes
};

class Fnv1a {
public:
    void add(std::span<const std::byte> bytes) {
        for (const std::byte b : bytes) hash_ = (hash_ ^ static_cast<uint64_t>(b)) * 0x100000001b3u;
    }
    uint64_t value() const { return hash_; }

private:
    uint64_t hash_ = 0xcbf29ce484222325u;
};

uint64_t checksum(std::span<const std::byte> bytes) {
    Fnv1a hash;
    hash.add(bytes);
    return hash.value();
}

// Through a descriptor: the sandbox refuses to set times by a path.
void set_used_now(const fs::path& path) {
    const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (fd) ::futimens(fd.get(), nullptr);
}

std::optional<std::vector<std::byte>> read_program(const fs::path& path, uint64_t key, uint64_t max_bytes) {
    // Not blocking: somebody may have put a FIFO there.
    const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status = {};
    if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) {
        return std::nullopt;
    }
    Header header;
    if (!read_all(fd.get(), std::as_writable_bytes(std::span(&header, 1)))) return std::nullopt;
    if (header.magic != kMagic || header.key != key || header.length == 0 || header.length > max_bytes ||
        static_cast<uint64_t>(status.st_size) != sizeof header + header.length) {
        return std::nullopt;
    }
    std::vector<std::byte> binary(header.length);
    if (!read_all(fd.get(), binary) || checksum(binary) != header.checksum) return std::nullopt;
    return binary;
}

std::string hex(uint64_t key) {
    std::string text(16, '0');
    for (auto digit = text.rbegin(); digit != text.rend(); ++digit, key >>= 4) *digit = "0123456789abcdef"[key & 15];
    return text;
}

}  // namespace

fs::path user_cache_directory(std::string_view name) {
    for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", ""}, std::pair{"HOME", ".cache"}}) {
        const char* value = std::getenv(variable);
        if (value != nullptr && value[0] == '/') return fs::path(value) / below / "llmd" / name;
    }
    return {};
}

fs::path prepare_cache_directory(const char* variable, std::string_view name) {
    const char* set = std::getenv(variable);
    fs::path directory = set != nullptr ? fs::path(set) : user_cache_directory(name);
    std::error_code failure;
    if (!directory.is_absolute() || (fs::create_directories(directory, failure), failure)) return {};
    ::setenv(variable, directory.c_str(), 1);
    return directory;
}

uint64_t program_key(std::span<const std::string_view> parts) {
    Fnv1a hash;
    for (const std::string_view text : parts) {
        const uint64_t length = text.size();
        hash.add(std::as_bytes(std::span(&length, 1)));
        hash.add(std::as_bytes(std::span(text)));
    }
    return hash.value();
}

fs::path ProgramCache::file_of(uint64_t key) const {
    return directory_ / (hex(key) + ".program");
}

fs::path ProgramCache::taken_file_of(uint64_t key) const {
    return directory_ / (hex(key) + ".taken");
}

std::optional<std::vector<std::byte>> ProgramCache::take(uint64_t key) const {
    if (directory_.empty()) return std::nullopt;
    auto binary = read_program(file_of(key), key, max_entry_bytes());
    if (binary && ::rename(file_of(key).c_str(), taken_file_of(key).c_str()) != 0) return std::nullopt;
    return binary;
}

std::optional<std::vector<std::byte>> ProgramCache::peek(uint64_t key) const {
    if (directory_.empty()) return std::nullopt;
    auto binary = read_program(file_of(key), key, max_entry_bytes());
    if (binary) set_used_now(file_of(key));
    return binary;
}

void ProgramCache::put_back(uint64_t key) const {
    if (directory_.empty()) return;
    set_used_now(taken_file_of(key));
    ::rename(taken_file_of(key).c_str(), file_of(key).c_str());
}

void ProgramCache::keep(uint64_t key, std::span<const std::byte> binary) const {
    if (directory_.empty() || binary.empty() || binary.size() > max_entry_bytes()) return;
    std::error_code failure;
    fs::create_directories(directory_.parent_path(), failure);
    if (::mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) return;
    std::string temporary = (directory_ / (hex(key) + ".XXXXXX")).string();
    const base::UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));  // 0600
    if (!fd) return;
    const Header header{.key = key, .length = binary.size(), .checksum = checksum(binary)};
    if (!write_all(fd.get(), std::as_bytes(std::span(&header, 1))) || !write_all(fd.get(), binary) ||
        ::rename(temporary.c_str(), file_of(key).c_str()) != 0) {
        ::unlink(temporary.c_str());
        return;
    }
    ::unlink(taken_file_of(key).c_str());
    delete_oldest();
}

void ProgramCache::delete_oldest() const {
    struct File {
        fs::file_time_type time;
        uint64_t bytes;
        fs::path path;
    };
    std::vector<File> files;
    uint64_t total = 0;
    std::error_code failure;  // another process may delete what is looked at
    for (fs::directory_iterator entry(directory_, failure); entry != fs::directory_iterator();
         entry.increment(failure)) {
        std::error_code unknown;
        const uint64_t bytes = entry->file_size(unknown);
        if (unknown) continue;
        const auto time = entry->last_write_time(unknown);
        if (unknown) continue;
        files.push_back({time, bytes, entry->path()});
        total += bytes;
    }
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.time < b.time; });
    for (const File& file : files) {
        if (total <= max_bytes_) return;
        if (fs::remove(file.path, failure)) total -= file.bytes;
    }
}

}  // namespace llmd::compute
