/* fill: what memory holds before anybody wrote it and after it was freed, and how it is known again
 * in numbers. */
#ifndef BASE_FILL_H
#define BASE_FILL_H

#include <stddef.h>
#include <stdint.h>

#define FILL_UNINITIALIZED 0xA5u
#define FILL_FREED         0xDDu
#define FILL_REDZONE       0xFBu /* behind and before what somebody may write */

/* Index of the first byte that is not `expected`, or size. Reads inside the bytes alone, however
 * near a shut page lies. */
size_t fill_first_other(const void *bytes, uint8_t expected, size_t size);
/* "memory that nobody initialised" or "memory that was freed" if all bytes of the number, two or
 * more, are such; else NULL. */
const char *fill_name(uint64_t number, unsigned bytes);
/* If the sentence shows such a number, in hexadecimal or decimal, adds what it is, once. */
void fill_explain(char *text, size_t size);

#endif
