/* The life of an adapter, and whether it may be started. */
#include "contract/tracker.h"

#include <stdio.h>
#include <string.h>

#include "contract/internal.h"
#include "machine/machine.h"

/* ---- Life ------------------------------------------------------------------------------------ */

void track_add_device(struct contract_call *call)
{
    const PVOID *context = call->extra;

    call->tracker->miniport_context = *context;
    if (has_succeeded(call)) {
        call->tracker->state = CONTRACT_DEVICE_ADDED;
    }
}

void contract_is_added(struct contract_tracker *tracker, void *miniport_context)
{
    tracker->miniport_context = miniport_context;
    tracker->components.older = true;
    tracker->state = CONTRACT_DEVICE_STOPPED;
}

void track_start_device(struct contract_call *call)
{
    const struct contract_counts *counts = call->extra;

    call->tracker->source_count = counts->source_count;
    call->tracker->child_count = counts->child_count;
    if (has_succeeded(call)) {
        call->tracker->state = CONTRACT_DEVICE_STARTED;
    }
}

void track_stop_device(struct contract_call *call)
{
    uint64_t count = mmio_access_count(); /* those before were judged */

    call->tracker->state = CONTRACT_DEVICE_STOPPED;
    call->tracker->touched_when_gone =
        call->tracker->removed && count != call->tracker->mmio_count_at_removal;
    call->tracker->mmio_count_at_removal = count;
    memset(call->tracker->sources, 0, sizeof call->tracker->sources);
}

void track_remove_device(struct contract_call *call)
{
    call->tracker->state = CONTRACT_DEVICE_ABSENT;
}

/* If it fails, StopDevice follows. */
void track_release(struct contract_call *call)
{
    if (has_succeeded(call)) {
        track_stop_device(call);
        call->tracker->released = true;
    }
}

void contract_device_goes_missing(struct contract_tracker *tracker)
{
    tracker->missing = true;
}

void track_removing(struct contract_call *call)
{
    call->tracker->removing = true;
}

void track_removal(struct contract_call *call)
{
    call->tracker->removed = true;
    call->tracker->removed_ns = machine_now_ns();
    call->tracker->mmio_count_at_removal = mmio_access_count();
}

void track_leaving_removed(struct contract_call *call)
{
    if (call->tracker->removed && call->began_ns <= call->tracker->removed_ns) {
        call->tracker->mmio_count_at_removal = mmio_access_count();
    }
}

/* ---- The verdict about a start ---------------------------------------------------------------
 */

void track_refusal(struct contract_tracker *tracker, enum contract_rule rule, const char *reason)
{
    if (!tracker->refusal[0]) {
        snprintf(tracker->refusal, sizeof tracker->refusal, "%s: %s", contract_rule_info(rule)->id,
                 reason);
    }
}

const char *contract_refusal(const struct contract_tracker *tracker)
{
    return tracker->refusal[0] ? tracker->refusal : NULL;
}
