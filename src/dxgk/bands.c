/* Bands and quanta of nodes that schedule by themselves; see bands.h. */
#include "dxgk/bands.h"
#include "dxgk/hwqueue_parts.h"
#include "dxgk/schedule_log.h"
#include "dxgk/work.h"

#define IN_100NS(ns) ((ns) / 100)

#define LEVEL_MIDDLE 16 /* of REALTIME's 0 to 31 */
#define LEVEL_MAX    31
#define PRIORITY_MAX 7 /* in a process, to both sides */

/* All of them differ: who takes one for another is seen. IDLE never preempts, and REALTIME needs
 * the GPU right away. */
const struct dxgk_band dxgk_bands[] = {
    [DXGK_SCHEDULING_PRIORITY_BAND_IDLE] = {0, 3000000, 600000},
    [DXGK_SCHEDULING_PRIORITY_BAND_NORMAL] = {1000000, 5000000, 500000},
    [DXGK_SCHEDULING_PRIORITY_BAND_FOCUS] = {800000, 4000000, 400000},
    [DXGK_SCHEDULING_PRIORITY_BAND_REALTIME] = {0, 6000000, 0},
};

/* ---- Bands ----------------------------------------------------------------------------------- */

/* Before any work of the GPU's [HWQ-019]. */
void dxgk_hwqueues_start(struct dxgk_adapter *adapter)
{
    DXGKARG_SETUPPRIORITYBANDS bands = {.targetNormalBandPercentage = DXGK_NORMAL_PERCENT};
    bool any = false;

    for (unsigned i = 0; i < DXGK_SCHEDULING_PRIORITY_BAND_COUNT; i++) {
        bands.gracePeriodForBand[i] = IN_100NS(dxgk_bands[i].grace_ns);
        bands.processQuantumForBand[i] = IN_100NS(dxgk_bands[i].process_quantum_ns);
        bands.processGracePeriodForBand[i] = IN_100NS(dxgk_bands[i].process_grace_ns);
    }
    for (unsigned i = 0; i < adapter->node_count; i++) {
        any |= adapter->engines[i].scheduled;
    }
    if (any) {
        (void)ddi_setup_priority_bands(&adapter->ddi, adapter->ddi.miniport_context, &bands,
                                       adapter->object);
    }
}

/* ---- Contexts -------------------------------------------------------------------------------- */

static int within(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

/* Without a process: the system's, for paging. */
static struct dxgk_place place_of(const struct dxgk_context *context)
{
    const struct dxgk_process *process = context->device->process;
    int class = process ? process->class_offset : 3;
    int mine = context->priority + context->in_process;

    return (struct dxgk_place){
        .band = class >= 3    ? DXGK_SCHEDULING_PRIORITY_BAND_REALTIME
                : class >= 1  ? DXGK_SCHEDULING_PRIORITY_BAND_FOCUS
                : class >= -1 ? DXGK_SCHEDULING_PRIORITY_BAND_NORMAL
                              : DXGK_SCHEDULING_PRIORITY_BAND_IDLE,
        .level = class < 3 ? 0
                 : process ? within(LEVEL_MIDDLE + context->priority, 0, LEVEL_MAX - 1)
                           : LEVEL_MAX,
        .in_process = within(mine, -PRIORITY_MAX, PRIORITY_MAX),
    };
}

static NTSTATUS tell(struct dxgk_context *context, const struct dxgk_place *place)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES properties = {
        .hContext = context->driver_handle,
        .priorityBand = place->band,
        .realtimeBandPriorityLevel = place->level,
        .inProcessPriority = place->in_process,
        .quantum = IN_100NS(DXGK_QUANTUM_NS),
        .gracePeriodSamePriority = IN_100NS(DXGK_GRACE_SAME_NS),
        .gracePeriodLowerPriority = IN_100NS(DXGK_GRACE_LOWER_NS),
    };

    return ddi_set_context_scheduling_properties(&adapter->ddi, adapter->ddi.miniport_context,
                                                 &properties, context->object);
}

NTSTATUS dxgk_hwcontext_place(struct dxgk_context *context)
{
    struct dxgk_place place = place_of(context);

    if (!ddi_has(&context->device->adapter->ddi, POINT_SetContextSchedulingProperties)) {
        return STATUS_SUCCESS;
    }
    NTSTATUS status = tell(context, &place);
    if (NT_SUCCESS(status)) {
        dxgk_hwcontext_of(context)->place = place;
        dxgk_hwcontext_of(context)->place.told = true;
    }
    return status;
}

/* What the log has so far is of the place before. */
void dxgk_hwcontext_place_anew(struct dxgk_context *context)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    const struct dxgk_place *old = &dxgk_hwcontext_of(context)->place;
    struct dxgk_place new = place_of(context);

    if (!old->told || !context->owns_handle || !dxgk_adapter_has_hardware(adapter) ||
        (old->band == new.band && old->level == new.level && old->in_process == new.in_process)) {
        return;
    }
    dxgk_log_forget(adapter, context->node);
    context->rooting++; /* who ends the context waits for the call */
    (void)dxgk_hwcontext_place(context);
    context->rooting--;
    wait_queue_wake(&context->changed, UINT_MAX);
    dxgk_log_forget(adapter, context->node); /* from the next choice on */
}
