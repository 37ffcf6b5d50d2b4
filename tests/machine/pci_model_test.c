/* PCI as a device model sees it: what may be described and what not, capabilities, messages with
 * their masks, ports, and what is told of a model that misbehaves. */
#include <stdio.h>
#include <string.h>

#include "machine/support.h"

#define MESSAGES 5u

/* ---- A model that says what the test wants it to say ---------------------------------------- */

static struct {
    struct device device;
    struct device_bus *bus;
    struct device_description description;
    unsigned describe_count; /* calls in create() */
    bool makes_nothing, without_size;
    unsigned destroyed;
    uint64_t registers[32];
    void *memory_in_create;
    uint32_t own_word;
    bool has_methods;
} model;

static uint64_t model_read(struct device *device, unsigned bar, uint64_t offset, unsigned size)
{
    return model.registers[offset / 4 % 32] >> offset % 4 * 8;
}

static void model_write(struct device *device, unsigned bar, uint64_t offset, unsigned size,
                        uint64_t value)
{
    model.registers[offset / 4 % 32] = value;
}

static void model_destroy(struct device *device)
{
    model.destroyed++;
}

static uint32_t model_config_read(struct device *device, unsigned offset)
{
    return model.own_word + offset;
}

static void model_config_write(struct device *device, unsigned offset, uint32_t value)
{
    model.own_word = value - offset;
}

/* "_ADD" of the adapter: the sum of its integers. "NAME" of child 3: what it was given, as text. */
static bool model_method(struct device *device, uint32_t unit, const char name[4],
                         const struct device_acpi_value *arguments, unsigned count,
                         struct device_acpi_value *result)
{
    if (unit == 3 && memcmp(name, "NAME", 4) == 0 && count == 1) {
        *result = arguments[0];
        return true;
    }
    for (unsigned i = 0; i < count; i++) {
        result->number += arguments[i].number;
    }
    return unit == DEVICE_ACPI_ADAPTER && memcmp(name, "_ADD", 4) == 0;
}

static struct device *model_create(struct device_bus *bus, const struct drydock_value *values)
{
    static struct device_operations operations;

    operations = (struct device_operations){
        .size_bytes = model.without_size ? 8 : sizeof(operations),
        .mmio_read = model_read,
        .mmio_write = model_write,
        .destroy = model_destroy,
        .config_read = model_config_read,
        .config_write = model_config_write,
        .acpi_method = model.has_methods ? model_method : NULL,
    };
    model.bus = bus;
    model.device.operations = &operations;
    for (unsigned i = 0; i < model.describe_count; i++) {
        if (!bus->operations->describe(bus, &model.description)) {
            return NULL;
        }
    }
    if (values[0].number == 7) {
        bus->operations->give_up(bus, "seven is too many");
        return NULL;
    }
    if (model.describe_count) {
        model.memory_in_create = bus->operations->bar_memory(bus, 2);
    }
    return model.makes_nothing ? NULL : &model.device;
}

static const struct drydock_option options[] = {{"lanes", "how many", 4, 1, 8}, {0}};

static struct device_model the_model;

static const struct device_capability capabilities[] = {
    {.id = DEVICE_CAPABILITY_MSI, .offset = 0x60, .message_count = 4, .maskable = true},
    {.id = DEVICE_CAPABILITY_POWER},
};

static const struct device_capability msix[] = {
    {.id = DEVICE_CAPABILITY_MSIX,
     .message_count = MESSAGES,
     .bar = 0,
     .table_offset = 0x800,
     .pending_offset = 0xC00},
};

static void reset_model(void)
{
    memset(&model, 0, sizeof(model));
    model.describe_count = 1;
    model.description = (struct device_description){
        .size_bytes = sizeof(model.description),
        .vendor_id = 0x1234,
        .device_id = 0x5678,
        .class_code = 3,
        .bars = {[0] = {DEVICE_BAR_REGISTERS, 4096, false, false},
                 [1] = {DEVICE_BAR_PORTS, 64, false, false},
                 [2] = {DEVICE_BAR_MEMORY, 1 << 20, true, true}},
        .capabilities = capabilities,
        .capability_count = 2,
    };
    the_model = (struct device_model){
        .abi = DRYDOCK_DEVICE_ABI,
        .size_bytes = sizeof(the_model),
        .name = "sample",
        .options = options,
        .create = model_create,
    };
}

static struct pci_slot *slot;
static char error[PCI_ERROR_MAX];
static char last_complaint[PCI_ERROR_MAX];

static void keep_complaint(void *context, struct pci_slot *who, const char *text)
{
    assert_ptr_equal(who, slot);
    snprintf(last_complaint, sizeof(last_complaint), "%s", text);
}

static NTSTATUS plug(const char *text, bool messages)
{
    const struct pci_options pci = {.messages = messages, .error = error};

    error[0] = '\0';
    return pci_plug(&the_model, text, &pci, &slot);
}

static void start(bool messages)
{
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    assert_int_equal(plug(NULL, messages), STATUS_SUCCESS);
    pci_set_model_hook(keep_complaint, NULL);
    last_complaint[0] = '\0';
}

static uint32_t word(unsigned offset)
{
    uint32_t value;

    pci_config_read(slot, offset, &value, 4);
    return value;
}

static void set_word(unsigned offset, uint32_t value)
{
    pci_config_write(slot, offset, &value, 4);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void refuse(const char *text)
{
    assert_int_equal(plug(NULL, false), STATUS_INVALID_DEVICE_REQUEST);
    if (!strstr(error, text)) {
        fail_msg("\"%s\" does not say \"%s\"", error, text);
    }
}

static void models_for_another_version_are_refused(void **state)
{
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    reset_model();
    the_model.abi = 99;
    refuse("version 99 of drydock/device.h, this Drydock has 2");
    reset_model();
    the_model.size_bytes = 8;
    refuse("struct device_model");
    reset_model();
    model.description.size_bytes = 4;
    refuse("description says it has 4 bytes");
    reset_model();
    model.without_size = true;
    refuse("has no operations");
    machine_destroy();
}

static void models_that_make_no_device_are_refused(void **state)
{
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    reset_model();
    model.makes_nothing = true;
    refuse("did not say why");
    reset_model();
    model.describe_count = 0;
    refuse("never described");
    assert_int_equal(model.destroyed, 1);
    reset_model();
    model.describe_count = 2;
    refuse("describes itself twice");
    machine_destroy();
}

static void options_are_read_by_the_models_table(void **state)
{
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    reset_model();
    assert_int_equal(plug("lanes=9", false), STATUS_INVALID_PARAMETER);
    assert_string_equal(error, "lanes=9: wanted is a number from 1 to 8");
    assert_int_equal(plug("wheels=4", false), STATUS_INVALID_PARAMETER);
    assert_string_equal(error, "there is no option \"wheels\"; there are lanes");
    assert_int_equal(plug("lanes=7", false), STATUS_INVALID_DEVICE_REQUEST);
    assert_string_equal(error, "seven is too many");
    assert_int_equal(plug("lanes=0x6", false), STATUS_SUCCESS);
    machine_destroy();
}

static void impossible_bars_are_refused(void **state)
{
    static const struct {
        unsigned index;
        struct device_bar bar;
        const char *text;
    } rows[] = {
        {0, {DEVICE_BAR_REGISTERS, 5000, false, false}, "BAR 0 has size 5000"},
        {0, {DEVICE_BAR_REGISTERS, 2048, false, false}, "BAR 0 has size 2048"},
        {0, {DEVICE_BAR_REGISTERS, UINT64_C(1) << 31, false, false}, "power of two"},
        {0, {DEVICE_BAR_MEMORY, UINT64_C(1) << 63, false, true}, "BAR 0"},
        {0, {DEVICE_BAR_REGISTERS, 0, false, false}, "BAR 0 has size 0"},
        {0, {DEVICE_BAR_REGISTERS, 4096, false, true}, "64 bits"},
        {1, {DEVICE_BAR_PORTS, 512, false, false}, "BAR 1 has size 512"},
        {1, {DEVICE_BAR_PORTS, 2, false, false}, "BAR 1 has size 2"},
        {3, {DEVICE_BAR_MEMORY, 4096, false, false}, "BAR 2 has 64 bits"},
        {5, {DEVICE_BAR_MEMORY, 4096, false, true}, "BAR 5 has 64 bits"},
        {4, {(enum device_bar_kind)9, 4096, false, false}, "kind 9"},
    };

    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        reset_model();
        model.description.bars[rows[i].index] = rows[i].bar;
        refuse(rows[i].text);
    }
    machine_destroy();
}

static void impossible_capabilities_are_refused(void **state)
{
    static const uint8_t short_vendor[] = {3, 1, 2};
    static const struct {
        struct device_capability list[2];
        const char *text;
    } rows[] = {
        {{{.id = DEVICE_CAPABILITY_POWER, .offset = 0x50},
          {.id = DEVICE_CAPABILITY_EXPRESS, .offset = 0x54}},
         "overlaps"},
        {{{.id = DEVICE_CAPABILITY_POWER, .offset = 0x50},
          {.id = DEVICE_CAPABILITY_EXPRESS, .offset = 0x50}},
         "overlaps"},
        {{{.id = DEVICE_CAPABILITY_POWER, .offset = 0x34}, {.id = DEVICE_CAPABILITY_EXPRESS}},
         "cannot lie at 0x34"},
        {{{.id = DEVICE_CAPABILITY_POWER, .offset = 0x52}, {.id = DEVICE_CAPABILITY_EXPRESS}},
         "cannot lie at 0x52"},
        {{{.id = DEVICE_CAPABILITY_EXPRESS, .offset = 0xF0}, {.id = DEVICE_CAPABILITY_POWER}},
         "cannot lie at 0xF0"},
        {{{.id = DEVICE_CAPABILITY_POWER}, {.id = DEVICE_CAPABILITY_POWER}}, "twice"},
        {{{.id = DEVICE_CAPABILITY_MSI, .message_count = 3}, {.id = DEVICE_CAPABILITY_POWER}},
         "MSI has 3 messages"},
        {{{.id = DEVICE_CAPABILITY_MSI}, {.id = DEVICE_CAPABILITY_POWER}}, "MSI has 0 messages"},
        {{{.id = DEVICE_CAPABILITY_MSIX, .message_count = 500}, {.id = DEVICE_CAPABILITY_POWER}},
         "MSI-X has 500 messages"},
        {{{.id = DEVICE_CAPABILITY_MSIX, .message_count = 2, .bar = 2},
          {.id = DEVICE_CAPABILITY_POWER}},
         "BAR 2, which is none of registers"},
        {{{.id = DEVICE_CAPABILITY_MSIX, .message_count = 2, .bar = 200},
          {.id = DEVICE_CAPABILITY_POWER}},
         "BAR 200"},
        {{{.id = DEVICE_CAPABILITY_MSIX, .message_count = 2, .pending_offset = 16},
          {.id = DEVICE_CAPABILITY_POWER}},
         "beside each other"},
        {{{.id = DEVICE_CAPABILITY_MSIX,
           .message_count = 128,
           .table_offset = 4096 - 64,
           .pending_offset = 0},
          {.id = DEVICE_CAPABILITY_POWER}},
         "beside each other"},
        {{{.id = DEVICE_CAPABILITY_VENDOR, .size = 3, .bytes = short_vendor},
          {.id = DEVICE_CAPABILITY_POWER}},
         "begins with its length, 5"},
        {{{.id = 0x0D}, {.id = DEVICE_CAPABILITY_POWER}}, "0x0D has no bytes"},
    };

    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        reset_model();
        model.description.capabilities = rows[i].list;
        refuse(rows[i].text);
    }
    reset_model();
    model.description.capabilities = NULL;
    refuse("2 capabilities");
    reset_model();
    model.description.capability_count = 17;
    refuse("17 capabilities");
    machine_destroy();
}

/* ---- What a driver sees of it ---------------------------------------------------------------- */

static void capabilities_lie_where_the_model_wants_them(void **state)
{
    static const uint8_t vendor[] = {8, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE};
    static const uint8_t writable[] = {0, 0, 0xFF, 0, 0, 0};
    const struct device_capability list[] = {
        {.id = DEVICE_CAPABILITY_VENDOR, .size = 6, .bytes = vendor, .writable = writable},
        {.id = DEVICE_CAPABILITY_POWER, .offset = 0x40},
    };

    reset_model();
    model.description.capabilities = list;
    start(false);
    assert_int_equal(word(0x34) & 0xFF, 0x48);
    assert_int_equal(word(0x48), 0xAA084009);
    assert_int_equal(word(0x4C), 0xEEDDCCBB);
    set_word(0x4C, 0x11223344);
    assert_int_equal(word(0x4C), 0xEEDDCC44);
    assert_int_equal(word(0x40), 0x00030001);
    assert_int_equal(word(4) >> 20 & 1, 1);
    /* Behind them the device's own part begins. */
    set_word(0x50, 0x1000);
    assert_int_equal(word(0x50), 0x1000);
    assert_int_equal(word(0x54), 0x1004);
    assert_int_equal(word(0x104), 0x10B4);
    machine_destroy();
}

static void a_device_without_capabilities_has_no_list(void **state)
{
    reset_model();
    model.description.capability_count = 0;
    start(true);
    assert_int_equal(word(4) >> 20 & 1, 0);
    assert_int_equal(word(0x34), 0);
    assert_int_equal(pci_resources(slot)->message_count, 0);
    machine_destroy();
}

static void the_bus_works_from_describe_on(void **state)
{
    reset_model();
    start(false);
    assert_non_null(model.memory_in_create);
    assert_ptr_equal(model.memory_in_create, model.bus->operations->bar_memory(model.bus, 2));
    assert_true(model.bus->operations->dma_write(model.bus, 0x4000, "abc", 4));
    machine_destroy();
}

static void what_a_model_says_is_told_once(void **state)
{
    char text[PCI_SAID_MAX];
    uint64_t when;

    reset_model();
    start(false);
    assert_false(pci_take_said(slot, text, &when));
    model.bus->operations->log(model.bus, "engine 0 warms up");
    model.bus->operations->log(model.bus, "engine 0 faulted");
    assert_true(pci_take_said(slot, text, &when));
    assert_string_equal(text, "engine 0 warms up; engine 0 faulted");
    assert_int_equal(when, machine_now_ns());
    assert_false(pci_take_said(slot, text, &when));
    for (unsigned i = 0; i < 9; i++) { /* what has no room gives way to what came last */
        model.bus->operations->log(model.bus, "engine 0 says 32 characters more");
    }
    assert_true(pci_take_said(slot, text, &when));
    assert_true(strlen(text) >= 32 && strlen(text) < sizeof text);
    assert_string_equal(text + strlen(text) - 32, "engine 0 says 32 characters more");
    machine_destroy();
}

/* ---- Messages -------------------------------------------------------------------------------- */

static unsigned served[8];

static bool serve(void *context, unsigned message)
{
    served[message % 8]++;
    if (pci_resources(slot)->message_count == 0) {
        model.bus->operations->interrupt_set(model.bus, 0, false);
    }
    return true;
}

static void set_message(unsigned message, bool asserted)
{
    model.bus->operations->interrupt_set(model.bus, message, asserted);
    machine_spend(10 * NS_PER_US);
    machine_spend(10 * NS_PER_US);
}

static void in_a_task(task_entry *entry)
{
    memset(served, 0, sizeof(served));
    spawn("test", entry, NULL);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
}

static struct interrupt *connect(void)
{
    const struct pci_resources *resources = pci_resources(slot);
    const struct interrupt_options how = {.line = resources->interrupt_line,
                                          .message_count = resources->message_count,
                                          .irql = resources->interrupt_irql,
                                          .routine = serve};
    struct interrupt *interrupt = NULL;

    assert_int_equal(interrupt_connect(&how, &interrupt), STATUS_SUCCESS);
    return interrupt;
}

static void use_msi(void *argument)
{
    struct interrupt *interrupt = connect();

    assert_int_equal(word(0x60) >> 16, 0x1A5); /* 4 of 4, enabled, 64 bits, maskable */
    set_message(2, true);
    assert_int_equal(served[2], 1);
    set_word(0x70, 1u << 2);
    set_message(2, true);
    assert_int_equal(served[2], 1);
    assert_int_equal(word(0x74), 1u << 2); /* pending */
    set_message(3, true);
    assert_int_equal(served[3], 1);
    set_word(0x70, 0);
    machine_spend(20 * NS_PER_US);
    assert_int_equal(served[2], 2);
    assert_int_equal(word(0x74), 0);
    /* Switched off, nothing is sent. */
    set_word(0x60, word(0x60) & ~(1u << 16));
    set_message(1, true);
    assert_int_equal(served[1], 0);
    interrupt_disconnect(interrupt);
}

static void msi_messages_have_masks_and_pending_bits(void **state)
{
    reset_model();
    start(true);
    assert_int_equal(pci_resources(slot)->message_count, 4);
    in_a_task(use_msi);
    set_message(4, true);
    assert_string_equal(last_complaint, "it raises message 4; it has 4");
    machine_destroy();
}

static uint32_t table_read(char *registers, unsigned offset)
{
    uint64_t value = 0;

    assert_true(mmio_read(registers + offset, 4, &value));
    return (uint32_t)value;
}

static void use_msix(void *argument)
{
    struct interrupt *interrupt = connect();
    char *registers = io_map(pci_resources(slot)->bars[0].base, 4096);
    uint64_t value;

    assert_int_equal(table_read(registers, 0x800), 0xFEE00000);
    set_message(4, true);
    assert_int_equal(served[4], 1);
    /* The mask of message 4, then of all. */
    assert_true(mmio_write(registers + 0x800 + 4 * 16 + 12, 4, 1));
    set_message(4, true);
    set_message(3, true);
    assert_int_equal(served[4], 1);
    assert_int_equal(served[3], 1);
    assert_int_equal(table_read(registers, 0xC00), 1u << 4);
    assert_true(mmio_read(registers + 0xC00, 8, &value));
    assert_int_equal(value, 1u << 4);
    set_word(0x40, word(0x40) | 1u << 30);
    assert_true(mmio_write(registers + 0x800 + 4 * 16 + 12, 4, 0));
    set_message(1, true);
    assert_int_equal(served[4], 1);
    set_message(1, false); /* taken back before it was sent */
    set_word(0x40, word(0x40) & ~(1u << 30));
    machine_spend(20 * NS_PER_US);
    assert_int_equal(served[4], 2);
    assert_int_equal(served[1], 0);
    /* The rest of the BAR is the model's. */
    assert_true(mmio_write(registers + 8, 4, 77));
    assert_int_equal(model.registers[2], 77);
    assert_true(mmio_write(registers + 0x800, 4, 0x1230));
    assert_int_equal(model.registers[0], 0);
    assert_int_equal(table_read(registers, 0x800), 0x1230);
    interrupt_disconnect(interrupt);
    io_unmap(registers, 4096);
}

static void msix_has_its_table_in_a_bar(void **state)
{
    reset_model();
    model.description.capabilities = msix;
    model.description.capability_count = 1;
    start(true);
    assert_int_equal(pci_resources(slot)->message_count, MESSAGES);
    assert_int_equal(word(0x40), 0x80040011);
    assert_int_equal(word(0x44), 0x800);
    assert_int_equal(word(0x48), 0xC00);
    in_a_task(use_msix);
    machine_destroy();
}

static void use_line(void *argument)
{
    struct interrupt *interrupt = connect();

    assert_int_equal(word(0x40) >> 31, 0);
    set_message(3, true);
    assert_true(served[0] > 0); /* a level: served until it falls */
    assert_int_equal(word(4) >> 19 & 1, 1);
    set_message(3, false);
    assert_int_equal(word(4) >> 19 & 1, 0);
    /* The driver may forbid it. */
    served[0] = 0;
    set_word(4, word(4) | 0x400);
    set_message(0, true);
    assert_int_equal(served[0], 0);
    set_word(4, word(4) & ~0x400u);
    machine_spend(20 * NS_PER_US);
    assert_int_equal(served[0], 1);
    interrupt_disconnect(interrupt);
}

static void without_messages_there_is_the_line(void **state)
{
    reset_model();
    model.description.capabilities = msix;
    model.description.capability_count = 1;
    start(false);
    in_a_task(use_line);
    machine_destroy();
}

/* ---- Ports ----------------------------------------------------------------------------------- */

static void use_ports(void *argument)
{
    uint64_t base = pci_resources(slot)->bars[1].base, value;
    uint32_t ones = UINT32_MAX;

    assert_true(base >= 0x1000 && base < 0x10000);
    assert_int_equal(word(0x14), base | 1);
    assert_true(port_write(base + 4, 4, 0x11223344));
    assert_int_equal(model.registers[1], 0x11223344);
    assert_true(port_read(base + 4, 4, &value));
    assert_int_equal(value, 0x11223344);
    assert_true(port_read(base + 5, 1, &value));
    assert_int_equal(value, 0x33);
    assert_false(port_read(base + 62, 4, &value)); /* over the end */
    assert_int_equal(value, UINT64_MAX);
    assert_false(port_read(base - 1, 1, &value));
    assert_false(port_write(UINT64_MAX - 1, 4, 1));
    pci_config_write(slot, 0x14, &ones, 4);
    assert_int_equal(word(0x14), 0xFFFFFFC1);
    /* Decoding switched off. */
    set_word(4, word(4) & ~1u);
    assert_true(port_read(base + 4, 4, &value));
    assert_int_equal(value, UINT32_MAX);
}

static void ports_are_a_space_of_their_own(void **state)
{
    reset_model();
    start(false);
    assert_true(pci_resources(slot)->bars[1].ports);
    assert_int_equal(word(4) & 7, 7);
    in_a_task(use_ports);
    machine_destroy();
}

/* ---- Devices that firmware tells of ---------------------------------------------------------- */

static void reset_to_platform(void)
{
    reset_model();
    model.has_methods = true;
    model.description.platform = true;
    model.description.line_count = 2;
    model.description.capability_count = 0;
    model.description.bars[1].kind = DEVICE_BAR_NONE;
}

static unsigned line_served[2];

static bool serve_lines(void *context, unsigned message)
{
    bool ours = false;

    assert_int_equal(message, 0);
    for (unsigned i = 0; i < 2; i++) {
        if (model.registers[i]) { /* what the device has to tell */
            model.registers[i] = 0;
            line_served[i]++;
            model.bus->operations->interrupt_set(model.bus, i, false);
            ours = true;
        }
    }
    return ours;
}

static void use_lines(void *argument)
{
    const struct pci_resources *resources = pci_resources(slot);
    const struct interrupt_options interrupt_options = {.line = resources->interrupt_line,
                                                        .line_count = resources->line_count,
                                                        .irql = resources->interrupt_irql,
                                                        .routine = serve_lines};
    struct interrupt *interrupt;

    line_served[0] = line_served[1] = 0;
    assert_int_equal(interrupt_connect(&interrupt_options, &interrupt), STATUS_SUCCESS);
    for (unsigned i = 0; i < 2; i++) {
        model.registers[i] = 1;
        model.bus->operations->interrupt_set(model.bus, i, true);
        machine_spend(NS_PER_MS);
        assert_int_equal(line_served[0], 1);
        assert_int_equal(line_served[1], i);
        assert_false(interrupt_is_up(interrupt));
    }
    interrupt_disconnect(interrupt);
}

static void platform_devices_have_ranges_and_lines(void **state)
{
    uint32_t ones = UINT32_MAX;

    reset_to_platform();
    start(false);
    assert_true(pci_resources(slot)->platform);
    assert_int_equal(pci_resources(slot)->line_count, 2);
    assert_int_equal(word(0), UINT32_MAX);
    pci_config_write(slot, 0x40, &ones, 4);
    assert_int_equal(model.own_word, 0);
    in_a_task(use_lines);
    machine_destroy();
}

static void impossible_platform_devices_are_refused(void **state)
{
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    reset_model();
    model.description.line_count = 2;
    refuse("only a platform device");
    reset_to_platform();
    model.description.capability_count = 1;
    refuse("no configuration space");
    reset_to_platform();
    model.description.bars[1].kind = DEVICE_BAR_PORTS;
    refuse("BAR 1 of a platform device is of ports");
    reset_to_platform();
    model.description.line_count = 9;
    refuse("has 9 lines, at most 8");
    machine_destroy();
}

/* It was built when the description had no more than that, of which the last four bytes were
 * padding: nobody clears those. */
static void a_shorter_description_is_one_of_pci(void **state)
{
    enum { BYTES_BEFORE = 176, PADDING = 4 };

    reset_model();
    memset((char *)&model.description + BYTES_BEFORE - PADDING, 0xFF, PADDING);
    model.description.size_bytes = BYTES_BEFORE;
    start(false);
    assert_false(pci_resources(slot)->platform);
    assert_int_equal(word(0), 0x56781234);
    machine_destroy();
}

static void methods_are_the_models(void **state)
{
    const struct device_acpi_value two[] = {{.number = 40}, {.number = 2}};
    const struct device_acpi_value name = {.kind = DEVICE_ACPI_STRING, .bytes = "panel", .size = 6};
    const struct device_acpi_value wild = {
        .kind = DEVICE_ACPI_BUFFER + 1, .bytes = "panel", .size = 6};
    struct device_acpi_value result;

    reset_to_platform();
    start(false);
    assert_true(pci_acpi_method(slot, DEVICE_ACPI_ADAPTER, "_ADD", two, 2, &result));
    assert_int_equal(result.number, 42);
    assert_true(pci_acpi_method(slot, 3, "NAME", &name, 1, &result));
    assert_string_equal(result.bytes, "panel");
    assert_false(pci_acpi_method(slot, 4, "_ADD", two, 2, &result));
    assert_false(pci_acpi_method(slot, 3, "NAME", &wild, 1, &result));
    assert_non_null(strstr(last_complaint, "there are none"));
    machine_destroy();
    reset_model();
    start(false);
    assert_false(pci_acpi_method(slot, DEVICE_ACPI_ADAPTER, "_ADD", two, 2, &result));
    machine_destroy();
}

/* ---- Places ---------------------------------------------------------------------------------- */

static void an_address_behind_a_bar_is_named(void **state)
{
    char text[80];
    uintptr_t memory;

    reset_model();
    start(false);
    memory = (uintptr_t)model.memory_in_create;
    pci_place_text(slot, memory + (1 << 20) + 64, text, sizeof(text));
    assert_string_equal(text, "64 bytes behind the end of its BAR 2");
    pci_place_text(slot, memory - 8, text, sizeof(text));
    assert_string_equal(text, "8 bytes before its BAR 2");
    pci_place_text(slot, 8, text, sizeof(text));
    assert_string_equal(text, "");
    assert_null(pci_in_model());
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_for_another_version_are_refused),
        cmocka_unit_test(models_that_make_no_device_are_refused),
        cmocka_unit_test(options_are_read_by_the_models_table),
        cmocka_unit_test(impossible_bars_are_refused),
        cmocka_unit_test(impossible_capabilities_are_refused),
        cmocka_unit_test(capabilities_lie_where_the_model_wants_them),
        cmocka_unit_test(a_device_without_capabilities_has_no_list),
        cmocka_unit_test(the_bus_works_from_describe_on),
        cmocka_unit_test(what_a_model_says_is_told_once),
        cmocka_unit_test(msi_messages_have_masks_and_pending_bits),
        cmocka_unit_test(msix_has_its_table_in_a_bar),
        cmocka_unit_test(without_messages_there_is_the_line),
        cmocka_unit_test(ports_are_a_space_of_their_own),
        cmocka_unit_test(platform_devices_have_ranges_and_lines),
        cmocka_unit_test(impossible_platform_devices_are_refused),
        cmocka_unit_test(a_shorter_description_is_one_of_pci),
        cmocka_unit_test(methods_are_the_models),
        cmocka_unit_test(an_address_behind_a_bar_is_named),
    };
    return cmocka_run_group_tests_name("pci_model", tests, NULL, NULL);
}
