/* Passes: how commands that Render or Present write become packets.
 *
 * A call may need several [RENDER-007]: each INSUFFICIENT_DMA_BUFFER turns what was produced into a
 * packet and calls again with a fresh buffer and the driver's MultipassOffset. */
#include "dxgk/hwqueue_present.h"
#include "dxgk/present_virtual.h"
#include "dxgk/work.h"

#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#define PASSES_MAX   4096 /* of one call, against a driver that never ends */
#define STANDING_MAX 64   /* fresh buffers in a row, each left as the one before */

/* One call at a time uses a context's lists. */
bool dxgk_passes_begin(struct dxgk_context *context)
{
    if (!life_enter(&context->life)) {
        return false;
    }
    while (context->rendering) {
        wait_queue_wait(&context->changed, MACHINE_NEVER);
    }
    context->rendering = true;
    return true;
}

void dxgk_passes_end(struct dxgk_context *context, UINT allocation_count)
{
    CHECK_THAT(context->rendering);
    for (UINT i = 0; i < allocation_count; i++) {
        if (context->allocation_openings[i]) {
            life_leave(&context->allocation_openings[i]->life);
            context->allocation_openings[i] = NULL;
        }
    }
    context->rendering = false;
    wait_queue_wake(&context->changed, UINT_MAX);
    if (context->pool.segments != 0) { /* somebody may wait for the room of a buffer given back */
        wait_queue_wake(&context->device->adapter->idle_changed, UINT_MAX);
    }
    life_leave(&context->life);
}

DXGK_ALLOCATIONLIST *dxgk_passes_list(struct dxgk_context *context, UINT count)
{
    DXGK_ALLOCATIONLIST *given = context->allocation_given + context->list_room - count;

    memcpy(given, context->allocation_list, count * sizeof *given);
    return given;
}

static bool inside(const void *pointer, const void *begin, size_t size)
{
    return (uintptr_t)pointer >= (uintptr_t)begin && (uintptr_t)pointer - (uintptr_t)begin <= size;
}

static size_t patch_bytes(const struct dxgk_dma *dma)
{
    return dma->patch_size * sizeof(D3DDDI_PATCHLOCATIONLIST);
}

/* The lists are copied: the context's own serve the next pass. */
static void fill_packet(struct dxgk_packet *packet, const struct dxgk_passes *passes,
                        struct dxgk_dma *dma, const struct dxgk_pass *pass)
{
    struct dxgk_context *context = passes->context;

    const struct dxgk_dma_lists lists = {
        .allocations = context->allocation_list,
        .openings = context->allocation_openings,
        .allocation_count = passes->allocation_count,
        .patches = dxgk_dma_patch_out(context, dma),
        .patch_count = (UINT)(pass->patch_end - dxgk_dma_patch_out(context, dma)),
    };

    dxgk_dma_set_lists(dma, &lists);
    packet->dma = dma;
    dma->flip = passes->flip;
    if (dma->flip) {
        dxgk_flip_command_hold(dma->flip);
    }
    packet->end = dma->used;
    packet->private_end = dma->private_used;
    packet->flags = passes->flags;
    if (context->virtual_addresses) {
        dxgk_presents_fill(packet);
    } else {
        packet->patched.patch_count = dma->patch_count;
    }
}

static void end_dropped(struct dxgk_packet *packet)
{
    if (packet->road->cancel) {
        packet->road->cancel(packet);
    }
    packet->road->done(packet, VIDSCH_STATUS_CANCELLED);
    dxgk_packet_free(packet);
}

/* As work of a device that is lost before the hardware saw it [CANCEL-002]: whole, or in parts
 * while the first of them waited for its memory. */
static void drop(struct dxgk_passes *passes, struct dxgk_packet *packet)
{
    const struct dxgk_dma *dma = packet->dma;
    const XXH64_hash_t lists = XXH3_64bits_withSeed(
        dma->patches, dma->patch_count * sizeof *dma->patches, passes->produced);

    passes->produced = XXH3_64bits_withSeed(dma->buffer->bytes, dma->used, lists);
    if (passes->collected) {
        dxgk_collect(passes->collected, dma);
    }
    for (struct dxgk_packet *rest; packet; packet = rest) {
        rest = passes->context->virtual_addresses ? NULL : dxgk_patched_cut_early(packet);
        end_dropped(packet);
    }
}

static uint64_t private_hash(const struct dxgk_dma *dma)
{
    return dma->buffer->private_data ? XXH3_64bits(dma->buffer->private_data, dma->private_size)
                                     : 0;
}

/* A client may send no command at all; what comes of it is a packet like those of paging that are
 * empty. A Present that wrote nothing is none: its picture may be shown by a register. Who keeps
 * something in the private data waits for its submission. */
static bool is_wanted(const struct dxgk_passes *passes, const struct dxgk_dma *dma)
{
    bool filled = passes->is_work || passes->dropped || passes->context->virtual_addresses;

    if (dma->used > 0 || filled) { /* [SUBV-006]: by address nothing is no submission */
        return dma->used > 0;
    }
    return vary_happens(VARY_EMPTY_WORK, 1) || private_hash(dma) != passes->private_before;
}

/* What the driver produced, as a packet. Pointers outside were reported at the door (fatal). */
static NTSTATUS push_produced(struct dxgk_passes *passes, struct dxgk_dma *dma,
                              const struct dxgk_pass *pass)
{
    struct dxgk_context *context = passes->context;
    struct vidmm_dma_buffer *buffer = dma->buffer;
    struct dxgk_packet *packet;

    if (!inside(pass->end, buffer->bytes, dma->size) ||
        !inside(pass->patch_end, dxgk_dma_patch_out(context, dma), patch_bytes(dma)) ||
        !inside(pass->private_end, buffer->private_data, dma->private_size)) {
        dxgk_dma_put(dma);
        return STATUS_INVALID_USER_BUFFER;
    }
    if (passes->collected) {
        passes->collected->passes++;
    }
    dma->used = (UINT)((uint8_t *)pass->end - buffer->bytes);
    dma->private_used = (UINT)((uint8_t *)pass->private_end - buffer->private_data);
    if (!is_wanted(passes, dma)) {
        dxgk_dma_put(dma);
        return STATUS_SUCCESS; /* nothing to do */
    }
    if (!passes->dropped && dxgk_is_hwqueue(context)) {
        NTSTATUS status = dxgk_hwqueue_present_end(passes, dma);
        if (!NT_SUCCESS(status)) {
            dxgk_dma_put(dma);
            return status;
        }
    }
    packet = dxgk_packet_new(context, passes->road);
    if (!packet) {
        dxgk_dma_put(dma);
        return STATUS_NO_MEMORY;
    }
    fill_packet(packet, passes, dma, pass);
    if (passes->dropped) {
        drop(passes, packet);
        return STATUS_SUCCESS;
    }
    if (!context->virtual_addresses) {
        dxgk_clue_produced(packet);
    }
    if (passes->flags.Present && !passes->flip && !context->virtual_addresses) {
        dxgk_echo_keep(dma);
    }
    dxgk_packet_push(packet);
    return STATUS_SUCCESS;
}

/* As if it had been somewhere else in its segment a moment ago; Patch tells the truth. */
static void place_elsewhere(const struct dxgk_adapter *adapter, DXGK_ALLOCATIONLIST *element,
                            const struct dxgk_allocation *allocation)
{
    const struct vidmm_segment_options *segment = &adapter->segments[element->SegmentId - 1];
    uint64_t unit = segment->flags & VIDMM_SEGMENT_PAGES_64K ? 65536 : MACHINE_PAGE_SIZE;
    uint64_t alignment = allocation->memory.alignment_bytes;

    /* It has never been where its alignment does not let it be. */
    if (alignment && unit % alignment != 0) {
        unit = alignment % unit == 0 ? alignment : alignment * unit;
    }
    uint64_t units = (allocation->memory.size_bytes + unit - 1) / unit;
    uint64_t places = segment->size_bytes / unit;
    if (units < places && vary_happens(VARY_MOVED_PLACES, 2)) {
        uint64_t place = vary_below(VARY_MOVED_PLACES, places - units);
        element->PhysicalAddress.QuadPart = (LONGLONG)(segment->base_address + place * unit);
    }
}

/* What the driver is told of where things are is a hint [RENDER-011, PRES-017]. */
static void vary_place(const struct dxgk_adapter *adapter, DXGK_ALLOCATIONLIST *element,
                       const struct dxgk_allocation *allocation)
{
    if (element->SegmentId == 0 || !ddi_has(&adapter->ddi, POINT_Patch)) {
        return;
    }
    if (vary_happens(VARY_UNKNOWN_PLACES, 3)) {
        element->SegmentId = 0;
        element->PhysicalAddress.QuadPart = 0;
    } else {
        place_elsewhere(adapter, element, allocation);
    }
}

/* Between two passes paging may have moved what the list names [RENDER-011]. */
static void place_again(const struct dxgk_passes *passes)
{
    struct dxgk_context *context = passes->context;

    for (UINT i = 0; i < passes->allocation_count && !context->virtual_addresses; i++) {
        if (context->allocation_openings[i]) {
            struct dxgk_allocation *allocation = context->allocation_openings[i]->allocation;
            dxgk_allocation_list_place(&context->allocation_list[i], allocation);
            if (!passes->dropped) {
                vary_place(context->device->adapter, &context->allocation_list[i], allocation);
            }
        }
    }
}

/* It waits for room for what it said that it does without. A context with virtual addresses has no
 * patch list, whatever it says. */
static bool does_without_patches(const struct dxgk_context *context)
{
    return context->info.Caps.NoPatchingRequired && !context->virtual_addresses;
}

static void judge_no_patching(const struct dxgk_passes *passes, const struct dxgk_pass *pass)
{
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(CTX_014),
                                       .object = passes->context->object};

    contract_breach(&finding, "NoPatchingRequired for contexts that write no patch locations",
                    "ContextInfo.Caps.NoPatchingRequired was set, so that there is no patch list; "
                    "%s answers STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER %u times in a row, each "
                    "time with MultipassOffset left at 0x%X and a fresh buffer",
                    passes->road->writer, STANDING_MAX, pass->multipass);
}

/* How far a call came is in MultipassOffset, and what it had room for is in the buffer. Where
 * neither changes from one fresh buffer to the next, no further one helps. */
static bool goes_on(struct dxgk_passes *passes, const struct dxgk_dma *dma, UINT multipass_before,
                    const struct dxgk_pass *pass)
{
    bool whole = inside(pass->end, dma->buffer->bytes, dma->size);
    UINT bytes = whole ? (UINT)((uint8_t *)pass->end - dma->buffer->bytes) : 0;
    bool same = pass->multipass == multipass_before && bytes == passes->standing_bytes;

    passes->standing_count = same ? passes->standing_count + 1 : 1;
    passes->standing_bytes = bytes;
    if (dxgk_is_hwqueue(passes->context)) { /* the size of such buffers is a guess of ours */
        return passes->standing_count < STANDING_MAX;
    }
    contract_count(passes->going_on);
    if (passes->standing_count < STANDING_MAX) {
        return true;
    }
    if (does_without_patches(passes->context) && passes->command_bytes <= dma->size) {
        judge_no_patching(passes, pass);
        return false;
    }
    char commands[112] = "";
    if (passes->command_bytes > 0) {
        snprintf(commands, sizeof commands,
                 ", for %u bytes of commands: what no buffer will hold is STATUS_INVALID_PARAMETER",
                 passes->command_bytes);
    }
    contract_breach(
        &(struct contract_finding){.rule = passes->going_on, .object = passes->context->object},
        "MultipassOffset says how far a pass came, and the next one goes on there",
        "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER %u times in a row, each time with "
        "MultipassOffset left at 0x%X and %u bytes written to a fresh buffer of %u "
        "bytes with a patch list of %u elements%s",
        STANDING_MAX, pass->multipass, bytes, dma->size,
        passes->context->info.PatchLocationListSize, commands);
    return false;
}

/* One call of the driver and its packet. INSUFFICIENT_DMA_BUFFER: one more is wanted. */
static NTSTATUS run_one(struct dxgk_passes *passes, struct dxgk_pass *pass)
{
    struct dxgk_context *context = passes->context;
    UINT multipass = pass->multipass;
    struct dxgk_dma *dma;
    NTSTATUS status = dxgk_dma_acquire(context, &dma);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    place_again(passes);
    contract_canary_write(dxgk_dma_patch_out(context, dma) + dma->patch_size);
    bool first = pass->multipass == 0;
    passes->private_before = passes->is_work ? 0 : private_hash(dma);
    NTSTATUS answer = passes->call(passes, dma, pass);
    if (!NT_SUCCESS(answer) && answer != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        dxgk_dma_put(dma);
        if (answer == STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE && !passes->dropped) {
            dxgk_device_lose(context->device,
                             D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT); /* [RENDER-005] */
        }
        return answer;
    }
    if (NT_SUCCESS(answer) && does_without_patches(context) && !dxgk_is_hwqueue(context)) {
        contract_count(CONTRACT_JUDGES(CTX_014)); /* which goes_on() would have told of */
    }
    if (!NT_SUCCESS(answer) && !goes_on(passes, dma, multipass, pass)) {
        dxgk_dma_put(dma);
        return STATUS_INVALID_USER_BUFFER;
    }
    if (first && passes->is_work && NT_SUCCESS(answer) && pass->end == dma->buffer->bytes) {
        dxgk_clue_nothing(context->device->adapter, passes->flags.Present);
    }
    passes->more = !NT_SUCCESS(answer);
    status = push_produced(passes, dma, pass);
    return NT_SUCCESS(status) ? answer : status;
}

NTSTATUS dxgk_passes_run(struct dxgk_passes *passes)
{
    NTSTATUS status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    struct dxgk_pass pass = {0};

    CHECK_THAT(passes->context->rendering && passes->call && passes->road);
    for (unsigned i = 0; i < PASSES_MAX && status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; i++) {
        status = run_one(passes, &pass);
    }
    if (!NT_SUCCESS(status)) {
        ddi_repeats_no_more(&passes->context->device->adapter->ddi, passes->context->driver_handle);
    }
    return status;
}
