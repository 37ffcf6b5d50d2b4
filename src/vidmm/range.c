/* The range allocator of a segment: exact best fit in constant time.
 *
 * Ranges are nodes of a dense array, linked by address; free ones are also in a bin. Below
 * RANGE_EXACT_PAGES there is a bin for each page count, above it eight to an octave; two levels of
 * bitmap find the next bin that is not empty. So the hole taken is the smallest that holds the
 * request (with alignment: the smallest that certainly does, after a look at the exact ones).
 *
 * Nodes are named by index: nothing depends on addresses, and the array may move when it grows. */
#include "vidmm/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"

enum { ALIGNED_LOOKS_MAX = 8 }; /* bins tried for luck before certainty */
enum { NODES_FIRST = 64, NODES_MANY = 16384, CACHE_LINE_BYTES = 64, LARGE_PAGE_BYTES = 2 << 20 };

static uint32_t bin_of(uint32_t page_count)
{
    if (page_count < RANGE_EXACT_PAGES) {
        return page_count;
    }
    uint32_t top = 31u - (uint32_t)__builtin_clz(page_count);
    uint32_t bin = RANGE_EXACT_PAGES + (top - 14u) * 8u + ((page_count >> (top - 3u)) & 7u);

    return bin < RANGE_BIN_COUNT ? bin : RANGE_BIN_COUNT - 1;
}

static void bin_insert(struct range_allocator *ranges, uint32_t index)
{
    struct range_node *node = &ranges->nodes[index];
    uint32_t bin = bin_of(node->page_count), head = ranges->bins[bin];

    node->used = 0;
    node->bin = bin;
    node->bin_prev = RANGE_NONE;
    node->bin_next = head;
    if (head != RANGE_NONE) {
        ranges->nodes[head].bin_prev = index;
    } else {
        ranges->level0[bin / 64] |= UINT64_C(1) << (bin % 64);
        ranges->level1[bin / 4096] |= UINT64_C(1) << (bin / 64 % 64);
    }
    ranges->bins[bin] = index;
}

static void bin_remove(struct range_allocator *ranges, uint32_t index)
{
    struct range_node *node = &ranges->nodes[index];
    uint32_t bin = node->bin;

    if (node->bin_next != RANGE_NONE) {
        ranges->nodes[node->bin_next].bin_prev = node->bin_prev;
    }
    if (node->bin_prev != RANGE_NONE) {
        ranges->nodes[node->bin_prev].bin_next = node->bin_next;
        return;
    }
    ranges->bins[bin] = node->bin_next;
    if (node->bin_next == RANGE_NONE) {
        ranges->level0[bin / 64] &= ~(UINT64_C(1) << (bin % 64));
        if (ranges->level0[bin / 64] == 0) {
            ranges->level1[bin / 4096] &= ~(UINT64_C(1) << (bin / 64 % 64));
        }
    }
}

/* The first bin at or after `bin` that is not empty, or RANGE_NONE. */
static uint32_t bin_next(const struct range_allocator *ranges, uint32_t bin)
{
    if (bin >= RANGE_BIN_COUNT) {
        return RANGE_NONE;
    }
    uint32_t word = bin / 64;
    uint64_t bits = ranges->level0[word] & (~UINT64_C(0) << (bin % 64));
    if (bits != 0) {
        return word * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    uint32_t top = ++word / 64;
    if (top >= sizeof(ranges->level1) / sizeof(ranges->level1[0])) {
        return RANGE_NONE;
    }
    bits = ranges->level1[top] & (~UINT64_C(0) << (word % 64));
    while (bits == 0) {
        if (++top >= sizeof(ranges->level1) / sizeof(ranges->level1[0])) {
            return RANGE_NONE;
        }
        bits = ranges->level1[top];
    }
    word = top * 64 + (uint32_t)__builtin_ctzll(bits);
    return word * 64 + (uint32_t)__builtin_ctzll(ranges->level0[word]);
}

/* Nodes are used in no order: many of them lie in large pages where the host gives some. */
static struct range_node *make_nodes(uint32_t count)
{
    bool large = count >= NODES_MANY;
    size_t alignment = large ? LARGE_PAGE_BYTES : CACHE_LINE_BYTES;
    size_t bytes = align_up(count * sizeof(struct range_node), alignment);
    struct range_node *nodes = aligned_alloc(alignment, bytes);

    if (nodes && large) {
        (void)madvise(nodes, bytes, MADV_HUGEPAGE);
    }
    return nodes;
}

static bool grow(struct range_allocator *ranges)
{
    uint32_t capacity = ranges->node_capacity ? ranges->node_capacity * 2 : NODES_FIRST;
    struct range_node *nodes = make_nodes(capacity);

    if (!nodes) {
        return false;
    }
    if (ranges->nodes) {
        memcpy(nodes, ranges->nodes, ranges->node_capacity * sizeof(*nodes));
        free(ranges->nodes);
    }
    ranges->nodes = nodes;
    for (uint32_t i = capacity; i-- > ranges->node_capacity;) {
        nodes[i].used = 0;
        nodes[i].bin_next = ranges->node_unused;
        ranges->node_unused = i;
    }
    ranges->node_capacity = capacity;
    return true;
}

/* A node from the pool; there is one, see reserve(). */
static uint32_t take_node(struct range_allocator *ranges)
{
    uint32_t index = ranges->node_unused;

    CHECK_THAT(index != RANGE_NONE);
    ranges->node_unused = ranges->nodes[index].bin_next;
    return index;
}

static void give_node(struct range_allocator *ranges, uint32_t index)
{
    ranges->nodes[index].bin_next = ranges->node_unused;
    ranges->node_unused = index;
}

/* Two nodes are enough for any cut: what is left below and above. */
static bool reserve(struct range_allocator *ranges)
{
    if (ranges->node_unused != RANGE_NONE &&
        ranges->nodes[ranges->node_unused].bin_next != RANGE_NONE) {
        return true;
    }
    return grow(ranges);
}

NTSTATUS range_init(struct range_allocator *ranges, uint64_t page_count)
{
    *ranges = (struct range_allocator){.node_unused = RANGE_NONE, .first_node = RANGE_NONE};
    if (page_count == 0 || page_count >= UINT32_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    ranges->bins = malloc(RANGE_BIN_COUNT * sizeof(*ranges->bins));
    if (!ranges->bins || !grow(ranges)) {
        range_fini(ranges);
        return STATUS_NO_MEMORY;
    }
    for (uint32_t i = 0; i < RANGE_BIN_COUNT; i++) {
        ranges->bins[i] = RANGE_NONE;
    }
    ranges->page_count = ranges->free_pages = (uint32_t)page_count;
    ranges->first_node = take_node(ranges);
    ranges->nodes[ranges->first_node] = (struct range_node){
        .page_count = (uint32_t)page_count, .prev = RANGE_NONE, .next = RANGE_NONE};
    bin_insert(ranges, ranges->first_node);
    return STATUS_SUCCESS;
}

void range_fini(struct range_allocator *ranges)
{
    free(ranges->nodes);
    free(ranges->bins);
    *ranges = (struct range_allocator){.node_unused = RANGE_NONE, .first_node = RANGE_NONE};
}

/* Where an aligned block lies in the hole; false if it does not fit. */
static bool fit(const struct range_node *node, uint32_t page_count, uint32_t alignment_pages,
                bool from_end, uint32_t *page_first)
{
    uint64_t unit = alignment_pages; /* no power of two, where a driver has other ideas */
    uint64_t low = (node->page_first + unit - 1) / unit * unit;
    uint64_t end = (uint64_t)node->page_first + node->page_count;

    if (low + page_count > end) {
        return false;
    }
    *page_first = (uint32_t)(from_end ? (end - page_count) / unit * unit : low);
    return true;
}

/* The smallest hole of a coarse bin that fits. */
static uint32_t search_bin(const struct range_allocator *ranges, uint32_t bin, uint32_t page_count,
                           uint32_t alignment_pages, bool from_end, uint32_t *page_first)
{
    uint32_t best = RANGE_NONE;

    for (uint32_t i = ranges->bins[bin]; i != RANGE_NONE; i = ranges->nodes[i].bin_next) {
        uint32_t at;
        if (fit(&ranges->nodes[i], page_count, alignment_pages, from_end, &at) &&
            (best == RANGE_NONE || ranges->nodes[i].page_count < ranges->nodes[best].page_count)) {
            best = i;
            *page_first = at;
        }
    }
    return best;
}

static uint32_t find_hole(const struct range_allocator *ranges, uint32_t page_count,
                          uint32_t alignment_pages, bool from_end, uint32_t *page_first)
{
    unsigned looks = 0;
    uint32_t bin = bin_next(ranges, bin_of(page_count));

    /* Exact bins: the head alone, for all holes of a bin have the same size. */
    for (; bin < RANGE_EXACT_PAGES; bin = bin_next(ranges, bin + 1)) {
        uint32_t head = ranges->bins[bin];
        if (fit(&ranges->nodes[head], page_count, alignment_pages, from_end, page_first)) {
            return head;
        }
        if (++looks == ALIGNED_LOOKS_MAX && bin < page_count + alignment_pages - 1) {
            uint64_t certain = (uint64_t)page_count + alignment_pages - 1;
            uint32_t from = certain < RANGE_EXACT_PAGES ? (uint32_t)certain : RANGE_EXACT_PAGES;
            bin = bin_next(ranges, from);
            if (bin == RANGE_NONE || bin >= RANGE_EXACT_PAGES) {
                break;
            }
            head = ranges->bins[bin];
            bool fits =
                fit(&ranges->nodes[head], page_count, alignment_pages, from_end, page_first);
            CHECK_THAT(fits);
            return head;
        }
    }
    for (; bin != RANGE_NONE; bin = bin_next(ranges, bin + 1)) {
        uint32_t node = search_bin(ranges, bin, page_count, alignment_pages, from_end, page_first);
        if (node != RANGE_NONE) {
            return node;
        }
    }
    /* Only the looks above can have skipped holes that fit: go through all of them. */
    if (alignment_pages > 1) {
        for (bin = bin_next(ranges, bin_of(page_count)); bin < RANGE_EXACT_PAGES;
             bin = bin_next(ranges, bin + 1)) {
            uint32_t node =
                search_bin(ranges, bin, page_count, alignment_pages, from_end, page_first);
            if (node != RANGE_NONE) {
                return node;
            }
        }
    }
    return RANGE_NONE;
}

/* Makes a free node out of what a cut left over; beside is its neighbour, already cut. */
static void add_rest(struct range_allocator *ranges, uint32_t beside, bool below,
                     uint32_t page_first, uint32_t page_count)
{
    uint32_t index = take_node(ranges);
    struct range_node *node = &ranges->nodes[index], *used = &ranges->nodes[beside];

    node->page_first = page_first;
    node->page_count = page_count;
    node->prev = below ? used->prev : beside;
    node->next = below ? beside : used->next;
    if (node->prev != RANGE_NONE) {
        ranges->nodes[node->prev].next = index;
    } else {
        ranges->first_node = index;
    }
    if (node->next != RANGE_NONE) {
        ranges->nodes[node->next].prev = index;
    }
    bin_insert(ranges, index);
}

static void cut(struct range_allocator *ranges, uint32_t index, uint32_t page_first,
                uint32_t page_count, void *owner)
{
    bin_remove(ranges, index);
    uint32_t hole_first = ranges->nodes[index].page_first;
    uint32_t hole_end = hole_first + ranges->nodes[index].page_count;

    ranges->nodes[index].page_first = page_first;
    ranges->nodes[index].page_count = page_count;
    ranges->nodes[index].used = 1;
    ranges->nodes[index].owner = owner;
    ranges->free_pages -= page_count;
    if (page_first > hole_first) {
        add_rest(ranges, index, true, hole_first, page_first - hole_first);
    }
    if (page_first + page_count < hole_end) {
        add_rest(ranges, index, false, page_first + page_count, hole_end - page_first - page_count);
    }
}

uint32_t range_alloc(struct range_allocator *ranges, uint32_t page_count, uint32_t alignment_pages,
                     bool from_end, void *owner)
{
    uint32_t page_first;

    if (page_count == 0 || page_count > ranges->free_pages || !reserve(ranges)) {
        return RANGE_NONE;
    }
    uint32_t index = find_hole(ranges, page_count, alignment_pages, from_end, &page_first);
    if (index != RANGE_NONE) {
        cut(ranges, index, page_first, page_count, owner);
    }
    return index;
}

uint32_t range_alloc_at(struct range_allocator *ranges, uint32_t free_node, uint32_t page_first,
                        uint32_t page_count, void *owner)
{
    if (!reserve(ranges)) {
        return RANGE_NONE;
    }
    const struct range_node *node = &ranges->nodes[free_node];
    if (node->used || page_first < node->page_first ||
        !range_fits(page_first - node->page_first, page_count, node->page_count)) {
        return RANGE_NONE;
    }
    cut(ranges, free_node, page_first, page_count, owner);
    return free_node;
}

/* Takes the free neighbour out of the lists and into the node. */
static void absorb(struct range_allocator *ranges, uint32_t index, uint32_t neighbour)
{
    struct range_node *node = &ranges->nodes[index], *gone = &ranges->nodes[neighbour];

    bin_remove(ranges, neighbour);
    if (gone->page_first < node->page_first) {
        node->page_first = gone->page_first;
        node->prev = gone->prev;
        if (node->prev != RANGE_NONE) {
            ranges->nodes[node->prev].next = index;
        } else {
            ranges->first_node = index;
        }
    } else {
        node->next = gone->next;
        if (node->next != RANGE_NONE) {
            ranges->nodes[node->next].prev = index;
        }
    }
    node->page_count += gone->page_count;
    give_node(ranges, neighbour);
}

void range_free(struct range_allocator *ranges, uint32_t node)
{
    CHECK_THAT(node < ranges->node_capacity && ranges->nodes[node].used);
    uint32_t prev = ranges->nodes[node].prev, next = ranges->nodes[node].next;

    ranges->nodes[node].used = 0;
    ranges->free_pages += ranges->nodes[node].page_count;
    if (prev != RANGE_NONE && !ranges->nodes[prev].used) {
        absorb(ranges, node, prev);
    }
    if (next != RANGE_NONE && !ranges->nodes[next].used) {
        absorb(ranges, node, next);
    }
    bin_insert(ranges, node);
}

uint32_t range_largest_free(const struct range_allocator *ranges)
{
    uint32_t word = sizeof(ranges->level0) / sizeof(ranges->level0[0]), largest = 0;

    while (word-- > 0) {
        if (ranges->level0[word] == 0) {
            continue;
        }
        uint32_t bin = word * 64 + 63u - (uint32_t)__builtin_clzll(ranges->level0[word]);
        for (uint32_t i = ranges->bins[bin]; i != RANGE_NONE; i = ranges->nodes[i].bin_next) {
            if (ranges->nodes[i].page_count > largest) {
                largest = ranges->nodes[i].page_count;
            }
        }
        return largest;
    }
    return 0;
}

bool range_consistent(const struct range_allocator *ranges)
{
    uint64_t page = 0, free_pages = 0;
    uint32_t prev = RANGE_NONE;
    bool prev_free = false;

    for (uint32_t i = ranges->first_node; i != RANGE_NONE; i = ranges->nodes[i].next) {
        const struct range_node *node = &ranges->nodes[i];
        bool is_free = !node->used;
        if (node->page_first != page || node->page_count == 0 || node->prev != prev ||
            (is_free && (prev_free || node->bin != bin_of(node->page_count)))) {
            return false;
        }
        page += node->page_count;
        free_pages += is_free ? node->page_count : 0;
        prev = i;
        prev_free = is_free;
    }
    return page == ranges->page_count && free_pages == ranges->free_pages;
}
