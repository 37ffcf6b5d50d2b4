/* An image as it was loaded: what its variables held then is kept, so that the driver can be
 * entered once more as if it had been loaded anew. */
#include "loader/internal.h"

#include <stdlib.h>

/* The bytes of a section that the driver may write, or 0. */
static size_t kept_size(const struct loader_image *image, const struct loader_section *section)
{
    return section->writable && section->rva <= image->size &&
                   section->size <= image->size - section->rva
               ? section->size
               : 0;
}

/* A module's sections as bytes: between its variables a sanitizer lets nobody read. */
static void copy_raw(void *to, const void *from, size_t size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static bool differs_raw(const void *one, const void *other, size_t size)
{
    bool differs = false;

    if (size > 0) {
        __asm__ volatile("repe cmpsb"
                         : "+D"(one), "+S"(other), "+c"(size), "=@ccne"(differs)
                         :
                         : "memory");
    }
    return differs;
}

bool loader_keep(struct loader_image *image)
{
    size_t total = 0, at = 0;

    for (size_t i = 0; i < image->section_count; i++) {
        total += kept_size(image, &image->sections[i]);
    }
    uint8_t *kept = malloc(total + 1);
    if (!kept) {
        return false;
    }
    for (size_t i = 0; i < image->section_count; i++) {
        size_t size = kept_size(image, &image->sections[i]);
        copy_raw(kept + at, image->base + image->sections[i].rva, size);
        at += size;
    }
    free(image->priv->kept);
    image->priv->kept = kept;
    return true;
}

bool loader_renew(struct loader_image *image)
{
    size_t at = 0;

    if (!image->priv->kept || !sections_renew(image)) {
        return false;
    }
    for (size_t i = 0; i < image->section_count; i++) {
        uint8_t *place = image->base + image->sections[i].rva;
        size_t size = kept_size(image, &image->sections[i]);
        /* What the linker alone wrote is shut by now, and as it was. */
        if (differs_raw(place, image->priv->kept + at, size)) {
            copy_raw(place, image->priv->kept + at, size);
        }
        at += size;
    }
    return true;
}
