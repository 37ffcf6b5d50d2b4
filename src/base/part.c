/* What is left of a number. See part.h. */
#include "base/part.h"

#include <stdio.h>

#define BYTE_BITS 8u
#define ALL_BITS  64u

static uint64_t bits(unsigned first, unsigned end)
{
    uint64_t below_end = end >= ALL_BITS ? UINT64_MAX : (UINT64_C(1) << end) - 1;

    return below_end & ~((UINT64_C(1) << first) - 1);
}

/* Of the bytes that were lost, the first and behind the last. */
static void lost_bytes(uint64_t lost, unsigned *first, unsigned *end)
{
    *first = (unsigned)__builtin_ctzll(lost) / BYTE_BITS * BYTE_BITS;
    *end = ALL_BITS - (unsigned)__builtin_clzll(lost) / BYTE_BITS * BYTE_BITS;
}

bool part_of(uint64_t is, uint64_t number, char text[PART_TEXT_MAX])
{
    uint64_t lost = number & ~is;
    unsigned first, end;

    text[0] = '\0';
    if (is == 0 || lost == 0 || (is & ~number) != 0) {
        return false;
    }
    lost_bytes(lost, &first, &end);
    if (is & bits(first, end)) {
        return false; /* the bytes are there in part */
    }
    if (first > 32 && is <= UINT32_MAX) {
        first = 32; /* a register of 32 bits */
    }
    if (number >> 1 >> (end - 1) == 0) {
        snprintf(text, PART_TEXT_MAX, "which is 0x%llX without bits %u and up",
                 (unsigned long long)number, first);
    } else if (first == 0) {
        snprintf(text, PART_TEXT_MAX, "which is 0x%llX without bits below %u",
                 (unsigned long long)number, end);
    } else {
        snprintf(text, PART_TEXT_MAX, "which is 0x%llX without bits %u to %u",
                 (unsigned long long)number, first, end - 1);
    }
    return true;
}
