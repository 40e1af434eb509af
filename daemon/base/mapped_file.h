// A regular file mapped read-only into memory. The mapping is private and its pages come from the page cache, so a big
// model costs memory only where it is read; drop_pages() gives read pages back. If another process truncates the file,
// touching the lost pages raises SIGBUS: only llmd-engine, which llmd restarts, maps files it does not trust.
// Not thread-safe to move; the bytes may be read from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::base {

class MappedFile {
public:
    // InvalidArgument names the path when it is not a regular file (a FIFO is never waited for), ModelLoadFailed when
    // empty, ModelNotFound when it does not exist or cannot be opened.
    static Result<MappedFile> open(const std::string& path);

    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    // Page-aligned; valid while this object lives.
    std::span<const std::byte> bytes() const { return {data_, size_}; }
    size_t size() const { return size_; }

    // Gives the pages wholly inside `part` (a sub-span of bytes()) back to the system, from this mapping and from the
    // page cache. Reading them again is correct and slow.
    void drop_pages(std::span<const std::byte> part) const;

private:
    MappedFile(UniqueFd fd, const std::byte* data, size_t size) : fd_(std::move(fd)), data_(data), size_(size) {}
    void unmap();

    UniqueFd fd_;
    const std::byte* data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace llmd::base
