/* Allocations and command buffers of the software GPU; see softgpu_client.h. */
#include "softgpu_client.h"

#include <string.h>

#define BUFFERS_MAX 256

unsigned softgpu_copy_node(const struct drydock_workload_host *host)
{
    return gpu_node_count(host) > NODE_COPY ? NODE_COPY : NODE_3D;
}

/* ---- Allocations --------------------------------------------------------------------------- */

/* The CPU writes as much as was asked for: the driver must have made as much. */
static bool is_large_enough(struct gpu *gpu, const struct surface *surface)
{
    struct drydock_allocation_size query = {.hDevice = gpu->device,
                                            .hAllocation = surface->allocation};

    if (!gpu_check(gpu, drydock_query_allocation_size(&query), "drydock_query_allocation_size")) {
        return false;
    }
    if (query.size_bytes < surface->size_bytes) {
        gpu->host->fail(gpu->host,
                        "the driver was asked for an allocation of %llu bytes; the Size that it "
                        "answered gives %llu",
                        (unsigned long long)surface->size_bytes,
                        (unsigned long long)query.size_bytes);
        return false;
    }
    return true;
}

static bool create(struct gpu *gpu, struct softgpu_umd_allocation *infos, struct surface *out,
                   unsigned count)
{
    D3DDDI_ALLOCATIONINFO allocations[BUFFERS_MAX] = {0};
    D3DKMT_CREATEALLOCATION arguments = {
        .hDevice = gpu->device,
        .NumAllocations = count,
        .pAllocationInfo = allocations,
    };
    bool large = true;

    for (unsigned i = 0; i < count; i++) {
        allocations[i].pPrivateDriverData = &infos[i];
        allocations[i].PrivateDriverDataSize = sizeof infos[i];
        allocations[i].Flags.Primary = (infos[i].flags & SOFTGPU_UMD_PRIMARY) != 0;
        allocations[i].Flags.Stereo = (infos[i].flags & SOFTGPU_UMD_STEREO) != 0;
    }
    if (!gpu_check(gpu, D3DKMTCreateAllocation(&arguments), "D3DKMTCreateAllocation")) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        out[i] = (struct surface){
            .allocation = allocations[i].hAllocation,
            .width = infos[i].width,
            .height = infos[i].height,
            .pitch = infos[i].pitch_bytes, /* the driver's choice came back */
            .size_bytes = infos[i].size_bytes,
        };
        large = large && is_large_enough(gpu, &out[i]);
    }
    return large;
}

static struct softgpu_umd_allocation plain(unsigned size_bytes, unsigned flags)
{
    return (struct softgpu_umd_allocation){
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
        .version = SOFTGPU_UMD_VERSION,
        .flags = SOFTGPU_UMD_CPU_VISIBLE | flags,
        .size_bytes = size_bytes,
    };
}

bool softgpu_buffer(struct gpu *gpu, unsigned size_bytes, unsigned flags, struct surface *out)
{
    return softgpu_buffers(gpu, size_bytes, flags, out, 1);
}

bool softgpu_buffers(struct gpu *gpu, unsigned size_bytes, unsigned flags, struct surface *out,
                     unsigned count)
{
    struct softgpu_umd_allocation infos[BUFFERS_MAX];

    memset(out, 0, count * sizeof *out);
    for (unsigned i = 0; i < count && i < BUFFERS_MAX; i++) {
        infos[i] = plain(size_bytes, flags);
    }
    return count <= BUFFERS_MAX && create(gpu, infos, out, count);
}

bool softgpu_picture(struct gpu *gpu, unsigned width, unsigned height, unsigned format,
                     struct surface *out)
{
    struct softgpu_umd_allocation info = plain(0, 0);

    *out = (struct surface){0};
    info.width = width;
    info.height = height;
    info.format = format;
    return create(gpu, &info, out, 1);
}

static bool make_primary(struct gpu *gpu, const D3DKMT_DISPLAYMODE *mode, unsigned pitch_bytes,
                         unsigned flags, struct surface *out)
{
    struct softgpu_umd_allocation info = plain(0, SOFTGPU_UMD_PRIMARY | flags);

    *out = (struct surface){0};
    info.width = mode->Width;
    info.height = mode->Height;
    info.format = mode->Format == D3DDDIFMT_X8R8G8B8 ? SOFTGPU_FORMAT_BGRX8 : SOFTGPU_FORMAT_BGRA8;
    info.pitch_bytes = pitch_bytes;
    info.refresh_numerator = mode->RefreshRate.Numerator;
    info.refresh_denominator = mode->RefreshRate.Denominator;
    return create(gpu, &info, out, 1);
}

bool softgpu_primary(struct gpu *gpu, const D3DKMT_DISPLAYMODE *mode, unsigned pitch_bytes,
                     struct surface *out)
{
    return make_primary(gpu, mode, pitch_bytes, 0, out);
}

bool softgpu_stereo_primary(struct gpu *gpu, const D3DKMT_DISPLAYMODE *mode, struct surface *out)
{
    return make_primary(gpu, mode, 0, SOFTGPU_UMD_STEREO, out);
}

unsigned softgpu_right_image(const struct surface *primary)
{
    return softgpu_umd_right_offset(&(struct softgpu_umd_allocation){
        .flags = SOFTGPU_UMD_STEREO, .pitch_bytes = primary->pitch, .height = primary->height});
}

/* ---- Command buffers ----------------------------------------------------------------------- */

void commands_begin(struct commands *commands, struct gpu *gpu)
{
    *commands = (struct commands){.gpu = gpu};
}

bool commands_end(struct commands *commands)
{
    if (!commands->failed && commands->used_bytes > 0) {
        commands->failed =
            !gpu_render(commands->gpu, commands->used_bytes, commands->allocation_count);
    }
    commands->used_bytes = commands->allocation_count = 0;
    return !commands->failed;
}

void *commands_add(struct commands *commands, unsigned opcode, unsigned size_bytes, unsigned uses)
{
    struct gpu *gpu = commands->gpu;

    if ((commands->used_bytes + size_bytes > gpu->command_bytes ||
         commands->allocation_count + uses > gpu->allocation_count) &&
        !commands_end(commands)) {
        return NULL;
    }
    if (commands->failed || size_bytes > gpu->command_bytes || uses > gpu->allocation_count) {
        commands->failed = true;
        return NULL;
    }
    uint32_t *words = (uint32_t *)(void *)(gpu->commands + commands->used_bytes);
    memset(words, 0, size_bytes);
    words[0] = SOFTGPU_COMMAND(opcode, size_bytes / 4);
    commands->used_bytes += size_bytes;
    return words;
}

struct softgpu_address commands_address(struct commands *commands, const struct surface *surface,
                                        unsigned offset, bool write)
{
    D3DDDI_ALLOCATIONLIST *list = commands->gpu->allocations;
    unsigned index = 0;

    while (index < commands->allocation_count && list[index].hAllocation != surface->allocation) {
        index++;
    }
    if (index == commands->allocation_count) {
        list[index] = (D3DDDI_ALLOCATIONLIST){.hAllocation = surface->allocation};
        commands->allocation_count++;
    }
    list[index].WriteOperation |= write;
    return (struct softgpu_address){.low = offset, .high = index};
}

struct softgpu_surface commands_surface(struct commands *commands, const struct surface *surface,
                                        unsigned format, bool write)
{
    return (struct softgpu_surface){
        .address = commands_address(commands, surface, 0, write),
        .pitch_bytes = surface->pitch,
        .format = format,
        .width = surface->width,
        .height = surface->height,
    };
}

void commands_fill(struct commands *commands, const struct surface *to, unsigned offset,
                   unsigned size_bytes, uint32_t pattern)
{
    struct softgpu_command_fill *fill = commands_add(commands, SOFTGPU_OP_FILL, sizeof *fill, 1);

    if (fill) {
        fill->pattern = pattern;
        fill->address = commands_address(commands, to, offset, true);
        fill->size_low = size_bytes;
    }
}

void commands_copy(struct commands *commands, const struct surface *to, unsigned to_offset,
                   const struct surface *from, unsigned from_offset, unsigned size_bytes)
{
    struct softgpu_command_copy *copy = commands_add(commands, SOFTGPU_OP_COPY, sizeof *copy, 2);

    if (copy) {
        copy->destination = commands_address(commands, to, to_offset, true);
        copy->source = commands_address(commands, from, from_offset, false);
        copy->size_low = size_bytes;
    }
}

void commands_compute(struct commands *commands, unsigned kernel, const struct surface *result,
                      unsigned result_offset, const struct surface *a, const struct surface *b,
                      unsigned count, uint32_t scalar)
{
    struct softgpu_command_compute *compute =
        commands_add(commands, SOFTGPU_OP_COMPUTE, sizeof *compute, 3);

    if (compute) {
        compute->kernel = kernel;
        compute->count = count;
        compute->scalar = scalar;
        compute->result = commands_address(commands, result, result_offset, true);
        if (a) {
            compute->source_a = commands_address(commands, a, 0, false);
        }
        if (b) {
            compute->source_b = commands_address(commands, b, 0, false);
        }
    }
}

void commands_delay(struct commands *commands, unsigned nanoseconds)
{
    struct softgpu_command_delay *delay =
        commands_add(commands, SOFTGPU_OP_DELAY, sizeof *delay, 0);

    if (delay) {
        delay->nanoseconds = nanoseconds;
    }
}

void commands_hang(struct commands *commands)
{
    commands_add(commands, SOFTGPU_OP_HANG, 4, 0);
}
