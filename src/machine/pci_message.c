/* PCI: how a device's interrupts reach the machine's lines: the legacy line, MSI or MSI-X.
 *
 *      interrupt_set ──> asserted ──┬── WAY_LINE: level, up while any is asserted
 *                                   └── MSI, MSI-X: masked? ──yes──> pending ──unmasked──┐
 *                                                     └──no──> one message <─────────────┘
 *
 * The way is what the driver enabled in configuration space. */
#include "machine/internal.h"

#include <string.h>

#define MSI_ENABLE        (1u << 16) /* of the first word of the capability */
#define MSIX_ENABLE       (1u << 31)
#define MSIX_MASK_ALL     (1u << 30)
#define MSI_MASK_WORD     16u /* offset in the capability */
#define TABLE_MASKED      1u
#define ENTRY_BYTES       16u
#define MESSAGE_ADDRESS   0xFEE00000u
#define BIT(message)      (UINT64_C(1) << (message) % 64)
#define WORD(set, number) ((set)[(number) / 64])

void messages_init(struct pci_slot *slot)
{
    struct pci_messages *messages = &slot->messages;

    messages->table_bar = DEVICE_BAR_COUNT;
    for (unsigned i = 0; i < slot->description.capability_count; i++) {
        const struct device_capability *capability = &slot->capabilities[i];
        if (capability->id == DEVICE_CAPABILITY_MSI) {
            messages->msi_at = capability->offset;
            messages->msi_maskable = capability->maskable;
        } else if (capability->id == DEVICE_CAPABILITY_MSIX) {
            messages->msix_at = capability->offset;
            messages->table_bar = capability->bar;
            messages->table_offset = capability->table_offset;
            messages->pending_offset = capability->pending_offset;
        } else {
            continue;
        }
        if (capability->message_count > messages->count) {
            messages->count = capability->message_count;
        }
        /* The bus driver prefers MSI-X. */
        if (capability->id == DEVICE_CAPABILITY_MSIX || !messages->msix_at) {
            messages->offered = capability->message_count;
        }
    }
    if (messages->count == 0) {
        messages->count = pci_line_count(slot);
    }
}

unsigned pci_line_count(const struct pci_slot *slot)
{
    return slot->description.line_count ? slot->description.line_count : 1;
}

/* ---- Sending ----------------------------------------------------------------------------- */

static bool is_masked(const struct pci_slot *slot, unsigned message)
{
    const struct pci_messages *messages = &slot->messages;

    if (messages->way == WAY_MSIX) {
        return (config_word(slot, messages->msix_at) & MSIX_MASK_ALL) ||
               (messages->table[message][3] & TABLE_MASKED);
    }
    return messages->msi_maskable && message < 32 &&
           (config_word(slot, messages->msi_at + MSI_MASK_WORD) >> message & 1);
}

/* A device that got fewer messages than it offered folds them. */
static void send(const struct pci_slot *slot, unsigned message)
{
    if (slot->resources.message_count) {
        line_set(slot->resources.interrupt_line + message % slot->resources.message_count, true);
    }
}

bool messages_line_up(const struct pci_slot *slot)
{
    uint64_t any = 0;

    for (unsigned i = 0; i < MESSAGE_WORDS; i++) {
        any |= slot->messages.asserted[i];
    }
    return any && slot->messages.way == WAY_LINE;
}

static void update_line(const struct pci_slot *slot)
{
    if (slot->description.platform) {
        for (unsigned i = 0; i < slot->line_count; i++) {
            line_set(slot->resources.interrupt_line + i,
                     (WORD(slot->messages.asserted, i) & BIT(i)) != 0);
        }
    } else if (slot->resources.message_count == 0) {
        line_set(slot->resources.interrupt_line,
                 messages_line_up(slot) && !(config_command(slot) & COMMAND_NO_INTERRUPTS));
    }
}

void message_set(struct pci_slot *slot, unsigned message, bool asserted)
{
    struct pci_messages *messages = &slot->messages;

    if (asserted) {
        WORD(messages->asserted, message) |= BIT(message);
    } else {
        WORD(messages->asserted, message) &= ~BIT(message);
    }
    if (messages->way == WAY_LINE) {
        update_line(slot);
    } else if (!asserted) {
        WORD(messages->pending, message) &= ~BIT(message);
    } else if (is_masked(slot, message)) {
        WORD(messages->pending, message) |= BIT(message);
    } else {
        send(slot, message);
    }
}

bool pci_messages_on(struct device_bus *bus)
{
    return container_of(bus, struct pci_slot, bus)->messages.way != WAY_LINE;
}

void messages_clear(struct pci_slot *slot)
{
    memset(slot->messages.asserted, 0, sizeof(slot->messages.asserted));
    memset(slot->messages.pending, 0, sizeof(slot->messages.pending));
    for (unsigned i = 0; i < slot->line_count; i++) {
        line_set(slot->resources.interrupt_line + i, false);
    }
}

void messages_changed(struct pci_slot *slot)
{
    struct pci_messages *messages = &slot->messages;

    messages->way = WAY_LINE;
    if (messages->msi_at && (config_word(slot, messages->msi_at) & MSI_ENABLE)) {
        messages->way = WAY_MSI;
    }
    if (messages->msix_at && (config_word(slot, messages->msix_at) & MSIX_ENABLE)) {
        messages->way = WAY_MSIX;
    }
    update_line(slot);
    for (unsigned i = 0; messages->way != WAY_LINE && i < MESSAGE_WORDS; i++) {
        for (uint64_t left = messages->pending[i]; left; left &= left - 1) {
            unsigned message = 64 * i + (unsigned)__builtin_ctzll(left);
            if (!is_masked(slot, message)) {
                messages->pending[i] &= ~BIT(message);
                send(slot, message);
            }
        }
    }
}

uint32_t messages_pending_word(const struct pci_slot *slot, unsigned index)
{
    return index < 2 * MESSAGE_WORDS
               ? (uint32_t)(slot->messages.pending[index / 2] >> 32 * (index % 2))
               : 0;
}

/* ---- The table of MSI-X ------------------------------------------------------------------ */

/* Which of the table's words is at this offset: SIZE_MAX if it is none. */
static size_t table_word(const struct pci_messages *messages, uint64_t offset)
{
    uint64_t inside = offset - messages->table_offset;

    return inside < (uint64_t)ENTRY_BYTES * messages->offered ? (size_t)inside / 4 : SIZE_MAX;
}

static size_t pending_word(const struct pci_messages *messages, uint64_t offset)
{
    uint64_t inside = offset - messages->pending_offset;

    return inside < 8u * ((messages->offered + 63u) / 64) ? (size_t)inside / 4 : SIZE_MAX;
}

bool message_table_read(struct pci_slot *slot, uint64_t offset, unsigned size, uint64_t *value)
{
    const struct pci_messages *messages = &slot->messages;
    uint32_t words[3] = {0};
    bool ours = false;

    for (unsigned i = 0; i * 4 < offset % 4 + size; i++) {
        size_t table = table_word(messages, (offset & ~UINT64_C(3)) + 4 * i);
        size_t pending = pending_word(messages, (offset & ~UINT64_C(3)) + 4 * i);
        if (table != SIZE_MAX) {
            words[i] = messages->table[table / 4][table % 4];
        } else if (pending != SIZE_MAX) {
            words[i] = messages_pending_word(slot, (unsigned)pending);
        }
        ours = ours || table != SIZE_MAX || pending != SIZE_MAX;
    }
    if (ours) {
        *value = 0;
        memcpy(value, (const char *)words + offset % 4, size);
    }
    return ours;
}

/* Whole words only, as the standard wants it; pending bits cannot be written. */
bool message_table_write(struct pci_slot *slot, uint64_t offset, unsigned size, uint64_t value)
{
    struct pci_messages *messages = &slot->messages;
    bool ours = false;

    for (unsigned i = 0; i * 4 < offset % 4 + size; i++) {
        size_t table = table_word(messages, (offset & ~UINT64_C(3)) + 4 * i);
        size_t pending = pending_word(messages, (offset & ~UINT64_C(3)) + 4 * i);
        if (table != SIZE_MAX && offset % 4 == 0 && size >= 4) {
            messages->table[table / 4][table % 4] = (uint32_t)(value >> 32 * i);
        }
        ours = ours || table != SIZE_MAX || pending != SIZE_MAX;
    }
    if (ours) {
        messages_changed(slot);
    }
    return ours;
}

/* As the bus driver leaves it: those that were granted have an address and are open. */
void messages_table_init(struct pci_slot *slot)
{
    struct pci_messages *messages = &slot->messages;
    unsigned granted = slot->resources.message_count;

    memset(messages->table, 0, sizeof(messages->table));
    for (unsigned i = 0; i < messages->offered && i < DEVICE_MESSAGE_COUNT_MAX; i++) {
        messages->table[i][3] = granted ? 0 : TABLE_MASKED;
        if (granted) {
            messages->table[i][0] = MESSAGE_ADDRESS;
            messages->table[i][2] = slot->resources.interrupt_vector + i % granted;
        }
    }
}
