// The on-disk prefix cache, below the prefix cache in memory. It decides which KV pages are saved to files and when. It
// saves prefixes of kLeastSavedTokens or more with which a second request has begun, such as the next turn of a
// conversation; a prompt that comes once never wears the flash. Pages are read when a request starts and the files have
// more of its text than memory; they are written one at a time, when the engine has nothing else to do. Of windowed
// pages only those are saved that the position behind the prefix sees, so a text can go on from its end, or not at all.
// A disk that takes longer than kSlowDisk for a page is not used again, since it is worn or dying and would hold up all
// requests. Thread-bound, like the backend, which must outlive it. Errors are the device's; files never fail
// (prefix_store.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/generation/kv_cache/kv_pages.h"
#include "engine/generation/kv_cache/prefix_store.h"

namespace llmd::generation {

inline constexpr uint32_t kLeastSavedTokens = 256;  // fewer are computed sooner than they are read from slow flash
inline constexpr size_t kMaxUnsavedPrefixes = 16;   // queued to be saved; the oldest is dropped for one more
// The longest that files are read for a request, since other requests wait meanwhile. The rest is computed.
inline constexpr std::chrono::seconds kReadLimit{2};

// The longest that a page of megabytes may take. A healthy card takes less even when it is busy.
inline constexpr std::chrono::seconds kSlowDisk{5};

class DiskPrefixCache {
public:
    // The clock for kReadLimit and kSlowDisk.
    using Now = std::function<std::chrono::steady_clock::time_point()>;

    DiskPrefixCache(PrefixStore store, compute::Backend& backend, Now now = std::chrono::steady_clock::now);

    // Starts a request with this text in a slot that open() gave it: the slot's pages that memory had nothing for are
    // read from the files, as far as these have them. `is_hit` says that another request computed what the slot has.
    base::Result<void> begin(const KvPages::Text& text, KvPages& pages, uint32_t slot, bool is_hit);
    // Removes all texts that begin with the first page of this one, because their pages are wrong.
    void forget(const KvPages::Text& text);

    // True if there is something to save.
    bool has_unsaved() const { return !unsaved_.empty(); }
    // Saves at most one page, if `pages` still has it.
    base::Result<void> save_next(const KvPages& pages);

private:
    struct Prefix {
        std::string scope;
        std::vector<int32_t> ids;  // whole pages

        bool operator==(const Prefix&) const = default;
    };

    // Checks how long a page took that has been read or written since `began`. False if it took too long; the disk is
    // then not used again.
    bool keeps_up(std::chrono::steady_clock::time_point began);
    // How many pages of the chain the files have, with the windowed ones that the position behind them sees.
    uint32_t n_saved(const std::string& scope, std::span<const int32_t> ids, const WindowPages* windows);
    // Reads the last page of the chain. False if there is none in time.
    base::Result<bool> read(const std::string& scope, std::span<const int32_t> ids, compute::KvPage page);
    // Reads the windowed pages behind the chain, and makes them the slot's.
    base::Result<bool> read_windowed(const std::string& scope, std::span<const int32_t> ids, WindowPages& windows,
                                     uint32_t slot);
    // Reads pages from slot's n_cached() on. Returns how many pages the slot has then.
    base::Result<uint32_t> read_all(const std::string& scope, std::span<const int32_t> ids, KvPages& pages,
                                    uint32_t slot);
    // The next page of the prefix that has no file: it is the last of the first `second` ones. 0: all have.
    std::pair<compute::KvPool, uint32_t> next_unsaved(const Prefix& prefix, const WindowPages* windows);

    PrefixStore store_;
    compute::Backend& backend_;
    const Now now_;
    bool is_slow_ = false;
    std::chrono::steady_clock::time_point deadline_;  // of reading for the request that starts
    std::deque<Prefix> unsaved_;
    std::vector<std::byte> page_;
};

}  // namespace llmd::generation
