/* vidmm, inside: the range allocator, the manager's fields, and what its files lend each other. */
#ifndef VIDMM_INTERNAL_H
#define VIDMM_INTERNAL_H

#include "base/lock_annotations.h"
#include "machine/machine.h"
#include "vidmm/vidmm.h"

/* ---- Range allocator: see range.c ------------------------------------------------------------ */

#define RANGE_NONE        UINT32_MAX
#define RANGE_EXACT_PAGES 16384u /* one bin per page count below this: up to 64 MiB */
#define RANGE_BIN_COUNT   (RANGE_EXACT_PAGES + 20u * 8u)

struct range_node {
    uint32_t page_first, page_count;
    uint32_t prev, next; /* neighbours by address; RANGE_NONE at the ends */
    union {
        struct {
            uint32_t bin_prev, bin_next; /* in the bin while free; next in the pool while unused */
        };
        void *owner; /* while allocated */
    };
    uint32_t used; /* 1: allocated */
    uint32_t bin;  /* while free */
};
_Static_assert(sizeof(struct range_node) == 32, "two nodes share a cache line");

struct range_allocator {
    struct range_node *nodes; /* at a cache line; many of them in large pages */
    uint32_t node_capacity, node_unused;
    uint32_t page_count, free_pages, first_node;
    uint32_t *bins;
    uint64_t level0[(RANGE_BIN_COUNT + 63) / 64];
    uint64_t level1[(RANGE_BIN_COUNT + 4095) / 4096];
};

/* Up to 2^32 - 2 pages. */
NTSTATUS MUST_CHECK range_init(struct range_allocator *ranges, uint64_t page_count);
void range_fini(struct range_allocator *ranges);
/* Best fit. alignment_pages: any but 0. Returns the node, or RANGE_NONE. */
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

/* ---- The manager ----------------------------------------------------------------------------- */

struct segment {
    struct vidmm_segment_options options;
    unsigned id;
    struct range_allocator ranges;
    struct list residents;                 /* allocations, by time of placement */
    uint64_t committed_bytes, table_bytes; /* page tables are among what is committed */
    uint32_t allocation_count;
};

/* What the driver said of its MMU, and what follows of it. */
struct mmu {
    struct vidmm_mmu_options options;
    bool exists;
    unsigned shift[VIDMM_LEVEL_COUNT_MAX + 1]; /* log2 of the pages below an entry of a level */
};

struct vidmm {
    /* Fixed at creation. */
    struct vidmm_backend backend;
    struct vidmm_config config; /* without the pointers to segments */
    const struct vidmm_policy *policy;
    struct segment *segments; /* [0] is id 1 */
    unsigned segment_count;
    uint64_t dummy_frame;
    struct mmu mmu;
    struct device_mmu *device_mmus;
    unsigned device_mmu_count;

    struct mutex lock;
    struct list allocations, accounts, uses, pools, spaces, queues;
    struct list kept_views; /* allocations with one, the latest first */
    unsigned kept_view_count;
    struct list dead_tables;           /* by the sequence that ends them */
    struct vidmm_space *paging_space;  /* started */
    struct vidmm_residency *preparing; /* the list whose missing ones are being placed */
    uint64_t wanted_pages;             /* of system memory, that somebody just did not get; or 0 */
    uint32_t allocation_number;        /* of the newest */
    uint32_t account_count;
    struct vidmm_pressure pressure;
    uint64_t tick;     /* prepares so far */
    uint64_t progress; /* see vidmm_progress() */
    uint64_t releases; /* see vidmm_releases() */
    bool shadow;
    struct shadow_room {
        uint8_t *bytes;
        uint64_t size_bytes;
        bool taken; /* by the operation that runs */
    } shadow_room;
    struct list queued, running, revoked; /* operations */
    struct list
        spare; /* the latest first: of many kept, few are in use, and those stay in caches */
    size_t spare_count, spare_kept; /* kept: what a reset may need */
    uint64_t sequence_queued, sequence_told, sequence_completed;
    uint32_t reset_count;
    struct vidmm_statistics statistics;
    uint64_t commits; /* allocations that were given pages */
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

/* manager.c */
/* Something that was held is held no more: see vidmm_releases(). */
void released_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);

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

/* Pages [first, first + count) of an allocation, in pieces that are no longer than a transfer. */
struct paging_part {
    uint64_t first, count; /* count 0: behind the end */
};
struct paging_part paging_first_part(const struct vidmm *vidmm,
                                     const struct vidmm_allocation *allocation);
struct paging_part paging_next_part(const struct vidmm *vidmm,
                                    const struct vidmm_allocation *allocation,
                                    const struct paging_part *part);
size_t paging_part_count(const struct vidmm *vidmm, const struct vidmm_allocation *allocation);
/* Operations of one call of paging_queue_notice_locked(). */
size_t paging_notice_count(const struct vidmm *vidmm, const struct vidmm_allocation *allocation);
/* Pieces from one side to the other; frames are the allocation's. */
struct paging_transfer {
    enum vidmm_reason reason;
    struct vidmm_side source, destination;
    bool special; /* system memory is the pages behind the alternate address */
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
/* NOTIFY_RESIDENCY, if the allocation wants it: it is in its place, or will leave it. */
void paging_queue_notice_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                bool resident) HOLDS(vidmm->lock);
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
/* It is in no segment, and what it held is wanted by nobody: the backing store goes as soon as no
 * operation is on its way to it. */
void allocation_discard_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* Backing stores that hold nothing, or what was offered, go. False: there are none. */
bool allocations_spare_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);
void allocation_wait_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                            const struct vidmm_use *except, struct vidmm_wait *wait)
    HOLDS(vidmm->lock);
/* Waits for its paging; kind NONE if that is over. */
void allocation_wait_paging_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                   struct vidmm_wait *wait) HOLDS(vidmm->lock);

/* place.c */
struct attempt {
    unsigned segment;
    bool from_end, evict;
};
/* The driver's preferences first, then what else is allowed, memory first. */
struct candidates {
    struct attempt list[VIDMM_SEGMENT_COUNT_MAX + VIDMM_PREFERENCE_COUNT];
    unsigned count, preferred_count;
};
void place_candidates(const struct vidmm_allocation *allocation, uint32_t allowed,
                      struct candidates *out);
/* Is it seen by virtual address alone? Then what an aperture stands for is pages of its own. */
bool place_is_plain(const struct vidmm_allocation *allocation, const struct segment *segment);
/* Free room in a preferred segment, then eviction there, then the same in the rest of those
 * allowed. *placed is false if nothing takes it now. */
NTSTATUS MUST_CHECK place_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                 uint32_t allowed, bool *placed) HOLDS(vidmm->lock);

/* evict.c */
/* It is in a memory segment or aperture, and may leave it now. */
bool allocation_evictable(const struct vidmm_allocation *allocation);
/* Something holds it where it is. */
bool allocation_held(const struct vidmm_allocation *allocation);
NTSTATUS MUST_CHECK evict_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                 enum vidmm_reason reason) HOLDS(vidmm->lock);
/* Off its segment's books, nothing queued. */
void evict_unlink_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);

/* How strictly a search for room takes what is in the way. */
enum obstacle {
    OBSTACLE_HELD,     /* what is held now cannot go */
    OBSTACLE_TABLES,   /* the same, but page tables of spaces that nobody keeps may */
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

/* Plain pages of an aperture, evicting others for them. *room is false if there are none now. */
NTSTATUS MUST_CHECK make_plain_room_locked(struct vidmm *vidmm, struct segment *segment,
                                           uint32_t page_count, bool *room) HOLDS(vidmm->lock);

/* use.c */
/* The oldest use of somebody else that is on its way and pins anything in these segments. */
bool find_blocker_locked(struct vidmm *vidmm, const struct vidmm_use *self, uint32_t allowed,
                         struct vidmm_wait *wait) HOLDS(vidmm->lock);
/* The first that a CPU has locked in one of these segments. */
bool find_lock_locked(struct vidmm *vidmm, uint32_t allowed, struct vidmm_wait *wait)
    HOLDS(vidmm->lock);
/* Finds a place for an allocation that has none. READY: it has one; the use pins nothing. */
void use_place_locked(struct vidmm *vidmm, struct vidmm_use *use,
                      struct vidmm_allocation *allocation, struct vidmm_prepare_result *result)
    HOLDS(vidmm->lock);
/* The same in a memory segment, for nobody's use. */
void use_place_in_memory_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                struct vidmm_prepare_result *result) HOLDS(vidmm->lock);
/* The set of the segments that are apertures. */
uint32_t aperture_set(const struct vidmm *vidmm);
/* The use is ready and holds the list, which counts it already. */
void use_hold_locked(struct vidmm *vidmm, struct vidmm_use *use, struct vidmm_residency *list)
    HOLDS(vidmm->lock);
/* Ends the pins of everybody. */
void use_reset_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);

/* device_mmu.c */

NTSTATUS MUST_CHECK device_mmus_init(struct vidmm *vidmm, const struct vidmm_config *config);
void device_mmus_fini(struct vidmm *vidmm);
/* Are there MMUs of all these numbers? */
bool device_mmu_fits(const struct vidmm *vidmm, uint32_t set);
/* Addresses for an allocation that gets a place. False: there are none now. */
bool MUST_CHECK device_mmu_take_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* A reset took the entries. */
void device_mmu_forget_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* Operations that showing it takes, or hiding it. */
size_t device_mmu_operations(const struct vidmm *vidmm, const struct vidmm_allocation *allocation);
/* It has its place and addresses; it will leave them. */
void device_mmu_show_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
void device_mmu_hide_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);

/* touch.c */
#define TOUCH_OPERATIONS 2
/* The GPU reads at the end of what lies there, and writes to the segment's spare page: reserve
 * TOUCH_OPERATIONS before. Nothing, if the segment is none of the chipset's. */
void touch_queue_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                        const struct paging_range *range) HOLDS(vidmm->lock);
/* The allocation has a place, and the GPU is to write to it. */
void touch_note_write_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* The CPU wants to see what the GPU wrote: queues what it takes, if anything. */
NTSTATUS MUST_CHECK touch_before_look_locked(struct vidmm *vidmm,
                                             struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);

/* alternate.c */
/* Does a client see it at its alternate address now? */
static inline bool alternate_in_use(const struct vidmm_allocation *allocation)
{
    return allocation->lock_count > 0 && allocation->view &&
           allocation->view == allocation->alternate.view;
}
void alternate_end(struct vidmm_allocation *allocation);
/* What it holds is in the backing store from now on, which is there; nobody has it locked. */
void alternate_settle(struct vidmm_allocation *allocation);
/* It leaves its segment: what is not locked loses its address. */
void alternate_evicted(struct vidmm_allocation *allocation);
/* The operation is done. */
void alternate_moved(const struct vidmm_op *op);
/* After the content was looked at. */
void alternate_reset(struct vidmm_allocation *allocation);

/* lock.c */
/* The view that an earlier lock left, if any, goes: the frames do. With vidmm->lock held. */
void lock_forget_view(struct vidmm_allocation *allocation);

/* dma.c */
/* Takes an idle buffer, but paging's own, out of the aperture; false: there is none. */
bool dma_unmap_idle_locked(struct vidmm *vidmm, const struct segment *segment) HOLDS(vidmm->lock);
/* Queues the unmapping of what the driver knows mapped. */
void dma_forget_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);
/* Paging's own buffers are mapped again. */
void dma_restore_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);
/* The most operations that the next one takes, of all pools. */
size_t dma_show_operations(struct vidmm *vidmm);
/* The same for those that the space shows, behind its tables. */
void dma_show_again_locked(struct vidmm *vidmm, const struct vidmm_space *space) HOLDS(vidmm->lock);

/* ---- GPU virtual addresses ------------------------------------------------------------------- */

#define PAGES_PER_64K UINT64_C(16)

struct vidmm_table {
    struct vidmm_space *space;
    struct list link; /* in its space; dead: in vidmm->dead_tables */
    unsigned level;
    bool leaf_64k;
    struct vidmm_table *parent; /* NULL: the root */
    uint32_t slot;              /* in the parent */
    struct vidmm_table *heir;   /* of one that was superseded: the new one */
    uint64_t page_first;        /* that its first entry translates */
    uint32_t entry_count;
    uint64_t used_count;            /* leaves: pages of mappings that need it; others: children */
    struct vidmm_table **children;  /* [entry_count]; of a dual level 1 the 64 KiB ones follow */
    struct vidmm_allocation memory; /* where it lies; its segment 0: in system memory, at frame */
    uint64_t size_bytes, frame;
    uint32_t window; /* node of the paging space's window that shows it, or RANGE_NONE */
    void *view;      /* the CPU's, of a segment; or NULL */
    struct vidmm_location view_place;
    uint32_t operation_count;
    uint64_t dead_after; /* nothing reaches it any more when this has ended */
    bool fresh;          /* made by the call that runs; the driver has not heard of it */
};

static inline uint64_t table_shift(const struct vidmm_table *table)
{
    const struct mmu *mmu = &table->space->vidmm->mmu;

    return table->leaf_64k ? 4 : mmu->shift[table->level];
}

static inline uint64_t table_page_end(const struct vidmm_table *table)
{
    return table->page_first + ((uint64_t)table->entry_count << table_shift(table));
}

/* Pages that a leaf covers. */
static inline uint64_t leaf_pages(const struct vidmm *vidmm)
{
    return UINT64_C(1) << vidmm->mmu.shift[1];
}

static inline bool mmu_has(const struct vidmm *vidmm, enum vidmm_mmu_flags flag)
{
    return (vidmm->mmu.options.flags & (uint32_t)flag) != 0;
}

/* space.c */
NTSTATUS MUST_CHECK mmu_init(struct mmu *mmu, const struct vidmm *vidmm,
                             const struct vidmm_mmu_options *options);
/* An operation about a space. Reserved before. */
struct vidmm_op *space_queue_locked(struct vidmm *vidmm, enum vidmm_op_kind kind,
                                    struct vidmm_allocation *allocation, struct vidmm_space *space)
    HOLDS(vidmm->lock);
/* Pages [first, end); end 0: nothing; where it is said, everything. */
struct page_span {
    uint64_t first, end;
};
/* The TLB is to forget them, or everything. The allocation that they show waits for it, too. */
void space_flush_locked(struct vidmm *vidmm, struct vidmm_space *space,
                        const struct page_span *span, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* The root translates all pages below the end, or grows. */
NTSTATUS MUST_CHECK space_reach(struct vidmm_space *space, uint64_t page_end,
                                struct vidmm_wait *wait);
/* As vidmm_space_keep_tables(), and its other half. */
NTSTATUS MUST_CHECK space_keep_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                      struct vidmm_wait *wait) HOLDS(vidmm->lock);
void space_let_go_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock);
/* May its tables leave now? */
bool space_may_leave(const struct vidmm_space *space);
/* NO_MEMORY: nothing is changed. */
NTSTATUS MUST_CHECK space_leave_locked(struct vidmm *vidmm, struct vidmm_space *space)
    HOLDS(vidmm->lock);
/* After a reset or loss of power: tables are where they were, with nothing in them. */
void spaces_restore_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);

/* area.c */
struct area_request {
    uint64_t page_first; /* 0: anywhere */
    uint64_t page_minimum, page_maximum, page_count;
    uint64_t alignment_pages; /* 0: a unit */
    bool reserved, systems;
};
NTSTATUS MUST_CHECK area_make_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                     const struct area_request *request, struct vidmm_area **out)
    HOLDS(vidmm->lock);
void area_drop_locked(struct vidmm *vidmm, struct vidmm_space *space, struct vidmm_area *area)
    HOLDS(vidmm->lock);
/* The area that the page is in, or NULL. */
struct vidmm_area *area_find(struct vidmm_space *space, uint64_t page);

/* table.c */
/* The table of that level and kind that translates the page, or NULL. */
struct vidmm_table *table_find(struct vidmm_space *space, uint64_t page, unsigned level,
                               bool leaf_64k);
/* The first page at or behind this one that has a leaf, of whichever kind; or the end. */
uint64_t table_next_leaf(struct vidmm_space *space, uint64_t page, uint64_t end);
/* What a table is made for. */
struct table_request {
    unsigned level;
    bool leaf_64k;
    uint64_t page;
    uint32_t entry_count; /* of a root; 0: as its level says */
    uint64_t size_bytes;  /* of a root; 0: as its level says */
};
/* A table without a parent, placed. PENDING: wait. */
NTSTATUS MUST_CHECK table_create_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                        const struct table_request *request,
                                        struct vidmm_wait *wait, struct vidmm_table **out)
    HOLDS(vidmm->lock);
/* Of a table that no operation names yet. */
void table_destroy_locked(struct vidmm *vidmm, struct vidmm_table *table) HOLDS(vidmm->lock);
/* Makes what is missing on the way to a leaf; what is made is fresh until it is told or undone. */
NTSTATUS MUST_CHECK table_ensure_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                        uint64_t page, bool leaf_64k, struct vidmm_wait *wait)
    HOLDS(vidmm->lock);
void tables_undo_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock);
size_t tables_fresh_count(struct vidmm_space *space);
/* Queues what initialises the fresh ones; TABLE_OPERATIONS of each are reserved. */
enum { TABLE_OPERATIONS = 3 };
void tables_tell_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock);
/* The leaf at the page, and those above it, if nothing needs them any more. What is kept for them
 * is used. The range of pages that has to be flushed grows. */
void table_drop_locked(struct vidmm *vidmm, struct vidmm_table *table, struct page_span *flush)
    HOLDS(vidmm->lock);
/* Off the books; its memory in a segment is free. */
void table_release_locked(struct vidmm *vidmm, struct vidmm_table *table) HOLDS(vidmm->lock);
/* The same of one that nothing leads to any more, behind what was queued. */
void table_kill_locked(struct vidmm *vidmm, struct vidmm_table *table) HOLDS(vidmm->lock);
void table_link_child(struct vidmm_table *parent, uint32_t slot, struct vidmm_table *child);
void table_unlink_child(struct vidmm_table *child);

/* table_leave.c */
/* Another table for the same pages: between the two its entries are queued; then the old one dies.
 */
void table_begin_replace_locked(struct vidmm *vidmm, struct vidmm_table *old,
                                struct vidmm_table *table) HOLDS(vidmm->lock);
void table_end_replace_locked(struct vidmm *vidmm, struct vidmm_table *old,
                              struct vidmm_table *table, bool moves) HOLDS(vidmm->lock);
/* Between the two, for those above the leaves: all children of the old one are the new one's. */
void table_adopt_locked(struct vidmm *vidmm, struct vidmm_table *old, struct vidmm_table *table)
    HOLDS(vidmm->lock);
/* The same for leaves: whatever is valid there is written again. */
void leaf_rewrite_locked(struct vidmm *vidmm, struct vidmm_table *leaf) HOLDS(vidmm->lock);
/* Tells the driver of each that it leaves memory; the root is gone. Reserved: two operations for
 * each, and two more. */
void tables_evict_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock);
/* Of the paging space: the second half of its tables, which are fresh, takes the place of the
 * first, which goes into the list `old`. */
void tables_supersede_locked(struct vidmm *vidmm, struct vidmm_space *space, struct list *old)
    HOLDS(vidmm->lock);
/* The window shows all tables of others, as it did. */
void windows_show_again_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);
/* The driver hears that the old ones leave, and they die. An operation for each is reserved. */
void tables_left_locked(struct vidmm *vidmm, struct vidmm_space *space, struct list *old)
    HOLDS(vidmm->lock);
/* Segments that tables of processes lie in, as bits. */
uint32_t tables_segments(const struct vidmm *vidmm);

/* table.c, the end */
/* No context runs in the space any more: all tables, and the root, are gone. */
void tables_end_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock);
/* The flush that dropped ones wait for is the last operation queued. */
void tables_flushed_locked(struct vidmm *vidmm) HOLDS(vidmm->lock);
/* The CPU sees it no more: view.c. */
void table_drop_view(struct vidmm *vidmm, struct vidmm_table *table) NOT_HELD(vidmm->lock);
/* The space whose table lies there; NULL: it is none. */
static inline struct vidmm_space *table_space_of(const struct vidmm_allocation *allocation)
{
    return (allocation->flags & VIDMM_ALLOCATION_TABLE) != 0
               ? container_of(allocation, struct vidmm_table, memory)->space
               : NULL;
}
/* Want of system memory: want.c. Has anybody to wait who wants it, and just did not get it? */
bool want_waits_locked(struct vidmm *vidmm, struct vidmm_wait *wait) HOLDS(vidmm->lock);
/* There are not so many: page tables that nobody keeps leave, if that is enough. */
void want_pages_locked(struct vidmm *vidmm, uint64_t pages) HOLDS(vidmm->lock);
/* What failed for want of it waits, if some is to come. */
void want_judge_locked(struct vidmm *vidmm, struct vidmm_prepare_result *result)
    HOLDS(vidmm->lock);
/* The space's tables are away, and could not come back: do others have what they take? */
bool want_may_return_locked(struct vidmm *vidmm, const struct vidmm_space *space, NTSTATUS status)
    HOLDS(vidmm->lock);
/* Pages of system memory that its tables have. */
uint64_t want_system_pages(const struct vidmm_space *space);
/* As if there were none for the allocation [VARY_MOVED_TABLES]. */
bool want_happens_locked(struct vidmm *vidmm, const struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* Gives back dead ones whose time has come. */
void tables_bury(struct vidmm *vidmm) NOT_HELD(vidmm->lock);
struct vidmm_location table_place(struct vidmm *vidmm, const struct vidmm_table *table);
/* Entries [first, first + count). Reserved before; the caller says what they are. */
struct vidmm_op *table_update_locked(struct vidmm *vidmm, struct vidmm_table *table, uint32_t first,
                                     uint32_t count, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* Entries of leaves that are to be as others: a run of the one, from places in others that are told
 * range by range. Reserved before. */
bool table_is_copied(struct vidmm *vidmm, const struct vidmm_table *table) HOLDS(vidmm->lock);
struct vidmm_op *table_copy_locked(struct vidmm *vidmm, struct vidmm_table *table,
                                   struct vidmm_allocation *allocation) HOLDS(vidmm->lock);
void table_copy_range_locked(struct vidmm *vidmm, struct vidmm_op *op, struct vidmm_table *source,
                             const struct vidmm_copy_range *entries) HOLDS(vidmm->lock);
/* All entries invalid, for the first time. */
void table_clear_locked(struct vidmm *vidmm, struct vidmm_table *table) HOLDS(vidmm->lock);
/* Its entry in the parent, as it is now. */
void table_show_locked(struct vidmm *vidmm, struct vidmm_table *parent, uint32_t slot)
    HOLDS(vidmm->lock);

/* mapping.c */
/* Memory segments with pages of 64 KiB, as bits. */
uint32_t segments_64k(const struct vidmm *vidmm);
/* Would its mappings be of the same kinds of pages, if it could be in these segments? */
bool mappings_stand_locked(const struct vidmm *vidmm, const struct vidmm_allocation *allocation,
                           uint32_t segments) HOLDS(vidmm->lock);
static inline uint64_t mapping_end(const struct vidmm_mapping *mapping)
{
    return mapping->page_first + mapping->page_count;
}

/* The first mapping that ends behind the page, and the one after; or NULL. */
struct vidmm_mapping *mapping_from(struct vidmm_space *space, uint64_t page);
struct vidmm_mapping *mapping_next(struct vidmm_space *space, struct vidmm_mapping *mapping);
/* How many have pages in [first, end). */
size_t mappings_in(struct vidmm_space *space, uint64_t first, uint64_t end);
/* Whatever is mapped there goes; in its stead comes what is wanted: pages, or zeros, or nothing. */
NTSTATUS MUST_CHECK mapping_replace_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                           const struct vidmm_mapping *wanted,
                                           struct vidmm_wait *wait) HOLDS(vidmm->lock);
/* Of a valid entry that shows the allocation in the segment; 0: its frames. */
uint32_t pte_flags(const struct vidmm_allocation *allocation, unsigned segment, bool read_only);
/* Writes, or clears, the entries of all that shows the allocation; allocation->mapping_operations
 * are reserved. */
void mappings_show_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
void mappings_hide_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* The allocation ends. */
NTSTATUS MUST_CHECK mappings_end_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* The run of a leaf is copied from where the same pages are shown already: the entries are those
 * of the time at which the commands run. False: it has to be written. copied.c. */
bool mapping_copy_run_locked(struct vidmm *vidmm, struct vidmm_mapping *mapping,
                             struct vidmm_table *leaf, const struct page_span *run)
    HOLDS(vidmm->lock);
/* They are away from now on: no entry is valid. */
void mappings_away_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock);
/* All tables that they may need. PENDING: wait. */
NTSTATUS MUST_CHECK mappings_ensure_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                           struct vidmm_wait *wait) HOLDS(vidmm->lock);
/* The most operations that mappings_return_locked() takes. */
size_t mappings_return_operations(struct vidmm_space *space);
/* Written to tables that are new. */
void mappings_return_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock);
/* The same for those that are written anyway, to tables that took the place of others. */
void mappings_rewrite_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock);
/* Everything in the space, without operations: nobody looks at it any more. */
void mappings_forget_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock);
/* Zeros are written again after a reset; what shows allocations waits for them to come. */
void mappings_restore_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock);

/* scratch.c */
/* Addresses for the scratch area, once; nothing for other spaces. */
NTSTATUS MUST_CHECK scratch_reserve_locked(struct vidmm *vidmm, struct vidmm_space *space)
    HOLDS(vidmm->lock);
NTSTATUS MUST_CHECK scratch_start_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                         struct vidmm_wait *wait) HOLDS(vidmm->lock);
void scratch_stop_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock);
/* A paging buffer gets an address, and is shown there. NO_MEMORY: none is left. */
NTSTATUS MUST_CHECK buffer_give_address_locked(struct vidmm *vidmm, struct vidmm_dma_buffer *buffer)
    HOLDS(vidmm->lock);
void buffer_show_locked(struct vidmm *vidmm, struct vidmm_dma_buffer *buffer) HOLDS(vidmm->lock);
/* The most operations that it takes. */
size_t buffer_show_operations(const struct vidmm_dma_pool *pool);
/* Is the allocation moved by virtual address? */
bool scratch_moves(const struct vidmm *vidmm, const struct vidmm_allocation *allocation);
size_t scratch_operations(const struct vidmm *vidmm, const struct vidmm_allocation *allocation);
void scratch_transfer_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                             const struct paging_transfer *transfer) HOLDS(vidmm->lock);
void scratch_fill_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* INIT_CONTEXT of all of it, where it was placed. */
void scratch_init_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* Piece by piece: the allocation is about to leave system memory. */
void scratch_notify_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
bool scratch_notifies(struct vidmm *vidmm, const struct vidmm_allocation *allocation);
/* Does the paging space show its own leaves? */
bool scratch_shows_leaves(const struct vidmm *vidmm);
/* The page that shows a leaf of the scratch area. */
uint64_t scratch_leaf_page(const struct vidmm_table *table);
/* The window of the paging space shows the table, or shows it no more. */
void window_show_locked(struct vidmm *vidmm, struct vidmm_table *table) HOLDS(vidmm->lock);
void window_hide_locked(struct vidmm *vidmm, struct vidmm_table *table) HOLDS(vidmm->lock);

/* ---- Residency ------------------------------------------------------------------------------- */

/* What a paging queue was asked for. */
struct request {
    struct list link; /* in its queue */
    struct vidmm_queue *queue;
    struct vidmm_residency *list; /* NULL: nothing is made resident */
    uint64_t value;               /* of the queue's fence */
    uint64_t paging_sequence;     /* once placed */
    bool placed;
    size_t pinned, count;
    struct vidmm_allocation *allocations[]; /* NULL: evicted or destroyed since */
};

/* An allocation on a residency list. */
struct membership {
    struct list list_link, allocation_link;
    struct vidmm_residency *list;
    struct vidmm_allocation *allocation;
    uint32_t count, leaving;
    uint32_t asked;          /* entries of requests that name it */
    bool demanded;           /* it is among the list's demands */
    struct request *request; /* by which it joins; NULL: it has */
};

/* queue.c */
/* Tells what is reached; may call back. */
void queues_signal(struct vidmm *vidmm) NOT_HELD(vidmm->lock);
/* What requests were asked for of the list is not on it any more. */
void requests_forget_locked(struct vidmm *vidmm, const struct membership *membership)
    HOLDS(vidmm->lock);
/* The one group that it can be in, or -1. */
int residency_group(const struct vidmm *vidmm, const struct vidmm_allocation *allocation);

/* pack.c */
/* Bytes of the list that find no place when all of it is placed anew, the largest first, between
 * what never moves. 0 where there is so much room that it is not looked for. */
uint64_t pack_excess_locked(struct vidmm *vidmm, const struct vidmm_residency *list)
    HOLDS(vidmm->lock);
/* Is it a page table that stays where it is when all of the list is in place? */
bool table_stays(const struct vidmm_allocation *allocation, const struct vidmm_residency *list);

/* residency.c */
/* For qsort, of pointers to memberships: the largest first. */
int membership_compare(const void *a, const void *b);
struct membership *membership_find(const struct vidmm_residency *list,
                                   const struct vidmm_allocation *allocation);
/* NULL: no memory. */
struct membership *membership_make_locked(struct vidmm *vidmm, struct vidmm_residency *list,
                                          struct vidmm_allocation *allocation,
                                          struct request *request) HOLDS(vidmm->lock);
void membership_end_locked(struct vidmm *vidmm, struct membership *membership) HOLDS(vidmm->lock);
void membership_joined(struct membership *membership);
/* What lists demand for it changes: before and after. */
void residency_recount_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation, bool after)
    HOLDS(vidmm->lock);
/* It is on no list any more. */
void residency_end_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* Lists that ran have used it. */
void residency_used(struct vidmm_allocation *allocation);
/* The allocation has its place. */
void residency_came_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
/* It has lost its place, or was offered, or reclaimed: lists miss it, or do without. */
void residency_sort_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock);
bool residency_holds(const struct vidmm_allocation *allocation);
/* A use holds it no more. */
void residency_release_locked(struct vidmm *vidmm, struct vidmm_residency *list) HOLDS(vidmm->lock);

/* swizzle.c */
/* The flags of an allocation: what no memory segment takes is not swizzled. */
uint32_t swizzle_flags(const struct vidmm *vidmm, const struct vidmm_allocation_options *options);
/* The backing store has what the CPU saw, and must be swizzled before the GPU sees it. */
bool swizzle_is_linear(const struct vidmm_allocation *allocation);
/* The bytes that it has must be unswizzled before the CPU sees them. */
bool swizzle_hides(const struct vidmm_allocation *allocation);
/* Does the transfer, which is to be queued, change the layout? */
bool swizzle_converts(const struct vidmm_allocation *allocation,
                      const struct paging_transfer *transfer);
/* It was queued. */
void swizzle_moved_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                          const struct paging_transfer *transfer) HOLDS(vidmm->lock);
/* For a lock of what hides outside of memory segments: into one, and unswizzled out of it. PENDING:
 * wait says for what room. */
NTSTATUS swizzle_bring_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                              struct vidmm_wait *wait) HOLDS(vidmm->lock);
/* Of operations on swizzled allocations, as shadow_before() and shadow_after(). False: the bytes
 * did not come back. Compared: they were looked at. */
void swizzle_shadow_before(struct vidmm_op *op);
bool swizzle_shadow_after(struct vidmm_op *op, bool *compared);

/* shadow.c; called without the lock, the operation belongs to the caller. */
void shadow_before(struct vidmm_op *op);
void shadow_after(struct vidmm_op *op);
void shadow_forget(struct vidmm_op *op);
/* Of the whole allocation, in the operation's frames. False: they cannot be read. */
bool shadow_hash(const struct vidmm_op *op, uint64_t *hash);

#endif
