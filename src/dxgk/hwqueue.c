/* The road of hardware queues: submissions that the GPU schedules by itself, and that are done when
 * the queue's progress fence has their id.
 *
 *   the client's call ─> ValidateSubmitCommand ─> refused: nothing has happened ─> the packet:
 *   waits for what is before it, for memory, for room in the queue ─> SubmitCommandToHwQueue ─> in
 *   flight ─> the fence in memory has its id: looked at when the driver says that one was
 *   signalled ─> done
 *
 * What is in flight is not asked to stop, and never submitted again; what is not yet when its
 * device is lost just ends: no page speaks of CancelCommand here. */
#include "dxgk/hwqueue_parts.h"
#include "dxgk/hwqueue_present.h"
#include "dxgk/present_virtual.h"
#include "dxgk/spoil.h"
#include "dxgk/submission.h"

#include "machine/vary.h"

#include <stdio.h>
#include <string.h>

#define PENDING_BYTES_MAX (UINT64_C(256) << 20) /* of private data, as large as this one's each */
#define PENDING_MAX       32 /* submissions of a queue, besides those that fill the hardware's */
#define PRIVATE_BYTES_MAX (16u << 20)
#define SPOILED_ONE_IN    16
#define NOT_TOLD_MAX      2 /* signals that are found when somebody looks */

bool dxgk_has_hwqueues(const struct dxgk_adapter *adapter)
{
    const struct ddi_adapter *ddi = &adapter->ddi;

    return ddi_has(ddi, POINT_CreateHwContext) && ddi_has(ddi, POINT_DestroyHwContext) &&
           ddi_has(ddi, POINT_CreateHwQueue) && ddi_has(ddi, POINT_DestroyHwQueue) &&
           ddi_has(ddi, POINT_SubmitCommandToHwQueue) && ddi_has(ddi, POINT_SetRootPageTable);
}

/* ---- Progress -------------------------------------------------------------------------------- */

/* Where the driver or its device writes the fences. A client's own commands may write anything, and
 * the driver's processor: unless the device says that an entry of the queue did, it is advice. */
static void judge_value(struct dxgk_hwqueue *queue, uint64_t value)
{
    struct dxgk_adapter *adapter = queue->base.device->adapter;
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(HWQ_008),
                                       .object = queue->base.object};
    bool released;

    if (!adapter->engines[queue->base.node].fence_release || queue->users ||
        queue == adapter->paging.queue) { /* the last: paging_queue.c */
        return;
    }
    contract_count(RULE_HWQ_008);
    if (value > queue->given_id) {
        released =
            pci_released(adapter->ddi.slot, queue->page.word.frame << MACHINE_PAGE_SHIFT, value);
        finding.advice = !released;
        contract_breach(
            &finding,
            "in the progress fence of a hardware queue the HwQueueProgressFenceId of a "
            "submission to that queue, at its HwQueueProgressFenceGpuVa",
            "the fence of a queue of node %u, at GPU virtual address 0x%llX, has %llu; the "
            "newest id that SubmitCommandToHwQueue was given for it is %llu; %s",
            queue->base.node, (unsigned long long)queue->page.address, (unsigned long long)value,
            (unsigned long long)queue->given_id,
            released ? "the device wrote that at the end of a submission"
                     : "the commands of its own client could have written there, too");
    }
}

/* What the GPU wrote. A fence that was lost shows the largest value: that is nobody's progress. */
static bool look_at(struct dxgk_hwqueue *queue)
{
    uint64_t value = __atomic_load_n((const uint64_t *)queue->page.view, __ATOMIC_ACQUIRE);

    dxgk_doorbell_look(queue);
    if (value == UINT64_MAX || value <= queue->base.vidsch.progress) {
        return false;
    }
    judge_value(queue, value);
    sync_fence_poll(&queue->fence->core->object);
    /* What tells of the end of a client's own submissions is between it and its driver. */
    bool further = vidsch_progress(&queue->base.vidsch, value);
    if (further && queue->users) { /* of which no packet tells */
        struct dxgk_engine *engine = &queue->base.device->adapter->engines[queue->base.node];
        engine->begun_anew = engine->resumed = engine->queues_begun_anew = false;
        queue->base.device->adapter->totals.work++;
    }
    return further && !queue->users;
}

struct dxgk_hwqueue *dxgk_hwqueue_named(struct dxgk_adapter *adapter, const void *handle)
{
    list_for_each (outer, &adapter->devices) {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life.link);
        list_for_each (link, &device->contexts) {
            struct dxgk_context *stream = container_of(link, struct dxgk_context, life.link);
            if (stream->life.kind == DXGK_KIND_HW_QUEUE && handle &&
                (stream->driver_handle == handle || (uintptr_t)handle == stream->life.handle)) {
                return dxgk_hwqueue_of(stream);
            }
        }
    }
    return NULL;
}

bool dxgk_hwqueue_is_users(const struct dxgk_hwqueue *queue)
{
    return queue->users;
}

static bool is_on(const struct dxgk_context *stream, unsigned node)
{
    return stream->life.kind == DXGK_KIND_HW_QUEUE && stream->life.state != LIFE_MADE &&
           stream->node == node;
}

/* Whoever is let go may end the queue, or its device: each has a reference meanwhile. */
bool dxgk_hwqueues_look(struct dxgk_adapter *adapter, unsigned node)
{
    bool further = false;

    if (!adapter->engines[node].scheduled) {
        return false;
    }
    for_each_life(outer, &adapter->devices)
    {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life);
        for_each_life(life, &device->contexts)
        {
            struct dxgk_context *stream = container_of(life, struct dxgk_context, life);
            if (is_on(stream, node) && dxgk_hwqueue_of(stream)->fence) {
                further |= look_at(dxgk_hwqueue_of(stream));
            }
        }
    }
    return further;
}

/* Where the author should look: at a routine that was called and told nothing, or at why none was
 * called. The last notice came from within an interrupt that was claimed behind it. */
static void clue_of(struct dxgk_adapter *adapter, unsigned node, char *text, size_t size)
{
    const uint64_t at = adapter->engines[node].claimed_at_signal;
    const uint64_t now = adapter->ddi.claimed_interrupts;
    char said[PCI_SAID_MAX];
    uint64_t when_ns;
    bool has_said = pci_take_said(adapter->ddi.slot, said, &when_ns);

    snprintf(text, size,
             "; interrupts that DxgkDdiInterruptRoutine claimed since the last such notice of the "
             "node: %llu%s%s%s",
             (unsigned long long)(now > at ? now - at : 0),
             now > at ? ", in which it saw nothing of it" : "", has_said ? "; the device: " : "",
             has_said ? said : "");
}

/* Once may be chance: it ended at that moment, and its interrupt is on the way. A device whose
 * clock stands may have written a fence, and its interrupt never comes. */
void dxgk_hwqueues_look_late(struct dxgk_adapter *adapter, unsigned node)
{
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(INT_017), .object = adapter->object};
    char clue[PCI_SAID_MAX + 160];

    contract_count(RULE_INT_017);
    bool further = dxgk_hwqueues_look(adapter, node);
    dxgk_doorbells_look_late(adapter, node);
    if (!further) {
        return;
    }
    record_count("interrupts.not_told", 1);
    if (!adapter->options.tdr_delay_ns && !dxgk_adapter_stands_still(adapter) &&
        ++adapter->engines[node].signals_not_told == NOT_TOLD_MAX) {
        clue_of(adapter, node, clue, sizeof clue);
        contract_breach(&finding,
                        "DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED soon after a progress fence of "
                        "the node was written",
                        "a hardware queue of node %u got further, and nobody said so until its "
                        "fence was looked at, half a time limit later: the second time%s",
                        node, clue);
    }
}

/* ---- The road -------------------------------------------------------------------------------- */

void dxgk_hwqueue_prepare(struct dxgk_packet *packet, struct vidmm_prepare_result *result)
{
    struct vidmm_reference references[1 + DXGK_PRESENT_REFERENCES_MAX] = {{
        .allocation = &dxgk_hwqueue_of(packet->context)->page.word.memory,
        .write = true,
        .slot = VIDMM_NO_SLOT,
    }};
    size_t count = 1;

    if (packet->road == &dxgk_road_hwqueue_present) {
        count += dxgk_presents_refer(packet, references + count);
    }
    const struct vidmm_prepare_request request = {.references = references, .count = count};
    vidmm_prepare(&packet->state_use, &request, result);
}

void dxgk_hwqueue_hand_over(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    const struct dxgk_hwqueue *queue = dxgk_hwqueue_of(packet->context);
    const struct dxgk_block *block = packet->submission.block;
    const DXGKARG_SUBMITCOMMANDTOHWQUEUE arguments = {
        .hHwQueue = packet->context->driver_handle,
        .HwQueueProgressFenceId = packet->vidsch.progress_id,
        .DmaBufferVirtualAddress = packet->submission.address,
        .DmaBufferSize = packet->submission.size,
        .DmaBufferPrivateDataSize = block->size_bytes,
        .pDmaBufferPrivateData = block->bytes,
        .Flags = packet->flags,
        .HwQueueProgressFenceGpuVa = queue->page.address,
        .HwQueueProgressFenceCpuVa = queue->page.view,
    };

    KERNEL_DUTY(HWQ_008, !vidmm_use_revoked(&packet->state_use));
    dxgk_hwqueue_of(packet->context)->given_id = packet->vidsch.progress_id;
    uint8_t before = irql_current();
    if (packet->vidsch.progress_id % 2 != 0) {
        (void)irql_raise(MACHINE_IRQL_DISPATCH); /* either may be [HWQ-001] */
    }
    NTSTATUS answer = ddi_submit_command_to_hw_queue(&adapter->ddi, adapter->ddi.miniport_context,
                                                     &arguments, packet->vidsch.object);
    irql_lower(before);
    dxgk_block_free(packet->submission.block); /* what the driver needs of it, it has [HWQ-006] */
    packet->submission.block = NULL;
    if (!NT_SUCCESS(answer)) {
        packet->refusal = answer;
        dxgk_note_turned_down(packet, "DxgkDdiSubmitCommandToHwQueue", answer);
        packet->context->device->misled |= dxgk_submission_is_nowhere(packet);
        dxgk_device_lose_soon(packet->context->device, D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT);
    }
}

void dxgk_hwqueue_done(struct dxgk_packet *packet, NTSTATUS status)
{
    dxgk_submission_end(packet);
    dxgk_block_free(packet->submission.block);
    packet->submission.block = NULL;
    dxgk_hwqueue_of(packet->context)->pending_count--;
}

const struct dxgk_road dxgk_road_hwqueue = {
    .name = "hardware queue",
    .kind = VIDSCH_PACKET_HW_QUEUE,
    .prepare = dxgk_virtual_prepare,
    .submit = dxgk_hwqueue_hand_over,
    .progress = dxgk_virtual_progress,
    .recall = dxgk_virtual_recall,
    .done = dxgk_hwqueue_done,
};

/* ---- What a client sends --------------------------------------------------------------------- */

static NTSTATUS validate(struct dxgk_hwqueue *queue, const struct dxgk_block *block,
                         const struct dxgk_hwqueue_submission *submission)
{
    DXGKARG_VALIDATESUBMITCOMMAND arguments = {
        .Commands = submission->commands,
        .CommandLength = submission->size_bytes,
        .Flags.HardwareQueueSubmission = 1,
        .ContextCount = 1,
        .Context[0] = queue->base.driver_handle,
        .PrivateDriverDataSize = block->size_bytes,
        .UmdPrivateDataSize = submission->private_size,
        .HwQueueProgressFenceId = submission->progress_id,
    };

    return dxgk_block_validate(block, &queue->base, &arguments);
}

/* Private data as the driver gets them; NULL: no memory. */
static struct dxgk_block *copy_private(const struct dxgk_hwqueue *queue, const void *bytes,
                                       UINT size)
{
    struct dxgk_block *block = dxgk_block_new(queue->base.device->adapter, size);

    if (block && size > 0) {
        memcpy(block->bytes, bytes, size);
    }
    return block;
}

/* A broken client comes between: its data are looked at, and it is gone before it submits. */
static void validate_spoiled(struct dxgk_hwqueue *queue,
                             const struct dxgk_hwqueue_submission *submission)
{
    UINT size = submission->private_size;

    if (size == 0 || !vary_happens(VARY_BAD_PRIVATE_DATA, SPOILED_ONE_IN)) {
        return;
    }
    void *bytes = dxgk_spoiled(submission->private_data, &size);
    struct dxgk_block *block = size > 0 ? copy_private(queue, bytes, size) : NULL;
    if (block) {
        const struct dxgk_hwqueue_submission spoiled = {.commands = submission->commands,
                                                        .size_bytes = submission->size_bytes,
                                                        .private_size = size,
                                                        .progress_id = submission->progress_id};
        (void)validate(queue, block, &spoiled);
        dxgk_block_free(block);
    }
    nt_memory_free(bytes);
}

/* A broken client's submission comes again when the GPU has passed it, and goes no further. */
static void validate_passed(struct dxgk_hwqueue *queue,
                            const struct dxgk_hwqueue_submission *submission)
{
    struct dxgk_adapter *adapter = queue->base.device->adapter;
    struct dxgk_hwqueue_submission again = *submission;

    again.progress_id = sync_fence_value(&queue->fence->core->object);
    if (submission->private_size == 0 || again.progress_id == 0 ||
        again.progress_id > queue->last_id ||
        !ddi_has(&adapter->ddi, POINT_ValidateSubmitCommand) ||
        !vary_happens(VARY_ODD_QUESTIONS, SPOILED_ONE_IN)) {
        return;
    }
    struct dxgk_block *block =
        copy_private(queue, submission->private_data, submission->private_size);
    if (!block) {
        return;
    }
    contract_count(CONTRACT_JUDGES(VALID_020));
    if (NT_SUCCESS(validate(queue, block, &again))) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VALID_020),
                                                   .ddi = "DxgkDdiValidateSubmitCommand",
                                                   .object = queue->base.object,
                                                   .advice = true},
                        "a submission to a hardware queue refused whose HwQueueProgressFenceId the "
                        "GPU has passed",
                        "HwQueueProgressFenceId %llu was taken, which the queue's progress fence "
                        "had before the call",
                        (unsigned long long)again.progress_id);
    }
    dxgk_block_free(block);
}

/* Nothing has switched since its id was found to be the next. */
static NTSTATUS push(struct dxgk_hwqueue *queue, struct dxgk_block *block,
                     const struct dxgk_hwqueue_submission *submission)
{
    struct dxgk_packet *packet = dxgk_packet_new(&queue->base, &dxgk_road_hwqueue);

    if (!packet) {
        return STATUS_NO_MEMORY;
    }
    queue->last_id = submission->progress_id;
    queue->pending_count++;
    dxgk_submission_begin(packet);
    packet->vidsch.progress_id = submission->progress_id;
    packet->submission.block = block;
    packet->submission.address = submission->commands;
    packet->submission.size = submission->size_bytes;
    packet->submission.client_bytes = submission->private_size;
    dxgk_packet_push(packet);
    return STATUS_SUCCESS;
}

/* Where the driver says how many it takes at once, as many are given to it. */
static uint64_t room_of(const struct dxgk_hwqueue *queue, uint64_t private_bytes)
{
    unsigned on_hardware = queue->base.vidsch.in_flight_max;
    uint64_t room = on_hardware > PENDING_MAX ? on_hardware + PENDING_MAX : PENDING_MAX;
    uint64_t fit = private_bytes > 0 ? PENDING_BYTES_MAX / private_bytes : room;

    room = fit < room ? fit : room;
    return room > 0 ? room : 1;
}

bool dxgk_hwqueue_wait_for_room(struct dxgk_hwqueue *queue, uint64_t private_bytes)
{
    while ((queue->pending_count >= room_of(queue, private_bytes) || queue->ending) &&
           !queue->base.device->lost) {
        wait_queue_wait(&queue->base.changed, MACHINE_NEVER);
    }
    return !queue->base.device->lost;
}

static NTSTATUS send(struct dxgk_hwqueue *queue, const struct dxgk_hwqueue_submission *submission)
{
    struct dxgk_block *block =
        copy_private(queue, submission->private_data, submission->private_size);

    if (!block) {
        return STATUS_NO_MEMORY;
    }
    if (vary_happens(VARY_MOVED_TABLES, 8)) {
        dxgk_process_move_tables(queue->base.device->process);
    }
    validate_spoiled(queue, submission);
    validate_passed(queue, submission);
    NTSTATUS status = validate(queue, block, submission);
    if (NT_SUCCESS(status) ? !dxgk_hwqueue_wait_for_room(queue, submission->private_size)
                           : queue->base.device->lost) {
        status = STATUS_DEVICE_REMOVED; /* its fence shows the largest value, which is refused */
    }
    /* A Present may have come before. */
    if (NT_SUCCESS(status) && submission->progress_id <= queue->last_id) {
        status = STATUS_INVALID_PARAMETER;
    }
    if (NT_SUCCESS(status)) {
        status = push(queue, block, submission);
    }
    if (!NT_SUCCESS(status)) {
        dxgk_block_free(block);
    }
    return status;
}

NTSTATUS dxgk_hwqueue_submit(struct dxgk_hwqueue *queue,
                             const struct dxgk_hwqueue_submission *submission)
{
    dxgk_wait_awake();
    /* The largest value is what a lost fence has. */
    if (queue->users || submission->size_bytes == 0 ||
        submission->private_size > PRIVATE_BYTES_MAX || submission->progress_id <= queue->last_id ||
        submission->progress_id == UINT64_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    if (queue->base.device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!life_enter(&queue->base.life)) {
        return STATUS_INVALID_HANDLE;
    }
    while (queue->sending) {
        wait_queue_wait(&queue->base.changed, MACHINE_NEVER);
    }
    NTSTATUS status = STATUS_INVALID_PARAMETER; /* another thread has come before */
    if (submission->progress_id > queue->last_id) {
        queue->sending = true;
        status = send(queue, submission);
        queue->sending = false;
        wait_queue_wake(&queue->base.changed, UINT_MAX);
    }
    life_leave(&queue->base.life);
    return status;
}
