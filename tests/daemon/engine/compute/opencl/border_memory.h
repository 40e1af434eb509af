// Memory across a border of 4 GiB: an address there is right only if all of its 64 bits are. One owner, any thread.
#pragma once

#include <cstddef>
#include <span>

namespace llmd::test {

class BorderMemory {
public:
    // So many bytes, zeros, about half of them on either side of a border that no other has. They begin at a multiple
    // of 64 bytes and of no more, which is what Mesa's freedreno aligns small buffers to. Throws std::runtime_error if
    // the address space has no border left.
    explicit BorderMemory(size_t size);
    ~BorderMemory();
    BorderMemory(BorderMemory&& other) noexcept;
    BorderMemory& operator=(BorderMemory&&) = delete;

    std::span<std::byte> bytes() const { return bytes_; }
    size_t bytes_below_border() const { return bytes_below_; }

private:
    std::span<std::byte> pages_;
    std::span<std::byte> bytes_;
    size_t bytes_below_ = 0;
};

}  // namespace llmd::test
