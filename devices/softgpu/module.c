/* module.c: the software GPU as a device module that is loaded at run time. */
#include "softgpu.h"

__attribute__((visibility("default"))) drydock_device_create_fn drydock_device_create;

struct device *drydock_device_create(struct device_bus *bus, const char *options)
{
    return softgpu_create(bus, options);
}
