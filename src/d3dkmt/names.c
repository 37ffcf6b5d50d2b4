/* Names of what clients share: those of the object manager, in the directories that programs may
 * make objects in. A name is its handles' (dxgk/share.h), and gone with the last of them. */
#include "d3dkmt/internal.h"

#include "base/check.h"

/* ---- Paths --------------------------------------------------------------------------------- */

#define BASE_DIRECTORY L"\\BaseNamedObjects"
#define SESSIONS       L"\\Sessions\\"

#define NAME_BYTES_MAX 2048u /* so that clients cannot fill the host's memory with them; a guess */

#define UNITS(text) (sizeof(text) / sizeof(WCHAR) - 1)

static bool begins_with(const UNICODE_STRING *path, size_t from, const WCHAR *text, size_t units)
{
    if (path->Length / sizeof(WCHAR) - from < units) {
        return false;
    }
    const UNICODE_STRING part = {.Length = (USHORT)(units * sizeof(WCHAR)),
                                 .Buffer = path->Buffer + from};
    const UNICODE_STRING wanted = {.Length = part.Length, .Buffer = (WCHAR *)text};
    return nt_same_name(&part, &wanted);
}

/* Behind \Sessions\ and its number, if the path begins so. */
static size_t behind_session(const UNICODE_STRING *path)
{
    size_t count = path->Length / sizeof(WCHAR), at = UNITS(SESSIONS);

    if (!begins_with(path, 0, SESSIONS, UNITS(SESSIONS))) {
        return 0;
    }
    while (at < count && path->Buffer[at] >= '0' && path->Buffer[at] <= '9') {
        at++;
    }
    return at > UNITS(SESSIONS) ? at : 0;
}

/* A name in a directory that there is. */
static NTSTATUS check_path(const UNICODE_STRING *path)
{
    size_t count = path->Length / sizeof(WCHAR);

    if (count == 0 || path->Buffer[0] != '\\') {
        return STATUS_OBJECT_PATH_SYNTAX_BAD;
    }
    size_t at = behind_session(path);
    if (!begins_with(path, at, BASE_DIRECTORY, UNITS(BASE_DIRECTORY))) {
        return STATUS_OBJECT_PATH_NOT_FOUND;
    }
    at += UNITS(BASE_DIRECTORY);
    if (at < count && path->Buffer[at] != '\\') {
        return STATUS_OBJECT_PATH_NOT_FOUND;
    }
    if (at + 1 >= count) {
        return STATUS_OBJECT_NAME_INVALID;
    }
    for (at++; at < count; at++) {
        if (path->Buffer[at] == '\\') {
            return STATUS_OBJECT_PATH_NOT_FOUND;
        }
    }
    return STATUS_SUCCESS;
}

NTSTATUS client_capture_name(struct client_call *call, const OBJECT_ATTRIBUTES CLIENT *theirs,
                             UNICODE_STRING *name)
{
    OBJECT_ATTRIBUTES attributes;
    void *text = NULL;

    *name = (UNICODE_STRING){0};
    if (!theirs) {
        return STATUS_SUCCESS;
    }
    NTSTATUS status = client_read(&attributes, theirs, sizeof attributes);
    if (!NT_SUCCESS(status) || attributes.Length != sizeof attributes) {
        return NT_SUCCESS(status) ? STATUS_INVALID_PARAMETER : status;
    }
    if (attributes.RootDirectory) {
        return STATUS_INVALID_HANDLE; /* nobody has a directory */
    }
    if (!attributes.ObjectName) {
        return STATUS_SUCCESS;
    }
    status = client_read(name, (const void CLIENT *)attributes.ObjectName, sizeof *name);
    if (NT_SUCCESS(status) && (name->Length % sizeof(WCHAR) || name->Length > NAME_BYTES_MAX)) {
        status = STATUS_OBJECT_NAME_INVALID;
    }
    if (NT_SUCCESS(status)) {
        status = client_capture(call, (const void CLIENT *)name->Buffer,
                                name->Length / sizeof(WCHAR), sizeof(WCHAR), &text);
    }
    name->Buffer = text;
    return NT_SUCCESS(status) ? check_path(name) : status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Every access is granted that is asked for, but one has to be asked for. */
static NTSTATUS open_name(struct client_call *call, const OBJECT_ATTRIBUTES CLIENT *theirs,
                          DWORD access, bool wants_sync, HANDLE *handle)
{
    UNICODE_STRING name;
    uint64_t made = 0;
    NTSTATUS status = client_capture_name(call, theirs, &name);

    if (NT_SUCCESS(status) && !name.Buffer) {
        status = STATUS_INVALID_PARAMETER;
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_share_open_name(call->process, &name, wants_sync, &made);
    }
    if (NT_SUCCESS(status) && access == 0) {
        (void)dxgk_share_close(made);
        status = STATUS_ACCESS_DENIED;
    }
    if (NT_SUCCESS(status)) {
        *handle = (HANDLE)(uintptr_t)made;
    }
    return status;
}

static NTSTATUS open_by_name(struct client_call *call, D3DKMT_OPENNTHANDLEFROMNAME *arguments)
{
    return open_name(call, arguments->pObjAttrib, arguments->dwDesiredAccess, false,
                     &arguments->hNtHandle);
}
CLIENT_CALL(OpenNtHandleFromName, open_by_name, D3DKMT_OPENNTHANDLEFROMNAME)

static NTSTATUS open_sync_by_name(struct client_call *call,
                                  D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME *arguments)
{
    return open_name(call, arguments->pObjAttrib, arguments->dwDesiredAccess, true,
                     &arguments->hNtHandle);
}
CLIENT_CALL(OpenSyncObjectNtHandleFromName, open_sync_by_name,
            D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME)
