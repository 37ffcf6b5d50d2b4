/* nt/zw_object.c: events by handle, waits by handle, names and copies of handles. */
#include "nt/internal.h"

#include <string.h>

/* ---- Events ---------------------------------------------------------------------------------- */

static NTSTATUS event_new(EVENT_TYPE type, bool signalled, const struct handle_request *request,
                          HANDLE *handle, KEVENT **out)
{
    KEVENT *event = object_create(&object_type_event, sizeof(*event));
    NTSTATUS status;

    *handle = NULL;
    if (!event) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    dispatcher_init(&event->Header,
                    type == NotificationEvent ? DISPATCHER_EVENT_NOTIFICATION
                                              : DISPATCHER_EVENT_SYNCHRONIZATION,
                    sizeof(*event), signalled);
    status = handle_open(event, request, handle);
    if (out) {
        *out = NT_SUCCESS(status) ? event : NULL;
    }
    object_put(event); /* the handle's reference remains */
    return status;
}

NTSTATUS nt_event_create(bool automatic, uint64_t *handle)
{
    const struct handle_request request = {EVENT_ALL_ACCESS, OBJ_KERNEL_HANDLE,
                                           __builtin_return_address(0)};
    HANDLE made;
    NTSTATUS status = event_new(automatic ? SynchronizationEvent : NotificationEvent, false,
                                &request, &made, NULL);

    *handle = (uint64_t)(uintptr_t)made;
    return status;
}

bool nt_event_take(struct _KEVENT *event)
{
    bool signalled = event->Header.SignalState > 0;

    if (signalled && event->Header.Type == DISPATCHER_EVENT_SYNCHRONIZATION) {
        event->Header.SignalState = 0;
    }
    return signalled;
}

bool nt_event_from_handle(uint64_t handle, struct _KEVENT **out)
{
    void *body;

    if (!NT_SUCCESS(handle_reference((HANDLE)(uintptr_t)handle, &object_type_event, &body))) {
        return false;
    }
    *out = body;
    return true;
}

NTSTATUS NTAPI ZwCreateEvent(PHANDLE EventHandle, ACCESS_MASK DesiredAccess,
                             POBJECT_ATTRIBUTES ObjectAttributes, EVENT_TYPE EventType,
                             BOOLEAN InitialState)
{
    struct export_call call = NT_EXPORT_CALL(ZwCreateEvent);
    const struct handle_request request =
        handle_request_of(DesiredAccess, ObjectAttributes, call.caller);

    return event_new(EventType, InitialState, &request, EventHandle, NULL);
}

/* Names are not shared with anybody: each call makes an event of its own. */
PKEVENT NTAPI IoCreateNotificationEvent(PUNICODE_STRING EventName, PHANDLE EventHandle)
{
    struct export_call call = NT_EXPORT_CALL(IoCreateNotificationEvent);
    const struct handle_request request = {EVENT_ALL_ACCESS, OBJ_KERNEL_HANDLE, call.caller};
    KEVENT *event;

    event_new(NotificationEvent, true, &request, EventHandle, &event);
    return event;
}

PKEVENT NTAPI IoCreateSynchronizationEvent(PUNICODE_STRING EventName, PHANDLE EventHandle)
{
    struct export_call call = NT_EXPORT_CALL(IoCreateSynchronizationEvent);
    const struct handle_request request = {EVENT_ALL_ACCESS, OBJ_KERNEL_HANDLE, call.caller};
    KEVENT *event;

    event_new(SynchronizationEvent, true, &request, EventHandle, &event);
    return event;
}

static NTSTATUS reference(HANDLE handle, const struct object_type *type, void **body,
                          const struct export_call *call)
{
    NTSTATUS status = handle_reference(handle, type, body);

    if (!NT_SUCCESS(status)) {
        misuse(NT_MISUSE_HANDLE, call, "handle 0x%llx is not open, or is of another type",
               (unsigned long long)(uintptr_t)handle);
    }
    return status;
}

NTSTATUS NTAPI ZwSetEvent(HANDLE EventHandle, PLONG PreviousState)
{
    struct export_call call = NT_EXPORT_CALL(ZwSetEvent);
    void *body;
    NTSTATUS status = reference(EventHandle, &object_type_event, &body, &call);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (PreviousState) {
        *PreviousState = ((KEVENT *)body)->Header.SignalState;
    }
    nt_event_signal(body);
    object_put(body);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ZwWaitForSingleObject(HANDLE Handle, BOOLEAN Alertable, PLARGE_INTEGER Timeout)
{
    struct export_call call = NT_EXPORT_CALL(ZwWaitForSingleObject);
    void *body;
    NTSTATUS status = reference(Handle, NULL, &body, &call);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = KeWaitForSingleObject(body, Executive, KernelMode, Alertable, Timeout);
    object_put(body);
    return status;
}

/* ---- Handles --------------------------------------------------------------------------------- */

NTSTATUS NTAPI ZwMakeTemporaryObject(HANDLE Handle)
{
    struct export_call call = NT_EXPORT_CALL(ZwMakeTemporaryObject);
    void *body;
    NTSTATUS status = reference(Handle, NULL, &body, &call);

    if (NT_SUCCESS(status)) {
        object_put(body);
    }
    return status;
}

#define DUPLICATE_CLOSE_SOURCE 1
#define DUPLICATE_SAME_ACCESS  2

/* There is one table of handles for all processes. */
NTSTATUS NTAPI ZwDuplicateObject(HANDLE SourceProcessHandle, HANDLE SourceHandle,
                                 HANDLE TargetProcessHandle, PHANDLE TargetHandle,
                                 ACCESS_MASK DesiredAccess, ULONG HandleAttributes, ULONG Options)
{
    struct export_call call = NT_EXPORT_CALL(ZwDuplicateObject);
    void *body;
    NTSTATUS status = reference(SourceHandle, NULL, &body, &call);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (TargetHandle) {
        const struct handle_request request = {
            Options & DUPLICATE_SAME_ACCESS ? handle_access(SourceHandle) : DesiredAccess,
            HandleAttributes, call.caller};
        status = handle_open(body, &request, TargetHandle);
    }
    object_put(body);
    if (NT_SUCCESS(status) && Options & DUPLICATE_CLOSE_SOURCE) {
        handle_close(SourceHandle);
    }
    return status;
}

/* Objects have no names here, but for drivers. */
NTSTATUS NTAPI ObQueryNameString(PVOID Object, POBJECT_NAME_INFORMATION ObjectNameInfo,
                                 ULONG Length, PULONG ReturnLength)
{
    struct export_call call = NT_EXPORT_CALL(ObQueryNameString);
    UNICODE_STRING name = {0};
    ULONG needed = sizeof(*ObjectNameInfo);

    if (!object_exists(Object)) {
        misuse(NT_MISUSE_OBJECT, &call, "that is no object");
        return STATUS_INVALID_PARAMETER;
    }
    if (object_type_of(Object) == &object_type_driver) {
        name = ((DRIVER_OBJECT *)Object)->DriverName;
        needed += name.Length + (ULONG)sizeof(WCHAR);
    }
    *ReturnLength = needed;
    if (Length < needed) {
        return STATUS_INFO_LENGTH_MISMATCH;
    }
    ObjectNameInfo->Name = name;
    if (name.Length) {
        ObjectNameInfo->Name.Buffer = (WCHAR *)(ObjectNameInfo + 1);
        memcpy(ObjectNameInfo->Name.Buffer, name.Buffer, name.Length);
        ObjectNameInfo->Name.Buffer[name.Length / sizeof(WCHAR)] = 0;
        ObjectNameInfo->Name.MaximumLength = (USHORT)(name.Length + sizeof(WCHAR));
    }
    return STATUS_SUCCESS;
}
