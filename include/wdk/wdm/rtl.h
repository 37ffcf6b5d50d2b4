/* wdm/rtl.h: the run-time library: memory, strings, bitmaps, registry helpers, debug output,
 * assertions. */

#ifndef _WDM_RTL_H_
#define _WDM_RTL_H_

#include <string.h>
#include <wdm/ke.h>

#ifndef DBG
#define DBG 0
#endif

/* ---- memory ---- */

#define RtlCopyMemory(destination, source, length)  memcpy((destination), (source), (length))
#define RtlMoveMemory(destination, source, length)  memmove((destination), (source), (length))
#define RtlFillMemory(destination, length, fill)    memset((destination), (fill), (length))
#define RtlZeroMemory(destination, length)          memset((destination), 0, (length))
#define RtlEqualMemory(destination, source, length) (!memcmp((destination), (source), (length)))
#define RtlCopyBytes                                RtlCopyMemory
#define RtlZeroBytes                                RtlZeroMemory
#define RtlFillBytes                                RtlFillMemory
#define RtlCopyMemoryNonTemporal                    RtlCopyMemory
#define RtlCopyVolatileMemory(destination, source, length) \
    memcpy((void *)(destination), (const void *)(source), (length))
#define CopyMemory                    RtlCopyMemory
#define MoveMemory                    RtlMoveMemory
#define FillMemory                    RtlFillMemory
#define ZeroMemory                    RtlZeroMemory
#define RtlStoreUlong(address, value) (*(ULONG UNALIGNED *)(address) = (ULONG)(value))
#define RtlRetrieveUlong(destination, source) \
    (*(ULONG UNALIGNED *)(destination) = *(ULONG UNALIGNED *)(source))

NTSYSAPI SIZE_T NTAPI RtlCompareMemory(const VOID *Source1, const VOID *Source2, SIZE_T Length);

/* A store that the compiler may not leave out. */
FORCEINLINE PVOID RtlSecureZeroMemory(PVOID memory, SIZE_T size)
{
    volatile char *p = (volatile char *)memory;
    while (size-- != 0)
        *p++ = 0;
    return memory;
}

/* ---- debug output and assertions ---- */

NTSYSAPI ULONG NTAPI DbgPrint(PCSTR Format, ...);
NTSYSAPI ULONG NTAPI DbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, ...);
NTSYSAPI ULONG NTAPI vDbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, NT_VA_LIST arglist);
NTSYSAPI ULONG NTAPI vDbgPrintExWithPrefix(PCSTR Prefix, ULONG ComponentId, ULONG Level,
                                           PCSTR Format, NT_VA_LIST arglist);
NTSYSAPI ULONG NTAPI DbgPrompt(PCSTR Prompt, PSTR Response, ULONG Length);
NTSYSAPI VOID NTAPI DbgBreakPoint(VOID);
NTSYSAPI VOID NTAPI DbgBreakPointWithStatus(ULONG Status);
NTSYSAPI NTSTATUS NTAPI DbgQueryDebugFilterState(ULONG ComponentId, ULONG Level);
NTSYSAPI NTSTATUS NTAPI DbgSetDebugFilterState(ULONG ComponentId, ULONG Level, BOOLEAN State);
NTSYSAPI VOID NTAPI RtlAssert(PVOID FailedAssertion, PVOID FileName, ULONG LineNumber,
                              PSTR Message);
NTKERNELAPI BOOLEAN NTAPI KdRefreshDebuggerNotPresent(VOID);
NTKERNELAPI NTSTATUS NTAPI KdDisableDebugger(VOID);
NTKERNELAPI NTSTATUS NTAPI KdEnableDebugger(VOID);

#define DPFLTR_ERROR_LEVEL   0
#define DPFLTR_WARNING_LEVEL 1
#define DPFLTR_TRACE_LEVEL   2
#define DPFLTR_INFO_LEVEL    3
#define DPFLTR_MASK          0x80000000
typedef enum _DPFLTR_TYPE {
    DPFLTR_SYSTEM_ID = 0,
    DPFLTR_VIDEO_ID = 22,
    DPFLTR_IHVVIDEO_ID = 78,
    DPFLTR_IHVDRIVER_ID = 77,
    DPFLTR_DEFAULT_ID = 101,
    DPFLTR_ENDOFTABLE_ID = 158
} DPFLTR_TYPE;

#if DBG
#define KdPrint(arguments)    DbgPrint arguments
#define KdPrintEx(arguments)  DbgPrintEx arguments
#define vKdPrintEx(arguments) vDbgPrintEx arguments
#define KdBreakPoint()        DbgBreakPoint()
#define RTL_ASSERT(condition)                                                                     \
    ((!(condition))                                                                               \
         ? (RtlAssert((PVOID)(ULONG_PTR) #condition, (PVOID)(ULONG_PTR)__FILE__, __LINE__, NULL), \
            FALSE)                                                                                \
         : TRUE)
#define RTL_ASSERTMSG(message, condition)                                                   \
    ((!(condition)) ? (RtlAssert((PVOID)(ULONG_PTR) #condition, (PVOID)(ULONG_PTR)__FILE__, \
                                 __LINE__, (PSTR)(ULONG_PTR)(message)),                     \
                       FALSE)                                                               \
                    : TRUE)
#define ASSERT(condition)                ((void)RTL_ASSERT(condition))
#define ASSERTMSG(message, condition)    ((void)RTL_ASSERTMSG(message, condition))
#define NT_ASSERT(condition)             ((void)RTL_ASSERT(condition))
#define NT_ASSERTMSG(message, condition) ((void)RTL_ASSERTMSG(message, condition))
#define NT_ASSERT_ASSUME(condition)      NT_ASSERT(condition)
#define NT_VERIFY(condition)             ((BOOLEAN)RTL_ASSERT(condition))
#define NT_VERIFYMSG(message, condition) ((BOOLEAN)RTL_ASSERTMSG(message, condition))
#define NT_FRE_ASSERT(condition)         NT_ASSERT(condition)
#define RTL_VERIFY(condition)            NT_VERIFY(condition)
#define RTL_SOFT_ASSERT(condition)                                                           \
    ((!(condition))                                                                          \
         ? (DbgPrint("%s(%d): soft assertion failed: %s\n", __FILE__, __LINE__, #condition), \
            FALSE)                                                                           \
         : TRUE)
#else
#define KdPrint(arguments)
#define KdPrintEx(arguments)
#define vKdPrintEx(arguments)
#define KdBreakPoint()
#define RTL_ASSERT(condition)             (TRUE)
#define RTL_ASSERTMSG(message, condition) (TRUE)
#define ASSERT(condition)                 ((void)0)
#define ASSERTMSG(message, condition)     ((void)0)
#define NT_ASSERT(condition)              ((void)0)
#define NT_ASSERTMSG(message, condition)  ((void)0)
#define NT_VERIFY(condition)              ((condition) ? TRUE : FALSE)
#define NT_VERIFYMSG(message, condition)  ((condition) ? TRUE : FALSE)
#define NT_FRE_ASSERT(condition)          ((void)0)
#define RTL_VERIFY(condition)             ((condition) ? TRUE : FALSE)
#define RTL_SOFT_ASSERT(condition)        ((void)0)
#define NT_ASSERT_ASSUME(condition)       ((void)0)
#endif
#define NT_ANALYSIS_ASSUME(condition) ((void)0)

/* Paged code must not run at DISPATCH_LEVEL or above: its page might be out. */
#if DBG
#define PAGED_ASSERT(condition) NT_ASSERT(condition)
#define PAGED_CODE()            PAGED_ASSERT(KeGetCurrentIrql() <= APC_LEVEL)
#define PAGED_CODE_LOCKED()     NT_ASSERT(KeGetCurrentIrql() <= DISPATCH_LEVEL)
#else
#define PAGED_CODE()        ((void)0)
#define PAGED_CODE_LOCKED() ((void)0)
#endif
#define NON_PAGED_CODE() ((void)0)

/* ---- strings ---- */

#define RtlInitEmptyUnicodeString(string, buffer, size) \
    ((string)->Buffer = (buffer), (string)->MaximumLength = (USHORT)(size), (string)->Length = 0)
#define RtlInitEmptyAnsiString(string, buffer, size) \
    ((string)->Buffer = (buffer), (string)->MaximumLength = (USHORT)(size), (string)->Length = 0)

NTSYSAPI VOID NTAPI RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString);
NTSYSAPI NTSTATUS NTAPI RtlInitUnicodeStringEx(PUNICODE_STRING DestinationString,
                                               PCWSTR SourceString);
NTSYSAPI VOID NTAPI RtlInitAnsiString(PANSI_STRING DestinationString, PCSZ SourceString);
NTSYSAPI VOID NTAPI RtlInitString(PSTRING DestinationString, PCSZ SourceString);
NTSYSAPI VOID NTAPI RtlCopyUnicodeString(PUNICODE_STRING DestinationString,
                                         PCUNICODE_STRING SourceString);
NTSYSAPI VOID NTAPI RtlCopyString(PSTRING DestinationString, const STRING *SourceString);
NTSYSAPI NTSTATUS NTAPI RtlAppendUnicodeStringToString(PUNICODE_STRING Destination,
                                                       PCUNICODE_STRING Source);
NTSYSAPI NTSTATUS NTAPI RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source);
NTSYSAPI LONG NTAPI RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                            BOOLEAN CaseInSensitive);
NTSYSAPI BOOLEAN NTAPI RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                             BOOLEAN CaseInSensitive);
NTSYSAPI BOOLEAN NTAPI RtlEqualString(const STRING *String1, const STRING *String2,
                                      BOOLEAN CaseInSensitive);
NTSYSAPI LONG NTAPI RtlCompareString(const STRING *String1, const STRING *String2,
                                     BOOLEAN CaseInSensitive);
NTSYSAPI BOOLEAN NTAPI RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                              BOOLEAN CaseInSensitive);
NTSYSAPI NTSTATUS NTAPI RtlUpcaseUnicodeString(PUNICODE_STRING DestinationString,
                                               PCUNICODE_STRING SourceString,
                                               BOOLEAN AllocateDestinationString);
NTSYSAPI WCHAR NTAPI RtlUpcaseUnicodeChar(WCHAR SourceCharacter);
NTSYSAPI WCHAR NTAPI RtlDowncaseUnicodeChar(WCHAR SourceCharacter);
NTSYSAPI CHAR NTAPI RtlUpperChar(CHAR Character);
NTSYSAPI NTSTATUS NTAPI RtlAnsiStringToUnicodeString(PUNICODE_STRING DestinationString,
                                                     PCANSI_STRING SourceString,
                                                     BOOLEAN AllocateDestinationString);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringToAnsiString(PANSI_STRING DestinationString,
                                                     PCUNICODE_STRING SourceString,
                                                     BOOLEAN AllocateDestinationString);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeToMultiByteN(PCHAR MultiByteString,
                                               ULONG MaxBytesInMultiByteString,
                                               PULONG BytesInMultiByteString, PCWCH UnicodeString,
                                               ULONG BytesInUnicodeString);
NTSYSAPI NTSTATUS NTAPI RtlMultiByteToUnicodeN(PWCH UnicodeString, ULONG MaxBytesInUnicodeString,
                                               PULONG BytesInUnicodeString,
                                               const CHAR *MultiByteString,
                                               ULONG BytesInMultiByteString);
NTSYSAPI NTSTATUS NTAPI RtlUTF8ToUnicodeN(PWSTR UnicodeStringDestination,
                                          ULONG UnicodeStringMaxByteCount,
                                          PULONG UnicodeStringActualByteCount,
                                          const CHAR *UTF8StringSource, ULONG UTF8StringByteCount);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeToUTF8N(PCHAR UTF8StringDestination, ULONG UTF8StringMaxByteCount,
                                          PULONG UTF8StringActualByteCount,
                                          PCWCH UnicodeStringSource, ULONG UnicodeStringByteCount);
NTSYSAPI ULONG NTAPI RtlxAnsiStringToUnicodeSize(PCANSI_STRING AnsiString);
NTSYSAPI ULONG NTAPI RtlxUnicodeStringToAnsiSize(PCUNICODE_STRING UnicodeString);
#define RtlAnsiStringToUnicodeSize(string) RtlxAnsiStringToUnicodeSize(string)
#define RtlUnicodeStringToAnsiSize(string) RtlxUnicodeStringToAnsiSize(string)
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base,
                                                  PULONG Value);
NTSYSAPI NTSTATUS NTAPI RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String);
NTSYSAPI NTSTATUS NTAPI RtlInt64ToUnicodeString(ULONGLONG Value, ULONG Base,
                                                PUNICODE_STRING String);
NTSYSAPI NTSTATUS NTAPI RtlCharToInteger(PCSZ String, ULONG Base, PULONG Value);
NTSYSAPI NTSTATUS NTAPI RtlStringFromGUID(const GUID *Guid, PUNICODE_STRING GuidString);
NTSYSAPI NTSTATUS NTAPI RtlGUIDFromString(PCUNICODE_STRING GuidString, GUID *Guid);
NTSYSAPI VOID NTAPI RtlFreeUnicodeString(PUNICODE_STRING UnicodeString);
NTSYSAPI VOID NTAPI RtlFreeAnsiString(PANSI_STRING AnsiString);

/* ---- bitmaps ---- */

typedef struct _RTL_BITMAP {
    ULONG SizeOfBitMap;
    PULONG Buffer;
} RTL_BITMAP, *PRTL_BITMAP;

typedef struct _RTL_BITMAP_RUN {
    ULONG StartingIndex;
    ULONG NumberOfBits;
} RTL_BITMAP_RUN, *PRTL_BITMAP_RUN;

NTSYSAPI VOID NTAPI RtlInitializeBitMap(PRTL_BITMAP BitMapHeader, PULONG BitMapBuffer,
                                        ULONG SizeOfBitMap);
NTSYSAPI VOID NTAPI RtlClearBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
NTSYSAPI VOID NTAPI RtlSetBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
NTSYSAPI BOOLEAN NTAPI RtlTestBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
NTSYSAPI VOID NTAPI RtlClearAllBits(PRTL_BITMAP BitMapHeader);
NTSYSAPI VOID NTAPI RtlSetAllBits(PRTL_BITMAP BitMapHeader);
NTSYSAPI ULONG NTAPI RtlFindClearBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind,
                                      ULONG HintIndex);
NTSYSAPI ULONG NTAPI RtlFindSetBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
NTSYSAPI ULONG NTAPI RtlFindClearBitsAndSet(PRTL_BITMAP BitMapHeader, ULONG NumberToFind,
                                            ULONG HintIndex);
NTSYSAPI ULONG NTAPI RtlFindSetBitsAndClear(PRTL_BITMAP BitMapHeader, ULONG NumberToFind,
                                            ULONG HintIndex);
NTSYSAPI VOID NTAPI RtlClearBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex,
                                 ULONG NumberToClear);
NTSYSAPI VOID NTAPI RtlSetBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToSet);
NTSYSAPI ULONG NTAPI RtlFindClearRuns(PRTL_BITMAP BitMapHeader, PRTL_BITMAP_RUN RunArray,
                                      ULONG SizeOfRunArray, BOOLEAN LocateLongestRuns);
NTSYSAPI ULONG NTAPI RtlFindLongestRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex);
NTSYSAPI ULONG NTAPI RtlNumberOfClearBits(PRTL_BITMAP BitMapHeader);
NTSYSAPI ULONG NTAPI RtlNumberOfSetBits(PRTL_BITMAP BitMapHeader);
NTSYSAPI BOOLEAN NTAPI RtlAreBitsClear(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length);
NTSYSAPI BOOLEAN NTAPI RtlAreBitsSet(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length);
NTSYSAPI CCHAR NTAPI RtlFindLeastSignificantBit(ULONGLONG Set);
NTSYSAPI CCHAR NTAPI RtlFindMostSignificantBit(ULONGLONG Set);
#define RtlCheckBit(map, bit) ((((map)->Buffer)[(bit) / 32] >> ((bit) % 32)) & 1)

/* ---- registry helpers ---- */

#define RTL_REGISTRY_ABSOLUTE              0
#define RTL_REGISTRY_SERVICES              1
#define RTL_REGISTRY_CONTROL               2
#define RTL_REGISTRY_WINDOWS_NT            3
#define RTL_REGISTRY_DEVICEMAP             4
#define RTL_REGISTRY_USER                  5
#define RTL_REGISTRY_MAXIMUM               6
#define RTL_REGISTRY_HANDLE                0x40000000
#define RTL_REGISTRY_OPTIONAL              0x80000000
#define RTL_QUERY_REGISTRY_SUBKEY          0x00000001
#define RTL_QUERY_REGISTRY_TOPKEY          0x00000002
#define RTL_QUERY_REGISTRY_REQUIRED        0x00000004
#define RTL_QUERY_REGISTRY_NOVALUE         0x00000008
#define RTL_QUERY_REGISTRY_NOEXPAND        0x00000010
#define RTL_QUERY_REGISTRY_DIRECT          0x00000020
#define RTL_QUERY_REGISTRY_DELETE          0x00000040
#define RTL_QUERY_REGISTRY_TYPECHECK       0x00000100
#define RTL_QUERY_REGISTRY_TYPECHECK_SHIFT 24

typedef NTSTATUS NTAPI RTL_QUERY_REGISTRY_ROUTINE(PWSTR ValueName, ULONG ValueType, PVOID ValueData,
                                                  ULONG ValueLength, PVOID Context,
                                                  PVOID EntryContext);
typedef RTL_QUERY_REGISTRY_ROUTINE *PRTL_QUERY_REGISTRY_ROUTINE;

typedef struct _RTL_QUERY_REGISTRY_TABLE {
    PRTL_QUERY_REGISTRY_ROUTINE QueryRoutine;
    ULONG Flags;
    PWSTR Name;
    PVOID EntryContext;
    ULONG DefaultType;
    PVOID DefaultData;
    ULONG DefaultLength;
} RTL_QUERY_REGISTRY_TABLE, *PRTL_QUERY_REGISTRY_TABLE;

NTSYSAPI NTSTATUS NTAPI RtlQueryRegistryValues(ULONG RelativeTo, PCWSTR Path,
                                               PRTL_QUERY_REGISTRY_TABLE QueryTable, PVOID Context,
                                               PVOID Environment);
NTSYSAPI NTSTATUS NTAPI RtlWriteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName,
                                              ULONG ValueType, PVOID ValueData, ULONG ValueLength);
NTSYSAPI NTSTATUS NTAPI RtlDeleteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName);
NTSYSAPI NTSTATUS NTAPI RtlCheckRegistryKey(ULONG RelativeTo, PWSTR Path);
NTSYSAPI NTSTATUS NTAPI RtlCreateRegistryKey(ULONG RelativeTo, PWSTR Path);

/* ---- versions, time, the rest ---- */

typedef struct _OSVERSIONINFOW {
    ULONG dwOSVersionInfoSize;
    ULONG dwMajorVersion;
    ULONG dwMinorVersion;
    ULONG dwBuildNumber;
    ULONG dwPlatformId;
    WCHAR szCSDVersion[128];
} OSVERSIONINFOW, *POSVERSIONINFOW, RTL_OSVERSIONINFOW, *PRTL_OSVERSIONINFOW;

typedef struct _OSVERSIONINFOEXW {
    ULONG dwOSVersionInfoSize;
    ULONG dwMajorVersion;
    ULONG dwMinorVersion;
    ULONG dwBuildNumber;
    ULONG dwPlatformId;
    WCHAR szCSDVersion[128];
    USHORT wServicePackMajor;
    USHORT wServicePackMinor;
    USHORT wSuiteMask;
    UCHAR wProductType;
    UCHAR wReserved;
} OSVERSIONINFOEXW, *POSVERSIONINFOEXW, RTL_OSVERSIONINFOEXW, *PRTL_OSVERSIONINFOEXW;

typedef struct _TIME_FIELDS {
    CSHORT Year;
    CSHORT Month;
    CSHORT Day;
    CSHORT Hour;
    CSHORT Minute;
    CSHORT Second;
    CSHORT Milliseconds;
    CSHORT Weekday;
} TIME_FIELDS, *PTIME_FIELDS;

NTSYSAPI NTSTATUS NTAPI RtlGetVersion(PRTL_OSVERSIONINFOW lpVersionInformation);
NTSYSAPI NTSTATUS NTAPI RtlVerifyVersionInfo(PRTL_OSVERSIONINFOEXW VersionInfo, ULONG TypeMask,
                                             ULONGLONG ConditionMask);
NTSYSAPI BOOLEAN NTAPI RtlIsNtDdiVersionAvailable(ULONG Version);
NTSYSAPI VOID NTAPI RtlTimeToTimeFields(PLARGE_INTEGER Time, PTIME_FIELDS TimeFields);
NTSYSAPI BOOLEAN NTAPI RtlTimeFieldsToTime(PTIME_FIELDS TimeFields, PLARGE_INTEGER Time);
NTSYSAPI ULONG NTAPI RtlRandomEx(PULONG Seed);
NTSYSAPI USHORT NTAPI RtlCaptureStackBackTrace(ULONG FramesToSkip, ULONG FramesToCapture,
                                               PVOID *BackTrace, PULONG BackTraceHash);
NTSYSAPI VOID NTAPI RtlGetCallersAddress(PVOID *CallersAddress, PVOID *CallersCaller);
NTSYSAPI PVOID NTAPI RtlPcToFileHeader(PVOID PcValue, PVOID *BaseOfImage);
NTSYSAPI NTSTATUS NTAPI RtlCreateSecurityDescriptor(PSECURITY_DESCRIPTOR SecurityDescriptor,
                                                    ULONG Revision);
NTSYSAPI ULONG NTAPI RtlNtStatusToDosError(NTSTATUS Status);
NTSYSAPI ULONG NTAPI RtlWalkFrameChain(PVOID *Callers, ULONG Count, ULONG Flags);

#define RtlConvertLongToLargeInteger(value)  __wdm_large_integer((LONGLONG)(LONG)(value))
#define RtlConvertUlongToLargeInteger(value) __wdm_large_integer((LONGLONG)(ULONG)(value))
FORCEINLINE LARGE_INTEGER __wdm_large_integer(LONGLONG value)
{
    LARGE_INTEGER result;
    result.QuadPart = value;
    return result;
}

FORCEINLINE LUID RtlConvertLongToLuid(LONG value)
{
    LUID result;
    result.LowPart = (ULONG)value;
    result.HighPart = value < 0 ? -1 : 0;
    return result;
}
#define RtlEqualLuid(a, b)  (((a)->LowPart == (b)->LowPart) && ((a)->HighPart == (b)->HighPart))
#define RtlIsZeroLuid(luid) ((BOOLEAN)(((luid)->LowPart | (ULONG)(luid)->HighPart) == 0))

FORCEINLINE USHORT RtlUshortByteSwap(USHORT value)
{
    return __builtin_bswap16(value);
}

FORCEINLINE ULONG RtlUlongByteSwap(ULONG value)
{
    return __builtin_bswap32(value);
}

FORCEINLINE ULONGLONG RtlUlonglongByteSwap(ULONGLONG value)
{
    return __builtin_bswap64(value);
}

FORCEINLINE VOID RtlFailFast(ULONG code)
{
    /* Windows stops with bug check 0x139; interrupt 0x29 is its entry. */
    __asm__ volatile("int $0x29" : : "c"(code));
    __builtin_unreachable();
}

#endif /* _WDM_RTL_H_ */
