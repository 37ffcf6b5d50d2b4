/* ntddk.h: wdm.h, and what only kernel drivers of the older kind include. */

#ifndef _NTDDK_
#define _NTDDK_

#include <sdkddkver.h>
#include <wdm.h>

#ifdef __cplusplus
extern "C" {
#endif

NTHALAPI VOID NTAPI HalDisplayString(PUCHAR String);
NTKERNELAPI NTSTATUS NTAPI IoGetDeviceNumaNode(PDEVICE_OBJECT Pdo, PUSHORT NodeNumber);
NTKERNELAPI PVOID NTAPI PsGetProcessSectionBaseAddress(PEPROCESS Process);
NTSYSAPI NTSTATUS NTAPI ZwQueryInformationProcess(HANDLE ProcessHandle,
                                                  ULONG ProcessInformationClass,
                                                  PVOID ProcessInformation,
                                                  ULONG ProcessInformationLength,
                                                  PULONG ReturnLength);

/* Of the HAL, in no header: drivers with a VBIOS declare it themselves. */
NTHALAPI NTSTATUS NTAPI x86BiosAllocateBuffer(ULONG *Size, USHORT *Segment, USHORT *Offset);
NTHALAPI NTSTATUS NTAPI x86BiosFreeBuffer(USHORT Segment, USHORT Offset);
NTHALAPI NTSTATUS NTAPI x86BiosReadMemory(USHORT Segment, USHORT Offset, PVOID Buffer, ULONG Size);
NTHALAPI NTSTATUS NTAPI x86BiosWriteMemory(USHORT Segment, USHORT Offset, PVOID Buffer, ULONG Size);

#ifdef __cplusplus
}

/* They hand string literals to it, which their compilers take for a PVOID. */
extern "C++" {
template <ULONG_PTR Bytes>
static inline NTSTATUS x86BiosWriteMemory(USHORT Segment, USHORT Offset,
                                          const char (&Buffer)[Bytes], ULONG Size)
{
    return x86BiosWriteMemory(Segment, Offset, (PVOID)Buffer, Size);
}
}
#endif

#endif /* _NTDDK_ */
