/* A device that has the root table of what its engine is at, and of nothing else: work of several
 * processes on one node is right, whoever was given the engine when a packet's end is looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "run.h"
#include "softgpu/internal.h"
#include "softgpu/softgpu.h"
#include "workloads.h"

#define WDDM_2_6 0x2600

static struct device_operations operations;
static bool (*all_spaces)(struct device *device, unsigned *space,
                          struct device_address_space *found);

/* What an engine does without an address space leaves its root where it was. */
static bool is_engines(const struct softgpu *gpu, unsigned space)
{
    static unsigned roots[SOFTGPU_ENGINE_COUNT];
    bool is = false;

    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        unsigned named = gpu->engines[i].packet.type_flags >> SOFTGPU_PACKET_VMID_SHIFT;
        roots[i] = named ? named : roots[i];
        is |= roots[i] == space;
    }
    return is;
}

static bool next_root(struct device *device, unsigned *space, struct device_address_space *found)
{
    while (all_spaces(device, space, found)) {
        if (is_engines((const struct softgpu *)device, *space)) {
            return true;
        }
        ++*space;
    }
    return false;
}

static struct device *create(struct device_bus *bus, const struct drydock_value *values)
{
    struct device *device = softgpu_model.create(bus, values);

    if (device) {
        operations = *device->operations;
        all_spaces = operations.address_space;
        operations.address_space = next_root;
        device->operations = &operations;
    }
    return device;
}

static void work_of_several_processes_has_its_root(void **state)
{
    struct device_model model = softgpu_model;
    const struct test_run options = {.workloads = {&workload_queues, &workload_virtual},
                                     .device_model = &model,
                                     .device_options = "vram_mb=16",
                                     .registry = "\"GpuMmu\"=dword:00000001\n",
                                     .wddm_version = WDDM_2_6,
                                     .seed = 1,
                                     .process_count = 3};

    (void)state;
    model.create = create;
    struct record *record = test_run(&options);
    test_run_assert_pass(record);
    record_destroy(record);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_several_processes_has_its_root),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests_name("root", tests, NULL, NULL);
}
