/* The road of patched work: rendering and presents by copy. What the lists name is made resident,
 * Patch writes its final addresses, SubmitCommand takes the buffer or the part of it that fits. */
#include "dxgk/work.h"

/* ---- Residency ----------------------------------------------------------------------------- */

static enum vidsch_prepare prepare_failed(NTSTATUS *status, NTSTATUS value)
{
    *status = value;
    return VIDSCH_PREPARE_FAILED;
}

/* Elements with one SplitOffset are of one command: all of them go with the part behind. */
static size_t first_of_command(const struct dxgk_packet *packet, size_t end)
{
    const D3DDDI_PATCHLOCATIONLIST *patches = packet->dma->patches;

    while (end > packet->patched.patch_first + 1 &&
           patches[end - 1].SplitOffset == patches[end].SplitOffset) {
        end--;
    }
    return end;
}

/* A driver that gives no offset inside of the part asks not to be split there [RENDER-015]. */
static bool can_split(const struct dxgk_packet *packet, size_t at)
{
    UINT offset = packet->dma->patches[first_of_command(packet, at)].SplitOffset;

    return offset > packet->start && offset < packet->end;
}

static void judge_split_offset(const struct dxgk_packet *packet, size_t at)
{
    UINT offset = packet->dma->patches[at].SplitOffset;

    if (offset > packet->end) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(RENDER_018),
                                                   .object = packet->vidsch.object,
                                                   .bugcheck = 0x10E,
                                                   .bugcheck_arguments = {8}},
                        "a SplitOffset inside the DMA buffer's part",
                        "SplitOffset %u of patch element %zu, part [%u, %u)", offset, at,
                        packet->start, packet->end);
    }
}

/* What begins with the command of an element becomes a packet of its own. NULL: no memory. */
static struct dxgk_packet *cut(struct dxgk_packet *packet, size_t at)
{
    struct dxgk_dma *dma = packet->dma;
    struct dxgk_packet *rest;
    size_t end = first_of_command(packet, at);

    CHECK_THAT(end > packet->patched.patch_first &&
               end < packet->patched.patch_first + packet->patched.patch_count);
    if (!(rest = dxgk_packet_new(packet->context, packet->road))) {
        return NULL;
    }
    rest->dma = dma;
    dma->packet_count++;
    rest->start = dma->patches[end].SplitOffset;
    rest->end = packet->end;
    rest->private_end = packet->private_end;
    rest->flags = packet->flags;
    rest->patched.patch_first = end;
    rest->patched.patch_count = packet->patched.patch_first + packet->patched.patch_count - end;
    rest->patched.bindings_stay = true;
    packet->end = rest->start;
    packet->patched.patch_count = end - packet->patched.patch_first;
    return rest;
}

/* The part that did not fit is the next one behind. False: no memory. */
static bool split(struct dxgk_packet *packet, size_t at)
{
    struct dxgk_packet *rest = cut(packet, at);

    if (!rest) {
        return false;
    }
    record_count("memory.splits", 1);
    vidsch_push_after(&packet->vidsch, &rest->vidsch);
    return true;
}

/* Where it could be cut, if what one of the elements names did not fit; 0: nowhere. */
static size_t draw_cut(const struct dxgk_packet *packet, enum variation variation)
{
    size_t first = packet->patched.patch_first, count = packet->patched.patch_count;

    if (!packet->dma->by_patch || count < 2 || !vary_on(variation) ||
        vary_below(variation, 4) == 0) {
        return 0;
    }
    size_t end = first_of_command(packet, first + 1 + vary_below(variation, count - 1));
    if (!can_split(packet, end)) {
        return 0;
    }
    vary_happened(variation);
    return end;
}

struct dxgk_packet *dxgk_patched_cut_early(struct dxgk_packet *packet)
{
    size_t end = draw_cut(packet, VARY_BAD_COMMANDS);

    return end ? cut(packet, end) : NULL;
}

/* As if what one of the elements names did not fit beside what those before it name. */
static bool split_early(struct dxgk_packet *packet)
{
    size_t end = draw_cut(packet, VARY_SPLIT_WORK);

    return !end || split(packet, end);
}

static enum vidsch_prepare wait_for_paging(struct dxgk_packet *packet)
{
    if (vidmm_paging_reached(packet->adapter->vidmm, packet->patched.paging_sequence)) {
        return VIDSCH_PREPARE_READY;
    }
    return dxgk_packet_wait(packet);
}

/* What cannot be cut where memory ends, for one command names it all, is made resident as a whole
 * or not at all. */
static void prepare_memory(struct dxgk_packet *packet, struct vidmm_prepare_result *result)
{
    const struct dxgk_dma *dma = packet->dma;
    struct vidmm_prepare_request request = {
        .references = dma->references,
        .count = dma->by_patch ? packet->patched.patch_first + packet->patched.patch_count
                               : dma->reference_count,
        .first = packet->patched.patch_first,
        .bindings_stay = packet->patched.bindings_stay,
        .may_split = dma->by_patch,
    };

    vidmm_prepare(&packet->use, &request, result);
    if (result->outcome == VIDMM_SPLIT && !can_split(packet, result->end)) {
        judge_split_offset(packet, result->end);
        vidmm_use_give_up(&packet->use);
        request.may_split = false;
        vidmm_prepare(&packet->use, &request, result);
    }
}

static enum vidsch_prepare make_resident(struct dxgk_packet *packet, NTSTATUS *status)
{
    struct dxgk_dma *dma = packet->dma;
    struct vidmm_prepare_result result = {0};

    dxgk_packet_asks(packet);
    enum vidsch_prepare state = dxgk_packet_prepare_state(packet, status);
    if (state != VIDSCH_PREPARE_READY) {
        return state;
    }
    uint64_t queued = vidmm_paging_queued(packet->adapter->vidmm);
    *status = vidmm_dma_map(dma->buffer);
    if (!NT_SUCCESS(*status)) {
        return VIDSCH_PREPARE_FAILED;
    }
    if (*status == STATUS_PENDING) { /* others have the room, for now */
        dxgk_paging_kick_new(packet->adapter, queued);
        return dxgk_packet_let_go(packet);
    }
    if (!split_early(packet)) {
        return prepare_failed(status, STATUS_NO_MEMORY);
    }
    prepare_memory(packet, &result);
    packet->wants_unlock = dxgk_is_clients_lock(packet->adapter, &result.wait);
    switch (result.outcome) {
    case VIDMM_SPLIT:
        if (!split(packet, result.end)) {
            return prepare_failed(status, STATUS_NO_MEMORY);
        }
        break;
    case VIDMM_READY:
        break;
    case VIDMM_WAIT:
        dxgk_paging_kick_new(packet->adapter, queued);
        return dxgk_packet_let_go(packet);
    default:
        return prepare_failed(status, result.status);
    }
    dxgk_paging_kick_new(packet->adapter, queued);
    packet->patched.resident = true;
    packet->patched.paging_sequence = result.paging_sequence > packet->state_sequence
                                          ? result.paging_sequence
                                          : packet->state_sequence;
    if (dma->buffer->paging_sequence > packet->patched.paging_sequence) {
        packet->patched.paging_sequence = dma->buffer->paging_sequence;
    }
    return wait_for_paging(packet);
}

static enum vidsch_prepare patched_prepare(struct dxgk_packet *packet, NTSTATUS *status)
{
    CHECK_THAT(!packet->patched.resident || !vidmm_use_revoked(&packet->use)); /* see recall */
    return packet->patched.resident ? wait_for_paging(packet) : make_resident(packet, status);
}

/* What it waits for may be there: the scheduler asks to prepare it again. */
static void patched_progress(struct dxgk_packet *packet)
{
    if (packet->patched.resident
            ? vidmm_paging_reached(packet->adapter->vidmm, packet->patched.paging_sequence)
            : dxgk_packet_asks_again(packet)) {
        list_remove(&packet->wait_link);
        vidsch_prepared(&packet->vidsch, STATUS_SUCCESS);
    }
}

/* ---- Patch and submit ---------------------------------------------------------------------- */

/* Final addresses of every allocation in the list [PATCH-011]. */
static void place_list(struct dxgk_dma *dma)
{
    for (UINT i = 0; i < dma->allocation_count; i++) {
        if (dma->targets[i]) {
            dxgk_allocation_list_place(&dma->allocations[i], dma->targets[i]);
        }
    }
}

static void patch(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    struct dxgk_dma *dma = packet->dma;
    DXGKARG_PATCH arguments;

    place_list(dma);
    dxgk_dma_give_lists(dma);
    dxgk_patch_fill(packet, dma->buffer, &arguments);
    arguments.DmaBufferSize = dma->size;
    arguments.DmaBufferPrivateDataSize = dma->private_size;
    arguments.pAllocationList = dma->given_allocations;
    arguments.AllocationListSize = dma->allocation_count;
    arguments.pPatchLocationList = dma->given_patches;
    arguments.PatchLocationListSize = dma->patch_count;
    arguments.PatchLocationListSubmissionStart = (UINT)packet->patched.patch_first;
    arguments.PatchLocationListSubmissionLength = (UINT)packet->patched.patch_count;
    arguments.Flags.Present = packet->flags.Present;
    arguments.Flags.NullRendering = packet->flags.NullRendering;
    arguments.Flags.RedirectedPresent = packet->flags.RedirectedPresent;
    ddi_patch(&adapter->ddi, adapter->ddi.miniport_context, &arguments, packet->vidsch.object);
    dxgk_clue_patched(packet);
}

static void patched_submit(struct dxgk_packet *packet)
{
    struct dxgk_dma *dma = packet->dma;
    DXGKARG_SUBMITCOMMAND arguments;

    CHECK_THAT(packet->patched.resident);
    KERNEL_DUTY(CCA_003, !packet->has_state || !vidmm_use_revoked(&packet->state_use));
    KERNEL_DUTY(SUBMIT_007,
                vidmm_paging_reached(packet->adapter->vidmm, packet->patched.paging_sequence));
    if (packet->vidsch.resubmission_count > 0) {
        vidmm_dma_keep_private(dma->buffer);
    }
    patch(packet);
    dxgk_submit_fill(packet, dma->buffer, &arguments);
    arguments.DmaBufferSize = dma->size;
    arguments.DmaBufferPrivateDataSize = dma->private_size;
    dxgk_written_note(packet);
    dxgk_submit_command(packet, &arguments);
}

/* For a packet that never reached the hardware and never will [CANCEL-002]. */
static void patched_cancel(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    struct dxgk_dma *dma = packet->dma;

    if (!adapter->caps.SchedulingCaps.CancelCommandAware ||
        !ddi_has(&adapter->ddi, POINT_CancelCommand)) {
        return;
    }
    dxgk_dma_give_lists(dma);
    const DXGKARG_CANCELCOMMAND arguments = {
        .hContext = packet->context->driver_handle,
        .pDmaBuffer = dma->buffer->bytes,
        .DmaBufferSize = dma->size,
        .DmaBufferSubmissionStartOffset = packet->start,
        .DmaBufferSubmissionEndOffset = packet->end,
        .pDmaBufferPrivateData = dma->buffer->private_data,
        .DmaBufferPrivateDataSize = dma->private_size,
        .DmaBufferPrivateDataSubmissionStartOffset = packet->private_start,
        .DmaBufferPrivateDataSubmissionEndOffset = packet->private_end,
        .pAllocationList = dma->given_allocations,
        .AllocationListSize = dma->allocation_count,
        .pPatchLocationList = dma->given_patches,
        .PatchLocationListSize = dma->patch_count,
        .PatchLocationListSubmissionStart = (UINT)packet->patched.patch_first,
        .PatchLocationListSubmissionLength = (UINT)packet->patched.patch_count,
    };
    KERNEL_DUTY(CANCEL_002, !packet->vidsch.submitted);
    NTSTATUS answer = ddi_cancel_command(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                         packet->vidsch.object);
    KERNEL_DUTY(CANCEL_004, answer == STATUS_SUCCESS);
}

static void patched_recall(struct dxgk_packet *packet)
{
    packet->patched.resident = false;
    /* What an earlier part bound is bound no more, and the part will not run again. */
    if (packet->patched.bindings_stay && vidsch_packet_is_head(&packet->vidsch)) {
        dxgk_device_lose_soon(packet->context->device, D3DKMT_DEVICEEXECUTION_RESET);
    }
}

static void patched_done(struct dxgk_packet *packet, NTSTATUS status)
{
    if (NT_SUCCESS(status)) {
        dxgk_clue_preempted(packet);
    }
    dxgk_dma_put(packet->dma);
}

/* ---- The roads ----------------------------------------------------------------------------- */

/* They differ in who writes the buffer. */
#define PATCHED(road_name, road_kind, road_writer)                                          \
    {                                                                                       \
        .name = (road_name), .kind = (road_kind), .writer = (road_writer),                  \
        .prepare = patched_prepare, .submit = patched_submit, .progress = patched_progress, \
        .cancel = patched_cancel, .recall = patched_recall, .done = patched_done,           \
    }

const struct dxgk_road dxgk_road_render = PATCHED("render", VIDSCH_PACKET_RENDER, "DxgkDdiRender");
const struct dxgk_road dxgk_road_gdi = PATCHED("gdi", VIDSCH_PACKET_RENDER, "DxgkDdiRenderKm");
const struct dxgk_road dxgk_road_present =
    PATCHED("present", VIDSCH_PACKET_PRESENT, "DxgkDdiPresent");
