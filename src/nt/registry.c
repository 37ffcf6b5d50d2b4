/* nt/registry.c: the registry as a tree in memory.
 *
 * Keys are reference counted: a key that is deleted while somebody has it open leaves the tree at
 * once and its memory goes with the last reference. Names are UTF-8 inside; case is folded for
 * ASCII letters only (a guess that no driver's key differs in the case of other letters). Order is
 * order of creation, so that enumeration does not depend on addresses. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct registry_key *root;

#define QUOTA_BYTES ((size_t)64 << 20)
#define KEYS_MAX    65536u

static unsigned key_count;

static struct registry_key *key_new(struct registry_key *parent, const char *name, size_t length)
{
    struct registry_key *key = key_count < KEYS_MAX ? calloc(1, sizeof(*key)) : NULL;

    if (!key) {
        return NULL;
    }
    key->name.text = strndup(name, length);
    if (!key->name.text || (parent && !registry_names_add(&parent->child_names, &key->name))) {
        free(key->name.text);
        free(key);
        return NULL;
    }
    key_count++;
    key->reference_count = 1;
    key->depth = parent ? parent->depth + 1 : 0;
    key->parent = parent;
    list_init(&key->link);
    list_init(&key->children);
    list_init(&key->values);
    if (parent) {
        list_push_back(&parent->children, &key->link);
    }
    return key;
}

struct registry_key *registry_root(void)
{
    if (!root) {
        root = key_new(NULL, "", 0);
        CHECK_THAT(root != NULL);
    }
    return root;
}

/* Of data and names of values: what a driver can write without an end. */
static size_t bytes_used;

static void value_free(struct registry_key *key, struct registry_value *value)
{
    registry_names_remove(&key->value_names, &value->name);
    list_remove(&value->link);
    bytes_used -= value->size + strlen(value->name.text) + sizeof(*value);
    free(value->name.text);
    free(value->data);
    free(value);
}

static void key_drop_values(struct registry_key *key)
{
    list_for_each_safe (link, &key->values) {
        value_free(key, container_of(link, struct registry_value, link));
    }
}

void registry_key_get(struct registry_key *key)
{
    key->reference_count++;
}

void registry_key_put(struct registry_key *key)
{
    if (--key->reference_count > 0) {
        return;
    }
    key_drop_values(key);
    key_count--;
    free(key->value_names.buckets);
    free(key->child_names.buckets);
    free(key->name.text);
    free(key);
}

/* Takes the key and all below it out of the tree. Depth is bounded by REGISTRY_DEPTH_MAX. */
static void key_detach(struct registry_key *key)
{
    list_for_each_safe (link, &key->children) {
        key_detach(container_of(link, struct registry_key, link));
    }
    list_remove(&key->link);
    if (key->parent) {
        registry_names_remove(&key->parent->child_names, &key->name);
    }
    key->parent = NULL;
    key->deleted = true;
    registry_key_put(key);
}

NTSTATUS registry_key_delete(struct registry_key *key)
{
    if (key->deleted) {
        return STATUS_KEY_DELETED;
    }
    if (!key->parent || !list_empty(&key->children)) {
        return STATUS_CANNOT_DELETE;
    }
    key_detach(key);
    return STATUS_SUCCESS;
}

void registry_key_delete_tree(struct registry_key *key)
{
    if (key->parent) {
        key_detach(key);
    }
}

static struct registry_key *child_find(struct registry_key *parent, const char *name, size_t length)
{
    struct registry_name *found = registry_names_find(&parent->child_names, name, length);

    return found ? container_of(found, struct registry_key, name) : NULL;
}

/* The next component of a path, without its separators; false at the end. */
static bool next_component(const char **path, const char **name, size_t *length)
{
    const char *at = *path;

    while (*at == '\\') {
        at++;
    }
    *name = at;
    *length = strcspn(at, "\\");
    *path = at + *length;
    return *length > 0;
}

/* Other names of \Registry\Machine at the head of an absolute path. */
static const char *skip_alias(const char *path, struct registry_key **base)
{
    static const char *const aliases[] = {"HKEY_LOCAL_MACHINE", "HKLM"};

    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        size_t length = strlen(aliases[i]);
        if (strncasecmp(path, aliases[i], length) == 0 &&
            (path[length] == '\\' || path[length] == 0)) {
            *base = registry_key_make(registry_root(), "Registry\\Machine", NULL);
            return path + length;
        }
    }
    return path;
}

struct registry_key *registry_key_find(struct registry_key *base, const char *path)
{
    const char *name;
    size_t length;

    if (!base) {
        base = registry_root();
        path = skip_alias(path, &base);
    }
    while (base && next_component(&path, &name, &length)) {
        base = child_find(base, name, length);
    }
    return base;
}

struct registry_key *registry_key_make(struct registry_key *base, const char *path, bool *created)
{
    const char *name;
    size_t length;

    if (created) {
        *created = false;
    }
    if (!base) {
        base = registry_root();
        path = skip_alias(path, &base);
    }
    while (base && next_component(&path, &name, &length)) {
        struct registry_key *child = child_find(base, name, length);
        if (!child) {
            if (base->depth >= REGISTRY_DEPTH_MAX || length > REGISTRY_KEY_NAME_MAX) {
                return NULL;
            }
            child = key_new(base, name, length);
            if (created) {
                *created = true;
            }
        }
        base = child;
    }
    return base;
}

/* Keys that every Windows has, so that a driver may make keys right below them: each path with all
 * its parents. */
static const char *const known_paths[] = {
    NT_REGISTRY_SERVICES,
    "\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class",
    "\\Registry\\Machine\\System\\CurrentControlSet\\Control\\GraphicsDrivers",
    "\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Session Manager",
    "\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Video",
    "\\Registry\\Machine\\System\\CurrentControlSet\\Enum",
    "\\Registry\\Machine\\Hardware\\Description\\System",
    "\\Registry\\Machine\\Hardware\\DeviceMap\\Video",
    "\\Registry\\Machine\\Software\\Microsoft\\Windows\\CurrentVersion",
    "\\Registry\\Machine\\Software\\Microsoft\\Windows NT\\CurrentVersion",
    "\\Registry\\User\\.Default",
};

static bool is_known(const char *path)
{
    size_t length = strlen(path);

    for (size_t i = 0; i < sizeof(known_paths) / sizeof(known_paths[0]); i++) {
        char after = strncasecmp(known_paths[i], path, length) == 0 ? known_paths[i][length] : 'x';
        if (after == 0 || after == '\\') {
            return true;
        }
    }
    return false;
}

/* The parent of what path names below base, and the last name. NULL: there is no such parent. */
static struct registry_key *parent_find(struct registry_key *base, const char *path,
                                        const char **last)
{
    const char *name, *after = path;
    char above[REGISTRY_PATH_MAX];
    size_t length;

    *last = path;
    while (next_component(&after, &name, &length)) {
        *last = name;
    }
    if ((size_t)(*last - path) >= sizeof(above)) {
        return NULL;
    }
    memcpy(above, path, (size_t)(*last - path));
    above[*last - path] = 0;
    for (size_t end = strlen(above); end > 0 && above[end - 1] == '\\'; end--) {
        above[end - 1] = 0;
    }
    if (!base && is_known(above)) {
        return registry_key_make(NULL, above, NULL);
    }
    return registry_key_find(base, above);
}

NTSTATUS registry_key_create(struct registry_key *base, const char *path, bool is_volatile,
                             bool *created, struct registry_key **out)
{
    const char *last;
    struct registry_key *parent;

    *created = false;
    *out = registry_key_find(base, path);
    if (*out) {
        return STATUS_SUCCESS;
    }
    parent = parent_find(base, path, &last);
    if (!parent) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    if (parent->is_volatile && !is_volatile) {
        return STATUS_CHILD_MUST_BE_VOLATILE;
    }
    if (!parent->parent) {
        return STATUS_ACCESS_DENIED; /* nobody makes keys beside \Registry */
    }
    *out = registry_key_make(parent, last, created);
    if (!*out) {
        return STATUS_INVALID_PARAMETER;
    }
    (*out)->is_volatile = is_volatile;
    return STATUS_SUCCESS;
}

/* The full path, "\Registry\Machine\...". False if it does not fit. */
bool registry_key_path(const struct registry_key *key, char *out, size_t size)
{
    char *end = out + size;

    if (size == 0) {
        return false;
    }
    *--end = 0;
    for (; key->parent; key = key->parent) {
        size_t length = strlen(key->name.text);
        if ((size_t)(end - out) < length + 1) {
            return false;
        }
        end -= length;
        memcpy(end, key->name.text, length);
        *--end = '\\';
    }
    memmove(out, end, strlen(end) + 1);
    return true;
}

static void *nth(const struct list *head, size_t index)
{
    list_for_each (link, head) {
        if (index-- == 0) {
            return link;
        }
    }
    return NULL;
}

struct registry_key *registry_child_at(struct registry_key *key, size_t index)
{
    struct list *link = nth(&key->children, index);

    return link ? container_of(link, struct registry_key, link) : NULL;
}

struct registry_value *registry_value_at(struct registry_key *key, size_t index)
{
    struct list *link = nth(&key->values, index);

    return link ? container_of(link, struct registry_value, link) : NULL;
}

struct registry_value *registry_value_find(struct registry_key *key, const char *name)
{
    struct registry_name *found = registry_names_find(&key->value_names, name, strlen(name));

    return found ? container_of(found, struct registry_value, name) : NULL;
}

NTSTATUS registry_value_set(struct registry_key *key, const char *name, uint32_t type,
                            const void *data, size_t size)
{
    struct registry_value *value = registry_value_find(key, name);
    uint8_t *copy;

    if (key->deleted) {
        return STATUS_KEY_DELETED;
    }
    size_t others = bytes_used - (value ? value->size : 0);
    if (size > QUOTA_BYTES || others > QUOTA_BYTES - size) {
        return STATUS_REGISTRY_QUOTA_LIMIT;
    }
    copy = malloc(size ? size : 1);
    if (!copy) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    if (size) {
        memcpy(copy, data, size);
    }
    if (!value) {
        value = calloc(1, sizeof(*value));
        if (!value || !(value->name.text = strdup(name)) ||
            !registry_names_add(&key->value_names, &value->name)) {
            free(value ? value->name.text : NULL);
            free(value);
            free(copy);
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        list_push_back(&key->values, &value->link);
        bytes_used += strlen(name) + sizeof(*value);
    }
    bytes_used += size - value->size;
    free(value->data);
    value->data = copy;
    value->size = size;
    value->type = type;
    return STATUS_SUCCESS;
}

bool registry_value_delete(struct registry_key *key, const char *name)
{
    struct registry_value *value = registry_value_find(key, name);

    if (value) {
        value_free(key, value);
    }
    return value != NULL;
}

/* ---- What other folders call ----------------------------------------------------------------- */

NTSTATUS nt_registry_create_key(const char *path)
{
    return registry_key_make(NULL, path, NULL) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

static NTSTATUS set_at(const char *path, const char *name, uint32_t type, const void *data,
                       size_t size)
{
    struct registry_key *key = registry_key_make(NULL, path, NULL);

    return key ? registry_value_set(key, name, type, data, size) : STATUS_INVALID_PARAMETER;
}

NTSTATUS nt_registry_set_dword(const char *path, const char *name, uint32_t value)
{
    return set_at(path, name, REG_DWORD, &value, sizeof(value));
}

NTSTATUS nt_registry_set_string(const char *path, const char *name, const char *text)
{
    size_t size;
    uint16_t *wide = text_to_wide(text, strlen(text), &size);
    NTSTATUS status = STATUS_INSUFFICIENT_RESOURCES;

    if (wide) {
        status = set_at(path, name, REG_SZ, wide, size + sizeof(*wide));
    }
    free(wide);
    return status;
}

bool nt_registry_get(const char *path, const char *name, uint32_t *type, const void **bytes,
                     size_t *size)
{
    struct registry_key *key = registry_key_find(NULL, path);
    struct registry_value *value = key ? registry_value_find(key, name) : NULL;

    if (!value) {
        return false;
    }
    *type = value->type;
    *bytes = value->data;
    *size = value->size;
    return true;
}

bool nt_registry_get_dword(const char *path, const char *name, uint32_t *value)
{
    uint32_t type;
    const void *bytes;
    size_t size;

    if (!nt_registry_get(path, name, &type, &bytes, &size) || type != REG_DWORD ||
        size != sizeof(*value)) {
        return false;
    }
    memcpy(value, bytes, sizeof(*value));
    return true;
}

bool nt_registry_key_exists(const char *path)
{
    return registry_key_find(NULL, path) != NULL;
}

void nt_registry_clear(void)
{
    if (root) {
        key_detach(root);
        root = NULL;
    }
    registry_asked_forget();
}
