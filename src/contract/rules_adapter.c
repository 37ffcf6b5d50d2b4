/* Rules of an adapter's life. */
#include "contract/internal.h"

#include <string.h>

#include "machine/machine.h"

/* The kernel preset what StartDevice did not set. */
#define NOT_SET 0xFFFFFFFFu

static bool counts_are_set(struct contract_call *call)
{
    const struct contract_counts *counts = call->extra;

    return (counts->source_count != NOT_SET && counts->child_count != NOT_SET) ||
           contract_say(call, "NumberOfVideoPresentSources and NumberOfChildren set",
                        "%s was left alone",
                        counts->source_count == NOT_SET ? "NumberOfVideoPresentSources"
                                                        : "NumberOfChildren");
}

static bool has_failed(const struct contract_call *call)
{
    return !has_succeeded(call);
}

static bool is_empty(const DXGK_CHILD_DESCRIPTOR *child)
{
    static const DXGK_CHILD_DESCRIPTOR none;

    return memcmp(child, &none, sizeof none) == 0;
}

/* The array has one element more than there are children, and the kernel cleared them all: the last
 * one stays as it is. */
static bool children_were_counted(struct contract_call *call)
{
    const struct contract_children *children = call->extra;
    ULONG counted = children->size_bytes / sizeof *children->first - 1;

    if (children->size_bytes < sizeof *children->first) {
        return contract_no_case(call);
    }
    return is_empty(&children->first[counted]) ||
           contract_say(call, "at most NumberOfChildren of StartDevice, and an empty element",
                        "the element behind the %u children is in use", (unsigned)counted);
}

/* Who renders alone has no outputs either. */
static bool outputs_have_a_source(struct contract_call *call)
{
    const struct contract_children *children = call->extra;

    for (ULONG i = 0; i < children->size_bytes / sizeof *children->first; i++) {
        if (contract_is_output(children->first[i].ChildDeviceType)) {
            return call->tracker->source_count > 0 ||
                   contract_say(call,
                                "NumberOfVideoPresentSources not 0 of a driver with video outputs",
                                "StartDevice said 0, and child 0x%X is an output: nothing "
                                "is ever shown on it",
                                (unsigned)children->first[i].ChildUid);
        }
    }
    return contract_no_case(call);
}

static bool context_is_given_on_success_only(struct contract_call *call)
{
    const PVOID *context = call->extra;

    return !context || !*context ||
           contract_say(call, "no context from a failed AddDevice", "%s with a context",
                        status_name(call->status));
}

/* ---- Removal --------------------------------------------------------------------------------- */

static bool is_removed(const struct contract_call *call)
{
    return call->tracker->removed;
}

/* Who touched it in StopDevice, and failed there for one, is not told of the same twice. */
static bool was_left_alone(const struct contract_call *call)
{
    return is_removed(call) && !call->tracker->touched_when_gone;
}

static bool hardware_is_left_alone(struct contract_call *call)
{
    uint64_t count = mmio_access_count() - call->tracker->mmio_count_at_removal;
    bool stopped = call->tracker->state == CONTRACT_DEVICE_STOPPED;

    return count == 0 || contract_say(call, "no access to a device that is gone",
                                      "%llu register accesses since %s", (unsigned long long)count,
                                      stopped ? "StopDevice" : "NotifySurpriseRemoval");
}

static const struct contract_row rows[] = {
    AFTER(PNP_001, AddDevice, context_is_given_on_success_only, WHEN(has_failed)),
    AFTER(PNP_003, StartDevice, counts_are_set, WHEN(has_succeeded)),
    AFTER(PNP_003, QueryChildRelations, children_were_counted, WHEN(has_succeeded)),
    AFTER(PNP_003, QueryChildRelations, outputs_have_a_source, WHEN(has_succeeded), ADVISES),
    BEFORE(PNP_013, CbGetHandleData, IRQL_AT_MOST(MACHINE_IRQL_APC)),
    AFTER(PNP_007, SetPowerState, SUCCEEDS),
    AFTER(PNP_008, NotifySurpriseRemoval, SUCCEEDS),
    AFTER(PNP_008, NotifySurpriseRemoval, NO_REGISTERS, SAYS("no access to a device that is gone")),
    AFTER(PNP_008, StopDevice, hardware_is_left_alone, WHEN(is_removed),
          LEAVES_OUT(
              "what the interrupt routine reads: the line may be another's; memory of a BAR that "
              "is written through a mapping: only registers are watched")),
    AFTER(PNP_008, RemoveDevice, hardware_is_left_alone, WHEN(was_left_alone)),
};

const struct contract_family contract_family_adapter = FAMILY_OF(rows);
