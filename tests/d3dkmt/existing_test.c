/* Allocations of memory that clients have, where the driver names them by physical addresses and
 * where page tables show them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "existing_client.h"
#include "run.h"

static void the_gpu_and_the_client_see_the_same_bytes(void **state)
{
    static const char *const ways[] = {
        NULL,
        "\"GpuMmu\"=dword:00000001\n",
        "\"GpuMmu\"=dword:00000001\n\"PagingVirtual\"=dword:00000000\n",
    };

    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct test_run run = {.workloads = {&existing_client},
                                     .device_options = "vram_mb=16",
                                     .registry = ways[i],
                                     .wddm_version = 0x2600,
                                     .seed = i + 1,
                                     .process_count = 1};
        struct record *record = test_run(&run);
        test_run_assert_pass(record);
        record_destroy(record);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gpu_and_the_client_see_the_same_bytes),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
