/* Runs in a child process; see run.h. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/host.h"

extern const struct device_model softgpu_model;

static const char *driver_path;

void test_run_set_driver(const char *module_path)
{
    driver_path = module_path;
}

static _Noreturn void run_child(const struct test_run *run, struct record *record)
{
    char registry[1024];
    struct host_options options = {
        .driver_module = driver_path,
        .service_name = "softgpu",
        .device_model = run->device_model ? run->device_model : &softgpu_model,
        .device_options = run->device_options,
        .driver_speaks_softgpu = !run->other_commands,
        .wddm_version = run->wddm_version,
        .seed = run->seed,
        .duration_ns = run->duration_ns,
        .time_limit_ns = run->time_limit_ns,
        .process_count = run->process_count,
        .ram_bytes = 512u << 20,
        .shadow_content = true,
        .images = run->images,
        .image_count = run->image_count,
    };

    if (run->vary) {
        const char *wrong;
        size_t length;
        bool good = vary_set_read(run->vary, &options.variations, &wrong, &length);
        assert_true(good);
    }
    while (options.workload_count < RUN_WORKLOADS_MAX && run->workloads[options.workload_count]) {
        options.workloads[options.workload_count] = run->workloads[options.workload_count];
        options.workload_count++;
    }
    snprintf(registry, sizeof registry,
             "[\\Registry\\Machine\\System\\CurrentControlSet\\Services\\softgpu]\n%s\n",
             run->registry ? run->registry : "");
    options.registry = (struct host_file){"registry", registry, strlen(registry)};
    record_attach(record);
    host_run(&options, record);
    _exit(0);
}

struct record *test_run(const struct test_run *run)
{
    struct record *record = record_create(1u << 16, 64u << 20);
    int status;

    assert_non_null(record);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        run_child(run, record);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        print_message("  status 0x%X: %s\n", status, record_header(record)->message);
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return record;
}

void test_run_assert_pass(struct record *record)
{
    const struct record_header *header = record_header(record);

    if (header->outcome != RUN_OUTCOME_PASS) {
        print_message("  %s\n", header->message);
        for (unsigned i = 0; i < header->breach_count; i++) {
            const struct record_breach *breach = record_breach_at(record, i);
            print_message("  %s in %s: expected %s; actual %s\n", breach->rule, breach->ddi,
                          breach->expected, breach->actual);
        }
    }
    assert_int_equal(header->outcome, RUN_OUTCOME_PASS);
    assert_int_equal(header->breach_count, 0);
}

uint64_t test_run_counter(struct record *record, const char *name)
{
    return record_counter(record, name);
}
