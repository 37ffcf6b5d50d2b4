/* Display: sources and what they show. Modes come from vidpn.c, other surfaces by flips (flip.c).
 */
#include "dxgk/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VSYNC_WAIT_NS (2 * NS_PER_S)

/* ---- Surfaces that must stay in place ------------------------------------------------------ */

/* Places the surface and keeps it there, as long as there is no reset of memory after `resets`.
 * PASSIVE_LEVEL. */
static NTSTATUS pin(struct dxgk_allocation *allocation, uint64_t *resets)
{
    struct dxgk_adapter *adapter = allocation->adapter;
    struct vidmm_prepare_result result;

    for (;;) {
        vidmm_pin(&allocation->memory, 0, &result);
        *resets = adapter->memory_resets;
        if (result.outcome == VIDMM_FAILED) {
            return result.status;
        }
        if (result.outcome != VIDMM_WAIT) {
            return dxgk_wait_paging(adapter, result.paging_sequence, MACHINE_NEVER);
        }
        dxgk_wait_memory(adapter, &result.wait, MACHINE_NEVER);
    }
}

void dxgk_surface_unpin(struct dxgk_allocation *allocation)
{
    vidmm_unpin(&allocation->memory);
    dxgk_memory_changed(allocation->adapter);
}

void dxgk_source_replace_shown(struct dxgk_source *source, struct dxgk_allocation *allocation)
{
    struct dxgk_allocation *before = source->shown;
    bool pinned = source->reshow != DXGK_RESHOW_WANTED;

    if (allocation) {
        life_get(&allocation->life);
    }
    source->shown = allocation;
    source->reshow = DXGK_RESHOW_DONE;
    if (before && pinned) {
        dxgk_surface_unpin(before);
    }
    if (before) {
        life_put(&before->life);
    }
}

void dxgk_source_forget(struct dxgk_source *source, struct dxgk_allocation *allocation)
{
    if (source->shown != allocation) {
        return;
    }
    /* The screen goes dark before its surface does (0x10E/2A otherwise). */
    dxgk_source_hide(source);
    if (source->shown == allocation) { /* nobody shows another one by now */
        dxgk_source_replace_shown(source, NULL);
    }
}

/* ---- Showing ------------------------------------------------------------------------------- */

static NTSTATUS set_visible(struct dxgk_source *source, bool visible)
{
    struct dxgk_adapter *adapter = source->adapter;
    const DXGKARG_SETVIDPNSOURCEVISIBILITY arguments = {.VidPnSourceId = source->index,
                                                        .Visible = visible};
    NTSTATUS status = ddi_set_vidpn_source_visibility(&adapter->ddi, adapter->ddi.miniport_context,
                                                      &arguments, 0);

    if (NT_SUCCESS(status)) {
        source->visible = visible;
    }
    return status;
}

static NTSTATUS enable_vsync(struct dxgk_adapter *adapter, bool enable)
{
    return ddi_control_interrupt(&adapter->ddi, DXGK_INTERRUPT_CRTC_VSYNC, enable);
}

void dxgk_source_hide(struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;

    if (!source->visible) {
        return;
    }
    present_wait_flips(&source->present, machine_now_ns() + VSYNC_WAIT_NS);
    set_visible(source, false);
    if (!source->visible) {
        present_source_cancel(&source->present, VIDSCH_STATUS_CANCELLED); /* they come too late */
    }
    bool any = false;
    for (unsigned i = 0; i < adapter->source_count; i++) {
        any |= adapter->sources[i].visible;
    }
    if (!any) {
        enable_vsync(adapter, false);
    }
}

/* The surface is pinned, unless a reset comes: the caller looks for that afterwards. */
static NTSTATUS program_mode(struct dxgk_source *source, struct dxgk_allocation *allocation)
{
    struct dxgk_adapter *adapter = source->adapter;
    struct vidmm_location location;
    NTSTATUS status;

    /* A mode change shows its first surface with the GPU idle (level two). */
    dxgk_adapter_wait_idle(adapter, MACHINE_NEVER);
    status = dxgk_vidpn_commit(adapter, source->index, allocation);
    vidmm_allocation_location(&allocation->memory, &location);
    if (NT_SUCCESS(status) && location.segment == 0) {
        status = STATUS_DEVICE_REMOVED; /* a reset took its place meanwhile */
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_source_set_address(source, allocation,
                                         (DXGK_SETVIDPNSOURCEADDRESS_FLAGS){.ModeChange = 1}, NULL);
    }
    if (NT_SUCCESS(status)) {
        status = enable_vsync(adapter, true);
    }
    if (NT_SUCCESS(status) && !source->visible) {
        status = set_visible(source, true);
    }
    return status;
}

static NTSTATUS show(struct dxgk_adapter *adapter, unsigned index,
                     struct dxgk_allocation *allocation)
{
    struct dxgk_source *source = &adapter->sources[index];
    struct vidmm_location location;
    uint64_t resets;
    NTSTATUS status;

    for (;;) {
        status = pin(allocation, &resets);
        if (!NT_SUCCESS(status)) {
            return status;
        }
        status = program_mode(source, allocation);
        if (adapter->memory_resets == resets) {
            break;
        }
        /* The pin is gone, and what the screen was told. */
        if (!dxgk_adapter_has_hardware(adapter)) {
            return STATUS_DEVICE_REMOVED;
        }
    }
    if (!NT_SUCCESS(status)) {
        dxgk_surface_unpin(allocation);
        return status;
    }
    vidmm_allocation_location(&allocation->memory, &location);
    present_source_shown(&source->present, location.address);
    dxgk_source_replace_shown(source, allocation);
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_source_show(struct dxgk_adapter *adapter, unsigned index,
                          struct dxgk_opening *primary)
{
    if (index >= adapter->source_count || !adapter->sources[index].active) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!life_enter(&primary->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = show(adapter, index, primary->allocation);
    life_leave(&primary->life);
    return status;
}

bool dxgk_source_mode(struct dxgk_adapter *adapter, unsigned source, struct dxgk_mode *mode)
{
    if (source >= adapter->source_count || !adapter->sources[source].active) {
        return false;
    }
    *mode = adapter->sources[source].mode;
    return true;
}

NTSTATUS dxgk_source_wait_vsync(struct dxgk_adapter *adapter, unsigned source, uint64_t deadline_ns)
{
    if (source >= adapter->source_count || !adapter->sources[source].active) {
        return STATUS_INVALID_PARAMETER;
    }
    return present_wait_vsync(&adapter->sources[source].present, deadline_ns) ? STATUS_SUCCESS
                                                                              : STATUS_TIMEOUT;
}

unsigned dxgk_source_pending_flips(struct dxgk_adapter *adapter, unsigned source)
{
    return source < adapter->source_count
               ? present_source_pending(&adapter->sources[source].present)
               : 0;
}

bool dxgk_source_wait_flips(struct dxgk_adapter *adapter, unsigned source, uint64_t deadline_ns)
{
    return source >= adapter->source_count ||
           present_wait_flips(&adapter->sources[source].present, deadline_ns);
}

NTSTATUS dxgk_source_scan_line(struct dxgk_adapter *adapter, unsigned source, UINT *line,
                               bool *in_vblank)
{
    if (source >= adapter->source_count || !adapter->sources[source].active) {
        return STATUS_INVALID_PARAMETER;
    }
    DXGKARG_GETSCANLINE arguments = {.VidPnTargetId = adapter->sources[source].target};
    NTSTATUS status =
        ddi_get_scan_line(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    *line = arguments.ScanLine;
    *in_vblank = arguments.InVerticalBlank;
    return status;
}

/* ---- Life ---------------------------------------------------------------------------------- */

NTSTATUS dxgk_display_start(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        source->adapter = adapter;
        source->index = i;
        list_init(&source->flips);
        source->address_arguments = nt_memory_alloc(sizeof *source->address_arguments, 0);
        if (!source->address_arguments) {
            return STATUS_NO_MEMORY;
        }
        present_source_init(&source->present, &dxgk_present_backend, i,
                            adapter->caps.MaxQueuedFlipOnVSync);
    }
    return adapter->full_graphics ? dxgk_vidpn_bring_up(adapter, failure) : STATUS_SUCCESS;
}

void dxgk_display_stop(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (!source->adapter) {
            continue;
        }
        dxgk_source_hide(source);
        dxgk_source_replace_shown(source, NULL);
        present_source_fini(&source->present);
        nt_memory_free(source->address_arguments);
    }
    dxgk_vidpn_tear_down(adapter);
}

/* Flips under way are over: none is programmed once their surfaces are gone with the reset. One
 * that another CPU's DPC is programming ends with that DPC. */
void dxgk_display_end_flips(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        present_source_cancel(&adapter->sources[i].present, STATUS_SUCCESS);
    }
    dpc_flush_all();
}

void dxgk_display_reshow(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (source->shown) {
            source->reshow = DXGK_RESHOW_WANTED; /* its pin ended with the reset */
            adapter->reshowing = true;
        }
    }
}

static void show_again(struct dxgk_source *source)
{
    source->reshow = DXGK_RESHOW_DONE;
    dxgk_source_set_address(source, source->shown,
                            (DXGK_SETVIDPNSOURCEADDRESS_FLAGS){.ModeChange = 1}, NULL);
    if (source->visible) {
        enable_vsync(source->adapter, true);
        set_visible(source, true);
    }
}

/* One step of the way back to the screen; false: there is none. */
static bool pin_again(struct dxgk_source *source)
{
    struct vidmm_prepare_result result;

    if (!dxgk_adapter_has_hardware(source->adapter)) {
        return false;
    }
    vidmm_pin(&source->shown->memory, 0, &result);
    if (result.outcome == VIDMM_READY) {
        source->reshow = DXGK_RESHOW_PAGING;
        source->reshow_sequence = result.paging_sequence;
    }
    return result.outcome != VIDMM_FAILED;
}

static void reshow(struct dxgk_source *source)
{
    struct dxgk_allocation *shown = source->shown;

    if (!life_enter(&shown->life)) {
        return; /* who destroys it makes the screen dark */
    }
    if (source->reshow == DXGK_RESHOW_WANTED && !pin_again(source)) {
        dxgk_source_replace_shown(source, NULL);
    }
    if (source->reshow == DXGK_RESHOW_PAGING &&
        vidmm_paging_reached(source->adapter->vidmm, source->reshow_sequence)) {
        show_again(source);
    }
    life_leave(&shown->life);
}

void dxgk_display_work(struct dxgk_adapter *adapter)
{
    if (!adapter->reshowing) {
        return;
    }
    adapter->reshowing = false;
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (source->reshow != DXGK_RESHOW_DONE) {
            reshow(source);
        }
        adapter->reshowing |= source->reshow != DXGK_RESHOW_DONE;
    }
}
