// One device with its context and its in-order queue: buffers, programs, launches and transfers, with every status
// checked. Thread-bound.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/kernels/constants.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device.h"
#include "engine/compute/opencl/runtime/program_cache.h"

namespace llmd::compute {

inline constexpr size_t kMaxGridGroups = 65'535;    // larger grids are split by some drivers, refused by others
inline constexpr size_t kTransferBytes = 4u << 20;  // of one write: drivers keep a copy of what is in flight

// A buffer to be made; it is at least a word long, since an empty one cannot be.
struct Allocation {
    ClBuffer* buffer;
    std::string_view what;
    uint64_t bytes;
};

// kKernelConstants as macros.
std::string_view kernel_prelude();

// Half of 8 ms, which is half a frame and the most that a submission may take while the screen is on (nobody tells the
// engine whether it is): work-items differ, so an estimate may be wrong by half.
inline constexpr std::chrono::milliseconds kPlannedSubmission{4};
// The cost of a launch itself, in work-items.
inline constexpr uint64_t kLaunchItems = 2048;
// Steps of fewer launches say little about the cost of a work-item.
inline constexpr uint32_t kMinMeasuredLaunches = 16;
// A step that costs less than expected changes the estimate by this part of itself: steps of prefill, whose items cost
// several times more, come and go.
inline constexpr double kDecay = 1.0 / 16;

// Decides when to submit what is queued, so that no submission keeps the device busy for long: a phone's GPU cannot
// interrupt one, and the compositor waits behind it (an Adreno 630 drops frames). Launches are never timed on their
// own: the time of a whole step, divided by the work-items of its launches, predicts the next step's. It is a pure
// state machine; time is passed in.
class SubmitPacer {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    // Whether what is queued must be submitted before a launch of so many work-items is queued. Until a first step has
    // been measured, always.
    bool must_submit_before(uint64_t items) const;
    void on_launch(uint64_t items);
    // Everything queued has been handed to the device.
    void on_submit(TimePoint now);
    // A step ends here; on_step_done() will say when the device has computed it. Several may be in flight.
    void on_step_queued();
    // The oldest of them is done.
    void on_step_done(TimePoint now);
    // Everything is done, without on_step_queued().
    void on_all_done(TimePoint now);

private:
    struct Work {
        uint64_t items = 0;  // and kLaunchItems for each launch
        uint32_t launches = 0;
    };
    void measure(const Work& work, TimePoint now);

    double ns_per_item_ = 0;          // 0: unknown
    uint64_t queued_items_ = 0;       // since the last submission
    Work step_;                       // since the last on_step_queued()
    std::vector<Work> on_their_way_;  // steps that are queued and not done
    bool is_busy_ = false;            // something was submitted that is not known to be done
    TimePoint busy_since_{};          // or since the step before was done
};

class DeviceQueue {
public:
    static base::Result<DeviceQueue> open(const ClDevice& device, const OpenClOverrides& overrides);

    const DeviceLimits& limits() const { return limits_; }
    const OpenClDevice& names() const { return names_; }
    // Submits every launch on its own from now on: for drivers that do not order the launches of one submission.
    void submit_each_launch() { most_unsubmitted_ = 1; }
    // Submits launches before they add up to too long a submission from now on (SubmitPacer). It does nothing on a
    // CPU device, where nobody waits for the queue, and where nothing runs: a step's time is the host's own there.
    void pace_submissions() {
        pacer_ = {};
        paces_ = !limits_.is_cpu && !compile_only_;
    }
    // Launches are queued but never run (OpenClOverrides): there is nothing to check, and reads give zeros.
    bool compile_only() const { return compile_only_; }
    // Whether kernels are tested before they are used (OpenClOverrides).
    bool tries_kernels() const { return tries_kernels_; }
    // Platform, device and driver with their versions.
    const std::string& identity() const { return identity_; }
    const QueueCounts& counts() const { return counts_; }
    // The bytes that allocate() has given.
    uint64_t allocated_bytes() const { return allocated_bytes_; }

    // OutOfMemory names `what`, its size and the limit that it passes.
    base::Result<ClBuffer> allocate(std::string_view what, uint64_t bytes);
    base::Result<void> allocate(std::span<const Allocation> all);
    // The same for a buffer that is soon released: it is not counted.
    base::Result<ClBuffer> allocate_scratch(std::string_view what, uint64_t bytes) const;
    // Gives memory of the host for read_later(), in multiples of four bytes, which lives as long as the queue. A copy
    // into it does not keep the device from what is queued behind it (Quirk::CopiesHoldQueue).
    base::Result<std::span<uint32_t>> allocate_host(std::string_view what, size_t words);
    // A view of a buffer as an image1d_buffer of so many texels, at most limits().image_texels.
    base::Result<ClImage> image_of(const ClBuffer& buffer, const cl_image_format& format, uint64_t texels) const;
    // Builds kernel_prelude(), common.cl and `sources` with `options`, or takes what an earlier process built of the
    // same sources and options on this device with this driver (program_cache.h). DeviceError has the build log.
    base::Result<ClProgram> build(std::string_view name, std::initializer_list<std::string_view> sources,
                                  const std::string& options) const;

    // Copies at once: `bytes` may change after the call.
    base::Result<void> upload(const ClBuffer& to, uint64_t offset, std::span<const std::byte> bytes);
    // Queues a copy: `bytes` must stay as they are until it is done.
    base::Result<void> write(const ClBuffer& to, uint64_t offset, std::span<const std::byte> bytes);
    // Queues groups_x work-groups of group_items items, times groups_y. After an error nothing is left in the queue:
    // what launches were given may be released.
    base::Result<void> launch(const ClKernel& kernel, size_t groups_x, size_t groups_y,
                              size_t group_items = kGroupItems);
    // Queues a copy into `out`, which is there when the event is complete.
    base::Result<ClEvent> read_later(const ClBuffer& from, uint64_t offset, std::span<std::byte> out);
    // Gives an event that is complete when everything queued so far is.
    base::Result<ClEvent> mark();
    // Ends a step and hands it to the device. Each step needs one wait(), in the same order.
    base::Result<void> submit_step();
    // Blocks until the step's last event is complete. The error is that of the command which failed.
    base::Result<void> wait(const ClEvent& event);
    // Submits everything, waits for it and copies. After an error too nothing is left that uses what launches were
    // given.
    base::Result<void> read(const ClBuffer& from, uint64_t offset, std::span<std::byte> out);
    // Submits everything and waits for it.
    base::Result<void> finish();

private:
    // Hands everything queued to the device.
    base::Result<void> flush();
    base::Result<ClProgram> compile(std::string_view name, std::span<const std::string_view> sources,
                                    const std::string& options) const;
    ClProgram load(std::span<const std::byte> binary, const std::string& options) const;
    // A call that submits everything and waits for it.
    template <typename Call>
    base::Result<void> wait_for_all(const Call& call);

    cl_device_id device_ = nullptr;
    OpenClDevice names_;
    std::string identity_;
    ProgramCache programs_{{}};
    DeviceLimits limits_;
    ClContext context_;
    ClQueue queue_;
    std::vector<ClBuffer> pinned_;                // mapped, where the device has memory of its own
    std::vector<std::vector<uint32_t>> on_heap_;  // elsewhere
    uint64_t allocated_bytes_ = 0;
    QueueCounts counts_;
    SubmitPacer pacer_;
    uint32_t most_unsubmitted_ = 0;  // launches; 0: any number
    uint32_t unsubmitted_ = 0;
    bool paces_ = false;
    bool compile_only_ = false;
    bool tries_kernels_ = true;
};

base::Result<ClKernel> make_kernel(const ClProgram& program, const char* name);

// Sets the arguments of a kernel: its buffers and images, one by one in their order, and as the last all its numbers in
// theirs, as the members of one structure (Quirk::CountsArguments).
class Arguments {
public:
    using ThreeNumbers = std::array<uint32_t, 3>;

    explicit Arguments(const ClKernel& kernel) : kernel_(kernel) {}

    // Adds buffers, images, uint32_t, float and ThreeNumbers.
    template <typename... Args>
    Arguments& add(const Args&... args) {
        (add_one(args), ...);
        return *this;
    }
    // Sets the numbers; nothing is added behind. The error is that of the first argument that could not be set.
    base::Result<void> finish() {
        if (!numbers_.empty()) set(numbers_.size() * sizeof(uint32_t), numbers_.data());
        return result_;
    }

private:
    void add_one(const ClBuffer& buffer) {
        const cl_mem raw = buffer.get();
        set(sizeof(cl_mem), &raw);
    }
    void add_one(uint32_t value) { numbers_.push_back(value); }
    void add_one(float value) { add_one(std::bit_cast<uint32_t>(value)); }
    void add_one(const ThreeNumbers& values) { numbers_.insert(numbers_.end(), values.begin(), values.end()); }
    void set(size_t size, const void* value) {
        if (result_) {
            result_ = cl_check("clSetKernelArg", clSetKernelArg(kernel_.get(), index_, size, value),
                               base::concat("argument ", index_));
        }
        ++index_;
    }

    const ClKernel& kernel_;
    cl_uint index_ = 0;
    std::vector<uint32_t> numbers_;
    base::Result<void> result_;
};

template <typename... Args>
base::Result<void> set_args(const ClKernel& kernel, const Args&... args) {
    return Arguments(kernel).add(args...).finish();
}

// Runs a chain of launches, each reading what the one before wrote, in one submission. False when a launch saw old
// values (Quirk::LeavesOutBarriers).
base::Result<bool> launches_are_ordered(DeviceQueue& queue);

}  // namespace llmd::compute
