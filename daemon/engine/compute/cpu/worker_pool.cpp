#include "engine/compute/cpu/worker_pool.h"

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

}  // namespace

base::Result<std::unique_ptr<WorkerPool>> WorkerPool::create(uint32_t n_threads) {
    std::unique_ptr<WorkerPool> pool(new WorkerPool);
    pool->threads_.reserve(kMaxThreads);
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

void WorkerPool::run_shared(uint32_t n_items, Invoke invoke, const void* body) {
    // The old ticket has no unclaimed item left: nobody can claim with it what is written here.
    invoke_.store(invoke, std::memory_order_relaxed);
    body_.store(body, std::memory_order_relaxed);
    n_pending_.store(n_items, std::memory_order_relaxed);
    const uint64_t number = (ticket_.load(std::memory_order_relaxed) >> 32) + 1;
    ticket_.store(number << 32 | n_items, std::memory_order_release);
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
    uint64_t ticket = ticket_.load(std::memory_order_acquire);
    for (;;) {
        const Invoke invoke = invoke_.load(std::memory_order_relaxed);
        const void* body = body_.load(std::memory_order_relaxed);
        const auto unclaimed = static_cast<uint32_t>(ticket);
        if (unclaimed == 0) return;
        // Success means that this loop still had an unclaimed item, so run_shared() cannot have returned and the two
        // values above are this loop's; the release half keeps their loads before the claim.
        if (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
            continue;
        }
        invoke(body, unclaimed - 1, worker);
        if (n_pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) n_pending_.notify_one();
        ticket = ticket_.load(std::memory_order_acquire);
    }
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
