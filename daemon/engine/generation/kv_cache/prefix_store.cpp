#include "engine/generation/kv_cache/prefix_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <system_error>
#include <utility>

#include "base/file_bytes.h"
#include "base/unique_fd.h"
#include "engine/compute/backend.h"
#include "engine/generation/kv_cache/content_hash.h"

namespace llmd::generation {
namespace {

namespace fs = std::filesystem;
using base::read_all;
using base::write_all;
using compute::kPageTokens;

constexpr uint64_t kMagic = 0x323078666572'70u;  // "prefx02"; another file layout gets another number
constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kMaxSeconds = int64_t{1} << 33;  // since 1970: in nanoseconds still an int64_t, and the year 2242

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr size_t kHashDigits = 16;
constexpr std::array<std::string_view, compute::kKvPools> kSuffixes = {".prefix", ".window"};
constexpr size_t kNameLength = 2 * kHashDigits + 1 + kSuffixes[0].size();
static_assert(kSuffixes[0].size() == kSuffixes[1].size());
constexpr std::string_view kUnfinished = ".XXXXXX";  // behind a name while the file is written, as mkostemp() makes it

struct Header {
    uint64_t magic = kMagic;
    uint64_t checksum = 0;  // of what follows the header
    uint64_t key_bytes = 0;
    uint64_t page_bytes = 0;
};

uint64_t checksum(std::span<const std::byte> key, std::span<const std::byte> page) {
    ContentHash hash;
    hash.add(key);
    hash.add(page);
    return hash.value();
}

std::string hex(uint64_t number) {
    std::string text(kHashDigits, '0');
    for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number >>= 4) *digit = kHexDigits[number & 15];
    return text;
}

bool is_hex(std::string_view text) {
    return text.find_first_not_of(kHexDigits) == std::string_view::npos;
}

bool is_name(std::string_view name) {
    return name.size() == kNameLength &&
           std::ranges::any_of(kSuffixes, [&](auto suffix) { return name.ends_with(suffix); }) &&
           is_hex(name.substr(0, kHashDigits)) && name[kHashDigits] == '-' &&
           is_hex(name.substr(kHashDigits + 1, kHashDigits));
}

bool is_unfinished(std::string_view name) {
    return name.size() == kNameLength + kUnfinished.size() && is_name(name.substr(0, kNameLength)) &&
           name[kNameLength] == '.';
}

template <typename T>
std::span<std::byte> bytes_of(T& object) {
    return std::as_writable_bytes(std::span(&object, 1));
}

timespec to_timespec(int64_t ns) {
    return {static_cast<time_t>(ns / kNsPerSecond), static_cast<long>(ns % kNsPerSecond)};
}

// Calls found(name, status) for each file that open() or clear() may touch, and skips everything else.
template <typename Found>
std::error_code list(const fs::path& directory, const Found& found) {
    std::error_code failure;
    for (fs::directory_iterator entry(directory, failure); !failure && entry != fs::directory_iterator();
         entry.increment(failure)) {
        const std::string name = entry->path().filename();
        struct stat status = {};
        if ((is_name(name) || is_unfinished(name)) && ::lstat(entry->path().c_str(), &status) == 0 &&
            S_ISREG(status.st_mode)) {
            found(name, status);
        }
    }
    return failure;
}

}  // namespace

PrefixStore::PrefixStore(fs::path directory, std::string identity, const PageBytes& page_bytes, uint64_t max_bytes)
    : directory_(std::move(directory)),
      identity_(std::move(identity)),
      page_bytes_(page_bytes),
      max_bytes_(max_bytes) {}

base::Result<PrefixStore> PrefixStore::open(fs::path directory, std::string identity, const PageBytes& page_bytes,
                                            uint64_t max_bytes) {
    using base::ErrorCode;
    std::error_code failure;
    fs::create_directories(directory.parent_path(), failure);
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
        return base::fail_errno(ErrorCode::Failed, directory.string(), errno);
    }
    // The sandbox lets nobody change the mode: prepare_writable_paths() does it before.
    struct stat own = {};
    if (::stat(directory.c_str(), &own) != 0) return base::fail_errno(ErrorCode::Failed, directory.string(), errno);
    if ((own.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return base::fail(ErrorCode::Failed, directory.string(), ": others may read it; chmod 700 it");
    }
    PrefixStore store(std::move(directory), std::move(identity), page_bytes, max_bytes);
    failure = list(store.directory_, [&](const std::string& name, const struct stat& status) {
        if (is_unfinished(name)) {  // an engine ended while it wrote
            ::unlink((store.directory_ / name).c_str());
            return;
        }
        const int64_t seconds = std::clamp<int64_t>(status.st_mtim.tv_sec, 0, kMaxSeconds);
        const int64_t time_ns = seconds * kNsPerSecond + status.st_mtim.tv_nsec;
        const auto bytes = static_cast<uint64_t>(status.st_size);
        store.files_[name] = {.bytes = bytes, .last_used_ns = time_ns};
        store.size_bytes_ += bytes;
        store.newest_ns_ = std::max(store.newest_ns_, time_ns);
    });
    if (failure) return base::fail(ErrorCode::Failed, store.directory_.string(), ": ", failure.message());
    store.make_room(0, std::numeric_limits<int64_t>::max());
    return store;
}

void PrefixStore::clear(const fs::path& directory) {
    list(directory, [&](const std::string& name, const struct stat&) { ::unlink((directory / name).c_str()); });
}

std::vector<std::string> PrefixStore::names(compute::KvPool pool, std::string_view scope,
                                            std::span<const int32_t> ids) const {
    ContentHash hash;
    hash.add(identity_);
    hash.add(scope);
    std::vector<std::string> all;
    std::string first;
    for (; ids.size() >= kPageTokens; ids = ids.subspan(kPageTokens)) {
        hash.add(ids.first(kPageTokens));
        const std::string chain = hex(hash.value());
        if (all.empty()) first = chain;
        all.push_back(base::concat(first, "-", chain, kSuffixes[static_cast<size_t>(pool)]));
    }
    return all;
}

std::vector<std::byte> PrefixStore::key(compute::KvPool pool, std::string_view scope,
                                        std::span<const int32_t> ids) const {
    std::vector<std::byte> key;
    const auto append = [&](std::span<const std::byte> part) {
        uint64_t size = part.size();
        const auto length = bytes_of(size);
        key.insert(key.end(), length.begin(), length.end());
        key.insert(key.end(), part.begin(), part.end());
    };
    append(std::as_bytes(std::span(&pool, 1)));
    append(std::as_bytes(std::span(identity_)));
    append(std::as_bytes(std::span(scope)));
    append(std::as_bytes(ids.first(ids.size() / kPageTokens * kPageTokens)));
    return key;
}

std::vector<bool> PrefixStore::use(compute::KvPool pool, std::string_view scope, std::span<const int32_t> ids) {
    auto chain = names(pool, scope, ids);
    std::vector<bool> has_file;
    for (const std::string& name : chain) has_file.push_back(files_.contains(name));
    std::erase_if(chain, [&](const std::string& name) { return !files_.contains(name); });
    mark_used(chain, next_time_ns());
    return has_file;
}

bool PrefixStore::read(compute::KvPool pool, std::string_view scope, std::span<const int32_t> ids,
                       std::span<std::byte> page) {
    const auto chain = names(pool, scope, ids);
    const auto file = chain.empty() ? files_.end() : files_.find(chain.back());
    if (file == files_.end() || page.size() != page_bytes(pool)) return false;
    if (read_file(file->first, key(pool, scope, ids), page)) return true;
    remove(file);
    return false;
}

bool PrefixStore::read_file(const std::string& name, std::span<const std::byte> key, std::span<std::byte> page) const {
    // O_NONBLOCK, because the name may be a FIFO.
    const base::UniqueFd fd(::open((directory_ / name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status = {};
    if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    Header header;
    std::vector<std::byte> its_key(key.size());
    if (static_cast<uint64_t>(status.st_size) != sizeof header + key.size() + page.size() ||
        !read_all(fd.get(), bytes_of(header)) || header.magic != kMagic || header.key_bytes != key.size() ||
        header.page_bytes != page.size() || !read_all(fd.get(), its_key) || !std::ranges::equal(its_key, key)) {
        return false;
    }
    return read_all(fd.get(), page) && checksum(key, page) == header.checksum;
}

bool PrefixStore::write(compute::KvPool pool, std::string_view scope, std::span<const int32_t> ids,
                        std::span<const std::byte> page) {
    const auto chain = names(pool, scope, ids);
    if (chain.empty() || page.size() != page_bytes(pool)) return false;
    const int64_t time_ns = next_time_ns();
    for (const auto any : {compute::KvPool::Full, compute::KvPool::Window}) mark_used(names(any, scope, ids), time_ns);
    if (files_.contains(chain.back())) return true;
    const auto its_key = key(pool, scope, ids);
    const uint64_t bytes = sizeof(Header) + its_key.size() + page.size();
    if (!make_room(bytes, time_ns) || !write_file(chain.back(), its_key, page, time_ns)) return false;
    files_[chain.back()] = {.bytes = bytes, .last_used_ns = time_ns};
    size_bytes_ += bytes;
    return true;
}

bool PrefixStore::write_file(const std::string& name, std::span<const std::byte> key, std::span<const std::byte> page,
                             int64_t time_ns) const {
    std::string unfinished = (directory_ / name).string() + std::string(kUnfinished);
    const base::UniqueFd fd(::mkostemp(unfinished.data(), O_CLOEXEC));  // 0600
    if (!fd) return false;
    Header header{.checksum = checksum(key, page), .key_bytes = key.size(), .page_bytes = page.size()};
    const timespec times[] = {to_timespec(time_ns), to_timespec(time_ns)};
    if (write_all(fd.get(), bytes_of(header)) && write_all(fd.get(), key) && write_all(fd.get(), page) &&
        ::futimens(fd.get(), times) == 0 && ::rename(unfinished.c_str(), (directory_ / name).c_str()) == 0) {
        return true;
    }
    ::unlink(unfinished.c_str());
    return false;
}

void PrefixStore::forget(std::string_view scope, std::span<const int32_t> ids) {
    const auto chain = names(compute::KvPool::Full, scope, ids);
    if (chain.empty()) return;
    const std::string first = chain.front().substr(0, kHashDigits);
    for (auto file = files_.lower_bound(first); file != files_.end() && file->first.starts_with(first);) {
        remove(file++);
    }
}

// The clock may have gone back: a phone whose clock has no battery starts in 1970.
int64_t PrefixStore::next_time_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    newest_ns_ = std::max(int64_t{now.tv_sec} * kNsPerSecond + now.tv_nsec, newest_ns_ + 1);
    return newest_ns_;
}

void PrefixStore::mark_used(std::span<const std::string> names, int64_t time_ns) {
    const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, to_timespec(time_ns)};
    for (const std::string& name : names) {
        const auto file = files_.find(name);
        if (file == files_.end()) continue;
        file->second.last_used_ns = time_ns;
        // Through a descriptor: the sandbox refuses to set times by a path.
        const base::UniqueFd fd(::open((directory_ / name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
        if (fd) ::futimens(fd.get(), times);
    }
}

bool PrefixStore::make_room(uint64_t bytes, int64_t time_ns) {
    if (size_bytes_ + bytes <= max_bytes_) return true;
    // The pages of one chain have the same time of last use. The longer file is further down in the chain, and goes
    // first, since it would be useless without those above it.
    const auto stays = [](Files::iterator a, Files::iterator b) {
        return a->second.last_used_ns != b->second.last_used_ns ? a->second.last_used_ns > b->second.last_used_ns
                                                                : a->second.bytes < b->second.bytes;
    };
    // A heap is faster than sorting, since most writes remove one file of many.
    std::vector<Files::iterator> old;
    for (auto file = files_.begin(); file != files_.end(); ++file) {
        if (file->second.last_used_ns < time_ns) old.push_back(file);
    }
    std::make_heap(old.begin(), old.end(), stays);
    for (; size_bytes_ + bytes > max_bytes_; old.pop_back()) {
        if (old.empty()) return false;
        std::pop_heap(old.begin(), old.end(), stays);
        remove(old.back());
    }
    return true;
}

void PrefixStore::remove(Files::iterator file) {
    ::unlink((directory_ / file->first).c_str());
    size_bytes_ -= file->second.bytes;
    files_.erase(file);
}

}  // namespace llmd::generation
