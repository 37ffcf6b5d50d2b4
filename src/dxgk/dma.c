/* DMA buffers of contexts: the buffer, its private data and its lists, as one reusable object.
 *
 * Each buffer of a context's pool gets a struct dxgk_dma once, with lists of the sizes that the
 * driver asked for; it stays with the buffer, so that rendering allocates nothing. The buffer, its
 * private data and the lists that the driver is given end at pages without access; what alignment
 * leaves before those holds the canary that the rules look at [GEN-009].
 */
#include "dxgk/present_virtual.h"
#include "dxgk/submission.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

static struct dxgk_dma *make_dma(struct dxgk_context *context, struct vidmm_dma_buffer *buffer)
{
    UINT allocations = context->info.AllocationListSize;
    UINT patches = dxgk_dma_patch_room(context);

    if (allocations < context->list_room) {
        allocations = context->list_room;
    }
    struct dxgk_dma *dma = calloc(1, sizeof *dma);
    if (!dma) {
        return NULL;
    }
    dma->buffer = buffer;
    dma->allocations = nt_memory_alloc(allocations * sizeof *dma->allocations, 0);
    dma->patches = nt_memory_alloc((patches + 1) * sizeof *dma->patches, 0);
    dma->allocation_max = allocations;
    dma->patch_max = patches;
    dma->allocation_room =
        nt_memory_hand(allocations * sizeof *dma->allocation_room, "pAllocationList");
    dma->patch_room = nt_memory_hand(patches * sizeof *dma->patch_room, "pPatchLocationList");
    dma->openings = calloc(allocations, sizeof(struct dxgk_opening *));
    dma->targets = calloc(allocations, sizeof(struct dxgk_allocation *));
    dma->writes = calloc(allocations, sizeof *dma->writes);
    dma->references =
        calloc(patches > allocations ? patches : allocations, sizeof *dma->references);
    if (!dma->allocations || !dma->patches || !dma->allocation_room || !dma->patch_room ||
        !dma->openings || !dma->targets || !dma->writes || !dma->references) {
        dxgk_dma_free(dma);
        return NULL;
    }
    buffer->owner_data = dma;
    return dma;
}

void dxgk_dma_free(struct dxgk_dma *dma)
{
    if (dma) {
        nt_memory_free(dma->allocations);
        nt_memory_free(dma->patches);
        nt_memory_free(dma->allocation_room);
        nt_memory_free(dma->patch_room);
        free(dma->openings);
        free(dma->targets);
        free(dma->writes);
        free(dma->references);
        free(dma);
    }
}

/* Waits while all buffers are busy, or others have the room that a new one needs. */
static NTSTATUS wait_for_buffer(struct dxgk_context *context, struct vidmm_dma_buffer **out)
{
    struct dxgk_adapter *adapter = context->device->adapter;

    for (;;) {
        uint64_t queued = vidmm_paging_queued(adapter->vidmm);
        NTSTATUS status = context->virtual_addresses ? dxgk_presents_acquire(context, out)
                                                     : vidmm_dma_acquire(&context->pool, out);
        dxgk_paging_kick_new(adapter, queued); /* it may be mapped into an aperture first */
        if (status != STATUS_PENDING && status != STATUS_INSUFFICIENT_RESOURCES) {
            return status;
        }
        if (context->device->lost) {
            return STATUS_DEVICE_REMOVED;
        }
        dxgk_paging_kick(adapter);
        wait_queue_wait(status == STATUS_PENDING ? &adapter->idle_changed : &context->changed,
                        MACHINE_NEVER);
    }
}

UINT dxgk_dma_patch_room(const struct dxgk_context *context)
{
    return context->info.PatchLocationListSize * (vary_on(VARY_LARGER_BUFFERS) ? 2 : 1);
}

D3DDDI_PATCHLOCATIONLIST *dxgk_dma_patch_out(const struct dxgk_context *context,
                                             const struct dxgk_dma *dma)
{
    return context->patch_out + dxgk_dma_patch_room(context) - dma->patch_size;
}

/* Now the one is used up first, now the other. */
static void choose_sizes(const struct dxgk_context *context, struct dxgk_dma *dma)
{
    UINT patches = context->info.PatchLocationListSize;

    dma->size = context->info.DmaBufferSize;
    dma->patch_size = patches;
    if (vary_happens(VARY_LARGER_BUFFERS, 2)) {
        dma->size += (UINT)vary_below(VARY_LARGER_BUFFERS, DXGK_BUFFER_GROWTH_MAX / 8 + 1) * 8;
        dma->patch_size += (UINT)vary_below(VARY_LARGER_BUFFERS, patches + 1);
    }
}

/* Of a context's pool, or of its presents by virtual address. */
static void put_buffer(struct vidmm_dma_buffer *buffer)
{
    if (buffer->pool) {
        vidmm_dma_release(buffer);
    } else {
        dxgk_presents_release(buffer);
    }
}

NTSTATUS dxgk_dma_acquire(struct dxgk_context *context, struct dxgk_dma **out)
{
    struct vidmm_dma_buffer *buffer;
    NTSTATUS status = wait_for_buffer(context, &buffer);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    struct dxgk_dma *dma = buffer->owner_data;
    if (!dma && !(dma = make_dma(context, buffer))) {
        put_buffer(buffer);
        return STATUS_NO_MEMORY;
    }
    KERNEL_DUTY(RENDER_009, (uintptr_t)buffer->bytes % MACHINE_PAGE_SIZE == 0);
    choose_sizes(context, dma);
    dma->private_size = context->info.DmaBufferPrivateDataSize;
    dma->used = dma->private_used = 0;
    dma->allocation_count = dma->patch_count = dma->reference_count = 0;
    dma->packet_count = 1;
    dma->order = ++context->device->adapter->dma_order;
    dma->flip = NULL;
    dma->progress_id = 0;
    contract_canary_write(buffer->bytes + dma->size);
    if (buffer->private_data) {
        contract_canary_write(buffer->private_data + dma->private_size);
    }
    *out = dma;
    return STATUS_SUCCESS;
}

void dxgk_dma_begin(const struct dxgk_dma *dma)
{
    if (dma->buffer->private_data && !vary_on(VARY_OLD_PRIVATE_DATA)) {
        memset(dma->buffer->private_data, 0, dma->private_size);
    }
}

static void refer(struct vidmm_reference *reference, struct dxgk_dma *dma, UINT index, UINT slot)
{
    struct dxgk_allocation *target = dma->targets[index];

    *reference = (struct vidmm_reference){
        .allocation = target ? &target->memory : NULL,
        .write = target && dma->writes[index],
        .slot = slot,
    };
}

/* What one packet names stays open until it is done. */
static void take_allocations(struct dxgk_dma *dma, const struct dxgk_dma_lists *lists)
{
    memcpy(dma->allocations, lists->allocations,
           lists->allocation_count * sizeof *lists->allocations);
    dma->allocation_count = lists->allocation_count;
    for (UINT i = 0; i < dma->allocation_count; i++) {
        dma->openings[i] = lists->openings[i];
        dma->targets[i] = lists->openings[i] ? lists->openings[i]->allocation : NULL;
        if (dma->targets[i]) {
            dma->writes[i] = dma->allocations[i].WriteOperation;
            life_use_more(&dma->openings[i]->life);
            dxgk_allocation_packet(dma->targets[i], 1, dma->writes[i]);
        }
    }
}

void dxgk_dma_set_lists(struct dxgk_dma *dma, const struct dxgk_dma_lists *lists)
{
    take_allocations(dma, lists);
    memcpy(dma->patches, lists->patches, lists->patch_count * sizeof *lists->patches);
    dma->patch_count = lists->patch_count;
    dma->by_patch = dma->patch_count > 0;
    dma->reference_count = dma->patch_count;
    for (UINT i = 0; i < dma->patch_count; i++) {
        UINT index = dma->patches[i].AllocationIndex;
        /* A bad index is the driver's breach [RENDER-017], judged at the door; here it binds none.
         */
        if (index < dma->allocation_count) {
            refer(&dma->references[i], dma, index, dma->patches[i].SlotId);
        } else {
            dma->references[i] = (struct vidmm_reference){.slot = VIDMM_NO_SLOT};
        }
    }
    for (UINT i = 0; !dma->by_patch && i < dma->allocation_count; i++) {
        if (dma->targets[i]) {
            refer(&dma->references[dma->reference_count++], dma, i, VIDMM_NO_SLOT);
        }
    }
}

void dxgk_dma_give_lists(struct dxgk_dma *dma)
{
    dma->given_allocations = dma->allocation_room + dma->allocation_max - dma->allocation_count;
    dma->given_patches = dma->patch_room + dma->patch_max - dma->patch_count;
    memcpy(dma->given_allocations, dma->allocations,
           dma->allocation_count * sizeof *dma->allocations);
    memcpy(dma->given_patches, dma->patches, dma->patch_count * sizeof *dma->patches);
}

void dxgk_dma_put(struct dxgk_dma *dma)
{
    CHECK_THAT(dma->packet_count > 0);
    if (--dma->packet_count > 0) {
        return;
    }
    for (UINT i = 0; i < dma->allocation_count; i++) {
        if (dma->targets[i]) {
            dxgk_allocation_packet(dma->targets[i], -1, dma->writes[i]);
            life_leave(&dma->openings[i]->life);
            dma->targets[i] = NULL;
            dma->openings[i] = NULL;
        }
    }
    dxgk_block_free(dma->block);
    dma->block = NULL;
    put_buffer(dma->buffer);
}

void dxgk_allocation_list_place(DXGK_ALLOCATIONLIST *element, struct dxgk_allocation *allocation)
{
    struct vidmm_location location;

    vidmm_allocation_location(&allocation->memory, &location);
    element->SegmentId = location.segment;
    element->PhysicalAddress.QuadPart = (LONGLONG)(location.segment ? location.address : 0);
}

/* ---- What nobody writes ---------------------------------------------------------------------- */

void dxgk_watch_dummy(struct dxgk_adapter *adapter)
{
    contract_count(RULE_UNMAPAP_004);
    if (!vidmm_dummy_intact(adapter->vidmm)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(UNMAPAP_004),
                                                   .object = adapter->object,
                                                   .bugcheck = 0x10E,
                                                   .bugcheck_arguments = {0x25}},
                        "nobody writes to the page that unmapped parts of an aperture show",
                        "the dummy page was written: by the GPU through a part of the aperture "
                        "that is not mapped, or by the driver");
    }
}
