// render_node: a preload library with which Mesa's Rusticl offers the device of zink on a machine without a render node
// (tests/lanes/zink, tests/lanes/gpu). Rusticl opens /dev/dri/renderD128, and zink asks libdrm what that is and looks for the Vulkan
// device with the same device number. The jobs make an ordinary, empty file there. This library answers in libdrm's place that it is
// a render node; an ordinary file has the device number 0, with which zink takes the first device of Vulkan.
//   cc -shared -fPIC -o render_node.so render_node.c
#include <stddef.h>
#include <stdint.h>

// As in libdrm's xf86drm.h, which need not be installed.
enum { kPrimaryNode, kControlNode, kRenderNode, kNodes };
enum { kPlatformBus = 2 };  // the kind without numbers of a vendor and a product, by which Mesa would choose a driver
typedef struct {
    char** nodes;
    int available_nodes;
    int bus;
    void* bus_info;
    void* device_info;
} Device;

#define EXPORTED __attribute__((visibility("default")))

static char path[] = "/dev/dri/renderD128";
static char* nodes[kNodes] = {[kRenderNode] = path};
static Device device = {nodes, 1 << kRenderNode, kPlatformBus, NULL, NULL};

EXPORTED int drmGetDevice2(int fd, uint32_t flags, Device** found) {
    (void)fd;
    (void)flags;
    *found = &device;
    return 0;
}

EXPORTED int drmGetDevice(int fd, Device** found) {
    return drmGetDevice2(fd, 0, found);
}

EXPORTED void drmFreeDevice(Device** found) {
    if (found != NULL) *found = NULL;
}
