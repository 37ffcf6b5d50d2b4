/* wdm/etw.h: event tracing, as a driver's manifest or provider calls it. */

#ifndef _WDM_ETW_H_
#define _WDM_ETW_H_

#include <ntdef.h>

typedef ULONGLONG REGHANDLE, *PREGHANDLE;

typedef struct _EVENT_DESCRIPTOR {
    USHORT Id;
    UCHAR Version;
    UCHAR Channel;
    UCHAR Level;
    UCHAR Opcode;
    USHORT Task;
    ULONGLONG Keyword;
} EVENT_DESCRIPTOR, *PEVENT_DESCRIPTOR;
typedef const EVENT_DESCRIPTOR *PCEVENT_DESCRIPTOR;

typedef struct _EVENT_DATA_DESCRIPTOR {
    ULONGLONG Ptr;
    ULONG Size;
    ULONG Reserved;
} EVENT_DATA_DESCRIPTOR, *PEVENT_DATA_DESCRIPTOR;

typedef struct _EVENT_FILTER_DESCRIPTOR {
    ULONGLONG Ptr;
    ULONG Size;
    ULONG Type;
} EVENT_FILTER_DESCRIPTOR, *PEVENT_FILTER_DESCRIPTOR;

typedef VOID NTAPI ETWENABLECALLBACK(const GUID *SourceId, ULONG ControlCode, UCHAR Level,
                                     ULONGLONG MatchAnyKeyword, ULONGLONG MatchAllKeyword,
                                     PEVENT_FILTER_DESCRIPTOR FilterData, PVOID CallbackContext);
typedef ETWENABLECALLBACK *PETWENABLECALLBACK;

#define EVENT_CONTROL_CODE_DISABLE_PROVIDER 0
#define EVENT_CONTROL_CODE_ENABLE_PROVIDER  1
#define EVENT_CONTROL_CODE_CAPTURE_STATE    2

NTKERNELAPI NTSTATUS NTAPI EtwRegister(const GUID *ProviderId, PETWENABLECALLBACK EnableCallback,
                                       PVOID CallbackContext, PREGHANDLE RegHandle);
NTKERNELAPI NTSTATUS NTAPI EtwUnregister(REGHANDLE RegHandle);
NTKERNELAPI BOOLEAN NTAPI EtwEventEnabled(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor);
NTKERNELAPI BOOLEAN NTAPI EtwProviderEnabled(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword);
NTKERNELAPI NTSTATUS NTAPI EtwWrite(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
                                    const GUID *ActivityId, ULONG UserDataCount,
                                    PEVENT_DATA_DESCRIPTOR UserData);

NTKERNELAPI NTSTATUS NTAPI EtwWriteTransfer(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
                                            const GUID *ActivityId, const GUID *RelatedActivityId,
                                            ULONG UserDataCount, PEVENT_DATA_DESCRIPTOR UserData);

FORCEINLINE VOID EventDataDescCreate(PEVENT_DATA_DESCRIPTOR descriptor, const VOID *data,
                                     ULONG size)
{
    descriptor->Ptr = (ULONGLONG)(ULONG_PTR)data;
    descriptor->Size = size;
    descriptor->Reserved = 0;
}

#endif /* _WDM_ETW_H_ */
