/* nt/ex_misc.c: callback objects, identifiers, firmware. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- Callback objects: found by name, called in order of registration ------------------------ */

struct _CALLBACK_OBJECT {
    struct list link;
    char *name; /* NULL: without one */
    bool many;
    struct list registrations;
    unsigned reference_count;
};

struct registration {
    struct list link;
    struct _CALLBACK_OBJECT *object;
    PCALLBACK_FUNCTION function;
    void *context;
};

static struct list callbacks = {&callbacks, &callbacks};

static struct _CALLBACK_OBJECT *callback_find(const char *name)
{
    list_for_each (link, &callbacks) {
        struct _CALLBACK_OBJECT *object = container_of(link, struct _CALLBACK_OBJECT, link);
        if (object->name && strcmp(object->name, name) == 0) {
            return object;
        }
    }
    return NULL;
}

NTSTATUS NTAPI ExCreateCallback(PCALLBACK_OBJECT *CallbackObject,
                                POBJECT_ATTRIBUTES ObjectAttributes, BOOLEAN Create,
                                BOOLEAN AllowMultipleCallbacks)
{
    bool named = ObjectAttributes && ObjectAttributes->ObjectName;
    char *name = named ? text_from_unicode_string(ObjectAttributes->ObjectName) : NULL;
    struct _CALLBACK_OBJECT *object = name ? callback_find(name) : NULL;

    NT_EXPORT_ENTER(ExCreateCallback);
    *CallbackObject = object;
    if (object || !Create) {
        free(name);
        return object ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
    }
    object = calloc(1, sizeof(*object));
    if (!object || (named && !name)) {
        free(object);
        free(name);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    object->name = name;
    object->many = AllowMultipleCallbacks;
    list_init(&object->registrations);
    list_push_back(&callbacks, &object->link);
    *CallbackObject = object;
    return STATUS_SUCCESS;
}

PVOID NTAPI ExRegisterCallback(PCALLBACK_OBJECT CallbackObject, PCALLBACK_FUNCTION CallbackFunction,
                               PVOID CallbackContext)
{
    struct registration *registration;

    NT_EXPORT_ENTER(ExRegisterCallback);
    if (!CallbackObject->many && !list_empty(&CallbackObject->registrations)) {
        return NULL;
    }
    registration = calloc(1, sizeof(*registration));
    if (registration) {
        registration->object = CallbackObject;
        registration->function = CallbackFunction;
        registration->context = CallbackContext;
        list_push_back(&CallbackObject->registrations, &registration->link);
    }
    return registration;
}

VOID NTAPI ExUnregisterCallback(PVOID CallbackRegistration)
{
    struct export_call call = NT_EXPORT_CALL(ExUnregisterCallback);

    list_for_each (link, &callbacks) {
        struct _CALLBACK_OBJECT *object = container_of(link, struct _CALLBACK_OBJECT, link);
        list_for_each (at, &object->registrations) {
            struct registration *registration = container_of(at, struct registration, link);
            if (registration == CallbackRegistration) {
                list_remove(&registration->link);
                free(registration);
                return;
            }
        }
    }
    misuse(NT_MISUSE_OBJECT, &call, "that is no registration");
}

VOID NTAPI ExNotifyCallback(PVOID CallbackObject, PVOID Argument1, PVOID Argument2)
{
    struct _CALLBACK_OBJECT *object = CallbackObject;

    NT_EXPORT_ENTER(ExNotifyCallback);
    list_for_each_safe (link, &object->registrations) {
        struct registration *registration = container_of(link, struct registration, link);
        NT_CALL_DRIVER("a callback routine", registration->function,
                       (registration->context, Argument1, Argument2));
    }
}

void callback_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &callbacks) {
        struct _CALLBACK_OBJECT *object = container_of(link, struct _CALLBACK_OBJECT, link);
        if (!list_empty(&object->registrations)) {
            leak(visitor, "callback", "a routine is still registered with \"%s\"",
                 object->name ? object->name : "");
        }
    }
}

void callback_stop(void)
{
    list_for_each_safe (link, &callbacks) {
        struct _CALLBACK_OBJECT *object = container_of(link, struct _CALLBACK_OBJECT, link);
        list_for_each_safe (at, &object->registrations) {
            free(container_of(at, struct registration, link));
        }
        list_remove(&object->link);
        free(object->name);
        free(object);
    }
}

/* ---- The rest -------------------------------------------------------------------------------- */

/* Unique within a run and the same in every run. */
NTSTATUS NTAPI ExUuidCreate(GUID *Uuid)
{
    uint64_t random;

    NT_EXPORT_ENTER(ExUuidCreate);
    random = machine_random(RANDOM_SITE_COOKIE);
    *Uuid = (GUID){.Data1 = (ULONG)random,
                   .Data2 = (USHORT)(random >> 32),
                   .Data3 = (USHORT)(0x4000 | (random >> 48 & 0xFFF))};
    random = machine_random(RANDOM_SITE_COOKIE);
    memcpy(Uuid->Data4, &random, sizeof(Uuid->Data4));
    Uuid->Data4[0] = (UCHAR)(0x80 | (Uuid->Data4[0] & 0x3F));
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ExGetFirmwareEnvironmentVariable(PUNICODE_STRING VariableName, GUID *VendorGuid,
                                                PVOID Value, PULONG ValueLength, PULONG Attributes)
{
    NT_EXPORT_ENTER(ExGetFirmwareEnvironmentVariable);
    return STATUS_VARIABLE_NOT_FOUND;
}
