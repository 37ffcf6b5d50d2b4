/* Memory that clients get for their own, and what allocations are made of. */
#include "d3dkmt/internal.h"

#include <limits.h>

#include "drydock/client.h"

static NTSTATUS allocate(struct client_call *call, struct drydock_memory *arguments)
{
    struct dxgk_section *section;
    NTSTATUS status = dxgk_section_create(call->process, arguments->size_bytes, &section);

    if (NT_SUCCESS(status)) {
        arguments->address = (void CLIENT *)dxgk_section_view(section);
        arguments->hSection = (HANDLE)(uintptr_t)dxgk_section_handle(section);
    }
    return status;
}

CLIENT_ENTRY(drydock_allocate_memory, AllocateMemory, allocate, struct drydock_memory,
             struct drydock_memory, true)

static struct dxgk_section *section_of(struct client_call *call, HANDLE handle)
{
    uintptr_t number = (uintptr_t)handle;

    return number <= UINT_MAX
               ? client_object(call, (D3DKMT_HANDLE)number, DXGK_KIND_SECTION, call->process)
               : NULL;
}

static NTSTATUS free_memory(struct client_call *call, const struct drydock_memory *arguments)
{
    struct dxgk_section *section = section_of(call, arguments->hSection);

    return section ? dxgk_section_free(section) : NO_SUCH_OBJECT;
}

CLIENT_ENTRY(drydock_free_memory, FreeMemory, free_memory, struct drydock_memory,
             const struct drydock_memory, false)

/* ---- What an allocation is made of --------------------------------------------------------- */

NTSTATUS client_existing_section(struct client_call *call, HANDLE handle,
                                 struct client_existing *existing)
{
    *existing = (struct client_existing){.section = section_of(call, handle)};
    return existing->section ? STATUS_SUCCESS : NO_SUCH_OBJECT;
}

/* What is no page of ours is none of the computer's; what is not there at all, no memory. */
NTSTATUS client_existing_memory(struct client_call *call, const void CLIENT *address,
                                struct client_existing *existing)
{
    uintptr_t number = (uintptr_t)address;
    uint8_t byte;

    *existing = (struct client_existing){0};
    if (number % MACHINE_PAGE_SIZE != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    struct dxgk_life *life = dxgk_section_at(call->process, number, &existing->page);
    if (!life) {
        NTSTATUS status = client_read(&byte, address, sizeof byte);
        return NT_SUCCESS(status) ? STATUS_NOT_SUPPORTED : status;
    }
    existing->section = client_hold(call, life) ? dxgk_life_object(life) : NULL;
    return existing->section ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}
