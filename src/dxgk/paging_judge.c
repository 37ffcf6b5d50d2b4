/* Paging by GPU virtual address that went wrong: whose mistake was it? The page tables are the
 * driver's to write, and so are the commands that go through them, and what a TLB knows is the
 * driver's to end. What is seen is a page fault, or wrong bytes.
 *
 *     an address shows what the kernel said, and showed something else before    FlushTlb
 *     it shows what the kernel said, and never showed anything else              UpdatePageTable
 *     it shows nothing, and nobody named it                                      the command
 *
 * What was said the contract's tracker knows, from the calls that the driver got. */
#include "dxgk/context_memory.h"
#include "dxgk/gart.h"
#include "dxgk/hwqueue.h"
#include "dxgk/leads.h"
#include "dxgk/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BUGCHECK_SCHEDULER = 0x119, OF_A_PAGING_FAULT = 5 };

#define COMPARED_BYTES 64u

#define EXPECTED_FLUSH  "nothing that was cached of an address before FlushTlb is used after it"
#define EXPECTED_ENTRY  "every address reaches the page that its entry of UpdatePageTable names"
#define EXPECTED_OFFSET "AllocationOffsetInBytes is in the addresses already"
#define EXPECTED_NOTICE "OffsetInBytes is in GpuVirtualAddressAtOffset already"

/* ---- What an operation left ------------------------------------------------------------------ */

void dxgk_paging_beside(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    if (!list_empty(&adapter->paging.running)) { /* of those before the last it is known */
        container_of(adapter->paging.running.prev, struct paging_operation, link)->overlapped =
            true;
        operation->overlapped = true;
    }
}

static bool is_of_aperture(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_MAP_APERTURE || op->kind == VIDMM_OP_UNMAP_APERTURE;
}

/* Another that has not ended, and may have changed the same pages of the aperture since. */
static bool is_disputed(struct dxgk_adapter *adapter, const struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;

    if (!operation->overlapped || !is_of_aperture(op)) {
        return false;
    }
    list_for_each (link, &adapter->paging.running) {
        const struct paging_operation *other = container_of(link, struct paging_operation, link);
        if (other != operation && is_of_aperture(other->op) &&
            other->op->aperture.segment == op->aperture.segment &&
            other->op->aperture.page_first < op->aperture.page_first + op->aperture.page_count &&
            op->aperture.page_first <
                other->op->aperture.page_first + other->op->aperture.page_count) {
            return true;
        }
    }
    return false;
}

void dxgk_paging_look(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    if (!is_disputed(adapter, operation)) {
        dxgk_aperture_look(adapter, operation);
    }
    dxgk_gart_look(adapter, operation);
    dxgk_copied_look(adapter, operation);
    dxgk_context_memory_look(adapter, operation);
    if (NT_SUCCESS(operation->status)) {
        dxgk_leads_note(adapter, operation->op);
    }
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* What the node was at. NULL: nothing of paging. What faulted is known by its fence, or, if the
 * driver does not know it, as the oldest there; a client's is no matter here. */
static struct dxgk_packet *faulted_packet(struct dxgk_adapter *adapter, unsigned node)
{
    const struct dxgk_fault *fault = &adapter->engines[node].fault;
    bool of_queue = fault->queue != NULL;
    uint32_t fence = fault->fence;

    if (fault->device != 0 ||
        (of_queue && dxgk_hwqueue_named(adapter, fault->queue) != adapter->paging.queue) ||
        (!of_queue && !fault->has_fence && !vidsch_oldest_fence(&adapter->vidsch, node, &fence))) {
        return NULL;
    }
    list_for_each (link, &adapter->packets) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        bool queued = packet->vidsch.kind == VIDSCH_PACKET_HW_QUEUE;
        bool is_it = queued ? !fault->has_fence || (uint32_t)packet->vidsch.progress_id == fence
                            : packet->vidsch.fence_id == fence;
        if (packet->flags.Paging && packet->vidsch.submitted && packet->context->node == node &&
            queued == of_queue && is_it) {
            return packet;
        }
    }
    return NULL;
}

static bool is_inside(uint64_t address, uint64_t first, uint64_t bytes)
{
    return address >= first && address - first < bytes;
}

/* The addresses that the operation gave its driver, `shift` further on. */
static bool operation_names(const struct vidmm_op *op, uint64_t address, uint64_t shift)
{
    if (op->kind == VIDMM_OP_VIRTUAL_FILL) {
        return is_inside(address, op->fill.destination_address + shift, op->fill.size_bytes);
    }
    if (op->kind == VIDMM_OP_NOTIFY_EVICTION) {
        return is_inside(address, op->notice.address + shift, op->notice.size_bytes);
    }
    return op->kind == VIDMM_OP_VIRTUAL_TRANSFER &&
           (is_inside(address, op->move.source_address + shift, op->move.size_bytes) ||
            is_inside(address, op->move.destination_address + shift, op->move.size_bytes));
}

static uint64_t offset_of(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_VIRTUAL_FILL       ? op->fill.offset
           : op->kind == VIDMM_OP_VIRTUAL_TRANSFER ? op->move.offset
           : op->kind == VIDMM_OP_NOTIFY_EVICTION  ? op->notice.offset
                                                   : 0;
}

/* Which addresses the driver was given, for the end of a sentence. */
static void say_addresses(const struct vidmm_op *op, char *text, size_t size)
{
    text[0] = '\0';
    if (op->kind == VIDMM_OP_VIRTUAL_TRANSFER) {
        snprintf(text, size, " of 0x%" PRIX64 " bytes from 0x%" PRIX64 " to 0x%" PRIX64,
                 op->move.size_bytes, op->move.source_address, op->move.destination_address);
    } else if (op->kind == VIDMM_OP_VIRTUAL_FILL) {
        snprintf(text, size, " of 0x%" PRIX64 " bytes at 0x%" PRIX64, op->fill.size_bytes,
                 op->fill.destination_address);
    } else if (op->kind == VIDMM_OP_NOTIFY_EVICTION) {
        snprintf(text, size, " of 0x%" PRIX64 " bytes at 0x%" PRIX64, op->notice.size_bytes,
                 op->notice.address);
    }
}

/* Most that have a TLB end its knowledge by a command. */
#define NEVER_FLUSHED "; no FlushTlb has written a command so far"

struct verdict {
    enum contract_rule rule;
    const char *expected;
    char what[256];
};

/* The page is there, and may be used so. What a TLB knows of before gives no fault, but where a
 * page could only be read. */
static void judge_mapped(const struct contract_page *page, bool write, struct verdict *verdict)
{
    if (page->was_valid && page->was_read_only && (write || page->never_flushed)) {
        verdict->rule = CONTRACT_JUDGES(TLB_002);
        verdict->expected = EXPECTED_FLUSH;
        snprintf(verdict->what, sizeof verdict->what,
                 "the address shows page 0x%" PRIX64 " of segment %u since UpdatePageTable and "
                 "FlushTlb; before it showed page 0x%" PRIX64 " of segment %u, read only%s",
                 page->page, page->segment, page->was_page, page->was_segment,
                 page->never_flushed ? NEVER_FLUSHED : "");
        return;
    }
    verdict->rule = CONTRACT_JUDGES(UPT_006);
    verdict->expected = EXPECTED_ENTRY;
    snprintf(verdict->what, sizeof verdict->what,
             "UpdatePageTable gave an entry for the address: page 0x%" PRIX64 " of segment %u%s%s",
             page->page, page->segment, page->read_only ? ", read only" : "",
             page->never_flushed ? NEVER_FLUSHED : "");
}

static enum contract_rule rule_of_addresses(const struct vidmm_op *op)
{
    switch (op->kind) {
    case VIDMM_OP_VIRTUAL_FILL:
        return CONTRACT_JUDGES(VFILL_003);
    case VIDMM_OP_NOTIFY_EVICTION:
        return CONTRACT_JUDGES(NALLOC_008);
    default:
        return CONTRACT_JUDGES(XFER_020);
    }
}

static void judge_command(const struct vidmm_op *op, const struct contract_page *page,
                          uint64_t address, struct verdict *verdict)
{
    bool notice = op->kind == VIDMM_OP_NOTIFY_EVICTION;
    const char *member = notice ? "OffsetInBytes" : "AllocationOffsetInBytes";
    uint64_t offset = offset_of(op);

    verdict->rule = rule_of_addresses(op);
    verdict->expected = "commands that use the addresses which the operation gives";
    if (offset != 0 && operation_names(op, address, offset) && !operation_names(op, address, 0)) {
        verdict->rule = notice ? verdict->rule : CONTRACT_JUDGES(VXFER_003);
        verdict->expected = notice ? EXPECTED_NOTICE : EXPECTED_OFFSET;
        snprintf(verdict->what, sizeof verdict->what,
                 "it is one that was given, and %s 0x%" PRIX64 " more", member, offset);
    } else if (!page->valid && operation_names(op, address, 0)) { /* it was shown for this */
        verdict->rule = CONTRACT_JUDGES(UPT_006);
        verdict->expected = EXPECTED_ENTRY;
        snprintf(verdict->what, sizeof verdict->what,
                 "UpdatePageTable showed a page there, and one that was built since takes it back: "
                 "the entry was not written when the command ran, or parts of paging buffers ran "
                 "in another order, twice or not at all");
    } else {
        snprintf(verdict->what, sizeof verdict->what,
                 page->valid ? "the address is there to be read, and a command writes to it"
                             : "no entry that UpdatePageTable gave shows the address");
    }
}

/* A device that tells its roots, and has that of the paging process nowhere, looked in another's
 * tables. */
static const char *root_is_elsewhere(struct dxgk_adapter *adapter)
{
    struct dxgk_leads_spaces found = {.count = 0};

    if (dxgk_leads_may_ask(adapter)) {
        dxgk_leads_find(adapter, &adapter->system_space, &found);
    }
    return found.any && found.count == 0
               ? "; the device works by no root table that is the paging process's: each "
                 "submission "
                 "goes by the one that SetRootPageTable named for its own context"
               : "";
}

void dxgk_paging_judge_fault(struct dxgk_adapter *adapter, unsigned node)
{
    struct dxgk_packet *packet = faulted_packet(adapter, node);
    const struct dxgk_fault *fault = &adapter->engines[node].fault;
    struct contract_page page;
    struct verdict verdict;
    char addresses[120], since[120];

    if (!dxgk_leads_fault(adapter, node) || !packet || adapter->reset_forced /* nobody faulted */ ||
        dxgk_adapter_stands_still(adapter)) {
        return;
    }
    if (fault->error_is_devices || !adapter->mmu.pages) { /* no address is to blame */
        dxgk_hear_device(adapter);
        if (dxgk_device_complains(adapter, packet) || !adapter->mmu.pages) {
            return;
        }
    }
    const struct vidmm_op *op = packet->paging.operation->op;
    const struct dxgk_allocation *allocation = dxgk_paging_allocation(op);
    contract_paging_page(adapter->ddi.tracker, fault->address, &page);
    if (page.valid && !(fault->write && page.read_only)) {
        judge_mapped(&page, fault->write, &verdict);
    } else {
        judge_command(op, &page, fault->address, &verdict);
    }
    say_addresses(op, addresses, sizeof addresses);
    dxgk_clue_of_begin(adapter, node, since,
                       sizeof since); /* tables may have gone with the power */
    contract_breach(
        &(struct contract_finding){
            .rule = verdict.rule,
            .object = allocation ? allocation->object : 0,
            .bugcheck = BUGCHECK_SCHEDULER,
            .bugcheck_arguments = {OF_A_PAGING_FAULT, packet->vidsch.fence_id, fault->address}},
        verdict.expected,
        "the GPU faulted in the paging process, in the commands for %s%s: a %s at 0x%" PRIX64
        "; %s%s%s",
        vidmm_op_name(op->kind), addresses, fault->write ? "write" : "read", fault->address,
        verdict.what, since, root_is_elsewhere(adapter));
}

/* ---- Wrong bytes ----------------------------------------------------------------------------- */

/* The bytes at an offset of a page, behind the GPU's back. The parameters are a place and a buffer.
 */
static bool read_page(struct vidmm *vidmm, unsigned segment, uint64_t page, uint64_t offset,
                      uint8_t *bytes)
{
    uint64_t at = (page << MACHINE_PAGE_SHIFT) + offset;
    const void *memory = segment == 0 ? ram_at(at, COMPARED_BYTES)
                         : vidmm_segment(vidmm, segment)
                             ? dxgk_vidmm_backend.segment_bytes(vidmm, segment, at, COMPARED_BYTES)
                             : NULL;

    if (memory) {
        memcpy(bytes, memory, COMPARED_BYTES);
    }
    return memory != NULL;
}

/* May it be told by these bytes where they went? A pattern stands in many places: it says something
 * where the operation went wrong from its first page on, and zeros say nothing. */
static bool can_be_told(const struct vidmm_mismatch *mismatch, const uint8_t *bytes)
{
    bool any = false;

    for (unsigned i = 0; i < COMPARED_BYTES; i++) {
        any |= bytes[i] != 0;
    }
    return (any && mismatch->first < MACHINE_PAGE_SIZE) ||
           vidmm_telling_window(bytes, COMPARED_BYTES, 0);
}

/* Do these bytes stand where the address led before? */
static bool stand_where_it_led(struct dxgk_adapter *adapter, uint64_t address, const uint8_t *bytes)
{
    uint8_t there[COMPARED_BYTES];
    struct contract_page page;

    contract_paging_page(adapter->ddi.tracker, address, &page);
    return page.was_valid && (page.was_segment != page.segment || page.was_page != page.page) &&
           read_page(adapter->vidmm, page.was_segment, page.was_page, address % MACHINE_PAGE_SIZE,
                     there) &&
           memcmp(there, bytes, COMPARED_BYTES) == 0;
}

enum contract_rule dxgk_paging_judge_bytes(struct dxgk_adapter *adapter,
                                           const struct vidmm_mismatch *mismatch,
                                           const char **expected)
{
    const struct vidmm_op *op = mismatch->op;
    bool fill = op->kind == VIDMM_OP_VIRTUAL_FILL;
    uint64_t at = mismatch->first < mismatch->size_bytes - COMPARED_BYTES
                      ? mismatch->first
                      : mismatch->size_bytes - COMPARED_BYTES; /* pieces are whole pages */
    uint64_t to = (fill ? op->fill.destination_address : op->move.destination_address) + at;

    if (at % MACHINE_PAGE_SIZE > MACHINE_PAGE_SIZE - COMPARED_BYTES) {
        at -= COMPARED_BYTES;
        to -= COMPARED_BYTES;
    }
    if ((can_be_told(mismatch, mismatch->expected_bytes + at) &&
         stand_where_it_led(adapter, to, mismatch->expected_bytes + at)) ||
        (!fill && can_be_told(mismatch, mismatch->actual_bytes + at) &&
         stand_where_it_led(adapter, op->move.source_address + at, mismatch->actual_bytes + at))) {
        *expected = EXPECTED_FLUSH;
        return CONTRACT_JUDGES(TLB_002);
    }
    if (fill) {
        return CONTRACT_JUDGES(VFILL_003);
    }
    struct vidmm_wrong wrong = vidmm_mismatch_look(mismatch);
    if (wrong.kind == VIDMM_WRONG_SHIFTED && op->move.offset != 0 &&
        (wrong.shift == (int64_t)op->move.offset || wrong.shift == -(int64_t)op->move.offset)) {
        *expected = EXPECTED_OFFSET;
        return CONTRACT_JUDGES(VXFER_003);
    }
    if (dxgk_explain_elsewhere(mismatch)) {
        *expected = EXPECTED_ENTRY;
        return CONTRACT_JUDGES(UPT_006);
    }
    return CONTRACT_JUDGES(XFER_020);
}

const char *dxgk_paging_judge_clue(struct dxgk_adapter *adapter,
                                   const struct vidmm_mismatch *mismatch)
{
    const struct vidmm_op *op = mismatch->op;
    bool fill = op->kind == VIDMM_OP_VIRTUAL_FILL;
    struct contract_page to, from = {0};

    if (!fill && op->kind != VIDMM_OP_VIRTUAL_TRANSFER) {
        return "";
    }
    contract_paging_page(adapter->ddi.tracker,
                         fill ? op->fill.destination_address : op->move.destination_address, &to);
    if (!fill) {
        contract_paging_page(adapter->ddi.tracker, op->move.source_address, &from);
    }
    return to.never_flushed && (to.was_valid || from.was_valid) ? NEVER_FLUSHED : "";
}
