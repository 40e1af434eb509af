#include "engine/compute/opencl/autotune/kernel_config_cache.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "base/error.h"

namespace llmd::compute::gpu {
namespace {

constexpr std::string_view kPassed = "passed", kTuned = "tuned", kImage = "image", kProduct = "product", kEnd = "end";

std::optional<Layout> layout_from_name(std::string_view name) {
    const auto found = std::find_if(kLayouts.begin(), kLayouts.end(), [&](Layout l) { return layout_name(l) == name; });
    return found == kLayouts.end() ? std::nullopt : std::optional(*found);
}

bool read_product(std::istream& in, const Variants& variants, const std::set<ProductKind>& kinds, Choices& choices) {
    std::string name;
    ProductKind kind;
    ProductChoice choice;
    uint32_t columns = 0, ending = 0, core = 0;
    in >> name >> kind.rows >> kind.cols >> ending >> kind.digits >> columns >> choice.shape.lanes >>
        choice.shape.pairs >> choice.shape.slices >> core >> choice.staged_bytes;
    const auto layout = layout_from_name(name);
    if (!in || !layout || ending > static_cast<uint32_t>(Ending::Logits) || core > static_cast<uint32_t>(Core::Float)) {
        return false;
    }
    kind.layout = *layout;
    kind.ending = static_cast<Ending>(ending);
    choice.core = static_cast<Core>(core);
    const bool is_asked = std::find(kColumnCounts.begin(), kColumnCounts.end(), columns) != kColumnCounts.end();
    if (!is_asked || !kinds.contains(kind) || !variants.allows(kind, columns, choice)) return false;
    choices.products[{kind, columns}] = choice;
    return true;
}

}  // namespace

std::string to_text(const Outcome& outcome) {
    std::string text(outcome.is_tuned ? kTuned : kPassed);
    text += '\n';
    for (const Layout layout : outcome.choices.images) text += base::concat(kImage, " ", layout_name(layout), "\n");
    for (const auto& [key, choice] : outcome.choices.products) {
        const auto& [kind, columns] = key;
        text += base::concat(kProduct, " ", layout_name(kind.layout), " ", kind.rows, " ", kind.cols, " ",
                             static_cast<uint32_t>(kind.ending), " ", kind.digits, " ", columns, " ",
                             choice.shape.lanes, " ", choice.shape.pairs, " ", choice.shape.slices, " ",
                             static_cast<uint32_t>(choice.core), " ", choice.staged_bytes, "\n");
    }
    return text += base::concat(kEnd, "\n");
}

std::optional<Outcome> outcome_from_text(std::string_view text, const Variants& variants,
                                         const std::set<ProductKind>& kinds, const std::set<Layout>& usual_images,
                                         const std::set<Layout>& free_images) {
    std::istringstream in{std::string(text)};
    Outcome outcome;
    std::string word;
    if (!(in >> word) || (word != kPassed && word != kTuned)) return std::nullopt;
    outcome.is_tuned = word == kTuned;
    while (in >> word && word != kEnd) {
        if (word == kProduct) {
            if (!read_product(in, variants, kinds, outcome.choices)) return std::nullopt;
            continue;
        }
        std::string name;
        if (word != kImage || !(in >> name)) return std::nullopt;
        const auto layout = layout_from_name(name);
        if (!layout) return std::nullopt;
        outcome.choices.images.insert(*layout);
    }
    if (word != kEnd || in.get() != '\n' || in.peek() != std::istream::traits_type::eof()) return std::nullopt;
    std::set<Layout> changed;
    std::ranges::set_symmetric_difference(outcome.choices.images, usual_images, std::inserter(changed, changed.end()));
    if (!std::ranges::includes(free_images, changed)) return std::nullopt;
    if (!outcome.is_tuned && (!changed.empty() || !outcome.choices.products.empty())) return std::nullopt;
    return outcome;
}

}  // namespace llmd::compute::gpu
