#include "engine/compute/opencl/autotune/preparation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/compute/opencl/autotune/autotuner.h"
#include "engine/compute/opencl/autotune/kernel_config_cache.h"
#include "engine/compute/opencl/autotune/self_test.h"
#include "engine/compute/opencl/autotune/tuning_bench.h"
#include "engine/compute/opencl/gpu/kernels.h"
#include "engine/compute/opencl/gpu/layout.h"

namespace llmd::compute::gpu {
namespace {

using base::Result;
using model::Role;

bool is_multiplied(const model::Weight& weight, std::span<const model::Weight> all) {
    if (model::is_vector(weight.role) || weight.role == Role::PositionEmbedding) return false;
    return weight.role != Role::TokenEmbedding ||
           std::none_of(all.begin(), all.end(), [](const model::Weight& w) { return w.role == Role::Output; });
}

// The kernels of every probe, by rising batch rows.
std::map<ProbeKey, std::vector<MatmulTest>> tests_of(const KernelChoice& kernel_choice,
                                                     const std::set<MatmulKind>& kinds) {
    std::map<ProbeKey, std::vector<MatmulTest>> tests;
    for (const uint32_t batch_rows : kBatchRowCounts) {
        if (!kernel_choice.may_compute(batch_rows)) continue;
        for (const MatmulKind& kind : kinds) {
            const MatmulTest test = {batch_rows, kernel_choice.matmul(kind, batch_rows)};
            auto& of_kind = tests[probe_key(kind)];
            if (std::find(of_kind.begin(), of_kind.end(), test) == of_kind.end()) of_kind.push_back(test);
        }
    }
    return tests;
}

// One layer of each shape that attention has in the model.
std::vector<model::LayerSpec> attention_shapes(const model::DecoderSpec& spec) {
    std::vector<model::LayerSpec> shapes;
    for (const model::LayerSpec& layer : spec.layers) {
        const auto is_like = [&](const model::LayerSpec& other) {
            return other.n_heads == layer.n_heads && other.n_kv_heads == layer.n_kv_heads &&
                   other.head_dim == layer.head_dim && other.window == layer.window &&
                   other.score_cap == layer.score_cap;
        };
        if (!layer.is_convolution() && std::none_of(shapes.begin(), shapes.end(), is_like)) shapes.push_back(layer);
    }
    return shapes;
}

// Everything that the outcome depends on beside the device, the driver and the kernels.
std::string describe(const KernelChoice& kernel_choice, const Model& model) {
    std::string text = base::concat("context ", model.limits.n_ctx);
    for (const model::LayerSpec& layer : attention_shapes(model.spec)) {
        text += base::concat("; ", layer.n_heads, " x ", layer.head_dim, " / ", layer.n_kv_heads, ", window ",
                             layer.window, ", cap ", layer.score_cap);
        for (const bool has_many_rows : {false, true}) {
            text += base::concat(", heads ", kernel_choice.attention_heads(layer, has_many_rows));
        }
    }
    for (const auto& [probe, tests] : tests_of(kernel_choice, model.kinds)) {
        text += base::concat(model.images.contains(probe.layout) ? "; image of " : "; ", layout_name(probe.layout), " ",
                             probe.cols, " ", probe.value_bytes, ":");
        for (const auto& [batch_rows, kernel] : tests) {
            text +=
                base::concat(" ", batch_rows, "/", kernel.shape.lanes, "x", kernel.shape.pairs, "x",
                             kernel.shape.k_splits, "/", static_cast<uint32_t>(kernel.core), "/", kernel.staged_bytes);
        }
    }
    return text;
}

class Preparer {
public:
    Preparer(DeviceQueue& queue, const KernelChoice& kernel_choice, const Model& model,
             const OnPreparation& on_preparation)
        : queue_(queue),
          kernel_choice_(kernel_choice),
          model_(model),
          on_preparation_(on_preparation),
          kernels_(queue, model.spec, model.limits, kernel_choice) {}

    Result<SelfTestResult> run() {
        const std::string fingerprint = kernels_.fingerprint(), description = describe(kernel_choice_, model_);
        const uint64_t key = program_key(std::array<std::string_view, 3>{queue_.identity(), fingerprint, description});
        const bool tunes = queue_.tuning_budget().count() > 0;
        const auto known = cache_.find(key, kernel_choice_, model_.kinds, model_.images, model_.free_images);
        if (known && (known->is_tuned || !tunes)) {
            return SelfTestResult{tunes ? known->configs : KernelConfigs{.images = model_.images}, {}};
        }
        take_samples();
        auto found = test(model_.images);
        if (!found || !found->notes.empty()) return found;
        if (tunes) {
            // Until tuning has ended, the usual kernels are on record as its outcome: a kernel that ends the process,
            // in a driver's compiler or on the device, is met once.
            cache_.keep(key, {true, found->configs});
            auto tuned = tune_matmuls();
            if (!tuned) {
                cache_.keep(key, {false, found->configs});
                return tuned.error();
            }
            // Tuning has not seen all batch rows of a layout that is read in another way now.
            if (tuned->images != found->configs.images) {
                const auto other = test(tuned->images);
                if (!other) {
                    cache_.keep(key, {false, found->configs});
                    return other.error();
                }
                if (!other->notes.empty()) tuned = std::move(found->configs);
            }
            found->configs = std::move(*tuned);
        }
        cache_.keep(key, {tunes, found->configs});
        return found;
    }

private:
    void take_samples() {
        const auto wanted = tests_of(kernel_choice_, model_.kinds);
        for (const model::Weight& weight : model_.weights) {
            if (!is_multiplied(weight, model_.weights)) continue;
            for (uint32_t value_bytes = 1; value_bytes <= kMostValueBytes; ++value_bytes) {
                const ProbeKey which = {layout_for(weight.tensor.type), static_cast<uint32_t>(weight.tensor.cols),
                                        value_bytes};
                if (wanted.contains(which)) probes_.try_emplace(which, weight.tensor, value_bytes);
            }
        }
    }

    // Attention does not depend on images; it is tested with the usual ones.
    Result<SelfTestResult> test(const std::set<Layout>& images) {
        const auto kernels_of = tests_of(kernel_choice_, model_.kinds);
        std::vector<ProbeTest> tests;
        for (const auto& [which, probe] : probes_) {
            tests.push_back({&probe, kernels_of.at(which), images.contains(which.layout)});
        }
        const MatmulBuilder build = [this](const ProbeMatrix& probe, const MatmulTest& test, bool image) {
            return kernels_.matmul({.layout = probe.layout,
                                    .config = test.config,
                                    .batch_rows = test.batch_rows,
                                    .value_bytes = probe.x.value_bytes,
                                    .image = image});
        };
        auto found = test_matmuls(queue_, tests, build, [this] { return on_preparation_(Preparation::SelfTest, 0); });
        if (!found || images != model_.images) return found;
        for (const model::LayerSpec& layer : attention_shapes(model_.spec)) {
            auto checked = check_attention(queue_, kernels_, kernel_choice_, layer, model_.limits);
            if (!checked) return checked.error();
        }
        return found;
    }

    Result<KernelConfigs> tune_matmuls() {
        TuningPlan plan = {{}, model_.images, model_.free_images, queue_.tuning_budget()};
        for (const MatmulKind& kind : model_.kinds) {
            const bool has_sample = probes_.contains(probe_key(kind));
            if (has_sample && weight_bytes(kind, false) >= kLeastTunedBytes) plan.kinds.insert(kind);
        }
        const std::function<bool(uint32_t)> goes_on = [this](uint32_t per_mille) {
            return on_preparation_(Preparation::Tuning, per_mille);
        };
        DeviceTuningBench bench(queue_, kernels_, kernel_choice_, probes_, goes_on);
        auto tuned = tune(kernel_choice_, plan, bench);
        queue_.pace_submissions();  // anew: a step has other launches
        if (!tuned) return base::fail(base::ErrorCode::Cancelled, "loading was given up");
        return std::move(*tuned);
    }

    DeviceQueue& queue_;
    const KernelChoice& kernel_choice_;
    const Model& model_;
    const OnPreparation& on_preparation_;
    Kernels kernels_;  // kernels that are not used in the end go with it
    const KernelConfigCache cache_;
    DeviceTuningBench::Probes probes_;
};

}  // namespace

Result<SelfTestResult> prepare(DeviceQueue& queue, KernelChoice& kernel_choice, const Model& model,
                               const OnPreparation& on_preparation) {
    return with_or_without_dot(
        kernel_choice, [&](const KernelChoice& tried) { return Preparer(queue, tried, model, on_preparation).run(); });
}

Result<SelfTestResult> with_or_without_dot(KernelChoice& kernel_choice,
                                           const std::function<Result<SelfTestResult>(const KernelChoice&)>& attempt) {
    auto found = attempt(kernel_choice);
    if (found || found.error().code != base::ErrorCode::DeviceError || !kernel_choice.has_dot()) return found;
    const std::string why = found.error().message;
    kernel_choice.give_up_dot();
    found = attempt(kernel_choice);
    if (found) {
        found->notes.insert(found->notes.begin(), "the device's dot products of bytes are not used: " + why);
        return found;
    }
    base::Error error = found.error();
    if (error.code == base::ErrorCode::DeviceError) error.message += "; with dot products of bytes: " + why;
    return error;
}

}  // namespace llmd::compute::gpu
