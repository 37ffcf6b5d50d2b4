/* Waiting until paging has come somewhere, or memory is there: for clients, never for the
 * worker. */
#include "dxgk/doorbell.h"
#include "dxgk/work.h"

NTSTATUS dxgk_wait_paging(struct dxgk_adapter *adapter, uint64_t sequence, uint64_t deadline_ns)
{
    CHECK_THAT(task_self() != adapter->worker); /* nobody else would build */
    dxgk_paging_kick(adapter);
    while (!vidmm_paging_reached(adapter->vidmm, sequence)) {
        if (wait_queue_wait(&adapter->idle_changed, deadline_ns) == WAIT_TIMED_OUT) {
            return STATUS_TIMEOUT;
        }
    }
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_wait_memory(struct dxgk_adapter *adapter, const struct vidmm_wait *wait,
                          uint64_t deadline_ns)
{
    uint64_t progress = vidmm_progress(adapter->vidmm);

    CHECK_THAT(task_self() != adapter->worker);
    dxgk_paging_kick(adapter);
    if (wait->kind == VIDMM_WAIT_NONE) {
        return STATUS_SUCCESS;
    }
    if (wait->kind == VIDMM_WAIT_PAGING) {
        return dxgk_wait_paging(adapter, wait->paging_sequence, deadline_ns);
    }
    dxgk_doorbells_leave_use(adapter, wait->use);
    while (vidmm_progress(adapter->vidmm) == progress) {
        if (wait_queue_wait(&adapter->idle_changed, deadline_ns) == WAIT_TIMED_OUT) {
            return STATUS_TIMEOUT;
        }
    }
    return STATUS_SUCCESS;
}

void dxgk_retire_memory(struct dxgk_adapter *adapter, struct vidmm_allocation *memory)
{
    struct vidmm_wait wait = {0};

    for (;;) {
        NTSTATUS status = vidmm_allocation_retire(memory, &wait);
        if (status == STATUS_PENDING) {
            dxgk_wait_memory(adapter, &wait, MACHINE_NEVER);
        } else if (wait.paging_sequence == 0) {
            return;
        } else {
            dxgk_wait_paging(adapter, wait.paging_sequence, MACHINE_NEVER);
        }
    }
}
