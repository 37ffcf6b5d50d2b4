/* A driver that is not like the reference driver runs as well: no hardware, contiguous memory for
 * video memory, a GPU that is a thread and reports from PASSIVE_LEVEL (thread_driver/). Clients
 * use more memory than there is, with buffers that are preempted in their middle; every byte is
 * looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/file.h"
#include "base/record.h"
#include "host/host.h"
#include "thread_client.h"

extern const struct device_model softgpu_model;

#define IMAGE_BYTES_MAX (4u << 20)

static const char *module_path, *image_path;

struct setup {
    bool image;
    unsigned said_version;
    uint64_t transfer_bytes_max;
};

static bool read_image(struct host_file *file)
{
    char error[256];
    void *bytes;

    file->name = image_path;
    if (!file_read(image_path, IMAGE_BYTES_MAX, &bytes, &file->size, error, sizeof error)) {
        printf("  %s\n", error);
        return false;
    }
    file->bytes = bytes;
    return true;
}

static _Noreturn void run_child(const struct setup *setup, struct record *record)
{
    char registry[160];
    struct host_options options = {
        .driver_module = module_path,
        .service_name = "driver",
        .device_model = &softgpu_model,
        .device_options = "vram_mb=16,outputs=0",
        .seed = 3,
        .ram_bytes = 256u << 20,
        .shadow_content = true,
        .transfer_bytes_max = setup->transfer_bytes_max,
        .workloads = {&thread_workload},
        .workload_count = 1,
    };

    if (setup->image && !read_image(&options.driver)) {
        _exit(3);
    }
    snprintf(registry, sizeof registry,
             "[\\Registry\\Machine\\System\\CurrentControlSet\\Services\\driver]\n"
             "\"SaidVersion\"=dword:%08x\n",
             setup->said_version);
    options.registry = (struct host_file){"registry", registry, strlen(registry)};
    record_attach(record);
    host_run(&options, record);
    _exit(0);
}

static uint64_t counter(const struct record_header *header, const char *name)
{
    for (unsigned i = 0; i < header->counter_count; i++) {
        if (strcmp(header->counters[i].name, name) == 0) {
            return header->counters[i].value;
        }
    }
    return 0;
}

static void print_breaches(struct record *record)
{
    printf("  %s\n", record_header(record)->message);
    for (unsigned i = 0; i < record_header(record)->breach_count; i++) {
        const struct record_breach *breach = record_breach_at(record, i);
        printf("  %s in %s: expected %s; actual %s\n", breach->rule, breach->ddi, breach->expected,
               breach->actual);
    }
}

/* The setup's run in a child; its record. */
static struct record *run(const struct setup *setup)
{
    struct record *record = record_create(1u << 16, 1u << 16);
    int status;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        run_child(setup, record);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return record;
}

/* That it is no compute-only driver as the page has them is advice. */
static unsigned finding_count(struct record *record)
{
    const struct record_breach *breach;
    unsigned count = 0;

    for (unsigned i = 0; (breach = record_breach_at(record, i)) != NULL; i++) {
        count += breach->weight != RECORD_ADVICE;
    }
    return count;
}

static void runs(void **state)
{
    const struct setup *setup = *state;

    if (setup->image && !image_path) {
        skip(); /* no compiler for Windows drivers */
    }
    struct record *record = run(setup);
    const struct record_header *header = record_header(record);
    if (header->outcome != RUN_OUTCOME_PASS) {
        print_breaches(record);
    }
    assert_int_equal(header->outcome, RUN_OUTCOME_PASS);
    assert_int_equal(finding_count(record), 0);
    assert_int_equal(counter(header, "test.words_wrong"), 0);
    assert_int_equal(counter(header, "fences.lost"), 0);
    assert_int_equal(counter(header, "fences.completed"), counter(header, "fences.submitted"));
    /* Small pieces leave the scheduler no long packet to stop. */
    assert_true(setup->transfer_bytes_max || counter(header, "fences.preempted") > 0);
    assert_true(counter(header, "memory.evictions") > 0);
    assert_true(counter(header, "memory.paged_out") > 0);
    record_destroy(record);
}

static const struct setup as_it_is = {.said_version = 0x2600};
static const struct setup says_nothing = {.said_version = 0};
static const struct setup older_model = {.said_version = 0x1300};
static const struct setup in_pieces = {.said_version = 0x2600, .transfer_bytes_max = 128u << 10};
static const struct setup as_image = {.said_version = 0x2600, .image = true};

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        {"as it is", runs, NULL, NULL, (void *)&as_it_is},
        {"says nothing of its version", runs, NULL, NULL, (void *)&says_nothing},
        {"built newer than its model", runs, NULL, NULL, (void *)&older_model},
        {"transfers in pieces", runs, NULL, NULL, (void *)&in_pieces},
        {"as a Windows driver", runs, NULL, NULL, (void *)&as_image},
    };

    module_path = argc > 1 ? argv[1] : "";
    image_path = argc > 2 ? argv[2] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
