/* A driver that writes behind what it mapped of its device, and has a handler for that. */
#include "device_page.h"

static void touch_device(PDXGKRNL_INTERFACE kernel, PVOID page)
{
    PHYSICAL_ADDRESS physical = MmGetPhysicalAddress(page);
    UCHAR *bytes = MmMapIoSpaceEx(physical, PAGE_SIZE, PAGE_READWRITE | PAGE_NOCACHE);

    UNREFERENCED_PARAMETER(kernel);
    if (bytes == NULL)
        return;
    __try {
        *(volatile UCHAR *)(bytes + PAGE_SIZE + 0x10) = 1;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
    }
    MmUnmapIoSpace(bytes, PAGE_SIZE);
}
