/* Adapters: opening, enumerating, what they say of themselves. */
#include "d3dkmt/internal.h"

#include <string.h>

static NTSTATUS open_by_luid(struct client_call *call, D3DKMT_OPENADAPTERFROMLUID *arguments)
{
    struct dxgk_adapter *adapter = dxgk_adapter_by_luid(arguments->AdapterLuid);

    return adapter ? dxgk_adapter_handle_new(adapter, call->process, &arguments->hAdapter)
                   : STATUS_INVALID_PARAMETER;
}
CLIENT_CALL_FILLING(OpenAdapterFromLuid, open_by_luid, D3DKMT_OPENADAPTERFROMLUID)

static NTSTATUS describe_adapter(struct client_call *call, struct dxgk_adapter *adapter,
                                 D3DKMT_ADAPTERINFO *out)
{
    struct dxgk_adapter_info info;

    dxgk_adapter_info(adapter, &info);
    *out = (D3DKMT_ADAPTERINFO){
        .AdapterLuid = dxgk_adapter_luid(adapter),
        .NumOfSources = info.source_count,
    };
    return dxgk_adapter_handle_new(adapter, call->process, &out->hAdapter);
}

/* There is one adapter at most. */
static NTSTATUS enumerate(struct client_call *call, D3DKMT_ENUMADAPTERS *arguments)
{
    struct dxgk_adapter *adapter = dxgk_adapter_first();
    NTSTATUS status =
        adapter ? describe_adapter(call, adapter, &arguments->Adapters[0]) : STATUS_SUCCESS;

    arguments->NumAdapters = adapter && NT_SUCCESS(status);
    return status;
}
CLIENT_CALL_FILLING(EnumAdapters, enumerate, D3DKMT_ENUMADAPTERS)

/* What Windows says to a client that asks how long a list it needs: room for every adapter that
 * there may be, not for those that there are. */
#define ADAPTERS_MAX 34

/* Where a client wants them, and what it wants: the adapter, or NULL if there is none for it. */
struct enumeration {
    struct dxgk_adapter *adapter;
    ULONG room;
    D3DKMT_ADAPTERINFO CLIENT *list;
};

static NTSTATUS fill_list(struct client_call *call, const struct enumeration *wanted, ULONG *count)
{
    D3DKMT_ADAPTERINFO info;

    *count = wanted->list ? wanted->adapter != NULL : ADAPTERS_MAX;
    if (!wanted->list || !wanted->adapter) {
        return STATUS_SUCCESS;
    }
    if (wanted->room == 0) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    NTSTATUS status = client_probe_write(wanted->list, sizeof info);
    if (NT_SUCCESS(status)) {
        status = describe_adapter(call, wanted->adapter, &info);
    }
    return NT_SUCCESS(status) ? client_write(wanted->list, &info, sizeof info) : status;
}

static NTSTATUS enumerate2(struct client_call *call, D3DKMT_ENUMADAPTERS2 *arguments)
{
    const struct enumeration wanted = {dxgk_adapter_first(), arguments->NumAdapters,
                                       arguments->pAdapters};

    return fill_list(call, &wanted, &arguments->NumAdapters);
}
CLIENT_CALL_FILLING(EnumAdapters2, enumerate2, D3DKMT_ENUMADAPTERS2)

/* What draws nothing and what computes only is left out unless it is asked for. */
static bool passes(const struct dxgk_adapter *adapter, D3DKMT_ENUMADAPTERS_FILTER filter)
{
    switch (dxgk_adapter_kind(adapter)) {
    case DXGK_DISPLAY_ONLY:
        return filter.IncludeDisplayOnly;
    case DXGK_COMPUTE_ONLY:
        return filter.IncludeComputeOnly;
    default:
        return true;
    }
}

static NTSTATUS enumerate3(struct client_call *call, D3DKMT_ENUMADAPTERS3 *arguments)
{
    struct dxgk_adapter *adapter = dxgk_adapter_first();
    const struct enumeration wanted = {adapter && passes(adapter, arguments->Filter) ? adapter
                                                                                     : NULL,
                                       arguments->NumAdapters, arguments->pAdapters};

    if (arguments->Filter.Reserved) {
        return STATUS_INVALID_PARAMETER;
    }
    return fill_list(call, &wanted, &arguments->NumAdapters);
}
CLIENT_CALL(EnumAdapters3, enumerate3, D3DKMT_ENUMADAPTERS3)

/* ---- By names of the window manager -------------------------------------------------------- */

#define DISPLAY_PREFIX L"\\\\.\\DISPLAY"

/* "\\.\DISPLAY1" is the first source. */
static bool decode_display(const WCHAR *name, unsigned name_max, UINT *source)
{
    const WCHAR prefix[] = DISPLAY_PREFIX;
    unsigned at = sizeof prefix / sizeof *prefix - 1, number = 0, digits = 0;

    if (memcmp(name, prefix, at * sizeof *name) != 0) {
        return false;
    }
    for (; at < name_max && name[at] >= '0' && name[at] <= '9' && digits < 3; at++, digits++) {
        number = number * 10 + (name[at] - '0');
    }
    *source = number - 1;
    return number > 0 && at < name_max && name[at] == 0;
}

/* A source without a picture is no display of the desktop. */
static NTSTATUS open_by_display(struct client_call *call,
                                D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME *arguments)
{
    struct dxgk_adapter *adapter = dxgk_adapter_first();
    struct dxgk_mode mode;
    UINT source;

    if (!adapter ||
        !decode_display(arguments->DeviceName,
                        sizeof arguments->DeviceName / sizeof *arguments->DeviceName, &source) ||
        !dxgk_source_mode(adapter, source, &mode)) {
        return STATUS_UNSUCCESSFUL;
    }
    arguments->AdapterLuid = dxgk_adapter_luid(adapter);
    arguments->VidPnSourceId = source;
    return dxgk_adapter_handle_new(adapter, call->process, &arguments->hAdapter);
}

/* Recorded: no name at all is as wrong as one that names nothing. */
NTSTATUS APIENTRY
D3DKMTOpenAdapterFromGdiDisplayName(D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME *arguments)
{
    struct client_call call = {.number = D3DKMT_CALL_OpenAdapterFromGdiDisplayName};
    D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME copy;
    const struct client_arguments where = {
        .theirs = arguments, .ours = &copy, .size = sizeof copy, .answered = true};
    NTSTATUS status = client_enter(&call, &where);

    if (NT_SUCCESS(status)) {
        status = open_by_display(&call, &copy);
    } else if (!arguments && status == STATUS_INVALID_PARAMETER) {
        status = STATUS_UNSUCCESSFUL;
    }
    return client_leave(&call, &where, status);
}

/* ---- By the name of its device's interface --------------------------------------------------- */

#define INTERFACE_MAX 256

/* A name of so many characters at most, with its end; lower case, and what no name of a device has
 * in it becomes '?'. */
static NTSTATUS read_name(const WCHAR CLIENT *theirs, char name[INTERFACE_MAX])
{
    NTSTATUS status = theirs ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
    WCHAR letter = 1;

    for (unsigned i = 0; NT_SUCCESS(status) && letter; i++) {
        status = i < INTERFACE_MAX ? client_read(&letter, theirs + i, sizeof letter)
                                   : STATUS_INVALID_PARAMETER;
        if (NT_SUCCESS(status)) {
            name[i] = letter < 0x80 ? (char)letter : '?';
            name[i] |= name[i] >= 'A' && name[i] <= 'Z' ? 0x20 : 0;
        }
    }
    return status;
}

/* As clients list devices: the interface that display adapters have, and the one of those that
 * have outputs. */
static NTSTATUS open_by_device(struct client_call *call,
                               D3DKMT_OPENADAPTERFROMDEVICENAME *arguments)
{
    static const char *const classes[] = {"{5b45201d-f2f2-4f3b-85bb-30ff1f953599}",
                                          "{1ca05180-a699-450a-9a0c-de4fbe3ddd89}"};
    struct dxgk_adapter *adapter = dxgk_adapter_first();
    char name[INTERFACE_MAX], own[INTERFACE_MAX];
    bool found = false;
    NTSTATUS status = read_name(arguments->pDeviceName, name);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    for (unsigned i = 0; adapter && i < sizeof classes / sizeof *classes; i++) {
        nt_device_interface_name(dxgk_adapter_slot(adapter), classes[i], own, sizeof own);
        found |= strcmp(name, own) == 0;
    }
    if (!found) {
        return STATUS_INVALID_PARAMETER;
    }
    arguments->AdapterLuid = dxgk_adapter_luid(adapter);
    return dxgk_adapter_handle_new(adapter, call->process, &arguments->hAdapter);
}
CLIENT_CALL(OpenAdapterFromDeviceName, open_by_device, D3DKMT_OPENADAPTERFROMDEVICENAME)

/* ---- By what GDI has ------------------------------------------------------------------------- */

/* There is no GDI: nothing has a device context, so that every handle of one is wrong. */
static NTSTATUS open_by_context(struct client_call *call, D3DKMT_OPENADAPTERFROMHDC *arguments)
{
    return STATUS_INVALID_PARAMETER;
}
CLIENT_CALL(OpenAdapterFromHdc, open_by_context, D3DKMT_OPENADAPTERFROMHDC)

/* For its owner alone; both handles are GDI's. */
static NTSTATUS make_dc(struct client_call *call, D3DKMT_CREATEDCFROMMEMORY *arguments)
{
    return STATUS_INVALID_PARAMETER;
}
CLIENT_CALL(CreateDCFromMemory, make_dc, D3DKMT_CREATEDCFROMMEMORY)

static NTSTATUS destroy_dc(struct client_call *call, const D3DKMT_DESTROYDCFROMMEMORY *arguments)
{
    return STATUS_INVALID_PARAMETER;
}
CLIENT_CALL_IN(DestroyDCFromMemory, destroy_dc, D3DKMT_DESTROYDCFROMMEMORY)

/* ---- Closing --------------------------------------------------------------------------------- */

static NTSTATUS close_adapter(struct client_call *call, const D3DKMT_CLOSEADAPTER *arguments)
{
    return dxgk_adapter_handle_close(arguments->hAdapter, call->process);
}
CLIENT_CALL_IN(CloseAdapter, close_adapter, D3DKMT_CLOSEADAPTER)
