// An OpenCL layer (OPENCL_LAYERS) that says on standard error what a program asks of its driver, one line a call, so
// that the compiler's listings between the lines can be told apart and a token's launches counted:
//     TRACE build PROGRAM OPTIONS...                    before the build; listings follow
//     TRACE kernel KERNEL PROGRAM NAME PRIVATE LOCAL    bytes a work-item and a work-group
//     TRACE launch KERNEL ITEMS GROUP_ITEMS
//     TRACE wait
// Objects are named by their addresses, which may be used again. For one thread that calls OpenCL.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_layer.h>

#include <cstdio>

namespace {

const cl_icd_dispatch* g_next = nullptr;
cl_icd_dispatch g_dispatch{};

cl_int CL_API_CALL build_program(cl_program program, cl_uint n_devices, const cl_device_id* devices,
                                 const char* options, void(CL_CALLBACK* notify)(cl_program, void*), void* user_data) {
    std::fprintf(stderr, "TRACE build %p %s\n", static_cast<void*>(program), options == nullptr ? "" : options);
    return g_next->clBuildProgram(program, n_devices, devices, options, notify, user_data);
}

cl_ulong kernel_bytes(cl_kernel kernel, cl_program program, cl_kernel_work_group_info what) {
    cl_device_id device = nullptr;
    cl_ulong bytes = 0;
    g_next->clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof device, &device, nullptr);
    g_next->clGetKernelWorkGroupInfo(kernel, device, what, sizeof bytes, &bytes, nullptr);
    return bytes;
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* status) {
    cl_kernel kernel = g_next->clCreateKernel(program, name, status);
    if (kernel != nullptr) {
        std::fprintf(stderr, "TRACE kernel %p %p %s %lu %lu\n", static_cast<void*>(kernel), static_cast<void*>(program),
                     name, static_cast<unsigned long>(kernel_bytes(kernel, program, CL_KERNEL_PRIVATE_MEM_SIZE)),
                     static_cast<unsigned long>(kernel_bytes(kernel, program, CL_KERNEL_LOCAL_MEM_SIZE)));
    }
    return kernel;
}

size_t product(cl_uint dimensions, const size_t* sizes) {
    size_t all = sizes == nullptr ? 0 : 1;
    for (cl_uint i = 0; sizes != nullptr && i < dimensions; ++i) all *= sizes[i];
    return all;
}

cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                                  const size_t* global, const size_t* local, cl_uint n_events, const cl_event* events,
                                  cl_event* event) {
    std::fprintf(stderr, "TRACE launch %p %zu %zu\n", static_cast<void*>(kernel), product(dimensions, global),
                 product(dimensions, local));
    return g_next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, n_events, events, event);
}

cl_int CL_API_CALL finish(cl_command_queue queue) {
    std::fputs("TRACE wait\n", stderr);
    return g_next->clFinish(queue);
}

cl_int CL_API_CALL wait_for_events(cl_uint n_events, const cl_event* events) {
    std::fputs("TRACE wait\n", stderr);
    return g_next->clWaitForEvents(n_events, events);
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void* value, size_t* size_needed) {
    if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
    if (value != nullptr) {
        if (size < sizeof(cl_layer_api_version)) return CL_INVALID_VALUE;
        *static_cast<cl_layer_api_version*>(value) = CL_LAYER_API_VERSION_100;
    }
    if (size_needed != nullptr) *size_needed = sizeof(cl_layer_api_version);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint n_entries, const cl_icd_dispatch* target, cl_uint* n_entries_out,
                                            const cl_icd_dispatch** layer) {
    if (target == nullptr || layer == nullptr || n_entries_out == nullptr) return CL_INVALID_VALUE;
    if (n_entries < sizeof g_dispatch / sizeof g_dispatch.clGetPlatformIDs) return CL_INVALID_VALUE;
    g_next = target;
    g_dispatch.clBuildProgram = build_program;
    g_dispatch.clCreateKernel = create_kernel;
    g_dispatch.clEnqueueNDRangeKernel = enqueue_kernel;
    g_dispatch.clFinish = finish;
    g_dispatch.clWaitForEvents = wait_for_events;
    *layer = &g_dispatch;
    *n_entries_out = sizeof g_dispatch / sizeof g_dispatch.clGetPlatformIDs;
    return CL_SUCCESS;
}
}
