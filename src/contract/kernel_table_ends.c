/* The kernel's own duties at the end of page tables: nothing is left in one that goes. */
#include "contract/paging_call.h"
#include "contract/tables.h"

typedef DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE update_type;

static const update_type *update_of(const struct contract_call *call)
{
    return &paging_of(call)->UpdatePageTable;
}

/* Of hardware that is gone, or does not come back from a reset, nothing is written any more. */
static bool is_asked_for(const struct contract_call *call)
{
    return call->tracker->mmu.caps.ExplicitPageTableInvalidation && !call->tracker->removed &&
           !call->tracker->in_reset;
}

static bool wants_invalid_ends(const struct contract_call *call)
{
    return is_asked_for(call) && call->first != call->tracker->system_process;
}

/* Only above the leaves something leads to a table. */
static bool may_end_tables(const struct contract_call *call)
{
    return is_asked_for(call) && update_of(call)->PageTableLevel > 0 &&
           update_of(call)->hProcess != call->tracker->system_process;
}

/* `how` it goes. */
static bool is_all_invalid(struct contract_call *call, const struct contract_table *table,
                           const char *how)
{
    for (UINT i = 0; i < table->count; i++) {
        if (table->entries[i].known && table->entries[i].now.Valid) {
            return contract_say(call, "every entry invalid before its table goes",
                                "%s, and entry %u of level %u at page 0x%llX is valid", how, i,
                                table->key.level, (unsigned long long)table->key.page);
        }
    }
    return true;
}

/* All its tables go with the process. */
static bool tables_end_invalid(struct contract_call *call)
{
    const struct contract_table *table, *next;

    HASH_ITER(hh, call->tracker->tables, table, next)
    {
        if (table->key.process == call->first && !is_all_invalid(call, table, "the process goes")) {
            return false;
        }
    }
    return true;
}

/* What this half of a pair, or the entry without one, led to until now. */
static bool ends_invalid(struct contract_call *call, const struct contract_table *parent,
                         UINT index, bool leaf_64k)
{
    const struct contract_table *table =
        contract_table_below(call->tracker, &parent->key, index, leaf_64k);

    return !table || is_all_invalid(call, table, "nothing leads to it any more");
}

static bool entry_ends_invalid(struct contract_call *call, const struct contract_table *parent,
                               UINT index, UINT from)
{
    const update_type *update = update_of(call);
    bool leaves = parent->key.level == 1;
    bool pairs = leaves && call->tracker->mmu.caps.DualPteSupported;
    bool small = update->pPageTableEntries[from].Valid;
    bool large =
        pairs ? update->pPageTableEntries64KB && update->pPageTableEntries64KB[from].Valid : small;

    return (small || ends_invalid(call, parent, index, false)) &&
           (!leaves || large || ends_invalid(call, parent, index, true));
}

/* A table that nothing leads to any more goes before its process: one that is evicted was written
 * invalid with the notice. */
static bool tables_below_end_invalid(struct contract_call *call)
{
    const update_type *update = update_of(call);
    struct contract_table_key key;

    if (!update->pPageTableEntries || !contract_table_key(call->tracker, update, &key)) {
        return contract_no_case(call);
    }
    const struct contract_table *parent = contract_table_find(call->tracker, &key);
    for (UINT i = 0; parent && i < update->NumPageTableEntries; i++) {
        UINT index = update->StartIndex + i;
        if (index < parent->count && parent->entries[index].known &&
            parent->entries[index].now.Valid &&
            !entry_ends_invalid(call, parent, index, update->Flags.Repeat ? 0 : i)) {
            return false;
        }
    }
    return true;
}

static const struct contract_row rows[] = {
    KERNEL(UPT_019, DestroyProcess, tables_end_invalid, WHEN(wants_invalid_ends)),
    KERNEL(UPT_019, BuildPagingBuffer, tables_below_end_invalid, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(may_end_tables)),
};

const struct contract_family contract_family_kernel_table_ends = FAMILY_OF(rows);
