/* Runs the work of the determinism tests on a driver and prints what came of it.
 *
 *   determinism_digest DRIVER SEED [EVENTS]
 *
 * Prints the digest, the number of events and the outcome; writes the events to the file EVENTS, a
 * line each, so that two runs can be compared where they part. Exit status 0 if the run passed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "host/host.h"
#include "machine/machine.h"
#include "softgpu/softgpu.h"
#include "work.h"

#define EVENT_CAPACITY   (1u << 20)
#define DRIVER_BYTES_MAX (256u << 20)

/* Under one name, whatever the file's: names are part of the run. */
static bool read_driver(const char *path, struct host_file *out)
{
    char error[256];
    void *bytes;

    out->name = "softgpu.sys";
    if (!file_read(path, DRIVER_BYTES_MAX, &bytes, &out->size, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    out->bytes = bytes;
    return true;
}

static bool write_events(struct record *record, const char *path)
{
    uint64_t count = record_header(record)->event_count;
    FILE *file = fopen(path, "w");

    if (!file) {
        perror(path);
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        const struct event *event = record_event_at(record, i);
        if (event) {
            fprintf(file,
                    "%" PRIu64 " %" PRIu64 " %s cpu%u irql%u object %u a %" PRIx64 " b %" PRIx64
                    "\n",
                    i, event->time_ns, record_event_name((enum event_kind)event->kind), event->cpu,
                    event->irql, event->object, event->a, event->b);
        }
    }
    return fclose(file) == 0;
}

static void print_breaches(struct record *record)
{
    for (uint32_t i = 0; record_breach_at(record, i); i++) {
        const struct record_breach *breach = record_breach_at(record, i);
        fprintf(stderr, "%s %s: expected %s, but %s\n", breach->rule, breach->ddi, breach->expected,
                breach->actual);
    }
}

int main(int argc, char **argv)
{
    struct host_options options = {
        .service_name = "softgpu",
        .device_model = &softgpu_model,
        .device_options = "vram_mb=32",
        .driver_speaks_softgpu = true,
        .shadow_content = true,
        .workloads = {&determinism_workload},
        .workload_count = 1,
    };
    struct record *record;

    if (argc < 3) {
        fprintf(stderr, "usage: determinism_digest DRIVER SEED [EVENTS]\n");
        return 2;
    }
    if (!strstr(argv[1], ".sys")) {
        options.driver_module = argv[1];
    } else if (!read_driver(argv[1], &options.driver)) {
        return 2;
    }
    options.seed = strtoull(argv[2], NULL, 0);
    record = record_create(EVENT_CAPACITY, 64u << 20);
    if (!record) {
        return 3;
    }
    record_attach(record);
    enum run_outcome outcome = host_run(&options, record);
    const struct record_header *header = record_header(record);
    printf("%016" PRIx64 " %" PRIu64 " events, %" PRIu64 " ns, %s\n", header->digest,
           header->event_count, header->now_ns, header->message);
    print_breaches(record);
    if (argc > 3 && !write_events(record, argv[3])) {
        return 3;
    }
    return outcome == RUN_OUTCOME_PASS ? 0 : 1;
}
