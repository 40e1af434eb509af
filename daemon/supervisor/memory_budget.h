// How much memory engines may take together, and how much one will; pure. All in bytes; sums that do not fit into 64
// bits stay at their greatest value, since sizes come from model files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/messages.h"

namespace llmd::supervisor {

// Engines leave so much of the memory that is available. The kernel's figure takes file pages as free that a shell and
// its applications use all the time, and the next application that is opened, a browser's page say, wants some 300 MiB
// at once: with less, every start of one makes the device stall. On a phone with 2 GiB, about half of which is
// available, it leaves room for one small model; on one with 8 GiB it is lost among the rest.
inline constexpr uint64_t kReserveBytes = uint64_t{384} << 20;

// An engine has this beside weights and KV pages: code, vocabulary, activations of a prefill chunk, and what an OpenCL
// driver keeps for itself, most of it. A guess that holds until its Ready has said what was measured.
inline constexpr uint64_t kOverheadBytes = uint64_t{96} << 20;

// MemAvailable of the text of /proc/meminfo; nothing: it does not say so.
std::optional<uint64_t> available_bytes(std::string_view meminfo);

// Requests may add so much to what an engine has as soon as it is ready: texts, grammars and the tokens that these
// allow. An engine that is limited in how much it may take leaves as much (generation::kRequestReserveBytes).
inline constexpr uint64_t kRequestBytes = uint64_t{16} << 20;

// Returns the bytes that all engines may take: `memory_mib` (0: not set), or what there is, kReserveBytes less. `held`
// is the engines' memory that would come back: anonymous and shared memory and what a device has, and no pages of model
// files, which count as available already. Where nothing is known of the device, no more than they hold.
uint64_t memory_budget(uint32_t memory_mib, std::optional<uint64_t> available, uint64_t held);

// As protocol::Inspection has it.
struct ContextSize {
    uint64_t kv_bytes_per_token = 0;
    uint64_t window_bytes_per_token = 0;
    uint32_t window_tokens = 0;
    uint32_t border_tokens = 0;

    bool is_known() const { return kv_bytes_per_token != 0 || window_bytes_per_token != 0; }
};
ContextSize context_size(const protocol::Inspection& inspection);
// The keys and values of one context of so many tokens, without what is kept for the prefix cache beside it.
uint64_t context_bytes(const ContextSize& size, uint32_t n_ctx);

struct EngineSize {
    uint64_t weight_bytes = 0;  // as in protocol::Inspection
    ContextSize context;
    uint32_t n_ctx = 0;
    uint32_t n_slots = 0;
};
// Returns the bytes that an engine will take, before its Ready has said so: weights, KV pages, kOverheadBytes. The
// pages are those of all slots when each fills its context, which few do, and of the prefix cache's borders: no more
// than half of what `budget` leaves beside the rest, but always enough for one.
uint64_t estimated_bytes(const EngineSize& size, uint64_t budget);

}  // namespace llmd::supervisor
