/* Puts a checked file into memory: address, sections, relocations, protections, function table.
 *
 *      | guard | headers | sections …        | guard | thunks | counters | guard |
 *      ^ reservation     ^ base + rva
 */
#include "loader/internal.h"

#include <errno.h>
#include <sys/mman.h>

enum {
    RELOCATION_ABSOLUTE = 0,
    RELOCATION_DIR64 = 10,
    LOAD_CONFIG_COOKIE = 88, /* offset of SecurityCookie */
};

/* What a driver's security cookie becomes: fixed, so that runs repeat; 48 bits and not the value
 * that compilers put there, which start-up code takes for "not initialised". */
static const uint64_t security_cookie = 0x00005d0c4a11d0c5ull;

static uint8_t *next_address(void)
{
    uint8_t *address = (uint8_t *)(LOADER_IMAGE_ADDRESS_FIRST - GUARD_SIZE);

    for (const struct loader_image *image = loader_images; image; image = image->priv->next) {
        uint8_t *end = image->priv->reservation + image->priv->reservation_size;

        /* A guard is shared by neighbours. ELF modules lie wherever the dynamic linker put them. */
        if (image->kind == LOADER_KIND_PE && end - GUARD_SIZE > address) {
            address = end - GUARD_SIZE;
        }
    }
    return address;
}

static bool reserve(struct loader_image *image, bool for_execution, struct loader_error *error)
{
    struct loader_image_private *priv = image->priv;
    size_t size = round_up(image->size, PAGE_SIZE);
    uint8_t *wanted = next_address() + GUARD_SIZE;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *got;

    if (for_execution) {
        got = mmap(wanted, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
    } else {
        got = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    }
    if (got == MAP_FAILED) {
        return loader_error_set(error, "cannot map 0x%zx bytes at %p: %s", size,
                                for_execution ? (void *)wanted : NULL, strerror(errno));
    }
    image->base = got;
    priv->reservation = for_execution ? image->base - GUARD_SIZE : image->base;
    priv->reservation_size = for_execution ? round_up(size, GUARD_SIZE) + 2 * GUARD_SIZE : size;
    if (for_execution && got != wanted) {
        munmap(got, size);
        image->base = NULL;
        return loader_error_set(error, "the address range for images at %p is taken",
                                (void *)wanted);
    }
    return true;
}

bool pe_map(struct loader_image *image, const uint8_t *bytes, bool for_execution,
            struct loader_error *error)
{
    const struct pe_layout *layout = &image->priv->layout;

    if (!reserve(image, for_execution, error)) {
        return false;
    }
    memcpy(image->base, bytes, layout->headers_size);
    for (unsigned i = 0; i < layout->section_count; i++) {
        const struct pe_section *section = &layout->sections[i];

        memcpy(image->base + section->rva, bytes + section->raw_offset, section->raw_size);
    }
    image->entry = image->base + layout->entry_rva;
    return true;
}

void pe_unmap(struct loader_image *image)
{
    if (image->base) {
        munmap(image->priv->reservation, image->priv->reservation_size);
        image->base = NULL;
    }
}

static bool relocate_one(struct loader_image *image, uint32_t page, uint16_t entry, uint64_t delta,
                         struct loader_error *error)
{
    uint64_t rva = (uint64_t)page + (entry & 0xfff);
    unsigned type = entry >> 12;
    uint8_t *at;
    uint64_t value;

    if (type == RELOCATION_ABSOLUTE) {
        return true;
    }
    if (type != RELOCATION_DIR64) {
        return loader_error_set(error, "relocation at 0x%llx: type %u is not one of x64 images",
                                (unsigned long long)rva, type);
    }
    at = pe_at(image, rva, sizeof(value));
    if (!at) {
        return loader_error_set(error, "relocation at 0x%llx lies in no section",
                                (unsigned long long)rva);
    }
    value = load64(at) + delta;
    memcpy(at, &value, sizeof(value));
    return true;
}

/* Each block: page, size of the block, then 16-bit entries. */
static bool relocate_block(struct loader_image *image, uint32_t rva, uint32_t left, uint64_t delta,
                           uint32_t *block_size, struct loader_error *error)
{
    const uint8_t *block = pe_at(image, rva, 8);

    if (left < 8 || !block) {
        return loader_error_set(error, "relocations: a block at 0x%x is cut short", rva);
    }
    *block_size = load32(block + 4);
    if (*block_size < 8 || *block_size > left || *block_size % 2 != 0 ||
        !pe_range_ok(image, rva, *block_size)) {
        return loader_error_set(error, "relocations: block at 0x%x has size 0x%x, 0x%x are left",
                                rva, *block_size, left);
    }
    for (uint32_t at = 8; at < *block_size; at += 2) {
        if (!relocate_one(image, load32(block), load16(block + at), delta, error)) {
            return false;
        }
    }
    return true;
}

bool pe_relocate(struct loader_image *image, struct loader_error *error)
{
    const struct pe_layout *layout = &image->priv->layout;
    struct pe_directory directory = layout->directories[PE_DIRECTORY_RELOCATION];
    uint64_t delta = (uint64_t)(uintptr_t)image->base - layout->preferred_base;

    if (delta == 0) {
        return true;
    }
    if (layout->characteristics & pe_file_relocations_stripped) {
        return loader_error_set(
            error,
            "relocations are stripped: the image can only lie at 0x%llx (link it "
            "without /fixed)",
            (unsigned long long)layout->preferred_base);
    }
    while (directory.size) {
        uint32_t block_size = 0;

        if (!relocate_block(image, directory.rva, directory.size, delta, &block_size, error)) {
            return false;
        }
        directory.rva += block_size;
        directory.size -= block_size;
    }
    return true;
}

bool pe_functions_check(struct loader_image *image, struct loader_error *error)
{
    struct pe_directory directory = image->priv->layout.directories[PE_DIRECTORY_EXCEPTION];
    const struct pe_function *functions = pe_at(image, directory.rva, directory.size);
    size_t count = directory.size / sizeof(*functions);

    if (directory.size == 0) {
        return true;
    }
    if (!functions || directory.rva % 4 != 0) {
        return loader_error_set(error,
                                "function table: [0x%x,0x%x) is not inside a section, aligned",
                                directory.rva, directory.rva + directory.size);
    }
    for (size_t i = 0; i < count; i++) {
        const struct pe_function *function = &functions[i];

        if (function->begin >= function->end ||
            !pe_range_ok(image, function->begin, function->end - function->begin)) {
            return loader_error_set(error,
                                    "function table: entry %zu: [0x%x,0x%x) is no code range", i,
                                    function->begin, function->end);
        }
        if (i > 0 && function->begin < functions[i - 1].end) {
            return loader_error_set(
                error,
                "function table: entry %zu: begins at 0x%x, before the end (0x%x) "
                "of the one before it",
                i, function->begin, functions[i - 1].end);
        }
        if (function->unwind % 4 != 0 || !pe_range_ok(image, function->unwind, 4)) {
            return loader_error_set(error,
                                    "function table: entry %zu: unwind data at 0x%x is not in "
                                    "the image",
                                    i, function->unwind);
        }
    }
    image->priv->functions = functions;
    image->priv->function_count = count;
    return true;
}

bool pe_cookie_set(struct loader_image *image, struct loader_error *error)
{
    struct pe_directory directory = image->priv->layout.directories[PE_DIRECTORY_LOAD_CONFIG];
    const uint8_t *config = pe_at(image, directory.rva, LOAD_CONFIG_COOKIE + 8);
    const struct pe_section *section;
    uint64_t rva;

    /* The structure's own size counts: older linkers wrote a smaller one. */
    if (directory.size == 0 || !config || load32(config) < LOAD_CONFIG_COOKIE + 8) {
        return true;
    }
    rva = load64(config + LOAD_CONFIG_COOKIE);
    if (rva == 0) {
        return true;
    }
    rva -= (uintptr_t)image->base;
    section = pe_section_at(image, rva);
    if (!section || !(section->flags & pe_section_write) ||
        !pe_range_ok(image, rva, sizeof(security_cookie))) {
        return loader_error_set(error,
                                "load configuration: the security cookie at 0x%llx is not in a "
                                "writable section",
                                (unsigned long long)rva);
    }
    memcpy(image->base + rva, &security_cookie, sizeof(security_cookie));
    return true;
}

static int section_protection(const struct pe_section *section)
{
    if (section->flags & pe_section_execute) {
        return PROT_READ | PROT_EXEC;
    }
    return section->flags & pe_section_write ? PROT_READ | PROT_WRITE : PROT_READ;
}

bool pe_protect_section(const struct loader_image *image, const struct pe_section *section)
{
    return !section->virtual_size || mprotect(image->base + section->rva, section->virtual_size,
                                              section_protection(section)) == 0;
}

bool pe_protect(struct loader_image *image, struct loader_error *error)
{
    const struct pe_layout *layout = &image->priv->layout;

    /* What lies between the sections belongs to nobody. */
    if (mprotect(image->base, round_up(image->size, PAGE_SIZE), PROT_NONE) != 0 ||
        (layout->headers_size && mprotect(image->base, layout->headers_size, PROT_READ) != 0)) {
        return loader_error_set(error, "cannot protect the image: %s", strerror(errno));
    }
    for (unsigned i = 0; i < layout->section_count; i++) {
        const struct pe_section *section = &layout->sections[i];

        if (!pe_protect_section(image, section)) {
            return loader_error_set(error, "cannot protect section %u '%s': %s", i + 1,
                                    section->name, strerror(errno));
        }
    }
    return true;
}
