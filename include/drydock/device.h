/* drydock/device.h: what a simulated PCI device sees of the computer.
 *
 * Anybody's hardware model plugs in here: a C or C++ model, or RTL behind a wrapper. The model is
 * passive. The computer calls it for accesses to its registers, and at the times it asked for; the
 * model moves bytes by DMA, raises interrupts and asks to be called again.
 *
 *      driver ──registers──> computer ──mmio_read/mmio_write──> device
 *      memory <────dma_*──── computer <──────────────────────── device
 *      driver <─────ISR───── computer <─────interrupt_set────── device
 *
 * A library with a model is built against this header alone, links to nothing of Drydock, and
 * exports
 *
 *      DRYDOCK_DEVICE_EXPORT const struct device_model drydock_device = {
 *          DRYDOCK_DEVICE_ABI, sizeof(struct device_model), "mine", "...", options, create,
 *      };
 *
 * The life of a device:
 *
 *      create(): describe() ──> the other calls of the bus ──> returns the device
 *                                 mmio_*, tick, config_*, scanout, set_monitor, reset ... destroy
 *
 * describe() comes first: with it the computer places the BARs and the interrupts, so that all of
 * the bus works from then on, inside create() and until destroy() returns. DMA reaches memory while
 * the driver (or the bus driver: at power-on it is so) has bus mastering on. An interrupt that is
 * raised before a driver connected is kept if it is a level, and lost if it is a message.
 *
 * Before a sleep the computer itself reads registers that the start of the driver wrote, when the
 * device has nothing to do, and again right behind reset(), which comes once more then: who gives
 * up about that is not asked further.
 *
 * Everything happens on one thread under a virtual clock. A callback must not block, and must not
 * read any clock or randomness but the ones given here: two runs with one seed are the same run.
 * From create() on the model runs without privileges: no files, no threads.
 * What the model does wrong (a fault in its code, a message it does not have) ends the run as the
 * model's fault, not as the driver's.
 *
 * Ownership: the device is made by create() and destroyed by destroy(); `struct device_bus` belongs
 * to the computer and outlives the device. Structures with a size_bytes grow at their end only; any
 * other change changes DRYDOCK_DEVICE_ABI. */
#ifndef DRYDOCK_DEVICE_H
#define DRYDOCK_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drydock/option.h"

#ifdef __cplusplus
extern "C" {
#define DRYDOCK_DEVICE_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define DRYDOCK_DEVICE_EXPORT __attribute__((visibility("default")))
#endif

#define DRYDOCK_DEVICE_ABI       2
#define DRYDOCK_DEVICE_SYMBOL    "drydock_device"
#define DEVICE_BAR_COUNT         6
#define DEVICE_CAPABILITIES_MAX  16
#define DEVICE_MESSAGE_COUNT_MAX 128 /* MSI-X; MSI has at most 32 */
#define DEVICE_BAR_NOTHING       UINT64_MAX
#define DEVICE_LINES_MAX         8
#define DEVICE_ACPI_ADAPTER      UINT32_MAX
#define DEVICE_ACPI_ARGUMENTS    7

struct device_bus;
struct device;

/* ---- What a device is ------------------------------------------------------------------------ */

enum device_bar_kind {
    DEVICE_BAR_NONE,
    DEVICE_BAR_REGISTERS, /* mapped; accesses arrive at mmio_read and mmio_write */
    DEVICE_BAR_MEMORY,    /* plain memory: the driver's accesses go straight to it */
    DEVICE_BAR_PORTS,     /* I/O ports; accesses arrive at mmio_read and mmio_write */
};

struct device_bar {
    enum device_bar_kind kind;
    uint64_t size; /* bytes; a power of two, at least 4096; of ports 4 to 256 */
    bool prefetchable;
    bool is_64bit; /* takes the next BAR's place as well; not for ports */
};

/* Ids of the PCI standard. */
enum device_capability_id {
    DEVICE_CAPABILITY_POWER = 0x01, /* power management */
    DEVICE_CAPABILITY_MSI = 0x05,
    DEVICE_CAPABILITY_VENDOR = 0x09,
    DEVICE_CAPABILITY_EXPRESS = 0x10, /* PCI Express */
    DEVICE_CAPABILITY_MSIX = 0x11,
};

/* An entry of the capability list; the computer links them in the order given and serves them. */
struct device_capability {
    uint8_t id;
    uint8_t offset; /* in configuration space, a multiple of 4 from 0x40; 0: the computer chooses */

    /* What follows id and link: the bytes as they are at power-on, and the bits that a driver may
     * change (NULL: none). A vendor's first byte is its length with id and link. Power management
     * and PCI Express may leave bytes NULL: they get those of an ordinary device. Not of MSI and
     * MSI-X: theirs the computer makes. */
    uint8_t size;
    const uint8_t *bytes, *writable;

    /* MSI: 1, 2, 4 ... 32; MSI-X: 1 ... DEVICE_MESSAGE_COUNT_MAX. */
    uint16_t message_count;
    bool maskable; /* MSI: each message has a mask bit. Those of MSI-X always have */
    /* MSI-X: its table of 16 bytes a message, and its pending bits, both in a BAR of registers at a
     * multiple of 8. The computer serves them, and the model never sees an access there. */
    uint8_t bar;
    uint32_t table_offset, pending_offset;
};

/* Read once, by describe(). */
struct device_description {
    uint32_t size_bytes; /* of this structure */
    uint16_t vendor_id, device_id, subsystem_vendor_id, subsystem_id;
    uint8_t revision_id;
    uint8_t class_code, subclass, programming_interface; /* 0x03, 0x00, 0x00: VGA display */
    struct device_bar bars[DEVICE_BAR_COUNT];
    const struct device_capability *capabilities;
    unsigned capability_count; /* without MSI and MSI-X the device has the legacy line only */
    uint32_t reserved; /* not read: in descriptions of before it was padding, with anything in it */

    /* A device on no bus, of which firmware tells (ACPI), as a part of a system on a chip: its BARs
     * are the ranges of memory in its resource list, in their order, it has no configuration space
     * and no capabilities, masters its bus at any time, and ids and class are not read. */
    bool platform;
    /* The interrupt lines of such a device, at most 8; 0 stands for 1. Message n is line n, which is
     * up while it is true. A driver connects all of them at once, and hears message 0 of each. */
    uint8_t line_count;
    uint8_t reserved_too[6]; /* as `reserved` */
    /* How firmware names such a device, its _HID: three letters, or four letters and digits, and
     * four hexadecimal digits ("XYZ0001", "ABCD0D17"). Empty: "DRYD0000". Drivers and INFs know it
     * as ACPI\ABCD0D17. */
    char firmware_id[16];
};

/* ---- What the computer offers ---------------------------------------------------------------- */

enum device_pasid_access { DEVICE_PASID_READ, DEVICE_PASID_WRITE, DEVICE_PASID_EXECUTE };

/* A page of memory, and what a process may not do there. */
struct device_pasid_page {
    uint64_t physical;
    bool read_only, no_execute;
};

struct device_bus_operations {
    size_t size_bytes; /* of this structure, as the computer has it */

    /* Says what the device is. Once, in create(), before any other call but give_up(). False: it
     * cannot be plugged in, and the user is told why; create() returns NULL. */
    bool (*describe)(struct device_bus *bus, const struct device_description *description);

    /* In create(): why it is going to return NULL, as a sentence for the user. Later: the model
     * cannot go on; the run ends as the model's fault, and the call does not return. */
    void (*give_up)(struct device_bus *bus, const char *text);

    /* Virtual time in nanoseconds since power-on. */
    uint64_t (*now_ns)(struct device_bus *bus);

    /* Calls device->tick(cookie) at the given time (at once if it has passed). Several may be
     * outstanding; equal times run in the order they were asked for. */
    void (*call_at)(struct device_bus *bus, uint64_t time_ns, uint64_t cookie);

    /* Message `message` of those that the MSI or MSI-X capability has is sent once by true. While
     * it is masked it stays pending, until it is unmasked or taken back by false. A driver that was
     * granted fewer gets message modulo that number; it is his InterruptRoutine's MessageNumber.
     * Where no messages are enabled, the legacy line is up while any message is true. Without such
     * a capability there is message 0 alone. */
    void (*interrupt_set)(struct device_bus *bus, unsigned message, bool asserted);

    /* System memory by physical address. False on a bus fault: no memory there, or bus mastering is
     * off. The computer reports it; the device should go to its error state. */
    bool (*dma_read)(struct device_bus *bus, uint64_t physical_address, void *bytes, size_t size);
    bool (*dma_write)(struct device_bus *bus, uint64_t physical_address, const void *bytes,
                      size_t size);
    /* A direct view of [physical_address, +size), or NULL if that is not one piece of RAM. Valid
     * until the next callback returns. */
    void *(*dma_map)(struct device_bus *bus, uint64_t physical_address, size_t size);

    /* The memory behind a DEVICE_BAR_MEMORY bar, NULL for the others; the same address for the life
     * of the device. */
    void *(*bar_memory)(struct device_bus *bus, unsigned bar);

    /* The n-th random number of a site; the same for the same seed, site and count. */
    uint64_t (*random)(struct device_bus *bus, uint32_t site);

    /* For the time line: an engine starts or ends a piece of work; tag is the device's own. */
    void (*trace)(struct device_bus *bus, bool begin, unsigned engine, uint64_t tag);

    /* One line for the log of the run, such as a command that the device refuses, and why: the last
     * one stands in the finding of a time-out that comes of it. */
    void (*log)(struct device_bus *bus, const char *text);

    /* From now on [offset, +size) of a DEVICE_BAR_MEMORY bar shows the CPU [from, +size) of the
     * memory behind it, as a bar with a table of its own does; with DEVICE_BAR_NOTHING nothing:
     * what is read there is of no use, and writes are lost. All three are multiples of 4096. At
     * first each page shows itself. What bar_memory() gave stays as it is. False: out of the bar. */
    bool (*bar_show)(struct device_bus *bus, unsigned bar, uint64_t offset, uint64_t size,
                     uint64_t from);

    /* Memory at an address of a process, by the PASID that its driver was given: a view of the
     * begin of [address, +size), *mapped_size bytes that lie in one piece, until the next callback
     * returns. NULL: nothing is there, or the process may not do that: a page fault of the device,
     * which no bus fault is. */
    void *(*pasid_map)(struct device_bus *bus, uint32_t pasid, uint64_t address, size_t size,
                       enum device_pasid_access access, size_t *mapped_size);

    /* The same for a device that remembers what it is told, and goes to the page by dma_* from then
     * on: the page of the address. The IOMMU tells nobody when that ends; the driver hears of it.
     * False: a page fault. */
    bool (*pasid_translate)(struct device_bus *bus, uint32_t pasid, uint64_t address,
                            struct device_pasid_page *page);

    /* Whether the driver was granted messages and they are on: then none goes by the legacy line.
     * For a device that says in a register of its own what the line is up for. */
    bool (*messages_on)(struct device_bus *bus);
};

struct device_bus {
    const struct device_bus_operations *operations;
};

/* ---- What the device does -------------------------------------------------------------------- */

/* A picture that lies in a BAR of memory: 32-bit BGRX rows. */
struct device_firmware_picture {
    unsigned bar;
    uint64_t offset; /* of the first row, in the BAR; a multiple of 4096 */
    unsigned width, height, stride_bytes;
};

/* A byte of memory: of the device's own, counted from where a BAR of memory begins that shows it and
 * on the device's side the driver's segments lie, or of the computer's, by physical address. */
struct device_place {
    bool in_system_memory;
    uint64_t address;
};

/* An address space that engines may be told to work in. */
struct device_address_space {
    struct device_place root; /* its root table */
    uint32_t entry_count;     /* of that; 0: the device does not ask */
    uint32_t pasid; /* not 0: it has no table, the computer's IOMMU has; root is of no interest */
};

enum device_leads { DEVICE_LEADS_NOWHERE, DEVICE_LEADS_TO_ZEROS, DEVICE_LEADS_TO_MEMORY };

/* Where a virtual address leads: nowhere is a page fault. */
struct device_translation {
    enum device_leads leads;
    struct device_place place; /* of the byte itself */
    bool read_only, no_execute;
    bool stale; /* an engine does not see there what CPUs have in their caches alone */
};

/* A translation that an engine remembers, of the page of `address`. */
struct device_remembered {
    unsigned engine;
    uint64_t address;
    struct device_translation translation;
};

/* An argument, or the result, of a method in ACPI's tables. */
enum device_acpi_kind { DEVICE_ACPI_INTEGER, DEVICE_ACPI_STRING, DEVICE_ACPI_BUFFER };

struct device_acpi_value {
    enum device_acpi_kind kind;
    uint32_t number; /* of an integer */
    /* Of a string, with its 0, or of a buffer; a result's are valid until the next callback. */
    const void *bytes;
    uint16_t size;
};

/* What is NULL is not called. One may end before set_monitor(). */
struct device_operations {
    size_t size_bytes; /* of this structure */

    /* An access to a BAR of registers or ports: size 1, 2, 4 or (not ports) 8, inside the BAR, of
     * any alignment. Without these, reads give all ones. */
    uint64_t (*mmio_read)(struct device *device, unsigned bar, uint64_t offset, unsigned size);
    void (*mmio_write)(struct device *device, unsigned bar, uint64_t offset, unsigned size,
                       uint64_t value);
    /* A time asked for with call_at has come. */
    void (*tick)(struct device *device, uint64_t cookie);
    /* Function level reset or power cycle: back to the state after creation. Its memory BARs are
     * lost already, and read as 0; times asked for are forgotten, interrupts are down. */
    void (*reset)(struct device *device);
    void (*destroy)(struct device *device);

    /* The device's own part of configuration space: the 32-bit words from 0x40 that no capability
     * holds. */
    uint32_t (*config_read)(struct device *device, unsigned offset);
    void (*config_write)(struct device *device, unsigned offset, uint32_t value);

    /* The picture a monitor on this video output shows now, 32-bit BGRX rows; what stands in X does
     * not count. False if the output is dark. *pixels stays valid until the next callback, and may
     * be the surface itself. */
    bool (*scanout)(struct device *device, unsigned output, const void **pixels, unsigned *width,
                    unsigned *height, unsigned *stride_bytes);

    /* Somebody pulls the monitor out of this video output, or plugs it in. The device tells its
     * driver as its hardware does, usually by an interrupt. False: it has no such connector. What
     * was on the screen is up to the driver; without a monitor scanout() is false. */
    bool (*set_monitor)(struct device *device, unsigned output, bool connected);

    /* What firmware does at power-on, when no driver runs yet: the first output with a monitor
     * shows a picture, which a driver may go on to draw into that sets no mode itself. Fills the
     * picture in; false if there is none. stride_bytes comes as the gap behind each row, in bytes,
     * that this firmware leaves, a multiple of 64; a model may leave it out. After create() and each
     * reset(), and between two starts of a driver with a display alone. */
    bool (*light_up)(struct device *device, struct device_firmware_picture *picture);

    /* Which byte of system memory an engine would reach at this address of the device's own, through
     * a table that the driver writes (an aperture's): *physical_address. False: none, or the address
     * leads elsewhere. For the judge of the driver's mappings: asking changes nothing. */
    bool (*look_up)(struct device *device, uint64_t address, uint64_t *physical_address);

    /* The monitor that was pulled out of this output is another from now on: one with the same
     * timings, and something else in what it says of itself. False: there is no other. */
    bool (*exchange_monitor)(struct device *device, unsigned output);

    /* For the judge of page tables; asking changes nothing, neither what the device remembers nor
     * what it reports. All three or none.
     *
     * The first address space from number *space on that has a root table: *space, and which.
     * False: no more. A device whose root comes with each piece of work may tell that of what an
     * engine is, or was last, at; one whose root comes with the commands has none to tell. Of the
     * spaces of an IOMMU those are told of which engines remember something. */
    bool (*address_space)(struct device *device, unsigned *space,
                          struct device_address_space *found);
    /* Where its tables lead at a virtual address, whatever engines remember. */
    void (*translate)(struct device *device, unsigned space, uint64_t address,
                      struct device_translation *translation);
    /* One by one what engines remember of the space and would go by: *cursor is 0 at first, and the
     * device's own then. False: no more. */
    bool (*remembered)(struct device *device, unsigned space, uint64_t *cursor,
                       struct device_remembered *found);

    /* As scanout(), of an output that sends the two images of a stereo picture in turn: what the
     * left or the right eye saw last. False: it sends one picture. */
    bool (*scanout_eye)(struct device *device, unsigned output, bool right, const void **pixels,
                        unsigned *width, unsigned *height, unsigned *stride_bytes);

    /* Does the device go by itself, at whatever moment, to memory of the computer's within
     * [physical_address, +size), by what its registers say now? What for: "the ring of engine 0", in
     * `text`. For the judge of what the driver frees; asking changes nothing. */
    bool (*goes_to)(struct device *device, uint64_t physical_address, uint64_t size, char *text,
                    size_t text_size);

    /* Did the device write this value of 8 bytes to system memory at this address, not long ago, as
     * the end of something that it had been given, and not because commands said so? For the judge
     * of fences, whose memory clients may write, too; asking changes nothing. */
    bool (*released)(struct device *device, uint64_t physical_address, uint64_t value);

    /* What the monitor at this video output says of itself, its EDID as a driver can read it: the
     * first `size` bytes of it, or all. How long all of it is; 0: there is no monitor, or it says
     * nothing. For the judge of what the driver hands on; asking changes nothing. */
    size_t (*monitor_says)(struct device *device, unsigned output, uint8_t *bytes, size_t size);

    /* A method of the firmware's tables, in four letters ("_DSM"), of the device (unit
     * DEVICE_ACPI_ADAPTER) or of one of its children (unit: the driver's ChildUid), that the driver
     * evaluates by DxgkCbEvalAcpiMethod. *result is an integer 0 at first. False: there is no such
     * method. */
    bool (*acpi_method)(struct device *device, uint32_t unit, const char name[4],
                        const struct device_acpi_value *arguments, unsigned argument_count,
                        struct device_acpi_value *result);
};

/* The beginning of every device. */
struct device {
    const struct device_operations *operations;
};

/* ---- The plug-in ----------------------------------------------------------------------------- */

struct device_model {
    uint32_t abi;                         /* DRYDOCK_DEVICE_ABI */
    uint32_t size_bytes;                  /* of this structure */
    const char *name;                     /* "softgpu" */
    const char *description;              /* one line */
    const struct drydock_option *options; /* what the user can say; NULL: nothing */
    /* values: one for each option; texts are valid until create() returns. NULL is returned on
     * failure, after give_up(). */
    struct device *(*create)(struct device_bus *bus, const struct drydock_value *values);
};

#ifdef __cplusplus
}
#endif

#endif
