/* Who looks at what a source shows (duplication.c), and the copy that a compositor makes for it
 * (work.c). */
#ifndef D3DKMT_DUPLICATION_H
#define D3DKMT_DUPLICATION_H

#include "d3dkmt/internal.h"

#define CLIENT_DUPLICATIONS_MAX 4u /* of a source, as DXGI tells of Windows */

/* Below D3DKMDT_MAX_VIDPN_SOURCES. */
UINT client_duplications(UINT source);

/* A copy of one whole surface of the context's device to another one, as Present makes it: by the
 * context, or by the queue whose time line that is. */
struct client_copier {
    struct dxgk_context *context;
    struct dxgk_hwqueue *queue; /* or NULL */
    D3DKMT_HANDLE source, destination;
};
NTSTATUS client_present_copy(struct client_call *call, const struct client_copier *copier);

#endif
