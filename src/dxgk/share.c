/* Handles of the system for what clients share (D3DKMTShareObjects): other processes open it by
 * them.
 *
 *     resource, sync object ──dxgk_share──> a share, behind a handle in nt's table
 *                                             │ as long as the handle is open, all of it stays
 *     the handle is closed, or its process ends ─> allocations that nobody has open go */
#include "dxgk/share.h"
#include "dxgk/resource.h"

#include <stdlib.h>

struct share {
    struct list link;               /* in its process's */
    struct dxgk_resource *resource; /* a reference; NULL: none */
    struct dxgk_sync_core *sync;    /* open; NULL: none */
    uint64_t handle;
};

/* Whoever closed the last handle runs this. May switch. */
static void end_share(void *inside)
{
    struct share *share = inside;

    list_remove(&share->link);
    if (share->resource) {
        dxgk_resource_let_go(share->resource);
        life_put(&share->resource->life);
    }
    if (share->sync) {
        dxgk_sync_core_close(share->sync);
    }
    free(share);
}

NTSTATUS dxgk_share(struct dxgk_process *process, struct dxgk_resource *resource,
                    struct dxgk_sync_core *sync, uint64_t *handle)
{
    struct share *share = calloc(1, sizeof *share);

    if (!share) {
        return STATUS_NO_MEMORY;
    }
    if (resource && !dxgk_resource_hold(resource)) {
        free(share);
        return STATUS_INVALID_HANDLE;
    }
    list_init(&share->link);
    if (resource) {
        share->resource = resource;
        life_get(&resource->life);
    }
    share->sync = sync && dxgk_sync_core_open(sync) ? sync : NULL;
    NTSTATUS status =
        sync && !share->sync ? STATUS_INVALID_HANDLE : nt_wrap(share, end_share, &share->handle);
    if (!NT_SUCCESS(status)) {
        end_share(share);
        return status;
    }
    list_push_back(&process->shares, &share->link);
    *handle = share->handle;
    return STATUS_SUCCESS;
}

bool dxgk_shared_get(uint64_t handle, struct dxgk_shared *out)
{
    void *object;
    const struct share *share = nt_wrapped(handle, &object);

    *out = (struct dxgk_shared){0};
    if (!share) {
        return false;
    }
    if (share->resource) {
        out->resource = &share->resource->life;
        life_get(out->resource);
    }
    if (share->sync) {
        out->sync = &share->sync->life;
        life_get(out->sync);
    }
    nt_object_put(object);
    return true;
}

NTSTATUS dxgk_share_close(uint64_t handle)
{
    void *object;

    if (!nt_wrapped(handle, &object)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = nt_handle_close(handle);
    nt_object_put(object);
    return status;
}

void dxgk_shares_close(struct dxgk_process *process)
{
    while (!list_empty(&process->shares)) {
        struct share *share = container_of(process->shares.next, struct share, link);
        CHECK_THAT(NT_SUCCESS(dxgk_share_close(share->handle)));
    }
}
