/* The display-only driver with plugs and removals. See plugs.h. */
#include "plugs.h"

#include "registers.h"

static KMDDOD_INITIALIZATION_DATA good;
static ULONG mistake;
static volatile BOOLEAN gone, plugged; /* behind the device's interrupt the second */
static BOOLEAN undrawn;

static BOOLEAN is_connected(void)
{
    return (read_register(SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_STATUS)) &
            SOFTGPU_OUTPUT_CONNECTED) != 0;
}

/* ---- Plug and Play --------------------------------------------------------------------------- */

static NTSTATUS NTAPI start(const PVOID context, PDXGK_START_INFO start_info,
                            PDXGKRNL_INTERFACE interface, PULONG source_count, PULONG child_count)
{
    NTSTATUS status =
        good.DxgkDdiStartDevice(context, start_info, interface, source_count, child_count);

    if (NT_SUCCESS(status)) {
        gone = undrawn = FALSE;
        status = map_registers(context);
        if (!NT_SUCCESS(status)) {
            (void)good.DxgkDdiStopDevice(context);
        }
    }
    if (NT_SUCCESS(status)) {
        write_register(SOFTGPU_REG_INTERRUPT_ENABLE, SOFTGPU_INTERRUPT_HOTPLUG);
    }
    return status;
}

static NTSTATUS NTAPI stop(const PVOID context)
{
    const struct framebuffer *of = context;

    if (!gone || mistake == PLUGS_TOUCH_GONE) {
        write_register(SOFTGPU_REG_INTERRUPT_ENABLE, 0);
    }
    KeFlushQueuedDpcs();
    unmap_registers(of);
    return good.DxgkDdiStopDevice(context);
}

static NTSTATUS NTAPI removed(PVOID context, DXGK_SURPRISE_REMOVAL_TYPE type)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(type);
    gone = TRUE;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *arguments)
{
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, arguments);

    if (NT_SUCCESS(status) && arguments->Type == DXGKQAITYPE_DRIVERCAPS) {
        ((DXGK_DRIVERCAPS *)arguments->pOutputData)->SupportSurpriseRemovalInHibernation = TRUE;
    }
    return status;
}

/* ---- Plugs ----------------------------------------------------------------------------------- */

static NTSTATUS NTAPI relations(const PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                                ULONG size_bytes)
{
    NTSTATUS status = good.DxgkDdiQueryChildRelations(context, children, size_bytes);

    if (NT_SUCCESS(status)) {
        children[0].ChildCapabilities.HpdAwareness = HpdAwarenessInterruptible;
        children[0].ChildCapabilities.Type.VideoOutput.InterfaceTechnology = D3DKMDT_VOT_DVI;
    }
    return status;
}

static NTSTATUS NTAPI child_status(const PVOID context, PDXGK_CHILD_STATUS status,
                                   BOOLEAN non_destructive_only)
{
    NTSTATUS answer = good.DxgkDdiQueryChildStatus(context, status, non_destructive_only);

    if (NT_SUCCESS(answer)) {
        status->HotPlug.Connected = is_connected();
    }
    return answer;
}

static BOOLEAN NTAPI interrupt(const PVOID context, ULONG message)
{
    const struct framebuffer *of = context;

    UNREFERENCED_PARAMETER(message);
    if (!registers || gone || !of->powered || read_register(SOFTGPU_REG_INTERRUPT_STATUS) == ~0u ||
        !(read_register(SOFTGPU_REG_INTERRUPT_STATUS) & SOFTGPU_INTERRUPT_HOTPLUG)) {
        return FALSE;
    }
    write_register(SOFTGPU_REG_INTERRUPT_STATUS, SOFTGPU_INTERRUPT_HOTPLUG);
    plugged = TRUE;
    (void)of->dxgk.DxgkCbQueueDpc(of->dxgk.DeviceHandle);
    return TRUE;
}

static void NTAPI dpc(const PVOID context)
{
    const struct framebuffer *of = context;

    if (plugged && !gone && of->powered) {
        DXGK_CHILD_STATUS status = {.Type = StatusConnection, .ChildUid = FRAMEBUFFER_TARGET};
        plugged = FALSE;
        status.HotPlug.Connected = is_connected();
        undrawn = mistake == PLUGS_UNDRAWN;
        if (status.HotPlug.Connected || mistake != PLUGS_UNTOLD) {
            (void)of->dxgk.DxgkCbIndicateChildStatus(of->dxgk.DeviceHandle, &status);
        }
    }
    of->dxgk.DxgkCbNotifyDpc(of->dxgk.DeviceHandle);
}

static NTSTATUS NTAPI draw(const HANDLE adapter, const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    if (undrawn) {
        undrawn = FALSE;
        return STATUS_SUCCESS;
    }
    return good.DxgkDdiPresentDisplayOnly(adapter, arguments);
}

void plugs_register(PKMDDOD_INITIALIZATION_DATA table, ULONG which)
{
    good = *table;
    mistake = which;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiStopDevice = stop;
    table->DxgkDdiNotifySurpriseRemoval = removed;
    table->DxgkDdiQueryAdapterInfo = query;
    table->DxgkDdiQueryChildRelations = relations;
    table->DxgkDdiQueryChildStatus = child_status;
    table->DxgkDdiInterruptRoutine = interrupt;
    table->DxgkDdiDpcRoutine = dpc;
    table->DxgkDdiPresentDisplayOnly = draw;
}
