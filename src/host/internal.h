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
    const struct task *main; /* leads the run; the pointer alone */
    const struct host_options *options;
    struct record *record;
    struct pci_slot *slot;
    struct loader_image *image;
    struct ddi_driver driver;
    struct _DRIVER_OBJECT *driver_object;
    struct _DEVICE_OBJECT *device;
    struct dxgk_adapter *adapter;
    char service[256];
    bool ended;          /* the main task came to its end */
    bool system_stopped; /* by stop-screen or shut-down: the end, too */
    bool speaks_last;    /* its screen is drawn behind a finding: nothing is found any more */
    bool loads;          /* the driver is being loaded: constructors of a module run */
    bool over;           /* the run is judged: what happens now is not its business */
    bool fences_counted;
    bool addresses_ruled_out; /* by the user's settings */
    uint64_t escapes;         /* that have returned, of those in the driver's own format */
    bool escaped;             /* a client sent escapes in the driver's own format */
    bool excused;             /* a workload ended early, and that says nothing of the driver */
    uint64_t work_before;     /* of clients, completed by adapters that are gone */
    char
        lacks[RECORD_TEXT_MAX + 256]; /* what Drydock does not have and the driver used; or empty */
    char idle[RECORD_TEXT_MAX + 256]; /* why a clean run says nothing; or empty */
    /* The workload that failed after a call of its own was refused, and what it said; or empty. */
    char refused[RECORD_TEXT_MAX + 256];
};

extern struct host_run host;

/* Parts of a run have seeds that follow each other: of four the last two. What a part does in one
 * of two ways it does in the one in each pair. */
static inline bool host_is_of_second_pair(void)
{
    return (host.options->seed & 2) != 0;
}

/* share_out.c: which values the settings for GPU virtual addresses have, by the seed; and which of
 * the values of the setting of that number. */
void host_share_out(const struct host_options *options);
unsigned host_share_of(const struct host_options *options, unsigned setting);

/* settings.c: before the driver reads them: other values in its service key. */
void host_vary_settings(const char *key);
/* Notes what was set, and what the driver asked for that is not there. */
void host_tell_settings(void);
/* The same for `drydock info`: {"key", "name", "number"}, in the order of asking. */
struct json_t *host_settings_asked(void);
/* info.c: a driver's or a file's name; a document takes UTF-8 only. */
struct json_t *host_name_value(const char *name);

/* faults.c: what breaks the run. */
void host_faults_install(void);
/* The DDI that runs, or "the driver". */
const char *host_point_name(void);
/* A finding that is no rule of the contract: a fault, damaged pool, a leak. */
void host_finding(const char *name, const char *expected, bool fatal, uint32_t bugcheck,
                  const uint64_t *arguments, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* A fatal breach of a rule found outside the door; does not return. */
_Noreturn void host_breach(const struct contract_finding *finding, const char *expected,
                           const char *actual);
/* A finding that is nothing against the driver, for the user allowed it; but the run cannot go on
 * behind it. */
_Noreturn void host_end_after_waived(const struct record_breach *breach);
void host_check_leaks(void);

/* stop_screen.c: the run ended with a finding that stops a system: its screen, as the driver draws
 * it then. What goes wrong there is nobody's business. */
void host_stop_screen(void);

/* touch.c: faults of memory that has an owner, and bounds. */
/* False: the fault has another reason. */
bool host_touch(const struct loader_fault *fault);
/* May it be read there after all? It is told, and can be read from now on. */
bool host_touch_is_admitted(void *ctx, uintptr_t address);
/* Does a touch of the address stop the system, whatever handlers the driver has? */
bool host_touch_is_fatal(void *ctx, uintptr_t address);
/* "block 'Dryd' of 64 bytes, allocated at mine.sys+0x1234" */
#define HOST_BLOCK_MAX (LOADER_TEXT_MAX + 96)
void host_block_text(const struct nt_pool_block *block, char text[HOST_BLOCK_MAX]);

/* party.c: whose code runs. */
enum host_party {
    HOST_PARTY_DRYDOCK,
    HOST_PARTY_DRIVER,
    HOST_PARTY_DEVICE,
    HOST_PARTY_POLICY,
    HOST_PARTY_CLIENT,
};
/* Code that runs, and its callers, innermost first. */
struct host_frames {
    const void *const *at;
    unsigned count;
};
enum host_party host_party(const struct host_frames *frames);
/* "mine.so+0x1139 (doorbell_tick)" */
void host_place_text(const void *address, char *text, size_t size);
void host_party_install(void);

/* client.c: the faults of clients. `workload` is an index of the run's workloads. */
/* Does a client's own code run just now? */
bool host_client_runs(void);
/* Sets the outcome: the workload's fault; one of ours is Drydock's, and after a finding about the
 * driver it is the driver's. */
void host_client_blame(unsigned workload, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* While a client's code runs: a fault, which ends the run; it does not return, or ends the process
 * (both in a signal handler). */
void host_client_fault(const struct loader_fault *fault);
void host_client_hangs(const struct host_frames *frames);
void host_client_ends(const struct host_frames *frames, const char *how);

/* device.c: the device in its slot, and the faults of its model. */
bool host_plug_device(void);
/* Does a device model's code run just now? */
bool host_device_runs(void *ctx);
/* A fault while it runs; ends the run. */
void host_device_fault(const struct loader_fault *fault);
/* It does not return; in a signal handler, with its ucontext_t. */
void host_device_hang(const void *context);
/* It ends the process by `how`. */
void host_device_ends(const char *how);

/* policy.c: the scheduling policy of the run, NULL for the usual one, and a plug-in's faults. */
struct vidsch_policy;
const struct vidsch_policy *host_policy(void);
/* Does its code run just now? */
bool host_policy_runs(void);
/* While it runs: a fault, which ends the run; it does not return, or ends the process by `how`
 * (both in a signal handler). */
void host_policy_fault(const struct loader_fault *fault);
void host_policy_hangs(const struct host_frames *frames);
void host_policy_ends(const char *how);

/* mapped.c: files that code is mapped from; ends the process for one that was made shorter. */
void host_page_gone(void *ctx, uintptr_t address);

/* deadlock.c: everything waits; who, where. */
void host_deadlock(void);
/* The time limit came: calls of the driver that wait for long are findings. */
void host_overdue(void);

/* work.c: the workloads. */
void host_run_workloads(void);
/* What of a service of a client may switch: its own code does not run there. */
static inline void host_serve(const struct drydock_workload_host *base)
{
    task_serve((void *)(uintptr_t)base);
}

static inline void host_served(void)
{
    task_serve(NULL);
}

/* pictures.c: what monitors show, for workloads; as workload.h has them. */
bool host_scanout(const struct drydock_workload_host *base, unsigned source, const void **pixels,
                  unsigned *width, unsigned *height, unsigned *stride_bytes);
bool host_compare(const struct drydock_workload_host *base, unsigned source, const uint32_t *pixels,
                  const struct drydock_window *window, struct drydock_wrong_pixel *wrong);
bool host_scanout_eye(const struct drydock_workload_host *base, unsigned source, bool right,
                      const void **pixels, unsigned *width, unsigned *height,
                      unsigned *stride_bytes);
/* results.c: the rule that a workload names, and what was expected; CONTRACT_RULE_COUNT: none that
 * a result shows. */
enum contract_rule host_result_rule(const char *id, const char **expected);
/* The workload that the running task of a client belongs to. */
unsigned host_client_workload(void);
/* Blames the workload if all its tasks wait for what only they could bring about: no call of the
 * driver is open, and no work is left but what waits for their sync objects. Otherwise nothing.
 * everything_waits: nobody in the whole computer can run. */
void host_work_deadlock(bool everything_waits);
/* The call of D3DKMT or of its host that a thread of a client is in; NULL: in none, or no such. */
const char *host_task_is_in(const struct task *task);
void host_work_overdue(void); /* notes of threads that are in a call of D3DKMT for long */

/* run.c: a device and its adapter; whatever comes of it, host_remove_device() is next. */
/* learned: what was learned of one that does not start; or NULL. */
NTSTATUS host_start_adapter(struct dxgk_failure *failure, struct dxgk_adapter_info *learned);
void host_remove_device(void);
/* Behind a stop, or a start that failed, as `expected` says: a device that raises interrupts or
 * writes memory is a finding. Takes 50 ms. May switch. */
void host_watch_device_rest(const char *expected, bool was_started);
/* What was pulled out is stopped and removed, and comes back as a new device. False: it does not
 * start; there is no adapter then. */
bool host_plug_in_again(void);
/* Stops the adapter alone, as when its resources are given out anew, and starts it again with what
 * AddDevice gave. host.adapter is NULL in between, and if it does not start. */
void *host_stop_only(void);
NTSTATUS host_start_stopped(void *added, struct dxgk_failure *failure);
/* Both, in a run that goes on (second-start). False: it does not start. */
bool host_start_again(void);
/* Makes host.driver_object and calls DriverEntry. */
NTSTATUS host_enter(struct ddi_driver *driver);

/* refusals.c: requests of the driver that are refused, and lives of the device before the one that
 * counts. */
void host_live_before(void);
/* Behind Unload: DriverEntry again and again, each time with something that fails in it. */
void host_fail_entries(void);
bool host_fails_allocation(void *ctx, uint32_t tag, size_t size, const void *caller);
bool host_fails_again(void *ctx, bool wanted);
/* The call that runs, as one number, and what is to be said of it behind a place in it: " in
 * DxgkDdiRender", and what it was refused. */
uint64_t host_call(void *ctx);
void host_call_text(void *ctx, uint64_t call, char *text, size_t size);
/* Adds to what happened what the call that runs was refused, or an earlier one of a start that
 * fails. Of what happens again and again, the first one alone is told with it. */
struct record_breach;
void host_remark(struct record_breach *breach);

/* variations.c: events of a computer's life; what happens between two workloads. */
void host_pause_between(void);
/* As the driver expects them, in what is known of that; nothing but a stop comes behind them.
 * False: one of them waits for as long as its bytes say, or for what no client does, and stays. */
bool host_send_escapes(void);
/* In which order workloads run: indices, as many as there are. */
void host_order_workloads(unsigned *order);
/* Around each workload, by its index: what comes in its middle. */
void host_workload_begins(unsigned workload);
void host_workload_ended(unsigned workload);

/* info.c */
/* What was learned; refusal: why the adapter does not start, or NULL. */
void host_leave_info(const struct dxgk_adapter_info *info, const char *refusal);

#endif
