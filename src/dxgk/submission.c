/* The road of submissions by virtual address: what clients wrote where the GPU finds it by the
 * tables of their process. All that the device wants in place is in place, and the tables say so;
 * SubmitCommandVirtual takes the address and a block of private data, whose begin is the client's
 * and whose end the driver's [SUBV-007].
 *
 *   the client's call ─> a block for each context ─> ValidateSubmitCommand, once, with the block of
 *   the first [VALID-001] ─> refused: nothing has happened ─> each context's packet, with what is
 *   in that block */
#include "dxgk/submission.h"
#include "dxgk/context_memory.h"
#include "dxgk/doorbell.h"
#include "dxgk/fence_memory.h"
#include "dxgk/leads.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 32 /* of a context: as many submissions wait or run */

#define NO_FENCE UINT64_C(0xBADC0DEBADC0DE00)

/* ---- Blocks of private data ------------------------------------------------------------------ */

/* PENDING: as many as may be are used. */
static NTSTATUS take_block(struct dxgk_context *context, struct dxgk_block **out)
{
    struct list *link = list_pop_front(&context->blocks.free);

    if (!link && context->blocks.count == BLOCKS_MAX) {
        return STATUS_PENDING;
    }
    *out = link ? container_of(link, struct dxgk_block, link)
                : dxgk_block_new(context->device->adapter, context->info.DmaBufferPrivateDataSize);
    context->blocks.count += !link && *out;
    return *out ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static void give_block_back(struct dxgk_context *context, struct dxgk_block *block)
{
    list_push_back(&context->blocks.free, &block->link);
    wait_queue_wake(&context->changed, UINT_MAX);
}

void dxgk_blocks_free(struct dxgk_context *context)
{
    for (struct list *link; (link = list_pop_front(&context->blocks.free)) != NULL;) {
        dxgk_block_free(container_of(link, struct dxgk_block, link));
        context->blocks.count--;
    }
    CHECK_THAT(context->blocks.count == 0);
    free(context->blocks.made_with.bytes);
    context->blocks.made_with = (struct dxgk_private){0};
}

/* ---- Residency ------------------------------------------------------------------------------- */

static struct dxgk_space *space_of(const struct dxgk_packet *packet)
{
    return &packet->context->device->process->space;
}

/* Pages and tables as of now: what is mapped later is no concern of this submission. */
static void note_sequence(struct dxgk_packet *packet, uint64_t sequence)
{
    struct vidmm_root root;

    vidmm_space_root(&space_of(packet)->memory, &root);
    packet->submission.paging_sequence =
        root.paging_sequence > sequence ? root.paging_sequence : sequence;
}

static uint64_t last_of(const struct dxgk_packet *packet, uint64_t sequence)
{
    uint64_t state = packet->has_state ? packet->state_sequence : 0;
    uint64_t fence = packet->has_fences ? packet->fence_sequence : 0;

    sequence = sequence > state ? sequence : state;
    return sequence > fence ? sequence : fence;
}

/* All is in place, the tables say so, its space's contexts may run, and its context has heard what
 * the driver had to say of a root that moved meanwhile. */
static bool may_run(const struct dxgk_packet *packet)
{
    return space_of(packet)->hold_count == 0 &&
           dxgk_context_updates_done(&packet->context->memories) &&
           dxgk_context_updates_done(&packet->context->device->memories) &&
           vidmm_paging_reached(packet->adapter->vidmm, packet->submission.paging_sequence);
}

enum vidsch_prepare dxgk_virtual_prepare(struct dxgk_packet *packet, NTSTATUS *status)
{
    struct dxgk_adapter *adapter = packet->adapter;
    struct vidmm_prepare_result result;

    if (!packet->submission.resident) {
        dxgk_packet_asks(packet);
        enum vidsch_prepare state = dxgk_packet_prepare_state(packet, status);
        if (state == VIDSCH_PREPARE_READY) {
            state = dxgk_fences_prepare(packet, status);
        }
        if (state != VIDSCH_PREPARE_READY) {
            return state;
        }
        uint64_t queued = vidmm_paging_queued(adapter->vidmm);
        vidmm_prepare_list(&packet->use, &packet->context->device->residency.list, &result);
        dxgk_paging_kick_new(adapter, queued);
        packet->wants_unlock = dxgk_is_clients_lock(adapter, &result.wait);
        bool owed = result.outcome == VIDMM_WAIT && result.wait.kind == VIDMM_WAIT_OTHERS;
        packet->gives_up_ns = owed ? packet->gives_up_ns : 0;
        if (owed ? dxgk_tables_are_owed(packet) : result.outcome == VIDMM_WAIT) {
            return dxgk_packet_let_go(packet);
        }
        if (result.outcome != VIDMM_READY) {
            *status = result.status;
            return VIDSCH_PREPARE_FAILED;
        }
        KERNEL_DUTY(RES_002, list_empty(&packet->context->device->residency.list.missing));
        packet->submission.resident = true;
        dxgk_submission_look_where(packet);
        note_sequence(packet, last_of(packet, result.paging_sequence));
    }
    return may_run(packet) ? VIDSCH_PREPARE_READY : dxgk_packet_wait(packet);
}

void dxgk_virtual_progress(struct dxgk_packet *packet)
{
    if (packet->vidsch.doomed ||
        (packet->submission.resident ? may_run(packet) : dxgk_packet_asks_again(packet))) {
        list_remove(&packet->wait_link);
        vidsch_prepared(&packet->vidsch, STATUS_SUCCESS);
    }
}

void dxgk_virtual_recall(struct dxgk_packet *packet)
{
    packet->submission.resident = false;
}

/* ---- Submission ------------------------------------------------------------------------------ */

/* Malformed in the driver's eyes: the device is lost, and the fence ends in its turn [SUBV-002]. */
static void refuse(struct dxgk_packet *packet, NTSTATUS answer)
{
    struct dxgk_engine *engine = &packet->adapter->engines[packet->context->node];

    packet->refusal = answer;
    dxgk_note_turned_down(packet, "DxgkDdiSubmitCommandVirtual", answer);
    engine->any_refused = true;
    engine->refused = packet->vidsch.fence_id;
    packet->context->device->misled |= dxgk_submission_is_nowhere(packet);
    dxgk_device_lose_soon(packet->context->device, D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT);
}

void dxgk_virtual_submit(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    const struct dxgk_context *context = packet->context;
    DXGKARG_SUBMITCOMMANDVIRTUAL arguments = {
        .hContext = context->driver_handle,
        .DmaBufferVirtualAddress = packet->submission.address,
        .DmaBufferSize = packet->submission.size,
        .pDmaBufferPrivateData = packet->submission.block->bytes,
        .DmaBufferPrivateDataSize = context->info.DmaBufferPrivateDataSize,
        .DmaBufferUmdPrivateDataSize = packet->submission.client_bytes,
        .SubmissionFenceId = packet->vidsch.fence_id,
        .Flags = packet->flags,
        .NodeOrdinal = context->node,
    };

    KERNEL_DUTY(SUBV_009,
                packet->use.list == &context->device->residency.list &&
                    vidmm_paging_reached(adapter->vidmm, packet->submission.paging_sequence) &&
                    space_of(packet)->hold_count == 0);
    KERNEL_DUTY(CCA_003, !packet->has_state || !vidmm_use_revoked(&packet->state_use));
    arguments.Flags.Resubmission = packet->vidsch.resubmission_count > 0;
    dxgk_leads_work(packet);
    NTSTATUS answer = ddi_submit_command_virtual(&adapter->ddi, adapter->ddi.miniport_context,
                                                 &arguments, packet->vidsch.object);
    if (!NT_SUCCESS(answer)) {
        refuse(packet, answer);
    }
}

/* For a packet that never reached the hardware and never will [CANCEL-002]. There are no lists, and
 * no buffer that the kernel maps; the private data are the client's, then what the driver wrote
 * when it validated them: nothing, if it did not [CANCEL-011, CANCEL-013]. */
void dxgk_virtual_cancel(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    UINT private_size = packet->context->info.DmaBufferPrivateDataSize;

    if (!adapter->caps.SchedulingCaps.CancelCommandAware ||
        !ddi_has(&adapter->ddi, POINT_CancelCommand)) {
        return;
    }
    const DXGKARG_CANCELCOMMAND arguments = {
        .hContext = packet->context->driver_handle,
        .DmaBufferSize = packet->submission.size,
        .DmaBufferSubmissionEndOffset = packet->submission.size,
        .pDmaBufferPrivateData = packet->submission.block->bytes,
        .DmaBufferPrivateDataSize = private_size,
        .DmaBufferPrivateDataSubmissionEndOffset = private_size,
        .DmaBufferVirtualAddress = packet->submission.address,
        .DmaBufferUmdPrivateDataSize = packet->submission.client_bytes,
    };
    KERNEL_DUTY(CANCEL_002, !packet->vidsch.submitted);
    NTSTATUS answer = ddi_cancel_command(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                         packet->vidsch.object);
    KERNEL_DUTY(CANCEL_004, answer == STATUS_SUCCESS);
}

static void virtual_done(struct dxgk_packet *packet, NTSTATUS status)
{
    dxgk_submission_end(packet);
    if (NT_SUCCESS(status) && !packet->flags.NullRendering) { /* else nothing of it ran */
        dxgk_leads_after(packet);
    }
    give_block_back(packet->context, packet->submission.block);
}

const struct dxgk_road dxgk_road_virtual = {
    .name = "virtual",
    .kind = VIDSCH_PACKET_RENDER,
    .prepare = dxgk_virtual_prepare,
    .submit = dxgk_virtual_submit,
    .progress = dxgk_virtual_progress,
    .cancel = dxgk_virtual_cancel,
    .recall = dxgk_virtual_recall,
    .done = virtual_done,
};

/* ---- What a client sends --------------------------------------------------------------------- */

/* A call under way: a block for each of its contexts. */
struct sending {
    const struct dxgk_virtual_request *request;
    struct dxgk_block *blocks[D3DDDI_MAX_BROADCAST_CONTEXT];
    unsigned count; /* of blocks that are there */
};

static void give_all_back(struct sending *sending)
{
    while (sending->count > 0) {
        sending->count--;
        give_block_back(sending->request->contexts[sending->count],
                        sending->blocks[sending->count]);
    }
}

static bool is_lost(const struct sending *sending)
{
    return sending->request->contexts[0]->device->lost;
}

/* Behind the client's bytes is nothing, or what an earlier submission left there [VALID-014]. */
static void fill(const struct dxgk_context *context, struct dxgk_block *block,
                 const struct dxgk_virtual_request *request)
{
    if (block->bytes && !vary_happens(VARY_OLD_PRIVATE_DATA, 1)) {
        memset(block->bytes, 0, context->info.DmaBufferPrivateDataSize);
    }
    if (request->private_size > 0) {
        memcpy(block->bytes, request->private_data, request->private_size);
    }
}

/* One of each, or none: who waits for one holds no other, for which somebody else may wait. */
static NTSTATUS take_blocks(struct sending *sending)
{
    const struct dxgk_virtual_request *request = sending->request;

    while (sending->count < request->context_count) {
        struct dxgk_context *context = request->contexts[sending->count];
        NTSTATUS status = take_block(context, &sending->blocks[sending->count]);
        if (status == STATUS_SUCCESS) {
            fill(context, sending->blocks[sending->count++], request);
            continue;
        }
        give_all_back(sending);
        if (status != STATUS_PENDING) {
            return status;
        }
        if (is_lost(sending)) {
            return STATUS_DEVICE_REMOVED;
        }
        wait_queue_wait(&context->changed, MACHINE_NEVER);
    }
    return STATUS_SUCCESS;
}

/* No hardware queue has a fence [VALID-021]. */
static NTSTATUS validate(const struct sending *sending)
{
    const struct dxgk_virtual_request *request = sending->request;
    DXGKARG_VALIDATESUBMITCOMMAND arguments = {
        .Commands = request->commands,
        .CommandLength = request->size_bytes,
        .ContextCount = request->context_count,
        .PrivateDriverDataSize = request->contexts[0]->info.DmaBufferPrivateDataSize,
        .UmdPrivateDataSize = request->private_size,
        .HwQueueProgressFenceId = NO_FENCE,
    };

    for (unsigned i = 0; i < request->context_count; i++) {
        arguments.Context[i] = request->contexts[i]->driver_handle;
    }
    return dxgk_block_validate(sending->blocks[0], request->contexts[0], &arguments);
}

/* Broadcast contexts get what the driver made of the first one's block, as far as it fits. */
static void spread(struct sending *sending)
{
    const struct dxgk_virtual_request *request = sending->request;
    UINT made = request->contexts[0]->info.DmaBufferPrivateDataSize;

    for (unsigned i = 1; i < sending->count; i++) {
        UINT room = request->contexts[i]->info.DmaBufferPrivateDataSize;
        UINT size = room < made ? room : made;
        if (size > 0) {
            memcpy(sending->blocks[i]->bytes, sending->blocks[0]->bytes, size);
        }
    }
}

static void push(struct dxgk_packet *packet, const struct dxgk_virtual_request *request)
{
    dxgk_submission_begin(packet);
    packet->submission.address = request->commands;
    packet->submission.size = request->size_bytes;
    packet->submission.client_bytes = request->private_size;
    packet->submission.spoiled = request->spoiled;
    packet->flags.NullRendering = request->null_rendering || packet->context->null_rendering;
    packet->flags.RedirectedPresent = request->redirected;
    dxgk_packet_push(packet);
}

/* All contexts get theirs, or none does. */
static NTSTATUS push_all(struct sending *sending)
{
    struct dxgk_device *device = sending->request->contexts[0]->device;
    struct dxgk_packet *packets[D3DDDI_MAX_BROADCAST_CONTEXT];
    unsigned made = 0;

    if (!device->adapter->mmu.shared && vary_happens(VARY_MOVED_TABLES, 8)) {
        dxgk_process_move_tables(device->process);
    }
    while (made < sending->count && !is_lost(sending) &&
           (packets[made] =
                dxgk_packet_new(sending->request->contexts[made], &dxgk_road_virtual)) != NULL) {
        made++;
    }
    if (made < sending->count) {
        while (made > 0) {
            dxgk_packet_free(packets[--made]);
        }
        give_all_back(sending);
        return is_lost(sending) ? STATUS_DEVICE_REMOVED : STATUS_NO_MEMORY;
    }
    for (unsigned i = 0; i < made; i++) {
        packets[i]->submission.block = sending->blocks[i];
    }
    for (unsigned i = 0; i < made; i++) {
        push(packets[i], sending->request);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS send(const struct dxgk_virtual_request *request)
{
    struct sending sending = {.request = request};
    NTSTATUS status = take_blocks(&sending);

    if (NT_SUCCESS(status)) {
        status = validate(&sending);
    }
    if (!NT_SUCCESS(status)) {
        give_all_back(&sending);
        return status;
    }
    spread(&sending);
    if (!request->spoiled) {
        dxgk_sent_keep(request);
    }
    return push_all(&sending);
}

void dxgk_submission_begin(struct dxgk_packet *packet)
{
    struct dxgk_residency *residency = &packet->context->device->residency;

    packet->submission.number = ++residency->last_number;
    list_push_back(&residency->submissions, &packet->submission.link);
}

void dxgk_submission_end(struct dxgk_packet *packet)
{
    list_remove(&packet->submission.link);
    wait_queue_wake(&packet->context->device->child_gone, UINT_MAX);
    dxgk_fences_look(space_of(packet));
}

bool dxgk_submissions_done(const struct dxgk_device *device, uint64_t number)
{
    const struct list *submissions = &device->residency.submissions;

    return list_empty(submissions) ||
           container_of(submissions->next, struct dxgk_packet, submission.link)->submission.number >
               number;
}

void dxgk_wait_submissions(struct dxgk_device *device, uint64_t number)
{
    if (!dxgk_submissions_done(device, number)) {
        dxgk_device_doorbells_leave(device);
    }
    while (!dxgk_submissions_done(device, number)) {
        wait_queue_wait(&device->child_gone, MACHINE_NEVER);
    }
}

/* Of one device, each once, and all have room for what the client sends. */
static bool are_contexts(const struct dxgk_virtual_request *request)
{
    for (unsigned i = 0; i < request->context_count; i++) {
        const struct dxgk_context *context = request->contexts[i];
        if (!context->virtual_addresses || context->gdi ||
            context->device != request->contexts[0]->device ||
            request->private_size > context->info.DmaBufferPrivateDataSize) {
            return false;
        }
        for (unsigned j = 0; j < i; j++) {
            if (request->contexts[j] == context) {
                return false;
            }
        }
    }
    return request->context_count > 0 && request->context_count <= D3DDDI_MAX_BROADCAST_CONTEXT;
}

NTSTATUS dxgk_submit_virtual(const struct dxgk_virtual_request *request)
{
    NTSTATUS status = STATUS_SUCCESS;
    unsigned entered = 0;

    dxgk_wait_awake();
    if (!are_contexts(request) || request->size_bytes == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    if (request->contexts[0]->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    while (entered < request->context_count && NT_SUCCESS(status)) {
        status =
            life_enter(&request->contexts[entered]->life) ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
        entered += NT_SUCCESS(status);
    }
    if (NT_SUCCESS(status)) {
        status = send(request);
    }
    while (entered > 0) {
        life_leave(&request->contexts[--entered]->life);
    }
    return status;
}
