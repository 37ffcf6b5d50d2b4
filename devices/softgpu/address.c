/* address.c: from GPU addresses to host memory.
 *
 *   VRAM window      offset into BAR 0's memory, one piece
 *   aperture window  table in video memory: page -> system page
 *   windows          table in video memory: page -> page of video memory or system page
 *   AGP window       address of the bus, which the chipset leads to memory
 *   system window    physical address, for privileged users
 *
 * A view is as long as the pages behind it lie together, so that a copy of many pages that happen
 * to be neighbours is one copy. Virtual addresses, of a packet that names an address space, become
 * GPU addresses in mmu.c, ahead of the windows. */
#include "internal.h"

#include <string.h>

static uint8_t *fail(struct access *access, uint32_t reason, uint64_t address)
{
    access->fault.reason = reason;
    access->fault.address = address;
    return NULL;
}

static bool within(uint64_t base, uint64_t window_size, uint64_t address, uint64_t size)
{
    return address >= base && address - base <= window_size &&
           size <= window_size - (address - base);
}

bool address_is_local(struct access *access, uint64_t address)
{
    struct access probe = *access;
    probe.only_asks = true;
    if (access->space && !mmu_locate(&probe, address, &address))
        return true; /* no memory is nearer than all memory */
    return address < access->gpu->vram_size;
}

bool address_meets(uint64_t address, uint64_t length, uint64_t physical, uint64_t size)
{
    uint64_t at = address - SOFTGPU_SYSTEM_BASE;
    return address >= SOFTGPU_SYSTEM_BASE && at < physical + size && physical < at + length;
}

static bool within_windows(const struct softgpu *gpu, uint64_t address, uint64_t size)
{
    return within(SOFTGPU_WINDOW_BASE, (uint64_t)gpu->window_pages * SOFTGPU_PAGE_SIZE, address,
                  size);
}

static bool within_agp(const struct softgpu *gpu, uint64_t address, uint64_t size)
{
    return within(gpu->agp_base, gpu->agp_size, address, size) && address < SOFTGPU_SYSTEM_BASE;
}

bool address_check(struct access *access, uint64_t address, uint64_t size)
{
    const struct softgpu *gpu = access->gpu;
    if (access->space)
        return mmu_check(access, address, size);
    if (within(SOFTGPU_VRAM_BASE, gpu->vram_size, address, size) ||
        within(SOFTGPU_APERTURE_BASE, gpu->aperture_size, address, size) ||
        within_windows(gpu, address, size) || within_agp(gpu, address, size))
        return true;
    if (!within(SOFTGPU_SYSTEM_BASE, SOFTGPU_SYSTEM_SIZE, address, size)) {
        fail(access, SOFTGPU_FAULT_ADDRESS, address);
        return false;
    }
    if (!access->privileged) {
        fail(access, SOFTGPU_FAULT_PRIVILEGE, address);
        return false;
    }
    return true;
}

/* There is no memory. Reading there anyway is what lets the computer notice and report it. */
static uint8_t *bus_fault(struct access *access, uint64_t physical, uint64_t gpu_address)
{
    struct device_bus *bus = access->gpu->bus;
    uint8_t byte;
    if (!access->only_asks)
        bus->operations->dma_read(bus, physical, &byte, sizeof(byte));
    return fail(access, SOFTGPU_FAULT_BUS, gpu_address);
}

/* System memory. If the range is not one piece of RAM, the part up to the end of the page is. */
static uint8_t *map_system(struct access *access, uint64_t physical, uint64_t size,
                           uint64_t gpu_address, uint64_t *mapped_size)
{
    struct device_bus *bus = access->gpu->bus;
    uint64_t to_page_end = SOFTGPU_PAGE_SIZE - physical % SOFTGPU_PAGE_SIZE;
    uint8_t *bytes = bus->operations->dma_map(bus, physical, size);
    if (!bytes && size > to_page_end) {
        size = to_page_end;
        bytes = bus->operations->dma_map(bus, physical, size);
    }
    if (!bytes)
        return bus_fault(access, physical, gpu_address);
    *mapped_size = size;
    return bytes;
}

/* Where the entry of an aperture page lies, or NULL: table not set up, or out of video memory. */
static uint8_t *aperture_entry(struct softgpu *gpu, uint64_t page)
{
    uint64_t table_size = gpu->aperture_size / SOFTGPU_PAGE_SIZE * 8;
    if (!(gpu->aperture_control & SOFTGPU_APERTURE_ENABLE) || page >= table_size / 8 ||
        !within(0, gpu->vram_size, gpu->aperture_table, table_size))
        return NULL;
    return gpu->vram + gpu->aperture_table + page * 8;
}

static bool aperture_translate(struct access *access, uint64_t address, enum access_kind kind,
                               uint64_t *physical)
{
    struct softgpu *gpu = access->gpu;
    uint64_t offset = address - SOFTGPU_APERTURE_BASE;
    const uint8_t *place = aperture_entry(gpu, offset >> SOFTGPU_PAGE_SHIFT);
    uint64_t entry = 0;
    if (place)
        memcpy(&entry, place, sizeof(entry));
    if (!(entry & SOFTGPU_PTE_VALID)) {
        if (!place || !gpu->aperture_dummy) {
            fail(access, SOFTGPU_FAULT_PAGE, address);
            return false;
        }
        entry = gpu->aperture_dummy;
    } else if (kind == ACCESS_WRITE && (entry & SOFTGPU_PTE_READ_ONLY)) {
        fail(access, SOFTGPU_FAULT_READ_ONLY, address);
        return false;
    }
    *physical = (entry & SOFTGPU_PTE_ADDRESS_MASK) | (offset & (SOFTGPU_PAGE_SIZE - 1));
    return true;
}

/* How far the pages behind lie together. */
static uint64_t aperture_run(const struct access *access, uint64_t address, uint64_t size,
                             enum access_kind kind, uint64_t physical)
{
    struct access probe = *access; /* a fault further on belongs to whoever gets there */
    uint64_t run = SOFTGPU_PAGE_SIZE - address % SOFTGPU_PAGE_SIZE, next;
    while (run < size && aperture_translate(&probe, address + run, kind, &next) &&
           next == physical + run)
        run += SOFTGPU_PAGE_SIZE;
    return run;
}

static uint8_t *map_aperture(struct access *access, uint64_t address, uint64_t size,
                             enum access_kind kind, uint64_t *mapped_size)
{
    uint64_t physical, run = SOFTGPU_PAGE_SIZE - address % SOFTGPU_PAGE_SIZE;
    if (!aperture_translate(access, address, kind, &physical))
        return NULL;
    if (run < size)
        run = aperture_run(access, address, size, kind, physical);
    return map_system(access, physical, run < size ? run : size, address, mapped_size);
}

/* A GPU address of video or of system memory; a window leads to no other one. */
static bool window_translate(struct access *access, uint64_t address, uint64_t *target)
{
    const struct softgpu *gpu = access->gpu;
    uint64_t page = (address - SOFTGPU_WINDOW_BASE) >> SOFTGPU_PAGE_SHIFT, entry = 0;
    if (within(0, gpu->vram_size, gpu->window_table + page * 8, sizeof(entry)))
        memcpy(&entry, gpu->vram + gpu->window_table + page * 8, sizeof(entry));
    *target = (entry & SOFTGPU_PTE_GPU_MASK) | (address & (SOFTGPU_PAGE_SIZE - 1));
    if ((entry & SOFTGPU_PTE_VALID) &&
        (within(SOFTGPU_VRAM_BASE, gpu->vram_size, *target, 1) ||
         within(SOFTGPU_SYSTEM_BASE, SOFTGPU_SYSTEM_SIZE, *target, 1)))
        return true;
    fail(access, SOFTGPU_FAULT_PAGE, address);
    return false;
}

static uint8_t *map_window(struct access *access, uint64_t address, uint64_t size,
                           uint64_t *mapped_size)
{
    struct softgpu *gpu = access->gpu;
    uint64_t target, next, run = SOFTGPU_PAGE_SIZE - address % SOFTGPU_PAGE_SIZE;
    if (!window_translate(access, address, &target))
        return NULL;
    struct access probe = *access; /* a fault further on belongs to whoever gets there */
    while (run < size && window_translate(&probe, address + run, &next) && next == target + run)
        run += SOFTGPU_PAGE_SIZE;
    run = run < size ? run : size;
    if (target >= SOFTGPU_SYSTEM_BASE)
        return map_system(access, target - SOFTGPU_SYSTEM_BASE, run, address, mapped_size);
    *mapped_size = run;
    return gpu->vram + target;
}

uint8_t *address_map(struct access *access, uint64_t address, uint64_t size, enum access_kind kind,
                     uint64_t *mapped_size)
{
    struct softgpu *gpu = access->gpu;
    if (!address_check(access, address, size))
        return NULL;
    if (access->space)
        return mmu_map(access, address, size, kind, mapped_size);
    if (address < gpu->vram_size) {
        *mapped_size = size;
        return gpu->vram + address;
    }
    if (within_agp(gpu, address, size))
        return map_system(access, address, size, address, mapped_size);
    if (within_windows(gpu, address, size))
        return map_window(access, address, size, mapped_size);
    if (address < SOFTGPU_SYSTEM_BASE)
        return map_aperture(access, address, size, kind, mapped_size);
    return map_system(access, address - SOFTGPU_SYSTEM_BASE, size, address, mapped_size);
}

uint8_t *address_map_whole(struct access *access, uint64_t address, uint64_t size,
                           enum access_kind kind)
{
    struct access probe = *access;
    uint64_t mapped_size;
    probe.only_asks = true;
    uint8_t *bytes = address_map(&probe, address, size, kind, &mapped_size);
    if (access->space && bytes && mmu_is_nothing(access->gpu, bytes))
        return NULL;
    return bytes && mapped_size == size ? bytes : NULL;
}

bool address_read(struct access *access, uint64_t address, void *bytes, uint64_t size)
{
    uint8_t *to = bytes;
    while (size) {
        uint64_t mapped_size;
        const uint8_t *from = address_map(access, address, size, ACCESS_READ, &mapped_size);
        if (!from)
            return false;
        memmove(to, from, mapped_size);
        to += mapped_size;
        address += mapped_size;
        size -= mapped_size;
    }
    return true;
}

bool address_write(struct access *access, uint64_t address, const void *bytes, uint64_t size)
{
    const uint8_t *from = bytes;
    while (size) {
        uint64_t mapped_size;
        uint8_t *to = address_map(access, address, size, ACCESS_WRITE, &mapped_size);
        if (!to)
            return false;
        memmove(to, from, mapped_size);
        from += mapped_size;
        address += mapped_size;
        size -= mapped_size;
    }
    return true;
}

bool address_set_aperture(struct softgpu *gpu, uint64_t page, uint64_t entry)
{
    uint8_t *place = aperture_entry(gpu, page);
    if (!place)
        return false;
    memcpy(place, &entry, sizeof(entry));
    return true;
}

bool address_look_up(struct softgpu *gpu, uint64_t address, uint64_t *physical)
{
    struct access access = {.gpu = gpu, .privileged = true, .only_asks = true};
    return within(SOFTGPU_APERTURE_BASE, gpu->aperture_size, address, 1) &&
           aperture_translate(&access, address, ACCESS_READ, physical);
}
