/* Packets: the piece of work that goes from a client's call through the scheduler to its end. What
 * is done at each station on the way is its road's; see struct dxgk_road. */
#include "dxgk/context_memory.h"
#include "dxgk/doorbell.h"
#include "dxgk/hwqueue_present.h"
#include "dxgk/native.h"
#include "dxgk/present_virtual.h"
#include "dxgk/schedule_log.h"
#include "dxgk/work.h"

#include <stdlib.h>

/* Of a context, and of all contexts of a process those that no hardware sees, so that a client
 * behind a wait that nobody ends does not take the host's memory; ours. */
#define PENDING_MAX         16384u
#define PROCESS_PENDING_MAX 65536u

static void packet_done(struct vidsch_packet *base, NTSTATUS status);

/* Where packets of the road are counted, or NULL: what hardware does takes buffers, of which there
 * are few. */
static uint32_t *count_of(const struct dxgk_context *context, const struct dxgk_road *road)
{
    struct dxgk_process *process = context->device->process;

    return process && !vidsch_kind_is_hardware(road->kind) ? &process->packet_count : NULL;
}

static bool process_has_room(const struct dxgk_context *context, unsigned count)
{
    const struct dxgk_process *process = context->device->process;

    return !process || process->packet_count + count <= PROCESS_PENDING_MAX;
}

struct dxgk_packet *dxgk_packet_new(struct dxgk_context *context, const struct dxgk_road *road)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    struct list *link = list_pop_front(&adapter->free_packets);
    struct dxgk_packet *packet =
        link ? container_of(link, struct dxgk_packet, wait_link) : calloc(1, sizeof *packet);

    /* Waits and signals come to no other station. */
    CHECK_THAT(road->done && (road->submit || road->kind == VIDSCH_PACKET_WAIT ||
                              road->kind == VIDSCH_PACKET_SIGNAL));
    if (!packet) {
        return NULL;
    }
    struct vidmm_use use = packet->use, state_use = packet->state_use; /* keep their arrays */
    struct vidmm_use fence_use = packet->fence_use;
    *packet = (struct dxgk_packet){.road = road, .adapter = adapter, .context = context};
    if (road->submit) { /* no wait or signal of another call meanwhile */
        packet->present = context->present;
    }
    if (link) {
        packet->use = use;
        packet->state_use = state_use;
        packet->fence_use = fence_use;
    } else {
        vidmm_use_init(&packet->use, adapter->vidmm);
        vidmm_use_init(&packet->state_use, adapter->vidmm);
        vidmm_use_init(&packet->fence_use, adapter->vidmm);
    }
    uint32_t *packets = count_of(context, road);
    if (packets) {
        (*packets)++;
    }
    life_get(&context->life);
    list_push_back(&adapter->packets, &packet->live_link);
    packet->vidsch.kind = road->kind;
    packet->vidsch.done = packet_done;
    list_init(&packet->wait_link);
    return packet;
}

void dxgk_packet_free(struct dxgk_packet *packet)
{
    CHECK_THAT(packet->vidsch.state == VIDSCH_STATE_NEW && list_empty(&packet->wait_link));
    list_remove(&packet->live_link);
    uint32_t *packets = count_of(packet->context, packet->road);
    if (packets) {
        (*packets)--;
    }
    life_put(&packet->context->life);
    packet->context = NULL;
    list_push_front(&packet->adapter->free_packets, &packet->wait_link);
}

bool dxgk_packet_has_room(const struct dxgk_context *context, unsigned count)
{
    if (context->vidsch.pending_count + count > PENDING_MAX || !process_has_room(context, count)) {
        record_count("client.bounds", 1);
        return false;
    }
    return true;
}

void dxgk_packet_push(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    unsigned node = packet->context->node;

    vidsch_push(&packet->context->vidsch, &packet->vidsch);
    vidsch_run(&adapter->vidsch, node);
    dxgk_natives_tell(adapter);
}

/* ---- Waiting in our hands ------------------------------------------------------------------ */

enum vidsch_prepare dxgk_packet_wait(struct dxgk_packet *packet)
{
    CHECK_THAT(packet->road->progress && list_empty(&packet->wait_link));
    list_push_back(&packet->adapter->waiting_packets, &packet->wait_link);
    return VIDSCH_PREPARE_PENDING;
}

void dxgk_packet_asks(struct dxgk_packet *packet)
{
    packet->wants_unlock = false; /* it may come to wait for something else */
    packet->releases = vidmm_releases(packet->adapter->vidmm);
}

bool dxgk_packet_asks_again(const struct dxgk_packet *packet)
{
    return packet->vidsch.doomed || dxgk_tables_are_due(packet) ||
           packet->releases != vidmm_releases(packet->adapter->vidmm);
}

/* Paging that was queued since is to be built. What was there before has its own turn: the worker,
 * which prepares packets itself, would else never rest while paging waits for the hardware. */
void dxgk_paging_kick_new(struct dxgk_adapter *adapter, uint64_t queued_before)
{
    if (vidmm_paging_queued(adapter->vidmm) != queued_before) {
        dxgk_paging_kick(adapter);
    }
}

/* Is it clients alone who have it locked? The kernel locks for itself, too. */
bool dxgk_is_clients_lock(const struct dxgk_adapter *adapter, const struct vidmm_wait *wait)
{
    unsigned theirs = 0;

    if (wait->kind != VIDMM_WAIT_LOCK) {
        return false;
    }
    list_for_each (outer, &adapter->devices) {
        const struct dxgk_device *device = container_of(outer, struct dxgk_device, life.link);
        list_for_each (link, &device->openings) {
            const struct dxgk_opening *opening = container_of(link, struct dxgk_opening, life.link);
            if (&opening->allocation->memory == wait->allocation) {
                theirs += opening->lock_count;
            }
        }
    }
    return theirs > 0 && theirs >= wait->allocation->lock_count;
}

enum vidsch_prepare dxgk_packet_prepare_state(struct dxgk_packet *packet, NTSTATUS *status)
{
    uint64_t queued = vidmm_paging_queued(packet->adapter->vidmm);
    struct vidmm_prepare_result result = {0};

    bool queues = packet->road == &dxgk_road_hwqueue || packet->road == &dxgk_road_session ||
                  packet->road == &dxgk_road_hwqueue_present;
    bool any = queues || dxgk_presents_own(packet) || dxgk_context_memory_any(packet->context);

    if (packet->has_state || !any) {
        return VIDSCH_PREPARE_READY;
    }
    if (queues) {
        dxgk_hwqueue_prepare(packet, &result);
    } else {
        dxgk_context_memory_prepare(packet, &result);
    }
    dxgk_paging_kick_new(packet->adapter, queued);
    if (result.outcome == VIDMM_FAILED) {
        *status = result.status;
        return VIDSCH_PREPARE_FAILED;
    }
    packet->wants_unlock = dxgk_is_clients_lock(packet->adapter, &result.wait);
    if (result.outcome == VIDMM_WAIT) {
        dxgk_doorbells_leave(packet->adapter, DXGK_ANY_NODE); /* one may have it */
    }
    packet->has_state = result.outcome == VIDMM_READY;
    packet->state_sequence = result.paging_sequence;
    return packet->has_state ? VIDSCH_PREPARE_READY : dxgk_packet_wait(packet);
}

/* What the context has was had for this try alone: nobody has come to wait for it. */
enum vidsch_prepare dxgk_packet_let_go(struct dxgk_packet *packet)
{
    vidmm_use_give_up(&packet->use);
    if (packet->has_state) {
        vidmm_use_give_up(&packet->state_use);
        packet->has_state = false;
    }
    if (packet->has_fences) {
        vidmm_use_give_up(&packet->fence_use);
        packet->has_fences = false;
    }
    dxgk_doorbells_leave(packet->adapter, DXGK_ANY_NODE);
    return dxgk_packet_wait(packet);
}

void dxgk_packets_progress(struct dxgk_adapter *adapter)
{
    struct list before;

    CHECK_THAT(task_self() == adapter->worker);
    /* Whoever comes to wait meanwhile is not asked in this round. One that ends leaves the list. */
    list_init(&before);
    list_splice_back(&before, &adapter->waiting_packets);
    for (struct list *link; (link = list_pop_front(&before)) != NULL;) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, wait_link);
        dxgk_packet_wait(packet);
        if (packet->gives_up_ns && !dxgk_tables_are_due(packet)) {
            dxgk_tables_watch(packet); /* it was on no list when the timer looked */
        }
        packet->road->progress(packet);
    }
}

void dxgk_memory_changed(struct dxgk_adapter *adapter)
{
    wait_queue_wake(&adapter->idle_changed, UINT_MAX);
    if (!list_empty(&adapter->waiting_packets) || adapter->reshowing ||
        adapter->paging_queue_count > 0 || adapter->trims.count > 0) {
        dxgk_worker_kick(adapter);
    }
}

void dxgk_packet_release(struct dxgk_packet *packet)
{
    vidmm_use_retire(&packet->use);
    if (packet->has_state) {
        vidmm_use_retire(&packet->state_use);
        packet->has_state = false;
    }
    if (packet->has_fences) {
        vidmm_use_retire(&packet->fence_use);
        packet->has_fences = false;
    }
}

void dxgk_packets_recall(struct dxgk_adapter *adapter)
{
    list_for_each (link, &adapter->packets) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        dxgk_packet_release(packet);
        packet->releases = UINT64_MAX; /* whatever it waited for, it is tried again */
        if (packet->road->recall) {
            packet->road->recall(packet);
        }
    }
    dxgk_memory_changed(adapter);
}

/* ---- The end ------------------------------------------------------------------------------- */

static void count_end(struct dxgk_adapter *adapter, struct dxgk_packet *packet, NTSTATUS status)
{
    if (!vidsch_kind_is_hardware(packet->vidsch.kind)) {
        return;
    }
    if (status == VIDSCH_STATUS_CANCELLED) {
        adapter->totals.cancelled++;
    } else if (NT_SUCCESS(status)) {
        adapter->totals.completed++;
        ddi_interrupts_go_on(&adapter->ddi);
        if (packet->vidsch.kind == VIDSCH_PACKET_CONTEXT_SWITCH || !dxgk_packet_is_empty(packet)) {
            dxgk_entry_done(packet); /* without commands nobody need enter a context */
        }
        if (packet->road == &dxgk_road_session) {
            return; /* that it ends says nothing of what its client had done */
        }
        adapter->engines[packet->context->node].begun_anew = false;
        adapter->engines[packet->context->node].begun_by = NULL;
        adapter->engines[packet->context->node].resumed = false;
        if (packet->vidsch.kind == VIDSCH_PACKET_HW_QUEUE) {
            dxgk_log_work_done(adapter, packet->context->node);
        }
        adapter->engines[packet->context->node].queues_begun_anew &=
            packet->vidsch.kind != VIDSCH_PACKET_HW_QUEUE;
        adapter->totals.work +=
            !packet->flags.Paging && packet->vidsch.kind != VIDSCH_PACKET_CONTEXT_SWITCH;
    } else {
        adapter->totals.lost++;
    }
}

/* At DISPATCH_LEVEL or below; may not wait. */
static void packet_done(struct vidsch_packet *base, NTSTATUS status)
{
    struct dxgk_packet *packet = container_of(base, struct dxgk_packet, vidsch);
    struct dxgk_adapter *adapter = packet->adapter;
    struct dxgk_context *context = packet->context;

    count_end(adapter, packet, status);
    dxgk_clue_ended(packet, NT_SUCCESS(status));
    if (NT_SUCCESS(status)) {
        dxgk_engine_judge_neighbour(packet);
        dxgk_components_work_ended(adapter, context->node);
    }
    if (status == STATUS_NO_MEMORY || status == STATUS_GRAPHICS_NO_VIDEO_MEMORY) {
        dxgk_device_lose_soon(context->device, D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY);
    }
    list_remove(&packet->wait_link);
    dxgk_packet_release(packet);
    packet->road->done(packet, status);
    dxgk_space_may_rest(adapter);
    wait_queue_wake(&context->changed, UINT_MAX);
    dxgk_packet_free(packet);
    dxgk_memory_changed(adapter);
}

bool dxgk_packet_is_empty(const struct dxgk_packet *packet)
{
    return (packet->dma || packet->flags.Paging || packet->flags.ContextSwitch) &&
           packet->start == packet->end;
}

const struct dxgk_packet *dxgk_packet_running(const struct dxgk_adapter *adapter, unsigned node,
                                              uint32_t fence)
{
    list_for_each (link, &adapter->packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        if (packet->vidsch.state == VIDSCH_STATE_RUNNING && packet->context->node == node &&
            packet->vidsch.fence_id == fence) {
            return packet;
        }
    }
    return NULL;
}
