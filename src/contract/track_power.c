/* Power components: what the driver said of them, and what it was asked for. */
#include "contract/tracker.h"

#include "machine/machine.h"

static struct contract_component *component_of(const struct contract_call *call)
{
    const struct contract_component_call *said = call->arguments;
    struct contract_components *components = &call->tracker->components;

    return said->component < components->count && said->component < CONTRACT_COMPONENTS_MAX
               ? &components->list[said->component]
               : NULL;
}

/* Who is started again still holds what he held when he was stopped. */
void track_components_counted(struct contract_tracker *tracker, UINT count)
{
    struct contract_components *components = &tracker->components;

    components->count = count;
    components->told = CONTRACT_RUNTIME_UNTOLD;
    for (UINT i = 0; i < CONTRACT_COMPONENTS_MAX; i++) {
        components->list[i] = (struct contract_component){.holds = components->list[i].holds};
    }
}

UINT contract_component_mapped(const DXGK_POWER_COMPONENT_MAPPING *mapping)
{
    switch (mapping->ComponentType) {
    case DXGK_POWER_COMPONENT_ENGINE:
        return mapping->EngineDesc.NodeIndex;
    case DXGK_POWER_COMPONENT_MONITOR_REFRESH:
        return mapping->MonitorRefreshDesc.VidPnSourceID;
    case DXGK_POWER_COMPONENT_MONITOR:
        return mapping->MonitorDesc.VidPnTargetID;
    case DXGK_POWER_COMPONENT_MEMORY:
        return mapping->MemoryDesc.SegmentID;
    default:
        return 0;
    }
}

void track_component_described(struct contract_tracker *tracker, UINT index,
                               const DXGK_POWER_RUNTIME_COMPONENT *answer)
{
    if (index < tracker->components.count && index < CONTRACT_COMPONENTS_MAX) {
        tracker->components.list[index] = (struct contract_component){
            .known = true,
            .completes = answer->Flags.DriverCompletesFStateTransition,
            .states = answer->StateCount,
            .type = (UINT)answer->ComponentMapping.ComponentType,
            .mapped = contract_component_mapped(&answer->ComponentMapping),
            .holds = tracker->components.list[index].holds,
        };
    }
}

void track_component_asked(struct contract_call *call)
{
    const struct contract_component_call *asked = call->arguments;
    struct contract_component *component = component_of(call);

    if (component) {
        component->state = asked->state;
        component->moving = true;
        track_forget_clocks(call->tracker); /* one may stand without power */
        component->since_ns = machine_now_ns();
    }
}

/* Who completes it himself may have done so in the call, or do it later. */
void track_component_answered(struct contract_call *call)
{
    struct contract_component *component = component_of(call);

    track_forget_clocks(call->tracker);
    if (component && (!component->completes || !NT_SUCCESS(call->status))) {
        component->moving = false;
    }
}

void track_component_completed(struct contract_call *call)
{
    struct contract_component *component = component_of(call);

    track_forget_clocks(call->tracker); /* before that it lost its power, or got it back */
    if (component) {
        component->moving = false;
    }
}

/* Parts that are nothing else's may have the clocks of all nodes. */
static bool may_clock(const struct contract_component *component, UINT node)
{
    return component->known && (component->type == DXGK_POWER_COMPONENT_ENGINE
                                    ? component->mapped == node
                                    : component->type == DXGK_POWER_COMPONENT_OTHER ||
                                          component->type == DXGK_POWER_COMPONENT_SHARED);
}

bool track_clock_rests(const struct contract_tracker *tracker, UINT node)
{
    const struct contract_components *components = &tracker->components;

    for (UINT i = 0; i < components->count && i < CONTRACT_COMPONENTS_MAX; i++) {
        const struct contract_component *component = &components->list[i];
        if (may_clock(component, node) && (component->state != 0 || component->moving)) {
            return true;
        }
    }
    return false;
}

void track_component_active(struct contract_call *call)
{
    struct contract_component *component = component_of(call);

    if (component) {
        component->holds++;
    }
}

void track_component_idle(struct contract_call *call)
{
    struct contract_component *component = component_of(call);

    if (component && component->holds > 0) {
        component->holds--;
    }
}

/* What a driver may do since it was told it may do at once; what it may not any more, behind the
 * call. */
static void take_what_was_told(struct contract_call *call, bool stops)
{
    const struct contract_component_call *said = call->arguments;

    if ((said->state == CONTRACT_RUNTIME_STOPPED) == stops) {
        call->tracker->components.told = (enum contract_runtime)said->state;
    }
}

void track_runtime_begins(struct contract_call *call)
{
    take_what_was_told(call, false);
}

void track_runtime_told(struct contract_call *call)
{
    take_what_was_told(call, true);
}
