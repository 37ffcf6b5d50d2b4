/* Does the device go by the root tables that SetRootPageTable named? Nobody says when a driver has
 * to program one: that is looked at when work of a context has ended, or has faulted. */
#include <inttypes.h>

#include "dxgk/hwqueue_parts.h"
#include "dxgk/leads.h"
#include "dxgk/work.h"

void dxgk_leads_root(struct dxgk_space *space)
{
    struct dxgk_adapter *adapter = space->adapter;
    struct dxgk_leads_spaces found;

    space->root_told = true;
    if (dxgk_leads_may_ask(adapter)) {
        dxgk_leads_find(adapter, space, &found);
        adapter->mmu.leads.shows_roots |= found.count > 0;
    }
}

static struct dxgk_space *space_of(const struct dxgk_packet *packet)
{
    const struct dxgk_device *device = packet->context->device;

    return device->process ? &device->process->space : &packet->adapter->system_space;
}

static bool is_named(const struct dxgk_packet *packet, const struct dxgk_fault *fault)
{
    if (packet->vidsch.kind == VIDSCH_PACKET_HW_QUEUE) {
        const struct dxgk_hwqueue *queue = dxgk_hwqueue_named(packet->adapter, fault->queue);
        return queue && &queue->base == packet->context &&
               (uint32_t)packet->vidsch.progress_id == fault->fence;
    }
    return !fault->queue && packet->vidsch.fence_id == fault->fence;
}

/* A device that has the root of what an engine works at, and no other, has that of the packet: of
 * one that has ended as long as nothing else was given to its node, which the engine may be at by
 * now; of one that faulted if the driver named it, or all that its node was given is of its
 * space. */
static bool is_at(const struct dxgk_packet *packet, bool faulted)
{
    const struct dxgk_adapter *adapter = packet->adapter;
    unsigned node = packet->context->node;
    const struct dxgk_fault *fault = &adapter->engines[node].fault;

    if (faulted && fault->has_fence) {
        return is_named(packet, fault);
    }
    list_for_each (link, &adapter->packets) {
        const struct dxgk_packet *other = container_of(link, struct dxgk_packet, live_link);
        if (other != packet && other->context && other->context->node == node &&
            other->vidsch.submitted && (!faulted || space_of(other) != space_of(packet))) {
            return false;
        }
    }
    return true;
}

/* Does the device have the root table that the context was told last? faulted: its work came to an
 * address that leads nowhere. False: it does not, and that was said. */
static bool has_root(const struct dxgk_packet *packet, bool faulted)
{
    struct dxgk_adapter *adapter = packet->adapter;
    struct dxgk_leads *leads = &adapter->mmu.leads;
    struct dxgk_space *space = space_of(packet);
    struct dxgk_leads_spaces found;
    struct vidmm_root root;

    if (!space->root_told || !packet->vidsch.submitted || !space->memory.root ||
        !dxgk_leads_may_ask(adapter) || !is_at(packet, faulted)) {
        return true;
    }
    vidmm_space_root(&space->memory, &root);
    dxgk_leads_find(adapter, space, &found);
    if (root.paging_sequence > 0 || !(leads->shows_roots || (faulted && found.any))) {
        return true; /* it may move just now; or nobody knows where the device has roots */
    }
    space->root_told = false;
    contract_count(RULE_PT_016);
    if (found.count == 0) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(PT_016),
                                       .object = packet->context->object},
            "a context goes by the root table that SetRootPageTable named last",
            "the root table of the process is at 0x%" PRIX64 " of segment %u, with %u entries; the "
            "context was told by SetRootPageTable and has %s since, and no address space of the "
            "device has that root with as many entries",
            root.place.offset, root.place.segment, root.entry_count,
            faulted ? "faulted" : "worked");
        leads->said = true;
    }
    return found.count > 0;
}

/* A device that is given its root with each piece of work has it now, and did not before. */
void dxgk_leads_after(const struct dxgk_packet *packet)
{
    const struct dxgk_device *device = packet->context->device;

    if (has_root(packet, false) && device->process && device->process->space.unseen) {
        dxgk_leads_work(packet);
    }
}

/* Nothing is under way that changes what it shows: then the device has what the driver was told. */
static bool is_still(const struct dxgk_adapter *adapter, const struct dxgk_space *space)
{
    list_for_each (link, &adapter->paging.running) {
        const struct paging_operation *operation =
            container_of(link, struct paging_operation, link);
        if (operation->op->space == &space->memory) {
            return false;
        }
    }
    return true;
}

bool dxgk_leads_fault(struct dxgk_adapter *adapter, unsigned node)
{
    const struct dxgk_fault *fault = &adapter->engines[node].fault;
    bool said = adapter->mmu.leads.said, has = true;

    list_for_each (link, &adapter->packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        if (packet->context->node != node || !packet->context->virtual_addresses || !has) {
            continue;
        }
        has = has_root(packet, true);
        if (has && packet->vidsch.submitted && fault->address != 0 &&
            is_still(adapter, space_of(packet))) {
            dxgk_leads_page(adapter, space_of(packet), fault->address >> MACHINE_PAGE_SHIFT);
        }
    }
    return has && adapter->mmu.leads.said == said;
}
