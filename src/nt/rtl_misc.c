/* nt/rtl_misc.c: versions, calendar, random numbers, call stacks, resources. */
#include "nt/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLATFORM_NT 2

/* Versions that drivers are built for, and ask for by the numbers of sdkddkver.h. Whose build
 * 0x0A00000A is, no page says: a guess, after its element. */
static const struct release {
    struct nt_version version; /* the first with this number */
    ULONG ntddi;
} releases[] = {
    {{6, 0, 6000}, 0x06000000},   {{6, 0, 6001}, 0x06000100},   {{6, 0, 6002}, 0x06000200},
    {{6, 1, 7600}, 0x06010000},   {{6, 2, 9200}, 0x06020000},   {{6, 3, 9600}, 0x06030000},
    {{10, 0, 10240}, 0x0A000000}, {{10, 0, 10586}, 0x0A000001}, {{10, 0, 14393}, 0x0A000002},
    {{10, 0, 15063}, 0x0A000003}, {{10, 0, 16299}, 0x0A000004}, {{10, 0, 17134}, 0x0A000005},
    {{10, 0, 17763}, 0x0A000006}, {{10, 0, 18362}, 0x0A000007}, {{10, 0, 19041}, 0x0A000008},
    {{10, 0, 20348}, 0x0A00000A}, {{10, 0, 22000}, 0x0A00000B}, {{10, 0, 22621}, 0x0A00000C},
    {{10, 0, 25398}, 0x0A00000E}, {{10, 0, 26100}, 0x0A000010},
};
#define RELEASE_COUNT (sizeof(releases) / sizeof(releases[0]))

struct nt_version version_ours = {10, 0, 26100};

void nt_set_version(const struct nt_version *version)
{
    version_ours = version->major ? *version : releases[RELEASE_COUNT - 1].version;
}

bool nt_version_read(const char *text, struct nt_version *version)
{
    struct nt_version asked = {0};
    int end = 0;

    if (text[strspn(text, "0123456789.")]) {
        return false; /* signs and spaces, which sscanf() would take */
    }
    bool has_build =
        sscanf(text, "%2u.%2u.%5u%n", &asked.major, &asked.minor, &asked.build, &end) == 3;
    if (!has_build && (sscanf(text, "%2u.%2u%n", &asked.major, &asked.minor, &end) != 2)) {
        return false;
    }
    version->major = 0;
    for (unsigned i = 0; i < RELEASE_COUNT && !text[end]; i++) {
        const struct nt_version *one = &releases[i].version;
        if (one->major == asked.major && one->minor == asked.minor &&
            (!has_build || one->build <= asked.build)) {
            *version = has_build ? asked : *one;
        }
    }
    return version->major != 0;
}

SIZE_T NTAPI RtlCompareMemory(const VOID *Source1, const VOID *Source2, SIZE_T Length)
{
    SIZE_T same = 0;

    NT_EXPORT_ENTER(RtlCompareMemory);
    while (same < Length && ((const uint8_t *)Source1)[same] == ((const uint8_t *)Source2)[same]) {
        same++;
    }
    return same;
}

/* ---- Versions -------------------------------------------------------------------------------- */

NTSTATUS NTAPI RtlGetVersion(PRTL_OSVERSIONINFOW lpVersionInformation)
{
    ULONG size = lpVersionInformation->dwOSVersionInfoSize;

    NT_EXPORT_ENTER(RtlGetVersion);
    if (size != sizeof(RTL_OSVERSIONINFOW) && size != sizeof(RTL_OSVERSIONINFOEXW)) {
        return STATUS_INVALID_PARAMETER;
    }
    memset(lpVersionInformation, 0, size);
    lpVersionInformation->dwOSVersionInfoSize = size;
    lpVersionInformation->dwMajorVersion = version_ours.major;
    lpVersionInformation->dwMinorVersion = version_ours.minor;
    lpVersionInformation->dwBuildNumber = version_ours.build;
    lpVersionInformation->dwPlatformId = PLATFORM_NT;
    if (size == sizeof(RTL_OSVERSIONINFOEXW)) {
        ((PRTL_OSVERSIONINFOEXW)lpVersionInformation)->wProductType = PRODUCT_WORKSTATION;
    }
    return STATUS_SUCCESS;
}

/* Each of the eight kinds has three bits of the mask: equal, greater, greater or equal, less, less
 * or equal. The kinds in TypeMask: minor 1, major 2, build 4, platform 8, service packs 16 and
 * 32. */
static bool satisfies(unsigned condition, ULONG ours, ULONG wanted)
{
    switch (condition) {
    case 1:
        return ours == wanted;
    case 2:
        return ours > wanted;
    case 3:
        return ours >= wanted;
    case 4:
        return ours < wanted;
    case 5:
        return ours <= wanted;
    default:
        return false;
    }
}

NTSTATUS NTAPI RtlVerifyVersionInfo(PRTL_OSVERSIONINFOEXW VersionInfo, ULONG TypeMask,
                                    ULONGLONG ConditionMask)
{
    const ULONG wanted[] = {VersionInfo->dwMinorVersion,    VersionInfo->dwMajorVersion,
                            VersionInfo->dwBuildNumber,     VersionInfo->dwPlatformId,
                            VersionInfo->wServicePackMinor, VersionInfo->wServicePackMajor};
    const ULONG ours[] = {
        version_ours.minor, version_ours.major, version_ours.build, PLATFORM_NT, 0, 0};

    NT_EXPORT_ENTER(RtlVerifyVersionInfo);
    if (TypeMask == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    /* A major version that differs decides alone, as the documentation says. */
    if (TypeMask & 2) {
        unsigned condition = ConditionMask >> 3 & 7;
        if (ours[1] != wanted[1] && condition > 1) {
            return satisfies(condition, ours[1], wanted[1]) ? STATUS_SUCCESS
                                                            : STATUS_REVISION_MISMATCH;
        }
    }
    for (unsigned i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        if (TypeMask >> i & 1 && !satisfies(ConditionMask >> i * 3 & 7, ours[i], wanted[i])) {
            return STATUS_REVISION_MISMATCH;
        }
    }
    return STATUS_SUCCESS;
}

BOOLEAN NTAPI RtlIsNtDdiVersionAvailable(ULONG Version)
{
    NT_EXPORT_ENTER(RtlIsNtDdiVersionAvailable);
    ULONG ours = 0;
    for (unsigned i = 0; i < RELEASE_COUNT; i++) {
        const struct nt_version *one = &releases[i].version;
        bool reached = one->major != version_ours.major   ? one->major < version_ours.major
                       : one->minor != version_ours.minor ? one->minor < version_ours.minor
                                                          : one->build <= version_ours.build;
        ours = reached ? releases[i].ntddi : ours;
    }
    return Version <= ours;
}

BOOLEAN NTAPI PsGetVersion(PULONG MajorVersion, PULONG MinorVersion, PULONG BuildNumber,
                           PUNICODE_STRING CSDVersion)
{
    NT_EXPORT_ENTER(PsGetVersion);
    if (MajorVersion) {
        *MajorVersion = version_ours.major;
    }
    if (MinorVersion) {
        *MinorVersion = version_ours.minor;
    }
    if (BuildNumber) {
        *BuildNumber = version_ours.build;
    }
    if (CSDVersion) {
        CSDVersion->Length = 0;
    }
    return FALSE; /* a free build */
}

/* ---- Calendar -------------------------------------------------------------------------------- */

#define MS_PER_DAY    86400000
#define DAYS_PER_400Y 146097
#define FIRST_YEAR    1601
#define FIRST_WEEKDAY 1 /* 1601-01-01 was a Monday */

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_of_month(int year, int month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return days[month - 1] + (month == 2 && is_leap(year));
}

VOID NTAPI RtlTimeToTimeFields(PLARGE_INTEGER Time, PTIME_FIELDS TimeFields)
{
    uint64_t ms = (uint64_t)Time->QuadPart / TICKS_PER_MS;
    uint64_t days = ms / MS_PER_DAY;
    uint64_t year = FIRST_YEAR + days / DAYS_PER_400Y * 400;
    int month = 1;

    NT_EXPORT_ENTER(RtlTimeToTimeFields);
    TimeFields->Weekday = (CSHORT)((days + FIRST_WEEKDAY) % 7);
    days %= DAYS_PER_400Y;
    while (days >= (uint64_t)(is_leap((int)year) ? 366 : 365)) {
        days -= is_leap((int)year) ? 366 : 365;
        year++;
    }
    while (days >= (uint64_t)days_of_month((int)year, month)) {
        days -= (uint64_t)days_of_month((int)year, month);
        month++;
    }
    ms %= MS_PER_DAY;
    TimeFields->Year = (CSHORT)year;
    TimeFields->Month = (CSHORT)month;
    TimeFields->Day = (CSHORT)(days + 1);
    TimeFields->Hour = (CSHORT)(ms / 3600000);
    TimeFields->Minute = (CSHORT)(ms / 60000 % 60);
    TimeFields->Second = (CSHORT)(ms / 1000 % 60);
    TimeFields->Milliseconds = (CSHORT)(ms % 1000);
}

static bool fields_are_valid(const TIME_FIELDS *fields)
{
    return fields->Year >= FIRST_YEAR && fields->Year <= 30827 && fields->Month >= 1 &&
           fields->Month <= 12 && fields->Day >= 1 &&
           fields->Day <= days_of_month(fields->Year, fields->Month) && fields->Hour >= 0 &&
           fields->Hour < 24 && fields->Minute >= 0 && fields->Minute < 60 && fields->Second >= 0 &&
           fields->Second < 60 && fields->Milliseconds >= 0 && fields->Milliseconds < 1000;
}

BOOLEAN NTAPI RtlTimeFieldsToTime(PTIME_FIELDS TimeFields, PLARGE_INTEGER Time)
{
    int64_t years, days, ms;

    NT_EXPORT_ENTER(RtlTimeFieldsToTime);
    if (!fields_are_valid(TimeFields)) {
        return FALSE;
    }
    years = TimeFields->Year - FIRST_YEAR;
    days = years * 365 + years / 4 - years / 100 + years / 400 + TimeFields->Day - 1;
    for (int month = 1; month < TimeFields->Month; month++) {
        days += days_of_month(TimeFields->Year, month);
    }
    ms = ((days * 24 + TimeFields->Hour) * 60 + TimeFields->Minute) * 60 + TimeFields->Second;
    Time->QuadPart = (ms * 1000 + TimeFields->Milliseconds) * TICKS_PER_MS;
    return TRUE;
}

/* ---- Random numbers: from the caller's seed alone -------------------------------------------- */

ULONG NTAPI RtlRandomEx(PULONG Seed)
{
    NT_EXPORT_ENTER(RtlRandomEx);
    /* Lehmer's generator modulo 2^31 - 1; the documented range is 0 .. MAXLONG - 1. */
    *Seed = (ULONG)((uint64_t)(*Seed % 0x7FFFFFFF + 1) * 48271 % 0x7FFFFFFF);
    return *Seed;
}

/* ---- Call stacks: driver frames have no frame pointers to follow, so none is told ------------ */

USHORT NTAPI RtlCaptureStackBackTrace(ULONG FramesToSkip, ULONG FramesToCapture, PVOID *BackTrace,
                                      PULONG BackTraceHash)
{
    NT_EXPORT_ENTER(RtlCaptureStackBackTrace);
    if (BackTraceHash) {
        *BackTraceHash = 0;
    }
    return 0;
}

ULONG NTAPI RtlWalkFrameChain(PVOID *Callers, ULONG Count, ULONG Flags)
{
    NT_EXPORT_ENTER(RtlWalkFrameChain);
    return 0;
}

VOID NTAPI RtlGetCallersAddress(PVOID *CallersAddress, PVOID *CallersCaller)
{
    struct export_call call = NT_EXPORT_CALL(RtlGetCallersAddress);

    *CallersAddress = (PVOID)(uintptr_t)call.caller;
    if (CallersCaller) {
        *CallersCaller = NULL;
    }
}

PVOID NTAPI RtlPcToFileHeader(PVOID PcValue, PVOID *BaseOfImage)
{
    NT_EXPORT_ENTER(RtlPcToFileHeader);
    *BaseOfImage = driver_image_at(PcValue);
    return *BaseOfImage;
}

/* ---- The rest -------------------------------------------------------------------------------- */

/* An empty descriptor: nothing here checks access. */
NTSTATUS NTAPI RtlCreateSecurityDescriptor(PSECURITY_DESCRIPTOR SecurityDescriptor, ULONG Revision)
{
    NT_EXPORT_ENTER(RtlCreateSecurityDescriptor);
    if (Revision != 1) {
        return STATUS_UNKNOWN_REVISION;
    }
    memset(SecurityDescriptor, 0, 40);
    *(UCHAR *)SecurityDescriptor = 1;
    return STATUS_SUCCESS;
}

ULONG NTAPI RtlNtStatusToDosError(NTSTATUS Status)
{
    static const struct {
        NTSTATUS status;
        ULONG error;
    } pairs[] = {
        {STATUS_SUCCESS, 0},
        {STATUS_INVALID_PARAMETER, 87},
        {STATUS_NO_MEMORY, 8},
        {STATUS_INSUFFICIENT_RESOURCES, 1450},
        {STATUS_ACCESS_DENIED, 5},
        {STATUS_INVALID_HANDLE, 6},
        {STATUS_NOT_SUPPORTED, 50},
        {STATUS_NOT_IMPLEMENTED, 1},
        {STATUS_OBJECT_NAME_NOT_FOUND, 2},
        {STATUS_BUFFER_TOO_SMALL, 122},
        {STATUS_BUFFER_OVERFLOW, 234},
        {STATUS_TIMEOUT, 1460},
        {STATUS_DEVICE_REMOVED, 1617},
        {STATUS_UNSUCCESSFUL, 31},
        {STATUS_ACCESS_VIOLATION, 998},
    };

    NT_EXPORT_ENTER(RtlNtStatusToDosError);
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (pairs[i].status == Status) {
            return pairs[i].error;
        }
    }
    return 317; /* ERROR_MR_MID_NOT_FOUND: no mapping */
}

ULONGLONG NTAPI RtlCmDecodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor,
                                         PULONGLONG Start)
{
    unsigned shift = 0;

    NT_EXPORT_ENTER(RtlCmDecodeMemIoResource);
    if (Start) {
        *Start = (ULONGLONG)Descriptor->u.Generic.Start.QuadPart;
    }
    if (Descriptor->Type == CmResourceTypeMemoryLarge) {
        shift = Descriptor->Flags & CM_RESOURCE_MEMORY_LARGE_40   ? 8
                : Descriptor->Flags & CM_RESOURCE_MEMORY_LARGE_48 ? 16
                : Descriptor->Flags & CM_RESOURCE_MEMORY_LARGE_64 ? 32
                                                                  : 0;
    }
    return (ULONGLONG)Descriptor->u.Generic.Length << shift;
}

/* The length is kept in 32 bits; in a large descriptor they are the upper ones of 40, 48 or 64. */
NTSTATUS NTAPI RtlCmEncodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor, UCHAR Type,
                                        ULONGLONG Length, ULONGLONG Start)
{
    static const struct {
        unsigned shift;
        USHORT flag;
    } widths[] = {{0, 0},
                  {8, CM_RESOURCE_MEMORY_LARGE_40},
                  {16, CM_RESOURCE_MEMORY_LARGE_48},
                  {32, CM_RESOURCE_MEMORY_LARGE_64}};
    size_t count = Type == CmResourceTypeMemoryLarge ? 4 : 1;

    NT_EXPORT_ENTER(RtlCmEncodeMemIoResource);
    if (Type != CmResourceTypeMemory && Type != CmResourceTypeMemoryLarge &&
        Type != CmResourceTypePort) {
        return STATUS_INVALID_PARAMETER;
    }
    for (size_t i = Type == CmResourceTypeMemoryLarge; i < count; i++) {
        ULONGLONG kept = Length >> widths[i].shift;
        if (kept <= 0xFFFFFFFF && kept << widths[i].shift == Length) {
            Descriptor->Type = Type;
            Descriptor->Flags &= (USHORT)~CM_RESOURCE_MEMORY_LARGE;
            Descriptor->Flags |= widths[i].flag;
            Descriptor->u.Generic.Start.QuadPart = (LONGLONG)Start;
            Descriptor->u.Generic.Length = (ULONG)kept;
            return STATUS_SUCCESS;
        }
    }
    return STATUS_UNSUCCESSFUL;
}
