/* vidmm: the video memory manager. Where allocations live, and the paging work that moves them.
 *
 * A *segment* is a part of what the GPU can address: a linear memory segment has storage of its own
 * (VRAM), an aperture segment shows pages of system memory. Segments have ids from 1; id 0 means
 * system memory that the GPU does not see through a segment. An *allocation* has a size, a set of
 * segments it may live in, and a *backing store*: scattered frames of RAM, got when first needed.
 * A *use* is what one DMA buffer needs while it waits and runs; it pins its allocations in place.
 * An *operation* is one piece of paging work for the GPU, in the order it must run.
 *
 *               place: FILL or TRANSFER in           evict: TRANSFER out, or DISCARD if clean
 *     nowhere ─────────────────────────> in a memory segment ──────────────────┐
 *        ^  └──────── place: MAP ──────> in an aperture ── evict: UNMAP ──┐    │
 *        └────────────────────────────────────────────────────────────────┴────┘
 *
 * Placement runs ahead of the GPU. All operations form one queue that runs in order; when an
 * eviction is decided, the allocation counts as gone and its range may be given away at once, for
 * whatever comes into it is queued behind. So state here is "as after the last operation queued";
 * who needs the bytes themselves (a packet, a CPU lock) waits for a *paging sequence* number: the
 * number of the last operation that touched the allocation. Only idle allocations are evicted:
 * those that no use pins.
 *
 *     vidmm_prepare(use) ── READY, paging_sequence ──> wait until vidmm_paging_reached(it), submit,
 *        │                                             vidmm_use_submitted(), ...
 * vidmm_use_retire() ├── SPLIT at reference k: submit [first, k), prepare a second use with first =
 * k ├── WAIT: let the packet (node, fence) or the paging sequence finish, prepare again └── FAILED:
 * status says why; can never work
 *
 *     while ((op = vidmm_paging_next(vidmm)))  build it, submit it;  its fence:
 * vidmm_paging_done(op)
 *
 * After every call of this header that may queue operations the owner pulls with
 * vidmm_paging_next(); nothing here runs by itself. A prepare that does not end READY leaves no pin
 * behind, but may have moved allocations: where something lives is no promise to anybody without a
 * pin.
 *
 * Ownership: allocations, uses, processes, devices and pools are embedded in the owner's objects;
 * vidmm keeps pointers to them between _init and _fini. Fields are for vidmm to write.
 *
 * Locking: vidmm->lock guards everything. No backend callback is called with it held. Calls that
 * take an allocation expect the owner to keep that allocation alive. */
#ifndef VIDMM_VIDMM_H
#define VIDMM_VIDMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "machine/machine.h"

#define VIDMM_SEGMENT_COUNT_MAX 32
#define VIDMM_PREFERENCE_COUNT  5
#define VIDMM_GROUP_COUNT       2
#define VIDMM_PAGE_BYTES        UINT64_C(4096)
#define VIDMM_NO_SLOT           UINT32_MAX
#define VIDMM_PRIORITY_NORMAL   0x78000000u      /* as D3DDDI_ALLOCATIONPRIORITY counts */
#define VIDMM_SEGMENT_BIT(id)   (1u << ((id)-1)) /* in a segment set */

struct vidmm;
struct vidmm_allocation;
struct vidmm_use;
struct vidmm_process;
struct vidmm_op;
struct vidmm_dma_buffer;
struct vidmm_policy;

/* ---- The manager and its segments -------------------------------------------------------- */

enum vidmm_group { VIDMM_GROUP_LOCAL, VIDMM_GROUP_NON_LOCAL };

enum vidmm_segment_flags {
    VIDMM_SEGMENT_APERTURE = 1u << 0,       /* otherwise linear memory */
    VIDMM_SEGMENT_CPU_VISIBLE = 1u << 1,    /* backend.map_segment works on it */
    VIDMM_SEGMENT_CACHE_COHERENT = 1u << 2, /* aperture: entries may be cache coherent */
    VIDMM_SEGMENT_USE_BANKING = 1u << 3,
    VIDMM_SEGMENT_PRESERVED = 1u << 4, /* keeps its content in low power: not evicted for it */
    VIDMM_SEGMENT_PAGES_64K = 1u << 5, /* sizes and offsets in 64 KiB units */
};

struct vidmm_segment_options {
    uint32_t flags;              /* enum vidmm_segment_flags */
    uint64_t base_address;       /* as the GPU sees byte 0 */
    uint64_t size_bytes;         /* rounded down to pages */
    uint64_t commit_limit_bytes; /* most that may be placed at a time; 0: size */
    uint64_t cpu_base_address;   /* physical, of byte 0, if CPU visible; kept for the owner */
    enum vidmm_group group;
    unsigned bank_count;       /* ends of banks are offsets; only with USE_BANKING */
    const uint64_t *bank_ends; /* copied */
};

struct vidmm_mismatch; /* see Shadow, below */

/* What vidmm needs of the world. dxgk fills it in; tests have a mock. Callbacks may be NULL where
 * it says so. */
struct vidmm_backend {
    /* A CPU pointer to bytes of a CPU-visible memory segment (the BAR). NULL: not possible now. */
    void *(*map_segment)(struct vidmm *vidmm, unsigned segment, uint64_t offset, size_t size_bytes);
    void (*unmap_segment)(struct vidmm *vidmm, unsigned segment, uint64_t offset, void *view,
                          size_t size_bytes);
    /* For the shadow: copies bytes out of a memory segment behind the GPU's back. False: cannot.
     * May be NULL. */
    bool (*read_segment)(struct vidmm *vidmm, unsigned segment, uint64_t offset, void *bytes,
                         size_t size_bytes);
    /* The shadow found wrong bytes. May be NULL. */
    void (*shadow_mismatch)(struct vidmm *vidmm, const struct vidmm_mismatch *mismatch);
    /* The process uses more of a group than its budget; it should give up some. May be NULL. */
    void (*trim)(struct vidmm *vidmm, struct vidmm_process *process, enum vidmm_group group,
                 uint64_t bytes_over);
};

struct vidmm_config {
    const struct vidmm_backend *backend;
    void *owner;                                  /* the adapter; vidmm_owner() */
    const struct vidmm_segment_options *segments; /* copied; entry 0 has id 1 */
    unsigned segment_count;
    const struct vidmm_policy *policy; /* NULL: vidmm_policy_etr */
    uint64_t transfer_bytes_max; /* longer transfers become several; 0: no limit. Page multiple */
    uint32_t fill_pattern;       /* what allocations hold before anybody wrote */
    bool skip_fill;              /* leave new memory as it is: saves the FILL operations */
    bool evict_clean_by_discard; /* trust the write marks of references: an allocation that
                                    nobody wrote since it came in is not copied out again */
    bool evict_before_spill;     /* evict from the first preferred segment rather than take the
                                    free space of the second */
};

/* Fails with INVALID_PARAMETER when the segments make no sense, or NO_MEMORY. */
NTSTATUS MUST_CHECK vidmm_create(const struct vidmm_config *config, struct vidmm **out);
/* Every allocation, use, process, device and pool has to be gone. NULL is fine. */
void vidmm_destroy(struct vidmm *vidmm);
void *vidmm_owner(const struct vidmm *vidmm);
unsigned vidmm_segment_count(const struct vidmm *vidmm);
/* NULL if there is no such segment. Sizes are as rounded. */
const struct vidmm_segment_options *vidmm_segment(const struct vidmm *vidmm, unsigned segment);
/* The frame that unmapped ranges of apertures show; vidmm watches it: see vidmm_dummy_intact. */
uint64_t vidmm_dummy_frame(const struct vidmm *vidmm);
/* False if somebody wrote to the dummy page (bug check 0x10E, 0x25). */
bool vidmm_dummy_intact(const struct vidmm *vidmm);

struct vidmm_segment_usage {
    uint64_t size_bytes, free_bytes, largest_free_bytes, committed_bytes;
    uint32_t allocation_count;
};
void vidmm_segment_usage(struct vidmm *vidmm, unsigned segment, struct vidmm_segment_usage *out);

/* ---- Processes: who pays ----------------------------------------------------------------- */

struct vidmm_process {
    struct vidmm *vidmm;
    struct list link;
    uint64_t budget_bytes[VIDMM_GROUP_COUNT]; /* UINT64_MAX: none */
    uint64_t usage_bytes[VIDMM_GROUP_COUNT];  /* placed in segments of the group */
    uint32_t allocation_count;
    bool trim_pending[VIDMM_GROUP_COUNT];
};
void vidmm_process_init(struct vidmm_process *process, struct vidmm *vidmm);
/* Allocations that are left, since other processes use them too, count for nobody from then on. */
void vidmm_process_fini(struct vidmm_process *process);
/* Calls trim if the process is over the new budget. */
void vidmm_process_set_budget(struct vidmm_process *process, enum vidmm_group group,
                              uint64_t bytes);
/* Runs trim for processes that grew over their budget since the last call. */
void vidmm_trim(struct vidmm *vidmm);

/* ---- Allocations ------------------------------------------------------------------------- */

enum vidmm_allocation_flags {
    VIDMM_ALLOCATION_PRIMARY = 1u << 0,
    VIDMM_ALLOCATION_CPU_VISIBLE = 1u << 1,      /* vidmm_lock() may be called */
    VIDMM_ALLOCATION_CACHED = 1u << 2,           /* cached for the CPU; otherwise write combined */
    VIDMM_ALLOCATION_PERMANENT_SYSMEM = 1u << 3, /* its backing store is always kept up to date */
    VIDMM_ALLOCATION_SWIZZLED = 1u << 4, /* not linear in VRAM; the CPU sees it in RAM only */
    VIDMM_ALLOCATION_OVERLAY = 1u << 5,
    VIDMM_ALLOCATION_PINNED = 1u << 6, /* once placed, it stays */
    VIDMM_ALLOCATION_SYNCHRONOUS_PAGING = 1u << 7,
    VIDMM_ALLOCATION_PHYSICAL = 1u << 8, /* accessed by physical address: never paged by VA */
    VIDMM_ALLOCATION_NO_FILL = 1u << 9,  /* nobody else's bytes can show: the kernel's own */
};

/* One of the driver's preferred segments. */
struct vidmm_preference {
    unsigned segment; /* 0: end of the list */
    bool from_end;    /* place at the high end of the segment */
};

struct vidmm_allocation_options {
    uint64_t size_bytes;                    /* rounded up to pages; not 0 */
    uint64_t alignment_bytes;               /* a power of two; 0: a page */
    uint32_t read_segments, write_segments; /* sets; in WDDM 2 give both the same */
    uint32_t eviction_segments; /* apertures to copy through when evicted; 0: straight */
    struct vidmm_preference preferences[VIDMM_PREFERENCE_COUNT];
    uint32_t flags; /* enum vidmm_allocation_flags */
    uint32_t priority;
    struct vidmm_process *process;   /* NULL: the system's own */
    uint32_t object;                 /* its number in the record; names it in messages */
    const uint64_t *existing_frames; /* not NULL: its backing store, the caller's memory; copied */
};

enum vidmm_content {
    VIDMM_CONTENT_NONE,   /* nobody wrote; the fill pattern stands for it */
    VIDMM_CONTENT_SYSTEM, /* in the backing store */
    VIDMM_CONTENT_LOCAL,  /* in the memory segment only: the backing store is stale */
    VIDMM_CONTENT_BOTH,   /* in the memory segment, and unchanged in the backing store */
};

/* What policies know of an allocation. Ticks count prepares. */
struct vidmm_history {
    uint64_t size_bytes;
    uint64_t last_tick; /* of the last use; 0: never */
    uint64_t interval;  /* smoothed ticks between uses; 0: unknown */
    uint64_t use_count;
    uint64_t placed_tick;
};

struct vidmm_allocation {
    /* Fixed at init. */
    struct vidmm *vidmm;
    struct vidmm_process *process;
    uint64_t size_bytes, alignment_bytes;
    uint32_t read_segments, write_segments, eviction_segments;
    struct vidmm_preference preferences[VIDMM_PREFERENCE_COUNT];
    uint32_t flags, object;
    uint32_t number; /* in order of creation, never reused: the order of everything */
    bool frames_borrowed;

    /* vidmm->lock. */
    struct list link;          /* in vidmm->allocations, by number */
    struct list resident_link; /* in its segment, by time of placement */
    uint32_t priority;
    unsigned segment; /* where it is after the last operation queued; 0: nowhere */
    uint64_t offset;  /* in the segment */
    uint32_t range;   /* node of the segment's range allocator */
    enum vidmm_content content;
    uint64_t *frames;         /* the backing store, or NULL; size_bytes / 4096 of them */
    uint32_t use_count;       /* uses that pin it */
    uint32_t pin_count;       /* vidmm_pin() */
    uint32_t lock_count;      /* CPU locks */
    uint32_t operation_count; /* queued or running operations that name it */
    uint64_t paging_sequence; /* of the last operation that touches it */
    uint32_t resident_count;  /* devices that have it on their list */
    bool offered, discarded, lost, dying;
    void *view;           /* the CPU's view while locked */
    bool view_is_segment; /* a BAR, of the segment and offset that follow */
    unsigned view_segment;
    uint64_t view_offset;
    struct vidmm_history history;
    uint64_t prepare_mark; /* which prepare saw it last */
    uint64_t write_mark;   /* which prepare writes to it */
    /* What the driver was told: runs behind segment and offset. For reset. */
    unsigned known_segment;
    uint64_t known_offset;
    uint64_t shadow_hash; /* of the backing store since it was copied out, if valid */
    bool shadow_hash_valid;
    bool aborted; /* an operation was given up; abort_content is what remained */
    enum vidmm_content abort_content;
};

NTSTATUS MUST_CHECK vidmm_allocation_init(struct vidmm_allocation *allocation, struct vidmm *vidmm,
                                          const struct vidmm_allocation_options *options);

/* ---- Waits --------------------------------------------------------------------------------- */

enum vidmm_wait_kind {
    VIDMM_WAIT_NONE,
    VIDMM_WAIT_USE,    /* for a use to retire: packet `fence` of `node`, once it is submitted */
    VIDMM_WAIT_PAGING, /* for vidmm_paging_reached(paging_sequence) */
    VIDMM_WAIT_LOCK,   /* for a CPU to unlock `allocation` */
};

struct vidmm_wait {
    enum vidmm_wait_kind kind;
    bool submitted; /* the use is on the hardware: node and fence are valid */
    unsigned node;
    uint64_t fence;
    struct vidmm_use *use;
    struct vidmm_allocation *allocation;
    uint64_t paging_sequence;
};

/* A number that grows whenever something ended that a wait may be for: a use, paging, a lock, a
 * pin. Whoever was told to wait tries again when it is not what it was. */
uint64_t vidmm_progress(struct vidmm *vidmm);

/* Ends an allocation: unmaps it if it is in an aperture. STATUS_SUCCESS with wait->paging_sequence
 * 0: the driver's handle may be destroyed and vidmm_allocation_fini() called. Otherwise wait, for
 * that sequence or (STATUS_PENDING) for what wait says, and call again: a reset may have come. */
NTSTATUS MUST_CHECK vidmm_allocation_retire(struct vidmm_allocation *allocation,
                                            struct vidmm_wait *wait);
/* Gives back frames and memory. Retired, or never placed. Accepts a zeroed struct. */
void vidmm_allocation_fini(struct vidmm_allocation *allocation);
void vidmm_allocation_set_priority(struct vidmm_allocation *allocation, uint32_t priority);

struct vidmm_location {
    unsigned segment; /* 0: nowhere */
    uint64_t offset;
    uint64_t address; /* segment base + offset */
};
/* Where it is now: for pre-patching. Only a promise while pinned. */
void vidmm_allocation_location(struct vidmm_allocation *allocation, struct vidmm_location *out);

/* Makes sure there is a backing store; its frames stay for the life of the allocation. */
NTSTATUS MUST_CHECK vidmm_allocation_commit(struct vidmm_allocation *allocation);

/* Somebody wrote to it where it lies without a reference that said so: the owner's own operations
 * (page tables, contexts). Only matters with evict_clean_by_discard. */
void vidmm_allocation_written(struct vidmm_allocation *allocation);

/* Content that may be thrown away until it is reclaimed. Offered allocations are evicted first.
 * STATUS_PENDING (wait) while it is in use. */
NTSTATUS MUST_CHECK vidmm_offer(struct vidmm_allocation *allocation, struct vidmm_wait *wait);
/* *discarded: the content is gone. */
void vidmm_reclaim(struct vidmm_allocation *allocation, bool *discarded);

/* ---- Uses: residency for one DMA buffer ---------------------------------------------------- */

struct vidmm_use {
    struct vidmm *vidmm;
    struct list link; /* in vidmm->uses while it pins something, by order of prepare */
    struct vidmm_allocation **pinned;
    size_t pinned_count, pinned_capacity, carried_count;
    bool submitted, waiting;
    unsigned node;
    uint64_t fence;
};

void vidmm_use_init(struct vidmm_use *use, struct vidmm *vidmm);
/* Drops what is still pinned. */
void vidmm_use_fini(struct vidmm_use *use);

/* One element of the patch list (or of the allocation list, when there is no patch list). */
struct vidmm_reference {
    struct vidmm_allocation *allocation; /* NULL: unbinds the slot */
    bool write;
    uint32_t slot;     /* a later element with the same slot ends this one's binding */
    uint32_t segments; /* not 0: only these, for this use */
};

struct vidmm_prepare_request {
    const struct vidmm_reference *references;
    size_t count;
    size_t first;       /* the part begins here; not 0 after a split */
    bool bindings_stay; /* what is bound in slots at `first` is used on and may not move: parts that
                           run back to back. Prepare the second part before the first retires */
    bool may_split;     /* otherwise too big is FAILED */
};

enum vidmm_outcome { VIDMM_READY, VIDMM_SPLIT, VIDMM_WAIT, VIDMM_FAILED };

struct vidmm_prepare_result {
    enum vidmm_outcome outcome;
    size_t end; /* READY: count. SPLIT: first element that did not fit; [first, end) is
                   pinned and ready like with READY */
    uint64_t
        paging_sequence; /* READY, SPLIT: wait for it before submitting; 0: nothing to wait for */
    struct vidmm_wait wait; /* WAIT */
    NTSTATUS status;        /* FAILED: NO_MEMORY, or GRAPHICS_NO_VIDEO_MEMORY */
};

/* Makes everything resident that the part needs, and pins it for the use. */
void vidmm_prepare(struct vidmm_use *use, const struct vidmm_prepare_request *request,
                   struct vidmm_prepare_result *result);
/* The packet is on the hardware; resubmission under another fence says so again. */
void vidmm_use_submitted(struct vidmm_use *use, unsigned node, uint64_t fence);
/* The packet is done, cancelled or thrown away: drops the pins. The use may be prepared again. */
void vidmm_use_retire(struct vidmm_use *use);

/* Places an allocation and keeps it there until unpinned (a primary on screen, a page table).
 * `segments` as in a reference. WAIT and FAILED as with prepare. */
void vidmm_pin(struct vidmm_allocation *allocation, uint32_t segments,
               struct vidmm_prepare_result *result);
void vidmm_unpin(struct vidmm_allocation *allocation);

/* Evicts one idle allocation now. STATUS_PENDING (wait) while something holds it. */
NTSTATUS MUST_CHECK vidmm_evict(struct vidmm_allocation *allocation, struct vidmm_wait *wait);

/* ---- Devices of WDDM 2: residency by list --------------------------------------------------- */

struct vidmm_residency {
    struct vidmm_allocation *allocation;
    uint32_t count;
};

struct vidmm_device {
    struct vidmm *vidmm;
    struct vidmm_residency *entries; /* by allocation number */
    size_t entry_count, entry_capacity;
};
void vidmm_device_init(struct vidmm_device *device, struct vidmm *vidmm);
void vidmm_device_fini(struct vidmm_device *device);
/* Counts the allocations up on the device's list; all or none [RES-001]. Does not place anything.
 */
NTSTATUS MUST_CHECK vidmm_device_add(struct vidmm_device *device,
                                     struct vidmm_allocation *const *allocations, size_t count);
/* Counts down; INVALID_PARAMETER, and nothing changed, if one was not on the list. */
NTSTATUS MUST_CHECK vidmm_device_remove(struct vidmm_device *device,
                                        struct vidmm_allocation *const *allocations, size_t count);
/* How often it is on the list. */
uint32_t vidmm_device_count(struct vidmm_device *device, const struct vidmm_allocation *allocation);
/* Makes the whole list resident for one submission [RES-002]. */
void vidmm_device_prepare(struct vidmm_device *device, struct vidmm_use *use,
                          struct vidmm_prepare_result *result);

/* ---- Paging operations ----------------------------------------------------------------------- */

enum vidmm_op_kind {
    VIDMM_OP_TRANSFER,       /* move */
    VIDMM_OP_FILL,           /* fill */
    VIDMM_OP_DISCARD,        /* discard */
    VIDMM_OP_MAP_APERTURE,   /* aperture */
    VIDMM_OP_UNMAP_APERTURE, /* aperture */
    VIDMM_OP_KIND_COUNT
};

enum vidmm_reason {
    VIDMM_REASON_PLACE,    /* somebody needs it there */
    VIDMM_REASON_PRESSURE, /* somebody else needs the room */
    VIDMM_REASON_LOCK,     /* the CPU wants to see it */
    VIDMM_REASON_POWER,
    VIDMM_REASON_RESET,
    VIDMM_REASON_DESTROY,
    VIDMM_REASON_OWNER,
};

/* One side of a move. */
struct vidmm_side {
    unsigned segment; /* 0: op->frames from op->frame_first on */
    uint64_t offset;  /* of the allocation's first byte in the segment */
    uint64_t address; /* segment base + offset */
};

struct vidmm_move {
    struct vidmm_side source, destination;
    uint64_t offset;     /* "TransferOffset": of this piece in the allocation */
    uint64_t size_bytes; /* of this piece; 0: forget it, the content was lost [XFER-007] */
    bool start, end;     /* first and last piece of a transfer [XFER-016] */
};

struct vidmm_fill {
    struct vidmm_side destination;
    uint64_t size_bytes;
    uint32_t pattern;
};

struct vidmm_discard {
    struct vidmm_side source;
    enum vidmm_content left; /* vidmm's own: what remains */
};

struct vidmm_aperture {
    unsigned segment;
    uint64_t page_first; /* in pages from the start of the segment */
    size_t page_count;
    uint64_t dummy_frame; /* UNMAP: what the range shows from then on */
    bool coherent;        /* MAP: CPU caches see it */

    /* vidmm's own. */
    bool fill_first;       /* MAP: the frames get the fill pattern before */
    bool temporary;        /* only for the moves between MAP and UNMAP */
    uint64_t map_sequence; /* UNMAP of a temporary range: the MAP's */
};

/* Everything the owner needs to ask for it: a head that all have in common, and the member of the
 * union that its kind names. Fixed once handed out but for what is the owner's. */
struct vidmm_op {
    struct list link;
    enum vidmm_op_kind kind;
    enum vidmm_reason reason;
    uint64_t sequence; /* 1, 2, 3 ... in the order they run */
    uint64_t after;    /* handed out only when this sequence is reached: ranges of an aperture are
                          never reprogrammed below running work */
    struct vidmm_allocation *allocation; /* or else */
    struct vidmm_dma_buffer *dma_buffer; /* mapped or unmapped with a null allocation */
    const uint64_t *frames;              /* its system memory, if it has any */
    size_t frame_count;
    size_t frame_first; /* "MdlOffset": of the first page of this piece */
    bool idle;          /* nothing on the GPU uses the allocation, nor will before this is done */

    union {
        struct vidmm_move move;
        struct vidmm_fill fill;
        struct vidmm_discard discard;
        struct vidmm_aperture aperture;
    };

    /* For the owner, while it has the operation. */
    uint32_t owner_multipass;

    /* vidmm's own. */
    struct vidmm *vidmm;
    uint8_t *shadow_bytes;
};

/* The next operation to build, or NULL when none may be started now. Hands each out once, in
 * order; everything handed out has to come back through vidmm_paging_done(), in the same order. */
struct vidmm_op *vidmm_paging_next(struct vidmm *vidmm);
/* The operation's fence passed (or it needed none), or it was given up (status an error). Frees
 * it. */
void vidmm_paging_done(struct vidmm_op *op, NTSTATUS status);
/* Has every operation up to this sequence ended? 0: yes. */
bool vidmm_paging_reached(struct vidmm *vidmm, uint64_t sequence);
uint64_t vidmm_paging_completed(struct vidmm *vidmm); /* sequence */
uint64_t vidmm_paging_queued(struct vidmm *vidmm);    /* sequence of the last one queued */
/* Operations not handed out yet? For "is there paging work at all". */
bool vidmm_paging_waiting(struct vidmm *vidmm);
const char *vidmm_op_name(enum vidmm_op_kind kind); /* "Transfer" */

/* ---- The CPU's access ------------------------------------------------------------------------ */

enum vidmm_lock_flags {
    VIDMM_LOCK_READ_ONLY = 1u << 0,
    VIDMM_LOCK_DISCARD = 1u << 1,     /* the old content is not needed */
    VIDMM_LOCK_DO_NOT_WAIT = 1u << 2, /* GRAPHICS_ALLOCATION_BUSY instead of PENDING */
    VIDMM_LOCK_IGNORE_SYNC = 1u << 3, /* even while the GPU uses it, if it need not move */
    VIDMM_LOCK_DO_NOT_EVICT =
        1u << 4, /* GRAPHICS_CANT_EVICT_PINNED_ALLOCATION instead of moving it */
};

/* A pointer to its bytes, where they are if the CPU can see that, else in the backing store after
 * an eviction. While locked it does not move. SUCCESS; PENDING: wait says for what, call again;
 * GRAPHICS_ALLOCATION_BUSY, GRAPHICS_CANT_EVICT_PINNED_ALLOCATION, NO_MEMORY, INVALID_PARAMETER
 * (not CPU visible). */
NTSTATUS MUST_CHECK vidmm_lock(struct vidmm_allocation *allocation, uint32_t flags, void **pointer,
                               struct vidmm_wait *wait);
/* INVALID_PARAMETER if it was not locked. */
NTSTATUS MUST_CHECK vidmm_unlock(struct vidmm_allocation *allocation);

/* Behind the GPU's back, for screenshots and checks: copies bytes out of wherever they are now.
 * PENDING while paging is under way. */
NTSTATUS MUST_CHECK vidmm_read(struct vidmm_allocation *allocation, uint64_t offset, void *bytes,
                               size_t size_bytes, struct vidmm_wait *wait);

/* ---- DMA buffers -------------------------------------------------------------------------------
 */

/* A pool serves one context (or the paging process) with buffers of one size. */
struct vidmm_dma_pool {
    struct vidmm *vidmm;
    struct list link;
    uint64_t size_bytes;
    uint32_t segments;    /* apertures to choose from; 0: contiguous system memory */
    size_t private_bytes; /* "DmaBufferPrivateDataSize" */
    uint32_t buffer_count_max;
    struct list idle, busy; /* buffers */
    uint32_t buffer_count, busy_count;
    bool retiring; /* what is acquired now stays unmapped: it serves to unmap the others */
};

struct vidmm_dma_buffer {
    struct vidmm_dma_pool *pool;
    struct list link;
    uint8_t *bytes; /* the CPU's view, page aligned */
    uint64_t size_bytes;
    unsigned segment;          /* 0: contiguous system memory */
    uint64_t address;          /* in the segment's address space; physical if segment is 0 */
    uint64_t physical_address; /* of the first page of its memory */
    uint64_t paging_sequence;  /* mapped once this is reached */
    uint8_t *private_data;     /* private_bytes, zeroed at each acquire */
    void *owner_data;

    uint64_t *frames;
    size_t frame_count;
    uint32_t range; /* where it is mapped, after the last operation queued */
    uint64_t offset;
    bool mapped, known_mapped; /* queued, and told to the driver */
    uint32_t operation_count;
};

struct vidmm_dma_pool_options {
    uint64_t size_bytes;
    uint32_t segments;
    size_t private_bytes;
    uint32_t buffer_count_max; /* 0: 64 */
};
NTSTATUS MUST_CHECK vidmm_dma_pool_init(struct vidmm_dma_pool *pool, struct vidmm *vidmm,
                                        const struct vidmm_dma_pool_options *options);
/* All buffers have been released. Unmaps them; if operations are needed for that, STATUS_PENDING
 * and wait; call again. Accepts a zeroed pool. */
NTSTATUS MUST_CHECK vidmm_dma_pool_retire(struct vidmm_dma_pool *pool, struct vidmm_wait *wait);
void vidmm_dma_pool_fini(struct vidmm_dma_pool *pool);
/* INSUFFICIENT_RESOURCES: every buffer is busy, wait for one to be released. NO_MEMORY. */
NTSTATUS MUST_CHECK vidmm_dma_acquire(struct vidmm_dma_pool *pool, struct vidmm_dma_buffer **out);
/* Its last packet is done. */
void vidmm_dma_release(struct vidmm_dma_buffer *buffer);

/* ---- Power and reset ------------------------------------------------------------------------- */

/* Evicts everything from memory segments that do not keep their content (POWER), or from all
 * segments (OWNER: everything incl. apertures). SUCCESS: done when wait->paging_sequence is
 * reached. PENDING: something holds an allocation; wait, call again. Pinned ones go too if
 * include_pinned: their owner has to pin them again. */
NTSTATUS MUST_CHECK vidmm_evict_all(struct vidmm *vidmm, enum vidmm_reason reason,
                                    bool include_pinned, struct vidmm_wait *wait);

/* After an adapter reset: memory segments lost their bytes. The owner has retired all uses and
 * ended all operations that were handed out (vidmm_paging_done with an error). Operations still
 * queued are dropped; then a TRANSFER of size 0 for each allocation in a memory segment and an
 * UNMAP for each in an aperture [TDR-005] are queued. Content that was only there is marked lost.
 * Pins end; CPU locks stay, but their pointers into a BAR show undefined bytes. */
void vidmm_reset_lost(struct vidmm *vidmm);

/* ---- Shadow ---------------------------------------------------------------------------------- */

struct vidmm_mismatch {
    const struct vidmm_op *op; /* the operation that did it */
    uint64_t offset;           /* in the allocation, of the first wrong byte */
    uint8_t expected, actual;
    uint64_t wrong_bytes;
    bool at_rest; /* the bytes changed in the backing store since they were copied out: whoever
                     wrote there, it was not a paging operation; the other fields but op are zero */
};

/* From now on follows the bytes through every TRANSFER and FILL: source before, destination after.
 * Operations run one at a time while it is on. Swizzled allocations are not followed. */
void vidmm_shadow_enable(struct vidmm *vidmm, bool enable);

/* ---- Policies -------------------------------------------------------------------------------- */

/* The order of eviction among allocations of the same priority. */
struct vidmm_policy {
    const char *name;
    /* The allocation is used at `tick`. Comes before history->last_tick and use_count change. */
    void (*used)(struct vidmm_history *history, uint64_t tick);
    /* Greater goes first. Equal: older placement goes first. */
    uint64_t (*value)(const struct vidmm_history *history, uint64_t tick);
};
extern const struct vidmm_policy vidmm_policy_lru;
extern const struct vidmm_policy vidmm_policy_etr; /* estimated time remaining; the default */
extern const struct vidmm_policy vidmm_policy_mru;
const struct vidmm_policy *vidmm_policy_find(const char *name);

/* ---- Statistics ------------------------------------------------------------------------------ */

struct vidmm_statistics {
    uint64_t paged_in_bytes, paged_out_bytes, filled_bytes, discarded_bytes, lost_bytes;
    uint64_t evictions, placements, splits, waits, failures;
    uint64_t operations[VIDMM_OP_KIND_COUNT];
    uint64_t backing_bytes, mapped_bytes;
    uint64_t shadow_checks, shadow_mismatches;
};
void vidmm_statistics(struct vidmm *vidmm, struct vidmm_statistics *out);

#endif
