// Persistent threads that share one loop's iterations. Each worker has an ascending range of items of its own, so that
// it reads weights in the order in which the hardware fetches ahead; one that runs out takes from the end of another's,
// so fast and slow cores both stay busy to the end. The calling thread works too. A worker without work spins for some
// tens of microseconds (the next loop of the same token comes sooner than a wake-up takes), then sleeps: idle costs
// nothing.
//
// Thread-bound: create, run() and destroy on one thread.
#pragma once

#include <algorithm>
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

    uint32_t n_threads() const { return static_cast<uint32_t>(ranges_.size()); }

    // Calls body(item, worker) once for every item in [0, n_items), in any order and on any thread, and returns when
    // all have returned. `worker` < n_threads() names the thread, for scratch memory. body may not call run().
    template <typename Body>
    void run(uint32_t n_items, const Body& body) {
        run_ranges(n_items, 1, [&body](uint32_t first, uint32_t n, uint32_t worker) {
            for (uint32_t item = first; item < first + n; ++item) body(item, worker);
        });
    }

    // The same by ranges: body(first, n, worker) for 1 <= n <= max(most, 1) items at a time.
    template <typename Body>
    void run_ranges(uint32_t n_items, uint32_t most, const Body& body) {
        most = std::max(most, 1u);
        if (threads_.empty() || n_items <= 1) {
            for (uint32_t item = 0; item < n_items; item += most) body(item, std::min(most, n_items - item), 0u);
            return;
        }
        run_shared(
            n_items, most,
            [](const void* b, uint32_t first, uint32_t n, uint32_t w) { (*static_cast<const Body*>(b))(first, n, w); },
            &body);
    }

private:
    using Invoke = void (*)(const void* body, uint32_t first, uint32_t n, uint32_t worker);
    // Items [begin, end) that a worker has not begun: begin << 32 | end. Its worker takes from the beginning, all
    // others from the end. Only run_shared() fills it, when all are empty: who still looks for work then may take what
    // is filled already, and nothing that is taken ever returns into a range.
    struct alignas(64) Range {
        std::atomic<uint64_t> items = 0;
    };

    WorkerPool() = default;
    void run_shared(uint32_t n_items, uint32_t most, Invoke invoke, const void* body);
    void work(uint32_t worker);
    // Takes some of the range and runs them; how many, 0: it is empty.
    uint32_t run_some(std::atomic<uint64_t>& range, bool is_own, uint32_t worker);
    void worker_loop(uint32_t worker);

    // The loop being shared. A late worker may come to it while the next one is written, hence atomics; it reads them
    // only after it has taken an item, and a loop of which an item is taken is not over.
    std::atomic<Invoke> invoke_ = nullptr;
    std::atomic<const void*> body_ = nullptr;
    std::atomic<uint32_t> most_ = 1;

    std::vector<Range> ranges_;                        // one a worker
    alignas(64) std::atomic<uint32_t> n_pending_ = 0;  // items that have not returned
    alignas(64) std::atomic<uint32_t> loop_ = 0;       // what sleeping workers wait on; changes with every loop
    std::atomic<bool> stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace llmd::compute
