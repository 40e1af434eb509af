// Persistent threads that share one loop's iterations. Workers take the next item from an atomic counter, so fast and
// slow cores both stay busy to the end; the calling thread works too. A worker that runs out spins for some tens of
// microseconds (the next loop of the same token comes sooner than a wake-up takes), then sleeps: idle costs nothing.
//
// Thread-bound: create, run() and destroy on one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/result.h"

namespace llmd::compute {

inline constexpr uint32_t kMaxThreads = 256;  // more than any phone or desktop has

class WorkerPool {
public:
    // n_threads counts the calling thread: 1 starts none. Failed when the system refuses a thread.
    static base::Result<std::unique_ptr<WorkerPool>> create(uint32_t n_threads);

    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;
    ~WorkerPool();

    uint32_t n_threads() const { return static_cast<uint32_t>(threads_.size()) + 1; }

    // Calls body(item, worker) once for every item in [0, n_items), in any order and on any thread, and returns when
    // all have returned. `worker` < n_threads() names the thread, for scratch memory. body may not call run().
    template <typename Body>
    void run(uint32_t n_items, const Body& body) {
        if (n_items <= 1 || threads_.empty()) {
            for (uint32_t item = 0; item < n_items; ++item) body(item, 0u);
            return;
        }
        run_shared(
            n_items, [](const void* b, uint32_t item, uint32_t w) { (*static_cast<const Body*>(b))(item, w); }, &body);
    }

private:
    using Invoke = void (*)(const void* body, uint32_t item, uint32_t worker);

    WorkerPool() = default;
    void run_shared(uint32_t n_items, Invoke invoke, const void* body);
    void work(uint32_t worker);
    void worker_loop(uint32_t worker);

    // The loop being shared. A late worker may still look at it while the next one is written, hence atomics; what it
    // read counts only if it then claims an item of the loop number that it saw before (work()).
    std::atomic<Invoke> invoke_ = nullptr;
    std::atomic<const void*> body_ = nullptr;

    // Claiming takes one from the count, so an exhausted loop can never be mistaken for the next.
    alignas(64) std::atomic<uint64_t> ticket_ = 0;     // loop number << 32 | items that nobody has claimed
    alignas(64) std::atomic<uint32_t> n_pending_ = 0;  // items that have not returned
    alignas(64) std::atomic<uint32_t> loop_ = 0;       // what sleeping workers wait on; changes with every loop
    std::atomic<bool> stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace llmd::compute
