/* nt/po_fx.c: the power framework of devices whose parts sleep by themselves.
 *
 * A component is used or not (its condition) and, unused, sinks to the deepest F-state it has:
 *
 *                     last use ends: ComponentIdleCondition
 *      ACTIVE ──────────────────────────────────> GOING_IDLE
 *        ^                                            │ PoFxCompleteIdleCondition
 *        │ first use: ComponentActiveCondition        v
 *        └─────────────────────────────────────── IDLE ─ ComponentIdleState, and back to F0 first
 *                                                     │
 *      all components idle: DevicePowerNotRequired; a use again: DevicePowerRequired, and the
 *      components wait until PoFxReportDevicePoweredOn
 *
 * Before PoFxStartDevicePowerManagement nothing leaves F0 and the device keeps its power. Callbacks
 * run at once, in the call that made them necessary, as the pages allow, unless that asked for
 * PO_FX_FLAG_ASYNC_ONLY; then a worker calls them. */
#include "nt/internal.h"

#include <stdlib.h>

#define COMPONENTS_MAX 1024u

enum condition { CONDITION_IDLE, CONDITION_ACTIVE, CONDITION_GOING_IDLE };

struct component {
    ULONG uses, state_count, deepest_to_wake;
    enum condition condition;
    ULONG state, wanted_state;
    bool state_pending; /* ComponentIdleState was called and is not complete */
    bool wakes;         /* PoFxSetComponentWake */
};

enum device_power { DEVICE_ON, DEVICE_GOING_OFF, DEVICE_OFF, DEVICE_GOING_ON };

struct fx_device {
    struct list link;
    PO_FX_DEVICE_V1 callbacks; /* without components */
    ULONG component_count;
    bool started, pumping, again;
    struct task *pumper; /* who calls the driver's routines now */
    enum device_power power;
    struct nt_origin from;
    struct component components[];
};

static struct list devices = {&devices, &devices};
static struct task *worker;
static bool worker_wanted;

static struct fx_device *find(POHANDLE handle, const struct export_call *call)
{
    list_for_each (link, &devices) {
        struct fx_device *device = container_of(link, struct fx_device, link);
        if (device == (const void *)handle) {
            return device;
        }
    }
    misuse(NT_MISUSE_HANDLE, call, "that is no device registered with the power framework");
    return NULL;
}

static struct component *find_component(struct fx_device *device, ULONG index,
                                        const struct export_call *call)
{
    if (device && index < device->component_count) {
        return &device->components[index];
    }
    if (device) {
        misuse(NT_MISUSE_ARGUMENT, call, "there is no component %u of %u", index,
               device->component_count);
    }
    return NULL;
}

/* ---- Steps: each calls one routine of the driver at most --------------------------------------
 */

static bool any_in_use(const struct fx_device *device)
{
    for (ULONG i = 0; i < device->component_count; i++) {
        if (device->components[i].uses > 0 || device->components[i].condition != CONDITION_IDLE) {
            return true;
        }
    }
    return false;
}

static bool step_device(struct fx_device *device)
{
    bool needed = any_in_use(device);
    void *context = device->callbacks.DeviceContext;

    if (device->power == DEVICE_OFF && needed) {
        device->power = DEVICE_GOING_ON;
        if (device->callbacks.DevicePowerRequiredCallback) {
            device->callbacks.DevicePowerRequiredCallback(context);
        } else {
            device->power = DEVICE_ON;
        }
        return true;
    }
    if (device->power == DEVICE_ON && !needed && device->started &&
        device->callbacks.DevicePowerNotRequiredCallback) {
        device->power = DEVICE_GOING_OFF;
        device->callbacks.DevicePowerNotRequiredCallback(context);
        return true;
    }
    return false;
}

static ULONG deepest_state(const struct component *component)
{
    return component->wakes ? component->deepest_to_wake : component->state_count - 1;
}

static bool step_state(struct fx_device *device, ULONG index)
{
    struct component *component = &device->components[index];
    ULONG wanted = 0;

    if (component->condition == CONDITION_IDLE && component->uses == 0 && device->started) {
        wanted = deepest_state(component);
    }
    if (component->state_pending || wanted == component->state ||
        !device->callbacks.ComponentIdleStateCallback) {
        return false;
    }
    if (wanted < component->state && device->power != DEVICE_ON) {
        return false; /* nothing wakes without power */
    }
    component->state_pending = true;
    component->wanted_state = wanted;
    device->callbacks.ComponentIdleStateCallback(device->callbacks.DeviceContext, index, wanted);
    return true;
}

static bool step_condition(struct fx_device *device, ULONG index)
{
    struct component *component = &device->components[index];
    void *context = device->callbacks.DeviceContext;

    if (component->condition == CONDITION_IDLE && component->uses > 0 &&
        device->power == DEVICE_ON && component->state == 0 && !component->state_pending) {
        component->condition = CONDITION_ACTIVE;
        if (device->callbacks.ComponentActiveConditionCallback) {
            device->callbacks.ComponentActiveConditionCallback(context, index);
        }
        address_wake_all(device);
        return true;
    }
    if (component->condition == CONDITION_ACTIVE && component->uses == 0) {
        component->condition = CONDITION_GOING_IDLE;
        if (device->callbacks.ComponentIdleConditionCallback) {
            device->callbacks.ComponentIdleConditionCallback(context, index);
        } else {
            component->condition = CONDITION_IDLE;
        }
        return true;
    }
    return false;
}

static bool step(struct fx_device *device)
{
    bool moved = false;

    for (ULONG i = 0; i < device->component_count; i++) {
        moved = step_state(device, i) || moved;
        moved = step_condition(device, i) || moved;
    }
    /* The device is asked when its components have come to rest. */
    return moved || step_device(device);
}

/* Until nothing moves. A callback that calls back in only asks for one more round. */
static void pump(struct fx_device *device)
{
    device->again = true;
    if (device->pumping) {
        return;
    }
    device->pumping = true;
    device->pumper = task_self();
    while (device->again) {
        device->again = false;
        if (step(device)) {
            device->again = true;
        }
    }
    device->pumping = false;
    address_wake_all(device);
}

static void worker_main(void *argument)
{
    for (;;) {
        while (!worker_wanted) {
            address_wait(&worker_wanted, MACHINE_NEVER);
        }
        worker_wanted = false;
        list_for_each_safe (link, &devices) {
            pump(container_of(link, struct fx_device, link));
        }
    }
}

static void pump_as_asked(struct fx_device *device, ULONG flags)
{
    struct task_options options = {.name = "power framework", .daemon = true};

    if (!(flags & PO_FX_FLAG_ASYNC_ONLY) ||
        (!worker && !NT_SUCCESS(task_create(&options, worker_main, NULL, &worker)))) {
        pump(device);
        return;
    }
    worker_wanted = true;
    address_wake_all(&worker_wanted);
}

/* ---- Registration ---------------------------------------------------------------------------- */

static bool fill_component(struct component *component, ULONG state_count, ULONG deepest)
{
    component->state_count = state_count;
    component->deepest_to_wake = deepest;
    return state_count > 0 && deepest < state_count;
}

static bool fill(struct fx_device *device, const PO_FX_DEVICE_V1 *from)
{
    bool right = true;

    if (from->Version == PO_FX_VERSION_V1) {
        device->callbacks = *from;
        for (ULONG i = 0; i < device->component_count; i++) {
            const PO_FX_COMPONENT_V1 *component = &from->Components[i];
            right = fill_component(&device->components[i], component->IdleStateCount,
                                   component->DeepestWakeableIdleState) &&
                    right;
        }
        return right;
    }
    const PO_FX_DEVICE_V2 *second = (const PO_FX_DEVICE_V2 *)from;
    device->callbacks = (PO_FX_DEVICE_V1){
        .ComponentActiveConditionCallback = second->ComponentActiveConditionCallback,
        .ComponentIdleConditionCallback = second->ComponentIdleConditionCallback,
        .ComponentIdleStateCallback = second->ComponentIdleStateCallback,
        .DevicePowerRequiredCallback = second->DevicePowerRequiredCallback,
        .DevicePowerNotRequiredCallback = second->DevicePowerNotRequiredCallback,
        .PowerControlCallback = second->PowerControlCallback,
        .DeviceContext = second->DeviceContext,
    };
    for (ULONG i = 0; i < device->component_count; i++) {
        const PO_FX_COMPONENT_V2 *component = &second->Components[i];
        right = fill_component(&device->components[i], component->IdleStateCount,
                               component->DeepestWakeableIdleState) &&
                right;
    }
    return right;
}

NTSTATUS NTAPI PoFxRegisterDevice(PDEVICE_OBJECT Pdo, PPO_FX_DEVICE Device, POHANDLE *Handle)
{
    struct export_call call = NT_EXPORT_CALL(PoFxRegisterDevice);
    struct fx_device *device;
    ULONG count;

    if (object_type_of(Pdo) != &object_type_device) {
        misuse(NT_MISUSE_OBJECT, &call, "that is no device object");
        return STATUS_INVALID_PARAMETER;
    }
    if (Device->Version != PO_FX_VERSION_V1 && Device->Version != PO_FX_VERSION_V2) {
        return STATUS_INVALID_PARAMETER;
    }
    count = Device->Version == PO_FX_VERSION_V1 ? Device->ComponentCount
                                                : ((PO_FX_DEVICE_V2 *)Device)->ComponentCount;
    if (count == 0 || count > COMPONENTS_MAX) {
        misuse(NT_MISUSE_ARGUMENT, &call, "a device of %u components", count);
        return STATUS_INVALID_PARAMETER;
    }
    device = calloc(1, sizeof(*device) + count * sizeof(device->components[0]));
    if (!device) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    device->component_count = count;
    device->from = origin_of(call.caller);
    if (!fill(device, Device)) {
        free(device);
        misuse(NT_MISUSE_ARGUMENT, &call,
               "a component has no idle state, or wakes from one that it does not have");
        return STATUS_INVALID_PARAMETER;
    }
    list_push_back(&devices, &device->link);
    *Handle = (POHANDLE)device;
    return STATUS_SUCCESS;
}

VOID NTAPI PoFxUnregisterDevice(POHANDLE Handle)
{
    struct export_call call = NT_EXPORT_CALL(PoFxUnregisterDevice);
    struct fx_device *device = find(Handle, &call);

    if (!device) {
        return;
    }
    if (device->pumping && device->pumper == task_self()) {
        misuse(NT_MISUSE_OBJECT, &call, "unregisters the device inside one of its callbacks");
        return;
    }
    while (device->pumping && irql_current() <= APC_LEVEL) {
        address_wait(device, MACHINE_NEVER);
    }
    list_remove(&device->link);
    free(device);
}

VOID NTAPI PoFxStartDevicePowerManagement(POHANDLE Handle)
{
    struct export_call call = NT_EXPORT_CALL(PoFxStartDevicePowerManagement);
    struct fx_device *device = find(Handle, &call);

    if (device) {
        device->started = true;
        pump(device);
    }
}

/* ---- Use ------------------------------------------------------------------------------------- */

VOID NTAPI PoFxActivateComponent(POHANDLE Handle, ULONG Component, ULONG Flags)
{
    struct export_call call = NT_EXPORT_CALL(PoFxActivateComponent);
    struct fx_device *device = find(Handle, &call);
    struct component *component = find_component(device, Component, &call);

    if (!component) {
        return;
    }
    component->uses++;
    pump_as_asked(device, Flags);
    if (!(Flags & PO_FX_FLAG_BLOCKING)) {
        return;
    }
    export_irql_above(&call, APC_LEVEL);
    while (component->condition != CONDITION_ACTIVE && irql_current() <= APC_LEVEL) {
        address_wait(device, MACHINE_NEVER);
    }
}

VOID NTAPI PoFxIdleComponent(POHANDLE Handle, ULONG Component, ULONG Flags)
{
    struct export_call call = NT_EXPORT_CALL(PoFxIdleComponent);
    struct fx_device *device = find(Handle, &call);
    struct component *component = find_component(device, Component, &call);

    if (!component) {
        return;
    }
    if (component->uses == 0) {
        misuse(NT_MISUSE_LOCK_OWNER, &call, "component %u is idled more often than activated",
               Component);
        return;
    }
    component->uses--;
    pump_as_asked(device, Flags);
    if (!(Flags & PO_FX_FLAG_BLOCKING)) {
        return;
    }
    export_irql_above(&call, APC_LEVEL);
    while (component->condition != CONDITION_IDLE && component->uses == 0 &&
           irql_current() <= APC_LEVEL) {
        address_wait(device, MACHINE_NEVER);
    }
}

VOID NTAPI PoFxCompleteIdleCondition(POHANDLE Handle, ULONG Component)
{
    struct export_call call = NT_EXPORT_CALL(PoFxCompleteIdleCondition);
    struct fx_device *device = find(Handle, &call);
    struct component *component = find_component(device, Component, &call);

    if (!component) {
        return;
    }
    if (component->condition != CONDITION_GOING_IDLE) {
        misuse(NT_MISUSE_OBJECT, &call, "component %u was not asked to become idle", Component);
        return;
    }
    component->condition = CONDITION_IDLE;
    pump(device);
}

VOID NTAPI PoFxCompleteIdleState(POHANDLE Handle, ULONG Component)
{
    struct export_call call = NT_EXPORT_CALL(PoFxCompleteIdleState);
    struct fx_device *device = find(Handle, &call);
    struct component *component = find_component(device, Component, &call);

    if (!component) {
        return;
    }
    if (!component->state_pending) {
        misuse(NT_MISUSE_OBJECT, &call, "component %u was not asked to change its state",
               Component);
        return;
    }
    component->state_pending = false;
    component->state = component->wanted_state;
    pump(device);
}

VOID NTAPI PoFxCompleteDevicePowerNotRequired(POHANDLE Handle)
{
    struct export_call call = NT_EXPORT_CALL(PoFxCompleteDevicePowerNotRequired);
    struct fx_device *device = find(Handle, &call);

    if (!device) {
        return;
    }
    if (device->power != DEVICE_GOING_OFF) {
        misuse(NT_MISUSE_OBJECT, &call, "the device was not told that its power is not required");
        return;
    }
    device->power = DEVICE_OFF;
    pump(device);
}

VOID NTAPI PoFxReportDevicePoweredOn(POHANDLE Handle)
{
    struct export_call call = NT_EXPORT_CALL(PoFxReportDevicePoweredOn);
    struct fx_device *device = find(Handle, &call);

    if (device) {
        device->power = DEVICE_ON;
        pump(device);
    }
}

VOID NTAPI PoFxSetComponentWake(POHANDLE Handle, ULONG Component, BOOLEAN WakeHint)
{
    struct export_call call = NT_EXPORT_CALL(PoFxSetComponentWake);
    struct component *component = find_component(find(Handle, &call), Component, &call);

    if (component) {
        component->wakes = WakeHint;
    }
}

/* Every F-state is reached at once here: how fast or how long makes no difference. */
VOID NTAPI PoFxSetComponentLatency(POHANDLE Handle, ULONG Component, ULONGLONG Latency)
{
    struct export_call call = NT_EXPORT_CALL(PoFxSetComponentLatency);
    find_component(find(Handle, &call), Component, &call);
}

VOID NTAPI PoFxSetComponentResidency(POHANDLE Handle, ULONG Component, ULONGLONG Residency)
{
    struct export_call call = NT_EXPORT_CALL(PoFxSetComponentResidency);
    find_component(find(Handle, &call), Component, &call);
}

VOID NTAPI PoFxSetDeviceIdleTimeout(POHANDLE Handle, ULONGLONG IdleTimeout)
{
    struct export_call call = NT_EXPORT_CALL(PoFxSetDeviceIdleTimeout);
    find(Handle, &call);
}

void fx_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &devices) {
        const struct fx_device *device = container_of(link, struct fx_device, link);
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&device->from, where, sizeof(where));
        leak(visitor, "power registration", "PoFxUnregisterDevice was not called, registered at %s",
             where);
    }
}

void fx_stop(void)
{
    list_for_each_safe (link, &devices) {
        struct fx_device *device = container_of(link, struct fx_device, link);
        list_remove(link);
        free(device);
    }
    worker_wanted = false;
    if (worker) {
        task_put(worker);
        worker = NULL;
    }
}
