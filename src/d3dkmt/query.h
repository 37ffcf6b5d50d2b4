/* For the files of D3DKMTQueryAdapterInfo: the questions of each. */
#ifndef D3DKMT_QUERY_H
#define D3DKMT_QUERY_H

#include "d3dkmt/internal.h"

/* An answer of a fixed size. `bytes` hold what the client gave, and then what it gets. */
struct client_question {
    KMTQUERYADAPTERINFOTYPE type;
    UINT size;
    NTSTATUS (*fill)
    (struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info, void *bytes);
};

struct client_questions {
    const struct client_question *rows;
    size_t count;
};

extern const struct client_questions client_caps_questions;     /* query_caps.c */
extern const struct client_questions client_registry_questions; /* query_registry.c */

/* Any value of the registry: D3DDDI_QUERYREGISTRY_INFO and its bytes in `size` bytes of the client;
 * query_registry.c. */
NTSTATUS MUST_CHECK client_query_registry(struct dxgk_adapter *adapter, void CLIENT *theirs,
                                          UINT size);

#endif
