#include "engine/compute/opencl/runtime/device.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/compute/opencl/kernels/constants.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/program_cache.h"
#include "engine/compute/opencl/runtime/quirks.h"

namespace llmd::compute {
namespace {

using base::ErrorCode;
using base::Result;

constexpr cl_int kNoPlatform = -1001;             // CL_PLATFORM_NOT_FOUND_KHR: the loader knows none
constexpr uint64_t kKernelLocalBytes = 32 << 10;  // what OpenCL 1.2 promises of a full profile; kernels are made to fit
constexpr std::pair<cl_uint, cl_uint> kDotCapability = {6, 1};  // dp2a in PTX: from sm_61 on
// Kernels index a buffer's bytes with 32 bits.
constexpr uint64_t kMaxIndexableBytes = (uint64_t{1} << 32) - 4096;

template <typename Id, typename Query>
Result<std::string> info_string(const char* call, Query query, Id id, cl_uint name) {
    size_t size = 0;
    if (auto ok = cl_check(call, query(id, name, 0, nullptr, &size)); !ok) return ok.error();
    std::string text(size, '\0');
    if (auto ok = cl_check(call, query(id, name, size, text.data(), nullptr)); !ok) return ok.error();
    while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
    return text;
}

template <typename T>
Result<T> device_info(cl_device_id device, cl_device_info name) {
    T value{};
    if (auto ok = cl_check("clGetDeviceInfo", clGetDeviceInfo(device, name, sizeof value, &value, nullptr)); !ok) {
        return ok.error();
    }
    return value;
}

// Whether the device can be used at all: drivers without a compiler and devices that are gone are passed over.
Result<bool> is_usable(cl_device_id device) {
    for (const cl_device_info name : {CL_DEVICE_AVAILABLE, CL_DEVICE_COMPILER_AVAILABLE, CL_DEVICE_ENDIAN_LITTLE}) {
        const auto value = device_info<cl_bool>(device, name);
        if (!value) return value.error();
        if (*value == CL_FALSE) return false;
    }
    return true;
}

Result<void> add_devices(cl_platform_id platform, std::vector<ClDevice>& found) {
    auto platform_name = info_string("clGetPlatformInfo", clGetPlatformInfo, platform, CL_PLATFORM_NAME);
    if (!platform_name) return platform_name.error();
    cl_uint count = 0;
    const auto ask = [&] { return clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count); };
    const auto is_none = [&](cl_int status) {
        return status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && count == 0);
    };
    cl_int status = ask();
    if (is_none(status)) status = ask();  // Quirk::NoDeviceAtFirst
    if (is_none(status)) return {};
    if (auto ok = cl_check("clGetDeviceIDs", status, *platform_name); !ok) return ok;
    std::vector<cl_device_id> ids(count);
    if (auto ok = cl_check("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr),
                           *platform_name);
        !ok) {
        return ok;
    }
    for (const cl_device_id id : ids) {
        const auto usable = is_usable(id);
        if (!usable) return usable.error();
        if (!*usable) continue;
        auto name = info_string("clGetDeviceInfo", clGetDeviceInfo, id, CL_DEVICE_NAME);
        if (!name) return name.error();
        auto driver = info_string("clGetDeviceInfo", clGetDeviceInfo, id, CL_DRIVER_VERSION);
        if (!driver) return driver.error();
        auto type = device_info<cl_device_type>(id, CL_DEVICE_TYPE);
        if (!type) return type.error();
        auto memory_bytes = device_info<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
        if (!memory_bytes) return memory_bytes.error();
        auto buffer_bytes = device_info<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
        if (!buffer_bytes) return buffer_bytes.error();
        auto unified = device_info<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY);
        if (!unified) return unified.error();
        OpenClDevice names = {*platform_name,
                              *name,
                              *driver,
                              (*type & CL_DEVICE_TYPE_GPU) != 0,
                              *memory_bytes,
                              std::min<uint64_t>(*buffer_bytes, kMaxIndexableBytes),
                              *unified != CL_FALSE};
        names.is_gpu = names.is_gpu && !has_quirk(Quirk::PassesForGpu, names);
        found.push_back({platform, id, std::move(names)});
    }
    return {};
}

}  // namespace

Result<std::vector<ClDevice>> find_cl_devices(std::vector<std::string>* notes) {
    set_driver_environment();
    prepare_cache_directory("MESA_SHADER_CACHE_DIR", "mesa");
    cl_uint count = 0;
    const cl_int status = clGetPlatformIDs(0, nullptr, &count);
    if (status == kNoPlatform || (status == CL_SUCCESS && count == 0)) return std::vector<ClDevice>();
    if (auto ok = cl_check("clGetPlatformIDs", status); !ok) return ok.error();
    std::vector<cl_platform_id> platforms(count);
    if (auto ok = cl_check("clGetPlatformIDs", clGetPlatformIDs(count, platforms.data(), nullptr)); !ok) {
        return ok.error();
    }
    std::vector<ClDevice> found;
    Result<void> failure;
    for (const cl_platform_id platform : platforms) {
        const auto added = add_devices(platform, found);
        if (added) continue;
        if (failure) failure = added.error();
        if (notes != nullptr) {
            notes->push_back(base::concat("an OpenCL platform is passed over: ", added.error().message));
        }
    }
    if (found.empty() && !failure) return failure.error();
    return found;
}

Result<std::vector<OpenClDevice>> list_opencl_devices(std::vector<std::string>* notes) {
    auto found = find_cl_devices(notes);
    if (!found) return found.error();
    std::vector<OpenClDevice> names;
    for (const ClDevice& device : *found) names.push_back(device.names);
    return names;
}

Result<std::string> device_identity(const ClDevice& device) {
    auto platform = info_string("clGetPlatformInfo", clGetPlatformInfo, device.platform, CL_PLATFORM_VERSION);
    if (!platform) return platform.error();
    auto version = info_string("clGetDeviceInfo", clGetDeviceInfo, device.id, CL_DEVICE_VERSION);
    if (!version) return version.error();
    return base::concat(device.names.platform, "\n", *platform, "\n", device.names.name, "\n", *version, "\n",
                        device.names.driver);
}

Result<DeviceLimits> query_limits(cl_device_id device) {
    const auto buffer_bytes = device_info<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    if (!buffer_bytes) return buffer_bytes.error();
    const auto memory_bytes = device_info<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    if (!memory_bytes) return memory_bytes.error();
    const auto local_bytes = device_info<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
    if (!local_bytes) return local_bytes.error();
    const auto group_items = device_info<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    if (!group_items) return group_items.error();
    const auto type = device_info<cl_device_type>(device, CL_DEVICE_TYPE);
    if (!type) return type.error();
    const auto vendor_id = device_info<cl_uint>(device, CL_DEVICE_VENDOR_ID);
    if (!vendor_id) return vendor_id.error();
    const auto is_unified = device_info<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY);
    if (!is_unified) return is_unified.error();
    const auto has_images = device_info<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT);
    if (!has_images) return has_images.error();
    size_t image_texels = 0;
    if (*has_images != CL_FALSE) {
        const auto texels = device_info<size_t>(device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
        if (!texels) return texels.error();
        image_texels = *texels;
    }

    const auto extensions = info_string("clGetDeviceInfo", clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS);
    if (!extensions) return extensions.error();
    const auto offers = [&](std::string_view name) { return extensions->find(name) != std::string::npos; };

    DeviceLimits limits;
    limits.max_buffer_bytes = std::min<uint64_t>(*buffer_bytes, kMaxIndexableBytes);
    limits.memory_bytes = *memory_bytes;
    limits.local_bytes = *local_bytes;
    limits.group_items = *group_items;
    limits.image_texels = image_texels;
    limits.has_priorities = offers("cl_khr_priority_hints") && offers("cl_khr_create_command_queue");
    limits.has_own_memory = *is_unified == CL_FALSE;
    if (offers("cl_nv_device_attribute_query")) {
        // Quirk::NamesNoDotProduct. A device that does not say it is used without.
        const auto major = device_info<cl_uint>(device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
        const auto minor = device_info<cl_uint>(device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
        limits.has_dot = major && minor && std::pair(*major, *minor) >= kDotCapability;
    }
    limits.vendor_id = *vendor_id;
    limits.is_cpu = (*type & CL_DEVICE_TYPE_CPU) != 0;
    if (limits.local_bytes < kKernelLocalBytes) {
        return base::fail(ErrorCode::DeviceError, "CL_DEVICE_LOCAL_MEM_SIZE is ", limits.local_bytes, ", less than ",
                          kKernelLocalBytes);
    }
    if (limits.group_items < kGroupItems) {
        return base::fail(ErrorCode::DeviceError, "CL_DEVICE_MAX_WORK_GROUP_SIZE is ", limits.group_items,
                          ", less than ", kGroupItems);
    }
    return limits;
}

}  // namespace llmd::compute
