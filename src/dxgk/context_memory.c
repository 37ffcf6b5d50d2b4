/* Memory for the state of contexts; see context_memory.h. */
#include "dxgk/context_memory.h"

#include <stdlib.h>
#include <string.h>

#include "dxgk/present_virtual.h"
#include "dxgk/work.h"

#define PER_OWNER_MAX 32          /* no page has a limit: beyond it memory is short */
#define FIRST_HANDLE  0x60000000u /* handles are told from clients' by their low bits, too */
#define HANDLE_STEP   16u

static struct list all = {&all, &all};

/* ---- Finding --------------------------------------------------------------------------------- */

/* The driver may name what is just being made. */
static struct dxgk_life *named(HANDLE handle, enum dxgk_handle_kind kind)
{
    uintptr_t number = (uintptr_t)handle;

    return number <= UINT32_MAX ? dxgk_handle_of_driver((D3DKMT_HANDLE)number, kind) : NULL;
}

/* NULL stands for those of the system, which have no such memory. */
static void judge_no_owner(bool shared, HANDLE handle)
{
    if (handle) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(CCA_002)},
            "hContext, or with SharedAcrossContexts hDevice, as CreateContext or CreateDevice was "
            "given it",
            "%s is no handle of the kernel's: one of the driver's own, or one that has gone",
            shared ? "hDevice" : "hContext");
    }
}

static void judge_system_owner(bool shared)
{
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(CCA_001)},
                    "a context or device of a client", "%s is that of the system",
                    shared ? "hDevice" : "hContext");
}

/* Where it belongs. NULL: the handle is of no such object of this adapter, or of the system's. */
static struct list *owner_of(const struct dxgk_adapter *adapter,
                             const DXGKARGCB_CREATECONTEXTALLOCATION *request,
                             struct dxgk_device **device)
{
    bool shared = request->ContextAllocationFlags.SharedAcrossContexts;
    HANDLE handle = shared ? request->hDevice : request->hContext;
    struct dxgk_life *life = named(handle, shared ? DXGK_KIND_DEVICE : DXGK_KIND_CONTEXT);
    struct dxgk_context *context =
        life && !shared ? container_of(life, struct dxgk_context, life) : NULL;

    contract_count(RULE_CCA_001);
    contract_count(RULE_CCA_002);
    if (!life) {
        judge_no_owner(shared, handle);
        return NULL;
    }
    *device = context ? context->device : container_of(life, struct dxgk_device, life);
    if ((*device)->adapter != adapter || !(*device)->process) {
        judge_system_owner(shared);
        return NULL;
    }
    if (shared && request->hContext) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(CCA_002), .advice = true},
            "hContext NULL with SharedAcrossContexts",
            "hContext is set, which means nothing where the memory is of all contexts of hDevice");
    }
    return context ? &context->memories : &(*device)->memories;
}

struct dxgk_context_memory *dxgk_context_memory_find(const struct dxgk_adapter *adapter,
                                                     HANDLE handle)
{
    list_for_each (link, &all) {
        struct dxgk_context_memory *memory =
            container_of(link, struct dxgk_context_memory, all_link);
        if (memory->handle == handle && memory->device->adapter == adapter) {
            return memory;
        }
    }
    return NULL;
}

struct dxgk_context_memory *dxgk_context_memory_named(const struct dxgk_adapter *adapter,
                                                      HANDLE handle, enum contract_point callback)
{
    struct dxgk_context_memory *memory = handle ? dxgk_context_memory_find(adapter, handle) : NULL;

    contract_count(RULE_CCA_004);
    if (handle && !memory) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(CCA_004),
                                                   .ddi = contract_point_info(callback)->name},
                        "hAllocation as DxgkCbCreateContextAllocation gave it, until it is given "
                        "back",
                        "0x%llX, which is memory that was given back, or no handle of the kernel's",
                        (unsigned long long)(uintptr_t)handle);
    }
    return memory;
}

void dxgk_context_memory_explain(struct dxgk_adapter *adapter, const struct dxgk_fault *fault)
{
    uint32_t protection;

    list_for_each (link, &all) {
        struct dxgk_context_memory *memory =
            container_of(link, struct dxgk_context_memory, all_link);
        if (memory->device->adapter == adapter && memory->device->life.number == fault->device &&
            vidmm_allocation_protection(&memory->memory, fault->address, &protection)) {
            dxgk_clue_context_memory(adapter, fault, (protection & VIDMM_PROTECT_WRITE) != 0);
        }
    }
}

static unsigned count_of(const struct list *owned)
{
    unsigned count = 0;

    list_for_each (link, owned) {
        count++;
    }
    return count;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* CpuVisible, Protected and apertures alone: then the CPU sees it for its life [INITCTX-005]. */
static bool is_seen_by_cpu(const struct dxgk_adapter *adapter,
                           const DXGKARGCB_CREATECONTEXTALLOCATION *request)
{
    for (unsigned id = 1; id <= adapter->segment_count; id++) {
        if (request->SupportedSegmentSet & VIDMM_SEGMENT_BIT(id) &&
            !(adapter->segments[id - 1].flags & VIDMM_SEGMENT_APERTURE)) {
            return false;
        }
    }
    return request->Flags.CpuVisible && request->Flags.Protected;
}

/* Nobody else knows of it yet: what is waited for is memory that page tables make way for, but
 * where nobody could come to them meanwhile. May switch. */
static NTSTATUS show_to_cpu(struct dxgk_context_memory *memory, struct dxgk_adapter *adapter)
{
    bool may_wait = task_self() != adapter->worker && !dxgk_space_tells_root();
    struct vidmm_wait wait;
    NTSTATUS status;

    while ((status = vidmm_lock(&memory->memory, VIDMM_LOCK_IGNORE_SYNC, &memory->address,
                                &wait)) == STATUS_PENDING &&
           may_wait) {
        dxgk_wait_memory(adapter, &wait, MACHINE_NEVER);
    }
    return status == STATUS_SUCCESS ? status : STATUS_NO_MEMORY;
}

static NTSTATUS place(struct dxgk_context_memory *memory, struct dxgk_adapter *adapter,
                      const DXGKARGCB_CREATECONTEXTALLOCATION *request)
{
    const DXGK_SEGMENTPREFERENCE *preferred = &request->PreferredSegment;
    bool seen = is_seen_by_cpu(adapter, request);
    /* Where the paging engine sees by addresses it is moved by them, and named by them alone. */
    uint32_t named = adapter->mmu.pages ? VIDMM_ALLOCATION_VIRTUAL : VIDMM_ALLOCATION_PHYSICAL;
    const struct vidmm_allocation_options options = {
        .size_bytes = request->Size,
        .alignment_bytes = request->Alignment,
        .read_segments = request->SupportedSegmentSet,
        .write_segments = request->SupportedSegmentSet,
        .eviction_segments = request->EvictionSegmentSet,
        .preferences = {{preferred->SegmentId0, preferred->Direction0},
                        {preferred->SegmentId1, preferred->Direction1},
                        {preferred->SegmentId2, preferred->Direction2},
                        {preferred->SegmentId3, preferred->Direction3},
                        {preferred->SegmentId4, preferred->Direction4}},
        .flags = VIDMM_ALLOCATION_CONTEXT | named | (seen ? VIDMM_ALLOCATION_CPU_VISIBLE : 0) |
                 (request->Flags.Cached ? VIDMM_ALLOCATION_CACHED : 0),
        .priority = VIDMM_PRIORITY_NORMAL,
        .object = memory->object,
    };
    NTSTATUS status = vidmm_allocation_init(&memory->memory, adapter->vidmm, &options);

    if (NT_SUCCESS(status) && seen) {
        status = show_to_cpu(memory, adapter);
        if (!NT_SUCCESS(status)) {
            vidmm_allocation_fini(&memory->memory);
        }
    }
    return status;
}

static void free_memory(struct dxgk_life *life)
{
    free(container_of(life, struct dxgk_context_memory, life));
}

NTSTATUS dxgk_context_memory_create(struct ddi_adapter *ddi,
                                    DXGKARGCB_CREATECONTEXTALLOCATION *request)
{
    static uint32_t handle = FIRST_HANDLE;
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);
    struct dxgk_device *device;
    struct list *owner = owner_of(adapter, request, &device);
    uint64_t segments = (UINT64_C(1) << adapter->segment_count) - 1;

    if (!owner || request->Size == 0 || request->SupportedSegmentSet == 0 ||
        (request->SupportedSegmentSet & ~segments) != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    /* Limits of ours: who hands the status on from CreateContext may [CTX-002]. */
    if (count_of(owner) == PER_OWNER_MAX || !vidmm_scratch_shows(adapter->vidmm, request->Size)) {
        record_count("memory.context_memory_refused", 1);
        return STATUS_NO_MEMORY;
    }
    struct dxgk_context_memory *memory = calloc(1, sizeof *memory);
    if (!memory) {
        return STATUS_NO_MEMORY;
    }
    life_init(&memory->life, DXGK_KIND_CONTEXT_MEMORY, free_memory);
    list_init(&memory->updates);
    memory->object = record_object_new(OBJECT_ALLOCATION, device->object);
    NTSTATUS status = place(memory, adapter, request);
    if (!NT_SUCCESS(status)) {
        record_object_dead(memory->object, OBJECT_ALLOCATION);
        life_put(&memory->life);
        return status;
    }
    memory->device = device;
    memory->context = request->ContextAllocationFlags.SharedAcrossContexts
                          ? NULL
                          : container_of(owner, struct dxgk_context, memories);
    memory->driver_handle = request->hDriverAllocation;
    memory->handle = (HANDLE)(uintptr_t)(handle += HANDLE_STEP);
    list_push_back(owner, &memory->life.link);
    list_push_back(&all, &memory->all_link);
    life_begin(&memory->life);
    request->hAllocation = memory->handle;
    return STATUS_SUCCESS;
}

/* ---- Its end --------------------------------------------------------------------------------- */

static void end(struct dxgk_context_memory *memory)
{
    life_unlink(&memory->life);
    list_remove(&memory->all_link);
    dxgk_context_updates_drop(memory);
    vidmm_allocation_fini(&memory->memory);
    dxgk_memory_changed(memory->device->adapter);
    record_object_dead(memory->object, OBJECT_ALLOCATION);
    life_put(&memory->life);
}

/* Nobody finds it any more, and neither a packet that comes now needs it nor an operation names
 * what the driver had for it. Whoever waits with it inside a callback leaves. */
static void hide(struct dxgk_context_memory *memory)
{
    if (life_end(&memory->life)) {
        wait_queue_wake(&memory->device->adapter->idle_changed, UINT_MAX);
    }
    memory->handle = memory->driver_handle = NULL;
    if (memory->address) {
        CHECK_THAT(NT_SUCCESS(vidmm_unlock(&memory->memory)));
        memory->address = NULL;
    }
}

/* The driver is inside a call of its own, for whose end others wait: nothing may be waited for
 * here. What is still used, or mapped, goes with its owner. */
NTSTATUS dxgk_context_memory_destroy(struct ddi_adapter *ddi, HANDLE handle)
{
    struct dxgk_context_memory *memory =
        dxgk_context_memory_named(dxgk_adapter_of(ddi), handle, POINT_CbDestroyContextAllocation);
    struct vidmm_wait wait;

    if (!memory) {
        return STATUS_INVALID_HANDLE;
    }
    hide(memory);
    if (memory->life.use_count > 0) {
        return STATUS_SUCCESS; /* another thread of the driver's is in a callback with it */
    }
    NTSTATUS status = vidmm_allocation_retire(&memory->memory, &wait);
    if (status == STATUS_SUCCESS && wait.paging_sequence == 0) {
        end(memory);
    }
    return STATUS_SUCCESS;
}

void dxgk_context_memory_judge_left(const struct list *owned, const char *ddi, bool failed)
{
    unsigned count = 0;
    uint32_t object = 0;

    list_for_each (link, owned) {
        struct dxgk_context_memory *memory =
            container_of(link, struct dxgk_context_memory, life.link);
        if (memory->handle) { /* one that was given back may still be in use */
            object = memory->object;
            count++;
        }
    }
    contract_count(RULE_CCA_009);
    if (count > 0) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(CCA_009),
                                                   .ddi = ddi,
                                                   .object = object},
                        "each context allocation given to DxgkCbDestroyContextAllocation",
                        "%s %s and left %u that DxgkCbCreateContextAllocation made", ddi,
                        failed ? "failed" : "returned", count);
    }
}

void dxgk_context_memory_drop(struct list *owned)
{
    while (!list_empty(owned)) {
        struct dxgk_context_memory *memory =
            container_of(owned->next, struct dxgk_context_memory, life.link);
        hide(memory);
        life_wait_unused(&memory->life);
        dxgk_retire_memory(memory->device->adapter, &memory->memory);
        end(memory);
    }
}

/* ---- In place -------------------------------------------------------------------------------- */

bool dxgk_context_memories_exist(void)
{
    return !list_empty(&all);
}

bool dxgk_context_memory_any(const struct dxgk_context *context)
{
    return !list_empty(&context->memories) || !list_empty(&context->device->memories);
}

static size_t add_references(const struct list *owned, struct vidmm_reference *references)
{
    size_t count = 0;

    list_for_each (link, owned) {
        struct dxgk_context_memory *memory =
            container_of(link, struct dxgk_context_memory, life.link);
        if (memory->handle) {
            references[count++] = (struct vidmm_reference){
                .allocation = &memory->memory, .write = true, .slot = VIDMM_NO_SLOT};
        }
    }
    return count;
}

void dxgk_context_memory_prepare(struct dxgk_packet *packet, struct vidmm_prepare_result *result)
{
    struct vidmm_reference references[2 * PER_OWNER_MAX + DXGK_PRESENT_REFERENCES_MAX];
    struct dxgk_context *context = packet->context;
    size_t count = add_references(&context->memories, references);

    count += add_references(&context->device->memories, references + count);
    if (dxgk_presents_own(packet)) {
        count += dxgk_presents_refer(packet, references + count);
    }
    const struct vidmm_prepare_request request = {.references = references, .count = count};
    vidmm_prepare(&packet->state_use, &request, result);
    if (result->outcome == VIDMM_READY) {
        dxgk_context_updates_queue(&context->memories, result);
        dxgk_context_updates_queue(&context->device->memories, result);
    }
}

/* ---- First content --------------------------------------------------------------------------- */

/* What lies there before: nobody's state. */
#define NOTHING_BYTE 0xA5u

/* A page of where the operation puts it, as the CPU sees it; NULL: it does not. */
static uint8_t *page_of(const struct dxgk_adapter *adapter, const struct vidmm_op *op, size_t page)
{
    const struct vidmm_segment_options *segment =
        op->fill.destination.segment ? vidmm_segment(adapter->vidmm, op->fill.destination.segment)
                                     : NULL;
    uint64_t offset = op->fill.destination.offset + page * MACHINE_PAGE_SIZE;

    if (!segment || segment->flags & VIDMM_SEGMENT_APERTURE) {
        return ram_at(op->frames[page] << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE);
    }
    return segment->flags & VIDMM_SEGMENT_CPU_VISIBLE
               ? bus_memory_at(segment->cpu_base_address + offset, MACHINE_PAGE_SIZE)
               : NULL;
}

void dxgk_context_memory_spoil(const struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    uint8_t *bytes;

    for (size_t i = 0; i < op->frame_count && (bytes = page_of(adapter, op, i)) != NULL; i++) {
        memset(bytes, NOTHING_BYTE, MACHINE_PAGE_SIZE);
    }
}

void dxgk_context_memory_look(const struct dxgk_adapter *adapter,
                              const struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;
    const uint8_t *bytes;

    if (op->kind != VIDMM_OP_INIT_CONTEXT || op->revoked ||
        !container_of(op->allocation, struct dxgk_context_memory, memory)->handle ||
        operation->status != STATUS_SUCCESS || adapter->state != DXGK_ADAPTER_RUNNING ||
        adapter->presence != DXGK_THERE) {
        return;
    }
    for (size_t i = 0; i < op->frame_count; i++) {
        if (!(bytes = page_of(adapter, op, i)) || bytes[0] != NOTHING_BYTE ||
            memcmp(bytes, bytes + 1, MACHINE_PAGE_SIZE - 1) != 0) {
            contract_count(RULE_INITCTX_003);
            return;
        }
    }
    /* Advice: no page says that there is anything to write, as where the GPU saves a context before
     * it ever restores it. */
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(INITCTX_003),
                                               .object = op->allocation->object,
                                               .advice = true},
                    "the state of a context that runs for the first time",
                    "nothing was written: all %zu pages in segment %u, at offset 0x%llX, "
                    "GpuVirtualAddress 0x%llX, are as they were before",
                    op->frame_count, op->fill.destination.segment,
                    (unsigned long long)op->fill.destination.offset,
                    (unsigned long long)op->fill.destination_address);
}
