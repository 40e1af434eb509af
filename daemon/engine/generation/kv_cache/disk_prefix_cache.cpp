#include "engine/generation/kv_cache/disk_prefix_cache.h"

#include <algorithm>
#include <utility>

namespace llmd::generation {

using compute::kPageTokens;

DiskPrefixCache::DiskPrefixCache(PrefixStore store, compute::Backend& backend, Now now)
    : store_(std::move(store)), backend_(backend), now_(std::move(now)), page_(store_.page_bytes()) {}

base::Result<uint32_t> DiskPrefixCache::begin(const KvPages::Text& text, std::span<const uint32_t> pages,
                                              uint32_t n_cached, bool is_hit) {
    if (is_slow_ || text.scope.empty() || text.ids.empty()) return n_cached;
    const auto ids = text.ids.first(text.ids.size() - 1);  // the last one must be computed to sample the next one
    const uint32_t n_saved = store_.use(text.scope, ids);
    const auto end = now_() + kReadLimit;
    uint32_t n = n_cached;
    for (auto began = now_(); n < n_saved && began < end; began = now_(), ++n) {
        const bool has_read = store_.read(text.scope, ids.first(size_t{n + 1} * kPageTokens), page_);
        if (!keeps_up(began) || !has_read) break;
        if (auto written = backend_.write_page(pages[n], page_); !written) return written.error();
    }
    if (is_slow_ || !is_hit || n <= n_saved || n * kPageTokens < kLeastSavedTokens) return n;
    const auto prefix = ids.first(size_t{n} * kPageTokens);
    Prefix unsaved{text.scope, {prefix.begin(), prefix.end()}};
    if (std::find(unsaved_.begin(), unsaved_.end(), unsaved) != unsaved_.end()) return n;
    if (unsaved_.size() == kMaxUnsavedPrefixes) unsaved_.pop_front();
    unsaved_.push_back(std::move(unsaved));
    return n;
}

bool DiskPrefixCache::keeps_up(std::chrono::steady_clock::time_point began) {
    is_slow_ = now_() - began > kSlowDisk;
    if (is_slow_) unsaved_.clear();
    return !is_slow_;
}

void DiskPrefixCache::forget(const KvPages::Text& text) {
    if (text.scope.empty() || text.ids.size() < kPageTokens) return;
    store_.forget(text.scope, text.ids.first(kPageTokens));
    std::erase_if(unsaved_, [&](const Prefix& prefix) {
        return prefix.scope == text.scope &&
               std::equal(prefix.ids.begin(), prefix.ids.begin() + kPageTokens, text.ids.begin());
    });
}

base::Result<void> DiskPrefixCache::save_next(const KvPages& pages) {
    if (unsaved_.empty()) return {};
    const Prefix& prefix = unsaved_.front();
    const std::span<const int32_t> ids = prefix.ids;
    const size_t n = size_t{store_.use(prefix.scope, ids)} + 1;
    if (n * kPageTokens <= ids.size()) {
        const auto chain = ids.first(n * kPageTokens);
        if (const auto page = pages.find({prefix.scope, chain})) {
            if (auto read = backend_.read_page(*page, page_); !read) return read;
            const auto began = now_();
            const bool written = store_.write(prefix.scope, chain, page_);
            if (!keeps_up(began) || (written && chain.size() < ids.size())) return {};
        }
    }
    unsaved_.pop_front();
    return {};
}

}  // namespace llmd::generation
