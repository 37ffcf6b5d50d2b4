/* present: flips of what a video source shows, and the vertical syncs that make them true.
 *
 * Terms. A *source* scans out one surface. A *flip* asks it to show another address. It is
 * *programmed* when the hardware was told and *latched* when a vertical sync reports its address;
 * an *interval* of n means n vertical syncs after the flip before it was latched, 0 means at once.
 *
 *     present_flip_push ─> [waiting] ── room and its time ──> backend.program ─> [programmed]
 *                                                                                    │
 *        done(STATUS_SUCCESS) <── present_vsync with its address ────────────────────┘
 *
 * Never more programmed flips of one thing than the hardware declared [FLIP-014]. A flip to the
 * surface already on screen still takes its vertical sync [PRES-036].
 *
 * A flip is the owner's memory and belongs to the source from push until done(), which comes once,
 * and never while program() is at work on it: a vertical sync or a cancellation may decide its end
 * meanwhile, what program() answers then counts for nothing, and done() comes when it has returned.
 * What was cancelled behind such a flip ends behind it. Locking: a source has a lock (rank
 * PRESENT); program() and done() run without it, at DISPATCH_LEVEL or below. */
#ifndef PRESENT_PRESENT_H
#define PRESENT_PRESENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "machine/machine.h"

struct present_source;

struct present_flip {
    uint64_t address;  /* as vertical syncs report it */
    unsigned interval; /* 0 .. 4 */
    uint32_t object;   /* what is shown, in the record */
    void (*done)(struct present_flip *flip, NTSTATUS status);

    struct list link;                         /* the source's from here */
    uint64_t programmed_ns, programmed_vsync; /* when, and the source's count then */
    bool retry; /* program() said STATUS_RETRY, and set this: once more when none is programmed */
    bool ended; /* decided with `status`; done() waits for program() to return */
    NTSTATUS status;
};

struct present_backend {
    /* Tells the hardware. An error ends the flip with it; but STATUS_RETRY, if flip->retry was set,
     * has it wait until no other is programmed. */
    NTSTATUS (*program)(struct present_source *source, struct present_flip *flip);
    /* May this flip be told here and now? No: present_source_advance() is called where it may. At
     * the source's lock: looks, and calls nobody back. NULL: always. */
    bool (*may_program)(struct present_source *source, const struct present_flip *flip);
    /* May it be programmed beside one that no vertical sync showed yet, as if that were not there,
     * since the two change different things? At the lock, as may_program(). NULL: never. */
    bool (*beside)(const struct present_flip *flip, const struct present_flip *programmed);
    /* A vertical sync was served; for waiters of the owner. May be NULL. */
    void (*vsync)(struct present_source *source);
    /* Somebody waits for the next vertical sync from here on. May be NULL. */
    void (*listen)(struct present_source *source);
};

struct present_source {
    const struct present_backend *backend; /* fixed at init */
    unsigned index;
    unsigned programmed_max;

    struct mutex lock;
    struct list waiting GUARDED_BY(lock);    /* oldest first */
    struct list programmed GUARDED_BY(lock); /* oldest first */
    unsigned waiting_count GUARDED_BY(lock), programmed_count GUARDED_BY(lock);
    bool busy GUARDED_BY(lock);                        /* somebody is programming; he looks again */
    struct present_flip *programming GUARDED_BY(lock); /* by him; the last of those programmed */
    struct list cancelled GUARDED_BY(lock); /* meanwhile: he ends them; counted as waiting */
    bool again GUARDED_BY(lock);
    uint64_t vsync_count GUARDED_BY(lock), vsync_ns GUARDED_BY(lock); /* and when the last came */
    uint64_t latched_address GUARDED_BY(lock); /* on screen */
    uint64_t latched_vsync GUARDED_BY(lock);   /* number of the sync that latched it */
    unsigned stood GUARDED_BY(lock); /* syncs that told it while flips led away from it and back */
    uint64_t flip_count GUARDED_BY(lock);
    unsigned listeners;        /* that wait for a sync, whether flips are under way or not */
    struct wait_queue changed; /* a sync came or a flip ended */
};

/* programmed_max: flips the hardware may hold; 0 counts as 1. */
void present_source_init(struct present_source *source, const struct present_backend *backend,
                         unsigned index, unsigned programmed_max);
/* Ends every flip with STATUS_CANCELLED; waits for who is programming one. Accepts a zeroed source.
 */
void present_source_fini(struct present_source *source);

/* At DISPATCH_LEVEL or below. The flip may be done before this returns. */
void present_flip_push(struct present_source *source, struct present_flip *flip);
/* Programs what may be. */
void present_source_advance(struct present_source *source);
/* The source shows this address since the vertical sync that just came. */
void present_vsync(struct present_source *source, uint64_t address);
/* The owner put this address on screen by a mode change: no flip is under way for it. */
void present_source_shown(struct present_source *source, uint64_t address);
/* Ends all flips, programmed or not: after a reset or when the source is switched off. If one is
 * being programmed on another CPU, it and what waited behind it end there. */
void present_source_cancel(struct present_source *source, NTSTATUS status);

/* The oldest flip that the hardware was told of and no vertical sync has shown; NULL: none. */
const struct present_flip *present_source_oldest(struct present_source *source);
/* Of those the newest for which, as for all before it, `is_so`; at the source's lock. NULL:
 * none. */
const struct present_flip *present_source_newest(struct present_source *source,
                                                 bool (*is_so)(const struct present_flip *flip));
/* The first of the newest of those for which, as for all behind it, `is_so`. NULL: none. */
const struct present_flip *present_source_last_of(struct present_source *source,
                                                  bool (*is_so)(const struct present_flip *flip,
                                                                const void *context),
                                                  const void *context);
/* Ends those of them for which `is_so`; how many. */
unsigned present_source_end_those(struct present_source *source,
                                  bool (*is_so)(const struct present_flip *flip,
                                                const void *context),
                                  const void *context, NTSTATUS status);
/* A flip to this address is under way. */
bool present_source_awaits(struct present_source *source, uint64_t address);
unsigned present_source_pending(struct present_source *source);
unsigned present_source_waiting(struct present_source *source); /* not programmed yet */
/* PASSIVE_LEVEL, in a task; false when the deadline comes first. */
bool present_wait_vsync(struct present_source *source, uint64_t deadline_ns);
bool present_wait_flips(struct present_source *source, uint64_t deadline_ns);

#endif
