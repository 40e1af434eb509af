// What preparation.h remembers of a model on a device, as text: that its kernels passed, and which were chosen by time.
// Pure functions.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/compute/opencl/autotune/kernel_config.h"

namespace llmd::compute::gpu {

struct Outcome {
    bool is_tuned = false;  // else the choices are the usual ones
    KernelConfigs configs;

    bool operator==(const Outcome&) const = default;
};

std::string to_text(const Outcome& outcome);
// None where the text is not what to_text() writes, or has a choice that is not for this device and model: another kind
// of product, a kernel that Variants does not allow, another reading of a layout that is not free to change.
std::optional<Outcome> outcome_from_text(std::string_view text, const Variants& variants,
                                         const std::set<MatmulKind>& kinds, const std::set<Layout>& usual_images,
                                         const std::set<Layout>& free_images);

}  // namespace llmd::compute::gpu
