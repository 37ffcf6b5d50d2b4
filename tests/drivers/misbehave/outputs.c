/* outputs.c: children and their monitors: what a driver says of outputs that cannot tell, are
 * polled, or are built in, and of monitors that go. */
#include "misbehave.h"

/* ---- Outputs that cannot tell ---------------------------------------------------------------- */

static NTSTATUS NTAPI nothing_is_told(HANDLE device, PDXGK_CHILD_STATUS status)
{
    UNREFERENCED_PARAMETER(device);
    UNREFERENCED_PARAMETER(status);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI monitor_is_taken_for_granted(const PVOID context, PDXGK_CHILD_STATUS status,
                                                   BOOLEAN non_destructive_only)
{
    NTSTATUS answer =
        misbehave_driver.DxgkDdiQueryChildStatus(context, status, non_destructive_only);

    status->HotPlug.Connected = TRUE;
    return answer;
}

static void detect_nothing(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryChildStatus = monitor_is_taken_for_granted;
}

/* Tells when a monitor came, and takes each for granted: there is something that tells. */
static NTSTATUS NTAPI everything_is_connected(HANDLE device, PDXGK_CHILD_STATUS status)
{
    DXGK_CHILD_STATUS changed = *status;

    changed.HotPlug.Connected = TRUE;
    return misbehave_kernel.DxgkCbIndicateChildStatus(device, &changed);
}

/* ---- Contacts that bounce -------------------------------------------------------------------- */

#define REST_100NS (-5000000) /* half a second */

static struct resting {
    DXGK_CHILD_STATUS status;
    KTIMER timer;
    KDPC dpc;
    BOOLEAN made;
} resting[SOFTGPU_OUTPUT_MAX];

static KDEFERRED_ROUTINE tell_at_last;
static VOID NTAPI tell_at_last(PKDPC dpc, PVOID context, PVOID unused1, PVOID unused2)
{
    struct resting *output = context;

    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(unused1);
    UNREFERENCED_PARAMETER(unused2);
    (void)misbehave_kernel.DxgkCbIndicateChildStatus(misbehave_kernel.DeviceHandle,
                                                     &output->status);
}

/* It is told how the contacts are when they have not moved for half a second. */
static NTSTATUS NTAPI told_when_contacts_rest(HANDLE device, PDXGK_CHILD_STATUS status)
{
    struct resting *output = &resting[status->ChildUid];
    LARGE_INTEGER due;

    UNREFERENCED_PARAMETER(device);
    if (!output->made) {
        KeInitializeTimer(&output->timer);
        KeInitializeDpc(&output->dpc, tell_at_last, output);
        output->made = TRUE;
    }
    output->status = *status;
    due.QuadPart = REST_100NS;
    KeSetTimer(&output->timer, due, &output->dpc);
    return STATUS_SUCCESS;
}

/* ---- Other kinds of outputs ------------------------------------------------------------------ */

static NTSTATUS NTAPI outputs_are_polled(const PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                                         ULONG size_bytes)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryChildRelations(context, children, size_bytes);

    for (ULONG i = 0; i + 1 < size_bytes / sizeof(*children); i++) {
        children[i].ChildCapabilities.HpdAwareness = HpdAwarenessPolled;
    }
    return status;
}

static void poll_outputs(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryChildRelations = outputs_are_polled;
}

/* A panel that is built in, and a connector. */
static NTSTATUS NTAPI first_is_built_in(const PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                                        ULONG size_bytes)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryChildRelations(context, children, size_bytes);
    DXGK_CHILD_CAPABILITIES *panel = &children[0].ChildCapabilities;

    children[0].ChildDeviceType = TypeIntegratedDisplay;
    RtlZeroMemory(panel, sizeof(*panel));
    panel->Type.IntegratedDisplayChild.InterfaceTechnology = D3DKMDT_VOT_DISPLAYPORT_EMBEDDED;
    panel->HpdAwareness = HpdAwarenessAlwaysConnected;
    return status;
}

static void build_first_in(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryChildRelations = first_is_built_in;
}

/* The panel alone is an output that nothing is ever shown on. */
static NTSTATUS NTAPI nothing_to_show(const PVOID context, PDXGK_START_INFO info,
                                      PDXGKRNL_INTERFACE kernel, PULONG sources, PULONG children)
{
    NTSTATUS status = misbehave_driver.DxgkDdiStartDevice(context, info, kernel, sources, children);

    *sources = 0;
    return status;
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

/* The transfer to the monitor fails, for there is none. */
static NTSTATUS NTAPI no_answer_from_nobody(const PVOID context, ULONG child,
                                            PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, descriptor);

    return status == STATUS_MONITOR_NO_DESCRIPTOR ? STATUS_IO_DEVICE_ERROR : status;
}

/* "A monitor says the same all its life." */
static NTSTATUS NTAPI descriptor_is_kept(const PVOID context, ULONG child,
                                         PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    static UCHAR kept[SOFTGPU_OUTPUT_MAX][SOFTGPU_EDID_SIZE];
    static BOOLEAN known[SOFTGPU_OUTPUT_MAX];
    NTSTATUS status = misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, descriptor);

    if (NT_SUCCESS(status) && !known[child] && descriptor->DescriptorOffset == 0 &&
        descriptor->DescriptorLength == SOFTGPU_EDID_SIZE) {
        RtlCopyMemory(kept[child], descriptor->DescriptorBuffer, SOFTGPU_EDID_SIZE);
        known[child] = TRUE;
    }
    if (NT_SUCCESS(status) && known[child]) {
        RtlCopyMemory(descriptor->DescriptorBuffer, kept[child] + descriptor->DescriptorOffset,
                      descriptor->DescriptorLength);
    }
    return status;
}

/* "There is one line to read by." */
static NTSTATUS NTAPI descriptor_of_the_other(const PVOID context, ULONG child,
                                              PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    return misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child == 1 ? 0 : child,
                                                         descriptor);
}

/* Of a monitor with a second block; its checksum stays right. */
static NTSTATUS first_of_two(const PVOID context, ULONG child, PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, descriptor);

    if (NT_SUCCESS(status) && descriptor->DescriptorOffset == 0 &&
        descriptor->DescriptorLength == SOFTGPU_EDID_SIZE) {
        ((UCHAR *)descriptor->DescriptorBuffer)[126]++;
        ((UCHAR *)descriptor->DescriptorBuffer)[127]--;
    }
    return status;
}

/* "Byte 126? What is that?" */
static NTSTATUS NTAPI second_block_is_left_out(const PVOID context, ULONG child,
                                               PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    return first_of_two(context, child, descriptor);
}

/* The word address of the monitor's memory is 0 always. */
static NTSTATUS NTAPI second_block_is_the_first(const PVOID context, ULONG child,
                                                PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    if (descriptor->DescriptorOffset == SOFTGPU_EDID_SIZE &&
        descriptor->DescriptorLength == SOFTGPU_EDID_SIZE) {
        descriptor->DescriptorOffset = 0;
    }
    return first_of_two(context, child, descriptor);
}

/* "It does not answer." */
static NTSTATUS NTAPI second_has_no_descriptor(const PVOID context, ULONG child,
                                               PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    return child == 1 ? STATUS_MONITOR_NO_DESCRIPTOR
                      : misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, descriptor);
}

/* ---- One monitor at two outputs -------------------------------------------------------------- */

#define PRODUCT_AT  10u
#define CHECKSUM_AT 127u

static NTSTATUS NTAPI container_of_both(PVOID context, ULONG child,
                                        PDXGK_CHILD_CONTAINER_ID container)
{
    static const GUID id = {0x12345678, 0x1234, 0x1234, {1, 2, 3, 4, 5, 6, 7, 8}};

    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(child);
    container->ContainerId = id;
    return STATUS_SUCCESS;
}

static void move_byte(const DXGK_DEVICE_DESCRIPTOR *descriptor, ULONG at, UCHAR by)
{
    ULONG offset = descriptor->DescriptorOffset;

    if (at >= offset && at - offset < descriptor->DescriptorLength) {
        ((UCHAR *)descriptor->DescriptorBuffer)[at - offset] += by;
    }
}

/* Both say that they are of one product, and which half they are. */
static NTSTATUS NTAPI both_are_of_one_make(const PVOID context, ULONG child,
                                           PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    UCHAR whole[SOFTGPU_EDID_SIZE];
    DXGK_DEVICE_DESCRIPTOR block = {0, sizeof(whole), whole};
    NTSTATUS status = misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, descriptor);

    if (NT_SUCCESS(status) &&
        NT_SUCCESS(misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, &block))) {
        move_byte(descriptor, PRODUCT_AT, 0x40 - whole[PRODUCT_AT]);
        move_byte(descriptor, CHECKSUM_AT, whole[PRODUCT_AT] - 0x40);
    }
    return status;
}

static void make_both_alike(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryDeviceDescriptor = both_are_of_one_make;
}

/* Children are counted from zero, to the author of one function, and from one to another. */
static NTSTATUS NTAPI tells_of_the_next_one(HANDLE device, PDXGK_CHILD_STATUS status)
{
    DXGK_CHILD_STATUS changed = *status;

    changed.ChildUid += 0x100;
    (void)misbehave_kernel.DxgkCbIndicateChildStatus(device, &changed);
    return misbehave_kernel.DxgkCbIndicateChildStatus(device, status);
}

/* The whole register, of which the highest bit says whether the blank is now. */
static NTSTATUS NTAPI blank_is_a_bit_of_the_line(const HANDLE adapter,
                                                 DXGKARG_GETSCANLINE *arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetScanLine(adapter, arguments);

    arguments->ScanLine |= arguments->InVerticalBlank ? 0x8000 : 0;
    return status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(SHOW_003, IN_DDI(GetScanLine), blank_is_a_bit_of_the_line, SCENE_ADVICE),
    BREAKS_RULE_BESIDE(CHILD_006, IN_CALLBACK(IndicateChildStatus), nothing_is_told,
                       SCENE_REPLUG | SCENE_ADVICE | SCENE_MORE_RULES, detect_nothing),
    BREAKS_RULE_BESIDE(CHILD_007, IN_CALLBACK(IndicateChildStatus), nothing_is_told,
                       SCENE_REPLUG | SCENE_ADVICE | SCENE_MORE_RULES, detect_nothing),
    BREAKS_RULE_BESIDE(CHILD_006, IN_CALLBACK(IndicateChildStatus), everything_is_connected,
                       SCENE_REPLUG | SCENE_MORE_RULES, detect_nothing),
    BREAKS_RULE(CHILD_006, IN_CALLBACK(IndicateChildStatus), tells_of_the_next_one,
                SCENE_REPLUG | SCENE_ADVICE),
    BREAKS_NO_RULE(IN_CALLBACK(IndicateChildStatus), told_when_contacts_rest, SCENE_REPLUG),
    BREAKS_NO_RULE_BESIDE(IN_CALLBACK(IndicateChildStatus), nothing_is_told, SCENE_REPLUG,
                          poll_outputs),
    BREAKS_RULE_BESIDE(CHILD_004, IN_DDI(QueryDeviceDescriptor), descriptor_is_kept, SCENE_REPLUG,
                       poll_outputs),
    BREAKS_RULE(CHILD_004, IN_DDI(QueryDeviceDescriptor), descriptor_of_the_other,
                SCENE_REPLUG | SCENE_MORE_RULES),
    BREAKS_RULE(CHILD_004, IN_DDI(QueryDeviceDescriptor), second_block_is_left_out, SCENE_ADVICE),
    BREAKS_RULE(CHILD_004, IN_DDI(QueryDeviceDescriptor), second_block_is_the_first, SCENE_ADVICE),
    BREAKS_RULE(CHILD_004, IN_DDI(QueryDeviceDescriptor), second_has_no_descriptor,
                SCENE_REPLUG | SCENE_ADVICE),
    BREAKS_NO_RULE(IN_DDI(QueryChildRelations), first_is_built_in, SCENE_REPLUG),
    BREAKS_RULE_BESIDE(CHILD_006, IN_CALLBACK(IndicateChildStatus), nothing_is_told, SCENE_REPLUG,
                       build_first_in),
    BREAKS_RULE_BESIDE(PNP_003, IN_DDI(StartDevice), nothing_to_show, SCENE_ADVICE, build_first_in),
    BREAKS_NO_RULE(IN_DDI(QueryDeviceDescriptor), no_answer_from_nobody, SCENE_REPLUG),
    BREAKS_RULE_BESIDE(CHILD_008, IN_DDI(GetChildContainerId), container_of_both,
                       SCENE_REPLUG | SCENE_ADVICE, make_both_alike),
};

MISBEHAVIOURS(outputs);
