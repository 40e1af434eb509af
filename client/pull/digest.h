// Hashes of files, by OpenSSL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace llmd::client {

// A file's bytes must hash to this.
struct Digest {
    enum class Kind : uint8_t { None, Sha256, GitBlob };  // GitBlob: git's SHA-1 of a file that is not kept by LFS
    Kind kind = Kind::None;
    std::string hex;  // lower case
};

// Hashes bytes as they come. Throws CommandError(Failed) where OpenSSL has no such hash.
class Hasher {
public:
    // A blob of git begins with its size.
    Hasher(Digest::Kind kind, uint64_t size_bytes);
    ~Hasher();
    Hasher(Hasher&&) noexcept;
    Hasher& operator=(Hasher&&) noexcept;

    void add(std::span<const char> bytes);
    std::string hex();  // once, at the end

private:
    struct Free {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> context_;  // null: hashes nothing
};

// SHA-256 of `text`, in hexadecimal digits.
std::string sha256_of(const std::string& text);

}  // namespace llmd::client
