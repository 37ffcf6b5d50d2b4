/* The shadow: what the driver was told and what it answered, kept from the calls that pass. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/check.h"
#include "contract/internal.h"
#include "contract/kernel_shadow.h"
#include "machine/machine.h"

/* ---- Life ---------------------------------------------------------------------------------- */

void contract_shadow_init(struct contract_shadow *shadow, uint32_t adapter_object,
                          unsigned interface_version)
{
    *shadow = (struct contract_shadow){.adapter_object = adapter_object,
                                       .interface_version = interface_version};
    kernel_shadow_init(shadow);
}

void contract_shadow_fini(struct contract_shadow *shadow)
{
    struct contract_allocation *allocation, *next_allocation;
    struct contract_object *object, *next_object;

    kernel_shadow_fini(shadow);
    HASH_ITER(hh, shadow->allocations, allocation, next_allocation)
    {
        HASH_DEL(shadow->allocations, allocation);
        free(allocation);
    }
    HASH_ITER(hh, shadow->objects, object, next_object)
    {
        HASH_DEL(shadow->objects, object);
        free(object);
    }
}

/* ---- Tables -------------------------------------------------------------------------------- */

struct contract_allocation *contract_allocation_find(struct contract_shadow *shadow, HANDLE handle)
{
    struct contract_allocation *entry = NULL;

    HASH_FIND_PTR(shadow->allocations, &handle, entry);
    return entry;
}

struct contract_object *contract_object_find(struct contract_shadow *shadow,
                                             enum contract_object_kind kind, HANDLE handle)
{
    const struct contract_object_key key = {handle, kind};
    struct contract_object *object = NULL;

    HASH_FIND(hh, shadow->objects, &key, sizeof key, object);
    return object;
}

static struct contract_object *add_object(struct contract_shadow *shadow,
                                          enum contract_object_kind kind, HANDLE handle,
                                          HANDLE parent)
{
    struct contract_object *object = contract_object_find(shadow, kind, handle);

    if (!handle || object) {
        return NULL; /* the rules of the DDI say so */
    }
    object = calloc(1, sizeof *object);
    CHECK_THAT(object);
    object->key = (struct contract_object_key){handle, kind};
    object->parent = parent;
    HASH_ADD(hh, shadow->objects, key, sizeof object->key, object);
    struct contract_object *device =
        parent ? contract_object_find(shadow, CONTRACT_OBJECT_DEVICE, parent) : NULL;
    if (device) {
        device->children++;
    }
    return object;
}

static void remove_object(struct contract_shadow *shadow, enum contract_object_kind kind,
                          HANDLE handle)
{
    struct contract_object *object = contract_object_find(shadow, kind, handle);

    if (object) {
        struct contract_object *device =
            object->parent ? contract_object_find(shadow, CONTRACT_OBJECT_DEVICE, object->parent)
                           : NULL;
        if (device && device->children) {
            device->children--;
        }
        HASH_DEL(shadow->objects, object);
        free(object);
    }
}

uint64_t contract_hash(const void *bytes, size_t size)
{
    return size ? XXH3_64bits(bytes, size) : 0;
}

/* ---- Objects ------------------------------------------------------------------------------- */

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

static void follow_open(struct contract_shadow *shadow, HANDLE device,
                        const DXGKARG_OPENALLOCATION *arguments)
{
    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        add_object(shadow, CONTRACT_OBJECT_OPENING,
                   arguments->pOpenAllocation[i].hDeviceSpecificAllocation, device);
    }
}

void contract_opening_of(struct contract_shadow *shadow, HANDLE opening_handle, HANDLE handle)
{
    struct contract_object *opening =
        contract_object_find(shadow, CONTRACT_OBJECT_OPENING, opening_handle);
    struct contract_allocation *allocation = contract_allocation_find(shadow, handle);

    if (opening && allocation && !opening->target) {
        opening->target = handle;
        allocation->open_count++;
    }
}

static void follow_close(struct contract_shadow *shadow, const DXGKARG_CLOSEALLOCATION *arguments)
{
    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        struct contract_object *opening =
            contract_object_find(shadow, CONTRACT_OBJECT_OPENING, arguments->pOpenHandleList[i]);
        struct contract_allocation *allocation =
            opening && opening->target ? contract_allocation_find(shadow, opening->target) : NULL;
        if (allocation && allocation->open_count) {
            allocation->open_count--;
        }
        remove_object(shadow, CONTRACT_OBJECT_OPENING, arguments->pOpenHandleList[i]);
    }
}

static void follow_create_context(struct contract_shadow *shadow, HANDLE device,
                                  const DXGKARG_CREATECONTEXT *arguments)
{
    struct contract_object *context =
        add_object(shadow, CONTRACT_OBJECT_CONTEXT, arguments->hContext, device);

    shadow->has_contexts = true;
    if (context) {
        context->node = arguments->NodeOrdinal;
        context->info = arguments->ContextInfo;
        context->system = arguments->Flags.SystemContext;
    }
}

/* ---- Fences -------------------------------------------------------------------------------- */

static void drop_packet(struct contract_packet *packets, unsigned *count, unsigned index)
{
    memmove(&packets[index], &packets[index + 1], (*count - index - 1) * sizeof *packets);
    --*count;
}

static void follow_submit(struct contract_shadow *shadow, const DXGKARG_SUBMITCOMMAND *arguments)
{
    if (arguments->NodeOrdinal >= CONTRACT_NODES_MAX) {
        return;
    }
    struct contract_node *node = &shadow->nodes[arguments->NodeOrdinal];
    node->submitted_any = true;
    node->last_submitted = arguments->SubmissionFenceId;
    for (unsigned i = 0; i < node->preempted_count; i++) {
        if (node->preempted[i].fence == arguments->SubmissionFenceId) {
            drop_packet(node->preempted, &node->preempted_count, i);
            break;
        }
    }
    if (node->outstanding_count < CONTRACT_OUTSTANDING_MAX) {
        node->outstanding[node->outstanding_count++] =
            (struct contract_packet){arguments->SubmissionFenceId, arguments->Flags.Paging};
    }
}

static void follow_preempt(struct contract_shadow *shadow, const DXGKARG_PREEMPTCOMMAND *arguments)
{
    if (arguments->NodeOrdinal < CONTRACT_NODES_MAX) {
        struct contract_node *node = &shadow->nodes[arguments->NodeOrdinal];
        node->preempt_pending = true;
        node->preempt_id = arguments->PreemptionFenceId;
        node->preempt_ns = machine_now_ns();
        node->preempt_count++;
    }
}

/* Everything up to the fence is done. */
static void retire(struct contract_node *node, uint32_t fence)
{
    unsigned done = 0;

    while (done < node->outstanding_count &&
           contract_fence_difference(node->outstanding[done].fence, fence) <= 0) {
        done++;
    }
    node->outstanding_count -= done;
    memmove(node->outstanding, node->outstanding + done,
            node->outstanding_count * sizeof *node->outstanding);
}

static void report_completed(struct contract_shadow *shadow, unsigned index, uint32_t fence)
{
    if (index < CONTRACT_NODES_MAX) {
        struct contract_node *node = &shadow->nodes[index];
        for (unsigned i = 0; i < node->preempted_count; i++) {
            if (node->preempted[i].fence == fence) {
                return; /* it cannot be [PREEMPT-009] */
            }
        }
        node->reported_any = true;
        node->last_reported = fence;
        node->report_count++;
        retire(node, fence);
    }
}

/* What was not complete is off the hardware; paging packets come back with their ids, others with
 * new ones [SUBMIT-030]. */
static void follow_preempted(struct contract_shadow *shadow,
                             const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->DmaPreempted.NodeOrdinal >= CONTRACT_NODES_MAX) {
        return;
    }
    struct contract_node *node = &shadow->nodes[data->DmaPreempted.NodeOrdinal];
    node->preempt_pending = false;
    retire(node, data->DmaPreempted.LastCompletedFenceId);
    for (unsigned i = 0; i < node->outstanding_count; i++) {
        if (node->preempted_count == CONTRACT_OUTSTANDING_MAX) {
            drop_packet(node->preempted, &node->preempted_count, 0);
        }
        node->preempted[node->preempted_count++] = node->outstanding[i];
    }
    if (node->outstanding_count) {
        node->last_submitted = node->outstanding[0].fence - 1;
    }
    node->outstanding_count = 0;
}

static void follow_notify(struct contract_shadow *shadow,
                          const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    shadow->interrupt.notified = true;
    shadow->interrupt.wants_dpc = true;
    shadow->notices_without_dpc++;
    shadow->notify_count++;
    switch (data->InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
        report_completed(shadow, data->DmaCompleted.NodeOrdinal,
                         data->DmaCompleted.SubmissionFenceId);
        break;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
        follow_preempted(shadow, data);
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
    shadow->interrupt.wants_dpc = false;
    for (unsigned i = 0; i < CONTRACT_NODES_MAX; i++) {
        struct contract_node *node = &shadow->nodes[i];
        node->preempt_pending = false;
        node->outstanding_count = node->preempted_count = 0;
        if (node->submitted_any) {
            node->reported_any = true;
            node->last_reported = node->last_submitted;
        }
    }
}

/* ---- Following ----------------------------------------------------------------------------- */

static void follow_address(struct contract_shadow *shadow,
                           const DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    if (arguments->VidPnSourceId < CONTRACT_SOURCES_MAX) {
        __typeof__(&shadow->sources[0]) source = &shadow->sources[arguments->VidPnSourceId];
        source->addresses[source->address_count++ % CONTRACT_ADDRESSES_MAX] =
            (uint64_t)arguments->PrimaryAddress.QuadPart;
    }
}

static void count_inside(struct contract_shadow *shadow, enum contract_point point, int step)
{
    if (point == POINT_DpcRoutine) {
        shadow->dpc_depth += (unsigned)step;
    } else if (point == POINT_CancelCommand) {
        shadow->cancel_depth += (unsigned)step;
    } else if (point < POINT_DDI_COUNT &&
               contract_point_info(point)->level == CONTRACT_LEVEL_SCHEDULER) {
        shadow->scheduler_depth += (unsigned)step;
    }
}

static void follow_before(struct contract_call *call)
{
    struct contract_shadow *shadow = call->shadow;

    count_inside(shadow, call->point, 1);
    switch (call->point) {
    case POINT_SubmitCommand:
        follow_submit(shadow, call->arguments);
        break;
    case POINT_PreemptCommand:
        follow_preempt(shadow, call->arguments);
        break;
    case POINT_DestroyAllocation:
        follow_destroy_allocation(shadow, call->arguments);
        break;
    case POINT_CloseAllocation:
        follow_close(shadow, call->arguments);
        break;
    case POINT_DestroyContext:
        remove_object(shadow, CONTRACT_OBJECT_CONTEXT, call->first);
        break;
    case POINT_DestroyDevice:
        remove_object(shadow, CONTRACT_OBJECT_DEVICE, call->first);
        break;
    case POINT_SetVidPnSourceAddress:
        follow_address(shadow, call->arguments);
        break;
    case POINT_CbNotifyInterrupt:
        follow_notify(shadow, call->arguments);
        break;
    case POINT_CbQueueDpc:
        shadow->interrupt.dpc_queued = true;
        shadow->interrupt.wants_dpc = false;
        break;
    case POINT_CbNotifyDpc:
        shadow->notices_without_dpc = 0;
        break;
    default:
        break;
    }
}

static void follow_success(struct contract_call *call)
{
    struct contract_shadow *shadow = call->shadow;

    switch (call->point) {
    case POINT_CreateAllocation:
        follow_create_allocation(shadow, call->arguments);
        break;
    case POINT_OpenAllocation:
        follow_open(shadow, call->first, call->arguments);
        break;
    case POINT_CreateDevice:
        add_object(shadow, CONTRACT_OBJECT_DEVICE,
                   ((const DXGKARG_CREATEDEVICE *)call->arguments)->hDevice, NULL);
        break;
    case POINT_CreateContext:
        follow_create_context(shadow, call->first, call->arguments);
        break;
    case POINT_AddDevice:
        shadow->state = CONTRACT_DEVICE_ADDED;
        break;
    case POINT_StartDevice:
        shadow->state = CONTRACT_DEVICE_STARTED;
        break;
    case POINT_StopDevice:
        shadow->state = CONTRACT_DEVICE_STOPPED;
        break;
    case POINT_RemoveDevice:
        shadow->state = CONTRACT_DEVICE_ABSENT;
        break;
    case POINT_NotifySurpriseRemoval:
        shadow->removed = true;
        shadow->mmio_count_at_removal = mmio_access_count();
        break;
    default:
        break;
    }
}

static void follow_after(struct contract_call *call)
{
    struct contract_shadow *shadow = call->shadow;

    count_inside(shadow, call->point, -1);
    switch (call->point) {
    case POINT_ResetFromTimeout:
        follow_reset(shadow);
        return;
    case POINT_RestartFromTimeout:
        shadow->in_reset = false;
        return;
    default:
        if (has_succeeded(call)) {
            follow_success(call);
        }
    }
}

void contract_shadow_follow(struct contract_call *call, enum contract_moment moment)
{
    if (!call->shadow) {
        return;
    }
    contract_kernel_follow(call, moment);
    if (moment == MOMENT_BEFORE) {
        follow_before(call);
    } else {
        follow_after(call);
    }
}
