/* Fences that may be missing: when an interrupt stays away (lost-interrupts), and now and then
 * while a node works (odd-questions), the driver is asked for the newest one.
 *
 *   device: fence, interrupt ──lost──> worker: QueryCurrentFence ──> found ─> InterruptRoutine
 *                                                    answer ──compared── its report
 *
 * What the interrupt routine then tells was there to be seen when the driver was asked, if the
 * device has done nothing since [QFENCE-003]. */
#include "dxgk/work.h"

bool dxgk_ask_fence(struct dxgk_adapter *adapter, unsigned node, uint32_t *fence)
{
    DXGKARG_QUERYCURRENTFENCE arguments = {.NodeOrdinal = node};
    struct dxgk_answer *answer = &adapter->engines[node].answer;
    bool is_late = interrupt_is_late(adapter->ddi.interrupt);
    uint64_t steps = pci_steps(adapter->ddi.slot);

    answer->open = false;
    if (!ddi_has(&adapter->ddi, POINT_QueryCurrentFence) ||
        !NT_SUCCESS(
            ddi_query_current_fence(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0))) {
        return false;
    }
    *fence = arguments.CurrentFence;
    *answer = (struct dxgk_answer){
        .open = is_late && *fence, /* 0: as drivers answer that were never asked */
        .fence = *fence,
        .steps = steps,
    };
    return true;
}

void dxgk_judge_answer(struct dxgk_adapter *adapter, unsigned node, uint32_t reported)
{
    struct dxgk_answer *answer = &adapter->engines[node].answer;
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(QFENCE_003),
                                             .object = adapter->object};

    /* Not from its interrupt routine: work that the driver does itself may have ended since. */
    if (answer->open && adapter->ddi.serving && answer->steps == pci_steps(adapter->ddi.slot) &&
        vidsch_fence_after(reported, answer->fence) &&
        !vidsch_fence_after(reported, vidsch_last_submitted(&adapter->vidsch, node))) {
        contract_breach(
            &finding, "the newest fence that the device has completed",
            "fence %u for node %u, though the device had completed fence %u: its "
            "interrupt was on the way, and told of it later. Who is asked looks at what "
            "the device has written, not at what the interrupt routine saw last",
            answer->fence, node, reported);
    }
    answer->open = false;
}

static void ask_busy(struct dxgk_adapter *adapter, unsigned node)
{
    uint32_t fence;

    if (vidsch_last_submitted(&adapter->vidsch, node) !=
        vidsch_last_reported(&adapter->vidsch, node)) {
        (void)dxgk_ask_fence(adapter, node, &fence);
    }
}

/* Who is told by a preemption alone that a fence is complete asks [INT-008]. */
void dxgk_ask_behind_preemption(struct dxgk_adapter *adapter, unsigned node, uint32_t told)
{
    if (vary_on(VARY_ODD_QUESTIONS) &&
        vidsch_fence_after(told, vidsch_last_reported(&adapter->vidsch, node))) {
        adapter->engines[node].to_ask = true;
        dxgk_worker_kick(adapter);
    }
}

/* Whether or not anything is missing. */
static void ask_told_nodes(struct dxgk_adapter *adapter)
{
    uint32_t fence;

    for (unsigned i = 0; i < adapter->node_count; i++) {
        bool asks = adapter->engines[i].to_ask;
        adapter->engines[i].to_ask = false; /* it may be wanted again while the driver answers */
        if (asks && vary_happens(VARY_ODD_QUESTIONS, 1)) {
            (void)dxgk_ask_fence(adapter, i, &fence);
        }
    }
}

void dxgk_interrupt_lost(struct ddi_adapter *ddi)
{
    dxgk_worker_kick(dxgk_adapter_of(ddi));
}

void dxgk_ask_busy_nodes(struct dxgk_adapter *adapter)
{
    bool asks = adapter->state == DXGK_ADAPTER_RUNNING && adapter->presence < DXGK_TOLD &&
                !adapter->asleep && ddi_has(&adapter->ddi, POINT_QueryCurrentFence);

    if (interrupt_is_lost(adapter->ddi.interrupt)) {
        for (unsigned i = 0; asks && i < adapter->node_count; i++) {
            ask_busy(adapter, i);
        }
        interrupt_find(adapter->ddi.interrupt);
    }
    if (asks) {
        ask_told_nodes(adapter);
    }
    if (asks && vary_happens(VARY_ODD_QUESTIONS, 16)) {
        ask_busy(adapter, (unsigned)vary_below(VARY_ODD_QUESTIONS, adapter->node_count));
    }
}
