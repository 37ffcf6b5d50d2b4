/* Wrong with power components. */
#include "misbehave.h"

static NTSTATUS NTAPI rest_is_refused(const HANDLE context, UINT component, UINT state)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSetPowerComponentFState(context, component, state);

    return state != 0 && misbehave_once() ? STATUS_UNSUCCESSFUL : status;
}

static VOID NTAPI completion_is_forgotten(IN_CONST_HANDLE device, UINT component)
{
    if (!misbehave_once()) {
        misbehave_kernel.DxgkCbCompleteFStateTransition(device, component);
    }
}

static NTSTATUS NTAPI all_are_completed(const HANDLE context, UINT component, UINT state)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSetPowerComponentFState(context, component, state);

    if (component == 0 && misbehave_once()) {
        misbehave_kernel.DxgkCbCompleteFStateTransition(misbehave_kernel.DeviceHandle, component);
    }
    return status;
}

/* "The registers of another engine are needed for it." */
static NTSTATUS NTAPI wakes_another(const HANDLE context, UINT component, UINT state)
{
    BOOLEAN wakes = KeGetCurrentIrql() == PASSIVE_LEVEL && misbehave_once();
    NTSTATUS status;

    if (wakes) {
        misbehave_kernel.DxgkCbSetPowerComponentActive(misbehave_kernel.DeviceHandle, 2);
    }
    status = misbehave_driver.DxgkDdiSetPowerComponentFState(context, component, state);
    if (wakes) {
        misbehave_kernel.DxgkCbSetPowerComponentIdle(misbehave_kernel.DeviceHandle, 2);
    }
    return status;
}

static NTSTATUS NTAPI idle_without_active(const HANDLE context, DXGKARG_CREATEDEVICE *arguments)
{
    if (misbehave_once()) {
        misbehave_kernel.DxgkCbSetPowerComponentIdle(misbehave_kernel.DeviceHandle, 0);
    }
    return misbehave_driver.DxgkDdiCreateDevice(context, arguments);
}

static NTSTATUS NTAPI never_idle_again(const HANDLE context, DXGKARG_CREATEDEVICE *arguments)
{
    if (misbehave_once()) {
        misbehave_kernel.DxgkCbSetPowerComponentActive(misbehave_kernel.DeviceHandle, 0);
    }
    return misbehave_driver.DxgkDdiCreateDevice(context, arguments);
}

/* As a good driver does around its registers. */
static NTSTATUS NTAPI active_for_a_while(const HANDLE context, DXGKARG_CREATEDEVICE *arguments)
{
    NTSTATUS status;

    misbehave_kernel.DxgkCbSetPowerComponentActive(misbehave_kernel.DeviceHandle, 0);
    status = misbehave_driver.DxgkDdiCreateDevice(context, arguments);
    misbehave_kernel.DxgkCbSetPowerComponentIdle(misbehave_kernel.DeviceHandle, 0);
    return status;
}

static NTSTATUS NTAPI counts_from_one(const HANDLE context, DXGKARG_CREATEDEVICE *arguments)
{
    misbehave_kernel.DxgkCbSetPowerComponentActive(misbehave_kernel.DeviceHandle,
                                                   SOFTGPU_ENGINE_COUNT);
    misbehave_kernel.DxgkCbSetPowerComponentIdle(misbehave_kernel.DeviceHandle,
                                                 SOFTGPU_ENGINE_COUNT);
    return misbehave_driver.DxgkDdiCreateDevice(context, arguments);
}

static DXGK_POWER_RUNTIME_COMPONENT *described(const DXGKARG_QUERYADAPTERINFO *query,
                                               NTSTATUS status)
{
    return NT_SUCCESS(status) && query->Type == DXGKQAITYPE_POWERCOMPONENTINFO ? query->pOutputData
                                                                               : NULL;
}

static NTSTATUS NTAPI component_without_states(const HANDLE context,
                                               const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(context, query);

    if (described(query, status)) {
        described(query, status)->StateCount = 0;
    }
    return status;
}

static NTSTATUS NTAPI component_needs_itself(const HANDLE context,
                                             const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(context, query);
    DXGK_POWER_RUNTIME_COMPONENT *component = described(query, status);

    if (component != NULL) {
        component->ProviderCount = 1;
        component->Providers[0] = *(const UINT *)query->pInputData;
    }
    return status;
}

static NTSTATUS NTAPI node_counts_from_one(const HANDLE context,
                                           const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(context, query);

    if (described(query, status)) {
        described(query, status)->ComponentMapping.EngineDesc.NodeIndex++;
    }
    return status;
}

static NTSTATUS NTAPI all_are_of_one_engine(const HANDLE context,
                                            const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(context, query);

    if (described(query, status)) {
        described(query, status)->ComponentMapping.EngineDesc.NodeIndex = 0;
        described(query, status)->StateCount = 1; /* none of them rests */
    }
    return status;
}

static NTSTATUS NTAPI latency_of_an_engine(const HANDLE context, DXGKARG_CREATEDEVICE *arguments)
{
    misbehave_kernel.DxgkCbSetPowerComponentLatency(misbehave_kernel.DeviceHandle, 0, 10000);
    return misbehave_driver.DxgkDdiCreateDevice(context, arguments);
}

/* "It only counts." */
static NTSTATUS NTAPI idle_under_a_lock(const HANDLE context, DXGKARG_CREATEDEVICE *arguments)
{
    KIRQL irql;

    misbehave_kernel.DxgkCbSetPowerComponentActive(misbehave_kernel.DeviceHandle, 0);
    KeRaiseIrql(DISPATCH_LEVEL, &irql);
    misbehave_kernel.DxgkCbSetPowerComponentIdle(misbehave_kernel.DeviceHandle, 0);
    KeLowerIrql(irql);
    return misbehave_driver.DxgkDdiCreateDevice(context, arguments);
}

/* "The clocks have to be on while the device is stopped." */
static NTSTATUS NTAPI held_while_it_stops(PVOID context)
{
    NTSTATUS status;

    misbehave_kernel.DxgkCbSetPowerComponentActive(misbehave_kernel.DeviceHandle, 0);
    status = misbehave_driver.DxgkDdiStopDevice(context);
    misbehave_kernel.DxgkCbSetPowerComponentIdle(misbehave_kernel.DeviceHandle, 0);
    return status;
}

/* Whoever resets waits for threads in other calls, and for no longer than 5 s. */
static WORK_QUEUE_ITEM wakes;
static volatile BOOLEAN is_waking;

static VOID NTAPI wake(PVOID context)
{
    UNREFERENCED_PARAMETER(context);
    is_waking = TRUE;
    misbehave_kernel.DxgkCbSetPowerComponentActive(misbehave_kernel.DeviceHandle, 2);
    is_waking = FALSE;
    misbehave_kernel.DxgkCbSetPowerComponentIdle(misbehave_kernel.DeviceHandle, 2);
}

static NTSTATUS NTAPI escape_has_one_woken(const HANDLE adapter, const DXGKARG_ESCAPE *escape)
{
    if (misbehave_once()) {
        ExInitializeWorkItem(&wakes, wake, NULL);
        ExQueueWorkItem(&wakes, DelayedWorkQueue);
    }
    return misbehave_driver.DxgkDdiEscape(adapter, escape);
}

static NTSTATUS NTAPI wakes_for_long(const HANDLE context, UINT component, UINT state)
{
    LARGE_INTEGER time;

    time.QuadPart = -75000000; /* 7.5 s */
    if (is_waking && component == 2 && state == 0 && KeGetCurrentIrql() == PASSIVE_LEVEL) {
        (void)KeDelayExecutionThread(KernelMode, FALSE, &time);
    }
    return misbehave_driver.DxgkDdiSetPowerComponentFState(context, component, state);
}

static void beside_a_wake(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiEscape = escape_has_one_woken;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(POWER_001, IN_DDI(SetPowerComponentFState), rest_is_refused, SCENE_RESTS),
    BREAKS_RULE(POWER_002, IN_CALLBACK(CompleteFStateTransition), completion_is_forgotten,
                SCENE_RESTS),
    BREAKS_RULE(POWER_003, IN_DDI(SetPowerComponentFState), all_are_completed,
                SCENE_RESTS | SCENE_ADVICE),
    BREAKS_RULE(POWER_004, IN_DDI(SetPowerComponentFState), wakes_another, SCENE_RESTS),
    BREAKS_NO_RULE_BESIDE(IN_DDI(SetPowerComponentFState), wakes_for_long,
                          SCENE_RESTS | SCENE_HANG | SCENE_STUCK, beside_a_wake),
    BREAKS_RULE(POWER_005, IN_DDI(CreateDevice), idle_without_active, SCENE_WIN8),
    BREAKS_RULE(POWER_005, IN_DDI(CreateDevice), never_idle_again, SCENE_RESTS),
    BREAKS_RULE(POWER_006, IN_DDI(CreateDevice), counts_from_one, SCENE_WIN8),
    BREAKS_NO_RULE(IN_DDI(CreateDevice), active_for_a_while, SCENE_RESTS),
    BREAKS_RULE(POWER_011, IN_DDI(CreateDevice), latency_of_an_engine, SCENE_WIN8 | SCENE_ADVICE),
    BREAKS_RULE(POWER_013, IN_DDI(CreateDevice), idle_under_a_lock, SCENE_WIN8),
    BREAKS_RULE(POWER_012, IN_DDI(StopDevice), held_while_it_stops, SCENE_WIN8 | SCENE_ADVICE),
    BREAKS_RULE(POWER_008, IN_DDI(QueryAdapterInfo), component_without_states, SCENE_WIN8),
    BREAKS_RULE(POWER_008, IN_DDI(QueryAdapterInfo), component_needs_itself, SCENE_WIN8),
    BREAKS_RULE(POWER_008, IN_DDI(QueryAdapterInfo), node_counts_from_one, SCENE_WIN8),
    BREAKS_RULE(POWER_009, IN_DDI(QueryAdapterInfo), all_are_of_one_engine,
                SCENE_WIN8 | SCENE_ADVICE),
};

MISBEHAVIOURS(power);
