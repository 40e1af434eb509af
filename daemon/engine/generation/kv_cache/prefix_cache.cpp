#include "engine/generation/kv_cache/prefix_cache.h"

#include <algorithm>

namespace llmd::generation {

using compute::kPageTokens;

std::vector<uint32_t> PrefixCache::find(const std::string& scope, std::span<const int32_t> ids) const {
    std::vector<uint32_t> chain;
    const auto top = scopes_.find(scope);
    const Children* children = top == scopes_.end() ? nullptr : &top->second;
    Ids key;
    for (; children != nullptr && ids.size() >= kPageTokens; ids = ids.subspan(kPageTokens)) {
        std::copy_n(ids.begin(), kPageTokens, key.begin());
        const auto found = children->find(key);
        if (found == children->end()) break;
        chain.push_back(found->second);
        children = &entries_[found->second].children;
    }
    return chain;
}

uint32_t PrefixCache::enter(const std::string& scope, std::optional<uint32_t> parent,
                            std::span<const int32_t, kPageTokens> ids, uint32_t page) {
    Ids key;
    std::copy(ids.begin(), ids.end(), key.begin());
    Children& children = parent ? entries_[*parent].children : scopes_[scope];
    const auto [self, is_new] = children.emplace(key, page);
    if (!is_new) {
        hold(self->second);
        return self->second;
    }
    Entry& entry = entries_[page];
    entry.siblings = &children;
    entry.self = self;
    entry.parent = parent;
    entry.n_holders = 1;
    ++n_pages_;
    return page;
}

void PrefixCache::hold(uint32_t page) {
    Entry& entry = entries_[page];
    if (entry.n_holders++ > 0) return;
    --n_idle_;
    idle_leaves_.erase({entry.last_used, page});
}

bool PrefixCache::release(uint32_t page) {
    Entry& entry = entries_[page];
    if (--entry.n_holders > 0) return false;
    if (!contains(page)) return true;
    ++n_idle_;
    entry.last_used = ++now_;
    if (entry.children.empty()) idle_leaves_.emplace(entry.last_used, page);
    return false;
}

std::optional<uint32_t> PrefixCache::evict() {
    if (idle_leaves_.empty()) return std::nullopt;
    const uint32_t page = idle_leaves_.begin()->second;
    remove(page);
    return page;
}

std::vector<uint32_t> PrefixCache::forget(uint32_t page) {
    std::vector<uint32_t> below = {page};
    for (size_t i = 0; i < below.size(); ++i) {
        for (const auto& [ids, child] : entries_[below[i]].children) below.push_back(child);
    }
    for (auto it = below.rbegin(); it != below.rend(); ++it) remove(*it);
    return below;
}

void PrefixCache::remove(uint32_t page) {
    Entry& entry = entries_[page];
    if (entry.n_holders == 0) {
        --n_idle_;
        idle_leaves_.erase({entry.last_used, page});
    }
    entry.siblings->erase(entry.self);
    if (entry.parent) {
        const Entry& parent = entries_[*entry.parent];
        if (is_idle_leaf(parent)) idle_leaves_.emplace(parent.last_used, *entry.parent);
    } else if (entry.siblings->empty()) {
        std::erase_if(scopes_, [](const auto& scope) { return scope.second.empty(); });
    }
    entry = {.n_holders = entry.n_holders};
    --n_pages_;
}

}  // namespace llmd::generation
