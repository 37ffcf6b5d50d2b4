/* StartDevice and StopDevice. See start.h.
 *
 * Who was stopped may be started again before he is removed [PNP-004], as when the system gives his
 * device's resources out anew: what a start finds it made itself, or AddDevice did. The picture
 * that a driver with a display alone goes on in is another by then: who had the display left it. */
#include "dxgk/start.h"
#include "dxgk/restored.h"
#include "dxgk/work.h"

#include <stdio.h>

static uint32_t luid_count;

static void fill_start_info(struct dxgk_adapter *adapter)
{
    adapter->luid = (LUID){.LowPart = ++luid_count * 0x10000u};
    adapter->ddi.start_info = (DXGK_START_INFO){
        .RequiredDmaQueueEntry = 2,
        .AdapterGuid = {0x7d0cda11u, 0x5ea1, 0x4a11, {0x90, 0, 0, 0, 0, 0, 0, (UCHAR)luid_count}},
        .AdapterLuid = adapter->luid,
    };
}

static NTSTATUS start_once(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    NTSTATUS status = STATUS_SUCCESS;
    ULONG sources, children;

    record_set_stage(RUN_STAGE_START);
    if (ddi_has(&adapter->ddi, POINT_InterruptRoutine)) {
        status = ddi_connect_interrupt(&adapter->ddi);
    }
    if (!NT_SUCCESS(status)) {
        failure->ours = true;
        snprintf(failure->text, sizeof failure->text, "its interrupt cannot be connected: %s",
                 status_name(status));
        return status;
    }
    adapter->source_count = adapter->child_count = 0; /* of an earlier start */
    pci_settings_begin(adapter->ddi.slot);
    status = ddi_start_device(&adapter->ddi, &sources, &children);
    pci_settings_started(adapter->ddi.slot);
    if (!NT_SUCCESS(status)) {
        dxgk_explain_start(adapter, status, failure);
        ddi_negotiation_end(&adapter->ddi);
        ddi_disconnect_interrupt(&adapter->ddi);
        return status;
    }
    ddi_negotiate(&adapter->ddi);
    if (sources > CONTRACT_SOURCES_MAX || children > 256) {
        snprintf(failure->text, sizeof failure->text,
                 "DxgkDdiStartDevice reported %u sources and %u children", sources, children);
        dxgk_stop_device(adapter);
        return STATUS_INVALID_PARAMETER;
    }
    /* Not before: the driver may interrupt while it starts, and has the words until it returns. */
    adapter->source_count = sources;
    adapter->child_count = children;
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_start_device(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    fill_start_info(adapter);
    NTSTATUS status = start_once(adapter, failure);
    if (NT_SUCCESS(status) && vary_happens(VARY_SECOND_START, 1)) {
        dxgk_stop_device(adapter);
        if (adapter->ddi.driver->display_only) {
            pci_firmware_leave_another(adapter->ddi.slot);
        }
        status = start_once(adapter, failure);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    adapter->info.source_count = adapter->source_count;
    adapter->info.child_count = adapter->child_count;
    adapter->display_only = adapter->ddi.driver->display_only;
    adapter->full_graphics = adapter->source_count > 0 && !adapter->display_only;
    return STATUS_SUCCESS;
}

void dxgk_adapter_leave_at_stop(struct dxgk_adapter *adapter, unsigned accesses)
{
    adapter->leaves_at = 1 + accesses;
}

/* As on the way to D3: no wait for what registers say is without end. */
static NTSTATUS stop_what_leaves(struct dxgk_adapter *adapter)
{
    if (adapter->leaves_at == 0) {
        return ddi_stop_device(&adapter->ddi);
    }
    dxgk_leaves_at(adapter, adapter->leaves_at);
    NTSTATUS status = ddi_stop_device(&adapter->ddi);
    dxgk_is_gone(adapter);
    return status;
}

void dxgk_stop_device(struct dxgk_adapter *adapter)
{
    record_set_stage(RUN_STAGE_STOP);
    dxgk_restored_judge(adapter);
    ddi_negotiation_end(&adapter->ddi);
    bool stopped = adapter->state == DXGK_ADAPTER_STOPPED && dxgk_release_display(adapter);
    if (vary_on(VARY_HOT_PLUG) && !stopped) {
        dxgk_moment_begin(adapter, false);
    }
    bool late = vary_on(VARY_HOT_PLUG) && !stopped && vary_below(VARY_HOT_PLUG, 2);
    if (late) {
        dxgk_plug_move_at_last(adapter);
    }
    if (!stopped && !NT_SUCCESS(stop_what_leaves(adapter))) {
        record_count("adapter.stop_failures", 1);
    }
    dxgk_moment_end();
    if (late) {
        ddi_dpc_forget(&adapter->ddi); /* that it is waited for no page says */
    }
    ddi_disconnect_interrupt(&adapter->ddi);
}
