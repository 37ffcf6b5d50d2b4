/* A model of virtio-gpu, the 2D part: a PCI device as virtual machines have it. README.md says how
 * it is built and what it leaves out; virtio_gpu_regs.h is the data sheet.
 *
 * Registers lie in one BAR, a page for each structure:
 *
 *      0x0000 common configuration   0x1000 ISR   0x2000 device configuration   0x3000 doorbells */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtio_gpu.h"

#define PAGE           0x1000u
#define COMMON_AT      0u
#define ISR_AT         PAGE
#define DEVICE_AT      (2 * PAGE)
#define DOORBELLS_AT   (3 * PAGE)
#define DOORBELL_BYTES 4u
#define VGA_BYTES      (16u << 20)

#define AT(field) offsetof(struct virtio_pci_common, field)

enum {
    OPTION_VGA,
    OPTION_OUTPUTS,
    OPTION_WIDTH,
    OPTION_HEIGHT,
    OPTION_MEMORY,
    OPTION_DELAY,
    OPTION_EDID,
    OPTION_VIRGL,
    OPTION_MASKS,
};

static const struct drydock_option options[] = {
    [OPTION_VGA] = {"vga", "1: a VGA device, which firmware lights up", 0, 0, 1},
    [OPTION_OUTPUTS] = {"outputs", "monitors", 1, 1, VIRTIO_GPU_SCANOUTS},
    [OPTION_WIDTH] = {"width", "of the mode that the monitors prefer", 1280, 64, 4088},
    [OPTION_HEIGHT] = {"height", "of the same", 800, 64, 4088},
    [OPTION_MEMORY] = {"memory_mb", "for the resources", 256, 1, 1024},
    [OPTION_DELAY] = {"delay_us", "what each command takes", 20, 1, 1000000},
    [OPTION_EDID] = {"edid", "0: monitors say nothing of themselves", 1, 0, 1},
    [OPTION_VIRGL] = {"virgl", "1: contexts, and copies in them", 0, 0, 1},
    [OPTION_MASKS] = {"masks", "1: features that were not offered are passed over", 0, 0, 1},
    {0},
};

/* ---- What the other files ask for -------------------------------------------------------- */

uint64_t gpu_features(const struct gpu *gpu)
{
    return VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT | VIRTIO_F_EVENT_INDEX |
           (gpu->has_edid ? VIRTIO_GPU_F_EDID : 0) | (gpu->virgl ? VIRTIO_GPU_F_VIRGL : 0);
}

void gpu_say(struct gpu *gpu, const char *format, ...)
{
    char text[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gpu->bus->operations->log(gpu->bus, text);
}

/* By the message that the driver chose, if any; without messages by the line and the ISR byte. */
void gpu_interrupt(struct gpu *gpu, uint16_t vector, uint8_t reason)
{
    const struct device_bus_operations *bus = gpu->bus->operations;

    if (!bus->messages_on(gpu->bus)) {
        gpu->isr |= reason;
        bus->interrupt_set(gpu->bus, 0, true);
    } else if (vector != VIRTIO_NO_VECTOR) {
        bus->interrupt_set(gpu->bus, vector, true);
    }
}

void gpu_break(struct gpu *gpu, const char *why)
{
    gpu_say(gpu, "virtio-gpu: %s; it needs a reset", why);
    gpu->status |= VIRTIO_STATUS_BROKEN;
    if (gpu->status & VIRTIO_STATUS_READY) {
        gpu_interrupt(gpu, gpu->config_vector, VIRTIO_ISR_CONFIG);
    }
}

/* ---- Registers --------------------------------------------------------------------------- */

/* What the driver does by writing 0 to its status, and what happens at power-on. */
static void virtio_reset(struct gpu *gpu)
{
    gpu->driver_features = 0;
    gpu->feature_select[0] = gpu->feature_select[1] = 0;
    gpu->config_vector = VIRTIO_NO_VECTOR;
    gpu->queue_select = 0;
    gpu->status = 0;
    gpu->events = 0;
    gpu->life++;
    for (unsigned i = 0; i < GPU_QUEUES; i++) {
        queue_reset(&gpu->queues[i]);
    }
    gpu->queues[1].size = 16;
    screens_reset(gpu);
    resources_reset(gpu);
    if (gpu->isr) {
        gpu->isr = 0;
        gpu->bus->operations->interrupt_set(gpu->bus, 0, false);
    }
}

static uint32_t half(uint64_t features, uint32_t select)
{
    return select == 0 ? (uint32_t)features : select == 1 ? (uint32_t)(features >> 32) : 0;
}

static void fill_common(const struct gpu *gpu, struct virtio_pci_common *common)
{
    *common = (struct virtio_pci_common){
        .device_feature_select = gpu->feature_select[0],
        .device_feature = half(gpu_features(gpu), gpu->feature_select[0]),
        .driver_feature_select = gpu->feature_select[1],
        .driver_feature = half(gpu->driver_features, gpu->feature_select[1]),
        .config_vector = gpu->config_vector,
        .num_queues = GPU_QUEUES,
        .device_status = gpu->status,
        .config_generation = gpu->generation,
        .queue_select = gpu->queue_select,
        .queue_vector = VIRTIO_NO_VECTOR,
    };
    if (gpu->queue_select < GPU_QUEUES) {
        const struct gpu_queue *queue = &gpu->queues[gpu->queue_select];
        common->queue_size = queue->size;
        common->queue_vector = queue->vector;
        common->queue_enable = queue->enable;
        common->queue_notify_off = gpu->queue_select;
        memcpy(common->queue_desc, queue->descriptors, 8);
        memcpy(common->queue_driver, queue->driver, 8);
        memcpy(common->queue_device, queue->device, 8);
    }
}

static void write_status(struct gpu *gpu, uint8_t value)
{
    if (value == 0) {
        virtio_reset(gpu);
        return;
    }
    if ((value & VIRTIO_STATUS_AGREED) && ((gpu->driver_features & ~gpu_features(gpu)) ||
                                           !(gpu->driver_features & VIRTIO_F_VERSION_1))) {
        gpu_say(gpu, "virtio-gpu: the driver's features 0x%llX are not among those offered",
                (unsigned long long)gpu->driver_features);
        value &= (uint8_t)~VIRTIO_STATUS_AGREED;
    }
    gpu->status = value | (gpu->status & VIRTIO_STATUS_BROKEN);
}

static void write_feature(struct gpu *gpu, uint32_t value)
{
    uint32_t shift = 32 * gpu->feature_select[1];

    if (shift < 64 && !(gpu->status & VIRTIO_STATUS_AGREED)) {
        gpu->driver_features &= ~(UINT64_C(0xFFFFFFFF) << shift);
        gpu->driver_features |= (uint64_t)value << shift;
        gpu->driver_features &= gpu->masks ? gpu_features(gpu) : UINT64_MAX;
    }
}

static uint16_t vector_of(uint32_t value)
{
    return value < GPU_MESSAGES ? (uint16_t)value : VIRTIO_NO_VECTOR;
}

/* A queue's words may change until it is enabled. */
static void write_queue(struct gpu *gpu, uint64_t offset, uint32_t value)
{
    struct gpu_queue *queue = &gpu->queues[gpu->queue_select];

    if (gpu->queue_select >= GPU_QUEUES) {
        return;
    }
    if (offset == AT(queue_vector)) {
        queue->vector = vector_of(value);
    } else if (queue->enable) {
        gpu_say(gpu, "virtio-gpu: queue %u is enabled and cannot be changed", gpu->queue_select);
    } else if (offset == AT(queue_size)) {
        if (value && value <= GPU_QUEUE_SIZE_MAX && !(value & (value - 1))) {
            queue->size = (uint16_t)value;
        }
    } else if (offset == AT(queue_enable)) {
        queue->enable = value == 1;
    } else if (offset >= AT(queue_desc) && offset < AT(queue_driver)) {
        queue->descriptors[(offset - AT(queue_desc)) / 4] = value;
    } else if (offset >= AT(queue_driver) && offset < AT(queue_device)) {
        queue->driver[(offset - AT(queue_driver)) / 4] = value;
    } else if (offset >= AT(queue_device)) {
        queue->device[(offset - AT(queue_device)) / 4] = value;
    }
}

static void write_common(struct gpu *gpu, uint64_t offset, uint32_t value)
{
    switch (offset) {
    case AT(device_feature_select):
        gpu->feature_select[0] = value;
        break;
    case AT(driver_feature_select):
        gpu->feature_select[1] = value;
        break;
    case AT(driver_feature):
        write_feature(gpu, value);
        break;
    case AT(config_vector):
        gpu->config_vector = vector_of(value);
        break;
    case AT(device_status):
        write_status(gpu, (uint8_t)value);
        break;
    case AT(queue_select):
        gpu->queue_select = (uint16_t)value;
        break;
    default:
        if (offset >= AT(queue_size)) {
            write_queue(gpu, offset, value);
        }
    }
}

/* The width of the register that begins there. */
static unsigned width_at(uint64_t offset)
{
    return offset == AT(device_status) || offset == AT(config_generation) ? 1
           : offset >= AT(queue_desc) || offset < AT(config_vector)       ? 4
                                                                          : 2;
}

static uint64_t read_bytes(const void *from, size_t bytes, uint64_t offset, unsigned size)
{
    uint64_t value = UINT64_MAX;

    if (size <= bytes && offset <= bytes - size) {
        value = 0;
        memcpy(&value, (const uint8_t *)from + offset, size);
    }
    return value;
}

static uint64_t read_isr(struct gpu *gpu)
{
    uint8_t reasons = gpu->isr;

    if (reasons) {
        gpu->isr = 0;
        gpu->bus->operations->interrupt_set(gpu->bus, 0, false);
    }
    return reasons;
}

static uint64_t mmio_read(struct device *device, unsigned bar, uint64_t offset, unsigned size)
{
    struct gpu *gpu = (struct gpu *)device;
    const struct virtio_gpu_config config = {gpu->events, 0, gpu->output_count, 0};
    struct virtio_pci_common common;

    if (bar != gpu->register_bar) {
        return UINT64_MAX;
    }
    if (offset < ISR_AT) {
        fill_common(gpu, &common);
        return read_bytes(&common, sizeof common, offset, size);
    }
    if (offset == ISR_AT) {
        return read_isr(gpu);
    }
    return offset < DEVICE_AT ? 0 : read_bytes(&config, sizeof config, offset - DEVICE_AT, size);
}

static void mmio_write(struct device *device, unsigned bar, uint64_t offset, unsigned size,
                       uint64_t value)
{
    struct gpu *gpu = (struct gpu *)device;

    if (bar != gpu->register_bar) {
        return;
    }
    if (offset < sizeof(struct virtio_pci_common)) {
        if (size == 8 && offset >= AT(queue_desc) && offset % 8 == 0) {
            write_common(gpu, offset, (uint32_t)value);
            write_common(gpu, offset + 4, (uint32_t)(value >> 32));
        } else if (size == width_at(offset) && offset % size == 0) {
            write_common(gpu, offset, (uint32_t)value);
        } else {
            gpu_say(gpu, "virtio-gpu: a write of %u bytes to register 0x%llX, which has %u", size,
                    (unsigned long long)offset, width_at(offset));
        }
    } else if (offset == DEVICE_AT + offsetof(struct virtio_gpu_config, events_clear)) {
        gpu->events &= ~(uint32_t)value;
    } else if (offset >= DOORBELLS_AT) {
        queue_notify(gpu, (unsigned)(offset - DOORBELLS_AT) / DOORBELL_BYTES);
    }
}

/* ---- The life of a device ---------------------------------------------------------------- */

static void tick(struct device *device, uint64_t cookie)
{
    struct gpu *gpu = (struct gpu *)device;

    if (cookie >> 8 == gpu->life) {
        queue_tick(gpu, cookie & 0xFF);
    }
}

static void reset(struct device *device)
{
    struct gpu *gpu = (struct gpu *)device;

    gpu->isr = 0;
    virtio_reset(gpu);
    gpu->lit = false;
}

static void destroy(struct device *device)
{
    struct gpu *gpu = (struct gpu *)device;

    screens_reset(gpu);
    resources_reset(gpu);
    free(gpu);
}

static const struct device_operations operations = {
    sizeof operations,
    mmio_read,
    mmio_write,
    .tick = tick,
    .reset = reset,
    .destroy = destroy,
    .scanout = screen_scanout,
    .set_monitor = screen_set_monitor,
    .light_up = screen_light_up,
    .exchange_monitor = screen_exchange_monitor,
};

/* Where one structure lies, as a vendor capability. */
static void put_word(uint8_t to[4], uint32_t value)
{
    memcpy(to, &value, 4);
}

static struct virtio_pci_capability structure(unsigned type, unsigned bar, uint32_t offset,
                                              uint32_t bytes)
{
    struct virtio_pci_capability capability = {
        .length = type == VIRTIO_PCI_NOTIFY ? 20 : 16, .type = (uint8_t)type, .bar = (uint8_t)bar};

    put_word(capability.offset, offset);
    put_word(capability.bytes, bytes);
    put_word(capability.multiplier, DOORBELL_BYTES);
    return capability;
}

static bool describe(struct gpu *gpu)
{
    const unsigned bar = gpu->register_bar, table_bar = gpu->vga ? 4 : 1;
    const struct virtio_pci_capability structures[] = {
        structure(VIRTIO_PCI_COMMON, bar, COMMON_AT, sizeof(struct virtio_pci_common)),
        structure(VIRTIO_PCI_ISR, bar, ISR_AT, 1),
        structure(VIRTIO_PCI_DEVICE, bar, DEVICE_AT, sizeof(struct virtio_gpu_config)),
        structure(VIRTIO_PCI_NOTIFY, bar, DOORBELLS_AT, GPU_QUEUES * DOORBELL_BYTES),
    };
    struct device_capability capabilities[6] = {
        [4] = {.id = DEVICE_CAPABILITY_MSIX,
               .message_count = GPU_MESSAGES,
               .bar = (uint8_t)table_bar,
               .table_offset = 0,
               .pending_offset = 0x800},
        [5] = {.id = DEVICE_CAPABILITY_POWER},
    };
    struct device_description description = {
        .size_bytes = sizeof description,
        .vendor_id = VIRTIO_PCI_VENDOR_ID,
        .device_id = VIRTIO_PCI_DEVICE_ID,
        .subsystem_vendor_id = VIRTIO_PCI_VENDOR_ID,
        .subsystem_id = 0x1100,
        .revision_id = 1,
        .class_code = 0x03,
        .subclass = gpu->vga ? 0x00 : 0x80,
        .capabilities = capabilities,
        .capability_count = 6,
    };

    for (unsigned i = 0; i < 4; i++) {
        capabilities[i] = (struct device_capability){.id = DEVICE_CAPABILITY_VENDOR,
                                                     .size = structures[i].length - 2,
                                                     .bytes = &structures[i].length};
    }
    if (gpu->vga) {
        description.bars[0] = (struct device_bar){DEVICE_BAR_MEMORY, VGA_BYTES, true, false};
    }
    description.bars[table_bar] = (struct device_bar){DEVICE_BAR_REGISTERS, PAGE, false, false};
    description.bars[bar] = (struct device_bar){DEVICE_BAR_REGISTERS, 4 * PAGE, true, true};
    return gpu->bus->operations->describe(gpu->bus, &description);
}

static struct device *create(struct device_bus *bus, const struct drydock_value *values)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);

    if (!gpu) {
        return NULL;
    }
    gpu->device.operations = &operations;
    gpu->bus = bus;
    gpu->vga = values[OPTION_VGA].number;
    gpu->register_bar = gpu->vga ? 2 : 4;
    gpu->output_count = (unsigned)values[OPTION_OUTPUTS].number;
    gpu->width = (unsigned)values[OPTION_WIDTH].number & ~7u;
    gpu->height = (unsigned)values[OPTION_HEIGHT].number;
    gpu->memory_mb = (unsigned)values[OPTION_MEMORY].number;
    gpu->delay_ns = values[OPTION_DELAY].number * 1000;
    gpu->has_edid = values[OPTION_EDID].number;
    gpu->virgl = values[OPTION_VIRGL].number;
    gpu->masks = values[OPTION_MASKS].number;
    for (unsigned i = 0; i < gpu->output_count; i++) {
        gpu->outputs[i].connected = true;
    }
    if (!describe(gpu)) {
        free(gpu);
        return NULL;
    }
    reset(&gpu->device);
    return &gpu->device;
}

DRYDOCK_DEVICE_EXPORT const struct device_model drydock_device = {
    DRYDOCK_DEVICE_ABI,
    sizeof(struct device_model),
    "virtio-gpu",
    "the 2D graphics device of virtual machines",
    options,
    create,
};
