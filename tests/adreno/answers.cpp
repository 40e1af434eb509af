// Loaded before one of Mesa's shims (LD_PRELOAD): answers what a shim accepts or refuses without an answer that the
// driver needs. freedreno asks how often a queue has faulted, compares what lay on its stack otherwise, and believes
// that the GPU was reset: the answer is 0. asahi exports what it waits for as a file and ends the process where it gets
// none: the answer is an empty file, on which no wait lasts. The numbers are the kernel's interface,
// include/uapi/drm/drm.h and msm_drm.h.
#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <cstdarg>
#include <cstdint>
#include <cstring>

namespace {

constexpr unsigned long kDrmType = 'd';
constexpr unsigned long kSubmitQueueQuery = 0x40 + 0x0C;  // DRM_COMMAND_BASE + DRM_MSM_SUBMITQUEUE_QUERY
constexpr unsigned long kPrimeHandleToFd = 0x2D;
constexpr unsigned long kSyncobjHandleToFd = 0xC1;

struct SubmitQueueQuery {
    uint64_t data;  // where the answer goes
    uint32_t id;
    uint32_t param;
    uint32_t size;
    uint32_t pad;
};

// The beginning of both requests.
struct HandleToFd {
    uint32_t handle;
    uint32_t flags;
    int32_t fd;
};

}  // namespace

extern "C" int ioctl(int file, unsigned long request, ...) noexcept {
    va_list arguments;
    va_start(arguments, request);
    void* argument = va_arg(arguments, void*);
    va_end(arguments);
    const unsigned long number = _IOC_TYPE(request) == kDrmType ? _IOC_NR(request) : 0;
    // A driver's own numbers may be another driver's: this one is read-write with that size on no other.
    if (number == kSubmitQueueQuery && _IOC_SIZE(request) == sizeof(SubmitQueueQuery)) {
        const auto* query = static_cast<const SubmitQueueQuery*>(argument);
        std::memset(reinterpret_cast<void*>(query->data), 0, query->size);
        return 0;
    }
    using Ioctl = int (*)(int, unsigned long, ...);
    static const auto next = reinterpret_cast<Ioctl>(::dlsym(RTLD_NEXT, "ioctl"));
    const int status = next(file, request, argument);
    if (number != kPrimeHandleToFd && number != kSyncobjHandleToFd) return status;
    auto* handle = static_cast<HandleToFd*>(argument);
    if (status == 0 && handle->fd > 0) return status;
    handle->fd = ::memfd_create("answer", MFD_CLOEXEC);
    return handle->fd < 0 ? -1 : 0;
}
