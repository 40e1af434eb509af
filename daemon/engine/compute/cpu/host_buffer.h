// Zero-filled memory that comes from the system in whole pages and goes back to it at once. Big allocations succeed on
// Linux whether or not the memory exists, so allocate() looks at what is available first: an error now instead of a
// killed process later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace llmd::compute {

class HostBuffer {
public:
    // OutOfMemory names `what`, the size and what is available. 0 bytes give an empty buffer.
    static base::Result<HostBuffer> allocate(uint64_t bytes, std::string_view what);

    HostBuffer() = default;
    HostBuffer(HostBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    HostBuffer& operator=(HostBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~HostBuffer();

    // Asks for huge pages, before it is written: the processor then looks up fewer addresses.
    void use_huge_pages() const;

    uint64_t size() const { return size_; }
    // Aligned to a page.
    template <typename T>
    T* as() const {
        return static_cast<T*>(data_);
    }

private:
    HostBuffer(void* data, uint64_t size) : data_(data), size_(size) {}

    void* data_ = nullptr;
    uint64_t size_ = 0;
};

}  // namespace llmd::compute
