/* kernel_shadow: follows the calls that pass the door. See kernel_shadow.h. */
#include "contract/kernel_shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "contract/internal.h"
#include "machine/machine.h"
#include "nt/nt.h"

/* ---- Life ---------------------------------------------------------------------------------- */

void kernel_shadow_init(struct contract_shadow *shadow)
{
    shadow->kernel = calloc(1, sizeof *shadow->kernel);
    CHECK_THAT(shadow->kernel);
}

void kernel_shadow_fini(struct contract_shadow *shadow)
{
    struct kernel_shadow *kernel = shadow->kernel;
    struct kernel_handle *handle, *next_handle;
    struct kernel_dma *dma, *next_dma;

    if (!kernel) {
        return;
    }
    HASH_ITER(hh, kernel->handles, handle, next_handle)
    {
        HASH_DEL(kernel->handles, handle);
        free(handle);
    }
    HASH_ITER(hh, kernel->dmas, dma, next_dma)
    {
        HASH_DEL(kernel->dmas, dma);
        free(dma);
    }
    for (unsigned i = 0; i <= CONTRACT_SEGMENTS_MAX; i++) {
        free(kernel->apertures[i].mapped);
    }
    free(kernel);
    shadow->kernel = NULL;
}

/* ---- Helpers of the checks ----------------------------------------------------------------- */

uint64_t kernel_hash(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++) {
        seed = (seed ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return seed;
}

/* Segments and addresses change with paging; handles and write marks do not. */
uint64_t kernel_hash_handles(const DXGK_ALLOCATIONLIST *list, UINT count)
{
    uint64_t hash = count;

    for (UINT i = 0; i < count; i++) {
        const unsigned char write = list[i].WriteOperation;
        hash = kernel_hash(hash, &list[i].hDeviceSpecificAllocation, sizeof(HANDLE));
        hash = kernel_hash(hash, &write, 1);
    }
    return hash;
}

uint64_t kernel_hash_request(const DXGKARG_RENDER *render)
{
    return kernel_hash(render->CommandLength, &render->pCommand, sizeof render->pCommand);
}

uint64_t kernel_hash_rectangles(const DXGKARG_PRESENT *present)
{
    return present->pDstSubRects ? kernel_hash(present->SubRectCnt, present->pDstSubRects,
                                               present->SubRectCnt * sizeof(RECT))
                                 : 0;
}

bool kernel_in_segment(const struct contract_shadow *shadow, UINT segment, uint64_t address,
                       uint64_t size)
{
    if (segment == 0) {
        return range_fits(address, size, ram_bytes());
    }
    if (segment > shadow->segment_count) {
        return false;
    }
    const struct contract_segment *at = &shadow->segments[segment];
    return address >= at->base && range_fits(address - at->base, size, at->size);
}

bool kernel_pages_mapped(const struct kernel_aperture *aperture, uint64_t first, uint64_t count,
                         bool wanted)
{
    for (uint64_t page = first; page < first + count; page++) {
        bool mapped =
            page < aperture->page_count && (aperture->mapped[page / 64] >> (page % 64) & 1) != 0;
        if (mapped != wanted) {
            return false;
        }
    }
    return true;
}

/* ---- Handles ------------------------------------------------------------------------------- */

struct kernel_handle *kernel_handle_find(const struct kernel_shadow *kernel,
                                         enum kernel_handle_kind kind, HANDLE handle)
{
    const struct kernel_handle_key key = {handle, kind};
    struct kernel_handle *found = NULL;

    HASH_FIND(hh, kernel->handles, &key, sizeof key, found);
    return found;
}

struct kernel_handle *kernel_context_find(const struct kernel_shadow *kernel, HANDLE handle)
{
    struct kernel_handle *context = kernel_handle_find(kernel, KERNEL_CONTEXT, handle);

    return context ? context : kernel_handle_find(kernel, KERNEL_DEVICE, handle);
}

static struct kernel_handle *add(struct kernel_shadow *kernel, enum kernel_handle_kind kind,
                                 HANDLE handle, HANDLE parent)
{
    struct kernel_handle *entry = kernel_handle_find(kernel, kind, handle);
    struct kernel_handle *device = kernel_handle_find(kernel, KERNEL_DEVICE, parent);

    if (!entry) {
        entry = calloc(1, sizeof *entry);
        CHECK_THAT(entry);
        entry->key = (struct kernel_handle_key){handle, kind};
        entry->parent = parent;
        HASH_ADD(hh, kernel->handles, key, sizeof entry->key, entry);
    }
    entry->count++;
    if (device && handle) { /* what has no handle is never destroyed [CTX-003, ALLOC-017] */
        device->child_count++;
    }
    return entry;
}

static void drop(struct kernel_shadow *kernel, enum kernel_handle_kind kind, HANDLE handle)
{
    struct kernel_handle *entry = kernel_handle_find(kernel, kind, handle);

    if (!entry) {
        return; /* the rows of the DDI say so */
    }
    struct kernel_handle *device = kernel_handle_find(kernel, KERNEL_DEVICE, entry->parent);
    if (device && handle && device->child_count > 0) {
        device->child_count--;
    }
    if (--entry->count == 0) {
        HASH_DEL(kernel->handles, entry);
        free(entry);
    }
}

static void follow_create_device(struct contract_call *call)
{
    const DXGKARG_CREATEDEVICE *arguments = call->arguments;
    struct kernel_handle *device =
        add(call->shadow->kernel, KERNEL_DEVICE, arguments->hDevice, NULL);

    if (!call->shadow->caps.SchedulingCaps.MultiEngineAware && arguments->pInfo) {
        const DXGK_DEVICEINFO *info = arguments->pInfo;
        device->info = (DXGK_CONTEXTINFO){
            .DmaBufferSize = info->DmaBufferSize,
            .DmaBufferSegmentSet = info->DmaBufferSegmentSet,
            .DmaBufferPrivateDataSize = info->DmaBufferPrivateDataSize,
            .AllocationListSize = info->AllocationListSize,
            .PatchLocationListSize = info->PatchLocationListSize,
        };
    }
}

static void follow_create_context(struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *arguments = call->arguments;
    struct kernel_handle *context =
        add(call->shadow->kernel, KERNEL_CONTEXT, arguments->hContext, call->first);

    context->node = arguments->NodeOrdinal;
    context->system = arguments->Flags.SystemContext;
    context->info = arguments->ContextInfo;
}

static void follow_create_allocation(struct contract_call *call)
{
    const DXGKARG_CREATEALLOCATION *arguments = call->arguments;

    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        const DXGK_ALLOCATIONINFO *info = &arguments->pAllocationInfo[i];
        struct kernel_handle *entry =
            add(call->shadow->kernel, KERNEL_ALLOCATION, info->hAllocation, NULL);
        entry->size = info->Size;
        entry->alignment = info->Alignment;
    }
    const DXGKARG_CREATEALLOCATION *before = call->before;
    if (arguments->Flags.Resource && !before->hResource) {
        add(call->shadow->kernel, KERNEL_RESOURCE, arguments->hResource, NULL);
    }
}

static void follow_destroy_allocation(struct contract_call *call)
{
    const DXGKARG_DESTROYALLOCATION *arguments = call->arguments;

    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        drop(call->shadow->kernel, KERNEL_ALLOCATION, arguments->pAllocationList[i]);
    }
    if (arguments->Flags.DestroyResource) {
        drop(call->shadow->kernel, KERNEL_RESOURCE, arguments->hResource);
    }
}

static void follow_open_allocation(struct contract_call *call)
{
    const DXGKARG_OPENALLOCATION *arguments = call->arguments;

    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        add(call->shadow->kernel, KERNEL_OPENING,
            arguments->pOpenAllocation[i].hDeviceSpecificAllocation, call->first);
    }
}

static void follow_close_allocation(struct contract_call *call)
{
    const DXGKARG_CLOSEALLOCATION *arguments = call->arguments;

    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        drop(call->shadow->kernel, KERNEL_OPENING, arguments->pOpenHandleList[i]);
    }
}

/* ---- Rendering and presenting -------------------------------------------------------------- */

struct kernel_dma *kernel_dma_find(const struct kernel_shadow *kernel, const void *bytes)
{
    struct kernel_dma *found = NULL;

    HASH_FIND_PTR(kernel->dmas, &bytes, found);
    return found;
}

static struct kernel_dma *dma_at(struct kernel_shadow *kernel, const void *bytes)
{
    struct kernel_dma *dma = kernel_dma_find(kernel, bytes);

    if (!dma) {
        dma = calloc(1, sizeof *dma);
        CHECK_THAT(dma);
        dma->bytes = bytes;
        HASH_ADD_PTR(kernel->dmas, bytes, dma);
    }
    return dma;
}

/* The driver may have moved its pointers anywhere: then nothing is known of what it made. */
static UINT advance(const void *from, const void *to, UINT limit)
{
    uintptr_t bytes = (uintptr_t)to - (uintptr_t)from;

    return bytes <= limit ? (UINT)bytes : limit;
}

static void keep_patches(struct kernel_dma *dma, const D3DDDI_PATCHLOCATIONLIST *first,
                         const D3DDDI_PATCHLOCATIONLIST *end, UINT limit)
{
    UINT bytes = advance(first, end, limit * (UINT)sizeof *first);

    dma->patch_count = bytes / (UINT)sizeof *first;
    dma->patches_hash = kernel_hash(0, first, dma->patch_count * sizeof *first);
}

static void follow_render(struct contract_call *call)
{
    const DXGKARG_RENDER *before = call->before, *after = call->arguments;
    struct kernel_shadow *kernel = call->shadow->kernel;
    bool more = call->status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;

    struct kernel_handle *context = kernel_context_find(kernel, call->first);
    if (context) {
        context->render = (struct kernel_repeat){
            .wanted = more,
            .multipass = after->MultipassOffset,
            .request_hash = kernel_hash_request(before),
        };
    }
    if (!has_succeeded(call) && !more) {
        return;
    }
    struct kernel_dma *dma = dma_at(kernel, before->pDmaBuffer);
    dma->context = call->first;
    dma->present = false;
    dma->size = before->DmaSize;
    dma->used = advance(before->pDmaBuffer, after->pDmaBuffer, before->DmaSize);
    dma->private_data = before->pDmaBufferPrivateData;
    dma->private_size = before->DmaBufferPrivateDataSize;
    dma->private_used = advance(before->pDmaBufferPrivateData, after->pDmaBufferPrivateData,
                                before->DmaBufferPrivateDataSize);
    dma->segment = before->DmaBufferSegmentId;
    dma->address = (uint64_t)before->DmaBufferPhysicalAddress.QuadPart;
    dma->allocation_count = before->AllocationListSize;
    dma->handles_hash = kernel_hash_handles(before->pAllocationList, before->AllocationListSize);
    keep_patches(dma, before->pPatchLocationListOut, after->pPatchLocationListOut,
                 before->PatchLocationListOutSize);
}

static void follow_present(struct contract_call *call)
{
    const DXGKARG_PRESENT *before = call->before, *after = call->arguments;
    struct kernel_shadow *kernel = call->shadow->kernel;
    bool more = call->status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;

    struct kernel_handle *context = kernel_context_find(kernel, call->first);
    if (context) {
        context->present = (struct kernel_repeat){
            .wanted = more,
            .multipass = after->MultipassOffset,
            .count = before->SubRectCnt,
            .request_hash = kernel_hash_rectangles(before),
        };
    }
    if (!before->pDmaBuffer || (!has_succeeded(call) && !more)) {
        return;
    }
    struct kernel_dma *dma = dma_at(kernel, before->pDmaBuffer);
    dma->context = call->first;
    dma->present = true;
    dma->size = before->DmaSize;
    dma->used = advance(before->pDmaBuffer, after->pDmaBuffer, before->DmaSize);
    dma->private_data = before->pDmaBufferPrivateData;
    dma->private_size = before->DmaBufferPrivateDataSize;
    dma->private_used = advance(before->pDmaBufferPrivateData, after->pDmaBufferPrivateData,
                                before->DmaBufferPrivateDataSize);
    dma->segment = before->DmaBufferSegmentId;
    dma->address = (uint64_t)before->DmaBufferPhysicalAddress.QuadPart;
    dma->allocation_count = 3;
    dma->handles_hash = kernel_hash_handles(before->pAllocationList, 3);
    keep_patches(dma, before->pPatchLocationListOut, after->pPatchLocationListOut,
                 before->PatchLocationListOutSize);
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

static void take_id(struct kernel_node *node, uint32_t id)
{
    if (!node->any_id || contract_fence_difference(id, node->last_id) > 0) {
        node->last_id = id;
    }
    node->any_id = true;
}

/* The part that this submission hands over is not waiting any more. */
static void take_part(struct kernel_shadow *kernel)
{
    while (kernel->paging.part_count > 0) {
        unsigned epoch = kernel->paging.parts[kernel->paging.part_first].epoch;
        kernel->paging.part_first = (kernel->paging.part_first + 1) % KERNEL_PARTS_MAX;
        kernel->paging.part_count--;
        if (epoch == kernel->epoch) {
            return; /* those from before a reset may have been lost with it */
        }
    }
}

static void follow_submit(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *arguments = call->arguments;
    struct kernel_shadow *kernel = call->shadow->kernel;

    if (arguments->NodeOrdinal >= CONTRACT_NODES_MAX) {
        return;
    }
    struct kernel_node *node = &kernel->nodes[arguments->NodeOrdinal];
    bool again =
        node->any_id && contract_fence_difference(arguments->SubmissionFenceId, node->last_id) <= 0;
    node->patch_valid = false;
    take_id(node, arguments->SubmissionFenceId);
    if (!again) {
        unsigned at = node->recent_count++ % KERNEL_RECENT_MAX;
        node->recent[at].fence = arguments->SubmissionFenceId;
        node->recent[at].paging = arguments->Flags.Paging;
        if (arguments->Flags.Paging) {
            take_part(kernel);
        }
    }
    struct kernel_handle *context = kernel_context_find(kernel, arguments->hContext);
    if (context) {
        context->used_node = true;
        context->node = arguments->NodeOrdinal;
        context->last_fence = arguments->SubmissionFenceId;
    }
}

static void follow_patch(struct contract_call *call)
{
    const DXGKARG_PATCH *arguments = call->arguments;
    struct kernel_shadow *kernel = call->shadow->kernel;
    struct kernel_handle *context = kernel_context_find(kernel, arguments->hContext);
    unsigned index = context ? context->node : call->shadow->caps.MemoryManagementCaps.PagingNode;

    if (index < CONTRACT_NODES_MAX) {
        kernel->nodes[index].patch_valid = true;
        kernel->nodes[index].patch = *arguments;
    }
}

static void retire(struct kernel_node *node, uint32_t fence)
{
    if (!node->any_id || contract_fence_difference(fence, node->last_id) > 0) {
        return; /* a report of what was never submitted: the rules of the callback say so */
    }
    if (!node->retired_any || contract_fence_difference(fence, node->retired) > 0) {
        node->retired = fence;
    }
    node->retired_any = true;
}

static void follow_notify(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = call->arguments;
    struct kernel_shadow *kernel = call->shadow->kernel;

    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.NodeOrdinal < CONTRACT_NODES_MAX) {
        retire(&kernel->nodes[data->DmaCompleted.NodeOrdinal],
               data->DmaCompleted.SubmissionFenceId);
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
               data->DmaPreempted.NodeOrdinal < CONTRACT_NODES_MAX) {
        /* Whatever was there is answered: complete, or off the hardware. */
        struct kernel_node *node = &kernel->nodes[data->DmaPreempted.NodeOrdinal];
        retire(node, node->last_id);
    }
}

static void forget_hardware(struct kernel_shadow *kernel)
{
    kernel->epoch++;
    kernel->paging.repeat = kernel->paging.busy = kernel->paging.transferring = false;
    for (unsigned i = 0; i < CONTRACT_NODES_MAX; i++) {
        retire(&kernel->nodes[i], kernel->nodes[i].last_id);
        kernel->nodes[i].recent_count = 0;
    }
}

/* ---- Paging --------------------------------------------------------------------------------- */

static void set_mapped(struct contract_shadow *shadow, UINT segment, uint64_t first, uint64_t count,
                       bool mapped)
{
    if (segment == 0 || segment > shadow->segment_count) {
        return;
    }
    struct kernel_aperture *aperture = &shadow->kernel->apertures[segment];
    if (!aperture->mapped) {
        aperture->page_count = shadow->segments[segment].size >> MACHINE_PAGE_SHIFT;
        aperture->mapped = calloc(aperture->page_count / 64 + 1, sizeof *aperture->mapped);
        CHECK_THAT(aperture->mapped);
    }
    for (uint64_t page = first; page < first + count && page < aperture->page_count; page++) {
        uint64_t bit = UINT64_C(1) << (page % 64);
        uint64_t *word = &aperture->mapped[page / 64];
        aperture->mapped_count += mapped && !(*word & bit);
        aperture->mapped_count -= !mapped && (*word & bit);
        *word = mapped ? *word | bit : *word & ~bit;
    }
}

static bool is_memory(const struct contract_shadow *shadow, UINT segment)
{
    return segment != 0 && segment <= shadow->segment_count &&
           !shadow->segments[segment].flags.Aperture;
}

static void place(struct contract_shadow *shadow, HANDLE allocation, UINT segment, uint64_t address)
{
    struct kernel_handle *entry =
        allocation ? kernel_handle_find(shadow->kernel, KERNEL_ALLOCATION, allocation) : NULL;

    if (entry) {
        entry->segment = segment;
        entry->address = segment ? address : 0;
    }
}

static void follow_transfer(struct contract_shadow *shadow,
                            const DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    struct kernel_shadow *kernel = shadow->kernel;
    uint64_t end = arguments->Transfer.TransferOffset + arguments->Transfer.TransferSize;

    kernel->paging.transferring =
        !arguments->Transfer.Flags.TransferEnd && arguments->Transfer.TransferSize != 0;
    kernel->paging.transfer_allocation = arguments->Transfer.hAllocation;
    kernel->paging.transfer_next = end;
    if (arguments->Transfer.TransferSize == 0) {
        place(shadow, arguments->Transfer.hAllocation, 0, 0);
    } else if (is_memory(shadow, arguments->Transfer.Destination.SegmentId)) {
        place(shadow, arguments->Transfer.hAllocation, arguments->Transfer.Destination.SegmentId,
              (uint64_t)arguments->Transfer.Destination.SegmentAddress.QuadPart);
    } else if (arguments->Transfer.Flags.TransferEnd) {
        place(shadow, arguments->Transfer.hAllocation, 0, 0);
    }
}

static void follow_operation(struct contract_shadow *shadow,
                             const DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    switch (arguments->Operation) {
    case DXGK_OPERATION_TRANSFER:
        follow_transfer(shadow, arguments);
        break;
    case DXGK_OPERATION_FILL: {
        struct kernel_handle *entry =
            kernel_handle_find(shadow->kernel, KERNEL_ALLOCATION, arguments->Fill.hAllocation);
        if (entry && entry->segment == 0) { /* a later piece lies behind the first */
            place(shadow, arguments->Fill.hAllocation, arguments->Fill.Destination.SegmentId,
                  (uint64_t)arguments->Fill.Destination.SegmentAddress.QuadPart);
        }
        break;
    }
    case DXGK_OPERATION_DISCARD_CONTENT:
        place(shadow, arguments->DiscardContent.hAllocation, 0, 0);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        set_mapped(shadow, arguments->MapApertureSegment.SegmentId,
                   arguments->MapApertureSegment.OffsetInPages,
                   arguments->MapApertureSegment.NumberOfPages, true);
        break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        set_mapped(shadow, arguments->UnmapApertureSegment.SegmentId,
                   arguments->UnmapApertureSegment.OffsetInPages,
                   arguments->UnmapApertureSegment.NumberOfPages, false);
        break;
    default:
        break;
    }
}

static void keep_part(struct contract_shadow *shadow, const DXGKARG_BUILDPAGINGBUFFER *before,
                      UINT produced)
{
    struct kernel_shadow *kernel = shadow->kernel;
    UINT start = shadow->paging_buffer_size - before->DmaSize;

    if (kernel->paging.part_count == KERNEL_PARTS_MAX) {
        kernel->paging.parts_lost = true;
        return;
    }
    unsigned at = (kernel->paging.part_first + kernel->paging.part_count++) % KERNEL_PARTS_MAX;
    kernel->paging.parts[at] =
        (struct kernel_part){.start = start, .end = start + produced, .epoch = kernel->epoch};
}

static void follow_paging(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *before = call->before, *after = call->arguments;
    struct contract_shadow *shadow = call->shadow;
    struct kernel_shadow *kernel = shadow->kernel;

    if (!before->pDmaBuffer) {
        return;
    }
    UINT produced = advance(before->pDmaBuffer, after->pDmaBuffer, before->DmaSize);
    UINT private_used = advance(before->pDmaBufferPrivateData, after->pDmaBufferPrivateData,
                                before->DmaBufferPrivateDataSize);
    kernel->paging.repeat = call->status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    kernel->paging.busy = call->status == STATUS_GRAPHICS_ALLOCATION_BUSY;
    kernel->paging.open = !kernel->paging.repeat;
    kernel->paging.base =
        (const unsigned char *)before->pDmaBuffer - (shadow->paging_buffer_size - before->DmaSize);
    kernel->paging.next = (const unsigned char *)before->pDmaBuffer + produced;
    kernel->paging.left = before->DmaSize - produced;
    /* Private data of an operation that produced nothing belong to no packet. */
    kernel->paging.private_next =
        (const unsigned char *)before->pDmaBufferPrivateData + (produced ? private_used : 0);
    kernel->paging.private_left = before->DmaBufferPrivateDataSize - (produced ? private_used : 0);
    kernel->paging.last = *before;
    kernel->paging.multipass = after->MultipassOffset;
    if (produced) {
        keep_part(shadow, before, produced);
    }
    if (has_succeeded(call)) {
        follow_operation(shadow, before);
    }
}

/* ---- Following ----------------------------------------------------------------------------- */

static void enter(struct contract_call *call, enum contract_level level)
{
    struct kernel_shadow *kernel = call->shadow->kernel;
    const struct task *task = task_self();
    unsigned at = KERNEL_INSIDE_MAX;

    for (unsigned i = kernel->inside_end; i-- > 0;) {
        if (kernel->inside[i].task == task) {
            kernel->inside[i].depth++;
            return;
        }
        at = kernel->inside[i].task ? at : i;
    }
    if (at == KERNEL_INSIDE_MAX && kernel->inside_end < KERNEL_INSIDE_MAX) {
        at = kernel->inside_end++;
    }
    if (at < KERNEL_INSIDE_MAX) { /* with more threads than that some go unseen */
        kernel->inside[at] = (struct kernel_inside){
            .task = task,
            .process = nt_exists() ? nt_process_current() : NULL,
            .point = call->point,
            .level = level,
            .depth = 1,
        };
    }
}

static void leave(struct contract_call *call)
{
    struct kernel_shadow *kernel = call->shadow->kernel;
    const struct task *task = task_self();

    for (unsigned i = 0; i < kernel->inside_end; i++) {
        if (kernel->inside[i].task == task && --kernel->inside[i].depth == 0) {
            kernel->inside[i].task = NULL;
        }
    }
    while (kernel->inside_end > 0 && !kernel->inside[kernel->inside_end - 1].task) {
        kernel->inside_end--;
    }
}

static void count_inside(struct contract_call *call, int step)
{
    if (call->point == POINT_DpcRoutine) {
        call->shadow->kernel->dpc_inside += (unsigned)step;
    }
    if (!kernel_counts_inside(call)) {
        return;
    }
    if (step > 0) {
        enter(call, contract_point_info(call->point)->level);
    } else {
        leave(call);
    }
}

bool kernel_counts_inside(const struct contract_call *call)
{
    return task_self() && call->shadow && call->shadow->kernel && call->point < POINT_DDI_COUNT &&
           call->point != POINT_DpcRoutine && call->point != POINT_InterruptRoutine &&
           call->point != POINT_ResetDevice && call->irql_before < MACHINE_IRQL_DISPATCH;
}

static void follow_before(struct contract_call *call)
{
    switch (call->point) {
    case POINT_SubmitCommand:
        follow_submit(call);
        break;
    case POINT_Patch:
        follow_patch(call);
        break;
    case POINT_PreemptCommand: {
        const DXGKARG_PREEMPTCOMMAND *arguments = call->arguments;
        if (arguments->NodeOrdinal < CONTRACT_NODES_MAX) {
            take_id(&call->shadow->kernel->nodes[arguments->NodeOrdinal],
                    arguments->PreemptionFenceId);
        }
        break;
    }
    case POINT_DestroyAllocation:
        follow_destroy_allocation(call);
        break;
    case POINT_CloseAllocation:
        follow_close_allocation(call);
        break;
    case POINT_DestroyContext:
        drop(call->shadow->kernel, KERNEL_CONTEXT, call->first);
        break;
    case POINT_DestroyDevice:
        drop(call->shadow->kernel, KERNEL_DEVICE, call->first);
        break;
    case POINT_CbNotifyInterrupt:
        follow_notify(call);
        break;
    case POINT_CollectDbgInfo:
        call->shadow->kernel->collected = true;
        break;
    default:
        break;
    }
}

static void follow_success(struct contract_call *call)
{
    struct kernel_shadow *kernel = call->shadow->kernel;

    switch (call->point) {
    case POINT_CreateDevice:
        follow_create_device(call);
        break;
    case POINT_CreateContext:
        follow_create_context(call);
        break;
    case POINT_CreateAllocation:
        follow_create_allocation(call);
        break;
    case POINT_OpenAllocation:
        follow_open_allocation(call);
        break;
    case POINT_QueryAdapterInfo: {
        const DXGKARG_QUERYADAPTERINFO *arguments = call->arguments;
        if ((unsigned)arguments->Type < 64) {
            kernel->segments_counted[arguments->Type] = true;
        }
        break;
    }
    case POINT_CommitVidPn:
        for (unsigned i = 0; i < CONTRACT_SOURCES_MAX; i++) {
            kernel->committed[i] = true;
        }
        break;
    case POINT_StopDeviceAndReleasePostDisplayOwnership:
        kernel->released = true;
        break;
    default:
        break;
    }
}

static void follow_after(struct contract_call *call)
{
    switch (call->point) {
    case POINT_Render:
    case POINT_RenderKm:
        follow_render(call);
        break;
    case POINT_Present:
        follow_present(call);
        break;
    case POINT_BuildPagingBuffer:
        follow_paging(call);
        break;
    case POINT_ResetFromTimeout:
        forget_hardware(call->shadow->kernel);
        call->shadow->kernel->collected = false;
        break;
    default:
        if (has_succeeded(call)) {
            follow_success(call);
        }
    }
}

void contract_kernel_follow(struct contract_call *call, enum contract_moment moment)
{
    if (moment == MOMENT_BEFORE) {
        count_inside(call, 1);
        follow_before(call);
    } else {
        count_inside(call, -1);
        follow_after(call);
    }
}
