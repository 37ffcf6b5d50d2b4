/* Memory that a driver asks for itself, for the state of a context or for all contexts of a device
 * (DxgkCbCreateContextAllocation). It is in place while a packet of those is prepared or runs, and
 * the driver makes its first content by INIT_CONTEXT_RESOURCE.
 *
 * Its context, or its device, owns it; what the driver has not destroyed, or another of its threads
 * is still inside of, goes with the owner. */
#ifndef DXGK_CONTEXT_MEMORY_H
#define DXGK_CONTEXT_MEMORY_H

#include <d3dkmddi.h>

#include "base/list.h"
#include "contract/contract.h"
#include "dxgk/life.h"
#include "vidmm/vidmm.h"

struct ddi_adapter;
struct dxgk_adapter;
struct dxgk_context;
struct dxgk_device;

struct dxgk_context_memory {
    struct dxgk_life life; /* linked in its owner's; inside: callbacks that wait with it */
    struct vidmm_allocation memory;
    struct list all_link;               /* of all there are */
    struct dxgk_device *device;         /* that it is of, or whose context it is of */
    const struct dxgk_context *context; /* NULL: of the device, for all its contexts */
    HANDLE driver_handle; /* hDriverAllocation: what paging operations name; NULL once it was
                           * destroyed, also in a further call of one that began before */
    HANDLE handle;        /* what the driver names it by */
    void *address;        /* the CPU's, if the driver asked for it; or NULL */
    struct list updates;  /* context_update.c: that wait for it to be in place, or run */
    uint32_t object;
};

/* handle.c: the object of a handle, as the driver may name it: also while it is being made. */
struct dxgk_life *dxgk_handle_of_driver(D3DKMT_HANDLE handle, enum dxgk_handle_kind kind);

/* NULL: no such memory of this adapter. */
struct dxgk_context_memory *dxgk_context_memory_find(const struct dxgk_adapter *adapter,
                                                     HANDLE handle);
/* The same, as a callback of the driver's names it [CCA-004]. */
struct dxgk_context_memory *dxgk_context_memory_named(const struct dxgk_adapter *adapter,
                                                      HANDLE handle, enum contract_point callback);

struct dxgk_fault;
/* A clue, if the device's address is one of such memory of the device that faulted. */
void dxgk_context_memory_explain(struct dxgk_adapter *adapter, const struct dxgk_fault *fault);

/* The callbacks. */
NTSTATUS dxgk_context_memory_create(struct ddi_adapter *ddi,
                                    DXGKARGCB_CREATECONTEXTALLOCATION *request);
NTSTATUS dxgk_context_memory_destroy(struct ddi_adapter *ddi, HANDLE handle);
/* 0: there are no addresses, or none is free there. May switch. */
D3DGPU_VIRTUAL_ADDRESS dxgk_context_memory_map(struct ddi_adapter *ddi,
                                               const DXGKARGCB_MAPCONTEXTALLOCATION *request);
/* Done when it returns, unless the driver asks where its own work would be waited for: then before
 * the next packet of the context. May switch. */
NTSTATUS dxgk_context_memory_update(struct ddi_adapter *ddi,
                                    const DXGKARGCB_UPDATECONTEXTALLOCATION *request);
/* The owner's end: its driver's object is gone. May switch. */
void dxgk_context_memory_drop(struct list *owned);
/* The owner's destroy DDI returned, or the one that makes it failed: what the driver did not give
 * back is told [CCA-009]. */
void dxgk_context_memory_judge_left(const struct list *owned, const char *ddi, bool failed);

bool dxgk_context_memories_exist(void);
/* Has a packet of the context anything to wait for because of such memory? */
bool dxgk_context_memory_any(const struct dxgk_context *context);
/* All of it in place, and kept there for the packet's state_use; so is what a Present by virtual
 * address names. */
void dxgk_context_memory_prepare(struct dxgk_packet *packet, struct vidmm_prepare_result *result);

/* Updates that waited for these to be in place, where they are now; the result waits for them. */
void dxgk_context_updates_queue(const struct list *owned, struct vidmm_prepare_result *result);
/* Has all ended that was queued, also behind the last call of the one above? */
bool dxgk_context_updates_done(const struct list *owned);
/* None runs any more. */
void dxgk_context_updates_drop(struct dxgk_context_memory *memory);

/* ---- Left by the GPU: null_context.c --------------------------------------------------------- */

struct dxgk_packet;

/* context.c: one that no driver knows of, for packets that belong to none. */
NTSTATUS dxgk_context_make_null(struct dxgk_device *system, unsigned node,
                                struct dxgk_context **out);
/* The packet goes to the hardware, and has ended there by itself. */
void dxgk_entered(struct dxgk_packet *packet);
void dxgk_entry_done(const struct dxgk_packet *packet);
/* The node, or each, was reset, or had no power: it is in no context. */
void dxgk_entry_forget(struct dxgk_adapter *adapter, unsigned node);
void dxgk_entries_forget(struct dxgk_adapter *adapter);
/* The worker's. Is no context on the GPU whose memory the next operation takes from its place? If
 * one may be, it is made to leave; asked again until then. May switch. */
bool dxgk_context_left(const struct dxgk_adapter *adapter);
/* The same before its memory goes with it, waited for. May switch. */
void dxgk_context_leave(struct dxgk_context *context);

#endif
