/* nt/ke_misc.c: processors, processor state, and calls that move to other stacks or processors. */
#include "nt/internal.h"

#include <string.h>

static KAFFINITY all_processors(void)
{
    return (UINT64_C(1) << machine_cpu_count()) - 1;
}

/* ---- Processors: one group ------------------------------------------------------------------- */

ULONG NTAPI KeGetCurrentProcessorNumber(VOID)
{
    NT_EXPORT_ENTER(KeGetCurrentProcessorNumber);
    return cpu_current();
}

ULONG NTAPI KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER ProcNumber)
{
    NT_EXPORT_ENTER(KeGetCurrentProcessorNumberEx);
    if (ProcNumber) {
        *ProcNumber = (PROCESSOR_NUMBER){.Number = (UCHAR)cpu_current()};
    }
    return cpu_current();
}

NTSTATUS NTAPI KeGetProcessorNumberFromIndex(ULONG ProcIndex, PPROCESSOR_NUMBER ProcNumber)
{
    NT_EXPORT_ENTER(KeGetProcessorNumberFromIndex);
    if (ProcIndex >= machine_cpu_count()) {
        return STATUS_INVALID_PARAMETER;
    }
    *ProcNumber = (PROCESSOR_NUMBER){.Number = (UCHAR)ProcIndex};
    return STATUS_SUCCESS;
}

ULONG NTAPI KeGetProcessorIndexFromNumber(PPROCESSOR_NUMBER ProcNumber)
{
    NT_EXPORT_ENTER(KeGetProcessorIndexFromNumber);
    return ProcNumber->Group == 0 && ProcNumber->Number < machine_cpu_count() ? ProcNumber->Number
                                                                              : (ULONG)-1;
}

ULONG NTAPI KeQueryActiveProcessorCount(KAFFINITY *ActiveProcessors)
{
    NT_EXPORT_ENTER(KeQueryActiveProcessorCount);
    if (ActiveProcessors) {
        *ActiveProcessors = all_processors();
    }
    return machine_cpu_count();
}

/* Group 0, or 0xFFFF for all groups. */
static ULONG count_of_group(USHORT group)
{
    return group == 0 || group == 0xFFFF ? machine_cpu_count() : 0;
}

ULONG NTAPI KeQueryActiveProcessorCountEx(USHORT GroupNumber)
{
    NT_EXPORT_ENTER(KeQueryActiveProcessorCountEx);
    return count_of_group(GroupNumber);
}

ULONG NTAPI KeQueryMaximumProcessorCount(VOID)
{
    NT_EXPORT_ENTER(KeQueryMaximumProcessorCount);
    return machine_cpu_count();
}

ULONG NTAPI KeQueryMaximumProcessorCountEx(USHORT GroupNumber)
{
    NT_EXPORT_ENTER(KeQueryMaximumProcessorCountEx);
    return count_of_group(GroupNumber);
}

USHORT NTAPI KeQueryActiveGroupCount(VOID)
{
    NT_EXPORT_ENTER(KeQueryActiveGroupCount);
    return 1;
}

KAFFINITY NTAPI KeQueryActiveProcessors(VOID)
{
    NT_EXPORT_ENTER(KeQueryActiveProcessors);
    return all_processors();
}

KAFFINITY NTAPI KeQueryGroupAffinity(USHORT GroupNumber)
{
    NT_EXPORT_ENTER(KeQueryGroupAffinity);
    return GroupNumber == 0 ? all_processors() : 0;
}

/* ---- Affinity of the current thread; a task without one runs where the seed wants -------------
 */

/* What it was before; 0 if there was none. */
static KAFFINITY affinity_set(KAFFINITY affinity, const struct export_call *call)
{
    KAFFINITY before;

    if (!task_self()) {
        return 0;
    }
    before = task_affinity();
    if (affinity && !(affinity & all_processors())) {
        misuse(NT_MISUSE_ARGUMENT, call, "none of the processors 0x%llx exists",
               (unsigned long long)affinity);
        return before;
    }
    task_set_affinity(affinity & all_processors());
    return before;
}

VOID NTAPI KeSetSystemAffinityThread(KAFFINITY Affinity)
{
    struct export_call call = NT_EXPORT_CALL(KeSetSystemAffinityThread);
    affinity_set(Affinity, &call);
}

KAFFINITY NTAPI KeSetSystemAffinityThreadEx(KAFFINITY Affinity)
{
    struct export_call call = NT_EXPORT_CALL(KeSetSystemAffinityThreadEx);
    return affinity_set(Affinity, &call);
}

VOID NTAPI KeRevertToUserAffinityThread(VOID)
{
    struct export_call call = NT_EXPORT_CALL(KeRevertToUserAffinityThread);
    affinity_set(0, &call);
}

VOID NTAPI KeRevertToUserAffinityThreadEx(KAFFINITY Affinity)
{
    struct export_call call = NT_EXPORT_CALL(KeRevertToUserAffinityThreadEx);
    affinity_set(Affinity, &call);
}

VOID NTAPI KeSetSystemGroupAffinityThread(PGROUP_AFFINITY Affinity,
                                          PGROUP_AFFINITY PreviousAffinity)
{
    struct export_call call = NT_EXPORT_CALL(KeSetSystemGroupAffinityThread);
    KAFFINITY before;

    if (Affinity->Group != 0) {
        misuse(NT_MISUSE_ARGUMENT, &call, "there is no group %u", Affinity->Group);
        return;
    }
    before = affinity_set(Affinity->Mask, &call);
    if (PreviousAffinity) {
        *PreviousAffinity = (GROUP_AFFINITY){.Mask = before};
    }
}

VOID NTAPI KeRevertToUserGroupAffinityThread(PGROUP_AFFINITY PreviousAffinity)
{
    struct export_call call = NT_EXPORT_CALL(KeRevertToUserGroupAffinityThread);
    affinity_set(PreviousAffinity->Mask, &call);
}

struct broadcast {
    PKIPI_BROADCAST_WORKER routine;
    ULONG_PTR context, result;
};

static void run_broadcast(void *context)
{
    struct broadcast *broadcast = context;

    broadcast->result =
        NT_CALL_DRIVER("a broadcast routine", broadcast->routine, (broadcast->context));
}

/* One CPU after the other, the caller's last: its result is the answer. */
ULONG_PTR NTAPI KeIpiGenericCall(PKIPI_BROADCAST_WORKER BroadcastFunction, ULONG_PTR Context)
{
    struct broadcast broadcast = {.routine = BroadcastFunction, .context = Context};
    uint8_t old;

    struct export_call call = NT_EXPORT_CALL(KeIpiGenericCall);
    if (cpu_is_broadcasting()) {
        misuse(NT_MISUSE_ARGUMENT, &call, "called by the routine of a broadcast: it never returns");
        return 0;
    }
    old = irql_raise(IPI_LEVEL);
    cpu_broadcast(run_broadcast, &broadcast);
    irql_lower(old);
    return broadcast.result;
}

/* ---- Floating point: the state of a coroutine is its own, there is nothing to save ----------- */

NTSTATUS NTAPI KeSaveFloatingPointState(PKFLOATING_SAVE FloatSave)
{
    NT_EXPORT_ENTER(KeSaveFloatingPointState);
    FloatSave->Dummy = 0;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI KeRestoreFloatingPointState(PKFLOATING_SAVE FloatSave)
{
    NT_EXPORT_ENTER(KeRestoreFloatingPointState);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI KeSaveExtendedProcessorState(ULONG64 Mask, PXSTATE_SAVE XStateSave)
{
    NT_EXPORT_ENTER(KeSaveExtendedProcessorState);
    memset(XStateSave, 0, sizeof(*XStateSave));
    XStateSave->Mask = Mask;
    return STATUS_SUCCESS;
}

VOID NTAPI KeRestoreExtendedProcessorState(PXSTATE_SAVE XStateSave)
{
    NT_EXPORT_ENTER(KeRestoreExtendedProcessorState);
}

BOOLEAN NTAPI ExIsProcessorFeaturePresent(ULONG ProcessorFeature)
{
    /* What every x64 processor has: CMPXCHG8B, MMX, SSE, RDTSC, SSE2, NX, CMPXCHG16B. */
    static const UCHAR present[] = {2, 3, 6, 8, 10, 12, 14};

    NT_EXPORT_ENTER(ExIsProcessorFeaturePresent);
    return memchr(present, (int)ProcessorFeature, sizeof(present)) != NULL &&
           ProcessorFeature <= 14;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

typedef VOID NTAPI expanded_stack_callout(PVOID parameter);

/* Stacks here are large; the callout runs on the one there is if it leaves the room asked for. */
NTSTATUS NTAPI KeExpandKernelStackAndCalloutEx(PVOID Callout, PVOID Parameter, SIZE_T Size,
                                               BOOLEAN Wait, PVOID Context)
{
    NT_EXPORT_ENTER(KeExpandKernelStackAndCalloutEx);
    if (Size > IoGetRemainingStackSize()) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    ((expanded_stack_callout *)(uintptr_t)Callout)(Parameter);
    return STATUS_SUCCESS;
}

/* The part of the task's stack that drivers are called on; a routine that was called from further
 * down sees all of it. */
static void driver_stack_bounds(const void **low, const void **high)
{
    uintptr_t top = task_driver_stack;

    task_stack_bounds(low, high);
    if (top != UINTPTR_MAX && top - (uintptr_t)__builtin_frame_address(0) <= DRIVER_STACK_BYTES) {
        *low = (const void *)(top - DRIVER_STACK_BYTES);
        *high = (const void *)top;
    }
}

VOID NTAPI IoGetStackLimits(PULONG_PTR LowLimit, PULONG_PTR HighLimit)
{
    const void *low = NULL, *high = (const void *)UINTPTR_MAX;

    NT_EXPORT_ENTER(IoGetStackLimits);
    if (task_self()) {
        driver_stack_bounds(&low, &high);
    }
    *LowLimit = (ULONG_PTR)low;
    *HighLimit = (ULONG_PTR)high;
}

PVOID NTAPI IoGetInitialStack(VOID)
{
    const void *low, *high = NULL;

    NT_EXPORT_ENTER(IoGetInitialStack);
    if (task_self()) {
        driver_stack_bounds(&low, &high);
    }
    return (PVOID)(uintptr_t)high;
}

ULONG_PTR NTAPI IoGetRemainingStackSize(VOID)
{
    const void *low = NULL, *high, *here = __builtin_frame_address(0);

    NT_EXPORT_ENTER(IoGetRemainingStackSize);
    if (!task_self()) {
        return 0;
    }
    driver_stack_bounds(&low, &high);
    return here > low ? (ULONG_PTR)here - (ULONG_PTR)low : 0;
}
