/* What memory holds before anybody wrote it: what its last owner left.
 *
 * A pattern of one byte tells where it stands, but much goes well with it that goes wrong with what
 * really stands there: counts that begin alike stay in order, a flag is set each time. */
#include "machine/internal.h"

#include <string.h>

#include "machine/vary.h"

#define OLD_BYTES 8192u /* a power of two */

static struct {
    bool made, told;
    size_t next, next_on_stack;
    uint8_t bytes[2 * OLD_BYTES]; /* the second half repeats the first */
} old;

/* As memory is: small numbers above all, zeros, ones, now and then anything. */
static uint32_t old_word(void)
{
    uint64_t draw = vary_below(VARY_OLD_MEMORY, UINT64_C(1) << 40);
    uint32_t anything = (uint32_t)(draw >> 8);

    return (draw & 7) < 4 ? anything % 6 : (draw & 7) == 4 ? UINT32_MAX : anything;
}

static void make(void)
{
    for (size_t at = 0; at < OLD_BYTES; at += sizeof(uint32_t)) {
        uint32_t word = old_word();
        memcpy(old.bytes + at, &word, sizeof(word));
    }
    memcpy(old.bytes + OLD_BYTES, old.bytes, OLD_BYTES);
    old.made = true;
}

void old_reset(void)
{
    old.made = old.told = false;
    old.next = old.next_on_stack = 0;
}

static bool is_wanted(void)
{
    if (!machine.exists || !vary_on(VARY_OLD_MEMORY)) {
        return false;
    }
    if (!old.made) {
        make();
    }
    return true;
}

static void copy(uint8_t *memory, size_t size, size_t *next)
{
    for (size_t at = 0; at < size; at += OLD_BYTES) {
        size_t part = size - at < OLD_BYTES ? size - at : OLD_BYTES;
        memcpy(memory + at, old.bytes + *next, part);
        *next = (*next + 1036) & (OLD_BYTES - 1) & ~(size_t)3;
    }
}

bool machine_old_bytes(void *memory, size_t size)
{
    if (!is_wanted()) {
        return false;
    }
    if (!old.told) {
        old.told = true;
        vary_happened(VARY_OLD_MEMORY);
    }
    copy(memory, size, &old.next);
    return true;
}

/* Builds with sanitizers leave stacks alone, and one seed is one run in each build: what pools find
 * and what is told must not follow from it. */
void old_stack_bytes(void *memory, size_t size)
{
    if (is_wanted()) {
        copy(memory, size, &old.next_on_stack);
    }
}
