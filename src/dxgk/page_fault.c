/* Page faults as drivers tell them:
 *
 *   DMA_PAGE_FAULTED ─> the packet with that fence ──────────┐
 *   HWQUEUE_PAGE_FAULTED ─> the submission of that queue ────┴─> its device is lost for it, the
 *   engine is reset [INT-015]
 *
 * Of a hardware queue the node is reset alone where that can be. */
#include "dxgk/page_fault.h"
#include "dxgk/hwqueue_parts.h"
#include "dxgk/present_virtual.h"
#include "dxgk/submission.h"
#include "dxgk/work.h"

#include <stdio.h>

/* ---- At device level ------------------------------------------------------------------------- */

static void keep(struct dxgk_adapter *adapter, unsigned node, const struct dxgk_fault *fault)
{
    adapter->engines[node].fault = *fault;
    adapter->notices[node].faulted = true;
    adapter->notices[node].faulted_fence = fault->fence;
    adapter->notice_mask |= UINT64_C(1) << node;
}

static bool are_recent(const struct dxgk_adapter *adapter, const struct dxgk_engine *engine)
{
    return machine_now_ns() - engine->nameless_ns <= adapter->vidsch.config.reset_window_ns;
}

static void count_nameless(const struct dxgk_adapter *adapter, struct dxgk_engine *engine,
                           const struct dxgk_fault *fault, unsigned *count)
{
    if (fault->has_fence) {
        return;
    }
    if (!are_recent(adapter, engine)) {
        engine->nameless_packets = engine->nameless_queues = 0;
    }
    engine->nameless_ns = machine_now_ns();
    ++*count;
}

void dxgk_fault_of_packet(struct dxgk_adapter *adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    UINT flags = (UINT)data->DmaPageFaulted.PageFaultFlags;
    const struct dxgk_fault fault = {
        .address = data->DmaPageFaulted.FaultedVirtualAddress,
        .fence = data->DmaPageFaulted.FaultedFenceId,
        .has_fence = (flags & DXGK_PAGE_FAULT_FENCE_INVALID) == 0,
        .write = (flags & DXGK_PAGE_FAULT_WRITE) != 0,
        .sequence = data->DmaPageFaulted.FaultedPrimitiveAPISequenceNumber,
        .stage = (int)data->DmaPageFaulted.FaultedPipelineStage,
        .bind_entry = data->DmaPageFaulted.FaultedBindTableEntry,
        .flags = flags,
        .error = data->DmaPageFaulted.FaultErrorCode.DeviceSpecificCode,
        .error_is_devices = data->DmaPageFaulted.FaultErrorCode.IsDeviceSpecificCode,
    };
    struct dxgk_engine *engine = &adapter->engines[data->DmaPageFaulted.NodeOrdinal];

    keep(adapter, data->DmaPageFaulted.NodeOrdinal, &fault);
    count_nameless(adapter, engine, &fault, &engine->nameless_packets);
}

void dxgk_fault_of_queue(struct dxgk_adapter *adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    UINT flags = (UINT)data->HwQueuePageFaulted.PageFaultFlags;
    const struct dxgk_fault fault = {
        .address = data->HwQueuePageFaulted.FaultedVirtualAddress,
        .fence = (uint32_t)data->HwQueuePageFaulted.FaultedFenceId,
        .has_fence = (flags & DXGK_PAGE_FAULT_FENCE_INVALID) == 0,
        .write = (flags & DXGK_PAGE_FAULT_WRITE) != 0,
        .queue = data->HwQueuePageFaulted.FaultedHwQueue,
        .sequence = data->HwQueuePageFaulted.FaultedPrimitiveAPISequenceNumber,
        .stage = (int)data->HwQueuePageFaulted.FaultedPipelineStage,
        .bind_entry = data->HwQueuePageFaulted.FaultedBindTableEntry,
        .flags = flags,
        .error = data->HwQueuePageFaulted.FaultErrorCode.DeviceSpecificCode,
        .error_is_devices = data->HwQueuePageFaulted.FaultErrorCode.IsDeviceSpecificCode,
    };
    struct dxgk_engine *engine = &adapter->engines[data->HwQueuePageFaulted.NodeOrdinal];

    keep(adapter, data->HwQueuePageFaulted.NodeOrdinal, &fault);
    count_nameless(adapter, engine, &fault, &engine->nameless_queues);
}

#define NAMELESS_MIN 3u

static bool has_nameless(const struct dxgk_adapter *adapter, unsigned node)
{
    const struct dxgk_engine *engine = &adapter->engines[node];

    return engine->nameless_packets + engine->nameless_queues >= NAMELESS_MIN &&
           are_recent(adapter, engine);
}

void dxgk_nameless_text(const struct dxgk_adapter *adapter, unsigned node, char *text, size_t size)
{
    unsigned count = adapter->node_count, next = 0;

    while (!has_nameless(adapter, node) && next < count) {
        node = next++;
    }
    if (!has_nameless(adapter, node)) {
        text[0] = '\0';
        return;
    }
    snprintf(text, size,
             "; node %u told of %u DMA_PAGE_FAULTED and %u HWQUEUE_PAGE_FAULTED with "
             "DXGK_PAGE_FAULT_FENCE_INVALID: whose they are is not known, no device is lost for "
             "them, and its work faults again [INT-014]",
             node, adapter->engines[node].nameless_packets, adapter->engines[node].nameless_queues);
}

/* ---- Whose it was ---------------------------------------------------------------------------- */

/* The submission by virtual address that the driver told a page fault of, also while
 * SubmitCommandVirtual has not returned yet; NULL: it was another, or is done. */
static const struct dxgk_packet *faulted_client(const struct dxgk_adapter *adapter, unsigned node)
{
    const struct dxgk_fault *fault = &adapter->engines[node].fault;

    list_for_each (link, &adapter->packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        bool by_address = packet->road == &dxgk_road_virtual || dxgk_presents_own(packet);
        bool was_given =
            packet->vidsch.submitted || packet->vidsch.state == VIDSCH_STATE_SUBMITTING;
        if (fault->has_fence && was_given && by_address && packet->context->node == node &&
            packet->vidsch.fence_id == fault->fence) {
            return packet;
        }
    }
    return NULL;
}

/* The oldest that is on the hardware; NULL: none, or the queue is the system's. */
static struct dxgk_packet *faulted_of_queue(struct dxgk_adapter *adapter, unsigned node)
{
    const struct dxgk_hwqueue *queue =
        dxgk_hwqueue_named(adapter, adapter->engines[node].fault.queue);
    const struct dxgk_context *stream = queue ? &queue->base : NULL;

    list_for_each (link, &adapter->packets) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        if (stream && packet->context == stream && stream->device != adapter->system_device &&
            packet->vidsch.kind == VIDSCH_PACKET_HW_QUEUE && packet->vidsch.submitted) {
            return packet;
        }
    }
    return NULL;
}

/* A device may tell of more than a page, and nobody misses the upper half of an address so. */
#define FAULT_NEAR_BYTES (UINT64_C(1) << 21)

static bool is_near(uint64_t one, uint64_t other)
{
    return (one < other ? other - one : one - other) < FAULT_NEAR_BYTES;
}

/* Was the fault one of what the device asked for in vain? Of what was so before the last fault,
 * what nobody told of yet may be another engine's, whose fault comes late: it names no process. */
static bool is_of_lookups(const struct dxgk_adapter *adapter, struct dxgk_fault *fault,
                          unsigned news)
{
    struct pci_pasid_failure failure;
    bool found = false;

    for (unsigned i = 0; pci_pasid_failed(adapter->ddi.slot, i, &failure); i++) {
        if (is_near(failure.address, fault->address) && (i < news || !failure.told)) {
            fault->used = !found && i < news ? failure.pasid : fault->used;
            found = true;
            pci_pasid_tell(adapter->ddi.slot, i);
        }
    }
    return found;
}

/* The IOMMU translates, and knows what the device asked it for in vain. */
static void look_at_lookups(const struct dxgk_adapter *adapter, struct dxgk_fault *fault,
                            const struct dxgk_packet *client)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(INT_016),
                                             .ddi = "DxgkCbNotifyInterrupt",
                                             .object = adapter->object};
    struct pci_pasid_failure newest;
    bool knows_all;
    unsigned news = pci_pasid_news(adapter->ddi.slot, &knows_all);

    if (!client) {
        return; /* what it was of is not news of the next one */
    }
    fault->pasid = client->context->device->process->space.pasid;
    fault->used = 0;
    if (fault->pasid == 0 || !pci_pasid_failed(adapter->ddi.slot, 0, &newest)) {
        return;
    }
    if (is_of_lookups(adapter, fault, news)) {
        contract_count(RULE_INT_016);
        return;
    }
    if (fault->address != 0 && !fault->error_is_devices && knows_all && news > 0) {
        contract_breach(&finding, "the address of the fault",
                        "FaultedVirtualAddress is 0x%llX; what the device last asked the IOMMU for "
                        "in vain is 0x%llX",
                        (unsigned long long)fault->address, (unsigned long long)newest.address);
    }
}

/* A device may tell faults by page. */
static bool is_in_lower_half(uint64_t address, uint64_t begin, uint64_t size)
{
    uint64_t end = (uint32_t)begin + size;
    uint64_t first = (uint32_t)begin & ~(uint64_t)(MACHINE_PAGE_SIZE - 1);

    return begin > UINT32_MAX && address <= UINT32_MAX && address >= first && address < end;
}

static void look_at_commands(struct dxgk_fault *fault, const struct dxgk_packet *client)
{
    bool by_address = client->road == &dxgk_road_virtual || client->road == &dxgk_road_hwqueue;
    uint64_t begin = client->submission.address;

    fault->halved =
        by_address && is_in_lower_half(fault->address, begin, client->submission.size) ? begin : 0;
}

/* ---- Which it was ---------------------------------------------------------------------------- */

static bool has_commands_at(const struct dxgk_packet *packet, uint64_t address)
{
    uint64_t begin = packet->submission.address & ~(uint64_t)(MACHINE_PAGE_SIZE - 1);
    uint64_t end = packet->submission.address + packet->submission.size;

    return address >= begin && address < end;
}

/* Is it on the hardware, in the same stream and of the same process, before that one? */
static bool comes_before(const struct dxgk_packet *packet, const struct dxgk_packet *told)
{
    bool queued = told->vidsch.kind == VIDSCH_PACKET_HW_QUEUE;
    uint32_t fence = packet->vidsch.fence_id;
    uint32_t reported = vidsch_last_reported(&told->adapter->vidsch, told->context->node);

    if (packet->road != told->road || !packet->vidsch.submitted ||
        packet->context->node != told->context->node ||
        packet->context->device->process != told->context->device->process) {
        return false;
    }
    return queued ? packet->context == told->context &&
                        packet->vidsch.progress_id < told->vidsch.progress_id
                  : vidsch_fence_after(told->vidsch.fence_id, fence) &&
                        vidsch_fence_after(fence, reported);
}

/* Of what its queue has; NULL: the driver told of none that is there. */
static const struct dxgk_packet *told_of_queue(const struct dxgk_adapter *adapter,
                                               const struct dxgk_packet *oldest, uint32_t fence)
{
    list_for_each (link, &adapter->packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        if (packet->context == oldest->context && packet->road == oldest->road &&
            packet->vidsch.submitted && (uint32_t)packet->vidsch.progress_id == fence) {
            return packet;
        }
    }
    return NULL;
}

/* What lies where the commands of an earlier one are, and none of its own, that one asked for. */
static void judge_which(const struct dxgk_adapter *adapter, const struct dxgk_fault *fault,
                        const struct dxgk_packet *told)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(INT_014),
                                             .ddi = "DxgkCbNotifyInterrupt",
                                             .object = adapter->object};
    bool queued = told->vidsch.kind == VIDSCH_PACKET_HW_QUEUE;

    if (!fault->has_fence || fault->address == 0 || fault->error_is_devices ||
        (told->road != &dxgk_road_virtual && told->road != &dxgk_road_hwqueue) ||
        has_commands_at(told, fault->address)) {
        return;
    }
    list_for_each (link, &adapter->packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        if (!comes_before(packet, told) || !has_commands_at(packet, fault->address)) {
            continue;
        }
        contract_breach(
            &finding, "FaultedFenceId of the packet that faulted",
            "%s with FaultedFenceId %llu, whose commands are at 0x%llX, and "
            "FaultedVirtualAddress 0x%llX, where the commands of %llu before it are, which is not "
            "complete",
            queued ? "HWQUEUE_PAGE_FAULTED" : "DMA_PAGE_FAULTED",
            (unsigned long long)(queued ? told->vidsch.progress_id : told->vidsch.fence_id),
            (unsigned long long)told->submission.address, (unsigned long long)fault->address,
            (unsigned long long)(queued ? packet->vidsch.progress_id : packet->vidsch.fence_id));
        return;
    }
}

/* The reset that is to come loses its device. Before anything counts as complete: a driver may
 * answer a request to stop with the fence that faulted [INT-015]. */
bool dxgk_fault_note(struct dxgk_adapter *adapter, unsigned node)
{
    struct dxgk_fault *fault = &adapter->engines[node].fault;
    const struct dxgk_hwqueue *queue = dxgk_hwqueue_named(adapter, fault->queue);
    const struct dxgk_context *stream = queue ? &queue->base : NULL;
    const struct dxgk_packet *client =
        fault->queue ? faulted_of_queue(adapter, node) : faulted_client(adapter, node);

    fault->device = client ? client->context->device->life.number : 0;
    fault->nowhere = false;
    fault->resubmissions = client ? client->vidsch.resubmission_count : 0;
    look_at_lookups(adapter, fault, client);
    if (client) {
        const struct dxgk_packet *told =
            fault->queue ? told_of_queue(adapter, client, fault->fence) : client;
        if (told) {
            judge_which(adapter, fault, told);
        }
        look_at_commands(fault, client);
        fault->nowhere =
            dxgk_submission_is_nowhere(client) || dxgk_submission_goes_nowhere(client, fault);
        client->context->device->fault = *fault;
    }
    return !fault->queue || (stream && stream->node == node &&
                             (stream->device != adapter->system_device || fault->address != 0));
}

bool dxgk_fault_is_at(const struct dxgk_adapter *adapter, unsigned node, uint32_t fence)
{
    const struct dxgk_fault *fault = &adapter->engines[node].fault;

    return fault->device != 0 && !fault->queue && fault->has_fence && fault->fence == fence;
}

/* Who is asked for the newest fence then answers with that one: it counts as complete, however the
 * packet ended. A driver that was never told of the question may answer anything. */
void dxgk_fault_ask(struct dxgk_adapter *adapter, unsigned node)
{
    const uint32_t fence = adapter->engines[node].fault.fence;
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(INT_015),
                                             .object = adapter->object};
    uint32_t told = vidsch_last_reported(&adapter->vidsch, node), answer;

    if (!dxgk_fault_is_at(adapter, node, fence) || adapter->presence >= DXGK_TOLD ||
        !vary_happens(VARY_ODD_QUESTIONS, 1) || !dxgk_ask_fence(adapter, node, &answer)) {
        return;
    }
    if (answer != 0 && answer == told && vidsch_fence_after(fence, answer)) {
        contract_breach(
            &finding, "the fence that faulted counted as complete",
            "QueryCurrentFence of node %u answered %u, behind DMA_PAGE_FAULTED with "
            "FaultedFenceId %u: who tells of it advances the last completed fence to it",
            node, answer, fence);
    } else {
        contract_count(RULE_INT_015);
    }
}

static bool wants_engine_alone(const struct dxgk_adapter *adapter, unsigned node)
{
    const struct dxgk_fault *fault = &adapter->engines[node].fault;

    return fault->device != 0 && fault->flags & DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED &&
           dxgk_engines_can_be_reset(adapter) && !adapter->engines[node].begun_anew;
}

bool dxgk_fault_reset_alone(struct dxgk_adapter *adapter, unsigned node)
{
    const UINT more = DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED | DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR;

    if (adapter->engines[node].fault.flags & more) {
        return false;
    }
    if (adapter->engines[node].fault.queue) {
        struct dxgk_packet *packet = faulted_of_queue(adapter, node);
        return packet && dxgk_hw_engine_reset(adapter, node, packet);
    }
    return wants_engine_alone(adapter, node) && dxgk_engine_reset_faulted(adapter, node);
}

/* ---- What its client is told ----------------------------------------------------------------- */

void dxgk_device_page_fault(const struct dxgk_device *device, D3DKMT_DEVICEPAGEFAULT_STATE *out)
{
    const struct dxgk_fault *fault = &device->fault;

    *out = (D3DKMT_DEVICEPAGEFAULT_STATE){0};
    if (dxgk_device_state(device) == D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT) {
        out->FaultedPrimitiveAPISequenceNumber = fault->sequence;
        out->FaultedPipelineStage = (DXGK_RENDER_PIPELINE_STAGE)fault->stage;
        out->FaultedBindTableEntry = fault->bind_entry;
        out->PageFaultFlags = (DXGK_PAGE_FAULT_FLAGS)fault->flags;
        out->FaultErrorCode.IsDeviceSpecificCode = fault->error_is_devices;
        out->FaultErrorCode.DeviceSpecificCode = fault->error;
        out->FaultedVirtualAddress = fault->address;
    }
}
