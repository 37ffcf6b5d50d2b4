/* PCI: what a device says of itself, checked, and the places it gets: addresses, ports, lines. */
#include "machine/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOW_BEGIN      UINT64_C(0x0000C0000000) /* BARs with 32-bit addresses */
#define LOW_END        UINT64_C(0x0000FEC00000)
#define HIGH_BEGIN     UINT64_C(0x004000000000)
#define HIGH_END       UINT64_C(0x400000000000)
#define PORTS_BEGIN    UINT64_C(0xC000)
#define PORTS_END      UINT64_C(0x10000)
#define PORTS_MAX      256u
#define VIEW_ALIGNMENT (UINT64_C(2) << 20)
#define BAR_BYTES_MAX  (UINT64_C(1) << 36)

static uint64_t low_next, high_next, ports_next, view_next;

void slot_addresses_reset(void)
{
    low_next = LOW_BEGIN;
    high_next = HIGH_BEGIN;
    ports_next = PORTS_BEGIN;
    view_next = ADDRESS_BARS;
}

/* All that descriptions of before have. */
#define DESCRIPTION_MIN offsetof(struct device_description, platform)
_Static_assert(DESCRIPTION_MIN == 176, "models in use say so");

#define REFUSE(slot, ...) (snprintf((slot)->error, sizeof((slot)->error), __VA_ARGS__), false)

static bool is_power_of_two(uint64_t value)
{
    return value && (value & (value - 1)) == 0;
}

/* ---- BARs -------------------------------------------------------------------------------- */

static bool bar_accept(struct pci_slot *slot, unsigned i)
{
    const struct device_bar *bars = slot->description.bars, *bar = &bars[i];
    uint64_t low = bar->kind == DEVICE_BAR_PORTS ? 4 : MACHINE_PAGE_SIZE;
    uint64_t high = bar->kind == DEVICE_BAR_PORTS ? PORTS_MAX
                    : bar->is_64bit               ? BAR_BYTES_MAX
                                                  : UINT64_C(1) << 29;

    if (bar->kind == DEVICE_BAR_NONE) {
        return true;
    }
    if (bar->kind > DEVICE_BAR_PORTS) {
        return REFUSE(slot, "BAR %u is of kind %u, which there is not", i, (unsigned)bar->kind);
    }
    if (!is_power_of_two(bar->size) || bar->size < low || bar->size > high) {
        return REFUSE(slot,
                      "BAR %u has size %" PRIu64 ", wanted is a power of two from %" PRIu64
                      " to %" PRIu64,
                      i, bar->size, low, high);
    }
    if (bar->is_64bit && (bar->kind == DEVICE_BAR_PORTS || i + 1 == DEVICE_BAR_COUNT ||
                          bars[i + 1].kind != DEVICE_BAR_NONE)) {
        return REFUSE(slot, "BAR %u has 64 bits, and the next one's place is not free for it", i);
    }
    return true;
}

/* ---- Capabilities ------------------------------------------------------------------------ */

/* A piece of the MSI-X capability's BAR. */
static bool table_accept(struct pci_slot *slot, const struct device_capability *capability)
{
    const struct device_bar *bar = &slot->description.bars[capability->bar % DEVICE_BAR_COUNT];
    uint64_t table = capability->table_offset, pending = capability->pending_offset;
    uint64_t table_size = 16u * capability->message_count;
    uint64_t pending_size = 8u * ((capability->message_count + 63u) / 64);

    if (capability->bar >= DEVICE_BAR_COUNT || bar->kind != DEVICE_BAR_REGISTERS) {
        return REFUSE(slot, "MSI-X has its table in BAR %u, which is none of registers",
                      capability->bar);
    }
    if (table % 8 || pending % 8 || !range_fits(table, table_size, bar->size) ||
        !range_fits(pending, pending_size, bar->size) ||
        (table < pending + pending_size && pending < table + table_size)) {
        return REFUSE(slot,
                      "MSI-X has its table at 0x%" PRIx64 " and its pending bits at 0x%" PRIx64
                      ": they do not fit into BAR %u beside each other",
                      table, pending, capability->bar);
    }
    return true;
}

static bool messages_accept(struct pci_slot *slot, const struct device_capability *capability)
{
    bool msi = capability->id == DEVICE_CAPABILITY_MSI;
    unsigned count = capability->message_count;

    if (count == 0 || count > (msi ? 32u : DEVICE_MESSAGE_COUNT_MAX) ||
        (msi && !is_power_of_two(count))) {
        return REFUSE(slot, "%s has %u messages, wanted is %s", msi ? "MSI" : "MSI-X", count,
                      msi ? "1, 2, 4, 8, 16 or 32" : "a number from 1 to 128");
    }
    return msi || table_accept(slot, capability);
}

static bool content_accept(struct pci_slot *slot, const struct device_capability *capability)
{
    switch (capability->id) {
    case DEVICE_CAPABILITY_MSI:
    case DEVICE_CAPABILITY_MSIX:
        return messages_accept(slot, capability);
    case DEVICE_CAPABILITY_POWER:
    case DEVICE_CAPABILITY_EXPRESS:
        return true;
    case DEVICE_CAPABILITY_VENDOR:
        return (capability->bytes && capability->size &&
                capability->bytes[0] == capability->size + 2u) ||
               REFUSE(slot, "a vendor's capability begins with its length, %u",
                      capability->size + 2u);
    default:
        return (capability->bytes && capability->size) ||
               REFUSE(slot, "capability 0x%02X has no bytes", capability->id);
    }
}

static uint64_t words_mask(unsigned offset, unsigned bytes)
{
    unsigned count = (bytes + 3) / 4;

    return ((UINT64_C(1) << count) - 1) << offset / 4;
}

/* Finds a free place for those that have none; places that were asked for are taken already. */
static bool place_free(struct pci_slot *slot, struct device_capability *capability, uint64_t *taken)
{
    unsigned bytes = capability_bytes(capability);

    for (unsigned at = CONFIG_FIRST_FREE; at + bytes <= CONFIG_CLASSIC_BYTES; at += 4) {
        if ((*taken & words_mask(at, bytes)) == 0) {
            capability->offset = (uint8_t)at;
            *taken |= words_mask(at, bytes);
            return true;
        }
    }
    return REFUSE(slot, "there is no room for capability 0x%02X", capability->id);
}

static bool place_given(struct pci_slot *slot, const struct device_capability *capability,
                        uint64_t *taken)
{
    unsigned bytes = capability_bytes(capability), at = capability->offset;

    if (at < CONFIG_FIRST_FREE || at % 4 || at + bytes > CONFIG_CLASSIC_BYTES) {
        return REFUSE(slot, "capability 0x%02X cannot lie at 0x%02X", capability->id, at);
    }
    if (*taken & words_mask(at, bytes)) {
        return REFUSE(slot,
                      "capability 0x%02X at 0x%02X overlaps another: the list would loop or break",
                      capability->id, at);
    }
    *taken |= words_mask(at, bytes);
    return true;
}

static bool is_twice(const struct pci_slot *slot, unsigned i)
{
    uint8_t id = slot->capabilities[i].id;

    for (unsigned k = 0; k < i; k++) {
        if (id != DEVICE_CAPABILITY_VENDOR && slot->capabilities[k].id == id) {
            return true;
        }
    }
    return false;
}

static bool capabilities_accept(struct pci_slot *slot)
{
    unsigned count = slot->description.capability_count;
    uint64_t taken = words_mask(0, CONFIG_FIRST_FREE);

    if (count > DEVICE_CAPABILITIES_MAX || (count && !slot->description.capabilities)) {
        return REFUSE(slot, "%u capabilities; %u are the most", count, DEVICE_CAPABILITIES_MAX);
    }
    for (unsigned i = 0; i < count; i++) {
        slot->capabilities[i] = slot->description.capabilities[i];
        if (!content_accept(slot, &slot->capabilities[i])) {
            return false;
        }
        if (is_twice(slot, i)) {
            return REFUSE(slot, "capability 0x%02X is there twice", slot->capabilities[i].id);
        }
        if (slot->capabilities[i].offset && !place_given(slot, &slot->capabilities[i], &taken)) {
            return false;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        if (!slot->capabilities[i].offset && !place_free(slot, &slot->capabilities[i], &taken)) {
            return false;
        }
    }
    slot->config.held_words = taken;
    return true;
}

/* ---- Places ------------------------------------------------------------------------------ */

static bool assign_address(const struct device_bar *bar, uint64_t *base)
{
    bool ports = bar->kind == DEVICE_BAR_PORTS;
    uint64_t *next = ports ? &ports_next : bar->is_64bit ? &high_next : &low_next;
    uint64_t end = ports ? PORTS_END : bar->is_64bit ? HIGH_END : LOW_END;
    uint64_t at = align_up(*next, bar->size);

    if (!range_fits(at, bar->size, end)) {
        return false;
    }
    *base = at;
    *next = at + bar->size;
    return true;
}

/* Nothing lies right behind a BAR's memory: a model that writes past its end faults there. */
static bool make_memory(struct pci_bar *bar, uint64_t size)
{
    uint64_t at = align_up(view_next, VIEW_ALIGNMENT);

    if (!range_fits(at - ADDRESS_BARS, size + VIEW_ALIGNMENT, ADDRESS_BARS_SIZE)) {
        return false;
    }
    bar->fd = memfd_create("drydock-bar", MFD_CLOEXEC);
    if (bar->fd < 0) {
        return false;
    }
    if (!pci_bar_expects(bar, size)) {
        goto err_close;
    }
    /* Pages behind it stand for what shows nothing. */
    if (ftruncate(bar->fd, (off_t)(size + PCI_BAR_NOTHING_PAGES * MACHINE_PAGE_SIZE)) != 0 ||
        !address_reserve(at, size, "a device's memory")) {
        goto err_close;
    }
    if (mmap((void *)(uintptr_t)at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, bar->fd,
             0) == MAP_FAILED) {
        munmap((void *)(uintptr_t)at, size);
        goto err_close;
    }
    madvise((void *)(uintptr_t)at, size, MADV_HUGEPAGE); /* only a wish */
    bar->view = (char *)(uintptr_t)at;
    view_next = at + size + VIEW_ALIGNMENT;
    return true;

err_close:
    close(bar->fd);
    free(bar->expected);
    bar->expected = NULL;
    bar->fd = -1;
    return false;
}

static bool assign_bars(struct pci_slot *slot)
{
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        const struct device_bar *bar = &slot->description.bars[i];
        if (bar->kind == DEVICE_BAR_NONE) {
            continue;
        }
        if (!assign_address(bar, &slot->resources.bars[i].base) ||
            (bar->kind == DEVICE_BAR_MEMORY && !make_memory(&slot->bars[i], bar->size))) {
            return REFUSE(slot, "there is no room for the %" PRIu64 " bytes of BAR %u", bar->size,
                          i);
        }
        slot->resources.bars[i].size = bar->size;
        slot->resources.bars[i].registers = bar->kind == DEVICE_BAR_REGISTERS;
        slot->resources.bars[i].ports = bar->kind == DEVICE_BAR_PORTS;
        slot->resources.bars[i].prefetchable = bar->prefetchable;
    }
    return true;
}

static uint64_t moved_by(const struct pci_slot *slot, uint64_t physical, const uint64_t *places)
{
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        uint64_t base = slot->resources.bars[i].base;
        if (physical >= base && physical - base < slot->resources.bars[i].size &&
            !slot->resources.bars[i].ports) {
            return places[i] - base;
        }
    }
    return 0;
}

void pci_move(struct pci_slot *slot)
{
    uint64_t low = low_next, high = high_next, ports = ports_next, places[DEVICE_BAR_COUNT] = {0};

    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        const struct device_bar *bar = &slot->description.bars[i];
        if (bar->kind != DEVICE_BAR_NONE && !assign_address(bar, &places[i])) {
            low_next = low;
            high_next = high;
            ports_next = ports;
            return;
        }
    }
    slot->firmware.physical += moved_by(slot, slot->firmware.physical, places);
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        slot->resources.bars[i].base = places[i];
    }
    config_init(slot);
}

/* The system may give fewer than a device offers, or an INF asks for. Of half of them some entries
 * of a table may stay masked: it is all, or one. */
static unsigned messages_granted(const struct pci_slot *slot)
{
    unsigned count = slot->wants_messages ? slot->messages.offered : 0;

    if (count > 1 && vary_happens(VARY_SHARED_LINE, 1)) {
        count = 1;
    }
    return count;
}

/* As many messages as may be, or half as many and so on, or the legacy line. */
static bool assign_lines(struct pci_slot *slot)
{
    struct pci_resources *resources = &slot->resources;
    unsigned count = messages_granted(slot);

    for (; count > 0; count /= 2) {
        resources->interrupt_line = lines_alloc(count, false);
        if (resources->interrupt_line != LINE_NONE) {
            resources->message_count = slot->line_count = count;
            return true;
        }
    }
    count = pci_line_count(slot);
    resources->interrupt_line = lines_alloc(count, true);
    slot->line_count = resources->interrupt_line != LINE_NONE ? count : 0;
    resources->line_count = slot->line_count;
    return slot->line_count > 0 || REFUSE(slot, "there is no interrupt line left");
}

#define FIRMWARE_ID "DRYD0000"

static bool is_letter(char letter)
{
    return letter >= 'A' && letter <= 'Z';
}

static bool is_digit(char digit, char last)
{
    return (digit >= '0' && digit <= '9') || (digit >= 'A' && digit <= last);
}

/* A manufacturer of three letters, or of four letters and digits, and a number. */
static bool is_firmware_id(const char *id, size_t length)
{
    bool fine = length == 7 || length == 8;

    for (size_t i = 0; fine && i < length; i++) {
        fine = i + 4 >= length ? is_digit(id[i], 'F')
                               : is_letter(id[i]) || (length == 8 && is_digit(id[i], 'Z'));
    }
    return fine;
}

static bool firmware_id_accept(struct pci_slot *slot)
{
    char *own = slot->description.firmware_id;
    size_t length = strnlen(own, sizeof slot->description.firmware_id);
    const char *id = length ? own : FIRMWARE_ID;

    if (length && !is_firmware_id(own, length)) {
        own[sizeof slot->description.firmware_id - 1] = '\0';
        return REFUSE(slot, "its firmware_id is \"%s\", and not as XYZ0001 or ABCD0D17 are", own);
    }
    snprintf(slot->resources.firmware_id, sizeof slot->resources.firmware_id, "%s", id);
    return true;
}

/* What firmware tells of has ranges and lines, and nothing of a bus. */
static bool platform_accept(struct pci_slot *slot)
{
    const struct device_description *description = &slot->description;

    if (!description->platform) {
        return description->line_count == 0 ||
               REFUSE(slot, "it has %u lines, and only a platform device may say so",
                      description->line_count);
    }
    if (description->capability_count) {
        return REFUSE(slot,
                      "a platform device has no configuration space, and it has %u "
                      "capabilities",
                      description->capability_count);
    }
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        if (description->bars[i].kind == DEVICE_BAR_PORTS) {
            return REFUSE(slot, "BAR %u of a platform device is of ports", i);
        }
    }
    if (description->line_count > DEVICE_LINES_MAX) {
        return REFUSE(slot, "it has %u lines, at most %u are told of", description->line_count,
                      DEVICE_LINES_MAX);
    }
    return firmware_id_accept(slot);
}

bool slot_describe(struct pci_slot *slot, const struct device_description *description)
{
    size_t size = sizeof(slot->description);

    if (description->size_bytes < DESCRIPTION_MIN) {
        return REFUSE(slot, "the description says it has %u bytes, not %zu",
                      description->size_bytes, size);
    }
    memset(&slot->description, 0, size);
    memcpy(&slot->description, description,
           description->size_bytes < size ? description->size_bytes : size);
    if (!platform_accept(slot)) {
        return false;
    }
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        if (!bar_accept(slot, i)) {
            return false;
        }
    }
    if (!capabilities_accept(slot)) {
        return false;
    }
    messages_init(slot);
    return assign_bars(slot) && assign_lines(slot);
}

void slot_release(struct pci_slot *slot)
{
    if (slot->line_count) {
        lines_free(slot->resources.interrupt_line, slot->line_count);
        slot->line_count = 0;
    }
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        if (slot->bars[i].fd >= 0) {
            munmap(slot->bars[i].view, slot->resources.bars[i].size);
            close(slot->bars[i].fd);
            slot->bars[i].fd = -1;
            free(slot->bars[i].shown);
            free(slot->bars[i].expected);
            slot->bars[i].shown = NULL;
            slot->bars[i].expected = NULL;
        }
    }
}
