#include "supervisor/memory_budget.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace llmd::supervisor {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

uint64_t sum(uint64_t a, uint64_t b) {
    return a > kMost - b ? kMost : a + b;
}
uint64_t product(uint64_t a, uint64_t b) {
    return b != 0 && a > kMost / b ? kMost : a * b;
}
uint64_t difference(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

}  // namespace

std::optional<uint64_t> available_bytes(std::string_view meminfo) {
    constexpr std::string_view kKey = "MemAvailable:";
    constexpr std::string_view kUnit = " kB";
    for (size_t start = 0; start < meminfo.size();) {
        const size_t end = std::min(meminfo.find('\n', start), meminfo.size());
        std::string_view line = meminfo.substr(start, end - start);
        start = end + 1;
        if (!line.starts_with(kKey) || !line.ends_with(kUnit)) continue;
        line.remove_prefix(kKey.size());
        line.remove_suffix(kUnit.size());
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        uint64_t kib = 0;
        const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), kib);
        if (error != std::errc() || rest != line.data() + line.size()) return std::nullopt;
        return product(kib, 1024);
    }
    return std::nullopt;
}

uint64_t memory_budget(uint32_t memory_mib, std::optional<uint64_t> available, uint64_t held) {
    if (memory_mib != 0) return uint64_t{memory_mib} << 20;
    if (!available) return held;
    return difference(sum(*available, held), kReserveBytes);
}

ContextSize context_size(const protocol::Inspection& inspection) {
    return {inspection.kv_bytes_per_token, inspection.window_bytes_per_token, inspection.window_tokens,
            inspection.border_tokens};
}

uint64_t context_bytes(const ContextSize& size, uint32_t n_ctx) {
    return sum(product(size.kv_bytes_per_token, n_ctx),
               product(size.window_bytes_per_token, std::min(size.window_tokens, n_ctx)));
}

uint64_t estimated_bytes(const EngineSize& size, uint64_t budget) {
    const uint64_t fixed = sum(size.weight_bytes, kOverheadBytes);
    ContextSize context = size.context;
    context.window_tokens += std::min(context.border_tokens, UINT32_MAX - context.window_tokens);
    const uint64_t one = context_bytes(context, size.n_ctx);
    const uint64_t most = std::max(one, difference(budget, fixed) / 2);
    return sum(fixed, std::min(product(one, size.n_slots), most));
}

}  // namespace llmd::supervisor
