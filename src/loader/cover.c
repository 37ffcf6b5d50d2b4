/* Which places of a driver's code were reached: a breakpoint at each, gone when it was met.
 *
 *      code of the image ── copied ──> memory of a file ──┬── of the driver: to be run
 *                                                         └── of ours: to be written
 *
 * A place costs one trap in a run, and nothing from then on. The driver's bytes are as they were
 * when one of their instructions runs, so steps and exceptions find what they know. */
#include "loader/internal.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BREAKPOINT = 0xcc };

static struct {
    const struct loader_image *image;
    const struct loader_cover *cover;
    uint8_t *code;     /* what lies in the image, from its base on, to be written */
    uint8_t *original; /* of each place; BREAKPOINT: nothing is there, or no longer */
} covered;

enum { RANGES_MAX = 96 }; /* as many sections as an image may have */

struct code_mapping {
    const struct loader_image *image;
    int file;
    uint8_t *code; /* the file's memory, to be written */
    bool fine;
    unsigned range_count;
    struct {
        uint64_t begin, end; /* offsets */
    } ranges[RANGES_MAX];
};

/* Puts the file's memory in the place of the code, with the same bytes. */
static bool map_code(struct code_mapping *mapping, uintptr_t address, size_t size)
{
    uint8_t *begin = (uint8_t *)(address & ~(uintptr_t)(PAGE_SIZE - 1));
    size_t length = round_up(address + size - (uintptr_t)begin, PAGE_SIZE);
    off_t offset = begin - mapping->image->base;
    unsigned index = mapping->range_count++;

    if (index >= RANGES_MAX) {
        return false;
    }
    mapping->ranges[index].begin = address - (uintptr_t)mapping->image->base;
    mapping->ranges[index].end = mapping->ranges[index].begin + size;
    memcpy(mapping->code + offset, begin, length);
    return mmap(begin, length, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, mapping->file,
                offset) == begin;
}

static int map_segments(struct dl_phdr_info *info, size_t size, void *context)
{
    struct code_mapping *mapping = context;
    uintptr_t base = (uintptr_t)mapping->image->base;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && segment->p_memsz &&
            begin - base < mapping->image->size) {
            mapping->fine = mapping->fine && map_code(mapping, begin, segment->p_memsz);
        }
    }
    return 0;
}

static void map_sections(struct code_mapping *mapping)
{
    for (size_t i = 0; i < mapping->image->section_count; i++) {
        const struct loader_section *section = &mapping->image->sections[i];

        if (section->executable && section->size) {
            mapping->fine =
                mapping->fine &&
                map_code(mapping, (uintptr_t)mapping->image->base + section->rva, section->size);
        }
    }
}

/* False: errno says why. */
static bool map_all(struct code_mapping *mapping)
{
    size_t size = round_up(mapping->image->size, PAGE_SIZE);
    void *view = MAP_FAILED;

    mapping->file = memfd_create("code", MFD_CLOEXEC);
    if (mapping->file >= 0 && ftruncate(mapping->file, (off_t)size) == 0) {
        view = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, mapping->file, 0);
    }
    mapping->fine = view != MAP_FAILED;
    mapping->code = view;
    if (mapping->fine && mapping->image->kind == LOADER_KIND_ELF) {
        dl_iterate_phdr(map_segments, mapping);
    } else if (mapping->fine) {
        map_sections(mapping);
    }
    if (mapping->file >= 0) {
        close(mapping->file);
    }
    return mapping->fine;
}

static bool is_code(const struct code_mapping *mapping, uint32_t offset)
{
    for (unsigned i = 0; i < mapping->range_count; i++) {
        if (offset >= mapping->ranges[i].begin && offset < mapping->ranges[i].end) {
            return true;
        }
    }
    return false;
}

bool loader_cover(const struct loader_image *image, const struct loader_cover *cover,
                  struct loader_error *error)
{
    struct code_mapping mapping = {.image = image};

    covered.original = malloc(cover->count ? cover->count : 1);
    if (!covered.original || !map_all(&mapping)) {
        free(covered.original);
        covered.original = NULL;
        return loader_error_set(error, "the driver's lines cannot be followed: %s",
                                strerror(errno));
    }
    covered.code = mapping.code;
    covered.image = image;
    covered.cover = cover;
    for (size_t i = 0; i < cover->count; i++) {
        uint32_t offset = cover->offsets[i];

        covered.original[i] = BREAKPOINT;
        if (is_code(&mapping, offset)) {
            covered.original[i] = covered.code[offset];
            covered.code[offset] = BREAKPOINT;
        }
    }
    return true;
}

bool cover_reached(uintptr_t place)
{
    uint64_t offset = covered.image ? place - (uintptr_t)covered.image->base : UINT64_MAX;
    size_t low = 0, high = covered.image ? covered.cover->count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (covered.cover->offsets[middle] < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (!covered.image || low == covered.cover->count || covered.cover->offsets[low] != offset ||
        covered.original[low] == BREAKPOINT) {
        return false;
    }
    covered.code[offset] = covered.original[low];
    covered.original[low] = BREAKPOINT;
    covered.cover->reached[low] = 1;
    return true;
}

void cover_forget(const struct loader_image *image)
{
    if (covered.image == image) {
        munmap(covered.code, round_up(image->size, PAGE_SIZE));
        free(covered.original);
        memset(&covered, 0, sizeof(covered));
    }
}
