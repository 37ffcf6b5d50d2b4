/* What the kernel does with the sections of an image by their names: PAGE*, whose pages need not
 * be in memory above APC_LEVEL unless locked, and INIT*, which are freed behind DriverEntry. */
#include "loader/internal.h"

#include <sys/mman.h>

static const uint32_t pe_section_discardable = 0x02000000;

static struct {
    uintptr_t low, high; /* all pageable code of all images lies in there */
} pageable;

static bool is_named(const struct pe_section *section, const char *prefix)
{
    return strncmp(section->name, prefix, 4) == 0;
}

static struct pe_section *section_at(const void *address)
{
    const struct loader_image *image = loader_image_at(address);

    return image && image->kind == LOADER_KIND_PE
               ? (struct pe_section *)(uintptr_t)pe_section_at(
                     image, (uint64_t)((const uint8_t *)address - image->base))
               : NULL;
}

const char *loader_section_name(const void *address)
{
    const struct pe_section *section = section_at(address);

    return section ? section->name : NULL;
}

void sections_loaded(const struct loader_image *image)
{
    const struct pe_layout *layout = &image->priv->layout;

    for (unsigned i = 0; image->kind == LOADER_KIND_PE && i < layout->section_count; i++) {
        const struct pe_section *section = &layout->sections[i];
        uintptr_t begin = (uintptr_t)image->base + section->rva;

        if (is_named(section, "PAGE") && section->flags & pe_section_execute) {
            pageable.low = pageable.high && pageable.low < begin ? pageable.low : begin;
            pageable.high = pageable.high > begin + section->virtual_size
                                ? pageable.high
                                : begin + section->virtual_size;
        }
    }
}

bool loader_is_pageable_code(const void *address)
{
    if ((uintptr_t)address - pageable.low >= pageable.high - pageable.low) {
        return false;
    }
    const struct pe_section *section = section_at(address);
    return section && is_named(section, "PAGE") && section->flags & pe_section_execute &&
           section->locks == 0;
}

bool loader_section_lock(const void *address, bool lock)
{
    const struct loader_image *image = loader_image_at(address);
    struct pe_section *section = section_at(address);

    if (image && image->kind != LOADER_KIND_PE) {
        return true; /* modules of the host have no such sections */
    }
    if (!section || (!lock && section->locks == 0)) {
        return false;
    }
    section->locks += lock ? 1 : -1u;
    return true;
}

/* Does something lie there that is needed as long as the image is? */
static bool is_needed(const struct pe_layout *layout, const struct pe_section *section)
{
    static const enum pe_directory_index needed[] = {PE_DIRECTORY_EXCEPTION,
                                                     PE_DIRECTORY_LOAD_CONFIG};

    for (unsigned i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        const struct pe_directory *directory = &layout->directories[needed[i]];
        if (directory->size && directory->rva - section->rva < section->virtual_size) {
            return true;
        }
    }
    return false;
}

void loader_discard(struct loader_image *image)
{
    struct pe_layout *layout = &image->priv->layout;

    for (unsigned i = 0; image->kind == LOADER_KIND_PE && i < layout->section_count; i++) {
        struct pe_section *section = &layout->sections[i];

        if (is_named(section, "INIT") && section->flags & pe_section_discardable &&
            section->virtual_size && !is_needed(layout, section)) {
            section->discarded =
                mprotect(image->base + section->rva, section->virtual_size, PROT_NONE) == 0;
        }
    }
}

bool loader_is_discarded(const void *address)
{
    const struct pe_section *section = section_at(address);

    return section && section->discarded;
}

bool sections_renew(struct loader_image *image)
{
    struct pe_layout *layout = &image->priv->layout;

    for (unsigned i = 0; image->kind == LOADER_KIND_PE && i < layout->section_count; i++) {
        struct pe_section *section = &layout->sections[i];

        section->locks = 0;
        if (section->discarded && !pe_protect_section(image, section)) {
            return false;
        }
        section->discarded = false;
    }
    return true;
}
