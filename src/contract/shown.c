/* What addresses show, by the page tables that UpdatePageTable described: track_tables.c. */
#include "contract/internal.h"
#include "machine/machine.h"

#define PAGES_64K_SHIFT 4
#define IN_64K          ((1u << PAGES_64K_SHIFT) - 1)

static const struct contract_table_kind small_leaf = {0, false}, large_leaf = {0, true};

/* ---- By the leaves alone --------------------------------------------------------------------- */

bool contract_translate(const struct contract_tracker *tracker, HANDLE process, uint64_t page,
                        struct contract_translation *out)
{
    struct contract_entry *entry = contract_entry_at(tracker, process, page, &small_leaf);
    struct contract_entry *entry_64k = contract_entry_at(tracker, process, page, &large_leaf);
    bool is_large = entry_64k && entry_64k->now.Valid;

    *out = (struct contract_translation){.is_64k = is_large};
    entry = is_large ? entry_64k : entry;
    if (!entry) {
        return false;
    }
    out->now = entry->now;
    out->before = entry->before;
    out->stale = entry->stale;
    out->now.PageAddress += is_large ? page & IN_64K : 0;
    return entry->now.Valid;
}

void contract_paging_page(const struct contract_tracker *tracker, uint64_t address,
                          struct contract_page *out)
{
    struct contract_translation at;
    bool valid =
        contract_translate(tracker, tracker->system_process, address >> MACHINE_PAGE_SHIFT, &at);

    *out = (struct contract_page){
        .valid = valid,
        .read_only = at.now.ReadOnly,
        .segment = (unsigned)at.now.Segment,
        .page = at.now.PageAddress,
        .was_valid = at.before.Valid,
        .was_read_only = at.before.ReadOnly,
        .was_segment = (unsigned)at.before.Segment,
        .was_page = at.before.PageAddress,
        .never_flushed = tracker->flush_left_out && !tracker->flush_written,
        .stale = at.stale,
    };
}

/* ---- By all levels --------------------------------------------------------------------------- */

/* A walk from the root: the page, and what was found so far. */
struct walk {
    const struct contract_tracker *tracker;
    HANDLE process;
    uint64_t page;
    struct contract_shown *out;
};

/* Notes the entry of a level as the one that decides. NULL: nobody was told of it. */
static const struct contract_entry *step(struct walk *walk, const struct contract_table_kind *level)
{
    const struct contract_tracker *tracker = walk->tracker;
    const struct contract_entry *entry =
        contract_entry_at(tracker, walk->process, walk->page, level);
    struct contract_shown *out = walk->out;
    UINT length = contract_table_length(tracker, level->level, level->leaf_64k);

    if (!entry || !entry->known || length == 0) {
        return NULL;
    }
    out->level = level->level;
    out->index =
        (unsigned)((walk->page >> contract_table_shift(tracker, level->level, level->leaf_64k)) %
                   length);
    out->first = entry->by.first;
    out->count = entry->by.count;
    out->mode = entry->by.mode;
    out->repeat = entry->by.repeat;
    out->copied = entry->by.copied;
    out->stale |= entry->stale;
    return entry;
}

/* The entry decides what the page shows. */
static void end_at(struct walk *walk, const struct contract_entry *entry, bool is_64k)
{
    struct contract_shown *out = walk->out;
    uint64_t in_block = is_64k ? walk->page & IN_64K : 0;

    out->known = true;
    out->is_64k = is_64k;
    out->valid = entry->now.Valid;
    out->zero = entry->now.Zero;
    out->read_only = entry->now.ReadOnly;
    out->no_execute = entry->now.NoExecute;
    out->coherent = entry->now.CacheCoherent;
    out->segment = (unsigned)entry->now.Segment;
    out->page = entry->now.PageAddress + in_block;
    out->was_valid = entry->before.Valid && !entry->before.Zero;
    out->was_segment = (unsigned)entry->before.Segment;
    out->was_page = entry->before.PageAddress + in_block;
}

/* Of a pair, what the table of 64 KiB pages does not answer, that of 4 KiB pages does. */
static void walk_pair(struct walk *walk, const struct contract_entry *pair)
{
    const struct contract_entry *entry;

    if (pair->half.Valid) {
        entry = step(walk, &large_leaf);
        if (!entry) {
            return;
        }
        if (entry->now.Valid || !pair->by.small) {
            end_at(walk, entry, true);
            return;
        }
    }
    entry = step(walk, &small_leaf);
    if (entry) {
        end_at(walk, entry, false);
    }
}

static void walk_leaf(struct walk *walk, const struct contract_entry *directory)
{
    bool is_64k = directory->now.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB;
    const struct contract_entry *entry;

    if (walk->tracker->mmu.caps.DualPteSupported) {
        walk_pair(walk, directory);
        return;
    }
    entry = step(walk, is_64k ? &large_leaf : &small_leaf);
    if (entry) {
        end_at(walk, entry, is_64k);
    }
}

void contract_page_shown(const struct contract_tracker *tracker, HANDLE process, uint64_t page,
                         struct contract_shown *out)
{
    struct walk walk = {tracker, process, page, out};
    const struct contract_entry *entry = NULL;

    *out = (struct contract_shown){.known = false};
    for (UINT level = tracker->mmu.caps.PageTableLevelCount; level-- > 1;) {
        entry = step(&walk, &(struct contract_table_kind){level, false});
        if (!entry || entry->now.LargePage) {
            return; /* nobody was told, or it is no table that it leads to */
        }
        if (!entry->now.Valid) {
            out->known = true;
            return;
        }
    }
    if (entry) {
        walk_leaf(&walk, entry);
    }
}
