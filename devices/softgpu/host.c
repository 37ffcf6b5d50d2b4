/* host.c: the host aperture, by which the CPU sees video memory that BAR 0 does not show it.
 *
 * A part of BAR 0 whose pages show what a table in video memory says. The device reads the table
 * when it is told to: an entry that is written alone changes nothing. */
#include "internal.h"

#include <stddef.h>
#include <string.h>

#define ENTRY_BYTES 8u

bool host_exists(const struct softgpu *gpu)
{
    const struct device_bus_operations *bus = gpu->bus->operations;

    return bus->size_bytes >=
               offsetof(struct device_bus_operations, bar_show) + sizeof(bus->bar_show) &&
           bus->bar_show;
}

static uint64_t page_count(const struct softgpu *gpu)
{
    return gpu->host.size / SOFTGPU_PAGE_SIZE;
}

static void show(const struct softgpu *gpu, uint64_t page, uint64_t count, uint64_t from)
{
    struct device_bus *bus = gpu->bus;

    bus->operations->bar_show(bus, SOFTGPU_BAR_VRAM, gpu->host.base + page * SOFTGPU_PAGE_SIZE,
                              count * SOFTGPU_PAGE_SIZE, from);
}

/* What the table says of a page. */
static uint64_t shown_by(const struct softgpu *gpu, uint64_t page)
{
    uint64_t entry, address;

    memcpy(&entry, gpu->vram + gpu->host.table + page * ENTRY_BYTES, sizeof(entry));
    address = entry & SOFTGPU_PTE_ADDRESS_MASK;
    return entry & SOFTGPU_PTE_VALID && address < gpu->vram_size ? address : DEVICE_BAR_NOTHING;
}

/* Neighbours that show neighbours, or nothing, at once. */
static void read_table(const struct softgpu *gpu, uint64_t first, uint64_t count)
{
    while (count > 0) {
        uint64_t from = shown_by(gpu, first), run = 1;
        uint64_t step = from == DEVICE_BAR_NOTHING ? 0 : SOFTGPU_PAGE_SIZE;
        while (run < count && shown_by(gpu, first + run) == from + run * step)
            run++;
        show(gpu, first, run, from);
        first += run;
        count -= run;
    }
}

static bool makes_sense(const struct softgpu *gpu)
{
    const struct host_aperture *host = &gpu->host;
    uint64_t table_size = page_count(gpu) * ENTRY_BYTES;

    return host->base <= gpu->vram_size && host->size <= gpu->vram_size - host->base &&
           table_size <= gpu->vram_size && host->table <= gpu->vram_size - table_size;
}

void host_reset(struct softgpu *gpu)
{
    if (gpu->host.enabled)
        show(gpu, 0, page_count(gpu), gpu->host.base);
    gpu->host = (struct host_aperture){0};
}

static void control(struct softgpu *gpu, bool enable)
{
    if (enable && host_exists(gpu) && makes_sense(gpu)) {
        gpu->host.enabled = true;
        read_table(gpu, 0, page_count(gpu));
    } else if (gpu->host.enabled) {
        show(gpu, 0, page_count(gpu), gpu->host.base);
        gpu->host.enabled = false;
    }
}

static void update(const struct softgpu *gpu, uint32_t value)
{
    uint64_t first = value & 0xFFFFFu, count = (value >> 20) + 1u;

    if (gpu->host.enabled && first < page_count(gpu) && count <= page_count(gpu) - first)
        read_table(gpu, first, count);
}

static uint64_t *pair_of(struct host_aperture *host, uint32_t reg)
{
    switch (reg & ~4u) {
    case SOFTGPU_REG_HOST_BASE:
        return &host->base;
    case SOFTGPU_REG_HOST_SIZE:
        return &host->size;
    case SOFTGPU_REG_HOST_TABLE:
        return &host->table;
    default:
        return NULL;
    }
}

uint32_t host_read(const struct softgpu *gpu, uint32_t reg)
{
    struct host_aperture host = gpu->host;
    const uint64_t *value = pair_of(&host, reg);

    if (value)
        return (uint32_t)(*value >> (reg & 4 ? 32 : 0));
    return reg == SOFTGPU_REG_HOST_CONTROL && host.enabled ? SOFTGPU_HOST_ENABLE : 0;
}

/* Where it is stays as it is while it is enabled. */
void host_write(struct softgpu *gpu, uint32_t reg, uint32_t value)
{
    uint64_t *place = pair_of(&gpu->host, reg);

    if (place && !gpu->host.enabled) {
        unsigned shift = reg & 4 ? 32 : 0;
        *place = (*place & ~(0xFFFFFFFFull << shift)) | (uint64_t)value << shift;
        *place &= ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
    } else if (reg == SOFTGPU_REG_HOST_CONTROL) {
        control(gpu, (value & SOFTGPU_HOST_ENABLE) != 0);
    } else if (reg == SOFTGPU_REG_HOST_UPDATE) {
        update(gpu, value);
    }
}
