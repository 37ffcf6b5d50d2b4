/* nt/ex_resource.c: ERESOURCE: shared and exclusive, recursive, owned by threads.
 *
 * Who owns and who waits is kept here; the driver's structure only shows counters.
 *
 *      free ──shared──> shared by n threads ──last release──> free
 *        └──exclusive──> one thread, which may take it again either way
 */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

struct owner {
    struct list link;
    struct nt_thread *thread;
    unsigned count;
};

struct resource {
    struct list link;
    ERESOURCE *driver_side;
    struct list owners;
    bool exclusive;
    unsigned exclusive_waiting;
    struct nt_origin from;
};

static struct list resources = {&resources, &resources};

static struct resource *find(const ERESOURCE *driver_side, const struct export_call *call)
{
    list_for_each (link, &resources) {
        struct resource *resource = container_of(link, struct resource, link);
        if (resource->driver_side == driver_side) {
            return resource;
        }
    }
    misuse(NT_MISUSE_OBJECT, call, "the resource is not initialised, or deleted");
    return NULL;
}

static struct owner *owner_find(struct resource *resource, const struct nt_thread *thread)
{
    list_for_each (link, &resource->owners) {
        struct owner *owner = container_of(link, struct owner, link);
        if (owner->thread == thread) {
            return owner;
        }
    }
    return NULL;
}

static void owner_add(struct resource *resource, struct nt_thread *thread)
{
    struct owner *owner = owner_find(resource, thread);

    if (!owner) {
        owner = calloc(1, sizeof(*owner));
        CHECK_THAT(owner != NULL);
        owner->thread = thread;
        list_push_back(&resource->owners, &owner->link);
    }
    owner->count++;
}

static void resource_free(struct resource *resource)
{
    list_for_each_safe (link, &resource->owners) {
        free(container_of(link, struct owner, link));
    }
    list_remove(&resource->link);
    free(resource);
}

void resource_stop(void)
{
    list_for_each_safe (link, &resources) {
        resource_free(container_of(link, struct resource, link));
    }
}

void resource_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &resources) {
        const struct resource *resource = container_of(link, struct resource, link);
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&resource->from, where, sizeof(where));
        leak(visitor, "resource", "an ERESOURCE is not deleted, initialised at %s", where);
    }
}

bool resource_in(const void *memory, size_t size)
{
    list_for_each (link, &resources) {
        const struct resource *resource = container_of(link, struct resource, link);
        if ((uintptr_t)resource->driver_side - (uintptr_t)memory < size) {
            return true;
        }
    }
    return false;
}

void resource_forget_in(const void *memory, size_t size)
{
    list_for_each_safe (link, &resources) {
        struct resource *resource = container_of(link, struct resource, link);
        if ((uintptr_t)resource->driver_side - (uintptr_t)memory < size) {
            resource_free(resource);
        }
    }
}

NTSTATUS NTAPI ExInitializeResourceLite(PERESOURCE Resource)
{
    struct export_call call = NT_EXPORT_CALL(ExInitializeResourceLite);
    struct resource *resource = calloc(1, sizeof(*resource));

    if (!resource) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    if (resource_in(Resource, 1)) {
        misuse(NT_MISUSE_OBJECT, &call, "initialises a resource that is initialised");
        resource_forget_in(Resource, 1);
    }
    list_init(&resource->owners);
    resource->driver_side = Resource;
    resource->from = origin_of(call.caller);
    list_push_back(&resources, &resource->link);
    memset(Resource, 0, sizeof(*Resource));
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ExDeleteResourceLite(PERESOURCE Resource)
{
    struct export_call call = NT_EXPORT_CALL(ExDeleteResourceLite);
    struct resource *resource = find(Resource, &call);

    if (!resource) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!list_empty(&resource->owners)) {
        misuse(NT_MISUSE_LOCK_OWNER, &call, "deletes a resource that is held");
    }
    resource_free(resource);
    return STATUS_SUCCESS;
}

/* How one who asks for it shared meets those who wait for it exclusively. */
enum sharing {
    SHARE_BEHIND_WAITERS, /* unless he holds it already */
    SHARE_BEFORE_WAITERS,
    SHARE_ALWAYS_BEHIND_WAITERS,
};

static bool may_share(struct resource *resource, const struct nt_thread *self, enum sharing sharing)
{
    if (owner_find(resource, self) &&
        (resource->exclusive || sharing != SHARE_ALWAYS_BEHIND_WAITERS)) {
        return true;
    }
    return !resource->exclusive &&
           (resource->exclusive_waiting == 0 || sharing == SHARE_BEFORE_WAITERS);
}

static bool may_own(struct resource *resource, const struct nt_thread *self)
{
    return list_empty(&resource->owners) ||
           (resource->exclusive && owner_find(resource, self) != NULL);
}

static struct resource *find_to_acquire(const ERESOURCE *driver_side,
                                        const struct export_call *call)
{
    if (!thread_apcs_disabled()) {
        misuse(
            NT_MISUSE_APCS, call,
            "normal kernel APCs are enabled: call KeEnterCriticalRegion first, or a thread that is "
            "suspended keeps the resource");
    }
    return find(driver_side, call);
}

static BOOLEAN acquire_shared(ERESOURCE *driver_side, bool wait, enum sharing sharing,
                              const struct export_call *call)
{
    struct resource *resource = find_to_acquire(driver_side, call);
    struct nt_thread *self = thread_current();

    while (resource && !may_share(resource, self, sharing)) {
        if (!wait) {
            return FALSE;
        }
        driver_side->ContentionCount++;
        address_wait(resource, MACHINE_NEVER);
    }
    if (!resource) {
        return FALSE;
    }
    owner_add(resource, self);
    driver_side->ActiveEntries++;
    return TRUE;
}

static BOOLEAN acquire_exclusive(ERESOURCE *driver_side, bool wait, const struct export_call *call)
{
    struct resource *resource = find_to_acquire(driver_side, call);
    struct nt_thread *self = thread_current();

    if (!resource || (!wait && !may_own(resource, self))) {
        return FALSE;
    }
    if (!resource->exclusive && owner_find(resource, self)) {
        misuse(NT_MISUSE_LOCK_OWNER, call, "a shared holder asks for exclusive: it waits for ever");
    }
    resource->exclusive_waiting++;
    while (!may_own(resource, self)) {
        driver_side->ContentionCount++;
        address_wait(resource, MACHINE_NEVER);
    }
    resource->exclusive_waiting--;
    resource->exclusive = true;
    owner_add(resource, self);
    driver_side->ActiveEntries++;
    return TRUE;
}

static void release(ERESOURCE *driver_side, const struct nt_thread *thread,
                    const struct export_call *call)
{
    struct resource *resource = find(driver_side, call);
    struct owner *owner = resource ? owner_find(resource, thread) : NULL;

    if (!owner) {
        if (resource) {
            misuse(NT_MISUSE_LOCK_OWNER, call, "the thread does not hold the resource");
        }
        return;
    }
    driver_side->ActiveEntries--;
    if (--owner->count > 0) {
        return;
    }
    list_remove(&owner->link);
    free(owner);
    if (list_empty(&resource->owners)) {
        resource->exclusive = false;
    }
    address_wake_all(resource);
}

BOOLEAN NTAPI ExAcquireResourceSharedLite(PERESOURCE Resource, BOOLEAN Wait)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireResourceSharedLite);
    return acquire_shared(Resource, Wait, SHARE_BEHIND_WAITERS, &call);
}

BOOLEAN NTAPI ExAcquireSharedStarveExclusive(PERESOURCE Resource, BOOLEAN Wait)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireSharedStarveExclusive);
    return acquire_shared(Resource, Wait, SHARE_BEFORE_WAITERS, &call);
}

BOOLEAN NTAPI ExAcquireSharedWaitForExclusive(PERESOURCE Resource, BOOLEAN Wait)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireSharedWaitForExclusive);
    return acquire_shared(Resource, Wait, SHARE_ALWAYS_BEHIND_WAITERS, &call);
}

BOOLEAN NTAPI ExAcquireResourceExclusiveLite(PERESOURCE Resource, BOOLEAN Wait)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireResourceExclusiveLite);
    return acquire_exclusive(Resource, Wait, &call);
}

VOID NTAPI ExReleaseResourceLite(PERESOURCE Resource)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseResourceLite);
    release(Resource, thread_current(), &call);
}

VOID NTAPI ExReleaseResourceForThreadLite(PERESOURCE Resource, ERESOURCE_THREAD ResourceThreadId)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseResourceForThreadLite);
    release(Resource, (const struct nt_thread *)ResourceThreadId, &call);
}

VOID NTAPI ExConvertExclusiveToSharedLite(PERESOURCE Resource)
{
    struct export_call call = NT_EXPORT_CALL(ExConvertExclusiveToSharedLite);
    struct resource *resource = find(Resource, &call);

    if (!resource || !resource->exclusive || !owner_find(resource, thread_current())) {
        misuse(NT_MISUSE_LOCK_OWNER, &call, "the thread does not hold the resource exclusively");
        return;
    }
    resource->exclusive = false;
    address_wake_all(resource);
}

BOOLEAN NTAPI ExIsResourceAcquiredExclusiveLite(PERESOURCE Resource)
{
    struct export_call call = NT_EXPORT_CALL(ExIsResourceAcquiredExclusiveLite);
    struct resource *resource = find(Resource, &call);

    return resource && resource->exclusive && owner_find(resource, thread_current());
}

ULONG NTAPI ExIsResourceAcquiredSharedLite(PERESOURCE Resource)
{
    struct export_call call = NT_EXPORT_CALL(ExIsResourceAcquiredSharedLite);
    struct resource *resource = find(Resource, &call);
    struct owner *owner = resource ? owner_find(resource, thread_current()) : NULL;

    return owner ? owner->count : 0;
}

PVOID NTAPI ExEnterCriticalRegionAndAcquireResourceExclusive(PERESOURCE Resource)
{
    struct export_call call = NT_EXPORT_CALL(ExEnterCriticalRegionAndAcquireResourceExclusive);

    thread_current()->critical_depth++;
    acquire_exclusive(Resource, true, &call);
    return NULL;
}

PVOID NTAPI ExEnterCriticalRegionAndAcquireResourceShared(PERESOURCE Resource)
{
    struct export_call call = NT_EXPORT_CALL(ExEnterCriticalRegionAndAcquireResourceShared);

    thread_current()->critical_depth++;
    acquire_shared(Resource, true, SHARE_BEHIND_WAITERS, &call);
    return NULL;
}

VOID NTAPI ExReleaseResourceAndLeaveCriticalRegion(PERESOURCE Resource)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseResourceAndLeaveCriticalRegion);

    release(Resource, thread_current(), &call);
    (void)thread_leave_region(&thread_current()->critical_depth, &thread_current()->critical_told);
}
