/* Interlocked singly linked lists, in the documented 16-byte form of x64. */
#include "wdkrt.h"

struct entry {
    struct entry *next;
};

/* depth 16 bits, sequence 48; then 4 reserved bits and the entry's address without its lowest 4
 * bits. */
struct head {
    u64 counts, first;
} __attribute__((aligned(16)));

/* The compiler knows it. */
unsigned char _InterlockedCompareExchange128(long long volatile *to, long long high, long long low,
                                             long long *compare);

void InitializeSListHead(struct head *head);
struct entry *ExpInterlockedPushEntrySList(struct head *head, struct entry *entry);
struct entry *ExpInterlockedPopEntrySList(struct head *head);
struct entry *ExpInterlockedFlushSList(struct head *head);
u16 ExQueryDepthSList(struct head *head);
struct entry *FirstEntrySList(const struct head *head);

static struct entry *entry_of(u64 first)
{
    return (struct entry *)(first & ~15ull);
}

/* The counts with the depth moved and one more change in the sequence. */
static u64 next_counts(u64 counts, int depth_change)
{
    u64 depth = (counts + (u64)depth_change) & 0xffff;

    return depth | (((counts >> 16) + 1) << 16);
}

static int replace(struct head *head, struct head *seen, struct head wanted)
{
    return _InterlockedCompareExchange128((volatile long long *)head, (long long)wanted.first,
                                          (long long)wanted.counts, (long long *)seen);
}

void InitializeSListHead(struct head *head)
{
    head->counts = 0;
    head->first = 0;
}

struct entry *ExpInterlockedPushEntrySList(struct head *head, struct entry *entry)
{
    struct head seen = *head, wanted;

    do {
        entry->next = entry_of(seen.first);
        wanted.counts = next_counts(seen.counts, 1);
        wanted.first = (u64)entry;
    } while (!replace(head, &seen, wanted));
    return entry_of(seen.first);
}

struct entry *ExpInterlockedPopEntrySList(struct head *head)
{
    struct head seen = *head, wanted;

    do {
        if (!entry_of(seen.first)) {
            return NULL;
        }
        wanted.counts = next_counts(seen.counts, -1);
        wanted.first = (u64)entry_of(seen.first)->next;
    } while (!replace(head, &seen, wanted));
    return entry_of(seen.first);
}

struct entry *ExpInterlockedFlushSList(struct head *head)
{
    struct head seen = *head, wanted;

    do {
        if (!entry_of(seen.first)) {
            return NULL;
        }
        wanted.counts = ((seen.counts >> 16) + 1) << 16;
        wanted.first = 0;
    } while (!replace(head, &seen, wanted));
    return entry_of(seen.first);
}

u16 ExQueryDepthSList(struct head *head)
{
    return (u16)head->counts;
}

struct entry *FirstEntrySList(const struct head *head)
{
    return entry_of(head->first);
}
