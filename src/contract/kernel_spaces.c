/* The kernel's own duties: processes, root tables, submissions by virtual address. */
#include "contract/paging_call.h"

#include <string.h>

#include "machine/machine.h"

/* ---- Processes ------------------------------------------------------------------------------- */

static bool one_system_process(struct contract_call *call)
{
    const DXGKARG_CREATEPROCESS *create = call->arguments;
    struct contract_object *object, *next;

    if (!create->Flags.SystemProcess) {
        return contract_no_case(call);
    }
    HASH_ITER(hh, call->tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_PROCESS && object->system) {
            return contract_say(call, "one system process", "another lives");
        }
    }
    return true;
}

static bool no_process_of_ours(struct contract_call *call)
{
    const DXGKARG_CREATEPROCESS *create = call->arguments;

    return KERNEL_KEEPS(call, create->hDxgkProcess && !create->hKmdProcess,
                        "the kernel's handle, and none of the driver's", "%p, %p",
                        create->hDxgkProcess, create->hKmdProcess);
}

static bool shares_addresses(const struct contract_call *call)
{
    return contract_shares_addresses(call->tracker);
}

/* One for each physical adapter, of a client's process alone. */
static bool process_has_pasid(struct contract_call *call)
{
    const DXGKARG_CREATEPROCESS *create = call->arguments;
    UINT wanted = create->Flags.SystemProcess ? 0 : 1;

    return KERNEL_KEEPS(call,
                        create->NumPasid == wanted && !create->pPasid == (wanted == 0) &&
                            (wanted == 0 || create->pPasid[0] != 0),
                        "a PASID for each physical adapter, none for the system process",
                        "NumPasid %u, pPasid %p", create->NumPasid, (void *)create->pPasid);
}

static bool device_has_pasid(struct contract_call *call)
{
    const DXGKARG_CREATEDEVICE *create = call->arguments;
    const struct contract_object *process =
        contract_object_find(call->tracker, TRACKED_PROCESS, create->hKmdProcess);

    return KERNEL_KEEPS(call, !process || process->pasid == create->Pasid,
                        "the PASID that CreateProcess was given for the process", "%u, not %u",
                        (unsigned)create->Pasid, process->pasid);
}

static bool no_device_left(struct contract_call *call)
{
    const struct contract_object *process =
        contract_object_find(call->tracker, TRACKED_PROCESS, call->first);

    return KERNEL_KEEPS(call, !process || process->count > 1 || process->child_count == 0,
                        "devices destroyed before their process", "%u are left",
                        process->child_count);
}

static bool has_processes(const struct contract_call *call)
{
    return call->tracker->has[POINT_CreateProcess];
}

/* ---- Root tables ----------------------------------------------------------------------------- */

static bool two_levels(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->tracker->mmu.caps.PageTableLevelCount == 2,
                        "an adapter of two levels", "%u levels",
                        call->tracker->mmu.caps.PageTableLevelCount);
}

static const DXGKARG_SETROOTPAGETABLE *root_of(const struct contract_call *call)
{
    return call->arguments;
}

static bool names_a_rooted_context(struct contract_call *call)
{
    HANDLE handle = root_of(call)->hContext;

    return KERNEL_KEEPS(call,
                        contract_object_find(call->tracker, TRACKED_CONTEXT, handle) ||
                            contract_object_find(call->tracker, TRACKED_HW_CONTEXT, handle),
                        "hContext of a context, or hardware context, that lives", "%p", handle);
}

static bool root_is_somewhere(struct contract_call *call)
{
    const DXGKARG_SETROOTPAGETABLE *root = root_of(call);
    const struct contract_tracker *tracker = call->tracker;
    UINT segment = root->Address.SegmentId;
    uint64_t base =
        segment > 0 && segment <= tracker->segment_count ? tracker->segments[segment].base : 0;

    return KERNEL_KEEPS(
        call,
        root->NumEntries > 0 && root->Address.SegmentOffset % MACHINE_PAGE_SIZE == 0 &&
            contract_in_segment(tracker, segment, base + root->Address.SegmentOffset,
                                MACHINE_PAGE_SIZE),
        "a page in its segment, and entries", "segment %u, offset 0x%llX, %u entries", segment,
        (unsigned long long)root->Address.SegmentOffset, root->NumEntries);
}

static bool context_rests(struct contract_call *call)
{
    struct contract_tracker *tracker = call->tracker;
    const struct contract_object *context = contract_rooted_find(tracker, root_of(call)->hContext);

    if (context && context->key.kind == TRACKED_HW_CONTEXT) {
        return KERNEL_KEEPS(
            call, context->suspended || contract_queues_rest(tracker, context->key.handle),
            "a hardware context that is suspended, or whose queues have done all "
            "they were given",
            "%p", context->key.handle);
    }
    if (!context || !context->used_node || context->node >= CONTRACT_NODES_MAX) {
        return contract_no_case(call);
    }
    const struct contract_node *node = &tracker->nodes[context->node];
    return KERNEL_KEEPS(call, context->last_position <= node->retired_position,
                        "a context without work on its node", "fence %u, the node completed %u",
                        context->last_fence, node->retired);
}

/* Of the process whose device the context is of. */
static HANDLE process_of(struct contract_tracker *tracker, const struct contract_object *context)
{
    const struct contract_object *device =
        context ? contract_object_find(tracker, TRACKED_DEVICE, context->parent) : NULL;

    return device ? device->process : NULL;
}

/* A context of the process with work on its node, or NULL. */
static const struct contract_object *find_running(struct contract_tracker *tracker, HANDLE process)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_CONTEXT && object->virtual_addresses && object->used_node &&
            object->node < CONTRACT_NODES_MAX &&
            object->last_position > tracker->nodes[object->node].retired_position &&
            process_of(tracker, object) == process) {
            return object;
        }
    }
    return NULL;
}

/* The process whose tables or TLB the operation is about. */
static HANDLE process_changed(const struct contract_call *call)
{
    return paging_is(call, DXGK_OPERATION_FLUSH_TLB) ? paging_of(call)->FlushTlb.hProcess
                                                     : paging_of(call)->UpdatePageTable.hProcess;
}

/* The contexts of the paging process carry the update themselves. */
static bool wants_rest(const struct contract_call *call)
{
    return call->tracker->mmu.caps.PageTableUpdateRequireAddressSpaceIdle &&
           process_changed(call) && process_changed(call) != call->tracker->system_process;
}

static bool address_space_rests(struct contract_call *call)
{
    const struct contract_object *running = find_running(call->tracker, process_changed(call));

    return KERNEL_KEEPS(call, !running, "no work of the process's contexts on the hardware",
                        "fence %u on node %u", running->last_fence, running->node);
}

static bool hw_contexts_rest(struct contract_call *call)
{
    const struct contract_object *running =
        contract_hw_context_running(call->tracker, process_changed(call));

    return KERNEL_KEEPS(call, !running,
                        "the process's hardware contexts suspended, or without work", "%p is not",
                        running->key.handle);
}

static bool leads_elsewhere(const DXGK_PTE *before, const DXGK_PTE *now)
{
    return before->Valid && now->Valid &&
           (before->Segment != now->Segment || before->PageAddress != now->PageAddress);
}

/* Where a pair has its second half alone, `now` is that. */
static bool led_to_small(const struct contract_entry *entry)
{
    return !entry->half.Valid || entry->now.Segment != entry->half.Segment ||
           entry->now.PageAddress != entry->half.PageAddress;
}

/* Entries that led to a table lead to another one now, or a table has been left. */
static bool moves_tables(const struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &paging_of(call)->UpdatePageTable;
    const bool is_above = update->PageTableLevel > 0 && !update->Flags.InitialUpdate;
    struct contract_table_key key;

    if (update->hProcess == call->tracker->system_process || update->Flags.NotifyEviction ||
        !is_above || !contract_table_key(call->tracker, update, &key)) {
        return update->Flags.NotifyEviction;
    }
    const struct contract_table *table = contract_table_find(call->tracker, &key);
    for (UINT i = 0; table && i < update->NumPageTableEntries; i++) {
        UINT from = update->Flags.Repeat ? 0 : i, index = update->StartIndex + i;
        const struct contract_entry *entry = index < table->count ? &table->entries[index] : NULL;
        if (entry && entry->known &&
            ((led_to_small(entry) &&
              leads_elsewhere(&entry->now, &update->pPageTableEntries[from])) ||
             (update->pPageTableEntries64KB &&
              leads_elsewhere(&entry->half, &update->pPageTableEntries64KB[from])))) {
            return true;
        }
    }
    return false;
}

/* By what was said of its entries: all of them, where the table lies. */
static bool root_is_written(struct contract_call *call)
{
    struct contract_tracker *tracker = call->tracker;
    const DXGKARG_SETROOTPAGETABLE *root = root_of(call);
    struct contract_table_key key;

    memset(&key, 0, sizeof key);
    key.process = process_of(tracker, contract_rooted_find(tracker, root->hContext));
    key.level = tracker->mmu.caps.PageTableLevelCount - 1;
    const struct contract_table *table = key.process ? contract_table_find(tracker, &key) : NULL;
    if (!table) {
        return contract_no_case(call);
    }
    return KERNEL_KEEPS(call, table->known_count >= root->NumEntries,
                        "every entry of the root table written before", "%u of %u",
                        table->known_count, root->NumEntries);
}

/* ---- SubmitCommandVirtual -------------------------------------------------------------------- */

static const DXGKARG_SUBMITCOMMANDVIRTUAL *submit_of(const struct contract_call *call)
{
    return call->arguments;
}

static struct contract_object *context_of(const struct contract_call *call)
{
    return contract_object_find(call->tracker, TRACKED_CONTEXT, submit_of(call)->hContext);
}

static bool names_a_context(const struct contract_call *call)
{
    return submit_of(call)->hContext != NULL;
}

static bool needs_a_root(const struct contract_call *call)
{
    return names_a_context(call) && !contract_shares_addresses(call->tracker);
}

static bool is_resident(struct contract_call *call)
{
    const struct contract_object *context = context_of(call);

    return KERNEL_KEEPS(call, !context || (context->virtual_addresses && context->has_root),
                        "SetRootPageTable before, of a context with VirtualAddressing",
                        "VirtualAddressing %d, root %d", context->virtual_addresses,
                        context->has_root);
}

static bool names_the_node(struct contract_call *call)
{
    const struct contract_object *context = context_of(call);
    UINT node = submit_of(call)->NodeOrdinal;

    return KERNEL_KEEPS(call,
                        node < call->tracker->node_count && (!context || context->node == node),
                        "the context's node", "node %u of %u", node, call->tracker->node_count);
}

static bool has_commands(const struct contract_call *call)
{
    return !submit_of(call)->Flags.ContextSwitch;
}

static bool switches_contexts(const struct contract_call *call)
{
    return submit_of(call)->Flags.ContextSwitch;
}

static bool private_block(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDVIRTUAL *submit = submit_of(call);

    return KERNEL_KEEPS(call,
                        !submit->DmaBufferPrivateDataSize == !submit->pDmaBufferPrivateData &&
                            (!submit->Flags.Paging || !submit->DmaBufferUmdPrivateDataSize),
                        "a block of private data; no part of it a client's with Paging",
                        "%p, %u bytes, %u of them a client's", submit->pDmaBufferPrivateData,
                        submit->DmaBufferPrivateDataSize, submit->DmaBufferUmdPrivateDataSize);
}

static bool is_new_paging(const struct contract_call *call)
{
    return submit_of(call)->Flags.Paging && !submit_of(call)->Flags.Resubmission &&
           !call->tracker->paging.parts_lost;
}

bool contract_part_was_built(struct contract_call *call, D3DGPU_VIRTUAL_ADDRESS address, UINT size)
{
    const struct contract_paging *paging = &call->tracker->paging;

    for (unsigned i = 0; i < paging->part_count; i++) {
        const struct contract_part *part =
            &paging->parts[(paging->part_first + i) % CONTRACT_PARTS_MAX];
        if (part->address + part->start == address && part->end - part->start == size) {
            return true;
        }
        if (part->epoch == call->tracker->epoch) {
            break;
        }
    }
    return contract_say(call, "the oldest part of a paging buffer that was built",
                        "0x%llX, %u bytes; %u parts are waiting", (unsigned long long)address, size,
                        paging->part_count);
}

static bool paging_was_built(struct contract_call *call)
{
    return contract_part_was_built(call, submit_of(call)->DmaBufferVirtualAddress,
                                   submit_of(call)->DmaBufferSize);
}

/* As Present left it: from the buffer's begin, with the private data that it had there. */
static bool present_was_written(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDVIRTUAL *submit = submit_of(call);
    struct contract_buffer *buffer, *next;

    HASH_ITER(hh, call->tracker->buffers, buffer, next)
    {
        if (buffer->present && buffer->context == submit->hContext &&
            buffer->virtual_address == submit->DmaBufferVirtualAddress &&
            buffer->used == submit->DmaBufferSize &&
            buffer->private_data == submit->pDmaBufferPrivateData &&
            buffer->private_size == submit->DmaBufferPrivateDataSize &&
            submit->DmaBufferUmdPrivateDataSize == 0) {
            return true;
        }
    }
    return contract_say(call, "a buffer of the context's as Present wrote it, and its private data",
                        "0x%llX, %u bytes, private data of %u bytes at %p",
                        (unsigned long long)submit->DmaBufferVirtualAddress, submit->DmaBufferSize,
                        submit->DmaBufferPrivateDataSize, submit->pDmaBufferPrivateData);
}

static bool is_present(const struct contract_call *call)
{
    return submit_of(call)->Flags.Present;
}

static bool flips(const struct contract_call *call)
{
    return submit_of(call)->Flags.Flip || submit_of(call)->Flags.FlipWithNoWait;
}

static bool says_no_source(const struct contract_call *call)
{
    return !flips(call) && !vary_on(VARY_STALE_MEMBERS);
}

/* What was preempted comes again with its id if it is paging, else with a new one. */
static bool fence_is_new(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDVIRTUAL *submit = submit_of(call);
    UINT ordinal = submit->NodeOrdinal;

    if (ordinal >= CONTRACT_NODES_MAX || (submit->Flags.Paging && submit->Flags.Resubmission)) {
        return contract_no_case(call);
    }
    const struct contract_node *node = &call->tracker->nodes[ordinal];
    return KERNEL_KEEPS(call,
                        submit->SubmissionFenceId != 0 &&
                            (!node->any_id || contract_fence_difference(submit->SubmissionFenceId,
                                                                        node->last_id) > 0),
                        "an id later than all before it on the node", "fence %u after %u",
                        submit->SubmissionFenceId, node->any_id ? node->last_id : 0);
}

static const struct contract_row rows[] = {
    KERNEL(PT_012, CreateProcess, one_system_process),
    KERNEL(PT_012, CreateProcess, no_process_of_ours),
    KERNEL(PT_012, CreateDevice, FIELD_LIVES(DXGKARG_CREATEDEVICE, hKmdProcess, TRACKED_PROCESS),
           WHEN(has_processes), FEATURE(wddm2)),
    KERNEL(PT_015, CreateProcess, process_has_pasid, WHEN(shares_addresses)),
    KERNEL(PT_015, CreateDevice, device_has_pasid, WHEN(shares_addresses)),
    KERNEL(PT_012, DestroyProcess, HANDLE_LIVES(TRACKED_PROCESS)),
    KERNEL(PT_012, DestroyProcess, no_device_left),

    KERNEL(PT_006, GetRootPageTableSize, two_levels),
    KERNEL(PT_002, SetRootPageTable, names_a_rooted_context),
    KERNEL(PT_002, SetRootPageTable, root_is_somewhere),
    KERNEL(PT_001, SetRootPageTable, context_rests),
    KERNEL(
        PT_005, SetRootPageTable, root_is_written,
        LEAVES_OUT("a table of which nothing was written at all, and what becomes of the old one")),

    KERNEL(RES_007, BuildPagingBuffer, address_space_rests, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(moves_tables), LEAVES_OUT("the contexts that walk the paging process's tables")),
    KERNEL(HWQ_016, BuildPagingBuffer, hw_contexts_rest, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(moves_tables),
           LEAVES_OUT("what else of a context's memory moves: it stays while a queue has work")),
    KERNEL(HWQ_016, BuildPagingBuffer, hw_contexts_rest, OPERATIONS(UPDATE_PAGE_TABLE, FLUSH_TLB),
           WHEN(wants_rest)),
    KERNEL(UPT_018, BuildPagingBuffer, address_space_rests,
           OPERATIONS(UPDATE_PAGE_TABLE, FLUSH_TLB), WHEN(wants_rest),
           LEAVES_OUT("work that is submitted before the update has ended: SUBV-009")),

    KERNEL(SUBV_005, SubmitCommandVirtual,
           FIELD_LIVES(DXGKARG_SUBMITCOMMANDVIRTUAL, hContext, TRACKED_CONTEXT),
           WHEN(names_a_context)),
    KERNEL(SUBV_005, SubmitCommandVirtual, names_the_node),
    KERNEL(PT_001, SubmitCommandVirtual, is_resident, WHEN(needs_a_root)),
    KERNEL(SUBV_006, SubmitCommandVirtual,
           FIELD_NOT_ZERO(DXGKARG_SUBMITCOMMANDVIRTUAL, DmaBufferSize), WHEN(has_commands),
           LEAVES_OUT("whether all of it is mapped: a client may name what is not, and the GPU "
                      "faults")),
    KERNEL(SUBMIT_041, SubmitCommandVirtual,
           FIELD_ZERO(DXGKARG_SUBMITCOMMANDVIRTUAL, DmaBufferSize), WHEN(switches_contexts),
           LEAVES_OUT("that it comes before memory of the context moves, and to drivers alone "
                      "that made such memory")),
    KERNEL(SUBV_006, SubmitCommandVirtual, paging_was_built, WHEN(is_new_paging)),
    KERNEL(SUBV_006, SubmitCommandVirtual, present_was_written, WHEN(is_present)),
    KERNEL(SUBV_007, SubmitCommandVirtual,
           FIELD_AT_MOST_OTHER(DXGKARG_SUBMITCOMMANDVIRTUAL, DmaBufferUmdPrivateDataSize,
                               DmaBufferPrivateDataSize),
           LEAVES_OUT("how long the block lives, and what comes again with Resubmission")),
    KERNEL(SUBV_007, SubmitCommandVirtual, private_block),
    KERNEL(SUBV_008, SubmitCommandVirtual, fence_is_new),
    KERNEL(SUBV_008, SubmitCommandVirtual,
           FIELD_BELOW_TOLD(DXGKARG_SUBMITCOMMANDVIRTUAL, VidPnSourceId, source_count),
           WHEN(flips)),
    KERNEL(SUBV_008, SubmitCommandVirtual, FIELD_ZERO(DXGKARG_SUBMITCOMMANDVIRTUAL, VidPnSourceId),
           WHEN(says_no_source), LEAVES_OUT("that the driver ignores what is not valid")),
};

const struct contract_family contract_family_kernel_spaces = FAMILY_OF(rows);
