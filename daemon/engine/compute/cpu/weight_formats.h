// The contents of each quantised format's blocks, for kVecFloats rows at once out of a packed group (cpu_weights.h). A
// format is a PackedFormat and has, of rows `row` ... of the group,
//     quants(block, row, sub_block, group): of columns 32 * sub_block + 4 * group ... + 3
//     scale(block, half, row, sub_block, part), minimum(block, row, sub_block)
//     weight = scale * (quant - kOffset) + minimum
// where minimum() has a part too if there are several. `half` is where the halves lie that formats with one a block
// have apart; kHalfApart says which do. model/quantization.h has where a block's fields lie. Kernel sources only
// (lanes.h).
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

// The constants of a format: kSubBlocks (of 32 columns in a block), kBytes (of one row's block), kScales (parts of a
// sub-block with a scale of their own), kLargest (quant by its magnitude), kOffset, kHasMinimum.
template <model::TensorType kType>
struct PackedFormat {
    static constexpr model::BlockLayout kBlock = model::block_layout(kType);
    static constexpr unsigned kSubBlocks = kBlock.block_weights / 32, kBytes = kBlock.block_bytes,
                              kScales = 32 / kBlock.scale_weights;
    static constexpr bool kIsSigned = kBlock.kind != model::QuantKind::Unsigned;
    static constexpr unsigned kLargest = kIsSigned ? 128 : kBlock.n_codes() - 1;
    static constexpr int32_t kOffset = kIsSigned ? kSignedOffset : kBlock.zero_point;
    static constexpr bool kHasMinimum = kBlock.minimum.exists();
    // Elements count as if a half that lies apart were not there.
    static constexpr size_t at(model::BlockField field) {
        return field.at - (kBytes % 4 != 0 && kBlock.scale.at < field.at ? kBytes % 4 : 0);
    }
    static constexpr size_t kScaleAt = at(kBlock.scale), kMinimumAt = at(kBlock.minimum),
                            kSubScalesAt = at(kBlock.sub_scales), kQuantsAt = at(kBlock.quants),
                            kHighBitsAt = at(kBlock.high_bits);
};

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

template <model::TensorType kType>
struct SimpleFormat : PackedFormat<kType> {
    using Base = PackedFormat<kType>;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned, unsigned group) {
        const Quants low = nibbles_at(block, Base::kQuantsAt, row, group);
        if constexpr (Base::kBlock.bits == 4) return low;
        return low | fifth_bits_at(block, Base::kHighBitsAt, row, group);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t* half, unsigned row, unsigned, unsigned) {
        if constexpr (Base::kBytes % 4 != 0) return halves_apart(half, row);
        return halves_at(block, Base::kScaleAt, row);
    }
    LLMD_INLINE Vec minimum(const uint8_t* block, unsigned row, unsigned, unsigned) {
        return halves_at(block, Base::kMinimumAt, row);
    }
};
using Q4_0 = SimpleFormat<model::TensorType::Q4_0>;
using Q4_1 = SimpleFormat<model::TensorType::Q4_1>;
using Q5_0 = SimpleFormat<model::TensorType::Q5_0>;
using Q5_1 = SimpleFormat<model::TensorType::Q5_1>;

struct Q8_0 : SimpleFormat<model::TensorType::Q8_0> {
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned, unsigned group) {
        return signed_quants(words_at(block, kQuantsAt + size_t{4} * group, row));
    }
};

// The levels that nibbles stand for, signed.
LLMD_INLINE Quants levels_at(const uint8_t* block, size_t at, unsigned row, unsigned group) {
    return signed_quants(look_up(model::kQuantLevels, nibbles_at(block, at, row, group)));
}

struct IQ4_NL : SimpleFormat<model::TensorType::IQ4_NL> {
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned, unsigned group) {
        return levels_at(block, kQuantsAt, row, group);
    }
};

// --- Superblocks of 256 ----------------------------------------------------------------------------------------------

// A 6-bit scale, less 32, whose nibble and bit pair lie apart.
LLMD_INLINE Vec biased_scale(Ints low, Ints high) {
    return to_float((low | high << 4) - 32);
}

// Scale and minimum of sub-block j of Q4_K and Q5_K: 6 bits each, packed into 12 bytes.
LLMD_INLINE Vec packed_scale(const uint8_t* block, size_t at, unsigned row, unsigned j) {
    if (j < 4) return to_float(bytes_at(block, at + j, row) & 63);
    return to_float((bytes_at(block, at + 4 + j, row) & 15) | bytes_at(block, at + j - 4, row) >> 6 << 4);
}
LLMD_INLINE Vec packed_minimum(const uint8_t* block, size_t at, unsigned row, unsigned j) {
    if (j < 4) return to_float(bytes_at(block, at + 4 + j, row) & 63);
    return to_float(bytes_at(block, at + 4 + j, row) >> 4 | bytes_at(block, at + j, row) >> 6 << 4);
}

// Nibbles: sub-block 2i in the low ones of bytes 32i ..., 2i + 1 in the high. Q5_K has fifth bits besides: bit
// `sub_block` of byte i belongs to weight i of the sub-block.
template <model::TensorType kType>
struct KFormat : PackedFormat<kType> {
    using Base = PackedFormat<kType>;
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned sub_block, unsigned group) {
        const Quants q = words_at(block, Base::kQuantsAt + size_t{32} * (sub_block / 2) + size_t{4} * group, row);
        const Quants low = bits_of(q, 4 * (sub_block % 2), 15);
        if constexpr (Base::kBlock.bits == 4) return low;
        const Quants high = words_at(block, Base::kHighBitsAt + size_t{4} * group, row);
        return low | shifted_up(bits_of(high, sub_block, 1), 4);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t*, unsigned row, unsigned sub_block, unsigned) {
        return halves_at(block, Base::kScaleAt, row) * packed_scale(block, Base::kSubScalesAt, row, sub_block);
    }
    LLMD_INLINE Vec minimum(const uint8_t* block, unsigned row, unsigned sub_block, unsigned) {
        return -(halves_at(block, Base::kMinimumAt, row) * packed_minimum(block, Base::kSubScalesAt, row, sub_block));
    }
};
using Q4_K = KFormat<model::TensorType::Q4_K>;
using Q5_K = KFormat<model::TensorType::Q5_K>;

// Each half block of 128 weights has 64 bytes of nibbles and 32 of bit pairs; its sub-block j has its nibbles in bytes
// 32 (j % 2) ..., low for j < 2, and its pairs at bit 2j.
struct Q6_K : PackedFormat<model::TensorType::Q6_K> {
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned sub_block, unsigned group) {
        const unsigned half = sub_block / 4, j = sub_block % 4;
        const Quants low =
            words_at(block, kQuantsAt + size_t{64} * half + size_t{32} * (j % 2) + size_t{4} * group, row);
        const Quants high = words_at(block, kHighBitsAt + size_t{32} * half + size_t{4} * group, row);
        return bits_of(low, 4 * (j / 2), 15) | bits_moved(high, 2 * j, 4, 0x30);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t* half, unsigned row, unsigned sub_block, unsigned part) {
        const Ints factor = signed_bytes_at(block, kSubScalesAt + size_t{2} * sub_block + part, row);
        return halves_apart(half, row) * to_float(factor);
    }
};

// Scales: 2 bytes of bit pairs, 4 of nibbles. Each sub-block's 16 bytes of nibbles lie as in IQ4_NL.
struct IQ4_XS : PackedFormat<model::TensorType::IQ4_XS> {
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned sub_block, unsigned group) {
        return levels_at(block, kQuantsAt + size_t{16} * sub_block, row, group);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t*, unsigned row, unsigned sub_block, unsigned) {
        const Ints low =
            bytes_at(block, kSubScalesAt + 2 + sub_block / 2, row) >> static_cast<int>(4 * (sub_block % 2)) & 15;
        const Ints high =
            bytes_at(block, kSubScalesAt + sub_block / 4, row) >> static_cast<int>(2 * (sub_block % 4)) & 3;
        return halves_at(block, kScaleAt, row) * biased_scale(low, high);
    }
};

// Piece j of half h: pairs at bit 2j of bytes 32h ..., high bit 4h + j; a clear high bit means 4 less. Sixteen scales:
// 8 bytes of nibbles, 4 of bit pairs.
struct Q3_K : PackedFormat<model::TensorType::Q3_K> {
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned sub_block, unsigned group) {
        const Quants pairs = words_at(block, kQuantsAt + size_t{32} * (sub_block / 4) + size_t{4} * group, row);
        const Quants set = shifted_up(bits_of(words_at(block, kHighBitsAt + size_t{4} * group, row), sub_block, 1), 2);
        return bits_of(pairs, 2 * (sub_block % 4), 3) | set;
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t* half, unsigned row, unsigned sub_block, unsigned part) {
        const unsigned k = 2 * sub_block + part;
        const Ints low = bytes_at(block, kSubScalesAt + k % 8, row) >> static_cast<int>(4 * (k / 8)) & 15;
        const Ints high = bytes_at(block, kSubScalesAt + 8 + k % 4, row) >> static_cast<int>(2 * (k / 4)) & 3;
        return halves_apart(half, row) * biased_scale(low, high);
    }
};

// A byte of scale and minimum for each part, a nibble each. Pairs lie as in Q3_K.
struct Q2_K : PackedFormat<model::TensorType::Q2_K> {
    LLMD_INLINE Quants quants(const uint8_t* block, unsigned row, unsigned sub_block, unsigned group) {
        const Quants pairs = words_at(block, kQuantsAt + size_t{32} * (sub_block / 4) + size_t{4} * group, row);
        return bits_of(pairs, 2 * (sub_block % 4), 3);
    }
    LLMD_INLINE Vec scale(const uint8_t* block, const uint8_t*, unsigned row, unsigned sub_block, unsigned part) {
        const Ints both = bytes_at(block, kSubScalesAt + size_t{2} * sub_block + part, row);
        return halves_at(block, kScaleAt, row) * to_float(both & 15);
    }
    LLMD_INLINE Vec minimum(const uint8_t* block, unsigned row, unsigned sub_block, unsigned part) {
        const Ints both = bytes_at(block, kSubScalesAt + size_t{2} * sub_block + part, row);
        return -(halves_at(block, kMinimumAt, row) * to_float(both >> 4));
    }
};

// Calls use() with the format of a type that is packed, and does nothing for plain numbers.
template <class Use>
LLMD_INLINE void with_packed_format(model::TensorType type, const Use& use) {
    using model::TensorType;
    switch (type) {
        case TensorType::F32:
        case TensorType::F16:
        case TensorType::BF16:
            return;
        case TensorType::Q4_0:
            return use(Q4_0());
        case TensorType::Q4_1:
            return use(Q4_1());
        case TensorType::Q5_0:
            return use(Q5_0());
        case TensorType::Q5_1:
            return use(Q5_1());
        case TensorType::Q8_0:
            return use(Q8_0());
        case TensorType::Q2_K:
            return use(Q2_K());
        case TensorType::Q3_K:
            return use(Q3_K());
        case TensorType::Q4_K:
            return use(Q4_K());
        case TensorType::Q5_K:
            return use(Q5_K());
        case TensorType::Q6_K:
            return use(Q6_K());
        case TensorType::IQ4_NL:
            return use(IQ4_NL());
        case TensorType::IQ4_XS:
            return use(IQ4_XS());
    }
}

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
