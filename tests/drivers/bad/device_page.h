/* A driver that maps a page of its device, and does what touch_device() of whoever includes this
 * does. */
#include "started.h"

static void touch_device(PDXGKRNL_INTERFACE kernel, PVOID page);

/* The first range of memory that is the device's. */
static const CM_PARTIAL_RESOURCE_DESCRIPTOR *find_memory(const CM_RESOURCE_LIST *resources)
{
    const CM_PARTIAL_RESOURCE_LIST *list = &resources->List[0].PartialResourceList;
    ULONG i;

    for (i = 0; i < list->Count; i++) {
        if (list->PartialDescriptors[i].Type == CmResourceTypeMemory)
            return &list->PartialDescriptors[i];
    }
    return NULL;
}

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO info,
                                   PDXGKRNL_INTERFACE kernel, PULONG sources, PULONG children)
{
    const CM_PARTIAL_RESOURCE_DESCRIPTOR *memory;
    DXGK_DEVICE_INFO device;
    PVOID page;

    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(info);
    *sources = *children = 0;
    kernel->DxgkCbGetDeviceInformation(kernel->DeviceHandle, &device);
    memory = find_memory(device.TranslatedResourceList);
    if (memory != NULL &&
        NT_SUCCESS(kernel->DxgkCbMapMemory(kernel->DeviceHandle, memory->u.Memory.Start, PAGE_SIZE,
                                           FALSE, FALSE, MmNonCached, &page))) {
        touch_device(kernel, page);
    }
    return STATUS_UNSUCCESSFUL;
}
