#include "engine/compute/cpu/worker_pool.h"

#include <algorithm>
#include <system_error>

namespace llmd::compute {
namespace {

constexpr uint32_t kSpins = 1500;  // 20-60 microseconds of pauses, more than the gap between two loops of one token

void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");  // a few tens of cycles; `yield` does nothing on most cores
#else
    std::this_thread::yield();
#endif
}

constexpr uint64_t range_of(uint32_t begin, uint32_t end) {
    return uint64_t{begin} << 32 | end;
}
constexpr uint32_t begin_of(uint64_t items) {
    return static_cast<uint32_t>(items >> 32);
}
constexpr uint32_t end_of(uint64_t items) {
    return static_cast<uint32_t>(items);
}

}  // namespace

base::Result<std::unique_ptr<WorkerPool>> WorkerPool::create(uint32_t n_threads) {
    std::unique_ptr<WorkerPool> pool(new WorkerPool);
    pool->threads_.reserve(kMaxThreads);
    pool->ranges_ = std::vector<Range>(std::max(n_threads, 1u));
    for (uint32_t worker = 1; worker < n_threads; ++worker) {
        try {  // std::thread reports a refused thread in no other way
            pool->threads_.emplace_back(&WorkerPool::worker_loop, pool.get(), worker);
        } catch (const std::system_error& error) {
            return base::fail_errno(base::ErrorCode::Failed, base::concat("starting worker thread ", worker),
                                    error.code().value());
        }
    }
    return pool;
}

WorkerPool::~WorkerPool() {
    stopping_.store(true, std::memory_order_relaxed);
    loop_.fetch_add(1, std::memory_order_release);
    loop_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run_shared(uint32_t n_items, uint32_t most, Invoke invoke, const void* body) {
    // All ranges are empty: nobody can take anything before they are filled.
    invoke_.store(invoke, std::memory_order_relaxed);
    body_.store(body, std::memory_order_relaxed);
    most_.store(most, std::memory_order_relaxed);
    n_pending_.store(n_items, std::memory_order_relaxed);
    const uint32_t n = n_threads();
    for (uint32_t worker = 0; worker < n; ++worker) {
        const auto bound = [&](uint32_t w) { return static_cast<uint32_t>(uint64_t{n_items} * w / n); };
        ranges_[worker].items.store(range_of(bound(worker), bound(worker + 1)), std::memory_order_release);
    }
    loop_.fetch_add(1, std::memory_order_release);
    loop_.notify_all();

    work(0);
    for (uint32_t spins = 0;; ++spins) {
        const uint32_t pending = n_pending_.load(std::memory_order_acquire);
        if (pending == 0) return;
        if (spins < kSpins) {
            relax();
        } else {
            n_pending_.wait(pending, std::memory_order_acquire);
        }
    }
}

void WorkerPool::work(uint32_t worker) {
    uint32_t n_done = 0;
    for (uint32_t i = 0; i < ranges_.size(); ++i) {
        const size_t owner = (worker + i) % ranges_.size();
        while (const uint32_t n = run_some(ranges_[owner].items, i == 0, worker)) n_done += n;
    }
    if (n_done > 0 && n_pending_.fetch_sub(n_done, std::memory_order_acq_rel) == n_done) n_pending_.notify_one();
}

uint32_t WorkerPool::run_some(std::atomic<uint64_t>& range, bool is_own, uint32_t worker) {
    // A quarter of what is left at a time: few claims, and the others find enough to take.
    constexpr uint32_t kShare = 4;
    uint64_t items = range.load(std::memory_order_acquire);
    uint32_t n = 0, first = 0;
    do {
        const uint32_t begin = begin_of(items), end = end_of(items);
        if (begin == end) return 0;
        n = std::max((end - begin) / kShare, 1u);
        first = is_own ? begin : end - n;
    } while (!range.compare_exchange_weak(
        items, is_own ? range_of(first + n, end_of(items)) : range_of(begin_of(items), first),
        std::memory_order_acq_rel, std::memory_order_acquire));
    const Invoke invoke = invoke_.load(std::memory_order_relaxed);
    const void* body = body_.load(std::memory_order_relaxed);
    const uint32_t most = most_.load(std::memory_order_relaxed);
    for (uint32_t done = 0; done < n; done += most) invoke(body, first + done, std::min(most, n - done), worker);
    return n;
}

void WorkerPool::worker_loop(uint32_t worker) {
    uint32_t seen = 0;
    for (;;) {
        uint32_t now = loop_.load(std::memory_order_acquire);
        for (uint32_t spins = 0; now == seen && spins < kSpins; ++spins) {
            relax();
            now = loop_.load(std::memory_order_acquire);
        }
        if (now == seen) {
            loop_.wait(seen, std::memory_order_acquire);
            continue;
        }
        seen = now;
        if (stopping_.load(std::memory_order_relaxed)) return;
        work(worker);
    }
}

}  // namespace llmd::compute
