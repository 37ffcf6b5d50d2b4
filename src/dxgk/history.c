/* History buffers: time stamps of what the GPU did in a DMA buffer, which a driver's user-mode half
 * hangs on its commands and a tracing session reads. Of a node whose stamps have no bits that are
 * of use (HISTORYBUFFERPRECISION) they go through FormatHistoryBuffer. Drydock has no such
 * half: the kernel hands on a buffer as one may have filled it, with the header that all have, and
 * with less room for what comes out than there is in it. Any error is an answer. */
#include "dxgk/internal.h"

#include <string.h>

#include "base/status.h"

#define STAMPS       12u
#define ROOM_STAMPS  5u
#define BUFFER_BYTES 4096u /* whatever a driver keeps in there besides, the rest is zeros */
#define CALLS_MAX    STAMPS
#define FIRST_STAMP  UINT64_C(0x0000000123456780)
#define STAMP_STEP   1000u

static bool is_due(struct dxgk_context *context)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    uint64_t bit = UINT64_C(1) << context->node;

    return context->life.kind == DXGK_KIND_CONTEXT && context->owns_handle &&
           adapter->history.formatted & bit && !(adapter->history.asked & bit) &&
           context->device != adapter->system_device && !adapter->asleep &&
           dxgk_adapter_has_hardware(adapter) &&
           ddi_has(&adapter->ddi, POINT_FormatHistoryBuffer) && vary_happens(VARY_ODD_QUESTIONS, 1);
}

static void fill(DXGK_HISTORY_BUFFER *history)
{
    memset(history, 0, BUFFER_BYTES);
    history->Header.RenderCbSequence = 1;
    history->Header.NumTimestamps = STAMPS;
    for (unsigned i = 0; i < STAMPS; i++) {
        uint64_t stamp = FIRST_STAMP + i * STAMP_STEP;
        memcpy(history->DriverPrivateData + i * sizeof stamp, &stamp, sizeof stamp);
    }
}

/* Where the buffers are and how large is the kernel's to say, anew in each call: the structure may
 * have come back as the driver's own cursor. */
static NTSTATUS format_from(struct dxgk_context *context, DXGK_HISTORY_BUFFER *history,
                            void *formatted, UINT *offset)
{
    DXGKARG_FORMATHISTORYBUFFER format = {
        .pHistoryBuffer = history,
        .HistoryBufferSize = BUFFER_BYTES,
        .pFormattedBuffer = formatted,
        .FormattedBufferSize = ROOM_STAMPS * sizeof(uint64_t),
        .Offset = *offset,
    };

    fill(history); /* nobody says that a driver leaves it alone */
    NTSTATUS status = ddi_format_history_buffer(&context->device->adapter->ddi,
                                                context->driver_handle, &format, context->object);
    *offset = format.Offset;
    return status;
}

void dxgk_history_format(struct dxgk_context *context)
{
    static const char name[] = "pFormattedBuffer of FormatHistoryBuffer";
    struct dxgk_adapter *adapter = context->device->adapter;
    NTSTATUS status = STATUS_SUCCESS;
    UINT offset = 0;

    if (!is_due(context)) {
        return;
    }
    adapter->history.asked |= UINT64_C(1) << context->node;
    DXGK_HISTORY_BUFFER *history =
        nt_memory_hand(BUFFER_BYTES, "pHistoryBuffer of FormatHistoryBuffer");
    void *formatted = nt_memory_hand(ROOM_STAMPS * sizeof(uint64_t), name);
    for (unsigned i = 0;
         history && formatted && i < CALLS_MAX && NT_SUCCESS(status) && (i == 0 || offset > 0);
         i++) {
        status = format_from(context, history, formatted, &offset);
    }
    nt_memory_free(formatted);
    nt_memory_free(history);
}
