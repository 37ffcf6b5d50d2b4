/* calls_client.h: a client that calls what bytes say, well or badly, about contexts, hardware
 * queues, submissions, fences and memory at GPU virtual addresses. */
#ifndef FUZZ_CALLS_CLIENT_H
#define FUZZ_CALLS_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "drydock/workload.h"

/* What the client of the next run goes by; the bytes stay the caller's. */
void calls_choices(const uint8_t *bytes, size_t size);

/* Is told which call was answered how; NULL: nobody wants to know. */
extern void (*calls_answered)(unsigned call, int32_t status);

extern const struct drydock_workload calls_workload;

#endif
