// A file to be converted, with random access. It is untrusted. Immutable: may be read from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace llmd::convert {

class InputFile {
public:
    // ModelLoadFailed if there is none or it is not a regular file. A FIFO does not block.
    static base::Result<InputFile> open(const std::string& path);

    const std::string& path() const { return path_; }
    uint64_t size() const { return size_; }
    // Returns ModelLoadFailed with the path before the parts.
    template <typename... Parts>
    base::Error fail(const Parts&... parts) const {
        return base::fail(base::ErrorCode::ModelLoadFailed, path_, ": ", parts...);
    }
    // Fills `out` from byte `at` on. ModelLoadFailed if the file ends before.
    base::Result<void> read_bytes(uint64_t at, std::span<std::byte> out) const;
    template <typename T, size_t Extent>
    base::Result<void> read(uint64_t at, std::span<T, Extent> out) const {
        return read_bytes(at, std::as_writable_bytes(out));
    }
    // Reads the whole file. ModelLoadFailed if it has more than `limit` bytes.
    base::Result<std::string> read_text(uint64_t limit) const;

private:
    InputFile() = default;

    std::string path_;
    base::UniqueFd fd_;
    uint64_t size_ = 0;
};

}  // namespace llmd::convert
