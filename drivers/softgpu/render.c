/* render.c: DxgkDdiRender: from a client's command buffer to a DMA buffer.
 *
 *   command buffer   in the client's memory; may vanish or change while it is read
 *   DMA buffer       in the driver's hands; what the device runs
 *
 * A command is copied first and then checked in the copy, so that what was checked is what runs.
 * When the DMA buffer or the patch list is full, Render returns what there is, and is called again
 * with fresh ones: MultipassOffset counts the bytes of the command buffer that are done. A command
 * needs no state of the one before it, so the buffer can be split between any two (RENDER-015). */
#include "softgpu.h"

/* ---- Reading the client's memory ------------------------------------------------------------- */

#if defined(_WIN32)
BOOLEAN softgpu_copy_from_user(void *destination, const void *source, SIZE_T bytes)
{
    BOOLEAN good = TRUE;

    __try {
        ProbeForRead((void *)source, bytes, 1);
        RtlCopyMemory(destination, source, bytes);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        good = FALSE;
    }
    return good;
}
#else
/* Built as a module of the host the driver has no structured exceptions: a bad address is fatal
 * in that form, which exists for sanitizers and debuggers. */
BOOLEAN softgpu_copy_from_user(void *destination, const void *source, SIZE_T bytes)
{
    if (source == NULL) {
        return FALSE;
    }
    RtlCopyMemory(destination, source, bytes);
    return TRUE;
}
#endif

/* ---- Writing commands ------------------------------------------------------------------------ */

BOOLEAN softgpu_emitter_has_room(const struct softgpu_emitter *emitter, ULONG command_bytes,
                                 ULONG reference_count)
{
    return command_bytes <= emitter->size_bytes - emitter->used_bytes &&
           (emitter->placed != NULL ||
            reference_count <= emitter->patch_capacity - emitter->patch_count);
}

/* The client knows of no layout: that is between us, VidMm and the device. */
static void set_layout(UCHAR *place, const struct softgpu_open_allocation *open)
{
    struct softgpu_surface surface;

    RtlCopyMemory(&surface, place, sizeof(surface));
    surface.format |= open->allocation->bank_pages << SOFTGPU_FORMAT_BANK_SHIFT;
    RtlCopyMemory(place, &surface, sizeof(surface));
}

/* By virtual address: what stands here is what the device reads, wherever the memory goes. */
static void emit_placed(struct softgpu_emitter *emitter, const struct softgpu_reference *reference)
{
    const DXGK_PRESENTALLOCATIONINFO *entry = &emitter->placed[reference->allocation_index];
    UCHAR *place = emitter->buffer + emitter->used_bytes + reference->offset;
    struct softgpu_address address =
        softgpu_address_of(entry->AllocationVirtualAddress + reference->allocation_offset);

    RtlCopyMemory(place, &address, sizeof(address));
    if (reference->is_surface) {
        set_layout(place, entry->hDeviceSpecificAllocation);
    }
}

/* The command's words stand at the end of the buffer already. Fills in addresses and lists where
 * they stand: all of them, also those that are known now (RENDER-012, RENDER-013). */
void softgpu_emit(struct softgpu_emitter *emitter, ULONG command_bytes,
                  const struct softgpu_reference *references, ULONG reference_count)
{
    ULONG i, start = emitter->used_bytes;

    for (i = 0; emitter->placed != NULL && i < reference_count; i++) {
        emit_placed(emitter, &references[i]);
    }
    for (i = 0; emitter->placed == NULL && i < reference_count; i++) {
        const struct softgpu_reference *reference = &references[i];
        const DXGK_ALLOCATIONLIST *allocation = &emitter->allocations[reference->allocation_index];
        D3DDDI_PATCHLOCATIONLIST *patch = &emitter->patches[emitter->patch_count++];
        struct softgpu_address address = {0, 0};

        if (allocation->SegmentId != 0) {
            address = softgpu_address_of((ULONGLONG)allocation->PhysicalAddress.QuadPart +
                                         reference->allocation_offset);
        }
        RtlCopyMemory(emitter->buffer + start + reference->offset, &address, sizeof(address));
        if (reference->is_surface) {
            set_layout(emitter->buffer + start + reference->offset,
                       allocation->hDeviceSpecificAllocation);
        }

        RtlZeroMemory(patch, sizeof(*patch));
        patch->AllocationIndex = reference->allocation_index;
        patch->SlotId = reference->slot;
        patch->AllocationOffset = reference->allocation_offset;
        patch->PatchOffset = start + reference->offset;
        /* If an allocation of this command does not fit beside those before it, the buffer may be
         * cut in front of the command; offsets never decrease (RENDER-014). */
        patch->SplitOffset = start;
    }
    emitter->used_bytes += command_bytes;
}

/* ---- Render ---------------------------------------------------------------------------------- */

/* One command; *bytes is how much of the command buffer it was. */
static NTSTATUS translate(struct softgpu_emitter *emitter, const UCHAR *source, ULONG left_bytes,
                          ULONG node, ULONG *bytes)
{
    struct softgpu_reference references[SOFTGPU_REFERENCE_MAX];
    UCHAR *target = emitter->buffer + emitter->used_bytes;
    ULONG header, word_count, reference_count;
    NTSTATUS status;

    if (left_bytes < sizeof(header)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!softgpu_copy_from_user(&header, source, sizeof(header))) {
        return STATUS_INVALID_USER_BUFFER;
    }
    word_count = SOFTGPU_COMMAND_WORDS(header);
    if (word_count == 0 || word_count > left_bytes / sizeof(header)) {
        return STATUS_INVALID_PARAMETER;
    }
    *bytes = word_count * (ULONG)sizeof(header);
    if (!softgpu_emitter_has_room(emitter, *bytes, SOFTGPU_REFERENCE_MAX)) {
        /* A command that an empty buffer cannot hold would ask for ever. */
        return emitter->used_bytes == 0 ? STATUS_INVALID_PARAMETER
                                        : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    if (!softgpu_copy_from_user(target, source, *bytes)) {
        return STATUS_INVALID_USER_BUFFER;
    }
    RtlCopyMemory(target, &header, sizeof(header)); /* the one that was looked at */

    status = softgpu_command_check(target, word_count, node, emitter->allocations,
                                   emitter->allocation_count, references, &reference_count);
    if (NT_SUCCESS(status)) {
        softgpu_emit(emitter, *bytes, references, reference_count);
    }
    return status;
}

static NTSTATUS translate_all(struct softgpu_emitter *emitter, DXGKARG_RENDER *render, ULONG node)
{
    ULONG offset = render->MultipassOffset, bytes;
    NTSTATUS status = STATUS_SUCCESS;

    while (offset < render->CommandLength) {
        status = translate(emitter, (const UCHAR *)((ULONG_PTR)render->pCommand + offset),
                           render->CommandLength - offset, node, &bytes);
        if (!NT_SUCCESS(status)) {
            break;
        }
        offset += bytes;
    }
    render->MultipassOffset = offset;
    return status;
}

/* At PASSIVE_LEVEL in the client's process. Any other error than a full buffer refuses the whole
 * call: nothing of it is queued. */
NTSTATUS NTAPI softgpu_render(const HANDLE context_handle, DXGKARG_RENDER *render)
{
    struct softgpu_dma_private *private_data = render->pDmaBufferPrivateData;
    struct softgpu_context *context;
    struct softgpu_emitter emitter;
    NTSTATUS status;

    PAGED_CODE();

    context = softgpu_settings.multi_engine_aware
                  ? context_handle
                  : &((struct softgpu_device *)context_handle)->context;
    if (render->DmaBufferPrivateDataSize < softgpu_private_bytes(&softgpu_settings)) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }

    RtlZeroMemory(&emitter, sizeof(emitter));
    emitter.buffer = render->pDmaBuffer;
    emitter.size_bytes = render->DmaSize;
    emitter.patches = render->pPatchLocationListOut;
    emitter.patch_capacity = render->PatchLocationListOutSize;
    emitter.allocations = render->pAllocationList;
    emitter.allocation_count = render->AllocationListSize;

    status = translate_all(&emitter, render, context->node);
    if (!NT_SUCCESS(status) && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        return status;
    }

    /* Nothing in this buffer may use a system address: it is not marked privileged. */
    if (private_data != NULL) {
        RtlZeroMemory(private_data, sizeof(*private_data));
        private_data->magic = SOFTGPU_DMA_MAGIC;
        render->pDmaBufferPrivateData = private_data + 1;
    }
    render->pDmaBuffer = emitter.buffer + emitter.used_bytes;
    render->pPatchLocationListOut = emitter.patches + emitter.patch_count;
    return status;
}
