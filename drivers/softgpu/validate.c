/* validate.c: what clients submit by virtual address is looked at before it is queued.
 *
 *   client ─> ValidateSubmitCommand (WDDM 2.5), if it sends private data ─> SubmitCommandVirtual,
 *                                                                 or SubmitCommandToHwQueue
 *
 * What is refused here harms nobody: the call fails, and that is all. In SubmitCommandVirtual the
 * same costs the client its device, since work behind it may be queued (SUBV-002). A kernel before
 * 2.5 has the second alone, and a client that sends no private data comes to the second alone
 * (VALID-002): so what is checked stands in one place, and is asked from both.
 *
 * The commands themselves are the client's, who may write them until they run: the device checks
 * them, and the page tables their addresses. */
#include "softgpu.h"

/* Where the commands are, which nobody but us knows to be in words (SUBV-006). */
BOOLEAN softgpu_is_command_range(const struct softgpu_settings *settings,
                                 D3DGPU_VIRTUAL_ADDRESS address, ULONG size_bytes)
{
    ULONGLONG end = softgpu_address_end(settings);

    return address % sizeof(ULONG) == 0 && size_bytes % sizeof(ULONG) == 0 && size_bytes <= end &&
           address <= end - size_bytes;
}

/* The client's part of the private data; it may send none. */
BOOLEAN softgpu_is_client_data(const void *private_data, ULONG size_bytes)
{
    const struct softgpu_umd_submit *client = private_data;

    return size_bytes == 0 ||
           (size_bytes == sizeof(*client) && client->magic == SOFTGPU_UMD_SUBMIT_MAGIC &&
            client->version == SOFTGPU_UMD_VERSION && client->flags == 0);
}

/* Behind the client's part; what stands there before is of no use (VALID-016). */
struct softgpu_dma_private *softgpu_begin_private_data(void *private_data)
{
    struct softgpu_dma_private *ours =
        (void *)((UCHAR *)private_data + sizeof(struct softgpu_umd_submit));

    RtlZeroMemory(ours, sizeof(*ours));
    ours->magic = SOFTGPU_DMA_MAGIC;
    return ours;
}

/* In any process (VALID-004). Behind ContextCount there are no handles, and but for hardware queues
 * no progress fence (VALID-013, VALID-021). */
NTSTATUS NTAPI softgpu_validate_submit_command(const HANDLE adapter_handle,
                                               DXGKARG_VALIDATESUBMITCOMMAND *arguments)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    const struct softgpu_context *context;
    ULONG i;

    PAGED_CODE();

    if (arguments->Flags.HardwareQueueSubmission) {
        return softgpu_validate_for_queues(adapter, arguments);
    }
    for (i = 0; i < arguments->ContextCount; i++) {
        context = arguments->Context[i];
        if (context == NULL || context->space == 0 || context->device->adapter != adapter) {
            return STATUS_INVALID_PARAMETER;
        }
    }
    if (arguments->PrivateDriverDataSize < SOFTGPU_PRIVATE_BYTES_VIRTUAL ||
        !softgpu_is_client_data(arguments->pPrivateDriverData, arguments->UmdPrivateDataSize) ||
        !softgpu_is_command_range(&softgpu_settings, arguments->Commands,
                                  arguments->CommandLength)) {
        return STATUS_INVALID_USER_BUFFER;
    }
    softgpu_begin_private_data(arguments->pPrivateDriverData)->flags = SOFTGPU_DMA_VALIDATED;
    return STATUS_SUCCESS;
}
