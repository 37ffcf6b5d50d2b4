/* The reset of one engine, tried before that of the whole adapter where the driver supports it.
 *
 *   MUTED   what the node tells from now on is not heard ─> nothing was on it: it goes on
 *           QueryDependentEngineGroup ─> what else goes down with it stops within 500 ms
 *           QueryEngineStatus, CollectDbgInfo(0x141) ─> ResetEngine ─> of all that did not stop
 *   HEARD   the device of the aborted packet is lost, the packets behind it are submitted again
 *
 * The same for a node whose driver told a page fault that its engine has to be reset for [INT-015].
 * An engine that cannot be reset, or that was at a paging packet, is the adapter's business
 * [ENGRST-004, ENGRST-008]. Runs on the worker; the other nodes and all clients go on meanwhile. */
#include "dxgk/context_memory.h"
#include "dxgk/page_fault.h"
#include "dxgk/work.h"

#define STEP_DELAY_NS      (5 * NS_PER_S) /* as long as threads have before the adapter's reset */
#define DEPENDENT_DELAY_NS (500 * NS_PER_MS)
#define STATUS_APART_NS    (500 * NS_PER_MS) /* from one question to the next that is held to it */
#define EMPTIED_NS         NS_PER_MS         /* what a queue still holds goes on in it */
#define SOON_NS            (10 * NS_PER_MS)  /* what had run for its whole time before */
#define ALONE_NS           NS_PER_S /* by then an engine that was left alone gets further */
#define EMPTY_ONE_IN       3                 /* resets, of engines whose clock stood */
#define EMPTY_NS           (5 * NS_PER_MS)   /* that such a one has to end what it was at */

bool dxgk_engines_can_be_reset(const struct dxgk_adapter *adapter)
{
    return adapter->features.engine_resets && adapter->caps.SupportPerEngineTDR &&
           ddi_has(&adapter->ddi, POINT_ResetEngine) &&
           ddi_has(&adapter->ddi, POINT_QueryEngineStatus) &&
           ddi_has(&adapter->ddi, POINT_QueryDependentEngineGroup);
}

/* ---- Questions ------------------------------------------------------------------------------- */

/* A device whose clock stands makes no progress, whatever its driver thinks. */
static void judge_status(struct dxgk_adapter *adapter, unsigned node, bool responsive)
{
    uint64_t now_ns = machine_now_ns(), before_ns = adapter->engines[node].asked_ns;
    bool judged = dxgk_still_since(adapter) < before_ns && now_ns - before_ns >= STATUS_APART_NS &&
                  vidsch_is_overdue(&adapter->vidsch, node);

    if (judged && responsive) {
        struct contract_finding finding = {.rule = CONTRACT_JUDGES(ENGRST_011),
                                           .object = adapter->object};
        contract_breach(&finding, "Responsive 0 for a node that gets no further",
                        "Responsive is 1 for node %u, which has work and whose device did nothing "
                        "at all since it was asked %llu ms before",
                        node, (unsigned long long)((now_ns - before_ns) / NS_PER_MS));
    } else if (judged) {
        contract_count(RULE_ENGRST_011);
    }
}

void dxgk_engine_ask(struct dxgk_adapter *adapter, unsigned node)
{
    DXGKARG_QUERYENGINESTATUS status = {.NodeOrdinal = node};

    if (dxgk_engines_can_be_reset(adapter) &&
        NT_SUCCESS(
            ddi_query_engine_status(&adapter->ddi, adapter->ddi.miniport_context, &status, 0))) {
        judge_status(adapter, node, status.EngineStatus.Responsive);
        adapter->engines[node].asked_ns = machine_now_ns();
    }
}

/* All nodes that a reset of this one takes down. */
static uint64_t dependent_nodes(struct dxgk_adapter *adapter, unsigned node)
{
    DXGKARG_QUERYDEPENDENTENGINEGROUP group = {.NodeOrdinal = node};
    uint64_t all = adapter->node_count < 64 ? (UINT64_C(1) << adapter->node_count) - 1 : UINT64_MAX;
    NTSTATUS status =
        ddi_query_dependent_engine_group(&adapter->ddi, adapter->ddi.miniport_context, &group, 0);

    return ((NT_SUCCESS(status) ? group.DependentNodeOrdinalMask & all : 0)) | UINT64_C(1) << node;
}

/* ---- One engine ------------------------------------------------------------------------------ */

/* Nothing ran on the device since its clock stood: it is at the packet that it was at then, or
 * before it. */
static void judge_aborted(struct dxgk_adapter *adapter, unsigned node, uint32_t aborted,
                          uint32_t oldest)
{
    uint32_t completed = vidsch_last_completed(&adapter->vidsch, node);
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(ENGRST_005),
                                       .object = adapter->object};

    contract_count(RULE_ENGRST_005);
    if (aborted != oldest && aborted != completed) {
        contract_breach(&finding, "LastAbortedFenceId of the packet that the engine was at",
                        "LastAbortedFenceId %u; node %u was at fence %u, and those before %u never "
                        "ran",
                        aborted, node, oldest, aborted);
    }
}

/* What faulted was running, and the driver has said which one it was [INT-015]. */
static void judge_faulted(struct dxgk_adapter *adapter, unsigned node, uint32_t aborted)
{
    const struct dxgk_fault *fault = &adapter->engines[node].fault;
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(ENGRST_005),
                                       .object = adapter->object};

    if (!dxgk_fault_is_at(adapter, node, fault->fence) ||
        !dxgk_packet_running(adapter, node, fault->fence)) {
        return;
    }
    contract_count(RULE_ENGRST_005);
    if (aborted != fault->fence) {
        contract_breach(&finding, "LastAbortedFenceId of the packet that the engine was at",
                        "LastAbortedFenceId %u of node %u, whose DMA_PAGE_FAULTED had "
                        "FaultedFenceId %u, which is not complete: the engine was at one of them",
                        aborted, node, fault->fence);
    }
}

/* "A packet is completed between" the moment from which the kernel does not hear of it and the
 * call: the driver has nothing on the node any more, and says so by the fence that was completed
 * last. */
static void let_it_end(struct dxgk_adapter *adapter)
{
    if (dxgk_still_since(adapter) != MACHINE_NEVER &&
        vary_below(VARY_STILL_DEVICE, EMPTY_ONE_IN) == 0) {
        dxgk_still_end(adapter);
        task_block(machine_now_ns() + EMPTY_NS);
        record_count("resets.of_an_engine_that_went_on", 1);
    }
}

/* The packet that was aborted is nobody's any more: a device that goes on with it was not reset, or
 * another of its engines was [ENGRST-003]. */
static void judge_emptied(struct dxgk_adapter *adapter, unsigned node, uint32_t aborted_fence)
{
    const struct dxgk_packet *aborted = dxgk_packet_running(adapter, node, aborted_fence);
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(ENGRST_003),
                                             .object = adapter->object};

    if (!aborted || !dma_watch_like(&adapter->engines[node], aborted)) {
        return;
    }
    contract_count(RULE_ENGRST_003);
    task_block(machine_now_ns() + EMPTIED_NS);
    if (dma_watch_end(&adapter->engines[node]) == DMA_WATCHED_READ) {
        contract_breach(
            &finding, "an engine whose queue is empty when ResetEngine returns",
            "after ResetEngine of node %u with STATUS_SUCCESS the device read commands "
            "of fence %u, which LastAbortedFenceId had ended: this engine was not reset",
            node, aborted_fence);
    }
}

/* What others have on the hardware is theirs still: a reset takes down the nodes alone that
 * QueryDependentEngineGroup named [ENGRST-012]. */
static void note_neighbours(struct dxgk_adapter *adapter, unsigned node, uint64_t named)
{
    list_for_each (link, &adapter->packets) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        unsigned other = packet->context->node;
        if (packet->vidsch.state == VIDSCH_STATE_RUNNING && !(named >> other & 1)) {
            packet->beside = (struct dxgk_beside){.reset_of = node + 1,
                                                  .when_ns = machine_now_ns(),
                                                  .submitted_ns = packet->submitted_ns};
        }
    }
}

/* It is given again: what was taken back for another reason, or once more, begins anew. */
void dxgk_engine_submits(struct dxgk_packet *packet)
{
    if (!packet->beside.taken_back_late || packet->beside.submitted_ns != packet->submitted_ns) {
        packet->beside = (struct dxgk_beside){0};
    }
}

void dxgk_engine_forget_neighbours(struct dxgk_adapter *adapter)
{
    list_for_each (link, &adapter->packets) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        packet->beside = (struct dxgk_beside){0};
    }
}

void dxgk_engine_late(struct dxgk_adapter *adapter, unsigned node)
{
    uint32_t oldest;

    if (!vidsch_oldest_fence(&adapter->vidsch, node, &oldest)) {
        return;
    }
    list_for_each (link, &adapter->packets) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        if (packet->vidsch.state == VIDSCH_STATE_RUNNING && packet->context->node == node &&
            packet->vidsch.fence_id == oldest) {
            packet->beside.taken_back_late = packet->beside.reset_of != 0 &&
                                             packet->beside.submitted_ns == packet->submitted_ns &&
                                             machine_now_ns() - packet->beside.when_ns >= ALONE_NS;
        }
    }
}

/* Given again it took no time: the device had lost it. */
void dxgk_engine_judge_neighbour(const struct dxgk_packet *packet)
{
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(ENGRST_012),
                                       .ddi = "DxgkDdiResetEngine",
                                       .object = packet->adapter->object,
                                       .advice = true};
    uint64_t took_ns = machine_now_ns() - packet->submitted_ns;

    if (packet->beside.reset_of && packet->beside.taken_back_late && took_ns < SOON_NS) {
        contract_breach(
            &finding,
            "nodes that a reset takes down named by QueryDependentEngineGroup, and "
            "others left alone",
            "a packet of node %u was on the hardware when ResetEngine reset node %u, and "
            "never ended; stopped after its time was over, and submitted again, it took "
            "%llu us",
            packet->context->node, packet->beside.reset_of - 1,
            (unsigned long long)(took_ns / NS_PER_US));
    }
}

/* False: the adapter is to be reset. */
static bool reset_engine(struct dxgk_adapter *adapter, unsigned node, uint64_t named)
{
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = node};
    const struct dxgk_packet *aborted;
    uint32_t oldest = 0, complete;
    bool has_oldest = vidsch_oldest_fence(&adapter->vidsch, node, &oldest);

    let_it_end(adapter);
    dxgk_still_ends_soon(adapter);
    NTSTATUS status =
        ddi_reset_engine(&adapter->ddi, adapter->ddi.miniport_context, &reset, adapter->object);
    bool still = has_oldest && dxgk_still_since(adapter) != MACHINE_NEVER;
    dxgk_still_end(adapter);
    if (!NT_SUCCESS(status)) {
        return false;
    }
    note_neighbours(adapter, node, named);
    bool there = adapter->presence == DXGK_THERE; /* else its registers were ones */
    if (there) {
        judge_faulted(adapter, node, reset.LastAbortedFenceId);
        judge_emptied(adapter, node, reset.LastAbortedFenceId);
    }
    if (there && still) {
        judge_aborted(adapter, node, reset.LastAbortedFenceId, oldest);
    }
    (void)dxgk_ask_fence(adapter, node, &complete); /* the aborted packet counts [ENGRST-006] */
    aborted = dxgk_packet_running(adapter, node, reset.LastAbortedFenceId);
    adapter->guilty_device = aborted ? aborted->context->device->life.number : 0;
    adapter->engines[node].muted = false;
    adapter->natives.stale = true;
    adapter->engines[node].begun_anew = true;
    adapter->engines[node].begun_by = "DxgkDdiResetEngine";
    dxgk_entry_forget(adapter, node);
    return vidsch_engine_reset(&adapter->vidsch, node, reset.LastAbortedFenceId) ==
           VIDSCH_ENGINE_RESET_OK;
}

/* Where the engine rests, whoever brings it on for the scheduler is still at it, and gives it the
 * packet or the request then: it is on, and nobody moves it, before the driver is asked for
 * anything. Who does not come back is waited for again behind ResetEngine, which may let him go. */
static void let_step_end(struct dxgk_adapter *adapter, unsigned node)
{
    if (!vidsch_node_wait_step(&adapter->vidsch, node, machine_now_ns() + STEP_DELAY_NS)) {
        record_count("resets.of_an_engine_in_a_step", 1);
    }
}

/* What was told before counts; what is told from now on does not, and DPCs that were queued by then
 * have run when the driver is called [ENGRST-002]. */
static bool reset_if_owing(struct dxgk_adapter *adapter, unsigned node, uint64_t named, bool must)
{
    bool good = true;

    dxgk_notice_serve(adapter, node);
    adapter->engines[node].muted = true;
    adapter->engines[node].answer.open = false;
    if (must || vidsch_is_overdue(&adapter->vidsch, node)) {
        dpc_flush_all();
        good = reset_engine(adapter, node, named);
    }
    adapter->engines[node].muted = false;
    adapter->natives.stale = true;
    return good;
}

/* They stop, or are reset one after the other [ENGRST-013]. */
static bool reset_dependents(struct dxgk_adapter *adapter, uint64_t nodes, uint64_t named)
{
    uint64_t deadline_ns = machine_now_ns() + DEPENDENT_DELAY_NS;
    bool good = true;

    for (uint64_t left = nodes; left; left &= left - 1) {
        vidsch_preempt(&adapter->vidsch, (unsigned)__builtin_ctzll(left));
    }
    for (uint64_t left = nodes; left && good; left &= left - 1) {
        unsigned node = (unsigned)__builtin_ctzll(left);
        if (!vidsch_node_wait_quiet(&adapter->vidsch, node, deadline_ns)) {
            let_step_end(adapter, node);
            good = reset_if_owing(adapter, node, named, false);
        }
    }
    return good;
}

static void suspend(struct dxgk_adapter *adapter, uint64_t nodes)
{
    for (; nodes; nodes &= nodes - 1) {
        vidsch_suspend(&adapter->vidsch, (unsigned)__builtin_ctzll(nodes), VIDSCH_SUSPEND_ALL);
    }
}

static void resume(struct dxgk_adapter *adapter, uint64_t nodes)
{
    for (; nodes; nodes &= nodes - 1) {
        vidsch_resume(&adapter->vidsch, (unsigned)__builtin_ctzll(nodes), VIDSCH_SUSPEND_ALL);
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool reset_with_dependents(struct dxgk_adapter *adapter, unsigned node, bool must)
{
    adapter->totals.engine_resets++;
    dxgk_engine_ask(adapter, node);
    dxgk_collect_debug_information(adapter, DXGK_BUGCHECK_ENGINE_TIMEOUT);
    uint64_t named = dependent_nodes(adapter, node);
    uint64_t dependents = named & ~(UINT64_C(1) << node);
    suspend(adapter, dependents);
    bool good =
        reset_if_owing(adapter, node, named, must) && reset_dependents(adapter, dependents, named);
    if (good) {
        record_count("resets.of_one_engine", 1);
        vidsch_go_on(&adapter->vidsch, node);
    }
    resume(adapter, dependents);
    return good;
}

bool dxgk_engine_reset(struct dxgk_adapter *adapter, unsigned node)
{
    let_step_end(adapter, node);
    dxgk_notice_serve(adapter, node);
    if (!vidsch_is_overdue(&adapter->vidsch, node)) {
        vidsch_go_on(&adapter->vidsch, node); /* it answered after all */
        return true;
    }
    return reset_with_dependents(adapter, node, false);
}

/* It stands still also where its packet counts as complete by now [INT-015]. */
bool dxgk_engine_reset_faulted(struct dxgk_adapter *adapter, unsigned node)
{
    vidsch_stand_still(&adapter->vidsch, node);
    return reset_with_dependents(adapter, node, true);
}

bool dxgk_engine_judge_start(struct dxgk_adapter *adapter, unsigned node)
{
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(ENGRST_003),
                                       .object = adapter->object};

    if (adapter->engines[node].begun_anew) {
        contract_breach(&finding, "an engine that takes new packets when ResetEngine has succeeded",
                        "%s; it completed nothing since DxgkDdiResetEngine", adapter->timeout);
    }
    return adapter->engines[node].begun_anew;
}
