/* interrupt.c: wrong notices, and wrong behaviour at device level. */
#include "misbehave.h"

static BOOLEAN is_vsync(const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    return data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC;
}

static BOOLEAN is_completion(const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    return data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED;
}

static void pass(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* ---- Where and when ---------------------------------------------------------------------------
 */

/* The DPC is no place for it. */
static VOID NTAPI notice_in_the_dpc(const HANDLE device)
{
    if (misbehave_at(4)) {
        misbehave_repeat_report(0);
    }
    misbehave_kernel.DxgkCbNotifyDpc(device);
}

static BOOLEAN NTAPI dpc_forgotten(const HANDLE device)
{
    return misbehave_at(4) ? FALSE : misbehave_kernel.DxgkCbQueueDpc(device);
}

static BOOLEAN was_queued_first;

/* One for all that comes is queued before anything is looked at. */
static BOOLEAN NTAPI queues_first(const PVOID context, ULONG message)
{
    was_queued_first = misbehave_kernel.DxgkCbQueueDpc(misbehave_kernel.DeviceHandle);
    BOOLEAN ours = misbehave_driver.DxgkDdiInterruptRoutine(context, message);

    was_queued_first = FALSE;
    return ours;
}

static void queue_first(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiInterruptRoutine = queues_first;
}

static BOOLEAN NTAPI dpc_is_queued_already(const HANDLE device)
{
    return was_queued_first ? FALSE : misbehave_kernel.DxgkCbQueueDpc(device);
}

/* A vertical sync is reported before the fence that came with it. */
static VOID NTAPI vsync_before_fence(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    static DXGKARGCB_NOTIFY_INTERRUPT_DATA vsync;

    if (is_vsync(data)) {
        vsync = *data;
    } else if (is_completion(data) && vsync.InterruptType != 0 &&
               KeGetCurrentIrql() > DISPATCH_LEVEL && misbehave_once()) {
        pass(device, &vsync);
    }
    pass(device, data);
}

static NTSTATUS NTAPI notify_dpc_in_render(const HANDLE context, DXGKARG_RENDER *render)
{
    if (misbehave_once()) {
        misbehave_kernel.DxgkCbNotifyDpc(misbehave_kernel.DeviceHandle);
    }
    return misbehave_driver.DxgkDdiRender(context, render);
}

/* The handle is the driver's own context instead of the kernel's. */
static VOID NTAPI notify_dpc_with_own_handle(const HANDLE device)
{
    misbehave_kernel.DxgkCbNotifyDpc(device);
    if (misbehave_once()) {
        misbehave_kernel.DxgkCbNotifyDpc((HANDLE)&misbehave_driver);
    }
}

static BOOLEAN NTAPI reads_config_space(const PVOID context, ULONG message)
{
    ULONG word, done;

    if (misbehave_once()) {
        (void)misbehave_kernel.DxgkCbReadDeviceSpace(
            misbehave_kernel.DeviceHandle, DXGK_WHICHSPACE_CONFIG, &word, 0, sizeof(word), &done);
    }
    return misbehave_driver.DxgkDdiInterruptRoutine(context, message);
}

/* That of the vertical syncs of a later revision. */
static NTSTATUS NTAPI with_another_message(const HANDLE device, PKSYNCHRONIZE_ROUTINE routine,
                                           PVOID argument, ULONG message, PBOOLEAN result)
{
    if (misbehave_at(4)) {
        (void)misbehave_kernel.DxgkCbSynchronizeExecution(device, routine, argument, 31, result);
    }
    return misbehave_kernel.DxgkCbSynchronizeExecution(device, routine, argument, message, result);
}

static BOOLEAN NTAPI disowns_its_interrupt(const PVOID context, ULONG message)
{
    BOOLEAN ours = misbehave_driver.DxgkDdiInterruptRoutine(context, message);

    return ours && misbehave_once() ? FALSE : ours;
}

/* The counter of lines counts something else. */
static VOID NTAPI every_sixth_vsync(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    static ULONG count;

    if (!is_vsync(data) || ++count % 6 == 0) {
        pass(device, data);
    }
}

static volatile LONG hidden;

static NTSTATUS NTAPI visibility_is_noted(const HANDLE adapter,
                                          const DXGKARG_SETVIDPNSOURCEVISIBILITY *arguments)
{
    InterlockedExchange(&hidden, !arguments->Visible);
    return misbehave_driver.DxgkDdiSetVidPnSourceVisibility(adapter, arguments);
}

static void note_visibility(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSetVidPnSourceVisibility = visibility_is_noted;
}

/* There is nothing to see, and so nothing to tell. */
static VOID NTAPI no_vsync_of_hidden(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (!is_vsync(data) || !hidden) {
        pass(device, data);
    }
}

/* A display that a new mode starts anew shows nothing until it is given an address: its first
 * vertical syncs come before that. */
static volatile LONG modes_without_address;

static NTSTATUS NTAPI commit_takes_a_frame(const HANDLE adapter,
                                           const DXGKARG_COMMITVIDPN *const arguments)
{
    LARGE_INTEGER frame = {.QuadPart = -400000}; /* two, and a little */
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter, arguments);

    InterlockedExchange(&modes_without_address, TRUE);
    (void)KeDelayExecutionThread(KernelMode, FALSE, &frame);
    return status;
}

static NTSTATUS NTAPI address_is_noted(const HANDLE adapter,
                                       const DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    InterlockedExchange(&modes_without_address, FALSE);
    return misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, arguments);
}

static void note_modes(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiCommitVidPn = commit_takes_a_frame;
    table->DxgkDdiSetVidPnSourceAddress = address_is_noted;
}

static VOID NTAPI vsync_before_an_address(const HANDLE device,
                                          DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_vsync(data) && modes_without_address) {
        data->CrtcVsync.PhysicalAddress.QuadPart = 0;
    }
    pass(device, data);
}

static ULONG notice_count;

static VOID NTAPI notice_is_counted(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    notice_count++;
    pass(device, data);
}

/* What no notice is given for is not its own. */
static BOOLEAN NTAPI disowns_a_plug(const PVOID context, ULONG message)
{
    ULONG before = notice_count;
    BOOLEAN ours = misbehave_driver.DxgkDdiInterruptRoutine(context, message);

    return notice_count != before && ours;
}

static void disown_plugs(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiInterruptRoutine = disowns_a_plug;
}

/* A bit of the status that the driver does not know stays there, and by its message the device asks
 * again as soon as it may. */
static BOOLEAN NTAPI claims_and_asks_again(const PVOID context, ULONG message)
{
    const struct softgpu_adapter *softgpu = context;
    volatile ULONG *enable = (volatile ULONG *)(softgpu->registers + SOFTGPU_REG_INTERRUPT_ENABLE);
    static ULONG count;
    ULONG enabled;

    count++;
    if (count <= 3 || count > 2400) {
        return misbehave_driver.DxgkDdiInterruptRoutine(context, message);
    }
    enabled = READ_REGISTER_ULONG(enable);
    WRITE_REGISTER_ULONG(enable, 0);
    WRITE_REGISTER_ULONG(enable, enabled);
    return TRUE;
}

/* Says that it was its own, for a while, and leaves the line up. */
static BOOLEAN NTAPI claims_and_leaves(const PVOID context, ULONG message)
{
    static ULONG count;

    count++;
    return count > 3 && count <= 90 ? TRUE
                                    : misbehave_driver.DxgkDdiInterruptRoutine(context, message);
}

static NTSTATUS NTAPI control_does_nothing(const HANDLE adapter, const DXGK_INTERRUPT_TYPE type,
                                           BOOLEAN enable)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(type);
    UNREFERENCED_PARAMETER(enable);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI control_refuses_vsync(const HANDLE adapter, const DXGK_INTERRUPT_TYPE type,
                                            BOOLEAN enable)
{
    (void)misbehave_driver.DxgkDdiControlInterrupt(adapter, type, enable);
    return STATUS_NOT_IMPLEMENTED;
}

/* ---- What -------------------------------------------------------------------------------------
 */

static VOID NTAPI reserved_type(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA other;

    if (misbehave_once()) {
        RtlZeroMemory(&other, sizeof(other));
        other.InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
        pass(device, &other);
    }
    pass(device, data);
}

static VOID NTAPI fence_from_the_future(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_completion(data) && misbehave_at(3)) {
        data->DmaCompleted.SubmissionFenceId += 1000;
    }
    pass(device, data);
}

static VOID NTAPI fence_from_the_past(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_completion(data) && data->DmaCompleted.NodeOrdinal == 0 && misbehave_at(4)) {
        data->DmaCompleted.SubmissionFenceId -= 3;
    }
    pass(device, data);
}

static VOID NTAPI node_that_does_not_exist(const HANDLE device,
                                           DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA other = *data;

    if (is_completion(data) && misbehave_once()) {
        other.DmaCompleted.NodeOrdinal = 40;
        pass(device, &other);
    }
    pass(device, data);
}

static VOID NTAPI vsync_without_address(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_vsync(data) && misbehave_once()) {
        data->CrtcVsync.PhysicalAddress.QuadPart = 0;
    }
    pass(device, data);
}

/* Its flips by command are over all the same. */
static VOID NTAPI vsyncs_without_addresses(const HANDLE device,
                                           DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_vsync(data)) {
        data->CrtcVsync.PhysicalAddress.QuadPart = 0;
    }
    pass(device, data);
}

static VOID NTAPI vsync_of_another_surface(const HANDLE device,
                                           DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_vsync(data) && misbehave_once()) {
        data->CrtcVsync.PhysicalAddress.QuadPart += PAGE_SIZE;
    }
    pass(device, data);
}

/* Long after a flip it tells what was shown before it. */
static VOID NTAPI vsync_of_an_earlier_flip(const HANDLE device,
                                           DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    static PHYSICAL_ADDRESS shown, before;
    static ULONG same;

    if (is_vsync(data)) {
        PHYSICAL_ADDRESS now = data->CrtcVsync.PhysicalAddress;
        before = now.QuadPart != shown.QuadPart ? shown : before;
        same = now.QuadPart != shown.QuadPart ? 0 : same + 1;
        shown = now;
        if (before.QuadPart != 0 && same >= 4 && misbehave_once()) {
            data->CrtcVsync.PhysicalAddress = before;
        }
    }
    pass(device, data);
}

/* It says yes, and the old surface stays. */
static NTSTATUS NTAPI flip_without_effect(const HANDLE adapter,
                                          const DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    return arguments->Flags.FlipOnNextVSync && misbehave_at(2)
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, arguments);
}

static VOID NTAPI vsync_without_display(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA vsync;

    RtlZeroMemory(&vsync, sizeof(vsync));
    vsync.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
    vsync.CrtcVsync.PhysicalAddress.QuadPart = PAGE_SIZE;
    pass(device, &vsync);
    pass(device, data);
}

static VOID NTAPI vsync_of_no_adapter(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_vsync(data)) {
        data->Flags.ValidPhysicalAdapterMask = 1;
        data->CrtcVsync.PhysicalAdapterMask = 0;
    }
    pass(device, data);
}

static VOID NTAPI vsync_of_many_planes(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_vsync(data)) {
        data->InterruptType = DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY;
        data->CrtcVsyncWithMultiPlaneOverlay.MultiPlaneOverlayVsyncInfoCount = 99;
    }
    pass(device, data);
}

static VOID NTAPI fault_without_fence(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    static LONG told; /* once: each fault resets the engine */
    DXGKARGCB_NOTIFY_INTERRUPT_DATA fault;

    if (InterlockedExchange(&told, 1) != 0) {
        pass(device, data);
        return;
    }
    RtlZeroMemory(&fault, sizeof(fault));
    fault.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    fault.DmaPageFaulted.FaultedFenceId = 5;
    fault.DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_FENCE_INVALID;
    pass(device, &fault);
    pass(device, data);
}

/* "My process": that is not the handle dxgkrnl knows. */
static VOID NTAPI fault_of_my_process(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    static LONG told; /* once: each fault resets the engine */
    DXGKARGCB_NOTIFY_INTERRUPT_DATA fault;

    if (InterlockedExchange(&told, 1) != 0) {
        pass(device, data);
        return;
    }
    RtlZeroMemory(&fault, sizeof(fault));
    fault.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    fault.DmaPageFaulted.PageFaultFlags =
        DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
    fault.DmaPageFaulted.FaultedProcessHandle = device;
    pass(device, &fault);
    pass(device, data);
}

/* All that the driver has to tell gets lost; what it is asked it answers. */
static VOID NTAPI notices_of_nobody(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    UNREFERENCED_PARAMETER(device);
    misbehave_kernel.DxgkCbNotifyInterrupt(NULL, data);
}

/* A driver that has the second form alone is asked by it, and nothing is wrong with that. */
static NTSTATUS NTAPI control_in_the_second_form(const HANDLE adapter,
                                                 const DXGKARG_CONTROLINTERRUPT2 control)
{
    return misbehave_driver.DxgkDdiControlInterrupt(adapter, control.InterruptType,
                                                    control.CrtcVsyncState == DXGK_VSYNC_ENABLE);
}

static NTSTATUS NTAPI second_form_refuses_vsync(const HANDLE adapter,
                                                const DXGKARG_CONTROLINTERRUPT2 control)
{
    (void)control_in_the_second_form(adapter, control);
    return STATUS_NOT_IMPLEMENTED;
}

/* Nor with one that has the third: it is asked by that, though it has the first, too. */
static NTSTATUS NTAPI control_in_the_third_form(const HANDLE adapter,
                                                const DXGKARG_CONTROLINTERRUPT3 *control)
{
    return misbehave_driver.DxgkDdiControlInterrupt(adapter, control->InterruptType,
                                                    control->CrtcVsyncState == DXGK_VSYNC_ENABLE);
}

static NTSTATUS NTAPI third_form_refuses_vsync(const HANDLE adapter,
                                               const DXGKARG_CONTROLINTERRUPT3 *control)
{
    (void)control_in_the_third_form(adapter, control);
    return STATUS_NOT_IMPLEMENTED;
}

/* One that switches each source on its own, as its caps say, is asked so. */
static NTSTATUS NTAPI control_of_one_source(const HANDLE adapter,
                                            const DXGKARG_CONTROLINTERRUPT3 *control)
{
    static ULONG wanted;

    /* DISABLE of all comes when the last one goes dark. */
    if (control->VidPnSourceId == D3DDDI_ID_ALL && control->CrtcVsyncState == DXGK_VSYNC_ENABLE) {
        return STATUS_NOT_IMPLEMENTED;
    }
    ULONG sources =
        control->VidPnSourceId == D3DDDI_ID_ALL ? ~0u : 1u << control->VidPnSourceId % 32;

    wanted = control->CrtcVsyncState == DXGK_VSYNC_ENABLE ? wanted | sources : wanted & ~sources;
    return misbehave_driver.DxgkDdiControlInterrupt(adapter, control->InterruptType, wanted != 0);
}

/* "Whose source it is does not matter": what is switched off of one goes from all. */
static NTSTATUS NTAPI control_of_any_source(const HANDLE adapter,
                                            const DXGKARG_CONTROLINTERRUPT3 *control)
{
    if (control->VidPnSourceId == D3DDDI_ID_ALL && control->CrtcVsyncState == DXGK_VSYNC_ENABLE) {
        return STATUS_NOT_IMPLEMENTED;
    }
    return control_in_the_third_form(adapter, control);
}

static NTSTATUS NTAPI tells_sources_apart(const HANDLE adapter,
                                          const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (NT_SUCCESS(status) && query->Type == DXGKQAITYPE_DRIVERCAPS) {
        ((DXGK_DRIVERCAPS *)query->pOutputData)->MiscCaps.IndependentVidPnVSyncControl = 1;
    }
    return status;
}

static void tell_sources_apart(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryAdapterInfo = tells_sources_apart;
}

/* "60 Hz, that is 16 milliseconds." */
static NTSTATUS NTAPI counts_in_milliseconds(const HANDLE adapter_handle,
                                             const DXGKARG_COMMITVIDPN *const commit)
{
    struct softgpu_adapter *adapter = adapter_handle;
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter_handle, commit);
    ULONG i;

    for (i = 0; i < adapter->output_count; i++) {
        softgpu_write(adapter, SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_PERIOD),
                      adapter->output[i].period_ns / 1000000 * 1000000);
    }
    return status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(INT_001, IN_CALLBACK(NotifyDpc), notice_in_the_dpc, SCENE_PLAIN),
    BREAKS_RULE(INT_002, IN_CALLBACK(QueueDpc), dpc_forgotten, SCENE_PLAIN),
    BREAKS_RULE_BESIDE(INT_002, IN_CALLBACK(QueueDpc), dpc_is_queued_already, SCENE_ADVICE,
                       queue_first),
    BREAKS_RULE(INT_003, IN_CALLBACK(NotifyInterrupt), vsync_before_fence, SCENE_PLAIN),
    BREAKS_RULE(INT_004, IN_CALLBACK(NotifyInterrupt), reserved_type, SCENE_PLAIN),
    BREAKS_RULE(INT_005, IN_CALLBACK(NotifyInterrupt), fence_from_the_future, SCENE_PLAIN),
    BREAKS_RULE(INT_005, IN_CALLBACK(NotifyInterrupt), fence_from_the_past, SCENE_PLAIN),
    BREAKS_RULE(INT_009, IN_CALLBACK(NotifyInterrupt), node_that_does_not_exist, SCENE_PLAIN),
    BREAKS_RULE(INT_010, IN_CALLBACK(NotifyInterrupt), vsync_without_address, SCENE_PLAIN),
    BREAKS_RULE(INT_010, IN_CALLBACK(NotifyInterrupt), vsync_of_an_earlier_flip, SCENE_PLAIN),
    BREAKS_NO_RULE_BESIDE(IN_CALLBACK(NotifyInterrupt), vsync_before_an_address, SCENE_MODES,
                          note_modes),
    BREAKS_RULE(INT_010, IN_CALLBACK(NotifyInterrupt), vsyncs_without_addresses,
                SCENE_VISTA | SCENE_FLIPS | SCENE_ADVICE),
    BREAKS_RULE(INT_011, IN_CALLBACK(NotifyInterrupt), vsync_without_display, SCENE_RENDER_ONLY),
    BREAKS_RULE(INT_012, IN_CALLBACK(NotifyInterrupt), vsync_of_no_adapter, SCENE_PLAIN),
    BREAKS_RULE(INT_013, IN_CALLBACK(NotifyInterrupt), vsync_of_many_planes, SCENE_PLAIN),
    BREAKS_RULE(INT_014, IN_CALLBACK(NotifyInterrupt), fault_without_fence, SCENE_WDDM2),
    BREAKS_RULE(INT_016, IN_CALLBACK(NotifyInterrupt), fault_of_my_process, SCENE_WDDM2),
    BREAKS_RULE(INT_018, IN_DDI(Render), notify_dpc_in_render, SCENE_PLAIN),
    BREAKS_RULE(INT_025, IN_CALLBACK(SynchronizeExecution), with_another_message, SCENE_PLAIN),
    BREAKS_RULE(INT_021, IN_DDI(InterruptRoutine), reads_config_space, SCENE_PLAIN),
    BREAKS_RULE(INT_021, IN_DDI(InterruptRoutine), disowns_its_interrupt, SCENE_PLAIN),
    BREAKS_RULE_BESIDE(INT_021, IN_CALLBACK(NotifyInterrupt), notice_is_counted, SCENE_REPLUG,
                       disown_plugs),
    BREAKS_RULE(SHOW_007, IN_CALLBACK(NotifyInterrupt), every_sixth_vsync, SCENE_PLAIN),
    BREAKS_RULE(SHOW_007, IN_DDI(CommitVidPn), counts_in_milliseconds, SCENE_PLAIN | SCENE_ADVICE),
    BREAKS_RULE_BESIDE(SHOW_007, IN_CALLBACK(NotifyInterrupt), no_vsync_of_hidden,
                       SCENE_PLAIN | SCENE_ADVICE, note_visibility),
    BREAKS_RULE(INT_021, IN_DDI(InterruptRoutine), claims_and_leaves, SCENE_PLAIN),
    BREAKS_RULE(INT_021, IN_DDI(InterruptRoutine), claims_and_asks_again,
                SCENE_MESSAGES | SCENE_ADVICE),
    BREAKS_RULE(INT_024, IN_DDI(ControlInterrupt), control_refuses_vsync, SCENE_PLAIN),
    BREAKS_RULE(SHOW_007, IN_DDI(ControlInterrupt), control_does_nothing, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(ControlInterrupt2), control_in_the_second_form, SCENE_PLAIN),
    BREAKS_RULE(INT_024, IN_DDI(ControlInterrupt2), second_form_refuses_vsync, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(ControlInterrupt3), control_in_the_third_form, SCENE_LISTS),
    BREAKS_RULE(INT_024, IN_DDI(ControlInterrupt3), third_form_refuses_vsync, SCENE_LISTS),
    BREAKS_NO_RULE_BESIDE(IN_DDI(ControlInterrupt3), control_of_one_source, SCENE_NEWEST_PLANES,
                          tell_sources_apart),
    BREAKS_NO_RULE_BESIDE(IN_DDI(ControlInterrupt3), control_of_one_source,
                          SCENE_LISTS | SCENE_REPLUG, tell_sources_apart),
    BREAKS_RULE_BESIDE(INT_024, IN_DDI(ControlInterrupt3), control_of_any_source,
                       SCENE_LISTS | SCENE_REPLUG, tell_sources_apart),
    BREAKS_RULE(FLIP_004, IN_CALLBACK(NotifyInterrupt), vsync_of_another_surface, SCENE_PLAIN),
    BREAKS_RULE(FLIP_004, IN_DDI(SetVidPnSourceAddress), flip_without_effect, SCENE_PLAIN),
    BREAKS_RULE(PNP_002, IN_CALLBACK(NotifyDpc), notify_dpc_with_own_handle, SCENE_PLAIN),
    BREAKS_RULE(PNP_002, IN_CALLBACK(NotifyInterrupt), notices_of_nobody,
                SCENE_HANG | SCENE_MORE_RULES),
};

MISBEHAVIOURS(interrupt);
