/* A device model that misbehaves in the way that the option `how` names; otherwise just enough of a
 * doorbell engine for its driver to start. With -DWRONG_ABI it is made for another version. */
#include <drydock/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef WRONG_ABI
#define WRONG_ABI DRYDOCK_DEVICE_ABI
#endif

#define MEMORY_BAR   2
#define MEMORY_BYTES (1u << 20)

static struct device_bus *bus;
static char how[32];

static bool is(const char *name)
{
    return strcmp(how, name) == 0;
}

static void misbehave(void)
{
    char *memory = bus->operations->bar_memory(bus, MEMORY_BAR);
    char bytes[64];
    const char *volatile nowhere = (const char *)16;

    if (is("fault")) {
        *(volatile int *)8 = 1;
    } else if (is("library")) {
        puts(nowhere);
    } else if (is("jump")) {
        ((void (*)(void))0x1000)();
    } else if (is("overrun")) {
        memory[MEMORY_BYTES + 100] = 1;
    } else if (is("loop")) {
        for (volatile int i = 0;; i = i + 1) {
        }
    } else if (is("message")) {
        bus->operations->interrupt_set(bus, 77, true);
    } else if (is("give-up")) {
        bus->operations->give_up(bus, "its clock tree is on fire");
    } else if (is("abort")) {
        abort();
    } else if (is("exit")) {
        exit(0);
    } else if (is("dma")) {
        bus->operations->dma_read(bus, UINT64_C(1) << 50, bytes, sizeof bytes);
    }
}

static uint64_t mmio_read(struct device *device, unsigned bar, uint64_t offset, unsigned size)
{
    (void)device, (void)bar, (void)size;
    misbehave();
    return offset == 0 ? MEMORY_BYTES : 0;
}

/* Three lies: it goes everywhere, it writes more than it may, and it does not end what it says. */
static bool goes_to(struct device *device, uint64_t physical, uint64_t size, char *text,
                    size_t text_size)
{
    (void)device, (void)physical, (void)size;
    if (is("goes-everywhere")) {
        snprintf(text, text_size, "the ring of nothing");
        return true;
    }
    if (is("goes-behind")) {
        memset(text, 'x', text_size + 8);
        return true;
    }
    if (is("goes-unended")) {
        memset(text, 'x', text_size);
        return physical < UINT64_C(1) << 50;
    }
    return false;
}

static struct device *create(struct device_bus *the_bus, const struct drydock_value *values)
{
    static const struct device_operations operations = {
        .size_bytes = sizeof operations, .mmio_read = mmio_read, .goes_to = goes_to};
    static struct device device = {&operations};
    static const struct device_capability overlapping[] = {
        {.id = DEVICE_CAPABILITY_POWER, .offset = 0x40},
        {.id = DEVICE_CAPABILITY_MSI, .offset = 0x44, .message_count = 1},
    };
    struct device_description description = {
        .size_bytes = sizeof description,
        .vendor_id = 0x1AF4,
        .device_id = 0x0BAD,
        .bars = {[0] = {.kind = DEVICE_BAR_REGISTERS, .size = 4096},
                 [MEMORY_BAR] = {.kind = DEVICE_BAR_MEMORY, .size = MEMORY_BYTES}},
        .capabilities = overlapping,
        .capability_count = 1,
    };

    bus = the_bus;
    snprintf(how, sizeof how, "%s", values[0].text ? values[0].text : "");
    if (is("bar")) {
        description.bars[0].size = 5000;
    } else if (is("capabilities")) {
        description.capability_count = 2;
    } else if (is("silent")) {
        return NULL;
    }
    if (!bus->operations->describe(bus, &description)) {
        return NULL;
    }
    if (is("create-fault")) {
        *(volatile int *)8 = 1;
    }
    return &device;
}

static const struct drydock_option options[] = {{"how", "how it misbehaves", 0, 0, 0}, {0}};

#ifndef NO_SYMBOL
DRYDOCK_DEVICE_EXPORT const struct device_model drydock_device;
#endif
const struct device_model drydock_device
#ifdef NO_SYMBOL
    __attribute__((visibility("hidden")))
#endif
    = {WRONG_ABI, sizeof(struct device_model), "bad", "misbehaves", options, create};
