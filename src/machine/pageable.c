/* Pageable memory behind a protection key, or behind pages that are shut: pageable.h. */
#include "machine/pageable.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine/internal.h"

_Static_assert((ADDRESS_WINDOW & (ADDRESS_WINDOW - 1)) == 0 && ADDRESS_VIEWS % ADDRESS_WINDOW == 0,
               "as pageable_window() says");

#define KEY_UNKNOWN (-2)
#define KEY_NONE    (-1)

/* Without keys a change of pages is a call of the system for each view: few at a time, and not each
 * time. Whoever touches such memory above APC_LEVEL as a rule is met soon all the same. */
#define VIEWS_AT_ONCE 8
#define RISES_FIRST   64 /* at each of which views are shut */
#define ONE_RISE_IN   16 /* a power of two; later */

struct view_pages {
    void *address;
    size_t size;
};

static int key = KEY_UNKNOWN; /* the process's, for good */
static bool used;             /* this machine has memory behind it */

static struct {
    struct view_pages *all; /* those that are guarded */
    size_t count, capacity;
    size_t next; /* to be shut */
    struct view_pages shut[VIEWS_AT_ONCE];
    unsigned shut_count;
    uint64_t rises;
    bool high; /* above APC_LEVEL */
} pages;

static int key_now(void)
{
    if (key == KEY_UNKNOWN) {
        key = pkey_alloc(0, 0);
        key = key < 0 ? KEY_NONE : key;
    }
    return key;
}

/* ---- Without keys ---------------------------------------------------------------------------- */

static bool pages_keep(void *address, size_t size)
{
    if (pages.count == pages.capacity) {
        size_t capacity = pages.capacity ? pages.capacity * 2 : 64;
        struct view_pages *all = realloc(pages.all, capacity * sizeof *all);
        if (!all) {
            return false;
        }
        pages.all = all;
        pages.capacity = capacity;
    }
    pages.all[pages.count++] = (struct view_pages){address, size};
    return true;
}

static void pages_open(void)
{
    for (unsigned i = 0; i < pages.shut_count; i++) {
        (void)mprotect(pages.shut[i].address, pages.shut[i].size, PROT_READ | PROT_WRITE);
    }
    pages.shut_count = 0;
}

static void pages_shut(void)
{
    while (pages.shut_count < VIEWS_AT_ONCE && pages.shut_count < pages.count) {
        struct view_pages *view = &pages.all[pages.next++ % pages.count];
        (void)mprotect(view->address, view->size, PROT_NONE);
        pages.shut[pages.shut_count++] = *view;
    }
}

static void pages_forget(void *address)
{
    size_t i = 0;

    while (i < pages.count && pages.all[i].address != address) {
        i++;
    }
    if (i < pages.count) {
        pages.all[i] = pages.all[--pages.count];
    }
    for (unsigned n = 0; n < pages.shut_count; n++) {
        if (pages.shut[n].address == address) {
            (void)mprotect(address, pages.shut[n].size, PROT_READ | PROT_WRITE);
            pages.shut[n] = pages.shut[--pages.shut_count];
        }
    }
}

/* Is this rise one of those? Not each n-th: interrupts come in turns as well. */
static bool pages_turn(void)
{
    uint64_t rise = pages.rises++;

    return rise < RISES_FIRST || ((rise * UINT64_C(0x9E3779B97F4A7C15)) >> 32) % ONE_RISE_IN == 0;
}

static void pages_level(bool high)
{
    /* The hardware's own code is no driver's. */
    if (high == pages.high || (high && !machine_here.self)) {
        return;
    }
    pages.high = high;
    if (!high) {
        pages_open();
    } else if (pages.count > 0 && pages_turn()) {
        pages_shut();
    }
}

/* ---- Either way ------------------------------------------------------------------------------ */

static bool has_keys(void)
{
    return key_now() != KEY_NONE;
}

void pageable_level(uint8_t irql)
{
    bool high = irql > MACHINE_IRQL_APC;
    int wanted = high ? PKEY_DISABLE_ACCESS : 0;

    if (key == KEY_NONE) {
        pages_level(high);
    } else if (used && pkey_get(key) != wanted) {
        /* The register, not what was written last: signal handlers begin with a value of their
         * own. */
        pkey_set(key, (unsigned)wanted);
    }
}

static void set_key(void *address, size_t size, int to)
{
    /* Where the system refuses, nothing is guarded. */
    if (pkey_mprotect(address, size, PROT_READ | PROT_WRITE, to) == 0 && to) {
        used = true;
        pageable_level(irql_current());
    }
}

void pageable_guard(void *address, size_t size)
{
    if (has_keys()) {
        set_key(address, size, key);
    } else {
        (void)pages_keep(address, size);
    }
}

void pageable_release(void *address, size_t size)
{
    if (!has_keys()) {
        pages_forget(address);
    } else if (used) {
        set_key(address, size, 0);
    }
}

void pageable_unmapped(void *address)
{
    if (!has_keys()) {
        pages_forget(address);
    }
}

void pageable_window(uint64_t *address, uint64_t *size)
{
    *address = ADDRESS_VIEWS;
    *size = ADDRESS_WINDOW;
}

void pageable_reset(void)
{
    pageable_level(MACHINE_IRQL_PASSIVE);
    used = false;
    free(pages.all);
    memset(&pages, 0, sizeof pages);
}
