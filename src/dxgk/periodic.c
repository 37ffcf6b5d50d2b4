/* Periodic monitored fences; see periodic.h. */
#include "dxgk/periodic.h"
#include "dxgk/syncobj.h"
#include "dxgk/work.h"

#include <stdlib.h>

#define SILENT_FRAMES 4u /* of a target that tells its vertical syncs */
#define TIMES_MIN     4u
#define TIME_SLACK_NS UINT64_C(1000000)

struct dxgk_periodic {
    struct list link; /* the adapter's */
    struct dxgk_sync_core *core;
    UINT target, id;
    uint64_t before_ns; /* the vertical sync */
    HANDLE driver_handle;
    bool there;     /* the driver took it */
    bool repeated;  /* since the last vertical sync */
    unsigned ticks; /* told, and not counted yet */
    /* What the device shows of it. */
    uint64_t told_ns;       /* the last notice; 0: none since the last vertical sync */
    uint64_t heard_ns;      /* the last notice, or since when there have to be some */
    const char *since;      /* the call behind which there was none yet; NULL: there was */
    unsigned silent_frames; /* in a row, by vertical syncs */
    unsigned times, wrong_times, repeats; /* frames: with a notice; of them ... */
    uint64_t last_wrong_ns;
};

void dxgk_periodics_init(struct dxgk_adapter *adapter)
{
    list_init(&adapter->periodics.all);
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* NULL: nothing is shown there. */
static const struct dxgk_source *source_of(const struct dxgk_adapter *adapter, UINT target)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        if (adapter->sources[i].active && adapter->sources[i].target == target) {
            return &adapter->sources[i];
        }
    }
    return NULL;
}

static uint64_t frame_ns(const struct dxgk_source *source)
{
    UINT rate = source->mode.refresh_millihertz;

    return rate ? UINT64_C(1000000000000) / rate : 0;
}

static bool is_legal(const struct dxgk_adapter *adapter,
                     const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info)
{
    const struct dxgk_source *source =
        source_of(adapter, info->PeriodicMonitoredFence.VidPnTargetId);

    return source && info->PeriodicMonitoredFence.Time > 0 &&
           info->PeriodicMonitoredFence.Time <= frame_ns(source) / 100;
}

static NTSTATUS ask_driver(struct dxgk_periodic *periodic, struct dxgk_adapter *adapter)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(FENCE_020),
                                             .object = adapter->object};
    const struct dxgk_source *source = source_of(adapter, periodic->target);
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    DXGKARG_CREATEPERIODICFRAMENOTIFICATION arguments;
    NTSTATUS status;

    KERNEL_DUTY(FENCE_021, source && periodic->before_ns <= frame_ns(source));
    periodic->there = true; /* it may interrupt before the call returns */
    do {
        arguments = (DXGKARG_CREATEPERIODICFRAMENOTIFICATION){
            .hAdapter = adapter->ddi.miniport_context,
            .VidPnTargetId = periodic->target,
            .Time = periodic->before_ns / 100,
            .NotificationID = periodic->id,
        };
        status = ddi_create_periodic_frame_notification(&adapter->ddi, &arguments, adapter->object);
    } while (dxgk_tries_again(status, &attempt));
    periodic->there = NT_SUCCESS(status);
    periodic->driver_handle = arguments.hNotification;
    if (periodic->there && !arguments.hNotification) {
        contract_breach(&finding, "in hNotification a handle, by which it is destroyed",
                        "hNotification is NULL behind %s", status_name(status));
    }
    return status;
}

/* The target and its mode stay meanwhile: who changes them waits. */
static NTSTATUS attach(struct dxgk_sync_core *core, const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info)
{
    struct dxgk_adapter *adapter = core->adapter;
    struct dxgk_periodic *periodic = calloc(1, sizeof *periodic);

    if (!periodic) {
        return STATUS_NO_MEMORY;
    }
    periodic->core = core;
    periodic->target = info->PeriodicMonitoredFence.VidPnTargetId;
    periodic->before_ns = info->PeriodicMonitoredFence.Time * 100;
    periodic->id = ++adapter->periodics.last_id;
    periodic->heard_ns = machine_now_ns();
    core->periodic = periodic;
    list_push_back(&adapter->periodics.all, &periodic->link);
    NTSTATUS status = ask_driver(periodic, adapter);
    if (!NT_SUCCESS(status)) {
        dxgk_periodic_end(core);
    }
    return status;
}

/* Another thread may destroy it while the driver is asked. Its core stays until then. */
static NTSTATUS finish(struct dxgk_sync *sync, const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info)
{
    struct dxgk_sync_core *core = sync->core;

    if (!dxgk_sync_core_open(core)) {
        return STATUS_INVALID_HANDLE;
    }
    life_get(&sync->life);
    /* Mapping it may have taken its time. */
    NTSTATUS status = is_legal(core->adapter, info) ? attach(core, info) : STATUS_INVALID_PARAMETER;
    if (NT_SUCCESS(status) && sync->life.state != LIFE_LIVING) {
        status = STATUS_INVALID_HANDLE;
    }
    if (!NT_SUCCESS(status)) {
        (void)dxgk_sync_destroy(sync);
    }
    dxgk_sync_core_close(core);
    life_put(&sync->life);
    return status;
}

NTSTATUS dxgk_periodic_create(struct dxgk_device *device,
                              const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info, struct dxgk_sync **out)
{
    struct dxgk_adapter *adapter = device->adapter;
    D3DDDI_SYNCHRONIZATIONOBJECTINFO2 fence = {.Type = D3DDDI_PERIODIC_MONITORED_FENCE,
                                               .Flags = info->Flags};

    dxgk_wait_awake();
    if (!ddi_has(&adapter->ddi, POINT_CreatePeriodicFrameNotification) ||
        !ddi_has(&adapter->ddi, POINT_DestroyPeriodicFrameNotification)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!is_legal(adapter, info)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (device->lost || !dxgk_adapter_has_hardware(adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    NTSTATUS status = dxgk_fence_create(device, &fence, out);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    return finish(*out, info);
}

/* ---- Ending ---------------------------------------------------------------------------------- */

/* Each counts its fence up, which whoever waits takes for a frame. */
static void judge_repeats(const struct dxgk_adapter *adapter, const struct dxgk_periodic *periodic)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(FENCE_023),
                                             .object = adapter->object};

    if (periodic->repeats >= TIMES_MIN && periodic->repeats * 2 >= periodic->times) {
        contract_breach(&finding, "one notice of each notification in each frame of its target",
                        "notification %u of target %u, %llu us before a vertical sync, was told "
                        "once more within half a frame in %u of %u frames: what is due, and was "
                        "told, is not cleared",
                        periodic->id, periodic->target,
                        (unsigned long long)(periodic->before_ns / 1000), periodic->repeats,
                        periodic->times);
    }
}

static void judge_times(const struct dxgk_adapter *adapter, const struct dxgk_periodic *periodic)
{
    const struct contract_finding finding = {
        .rule = CONTRACT_JUDGES(FENCE_023), .object = adapter->object, .advice = true};

    if (periodic->wrong_times >= TIMES_MIN && periodic->wrong_times * 4 >= periodic->times * 3) {
        contract_breach(
            &finding, "a notice Time, in 100 ns, before each vertical sync",
            "Time is %llu us before; of %u frames of target %u %u had it elsewhere, the "
            "last one %llu us before the vertical sync",
            (unsigned long long)(periodic->before_ns / 1000), periodic->times, periodic->target,
            periodic->wrong_times, (unsigned long long)(periodic->last_wrong_ns / 1000));
    }
}

/* The driver was told that the path's monitor is off, or has lost its mode, and was not told of it
 * anew. */
static bool is_off(const struct dxgk_source *source)
{
    return source->path_off || source->set_mode || !source->shown;
}

/* Where nobody wants vertical syncs, frames are counted by the clock. */
static void judge_silence(const struct dxgk_adapter *adapter, const struct dxgk_periodic *periodic)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(FENCE_023),
                                             .object = adapter->object};
    const struct dxgk_source *source = source_of(adapter, periodic->target);
    uint64_t silent_ns = machine_now_ns() - periodic->heard_ns;

    if (!source || is_off(source) || !frame_ns(source) || adapter->asleep ||
        adapter->state != DXGK_ADAPTER_RUNNING || adapter->presence != DXGK_THERE ||
        dxgk_adapter_stands_still(adapter) || periodic->silent_frames >= SILENT_FRAMES) {
        return;
    }
    contract_count(RULE_FENCE_023);
    if (silent_ns > (SILENT_FRAMES + 1) * frame_ns(source)) {
        contract_breach(&finding, "a notice of each notification in each frame of its target",
                        "none of notification %u of target %u for %llu us, as long as %llu frames, "
                        "until it was destroyed%s%s",
                        periodic->id, periodic->target, (unsigned long long)(silent_ns / 1000),
                        (unsigned long long)(silent_ns / frame_ns(source)),
                        periodic->since ? "; none since " : "",
                        periodic->since ? periodic->since : "");
    }
}

void dxgk_periodics_begin_anew(struct dxgk_adapter *adapter, const char *call)
{
    list_for_each (link, &adapter->periodics.all) {
        struct dxgk_periodic *periodic = container_of(link, struct dxgk_periodic, link);
        periodic->heard_ns = machine_now_ns();
        periodic->since = call;
    }
}

void dxgk_periodic_end(struct dxgk_sync_core *core)
{
    struct dxgk_periodic *periodic = core->periodic;
    struct dxgk_adapter *adapter = core->adapter;

    if (!periodic) {
        return;
    }
    core->periodic = NULL;
    if (periodic->there) {
        const DXGKARG_DESTROYPERIODICFRAMENOTIFICATION arguments = {
            .hNotification = periodic->driver_handle,
            .hAdapter = adapter->ddi.miniport_context,
        };
        judge_repeats(adapter, periodic);
        judge_times(adapter, periodic);
        judge_silence(adapter, periodic);
        (void)ddi_destroy_periodic_frame_notification(&adapter->ddi, &arguments, adapter->object);
        periodic->there = false;
    }
    list_remove(&periodic->link);
    free(periodic);
}

/* ---- Notices --------------------------------------------------------------------------------- */

/* Late and lost interrupts are off by much less than half a frame. One counts in a frame, however
 * often it is told there. */
static void count_repeat(const struct dxgk_adapter *adapter, struct dxgk_periodic *periodic)
{
    const struct dxgk_source *source = source_of(adapter, periodic->target);

    periodic->repeated |= source && !periodic->since && periodic->told_ns > 0 &&
                          machine_now_ns() - periodic->told_ns < frame_ns(source) / 2;
}

void dxgk_periodic_notice(struct dxgk_adapter *adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(FENCE_022),
                                             .object = adapter->object};
    UINT target = data->PeriodicMonitoredFenceSignaled.VidPnTargetId;
    UINT id = data->PeriodicMonitoredFenceSignaled.NotificationID;

    contract_count(RULE_FENCE_022);
    list_for_each (link, &adapter->periodics.all) {
        struct dxgk_periodic *periodic = container_of(link, struct dxgk_periodic, link);
        if (periodic->there && periodic->id == id && periodic->target == target) {
            count_repeat(adapter, periodic);
            periodic->told_ns = periodic->heard_ns = machine_now_ns();
            periodic->since = NULL;
            periodic->silent_frames = 0;
            periodic->ticks++;
            adapter->periodics.told = true;
            return;
        }
    }
    contract_breach(
        &finding,
        "VidPnTargetId and NotificationID of a notification that was created and is not "
        "destroyed",
        "target %u, NotificationID %u, which nobody asked for, or which was destroyed", target, id);
}

/* Between two of them comes one notice of each. */
static void judge_frame(struct dxgk_adapter *adapter, struct dxgk_periodic *periodic)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(FENCE_023),
                                             .object = adapter->object};

    contract_count(RULE_FENCE_023);
    if (periodic->told_ns > 0) {
        uint64_t gap_ns = machine_now_ns() - periodic->told_ns;
        uint64_t off_ns = gap_ns > periodic->before_ns ? gap_ns - periodic->before_ns
                                                       : periodic->before_ns - gap_ns;
        periodic->times++;
        periodic->repeats += periodic->repeated;
        if (off_ns > TIME_SLACK_NS + periodic->before_ns / 4) {
            periodic->wrong_times++;
            periodic->last_wrong_ns = gap_ns;
        }
    } else if (++periodic->silent_frames == SILENT_FRAMES) {
        contract_breach(&finding, "a notice of each notification in each frame of its target",
                        "target %u had %u vertical syncs, and none of notification %u",
                        periodic->target, SILENT_FRAMES, periodic->id);
    }
    periodic->told_ns = 0;
    periodic->repeated = false;
}

void dxgk_periodic_vsync(struct dxgk_adapter *adapter, UINT target)
{
    list_for_each (link, &adapter->periodics.all) {
        struct dxgk_periodic *periodic = container_of(link, struct dxgk_periodic, link);
        if (periodic->there && periodic->target == target) {
            judge_frame(adapter, periodic);
        }
    }
}

void dxgk_periodic_dpc(struct dxgk_adapter *adapter)
{
    if (!adapter->periodics.told) {
        return;
    }
    adapter->periodics.told = false;
    for (struct list *link = adapter->periodics.all.next; link != &adapter->periodics.all;) {
        struct dxgk_periodic *periodic = container_of(link, struct dxgk_periodic, link);
        unsigned ticks = periodic->ticks;
        link = link->next;
        periodic->ticks = 0;
        uint64_t value = sync_fence_value(&periodic->core->object);
        if (ticks > 0 && value != SYNC_VALUE_LOST) {
            record_count("fences.periodic_ticks", ticks);
            sync_signal(&periodic->core->object, value + ticks);
        }
    }
}
