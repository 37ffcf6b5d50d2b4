/* Contexts that rest while the tables of their process change: operations that vidmm marks so are
 * built when no context of the space has anything on the hardware; none is given anything until
 * they have ended [PT-001]: the road of submissions looks at hold_count.
 *
 * Work that runs is asked to stop; what does not stop ends by itself, or by its time limit. */
#include "dxgk/work.h"

static struct dxgk_space *space_of(const struct paging_operation *operation)
{
    return container_of(operation->op->space, struct dxgk_space, memory);
}

#define ANY_NODE UINT_MAX

/* Has a context of the space something on the node's hardware? */
static bool runs(const struct dxgk_space *space, unsigned node)
{
    list_for_each (outer, &space->adapter->devices) {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life.link);
        if (!device->process || &device->process->space != space) {
            continue;
        }
        list_for_each (link, &device->contexts) {
            struct dxgk_context *context = container_of(link, struct dxgk_context, life.link);
            bool busy = context->life.kind == DXGK_KIND_HW_QUEUE
                            ? dxgk_hwqueue_runs(context)
                            : context->vidsch.hardware_count > 0;
            if (context->virtual_addresses && busy && (node == ANY_NODE || context->node == node)) {
                return true;
            }
        }
    }
    return false;
}

/* May switch: the lists are looked at anew for each node. */
static void ask_to_stop(const struct dxgk_space *space)
{
    struct dxgk_adapter *adapter = space->adapter;

    for (unsigned node = 0; node < adapter->node_count; node++) {
        if (runs(space, node)) {
            (void)vidsch_preempt(&adapter->vidsch, node);
        }
    }
    dxgk_hwcontexts_suspend(space);
}

bool dxgk_space_rests(struct paging_operation *operation)
{
    if (!operation->op->suspend || operation->built) {
        return true;
    }
    struct dxgk_space *space = space_of(operation);
    if (!operation->holds && space->adapter->mmu.resting == space) {
        operation->holds = true;
        space->adapter->mmu.resting = NULL;
    }
    if (!operation->holds) {
        operation->holds = true;
        space->hold_count++;
        ask_to_stop(space);
    }
    return !runs(space, ANY_NODE) || !dxgk_adapter_has_hardware(space->adapter);
}

void dxgk_space_may_rest(struct dxgk_adapter *adapter)
{
    if (adapter->paging.in_hand && adapter->paging.in_hand->holds) {
        dxgk_worker_kick(adapter);
    }
}

void dxgk_space_goes_on(struct paging_operation *operation)
{
    if (!operation->holds) {
        return;
    }
    struct dxgk_space *space = space_of(operation);
    CHECK_THAT(space->hold_count > 0);
    operation->holds = false;
    space->hold_count--; /* who waits is asked: an operation has ended */
    if (operation->op->rests_on && space->hold_count == 0) {
        space->hold_count++; /* no other has come yet: it takes this over */
        space->adapter->mmu.resting = space;
    }
}

void dxgk_spaces_go_on(struct dxgk_adapter *adapter)
{
    if (adapter->mmu.resting) {
        adapter->mmu.resting->hold_count--;
        adapter->mmu.resting = NULL;
    }
}
