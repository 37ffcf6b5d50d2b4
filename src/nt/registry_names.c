/* nt/registry_names.c: names of a registry key's children or values, found without looking at all
 * of them. Letters of ASCII have no case. Order is not kept here: whoever enumerates has a list. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BUCKETS_MIN 16u

static uint32_t hash_of(const char *name, size_t length)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++) {
        unsigned char letter = (unsigned char)name[i];
        hash = (hash ^ (letter >= 'A' && letter <= 'Z' ? letter + 32u : letter)) * 16777619u;
    }
    return hash;
}

static struct registry_name **bucket_of(const struct registry_names *names, uint32_t hash)
{
    return &names->buckets[hash & (names->capacity - 1)];
}

/* Twice as many buckets, with all entries. */
static bool grow(struct registry_names *names)
{
    struct registry_names grown = {.capacity = names->capacity ? names->capacity * 2 : BUCKETS_MIN};

    grown.buckets = calloc(grown.capacity, sizeof(struct registry_name *));
    if (!grown.buckets) {
        return false;
    }
    for (size_t i = 0; i < names->capacity; i++) {
        struct registry_name *entry = names->buckets[i], *next;
        for (; entry; entry = next) {
            struct registry_name **bucket = bucket_of(&grown, entry->hash);
            next = entry->next;
            entry->next = *bucket;
            *bucket = entry;
        }
    }
    free(names->buckets);
    names->buckets = grown.buckets;
    names->capacity = grown.capacity;
    return true;
}

bool registry_names_add(struct registry_names *names, struct registry_name *entry)
{
    if (names->count >= names->capacity && !grow(names) && names->capacity == 0) {
        return false;
    }
    entry->hash = hash_of(entry->text, strlen(entry->text));
    struct registry_name **bucket = bucket_of(names, entry->hash);
    entry->next = *bucket;
    *bucket = entry;
    names->count++;
    return true;
}

struct registry_name *registry_names_find(const struct registry_names *names, const char *text,
                                          size_t length)
{
    uint32_t hash = hash_of(text, length);

    if (names->capacity == 0) {
        return NULL;
    }
    for (struct registry_name *entry = *bucket_of(names, hash); entry; entry = entry->next) {
        if (entry->hash == hash && strncasecmp(entry->text, text, length) == 0 &&
            entry->text[length] == '\0') {
            return entry;
        }
    }
    return NULL;
}

void registry_names_remove(struct registry_names *names, struct registry_name *entry)
{
    struct registry_name **at = bucket_of(names, entry->hash);

    while (*at != entry) {
        at = &(*at)->next;
    }
    *at = entry->next;
    names->count--;
}
