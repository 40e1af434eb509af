// Which of the possible kernels a device gets: the one place that a choice is made in. What it chooses is part of the
// numeric profile as far as it changes a bit: precision, cores, slices, attention items.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/compute/backend.h"
#include "engine/compute/opencl/device.h"
#include "engine/compute/opencl/packed/product.h"

namespace llmd::compute::packed {

// Columns that one launch of a product can compute together.
inline constexpr std::array<uint32_t, 4> kColumnCounts = {1, 2, 4, 8};
inline constexpr uint32_t kMaxColumns = kColumnCounts.back();

class Variants {
public:
    Variants(const DeviceLimits& device, Precision precision);

    uint32_t digits() const { return precision_ == Precision::Fast ? 1 : 2; }
    Core core(Layout layout) const;
    // For a matrix of so many rows and a launch of so many columns. `slices` is the same for any number of columns. A
    // group's outputs fill whole blocks of a record, with one output a pair too where that is asked for.
    ProductShape product_shape(uint32_t rows, uint32_t columns, bool one_output_a_pair) const;
    // Whether weights are better loaded one block ahead.
    bool prefetches() const { return is_nvidia_; }
    uint32_t staged_bytes() const;  // local memory for x
    uint32_t attention_items() const;
    // Query heads of an attention work-group: a divisor of heads_per_kv, whose outputs fill whole blocks if that is
    // possible.
    uint32_t attention_heads(uint32_t heads_per_kv, uint32_t head_dim) const;

    // Whether planes are better read through images (images.h), where they work.
    bool prefers_images() const { return !in_turn_ && !is_nvidia_; }

    std::string profile() const;

private:
    uint32_t slices() const;

    Precision precision_;
    bool in_turn_;  // items run one after the other
    bool is_nvidia_;
    uint32_t most_items_;
};

}  // namespace llmd::compute::packed
