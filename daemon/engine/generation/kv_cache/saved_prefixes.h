// Which of the KV pages that are kept in memory are saved in files too, and when: a prefix of kLeastSavedTokens or more
// that a second request has begun with, so that what is asked once never wears the flash; a conversation's next turn is
// such a request. Read when a request opens and memory has less of its text than the files; written a page at a time,
// when the engine has nothing else to do.
// A disk that takes longer than kSlowDisk for a page is not used again: it is worn or dying, and would hold up
// everybody. Thread-bound, like the backend, which must outlive it. Errors are the device's; files never fail
// (prefix_store.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/generation/kv_cache/kv_pages.h"
#include "engine/generation/kv_cache/prefix_store.h"

namespace llmd::generation {

inline constexpr uint32_t kLeastSavedTokens = 256;  // less is computed again sooner than it is read from slow flash
inline constexpr size_t kMaxUnsavedPrefixes = 16;   // that wait to be saved; the oldest is given up for one more
// The longest that a request reads files, since those that compute wait meanwhile; what is left is computed.
inline constexpr std::chrono::seconds kReadLimit{2};

// One page is megabytes; a card that is well takes less than this when it is busy.
inline constexpr std::chrono::seconds kSlowDisk{5};

class SavedPrefixes {
public:
    // The clock that kReadLimit and kSlowDisk go by.
    using Now = std::function<std::chrono::steady_clock::time_point()>;

    SavedPrefixes(PrefixStore store, compute::Backend& backend, Now now = std::chrono::steady_clock::now);

    // A request with this text begins: the first n_cached of its `pages` hold what memory had of it. Gives how many do
    // when the files' part is read into those that follow. `is_hit`: another request computed them.
    base::Result<uint32_t> begin(const KvPages::Text& text, std::span<const uint32_t> pages, uint32_t n_cached,
                                 bool is_hit);
    // What was computed of a text that begins with this one's first page is wrong.
    void forget(const KvPages::Text& text);

    // There is something to save.
    bool has_unsaved() const { return !unsaved_.empty(); }
    // Saves one page at most, as long as `pages` still has it.
    base::Result<void> save_next(const KvPages& pages);

private:
    struct Prefix {
        std::string scope;
        std::vector<int32_t> ids;  // whole pages

        bool operator==(const Prefix&) const = default;
    };

    // Since then a page has been read or written; false, and never again, when that took too long.
    bool keeps_up(std::chrono::steady_clock::time_point began);

    PrefixStore store_;
    compute::Backend& backend_;
    const Now now_;
    bool is_slow_ = false;
    std::deque<Prefix> unsaved_;
    std::vector<std::byte> page_;
};

}  // namespace llmd::generation
