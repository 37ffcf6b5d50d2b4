/* debug.c: dumps, the escape, clock and history buffers. */
#include "softgpu.h"

/* What CollectDbgInfo leaves in a dump. */
struct engine_dump {
    ULONG status, head, tail, fence;
    ULONG last_submitted, last_completed, last_reported;
    ULONG fault_reason, fault_offset, fault_command;
    ULONG fault_address_low, fault_address_high;
};

struct adapter_dump {
    ULONG magic, reason;
    ULONG interrupt_status, interrupt_enable;
    struct engine_dump engines[SOFTGPU_ENGINE_COUNT];
};

#define DUMP_MAGIC 0x50504753u /* "SGPP" */

static ULONG engine_register(const struct softgpu_adapter *adapter, ULONG node, ULONG reg)
{
    return softgpu_read(adapter, SOFTGPU_ENGINE_REG(node, reg));
}

static void dump_engine(const struct softgpu_adapter *adapter, ULONG node, struct engine_dump *dump)
{
    const struct softgpu_engine *engine = &adapter->engines[node];

    dump->status = engine_register(adapter, node, SOFTGPU_ENGINE_STATUS);
    dump->head = engine_register(adapter, node, SOFTGPU_ENGINE_RING_HEAD);
    dump->tail = engine_register(adapter, node, SOFTGPU_ENGINE_RING_TAIL);
    dump->fence = engine_register(adapter, node, SOFTGPU_ENGINE_FENCE);
    dump->last_submitted = engine->last_submitted;
    dump->last_completed = engine->last_completed;
    dump->last_reported = engine->last_reported;
    dump->fault_reason = engine_register(adapter, node, SOFTGPU_ENGINE_FAULT_REASON);
    dump->fault_offset = engine_register(adapter, node, SOFTGPU_ENGINE_FAULT_OFFSET);
    dump->fault_command = engine_register(adapter, node, SOFTGPU_ENGINE_FAULT_COMMAND);
    dump->fault_address_low = engine_register(adapter, node, SOFTGPU_ENGINE_FAULT_ADDRESS);
    dump->fault_address_high = engine_register(adapter, node, SOFTGPU_ENGINE_FAULT_ADDRESS + 4);
}

/* Reasons other than a timeout may come at any IRQL: nothing here waits or is pageable. Never
 * more than BufferSize is written (TDR-010). */
NTSTATUS NTAPI softgpu_collect_dbg_info(const HANDLE adapter_handle,
                                        const DXGKARG_COLLECTDBGINFO *collect)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    struct adapter_dump dump;
    ULONG node;

    RtlZeroMemory(&dump, sizeof(dump));
    dump.magic = DUMP_MAGIC;
    dump.reason = collect->Reason;
    dump.interrupt_status = softgpu_read(adapter, SOFTGPU_REG_INTERRUPT_STATUS);
    dump.interrupt_enable = adapter->interrupt_enable;
    for (node = 0; adapter->engines != NULL && node < SOFTGPU_ENGINE_COUNT; node++) {
        dump_engine(adapter, node, &dump.engines[node]);
    }
    if (collect->pBuffer != NULL) {
        RtlCopyMemory(collect->pBuffer, &dump,
                      collect->BufferSize < sizeof(dump) ? collect->BufferSize : sizeof(dump));
    }
    return STATUS_SUCCESS;
}

/* The client's data is a copy in kernel memory; its size and content are the client's. */
NTSTATUS NTAPI softgpu_escape(const HANDLE adapter_handle, const DXGKARG_ESCAPE *escape)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_umd_escape *data = escape->pPrivateDriverData;
    ULONG i;

    PAGED_CODE();

    if (data == NULL || escape->PrivateDriverDataSize != sizeof(*data) ||
        data->magic != SOFTGPU_UMD_ADAPTER_MAGIC) {
        return STATUS_INVALID_PARAMETER;
    }
    switch (data->code) {
    case SOFTGPU_ESCAPE_COUNTERS:
        for (i = 0; i < SOFTGPU_ESCAPE_COUNTERS_COUNT; i++) {
            ULONGLONG value = softgpu_read_pair(adapter, SOFTGPU_REG_COUNT_BYTES_READ + i * 8);

            data->counters[i].low = (ULONG)value;
            data->counters[i].high = (ULONG)(value >> 32);
        }
        return STATUS_SUCCESS;
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

/* The device's clock and the CPU's at one moment; at DISPATCH_LEVEL. */
NTSTATUS NTAPI softgpu_calibrate_gpu_clock(const HANDLE adapter_handle, UINT32 node, UINT32 engine,
                                           DXGKARG_CALIBRATEGPUCLOCK *calibration)
{
    const struct softgpu_adapter *adapter = adapter_handle;

    UNREFERENCED_PARAMETER(engine);

    if (node >= softgpu_node_count(adapter)) {
        return STATUS_INVALID_PARAMETER;
    }
    calibration->GpuFrequency = 1000000000; /* the device counts nanoseconds */
    calibration->GpuClockCounter = softgpu_read_pair(adapter, SOFTGPU_REG_TIME);
    calibration->CpuClockCounter = (ULONGLONG)KeQueryPerformanceCounter(NULL).QuadPart;
    return STATUS_SUCCESS;
}

/* Its clock has one rate, whether somebody measures or not. */
void NTAPI softgpu_set_stable_power_state(const HANDLE adapter_handle,
                                          const DXGKARG_SETSTABLEPOWERSTATE *state)
{
    UNREFERENCED_PARAMETER(adapter_handle);
    UNREFERENCED_PARAMETER(state);
}

/* The device writes time stamps as they are wanted: 64 bits, in a row behind the private data. */
NTSTATUS NTAPI softgpu_format_history_buffer(const HANDLE context_handle,
                                             DXGKARG_FORMATHISTORYBUFFER *format)
{
    const DXGK_HISTORY_BUFFER *history = format->pHistoryBuffer;
    ULONG header = FIELD_OFFSET(DXGK_HISTORY_BUFFER, DriverPrivateData);
    ULONG available, room, count;

    UNREFERENCED_PARAMETER(context_handle);

    if (format->HistoryBufferSize < header ||
        history->Header.PrivateDataSize > format->HistoryBufferSize - header) {
        return STATUS_INVALID_PARAMETER;
    }
    available = (format->HistoryBufferSize - header - history->Header.PrivateDataSize) / 8;
    if (available > history->Header.NumTimestamps) {
        available = history->Header.NumTimestamps;
    }
    if (format->Offset > available) {
        return STATUS_INVALID_PARAMETER;
    }
    room = format->FormattedBufferSize / 8;
    count = available - format->Offset;
    count = count < room ? count : room;
    RtlCopyMemory(format->pFormattedBuffer,
                  history->DriverPrivateData + history->Header.PrivateDataSize +
                      (SIZE_T)format->Offset * 8,
                  (SIZE_T)count * 8);
    format->NumTimestamps = count;
    format->Precision.PrecisionBits = 64;
    format->Offset = format->Offset + count == available ? 0 : format->Offset + count;
    return STATUS_SUCCESS;
}
