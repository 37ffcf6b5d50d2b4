/* The run from power-on to power-off. */
#include "host/host.h"

#include "host/internal.h"

#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define LEAVE_SHIFTS    4 /* of the accesses that are answered */
#define TIME_LIMIT_NS   (600 * NS_PER_S)
#define FENCES_TO_WRAP  64u /* at most so many ids before they wrap ... */
#define WRAP_SHIFTS     4u  /* ... doubled up to so many times, less one */
#define PIECE_SHIFT_MIN 4   /* pieces of 64 KiB ... */
#define PIECE_SHIFTS    4   /* ... to 512 KiB */

struct host_run host;

/* ---- Before the machine runs ----------------------------------------------------------------- */

/* As the user said, or the file's name without what is behind its last dot. */
static void choose_service_name(void)
{
    const char *name = host.options->service_name;

    if (name) {
        snprintf(host.service, sizeof host.service, "%s", name);
        return;
    }
    name = host.options->driver.bytes ? host.options->driver.name : host.options->driver_module;
    const char *slash = strrchr(name, '/');
    snprintf(host.service, sizeof host.service, "%s", slash ? slash + 1 : name);
    for (char *at = host.service; (at = strchr(at, '\\')) != NULL;) {
        *at = '_'; /* no key's name has one */
    }
    char *dot = strrchr(host.service, '.');
    if (dot && dot != host.service) {
        *dot = '\0';
    }
}

static bool load_registry(void)
{
    const struct host_options *options = host.options;
    struct nt_registry_error error;
    char path[sizeof NT_REGISTRY_SERVICES + sizeof host.service];

    if (options->installation) {
        const char *text = options->installation->registry;
        if (!nt_registry_load_text(text, strlen(text), &error)) {
            record_set_outcome(RUN_OUTCOME_USAGE, "--inf: %s", error.text);
            return false;
        }
        record_note(options->installation->note);
    }
    if (options->registry.bytes &&
        !nt_registry_load_text(options->registry.bytes, options->registry.size, &error)) {
        record_set_outcome(RUN_OUTCOME_USAGE, "%s:%u: %s", options->registry.name, error.line,
                           error.text);
        return false;
    }
    snprintf(path, sizeof path, "%s\\%s", NT_REGISTRY_SERVICES, host.service);
    if (options->wddm_version &&
        !NT_SUCCESS(nt_registry_set_dword(path, "WddmVersion", options->wddm_version))) {
        record_set_outcome(RUN_OUTCOME_OWN_FAULT, "the service key cannot be written");
        return false;
    }
    host_vary_settings(path);
    return true;
}

/* The dynamic linker runs a module's constructors, who may do what they like with signals. */
static bool load_module(struct loader_error *error)
{
    struct rlimit before, after;
    sigset_t mask;

    sigprocmask(SIG_SETMASK, NULL, &mask);
    getrlimit(RLIMIT_AS, &before);
    host.loads = true;
    record_driver_runs(true);
    bool loaded = loader_load_file(host.options->driver_module, &host.image, error);
    record_driver_runs(false);
    host.loads = false;
    loader_init_again();
    host_party_install();
    sigprocmask(SIG_SETMASK, &mask, NULL);
    getrlimit(RLIMIT_AS, &after);
    if (loaded && before.rlim_cur != after.rlim_cur) {
        snprintf(error->text, sizeof error->text,
                 "a constructor of it changed the limit of the process's addresses");
        return false;
    }
    return loaded;
}

static bool load_image(void)
{
    const struct host_options *options = host.options;
    struct loader_error error;
    bool loaded = options->driver.bytes
                      ? loader_load_bytes(options->driver.name, options->driver.bytes,
                                          options->driver.size, &host.image, &error)
                      : load_module(&error);

    if (!loaded) {
        record_set_outcome(RUN_OUTCOME_REFUSED, "%s", error.text);
        return false;
    }
    if (options->cover && !loader_cover(host.image, options->cover, &error)) {
        record_set_outcome(RUN_OUTCOME_OWN_FAULT, "%s", error.text);
        return false;
    }
    if (options->loaded) {
        options->loaded();
    }
    for (size_t i = 0; i < host.image->import_count; i++) {
        record_count(host.image->imports[i].found ? "imports.found" : "imports.missing", 1);
    }
    return true;
}

/* Which services of the kernel the driver called: its import table counts. */
static void count_exports(void)
{
    struct record_header *header = record_header(host.record);
    size_t count;
    const struct nt_export *exports = nt_exports(&count);

    for (size_t i = 0; host.image && i < host.image->import_count; i++) {
        const struct loader_import *import = &host.image->imports[i];
        const struct nt_export *found = import->calls ? nt_export_find(import->name) : NULL;
        if (found && (size_t)(found - exports) < RECORD_EXPORTS_MAX) {
            header->exports[found - exports] = (struct record_reach){1, *import->calls};
        }
    }
}

/* ---- In the main task ------------------------------------------------------------------------ */

/* The driver's no, or ours if it may follow from what Drydock does not have. */
static void refuse(bool ours, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void refuse(bool ours, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    record_set_outcome(ours || host.lacks[0] ? RUN_OUTCOME_UNSUPPORTED : RUN_OUTCOME_REFUSED,
                       "%s%s%s", host.lacks, host.lacks[0] ? "; " : "", text);
}

static bool is_drivers_code(const void *address)
{
    bool writable;

    return loader_image_at(address) && !loader_data_at(address, &writable);
}

NTSTATUS host_enter(struct ddi_driver *driver)
{
    NTSTATUS status = nt_driver_object_create(host.service, &host.driver_object);

    CHECK_THAT(NT_SUCCESS(status));
    nt_driver_object_set_image(host.driver_object, host.image->base, host.image->size);
    return ddi_driver_enter(driver, (DRIVER_INITIALIZE *)(uintptr_t)host.image->entry,
                            host.driver_object, nt_driver_registry_path(host.driver_object));
}

static bool enter_driver(void)
{
    record_set_stage(RUN_STAGE_ENTRY);
    NTSTATUS status = host_enter(&host.driver);
    if (!NT_SUCCESS(status)) {
        refuse(false, "DriverEntry failed with %s%s%s", status_name(status),
               host.driver.refusal[0] ? ": " : "", host.driver.refusal);
        /* The driver goes without another call, and what it has not given back is lost. */
        host_check_leaks();
        return false;
    }
    loader_discard(host.image);
    if (!host.driver.registered) {
        refuse(false, "DriverEntry succeeded without registering by DxgkInitialize%s%s",
               host.driver.refusal[0] ? ": " : "", host.driver.refusal);
        return false;
    }
    ddi_check_routines(&host.driver, is_drivers_code);
    host.driver.catches_faults = host.image->kind == LOADER_KIND_PE;
    return true;
}

/* Ids begin as the user says, else with 1: who began with "last id 0" has seen them leap. */
static uint32_t fence_wrap_after(void)
{
    if (host.options->first_fence_id || !vary_happens(VARY_FENCE_WRAP, 1)) {
        return 0;
    }
    /* Now and then many: what only happens while ids are large needs some of them. */
    uint32_t shift = (uint32_t)vary_below(VARY_FENCE_WRAP, WRAP_SHIFTS);
    return 1 + (uint32_t)vary_below(VARY_FENCE_WRAP, FENCES_TO_WRAP << shift);
}

bool host_is_windows(const char *version)
{
    struct nt_version read;

    return nt_version_read(version, &read);
}

static void tell_version(const char *text)
{
    struct nt_version version = {0};

    CHECK_THAT(!text || nt_version_read(text, &version));
    nt_set_version(&version);
}

/* One time in four the shut page lies before the block. */
static enum nt_special_pool special_pool(void)
{
    static const enum nt_special_pool places[] = {
        [HOST_SPECIAL_POOL_OFF] = NT_SPECIAL_POOL_OFF,
        [HOST_SPECIAL_POOL_AFTER] = NT_SPECIAL_POOL_AFTER,
        [HOST_SPECIAL_POOL_BEFORE] = NT_SPECIAL_POOL_BEFORE,
    };

    if (host.options->special_pool || !vary_happens(VARY_SPECIAL_POOL, 1)) {
        return places[host.options->special_pool];
    }
    return vary_below(VARY_SPECIAL_POOL, 4) == 0 ? NT_SPECIAL_POOL_BEFORE : NT_SPECIAL_POOL_AFTER;
}

static uint64_t transfer_bytes_max(void)
{
    if (host.options->transfer_bytes_max || !vary_happens(VARY_SPLIT_TRANSFERS, 1)) {
        return host.options->transfer_bytes_max;
    }
    return MACHINE_PAGE_SIZE << (PIECE_SHIFT_MIN + vary_below(VARY_SPLIT_TRANSFERS, PIECE_SHIFTS));
}

/* Its lines name HOST_HARDWARE_KEY, which is known when there is a device. */
static void install_hardware(const char *text, const char *key)
{
    struct nt_registry_error error;
    char *whole = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&whole, &size);

    CHECK_THAT(to);
    for (const char *at = text; *at; at++) {
        bool names_it = at[0] == '[' && at[1] == HOST_HARDWARE_KEY[0];
        fputc(*at, to);
        fputs(names_it ? key : "", to);
        at += names_it;
    }
    fclose(to);
    if (!nt_registry_load_text(whole, size, &error)) {
        record_note("what --inf says of the hardware key is none of its values");
    }
    free(whole);
}

/* Of plug-ins it is to be seen what they read behind an unlock. */
static bool has_foreign_client(const struct host_options *options)
{
    for (unsigned i = 0; i < options->workload_count; i++) {
        if (options->workload_paths[i]) {
            return true;
        }
    }
    return false;
}

static NTSTATUS start_on_device(struct dxgk_failure *failure, struct dxgk_adapter_info *learned,
                                void *added)
{
    const struct host_options *options = host.options;
    const struct dxgk_adapter_options adapter = {
        .driver = &host.driver,
        .policy = host_policy(),
        .slot = host.slot,
        .physical_device = host.device,
        .tdr_delay_ns = options->tdr_delay_ns,
        .first_fence_id = options->first_fence_id,
        .fence_wrap_after = fence_wrap_after(),
        .shadow_content = options->shadow_content,
        .patch_paging = options->patch_paging,
        .undocumented_paging = options->undocumented_paging,
        .transfer_bytes_max = transfer_bytes_max(),
        .keep_views = !has_foreign_client(options),
        .learned = learned,
        .added = added,
    };
    return dxgk_adapter_start(&adapter, &host.adapter, failure);
}

NTSTATUS host_start_adapter(struct dxgk_failure *failure, struct dxgk_adapter_info *learned)
{
    const struct host_options *options = host.options;
    NTSTATUS status = nt_device_create(host.slot, &host.device);
    CHECK_THAT(NT_SUCCESS(status));
    status = nt_device_set_driver(host.device, host.driver_object);
    CHECK_THAT(NT_SUCCESS(status));
    if (options->installation) {
        install_hardware(options->installation->hardware, nt_device_parameters_key(host.device));
    }
    return start_on_device(failure, learned, NULL);
}

void host_remove_device(void)
{
    nt_device_destroy(host.device);
    host.device = NULL;
}

static bool start_adapter(void)
{
    struct dxgk_adapter_info *learned = calloc(1, sizeof *learned);
    struct dxgk_failure failure;

    CHECK_THAT(learned);
    NTSTATUS status = host_start_adapter(&failure, learned);
    if (!NT_SUCCESS(status)) {
        bool broken = record_header(host.record)->counting_breaches > 0;
        const char *why = failure.text[0] ? failure.text : status_name(status);
        host_leave_info(learned, why);
        refuse(failure.ours && !broken, "%s", why);
    } else {
        dxgk_adapter_info(host.adapter, learned);
        host_leave_info(learned, NULL);
    }
    free(learned);
    return NT_SUCCESS(status);
}

static void count_fences(void)
{
    struct dxgk_totals totals;

    if (!host.adapter || host.fences_counted) {
        return;
    }
    host.fences_counted = true;
    dxgk_adapter_totals(host.adapter, &totals);
    record_count("fences.submitted", totals.submitted);
    record_count("fences.completed", totals.completed);
    record_count("fences.lost", totals.lost);
    record_count("fences.cancelled", totals.cancelled);
    record_count("fences.preempted", totals.preempted);
    record_count("fences.resets", totals.resets);
}

#define REST_NS      (50 * NS_PER_MS) /* three pictures */
#define SHUT_DOWN_NS (1 * NS_PER_S)   /* for work to end; else the device is stopped as ever */

/* A device that was stopped raises no interrupt and writes no memory: both may be others' now. */
void host_watch_device_rest(const char *expected, bool was_started)
{
    uint64_t before = pci_activity(host.slot);

    /* Somebody plugs a monitor in meanwhile: nobody serves the interrupt any more. What a device
     * does by itself from power-on is not held against a start that came to nothing. */
    bool plugs = was_started && pci_set_monitor(host.slot, 0, false);
    if (plugs) {
        pci_set_monitor(host.slot, 0, true);
    }
    task_block(machine_now_ns() + REST_NS);
    uint64_t count = pci_activity(host.slot) - before;
    if (count > 0) {
        host_finding("DEVICE", expected, false, 0, NULL,
                     "it was left running: it raised interrupts or accessed memory %llu times in "
                     "the %u ms after that%s",
                     (unsigned long long)count, (unsigned)(REST_NS / NS_PER_MS),
                     plugs ? ", in which a monitor was pulled out and plugged in" : "");
    }
}

/* A pass says that work was done right. Where none was done it would say nothing; but not where
 * the device was taken from work that had begun: what came of that was judged. Work that had no
 * room was not taken. */
static void look_for_work(void)
{
    bool taken = host.excused && !dxgk_adapter_lacks_tables(host.adapter);
    struct dxgk_totals totals;

    dxgk_adapter_totals(host.adapter, &totals);
    if (!host.options->work_expected || totals.work + host.work_before > 0 || host.idle[0] ||
        taken || (host.addresses_ruled_out && host.options->others_work)) {
        return;
    }
    snprintf(host.idle, sizeof host.idle,
             totals.submitted > 0
                 ? "none of %llu submissions was a client's and completed: there is nothing to "
                   "judge by"
                 : "nothing was submitted: no workload had something to do for this driver; one "
                   "that knows its commands (--workload ./mine.so), private data of its "
                   "allocations (--allocation-data FILE), or an output (--device outputs=1) would",
             (unsigned long long)totals.submitted);
}

/* The last that happens: what a driver holds then is nobody's loss. */
static void stop_system(void)
{
    if (!vary_on(VARY_STOP_SCREEN) || !dxgk_adapter_stop_screen(host.adapter)) {
        return;
    }
    vary_happened(VARY_STOP_SCREEN);
    host.system_stopped = true;
    machine_halt();
}

/* Likewise: whoever wants to be told of a stop has to know of power. */
static void shut_down(void)
{
    uint64_t activity = 0;

    if (!vary_on(VARY_SHUT_DOWN) ||
        !dxgk_adapter_shut_down(host.adapter, machine_now_ns() + SHUT_DOWN_NS, &activity)) {
        return;
    }
    vary_happened(VARY_SHUT_DOWN);
    if (activity > 0) {
        host_finding("DEVICE", "a device at rest after DxgkDdiSetPowerState to D3", false, 0, NULL,
                     "it raised interrupts or accessed memory %llu times while it was in D3, in "
                     "which the computer was to be switched off",
                     (unsigned long long)activity);
    }
    host.system_stopped = true;
    machine_halt();
}

/* Is the driver stopped, removed and unloaded, and not the system? With him goes the picture that
 * he hands on; and what failed starts left behind shows at Unload alone. */
static bool is_to_be_unloaded(void)
{
    return dxgk_adapter_may_release(host.adapter) || vary_on(VARY_FAILED_STARTS);
}

/* A part has one end, and may have several in its set: which one comes then is another in two of
 * four parts. */
static void end_system(void)
{
    bool others = host_is_of_second_pair();

    if (!others && is_to_be_unloaded()) {
        return;
    }
    if (others) {
        stop_system();
    }
    shut_down();
    stop_system();
}

/* Another adapter follows in the same run. */
static void count_life(void)
{
    struct dxgk_totals totals;

    dxgk_adapter_totals(host.adapter, &totals);
    host.work_before += totals.work;
    count_fences();
    host.fences_counted = false;
}

void *host_stop_only(void)
{
    void *added = dxgk_adapter_stop_only(host.adapter);

    host.adapter = NULL;
    host_watch_device_rest("a device at rest after StopDevice", true);
    return added;
}

NTSTATUS host_start_stopped(void *added, struct dxgk_failure *failure)
{
    pci_move(host.slot);
    if (host.driver.display_only) {
        pci_firmware_leave_another(host.slot);
    }
    return start_on_device(failure, NULL, added);
}

bool host_start_again(void)
{
    struct dxgk_failure failure;

    count_life();
    NTSTATUS status = host_start_stopped(host_stop_only(), &failure);
    if (!NT_SUCCESS(status)) {
        refuse(failure.ours, "after the device was stopped, to be started again: %s",
               failure.text[0] ? failure.text : status_name(status));
    }
    record_set_stage(RUN_STAGE_WORK);
    return NT_SUCCESS(status);
}

bool host_plug_in_again(void)
{
    struct dxgk_failure failure;

    count_life();
    dxgk_adapter_stop(host.adapter);
    host.adapter = NULL;
    host_remove_device();
    pci_plug_in(host.slot);
    pci_move(host.slot); /* who plugs it in again gives it what is free */
    NTSTATUS status = host_start_adapter(&failure, NULL);
    if (!NT_SUCCESS(status)) {
        refuse(failure.ours, "after the device was pulled out and plugged in again: %s",
               failure.text[0] ? failure.text : status_name(status));
    }
    record_set_stage(RUN_STAGE_WORK);
    return NT_SUCCESS(status);
}

/* Another driver, or a picture at the end, wants it to stay. Seeds of four parts differ in two
 * bits, and each pair of them has the variation once: it leaves in one pair, and stays in the
 * other, where it is looked at when it should rest. */
static bool leaves_at_stop(void)
{
    bool leaves = vary_on(VARY_PULLED_OUT) && !vary_on(VARY_RELEASE_DISPLAY) &&
                  !host.options->surprise_removal && dxgk_adapter_stands_removal(host.adapter) &&
                  !dxgk_adapter_is_missing(host.adapter) && (host.options->seed & 2) != 0;

    if (leaves) {
        unsigned shifts = (unsigned)vary_below(VARY_PULLED_OUT, LEAVE_SHIFTS);
        dxgk_adapter_leave_at_stop(host.adapter,
                                   (unsigned)vary_below(VARY_PULLED_OUT, UINT64_C(1) << shifts));
        record_count("host.left_at_stop", 1);
    }
    return leaves;
}

/* Screens behind the end: nobody may have spoiled them. */
static bool is_looked_at_later(void)
{
    return vary_on(VARY_RELEASE_DISPLAY) || vary_on(VARY_STOP_SCREEN) || vary_on(VARY_SHUT_DOWN);
}

/* Behind its workloads: the end of the adapter's life. False: a call that a client sent does not
 * return as long as that client wants, and nobody can end anything. */
static bool end_adapter(void)
{
    if (host.options->surprise_removal) {
        dxgk_adapter_surprise_remove(host.adapter);
    }
    count_fences();
    end_system();
    /* A screen that another driver is to take over is looked at: it stays. */
    if (vary_on(VARY_HOT_PLUG) && !vary_on(VARY_RELEASE_DISPLAY) &&
        dxgk_adapter_pull_monitor(host.adapter)) {
        vary_happened(VARY_HOT_PLUG);
    }
    bool leaves = leaves_at_stop();
    if (!host.options->surprise_removal && !leaves && !is_looked_at_later() &&
        !host_send_escapes()) {
        return false;
    }
    dxgk_adapter_stop(host.adapter);
    host.adapter = NULL;
    if (!host.options->surprise_removal && !leaves) {
        host_watch_device_rest("a device at rest after StopDevice and RemoveDevice", true);
    }
    return true;
}

static bool use_adapter(void)
{
    record_set_stage(RUN_STAGE_WORK);
    if (!host.options->info_only) {
        host_run_workloads();
    }
    if (host.adapter) {
        if (!host.options->info_only) {
            look_for_work();
        }
        return end_adapter();
    }
    return true;
}

static void main_task(void *argument)
{
    bool kept = vary_on(VARY_FAILED_STARTS) && loader_keep(host.image);

    bool entered = enter_driver();
    if (entered) {
        if (!host.options->info_only) {
            host_live_before();
        }
        if (start_adapter() && !use_adapter()) {
            host.ended = true;
            return;
        }
        host_remove_device();
        record_set_stage(RUN_STAGE_UNLOAD);
        ddi_driver_unload(&host.driver);
        host_check_leaks();
    }
    nt_driver_object_destroy(host.driver_object);
    if (kept && entered && !host.options->info_only &&
        record_header(host.record)->counting_breaches == 0) {
        host_fail_entries();
    }
    host.ended = true;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* What was found before stands, whatever ended the run then. */
static void judge_findings(const char *afterwards)
{
    uint32_t count = record_header(host.record)->counting_breaches;

    if (count > 0) {
        record_set_outcome(RUN_OUTCOME_BREACH, "%u breach%s of the contract%s", count,
                           count == 1 ? "" : "es", afterwards);
    }
}

/* It came to its end, and nobody found anything. */
static void judge_clean(void)
{
    if (host.refused[0]) {
        record_set_outcome(RUN_OUTCOME_WORKLOAD_FAULT, "%s", host.refused);
    } else if (host.lacks[0]) {
        record_set_outcome(RUN_OUTCOME_UNSUPPORTED, "%s", host.lacks);
    } else if (host.idle[0]) {
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE, "%s", host.idle);
    }
    record_set_outcome(RUN_OUTCOME_PASS, "pass");
}

static void judge_stop(enum machine_stop stop)
{
    enum contract_point point = ddi_current_point();

    switch (stop) {
    case MACHINE_STOP_WATCHDOG:
        record_set_outcome(RUN_OUTCOME_FAULT,
                           "the driver never returned: %s ran too long without calling the kernel",
                           point < POINT_COUNT ? contract_point_info(point)->name : "it");
        break;
    case MACHINE_STOP_DEADLOCK:
        /* Before its clients, who may wait for just these. */
        if (!host.adapter || record_header(host.record)->outcome != RUN_OUTCOME_NONE ||
            !dxgk_adapter_judge_silence(host.adapter, true)) {
            host_work_deadlock(true);
        }
        host_deadlock();
        break;
    case MACHINE_STOP_DEADLINE:
        host_overdue();
        if (host.adapter) {
            dxgk_adapter_judge_flips(host.adapter);
            (void)dxgk_natives_judge(host.adapter, true);
            /* What was found may be why none came, as where they were told and refused. */
            if (record_header(host.record)->counting_breaches == 0) {
                (void)dxgk_adapter_judge_silence(host.adapter, false);
            }
        }
        host_work_deadlock(false);
        judge_findings("; the time limit of the run was reached");
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE, "the time limit of the run was reached");
        break;
    default:
        break;
    }
    ddi_judge_answers();
    judge_findings("");
    if ((host.ended && stop == MACHINE_STOP_DONE) || host.system_stopped) {
        record_set_stage(RUN_STAGE_DONE);
        judge_clean();
    }
    if (record_header(host.record)->outcome == RUN_OUTCOME_NONE) {
        record_set_outcome(RUN_OUTCOME_OWN_FAULT, "the run ended before its end");
    }
}

static enum machine_stop run_machine(void)
{
    const struct task_options options = {.name = "main", .stack_bytes = 1u << 20};
    struct task *task;

    NTSTATUS status = task_create(&options, main_task, NULL, &task);
    CHECK_THAT(NT_SUCCESS(status));
    host.main = task;
    task_put(task);
    uint64_t limit = host.options->time_limit_ns ? host.options->time_limit_ns : TIME_LIMIT_NS;
    return machine_run(machine_now_ns() + limit);
}

enum run_outcome host_run(const struct host_options *options, struct record *record)
{
    const struct machine_config machine = {
        .seed = options->seed,
        .ram_bytes = options->ram_bytes,
        .cpu_count = options->cpu_count,
        .policy = options->round_robin ? MACHINE_POLICY_ROUND_ROBIN : MACHINE_POLICY_RANDOM,
        .variations = options->variations,
    };

    /* Jansson orders its tables by a random number otherwise, and frees them in that order: the
     * heap would not be the same in every run. */
    json_object_seed(1);
    host = (struct host_run){.options = options, .record = record};
    record_header(record)->seed = options->seed;
    record_set_stage(RUN_STAGE_LOAD);
    NTSTATUS status = machine_create(&machine);
    if (!NT_SUCCESS(status)) {
        record_set_outcome(RUN_OUTCOME_OWN_FAULT, "the machine cannot be made: %s",
                           status_name(status));
        return RUN_OUTCOME_OWN_FAULT;
    }
    ddi_step_choose(options->step);
    ddi_answers_reset();
    ddi_features_off(false);
    dxgk_learn_reset();
    machine_set_watchdog_ms(options->watchdog_ms ? options->watchdog_ms : 10000);
    choose_service_name();
    snprintf(record_header(record)->driver, sizeof record_header(record)->driver, "%s",
             options->driver.bytes ? options->driver.name : options->driver_module);
    host_faults_install();
    tell_version(options->windows);
    nt_pool_set_special(special_pool());
    enum machine_stop stop = MACHINE_STOP_DONE;
    if (host_plug_device() && load_registry() && load_image()) {
        stop = run_machine();
        count_fences();
        judge_stop(stop);
        if (stop == MACHINE_STOP_HALTED) {
            host_stop_screen();
        }
        count_exports();
        contract_cover_watched();
    }
    host_tell_settings();
    record_finish(record);
    host.over = true;
    return (enum run_outcome)record_header(record)->outcome;
}
