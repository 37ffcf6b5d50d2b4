/* Randomness: Philox in counter mode, keyed by the seed; the counter is (site, count). */
#include "machine/internal.h"

#include <stdlib.h>

#include <Random123/philox.h>

#define SITES_FIRST 256u /* a power of two */

/* How many numbers a site has given; the second half of its newest block waits here. */
struct site {
    uint32_t number;
    bool used;
    uint64_t count, next;
};

static uint64_t seed_now;
static struct site *sites; /* open addressing by the site's number */
static size_t site_capacity, site_count;

void random_reset(uint64_t seed)
{
    seed_now = seed;
    free(sites);
    sites = NULL;
    site_capacity = site_count = 0;
}

static struct site *site_place(struct site *table, size_t capacity, uint32_t number)
{
    size_t place = (number * UINT32_C(2654435761)) & (capacity - 1);

    while (table[place].used && table[place].number != number) {
        place = (place + 1) & (capacity - 1);
    }
    return &table[place];
}

static void grow(void)
{
    size_t capacity = site_capacity ? site_capacity * 2 : SITES_FIRST;
    struct site *table = calloc(capacity, sizeof(*table));

    CHECK_THAT(table);
    for (size_t i = 0; i < site_capacity; i++) {
        if (sites[i].used) {
            *site_place(table, capacity, sites[i].number) = sites[i];
        }
    }
    free(sites);
    sites = table;
    site_capacity = capacity;
}

static struct site *site_find(uint32_t number)
{
    struct site *site;

    if (site_count * 2 >= site_capacity) {
        grow();
    }
    site = site_place(sites, site_capacity, number);
    if (!site->used) {
        site->used = true;
        site->number = number;
        site_count++;
    }
    return site;
}

uint64_t machine_random(uint32_t number)
{
    struct site *site = site_find(number);
    uint64_t n = site->count++;
    philox4x32_ctr_t counter, block;
    philox4x32_key_t key;

    if (n & 1) {
        return site->next;
    }
    counter.v[0] = (uint32_t)(n >> 1);
    counter.v[1] = (uint32_t)(n >> 33);
    counter.v[2] = number;
    counter.v[3] = 0;
    key.v[0] = (uint32_t)seed_now;
    key.v[1] = (uint32_t)(seed_now >> 32);
    block = philox4x32(counter, key);
    site->next = (uint64_t)block.v[3] << 32 | block.v[2];
    return (uint64_t)block.v[1] << 32 | block.v[0];
}

uint64_t machine_random_below(uint32_t site, uint64_t bound)
{
    CHECK_THAT(bound > 0);
    return (uint64_t)(((unsigned __int128)machine_random(site) * bound) >> 64);
}
