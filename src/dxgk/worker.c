/* The adapter's worker: a task that does what may not be done where the need for it arises, in a
 * DPC or in hardware context. It runs nodes, builds paging buffers, looks at deadlines, resets. */
#include "dxgk/context_memory.h"
#include "dxgk/doorbell.h"
#include "dxgk/host_aperture.h"
#include "dxgk/native.h"
#include "dxgk/page_fault.h"
#include "dxgk/ranges.h"
#include "dxgk/schedule_log.h"
#include "dxgk/spoil.h"
#include "dxgk/work.h"

#include <stdlib.h>

void dxgk_worker_kick(struct dxgk_adapter *adapter)
{
    adapter->worker_wanted = true;
    if (adapter->worker) {
        task_wake(adapter->worker);
    }
}

static void tick_due(struct machine_timer *timer)
{
    struct dxgk_adapter *adapter = timer->context;

    adapter->tick_wanted = true;
    dxgk_worker_kick(adapter);
}

void dxgk_worker_tick_at(struct dxgk_adapter *adapter, uint64_t when_ns)
{
    if (when_ns == MACHINE_NEVER) {
        machine_timer_cancel(&adapter->tick_timer);
    } else {
        machine_timer_set(&adapter->tick_timer, when_ns);
    }
}

static void serve_faults(struct dxgk_adapter *adapter)
{
    while (adapter->fault_mask) {
        unsigned node = (unsigned)__builtin_ctzll(adapter->fault_mask);
        adapter->fault_mask &= ~(UINT64_C(1) << node);
        adapter->serves_faults = true;
        dxgk_paging_judge_fault(adapter, node);
        dxgk_context_memory_explain(adapter, &adapter->engines[node].fault);
        dxgk_fault_ask(adapter, node);
        dxgk_reset(adapter, node, NULL);
        adapter->serves_faults = false;
        wait_queue_wake(&adapter->idle_changed, UINT_MAX);
    }
}

void dxgk_worker_wait_resets(struct dxgk_adapter *adapter)
{
    while (adapter->fault_mask || adapter->serves_faults) {
        dxgk_worker_kick(adapter);
        wait_queue_wait(&adapter->idle_changed, MACHINE_NEVER);
    }
}

static void serve_removal(struct dxgk_adapter *adapter)
{
    if (adapter->presence == DXGK_KNOWN) {
        dxgk_answer_removal(adapter);
        adapter->presence = DXGK_ANSWERED;
        wait_queue_wake(&adapter->idle_changed, UINT_MAX);
    }
}

static void serve_tick(struct dxgk_adapter *adapter)
{
    if (adapter->tick_wanted) {
        adapter->tick_wanted = false;
        vidsch_tick(&adapter->vidsch); /* may reset */
    }
}

/* The one loop that drives what nobody else may: each part does what it can and never waits for
 * another part. */
static void work(void *argument)
{
    struct dxgk_adapter *adapter = argument;

    while (!adapter->worker_stop) {
        if (!adapter->worker_wanted) {
            task_block(MACHINE_NEVER);
            continue;
        }
        adapter->worker_wanted = false;
        serve_faults(adapter);
        serve_removal(adapter);
        dxgk_lose_doomed(adapter);
        dxgk_doorbells_work(adapter);
        dxgk_packets_progress(adapter);
        dxgk_host_aperture_work(adapter);
        dxgk_residency_work(adapter);
        dxgk_trims_work(adapter);
        dxgk_display_work(adapter);
        dxgk_paging_build(adapter);
        dxgk_hwcontexts_resume(adapter);
        dxgk_hwcontexts_pause(adapter);
        dxgk_logs_work(adapter);
        dxgk_ranges_work(adapter, false);
        vidsch_run_all(&adapter->vidsch);
        dxgk_ask_busy_nodes(adapter);
        dxgk_components_work(adapter);
        serve_tick(adapter);
        dxgk_natives_work(adapter);
        dxgk_natives_tell(adapter);
    }
    adapter->worker_ended = true;
    wait_queue_wake(&adapter->idle_changed, UINT_MAX);
}

NTSTATUS dxgk_worker_start(struct dxgk_adapter *adapter)
{
    const struct vidsch_config config = {
        .node_count = adapter->display_only ? 1 : adapter->node_count, /* or one that rests */
        .hw_queue_depth = adapter->caps.SchedulingCaps.HwQueuePacketCap,
        .tdr_delay_ns = adapter->options.tdr_delay_ns,
        .first_fence_id = adapter->options.first_fence_id,
        .wrap_after = adapter->options.fence_wrap_after,
        .parent = adapter->object,
        .policy = adapter->options.policy,
    };
    const struct task_options options = {.name = "dxgk worker", .daemon = true, .priority = 1};

    machine_timer_init(&adapter->tick_timer, tick_due, adapter);
    dxgk_still_init(adapter);
    dxgk_pauses_init(adapter);
    dxgk_echo_init();
    if (!dxgk_ranges_start(adapter)) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = vidsch_init(&adapter->vidsch, dxgk_vidsch_backend(), &config);
    if (NT_SUCCESS(status)) {
        status = task_create(&options, work, adapter, &adapter->worker);
    }
    return status;
}

void dxgk_worker_stop(struct dxgk_adapter *adapter)
{
    if (adapter->worker) {
        adapter->worker_stop = true;
        task_wake(adapter->worker);
        while (!adapter->worker_ended) {
            wait_queue_wait(&adapter->idle_changed, MACHINE_NEVER);
        }
        task_put(adapter->worker);
        adapter->worker = NULL;
    }
    dxgk_adapter_enter(adapter, DXGK_ADAPTER_STOPPED);
    adapter->notice_mask = 0; /* of a DPC that is late */
    machine_timer_cancel(&adapter->tick_timer);
    dxgk_ranges_stop(adapter);
    dxgk_still_fini(adapter);
    dxgk_pauses_fini(adapter);
    CHECK_THAT(list_empty(&adapter->packets));
    vidsch_fini(&adapter->vidsch);
    for (struct list *link; (link = list_pop_front(&adapter->free_packets)) != NULL;) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, wait_link);
        vidmm_use_fini(&packet->use);
        vidmm_use_fini(&packet->state_use);
        vidmm_use_fini(&packet->fence_use);
        free(packet);
    }
}

static bool driver_has_work(const struct dxgk_adapter *adapter)
{
    list_for_each (link, &adapter->packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        if (packet->vidsch.state == VIDSCH_STATE_RUNNING) {
            return true;
        }
    }
    return false;
}

/* All that is in our hands waits for CPUs' locks, and nothing else goes on. */
static bool waits_for_unlocks(const struct dxgk_adapter *adapter)
{
    list_for_each (link, &adapter->waiting_packets) {
        if (!container_of(link, struct dxgk_packet, wait_link)->wants_unlock) {
            return false;
        }
    }
    return !list_empty(&adapter->waiting_packets) && !adapter->worker_wanted &&
           !adapter->paging.in_hand && !vidmm_paging_waiting(adapter->vidmm) &&
           !driver_has_work(adapter);
}

bool dxgk_adapter_waits_for_clients(struct dxgk_adapter *adapter)
{
    dxgk_doorbells_look(adapter);
    return waits_for_unlocks(adapter) ||
           (!adapter->worker_wanted && !adapter->paging.in_hand &&
            list_empty(&adapter->waiting_packets) && !vidmm_paging_waiting(adapter->vidmm) &&
            vidsch_only_waits(&adapter->vidsch));
}

bool dxgk_adapter_forgot_work(struct dxgk_adapter *adapter)
{
    return !driver_has_work(adapter) && (adapter->worker_wanted || adapter->paging.in_hand ||
                                         vidmm_paging_waiting(adapter->vidmm));
}

bool dxgk_adapter_wait_idle(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    dxgk_doorbells_leave(adapter, DXGK_ANY_NODE);
    return vidsch_wait_idle(&adapter->vidsch, deadline_ns);
}
