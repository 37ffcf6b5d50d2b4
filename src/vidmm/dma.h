/* DMA buffers: pools of memory that drivers write commands into. */
#ifndef VIDMM_DMA_H
#define VIDMM_DMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "vidmm/allocation.h"

/* A pool serves one context (or the paging process) with buffers of one size. */
struct vidmm_dma_pool {
    struct vidmm *vidmm;
    struct list link;
    uint64_t size_bytes;
    uint32_t segments;         /* apertures to choose from; 0: contiguous system memory */
    size_t private_bytes;      /* "DmaBufferPrivateDataSize" */
    void *old_private;         /* vidmm_dma_keep_private(), or NULL */
    struct vidmm_space *space; /* the paging space, which shows its buffers; or NULL */
    uint32_t buffer_count_max;
    bool paging;            /* see the options */
    bool shuts;             /* an idle buffer's views are shut */
    struct list idle, busy; /* buffers */
    uint32_t buffer_count, busy_count;
    bool retiring; /* what is acquired now stays unmapped: it serves to unmap the others */
};

struct vidmm_dma_buffer {
    struct vidmm_dma_pool *pool;
    struct list link;
    uint8_t *bytes; /* the CPU's view, page aligned; behind it is a page without access */
    uint64_t size_bytes;
    unsigned segment;          /* 0: contiguous system memory */
    uint64_t address;          /* in the segment's address space; physical if segment is 0 */
    uint64_t physical_address; /* of the first page of its memory */
    uint64_t virtual_address;  /* in the pool's space; 0: it has none */
    uint64_t paging_sequence;  /* mapped once this is reached */
    /* private_bytes, zero when made [PAGE-016]; later as it may be. They end at a page without
     * access, as nearly as alignment lets them. NULL if there are none. */
    uint8_t *private_data;
    void *owner_data;

    uint64_t *frames; /* of scattered memory */
    size_t frame_count;
    uint64_t *private_frames;
    size_t private_frame_count;
    void *private_view; /* where private_data ends as late as it can */
    uint32_t range;     /* where it is mapped, after the last operation queued */
    uint64_t offset;
    bool mapped;            /* after the last operation queued */
    unsigned known_segment; /* what the driver was told; 0: not mapped */
    uint64_t known_offset;
    uint32_t operation_count;
};

struct vidmm_dma_pool_options {
    uint64_t size_bytes;
    uint32_t segments;
    size_t private_bytes;
    uint32_t buffer_count_max; /* 0: 64; never more than an eighth of its apertures can show */
    struct vidmm_space *space; /* the paging space, started: buffers are shown there, each with a
                                  page that is not behind it. Only with segments 0, and all before
                                  anything else is done, for the CPU writes the tables [UPT-004] */
    bool paging; /* paging itself runs from these buffers: after a reset they are mapped again
                    before anything else is done */
};
NTSTATUS MUST_CHECK vidmm_dma_pool_init(struct vidmm_dma_pool *pool, struct vidmm *vidmm,
                                        const struct vidmm_dma_pool_options *options);
/* All buffers have been released. Unmaps them; if operations are needed for that, STATUS_PENDING
 * and wait; call again. Accepts a zeroed pool. */
NTSTATUS MUST_CHECK vidmm_dma_pool_retire(struct vidmm_dma_pool *pool, struct vidmm_wait *wait);
void vidmm_dma_pool_fini(struct vidmm_dma_pool *pool);
/* INSUFFICIENT_RESOURCES: every buffer is busy, wait for one to be released. PENDING: what uses
 * hold, or busy buffers of others, is in its way in the apertures, try again when one of them has
 * retired or was released. Idle ones leave an aperture that somebody needs. NO_MEMORY,
 * GRAPHICS_NO_VIDEO_MEMORY: there is no hope of that. */
NTSTATUS MUST_CHECK vidmm_dma_acquire(struct vidmm_dma_pool *pool, struct vidmm_dma_buffer **out);
/* Before a packet of the buffer is submitted: maps it again if a reset unmapped it, maybe
 * elsewhere; done at buffer->paging_sequence. PENDING and errors as above. */
NTSTATUS MUST_CHECK vidmm_dma_map(struct vidmm_dma_buffer *buffer);
/* What is in its private data now is what recycled buffers of its pool have in theirs from now on,
 * where they have what was left: for work that was stopped, which leaves more than any other. */
void vidmm_dma_keep_private(struct vidmm_dma_buffer *buffer);
/* Its last packet is done. */
void vidmm_dma_release(struct vidmm_dma_buffer *buffer);
/* For who keeps a buffer without releasing it: the driver has nothing to do with it now, or has
 * again. */
void vidmm_dma_rest(struct vidmm_dma_buffer *buffer);
void vidmm_dma_wake(struct vidmm_dma_buffer *buffer);

#endif
