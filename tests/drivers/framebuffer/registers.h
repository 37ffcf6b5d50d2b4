/* registers.h: the software GPU's registers, for display-only drivers that are wrong beside the
 * good one, which has none. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "../../../devices/softgpu/softgpu_regs.h"
#include "../../../drivers/framebuffer/framebuffer.h"

static UCHAR *registers;

static inline ULONG read_register(ULONG offset)
{
    return READ_REGISTER_ULONG((ULONG *)(void *)(registers + offset));
}

static inline void write_register(ULONG offset, ULONG value)
{
    WRITE_REGISTER_ULONG((ULONG *)(void *)(registers + offset), value);
}

/* They are the second range of memory. */
static inline NTSTATUS map_registers(const struct framebuffer *of)
{
    const CM_PARTIAL_RESOURCE_LIST *list;
    DXGK_DEVICE_INFO info;
    ULONG seen = 0, i;
    NTSTATUS status = of->dxgk.DxgkCbGetDeviceInformation(of->dxgk.DeviceHandle, &info);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    list = &info.TranslatedResourceList->List[0].PartialResourceList;
    for (i = 0; i < list->Count; i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR *resource = &list->PartialDescriptors[i];
        if (resource->Type == CmResourceTypeMemory && seen++ == 1) {
            return of->dxgk.DxgkCbMapMemory(of->dxgk.DeviceHandle, resource->u.Memory.Start,
                                            resource->u.Memory.Length, FALSE, FALSE, MmNonCached,
                                            (PVOID *)&registers);
        }
    }
    return STATUS_DEVICE_CONFIGURATION_ERROR;
}

static inline void unmap_registers(const struct framebuffer *of)
{
    (void)of->dxgk.DxgkCbUnmapMemory(of->dxgk.DeviceHandle, registers);
}

#endif
