/* The kernel's own duties can be seen to fail: each row spoils one thing that the kernel is about
 * to hand to the driver, or puts a call before it that a wrong kernel would have made: see
 * sequences.h. The run has to end as our own fault, with the row's rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <video.h>

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../drivers/misbehave/scene.h"
#include "contract/contract.h"
#include "contract/tables.h"
#include "contract/tracker.h"
#include "machine/machine.h"
#include "nt/nt.h"
#include "row_filter.h"
#include "runner.h"
#include "seen.h"
#include "sequences.h"

#define FAR (INT64_C(1) << 46)

typedef bool spoil_fn(struct contract_call *call);

struct spoiled {
    const char *rule;
    enum contract_point point;
    spoil_fn *spoil; /* true when it did */
    unsigned scene;
};

/* A function that changes the arguments of the first call for which the condition holds. */
#define SPOIL(name, type, condition, change)              \
    static bool name(struct contract_call *call)          \
    {                                                     \
        type *a = (type *)(uintptr_t)call->arguments;     \
        struct contract_tracker *tracker = call->tracker; \
        (void)a;                                          \
        (void)tracker;                                    \
        if (!(condition)) {                               \
            return false;                                 \
        }                                                 \
        change;                                           \
        return true;                                      \
    }

/* In a spoil: the driver said otherwise about one of its caps. */
#define SAY_CAPS(change)                               \
    ({                                                 \
        DXGK_DRIVERCAPS *caps = &(DXGK_DRIVERCAPS){0}; \
        *caps = tracker->caps;                         \
        change;                                        \
        say_caps(call, caps);                          \
    })

/* ---- SubmitCommand ------------------------------------------------------------------------- */

#define SUBMIT(name, condition, change) SPOIL(name, DXGKARG_SUBMITCOMMAND, condition, change)
#define RENDERS                         (!a->Flags.Paging)
#define NODE                            (tracker->nodes[a->NodeOrdinal])

SUBMIT(submit_passive, true, call->irql = 0)
SUBMIT(submit_other_fence, RENDERS, a->SubmissionFenceId++)
SUBMIT(submit_no_device, RENDERS, a->hDevice = NOBODY)
SUBMIT(submit_null, RENDERS, a->hContext = NULL)
SUBMIT(submit_paging_of_nobody, a->Flags.Paging, a->hContext = NULL)
/* Not what the driver used: nothing, or as much as there is. */
SUBMIT(submit_private_left_out, RENDERS && a->DmaBufferPrivateDataSubmissionEndOffset > 0,
       a->DmaBufferPrivateDataSubmissionEndOffset = 0)
SUBMIT(paging_private_as_a_whole,
       a->Flags.Paging && a->DmaBufferPrivateDataSubmissionEndOffset < a->DmaBufferPrivateDataSize,
       a->DmaBufferPrivateDataSubmissionEndOffset = a->DmaBufferPrivateDataSize)
SUBMIT(submit_no_context, RENDERS, a->hContext = NOBODY)
SUBMIT(submit_other_segment, RENDERS, a->DmaBufferSegmentId = 31)
SUBMIT(submit_no_segment, RENDERS && a->DmaBufferSegmentId != 0, a->DmaBufferSegmentId = 0)
SUBMIT(submit_outside, true, a->DmaBufferPhysicalAddress.QuadPart = FAR)
SUBMIT(submit_elsewhere, RENDERS, a->DmaBufferPhysicalAddress.QuadPart += 4096)
SUBMIT(submit_too_long, true, a->DmaBufferSubmissionEndOffset = a->DmaBufferSize + 1)
SUBMIT(submit_other_range, RENDERS,
       a->DmaBufferSubmissionStartOffset = a->DmaBufferSubmissionEndOffset)
SUBMIT(submit_other_private, RENDERS,
       a->pDmaBufferPrivateData = (char *)a->pDmaBufferPrivateData + 8)
SUBMIT(submit_private_of_nothing, a->Flags.Paging && a->pDmaBufferPrivateData,
       a->DmaBufferPrivateDataSize = 0)
SUBMIT(submit_fence_of_nobody, a->Flags.Paging, a->SubmissionFenceId = 0)
SUBMIT(submit_private_backwards, RENDERS,
       a->DmaBufferPrivateDataSubmissionStartOffset = a->DmaBufferPrivateDataSubmissionEndOffset +
                                                      1)
SUBMIT(submit_private_later, RENDERS && a->DmaBufferPrivateDataSubmissionEndOffset,
       a->DmaBufferPrivateDataSubmissionStartOffset = a->DmaBufferPrivateDataSubmissionEndOffset)
SUBMIT(submit_private_too_long, true,
       a->DmaBufferPrivateDataSubmissionEndOffset = a->DmaBufferPrivateDataSize + 1)
/* The packet is submitted twice, the second time without commands: they would need a Patch. */
SUBMIT(submit_old_fence, RENDERS && a->DmaBufferSize,
       (precede_copy(call, STATUS_SUCCESS),
        a->DmaBufferSize = a->DmaBufferSubmissionStartOffset = a->DmaBufferSubmissionEndOffset = 0))
SUBMIT(submit_strange_fence, a->Flags.Paging &&NODE.any_id,
       a->SubmissionFenceId = NODE.last_id - 1000)
SUBMIT(submit_far_fence, a->Flags.Paging &&NODE.any_id,
       a->SubmissionFenceId = NODE.last_id + (1u << 30))
SUBMIT(submit_source, true, a->VidPnSourceId = 3)
SUBMIT(submit_no_flip, a->Flags.Flip,
       (a->Flags.Flip = 0, a->FlipInterval = D3DDDI_FLIPINTERVAL_IMMEDIATE))
SUBMIT(submit_interval, true, a->FlipInterval = (D3DDDI_FLIPINTERVAL_TYPE)1)

SUBMIT(submit_unbuilt, a->Flags.Paging && a->DmaBufferSubmissionEndOffset,
       a->DmaBufferSubmissionEndOffset--)
SUBMIT(submit_as_present, RENDERS && !a->Flags.Present, a->Flags.Present = 1)
SUBMIT(submit_redirected, RENDERS && a->Flags.Present, a->Flags.RedirectedPresent = 1)
SUBMIT(submit_switch, RENDERS, a->Flags.ContextSwitch = 1)
SUBMIT(submit_again, true, a->Flags.Resubmission = 1)
SUBMIT(submit_null_rendering, RENDERS, a->Flags.NullRendering ^= 1)
SUBMIT(submit_virtual_machine, true, a->Flags.VirtualMachineData = 1)
SUBMIT(submit_engine, true, a->EngineOrdinal = 1)
SUBMIT(submit_virtual, true, a->DmaBufferVirtualAddress = 4096)
SUBMIT(submit_no_node, a->Flags.Paging, a->NodeOrdinal = 63)
SUBMIT(submit_in_reset, RENDERS, precede(call, POINT_ResetFromTimeout, NULL, 0))

SUBMIT(adapter_is_another, true, call->first = NOBODY)

/* ---- PreemptCommand, QueryCurrentFence, CancelCommand ----------------------------------- */

#define PREEMPT(name, change) SPOIL(name, DXGKARG_PREEMPTCOMMAND, true, change)
PREEMPT(preempt_passive, call->irql = 0)
PREEMPT(preempt_dispatch, call->irql = MACHINE_IRQL_DISPATCH)
PREEMPT(preempt_old_id, a->PreemptionFenceId = NODE.last_id)
PREEMPT(preempt_engine, a->EngineOrdinal = 1)
PREEMPT(preempt_flag, a->Flags.Value = 1)

SPOIL(query_high, DXGKARG_QUERYCURRENTFENCE, true, call->irql = MACHINE_IRQL_DISPATCH)
SPOIL(query_engine, DXGKARG_QUERYCURRENTFENCE, true, a->EngineOrdinal = 1)

SPOIL(reset_engine_node, DXGKARG_RESETENGINE, true, a->NodeOrdinal = 63)
SPOIL(reset_engine_engine, DXGKARG_RESETENGINE, true, a->EngineOrdinal = 1)
SPOIL(engine_status_node, DXGKARG_QUERYENGINESTATUS, true, a->NodeOrdinal = 63)
SPOIL(engine_group_node, DXGKARG_QUERYDEPENDENTENGINEGROUP, true, a->NodeOrdinal = 63)

#define CANCEL(name, condition, change) SPOIL(name, DXGKARG_CANCELCOMMAND, condition, change)
CANCEL(cancel_unaware, true, SAY_CAPS(caps->SchedulingCaps.CancelCommandAware = 0))
CANCEL(cancel_no_context, true, a->hContext = NOBODY)
CANCEL(cancel_inside, true, a->pDmaBuffer = (char *)a->pDmaBuffer + 8)
CANCEL(cancel_shorter, true, a->DmaBufferSize -= 4)
CANCEL(cancel_too_much, true, a->DmaBufferSubmissionEndOffset = a->DmaBufferSize + 1)
CANCEL(cancel_other_private, true, a->pDmaBufferPrivateData = (char *)a->pDmaBufferPrivateData + 8)
CANCEL(cancel_private_too_much, true,
       a->DmaBufferPrivateDataSubmissionEndOffset = a->DmaBufferPrivateDataSize + 1)
CANCEL(cancel_dead_allocation, a->AllocationListSize,
       ((DXGK_ALLOCATIONLIST *)(uintptr_t)a->pAllocationList)[0].hDeviceSpecificAllocation = NOBODY)
CANCEL(cancel_fewer_allocations, a->AllocationListSize, a->AllocationListSize--)
CANCEL(cancel_more_patches, true, a->PatchLocationListSize++)
CANCEL(cancel_window, true, a->PatchLocationListSubmissionLength = a->PatchLocationListSize + 1)
CANCEL(cancel_virtual, true, a->DmaBufferVirtualAddress = 4096)
CANCEL(cancel_user_data, true, a->DmaBufferUmdPrivateDataSize = a->DmaBufferPrivateDataSize + 1)

/* ---- Patch ----------------------------------------------------------------------------------- */

#define PATCH(name, condition, change) SPOIL(name, DXGKARG_PATCH, condition, change)

/* Takes away the place of what the patch list names first. */
static bool patch_homeless(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = call->arguments;

    if (patch->PatchLocationListSubmissionLength == 0) {
        return false;
    }
    UINT index = patch->pPatchLocationList[patch->PatchLocationListSubmissionStart].AllocationIndex;
    DXGK_ALLOCATIONLIST *element =
        &((DXGK_ALLOCATIONLIST *)(uintptr_t)patch->pAllocationList)[index];
    element->SegmentId = 0;
    element->PhysicalAddress.QuadPart = 0;
    return true;
}

PATCH(patch_high, true, call->irql = MACHINE_IRQL_DISPATCH)
PATCH(patch_no_context, true, a->hContext = NOBODY)
PATCH(patch_shorter, true, a->DmaBufferSize -= 4)
PATCH(patch_too_much, true, a->DmaBufferSubmissionEndOffset = a->DmaBufferSize)
PATCH(patch_private, true, a->DmaBufferPrivateDataSubmissionStartOffset = 1)
PATCH(patch_fewer, a->AllocationListSize, a->AllocationListSize--)
PATCH(patch_window, true, a->PatchLocationListSubmissionLength = a->PatchLocationListSize + 1)
PATCH(patch_present, true, a->Flags.Present ^= 1)
PATCH(patch_engine, true, a->EngineOrdinal = 1)

static bool patch_old_fence(struct contract_call *call)
{
    DXGKARG_PATCH *patch = call->arguments;
    const struct contract_object *context = contract_context_find(call->tracker, patch->hContext);

    if (!context || !call->tracker->nodes[context->node].any_id) {
        return false;
    }
    patch->SubmissionFenceId = call->tracker->nodes[context->node].last_id;
    return true;
}

/* ---- BuildPagingBuffer ----------------------------------------------------------------------- */

#define PAGING(name, condition, change) SPOIL(name, DXGKARG_BUILDPAGINGBUFFER, condition, change)
#define CONTINUES                                                     \
    (tracker->paging.open && a->pDmaBuffer == tracker->paging.next && \
     a->DmaSize < call->tracker->paging_buffer_size)
#define FRESH          (a->DmaSize == call->tracker->paging_buffer_size && !tracker->paging.repeat)
#define BYTES(pointer) ((unsigned char *)(pointer))

PAGING(paging_high, true, call->irql = MACHINE_IRQL_DISPATCH)
PAGING(paging_gap, CONTINUES, a->pDmaBuffer = BYTES(a->pDmaBuffer) + 64)
PAGING(paging_other_repeat, tracker->paging.repeat, a->Operation = DXGK_OPERATION_READ_PHYSICAL)
PAGING(paging_not_idle_after_busy,
       a->Operation == DXGK_OPERATION_TRANSFER && a->Transfer.TransferSize,
       (a->Transfer.Flags.AllocationIsIdle = 0,
        precede_copy(call, STATUS_GRAPHICS_ALLOCATION_BUSY)))
PAGING(paging_unaligned, FRESH, a->pDmaBuffer = BYTES(a->pDmaBuffer) + 64)
PAGING(paging_no_buffer, true, a->pDmaBuffer = NULL)
PAGING(paging_less, CONTINUES, a->DmaSize -= 4)
PAGING(paging_dirty,
       FRESH && !(tracker->paging.open && a->pDmaBuffer == tracker->paging.next) &&
           a->DmaBufferPrivateDataSize,
       BYTES(a->pDmaBufferPrivateData)[0] = 1)
PAGING(paging_private_of_nothing, FRESH && !CONTINUES && a->pDmaBufferPrivateData,
       a->DmaBufferPrivateDataSize = 0)
PAGING(paging_less_private, a->DmaBufferPrivateDataSize, a->DmaBufferPrivateDataSize--)
PAGING(paging_unknown, true, a->Operation = DXGK_OPERATION_READ_PHYSICAL)
PAGING(paging_multipass, true, a->MultipassOffset += 7)
PAGING(paging_context, true, a->hSystemContext = NOBODY)
PAGING(paging_virtual, true, a->DmaBufferGpuVirtualAddress = 4096)
PAGING(paging_offset, true, a->DmaBufferWriteOffset += 4)

PAGING(read_elsewhere, a->Operation == DXGK_OPERATION_READ_PHYSICAL,
       a->ReadPhysical.PhysicalAddress.QuadPart += 1ll << 30)
PAGING(write_to_memory, a->Operation == DXGK_OPERATION_WRITE_PHYSICAL,
       a->WritePhysical.SegmentId = 1)

#define TRANSFER(name, condition, change)                                                      \
    PAGING(name,                                                                               \
           a->Operation == DXGK_OPERATION_TRANSFER && a->Transfer.TransferSize && (condition), \
           change)
#define IS_MEMORY(segment) ((segment) && !call->tracker->segments[segment].flags.Aperture)
#define FROM_MEMORY        IS_MEMORY(a->Transfer.Source.SegmentId)
#define TO_MEMORY          IS_MEMORY(a->Transfer.Destination.SegmentId)

PAGING(transfer_virtual, a->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER,
       (memset(&a->Transfer, 0, sizeof a->Transfer), a->Operation = DXGK_OPERATION_TRANSFER))
TRANSFER(transfer_handle, true, a->Transfer.hAllocation = NOBODY)
TRANSFER(transfer_moved, tracker->paging.repeat, a->Transfer.TransferOffset += 4096)
TRANSFER(transfer_odd, true, a->Transfer.TransferSize -= 1)
TRANSFER(transfer_empty, true, a->Transfer.TransferSize = 0)
TRANSFER(transfer_no_segment, true, a->Transfer.Source.SegmentId = 31)
TRANSFER(transfer_onto_itself, FROM_MEMORY,
         (a->Transfer.Destination.SegmentId = a->Transfer.Source.SegmentId,
          a->Transfer.Destination.SegmentAddress.QuadPart =
              a->Transfer.Source.SegmentAddress.QuadPart + 4))
TRANSFER(transfer_other_place, FROM_MEMORY, a->Transfer.Source.SegmentAddress.QuadPart += 4096)
TRANSFER(transfer_no_pages, true, a->Transfer.MdlOffset = 1u << 20)
TRANSFER(transfer_no_start, a->Transfer.Flags.TransferStart && !tracker->paging.repeat,
         a->Transfer.Flags.TransferStart = 0)
TRANSFER(transfer_reserved, true, a->Transfer.Flags.Reserved = 1)
TRANSFER(transfer_part,
         a->Transfer.Flags.TransferEnd && a->Transfer.TransferSize > 4096 &&
             !tracker->paging.repeat,
         a->Transfer.TransferSize -= 4096)
TRANSFER(transfer_unaligned, TO_MEMORY, a->Transfer.Destination.SegmentAddress.QuadPart += 512)

#define FILL(name, change) PAGING(name, a->Operation == DXGK_OPERATION_FILL, change)
FILL(fill_handle, a->Fill.hAllocation = NOBODY)
FILL(fill_nothing, a->Fill.FillSize = 0)
FILL(fill_part_of_word, a->Fill.FillSize -= 2)
FILL(fill_no_segment, a->Fill.Destination.SegmentId = 0)
FILL(fill_far, a->Fill.Destination.SegmentAddress.QuadPart = FAR)
/* A transfer out becomes a discard of the same allocation. */
static bool discard(struct contract_call *call, HANDLE handle, UINT segment, LONGLONG move)
{
    DXGKARG_BUILDPAGINGBUFFER *a = call->arguments;

    if (a->Operation != DXGK_OPERATION_TRANSFER || !FROM_MEMORY || call->tracker->paging.repeat) {
        return false;
    }
    HANDLE allocation = handle ? handle : a->Transfer.hAllocation;
    LONGLONG address = a->Transfer.Source.SegmentAddress.QuadPart + move;
    UINT from = segment ? segment : a->Transfer.Source.SegmentId;
    a->Operation = DXGK_OPERATION_DISCARD_CONTENT;
    a->DiscardContent.hAllocation = allocation;
    a->DiscardContent.Flags.Value = 0;
    a->DiscardContent.SegmentId = from;
    a->DiscardContent.SegmentAddress.QuadPart = address;
    return true;
}

static bool discard_nowhere(struct contract_call *call)
{
    return discard(call, NULL, 31, 0);
}

static bool discard_nobody(struct contract_call *call)
{
    return discard(call, NOBODY, 0, 0);
}

static bool discard_elsewhere(struct contract_call *call)
{
    return discard(call, NULL, 0, 4096);
}

#define MAPPING(name, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT, change)
#define UNMAPPING(name, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT, change)
MAPPING(map_device, a->MapApertureSegment.hDevice = NOBODY)
MAPPING(map_allocation, a->MapApertureSegment.hAllocation = NOBODY)
MAPPING(map_memory, a->MapApertureSegment.SegmentId = 1)
MAPPING(map_nothing, a->MapApertureSegment.NumberOfPages = 0)
MAPPING(map_coherent, (say_segments(call), a->MapApertureSegment.Flags.CacheCoherent = 1))
#define LISTING(name, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2, change)
LISTING(list_device, a->MapApertureSegment2.hDevice = NOBODY)
LISTING(list_allocation, a->MapApertureSegment2.hAllocation = NOBODY)
LISTING(list_memory, a->MapApertureSegment2.SegmentId = 1)
LISTING(list_far, a->MapApertureSegment2.OffsetInPages += 1u << 24)
LISTING(list_short, a->MapApertureSegment2.AdlOffset = 1)
LISTING(list_view, a->MapApertureSegment2.CpuVisibleAddress = a)
PAGING(list_not_asked_for, a->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT,
       (a->Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT2,
        memset(&a->MapApertureSegment2, 0, sizeof a->MapApertureSegment2)))
UNMAPPING(unmap_allocation, a->UnmapApertureSegment.hAllocation = NOBODY)
UNMAPPING(unmap_free, a->UnmapApertureSegment.OffsetInPages += 1u << 24)
UNMAPPING(unmap_no_dummy, a->UnmapApertureSegment.DummyPage.QuadPart = 1)

#define INITIALISING(name, condition, change) \
    SPOIL(name, DXGKARG_BUILDPAGINGBUFFER,    \
          a->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE && (condition), change)
static HANDLE first_memory;
INITIALISING(init_client_memory, true, a->InitContextResource.hAllocation = NOBODY)
static void init_again(DXGKARG_BUILDPAGINGBUFFER *a)
{
    DXGKARG_BUILDPAGINGBUFFER init = *a;

    init.Operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE;
    memset(&init.InitContextResource, 0, sizeof init.InitContextResource);
    init.InitContextResource.hAllocation = first_memory;
    init.InitContextResource.Destination.SegmentId = a->Fill.Destination.SegmentId;
    init.InitContextResource.Destination.SegmentAddress = a->Fill.Destination.SegmentAddress;
    *a = init;
}
static bool remember_memory(const DXGKARG_BUILDPAGINGBUFFER *a)
{
    if (a->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE) {
        first_memory = a->InitContextResource.hAllocation;
    }
    return first_memory && a->Operation == DXGK_OPERATION_FILL;
}
SPOIL(init_twice, DXGKARG_BUILDPAGINGBUFFER, remember_memory(a), init_again(a))
INITIALISING(init_nowhere, true,
             (a->InitContextResource.Destination.SegmentId = 0,
              a->InitContextResource.Destination.pMdl = NULL))
INITIALISING(init_without_address, true, a->InitContextResource.Destination.VirtualAddress = NULL)

/* ---- Render, Present, flips ------------------------------------------------------------------ */

#include "duty_doorbells.h"
#include "duty_features.h"
#include "duty_fences.h"
#include "duty_gdi.h"
#include "duty_host.h"
#include "duty_mmus.h"
#include "duty_notices.h"
#include "duty_overlays.h"
#include "duty_power.h"
#include "duty_presents.h"
#include "duty_queues.h"
#include "duty_ranges.h"
#include "duty_screens.h"
#include "duty_tables.h"

#define RENDER(name, condition, change) SPOIL(name, DXGKARG_RENDER, condition, change)
#define CONTEXT                         (contract_context_find(tracker, call->first))
RENDER(render_high, true, call->irql = MACHINE_IRQL_DISPATCH)
RENDER(render_no_context, true, call->first = NOBODY)

RENDER(render_no_commands, true, a->pCommand = NULL)
RENDER(render_small, true, a->DmaSize -= 4)
RENDER(render_small_private, a->DmaBufferPrivateDataSize, a->DmaBufferPrivateDataSize--)
RENDER(render_dirty, a->DmaBufferPrivateDataSize, BYTES(a->pDmaBufferPrivateData)[0] = 1)
RENDER(render_short_list, a->PatchLocationListOutSize, a->PatchLocationListOutSize--)
RENDER(render_dead_allocation, a->AllocationListSize,
       a->pAllocationList[0].hDeviceSpecificAllocation = NOBODY)
RENDER(render_reserved, a->AllocationListSize, a->pAllocationList[0].Reserved = 1)
RENDER(render_multipass, true, a->MultipassOffset += 5)
RENDER(render_far, true, a->DmaBufferPhysicalAddress.QuadPart = FAR)
RENDER(render_stopped, true, precede(call, POINT_StopDevice, NULL, 0))

#define FLIPPING(name, condition, change) \
    SPOIL(name, DXGKARG_SETVIDPNSOURCEADDRESS, condition, change)
FLIPPING(flip_passive, !a->Flags.ModeChange, call->irql = 0)
FLIPPING(flip_no_source, true, a->VidPnSourceId = 15)
FLIPPING(flip_far, true, a->PrimaryAddress.QuadPart = FAR)
FLIPPING(flip_no_context, a->ContextCount, a->Context[0] = NOBODY)
FLIPPING(flip_stereo_mono, !a->Flags.ModeChange,
         a->Flags.FlipStereo = a->Flags.FlipStereoTemporaryMono = 1)
FLIPPING(flip_two_kinds, true, a->Flags.FlipImmediate = a->Flags.FlipOnNextVSync = 1)

/* ---- Objects --------------------------------------------------------------------------------- */

SPOIL(device_unnamed, DXGKARG_CREATEDEVICE, true, a->hDevice = NULL)

#define CREATES(name, condition, change) SPOIL(name, DXGKARG_CREATECONTEXT, condition, change)
CREATES(context_high, true, call->irql = MACHINE_IRQL_DISPATCH)
CREATES(context_unnamed, true, a->hContext = NULL)
CREATES(context_engines, true, a->EngineAffinity = 3)
CREATES(context_of_system, a->NodeOrdinal == 0, a->Flags.SystemContext = 1)
CREATES(context_virtual, true, a->Flags.VirtualAddressing = 1)
CREATES(context_queues, true, a->Flags.HwQueueSupported = 1)

SPOIL(resource_unknown, DXGKARG_CREATEALLOCATION, true, a->hResource = NOBODY)
SPOIL(open_nothing, DXGKARG_OPENALLOCATION, true, a->pOpenAllocation[0].hAllocation = 0)
SPOIL(close_nobody, DXGKARG_CLOSEALLOCATION, true,
      *(HANDLE *)(uintptr_t)&a->pOpenHandleList[0] = NOBODY)
SPOIL(destroy_nobody, DXGKARG_DESTROYALLOCATION, true,
      *(HANDLE *)(uintptr_t)&a->pAllocationList[0] = NOBODY)

/* ---- Calls and adapters ---------------------------------------------------------------------- */

/* Somebody else is in the driver. That is in no argument: who is inside, the tracker sees by the
 * tasks that call, and this one may not switch to another. */
static bool meets(struct contract_call *call, enum contract_level level)
{
    static char somebody;
    struct contract_tracker *tracker = call->tracker;

    tracker->inside[tracker->inside_end++] = (struct contract_inside){
        .task = (const struct task *)(void *)&somebody,
        .process = level == CONTRACT_LEVEL_LEVEL_0 ? nt_process_current() : NULL,
        .point = POINT_Escape,
        .level = level,
        .depth = 1,
    };
    return true;
}

static bool meets_a_scheduler(struct contract_call *call)
{
    return meets(call, CONTRACT_LEVEL_SCHEDULER);
}

static bool meets_a_child(struct contract_call *call)
{
    return meets(call, CONTRACT_LEVEL_CHILD);
}

static bool meets_its_process(struct contract_call *call)
{
    return nt_process_current() && meets(call, CONTRACT_LEVEL_LEVEL_0);
}

static bool meets_level_two(struct contract_call *call)
{
    return meets(call, CONTRACT_LEVEL_LEVEL_2);
}

static bool meets_level_three(struct contract_call *call)
{
    return meets(call, CONTRACT_LEVEL_LEVEL_3);
}

static bool meets_anybody(struct contract_call *call)
{
    return meets(call, CONTRACT_LEVEL_LEVEL_0);
}

SPOIL(released_before, void, true,
      precede(call, POINT_StopDeviceAndReleasePostDisplayOwnership, NULL, 0))
SPOIL(removal_unsupported, void, true,
      SAY_CAPS((caps->SupportSurpriseRemoval = 0, caps->SupportSurpriseRemovalInHibernation = 0)))
SPOIL(counted_twice, DXGKARG_QUERYADAPTERINFO,
      a->Type == DXGKQAITYPE_QUERYSEGMENT3 &&
          !((DXGK_QUERYSEGMENTOUT3 *)a->pOutputData)->pSegmentDescriptor,
      (((DXGK_QUERYSEGMENTOUT3 *)a->pOutputData)->NbSegment = 2,
       precede_copy(call, STATUS_SUCCESS)))
SPOIL(event_without_argument, struct contract_event, a->argument, a->argument = NULL)
SPOIL(event_of_another_type, struct contract_event, a->type == DxgkDockingEvent,
      a->number = ACPI_NOTIFY_VIDEO_WAKEUP)
SPOIL(container_without_default, DXGK_CHILD_CONTAINER_ID, true,
      memset(&a->ContainerId, 0, sizeof a->ContainerId))
SPOIL(container_of_another, DXGK_CHILD_CONTAINER_ID, true, a->EldInfo.ProductCode ^= 1)
SPOIL(no_reason, DXGKARG_COLLECTDBGINFO, true, a->Reason = 1)
SPOIL(no_extension, DXGKARG_COLLECTDBGINFO, true, a->pExtension = NULL)
SPOIL(restarted_twice, void, true, precede(call, POINT_RestartFromTimeout, NULL, 0))

#define TESTS_RULE(rule, point, spoil, scene) \
    {                                         \
#rule, POINT_##point, spoil, scene    \
    }
static const struct spoiled rows[] = {
    TESTS_RULE(SUBMIT_001, SubmitCommand, submit_passive, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_005, SubmitCommand, meets_a_scheduler, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_007, Patch, patch_homeless, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_008, SubmitCommand, submit_other_fence, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_009, SubmitCommand, submit_no_device, SCENE_VISTA),
    TESTS_RULE(SUBMIT_010, SubmitCommand, submit_null, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_010, SubmitCommand, submit_paging_of_nobody, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_011, SubmitCommand, submit_no_context, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_014, SubmitCommand, submit_other_segment, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_015, SubmitCommand, submit_no_segment, SCENE_APERTURE_DMA),
    TESTS_RULE(SUBMIT_016, SubmitCommand, submit_outside, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_017, SubmitCommand, submit_elsewhere, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_018, SubmitCommand, submit_too_long, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_020, SubmitCommand, submit_other_range, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_022, SubmitCommand, submit_other_private, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_022, SubmitCommand, submit_private_of_nothing, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_023, Render, render_dirty, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_023, Present, present_dirty, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_025, SubmitCommand, submit_private_backwards, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_027, SubmitCommand, submit_private_later, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_028, SubmitCommand, submit_private_too_long, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_028, SubmitCommand, submit_private_left_out, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_028, SubmitCommand, paging_private_as_a_whole, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_029, SubmitCommand, submit_old_fence, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_029, SubmitCommand, submit_fence_of_nobody, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_030, SubmitCommand, submit_strange_fence, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_033, SubmitCommand, submit_source, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_034, SubmitCommand, submit_interval, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_035, SubmitCommand, submit_unknown_buffer, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_036, SubmitCommand, submit_as_present, SCENE_PLAIN),
    TESTS_RULE(PRES_055, SubmitCommand, submit_no_flip, SCENE_VISTA),
    TESTS_RULE(SUBMIT_037, SubmitCommand, submit_redirected, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_041, SubmitCommand, submit_switch, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_043, SubmitCommand, submit_again, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_046, SubmitCommand, submit_virtual_machine, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_047, SubmitCommand, submit_engine, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_048, SubmitCommand, submit_virtual, SCENE_PLAIN),
    TESTS_RULE(SUBMIT_049, SubmitCommand, submit_no_node, SCENE_PLAIN),
    TESTS_RULE(PREEMPT_001, PreemptCommand, preempt_passive, SCENE_PREEMPT),
    TESTS_RULE(PREEMPT_001, PreemptCommand, preempt_dispatch, SCENE_PREEMPT | SCENE_VIRTUAL),
    TESTS_RULE(PREEMPT_005, PreemptCommand, preempt_old_id, SCENE_PREEMPT),
    TESTS_RULE(PREEMPT_006, PreemptCommand, preempt_engine, SCENE_PREEMPT),
    TESTS_RULE(PREEMPT_007, PreemptCommand, preempt_flag, SCENE_PREEMPT),
    TESTS_RULE(PREEMPT_010, SubmitCommand, submit_in_preemption, SCENE_PLAIN),
    TESTS_RULE(QFENCE_001, QueryCurrentFence, query_high, SCENE_HANG),
    TESTS_RULE(QFENCE_004, QueryCurrentFence, query_engine, SCENE_HANG),
    POWER_ROWS,
    TESTS_RULE(ENGRST_009, ResetEngine, reset_engine_node, SCENE_ENGINES | SCENE_HANG),
    TESTS_RULE(ENGRST_009, ResetEngine, reset_engine_engine, SCENE_ENGINES | SCENE_HANG),
    TESTS_RULE(ENGRST_009, QueryEngineStatus, engine_status_node, SCENE_ENGINES | SCENE_HANG),
    TESTS_RULE(ENGRST_009, QueryDependentEngineGroup, engine_group_node,
               SCENE_ENGINES | SCENE_HANG),
    TESTS_RULE(CANCEL_001, CancelCommand, cancel_unaware, SCENE_HANG),
    TESTS_RULE(CANCEL_006, CancelCommand, cancel_no_context, SCENE_HANG),
    TESTS_RULE(CANCEL_007, CancelCommand, cancel_inside, SCENE_HANG),
    TESTS_RULE(CANCEL_009, CancelCommand, cancel_shorter, SCENE_HANG),
    TESTS_RULE(CANCEL_010, CancelCommand, cancel_too_much, SCENE_HANG),
    TESTS_RULE(CANCEL_011, CancelCommand, cancel_other_private, SCENE_HANG),
    TESTS_RULE(CANCEL_012, CancelCommand, cancel_private_too_much, SCENE_HANG),
    TESTS_RULE(CANCEL_013, CancelCommand, cancel_dead_allocation, SCENE_HANG),
    TESTS_RULE(CANCEL_013, CancelCommand, cancel_fewer_allocations, SCENE_HANG),
    TESTS_RULE(CANCEL_014, CancelCommand, cancel_more_patches, SCENE_HANG),
    TESTS_RULE(CANCEL_015, CancelCommand, cancel_window, SCENE_HANG),
    TESTS_RULE(CANCEL_016, CancelCommand, cancel_virtual, SCENE_HANG),
    TESTS_RULE(CANCEL_017, CancelCommand, cancel_user_data, SCENE_HANG),
    TESTS_RULE(PATCH_001, Patch, patch_high, SCENE_PLAIN),
    TESTS_RULE(PATCH_006, Patch, patch_no_context, SCENE_PLAIN),
    TESTS_RULE(PATCH_007, Patch, patch_shorter, SCENE_PLAIN),
    TESTS_RULE(PATCH_008, Patch, patch_too_much, SCENE_PLAIN),
    TESTS_RULE(PATCH_009, Patch, patch_private, SCENE_PLAIN),
    TESTS_RULE(PATCH_010, Patch, patch_fewer, SCENE_PLAIN),
    TESTS_RULE(PATCH_011, Patch, patch_window, SCENE_PLAIN),
    TESTS_RULE(PATCH_012, Patch, patch_old_fence, SCENE_PLAIN),
    TESTS_RULE(PATCH_013, Patch, patch_present, SCENE_PLAIN),
    TESTS_RULE(PATCH_013, SubmitCommand, submit_null_rendering, SCENE_PLAIN),
    TESTS_RULE(PATCH_014, Patch, patch_engine, SCENE_PLAIN),
    TABLE_ROWS,
    NOTICE_ROWS,
    OVERLAY_ROWS,
    FENCE_ROWS,
    DOORBELL_ROWS,
    MMU_ROWS,
    QUEUE_ROWS,
    GDI_ROWS,
    FEATURE_ROWS,
    TESTS_RULE(PAGE_001, BuildPagingBuffer, paging_high, SCENE_PLAIN),
    TESTS_RULE(PAGE_003, BuildPagingBuffer, paging_gap, SCENE_PLAIN),
    TESTS_RULE(PAGE_004, BuildPagingBuffer, paging_other_repeat, SCENE_SMALL_PAGING),
    TESTS_RULE(PAGE_005, BuildPagingBuffer, paging_not_idle_after_busy, SCENE_PLAIN),
    TESTS_RULE(PAGE_008, BuildPagingBuffer, paging_unaligned, SCENE_PLAIN),
    TESTS_RULE(PAGE_011, BuildPagingBuffer, paging_no_buffer, SCENE_PLAIN),
    TESTS_RULE(PAGE_013, BuildPagingBuffer, paging_less, SCENE_PLAIN),
    TESTS_RULE(PAGE_016, BuildPagingBuffer, paging_dirty, SCENE_PLAIN),
    TESTS_RULE(PAGE_016, BuildPagingBuffer, paging_private_of_nothing, SCENE_PLAIN),
    TESTS_RULE(PAGE_018, BuildPagingBuffer, paging_less_private, SCENE_PLAIN),
    TESTS_RULE(PAGE_019, BuildPagingBuffer, paging_unknown, SCENE_PLAIN),
    TESTS_RULE(RDPHYS_002, BuildPagingBuffer, read_elsewhere, SCENE_CHIPSET),
    TESTS_RULE(WRPHYS_002, BuildPagingBuffer, write_to_memory, SCENE_CHIPSET),
    TESTS_RULE(PAGE_021, BuildPagingBuffer, paging_multipass, SCENE_PLAIN),
    TESTS_RULE(PAGE_023, BuildPagingBuffer, paging_context, SCENE_PLAIN),
    TESTS_RULE(PAGE_024, BuildPagingBuffer, paging_virtual, SCENE_PLAIN),
    TESTS_RULE(PAGE_025, BuildPagingBuffer, paging_offset, SCENE_PLAIN),
    TESTS_RULE(PAGE_027, SubmitCommand, submit_unbuilt, SCENE_PLAIN),
    TESTS_RULE(XFER_001, BuildPagingBuffer, transfer_virtual, SCENE_VIRTUAL),
    TESTS_RULE(XFER_002, BuildPagingBuffer, transfer_handle, SCENE_PLAIN),
    TESTS_RULE(XFER_005, BuildPagingBuffer, transfer_moved, SCENE_SMALL_PAGING),
    TESTS_RULE(XFER_006, BuildPagingBuffer, transfer_odd, SCENE_PLAIN),
    TESTS_RULE(XFER_007, BuildPagingBuffer, transfer_empty, SCENE_PLAIN),
    TESTS_RULE(XFER_008, BuildPagingBuffer, transfer_no_segment, SCENE_PLAIN),
    TESTS_RULE(XFER_008, BuildPagingBuffer, transfer_onto_itself, SCENE_PLAIN),
    TESTS_RULE(XFER_009, BuildPagingBuffer, transfer_other_place, SCENE_PLAIN),
    TESTS_RULE(XFER_010, BuildPagingBuffer, transfer_no_pages, SCENE_PLAIN),
    TESTS_RULE(XFER_016, BuildPagingBuffer, transfer_no_start, SCENE_PLAIN),
    TESTS_RULE(XFER_018, BuildPagingBuffer, transfer_reserved, SCENE_PLAIN),
    TESTS_RULE(XFER_019, BuildPagingBuffer, transfer_part, SCENE_PLAIN),
    TESTS_RULE(FILL_001, BuildPagingBuffer, fill_handle, SCENE_PLAIN),
    TESTS_RULE(FILL_002, BuildPagingBuffer, fill_nothing, SCENE_PLAIN),
    TESTS_RULE(FILL_002, BuildPagingBuffer, fill_part_of_word, SCENE_PLAIN),
    TESTS_RULE(FILL_004, BuildPagingBuffer, fill_no_segment, SCENE_PLAIN),
    TESTS_RULE(FILL_005, BuildPagingBuffer, fill_far, SCENE_PLAIN),
    TESTS_RULE(FILL_007, BuildPagingBuffer, fill_twice, SCENE_PLAIN),
    TESTS_RULE(DISC_001, BuildPagingBuffer, discard_nowhere, SCENE_PLAIN),
    TESTS_RULE(DISC_002, BuildPagingBuffer, discard_nobody, SCENE_PLAIN),
    TESTS_RULE(DISC_004, BuildPagingBuffer, discard_elsewhere, SCENE_PLAIN),
    TESTS_RULE(MAPAP_002, BuildPagingBuffer, map_device, SCENE_PLAIN),
    TESTS_RULE(MAPAP_003, BuildPagingBuffer, map_allocation, SCENE_PLAIN),
    TESTS_RULE(MAPAP_005, BuildPagingBuffer, map_memory, SCENE_PLAIN),
    TESTS_RULE(MAPAP_006, BuildPagingBuffer, map_nothing, SCENE_PLAIN),
    TESTS_RULE(MAPAP_009, BuildPagingBuffer, map_coherent, SCENE_PLAIN),
    TESTS_RULE(MAPAP2_001, BuildPagingBuffer, list_not_asked_for, SCENE_PLAIN),
    TESTS_RULE(MAPAP2_002, BuildPagingBuffer, list_device, SCENE_LISTS),
    TESTS_RULE(MAPAP2_002, BuildPagingBuffer, list_allocation, SCENE_LISTS),
    TESTS_RULE(MAPAP2_003, BuildPagingBuffer, list_memory, SCENE_LISTS),
    TESTS_RULE(MAPAP2_003, BuildPagingBuffer, list_far, SCENE_LISTS),
    TESTS_RULE(MAPAP2_003, BuildPagingBuffer, list_short, SCENE_LISTS),
    TESTS_RULE(MAPAP2_009, BuildPagingBuffer, list_view, SCENE_LISTS),
    TESTS_RULE(UNMAPAP_001, BuildPagingBuffer, unmap_allocation, SCENE_PLAIN),
    TESTS_RULE(UNMAPAP_002, BuildPagingBuffer, unmap_free, SCENE_PLAIN),
    TESTS_RULE(UNMAPAP_004, BuildPagingBuffer, unmap_no_dummy, SCENE_PLAIN),
    TESTS_RULE(INITCTX_001, BuildPagingBuffer, init_client_memory, SCENE_STATES),
    TESTS_RULE(INITCTX_002, BuildPagingBuffer, init_twice, SCENE_STATES),
    TESTS_RULE(INITCTX_004, BuildPagingBuffer, init_nowhere, SCENE_STATES),
    TESTS_RULE(INITCTX_005, BuildPagingBuffer, init_without_address, SCENE_STATES | SCENE_WDDM2),
    RANGE_ROWS,
    HOST_ROWS,
    TESTS_RULE(RENDER_001, Render, render_high, SCENE_PLAIN),
    TESTS_RULE(RENDER_007, Render, render_other_repeat, SCENE_PLAIN),
    TESTS_RULE(RENDER_008, Render, render_no_commands, SCENE_PLAIN),
    TESTS_RULE(RENDER_009, Render, render_small, SCENE_PLAIN),
    TESTS_RULE(RENDER_010, Render, render_small_private, SCENE_PLAIN),
    TESTS_RULE(RENDER_011, Render, render_dead_allocation, SCENE_PLAIN),
    TESTS_RULE(RENDER_019, Render, render_multipass, SCENE_PLAIN),
    TESTS_RULE(RENDER_020, Render, render_far, SCENE_PLAIN),
    TESTS_RULE(CTX_010, Render, render_short_list, SCENE_PLAIN),
    TESTS_RULE(PRES_001, Present, present_high, SCENE_PLAIN),
    TESTS_RULE(PRES_003, Present, present_fewer, SCENE_PLAIN),
    TESTS_RULE(PRES_007, Present, present_no_context, SCENE_PLAIN),
    TESTS_RULE(PRES_008, Present, present_unaligned, SCENE_PLAIN),
    TESTS_RULE(PRES_011, Present, present_small, SCENE_PLAIN),
    TESTS_RULE(PRES_012, Present, present_small_private, SCENE_PLAIN),
    TESTS_RULE(PRES_013, Present, present_third, SCENE_PLAIN),
    TESTS_RULE(PRES_014, Present, present_no_source, SCENE_PLAIN),
    TESTS_RULE(PRES_015, Present, present_same, SCENE_PLAIN),
    TESTS_RULE(PRES_015, Present, present_over_itself, SCENE_PLAIN),
    TESTS_RULE(PRES_017, Present, present_no_segment, SCENE_PLAIN),
    TESTS_RULE(PRES_018, Present, present_read_only, SCENE_PLAIN),
    TESTS_RULE(PRES_019, Present, present_far, SCENE_PLAIN),
    TESTS_RULE(PRES_023, Present, present_short_list, SCENE_PLAIN),
    TESTS_RULE(PRES_024, Present, present_multipass, SCENE_PLAIN),
    TESTS_RULE(PRES_027, Present, present_unclipped, SCENE_PLAIN),
    TESTS_RULE(PRES_029, Present, present_others, SCENE_PLAIN),
    TESTS_RULE(PRES_031, Present, present_interval, SCENE_PLAIN),
    TESTS_RULE(PRES_032, Present, present_two_keys, SCENE_PLAIN),
    TESTS_RULE(PRES_037, Present, present_no_wait, SCENE_PLAIN),
    TESTS_RULE(PRES_044, Present, present_stereo, SCENE_PLAIN),
    TESTS_RULE(PRES_044, Present, present_right_fill, SCENE_PLAIN),
    TESTS_RULE(PRES_044, SetVidPnSourceAddress, flip_stereo_mono, SCENE_PLAIN),
    SCREEN_ROWS,
    TESTS_RULE(PRES_045, Present, present_planes, SCENE_PLAIN),
    TESTS_RULE(PRES_046, Present, present_redirected, SCENE_PLAIN),
    TESTS_RULE(PRES_047, Present, present_reserved, SCENE_PLAIN),
    TESTS_RULE(PRES_048, Present, present_dma_far, SCENE_PLAIN),
    TESTS_RULE(PRES_050, Present, present_virtual, SCENE_PLAIN),
    TESTS_RULE(PRES_050, Present, presents_without_address, SCENE_VIRTUAL),
    TESTS_RULE(PRES_013, Present, presents_third, SCENE_VIRTUAL),
    TESTS_RULE(PRES_014, Present, presents_no_source, SCENE_VIRTUAL),
    TESTS_RULE(PRES_017, Present, presents_in_a_segment, SCENE_VIRTUAL),
    TESTS_RULE(PRES_019, Present, presents_nowhere, SCENE_VIRTUAL),
    TESTS_RULE(SUBV_006, SubmitCommandVirtual, present_elsewhere, SCENE_VIRTUAL),
    TESTS_RULE(SUBV_006, SubmitCommandVirtual, present_of_a_client, SCENE_VIRTUAL),
    TESTS_RULE(PRES_051, Present, present_counts, SCENE_PLAIN),
    TESTS_RULE(PRES_052, Present, present_no_data, SCENE_WDDM2),
    TESTS_RULE(FLIP_001, SetVidPnSourceAddress, flip_passive, SCENE_PLAIN),
    TESTS_RULE(FLIP_006, SetVidPnSourceAddress, flip_no_source, SCENE_PLAIN),
    TESTS_RULE(FLIP_007, SetVidPnSourceAddress, flip_far, SCENE_PLAIN),
    TESTS_RULE(FLIP_009, SetVidPnSourceAddress, flip_no_context, SCENE_PLAIN),
    TESTS_RULE(FLIP_010, SetVidPnSourceAddress, flip_two_kinds, SCENE_PLAIN),
    TESTS_RULE(FLIP_014, SetVidPnSourceAddress, flip_too_many, SCENE_PLAIN),
    TESTS_RULE(CTX_001, CreateContext, context_high, SCENE_PLAIN),
    TESTS_RULE(CTX_003, CreateContext, context_unnamed, SCENE_PLAIN),
    TESTS_RULE(CTX_004, CreateContext, context_engines, SCENE_PLAIN),
    TESTS_RULE(CTX_005, CreateContext, context_of_system, SCENE_PLAIN),
    TESTS_RULE(CTX_006, CreateContext, context_virtual, SCENE_PLAIN),
    TESTS_RULE(CTX_008, CreateContext, context_queues, SCENE_PLAIN),
    TESTS_RULE(CTX_016, DestroyContext, context_busy, SCENE_PLAIN),
    TESTS_RULE(CTX_018, CreateDevice, device_unnamed, SCENE_PLAIN),
    TESTS_RULE(CTX_020, DestroyDevice, device_in_use, SCENE_PLAIN),
    TESTS_RULE(ALLOC_005, BuildPagingBuffer, transfer_unaligned, SCENE_PLAIN),
    TESTS_RULE(ALLOC_015, CreateAllocation, resource_unknown, SCENE_PLAIN),
    TESTS_RULE(ALLOC_019, OpenAllocation, open_nothing, SCENE_PLAIN),
    TESTS_RULE(ALLOC_021, CloseAllocation, close_nobody, SCENE_PLAIN),
    TESTS_RULE(ALLOC_022, DestroyAllocation, destroy_nobody, SCENE_PLAIN),
    TESTS_RULE(GEN_001, Render, meets_its_process, SCENE_PLAIN),
    TESTS_RULE(GEN_002, QueryChildStatus, meets_a_child, SCENE_PLAIN),
    TESTS_RULE(GEN_003, Render, meets_level_two, SCENE_PLAIN),
    TESTS_RULE(GEN_004, Patch, meets_level_three, SCENE_PLAIN),
    TESTS_RULE(GEN_005, Render, render_no_context, SCENE_PLAIN),
    TESTS_RULE(GEN_006, Render, render_reserved, SCENE_PLAIN),
    TESTS_RULE(GEN_008, SubmitCommand, submit_far_fence, SCENE_PLAIN),
    TESTS_RULE(INT_023, DpcRoutine, two_dpcs, SCENE_PLAIN),
    TESTS_RULE(PNP_001, SubmitCommand, adapter_is_another, SCENE_PLAIN),
    TESTS_RULE(PNP_004, StartDevice, started_twice, SCENE_PLAIN),
    TESTS_RULE(PNP_004, Render, render_stopped, SCENE_PLAIN),
    TESTS_RULE(PNP_005, StopDevice, released_before, SCENE_PLAIN),
    TESTS_RULE(PNP_009, NotifySurpriseRemoval, removal_unsupported, SCENE_REMOVE),
    TESTS_RULE(CAPS_005, QueryAdapterInfo, counted_twice, SCENE_PLAIN),
    TESTS_RULE(TDR_001, ResetFromTimeout, meets_anybody, SCENE_HANG),
    TESTS_RULE(TDR_005, SubmitCommand, submit_in_reset, SCENE_PLAIN),
    TESTS_RULE(TDR_009, RestartFromTimeout, restarted_twice, SCENE_HANG),
    TESTS_RULE(ACPI_002, NotifyAcpiEvent, event_without_argument, SCENE_PLAIN),
    TESTS_RULE(ACPI_002, NotifyAcpiEvent, event_of_another_type, SCENE_PLAIN),
    TESTS_RULE(CHILD_010, GetChildContainerId, container_without_default, SCENE_PLAIN),
    TESTS_RULE(CHILD_010, GetChildContainerId, container_of_another, SCENE_PLAIN),
    TESTS_RULE(TDR_010, CollectDbgInfo, no_reason, SCENE_HANG),
    TESTS_RULE(TDR_010, CollectDbgInfo, no_extension, SCENE_HANG),
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

static const char *module_path;
static const struct spoiled *chosen;
static bool done;

static void tamper(struct contract_call *call)
{
    if (!done && !sequence_within && call->tracker && call->point == chosen->point) {
        done = chosen->spoil(call);
    }
}

/* In the child, which dies: quietly, and without leaving its memory behind. */
static void begin(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    if (!freopen("/dev/null", "w", stderr)) {
        _exit(4);
    }
    done = false;
    contract_set_tamper(tamper);
}

static void is_seen(void **state)
{
    const struct spoiled *row = *state;
    const struct runner_setup setup = {.module = module_path, .scene = row->scene, .before = begin};
    struct runner_result result;
    char expected[48];

    chosen = row;
    snprintf(expected, sizeof expected, "kernel duty %s:", row->rule);
    for (char *at = expected; *at; at++) {
        *at = *at == '_' ? '-' : *at;
    }
    runner_run(&setup, &result);
    if (result.outcome != RUN_OUTCOME_OWN_FAULT || !strstr(result.message, expected)) {
        runner_print(&result);
    }
    assert_int_equal(result.outcome, RUN_OUTCOME_OWN_FAULT);
    assert_non_null(strstr(result.message, expected));
    seen_rule(row->rule, CONTRACT_KERNEL);
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[ROW_COUNT + 1];
    static char names[ROW_COUNT][64];

    module_path = argc > 1 ? argv[1] : "softgpu.so";
    for (size_t i = 0; i < ROW_COUNT; i++) {
        snprintf(names[i], sizeof names[i], "%s at %s", rows[i].rule,
                 contract_point_info(rows[i].point)->name);
        tests[i] = (struct CMUnitTest){names[i], is_seen, NULL, NULL, (void *)(uintptr_t)&rows[i]};
    }
    tests[ROW_COUNT] = (struct CMUnitTest){"what_was_seen_is_written", seen_is_written, NULL, NULL,
                                           (void *)(uintptr_t) "duties"};
    if (argc > 2 && !row_filter(tests, ROW_COUNT + 1, argv[2])) {
        return 2;
    }
    return _cmocka_run_group_tests("duties", tests, ROW_COUNT + 1, NULL, NULL);
}
