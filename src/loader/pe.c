/* Reads and checks the headers of a PE32+ file. Nothing here trusts a number that the file gives.
 */
#include "loader/internal.h"

#include <ctype.h>
#include <stdio.h>

enum {
    DOS_HEADER_SIZE = 64,
    DOS_PE_OFFSET = 60,
    FILE_HEADER_SIZE = 24,          /* with the signature */
    OPTIONAL_HEADER_SIZE_MIN = 112, /* without directories */
    SECTION_HEADER_SIZE = 40,
    MAGIC_PE32 = 0x10b,
    MAGIC_PE32_PLUS = 0x20b,
    MACHINE_AMD64 = 0x8664,
};

struct pe_file {
    const uint8_t *bytes;
    size_t size;
};

static bool file_holds(const struct pe_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

static const char *machine_name(uint16_t machine)
{
    switch (machine) {
    case 0x014c:
        return "32-bit x86";
    case 0x01c0:
    case 0x01c2:
    case 0x01c4:
        return "32-bit Arm";
    case 0xaa64:
        return "64-bit Arm (ARM64)";
    case 0xa641:
        return "ARM64EC";
    case 0x0200:
        return "Itanium";
    case 0x5064:
    case 0x5032:
        return "RISC-V";
    default:
        return NULL;
    }
}

static bool check_machine(uint16_t machine, struct loader_error *error)
{
    const char *name = machine_name(machine);

    if (machine == MACHINE_AMD64) {
        return true;
    }
    if (name) {
        return loader_error_set(error,
                                "file header: machine 0x%04x: this is an image for %s; only 64-bit "
                                "x86 (x64, 0x8664) drivers can be loaded",
                                machine, name);
    }
    return loader_error_set(error, "file header: unknown machine 0x%04x; x64 is 0x8664", machine);
}

/* Finds the PE signature; *offset is where the file header begins. */
static bool find_pe_header(const struct pe_file *file, uint32_t *offset, struct loader_error *error)
{
    if (file->size == 0) {
        return loader_error_set(error, "the file is empty");
    }
    if (file->size < 2 || file->bytes[0] != 'M' || file->bytes[1] != 'Z') {
        return loader_error_set(error, "not a PE image: it does not begin with 'MZ'");
    }
    if (file->size < DOS_HEADER_SIZE) {
        return loader_error_set(error, "truncated: the DOS header needs %d bytes, the file has %zu",
                                DOS_HEADER_SIZE, file->size);
    }
    *offset = load32(file->bytes + DOS_PE_OFFSET);
    if (!file_holds(file, *offset, FILE_HEADER_SIZE)) {
        return loader_error_set(
            error,
            "PE header at 0x%x lies beyond end of file (0x%zx): truncated, or a "
            "DOS program",
            *offset, file->size);
    }
    if (memcmp(file->bytes + *offset, "PE\0\0", 4) != 0) {
        return loader_error_set(error, "not a PE image: no 'PE' signature at 0x%x", *offset);
    }
    return true;
}

static bool check_alignments(uint32_t section_alignment, uint32_t file_alignment,
                             struct loader_error *error)
{
    if (section_alignment < PAGE_SIZE || (section_alignment & (section_alignment - 1)) != 0 ||
        section_alignment > (1u << 21)) {
        return loader_error_set(
            error,
            "optional header: section alignment 0x%x; sections must be aligned to "
            "pages (0x1000 or a higher power of two, at most 2 MiB)",
            section_alignment);
    }
    if (file_alignment == 0 || (file_alignment & (file_alignment - 1)) != 0 ||
        file_alignment > section_alignment) {
        return loader_error_set(error,
                                "optional header: file alignment 0x%x is not a power of two up "
                                "to the section alignment 0x%x",
                                file_alignment, section_alignment);
    }
    return true;
}

static bool parse_sizes(struct pe_layout *layout, const struct pe_file *file,
                        struct loader_error *error)
{
    if (layout->image_size == 0 || layout->image_size > LOADER_IMAGE_SIZE_MAX) {
        return loader_error_set(error, "optional header: image size 0x%x is outside 1 … 256 MiB",
                                layout->image_size);
    }
    if (layout->headers_size > layout->image_size || layout->headers_size > file->size) {
        return loader_error_set(
            error,
            "optional header: headers size 0x%x exceeds the file (0x%zx) or the "
            "image (0x%x)",
            layout->headers_size, file->size, layout->image_size);
    }
    return true;
}

static bool parse_directories(struct pe_layout *layout, const uint8_t *header, uint32_t header_size,
                              struct loader_error *error)
{
    uint32_t count = load32(header + 108);
    uint32_t fits = (header_size - OPTIONAL_HEADER_SIZE_MIN) / 8;

    if (count > fits) {
        return loader_error_set(error, "optional header: %u data directories, room for %u", count,
                                fits);
    }
    for (uint32_t i = 0; i < count && i < PE_DIRECTORY_COUNT; i++) {
        struct pe_directory *directory = &layout->directories[i];

        directory->rva = load32(header + OPTIONAL_HEADER_SIZE_MIN + i * 8);
        directory->size = load32(header + OPTIONAL_HEADER_SIZE_MIN + i * 8 + 4);
        /* Entry 4, the certificates, is a file offset and nobody's business here. */
        if (i != 4 && directory->size != 0 &&
            (uint64_t)directory->rva + directory->size > layout->image_size) {
            return loader_error_set(
                error, "data directory %u: [0x%x,0x%llx) beyond end of image (0x%x)", i,
                directory->rva, (unsigned long long)directory->rva + directory->size,
                layout->image_size);
        }
    }
    return true;
}

static bool parse_optional_header(struct pe_layout *layout, const struct pe_file *file,
                                  uint64_t offset, uint32_t header_size, struct loader_error *error)
{
    const uint8_t *header = file->bytes + offset;
    uint16_t magic;

    if (!file_holds(file, offset, header_size)) {
        return loader_error_set(
            error, "optional header: [0x%llx,0x%llx) beyond end of file (0x%zx)",
            (unsigned long long)offset, (unsigned long long)offset + header_size, file->size);
    }
    magic = header_size >= 2 ? load16(header) : 0;
    if (magic == MAGIC_PE32) {
        return loader_error_set(error,
                                "optional header: PE32 (32-bit) image; x64 drivers are PE32+");
    }
    if (magic != MAGIC_PE32_PLUS) {
        return loader_error_set(error, "optional header: magic 0x%04x is not PE32+ (0x020b)",
                                magic);
    }
    if (header_size < OPTIONAL_HEADER_SIZE_MIN) {
        return loader_error_set(error, "optional header: %u bytes, at least %d are needed",
                                header_size, OPTIONAL_HEADER_SIZE_MIN);
    }
    layout->entry_rva = load32(header + 16);
    layout->preferred_base = load64(header + 24);
    layout->image_size = load32(header + 56);
    layout->headers_size = load32(header + 60);
    layout->checksum = load32(header + 64);
    layout->subsystem = load16(header + 68);
    return check_alignments(load32(header + 32), load32(header + 36), error) &&
           parse_sizes(layout, file, error) &&
           parse_directories(layout, header, header_size, error);
}

static void copy_section_name(char *to, const uint8_t *from)
{
    for (int i = 0; i < 8 && from[i]; i++) {
        to[i] = isprint(from[i]) ? (char)from[i] : '?';
    }
}

/* Where a section lies in memory and in the file; `end` is where the one before it ended. */
static bool check_section(const struct pe_section *section, unsigned number,
                          const struct pe_layout *layout, const struct pe_file *file, uint64_t end,
                          uint32_t alignment, struct loader_error *error)
{
    uint64_t raw_end = (uint64_t)section->raw_offset + section->raw_size;
    uint64_t virtual_end = (uint64_t)section->rva + section->virtual_size;

    if (section->raw_size != 0 && raw_end > file->size) {
        return loader_error_set(
            error, "section %u '%s': raw data [0x%x,0x%llx) beyond end of file (0x%zx)", number,
            section->name, section->raw_offset, (unsigned long long)raw_end, file->size);
    }
    if (section->rva % alignment != 0) {
        return loader_error_set(error, "section %u '%s': address 0x%x is not aligned to 0x%x",
                                number, section->name, section->rva, alignment);
    }
    if (virtual_end > layout->image_size) {
        return loader_error_set(
            error, "section %u '%s': memory [0x%x,0x%llx) beyond end of image (0x%x)", number,
            section->name, section->rva, (unsigned long long)virtual_end, layout->image_size);
    }
    if (section->rva < end) {
        return loader_error_set(error,
                                "section %u '%s': begins at 0x%x, before the end (0x%llx) of what "
                                "comes before it",
                                number, section->name, section->rva, (unsigned long long)end);
    }
    return true;
}

static bool parse_sections(struct pe_layout *layout, const struct pe_file *file, uint64_t offset,
                           uint32_t alignment, struct loader_error *error)
{
    uint64_t end = layout->headers_size;

    if (layout->section_count == 0 || layout->section_count > PE_SECTION_MAX) {
        return loader_error_set(error, "file header: %u sections; 1 to %d are possible",
                                layout->section_count, PE_SECTION_MAX);
    }
    if (!file_holds(file, offset, (uint64_t)layout->section_count * SECTION_HEADER_SIZE)) {
        return loader_error_set(
            error, "section table: %u entries at 0x%llx reach beyond end of file (0x%zx)",
            layout->section_count, (unsigned long long)offset, file->size);
    }
    for (unsigned i = 0; i < layout->section_count; i++) {
        const uint8_t *header = file->bytes + offset + (size_t)i * SECTION_HEADER_SIZE;
        struct pe_section *section = &layout->sections[i];

        copy_section_name(section->name, header);
        section->virtual_size = load32(header + 8);
        section->rva = load32(header + 12);
        section->raw_size = load32(header + 16);
        section->raw_offset = load32(header + 20);
        section->flags = load32(header + 36);
        if (section->virtual_size == 0) {
            section->virtual_size = section->raw_size;
        }
        if (!check_section(section, i + 1, layout, file, end, alignment, error)) {
            return false;
        }
        if (section->raw_size > section->virtual_size) {
            section->raw_size = section->virtual_size; /* the rest is file padding */
        }
        end = section->rva + (uint64_t)section->virtual_size;
    }
    return true;
}

static void note_peculiarities(struct loader_image *image, const struct pe_layout *layout)
{
    if (layout->subsystem != pe_subsystem_native) {
        loader_warn(image, "subsystem %u, a driver's is 1 (native)", layout->subsystem);
    }
    if (layout->characteristics & pe_file_dll) {
        loader_warn(image, "a DLL, not a driver, says its file header");
    }
    if (layout->directories[PE_DIRECTORY_TLS].size) {
        loader_warn(image, "has thread-local storage, which kernel code does not get");
    }
    if (layout->directories[PE_DIRECTORY_DELAY_IMPORT].size) {
        loader_warn(image, "has delay-loaded imports, which are not bound");
    }
    if (layout->directories[PE_DIRECTORY_CLR].size) {
        loader_warn(image, "holds managed (.NET) code");
    }
    for (unsigned i = 0; i < layout->section_count; i++) {
        if ((layout->sections[i].flags & pe_section_execute) &&
            (layout->sections[i].flags & pe_section_write)) {
            loader_warn(image,
                        "section %u '%s' is writable code: mapped without the right to write",
                        i + 1, layout->sections[i].name);
        }
    }
}

static bool check_entry(const struct loader_image *image, const struct pe_layout *layout,
                        struct loader_error *error)
{
    const struct pe_section *section = pe_section_at(image, layout->entry_rva);

    if (layout->entry_rva == 0) {
        return loader_error_set(error, "no entry point: the image was linked without DriverEntry");
    }
    if (!section) {
        return loader_error_set(error, "entry point 0x%x lies in no section", layout->entry_rva);
    }
    if (!(section->flags & pe_section_execute)) {
        return loader_error_set(error,
                                "entry point 0x%x lies in section '%s', which is not executable",
                                layout->entry_rva, section->name);
    }
    return true;
}

bool pe_parse(struct loader_image *image, const uint8_t *bytes, size_t size,
              struct loader_error *error)
{
    struct pe_layout *layout = &image->priv->layout;
    struct pe_file file = {bytes, size};
    uint32_t offset = 0, optional_size;
    const uint8_t *header;

    if (!find_pe_header(&file, &offset, error)) {
        return false;
    }
    header = bytes + offset;
    if (!check_machine(load16(header + 4), error)) {
        return false;
    }
    layout->section_count = load16(header + 6);
    layout->timestamp = load32(header + 8);
    optional_size = load16(header + 20);
    layout->characteristics = load16(header + 22);
    if (!parse_optional_header(layout, &file, (uint64_t)offset + FILE_HEADER_SIZE, optional_size,
                               error) ||
        !parse_sections(layout, &file, (uint64_t)offset + FILE_HEADER_SIZE + optional_size,
                        load32(header + FILE_HEADER_SIZE + 32), error) ||
        !check_entry(image, layout, error)) {
        return false;
    }
    image->kind = LOADER_KIND_PE;
    image->preferred_base = layout->preferred_base;
    image->timestamp = layout->timestamp;
    image->checksum = layout->checksum;
    image->subsystem = layout->subsystem;
    image->is_dll = (layout->characteristics & pe_file_dll) != 0;
    image->size = layout->image_size;
    note_peculiarities(image, layout);
    return true;
}

const struct pe_section *pe_section_at(const struct loader_image *image, uint64_t rva)
{
    const struct pe_layout *layout = &image->priv->layout;

    for (unsigned i = 0; i < layout->section_count; i++) {
        const struct pe_section *section = &layout->sections[i];

        if (rva >= section->rva && rva - section->rva < section->virtual_size) {
            return section;
        }
    }
    return NULL;
}

bool pe_range_ok(const struct loader_image *image, uint64_t rva, uint64_t size)
{
    const struct pe_layout *layout = &image->priv->layout;
    const struct pe_section *section = pe_section_at(image, rva);

    if (section) {
        return size <= section->virtual_size - (rva - section->rva);
    }
    return rva < layout->headers_size && size <= layout->headers_size - rva;
}

void *pe_at(const struct loader_image *image, uint64_t rva, uint64_t size)
{
    return pe_range_ok(image, rva, size) ? image->base + rva : NULL;
}

const char *pe_name_at(const struct loader_image *image, uint64_t rva)
{
    for (uint64_t length = 0; length < PE_NAME_MAX; length++) {
        const unsigned char *at = pe_at(image, rva + length, 1);

        if (!at) {
            return NULL;
        }
        if (*at == 0) {
            return length ? (const char *)at - length : NULL;
        }
        if (!isgraph(*at) && *at != ' ') {
            return NULL;
        }
    }
    return NULL;
}
