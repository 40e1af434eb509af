#include "engine/generation/kv_cache/disk_prefix_cache.h"

#include <algorithm>
#include <utility>

namespace llmd::generation {

using compute::kPageTokens;
using compute::KvPool;

namespace {

std::span<const int32_t> pages_of(std::span<const int32_t> ids, uint32_t n) {
    return ids.first(size_t{n} * kPageTokens);
}

}  // namespace

DiskPrefixCache::DiskPrefixCache(PrefixStore store, compute::Backend& backend, Now now)
    : store_(std::move(store)),
      backend_(backend),
      now_(std::move(now)),
      page_(std::max(store_.page_bytes(KvPool::Full), store_.page_bytes(KvPool::Window))) {}

base::Result<void> DiskPrefixCache::begin(const KvPages::Text& text, KvPages& pages, uint32_t slot, bool is_hit) {
    if (is_slow_ || text.scope.empty() || text.ids.empty()) return {};
    const auto ids = text.ids.first(text.ids.size() - 1);  // the last one must be computed to sample the next one
    const uint32_t n_saved = this->n_saved(text.scope, ids, pages.windows());
    uint32_t n = pages.n_cached(slot);
    if (n < n_saved) {
        const auto has_now = read_all(text.scope, pages_of(ids, n_saved), pages, slot);
        if (!has_now) return has_now.error();
        n = *has_now;
        pages.take(slot, {text.scope, pages_of(ids, n)});
    }
    if (is_slow_ || !is_hit || n <= n_saved || n * kPageTokens < kLeastSavedTokens) return {};
    const auto prefix = pages_of(ids, n);
    Prefix unsaved{text.scope, {prefix.begin(), prefix.end()}};
    if (std::find(unsaved_.begin(), unsaved_.end(), unsaved) != unsaved_.end()) return {};
    if (unsaved_.size() == kMaxUnsavedPrefixes) unsaved_.pop_front();
    unsaved_.push_back(std::move(unsaved));
    return {};
}

uint32_t DiskPrefixCache::n_saved(const std::string& scope, std::span<const int32_t> ids, const WindowPages* windows) {
    const auto full = store_.use(KvPool::Full, scope, ids);
    auto n = static_cast<uint32_t>(std::find(full.begin(), full.end(), false) - full.begin());
    if (windows == nullptr) return n;
    const auto windowed = store_.use(KvPool::Window, scope, ids);
    const auto is_whole = [&](uint32_t border) {
        const auto end = windowed.begin() + border;
        return std::find(end - windows->behind_border(border), end, false) == end;
    };
    while (n > 0 && !is_whole(n)) --n;
    return n;
}

base::Result<bool> DiskPrefixCache::read(const std::string& scope, std::span<const int32_t> ids, compute::KvPage page) {
    const auto began = now_();
    if (began >= deadline_) return false;
    const auto bytes = std::span(page_).first(store_.page_bytes(page.pool));
    const bool has_read = store_.read(page.pool, scope, ids, bytes);
    if (!keeps_up(began) || !has_read) return false;
    if (auto written = backend_.write_page(page, bytes); !written) return written.error();
    return true;
}

base::Result<bool> DiskPrefixCache::read_windowed(const std::string& scope, std::span<const int32_t> ids,
                                                  WindowPages& windows, uint32_t slot) {
    const auto n = static_cast<uint32_t>(ids.size() / kPageTokens);
    auto borrowed = windows.borrow(n);
    if (!borrowed) return false;
    for (uint32_t i = 0; i < borrowed->size(); ++i) {
        const uint32_t n_before = n - static_cast<uint32_t>(borrowed->size()) + i;
        auto has_read = read(scope, pages_of(ids, n_before + 1), {(*borrowed)[i], KvPool::Window});
        if (has_read && *has_read) continue;
        windows.give_back(*borrowed);
        return has_read;
    }
    windows.replace(slot, n, *std::move(borrowed));
    return true;
}

base::Result<uint32_t> DiskPrefixCache::read_all(const std::string& scope, std::span<const int32_t> ids, KvPages& pages,
                                                 uint32_t slot) {
    deadline_ = now_() + kReadLimit;
    const uint32_t n_cached = pages.n_cached(slot);
    const auto n_saved = static_cast<uint32_t>(ids.size() / kPageTokens);
    for (uint32_t n = n_cached; n < n_saved; ++n) {
        const auto has_read = read(scope, pages_of(ids, n + 1), {pages.pages(slot)[n]});
        if (!has_read) return has_read.error();
        if (*has_read) continue;
        return pages.windows() == nullptr ? n : n_cached;
    }
    if (pages.windows() == nullptr) return n_saved;
    const auto has_read = read_windowed(scope, ids, *pages.windows(), slot);
    if (!has_read) return has_read.error();
    return *has_read ? n_saved : n_cached;
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
    const auto [pool, n] = next_unsaved(prefix, pages.windows());
    const auto chain = pages_of(prefix.ids, n);
    if (const auto page = n == 0 ? std::nullopt : pages.find(pool, {prefix.scope, chain})) {
        const auto bytes = std::span(page_).first(store_.page_bytes(pool));
        if (auto read = backend_.read_page({*page, pool}, bytes); !read) return read;
        const auto began = now_();
        const bool written = store_.write(pool, prefix.scope, chain, bytes);
        if (!keeps_up(began)) return {};
        const bool is_last =
            chain.size() == prefix.ids.size() && (pool == KvPool::Window || pages.windows() == nullptr);
        if (written && !is_last) return {};
    }
    unsaved_.pop_front();
    return {};
}

std::pair<KvPool, uint32_t> DiskPrefixCache::next_unsaved(const Prefix& prefix, const WindowPages* windows) {
    const auto n_pages = static_cast<uint32_t>(prefix.ids.size() / kPageTokens);
    const auto full = store_.use(KvPool::Full, prefix.scope, prefix.ids);
    const auto missing = static_cast<uint32_t>(std::find(full.begin(), full.end(), false) - full.begin());
    if (missing < n_pages) return {KvPool::Full, missing + 1};
    if (windows == nullptr) return {KvPool::Full, 0};
    const auto windowed = store_.use(KvPool::Window, prefix.scope, prefix.ids);
    const auto unseen = static_cast<std::ptrdiff_t>(n_pages - windows->behind_border(n_pages));
    const auto gap = std::find(windowed.begin() + unseen, windowed.end(), false);
    return {KvPool::Window, gap == windowed.end() ? 0 : static_cast<uint32_t>(gap - windowed.begin()) + 1};
}

}  // namespace llmd::generation
