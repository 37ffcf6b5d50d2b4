/* What the tests of the machine share. */
#ifndef TESTS_MACHINE_SUPPORT_H
#define TESTS_MACHINE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/record.h"
#include "machine/machine.h"

#if defined(__SANITIZE_THREAD__)
#define UNDER_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER 1
#endif
#endif
#ifndef UNDER_THREAD_SANITIZER
#define UNDER_THREAD_SANITIZER 0
#endif

/* ThreadSanitizer holds signals back until the next system call, and warns of work in handlers. */
static inline void skip_without_signals(void)
{
    if (UNDER_THREAD_SANITIZER) {
        skip();
    }
}

static inline void machine_start(uint64_t seed, enum machine_policy policy, unsigned cpu_count)
{
    struct machine_config config = {
        .seed = seed, .ram_bytes = 64u << 20, .cpu_count = cpu_count, .policy = policy};

    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
}

/* Starts a task that nobody keeps a reference of. */
static inline struct task *spawn(const char *name, task_entry *entry, void *argument)
{
    struct task_options options = {.name = name};
    struct task *task;

    assert_int_equal(task_create(&options, entry, argument, &task), STATUS_SUCCESS);
    task_put(task);
    return task;
}

#endif
