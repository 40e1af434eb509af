#include "engine/compute/cpu/host_buffer.h"

#include <sys/mman.h>

#include <limits>

#include "engine/compute/cpu/cpu_topology.h"

namespace llmd::compute {

base::Result<HostBuffer> HostBuffer::allocate(uint64_t bytes, std::string_view what) {
    if (bytes == 0) return HostBuffer();
    const uint64_t available = available_memory_bytes();
    const auto refused = [&] {
        return base::fail(base::ErrorCode::OutOfMemory, what, ": ", bytes, " bytes do not fit, ", available,
                          " bytes are available");
    };
    if (bytes > available || bytes > std::numeric_limits<size_t>::max()) return refused();
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return refused();
    return HostBuffer(data, bytes);
}

void HostBuffer::use_huge_pages() const {
    // Kernels without them refuse, which changes nothing.
    if (data_ != nullptr) ::madvise(data_, size_, MADV_HUGEPAGE);
}

HostBuffer::~HostBuffer() {
    if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace llmd::compute
