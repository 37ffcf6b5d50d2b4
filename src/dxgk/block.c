/* Private data of submissions by virtual address, and what the driver says to them. */
#include "dxgk/submission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE   ((HANDLE)(uintptr_t)0xBADC0DE000000000u) /* no address */
#define LEFT_BYTE 0xE7

void dxgk_block_free(struct dxgk_block *block)
{
    if (block) {
        nt_memory_free(block->bytes);
        nt_memory_free(block->shown);
        free(block);
    }
}

struct dxgk_block *dxgk_block_new(struct dxgk_adapter *adapter, UINT size_bytes)
{
    bool validates = size_bytes > 0 && ddi_has(&adapter->ddi, POINT_ValidateSubmitCommand);
    struct dxgk_block *block = calloc(1, sizeof *block);

    if (!block) {
        return NULL;
    }
    list_init(&block->link);
    block->size_bytes = size_bytes;
    block->bytes = size_bytes > 0 ? nt_memory_hand(size_bytes, "pDmaBufferPrivateData") : NULL;
    block->shown = validates ? nt_memory_hand(size_bytes, "pPrivateDriverData") : NULL;
    if ((size_bytes > 0 && !block->bytes) || (validates && !block->shown)) {
        dxgk_block_free(block);
        return NULL;
    }
    return block;
}

/* In the client's process, or in none: the driver is told not to rest on it [VALID-004]. Handles
 * behind the last one lead nowhere [VALID-013]. */
NTSTATUS dxgk_block_validate(const struct dxgk_block *block, const struct dxgk_context *context,
                             DXGKARG_VALIDATESUBMITCOMMAND *arguments)
{
    struct dxgk_adapter *adapter = context->device->adapter;

    if (arguments->UmdPrivateDataSize == 0 ||
        !ddi_has(&adapter->ddi, POINT_ValidateSubmitCommand)) {
        return STATUS_SUCCESS;
    }
    for (UINT i = arguments->ContextCount; i < D3DDDI_MAX_BROADCAST_CONTEXT; i++) {
        arguments->Context[i] = NOWHERE;
    }
    arguments->pPrivateDriverData = block->shown;
    memcpy(block->shown, block->bytes, block->size_bytes);
    struct nt_process *client = nt_process_current();
    if (vary_happens(VARY_VALIDATED_ELSEWHERE, 2)) {
        nt_process_set_current(NULL);
    }
    NTSTATUS status = ddi_validate_submit_command(&adapter->ddi, adapter->ddi.miniport_context,
                                                  arguments, context->object);
    nt_process_set_current(client);
    memcpy(block->bytes, block->shown, block->size_bytes);
    memset(block->shown, LEFT_BYTE, block->size_bytes); /* who keeps the pointer finds nothing */
    return status;
}

/* ---- Refused all the same -------------------------------------------------------------------- */

void dxgk_note_turned_down(const struct dxgk_packet *packet, const char *ddi, NTSTATUS status)
{
    struct dxgk_process *process = packet->context->device->process;
    const struct dxgk_adapter *adapter = packet->adapter;
    bool has_data = packet->submission.client_bytes > 0;

    if (process) {
        process->answers.down = (struct dxgk_turned_down){
            .ddi = ddi,
            .status = status,
            .fence = packet->vidsch.kind == VIDSCH_PACKET_HW_QUEUE ? packet->vidsch.progress_id
                                                                   : packet->vidsch.fence_id,
            .has_data = has_data,
            .validated = has_data && ddi_has(&adapter->ddi, POINT_ValidateSubmitCommand),
        };
    }
}

bool dxgk_turned_down_text(struct dxgk_process *process, char *text, size_t size)
{
    const struct dxgk_turned_down *down = process ? &process->answers.down : NULL;

    if (!down || !down->ddi) {
        return false;
    }
    snprintf(text, size,
             "%s answered %s to its submission with id %llu, %s, and for that its device was lost",
             down->ddi, status_name(down->status), (unsigned long long)down->fence,
             !down->has_data   ? "which has no private data of the client"
             : down->validated ? "whose private data DxgkDdiValidateSubmitCommand had taken"
                               : "with private data of the client");
    return true;
}
