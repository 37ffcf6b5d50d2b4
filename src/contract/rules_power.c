/* Rules of power components. That a transition which the driver completes is completed at all dxgk
 * judges (POWER-002). */
#include "contract/internal.h"

#include <video.h>

#include "contract/tracker.h"
#include "machine/machine.h"

#define STATES_MAX    8u /* DXGK_MAX_F_STATES */
#define PROVIDERS_MAX 16u

static const struct contract_component_call *said_in(const struct contract_call *call)
{
    return call->arguments;
}

/* Of a component that is followed here; NULL: there is none of this number, or too many. */
static const struct contract_component *component_of(const struct contract_call *call)
{
    const struct contract_components *components = &call->tracker->components;
    UINT index = said_in(call)->component;

    return index < components->count && index < CONTRACT_COMPONENTS_MAX ? &components->list[index]
                                                                        : NULL;
}

/* ---- The DDI --------------------------------------------------------------------------------- */

static bool is_reported(const struct contract_call *call)
{
    const struct contract_component *component = component_of(call);

    return has_device(call) && component && component->known &&
           said_in(call)->state < component->states;
}

static bool goes_where_it_is_asked(struct contract_call *call)
{
    return call->status == STATUS_SUCCESS ||
           contract_say(call, "STATUS_SUCCESS, of a component and a state that the driver reported",
                        "%s, of component %u and F%u", status_name(call->status),
                        said_in(call)->component, said_in(call)->state);
}

/* Before the tracker follows the call, which is after its rows. */
static bool is_a_legal_move(struct contract_call *call)
{
    const struct contract_component_call *asked = said_in(call);
    const struct contract_component *component = component_of(call);

    if (!call->tracker->caps.SupportRuntimePowerManagement) {
        return contract_say(call, "no call without SupportRuntimePowerManagement", "component %u",
                            asked->component);
    }
    if (asked->component >= call->tracker->components.count) {
        return contract_say(call, "one of the components that the driver counted",
                            "component %u of %u", asked->component,
                            call->tracker->components.count);
    }
    if (!component || !component->known) {
        return true;
    }
    if (component->moving && machine_now_ns() - component->since_ns < CONTRACT_COMPONENT_MOVES_NS) {
        return contract_say(call, "one transition of a component at a time",
                            "component %u, which is on its way to F%u", asked->component,
                            component->state);
    }
    return (asked->state < component->states && (asked->state == 0) != (component->state == 0)) ||
           contract_say(call, "a reported state, to F0 or from it",
                        "component %u of %u states from F%u to F%u", asked->component,
                        component->states, component->state, asked->state);
}

/* ---- Power states ---------------------------------------------------------------------------- */

static bool is_a_way_down(POWER_ACTION action)
{
    return action == PowerActionSleep || action == PowerActionHibernate ||
           action == PowerActionShutdown || action == PowerActionShutdownReset ||
           action == PowerActionShutdownOff;
}

static bool power_goes_down_or_up(struct contract_call *call)
{
    const struct contract_power *asked = call->extra;
    bool listed = asked->device == DISPLAY_ADAPTER_HW_ID ||
                  contract_child_find(call->tracker, asked->device) ||
                  call->tracker->listed_children == CONTRACT_CHILDREN_MAX;

    if (!listed) {
        return contract_say(call, "the adapter or a child that was listed", "DeviceUid 0x%X",
                            (unsigned)asked->device);
    }
    bool exists = asked->state >= PowerDeviceD0 && asked->state <= PowerDeviceD3;
    return (exists && (asked->state == PowerDeviceD0 || is_a_way_down(asked->action))) ||
           contract_say(call, "D0, or a lower state and why", "D%d and ActionType %d",
                        (int)asked->state - PowerDeviceD0, (int)asked->action);
}

/* ---- Callbacks ------------------------------------------------------------------------------- */

static bool is_counted(struct contract_call *call)
{
    return said_in(call)->component < call->tracker->components.count ||
           contract_say(call, "ComponentIndex of a component that NUMPOWERCOMPONENTS counted",
                        "component %u of %u", said_in(call)->component,
                        call->tracker->components.count);
}

static bool is_known(const struct contract_call *call)
{
    return component_of(call) && component_of(call)->known;
}

static bool completes_by_itself(struct contract_call *call)
{
    return component_of(call)->completes ||
           contract_say(call, "the call for components with DriverCompletesFStateTransition alone",
                        "component %u, which does not have it", said_in(call)->component);
}

static bool is_outside_of_a_move(struct contract_call *call)
{
    return !said_in(call)->inside ||
           contract_say(call, "the call after DxgkDdiSetPowerComponentFState has returned",
                        "component %u, from inside of it: it may wait for itself",
                        said_in(call)->component);
}

static bool was_active(struct contract_call *call)
{
    return component_of(call)->holds > 0 || call->tracker->components.older ||
           contract_say(call, "a DxgkCbSetPowerComponentActive before each of them",
                        "component %u, which is not held", said_in(call)->component);
}

/* Who was never told that runtime power stops, for the device was gone by then, may hold some from
 * its start to that. */
static bool nothing_is_held(struct contract_call *call)
{
    const struct contract_components *components = &call->tracker->components;

    if (components->told == CONTRACT_RUNTIME_PREPARED ||
        components->told == CONTRACT_RUNTIME_STARTED) {
        return contract_no_case(call);
    }
    for (UINT i = 0; i < CONTRACT_COMPONENTS_MAX; i++) { /* also of an earlier start, with more */
        if (components->list[i].holds > 0) {
            return contract_say(call, "as many DxgkCbSetPowerComponentIdle as ...Active by the end",
                                "component %u is held %u times, and never rests", i,
                                components->list[i].holds);
        }
    }
    return true;
}

static const char *type_name(UINT type)
{
    static const char *const names[] = {
        "DXGK_POWER_COMPONENT_ENGINE",          "DXGK_POWER_COMPONENT_MONITOR",
        "DXGK_POWER_COMPONENT_MONITOR_REFRESH", "DXGK_POWER_COMPONENT_MEMORY",
        "DXGK_POWER_COMPONENT_MEMORY_REFRESH",  "DXGK_POWER_COMPONENT_OTHER",
        "DXGK_POWER_COMPONENT_D3_TRANSITION",   "DXGK_POWER_COMPONENT_SHARED"};

    return type < sizeof names / sizeof names[0] ? names[type] : "a type that does not exist";
}

/* For other components the kernel says it. */
static bool is_the_drivers_own(struct contract_call *call)
{
    UINT type = component_of(call)->type;

    return type == DXGK_POWER_COMPONENT_OTHER ||
           contract_say(call, "the call for components of DXGK_POWER_COMPONENT_OTHER alone",
                        "component %u, of type %s", said_in(call)->component, type_name(type));
}

static bool is_the_kernels(const struct contract_call *call)
{
    return is_known(call) && component_of(call)->type != DXGK_POWER_COMPONENT_OTHER;
}

static bool idles_below_dispatch(struct contract_call *call)
{
    return call->irql < MACHINE_IRQL_DISPATCH ||
           contract_say(call,
                        "the call below DISPATCH_LEVEL, but for a component of type "
                        "DXGK_POWER_COMPONENT_OTHER",
                        "component %u, of type %s, at IRQL %u", said_in(call)->component,
                        type_name(component_of(call)->type), call->irql);
}

static bool is_not_stopped(struct contract_call *call)
{
    return call->tracker->components.told != CONTRACT_RUNTIME_STOPPED ||
           contract_say(call,
                        "no power runtime functions since "
                        "GUID_DXGKDDI_POWER_MANAGEMENT_STOPPED was told",
                        "the call, of component %u", said_in(call)->component);
}

static bool has_started(struct contract_call *call)
{
    if (call->tracker->components.told == CONTRACT_RUNTIME_PREPARED) {
        return contract_say(call,
                            "of the power runtime functions Active, Latency and Residency "
                            "alone until GUID_DXGKDDI_POWER_MANAGEMENT_STARTED is told",
                            "the call, of component %u", said_in(call)->component);
    }
    return is_not_stopped(call);
}

/* ---- What a component is --------------------------------------------------------------------- */

static const DXGK_POWER_RUNTIME_COMPONENT *described(const struct contract_call *call)
{
    return ((const DXGKARG_QUERYADAPTERINFO *)call->before)->pOutputData;
}

static bool describes_a_component(const struct contract_call *call)
{
    const DXGKARG_QUERYADAPTERINFO *asked = call->before;

    return has_succeeded(call) && asked->Type == DXGKQAITYPE_POWERCOMPONENTINFO &&
           asked->pOutputData && asked->OutputDataSize >= sizeof(DXGK_POWER_RUNTIME_COMPONENT) &&
           call->kept.level < call->tracker->components.count;
}

static bool providers_exist(struct contract_call *call)
{
    const DXGK_POWER_RUNTIME_COMPONENT *component = described(call);

    if (component->ProviderCount > PROVIDERS_MAX) {
        return contract_say(call, "ProviderCount of 16 at most", "%u of component %u",
                            (unsigned)component->ProviderCount, call->kept.level);
    }
    for (ULONG i = 0; i < component->ProviderCount; i++) {
        if (component->Providers[i] >= call->tracker->components.count ||
            component->Providers[i] == call->kept.level) {
            return contract_say(call, "Providers that are other components", "%u of component %u",
                                (unsigned)component->Providers[i], call->kept.level);
        }
    }
    return true;
}

static bool component_is_sound(struct contract_call *call)
{
    const DXGK_POWER_RUNTIME_COMPONENT *component = described(call);
    const DXGK_POWER_COMPONENT_MAPPING *mapping = &component->ComponentMapping;

    if (component->StateCount == 0 || component->StateCount > STATES_MAX) {
        return contract_say(call, "StateCount of 1 to 8", "%u of component %u",
                            (unsigned)component->StateCount, call->kept.level);
    }
    if (mapping->ComponentType == DXGK_POWER_COMPONENT_ENGINE && call->tracker->node_count > 0 &&
        mapping->EngineDesc.NodeIndex >= call->tracker->node_count) {
        return contract_say(call, "NodeIndex of a node", "%u of component %u, and %u nodes",
                            mapping->EngineDesc.NodeIndex, call->kept.level,
                            call->tracker->node_count);
    }
    return providers_exist(call);
}

/* What a component may be of, of which there is a second one of the same number; NULL: of others
 * nobody says a number. */
static const char *mapped_to(UINT type)
{
    switch (type) {
    case DXGK_POWER_COMPONENT_ENGINE:
        return "node";
    case DXGK_POWER_COMPONENT_MONITOR:
        return "target";
    case DXGK_POWER_COMPONENT_MONITOR_REFRESH:
        return "source";
    case DXGK_POWER_COMPONENT_MEMORY:
        return "segment";
    default:
        return NULL;
    }
}

static bool maps_to_something_of_its_own(struct contract_call *call)
{
    const struct contract_components *components = &call->tracker->components;
    const DXGK_POWER_COMPONENT_MAPPING *own = &described(call)->ComponentMapping;
    const char *what = mapped_to((UINT)own->ComponentType);
    UINT number = contract_component_mapped(own);

    for (UINT i = 0; what && i < components->count && i < CONTRACT_COMPONENTS_MAX; i++) {
        const struct contract_component *other = &components->list[i];
        if (i != call->kept.level && other->known && other->type == (UINT)own->ComponentType &&
            other->mapped == number) {
            return contract_say(
                call, "one component for an engine, a memory segment, a source or a target",
                "components %u and %u are both of %s %u", i, call->kept.level, what, number);
        }
    }
    return true;
}

static const struct contract_row rows[] = {
    AFTER(POWER_001, SetPowerComponentFState, goes_where_it_is_asked, WHEN(is_reported)),
    BEFORE(POWER_003, CbCompleteFStateTransition, completes_by_itself, WHEN(is_known)),
    BEFORE(POWER_004, CbSetPowerComponentActive, is_outside_of_a_move),
    BEFORE(POWER_005, CbSetPowerComponentIdle, was_active, WHEN(is_known)),
    AFTER(POWER_005, RemoveDevice, nothing_is_held, WHEN(has_succeeded),
          LEAVES_OUT("what was held when the device was stopped between two workloads, or is of a "
                     "driver that was not told that runtime power stops")),
    BEFORE(POWER_006, CbSetPowerComponentActive, is_counted),
    BEFORE(POWER_006, CbSetPowerComponentIdle, is_counted),
    BEFORE(POWER_006, CbCompleteFStateTransition, is_counted),
    BEFORE(POWER_006, CbSetPowerComponentLatency, is_counted),
    BEFORE(POWER_006, CbSetPowerComponentResidency, is_counted),
    BEFORE(POWER_011, CbSetPowerComponentLatency, is_the_drivers_own, WHEN(is_known)),
    BEFORE(POWER_011, CbSetPowerComponentResidency, is_the_drivers_own, WHEN(is_known)),
    BEFORE(POWER_012, CbSetPowerComponentActive, is_not_stopped),
    BEFORE(POWER_012, CbSetPowerComponentLatency, is_not_stopped),
    BEFORE(POWER_012, CbSetPowerComponentResidency, is_not_stopped),
    BEFORE(POWER_012, CbSetPowerComponentIdle, has_started),
    BEFORE(POWER_012, CbCompleteFStateTransition, has_started),
    BEFORE(POWER_013, CbSetPowerComponentIdle, idles_below_dispatch, WHEN(is_the_kernels)),
    KERNEL(POWER_007, SetPowerComponentFState, is_a_legal_move),
    KERNEL(POWER_010, SetPowerState, power_goes_down_or_up),
    AFTER(POWER_008, QueryAdapterInfo, component_is_sound, WHEN(describes_a_component)),
    AFTER(POWER_009, QueryAdapterInfo, maps_to_something_of_its_own, WHEN(describes_a_component)),
};

const struct contract_family contract_family_power = FAMILY_OF(rows);
