/* The CPU host aperture [CHA]. */
#include "dxgk/host_aperture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dxgk/context_memory.h"

#define TABLES_PART   4 /* of an aperture is kept for page tables, which stay */
#define TURNS         4 /* of so many mappings one goes downwards, one has its last page first */
#define STEP_AWAY_MAX 5 /* and each begins somewhere else */

struct aperture_segment {
    uint64_t physical, page_bytes;
    UINT page_count, free_count; /* 0: it has no aperture */
    UINT next;                   /* where to look for free ones */
    bool linear; /* its addresses are offsets in the device's memory: that was seen */
    bool *used;
};

/* What one view shows. */
struct mapping {
    struct list link;
    void *view;
    unsigned segment;
    UINT64 count;
    UINT32 *pages;    /* of the aperture */
    UINT64 *shown;    /* of the segment */
    uint64_t *frames; /* of the bus, of 4 KiB each */
    bool last_first;  /* the lists begin with the last page of the view */
    bool beside;      /* the driver was in another such call when it was told */
};

struct dxgk_host_aperture {
    struct aperture_segment segments[VIDMM_SEGMENT_COUNT_MAX];
    struct list mappings;
    unsigned begun, open; /* calls of the driver */
    struct list leaving;  /* let go above PASSIVE_LEVEL: the worker tells the driver */
    unsigned turns;
};

NTSTATUS dxgk_host_aperture_start(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->segment_count; i++) {
        const struct vidmm_segment_options *options = &adapter->segments[i];
        if (!(options->flags & VIDMM_SEGMENT_HOST_APERTURE)) {
            continue;
        }
        if (!adapter->host_aperture) {
            adapter->host_aperture = calloc(1, sizeof *adapter->host_aperture);
            if (!adapter->host_aperture) {
                return STATUS_NO_MEMORY;
            }
            list_init(&adapter->host_aperture->mappings);
            list_init(&adapter->host_aperture->leaving);
        }
        struct aperture_segment *segment = &adapter->host_aperture->segments[i];
        *segment = (struct aperture_segment){
            .physical = options->cpu_base_address,
            .page_bytes = dxgk_host_aperture_page_bytes(adapter->info.segments[i].flags),
            .page_count = adapter->info.segments[i].host_pages,
            .free_count = adapter->info.segments[i].host_pages,
            .used = calloc(adapter->info.segments[i].host_pages, sizeof *segment->used),
        };
        if (!segment->used) {
            return STATUS_NO_MEMORY;
        }
    }
    return STATUS_SUCCESS;
}

void dxgk_host_aperture_stop(struct dxgk_adapter *adapter)
{
    if (!adapter->host_aperture) {
        return;
    }
    dxgk_host_aperture_work(adapter);
    CHECK_THAT(list_empty(&adapter->host_aperture->mappings));
    for (unsigned i = 0; i < VIDMM_SEGMENT_COUNT_MAX; i++) {
        free(adapter->host_aperture->segments[i].used);
    }
    free(adapter->host_aperture);
    adapter->host_aperture = NULL;
}

/* ---- Pages ----------------------------------------------------------------------------------- */

/* Which element of the lists is a page of the view. */
static uint64_t element_of(const struct mapping *mapping, uint64_t page)
{
    return mapping->last_first ? mapping->count - 1 - page : page;
}

/* Free ones, wherever they are; there are enough. */
static void take_pages(struct dxgk_host_aperture *aperture, struct aperture_segment *segment,
                       struct mapping *mapping)
{
    UINT count = segment->page_count, at = segment->next;
    UINT step = aperture->turns % TURNS == TURNS - 1 ? count - 1 : 1;
    UINT64 first = mapping->shown[0];

    mapping->last_first = aperture->turns % TURNS == TURNS / 2;
    for (UINT64 i = 0; i < mapping->count; at = (at + step) % count) {
        if (!segment->used[at]) {
            segment->used[at] = true;
            mapping->shown[i] = first + element_of(mapping, i);
            mapping->pages[i++] = at;
        }
    }
    segment->free_count -= (UINT)mapping->count;
    segment->next = (at + ++aperture->turns % STEP_AWAY_MAX) % count;
}

static void free_mapping(struct dxgk_host_aperture *aperture, struct mapping *mapping)
{
    struct aperture_segment *segment = &aperture->segments[mapping->segment - 1];

    for (UINT64 i = 0; mapping->pages && i < mapping->count; i++) {
        segment->used[mapping->pages[i]] = false;
    }
    segment->free_count += mapping->pages ? (UINT)mapping->count : 0;
    nt_memory_free(mapping->pages);
    nt_memory_free(mapping->shown);
    free(mapping->frames);
    free(mapping);
}

/* NULL: no room. Pages of 64 KiB may show more than was asked for, at both ends. */
static struct mapping *make_mapping(struct dxgk_host_aperture *aperture,
                                    const struct vidmm_location *place, uint64_t size_bytes,
                                    bool of_table)
{
    struct aperture_segment *segment = &aperture->segments[place->segment - 1];
    uint64_t first = place->offset / segment->page_bytes;
    uint64_t end = align_up(place->offset + size_bytes, segment->page_bytes) / segment->page_bytes;
    uint64_t count = end - first, kept = of_table ? 0 : segment->page_count / TABLES_PART;
    uint64_t frames_each = segment->page_bytes / MACHINE_PAGE_SIZE;

    if (count + kept > segment->free_count) {
        return NULL;
    }
    struct mapping *mapping = calloc(1, sizeof *mapping);
    if (!mapping) {
        return NULL;
    }
    mapping->segment = place->segment;
    mapping->count = count;
    mapping->frames = calloc(count * frames_each, sizeof *mapping->frames);
    mapping->shown = nt_memory_hand(count * sizeof *mapping->shown, "pMemorySegmentPages");
    UINT32 *pages = nt_memory_hand(count * sizeof *pages, "pCpuHostAperturePages");
    if (!mapping->frames || !mapping->shown || !pages) {
        nt_memory_free(pages);
        free_mapping(aperture, mapping);
        return NULL;
    }
    mapping->pages = pages;
    mapping->shown[0] = first;
    take_pages(aperture, segment, mapping);
    for (uint64_t i = 0; i < count * frames_each; i++) {
        uint64_t page = pages[element_of(mapping, i / frames_each)];
        mapping->frames[i] = (segment->physical + page * segment->page_bytes +
                              i % frames_each * MACHINE_PAGE_SIZE) >>
                             MACHINE_PAGE_SHIFT;
    }
    return mapping;
}

/* ---- What the device shows ------------------------------------------------------------------- */

/* Where in the device's memory the byte of the segment would be. */
static uint64_t wanted(const struct dxgk_adapter *adapter, const struct mapping *mapping,
                       uint64_t frame)
{
    const struct aperture_segment *segment =
        &adapter->host_aperture->segments[mapping->segment - 1];
    uint64_t each = segment->page_bytes / MACHINE_PAGE_SIZE;

    return adapter->segments[mapping->segment - 1].base_address +
           mapping->shown[element_of(mapping, frame / each)] * segment->page_bytes +
           frame % each * MACHINE_PAGE_SIZE;
}

/* `call`: the one that brought the device back since; NULL: none. */
static void say_wrong(const struct dxgk_adapter *adapter, const struct mapping *mapping,
                      uint64_t frame, uint32_t object, const char *call) /* what, whose, when */
{
    uint64_t each =
        adapter->host_aperture->segments[mapping->segment - 1].page_bytes / MACHINE_PAGE_SIZE;
    uint64_t at = 0, physical = mapping->frames[frame] << MACHINE_PAGE_SHIFT;
    uint64_t k = element_of(mapping, frame / each);
    char where[64] = "nothing";

    if (pci_bar_shows(physical, &at)) {
        snprintf(where, sizeof where, "0x%" PRIX64 " of the device's memory, not 0x%" PRIX64, at,
                 wanted(adapter, mapping, frame));
    }
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(CHA_003),
                                               .object = object,
                                               .ddi = call,
                                               .advice = call != NULL},
                    "page pCpuHostAperturePages[k] of the aperture shows page "
                    "pMemorySegmentPages[k] of the segment",
                    "after MapCpuHostAperture of %llu pages of segment %u%s%s: page %u of the "
                    "aperture, at 0x%" PRIX64 " (k = %" PRIu64 "), which should show page 0x%llX, "
                    "shows %s%s",
                    (unsigned long long)mapping->count, mapping->segment,
                    call ? ", which it showed then, and " : "", call ? call : "", mapping->pages[k],
                    physical, k, (unsigned long long)mapping->shown[k], where,
                    !call && mapping->beside
                        ? "; the driver was in another call of MapCpuHostAperture or "
                          "UnmapCpuHostAperture meanwhile: what both write, as a register that "
                          "says of which page the next one is, takes a lock"
                        : "");
}

/* Are the segment's addresses the device's own? One page that is where it belongs says so. */
static void learn(struct dxgk_adapter *adapter, const struct mapping *mapping)
{
    struct aperture_segment *segment = &adapter->host_aperture->segments[mapping->segment - 1];
    uint64_t count = mapping->count * (segment->page_bytes / MACHINE_PAGE_SIZE), at;

    for (uint64_t i = 0; i < count && !segment->linear; i++) {
        segment->linear = pci_bar_shows(mapping->frames[i] << MACHINE_PAGE_SHIFT, &at) &&
                          at == wanted(adapter, mapping, i);
    }
}

/* By where its pages lead: nothing is wrong always, another place once it was seen that the
 * segment's addresses are the device's own. */
static bool leads_there(struct dxgk_adapter *adapter, const struct mapping *mapping,
                        uint32_t object)
{
    struct aperture_segment *segment = &adapter->host_aperture->segments[mapping->segment - 1];
    uint64_t count = mapping->count * (segment->page_bytes / MACHINE_PAGE_SIZE), at;

    for (uint64_t i = 0; i < count; i++) {
        bool shows = pci_bar_shows(mapping->frames[i] << MACHINE_PAGE_SHIFT, &at);
        if (!shows || (segment->linear && at != wanted(adapter, mapping, i))) {
            say_wrong(adapter, mapping, i, object, NULL);
            return false;
        }
    }
    return true;
}

/* What is mapped was seen to lead there when it was [CHA-003]; what is of no allocation, tables of
 * the paging process, is kept through it. */
void dxgk_host_aperture_look_again(const struct dxgk_adapter *adapter, const char *call)
{
    if (!adapter->host_aperture || adapter->presence != DXGK_THERE) {
        return;
    }
    list_for_each (link, &adapter->host_aperture->mappings) {
        const struct mapping *mapping = container_of(link, struct mapping, link);
        const struct aperture_segment *segment =
            &adapter->host_aperture->segments[mapping->segment - 1];
        uint64_t count = mapping->count * (segment->page_bytes / MACHINE_PAGE_SIZE), at;
        for (uint64_t i = 0; segment->linear && i < count; i++) {
            contract_count(RULE_CHA_003);
            if (!pci_bar_shows(mapping->frames[i] << MACHINE_PAGE_SHIFT, &at) ||
                at != wanted(adapter, mapping, i)) {
                say_wrong(adapter, mapping, i, 0, call);
                return;
            }
        }
    }
}

/* By the bytes, where nobody knows where pages lead: what came into the segment and was not written
 * since is what its backing store has. */
static void judge_bytes(const struct vidmm_allocation *allocation, const struct mapping *mapping,
                        const uint8_t *bytes)
{
    size_t first = (size_t)(bytes - (const uint8_t *)mapping->view) / MACHINE_PAGE_SIZE;

    for (size_t i = 0; i < allocation->size_bytes / MACHINE_PAGE_SIZE; i++) {
        const uint8_t *right =
            ram_at(allocation->frames[i] << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE);
        if (memcmp(bytes + i * MACHINE_PAGE_SIZE, right, MACHINE_PAGE_SIZE) != 0) {
            contract_breach(
                &(struct contract_finding){.rule = CONTRACT_JUDGES(CHA_003),
                                           .object = allocation->object},
                "the allocation's bytes, through the aperture as in the segment",
                "what the CPU sees of page %zu of an allocation of %llu bytes, through the CPU "
                "host aperture at 0x%" PRIX64 ", is not what was paged in, and nobody wrote to it "
                "since; MapCpuHostAperture had %llu pages, from page 0x%llX of segment %u on",
                i, (unsigned long long)allocation->size_bytes,
                mapping->frames[first + i] << MACHINE_PAGE_SHIFT,
                (unsigned long long)mapping->count,
                (unsigned long long)mapping->shown[element_of(mapping, 0)], mapping->segment);
            return;
        }
    }
}

static void judge(struct dxgk_adapter *adapter, const struct vidmm_allocation *allocation,
                  const struct mapping *mapping, const uint8_t *bytes)
{
    uint32_t object = allocation ? allocation->object : 0;

    if (adapter->presence != DXGK_THERE) {
        return;
    }
    learn(adapter, mapping); /* the first ones are made before it runs */
    if (adapter->state != DXGK_ADAPTER_RUNNING) {
        return; /* a reset takes what is there */
    }
    contract_count(RULE_CHA_003);
    if (leads_there(adapter, mapping, object) &&
        !adapter->host_aperture->segments[mapping->segment - 1].linear && allocation &&
        allocation->view_known && allocation->frames) {
        judge_bytes(allocation, mapping, bytes);
    }
}

const void *dxgk_host_aperture_behind(const struct dxgk_adapter *adapter, unsigned segment,
                                      uint64_t offset, size_t size_bytes)
{
    return adapter->host_aperture && adapter->host_aperture->segments[segment - 1].linear
               ? pci_bar_behind(adapter->segments[segment - 1].cpu_base_address,
                                adapter->segments[segment - 1].base_address + offset, size_bytes)
               : NULL;
}

/* ---- Mapping --------------------------------------------------------------------------------- */

static HANDLE handle_of(const struct vidmm_allocation *allocation)
{
    if (!allocation) {
        return NULL;
    }
    return allocation->flags & VIDMM_ALLOCATION_CONTEXT
               ? container_of(allocation, struct dxgk_context_memory, memory)->driver_handle
               : container_of(allocation, struct dxgk_allocation, memory)->driver_handle;
}

/* A driver that leaves its table as it was shows the next owner of the memory to whoever comes to
 * the page [CHA-009]. What a BAR shows by itself is no entry of a table. */
static void judge_unmapped(const struct dxgk_adapter *adapter, const struct mapping *mapping)
{
    const struct aperture_segment *segment =
        &adapter->host_aperture->segments[mapping->segment - 1];
    uint64_t count = mapping->count * (segment->page_bytes / MACHINE_PAGE_SIZE), left = 0, at;
    uint64_t first = 0;

    if (!segment->linear || adapter->presence != DXGK_THERE ||
        adapter->state != DXGK_ADAPTER_RUNNING) {
        return;
    }
    contract_count(RULE_CHA_009);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t physical = mapping->frames[i] << MACHINE_PAGE_SHIFT;
        if (pci_bar_shows(physical, &at) && at == wanted(adapter, mapping, i) &&
            at != physical - segment->physical && left++ == 0) {
            first = i;
        }
    }
    if (left) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(CHA_009), .advice = true},
            "pages of the aperture that show nothing of the segment any more",
            "after UnmapCpuHostAperture of %llu pages of segment %u %llu of 4 KiB show "
            "what they showed: that at 0x%" PRIX64 " still 0x%" PRIX64
            " of the device's memory, which becomes another allocation's",
            (unsigned long long)mapping->count, mapping->segment, (unsigned long long)left,
            mapping->frames[first] << MACHINE_PAGE_SHIFT, wanted(adapter, mapping, first));
    }
}

static void tell_unmapped(struct dxgk_adapter *adapter, const struct mapping *mapping)
{
    const DXGKARG_UNMAPCPUHOSTAPERTURE arguments = {
        .NumberOfPages = mapping->count,
        .pCpuHostAperturePages = mapping->pages,
        .SegmentId = (WORD)mapping->segment,
    };

    if (adapter->presence < DXGK_TOLD) {
        adapter->host_aperture->begun++;
        adapter->host_aperture->open++;
        (void)ddi_unmap_cpu_host_aperture(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                          0); /* a failure stops [CHA-001] */
        adapter->host_aperture->open--;
        judge_unmapped(adapter, mapping);
    }
}

static NTSTATUS tell_mapped(struct dxgk_adapter *adapter, const struct vidmm_allocation *allocation,
                            struct mapping *mapping)
{
    struct dxgk_host_aperture *aperture = adapter->host_aperture;
    const DXGKARG_MAPCPUHOSTAPERTURE arguments = {
        .hAllocation = handle_of(allocation),
        .SegmentId = (WORD)mapping->segment,
        .NumberOfPages = mapping->count,
        .pCpuHostAperturePages = mapping->pages,
        .pMemorySegmentPages = mapping->shown,
    };

    if (adapter->presence >= DXGK_TOLD) {
        return STATUS_DEVICE_REMOVED;
    }
    const unsigned begun = ++aperture->begun;
    mapping->beside = aperture->open++ > 0;
    NTSTATUS status = ddi_map_cpu_host_aperture(&adapter->ddi, adapter->ddi.miniport_context,
                                                &arguments, allocation ? allocation->object : 0);
    aperture->open--;
    mapping->beside |= aperture->begun != begun;
    return status;
}

void *dxgk_host_aperture_map(struct dxgk_adapter *adapter,
                             const struct vidmm_allocation *allocation,
                             const struct vidmm_location *place, size_t size_bytes)
{
    struct dxgk_host_aperture *aperture = adapter->host_aperture;
    struct mapping *mapping = make_mapping(aperture, place, size_bytes, !allocation);

    if (!mapping) {
        return NULL;
    }
    const struct aperture_segment *segment = &aperture->segments[place->segment - 1];
    NTSTATUS status = tell_mapped(adapter, allocation, mapping);
    if (NT_SUCCESS(status)) {
        mapping->view = ram_map_frames(
            mapping->frames, mapping->count * (segment->page_bytes / MACHINE_PAGE_SIZE), true);
        if (!mapping->view) {
            tell_unmapped(adapter, mapping);
        }
    }
    if (!mapping->view) {
        free_mapping(aperture, mapping);
        return NULL;
    }
    list_push_back(&aperture->mappings, &mapping->link);
    uint8_t *bytes = (uint8_t *)mapping->view + place->offset % segment->page_bytes;
    judge(adapter, allocation, mapping, bytes);
    record_count("memory.host_aperture_pages", mapping->count);
    return bytes;
}

static void end_mapping(struct dxgk_adapter *adapter, struct mapping *mapping)
{
    const struct aperture_segment *segment =
        &adapter->host_aperture->segments[mapping->segment - 1];

    list_remove(&mapping->link);
    ram_unmap_frames(mapping->view, mapping->count * (segment->page_bytes / MACHINE_PAGE_SIZE));
    tell_unmapped(adapter, mapping);
    free_mapping(adapter->host_aperture, mapping);
}

void dxgk_host_aperture_unmap(struct dxgk_adapter *adapter, const struct vidmm_location *place,
                              void *view)
{
    const struct aperture_segment *segment = &adapter->host_aperture->segments[place->segment - 1];
    void *begin = (uint8_t *)view - place->offset % segment->page_bytes;

    list_for_each (link, &adapter->host_aperture->mappings) {
        struct mapping *mapping = container_of(link, struct mapping, link);
        if (mapping->view != begin) {
            continue;
        }
        if (irql_current() == MACHINE_IRQL_PASSIVE) {
            end_mapping(adapter, mapping);
        } else { /* a table that a flush was waited for goes where the flush is told */
            list_remove(&mapping->link);
            list_push_back(&adapter->host_aperture->leaving, &mapping->link);
            dxgk_worker_kick(adapter);
        }
        return;
    }
    CHECK_THAT(false);
}

void dxgk_host_aperture_work(struct dxgk_adapter *adapter)
{
    while (adapter->host_aperture && !list_empty(&adapter->host_aperture->leaving)) {
        end_mapping(adapter,
                    container_of(adapter->host_aperture->leaving.next, struct mapping, link));
    }
}
