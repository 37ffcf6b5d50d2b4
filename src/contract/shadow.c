/* The shadow: what the driver was told and what it answered, kept from the calls that pass. */
#include "contract/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "machine/machine.h"

void contract_shadow_init(struct contract_shadow *shadow, uint32_t adapter_object,
                          unsigned interface_version)
{
    *shadow = (struct contract_shadow){.adapter_object = adapter_object,
                                       .interface_version = interface_version};
}

void contract_shadow_fini(struct contract_shadow *shadow)
{
    struct contract_allocation *entry, *next;

    HASH_ITER (hh, shadow->allocations, entry, next) {
        HASH_DEL(shadow->allocations, entry);
        free(entry);
    }
}

struct contract_allocation *contract_allocation_find(struct contract_shadow *shadow, HANDLE handle)
{
    struct contract_allocation *entry = NULL;

    HASH_FIND_PTR(shadow->allocations, &handle, entry);
    return entry;
}

static void follow_create_allocation(struct contract_shadow *shadow,
                                     const DXGKARG_CREATEALLOCATION *arguments)
{
    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        const DXGK_ALLOCATIONINFO *info = &arguments->pAllocationInfo[i];
        if (!info->hAllocation || contract_allocation_find(shadow, info->hAllocation)) {
            continue; /* the rows of CreateAllocation say so */
        }
        struct contract_allocation *entry = calloc(1, sizeof *entry);
        CHECK_THAT(entry);
        entry->handle = info->hAllocation;
        entry->size = info->Size;
        entry->flags = info->Flags;
        entry->supported_write_set = info->SupportedWriteSegmentSet;
        HASH_ADD_PTR(shadow->allocations, handle, entry);
    }
}

static void follow_destroy_allocation(struct contract_shadow *shadow,
                                      const DXGKARG_DESTROYALLOCATION *arguments)
{
    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        struct contract_allocation *entry =
            contract_allocation_find(shadow, arguments->pAllocationList[i]);
        if (entry) {
            HASH_DEL(shadow->allocations, entry);
            free(entry);
        }
    }
}

static void follow_submit(struct contract_shadow *shadow, unsigned node, uint32_t fence)
{
    if (node < CONTRACT_NODES_MAX) {
        shadow->nodes[node].submitted_any = true;
        shadow->nodes[node].last_submitted = fence;
    }
}

static void follow_preempt(struct contract_shadow *shadow, const DXGKARG_PREEMPTCOMMAND *arguments)
{
    if (arguments->NodeOrdinal < CONTRACT_NODES_MAX) {
        struct contract_node *node = &shadow->nodes[arguments->NodeOrdinal];
        node->preempt_pending = true;
        node->preempt_id = arguments->PreemptionFenceId;
        node->preempt_ns = machine_now_ns();
    }
}

static void report_completed(struct contract_shadow *shadow, unsigned node, uint32_t fence)
{
    if (node < CONTRACT_NODES_MAX) {
        shadow->nodes[node].reported_any = true;
        shadow->nodes[node].last_reported = fence;
    }
}

static void follow_notify(struct contract_shadow *shadow,
                          const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    shadow->interrupt.notified = true;
    shadow->notices_without_dpc++;
    switch (data->InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
        report_completed(shadow, data->DmaCompleted.NodeOrdinal,
                         data->DmaCompleted.SubmissionFenceId);
        break;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
        if (data->DmaPreempted.NodeOrdinal < CONTRACT_NODES_MAX) {
            shadow->nodes[data->DmaPreempted.NodeOrdinal].preempt_pending = false;
        }
        break;
    case DXGK_INTERRUPT_CRTC_VSYNC:
        shadow->interrupt.crtc_notified = true;
        if (data->CrtcVsync.VidPnTargetId < CONTRACT_SOURCES_MAX) {
            shadow->sources[data->CrtcVsync.VidPnTargetId].vsync_count++;
        }
        break;
    default:
        break;
    }
}

/* After a reset every node stands at its last submitted fence [TDR-004]. */
static void follow_reset(struct contract_shadow *shadow)
{
    shadow->in_reset = true;
    for (unsigned i = 0; i < CONTRACT_NODES_MAX; i++) {
        struct contract_node *node = &shadow->nodes[i];
        node->preempt_pending = false;
        if (node->submitted_any) {
            node->reported_any = true;
            node->last_reported = node->last_submitted;
        }
    }
}

static void follow_before(struct contract_call *call)
{
    struct contract_shadow *shadow = call->shadow;

    switch (call->point) {
    case POINT_SubmitCommand: {
        const DXGKARG_SUBMITCOMMAND *arguments = call->arguments;
        follow_submit(shadow, arguments->NodeOrdinal, arguments->SubmissionFenceId);
        break;
    }
    case POINT_PreemptCommand:
        follow_preempt(shadow, call->arguments);
        break;
    case POINT_DestroyAllocation:
        follow_destroy_allocation(shadow, call->arguments);
        break;
    case POINT_CbNotifyInterrupt:
        follow_notify(shadow, call->arguments);
        break;
    case POINT_CbQueueDpc:
        shadow->interrupt.dpc_queued = true;
        break;
    case POINT_CbNotifyDpc:
        shadow->notices_without_dpc = 0;
        break;
    default:
        break;
    }
}

static void follow_after(struct contract_call *call)
{
    struct contract_shadow *shadow = call->shadow;

    if (call->point == POINT_ResetFromTimeout) {
        follow_reset(shadow);
    } else if (call->point == POINT_RestartFromTimeout) {
        shadow->in_reset = false;
    } else if (!NT_SUCCESS(call->status)) {
        return;
    } else if (call->point == POINT_CreateAllocation) {
        follow_create_allocation(shadow, call->arguments);
    } else if (call->point == POINT_AddDevice) {
        shadow->state = CONTRACT_DEVICE_ADDED;
    } else if (call->point == POINT_StartDevice) {
        shadow->state = CONTRACT_DEVICE_STARTED;
    } else if (call->point == POINT_StopDevice) {
        shadow->state = CONTRACT_DEVICE_STOPPED;
    } else if (call->point == POINT_RemoveDevice) {
        shadow->state = CONTRACT_DEVICE_ABSENT;
    } else if (call->point == POINT_NotifySurpriseRemoval) {
        shadow->removed = true;
    }
}

void contract_shadow_follow(struct contract_call *call, enum contract_moment moment)
{
    if (!call->shadow) {
        return;
    }
    if (moment == MOMENT_BEFORE) {
        follow_before(call);
    } else {
        follow_after(call);
    }
}
