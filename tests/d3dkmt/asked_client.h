/* asked_client.h: a client that asks for what has little to do with work. */
#ifndef TESTS_D3DKMT_ASKED_CLIENT_H
#define TESTS_D3DKMT_ASKED_CLIENT_H

#include "drydock/workload.h"

struct drydock_standard_allocation;
struct hostile;

extern const struct drydock_workload asked;
/* Periodic fences; WDDM 2.2. */
extern const struct drydock_workload asked_frames;
/* primary_client.c */
extern const struct drydock_workload asked_primary;
/* overlay_client.c; two outputs */
extern const struct drydock_workload asked_overlays;

/* Shows a primary that is made for it. */
void asked_show(const struct hostile *client, struct drydock_standard_allocation *primary);

#endif
