/* nt/zw_registry.c: registry keys by handle.
 *
 * The answers are structures of varying length in the caller's buffer: too small for the fixed part
 * is STATUS_BUFFER_TOO_SMALL, too small for the rest is STATUS_BUFFER_OVERFLOW with as much as
 * fits. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

struct key_object {
    struct registry_key *key;
};

static void key_object_destroy(void *body)
{
    registry_key_put(((struct key_object *)body)->key);
}

struct object_type object_type_key = {
    .name = "Key",
    .destroy = key_object_destroy,
    .rights = {.GenericRead = KEY_READ,
               .GenericWrite = KEY_WRITE,
               .GenericExecute = KEY_READ,
               .GenericAll = KEY_ALL_ACCESS},
};

NTSTATUS key_handle_open(struct registry_key *key, const struct handle_request *request,
                         HANDLE *out)
{
    struct key_object *object = object_create(&object_type_key, sizeof(*object));
    NTSTATUS status;

    *out = NULL;
    if (!object) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    object->key = key;
    registry_key_get(key);
    status = handle_open(object, request, out);
    object_put(object); /* the handle's reference remains */
    return status;
}

/* The key behind a handle; its life is the handle's. */
NTSTATUS key_from_handle(HANDLE handle, ULONG rights, const struct export_call *call,
                         struct registry_key **out)
{
    void *body;
    NTSTATUS status = handle_reference(handle, &object_type_key, &body);

    if (!NT_SUCCESS(status)) {
        misuse(NT_MISUSE_HANDLE, call, "handle 0x%llx is no open key",
               (unsigned long long)(uintptr_t)handle);
        return status;
    }
    if (rights & ~handle_access(handle)) {
        advise(call, "a key that was not opened with the right that this takes");
    }
    *out = ((struct key_object *)body)->key;
    object_put(body);
    return (*out)->deleted ? STATUS_KEY_DELETED : STATUS_SUCCESS;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static NTSTATUS decode_attributes(const OBJECT_ATTRIBUTES *attributes,
                                  const struct export_call *call, struct registry_key **base,
                                  char **path)
{
    *base = NULL;
    if (!attributes || attributes->Length != sizeof(*attributes)) {
        misuse(NT_MISUSE_ARGUMENT, call, "OBJECT_ATTRIBUTES of the wrong length");
        return STATUS_INVALID_PARAMETER;
    }
    if (attributes->RootDirectory) {
        NTSTATUS status = key_from_handle(attributes->RootDirectory, 0, call, base);
        if (!NT_SUCCESS(status)) {
            return status;
        }
    }
    if (attributes->ObjectName && attributes->ObjectName->Length % sizeof(WCHAR)) {
        return STATUS_OBJECT_NAME_INVALID;
    }
    *path = text_from_unicode_string(attributes->ObjectName);
    if (!*path) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    if (!*base && **path != '\\') {
        free(*path);
        return STATUS_OBJECT_PATH_SYNTAX_BAD;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS open_key(HANDLE *handle, ACCESS_MASK access, const OBJECT_ATTRIBUTES *attributes,
                         const struct export_call *call)
{
    struct registry_key *base, *key;
    char *path;
    NTSTATUS status = decode_attributes(attributes, call, &base, &path);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    key = registry_key_find(base, path);
    free(path);
    const struct handle_request request = handle_request_of(access, attributes, call->caller);
    return key ? key_handle_open(key, &request, handle) : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI ZwOpenKey(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess,
                         POBJECT_ATTRIBUTES ObjectAttributes)
{
    struct export_call call = NT_EXPORT_CALL(ZwOpenKey);
    return open_key(KeyHandle, DesiredAccess, ObjectAttributes, &call);
}

NTSTATUS NTAPI ZwOpenKeyEx(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess,
                           POBJECT_ATTRIBUTES ObjectAttributes, ULONG OpenOptions)
{
    struct export_call call = NT_EXPORT_CALL(ZwOpenKeyEx);
    return open_key(KeyHandle, DesiredAccess, ObjectAttributes, &call);
}

NTSTATUS NTAPI ZwCreateKey(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess,
                           POBJECT_ATTRIBUTES ObjectAttributes, ULONG TitleIndex,
                           PUNICODE_STRING Class, ULONG CreateOptions, PULONG Disposition)
{
    struct export_call call = NT_EXPORT_CALL(ZwCreateKey);
    struct registry_key *base, *key;
    char *path;
    bool created;
    NTSTATUS status = decode_attributes(ObjectAttributes, &call, &base, &path);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    status =
        registry_key_create(base, path, (CreateOptions & REG_OPTION_VOLATILE) != 0, &created, &key);
    free(path);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const struct handle_request request =
        handle_request_of(DesiredAccess, ObjectAttributes, call.caller);
    status = key_handle_open(key, &request, KeyHandle);
    if (NT_SUCCESS(status) && Disposition) {
        *Disposition = created ? REG_CREATED_NEW_KEY : REG_OPENED_EXISTING_KEY;
    }
    return status;
}

NTSTATUS NTAPI ZwDeleteKey(HANDLE KeyHandle)
{
    struct export_call call = NT_EXPORT_CALL(ZwDeleteKey);
    struct registry_key *key;
    NTSTATUS status = key_from_handle(KeyHandle, DELETE, &call, &key);

    return NT_SUCCESS(status) ? registry_key_delete(key) : status;
}

NTSTATUS NTAPI ZwFlushKey(HANDLE KeyHandle)
{
    struct export_call call = NT_EXPORT_CALL(ZwFlushKey);
    struct registry_key *key;

    return key_from_handle(KeyHandle, 0, &call, &key);
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Parts of an answer: a fixed head, then a name (UTF-16) and data behind it. */
struct answer {
    void *out;
    size_t capacity, head_size;
    size_t used; /* bytes of the whole answer so far */
    ULONG *result_length;
};

static void put(const struct answer *answer, size_t offset, const void *bytes, size_t size)
{
    /* Nothing is written where not even the head fits. */
    if (answer->capacity >= answer->head_size && offset < answer->capacity && size > 0) {
        size_t room = answer->capacity - offset;
        memcpy((char *)answer->out + offset, bytes, size < room ? size : room);
    }
}

static void append(struct answer *answer, const void *bytes, size_t size)
{
    put(answer, answer->used, bytes, size);
    answer->used += size;
}

static NTSTATUS finish(const struct answer *answer)
{
    *answer->result_length = (ULONG)answer->used;
    if (answer->capacity < answer->head_size) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    return answer->capacity < answer->used ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}

static NTSTATUS answer_basic(struct answer *answer, const WCHAR *name, size_t name_size)
{
    KEY_BASIC_INFORMATION head = {.NameLength = (ULONG)name_size};

    answer->head_size = answer->used = offsetof(KEY_BASIC_INFORMATION, Name);
    put(answer, 0, &head, answer->head_size);
    append(answer, name, name_size);
    return finish(answer);
}

static NTSTATUS answer_node(struct answer *answer, const WCHAR *name, size_t name_size)
{
    KEY_NODE_INFORMATION head = {.ClassOffset = (ULONG)-1, .NameLength = (ULONG)name_size};

    answer->head_size = answer->used = offsetof(KEY_NODE_INFORMATION, Name);
    put(answer, 0, &head, answer->head_size);
    append(answer, name, name_size);
    return finish(answer);
}

/* Bytes a UTF-8 name has as UTF-16. */
static ULONG wide_size(const char *name)
{
    size_t size = 0;

    free(text_to_wide(name, strlen(name), &size));
    return (ULONG)size;
}

static NTSTATUS answer_full(struct answer *answer, const struct registry_key *key)
{
    KEY_FULL_INFORMATION head = {.ClassOffset = (ULONG)-1};

    list_for_each (link, &key->children) {
        ULONG size = wide_size(container_of(link, struct registry_key, link)->name.text);
        head.SubKeys++;
        head.MaxNameLen = size > head.MaxNameLen ? size : head.MaxNameLen;
    }
    list_for_each (link, &key->values) {
        const struct registry_value *value = container_of(link, struct registry_value, link);
        ULONG size = wide_size(value->name.text);
        head.Values++;
        head.MaxValueNameLen = size > head.MaxValueNameLen ? size : head.MaxValueNameLen;
        head.MaxValueDataLen =
            value->size > head.MaxValueDataLen ? (ULONG)value->size : head.MaxValueDataLen;
    }
    answer->head_size = answer->used = offsetof(KEY_FULL_INFORMATION, Class);
    put(answer, 0, &head, answer->head_size);
    return finish(answer);
}

/* KEY_NAME_INFORMATION: the length, then the whole path. */
static NTSTATUS answer_path(struct answer *answer, const struct registry_key *key)
{
    static char path[REGISTRY_PATH_MAX];
    size_t size;
    uint16_t *wide;
    ULONG length;

    CHECK_THAT(registry_key_path(key, path, sizeof(path)));
    wide = text_to_wide(path, strlen(path), &size);
    if (!wide) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    length = (ULONG)size;
    answer->head_size = answer->used = sizeof(length);
    put(answer, 0, &length, sizeof(length));
    append(answer, wide, size);
    free(wide);
    return finish(answer);
}

static NTSTATUS answer_key(struct answer *answer, const struct registry_key *key,
                           KEY_INFORMATION_CLASS class)
{
    NTSTATUS status;
    size_t size;
    uint16_t *name;

    if (class == KeyFullInformation) {
        return answer_full(answer, key);
    }
    if (class == KeyNameInformation) {
        return answer_path(answer, key);
    }
    name = text_to_wide(key->name.text, strlen(key->name.text), &size);
    if (!name) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    status = class == KeyBasicInformation  ? answer_basic(answer, name, size)
             : class == KeyNodeInformation ? answer_node(answer, name, size)
                                           : STATUS_INVALID_PARAMETER;
    free(name);
    return status;
}

NTSTATUS NTAPI ZwQueryKey(HANDLE KeyHandle, KEY_INFORMATION_CLASS KeyInformationClass,
                          PVOID KeyInformation, ULONG Length, PULONG ResultLength)
{
    struct export_call call = NT_EXPORT_CALL(ZwQueryKey);
    struct answer answer = {
        .out = KeyInformation, .capacity = Length, .result_length = ResultLength};
    struct registry_key *key;
    NTSTATUS status = key_from_handle(KeyHandle, KEY_QUERY_VALUE, &call, &key);

    return NT_SUCCESS(status) ? answer_key(&answer, key, KeyInformationClass) : status;
}

NTSTATUS NTAPI ZwEnumerateKey(HANDLE KeyHandle, ULONG Index,
                              KEY_INFORMATION_CLASS KeyInformationClass, PVOID KeyInformation,
                              ULONG Length, PULONG ResultLength)
{
    struct export_call call = NT_EXPORT_CALL(ZwEnumerateKey);
    struct answer answer = {
        .out = KeyInformation, .capacity = Length, .result_length = ResultLength};
    struct registry_key *key;
    NTSTATUS status = key_from_handle(KeyHandle, KEY_ENUMERATE_SUB_KEYS, &call, &key);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    key = registry_child_at(key, Index);
    return key ? answer_key(&answer, key, KeyInformationClass) : STATUS_NO_MORE_ENTRIES;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static NTSTATUS answer_partial(struct answer *answer, const struct registry_value *value,
                               size_t data_offset)
{
    KEY_VALUE_PARTIAL_INFORMATION head = {.Type = value->type, .DataLength = (ULONG)value->size};

    answer->head_size = answer->used = data_offset;
    put(answer, 0, &head, offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data));
    append(answer, value->data, value->size);
    return finish(answer);
}

/* The Align64 form has no title: type, length, data. */
static NTSTATUS answer_partial_align64(struct answer *answer, const struct registry_value *value)
{
    const ULONG head[2] = {value->type, (ULONG)value->size};

    answer->head_size = answer->used = sizeof(head);
    put(answer, 0, head, sizeof(head));
    append(answer, value->data, value->size);
    return finish(answer);
}

static NTSTATUS answer_value_basic(struct answer *answer, const struct registry_value *value,
                                   const uint16_t *name, size_t name_size)
{
    KEY_VALUE_BASIC_INFORMATION head = {.Type = value->type, .NameLength = (ULONG)name_size};

    answer->head_size = answer->used = offsetof(KEY_VALUE_BASIC_INFORMATION, Name);
    put(answer, 0, &head, answer->head_size);
    append(answer, name, name_size);
    return finish(answer);
}

static NTSTATUS answer_value_full(struct answer *answer, const struct registry_value *value,
                                  const uint16_t *name, size_t name_size)
{
    size_t head_size = offsetof(KEY_VALUE_FULL_INFORMATION, Name);
    size_t data_offset = align_up(head_size + name_size, 8);
    KEY_VALUE_FULL_INFORMATION head = {.Type = value->type,
                                       .DataOffset = (ULONG)data_offset,
                                       .DataLength = (ULONG)value->size,
                                       .NameLength = (ULONG)name_size};

    answer->head_size = answer->used = head_size;
    put(answer, 0, &head, head_size);
    append(answer, name, name_size);
    answer->used = data_offset;
    append(answer, value->data, value->size);
    return finish(answer);
}

static NTSTATUS answer_value(struct answer *answer, const struct registry_value *value,
                             KEY_VALUE_INFORMATION_CLASS class)
{
    NTSTATUS status;
    size_t size;
    uint16_t *name;

    switch (class) {
    case KeyValuePartialInformation:
        return answer_partial(answer, value, offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data));
    case KeyValuePartialInformationAlign64:
        return answer_partial_align64(answer, value);
    case KeyValueBasicInformation:
    case KeyValueFullInformation:
    case KeyValueFullInformationAlign64:
        break;
    default:
        return STATUS_INVALID_PARAMETER;
    }
    name = text_to_wide(value->name.text, strlen(value->name.text), &size);
    if (!name) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    status = class == KeyValueBasicInformation ? answer_value_basic(answer, value, name, size)
                                               : answer_value_full(answer, value, name, size);
    free(name);
    return status;
}

/* Is there room for a number and for no text worth the name? */
static bool is_room_for_number(KEY_VALUE_INFORMATION_CLASS class, ULONG length)
{
    const ULONG head = offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data);

    return class == KeyValuePartialInformation && length >= head + sizeof(ULONG) &&
           length <= head + 2 * sizeof(ULONG);
}

NTSTATUS NTAPI ZwQueryValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName,
                               KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                               PVOID KeyValueInformation, ULONG Length, PULONG ResultLength)
{
    struct export_call call = NT_EXPORT_CALL(ZwQueryValueKey);
    struct answer answer = {
        .out = KeyValueInformation, .capacity = Length, .result_length = ResultLength};
    struct registry_value *value;
    struct registry_key *key;
    NTSTATUS status = key_from_handle(KeyHandle, KEY_QUERY_VALUE, &call, &key);
    char *name;

    if (!NT_SUCCESS(status)) {
        return status;
    }
    name = text_from_unicode_string(ValueName);
    if (!name) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    value = registry_value_asked(key, name, is_room_for_number(KeyValueInformationClass, Length));
    free(name);
    return value ? answer_value(&answer, value, KeyValueInformationClass)
                 : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI ZwEnumerateValueKey(HANDLE KeyHandle, ULONG Index,
                                   KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                                   PVOID KeyValueInformation, ULONG Length, PULONG ResultLength)
{
    struct export_call call = NT_EXPORT_CALL(ZwEnumerateValueKey);
    struct answer answer = {
        .out = KeyValueInformation, .capacity = Length, .result_length = ResultLength};
    struct registry_value *value;
    struct registry_key *key;
    NTSTATUS status = key_from_handle(KeyHandle, KEY_QUERY_VALUE, &call, &key);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    value = registry_value_at(key, Index);
    return value ? answer_value(&answer, value, KeyValueInformationClass) : STATUS_NO_MORE_ENTRIES;
}

NTSTATUS NTAPI ZwSetValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName, ULONG TitleIndex,
                             ULONG Type, PVOID Data, ULONG DataSize)
{
    struct export_call call = NT_EXPORT_CALL(ZwSetValueKey);
    struct registry_key *key;
    NTSTATUS status = key_from_handle(KeyHandle, KEY_SET_VALUE, &call, &key);
    char *name;

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (DataSize > 0 && !Data) {
        return STATUS_ACCESS_VIOLATION;
    }
    name = text_from_unicode_string(ValueName);
    if (!name) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    status = registry_value_set(key, name, Type, Data, DataSize);
    free(name);
    return status;
}

NTSTATUS NTAPI ZwDeleteValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName)
{
    struct export_call call = NT_EXPORT_CALL(ZwDeleteValueKey);
    struct registry_key *key;
    NTSTATUS status = key_from_handle(KeyHandle, KEY_SET_VALUE, &call, &key);
    char *name;

    if (!NT_SUCCESS(status)) {
        return status;
    }
    name = text_from_unicode_string(ValueName);
    if (!name) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    status = registry_value_delete(key, name) ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
    free(name);
    return status;
}
