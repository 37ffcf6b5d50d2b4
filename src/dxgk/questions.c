/* What a kernel asks besides caps, segments and nodes: the physical adapter, the precision of
 * history buffers, power components, and what a driver cannot know yet.
 *
 * Each came with a version and may be refused: a driver that does not know the question answers
 * with an error, and the kernel does without [ddis, "Query types a driver must answer"]. What is
 * answered must make sense. */
#include "dxgk/pointer_kinds.h"
#include "dxgk/screens.h"
#include "dxgk/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEWER_BYTES 64

static NTSTATUS refuse_value(struct dxgk_failure *failure, const char *what, unsigned value,
                             const char *allowed)
{
    snprintf(failure->text, sizeof failure->text, "%s is %u, not %s", what, value, allowed);
    return STATUS_INVALID_PARAMETER;
}

/* From WDDM 2.0 on the paging node is said here; MemoryManagementCaps counts if it is not. That the
 * question comes with the index of the physical adapter, 0, is a guess. */
static NTSTATUS ask_physical_adapter(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    DXGK_PHYSICALADAPTERCAPS *caps = nt_memory_alloc(sizeof *caps, 0);
    const UINT index = 0;
    size_t size = abi_size(ABI_SIZE_OF_DXGK_PHYSICALADAPTERCAPS, adapter->features.version);
    NTSTATUS status = STATUS_SUCCESS;

    if (!caps) {
        return STATUS_NO_MEMORY;
    }
    if (NT_SUCCESS(dxgk_query_adapter(adapter, DXGKQAITYPE_PHYSICALADAPTERCAPS, &index,
                                      sizeof index, caps, (UINT)size))) {
        if (caps->PagingNodeIndex >= adapter->node_count) {
            status = refuse_value(failure, "DXGK_PHYSICALADAPTERCAPS.PagingNodeIndex",
                                  caps->PagingNodeIndex, "one of the nodes");
        } else {
            adapter->paging_node = adapter->info.paging_node = caps->PagingNodeIndex;
            adapter->mmu.gives =
                adapter->features.iommu_addresses && caps->Flags.GpuVaIommuRequired;
            adapter->mmu.global =
                adapter->features.iommu_addresses && caps->Flags.GpuVaIommuGlobalRequired;
        }
    }
    nt_memory_free(caps);
    return status;
}

/* One answer a node: no bits, 32, or 33 to 64. What the driver is to write into holds anything
 * before, so that a node which he left out shows. */
static NTSTATUS ask_history_precision(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    UINT size = adapter->node_count * (UINT)sizeof(DXGKARG_HISTORYBUFFERPRECISION);
    DXGKARG_HISTORYBUFFERPRECISION *answers = nt_memory_alloc(size, 0);
    NTSTATUS status = STATUS_SUCCESS;

    if (!answers) {
        return STATUS_NO_MEMORY;
    }
    memset(answers, FILL_UNINITIALIZED, size);
    if (NT_SUCCESS(dxgk_query_adapter(adapter, DXGKQAITYPE_HISTORYBUFFERPRECISION, NULL, 0, answers,
                                      size))) {
        for (unsigned i = 0; i < adapter->node_count && NT_SUCCESS(status); i++) {
            UINT bits = answers[i].PrecisionBits;
            if (bits > 64 || (bits > 0 && bits < 32)) {
                status = refuse_value(failure, "DXGKARG_HISTORYBUFFERPRECISION.PrecisionBits", bits,
                                      "0 or 32 to 64");
            }
            if (bits == 0 && i < 64) {
                adapter->history.formatted |= UINT64_C(1) << i;
            }
        }
    }
    nt_memory_free(answers);
    return status;
}

/* As a system does that is newer than the driver. A row looks at the answer [CAPS-013]; the kernel
 * does without. */
static void ask_unknown(struct dxgk_adapter *adapter)
{
    UINT nothing[NEWER_BYTES / sizeof(UINT)] = {0};

    (void)dxgk_query_adapter(adapter, (DXGK_QUERYADAPTERINFOTYPE)CONTRACT_QUESTION_UNKNOWN, NULL, 0,
                             nothing, sizeof nothing);
}

/* The kernel's own codes; what a plug-in of the power framework would ask no page says. */
static void tell_runtime_power(struct dxgk_adapter *adapter, enum contract_runtime told)
{
    if (adapter->components && adapter->caps.SupportRuntimePowerManagement &&
        ddi_has(&adapter->ddi, POINT_PowerRuntimeControlRequest)) {
        (void)ddi_power_runtime_control_request(&adapter->ddi, told,
                                                vary_below(VARY_RESTING_PARTS, 2) == 0);
    }
}

static void begin_runtime_power(struct dxgk_adapter *adapter, bool described)
{
    if (described) {
        adapter->runtime_power = true;
        tell_runtime_power(adapter, CONTRACT_RUNTIME_PREPARED);
        tell_runtime_power(adapter, CONTRACT_RUNTIME_STARTED);
    }
}

void dxgk_runtime_power_ends(struct dxgk_adapter *adapter)
{
    dxgk_components_end(adapter);
    if (adapter->runtime_power && dxgk_adapter_has_hardware(adapter) &&
        adapter->presence < DXGK_TOLD) {
        tell_runtime_power(adapter, CONTRACT_RUNTIME_STOPPED);
        if (vary_on(VARY_RESTING_PARTS) && dxgk_pointers_at_last(adapter)) {
            vary_happened(VARY_RESTING_PARTS);
        }
    }
}

NTSTATUS dxgk_ask_the_rest(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    NTSTATUS status = STATUS_SUCCESS;

    if (adapter->features.physical_adapter_caps) {
        status = ask_physical_adapter(adapter, failure);
    }
    if (NT_SUCCESS(status) && adapter->features.history_precision) {
        status = ask_history_precision(adapter, failure);
    }
    if (NT_SUCCESS(status) && adapter->features.power_components) {
        status = dxgk_components_ask(adapter, failure);
        begin_runtime_power(adapter, NT_SUCCESS(status));
    }
    if (NT_SUCCESS(status)) {
        ask_unknown(adapter);
    }
    return status;
}

/* Nothing has ended there since it rested: what the driver says is complete was so before. */
void dxgk_ask_who_woke(struct dxgk_adapter *adapter, unsigned node)
{
    uint32_t fence;

    if (irql_current() == MACHINE_IRQL_PASSIVE && dxgk_adapter_has_hardware(adapter) &&
        vary_happens(VARY_ODD_QUESTIONS, 1)) {
        (void)dxgk_ask_fence(adapter, node, &fence);
    }
}

void dxgk_adapter_ask(struct dxgk_adapter *adapter)
{
    bool in_vblank;
    UINT line;
    uint32_t fence;

    for (unsigned i = 0; i < adapter->node_count; i++) {
        (void)dxgk_ask_fence(adapter, i, &fence);
    }
    for (UINT i = 0; i < adapter->source_count && ddi_has(&adapter->ddi, POINT_GetScanLine); i++) {
        dxgk_source_scan_line(adapter, i, &line, &in_vblank);
    }
    if (adapter->source_count > 0) {
        dxgk_ask_other_interrupt(adapter);
    }
}
