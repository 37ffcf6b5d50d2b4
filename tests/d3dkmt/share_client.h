/* share_client.h: processes that share resources and synchronisation objects. */
#ifndef TESTS_D3DKMT_SHARE_CLIENT_H
#define TESTS_D3DKMT_SHARE_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload sharing;

#endif
