/* The adapter's state: which arrows there are; struct dxgk_adapter draws them. */
#include "dxgk/internal.h"

#define TO(state) (1u << DXGK_ADAPTER_##state)

static const unsigned arrows[DXGK_ADAPTER_STATE_COUNT] = {
    [DXGK_ADAPTER_STARTING] = TO(RUNNING) | TO(STOPPED),
    [DXGK_ADAPTER_RUNNING] = TO(RESETTING) | TO(LOST) | TO(STOPPED),
    [DXGK_ADAPTER_RESETTING] = TO(CLEANING) | TO(LOST),
    [DXGK_ADAPTER_CLEANING] = TO(RUNNING) | TO(LOST),
    [DXGK_ADAPTER_LOST] = TO(STOPPED),
};

void dxgk_adapter_enter(struct dxgk_adapter *adapter, enum dxgk_adapter_state state)
{
    bool worker_lives = adapter->worker != NULL;

    CHECK_THAT(arrows[adapter->state] & 1u << state);
    CHECK_THAT(adapter->state == DXGK_ADAPTER_STARTING || state == DXGK_ADAPTER_STOPPED ||
               task_self() == adapter->worker);
    CHECK_THAT(worker_lives == (state != DXGK_ADAPTER_STOPPED)); /* nobody builds or resets then */
    adapter->natives.stale |= adapter->state == DXGK_ADAPTER_CLEANING; /* who tells of them now? */
    adapter->state = state;
    wait_queue_wake(&adapter->idle_changed, UINT_MAX);
}

struct dxgk_attempt dxgk_first_attempt(bool spared)
{
    nt_spare_allocations(spared);
    return (struct dxgk_attempt){.failures = nt_allocation_failures(), .spared = spared};
}

bool dxgk_tries_again(NTSTATUS status, struct dxgk_attempt *attempt)
{
    if (attempt->spared) {
        nt_spare_allocations(-1);
        return false;
    }
    attempt->spared = !NT_SUCCESS(status) && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER &&
                      nt_allocation_failures() != attempt->failures;
    nt_spare_allocations(attempt->spared); /* the second attempt has enough of everything */
    return attempt->spared;
}
