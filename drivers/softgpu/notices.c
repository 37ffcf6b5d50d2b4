/* notices.c: periodic frame notifications.
 *
 *   CreatePeriodicFrameNotification ─> a slot of the output: so long before each vsync ─> its
 *   interrupt ─> PERIODIC_MONITORED_FENCE_SIGNALED ─> ... ─> DestroyPeriodicFrameNotification
 *
 * A notification's handle is its slot. dxgkrnl counts in 100 ns, the device in ns. */
#include "softgpu.h"

static void program(const struct softgpu_adapter *adapter, const struct softgpu_notice *notice)
{
    ULONG slot = (ULONG)(notice - adapter->notices.slots[notice->output]);

    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(notice->output, SOFTGPU_OUTPUT_NOTICE(slot)),
                  notice->before_ns);
}

struct request {
    struct softgpu_adapter *adapter;
    struct softgpu_notice wanted;
    struct softgpu_notice *slot; /* NULL: all are taken */
};

/* An old bit is nobody's. */
static BOOLEAN NTAPI take_slot(PVOID argument)
{
    struct request *request = argument;
    struct softgpu_adapter *adapter = request->adapter;
    ULONG output = request->wanted.output, i;

    for (i = 0; i < SOFTGPU_NOTICE_COUNT && request->slot == NULL; i++) {
        if (adapter->notices.slots[output][i].before_ns == 0) {
            request->slot = &adapter->notices.slots[output][i];
            *request->slot = request->wanted;
            program(adapter, request->slot);
            softgpu_set_interrupts(adapter, SOFTGPU_INTERRUPT_NOTICE(output), 0);
        }
    }
    return TRUE;
}

NTSTATUS NTAPI softgpu_create_frame_notification(DXGKARG_CREATEPERIODICFRAMENOTIFICATION *create)
{
    struct softgpu_adapter *adapter = create->hAdapter;
    struct request request = {adapter, {create->NotificationID, 0, create->VidPnTargetId}, NULL};
    ULONG period;

    PAGED_CODE();

    if (create->VidPnTargetId >= adapter->output_count) {
        return STATUS_INVALID_PARAMETER;
    }
    period =
        softgpu_read(adapter, SOFTGPU_OUTPUT_REG(create->VidPnTargetId, SOFTGPU_OUTPUT_PERIOD));
    if (create->Time == 0 || create->Time > period / 100 + 1) {
        return STATUS_INVALID_PARAMETER;
    }
    request.wanted.before_ns = (ULONG)(create->Time * 100);
    softgpu_synchronize(adapter, take_slot, &request);
    if (request.slot == NULL) {
        return STATUS_NO_MEMORY;
    }
    create->hNotification = request.slot;
    return STATUS_SUCCESS;
}

/* What it would still tell is not told any more. */
static BOOLEAN NTAPI free_slot(PVOID argument)
{
    struct request *request = argument;

    request->slot->before_ns = 0;
    program(request->adapter, request->slot);
    return TRUE;
}

NTSTATUS NTAPI
softgpu_destroy_frame_notification(const DXGKARG_DESTROYPERIODICFRAMENOTIFICATION *destroy)
{
    struct request request = {destroy->hAdapter, {0, 0, 0}, destroy->hNotification};

    PAGED_CODE();

    if (request.slot == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    softgpu_synchronize(request.adapter, free_slot, &request);
    return STATUS_SUCCESS;
}

static void report_slot(struct softgpu_adapter *adapter, const struct softgpu_notice *notice)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED;
    data.PeriodicMonitoredFenceSignaled.VidPnTargetId = notice->output;
    data.PeriodicMonitoredFenceSignaled.NotificationID = notice->id;
    softgpu_notify(adapter, &data);
}

void softgpu_report_notices(struct softgpu_adapter *adapter, ULONG status)
{
    ULONG output, slot, due, reg;

    for (output = 0; output < adapter->output_count; output++) {
        if ((status & SOFTGPU_INTERRUPT_NOTICE(output)) == 0) {
            continue;
        }
        reg = SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_NOTICES_DUE);
        due = softgpu_read(adapter, reg);
        softgpu_write(adapter, reg, due);
        for (slot = 0; slot < SOFTGPU_NOTICE_COUNT; slot++) {
            const struct softgpu_notice *notice = &adapter->notices.slots[output][slot];

            if ((due & 1u << slot) && notice->before_ns != 0) {
                report_slot(adapter, notice);
            }
        }
    }
}

BOOLEAN NTAPI softgpu_notices_resume(PVOID argument)
{
    struct softgpu_adapter *adapter = argument;
    ULONG output, slot;

    for (output = 0; output < adapter->output_count; output++) {
        for (slot = 0; slot < SOFTGPU_NOTICE_COUNT; slot++) {
            const struct softgpu_notice *notice = &adapter->notices.slots[output][slot];

            if (notice->before_ns != 0) {
                program(adapter, notice);
                softgpu_set_interrupts(adapter, SOFTGPU_INTERRUPT_NOTICE(output), 0);
            }
        }
    }
    return TRUE;
}
