/* Paging queues and residency lists: what WDDM 2 clients ask of memory.
 *
 * A device has a *residency list*: allocations it made resident, each counted. All that is on it is
 * in place before any of its contexts runs, and stays there while one does:
 *
 *     vidmm_prepare_list(use, list) ── READY, paging_sequence ──> submit ──> vidmm_use_retire(use)
 *
 * costs the same however long the list is, while nothing of it was evicted. A *paging queue* gives
 * fence values to requests: 0 if a request is done already, else backend.signal_queue() says when
 * its value is reached. Requests of a queue end in order. What is in the way of a request may leave
 * later: the owner calls vidmm_queues_run() whenever vidmm_releases() has moved. */
#ifndef VIDMM_QUEUE_H
#define VIDMM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "vidmm/space.h"
#include "vidmm/use.h"

/* ---- Residency lists ------------------------------------------------------------------------- */

#define VIDMM_DEMAND_COUNT 16

/* Bytes of a list that may be in these segments and no others. */
struct vidmm_demand {
    uint32_t segments;
    uint64_t bytes;
};

struct vidmm_residency {
    struct vidmm *vidmm;
    struct vidmm_account *account;
    struct vidmm_space *space; /* whose tables are in place while it is held; or NULL */

    /* vidmm->lock. */
    struct list present, missing; /* entries that count: in place, or evicted since */
    struct list joining;          /* entries whose request has not got its room yet, or whose
                                     content is offered and has left */
    uint64_t size_bytes;          /* of all */
    struct vidmm_demand demands[VIDMM_DEMAND_COUNT]; /* what more kinds there are, is not here */
    uint32_t run_count;                              /* uses that hold it */
    uint64_t paging_sequence;                        /* of the latest that came in */
    uint64_t last_tick;
};

void vidmm_residency_init(struct vidmm_residency *list, struct vidmm *vidmm,
                          struct vidmm_account *account);
/* Before it is used: who holds it looks through the space's tables. */
void vidmm_residency_sees(struct vidmm_residency *list, struct vidmm_space *space);
/* Drops what is on it. No use holds it. Accepts a zeroed struct. */
void vidmm_residency_fini(struct vidmm_residency *list);
/* Everything on the list in place, and the tables that it sees, and held there for the use until
 * vidmm_use_retire(). Outcomes READY, WAIT and FAILED as vidmm_prepare(). */
void vidmm_prepare_list(struct vidmm_use *use, struct vidmm_residency *list,
                        struct vidmm_prepare_result *result);

/* ---- Paging queues --------------------------------------------------------------------------- */

struct vidmm_queue {
    struct vidmm *vidmm;
    int priority; /* -1, 0, 1: whose requests are tried first */

    /* vidmm->lock. */
    struct list link;     /* vidmm->queues */
    struct list requests; /* not done yet, in order */
    uint64_t value;       /* given out last */
    uint64_t signalled;   /* reached */
};

void vidmm_queue_init(struct vidmm_queue *queue, struct vidmm *vidmm, int priority);
/* Requests that have not got their room yet are dropped; no value is signalled any more. */
void vidmm_queue_fini(struct vidmm_queue *queue);

enum vidmm_make_flags {
    VIDMM_MAKE_CANT_TRIM = 1u << 0,    /* beyond the budget, too, if it can be had at all */
    VIDMM_MAKE_MUST_SUCCEED = 1u << 1, /* as that; the caller loses the device if it fails */
};
struct vidmm_make_result {
    uint64_t fence_value; /* PENDING */
    uint64_t trim_bytes;  /* what the list is over its share now, or NO_MEMORY: would be */
};
struct vidmm_make_request {
    struct vidmm_allocation *const *allocations;
    size_t count;
    uint32_t flags; /* enum vidmm_make_flags */
};
/* All or none; each listed allocation counts once more. SUCCESS: in place already; PENDING;
 * NO_MEMORY (trim_bytes 0: not for want of room); INVALID_PARAMETER. */
NTSTATUS MUST_CHECK vidmm_make_resident(struct vidmm_queue *queue, struct vidmm_residency *list,
                                        const struct vidmm_make_request *wanted,
                                        struct vidmm_make_result *result);
/* Each counts once less; those at zero leave the list, and may be evicted when somebody needs the
 * room. All or none: INVALID_PARAMETER if one is not on the list that often. */
NTSTATUS MUST_CHECK vidmm_evict_list(struct vidmm_residency *list,
                                     struct vidmm_allocation *const *allocations, size_t count,
                                     uint64_t *trim_bytes);

/* What was offered is wanted again. discarded[i]: its content is gone. What is on the list and has
 * left its place comes back: PENDING, until *fence_value is reached; SUCCESS, and 0, if nothing has
 * to. NO_MEMORY: nothing changed. */
struct vidmm_reclaim_request {
    struct vidmm_allocation *const *allocations;
    size_t count;
    bool *discarded; /* out */
};
NTSTATUS MUST_CHECK vidmm_reclaim_list(struct vidmm_queue *queue, struct vidmm_residency *list,
                                       const struct vidmm_reclaim_request *wanted,
                                       uint64_t *fence_value);

/* Where it may be, and how it is seen, from now on; what is not set stays as it is. */
struct vidmm_properties {
    bool set_segments, set_preferences, set_virtual;
    uint32_t segments; /* for reading and writing; preferences for others go */
    struct vidmm_preference preferences[VIDMM_PREFERENCE_COUNT];
    bool is_virtual; /* VIDMM_ALLOCATION_VIRTUAL */
};
struct vidmm_update_result {
    uint64_t fence_value;
    struct vidmm_wait wait;
};
/* If it may not be where it is any more, or is seen otherwise, it leaves its place, and what is on
 * the list comes back as by vidmm_reclaim_list(): SUCCESS, or PENDING and *fence_value. PENDING and
 * 0: wait, and ask again. INVALID_PARAMETER: no such segments; NOT_SUPPORTED: its mappings are of
 * other pages; NO_MEMORY: lists that it is on could not be in place together;
 * GRAPHICS_CANT_EVICT_PINNED_ALLOCATION. Nothing changed then. */
NTSTATUS MUST_CHECK vidmm_update_allocation(struct vidmm_queue *queue, struct vidmm_residency *list,
                                            struct vidmm_allocation *allocation,
                                            const struct vidmm_properties *properties,
                                            struct vidmm_update_result *result);

/* For what has a paging sequence: mapping, updates. PENDING: *fence_value is reached when the
 * sequence is, and all of the queue's earlier ones are; SUCCESS: it is already, the value is 0. */
NTSTATUS MUST_CHECK vidmm_queue_after(struct vidmm_queue *queue, uint64_t paging_sequence,
                                      uint64_t *fence_value);
/* Tries the requests that wait for room. True: operations were queued. */
bool vidmm_queues_run(struct vidmm *vidmm);

#endif
