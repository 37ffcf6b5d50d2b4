/* A screen whose vertical syncs the test makes by hand. */
#ifndef TESTS_PRESENT_MOCK_H
#define TESTS_PRESENT_MOCK_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "present/present.h"

#define MOCK_LOG_MAX 512

struct mock_flip {
    struct present_flip base;
    struct mock *mock;
    unsigned number; /* the test's name for it */
    unsigned done_count;
    NTSTATUS status;
    NTSTATUS refusal; /* what program() answers */
    /* What happens while program() is at work. */
    bool latched_inside, cancelled_inside;
};

struct mock {
    struct present_source source;
    unsigned programmed[MOCK_LOG_MAX], programmed_count; /* numbers, in order */
    unsigned done[MOCK_LOG_MAX], done_count;
    unsigned on_hardware, on_hardware_max;
    unsigned syncs;
};

void mock_init(struct mock *mock, unsigned programmed_max);
void mock_fini(struct mock *mock);
void mock_flip_init(struct mock *mock, struct mock_flip *flip, unsigned number, unsigned interval);
/* Its address is 0x1000 times its number. */
void mock_push(struct mock *mock, struct mock_flip *flip, unsigned number, unsigned interval);
void mock_sync(struct mock *mock, unsigned number);

#define ASSERT_LOG(log, count, ...)                                \
    do {                                                           \
        const unsigned wanted[] = {__VA_ARGS__};                   \
        assert_int_equal((count), sizeof wanted / sizeof *wanted); \
        assert_memory_equal((log), wanted, sizeof wanted);         \
    } while (0)
#define ASSERT_PROGRAMMED(mock, ...) \
    ASSERT_LOG((mock)->programmed, (mock)->programmed_count, __VA_ARGS__)
#define ASSERT_DONE(mock, ...) ASSERT_LOG((mock)->done, (mock)->done_count, __VA_ARGS__)

#endif
