/* render.c: Render done wrong. */
#include "misbehave.h"

/* Each calls the real Render first and spoils its answer. */
struct answer {
    DXGKARG_RENDER before;
    ULONG patch_count;
    NTSTATUS status;
};

static BOOLEAN rendered(const HANDLE context, DXGKARG_RENDER *render, struct answer *answer)
{
    answer->before = *render;
    answer->status = misbehave_driver.DxgkDdiRender(context, render);
    answer->patch_count =
        (ULONG)(render->pPatchLocationListOut - answer->before.pPatchLocationListOut);
    return NT_SUCCESS(answer->status) && answer->patch_count >= 2 && misbehave_once();
}

static NTSTATUS NTAPI render_fails_oddly(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    return rendered(context, render, &answer) ? STATUS_UNSUCCESSFUL : answer.status;
}

/* Each pass from the start. */
static NTSTATUS NTAPI render_begins_again(const HANDLE context, DXGKARG_RENDER *render)
{
    NTSTATUS status = misbehave_driver.DxgkDdiRender(context, render);

    return NT_SUCCESS(status) ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : status;
}

static NTSTATUS NTAPI render_pointer_too_far(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        render->pDmaBuffer = (UCHAR *)answer.before.pDmaBuffer + answer.before.DmaSize + 1;
    }
    return answer.status;
}

static NTSTATUS NTAPI render_pointer_forgotten(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        render->pDmaBuffer = answer.before.pDmaBuffer;
        render->pPatchLocationListOut = answer.before.pPatchLocationListOut;
    }
    return answer.status;
}

static NTSTATUS NTAPI render_writes_too_far(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        ((UCHAR *)answer.before.pDmaBuffer)[answer.before.DmaSize] = 0;
    }
    return answer.status;
}

static NTSTATUS NTAPI render_private_too_far(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        render->pDmaBufferPrivateData = (UCHAR *)answer.before.pDmaBufferPrivateData +
                                        answer.before.DmaBufferPrivateDataSize + 1;
    }
    return answer.status;
}

static NTSTATUS NTAPI render_private_written_too_far(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        ((UCHAR *)answer.before.pDmaBufferPrivateData)[answer.before.DmaBufferPrivateDataSize] = 0;
    }
    return answer.status;
}

static NTSTATUS NTAPI patch_pointer_too_far(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        render->pPatchLocationListOut =
            answer.before.pPatchLocationListOut + answer.before.PatchLocationListOutSize + 1;
    }
    return answer.status;
}

/* No bit field: some compilers read what lies beside one before they write it. */
static NTSTATUS NTAPI patch_list_written_too_far(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        answer.before.pPatchLocationListOut[answer.before.PatchLocationListOutSize].DriverId = 0;
    }
    return answer.status;
}

static NTSTATUS NTAPI patch_list_read_too_far(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        const volatile D3DDDI_PATCHLOCATIONLIST *list = answer.before.pPatchLocationListOut;
        (void)list[answer.before.PatchLocationListOutSize].DriverId;
    }
    return answer.status;
}

static NTSTATUS NTAPI split_offsets_fall(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        answer.before.pPatchLocationListOut[0].SplitOffset =
            answer.before.pPatchLocationListOut[1].SplitOffset + 4;
    }
    return answer.status;
}

static NTSTATUS NTAPI slot_too_high(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        answer.before.pPatchLocationListOut[1].SlotId = 0xFFFFF;
    }
    return answer.status;
}

static NTSTATUS NTAPI index_too_high(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        answer.before.pPatchLocationListOut[1].AllocationIndex = render->AllocationListSize;
    }
    return answer.status;
}

static NTSTATUS NTAPI patch_offset_behind_the_end(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        answer.before.pPatchLocationListOut[1].PatchOffset = render->DmaSize + 0x7000;
    }
    return answer.status;
}

static NTSTATUS NTAPI reference_behind_the_allocation(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;

    if (rendered(context, render, &answer)) {
        answer.before.pPatchLocationListOut[1].AllocationOffset = 0x7FFFFFFF;
    }
    return answer.status;
}

static NTSTATUS NTAPI returns_at_another_irql(const HANDLE context, DXGKARG_RENDER *render)
{
    struct answer answer;
    KIRQL before;

    if (rendered(context, render, &answer)) {
        KeRaiseIrql(DISPATCH_LEVEL, &before);
    }
    return answer.status;
}

/* "What is bad ends the buffer." */
static NTSTATUS NTAPI render_passes_what_is_bad(const HANDLE context, DXGKARG_RENDER *render)
{
    NTSTATUS status = misbehave_driver.DxgkDdiRender(context, render);

    return NT_SUCCESS(status) || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ? status
                                                                                   : STATUS_SUCCESS;
}

/* In several passes, each of which gets the list anew. */
static NTSTATUS NTAPI render_wipes_the_list(const HANDLE context, DXGKARG_RENDER *render)
{
    NTSTATUS status = misbehave_driver.DxgkDdiRender(context, render);

    RtlFillMemory(render->pAllocationList,
                  render->AllocationListSize * sizeof(*render->pAllocationList), 0xFF);
    return status;
}

/* Whoever is at DISPATCH_LEVEL cannot wait for the client's pages to come in. Often: where the
 * processor has no keys they are shut at some of these moments. */
static NTSTATUS NTAPI commands_read_under_a_lock(const HANDLE context, DXGKARG_RENDER *render)
{
    static KSPIN_LOCK reading;
    KIRQL before;
    ULONG i;

    for (i = 0; i < 500; i++) {
        KeAcquireSpinLock(&reading, &before);
        (void)*(const volatile ULONG *)render->pCommand;
        KeReleaseSpinLock(&reading, before);
    }
    return misbehave_driver.DxgkDdiRender(context, render);
}

/* "Nothing to do" is the answer to what it does not know. */
static NTSTATUS NTAPI escape_knows_every_code(const HANDLE adapter, const DXGKARG_ESCAPE *escape)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEscape(adapter, escape);

    return escape->PrivateDriverDataSize == sizeof(struct softgpu_umd_escape) ? STATUS_SUCCESS
                                                                              : status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(RENDER_019, IN_DDI(Render), render_begins_again, SCENE_PLAIN),
    BREAKS_RULE(RENDER_003, IN_DDI(Render), render_passes_what_is_bad,
                SCENE_RESULTS | SCENE_MORE_RULES),
    BREAKS_RULE(RENDER_004, IN_DDI(Render), render_fails_oddly, SCENE_PLAIN),
    BREAKS_RULE(RENDER_009, IN_DDI(Render), render_pointer_too_far, SCENE_PLAIN),
    BREAKS_RULE(RENDER_009, IN_DDI(Render), render_pointer_forgotten, SCENE_PLAIN),
    BREAKS_RULE(RENDER_009, IN_DDI(Render), render_writes_too_far, SCENE_PLAIN),
    BREAKS_RULE(RENDER_010, IN_DDI(Render), render_private_too_far, SCENE_PLAIN),
    BREAKS_RULE(RENDER_010, IN_DDI(Render), render_private_written_too_far, SCENE_PLAIN),
    BREAKS_RULE(RENDER_013, IN_DDI(Render), patch_pointer_too_far, SCENE_PLAIN),
    BREAKS_RULE(GEN_009, IN_DDI(Render), patch_list_written_too_far, SCENE_PLAIN),
    BREAKS_RULE(RENDER_014, IN_DDI(Render), split_offsets_fall, SCENE_PLAIN),
    BREAKS_RULE(RENDER_016, IN_DDI(Render), slot_too_high, SCENE_PLAIN),
    BREAKS_RULE(RENDER_017, IN_DDI(Render), index_too_high, SCENE_MORE_RULES),
    BREAKS_RULE(RENDER_018, IN_DDI(Render), patch_offset_behind_the_end, SCENE_MORE_RULES),
    BREAKS_RULE(RENDER_018, IN_DDI(Render), reference_behind_the_allocation, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(Render), render_wipes_the_list, SCENE_PREEMPT | SCENE_SMALL_DMA),
    IS_FOUND("WORKLOAD", IN_DDI(Escape), escape_knows_every_code, SCENE_RESULTS),
    IS_FOUND("FAULT", IN_DDI(Render), patch_list_read_too_far, SCENE_PLAIN),
    BREAKS_RULE(IRQL, IN_DDI(Render), returns_at_another_irql, SCENE_PLAIN),
    IS_FOUND("IRQL", IN_DDI(Render), commands_read_under_a_lock, SCENE_PLAIN),
};

MISBEHAVIOURS(render);
