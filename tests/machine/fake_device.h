/* A PCI device for tests: 16 registers of 4 bytes, 1 MiB of memory, one interrupt.
 *
 *      register 0  control: bit 0 asserts the interrupt at once
 *      register 1  a write asks for a tick so many nanoseconds later; the tick sets status bit 0
 *                  and asserts the interrupt
 *      register 2  status: writing a bit clears it; a clear status drops the interrupt
 *      others      plain */
#ifndef TESTS_MACHINE_FAKE_DEVICE_H
#define TESTS_MACHINE_FAKE_DEVICE_H

#include <stdlib.h>
#include <time.h>

#include "machine/machine.h"

#define FAKE_REGISTER_BAR 0
#define FAKE_MEMORY_BAR   2
#define FAKE_CONTROL      0
#define FAKE_TIMER        1
#define FAKE_STATUS       2
#define FAKE_PLAIN        8

struct fake_device {
    struct device base;
    struct device_bus *bus;
    uint32_t registers[16];
    unsigned reads, writes, ticks, resets;
    uint64_t busy_ns; /* of processor time that each read takes */
};

static inline struct fake_device *fake_device_of(struct device *device)
{
    return container_of(device, struct fake_device, base);
}

static inline uint64_t fake_read(struct device *device, unsigned bar, uint64_t offset,
                                 unsigned size)
{
    struct fake_device *fake = fake_device_of(device);
    uint64_t value = fake->registers[offset / 4 % 16];

    fake->reads++;
    for (clock_t end = clock() + (clock_t)(fake->busy_ns / 1000); clock() < end;) {
    }
    if (size == 8) {
        value |= (uint64_t)fake->registers[(offset / 4 + 1) % 16] << 32;
    }
    return value >> offset % 4 * 8;
}

static inline void fake_interrupt(struct fake_device *fake, bool asserted)
{
    fake->bus->operations->interrupt_set(fake->bus, 0, asserted);
}

static inline void fake_write(struct device *device, unsigned bar, uint64_t offset, unsigned size,
                              uint64_t value)
{
    struct fake_device *fake = fake_device_of(device);
    unsigned index = (unsigned)(offset / 4 % 16);

    fake->writes++;
    if (index == FAKE_STATUS) {
        fake->registers[FAKE_STATUS] &= ~(uint32_t)value;
        if (fake->registers[FAKE_STATUS] == 0) {
            fake_interrupt(fake, false);
        }
        return;
    }
    fake->registers[index] = (uint32_t)value;
    if (index == FAKE_CONTROL && (value & 1)) {
        fake->registers[FAKE_STATUS] |= 1;
        fake_interrupt(fake, true);
    }
    if (index == FAKE_TIMER) {
        fake->bus->operations->call_at(fake->bus, fake->bus->operations->now_ns(fake->bus) + value,
                                       7);
    }
}

static inline void fake_tick(struct device *device, uint64_t cookie)
{
    struct fake_device *fake = fake_device_of(device);

    fake->ticks += cookie == 7;
    fake->registers[FAKE_STATUS] |= 1;
    fake_interrupt(fake, true);
}

static inline void fake_reset(struct device *device)
{
    fake_device_of(device)->resets++;
}

static inline void fake_destroy(struct device *device)
{
    free(fake_device_of(device));
}

static inline struct device *fake_create(struct device_bus *bus, const struct drydock_value *values)
{
    static const struct device_operations operations = {
        .size_bytes = sizeof(operations),
        .mmio_read = fake_read,
        .mmio_write = fake_write,
        .tick = fake_tick,
        .reset = fake_reset,
        .destroy = fake_destroy,
    };
    static const struct device_capability capabilities[] = {
        {.id = DEVICE_CAPABILITY_EXPRESS},
        {.id = DEVICE_CAPABILITY_MSI, .message_count = 4},
        {.id = DEVICE_CAPABILITY_POWER},
    };
    static const struct device_description description = {
        .size_bytes = sizeof(description),
        .vendor_id = 0x1AF4,
        .device_id = 0x10FF,
        .class_code = 3,
        .bars = {[FAKE_REGISTER_BAR] = {DEVICE_BAR_REGISTERS, 4096, false, false},
                 [FAKE_MEMORY_BAR] = {DEVICE_BAR_MEMORY, 1 << 20, true, true}},
        .capabilities = capabilities,
        .capability_count = 3,
    };
    struct fake_device *fake = calloc(1, sizeof(*fake));

    fake->bus = bus;
    fake->base.operations = &operations;
    if (!bus->operations->describe(bus, &description)) {
        free(fake);
        return NULL;
    }
    return &fake->base;
}

static const struct device_model fake_model = {
    .abi = DRYDOCK_DEVICE_ABI,
    .size_bytes = sizeof(fake_model),
    .name = "fake",
    .create = fake_create,
};

#endif
