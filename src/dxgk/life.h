/* The life of an object that several know: references and uses. */
#ifndef DXGK_LIFE_H
#define DXGK_LIFE_H

#include "dxgk/dxgk.h"
#include "machine/machine.h"

/* What every object begins with that several know: clients by its handle, calls and packets by
 * pointer.
 *
 *            life_begin                       life_end
 *     MADE ─────────────> LIVING ────────────────────────────> DYING
 *      │ its maker alone    its handle is found,               │ no handle finds it, nobody enters;
 *      │                    calls enter and leave              │ its end waits for those inside,
 *      │                                                       │ tells the driver, unlinks it
 *      └──────────────────── last life_put ────────────────────┘ ──> free()
 *
 * A *reference* keeps the memory, nothing else. A *use* keeps the object itself: while somebody is
 * inside, the driver is not told of its end and what it consists of stays in place. A call that
 * hands the object to the driver, or waits on parts of it, is inside; a packet that names an
 * opening, too. The maker's reference belongs to the life: whoever ends it drops it, last.
 *
 * All of this is atomic by itself, at any IRQL; only life_wait_unused() may switch. free() runs
 * wherever the last reference is dropped and may not wait. */
struct dxgk_life {
    enum dxgk_handle_kind kind; /* fixed at init */
    uint64_t number;            /* in order of making, never reused */
    void (*free)(struct dxgk_life *life);

    enum { LIFE_MADE, LIFE_LIVING, LIFE_DYING } state;
    unsigned reference_count, use_count;
    D3DKMT_HANDLE handle; /* 0: none */
    struct list link;     /* in its parent's list, until the driver has forgotten it */
    struct wait_queue unused;
};

void life_init(struct dxgk_life *life, enum dxgk_handle_kind kind,
               void (*free)(struct dxgk_life *life));
void life_get(struct dxgk_life *life);
void life_put(struct dxgk_life *life);
void life_begin(struct dxgk_life *life);
/* False: not there yet, or dying. */
bool life_enter(struct dxgk_life *life);
/* For somebody who is inside, and hands a use on to what goes on without him: also while dying. */
void life_use_more(struct dxgk_life *life);
void life_leave(struct dxgk_life *life);
/* False: somebody else ends it already, or nobody may. */
bool MUST_CHECK life_end(struct dxgk_life *life);
void life_wait_unused(struct dxgk_life *life);
/* Off its parent's list, and without its handle. */
void life_unlink(struct dxgk_life *life);
/* Of what several have open, which ends with the last of them; each opening has a reference. False:
 * it has ended. */
bool life_open(struct dxgk_life *life, unsigned *open_count);
/* True: it was the last, and what the object consists of is to end, and its maker's reference. The
 * opening's is still there in either case. */
bool MUST_CHECK life_close(struct dxgk_life *life, unsigned *open_count);

/* On its parent's list, behind those that were made before it. */
void life_link(struct list *head, struct dxgk_life *life);
/* For a walk over a list of lives that may change meanwhile: the next one made after `before`
 * (NULL: the first), with a reference; the one to `before` is dropped. Who leaves the loop early
 * drops the last. Only life_link() puts lives on such a list. */
struct dxgk_life *life_next(const struct list *head, struct dxgk_life *before);
#define for_each_life(life, head) \
    for (struct dxgk_life *life = life_next(head, NULL); life; life = life_next(head, life))
/* The first that lives, or NULL; no reference. */
struct dxgk_life *life_living(const struct list *head);

/* ---- Handles: handle.c ---------------------------------------------------------------------- */

/* One table for all processes; an entry remembers its owner. */
/* 0 when it is full, or its owner has as many as a process may have. The driver can ask about it at
 * once, clients when it is shown. */
D3DKMT_HANDLE dxgk_handle_new(enum dxgk_handle_kind kind, struct dxgk_life *life,
                              struct dxgk_process *owner);
void dxgk_handle_show(D3DKMT_HANDLE handle);
void dxgk_handle_hide(D3DKMT_HANDLE handle);
void dxgk_handle_free(D3DKMT_HANDLE handle);
/* As dxgk_handle_get(), without a reference: for who does not switch. */
struct dxgk_life *dxgk_handle_peek(D3DKMT_HANDLE handle, enum dxgk_handle_kind kind,
                                   const struct dxgk_process *owner);
void *dxgk_cb_get_handle_data(const DXGKARGCB_GETHANDLEDATA *data);
D3DKMT_HANDLE dxgk_cb_get_handle_parent(D3DKMT_HANDLE handle);
D3DKMT_HANDLE dxgk_cb_enum_handle_children(const DXGKARGCB_ENUMHANDLECHILDREN *data);
/* Adapter handles that the process left open. */
void dxgk_handles_close(struct dxgk_process *owner);

#endif
