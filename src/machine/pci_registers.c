/* Accesses to the registers and ports of a device, on their way to its model. */
#include "machine/internal.h"

static bool decodes(const struct pci_slot *slot, unsigned bar)
{
    return slot && !slot->removed && !slot->unpowered &&
           (config_command(slot) &
            (slot->resources.bars[bar].ports ? COMMAND_PORTS : COMMAND_MEMORY));
}

static void maybe_leave(struct pci_slot *slot)
{
    if (slot && slot->leaves_in > 0 && --slot->leaves_in == 0) {
        slot->unpowered = true;
        messages_clear(slot);
    }
}

void pci_leave_at(struct pci_slot *slot, unsigned access)
{
    slot->leaves_in = access;
}

static void note_touch(struct pci_slot *slot)
{
    if (!slot || !slot->rests || io_access_is_served()) {
        return;
    }
    struct pci_touches *touches = slot->late ? &slot->late_touches : &slot->touches;
    if (touches->count++ == 0) {
        touches->from = io_accessor();
        touches->irql = io_access_irql();
    }
}

uint64_t pci_register_read(struct pci_slot *slot, unsigned bar, uint64_t offset, unsigned size)
{
    uint64_t mask = size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
    uint64_t value;

    maybe_leave(slot);
    note_touch(slot);
    if (!decodes(slot, bar)) {
        return mask;
    }
    if (bar == slot->messages.table_bar && message_table_read(slot, offset, size, &value)) {
        return value;
    }
    model_enter(slot);
    value = slot->operations.mmio_read(slot->device, bar, offset, size);
    model_leave();
    return value & mask;
}

void pci_register_write(struct pci_slot *slot, unsigned bar, uint64_t offset, unsigned size,
                        uint64_t value)
{
    maybe_leave(slot);
    note_touch(slot);
    if (!decodes(slot, bar) ||
        (bar == slot->messages.table_bar && message_table_write(slot, offset, size, value))) {
        return;
    }
    settings_written(slot, bar, offset, size, value);
    model_enter(slot);
    slot->operations.mmio_write(slot->device, bar, offset, size, value);
    model_leave();
}
