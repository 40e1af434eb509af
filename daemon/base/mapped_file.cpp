#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace llmd::base {

Result<MappedFile> MappedFile::open(const std::string& path) {
    // O_NONBLOCK: opening a FIFO must not wait for its writer.
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) return fail_errno(ErrorCode::ModelNotFound, path, errno);
    struct stat info = {};
    if (::fstat(fd.get(), &info) != 0) return fail_errno(ErrorCode::Failed, concat(path, ": fstat"), errno);
    if (!S_ISREG(info.st_mode)) return fail(ErrorCode::InvalidArgument, path, ": not a regular file");
    if (info.st_size <= 0) return fail(ErrorCode::ModelLoadFailed, path, ": the file is empty");
    const auto size = static_cast<size_t>(info.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data == MAP_FAILED) {
        const auto code = errno == ENOMEM ? ErrorCode::OutOfMemory : ErrorCode::Failed;
        return fail_errno(code, concat(path, ": cannot map ", size, " bytes"), errno);
    }
    return MappedFile(std::move(fd), static_cast<const std::byte*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : fd_(std::move(other.fd_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    if (this != &other) {
        unmap();
        fd_ = std::move(other.fd_);
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
    }
    return *this;
}

MappedFile::~MappedFile() {
    unmap();
}

void MappedFile::unmap() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
    data_ = nullptr;
}

void MappedFile::drop_pages(std::span<const std::byte> part) const {
    const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = static_cast<size_t>(part.data() - data_);
    const size_t first = (begin + page - 1) / page * page;
    const size_t last = (begin + part.size()) / page * page;
    if (last <= first) return;
    // fadvise alone leaves mapped pages, madvise alone leaves the page cache.
    ::madvise(const_cast<std::byte*>(data_ + first), last - first, MADV_DONTNEED);
    ::posix_fadvise(fd_.get(), static_cast<off_t>(first), static_cast<off_t>(last - first), POSIX_FADV_DONTNEED);
}

}  // namespace llmd::base
