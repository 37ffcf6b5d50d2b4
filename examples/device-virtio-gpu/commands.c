/* What the driver asks for: 2D resources of the device's own, the driver's memory behind them, and
 * which of them a monitor shows.
 *
 *      driver's memory ──TRANSFER_TO_HOST_2D──> resource ──RESOURCE_FLUSH──> screen */
#include <stdlib.h>
#include <string.h>

#include "virtio_gpu.h"

/* ---- Resources --------------------------------------------------------------------------- */

struct gpu_resource *resource_find(struct gpu *gpu, uint32_t id)
{
    struct gpu_resource *resource = gpu->resources;

    while (resource && resource->id != id) {
        resource = resource->next;
    }
    return resource;
}

static uint64_t bytes_of(const struct gpu_resource *resource)
{
    return (uint64_t)resource->width * resource->height * 4;
}

static void resource_free(struct gpu *gpu, struct gpu_resource *resource)
{
    struct gpu_resource **link = &gpu->resources;

    while (*link != resource) {
        link = &(*link)->next;
    }
    *link = resource->next;
    gpu->resource_count--;
    gpu->resource_bytes -= bytes_of(resource);
    free(resource->pieces);
    free(resource->pixels);
    free(resource);
}

void resources_reset(struct gpu *gpu)
{
    while (gpu->resources) {
        resource_free(gpu, gpu->resources);
    }
}

static bool is_format(uint32_t format)
{
    return (format >= VIRTIO_GPU_BGRA && format <= VIRTIO_GPU_XRGB) || format == VIRTIO_GPU_RGBA ||
           format == VIRTIO_GPU_XBGR || format == VIRTIO_GPU_ABGR || format == VIRTIO_GPU_RGBX;
}

uint32_t resource_create(struct gpu *gpu, const struct virtio_gpu_create_2d *create)
{
    struct gpu_resource *resource;

    if (create->resource_id == 0 || resource_find(gpu, create->resource_id)) {
        return VIRTIO_GPU_ERR_RESOURCE;
    }
    if (!is_format(create->format) || create->width == 0 || create->width > GPU_SIDE_MAX ||
        create->height == 0 || create->height > GPU_SIDE_MAX) {
        return VIRTIO_GPU_ERR_PARAMETER;
    }
    uint64_t bytes = (uint64_t)create->width * create->height * 4;
    if (gpu->resource_count == GPU_RESOURCES_MAX ||
        bytes > ((uint64_t)gpu->memory_mb << 20) - gpu->resource_bytes) {
        return VIRTIO_GPU_ERR_MEMORY;
    }
    resource = calloc(1, sizeof *resource);
    if (!resource || !(resource->pixels = calloc(1, bytes))) {
        free(resource);
        return VIRTIO_GPU_ERR_MEMORY;
    }
    resource->id = create->resource_id;
    resource->format = create->format;
    resource->width = create->width;
    resource->height = create->height;
    resource->next = gpu->resources;
    gpu->resources = resource;
    gpu->resource_count++;
    gpu->resource_bytes += bytes;
    return VIRTIO_GPU_OK_NODATA;
}

static uint32_t create_2d(struct gpu *gpu, const void *body)
{
    return resource_create(gpu, body);
}

static uint32_t unref(struct gpu *gpu, const void *body)
{
    const struct virtio_gpu_resource *named = body;
    struct gpu_resource *resource = resource_find(gpu, named->resource_id);

    if (!resource) {
        return VIRTIO_GPU_ERR_RESOURCE;
    }
    screen_forget(gpu, resource->id);
    resource_free(gpu, resource);
    return VIRTIO_GPU_OK_NODATA;
}

/* ---- The driver's memory ----------------------------------------------------------------- */

static uint32_t attach_backing(struct gpu *gpu, const void *body)
{
    const struct virtio_gpu_attach *attach = body;
    struct gpu_resource *resource = resource_find(gpu, attach->resource_id);
    struct virtio_gpu_piece *pieces;
    uint32_t size = attach->count * (uint32_t)sizeof *pieces;

    if (!resource) {
        return VIRTIO_GPU_ERR_RESOURCE;
    }
    if (attach->count == 0 || attach->count > GPU_PIECES_MAX || resource->pieces) {
        return VIRTIO_GPU_ERR_UNSPECIFIED;
    }
    pieces = malloc(size);
    if (!pieces) {
        return VIRTIO_GPU_ERR_MEMORY;
    }
    if (!chain_read(gpu, sizeof(struct virtio_gpu_header) + sizeof *attach, pieces, size)) {
        free(pieces);
        return VIRTIO_GPU_ERR_UNSPECIFIED;
    }
    resource->pieces = pieces;
    resource->piece_count = attach->count;
    return VIRTIO_GPU_OK_NODATA;
}

static uint32_t detach_backing(struct gpu *gpu, const void *body)
{
    const struct virtio_gpu_resource *named = body;
    struct gpu_resource *resource = resource_find(gpu, named->resource_id);

    if (!resource || !resource->pieces) {
        return VIRTIO_GPU_ERR_RESOURCE;
    }
    free(resource->pieces);
    resource->pieces = NULL;
    resource->piece_count = 0;
    return VIRTIO_GPU_OK_NODATA;
}

bool backing_move(struct gpu *gpu, const struct gpu_resource *resource, uint64_t offset,
                  struct gpu_move row)
{
    const struct device_bus_operations *bus = gpu->bus->operations;
    uint8_t *bytes = row.bytes;

    for (uint32_t i = 0; i < resource->piece_count && row.size; i++) {
        const struct virtio_gpu_piece *piece = &resource->pieces[i];
        if (offset >= piece->length) {
            offset -= piece->length;
            continue;
        }
        uint32_t left = piece->length - (uint32_t)offset, part = left < row.size ? left : row.size;
        if (!(row.to_host ? bus->dma_read(gpu->bus, piece->address + offset, bytes, part)
                          : bus->dma_write(gpu->bus, piece->address + offset, bytes, part))) {
            return false;
        }
        bytes += part;
        row.size -= part;
        offset = 0;
    }
    return row.size == 0;
}

/* In the backing a row of the rectangle is as far from the next one as in the whole resource. */
static uint32_t transfer(struct gpu *gpu, const void *body)
{
    const struct virtio_gpu_transfer *move = body;
    const struct gpu_resource *resource = resource_find(gpu, move->resource_id);

    if (!resource || !resource->pieces) {
        return VIRTIO_GPU_ERR_RESOURCE;
    }
    if (!gpu_is_inside(&move->r, resource->width, resource->height)) {
        return VIRTIO_GPU_ERR_PARAMETER;
    }
    for (uint32_t row = 0; row < move->r.height; row++) {
        uint64_t from = (uint64_t)row * resource->width * 4;
        size_t to = ((size_t)move->r.y + row) * resource->width + move->r.x;
        if (move->offset > UINT64_MAX - from ||
            !backing_move(gpu, resource, move->offset + from,
                          (struct gpu_move){resource->pixels + to, move->r.width * 4, true})) {
            return VIRTIO_GPU_ERR_UNSPECIFIED;
        }
    }
    return VIRTIO_GPU_OK_NODATA;
}

/* ---- The screen -------------------------------------------------------------------------- */

static uint32_t set_scanout(struct gpu *gpu, const void *body)
{
    return screen_set(gpu, body);
}

static uint32_t flush(struct gpu *gpu, const void *body)
{
    const struct virtio_gpu_flush *flushed = body;
    const struct gpu_resource *resource = resource_find(gpu, flushed->resource_id);

    if (!resource) {
        return VIRTIO_GPU_ERR_RESOURCE;
    }
    if (!gpu_is_inside(&flushed->r, resource->width, resource->height)) {
        return VIRTIO_GPU_ERR_PARAMETER;
    }
    screen_flush(gpu, resource, &flushed->r);
    return VIRTIO_GPU_OK_NODATA;
}

static uint32_t update_cursor(struct gpu *gpu, const void *body)
{
    const struct virtio_gpu_cursor *cursor = body;

    if (cursor->scanout_id >= gpu->output_count) {
        return VIRTIO_GPU_ERR_SCANOUT;
    }
    if (cursor->resource_id && !resource_find(gpu, cursor->resource_id)) {
        return VIRTIO_GPU_ERR_RESOURCE;
    }
    screen_cursor(gpu, cursor, true);
    return VIRTIO_GPU_OK_NODATA;
}

static uint32_t move_cursor(struct gpu *gpu, const void *body)
{
    const struct virtio_gpu_cursor *cursor = body;

    if (cursor->scanout_id >= gpu->output_count) {
        return VIRTIO_GPU_ERR_SCANOUT;
    }
    screen_cursor(gpu, cursor, false);
    return VIRTIO_GPU_OK_NODATA;
}

/* ---- Answers ----------------------------------------------------------------------------- */

/* Both ways of an answer: the header, and what follows it. */
struct answer {
    struct virtio_gpu_header header;
    union {
        struct virtio_gpu_display_info info;
        struct virtio_gpu_edid edid;
    };
};

static uint32_t get_display_info(struct gpu *gpu, struct answer *answer, uint32_t *size)
{
    for (unsigned i = 0; i < gpu->output_count; i++) {
        answer->info.scanouts[i].r = (struct virtio_gpu_rectangle){0, 0, gpu->width, gpu->height};
        answer->info.scanouts[i].enabled = gpu->outputs[i].connected;
    }
    *size += sizeof answer->info;
    return VIRTIO_GPU_OK_DISPLAY_INFO;
}

static uint32_t get_edid(struct gpu *gpu, struct answer *answer, uint32_t *size)
{
    struct virtio_gpu_get_edid asked;

    if (!gpu->has_edid || !chain_read(gpu, sizeof answer->header, &asked, sizeof asked)) {
        return VIRTIO_GPU_ERR_UNSPECIFIED;
    }
    if (asked.scanout_id >= gpu->output_count) {
        return VIRTIO_GPU_ERR_PARAMETER;
    }
    if (gpu->outputs[asked.scanout_id].connected) {
        answer->edid.size = 128;
        screen_edid(gpu, asked.scanout_id, answer->edid.bytes);
    }
    *size += sizeof answer->edid;
    return VIRTIO_GPU_OK_EDID;
}

/* Commands that are answered by the header alone. */
static const struct {
    uint32_t type, size;
    uint32_t (*run)(struct gpu *gpu, const void *body);
} commands[] = {
    {VIRTIO_GPU_RESOURCE_CREATE_2D, sizeof(struct virtio_gpu_create_2d), create_2d},
    {VIRTIO_GPU_RESOURCE_UNREF, sizeof(struct virtio_gpu_resource), unref},
    {VIRTIO_GPU_SET_SCANOUT, sizeof(struct virtio_gpu_set_scanout), set_scanout},
    {VIRTIO_GPU_RESOURCE_FLUSH, sizeof(struct virtio_gpu_flush), flush},
    {VIRTIO_GPU_TRANSFER_TO_HOST_2D, sizeof(struct virtio_gpu_transfer), transfer},
    {VIRTIO_GPU_RESOURCE_ATTACH_BACKING, sizeof(struct virtio_gpu_attach), attach_backing},
    {VIRTIO_GPU_RESOURCE_DETACH_BACKING, sizeof(struct virtio_gpu_resource), detach_backing},
    {VIRTIO_GPU_UPDATE_CURSOR, sizeof(struct virtio_gpu_cursor), update_cursor},
    {VIRTIO_GPU_MOVE_CURSOR, sizeof(struct virtio_gpu_cursor), move_cursor},
    {VIRTIO_GPU_CTX_CREATE, 0, three_d_context},
    {VIRTIO_GPU_CTX_DESTROY, 0, three_d_context},
    {VIRTIO_GPU_CTX_ATTACH_RESOURCE, 0, three_d_context},
    {VIRTIO_GPU_CTX_DETACH_RESOURCE, 0, three_d_context},
    {VIRTIO_GPU_RESOURCE_CREATE_3D, sizeof(struct virtio_gpu_create_3d), three_d_create},
    {VIRTIO_GPU_TRANSFER_TO_HOST_3D, sizeof(struct virtio_gpu_transfer_3d), three_d_to_host},
    {VIRTIO_GPU_TRANSFER_FROM_HOST_3D, sizeof(struct virtio_gpu_transfer_3d), three_d_from_host},
    {VIRTIO_GPU_SUBMIT_3D, sizeof(struct virtio_gpu_submit_3d), three_d_submit},
};

static uint32_t run(struct gpu *gpu, uint32_t type)
{
    union {
        struct virtio_gpu_transfer transfer;
        struct virtio_gpu_cursor cursor;
        uint64_t words[8];
    } body;

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (commands[i].type == type) {
            return chain_read(gpu, sizeof(struct virtio_gpu_header), &body, commands[i].size)
                       ? commands[i].run(gpu, &body)
                       : VIRTIO_GPU_ERR_UNSPECIFIED;
        }
    }
    return VIRTIO_GPU_ERR_UNSPECIFIED;
}

uint32_t command_run(struct gpu *gpu)
{
    struct virtio_gpu_header header = {0};
    struct answer answer = {0};
    uint32_t size = sizeof answer.header, type = VIRTIO_GPU_ERR_UNSPECIFIED;

    if (chain_read(gpu, 0, &header, sizeof header)) {
        type = header.type == VIRTIO_GPU_GET_DISPLAY_INFO ? get_display_info(gpu, &answer, &size)
               : header.type == VIRTIO_GPU_GET_EDID       ? get_edid(gpu, &answer, &size)
                                                          : run(gpu, header.type);
    }
    if (type >= VIRTIO_GPU_ERR_UNSPECIFIED) {
        gpu_say(gpu, "virtio-gpu: command 0x%04X was answered by error 0x%04X", header.type, type);
    }
    answer.header.type = type;
    if (header.flags & VIRTIO_GPU_FLAG_FENCE) {
        answer.header.flags = VIRTIO_GPU_FLAG_FENCE;
        answer.header.fence_id = header.fence_id;
        answer.header.context_id = header.context_id;
    }
    return chain_write(gpu, 0, &answer, size);
}
