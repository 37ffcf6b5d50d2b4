/* Clients that want to hear when they should trim. The only calls that go the other way: what a
 * client registers is called in a task of its process, and is its own code there. */
#include "d3dkmt/internal.h"

#include <limits.h>

static void tell(const struct dxgk_trim_client *client, const struct dxgk_trim_notice *notice)
{
    PFND3DKMT_TRIMNOTIFICATIONCALLBACK routine =
        (PFND3DKMT_TRIMNOTIFICATIONCALLBACK)client->routine;
    D3DKMT_TRIMNOTIFICATION notification = {
        .Context = (void CLIENT *)client->context,
        .Flags.PeriodicTrim = notice->periodic,
        .Flags.RestartPeriodicTrim = notice->restart,
        .Flags.TrimToBudget = notice->bytes > 0,
        .NumBytesToTrim = notice->bytes,
    };
    void *served = task_slot(task_self(), TASK_SLOT_SERVED);

    task_serve(NULL);
    routine(&notification);
    task_serve(served);
    machine_yield();
}

static NTSTATUS register_trim(struct client_call *call, D3DKMT_REGISTERTRIMNOTIFICATION *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    D3DKMT_HANDLE handle;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    LUID luid = dxgk_adapter_luid(dxgk_device_adapter(device));
    if (!arguments->Callback || arguments->AdapterLuid.LowPart != luid.LowPart ||
        arguments->AdapterLuid.HighPart != luid.HighPart) {
        return STATUS_INVALID_PARAMETER;
    }
    const struct dxgk_trim_client client = {.tell = tell,
                                            .routine = (uintptr_t)arguments->Callback,
                                            .context = (uintptr_t)arguments->Context};
    NTSTATUS status = dxgk_trim_register(device, &client, &handle);
    if (NT_SUCCESS(status)) {
        arguments->Handle = (void CLIENT *)(uintptr_t)handle;
    }
    return status;
}
CLIENT_CALL(RegisterTrimNotification, register_trim, D3DKMT_REGISTERTRIMNOTIFICATION)

/* To the client the handle is a pointer; nobody follows it. */
static NTSTATUS unregister_trim(struct client_call *call,
                                const D3DKMT_UNREGISTERTRIMNOTIFICATION *arguments)
{
    uintptr_t handle = (uintptr_t)arguments->Handle;
    struct dxgk_trimming *trimming = NULL;

    if (handle <= UINT_MAX) {
        trimming = client_object(call, (D3DKMT_HANDLE)handle, DXGK_KIND_TRIMMING, call->process);
    }
    return trimming ? dxgk_trim_unregister(trimming, (uintptr_t)arguments->Callback)
                    : NO_SUCH_OBJECT;
}
CLIENT_ENTRY(D3DKMTUnregisterTrimNotification, UnregisterTrimNotification, unregister_trim,
             D3DKMT_UNREGISTERTRIMNOTIFICATION, D3DKMT_UNREGISTERTRIMNOTIFICATION, false)
