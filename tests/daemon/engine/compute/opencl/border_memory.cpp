#include "daemon/engine/compute/opencl/border_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <stdexcept>
#include <utility>

namespace llmd::test {
namespace {

constexpr uintptr_t kBorder = uintptr_t{1} << 32;
constexpr uintptr_t kFirst = 17 * kBorder;       // below lie programs that are not position independent
constexpr uintptr_t kEnd = uintptr_t{1} << 46;   // of what is tried: less than any 64-bit system has
constexpr size_t kPageBytes = size_t{64} << 10;  // the largest of any system
constexpr size_t kBorderAlignment = 64;

std::byte* map_at(uintptr_t address, size_t bytes) {
    void* wanted = reinterpret_cast<void*>(address);  // NOLINT: an address is what this is about
    void* got = ::mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) return nullptr;
    if (got == wanted) return static_cast<std::byte*>(got);
    ::munmap(got, bytes);  // a kernel that takes the address for a hint
    return nullptr;
}

}  // namespace

BorderMemory::BorderMemory(size_t size) {
    const size_t half = (size / 2 + 2 * kBorderAlignment + kPageBytes) / kPageBytes * kPageBytes;
    // Ever larger steps: sanitizers keep terabytes for themselves.
    for (uintptr_t n = kFirst / kBorder; n < kEnd / kBorder; n += 1 + n / 8) {
        std::byte* pages = map_at(n * kBorder - half, 2 * half);
        if (pages == nullptr) continue;
        pages_ = {pages, 2 * half};
        bytes_below_ = size / 2 / (2 * kBorderAlignment) * (2 * kBorderAlignment) + kBorderAlignment;
        bytes_ = pages_.subspan(half - bytes_below_, size);
        return;
    }
    throw std::runtime_error("the address space has no free border of 4 GiB");
}

BorderMemory::BorderMemory(BorderMemory&& other) noexcept
    : pages_(std::exchange(other.pages_, {})), bytes_(other.bytes_), bytes_below_(other.bytes_below_) {}

BorderMemory::~BorderMemory() {
    if (!pages_.empty()) ::munmap(pages_.data(), pages_.size());
}

}  // namespace llmd::test
