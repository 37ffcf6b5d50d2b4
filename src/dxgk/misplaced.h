/* How a paging operation reached the hardware, for the sentence of what went wrong with it. */
#ifndef DXGK_MISPLACED_H
#define DXGK_MISPLACED_H

#include <stddef.h>

struct vidmm_op;

#define DXGK_CALLS_MAX 320

/* "; built in 2 calls ...; its commands are bytes ... of the paging buffer ...", or nothing. */
void dxgk_explain_calls(const struct vidmm_op *op, char *text, size_t size);

#endif
