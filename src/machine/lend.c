/* Places for what the kernel lends to a driver while a call runs: a copy of the structure that the
 * call takes, at the end of a page. Behind it is a page of redzone that can be read and not
 * written: a driver that was built for newer headers may copy more than its version has.
 *
 *      | copy of the structure | redzone, read only | copy of another | redzone ... |
 *
 * A place is made once and used again by the next call, the latest first, so that a call allocates
 * nothing and touches memory that was touched just before. As many are made as calls were ever
 * under way at once: of all threads, and one inside the other.
 *
 * Who wonders whether a driver believes what it reads there has zeros behind the next copies. */
#include "machine/internal.h"

#include <string.h>
#include <sys/mman.h>

#include "base/fill.h"

#define PLACES_MAX  1024u
#define PLACE_BYTES (2 * MACHINE_PAGE_SIZE)
#define PLACE_NONE  PLACES_MAX

struct place {
    const char *what; /* that lies there, or lay there last */
    size_t size;
    unsigned next; /* free: the one that was free before it */
};

static struct {
    uint8_t *pages; /* NULL: there is no machine */
    unsigned made, free;
    uint8_t behind; /* what the redzones hold */
    struct place places[PLACES_MAX];
} lent;

bool lent_create(void)
{
    lent.made = 0;
    lent.behind = FILL_REDZONE;
    lent.free = PLACE_NONE;
    lent.pages = address_reserve(ADDRESS_LENT, ADDRESS_WINDOW, "structures lent to the driver")
                     ? (uint8_t *)(uintptr_t)ADDRESS_LENT
                     : NULL;
    return lent.pages != NULL;
}

void lent_destroy(void)
{
    if (lent.pages) {
        munmap(lent.pages, ADDRESS_WINDOW);
        lent.pages = NULL;
    }
}

static uint8_t *end_of(unsigned place)
{
    return lent.pages + (size_t)place * PLACE_BYTES + MACHINE_PAGE_SIZE;
}

static void fill_behind(uint8_t *end)
{
    CHECK_THAT(mprotect(end, MACHINE_PAGE_SIZE, PROT_READ | PROT_WRITE) == 0);
    memset(end, lent.behind, MACHINE_PAGE_SIZE);
    CHECK_THAT(mprotect(end, MACHINE_PAGE_SIZE, PROT_READ) == 0);
}

static unsigned make_place(void)
{
    uint8_t *end = end_of(lent.made);

    if (lent.made == PLACES_MAX ||
        mprotect(end - MACHINE_PAGE_SIZE, PLACE_BYTES, PROT_READ | PROT_WRITE) != 0) {
        return PLACE_NONE;
    }
    fill_behind(end);
    return lent.made++;
}

void lent_set_behind(bool zeros)
{
    lent.behind = zeros ? 0 : FILL_REDZONE;
    for (unsigned place = 0; lent.pages && place < lent.made; place++) {
        fill_behind(end_of(place));
    }
}

void *lent_take(size_t size, const char *what)
{
    unsigned place = lent.free;

    if (!lent.pages || size > MACHINE_PAGE_SIZE) {
        return NULL;
    }
    if (place == PLACE_NONE) {
        place = make_place();
    } else {
        lent.free = lent.places[place].next;
    }
    if (place == PLACE_NONE) {
        return NULL;
    }
    lent.places[place].what = what;
    lent.places[place].size = size;
    return end_of(place) - size;
}

static unsigned place_of(const void *address)
{
    return (unsigned)((size_t)((const uint8_t *)address - lent.pages) / PLACE_BYTES);
}

void lent_give_back(void *given)
{
    unsigned place = place_of(given);

    CHECK_THAT(lent_holds(given) && given == end_of(place) - lent.places[place].size);
    /* Who kept the pointer finds nothing that he could take for his own. */
    memset(given, FILL_FREED, lent.places[place].size);
    lent.places[place].next = lent.free;
    lent.free = place;
}

bool lent_holds(const void *address)
{
    return lent.pages &&
           (uintptr_t)address - (uintptr_t)lent.pages < (size_t)lent.made * PLACE_BYTES;
}

bool lent_near(const void *address, struct ram_thing *out)
{
    if (!lent_holds(address)) {
        return false;
    }
    unsigned place = place_of(address);
    size_t size = lent.places[place].size;
    *out = (struct ram_thing){
        .what = lent.places[place].what,
        .offset = (const uint8_t *)address - (end_of(place) - size),
        .size = size,
    };
    return out->offset >= (int64_t)size;
}
