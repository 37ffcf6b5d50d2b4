/* drydock/device.h: what a simulated PCI device sees of the computer.
 *
 * Anybody's hardware model plugs in here: a C model, or RTL behind a wrapper. The model is passive.
 * The computer calls it for accesses to its configuration space and its BARs, and at the times it
 * asked for; the model moves bytes by DMA, raises interrupts and asks to be called again.
 *
 *      driver ──MMIO──> computer ──mmio_read/mmio_write──> device
 *      memory <──dma_*── computer <─────────────────────── device
 *      driver <──ISR──── computer <──interrupt_set──────── device
 *
 * Everything happens on one thread under a virtual clock. A callback must not block, and must not
 * read any clock or randomness but the ones given here: two runs with one seed are the same run.
 *
 * Ownership: the device is created by its factory and destroyed by destroy(); `struct device_bus`
 * belongs to the computer and outlives the device. */
#ifndef DRYDOCK_DEVICE_H
#define DRYDOCK_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRYDOCK_DEVICE_ABI 1
#define DEVICE_BAR_COUNT   6

struct device_bus;
struct device;

enum device_bar_kind {
    DEVICE_BAR_NONE,
    DEVICE_BAR_REGISTERS, /* accesses arrive at mmio_read and mmio_write */
    DEVICE_BAR_MEMORY,    /* plain memory: the driver's accesses go straight to it */
};

struct device_bar {
    enum device_bar_kind kind;
    uint64_t size; /* bytes; a power of two, at least 4096 */
    bool prefetchable;
    bool is_64bit; /* takes the next BAR's place as well */
};

/* Fixed description, read once when the device is plugged in. */
struct device_description {
    const char *name; /* "softgpu" */
    uint16_t vendor_id, device_id, subsystem_vendor_id, subsystem_id;
    uint8_t revision_id;
    uint8_t class_code, subclass, programming_interface; /* 0x03, 0x00, 0x00: VGA display */
    struct device_bar bars[DEVICE_BAR_COUNT];
    unsigned message_count; /* MSI messages offered: 0 (legacy line only), 1, 2, 4 ... 32 */
};

/* What the computer offers. All calls are valid from plug until destroy. */
struct device_bus_operations {
    /* Virtual time in nanoseconds since power-on. */
    uint64_t (*now_ns)(struct device_bus *bus);

    /* Calls device->tick(cookie) at the given time (at once if it has passed). Several may be
     * outstanding; equal times run in the order they were asked for. */
    void (*call_at)(struct device_bus *bus, uint64_t time_ns, uint64_t cookie);

    /* The level of the legacy line, or of message `message` (an edge: true sends it once). */
    void (*interrupt_set)(struct device_bus *bus, unsigned message, bool asserted);

    /* System memory by physical address. False on a bus fault: no memory there. The computer
     * reports it; the device should go to its error state. */
    bool (*dma_read)(struct device_bus *bus, uint64_t physical_address, void *bytes, size_t size);
    bool (*dma_write)(struct device_bus *bus, uint64_t physical_address, const void *bytes,
                      size_t size);
    /* A direct view of [physical_address, +size), or NULL if that is not one piece of RAM. Valid
     * until the next callback returns. */
    void *(*dma_map)(struct device_bus *bus, uint64_t physical_address, size_t size);

    /* The memory behind a DEVICE_BAR_MEMORY bar; the same address for the life of the device. */
    void *(*bar_memory)(struct device_bus *bus, unsigned bar);

    /* The n-th random number of a site; the same for the same seed, site and count. */
    uint64_t (*random)(struct device_bus *bus, uint32_t site);

    /* For the time line: an engine starts or ends a piece of work; tag is the device's own. */
    void (*trace)(struct device_bus *bus, bool begin, unsigned engine, uint64_t tag);

    /* One line for the log of the run. */
    void (*log)(struct device_bus *bus, const char *text);
};

struct device_bus {
    const struct device_bus_operations *operations;
};

struct device_operations {
    uint64_t (*mmio_read)(struct device *device, unsigned bar, uint64_t offset, unsigned size);
    void (*mmio_write)(struct device *device, unsigned bar, uint64_t offset, unsigned size,
                       uint64_t value);
    /* A time asked for with call_at has come. */
    void (*tick)(struct device *device, uint64_t cookie);
    /* Function level reset or power cycle: back to the state after creation; memory is lost. */
    void (*reset)(struct device *device);
    void (*destroy)(struct device *device);

    /* Optional: the device-specific part of configuration space (offset >= 0x40). */
    uint32_t (*config_read)(struct device *device, unsigned offset);
    void (*config_write)(struct device *device, unsigned offset, uint32_t value);

    /* Optional: the picture a monitor on this video output shows now, 32-bit BGRX rows. False if
     * the output is dark. *pixels stays valid until the next callback. */
    bool (*scanout)(struct device *device, unsigned output, const void **pixels, unsigned *width,
                    unsigned *height, unsigned *stride_bytes);
};

struct device {
    const struct device_operations *operations;
    struct device_description description;
};

/* A shared library with a device model exports this under the name drydock_device_create.
 * options is a "key=value,key=value" text or NULL. NULL is returned on failure. */
typedef struct device *drydock_device_create_fn(struct device_bus *bus, const char *options);

#endif
