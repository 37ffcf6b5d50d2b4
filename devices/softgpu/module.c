/* module.c: the software GPU as a plug-in that is loaded at run time. */
#include "internal.h"

DRYDOCK_DEVICE_EXPORT const struct device_model drydock_device;
const struct device_model drydock_device = {
    DRYDOCK_DEVICE_ABI, sizeof(struct device_model),
    "softgpu",          "the software GPU, as a library",
    softgpu_options,    softgpu_create,
};
