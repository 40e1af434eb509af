// SHA-256 (FIPS 180-4), for names of files that programs of other projects know as such, and for the digest by which
// llmd knows a bridge's token. Downloads are checked with libcrypto's (client/pull/digest.h): that library's
// relocations alone are 412 KiB of private memory in each engine that links it, beside 332 KiB of all else before a
// model is loaded (x86-64, libcrypto 3.0, Private_Dirty of smaps_rollup).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace llmd::base {

class Sha256 {
public:
    void add(std::span<const std::byte> bytes);
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
    // The hash in 64 lower-case hexadecimal digits; once, at the end.
    std::string hex();

private:
    static constexpr size_t kBlockBytes = 64;

    void add_block(const std::byte* block);

    std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, kBlockBytes> unhashed_{};  // the first of them
    size_t n_unhashed_ = 0;
    uint64_t n_bytes_ = 0;
};

}  // namespace llmd::base
