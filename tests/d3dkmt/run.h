/* run.h: runs workloads on the software GPU in a child process, as the tool does. */
#ifndef TESTS_D3DKMT_RUN_H
#define TESTS_D3DKMT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/record.h"
#include "drydock/device.h"
#include "drydock/workload.h"

#define RUN_WORKLOADS_MAX 4

struct test_run {
    const struct drydock_workload *workloads[RUN_WORKLOADS_MAX];
    const struct device_model *device_model; /* NULL: the software GPU as it is */
    const char *device_options;
    const char *registry; /* lines "Name"=dword:... of the driver's key, or NULL */
    unsigned wddm_version;
    uint64_t seed, duration_ns;
    uint64_t time_limit_ns; /* virtual; 0: the default */
    unsigned process_count;
    bool other_commands; /* the driver is said to have commands that nobody knows */
    const char *vary;    /* variations, as --vary takes them; NULL: none */
    const struct drydock_image *images;
    unsigned image_count;
};

/* The path of the driver's module. */
void test_run_set_driver(const char *module_path);
/* Asserts that the child ended well; what it left is in the record, which the caller destroys. */
struct record *test_run(const struct test_run *run);
/* Asserts outcome and breaches, and prints what is wrong. */
void test_run_assert_pass(struct record *record);
uint64_t test_run_counter(struct record *record, const char *name);

#endif
