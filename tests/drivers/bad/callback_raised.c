/* A driver that asks for its resources while it holds a spin lock. */
#include "started.h"

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO info,
                                   PDXGKRNL_INTERFACE kernel, PULONG sources, PULONG children)
{
    DXGK_DEVICE_INFO device;
    KSPIN_LOCK lock;
    KIRQL before;

    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(info);
    *sources = *children = 0;
    KeInitializeSpinLock(&lock);
    KeAcquireSpinLock(&lock, &before);
    kernel->DxgkCbGetDeviceInformation(kernel->DeviceHandle, &device);
    KeReleaseSpinLock(&lock, before);
    return STATUS_UNSUCCESSFUL;
}
