/* ntifs.h: ntddk.h, and the few file-system-level services that graphics drivers use: tokens,
 * attaching to a process. */

#ifndef _NTIFS_
#define _NTIFS_

#include <ntddk.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _KAPC_STATE {
    LIST_ENTRY ApcListHead[MaximumMode];
    PKPROCESS Process;
    UCHAR InProgressFlags;
    BOOLEAN KernelApcPending;
    BOOLEAN UserApcPending;
} KAPC_STATE, *PKAPC_STATE, *PRKAPC_STATE;

NTKERNELAPI VOID NTAPI KeStackAttachProcess(PRKPROCESS PROCESS, PRKAPC_STATE ApcState);
NTKERNELAPI VOID NTAPI KeUnstackDetachProcess(PRKAPC_STATE ApcState);
NTKERNELAPI PACCESS_TOKEN NTAPI PsReferencePrimaryToken(PEPROCESS Process);
NTKERNELAPI VOID NTAPI PsDereferencePrimaryToken(PACCESS_TOKEN PrimaryToken);
NTKERNELAPI BOOLEAN NTAPI SeTokenIsAdmin(PACCESS_TOKEN Token);
NTKERNELAPI NTSTATUS NTAPI PsLookupProcessByProcessId(HANDLE ProcessId, PEPROCESS *Process);
NTKERNELAPI NTSTATUS NTAPI PsLookupThreadByThreadId(HANDLE ThreadId, PETHREAD *Thread);

#ifdef __cplusplus
}
#endif

#endif /* _NTIFS_ */
