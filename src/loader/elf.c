/* Driver modules built as ELF shared objects: the same driver, for sanitizers and host debuggers.
 *
 * The dynamic linker loads them and binds their imports to what the host's executable exports
 * (link it with -rdynamic). Only a module of one's own making is loaded so, hence the file is read
 * with care here but trusted by dlopen(). It has no structured exceptions.
 */
#include "loader/internal.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

struct elf_file {
    const uint8_t *bytes;
    size_t size;
};

/* A table of `count` entries inside the file, or NULL. */
static const void *table_at(const struct elf_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset ? file->bytes + offset : NULL;
}

static bool check_header(const struct elf_file *file, Elf64_Ehdr *header,
                         struct loader_error *error)
{
    if (file->size < sizeof(*header)) {
        return loader_error_set(error, "truncated: an ELF header needs %zu bytes, the file has %zu",
                                sizeof(*header), file->size);
    }
    memcpy(header, file->bytes, sizeof(*header));
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64) {
        return loader_error_set(error, "ELF header: not for x86-64 (class %u, machine %u)",
                                header->e_ident[EI_CLASS], header->e_machine);
    }
    if (header->e_type != ET_DYN) {
        return loader_error_set(error, "ELF header: type %u is not a shared object",
                                header->e_type);
    }
    return true;
}

/* The dynamic linker maps what its headers say, and falls over what the file has not. */
static bool check_segments(const struct elf_file *file, const Elf64_Ehdr *header,
                           struct loader_error *error)
{
    for (unsigned i = 0; i < header->e_phnum; i++) {
        const void *at =
            header->e_phoff <= file->size
                ? table_at(file, header->e_phoff + i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr))
                : NULL;
        Elf64_Phdr segment;

        if (!at || header->e_phentsize != sizeof(segment)) {
            return loader_error_set(error, "ELF segment %u: its header is not inside the file", i);
        }
        memcpy(&segment, at, sizeof(segment));
        if (!table_at(file, segment.p_offset, segment.p_filesz)) {
            return loader_error_set(error, "truncated: ELF segment %u is not inside the file", i);
        }
    }
    return true;
}

static bool section_at(const struct elf_file *file, const Elf64_Ehdr *header, unsigned index,
                       Elf64_Shdr *section)
{
    const void *at =
        table_at(file, header->e_shoff + (uint64_t)index * sizeof(*section), sizeof(*section));

    if (!at || header->e_shoff > file->size || header->e_shentsize != sizeof(*section)) {
        return false;
    }
    memcpy(section, at, sizeof(*section));
    return true;
}

static bool add_symbol(struct loader_image *image, const Elf64_Sym *symbol, const char *name)
{
    bool found = dlsym(RTLD_DEFAULT, name) != NULL;

    /* Weak ones belong to the compiler's start-up files. */
    if (symbol->st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol->st_info) == STB_WEAK || !name[0]) {
        return true;
    }
    image->priv->imports[image->import_count] = (struct loader_import){
        .dll = strdup(""),
        .name = strdup(name),
        .found = found,
        .is_data = ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT,
        .address = dlsym(RTLD_DEFAULT, name),
    };
    image->import_count++;
    return image->priv->imports[image->import_count - 1].dll &&
           image->priv->imports[image->import_count - 1].name;
}

static bool list_symbols(struct loader_image *image, const struct elf_file *file,
                         const Elf64_Shdr *symbols, const Elf64_Shdr *strings,
                         struct loader_error *error)
{
    const uint8_t *table = table_at(file, symbols->sh_offset, symbols->sh_size);
    const char *names = table_at(file, strings->sh_offset, strings->sh_size);
    size_t count = symbols->sh_size / sizeof(Elf64_Sym);

    if (!table || !names || strings->sh_size == 0 || names[strings->sh_size - 1] != 0) {
        return loader_error_set(error, "ELF dynamic symbols are not inside the file");
    }
    image->priv->imports = calloc(count ? count : 1, sizeof(*image->priv->imports));
    image->imports = image->priv->imports;
    if (!image->imports) {
        return loader_error_set(error, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        Elf64_Sym symbol;

        memcpy(&symbol, table + i * sizeof(symbol), sizeof(symbol));
        if (symbol.st_name >= strings->sh_size) {
            return loader_error_set(error, "ELF symbol %zu: its name is not inside the file", i);
        }
        if (!add_symbol(image, &symbol, names + symbol.st_name)) {
            return loader_error_set(error, "out of memory");
        }
    }
    return true;
}

/* Those that are in memory when it runs. */
static bool list_sections(struct loader_image *image, const struct elf_file *file,
                          const Elf64_Ehdr *header, struct loader_error *error)
{
    struct loader_section *sections = calloc(header->e_shnum + 1u, sizeof(*sections));

    image->priv->sections = sections;
    image->sections = sections;
    if (!sections) {
        return loader_error_set(error, "out of memory");
    }
    for (unsigned i = 0; i < header->e_shnum; i++) {
        Elf64_Shdr section;

        if (section_at(file, header, i, &section) && section.sh_flags & SHF_ALLOC &&
            section.sh_addr < LOADER_IMAGE_SIZE_MAX && section.sh_size < LOADER_IMAGE_SIZE_MAX) {
            sections[image->section_count++] = (struct loader_section){
                .rva = (uint32_t)section.sh_addr,
                .size = (uint32_t)section.sh_size,
                .readable = true,
                .writable = (section.sh_flags & SHF_WRITE) != 0,
                .executable = (section.sh_flags & SHF_EXECINSTR) != 0,
            };
        }
    }
    return true;
}

bool elf_inspect(struct loader_image *image, const uint8_t *bytes, size_t size,
                 struct loader_error *error)
{
    struct elf_file file = {bytes, size};
    Elf64_Ehdr header;

    image->kind = LOADER_KIND_ELF;
    if (!check_header(&file, &header, error) || !check_segments(&file, &header, error)) {
        return false;
    }
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr symbols, strings;

        if (!section_at(&file, &header, i, &symbols)) {
            return loader_error_set(error, "ELF section %u: its header is not inside the file", i);
        }
        if (symbols.sh_type != SHT_DYNSYM) {
            continue;
        }
        if (symbols.sh_link >= header.e_shnum ||
            !section_at(&file, &header, symbols.sh_link, &strings)) {
            return loader_error_set(error, "ELF section %u: no names belong to it", i);
        }
        return list_sections(image, &file, &header, error) &&
               list_symbols(image, &file, &symbols, &strings, error);
    }
    return list_sections(image, &file, &header, error);
}

struct extent {
    uintptr_t inside, low, high;
};

/* For dl_iterate_phdr: the addresses of the object that holds extent->inside. */
static int measure(struct dl_phdr_info *info, size_t size, void *data)
{
    struct extent *extent = data;
    uintptr_t low = UINTPTR_MAX, high = 0;
    bool here = false;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_LOAD) {
            low = begin < low ? begin : low;
            high = begin + header->p_memsz > high ? begin + header->p_memsz : high;
            here |= extent->inside - begin < header->p_memsz;
        }
    }
    if (here) {
        extent->low = low;
        extent->high = high;
    }
    return here;
}

bool elf_load(struct loader_image *image, const char *path, struct loader_error *error)
{
    char with_slash[4096];
    struct extent extent = {0};
    void *entry;

    /* Without a slash dlopen() would search the library path. */
    if (snprintf(with_slash, sizeof(with_slash), "%s%s", strchr(path, '/') ? "" : "./", path) >=
        (int)sizeof(with_slash)) {
        return loader_error_set(error, "the path is too long");
    }
    image->priv->elf = dlopen(with_slash, RTLD_NOW | RTLD_LOCAL);
    if (!image->priv->elf) {
        return loader_error_set(error, "%s", dlerror());
    }
    entry = dlsym(image->priv->elf, "DriverEntry");
    if (!entry) {
        return loader_error_set(error, "no entry point: the module does not export DriverEntry");
    }
    extent.inside = (uintptr_t)entry;
    if (!dl_iterate_phdr(measure, &extent)) {
        return loader_error_set(error, "the module lies in no loaded object");
    }
    image->entry = entry;
    image->base = (uint8_t *)extent.low;
    image->size = extent.high - extent.low;
    return true;
}

void elf_unload(struct loader_image *image)
{
    if (image->priv->elf) {
        dlclose(image->priv->elf);
    }
}

struct segment_search {
    uintptr_t address;
    bool found, writable;
};

static int look_in_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct segment_search *search = context;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

        if (segment->p_type == PT_LOAD &&
            search->address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz) {
            search->found = !(segment->p_flags & PF_X);
            search->writable = (segment->p_flags & PF_W) != 0;
            return 1;
        }
    }
    return 0;
}

bool elf_data_at(const void *address, bool *writable)
{
    struct segment_search search = {.address = (uintptr_t)address};

    dl_iterate_phdr(look_in_module, &search);
    *writable = search.writable;
    return search.found;
}
