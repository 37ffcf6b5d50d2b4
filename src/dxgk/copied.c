/* What a copy of page table entries leaves in the tables, held against what it was to copy.
 *
 * Both tables are read behind the GPU's back: of the destination what it held before, and after the
 * commands have run what both hold. Operations run one at a time for that, as they do with shadows.
 * With paging-overlaps a copy is built while updates of its source still wait; what it leaves then
 * shows by where its addresses lead (leads.c).
 * Only tables of entries of 8 bytes are read so: of padded or larger ones nobody says how long an
 * entry is. An MMU that writes accessed bits into its entries is not expected: docs/limits.md. */
#include "dxgk/work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct dxgk_copied {
    uint64_t *before; /* the destination's table */
    uint64_t *source, *after;
};

static bool read_table(struct dxgk_adapter *adapter, const struct vidmm_location *place,
                       uint64_t size, void *bytes)
{
    const void *memory =
        place->segment == 0
            ? ram_at(place->offset, size)
            : dxgk_vidmm_backend.segment_bytes(adapter->vidmm, place->segment, place->offset, size);

    if (memory) {
        memcpy(bytes, memory, size);
    }
    return memory != NULL;
}

void dxgk_copied_free(struct paging_operation *operation)
{
    if (operation->copied) {
        free(operation->copied->before);
        free(operation->copied);
        operation->copied = NULL;
    }
}

void dxgk_copied_before(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    const struct vidmm_copy *copy = &operation->op->copy;

    if (operation->op->kind != VIDMM_OP_COPY_ENTRIES || !adapter->options.shadow_content ||
        copy->table_bytes != copy->entry_count * sizeof(uint64_t)) {
        return;
    }
    struct dxgk_copied *copied = calloc(1, sizeof *copied);
    uint64_t *tables = calloc(3, copy->table_bytes);
    if (!copied || !tables ||
        !read_table(adapter, &copy->ranges[0].destination, copy->table_bytes, tables)) {
        free(tables);
        free(copied);
        return; /* nobody looks */
    }
    *copied = (struct dxgk_copied){.before = tables,
                                   .source = tables + copy->entry_count,
                                   .after = tables + 2 * copy->entry_count};
    operation->copied = copied;
}

#define EXPECTED                                                                     \
    "when the buffer has run, entry DstStartPteIndex + i of the one table is entry " \
    "SrcStartPteIndex + i of the other, of each of the ranges, and no other entry is changed"

/* False: it was said. */
static bool judge_range(const struct paging_operation *operation, unsigned number)
{
    const struct dxgk_copied *copied = operation->copied;
    const struct vidmm_copy *copy = &operation->op->copy;
    const struct vidmm_copy_range *range = &copy->ranges[number];
    uint32_t wrong = 0, first = 0;

    for (uint32_t i = range->count; i-- > 0;) {
        if (copied->after[range->destination_first + i] !=
            copied->source[range->source_first + i]) {
            wrong++;
            first = i;
        }
    }
    if (wrong == 0) {
        return true;
    }
    uint32_t at = range->destination_first + first;
    uint64_t now = copied->after[at];
    contract_breach(
        &(struct contract_finding){.rule = CONTRACT_JUDGES(CPTE_003)}, EXPECTED,
        "after CopyPageTableEntries of %u entries from index %u of the table at 0x%" PRIX64
        " to index %u of that at 0x%" PRIX64 ", range %u of %u: %u are wrong; entry %u is "
        "0x%" PRIX64 "%s, and entry %u of the source is 0x%" PRIX64,
        range->count, range->source_first, range->source_address, range->destination_first,
        range->destination_address, number, copy->range_count, wrong, at, now,
        now == copied->before[at] ? ", as before" : "", range->source_first + first,
        copied->source[range->source_first + first]);
    return false;
}

static bool is_copied(const struct vidmm_copy *copy, uint32_t index)
{
    for (unsigned i = 0; i < copy->range_count; i++) {
        if (index - copy->ranges[i].destination_first < copy->ranges[i].count) {
            return true;
        }
    }
    return false;
}

/* False: it was said. */
static bool judge_others(const struct paging_operation *operation)
{
    const struct dxgk_copied *copied = operation->copied;
    const struct vidmm_copy *copy = &operation->op->copy;

    for (uint32_t i = 0; i < copy->entry_count; i++) {
        if (!is_copied(copy, i) && copied->before[i] != copied->after[i]) {
            contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(CPTE_003)}, EXPECTED,
                            "after CopyPageTableEntries of %u entries to index %u of the table at "
                            "0x%" PRIX64 " entry %u is 0x%" PRIX64 ", and was 0x%" PRIX64,
                            copy->ranges[0].count, copy->ranges[0].destination_first,
                            copy->ranges[0].destination_address, i, copied->after[i],
                            copied->before[i]);
            return false;
        }
    }
    return true;
}

void dxgk_copied_look(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    struct dxgk_copied *copied = operation->copied;
    const struct vidmm_copy *copy = &operation->op->copy;
    bool right = true;

    if (!copied || operation->overlapped || adapter->presence != DXGK_THERE ||
        operation->op->revoked || operation->status != STATUS_SUCCESS ||
        adapter->state != DXGK_ADAPTER_RUNNING ||
        !read_table(adapter, &copy->ranges[0].destination, copy->table_bytes, copied->after)) {
        return;
    }
    contract_count(RULE_CPTE_003);
    for (unsigned i = 0; i < copy->range_count && right; i++) {
        right = read_table(adapter, &copy->ranges[i].source, copy->table_bytes, copied->source) &&
                judge_range(operation, i);
    }
    if (!right || !judge_others(operation)) {
        adapter->mmu.leads.said = true; /* addresses lead elsewhere now */
    }
}
