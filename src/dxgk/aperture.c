/* What the device shows in an aperture, held against the pages that the driver was told.
 *
 * A device model may say where its addresses lead (look_up of device.h). Whether the addresses of
 * the driver's segment are the device's own nobody knows until a page is seen where it was mapped
 * to; from then on all are looked at. Operations run one at a time for that, as they do with
 * shadows. */
#include "dxgk/gart.h"
#include "dxgk/misplaced.h"
#include "dxgk/restored.h"

#include <inttypes.h>
#include <stdio.h>

/* Where the pages of a range lead, when its mapping, or the end of it, is done. */
struct seen {
    uint64_t right, wrong;
    uint64_t stale; /* of a range that was unmapped: they lead where they led before */
    uint64_t first; /* page of the range that is wrong; one that is stale, if there is one */
    uint64_t physical;
    bool leads; /* that page does, to physical */
};

static void note_wrong(struct seen *seen, uint64_t page, bool leads, uint64_t physical)
{
    seen->first = page;
    seen->leads = leads;
    seen->physical = physical;
}

static void look(struct dxgk_adapter *adapter, const struct vidmm_op *op, struct seen *seen)
{
    uint64_t base = vidmm_segment(adapter->vidmm, op->aperture.segment)->base_address;
    bool maps = op->kind == VIDMM_OP_MAP_APERTURE;

    *seen = (struct seen){0};
    for (uint64_t i = 0; i < op->aperture.page_count; i++) {
        uint64_t physical = 0, mapped = op->frames[op->frame_first + i] << MACHINE_PAGE_SHIFT;
        uint64_t address = base + (op->aperture.page_first + i) * MACHINE_PAGE_SIZE;
        uint64_t wanted = maps ? mapped : op->aperture.dummy_frame << MACHINE_PAGE_SHIFT;
        bool leads = pci_look_up(adapter->ddi.slot, address, &physical);
        bool stale = !maps && leads && physical == mapped;
        if (leads && physical == wanted) {
            seen->right++;
            continue;
        }
        if (seen->wrong++ == 0 || (stale && seen->stale == 0)) {
            note_wrong(seen, i, leads, physical);
        }
        seen->stale += stale;
    }
}

#define WHERE_BYTES 40

static const char *where_text(const struct seen *seen, char text[WHERE_BYTES])
{
    if (seen->leads) {
        snprintf(text, WHERE_BYTES, "to 0x%" PRIX64, seen->physical);
    } else {
        snprintf(text, WHERE_BYTES, "nowhere");
    }
    return text;
}

/* Does the page lead where it would if its part of the list were the begin of it? */
static bool leads_to_the_begin(const struct vidmm_op *op, const struct seen *seen)
{
    return op->frame_first > 0 && seen->leads &&
           seen->physical == op->frames[seen->first] << MACHINE_PAGE_SHIFT;
}

static void judge_map(const struct dxgk_adapter *adapter, const struct vidmm_op *op,
                      const struct seen *seen, uint32_t object)
{
    bool lists = adapter->features.address_lists;
    uint64_t wanted = op->frames[op->frame_first + seen->first] << MACHINE_PAGE_SHIFT;
    bool begins = seen->wrong > 0 && leads_to_the_begin(op, seen);
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(MAPAP_007), .object = object};
    char where[WHERE_BYTES], calls[DXGK_CALLS_MAX], lost[DXGK_LOST_MAX];

    if (lists) {
        finding.rule = begins ? CONTRACT_JUDGES(MAPAP2_007) : CONTRACT_JUDGES(MAPAP2_004);
    }
    contract_count(finding.rule);
    if (lists && op->frame_first > 0 && !begins) {
        contract_count(RULE_MAPAP2_007);
    }
    if (seen->wrong == 0) {
        return;
    }
    dxgk_explain_calls(op, calls, sizeof calls);
    contract_breach(&finding,
                    lists ? "page OffsetInPages + i of the segment leads to page AdlOffset + i of "
                            "Adl, of either form"
                          : "page OffsetInPages + i of the segment leads to page MdlOffset + i",
                    "after %s of %zu pages at page %" PRIu64 " of segment %u, %" PRIu64
                    " pages are wrong in the device: page %" PRIu64
                    " of them leads %s, and %s has 0x%" PRIX64 " there; %s is %zu%s%s%s",
                    lists ? "MapApertureSegment2" : "MapApertureSegment", op->aperture.page_count,
                    op->aperture.page_first, op->aperture.segment, seen->wrong, seen->first,
                    where_text(seen, where), lists ? "Adl" : "the MDL", wanted,
                    lists ? "AdlOffset" : "MdlOffset", op->frame_first,
                    begins ? ", and the page leads where it would if that were 0" : "",
                    dxgk_lost_word(adapter, lost), calls);
}

static void judge_unmap(const struct vidmm_op *op, const struct seen *seen, uint32_t object)
{
    const struct contract_finding finding = {
        .rule = CONTRACT_JUDGES(UNMAPAP_003), .object = object, .advice = seen->stale == 0};
    char where[WHERE_BYTES], calls[DXGK_CALLS_MAX];

    contract_count(RULE_UNMAPAP_003);
    if (seen->wrong == 0) {
        return;
    }
    dxgk_explain_calls(op, calls, sizeof calls);
    contract_breach(
        &finding, "each page of the range leads to the dummy page",
        "after UnmapApertureSegment of %zu pages at page %" PRIu64 " of segment %u, %" PRIu64
        " pages do not lead to DummyPage in the device: page %" PRIu64 " of them leads %s%s%s",
        op->aperture.page_count, op->aperture.page_first, op->aperture.segment, seen->wrong,
        seen->first, where_text(seen, where),
        seen->stale ? ", where it led before: that memory becomes somebody else's" : "", calls);
}

/* ---- What the device shows ------------------------------------------------------------------- */

static bool is_looked_at(const struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    return (op->kind == VIDMM_OP_MAP_APERTURE || op->kind == VIDMM_OP_UNMAP_APERTURE) &&
           op->frames && !op->revoked && !dxgk_gart_maps(adapter, op) &&
           adapter->options.shadow_content && adapter->state == DXGK_ADAPTER_RUNNING &&
           adapter->presence == DXGK_THERE &&
           !dxgk_adapter_stands_still(adapter); /* what reaches it does nothing */
}

static struct aperture_place place_of_first(struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    const struct vidmm_segment_options *segment =
        vidmm_segment(adapter->vidmm, op->aperture.segment);
    uint64_t address = segment->base_address + op->aperture.page_first * MACHINE_PAGE_SIZE;
    struct aperture_place place = {.known = true};

    place.leads = pci_look_up(adapter->ddi.slot, address, &place.physical);
    return place;
}

void dxgk_aperture_before(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    if (!adapter->paging.shows_aperture && is_looked_at(adapter, operation->op)) {
        operation->before = place_of_first(adapter, operation->op);
    }
}

/* The addresses that the driver gave the segment may mean nothing to the device: it shows its
 * aperture there if a page led where it should once, or elsewhere after an operation than before.
 */
static bool shows_aperture(struct dxgk_adapter *adapter, const struct paging_operation *operation,
                           const struct seen *seen)
{
    const struct aperture_place *before = &operation->before;

    if (!adapter->paging.shows_aperture && operation->op->kind == VIDMM_OP_MAP_APERTURE) {
        struct aperture_place now = place_of_first(adapter, operation->op);
        bool changed = before->known && (now.leads != before->leads ||
                                         (now.leads && now.physical != before->physical));
        adapter->paging.shows_aperture = seen->right > 0 || changed;
    }
    return adapter->paging.shows_aperture;
}

void dxgk_aperture_look(struct dxgk_adapter *adapter, const struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;
    const struct dxgk_allocation *allocation = dxgk_paging_allocation(op);
    uint32_t object = allocation ? allocation->object : 0;
    struct seen seen;

    if (op->kind == VIDMM_OP_UNMAP_APERTURE) {
        dxgk_watch_dummy(adapter);
    }
    if (!is_looked_at(adapter, op) || operation->status != STATUS_SUCCESS) {
        return;
    }
    look(adapter, op, &seen);
    if (!shows_aperture(adapter, operation, &seen)) {
        return;
    }
    if (op->kind == VIDMM_OP_MAP_APERTURE) {
        judge_map(adapter, op, &seen, object);
    } else {
        judge_unmap(op, &seen, object);
    }
}
