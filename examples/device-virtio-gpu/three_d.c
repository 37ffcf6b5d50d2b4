/* As much of the 3D part as pictures need: resources of a context, moves both ways between them and
 * the driver's memory, and of the commands of a context those that copy. A driver that draws its
 * presents by such copies shows them; what shaders would draw is left out. */
#include <string.h>

#include "virtio_gpu.h"

#define SIMPLE_TEXTURE 2u /* of what a resource can be: pixels in two directions */

/* Contexts have no state here. */
uint32_t three_d_context(struct gpu *gpu, const void *body)
{
    (void)body;
    return gpu->virgl ? VIRTIO_GPU_OK_NODATA : VIRTIO_GPU_ERR_UNSPECIFIED;
}

uint32_t three_d_create(struct gpu *gpu, const void *body)
{
    const struct virtio_gpu_create_3d *create = body;
    const struct virtio_gpu_create_2d flat = {create->resource_id, create->format, create->width,
                                              create->height};

    if (!gpu->virgl) {
        return VIRTIO_GPU_ERR_UNSPECIFIED;
    }
    if (create->target != SIMPLE_TEXTURE || create->depth != 1 || create->last_level != 0) {
        return VIRTIO_GPU_ERR_PARAMETER;
    }
    return resource_create(gpu, &flat);
}

/* ---- Moves ------------------------------------------------------------------------------- */

/* The offset is that of the box's first pixel; without a stride rows are those of the resource. */
static uint32_t move(struct gpu *gpu, const struct virtio_gpu_transfer_3d *box, bool to_host)
{
    const struct virtio_gpu_rectangle r = {box->x, box->y, box->width, box->height};
    struct gpu_resource *resource = resource_find(gpu, box->resource_id);
    uint64_t stride;

    if (!gpu->virgl) {
        return VIRTIO_GPU_ERR_UNSPECIFIED;
    }
    if (!resource || !resource->pieces) {
        return VIRTIO_GPU_ERR_RESOURCE;
    }
    if (!gpu_is_inside(&r, resource->width, resource->height) || box->level != 0) {
        return VIRTIO_GPU_ERR_PARAMETER;
    }
    stride = box->stride ? box->stride : (uint64_t)resource->width * 4;
    for (uint32_t row = 0; row < r.height; row++) {
        uint32_t *pixels = resource->pixels + ((size_t)r.y + row) * resource->width + r.x;
        uint64_t from = row * stride;
        if (box->offset > UINT64_MAX - from ||
            !backing_move(gpu, resource, box->offset + from,
                          (struct gpu_move){pixels, r.width * 4, to_host})) {
            return VIRTIO_GPU_ERR_UNSPECIFIED;
        }
    }
    return VIRTIO_GPU_OK_NODATA;
}

uint32_t three_d_to_host(struct gpu *gpu, const void *body)
{
    return move(gpu, body, true);
}

uint32_t three_d_from_host(struct gpu *gpu, const void *body)
{
    return move(gpu, body, false);
}

/* ---- Commands ---------------------------------------------------------------------------- */

static uint32_t copy_region(struct gpu *gpu, const struct virgl_copy_region *copy)
{
    const struct virtio_gpu_rectangle to_r = {copy->to_x, copy->to_y, copy->width, copy->height};
    const struct virtio_gpu_rectangle from_r = {copy->x, copy->y, copy->width, copy->height};
    struct gpu_resource *to = resource_find(gpu, copy->to), *from = resource_find(gpu, copy->from);

    if (!to || !from) {
        return VIRTIO_GPU_ERR_RESOURCE;
    }
    if (!gpu_is_inside(&to_r, to->width, to->height) ||
        !gpu_is_inside(&from_r, from->width, from->height)) {
        return VIRTIO_GPU_ERR_PARAMETER;
    }
    bool upwards = copy->to_y > copy->y; /* as if all were read before any is written */
    for (uint32_t i = 0; i < copy->height; i++) {
        uint32_t row = upwards ? copy->height - 1 - i : i;
        memmove(to->pixels + ((size_t)copy->to_y + row) * to->width + copy->to_x,
                from->pixels + ((size_t)copy->y + row) * from->width + copy->x, copy->width * 4u);
    }
    return VIRTIO_GPU_OK_NODATA;
}

uint32_t three_d_submit(struct gpu *gpu, const void *body)
{
    const struct virtio_gpu_submit_3d *submit = body;
    uint32_t at = sizeof(struct virtio_gpu_header) + sizeof *submit, left = submit->size / 4;
    uint32_t word, status = VIRTIO_GPU_OK_NODATA;
    struct virgl_copy_region copy;

    if (!gpu->virgl) {
        return VIRTIO_GPU_ERR_UNSPECIFIED;
    }
    while (left > 0 && status == VIRTIO_GPU_OK_NODATA) {
        if (!chain_read(gpu, at, &word, sizeof word) || VIRGL_LENGTH(word) >= left) {
            return VIRTIO_GPU_ERR_PARAMETER;
        }
        if (VIRGL_COMMAND(word) == VIRGL_RESOURCE_COPY_REGION) {
            status = VIRGL_LENGTH(word) == sizeof copy / 4 &&
                             chain_read(gpu, at + 4, &copy, sizeof copy)
                         ? copy_region(gpu, &copy)
                         : VIRTIO_GPU_ERR_PARAMETER;
        }
        at += 4 + 4 * VIRGL_LENGTH(word);
        left -= 1 + VIRGL_LENGTH(word);
    }
    return status;
}
