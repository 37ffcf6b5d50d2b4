/* hostile_support.h: what the hostile clients share: expecting a status, and what a well-behaved
 * client has. */
#ifndef TESTS_D3DKMT_HOSTILE_SUPPORT_H
#define TESTS_D3DKMT_HOSTILE_SUPPORT_H

#include <ntddk.h>

#include <d3dkmthk.h>

#include "drydock/client.h"
#include "drydock/workload.h"

/* Of the client that runs now: each sets it first. */
extern const struct drydock_workload_host *hostile_host;
#define host hostile_host

void hostile_expect(NTSTATUS wanted, NTSTATUS status, const char *what, int line);
#define EXPECT(wanted, call) hostile_expect(wanted, call, #call, __LINE__)

struct hostile {
    D3DKMT_HANDLE adapter, device, context;
    D3DKMT_CREATECONTEXT space;
    struct drydock_standard_allocation surface, other;
};

struct hostile hostile_open(void);
void hostile_close(const struct hostile *client);
/* A small picture, not made yet. */
struct drydock_standard_allocation hostile_surface(D3DKMT_HANDLE device);
/* A copy of the one surface to the other. */
D3DKMT_PRESENT hostile_blt(const struct hostile *client);

/* The CPU signals a fence of the client's device. */
NTSTATUS hostile_signal(const struct hostile *client, D3DKMT_HANDLE fence, UINT64 value);

/* Every function that takes a handle, with one that is none of the caller's. */
void hostile_use_handle(D3DKMT_HANDLE bad);

#endif
