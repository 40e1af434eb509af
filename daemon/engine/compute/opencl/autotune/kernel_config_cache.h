// Remembers on disk what preparation.h found out about a model on a device: that its kernels passed, and which were
// chosen by time. Thread-bound; the functions on texts are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/compute/opencl/autotune/kernel_config.h"
#include "engine/compute/opencl/runtime/program_cache.h"

namespace llmd::compute::gpu {

struct Outcome {
    bool is_tuned = false;  // else the kernels are the usual ones
    KernelConfigs configs;

    bool operator==(const Outcome&) const = default;
};

std::string to_text(const Outcome& outcome);
// None where the text is not what to_text() writes, or has a kernel that is not for this device and model: another kind
// of matmul, a kernel that KernelChoice does not allow, images for a layout that is not free to change.
std::optional<Outcome> outcome_from_text(std::string_view text, const KernelChoice& kernel_choice,
                                         const std::set<MatmulKind>& kinds, const std::set<Layout>& usual_images,
                                         const std::set<Layout>& free_images);

// The files, by a key of all that an outcome depends on. As ProgramCache, it never fails.
class KernelConfigCache {
public:
    // None where there is no file, or outcome_from_text() refuses what it holds.
    std::optional<Outcome> find(uint64_t key, const KernelChoice& kernel_choice, const std::set<MatmulKind>& kinds,
                                const std::set<Layout>& usual_images, const std::set<Layout>& free_images) const;
    void keep(uint64_t key, const Outcome& outcome) const;

private:
    ProgramCache files_{user_cache_directory("kernel-configs")};
};

}  // namespace llmd::compute::gpu
