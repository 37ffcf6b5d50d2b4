/* Which page tables are walked, and what else comes to lie where they are: by the entries that lead
 * to them, and by the roots that SetRootPageTable named. track_tables.c follows where they lie. */
#include "contract/internal.h"
#include "contract/tables.h"
#include "machine/machine.h"

#include <string.h>

bool contract_is_at(const D3DGPU_PHYSICAL_ADDRESS *a, const D3DGPU_PHYSICAL_ADDRESS *b)
{
    return a->SegmentId == b->SegmentId && a->SegmentOffset == b->SegmentOffset;
}

bool contract_table_has_valid(const struct contract_table *table)
{
    for (UINT i = 0; i < table->count; i++) {
        if (table->entries[i].known &&
            (table->entries[i].now.Valid || table->entries[i].half.Valid)) {
            return true;
        }
    }
    return false;
}

uint64_t contract_table_bytes(const struct contract_tracker *tracker,
                              const struct contract_table_key *key)
{
    UINT bytes = key->leaf_64k ? tracker->mmu.caps.LeafPageTableSizeFor64KPagesInBytes
                 : key->level < CONTRACT_TABLE_LEVELS
                     ? tracker->mmu.levels[key->level].PageTableSizeInBytes
                     : 0;

    return align_up(bytes ? bytes : 1, MACHINE_PAGE_SIZE); /* a root that grows: its begin */
}

bool contract_has_tables_in(const struct contract_tracker *tracker, UINT segment)
{
    for (UINT i = 0; i < tracker->mmu.caps.PageTableLevelCount && i < CONTRACT_TABLE_LEVELS; i++) {
        const DXGK_PAGE_TABLE_LEVEL_DESC *level = &tracker->mmu.levels[i];
        if (contract_table_segment(tracker, level->PageTableSegmentId) == segment ||
            contract_table_segment(tracker, level->PagingProcessPageTableSegmentId) == segment) {
            return true;
        }
    }
    return false;
}

/* ---- Who walks them -------------------------------------------------------------------------- */

static bool points_at(const DXGK_PTE *entry, const D3DGPU_PHYSICAL_ADDRESS *place)
{
    return entry->Valid && entry->Segment == place->SegmentId &&
           entry->PageAddress == place->SegmentOffset >> MACHINE_PAGE_SHIFT;
}

static bool is_context_of(struct contract_tracker *tracker, const struct contract_object *object,
                          HANDLE process)
{
    bool has_addresses = object->key.kind == TRACKED_HW_CONTEXT ||
                         (object->key.kind == TRACKED_CONTEXT && object->virtual_addresses);
    const struct contract_object *device =
        has_addresses ? contract_object_find(tracker, TRACKED_DEVICE, object->parent) : NULL;

    return device && device->process == process;
}

/* With a root there, if one is asked for. */
static bool has_contexts(struct contract_tracker *tracker, HANDLE process,
                         const D3DGPU_PHYSICAL_ADDRESS *root)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if ((!root || (object->has_root && contract_is_at(&object->root, root))) &&
            is_context_of(tracker, object, process)) {
            return true;
        }
    }
    return false;
}

static bool is_root(const struct contract_tracker *tracker, const struct contract_table *table)
{
    return table->key.level + 1 >= tracker->mmu.caps.PageTableLevelCount;
}

static bool leads_to(const struct contract_tracker *tracker, const struct contract_entry *entry,
                     const struct contract_table *table)
{
    if (!tracker->mmu.caps.DualPteSupported) {
        /* A leaf of the other kind of pages may have come to lie where this one did. */
        bool is_64k = entry->now.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB;
        return points_at(&entry->now, &table->place) &&
               (table->key.level > 0 || is_64k == table->key.leaf_64k);
    }
    /* Where a pair has the half of 64 KiB pages alone, `now` is that, too: it leads to no other. */
    bool by_half = points_at(&entry->half, &table->place);
    return table->key.leaf_64k ? by_half : points_at(&entry->now, &table->place) && !by_half;
}

bool contract_table_is_used(struct contract_tracker *tracker, const struct contract_table *table)
{
    const struct contract_table_kind above = {.level = table->key.level + 1};

    if (is_root(tracker, table)) {
        return has_contexts(tracker, table->key.process, &table->place);
    }
    const struct contract_entry *entry =
        contract_entry_at(tracker, table->key.process, table->key.page, &above);
    if (!entry || !entry->known) {
        return false;
    }
    return leads_to(tracker, entry, table);
}

/* ---- What comes there ------------------------------------------------------------------------ */

static bool overlaps(const struct contract_extent *where, const D3DGPU_PHYSICAL_ADDRESS *place,
                     uint64_t bytes)
{
    return where->segment == place->SegmentId && where->offset < place->SegmentOffset + bytes &&
           place->SegmentOffset < where->offset + where->bytes;
}

static bool is_key(const struct contract_table *table, const struct contract_table_key *key)
{
    return key && memcmp(&table->key, key, sizeof *key) == 0;
}

/* It lies there, and is walked; or it lay there when it was walked, and nobody said that it left.
 * Of a root that is seen by the contexts that have not heard of another. */
static bool is_used_in(struct contract_tracker *tracker, const struct contract_table *table,
                       const struct contract_extent *where, bool itself)
{
    uint64_t bytes = contract_table_bytes(tracker, &table->key);

    if (!itself && table->placed && table->known_count > 0 &&
        overlaps(where, &table->place, bytes) && contract_table_is_used(tracker, table) &&
        has_contexts(tracker, table->key.process, NULL)) {
        return true;
    }
    return table->unannounced && overlaps(where, &table->replaced_place, bytes) &&
           has_contexts(tracker, table->key.process,
                        is_root(tracker, table) ? &table->replaced_place : NULL);
}

const struct contract_table *contract_table_used_in(struct contract_tracker *tracker,
                                                    const struct contract_extent *where,
                                                    const struct contract_table_key *key)
{
    struct contract_table *table, *next;

    HASH_ITER(hh, tracker->tables, table, next)
    {
        if (is_used_in(tracker, table, where, is_key(table, key))) {
            return table;
        }
    }
    return NULL;
}

const struct contract_table *contract_table_valid_in(const struct contract_tracker *tracker,
                                                     const struct contract_extent *where,
                                                     const struct contract_table_key *key)
{
    struct contract_table *table, *next;

    HASH_ITER(hh, tracker->tables, table, next)
    {
        uint64_t bytes = contract_table_bytes(tracker, &table->key);
        bool lies = !is_key(table, key) && table->placed && overlaps(where, &table->place, bytes) &&
                    contract_table_has_valid(table);
        if (lies || (table->left_valid && overlaps(where, &table->replaced_place, bytes))) {
            return table;
        }
    }
    return NULL;
}
