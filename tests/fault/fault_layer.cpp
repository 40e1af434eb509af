// An OpenCL layer for tests (OPENCL_LAYERS=…/libllmd_fault_layer.so; ocl-icd from 2.3 on and the Khronos loader take
// it): counts the calls, makes chosen ones fail, late or fatal, hides features of the devices, and counts the objects
// that are not released. fault_control.h says how; without LLMD_FAULT_CONTROL every call passes.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "fault/fault_control.h"

namespace llmd::test {
namespace {

// The loader gives a layer no argument of its own, so these cannot be members of anything.
const cl_icd_dispatch* target = nullptr;
cl_icd_dispatch layer;
FaultControl* control = nullptr;

bool hides(HiddenFeature feature) {
    return control != nullptr && (control->hidden & feature) != 0;
}

void count_objects(int64_t change) {
    if (control != nullptr) std::atomic_ref(control->live_objects) += change;
}

// Counts a call; the status that it must return without being made, or CL_SUCCESS.
cl_int meet_fault(const char* function) {
    if (control == nullptr) return CL_SUCCESS;
    if (control->function[0] != '\0' && std::strcmp(control->function, function) != 0) return CL_SUCCESS;
    const uint64_t call = ++std::atomic_ref(control->calls);
    if (call < control->first_fault || call > control->last_fault) return CL_SUCCESS;
    std::strncpy(control->last_call, function, sizeof control->last_call - 1);
    switch (control->action) {
        case FaultAction::Fail:
            return control->status;
        case FaultAction::Delay:
            std::this_thread::sleep_for(std::chrono::milliseconds(control->delay_ms));
            break;
        case FaultAction::Abort:
            std::abort();
        case FaultAction::Panic:
            std::thread([] { std::abort(); }).join();
    }
    return CL_SUCCESS;
}

template <size_t kSize>
struct Name {
    constexpr Name(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text); }
    char text[kSize] = {};
};

// One entry of the dispatch table. Functions return a status, or an object with the status in their last argument;
// those that enqueue may give an event in their last argument.
template <Name kName, auto kEntry>
struct Intercepted;

template <Name kName, typename Returned, typename... Args, Returned (*cl_icd_dispatch::*kEntry)(Args...)>
struct Intercepted<kName, kEntry> {
    static Returned CL_API_CALL call(Args... args) {
        const cl_int fault = meet_fault(kName.text);
        const auto last = std::get<sizeof...(Args) - 1>(std::tuple<Args...>(args...));
        if constexpr (std::is_same_v<Returned, cl_int>) {
            if (fault != CL_SUCCESS) return fault;
            const cl_int status = (target->*kEntry)(args...);
            if constexpr (std::is_same_v<decltype(last), cl_event* const>) {
                if (status == CL_SUCCESS && last != nullptr) count_objects(1);
            }
            return status;
        } else {
            if (fault != CL_SUCCESS) {
                if (last != nullptr) *last = fault;
                return nullptr;
            }
            const Returned object = (target->*kEntry)(args...);
            if (object != nullptr) count_objects(1);
            return object;
        }
    }
};

// An entry that retains or releases: never fails, since nobody could do anything about it.
template <auto kEntry, int kChange>
struct Reference;

template <typename Object, cl_int (*cl_icd_dispatch::*kEntry)(Object), int kChange>
struct Reference<kEntry, kChange> {
    static cl_int CL_API_CALL call(Object object) {
        count_objects(kChange);
        return (target->*kEntry)(object);
    }
};

#define INTERCEPTED(name) Intercepted<#name, &cl_icd_dispatch::name>::call

// An answer in the way of all clGet…Info functions.
cl_int answer(const void* value, size_t bytes, size_t size, void* out, size_t* size_ret) {
    if (size_ret != nullptr) *size_ret = bytes;
    if (out == nullptr) return CL_SUCCESS;
    if (size < bytes) return CL_INVALID_VALUE;
    std::memcpy(out, value, bytes);
    return CL_SUCCESS;
}

template <typename T>
cl_int answer_at_most(T limit, cl_device_id device, cl_device_info name, size_t size, void* out, size_t* size_ret) {
    T value{};
    const cl_int status = target->clGetDeviceInfo(device, name, sizeof value, &value, nullptr);
    if (status != CL_SUCCESS) return status;
    value = std::min(value, limit);
    return answer(&value, sizeof value, size, out, size_ret);
}

cl_int answer_extensions(cl_device_id device, size_t size, void* out, size_t* size_ret) {
    size_t length = 0;
    cl_int status = target->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, nullptr, &length);
    std::string names(length, '\0');
    if (status == CL_SUCCESS) {
        status = target->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, length, names.data(), nullptr);
    }
    if (status != CL_SUCCESS) return status;
    names.resize(std::strlen(names.c_str()));
    if (const size_t at = names.find("cl_khr_fp16"); hides(kHideFp16) && at != std::string::npos) {
        names.erase(at, std::strlen("cl_khr_fp16"));
    }
    if (hides(kOfferPriorities)) names += " cl_khr_create_command_queue cl_khr_priority_hints";
    return answer(names.c_str(), names.size() + 1, size, out, size_ret);
}

cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info name, size_t size, void* out,
                                     size_t* size_ret) {
    if (name != CL_PLATFORM_NAME || !hides(kPassForRusticl)) {
        return INTERCEPTED(clGetPlatformInfo)(platform, name, size, out, size_ret);
    }
    if (const cl_int fault = meet_fault("clGetPlatformInfo"); fault != CL_SUCCESS) return fault;
    constexpr char kName[] = "rusticl (Portable Computing Language)";
    return answer(kName, sizeof kName, size, out, size_ret);
}

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info name, size_t size, void* out, size_t* size_ret) {
    if (const cl_int fault = meet_fault("clGetDeviceInfo"); fault != CL_SUCCESS) return fault;
    if (name == CL_DEVICE_TYPE && hides(kHideCpuType)) {
        const cl_device_type type = CL_DEVICE_TYPE_GPU;
        return answer(&type, sizeof type, size, out, size_ret);
    }
    if (name == CL_DRIVER_VERSION && hides(kChangeDriver)) {
        constexpr char kVersion[] = "another driver";
        return answer(kVersion, sizeof kVersion, size, out, size_ret);
    }
    if (name == CL_DRIVER_VERSION && hides(kPassForRusticl)) {
        return answer(kRusticlVersion, sizeof kRusticlVersion, size, out, size_ret);
    }
    if (name == CL_DEVICE_IMAGE_SUPPORT && hides(kHideImages)) {
        const cl_bool none = CL_FALSE;
        return answer(&none, sizeof none, size, out, size_ret);
    }
    if (name == CL_DEVICE_MAX_MEM_ALLOC_SIZE && hides(kHideLargeBuffers)) {
        return answer_at_most<cl_ulong>(kSmallBufferBytes, device, name, size, out, size_ret);
    }
    if (name == CL_DEVICE_MAX_WORK_GROUP_SIZE && hides(kHideLargeGroups)) {
        return answer_at_most<size_t>(kSmallGroupItems, device, name, size, out, size_ret);
    }
    if (name == CL_DEVICE_EXTENSIONS) return answer_extensions(device, size, out, size_ret);
    return target->clGetDeviceInfo(device, name, size, out, size_ret);
}

// What makes a program compute a function of OpenCL C twice as large; empty for a name that is none of these.
std::string wrong_function(std::string_view name) {
    struct Function {
        std::string_view name, type, parameters, arguments;
    };
    constexpr Function kFunctions[] = {
        {"exp", "float", "float x", "x"},        {"log", "float", "float x", "x"},
        {"tanh", "float", "float x", "x"},       {"rsqrt", "float", "float x", "x"},
        {"native_exp", "float", "float x", "x"}, {"native_recip", "float", "float x", "x"},
        {"popcount", "uint", "uint x", "x"},     {"mad", "float", "float x, float y, float z", "x, y, z"},
    };
    const std::string function(name);
    if (name.starts_with("read_image")) {
        return "#define " + function + "(image, at) (" + function + "(image, at) + " + function + "(image, at))\n";
    }
    const auto found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                    [&](const Function& one) { return one.name == name; });
    if (found == std::end(kFunctions)) return "";
    const std::string type(found->type), arguments(found->arguments);
    const std::string call = function + "(" + arguments + ")";
    // A driver's own header may have made a macro of the name.
    return "static inline __attribute__((always_inline)) " + type + " wrong_" + function + "(" +
           std::string(found->parameters) + ") { return " + call + " + " + call + "; }\n#undef " + function +
           "\n#define " + function + " wrong_" + function + "\n";
}

cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char** sources, const size_t* lengths,
                                      cl_int* status) {
    std::vector<const char*> texts(sources, sources + count);
    std::vector<size_t> sizes(lengths, lengths + count);
    struct Mistake {
        std::string_view kernel, wrong;
    };
    constexpr Mistake kMistakes[] = {
        {"void matmul(", "#define mad(a, b, c) ((a) * (b) - (c))\n"},
    };
    for (cl_uint i = 0; hides(kMiscompile) && i < count; ++i) {
        const auto mistake = std::find_if(std::begin(kMistakes), std::end(kMistakes), [&](const Mistake& one) {
            return std::string_view(sources[i], lengths[i]).find(one.kernel) != std::string_view::npos;
        });
        if (mistake == std::end(kMistakes)) continue;
        texts.insert(texts.begin() + i, mistake->wrong.data());
        sizes.insert(sizes.begin() + i, mistake->wrong.size());
        break;
    }
    const std::string wrong = control == nullptr ? "" : wrong_function(control->wrong_function);
    texts.insert(texts.begin(), wrong.data());
    sizes.insert(sizes.begin(), wrong.size());
    return INTERCEPTED(clCreateProgramWithSource)(context, static_cast<cl_uint>(texts.size()), texts.data(),
                                                  sizes.data(), status);
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host, cl_int* status) {
    if (hides(kHideLargeBuffers) && bytes > kSmallBufferBytes) {
        if (status != nullptr) *status = CL_INVALID_BUFFER_SIZE;
        return nullptr;
    }
    return INTERCEPTED(clCreateBuffer)(context, flags, bytes, host, status);
}

cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                const cl_image_desc* description, void* host, cl_int* status) {
    if (hides(kHideImages)) {
        if (status != nullptr) *status = CL_INVALID_OPERATION;
        return nullptr;
    }
    return INTERCEPTED(clCreateImage)(context, flags, format, description, host, status);
}

cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                                  const size_t* global, const size_t* local, cl_uint n_waits, const cl_event* waits,
                                  cl_event* event) {
    size_t items = 1;
    for (cl_uint i = 0; local != nullptr && i < dimensions; ++i) items *= local[i];
    if (hides(kHideLargeGroups) && items > kSmallGroupItems) return CL_INVALID_WORK_GROUP_SIZE;
    return INTERCEPTED(clEnqueueNDRangeKernel)(queue, kernel, dimensions, offset, global, local, n_waits, waits, event);
}

// Stands in for a driver that knows priorities: makes a plain queue.
cl_command_queue CL_API_CALL create_queue_with_properties(cl_context context, cl_device_id device,
                                                          const cl_queue_properties* properties, cl_int* status) {
    for (; properties != nullptr && *properties != 0; properties += 2) {
        const bool low = properties[0] == CL_QUEUE_PRIORITY_KHR && properties[1] == CL_QUEUE_PRIORITY_LOW_KHR;
        if (low) ++std::atomic_ref(control->low_priority_queues);
    }
    return INTERCEPTED(clCreateCommandQueue)(context, device, 0, status);
}

void* CL_API_CALL get_extension(cl_platform_id platform, const char* name) {
    if (hides(kOfferPriorities) && std::string_view(name) == "clCreateCommandQueueWithPropertiesKHR") {
        return reinterpret_cast<void*>(create_queue_with_properties);
    }
    return target->clGetExtensionFunctionAddressForPlatform(platform, name);
}

void map_control() {
    const char* const path = std::getenv("LLMD_FAULT_CONTROL");
    const int fd = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void* const mapped = ::mmap(nullptr, sizeof(FaultControl), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    if (mapped != MAP_FAILED) control = static_cast<FaultControl*>(mapped);
}

#define SET_INTERCEPTED(name) layer.name = INTERCEPTED(name)
#define SET_REFERENCE(name, change) layer.name = Reference<&cl_icd_dispatch::name, change>::call

void fill_layer() {
    layer = *target;
    SET_INTERCEPTED(clGetPlatformIDs);
    layer.clGetPlatformInfo = get_platform_info;
    SET_INTERCEPTED(clGetDeviceIDs);
    layer.clGetDeviceInfo = get_device_info;
    SET_INTERCEPTED(clCreateContext);
    SET_INTERCEPTED(clCreateCommandQueue);
    layer.clCreateBuffer = create_buffer;
    layer.clCreateImage = create_image;
    SET_INTERCEPTED(clCreateSubBuffer);
    SET_INTERCEPTED(clGetMemObjectInfo);
    SET_INTERCEPTED(clGetSupportedImageFormats);
    layer.clCreateProgramWithSource = create_program;
    SET_INTERCEPTED(clCreateProgramWithBinary);
    SET_INTERCEPTED(clBuildProgram);
    SET_INTERCEPTED(clGetProgramInfo);
    SET_INTERCEPTED(clGetProgramBuildInfo);
    SET_INTERCEPTED(clCreateKernel);
    SET_INTERCEPTED(clSetKernelArg);
    SET_INTERCEPTED(clGetKernelWorkGroupInfo);
    layer.clEnqueueNDRangeKernel = enqueue_kernel;
    SET_INTERCEPTED(clEnqueueWriteBuffer);
    SET_INTERCEPTED(clEnqueueReadBuffer);
    SET_INTERCEPTED(clEnqueueCopyBuffer);
    SET_INTERCEPTED(clEnqueueFillBuffer);
    SET_INTERCEPTED(clEnqueueMarkerWithWaitList);
    SET_INTERCEPTED(clWaitForEvents);
    SET_INTERCEPTED(clGetEventInfo);
    SET_INTERCEPTED(clFlush);
    SET_INTERCEPTED(clFinish);
    SET_REFERENCE(clRetainContext, 1);
    SET_REFERENCE(clReleaseContext, -1);
    SET_REFERENCE(clRetainCommandQueue, 1);
    SET_REFERENCE(clReleaseCommandQueue, -1);
    SET_REFERENCE(clRetainMemObject, 1);
    SET_REFERENCE(clReleaseMemObject, -1);
    SET_REFERENCE(clRetainProgram, 1);
    SET_REFERENCE(clReleaseProgram, -1);
    SET_REFERENCE(clRetainKernel, 1);
    SET_REFERENCE(clReleaseKernel, -1);
    SET_REFERENCE(clRetainEvent, 1);
    SET_REFERENCE(clReleaseEvent, -1);
    layer.clGetExtensionFunctionAddressForPlatform = get_extension;
}

}  // namespace
}  // namespace llmd::test

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* out, size_t* size_ret) {
    using llmd::test::answer;
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    constexpr char kName[] = "llmd faults";
    if (name == CL_LAYER_API_VERSION) return answer(&version, sizeof version, size, out, size_ret);
    if (name == CL_LAYER_NAME) return answer(kName, sizeof kName, size, out, size_ret);
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint n_entries, const cl_icd_dispatch* target, cl_uint* n_entries_ret,
                                            const cl_icd_dispatch** layer) {
    constexpr cl_uint kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);
    if (target == nullptr || n_entries_ret == nullptr || layer == nullptr) return CL_INVALID_VALUE;
    if (n_entries < kEntries) return CL_INVALID_VALUE;
    llmd::test::target = target;
    llmd::test::map_control();
    llmd::test::fill_layer();
    *n_entries_ret = kEntries;
    *layer = &llmd::test::layer;
    return CL_SUCCESS;
}
