/* The primary that all processes share, and formats of the driver's own. */
#include "d3dkmt/internal.h"

static NTSTATUS find_primary(struct client_call *call, D3DKMT_GETSHAREDPRIMARYHANDLE *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    struct dxgk_adapter_info info;

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    dxgk_adapter_info(adapter, &info);
    if (arguments->VidPnSourceId >= info.source_count) {
        return STATUS_INVALID_PARAMETER;
    }
    arguments->hSharedPrimary = dxgk_source_shared_primary(adapter, arguments->VidPnSourceId);
    return STATUS_SUCCESS;
}
CLIENT_CALL(GetSharedPrimaryHandle, find_primary, D3DKMT_GETSHAREDPRIMARYHANDLE)

static NTSTATUS check_source(LUID luid, UINT source)
{
    struct dxgk_adapter *adapter = dxgk_adapter_by_luid(luid);
    struct dxgk_mode mode;

    return adapter && dxgk_source_mode(adapter, source, &mode) ? STATUS_SUCCESS
                                                               : STATUS_INVALID_PARAMETER;
}

/* What must leave the screen before somebody locks it are sprites of the window manager, of which
 * there are none: a pointer lies beside the picture. */
static NTSTATUS before_lock(struct client_call *call,
                            const D3DKMT_SHAREDPRIMARYLOCKNOTIFICATION *arguments)
{
    const RECTL *rect = &arguments->LockRect;

    return rect->left > rect->right || rect->top > rect->bottom
               ? STATUS_INVALID_PARAMETER
               : check_source(arguments->AdapterLuid, arguments->VidPnSourceId);
}
CLIENT_CALL_IN(SharedPrimaryLockNotification, before_lock, D3DKMT_SHAREDPRIMARYLOCKNOTIFICATION)

static NTSTATUS after_lock(struct client_call *call,
                           const D3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION *arguments)
{
    return check_source(arguments->AdapterLuid, arguments->VidPnSourceId);
}
CLIENT_CALL_IN(SharedPrimaryUnLockNotification, after_lock, D3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION)

/* What the number means the driver and its user-mode part know. */
static NTSTATUS set_format(struct client_call *call,
                           const D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    UINT source = arguments->VidPnSourceId;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    if (source >= D3DKMDT_MAX_VIDPN_SOURCES || !client_source_is_taken(source, 0) ||
        client_source_is_taken(source, arguments->hDevice)) {
        return STATUS_INVALID_PARAMETER; /* it is not the device's alone */
    }
    return dxgk_source_set_private_format(dxgk_device_adapter(device), source,
                                          arguments->PrivateDriverFormatAttribute);
}
CLIENT_CALL_IN(SetDisplayPrivateDriverFormat, set_format, D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT)
