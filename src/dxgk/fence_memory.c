/* Memory of fences that the GPU reads and writes: made, shown, and given back. See
 * fence_memory.h. */
#include "dxgk/fence_memory.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

/* ---- Pages ----------------------------------------------------------------------------------- */

void dxgk_word_free(struct dxgk_word *word)
{
    if (word->has_memory) {
        vidmm_allocation_fini(&word->memory);
    }
    if (word->view) {
        ram_unmap_frames(word->view, 1);
    }
    if (word->has_frame) {
        ram_free_frames(&word->frame, 1);
    }
    *word = (struct dxgk_word){0};
}

/* Plain pages of system memory: nothing is mapped for them but their entries. */
static NTSTATUS make_word(struct dxgk_word *word, struct dxgk_adapter *adapter, uint32_t object,
                          uint32_t flags)
{
    const struct ram_request request = {.page_count = 1};
    unsigned plain = adapter->segment_count + 1;
    NTSTATUS status = ram_alloc_frames(&request, &word->frame);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    word->has_frame = true;
    word->view = ram_map_frames(&word->frame, 1, true);
    if (!word->view) {
        return STATUS_NO_MEMORY;
    }
    memset(word->view, 0, MACHINE_PAGE_SIZE);
    const struct vidmm_allocation_options options = {
        .size_bytes = MACHINE_PAGE_SIZE,
        .read_segments = VIDMM_SEGMENT_BIT(plain),
        .write_segments = VIDMM_SEGMENT_BIT(plain),
        .flags = VIDMM_ALLOCATION_VIRTUAL | VIDMM_ALLOCATION_CACHED | VIDMM_ALLOCATION_NO_FILL |
                 VIDMM_ALLOCATION_KERNEL | VIDMM_ALLOCATION_PERMANENT_SYSMEM | flags,
        .priority = VIDMM_PRIORITY_NORMAL,
        .object = object,
        .existing_frames = &word->frame,
    };
    status = vidmm_allocation_init(&word->memory, adapter->vidmm, &options);
    word->has_memory = NT_SUCCESS(status);
    return status;
}

NTSTATUS dxgk_word_make(struct dxgk_word *word, struct dxgk_adapter *adapter, uint32_t object,
                        uint32_t flags)
{
    NTSTATUS status = make_word(word, adapter, object, flags);

    if (!NT_SUCCESS(status)) {
        dxgk_word_free(word);
    }
    return status;
}

NTSTATUS dxgk_word_map(struct dxgk_word *word, struct dxgk_space *space, bool writes,
                       uint64_t *address)
{
    const struct vidmm_map_request wanted = {
        .allocation = &word->memory,
        .page_count = 1,
        .protection = writes ? VIDMM_PROTECT_WRITE : 0,
        .systems = true,
    };
    struct vidmm_wait wait = {0};
    NTSTATUS status = dxgk_space_need_root(space);

    while (NT_SUCCESS(status) &&
           (status = vidmm_space_map(&space->memory, &wanted, address, &wait)) == STATUS_PENDING) {
        dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
    }
    dxgk_paging_kick(space->adapter);
    return status;
}

static void free_memory(struct dxgk_fence_memory *memory)
{
    dxgk_word_free(&memory->word);
    list_remove(&memory->link);
    free(memory);
}

struct dxgk_fence_memory *dxgk_fence_memory_new(struct dxgk_adapter *adapter, uint32_t object,
                                                uint32_t flags)
{
    struct dxgk_fence_memory *memory = calloc(1, sizeof *memory);

    if (!memory) {
        return NULL;
    }
    memory->adapter = adapter;
    memory->reference_count = 1;
    list_init(&memory->link);
    if (!NT_SUCCESS(dxgk_word_make(&memory->word, adapter, object, flags))) {
        free_memory(memory);
        return NULL;
    }
    return memory;
}

/* Nobody sees it; only paging that names it may still be under way. */
static bool try_retire(struct dxgk_fence_memory *memory)
{
    struct vidmm_wait wait = {0};

    return vidmm_allocation_retire(&memory->word.memory, &wait) == STATUS_SUCCESS &&
           wait.paging_sequence == 0;
}

static void reap_memories(struct dxgk_adapter *adapter)
{
    list_for_each_safe (link, &adapter->old_fences) {
        struct dxgk_fence_memory *memory = container_of(link, struct dxgk_fence_memory, link);
        if (try_retire(memory)) {
            free_memory(memory);
        }
    }
    dxgk_paging_kick(adapter);
}

void dxgk_fence_memory_put(struct dxgk_fence_memory *memory)
{
    CHECK_THAT(memory->reference_count > 0);
    if (--memory->reference_count == 0) {
        list_push_back(&memory->adapter->old_fences, &memory->link);
    }
}

void dxgk_fence_memories_end(struct dxgk_adapter *adapter)
{
    for (struct list *link; (link = list_pop_front(&adapter->old_fences)) != NULL;) {
        struct dxgk_fence_memory *memory = container_of(link, struct dxgk_fence_memory, link);
        list_init(&memory->link);
        dxgk_retire_memory(adapter, &memory->word.memory);
        free_memory(memory);
    }
}

/* ---- Views ----------------------------------------------------------------------------------- */

/* PENDING: somebody still uses it. */
static NTSTATUS try_unmap(struct dxgk_fence_view *view, struct vidmm_wait *wait)
{
    NTSTATUS status = view->address == 0
                          ? STATUS_SUCCESS
                          : vidmm_space_free_systems(&view->space->memory, view->address,
                                                     MACHINE_PAGE_SIZE, wait);

    if (status != STATUS_PENDING) {
        view->address = 0;
    }
    return status;
}

static void free_view(struct dxgk_fence_view *view)
{
    list_remove(&view->link);
    dxgk_fence_memory_put(view->memory);
    free(view);
}

/* Who is given an address may be given that of one that has been closed since, not before. */
static void reap_views(struct dxgk_space *space)
{
    struct vidmm_wait wait;

    list_for_each_safe (link, &space->fences) {
        struct dxgk_fence_view *view = container_of(link, struct dxgk_fence_view, link);
        if (space->fence_lookers == 0 && view->closed && view->memory->word.memory.use_count == 0 &&
            try_unmap(view, &wait) != STATUS_PENDING) {
            free_view(view);
        }
    }
    reap_memories(space->adapter);
}

void dxgk_fence_views_end(struct dxgk_space *space)
{
    struct vidmm_wait wait;

    while (space->fence_lookers > 0) { /* somebody is on the list, and has let his caller go */
        wait_queue_wait(&space->adapter->idle_changed, MACHINE_NEVER);
    }
    while (space->adapter && !list_empty(&space->fences)) {
        struct dxgk_fence_view *view =
            container_of(space->fences.next, struct dxgk_fence_view, link);
        CHECK_THAT(view->closed);
        while (try_unmap(view, &wait) == STATUS_PENDING) {
            dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
        }
        free_view(view);
    }
    if (space->adapter) {
        reap_memories(space->adapter);
    }
}

NTSTATUS dxgk_fence_view_new(struct dxgk_space *space, struct dxgk_fence_memory *memory,
                             bool writes, struct dxgk_fence_view **out)
{
    struct dxgk_fence_view *view = calloc(1, sizeof *view);

    if (!view) {
        return STATUS_NO_MEMORY;
    }
    reap_views(space);
    view->space = space;
    view->memory = memory;
    memory->reference_count++;
    NTSTATUS status = dxgk_word_map(&memory->word, space, writes, &view->address);
    if (!NT_SUCCESS(status)) {
        list_init(&view->link);
        view->address = 0;
        free_view(view);
        return status;
    }
    list_push_back(&space->fences, &view->link);
    *out = view;
    return STATUS_SUCCESS;
}

void dxgk_fence_view_close(struct dxgk_fence_view *view)
{
    view->closed = true;
    view->fence = NULL;
}

/* ---- For work -------------------------------------------------------------------------------- */

static struct dxgk_space *space_of(const struct dxgk_packet *packet)
{
    return &packet->context->device->process->space;
}

/* What is shown when the packet is prepared; closed ones, too: its client may have named them. */
static size_t list_views(const struct dxgk_space *space, struct vidmm_reference *references)
{
    size_t count = 0;

    list_for_each (link, &space->fences) {
        struct dxgk_fence_view *view = container_of(link, struct dxgk_fence_view, link);
        if (view->address == 0) {
            continue;
        }
        if (references) {
            references[count] = (struct vidmm_reference){
                .allocation = &view->memory->word.memory, .write = true, .slot = VIDMM_NO_SLOT};
        }
        count++;
    }
    return count;
}

enum vidsch_prepare dxgk_fences_prepare(struct dxgk_packet *packet, NTSTATUS *status)
{
    uint64_t queued = vidmm_paging_queued(packet->adapter->vidmm);
    size_t count = list_views(space_of(packet), NULL);
    struct vidmm_prepare_result result = {0};

    if (packet->has_fences || count == 0) {
        return VIDSCH_PREPARE_READY;
    }
    struct vidmm_reference *references = calloc(count, sizeof *references);
    if (!references) {
        *status = STATUS_NO_MEMORY;
        return VIDSCH_PREPARE_FAILED;
    }
    const struct vidmm_prepare_request request = {
        .references = references, .count = list_views(space_of(packet), references)};
    vidmm_prepare(&packet->fence_use, &request, &result);
    free(references);
    dxgk_paging_kick_new(packet->adapter, queued);
    if (result.outcome == VIDMM_FAILED) {
        *status = result.status;
        return VIDSCH_PREPARE_FAILED;
    }
    packet->has_fences = result.outcome == VIDMM_READY;
    packet->fence_sequence = result.paging_sequence;
    return packet->has_fences ? VIDSCH_PREPARE_READY : dxgk_packet_let_go(packet);
}

/* Whoever is let go may close fences, which only marks their views, and may switch. */
void dxgk_fences_look(struct dxgk_space *space)
{
    if (!space->adapter || list_empty(&space->fences)) {
        return;
    }
    space->fence_lookers++;
    list_for_each_safe (link, &space->fences) {
        struct dxgk_fence_view *view = container_of(link, struct dxgk_fence_view, link);
        if (view->fence) {
            sync_fence_poll(view->fence);
        }
    }
    space->fence_lookers--;
    wait_queue_wake(&space->adapter->idle_changed, UINT_MAX);
}

/* A process has its devices on one list, and its fences once. */
void dxgk_fences_look_all(struct dxgk_adapter *adapter)
{
    for_each_life(life, &adapter->devices)
    {
        struct dxgk_device *device = container_of(life, struct dxgk_device, life);
        if (device->process && device->process->devices.next == &device->process_link) {
            dxgk_fences_look(&device->process->space);
        }
    }
}
