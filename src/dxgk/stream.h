/* What the kinds of contexts share: those that CreateContext makes (context.c), hardware contexts
 * and hardware queues (hwqueue_make.c). Each begins with a struct dxgk_context.
 *
 *     dxgk_context_new ─> handle, driver's object, dxgk_context_schedule ─> dxgk_context_begin
 *         ─> dxgk_context_destroy: its work ends ─> kind->dismantle ─> dxgk_context_forget */
#ifndef DXGK_STREAM_H
#define DXGK_STREAM_H

#include "dxgk/internal.h"

struct dxgk_context_kind {
    enum dxgk_handle_kind handle;
    size_t size_bytes; /* of the struct that begins with the context */
    /* The driver forgets it; it ends with dxgk_context_forget(). Nothing is under way, and nothing
     * will be. Accepts what a failed start left behind. May switch. */
    void (*dismantle)(struct dxgk_context *context);
};

/* Zeroed otherwise; on no list yet. NULL: no memory. */
struct dxgk_context *dxgk_context_new(struct dxgk_device *device,
                                      const struct dxgk_context_kind *kind, unsigned node);
/* Its place in the scheduler; of a hardware queue: with so many packets in flight, else 0. */
NTSTATUS MUST_CHECK dxgk_context_schedule(struct dxgk_context *context, bool system,
                                          unsigned in_flight_max);
/* On its device's list. */
void dxgk_context_begin(struct dxgk_context *context);
/* Nobody gives its driver's object a root table any more: for its end. False: there is none. May
 * switch. */
bool dxgk_context_disowns(struct dxgk_context *context);
/* Off its list and without its handle; the maker's reference goes. */
void dxgk_context_forget(struct dxgk_context *context);

#endif
