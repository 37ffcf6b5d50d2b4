/* softgpu_client.h: what a user-mode driver for the software GPU would do: allocations with the
 * driver's private data, and command buffers.
 *
 * Commands are the device's own (softgpu_regs.h) with an allocation's index and an offset in place
 * of each address; see softgpu_umd.h. */
#ifndef WORKLOADS_SOFTGPU_CLIENT_H
#define WORKLOADS_SOFTGPU_CLIENT_H

#include "gpu.h"

#include "../drivers/softgpu/softgpu_umd.h"

enum softgpu_node {
    NODE_3D = SOFTGPU_ENGINE_3D,
    NODE_COPY = SOFTGPU_ENGINE_COPY,
    NODE_COMPUTE = SOFTGPU_ENGINE_COMPUTE,
};

/* The copy engine, or the only one that an old driver offers. */
unsigned softgpu_copy_node(const struct drydock_workload_host *host);

/* Plain memory that the CPU can lock. flags: SOFTGPU_UMD_... besides CPU_VISIBLE. */
bool softgpu_buffer(struct gpu *gpu, unsigned size_bytes, unsigned flags, struct surface *out);
/* Several of one size, in one call: all or none. */
bool softgpu_buffers(struct gpu *gpu, unsigned size_bytes, unsigned flags, struct surface *out,
                     unsigned count);
/* A picture of 32 bits a pixel; format: SOFTGPU_FORMAT_... */
bool softgpu_picture(struct gpu *gpu, unsigned width, unsigned height, unsigned format,
                     struct surface *out);

/* A primary of the first source, of 32 bits a pixel, with rows that are so many bytes apart. */
bool softgpu_primary(struct gpu *gpu, const D3DKMT_DISPLAYMODE *mode, unsigned pitch_bytes,
                     struct surface *out);

/* The same with an image for each eye; and where that of the right one begins. */
bool softgpu_stereo_primary(struct gpu *gpu, const D3DKMT_DISPLAYMODE *mode, struct surface *out);
unsigned softgpu_right_image(const struct surface *primary);

/* A command buffer that is being written. A command that does not fit sends what is there. */
struct commands {
    struct gpu *gpu;
    unsigned used_bytes, allocation_count;
    bool failed;
};

void commands_begin(struct commands *commands, struct gpu *gpu);
bool commands_end(struct commands *commands); /* sends the rest */
/* Room for the next command, zeroed, with its header filled in. NULL after a failure. Room for
 * `uses` allocations is there, too. */
void *commands_add(struct commands *commands, unsigned opcode, unsigned size_bytes, unsigned uses);
/* How the command that was added last names a byte of an allocation. */
struct softgpu_address commands_address(struct commands *commands, const struct surface *surface,
                                        unsigned offset, bool write);
struct softgpu_surface commands_surface(struct commands *commands, const struct surface *surface,
                                        unsigned format, bool write);

void commands_fill(struct commands *commands, const struct surface *to, unsigned offset,
                   unsigned size_bytes, uint32_t pattern);
void commands_copy(struct commands *commands, const struct surface *to, unsigned to_offset,
                   const struct surface *from, unsigned from_offset, unsigned size_bytes);
void commands_compute(struct commands *commands, unsigned kernel, const struct surface *result,
                      unsigned result_offset, const struct surface *a, const struct surface *b,
                      unsigned count, uint32_t scalar);
void commands_delay(struct commands *commands, unsigned nanoseconds);
void commands_hang(struct commands *commands);

#endif
