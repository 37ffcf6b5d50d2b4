/* Page tables that do not stay where they are: they move while their process works, or leave memory
 * while it does not, and come back before its next work is prepared, or its addresses change
 * [RES-007, UPT-010]. As a variation, for want of memory hits everything else first. */
#include "dxgk/work.h"

#include "machine/vary.h"

NTSTATUS dxgk_space_bring_tables(struct dxgk_space *space)
{
    struct vidmm_wait wait;
    NTSTATUS status;

    while ((status = vidmm_space_bring_tables(&space->memory, &wait)) == STATUS_PENDING) {
        dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
    }
    dxgk_paging_kick(space->adapter);
    return status;
}

/* Nothing of it is prepared, runs, or may be submitted without being prepared. */
static bool device_rests(const struct dxgk_device *device)
{
    list_for_each (link, &device->contexts) {
        const struct dxgk_context *context = container_of(link, struct dxgk_context, life.link);
        if (context->life.kind == DXGK_KIND_HW_CONTEXT ||
            context->life.kind == DXGK_KIND_HW_QUEUE ||
            (context->virtual_addresses && context->vidsch.hardware_count > 0)) {
            return false;
        }
    }
    return list_empty(&device->residency.submissions);
}

static bool process_rests(const struct dxgk_process *process)
{
    const struct dxgk_space *space = &process->space;

    if (!space->has_root || !space->memory.root || space->hold_count > 0 || space->keep_count > 0) {
        return false;
    }
    list_for_each (link, &space->adapter->devices) {
        const struct dxgk_device *device = container_of(link, struct dxgk_device, life.link);
        if (device->process == process && !device_rests(device)) {
            return false;
        }
    }
    return true;
}

/* Of the process itself, which has them back at once, and of others, which get them later. */
static void evict_tables(struct dxgk_adapter *adapter)
{
    list_for_each (link, &adapter->devices) {
        const struct dxgk_device *device = container_of(link, struct dxgk_device, life.link);
        if (device->process && process_rests(device->process)) {
            NTSTATUS status = vidmm_space_evict_tables(&device->process->space.memory);
            record_count("paging.tables_evicted", status == STATUS_SUCCESS);
        }
    }
}

void dxgk_process_move_tables(struct dxgk_process *process)
{
    struct dxgk_space *space = &process->space;
    struct vidmm_wait wait;

    if (!space->has_root || space->adapter->mmu.shared) {
        return;
    }
    if (vary_below(VARY_MOVED_TABLES, 2) == 0) {
        evict_tables(space->adapter);
    } else if (space->memory.root) {
        NTSTATUS status = vidmm_space_move_tables(&space->memory, &wait);
        record_count("paging.tables_not_moved", status != STATUS_SUCCESS);
    }
    dxgk_paging_kick(space->adapter);
}
