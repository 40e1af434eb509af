#include "engine/compute/opencl/runtime/device_queue.h"

#include <CL/cl_ext.h>
#include <algorithm>
#include <chrono>
#include <vector>

#include "engine/compute/opencl/runtime/quirks.h"
#include "kernel_sources.h"

namespace llmd::compute {
namespace {

using base::ErrorCode;
using base::Result;
using Clock = std::chrono::steady_clock;

// A log longer than this says nothing new.
constexpr size_t kMaxBuildLog = 2000;

// A submission's launches where Quirk::StartsLate is met: of 4, 8, 16 and 32 the fastest for GPT-2 124M on an H200.
constexpr uint32_t kStartedLaunches = 16;

std::string build_log(cl_program program, cl_device_id device) {
    size_t size = 0;
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS) return {};
    std::string log(size, '\0');
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) != CL_SUCCESS)
        return {};
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    if (log.size() > kMaxBuildLog) log.resize(kMaxBuildLog);
    std::replace(log.begin(), log.end(), '\n', ' ');  // an error message is one line
    return log;
}

// Empty when the driver has none to give.
std::vector<std::byte> binary_of(cl_program program) {
    size_t size = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS) return {};
    if (size == 0 || size > kMaxProgramBytes) return {};
    std::vector<std::byte> binary(size);
    auto* data = reinterpret_cast<unsigned char*>(binary.data());
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, nullptr) != CL_SUCCESS) return {};
    return binary;
}

// A queue of low priority, so that the display goes first. None when the driver does not keep its word.
ClQueue low_priority_queue(const ClDevice& device, const ClContext& context) {
    const auto create = reinterpret_cast<clCreateCommandQueueWithPropertiesKHR_fn>(
        clGetExtensionFunctionAddressForPlatform(device.platform, "clCreateCommandQueueWithPropertiesKHR"));
    if (create == nullptr) return {};
    const cl_queue_properties_khr properties[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, 0};
    cl_int status = CL_SUCCESS;
    ClQueue queue(create(context.get(), device.id, properties, &status));
    return status == CL_SUCCESS ? std::move(queue) : ClQueue();
}

}  // namespace

bool SubmitPacer::must_submit_before(uint64_t items) const {
    if (queued_items_ == 0) return false;
    const auto all = static_cast<double>(queued_items_ + kLaunchItems + items);
    constexpr double kPlannedNs = std::chrono::nanoseconds(kPlannedSubmission).count();
    return ns_per_item_ == 0 || all * ns_per_item_ > kPlannedNs;
}

void SubmitPacer::on_launch(uint64_t items) {
    queued_items_ += kLaunchItems + items;
    step_.items += kLaunchItems + items;
    ++step_.launches;
}

void SubmitPacer::on_submit(TimePoint now) {
    queued_items_ = 0;
    if (!is_busy_) busy_since_ = now;
    is_busy_ = true;
}

void SubmitPacer::on_step_queued() {
    on_their_way_.push_back(step_);
    step_ = {};
}

void SubmitPacer::on_step_done(TimePoint now) {
    if (on_their_way_.empty()) return;
    measure(on_their_way_.front(), now);
    on_their_way_.erase(on_their_way_.begin());  // two at most; a deque would allocate now and then
    is_busy_ = !on_their_way_.empty();
    busy_since_ = now;
}

void SubmitPacer::on_all_done(TimePoint now) {
    for (const Work& work : on_their_way_) {
        step_.items += work.items;
        step_.launches += work.launches;
    }
    on_their_way_.clear();
    measure(step_, now);
    step_ = {};
    is_busy_ = false;
}

void SubmitPacer::measure(const Work& work, TimePoint now) {
    if (work.launches < kMinMeasuredLaunches || !is_busy_) return;
    const double ns = std::chrono::duration<double, std::nano>(now - busy_since_).count();
    const double measured = ns / static_cast<double>(work.items);
    ns_per_item_ = measured > ns_per_item_ ? measured : ns_per_item_ + (measured - ns_per_item_) * kDecay;
}

Result<DeviceQueue> DeviceQueue::open(const ClDevice& device, const OpenClOverrides& overrides) {
    DeviceQueue opened;
    opened.device_ = device.id;
    opened.names_ = device.names;
    if (has_quirk(Quirk::StartsLate, device.names)) opened.most_unsubmitted_ = kStartedLaunches;
    auto limits = query_limits(device.id);
    if (!limits) return limits.error();
    opened.limits_ = *limits;
    auto identity = device_identity(device);
    if (!identity) return identity.error();
    opened.identity_ = std::move(*identity);
    opened.programs_ = ProgramCache(user_cache_directory("kernels"));
    if (overrides.max_buffer_bytes != 0) {
        opened.limits_.max_buffer_bytes = std::min(limits->max_buffer_bytes, overrides.max_buffer_bytes);
    }
    if (overrides.max_group_items != 0) {
        opened.limits_.group_items = std::min(limits->group_items, overrides.max_group_items);
    }
    if (overrides.use_gpu_kernels) opened.limits_.is_cpu = false;
    opened.compile_only_ = overrides.compile_only;
    opened.tries_kernels_ = !overrides.compile_only && !overrides.untried;
    cl_int status = CL_SUCCESS;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(device.platform), 0};
    opened.context_ = ClContext(clCreateContext(properties, 1, &device.id, nullptr, nullptr, &status));
    if (auto ok = cl_check("clCreateContext", status, device.names.name); !ok) return ok.error();
    if (opened.limits_.has_priorities) opened.queue_ = low_priority_queue(device, opened.context_);
    if (!opened.queue_) {
        opened.queue_ = ClQueue(clCreateCommandQueue(opened.context_.get(), device.id, 0, &status));
        if (auto ok = cl_check("clCreateCommandQueue", status, device.names.name); !ok) return ok.error();
    }
    return opened;
}

Result<ClBuffer> DeviceQueue::allocate(std::string_view what, uint64_t bytes) {
    auto buffer = allocate_scratch(what, bytes);
    if (buffer) allocated_bytes_ += bytes;
    return buffer;
}

Result<void> DeviceQueue::allocate(std::span<const Allocation> all) {
    for (const Allocation& one : all) {
        auto buffer = allocate(one.what, std::max<uint64_t>(one.bytes, sizeof(uint32_t)));
        if (!buffer) return buffer.error();
        *one.buffer = std::move(*buffer);
    }
    return {};
}

Result<ClBuffer> DeviceQueue::allocate_scratch(std::string_view what, uint64_t bytes) const {
    if (bytes > limits_.max_buffer_bytes) {
        return base::fail(ErrorCode::OutOfMemory, what, " needs ", bytes,
                          " bytes in one piece; the device gives at most ", limits_.max_buffer_bytes);
    }
    if (bytes > limits_.memory_bytes - std::min(allocated_bytes_, limits_.memory_bytes)) {
        return base::fail(ErrorCode::OutOfMemory, what, " needs ", bytes, " bytes; ", allocated_bytes_,
                          " of the device's ", limits_.memory_bytes, " are taken");
    }
    cl_int status = CL_SUCCESS;
    ClBuffer buffer(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, bytes, nullptr, &status));
    if (auto ok = cl_check("clCreateBuffer", status, base::concat(bytes, " bytes for ", what)); !ok) return ok.error();
    return buffer;
}

Result<std::span<uint32_t>> DeviceQueue::allocate_host(std::string_view what, size_t words) {
    if (!limits_.has_own_memory || compile_only_) return std::span(on_heap_.emplace_back(words));
    const size_t bytes = words * sizeof(uint32_t);
    cl_int status = CL_SUCCESS;
    ClBuffer buffer(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &status));
    if (auto ok = cl_check("clCreateBuffer", status, base::concat(bytes, " bytes for ", what)); !ok) return ok.error();
    void* mapped = clEnqueueMapBuffer(queue_.get(), buffer.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                      nullptr, nullptr, &status);
    if (auto ok = cl_check("clEnqueueMapBuffer", status, what); !ok) return ok.error();
    pinned_.push_back(std::move(buffer));
    return std::span(static_cast<uint32_t*>(mapped), words);
}

Result<ClImage> DeviceQueue::image_of(const ClBuffer& buffer, const cl_image_format& format, uint64_t texels) const {
    cl_image_desc shape = {};
    shape.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    shape.image_width = texels;
    shape.buffer = buffer.get();
    cl_int status = CL_SUCCESS;
    ClImage image(clCreateImage(context_.get(), CL_MEM_READ_ONLY, &format, &shape, nullptr, &status));
    if (auto ok = cl_check("clCreateImage", status, base::concat(texels, " texels")); !ok) return ok.error();
    return image;
}

std::string_view kernel_prelude() {
    static const std::string kText = [] {
        std::string text;
        for (const auto& [macro, value] : kKernelConstants) text += base::concat("#define ", macro, " ", value, "\n");
        return text;
    }();
    return kText;
}

Result<ClProgram> DeviceQueue::build(std::string_view name, std::initializer_list<std::string_view> sources,
                                     const std::string& options) const {
    const std::string all_options = base::concat("-cl-std=CL1.2 ", options);
    std::vector<std::string_view> parts = {identity_, all_options, kernel_prelude(), kernels::kCommonCl};
    parts.insert(parts.end(), sources);
    const uint64_t key = program_key(parts);
    if (const auto binary = programs_.take(key)) {
        if (ClProgram program = load(*binary, all_options)) {
            programs_.put_back(key);
            return program;
        }
    }
    auto program = compile(name, std::span(parts).subspan(2), all_options);
    if (program) programs_.keep(key, binary_of(program->get()));
    return program;
}

Result<ClProgram> DeviceQueue::compile(std::string_view name, std::span<const std::string_view> sources,
                                       const std::string& options) const {
    std::vector<const char*> texts;
    std::vector<size_t> lengths;
    for (const std::string_view source : sources) {
        texts.push_back(source.data());
        lengths.push_back(source.size());
    }
    cl_int status = CL_SUCCESS;
    ClProgram program(clCreateProgramWithSource(context_.get(), static_cast<cl_uint>(texts.size()), texts.data(),
                                                lengths.data(), &status));
    if (auto ok = cl_check("clCreateProgramWithSource", status, name); !ok) return ok.error();
    status = clBuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
    if (status != CL_SUCCESS) {
        return cl_failure("clBuildProgram", status,
                          base::concat(name, " (", options, "): ", build_log(program.get(), device_)));
    }
    return program;
}

ClProgram DeviceQueue::load(std::span<const std::byte> binary, const std::string& options) const {
    const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
    const size_t size = binary.size();
    cl_int status = CL_SUCCESS;
    ClProgram program(clCreateProgramWithBinary(context_.get(), 1, &device_, &size, &data, nullptr, &status));
    if (status != CL_SUCCESS) return {};
    status = clBuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
    return status == CL_SUCCESS ? std::move(program) : ClProgram();
}

Result<void> DeviceQueue::upload(const ClBuffer& to, uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const std::span<const std::byte> chunk = bytes.first(std::min(bytes.size(), kTransferBytes));
        const cl_int status = clEnqueueWriteBuffer(queue_.get(), to.get(), CL_TRUE, offset, chunk.size(), chunk.data(),
                                                   0, nullptr, nullptr);
        if (auto ok = cl_check("clEnqueueWriteBuffer", status, base::concat(chunk.size(), " bytes")); !ok) return ok;
        offset += chunk.size();
        bytes = bytes.subspan(chunk.size());
    }
    return {};
}

Result<void> DeviceQueue::write(const ClBuffer& to, uint64_t offset, std::span<const std::byte> bytes) {
    return cl_check("clEnqueueWriteBuffer", clEnqueueWriteBuffer(queue_.get(), to.get(), CL_FALSE, offset, bytes.size(),
                                                                 bytes.data(), 0, nullptr, nullptr));
}

Result<void> DeviceQueue::launch(const ClKernel& kernel, size_t groups_x, size_t groups_y, size_t group_items) {
    const size_t global[] = {groups_x * group_items, groups_y};
    const size_t local[] = {group_items, 1};
    const uint64_t items = uint64_t{global[0]} * global[1];
    Result<void> result;
    if (paces_ && pacer_.must_submit_before(items)) result = flush();
    if (result) {
        result = cl_check("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(queue_.get(), kernel.get(), 2, nullptr,
                                                                           global, local, 0, nullptr, nullptr));
    }
    if (result) {
        ++counts_.launches;
        pacer_.on_launch(items);
        if (++unsubmitted_ == most_unsubmitted_) result = flush();
    }
    if (!result) static_cast<void>(finish());
    return result;
}

Result<void> DeviceQueue::read(const ClBuffer& from, uint64_t offset, std::span<std::byte> out) {
    if (compile_only_) {
        std::fill(out.begin(), out.end(), std::byte{0});
        return finish();
    }
    auto result = wait_for_all([&] {
        return cl_check("clEnqueueReadBuffer", clEnqueueReadBuffer(queue_.get(), from.get(), CL_TRUE, offset,
                                                                   out.size(), out.data(), 0, nullptr, nullptr));
    });
    // Quirk::ReleasesImage.
    if (!result) static_cast<void>(finish());
    return result;
}

Result<ClEvent> DeviceQueue::read_later(const ClBuffer& from, uint64_t offset, std::span<std::byte> out) {
    if (compile_only_) {
        std::fill(out.begin(), out.end(), std::byte{0});
        return mark();
    }
    cl_event event = nullptr;
    const cl_int status =
        clEnqueueReadBuffer(queue_.get(), from.get(), CL_FALSE, offset, out.size(), out.data(), 0, nullptr, &event);
    if (auto ok = cl_check("clEnqueueReadBuffer", status); !ok) return ok.error();
    return ClEvent(event);
}

Result<ClEvent> DeviceQueue::mark() {
    cl_event event = nullptr;
    const cl_int status = clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &event);
    if (auto ok = cl_check("clEnqueueMarkerWithWaitList", status); !ok) return ok.error();
    return ClEvent(event);
}

Result<void> DeviceQueue::submit_step() {
    pacer_.on_step_queued();
    return flush();
}

Result<void> DeviceQueue::flush() {
    ++counts_.submissions;
    unsubmitted_ = 0;
    pacer_.on_submit(Clock::now());
    return cl_check("clFlush", clFlush(queue_.get()));
}

Result<void> DeviceQueue::wait(const ClEvent& event) {
    const cl_event raw = event.get();
    const cl_int status = clWaitForEvents(1, &raw);
    cl_int of_command = status;
    if (status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
        clGetEventInfo(raw, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof of_command, &of_command, nullptr);
    }
    pacer_.on_step_done(Clock::now());
    return cl_check("clWaitForEvents", of_command);
}

Result<void> DeviceQueue::finish() {
    return wait_for_all([&] { return cl_check("clFinish", clFinish(queue_.get())); });
}

template <typename Call>
Result<void> DeviceQueue::wait_for_all(const Call& call) {
    ++counts_.submissions;
    unsubmitted_ = 0;
    pacer_.on_submit(Clock::now());
    auto result = call();
    pacer_.on_all_done(Clock::now());
    return result;
}

Result<ClKernel> make_kernel(const ClProgram& program, const char* name) {
    cl_int status = CL_SUCCESS;
    ClKernel kernel(clCreateKernel(program.get(), name, &status));
    if (auto ok = cl_check("clCreateKernel", status, name); !ok) return ok.error();
    return kernel;
}

namespace {

constexpr uint32_t kChainSize = 16 * 1024;
constexpr uint32_t kChainLinks = 32;  // even: the result is in the first buffer

}  // namespace

Result<bool> launches_are_ordered(DeviceQueue& queue) {
    auto program = queue.build("chain", {kernels::kProbesCl}, base::concat("-DPROBE_CHAIN -DCHAIN_SIZE=", kChainSize));
    if (!program) return program.error();
    std::vector<uint32_t> values(kChainSize, 0);
    ClBuffer buffers[2];
    ClKernel kernels[2];
    for (int i = 0; i < 2; ++i) {
        auto buffer = queue.allocate_scratch("the self-test", kChainSize * sizeof(uint32_t));
        if (!buffer) return buffer.error();
        buffers[i] = std::move(*buffer);
        if (auto ok = queue.upload(buffers[i], 0, std::as_bytes(std::span(values))); !ok) return ok.error();
        auto kernel = make_kernel(*program, "chain");
        if (!kernel) return kernel.error();
        kernels[i] = std::move(*kernel);
    }
    for (int i = 0; i < 2; ++i) {
        if (auto ok = set_args(kernels[i], buffers[i], buffers[1 - i]); !ok) return ok.error();
    }
    for (uint32_t link = 0; link < kChainLinks; ++link) {
        if (auto ok = queue.launch(kernels[link % 2], kChainSize / kGroupItems, 1); !ok) return ok.error();
    }
    if (auto ok = queue.read(buffers[0], 0, std::as_writable_bytes(std::span(values))); !ok) return ok.error();
    return std::all_of(values.begin(), values.end(), [](uint32_t v) { return v == kChainLinks; });
}

}  // namespace llmd::compute
