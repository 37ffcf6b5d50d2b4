/* The inside of the virtio-gpu model: who has what.
 *
 *      virtio_gpu.c   PCI: the description, registers, interrupts, the life of the device
 *      queue.c        split virtqueues: chains of descriptors in, used entries out
 *      commands.c     2D resources and their commands
 *      three_d.c      contexts, their resources, moves and copies
 *      screen.c       scan-outs, the cursor, monitors */
#ifndef VIRTIO_GPU_H
#define VIRTIO_GPU_H

#include <drydock/device.h>

#include "virtio_gpu_regs.h"

#define GPU_QUEUES         2u /* 0: control, 1: cursor */
#define GPU_MESSAGES       3u
#define GPU_QUEUE_SIZE_MAX 64u
#define GPU_SEGMENTS_MAX   256u   /* of a chain */
#define GPU_PIECES_MAX     16384u /* of a resource's backing */
#define GPU_SIDE_MAX       16384u
#define GPU_RESOURCES_MAX  1024u

struct gpu_queue {
    uint16_t size, vector, enable;
    uint32_t descriptors[2], driver[2], device[2];
    uint16_t seen, used; /* free-running indices of both rings */
    bool at_work;        /* a tick is asked for */
};

/* A request of the driver's: what it consists of, and how far it is read and answered. */
struct gpu_segment {
    uint64_t address;
    uint32_t length;
};
struct gpu_chain {
    uint16_t head;
    unsigned readable_count, writable_count;
    struct gpu_segment readable[GPU_SEGMENTS_MAX], writable[GPU_SEGMENTS_MAX];
};

struct gpu_resource {
    struct gpu_resource *next;
    uint32_t id, format, width, height;
    uint32_t *pixels; /* the device's copy; in the resource's own format */
    struct virtio_gpu_piece *pieces;
    uint32_t piece_count;
};

struct gpu_output {
    bool connected;
    unsigned monitor; /* the how manieth it is */
    uint32_t resource_id;
    struct virtio_gpu_rectangle source;
    uint32_t *screen; /* what was flushed: 32-bit BGRX, source.width by source.height */
    uint32_t *frame;  /* the same with the cursor in it */
    bool has_cursor;
    uint32_t cursor_x, cursor_y;
    uint32_t cursor[VIRTIO_GPU_CURSOR_SIZE * VIRTIO_GPU_CURSOR_SIZE]; /* BGRA */
};

struct gpu {
    struct device device; /* first: the computer's pointer is ours */
    struct device_bus *bus;

    /* What it is. */
    unsigned output_count, width, height, memory_mb;
    bool vga, has_edid, virgl, masks;
    uint64_t delay_ns;
    unsigned register_bar;

    /* What the driver made of it. */
    uint64_t driver_features;
    uint32_t feature_select[2]; /* of the device's, of the driver's */
    uint16_t config_vector, queue_select;
    uint8_t status, generation, isr;
    uint32_t events;
    uint32_t life; /* counts resets: ticks of an earlier one are late */
    struct gpu_queue queues[GPU_QUEUES];
    struct gpu_chain chain; /* that is being worked on */

    struct gpu_resource *resources;
    uint32_t resource_count;
    uint64_t resource_bytes;
    struct gpu_output outputs[VIRTIO_GPU_SCANOUTS];
    bool lit, taken; /* firmware shows a picture; a driver has set a scan-out */
    unsigned lit_width, lit_height, lit_stride;
};

/* virtio_gpu.c */
uint64_t gpu_features(const struct gpu *gpu);
void gpu_interrupt(struct gpu *gpu, uint16_t vector, uint8_t reason);
/* The driver wrote what cannot be: nothing goes on until it resets the device. */
void gpu_break(struct gpu *gpu, const char *why);
void gpu_say(struct gpu *gpu, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* queue.c */
void queue_reset(struct gpu_queue *queue);
void queue_notify(struct gpu *gpu, unsigned index);
void queue_tick(struct gpu *gpu, unsigned index);
/* Bytes of the chain from `offset` on; false: it has not as many, or no memory is there. */
bool chain_read(struct gpu *gpu, uint32_t offset, void *bytes, uint32_t size);
/* Writes as much as the driver left room for: how much. */
uint32_t chain_write(struct gpu *gpu, uint32_t offset, const void *bytes, uint32_t size);

/* commands.c */
uint32_t command_run(struct gpu *gpu); /* carries the chain out: bytes that were written to it */
struct gpu_resource *resource_find(struct gpu *gpu, uint32_t id);
uint32_t resource_create(struct gpu *gpu, const struct virtio_gpu_create_2d *create);
/* Bytes between the resource's backing, from `offset` on, and a row of pixels. */
struct gpu_move {
    void *bytes;
    uint32_t size;
    bool to_host;
};
bool backing_move(struct gpu *gpu, const struct gpu_resource *resource, uint64_t offset,
                  struct gpu_move row);
void resources_reset(struct gpu *gpu);

/* three_d.c: bodies of commands. */
uint32_t three_d_context(struct gpu *gpu, const void *body);
uint32_t three_d_create(struct gpu *gpu, const void *body);
uint32_t three_d_to_host(struct gpu *gpu, const void *body);
uint32_t three_d_from_host(struct gpu *gpu, const void *body);
uint32_t three_d_submit(struct gpu *gpu, const void *body);

/* screen.c */
uint32_t screen_set(struct gpu *gpu, const struct virtio_gpu_set_scanout *set);
void screen_flush(struct gpu *gpu, const struct gpu_resource *resource,
                  const struct virtio_gpu_rectangle *r);
void screen_forget(struct gpu *gpu, uint32_t resource_id);
void screen_cursor(struct gpu *gpu, const struct virtio_gpu_cursor *cursor, bool update);
void screen_edid(const struct gpu *gpu, unsigned output, uint8_t edid[128]);
void screens_reset(struct gpu *gpu);
bool screen_scanout(struct device *device, unsigned output, const void **pixels, unsigned *width,
                    unsigned *height, unsigned *stride_bytes);
bool screen_light_up(struct device *device, struct device_firmware_picture *picture);
bool screen_set_monitor(struct device *device, unsigned output, bool connected);
bool screen_exchange_monitor(struct device *device, unsigned output);

/* Whether the rectangle lies in width by height. */
static inline bool gpu_is_inside(const struct virtio_gpu_rectangle *r, uint32_t width,
                                 uint32_t height)
{
    return r->width <= width && r->x <= width - r->width && r->height <= height &&
           r->y <= height - r->height;
}

#endif
