/* Native fences: made, and opened by handles of the system. They are waited for, signalled and
 * destroyed as other synchronisation objects are (sync.c). */
#include "d3dkmt/internal.h"

static void answer(const struct dxgk_sync *sync, D3DDDI_NATIVEFENCEMAPPING *mapping)
{
    mapping->CurrentValueCpuVa = dxgk_sync_memory(sync);
    mapping->CurrentValueGpuVa = dxgk_fence_address(sync);
    mapping->MonitoredValueGpuVa = dxgk_native_monitored_address(sync);
}

static bool knows_flags(D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags)
{
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS known = {.Value = 0};

    known.Shared = known.NtSecuritySharing = 1;
    known.NoSignal = known.NoWait = known.NoSignalMaxValueOnTdr = 1;
    return (flags.Value & ~known.Value) == 0;
}

/* Values in the memory of one GPU are not offered (features.c of ddi/). */
static NTSTATUS create(struct client_call *call, D3DKMT_CREATENATIVEFENCE *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    const struct dxgk_native_request request = {
        .initial_value = arguments->Info.InitialFenceValue,
        .flags = arguments->Info.Flags,
        .private_data = arguments->PrivateDriverData,
    };
    struct dxgk_sync *sync;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    /* Shared ones are shared by handles of the system alone. */
    if (arguments->Info.Flags.NtSecuritySharing != arguments->Info.Flags.Shared ||
        arguments->Flags.Value || arguments->Info.EngineAffinity > 1) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!knows_flags(arguments->Info.Flags) ||
        arguments->Info.Type != D3DDDI_NATIVEFENCE_TYPE_DEFAULT) {
        return STATUS_NOT_SUPPORTED;
    }
    NTSTATUS status = dxgk_native_create(device, &request, &sync);
    if (NT_SUCCESS(status)) {
        arguments->hSyncObject = dxgk_sync_handle(sync);
        answer(sync, &arguments->Info.NativeFenceMapping);
    }
    return status;
}
CLIENT_CALL(CreateNativeFence, create, D3DKMT_CREATENATIVEFENCE)

static NTSTATUS open(struct client_call *call, D3DKMT_OPENNATIVEFENCEFROMNTHANDLE *arguments)
{
    const struct dxgk_sync_opening how = {.device = device_of(call, arguments->hDevice),
                                          .flags = arguments->Flags};
    struct dxgk_sync_core *core = client_shared_sync(call, arguments->hNtHandle);
    struct dxgk_sync *sync;

    if (!how.device) {
        return NO_SUCH_OBJECT;
    }
    if (!core) {
        return STATUS_INVALID_HANDLE;
    }
    if (!knows_flags(arguments->Flags)) {
        return STATUS_NOT_SUPPORTED;
    }
    NTSTATUS status = dxgk_native_open(&how, core, arguments->PrivateDriverData, &sync);
    if (NT_SUCCESS(status)) {
        arguments->hSyncObject = dxgk_sync_handle(sync);
        answer(sync, &arguments->NativeFenceMapping);
    }
    return status;
}
CLIENT_CALL(OpenNativeFenceFromNtHandle, open, D3DKMT_OPENNATIVEFENCEFROMNTHANDLE)
