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
 *        │                                             vidmm_use_retire()
 *        ├── SPLIT at reference k: submit [first, k), prepare a second use with first = k
 *        ├── WAIT: let the packet (node, fence) or the paging sequence finish, prepare again
 *        └── FAILED: status says why; can never work
 *
 *     while ((op = vidmm_paging_next(vidmm)))
 *         build it, vidmm_paging_told(op), submit it;  its fence: vidmm_paging_done(op)
 *
 * After every call that may queue operations the owner pulls with
 * vidmm_paging_next(); nothing here runs by itself. A prepare that does not end READY leaves no pin
 * behind, but may have moved allocations: where something lives is no promise to anybody without a
 * pin.
 *
 * A *reset* may come at any moment. It ends all pins, and revokes what the owner has in hand: uses,
 * that are prepared again, and operations, that are only given back. What is told to the driver
 * between ResetFromTimeout and RestartFromTimeout comes from vidmm_reset_next().
 *
 * Ownership: allocations, uses, accounts and pools are embedded in the owner's objects; vidmm keeps
 * pointers to them between _init and _fini. Fields are for vidmm to write.
 *
 * The rooms, each a header of its own, all open to whoever includes this one: segment.h,
 * account.h, policy.h, allocation.h (with waits and CPU access), space.h (GPU virtual addresses),
 * use.h, queue.h (paging queues, residency lists), operation.h (with resets and the shadow),
 * dma.h.
 *
 * Locking: vidmm->lock guards everything. No backend callback is called with it held. Calls that
 * take an allocation expect the owner to keep that allocation alive. */
#ifndef VIDMM_VIDMM_H
#define VIDMM_VIDMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "vidmm/account.h"
#include "vidmm/allocation.h"
#include "vidmm/dma.h"
#include "vidmm/operation.h"
#include "vidmm/policy.h"
#include "vidmm/queue.h"
#include "vidmm/segment.h"
#include "vidmm/space.h"
#include "vidmm/use.h"

struct vidmm;

/* What vidmm needs of the world. dxgk fills it in; tests have a mock. Callbacks may be NULL where
 * it says so. */
struct vidmm_backend {
    /* A CPU pointer to bytes of a memory segment that is CPU visible (the BAR), or has a host
     * aperture; of an allocation, or NULL: of a page table. NULL: not possible now. Both may
     * switch. */
    void *(*map_segment)(struct vidmm *vidmm, const struct vidmm_allocation *allocation,
                         const struct vidmm_location *place, size_t size_bytes);
    void (*unmap_segment)(struct vidmm *vidmm, const struct vidmm_location *place, void *view,
                          size_t size_bytes);
    /* For the shadow: bytes of a memory segment where they are, behind the GPU's back, until
     * somebody runs. NULL: they are not seen, or not in one piece. May be NULL. */
    const uint8_t *(*segment_bytes)(struct vidmm *vidmm, unsigned segment, uint64_t offset,
                                    size_t size_bytes);
    /* The size of a root table of two levels with at least so many entries; may raise the count.
     * May be NULL: as its level says. */
    uint64_t (*root_bytes)(struct vidmm *vidmm, uint32_t *entry_count);
    /* Requests of a paging queue up to this value are done. May be NULL without queues. */
    void (*signal_queue)(struct vidmm *vidmm, struct vidmm_queue *queue, uint64_t value);
    /* The shadow compared what an operation wrote: all is right. May be NULL. */
    void (*shadow_match)(struct vidmm *vidmm, const struct vidmm_op *op);
    /* The shadow found wrong bytes. May be NULL. */
    void (*shadow_mismatch)(struct vidmm *vidmm, const struct vidmm_mismatch *mismatch);
};

struct vidmm_config {
    const struct vidmm_backend *backend;
    void *owner;                                  /* whose it is, for the backend */
    const struct vidmm_segment_options *segments; /* copied; entry 0 has id 1 */
    unsigned segment_count;
    const struct vidmm_mmu_options *mmu; /* copied; NULL: no GPU virtual addresses */
    const uint64_t *device_mmu_bytes;    /* of addresses, of each; see device_mmu.c */
    unsigned device_mmu_count;
    bool notices_in_parts;             /* NOTIFY_PART for NOTIFY_RESIDENCY */
    const struct vidmm_policy *policy; /* NULL: vidmm_policy_etr */
    uint64_t transfer_bytes_max; /* longer transfers become several; 0: no limit. Page multiple */
    uint32_t fill_pattern;       /* what allocations hold before anybody wrote */
    bool skip_fill;              /* leave new memory as it is: saves the FILL operations */
    bool evict_clean_by_discard; /* trust the write marks of references: an allocation that
                                    nobody wrote since it came in is not copied out again */
    bool keep_views;             /* the CPU's views of backing stores stay when the lock ends, the
                                    latest ones: who looks later reads what there is, unseen */
    bool evict_before_spill;     /* evict from the first preferred segment rather than take the
                                    free space of the second */
};

/* Fails with INVALID_PARAMETER when the segments make no sense, or NO_MEMORY. */
NTSTATUS MUST_CHECK vidmm_create(const struct vidmm_config *config, struct vidmm **out);
/* Every allocation, use, account and pool has to be gone, every operation given back. NULL is fine.
 */
void vidmm_destroy(struct vidmm *vidmm);
void *vidmm_owner(const struct vidmm *vidmm);
/* NULL if there is no such segment. Sizes are as rounded. */
const struct vidmm_segment_options *vidmm_segment(const struct vidmm *vidmm, unsigned segment);
/* False: there is no such segment. Placed: also page tables, and what is on its way. */
struct vidmm_segment_use {
    uint64_t limit_bytes, placed_bytes;
    bool aperture;
};
bool vidmm_segment_use(struct vidmm *vidmm, unsigned segment, struct vidmm_segment_use *out);
/* False if somebody wrote through a range of an aperture that shows the dummy page [UNMAPAP-004].
 */
bool vidmm_dummy_intact(const struct vidmm *vidmm);

struct vidmm_statistics {
    uint64_t paged_in_bytes, paged_out_bytes, filled_bytes, discarded_bytes, lost_bytes;
    uint64_t spaces_evicted; /* times that the tables of one left memory */
    uint64_t tables_refused; /* a small segment of theirs has no room, nor will have any soon */
    uint64_t over_segments;  /* refused for every segment that is allowed is smaller: not by much */
    uint64_t evictions, placements, splits, waits, failures;
    uint64_t operations[VIDMM_OP_KIND_COUNT];
    uint64_t backing_bytes, mapped_bytes;
    uint64_t shadow_checks, shadow_mismatches;
};
void vidmm_statistics(struct vidmm *vidmm, struct vidmm_statistics *out);

#endif
