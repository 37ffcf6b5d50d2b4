/* Which power components a driver has: NUMPOWERCOMPONENTS and POWERCOMPONENTINFO. */
#include "dxgk/components_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define COMPONENTS_MAX 256
#define STATES_MAX     8
#define PROVIDERS_MAX  16

static void rest_due(struct machine_timer *timer)
{
    struct dxgk_components *components = container_of(timer, struct dxgk_components, timer);

    components->armed = false;
    components->due = true;
    dxgk_worker_kick(components->adapter);
}

/* The answer as it is; what is wrong in it is POWER-008's. */
static NTSTATUS ask_one(struct dxgk_adapter *adapter, UINT index, DXGK_POWER_RUNTIME_COMPONENT *out)
{
    UINT *input = nt_memory_alloc(sizeof *input, 0);
    DXGK_POWER_RUNTIME_COMPONENT *answer = nt_memory_alloc(sizeof *answer, 0);
    NTSTATUS status = STATUS_NO_MEMORY;

    if (input && answer) {
        *input = index;
        *answer = (DXGK_POWER_RUNTIME_COMPONENT){0};
        status = dxgk_query_adapter(adapter, DXGKQAITYPE_POWERCOMPONENTINFO, input, sizeof *input,
                                    answer, sizeof *answer);
        *out = *answer;
    }
    nt_memory_free(input);
    nt_memory_free(answer);
    return status;
}

/* Who says more than there can be is taken to have said what there can be. */
static void make_sound(DXGK_POWER_RUNTIME_COMPONENT *info, UINT count)
{
    UINT kept = 0;

    info->StateCount = info->StateCount > STATES_MAX ? STATES_MAX : info->StateCount;
    for (UINT i = 0; i < info->ProviderCount && i < PROVIDERS_MAX; i++) {
        if (info->Providers[i] < count) {
            info->Providers[kept++] = info->Providers[i];
        }
    }
    info->ProviderCount = kept;
}

static NTSTATUS ask_count(struct dxgk_adapter *adapter, UINT *count, struct dxgk_failure *failure)
{
    UINT *answer = nt_memory_alloc(sizeof *answer, 0);

    *count = 0;
    if (!answer) {
        return STATUS_NO_MEMORY;
    }
    *answer = 0;
    if (NT_SUCCESS(dxgk_query_adapter(adapter, DXGKQAITYPE_NUMPOWERCOMPONENTS, NULL, 0, answer,
                                      sizeof *answer))) {
        *count = *answer;
    }
    nt_memory_free(answer);
    if (*count > COMPONENTS_MAX) {
        snprintf(failure->text, sizeof failure->text,
                 "QueryAdapterInfo(NUMPOWERCOMPONENTS): %u power components, and there can be %u",
                 *count, COMPONENTS_MAX);
        return STATUS_INVALID_PARAMETER;
    }
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_components_ask(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    UINT count;
    NTSTATUS status = ask_count(adapter, &count, failure);

    if (!NT_SUCCESS(status) || count == 0) {
        return status;
    }
    struct dxgk_components *components =
        calloc(1, sizeof *components + count * sizeof components->list[0]);
    if (!components) {
        return STATUS_NO_MEMORY;
    }
    adapter->components = components;
    components->adapter = adapter;
    components->count = count;
    wait_queue_init(&components->changed);
    machine_timer_init(&components->timer, rest_due, components);
    for (UINT i = 0; i < count; i++) {
        status = ask_one(adapter, i, &components->list[i].info);
        if (!NT_SUCCESS(status)) {
            snprintf(failure->text, sizeof failure->text,
                     "QueryAdapterInfo(POWERCOMPONENTINFO) failed with %s for component %u of %u",
                     status_name(status), i, count);
            return status;
        }
        make_sound(&components->list[i].info, count);
    }
    return STATUS_SUCCESS;
}

void dxgk_components_free(struct dxgk_adapter *adapter)
{
    if (adapter->components) {
        (void)machine_timer_cancel(&adapter->components->timer);
        free(adapter->components);
        adapter->components = NULL;
    }
}
