/* Spaces: GPU virtual addresses, what they show, and the page tables that say so.
 *
 * A *space* belongs to a process: all its contexts see memory by it. The *paging space* is the
 * kernel's own; the paging engine sees through it what it copies and fills. An *area* is a piece of
 * a space that was given out, in units of 64 KiB: by a reservation, or by a mapping that found no
 * reservation there. A *mapping* lets pages of a space show pages of an allocation, wherever those
 * are: an address never changes because memory moves. A *table* is a page table: made with the
 * first mapping that needs it, gone with the last. Level 0 are the leaves.
 *
 *     vidmm_space_init ──> books only: areas may be reserved
 *         vidmm_space_start ──> root table placed, initialised; the paging space: its scratch, too
 *             vidmm_space_map, _update, _free, as often as you like
 *         vidmm_space_retire ──> again until SUCCESS without a sequence, then vidmm_space_fini
 *
 * As everywhere in vidmm, state is "as after the last operation queued". All tables that a mapping
 * may ever need are made when it is mapped, so that moves of its allocation need no memory for
 * them. Where an allocation is not resident, entries are invalid; when it comes they are written
 * behind its bytes, when it goes they are cleared and flushed before its bytes leave.
 *
 *     comes:  FILL or TRANSFER in (through scratch) ─> UPDATE_TABLE ... ─> FLUSH
 *     goes:   UPDATE_TABLE (invalid) ... ─> FLUSH ─> TRANSFER out (through scratch)
 *
 * Addresses are bytes; they count in pages of 4 KiB inside. At most 2^48 bytes are given
 * out. */
#ifndef VIDMM_SPACE_H
#define VIDMM_SPACE_H

#include <bsd/sys/tree.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "vidmm/allocation.h"
#include "vidmm/segment.h"

#define VIDMM_LEVEL_COUNT_MAX 6
#define VIDMM_AREA_BYTES      UINT64_C(65536) /* the unit in which addresses are given out */

struct vidmm_space;
struct vidmm_table;
struct range_allocator;

/* ---- What the driver said of its MMU --------------------------------------------------------- */

enum vidmm_update_mode { VIDMM_UPDATE_CPU, VIDMM_UPDATE_GPU_VIRTUAL, VIDMM_UPDATE_GPU_PHYSICAL };

enum vidmm_mmu_flags {
    VIDMM_MMU_READ_ONLY = 1u << 0, /* entries can say so */
    VIDMM_MMU_NO_EXECUTE = 1u << 1,
    VIDMM_MMU_ZERO = 1u << 2,
    VIDMM_MMU_CACHE_COHERENT = 1u << 3,
    VIDMM_MMU_DUAL = 1u << 4, /* a table of level 1 has both kinds of leaves below one entry */
    VIDMM_MMU_IDLE_UPDATES = 1u << 5, /* updates and flushes want the space's contexts suspended */
    VIDMM_MMU_INVALID_NOT_CACHED = 1u << 6, /* no flush when invalid entries become valid */
    VIDMM_MMU_ALL_ADDRESSES = 1u << 8, /* the first entry of a client's root is as the others */
    VIDMM_MMU_EXPLICIT_INVALIDATION = 1u << 7, /* entries are cleared before their table goes */
    VIDMM_MMU_TABLES_IN_TRANSFER = 1u << 9,    /* transfers out of memory name the scratch leaves */
    VIDMM_MMU_TABLES_STAY = 1u << 10,          /* they never leave memory */
};

struct vidmm_level_options {
    unsigned index_bits;
    unsigned segment;        /* of tables of this level; 0: system memory */
    unsigned paging_segment; /* of those of the paging space */
    uint64_t size_bytes;     /* of a table; the root of two levels: 0, ask backend.root_bytes */
    uint64_t alignment_bytes;
};

/* In vidmm_config; copied. */
struct vidmm_mmu_options {
    unsigned level_count;                                     /* 2 to 6 */
    struct vidmm_level_options levels[VIDMM_LEVEL_COUNT_MAX]; /* [0]: the leaves */
    uint64_t leaf_64k_bytes; /* size of a leaf of 64 KiB pages; 0: there are none */
    enum vidmm_update_mode mode;
    uint32_t flags; /* enum vidmm_mmu_flags */
};

/* ---- Objects --------------------------------------------------------------------------------- */

enum vidmm_protection {
    VIDMM_PROTECT_WRITE = 1u << 0, /* otherwise read-only, where entries can say so */
    VIDMM_PROTECT_EXECUTE = 1u << 1,
    VIDMM_PROTECT_ZERO = 1u << 2,      /* no allocation: reads give zeros, writes are lost */
    VIDMM_PROTECT_NO_ACCESS = 1u << 3, /* no allocation: faults */
};

/* A piece of a space that was given out. */
struct vidmm_area {
    RB_ENTRY(vidmm_area) entry;
    uint64_t page_first, page_count; /* multiples of 16 */
    uint32_t range;
    bool busy;     /* being given out */
    bool reserved; /* mapped and unmapped inside at will; otherwise one mapping made it */
    bool systems;  /* the kernel made it: no client maps, changes or frees anything there; what a
                    * driver shows inside an area of a client's goes with that area */
    uint64_t asked_first, asked_count; /* pages; it is freed by these */
};
RB_HEAD(vidmm_area_tree, vidmm_area);

/* Pages that show pages of an allocation. Splits where a part of it is taken away. */
struct vidmm_mapping {
    RB_ENTRY(vidmm_mapping) entry; /* in its space, by page */
    struct list link;              /* of the allocation */
    struct vidmm_space *space;
    struct vidmm_allocation *allocation; /* NULL: zeros */
    uint64_t page_first, page_count;
    uint64_t allocation_page; /* the first shows this one */
    uint32_t protection;      /* enum vidmm_protection */
    uint64_t driver_protection;
    uint64_t copied_from; /* while it is made as a copy: the page that the first one is copied of */
    bool valid;           /* entries are, after the last operation queued */
    bool valid_64k;       /* those of 64 KiB, where it has them */
};
RB_HEAD(vidmm_mapping_tree, vidmm_mapping);

enum vidmm_space_kind {
    VIDMM_SPACE_PROCESS,
    VIDMM_SPACE_PAGING, /* at most one */
};

struct vidmm_space {
    /* Fixed at init. */
    struct vidmm *vidmm;
    struct vidmm_account *account; /* pays for tables; NULL: the system */
    enum vidmm_space_kind kind;
    uint64_t page_start; /* the first that is given out */

    /* vidmm->lock. */
    struct list link;               /* vidmm->spaces */
    struct range_allocator *ranges; /* of addresses; a node's owner is its area */
    struct vidmm_area_tree areas;
    struct vidmm_mapping_tree mappings;
    uint32_t area_count, mapping_count;
    struct vidmm_table *root; /* NULL: not started, or its tables are away */
    uint32_t away_entries;    /* of the root that is away; 0: none is */
    uint64_t away_bytes;
    uint64_t away_pages;            /* of system memory, that all of them had */
    uint32_t keep_count, run_count; /* who wants its tables to stay: calls, owners; and uses */
    uint64_t kept_tick;             /* when that was last */
    uint64_t kept_since;            /* when the first of those calls and owners came */
    bool by_cpu;                    /* PAGING: all its tables are written by the CPU now */
    uint64_t copies_for;            /* while a change is made: its owner */
    struct list tables;             /* the root first, each behind its parent */
    uint32_t table_count, dead_count;
    uint32_t operation_count; /* queued or running operations that name it */
    uint64_t paging_sequence; /* of the last operation that names it */

    /* The paging space: its scratch area and, behind that, the window that shows tables, and paging
     * buffers. */
    uint64_t scratch_bytes, buffer_bytes;
    struct vidmm_area *scratch;
    uint64_t large_first; /* page: from here on leaves of 64 KiB pages; scratch_end: none */
    uint64_t scratch_end; /* page: of moves */
    uint64_t scratch_next, large_next;    /* pages: where the next piece goes, by kind of leaf */
    uint64_t buffers_first, buffers_next; /* pages: of paging buffers; where the next one goes */
    uint64_t piece_max;                   /* pages of the scratch that one move takes; 0: any */
    struct range_allocator *window;       /* pages from scratch_end on, in mode GPU_VIRTUAL */
};

/* ---- Life ------------------------------------------------------------------------------------ */

struct vidmm_space_options {
    enum vidmm_space_kind kind;
    struct vidmm_account *account;
    uint64_t scratch_bytes; /* PAGING: of its scratch area, a multiple of what a leaf covers */
    uint64_t buffer_bytes;  /* PAGING: addresses for the buffers of pools with this space */
};

/* NOT_SUPPORTED: the driver has no GPU MMU. */
NTSTATUS MUST_CHECK vidmm_space_init(struct vidmm_space *space, struct vidmm *vidmm,
                                     const struct vidmm_space_options *options);
/* Makes the root table, all invalid; for the paging space scratch and its tables, by the CPU,
 * whatever the mode. From then on, moves of allocations that are not PHYSICAL go by virtual
 * address. SUCCESS: initialised when wait->paging_sequence is reached; PENDING: others are in the
 * way, wait, call again; NO_MEMORY, GRAPHICS_NO_VIDEO_MEMORY. */
NTSTATUS MUST_CHECK vidmm_space_start(struct vidmm_space *space, struct vidmm_wait *wait);
/* Drops all mappings, areas and tables. As vidmm_allocation_retire(). No context uses it. */
NTSTATUS MUST_CHECK vidmm_space_retire(struct vidmm_space *space, struct vidmm_wait *wait);
/* Accepts a zeroed struct. */
void vidmm_space_fini(struct vidmm_space *space);

/* What SetRootPageTable is told. */
struct vidmm_root {
    struct vidmm_location place; /* segment 0: offset and address are physical */
    uint32_t entry_count;
    uint64_t paging_sequence; /* complete when it is reached */
};
/* After the last operation queued. Whoever makes a context asks, waits for the sequence, and tells
 * the driver; when the root changes later, an operation SET_ROOT says so for all contexts. */
void vidmm_space_root(struct vidmm_space *space, struct vidmm_root *out);

/* ---- Addresses ------------------------------------------------------------------------------- */

struct vidmm_reserve_request {
    uint64_t base;             /* 0: anywhere */
    uint64_t minimum, maximum; /* the range lies in [minimum, maximum); 0, 0: anywhere */
    uint64_t alignment_bytes;  /* 0: 64 KiB */
    uint64_t size_bytes;       /* a multiple of 64 KiB */
    uint32_t protection;       /* VIDMM_PROTECT_ZERO or NO_ACCESS (0 is that, too) */
    uint64_t driver_protection;
};
/* INVALID_PARAMETER, NO_MEMORY (no such range is free), PENDING (wait; tables for zeros). */
NTSTATUS MUST_CHECK vidmm_space_reserve(struct vidmm_space *space,
                                        const struct vidmm_reserve_request *request,
                                        uint64_t *address, struct vidmm_wait *wait);

struct vidmm_map_request {
    struct vidmm_allocation *allocation; /* NULL: as protection says, ZERO or NO_ACCESS */
    uint64_t base;                       /* 0: anywhere; inside an area, or where none is */
    uint64_t minimum, maximum;
    uint64_t page_first, page_count; /* of the allocation */
    uint32_t protection;
    uint64_t driver_protection;
    bool systems; /* what the kernel shows for itself; vidmm_space_free_systems() frees it */
};
/* SUCCESS: *address shows it when wait->paging_sequence is reached (0: now) and the allocation is
 * resident. PENDING: others are in the way of a table; wait, call again, nothing is changed.
 * INVALID_PARAMETER (also: something is mapped there), NO_MEMORY, GRAPHICS_NO_VIDEO_MEMORY. */
NTSTATUS MUST_CHECK vidmm_space_map(struct vidmm_space *space,
                                    const struct vidmm_map_request *request, uint64_t *address,
                                    struct vidmm_wait *wait);

enum vidmm_change_kind { VIDMM_CHANGE_MAP, VIDMM_CHANGE_UNMAP, VIDMM_CHANGE_COPY };
/* One step of an update inside areas, over whatever is mapped there. */
struct vidmm_change {
    enum vidmm_change_kind kind;
    uint64_t address, size_bytes;        /* page multiples */
    struct vidmm_allocation *allocation; /* MAP */
    uint64_t allocation_offset;          /* MAP; the allocation repeats if it is shorter */
    uint64_t allocation_size;            /* MAP; 0: size_bytes */
    uint64_t source_address;             /* COPY: shows from now on what that shows */
    uint64_t owner;                      /* COPY: the caller's number, for vidmm_copy.owner */
    uint32_t protection;                 /* MAP, UNMAP (ZERO, NO_ACCESS) */
    uint64_t driver_protection;
};
/* enum vidmm_protection of a mapping that shows the allocation at the address, in whatever space.
 * False: there is none. */
bool vidmm_allocation_protection(struct vidmm_allocation *allocation, uint64_t address,
                                 uint32_t *protection);
/* In order; *done of them are done, all with SUCCESS. Statuses as vidmm_space_map(): after PENDING
 * go on with the one that is next. */
NTSTATUS MUST_CHECK vidmm_space_update(struct vidmm_space *space,
                                       const struct vidmm_change *changes, size_t count,
                                       size_t *done, struct vidmm_wait *wait);
/* Frees an area with what is mapped in it; address and size are those of the reservation or the
 * mapping that made it. The range may be given away at once: its flush is queued ahead. */
NTSTATUS MUST_CHECK vidmm_space_free(struct vidmm_space *space, uint64_t address,
                                     uint64_t size_bytes, struct vidmm_wait *wait);
/* The same of what the kernel shows for itself, and of nothing else. */
NTSTATUS MUST_CHECK vidmm_space_free_systems(struct vidmm_space *space, uint64_t address,
                                             uint64_t size_bytes, struct vidmm_wait *wait);

/* What an address shows after the last operation queued, by the books. */
struct vidmm_translation {
    struct vidmm_allocation *allocation; /* NULL: nothing, or zeros */
    uint64_t allocation_offset;
    uint32_t protection;
    bool mapped, resident;
    uint64_t bytes; /* mapped: as many from here on, in the same way */
    uint64_t next; /* not mapped: the first address behind that is; 0: none */
};
void vidmm_space_translate(struct vidmm_space *space, uint64_t address,
                           struct vidmm_translation *out);

/* After the hardware lost its memory otherwise than by a reset: everything was evicted before; all
 * tables are written again, and contexts hear of their roots. */
void vidmm_restore_tables(struct vidmm *vidmm);

/* All its tables leave memory; what they show is booked on. Nobody keeps them, and no work of its
 * contexts runs; otherwise DEVICE_BUSY. NO_MEMORY: nothing is changed. When room is wanted in their
 * segment, or system memory where they lie there, that nothing else gives, they leave by
 * themselves. */
NTSTATUS MUST_CHECK vidmm_space_evict_tables(struct vidmm_space *space);
/* They stay until they are let go. If they are away they are placed again, what is resident is
 * written, and the contexts are told of the root: complete when wait->paging_sequence is reached.
 * PENDING, NO_MEMORY, GRAPHICS_NO_VIDEO_MEMORY: still away, and not kept. With the latter two
 * wait->kind is VIDMM_WAIT_OTHERS where they made way, and others have the memory now. */
NTSTATUS MUST_CHECK vidmm_space_keep_tables(struct vidmm_space *space, struct vidmm_wait *wait);
void vidmm_space_let_tables_go(struct vidmm_space *space);

/* Moves all tables of the space to other places. Of a process each by itself: from before its
 * parent, or the contexts, hear of the new one until the flush behind that no context of the space
 * runs. Those of the paging space together, by the CPU, when all paging before has ended. After
 * PENDING or want of memory some of a process have moved. */
NTSTATUS MUST_CHECK vidmm_space_move_tables(struct vidmm_space *space, struct vidmm_wait *wait);

#endif
