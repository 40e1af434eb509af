// A 64-bit hash of bytes that is as fast as memory is read. It tells files apart and finds damage; it is no protection
// against forgery. The borders between calls of add() count: adding "ab" differs from adding "a" and "b".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace llmd::generation {

class ContentHash {
public:
    void add(std::span<const std::byte> bytes) {
        const uint64_t size = bytes.size();
        for (; bytes.size() >= kBlockBytes; bytes = bytes.subspan(kBlockBytes)) add_block(bytes.data());
        std::array<std::byte, kBlockBytes> last{};
        if (!bytes.empty()) std::memcpy(last.data(), bytes.data(), bytes.size());
        add_block(last.data());
        lanes_[0] = mix(lanes_[0], size);
    }
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
    void add(std::span<const int32_t> ids) { add(std::as_bytes(ids)); }

    uint64_t value() const {
        uint64_t folded = 0;
        for (const uint64_t lane : lanes_) folded = mix(folded, lane);
        return folded ^ folded >> 32;
    }

private:
    static constexpr size_t kLanes = 4;  // independent multiplications, of which a processor runs several at once
    static constexpr size_t kBlockBytes = kLanes * sizeof(uint64_t);

    static uint64_t mix(uint64_t hash, uint64_t word) {
        // A multiplication carries differences to higher bits only, and one in the highest bit to none. The rotation
        // brings them down for the second multiplication.
        return std::rotl((hash ^ word) * 0x9e3779b97f4a7c15u, 31) * 0xd6e8feb86659fd93u;
    }
    void add_block(const std::byte* block) {
        std::array<uint64_t, kLanes> words;
        std::memcpy(words.data(), block, kBlockBytes);
        for (size_t i = 0; i < kLanes; ++i) lanes_[i] = mix(lanes_[i], words[i]);
    }

    std::array<uint64_t, kLanes> lanes_ = {1, 2, 3, 4};
};

}  // namespace llmd::generation
