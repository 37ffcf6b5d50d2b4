/* For the client face: GPU virtual addresses. A room of dxgk.h, which includes it.
 *
 *     paging queue ─> map, make resident: a value of the queue's fence, or done at once
 *         ─> the client waits for the value ─> dxgk_submit_virtual()
 *
 * Addresses belong to the process; what is resident to the device; a paging queue to a device. */
#ifndef DXGK_VIRTUAL_H
#define DXGK_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include <d3dkmddi.h>

#include "base/status.h"

struct dxgk_adapter;
struct dxgk_context;
struct dxgk_device;
struct dxgk_opening;
struct dxgk_paging_queue;
struct dxgk_process;
struct dxgk_sync;

/* ---- Paging queues --------------------------------------------------------------------------- */

/* NOT_SUPPORTED: the driver has no GPU virtual addresses. */
NTSTATUS MUST_CHECK dxgk_paging_queue_create(struct dxgk_device *device, int priority,
                                             struct dxgk_paging_queue **out);
/* What waits for its fence is let go. */
NTSTATUS dxgk_paging_queue_destroy(struct dxgk_paging_queue *queue);
D3DKMT_HANDLE dxgk_paging_queue_handle(const struct dxgk_paging_queue *queue);
struct dxgk_device *dxgk_paging_queue_device(const struct dxgk_paging_queue *queue);
/* Its fence; it lives as long as the queue, and no client can destroy it. */
struct dxgk_sync *dxgk_paging_queue_fence(const struct dxgk_paging_queue *queue);

/* Is it a paging queue's? */
bool dxgk_sync_is_of_queue(const struct dxgk_sync *sync);

/* ---- Residency ------------------------------------------------------------------------------- */

struct dxgk_residency_request {
    struct dxgk_opening *const *openings;
    UINT count;
    bool cant_trim;                 /* beyond the budget, too */
    bool must_succeed;              /* the device is lost if it fails */
    UINT64 fence_value, trim_bytes; /* out */
};
/* SUCCESS: in place; PENDING: when the fence value is reached; NO_MEMORY: trim_bytes says how much
 * too much it would be. All or none. */
NTSTATUS MUST_CHECK dxgk_make_resident(struct dxgk_paging_queue *queue,
                                       struct dxgk_residency_request *request);
/* Each is wanted once less. INVALID_PARAMETER, and nothing changes, if one is not that often;
 * NOT_SUPPORTED: the device wants nothing at all. */
NTSTATUS MUST_CHECK dxgk_evict_list(struct dxgk_device *device,
                                    struct dxgk_opening *const *openings, UINT count,
                                    UINT64 *trim_bytes);

struct dxgk_reclaim_request {
    struct dxgk_opening *const *openings;
    UINT count;
    bool *discarded;    /* out: the content is gone */
    UINT64 fence_value; /* out: until it is reached, some are on their way back; or 0 */
};
/* What was offered is wanted again; what the device made resident comes back. */
NTSTATUS MUST_CHECK dxgk_reclaim_list(struct dxgk_paging_queue *queue,
                                      struct dxgk_reclaim_request *request);

/* What is not set stays as it is. */
struct dxgk_property_request {
    struct dxgk_opening *opening;
    bool set_physical, set_segments, set_preference;
    bool physical; /* AccessedPhysically */
    UINT segments;
    D3DDDI_SEGMENTPREFERENCE preference;
    UINT64 fence_value; /* out: until it is reached, it is on its way to its new place; or 0 */
};
/* If the driver says that it can be so. NOT_SUPPORTED: it cannot say. May switch: it waits for who
 * uses the allocation, if it has to move. */
NTSTATUS MUST_CHECK dxgk_update_property(struct dxgk_paging_queue *queue,
                                         struct dxgk_property_request *request);

/* ---- What a process has of an adapter's memory ----------------------------------------------- */

struct dxgk_memory_info {
    UINT64 budget_bytes, usage_bytes, reservation_bytes, reservable_bytes;
};
/* Groups as D3DKMT_MEMORY_SEGMENT_GROUP counts them. NOT_SUPPORTED: the adapter has no memory. */
NTSTATUS dxgk_process_memory(struct dxgk_process *process, struct dxgk_adapter *adapter,
                             unsigned group, struct dxgk_memory_info *info);
/* INVALID_PARAMETER: more than the process may reserve. */
NTSTATUS dxgk_process_reserve(struct dxgk_process *process, struct dxgk_adapter *adapter,
                              unsigned group, UINT64 bytes);
/* Throws away what the process offered, until so many bytes are gone; only_out: what is in no
 * segment any more. How many are. */
UINT64 dxgk_process_trim(struct dxgk_process *process, UINT64 wanted_bytes, bool only_out);

/* ---- Trimming: trim.c ------------------------------------------------------------------------ */

/* What a client should do of itself now; not both of periodic and restart. */
struct dxgk_trim_notice {
    bool periodic; /* let go what was not used since the last one */
    bool restart;  /* what was not used since now is meant next */
    UINT64 bytes;  /* let go so much, for that is more than its share; or 0 */
};
struct dxgk_trim_client {
    /* In a task of the client's, which waits for nothing meanwhile. May switch. */
    void (*tell)(const struct dxgk_trim_client *client, const struct dxgk_trim_notice *notice);
    uintptr_t routine, context; /* the client's; only tell() looks at them */
};
/* The device's client hears when it should trim. NOT_SUPPORTED: the driver has no GPU virtual
 * addresses, and the device no residency list. */
NTSTATUS MUST_CHECK dxgk_trim_register(struct dxgk_device *device,
                                       const struct dxgk_trim_client *client,
                                       D3DKMT_HANDLE *handle);
/* It is not being told when this returns, unless it asks for that itself meanwhile.
 * INVALID_PARAMETER: it is not this routine that was registered. May switch. */
struct dxgk_trimming;
NTSTATUS dxgk_trim_unregister(struct dxgk_trimming *trimming, uintptr_t routine);

/* ---- Addresses ------------------------------------------------------------------------------- */

struct dxgk_map_request {
    struct dxgk_opening *opening; /* NULL: as the protection says */
    D3DGPU_VIRTUAL_ADDRESS base, minimum, maximum;
    UINT64 page_first, page_count;
    D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE protection;
    UINT64 driver_protection;
    D3DGPU_VIRTUAL_ADDRESS address; /* out */
    UINT64 fence_value;
};
NTSTATUS MUST_CHECK dxgk_map_addresses(struct dxgk_paging_queue *queue,
                                       struct dxgk_map_request *request);

struct dxgk_reserve_request {
    D3DGPU_VIRTUAL_ADDRESS base, minimum, maximum;
    UINT64 size_bytes;
    bool zero; /* reads give zeros */
    UINT64 driver_protection;
    D3DGPU_VIRTUAL_ADDRESS address; /* out */
    UINT64 fence_value;             /* of the queue, if there is one */
};
/* The queue may be NULL; then it is done when this returns. */
NTSTATUS MUST_CHECK dxgk_reserve_addresses(struct dxgk_process *process,
                                           struct dxgk_adapter *adapter,
                                           struct dxgk_paging_queue *queue,
                                           struct dxgk_reserve_request *request);
/* What a reservation or a mapping gave. */
NTSTATUS MUST_CHECK dxgk_free_addresses(struct dxgk_process *process, struct dxgk_adapter *adapter,
                                        D3DGPU_VIRTUAL_ADDRESS base, UINT64 size_bytes);

/* All page tables of the process go to other places, as far as there is room, and its work rests
 * meanwhile; or those of processes without work leave memory until they have some. Nothing, where
 * it has none of its own. */
void dxgk_process_move_tables(struct dxgk_process *process);

enum dxgk_remap_kind { DXGK_REMAP_MAP, DXGK_REMAP_UNMAP, DXGK_REMAP_COPY };
/* One step of an update, inside what was reserved. */
struct dxgk_remap_step {
    enum dxgk_remap_kind kind;
    D3DGPU_VIRTUAL_ADDRESS address;
    UINT64 size_bytes;
    struct dxgk_opening *opening;  /* MAP */
    UINT64 offset, part_bytes;     /* MAP: of the allocation, which repeats if it is shorter */
    D3DGPU_VIRTUAL_ADDRESS source; /* COPY */
    D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE protection;
    UINT64 driver_protection;
};
struct dxgk_remap_request {
    const struct dxgk_remap_step *steps;
    UINT count;
    struct dxgk_sync *fence; /* monitored */
    UINT64 value;            /* waited for, unless at_once; then the next one is signalled */
    bool at_once;
};
/* On the context's time line, behind its earlier work. */
NTSTATUS MUST_CHECK dxgk_remap_addresses(struct dxgk_context *context,
                                         const struct dxgk_remap_request *request);

/* ---- Work ------------------------------------------------------------------------------------ */

/* A command buffer for contexts of one device, each of which runs it. */
struct dxgk_virtual_request {
    struct dxgk_context *const *contexts;
    unsigned context_count; /* 1 to D3DDDI_MAX_BROADCAST_CONTEXT */
    D3DGPU_VIRTUAL_ADDRESS commands;
    UINT size_bytes;
    const void *private_data; /* the client's, for the driver */
    UINT private_size;
    bool null_rendering, redirected; /* as of dxgk_render_request */
    bool spoiled;                    /* nobody knows whether it ends */
};
/* What the driver's ValidateSubmitCommand answers, if it fails; the device is unharmed then. May
 * switch. */
NTSTATUS MUST_CHECK dxgk_submit_virtual(const struct dxgk_virtual_request *request);
/* Has the current process a device that a reset took, for a fault of another client's work? */
bool dxgk_adapter_took_bystander(const struct dxgk_adapter *adapter);

#endif
