/* The life of a loaded image: load, find by address, unload. */
#include "loader/internal.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than this no driver file has: twice the largest image, for debug information. */
#define FILE_SIZE_MAX (2 * LOADER_IMAGE_SIZE_MAX)

struct loader_image *loader_images;

bool loader_error_set(struct loader_error *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
    return false;
}

void loader_warn(struct loader_image *image, const char *format, ...)
{
    va_list arguments;

    if (image->warning_count < LOADER_WARNING_MAX) {
        va_start(arguments, format);
        vsnprintf(image->warnings[image->warning_count++], LOADER_TEXT_MAX, format, arguments);
        va_end(arguments);
    }
}

static void image_destroy(struct loader_image *image)
{
    if (!image) {
        return;
    }
    cover_forget(image);
    if (image->kind == LOADER_KIND_ELF) {
        elf_unload(image);
    } else {
        pe_unmap(image);
    }
    for (size_t i = 0; i < image->import_count; i++) {
        free((char *)(uintptr_t)image->priv->imports[i].dll);
        free((char *)(uintptr_t)image->priv->imports[i].name);
    }
    for (size_t i = 0; i < image->export_count; i++) {
        free((char *)(uintptr_t)image->priv->exports[i].name);
    }
    free(image->priv->imports);
    free(image->priv->exports);
    free(image->priv->sections);
    free(image->priv->kept);
    free(image->priv);
    free(image);
}

static struct loader_image *image_create(const char *path, struct loader_error *error)
{
    struct loader_image *image = calloc(1, sizeof(*image));
    const char *slash = strrchr(path, '/');

    if (image) {
        image->priv = calloc(1, sizeof(*image->priv));
    }
    if (!image || !image->priv) {
        free(image);
        loader_error_set(error, "out of memory");
        return NULL;
    }
    snprintf(image->name, sizeof(image->name), "%s", slash ? slash + 1 : path);
    return image;
}

static void image_insert(struct loader_image *image)
{
    struct loader_image **link = &loader_images;

    while (*link && (*link)->base < image->base) {
        link = &(*link)->priv->next;
    }
    image->priv->next = *link;
    *link = image;
    image->mapped = true;
}

static bool list_sections(struct loader_image *image, struct loader_error *error)
{
    const struct pe_layout *layout = &image->priv->layout;
    struct loader_section *sections = calloc(layout->section_count, sizeof(*sections));

    if (!sections) {
        return loader_error_set(error, "out of memory");
    }
    for (unsigned i = 0; i < layout->section_count; i++) {
        const struct pe_section *from = &layout->sections[i];

        memcpy(sections[i].name, from->name, sizeof(from->name));
        sections[i].rva = from->rva;
        sections[i].size = from->virtual_size;
        sections[i].readable = (from->flags & pe_section_read) != 0;
        sections[i].writable = (from->flags & pe_section_write) != 0;
        sections[i].executable = (from->flags & pe_section_execute) != 0;
    }
    image->priv->sections = sections;
    image->sections = sections;
    image->section_count = layout->section_count;
    return true;
}

static bool fill_pe(struct loader_image *image, const uint8_t *bytes, size_t size,
                    bool for_execution, struct loader_error *error)
{
    if (!pe_parse(image, bytes, size, error) || !list_sections(image, error) ||
        !pe_map(image, bytes, for_execution, error)) {
        return false;
    }
    if (for_execution && (!pe_relocate(image, error) || !pe_cookie_set(image, error))) {
        return false;
    }
    if (!pe_imports_read(image, error) || !pe_exports_read(image, error)) {
        return false;
    }
    if (for_execution && !pe_imports_bind(image, error)) {
        return false;
    }
    /* Last, for all that is written into the image comes before: what is checked here stays. */
    return pe_functions_check(image, error) && (!for_execution || pe_protect(image, error));
}

static bool is_elf(const uint8_t *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "\177ELF", 4) == 0;
}

/* path is NULL for bytes that come from no file. */
static bool make_image(const char *name, const char *path, const uint8_t *bytes, size_t size,
                       bool for_execution, struct loader_image **out, struct loader_error *error)
{
    struct loader_image *image = image_create(name, error);
    bool ok;

    *out = NULL;
    if (!image) {
        return false;
    }
    if (!is_elf(bytes, size)) {
        ok = fill_pe(image, bytes, size, for_execution, error);
    } else if (!for_execution) {
        ok = elf_inspect(image, bytes, size, error);
    } else if (path) {
        ok = elf_inspect(image, bytes, size, error) && elf_load(image, path, error);
    } else {
        ok = loader_error_set(error, "an ELF module can only be loaded from a file");
    }
    if (!ok) {
        image_destroy(image);
        return false;
    }
    if (for_execution) {
        image_insert(image);
        sections_loaded(image);
    }
    *out = image;
    return true;
}

bool loader_load_bytes(const char *name, const void *bytes, size_t size, struct loader_image **out,
                       struct loader_error *error)
{
    return make_image(name, NULL, bytes, size, true, out, error);
}

bool loader_inspect_bytes(const char *name, const void *bytes, size_t size,
                          struct loader_image **out, struct loader_error *error)
{
    return make_image(name, NULL, bytes, size, false, out, error);
}

static bool read_all(int fd, uint8_t *bytes, size_t size, struct loader_error *error)
{
    size_t done = 0;

    while (done < size) {
        ssize_t got = read(fd, bytes + done, size - done);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return loader_error_set(error, "cannot read: %s",
                                    got < 0 ? strerror(errno) : "the file became shorter");
        }
        done += (size_t)got;
    }
    return true;
}

struct content {
    uint8_t *bytes;
    size_t size;
    bool mapped; /* else malloc()ed */
};

/* A module, which dlopen() is about to map as well: little of it is looked at here, and most of it
 * is debug information. */
static bool map_module(int fd, struct content *content)
{
    char magic[SELFMAG];
    void *place = MAP_FAILED;

    if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
        memcmp(magic, ELFMAG, SELFMAG) == 0) {
        place = mmap(NULL, content->size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    content->mapped = place != MAP_FAILED;
    content->bytes = content->mapped ? place : NULL;
    return content->mapped;
}

static bool read_file(int fd, bool for_execution, struct content *content,
                      struct loader_error *error)
{
    struct stat status;

    if (fstat(fd, &status) != 0) {
        return loader_error_set(error, "cannot read: %s", strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return loader_error_set(error, "not a regular file");
    }
    if (status.st_size > (off_t)FILE_SIZE_MAX) {
        return loader_error_set(error, "%lld bytes are too large for a driver",
                                (long long)status.st_size);
    }
    content->size = (size_t)status.st_size;
    if (for_execution && map_module(fd, content)) {
        return true;
    }
    content->bytes = malloc(content->size ? content->size : 1);
    if (!content->bytes) {
        return loader_error_set(error, "out of memory");
    }
    if (!read_all(fd, content->bytes, content->size, error)) {
        free(content->bytes);
        return false;
    }
    return true;
}

static bool from_file(const char *path, bool for_execution, struct loader_image **out,
                      struct loader_error *error)
{
    struct content content = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not hold us */
    bool ok;

    *out = NULL;
    if (fd < 0) {
        return loader_error_set(error, "cannot open: %s", strerror(errno));
    }
    ok = read_file(fd, for_execution, &content, error);
    close(fd);
    if (!ok) {
        return false;
    }
    ok = make_image(path, path, content.bytes, content.size, for_execution, out, error);
    if (content.mapped) {
        munmap(content.bytes, content.size);
    } else {
        free(content.bytes);
    }
    return ok;
}

bool loader_load_file(const char *path, struct loader_image **out, struct loader_error *error)
{
    return from_file(path, true, out, error);
}

bool loader_inspect_file(const char *path, struct loader_image **out, struct loader_error *error)
{
    return from_file(path, false, out, error);
}

void loader_unload(struct loader_image *image)
{
    struct loader_image **link = &loader_images;

    if (image && image->mapped) {
        while (*link != image) {
            link = &(*link)->priv->next;
        }
        *link = image->priv->next;
    }
    image_destroy(image);
}

const void *loader_export_find(const struct loader_image *image, const char *name)
{
    for (size_t i = 0; i < image->export_count; i++) {
        if (strcmp(image->exports[i].name, name) == 0) {
            return image->exports[i].address;
        }
    }
    return NULL;
}

const struct loader_image *loader_image_at(const void *address)
{
    for (const struct loader_image *image = loader_images; image; image = image->priv->next) {
        if ((uintptr_t)address - (uintptr_t)image->base < image->size) {
            return image;
        }
    }
    return NULL;
}

bool loader_data_at(const void *address, bool *writable)
{
    const struct loader_image *image = loader_image_at(address);
    const struct pe_section *section;

    if (!image || image->kind != LOADER_KIND_PE) {
        return image && elf_data_at(address, writable);
    }
    section = pe_section_at(image, (uint64_t)((const uint8_t *)address - image->base));
    if (!section || section->flags & pe_section_execute) {
        return false;
    }
    *writable = (section->flags & pe_section_write) != 0;
    return true;
}

void loader_location_text(const void *address, char *text, size_t text_size)
{
    const struct loader_image *image = loader_image_at(address);
    Dl_info info = {0};

    if (image) {
        snprintf(text, text_size, "%s+0x%zx", image->name,
                 (size_t)((const uint8_t *)address - image->base));
        return;
    }
    if (address && dladdr(address, &info) && info.dli_sname) {
        snprintf(text, text_size, "%s+0x%zx", info.dli_sname,
                 (size_t)((const uint8_t *)address - (const uint8_t *)info.dli_saddr));
        return;
    }
    if (info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');

        /* The offset in the file, which does not move with the address. */
        snprintf(text, text_size, "%s+0x%zx", slash ? slash + 1 : info.dli_fname,
                 (size_t)((const uint8_t *)address - (const uint8_t *)info.dli_fbase));
        return;
    }
    snprintf(text, text_size, "0x%llx", (unsigned long long)(uintptr_t)address);
}
