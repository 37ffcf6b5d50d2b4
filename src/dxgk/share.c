/* Handles of the system for what clients share (D3DKMTShareObjects): other processes open it by
 * them.
 *
 *     resource, sync object ──dxgk_share──> a share, behind a handle in nt's table
 *                                             │ as long as the handle is open, all of it stays
 *     the handle is closed, or its process ends ─> allocations that nobody has open go
 *
 * A name is that of the handles that were made with it: who opens it gets one more. */
#include "dxgk/share.h"
#include "dxgk/keyed.h"
#include "dxgk/resource.h"

#include <stdlib.h>
#include <string.h>

#define SHARES_MAX 4096u /* of a process, so that none takes all handles of the table */

struct share {
    struct list link;               /* in its process's, while it is open */
    struct dxgk_resource *resource; /* a reference; NULL: none */
    struct dxgk_keyed_core *keyed;  /* open; NULL: none */
    struct dxgk_sync_core *sync;    /* likewise */
    UNICODE_STRING name;            /* Buffer is NULL: it has none */
    struct list named;              /* among all that have one, while it is open */
    uint64_t handle, number;
    uint64_t value; /* of a sync file */
    bool sync_file;
    bool open;        /* what it stands for stays */
    bool closing;     /* somebody is about its end, and needs its memory */
    bool object_gone; /* nt's: a driver that has its handle may do what it likes with it */
};

static uint64_t shares_made;
static struct list all_named = {&all_named, &all_named};

static const struct share *find_name(const UNICODE_STRING *name)
{
    list_for_each (link, &all_named) {
        const struct share *share = container_of(link, struct share, named);
        if (nt_same_name(&share->name, name)) {
            return share;
        }
    }
    return NULL;
}

static NTSTATUS give_name(struct share *share, const UNICODE_STRING *name)
{
    if (!name) {
        return STATUS_SUCCESS;
    }
    share->name.Buffer = malloc(name->Length + sizeof(WCHAR));
    if (!share->name.Buffer) {
        return STATUS_NO_MEMORY;
    }
    memcpy(share->name.Buffer, name->Buffer, name->Length);
    share->name.Length = share->name.MaximumLength = name->Length;
    list_push_back(&all_named, &share->named);
    return STATUS_SUCCESS;
}

static void drop_name(struct share *share)
{
    if (share->name.Buffer) {
        list_remove(&share->named);
        free(share->name.Buffer);
        share->name.Buffer = NULL;
    }
}

/* May switch. */
static void let_go(struct share *share)
{
    drop_name(share);
    list_remove(&share->link);
    share->open = false;
    if (share->resource) {
        dxgk_resource_let_go(share->resource);
        life_put(&share->resource->life);
    }
    if (share->keyed) {
        dxgk_keyed_core_close(share->keyed);
    }
    if (share->sync) {
        dxgk_sync_core_close(share->sync);
    }
}

/* The last handle and reference of nt's object are gone, whoever gave them back. */
static void object_ends(void *inside)
{
    struct share *share = inside;

    share->object_gone = true;
    if (!share->open && !share->closing) {
        free(share);
    }
}

static bool is_full(const struct dxgk_process *process)
{
    unsigned count = 0;

    list_for_each (link, &process->shares) {
        count++;
    }
    return count >= SHARES_MAX;
}

/* False: one of them has ended. */
static bool hold_syncs(struct share *share, const struct dxgk_share_list *list)
{
    share->keyed = list->keyed && dxgk_keyed_core_open(list->keyed) ? list->keyed : NULL;
    share->sync = list->sync && dxgk_sync_core_open(list->sync) ? list->sync : NULL;
    return share->keyed == list->keyed && share->sync == list->sync;
}

static NTSTATUS make_handle(struct share *share, const struct dxgk_share_list *list)
{
    NTSTATUS status = give_name(share, list->name);

    if (NT_SUCCESS(status)) {
        status = hold_syncs(share, list) ? nt_wrap(share, object_ends, &share->handle)
                                         : STATUS_INVALID_HANDLE;
    }
    return status;
}

static NTSTATUS open_share(struct dxgk_process *process, const struct dxgk_share_list *list,
                           uint64_t *handle)
{
    struct share *share = is_full(process) ? NULL : calloc(1, sizeof *share);

    if (!share) {
        return STATUS_NO_MEMORY;
    }
    if (list->resource && !dxgk_resource_hold(list->resource)) {
        free(share);
        return STATUS_INVALID_HANDLE;
    }
    share->open = true;
    share->number = ++shares_made;
    share->sync_file = list->sync_file;
    share->value = list->value;
    list_push_back(&process->shares, &share->link);
    if (list->resource) {
        share->resource = list->resource;
        life_get(&list->resource->life);
    }
    NTSTATUS status = make_handle(share, list);
    if (!NT_SUCCESS(status)) {
        let_go(share);
        free(share);
        return status;
    }
    *handle = share->handle;
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_share(struct dxgk_process *process, const struct dxgk_share_list *list,
                    uint64_t *handle)
{
    return list->name && find_name(list->name) ? STATUS_OBJECT_NAME_COLLISION
                                               : open_share(process, list, handle);
}

NTSTATUS dxgk_share_open_name(struct dxgk_process *process, const UNICODE_STRING *name,
                              bool wants_sync, uint64_t *handle)
{
    const struct share *share = find_name(name);

    if (!share) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    const struct dxgk_share_list list = {
        .resource = share->resource, .keyed = share->keyed, .sync = share->sync, .name = name};
    return wants_sync == (share->resource == NULL) ? open_share(process, &list, handle)
                                                   : STATUS_OBJECT_TYPE_MISMATCH;
}

uint64_t dxgk_share_number(uint64_t handle)
{
    void *object;
    const struct share *share = nt_wrapped(handle, &object);
    uint64_t number = share ? share->number : 0;

    if (share) {
        nt_object_put(object);
    }
    return number;
}

bool dxgk_shared_get(uint64_t handle, struct dxgk_shared *out)
{
    void *object;
    const struct share *share = nt_wrapped(handle, &object);

    *out = (struct dxgk_shared){0};
    if (!share) {
        return false;
    }
    bool open = share->open;
    out->sync_file = share->sync_file;
    out->value = share->value;
    if (open && share->resource) {
        out->resource = &share->resource->life;
        life_get(out->resource);
    }
    if (open && share->keyed) {
        out->keyed = dxgk_keyed_core_life(share->keyed);
        life_get(out->keyed);
    }
    if (open && share->sync) {
        out->sync = &share->sync->life;
        life_get(out->sync);
    }
    nt_object_put(object);
    return open;
}

/* The handle goes if it still stands for the share: a driver may have closed it. */
static void close_handle(const struct share *share)
{
    void *object;
    const struct share *found = nt_wrapped(share->handle, &object);

    if (found == share) {
        CHECK_THAT(NT_SUCCESS(nt_handle_close(share->handle)));
    }
    if (found) {
        nt_object_put(object);
    }
}

/* In a process that ends, or whose client asked for it. */
static void close_share(struct share *share)
{
    share->closing = true; /* the driver may close the handle when it is told of the end */
    let_go(share);
    share->closing = false;
    if (share->object_gone) {
        free(share);
    } else {
        close_handle(share);
    }
}

NTSTATUS dxgk_share_close(uint64_t handle)
{
    void *object;
    struct share *share = nt_wrapped(handle, &object);

    if (!share) {
        return STATUS_INVALID_HANDLE;
    }
    bool open = share->open;
    if (open) {
        close_share(share);
    }
    nt_object_put(object);
    return open ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
}

void dxgk_shares_close(struct dxgk_process *process)
{
    while (!list_empty(&process->shares)) {
        close_share(container_of(process->shares.next, struct share, link));
    }
}
