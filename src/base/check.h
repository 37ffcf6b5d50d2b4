/* Assertions about ourselves: on in every build. A client's fault is a status, a driver's fault a
 * breach; what fails here is a bug of Drydock. */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* Of a function that runs when something is wrong: compilers put it, and whatever comes before its
 * call, out of the way, so that what always runs lies close together. */
#define RARE __attribute__((cold))

/* Ends the run as our own fault: says so on standard error, marks the record, aborts. */
RARE _Noreturn void check_failed(const char *file, int line, const char *function,
                                 const char *what);

#define CHECK_THAT(condition)                                       \
    do {                                                            \
        if (__builtin_expect(!(condition), 0)) {                    \
            check_failed(__FILE__, __LINE__, __func__, #condition); \
        }                                                           \
    } while (0)

/* True if the sum or product does not fit; *result is only valid when it does. */
static inline bool add_overflows_u64(uint64_t a, uint64_t b, uint64_t *result)
{
    return __builtin_add_overflow(a, b, result);
}

static inline bool mul_overflows_u64(uint64_t a, uint64_t b, uint64_t *result)
{
    return __builtin_mul_overflow(a, b, result);
}

/* Is [offset, offset + size) inside [0, limit)? Never overflows. */
static inline bool range_fits(uint64_t offset, uint64_t size, uint64_t limit)
{
    return offset <= limit && size <= limit - offset;
}

/* alignment is a power of two. */
static inline uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static inline uint64_t align_down(uint64_t value, uint64_t alignment)
{
    return value & ~(alignment - 1);
}

#endif
