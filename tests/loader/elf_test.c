/* ELF driver modules behind the same interface. The module's path is the first argument. */
#include "loader/loader.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS LOADER_MS_ABI

static const char *module_path;
static jmp_buf after_fault;
static struct loader_fault last_fault;

MS int HostAdds(int a, int b);

/* Found by the dynamic linker: this program is linked with its symbols exported. */
MS int HostAdds(int a, int b)
{
    return a + b;
}

static void unhandled(void *ctx, const struct loader_fault *fault)
{
    last_fault = *fault;
    longjmp(after_fault, 1);
}

static void loads_runs_and_unloads(void **state)
{
    struct loader_image *image = NULL;
    struct loader_error error = {{0}};
    char text[LOADER_TEXT_MAX];

    if (!loader_load_file(module_path, &image, &error)) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(image->kind, LOADER_KIND_ELF);
    assert_int_equal(((MS int (*)(void *, void *))image->entry)(NULL, NULL), 7);
    assert_ptr_equal(loader_image_at(image->entry), image);
    loader_location_text(image->entry, text, sizeof(text));
    assert_non_null(strstr(text, ".so+0x"));
    loader_unload(image);
}

static void lists_its_imports(void **state)
{
    struct loader_image *image = NULL;
    struct loader_error error = {{0}};
    bool seen = false;

    assert_true(loader_inspect_file(module_path, &image, &error));
    for (size_t i = 0; i < image->import_count; i++) {
        seen |= strcmp(image->imports[i].name, "HostAdds") == 0 && image->imports[i].found;
    }
    assert_true(seen);
    loader_unload(image);
}

static void begins_anew(void **state)
{
    struct loader_image *image = NULL;
    struct loader_error error = {{0}};
    void *handle = dlopen(module_path, RTLD_NOW);
    MS int (*counts)(void) = (MS int (*)(void))dlsym(handle, "Counts");

    assert_non_null(counts);
    assert_true(loader_load_file(module_path, &image, &error));
    assert_false(loader_renew(image)); /* nothing was kept */
    assert_true(loader_keep(image));
    assert_int_equal(counts(), 601);
    assert_int_equal(counts(), 702);
    assert_true(loader_renew(image));
    assert_int_equal(counts(), 601);
    assert_int_equal(((MS int (*)(void *, void *))image->entry)(NULL, NULL), 7);
    loader_unload(image);
    dlclose(handle);
}

static void reports_its_faults(void **state)
{
    const struct loader_host host = {.unhandled = unhandled};
    struct loader_image *image = NULL;
    struct loader_error error = {{0}};
    void *handle = dlopen(module_path, RTLD_NOW);
    MS int (*fault_now)(volatile int *) = (MS int (*)(volatile int *))dlsym(handle, "FaultNow");

    loader_init(&host);
    assert_non_null(fault_now);
    assert_true(loader_load_file(module_path, &image, &error));
    if (setjmp(after_fault) == 0) {
        fault_now((volatile int *)32);
        fail();
    }
    assert_int_equal(last_fault.kind, LOADER_FAULT_UNHANDLED);
    assert_int_equal(last_fault.access_address, 32);
    assert_ptr_equal(last_fault.image, image);
    loader_unload(image);
    loader_fini();
    dlclose(handle);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_runs_and_unloads),
        cmocka_unit_test(lists_its_imports),
        cmocka_unit_test(begins_anew),
        cmocka_unit_test(reports_its_faults),
    };

    if (argc < 2) {
        fprintf(stderr, "usage: elf_test elf_module.so\n");
        return 2;
    }
    module_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
