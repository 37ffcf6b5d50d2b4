/* What vidsch asks of the world: each packet's road, or the adapter itself. */
#include "dxgk/context_memory.h"
#include "dxgk/doorbell.h"
#include "dxgk/gdi_parts.h"
#include "dxgk/work.h"

#include <stdio.h>
#include <string.h>

#define NOT_TOLD_MAX 2 /* ends of work that the driver tells when it is asked */

static struct dxgk_packet *packet_of(struct vidsch_packet *base)
{
    return container_of(base, struct dxgk_packet, vidsch);
}

static struct dxgk_adapter *adapter_of(struct vidsch *vidsch)
{
    return container_of(vidsch, struct dxgk_adapter, vidsch);
}

/* ---- Stations that roads share ------------------------------------------------------------- */

static uint64_t address_of(const struct vidmm_dma_buffer *buffer)
{
    return buffer->segment ? buffer->address : buffer->physical_address;
}

void dxgk_patch_fill(const struct dxgk_packet *packet, const struct vidmm_dma_buffer *buffer,
                     DXGKARG_PATCH *arguments)
{
    *arguments = (DXGKARG_PATCH){
        .hContext = packet->context->driver_handle,
        .DmaBufferSegmentId = buffer->segment,
        .DmaBufferPhysicalAddress.QuadPart = (LONGLONG)address_of(buffer),
        .pDmaBuffer = buffer->bytes,
        .DmaBufferSubmissionStartOffset = packet->start,
        .DmaBufferSubmissionEndOffset = packet->end,
        .pDmaBufferPrivateData = buffer->private_data,
        .DmaBufferPrivateDataSubmissionStartOffset = packet->private_start,
        .DmaBufferPrivateDataSubmissionEndOffset = packet->private_end,
        .SubmissionFenceId = packet->vidsch.fence_id,
    };
}

/* What an earlier call, or nobody, left there. */
static D3DDDI_VIDEO_PRESENT_SOURCE_ID stale_source(void)
{
    uint64_t choice = vary_below(VARY_STALE_MEMBERS, 64);

    return choice < 16 ? (UINT)choice + 1 : D3DDDI_ID_UNINITIALIZED;
}

void dxgk_submit_fill(const struct dxgk_packet *packet, const struct vidmm_dma_buffer *buffer,
                      DXGKARG_SUBMITCOMMAND *arguments)
{
    *arguments = (DXGKARG_SUBMITCOMMAND){
        .hContext = packet->context->driver_handle,
        .DmaBufferSegmentId = buffer->segment,
        .DmaBufferPhysicalAddress.QuadPart = (LONGLONG)address_of(buffer),
        .DmaBufferSubmissionStartOffset = packet->start,
        .DmaBufferSubmissionEndOffset = packet->end,
        .pDmaBufferPrivateData = buffer->private_data,
        .DmaBufferPrivateDataSubmissionStartOffset = packet->private_start,
        .DmaBufferPrivateDataSubmissionEndOffset = packet->private_end,
        .SubmissionFenceId = packet->vidsch.fence_id,
        .Flags = packet->flags,
        .NodeOrdinal = packet->context->node,
    };
    if (packet->dma && packet->dma->flip) {
        dxgk_flip_command_fill(packet->dma->flip, arguments);
    } else if (vary_happens(VARY_STALE_MEMBERS, 8)) {
        arguments->VidPnSourceId = stale_source();
    }
}

void dxgk_submit_command(struct dxgk_packet *packet, DXGKARG_SUBMITCOMMAND *arguments)
{
    struct dxgk_adapter *adapter = packet->adapter;

    CHECK_THAT(packet->start <= packet->end && packet->end <= arguments->DmaBufferSize);
    arguments->Flags.Resubmission =
        adapter->features.wddm2 && packet->vidsch.resubmission_count > 0;
    dxgk_clue_given(packet, arguments);
    NTSTATUS answer = ddi_submit_command(&adapter->ddi, adapter->ddi.miniport_context, arguments,
                                         packet->vidsch.object);
    /* Anything else stopped the system. */
    KERNEL_DUTY(SUBMIT_004,
                answer == STATUS_SUCCESS || !ddi_has(&adapter->ddi, POINT_SubmitCommand));
}

/* ---- The packet's road --------------------------------------------------------------------- */

static enum vidsch_prepare backend_prepare(struct vidsch *vidsch, struct vidsch_packet *base,
                                           NTSTATUS *status)
{
    struct dxgk_packet *packet = packet_of(base);

    return packet->road->prepare ? packet->road->prepare(packet, status) : VIDSCH_PREPARE_READY;
}

static enum vidsch_submit backend_submit(struct vidsch *vidsch, struct vidsch_packet *base,
                                         NTSTATUS *status)
{
    struct dxgk_packet *packet = packet_of(base);
    struct dxgk_adapter *adapter = adapter_of(vidsch);

    dxgk_removal_submits(adapter);
    dxgk_components_take(adapter, packet->context->node);
    dxgk_components_give(adapter, packet->context->node); /* the scheduler has it from here on */
    if (!dxgk_adapter_has_hardware(adapter)) {
        *status = VIDSCH_STATUS_LOST; /* no hardware takes it */
        return VIDSCH_SUBMIT_REJECTED;
    }
    vidmm_use_submitted(&packet->use, packet->context->node, base->fence_id);
    adapter->totals.submitted += base->resubmission_count == 0;
    packet->refusal = STATUS_SUCCESS;
    if (base->resubmission_count == 0) {
        packet->silent_before = adapter->ddi.silent_interrupts;
        packet->told_before = adapter->told_of_nodes;
    }
    ddi_interrupts_go_on(&adapter->ddi);
    dxgk_engine_submits(packet);
    packet->submitted_ns = machine_now_ns();
    dxgk_entered(packet);
    packet->road->submit(packet);
    dxgk_still_submitted(adapter);
    dxgk_removal_submitted(adapter);
    *status = packet->refusal;
    return NT_SUCCESS(packet->refusal) ? VIDSCH_SUBMIT_DONE : VIDSCH_SUBMIT_REJECTED;
}

static void backend_execute(struct vidsch *vidsch, struct vidsch_packet *base)
{
    packet_of(base)->road->submit(packet_of(base));
}

static void backend_cancel(struct vidsch *vidsch, struct vidsch_packet *base)
{
    struct dxgk_packet *packet = packet_of(base);

    CHECK_THAT(!base->submitted);
    if (packet->road->cancel) {
        packet->road->cancel(packet);
    }
}

/* ---- The node ------------------------------------------------------------------------------ */

static void backend_preempt(struct vidsch *vidsch, unsigned node, uint32_t preemption_id,
                            enum vidsch_preempt_reason reason)
{
    struct dxgk_adapter *adapter = adapter_of(vidsch);
    const DXGKARG_PREEMPTCOMMAND arguments = {.PreemptionFenceId = preemption_id,
                                              .NodeOrdinal = node};

    /* Nothing is left on hardware that is gone, and its driver is asked for nothing. */
    if (!dxgk_adapter_has_hardware(adapter)) {
        vidsch_preempted(vidsch, node, preemption_id, vidsch_last_completed(vidsch, node));
        return;
    }
    dxgk_components_take(adapter, node);
    dxgk_components_give(adapter, node);
    adapter->totals.preempted++;
    if (reason == VIDSCH_PREEMPT_TIMEOUT) {
        dxgk_engine_late(adapter, node);
    }
    ddi_preempt_command(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
}

/* None came since somebody set them, or the device, as they had before. */
static bool are_interrupts_off(const struct dxgk_adapter *adapter)
{
    return adapter->set_by && adapter->claimed_before > 0 &&
           adapter->ddi.claimed_interrupts == adapter->claimed_before;
}

static void interrupts_are_off(struct dxgk_adapter *adapter, unsigned node, uint32_t fence_id)
{
    struct record_breach breach = {.rule = "HARDWARE", .count = 1};

    snprintf(breach.ddi, sizeof breach.ddi, "%.*s", (int)strcspn(adapter->set_by, " "),
             adapter->set_by);
    snprintf(breach.expected, sizeof breach.expected, "a device that interrupts after it");
    snprintf(breach.actual, sizeof breach.actual,
             "the end of fence %u on node %u was told when DxgkDdiQueryCurrentFence asked, and "
             "DxgkDdiInterruptRoutine claimed no interrupt at all since %s; it claimed %llu before "
             "(or the device model %s raised none)",
             fence_id, node, adapter->set_by, (unsigned long long)adapter->claimed_before,
             pci_device_name(adapter->ddi.slot));
    record_event(EVENT_BREACH, 0, RECORD_RULES_MAX, record_add_breach(&breach));
}

/* Work has ended, and nobody said so until the driver was asked, half a time limit after it began.
 * Once may be chance: it ended at that moment, and its interrupt is on the way. */
static void end_was_not_told(struct dxgk_adapter *adapter, unsigned node, uint32_t fence_id)
{
    struct record_breach breach = {.rule = "INTERRUPT", .count = 1};
    const struct dxgk_packet *packet = dxgk_packet_running(adapter, node, fence_id);
    bool is_empty = packet && dxgk_packet_is_empty(packet);

    record_count("interrupts.not_told", 1);
    /* A device whose clock stands may have written a fence, and its interrupt never comes. */
    if (adapter->options.tdr_delay_ns || dxgk_adapter_stands_still(adapter)) {
        return;
    }
    adapter->work_not_told += !is_empty;
    if (++adapter->ends_not_told != NOT_TOLD_MAX) {
        return;
    }
    snprintf(breach.expected, sizeof breach.expected,
             "DxgkCbNotifyInterrupt soon after each end of work, without being asked");
    /* Where the end of commands was not told either, it is no matter of empty submissions. */
    if (is_empty && adapter->work_not_told == 0) {
        snprintf(breach.ddi, sizeof breach.ddi, "DxgkDdiSubmitCommand");
        snprintf(breach.actual, sizeof breach.actual,
                 "fence %u (%s) of node %u has no commands, for start and end of its part of the "
                 "buffer are both 0x%X; its end was told when DxgkDdiQueryCurrentFence asked. Such "
                 "a submission ends with an interrupt as any other, unless that was dismissed with "
                 "another cause, which the status had not shown",
                 fence_id, packet->road->name, node, packet->start);
        record_event(EVENT_BREACH, 0, RECORD_RULES_MAX, record_add_breach(&breach));
        return;
    }
    snprintf(breach.ddi, sizeof breach.ddi, "DxgkDdiInterruptRoutine");
    if (adapter->ddi.interrupt && interrupt_is_masked(adapter->ddi.interrupt)) {
        snprintf(
            breach.actual, sizeof breach.actual,
            "the end of fence %u on node %u was told when DxgkDdiQueryCurrentFence asked, for "
            "the interrupt line had been masked: it stayed up, for the routine came back again "
            "and again and had not dismissed what raised it. Whatever the device shows and is "
            "enabled is claimed and dismissed, also for a part that was reset or is at rest "
            "(or the device model %s leaves its line up)",
            fence_id, node, pci_device_name(adapter->ddi.slot));
        record_event(EVENT_BREACH, 0, RECORD_RULES_MAX, record_add_breach(&breach));
        return;
    }
    if (are_interrupts_off(adapter)) {
        interrupts_are_off(adapter, node, fence_id);
        return;
    }
    snprintf(breach.actual, sizeof breach.actual,
             "a lost interrupt, the second one: the end of fence %u on node %u was told when "
             "DxgkDdiQueryCurrentFence asked. What ends between the reading of the status, or of a "
             "fence, and the dismissal is dismissed with it: dismiss only causes that the status "
             "showed, before the fences are read (or the device model %s raised none)",
             fence_id, node, pci_device_name(adapter->ddi.slot));
    record_event(EVENT_BREACH, 0, RECORD_RULES_MAX, record_add_breach(&breach));
}

static bool backend_query_fence(struct vidsch *vidsch, unsigned node, uint32_t *fence_id)
{
    struct dxgk_adapter *adapter = adapter_of(vidsch);
    uint32_t told = vidsch_last_reported(vidsch, node);

    dxgk_engine_ask(adapter, node);
    if (!dxgk_ask_fence(adapter, node, fence_id)) {
        return false;
    }
    const struct dxgk_engine *engine = &adapter->engines[node];
    bool was_refused = engine->any_refused && *fence_id == engine->refused; /* nobody tells of it */
    if (!was_refused && vidsch_fence_after(*fence_id, told) &&
        !vidsch_fence_after(*fence_id, vidsch_last_submitted(vidsch, node))) {
        end_was_not_told(adapter, node, *fence_id);
    }
    return true;
}

static void backend_look(struct vidsch *vidsch, unsigned node)
{
    dxgk_hwqueues_look_late(adapter_of(vidsch), node);
}

/* Commands of a client may go on for ever; the kernel's own work and what the driver writes for a
 * present do not. */
static bool backend_is_finite(struct vidsch *vidsch, const struct vidsch_packet *base)
{
    const struct dxgk_packet *packet = container_of(base, const struct dxgk_packet, vidsch);

    bool clients = packet->road == &dxgk_road_render || packet->road == &dxgk_road_virtual ||
                   packet->road == &dxgk_road_hwqueue || packet->road == &dxgk_road_session ||
                   packet->road == &dxgk_road_gdi || packet->road == &dxgk_road_gdi_virtual;

    if (packet->road == &dxgk_road_virtual && packet->submission.spoiled) {
        return false;
    }
    return !clients || adapter_of(vidsch)->clients_work_ends;
}

static void backend_timed_out(struct vidsch *vidsch, unsigned node, struct vidsch_packet *packet)
{
    dxgk_timed_out(adapter_of(vidsch), node, packet ? packet_of(packet) : NULL);
}

static void backend_context_hit(struct vidsch *vidsch, struct vidsch_context *base)
{
    struct dxgk_context *context = container_of(base, struct dxgk_context, vidsch);

    const struct dxgk_adapter *adapter = adapter_of(vidsch);
    uint64_t device = context->device->life.number;

    dxgk_device_lose(context->device,
                     device == adapter->engines[context->node].fault.device
                         ? D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT /* [INT-015] */
                     : device == adapter->guilty_device ? D3DKMT_DEVICEEXECUTION_HUNG
                                                        : D3DKMT_DEVICEEXECUTION_RESET);
}

static void backend_kick(struct vidsch *vidsch, unsigned node)
{
    dxgk_worker_kick(adapter_of(vidsch));
}

static void backend_arm(struct vidsch *vidsch, uint64_t when_ns)
{
    dxgk_worker_tick_at(adapter_of(vidsch), when_ns);
}

#define ALL_BUT_PREEMPT                                                                 \
    .prepare = backend_prepare, .submit = backend_submit, .execute = backend_execute,   \
    .cancel = backend_cancel, .query_fence = backend_query_fence, .look = backend_look, \
    .is_finite = backend_is_finite, .timed_out = backend_timed_out,                     \
    .context_hit = backend_context_hit, .kick = backend_kick, .arm = backend_arm

static const struct vidsch_backend preempting = {ALL_BUT_PREEMPT, .preempt = backend_preempt};
static const struct vidsch_backend patient = {ALL_BUT_PREEMPT};

/* debugging-tips-for-wddm-drivers.md, "Disable preemption": drivers that cannot stop their engine
 * come with that setting. */
const struct vidsch_backend *dxgk_vidsch_backend(void)
{
    uint32_t enabled;

    return nt_registry_get_dword("\\Registry\\Machine\\System\\CurrentControlSet\\Control\\"
                                 "GraphicsDrivers\\Scheduler",
                                 "EnablePreemption", &enabled) &&
                   enabled == 0
               ? &patient
               : &preempting;
}
