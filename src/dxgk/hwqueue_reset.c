/* The reset of a node that schedules itself, tried before that of the whole adapter where the
 * driver supports it [HWQ-022, HWQ-023].
 *
 *   MUTED   ResetHwEngine ─> the driver names each context that was hurt: DxgkCbInvalidateHwContext
 *           their devices are lost, and what they had in flight; other contexts keep theirs
 *   HEARD   ResumeHwEngine ─> the node goes on with those
 *
 * Runs on the worker; the other nodes and all clients go on meanwhile. */
#include "dxgk/context_memory.h"
#include "dxgk/hwqueue_parts.h"
#include "dxgk/schedule_log.h"
#include "dxgk/work.h"

#include <stdio.h>
#include <string.h>

/* From the reset to the resumption: that an engine runs on by itself is seen meanwhile. */
#define SYNCHRONISING_NS (200 * NS_PER_US)

static bool can_be_reset(struct dxgk_adapter *adapter, unsigned node)
{
    uint32_t fence;

    return ddi_has(&adapter->ddi, POINT_ResetHwEngine) &&
           ddi_has(&adapter->ddi, POINT_ResumeHwEngine) &&
           !adapter->engines[node].queues_begun_anew &&
           /* What paging has there is lost with the adapter alone. */
           !(adapter->paging.queue && node == adapter->paging_node) &&
           !vidsch_oldest_fence(&adapter->vidsch, node, &fence); /* nobody tells of that one */
}

bool dxgk_hwqueues_are_late(struct dxgk_adapter *adapter, unsigned node,
                            const struct dxgk_packet *packet)
{
    return packet ? packet->vidsch.kind == VIDSCH_PACKET_HW_QUEUE
                  : dxgk_hwcontext_asked(adapter, node) != NULL;
}

NTSTATUS dxgk_hwcontext_invalidate(struct ddi_adapter *ddi,
                                   const DXGKARGCB_INVALIDATEHWCONTEXT *request)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);
    struct dxgk_hwcontext *context = dxgk_hwcontext_named(adapter, request->hHwContext);

    for (unsigned i = 0; i < adapter->node_count; i++) {
        adapter->engines[i].names_some |= adapter->engines[i].muted;
    }
    if (!context) { /* of nobody, or the system's */
        return STATUS_INVALID_PARAMETER;
    }
    context->invalid = context->named = true;
    context->collateral = request->Flags.CollateralDamage;
    if (context->base.device != adapter->system_device &&
        !adapter->engines[context->base.node].muted) { /* of no reset of the kernel's */
        dxgk_device_lose_soon(context->base.device, D3DKMT_DEVICEEXECUTION_RESET);
    }
    return STATUS_SUCCESS;
}

/* Its device, and what its queues have in flight. May switch. */
static void lose(struct dxgk_hwcontext *context)
{
    struct dxgk_device *device = context->base.device;

    bool faulted = device->life.number == device->adapter->engines[context->base.node].fault.device;

    dxgk_device_lose(device, faulted               ? D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT
                             : context->collateral ? D3DKMT_DEVICEEXECUTION_RESET
                                                   : D3DKMT_DEVICEEXECUTION_HUNG);
    for_each_life(life, &device->contexts)
    {
        struct dxgk_context *stream = container_of(life, struct dxgk_context, life);
        if (life->kind == DXGK_KIND_HW_QUEUE && dxgk_hwqueue_of(stream)->owner == context) {
            vidsch_queue_lose(&stream->vidsch);
        }
    }
}

/* Has the driver named one that was not hurt by another's work? */
static bool is_cause_named(struct dxgk_adapter *adapter, unsigned node)
{
    list_for_each (outer, &adapter->devices) {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life.link);
        list_for_each (link, &device->contexts) {
            struct dxgk_context *context = container_of(link, struct dxgk_context, life.link);
            if (context->life.kind == DXGK_KIND_HW_CONTEXT && context->node == node &&
                dxgk_hwcontext_of(context)->invalid && !dxgk_hwcontext_of(context)->collateral) {
                return true;
            }
        }
    }
    return false;
}

static void lose_invalid(struct dxgk_adapter *adapter, unsigned node)
{
    for_each_life(outer, &adapter->devices)
    {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life);
        for_each_life(life, &device->contexts)
        {
            struct dxgk_context *context = container_of(life, struct dxgk_context, life);
            if (life->kind == DXGK_KIND_HW_CONTEXT && context->node == node &&
                dxgk_hwcontext_of(context)->invalid) {
                dxgk_hwcontext_of(context)->invalid = false;
                lose(dxgk_hwcontext_of(context));
            }
        }
    }
}

static bool has_faulted(const struct dxgk_adapter *adapter, const struct dxgk_hwcontext *context)
{
    return adapter->engines[context->base.node].fault.device == context->base.device->life.number;
}

/* It faulted, so it was running. Who names nobody at all is understood. */
static void judge_names(struct dxgk_adapter *adapter, unsigned node, struct dxgk_hwcontext *guilty)
{
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(HWQ_022),
                                       .object = guilty->base.object};

    if (has_faulted(adapter, guilty)) {
        contract_count(RULE_HWQ_022);
        if (adapter->engines[node].names_some && !guilty->named) {
            contract_breach(&finding,
                            "DxgkCbInvalidateHwContext, in ResetHwEngine, of each context that was "
                            "running and is hurt",
                            "ResetHwEngine of node %u named some context, and not the one whose "
                            "queue had faulted",
                            node);
        } else if (guilty->named && guilty->collateral) {
            contract_breach(
                &finding,
                "CollateralDamage 0 for the context whose work is the cause, and 1 for "
                "others that are hurt",
                "DxgkCbInvalidateHwContext with CollateralDamage 1, in ResetHwEngine of "
                "node %u, for the context whose queue had faulted",
                node);
        }
    }
    guilty->named = false;
}

/* The driver should name whom the reset hurt. Of several whose work stood it alone knows which one
 * hung; where it names nobody, it is the one whose work has been there for longest. */
bool dxgk_hw_engine_reset(struct dxgk_adapter *adapter, unsigned node,
                          const struct dxgk_packet *packet)
{
    DXGKARG_RESETHWENGINE reset = {.NodeOrdinal = node};
    DXGKARG_RESUMEHWENGINE resume = {.NodeOrdinal = node};
    struct dxgk_hwcontext *guilty = packet ? dxgk_hwqueue_of(packet->context)->owner : NULL;

    /* Nothing is given to an engine between the reset and its resumption. */
    vidsch_stand_still(&adapter->vidsch, node);
    if (!can_be_reset(adapter, node)) {
        return false;
    }
    adapter->totals.engine_resets++;
    if (guilty) {
        life_get(&guilty->base.life);
    }
    dxgk_collect_debug_information(adapter, DXGK_BUGCHECK_ENGINE_TIMEOUT);
    adapter->engines[node].muted = true;
    adapter->engines[node].names_some = false;
    dxgk_still_ends_soon(adapter);
    NTSTATUS status =
        ddi_reset_hw_engine(&adapter->ddi, adapter->ddi.miniport_context, &reset, adapter->object);
    dxgk_log_forget(adapter, node);
    dxgk_still_end(adapter);
    if (NT_SUCCESS(status)) {
        if (guilty) {
            judge_names(adapter, node, guilty);
        }
        (void)dxgk_hwqueues_look(adapter, node); /* what was done by then is done */
        if (guilty && (has_faulted(adapter, guilty) || !is_cause_named(adapter, node))) {
            guilty->invalid = true;
            guilty->collateral = false;
        }
        bool faulted = guilty && has_faulted(adapter, guilty);
        lose_invalid(adapter, node);
        adapter->engines[node].queues_begun_anew = !faulted; /* then nothing stood still */
        dxgk_hwcontexts_were_reset(adapter, node);
        dxgk_entry_forget(adapter, node);
        machine_spend(SYNCHRONISING_NS);
    }
    adapter->engines[node].muted = false;
    adapter->natives.stale = true;
    if (NT_SUCCESS(status)) {
        status = ddi_resume_hw_engine(&adapter->ddi, adapter->ddi.miniport_context, &resume,
                                      adapter->object);
        dxgk_log_forget(adapter, node);
    }
    if (guilty) {
        life_put(&guilty->base.life);
    }
    if (NT_SUCCESS(status)) {
        adapter->engines[node].resumed = true;
        record_count("resets.of_one_engine", 1);
        vidsch_go_on(&adapter->vidsch, node);
    }
    return NT_SUCCESS(status);
}

void dxgk_hwqueue_state(const struct dxgk_packet *packet, char *text, size_t size)
{
    struct dxgk_hwqueue *queue = dxgk_hwqueue_of(packet->context);
    uint64_t value = __atomic_load_n((const uint64_t *)queue->page.view, __ATOMIC_ACQUIRE);
    const struct dxgk_natives *natives = &packet->adapter->natives;
    /* Its commands may wait on the GPU for what a CPU signalled then. */
    int used = snprintf(text, size, ", its fence is at %llu%s", (unsigned long long)value,
                        natives->written_ns > packet->submitted_ns
                            ? ", UpdateCurrentValuesFromCpu was called meanwhile [FENCE-010]"
                            : "");

    if (queue->owner->stop == VIDSCH_QUEUE_ASKED && used > 0 && (size_t)used + 2 < size) {
        memcpy(text + used, ", ", 3);
        dxgk_hwcontext_say_asked(queue->owner, text + used + 2, size - (size_t)used - 2);
    }
}

bool dxgk_hwqueue_told_another_fence(const struct dxgk_packet *packet)
{
    const struct dxgk_hwcontext *owner = dxgk_hwqueue_of(packet->context)->owner;

    return owner->stop == VIDSCH_QUEUE_ASKED && owner->told_fence != 0;
}
