/* What the device shows at virtual addresses, held against the entries that the driver was given.
 *
 * A device model may walk the tables as its engines do, and tell what those remember (device.h).
 * That is asked for when nothing of paging is under way and nothing waits: what the driver was told
 * is what the device has to show then. Looked at are the pages that operations touched since the
 * last time, and a few others in turn. What is said:
 *
 *     the tables lead elsewhere than the entry    the UpdatePageTable that wrote it
 *     they lead where an engine does not go       FlushTlb
 *     no space of the device has the root table   SetRootPageTable: leads_root.c
 *
 * The addresses that the driver gave a segment may mean nothing to the device: nothing in the
 * segment is judged until a page of it, or a root table, was seen where it lies, or a BAR shows it
 * there. An entry that is invalid and leads to some page that the driver keeps for that is advice;
 * it may not lead where it led before. */
#include "dxgk/leads.h"

#include <inttypes.h>
#include <stdio.h>

#include "dxgk/work.h"

enum {
    PAGES_MAX = 24,       /* of what one operation touched */
    OTHERS_MAX = 6,       /* of the rest, each time */
    OTHERS_STEP = 7,      /* pages from one of these to the next */
    ANSWERS_MAX = 1 << 16 /* of a model that finds no end */
};

/* ---- Places ---------------------------------------------------------------------------------- */

/* A page as the device counts it. */
static struct device_place place_in(const struct dxgk_adapter *adapter, unsigned segment,
                                    uint64_t offset)
{
    const struct vidmm_segment_options *options =
        segment != 0 ? vidmm_segment(adapter->vidmm, segment) : NULL;

    return (struct device_place){.in_system_memory = segment == 0,
                                 .address = offset + (options ? options->base_address : 0)};
}

static bool same_place(const struct device_place *a, const struct device_place *b)
{
    return a->in_system_memory == b->in_system_memory && a->address == b->address;
}

/* Does a BAR show the CPU the segment's first byte at the place that its base address says? */
static bool is_shown_at_base(const struct vidmm_segment_options *segment)
{
    uint64_t offset;

    return segment && (segment->flags & VIDMM_SEGMENT_CPU_VISIBLE) != 0 &&
           (segment->flags & VIDMM_SEGMENT_APERTURE) == 0 &&
           pci_bar_shows(segment->cpu_base_address, &offset) && offset == segment->base_address;
}

/* Are the segment's addresses known to be the device's own? Those of system memory are. */
static bool is_proven(const struct dxgk_adapter *adapter, unsigned segment)
{
    return segment == 0 ||
           (segment < 32 && ((adapter->mmu.leads.proven >> segment & 1) != 0 ||
                             is_shown_at_base(vidmm_segment(adapter->vidmm, segment))));
}

static void prove(struct dxgk_adapter *adapter, unsigned segment)
{
    adapter->mmu.leads.proven |= segment > 0 && segment < 32 ? 1u << segment : 0;
}

/* ---- Spaces ---------------------------------------------------------------------------------- */

void dxgk_leads_find(struct dxgk_adapter *adapter, struct dxgk_space *space,
                     struct dxgk_leads_spaces *out)
{
    struct device_address_space found;
    struct vidmm_root root;

    *out = (struct dxgk_leads_spaces){.count = 0};
    if (!space->memory.root) {
        return; /* none yet, or it has ended */
    }
    vidmm_space_root(&space->memory, &root);
    const struct device_place place = place_in(adapter, root.place.segment, root.place.offset);
    for (unsigned i = 0; i < ANSWERS_MAX && out->count < DXGK_LEADS_SPACES_MAX &&
                         pci_address_space(adapter->ddi.slot, &i, &found);
         i++) {
        out->any = true;
        if (same_place(&found.root, &place) &&
            (found.entry_count == 0 || found.entry_count >= root.entry_count)) {
            out->numbers[out->count++] = i;
            prove(adapter, root.place.segment);
        }
    }
}

/* ---- Words ----------------------------------------------------------------------------------- */

#define WHERE_BYTES 96

static const char *where_text(const struct device_translation *at, char text[WHERE_BYTES])
{
    if (at->leads == DEVICE_LEADS_TO_MEMORY) {
        snprintf(text, WHERE_BYTES, "to 0x%" PRIX64 " of %s%s", at->place.address,
                 at->place.in_system_memory ? "system memory" : "the device's memory",
                 at->read_only    ? ", read only"
                 : at->no_execute ? ", not to be executed"
                 : at->stale      ? ", without a look into the caches of CPUs"
                                  : "");
    } else {
        snprintf(text, WHERE_BYTES, "%s",
                 at->leads == DEVICE_LEADS_TO_ZEROS ? "to zeros" : "nowhere");
    }
    return text;
}

#define ENTRY_BYTES 160

/* What the entry says. */
static const char *entry_text(const struct dxgk_adapter *adapter,
                              const struct contract_shown *shown, char text[ENTRY_BYTES])
{
    if (!shown->valid) {
        snprintf(text, ENTRY_BYTES, "the entry is not valid");
    } else if (shown->zero) {
        snprintf(text, ENTRY_BYTES, "the entry has Zero");
    } else {
        const struct device_place place =
            place_in(adapter, shown->segment, shown->page << MACHINE_PAGE_SHIFT);
        snprintf(text, ENTRY_BYTES,
                 "the entry says page 0x%" PRIX64 " of segment %u%s%s%s, which is 0x%" PRIX64,
                 shown->page, shown->segment, shown->read_only ? ", ReadOnly" : "",
                 shown->no_execute ? ", NoExecute" : "", shown->coherent ? ", CacheCoherent" : "",
                 place.address);
    }
    return text;
}

#define OBJECT_BYTES 80

/* Whose page it is, by the kernel's books. */
static uint32_t name_owner(struct dxgk_space *space, uint64_t page, char text[OBJECT_BYTES])
{
    struct vidmm_translation at;

    text[0] = '\0';
    vidmm_space_translate(&space->memory, page << MACHINE_PAGE_SHIFT, &at);
    if (!at.allocation) {
        return 0;
    }
    snprintf(text, OBJECT_BYTES, "; it shows an allocation from 0x%" PRIX64 " on",
             at.allocation_offset);
    return at.allocation->object;
}

static const char *mode_text(unsigned mode)
{
    return mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL   ? "CPU_VIRTUAL"
           : mode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL ? "GPU_VIRTUAL"
                                                      : "GPU_PHYSICAL";
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A page that is looked at: what the driver was told, and what the device shows. */
struct look {
    struct dxgk_adapter *adapter;
    struct dxgk_space *space;
    unsigned number; /* the device's, of the space */
    uint64_t page;
    struct contract_shown shown;
    struct device_translation at;
};

/* Is that what was told? */
static bool is_right(const struct look *look, const struct device_translation *at)
{
    const struct contract_shown *shown = &look->shown;

    if (!shown->valid) {
        return at->leads != DEVICE_LEADS_TO_MEMORY;
    }
    if (shown->zero) {
        return at->leads != DEVICE_LEADS_NOWHERE;
    }
    const struct device_place place =
        place_in(look->adapter, shown->segment, shown->page << MACHINE_PAGE_SHIFT);
    return at->leads == DEVICE_LEADS_TO_MEMORY && same_place(&at->place, &place) &&
           at->read_only == shown->read_only && at->no_execute == shown->no_execute &&
           !(shown->coherent && at->stale);
}

static bool is_judged(const struct look *look)
{
    const struct contract_shown *shown = &look->shown;

    return is_proven(look->adapter, shown->valid ? shown->segment : shown->was_segment);
}

/* Does an invalid entry lead elsewhere than before? */
static bool leads_to_a_dummy(const struct look *look)
{
    const struct contract_shown *shown = &look->shown;
    const struct device_place before =
        place_in(look->adapter, shown->was_segment, shown->was_page << MACHINE_PAGE_SHIFT);

    return !shown->valid && (!shown->was_valid || !same_place(&look->at.place, &before));
}

static enum contract_rule rule_of_entry(const struct look *look)
{
    const struct contract_shown *shown = &look->shown;

    if (shown->copied) {
        return CONTRACT_JUDGES(CPTE_003);
    }
    if ((shown->valid && shown->zero) || leads_to_a_dummy(look)) {
        return CONTRACT_JUDGES(UPT_020);
    }
    return shown->repeat && shown->count > 1 ? CONTRACT_JUDGES(UPT_008) : CONTRACT_JUDGES(UPT_006);
}

static void say_tables(const struct look *look)
{
    const struct contract_shown *shown = &look->shown;
    char where[WHERE_BYTES], entry[ENTRY_BYTES], owner[OBJECT_BYTES];
    uint32_t object = name_owner(look->space, look->page, owner);

    contract_breach(
        &(struct contract_finding){
            .rule = rule_of_entry(look), .object = object, .advice = leads_to_a_dummy(look)},
        "every address leads where the entry says that was given for it",
        "%s of %u entries from index %u on, in a table of level %u%s%s%s%s: the page tables in the "
        "device lead %s at virtual address 0x%" PRIX64 ", index %u; %s%s",
        shown->copied ? "CopyPageTableEntries" : "UpdatePageTable", shown->count, shown->first,
        shown->level, shown->is_64k ? " of 64 KiB pages" : "", shown->repeat ? " with Repeat" : "",
        shown->copied ? "" : ", UpdateMode ", shown->copied ? "" : mode_text(shown->mode),
        where_text(&look->at, where), look->page << MACHINE_PAGE_SHIFT, shown->index,
        entry_text(look->adapter, shown, entry), owner);
}

/* False: the tables are wrong there, and it was said. */
static bool look_at_page(struct look *look)
{
    struct dxgk_adapter *adapter = look->adapter;

    contract_page_shown(adapter->ddi.tracker, look->space->driver_handle, look->page, &look->shown);
    if (!look->shown.known || !pci_translate(adapter->ddi.slot, look->number,
                                             look->page << MACHINE_PAGE_SHIFT, &look->at)) {
        return true;
    }
    bool right = is_right(look, &look->at);
    if (right && look->shown.valid && !look->shown.zero) {
        prove(adapter, look->shown.segment);
    }
    if (!is_judged(look)) {
        return true;
    }
    contract_count(RULE_UPT_006);
    if (!right) {
        say_tables(look);
    }
    return right || leads_to_a_dummy(look);
}

/* ---- What engines remember ------------------------------------------------------------------- */

static void say_remembered(const struct look *look, const struct device_remembered *known)
{
    const struct contract_shown *shown = &look->shown;
    const struct device_place before =
        place_in(look->adapter, shown->was_segment, shown->was_page << MACHINE_PAGE_SHIFT);
    bool was = shown->was_valid && same_place(&known->translation.place, &before);
    char where[WHERE_BYTES], entry[ENTRY_BYTES], owner[OBJECT_BYTES];
    uint32_t object = name_owner(look->space, look->page, owner);

    contract_breach(
        &(struct contract_finding){.rule = CONTRACT_JUDGES(TLB_002), .object = object},
        "nothing that was cached of an address before FlushTlb is used after it",
        "the TLB of engine %u leads %s at virtual address 0x%" PRIX64 ", %s; %s%s", known->engine,
        where_text(&known->translation, where), look->page << MACHINE_PAGE_SHIFT,
        was ? "as an entry said before UpdatePageTable and FlushTlb"
            : "which no entry of this process has said since FlushTlb: it may be of a process "
              "before that had the same tag",
        entry_text(look->adapter, shown, entry), owner);
}

/* False: one is wrong, and it was said. What no flush was asked for may be as it was. */
static bool look_at_remembered(struct look *look)
{
    struct dxgk_adapter *adapter = look->adapter;
    struct device_remembered known;
    uint64_t cursor = 0;

    for (unsigned i = 0;
         i < ANSWERS_MAX && pci_remembered(adapter->ddi.slot, look->number, &cursor, &known); i++) {
        look->page = known.address >> MACHINE_PAGE_SHIFT;
        contract_page_shown(adapter->ddi.tracker, look->space->driver_handle, look->page,
                            &look->shown);
        if (!look->shown.known || look->shown.stale || !is_judged(look) ||
            known.translation.leads == DEVICE_LEADS_NOWHERE) {
            continue;
        }
        contract_count(RULE_TLB_002);
        if (!is_right(look, &known.translation)) {
            say_remembered(look, &known);
            return false;
        }
    }
    return true;
}

/* ---- Looking --------------------------------------------------------------------------------- */

bool dxgk_leads_may_ask(const struct dxgk_adapter *adapter)
{
    return adapter->mmu.present && !adapter->mmu.shared && adapter->options.shadow_content &&
           adapter->state == DXGK_ADAPTER_RUNNING && adapter->presence == DXGK_THERE &&
           !adapter->mmu.leads.said && !dxgk_adapter_stands_still(adapter);
}

/* Nothing changes what the driver was told, or what the device has of it. */
static bool may_look(const struct dxgk_adapter *adapter)
{
    return dxgk_leads_may_ask(adapter) && list_empty(&adapter->paging.running) &&
           !vidmm_paging_waiting(adapter->vidmm);
}

/* Pages of a range: all of a short one, of a longer one as many, evenly. */
static bool look_at_range(struct look *look, uint64_t first, uint64_t count)
{
    uint64_t pages = count < PAGES_MAX ? count : PAGES_MAX;
    bool right = true;

    for (uint64_t i = 0; i < pages && right; i++) {
        look->page = first + (pages > 1 ? i * (count - 1) / (pages - 1) : 0);
        right = look_at_page(look);
    }
    return right;
}

/* Some that are mapped, from where the last look ended. */
static bool look_at_others(struct look *look)
{
    struct dxgk_space *space = look->space;
    struct vidmm_translation at;
    bool right = true;

    for (unsigned i = 0; i < OTHERS_MAX && right; i++) {
        vidmm_space_translate(&space->memory, space->looked_at << MACHINE_PAGE_SHIFT, &at);
        if (!at.mapped) {
            space->looked_at = at.next >> MACHINE_PAGE_SHIFT; /* 0: the begin again */
            continue;
        }
        look->page = space->looked_at;
        space->looked_at += OTHERS_STEP;
        right = look_at_page(look);
    }
    return right;
}

/* Pages that were touched, and some others; what engines remember, if that may have changed. */
static void look_at_space(struct dxgk_adapter *adapter, const struct dxgk_touched *touched)
{
    struct look look = {.adapter = adapter, .space = touched->space};
    struct dxgk_leads_spaces found;
    bool right = true;

    if (!touched->space->driver_handle) {
        return; /* processes are not told from each other */
    }
    dxgk_leads_find(adapter, touched->space, &found);
    touched->space->unseen = found.count == 0;
    for (unsigned i = 0; i < found.count && right; i++) {
        look.number = found.numbers[i];
        if (i == 0) { /* the tables are the same */
            right = look_at_range(&look, touched->first, touched->count) && look_at_others(&look);
        }
        right = right && (!touched->remembered || look_at_remembered(&look));
    }
    adapter->mmu.leads.said = !right; /* one mistake shows in many pages */
}

void dxgk_leads_look(struct dxgk_adapter *adapter)
{
    struct dxgk_leads *leads = &adapter->mmu.leads;

    if (leads->count == 0 || !may_look(adapter)) {
        return;
    }
    for (unsigned i = 0; i < leads->count && !leads->said; i++) {
        look_at_space(adapter, &leads->touched[i]);
    }
    leads->count = 0;
}

void dxgk_leads_page(struct dxgk_adapter *adapter, struct dxgk_space *space, uint64_t page)
{
    if (dxgk_leads_may_ask(adapter)) {
        look_at_space(adapter, &(struct dxgk_touched){.space = space, .first = page, .count = 1});
    }
}

void dxgk_leads_work(const struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;

    if (may_look(adapter)) {
        look_at_space(adapter, &(struct dxgk_touched){
                                   .space = &packet->context->device->process->space,
                                   .first = packet->submission.address >> MACHINE_PAGE_SHIFT,
                                   .count = 1,
                                   .remembered = true});
    }
}

/* ---- What was touched ------------------------------------------------------------------------ */

/* Pages that an entry of the table stands for, as a shift. */
static unsigned entry_shift(const struct dxgk_adapter *adapter, const struct vidmm_update *update)
{
    unsigned shift = update->leaf_64k ? 4 : 0;

    for (unsigned i = 0; i < update->level; i++) {
        shift += adapter->mmu.options.levels[i].index_bits;
    }
    return shift;
}

static void add(struct dxgk_leads *leads, const struct dxgk_touched *touched)
{
    if (leads->count == DXGK_TOUCHED_MAX) { /* the oldest goes */
        leads->count--;
        for (unsigned i = 0; i < leads->count; i++) {
            leads->touched[i] = leads->touched[i + 1];
        }
    }
    leads->touched[leads->count++] = *touched;
}

/* From the first entry that it writes to the last. */
static void note_copy(const struct vidmm_copy *copy, struct dxgk_touched *touched)
{
    uint32_t first = UINT32_MAX, end = 0;

    for (unsigned i = 0; i < copy->range_count; i++) {
        const struct vidmm_copy_range *range = &copy->ranges[i];
        first = range->destination_first < first ? range->destination_first : first;
        end = range->destination_first + range->count > end
                  ? range->destination_first + range->count
                  : end;
    }
    touched->first = (copy->address >> MACHINE_PAGE_SHIFT) + first;
    touched->count = end > first ? end - first : 0;
}

void dxgk_leads_note(struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    struct dxgk_touched touched = {.count = 0};

    if (!op->space || op->revoked) {
        return;
    }
    touched.space = container_of(op->space, struct dxgk_space, memory);
    if (op->kind == VIDMM_OP_UPDATE_TABLE) {
        touched.first = op->update.address >> MACHINE_PAGE_SHIFT;
        touched.count = (uint64_t)op->update.count << entry_shift(adapter, &op->update);
    } else if (op->kind == VIDMM_OP_SET_ROOT) {
        dxgk_leads_root(touched.space);
    } else if (op->kind == VIDMM_OP_FLUSH_TLB) {
        touched.remembered = true;
    } else if (op->kind == VIDMM_OP_COPY_ENTRIES) {
        note_copy(&op->copy, &touched);
    } else {
        return;
    }
    add(&adapter->mmu.leads, &touched);
}

void dxgk_leads_forget(struct dxgk_space *space)
{
    struct dxgk_leads *leads = space->adapter ? &space->adapter->mmu.leads : NULL;
    unsigned kept = 0;

    for (unsigned i = 0; leads && i < leads->count; i++) {
        if (leads->touched[i].space != space) {
            leads->touched[kept++] = leads->touched[i];
        }
    }
    if (leads) {
        leads->count = kept;
    }
}
