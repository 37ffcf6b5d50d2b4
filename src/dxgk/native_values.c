/* The values of native fences: what CPUs wait for and signal goes through the driver, and what the
 * GPU signals comes back by a notice. */
#include "dxgk/native_parts.h"
#include "dxgk/work.h"

#define OWED_MAX_NS (5 * NS_PER_S) /* a notice may be late, later than what is asked for */

/* The driver may be called about values: nobody resets it, and its device has power. */
static bool is_reachable(const struct dxgk_adapter *adapter)
{
    return adapter->state == DXGK_ADAPTER_RUNNING && !adapter->asleep &&
           !ddi_is_closed(&adapter->ddi);
}

/* ---- Told to the driver ---------------------------------------------------------------------- */

/* Those that a call is about: one whose value is another, and some of which it says again what they
 * were told. Nobody else tells of any of them meanwhile, and none ends: the call is inside. */
struct telling {
    struct dxgk_native *natives[NATIVE_OTHERS_MAX + 1];
    UINT count;
};

/* The one in the middle: a driver that deals with the first or the last alone forgets it. */
static void begin_telling(struct dxgk_native *native, struct telling *telling)
{
    *telling = (struct telling){.count = 0};
    list_for_each (link, &native->core->adapter->natives.all) {
        struct dxgk_native *other = container_of(link, struct dxgk_native, link);
        if (other != native && telling->count < NATIVE_OTHERS_MAX && other->heard &&
            !other->telling && life_enter(&other->core->life)) {
            telling->natives[telling->count++] = other;
        }
    }
    UINT middle = (telling->count + 1) / 2;
    for (UINT i = telling->count; i > middle; i--) {
        telling->natives[i] = telling->natives[i - 1];
    }
    telling->natives[middle] = native;
    telling->count++;
    for (UINT i = 0; i < telling->count; i++) {
        telling->natives[i]->telling = true;
    }
}

/* Who wanted another one to hear more meanwhile left that to us. */
static void end_telling(struct dxgk_native *native, const struct telling *telling)
{
    for (UINT i = 0; i < telling->count; i++) {
        telling->natives[i]->telling = false;
        telling->natives[i]->heard = true;
    }
    for (UINT i = 0; i < telling->count; i++) {
        struct dxgk_native *other = telling->natives[i];
        if (other != native) {
            sync_fence_poll(&other->core->object);
            life_leave(&other->core->life);
        }
    }
}

static bool want_more(const struct telling *telling, const UINT64 *told)
{
    for (UINT i = 0; i < telling->count; i++) {
        if (telling->natives[i]->wanted != told[i]) {
            return true;
        }
    }
    return false;
}

static void tell_monitored(struct dxgk_native *native)
{
    struct dxgk_sync_core *core = native->core;
    UINT64 values[NATIVE_OTHERS_MAX + 1];
    HANDLE handles[NATIVE_OTHERS_MAX + 1];
    void *places[NATIVE_OTHERS_MAX + 1];
    struct telling telling;

    begin_telling(native, &telling);
    do {
        for (UINT i = 0; i < telling.count; i++) {
            handles[i] = telling.natives[i]->driver_handle;
            values[i] = telling.natives[i]->wanted;
            places[i] = telling.natives[i]->monitored->word.view;
        }
        const DXGKARG_UPDATEMONITOREDVALUES arguments = {
            .NativeFenceArray = handles,
            .UpdatedValueArray = values,
            .MonitoredValueKernelCpuVa = places,
            .NumFences = telling.count,
        };
        (void)ddi_update_monitored_values(&core->adapter->ddi, &arguments, core->object.number);
    } while (want_more(&telling, values));
    end_telling(native, &telling);
}

/* Behind the call the value is looked at again: what was written before the GPU knew of the new
 * monitored value nobody told of [FENCE-006]. */
void dxgk_native_monitor(struct sync_object *object, uint64_t monitored)
{
    struct dxgk_sync_core *core = container_of(object, struct dxgk_sync_core, object);
    struct dxgk_native *native = core->native;
    struct dxgk_adapter *adapter = core->adapter;

    if (!is_reachable(adapter)) {
        adapter->natives.stale = true;
        dxgk_worker_kick(adapter);
        return;
    }
    native->wanted = monitored;
    if (native->telling || !life_enter(&core->life)) {
        return; /* two calls would overtake each other; or it ends, and nobody waits for it */
    }
    tell_monitored(native);
    sync_fence_poll(object);
    life_leave(&core->life);
}

static bool is_before(const struct dxgk_sync_batch *batch, UINT first, UINT index)
{
    for (UINT i = first; i < index; i++) {
        if (batch->objects[i]->core == batch->objects[index]->core) {
            return true;
        }
    }
    return false;
}

/* Those that one call of the driver is about: each once. */
static UINT run_of(const struct dxgk_sync_batch *batch, UINT first)
{
    const struct dxgk_adapter *adapter = batch->objects[first]->core->adapter;
    UINT count = 0;

    while (is_reachable(adapter) && first + count < batch->count) {
        const struct dxgk_sync_core *core = batch->objects[first + count]->core;
        if (!core->native || !core->native->created || core->adapter != adapter ||
            core->life.state != LIFE_LIVING || is_before(batch, first, first + count)) {
            break;
        }
        count++;
    }
    return count;
}

UINT dxgk_natives_signal(const struct dxgk_sync_batch *batch, UINT first)
{
    HANDLE handles[D3DDDI_MAX_OBJECT_WAITED_ON];
    UINT64 values[D3DDDI_MAX_OBJECT_WAITED_ON];
    void *places[D3DDDI_MAX_OBJECT_WAITED_ON];
    UINT count = run_of(batch, first);

    if (count == 0) {
        return 0;
    }
    CHECK_THAT(count <= D3DDDI_MAX_OBJECT_WAITED_ON);
    for (UINT i = 0; i < count; i++) {
        struct dxgk_sync_core *core = batch->objects[first + i]->core;
        CHECK_THAT(life_enter(&core->life)); /* none ends meanwhile */
        handles[i] = core->native->driver_handle;
        values[i] = batch->values[first + i];
        places[i] = core->page->word.view;
    }
    const DXGKARG_UPDATECURRENTVALUESFROMCPU arguments = {
        .NativeFenceArray = handles,
        .UpdatedValueArray = values,
        .CurrentValueKernelCpuVa = places,
        .NumFences = count,
    };
    struct dxgk_sync_core *core = batch->objects[first]->core;
    (void)ddi_update_current_values(&core->adapter->ddi, &arguments, core->object.number);
    core->adapter->natives.written_ns = machine_now_ns();
    /* The GPU was let go by the driver: it may have signalled the next value already. */
    for (UINT i = 0; i < count; i++) {
        sync_fence_signalled(&batch->objects[first + i]->core->object, values[i]);
        life_leave(&batch->objects[first + i]->core->life);
    }
    return count;
}

void dxgk_natives_work(struct dxgk_adapter *adapter)
{
    if (adapter->natives.stale && is_reachable(adapter)) {
        adapter->natives.stale = false;
        list_for_each (link, &adapter->natives.all) {
            sync_fence_watch_anew(&container_of(link, struct dxgk_native, link)->core->object);
        }
        sync_watches_tell(&adapter->sync_domain);
    }
    if (!list_empty(&adapter->natives.all)) {
        (void)dxgk_natives_judge(adapter, false);
    }
}

void dxgk_natives_tell(struct dxgk_adapter *adapter)
{
    if (!list_empty(&adapter->natives.all)) {
        sync_watches_tell(&adapter->sync_domain);
    }
}

/* ---- Told by the driver ---------------------------------------------------------------------- */

/* False: no fence has the handle. */
static bool name(struct dxgk_adapter *adapter, HANDLE handle)
{
    bool found = false;

    list_for_each (link, &adapter->natives.all) {
        struct dxgk_native *native = container_of(link, struct dxgk_native, link);
        if (native->driver_handle == handle || dxgk_native_handle(native) == handle) {
            native->named = found = true;
        }
    }
    return found;
}

/* Nothing but marks. A driver that names a hardware queue has no log that would say more. */
void dxgk_native_notice(struct dxgk_adapter *adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    const HANDLE *handles = data->NativeFenceSignaled.pSignaledNativeFenceArray;

    if (adapter->state == DXGK_ADAPTER_STOPPED) {
        return;
    }
    adapter->natives.told = true;
    adapter->natives.others |= data->Flags.EvaluateLegacyMonitoredFences;
    if (!handles) {
        adapter->natives.all_told = true;
        return;
    }
    for (UINT i = 0; i < data->NativeFenceSignaled.SignaledNativeFenceCount; i++) {
        if (!name(adapter, handles[i])) { /* there may be no more of the array [FENCE-007] */
            adapter->natives.all_told = true;
            return;
        }
    }
}

/* Whoever is let go may end any of them. */
static struct dxgk_native *next_named(struct dxgk_adapter *adapter)
{
    list_for_each (link, &adapter->natives.all) {
        struct dxgk_native *native = container_of(link, struct dxgk_native, link);
        if (native->named) {
            native->named = false;
            return native;
        }
    }
    return NULL;
}

void dxgk_native_dpc(struct dxgk_adapter *adapter)
{
    struct dxgk_native *native;

    if (!adapter->natives.told) {
        return;
    }
    adapter->natives.told = false;
    list_for_each (link, &adapter->natives.all) {
        container_of(link, struct dxgk_native, link)->named |= adapter->natives.all_told;
    }
    adapter->natives.all_told = false;
    while ((native = next_named(adapter)) != NULL) {
        struct dxgk_sync_core *core = native->core;
        life_get(&core->life);
        sync_fence_poll(&core->object);
        life_put(&core->life);
    }
    if (adapter->natives.others) {
        adapter->natives.others = false;
        dxgk_fences_look_all(adapter);
        for (unsigned i = 0; i < adapter->node_count; i++) {
            (void)dxgk_hwqueues_look(adapter, i);
        }
    }
}

/* ---- Not told -------------------------------------------------------------------------------- */

static void blame(const struct dxgk_native *native)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(FENCE_007),
                                             .object = native->core->object.number};

    contract_breach(&finding,
                    "DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED, with the fence or for all, when "
                    "CurrentValue becomes larger than MonitoredValue",
                    "CurrentValue is %llu, the last UpdateMonitoredValues said %llu, and no notice "
                    "came",
                    (unsigned long long)*native->core->memory,
                    (unsigned long long)*(const uint64_t *)native->monitored->word.view);
}

/* `for_good`: nothing goes on by itself any more, so that no notice is on its way. */
bool dxgk_natives_judge(struct dxgk_adapter *adapter, bool for_good)
{
    bool any = false;

    if (sync_watches_changed(&adapter->sync_domain)) {
        return false; /* a wait has just begun of which nobody has been told */
    }
    list_for_each_safe (link, &adapter->natives.all) {
        struct dxgk_native *native = container_of(link, struct dxgk_native, link);
        if (!sync_fence_owes(&native->core->object) || !is_reachable(adapter) ||
            dxgk_adapter_stands_still(adapter)) {
            native->owed_since_ns = 0;
            continue;
        }
        any = true;
        if (native->owed_since_ns == 0) {
            native->owed_since_ns = machine_now_ns();
        }
        if (for_good || machine_now_ns() - native->owed_since_ns > OWED_MAX_NS) {
            struct dxgk_sync_core *core = native->core;
            blame(native);
            if (for_good) {
                continue;
            }
            life_get(&core->life);
            sync_fence_poll(&core->object); /* the list may be another one now */
            life_put(&core->life);
            return true;
        }
    }
    return any;
}
