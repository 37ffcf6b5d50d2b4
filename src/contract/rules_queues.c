/* The driver's duties: hardware contexts, hardware queues and what is submitted to them. */
#include "contract/internal.h"
#include "contract/tracker.h"

static bool context_is_its_own(struct contract_call *call)
{
    const DXGKARG_CREATEHWCONTEXT *given = call->before, *answered = call->arguments;

    return answered->hHwContext != given->hHwContext ||
           contract_say(call, "the driver's own handle in hHwContext",
                        "hHwContext is still the kernel's handle");
}

static bool queue_is_its_own(struct contract_call *call)
{
    const DXGKARG_CREATEHWQUEUE *given = call->before, *answered = call->arguments;

    return answered->hHwQueue != given->hHwQueue ||
           contract_say(call, "the driver's own handle in hHwQueue",
                        "hHwQueue is still the kernel's handle");
}

static const struct contract_row rows[] = {
    AFTER(HWQ_011, CreateHwContext, context_is_its_own, WHEN(has_succeeded), ADVISES,
          LEAVES_OUT("that later calls get the driver's handle: the kernel's rules about handles "
                     "judge it")),
    AFTER(HWQ_010, CreateHwQueue, queue_is_its_own, WHEN(has_succeeded), ADVISES,
          LEAVES_OUT("native fences as progress fences, which Drydock has not got")),
    AFTER(HWQ_002, SubmitCommandToHwQueue, STATUS_IN(STATUS_SUCCESS), ADVISES),
};

const struct contract_family contract_family_queues = FAMILY_OF(rows);
