/* submit.c: Patch, SubmitCommand, PreemptCommand, CancelCommand.
 *
 * All but CancelCommand belong to the GPU Scheduler class: one thread at a time among them, so the
 * ring needs no lock. SubmitCommand and PreemptCommand run at DISPATCH_LEVEL: no waiting, no
 * pageable memory (SUBMIT-002).
 *
 * A submission takes up to two places in the ring: a CONTEXT packet when the engine changes
 * contexts, and the packet that runs the buffer and then writes the fence that dxgkrnl gave. */
#include "softgpu.h"

struct softgpu_address softgpu_address_of(ULONGLONG address)
{
    struct softgpu_address result = {(ULONG)address, (ULONG)(address >> 32)};

    return result;
}

/* ---- Patch ----------------------------------------------------------------------------------- */

/* Of a flip: where the surface is that the engine will show. */
static void keep_first_address(const struct softgpu_adapter *adapter, const DXGKARG_PATCH *patch)
{
    struct softgpu_dma_private *private_data = patch->pDmaBufferPrivateData;
    const D3DDDI_PATCHLOCATIONLIST *first;

    if (patch->DmaBufferPrivateDataSize < sizeof(*private_data) ||
        private_data->magic != SOFTGPU_DMA_MAGIC || patch->PatchLocationListSubmissionLength == 0) {
        return;
    }
    first = &patch->pPatchLocationList[patch->PatchLocationListSubmissionStart];
    private_data->flip_address = softgpu_address_of(
        softgpu_engine_address(adapter, &patch->pAllocationList[first->AllocationIndex]));
}

/* Writes the addresses that allocations have now. May be called again for the same buffer, after a
 * preemption, with other addresses (PATCH-004); so every location is written every time. The fence
 * is taken from SubmitCommand, not from here (SUBMIT-032). Paging buffers hold final addresses:
 * their lists are empty (PAGE-028). */
NTSTATUS NTAPI softgpu_patch(const HANDLE adapter_handle, const DXGKARG_PATCH *patch)
{
    UCHAR *buffer = patch->pDmaBuffer;
    ULONG i;

    PAGED_CODE();

    for (i = 0; i < patch->PatchLocationListSubmissionLength; i++) {
        const D3DDDI_PATCHLOCATIONLIST *location =
            &patch->pPatchLocationList[patch->PatchLocationListSubmissionStart + i];
        const DXGK_ALLOCATIONLIST *allocation = &patch->pAllocationList[location->AllocationIndex];
        struct softgpu_address address;

        /* The list is our own work, given back unchanged. */
        NT_ASSERT(location->AllocationIndex < patch->AllocationListSize);
        NT_ASSERT(location->PatchOffset <= patch->DmaBufferSize - sizeof(address));

        address = softgpu_address_of(softgpu_engine_address(adapter_handle, allocation) +
                                     location->AllocationOffset);
        RtlCopyMemory(buffer + location->PatchOffset, &address, sizeof(address));
    }
    keep_first_address(adapter_handle, patch);
    return STATUS_SUCCESS;
}

/* ---- SubmitCommand --------------------------------------------------------------------------- */

static ULONG ring_room(const struct softgpu_adapter *adapter, ULONG node)
{
    ULONG head = softgpu_read(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_RING_HEAD));

    if (head >= SOFTGPU_RING_PACKETS) {
        /* Ones: it was pulled out, of which dxgkrnl is yet to hear. Who waits for room waits for
         * ever, and a submission does not fail (SUBMIT-003). */
        return SOFTGPU_RING_PACKETS - 1;
    }
    return (head - adapter->engines[node].tail - 1) % SOFTGPU_RING_PACKETS;
}

static void put_packet(struct softgpu_engine *engine, const struct softgpu_packet *packet,
                       struct softgpu_dma_private *private_data)
{
    engine->ring[engine->tail] = *packet;
    engine->slots[engine->tail].private_data = private_data;
    engine->slots[engine->tail].fence = packet->fence_low;
    engine->tail = (engine->tail + 1) % SOFTGPU_RING_PACKETS;
}

static void ring_doorbell(struct softgpu_adapter *adapter, ULONG node)
{
    KeMemoryBarrier(); /* the packets before the tail */
    softgpu_write(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_RING_TAIL),
                  adapter->engines[node].tail);
}

struct first_fence {
    struct softgpu_adapter *adapter;
    ULONG node, fence;
};

/* Before its first packet an engine has no fence. Ids may start anywhere, so "none" is the one
 * before the first. */
static BOOLEAN NTAPI begin_fences(PVOID argument)
{
    struct first_fence *first = argument;
    struct softgpu_engine *engine = &first->adapter->engines[first->node];

    first->adapter->events->fence[first->node] = (ULONG)(first->fence - 1);
    engine->last_completed = first->fence - 1;
    engine->last_reported = first->fence - 1;
    engine->used = TRUE;
    return TRUE;
}

static void note_fence(struct softgpu_adapter *adapter, ULONG node, ULONG fence)
{
    struct softgpu_engine *engine = &adapter->engines[node];

    if (!engine->used) {
        struct first_fence first = {adapter, node, fence};

        softgpu_synchronize(adapter, begin_fences, &first);
    }
    engine->last_submitted = fence;
}

static struct softgpu_dma_private *private_data_of(const DXGKARG_SUBMITCOMMAND *submit)
{
    struct softgpu_dma_private *private_data;
    ULONG start = submit->DmaBufferPrivateDataSubmissionStartOffset;
    ULONG end = submit->DmaBufferPrivateDataSubmissionEndOffset;

    /* Without a size the pointer says nothing (SUBMIT-026). Of a paging buffer a submission has the
     * part that its own operation left (SUBMIT-024), or none. */
    if (submit->DmaBufferPrivateDataSize < sizeof(*private_data) ||
        start > submit->DmaBufferPrivateDataSize - sizeof(*private_data) ||
        (submit->Flags.Paging && end - start < sizeof(*private_data))) {
        return NULL;
    }
    private_data = (void *)((UCHAR *)submit->pDmaBufferPrivateData + start);
    return private_data->magic == SOFTGPU_DMA_MAGIC ? private_data : NULL;
}

/* Only [start, end) belongs to this submission; the address is that of byte 0 (SUBMIT-017,
 * SUBMIT-019). */
static void make_execute(const DXGKARG_SUBMITCOMMAND *submit,
                         const struct softgpu_dma_private *private_data,
                         struct softgpu_packet *packet)
{
    ULONGLONG address = (ULONGLONG)submit->DmaBufferPhysicalAddress.QuadPart;
    ULONG start = submit->DmaBufferSubmissionStartOffset;
    ULONG end = submit->DmaBufferSubmissionEndOffset;

    if (submit->DmaBufferSegmentId == 0) {
        address += SOFTGPU_SYSTEM_BASE; /* contiguous system memory */
    }
    packet->type_flags |= SOFTGPU_PACKET_EXECUTE;
    packet->address_low = (ULONG)address;
    packet->address_high = (ULONG)(address >> 32);
    packet->size_bytes = end;
    packet->start = start;

    if (submit->Flags.Paging) {
        packet->type_flags |= SOFTGPU_PACKET_FLAG_PRIVILEGED | SOFTGPU_PACKET_FLAG_ATOMIC;
        return; /* nothing stops in its middle */
    }
    if (private_data == NULL) {
        return;
    }
    if (private_data->flags & SOFTGPU_DMA_PRIVILEGED) {
        packet->type_flags |= SOFTGPU_PACKET_FLAG_PRIVILEGED;
    }
    /* A packet that was stopped in its middle goes on there. The flag Resubmission says nothing
     * in WDDM 1.x (SUBMIT-044); what we remembered does. */
    if (private_data->resume_valid && private_data->resume_offset >= start &&
        private_data->resume_offset < end) {
        packet->start = private_data->resume_offset;
        packet->progress = private_data->resume_progress;
    }
}

/* The engine refuses a buffer whose context it is not in. */
static ULONG context_mark(const struct softgpu_context *context)
{
    ULONG context_id = context != NULL ? context->id : 0;

    return SOFTGPU_PACKET_FLAG_OF_CONTEXT | (context_id & 0xFFFF) << SOFTGPU_PACKET_VMID_SHIFT;
}

/* Tells the engine who runs from here on, if somebody else did; `fence` is of the packet behind. */
static void enter_context(struct softgpu_engine *engine, const struct softgpu_context *context,
                          ULONG fence)
{
    ULONG context_id = context != NULL ? context->id : 0;
    ULONGLONG state = context != NULL ? softgpu_state_address(context) : 0;
    struct softgpu_packet packet;

    if (context_id == engine->context_id) {
        return;
    }
    RtlZeroMemory(&packet, sizeof(packet));
    packet.type_flags = SOFTGPU_PACKET_CONTEXT;
    packet.fence_low = context_id;
    if (state != 0) {
        packet.type_flags |= SOFTGPU_PACKET_FLAG_STATE | context->space
                                                             << SOFTGPU_PACKET_VMID_SHIFT;
        packet.address_low = (ULONG)state;
        packet.address_high = (ULONG)(state >> 32);
        if (context->memory.kept) {
            packet.type_flags |= SOFTGPU_PACKET_FLAG_KEEP;
        }
    }
    put_packet(engine, &packet, NULL);
    /* The slot answers "whose packet is it" when the engine is reset here. */
    engine->slots[(engine->tail - 1) % SOFTGPU_RING_PACKETS].fence = fence;
    engine->context_id = context_id;
}

struct flip_note {
    struct softgpu_source *source;
    const struct softgpu_dma_private *private_data;
};

static BOOLEAN NTAPI note_flip(PVOID argument)
{
    const struct flip_note *note = argument;
    struct softgpu_address address = note->private_data->flip_address;

    note->source->address = address.low | (ULONGLONG)address.high << 32;
    note->source->pitch_bytes = note->private_data->flip_pitch_bytes;
    note->source->format = note->private_data->flip_format;
    return TRUE;
}

/* The engine will show it; whoever programs the output anew shows it, too (VIDPN-011). */
static void remember_flip(struct softgpu_adapter *adapter, const DXGKARG_SUBMITCOMMAND *submit,
                          const struct softgpu_dma_private *private_data)
{
    struct flip_note note = {NULL, private_data};

    if ((submit->Flags.Flip || submit->Flags.FlipWithNoWait) && private_data != NULL &&
        submit->VidPnSourceId < adapter->settings.sources) {
        note.source = &adapter->source[submit->VidPnSourceId];
        softgpu_synchronize(adapter, note_flip, &note);
    }
}

/* Puts a buffer in the ring and rings the doorbell. There is no soft failure: what could be wrong
 * with the content was refused by Render or Present (SUBMIT-003). */
NTSTATUS NTAPI softgpu_submit_command(const HANDLE adapter_handle,
                                      const DXGKARG_SUBMITCOMMAND *submit)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_context *context = softgpu_context_of(adapter, submit->hContext);
    struct softgpu_dma_private *private_data = private_data_of(submit);
    struct softgpu_packet packet;
    struct softgpu_engine *engine;
    ULONG node;

    /* Paging has no context: the node is named (SUBMIT-050), since Windows 8. */
    if (context != NULL) {
        node = context->node;
    } else {
        node = adapter->settings.wddm_version >= 0x1200 ? submit->NodeOrdinal
                                                        : adapter->settings.paging_node;
    }
    if (node >= softgpu_node_count(adapter)) {
        return STATUS_INVALID_PARAMETER;
    }
    engine = &adapter->engines[node];
    /* dxgkrnl keeps fewer packets in flight than the ring has places. */
    if (!adapter->gone && ring_room(adapter, node) < 2) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    note_fence(adapter, node, submit->SubmissionFenceId);

    /* A ContextSwitch packet runs nothing and leaves the engine on the null context
     * (SUBMIT-042). */
    enter_context(engine, submit->Flags.ContextSwitch ? NULL : context, submit->SubmissionFenceId);

    RtlZeroMemory(&packet, sizeof(packet));
    packet.type_flags = SOFTGPU_PACKET_FLAG_FENCE | SOFTGPU_PACKET_FLAG_INTERRUPT;
    packet.fence_low = submit->SubmissionFenceId;
    /* NullRendering: no command runs, the fence is as ever (SUBMIT-038). */
    if (submit->Flags.NullRendering || submit->Flags.ContextSwitch ||
        submit->DmaBufferSubmissionStartOffset >= submit->DmaBufferSubmissionEndOffset) {
        packet.type_flags |= SOFTGPU_PACKET_FENCE;
    } else {
        make_execute(submit, private_data, &packet);
        packet.type_flags |= context_mark(context);
        remember_flip(adapter, submit, private_data);
    }
    put_packet(engine, &packet, private_data);
    ring_doorbell(adapter, node);
    return STATUS_SUCCESS;
}

/* ---- SubmitCommandVirtual -------------------------------------------------------------------- */

/* The driver's part of the private data, behind the client's (SUBV-007). It is built once, by
 * ValidateSubmitCommand if that was asked: what a preemption wrote there counts when the buffer
 * comes again (SUBV-008). NULL: malformed. */
static struct softgpu_dma_private *virtual_private_data(const DXGKARG_SUBMITCOMMANDVIRTUAL *submit)
{
    struct softgpu_dma_private *private_data;

    if (submit->pDmaBufferPrivateData == NULL ||
        submit->DmaBufferPrivateDataSize < SOFTGPU_PRIVATE_BYTES_VIRTUAL ||
        !softgpu_is_client_data(submit->pDmaBufferPrivateData,
                                submit->DmaBufferUmdPrivateDataSize)) {
        return NULL;
    }
    private_data =
        (void *)((UCHAR *)submit->pDmaBufferPrivateData + sizeof(struct softgpu_umd_submit));
    if (softgpu_settings.validates && submit->DmaBufferUmdPrivateDataSize != 0) {
        return private_data->magic == SOFTGPU_DMA_MAGIC &&
                       (private_data->flags & SOFTGPU_DMA_VALIDATED) != 0
                   ? private_data
                   : NULL;
    }
    return submit->Flags.Resubmission ? private_data
                                      : softgpu_begin_private_data(submit->pDmaBufferPrivateData);
}

/* What nobody checked the device checks: commands, and by the page tables addresses. The buffer
 * runs with the addresses of its context (SUBV-004, SUBV-006). FALSE: malformed. */
static BOOLEAN make_virtual_execute(const DXGKARG_SUBMITCOMMANDVIRTUAL *submit,
                                    const struct softgpu_context *context,
                                    struct softgpu_packet *packet,
                                    struct softgpu_dma_private **private_data)
{
    if (context == NULL || context->space == 0 ||
        !softgpu_is_command_range(&softgpu_settings, submit->DmaBufferVirtualAddress,
                                  submit->DmaBufferSize)) {
        return FALSE;
    }
    packet->type_flags |= SOFTGPU_PACKET_EXECUTE | context->space << SOFTGPU_PACKET_VMID_SHIFT;
    packet->address_low = (ULONG)submit->DmaBufferVirtualAddress;
    packet->address_high = (ULONG)(submit->DmaBufferVirtualAddress >> 32);
    packet->size_bytes = submit->DmaBufferSize;
    if (submit->Flags.Paging) {
        packet->type_flags |= SOFTGPU_PACKET_FLAG_PRIVILEGED | SOFTGPU_PACKET_FLAG_ATOMIC;
        return TRUE;
    }
    *private_data = virtual_private_data(submit);
    if (*private_data == NULL) {
        return FALSE;
    }
    if ((*private_data)->resume_valid && (*private_data)->resume_offset < submit->DmaBufferSize) {
        packet->start = (*private_data)->resume_offset;
        packet->progress = (*private_data)->resume_progress;
    }
    return TRUE;
}

/* As SubmitCommand. A malformed buffer is refused; its fence counts as completed when what was
 * submitted before is done (SUBV-002), so a packet that only writes it takes its place. */
NTSTATUS NTAPI softgpu_submit_command_virtual(const HANDLE adapter_handle,
                                              const DXGKARG_SUBMITCOMMANDVIRTUAL *submit)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_context *context = submit->hContext;
    ULONG node = context != NULL ? context->node : submit->NodeOrdinal;
    struct softgpu_dma_private *private_data = NULL;
    struct softgpu_packet packet;
    NTSTATUS status = STATUS_SUCCESS;

    if (node >= softgpu_node_count(adapter)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!adapter->gone && ring_room(adapter, node) < 2) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    note_fence(adapter, node, submit->SubmissionFenceId);
    enter_context(&adapter->engines[node], submit->Flags.ContextSwitch ? NULL : context,
                  submit->SubmissionFenceId);

    RtlZeroMemory(&packet, sizeof(packet));
    packet.type_flags = SOFTGPU_PACKET_FLAG_FENCE | SOFTGPU_PACKET_FLAG_INTERRUPT;
    packet.fence_low = submit->SubmissionFenceId;
    if (submit->Flags.NullRendering || submit->Flags.ContextSwitch || submit->DmaBufferSize == 0) {
        packet.type_flags |= SOFTGPU_PACKET_FENCE;
    } else if (!make_virtual_execute(submit, context, &packet, &private_data)) {
        RtlZeroMemory(&packet, sizeof(packet));
        packet.type_flags = SOFTGPU_PACKET_FENCE | SOFTGPU_PACKET_FLAG_FENCE;
        packet.fence_low = submit->SubmissionFenceId;
        private_data = NULL;
        status = STATUS_INVALID_PARAMETER;
    }
    put_packet(&adapter->engines[node], &packet, private_data);
    ring_doorbell(adapter, node);
    return status;
}

/* ---- PreemptCommand -------------------------------------------------------------------------- */

struct preemption {
    struct softgpu_adapter *adapter;
    ULONG node, request;
};

static BOOLEAN NTAPI preempt(PVOID argument)
{
    struct preemption *preemption = argument;
    struct softgpu_adapter *adapter = preemption->adapter;
    struct softgpu_engine *engine = &adapter->engines[preemption->node];

    softgpu_report_progress(adapter, preemption->node);
    if (!engine->used || engine->last_completed == engine->last_submitted) {
        softgpu_report_preempted(adapter, preemption->node, preemption->request);
    } else {
        softgpu_write(adapter, SOFTGPU_ENGINE_REG(preemption->node, SOFTGPU_ENGINE_PREEMPT),
                      preemption->request);
    }
    return TRUE;
}

/* Asks the engine to stop and returns; the answer is an interrupt (PREEMPT-003). An engine that
 * has nothing to do is not asked: the driver answers for it, at device IRQL (PREEMPT-004). The
 * device drops everything in the ring behind the place where it stops (PREEMPT-009). */
NTSTATUS NTAPI softgpu_preempt_command(const HANDLE adapter_handle,
                                       const DXGKARG_PREEMPTCOMMAND *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct preemption preemption = {adapter, arguments->NodeOrdinal, arguments->PreemptionFenceId};

    if (adapter->settings.low_preempt) { /* PREEMPT-001 */
        PAGED_CODE();
    }
    if (arguments->NodeOrdinal >= softgpu_node_count(adapter)) {
        return STATUS_INVALID_PARAMETER;
    }
    /* What runs next must set its context again: the engine forgets the CONTEXT packets, too. */
    adapter->engines[arguments->NodeOrdinal].context_id = ~0u;
    softgpu_synchronize(adapter, preempt, &preemption);
    return STATUS_SUCCESS;
}

/* ---- CancelCommand --------------------------------------------------------------------------- */

/* The packet will never be submitted: its device is lost. Whatever the driver tied to it would be
 * released here (CANCEL-005); this driver ties nothing to a packet but the private data that
 * dxgkrnl owns, and marks that, so that a submission after this would be noticed. The DMA buffer
 * itself is not touched (CANCEL-008), nor is the device. PASSIVE_LEVEL, only success. */
NTSTATUS NTAPI softgpu_cancel_command(const HANDLE adapter_handle,
                                      const DXGKARG_CANCELCOMMAND *cancel)
{
    struct softgpu_dma_private *private_data;
    ULONG start = cancel->DmaBufferPrivateDataSubmissionStartOffset;

    UNREFERENCED_PARAMETER(adapter_handle);
    PAGED_CODE();

    if (cancel->DmaBufferPrivateDataSize >= sizeof(*private_data) &&
        start <= cancel->DmaBufferPrivateDataSize - sizeof(*private_data)) {
        private_data = (void *)((UCHAR *)cancel->pDmaBufferPrivateData + start);
        if (private_data->magic == SOFTGPU_DMA_MAGIC) {
            private_data->magic = SOFTGPU_DMA_CANCELLED;
            private_data->resume_valid = 0;
        }
    }
    return STATUS_SUCCESS;
}
