/* The tables of what is followed: uthash with hashes of its own and short chains. */
#ifndef CONTRACT_HASH_H
#define CONTRACT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Keys are a few words: handles, addresses, kinds. A multiplication spreads each; the table's own
 * function takes a hundred instructions, some thirty times a submission. */
static inline uint64_t contract_hash_word(uint64_t hash, const void *bytes, size_t size)
{
    uint64_t word = 0;

    memcpy(&word, bytes, size);
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static inline unsigned contract_hash_key(const void *key, size_t size)
{
    const unsigned char *bytes = key;
    uint64_t hash = 0;

    for (; size >= sizeof hash; size -= sizeof hash, bytes += sizeof hash) {
        hash = contract_hash_word(hash, bytes, sizeof hash);
    }
    return (unsigned)(size > 0 ? contract_hash_word(hash, bytes, size) : hash);
}
#define HASH_FUNCTION(key, size, hash) ((hash) = contract_hash_key(key, size))
#include <uthash.h>
/* Short chains, for what is looked up is often in no cache: many buckets at first, and more as soon
 * as a few things meet in one; for two, buckets would grow with the square of what there is. */
#undef HASH_BKT_CAPACITY_THRESH
#define HASH_BKT_CAPACITY_THRESH 6U
#undef HASH_INITIAL_NUM_BUCKETS
#undef HASH_INITIAL_NUM_BUCKETS_LOG2
#define HASH_INITIAL_NUM_BUCKETS      256U
#define HASH_INITIAL_NUM_BUCKETS_LOG2 8U

#endif
