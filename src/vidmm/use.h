/* Uses: what one DMA buffer needs in place while it waits and runs. */
#ifndef VIDMM_USE_H
#define VIDMM_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "vidmm/allocation.h"

struct vidmm_residency;

#define VIDMM_NO_SLOT UINT32_MAX

struct vidmm_use {
    struct vidmm *vidmm;
    struct list link; /* in vidmm->uses while it is ready or pins something */
    struct vidmm_allocation **pinned;
    size_t pinned_count, pinned_capacity, carried_count;
    struct vidmm_residency *list; /* held as a whole; or NULL */
    bool submitted, waiting;
    bool revoked; /* by a reset: what it needs may be anywhere */
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
    bool pins;          /* it is only to be there: nobody writes for this */
};

enum vidmm_outcome { VIDMM_READY, VIDMM_SPLIT, VIDMM_WAIT, VIDMM_FAILED };

struct vidmm_prepare_result {
    enum vidmm_outcome outcome;
    size_t end; /* READY: count. SPLIT: first element that did not fit; [first, end) is
                   pinned and ready like with READY */
    uint64_t
        paging_sequence; /* READY, SPLIT: wait for it before submitting; 0: nothing to wait for */
    struct vidmm_wait wait; /* WAIT */
    NTSTATUS status; /* FAILED: NO_MEMORY, or GRAPHICS_NO_VIDEO_MEMORY. WAIT for what others have:
                        the same, for whoever does not */
};

/* Makes everything resident that the part needs, and pins it for the use. */
void vidmm_prepare(struct vidmm_use *use, const struct vidmm_prepare_request *request,
                   struct vidmm_prepare_result *result);
/* The packet is on the hardware; resubmission under another fence says so again. */
void vidmm_use_submitted(struct vidmm_use *use, unsigned node, uint64_t fence);
/* A reset ended its pins since it was prepared: prepare it again. */
bool vidmm_use_revoked(const struct vidmm_use *use);
/* The packet is done, cancelled or thrown away: drops the pins. The use may be prepared again. */
void vidmm_use_retire(struct vidmm_use *use);
/* The same of one that was prepared just now, for something else is not to be had: nobody can have
 * come to wait for it, and nobody tries again because of it. */
void vidmm_use_give_up(struct vidmm_use *use);

/* Keeps an allocation in its place: a primary on screen, a page table. Whoever pins has one of his
 * own, zeroed at first; a reset ends every pin there is, so that letting go of one that has ended
 * takes nothing from a pin that somebody made since. */
struct vidmm_pin {
    struct vidmm_allocation *allocation; /* NULL: none */
    uint64_t reset;                      /* ended by the resets after this one */
};

/* The same in a memory segment. */
void vidmm_pin_in_memory(struct vidmm_pin *pin, struct vidmm_allocation *allocation,
                         struct vidmm_prepare_result *result);
/* Places the allocation and pins it there; `pin` is none. WAIT and FAILED as with prepare. */
void vidmm_pin(struct vidmm_pin *pin, struct vidmm_allocation *allocation,
               struct vidmm_prepare_result *result);
/* Is it one, and did no reset end it? */
bool vidmm_pin_holds(const struct vidmm_pin *pin);
/* Is none then; fine if it was none before. */
void vidmm_unpin(struct vidmm_pin *pin);

#endif
