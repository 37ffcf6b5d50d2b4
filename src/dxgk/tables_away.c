/* Page tables that do not stay where they are: they move while their process works, or leave memory
 * while it does not, and come back before its next work is prepared, or its addresses change
 * [RES-007, UPT-010]. Those of processes leave when nothing else gives the room that is wanted in
 * their segment, which vidmm sees to; here it happens without want, as a variation. */
#include "dxgk/work.h"

#include "base/check.h"
#include "machine/vary.h"

NTSTATUS dxgk_space_keep_tables(struct dxgk_space *space)
{
    struct vidmm_wait wait;
    NTSTATUS status;

    while ((status = vidmm_space_keep_tables(&space->memory, &wait)) == STATUS_PENDING) {
        dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
    }
    dxgk_paging_kick(space->adapter);
    return status;
}

/* ---- What is owed -------------------------------------------------------------------------- */

/* As long as work may run, unless the user says otherwise; no page says how long. */
#define OWED_NS (2 * NS_PER_S)

bool dxgk_tables_are_due(const struct dxgk_packet *packet)
{
    return packet->gives_up_ns != 0 && machine_now_ns() >= packet->gives_up_ns;
}

/* In hardware context: the worker asks those that wait; the next may have longer. */
static void owed_too_long(struct machine_timer *timer)
{
    struct dxgk_space *space = timer->context;
    uint64_t next_ns = MACHINE_NEVER;

    list_for_each (link, &space->adapter->waiting_packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, wait_link);
        if (packet->gives_up_ns > machine_now_ns() && packet->gives_up_ns < next_ns) {
            next_ns = packet->gives_up_ns;
        }
    }
    if (next_ns != MACHINE_NEVER) {
        machine_timer_set(timer, next_ns);
    }
    dxgk_worker_kick(space->adapter);
}

void dxgk_space_owed_init(struct dxgk_space *space)
{
    machine_timer_init(&space->owed, owed_too_long, space);
}

void dxgk_tables_watch(struct dxgk_packet *packet)
{
    struct dxgk_space *space = &packet->context->device->process->space;

    if (!space->owed.armed || space->owed.due_ns > packet->gives_up_ns) {
        machine_timer_set(&space->owed, packet->gives_up_ns);
    }
}

bool dxgk_tables_are_owed(struct dxgk_packet *packet)
{

    if (packet->gives_up_ns == 0) {
        packet->gives_up_ns = machine_now_ns() + OWED_NS;
        record_count("paging.tables_owed", 1);
    }
    if (dxgk_tables_are_due(packet)) {
        return false;
    }
    dxgk_tables_watch(packet);
    return true;
}

/* ---- Without want -------------------------------------------------------------------------- */

/* Of the process itself, which has them back at once, and of others, which get them later; of those
 * whose work is prepared, or runs, they stay. */
static void evict_tables(struct dxgk_adapter *adapter)
{
    list_for_each (link, &adapter->devices) {
        const struct dxgk_device *device = container_of(link, struct dxgk_device, life.link);
        if (device->process && device->process->space.memory.root) {
            NTSTATUS status = vidmm_space_evict_tables(&device->process->space.memory);
            CHECK_THAT(NT_SUCCESS(status) || status == STATUS_DEVICE_BUSY ||
                       status == STATUS_NO_MEMORY);
        }
    }
}

/* Those that everything else is paged by. */
static void move_paging_tables(struct dxgk_adapter *adapter)
{
    struct vidmm_space *space = &adapter->system_space.memory;
    struct vidmm_wait wait;

    if (adapter->mmu.pages && space->root) {
        NTSTATUS status = vidmm_space_move_tables(space, &wait);
        record_count("paging.system_tables_moved", status == STATUS_SUCCESS);
    }
}

void dxgk_process_move_tables(struct dxgk_process *process)
{
    struct dxgk_space *space = &process->space;
    struct vidmm_wait wait;

    if (!space->has_root || space->adapter->mmu.shared) {
        return;
    }
    if (vary_below(VARY_MOVED_TABLES, 4) == 0) {
        move_paging_tables(space->adapter);
    } else if (vary_below(VARY_MOVED_TABLES, 2) == 0) {
        evict_tables(space->adapter);
    } else if (space->memory.root) {
        NTSTATUS status = vidmm_space_move_tables(&space->memory, &wait);
        record_count("paging.tables_not_moved", status != STATUS_SUCCESS);
    }
    dxgk_paging_kick(space->adapter);
}
