/* Which of the GPU's work wrote an allocation last: for a client that finds something else there
 * than it asked for, and knows nothing of the driver's calls. */
#include "dxgk/work.h"

#include <stdio.h>

void dxgk_written_note(const struct dxgk_packet *packet)
{
    const struct dxgk_dma *dma = packet->dma;
    const struct dxgk_written written = {
        .by = packet->road,
        .fence = packet->vidsch.fence_id,
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
        process->refusal.read = allocation->written;
    }
}

bool dxgk_written_text(struct dxgk_process *process, char *text, size_t size)
{
    const struct dxgk_written *written = &process->refusal.read;
    char again[40] = "";

    if (!written->by) {
        return false;
    }
    if (written->submissions > 1) {
        snprintf(again, sizeof again, ", submitted %u times", written->submissions);
    }
    snprintf(text, size,
             "what it read last was written last by fence %u of node %u: %s, Patch, and "
             "SubmitCommand of bytes 0x%X to 0x%X of the DMA buffer%s",
             written->fence, written->node, written->by->writer, written->begin, written->end,
             again);
    return true;
}
