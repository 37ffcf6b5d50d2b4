/* Paging companions of contexts: companion.c. */
#ifndef DXGK_COMPANION_H
#define DXGK_COMPANION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct dxgk_adapter;
struct dxgk_context;
struct paging_operation;

/* Before the context's first change of addresses: makes its companion, if it is to have one. Inside
 * the context. May switch. */
NTSTATUS MUST_CHECK dxgk_companion_need(struct dxgk_context *context);
/* The context has nothing under way, and the driver is about to forget it. May switch. */
void dxgk_companion_end(struct dxgk_context *context);

/* The worker's, when it takes an operation: whether a companion runs it, which then lives until
 * dxgk_companion_leave(). */
void dxgk_companion_enter(struct dxgk_adapter *adapter, struct paging_operation *operation);
void dxgk_companion_leave(struct paging_operation *operation);
/* Its companion, or the other context. */
struct dxgk_context *dxgk_companion_or(const struct paging_operation *operation,
                                       struct dxgk_context *other);
/* May the operation be built? What companions run, and what the system's context does, wait for
 * each other: they may be on different nodes. */
bool dxgk_companion_turn(const struct dxgk_adapter *adapter,
                         const struct paging_operation *operation);
/* In a reset: as of the system's context. False: it is not over by then. May switch. */
bool dxgk_companions_abandon(struct dxgk_adapter *adapter, uint64_t deadline_ns);

#endif
