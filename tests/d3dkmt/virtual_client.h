/* virtual_client.h: clients whose contexts have GPU virtual addresses. */
#ifndef TESTS_D3DKMT_VIRTUAL_CLIENT_H
#define TESTS_D3DKMT_VIRTUAL_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload virtual_contexts, virtual_where_there_are_none, virtual_kept,
    virtual_written, virtual_queue_written;

#endif
