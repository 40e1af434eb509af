// A file in memory, with a path: for code that opens what it reads. Thread-bound.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace llmd::test {

class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes = "") : fd_(::memfd_create("test", MFD_CLOEXEC)) {
        if (::write(fd_.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
    }
    int fd() const { return fd_.get(); }
    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

private:
    base::UniqueFd fd_;
};

}  // namespace llmd::test
