/* What D3DKMTQueryAdapterInfo answers from the registry: what an installation and the driver wrote
 * into the adapter's software key and the service's. */
#include "d3dkmt/query.h"

#include <string.h>

#define NAME_UNITS 260u /* of all names and texts here, with the end */

struct value {
    uint32_t type;
    const void *bytes;
    size_t size;
};

static bool find_value(struct dxgk_adapter *adapter, bool service, const char *name,
                       struct value *value)
{
    char key[DXGK_REGISTRY_KEY_MAX];

    dxgk_adapter_registry_key(adapter, service, key, sizeof key);
    return nt_registry_get(key, name, &value->type, &value->bytes, &value->size);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Text `index` of a value, which may be a list; drivers write theirs as REG_BINARY, too. Cut where
 * there is no more room; empty: there is none. */
static void take_text(const struct value *value, unsigned index, WCHAR *out)
{
    const WCHAR *text = value->bytes;
    size_t count = value->size / sizeof(WCHAR), at = 0, length = 0;

    for (; index > 0 && at < count; at++) {
        index -= text[at] == 0;
    }
    while (at < count && text[at] && length + 1 < NAME_UNITS) {
        out[length++] = text[at++];
    }
    out[length] = 0;
}

static bool is_text(const struct value *value)
{
    return value->type == REG_SZ || value->type == REG_EXPAND_SZ || value->type == REG_MULTI_SZ ||
           value->type == REG_BINARY;
}

/* UserModeDriverName is a list: a driver for each version of the runtime, from Direct3D 9 on. */
static NTSTATUS fill_user_mode_driver(struct dxgk_adapter *adapter,
                                      const struct dxgk_adapter_info *info, void *bytes)
{
    D3DKMT_UMDFILENAMEINFO *out = bytes;
    struct value value;

    if ((unsigned)out->Version > KMTUMDVERSION_DX12) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!find_value(adapter, false, "UserModeDriverName", &value) || !is_text(&value)) {
        return STATUS_NOT_FOUND;
    }
    take_text(&value, (unsigned)out->Version, out->UmdFileName);
    return out->UmdFileName[0] ? STATUS_SUCCESS : STATUS_NOT_FOUND;
}

/* What a driver tells of its hardware; what it does not stays empty. */
static NTSTATUS fill_hardware(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                              void *bytes)
{
    D3DKMT_ADAPTERREGISTRYINFO *out = bytes;
    const struct {
        const char *name;
        WCHAR *text;
    } texts[] = {
        {"HardwareInformation.AdapterString", out->AdapterString},
        {"HardwareInformation.BiosString", out->BiosString},
        {"HardwareInformation.DacType", out->DacType},
        {"HardwareInformation.ChipType", out->ChipType},
    };
    struct value value;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (find_value(adapter, false, texts[i].name, &value) && is_text(&value)) {
            take_text(&value, 0, texts[i].text);
        }
    }
    return STATUS_SUCCESS;
}

static const struct client_question rows[] = {
    {KMTQAITYPE_UMDRIVERNAME, sizeof(D3DKMT_UMDFILENAMEINFO), fill_user_mode_driver},
    {KMTQAITYPE_ADAPTERREGISTRYINFO, sizeof(D3DKMT_ADAPTERREGISTRYINFO), fill_hardware},
    {KMTQAITYPE_ADAPTERREGISTRYINFO_RENDER, sizeof(D3DKMT_ADAPTERREGISTRYINFO), fill_hardware},
};

const struct client_questions client_registry_questions = {rows, sizeof rows / sizeof *rows};

/* ---- Any value ------------------------------------------------------------------------------- */

/* Names are ASCII here: what is not there in that is not there. */
static bool narrow(const WCHAR *wide, char *name)
{
    for (size_t i = 0; i < NAME_UNITS; i++) {
        if (wide[i] > 0x7F) {
            return false;
        }
        name[i] = (char)wide[i];
        if (!wide[i]) {
            return i > 0;
        }
    }
    return false;
}

/* Of the files of an installed driver nothing is known; translating their paths changes nothing. */
static NTSTATUS look_up(struct dxgk_adapter *adapter, const D3DDDI_QUERYREGISTRY_INFO *asked,
                        struct value *value)
{
    char name[NAME_UNITS];

    if ((unsigned)asked->QueryType >= D3DDDI_QUERYREGISTRY_MAX || asked->QueryFlags.Reserved ||
        asked->QueryFlags.MutableValue || asked->PhysicalAdapterIndex != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    if (asked->QueryType > D3DDDI_QUERYREGISTRY_ADAPTERKEY) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!narrow(asked->ValueName, name)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!find_value(adapter, asked->QueryType == D3DDDI_QUERYREGISTRY_SERVICEKEY, name, value)) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    return value->type == asked->ValueType ? STATUS_SUCCESS : STATUS_OBJECT_TYPE_MISMATCH;
}

/* The value lies behind the head: what of it is longer than a number, behind the structure, too. */
NTSTATUS client_query_registry(struct dxgk_adapter *adapter, void CLIENT *theirs, UINT size)
{
    const size_t head = offsetof(D3DDDI_QUERYREGISTRY_INFO, OutputDword);
    D3DDDI_QUERYREGISTRY_INFO info;
    struct value value;

    if (!theirs || size < sizeof info) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_read(&info, theirs, sizeof info);
    if (NT_SUCCESS(status)) {
        status = client_probe_write(theirs, size);
    }
    if (NT_SUCCESS(status)) {
        status = look_up(adapter, &info, &value);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    bool fits = value.size <= size - head;
    info.OutputValueSize = (ULONG)value.size;
    info.Status =
        fits ? D3DDDI_QUERYREGISTRY_STATUS_SUCCESS : D3DDDI_QUERYREGISTRY_STATUS_BUFFER_OVERFLOW;
    status = client_write(theirs, &info, head);
    return NT_SUCCESS(status) && fits
               ? client_write((char CLIENT *)theirs + head, value.bytes, value.size)
               : status;
}
