/* ntddk.h: wdm.h, and what only kernel drivers of the older kind include. */

#ifndef _NTDDK_
#define _NTDDK_

#include <wdm.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef NTDDI_VERSION
#define NTDDI_VERSION 0x0A000010
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#endif

NTHALAPI VOID NTAPI HalDisplayString(PUCHAR String);
NTKERNELAPI NTSTATUS NTAPI IoGetDeviceNumaNode(PDEVICE_OBJECT Pdo, PUSHORT NodeNumber);
NTKERNELAPI PVOID NTAPI PsGetProcessSectionBaseAddress(PEPROCESS Process);
NTSYSAPI NTSTATUS NTAPI ZwQueryInformationProcess(HANDLE ProcessHandle,
                                                  ULONG ProcessInformationClass,
                                                  PVOID ProcessInformation,
                                                  ULONG ProcessInformationLength,
                                                  PULONG ReturnLength);

#ifdef __cplusplus
}
#endif

#endif /* _NTDDK_ */
