/* The adapter's state: which arrows there are; struct dxgk_adapter draws them. */
#include "dxgk/internal.h"

#define ROW_MIN 64u

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
    struct dxgk_attempt attempt = {.failures = nt_allocation_failures(), .spared = spared};

    (void)dxgk_all_run(&attempt.resets);
    nt_spare_allocations(spared);
    return attempt;
}

/* No page of these two knows a limit but memory. */
static enum contract_rule rule_of_limit(enum contract_point point)
{
    return point == POINT_CreateDevice ? CONTRACT_JUDGES(CTX_018) : CONTRACT_JUDGES(CTX_002);
}

/* What a device that was reset, or is gone, answers says nothing of tables. */
static bool is_disturbed(const struct dxgk_attempt *attempt)
{
    uint64_t resets;

    return !dxgk_all_run(&resets) || resets != attempt->resets;
}

bool dxgk_attempt_is_calm(const struct dxgk_attempt *attempt)
{
    return nt_allocation_failures() == attempt->failures && !is_disturbed(attempt);
}

/* Nothing was refused this time, and what was refused before is over. */
static void judge_row(NTSTATUS status, const struct dxgk_attempt *attempt)
{
    enum contract_point point = ddi_failed_since(0, status);

    if (attempt->repeats < ROW_MIN || point >= POINT_COUNT || is_disturbed(attempt) ||
        (status != STATUS_NO_MEMORY && status != STATUS_INSUFFICIENT_RESOURCES)) {
        return;
    }
    contract_breach(&(struct contract_finding){.rule = rule_of_limit(point),
                                               .ddi = contract_point_info(point)->name},
                    "a call that fails for want of memory gives back what it has taken by then, "
                    "places in the driver's tables, too",
                    "a request for memory in it was refused %llu times in a row, and then it fails "
                    "with %s, though nothing is refused: what it had taken each time is left taken",
                    (unsigned long long)attempt->repeats + 1, status_name(status));
}

bool dxgk_tries_again(NTSTATUS status, struct dxgk_attempt *attempt)
{
    if (attempt->spared) {
        nt_spare_allocations(-1);
        judge_row(status, attempt);
        return false;
    }
    attempt->spared = !NT_SUCCESS(status) && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER &&
                      nt_allocation_failures() != attempt->failures;
    if (!attempt->spared) {
        judge_row(status, attempt); /* the row has used up what there is */
    }
    if (nt_allocation_fails_again(attempt->spared && !is_disturbed(attempt))) {
        attempt->failures = nt_allocation_failures();
        attempt->repeats++;
        return !(attempt->spared = false);
    }
    nt_spare_allocations(attempt->spared); /* the last attempt has enough of everything */
    return attempt->spared;
}
