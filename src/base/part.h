/* part: what is left of a number of which somebody lost some bits. */
#ifndef BASE_PART_H
#define BASE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PART_TEXT_MAX 72

/* "which is 0x123450000 without bits 32 and up", or bits "below 16", or "16 to 23", if `is` is what
 * is left of the number when a register or a byte of it is missing. False, and an empty text: it is
 * all of it, none of it, or another. */
bool part_of(uint64_t is, uint64_t number, char text[PART_TEXT_MAX]);

#endif
