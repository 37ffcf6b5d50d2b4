/* Hardware contexts that rest while tables of their process change (rest.c): there is no request to
 * stop for a node, but one for each context.
 *
 *   SuspendContext(fence) ── SUCCESS ───────────────────────────> it rests
 *          └── PENDING ─> SUSPEND_CONTEXT_COMPLETED(fence) ─────> it rests
 *                  └─ silence for the time-out's delay: the node is late
 *   ... the change is made ... ResumeContext ─> its queues go on where they were
 *
 * An older fence says nothing of the latest request. A driver without these DDIs is waited for. */
#include "dxgk/hwqueue_parts.h"
#include "dxgk/schedule_log.h"
#include "dxgk/work.h"

#include "machine/vary.h"

#include <stdio.h>

#define SAID_MAX 200
#define LATE_NS  (2 * NS_PER_S) /* the time limit of systems */

/* NULL: the system's, which rests for nobody. */
static const struct dxgk_space *space_of(const struct dxgk_context *context)
{
    return context->device->process ? &context->device->process->space : NULL;
}

static bool is_hwcontext(const struct dxgk_context *context)
{
    return context->life.kind == DXGK_KIND_HW_CONTEXT;
}

bool dxgk_hwqueue_runs(const struct dxgk_context *stream)
{
    const struct dxgk_hwcontext *owner =
        container_of(stream, const struct dxgk_hwqueue, base)->owner;

    return owner->stop == VIDSCH_QUEUE_ASKED ||
           (owner->stop == VIDSCH_QUEUE_GOES && stream->vidsch.hardware_count > 0);
}

/* Drivers name a context by what they answered; by what they were given is understood, too. */
struct dxgk_hwcontext *dxgk_hwcontext_named(struct dxgk_adapter *adapter, const void *handle)
{
    list_for_each (outer, &adapter->devices) {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life.link);
        list_for_each (link, &device->contexts) {
            struct dxgk_context *context = container_of(link, struct dxgk_context, life.link);
            if (is_hwcontext(context) && handle &&
                (context->driver_handle == handle || (uintptr_t)handle == context->life.handle)) {
                return dxgk_hwcontext_of(context);
            }
        }
    }
    return NULL;
}

/* With all its queues. DISPATCH_LEVEL or below. */
static void set_stop(struct dxgk_hwcontext *context, enum vidsch_queue_stop stop)
{
    context->stop = stop;
    wait_queue_wake(&context->base.changed, UINT_MAX);
    for_each_life(life, &context->base.device->contexts)
    {
        struct dxgk_context *stream = container_of(life, struct dxgk_context, life);
        if (life->kind == DXGK_KIND_HW_QUEUE && dxgk_hwqueue_of(stream)->owner == context) {
            vidsch_queue_set_stop(&stream->vidsch, stop);
        }
    }
}

/* ---- Suspending ------------------------------------------------------------------------------ */

static bool is_busy(const struct dxgk_hwcontext *context)
{
    list_for_each (link, &context->base.device->contexts) {
        struct dxgk_context *stream = container_of(link, struct dxgk_context, life.link);
        if (stream->life.kind == DXGK_KIND_HW_QUEUE && stream->vidsch.hardware_count > 0 &&
            dxgk_hwqueue_of(stream)->owner == context) {
            return true;
        }
    }
    return false;
}

/* A member of 64 bits: the first one behind it fills more than 32. */
#define LARGE_FENCE ((uint64_t)UINT32_MAX)

/* The notice may come before the call returns. */
static void suspend(struct dxgk_hwcontext *context)
{
    struct dxgk_adapter *adapter = context->base.device->adapter;

    if (context->suspend_fence == 0 && vary_happens(VARY_FENCE_GAPS, 2)) {
        context->suspend_fence = LARGE_FENCE;
    }
    const DXGKARG_SUSPENDCONTEXT arguments = {
        .hContext = context->base.driver_handle,
        .contextSuspendFence = ++context->suspend_fence,
    };

    dxgk_log_forget(adapter, context->base.node);
    context->told_fence = 0;
    context->asked_ns = machine_now_ns();
    set_stop(context, VIDSCH_QUEUE_ASKED);
    context->base.rooting++; /* who ends the context waits for the call */
    NTSTATUS status = ddi_suspend_context(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                          context->base.object);
    context->base.rooting--;
    wait_queue_wake(&context->base.changed, UINT_MAX);
    if (context->stop == VIDSCH_QUEUE_ASKED && status != STATUS_PENDING) {
        set_stop(context, status == STATUS_SUCCESS ? VIDSCH_QUEUE_STOPPED : VIDSCH_QUEUE_GOES);
    }
    record_count("contexts.suspended", 1);
}

void dxgk_hwcontexts_suspend(const struct dxgk_space *space)
{
    struct dxgk_adapter *adapter = space->adapter;

    if (!ddi_has(&adapter->ddi, POINT_SuspendContext) ||
        !ddi_has(&adapter->ddi, POINT_ResumeContext)) {
        dxgk_doorbells_leave(adapter, DXGK_ANY_NODE); /* nobody else ends them */
        return;
    }
    for_each_life(outer, &adapter->devices)
    {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life);
        for_each_life(life, &device->contexts)
        {
            struct dxgk_context *context = container_of(life, struct dxgk_context, life);
            if (is_hwcontext(context) && context->owns_handle && space_of(context) == space &&
                dxgk_hwcontext_of(context)->stop == VIDSCH_QUEUE_GOES &&
                is_busy(dxgk_hwcontext_of(context))) {
                suspend(dxgk_hwcontext_of(context));
            }
        }
    }
}

/* ---- The answer ------------------------------------------------------------------------------ */

void dxgk_suspension_notice(struct dxgk_adapter *adapter,
                            const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    struct dxgk_suspensions *suspensions = &adapter->suspensions;

    if (adapter->state != DXGK_ADAPTER_STOPPED && suspensions->count < DXGK_SUSPENSIONS_MAX) {
        suspensions->told[suspensions->count].context = data->SuspendContextCompleted.hContext;
        suspensions->told[suspensions->count++].fence =
            data->SuspendContextCompleted.ContextSuspendFence;
    }
}

void dxgk_suspension_dpc(struct dxgk_adapter *adapter)
{
    struct dxgk_suspensions told = adapter->suspensions;

    adapter->suspensions.count = 0;
    for (unsigned i = 0; i < told.count; i++) {
        struct dxgk_hwcontext *context = dxgk_hwcontext_named(adapter, told.told[i].context);
        if (context && context->stop == VIDSCH_QUEUE_ASKED) {
            context->told_fence = told.told[i].fence;
        }
        if (context && context->stop == VIDSCH_QUEUE_ASKED &&
            context->suspend_fence == told.told[i].fence) {
            life_get(&context->base.life);
            set_stop(context, VIDSCH_QUEUE_STOPPED);
            if (context->paused) {
                dxgk_worker_kick(adapter);
            }
            (void)dxgk_hwqueues_look(adapter, context->base.node);
            life_put(&context->base.life);
            dxgk_space_may_rest(adapter);
        }
    }
}

struct dxgk_hwcontext *dxgk_hwcontext_asked(struct dxgk_adapter *adapter, unsigned node)
{
    list_for_each (outer, &adapter->devices) {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life.link);
        list_for_each (link, &device->contexts) {
            struct dxgk_context *context = container_of(link, struct dxgk_context, life.link);
            if (is_hwcontext(context) && context->node == node &&
                dxgk_hwcontext_of(context)->stop == VIDSCH_QUEUE_ASKED) {
                return dxgk_hwcontext_of(context);
            }
        }
    }
    return NULL;
}

void dxgk_hwcontext_say_asked(const struct dxgk_hwcontext *context, char *text, size_t size)
{
    char told[64] = "nobody has told of one since";

    if (context->told_fence) {
        snprintf(told, sizeof told, "SUSPEND_CONTEXT_COMPLETED told of %llu since",
                 (unsigned long long)context->told_fence);
    }
    snprintf(text, size, "SuspendContext of %s was given suspend fence %llu, and %s [HWQ-014]",
             is_busy(context) ? "its context" : "a context that has nothing to do",
             (unsigned long long)context->suspend_fence, told);
}

/* What has nothing on the hardware waits for nothing: who is late is the driver. */
void dxgk_suspension_judge(struct dxgk_adapter *adapter, unsigned node)
{
    struct dxgk_hwcontext *context = dxgk_hwcontext_asked(adapter, node);
    char text[SAID_MAX];

    if (!context || is_busy(context) || machine_now_ns() < context->asked_ns + LATE_NS) {
        return;
    }
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(HWQ_014),
                                             .object = context->base.object};
    dxgk_hwcontext_say_asked(context, text, sizeof text);
    contract_breach(&finding,
                    "SUSPEND_CONTEXT_COMPLETED with the latest contextSuspendFence, in time", "%s",
                    text);
}

void dxgk_hwcontexts_were_reset(struct dxgk_adapter *adapter, unsigned node)
{
    for_each_life(outer, &adapter->devices)
    {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life);
        for_each_life(life, &device->contexts)
        {
            struct dxgk_context *context = container_of(life, struct dxgk_context, life);
            if (is_hwcontext(context) && (node >= adapter->node_count || context->node == node) &&
                dxgk_hwcontext_of(context)->stop == VIDSCH_QUEUE_ASKED) {
                set_stop(dxgk_hwcontext_of(context), VIDSCH_QUEUE_STOPPED);
            }
        }
    }
    dxgk_space_may_rest(adapter);
}

/* ---- The end --------------------------------------------------------------------------------- */

void dxgk_hwcontext_give_up(struct dxgk_hwcontext *context)
{
    struct dxgk_adapter *adapter = context->base.device->adapter;

    if (!ddi_has(&adapter->ddi, POINT_SuspendContext) || !context->base.owns_handle) {
        return;
    }
    context->given_up = true;
    if (context->stop == VIDSCH_QUEUE_GOES && dxgk_adapter_has_hardware(adapter)) {
        suspend(context);
    }
    while (context->stop == VIDSCH_QUEUE_ASKED && dxgk_adapter_has_hardware(adapter)) {
        wait_queue_wait(&context->base.changed, MACHINE_NEVER); /* or a reset is the answer */
    }
    if (context->stop != VIDSCH_QUEUE_STOPPED) {
        return;
    }
    for_each_life(life, &context->base.device->contexts)
    {
        struct dxgk_context *stream = container_of(life, struct dxgk_context, life);
        if (life->kind == DXGK_KIND_HW_QUEUE && dxgk_hwqueue_of(stream)->owner == context) {
            vidsch_queue_lose(&stream->vidsch);
        }
    }
}

/* ---- Going on -------------------------------------------------------------------------------- */

static void resume(struct dxgk_hwcontext *context)
{
    struct dxgk_adapter *adapter = context->base.device->adapter;
    const DXGKARG_RESUMECONTEXT arguments = {.hContext = context->base.driver_handle};

    context->base.rooting++;
    NTSTATUS status = dxgk_adapter_has_hardware(adapter)
                          ? ddi_resume_context(&adapter->ddi, adapter->ddi.miniport_context,
                                               &arguments, context->base.object)
                          : STATUS_SUCCESS;
    context->base.rooting--;
    wait_queue_wake(&context->base.changed, UINT_MAX);
    if (!NT_SUCCESS(status)) {
        dxgk_device_lose_soon(context->base.device, D3DKMT_DEVICEEXECUTION_RESET);
    }
    dxgk_log_forget(adapter, context->base.node);
    set_stop(context, VIDSCH_QUEUE_GOES); /* what does not run is late in time */
}

/* The time is not over, or the answer has not come and is waited for. */
static bool is_paused(const struct dxgk_hwcontext *context)
{
    const struct dxgk_adapter *adapter = context->base.device->adapter;

    return context->paused && dxgk_adapter_has_hardware(adapter) &&
           (adapter->pause_end.armed || (context->stop == VIDSCH_QUEUE_ASKED && !context->hasty));
}

void dxgk_hwcontexts_resume(struct dxgk_adapter *adapter)
{
    for_each_life(outer, &adapter->devices)
    {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life);
        for_each_life(life, &device->contexts)
        {
            struct dxgk_context *context = container_of(life, struct dxgk_context, life);
            if (is_hwcontext(context) && context->owns_handle &&
                !dxgk_hwcontext_of(context)->given_up &&
                dxgk_hwcontext_of(context)->stop != VIDSCH_QUEUE_GOES && space_of(context) &&
                space_of(context)->hold_count == 0 && !is_paused(dxgk_hwcontext_of(context))) {
                dxgk_hwcontext_of(context)->paused = false;
                resume(dxgk_hwcontext_of(context));
            }
        }
    }
}

/* ---- For nothing ----------------------------------------------------------------------------- */

#define PAUSED_ONE_IN      8 /* passes of the worker that find a context at work */
#define PAUSE_NS           (200 * NS_PER_US)
#define ASKED_AGAIN_ONE_IN 4

static void pause_ends(struct machine_timer *timer)
{
    dxgk_worker_kick(timer->context);
}

void dxgk_pauses_init(struct dxgk_adapter *adapter)
{
    machine_timer_init(&adapter->pause_end, pause_ends, adapter);
}

void dxgk_pauses_fini(struct dxgk_adapter *adapter)
{
    machine_timer_cancel(&adapter->pause_end);
}

static bool may_pause(const struct dxgk_context *context)
{
    const struct dxgk_space *space = space_of(context);

    return is_hwcontext(context) && context->owns_handle && space && space->hold_count == 0 &&
           !context->device->lost;
}

/* The latest request counts: one in three is taken back before it can have been answered, and made
 * again by the next pass or a later one. */
static void pause_one(struct dxgk_hwcontext *context)
{
    struct dxgk_adapter *adapter = context->base.device->adapter;
    uint64_t length_ns = vary_below(VARY_SUSPENDED_CONTEXTS, 3) == 0
                             ? 0
                             : 1 + vary_below(VARY_SUSPENDED_CONTEXTS, PAUSE_NS);

    context->paused = true;
    context->hasty = length_ns == 0;
    machine_timer_set(&adapter->pause_end, machine_now_ns() + length_ns);
    suspend(context);
}

/* One that stands already is asked, too: STATUS_SUCCESS is for that [HWQ-014]. */
static bool is_asked_again(const struct dxgk_context *context)
{
    return may_pause(context) && context->device->adapter->pause_end.armed &&
           container_of(context, const struct dxgk_hwcontext, base)->paused &&
           container_of(context, const struct dxgk_hwcontext, base)->stop == VIDSCH_QUEUE_STOPPED &&
           vary_happens(VARY_SUSPENDED_CONTEXTS, ASKED_AGAIN_ONE_IN);
}

void dxgk_hwcontexts_pause(struct dxgk_adapter *adapter)
{
    if (!vary_on(VARY_SUSPENDED_CONTEXTS) || !ddi_has(&adapter->ddi, POINT_SuspendContext) ||
        !ddi_has(&adapter->ddi, POINT_ResumeContext) || !dxgk_adapter_has_hardware(adapter)) {
        return;
    }
    for_each_life(outer, &adapter->devices)
    {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life);
        for_each_life(life, &device->contexts)
        {
            struct dxgk_context *context = container_of(life, struct dxgk_context, life);
            if (may_pause(context) && dxgk_hwcontext_of(context)->stop == VIDSCH_QUEUE_GOES &&
                is_busy(dxgk_hwcontext_of(context)) && !adapter->pause_end.armed &&
                vary_happens(VARY_SUSPENDED_CONTEXTS, PAUSED_ONE_IN)) {
                pause_one(dxgk_hwcontext_of(context));
            } else if (is_asked_again(context)) {
                dxgk_hwcontext_of(context)->hasty = false;
                suspend(dxgk_hwcontext_of(context));
            }
        }
    }
}
