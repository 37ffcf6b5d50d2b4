/* The whole of Drydock around a benchmark. */
#include "house.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/status.h"
#include "host/host.h"
#include "softgpu/softgpu.h"

#define WATCHDOG_MS      600000
#define DRIVER_BYTES_MAX (256u << 20)

static void (*house_work)(struct house *house);

static void run(const struct drydock_workload_host *host)
{
    struct house house = {.adapter = dxgk_adapter_first(), .process = dxgk_process_current()};

    house_work(&house);
}

static bool read_driver(const char *path, struct host_file *out)
{
    const char *slash = strrchr(path, '/');
    char error[256];
    void *bytes;

    out->name = slash ? slash + 1 : path;
    if (!file_read(path, DRIVER_BYTES_MAX, &bytes, &out->size, error, sizeof error)) {
        fprintf(stderr, "bench: %s\n", error);
        return false;
    }
    out->bytes = bytes;
    return true;
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
        .device_model = &softgpu_model,
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
        if (!read_driver(options->driver, &host.driver)) {
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
