/* Power components: parts of the device that rest while nobody needs them (since WDDM 1.2).
 *
 *        nobody needs it, for a while (resting-parts)
 *     F0 ─────────────────────────────────────────────> Fn    DxgkDdiSetPowerComponentFState, which
 *     F0 <───────────────────────────────────────────── Fn    is over when it returns, or when the
 *        a node is given something, the driver asks           driver says so
 *
 * An engine is needed while its node has work; any other part while the driver holds it, by
 * DxgkCbSetPowerComponentActive; and all are while one that names them as its providers is on.
 * Monitors and what refreshes them are needed unless the monitors are at rest. The worker lets
 * parts rest; whoever needs one brings it on himself, or has another thread do so, and waits. One
 * thread at a time moves a component. Memory is always on: when it rests no page says. */
#include "dxgk/components_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define REST_NS      (20 * NS_PER_US) /* without work, doubled up to so many times */
#define REST_SHIFTS  9
#define COMPLETED_NS (50 * NS_PER_US) /* that somebody else may have, between two instructions */

/* ---- Moving ---------------------------------------------------------------------------------- */

static bool are_managed(const struct dxgk_adapter *adapter)
{
    return adapter->components && adapter->caps.SupportRuntimePowerManagement &&
           ddi_has(&adapter->ddi, POINT_SetPowerComponentFState);
}

/* Nobody asks the driver of a device that is gone for anything. */
static bool can_be_asked(const struct dxgk_adapter *adapter)
{
    return dxgk_adapter_has_hardware(adapter) && adapter->presence < DXGK_TOLD;
}

static bool may_rest(const struct dxgk_adapter *adapter)
{
    return vary_on(VARY_RESTING_PARTS) && are_managed(adapter) && !adapter->components->ends &&
           adapter->state == DXGK_ADAPTER_RUNNING && can_be_asked(adapter) && !adapter->asleep;
}

static bool provides(const struct dxgk_components *components, UINT index)
{
    for (UINT i = 0; i < components->count; i++) {
        const struct dxgk_component *other = &components->list[i];
        for (UINT k = 0; k < other->info.ProviderCount; k++) {
            if (other->info.Providers[k] == index && (other->state == 0 || other->moving)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_needed(struct dxgk_components *components, UINT index)
{
    const struct dxgk_component *component = &components->list[index];
    const DXGK_POWER_COMPONENT_MAPPING *mapping = &component->info.ComponentMapping;

    if (component->users > 0 || component->holds > 0 || provides(components, index)) {
        return true;
    }
    switch (mapping->ComponentType) {
    case DXGK_POWER_COMPONENT_ENGINE:
        return mapping->EngineDesc.NodeIndex >= components->adapter->node_count ||
               !vidsch_node_rests(&components->adapter->vidsch, mapping->EngineDesc.NodeIndex);
    case DXGK_POWER_COMPONENT_OTHER:
        return false;
    case DXGK_POWER_COMPONENT_MONITOR:
    case DXGK_POWER_COMPONENT_MONITOR_REFRESH:
        return !components->dark;
    default:
        return true;
    }
}

static bool could_rest(struct dxgk_components *components, UINT index)
{
    const struct dxgk_component *component = &components->list[index];

    return component->state == 0 && !component->moving && !component->called &&
           component->info.StateCount > 1 && !is_needed(components, index);
}

static void over(struct dxgk_components *components, struct dxgk_component *component)
{
    component->moving = false;
    wait_queue_wake(&components->changed, UINT_MAX);
}

/* A component that is to move, once whoever asks comes in: he may wait at the door, and whoever has
 * closed it may move the component meanwhile, or be about to stop the device or to put it to sleep,
 * with all that rested on. */
struct beginning {
    struct dxgk_components *components;
    struct dxgk_component *component;
    UINT state;
    bool begun;
};

static bool begin(void *context)
{
    struct beginning *beginning = context;
    struct dxgk_component *component = beginning->component;
    UINT index = (UINT)(component - beginning->components->list);
    bool wanted =
        beginning->state == 0
            ? component->state != 0 && !component->moving && !component->called
            : may_rest(beginning->components->adapter) && could_rest(beginning->components, index);

    if (!wanted || !can_be_asked(beginning->components->adapter)) {
        return false;
    }
    component->from = beginning->state == 0 ? component->state : 0;
    component->early = false;
    component->state = beginning->state;
    component->moving = component->called = true;
    beginning->begun = true;
    wait_queue_wake(&beginning->components->changed, UINT_MAX);
    return true;
}

/* Unless somebody else does meanwhile. Sometimes as from a DPC: IRQL <= DISPATCH_LEVEL. */
static void move(struct dxgk_components *components, struct dxgk_component *component, UINT state)
{
    struct dxgk_adapter *adapter = components->adapter;
    struct beginning beginning = {components, component, state, false};
    bool raised = vary_below(VARY_RESTING_PARTS, 4) == 0;
    uint8_t before = irql_current();

    if (raised) {
        (void)irql_raise(MACHINE_IRQL_DISPATCH);
    }
    NTSTATUS status = ddi_set_power_component_f_state(
        &adapter->ddi, (UINT)(component - components->list), state,
        &(struct ddi_beginning){.begin = begin, .context = &beginning});
    if (raised) {
        irql_lower(before);
    }
    if (!beginning.begun) {
        return;
    }
    component->called = false;
    component->moved_ns = machine_now_ns();
    record_count(state ? "components.rested" : "components.brought_on", 1);
    if (!NT_SUCCESS(status) || !component->info.Flags.DriverCompletesFStateTransition) {
        over(components, component);
    } else {
        wait_queue_wake(&components->changed, UINT_MAX);
    }
}

/* A thread of its own, as the power manager has: whoever waits for the component goes on when the
 * driver says that it is there, and not when its call returns. */
struct mover {
    struct dxgk_components *components;
    struct dxgk_component *component;
};

static void bring_on_elsewhere(void *argument)
{
    struct mover mover = *(struct mover *)argument;
    struct dxgk_adapter *adapter = mover.components->adapter;

    free(argument);
    move(mover.components, mover.component, 0);
    mover.component->handed = false;
    wait_queue_wake(&mover.components->changed, UINT_MAX);
    life_put(&adapter->life);
}

/* False: nobody else has it. */
static bool hand_over(struct dxgk_components *components, struct dxgk_component *component)
{
    const struct task_options options = {.name = "power manager"};
    struct mover *mover = malloc(sizeof *mover);
    struct task *task;

    if (!mover) {
        return false;
    }
    *mover = (struct mover){components, component};
    if (!NT_SUCCESS(task_create(&options, bring_on_elsewhere, mover, &task))) {
        free(mover);
        return false;
    }
    life_get(&components->adapter->life);
    component->handed = true;
    task_put(task);
    while (component->handed && component->state != 0) {
        wait_queue_wait(&components->changed, MACHINE_NEVER);
    }
    return true;
}

/* Inside the driver nobody waits for another thread's call: a door that he holds may be shut. */
static bool may_be_handed(const struct dxgk_component *component)
{
    return component->info.Flags.DriverCompletesFStateTransition &&
           ddi_current_point() == POINT_COUNT && irql_current() == MACHINE_IRQL_PASSIVE &&
           vary_below(VARY_RESTING_PARTS, 2) == 0;
}

static void complain(struct dxgk_components *components, struct dxgk_component *component)
{
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(POWER_002),
                                               .ddi = "DxgkDdiSetPowerComponentFState"},
                    "DxgkCbCompleteFStateTransition, in the call or later, of a component with "
                    "DriverCompletesFStateTransition",
                    "component %u was asked for F%u %u ms ago, and nobody said that it is there",
                    (UINT)(component - components->list), component->state,
                    (unsigned)((machine_now_ns() - component->moved_ns) / NS_PER_MS));
    over(components, component);
}

static void wait_still(struct dxgk_components *components, struct dxgk_component *component)
{
    while (component->moving) {
        uint64_t deadline_ns =
            component->called ? MACHINE_NEVER : component->moved_ns + CONTRACT_COMPONENT_MOVES_NS;
        if (machine_now_ns() >= deadline_ns) {
            complain(components, component);
            return;
        }
        wait_queue_wait(&components->changed, deadline_ns);
    }
}

/* One thread controls a component, at the door, too, unless the caller may have closed that. */
static void wait_returned(struct dxgk_components *components,
                          const struct dxgk_component *component, bool may_hand)
{
    while (component->called || (may_hand && component->handed && component->state != 0)) {
        wait_queue_wait(&components->changed, MACHINE_NEVER);
    }
}

/* With what it needs itself; its user keeps it on. May switch. */
static void bring_on(struct dxgk_components *components, struct dxgk_component *component,
                     bool may_hand)
{
    if (component->visited) {
        return; /* providers in a circle */
    }
    component->visited = true;
    for (UINT i = 0; i < component->info.ProviderCount; i++) {
        struct dxgk_component *provider = &components->list[component->info.Providers[i]];
        provider->users++;
        bring_on(components, provider, may_hand);
        provider->users--;
    }
    component->visited = false;
    wait_still(components, component);
    while (component->state != 0 && can_be_asked(components->adapter)) {
        wait_returned(components, component, may_hand);
        if (component->state != 0 &&
            (!may_hand || !may_be_handed(component) || !hand_over(components, component))) {
            move(components, component, 0);
        }
        wait_still(components, component);
    }
}

static bool is_engine(const struct dxgk_component *component, unsigned node)
{
    return component->info.ComponentMapping.ComponentType == DXGK_POWER_COMPONENT_ENGINE &&
           component->info.ComponentMapping.EngineDesc.NodeIndex == node;
}

void dxgk_components_take(struct dxgk_adapter *adapter, unsigned node)
{
    struct dxgk_components *components = adapter->components;

    for (UINT i = 0; are_managed(adapter) && i < components->count; i++) {
        if (is_engine(&components->list[i], node)) {
            bool rested = components->list[i].state != 0;
            components->list[i].users++;
            bring_on(components, &components->list[i], true);
            components->list[i].early |= components->list[i].called;
            if (rested) {
                dxgk_ask_who_woke(adapter, node);
            }
        }
    }
}

void dxgk_components_give(struct dxgk_adapter *adapter, unsigned node)
{
    struct dxgk_components *components = adapter->components;

    for (UINT i = 0; are_managed(adapter) && i < components->count; i++) {
        components->list[i].users -= is_engine(&components->list[i], node);
    }
}

static bool is_of_set(const struct dxgk_component *component, enum dxgk_component_set set)
{
    DXGK_POWER_COMPONENT_TYPE type = component->info.ComponentMapping.ComponentType;

    return set == DXGK_COMPONENTS_ALL ||
           (set == DXGK_COMPONENTS_ON_DX ? component->info.Flags.TransitionTo_F0_OnDx
                                         : type == DXGK_POWER_COMPONENT_MONITOR ||
                                               type == DXGK_POWER_COMPONENT_MONITOR_REFRESH);
}

void dxgk_components_bring_on(struct dxgk_adapter *adapter, enum dxgk_component_set set, bool keep)
{
    struct dxgk_components *components = adapter->components;

    for (UINT i = 0; are_managed(adapter) && i < components->count; i++) {
        struct dxgk_component *component = &components->list[i];
        if (is_of_set(component, set)) {
            component->users++;
            bring_on(components, component, false);
            component->users -= !keep;
        }
    }
}

void dxgk_components_let_go(struct dxgk_adapter *adapter, enum dxgk_component_set set)
{
    struct dxgk_components *components = adapter->components;

    for (UINT i = 0; are_managed(adapter) && i < components->count; i++) {
        struct dxgk_component *component = &components->list[i];
        component->users -= is_of_set(component, set);
    }
}

void dxgk_components_dark(struct dxgk_adapter *adapter, bool dark)
{
    if (adapter->components) {
        adapter->components->dark = dark;
        if (dark) {
            dxgk_components_rest_soon(adapter);
        } else {
            dxgk_components_bring_on(adapter, DXGK_COMPONENTS_SCREENS, false);
        }
    }
}

void dxgk_components_end(struct dxgk_adapter *adapter)
{
    struct dxgk_components *components = adapter->components;

    if (components) {
        components->ends = true;
        dxgk_components_bring_on(adapter, DXGK_COMPONENTS_ALL, false);
    }
    for (UINT i = 0; components && i < components->count; i++) {
        while (components->list[i].called || components->list[i].handed) {
            wait_queue_wait(&components->changed, MACHINE_NEVER);
        }
    }
}

/* ---- Resting --------------------------------------------------------------------------------- */

static void arm(struct dxgk_components *components)
{
    if (!components->armed) {
        components->armed = true;
        machine_timer_set(&components->timer,
                          machine_now_ns() +
                              (REST_NS << vary_below(VARY_RESTING_PARTS, REST_SHIFTS)));
    }
}

void dxgk_components_work_ended(struct dxgk_adapter *adapter, unsigned node)
{
    struct dxgk_components *components = adapter->components;

    for (UINT i = 0; components && i < components->count; i++) {
        if (is_engine(&components->list[i], node)) {
            components->list[i].from = 0;
            components->list[i].early = false;
        }
    }
    dxgk_components_rest_soon(adapter);
}

/* Nobody brings on what no component is said to be. */
static void clue_of_mapping(const struct dxgk_components *components, unsigned node, char *clue,
                            size_t size)
{
    for (UINT i = 0; i < components->count; i++) {
        if (is_engine(&components->list[i], node)) {
            return;
        }
    }
    for (UINT i = 1; i < components->count; i++) {
        const DXGK_POWER_COMPONENT_MAPPING *mapping = &components->list[i].info.ComponentMapping;
        unsigned other = mapping->EngineDesc.NodeIndex;
        if (is_engine(&components->list[i], other) && is_engine(&components->list[0], other)) {
            snprintf(clue, size,
                     "; POWERCOMPONENTINFO names node %u of components 0 and %u, and this node of "
                     "none: it may rest, and nobody brings it on [POWER-009]",
                     other, i);
            return;
        }
    }
}

void dxgk_components_clue(const struct dxgk_adapter *adapter, unsigned node, char *clue,
                          size_t size)
{
    const struct dxgk_components *components = adapter->components;

    clue[0] = '\0';
    for (UINT i = 0; components && i < components->count; i++) {
        const struct dxgk_component *component = &components->list[i];
        if (is_engine(component, node) && component->from != 0) {
            snprintf(clue, size,
                     "; it is the first since DxgkDdiSetPowerComponentFState brought component %u "
                     "from F%u to F0: what the engine lost there the driver restores%s",
                     i, component->from,
                     component->early
                         ? " before DxgkCbCompleteFStateTransition: this came behind that"
                         : "");
        }
    }
    if (clue[0] == '\0' && are_managed(adapter)) {
        clue_of_mapping(components, node, clue, size);
    }
}

void dxgk_components_rest_soon(struct dxgk_adapter *adapter)
{
    if (adapter->components && may_rest(adapter)) {
        arm(adapter->components);
    }
}

void dxgk_components_work(struct dxgk_adapter *adapter)
{
    struct dxgk_components *components = adapter->components;

    if (!components || !components->due) {
        return;
    }
    components->due = false;
    for (UINT i = 0; i < components->count && may_rest(adapter); i++) {
        if (could_rest(components, i)) {
            UINT states = components->list[i].info.StateCount;
            vary_happened(VARY_RESTING_PARTS);
            move(components, &components->list[i],
                 1 + (UINT)vary_below(VARY_RESTING_PARTS, states - 1));
        }
    }
}

/* ---- Callbacks ------------------------------------------------------------------------------- */

static struct dxgk_component *component_at(struct dxgk_adapter *adapter, UINT index)
{
    return are_managed(adapter) && index < adapter->components->count
               ? &adapter->components->list[index]
               : NULL;
}

void dxgk_component_active(struct ddi_adapter *ddi, UINT index, bool inside)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);
    struct dxgk_component *component = component_at(adapter, index);

    if (!component) {
        return;
    }
    component->holds++;
    /* In DxgkDdiSetPowerComponentFState it would wait for itself [POWER-004]. */
    if (!inside && irql_current() == MACHINE_IRQL_PASSIVE) {
        bring_on(adapter->components, component, false);
    }
}

void dxgk_component_idle(struct ddi_adapter *ddi, UINT index)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);
    struct dxgk_component *component = component_at(adapter, index);

    if (component && component->holds > 0) {
        component->holds--;
        dxgk_components_rest_soon(adapter);
    }
}

void dxgk_component_completed(struct ddi_adapter *ddi, UINT index)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);
    struct dxgk_component *component = component_at(adapter, index);

    if (component && component->moving && component->info.Flags.DriverCompletesFStateTransition) {
        contract_count(CONTRACT_JUDGES(POWER_002));
        over(adapter->components, component);
        /* It is on: who waited for that has the other processors, and the driver goes on later. */
        if (irql_current() == MACHINE_IRQL_PASSIVE && vary_below(VARY_RESTING_PARTS, 2)) {
            task_block(machine_now_ns() + COMPLETED_NS);
        }
    }
}
