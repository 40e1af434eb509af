// What a device's product kernels were found to do with one model: which of them are used at all (self_test.h), and
// which are the fastest (tuner.h).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "engine/compute/opencl/gpu/activations.h"
#include "engine/compute/opencl/gpu/matmul.h"

namespace llmd::compute::gpu {

// What a product's groups leave, as far as it limits their shape: whole blocks of a record, with one output for each
// row or, where gate and up lie by turns, for each pair; or a part of the choice among logits.
enum class Ending : uint8_t { Rows, Pairs, Logits };

// Products of one kind get the same kernels.
struct ProductKind {
    Layout layout = Layout::Q4_0;
    uint32_t rows = 0;  // of the whole product, padded; parts in other layouts are kinds of their own
    uint32_t cols = 0;
    Ending ending = Ending::Rows;
    uint32_t digits = kMostDigits;  // of the records it reads

    auto operator<=>(const ProductKind&) const = default;
};

// The kernel of a kind and a number of columns. Of it only the slices change the bits of a result; where a layout has
// both cores, they give the same.
struct ProductChoice {
    ProductShape shape;
    Core core = Core::Float;
    uint32_t staged_bytes = kStagedBytes;

    bool operator==(const ProductChoice&) const = default;
};

struct Choices {
    uint32_t most_columns = std::numeric_limits<uint32_t>::max();  // that one launch may compute together
    std::set<Layout> images;                                       // layouts whose planes are read through images
    // What is used instead of the table's kernels, by kind and columns.
    std::map<std::pair<ProductKind, uint32_t>, ProductChoice> products;

    bool operator==(const Choices&) const = default;
};

}  // namespace llmd::compute::gpu
