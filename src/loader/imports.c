/* Imports and exports of a PE image.
 *
 * A function import is bound to a thunk of its own that counts and goes on: to the host's function,
 * or, if the host has none of that name, to loader_unresolved_entry with the import in r11. The
 * thunk jumps (it has no frame), so arguments, return address and unwinding are as if it were not
 * there.
 */
#include "loader/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    IMPORT_DESCRIPTOR_SIZE = 20,
    EXPORT_DIRECTORY_SIZE = 40,
    THUNK_SIZE = 32,
};

void loader_unresolved_entry(void); /* context.S */

static bool add_import(struct loader_image *image, const char *dll, uint64_t name_rva,
                       struct loader_error *error)
{
    struct loader_import *imports = image->priv->imports;
    const char *name = pe_name_at(image, name_rva + 2); /* a hint goes before the name */
    size_t count = image->import_count;

    if (!name) {
        return loader_error_set(error, "import %zu of '%s': no name at 0x%llx", count, dll,
                                (unsigned long long)name_rva);
    }
    if (count == PE_IMPORT_MAX) {
        return loader_error_set(error, "more than %d imports", PE_IMPORT_MAX);
    }
    if ((count & (count - 1)) == 0) {
        imports = realloc(imports, (count ? count * 2 : 1) * sizeof(*imports));
        if (!imports) {
            return loader_error_set(error, "out of memory");
        }
        image->priv->imports = imports;
        image->imports = imports;
    }
    imports[count] = (struct loader_import){.dll = strdup(dll), .name = strdup(name)};
    image->import_count = count + 1;
    if (!imports[count].dll || !imports[count].name) {
        return loader_error_set(error, "out of memory");
    }
    return true;
}

/* The slot in the import address table for entry `index` of a descriptor, or NULL. */
static uint8_t *slot_at(const struct loader_image *image, const uint8_t *descriptor, size_t index)
{
    return pe_at(image, load32(descriptor + 16) + (uint64_t)index * 8, 8);
}

/* Look-up entry `index` of a descriptor: false at the end of what is readable. */
static bool lookup_at(const struct loader_image *image, const uint8_t *descriptor, size_t index,
                      uint64_t *value)
{
    uint32_t table = load32(descriptor) ? load32(descriptor) : load32(descriptor + 16);
    const uint8_t *at = pe_at(image, table + (uint64_t)index * 8, 8);

    if (at) {
        *value = load64(at);
    }
    return at != NULL;
}

static bool read_descriptor(struct loader_image *image, const uint8_t *descriptor, unsigned number,
                            struct loader_error *error)
{
    const char *dll = pe_name_at(image, load32(descriptor + 12));

    if (!dll) {
        return loader_error_set(error, "import descriptor %u: no module name at 0x%x", number,
                                load32(descriptor + 12));
    }
    for (size_t i = 0;; i++) {
        uint64_t value;

        if (!lookup_at(image, descriptor, i, &value)) {
            return loader_error_set(
                error, "imports of '%s': the look-up table runs out of its section", dll);
        }
        if (value == 0) {
            return true;
        }
        if (value >> 63) {
            return loader_error_set(error,
                                    "imports of '%s': import by ordinal %u; only imports by "
                                    "name can be bound",
                                    dll, (unsigned)(value & 0xffff));
        }
        if (value > UINT32_MAX || !slot_at(image, descriptor, i)) {
            return loader_error_set(error,
                                    "imports of '%s': entry %zu (0x%llx) or its slot is not in "
                                    "the image",
                                    dll, i, (unsigned long long)value);
        }
        if (!add_import(image, dll, value, error)) {
            return false;
        }
    }
}

/* The descriptor with that number; NULL after the last one. */
static const uint8_t *descriptor_at(const struct loader_image *image, unsigned number)
{
    struct pe_directory directory = image->priv->layout.directories[PE_DIRECTORY_IMPORT];
    const uint8_t *at = pe_at(image, directory.rva + (uint64_t)number * IMPORT_DESCRIPTOR_SIZE,
                              IMPORT_DESCRIPTOR_SIZE);

    if (directory.size == 0 || !at || (load32(at + 12) == 0 && load32(at + 16) == 0)) {
        return NULL;
    }
    return at;
}

static void look_up(struct loader_import *import)
{
    struct loader_binding binding = {0};

    /* Exception handling is this folder's business, whatever the host says. */
    if (strcmp(import->name, "__C_specific_handler") == 0 || !loader_host_now.resolve ||
        !loader_host_now.resolve(loader_host_now.ctx, import->dll, import->name, &binding)) {
        binding = (struct loader_binding){0};
        loader_resolve_builtin(import->name, &binding);
    }
    import->found = binding.address != NULL;
    import->address = binding.address;
    import->is_data = binding.is_data;
}

bool pe_imports_read(struct loader_image *image, struct loader_error *error)
{
    struct pe_directory directory = image->priv->layout.directories[PE_DIRECTORY_IMPORT];
    const uint8_t *descriptor;

    if (directory.size && !pe_range_ok(image, directory.rva, directory.size)) {
        return loader_error_set(error, "import directory: [0x%x,0x%x) is not inside a section",
                                directory.rva, directory.rva + directory.size);
    }
    for (unsigned i = 0; (descriptor = descriptor_at(image, i)) != NULL; i++) {
        if (i == PE_IMPORT_DLL_MAX) {
            return loader_error_set(error, "imports from more than %d modules", PE_IMPORT_DLL_MAX);
        }
        if (!read_descriptor(image, descriptor, i, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < image->import_count; i++) {
        look_up(&image->priv->imports[i]);
    }
    return true;
}

static void put(uint8_t **at, const void *bytes, size_t size)
{
    memcpy(*at, bytes, size);
    *at += size;
}

static void put_address(uint8_t **at, const void *address)
{
    uint64_t value = (uintptr_t)address;

    put(at, &value, sizeof(value));
}

/* lock-free on purpose: the count is a report's figure, not a promise. */
static void write_thunk(uint8_t *thunk, const struct loader_import *import, const uint32_t *calls)
{
    uint8_t *at = thunk;
    int32_t distance = (int32_t)((const uint8_t *)calls - (thunk + 6));

    put(&at, "\xff\x05", 2); /* inc dword [rip + distance] */
    put(&at, &distance, sizeof(distance));
    if (import->found) {
        put(&at, "\xff\x25\0\0\0\0", 6); /* jmp [rip + 0] */
        put_address(&at, import->address);
        return;
    }
    put(&at, "\x49\xbb", 2); /* mov r11, import */
    put_address(&at, import);
    put(&at, "\x49\xba", 2); /* mov r10, entry */
    put_address(&at, (const void *)(uintptr_t)loader_unresolved_entry);
    put(&at, "\x41\xff\xe2", 3); /* jmp r10 */
}

size_t pe_thunks_size(size_t import_count)
{
    return round_up(import_count * THUNK_SIZE, PAGE_SIZE);
}

static bool map_thunks(struct loader_image *image, struct loader_error *error)
{
    struct loader_image_private *priv = image->priv;
    size_t code_size = pe_thunks_size(image->import_count);
    size_t size = code_size + round_up(image->import_count * sizeof(*priv->calls), PAGE_SIZE);
    uint8_t *wanted = priv->reservation + priv->reservation_size;
    void *got = mmap(wanted, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (got != wanted) {
        if (got != MAP_FAILED) {
            munmap(got, size);
        }
        return loader_error_set(error, "cannot map %zu import thunks at %p", image->import_count,
                                (void *)wanted);
    }
    priv->thunks = wanted;
    priv->calls = (uint32_t *)(void *)(wanted + code_size);
    priv->reservation_size += round_up(size, GUARD_SIZE) + GUARD_SIZE;
    return true;
}

static void bind_slot(struct loader_image *image, uint8_t *slot, size_t index)
{
    struct loader_import *import = &image->priv->imports[index];
    uint8_t *thunk = image->priv->thunks + index * THUNK_SIZE;
    uint64_t value;

    if (import->is_data) {
        value = (uintptr_t)import->address;
    } else {
        import->calls = &image->priv->calls[index];
        write_thunk(thunk, import, import->calls);
        value = (uintptr_t)thunk;
    }
    memcpy(slot, &value, sizeof(value));
}

bool pe_imports_bind(struct loader_image *image, struct loader_error *error)
{
    const uint8_t *descriptor;
    size_t index = 0;

    if (image->import_count == 0) {
        return true;
    }
    if (!map_thunks(image, error)) {
        return false;
    }
    /* Slots and look-up entries may be the same memory, or lie in the descriptors: what was read
     * must still be there, or the tables overlap. */
    for (unsigned i = 0; (descriptor = descriptor_at(image, i)) != NULL; i++) {
        uint64_t value;

        for (size_t entry = 0; lookup_at(image, descriptor, entry, &value) && value; entry++) {
            uint8_t *slot = slot_at(image, descriptor, entry);

            if (index == image->import_count || !slot) {
                return loader_error_set(error, "imports: the tables overlap each other");
            }
            bind_slot(image, slot, index++);
        }
    }
    if (index != image->import_count) {
        return loader_error_set(error, "imports: the tables overlap each other");
    }
    if (mprotect(image->priv->thunks, pe_thunks_size(image->import_count), PROT_READ | PROT_EXEC)) {
        return loader_error_set(error, "cannot protect the import thunks: %s", strerror(errno));
    }
    return true;
}

static bool add_export(struct loader_image *image, const uint8_t *directory, uint32_t index,
                       struct loader_error *error)
{
    const struct pe_directory *range = &image->priv->layout.directories[PE_DIRECTORY_EXPORT];
    const uint8_t *name_at = pe_at(image, load32(directory + 32) + (uint64_t)index * 4, 4);
    const uint8_t *ordinal_at = pe_at(image, load32(directory + 36) + (uint64_t)index * 2, 2);
    struct loader_export *export = &image->priv->exports[image->export_count];
    const uint8_t *address_at;
    const char *name;
    uint32_t rva;

    name = name_at ? pe_name_at(image, load32(name_at)) : NULL;
    if (!name || !ordinal_at || load16(ordinal_at) >= load32(directory + 20)) {
        return loader_error_set(error, "export %u: its name or ordinal is not in the image", index);
    }
    address_at = pe_at(image, load32(directory + 28) + (uint64_t)load16(ordinal_at) * 4, 4);
    rva = address_at ? load32(address_at) : 0;
    if (!address_at || !pe_range_ok(image, rva, 1)) {
        return loader_error_set(error, "export %u '%s': its address is not in the image", index,
                                name);
    }
    export->name = strdup(name);
    export->address = rva - range->rva < range->size ? NULL : image->base + rva;
    if (!export->name) {
        return loader_error_set(error, "out of memory");
    }
    image->export_count++;
    return true;
}

bool pe_exports_read(struct loader_image *image, struct loader_error *error)
{
    struct pe_directory range = image->priv->layout.directories[PE_DIRECTORY_EXPORT];
    const uint8_t *directory = pe_at(image, range.rva, EXPORT_DIRECTORY_SIZE);
    uint32_t count;

    if (range.size == 0) {
        return true;
    }
    if (!directory) {
        return loader_error_set(error, "export directory at 0x%x is not inside a section",
                                range.rva);
    }
    count = load32(directory + 24);
    if (count > PE_EXPORT_MAX) {
        return loader_error_set(error, "export directory: %u names, at most %d are possible", count,
                                PE_EXPORT_MAX);
    }
    image->priv->exports = calloc(count ? count : 1, sizeof(*image->priv->exports));
    image->exports = image->priv->exports;
    if (!image->exports) {
        return loader_error_set(error, "out of memory");
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!add_export(image, directory, i, error)) {
            return false;
        }
    }
    return true;
}
