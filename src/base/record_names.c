/* Names of event and object kinds for readers. */
#include "base/record.h"

static const char *const event_names[] = {
    [EVENT_NONE] = "none",
    [EVENT_RUN_STAGE] = "run_stage",
    [EVENT_OBJECT_NEW] = "object_new",
    [EVENT_OBJECT_DEAD] = "object_dead",
    [EVENT_DDI_ENTER] = "ddi_enter",
    [EVENT_DDI_LEAVE] = "ddi_leave",
    [EVENT_CALLBACK] = "callback",
    [EVENT_CALLBACK_DONE] = "callback_done",
    [EVENT_BREACH] = "breach",
    [EVENT_MARK] = "mark",
    [EVENT_VARIATION] = "variation",
    [EVENT_TASK_NEW] = "task_new",
    [EVENT_TASK_RUN] = "task_run",
    [EVENT_TASK_END] = "task_end",
    [EVENT_IRQL] = "irql",
    [EVENT_INTERRUPT] = "interrupt",
    [EVENT_INTERRUPT_END] = "interrupt_end",
    [EVENT_DPC] = "dpc",
    [EVENT_DPC_END] = "dpc_end",
    [EVENT_PACKET_QUEUED] = "packet_queued",
    [EVENT_PACKET_SUBMIT] = "packet_submit",
    [EVENT_PACKET_DONE] = "packet_done",
    [EVENT_PACKET_PREEMPTED] = "packet_preempted",
    [EVENT_PACKET_CANCELLED] = "packet_cancelled",
    [EVENT_FENCE_REPORTED] = "fence_reported",
    [EVENT_PREEMPT_REQUEST] = "preempt_request",
    [EVENT_TIMEOUT] = "timeout",
    [EVENT_RESET] = "reset",
    [EVENT_FENCE_SIGNAL] = "fence_signal",
    [EVENT_FENCE_WAIT] = "fence_wait",
    [EVENT_QUEUE_STATE] = "queue_state",
    [EVENT_PAGING_OP] = "paging_op",
    [EVENT_ALLOC_PLACED] = "alloc_placed",
    [EVENT_ALLOC_EVICTED] = "alloc_evicted",
    [EVENT_ALLOC_CONTENT] = "alloc_content",
    [EVENT_PRESENT] = "present",
    [EVENT_FLIP] = "flip",
    [EVENT_VSYNC] = "vsync",
    [EVENT_FRAME] = "frame",
    [EVENT_GPU_BEGIN] = "gpu_begin",
    [EVENT_GPU_END] = "gpu_end",
    [EVENT_POOL] = "pool",
    [EVENT_POOL_FREE] = "pool_free",
    [EVENT_EXPORT_CALL] = "export_call",
    [EVENT_CLIENT_CALL] = "client_call",
    [EVENT_USER] = "user",
};

static const char *const object_names[OBJECT_KIND_COUNT] = {
    [OBJECT_NONE] = "none",         [OBJECT_ADAPTER] = "adapter",
    [OBJECT_PROCESS] = "process",   [OBJECT_DEVICE] = "device",
    [OBJECT_CONTEXT] = "context",   [OBJECT_ALLOCATION] = "allocation",
    [OBJECT_RESOURCE] = "resource", [OBJECT_PACKET] = "packet",
    [OBJECT_TASK] = "task",         [OBJECT_FENCE] = "fence",
    [OBJECT_NODE] = "node",         [OBJECT_SEGMENT] = "segment",
    [OBJECT_SOURCE] = "source",
};

const char *record_event_name(enum event_kind kind)
{
    unsigned index = (unsigned)kind;

    if (index >= sizeof(event_names) / sizeof(event_names[0]) || !event_names[index]) {
        return "unknown";
    }
    return event_names[index];
}

const char *record_object_name(enum object_kind kind)
{
    unsigned index = (unsigned)kind;

    return index < OBJECT_KIND_COUNT ? object_names[index] : "unknown";
}
