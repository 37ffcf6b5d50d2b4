/* A driver that reads its device through a mapping that it has undone. */
#include "device_page.h"

static void touch_device(PDXGKRNL_INTERFACE kernel, PVOID page)
{
    kernel->DxgkCbUnmapMemory(kernel->DeviceHandle, page);
    (void)((volatile ULONG *)page)[1];
}
