/* fill: what memory holds before anybody wrote it and after it was freed, and how it is known again
 * in numbers. */
#ifndef BASE_FILL_H
#define BASE_FILL_H

#include <stddef.h>
#include <stdint.h>

#define FILL_UNINITIALIZED 0xA5u
#define FILL_FREED         0xDDu
#define FILL_REDZONE       0xFBu /* behind and before what somebody may write */

/* "memory that nobody initialised" or "memory that was freed" if all bytes of the number, two or
 * more, are such; else NULL. */
const char *fill_name(uint64_t number, unsigned bytes);
/* If the sentence shows such a number, in hexadecimal or decimal, adds what it is, once. */
void fill_explain(char *text, size_t size);

#endif
