/* A driver that asks the kernel's services what their pages promise, and tells each broken promise.
 */
#include <ntddk.h>
#include <ntifs.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

DRIVER_INITIALIZE DriverEntry;

#define TAG 'vreS'

static unsigned checks, wrong;
static UCHAR global[3 * PAGE_SIZE];
static const UCHAR constant[64] = {1, 2, 3};

static void check(BOOLEAN fine, const char *what)
{
    checks++;
    if (!fine) {
        wrong++;
        DbgPrint("wrong: %s\n", what);
    }
}
#define CHECK(condition) check((condition) != 0, #condition)

/* The exception that a call raises. */
#define RAISED(call)                             \
    ({                                           \
        NTSTATUS raised_ = STATUS_SUCCESS;       \
        __try {                                  \
            call;                                \
        } __except (EXCEPTION_EXECUTE_HANDLER) { \
            raised_ = GetExceptionCode();        \
        }                                        \
        raised_;                                 \
    })

static void wild_addresses(void)
{
    static const ULONG_PTR wild[] = {0, 0x1000, 0x123456789000, 0x6FFFFFFE0000};
    UCHAR into[16];

    for (unsigned i = 0; i < ARRAYSIZE(wild); i++) {
        MM_COPY_ADDRESS from = {.VirtualAddress = (PVOID)wild[i]};
        SIZE_T copied = 1;

        CHECK(!MmIsAddressValid((PVOID)wild[i]));
        CHECK(!NT_SUCCESS(MmCopyMemory(into, from, sizeof(into), MM_COPY_MEMORY_VIRTUAL, &copied)));
        CHECK(copied == 0);
        CHECK(MmSecureVirtualMemory((PVOID)wild[i], 16, PAGE_READWRITE) == NULL);
    }
}

static void valid_addresses(void)
{
    UCHAR local = 0, into[64] = {0};
    MM_COPY_ADDRESS from = {.VirtualAddress = (PVOID)constant};
    SIZE_T copied = 0;

    CHECK(MmIsAddressValid(&local));
    CHECK(MmIsAddressValid(global));
    CHECK(MmIsAddressValid((PVOID)(ULONG_PTR)constant));
    CHECK(MmIsAddressValid((PVOID)(ULONG_PTR)valid_addresses));
    CHECK(NT_SUCCESS(MmCopyMemory(into, from, sizeof(into), MM_COPY_MEMORY_VIRTUAL, &copied)));
    CHECK(copied == sizeof(into) && into[2] == 3);
}

/* Locks the buffer and looks at it through another address. */
static void lock(UCHAR *buffer, ULONG size)
{
    PMDL mdl = IoAllocateMdl(buffer, size, FALSE, FALSE, NULL);
    UCHAR *view;

    buffer[0] = 1;
    buffer[size - 1] = 2;
    CHECK(RAISED(MmProbeAndLockPages(mdl, KernelMode, IoWriteAccess)) == STATUS_SUCCESS);
    view = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
    CHECK(view != NULL && view != buffer);
    if (view) {
        CHECK(view[0] == 1 && view[size - 1] == 2);
        view[0] = 3;
        buffer[size - 1] = 4;
        CHECK(buffer[0] == 3 && view[size - 1] == 4);
        CHECK(MmGetPhysicalAddress(view).QuadPart == MmGetPhysicalAddress(buffer).QuadPart);
    }
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
}

static void locking(void)
{
    UCHAR local[2 * PAGE_SIZE], small[40];
    UCHAR *pool = ExAllocatePoolWithTag(NonPagedPoolNx, PAGE_SIZE, TAG);

    lock(local, sizeof(local));
    lock(small, sizeof(small));
    lock(global + 10, sizeof(global) - 20);
    lock(pool, PAGE_SIZE);
    CHECK(MmGetPhysicalAddress(global).QuadPart != 0);
    CHECK(MmGetPhysicalAddress(small).QuadPart != 0);
    CHECK(MmGetPhysicalAddress((PVOID)(ULONG_PTR)constant).QuadPart != 0);
    CHECK(constant[2] == 3);
    ExFreePoolWithTag(pool, TAG);
}

static void user_views(void)
{
    UCHAR *pool = ExAllocatePoolWithTag(NonPagedPoolNx, PAGE_SIZE, TAG);
    PMDL mdl = IoAllocateMdl(pool, PAGE_SIZE, FALSE, FALSE, NULL);
    UCHAR *user, *other;

    MmBuildMdlForNonPagedPool(mdl);
    user = MmMapLockedPagesSpecifyCache(mdl, UserMode, MmCached, NULL, FALSE, NormalPagePriority);
    other = MmMapLockedPagesSpecifyCache(mdl, UserMode, MmCached, NULL, FALSE, NormalPagePriority);
    CHECK(user != NULL && user != pool && other != user);
    CHECK(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority) == pool);
    user[5] = 55;
    CHECK(pool[5] == 55 && other[5] == 55);
    CHECK(RAISED(ProbeForWrite(user, PAGE_SIZE, 1)) == STATUS_SUCCESS);
    MmUnmapLockedPages(user, mdl);
    MmUnmapLockedPages(other, mdl);
    IoFreeMdl(mdl);
    ExFreePoolWithTag(pool, TAG);
}

static void probes(void)
{
    UCHAR local[16];
    UCHAR *pool = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    PMDL mdl = IoAllocateMdl(pool, 64, FALSE, FALSE, NULL);

    CHECK(RAISED(ProbeForRead(pool, 64, 1)) == STATUS_ACCESS_VIOLATION);
    CHECK(RAISED(ProbeForWrite(pool, 64, 1)) == STATUS_ACCESS_VIOLATION);
    CHECK(RAISED(ProbeForRead(local, 16, 1)) == STATUS_ACCESS_VIOLATION);
    CHECK(RAISED(ProbeForWrite(global, 16, 1)) == STATUS_ACCESS_VIOLATION);
    CHECK(RAISED(ProbeForRead((PVOID)MmHighestUserAddress, PAGE_SIZE * 17, 1)) ==
          STATUS_ACCESS_VIOLATION);
    CHECK(RAISED(ProbeForRead(pool, 0, 1)) == STATUS_SUCCESS);
    CHECK(RAISED(MmProbeAndLockPages(mdl, UserMode, IoReadAccess)) == STATUS_ACCESS_VIOLATION);
    CHECK(MmSecureVirtualMemory(pool, 64, PAGE_READWRITE) == NULL);
    CHECK((ULONG_PTR)MmHighestUserAddress < MmUserProbeAddress);
    CHECK((PVOID)MmUserProbeAddress < MmSystemRangeStart);
    IoFreeMdl(mdl);
    ExFreePoolWithTag(pool, TAG);
}

#define CUT ((SIZE_T)-1) /* _TRUNCATE */

static void strings(void)
{
    char text[8] = "xxxxxxx", words[] = ",one,,two;three", *place = NULL;
    wchar_t wide[8] = L"xxxxxxx", wide_words[] = L"a b", *wide_place = NULL, *end;

    CHECK(strncpy_s(text, 4, "abcdef", CUT) == 80 && strcmp(text, "abc") == 0);
    CHECK(strncpy_s(text, 4, "abc", CUT) == 0 && strcmp(text, "abc") == 0);
    CHECK(strncpy_s(text, 4, "abcdef", 3) == 0 && strcmp(text, "abc") == 0);
    CHECK(strncpy_s(text, 4, "abcdef", 4) == 34 && text[0] == 0);
    CHECK(strcpy_s(text, 8, "abcd") == 0 && strncat_s(text, 8, "efgh", 2) == 0);
    CHECK(strcmp(text, "abcdef") == 0);
    CHECK(strncat_s(text, 8, "ghij", CUT) == 80 && strcmp(text, "abcdefg") == 0);
    CHECK(strncat_s(text, 8, "h", 1) == 34 && text[0] == 0);
    CHECK(wcsncpy_s(wide, 4, L"abcdef", CUT) == 80 && wcscmp(wide, L"abc") == 0);
    CHECK(wcsncpy_s(wide, 4, L"abcdef", 4) == 34 && wide[0] == 0);
    CHECK(strcmp(strtok_s(words, ",;", &place), "one") == 0);
    CHECK(strcmp(strtok_s(NULL, ",;", &place), "two") == 0);
    CHECK(strcmp(strtok_s(NULL, ",;", &place), "three") == 0);
    CHECK(strtok_s(NULL, ",;", &place) == NULL);
    CHECK(wcscmp(wcstok_s(wide_words, L" ", &wide_place), L"a") == 0);
    CHECK(wcscmp(wcstok_s(NULL, L" ", &wide_place), L"b") == 0);
    CHECK(_snprintf_s(text, 8, CUT, "%s", "12345678") == -1 && strcmp(text, "1234567") == 0);
    CHECK(_snprintf_s(text, 8, 3, "%d", 12345) == -1 && strcmp(text, "123") == 0);
    CHECK(_snprintf_s(text, 8, 7, "%d", 12345) == 5 && strcmp(text, "12345") == 0);
    CHECK(_itow_s(-31, wide, 8, 10) == 0 && wcscmp(wide, L"-31") == 0);
    CHECK(_itow_s(255, wide, 8, 16) == 0 && wcscmp(wide, L"ff") == 0);
    CHECK(_itow_s(12345678, wide, 8, 10) == 34 && wide[0] == 0);
    CHECK(_itow_s(1, wide, 8, 1) == 22);
    CHECK(wcstoul(L" 0x1Fz", &end, 0) == 31 && *end == 'z');
    CHECK(wcstoul(L"077", NULL, 0) == 63 && wcstoul(L"12", NULL, 3) == 5);
    CHECK(wcstoul(L"99999999999", NULL, 10) == 0xFFFFFFFF);
    CHECK(wcstoul(L"-1", &end, 10) == 0xFFFFFFFF && *end == 0);
}

static jmp_buf place;
static unsigned undone;

__attribute__((noinline)) static void jump(int value)
{
    __try {
        longjmp(place, value);
    } __finally {
        undone++;
    }
}

static void jumps(void)
{
    volatile int came = 0;
    int now = setjmp(place);

    CHECK(now == came);
    if (now < 3) {
        came = now + 1;
        jump(now + 1);
    }
    CHECK(came == 3 && undone == 3);
}

/* ---- What Microsoft's headers do without a call ---------------------------------------------- */

#define SHARED(type, offset) (*(volatile type *)(0xFFFFF78000000000 + (offset)))

static KIRQL level(void)
{
    ULONG_PTR value;

    __asm__ volatile("mov %%cr8, %0" : "=r"(value));
    return (KIRQL)value;
}

static void set_level(KIRQL irql)
{
    __asm__ volatile("mov %0, %%cr8" : : "r"((ULONG_PTR)irql) : "memory");
}

static ULONG cpu_number(void)
{
    ULONG value;

    __asm__ volatile("movl %%gs:0x184, %0" : "=r"(value));
    return value;
}

static BOOLEAN runs_on(ULONG number)
{
    BOOLEAN same;

    __asm__ volatile("cmpl %1, %%gs:0x184; sete %0" : "=r"(same) : "r"(number) : "cc");
    return same;
}

static PVOID thread(void)
{
    PVOID value;

    __asm__ volatile("movq %%gs:0x188, %0" : "=r"(value));
    return value;
}

static ULONGLONG shared_time_absolute(void)
{
    ULONGLONG value;

    __asm__ volatile("movabsq 0xFFFFF78000000014, %0" : "=a"(value));
    return value;
}

static void processor(void)
{
    LARGE_INTEGER before, ticks;
    ULONG major, minor, build;
    UCHAR last;

    CHECK(level() == PASSIVE_LEVEL);
    set_level(DISPATCH_LEVEL);
    CHECK(KeGetCurrentIrql() == DISPATCH_LEVEL && level() == DISPATCH_LEVEL);
    CHECK(cpu_number() == KeGetCurrentProcessorNumber());
    CHECK(runs_on(KeGetCurrentProcessorNumber()) && !runs_on(77));
    set_level(PASSIVE_LEVEL);
    CHECK(KeGetCurrentIrql() == PASSIVE_LEVEL);
    CHECK(thread() == (PVOID)KeGetCurrentThread());
    KeQuerySystemTime(&before);
    CHECK(SHARED(ULONGLONG, 0x14) - (ULONGLONG)before.QuadPart <= 156250);
    CHECK(shared_time_absolute() - (ULONGLONG)before.QuadPart <= 156250);
    CHECK(SHARED(ULONG, 0x18) == SHARED(ULONG, 0x1C)); /* high, and high again */
    KeQueryTickCount(&ticks);
    CHECK(SHARED(ULONGLONG, 0x320) - (ULONGLONG)ticks.QuadPart <= 1);
    CHECK(SHARED(ULONGLONG, 0x8) / 156250 - (ULONGLONG)ticks.QuadPart <= 1);
    CHECK(((ULONGLONG)SHARED(ULONG, 0x4) * 1000 >> 24) == 15625); /* milliseconds a tick */
    PsGetVersion(&major, &minor, &build, NULL);
    CHECK(SHARED(ULONG, 0x26C) == major && SHARED(ULONG, 0x270) == minor);
    CHECK(SHARED(ULONG, 0x260) == build);
    CHECK(RAISED(last = SHARED(UCHAR, 0xFFF)) == STATUS_ACCESS_VIOLATION);
    CHECK(RAISED(SHARED(ULONG, 0x320) = 1) == STATUS_ACCESS_VIOLATION);
    CHECK(RAISED(__asm__ volatile("movl %%gs:0x10, %%eax" : : : "rax")) == STATUS_ACCESS_VIOLATION);
    CHECK(RAISED(__asm__ volatile("cli")) == STATUS_PRIVILEGED_INSTRUCTION);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    wild_addresses();
    valid_addresses();
    locking();
    user_views();
    probes();
    strings();
    jumps();
    processor();
    DbgPrint("checks %u, wrong %u\n", checks, wrong);
    return STATUS_UNSUCCESSFUL;
}
