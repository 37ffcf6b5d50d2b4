/* Allocations: what they are, where they are, the CPU's access to them, and what one waits for. */
#ifndef VIDMM_ALLOCATION_H
#define VIDMM_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "vidmm/account.h"
#include "vidmm/policy.h"
#include "vidmm/segment.h"

#define VIDMM_PRIORITY_NORMAL 0x78000000u /* as D3DDDI_ALLOCATIONPRIORITY counts */

struct vidmm_use;

enum vidmm_allocation_flags {
    VIDMM_ALLOCATION_PRIMARY = 1u << 0,
    VIDMM_ALLOCATION_CPU_VISIBLE = 1u << 1,      /* vidmm_lock() may be called */
    VIDMM_ALLOCATION_CACHED = 1u << 2,           /* cached for the CPU; otherwise write combined */
    VIDMM_ALLOCATION_PERMANENT_SYSMEM = 1u << 3, /* its backing store is kept up to date, where it
                                                    is known who writes to it */
    VIDMM_ALLOCATION_SWIZZLED = 1u << 4, /* not linear in VRAM: the CPU sees it in RAM or through a
                                            range; of what a memory segment takes */
    VIDMM_ALLOCATION_OVERLAY = 1u << 5,
    VIDMM_ALLOCATION_PINNED = 1u << 6, /* once placed, it stays */
    VIDMM_ALLOCATION_SYNCHRONOUS_PAGING = 1u << 7,
    VIDMM_ALLOCATION_PHYSICAL = 1u << 8, /* accessed by physical address: never paged by VA */
    VIDMM_ALLOCATION_NO_FILL = 1u << 9,  /* nobody else's bytes can show: the kernel's own */
    VIDMM_ALLOCATION_VIRTUAL = 1u << 10, /* seen by virtual address: what an aperture stands for is
                                            plain pages to it, no range is mapped */
    VIDMM_ALLOCATION_NOTIFY = 1u << 11,  /* NOTIFY_RESIDENCY comes when it comes and goes */
    VIDMM_ALLOCATION_TABLE = 1u << 12,   /* vidmm's own: a page table */
    VIDMM_ALLOCATION_CONTEXT = 1u << 14, /* state of a context: INIT_CONTEXT makes its content */
    VIDMM_ALLOCATION_SHARED_VIEW = 1u << 15,     /* devices see it where the CPU does */
    VIDMM_ALLOCATION_NOTIFY_EVICTION = 1u << 13, /* NOTIFY_EVICTION comes before it leaves system
                                                    memory, where there is a paging space */
    VIDMM_ALLOCATION_KERNEL = 1u << 16,       /* the owner's own: no driver has an object for it */
    VIDMM_ALLOCATION_NATIVE_FENCE = 1u << 17, /* its entries say that they show such a fence */
    VIDMM_ALLOCATION_NOTIFY_UNMAP = 1u
                                    << 18, /* NOTIFY_UNMAP comes before entries that show it go */
};

/* One of the driver's preferred segments. */
struct vidmm_preference {
    unsigned segment; /* 0: end of the list */
    bool from_end;    /* place at the high end of the segment */
};

struct vidmm_allocation_options {
    uint64_t size_bytes;                    /* rounded up to pages; not 0 */
    uint64_t alignment_bytes;               /* of any size; 0: a page */
    uint32_t read_segments, write_segments; /* sets; in WDDM 2 give both the same */
    uint32_t eviction_segments; /* apertures to copy through when evicted; 0: straight */
    struct vidmm_preference preferences[VIDMM_PREFERENCE_COUNT];
    uint32_t device_mmus; /* a set; those that show it while it has a place */
    uint32_t flags;       /* enum vidmm_allocation_flags */
    uint32_t priority;
    struct vidmm_account *account;   /* NULL: the system's own */
    uint32_t object;                 /* its number in the record; names it in messages */
    const uint64_t *existing_frames; /* not NULL: its backing store, the caller's memory; copied */
};

/* An address of the CPU's that goes through a range of the hardware; see alternate.c. */
struct alternate {
    void *view; /* NULL: there is none */
    size_t view_pages;
    uint64_t *frames; /* pages for the bytes when they leave the segment under lock */
    bool shown;       /* it leads through the range */
    bool holds;       /* it leads to the pages, and they have the bytes */
    bool comes_back;  /* they are on the way to the segment */
};

enum vidmm_content {
    VIDMM_CONTENT_NONE,   /* nobody wrote; the fill pattern stands for it */
    VIDMM_CONTENT_SYSTEM, /* in the backing store */
    VIDMM_CONTENT_LOCAL,  /* in the memory segment only: the backing store is stale */
    VIDMM_CONTENT_BOTH,   /* in the memory segment, and unchanged in the backing store */
};

struct vidmm_allocation {
    /* What each use looks at, in as few cache lines as it takes: fixed at init ... */
    uint32_t read_segments, write_segments;
    /* ... and guarded by vidmm->lock. */
    unsigned segment;         /* where it is after the last operation queued; 0: nowhere */
    uint32_t use_count;       /* uses that pin it */
    uint64_t prepare_mark;    /* which prepare saw it last */
    uint64_t write_mark;      /* which prepare writes to it */
    uint64_t paging_sequence; /* of the last operation that touches it */
    enum vidmm_content content;
    bool lost;
    bool untouched;  /* in its memory segment nobody could write to it since it came there */
    bool view_known; /* of a segment, where its bytes are those of the backing store */
    struct vidmm_history history;

    /* Fixed at init. */
    struct vidmm *vidmm;
    struct vidmm_account *account;
    uint64_t size_bytes, alignment_bytes;
    uint32_t eviction_segments;
    struct vidmm_preference preferences[VIDMM_PREFERENCE_COUNT];
    uint32_t flags, object, device_mmus;
    uint32_t number; /* in order of creation, never reused: the order of everything */
    bool frames_borrowed;

    /* vidmm->lock. */
    struct list link;            /* in vidmm->allocations, by number */
    struct list resident_link;   /* in its segment, by time of placement */
    struct list mappings;        /* that show it */
    uint32_t mapping_operations; /* most that it takes to write or clear all of their entries */
    struct list memberships;     /* of residency lists */
    uint32_t priority;
    uint64_t offset;  /* in the segment */
    uint32_t range;   /* node of the segment's range allocator */
    struct device_mapping *device_mappings; /* in MMUs of the device, while it has a place */
    unsigned device_mapping_count;
    uint64_t *frames;         /* the backing store, or NULL; size_bytes / 4096 of them */
    uint32_t pin_count;       /* vidmm_pin() */
    uint32_t lock_count;      /* CPU locks */
    uint32_t operation_count; /* queued or running operations that name it */
    bool offered, discarded, dying;
    bool unseen;           /* the GPU wrote to it in an aperture of the chipset's */
    bool context_made;     /* of CONTEXT: INIT_CONTEXT is queued, or what it made is still there */
    void *view;            /* the CPU's view while locked */
    void *kept_view;       /* of the backing store, from an earlier lock; no lock holds it */
    struct list kept_link; /* while there is one */
    bool view_comes;       /* the first lock is making it */
    bool view_failed;      /* there was no room for one, in the lock that is being tried */
    bool view_is_segment;  /* a BAR, of the segment and offset that follow */
    unsigned view_segment;
    uint64_t view_offset;
    struct alternate alternate;
    /* What the driver was told: runs behind segment and offset. For reset. */
    unsigned known_segment;
    uint64_t known_offset;
    size_t known_pages;   /* in an aperture: a mapping may come in parts */
    uint64_t shadow_hash; /* of the backing store since it was copied out, if valid */
    bool shadow_hash_valid;
    /* SWIZZLED, see swizzle.c. */
    bool linear;          /* the backing store is: it was unswizzled, or the CPU wrote it */
    bool linear_known;    /* linear_hash is that of the bytes which were swizzled last */
    uint64_t linear_hash; /* as long as nobody could write to them since */
    bool aborted;         /* an operation was given up; abort_content is what remained */
    enum vidmm_content abort_content;
};

/* ---- Waits ----------------------------------------------------------------------------------- */

enum vidmm_wait_kind {
    VIDMM_WAIT_NONE,
    VIDMM_WAIT_USE,    /* for a use to retire: packet `fence` of `node`, once it is submitted */
    VIDMM_WAIT_PAGING, /* for vidmm_paging_reached(paging_sequence) */
    VIDMM_WAIT_LOCK,   /* for a CPU to unlock `allocation` */
    VIDMM_WAIT_OWNER,  /* for the owner to give back revoked operations */
    VIDMM_WAIT_OTHERS, /* for memory that others have, until vidmm_releases() is another: they may
                          keep it, and how long to wait is the waiter's affair */
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
/* A number that grows when memory that was held is held no more: a use, a lock, a pin, a place on a
 * residency list, a reset. Work that was told to wait for room is tried again when it is not what
 * it was, and no sooner: each try evicts what it can, also when it does not get all, and several
 * that are tried for what others only evicted would take the room from each other without end. */
uint64_t vidmm_releases(struct vidmm *vidmm);

/* ---- Life ------------------------------------------------------------------------------------ */

NTSTATUS MUST_CHECK vidmm_allocation_init(struct vidmm_allocation *allocation, struct vidmm *vidmm,
                                          const struct vidmm_allocation_options *options);
/* Ends an allocation: unmaps it if it is in an aperture. STATUS_SUCCESS with wait->paging_sequence
 * 0: the driver's handle may be destroyed and vidmm_allocation_fini() called. Otherwise wait, for
 * that sequence or (STATUS_PENDING) for what wait says, and call again: a reset may have come. */
NTSTATUS MUST_CHECK vidmm_allocation_retire(struct vidmm_allocation *allocation,
                                            struct vidmm_wait *wait);
/* Gives back frames and memory. Retired, or never placed. Accepts a zeroed struct. */
void vidmm_allocation_fini(struct vidmm_allocation *allocation);
void vidmm_allocation_set_priority(struct vidmm_allocation *allocation, uint32_t priority);

/* Where it is now: for pre-patching. Only a promise while pinned. */
void vidmm_allocation_location(struct vidmm_allocation *allocation, struct vidmm_location *out);

/* Content that may be thrown away until it is reclaimed. Offered allocations are evicted first.
 * STATUS_PENDING (wait) while it is in use. */
NTSTATUS MUST_CHECK vidmm_offer(struct vidmm_allocation *allocation, struct vidmm_wait *wait);
/* *discarded: the content is gone. */
void vidmm_reclaim(struct vidmm_allocation *allocation, bool *discarded);

/* Evicts whatever nobody holds, and takes idle DMA buffers, but paging's, out of apertures: the
 * hardware is about to lose its memory. STATUS_PENDING (wait), NO_MEMORY: with some still there. */
NTSTATUS MUST_CHECK vidmm_evict_all(struct vidmm *vidmm, struct vidmm_wait *wait);
/* Nothing is in any segment, no allocation and no DMA buffer. */
bool vidmm_is_empty(struct vidmm *vidmm);
/* Evicts an idle allocation now. STATUS_PENDING (wait) while something holds it. A lock at an
 * alternate address does not. */
NTSTATUS MUST_CHECK vidmm_evict(struct vidmm_allocation *allocation, struct vidmm_wait *wait);

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
/* The same through a range of the hardware, which the owner sets up: SUCCESS with *pointer NULL.
 * Then vidmm_show_alternate(), vidmm_alternate_again(), or, if the range is the place itself,
 * nothing; it does not move until then. With a pointer it was evicted under an earlier lock and
 * still has its address. INVALID_PARAMETER: not CPU visible, or locked; NOT_SUPPORTED: it is in no
 * memory segment; PENDING as above. */
NTSTATUS MUST_CHECK vidmm_lock_in_place(struct vidmm_allocation *allocation, uint32_t flags,
                                        void **pointer, struct vidmm_wait *wait);
/* The range shows it at this physical address: *pointer leads there, and from now on it may be
 * evicted by its locker, or when all memory is, and keeps *pointer. NO_MEMORY: nothing changed. */
NTSTATUS MUST_CHECK vidmm_show_alternate(struct vidmm_allocation *allocation, uint64_t physical,
                                         uint64_t size_bytes, void **pointer);
/* Of what is swizzled and locked in place: the hash of its bytes in the linear layout. False: they
 * are not known. */
bool vidmm_linear_hash(const struct vidmm_allocation *allocation, uint64_t *hash);
/* Its address of before, if that leads through the range still; or NULL. */
void *vidmm_alternate_again(struct vidmm_allocation *allocation);
/* The range shows something else from now on. Not while locked. */
void vidmm_alternate_drop(struct vidmm_allocation *allocation);
/* INVALID_PARAMETER if it was not locked. */
NTSTATUS MUST_CHECK vidmm_unlock(struct vidmm_allocation *allocation);

#endif
