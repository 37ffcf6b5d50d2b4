/* What a driver acquires of a VidPN it sees in a copy, until it releases it: who looks at it
 * afterwards is found out by the memory, as with everything that the kernel hands out. */
#include "dxgk/vidpn.h"

#include <stdlib.h>
#include <string.h>

struct lent {
    struct list link;
    const void *owner;
    void *original;
    void *handed; /* NULL: there was no memory for it, and the original was handed out */
    void *as_lent;
    size_t size;
    bool released; /* `handed` is free; its address is known until the DDI has returned */
};

static struct list all = {&all, &all};

static const void *seen_at(const struct lent *lent)
{
    return lent->handed ? lent->handed : lent->original;
}

/* It is const; a driver that writes there all the same changes the original, as everywhere. */
static void take_back(struct lent *lent)
{
    if (lent->handed && memcmp(lent->handed, lent->as_lent, lent->size) != 0) {
        memcpy(lent->original, lent->handed, lent->size);
    }
    nt_memory_free(lent->handed);
    lent->released = true;
}

static void drop(struct lent *lent)
{
    if (!lent->released) {
        take_back(lent);
    }
    list_remove(&lent->link);
    free(lent->as_lent);
    free(lent);
}

/* The newest: an address may have been that of another before. */
static struct lent *find(const void *owner, const void *seen)
{
    struct lent *found = NULL;

    list_for_each (link, &all) {
        struct lent *lent = container_of(link, struct lent, link);
        if (lent->owner == owner && seen_at(lent) == seen && (!found || !lent->released)) {
            found = lent;
        }
    }
    return found;
}

static void fill_in(struct lent *lent)
{
    if (lent->handed) {
        memcpy(lent->handed, lent->original, lent->size);
        memcpy(lent->as_lent, lent->original, lent->size);
    }
}

const void *vidpn_lend(const void *owner, void *original, size_t size, const char *what)
{
    struct lent *lent = calloc(1, sizeof *lent);

    CHECK_THAT(lent != NULL);
    *lent =
        (struct lent){.owner = owner, .original = original, .as_lent = malloc(size), .size = size};
    CHECK_THAT(lent->as_lent != NULL);
    lent->handed = nt_memory_hand(size, what);
    fill_in(lent);
    list_push_back(&all, &lent->link);
    return seen_at(lent);
}

const void *vidpn_lent_original(const void *owner, const void *seen, bool *released)
{
    const struct lent *lent = find(owner, seen);

    *released = lent && lent->released;
    return lent ? lent->original : seen;
}

void vidpn_lent_back(const void *owner, const void *seen)
{
    struct lent *lent = find(owner, seen);

    if (lent && !lent->released) {
        take_back(lent);
    }
}

void vidpn_lent_changed(const void *owner, const void *original)
{
    list_for_each (link, &all) {
        struct lent *lent = container_of(link, struct lent, link);
        if (lent->owner == owner && lent->original == original && !lent->released) {
            fill_in(lent);
        }
    }
}

void vidpn_lent_forget(const void *owner)
{
    list_for_each_safe (link, &all) {
        struct lent *lent = container_of(link, struct lent, link);
        if (lent->owner == owner) {
            drop(lent);
        }
    }
}
