#include "engine/compute/opencl/autotune/kernel_config_cache.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <sstream>

#include "base/error.h"

namespace llmd::compute::gpu {
namespace {

constexpr std::string_view kPassed = "passed", kTuned = "tuned", kImage = "image", kMatmul = "matmul", kEnd = "end";

std::optional<Layout> layout_from_name(std::string_view name) {
    const auto found = std::find_if(kLayouts.begin(), kLayouts.end(), [&](Layout l) { return layout_name(l) == name; });
    return found == kLayouts.end() ? std::nullopt : std::optional(*found);
}

bool read_matmul(std::istream& in, const KernelChoice& kernel_choice, const std::set<MatmulKind>& kinds,
                 KernelConfigs& configs) {
    std::string name;
    MatmulKind kind;
    KernelConfig config;
    uint32_t batch_rows = 0, output_kind = 0, core = 0;
    in >> name >> kind.rows >> kind.cols >> output_kind >> kind.value_bytes >> batch_rows >> config.shape.lanes >>
        config.shape.pairs >> config.shape.k_splits >> core >> config.staged_bytes;
    const auto layout = layout_from_name(name);
    if (!in || !layout || output_kind > static_cast<uint32_t>(OutputKind::Logits) ||
        core > static_cast<uint32_t>(kLastCore)) {
        return false;
    }
    kind.layout = *layout;
    kind.output_kind = static_cast<OutputKind>(output_kind);
    config.core = static_cast<Core>(core);
    const bool is_asked =
        std::find(kBatchRowCounts.begin(), kBatchRowCounts.end(), batch_rows) != kBatchRowCounts.end();
    if (!is_asked || !kinds.contains(kind) || !kernel_choice.allows(kind, batch_rows, config)) return false;
    configs.matmuls[{kind, batch_rows}] = config;
    return true;
}

}  // namespace

std::string to_text(const Outcome& outcome) {
    std::string text(outcome.is_tuned ? kTuned : kPassed);
    text += '\n';
    for (const Layout layout : outcome.configs.images) text += base::concat(kImage, " ", layout_name(layout), "\n");
    for (const auto& [key, config] : outcome.configs.matmuls) {
        const auto& [kind, batch_rows] = key;
        text += base::concat(kMatmul, " ", layout_name(kind.layout), " ", kind.rows, " ", kind.cols, " ",
                             static_cast<uint32_t>(kind.output_kind), " ", kind.value_bytes, " ", batch_rows, " ",
                             config.shape.lanes, " ", config.shape.pairs, " ", config.shape.k_splits, " ",
                             static_cast<uint32_t>(config.core), " ", config.staged_bytes, "\n");
    }
    return text += base::concat(kEnd, "\n");
}

std::optional<Outcome> outcome_from_text(std::string_view text, const KernelChoice& kernel_choice,
                                         const std::set<MatmulKind>& kinds, const std::set<Layout>& usual_images,
                                         const std::set<Layout>& free_images) {
    std::istringstream in{std::string(text)};
    Outcome outcome;
    std::string word;
    if (!(in >> word) || (word != kPassed && word != kTuned)) return std::nullopt;
    outcome.is_tuned = word == kTuned;
    while (in >> word && word != kEnd) {
        if (word == kMatmul) {
            if (!read_matmul(in, kernel_choice, kinds, outcome.configs)) return std::nullopt;
            continue;
        }
        std::string name;
        if (word != kImage || !(in >> name)) return std::nullopt;
        const auto layout = layout_from_name(name);
        if (!layout) return std::nullopt;
        outcome.configs.images.insert(*layout);
    }
    if (word != kEnd || in.get() != '\n' || in.peek() != std::istream::traits_type::eof()) return std::nullopt;
    std::set<Layout> changed;
    std::ranges::set_symmetric_difference(outcome.configs.images, usual_images, std::inserter(changed, changed.end()));
    if (!std::ranges::includes(free_images, changed)) return std::nullopt;
    if (!outcome.is_tuned && (!changed.empty() || !outcome.configs.matmuls.empty())) return std::nullopt;
    return outcome;
}

std::optional<Outcome> KernelConfigCache::find(uint64_t key, const KernelChoice& kernel_choice,
                                               const std::set<MatmulKind>& kinds, const std::set<Layout>& usual_images,
                                               const std::set<Layout>& free_images) const {
    const auto kept = files_.peek(key);
    if (!kept) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char*>(kept->data()), kept->size());
    return outcome_from_text(text, kernel_choice, kinds, usual_images, free_images);
}

void KernelConfigCache::keep(uint64_t key, const Outcome& outcome) const {
    const std::string text = to_text(outcome);
    files_.keep(key, std::as_bytes(std::span(text)));
}

}  // namespace llmd::compute::gpu
