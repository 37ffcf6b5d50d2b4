/* Which of the GPU's work wrote an allocation last: for a client that finds something else there
 * than it asked for, and knows nothing of the driver's calls. */
#include "dxgk/work.h"

#include <inttypes.h>
#include <stdio.h>

const char *dxgk_packet_given(const struct dxgk_packet *packet)
{
    const struct dxgk_adapter *adapter = packet->adapter;

    if (packet->vidsch.kind == VIDSCH_PACKET_HW_QUEUE) {
        return "SubmitCommandToHwQueue";
    }
    if (packet->flags.Paging ? adapter->mmu.pages : packet->context->virtual_addresses) {
        return "SubmitCommandVirtual";
    }
    return !packet->flags.Paging && ddi_has(&adapter->ddi, POINT_Patch) ? "Patch and SubmitCommand"
                                                                        : "SubmitCommand";
}

uint64_t dxgk_packet_fence(const struct dxgk_packet *packet)
{
    return packet->vidsch.kind == VIDSCH_PACKET_HW_QUEUE ? packet->vidsch.progress_id
                                                         : packet->vidsch.fence_id;
}

void dxgk_written_note(const struct dxgk_packet *packet)
{
    const struct dxgk_dma *dma = packet->dma;
    const struct dxgk_written written = {
        .writer = packet->road->writer,
        .given = dxgk_packet_given(packet),
        .fence = dxgk_packet_fence(packet),
        .node = packet->context->node,
        .begin = packet->start,
        .end = packet->end,
        .submissions = packet->vidsch.resubmission_count + 1,
    };

    for (UINT i = 0; i < dma->allocation_count; i++) {
        if (dma->targets[i] && dma->writes[i]) {
            dma->targets[i]->written = written;
        }
    }
}

void dxgk_written_read(const struct dxgk_allocation *allocation)
{
    struct dxgk_process *process = dxgk_process_current();

    if (process) {
        process->answers.read = allocation->written;
    }
}

bool dxgk_written_text(struct dxgk_process *process, char *text, size_t size)
{
    const struct dxgk_written *written = &process->answers.read;
    char again[40] = "";

    if (!written->writer) {
        return false;
    }
    if (written->submissions > 1) {
        snprintf(again, sizeof again, ", submitted %u times", written->submissions);
    }
    snprintf(text, size,
             "what it read last was written last by fence %" PRIu64 " of node %u: %s, and %s of "
             "bytes 0x%X to 0x%X of the DMA buffer%s",
             written->fence, written->node, written->writer, written->given, written->begin,
             written->end, again);
    return true;
}
