/* The PCI bus: slots, the life of what is in them, and what a device sees of the computer. */
#include "machine/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/option.h"

/* A time that a device asked for. */
struct tick {
    struct machine_timer timer;
    struct pci_slot *slot;
    uint64_t cookie;
    bool due; /* while the clock stood */
    struct list link;
};

static struct list slots;
static uint16_t slot_number_next;
static pci_fault_hook *fault_hook;
static void *fault_hook_context;
static pci_model_hook *model_hook;
static void *model_hook_context;

void pci_create(void)
{
    list_init(&slots);
    slot_addresses_reset();
    slot_number_next = 1;
    fault_hook = NULL;
    model_hook = NULL;
    machine.in_model = NULL;
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

void pci_set_model_hook(pci_model_hook *hook, void *context)
{
    model_hook = hook;
    model_hook_context = context;
}

struct pci_slot *pci_in_model(void)
{
    return machine.in_model;
}

void model_wrong(struct pci_slot *slot, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(slot->error, sizeof(slot->error), format, arguments);
    va_end(arguments);
    if (slot->created && model_hook) {
        model_hook(model_hook_context, slot, slot->error);
    }
}

/* ---- What the device sees ---------------------------------------------------------------- */

static struct pci_slot *slot_of(struct device_bus *bus)
{
    return container_of(bus, struct pci_slot, bus);
}

static bool bus_describe(struct device_bus *bus, const struct device_description *description)
{
    struct pci_slot *slot = slot_of(bus);
    struct pci_resources *resources = &slot->resources;

    if (slot->described) {
        model_wrong(slot, "it describes itself twice");
        return false;
    }
    if (!slot_describe(slot, description)) {
        return false;
    }
    resources->platform = slot->description.platform;
    resources->slot_number = slot_number_next++;
    resources->interrupt_irql = (uint8_t)(MACHINE_IRQL_DEVICE_FIRST + resources->slot_number % 8);
    resources->interrupt_vector =
        (unsigned)resources->interrupt_irql << 4 | resources->interrupt_line % 16;
    config_init(slot);
    slot->described = true;
    return true;
}

static void bus_give_up(struct device_bus *bus, const char *text)
{
    settings_give_up(slot_of(bus));
    model_wrong(slot_of(bus), "%s", text);
}

static uint64_t bus_now_ns(struct device_bus *bus)
{
    slot_of(bus)->looks++;
    return machine.now_ns;
}

static void tick_came(struct machine_timer *timer)
{
    struct tick *tick = timer->context;
    struct pci_slot *slot = tick->slot;

    if (slot->still) {
        tick->due = true;
        return;
    }
    list_remove(&tick->link);
    list_push_back(&slot->ticks_free, &tick->link);
    if (!slot->removed) {
        slot->looks++;
        model_enter(slot);
        slot->operations.tick(slot->device, tick->cookie);
        model_leave();
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
    tick->due = false;
    machine_timer_init(&tick->timer, tick_came, tick);
    list_push_back(&slot->ticks, &tick->link);
    machine_timer_set(&tick->timer, time_ns);
}

static void bus_interrupt_set(struct device_bus *bus, unsigned message, bool asserted)
{
    struct pci_slot *slot = slot_of(bus);

    if (message >= slot->messages.count) {
        model_wrong(slot, "it raises message %u; it has %u", message, slot->messages.count);
    } else if (!slot->removed) {
        slot->activity += asserted;
        if (!slot->unpowered) {
            message_set(slot, message, asserted);
        }
    }
}

bool pci_may_master(struct pci_slot *slot)
{
    return !slot->removed && (config_command(slot) & COMMAND_BUS_MASTER);
}

static void *on_the_bus(struct pci_slot *slot, uint64_t at, size_t size, enum gart_access access)
{
    slot->dma_count++;
    void *view = ram_at(at, size);
    return view ? view : gart_at(at, size, access);
}

static void *dma_target(struct pci_slot *slot, uint64_t physical, size_t size, bool write)
{
    enum gart_access access = write ? GART_WRITE : GART_READ;
    void *view = pci_may_master(slot) ? on_the_bus(slot, physical, size, access) : NULL;

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
    uint8_t *to = bytes;

    while (size > 0) {
        size_t run = gart_run(physical, size);
        const void *view = dma_target(slot_of(bus), physical, run, false);
        if (!view) {
            return false;
        }
        memcpy(to, view, run);
        dma_watch_read(physical, run);
        to += run;
        physical += run;
        size -= run;
    }
    return true;
}

static bool bus_dma_write(struct device_bus *bus, uint64_t physical, const void *bytes, size_t size)
{
    struct pci_slot *slot = slot_of(bus);
    const uint8_t *from = bytes;

    while (size > 0) {
        size_t run = gart_run(physical, size);
        void *view = dma_target(slot, physical, run, true);
        if (!view) {
            return false;
        }
        slot->activity++;
        memcpy(view, from, run);
        from += run;
        physical += run;
        size -= run;
    }
    return true;
}

static void *bus_dma_map(struct device_bus *bus, uint64_t physical, size_t size)
{
    struct pci_slot *slot = slot_of(bus);

    /* Asking is no access: NULL is an answer, not a fault. */
    if (!pci_may_master(slot)) {
        return NULL;
    }
    slot->activity++;
    dma_watch_read(physical, size);
    return on_the_bus(slot, physical, size, GART_MAP);
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
    struct pci_slot *slot = slot_of(bus);
    size_t used = slot->said_ns == machine_now_ns() ? strlen(slot->said) : 0;

    used = used + strlen(text) + 3 < sizeof slot->said ? used : 0; /* else the last line alone */
    snprintf(slot->said + used, sizeof slot->said - used, "%s%s", used ? "; " : "", text);
    slot->said_ns = machine_now_ns();
    record_event(EVENT_MARK, 0, record_text(text), 0);
}

static const struct device_bus_operations bus_operations = {
    .size_bytes = sizeof(bus_operations),
    .describe = bus_describe,
    .give_up = bus_give_up,
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
    .bar_show = pci_bar_show,
    .pasid_map = pci_pasid_map,
    .pasid_translate = pci_pasid_translate,
    .messages_on = pci_messages_on,
};

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
    slot_release(slot);
    free(slot->settings);
    free(slot);
    if (list_empty(&slots)) {
        slot_addresses_reset();
    }
}

static struct pci_slot *slot_create(const struct device_model *model,
                                    const struct pci_options *options)
{
    struct pci_slot *slot = calloc(1, sizeof(*slot));

    if (slot) {
        slot->bus.operations = &bus_operations;
        slot->model = model;
        slot->wants_messages = options && options->messages;
        list_init(&slot->ticks);
        list_init(&slot->ticks_free);
        list_init(&slot->link);
        for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
            slot->bars[i].fd = -1;
        }
    }
    return slot;
}

/* What a model leaves out. */
static uint64_t read_ones(struct device *device, unsigned bar, uint64_t offset, unsigned size)
{
    return UINT64_MAX;
}

static void drop_write(struct device *device, unsigned bar, uint64_t offset, unsigned size,
                       uint64_t value)
{
}

static void ignore_tick(struct device *device, uint64_t cookie)
{
}

static void do_nothing(struct device *device)
{
}

static uint32_t config_read_zero(struct device *device, unsigned offset)
{
    return 0;
}

static void config_drop_write(struct device *device, unsigned offset, uint32_t value)
{
}

/* What the first version of the structure had. */
#define OPERATIONS_MIN offsetof(struct device_operations, set_monitor)

static void take_operations(struct pci_slot *slot)
{
    const struct device_operations *from = slot->device->operations;
    struct device_operations *to = &slot->operations;

    *to = (struct device_operations){0};
    memcpy(to, from, from->size_bytes < sizeof *to ? from->size_bytes : sizeof *to);
    to->mmio_read = to->mmio_read ? to->mmio_read : read_ones;
    to->mmio_write = to->mmio_write ? to->mmio_write : drop_write;
    to->tick = to->tick ? to->tick : ignore_tick;
    to->reset = to->reset ? to->reset : do_nothing;
    to->destroy = to->destroy ? to->destroy : do_nothing;
    to->config_read = to->config_read ? to->config_read : config_read_zero;
    to->config_write = to->config_write ? to->config_write : config_drop_write;
}

static bool model_accept(struct pci_slot *slot)
{
    const struct device_model *model = slot->model;

    if (model->abi != DRYDOCK_DEVICE_ABI) {
        model_wrong(slot, "it is made for version %u of drydock/device.h, this Drydock has %u",
                    model->abi, DRYDOCK_DEVICE_ABI);
        return false;
    }
    if (model->size_bytes < sizeof(*model) || !model->name || !model->create) {
        model_wrong(slot, "its struct device_model has no name, no create() or not %zu bytes",
                    sizeof(*model));
        return false;
    }
    return true;
}

/* Has the model make the device. False: slot->error. */
static bool make_device(struct pci_slot *slot, const struct drydock_value *values)
{
    const struct device_operations *operations;

    model_enter(slot);
    slot->device = slot->model->create(&slot->bus, values);
    model_leave();
    if (!slot->device) {
        if (!slot->error[0]) {
            model_wrong(slot, "it made no device and did not say why");
        }
        return false;
    }
    operations = slot->device->operations;
    if (!operations || operations->size_bytes < OPERATIONS_MIN) {
        slot->device = NULL; /* it cannot even be destroyed */
        model_wrong(slot, "its device has no operations of %zu bytes", OPERATIONS_MIN);
        return false;
    }
    take_operations(slot);
    if (!slot->described) {
        if (!slot->error[0]) {
            model_wrong(slot, "its device was never described");
        }
        return false;
    }
    return true;
}

NTSTATUS pci_plug(const struct device_model *model, const char *device_options,
                  const struct pci_options *options, struct pci_slot **out)
{
    struct pci_slot *slot = slot_create(model, options);
    NTSTATUS status = STATUS_INVALID_DEVICE_REQUEST;
    struct option_values values;

    if (!slot) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    if (!model_accept(slot)) {
        goto err_free;
    }
    if (!option_values_read(&values, model->options, device_options, slot->error,
                            sizeof(slot->error))) {
        status = STATUS_INVALID_PARAMETER;
        goto err_free;
    }
    if (!make_device(slot, values.values)) {
        goto err_destroy;
    }
    slot->created = true;
    slot_light_up(slot);
    list_push_back(&slots, &slot->link);
    *out = slot;
    return STATUS_SUCCESS;

err_destroy:
    if (slot->device) {
        model_enter(slot);
        slot->operations.destroy(slot->device);
        model_leave();
    }
err_free:
    if (options && options->error) {
        snprintf(options->error, PCI_ERROR_MAX, "%s", slot->error);
    }
    slot_free(slot);
    return status;
}

void pci_unplug(struct pci_slot *slot)
{
    list_remove(&slot->link);
    io_slot_gone(slot, true);
    model_enter(slot);
    slot->operations.destroy(slot->device);
    model_leave();
    slot_free(slot);
}

void pci_clock_stop(struct pci_slot *slot)
{
    slot->still = true;
}

void pci_clock_start(struct pci_slot *slot)
{
    slot->still = false;
    list_for_each (link, &slot->ticks) {
        struct tick *tick = container_of(link, struct tick, link);
        if (tick->due) {
            tick->due = false;
            machine_timer_set(&tick->timer, machine.now_ns);
        }
    }
}

void pci_surprise_remove(struct pci_slot *slot)
{
    pci_clock_start(slot);
    cancel_ticks(slot);
    messages_clear(slot);
    slot->removed = true;
    io_slot_gone(slot, false);
    interrupt_vary_removed(); /* who was not told yet reads ones */
    if (in_task()) {
        cpu_serve();
    }
}

void pci_power_down(struct pci_slot *slot, bool off)
{
    slot->rests = true;
    if (off) {
        slot->unpowered = true;
        messages_clear(slot);
        interrupt_vary_shared(1);
        if (in_task()) {
            cpu_serve();
        }
    }
}

struct pci_touches pci_touches(const struct pci_slot *slot)
{
    return slot->touches;
}

struct pci_touches pci_late_touches(const struct pci_slot *slot)
{
    return slot->late_touches;
}

void pci_is_late(struct pci_slot *slot, bool late)
{
    slot->late = late;
}

bool pci_is_removed(const struct pci_slot *slot)
{
    return slot->removed;
}

/* Removed, or it has left, or is switched off: its registers read as ones. */
bool pci_is_silent(const struct pci_slot *slot)
{
    return slot->removed || slot->unpowered;
}

void pci_plug_in(struct pci_slot *slot)
{
    slot->removed = false;
    pci_reset(slot);
}

static void reset_model(struct pci_slot *slot)
{
    cancel_ticks(slot);
    messages_clear(slot);
    model_enter(slot);
    slot->operations.reset(slot->device);
    model_leave();
}

void pci_reset(struct pci_slot *slot)
{
    pci_clock_start(slot);
    cancel_ticks(slot);
    messages_clear(slot);
    slot->rests = slot->unpowered = false;
    slot->touches = slot->late_touches = (struct pci_touches){0};
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        if (slot->bars[i].fd >= 0) {
            CHECK_THAT(madvise(slot->bars[i].view, slot->resources.bars[i].size, MADV_REMOVE) == 0);
            CHECK_THAT(pci_bar_expects(&slot->bars[i], slot->resources.bars[i].size));
        }
    }
    /* The bus driver restores what it had set. */
    config_init(slot);
    reset_model(slot);
    if (settings_lose(slot)) {
        reset_model(slot); /* whatever a reading does */
    }
    slot_light_up(slot);
}

const struct pci_resources *pci_resources(const struct pci_slot *slot)
{
    return &slot->resources;
}

struct device *pci_device(struct pci_slot *slot)
{
    return slot->device;
}

const char *pci_device_name(const struct pci_slot *slot)
{
    return slot->model->name;
}

uint64_t pci_activity(const struct pci_slot *slot)
{
    return slot->activity;
}

uint64_t pci_steps(const struct pci_slot *slot)
{
    return slot->activity + slot->looks;
}

bool pci_take_said(struct pci_slot *slot, char text[PCI_SAID_MAX], uint64_t *when_ns)
{
    bool said = slot->said[0] != '\0';

    *when_ns = slot->said_ns;
    memcpy(text, slot->said, PCI_SAID_MAX);
    slot->said[0] = '\0';
    return said;
}

bool pci_set_monitor(struct pci_slot *slot, unsigned output, bool connected)
{
    bool set = false;

    if (slot->operations.set_monitor) {
        model_enter(slot);
        set = slot->operations.set_monitor(slot->device, output, connected);
        model_leave();
    }
    return set;
}

bool pci_exchange_monitor(struct pci_slot *slot, unsigned output)
{
    bool exchanged = false;

    if (slot->operations.exchange_monitor) {
        model_enter(slot);
        exchanged = slot->operations.exchange_monitor(slot->device, output);
        model_leave();
    }
    return exchanged;
}

bool pci_look_up(struct pci_slot *slot, uint64_t address, uint64_t *physical)
{
    bool found = false;

    if (slot->operations.look_up) {
        model_enter(slot);
        found = slot->operations.look_up(slot->device, address, physical);
        model_leave();
    }
    return found;
}

/* ---- Finding BARs ------------------------------------------------------------------------ */

bool pci_device_goes_to(uint64_t physical, uint64_t size, char *text, size_t text_size)
{
    bool goes = false;

    for (struct list *link = slots.next; link && link != &slots && !goes; link = link->next) {
        struct pci_slot *slot = container_of(link, struct pci_slot, link);
        goes = pci_goes_to(slot, physical, size, text, text_size);
    }
    return goes;
}

bool pci_find_bar(uint64_t physical, uint64_t size, struct bar_hit *hit)
{
    if (slots.next == NULL) {
        return false;
    }
    list_for_each (link, &slots) {
        struct pci_slot *slot = container_of(link, struct pci_slot, link);
        for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
            uint64_t base = slot->resources.bars[i].base;
            if (physical >= base && !slot->resources.bars[i].ports &&
                range_fits(physical - base, size, slot->resources.bars[i].size)) {
                *hit =
                    (struct bar_hit){slot, i, physical - base, slot->resources.bars[i].registers};
                return true;
            }
        }
    }
    return false;
}

bool pci_find_port(uint64_t port, unsigned size, struct bar_hit *hit)
{
    list_for_each (link, &slots) {
        struct pci_slot *slot = container_of(link, struct pci_slot, link);
        for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
            uint64_t base = slot->resources.bars[i].base;
            if (slot->resources.bars[i].ports && port >= base &&
                range_fits(port - base, size, slot->resources.bars[i].size)) {
                *hit = (struct bar_hit){slot, i, port - base, false};
                return true;
            }
        }
    }
    return false;
}

void pci_place_text(const struct pci_slot *slot, uintptr_t address, char *text, size_t text_size)
{
    const uint64_t near = UINT64_C(2) << 20; /* nothing else lies there */

    text[0] = '\0';
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        uintptr_t view = (uintptr_t)slot->bars[i].view;
        uintptr_t end = view + slot->resources.bars[i].size;
        if (view && address >= end && address - end < near) {
            snprintf(text, text_size, "%llu bytes behind the end of its BAR %u",
                     (unsigned long long)(address - end), i);
        } else if (view && address < view && view - address <= near / 2) {
            snprintf(text, text_size, "%llu bytes before its BAR %u",
                     (unsigned long long)(view - address), i);
        }
    }
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
