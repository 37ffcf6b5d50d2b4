/* Calls of a wrong kernel, made before the one that is about to be judged. */
#include "sequences.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "contract/tracker.h"
#include "machine/machine.h"

/* ---- Calls that came before ------------------------------------------------------------------ */

#define BEFORE_BYTES 1024

/* A call of a wrong kernel, as far as the judge sees it. */
struct other_call {
    struct contract_call call;
    unsigned char before[BEFORE_BYTES];
};

bool sequence_within;

/* About the adapter of the call; at an IRQL where the judge does not ask who else is inside. */
static void other_begin(struct other_call *other, const struct contract_call *call,
                        enum contract_point point, void *arguments, size_t size)
{
    assert_true(size <= BEFORE_BYTES);
    other->call = (struct contract_call){.tracker = call->tracker,
                                         .point = point,
                                         .arguments = arguments,
                                         .before = size ? other->before : NULL,
                                         .size_bytes = size,
                                         .first = call->tracker->miniport_context,
                                         .object = call->object,
                                         .irql_before = MACHINE_IRQL_DISPATCH};
}

static void other_enter(struct other_call *other)
{
    other->call.irql_after = other->call.irql;
    sequence_within = true;
    contract_before(&other->call);
    sequence_within = false;
}

static void other_leave(struct other_call *other, NTSTATUS answer)
{
    other->call.status = answer;
    sequence_within = true;
    contract_after(&other->call);
    sequence_within = false;
}

/* One at PASSIVE_LEVEL that the driver answered. */
void precede(const struct contract_call *call, enum contract_point point, void *arguments,
             size_t size)
{
    struct other_call other;

    other_begin(&other, call, point, arguments, size);
    other_enter(&other);
    other_leave(&other, STATUS_SUCCESS);
}

void precede_power(const struct contract_call *call, const struct contract_power *asked)
{
    struct other_call other;

    other_begin(&other, call, POINT_SetPowerState, NULL, 0);
    other.call.extra = asked;
    other_enter(&other);
    other_leave(&other, STATUS_SUCCESS);
}

/* The call itself, with these arguments and this answer. */
static void precede_with(const struct contract_call *call, void *arguments, NTSTATUS answer)
{
    struct other_call other = {.call = *call};

    assert_true(call->size_bytes <= BEFORE_BYTES);
    other.call.arguments = arguments;
    other.call.before = other.before;
    other.call.irql_before = MACHINE_IRQL_DISPATCH;
    other_enter(&other);
    other_leave(&other, answer);
}

void precede_copy(const struct contract_call *call, NTSTATUS answer)
{
    _Alignas(16) unsigned char arguments[BEFORE_BYTES];

    assert_true(call->size_bytes <= sizeof arguments);
    if (call->size_bytes > 0) {
        memcpy(arguments, call->arguments, call->size_bytes);
    }
    precede_with(call, arguments, answer);
}

/* The driver says that its caps are these. The answer is where the kernel has place for one, with
 * the canary behind it: this driver writes no further. */
void say_caps(const struct contract_call *call, const DXGK_DRIVERCAPS *caps)
{
    _Alignas(16) unsigned char place[sizeof *caps + CONTRACT_CANARY_BYTES];
    DXGKARG_QUERYADAPTERINFO query = {
        .Type = DXGKQAITYPE_DRIVERCAPS, .pOutputData = place, .OutputDataSize = sizeof *caps};

    memcpy(place, caps, sizeof *caps);
    contract_canary_write(place + sizeof *caps);
    precede(call, POINT_QueryAdapterInfo, &query, sizeof query);
}

void say_segments(const struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    /* Behind each is the canary: this driver writes no further. */
    static DXGK_SEGMENTDESCRIPTOR descriptors[CONTRACT_SEGMENTS_MAX + 2];
    static struct {
        DXGK_QUERYSEGMENTOUT answer;
        unsigned char canary[CONTRACT_CANARY_BYTES];
    } place;
    DXGKARG_QUERYADAPTERINFO query = {.Type = DXGKQAITYPE_QUERYSEGMENT,
                                      .pOutputData = &place.answer,
                                      .OutputDataSize = sizeof place.answer};

    memset(descriptors, 0, sizeof descriptors);
    place.answer = (DXGK_QUERYSEGMENTOUT){
        .NbSegment = tracker->segment_count + 1,
        .PagingBufferSegmentId = tracker->paging_segment,
        .PagingBufferSize = tracker->paging_buffer_size,
        .PagingBufferPrivateDataSize = tracker->paging_private_size,
    };
    contract_canary_write(place.canary);
    contract_canary_write(&descriptors[tracker->segment_count + 1]);
    for (unsigned i = 0; i <= tracker->segment_count; i++) {
        const struct contract_segment *said =
            &tracker->segments[i < tracker->segment_count ? i + 1 : 1];
        descriptors[i].Flags = said->flags;
        descriptors[i].Flags.CacheCoherent = 0;
        descriptors[i].BaseAddress.QuadPart = (LONGLONG)said->base;
        descriptors[i].Size = said->size;
        descriptors[i].CommitLimit = said->commit_limit;
    }
    precede(call, POINT_QueryAdapterInfo, &query, sizeof query); /* how many there are */
    place.answer.pSegmentDescriptor = descriptors;
    precede(call, POINT_QueryAdapterInfo, &query, sizeof query);
}

/* ---- Sequences -------------------------------------------------------------------------------
 */

/* The request gets the id that the packet had, the packet the next one. */
bool submit_in_preemption(struct contract_call *call)
{
    DXGKARG_SUBMITCOMMAND *submit = call->arguments;
    DXGKARG_PREEMPTCOMMAND preempt = {.NodeOrdinal = submit->NodeOrdinal,
                                      .PreemptionFenceId = submit->SubmissionFenceId};
    struct other_call other;

    if (!submit->Flags.Paging) {
        return false;
    }
    other_begin(&other, call, POINT_PreemptCommand, &preempt, sizeof preempt);
    other.call.irql = MACHINE_IRQL_DISPATCH;
    other_enter(&other);
    other_leave(&other, STATUS_SUCCESS);
    submit->SubmissionFenceId++;
    return true;
}

/* What BuildPagingBuffer made is patched as such, and submitted as if Render had made it. */
bool submit_unknown_buffer(struct contract_call *call)
{
    enum { BUFFER_BYTES = 1 << 16, BEHIND_BYTES = 1 << 12 }; /* what follows it is looked at */
    static unsigned char elsewhere[BUFFER_BYTES + BEHIND_BYTES];
    DXGKARG_SUBMITCOMMAND *submit = call->arguments;
    DXGKARG_PATCH patch = {
        .hContext = submit->hContext,
        .DmaBufferSegmentId = submit->DmaBufferSegmentId,
        .DmaBufferPhysicalAddress = submit->DmaBufferPhysicalAddress,
        .pDmaBuffer = elsewhere,
        .DmaBufferSize = submit->DmaBufferSize,
        .DmaBufferSubmissionStartOffset = submit->DmaBufferSubmissionStartOffset,
        .DmaBufferSubmissionEndOffset = submit->DmaBufferSubmissionEndOffset,
        .pDmaBufferPrivateData = submit->pDmaBufferPrivateData,
        .DmaBufferPrivateDataSize = submit->DmaBufferPrivateDataSize,
        .DmaBufferPrivateDataSubmissionStartOffset =
            submit->DmaBufferPrivateDataSubmissionStartOffset,
        .DmaBufferPrivateDataSubmissionEndOffset = submit->DmaBufferPrivateDataSubmissionEndOffset,
        .SubmissionFenceId = submit->SubmissionFenceId,
        .Flags.Paging = 1,
    };

    if (!submit->Flags.Paging || submit->DmaBufferPrivateDataSubmissionStartOffset ||
        submit->DmaBufferSize > BUFFER_BYTES) {
        return false;
    }
    precede(call, POINT_Patch, &patch, sizeof patch);
    submit->Flags.Paging = 0;
    return true;
}

/* It was filled in another segment before. */
bool fill_twice(struct contract_call *call)
{
    DXGKARG_BUILDPAGINGBUFFER other = *(const DXGKARG_BUILDPAGINGBUFFER *)call->arguments;

    if (other.Operation != DXGK_OPERATION_FILL || call->tracker->paging.repeat) {
        return false;
    }
    say_segments(call);
    other.Fill.Destination.SegmentId = call->tracker->segment_count;
    precede_with(call, &other, STATUS_SUCCESS);
    return true;
}

/* The driver answered INSUFFICIENT_DMA_BUFFER to something else. */
bool render_other_repeat(struct contract_call *call)
{
    DXGKARG_RENDER other = *(const DXGKARG_RENDER *)call->arguments;

    other.CommandLength += 4;
    precede_with(call, &other, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
    return true;
}

/* The driver answered INSUFFICIENT_DMA_BUFFER to a list of other rectangles: the first one, so many
 * times as there are now, and `more`. */
static bool present_repeats(struct contract_call *call, UINT more)
{
    static RECT list[64];
    DXGKARG_PRESENT other = *(const DXGKARG_PRESENT *)call->arguments;

    if (!other.Flags.Blt || other.SubRectCnt < 2 || other.SubRectCnt + more > 64) {
        return false;
    }
    for (UINT i = 0; i < other.SubRectCnt + more; i++) {
        list[i] = other.pDstSubRects[0];
    }
    other.pDstSubRects = list;
    other.SubRectCnt += more;
    precede_with(call, &other, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
    return true;
}

bool present_fewer(struct contract_call *call)
{
    return present_repeats(call, 1);
}

bool present_others(struct contract_call *call)
{
    return present_repeats(call, 0);
}

bool flip_too_many(struct contract_call *call)
{
    const DXGKARG_SETVIDPNSOURCEADDRESS *flip = call->arguments;
    UINT depth = call->tracker->caps.MaxQueuedFlipOnVSync;

    if (!flip->Flags.FlipOnNextVSync) {
        return false;
    }
    while (call->tracker->sources[flip->VidPnSourceId].pending_count < (depth ? depth : 1)) {
        precede_copy(call, STATUS_SUCCESS);
    }
    return true;
}

/* Another context of the device was made, and is still there. */
bool device_in_use(struct contract_call *call)
{
    DXGKARG_CREATECONTEXT create = {.hContext = call->first, .EngineAffinity = 1};
    struct other_call other;

    other_begin(&other, call, POINT_CreateContext, &create, sizeof create);
    other.call.first = call->first;
    other_enter(&other);
    create.hContext = NOBODY;
    create.ContextInfo.DmaBufferSize = 4096;
    other_leave(&other, STATUS_SUCCESS);
    return true;
}

/* One packet more was submitted, without commands. */
bool context_busy(struct contract_call *call)
{
    const struct contract_object *context = contract_context_find(call->tracker, call->first);

    if (!context || !context->used_node) {
        return false;
    }
    DXGKARG_SUBMITCOMMAND submit = {
        .hContext = call->first,
        .NodeOrdinal = context->node,
        .SubmissionFenceId = call->tracker->nodes[context->node].last_id + 1,
    };
    struct other_call other;
    other_begin(&other, call, POINT_SubmitCommand, &submit, sizeof submit);
    other.call.irql = MACHINE_IRQL_DISPATCH;
    other_enter(&other);
    other_leave(&other, STATUS_SUCCESS);
    return true;
}

/* A second DPC comes while the first one runs. */
bool two_dpcs(struct contract_call *call)
{
    struct other_call other;

    other_begin(&other, call, POINT_DpcRoutine, NULL, 0);
    other.call.irql = MACHINE_IRQL_DISPATCH;
    other_enter(&other);
    return true;
}

bool started_twice(struct contract_call *call)
{
    static const struct contract_counts counts = {.source_count = 1, .child_count = 1};
    struct other_call other;

    other_begin(&other, call, POINT_StartDevice, NULL, 0);
    other_enter(&other);
    other.call.extra = &counts;
    other_leave(&other, STATUS_SUCCESS);
    return true;
}
