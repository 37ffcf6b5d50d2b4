/* The kernel's own duties: the reference driver runs, one argument of one call is spoiled on its
 * way to the driver, as a wrong kernel would, and the run ends as our own fault that names the
 * rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "contract/contract.h"
#include "runner.h"
#include "scene.h"

typedef bool spoil_fn(struct contract_call *call); /* false: not this call */

struct duty {
    enum contract_rule rule;
    enum contract_point point;
    spoil_fn *spoil;
    unsigned scene;
};

#define TESTS_RULE(id) RULE_##id

/* `a` is the argument structure. */
#define SPOILS(name, type, condition, statement) \
    static bool name(struct contract_call *call) \
    {                                            \
        type *a = call->arguments;               \
        if (!(condition)) {                      \
            return false;                        \
        }                                        \
        statement;                               \
        return true;                             \
    }

#define BOGUS ((HANDLE)(uintptr_t)0xB0B0)

/* ---- SubmitCommand --------------------------------------------------------------------------- */

#define SUBMIT(name, condition, statement) SPOILS(name, DXGKARG_SUBMITCOMMAND, condition, statement)

SUBMIT(other_fence_than_patch, !a->Flags.Paging, a->SubmissionFenceId += 1)
SUBMIT(unknown_device, !a->Flags.Paging, a->hDevice = BOGUS)
SUBMIT(no_context, !a->Flags.Paging, a->hContext = NULL)
SUBMIT(unknown_context, !a->Flags.Paging, a->hContext = BOGUS)
SUBMIT(in_a_memory_segment, a->Flags.Paging, a->DmaBufferSegmentId = 1)
SUBMIT(outside_of_memory, a->Flags.Paging, a->DmaBufferPhysicalAddress.QuadPart += 1ll << 40)
SUBMIT(not_byte_0, !a->Flags.Paging, a->DmaBufferPhysicalAddress.QuadPart += 64)
SUBMIT(end_behind_size, a->Flags.Paging, a->DmaBufferSubmissionEndOffset = a->DmaBufferSize + 1)
SUBMIT(other_range_than_patch, !a->Flags.Paging, a->DmaBufferSubmissionEndOffset -= 4)
SUBMIT(other_private_data, !a->Flags.Paging,
       a->pDmaBufferPrivateData = (char *)a->pDmaBufferPrivateData + 8)
SUBMIT(private_start_behind_end, a->Flags.Paging,
       a->DmaBufferPrivateDataSubmissionStartOffset = a->DmaBufferPrivateDataSubmissionEndOffset +
                                                      1)
SUBMIT(private_start_not_0, !a->Flags.Paging && a->DmaBufferPrivateDataSubmissionEndOffset,
       a->DmaBufferPrivateDataSubmissionStartOffset = 1)
SUBMIT(private_end_behind_size, a->Flags.Paging,
       a->DmaBufferPrivateDataSubmissionEndOffset = a->DmaBufferPrivateDataSize + 1)
SUBMIT(older_fence, a->Flags.Paging && a->SubmissionFenceId > 8, a->SubmissionFenceId -= 5)
SUBMIT(flip_of_no_source, a->Flags.Paging, (a->Flags.Flip = 1, a->VidPnSourceId = 99))
SUBMIT(interval_without_flip, a->Flags.Paging, a->FlipInterval = 1)
SUBMIT(present_that_is_none, !a->Flags.Paging && !a->Flags.Present, a->Flags.Present = 1)
SUBMIT(redirected_present, a->Flags.Present, a->Flags.RedirectedPresent = 1)
SUBMIT(machine_data, a->Flags.Paging, a->Flags.VirtualMachineData = 1)
SUBMIT(reserved_engine, a->Flags.Paging, a->EngineOrdinal = 1)
SUBMIT(virtual_address, a->Flags.Paging, a->DmaBufferVirtualAddress = 4096)
SUBMIT(other_node, a->Flags.Paging, a->NodeOrdinal = 2)

/* ---- Patch ----------------------------------------------------------------------------------- */

#define PATCH(name, condition, statement) SPOILS(name, DXGKARG_PATCH, condition, statement)

PATCH(patch_unknown_context, true, a->hContext = BOGUS)
PATCH(patch_other_buffer, true, a->pDmaBuffer = (char *)a->pDmaBuffer + 4096)
PATCH(patch_end_behind_size, true, a->DmaBufferSubmissionEndOffset = a->DmaBufferSize + 1)
PATCH(patch_private_start, a->DmaBufferPrivateDataSubmissionEndOffset > 1,
      a->DmaBufferPrivateDataSubmissionStartOffset = 1)
PATCH(
    patch_not_resident, a->PatchLocationListSubmissionLength > 0,
    ((DXGK_ALLOCATIONLIST *)(uintptr_t)a->pAllocationList)[a->pPatchLocationList[0].AllocationIndex]
        .SegmentId = 0)
PATCH(patch_window_too_long, true, a->PatchLocationListSubmissionLength += 1)
PATCH(patch_reserved_engine, true, a->EngineOrdinal = 1)
PATCH(patch_is_no_present, a->Flags.Present, a->Flags.Present = 0)

/* ---- Preemption, queries, cancellation ------------------------------------------------------- */

SPOILS(preempt_no_node, DXGKARG_PREEMPTCOMMAND, true, a->NodeOrdinal = 60)
SPOILS(preempt_flags, DXGKARG_PREEMPTCOMMAND, true, a->Flags.Value = 1)
SPOILS(preempt_old_id, DXGKARG_PREEMPTCOMMAND, true, a->PreemptionFenceId -= 2)
SPOILS(query_no_node, DXGKARG_QUERYCURRENTFENCE, true, a->NodeOrdinal = 60)

#define CANCEL(name, condition, statement) SPOILS(name, DXGKARG_CANCELCOMMAND, condition, statement)

CANCEL(cancel_unknown_context, true, a->hContext = BOGUS)
CANCEL(cancel_unaligned, true, a->pDmaBuffer = (char *)a->pDmaBuffer + 1)
CANCEL(cancel_end_behind_size, true, a->DmaBufferSize = a->DmaBufferSubmissionEndOffset - 1)
CANCEL(cancel_other_range, true, a->DmaBufferSubmissionEndOffset += 4)
CANCEL(cancel_other_private, true, a->pDmaBufferPrivateData = (char *)a->pDmaBufferPrivateData + 8)
CANCEL(cancel_private_end, true,
       a->DmaBufferPrivateDataSubmissionEndOffset = a->DmaBufferPrivateDataSize + 1)
CANCEL(cancel_dead_allocation, a->AllocationListSize > 0,
       ((DXGK_ALLOCATIONLIST *)(uintptr_t)a->pAllocationList)[0].hDeviceSpecificAllocation = BOGUS)
CANCEL(cancel_no_patches, a->PatchLocationListSize > 0, a->PatchLocationListSize = 0)
CANCEL(cancel_window_too_long, true, a->PatchLocationListSubmissionLength += 1)
CANCEL(cancel_virtual_address, true, a->DmaBufferVirtualAddress = 4096)
CANCEL(cancel_user_data, true, a->DmaBufferUmdPrivateDataSize = a->DmaBufferPrivateDataSize + 1)

/* ---- Contexts, allocations ------------------------------------------------------------------- */

SPOILS(two_engines, DXGKARG_CREATECONTEXT, true, a->EngineAffinity = 3)
SPOILS(system_context_elsewhere, DXGKARG_CREATECONTEXT, a->NodeOrdinal == 0,
       a->Flags.SystemContext = 1)
SPOILS(virtual_addressing, DXGKARG_CREATECONTEXT, true, a->Flags.VirtualAddressing = 1)
SPOILS(context_without_kernel_handle, DXGKARG_CREATECONTEXT, true, a->hContext = NULL)
SPOILS(device_without_kernel_handle, DXGKARG_CREATEDEVICE, true, a->hDevice = NULL)
SPOILS(destroys_unknown_allocation, DXGKARG_DESTROYALLOCATION, a->NumAllocations > 0,
       *(HANDLE *)(uintptr_t)a->pAllocationList = BOGUS)
SPOILS(closes_unknown_opening, DXGKARG_CLOSEALLOCATION, a->NumAllocations > 0,
       *(HANDLE *)(uintptr_t)a->pOpenHandleList = BOGUS)

static bool dead_handle(struct contract_call *call)
{
    call->first = BOGUS;
    return true;
}

/* ---- BuildPagingBuffer ----------------------------------------------------------------------- */

#define PAGING(name, operation, condition, statement) \
    SPOILS(name, DXGKARG_BUILDPAGINGBUFFER,           \
           a->Operation == DXGK_OPERATION_##operation && (condition), statement)

PAGING(buffer_not_where_it_stopped, FILL, true, a->pDmaBuffer = (char *)a->pDmaBuffer + 4)
PAGING(buffer_size_wrong, TRANSFER, (uintptr_t)a->pDmaBuffer % 4096 != 0, a->DmaSize -= 64)
PAGING(buffer_not_fresh, FILL, true, a->DmaSize -= 64)
PAGING(private_size_wrong, FILL, true, a->DmaBufferPrivateDataSize -= 4)
PAGING(operation_unknown, FILL, true, a->Operation = (DXGK_BUILDPAGINGBUFFER_OPERATION)99)
PAGING(multipass_not_0, FILL, true, a->MultipassOffset = 1)
PAGING(system_context_unknown, FILL, true, a->hSystemContext = BOGUS)
PAGING(transfer_of_nothing_known, TRANSFER, true, a->Transfer.hAllocation = BOGUS)
PAGING(transfer_too_long, TRANSFER, true, a->Transfer.TransferSize += 1u << 30)
PAGING(transfer_between_lists, TRANSFER, a->Transfer.Source.SegmentId == 0,
       (a->Transfer.Destination.SegmentId = 0,
        a->Transfer.Destination.pMdl = a->Transfer.Source.pMdl))
PAGING(transfer_behind_its_list, TRANSFER, a->Transfer.Source.SegmentId == 0,
       a->Transfer.MdlOffset = 1u << 24)
PAGING(transfer_outside, TRANSFER, a->Transfer.Source.SegmentId != 0,
       a->Transfer.Source.SegmentAddress.QuadPart += 1ll << 40)
PAGING(transfer_without_start, TRANSFER, a->Transfer.TransferOffset == 0,
       a->Transfer.Flags.TransferStart = 0)
PAGING(transfer_reserved, TRANSFER, true, a->Transfer.Flags.Reserved = 1)
PAGING(fill_of_nothing_known, FILL, true, a->Fill.hAllocation = BOGUS)
PAGING(fill_too_long, FILL, true, a->Fill.FillSize += 1u << 30)
PAGING(fill_in_system_memory, FILL, true, a->Fill.Destination.SegmentId = 0)
PAGING(fill_outside, FILL, true, a->Fill.Destination.SegmentAddress.QuadPart += 1ll << 40)
PAGING(map_of_nothing_known, MAP_APERTURE_SEGMENT, a->MapApertureSegment.hAllocation != NULL,
       a->MapApertureSegment.hAllocation = BOGUS)
PAGING(map_of_another_device, MAP_APERTURE_SEGMENT, true, a->MapApertureSegment.hDevice = BOGUS)
PAGING(map_in_memory, MAP_APERTURE_SEGMENT, true, a->MapApertureSegment.SegmentId = 1)
PAGING(map_outside, MAP_APERTURE_SEGMENT, true, a->MapApertureSegment.OffsetInPages = 1u << 30)
PAGING(unmap_not_mapped, UNMAP_APERTURE_SEGMENT, true,
       a->UnmapApertureSegment.OffsetInPages += 1u << 24)
PAGING(unmap_of_nothing_known, UNMAP_APERTURE_SEGMENT, true,
       a->UnmapApertureSegment.hAllocation = BOGUS)
PAGING(unmap_without_dummy, UNMAP_APERTURE_SEGMENT, true,
       a->UnmapApertureSegment.DummyPage.QuadPart = 1ll << 50)

/* ---- Render ---------------------------------------------------------------------------------- */

#define RENDER(name, condition, statement) SPOILS(name, DXGKARG_RENDER, condition, statement)

RENDER(render_unaligned, true, a->pDmaBuffer = (char *)a->pDmaBuffer + 4)
RENDER(render_multipass, true, a->MultipassOffset = 4)
RENDER(render_unknown_allocation, a->AllocationListSize > 0,
       a->pAllocationList[0].hDeviceSpecificAllocation = BOGUS)
RENDER(render_buffer_elsewhere, true, a->DmaBufferPhysicalAddress.QuadPart += 1ll << 40)

/* ---- Present and flips ----------------------------------------------------------------------- */

#define PRESENT(name, condition, statement) SPOILS(name, DXGKARG_PRESENT, condition, statement)

PRESENT(present_unaligned, a->Flags.Blt, a->pDmaBuffer = (char *)a->pDmaBuffer + 4)
PRESENT(present_buffer_too_small, a->Flags.Blt, a->DmaSize = 64)
PRESENT(present_first_place_used, a->Flags.Blt,
        a->pAllocationList[0].hDeviceSpecificAllocation =
            a->pAllocationList[1].hDeviceSpecificAllocation)
PRESENT(present_without_source, a->Flags.Blt,
        a->pAllocationList[1].hDeviceSpecificAllocation = NULL)
PRESENT(present_no_such_segment, a->Flags.Blt, a->pAllocationList[2].SegmentId = 31)
PRESENT(present_destination_read, a->Flags.Blt, a->pAllocationList[2].WriteOperation = 0)
PRESENT(present_outside, a->Flags.Blt && a->pAllocationList[2].SegmentId,
        a->pAllocationList[2].PhysicalAddress.QuadPart += 1ll << 40)
PRESENT(present_multipass, a->Flags.Blt, a->MultipassOffset = 1)
PRESENT(present_beyond_its_rectangle, a->Flags.Blt && a->SubRectCnt,
        ((RECT *)(uintptr_t)a->pDstSubRects)[0].right += 5000)
PRESENT(present_of_two_kinds, a->Flags.Blt, (a->Flags.SrcColorKey = 1, a->Flags.DstColorKey = 1))
PRESENT(present_reserved, a->Flags.Blt, a->Flags.Reserved = 1)
PRESENT(present_buffer_elsewhere, a->Flags.Blt, a->DmaBufferPhysicalAddress.QuadPart += 1ll << 40)
PRESENT(present_counts, a->Flags.Blt, a->NumSrcAllocations = 7)

#define ADDRESS(name, condition, statement) \
    SPOILS(name, DXGKARG_SETVIDPNSOURCEADDRESS, condition, statement)

ADDRESS(flip_without_source, true, a->VidPnSourceId = 9)
ADDRESS(flip_to_nowhere, true, a->PrimaryAddress.QuadPart = 1ll << 40)
ADDRESS(flip_of_unknown_context, a->ContextCount > 0, a->Context[0] = BOGUS)
ADDRESS(flip_of_two_kinds, a->Flags.ModeChange, a->Flags.FlipImmediate = 1)

static const struct duty duties[] = {
    {TESTS_RULE(SUBMIT_008), POINT_SubmitCommand, other_fence_than_patch, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_009), POINT_SubmitCommand, unknown_device, SCENE_VISTA},
    {TESTS_RULE(SUBMIT_010), POINT_SubmitCommand, no_context, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_011), POINT_SubmitCommand, unknown_context, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_014), POINT_SubmitCommand, in_a_memory_segment, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_016), POINT_SubmitCommand, outside_of_memory, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_017), POINT_SubmitCommand, not_byte_0, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_018), POINT_SubmitCommand, end_behind_size, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_020), POINT_SubmitCommand, other_range_than_patch, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_022), POINT_SubmitCommand, other_private_data, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_025), POINT_SubmitCommand, private_start_behind_end, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_027), POINT_SubmitCommand, private_start_not_0, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_028), POINT_SubmitCommand, private_end_behind_size, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_030), POINT_SubmitCommand, older_fence, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_033), POINT_SubmitCommand, flip_of_no_source, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_034), POINT_SubmitCommand, interval_without_flip, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_036), POINT_SubmitCommand, present_that_is_none, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_037), POINT_SubmitCommand, redirected_present, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_046), POINT_SubmitCommand, machine_data, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_047), POINT_SubmitCommand, reserved_engine, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_048), POINT_SubmitCommand, virtual_address, SCENE_PLAIN},
    {TESTS_RULE(SUBMIT_049), POINT_SubmitCommand, other_node, SCENE_PLAIN},
    {TESTS_RULE(PATCH_006), POINT_Patch, patch_unknown_context, SCENE_PLAIN},
    {TESTS_RULE(PATCH_007), POINT_Patch, patch_other_buffer, SCENE_PLAIN},
    {TESTS_RULE(PATCH_008), POINT_Patch, patch_end_behind_size, SCENE_PLAIN},
    {TESTS_RULE(PATCH_009), POINT_Patch, patch_private_start, SCENE_PLAIN},
    {TESTS_RULE(PATCH_010), POINT_Patch, patch_not_resident, SCENE_PLAIN},
    {TESTS_RULE(PATCH_011), POINT_Patch, patch_window_too_long, SCENE_PLAIN},
    {TESTS_RULE(PATCH_013), POINT_Patch, patch_is_no_present, SCENE_PLAIN},
    {TESTS_RULE(PATCH_014), POINT_Patch, patch_reserved_engine, SCENE_PLAIN},
    {TESTS_RULE(PREEMPT_005), POINT_PreemptCommand, preempt_old_id, SCENE_PREEMPT},
    {TESTS_RULE(PREEMPT_006), POINT_PreemptCommand, preempt_no_node, SCENE_PREEMPT},
    {TESTS_RULE(PREEMPT_007), POINT_PreemptCommand, preempt_flags, SCENE_PREEMPT},
    {TESTS_RULE(QFENCE_004), POINT_QueryCurrentFence, query_no_node, SCENE_HANG},
    {TESTS_RULE(CANCEL_006), POINT_CancelCommand, cancel_unknown_context, SCENE_HANG},
    {TESTS_RULE(CANCEL_007), POINT_CancelCommand, cancel_unaligned, SCENE_HANG},
    {TESTS_RULE(CANCEL_009), POINT_CancelCommand, cancel_end_behind_size, SCENE_HANG},
    {TESTS_RULE(CANCEL_010), POINT_CancelCommand, cancel_other_range, SCENE_HANG},
    {TESTS_RULE(CANCEL_011), POINT_CancelCommand, cancel_other_private, SCENE_HANG},
    {TESTS_RULE(CANCEL_012), POINT_CancelCommand, cancel_private_end, SCENE_HANG},
    {TESTS_RULE(CANCEL_013), POINT_CancelCommand, cancel_dead_allocation, SCENE_HANG},
    {TESTS_RULE(CANCEL_014), POINT_CancelCommand, cancel_no_patches, SCENE_HANG},
    {TESTS_RULE(CANCEL_015), POINT_CancelCommand, cancel_window_too_long, SCENE_HANG},
    {TESTS_RULE(CANCEL_016), POINT_CancelCommand, cancel_virtual_address, SCENE_HANG},
    {TESTS_RULE(CANCEL_017), POINT_CancelCommand, cancel_user_data, SCENE_HANG},
    {TESTS_RULE(CTX_003), POINT_CreateContext, context_without_kernel_handle, SCENE_PLAIN},
    {TESTS_RULE(CTX_004), POINT_CreateContext, two_engines, SCENE_PLAIN},
    {TESTS_RULE(CTX_005), POINT_CreateContext, system_context_elsewhere, SCENE_PLAIN},
    {TESTS_RULE(CTX_006), POINT_CreateContext, virtual_addressing, SCENE_PLAIN},
    {TESTS_RULE(CTX_018), POINT_CreateDevice, device_without_kernel_handle, SCENE_PLAIN},
    {TESTS_RULE(ALLOC_021), POINT_CloseAllocation, closes_unknown_opening, SCENE_PLAIN},
    {TESTS_RULE(GEN_005), POINT_Render, dead_handle, SCENE_PLAIN},
    {TESTS_RULE(PRES_007), POINT_Present, dead_handle, SCENE_PLAIN},
    {TESTS_RULE(ALLOC_022), POINT_DestroyAllocation, destroys_unknown_allocation, SCENE_PLAIN},
    {TESTS_RULE(PAGE_008), POINT_BuildPagingBuffer, buffer_not_where_it_stopped, SCENE_PLAIN},
    {TESTS_RULE(PAGE_003), POINT_BuildPagingBuffer, buffer_not_fresh, SCENE_PLAIN},
    {TESTS_RULE(PAGE_013), POINT_BuildPagingBuffer, buffer_size_wrong, SCENE_PLAIN},
    {TESTS_RULE(PAGE_018), POINT_BuildPagingBuffer, private_size_wrong, SCENE_PLAIN},
    {TESTS_RULE(PAGE_019), POINT_BuildPagingBuffer, operation_unknown, SCENE_PLAIN},
    {TESTS_RULE(PAGE_021), POINT_BuildPagingBuffer, multipass_not_0, SCENE_PLAIN},
    {TESTS_RULE(PAGE_023), POINT_BuildPagingBuffer, system_context_unknown, SCENE_WDDM2},
    {TESTS_RULE(XFER_002), POINT_BuildPagingBuffer, transfer_of_nothing_known, SCENE_PLAIN},
    {TESTS_RULE(XFER_006), POINT_BuildPagingBuffer, transfer_too_long, SCENE_PLAIN},
    {TESTS_RULE(XFER_008), POINT_BuildPagingBuffer, transfer_between_lists, SCENE_PLAIN},
    {TESTS_RULE(XFER_010), POINT_BuildPagingBuffer, transfer_behind_its_list, SCENE_PLAIN},
    {TESTS_RULE(XFER_009), POINT_BuildPagingBuffer, transfer_outside, SCENE_PLAIN},
    {TESTS_RULE(XFER_016), POINT_BuildPagingBuffer, transfer_without_start, SCENE_PLAIN},
    {TESTS_RULE(XFER_018), POINT_BuildPagingBuffer, transfer_reserved, SCENE_PLAIN},
    {TESTS_RULE(FILL_001), POINT_BuildPagingBuffer, fill_of_nothing_known, SCENE_PLAIN},
    {TESTS_RULE(FILL_002), POINT_BuildPagingBuffer, fill_too_long, SCENE_PLAIN},
    {TESTS_RULE(FILL_004), POINT_BuildPagingBuffer, fill_in_system_memory, SCENE_PLAIN},
    {TESTS_RULE(FILL_005), POINT_BuildPagingBuffer, fill_outside, SCENE_PLAIN},
    {TESTS_RULE(MAPAP_003), POINT_BuildPagingBuffer, map_of_nothing_known, SCENE_PLAIN},
    {TESTS_RULE(MAPAP_002), POINT_BuildPagingBuffer, map_of_another_device, SCENE_PLAIN},
    {TESTS_RULE(MAPAP_005), POINT_BuildPagingBuffer, map_in_memory, SCENE_PLAIN},
    {TESTS_RULE(MAPAP_006), POINT_BuildPagingBuffer, map_outside, SCENE_PLAIN},
    {TESTS_RULE(UNMAPAP_001), POINT_BuildPagingBuffer, unmap_of_nothing_known, SCENE_PLAIN},
    {TESTS_RULE(UNMAPAP_002), POINT_BuildPagingBuffer, unmap_not_mapped, SCENE_PLAIN},
    {TESTS_RULE(UNMAPAP_004), POINT_BuildPagingBuffer, unmap_without_dummy, SCENE_PLAIN},
    {TESTS_RULE(RENDER_009), POINT_Render, render_unaligned, SCENE_PLAIN},
    {TESTS_RULE(RENDER_019), POINT_Render, render_multipass, SCENE_PLAIN},
    {TESTS_RULE(RENDER_011), POINT_Render, render_unknown_allocation, SCENE_PLAIN},
    {TESTS_RULE(RENDER_020), POINT_Render, render_buffer_elsewhere, SCENE_PLAIN},
    {TESTS_RULE(PRES_008), POINT_Present, present_unaligned, SCENE_PLAIN},
    {TESTS_RULE(PRES_011), POINT_Present, present_buffer_too_small, SCENE_PLAIN},
    {TESTS_RULE(PRES_013), POINT_Present, present_first_place_used, SCENE_PLAIN},
    {TESTS_RULE(PRES_014), POINT_Present, present_without_source, SCENE_PLAIN},
    {TESTS_RULE(PRES_017), POINT_Present, present_no_such_segment, SCENE_PLAIN},
    {TESTS_RULE(PRES_018), POINT_Present, present_destination_read, SCENE_PLAIN},
    {TESTS_RULE(PRES_019), POINT_Present, present_outside, SCENE_PLAIN},
    {TESTS_RULE(PRES_024), POINT_Present, present_multipass, SCENE_PLAIN},
    {TESTS_RULE(PRES_027), POINT_Present, present_beyond_its_rectangle, SCENE_PLAIN},
    {TESTS_RULE(PRES_032), POINT_Present, present_of_two_kinds, SCENE_PLAIN},
    {TESTS_RULE(PRES_047), POINT_Present, present_reserved, SCENE_PLAIN},
    {TESTS_RULE(PRES_048), POINT_Present, present_buffer_elsewhere, SCENE_PLAIN},
    {TESTS_RULE(PRES_051), POINT_Present, present_counts, SCENE_WDDM2},
    {TESTS_RULE(FLIP_006), POINT_SetVidPnSourceAddress, flip_without_source, SCENE_PLAIN},
    {TESTS_RULE(FLIP_007), POINT_SetVidPnSourceAddress, flip_to_nowhere, SCENE_PLAIN},
    {TESTS_RULE(FLIP_009), POINT_SetVidPnSourceAddress, flip_of_unknown_context, SCENE_PLAIN},
    {TESTS_RULE(FLIP_010), POINT_SetVidPnSourceAddress, flip_of_two_kinds, SCENE_PLAIN},
};

enum { DUTY_COUNT = sizeof duties / sizeof duties[0] };

static const char *module_path;

/* In the child. */
static const struct duty *spoiling;

static void spoil(struct contract_call *call)
{
    if (spoiling && call->point == spoiling->point && spoiling->spoil(call)) {
        spoiling = NULL;
    }
}

static void prepare(void)
{
    /* The run aborts: quietly, and without a core file. */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    if (!freopen("/dev/null", "w", stderr)) {
        _exit(4);
    }
    contract_set_tamper(spoil);
}

static void is_noticed(void **state)
{
    const struct duty *duty = *state;
    const struct runner_setup setup = {
        .module = module_path, .scene = duty->scene, .before = prepare};
    struct runner_result result;
    char wanted[64];

    snprintf(wanted, sizeof wanted, "kernel duty %s:", contract_rule_info(duty->rule)->id);
    spoiling = duty;
    runner_run(&setup, &result);
    bool noticed = result.outcome == RUN_OUTCOME_OWN_FAULT && strstr(result.message, wanted);
    if (!noticed) {
        printf("%s:\n", contract_rule_info(duty->rule)->id);
        runner_print(&result);
    }
    assert_true(noticed);
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[DUTY_COUNT];

    module_path = argc > 1 ? argv[1] : "misbehave.so";
    for (size_t i = 0; i < DUTY_COUNT; i++) {
        tests[i] = (struct CMUnitTest){contract_rule_info(duties[i].rule)->id, is_noticed, NULL,
                                       NULL, (void *)(uintptr_t)&duties[i]};
    }
    if (argc > 2) {
        cmocka_set_test_filter(argv[2]);
    }
    return _cmocka_run_group_tests("kernel duties", tests, DUTY_COUNT, NULL, NULL);
}
