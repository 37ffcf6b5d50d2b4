/* Swizzling ranges: parts of the hardware through which the CPU sees an allocation as if it lay in
 * a line, or at another address than its own. WDDM 1.x alone has them.
 *
 *     free ──acquire──> held by an allocation and its client's private data; in use while locked
 *       ^                  │ evicted, destroyed, a reset, or somebody else wants it
 *       └────release───────┘
 *
 * A range stays with its allocation when that is unlocked: the next lock with the same private data
 * finds it set up. */
#ifndef DXGK_RANGES_H
#define DXGK_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include <d3dkmddi.h>

#include "base/list.h"
#include "base/status.h"

#define DXGK_RANGES_MAX 64 /* of which use is made */

struct dxgk_adapter;
struct dxgk_allocation;
struct dxgk_lock_request;
struct dxgk_opening;
struct vidmm_op;

struct dxgk_range {
    struct dxgk_allocation *allocation; /* NULL: it is free */
    UINT data;                          /* the client's */
    uint64_t physical, size_bytes, used;
    bool locked, leaves, changing; /* somebody looks; it is to be released; the driver is called */
};

/* An adapter's; PASSIVE_LEVEL, but for what says that one leaves. */
struct dxgk_ranges {
    struct dxgk_range list[DXGK_RANGES_MAX];
    struct list looks; /* at ranges whose pages the device leads elsewhere, one of each lock */
    uint64_t uses;
};

/* With the worker. False: no memory. */
bool dxgk_ranges_start(struct dxgk_adapter *adapter);
void dxgk_ranges_stop(struct dxgk_adapter *adapter);
uint32_t dxgk_lock_flags(D3DDDICB_LOCKFLAGS flags); /* in vidmm's words */
/* Does the driver have any? */
bool dxgk_ranges_exist(const struct dxgk_adapter *adapter);
/* Locks through one. STATUS_NOT_SUPPORTED: none can be had, and nothing is locked. */
NTSTATUS dxgk_ranges_lock(struct dxgk_opening *opening, const struct dxgk_lock_request *request,
                          void **pointer);
/* The allocation was unlocked. */
void dxgk_ranges_unlocked(const struct dxgk_allocation *allocation);
/* The operation is done: if the allocation left its segment, the worker releases its ranges. */
void dxgk_ranges_after(struct dxgk_adapter *adapter, const struct vidmm_op *op);
/* The range that somebody sees the allocation through, and its private data; zeros: nobody does. */
UINT dxgk_range_of(const struct dxgk_allocation *allocation, UINT *data);
/* Releases what is to be released; with all, whatever is held: a reset. */
void dxgk_ranges_work(struct dxgk_adapter *adapter, bool all);
/* The allocation ends. */
void dxgk_ranges_forget(struct dxgk_allocation *allocation);

#endif
