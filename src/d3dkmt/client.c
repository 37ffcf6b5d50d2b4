/* How every call begins and ends. */
#include "d3dkmt/internal.h"

#include <string.h>

#include "base/record.h"

static const char *const names[] = {
#define X(name) "D3DKMT" #name,
    D3DKMT_CALLS(X)
#undef X
};

const char *d3dkmt_call_name(unsigned call)
{
    return call < D3DKMT_CALL_COUNT ? names[call] : "?";
}

struct dxgk_process *client_enter(enum hold hold, const void *arguments, NTSTATUS *status)
{
    struct dxgk_process *process = dxgk_process_current();

    *status = !process ? STATUS_ACCESS_DENIED : STATUS_INVALID_PARAMETER;
    if (!process || !arguments) {
        return NULL;
    }
    if (hold != HOLD_NONE) {
        dxgk_process_hold(process, hold == HOLD_EXCLUSIVE);
    }
    return process;
}

NTSTATUS client_leave(struct dxgk_process *process, enum hold hold, enum d3dkmt_call call,
                      NTSTATUS status)
{
    if (process && hold != HOLD_NONE) {
        dxgk_process_release(process, hold == HOLD_EXCLUSIVE);
    }
    if (task_self()) {
        record_event(EVENT_CLIENT_CALL, task_object(task_self()), call, (uint32_t)status);
        record_count("client.calls", 1);
        if (!NT_SUCCESS(status)) {
            record_count("client.failures", 1);
        }
        machine_yield();
    }
    return status;
}

struct dxgk_resource *resource_of(const struct dxgk_device *device, D3DKMT_HANDLE handle)
{
    struct dxgk_resource *resource = dxgk_handle_get(handle, DXGK_KIND_RESOURCE, NULL);
    struct dxgk_opening *opening;

    return resource && dxgk_resource_openings(resource, device, &opening, 1) > 0 ? resource : NULL;
}

struct dxgk_context *context_of(const struct dxgk_process *process, D3DKMT_HANDLE handle)
{
    struct dxgk_device *device = device_of(process, handle);

    return device ? dxgk_device_first_context(device)
                  : dxgk_handle_get(handle, DXGK_KIND_CONTEXT, process);
}

NTSTATUS capture(const void *bytes, UINT size, void **copy)
{
    *copy = NULL;
    if (size > PRIVATE_BYTES_MAX || (size > 0 && !bytes)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (size > 0) {
        *copy = nt_memory_alloc(size, 0);
        if (!*copy) {
            return STATUS_NO_MEMORY;
        }
        memcpy(*copy, bytes, size);
    }
    return STATUS_SUCCESS;
}
