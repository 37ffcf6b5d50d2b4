/* Private data as a client spoils it. Each function makes a copy, for nt_memory_free(); NULL: none,
 * and *size is 0. */
#ifndef DXGK_SPOIL_H
#define DXGK_SPOIL_H

#include "dxgk/internal.h"

void *dxgk_spoiled(const void *data, UINT *size);
void *dxgk_halved(const void *data, UINT *size);
void *dxgk_word_changed(const void *data, UINT *size); /* of 32 bits */

/* context_spoiled.c: before what a client asks for. */
struct dxgk_context_request;
void dxgk_context_spoiled(struct dxgk_device *device, const struct dxgk_context_request *request);
void dxgk_contexts_forget(void); /* what was learned in a run before */
/* One more for the same client, with private data as the driver expects them, to send noise in. */
void dxgk_context_beside(struct dxgk_context *context);

#endif
