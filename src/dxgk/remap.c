/* Updates of addresses on a context's time line: the road of UpdateGpuVirtualAddress. When the
 * context's earlier work is done and the client's fence has come so far, ranges show other memory;
 * when the tables say so, the fence goes one further. */
#include "dxgk/companion.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

/* Changes that wait in a process, so that one behind a wait that nobody ends does not take the
 * host's memory; ours. */
#define PENDING_STEPS_MAX (1u << 18)

struct dxgk_remap {
    struct dxgk_sync *fence; /* a reference */
    UINT64 value;            /* to be signalled */
    size_t count, done;
    bool applied;
    bool waits; /* for what others hold: dxgk_packet_asks_again() says when to try */
    uint64_t paging_sequence;
    struct dxgk_opening **openings; /* as many, inside; NULL where a change needs none */
    struct vidmm_change changes[];
};

static void free_remap(struct dxgk_remap *remap, struct dxgk_process *process)
{
    process->pending_steps -= (uint32_t)remap->count;
    for (size_t i = 0; remap->openings && i < remap->count; i++) {
        if (remap->openings[i]) {
            life_leave(&remap->openings[i]->life);
            life_put(&remap->openings[i]->life);
        }
    }
    if (remap->fence) {
        life_put(&remap->fence->life);
    }
    free(remap->openings);
    free(remap);
}

/* What is left of it. PENDING: somebody is in the way, or has what the tables had. */
static NTSTATUS apply(struct dxgk_packet *packet)
{
    struct dxgk_space *space = &packet->context->device->process->space;
    struct dxgk_remap *remap = packet->remap;
    struct vidmm_wait wait = {0};
    size_t done = 0;
    uint64_t queued = vidmm_paging_queued(packet->adapter->vidmm);

    dxgk_packet_asks(packet);
    NTSTATUS status = vidmm_space_update(&space->memory, remap->changes + remap->done,
                                         remap->count - remap->done, &done, &wait);

    remap->done += done;
    if (wait.paging_sequence > remap->paging_sequence) {
        remap->paging_sequence = wait.paging_sequence;
    }
    dxgk_paging_kick_new(packet->adapter, queued);
    bool owed = !NT_SUCCESS(status) && wait.kind == VIDMM_WAIT_OTHERS;
    packet->gives_up_ns = owed ? packet->gives_up_ns : 0;
    if (owed) {
        dxgk_doorbells_leave(packet->adapter, DXGK_ANY_NODE); /* one may have it */
    }
    if (owed && dxgk_tables_are_owed(packet)) {
        status = STATUS_PENDING;
    }
    remap->applied = status != STATUS_PENDING;
    remap->waits = status == STATUS_PENDING &&
                   (wait.kind == VIDMM_WAIT_USE || wait.kind == VIDMM_WAIT_OTHERS);
    return status;
}

/* A client that asked for what cannot be has no other way to hear of it. */
static void go_on(struct dxgk_packet *packet)
{
    struct dxgk_remap *remap = packet->remap;
    NTSTATUS status = STATUS_SUCCESS;

    if (!remap->applied && !packet->context->device->lost &&
        (!remap->waits || dxgk_packet_asks_again(packet))) {
        status = apply(packet);
    }
    if (!NT_SUCCESS(status)) {
        dxgk_device_lose_soon(packet->context->device, D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY);
    }
    bool reached =
        remap->applied && vidmm_paging_reached(packet->adapter->vidmm, remap->paging_sequence);
    if (reached || packet->context->device->lost || !NT_SUCCESS(status)) {
        list_remove(&packet->wait_link);
        vidsch_complete(&packet->vidsch, status == STATUS_PENDING ? STATUS_SUCCESS : status);
    } else if (list_empty(&packet->wait_link)) {
        dxgk_packet_wait(packet);
    }
}

static void remap_done(struct dxgk_packet *packet, NTSTATUS status)
{
    if (NT_SUCCESS(status)) {
        sync_signal(&packet->remap->fence->core->object, packet->remap->value);
    }
    free_remap(packet->remap, packet->context->device->process);
    packet->remap = NULL;
}

static const struct dxgk_road remap_road = {
    .name = "update of addresses",
    .kind = VIDSCH_PACKET_SOFTWARE,
    .submit = go_on,
    .progress = go_on,
    .done = remap_done,
};

/* ---- The call ------------------------------------------------------------------------------ */

static struct vidmm_change change_of(const struct dxgk_remap_step *step)
{
    static const enum vidmm_change_kind kinds[] = {
        [DXGK_REMAP_MAP] = VIDMM_CHANGE_MAP,
        [DXGK_REMAP_UNMAP] = VIDMM_CHANGE_UNMAP,
        [DXGK_REMAP_COPY] = VIDMM_CHANGE_COPY,
    };

    return (struct vidmm_change){
        .kind = kinds[step->kind],
        .address = step->address,
        .size_bytes = step->size_bytes,
        .allocation = step->opening ? &step->opening->allocation->memory : NULL,
        .allocation_offset = step->offset,
        .allocation_size = step->part_bytes,
        .source_address = step->source,
        .protection = dxgk_protection(step->protection),
        .driver_protection = step->driver_protection,
    };
}

static NTSTATUS fill_in(struct dxgk_remap *remap, const struct dxgk_context *context,
                        const struct dxgk_remap_request *request)
{
    remap->openings = calloc(request->count, sizeof(struct dxgk_opening *));
    if (!remap->openings) {
        return STATUS_NO_MEMORY;
    }
    for (size_t i = 0; i < request->count; i++) {
        struct dxgk_opening *opening = request->steps[i].opening;
        if (opening && !life_enter(&opening->life)) {
            return STATUS_INVALID_HANDLE;
        }
        if (opening) {
            life_get(&opening->life);
        }
        remap->openings[i] = opening;
        remap->changes[i] = change_of(&request->steps[i]);
        remap->changes[i].owner = context->life.number;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS push(struct dxgk_context *context, const struct dxgk_remap_request *request)
{
    struct dxgk_process *process = context->device->process;
    bool room = dxgk_packet_has_room(context, 2) &&
                process->pending_steps + request->count <= PENDING_STEPS_MAX;
    struct dxgk_remap *remap =
        room ? calloc(1, sizeof *remap + request->count * sizeof(struct vidmm_change)) : NULL;

    if (!remap) {
        return STATUS_NO_MEMORY;
    }
    process->pending_steps += (uint32_t)request->count;
    remap->count = request->count;
    remap->fence = request->fence;
    remap->value = request->value + 1;
    life_get(&remap->fence->life);
    NTSTATUS status = fill_in(remap, context, request);
    struct dxgk_packet *packet = NULL;
    if (NT_SUCCESS(status) && !(packet = dxgk_packet_new(context, &remap_road))) {
        status = STATUS_NO_MEMORY;
    }
    if (NT_SUCCESS(status) && !request->at_once) { /* the last step that may fail */
        status = dxgk_sync_wait_gpu(context, &request->fence, 1, request->value);
    }
    if (!NT_SUCCESS(status)) {
        if (packet) {
            dxgk_packet_free(packet);
        }
        free_remap(remap, process);
        return status;
    }
    packet->remap = remap;
    dxgk_packet_push(packet);
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_remap_addresses(struct dxgk_context *context,
                              const struct dxgk_remap_request *request)
{
    struct dxgk_space *space = &context->device->process->space;

    dxgk_wait_awake();
    if (dxgk_mmu_is_the_cpus(&context->device->adapter->mmu)) {
        return STATUS_NOT_SUPPORTED; /* addresses are the CPU's */
    }
    if (!space->has_root || request->fence->core->type != D3DDDI_MONITORED_FENCE) {
        return STATUS_INVALID_PARAMETER;
    }
    if (request->value == UINT64_MAX) {
        return STATUS_INVALID_PARAMETER; /* there is none behind it to signal */
    }
    if (!dxgk_sync_may_signal(request->fence)) {
        return STATUS_ACCESS_DENIED;
    }
    if (context->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!life_enter(&context->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = dxgk_companion_need(context);
    if (NT_SUCCESS(status)) {
        status = push(context, request);
    }
    life_leave(&context->life);
    return status;
}
