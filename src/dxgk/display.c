/* Display: sources, what they show, flips and vertical syncs.
 *
 * A flip waits in its context until earlier work is done [PRES-056], pins its surface, is
 * programmed by SetVidPnSourceAddress at device level, and ends when a vertical sync reports its
 * address; the surface shown before is released then. Modes come from vidpn.c. */
#include "dxgk/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VSYNC_WAIT_NS (2 * NS_PER_S)

static struct dxgk_source *source_of(struct present_source *present)
{
    return container_of(present, struct dxgk_source, present);
}

/* ---- Surfaces that must stay in place ------------------------------------------------------ */

/* Places the surface and keeps it there. PASSIVE_LEVEL. */
static NTSTATUS pin(struct dxgk_allocation *allocation)
{
    struct dxgk_adapter *adapter = allocation->adapter;
    struct vidmm_prepare_result result;

    for (;;) {
        vidmm_pin(&allocation->memory, 0, &result);
        if (result.outcome == VIDMM_FAILED) {
            return result.status;
        }
        if (result.outcome != VIDMM_WAIT) {
            return dxgk_wait_paging(adapter, result.paging_sequence, MACHINE_NEVER);
        }
        dxgk_wait_memory(adapter, &result.wait, MACHINE_NEVER);
    }
}

static void unpin(struct dxgk_allocation *allocation)
{
    vidmm_unpin(&allocation->memory);
    dxgk_residency_changed(allocation->adapter, true);
}

/* The new surface takes the place of the one shown so far. */
static void replace_shown(struct dxgk_source *source, struct dxgk_allocation *allocation)
{
    struct dxgk_allocation *before = source->shown;

    source->shown = allocation;
    if (before) {
        unpin(before);
    }
}

void dxgk_source_forget(struct dxgk_source *source, struct dxgk_allocation *allocation)
{
    if (source->shown != allocation) {
        return;
    }
    /* The screen goes dark before its surface does (0x10E/2A otherwise). */
    dxgk_source_hide(source);
    replace_shown(source, NULL);
}

/* ---- Programming --------------------------------------------------------------------------- */

static NTSTATUS set_address(struct dxgk_source *source, struct dxgk_allocation *allocation,
                            DXGK_SETVIDPNSOURCEADDRESS_FLAGS flags, HANDLE context)
{
    struct dxgk_adapter *adapter = source->adapter;
    struct vidmm_location location;
    /* Too large for a stack frame at device level; one call at a time per source. */
    DXGKARG_SETVIDPNSOURCEADDRESS *arguments = source->address_arguments;

    vidmm_allocation_location(&allocation->memory, &location);
    *arguments = (DXGKARG_SETVIDPNSOURCEADDRESS){
        .VidPnSourceId = source->index,
        .PrimarySegment = location.segment,
        .PrimaryAddress.QuadPart = (LONGLONG)location.address,
        .hAllocation = allocation->driver_handle,
        .Flags = flags,
    };
    if (context) {
        arguments->ContextCount = 1;
        arguments->Context[0] = context;
    }
    adapter->ddi.shadow.sources[source->index].address = location.address;
    return ddi_set_vidpn_source_address(&adapter->ddi, adapter->ddi.miniport_context, arguments,
                                        allocation->object);
}

struct programming {
    struct dxgk_source *source;
    struct dxgk_flip *flip;
    NTSTATUS status;
};

static bool program_synchronised(void *context)
{
    struct programming *programming = context;
    struct dxgk_flip *flip = programming->flip;

    programming->status =
        set_address(programming->source, flip->allocation, flip->flags, flip->context);
    return true;
}

/* A flip is programmed at device level, so that no service routine sees half of it [FLIP-001]. */
static NTSTATUS program(struct present_source *present, struct present_flip *base)
{
    struct dxgk_source *source = source_of(present);
    struct dxgk_flip *flip = container_of(base, struct dxgk_flip, base);

    KERNEL_DUTY(FLIP_014, present->programmed_count <= present->programmed_max);
    source->adapter->ddi.shadow.sources[source->index].pending_flips++;
    struct programming programming = {.source = source, .flip = flip};
    if (source->adapter->ddi.interrupt) {
        interrupt_synchronize(source->adapter->ddi.interrupt, program_synchronised, &programming);
    } else {
        program_synchronised(&programming);
    }
    return programming.status;
}

static const struct present_backend backend = {.program = program};

/* ---- Flips --------------------------------------------------------------------------------- */

static void flip_latched(struct present_flip *base, NTSTATUS status)
{
    struct dxgk_flip *flip = container_of(base, struct dxgk_flip, base);
    struct dxgk_source *source = flip->source;

    if (NT_SUCCESS(status)) {
        flip->pinned = false; /* the pin goes over to the source */
        replace_shown(source, flip->allocation);
        record_count("present.flips", 1);
    }
    vidsch_complete(&flip->packet->vidsch, status);
}

NTSTATUS dxgk_flip_queue(struct dxgk_context *context, const struct dxgk_present_request *request)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    struct dxgk_packet *packet;
    struct dxgk_flip *flip;

    if (request->vidpn_source >= adapter->source_count ||
        !adapter->sources[request->vidpn_source].active || !request->source->allocation->primary) {
        return STATUS_INVALID_PARAMETER;
    }
    flip = calloc(1, sizeof *flip);
    packet = flip ? dxgk_packet_new(context, VIDSCH_PACKET_MMIO_FLIP) : NULL;
    if (!packet) {
        free(flip);
        return STATUS_NO_MEMORY;
    }
    flip->source = &adapter->sources[request->vidpn_source];
    flip->allocation = request->source->allocation;
    flip->packet = packet;
    flip->context = context->driver_handle;
    flip->base.interval = request->interval <= 4 ? (unsigned)request->interval : 1;
    flip->base.object = flip->allocation->object;
    flip->base.done = flip_latched;
    /* Hardware that cannot flip at once does so at the next vertical sync [FLIP-010]. */
    flip->flags.FlipImmediate =
        flip->base.interval == 0 && adapter->caps.FlipCaps.FlipImmediateMmIo;
    flip->flags.FlipOnNextVSync = !flip->flags.FlipImmediate;
    packet->flip = flip;
    dxgk_allocation_packet(flip->allocation, 1, false);
    dxgk_packet_push(packet);
    return STATUS_SUCCESS;
}

/* The context's earlier work is done; whatever else writes the surface must be, too. The worker
 * pins, because that may page. */
void dxgk_flip_execute(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;

    list_push_back(&adapter->flips_to_pin, &packet->wait_link);
    dxgk_worker_kick(adapter);
}

void dxgk_flip_done(struct dxgk_packet *packet, NTSTATUS status)
{
    struct dxgk_flip *flip = packet->flip;

    if (flip->pinned) {
        unpin(flip->allocation);
    }
    dxgk_allocation_packet(flip->allocation, -1, false);
    packet->flip = NULL;
    free(flip);
}

static void pin_and_push(struct dxgk_flip *flip)
{
    NTSTATUS status = pin(flip->allocation);
    struct vidmm_location location;

    if (!NT_SUCCESS(status)) {
        vidsch_complete(&flip->packet->vidsch, status);
        return;
    }
    flip->pinned = true;
    vidmm_allocation_location(&flip->allocation->memory, &location);
    flip->base.address = location.address;
    present_flip_push(&flip->source->present, &flip->base);
}

/* The worker's part: flips whose writers have all retired, in order. */
void dxgk_display_work(struct dxgk_adapter *adapter)
{
    list_for_each_safe (link, &adapter->flips_to_pin) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, wait_link);
        if (packet->flip->allocation->write_count == 0) {
            list_remove(link);
            pin_and_push(packet->flip);
        }
    }
}

/* ---- Vertical syncs ------------------------------------------------------------------------ */

/* At device level. */
void dxgk_display_vsync_notice(struct dxgk_adapter *adapter,
                               const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (source->active && source->target == data->CrtcVsync.VidPnTargetId) {
            source->vsyncs_told++;
            source->vsync_address = (uint64_t)data->CrtcVsync.PhysicalAddress.QuadPart;
            adapter->vsync_mask |= 1u << i;
        }
    }
}

void dxgk_display_vsync_dpc(struct dxgk_adapter *adapter)
{
    while (adapter->vsync_mask) {
        unsigned index = (unsigned)__builtin_ctz(adapter->vsync_mask);
        struct dxgk_source *source = &adapter->sources[index];
        adapter->vsync_mask &= ~(1u << index);
        source->vsyncs_told = 0;
        present_vsync(&source->present, source->vsync_address);
        adapter->ddi.shadow.sources[index].pending_flips = source->present.programmed_count;
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
        adapter->ddi.shadow.sources[source->index].visible = visible;
    }
    return status;
}

static NTSTATUS enable_vsync(struct dxgk_adapter *adapter, bool enable)
{
    NTSTATUS status = ddi_control_interrupt(&adapter->ddi, DXGK_INTERRUPT_CRTC_VSYNC, enable);

    for (unsigned i = 0; i < adapter->source_count; i++) {
        adapter->ddi.shadow.sources[i].vsync_enabled = enable && NT_SUCCESS(status);
    }
    return status;
}

void dxgk_source_hide(struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;

    if (!source->visible) {
        return;
    }
    present_wait_flips(&source->present, machine_now_ns() + VSYNC_WAIT_NS);
    set_visible(source, false);
    bool any = false;
    for (unsigned i = 0; i < adapter->source_count; i++) {
        any |= adapter->sources[i].visible;
    }
    if (!any) {
        enable_vsync(adapter, false);
    }
}

NTSTATUS dxgk_source_show(struct dxgk_adapter *adapter, unsigned index,
                          struct dxgk_opening *primary)
{
    if (index >= adapter->source_count || !adapter->sources[index].active) {
        return STATUS_INVALID_PARAMETER;
    }
    struct dxgk_source *source = &adapter->sources[index];
    struct dxgk_allocation *allocation = primary->allocation;
    struct vidmm_location location;
    NTSTATUS status = pin(allocation);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    /* A mode change shows its first surface with the GPU idle (level two). */
    dxgk_adapter_wait_idle(adapter, MACHINE_NEVER);
    status = dxgk_vidpn_commit(adapter, index, allocation);
    vidmm_allocation_location(&allocation->memory, &location);
    if (NT_SUCCESS(status) && location.segment == 0) {
        status = STATUS_DEVICE_REMOVED; /* a reset took its content and its place meanwhile */
    }
    if (NT_SUCCESS(status)) {
        status = set_address(source, allocation,
                             (DXGK_SETVIDPNSOURCEADDRESS_FLAGS){.ModeChange = 1}, NULL);
    }
    if (NT_SUCCESS(status)) {
        status = enable_vsync(adapter, true);
    }
    if (NT_SUCCESS(status) && !source->visible) {
        status = set_visible(source, true);
    }
    if (!NT_SUCCESS(status)) {
        unpin(allocation);
        return status;
    }
    vidmm_allocation_location(&allocation->memory, &location);
    present_source_shown(&source->present, location.address);
    replace_shown(source, allocation);
    return STATUS_SUCCESS;
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
    list_init(&adapter->flips_to_pin);
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        source->adapter = adapter;
        source->index = i;
        source->address_arguments = nt_memory_alloc(sizeof *source->address_arguments, 0);
        if (!source->address_arguments) {
            return STATUS_NO_MEMORY;
        }
        present_source_init(&source->present, &backend, i, adapter->caps.MaxQueuedFlipOnVSync);
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
        replace_shown(source, NULL);
        present_source_fini(&source->present);
        nt_memory_free(source->address_arguments);
    }
    dxgk_vidpn_tear_down(adapter);
}

/* Flips under way are over: none is programmed once their surfaces are gone with the reset. */
void dxgk_display_end_flips(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        present_source_cancel(&adapter->sources[i].present, STATUS_SUCCESS);
    }
}

/* After a reset what was on screen is shown again. */
void dxgk_display_lose(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        struct dxgk_allocation *shown = source->shown;
        NTSTATUS status = shown && !adapter->lost ? pin(shown) : STATUS_UNSUCCESSFUL;
        if (source->shown != shown) {
            continue; /* its owner took it away while it was paged in */
        }
        if (!NT_SUCCESS(status)) {
            source->shown = NULL; /* its pin ended with the reset */
            continue;
        }
        set_address(source, shown, (DXGK_SETVIDPNSOURCEADDRESS_FLAGS){.ModeChange = 1}, NULL);
        if (source->visible) {
            enable_vsync(adapter, true);
            set_visible(source, true);
        }
    }
}
