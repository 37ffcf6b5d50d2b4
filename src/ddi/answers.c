/* What the driver answers to all calls of a DDI in a run. One call that finds no memory is nothing
 * to speak of; a DDI that never finds any, though nothing was refused to it, has another reason. */
#include "ddi/internal.h"

#include <string.h>

#include "base/record.h"
#include "base/status.h"

#define CALLS_MIN 2u /* fewer say nothing */

static struct {
    uint64_t calls;
    uint64_t excused; /* failed, and something had been refused to them */
    uint64_t poor;    /* found no memory without that */
    NTSTATUS status;  /* the newest of these */
} answers[POINT_DDI_COUNT];

void ddi_answers_reset(void)
{
    memset(answers, 0, sizeof answers);
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
    if (call->denied) {
        answers[point].excused++;
    } else if (status == STATUS_NO_MEMORY || status == STATUS_INSUFFICIENT_RESOURCES) {
        answers[point].poor++;
        answers[point].status = status;
    }
}

void ddi_memory_refused(void)
{
    struct ddi_call *call = ddi_call_here();

    if (call) {
        call->denied = true;
    }
}

/* Of these the second status has another meaning: no overlay is left, or no range. */
static bool is_about_hardware(enum contract_point point, NTSTATUS status)
{
    return status == STATUS_INSUFFICIENT_RESOURCES &&
           (point == POINT_CreateOverlay || point == POINT_UpdateOverlay ||
            point == POINT_AcquireSwizzlingRange);
}

void ddi_judge_answers(void)
{
    for (unsigned i = 0; i < POINT_DDI_COUNT; i++) {
        bool judged = answers[i].calls >= CALLS_MIN;
        if (judged) {
            contract_count(RULE_GEN_013);
        }
        if (!judged || answers[i].poor < CALLS_MIN || is_about_hardware(i, answers[i].status) ||
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
