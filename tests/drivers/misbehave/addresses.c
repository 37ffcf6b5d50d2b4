/* addresses.c: work by GPU virtual addresses that is broken off, faults or is cancelled. */
#include "misbehave.h"

static struct softgpu_dma_private *private_data_of(const DXGKARG_SUBMITCOMMANDVIRTUAL *submit)
{
    UCHAR *bytes = submit->pDmaBufferPrivateData;

    if (bytes == NULL || submit->Flags.Paging ||
        submit->DmaBufferPrivateDataSize < SOFTGPU_PRIVATE_BYTES_VIRTUAL) {
        return NULL;
    }
    return (void *)(bytes + sizeof(struct softgpu_umd_submit));
}

/* "Each submission is a new one", and what was kept for it is written anew. */
static NTSTATUS NTAPI every_submission_is_new(const HANDLE adapter,
                                              const DXGKARG_SUBMITCOMMANDVIRTUAL *submit)
{
    DXGKARG_SUBMITCOMMANDVIRTUAL anew = *submit;

    anew.Flags.Resubmission = 0;
    anew.DmaBufferUmdPrivateDataSize = 0; /* as if nobody had validated it */
    return misbehave_driver.DxgkDdiSubmitCommandVirtual(adapter, &anew);
}

/* The command is remembered, and not how far it had come. */
static NTSTATUS NTAPI commands_begin_anew(const HANDLE adapter,
                                          const DXGKARG_SUBMITCOMMANDVIRTUAL *submit)
{
    struct softgpu_dma_private *private_data = private_data_of(submit);

    if (private_data != NULL && submit->Flags.Resubmission) {
        private_data->resume_progress = 0;
    }
    return misbehave_driver.DxgkDdiSubmitCommandVirtual(adapter, submit);
}

/* "What does not begin with my mark is not mine": here it begins with the client's part. */
static NTSTATUS NTAPI cancel_looks_for_its_mark(const HANDLE adapter,
                                                const DXGKARG_CANCELCOMMAND *cancel)
{
    const struct softgpu_dma_private *private_data = cancel->pDmaBufferPrivateData;

    if (cancel->DmaBufferPrivateDataSize >= sizeof(*private_data) &&
        private_data->magic != SOFTGPU_DMA_MAGIC) {
        return STATUS_INVALID_PARAMETER;
    }
    return misbehave_driver.DxgkDdiCancelCommand(adapter, cancel);
}

/* "Commands are where pDmaBuffer is." A sanitizer would end the test at the same place. */
__attribute__((no_sanitize("undefined"))) static NTSTATUS NTAPI
cancel_reads_the_commands(const HANDLE adapter, const DXGKARG_CANCELCOMMAND *cancel)
{
    ULONG_PTR commands = (ULONG_PTR)cancel->pDmaBuffer + cancel->DmaBufferSubmissionStartOffset;

    if (cancel->DmaBufferSubmissionEndOffset > cancel->DmaBufferSubmissionStartOffset) {
        (void)*(const volatile ULONG *)commands;
    }
    return misbehave_driver.DxgkDdiCancelCommand(adapter, cancel);
}

static HANDLE my_process;

static NTSTATUS NTAPI remembers_its_process(const HANDLE adapter, DXGKARG_CREATEPROCESS *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateProcess(adapter, create);

    my_process = create->hKmdProcess;
    return status;
}

static void beside_faults(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiCreateProcess = remembers_its_process;
}

/* "The process that faulted" is the driver's own object. */
static VOID NTAPI fault_of_my_object(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        data->DmaPageFaulted.FaultedProcessHandle = my_process;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* "Whose fence it was, who knows": without a flag that says so, or that asks for a reset. */
static VOID NTAPI fault_of_any_fence(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        data->DmaPageFaulted.FaultedFenceId = 0;
        data->DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_FENCE_INVALID;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* The fence is counted by the driver. */
static VOID NTAPI fault_of_no_packet(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        data->DmaPageFaulted.FaultedFenceId += 1000;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* What ended last is "where it was". */
static VOID NTAPI fault_of_the_last(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    static ULONG last[SOFTGPU_ENGINE_COUNT];

    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
        last[data->DmaCompleted.NodeOrdinal] = data->DmaCompleted.SubmissionFenceId;
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED &&
               last[data->DmaPageFaulted.NodeOrdinal] != 0) {
        data->DmaPageFaulted.FaultedFenceId = last[data->DmaPageFaulted.NodeOrdinal];
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* What was given last is what runs, to its author. */
static UINT newest[SOFTGPU_ENGINE_COUNT];

static NTSTATUS NTAPI keeps_the_newest(const HANDLE adapter,
                                       const DXGKARG_SUBMITCOMMANDVIRTUAL *submit)
{
    newest[submit->NodeOrdinal % SOFTGPU_ENGINE_COUNT] = submit->SubmissionFenceId;
    return misbehave_driver.DxgkDdiSubmitCommandVirtual(adapter, submit);
}

/* So that something is behind what faults. */
static NTSTATUS NTAPI takes_several(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, arguments);

    if (NT_SUCCESS(status) && arguments->Type == DXGKQAITYPE_DRIVERCAPS) {
        ((DXGK_DRIVERCAPS *)arguments->pOutputData)->SchedulingCaps.HwQueuePacketCap = 8;
    }
    return status;
}

static void keep_newest(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSubmitCommandVirtual = keeps_the_newest;
    table->DxgkDdiQueryAdapterInfo = takes_several;
}

static VOID NTAPI fault_of_the_newest(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        data->DmaPageFaulted.FaultedFenceId =
            newest[data->DmaPageFaulted.NodeOrdinal % SOFTGPU_ENGINE_COUNT];
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* The ring is not emptied by ResetEngine: what faulted runs again before what is new. */
static VOID NTAPI fault_comes_again(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    static DXGKARGCB_NOTIFY_INTERRUPT_DATA fault;

    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        fault = *data;
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
               fault.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED &&
               data->DmaCompleted.NodeOrdinal == fault.DmaPageFaulted.NodeOrdinal &&
               data->DmaCompleted.SubmissionFenceId > fault.DmaPageFaulted.FaultedFenceId) {
        misbehave_kernel.DxgkCbNotifyInterrupt(device, &fault);
        fault.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* "The last one that ended well", also where another one has faulted behind it; asked for a fence,
 * it says the same. */
static UINT ended_well;

static NTSTATUS NTAPI aborted_is_before_the_fault(const HANDLE adapter, DXGKARG_RESETENGINE *reset)
{
    NTSTATUS status = misbehave_driver.DxgkDdiResetEngine(adapter, reset);

    ended_well = --reset->LastAbortedFenceId;
    return status;
}

static NTSTATUS NTAPI says_what_ended_well(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryCurrentFence(adapter, query);

    if (ended_well && query->CurrentFence == ended_well + 1) {
        query->CurrentFence = ended_well;
    }
    return status;
}

static void beside_aborted(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryCurrentFence = says_what_ended_well;
}

/* What is no read is a write, to its author. */
static VOID NTAPI faults_are_writes(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        data->DmaPageFaulted.PageFaultFlags |= DXGK_PAGE_FAULT_WRITE;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* The page's number. */
static VOID NTAPI fault_of_a_page(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        data->DmaPageFaulted.FaultedVirtualAddress >>= 12;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* Two registers, and one of them is read. */
static VOID NTAPI fault_of_half_an_address(const HANDLE device,
                                           DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        data->DmaPageFaulted.FaultedVirtualAddress ^= 1ull << 33;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* "An MMU": contexts with patch lists are there besides. */
static NTSTATUS NTAPI no_context_is_patched(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateContext(device, create);

    if (NT_SUCCESS(status)) {
        create->ContextInfo.Caps.NoPatchingRequired = 1;
        create->ContextInfo.Caps.DriverManagesResidency = 1;
    }
    return status;
}

/* "Whoever asks knows what he does." */
static NTSTATUS NTAPI properties_are_granted(const HANDLE adapter,
                                             const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *update)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(update);
    return STATUS_SUCCESS;
}

#define SCENE_ADDRESSES (SCENE_VIRTUAL | SCENE_RESULTS)

static const struct misbehaviour rows[] = {
    BREAKS_RULE(SUBMIT_045, IN_DDI(SubmitCommandVirtual), every_submission_is_new, SCENE_ADDRESSES),
    BREAKS_RULE(SUBMIT_045, IN_DDI(SubmitCommandVirtual), commands_begin_anew, SCENE_ADDRESSES),
    BREAKS_RULE(CANCEL_003, IN_DDI(CancelCommand), cancel_looks_for_its_mark, SCENE_ADDRESSES),
    IS_FOUND("WORKLOAD", IN_DDI(ValidateUpdateAllocationProperty), properties_are_granted,
             SCENE_ADDRESSES),
    IS_FOUND("FAULT", IN_DDI(CancelCommand), cancel_reads_the_commands, SCENE_ADDRESSES),
    BREAKS_RULE_BESIDE(INT_016, IN_CALLBACK(NotifyInterrupt), fault_of_my_object, SCENE_ADDRESSES,
                       beside_faults),
    BREAKS_RULE(CTX_014, IN_DDI(CreateContext), no_context_is_patched, SCENE_VIRTUAL),
    BREAKS_RULE(CTX_014, IN_DDI(CreateContext), no_context_is_patched, SCENE_WDDM2),
    BREAKS_RULE(INT_014, IN_CALLBACK(NotifyInterrupt), fault_of_any_fence, SCENE_ADDRESSES),
    BREAKS_RULE(INT_014, IN_CALLBACK(NotifyInterrupt), fault_of_no_packet, SCENE_ADDRESSES),
    BREAKS_RULE(INT_014, IN_CALLBACK(NotifyInterrupt), fault_of_the_last,
                SCENE_ADDRESSES | SCENE_ADVICE),
    BREAKS_RULE_BESIDE(INT_014, IN_CALLBACK(NotifyInterrupt), fault_of_the_newest, SCENE_ADDRESSES,
                       keep_newest),
    BREAKS_RULE(INT_014, IN_CALLBACK(NotifyInterrupt), fault_comes_again,
                SCENE_ADDRESSES | SCENE_ENGINES),
    BREAKS_RULE_BESIDE(ENGRST_005, IN_DDI(ResetEngine), aborted_is_before_the_fault,
                       SCENE_ADDRESSES | SCENE_ENGINES, beside_aborted),
    BREAKS_RULE(INT_016, IN_CALLBACK(NotifyInterrupt), faults_are_writes,
                SCENE_QUEUES | SCENE_RESULTS),
    BREAKS_RULE(INT_016, IN_CALLBACK(NotifyInterrupt), fault_of_a_page,
                SCENE_QUEUES | SCENE_RESULTS),
    BREAKS_RULE(INT_016, IN_CALLBACK(NotifyInterrupt), fault_of_half_an_address,
                SCENE_IOMMU | SCENE_RESULTS),
};

MISBEHAVIOURS(addresses);
