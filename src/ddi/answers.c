/* What the driver answers to all calls of a DDI in a run. One call that finds no memory is nothing
 * to speak of; a DDI that never finds any, though nothing was refused to it, has another reason. */
#include "ddi/internal.h"

#include <string.h>

#include "base/record.h"
#include "base/status.h"

#define CALLS_MIN 2u /* fewer say nothing */

static struct {
    uint64_t calls;
    uint64_t excused; /* failed, and something had been refused to the driver */
    uint64_t poor;    /* found no memory without that */
    NTSTATUS status;  /* the newest of these */
} answers[POINT_DDI_COUNT];

/* What was refused, in whatever call, thread or DPC, a driver may go without ever after. */
static bool is_denied;
static uint64_t shortages; /* before the run */

void ddi_answers_reset(void)
{
    memset(answers, 0, sizeof answers);
    is_denied = false;
    shortages = nt_allocation_shortages();
}

static bool says_no_memory(NTSTATUS status)
{
    return status == STATUS_NO_MEMORY || status == STATUS_INSUFFICIENT_RESOURCES;
}

void ddi_answered(const struct ddi_call *call, NTSTATUS status)
{
    enum contract_point point = call->contract.point;

    if (point >= POINT_DDI_COUNT) {
        return;
    }
    answers[point].calls++;
    if (NT_SUCCESS(status)) {
        return;
    }
    if (call->denied || is_denied || nt_allocation_shortages() != shortages) {
        answers[point].excused++;
    } else if (says_no_memory(status)) {
        answers[point].poor++;
        answers[point].status = status;
    }
}

void ddi_memory_refused(void)
{
    struct ddi_call *call = ddi_call_here();

    is_denied = true;
    if (call) {
        call->denied = true;
    }
}

void ddi_callback_failed(NTSTATUS status)
{
    is_denied |= says_no_memory(status);
}

/* Their pages have no other failure for what is asked of them: a buffer that is too small, a shape
 * that is too large, video memory that is full; or the second status has another meaning: a
 * resource of the device is missing, no overlay is left, or no range. */
static bool has_no_other(enum contract_point point, NTSTATUS status)
{
    switch (point) {
    case POINT_CollectDbgInfo:
    case POINT_SetPointerShape:
    case POINT_CreateAllocation:
    case POINT_CreateOverlay:
    case POINT_UpdateOverlay:
    case POINT_FlipOverlay:
        return true;
    case POINT_StartDevice:
    case POINT_AcquireSwizzlingRange:
        return status == STATUS_INSUFFICIENT_RESOURCES;
    default:
        return false;
    }
}

void ddi_judge_answers(void)
{
    for (unsigned i = 0; i < POINT_DDI_COUNT; i++) {
        bool judged = answers[i].calls >= CALLS_MIN;
        if (judged) {
            contract_count(RULE_GEN_013);
        }
        if (!judged || answers[i].poor < CALLS_MIN || has_no_other(i, answers[i].status) ||
            answers[i].poor + answers[i].excused != answers[i].calls) {
            continue;
        }
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(GEN_013),
                                                   .ddi = contract_point_info(i)->name},
                        "a DDI that finds the memory that it asks for, where none was refused",
                        "%s for each of %llu calls in the run, in which nothing was refused to the "
                        "driver: what stands behind this status is no want of memory",
                        status_name(answers[i].status), (unsigned long long)answers[i].poor);
    }
}
