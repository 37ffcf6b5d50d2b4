/* child.c: the children of the adapter: one video output for each connector. Child uid, VidPN
 * target id and output index of the device are one number. */
#include "softgpu.h"

static BOOLEAN is_connected(const struct softgpu_adapter *adapter, ULONG output)
{
    return (softgpu_read(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_STATUS)) &
            SOFTGPU_OUTPUT_CONNECTED) != 0;
}

/* Fills an array that ends with a zeroed descriptor; dxgkrnl made room for it. */
NTSTATUS NTAPI softgpu_query_child_relations(const PVOID miniport_device_context,
                                             PDXGK_CHILD_DESCRIPTOR children, ULONG size_bytes)
{
    const struct softgpu_adapter *adapter = miniport_device_context;
    ULONG i, capacity = size_bytes / sizeof(*children);

    PAGED_CODE();

    for (i = 0; i < adapter->output_count && i + 1 < capacity; i++) {
        DXGK_VIDEO_OUTPUT_CAPABILITIES *video = &children[i].ChildCapabilities.Type.VideoOutput;

        RtlZeroMemory(&children[i], sizeof(children[i]));
        children[i].ChildDeviceType = TypeVideoOutput;
        children[i].ChildCapabilities.HpdAwareness = HpdAwarenessInterruptible;
        video->InterfaceTechnology = D3DKMDT_VOT_DISPLAYPORT_EXTERNAL;
        video->MonitorOrientationAwareness = D3DKMDT_MOA_NONE;
        video->SupportsSdtvModes = FALSE;
        children[i].AcpiUid = 0;
        children[i].ChildUid = i;
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_query_child_status(const PVOID miniport_device_context,
                                          PDXGK_CHILD_STATUS status, BOOLEAN non_destructive_only)
{
    const struct softgpu_adapter *adapter = miniport_device_context;

    UNREFERENCED_PARAMETER(non_destructive_only); /* looking at the connector disturbs nothing */
    PAGED_CODE();

    if (status->ChildUid >= adapter->output_count || status->Type != StatusConnection) {
        return STATUS_INVALID_PARAMETER;
    }
    status->HotPlug.Connected = is_connected(adapter, status->ChildUid);
    return STATUS_SUCCESS;
}

/* The EDID of the monitor, in pieces of the size that dxgkrnl likes. */
NTSTATUS NTAPI softgpu_query_device_descriptor(const PVOID miniport_device_context, ULONG child_uid,
                                               PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    const struct softgpu_adapter *adapter = miniport_device_context;
    union {
        ULONG words[SOFTGPU_EDID_SIZE / sizeof(ULONG)];
        UCHAR bytes[SOFTGPU_EDID_SIZE];
    } edid;
    ULONG i;

    PAGED_CODE();

    if (child_uid >= adapter->output_count) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!is_connected(adapter, child_uid)) {
        return STATUS_MONITOR_NO_DESCRIPTOR;
    }
    if (descriptor->DescriptorOffset >= SOFTGPU_EDID_SIZE) {
        return STATUS_MONITOR_NO_MORE_DESCRIPTOR_DATA;
    }
    for (i = 0; i < RTL_NUMBER_OF(edid.words); i++) {
        edid.words[i] = softgpu_read(adapter, SOFTGPU_OUTPUT_REG(child_uid, SOFTGPU_OUTPUT_EDID) +
                                                  i * sizeof(ULONG));
    }
    if (descriptor->DescriptorLength > SOFTGPU_EDID_SIZE - descriptor->DescriptorOffset) {
        descriptor->DescriptorLength = SOFTGPU_EDID_SIZE - descriptor->DescriptorOffset;
    }
    RtlCopyMemory(descriptor->DescriptorBuffer, edid.bytes + descriptor->DescriptorOffset,
                  descriptor->DescriptorLength);
    return STATUS_SUCCESS;
}

/* The monitors have no id of their own: what dxgkrnl makes of their EDID is as good. By the setting
 * the id is all of the EDID, folded, as if the monitor had told it (CHILD-008). */
NTSTATUS NTAPI softgpu_get_child_container_id(PVOID miniport_device_context, ULONG child_uid,
                                              PDXGK_CHILD_CONTAINER_ID container)
{
    const struct softgpu_adapter *adapter = miniport_device_context;
    UCHAR *id = (UCHAR *)&container->ContainerId, edid[SOFTGPU_EDID_SIZE];
    DXGK_DEVICE_DESCRIPTOR descriptor = {0, sizeof(edid), edid};
    ULONG i;

    PAGED_CODE();

    if (child_uid >= adapter->output_count) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!adapter->settings.container_ids ||
        !NT_SUCCESS(softgpu_query_device_descriptor(miniport_device_context, child_uid,
                                                    &descriptor))) {
        return STATUS_MONITOR_NO_DESCRIPTOR;
    }
    RtlZeroMemory(id, sizeof(container->ContainerId));
    for (i = 0; i < sizeof(edid); i++) {
        id[i % sizeof(container->ContainerId)] =
            (UCHAR)(id[i % sizeof(container->ContainerId)] * 31 + edid[i]);
    }
    return STATUS_SUCCESS;
}
