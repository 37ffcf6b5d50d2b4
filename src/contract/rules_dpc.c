/* Rules of the DPC that an interrupt asks for. */
#include "contract/internal.h"

static bool has_notified(const struct contract_call *call)
{
    return call->tracker->interrupt.notified;
}

static bool a_dpc_is_queued(struct contract_call *call)
{
    return call->tracker->interrupt.queued_dpc ||
           contract_say(call, "DxgkCbQueueDpc after DxgkCbNotifyInterrupt",
                        "the routine ended without a DPC queued");
}

static bool has_notified_and_queued(const struct contract_call *call)
{
    return has_notified(call) && call->tracker->interrupt.queued_dpc;
}

/* On another CPU the DPC may have begun, and have looked, by then. */
static bool a_dpc_follows(struct contract_call *call)
{
    return !call->tracker->interrupt.wants_dpc ||
           contract_say(call, "DxgkCbQueueDpc after the last DxgkCbNotifyInterrupt",
                        "the routine ended without a DPC queued after its last notice, though one "
                        "was queued before it");
}

static const struct contract_row rows[] = {
    AFTER(INT_002, InterruptRoutine, a_dpc_follows, WHEN(has_notified_and_queued), ADVISES),
    AFTER(INT_002, InterruptRoutine, a_dpc_is_queued, WHEN(has_notified),
          LEAVES_OUT("notices outside the service routine: INT-018 asks at a reset whether "
                     "NotifyDpc followed them")),
};

const struct contract_family contract_family_dpc = FAMILY_OF(rows);
