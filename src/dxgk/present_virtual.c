/* Present in contexts with GPU virtual addresses: the driver writes the same commands, and they
 * name source and destination by addresses of the process, as does what submits them.
 *
 *   surfaces   mapped by the kernel with their first Present, at an address that they keep until
 *              their opening is closed: where memory moves, the tables follow [PRES-019]
 *   buffers    plain pages, mapped likewise [PRES-050]
 *   the list   DXGK_PRESENTALLOCATIONINFO instead of DXGK_ALLOCATIONLIST [PRES-013]
 *
 *   Present ─> passes.c ─> prepare: buffer, source, destination, then all that the device wants in
 *   place ─> SubmitCommandVirtual with Present; nothing is patched, and nothing validated, for the
 *   driver wrote it itself */
#include "dxgk/present_virtual.h"
#include "dxgk/gdi_parts.h"
#include "dxgk/hwqueue_present.h"
#include "dxgk/leads.h"
#include "dxgk/submission.h"

#include <stdlib.h>
#include <string.h>

#define BUFFERS_MAX     8 /* of a context: as many presents wait or run */
#define DMA_BYTES_MAX   (64u << 20)
#define PATCH_COUNT_MAX (1u << 20)
#define ALLOCATIONS_MAX (1u << 16)

struct dxgk_presents {
    struct list free; /* struct present_buffer */
    unsigned count;   /* busy ones, too */
    DXGK_PRESENTALLOCATIONINFO *list;
};

struct present_buffer {
    struct vidmm_dma_buffer dma; /* what passes.c and dma.c know of it; of no pool */
    struct list link;
    struct dxgk_context *context;
    struct dxgk_block *block; /* its private data, as those of a submission */
    struct vidmm_allocation memory;
    bool has_frames, has_memory, mapped;
};

static struct present_buffer *of_dma(struct vidmm_dma_buffer *dma)
{
    return container_of(dma, struct present_buffer, dma);
}

static struct dxgk_space *space_of(const struct dxgk_device *device)
{
    return &device->process->space;
}

/* ---- Addresses ------------------------------------------------------------------------------- */

static NTSTATUS map_whole(struct dxgk_device *device, struct vidmm_allocation *memory,
                          uint32_t protection, uint64_t *address)
{
    struct dxgk_space *space = space_of(device);
    const struct vidmm_map_request wanted = {
        .allocation = memory,
        .page_count = memory->size_bytes / MACHINE_PAGE_SIZE,
        .protection = protection,
        .systems = true,
    };
    struct vidmm_wait wait = {0};
    NTSTATUS status;

    while ((status = vidmm_space_map(&space->memory, &wanted, address, &wait)) == STATUS_PENDING) {
        dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
    }
    dxgk_paging_kick(space->adapter);
    return status;
}

static void unmap_whole(struct dxgk_device *device, const struct vidmm_allocation *memory,
                        uint64_t address)
{
    struct dxgk_space *space = space_of(device);
    struct vidmm_wait wait = {0};

    while (vidmm_space_free_systems(&space->memory, address, memory->size_bytes, &wait) ==
           STATUS_PENDING) {
        dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
    }
    dxgk_paging_kick(space->adapter);
}

NTSTATUS dxgk_opening_need_address(struct dxgk_opening *opening)
{
    struct vidmm_allocation *memory = &opening->allocation->memory;
    uint64_t address;

    if (opening->address) {
        return STATUS_SUCCESS;
    }
    NTSTATUS status = map_whole(opening->device, memory, VIDMM_PROTECT_WRITE, &address);
    if (NT_SUCCESS(status) && opening->address) { /* another context's call was faster */
        unmap_whole(opening->device, memory, address);
    } else if (NT_SUCCESS(status)) {
        opening->address = address;
    }
    return status;
}

void dxgk_opening_drop_address(struct dxgk_opening *opening)
{
    if (opening->address) {
        unmap_whole(opening->device, &opening->allocation->memory, opening->address);
        opening->address = 0;
    }
}

static bool shows(const struct dxgk_device *device, uint64_t address,
                  const struct vidmm_allocation *memory)
{
    struct vidmm_translation shown;

    vidmm_space_translate(&space_of(device)->memory, address, &shown);
    return shown.allocation == memory && shown.allocation_offset == 0;
}

DXGK_PRESENTALLOCATIONINFO *dxgk_presents_list(struct dxgk_context *context)
{
    DXGK_PRESENTALLOCATIONINFO *list = context->presents->list;

    for (UINT i = 0; i < DXGK_PRESENT_ALLOCATION_COUNT; i++) {
        const struct dxgk_opening *opening = context->allocation_openings[i];
        list[i] = (DXGK_PRESENTALLOCATIONINFO){0};
        if (opening) {
            list[i].hDeviceSpecificAllocation = opening->driver_handle;
            list[i].AllocationVirtualAddress = opening->address;
        }
    }
    return list;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static NTSTATUS make_pages(struct vidmm_dma_buffer *dma, struct present_buffer *buffer)
{
    const struct ram_request request = {.page_count = dma->frame_count};

    dma->frames = malloc(dma->frame_count * sizeof *dma->frames);
    if (!dma->frames || !NT_SUCCESS(ram_alloc_frames(&request, dma->frames))) {
        return STATUS_NO_MEMORY;
    }
    buffer->has_frames = true;
    dma->bytes = ram_map_frames(dma->frames, dma->frame_count, true);
    if (!dma->bytes) {
        return STATUS_NO_MEMORY;
    }
    ram_view_name(dma->bytes, "a DMA buffer", 0, dma->size_bytes);
    return STATUS_SUCCESS;
}

/* Plain pages, for which nothing is mapped but entries of page tables. */
static NTSTATUS make_memory(struct present_buffer *buffer)
{
    struct dxgk_adapter *adapter = buffer->context->device->adapter;
    const uint32_t system_memory = VIDMM_SEGMENT_BIT(adapter->segment_count + 1);
    const struct vidmm_allocation_options options = {
        .size_bytes = buffer->dma.size_bytes,
        .read_segments = system_memory,
        .write_segments = system_memory,
        .flags = VIDMM_ALLOCATION_VIRTUAL | VIDMM_ALLOCATION_CACHED | VIDMM_ALLOCATION_NO_FILL |
                 VIDMM_ALLOCATION_KERNEL | VIDMM_ALLOCATION_PERMANENT_SYSMEM,
        .priority = VIDMM_PRIORITY_NORMAL,
        .object = buffer->context->object,
        .existing_frames = buffer->dma.frames,
    };
    NTSTATUS status = vidmm_allocation_init(&buffer->memory, adapter->vidmm, &options);

    buffer->has_memory = NT_SUCCESS(status);
    return status;
}

static void free_buffer(struct present_buffer *buffer)
{
    struct vidmm_dma_buffer *dma = &buffer->dma;
    struct dxgk_device *device = buffer->context->device;

    if (buffer->mapped) {
        unmap_whole(device, &buffer->memory, dma->virtual_address);
    }
    if (buffer->has_memory) {
        dxgk_retire_memory(device->adapter, &buffer->memory);
        vidmm_allocation_fini(&buffer->memory);
    }
    if (dma->bytes) {
        ram_unmap_frames(dma->bytes, dma->frame_count);
    }
    if (buffer->has_frames) {
        ram_free_frames(dma->frames, dma->frame_count);
    }
    free(dma->frames);
    dxgk_dma_free(dma->owner_data);
    dxgk_block_free(buffer->block);
    free(buffer);
}

static NTSTATUS furnish(struct present_buffer *buffer)
{
    struct dxgk_context *context = buffer->context;
    struct vidmm_dma_buffer *dma = &buffer->dma;
    size_t growth = vary_on(VARY_LARGER_BUFFERS) ? DXGK_BUFFER_GROWTH_MAX : 0;

    /* Behind what the driver is told of, in a hardware queue's: the signal at the end. */
    growth += dxgk_is_hwqueue(context) ? DXGK_SIGNAL_BYTES : 0;
    dma->size_bytes = align_up(context->info.DmaBufferSize + growth, MACHINE_PAGE_SIZE);
    dma->frame_count = dma->size_bytes / MACHINE_PAGE_SIZE;
    buffer->block =
        dxgk_block_new(context->device->adapter, context->info.DmaBufferPrivateDataSize);
    if (!buffer->block) {
        return STATUS_NO_MEMORY;
    }
    dma->private_data = buffer->block->bytes;
    NTSTATUS status = make_pages(dma, buffer);
    if (NT_SUCCESS(status)) {
        status = make_memory(buffer);
    }
    if (NT_SUCCESS(status)) {
        status = map_whole(context->device, &buffer->memory,
                           VIDMM_PROTECT_WRITE | VIDMM_PROTECT_EXECUTE, &dma->virtual_address);
        buffer->mapped = NT_SUCCESS(status);
    }
    return status;
}

static NTSTATUS make_buffer(struct dxgk_context *context, struct present_buffer **out)
{
    struct present_buffer *buffer = calloc(1, sizeof *buffer);

    if (!buffer) {
        return STATUS_NO_MEMORY;
    }
    buffer->context = context;
    list_init(&buffer->link);
    NTSTATUS status = furnish(buffer);
    if (!NT_SUCCESS(status)) {
        free_buffer(buffer);
        return status;
    }
    *out = buffer;
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_presents_acquire(struct dxgk_context *context, struct vidmm_dma_buffer **out)
{
    struct dxgk_presents *presents = context->presents;
    struct list *link = list_pop_front(&presents->free);
    struct present_buffer *buffer = NULL;

    if (!link && presents->count == BUFFERS_MAX) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    if (link) {
        buffer = container_of(link, struct present_buffer, link);
    } else {
        NTSTATUS status = make_buffer(context, &buffer);
        if (!NT_SUCCESS(status)) {
            return status;
        }
        presents->count++;
    }
    KERNEL_DUTY(PRES_050, shows(context->device, buffer->dma.virtual_address, &buffer->memory));
    if (buffer->dma.private_data && !vary_happens(VARY_OLD_PRIVATE_DATA, 1)) {
        memset(buffer->dma.private_data, 0, context->info.DmaBufferPrivateDataSize);
    }
    *out = &buffer->dma;
    return STATUS_SUCCESS;
}

void dxgk_presents_release(struct vidmm_dma_buffer *dma)
{
    struct present_buffer *buffer = of_dma(dma);

    list_push_back(&buffer->context->presents->free, &buffer->link);
}

/* ---- A context's life ------------------------------------------------------------------------ */

static bool sizes_make_sense(const DXGK_CONTEXTINFO *info)
{
    return info->DmaBufferSize > 0 && info->DmaBufferSize <= DMA_BYTES_MAX &&
           info->AllocationListSize <= ALLOCATIONS_MAX &&
           info->PatchLocationListSize <= PATCH_COUNT_MAX;
}

/* What passes.c uses of any context, and the list. */
static bool make_lists(struct dxgk_context *context, struct dxgk_presents *presents)
{
    const UINT count = context->gdi ? GDI_LIST_MAX : DXGK_PRESENT_ALLOCATION_COUNT;

    context->list_room = count;
    context->allocation_list = nt_memory_alloc(count * sizeof(DXGK_ALLOCATIONLIST), 0);
    context->allocation_openings = calloc(count, sizeof(struct dxgk_opening *));
    context->patch_out = nt_memory_hand(
        dxgk_dma_patch_room(context) * sizeof(D3DDDI_PATCHLOCATIONLIST), "pPatchLocationListOut");
    presents->list =
        nt_memory_hand(DXGK_PRESENT_ALLOCATION_COUNT * sizeof *presents->list, "pAllocationInfo");
    context->allocation_given =
        nt_memory_hand(count * sizeof(DXGK_ALLOCATIONLIST), "the allocation list");
    return context->allocation_list && context->allocation_given && context->allocation_openings &&
           context->patch_out && presents->list;
}

/* What is half made is freed with the context. */
NTSTATUS dxgk_presents_begin(struct dxgk_context *context)
{
    CHECK_THAT(context->virtual_addresses && context->rendering);
    if (context->presents) {
        return context->presents->list ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    }
    if (context->device->adapter->mmu.shared || !sizes_make_sense(&context->info)) {
        return STATUS_NOT_SUPPORTED;
    }
    struct dxgk_presents *presents = calloc(1, sizeof *presents);
    if (!presents) {
        return STATUS_NO_MEMORY;
    }
    list_init(&presents->free);
    if (!make_lists(context, presents)) {
        nt_memory_free(presents->list);
        presents->list = NULL;
    }
    context->presents = presents;
    return presents->list ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

void dxgk_presents_end(struct dxgk_context *context)
{
    struct dxgk_presents *presents = context->presents;

    if (!presents) {
        return;
    }
    for (struct list *link; (link = list_pop_front(&presents->free)) != NULL;) {
        free_buffer(container_of(link, struct present_buffer, link));
        presents->count--;
    }
    CHECK_THAT(presents->count == 0);
    context->presents = NULL;
    nt_memory_free(presents->list);
    free(presents);
}

/* ---- The road -------------------------------------------------------------------------------- */

void dxgk_presents_fill(struct dxgk_packet *packet)
{
    struct present_buffer *buffer = of_dma(packet->dma->buffer);

    dxgk_submission_begin(packet);
    if (dxgk_is_hwqueue(packet->context)) {
        dxgk_hwqueue_present_fill(packet);
        return;
    }
    packet->submission.block = buffer->block;
    packet->submission.address = buffer->dma.virtual_address;
    packet->submission.size = packet->dma->used;
}

size_t dxgk_presents_refer(const struct dxgk_packet *packet, struct vidmm_reference *references)
{
    const struct dxgk_dma *dma = packet->dma;
    size_t count = 0;

    references[count++] =
        (struct vidmm_reference){.allocation = &of_dma(dma->buffer)->memory, .slot = VIDMM_NO_SLOT};
    for (UINT i = 0; i < dma->allocation_count; i++) {
        if (dma->targets[i]) {
            references[count++] = (struct vidmm_reference){.allocation = &dma->targets[i]->memory,
                                                           .write = dma->writes[i],
                                                           .slot = VIDMM_NO_SLOT};
        }
    }
    return count;
}

static void present_submit(struct dxgk_packet *packet)
{
    dxgk_written_note(packet);
    dxgk_virtual_submit(packet);
}

static void present_done(struct dxgk_packet *packet, NTSTATUS status)
{
    dxgk_submission_end(packet);
    if (NT_SUCCESS(status)) {
        dxgk_leads_after(packet);
    }
    dxgk_dma_put(packet->dma);
}

/* They differ in who writes the buffer. */
#define OWN(road_name, road_kind, road_writer)                             \
    {                                                                      \
        .name = (road_name), .kind = (road_kind), .writer = (road_writer), \
        .prepare = dxgk_virtual_prepare, .submit = present_submit,         \
        .progress = dxgk_virtual_progress, .cancel = dxgk_virtual_cancel,  \
        .recall = dxgk_virtual_recall, .done = present_done,               \
    }

const struct dxgk_road dxgk_road_present_virtual =
    OWN("present by virtual address", VIDSCH_PACKET_PRESENT, "DxgkDdiPresent");
const struct dxgk_road dxgk_road_gdi_virtual =
    OWN("gdi by virtual address", VIDSCH_PACKET_RENDER, "DxgkDdiRenderGdi");

bool dxgk_presents_own(const struct dxgk_packet *packet)
{
    return packet->road == &dxgk_road_present_virtual || packet->road == &dxgk_road_gdi_virtual;
}
