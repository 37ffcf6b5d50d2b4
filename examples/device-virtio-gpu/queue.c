/* Split virtqueues: the driver puts chains of descriptors into its ring and rings; each chain takes
 * its time, is carried out, and is told in the device's ring.
 *
 *      notify ── delay ──> tick: one chain ── command_run ──> used entry, interrupt ──> the next */
#include <string.h>

#include "virtio_gpu.h"

static uint64_t address_of(const uint32_t words[2])
{
    return words[0] | (uint64_t)words[1] << 32;
}

void queue_reset(struct gpu_queue *queue)
{
    memset(queue, 0, sizeof *queue);
    queue->size = GPU_QUEUE_SIZE_MAX;
    queue->vector = VIRTIO_NO_VECTOR;
}

/* ---- Chains ------------------------------------------------------------------------------ */

/* A table of descriptors: the queue's own, or an indirect one. */
struct table {
    uint64_t address;
    uint32_t count;
    bool indirect;
};

static bool add_segment(struct gpu *gpu, const struct virtq_descriptor *descriptor)
{
    struct gpu_chain *chain = &gpu->chain;
    bool write = descriptor->flags & VIRTQ_WRITE;
    unsigned *count = write ? &chain->writable_count : &chain->readable_count;
    struct gpu_segment *segments = write ? chain->writable : chain->readable;

    if (*count == GPU_SEGMENTS_MAX) {
        gpu_break(gpu, "a chain has more than 256 parts");
        return false;
    }
    if (!write && chain->writable_count) {
        gpu_break(gpu, "a chain has a part to read behind one to write");
        return false;
    }
    segments[(*count)++] = (struct gpu_segment){descriptor->address, descriptor->length};
    return true;
}

static bool read_table(struct gpu *gpu, struct table table, uint32_t at)
{
    struct virtq_descriptor descriptor;

    for (uint32_t steps = 0; steps < table.count; steps++) {
        if (at >= table.count) {
            gpu_break(gpu, "a descriptor's number is beyond its table");
            return false;
        }
        if (!gpu->bus->operations->dma_read(gpu->bus, table.address + at * sizeof descriptor,
                                            &descriptor, sizeof descriptor)) {
            gpu_break(gpu, "the table of descriptors is not in memory");
            return false;
        }
        if (descriptor.flags & VIRTQ_INDIRECT) {
            struct table inner = {descriptor.address,
                                  descriptor.length / (uint32_t)sizeof descriptor, true};
            if (table.indirect || !(gpu->driver_features & VIRTIO_F_INDIRECT)) {
                gpu_break(gpu, "an indirect descriptor where none may be");
                return false;
            }
            return read_table(gpu, inner, 0);
        }
        if (!add_segment(gpu, &descriptor)) {
            return false;
        }
        if (!(descriptor.flags & VIRTQ_NEXT)) {
            return true;
        }
        at = descriptor.next;
    }
    gpu_break(gpu, "a chain of descriptors has no end");
    return false;
}

/* Goes on in the segments from `offset` on: how much of `size` was moved. */
static uint32_t move(struct gpu *gpu, bool write, uint32_t offset, void *bytes, uint32_t size)
{
    const struct device_bus_operations *bus = gpu->bus->operations;
    const struct gpu_chain *chain = &gpu->chain;
    unsigned count = write ? chain->writable_count : chain->readable_count;
    uint32_t done = 0;

    for (unsigned i = 0; i < count && done < size; i++) {
        struct gpu_segment segment = write ? chain->writable[i] : chain->readable[i];
        if (offset >= segment.length) {
            offset -= segment.length;
            continue;
        }
        uint32_t part =
            segment.length - offset < size - done ? segment.length - offset : size - done;
        uint64_t from = segment.address + offset;
        if (!(write ? bus->dma_write(gpu->bus, from, (uint8_t *)bytes + done, part)
                    : bus->dma_read(gpu->bus, from, (uint8_t *)bytes + done, part))) {
            break;
        }
        done += part;
        offset = 0;
    }
    return done;
}

bool chain_read(struct gpu *gpu, uint32_t offset, void *bytes, uint32_t size)
{
    return move(gpu, false, offset, bytes, size) == size;
}

uint32_t chain_write(struct gpu *gpu, uint32_t offset, const void *bytes, uint32_t size)
{
    return move(gpu, true, offset, (void *)(uintptr_t)bytes, size);
}

/* ---- Rings ------------------------------------------------------------------------------- */

static bool read_word(struct gpu *gpu, uint64_t address, uint16_t *word)
{
    return gpu->bus->operations->dma_read(gpu->bus, address, word, sizeof *word);
}

/* The index up to which the driver has filled its ring. */
static bool read_available(struct gpu *gpu, const struct gpu_queue *queue, uint16_t *index)
{
    if (!read_word(gpu, address_of(queue->driver) + VIRTQ_INDEX, index)) {
        gpu_break(gpu, "the driver's ring is not in memory");
        return false;
    }
    if ((uint16_t)(*index - queue->seen) > queue->size) {
        gpu_break(gpu, "the index of the driver's ring went further than the ring is large");
        return false;
    }
    return true;
}

static bool wants_interrupt(struct gpu *gpu, const struct gpu_queue *queue)
{
    uint64_t driver = address_of(queue->driver);
    uint16_t word = 0;

    if (gpu->driver_features & VIRTIO_F_EVENT_INDEX) {
        return read_word(gpu, driver + VIRTQ_USED_EVENT(queue->size), &word) &&
               word == (uint16_t)(queue->used - 1); /* entries come one by one */
    }
    return read_word(gpu, driver, &word) && !(word & VIRTQ_NO_INTERRUPT);
}

/* Every new entry is of interest, also one that comes while an earlier one is worked on. */
static void ask_for_notice(struct gpu *gpu, const struct gpu_queue *queue)
{
    if (gpu->driver_features & VIRTIO_F_EVENT_INDEX) {
        gpu->bus->operations->dma_write(
            gpu->bus, address_of(queue->device) + VIRTQ_AVAIL_EVENT(queue->size), &queue->seen, 2);
    }
}

static void tell(struct gpu *gpu, struct gpu_queue *queue, uint32_t written)
{
    const struct device_bus_operations *bus = gpu->bus->operations;
    struct virtq_used entry = {gpu->chain.head, written};
    uint64_t ring = address_of(queue->device);

    if (!bus->dma_write(gpu->bus, ring + VIRTQ_RING + (queue->used % queue->size) * sizeof entry,
                        &entry, sizeof entry)) {
        gpu_break(gpu, "the device's ring is not in memory");
        return;
    }
    queue->used++;
    bus->dma_write(gpu->bus, ring + VIRTQ_INDEX, &queue->used, sizeof queue->used);
    if (wants_interrupt(gpu, queue)) {
        gpu_interrupt(gpu, queue->vector, VIRTIO_ISR_QUEUE);
    }
}

static bool may_work(const struct gpu *gpu, const struct gpu_queue *queue)
{
    return queue->enable && (gpu->status & VIRTIO_STATUS_READY) &&
           !(gpu->status & VIRTIO_STATUS_BROKEN);
}

/* Asks for a tick if there is work and none is outstanding. */
static void go_on(struct gpu *gpu, unsigned index)
{
    const struct device_bus_operations *bus = gpu->bus->operations;
    struct gpu_queue *queue = &gpu->queues[index];
    uint16_t available;

    if (queue->at_work || !may_work(gpu, queue) || !read_available(gpu, queue, &available)) {
        return;
    }
    ask_for_notice(gpu, queue);
    if (available != queue->seen) {
        queue->at_work = true;
        bus->trace(gpu->bus, true, index, queue->seen);
        bus->call_at(gpu->bus, bus->now_ns(gpu->bus) + gpu->delay_ns,
                     (uint64_t)gpu->life << 8 | index);
    }
}

void queue_notify(struct gpu *gpu, unsigned index)
{
    if (index < GPU_QUEUES) {
        go_on(gpu, index);
    }
}

void queue_tick(struct gpu *gpu, unsigned index)
{
    struct gpu_queue *queue = &gpu->queues[index];
    struct gpu_chain *chain = &gpu->chain;
    struct table table = {address_of(queue->descriptors), queue->size, false};

    queue->at_work = false;
    gpu->bus->operations->trace(gpu->bus, false, index, queue->seen);
    if (!may_work(gpu, queue)) {
        return;
    }
    chain->readable_count = chain->writable_count = 0;
    if (!read_word(gpu, address_of(queue->driver) + VIRTQ_RING + 2u * (queue->seen % queue->size),
                   &chain->head)) {
        gpu_break(gpu, "the driver's ring is not in memory");
        return;
    }
    queue->seen++;
    if (read_table(gpu, table, chain->head)) {
        tell(gpu, queue, command_run(gpu));
        go_on(gpu, index);
    }
}
