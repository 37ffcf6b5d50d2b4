/* The roads of paging packets: parts of paging buffers, which BuildPagingBuffer wrote.
 *
 *   by the node's own queue     SubmitCommand, or SubmitCommandVirtual where paging has addresses
 *   by a hardware queue         SubmitCommandToHwQueue; the end of the part writes its progress
 *                               fence: paging_queue.c */
#include "dxgk/paging_queue.h"
#include "dxgk/submission.h"
#include "dxgk/work.h"

#include <string.h>

/* ---- By the node's own queue ----------------------------------------------------------------- */

/* Documents disagree whether Patch is called for paging buffers; with the option it is, with empty
 * lists and nothing to change [PAGE-028]. */
static void patch_paging(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    DXGKARG_PATCH arguments;

    dxgk_patch_fill(packet, packet->paging.buffer->dma, &arguments);
    arguments.DmaBufferSize = adapter->paging_buffer_size;
    arguments.DmaBufferPrivateDataSize = adapter->paging_private_size;
    arguments.Flags.Paging = 1;
    ddi_patch(&adapter->ddi, adapter->ddi.miniport_context, &arguments, packet->vidsch.object);
}

/* Addresses are final in such a buffer: there is nothing to patch. The private data are those that
 * the buffer has from this part on: how many of them the driver wrote it need not say. */
static void submit_virtual(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    const struct vidmm_dma_buffer *dma = packet->paging.buffer->dma;
    UINT private_size = adapter->paging_private_size - packet->private_start;
    DXGKARG_SUBMITCOMMANDVIRTUAL arguments = {
        .hContext = packet->context->driver_handle,
        .DmaBufferVirtualAddress = dma->virtual_address + packet->start,
        .DmaBufferSize = packet->end - packet->start,
        .pDmaBufferPrivateData = private_size ? dma->private_data + packet->private_start : NULL,
        .DmaBufferPrivateDataSize = private_size,
        .SubmissionFenceId = packet->vidsch.fence_id,
        .Flags = packet->flags,
        .NodeOrdinal = packet->context->node,
    };

    arguments.Flags.Resubmission = packet->vidsch.resubmission_count > 0;
    /* A refusal stopped the system [SUBV-001]: it wrote these commands itself. */
    (void)ddi_submit_command_virtual(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                     packet->vidsch.object);
}

static void remember_submission(const struct dxgk_packet *packet)
{
    struct vidmm_op *op = packet->paging.operation->op;

    if (op->owner_submission.end == 0) {
        op->owner_submission.fence = packet->vidsch.kind == VIDSCH_PACKET_HW_QUEUE
                                         ? (uint32_t)packet->vidsch.progress_id
                                         : packet->vidsch.fence_id;
        op->owner_submission.begin = packet->start;
        op->owner_submission.end = packet->end;
    }
}

static void paging_submit(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    DXGKARG_SUBMITCOMMAND arguments;

    remember_submission(packet);
    if (adapter->mmu.pages) {
        submit_virtual(packet);
        return;
    }
    if (adapter->options.patch_paging ||
        (ddi_has(&adapter->ddi, POINT_Patch) && vary_happens(VARY_PATCHED_PAGING, 2))) {
        patch_paging(packet);
    }
    dxgk_submit_fill(packet, packet->paging.buffer->dma, &arguments);
    arguments.DmaBufferSize = adapter->paging_buffer_size;
    arguments.DmaBufferPrivateDataSize = adapter->paging_private_size;
    if (adapter->emptying && vary_happens(VARY_NO_CONTEXT, 1)) {
        arguments.hContext = NULL;
    }
    dxgk_submit_command(packet, &arguments);
}

static const struct dxgk_road node_road = {
    .name = "paging",
    .kind = VIDSCH_PACKET_PAGING,
    .writer = "DxgkDdiBuildPagingBuffer",
    .submit = paging_submit,
    .done = dxgk_paging_part_done,
};

/* ---- By a hardware queue --------------------------------------------------------------------- */

/* The driver's private data are freed when the call returns [HWQ-006]: it gets a copy. */
static void submit_to_queue(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    const struct vidmm_dma_buffer *dma = packet->paging.buffer->dma;
    UINT private_size = adapter->paging_private_size - packet->private_start;
    struct dxgk_block *block = dxgk_block_new(adapter, private_size);

    if (!block) {
        packet->refusal = STATUS_NO_MEMORY;
        return;
    }
    if (private_size > 0) {
        memcpy(block->bytes, dma->private_data + packet->private_start, private_size);
    }
    remember_submission(packet);
    packet->refusal = dxgk_paging_queue_submit(packet, block);
    dxgk_block_free(block);
}

static const struct dxgk_road queue_road = {
    .name = "paging",
    .kind = VIDSCH_PACKET_HW_QUEUE,
    .writer = "DxgkDdiBuildPagingBuffer",
    .submit = submit_to_queue,
    .done = dxgk_paging_part_done,
};

const struct dxgk_road *dxgk_paging_road(const struct dxgk_adapter *adapter)
{
    return adapter->paging.queue ? &queue_road : &node_road;
}
