/* Configuration space: the standard header, the capabilities the device asked for, and its own
 * part: all that neither of them holds.
 *
 * What a write may change is a mask beside the bytes; sizing a BAR by writing all ones comes out of
 * that by itself. */
#include "machine/internal.h"

#include <string.h>

#define OFFSET_BARS      0x10u
#define STATUS_INTERRUPT (1u << 19) /* of the word at CONFIG_COMMAND */
#define STATUS_LIST      0x0010u    /* has capabilities */
#define MESSAGE_ADDRESS  0xFEE00000u
#define MSI_PENDING_WORD 20u

/* ---- Making it --------------------------------------------------------------------------- */

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
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        const struct device_bar *bar = &slot->description.bars[i];
        uint64_t flags = (bar->prefetchable ? 8u : 0u) | (bar->is_64bit ? 4u : 0u);
        uint64_t base = slot->resources.bars[i].base;
        if (bar->kind == DEVICE_BAR_PORTS) {
            flags = 1;
        }
        if (bar->kind != DEVICE_BAR_NONE) {
            put(space, OFFSET_BARS + 4 * i, bar->is_64bit ? 8 : 4, base | flags, ~(bar->size - 1));
            i += bar->is_64bit;
        }
    }
}

unsigned capability_bytes(const struct device_capability *capability)
{
    switch (capability->id) {
    case DEVICE_CAPABILITY_MSI:
        return capability->maskable ? 24 : 16;
    case DEVICE_CAPABILITY_MSIX:
        return 12;
    case DEVICE_CAPABILITY_POWER:
        return capability->bytes ? 2u + capability->size : 8;
    case DEVICE_CAPABILITY_EXPRESS:
        return capability->bytes ? 2u + capability->size : 60;
    default:
        return 2u + capability->size;
    }
}

/* 64-bit address; enabled if messages were granted through it. */
static void put_msi(struct config_space *space, const struct pci_slot *slot,
                    const struct device_capability *capability)
{
    unsigned granted = slot->messages.msix_at ? 0 : slot->resources.message_count;
    unsigned log_offered = (unsigned)__builtin_ctz(capability->message_count);
    unsigned log_granted = granted ? (unsigned)__builtin_ctz(granted) : 0;
    unsigned control = 0x80u | log_offered << 1 | log_granted << 4 | (granted ? 1u : 0u) |
                       (capability->maskable ? 0x100u : 0);
    unsigned at = capability->offset;

    put(space, at + 2, 2, control, 0x0071u);
    put(space, at + 4, 8, granted ? MESSAGE_ADDRESS : 0, ~UINT64_C(3));
    put(space, at + 12, 2, granted ? slot->resources.interrupt_vector : 0, 0xFFFFu);
    if (capability->maskable) {
        put(space, at + 16, 4, 0, (UINT64_C(1) << capability->message_count) - 1);
    }
}

static void put_msix(struct config_space *space, const struct pci_slot *slot,
                     const struct device_capability *capability)
{
    unsigned enabled = slot->resources.message_count ? 0x8000u : 0;

    put(space, capability->offset + 2u, 2, (capability->message_count - 1u) | enabled, 0xC000u);
    put(space, capability->offset + 4u, 4, capability->table_offset | capability->bar, 0);
    put(space, capability->offset + 8u, 4, capability->pending_offset | capability->bar, 0);
}

static void put_given(struct config_space *space, const struct device_capability *capability)
{
    for (unsigned i = 0; i < capability->size; i++) {
        put(space, capability->offset + 2u + i, 1, capability->bytes[i],
            capability->writable ? capability->writable[i] : 0);
    }
}

static void put_content(struct config_space *space, const struct pci_slot *slot,
                        const struct device_capability *capability)
{
    unsigned at = capability->offset;

    if (capability->id == DEVICE_CAPABILITY_MSI) {
        put_msi(space, slot, capability);
    } else if (capability->id == DEVICE_CAPABILITY_MSIX) {
        put_msix(space, slot, capability);
    } else if (capability->bytes) {
        put_given(space, capability);
    } else if (capability->id == DEVICE_CAPABILITY_POWER) {
        put(space, at + 2, 2, 0x0003u, 0);
        put(space, at + 4, 4, 0, 0x3u);
    } else {
        /* PCI Express endpoint, version 2; a link of 16 lanes at 8 GT/s. */
        put(space, at + 0x02, 2, 0x0002u, 0);
        put(space, at + 0x04, 4, 0x10008000u, 0);
        put(space, at + 0x0C, 4, 0x00000103u, 0);
        put(space, at + 0x12, 2, 0x1103u, 0);
    }
}

/* In the order given; each link names the next. */
static void put_capabilities(struct config_space *space, const struct pci_slot *slot)
{
    unsigned link = 0x34;

    for (unsigned i = 0; i < slot->description.capability_count; i++) {
        const struct device_capability *capability = &slot->capabilities[i];
        put(space, link, 1, capability->offset, 0);
        put(space, capability->offset, 1, capability->id, 0);
        put_content(space, slot, capability);
        link = capability->offset + 1u;
    }
}

static bool has_ports(const struct pci_slot *slot)
{
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        if (slot->resources.bars[i].ports) {
            return true;
        }
    }
    return false;
}

void config_init(struct pci_slot *slot)
{
    const struct device_description *description = &slot->description;
    struct config_space *space = &slot->config;
    /* As the bus driver leaves a started device: memory decoding and bus mastering are on. */
    unsigned command = COMMAND_MEMORY | COMMAND_BUS_MASTER |
                       (has_ports(slot) ? COMMAND_PORTS : 0u) |
                       (slot->resources.message_count ? COMMAND_NO_INTERRUPTS : 0u);

    memset(space->bytes, 0, sizeof(space->bytes));
    memset(space->writable, 0, sizeof(space->writable));
    put(space, 0x00, 2, description->vendor_id, 0);
    put(space, 0x02, 2, description->device_id, 0);
    put(space, CONFIG_COMMAND, 2, command, 0x0547u);
    put(space, 0x06, 2, description->capability_count ? STATUS_LIST : 0, 0);
    put(space, 0x08, 1, description->revision_id, 0);
    put(space, 0x09, 1, description->programming_interface, 0);
    put(space, 0x0A, 1, description->subclass, 0);
    put(space, 0x0B, 1, description->class_code, 0);
    put(space, 0x0C, 2, 0x10u, 0xFFFFu);
    put_bars(space, slot);
    put(space, 0x2C, 2, description->subsystem_vendor_id, 0);
    put(space, 0x2E, 2, description->subsystem_id, 0);
    put(space, 0x3C, 1, slot->resources.interrupt_line, 0xFFu);
    put(space, 0x3D, 1, 1, 0);
    put_capabilities(space, slot);
    messages_table_init(slot);
    messages_changed(slot);
}

/* ---- Reading and writing ----------------------------------------------------------------- */

uint32_t config_word(const struct pci_slot *slot, unsigned offset)
{
    uint32_t value;

    memcpy(&value, &slot->config.bytes[offset], 4);
    return value;
}

uint16_t config_command(const struct pci_slot *slot)
{
    return (uint16_t)(slot->config.bytes[CONFIG_COMMAND] | slot->config.bytes[CONFIG_COMMAND + 1]
                                                               << 8);
}

static bool is_devices_part(const struct pci_slot *slot, unsigned offset)
{
    return offset >= CONFIG_CLASSIC_BYTES || !(slot->config.held_words >> offset / 4 & 1);
}

static uint32_t dword_read(struct pci_slot *slot, unsigned offset)
{
    const struct pci_messages *messages = &slot->messages;
    uint32_t value;

    if (slot->removed || slot->description.platform) {
        return UINT32_MAX;
    }
    if (is_devices_part(slot, offset)) {
        model_enter(slot);
        value = slot->operations.config_read(slot->device, offset);
        model_leave();
        return value;
    }
    if (messages->msi_maskable && offset == messages->msi_at + MSI_PENDING_WORD) {
        return messages_pending_word(slot, 0);
    }
    value = config_word(slot, offset);
    return offset == CONFIG_COMMAND && messages_line_up(slot) ? value | STATUS_INTERRUPT : value;
}

/* Changes the bits of mask. */
static void dword_write(struct pci_slot *slot, unsigned offset, uint32_t value, uint32_t mask)
{
    uint32_t writable, old;

    if (slot->removed || slot->description.platform) {
        return;
    }
    if (is_devices_part(slot, offset)) {
        old = mask == UINT32_MAX ? 0 : dword_read(slot, offset);
        model_enter(slot);
        slot->operations.config_write(slot->device, offset, (old & ~mask) | (value & mask));
        model_leave();
        return;
    }
    memcpy(&writable, &slot->config.writable[offset], 4);
    old = config_word(slot, offset);
    mask &= writable;
    value = (old & ~mask) | (value & mask);
    memcpy(&slot->config.bytes[offset], &value, 4);
    messages_changed(slot);
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
