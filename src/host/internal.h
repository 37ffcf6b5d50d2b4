/* What the files of host/ share: the one run. */
#ifndef HOST_INTERNAL_H
#define HOST_INTERNAL_H

#include "ddi/ddi.h"
#include "dxgk/dxgk.h"
#include "host/host.h"
#include "loader/loader.h"
#include "machine/machine.h"
#include "nt/nt.h"

struct host_run {
    const struct host_options *options;
    struct record *record;
    struct pci_slot *slot;
    struct loader_image *image;
    struct ddi_driver driver;
    struct _DRIVER_OBJECT *driver_object;
    struct _DEVICE_OBJECT *device;
    struct dxgk_adapter *adapter;
    char service[64];
    bool ended; /* the main task came to its end */
    bool fences_counted;
    char lacks[RECORD_TEXT_MAX]; /* what Drydock does not have and the driver used; or empty */
    char idle[RECORD_TEXT_MAX];  /* why a clean run says nothing; or empty */
};

extern struct host_run host;

/* faults.c: what breaks the run. */
void host_faults_install(void);
/* A finding that is no rule of the contract: a fault, damaged pool, a leak. */
void host_finding(const char *name, const char *expected, bool fatal, uint32_t bugcheck,
                  const uint64_t *arguments, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void host_check_leaks(void);

/* device.c: the device in its slot, and the faults of its model. */
bool host_plug_device(void);
/* Does a device model's code run just now? */
bool host_device_runs(void *ctx);
/* A fault while it runs; ends the run. */
void host_device_fault(const struct loader_fault *fault);
/* It does not return; in a signal handler, with its ucontext_t. */
void host_device_hang(const void *context);
/* It ends the process. */
void host_device_exits(void);

/* work.c: the workloads. */
void host_run_workloads(void);

/* run.c: a device and its adapter; whatever comes of it, host_remove_device() is next. */
NTSTATUS host_start_adapter(struct dxgk_failure *failure);
void host_remove_device(void);

/* variations.c: events of a computer's life. Lives of the device before the one that counts; what
 * happens between two workloads. */
void host_live_before(void);
void host_pause_between(void);
bool host_fails_allocation(void *ctx, uint32_t tag, size_t size, const void *caller);

/* info.c */
void host_leave_info(void);

#endif
