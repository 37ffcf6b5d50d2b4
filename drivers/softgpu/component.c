/* component.c: power components, one for each engine (since WDDM 1.2), and one more for what shows
 * pointers, which is nothing that dxgkrnl knows (PowerComponents 2).
 *
 *   F0  on
 *   F1  standby: the engine keeps its registers and takes no work
 *   F2  off: it has forgotten its registers; setting its ring up brings them back
 *
 * dxgkrnl knows when an engine has nothing to do, lets it rest then, and has it on again before it
 * submits or preempts anything there. So no other thread is at the engine while it changes. The
 * unit for pointers the driver holds itself while it gives it a shape; it rests in F1, where it
 * shows what it has. */
#include "softgpu.h"

#define STATE_COUNT         3
#define POINTER_STATE_COUNT 2

/* In 100 ns: how long a pointer may wait for its shape, and how long the unit then rests. */
#define POINTER_LATENCY   10000
#define POINTER_RESIDENCY 160000

static ULONG engine_count(const struct softgpu_adapter *adapter)
{
    return adapter->settings.power_components ? softgpu_node_count(adapter) : 0;
}

static BOOLEAN has_pointer_unit(const struct softgpu_adapter *adapter)
{
    return adapter->settings.power_components > 1 && adapter->output_count > 0;
}

/* The unit's is the last one. */
static ULONG component_count(const struct softgpu_adapter *adapter)
{
    return engine_count(adapter) + (has_pointer_unit(adapter) ? 1 : 0);
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
    out->ComponentName[0] = (UCHAR)('0' + index);
    if (index == engine_count(adapter)) {
        out->StateCount = POINTER_STATE_COUNT;
        out->ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_OTHER;
        return STATUS_SUCCESS;
    }
    out->ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_ENGINE;
    out->ComponentMapping.EngineDesc.NodeIndex = index;
    /* The copy engine says itself when it is there; the last one is on through D3 and D0. */
    out->Flags.DriverCompletesFStateTransition = index == SOFTGPU_ENGINE_COPY;
    out->Flags.TransitionTo_F0_OnDx = index == SOFTGPU_ENGINE_COMPUTE;
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
    if (component == engine_count(adapter)) { /* the device has no switch for it */
        return state < POINTER_STATE_COUNT ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
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
    struct softgpu_adapter *adapter = adapter_handle;

    UNREFERENCED_PARAMETER(input);
    UNREFERENCED_PARAMETER(input_size);
    UNREFERENCED_PARAMETER(output);
    UNREFERENCED_PARAMETER(output_size);
    if (IsEqualGUID(code, &GUID_DXGKDDI_POWER_MANAGEMENT_STARTED)) {
        adapter->parts_rest = TRUE;
    } else if (IsEqualGUID(code, &GUID_DXGKDDI_POWER_MANAGEMENT_STOPPED)) {
        adapter->parts_rest = FALSE; /* no power runtime function any more (POWER-012) */
    }
    if (returned != NULL) {
        *returned = 0;
    }
    return STATUS_SUCCESS;
}

/* The device came back from D3 with all engines on; dxgkrnl takes those that rested for resting. */
void softgpu_components_restore(struct softgpu_adapter *adapter)
{
    ULONG i;

    for (i = 0; i < engine_count(adapter); i++) {
        set_power(adapter, i, adapter->engines[i].power);
    }
}

/* Held while it is given a shape: no longer than that, for what it shows it shows in F1, too. After
 * POWER_MANAGEMENT_STOPPED nothing rests (POWER-012). */
NTSTATUS NTAPI softgpu_wake_and_set_pointer_shape(const HANDLE adapter_handle,
                                                  const DXGKARG_SETPOINTERSHAPE *shape)
{
    struct softgpu_adapter *adapter = adapter_handle;
    const DXGKRNL_INTERFACE *dxgk = &adapter->dxgk;
    BOOLEAN held = has_pointer_unit(adapter) && adapter->parts_rest;
    ULONG unit = engine_count(adapter);
    NTSTATUS status;

    PAGED_CODE();

    if (held) {
        dxgk->DxgkCbSetPowerComponentActive(dxgk->DeviceHandle, unit);
    }
    status = softgpu_set_pointer_shape(adapter_handle, shape);
    if (held) {
        dxgk->DxgkCbSetPowerComponentLatency(dxgk->DeviceHandle, unit, POINTER_LATENCY);
        dxgk->DxgkCbSetPowerComponentResidency(dxgk->DeviceHandle, unit, POINTER_RESIDENCY);
        dxgk->DxgkCbSetPowerComponentIdle(dxgk->DeviceHandle, unit);
    }
    return status;
}
