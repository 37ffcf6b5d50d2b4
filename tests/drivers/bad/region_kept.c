/* A driver whose StartDevice enters a critical region for good. */
#include "started.h"

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO info,
                                   PDXGKRNL_INTERFACE kernel, PULONG sources, PULONG children)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(info);
    UNREFERENCED_PARAMETER(kernel);
    UNREFERENCED_PARAMETER(sources);
    UNREFERENCED_PARAMETER(children);
    KeEnterCriticalRegion();
    return STATUS_UNSUCCESSFUL;
}
