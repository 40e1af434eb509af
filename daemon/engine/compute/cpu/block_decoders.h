// The weights of each GGUF block format as floats in registers, 32 at a time, bit for bit what model::dequantize()
// gives. A decoder has kPieces (pieces of 32 weights in one block), kBytes (of one block) and
//     decode(block, piece, w): w[0], w[1] = weights 32 * piece ... + 31
// Layouts: https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h. Kernel sources only (lanes.h).
#pragma once

#include "engine/compute/cpu/lanes.h"

namespace llmd::compute::LLMD_ISA {

// --- Plain numbers: a "block" is 32 of them; the rest of a row that is not a multiple of 32 is decode_one()'s -------

struct F32 {
    static constexpr unsigned kPieces = 1, kBytes = 128, kElementBytes = 4;
    LLMD_INLINE void decode(const uint8_t* block, unsigned, Lanes w[2]) {
        __builtin_memcpy(&w[0], block, 64);
        __builtin_memcpy(&w[1], block + 64, 64);
    }
    LLMD_INLINE float decode_one(const uint8_t* from) {
        float value;
        __builtin_memcpy(&value, from, sizeof value);
        return value;
    }
};

struct F16 {
    static constexpr unsigned kPieces = 1, kBytes = 64, kElementBytes = 2;
    LLMD_INLINE void decode(const uint8_t* block, unsigned, Lanes w[2]) {
        w[0] = load_halves(block);
        w[1] = load_halves(block + 32);
    }
    LLMD_INLINE float decode_one(const uint8_t* from) { return load_half(from); }
};

struct BF16 {
    static constexpr unsigned kPieces = 1, kBytes = 64, kElementBytes = 2;
    LLMD_INLINE float decode_one(const uint8_t* from) {
        uint16_t bits;
        __builtin_memcpy(&bits, from, sizeof bits);
        return bits_to_float(static_cast<uint32_t>(bits) << 16);
    }
    LLMD_INLINE void decode(const uint8_t* block, unsigned, Lanes w[2]) {
        float lane[32];
        for (size_t i = 0; i < 32; ++i) lane[i] = decode_one(block + 2 * i);
        w[0] = load(lane);
        w[1] = load(lane + 16);
    }
};

// --- Blocks of 32 ----------------------------------------------------------------------------------------------------

LLMD_INLINE Bytes low_nibbles(Bytes bytes) {
    return bits_at(bytes, 0, 15);
}
LLMD_INLINE Bytes high_nibbles(Bytes bytes) {
    return bits_at(bytes, 4, 15);
}
LLMD_INLINE SignedBytes minus(Bytes bytes, uint8_t offset) {
    return reinterpret_cast<SignedBytes>(bytes - (Bytes{} + offset));
}

// 16 where bit i of `bits` is set, else 0, for i in [0, 16).
LLMD_INLINE Bytes fifth_bits(uint32_t bits) {
    const Bytes select = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8_t pair[16];
    for (unsigned i = 0; i < 16; ++i) pair[i] = static_cast<uint8_t>(bits >> (i / 8 * 8));
    return reinterpret_cast<Bytes>((load_bytes(pair) & select) != 0) & (Bytes{} + uint8_t{16});
}

struct Q4_0 {
    static constexpr unsigned kPieces = 1, kBytes = 18;
    LLMD_INLINE void decode(const uint8_t* block, unsigned, Lanes w[2]) {
        const Lanes scale = splat(load_half(block));
        const Bytes q = load_bytes(block + 2);
        w[0] = scale * to_float(minus(low_nibbles(q), 8));
        w[1] = scale * to_float(minus(high_nibbles(q), 8));
    }
};

struct Q4_1 {
    static constexpr unsigned kPieces = 1, kBytes = 20;
    LLMD_INLINE void decode(const uint8_t* block, unsigned, Lanes w[2]) {
        const Lanes scale = splat(load_half(block)), minimum = splat(load_half(block + 2));
        const Bytes q = load_bytes(block + 4);
        w[0] = scale * to_float(low_nibbles(q)) + minimum;
        w[1] = scale * to_float(high_nibbles(q)) + minimum;
    }
};

struct Q5_0 {
    static constexpr unsigned kPieces = 1, kBytes = 22;
    LLMD_INLINE void decode(const uint8_t* block, unsigned, Lanes w[2]) {
        const Lanes scale = splat(load_half(block));
        uint32_t high;
        __builtin_memcpy(&high, block + 2, sizeof high);
        const Bytes q = load_bytes(block + 6);
        w[0] = scale * to_float(minus(low_nibbles(q) | fifth_bits(high), 16));
        w[1] = scale * to_float(minus(high_nibbles(q) | fifth_bits(high >> 16), 16));
    }
};

struct Q5_1 {
    static constexpr unsigned kPieces = 1, kBytes = 24;
    LLMD_INLINE void decode(const uint8_t* block, unsigned, Lanes w[2]) {
        const Lanes scale = splat(load_half(block)), minimum = splat(load_half(block + 2));
        uint32_t high;
        __builtin_memcpy(&high, block + 4, sizeof high);
        const Bytes q = load_bytes(block + 8);
        w[0] = scale * to_float(low_nibbles(q) | fifth_bits(high)) + minimum;
        w[1] = scale * to_float(high_nibbles(q) | fifth_bits(high >> 16)) + minimum;
    }
};

struct Q8_0 {
    static constexpr unsigned kPieces = 1, kBytes = 34;
    LLMD_INLINE void decode(const uint8_t* block, unsigned, Lanes w[2]) {
        const Lanes scale = splat(load_half(block));
        w[0] = scale * to_float(reinterpret_cast<SignedBytes>(load_bytes(block + 2)));
        w[1] = scale * to_float(reinterpret_cast<SignedBytes>(load_bytes(block + 18)));
    }
};

struct IQ4_NL {
    static constexpr unsigned kPieces = 1, kBytes = 18;
    LLMD_INLINE void decode(const uint8_t* block, unsigned, Lanes w[2]) {
        const SignedBytes levels = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
        const Lanes scale = splat(load_half(block));
        const Bytes q = load_bytes(block + 2);
        w[0] = scale * to_float(look_up(levels, low_nibbles(q)));
        w[1] = scale * to_float(look_up(levels, high_nibbles(q)));
    }
};

// --- Superblocks of 256 ----------------------------------------------------------------------------------------------

// Scale and minimum of 32-weight group j of Q4_K and Q5_K: 6 bits each, packed into 12 bytes.
LLMD_INLINE void unpack_scale_min(const uint8_t* packed, unsigned j, float d, float dmin, Lanes* scale,
                                  Lanes* minimum) {
    unsigned s, m;
    if (j < 4) {
        s = packed[j] & 63u;
        m = packed[j + 4] & 63u;
    } else {
        s = (packed[j + 4] & 15u) | (packed[j - 4] >> 6) << 4;
        m = static_cast<unsigned>(packed[j + 4] >> 4) | (packed[j] >> 6) << 4;
    }
    *scale = splat(d * static_cast<float>(s));
    *minimum = splat(dmin * static_cast<float>(m));
}

// f16 d, f16 dmin, 12 bytes of scales, 128 bytes of nibbles: piece 2i in the low ones of bytes 32i ..., 2i + 1 in the
// high.
struct Q4_K {
    static constexpr unsigned kPieces = 8, kBytes = 144;
    LLMD_INLINE void decode(const uint8_t* block, unsigned piece, Lanes w[2]) {
        Lanes scale, minimum;
        unpack_scale_min(block + 4, piece, load_half(block), load_half(block + 2), &scale, &minimum);
        const uint8_t* q = block + 16 + size_t{32} * (piece / 2);
        const unsigned shift = 4 * (piece % 2);
        w[0] = scale * to_float(bits_at(load_bytes(q), shift, 15)) - minimum;
        w[1] = scale * to_float(bits_at(load_bytes(q + 16), shift, 15)) - minimum;
    }
};

// As Q4_K with 32 bytes of fifth bits before the nibbles: bit `piece` of byte i belongs to weight i of the piece.
struct Q5_K {
    static constexpr unsigned kPieces = 8, kBytes = 176;
    LLMD_INLINE void decode(const uint8_t* block, unsigned piece, Lanes w[2]) {
        Lanes scale, minimum;
        unpack_scale_min(block + 4, piece, load_half(block), load_half(block + 2), &scale, &minimum);
        const uint8_t* q = block + 48 + size_t{32} * (piece / 2);
        const unsigned shift = 4 * (piece % 2);
        for (size_t i = 0; i < 2; ++i) {
            const Bytes high = bits_at(load_bytes(block + 16 + 16 * i), piece, 1) << 4;
            w[i] = scale * to_float((bits_at(load_bytes(q + 16 * i), shift, 15)) | high) - minimum;
        }
    }
};

// 128 bytes of low nibbles, 64 of high bit pairs, 16 signed scales, f16 d. Each half block of 128 weights has 64 + 32
// bytes; its piece j has its nibbles in bytes 32 (j % 2) ..., low for j < 2, and its pairs at bit 2j.
struct Q6_K {
    static constexpr unsigned kPieces = 8, kBytes = 210;
    LLMD_INLINE void decode(const uint8_t* block, unsigned piece, Lanes w[2]) {
        const unsigned half = piece / 4, j = piece % 4;
        const uint8_t* low = block + size_t{64} * half + size_t{32} * (j % 2);
        const uint8_t* high = block + 128 + size_t{32} * half;
        const auto* scales = reinterpret_cast<const int8_t*>(block) + 192 + size_t{8} * half + size_t{2} * j;
        const float d = load_half(block + 208);
        for (size_t i = 0; i < 2; ++i) {
            const Bytes q = (bits_at(load_bytes(low + 16 * i), 4 * (j / 2), 15)) |
                            (bits_at(load_bytes(high + 16 * i), 2 * j, 3)) << 4;
            w[i] = splat(d * static_cast<float>(scales[i])) * to_float(minus(q, 32));
        }
    }
};

// 32 bytes of high bits, 64 of low bit pairs, 12 of scales, f16 d. Piece j of half h: pairs at bit 2j of bytes 32h ...,
// high bit 4h + j; a clear high bit means 4 less. Sixteen 6-bit scales, less 32: nibbles first, then bit pairs.
struct Q3_K {
    static constexpr unsigned kPieces = 8, kBytes = 110;
    LLMD_INLINE void decode(const uint8_t* block, unsigned piece, Lanes w[2]) {
        const unsigned half = piece / 4, j = piece % 4;
        const uint8_t* pairs = block + 32 + size_t{32} * half;
        const uint8_t* scales = block + 96;
        const float d = load_half(block + 108);
        for (unsigned i = 0; i < 2; ++i) {
            const unsigned k = 2 * piece + i;
            const unsigned low = k < 8 ? scales[k] & 15u : scales[k - 8] >> 4;
            const unsigned high = scales[8 + k % 4] >> 2 * (k / 4) & 3u;
            const float scale = d * static_cast<float>(static_cast<int>(low | high << 4) - 32);
            const Bytes set = bits_at(load_bytes(block + size_t{16} * i), piece, 1);
            const Bytes q = (bits_at(load_bytes(pairs + size_t{16} * i), 2 * j, 3)) | set << 2;
            w[i] = splat(scale) * to_float(minus(q, 4));
        }
    }
};

// 16 bytes of (scale, minimum) nibbles, 64 of bit pairs, f16 d, f16 dmin. Pairs lie as in Q3_K.
struct Q2_K {
    static constexpr unsigned kPieces = 8, kBytes = 84;
    LLMD_INLINE void decode(const uint8_t* block, unsigned piece, Lanes w[2]) {
        const unsigned half = piece / 4, j = piece % 4;
        const uint8_t* pairs = block + 16 + size_t{32} * half;
        const float d = load_half(block + 80), dmin = load_half(block + 82);
        for (size_t i = 0; i < 2; ++i) {
            const unsigned packed = block[2 * piece + i];
            const Bytes q = bits_at(load_bytes(pairs + 16 * i), 2 * j, 3);
            w[i] = splat(d * static_cast<float>(packed & 15)) * to_float(q) -
                   splat(dmin * static_cast<float>(packed >> 4));
        }
    }
};

}  // namespace llmd::compute::LLMD_ISA
