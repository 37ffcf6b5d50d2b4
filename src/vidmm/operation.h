/* Paging operations: what the GPU is to do, in the order it must be done, and what a reset leaves.
 *
 *     queued ── vidmm_paging_next ──> in hand ── vidmm_paging_told ──> told
 *                                        └─────── vidmm_paging_done ─────┴──> gone
 *
 * An operation in hand belongs to the owner, who gives it back once, through vidmm_paging_done().
 * A reset takes nothing out of his hand: it revokes what is there. Revoked operations count for
 * nothing any more: op->revoked says so. They are not told to the driver and not submitted, only
 * given back. */
#ifndef VIDMM_OPERATION_H
#define VIDMM_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "vidmm/allocation.h"
#include "vidmm/space.h"

struct vidmm_dma_buffer;

#define VIDMM_OWNER_OFFSETS 4 /* that are kept; an operation may take more calls */

enum vidmm_op_kind {
    VIDMM_OP_TRANSFER,       /* move */
    VIDMM_OP_SPECIAL_LOCK,   /* move: from or to the pages behind an alternate address */
    VIDMM_OP_FILL,           /* fill */
    VIDMM_OP_DISCARD,        /* discard */
    VIDMM_OP_MAP_APERTURE,   /* aperture */
    VIDMM_OP_UNMAP_APERTURE, /* aperture */

    /* By GPU virtual address; see space.h. */
    VIDMM_OP_VIRTUAL_TRANSFER, /* move */
    VIDMM_OP_VIRTUAL_FILL,     /* fill */
    VIDMM_OP_INIT_CONTEXT,     /* fill: with what the driver has for a context; by segments */
    VIDMM_OP_UPDATE_TABLE,     /* update */
    VIDMM_OP_FLUSH_TLB,        /* flush */
    VIDMM_OP_SET_ROOT,         /* root: nothing for the GPU; each context of the space is told */
    VIDMM_OP_NOTIFY_RESIDENCY, /* notice */
    VIDMM_OP_NOTIFY_EVICTION,  /* notice */
    VIDMM_OP_UPDATE_CONTEXT,   /* context */
    VIDMM_OP_NOTIFY_FENCE,     /* context: the owner's words on memory of its own */
    VIDMM_OP_COPY_ENTRIES,     /* copy */

    /* Of an aperture of the chipset's: so that the CPU sees what the GPU wrote. */
    VIDMM_OP_READ_PHYSICAL,  /* touch */
    VIDMM_OP_WRITE_PHYSICAL, /* touch */

    /* Of MMUs that are nobody's address space. */
    VIDMM_OP_MAP_MMU,      /* device */
    VIDMM_OP_UNMAP_MMU,    /* device */
    VIDMM_OP_NOTIFY_PART,  /* notice */
    VIDMM_OP_NOTIFY_UNMAP, /* notice; op->space shows it until this has ended */
    VIDMM_OP_KIND_COUNT
};

enum vidmm_reason {
    VIDMM_REASON_PLACE,    /* somebody needs it there */
    VIDMM_REASON_PRESSURE, /* somebody else needs the room */
    VIDMM_REASON_LOCK,     /* the CPU wants to see it */
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
    uint64_t offset;         /* "TransferOffset": of this piece in the allocation */
    uint64_t size_bytes;     /* of this piece; 0: forget it, the content was lost [XFER-007] */
    bool start, end;         /* first and last piece of a transfer [XFER-016] */
    bool swizzle, unswizzle; /* the layout changes on the way [XFER-012] */
    bool untouched; /* vidmm's own: nobody could write to it since it came to its memory segment */
    /* VIRTUAL_TRANSFER: of this piece, in the paging space. */
    uint64_t source_address, destination_address;
    uint64_t source_table, destination_table; /* of the leaves that show their begins; 0: unsaid */
    bool source_64k, destination_64k;         /* shown by pages of 64 KiB */
};

struct vidmm_fill {
    struct vidmm_side destination;
    uint64_t offset;              /* of this piece in the allocation; FILL: 0 */
    uint64_t destination_address; /* VIRTUAL_FILL: of this piece, in the paging space */
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
    bool trial;            /* temporary, and nothing moves between */
    uint64_t map_sequence; /* UNMAP of a temporary range: the MAP's */
};

enum vidmm_pte_flags {
    VIDMM_PTE_VALID = 1u << 0,
    VIDMM_PTE_ZERO = 1u << 1, /* reads give zeros; with VALID */
    VIDMM_PTE_CACHE_COHERENT = 1u << 2,
    VIDMM_PTE_READ_ONLY = 1u << 3,
    VIDMM_PTE_NO_EXECUTE = 1u << 4,
    VIDMM_PTE_LEAF_64K = 1u << 5, /* level 1, not dual: the leaf below has pages of 64 KiB */
};

/* An entry of a page table, in nobody's format. */
struct vidmm_pte {
    uint32_t flags;
    unsigned segment; /* 0: system memory */
    uint64_t offset;  /* bytes: in the segment, without its base; or the physical address */
};

enum vidmm_entries {
    VIDMM_ENTRIES_INVALID,
    VIDMM_ENTRIES_ZERO,
    VIDMM_ENTRIES_PAGES, /* leaves: pages that follow each other in op->allocation */
    VIDMM_ENTRIES_TABLE, /* above: one entry, that shows a table */
};

struct vidmm_update {
    struct vidmm_space *space;
    struct vidmm_table *table;   /* lives as long as the operation; vidmm's own */
    struct vidmm_location place; /* of the table; segment 0: offset and address are physical */
    uint64_t table_address;      /* GPU_VIRTUAL: of the table, in the paging space */
    enum vidmm_update_mode mode; /* CPU: through vidmm_op_table_view(), done when it was built */
    unsigned level;
    uint32_t first, count; /* entries of the table */
    bool repeat;           /* all are as the first */
    bool initial;          /* the table's memory held something else before */
    bool eviction;         /* the table is about to leave that place */
    bool away;             /* and no other stands in for it */
    bool leaf_64k;         /* it is a leaf of 64 KiB pages: so are its entries */
    uint64_t address;      /* that the first entry translates */
    uint64_t driver_protection, allocation_offset; /* PAGES */
    enum vidmm_entries entries;

    /* vidmm's own: what vidmm_op_entries() makes the entries of. */
    struct vidmm_pte child, child_64k; /* TABLE */
    struct vidmm_pte page;             /* the others: flags of all; PAGES: segment and offset */
    bool contiguous;                   /* PAGES in system memory from page.offset on; otherwise */
    size_t frame_first;                /* in op->frames */
};

struct vidmm_flush {
    struct vidmm_space *space;
    struct vidmm_location root;
    uint64_t start, end; /* addresses [start, end); 0, 0: all */
};

struct vidmm_root_change {
    struct vidmm_space *space;
    struct vidmm_root root;
};

struct vidmm_notice {
    struct vidmm_location place; /* zeros if it goes */
    bool resident;
    /* NOTIFY_EVICTION: a piece of what is about to leave system memory, and where the paging space
     * shows it until this is done. NOTIFY_UNMAP: the same, of a space that is to show it no more.
     * NOTIFY_PART: the piece; where its place is zeros and it comes,
     * it is in system memory, in op->frames from op->frame_first on. */
    uint64_t offset, size_bytes, address;
};

/* Pages of an allocation, and where an MMU of the device shows them. */
struct vidmm_device_range {
    unsigned mmu;
    uint64_t address;                /* of the first */
    uint64_t page_first, page_count; /* of the allocation */
    unsigned segment;                /* 0: op->frames from op->frame_first on */
    uint64_t offset;                 /* of the first page in the segment */
};

/* A driver's own work on an allocation of a context, which the paging space shows until then. */
struct vidmm_context_work {
    uint64_t address, size_bytes;
    const void *private_data; /* the owner's, until it is done */
    size_t private_bytes;
};

/* Entries of a leaf that are to be as those of another one, or of the same, are by then. */
struct vidmm_copy_range {
    uint64_t source_address, destination_address; /* of the tables, in the paging space */
    struct vidmm_location source, destination;    /* the same */
    uint32_t source_first, destination_first, count;
};

#define VIDMM_COPY_RANGES 2 /* a run of one leaf lies in two others at most */

struct vidmm_copy {
    struct vidmm_space *space;
    struct vidmm_copy_range ranges[VIDMM_COPY_RANGES];
    unsigned range_count;
    uint64_t address; /* that the first entry of the destination translates */
    uint64_t table_bytes;
    uint32_t entry_count; /* of a table */
    uint64_t owner;       /* of the change that asked for it */

    struct vidmm_table *tables[VIDMM_COPY_RANGES + 1]; /* vidmm's own: they live as long */
};

/* A few bytes that the GPU is to read, or to write with whatever it likes. */
struct vidmm_touch {
    unsigned segment;
    uint64_t address; /* a multiple of VIDMM_TOUCH_BYTES; WRITE: in the page behind the segment */
};

#define VIDMM_TOUCH_BYTES 8u /* at most */

/* Everything the owner needs to ask for it: a head that all have in common, and the member of the
 * union that its kind names. Fixed once handed out but for what is the owner's. */
struct vidmm_op {
    struct list link;
    enum vidmm_op_kind kind;
    enum vidmm_reason reason;
    uint32_t reset;    /* the number of the reset that queued it; 0: no reset did */
    uint64_t sequence; /* 1, 2, 3 ... in the order they run */
    uint64_t after;    /* handed out only when this sequence is reached: ranges of an aperture are
                          never reprogrammed below running work */
    struct vidmm_allocation *allocation; /* or else */
    struct vidmm_dma_buffer *dma_buffer; /* mapped or unmapped with a null allocation */
    const uint64_t *frames;              /* its system memory, if it has any */
    size_t frame_count;
    size_t frame_first; /* "MdlOffset": of the first page of this piece */
    bool idle;          /* nothing on the GPU uses the allocation, nor will before this is done */
    struct vidmm_space *space; /* whose tables, TLB or root it is about, if any */
    bool suspend;  /* no context of the space may run from before this is built until it is done */
    bool rests_on; /* nor behind it: until the next one of the space that is marked so has ended */

    union {
        struct vidmm_move move;
        struct vidmm_fill fill;
        struct vidmm_discard discard;
        struct vidmm_aperture aperture;
        struct vidmm_update update;
        struct vidmm_flush flush;
        struct vidmm_root_change root;
        struct vidmm_notice notice;
        struct vidmm_device_range device;
        struct vidmm_context_work context;
        struct vidmm_copy copy;
        struct vidmm_touch touch;
    };

    /* For the owner, while it has the operation. */
    uint32_t owner_multipass;
    uint32_t owner_calls; /* of the driver for this operation, and with which multipass offsets */
    uint32_t owner_offsets[VIDMM_OWNER_OFFSETS];
    struct {
        uint32_t fence, begin, end; /* bytes of the paging buffer; end 0: nothing was submitted */
    } owner_submission;             /* the first of it */

    bool revoked; /* a reset came since it was handed out: give it back */
    bool unseen; /* the owner's, who sets it if the memory may be lost by now: it is not compared */

    /* vidmm's own. */
    struct vidmm *vidmm;
    bool told;
    uint8_t *shadow_bytes;   /* the piece; of a fill its pattern, as much as is compared at once */
    uint64_t *shadow_before; /* the first eight bytes of each destination page */
};

/* The next operation to build, or NULL when none may be started now. Hands each out once, in order;
 * what is not revoked has to come back in the same order. */
struct vidmm_op *vidmm_paging_next(struct vidmm *vidmm);
/* The one that vidmm_paging_next() would hand out now; the owner's until it switches. */
const struct vidmm_op *vidmm_paging_peek(struct vidmm *vidmm);
/* The driver took it: what it knows of the allocation's place includes this from now on. */
void vidmm_paging_told(struct vidmm_op *op);
/* The operation's fence passed (or it needed none), or it was given up (status an error). Frees it.
 * Success without vidmm_paging_told() says that, too. */
void vidmm_paging_done(struct vidmm_op *op, NTSTATUS status);
/* Has every operation up to this sequence ended? 0: yes. */
bool vidmm_paging_reached(struct vidmm *vidmm, uint64_t sequence);
uint64_t vidmm_paging_queued(struct vidmm *vidmm); /* sequence of the last one queued */
/* Operations not handed out yet? For "is there paging work at all". */
bool vidmm_paging_waiting(struct vidmm *vidmm);
const char *vidmm_op_name(enum vidmm_op_kind kind); /* "Transfer" */

/* Is there no paging space, or does its scratch area show so many bytes at once? What a driver has
 * for a context may not be larger. */
bool vidmm_scratch_shows(const struct vidmm *vidmm, uint64_t size_bytes);
/* Queues an UPDATE_CONTEXT: the driver wants to write private data into an allocation of a context,
 * or what follows of it [UCA-004]. It has its place, and keeps it until *sequence is reached.
 * INVALID_PARAMETER: it has none; NOT_SUPPORTED: there is no paging space, or it is larger than
 * the scratch area; NO_MEMORY. */
NTSTATUS MUST_CHECK vidmm_update_context(struct vidmm_allocation *allocation,
                                         const void *private_data, size_t private_bytes,
                                         uint64_t *sequence);
/* Queues a NOTIFY_FENCE, of memory that has its place, behind what is queued: `about` is the
 * owner's. */
NTSTATUS MUST_CHECK vidmm_notify_fence(struct vidmm_allocation *allocation, const void *about,
                                       uint64_t *sequence);

/* ---- Updates of tables ----------------------------------------------------------------------- */

/* Those of mode CPU, and SET_ROOT, are handed out when everything before them has ended; they are
 * done when they were built. */
bool vidmm_op_is_immediate(const struct vidmm_op *op);
/* What entries [first, first + count) of an UPDATE_TABLE are to be, counted from its first; one
 * with `repeat` has one. With leaf_64k those that show leaves of 64 KiB pages: of a table of level
 * 1 of a dual MMU, whose entries have both. */
void vidmm_op_entries(const struct vidmm_op *op, uint32_t first, uint32_t count, bool leaf_64k,
                      struct vidmm_pte *out);
/* The CPU's view of the table that an UPDATE_TABLE in hand writes. NULL: it cannot be seen. */
void *vidmm_op_table_view(struct vidmm_op *op);
uint64_t vidmm_op_table_bytes(const struct vidmm_op *op);

/* ---- Reset ----------------------------------------------------------------------------------- */

/* After an adapter reset: memory segments lost their bytes. May come while anything is in flight;
 * the hardware does nothing any more and takes nothing that was prepared before. Operations not
 * handed out are dropped, those in hand and all uses are revoked, pins end. Content that was only
 * in memory segments is marked lost. Queues what the driver has to forget, each operation with the
 * number of this reset: a TRANSFER of size 0 for each allocation it knows in a memory segment, an
 * UNMAP for each range it knows mapped [TDR-005]. CPU locks stay, but their pointers into a BAR
 * show undefined bytes. */
void vidmm_reset(struct vidmm *vidmm);
/* The next operation that belongs to a reset, before any other may run; NULL: none left. */
struct vidmm_op *vidmm_reset_next(struct vidmm *vidmm);

/* ---- Shadow ---------------------------------------------------------------------------------- */

struct vidmm_mismatch {
    const struct vidmm_op *op; /* the operation that did it */
    uint64_t offset;           /* in the allocation, of the first wrong byte */
    uint8_t expected, actual;
    uint64_t wrong_bytes;
    bool at_rest;   /* the bytes changed in the backing store since they were copied out: whoever
                     wrote there, it was not a paging operation; the other fields but op are zero */
    bool converted; /* the linear bytes are others than those that were swizzled before; the other
                       fields but op are zero */

    /* The whole piece, for vidmm_mismatch_look(), as long as the report lasts. */
    const uint8_t *expected_bytes, *actual_bytes;
    uint64_t size_bytes, first; /* of the piece; its first wrong byte */
    const uint64_t *before;     /* first eight bytes of each page before the operation, or NULL */
};

enum vidmm_wrong_kind {
    VIDMM_WRONG_OTHERWISE,
    VIDMM_WRONG_UNTOUCHED, /* every wrong page is as it was: bytes of them */
    VIDMM_WRONG_SHIFTED,   /* from the first wrong byte on: those that belong `shift` further */
};

struct vidmm_wrong {
    enum vidmm_wrong_kind kind;
    int64_t shift;
    uint64_t bytes; /* that it explains */
};

/* What the wrong bytes look like; not for a mismatch at rest. */
struct vidmm_wrong vidmm_mismatch_look(const struct vidmm_mismatch *mismatch);

#define VIDMM_WINDOW_BYTES 32 /* by which bytes are known again */
/* The first window from an offset on whose bytes differ enough to be known again, or NULL. */
const uint8_t *vidmm_telling_window(const uint8_t *bytes, uint64_t size_bytes, uint64_t from);

/* From now on follows the bytes through every TRANSFER and FILL: source before, destination after.
 * Operations run one at a time while it is on. Of swizzled allocations the linear bytes are
 * followed, from a conversion to the one back. */
void vidmm_shadow_enable(struct vidmm *vidmm, bool enable);

#endif
