/* Flips by command, of drivers whose hardware is not flipped by registers [PRES-035]:
 * DxgkDdiPresent writes them into a DMA buffer, and the engine flips when it comes there.
 *
 *     begin ── Present ──> packets ── its turn at the source, its surface pinned ──> submitted
 *       │                                                                              │
 *       └ the last of the source's flips                     the source's queue holds it as if it
 *                                                            had been programmed, until a vertical
 *     over: both the packets and the queue let it go <────── sync tells its address
 *
 * One is under way at a source at a time, in the order of the calls. What draws on the surface and
 * was asked for before it, in another context, comes first [PRES-056]; what its own context draws
 * is on the same engine. */
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

struct commanded_flip {
    struct dxgk_flip flip;
    unsigned holders; /* who fills buffers, each buffer, and the source's queue */
    uint64_t order;   /* dxgk_dma.order of what came before it is smaller */
    bool given;       /* to the source's queue, once */
    bool queued;      /* it is there */
    bool alone;       /* its engine had nothing else when it was submitted */
    uint64_t syncs;   /* of its source by then */
};

static struct commanded_flip *commanded(struct dxgk_flip *flip)
{
    return container_of(flip, struct commanded_flip, flip);
}

bool dxgk_flip_is_commanded(const struct dxgk_flip *flip)
{
    return flip->flags.Value == 0; /* SetVidPnSourceAddress always has a flag [FLIP-010] */
}

/* ---- Its life ------------------------------------------------------------------------------ */

static void leave_turn(struct dxgk_flip *flip)
{
    struct dxgk_source *source = flip->source;

    list_remove(&flip->link);
    if (!list_empty(&source->flips)) {
        dxgk_worker_kick(source->adapter); /* the next is the first now */
    }
}

void dxgk_flip_command_put(struct dxgk_flip *flip)
{
    struct commanded_flip *commanded_flip = commanded(flip);
    struct dxgk_adapter *adapter = flip->source->adapter;

    CHECK_THAT(commanded_flip->holders > 0);
    if (--commanded_flip->holders > 0) {
        return;
    }
    leave_turn(flip);
    flip->source->flips_commanded--;
    wait_queue_wake(&flip->source->changed, UINT_MAX);
    dxgk_surface_unpin(adapter, &flip->pin);
    dxgk_allocation_packet(flip->allocation, -1, false);
    life_leave(&flip->opening->life);
    free(commanded_flip);
}

/* The vertical sync that shows it came, or it will not come. */
static void told(struct present_flip *base, NTSTATUS status)
{
    struct dxgk_flip *flip = container_of(base, struct dxgk_flip, base);
    struct dxgk_source *source = flip->source;
    struct dxgk_adapter *adapter = source->adapter;

    commanded(flip)->queued = false;
    if (NT_SUCCESS(status) && vidmm_pin_holds(&flip->pin)) {
        dxgk_source_replace_shown(source, flip->allocation, &flip->pin);
        record_count("present.flips", 1);
    }
    dxgk_flip_command_put(flip);
    dxgk_memory_changed(adapter); /* the next may have its turn */
}

/* What the driver writes is for the outputs that show the source now [PRES-054]. */
static void wait_for_change(struct dxgk_adapter *adapter, UINT index)
{
    while (index < adapter->source_count && adapter->sources[index].changing) {
        wait_queue_wait(&adapter->sources[index].changed, MACHINE_NEVER);
    }
}

bool dxgk_flip_fits(struct dxgk_adapter *adapter, const struct dxgk_present_request *request)
{
    return request->vidpn_source < adapter->source_count &&
           adapter->sources[request->vidpn_source].active &&
           adapter->sources[request->vidpn_source].shown && /* SetDisplayMode was called */
           request->source->allocation->primary &&
           dxgk_source_fits(&adapter->sources[request->vidpn_source], request->source->allocation);
}

NTSTATUS dxgk_flip_command_begin(struct dxgk_context *context,
                                 const struct dxgk_present_request *request, struct dxgk_flip **out)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    struct commanded_flip *made;

    wait_for_change(adapter, request->vidpn_source);
    if (!dxgk_flip_fits(adapter, request)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!(made = calloc(1, sizeof *made))) {
        return STATUS_NO_MEMORY;
    }
    made->holders = 1;
    made->order = adapter->dma_order;
    struct dxgk_flip *flip = &made->flip;
    flip->source = &adapter->sources[request->vidpn_source];
    life_use_more(&request->source->life);
    flip->opening = request->source;
    flip->allocation = request->source->allocation;
    flip->base.interval = request->flags.FlipWithNoWait ? 1 : (unsigned)request->interval;
    flip->base.object = flip->allocation->object;
    flip->base.done = told;
    dxgk_allocation_packet(flip->allocation, 1, false);
    list_push_back(&flip->source->flips, &flip->link);
    flip->source->flips_commanded++;
    *out = flip;
    return STATUS_SUCCESS;
}

void dxgk_flip_command_hold(struct dxgk_flip *flip)
{
    commanded(flip)->holders++;
}

bool dxgk_flip_command_ran(const struct dxgk_flip *flip)
{
    return container_of(flip, const struct commanded_flip, flip)->holders == 1;
}

void dxgk_flip_command_fill(const struct dxgk_flip *flip, DXGKARG_SUBMITCOMMAND *arguments)
{
    arguments->VidPnSourceId = flip->source->index;
    if (arguments->Flags.Flip) { /* [SUBMIT-034] */
        arguments->FlipInterval = (D3DDDI_FLIPINTERVAL_TYPE)flip->base.interval;
    }
}

/* A driver whose hardware is not flipped by registers may leave the address out, as a public one
 * does: what ran is shown from the second sync behind its end on. */
uint64_t dxgk_flip_command_told(struct dxgk_source *source, uint64_t address)
{
    struct present_source *present = &source->present;
    const struct present_flip *oldest =
        address == 0 && !source->adapter->caps.FlipCaps.FlipOnVSyncMmIo
            ? present_source_oldest(present)
            : NULL;
    const struct dxgk_flip *flip =
        oldest ? container_of(oldest, const struct dxgk_flip, base) : NULL;

    if (!flip || !dxgk_flip_is_commanded(flip) || !dxgk_flip_command_ran(flip)) {
        return address;
    }
    unsigned syncs = oldest->interval > 1 ? oldest->interval : 1;
    return present->vsync_count >= oldest->programmed_vsync + syncs ? oldest->address : address;
}

static bool is_of_device(const struct present_flip *base, const struct dxgk_device *device)
{
    const struct dxgk_flip *flip = container_of(base, const struct dxgk_flip, base);

    return dxgk_flip_is_commanded(flip) && flip->opening->device == device;
}

bool dxgk_flip_commands_wait(struct dxgk_device *device, uint64_t deadline_ns)
{
    struct dxgk_adapter *adapter = device->adapter;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct present_source *present = &adapter->sources[i].present;
        const struct present_flip *oldest;
        while ((oldest = present_source_oldest(present)) != NULL && is_of_device(oldest, device)) {
            if (wait_queue_wait(&present->changed, deadline_ns) == WAIT_TIMED_OUT) {
                return false;
            }
        }
    }
    return true;
}

/* ---- Its turn ------------------------------------------------------------------------------ */

static bool writes(const struct dxgk_dma *dma, const struct dxgk_allocation *allocation)
{
    bool any = false;

    for (UINT i = 0; i < dma->allocation_count; i++) {
        any |= dma->targets[i] == allocation && dma->writes[i];
    }
    return any;
}

/* By what was asked for before, of others: the engine takes its own context's work in order. */
static bool is_being_written(const struct dxgk_packet *packet, const struct dxgk_flip *flip,
                             uint64_t order)
{
    if (flip->allocation->write_count == 0) {
        return false;
    }
    list_for_each (link, &packet->adapter->packets) {
        const struct dxgk_packet *other = container_of(link, struct dxgk_packet, live_link);
        if (other->context != packet->context && other->dma && other->dma->order <= order &&
            writes(other->dma, flip->allocation)) {
            return true;
        }
    }
    return false;
}

static bool has_turn(const struct dxgk_packet *packet)
{
    struct dxgk_flip *flip = packet->dma->flip;
    struct dxgk_source *source = flip->source;

    return commanded(flip)->given ||
           (source->flips.next == &flip->link && !source->changing &&
            source->reshow == DXGK_RESHOW_DONE && present_source_pending(&source->present) == 0 &&
            !is_being_written(packet, flip, commanded(flip)->order));
}

/* True: the surface is where it will be shown from, bytes and all. */
static bool pin_surface(struct dxgk_packet *packet, NTSTATUS *status)
{
    struct dxgk_adapter *adapter = packet->adapter;
    struct dxgk_flip *flip = packet->dma->flip;
    struct vidmm_prepare_result result = {0};

    if (!vidmm_pin_holds(&flip->pin)) {
        uint64_t queued = vidmm_paging_queued(adapter->vidmm);
        vidmm_pin(&flip->pin, &flip->allocation->memory, &result);
        dxgk_paging_kick_new(adapter, queued);
        *status = result.outcome == VIDMM_FAILED ? result.status : STATUS_SUCCESS;
        if (result.outcome != VIDMM_READY) {
            return false;
        }
        flip->paging_sequence = result.paging_sequence;
    }
    return vidmm_paging_reached(adapter->vidmm, flip->paging_sequence);
}

static enum vidsch_prepare wait_for_turn(struct dxgk_packet *packet)
{
    packet->releases = UINT64_MAX; /* not for room: see dxgk_packet_asks_again() */
    return dxgk_packet_wait(packet);
}

static enum vidsch_prepare take_turn(struct dxgk_packet *packet, NTSTATUS *status)
{
    struct dxgk_flip *flip = packet->dma->flip;
    struct vidmm_location location;

    if (commanded(flip)->given) {
        return VIDSCH_PREPARE_READY; /* it comes again after a preemption, or is its second part */
    }
    if (!dxgk_adapter_has_hardware(packet->adapter)) {
        *status = VIDSCH_STATUS_LOST;
        return VIDSCH_PREPARE_FAILED;
    }
    if (!has_turn(packet)) {
        return wait_for_turn(packet);
    }
    if (!flip->source->visible || !dxgk_source_fits(flip->source, flip->allocation)) {
        *status = VIDSCH_STATUS_CANCELLED; /* no sync would tell of it; or its mode went */
        return VIDSCH_PREPARE_FAILED;
    }
    if (!pin_surface(packet, status)) {
        return NT_SUCCESS(*status) ? wait_for_turn(packet) : VIDSCH_PREPARE_FAILED;
    }
    vidmm_allocation_location(&flip->allocation->memory, &location);
    flip->base.address = location.address;
    return VIDSCH_PREPARE_READY;
}

/* ---- The road: that of a present, once it has its turn ------------------------------------- */

static enum vidsch_prepare flip_prepare(struct dxgk_packet *packet, NTSTATUS *status)
{
    enum vidsch_prepare state = take_turn(packet, status);

    return state == VIDSCH_PREPARE_READY ? dxgk_road_present.prepare(packet, status) : state;
}

/* Vertical syncs that were told, served or not. */
static uint64_t syncs_of(const struct dxgk_source *source)
{
    return source->present.vsync_count + source->vsyncs_told;
}

static bool is_alone(const struct dxgk_packet *packet)
{
    list_for_each (link, &packet->adapter->packets) {
        const struct dxgk_packet *other = container_of(link, struct dxgk_packet, live_link);
        if (other != packet && other->context->node == packet->context->node &&
            other->vidsch.state == VIDSCH_STATE_RUNNING) {
            return false;
        }
    }
    return true;
}

static void flip_submit(struct dxgk_packet *packet)
{
    struct dxgk_flip *flip = packet->dma->flip;

    commanded(flip)->alone = is_alone(packet);
    commanded(flip)->syncs = syncs_of(flip->source);
    if (!commanded(flip)->given) {
        commanded(flip)->given = commanded(flip)->queued = true;
        dxgk_flip_command_hold(flip);
        list_remove(&flip->link);
        present_flip_push(&flip->source->present, &flip->base);
    }
    dxgk_road_present.submit(packet);
}

/* Its turn has come, or never will. */
static bool is_turn_over(struct dxgk_packet *packet, NTSTATUS *status)
{
    const struct dxgk_flip *flip = packet->dma->flip;

    return commanded(packet->dma->flip)->given || !dxgk_adapter_has_hardware(packet->adapter) ||
           (has_turn(packet) &&
            (!flip->source->visible || pin_surface(packet, status) || !NT_SUCCESS(*status)));
}

static void flip_progress(struct dxgk_packet *packet)
{
    NTSTATUS status = STATUS_SUCCESS;

    if (packet->patched.resident) {
        dxgk_road_present.progress(packet);
    } else if (packet->vidsch.doomed ||
               (is_turn_over(packet, &status) && dxgk_packet_asks_again(packet))) {
        list_remove(&packet->wait_link);
        vidsch_prepared(&packet->vidsch, status);
    }
}

static void flip_recall(struct dxgk_packet *packet)
{
    dxgk_road_present.recall(packet);
    vidmm_unpin(&packet->dma->flip->pin);
}

static void flip_cancel(struct dxgk_packet *packet)
{
    dxgk_road_present.cancel(packet);
}

#define STALLS_MAX 3 /* in a row: a vertical sync may come while an engine runs one command */

static bool is_calm(void)
{
    static const struct vary_set none;

    return memcmp(&vary_in_force, &none, sizeof none) == 0;
}

/* Of a calm run: nothing is slow there, and each interrupt comes at once. */
static bool is_stalled(const struct dxgk_packet *packet, unsigned *in_a_row)
{
    const struct commanded_flip *flip = commanded(packet->dma->flip);

    *in_a_row = syncs_of(flip->flip.source) != flip->syncs ? *in_a_row + 1 : 0;
    return *in_a_row == STALLS_MAX;
}

static void judge_no_wait(const struct dxgk_packet *packet)
{
    contract_count(RULE_SUBMIT_040);
    if (is_stalled(packet, &packet->dma->flip->source->flips_stalled)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SUBMIT_040),
                                                   .object = packet->vidsch.object},
                        "an engine that goes on at once behind a flip with FlipWithNoWait",
                        "%u such buffers in a row, the last with fence %u, on an engine that had "
                        "nothing else, ended only when a vertical sync had come",
                        STALLS_MAX, packet->vidsch.fence_id);
    }
}

static void judge_immediate(const struct dxgk_packet *packet)
{
    contract_count(RULE_PRES_030);
    if (is_stalled(packet, &packet->dma->flip->source->immediate_stalled)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(PRES_030),
                                                   .object = packet->vidsch.object},
                        "a flip with FlipInterval D3DDDI_FLIPINTERVAL_IMMEDIATE that takes effect "
                        "when the engine comes to it",
                        "%u such buffers in a row, the last with fence %u, on an engine that had "
                        "nothing else, ended only when a vertical sync had come",
                        STALLS_MAX, packet->vidsch.fence_id);
    }
}

static void judge_stall(const struct dxgk_packet *packet)
{
    const struct commanded_flip *flip = commanded(packet->dma->flip);

    if (!flip->alone || !is_calm()) {
        return;
    }
    if (packet->flags.FlipWithNoWait) {
        judge_no_wait(packet);
    } else if (flip->flip.base.interval == D3DDDI_FLIPINTERVAL_IMMEDIATE) {
        judge_immediate(packet);
    }
}

static void flip_done(struct dxgk_packet *packet, NTSTATUS status)
{
    struct dxgk_flip *flip = packet->dma->flip;
    bool last = packet->dma->packet_count == 1;

    if (NT_SUCCESS(status)) {
        judge_stall(packet);
    }
    if (!NT_SUCCESS(status) && commanded(flip)->queued) {
        /* It is the only one at its source, and no sync will tell of what did not run. */
        present_source_cancel(&flip->source->present, status);
    }
    flip->base.programmed_ns = machine_now_ns(); /* from here on it can be late */
    flip->base.programmed_vsync = flip->source->present.vsync_count;
    dxgk_road_present.done(packet, status);
    if (last) {
        dxgk_flip_command_put(flip);
    }
}

const struct dxgk_road dxgk_road_flip_command = {
    .name = "flip",
    .kind = VIDSCH_PACKET_PRESENT,
    .writer = "DxgkDdiPresent",
    .prepare = flip_prepare,
    .submit = flip_submit,
    .progress = flip_progress,
    .cancel = flip_cancel,
    .recall = flip_recall,
    .done = flip_done,
};
