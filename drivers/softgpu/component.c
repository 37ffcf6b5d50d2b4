/* component.c: power components, one for each engine (since WDDM 1.2).
 *
 *   F0  on
 *   F1  standby: the engine keeps its registers and takes no work
 *   F2  off: it has forgotten its registers; setting its ring up brings them back
 *
 * dxgkrnl knows when an engine has nothing to do, lets it rest then, and has it on again before it
 * submits or preempts anything there. So no other thread is at the engine while it changes. */
#include "softgpu.h"

#define STATE_COUNT 3

static ULONG component_count(const struct softgpu_adapter *adapter)
{
    return adapter->settings.power_components ? softgpu_node_count(adapter) : 0;
}

NTSTATUS softgpu_query_power_components(const struct softgpu_adapter *adapter,
                                        const DXGKARG_QUERYADAPTERINFO *query)
{
    if (query->OutputDataSize < sizeof(UINT)) {
        return STATUS_INVALID_PARAMETER;
    }
    *(UINT *)query->pOutputData = component_count(adapter);
    return STATUS_SUCCESS;
}

NTSTATUS softgpu_query_power_component(const struct softgpu_adapter *adapter,
                                       const DXGKARG_QUERYADAPTERINFO *query)
{
    /* In 100 ns, as the power framework counts: from F1 and F2 back to F0, and how long a rest has
     * to be so that it is worth it. */
    static const DXGK_POWER_RUNTIME_STATE states[STATE_COUNT] = {
        {0, 0, 1000}, {100, 1000, 100}, {1000, 10000, 0}};
    DXGK_POWER_RUNTIME_COMPONENT *out = query->pOutputData;
    ULONG index, i;

    if (query->pInputData == NULL || query->InputDataSize < sizeof(UINT) ||
        query->OutputDataSize < sizeof(*out)) {
        return STATUS_INVALID_PARAMETER;
    }
    index = *(const UINT *)query->pInputData;
    if (index >= component_count(adapter)) {
        return STATUS_INVALID_PARAMETER;
    }
    RtlZeroMemory(out, sizeof(*out));
    out->StateCount = STATE_COUNT;
    for (i = 0; i < STATE_COUNT; i++) {
        out->States[i] = states[i];
    }
    out->ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_ENGINE;
    out->ComponentMapping.EngineDesc.NodeIndex = index;
    /* The copy engine says itself when it is there; the last one is on through D3 and D0. */
    out->Flags.DriverCompletesFStateTransition = index == SOFTGPU_ENGINE_COPY;
    out->Flags.TransitionTo_F0_OnDx = index == SOFTGPU_ENGINE_COMPUTE;
    out->ComponentName[0] = (UCHAR)('0' + index);
    return STATUS_SUCCESS;
}

static void set_power(struct softgpu_adapter *adapter, ULONG node, ULONG state)
{
    softgpu_write(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_POWER), state);
}

/* IRQL <= DISPATCH_LEVEL. */
NTSTATUS NTAPI softgpu_set_power_component_f_state(const HANDLE adapter_handle, UINT component,
                                                   UINT state)
{
    struct softgpu_adapter *adapter = adapter_handle;
    ULONG before;

    if (component >= component_count(adapter) || state >= STATE_COUNT) {
        return STATUS_INVALID_PARAMETER;
    }
    before = adapter->engines[component].power;
    adapter->engines[component].power = state;
    set_power(adapter, component, state);
    if (state == 0 && before == SOFTGPU_POWER_OFF) {
        softgpu_engine_setup(adapter, component);
    }
    if (component == SOFTGPU_ENGINE_COPY) {
        adapter->dxgk.DxgkCbCompleteFStateTransition(adapter->dxgk.DeviceHandle, component);
    }
    return STATUS_SUCCESS;
}

/* dxgkrnl tells when it begins and ends to let engines rest; a plug-in of the power framework may
 * ask, of whose codes we know none. IRQL <= DISPATCH_LEVEL. */
NTSTATUS NTAPI softgpu_power_runtime_control(const HANDLE adapter_handle, LPCGUID code, PVOID input,
                                             SIZE_T input_size, PVOID output, SIZE_T output_size,
                                             PSIZE_T returned)
{
    UNREFERENCED_PARAMETER(adapter_handle);
    UNREFERENCED_PARAMETER(code);
    UNREFERENCED_PARAMETER(input);
    UNREFERENCED_PARAMETER(input_size);
    UNREFERENCED_PARAMETER(output);
    UNREFERENCED_PARAMETER(output_size);
    if (returned != NULL) {
        *returned = 0;
    }
    return STATUS_SUCCESS;
}

/* The device came back from D3 with all engines on; dxgkrnl takes those that rested for resting. */
void softgpu_components_restore(struct softgpu_adapter *adapter)
{
    ULONG i;

    for (i = 0; i < component_count(adapter); i++) {
        set_power(adapter, i, adapter->engines[i].power);
    }
}
