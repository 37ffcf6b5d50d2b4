/* nt/po_etw.c: power and event tracing, as far as a display miniport meets them by itself.
 *
 * The graphics kernel speaks for power; here requests are granted at once and settings never
 * change. Traces have no listener. */
#include "nt/internal.h"

#include <stdlib.h>

/* ---- Power ----------------------------------------------------------------------------------- */

NTSTATUS NTAPI PoRequestPowerIrp(PDEVICE_OBJECT DeviceObject, UCHAR MinorFunction,
                                 POWER_STATE PowerState, PREQUEST_POWER_COMPLETE CompletionFunction,
                                 PVOID Context, PIRP *Irp)
{
    IO_STATUS_BLOCK io = {.Status = STATUS_SUCCESS};

    NT_EXPORT_ENTER(PoRequestPowerIrp);
    if (Irp) {
        *Irp = NULL;
    }
    if (CompletionFunction) {
        CompletionFunction(DeviceObject, MinorFunction, PowerState, Context, &io);
    }
    return STATUS_PENDING;
}

POWER_STATE NTAPI PoSetPowerState(PDEVICE_OBJECT DeviceObject, POWER_STATE_TYPE Type,
                                  POWER_STATE State)
{
    POWER_STATE before;

    NT_EXPORT_ENTER(PoSetPowerState);
    if (Type == SystemPowerState) {
        before.SystemState = PowerSystemWorking;
    } else {
        before.DeviceState = PowerDeviceD0;
    }
    return before;
}

VOID NTAPI PoStartNextPowerIrp(PIRP Irp)
{
    NT_EXPORT_ENTER(PoStartNextPowerIrp);
}

static unsigned power_callbacks;

NTSTATUS NTAPI PoRegisterPowerSettingCallback(PDEVICE_OBJECT DeviceObject, const GUID *SettingGuid,
                                              PPOWER_SETTING_CALLBACK Callback, PVOID Context,
                                              PVOID *Handle)
{
    NT_EXPORT_ENTER(PoRegisterPowerSettingCallback);
    *Handle = nt_memory_alloc(16, POOL_TAG('P', 'o', 'S', 'c'));
    if (!*Handle) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    power_callbacks++;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI PoUnregisterPowerSettingCallback(PVOID Handle)
{
    struct export_call call = NT_EXPORT_CALL(PoUnregisterPowerSettingCallback);

    if (!Handle || !pool_free_internal(Handle)) {
        misuse(NT_MISUSE_HANDLE, &call, "that is no registration");
        return STATUS_INVALID_PARAMETER;
    }
    power_callbacks--;
    return STATUS_SUCCESS;
}

/* ---- Event tracing --------------------------------------------------------------------------- */

static uint64_t providers; /* registered now */
static REGHANDLE next_provider;

NTSTATUS NTAPI EtwRegister(const GUID *ProviderId, PETWENABLECALLBACK EnableCallback,
                           PVOID CallbackContext, PREGHANDLE RegHandle)
{
    NT_EXPORT_ENTER(EtwRegister);
    *RegHandle = ++next_provider;
    providers++;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI EtwUnregister(REGHANDLE RegHandle)
{
    struct export_call call = NT_EXPORT_CALL(EtwUnregister);

    if (RegHandle == 0 || RegHandle > next_provider || providers == 0) {
        misuse(NT_MISUSE_HANDLE, &call, "that is no registered provider");
        return STATUS_INVALID_HANDLE;
    }
    providers--;
    return STATUS_SUCCESS;
}

BOOLEAN NTAPI EtwEventEnabled(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor)
{
    NT_EXPORT_ENTER(EtwEventEnabled);
    return FALSE;
}

BOOLEAN NTAPI EtwProviderEnabled(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword)
{
    NT_EXPORT_ENTER(EtwProviderEnabled);
    return FALSE;
}

NTSTATUS NTAPI EtwWrite(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
                        const GUID *ActivityId, ULONG UserDataCount,
                        PEVENT_DATA_DESCRIPTOR UserData)
{
    NT_EXPORT_ENTER(EtwWrite);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI EtwWriteTransfer(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
                                const GUID *ActivityId, const GUID *RelatedActivityId,
                                ULONG UserDataCount, PEVENT_DATA_DESCRIPTOR UserData)
{
    struct export_call call = NT_EXPORT_CALL(EtwWriteTransfer);

    if (RegHandle == 0 || RegHandle > next_provider) {
        misuse(NT_MISUSE_HANDLE, &call, "that is no registered provider");
        return STATUS_INVALID_HANDLE;
    }
    return STATUS_SUCCESS;
}

void registration_leaks(struct leak_visitor *visitor)
{
    if (providers) {
        leak(visitor, "trace provider", "%llu still registered", (unsigned long long)providers);
    }
    if (power_callbacks) {
        leak(visitor, "power callback", "%u still registered", power_callbacks);
    }
}

void registration_stop(void)
{
    providers = next_provider = 0;
    power_callbacks = 0;
}
