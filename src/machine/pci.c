/* The PCI bus: slots, their resources, and what a device sees of the computer. */
#include "machine/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOW_BEGIN      UINT64_C(0x0000C0000000) /* BARs with 32-bit addresses */
#define LOW_END        UINT64_C(0x0000FEC00000)
#define HIGH_BEGIN     UINT64_C(0x004000000000)
#define HIGH_END       UINT64_C(0x400000000000)
#define VIEW_ALIGNMENT (UINT64_C(2) << 20)
#define BAR_BYTES_MAX  (UINT64_C(1) << 36)

/* A time that a device asked for. */
struct tick {
    struct machine_timer timer;
    struct pci_slot *slot;
    uint64_t cookie;
    struct list link;
};

static struct list slots;
static uint64_t low_next, high_next, view_next;
static uint16_t slot_number_next;
static pci_fault_hook *fault_hook;
static void *fault_hook_context;

static void addresses_reset(void)
{
    low_next = LOW_BEGIN;
    high_next = HIGH_BEGIN;
    view_next = ADDRESS_BARS;
}

void pci_create(void)
{
    list_init(&slots);
    addresses_reset();
    slot_number_next = 1;
    fault_hook = NULL;
}

void pci_destroy_all(void)
{
    while (!list_empty(&slots)) {
        pci_unplug(container_of(slots.next, struct pci_slot, link));
    }
}

void pci_set_fault_hook(pci_fault_hook *hook, void *context)
{
    fault_hook = hook;
    fault_hook_context = context;
}

/* ---- What the device sees ---------------------------------------------------------------- */

static struct pci_slot *slot_of(struct device_bus *bus)
{
    return container_of(bus, struct pci_slot, bus);
}

static uint64_t bus_now_ns(struct device_bus *bus)
{
    return machine.now_ns;
}

static void tick_came(struct machine_timer *timer)
{
    struct tick *tick = timer->context;
    struct pci_slot *slot = tick->slot;

    list_remove(&tick->link);
    list_push_back(&slot->ticks_free, &tick->link);
    if (!slot->removed) {
        slot->device->operations->tick(slot->device, tick->cookie);
    }
}

static void bus_call_at(struct device_bus *bus, uint64_t time_ns, uint64_t cookie)
{
    struct pci_slot *slot = slot_of(bus);
    struct list *link = list_pop_front(&slot->ticks_free);
    struct tick *tick = link ? container_of(link, struct tick, link) : malloc(sizeof(*tick));

    CHECK_THAT(tick);
    tick->slot = slot;
    tick->cookie = cookie;
    machine_timer_init(&tick->timer, tick_came, tick);
    list_push_back(&slot->ticks, &tick->link);
    machine_timer_set(&tick->timer, time_ns);
}

static void bus_interrupt_set(struct device_bus *bus, unsigned message, bool asserted)
{
    struct pci_slot *slot = slot_of(bus);
    unsigned first = slot->resources.interrupt_line;
    unsigned granted = slot->resources.message_count;

    if (slot->removed || message >= 32 || slot->line_count == 0) {
        return;
    }
    if (granted) {
        /* A device that got fewer messages than it offered folds them. */
        line_set(first + message % granted, asserted);
        return;
    }
    if (asserted) {
        slot->asserted |= 1u << message;
    } else {
        slot->asserted &= ~(1u << message);
    }
    line_set(first, slot->asserted != 0);
}

static void *dma_target(struct pci_slot *slot, uint64_t physical, size_t size, bool write)
{
    void *view = NULL;

    if (!slot->removed && (config_command(slot) & COMMAND_BUS_MASTER)) {
        view = ram_at(physical, size);
    }
    if (!view) {
        record_count("machine.bus_faults", 1);
        if (fault_hook) {
            fault_hook(fault_hook_context, slot, physical, size, write);
        }
    }
    return view;
}

static bool bus_dma_read(struct device_bus *bus, uint64_t physical, void *bytes, size_t size)
{
    const void *view = size ? dma_target(slot_of(bus), physical, size, false) : NULL;

    if (view) {
        memcpy(bytes, view, size);
    }
    return view || size == 0;
}

static bool bus_dma_write(struct device_bus *bus, uint64_t physical, const void *bytes, size_t size)
{
    void *view = size ? dma_target(slot_of(bus), physical, size, true) : NULL;

    if (view) {
        memcpy(view, bytes, size);
    }
    return view || size == 0;
}

static void *bus_dma_map(struct device_bus *bus, uint64_t physical, size_t size)
{
    struct pci_slot *slot = slot_of(bus);

    /* Asking is no access: NULL is an answer, not a fault. */
    if (slot->removed || !(config_command(slot) & COMMAND_BUS_MASTER)) {
        return NULL;
    }
    return ram_at(physical, size);
}

static void *bus_bar_memory(struct device_bus *bus, unsigned bar)
{
    return bar < DEVICE_BAR_COUNT ? slot_of(bus)->bars[bar].view : NULL;
}

static uint64_t bus_random(struct device_bus *bus, uint32_t site)
{
    return machine_random(RANDOM_SITE_DEVICE + site % 100);
}

static void bus_trace(struct device_bus *bus, bool begin, unsigned engine, uint64_t tag)
{
    record_event(begin ? EVENT_GPU_BEGIN : EVENT_GPU_END, 0, engine, tag);
}

static void bus_log(struct device_bus *bus, const char *text)
{
    record_event(EVENT_MARK, 0, record_text(text), 0);
}

static const struct device_bus_operations bus_operations = {
    .now_ns = bus_now_ns,
    .call_at = bus_call_at,
    .interrupt_set = bus_interrupt_set,
    .dma_read = bus_dma_read,
    .dma_write = bus_dma_write,
    .dma_map = bus_dma_map,
    .bar_memory = bus_bar_memory,
    .random = bus_random,
    .trace = bus_trace,
    .log = bus_log,
};

/* ---- Resources --------------------------------------------------------------------------- */

static bool bar_accept(const struct device_bar *bars, unsigned i)
{
    const struct device_bar *bar = &bars[i];

    if (bar->kind == DEVICE_BAR_NONE) {
        return true;
    }
    if (bar->size < MACHINE_PAGE_SIZE || (bar->size & (bar->size - 1)) ||
        bar->size > BAR_BYTES_MAX || (!bar->is_64bit && bar->size > LOW_END - LOW_BEGIN)) {
        return false;
    }
    return !bar->is_64bit || (i + 1 < DEVICE_BAR_COUNT && bars[i + 1].kind == DEVICE_BAR_NONE);
}

static bool description_accept(const struct device_description *description)
{
    unsigned messages = description->message_count;

    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        if (!bar_accept(description->bars, i)) {
            return false;
        }
    }
    return messages <= 32 && (messages & (messages - 1)) == 0;
}

static bool assign_address(const struct device_bar *bar, uint64_t *base)
{
    uint64_t *next = bar->is_64bit ? &high_next : &low_next;
    uint64_t end = bar->is_64bit ? HIGH_END : LOW_END;
    uint64_t at = align_up(*next, bar->size);

    if (!range_fits(at, bar->size, end)) {
        return false;
    }
    *base = at;
    *next = at + bar->size;
    return true;
}

static bool make_memory(struct pci_bar *bar, uint64_t size)
{
    uint64_t at = align_up(view_next, VIEW_ALIGNMENT);

    if (!range_fits(at - ADDRESS_BARS, size, ADDRESS_BARS_SIZE)) {
        return false;
    }
    bar->fd = memfd_create("drydock-bar", MFD_CLOEXEC);
    if (bar->fd < 0) {
        return false;
    }
    if (ftruncate(bar->fd, (off_t)size) != 0 || !address_reserve(at, size, "a device's memory")) {
        goto err_close;
    }
    if (mmap((void *)(uintptr_t)at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, bar->fd,
             0) == MAP_FAILED) {
        munmap((void *)(uintptr_t)at, size);
        goto err_close;
    }
    madvise((void *)(uintptr_t)at, size, MADV_HUGEPAGE); /* only a wish */
    bar->view = (char *)(uintptr_t)at;
    view_next = at + size;
    return true;

err_close:
    close(bar->fd);
    bar->fd = -1;
    return false;
}

static bool assign_bars(struct pci_slot *slot)
{
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        const struct device_bar *bar = &slot->device->description.bars[i];
        if (bar->kind == DEVICE_BAR_NONE) {
            continue;
        }
        if (!assign_address(bar, &slot->resources.bars[i].base) ||
            (bar->kind == DEVICE_BAR_MEMORY && !make_memory(&slot->bars[i], bar->size))) {
            return false;
        }
        slot->resources.bars[i].size = bar->size;
        slot->resources.bars[i].registers = bar->kind == DEVICE_BAR_REGISTERS;
        slot->resources.bars[i].prefetchable = bar->prefetchable;
    }
    return true;
}

/* As many messages as offered, or half as many and so on, or the legacy line. */
static bool assign_lines(struct pci_slot *slot, bool messages)
{
    struct pci_resources *resources = &slot->resources;
    unsigned count = messages ? slot->device->description.message_count : 0;

    for (; count > 0; count /= 2) {
        resources->interrupt_line = lines_alloc(count, false);
        if (resources->interrupt_line != LINE_NONE) {
            resources->message_count = slot->line_count = count;
            return true;
        }
    }
    resources->interrupt_line = lines_alloc(1, true);
    slot->line_count = resources->interrupt_line != LINE_NONE;
    return slot->line_count == 1;
}

static bool assign_resources(struct pci_slot *slot, const struct pci_options *options)
{
    struct pci_resources *resources = &slot->resources;

    if (!assign_bars(slot) || !assign_lines(slot, options && options->messages)) {
        return false;
    }
    resources->slot_number = slot_number_next++;
    resources->interrupt_irql = (uint8_t)(MACHINE_IRQL_DEVICE_FIRST + resources->slot_number % 8);
    resources->interrupt_vector =
        (unsigned)resources->interrupt_irql << 4 | resources->interrupt_line % 16;
    config_init(slot);
    return true;
}

static void release_resources(struct pci_slot *slot)
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
        }
    }
}

/* ---- The life of a slot ------------------------------------------------------------------ */

static void cancel_ticks(struct pci_slot *slot)
{
    list_for_each_safe (link, &slot->ticks) {
        struct tick *tick = container_of(link, struct tick, link);
        machine_timer_cancel(&tick->timer);
        list_remove(link);
        list_push_back(&slot->ticks_free, link);
    }
}

static void slot_free(struct pci_slot *slot)
{
    struct list *link;

    cancel_ticks(slot);
    while ((link = list_pop_front(&slot->ticks_free))) {
        free(container_of(link, struct tick, link));
    }
    release_resources(slot);
    free(slot);
    if (list_empty(&slots)) {
        addresses_reset();
    }
}

NTSTATUS pci_plug(drydock_device_create_fn *create, const char *device_options,
                  const struct pci_options *options, struct pci_slot **out)
{
    struct pci_slot *slot = calloc(1, sizeof(*slot));
    NTSTATUS status = STATUS_INSUFFICIENT_RESOURCES;

    if (!slot) {
        return status;
    }
    slot->bus.operations = &bus_operations;
    list_init(&slot->ticks);
    list_init(&slot->ticks_free);
    list_init(&slot->link);
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        slot->bars[i].fd = -1;
    }
    machine.hardware++;
    slot->device = create(&slot->bus, device_options);
    machine.hardware--;
    if (!slot->device || !description_accept(&slot->device->description)) {
        status = slot->device ? STATUS_INVALID_PARAMETER : STATUS_NO_SUCH_DEVICE;
        goto err;
    }
    if (!assign_resources(slot, options)) {
        goto err;
    }
    list_push_back(&slots, &slot->link);
    *out = slot;
    return STATUS_SUCCESS;

err:
    if (slot->device) {
        slot->device->operations->destroy(slot->device);
    }
    slot_free(slot);
    return status;
}

void pci_unplug(struct pci_slot *slot)
{
    list_remove(&slot->link);
    io_slot_gone(slot, true);
    machine.hardware++;
    slot->device->operations->destroy(slot->device);
    machine.hardware--;
    slot_free(slot);
}

void pci_surprise_remove(struct pci_slot *slot)
{
    cancel_ticks(slot);
    slot->asserted = 0;
    for (unsigned i = 0; i < slot->line_count; i++) {
        line_set(slot->resources.interrupt_line + i, false);
    }
    slot->removed = true;
    io_slot_gone(slot, false);
}

void pci_reset(struct pci_slot *slot)
{
    cancel_ticks(slot);
    slot->asserted = 0;
    for (unsigned i = 0; i < slot->line_count; i++) {
        line_set(slot->resources.interrupt_line + i, false);
    }
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        if (slot->bars[i].fd >= 0) {
            madvise(slot->bars[i].view, slot->resources.bars[i].size, MADV_REMOVE);
        }
    }
    /* The bus driver restores what it had set. */
    config_init(slot);
    machine.hardware++;
    slot->device->operations->reset(slot->device);
    machine.hardware--;
}

const struct pci_resources *pci_resources(const struct pci_slot *slot)
{
    return &slot->resources;
}

struct device *pci_device(struct pci_slot *slot)
{
    return slot->device;
}

/* ---- Finding BARs ------------------------------------------------------------------------ */

bool pci_find_bar(uint64_t physical, uint64_t size, struct bar_hit *hit)
{
    if (physical < LOW_BEGIN || slots.next == NULL) {
        return false;
    }
    list_for_each (link, &slots) {
        struct pci_slot *slot = container_of(link, struct pci_slot, link);
        for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
            uint64_t base = slot->resources.bars[i].base;
            if (physical >= base &&
                range_fits(physical - base, size, slot->resources.bars[i].size)) {
                *hit =
                    (struct bar_hit){slot, i, physical - base, slot->resources.bars[i].registers};
                return true;
            }
        }
    }
    return false;
}

bool pci_bar_backing(const struct bar_hit *hit, int *fd, uint64_t *offset, uint64_t *run)
{
    *fd = hit->slot->bars[hit->bar].fd;
    *offset = hit->offset;
    *run = hit->slot->resources.bars[hit->bar].size - hit->offset;
    return *fd >= 0;
}

void *pci_bar_view(const struct bar_hit *hit)
{
    return hit->slot->bars[hit->bar].view + hit->offset;
}

bool pci_physical_of(const void *pointer, uint64_t *physical)
{
    uintptr_t at = (uintptr_t)pointer;

    if (at < ADDRESS_BARS || at - ADDRESS_BARS >= ADDRESS_BARS_SIZE || slots.next == NULL) {
        return false;
    }
    list_for_each (link, &slots) {
        struct pci_slot *slot = container_of(link, struct pci_slot, link);
        for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
            uintptr_t view = (uintptr_t)slot->bars[i].view;
            if (view && at >= view && at - view < slot->resources.bars[i].size) {
                *physical = slot->resources.bars[i].base + (at - view);
                return true;
            }
        }
    }
    return false;
}

/* ---- Registers --------------------------------------------------------------------------- */

static bool decodes(const struct pci_slot *slot)
{
    return slot && !slot->removed && (config_command(slot) & COMMAND_MEMORY);
}

uint64_t pci_register_read(struct pci_slot *slot, unsigned bar, uint64_t offset, unsigned size)
{
    uint64_t mask = size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
    uint64_t value;

    if (!decodes(slot)) {
        return mask;
    }
    machine.hardware++;
    value = slot->device->operations->mmio_read(slot->device, bar, offset, size);
    machine.hardware--;
    return value & mask;
}

void pci_register_write(struct pci_slot *slot, unsigned bar, uint64_t offset, unsigned size,
                        uint64_t value)
{
    if (decodes(slot)) {
        machine.hardware++;
        slot->device->operations->mmio_write(slot->device, bar, offset, size, value);
        machine.hardware--;
    }
}
