// Loaded before Mesa's freedreno shim (LD_PRELOAD): the shim accepts the question how often a queue has faulted without
// answering it, so the driver compares what lay on its stack and believes that the GPU was reset. Here the answer is 0.
// The numbers are the kernel's interface, include/uapi/drm/msm_drm.h.
#include <dlfcn.h>
#include <sys/ioctl.h>

#include <cstdarg>
#include <cstdint>
#include <cstring>

namespace {

constexpr unsigned long kDrmType = 'd';
constexpr unsigned long kSubmitQueueQuery = 0x40 + 0x0C;  // DRM_COMMAND_BASE + DRM_MSM_SUBMITQUEUE_QUERY

struct SubmitQueueQuery {
    uint64_t data;  // where the answer goes
    uint32_t id;
    uint32_t param;
    uint32_t size;
    uint32_t pad;
};

}  // namespace

extern "C" int ioctl(int file, unsigned long request, ...) noexcept {
    va_list arguments;
    va_start(arguments, request);
    void* argument = va_arg(arguments, void*);
    va_end(arguments);
    if (_IOC_TYPE(request) == kDrmType && _IOC_NR(request) == kSubmitQueueQuery) {
        const auto* query = static_cast<const SubmitQueueQuery*>(argument);
        std::memset(reinterpret_cast<void*>(query->data), 0, query->size);
        return 0;
    }
    using Ioctl = int (*)(int, unsigned long, ...);
    static const auto next = reinterpret_cast<Ioctl>(::dlsym(RTLD_NEXT, "ioctl"));
    return next(file, request, argument);
}
