/* The life of the machine: the parts in the order they need each other. */
#include "machine/machine.h"

#include <string.h>

#include "machine/internal.h"
#include "machine/iommu.h"

struct machine_state machine;
struct machine_here machine_here = {.level = &machine.outside.irql};

static bool config_accept(const struct machine_config *config)
{
    machine.config = *config;
    vary_in_force = config->variations;
    if (machine.config.ram_bytes == 0) {
        machine.config.ram_bytes = UINT64_C(1) << 30;
    }
    if (machine.config.cpu_count == 0) {
        machine.config.cpu_count = 4;
    }
    return machine.config.cpu_count <= MACHINE_CPU_COUNT_MAX &&
           machine.config.ram_bytes >= UINT64_C(16) << 20 &&
           machine.config.ram_bytes <= UINT64_C(64) << 30 &&
           machine.config.ram_bytes % (UINT64_C(1) << 20) == 0;
}

static void clear(void)
{
    memset(&machine, 0, sizeof(machine));
    vary_in_force = (struct vary_set){0};
    machine_here = (struct machine_here){.level = &machine.outside.irql};
}

static void cpus_init(void)
{
    for (unsigned i = 0; i < MACHINE_CPU_COUNT_MAX; i++) {
        machine.cpus[i].index = i;
        list_init(&machine.cpus[i].dpcs);
        list_init(&machine.cpus[i].held_dpcs);
    }
    list_init(&machine.outside.dpcs);
    list_init(&machine.outside.held_dpcs);
    machine.cpu = &machine.cpus[0];
}

NTSTATUS machine_create(const struct machine_config *config)
{
    NTSTATUS status = STATUS_INSUFFICIENT_RESOURCES;

    CHECK_THAT(!machine.exists);
    clear();
    if (!config_accept(config)) {
        return STATUS_INVALID_PARAMETER;
    }
    random_reset(config->seed);
    steps_reset();
    compared_reset();
    dma_watches_reset();
    timers_reset();
    interrupts_reset();
    cpus_init();
    record_context = (struct record_context){0};
    clock_begin();
    pageable_reset();
    if (!ram_create(machine.config.ram_bytes)) {
        return status;
    }
    if (!io_create()) {
        goto err_ram;
    }
    pci_create();
    if (!stacks_create()) {
        goto err_io;
    }
    if (!lent_create()) {
        goto err_stacks;
    }
    if (!executor_create()) {
        goto err_lent;
    }
    machine.exists = true;
    return STATUS_SUCCESS;

err_lent:
    executor_destroy();
    lent_destroy();
err_stacks:
    stacks_destroy();
err_io:
    io_destroy();
err_ram:
    ram_destroy();
    return status;
}

void machine_destroy(void)
{
    if (!machine.exists) {
        return;
    }
    CHECK_THAT(!machine.running);
    pci_destroy_all();
    timers_reset();
    executor_destroy();
    lent_destroy();
    stacks_destroy();
    io_destroy();
    gart_destroy();
    iommu_reset();
    ram_destroy();
    interrupts_reset();
    random_reset(0);
    old_reset();
    clear();
    record_context = (struct record_context){0};
}

bool machine_exists(void)
{
    return machine.exists;
}

unsigned machine_cpu_count(void)
{
    return machine.config.cpu_count;
}
