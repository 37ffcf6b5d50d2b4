/* The whole of Drydock around a benchmark. */
#include "house.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "host/host.h"
#include "softgpu/softgpu.h"

#define WATCHDOG_MS 600000

static void (*house_work)(struct house *house);

static void run(const struct drydock_workload_host *host)
{
    struct house house = {.adapter = dxgk_adapter_first(), .process = dxgk_process_current()};

    house_work(&house);
}

static bool read_file(const char *path, struct host_file *out)
{
    FILE *file = fopen(path, "rb");
    const char *slash = strrchr(path, '/');
    char *bytes = NULL;
    long size = -1;

    if (!file) {
        return false;
    }
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (bytes = malloc((size_t)size)) &&
        fread(bytes, 1, (size_t)size, file) == (size_t)size) {
        *out = (struct host_file){slash ? slash + 1 : path, bytes, (size_t)size};
    }
    fclose(file);
    return out->bytes != NULL;
}

static void print_breaches(struct record *record)
{
    for (uint32_t i = 0; record_breach_at(record, i); i++) {
        const struct record_breach *breach = record_breach_at(record, i);
        fprintf(stderr, "  %s %s: expected %s, but %s\n", breach->rule, breach->ddi,
                breach->expected, breach->actual);
    }
}

int house_run(const struct house_options *options, void (*work)(struct house *house))
{
    static const struct drydock_workload workload = {
        .abi = DRYDOCK_WORKLOAD_ABI, .name = "bench", .description = "a benchmark", .run = run};
    struct host_options host = {
        .device_create = softgpu_create,
        .device_options = options->device_options,
        .driver_speaks_softgpu = true,
        .seed = 1,
        .ram_bytes = options->ram_bytes,
        .watchdog_ms = WATCHDOG_MS,
        .time_limit_ns = MACHINE_NEVER / 2,
        .workloads = {&workload},
        .workload_count = 1,
        .round_robin = true,
    };
    struct record *record = record_create(1u << 18, 1u << 20);

    if (!record) {
        fprintf(stderr, "bench: no memory for the record\n");
        return 3;
    }
    record_attach(record);
    house_work = work;
    if (strstr(options->driver, ".sys")) {
        if (!read_file(options->driver, &host.driver)) {
            fprintf(stderr, "bench: cannot read %s\n", options->driver);
            return 2;
        }
    } else {
        host.driver_module = options->driver;
    }
    enum run_outcome outcome = host_run(&host, record);
    if (outcome != RUN_OUTCOME_PASS) {
        fprintf(stderr, "bench: the run failed: %s\n", record_header(record)->message);
        print_breaches(record);
    }
    return outcome == RUN_OUTCOME_PASS ? 0 : 3;
}

void house_need(NTSTATUS status, const char *what)
{
    if (!NT_SUCCESS(status)) {
        fprintf(stderr, "bench: %s: %s\n", what, status_name(status));
        exit(3);
    }
}
