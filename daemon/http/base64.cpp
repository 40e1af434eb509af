#include "http/base64.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace llmd::http {

std::string base64(std::span<const std::byte> bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr size_t kGroupBytes = 3, kGroupDigits = 4, kDigitBits = 6;
    std::string out;
    out.reserve((bytes.size() + kGroupBytes - 1) / kGroupBytes * kGroupDigits);
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kGroupBytes))) {
        uint32_t group = 0;
        for (size_t i = 0; i < kGroupBytes; ++i) {
            group = group << 8 | (i < bytes.size() ? std::to_integer<uint32_t>(bytes[i]) : 0);
        }
        for (size_t i = 0; i < kGroupDigits; ++i) {
            const uint32_t digit = group >> (kGroupDigits - 1 - i) * kDigitBits & 63;
            out.push_back(i <= bytes.size() ? kDigits[digit] : '=');
        }
    }
    return out;
}

}  // namespace llmd::http
