/* Configuration space: the standard header, three capabilities, and the device's own part.
 *
 *      0x00  header          0xA0  PCI Express        0xF8  power management
 *      0x40  the device's    0xE0  messages (MSI)     0x100 the device's
 *
 * What a write may change is a mask beside the bytes; sizing a BAR by writing all ones comes out of
 * that by itself. */
#include "machine/internal.h"

#include <string.h>

#define OFFSET_BARS      0x10u
#define OFFSET_EXPRESS   0xA0u
#define OFFSET_MESSAGES  0xE0u
#define OFFSET_POWER     0xF8u
#define OWN_CAPABILITIES 0xA0u /* from here to 0x100 nothing reaches the device */

static void put(struct config_space *space, unsigned offset, unsigned size, uint64_t value,
                uint64_t writable)
{
    for (unsigned i = 0; i < size; i++) {
        space->bytes[offset + i] = (uint8_t)(value >> 8 * i);
        space->writable[offset + i] = (uint8_t)(writable >> 8 * i);
    }
}

static void put_bars(struct config_space *space, const struct pci_slot *slot)
{
    const struct device_description *description = &slot->device->description;

    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        const struct device_bar *bar = &description->bars[i];
        uint64_t flags = (bar->prefetchable ? 8u : 0u) | (bar->is_64bit ? 4u : 0u);
        uint64_t base = slot->resources.bars[i].base;
        if (bar->kind != DEVICE_BAR_NONE) {
            put(space, OFFSET_BARS + 4 * i, bar->is_64bit ? 8 : 4, base | flags, ~(bar->size - 1));
            i += bar->is_64bit;
        }
    }
}

static void put_capabilities(struct config_space *space, const struct pci_slot *slot)
{
    const struct device_description *description = &slot->device->description;
    unsigned offered = description->message_count;
    unsigned granted = slot->resources.message_count;
    unsigned after_express = offered ? OFFSET_MESSAGES : OFFSET_POWER;

    /* Endpoint, version 2; a link of 16 lanes at 8 GT/s. */
    put(space, OFFSET_EXPRESS, 4, 0x00020010u | after_express << 8, 0);
    put(space, OFFSET_EXPRESS + 0x04, 4, 0x10008000u, 0);
    put(space, OFFSET_EXPRESS + 0x0C, 4, 0x00000103u, 0);
    put(space, OFFSET_EXPRESS + 0x12, 2, 0x1103u, 0);
    if (offered) {
        unsigned log_offered = (unsigned)__builtin_ctz(offered);
        unsigned log_granted = granted ? (unsigned)__builtin_ctz(granted) : 0;
        unsigned control = 0x80u | log_offered << 1 | log_granted << 4 | (granted ? 1u : 0u);
        put(space, OFFSET_MESSAGES, 2, 0x05u | OFFSET_POWER << 8, 0);
        put(space, OFFSET_MESSAGES + 2, 2, control, 0x0071u);
        put(space, OFFSET_MESSAGES + 4, 8, granted ? 0xFEE00000u : 0, ~UINT64_C(3));
        put(space, OFFSET_MESSAGES + 12, 2, granted ? slot->resources.interrupt_vector : 0,
            0xFFFFu);
    }
    put(space, OFFSET_POWER, 4, 0x00030001u, 0);
    put(space, OFFSET_POWER + 4, 4, 0, 0x3u);
}

void config_init(struct pci_slot *slot)
{
    const struct device_description *description = &slot->device->description;
    struct config_space *space = &slot->config;
    /* As the bus driver leaves a started device: memory decoding and bus mastering are on. */
    unsigned command = COMMAND_MEMORY | COMMAND_BUS_MASTER |
                       (slot->resources.message_count ? COMMAND_NO_INTERRUPTS : 0u);

    memset(space, 0, sizeof(*space));
    put(space, 0x00, 2, description->vendor_id, 0);
    put(space, 0x02, 2, description->device_id, 0);
    put(space, CONFIG_COMMAND, 2, command, 0x0547u);
    put(space, 0x06, 2, 0x0010u, 0); /* has capabilities */
    put(space, 0x08, 1, description->revision_id, 0);
    put(space, 0x09, 1, description->programming_interface, 0);
    put(space, 0x0A, 1, description->subclass, 0);
    put(space, 0x0B, 1, description->class_code, 0);
    put(space, 0x0C, 2, 0x10u, 0xFFFFu);
    put_bars(space, slot);
    put(space, 0x2C, 2, description->subsystem_vendor_id, 0);
    put(space, 0x2E, 2, description->subsystem_id, 0);
    put(space, 0x34, 1, OFFSET_EXPRESS, 0);
    put(space, 0x3C, 1, slot->resources.interrupt_line, 0xFFu);
    put(space, 0x3D, 1, 1, 0);
    put_capabilities(space, slot);
}

uint16_t config_command(const struct pci_slot *slot)
{
    return (uint16_t)(slot->config.bytes[CONFIG_COMMAND] | slot->config.bytes[CONFIG_COMMAND + 1]
                                                               << 8);
}

static bool is_devices_part(unsigned offset)
{
    return offset >= 0x40 && !(offset >= OWN_CAPABILITIES && offset < 0x100);
}

static uint32_t dword_read(struct pci_slot *slot, unsigned offset)
{
    const struct device_operations *operations = slot->device->operations;
    uint32_t value;

    if (slot->removed) {
        return UINT32_MAX;
    }
    if (is_devices_part(offset) && operations->config_read) {
        machine.hardware++;
        value = operations->config_read(slot->device, offset);
        machine.hardware--;
        return value;
    }
    memcpy(&value, &slot->config.bytes[offset], 4);
    return value;
}

/* Changes the bits of mask. */
static void dword_write(struct pci_slot *slot, unsigned offset, uint32_t value, uint32_t mask)
{
    const struct device_operations *operations = slot->device->operations;
    uint32_t writable, old;

    if (slot->removed) {
        return;
    }
    if (is_devices_part(offset)) {
        if (operations->config_write) {
            old = mask == UINT32_MAX ? 0 : dword_read(slot, offset);
            machine.hardware++;
            operations->config_write(slot->device, offset, (old & ~mask) | (value & mask));
            machine.hardware--;
        }
        return;
    }
    memcpy(&writable, &slot->config.writable[offset], 4);
    memcpy(&old, &slot->config.bytes[offset], 4);
    mask &= writable;
    value = (old & ~mask) | (value & mask);
    memcpy(&slot->config.bytes[offset], &value, 4);
}

void pci_config_read(struct pci_slot *slot, unsigned offset, void *bytes, unsigned size)
{
    uint8_t *out = bytes;

    memset(out, 0xFF, size);
    for (unsigned done = 0; done < size && offset < CONFIG_BYTES;) {
        unsigned inside = offset % 4;
        unsigned count = 4 - inside < size - done ? 4 - inside : size - done;
        uint32_t value = dword_read(slot, offset - inside);
        memcpy(out + done, (const uint8_t *)&value + inside, count);
        done += count;
        offset += count;
    }
}

void pci_config_write(struct pci_slot *slot, unsigned offset, const void *bytes, unsigned size)
{
    const uint8_t *in = bytes;

    for (unsigned done = 0; done < size && offset < CONFIG_BYTES;) {
        unsigned inside = offset % 4;
        unsigned count = 4 - inside < size - done ? 4 - inside : size - done;
        uint32_t value = 0;
        uint32_t mask = 0;
        memcpy((uint8_t *)&value + inside, in + done, count);
        memset((uint8_t *)&mask + inside, 0xFF, count);
        dword_write(slot, offset - inside, value, mask);
        done += count;
        offset += count;
    }
}
