/* Memory that clients have, and that allocations can be made of: see standard.h.
 *
 *     dxgk_section_create ─> frames of RAM, a view for the client
 *         an allocation is made of some pages ─> a reference
 *     dxgk_section_free, the process ends ─> the view goes
 *         the last reference ─> the frames are free */
#include "dxgk/resource.h"

#include <stdlib.h>
#include <string.h>

struct dxgk_section {
    struct dxgk_life life; /* in its process's list until it is freed */
    uint64_t *frames;
    size_t page_count;
    uint8_t *view; /* of the client; NULL: freed */
};
ASSERT_BEGINS_WITH_LIFE(dxgk_section);

static void free_section(struct dxgk_life *life)
{
    struct dxgk_section *section = container_of(life, struct dxgk_section, life);

    CHECK_THAT(!section->view);
    ram_free_frames(section->frames, section->page_count);
    free(section->frames);
    free(section);
}

/* Zeroed, as a client expects memory that it never had. */
static NTSTATUS fill_section(struct dxgk_section *section, size_t page_count)
{
    const struct ram_request request = {.page_count = page_count};
    NTSTATUS status;

    section->frames = calloc(page_count, sizeof *section->frames);
    if (!section->frames) {
        return STATUS_NO_MEMORY;
    }
    status = ram_alloc_frames(&request, section->frames);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    section->page_count = page_count;
    section->view = ram_map_frames(section->frames, page_count, true);
    if (!section->view) {
        return STATUS_NO_MEMORY;
    }
    memset(section->view, 0, page_count * MACHINE_PAGE_SIZE);
    return STATUS_SUCCESS;
}

static void drop_view(struct dxgk_section *section)
{
    if (section->view) {
        ram_unmap_frames(section->view, section->page_count);
        section->view = NULL;
    }
}

/* Half of what is left at most: the driver and the kernel need memory, too. */
NTSTATUS dxgk_section_create(struct dxgk_process *process, uint64_t size_bytes,
                             struct dxgk_section **out)
{
    struct dxgk_section *section;
    NTSTATUS status;

    if (size_bytes == 0 || size_bytes > ram_bytes()) {
        return STATUS_INVALID_PARAMETER;
    }
    size_t page_count = align_up(size_bytes, MACHINE_PAGE_SIZE) / MACHINE_PAGE_SIZE;
    if (page_count * MACHINE_PAGE_SIZE > ram_free_bytes() / 2 ||
        !(section = calloc(1, sizeof *section))) {
        return STATUS_NO_MEMORY;
    }
    life_init(&section->life, DXGK_KIND_SECTION, free_section);
    status = fill_section(section, page_count);
    if (NT_SUCCESS(status)) {
        section->life.handle = dxgk_handle_new(DXGK_KIND_SECTION, &section->life, process);
        status = section->life.handle ? status : STATUS_NO_MEMORY;
    }
    if (!NT_SUCCESS(status)) {
        drop_view(section);
        life_put(&section->life);
        return status;
    }
    list_push_back(&process->sections, &section->life.link);
    life_begin(&section->life);
    dxgk_handle_show(section->life.handle);
    *out = section;
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_section_free(struct dxgk_section *section)
{
    if (!life_end(&section->life)) {
        return STATUS_INVALID_HANDLE;
    }
    drop_view(section);
    life_unlink(&section->life);
    life_put(&section->life);
    return STATUS_SUCCESS;
}

void dxgk_sections_close(struct dxgk_process *process)
{
    for (struct dxgk_life *life; (life = life_living(&process->sections)) != NULL;) {
        (void)dxgk_section_free(container_of(life, struct dxgk_section, life));
    }
}

D3DKMT_HANDLE dxgk_section_handle(const struct dxgk_section *section)
{
    return section->life.handle;
}

void *dxgk_section_view(const struct dxgk_section *section)
{
    return section->view;
}

struct dxgk_life *dxgk_section_at(struct dxgk_process *process, uintptr_t address, uint64_t *page)
{
    list_for_each (link, &process->sections) {
        struct dxgk_section *section = container_of(link, struct dxgk_section, life.link);
        uintptr_t base = (uintptr_t)section->view;
        if (address >= base && (address - base) / MACHINE_PAGE_SIZE < section->page_count) {
            *page = (address - base) / MACHINE_PAGE_SIZE;
            life_get(&section->life);
            return &section->life;
        }
    }
    return NULL;
}

const uint64_t *dxgk_section_frames(struct dxgk_section *section, uint64_t page,
                                    uint64_t size_bytes)
{
    uint64_t left = section->page_count > page ? section->page_count - page : 0;

    return left > 0 && size_bytes <= left * MACHINE_PAGE_SIZE ? section->frames + page : NULL;
}

void dxgk_section_hold(struct dxgk_section *section)
{
    life_get(&section->life);
}

void dxgk_section_put(struct dxgk_section *section)
{
    life_put(&section->life);
}
