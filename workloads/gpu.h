/* gpu.h: what every workload does with D3DKMT: a device with a context, surfaces, presents.
 *
 * Functions that return bool have told the host of a failure when they return false, unless the
 * device was expected to be lost (gpu->may_be_lost). */
#ifndef WORKLOADS_GPU_H
#define WORKLOADS_GPU_H

#include <d3dkmthk.h>
#include <ntstatus.h>

#include <drydock/client.h>
#include <drydock/workload.h>

#include "picture.h"

struct gpu {
    const struct drydock_workload_host *host;
    D3DKMT_HANDLE adapter, device, context;
    bool may_be_lost; /* a failure because the device is lost is none of the run's */
    bool lost;
    bool null_rendering; /* what is sent is not to run, as when the overhead alone is measured */
    bool redirected;     /* what is sent draws a window's surface that the compositor has */
    bool too_small; /* lost because video memory is too small for the work: a note, no failure */
    /* Where commands for gpu_render() are written; may change with each call. */
    uint8_t *commands;
    UINT command_bytes;
    D3DDDI_ALLOCATIONLIST *allocations;
    UINT allocation_count;
    struct gpu_drawn *drawn; /* wrong.h; NULL: no Present yet */
};

struct surface {
    D3DKMT_HANDLE allocation, resource, share;
    unsigned width, height, pitch;
    uint64_t size_bytes;
};

/* Is that what CreateContext says where work goes by GPU virtual address alone? */
bool gpu_refuses_lists(const struct drydock_workload_host *host, NTSTATUS status);
/* Opens the adapter, makes a device and a context on the node. */
bool gpu_open(struct gpu *gpu, const struct drydock_workload_host *host, unsigned node);
bool gpu_open_with(struct gpu *gpu, const struct drydock_workload_host *host, unsigned node,
                   const void *private_data, unsigned private_bytes);
/* Another context of its device on node 0. */
bool gpu_second_context(struct gpu *gpu, D3DKMT_HANDLE *out);
void gpu_close(struct gpu *gpu);
/* From now on presents go by GPU virtual addresses, and gpu_render() does not go at all; where the
 * driver has no such contexts nothing changes, and *there is false. */
bool gpu_present_by_address(struct gpu *gpu, unsigned node, bool *there);

/* True if the status is a success; otherwise tells the host. */
bool gpu_check(struct gpu *gpu, NTSTATUS status, const char *what);
/* The same of D3DKMTSetDisplayMode. That nothing has room for the surface is a note: several
 * segments that share little memory hold what is drawn on, and not what is shown beside it. */
bool gpu_check_mode(struct gpu *gpu, NTSTATUS status, const char *what);

bool gpu_surface_create(struct gpu *gpu, enum drydock_surface_kind kind, unsigned width,
                        unsigned height, D3DDDIFORMAT format, bool shared, struct surface *out);
/* The same, of a kind that a driver may refuse. */
NTSTATUS gpu_surface_try_create(struct gpu *gpu, struct drydock_standard_allocation *standard,
                                struct surface *out);
/* Opens one that another process shares. */
bool gpu_surface_open(struct gpu *gpu, const struct surface *shared, struct surface *out);
/* Of private data that the user gave (drydock_workload_host.allocation_data): in a resource of its
 * own, if the data have one, or in base. What it is, and how large, is the driver's to say. */
NTSTATUS gpu_surface_describe(struct gpu *gpu, const struct drydock_allocation_data *data,
                              D3DKMT_HANDLE base, struct surface *out);
void gpu_surface_destroy(struct gpu *gpu, struct surface *surface);
/* Its bytes may be thrown away until it is reclaimed; *discarded: they were. */
bool gpu_offer(struct gpu *gpu, const struct surface *surface);
bool gpu_reclaim(struct gpu *gpu, const struct surface *surface, bool *discarded);
bool gpu_evict(struct gpu *gpu, const struct surface *surface); /* out of video memory */
void *gpu_lock(struct gpu *gpu, const struct surface *surface, bool read_only);
void gpu_unlock(struct gpu *gpu, const struct surface *surface);
/* Copies a picture into a surface, by the CPU. */
bool gpu_upload(struct gpu *gpu, const struct surface *to, const struct picture *from);
/* Compares a surface with a picture; the number of pixels that differ, or UINT64_MAX if it could
 * not be read. */
uint64_t gpu_compare(struct gpu *gpu, const struct surface *surface, const struct picture *expected,
                     struct box *first);

bool gpu_wait_idle(struct gpu *gpu);
/* Hardware may take an address at the next vertical sync, after a change of the mode as well: if a
 * source's monitor does not show this yet, a frame passes. */
void gpu_let_latch(const struct gpu *gpu, unsigned source, const struct picture *expected);
/* The mode in which a source is shown. False: it is not. */
bool gpu_display_mode(D3DKMT_HANDLE adapter, unsigned source, D3DKMT_DISPLAYMODE *mode);
/* Of 32 bits: the one that pictures here are made of. */
bool gpu_is_32_bit(D3DDDIFORMAT format);

/* The presents. A blt can be one that the driver may refuse (STATUS_GRAPHICS_CANNOTCOLORCONVERT,
 * STATUS_NOT_SUPPORTED): then it is the caller's to look at the status. */
NTSTATUS gpu_try_blt(struct gpu *gpu, const struct surface *to, struct box to_box,
                     const struct surface *from, struct box from_box, const uint32_t *key);
bool gpu_blt(struct gpu *gpu, const struct surface *to, int x, int y, const struct surface *from,
             struct box box);
/* Copies or fills box by box, in one present. */
bool gpu_blt_boxes(struct gpu *gpu, const struct surface *to, const struct surface *from,
                   const struct box *boxes, unsigned count);
bool gpu_fill_boxes(struct gpu *gpu, const struct surface *to, uint32_t colour,
                    const struct box *boxes, unsigned count);
/* A blt with all that it can have; the driver may refuse. The boxes are the source's. */
struct gpu_copy {
    const struct surface *to, *from;
    struct box to_box, from_box;
    const struct box *boxes;
    unsigned count;
    bool list_alone; /* boxes without to_box and from_box, at the same place in both */
    const uint32_t *source_key, *destination_key; /* NULL: none; one of them at most */
};
NTSTATUS gpu_try_copy(struct gpu *gpu, const struct gpu_copy *copy);
bool gpu_fill(struct gpu *gpu, const struct surface *to, struct box box, uint32_t colour);
/* Becomes an owner of the first source, whose mode it may change then. */
bool gpu_own(struct gpu *gpu);
bool gpu_flip(struct gpu *gpu, const struct surface *primary, unsigned source,
              D3DDDI_FLIPINTERVAL_TYPE interval);
/* The engine goes on at once, where the driver has that; else as an interval of one. */
bool gpu_flip_without_wait(struct gpu *gpu, const struct surface *primary, unsigned source);

/* Runs what was written to gpu->commands and gpu->allocations. */
NTSTATUS gpu_try_render(struct gpu *gpu, unsigned command_bytes, unsigned allocation_count);
bool gpu_render(struct gpu *gpu, unsigned command_bytes, unsigned allocation_count);

/* The adapter is reset, as the tools do by which drivers are tested for it. */
NTSTATUS gpu_force_reset(const struct gpu *gpu);
D3DKMT_DEVICEEXECUTION_STATE gpu_state(struct gpu *gpu);
/* As in the header: "HUNG". */
const char *gpu_state_name(D3DKMT_DEVICEEXECUTION_STATE state);

/* How many nodes the adapter has. */
unsigned gpu_node_count(const struct drydock_workload_host *host);

#endif
