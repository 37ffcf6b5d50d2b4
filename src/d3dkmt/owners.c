/* Who owns a video present source, and what that hides. */
#include "d3dkmt/internal.h"

/* An owner is remembered by its device's handle, and by which of all that ever had the handle it
 * is: when that device is gone, so is the ownership. */
static struct {
    D3DKMT_HANDLE device;
    uint64_t life;
    D3DKMT_VIDPNSOURCEOWNER_TYPE type;
} owners[D3DKMDT_MAX_VIDPN_SOURCES];

/* 0: nobody. */
static D3DKMT_HANDLE owner_of(UINT source)
{
    bool lives = owners[source].device &&
                 dxgk_handle_life(owners[source].device, DXGK_KIND_DEVICE) == owners[source].life;

    return lives ? owners[source].device : 0;
}

static D3DKMT_VIDPNSOURCEOWNER_TYPE owner_type(UINT source)
{
    return owner_of(source) ? owners[source].type : D3DKMT_VIDPNSOURCEOWNER_UNOWNED;
}

bool client_source_is_taken(UINT source, D3DKMT_HANDLE device)
{
    return source < D3DKMDT_MAX_VIDPN_SOURCES && owner_of(source) != device &&
           owner_type(source) == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE;
}

bool client_source_is_others(struct client_call *call, UINT source)
{
    return client_source_is_taken(source, 0) && !device_of(call, owner_of(source));
}

/* May the device become an owner of this type? A shared owner yields to the others; the others
 * yield to nobody, and do not change places with each other. As Windows is recorded to answer,
 * where the desktop is the shared owner. */
static NTSTATUS check_owner(UINT source, D3DKMT_HANDLE device, D3DKMT_VIDPNSOURCEOWNER_TYPE wanted)
{
    D3DKMT_VIDPNSOURCEOWNER_TYPE now = owner_type(source);
    bool strict =
        now == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE || now == D3DKMT_VIDPNSOURCEOWNER_EMULATED;

    if (wanted == D3DKMT_VIDPNSOURCEOWNER_UNOWNED) {
        return STATUS_SUCCESS; /* of no effect on another's */
    }
    if (owner_of(source) == device) {
        return strict && wanted != now &&
                       (now == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE ||
                        wanted == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE)
                   ? STATUS_INVALID_PARAMETER
                   : STATUS_SUCCESS;
    }
    return strict || (now == D3DKMT_VIDPNSOURCEOWNER_SHARED && wanted == now)
               ? STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE
               : STATUS_SUCCESS;
}

static void become_owner(UINT source, D3DKMT_HANDLE device, D3DKMT_VIDPNSOURCEOWNER_TYPE type)
{
    if (type != D3DKMT_VIDPNSOURCEOWNER_UNOWNED) {
        owners[source].device = device;
        owners[source].life = dxgk_handle_life(device, DXGK_KIND_DEVICE);
        owners[source].type = type;
    } else if (owner_of(source) == device) {
        owners[source].device = 0;
    }
}

/* The client's two lists, one entry a source. */
struct owner_list {
    UINT count;
    const D3DKMT_VIDPNSOURCEOWNER_TYPE *types;
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID *sources;
};

static NTSTATUS decode_owners(struct client_call *call, const D3DKMT_SETVIDPNSOURCEOWNER *arguments,
                              UINT source_count, struct owner_list *list)
{
    void *types, *sources = NULL;

    if (arguments->VidPnSourceCount > source_count) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, arguments->pType, arguments->VidPnSourceCount,
                                     sizeof *list->types, &types);
    if (NT_SUCCESS(status)) {
        status = client_capture(call, arguments->pVidPnSourceId, arguments->VidPnSourceCount,
                                sizeof *list->sources, &sources);
    }
    *list = (struct owner_list){arguments->VidPnSourceCount, types, sources};
    return status;
}

static NTSTATUS check_owners(const struct owner_list *list, D3DKMT_HANDLE device, UINT source_count)
{
    NTSTATUS status = STATUS_SUCCESS;

    for (UINT i = 0; NT_SUCCESS(status) && i < list->count; i++) {
        if (list->sources[i] >= source_count) {
            return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
        }
        if ((unsigned)list->types[i] > D3DKMT_VIDPNSOURCEOWNER_EMULATED ||
            list->types[i] == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVEGDI) { /* of devices before WDDM */
            return STATUS_INVALID_PARAMETER;
        }
        status = check_owner(list->sources[i], device, list->types[i]);
    }
    return status;
}

static void disown(UINT source_count, D3DKMT_HANDLE device)
{
    for (UINT i = 0; i < source_count; i++) {
        become_owner(i, device, D3DKMT_VIDPNSOURCEOWNER_UNOWNED);
    }
}

/* No sources at all: the device gives back all it has. */
static NTSTATUS set_owner(struct client_call *call, const D3DKMT_SETVIDPNSOURCEOWNER *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_adapter_info info;
    struct owner_list list;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    if (dxgk_device_state(device) != D3DKMT_DEVICEEXECUTION_ACTIVE &&
        arguments->VidPnSourceCount > 0) {
        return STATUS_DEVICE_REMOVED; /* it can give back what it has */
    }
    dxgk_adapter_info(dxgk_device_adapter(device), &info);
    UINT count = info.source_count < D3DKMDT_MAX_VIDPN_SOURCES ? info.source_count
                                                               : D3DKMDT_MAX_VIDPN_SOURCES;
    NTSTATUS status = decode_owners(call, arguments, count, &list);
    if (NT_SUCCESS(status)) {
        status = check_owners(&list, arguments->hDevice, count);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (list.count == 0) {
        disown(count, arguments->hDevice);
    }
    for (UINT i = 0; i < list.count; i++) {
        become_owner(list.sources[i], arguments->hDevice, list.types[i]);
    }
    return STATUS_SUCCESS;
}
CLIENT_CALL_IN(SetVidPnSourceOwner, set_owner, D3DKMT_SETVIDPNSOURCEOWNER)

/* What the flags allow and forbid of duplication and composition is not looked at. Handles of the
 * system come with the second form. */
static NTSTATUS set_owner1(struct client_call *call, const D3DKMT_SETVIDPNSOURCEOWNER1 *arguments)
{
    return arguments->Flags.Reserved || arguments->Flags.UseNtHandles
               ? STATUS_INVALID_PARAMETER
               : set_owner(call, &arguments->Version0);
}
CLIENT_CALL_IN(SetVidPnSourceOwner1, set_owner1, D3DKMT_SETVIDPNSOURCEOWNER1)

/* There is no handle of the system that stands for a source. */
static NTSTATUS set_owner2(struct client_call *call, const D3DKMT_SETVIDPNSOURCEOWNER2 *arguments)
{
    const D3DKMT_SETVIDPNSOURCEOWNER1 *first = &arguments->Version1;
    UINT count = first->Version0.VidPnSourceCount;
    void *handles;

    if (!first->Flags.UseNtHandles) {
        return set_owner1(call, first);
    }
    if (!device_of(call, first->Version0.hDevice)) {
        return NO_SUCH_OBJECT;
    }
    if (count == 0 || count > D3DKMDT_MAX_VIDPN_SOURCES) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, arguments->pVidPnSourceNtHandles, count,
                                     sizeof(D3DKMT_PTR_TYPE), &handles);
    return NT_SUCCESS(status) ? STATUS_INVALID_HANDLE : status;
}
CLIENT_CALL_IN(SetVidPnSourceOwner2, set_owner2, D3DKMT_SETVIDPNSOURCEOWNER2)

/* ---- Who has it for himself ------------------------------------------------------------------ */

static NTSTATUS check_exclusive(struct client_call *call,
                                const D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP *arguments)
{
    if (!adapter_of(call, arguments->hAdapter)) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->VidPnSourceId >= D3DKMDT_MAX_VIDPN_SOURCES) {
        return STATUS_INVALID_PARAMETER;
    }
    return client_source_is_taken(arguments->VidPnSourceId, 0) ? STATUS_GRAPHICS_PRESENT_OCCLUDED
                                                               : STATUS_SUCCESS;
}
CLIENT_CALL_IN(CheckVidPnExclusiveOwnership, check_exclusive, D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP)

/* The first source that is somebody's alone, from `source` on; D3DKMDT_MAX_VIDPN_SOURCES: none. */
static UINT next_taken(UINT source)
{
    while (source < D3DKMDT_MAX_VIDPN_SOURCES && !client_source_is_taken(source, 0)) {
        source++;
    }
    return source;
}

/* The arguments of functions that have no structure of their own. */
struct process_arguments {
    HANDLE process;
};

static BOOLEAN is_any_taken(struct client_call *call)
{
    return call->process && next_taken(0) < D3DKMDT_MAX_VIDPN_SOURCES;
}

BOOLEAN APIENTRY D3DKMTCheckExclusiveOwnership(void)
{
    struct client_call call = {.number = D3DKMT_CALL_CheckExclusiveOwnership};
    struct process_arguments none = {0}, copy;
    const struct client_arguments where = {
        .theirs = &none, .ours = &copy, .size = sizeof copy, .answered = false};
    NTSTATUS status = client_enter(&call, &where);
    BOOLEAN taken = NT_SUCCESS(status) && is_any_taken(&call);

    (void)client_leave(&call, &where, status);
    return taken;
}

/* Of the process's own devices; windows there are none of. */
static NTSTATUS query_exclusive(struct client_call *call,
                                D3DKMT_QUERYVIDPNEXCLUSIVEOWNERSHIP *arguments)
{
    if (!client_names_caller(arguments->hProcess)) {
        return STATUS_INVALID_HANDLE;
    }
    arguments->OwnerType = D3DKMT_VIDPNSOURCEOWNER_UNOWNED;
    for (UINT i = next_taken(0); i < D3DKMDT_MAX_VIDPN_SOURCES; i = next_taken(i + 1)) {
        const struct dxgk_device *device = device_of(call, owner_of(i));
        if (device) {
            arguments->VidPnSourceId = i;
            arguments->AdapterLuid = dxgk_adapter_luid(dxgk_device_adapter(device));
            arguments->OwnerType = D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE;
            break;
        }
    }
    return STATUS_SUCCESS;
}
CLIENT_CALL(QueryVidPnExclusiveOwnership, query_exclusive, D3DKMT_QUERYVIDPNEXCLUSIVEOWNERSHIP)

static NTSTATUS release_owners(struct client_call *call, const struct process_arguments *arguments)
{
    if (!client_names_caller(arguments->process)) {
        return STATUS_INVALID_PARAMETER;
    }
    for (UINT i = 0; i < D3DKMDT_MAX_VIDPN_SOURCES; i++) {
        if (device_of(call, owner_of(i))) {
            owners[i].device = 0;
        }
    }
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY D3DKMTReleaseProcessVidPnSourceOwners(HANDLE process)
{
    struct client_call call = {.number = D3DKMT_CALL_ReleaseProcessVidPnSourceOwners};
    struct process_arguments given = {process}, copy;
    const struct client_arguments where = {
        .theirs = &given, .ours = &copy, .size = sizeof copy, .answered = false};
    NTSTATUS status = client_enter(&call, &where);

    if (NT_SUCCESS(status)) {
        status = release_owners(&call, &copy);
    }
    return client_leave(&call, &where, status);
}

/* As Windows is recorded to answer: a window is hidden when the screen is somebody's alone,
 * wherever the window is, unless there is another screen that is not. */
static NTSTATUS check_occlusion(struct client_call *call, const D3DKMT_CHECKOCCLUSION *arguments)
{
    struct dxgk_adapter *adapter = dxgk_adapter_first();
    unsigned shown = 0, taken = 0;
    struct dxgk_mode mode;

    if (!arguments->hWindow || !adapter) {
        return STATUS_INVALID_PARAMETER;
    }
    for (UINT i = 0; i < D3DKMDT_MAX_VIDPN_SOURCES; i++) {
        if (dxgk_source_mode(adapter, i, &mode)) {
            shown++;
            taken += client_source_is_taken(i, 0);
        }
    }
    return taken > 0 && taken == shown ? STATUS_GRAPHICS_PRESENT_OCCLUDED : STATUS_SUCCESS;
}
CLIENT_CALL_IN(CheckOcclusion, check_occlusion, D3DKMT_CHECKOCCLUSION)
