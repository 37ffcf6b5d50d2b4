/* The kernel's own duties: which calls may be in the driver together. */
#include "contract/internal.h"

#include "machine/machine.h"
#include "nt/nt.h"

typedef bool clash_fn(const struct contract_call *call, const struct contract_inside *other);

/* Threads are in the driver, and the call counts as one more. */
static bool is_in_company(const struct contract_call *call)
{
    return call->counts_inside && call->tracker->inside_end > 0;
}

/* Another thread in the driver that the call clashes with, or NULL. */
static const struct contract_inside *find_clash(const struct contract_call *call, clash_fn *clashes)
{
    const struct contract_inside *found = NULL;

    const struct task *self = task_self();
    for (unsigned i = 0; i < call->tracker->inside_end; i++) {
        const struct contract_inside *other = &call->tracker->inside[i];
        if (other->task == self) {
            return NULL; /* from inside a callback: the outer call was judged */
        }
        if (other->task && clashes(call, other)) {
            found = other;
        }
    }
    return found;
}

static bool keeps(struct contract_call *call, clash_fn *clashes, const char *expected)
{
    const struct contract_inside *other = find_clash(call, clashes);

    return KERNEL_KEEPS(call, other == NULL, expected, "%s is in the driver",
                        contract_point_info(other->point)->name);
}

static bool same_process(const struct contract_call *call, const struct contract_inside *other)
{
    return other->process && nt_exists() && other->process == nt_process_current();
}

static bool same_class(const struct contract_call *call, const struct contract_inside *other)
{
    enum contract_level level = contract_point_info(call->point)->level;

    return level != CONTRACT_LEVEL_LEVEL_0 && level < CONTRACT_LEVEL_LEVEL_2 &&
           level == other->level;
}

static bool level_two_with(const struct contract_call *call, const struct contract_inside *other)
{
    return contract_point_info(call->point)->level == CONTRACT_LEVEL_LEVEL_2 ||
           other->level == CONTRACT_LEVEL_LEVEL_2;
}

static bool level_three_with(const struct contract_call *call, const struct contract_inside *other)
{
    return contract_point_info(call->point)->level == CONTRACT_LEVEL_LEVEL_3 ||
           other->level == CONTRACT_LEVEL_LEVEL_3;
}

static bool in_scheduler(const struct contract_call *call, const struct contract_inside *other)
{
    return other->level == CONTRACT_LEVEL_SCHEDULER;
}

static bool anybody(const struct contract_call *call, const struct contract_inside *other)
{
    return true;
}

static bool one_thread_a_process(struct contract_call *call)
{
    return keeps(call, same_process, "one thread of a process in the driver");
}

static bool one_thread_a_class(struct contract_call *call)
{
    return keeps(call, same_class, "one thread of a threading class in the driver");
}

static bool alone_at_two(struct contract_call *call)
{
    return keeps(call, level_two_with, "a level two call alone in the driver");
}

static bool alone_at_three(struct contract_call *call)
{
    return keeps(call, level_three_with, "a level three call alone in the driver");
}

static bool one_scheduler_call(struct contract_call *call)
{
    return keeps(call, in_scheduler, "one call of the GPU scheduler class at a time");
}

static bool reset_alone(struct contract_call *call)
{
    return keeps(call, anybody, "no other thread in the driver during a reset");
}

static bool one_dpc(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->tracker->dpc_depth == 0 && call->irql == MACHINE_IRQL_DISPATCH,
                        "one DPC at a time, at DISPATCH_LEVEL", "IRQL %u, %u inside", call->irql,
                        call->tracker->dpc_depth);
}

static const struct contract_row rows[] = {
    KERNEL(SUBMIT_005, SubmitCommand, one_scheduler_call, WHEN(is_in_company)),
    KERNEL(SUBMIT_005, Patch, one_scheduler_call, WHEN(is_in_company)),
    KERNEL(SUBMIT_005, BuildPagingBuffer, one_scheduler_call, WHEN(is_in_company)),
    KERNEL(SUBMIT_005, PreemptCommand, one_scheduler_call, WHEN(is_in_company)),
    KERNEL(TDR_001, ResetFromTimeout, reset_alone, WHEN(is_in_company)),
#define DDI(name, irql, level) KERNEL(GEN_001, name, one_thread_a_process, WHEN(is_in_company)),
#include "contract/ddis.def"
#undef DDI
#define DDI(name, irql, level) KERNEL(GEN_002, name, one_thread_a_class, WHEN(is_in_company)),
#include "contract/ddis.def"
#undef DDI
#define DDI(name, irql, level) KERNEL(GEN_003, name, alone_at_two, WHEN(is_in_company)),
#include "contract/ddis.def"
#undef DDI
#define DDI(name, irql, level) KERNEL(GEN_004, name, alone_at_three, WHEN(is_in_company)),
#include "contract/ddis.def"
#undef DDI
    KERNEL(INT_023, DpcRoutine, one_dpc),
};

const struct contract_family contract_family_kernel_call = FAMILY_OF(rows);
