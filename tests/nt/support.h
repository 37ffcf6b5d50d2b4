/* What the tests of nt share: a machine with a kernel whose complaints are kept, and a way to run a
 * body as a thread of it. */
#ifndef TESTS_NT_SUPPORT_H
#define TESTS_NT_SUPPORT_H

#include <ntifs.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine/machine.h"
#include "nt/nt.h"

#define TAG 0x74736554 /* "Test" */

/* What the kernel said to its host since kernel_start(). */
static struct {
    unsigned irql_violations, misuses[NT_MISUSE_COUNT], advices, corruptions, log_lines, lacks;
    const char *violating_export, *lacked;
    uint8_t violating_irql, violated_limit;
    char misuse_text[256], log[1024];
    struct nt_pool_corruption corruption;
    uint32_t bugcheck;
    NTSTATUS raised;
    jmp_buf *handler;                   /* of the test that expects an exception */
    unsigned allocations_until_failure; /* 0: never */
    uint64_t call;                      /* the one of the driver that runs */
} seen;

static inline void on_irql(void *ctx, const char *name, uint8_t irql, uint8_t limit,
                           const void *caller)
{
    seen.irql_violations++;
    seen.violating_export = name;
    seen.violating_irql = irql;
    seen.violated_limit = limit;
}

static inline void on_misuse(void *ctx, enum nt_misuse kind, const char *name, const char *text,
                             const void *caller)
{
    seen.misuses[kind]++;
    snprintf(seen.misuse_text, sizeof(seen.misuse_text), "%s: %s", name, text);
}

static inline void on_advice(void *ctx, const char *name, const char *text, const void *caller)
{
    seen.advices++;
}

static inline void on_lack(void *ctx, const char *name, const void *caller)
{
    seen.lacks++;
    seen.lacked = name;
}

static inline void on_corruption(void *ctx, const struct nt_pool_corruption *corruption)
{
    seen.corruptions++;
    seen.corruption = *corruption;
}

__attribute__((noreturn)) static inline void on_bugcheck(void *ctx, const struct nt_stop *stop)
{
    seen.bugcheck = stop->code;
    machine_halt();
}

__attribute__((noreturn)) static inline void on_raise(void *ctx, NTSTATUS status, unsigned count,
                                                      const uint64_t *parameters)
{
    seen.raised = status;
    if (seen.handler) {
        longjmp(*seen.handler, 1);
    }
    machine_halt();
}

static inline void on_log(void *ctx, const char *line)
{
    seen.log_lines++;
    snprintf(seen.log, sizeof(seen.log), "%s", line);
}

static inline bool on_allocation(void *ctx, uint32_t tag, size_t size, const void *caller)
{
    return seen.allocations_until_failure > 0 && --seen.allocations_until_failure == 0;
}

static inline uint64_t on_call(void *ctx)
{
    return seen.call;
}

static inline void on_call_text(void *ctx, uint64_t call, char *text, size_t size)
{
    snprintf(text, size, " in call %llu", (unsigned long long)call);
}

static inline unsigned misuse_count(void)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < NT_MISUSE_COUNT; i++) {
        sum += seen.misuses[i];
    }
    return sum;
}

static inline void kernel_start_varied(uint64_t seed, const struct vary_set *variations)
{
    struct machine_config config = {
        .seed = seed, .ram_bytes = 64u << 20, .cpu_count = 2, .variations = *variations};
    struct nt_hooks hooks = {
        .irql_violation = on_irql,
        .misuse = on_misuse,
        .advice = on_advice,
        .lacks = on_lack,
        .pool_corruption = on_corruption,
        .bugcheck = on_bugcheck,
        .raise = on_raise,
        .log = on_log,
        .fail_allocation = on_allocation,
        .call = on_call,
        .call_text = on_call_text,
    };

    memset(&seen, 0, sizeof(seen));
    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    assert_int_equal(nt_init(&hooks), STATUS_SUCCESS);
}

static inline void kernel_start_seeded(uint64_t seed)
{
    kernel_start_varied(seed, &(struct vary_set){0});
}

static inline int kernel_start(void **state)
{
    kernel_start_seeded(7);
    return 0;
}

static inline int kernel_stop(void **state)
{
    nt_fini();
    machine_destroy();
    nt_registry_clear();
    return 0;
}

static inline void spawn(const char *name, task_entry *entry, void *argument)
{
    struct task_options options = {.name = name};
    struct task *task;

    assert_int_equal(task_create(&options, entry, argument, &task), STATUS_SUCCESS);
    task_put(task);
}

static inline enum machine_stop run_task(task_entry *entry, void *argument)
{
    spawn("test", entry, argument);
    return machine_run(10 * NS_PER_S);
}

/* A test whose body is a task of the kernel. */
#define KERNEL_TEST(name)                                                 \
    static void name##_body(void *argument);                              \
    static void name(void **state)                                        \
    {                                                                     \
        assert_int_equal(run_task(name##_body, NULL), MACHINE_STOP_DONE); \
    }                                                                     \
    static void name##_body(void *argument)

#define KERNEL_UNIT_TEST(name) cmocka_unit_test_setup_teardown(name, kernel_start, kernel_stop)

/* Runs a statement that must raise; the status. */
#define RAISED_BY(statement)               \
    ({                                     \
        jmp_buf raised_handler;            \
        seen.raised = 0;                   \
        seen.handler = &raised_handler;    \
        if (setjmp(raised_handler) == 0) { \
            statement;                     \
        }                                  \
        seen.handler = NULL;               \
        seen.raised;                       \
    })

#endif
