/* Terrible things that ordinary code does: registers that are not its own, stacks, objects written
 * over while the kernel uses them, work without an end. The driver goes on afterwards as if nothing
 * had happened, so that it shows later, wherever that is. */
#include "deeds.h"

#include <setjmp.h>
#include <string.h>

#include "looking.h"

enum { TAG = 'deeD', OBJECT_BYTES = 1024 };

static u64 number, other;
static struct deed_stage stage;

typedef u64 NTAPI any_routine(u64 a, u64 b, u64 c, u64 d);

static u64 handle(void)
{
    return stage.interface ? stage.interface[1] : 0;
}

/* DxgkCbGetDeviceInformation and the like: something of the kernel that works for a while. */
static void call_something(void)
{
    static UCHAR into[256];

    if (stage.interface) {
        ((any_routine *)stage.interface[3])(handle(), (u64)(ULONG_PTR)into, 0, 0);
    }
    DbgPrint("hostile: %s %u %s\n", "calls", 1u, "something");
}

/* ---- Registers ------------------------------------------------------------------------------- */

static void sets_flags(void)
{
    __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "r"(number) : "memory", "cc");
    if (other) {
        call_something();
    }
}

static void sets_mxcsr(void)
{
    ULONG value = (ULONG)number;

    __asm__ volatile("ldmxcsr %0" : : "m"(value));
    if (other) {
        call_something();
    }
}

static void sets_control_word(void)
{
    USHORT value = (USHORT)number;

    __asm__ volatile("fldcw %0" : : "m"(value));
    if (other) {
        call_something();
    }
}

static void fills_x87(void)
{
    for (unsigned i = 0; i < 8; i++) {
        __asm__ volatile("fldpi");
    }
    if (other) {
        call_something();
    }
}

static void leaves_mmx(void)
{
    __asm__ volatile("pxor %%mm0, %%mm0" : : : "memory");
    if (other) {
        call_something();
    }
}

static void sets_segment(void)
{
    USHORT value = (USHORT)number;

    switch (other) {
    case 0:
        __asm__ volatile("mov %0, %%ds" : : "r"(value));
        break;
    case 1:
        __asm__ volatile("mov %0, %%es" : : "r"(value));
        break;
    case 2:
        __asm__ volatile("mov %0, %%fs" : : "r"(value));
        break;
    case 3:
        __asm__ volatile("mov %0, %%gs" : : "r"(value));
        break;
    default:
        __asm__ volatile("mov %0, %%ss" : : "r"(value));
        break;
    }
}

static void sets_base(void)
{
    if (other) {
        __asm__ volatile("wrgsbase %0" : : "r"(number));
    } else {
        __asm__ volatile("wrfsbase %0" : : "r"(number));
    }
}

static void sets_keys(void)
{
    __asm__ volatile("wrpkru" : : "a"((ULONG)number), "c"(0), "d"(0));
    if (other) {
        call_something();
    }
}

static void loads_state(void)
{
    static UCHAR area[4096] __attribute__((aligned(64)));

    memset(area, (int)number, sizeof(area));
    if (other) {
        __asm__ volatile("xrstor %0" : : "m"(area), "a"(-1), "d"(-1));
    } else {
        __asm__ volatile("fxrstor %0" : : "m"(area));
    }
}

/* Into code of 32 bits and nothing else. */
static void goes_to_32_bits(void)
{
    static const UCHAR code[] = {0x90, 0xF4};
    const void *place = code;

    __asm__ volatile("pushq %0; pushq %1; lretq"
                     :
                     : "r"((u64)0x23), "r"((u64)(ULONG_PTR)place & 0xFFFFFFFF));
}

static void changes_saved(void)
{
    u64 value = number;

    __asm__ volatile("mov %0, %%rbx; mov %0, %%rsi; mov %0, %%rdi; mov %0, %%r12; mov %0, %%r13; "
                     "mov %0, %%r14; mov %0, %%r15; mov %0, %%rbp; ret"
                     :
                     : "a"(value));
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static UCHAR small_stack[2 * 4096] __attribute__((aligned(4096)));

static __attribute__((noinline)) void with_stack(u64 top, void (*routine)(void))
{
    __asm__ volatile("mov %%rsp, %%rbx; mov %0, %%rsp; sub $32, %%rsp; call *%1; mov %%rbx, %%rsp"
                     :
                     : "r"(top), "r"(routine)
                     : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc");
}

static void calls_on_static_stack(void)
{
    with_stack((u64)(ULONG_PTR)small_stack + number, call_something);
}

static void calls_on_pool(void)
{
    UCHAR *block = ExAllocatePoolWithTag(NonPagedPoolNx, (SIZE_T)number, TAG);

    if (block) {
        with_stack(((u64)(ULONG_PTR)block + number) & ~15ull, call_something);
        ExFreePoolWithTag(block, TAG);
    }
}

static void calls_at(void)
{
    with_stack(number, call_something);
}

static void calls_misaligned(void)
{
    u64 here = (u64)(ULONG_PTR)__builtin_frame_address(0) - 4096;

    with_stack((here & ~15ull) + number, call_something);
}

static __attribute__((noinline)) u64 deep_call(unsigned depth)
{
    volatile UCHAR room[256];

    room[0] = (UCHAR)depth;
    DbgPrint("%u %s %llu %p\n", depth, "deeper", (u64)depth, room);
    return depth ? deep_call(depth - 1) + room[0] : 0;
}

static void overflows_in_service(void)
{
    number += deep_call((unsigned)number);
}

static NTSTATUS NTAPI query_again(PWSTR name, ULONG type, PVOID data, ULONG size, PVOID context,
                                  PVOID entry)
{
    RTL_QUERY_REGISTRY_TABLE table[2] = {
        {.QueryRoutine = query_again, .Flags = RTL_QUERY_REGISTRY_REQUIRED, .Name = L"Lie"}};

    return RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, L"liar", table, NULL, NULL);
}

static void recurses_through_service(void)
{
    query_again(NULL, 0, NULL, 0, NULL, NULL);
}

static void keeps_frame(void)
{
    volatile u64 *frame = (volatile u64 *)__builtin_frame_address(0);

    for (u64 i = 0; i < number; i++) {
        frame[i] = other;
    }
}

/* ---- Jumps ----------------------------------------------------------------------------------- */

NTSYSAPI VOID NTAPI RtlRaiseException(PEXCEPTION_RECORD record);

static jmp_buf kept;
static BOOLEAN has_kept;

static __attribute__((noinline)) void sets_jump(void)
{
    if (setjmp(kept) == 0) {
        has_kept = TRUE;
    }
}

/* Where it leads has returned. */
static void jumps_dead(void)
{
    if (!has_kept || number) {
        sets_jump();
    }
    longjmp(kept, 1);
}

static void jumps_wild(void)
{
    memset(kept, (int)number, sizeof(kept));
    longjmp(kept, 1);
}

static void raises(void)
{
    if (other) {
        ExRaiseStatus((NTSTATUS)number);
    }
    RtlRaiseException(&(EXCEPTION_RECORD){.ExceptionCode = (DWORD)number,
                                          .ExceptionFlags = (DWORD)(number >> 32),
                                          .NumberParameters = 0xFFFFFFFF});
}

static LONG raise_in_filter(void)
{
    ExRaiseStatus((NTSTATUS)number);
    return EXCEPTION_CONTINUE_EXECUTION;
}

static void raises_in_filter(void)
{
    __try {
        ExRaiseStatus((NTSTATUS)number);
    } __except (raise_in_filter()) {
    }
}

static void continues_fault(void)
{
    __try {
        *(volatile u64 *)number = 1;
    } __except (EXCEPTION_CONTINUE_EXECUTION) {
    }
}

static void raises_in_finally(void)
{
    __try {
        __try {
            ExRaiseStatus((NTSTATUS)number);
        } __finally {
            ExRaiseStatus((NTSTATUS)number + 1);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
    }
}

static void jumps_to(void)
{
    ((void (*)(void))(ULONG_PTR)number)();
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void overruns(void)
{
    UCHAR *block = ExAllocatePoolWithTag((POOL_TYPE)other, 64, TAG);

    memset(block, 0x41, (SIZE_T)number);
}

static void underruns(void)
{
    UCHAR *block = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);

    memset(block - number, 0x41, (SIZE_T)number);
}

static void writes_freed(void)
{
    for (unsigned i = 0; i < 64; i++) {
        UCHAR *block = ExAllocatePoolWithTag(NonPagedPoolNx, (SIZE_T)number, TAG);
        ExFreePoolWithTag(block, TAG);
        memset(block, (int)other, (SIZE_T)number);
    }
}

static void frees(void)
{
    UCHAR *block = ExAllocatePoolWithTag(NonPagedPoolNx, 4096, TAG);

    switch (number) {
    case 0:
        ExFreePoolWithTag(block, TAG);
        ExFreePoolWithTag(block, TAG);
        break;
    case 1:
        ExFreePoolWithTag(block + 64, TAG);
        break;
    case 2:
        ExFreePoolWithTag(stage.driver, TAG);
        break;
    case 3:
        ExFreePoolWithTag(stage.device ? stage.device : (PVOID)stage.driver, TAG);
        break;
    case 4:
        ExFreePoolWithTag(stage.driver->DriverExtension, TAG);
        break;
    case 5:
        ExFreePoolWithTag((PVOID)handle(), TAG);
        break;
    case 6:
        ExFreePoolWithTag(PsGetCurrentThread(), TAG);
        break;
    default:
        ExFreePoolWithTag((PVOID)&number, TAG);
        break;
    }
}

/* ---- Without an end -------------------------------------------------------------------------- */

static KDPC dpc;
static KTIMER timer;
static KEVENT event;
static WORK_QUEUE_ITEM work;

static void NTAPI dpc_again(PKDPC object, PVOID context, PVOID a, PVOID b)
{
    KeInsertQueueDpc(object, a, b);
}

static void queues_dpc_again(void)
{
    KeInitializeDpc(&dpc, dpc_again, NULL);
    KeInsertQueueDpc(&dpc, NULL, NULL);
}

static void NTAPI timer_again(PKDPC object, PVOID context, PVOID a, PVOID b)
{
    LARGE_INTEGER now = {.QuadPart = 0};

    KeSetTimer(&timer, now, object);
}

static void sets_timer_again(void)
{
    LARGE_INTEGER now = {.QuadPart = 0};

    KeInitializeTimer(&timer);
    KeInitializeDpc(&dpc, timer_again, NULL);
    KeSetTimer(&timer, now, &dpc);
}

static void NTAPI work_again(PVOID context)
{
    ExInitializeWorkItem(&work, work_again, NULL);
    ExQueueWorkItem(&work, DelayedWorkQueue);
}

static void queues_work_again(void)
{
    work_again(NULL);
}

static void NTAPI thread_again(PVOID context)
{
    OBJECT_ATTRIBUTES attributes;
    HANDLE thread;

    InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    for (u64 i = 0; i < number; i++) {
        if (!NT_SUCCESS(PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, &attributes, NULL, NULL,
                                             thread_again, NULL))) {
            DbgPrint("hostile: no more threads\n");
            break;
        }
        ZwClose(thread);
    }
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static void makes_threads(void)
{
    OBJECT_ATTRIBUTES attributes;
    HANDLE thread;

    InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, &attributes, NULL, NULL, thread_again, NULL);
}

static void yields(void)
{
    LARGE_INTEGER none = {.QuadPart = 0};

    for (;;) {
        KeDelayExecutionThread(KernelMode, FALSE, &none);
    }
}

static void polls(void)
{
    LARGE_INTEGER none = {.QuadPart = 0};

    KeInitializeEvent(&event, NotificationEvent, FALSE);
    for (;;) {
        KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &none);
    }
}

static void stalls(void)
{
    for (;;) {
        KeStallExecutionProcessor((ULONG)number);
    }
}

static void asks_time(void)
{
    LARGE_INTEGER time;

    for (;;) {
        KeQuerySystemTime(&time);
        KeQueryPerformanceCounter(&time);
    }
}

static void says_much(void)
{
    for (u64 i = 0; i < number; i++) {
        DbgPrint("%llu %llx line of its own %llu\n", i, i * i, ~i);
    }
}

static void takes_events(void)
{
    OBJECT_ATTRIBUTES attributes;
    HANDLE made;

    InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    for (;;) {
        if (!NT_SUCCESS(
                ZwCreateEvent(&made, EVENT_ALL_ACCESS, &attributes, NotificationEvent, FALSE))) {
            break;
        }
    }
}

static void takes_pages(void)
{
    PHYSICAL_ADDRESS low = {0}, high = {.QuadPart = -1}, skip = {0};

    while (MmAllocatePagesForMdl(low, high, skip, 64 << 20)) {
    }
}

static void takes_contiguous(void)
{
    PHYSICAL_ADDRESS high = {.QuadPart = -1};

    while (MmAllocateContiguousMemory((SIZE_T)number, high)) {
    }
}

static void takes_mdls(void)
{
    while (IoAllocateMdl((PVOID)0x10000, 0x7FFFFFFF, FALSE, FALSE, NULL)) {
    }
}

static void takes_irps(void)
{
    while (IoAllocateIrp(127, FALSE)) {
    }
}

static void takes_devices(void)
{
    PDEVICE_OBJECT device;

    while (NT_SUCCESS(
        IoCreateDevice(stage.driver, 0xFFF0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &device))) {
    }
}

static void takes_views(void)
{
    PHYSICAL_ADDRESS where = {.QuadPart = (LONGLONG)number};

    while (MmMapIoSpace(where, (SIZE_T)other, MmNonCached)) {
    }
}

static void takes_small_pool(void)
{
    while (ExAllocatePoolWithTag(NonPagedPoolNx, (SIZE_T)number, TAG)) {
    }
}

static void makes_keys(void)
{
    WCHAR name[16] = L"K0000000";

    for (u64 i = 0; i < number; i++) {
        for (unsigned d = 0; d < 7; d++) {
            name[7 - d] = (WCHAR)(L'0' + (i >> (3 * d)) % 8);
        }
        RtlCreateRegistryKey(RTL_REGISTRY_SERVICES, name);
    }
}

static void interrupts_itself(void)
{
    if (stage.interface) { /* DxgkCbNotifyDpc, DxgkCbQueueDpc and what is there */
        for (u64 i = 0; i < number; i++) {
            ((any_routine *)stage.interface[other])(handle(), 0, 0, 0);
        }
    }
}

static void keeps_irql(void)
{
    KIRQL old;

    KeRaiseIrql((KIRQL)number, &old);
}

static void lowers_irql(void)
{
    KeLowerIrql((KIRQL)number);
}

static void terminates(void)
{
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static void unloads_itself(void)
{
    stage.driver->DriverUnload(stage.driver);
}

static void loops_in_terminate(void)
{
    for (;;) {
        __try {
            ExRaiseStatus(STATUS_UNSUCCESSFUL);
        } __except (EXCEPTION_EXECUTE_HANDLER) {
        }
    }
}

#define DEED(name)      \
    {                   \
        L## #name, name \
    }
static const struct {
    const wchar_t *name;
    void (*run)(void);
} deeds[] = {
    DEED(sets_flags),
    DEED(sets_mxcsr),
    DEED(sets_control_word),
    DEED(fills_x87),
    DEED(leaves_mmx),
    DEED(sets_segment),
    DEED(sets_base),
    DEED(sets_keys),
    DEED(loads_state),
    DEED(goes_to_32_bits),
    DEED(changes_saved),
    DEED(calls_on_static_stack),
    DEED(calls_on_pool),
    DEED(calls_at),
    DEED(calls_misaligned),
    DEED(overflows_in_service),
    DEED(recurses_through_service),
    DEED(keeps_frame),
    DEED(jumps_dead),
    DEED(jumps_wild),
    DEED(raises),
    DEED(raises_in_filter),
    DEED(continues_fault),
    DEED(raises_in_finally),
    DEED(jumps_to),
    DEED(overruns),
    DEED(underruns),
    DEED(writes_freed),
    DEED(frees),
    DEED(queues_dpc_again),
    DEED(sets_timer_again),
    DEED(queues_work_again),
    DEED(makes_threads),
    DEED(yields),
    DEED(polls),
    DEED(stalls),
    DEED(asks_time),
    DEED(says_much),
    DEED(takes_events),
    DEED(takes_pages),
    DEED(takes_contiguous),
    DEED(takes_mdls),
    DEED(takes_irps),
    DEED(takes_devices),
    DEED(takes_views),
    DEED(takes_small_pool),
    DEED(makes_keys),
    DEED(interrupts_itself),
    DEED(keeps_irql),
    DEED(lowers_irql),
    DEED(terminates),
    DEED(unloads_itself),
    DEED(loops_in_terminate),
};

BOOLEAN deed_do(const struct deed_stage *of, const wchar_t *name, ULONG_PTR first, ULONG_PTR second)
{
    for (unsigned i = 0; i < ARRAYSIZE(deeds); i++) {
        if (wcscmp(deeds[i].name, name) == 0) {
            stage = *of;
            number = first;
            other = second;
            DbgPrint("hostile: begins\n");
            deeds[i].run();
            DbgPrint("hostile: is done\n");
            return TRUE;
        }
    }
    return spoil_do(of, name, first, second);
}
