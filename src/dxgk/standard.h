/* For the client face, a room of dxgk.h, which includes it: allocations that the kernel has the
 * driver describe, and memory that clients have already and that allocations can be made of. */
#ifndef DXGK_STANDARD_H
#define DXGK_STANDARD_H

#include <d3dkmddi.h>
#include <d3dkmthk.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct dxgk_device;
struct dxgk_life;
struct dxgk_opening;
struct dxgk_process;
struct dxgk_section;

/* ---- Standard allocations ------------------------------------------------------------- */

/* A standard allocation: the driver describes it (GetStandardAllocationDriverData), then it is
 * created as any other. pitch and format of the surface come back. */
struct dxgk_standard_request {
    D3DKMDT_STANDARDALLOCATION_TYPE type;
    UINT width, height;
    D3DDDIFORMAT format;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source; /* shared primary */
    D3DKMDT_GDISURFACETYPE gdi_type;       /* GDI surface */
    struct dxgk_section *section;          /* of a GDI surface in existing memory; or NULL */
    uint64_t section_page;
    bool alone;               /* no resource has it */
    const void *runtime_data; /* as of dxgk_allocations_request */
    UINT runtime_size;
    bool nt_security;
    UINT pitch; /* out: of shadow, staging and GDI surfaces */
};
NTSTATUS MUST_CHECK dxgk_standard_create(struct dxgk_device *device,
                                         struct dxgk_standard_request *request,
                                         struct dxgk_opening **out);

/* ---- Memory of clients ---------------------------------------------------------------- */

/* What VirtualAlloc() and CreateFileMapping() give on Windows: pages that a client sees and a GPU
 * can be shown. Other memory of a client has no place in the computer's. They stay as long as an
 * allocation is made of them; the client's view goes when it frees them, or ends. */
NTSTATUS MUST_CHECK dxgk_section_create(struct dxgk_process *process, uint64_t size_bytes,
                                        struct dxgk_section **out);
NTSTATUS dxgk_section_free(struct dxgk_section *section);
D3DKMT_HANDLE dxgk_section_handle(const struct dxgk_section *section);
void *dxgk_section_view(const struct dxgk_section *section);
/* The process's that has the address, with a reference, and which page of it that is; or NULL. */
struct dxgk_life *dxgk_section_at(struct dxgk_process *process, uintptr_t address, uint64_t *page);

#endif
