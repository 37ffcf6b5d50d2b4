/* Requests of the driver that are refused, for want of memory: the variations failed-starts and
 * short-memory. What was refused in which call stays known, so that a leak, which shows at the end,
 * and a fault behind it can be told together with it. */
#include "host/internal.h"

#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#define ATTEMPTS_MAX 48 /* starts that fail, each at another request */
#define IN_ORDER     16 /* of them; further ones leave some out */
#define STEP_MAX     4
#define RESTART_MAX  5 /* starts that fail behind a stop */
#define REFUSALS_MAX 1024u
#define POINT_BITS   16
#define REFUSED_MAX  (LOADER_TEXT_MAX + 80)
#define REMARKS_MAX  64u
#define ENTRIES_MAX  16
#define ORDER_MAX    32 /* requests of one call; further ones are granted */
#define REFUSED_EACH 3  /* times */
#define ROW_ORDERS   3u /* of these, in some kinds of calls, one is refused so often in a row: */
#define ROW_LENGTH   1200u

/* ---- What was refused ------------------------------------------------------------------------ */

struct refusal {
    uint64_t call; /* of the driver, by its number */
    size_t size;
    const void *caller;
};

static struct refusal refusals[REFUSALS_MAX]; /* a ring */
static uint64_t refusal_count;                /* ever */
static uint64_t unregistered_call; /* DriverEntry's, in which DxgkInitialize failed; 0: none */

uint64_t host_call(void *ctx)
{
    enum contract_point point = ddi_current_point();

    (void)ctx;
    return point < POINT_COUNT ? ddi_current_call() << POINT_BITS | point : 0;
}

static const struct refusal *refusal_of(uint64_t call)
{
    uint64_t known = refusal_count < REFUSALS_MAX ? refusal_count : REFUSALS_MAX;

    for (uint64_t i = 0; i < known; i++) {
        const struct refusal *refusal = &refusals[(refusal_count - 1 - i) % REFUSALS_MAX];
        if (refusal->call == call) {
            return refusal;
        }
    }
    return NULL;
}

static void refuse(size_t size, const void *caller)
{
    refusals[refusal_count++ % REFUSALS_MAX] =
        (struct refusal){.call = ddi_current_call(), .size = size, .caller = caller};
    ddi_memory_refused();
}

/* "the request for 64 bytes at mine.sys+0x1234 was refused"; handles and the like have no size. */
static void refusal_text(const struct refusal *refusal, char *text, size_t size)
{
    char where[LOADER_TEXT_MAX], bytes[40] = "";

    loader_location_text(refusal->caller, where, sizeof where);
    if (refusal->size) {
        snprintf(bytes, sizeof bytes, " for %zu bytes", refusal->size);
    }
    snprintf(text, size, "the request%s at %s was refused", bytes, where);
}

void host_call_text(void *ctx, uint64_t call, char *text, size_t size)
{
    const struct refusal *refusal = refusal_of(call >> POINT_BITS);
    char refused[REFUSED_MAX] = "";

    (void)ctx;
    if (refusal) {
        refusal_text(refusal, refused, sizeof refused);
    }
    bool unregistered = unregistered_call && unregistered_call == call >> POINT_BITS;
    if (unregistered) {
        snprintf(refused, sizeof refused, "DxgkInitialize failed");
    }
    snprintf(text, size, " in %s%s%s",
             contract_point_info((enum contract_point)(call & ((1u << POINT_BITS) - 1)))->name,
             refusal || unregistered ? ", in which " : "", refused);
}

/* ---- Starts that fail ------------------------------------------------------------------------ */

/* The request of the driver, counted from 1 in each attempt, that fails; 0: none. */
static struct {
    unsigned fails, asked;
    bool came;
} failure_at;

static bool start_fails(void)
{
    if (!failure_at.fails || ++failure_at.asked != failure_at.fails) {
        return false;
    }
    vary_happened(VARY_FAILED_STARTS);
    return failure_at.came = true;
}

static void live_shortly(void)
{
    struct dxgk_failure failure;

    if (NT_SUCCESS(host_start_adapter(&failure, NULL))) {
        dxgk_adapter_stop(host.adapter);
        host.adapter = NULL;
        host_watch_device_rest("a device at rest after StopDevice and RemoveDevice", true);
    } else {
        host_watch_device_rest("a device at rest after a start that failed", false);
    }
    host_remove_device();
}

/* A driver that asks for much is not refused everything in one run: seeds share it among them. */
static void fail_starts(void)
{
    unsigned fails = 1;

    failure_at.came = true;
    for (unsigned i = 1; failure_at.came && i <= ATTEMPTS_MAX; i++) {
        failure_at.fails = fails;
        failure_at.asked = 0;
        failure_at.came = false;
        live_shortly();
        fails += i < IN_ORDER ? 1 : 1 + (unsigned)vary_below(VARY_FAILED_STARTS, STEP_MAX);
    }
    failure_at.fails = 0;
    failure_at.came = false;
}

/* What StopDevice freed a start that fails behind it does not free again. Such a device is removed
 * [PNP-001]. False: it asked for fewer things than that. */
static bool fail_to_restart(unsigned fails)
{
    struct dxgk_failure failure;
    bool came = false;

    if (NT_SUCCESS(host_start_adapter(&failure, NULL))) {
        void *added = host_stop_only();
        failure_at.fails = fails;
        failure_at.asked = 0;
        failure_at.came = false;
        NTSTATUS status = host_start_stopped(added, &failure);
        came = failure_at.came;
        failure_at.fails = 0;
        failure_at.came = false;
        if (NT_SUCCESS(status)) {
            dxgk_adapter_stop(host.adapter);
            host.adapter = NULL;
            host_watch_device_rest("a device at rest after StopDevice and RemoveDevice", true);
        } else {
            host_watch_device_rest("a device at rest after a start that failed behind StopDevice",
                                   false);
        }
    }
    host_remove_device();
    return came;
}

void host_live_before(void)
{
    if (vary_on(VARY_FAILED_STARTS)) {
        fail_starts();
        for (unsigned i = 1; i <= RESTART_MAX && fail_to_restart(i); i++) {
        }
    }
    if (vary_happens(VARY_SECOND_START, 1)) {
        ddi_features_off(vary_below(VARY_SECOND_START, 2) == 0);
        live_shortly();
        ddi_features_off(false);
    }
}

/* ---- Entries that fail ----------------------------------------------------------------------- */

static bool fails_to_register(void)
{
    unregistered_call = ddi_current_call();
    vary_happened(VARY_FAILED_STARTS);
    return true;
}

/* Who fails goes without another call, and who registered all the same is unloaded: what was taken
 * is given back. False: that is the last; so it is with one who succeeds without registering, for
 * nobody can unload him. */
static bool enter_once(void)
{
    static struct ddi_driver driver;

    if (!loader_renew(host.image)) {
        return false;
    }
    NTSTATUS status = host_enter(&driver);
    bool goes = !NT_SUCCESS(status) || driver.registered;
    if (NT_SUCCESS(status) && goes) {
        loader_discard(host.image);
        ddi_driver_unload(&driver);
    }
    if (goes) {
        host_check_leaks();
    }
    nt_driver_object_destroy(host.driver_object);
    return goes && record_header(host.record)->counting_breaches == 0;
}

void host_fail_entries(void)
{
    ddi_set_registration_refusal(fails_to_register);
    bool goes_on = enter_once();
    ddi_set_registration_refusal(NULL);
    for (unsigned i = 1; goes_on && i <= ENTRIES_MAX; i++) {
        failure_at.fails = i;
        failure_at.asked = 0;
        failure_at.came = false;
        goes_on = enter_once() && failure_at.came;
    }
    failure_at.fails = 0;
    failure_at.came = false;
}

/* ---- Again and again ------------------------------------------------------------------------- */

/* A call that makes something is made again and again, and each time the same request in it is
 * refused: what it had taken by then, places in tables too, it gives back. */
static struct {
    const struct task *task; /* NULL: there is none */
    enum contract_point point;
    unsigned order, left; /* its request; how often it is still refused */
} row;

static void begin_row(enum contract_point point, unsigned order)
{
    static unsigned rows[POINT_COUNT];

    if (!row.task && order < ROW_ORDERS && !(rows[point] >> order & 1)) {
        rows[point] |= 1u << order;
        row.task = task_self();
        row.point = point;
        row.order = order;
        row.left = ROW_LENGTH;
    }
}

static bool is_in_row(enum contract_point point, unsigned order)
{
    if (!row.task || row.task != task_self() || row.point != point || row.order != order) {
        return false;
    }
    row.left -= row.left > 0;
    return true;
}

bool host_fails_again(void *ctx, bool wanted)
{
    (void)ctx;
    if (!row.task || row.task != task_self()) {
        return false;
    }
    if (!wanted || row.left == 0) {
        row.task = NULL;
    }
    return row.task != NULL;
}

/* ---- Which ----------------------------------------------------------------------------------- */

/* What a client may ask for as often as it likes, with nothing of it left behind. */
static bool makes_something(enum contract_point point)
{
    return point == POINT_CreateDevice || point == POINT_CreateContext;
}

/* A call that is made often: each of its requests, counted from the begin of the call, is refused a
 * few times, so that each way out is taken and the work goes on. The first time comes soon, for
 * some calls are made seldom. By their order, not by their places: these hang on the compiler. */
static bool is_refused_once(enum contract_point point)
{
    static uint8_t refused[POINT_COUNT][ORDER_MAX];
    static bool spared[POINT_COUNT][ORDER_MAX];
    static struct {
        uint64_t call;
        unsigned order;
    } now;
    uint64_t call = ddi_current_call();

    now.order = now.call == call ? now.order + 1 : 0;
    now.call = call;
    if (is_in_row(point, now.order)) {
        return true;
    }
    if (now.order >= ORDER_MAX || refused[point][now.order] >= REFUSED_EACH) {
        return false;
    }
    bool due = refused[point][now.order] == 0 && (spared[point][now.order] || now.order > 0);
    unsigned one_in = refused[point][now.order] > 0 ? 8 : due ? 1 : 2;
    if (!vary_happens(VARY_SHORT_MEMORY, one_in)) {
        spared[point][now.order] = true;
        return false;
    }
    refused[point][now.order]++;
    if (makes_something(point)) {
        begin_row(point, now.order);
    }
    return true;
}

/* What comes of the calls of one who is quiet leaves no trace. */
static bool is_refused(void)
{
    /* In hardware context there is no current DDI. */
    enum contract_point point = ddi_current_point();

    switch (point) {
    case POINT_DriverEntry:
    case POINT_AddDevice:
    case POINT_StartDevice:
        return start_fails();
    case POINT_CreateDevice:
    case POINT_CreateContext:
    case POINT_CreateAllocation:
    case POINT_OpenAllocation:
    case POINT_CreateProcess:
    case POINT_CreateHwContext:
    case POINT_CreateHwQueue:
    case POINT_CreateNativeFence:
    case POINT_OpenNativeFence:
    case POINT_CreatePeriodicFrameNotification:
        return (vary_on(VARY_SHORT_MEMORY) && !ddi_is_quiet() && is_refused_once(point)) ||
               vary_happens(VARY_SHORT_MEMORY, 6);
    case POINT_Render:
    case POINT_RenderKm:
    case POINT_Present:
    case POINT_PresentToHwQueue:
    case POINT_PresentDisplayOnly:
    case POINT_BuildPagingBuffer:
    case POINT_DescribeAllocation:
    case POINT_GetStandardAllocationDriverData:
    case POINT_QueryDeviceDescriptor:
    case POINT_IsSupportedVidPn:
    case POINT_CommitVidPn:
    case POINT_SetPointerShape:
    case POINT_SetPowerState:
    case POINT_Escape:
        return vary_on(VARY_SHORT_MEMORY) && !ddi_is_quiet() && is_refused_once(point);
    default:
        return false;
    }
}

bool host_fails_allocation(void *ctx, uint32_t tag, size_t size, const void *caller)
{
    (void)ctx;
    if (!is_refused()) {
        return false;
    }
    refuse(size, caller);
    return true;
}

/* Was none of the kind remarked on yet? A driver that always breaks a rule does not do so for what
 * it was refused. */
static bool is_first(const struct record_breach *breach)
{
    static uint64_t remarked[REMARKS_MAX];
    static unsigned count;
    uint64_t hash = XXH3_64bits(breach->rule, strlen(breach->rule)) ^
                    XXH3_64bits_withSeed(breach->ddi, strlen(breach->ddi), 1);

    for (unsigned i = 0; i < count; i++) {
        if (remarked[i] == hash) {
            return false;
        }
    }
    if (count == REMARKS_MAX) {
        return false;
    }
    remarked[count++] = hash;
    return true;
}

static void add_remark(struct record_breach *breach, const char *remark)
{
    size_t used = strlen(breach->actual);

    snprintf(breach->actual + used, sizeof breach->actual - used, "; before, %s", remark);
}

void host_remark(struct record_breach *breach)
{
    const struct refusal *refusal = refusal_count > 0 ? refusal_of(ddi_current_call()) : NULL;
    char refused[REFUSED_MAX], stop[REFUSED_MAX];

    if (!refusal && failure_at.came) {
        refusal = &refusals[(refusal_count - 1) % REFUSALS_MAX];
    }
    bool has_stopped = ddi_step_text(breach->ddi, stop, sizeof stop);
    if ((!refusal && !has_stopped && !host.escaped) || !is_first(breach)) {
        return;
    }
    if (host.escaped) {
        add_remark(breach, "a client had sent escapes with what the driver compares them with");
    }
    if (refusal) {
        refusal_text(refusal, refused, sizeof refused);
        add_remark(breach, refused);
    }
    if (has_stopped) {
        add_remark(breach, stop);
    }
}
