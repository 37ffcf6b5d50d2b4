/* Paging companions: contexts that copy entries of page tables for others [CTX-005, CTX-015].
 *
 *     a context's first UpdateGpuVirtualAddress ─> CreateContext(SystemContext, on the node that
 *     the context's DXGK_CONTEXTINFO names), SetRootPageTable
 *     an operation COPY_ENTRIES for the context ─> BuildPagingBuffer names its companion, on whose
 *     node the commands run
 *     the context ends ─> DestroyContext of both
 *
 * A companion is of the system's device and runs in the paging space, which shows the tables: no
 * page says how a driver is told of a space that is a process's own (docs/choices.md). */
#include "dxgk/companion.h"

#include <inttypes.h>

#include "dxgk/work.h"

static struct dxgk_context *companion_of(const struct dxgk_adapter *adapter, uint64_t number)
{
    list_for_each (link, &adapter->system_device->contexts) {
        struct dxgk_context *context = container_of(link, struct dxgk_context, life.link);
        if (context->companion.of == number) {
            return context;
        }
    }
    return NULL;
}

/* Copies come as commands by the system's node queue, by virtual address. */
static bool is_wanted(const struct dxgk_context *context)
{
    const struct dxgk_adapter *adapter = context->device->adapter;

    return adapter->mmu.options.mode == VIDMM_UPDATE_GPU_VIRTUAL && adapter->mmu.pages &&
           !adapter->paging.queue && context->life.kind == DXGK_KIND_CONTEXT &&
           context->virtual_addresses && context->owns_handle;
}

static bool node_exists(const struct dxgk_context *context)
{
    const struct dxgk_adapter *adapter = context->device->adapter;
    UINT node = context->info.PagingCompanionNodeId;

    contract_count(RULE_CTX_015);
    if (node < adapter->node_count) {
        return true;
    }
    contract_breach(
        &(struct contract_finding){.rule = CONTRACT_JUDGES(CTX_015), .object = context->object},
        "ContextInfo.PagingCompanionNodeId names the node for the context's paging "
        "companion",
        "CreateContext left %u in it, the adapter has %u nodes, and a client changes "
        "addresses on the context's time line (UpdateGpuVirtualAddress)",
        node, adapter->node_count);
    return false;
}

static NTSTATUS make(struct dxgk_context *context)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    const struct dxgk_context_request request = {.node = context->info.PagingCompanionNodeId,
                                                 .virtual_addresses = true,
                                                 .companion_of = context->life.number};
    struct dxgk_context *companion;

    if (!node_exists(context) || !(adapter->mmu.nodes >> request.node & 1) ||
        adapter->engines[request.node].scheduled || !vary_happens(VARY_COMPANION_CONTEXTS, 1)) {
        return STATUS_SUCCESS; /* the system's context copies for it */
    }
    NTSTATUS status = dxgk_context_make(adapter->system_device, &request, true, &companion);
    context->companion.made = NT_SUCCESS(status) ? companion : NULL;
    return status;
}

NTSTATUS dxgk_companion_need(struct dxgk_context *context)
{
    NTSTATUS status = STATUS_SUCCESS;

    while (context->companion.state == DXGK_COMPANION_MAKING) {
        wait_queue_wait(&context->changed, MACHINE_NEVER);
    }
    if (context->companion.state == DXGK_COMPANION_NONE && is_wanted(context)) {
        context->companion.state = DXGK_COMPANION_MAKING;
        status = make(context);
        context->companion.state = NT_SUCCESS(status) ? DXGK_COMPANION_MADE : DXGK_COMPANION_NONE;
        wait_queue_wake(&context->changed, UINT_MAX);
    }
    return status;
}

void dxgk_companion_end(struct dxgk_context *context)
{
    struct dxgk_context *companion = context->companion.made;

    if (companion) {
        context->companion.made = NULL;
        NTSTATUS status = dxgk_context_destroy(companion);
        CHECK_THAT(NT_SUCCESS(status)); /* nobody else ends it */
    }
}

/* ---- Operations ------------------------------------------------------------------------------ */

void dxgk_companion_enter(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;
    struct dxgk_context *companion = op->kind == VIDMM_OP_COPY_ENTRIES && op->copy.owner != 0
                                         ? companion_of(adapter, op->copy.owner)
                                         : NULL;

    operation->companion = companion && life_enter(&companion->life) ? companion : NULL;
    adapter->paging.of_companions += operation->companion != NULL;
}

void dxgk_companion_leave(struct paging_operation *operation)
{
    if (operation->companion) {
        operation->companion->device->adapter->paging.of_companions--;
        life_leave(&operation->companion->life);
        operation->companion = NULL;
    }
}

struct dxgk_context *dxgk_companion_or(const struct paging_operation *operation,
                                       struct dxgk_context *other)
{
    return operation->companion ? operation->companion : other;
}

bool dxgk_companion_turn(const struct dxgk_adapter *adapter,
                         const struct paging_operation *operation)
{
    if (adapter->paging.of_companions == 0) {
        return true;
    }
    list_for_each (link, &adapter->paging.running) {
        const struct paging_operation *before = container_of(link, struct paging_operation, link);
        if (before == operation) {
            return true;
        }
        if (before->companion || operation->companion) {
            return false;
        }
    }
    return true;
}

bool dxgk_companions_abandon(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    bool over = true;

    for_each_life(life, &adapter->system_device->contexts)
    {
        struct dxgk_context *context = container_of(life, struct dxgk_context, life);
        if (context->companion.of != 0) {
            vidsch_context_cancel(&context->vidsch);
            over &= vidsch_context_wait_idle(&context->vidsch, deadline_ns);
        }
    }
    return over;
}
