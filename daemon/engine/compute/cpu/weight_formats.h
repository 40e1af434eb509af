// The contents of each quantised format's blocks, for kVecFloats rows at once out of a packed group (cpu_weights.h). A
// format has kSubBlocks (of 32 columns in a block), kBytes (of one row's block), kScales (parts of a sub-block with a
// scale of their own), kLargest (quant by its magnitude), kOffset, kHasMinimum and, of rows `row` ... of the group,
//     quants(block, row, sub_block, group): of columns 32 * sub_block + 4 * group ... + 3
//     scale(block, half, row, sub_block, part), minimum(block, row, sub_block)
//     weight = scale * (quant - kOffset) + minimum
// where minimum() has a part too if there are several. `half` is where the halves lie that formats with one a block
// have apart; kHalfApart says which do. Layouts: https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h. Kernel
// sources only (lanes.h).
#pragma once

#include "engine/compute/cpu/integer_lanes.h"
#include "engine/compute/cpu/lanes.h"

namespace llmd::compute::LLMD_ISA {

// The elements at byte `at` of each row's block.
LLMD_INLINE Quants words_at(const uint8_t* block, size_t at, unsigned row) {
    return load_quants(block + 16 * at + size_t{4} * row);
}
LLMD_INLINE Vec halves_at(const uint8_t* block, size_t at, unsigned row) {
    return load_half_rows(block + 16 * at + size_t{2} * row);
}
// Those of a format that has one a block, which lie apart.
LLMD_INLINE Vec halves_apart(const uint8_t* half, unsigned row) {
    return load_half_rows(half + size_t{2} * row);
}
template <class Format>
inline constexpr bool kHalfApart = Format::kBytes % 4 != 0;
// Bytes of one row's block without it.
template <class Format>
inline constexpr size_t kBlockBytes = Format::kBytes - Format::kBytes % 4;
LLMD_INLINE Ints bytes_at(const uint8_t* block, size_t at, unsigned row) {
    return load_byte_rows(block + 16 * at + row);
}

LLMD_INLINE Ints signed_bytes_at(const uint8_t* block, size_t at, unsigned row) {
    return load_signed_byte_rows(block + 16 * at + row);
}

// Signed bytes are held with this added, as add_dot_products() wants them.
inline constexpr int32_t kSignedOffset = kMultipliesSigned ? 0 : 128;
LLMD_INLINE Quants signed_quants(Quants quants) {
    return quants ^ (Quants{} + static_cast<uint8_t>(kSignedOffset));
}

// --- Blocks of 32 ----------------------------------------------------------------------------------------------------

// Columns i and i + 16 are the nibbles of byte i.
LLMD_INLINE Quants nibbles_at(const uint8_t* block, size_t at, unsigned row, unsigned group) {
    return bits_of(words_at(block, at + size_t{4} * (group % 4), row), 4 * (group / 4), 15);
}

// 16 where bit 4 * group + i of a row's word is set, in byte i.
LLMD_INLINE Quants fifth_bits_at(const uint8_t* block, size_t at, unsigned row, unsigned group) {
    const Uints four = reinterpret_cast<Uints>(words_at(block, at, row)) >> static_cast<int>(4 * group) & 15u;
    return reinterpret_cast<Quants>(((four | four << 7 | four << 14 | four << 21) & 0x01010101u) << 4);
}

struct Q4_0 {
    static constexpr unsigned kSubBlocks = 1, kBytes = 18, kScales = 1, kLargest = 15;
    static constexpr int32_t kOffset = 8;
    static constexpr bool kHasMinimum = false;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned, unsigned group) {
        return nibbles_at(block, 0, row, group);
    }
    LLMD_INLINE Vec scale(const uint8_t*, const uint8_t* half, unsigned row, unsigned, unsigned) {
        return halves_apart(half, row);
    }
};

struct Q4_1 {
    static constexpr unsigned kSubBlocks = 1, kBytes = 20, kScales = 1, kLargest = 15;
    static constexpr int32_t kOffset = 0;
    static constexpr bool kHasMinimum = true;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned, unsigned group) {
        return nibbles_at(block, 4, row, group);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t*, unsigned row, unsigned, unsigned) {
        return halves_at(block, 0, row);
    }
    LLMD_INLINE Vec minimum(const uint8_t* block, unsigned row, unsigned, unsigned) { return halves_at(block, 2, row); }
};

struct Q5_0 {
    static constexpr unsigned kSubBlocks = 1, kBytes = 22, kScales = 1, kLargest = 31;
    static constexpr int32_t kOffset = 16;
    static constexpr bool kHasMinimum = false;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned, unsigned group) {
        return nibbles_at(block, 4, row, group) | fifth_bits_at(block, 0, row, group);
    }
    LLMD_INLINE Vec scale(const uint8_t*, const uint8_t* half, unsigned row, unsigned, unsigned) {
        return halves_apart(half, row);
    }
};

struct Q5_1 {
    static constexpr unsigned kSubBlocks = 1, kBytes = 24, kScales = 1, kLargest = 31;
    static constexpr int32_t kOffset = 0;
    static constexpr bool kHasMinimum = true;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned, unsigned group) {
        return nibbles_at(block, 8, row, group) | fifth_bits_at(block, 4, row, group);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t*, unsigned row, unsigned, unsigned) {
        return halves_at(block, 0, row);
    }
    LLMD_INLINE Vec minimum(const uint8_t* block, unsigned row, unsigned, unsigned) { return halves_at(block, 2, row); }
};

struct Q8_0 {
    static constexpr unsigned kSubBlocks = 1, kBytes = 34, kScales = 1, kLargest = 128;
    static constexpr int32_t kOffset = kSignedOffset;
    static constexpr bool kHasMinimum = false;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned, unsigned group) {
        return signed_quants(words_at(block, size_t{4} * group, row));
    }
    LLMD_INLINE Vec scale(const uint8_t*, const uint8_t* half, unsigned row, unsigned, unsigned) {
        return halves_apart(half, row);
    }
};

// The levels that nibbles stand for, signed.
LLMD_INLINE Quants levels_at(const uint8_t* block, size_t at, unsigned row, unsigned group) {
    static constexpr int8_t kLevels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
    return signed_quants(look_up(kLevels, nibbles_at(block, at, row, group)));
}

struct IQ4_NL {
    static constexpr unsigned kSubBlocks = 1, kBytes = 18, kScales = 1, kLargest = 128;
    static constexpr int32_t kOffset = kSignedOffset;
    static constexpr bool kHasMinimum = false;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned, unsigned group) {
        return levels_at(block, 0, row, group);
    }
    LLMD_INLINE Vec scale(const uint8_t*, const uint8_t* half, unsigned row, unsigned, unsigned) {
        return halves_apart(half, row);
    }
};

// --- Superblocks of 256 ----------------------------------------------------------------------------------------------

// Scale and minimum of sub-block j of Q4_K and Q5_K: 6 bits each, packed into 12 bytes that begin at byte 4.
LLMD_INLINE Vec packed_scale(const uint8_t* block, unsigned row, unsigned j) {
    if (j < 4) return to_float(bytes_at(block, 4 + j, row) & 63);
    return to_float((bytes_at(block, 8 + j, row) & 15) | bytes_at(block, j, row) >> 6 << 4);
}
LLMD_INLINE Vec packed_minimum(const uint8_t* block, unsigned row, unsigned j) {
    if (j < 4) return to_float(bytes_at(block, 8 + j, row) & 63);
    return to_float(bytes_at(block, 8 + j, row) >> 4 | bytes_at(block, 4 + j, row) >> 6 << 4);
}

// f16 d, f16 dmin, 12 bytes of scales, 128 bytes of nibbles: sub-block 2i in the low ones of bytes 32i ..., 2i + 1 in
// the high.
struct Q4_K {
    static constexpr unsigned kSubBlocks = 8, kBytes = 144, kScales = 1, kLargest = 15;
    static constexpr int32_t kOffset = 0;
    static constexpr bool kHasMinimum = true;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned sub_block, unsigned group) {
        return bits_of(words_at(block, 16 + size_t{32} * (sub_block / 2) + size_t{4} * group, row), 4 * (sub_block % 2),
                       15);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t*, unsigned row, unsigned sub_block, unsigned) {
        return halves_at(block, 0, row) * packed_scale(block, row, sub_block);
    }
    LLMD_INLINE Vec minimum(const uint8_t* block, unsigned row, unsigned sub_block, unsigned) {
        return -(halves_at(block, 2, row) * packed_minimum(block, row, sub_block));
    }
};

// As Q4_K with 32 bytes of fifth bits before the nibbles: bit `sub_block` of byte i belongs to weight i of the
// sub-block.
struct Q5_K : Q4_K {
    static constexpr unsigned kBytes = 176, kLargest = 31;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned sub_block, unsigned group) {
        const Quants q = words_at(block, 48 + size_t{32} * (sub_block / 2) + size_t{4} * group, row);
        const Quants high = words_at(block, 16 + size_t{4} * group, row);
        return bits_of(q, 4 * (sub_block % 2), 15) | shifted_up(bits_of(high, sub_block, 1), 4);
    }
};

// 128 bytes of low nibbles, 64 of high bit pairs, 16 signed scales, f16 d. Each half block of 128 weights has 64 + 32
// bytes; its sub-block j has its nibbles in bytes 32 (j % 2) ..., low for j < 2, and its pairs at bit 2j.
struct Q6_K {
    static constexpr unsigned kSubBlocks = 8, kBytes = 210, kScales = 2, kLargest = 63;
    static constexpr int32_t kOffset = 32;
    static constexpr bool kHasMinimum = false;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned sub_block, unsigned group) {
        const unsigned half = sub_block / 4, j = sub_block % 4;
        const Quants low = words_at(block, size_t{64} * half + size_t{32} * (j % 2) + size_t{4} * group, row);
        const Quants high = words_at(block, 128 + size_t{32} * half + size_t{4} * group, row);
        return bits_of(low, 4 * (j / 2), 15) | bits_moved(high, 2 * j, 4, 0x30);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t* half, unsigned row, unsigned sub_block, unsigned part) {
        const Ints factor = signed_bytes_at(block, 192 + size_t{2} * sub_block + part, row);
        return halves_apart(half, row) * to_float(factor);
    }
};

// f16 d, 2 bytes of high bit pairs and 4 of low nibbles of eight 6-bit scales, less 32, 128 bytes of nibbles: 16 for
// each sub-block, as in IQ4_NL.
struct IQ4_XS {
    static constexpr unsigned kSubBlocks = 8, kBytes = 136, kScales = 1, kLargest = 128;
    static constexpr int32_t kOffset = kSignedOffset;
    static constexpr bool kHasMinimum = false;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned sub_block, unsigned group) {
        return levels_at(block, 8 + size_t{16} * sub_block, row, group);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t*, unsigned row, unsigned sub_block, unsigned) {
        const Ints low = bytes_at(block, 4 + sub_block / 2, row) >> static_cast<int>(4 * (sub_block % 2)) & 15;
        const Ints high = bytes_at(block, 2 + sub_block / 4, row) >> static_cast<int>(2 * (sub_block % 4)) & 3;
        return halves_at(block, 0, row) * to_float((low | high << 4) - 32);
    }
};

// 32 bytes of high bits, 64 of low bit pairs, 12 of scales, f16 d. Piece j of half h: pairs at bit 2j of bytes 32h ...,
// high bit 4h + j; a clear high bit means 4 less. Sixteen 6-bit scales, less 32: nibbles first, then bit pairs.
struct Q3_K {
    static constexpr unsigned kSubBlocks = 8, kBytes = 110, kScales = 2, kLargest = 7;
    static constexpr int32_t kOffset = 4;
    static constexpr bool kHasMinimum = false;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned sub_block, unsigned group) {
        const Quants pairs = words_at(block, 32 + size_t{32} * (sub_block / 4) + size_t{4} * group, row);
        const Quants set = shifted_up(bits_of(words_at(block, size_t{4} * group, row), sub_block, 1), 2);
        return bits_of(pairs, 2 * (sub_block % 4), 3) | set;
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t* half, unsigned row, unsigned sub_block, unsigned part) {
        const unsigned k = 2 * sub_block + part;
        const Ints low = bytes_at(block, 96 + k % 8, row) >> static_cast<int>(4 * (k / 8)) & 15;
        const Ints high = bytes_at(block, 104 + k % 4, row) >> static_cast<int>(2 * (k / 4)) & 3;
        return halves_apart(half, row) * to_float((low | high << 4) - 32);
    }
};

// 16 bytes of (scale, minimum) nibbles, 64 of bit pairs, f16 d, f16 dmin. Pairs lie as in Q3_K.
struct Q2_K {
    static constexpr unsigned kSubBlocks = 8, kBytes = 84, kScales = 2, kLargest = 3;
    static constexpr int32_t kOffset = 0;
    static constexpr bool kHasMinimum = true;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned sub_block, unsigned group) {
        return bits_of(words_at(block, 16 + size_t{32} * (sub_block / 4) + size_t{4} * group, row), 2 * (sub_block % 4),
                       3);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t*, unsigned row, unsigned sub_block, unsigned part) {
        return halves_at(block, 80, row) * to_float(bytes_at(block, size_t{2} * sub_block + part, row) & 15);
    }
    LLMD_INLINE Vec minimum(const uint8_t* block, unsigned row, unsigned sub_block, unsigned part) {
        return -(halves_at(block, 82, row) * to_float(bytes_at(block, size_t{2} * sub_block + part, row) >> 4));
    }
};

// --- Plain numbers ---------------------------------------------------------------------------------------------------

// Plain numbers as floats in registers, 32 at a time, bit for bit what model::dequantize() gives. Each has
// kElementBytes,
//     decode(from, w): w[0], w[1] = 32 of them
//     decode_one(from): one, for the rest of a row that is not a multiple of 32
//
struct F32 {
    static constexpr unsigned kElementBytes = 4;
    LLMD_INLINE void decode(const uint8_t* from, Lanes w[2]) {
        __builtin_memcpy(&w[0], from, 64);
        __builtin_memcpy(&w[1], from + 64, 64);
    }
    LLMD_INLINE float decode_one(const uint8_t* from) {
        float value;
        __builtin_memcpy(&value, from, sizeof value);
        return value;
    }
};

struct F16 {
    static constexpr unsigned kElementBytes = 2;
    LLMD_INLINE void decode(const uint8_t* from, Lanes w[2]) {
        w[0] = load_halves(from);
        w[1] = load_halves(from + 32);
    }
    LLMD_INLINE float decode_one(const uint8_t* from) { return load_half(from); }
};

struct BF16 {
    static constexpr unsigned kElementBytes = 2;
    LLMD_INLINE float decode_one(const uint8_t* from) {
        uint16_t bits;
        __builtin_memcpy(&bits, from, sizeof bits);
        return bits_to_float(static_cast<uint32_t>(bits) << 16);
    }
    LLMD_INLINE void decode(const uint8_t* from, Lanes w[2]) {
        float lane[32];
        for (size_t i = 0; i < 32; ++i) lane[i] = decode_one(from + 2 * i);
        w[0] = load(lane);
        w[1] = load(lane + 16);
    }
};

}  // namespace llmd::compute::LLMD_ISA
