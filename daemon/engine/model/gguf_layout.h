// The ids and sizes of GGUF's metadata types, shared by the parser, the accessors and the
// tests' writer; private to them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace llmd::model {

enum class ValueType : uint32_t {
    U8 = 0,
    I8 = 1,
    U16 = 2,
    I16 = 3,
    U32 = 4,
    I32 = 5,
    F32 = 6,
    Bool = 7,    // one byte, 0 or 1
    String = 8,  // 64-bit length, then that many bytes
    Array = 9,   // 32-bit element type, 64-bit count, then the elements
    U64 = 10,
    I64 = 11,
    F64 = 12,
};

// Bytes of one value; 0 for strings, arrays and ids that do not exist.
constexpr size_t scalar_bytes(ValueType type) {
    switch (type) {
        case ValueType::U8:
        case ValueType::I8:
        case ValueType::Bool:
            return 1;
        case ValueType::U16:
        case ValueType::I16:
            return 2;
        case ValueType::U32:
        case ValueType::I32:
        case ValueType::F32:
            return 4;
        case ValueType::U64:
        case ValueType::I64:
        case ValueType::F64:
            return 8;
        default:
            return 0;
    }
}

}  // namespace llmd::model
