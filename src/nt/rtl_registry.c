/* nt/rtl_registry.c: the registry by path: RtlQueryRegistryValues and its relatives. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

#define TYPE_CHECK_MASK 0xFF000000u

/* Where a relative path begins; NULL for absolute ones and for what the machine has not. */
static const char *root_path(ULONG relative_to)
{
    switch (relative_to & ~(ULONG)(RTL_REGISTRY_HANDLE | RTL_REGISTRY_OPTIONAL)) {
    case RTL_REGISTRY_ABSOLUTE:
        return "";
    case RTL_REGISTRY_SERVICES:
        return NT_REGISTRY_SERVICES;
    case RTL_REGISTRY_CONTROL:
        return "\\Registry\\Machine\\System\\CurrentControlSet\\Control";
    case RTL_REGISTRY_WINDOWS_NT:
        return "\\Registry\\Machine\\Software\\Microsoft\\Windows NT\\CurrentVersion";
    case RTL_REGISTRY_DEVICEMAP:
        return "\\Registry\\Machine\\Hardware\\DeviceMap";
    case RTL_REGISTRY_USER:
        return "\\Registry\\User\\.Default";
    default:
        return NULL;
    }
}

static char *narrow(const WCHAR *text)
{
    UNICODE_STRING string = {0};
    size_t length = 0;

    while (text && text[length] && length < 0x7FFE) {
        length++;
    }
    string.Buffer = (PWCH)text;
    string.Length = (USHORT)(length * sizeof(WCHAR));
    return text_from_unicode_string(&string);
}

/* The key of (relative_to, path), made if create is set. */
static NTSTATUS open_key(ULONG relative_to, const WCHAR *path, bool create,
                         const struct export_call *call, struct registry_key **out)
{
    struct registry_key *base = NULL;
    const char *root = root_path(relative_to);
    char *tail, *whole;
    NTSTATUS status;
    bool created;

    if (relative_to & RTL_REGISTRY_HANDLE) {
        return key_from_handle((HANDLE)(uintptr_t)path, 0, call, out);
    }
    if (!root) {
        return STATUS_INVALID_PARAMETER;
    }
    tail = narrow(path);
    whole = tail ? malloc(strlen(root) + strlen(tail) + 2) : NULL;
    if (!whole) {
        free(tail);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    strcpy(whole, root);
    if (*root) {
        strcat(whole, "\\");
    }
    strcat(whole, tail);
    if (create) {
        status = registry_key_create(base, whole, false, &created, out);
    } else {
        *out = registry_key_find(base, whole);
        status = *out ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
    }
    free(whole);
    free(tail);
    return status;
}

/* ---- Single values --------------------------------------------------------------------------- */

NTSTATUS NTAPI RtlCheckRegistryKey(ULONG RelativeTo, PWSTR Path)
{
    struct export_call call = NT_EXPORT_CALL(RtlCheckRegistryKey);
    struct registry_key *key;
    return open_key(RelativeTo, Path, false, &call, &key);
}

NTSTATUS NTAPI RtlCreateRegistryKey(ULONG RelativeTo, PWSTR Path)
{
    struct export_call call = NT_EXPORT_CALL(RtlCreateRegistryKey);
    struct registry_key *key;
    return open_key(RelativeTo, Path, true, &call, &key);
}

NTSTATUS NTAPI RtlWriteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName,
                                     ULONG ValueType, PVOID ValueData, ULONG ValueLength)
{
    struct export_call call = NT_EXPORT_CALL(RtlWriteRegistryValue);
    struct registry_key *key;
    NTSTATUS status = open_key(RelativeTo, Path, true, &call, &key);
    char *name;

    if (!NT_SUCCESS(status)) {
        return status;
    }
    name = narrow(ValueName);
    if (!name) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    status = registry_value_set(key, name, ValueType, ValueData, ValueLength);
    free(name);
    return status;
}

NTSTATUS NTAPI RtlDeleteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName)
{
    struct export_call call = NT_EXPORT_CALL(RtlDeleteRegistryValue);
    struct registry_key *key;
    NTSTATUS status = open_key(RelativeTo, Path, false, &call, &key);
    char *name;

    if (!NT_SUCCESS(status)) {
        return status;
    }
    name = narrow(ValueName);
    status =
        name && registry_value_delete(key, name) ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
    free(name);
    return status;
}

/* ---- Query tables ---------------------------------------------------------------------------- */

struct query {
    struct registry_key *top, *key; /* of the call; of the last SUBKEY entry */
    void *context;
    const WCHAR *environment; /* name=value texts, the last one empty; or NULL */
    const struct export_call *call;
};

static bool is_text(ULONG type)
{
    return type == REG_SZ || type == REG_EXPAND_SZ || type == REG_MULTI_SZ;
}

/* Without the zeros at its end; a list of texts keeps the one of its last text. */
static size_t text_bytes(ULONG type, const WCHAR *text, size_t size)
{
    size_t bytes = size & ~(size_t)1;

    if (type == REG_MULTI_SZ) {
        return bytes >= sizeof(WCHAR) && text[bytes / sizeof(WCHAR) - 1] == 0
                   ? bytes - sizeof(WCHAR)
                   : bytes;
    }
    while (bytes >= sizeof(WCHAR) && text[bytes / sizeof(WCHAR) - 1] == 0) {
        bytes -= sizeof(WCHAR);
    }
    return bytes;
}

/* A text into the UNICODE_STRING behind EntryContext; a null buffer gets one from the pool. */
static NTSTATUS store_text(UNICODE_STRING *string, const void *data, size_t bytes,
                           const struct export_call *call)
{
    if (bytes + sizeof(WCHAR) > 0xFFFE) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    if (!string->Buffer) {
        struct pool_request request = {.size = bytes + sizeof(WCHAR),
                                       .tag = POOL_TAG('S', 't', 'r', 'g'),
                                       .type = POOL_TYPE_PAGED,
                                       .caller = call->caller};
        string->Buffer = pool_allocate(&request);
        if (!string->Buffer) {
            return STATUS_NO_MEMORY;
        }
        string->MaximumLength = (USHORT)request.size;
    } else if (string->MaximumLength < bytes + sizeof(WCHAR)) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    memcpy(string->Buffer, data, bytes);
    string->Buffer[bytes / sizeof(WCHAR)] = 0;
    string->Length = (USHORT)bytes;
    return STATUS_SUCCESS;
}

/* The buffer for other types begins with a signed length: negative means room for raw data. */
static NTSTATUS store_bytes(void *place, ULONG type, const void *data, size_t size)
{
    LONG *room = place;

    if (size <= sizeof(ULONG)) {
        memcpy(place, data, size);
        return STATUS_SUCCESS;
    }
    if (*room < 0) {
        if ((size_t) - (int64_t)*room < size) {
            return STATUS_BUFFER_TOO_SMALL;
        }
        memcpy(place, data, size);
        return STATUS_SUCCESS;
    }
    if ((size_t)*room < size + 2 * sizeof(ULONG)) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    room[0] = (LONG)size;
    room[1] = (LONG)type;
    memcpy(room + 2, data, size);
    return STATUS_SUCCESS;
}

/* What a type check asks for; REG_NONE: nothing. */
static ULONG wanted_type(const RTL_QUERY_REGISTRY_TABLE *entry)
{
    return entry->Flags & RTL_QUERY_REGISTRY_TYPECHECK
               ? (entry->DefaultType & TYPE_CHECK_MASK) >> RTL_QUERY_REGISTRY_TYPECHECK_SHIFT
               : REG_NONE;
}

static NTSTATUS store_direct(const RTL_QUERY_REGISTRY_TABLE *entry, ULONG type, const void *data,
                             size_t size, const struct export_call *call)
{
    ULONG wanted = wanted_type(entry);

    if (wanted != REG_NONE && wanted != type) {
        return STATUS_OBJECT_TYPE_MISMATCH;
    }
    if (is_text(type)) {
        return store_text(entry->EntryContext, data, text_bytes(type, data, size), call);
    }
    return store_bytes(entry->EntryContext, type, data, size);
}

static NTSTATUS deliver(const struct query *query, const RTL_QUERY_REGISTRY_TABLE *entry,
                        WCHAR *name, ULONG type, const void *data, size_t size)
{
    NTSTATUS status;

    if (entry->Flags & RTL_QUERY_REGISTRY_DIRECT) {
        return store_direct(entry, type, data, size, query->call);
    }
    status = entry->QueryRoutine(name, type, (void *)(uintptr_t)data, (ULONG)size, query->context,
                                 entry->EntryContext);
    /* A routine that has too little room of its own does not end the table. */
    return status == STATUS_BUFFER_TOO_SMALL ? STATUS_SUCCESS : status;
}

/* Each text of a REG_MULTI_SZ is delivered by itself to a routine, unless NOEXPAND. */
static NTSTATUS deliver_each(const struct query *query, const RTL_QUERY_REGISTRY_TABLE *entry,
                             const struct registry_value *value)
{
    const WCHAR *text = (const WCHAR *)(const void *)value->data;
    size_t left = value->size / sizeof(WCHAR);
    NTSTATUS status = STATUS_SUCCESS;

    while (left > 0 && *text && NT_SUCCESS(status)) {
        size_t length = 0;
        while (length < left && text[length]) {
            length++;
        }
        length += length < left;
        status = deliver(query, entry, entry->Name, REG_SZ, text, length * sizeof(WCHAR));
        text += length;
        left -= length;
    }
    return status;
}

static NTSTATUS deliver_default(const struct query *query, const RTL_QUERY_REGISTRY_TABLE *entry)
{
    ULONG type = entry->DefaultType & ~TYPE_CHECK_MASK;
    size_t size = entry->DefaultLength;

    if (entry->Flags & RTL_QUERY_REGISTRY_REQUIRED) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    if (type == REG_NONE) {
        return STATUS_SUCCESS;
    }
    if (is_text(type) && size == 0 && entry->DefaultData) {
        const WCHAR *text = entry->DefaultData;
        while (text[size / sizeof(WCHAR)]) {
            size += sizeof(WCHAR);
        }
        size += sizeof(WCHAR);
    }
    if (entry->Flags & RTL_QUERY_REGISTRY_DIRECT && !is_text(type)) {
        memcpy(entry->EntryContext, entry->DefaultData, size);
        return STATUS_SUCCESS;
    }
    return deliver(query, entry, entry->Name, type, entry->DefaultData, size);
}

static size_t wide_length(const WCHAR *text)
{
    size_t length = 0;

    while (text[length]) {
        length++;
    }
    return length;
}

/* The value of a variable in the caller's environment; NULL: it has none. */
static const WCHAR *variable_find(const WCHAR *environment, const WCHAR *name, size_t length)
{
    for (; environment && *environment; environment += wide_length(environment) + 1) {
        size_t i = 0;
        while (i < length && text_upcase(environment[i]) == text_upcase(name[i])) {
            i++;
        }
        if (i == length && environment[length] == '=') {
            return environment + length + 1;
        }
    }
    return NULL;
}

/* One step of an expansion: a variable between two percent signs that has a value, or one unit.
 * *piece is what comes out; returns how many units go in. */
static size_t expand_step(const WCHAR *environment, const WCHAR *text, size_t left,
                          const WCHAR **piece, size_t *piece_length)
{
    size_t end = 1;

    *piece = text;
    *piece_length = 1;
    if (*text != '%') {
        return 1;
    }
    while (end < left && text[end] != '%') {
        end++;
    }
    const WCHAR *value =
        end > 1 && end < left ? variable_find(environment, text + 1, end - 1) : NULL;
    if (!value) {
        return 1;
    }
    *piece = value;
    *piece_length = wide_length(value);
    return end + 1;
}

/* Expanded into `out`, or only counted if that is NULL; in units. */
static size_t expand(const WCHAR *environment, const WCHAR *text, size_t count, WCHAR *out)
{
    size_t used = 0, piece_length;
    const WCHAR *piece;

    for (size_t at = 0; at < count;) {
        at += expand_step(environment, text + at, count - at, &piece, &piece_length);
        if (out) {
            memcpy(out + used, piece, piece_length * sizeof(WCHAR));
        }
        used += piece_length;
    }
    return used;
}

/* Delivered as a REG_SZ, with the variables of the caller's environment in place. */
static NTSTATUS deliver_expanded(const struct query *query, const RTL_QUERY_REGISTRY_TABLE *entry,
                                 const struct registry_value *value, WCHAR *name)
{
    const WCHAR *text = (const WCHAR *)(const void *)value->data;
    size_t count = value->size / sizeof(WCHAR);
    WCHAR *expanded = calloc(expand(query->environment, text, count, NULL) + 1, sizeof(WCHAR));
    NTSTATUS status;

    advise(query->call, "a REG_EXPAND_SZ without RTL_QUERY_REGISTRY_NOEXPAND, which a kernel "
                        "driver, that has no environment, should set");
    if (!expanded) {
        return STATUS_NO_MEMORY;
    }
    size_t size = expand(query->environment, text, count, expanded) * sizeof(WCHAR);
    /* A type check may ask for either type. */
    status = deliver(query, entry, name,
                     wanted_type(entry) == REG_EXPAND_SZ ? REG_EXPAND_SZ : REG_SZ, expanded, size);
    free(expanded);
    return status;
}

static NTSTATUS deliver_kept(const struct query *query, const RTL_QUERY_REGISTRY_TABLE *entry,
                             struct registry_value *value, WCHAR *name)
{
    if (value->type == REG_MULTI_SZ &&
        !(entry->Flags & (RTL_QUERY_REGISTRY_NOEXPAND | RTL_QUERY_REGISTRY_DIRECT))) {
        return deliver_each(query, entry, value);
    }
    if (value->type == REG_EXPAND_SZ && !(entry->Flags & RTL_QUERY_REGISTRY_NOEXPAND)) {
        return deliver_expanded(query, entry, value, name);
    }
    return deliver(query, entry, name, value->type, value->data, value->size);
}

/* A routine may write or delete what it is shown. */
static NTSTATUS deliver_value(const struct query *query, const RTL_QUERY_REGISTRY_TABLE *entry,
                              const struct registry_value *value, WCHAR *name)
{
    struct registry_value kept = {
        .type = value->type, .size = value->size, .data = malloc(value->size ? value->size : 1)};

    if (!kept.data) {
        return STATUS_NO_MEMORY;
    }
    memcpy(kept.data, value->data, value->size);
    NTSTATUS status = deliver_kept(query, entry, &kept, name);
    free(kept.data);
    return status;
}

static bool wants_number(const RTL_QUERY_REGISTRY_TABLE *entry)
{
    return entry->Flags & RTL_QUERY_REGISTRY_DIRECT &&
           (wanted_type(entry) == REG_DWORD ||
            (wanted_type(entry) == REG_NONE && entry->DefaultType == REG_DWORD));
}

static NTSTATUS query_one(struct query *query, const RTL_QUERY_REGISTRY_TABLE *entry)
{
    char *name = narrow(entry->Name);
    struct registry_value *value =
        name ? registry_value_asked(query->key, name, wants_number(entry)) : NULL;
    NTSTATUS status;

    status =
        value ? deliver_value(query, entry, value, entry->Name) : deliver_default(query, entry);
    if (value && NT_SUCCESS(status) && entry->Flags & RTL_QUERY_REGISTRY_DELETE) {
        registry_value_delete(query->key, name);
    }
    free(name);
    return status;
}

/* An entry without a name: the routine sees every value of the key. */
static NTSTATUS query_all(struct query *query, const RTL_QUERY_REGISTRY_TABLE *entry)
{
    NTSTATUS status = STATUS_SUCCESS;
    size_t index = 0;

    for (struct registry_value *value; NT_SUCCESS(status); index++) {
        uint16_t *name;
        size_t size;
        value = registry_value_at(query->key, index);
        if (!value) {
            break;
        }
        name = text_to_wide(value->name.text, strlen(value->name.text), &size);
        if (!name) {
            return STATUS_NO_MEMORY;
        }
        status = deliver_value(query, entry, value, (WCHAR *)name);
        free(name);
    }
    return status;
}

/* It stays while a routine of the driver's is called, which may delete it. */
static void look_into(struct query *query, struct registry_key *key)
{
    registry_key_get(key);
    if (query->key) {
        registry_key_put(query->key);
    }
    query->key = key;
}

static NTSTATUS enter_subkey(struct query *query, const RTL_QUERY_REGISTRY_TABLE *entry)
{
    char *name = narrow(entry->Name);
    struct registry_key *key = name ? registry_key_find(query->top, name) : NULL;

    free(name);
    if (!key) {
        return entry->Flags & RTL_QUERY_REGISTRY_REQUIRED ? STATUS_OBJECT_NAME_NOT_FOUND
                                                          : STATUS_SUCCESS;
    }
    look_into(query, key);
    return entry->QueryRoutine ? query_all(query, entry) : STATUS_SUCCESS;
}

static NTSTATUS query_entry(struct query *query, const RTL_QUERY_REGISTRY_TABLE *entry)
{
    if (entry->Flags & RTL_QUERY_REGISTRY_TOPKEY) {
        look_into(query, query->top);
    }
    if (entry->Flags & RTL_QUERY_REGISTRY_DIRECT &&
        (!entry->Name || entry->Flags & RTL_QUERY_REGISTRY_SUBKEY || entry->QueryRoutine)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (entry->Flags & RTL_QUERY_REGISTRY_SUBKEY) {
        return enter_subkey(query, entry);
    }
    if (entry->Flags & RTL_QUERY_REGISTRY_NOVALUE) {
        return entry->QueryRoutine(NULL, REG_NONE, NULL, 0, query->context, entry->EntryContext);
    }
    return entry->Name ? query_one(query, entry) : query_all(query, entry);
}

NTSTATUS NTAPI RtlQueryRegistryValues(ULONG RelativeTo, PCWSTR Path,
                                      PRTL_QUERY_REGISTRY_TABLE QueryTable, PVOID Context,
                                      PVOID Environment)
{
    struct export_call call = NT_EXPORT_CALL(RtlQueryRegistryValues);
    struct query query = {.context = Context, .environment = Environment, .call = &call};
    NTSTATUS status = open_key(RelativeTo, Path, false, &call, &query.top);

    if (!NT_SUCCESS(status)) {
        return RelativeTo & RTL_REGISTRY_OPTIONAL ? STATUS_SUCCESS : status;
    }
    registry_key_get(query.top);
    look_into(&query, query.top);
    for (; NT_SUCCESS(status) &&
           (QueryTable->QueryRoutine ||
            QueryTable->Flags & (RTL_QUERY_REGISTRY_SUBKEY | RTL_QUERY_REGISTRY_DIRECT));
         QueryTable++) {
        status = query_entry(&query, QueryTable);
    }
    registry_key_put(query.key);
    registry_key_put(query.top);
    return status;
}
