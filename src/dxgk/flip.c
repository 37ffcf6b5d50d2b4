/* Flips by registers: the road of a surface to the screen, and the vertical syncs that end it.
 *
 *     dxgk_flip_queue ── its context's earlier work is done [PRES-056] ──> submit: it waits
 *        ┌─────────────────────────────────────────────────────────────────────┘
 *        │ progress: first of its source, and nobody writes the surface any more
 *        v
 *     vidmm_pin ── its paging is done ──> present_flip_push ──> SetVidPnSourceAddress, at
 *                                                               device level
 *     done: the surface that was shown before is let go <── a vertical sync says so ──┘
 *
 * The flips of a source go in the order in which they were asked for. */
#include "dxgk/flip_queue.h"
#include "dxgk/hwqueue_present.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

#define FLIPS_LOOKED_AT 3u

static struct dxgk_source *source_of(struct present_source *present)
{
    return container_of(present, struct dxgk_source, present);
}

/* ---- Programming --------------------------------------------------------------------------- */

/* The addresses of where the surface is now. */
static void fill_arguments(const struct dxgk_source *source, struct dxgk_allocation *allocation,
                           DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    struct vidmm_location location;

    vidmm_allocation_location(&allocation->memory, &location);
    *arguments = (DXGKARG_SETVIDPNSOURCEADDRESS){
        .VidPnSourceId = source->index,
        .PrimarySegment = location.segment,
        .PrimaryAddress.QuadPart = (LONGLONG)location.address,
        .hAllocation = allocation->driver_handle,
    };
}

static NTSTATUS set_address(struct dxgk_source *source, struct dxgk_allocation *allocation,
                            const DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    struct dxgk_adapter *adapter = source->adapter;

    return ddi_set_vidpn_source_address(&adapter->ddi, adapter->ddi.miniport_context, arguments,
                                        allocation->object);
}

struct placing {
    struct dxgk_source *source;
    struct dxgk_allocation *allocation;
};

/* Behind the gates: false if the adapter is gone, or a reset took the surface's place meanwhile. */
static bool fill_mode_address(void *context, DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    const struct placing *placing = context;

    if (!dxgk_adapter_has_hardware(placing->source->adapter)) {
        return false; /* places are bookkeeping alone: the driver knows none */
    }
    fill_arguments(placing->source, placing->allocation, arguments);
    arguments->Flags.Value = placing->allocation->stereo ? placing->source->stereo_flags : 0;
    arguments->Flags.ModeChange = 1;
    return arguments->PrimarySegment != 0;
}

NTSTATUS dxgk_source_set_mode_address(struct dxgk_source *source,
                                      struct dxgk_allocation *allocation)
{
    struct placing placing = {source, allocation};
    const struct ddi_filler filler = {fill_mode_address, &placing};
    struct ddi_adapter *ddi = &source->adapter->ddi;

    CHECK_THAT(source->changing && irql_current() == MACHINE_IRQL_PASSIVE);
    NTSTATUS status =
        ddi_set_vidpn_source_address_late(ddi, ddi->miniport_context, &filler, allocation->object);
    source->mode_ns = machine_now_ns();
    dxgk_planes_drop(source); /* [FLIP-013] */
    dxgk_source_restore_palette(source);
    return status;
}

struct programming {
    struct dxgk_source *source;
    struct dxgk_flip *flip;
    NTSTATUS status;
};

static bool program_synchronised(void *context)
{
    struct programming *programming = context;
    struct dxgk_source *source = programming->source;
    const struct dxgk_flip *flip = programming->flip;
    /* Too large for a stack frame at device level; a source programs one flip at a time. */
    DXGKARG_SETVIDPNSOURCEADDRESS *arguments = source->flip_arguments;

    CHECK_THAT(source->present.programming == &flip->base);
    fill_arguments(source, flip->allocation, arguments);
    arguments->Flags = flip->flags;
    if (flip->context) {
        arguments->ContextCount = 1;
        arguments->Context[0] = flip->context;
    }
    programming->status = set_address(source, flip->allocation, arguments);
    return true;
}

/* The first flips, where nothing else can change the picture: no other waits for its sync. */
static bool is_looked_at(const struct dxgk_source *source, const struct dxgk_flip *flip)
{
    return source->flips_looked_at < FLIPS_LOOKED_AT && source->visible &&
           !dxgk_planes_shown(source) && flip->flags.FlipOnNextVSync &&
           source->present.programmed_count <= 1;
}

static bool is_immediate_looked_at(const struct dxgk_source *source, const struct dxgk_flip *flip)
{
    return source->immediate_looked_at < FLIPS_LOOKED_AT && source->visible &&
           !dxgk_planes_shown(source) && flip->flags.FlipImmediate &&
           source->present.programmed_count <= 1;
}

/* A flip is programmed at device level, so that no service routine sees half of it [FLIP-001]. */
static NTSTATUS program(struct present_source *present, struct present_flip *base)
{
    struct dxgk_source *source = source_of(present);
    struct dxgk_flip *flip = container_of(base, struct dxgk_flip, base);

    if (dxgk_flip_is_commanded(flip)) {
        return STATUS_SUCCESS; /* the engine does it */
    }
    if (flip->planes) {
        return dxgk_planes_program(flip);
    }
    KERNEL_DUTY(FLIP_014, present->programmed_count <= present->programmed_max);
    bool immediate = is_immediate_looked_at(source, flip);
    bool looks = (is_looked_at(source, flip) || immediate) && dxgk_screen_look_before(flip);
    struct programming programming = {.source = source, .flip = flip};
    source->vsyncs_elsewhere = 0;
    if (source->adapter->ddi.interrupt) {
        interrupt_synchronize(source->adapter->ddi.interrupt, program_synchronised, &programming);
    } else {
        program_synchronised(&programming);
    }
    if (looks && NT_SUCCESS(programming.status) && immediate) {
        dxgk_screen_look_at_immediate(flip);
    } else if (looks && NT_SUCCESS(programming.status)) {
        source->flips_looked_at++;
        dxgk_screen_judge_flip(flip);
    }
    return programming.status;
}

static bool may_program(struct present_source *present, const struct present_flip *base)
{
    return !container_of(base, const struct dxgk_flip, base)->planes ||
           dxgk_planes_may_program(source_of(present), base);
}

static void listen(struct present_source *present)
{
    dxgk_flip_queue_set_interrupts(source_of(present));
}

const struct present_backend dxgk_present_backend = {program, may_program, dxgk_planes_beside,
                                                     dxgk_vsync_events_set, listen};

static void flip_latched(struct present_flip *base, NTSTATUS status)
{
    struct dxgk_flip *flip = container_of(base, struct dxgk_flip, base);
    struct dxgk_source *source = flip->source;

    CHECK_THAT((flip->planes || vidmm_pin_holds(&flip->pin)) && list_empty(&flip->link));
    if (NT_SUCCESS(status) && flip->planes) {
        dxgk_planes_latched(flip);
        record_count("present.planes", 1);
    } else if (NT_SUCCESS(status)) {
        dxgk_screen_judge_immediate(flip);
        dxgk_planes_drop(source); /* [FLIP-013] */
        source->stereo_flags = dxgk_flip_modifiers(flip->flags);
        dxgk_source_replace_shown(source, flip->allocation, &flip->pin);
        record_count("present.flips", 1);
    }
    vidsch_complete(&flip->packet->vidsch, status);
}

/* ---- The road ------------------------------------------------------------------------------ */

static void leave_queue(struct dxgk_flip *flip)
{
    list_remove(&flip->link);
    if (!list_empty(&flip->source->flips)) {
        dxgk_worker_kick(flip->packet->adapter); /* the next is the first now */
    }
}

/* The context's earlier work is done. The worker goes on, for pinning may page. */
static void flip_submit(struct dxgk_packet *packet)
{
    list_push_back(&packet->flip->source->flips, &packet->flip->link);
    dxgk_packet_wait(packet);
    dxgk_worker_kick(packet->adapter);
}

static void end_unshown(struct dxgk_packet *packet, NTSTATUS status)
{
    list_remove(&packet->wait_link);
    leave_queue(packet->flip);
    vidsch_complete(&packet->vidsch, status);
}

/* True: the surface is where it will be shown from, bytes and all. */
static bool pin_surface(struct dxgk_packet *packet, NTSTATUS *status)
{
    struct dxgk_adapter *adapter = packet->adapter;
    struct dxgk_flip *flip = packet->flip;
    struct vidmm_prepare_result result;

    if (flip->planes) {
        return dxgk_planes_pin(adapter, flip->planes, status);
    }
    if (!vidmm_pin_holds(&flip->pin)) {
        vidmm_pin(&flip->pin, &flip->allocation->memory, &result);
        *status = result.outcome == VIDMM_FAILED ? result.status : STATUS_SUCCESS;
        if (result.outcome != VIDMM_READY) {
            return false;
        }
        flip->paging_sequence = result.paging_sequence;
    }
    return vidmm_paging_reached(adapter->vidmm, flip->paging_sequence);
}

static bool is_written(const struct dxgk_flip *flip)
{
    return flip->planes ? dxgk_planes_written(flip->planes) : flip->allocation->write_count > 0;
}

static bool still_fits(const struct dxgk_flip *flip)
{
    return flip->planes ? dxgk_planes_fit(flip->source, flip->planes)
                        : dxgk_source_fits(flip->source, flip->allocation);
}

/* As the vertical sync that ends it tells it. */
static uint64_t address_of(struct dxgk_adapter *adapter, const struct dxgk_flip *flip)
{
    struct vidmm_location location;

    if (flip->planes) {
        return dxgk_planes_number(adapter, flip->planes);
    }
    vidmm_allocation_location(&flip->allocation->memory, &location);
    return location.address;
}

static void flip_progress(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    struct dxgk_flip *flip = packet->flip;
    NTSTATUS status = STATUS_SUCCESS;

    if (flip->source->flips.next != &flip->link || is_written(flip) || flip->source->changing ||
        flip->source->reshow != DXGK_RESHOW_DONE) {
        return;
    }
    if (!dxgk_adapter_has_hardware(adapter)) {
        end_unshown(packet, VIDSCH_STATUS_LOST); /* no vertical sync would ever end it */
        return;
    }
    if (!flip->source->visible || !still_fits(flip)) {
        end_unshown(packet, VIDSCH_STATUS_CANCELLED); /* nor on a dark screen; or its mode went */
        return;
    }
    if (!pin_surface(packet, &status)) {
        if (!NT_SUCCESS(status)) {
            end_unshown(packet, status);
        }
        return;
    }
    flip->base.address = address_of(adapter, flip);
    list_remove(&packet->wait_link);
    leave_queue(flip);
    present_flip_push(&flip->source->present, &flip->base);
}

static void flip_recall(struct dxgk_packet *packet)
{
    struct dxgk_flip *flip = packet->flip;

    /* Those beyond were ended before. */
    CHECK_THAT(!vidmm_pin_holds(&flip->pin) || !list_empty(&flip->link));
    vidmm_unpin(&flip->pin);
    if (flip->planes) {
        dxgk_planes_unpin(flip->planes);
    }
}

static void flip_done(struct dxgk_packet *packet, NTSTATUS status)
{
    struct dxgk_flip *flip = packet->flip;

    CHECK_THAT(list_empty(&flip->link));
    if (flip->planes) {
        dxgk_planes_ended(flip);
        free(flip);
        return;
    }
    dxgk_surface_unpin(packet->adapter, &flip->pin);
    dxgk_allocation_packet(flip->allocation, -1, false);
    life_leave(&flip->opening->life);
    free(flip);
}

static const struct dxgk_road flip_road = {
    .name = "flip",
    .kind = VIDSCH_PACKET_SOFTWARE,
    .submit = flip_submit,
    .progress = flip_progress,
    .recall = flip_recall,
    .done = flip_done,
};

static NTSTATUS make_flip(struct dxgk_context *context, struct dxgk_packet **out)
{
    struct dxgk_flip *flip = calloc(1, sizeof *flip);

    if (!flip) {
        return STATUS_NO_MEMORY;
    }
    *out = dxgk_packet_new(context, &flip_road);
    if (!*out) {
        free(flip);
        return STATUS_NO_MEMORY;
    }
    list_init(&flip->link);
    flip->packet = *out;
    (*out)->flip = flip;
    return STATUS_SUCCESS;
}

/* Hardware that cannot flip at once does so at the next vertical sync [FLIP-010]. */
static void choose_moment(struct dxgk_flip *flip, D3DDDI_FLIPINTERVAL_TYPE interval, bool can_now)
{
    flip->base.interval = interval <= 4 ? (unsigned)interval : 1;
    flip->flags.FlipImmediate = flip->base.interval == 0 && can_now;
    flip->flags.FlipOnNextVSync = !flip->flags.FlipImmediate;
}

NTSTATUS dxgk_flip_queue_planes(struct dxgk_context *context,
                                const struct dxgk_planes_request *request,
                                struct dxgk_planes *planes)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    struct dxgk_packet *packet;
    NTSTATUS status = make_flip(context, &packet);

    if (!NT_SUCCESS(status)) {
        dxgk_planes_done(adapter, planes);
        return status;
    }
    struct dxgk_flip *flip = packet->flip;
    flip->source = &adapter->sources[request->vidpn_source];
    flip->planes = planes;
    flip->context = dxgk_flips_as(context);
    flip->base.object = context->object;
    flip->base.done = flip_latched;
    flip->flags = request->stereo;
    choose_moment(flip, request->interval, adapter->caps.SupportMultiPlaneOverlayImmediateFlip);
    dxgk_flip_queue_take_interval(flip);
    dxgk_packet_push(packet);
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_flip_queue(struct dxgk_context *context, const struct dxgk_present_request *request)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    struct dxgk_packet *packet;

    if (!dxgk_flip_fits(adapter, request)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (dxgk_adapter_queues_flips(adapter)) {
        return dxgk_flip_queue_plain(context, request);
    }
    NTSTATUS status = make_flip(context, &packet);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    struct dxgk_flip *flip = packet->flip;
    flip->source = &adapter->sources[request->vidpn_source];
    life_use_more(&request->source->life);
    flip->opening = request->source;
    flip->allocation = request->source->allocation;
    flip->context = dxgk_flips_as(context);
    flip->base.object = flip->allocation->object;
    flip->base.done = flip_latched;
    flip->flags = dxgk_flip_stereo(request->flags);
    choose_moment(flip, request->interval, adapter->caps.FlipCaps.FlipImmediateMmIo);
    dxgk_allocation_packet(flip->allocation, 1, false);
    dxgk_packet_push(packet);
    return STATUS_SUCCESS;
}

/* ---- Vertical syncs ------------------------------------------------------------------------ */

/* At device level. */
void dxgk_display_vsync_notice(struct dxgk_adapter *adapter,
                               const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (source->active && source->target == data->CrtcVsync.VidPnTargetId) {
            source->vsync_addresses[source->vsyncs_told++ % DXGK_VSYNCS_KEPT] =
                (uint64_t)data->CrtcVsync.PhysicalAddress.QuadPart;
            adapter->vsync_mask |= 1u << i;
        } else {
            source->vsyncs_elsewhere++;
        }
    }
}

#define OTHERS_VSYNCS_MAX 8 /* in a row: nothing that is late tells as many */

static bool shows(const struct dxgk_source *source, uint64_t address)
{
    struct vidmm_location location;

    if (!source->active || !source->visible || !source->shown ||
        source->reshow != DXGK_RESHOW_DONE) { /* until then the screen has what was there before */
        return false;
    }
    vidmm_allocation_location(&source->shown->memory, &location);
    return location.segment != 0 && location.address == address;
}

static const struct dxgk_source *other_that_shows(const struct dxgk_source *source,
                                                  uint64_t address)
{
    const struct dxgk_adapter *adapter = source->adapter;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        const struct dxgk_source *other = &adapter->sources[i];
        if (other != source && other->target != source->target && shows(other, address)) {
            return other;
        }
    }
    return NULL;
}

/* The contract's rows do not know which source is shown on which target. */
static void judge_vsync(struct dxgk_source *source, uint64_t address)
{
    bool looked_at = source->visible && !source->changing && source->reshow == DXGK_RESHOW_DONE &&
                     !shows(source, address) && !present_source_awaits(&source->present, address);
    const struct dxgk_source *other = looked_at ? other_that_shows(source, address) : NULL;

    source->vsyncs_of_others = other ? source->vsyncs_of_others + 1 : 0;
    if (source->vsyncs_of_others == OTHERS_VSYNCS_MAX) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(INT_010),
                                                   .object = source->adapter->object},
                        "in a vertical sync's notice the target that had it, and the address in "
                        "force for the source that is shown there",
                        "%u notices in a row of target %u, on which source %u is shown, tell "
                        "0x%llX: source %u shows that, on target %u. A VidPnTargetId is no "
                        "source's number",
                        source->vsyncs_of_others, source->target, source->index,
                        (unsigned long long)address, other->index, other->target);
    }
}

/* One after the other: each says what was shown then. Of many the latest. */
static void serve_vsyncs(struct dxgk_source *source)
{
    uint64_t addresses[DXGK_VSYNCS_KEPT], address, told = source->vsyncs_told;

    memcpy(addresses, source->vsync_addresses, sizeof addresses);
    source->vsyncs_told = 0;
    for (uint64_t i = told > DXGK_VSYNCS_KEPT ? told - DXGK_VSYNCS_KEPT : 0; i < told; i++) {
        address = dxgk_flip_command_told(source, addresses[i % DXGK_VSYNCS_KEPT]);
        judge_vsync(source, address);
        present_vsync(&source->present, address);
    }
    dxgk_planes_judge_plain(source, (unsigned)told);
    dxgk_flip_command_judge(source);
}

void dxgk_display_vsync_dpc(struct dxgk_adapter *adapter)
{
    while (adapter->vsync_mask) {
        unsigned index = (unsigned)__builtin_ctz(adapter->vsync_mask);
        adapter->vsync_mask &= ~(1u << index);
        serve_vsyncs(&adapter->sources[index]);
        dxgk_planes_serve(&adapter->sources[index]);
    }
}
