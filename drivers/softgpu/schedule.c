/* schedule.c: what the GPU schedules hardware contexts by, and taking it away from them.
 *
 *   SetupPriorityBands                       before the first work, and at any time (HWQ-019)
 *   SetContextSchedulingProperties           a context's band, priority and quantum
 *   SetSchedulingLogBuffer                   where a node notes who runs when
 *   SuspendContext -> SUSPEND_CONTEXT_COMPLETED -> ResumeContext
 *   ResetHwEngine (DxgkCbInvalidateHwContext) -> ResumeHwEngine
 *
 * All of it is the device's work; here it is put in its registers, and kept to be told again to a
 * device that was reset. dxgkrnl counts in 100 ns, the device in ns. */
#include "softgpu.h"

static ULONG nanoseconds(ULONGLONG hundreds)
{
    return hundreds > 0xFFFFFFFFu / 100 ? 0xFFFFFFFFu : (ULONG)(hundreds * 100);
}

/* ---- Telling the device ---------------------------------------------------------------------- */

static void context_write(const struct softgpu_adapter *adapter,
                          const struct softgpu_hw_context *context, ULONG offset, ULONG value)
{
    softgpu_write(adapter, SOFTGPU_HWCONTEXT_REG(context->slot, offset), value);
}

static void program_schedule(const struct softgpu_adapter *adapter,
                             const struct softgpu_hw_context *context)
{
    const struct softgpu_context_schedule *schedule = &context->schedule;

    context_write(adapter, context, SOFTGPU_HWCONTEXT_BAND, schedule->band);
    context_write(adapter, context, SOFTGPU_HWCONTEXT_PRIORITY, (ULONG)schedule->priority);
    context_write(adapter, context, SOFTGPU_HWCONTEXT_QUANTUM, schedule->quantum);
    context_write(adapter, context, SOFTGPU_HWCONTEXT_GRACE_SAME, schedule->grace_same);
    context_write(adapter, context, SOFTGPU_HWCONTEXT_GRACE_LOWER, schedule->grace_lower);
}

static void ask_to_suspend(const struct softgpu_adapter *adapter,
                           const struct softgpu_hw_context *context)
{
    softgpu_write_pair(adapter,
                       SOFTGPU_HWCONTEXT_REG(context->slot, SOFTGPU_HWCONTEXT_SUSPEND_FENCE),
                       context->suspend_fence);
    context_write(adapter, context, SOFTGPU_HWCONTEXT_COMMAND, SOFTGPU_HWCONTEXT_SUSPEND);
}

void softgpu_context_program(const struct softgpu_adapter *adapter,
                             struct softgpu_hw_context *context)
{
    context->lost = FALSE;
    context_write(adapter, context, SOFTGPU_HWCONTEXT_SPACE, context->base.space);
    /* The log is read by dxgkrnl, which knows contexts by our handles there. */
    softgpu_write_pair(adapter, SOFTGPU_HWCONTEXT_REG(context->slot, SOFTGPU_HWCONTEXT_ID),
                       (ULONGLONG)(ULONG_PTR)context);
    program_schedule(adapter, context);
    context_write(adapter, context, SOFTGPU_HWCONTEXT_CONTROL,
                  SOFTGPU_HWCONTEXT_OF_ENGINE(context->base.node));
    if (context->suspended) {
        ask_to_suspend(adapter, context);
    }
}

/* A client's ring is where it was; that of a queue without a doorbell is nowhere. */
static void program_users(const struct softgpu_adapter *adapter,
                          const struct softgpu_hw_queue *queue)
{
    const struct softgpu_doorbell *doorbell = queue->doorbell;

    if (doorbell == NULL) {
        return;
    }
    softgpu_write_pair(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_RING_BASE),
                       doorbell->ring_address);
    softgpu_write_pair(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_READ),
                       doorbell->read_address);
    softgpu_write(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_RING_SIZE),
                  doorbell->entries);
    softgpu_write(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_FIRST),
                  doorbell->first);
    softgpu_write(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_CONTROL),
                  SOFTGPU_HWQUEUE_OF_CONTEXT(queue->context->slot) | SOFTGPU_HWQUEUE_CLIENT);
}

/* With an empty ring. */
void softgpu_queue_program(const struct softgpu_adapter *adapter, struct softgpu_hw_queue *queue)
{
    if (queue->users) {
        program_users(adapter, queue);
        return;
    }
    queue->tail = 0;
    softgpu_write(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_FIRST), 0);
    softgpu_write_pair(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_RING_BASE),
                       queue->ring_address);
    softgpu_write(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_RING_SIZE),
                  SOFTGPU_QUEUE_ENTRIES);
    softgpu_write(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_CONTROL),
                  SOFTGPU_HWQUEUE_OF_CONTEXT(queue->context->slot));
}

static void program_bands(const struct softgpu_adapter *adapter)
{
    const struct softgpu_hw *hw = adapter->hw;
    ULONG band;

    for (band = 0; band < SOFTGPU_BAND_COUNT; band++) {
        softgpu_write(adapter, SOFTGPU_BAND_REG(band, SOFTGPU_BAND_GRACE), hw->bands[band].grace);
        softgpu_write(adapter, SOFTGPU_BAND_REG(band, SOFTGPU_BAND_PROCESS_QUANTUM),
                      hw->bands[band].process_quantum);
        softgpu_write(adapter, SOFTGPU_BAND_REG(band, SOFTGPU_BAND_PROCESS_GRACE),
                      hw->bands[band].process_grace);
    }
    softgpu_write(adapter, SOFTGPU_REG_NORMAL_SHARE, hw->normal_share);
}

/* When the first write has returned nothing comes into the old log any more (HWQ-020). */
static void program_log(const struct softgpu_adapter *adapter, ULONG node)
{
    const struct softgpu_log *log = &adapter->hw->logs[node];
    ULONG base = SOFTGPU_ENGINE_REG(node, 0);

    softgpu_write(adapter, base + SOFTGPU_ENGINE_LOG_CONTROL, 0);
    if (log->address == 0 || log->entries == 0) {
        return;
    }
    softgpu_write_pair(adapter, base + SOFTGPU_ENGINE_LOG_ADDRESS, log->address);
    softgpu_write(adapter, base + SOFTGPU_ENGINE_LOG_SPACE, (ULONG)adapter->system_space);
    softgpu_write(adapter, base + SOFTGPU_ENGINE_LOG_ENTRIES, log->entries);
    softgpu_write(adapter, base + SOFTGPU_ENGINE_LOG_INTERRUPT, log->interrupt_entry);
    softgpu_write(adapter, base + SOFTGPU_ENGINE_LOG_CONTROL, SOFTGPU_LOG_ENABLE);
}

void softgpu_queues_begin(const struct softgpu_adapter *adapter, ULONG node)
{
    if (softgpu_node_has_queues(adapter, node)) {
        program_log(adapter, node);
        softgpu_write(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_SCHEDULE),
                      SOFTGPU_SCHEDULE_ENABLE);
    }
}

void softgpu_queues_resume(const struct softgpu_adapter *adapter)
{
    ULONG i;

    if (adapter->hw == NULL) {
        return;
    }
    program_bands(adapter);
    for (i = 0; i < SOFTGPU_HWCONTEXT_COUNT; i++) {
        if (adapter->hw->contexts[i] != NULL) {
            softgpu_context_program(adapter, adapter->hw->contexts[i]);
        }
    }
    for (i = 0; i < SOFTGPU_HWQUEUE_COUNT; i++) {
        if (adapter->hw->queues[i] != NULL) {
            softgpu_queue_program(adapter, adapter->hw->queues[i]);
        }
    }
    softgpu_doorbells_resume(adapter);
}

/* ---- What it schedules by -------------------------------------------------------------------- */

NTSTATUS NTAPI softgpu_setup_priority_bands(const HANDLE adapter_handle,
                                            const DXGKARG_SETUPPRIORITYBANDS *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_hw *hw = adapter->hw;
    ULONG band;

    if (hw == NULL || arguments->targetNormalBandPercentage > 50) {
        return STATUS_INVALID_PARAMETER;
    }
    for (band = 0; band < SOFTGPU_BAND_COUNT; band++) {
        hw->bands[band].grace = nanoseconds(arguments->gracePeriodForBand[band]);
        hw->bands[band].process_quantum = nanoseconds(arguments->processQuantumForBand[band]);
        hw->bands[band].process_grace = nanoseconds(arguments->processGracePeriodForBand[band]);
    }
    hw->normal_share = arguments->targetNormalBandPercentage;
    program_bands(adapter);
    return STATUS_SUCCESS;
}

/* The bands of the device are dxgkrnl's, number by number. */
NTSTATUS NTAPI softgpu_set_context_scheduling_properties(
    const HANDLE adapter_handle, const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_hw_context *context = arguments->hContext;
    BOOLEAN realtime = arguments->priorityBand == DXGK_SCHEDULING_PRIORITY_BAND_REALTIME;

    if ((ULONG)arguments->priorityBand >= SOFTGPU_BAND_COUNT) {
        return STATUS_INVALID_PARAMETER;
    }
    context->schedule.band = (ULONG)arguments->priorityBand;
    context->schedule.priority =
        realtime ? arguments->realtimeBandPriorityLevel : arguments->inProcessPriority;
    context->schedule.quantum = nanoseconds(arguments->quantum);
    context->schedule.grace_same = nanoseconds(arguments->gracePeriodSamePriority);
    context->schedule.grace_lower = nanoseconds(arguments->gracePeriodLowerPriority);
    program_schedule(adapter, context);
    return STATUS_SUCCESS;
}

/* The log's address is one of the system's process. */
NTSTATUS NTAPI softgpu_set_scheduling_log_buffer(const HANDLE adapter_handle,
                                                 const DXGKARG_SETSCHEDULINGLOGBUFFER *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_log *log;

    if (!softgpu_node_has_queues(adapter, arguments->NodeOrdinal) || adapter->system_space == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    log = &adapter->hw->logs[arguments->NodeOrdinal];
    log->address = arguments->LogBufferGpuVa;
    log->entries = arguments->NumberOfEntries;
    log->interrupt_entry = arguments->InterruptEntry;
    program_log(adapter, arguments->NodeOrdinal);
    return STATUS_SUCCESS;
}

/* ---- Suspending ------------------------------------------------------------------------------ */

struct suspension {
    struct softgpu_adapter *adapter;
    struct softgpu_hw_context *context;
    ULONGLONG fence;
    BOOLEAN already;
};

static BOOLEAN NTAPI suspend(PVOID argument)
{
    struct suspension *suspension = argument;
    struct softgpu_hw_context *context = suspension->context;

    suspension->already = context->suspended;
    if (!context->suspended) {
        context->suspend_fence = suspension->fence;
        ask_to_suspend(suspension->adapter, context);
    }
    return TRUE;
}

/* The device leaves the context at the next place, and tells with the fence; at once, if it does
 * not run. What is suspended already stays so, and nobody is told (HWQ-014). */
NTSTATUS NTAPI softgpu_suspend_context(const HANDLE adapter_handle,
                                       const DXGKARG_SUSPENDCONTEXT *arguments)
{
    struct suspension suspension = {adapter_handle, arguments->hContext,
                                    arguments->contextSuspendFence, FALSE};

    softgpu_synchronize(suspension.adapter, suspend, &suspension);
    return suspension.already ? STATUS_SUCCESS : STATUS_PENDING;
}

static BOOLEAN NTAPI resume(PVOID argument)
{
    struct suspension *suspension = argument;

    suspension->context->suspended = FALSE;
    context_write(suspension->adapter, suspension->context, SOFTGPU_HWCONTEXT_COMMAND,
                  SOFTGPU_HWCONTEXT_RESUME);
    return TRUE;
}

NTSTATUS NTAPI softgpu_resume_context(const HANDLE adapter_handle,
                                      const DXGKARG_RESUMECONTEXT *arguments)
{
    struct suspension suspension = {adapter_handle, arguments->hContext, 0, FALSE};

    softgpu_synchronize(suspension.adapter, resume, &suspension);
    return STATUS_SUCCESS;
}

/* ---- Reset of an engine ---------------------------------------------------------------------- */

struct hw_engine_reset {
    struct softgpu_adapter *adapter;
    ULONG node;
    struct softgpu_hw_context *victim; /* whose work was broken off; NULL: nobody's */
};

/* At device IRQL: nothing that it did before is told any more. */
static BOOLEAN NTAPI reset_hw_engine(PVOID argument)
{
    struct hw_engine_reset *reset = argument;
    struct softgpu_adapter *adapter = reset->adapter;
    ULONG base = SOFTGPU_ENGINE_REG(reset->node, 0);
    ULONG i;

    softgpu_write(adapter, base + SOFTGPU_ENGINE_RESET, SOFTGPU_RESET_KEY);
    /* Who ran before may have been done, or another one begun: the device knows who was hurt. */
    for (i = 0; i < SOFTGPU_HWCONTEXT_COUNT; i++) {
        struct softgpu_hw_context *context = adapter->hw->contexts[i];

        if (context != NULL && context->base.node == reset->node && !context->lost &&
            (softgpu_read(adapter, SOFTGPU_HWCONTEXT_REG(i, SOFTGPU_HWCONTEXT_STATUS)) &
             SOFTGPU_HWCONTEXT_IS_LOST)) {
            context->lost = TRUE;
            reset->victim = context;
        }
    }
    return TRUE;
}

/* One context runs at a time, so one at most is hurt, and none by another's fault. The engine stays
 * as it is until ResumeHwEngine (HWQ-022). */
NTSTATUS NTAPI softgpu_reset_hw_engine(const HANDLE adapter_handle,
                                       DXGKARG_RESETHWENGINE *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct hw_engine_reset reset = {adapter, arguments->NodeOrdinal, NULL};
    DXGKARGCB_INVALIDATEHWCONTEXT invalidate;

    PAGED_CODE();

    if (!softgpu_node_has_queues(adapter, arguments->NodeOrdinal)) {
        return STATUS_INVALID_PARAMETER;
    }
    softgpu_synchronize(adapter, reset_hw_engine, &reset);
    if (reset.victim != NULL && adapter->dxgk.DxgkCbInvalidateHwContext != NULL) {
        RtlZeroMemory(&invalidate, sizeof(invalidate));
        invalidate.hAdapter = adapter->dxgk.DeviceHandle;
        invalidate.hHwContext = reset.victim->base.kernel_handle;
        (void)adapter->dxgk.DxgkCbInvalidateHwContext(&invalidate);
    }
    return STATUS_SUCCESS;
}

/* Contexts that were not hurt go on where they were. */
NTSTATUS NTAPI softgpu_resume_hw_engine(const HANDLE adapter_handle,
                                        DXGKARG_RESUMEHWENGINE *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;

    PAGED_CODE();

    if (!softgpu_node_has_queues(adapter, arguments->NodeOrdinal)) {
        return STATUS_INVALID_PARAMETER;
    }
    softgpu_engine_setup(adapter, arguments->NodeOrdinal);
    return STATUS_SUCCESS;
}
