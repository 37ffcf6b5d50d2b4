/* house.h: the whole of Drydock around a benchmark: software GPU, its driver, and the caller as the
 * client. Tasks take turns by the clock alone, so that what is measured is work and not chance. */
#ifndef BENCH_HOUSE_H
#define BENCH_HOUSE_H

#include "dxgk/dxgk.h"

struct house {
    struct dxgk_adapter *adapter;
    struct dxgk_process *process;
};

struct house_options {
    const char *driver;         /* softgpu.so or softgpu.sys */
    const char *device_options; /* of the software GPU */
    uint64_t ram_bytes;         /* 0: 1 GiB */
};

/* Starts everything, calls work() in a client process, stops everything. The exit status: 0 if the
 * run passed; what went wrong is on standard error. Once in a process. */
int house_run(const struct house_options *options, void (*work)(struct house *house));

/* Ends the benchmark if a step of it failed. */
void house_need(NTSTATUS status, const char *what);

#endif
