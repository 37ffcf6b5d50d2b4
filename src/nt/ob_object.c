/* nt/ob_object.c: objects with reference counts, and handles to them.
 *
 * An object is one block of pool, the body that drivers see, and what only this file knows of it,
 * which lies where no slip of a driver's comes to. A pointer is accepted as an object if the pool
 * says that such a block begins there; so a wild or stale pointer is found and not followed.
 *
 *      object_create ──> 1 reference ── handle_open: +1 ── ObReferenceObject: +1 ──┐
 *                                  0 <── put: type->destroy, memory freed <────────┘
 *
 * Of the references some were given to drivers (object_give); they are all that a driver can drop.
 * The others are the kernel's own, of handles, threads that run, and devices that exist.
 */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

#define OBJECT_TAG             POOL_TAG('O', 'b', 'j', 't')
#define HANDLE_COUNT_MAX       65536u
#define HANDLE_SHIFT           2 /* the two lowest bits of a handle are the owner's */
#define HANDLE_CURRENT_PROCESS ((HANDLE)(intptr_t)-1)
#define HANDLE_CURRENT_THREAD  ((HANDLE)(intptr_t)-2)

struct object {
    struct object_type *type;
    LONG_PTR reference_count;
    LONG_PTR given;              /* of them, to drivers */
    struct nt_origin given_from; /* to whom the last was */
    struct list held;            /* where some are */
};

struct handle {
    void *body; /* NULL: free */
    ULONG access;
    bool is_kernels; /* no client may use it */
    struct nt_origin from;
};

struct object_type object_type_event = {
    .name = "Event",
    .rights = {.GenericRead = STANDARD_RIGHTS_READ | 1,
               .GenericWrite = STANDARD_RIGHTS_WRITE | EVENT_MODIFY_STATE,
               .GenericExecute = STANDARD_RIGHTS_EXECUTE | SYNCHRONIZE,
               .GenericAll = EVENT_ALL_ACCESS},
};
struct object_type object_type_file = {.name = "File"};
struct object_type object_type_semaphore = {.name = "Semaphore"};
struct object_type object_type_mutant = {.name = "Mutant"};
struct object_type object_type_timer = {.name = "Timer"};
struct object_type object_type_token = {.name = "Token"};

/* Data exports. The kernel's variable is a POBJECT_TYPE; the headers declare a pointer to it. */
static POBJECT_TYPE event_type = (POBJECT_TYPE)&object_type_event;
static POBJECT_TYPE thread_type = (POBJECT_TYPE)&object_type_thread;
static POBJECT_TYPE process_type = (POBJECT_TYPE)&object_type_process;
static POBJECT_TYPE file_type = (POBJECT_TYPE)&object_type_file;
static POBJECT_TYPE section_type = (POBJECT_TYPE)&object_type_section;
static POBJECT_TYPE semaphore_type = (POBJECT_TYPE)&object_type_semaphore;
static POBJECT_TYPE device_type = (POBJECT_TYPE)&object_type_device;
static POBJECT_TYPE driver_type = (POBJECT_TYPE)&object_type_driver;
POBJECT_TYPE *ExEventObjectType = &event_type;
POBJECT_TYPE *PsThreadType = &thread_type;
POBJECT_TYPE *PsProcessType = &process_type;
POBJECT_TYPE *IoFileObjectType = &file_type;
POBJECT_TYPE *MmSectionObjectType = &section_type;
POBJECT_TYPE *ExSemaphoreObjectType = &semaphore_type;
POBJECT_TYPE *IoDeviceObjectType = &device_type;
POBJECT_TYPE *IoDriverObjectType = &driver_type;

static struct handle *handles;
static unsigned handle_capacity, handle_next;
static struct list held_objects; /* of which drivers have references */

void object_start(void)
{
    list_init(&held_objects);
    handles = NULL;
    handle_capacity = handle_next = 0;
}

void object_stop(void)
{
    for (unsigned i = 0; i < handle_capacity; i++) {
        if (handles[i].body) {
            object_put(handles[i].body);
        }
    }
    free(handles);
    object_start();
}

/* ---- Objects --------------------------------------------------------------------------------- */

static struct object *object_of(const void *body)
{
    struct pool_block *block = body ? pool_store_find(body) : NULL;

    if (!block || block->state != POOL_BLOCK_LIVE || !block->internal || block->tag != OBJECT_TAG ||
        block->memory != body) {
        return NULL;
    }
    return block->object;
}

void *object_create(struct object_type *type, size_t body_size)
{
    struct pool_request request = {.size = body_size,
                                   .tag = OBJECT_TAG,
                                   .zeroed = true,
                                   .internal = true,
                                   .caller = __builtin_return_address(0)};
    struct object *object = calloc(1, sizeof(*object));
    void *body = object ? pool_allocate(&request) : NULL;

    if (!body) {
        free(object);
        return NULL;
    }
    object->type = type;
    object->reference_count = 1;
    pool_store_find(body)->object = object;
    return body;
}

void object_get(void *body)
{
    object_of(body)->reference_count++;
}

bool object_put(void *body)
{
    struct object *object = object_of(body);

    if (!object) {
        return false;
    }
    if (--object->reference_count == 0) {
        if (object->given > 0) {
            list_remove(&object->held);
        }
        if (object->type->destroy) {
            object->type->destroy(body);
        }
        pool_store_find(body)->object = NULL;
        pool_free_internal(body);
        free(object);
    }
    return true;
}

void object_give(void *body, const void *caller)
{
    struct object *object = object_of(body);

    if (object->given++ == 0) {
        list_push_back(&held_objects, &object->held);
    }
    object->given_from = origin_of(caller);
}

bool object_is_given(const void *body)
{
    const struct object *object = object_of(body);

    return object && object->given > 0;
}

bool object_exists(const void *body)
{
    return object_of(body) != NULL;
}

struct object_type *object_type_of(const void *body)
{
    const struct object *object = object_of(body);

    return object ? object->type : NULL;
}

void nt_object_put(void *object)
{
    CHECK_THAT(object_put(object));
}

/* ---- Handles --------------------------------------------------------------------------------- */

static bool handles_grow(void)
{
    unsigned capacity = handle_capacity ? handle_capacity * 2 : 64;
    struct handle *grown;

    if (capacity > HANDLE_COUNT_MAX) {
        return false;
    }
    grown = realloc(handles, capacity * sizeof(*handles));
    if (!grown) {
        return false;
    }
    memset(grown + handle_capacity, 0, (capacity - handle_capacity) * sizeof(*handles));
    handles = grown;
    handle_capacity = capacity;
    return true;
}

/* A free place, the longest unused first so that stale handles stay stale for a while. */
static struct handle *free_place(unsigned *index)
{
    for (unsigned tried = 0; tried < handle_capacity; tried++) {
        unsigned at = (handle_next + tried) % handle_capacity;
        if (!handles[at].body) {
            handle_next = at + 1;
            *index = at;
            return &handles[at];
        }
    }
    *index = handle_capacity;
    if (!handles_grow()) {
        return NULL;
    }
    handle_next = *index + 1;
    return &handles[*index];
}

static ULONG map_generic(const struct object_type *type, ULONG access)
{
    static const GENERIC_MAPPING common = {.GenericRead = STANDARD_RIGHTS_READ | 0xFFFF,
                                           .GenericWrite = STANDARD_RIGHTS_WRITE | 0xFFFF,
                                           .GenericExecute = STANDARD_RIGHTS_EXECUTE | 0xFFFF,
                                           .GenericAll = STANDARD_RIGHTS_ALL | 0xFFFF};
    const GENERIC_MAPPING *rights = type->rights.GenericAll ? &type->rights : &common;
    ULONG mapped =
        access & ~(GENERIC_READ | GENERIC_WRITE | GENERIC_EXECUTE | GENERIC_ALL | MAXIMUM_ALLOWED);

    mapped |= access & GENERIC_READ ? rights->GenericRead : 0;
    mapped |= access & GENERIC_WRITE ? rights->GenericWrite : 0;
    mapped |= access & GENERIC_EXECUTE ? rights->GenericExecute : 0;
    mapped |= access & (GENERIC_ALL | MAXIMUM_ALLOWED) ? rights->GenericAll : 0;
    return mapped;
}

struct handle_request handle_request_of(ULONG access, const OBJECT_ATTRIBUTES *attributes,
                                        const void *caller)
{
    return (struct handle_request){
        .access = access, .attributes = attributes ? attributes->Attributes : 0, .caller = caller};
}

NTSTATUS handle_open(void *body, const struct handle_request *request, HANDLE *out)
{
    unsigned index;
    struct handle *place;

    if (allocation_fails(OBJECT_TAG, 0, request->caller)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    place = free_place(&index);
    if (!place) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    object_get(body);
    *place = (struct handle){.body = body,
                             .access = map_generic(object_type_of(body), request->access),
                             .is_kernels = (request->attributes & OBJ_KERNEL_HANDLE) != 0,
                             .from = origin_of(request->caller)};
    *out = (HANDLE)(((uintptr_t)index + 1) << HANDLE_SHIFT);
    return STATUS_SUCCESS;
}

static struct handle *handle_find(HANDLE handle)
{
    uintptr_t index = ((uintptr_t)handle >> HANDLE_SHIFT) - 1;

    if (index >= handle_capacity || !handles[index].body) {
        return NULL;
    }
    return &handles[index];
}

static bool is_pseudo(HANDLE handle)
{
    return handle == HANDLE_CURRENT_THREAD || handle == HANDLE_CURRENT_PROCESS;
}

ULONG handle_access(HANDLE handle)
{
    const struct handle *place = handle_find(handle);

    return place ? place->access : is_pseudo(handle) ? ~0u : 0;
}

NTSTATUS handle_close(HANDLE handle)
{
    struct handle *place = handle_find(handle);
    void *body;

    if (!place) {
        return STATUS_INVALID_HANDLE;
    }
    body = place->body;
    place->body = NULL;
    object_put(body);
    return STATUS_SUCCESS;
}

NTSTATUS handle_reference(HANDLE handle, const struct object_type *type, void **body)
{
    struct handle *place = handle_find(handle);
    void *found = place ? place->body : NULL;

    if (handle == HANDLE_CURRENT_THREAD) {
        found = thread_current();
    } else if (handle == HANDLE_CURRENT_PROCESS) {
        found = nt_process_object(nt_process_current());
    }
    if (!found) {
        return STATUS_INVALID_HANDLE;
    }
    if (type && object_type_of(found) != type) {
        return STATUS_OBJECT_TYPE_MISMATCH;
    }
    object_get(found);
    *body = found;
    return STATUS_SUCCESS;
}

NTSTATUS nt_handle_close(uint64_t handle)
{
    return handle_close((HANDLE)(uintptr_t)handle);
}

/* ---- What other layers have ------------------------------------------------------------------ */

struct wrap {
    void *inside;
    void (*end)(void *inside);
};

static void destroy_wrap(void *body)
{
    const struct wrap *wrap = body;

    if (wrap->inside) {
        wrap->end(wrap->inside);
    }
}

static struct object_type object_type_wrap = {.name = "DxgkSharedObject", .destroy = destroy_wrap};

NTSTATUS nt_wrap(void *inside, void (*end)(void *inside), uint64_t *handle)
{
    struct wrap *wrap = object_create(&object_type_wrap, sizeof *wrap);
    struct handle *place;
    unsigned index;

    if (!wrap) {
        return STATUS_NO_MEMORY;
    }
    if (!(place = free_place(&index))) { /* a client's: what fails for drivers does not fail here */
        object_put(wrap);
        return STATUS_NO_MEMORY;
    }
    *wrap = (struct wrap){inside, end};
    *place = (struct handle){.body = wrap};
    *handle = ((uint64_t)index + 1) << HANDLE_SHIFT;
    return STATUS_SUCCESS;
}

void *nt_wrapped(uint64_t handle, void **object)
{
    NTSTATUS status = handle_reference((HANDLE)(uintptr_t)handle, &object_type_wrap, object);

    return NT_SUCCESS(status) ? ((const struct wrap *)*object)->inside : NULL;
}

void handle_leaks(struct leak_visitor *visitor)
{
    for (unsigned i = 0; i < handle_capacity; i++) {
        char where[NT_ORIGIN_MAX];
        if (!handles[i].body) {
            continue;
        }
        nt_origin_text(&handles[i].from, where, sizeof(where));
        leak(visitor, "handle", "handle 0x%x of type %s, opened at %s", (i + 1) << HANDLE_SHIFT,
             object_type_of(handles[i].body)->name, where);
    }
    list_for_each (link, &held_objects) {
        const struct object *object = container_of(link, struct object, held);
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&object->given_from, where, sizeof(where));
        leak(visitor, "reference", "%lld to an object of type %s, the last taken at %s",
             (long long)object->given, object->type->name, where);
    }
}

/* ---- Exports --------------------------------------------------------------------------------- */

/* What a client's own handle has to be good for; the kernel is not asked. */
static NTSTATUS check_user(HANDLE handle, ACCESS_MASK wanted)
{
    const struct handle *place = handle_find(handle);

    if (is_pseudo(handle)) {
        return STATUS_SUCCESS;
    }
    if (!place || place->is_kernels) {
        return STATUS_INVALID_HANDLE;
    }
    return wanted & ~place->access ? STATUS_ACCESS_DENIED : STATUS_SUCCESS;
}

/* ObReferenceObjectByHandle. */
struct reference_request {
    HANDLE handle;
    ACCESS_MASK access;
    POBJECT_TYPE type;
    KPROCESSOR_MODE mode;
    POBJECT_HANDLE_INFORMATION information;
};

/* A bad handle that came from a client is no fault of the driver's: it asked. */
static NTSTATUS reference_by_handle(const struct reference_request *request, PVOID *object,
                                    const struct export_call *call)
{
    NTSTATUS status =
        request->mode == UserMode ? check_user(request->handle, request->access) : STATUS_SUCCESS;

    *object = NULL;
    if (NT_SUCCESS(status)) {
        status =
            handle_reference(request->handle, (const struct object_type *)request->type, object);
    }
    if (NT_SUCCESS(status)) {
        object_give(*object, call->caller);
    }
    if (status == STATUS_INVALID_HANDLE && request->mode != UserMode) {
        misuse(NT_MISUSE_HANDLE, call, "handle 0x%llx is not open",
               (unsigned long long)(uintptr_t)request->handle);
    }
    if (NT_SUCCESS(status) && request->information) {
        request->information->HandleAttributes = 0;
        request->information->GrantedAccess = handle_access(request->handle);
    }
    return status;
}

NTSTATUS NTAPI ObReferenceObjectByHandle(HANDLE Handle, ACCESS_MASK DesiredAccess,
                                         POBJECT_TYPE ObjectType, KPROCESSOR_MODE AccessMode,
                                         PVOID *Object,
                                         POBJECT_HANDLE_INFORMATION HandleInformation)
{
    struct export_call call = NT_EXPORT_CALL(ObReferenceObjectByHandle);
    const struct reference_request request = {Handle, DesiredAccess, ObjectType, AccessMode,
                                              HandleInformation};

    return reference_by_handle(&request, Object, &call);
}

NTSTATUS NTAPI ObReferenceObjectByHandleWithTag(HANDLE Handle, ACCESS_MASK DesiredAccess,
                                                POBJECT_TYPE ObjectType, KPROCESSOR_MODE AccessMode,
                                                ULONG Tag, PVOID *Object,
                                                POBJECT_HANDLE_INFORMATION HandleInformation)
{
    struct export_call call = NT_EXPORT_CALL(ObReferenceObjectByHandleWithTag);
    const struct reference_request request = {Handle, DesiredAccess, ObjectType, AccessMode,
                                              HandleInformation};

    return reference_by_handle(&request, Object, &call);
}

static LONG_PTR reference(PVOID body, const struct export_call *call)
{
    struct object *object = object_of(body);

    if (!object) {
        misuse(NT_MISUSE_OBJECT, call, "that is no object");
        return 0;
    }
    object_give(body, call->caller);
    return ++object->reference_count;
}

LONG_PTR object_dereference(void *body, const struct export_call *call)
{
    struct object *object = object_of(body);
    LONG_PTR left;

    if (!object) {
        misuse(NT_MISUSE_OBJECT, call, "that is no object, or its last reference is gone");
        return 0;
    }
    if (object->given == 0) {
        misuse(NT_MISUSE_OBJECT, call, "once more than this %s object was referenced",
               object->type->name);
        return object->reference_count;
    }
    if (--object->given == 0) {
        list_remove(&object->held);
    }
    left = object->reference_count - 1;
    object_put(body);
    return left;
}

NTSTATUS NTAPI ObReferenceObjectByPointer(PVOID Object, ACCESS_MASK DesiredAccess,
                                          POBJECT_TYPE ObjectType, KPROCESSOR_MODE AccessMode)
{
    struct export_call call = NT_EXPORT_CALL(ObReferenceObjectByPointer);

    if (ObjectType && object_type_of(Object) != (struct object_type *)ObjectType) {
        return STATUS_OBJECT_TYPE_MISMATCH;
    }
    return reference(Object, &call) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

LONG_PTR NTAPI ObfReferenceObject(PVOID Object)
{
    struct export_call call = NT_EXPORT_CALL(ObfReferenceObject);
    return reference(Object, &call);
}

LONG_PTR NTAPI ObReferenceObject(PVOID Object)
{
    struct export_call call = NT_EXPORT_CALL(ObReferenceObject);
    return reference(Object, &call);
}

LONG_PTR NTAPI ObReferenceObjectWithTag(PVOID Object, ULONG Tag)
{
    struct export_call call = NT_EXPORT_CALL(ObReferenceObjectWithTag);
    return reference(Object, &call);
}

LONG_PTR NTAPI ObfDereferenceObject(PVOID Object)
{
    struct export_call call = NT_EXPORT_CALL(ObfDereferenceObject);
    return object_dereference(Object, &call);
}

LONG_PTR NTAPI ObDereferenceObject(PVOID Object)
{
    struct export_call call = NT_EXPORT_CALL(ObDereferenceObject);
    return object_dereference(Object, &call);
}

LONG_PTR NTAPI ObDereferenceObjectWithTag(PVOID Object, ULONG Tag)
{
    struct export_call call = NT_EXPORT_CALL(ObDereferenceObjectWithTag);
    return object_dereference(Object, &call);
}

VOID NTAPI ObDereferenceObjectDeferDeleteWithTag(PVOID Object, ULONG Tag)
{
    struct export_call call = NT_EXPORT_CALL(ObDereferenceObjectDeferDeleteWithTag);
    object_dereference(Object, &call);
}

VOID NTAPI ObDereferenceObjectDeferDelete(PVOID Object)
{
    struct export_call call = NT_EXPORT_CALL(ObDereferenceObjectDeferDelete);
    object_dereference(Object, &call);
}

NTSTATUS NTAPI ObOpenObjectByPointer(PVOID Object, ULONG HandleAttributes,
                                     PACCESS_STATE PassedAccessState, ACCESS_MASK DesiredAccess,
                                     POBJECT_TYPE ObjectType, KPROCESSOR_MODE AccessMode,
                                     PHANDLE Handle)
{
    struct export_call call = NT_EXPORT_CALL(ObOpenObjectByPointer);

    if (!object_exists(Object)) {
        misuse(NT_MISUSE_OBJECT, &call, "that is no object");
        return STATUS_INVALID_PARAMETER;
    }
    if (ObjectType && object_type_of(Object) != (struct object_type *)ObjectType) {
        return STATUS_OBJECT_TYPE_MISMATCH;
    }
    const struct handle_request request = {DesiredAccess, HandleAttributes, call.caller};

    return handle_open(Object, &request, Handle);
}

static NTSTATUS close(HANDLE handle, KPROCESSOR_MODE mode, const struct export_call *call)
{
    NTSTATUS status = mode == UserMode ? check_user(handle, 0) : STATUS_SUCCESS;

    if (NT_SUCCESS(status)) {
        status = handle_close(handle);
    }
    if (!NT_SUCCESS(status) && mode != UserMode) {
        misuse(NT_MISUSE_HANDLE, call, "handle 0x%llx is not open",
               (unsigned long long)(uintptr_t)handle);
    }
    return status;
}

NTSTATUS NTAPI ZwClose(HANDLE Handle)
{
    struct export_call call = NT_EXPORT_CALL(ZwClose);
    return close(Handle, KernelMode, &call);
}

NTSTATUS NTAPI ObCloseHandle(HANDLE Handle, KPROCESSOR_MODE PreviousMode)
{
    struct export_call call = NT_EXPORT_CALL(ObCloseHandle);
    return close(Handle, PreviousMode, &call);
}
