/* Small bad drivers: each run ends as it should, with one clear sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/machine.h"
#include "runner.h"

struct expectation {
    const char *driver;
    enum run_outcome outcome;
    const char *finding; /* NULL: none */
    const char *says;    /* part of the message */
    /* Of the finding, if not NULL: where it was, parts of what happened, of what was right. */
    const char *place, *happened, *expected;
    bool more; /* findings besides */
    enum host_special_pool special_pool;
    enum {
        ANY_STACK,
        LINED,
        UNLINED
    } line; /* in builds in which pages end a driver's stack, or not */
};

static const struct expectation expectations[] = {
    {"no_entry", RUN_OUTCOME_REFUSED, NULL, "DriverEntry"},
    {"entry_fails", RUN_OUTCOME_REFUSED, NULL, "DriverEntry failed with STATUS_NO_MEMORY"},
    {"no_registration", RUN_OUTCOME_REFUSED, NULL, "without registering"},
    {"no_submit", RUN_OUTCOME_REFUSED, NULL, "DxgkInitialize: DxgkDdiSubmitCommand is missing"},
    {"no_root", RUN_OUTCOME_REFUSED, "CAPS-017",
     "GpuMmuSupported is set, and DxgkDdiSetRootPageTable is not registered", .more = true},
    {"null_pointer", RUN_OUTCOME_FAULT, "FAULT", "access violation (0xc0000005) writing 0x0"},
    {"never_returns", RUN_OUTCOME_FAULT, "HANG", "the driver never returned: DriverEntry"},
    {"never_ends", RUN_OUTCOME_FAULT, "HANG", "the driver never returned: DriverEntry",
     .happened = "ran too long, calling the kernel or its device all the while, at bad_never_ends"},
    {"faults_endless", RUN_OUTCOME_FAULT, "HANG", "the driver never returned: DriverEntry",
     .happened = "raising exceptions over and over, at bad_faults_endless.sys"},
    {"pool_overrun", RUN_OUTCOME_FAULT, "POOL", "written past its end"},
    {"uninitialised_pointer", RUN_OUTCOME_FAULT, "FAULT", "access violation", "DriverEntry",
     "(0xA5A5A5A5A5A5A5A5 is memory that nobody initialised)"},
    {"pool_read_past", RUN_OUTCOME_REFUSED, NULL, "DriverEntry failed"},
    {"pool_read_past", RUN_OUTCOME_FAULT, "POOL", "POOL in DriverEntry", "DriverEntry",
     "block 'BadP' of 96 bytes, allocated at bad_pool_read_past.s",
     "pool blocks used inside their bounds", .special_pool = HOST_SPECIAL_POOL_AFTER},
    {"pool_read_past", RUN_OUTCOME_FAULT, "POOL", "DriverEntry",
     .happened = ", was read past its end at offset 96 at bad_pool_read_past.s",
     .special_pool = HOST_SPECIAL_POOL_AFTER},
    {"pool_read_before", RUN_OUTCOME_REFUSED, NULL, "DriverEntry failed",
     .special_pool = HOST_SPECIAL_POOL_AFTER},
    {"pool_read_before", RUN_OUTCOME_FAULT, "POOL", "DriverEntry",
     .happened = ", was read before its begin at offset -1 at bad_pool_read_before.s",
     .special_pool = HOST_SPECIAL_POOL_BEFORE},
    {"pool_read_freed", RUN_OUTCOME_REFUSED, NULL, "DriverEntry failed"},
    {"pool_read_freed", RUN_OUTCOME_FAULT, "POOL", "DriverEntry",
     .happened = ", was read after it was freed at bad_pool_read_freed.s",
     .expected = "pool blocks used while they are allocated",
     .special_pool = HOST_SPECIAL_POOL_AFTER},
    {"pool_read_guarded", RUN_OUTCOME_FAULT, "POOL", "DriverEntry",
     .happened = ", was read past its end at offset 96 at bad_pool_read_guarded.s",
     .special_pool = HOST_SPECIAL_POOL_AFTER},
    {"mapped_read_past", RUN_OUTCOME_FAULT, "FAULT", "DriverEntry", "DriverEntry",
     "offset 12288 of the mapping of 8192 bytes of an MDL, mapped at bad_mapped_read_past.s",
     "mapped pages used inside their bounds, and while they are mapped"},
    {"mapped_read_late", RUN_OUTCOME_FAULT, "FAULT", "DriverEntry", "DriverEntry",
     "offset 16 of the mapping of 8192 bytes of an MDL, which was unmapped at "
     "bad_mapped_read_late"},
    {"path_kept", RUN_OUTCOME_FAULT, "FAULT", "AddDevice", "DxgkDdiAddDevice",
     "the RegistryPath of DriverEntry (", "memory used while it is the driver's"},
    {"path_kept", RUN_OUTCOME_FAULT, "FAULT", "AddDevice",
     .happened = ") was read at offset 0 after the kernel took it back, at bad_path_kept.s"},
    {"unmapped_read", RUN_OUTCOME_FAULT, "FAULT", "StartDevice", "DxgkDdiStartDevice",
     "offset 0x4 of the mapping of 4096 bytes of the device at ",
     "memory of the device used where it is mapped"},
    {"unmapped_read", RUN_OUTCOME_FAULT, "FAULT", "StartDevice",
     .happened = ", which was unmapped at bad_unmapped_read.s"},
    {"device_past", RUN_OUTCOME_FAULT, "FAULT", "StartDevice", "DxgkDdiStartDevice",
     "offset 0x1010 of the mapping of 4096 bytes of the device at ",
     "memory of the device used where it is mapped"},
    {"device_past", RUN_OUTCOME_FAULT, "FAULT", "StartDevice",
     .happened = ", mapped at bad_device_past.s"},
    {"pool_event_past", RUN_OUTCOME_FAULT, "POOL", "DriverEntry",
     .happened = ", was written past its end at offset 96 in KeInitializeEvent called from "
                 "bad_pool_event_past.s",
     .special_pool = HOST_SPECIAL_POOL_AFTER},
    {"paged_raised", RUN_OUTCOME_FAULT, "IRQL", "DriverEntry", "DriverEntry",
     " of paged pool, allocated at bad_paged_raised.s"},
    {"paged_raised", RUN_OUTCOME_FAULT, "IRQL", "DriverEntry",
     .happened = ", was read at IRQL 2 at bad_paged_raised.s"},
    {"callback_raised", RUN_OUTCOME_REFUSED, "IRQL", "StartDevice",
     .happened = "DxgkCbGetDeviceInformation at IRQL 2 (limit 0) from bad_callback_raised.s"},
    {"irql_left", RUN_OUTCOME_REFUSED, "IRQL", "DriverEntry failed"},
    {"bugcheck", RUN_OUTCOME_FAULT, "BUGCHECK", "KeBugCheckEx(0xE2)"},
    {"deep_stack", RUN_OUTCOME_FAULT, "STACK", "stack overflow at bad_deep_stack.s", .line = LINED},
    {"deep_stack", RUN_OUTCOME_REFUSED, "MISUSE", "DriverEntry failed", .line = UNLINED},
    {"recurses", RUN_OUTCOME_FAULT, "STACK", "stack overflow at bad_recurses.s", "DriverEntry"},
    {"deep_in_dpc", RUN_OUTCOME_FAULT, "STACK", "stack overflow at bad_deep_in_dpc.s",
     .line = LINED},
    {"shallow_stack", RUN_OUTCOME_REFUSED, NULL, "DriverEntry failed"},
    {"entry_leaks", RUN_OUTCOME_REFUSED, "LEAK", "DriverEntry failed"},
    {"region_left", RUN_OUTCOME_REFUSED, "MISUSE", "DriverEntry failed", "DriverEntry",
     "DriverEntry: it returned owning 1 mutex", .more = true},
    {"region_kept", RUN_OUTCOME_REFUSED, "MISUSE", "StartDevice", "DxgkDdiStartDevice",
     "DxgkDdiStartDevice: it returned inside a critical or guarded region that it entered"},
    {"stack_timer", RUN_OUTCOME_REFUSED, "MISUSE", "DriverEntry failed", "DriverEntry",
     "it returned with an armed timer on its stack, set at bad_stack_timer.s",
     "what the kernel still uses lies in memory that stays"},
    {"stack_dpc", RUN_OUTCOME_REFUSED, "MISUSE", "DriverEntry failed", "DriverEntry",
     "it returned with the DPC of an armed timer on its stack, set at bad_stack_dpc.s",
     .more = true},
    {"stack_queued", RUN_OUTCOME_REFUSED, "MISUSE", "DriverEntry failed", "DriverEntry",
     "it returned with a queued DPC on its stack, queued at bad_stack_queued.s"},
    {"stack_work", RUN_OUTCOME_REFUSED, "MISUSE", "DriverEntry failed", "DriverEntry",
     "it returned with a queued work item on its stack, queued at bad_stack_work.s"},
    {"work_uninitialised", RUN_OUTCOME_REFUSED, "MISUSE", "DriverEntry failed"},
    {"work_freed", RUN_OUTCOME_REFUSED, "MISUSE", "DriverEntry failed", "DriverEntry",
     "frees a work item that is queued", "memory freed when nothing uses it"},
    {"waits_raised", RUN_OUTCOME_FAULT, "BUGCHECK",
     "the system stops with bug check 0xB8 in a service called at bad_waits_raised.s",
     .happened = "KeWaitForSingleObject", .more = true},
    {"registers_left", RUN_OUTCOME_REFUSED, "REGISTERS", "DriverEntry failed", "DriverEntry",
     "rbx, rsi, rdi, r12, r13, r14, r15, xmm6, xmm15 changed by bad_registers_left.s"},
    {"alignment_left", RUN_OUTCOME_REFUSED, "REGISTERS", "DriverEntry failed", "DriverEntry",
     "the direction flag, the alignment check flag changed by bad_alignment_left.s"},
    {"thread_registers", RUN_OUTCOME_REFUSED, "REGISTERS", "DriverEntry failed", "a system thread",
     "r12, the control bits of MXCSR changed by bad_thread_registers.s"},
    {"exits", RUN_OUTCOME_FAULT, "EXIT", "the driver ended the process in DriverEntry",
     "DriverEntry", "bad_exits.so called exit() at bad_exits.so"},
    {"dereferenced", RUN_OUTCOME_REFUSED, "MISUSE", "DriverEntry failed", "DriverEntry",
     "ObDereferenceObject: once more than this Driver object was referenced, called from "
     "bad_dereferenced.s"},
    {"object_written", RUN_OUTCOME_REFUSED, "MISUSE", "DriverEntry failed", "DriverEntry",
     "DriverEntry: the driver has written over Type of a driver object, which is not its own",
     "an initialised object of the routine's type"},
    {"object_late", RUN_OUTCOME_REFUSED, "MISUSE", "AddDevice",
     .happened = "the driver has written over DriverSize of a driver object"},
    {"object_pointers", RUN_OUTCOME_REFUSED, "MISUSE", "DriverEntry failed", "DriverEntry",
     "MajorFunction of the driver object leads to nothing that it could be"},
    {"object_unload", RUN_OUTCOME_REFUSED, NULL, "DriverEntry failed"},
    {"writes_behind", RUN_OUTCOME_BREACH, "GEN-009", "GEN-009 in DxgkDdiAddDevice",
     "DxgkDdiAddDevice",
     "MiniportDeviceContext of AddDevice of 8 bytes was written past its end at offset 8, at "
     "bad_writes_behind.s",
     "writes inside of what the call gave"},
    {"missing_import", RUN_OUTCOME_UNSUPPORTED, "IMPORT", "KeUnheardOfFunction"},
};

static const char *folder;

/* Does the one finding say where, and what? */
static bool tells(const struct expectation *expected, const struct runner_result *result)
{
    const struct record_breach *breach = &result->breaches[0];

    return (!expected->place || strcmp(breach->ddi, expected->place) == 0) &&
           (!expected->happened || strstr(breach->actual, expected->happened)) &&
           (!expected->expected || strstr(breach->expected, expected->expected));
}

static void expect(const struct expectation *expected, const struct runner_setup *setup)
{
    struct runner_result result;

    runner_run(setup, &result);
    bool right = result.outcome == expected->outcome && !result.died &&
                 strstr(result.message, expected->says) &&
                 (expected->finding
                      ? (expected->more ? runner_among : runner_only)(&result, expected->finding) &&
                            tells(expected, &result)
                      : result.breach_count == 0);
    if (!right) {
        printf("%s:\n", setup->module ? setup->module : setup->image);
        runner_print(&result);
    }
    assert_true(right);
}

static void is_seen(void **state)
{
    const struct expectation *expected = *state;
    char module[512], image[512];
    struct runner_setup setup = {.watchdog_ms = 200, .special_pool = expected->special_pool};
    unsigned runs = 0;

    if (expected->line && (expected->line == LINED) != task_stack_has_line()) {
        skip();
    }
    snprintf(module, sizeof module, "%s/bad_%s.so", folder, expected->driver);
    snprintf(image, sizeof image, "%s/bad_%s.sys", folder, expected->driver);
    if (access(module, R_OK) == 0) {
        setup.module = module;
        expect(expected, &setup);
        runs++;
    }
    if (access(image, R_OK) == 0) {
        setup.module = NULL;
        setup.image = image;
        expect(expected, &setup);
        runs++;
    }
    if (runs == 0) {
        skip(); /* needs the compiler for Windows drivers */
    }
}

int main(int argc, char **argv)
{
    enum { COUNT = sizeof expectations / sizeof expectations[0] };
    static struct CMUnitTest tests[COUNT];

    folder = argc > 1 ? argv[1] : ".";
    for (size_t i = 0; i < COUNT; i++) {
        tests[i] = (struct CMUnitTest){expectations[i].driver, is_seen, NULL, NULL,
                                       (void *)(uintptr_t)&expectations[i]};
    }
    return _cmocka_run_group_tests("bad drivers", tests, COUNT, NULL, NULL);
}
