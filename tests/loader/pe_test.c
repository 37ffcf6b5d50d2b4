/* Hostile images: every refusal says what is wrong and where, and nothing crashes. */
#include "loader/loader.h"

#include "pe_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint8_t image[PE_IMAGE_SIZE];
static unsigned host_calls;

static LOADER_MS_ABI void host_function(void)
{
    host_calls++;
}

static bool resolve(void *ctx, const char *dll, const char *name, struct loader_binding *out)
{
    out->address = (void *)(uintptr_t)host_function;
    return strcmp(dll, "ntoskrnl.exe") == 0 && strcmp(name, "HostFunction") == 0;
}

static int set_up(void **state)
{
    static const struct loader_host host = {.resolve = resolve};

    loader_init(&host);
    return 0;
}

static int tear_down(void **state)
{
    loader_fini();
    return 0;
}

/* Loads from memory of exactly that size, so that a sanitizer sees a read beyond it. */
static bool load(const uint8_t *bytes, size_t size, struct loader_error *error)
{
    struct loader_image *loaded = NULL;
    uint8_t *copy = malloc(size ? size : 1);
    bool ok;

    assert_non_null(copy);
    memcpy(copy, bytes, size);
    memset(error, 0, sizeof(*error));
    ok = loader_load_bytes("hostile.sys", copy, size, &loaded, error);
    if (ok) {
        assert_non_null(loaded);
        loader_unload(loaded);
    } else {
        assert_null(loaded);
        assert_true(error->text[0] != 0);
    }
    ok &= loader_inspect_bytes("hostile.sys", copy, size, &loaded, error);
    if (loaded) {
        loader_unload(loaded);
    }
    free(copy);
    return ok;
}

static void a_valid_image_loads_and_runs(void **state)
{
    struct loader_image *loaded = NULL;
    struct loader_error error = {{0}};
    uint64_t values[2];

    pe_image_make(image);
    if (!loader_load_bytes("tiny.sys", image, sizeof(image), &loaded, &error)) {
        fail_msg("%s", error.text);
    }
    host_calls = 0;
    assert_int_equal(((LOADER_MS_ABI int (*)(void *, void *))loaded->entry)(NULL, NULL), 7);
    assert_int_equal(host_calls, 1);
    assert_int_equal(loaded->import_count, 1);
    assert_int_equal(*loaded->imports[0].calls, 1);
    assert_ptr_equal(loader_export_find(loaded, "DriverEntry"), loaded->entry);
    assert_null(loader_export_find(loaded, "nothing"));
    memcpy(values, loaded->base + 0x3000, sizeof(values));
    assert_true(values[0] != 0x2b992ddfa232ull && values[0] != 0);
    assert_int_equal(values[1], (uintptr_t)loaded->base + 0x1000);
    assert_int_equal(loaded->section_count, 4);
    assert_string_equal(loaded->sections[1].name, ".rdata");
    assert_true(loaded->sections[0].executable && !loaded->sections[0].writable);
    assert_int_equal(loaded->warning_count, 0);
    loader_unload(loaded);
}

/* One change to a valid image, and a part of the text it must be refused with. */
struct refusal {
    size_t offset;
    unsigned width;
    uint64_t value;
    const char *text;
};

static void refusals_name_the_place(void **state)
{
    static const struct refusal refusals[] = {
        {0, 1, 'X', "not begin with 'MZ'"},
        {60, 4, 0xfffffff0, "PE header at 0xfffffff0 lies beyond end of file (0xe00)"},
        {PE_HEADER, 1, 'N', "no 'PE' signature at 0x80"},
        {PE_HEADER + 4, 2, 0x14c, "32-bit x86"},
        {PE_HEADER + 4, 2, 0xaa64, "ARM64"},
        {PE_HEADER + 4, 2, 0x1234, "unknown machine 0x1234"},
        {PE_HEADER + 6, 2, 0, "0 sections"},
        {PE_HEADER + 6, 2, 97, "97 sections"},
        {PE_HEADER + 20, 2, 0xffff, "optional header: [0x98,0x10097) beyond end of file"},
        {PE_HEADER + 20, 2, 100, "at least 112"},
        {PE_OPTIONAL, 2, 0x10b, "PE32 (32-bit)"},
        {PE_OPTIONAL, 2, 0x107, "magic 0x0107"},
        {PE_OPTIONAL + 16, 4, 0, "without DriverEntry"},
        {PE_OPTIONAL + 16, 4, 0x4800, "entry point 0x4800 lies in no section"},
        {PE_OPTIONAL + 16, 4, 0x3000, "in section '.data', which is not executable"},
        {PE_OPTIONAL + 32, 4, 0x200, "section alignment 0x200"},
        {PE_OPTIONAL + 36, 4, 3, "file alignment 0x3"},
        {PE_OPTIONAL + 56, 4, 0xffffffff, "image size 0xffffffff"},
        {PE_OPTIONAL + 56, 4, 0x3000, "data directory 5: [0x4000,0x4018) beyond end of image"},
        {PE_OPTIONAL + 60, 4, 0xf00, "headers size 0xf00"},
        {PE_OPTIONAL + 108, 4, 17, "17 data directories, room for 16"},
        {PE_OPTIONAL + 112 + 12, 4, 0xffffffff, "data directory 1: [0x2000,0x100001fff)"},
        {PE_SECTIONS + 16, 4, 0x8c00,
         "section 1 '.text': raw data [0x400,0x9000) beyond end of file "
         "(0xe00)"},
        {PE_SECTIONS + 20, 4, 0xfffffff0, "section 1 '.text': raw data [0xfffffff0,0x1000001f0)"},
        {PE_SECTIONS + 8, 4, 0xffffffff, "section 1 '.text': memory [0x1000,0x100000fff)"},
        {PE_SECTIONS + 12, 4, 0x1010, "section 1 '.text': address 0x1010 is not aligned"},
        {PE_SECTIONS + 52, 4, 0x1000,
         "section 2 '.rdata': begins at 0x1000, before the end (0x1014)"},
        {PE_DATA_RAW + 12, 4, 0x9000, "no module name at 0x9000"},
        {PE_DATA_RAW + 0xa0, 8, 0x8000000000000005ull,
         "imports of 'ntoskrnl.exe': import by ordinal 5"},
        {PE_DATA_RAW + 0xa0, 8, 0x123456789, "entry 0 (0x123456789)"},
        {PE_DATA_RAW + 0xa0, 8, 0x2ffe, "no name at 0x2ffe"},
        {PE_DATA_RAW + 0, 4, 0x22fc, "look-up table runs out of its section"},
        {PE_DATA_RAW + 0x118, 4, 0x7fffffff, "2147483647 names"},
        {PE_DATA_RAW + 0x140, 2, 5, "export 0: its name or ordinal"},
        {PE_DATA_RAW + 0x130, 4, 0x9999, "export 0 'DriverEntry'"},
        {PE_DATA_RAW + 0x200, 4, 0x1014, "function table: entry 0: [0x1014,0x1014)"},
        {PE_DATA_RAW + 0x208, 4, 0x22fe, "unwind data at 0x22fe"},
        {PE_DATA_RAW + 0x298, 8, 0x140009000ull, "security cookie at 0x9000"},
        {PE_DATA_RAW + 0x298, 8, 0x140001000ull, "security cookie at 0x1000"},
        {PE_RELOC_RAW + 4, 4, 0xffffffff, "block at 0x4000 has size 0xffffffff, 0x18 are left"},
        {PE_RELOC_RAW + 4, 4, 0, "block at 0x4000 has size 0x0"},
        {PE_RELOC_RAW + 0, 4, 0xfffff000, "relocation at 0xfffff298 lies in no section"},
        {PE_RELOC_RAW + 8, 2, 0x3298, "relocation at 0x2298: type 3"},
        {PE_HEADER + 22, 2, 0x23, "relocations are stripped"},
    };

    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        const struct refusal *refusal = &refusals[i];
        struct loader_image *loaded = NULL;
        struct loader_error error = {{0}};

        pe_image_make(image);
        memcpy(image + refusal->offset, &refusal->value, refusal->width);
        if (loader_load_bytes("hostile.sys", image, sizeof(image), &loaded, &error)) {
            fail_msg("row %zu is not refused", i);
        }
        assert_null(loaded);
        if (!strstr(error.text, refusal->text)) {
            fail_msg("row %zu: \"%s\" does not say \"%s\"", i, error.text, refusal->text);
        }
    }
}

static void every_truncation_is_refused(void **state)
{
    struct loader_error error;

    pe_image_make(image);
    for (size_t size = 0; size < sizeof(image) - 0x200; size += size < 0x240 ? 1 : 7) {
        assert_false(load(image, size, &error));
    }
}

/* Sixteen bytes of nothing, behind the headers: changing them means nothing. */
static bool is_padding(size_t offset)
{
    static const uint8_t nothing[16];
    uint8_t pristine[PE_IMAGE_SIZE];

    pe_image_make(pristine);
    return offset >= PE_SECTIONS + 160 && memcmp(pristine + (offset & ~15ull), nothing, 16) == 0;
}

/* Each byte becomes each of some values, which hit signs, sizes and flags. */
static void no_byte_makes_it_crash(void **state)
{
    static const uint8_t values[] = {0, 1, 2, 4, 0x10, 0x20, 0x3f, 0x7f, 0x80, 0xc0, 0xfe, 0xff};
    struct loader_error error;
    size_t refused = 0;

    for (size_t offset = 0; offset < sizeof(image); offset++) {
        if (is_padding(offset)) {
            continue;
        }
        for (size_t i = 0; i < sizeof(values); i++) {
            pe_image_make(image);
            image[offset] = values[i];
            refused += !load(image, sizeof(image), &error);
        }
    }
    assert_true(refused > 1000);
}

/* Each 32-bit field becomes values that overflow sums. */
static void no_field_makes_it_crash(void **state)
{
    static const uint32_t values[] = {0x7fffffff, 0x80000000, 0xfffff000, 0xffffffff, 0x00005000,
                                      0x00004fff, 0x10000000, 0x00000e00, 0x000022f8};
    struct loader_error error;

    for (size_t offset = 0; offset + 4 <= sizeof(image); offset += 4) {
        if (is_padding(offset)) {
            continue;
        }
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            pe_image_make(image);
            pe_put32(image, offset, values[i]);
            load(image, sizeof(image), &error);
        }
    }
}

static void what_is_odd_is_said(void **state)
{
    struct loader_image *loaded = NULL;
    struct loader_error error;

    pe_image_make(image);
    pe_put16(image, PE_OPTIONAL + 68, 2);
    pe_put16(image, PE_HEADER + 22, 0x2022);
    pe_put32(image, PE_SECTIONS + 36, 0xe0000020);
    assert_true(loader_load_bytes("odd.sys", image, sizeof(image), &loaded, &error));
    assert_int_equal(loaded->warning_count, 3);
    assert_non_null(strstr(loaded->warnings[0], "subsystem 2"));
    assert_non_null(strstr(loaded->warnings[1], "DLL"));
    assert_non_null(strstr(loaded->warnings[2], "section 1 '.text' is writable code"));
    assert_true(loaded->is_dll);
    loader_unload(loaded);
}

static void files_that_are_none(void **state)
{
    struct loader_image *loaded = NULL;
    struct loader_error error;

    assert_false(loader_load_file("/nonexistent/foo.sys", &loaded, &error));
    assert_non_null(strstr(error.text, "cannot open: No such file"));
    assert_false(loader_load_file("/", &loaded, &error));
    assert_non_null(strstr(error.text, "not a regular file"));
    assert_false(loader_load_file("/dev/null", &loaded, &error));
    assert_non_null(strstr(error.text, "not a regular file"));
    assert_false(loader_load_bytes("x", "", 0, &loaded, &error));
    assert_string_equal(error.text, "the file is empty");
    assert_false(loader_load_bytes("x.so", "\177ELF", 4, &loaded, &error));
    assert_string_equal(error.text, "an ELF module can only be loaded from a file");
    assert_false(loader_inspect_bytes("x.so", "\177ELF", 4, &loaded, &error));
    assert_non_null(strstr(error.text, "an ELF header needs 64 bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_valid_image_loads_and_runs), cmocka_unit_test(refusals_name_the_place),
        cmocka_unit_test(every_truncation_is_refused),  cmocka_unit_test(no_byte_makes_it_crash),
        cmocka_unit_test(no_field_makes_it_crash),      cmocka_unit_test(what_is_odd_is_said),
        cmocka_unit_test(files_that_are_none),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
