/* vidmm, inside: the range allocator, the manager's fields, and what its files lend each other. */
#ifndef VIDMM_INTERNAL_H
#define VIDMM_INTERNAL_H

#include "base/lock_annotations.h"
#include "machine/machine.h"
#include "vidmm/vidmm.h"

/* ---- Range allocator: see range.c ---------------------------------------------------------- */

#define RANGE_NONE        UINT32_MAX
#define RANGE_EXACT_PAGES 16384u /* one bin per page count below this: up to 64 MiB */
#define RANGE_BIN_COUNT   (RANGE_EXACT_PAGES + 20u * 8u)

struct range_node {
    uint32_t page_first, page_count;
    uint32_t prev, next;         /* neighbours by address; RANGE_NONE at the ends */
    uint32_t bin_prev, bin_next; /* in the bin while free; next in the pool while unused */
    uint32_t used;               /* 1: allocated */
    uint32_t bin;                /* while free */
};
_Static_assert(sizeof(struct range_node) == 32, "two nodes share a cache line");

struct range_allocator {
    struct range_node *nodes;
    void **owners; /* by node; beside the nodes so that these stay dense */
    uint32_t node_capacity, node_unused;
    uint32_t page_count, free_pages, first_node;
    uint32_t *bins;
    uint64_t level0[(RANGE_BIN_COUNT + 63) / 64];
    uint64_t level1[(RANGE_BIN_COUNT + 4095) / 4096];
};

/* Up to 2^32 - 2 pages. */
NTSTATUS MUST_CHECK range_init(struct range_allocator *ranges, uint64_t page_count);
void range_fini(struct range_allocator *ranges);
/* Best fit. alignment_pages is a power of two. Returns the node, or RANGE_NONE. */
uint32_t range_alloc(struct range_allocator *ranges, uint32_t page_count, uint32_t alignment_pages,
                     bool from_end, void *owner);
/* Cuts pages out of a free range; RANGE_NONE if they are not all free. */
uint32_t range_alloc_at(struct range_allocator *ranges, uint32_t free_node, uint32_t page_first,
                        uint32_t page_count, void *owner);
void range_free(struct range_allocator *ranges, uint32_t node);
uint32_t range_largest_free(const struct range_allocator *ranges);
/* Whether the books balance; walks everything. For tests. */
bool range_consistent(const struct range_allocator *ranges);

static inline uint32_t range_page(const struct range_allocator *ranges, uint32_t node)
{
    return ranges->nodes[node].page_first;
}

/* ---- The manager --------------------------------------------------------------------------- */

struct segment {
    struct vidmm_segment_options options;
    unsigned id;
    uint64_t *bank_ends;
    struct range_allocator ranges;
    struct list residents; /* allocations, by time of placement */
    uint64_t committed_bytes;
    uint32_t allocation_count;
};

struct vidmm {
    /* Fixed at creation. */
    struct vidmm_backend backend;
    struct vidmm_config config; /* without the pointers to segments */
    const struct vidmm_policy *policy;
    struct segment *segments; /* [0] is id 1 */
    unsigned segment_count;
    uint64_t dummy_frame;

    struct mutex lock;
    struct list allocations, accounts, uses, pools;
    uint32_t allocation_number; /* of the newest */
    uint32_t account_count;
    uint64_t tick;     /* prepares so far */
    uint64_t progress; /* see vidmm_progress() */
    bool shadow;
    struct list queued, running, revoked, spare; /* operations */
    size_t spare_count, spare_kept;              /* kept: what a reset may need */
    uint64_t sequence_queued, sequence_told, sequence_completed;
    uint32_t reset_count;
    struct vidmm_statistics statistics;
};

/* Functions that end in _locked are called with vidmm->lock held. They are told which vidmm: clang
 * does not see that allocation->vidmm is the same one. */

static inline struct segment *segment_of(struct vidmm *vidmm, unsigned id)
{
    return &vidmm->segments[id - 1];
}

static inline bool segment_is_aperture(const struct segment *segment)
{
    return (segment->options.flags & VIDMM_SEGMENT_APERTURE) != 0;
}

/* Pages that the allocation takes in the segment. */
uint32_t segment_pages(const struct segment *segment, uint64_t size_bytes);
uint32_t segment_alignment_pages(const struct segment *segment, uint64_t alignment_bytes);

/* paging.c */
/* Operations are got before anything is changed, so that queueing cannot fail. */
bool paging_reserve_locked(struct vidmm *vidmm, size_t count) HOLDS(vidmm->lock);
/* Some more, or less, are kept for resets alone: what a driver may know, it must be told to forget.
 */
bool paging_keep_locked(struct vidmm *vidmm, size_t more) HOLDS(vidmm->lock);
void paging_unkeep_locked(struct vidmm *vidmm, size_t less) HOLDS(vidmm->lock);
struct vidmm_op *paging_queue_locked(struct vidmm *vidmm, enum vidmm_op_kind kind,
                                     enum vidmm_reason reason, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
size_t paging_piece_count(const struct vidmm *vidmm, const struct vidmm_allocation *allocation);
/* Pieces from one side to the other; frames are the allocation's. */
struct paging_transfer {
    enum vidmm_reason reason;
    struct vidmm_side source, destination;
};
void paging_queue_transfer_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                  const struct paging_transfer *transfer) HOLDS(vidmm->lock);
/* A range of an aperture that an allocation is mapped to. */
struct paging_range {
    enum vidmm_reason reason;
    unsigned segment;
    uint64_t offset;
    bool temporary;
    uint64_t map_sequence; /* UNMAP of a temporary range */
};
void paging_queue_map_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                             const struct paging_range *range) HOLDS(vidmm->lock);
void paging_queue_unmap_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                               const struct paging_range *range) HOLDS(vidmm->lock);
struct vidmm_side paging_side(struct vidmm *vidmm, unsigned segment, uint64_t offset);
/* Drops what is queued, revokes what is in hand; what is left of each content is noted. Ranges that
 * the driver has mapped for a transfer alone are unmapped in the name of the reset. */
void paging_reset_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);

/* allocation.c */
/* Backing store; with_fill: its bytes matter now, so they get the fill pattern, unless operations
 * are still on their way to it: then the content stays NONE. */
NTSTATUS MUST_CHECK allocation_commit_locked(struct vidmm *vidmm,
                                             struct vidmm_allocation *allocation, bool with_fill)
    HOLDS(vidmm->lock);
/* Writes the fill pattern to the backing store. */
void allocation_fill(struct vidmm_allocation *allocation);
void allocation_wait_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                            const struct vidmm_use *except, struct vidmm_wait *wait)
    HOLDS(vidmm->lock);
/* Waits for its paging; kind NONE if that is over. */
void allocation_wait_paging_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                   struct vidmm_wait *wait) HOLDS(vidmm->lock);

/* place.c */
/* Free room in a preferred segment, then eviction there, then the same in the rest of those
 * allowed. *placed is false if nothing takes it now. */
NTSTATUS MUST_CHECK place_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                 uint32_t allowed, bool *placed) HOLDS(vidmm->lock);

/* evict.c */
/* May not leave a memory segment or aperture now: something holds it there. */
bool allocation_held(const struct vidmm_allocation *allocation);
NTSTATUS MUST_CHECK evict_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                 enum vidmm_reason reason) HOLDS(vidmm->lock);
/* Off its segment's books, nothing queued. */
void evict_unlink_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);

/* How strictly a search for room takes what is in the way. */
enum obstacle {
    OBSTACLE_HELD,     /* what is held now cannot go */
    OBSTACLE_OWN,      /* what this prepare holds, pins and locks cannot go */
    OBSTACLE_OWN_PINS, /* what this prepare holds, and pins */
};
/* What is wanted of a segment. */
struct room {
    uint32_t page_count, alignment_pages;
    bool from_end;
    void *owner; /* of the range: the allocation, or NULL for a DMA buffer */
};
/* Is there a window in the segment that could be cleared? */
bool window_exists_locked(struct vidmm *vidmm, struct segment *segment, const struct room *room,
                          enum obstacle obstacle) HOLDS(vidmm->lock);
/* A range, evicting others for it. *node is RANGE_NONE if there is no room now. */
NTSTATUS MUST_CHECK make_room_locked(struct vidmm *vidmm, struct segment *segment,
                                     const struct room *room, uint32_t *node) HOLDS(vidmm->lock);

/* use.c */
/* The oldest use of somebody else that is on its way and pins anything in these segments. */
bool find_blocker_locked(struct vidmm *vidmm, const struct vidmm_use *self, uint32_t allowed,
                         struct vidmm_wait *wait) HOLDS(vidmm->lock);
/* Ends the pins of everybody. */
void use_reset_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);

/* dma.c */
/* Queues the unmapping of what the driver knows mapped. */
void dma_forget_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);
/* Paging's own buffers are mapped again. */
void dma_restore_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);

/* shadow.c; called without the lock, the operation belongs to the caller. */
void shadow_before(struct vidmm_op *op);
void shadow_after(struct vidmm_op *op);

#endif
