/* For client_pointers.sh: with FOLLOW it follows a client's pointer, which must not compile. */
#include "d3dkmt/internal.h"

NTSTATUS decode(struct client_call *call, const D3DKMT_EVICT *arguments, D3DKMT_HANDLE *out);

NTSTATUS decode(struct client_call *call, const D3DKMT_EVICT *arguments, D3DKMT_HANDLE *out)
{
#ifdef FOLLOW
    *out = arguments->AllocationList[0];
    return STATUS_SUCCESS;
#else
    return client_read(out, &arguments->AllocationList[0], sizeof *out);
#endif
}
