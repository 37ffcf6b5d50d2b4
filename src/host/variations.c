/* Events of a computer's life that a calm run does without: lives of the device before the one that
 * counts, and what happens to an adapter while nobody works with it. */
#include "host/internal.h"

#include <string.h>

#define ATTEMPTS_MAX  48 /* starts that fail, each at another request */
#define RESET_WAIT_NS (1 * NS_PER_S)
#define RESETS_MAX    2 /* further ones could look like an adapter that is broken */
#define ESCAPE_BYTES  64

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

/* In hardware context there is no current DDI. */
bool host_fails_allocation(void *ctx, uint32_t tag, size_t size, const void *caller)
{
    switch (ddi_current_point()) {
    case POINT_AddDevice:
    case POINT_StartDevice:
        return start_fails();
    case POINT_CreateDevice:
    case POINT_CreateContext:
    case POINT_CreateAllocation:
    case POINT_OpenAllocation:
        return vary_happens(VARY_SHORT_MEMORY, 6);
    default:
        return false;
    }
}

static void live_shortly(void)
{
    struct dxgk_failure failure;

    if (NT_SUCCESS(host_start_adapter(&failure))) {
        dxgk_adapter_stop(host.adapter);
        host.adapter = NULL;
    }
    host_remove_device();
}

static void fail_starts(void)
{
    failure_at.came = true;
    for (unsigned i = 1; failure_at.came && i <= ATTEMPTS_MAX; i++) {
        failure_at.fails = i;
        failure_at.asked = 0;
        failure_at.came = false;
        live_shortly();
    }
    failure_at.fails = 0;
}

void host_live_before(void)
{
    if (vary_on(VARY_FAILED_STARTS)) {
        fail_starts();
    }
    if (vary_happens(VARY_SECOND_START, 1)) {
        live_shortly();
    }
}

/* ---- Between two workloads ------------------------------------------------------------------- */

static uint64_t resets(void)
{
    struct dxgk_totals totals;

    dxgk_adapter_totals(host.adapter, &totals);
    return totals.resets;
}

static void reset_idle(void)
{
    static unsigned count;
    uint64_t before = resets(), deadline_ns = machine_now_ns() + RESET_WAIT_NS;

    if (!host.driver.table.DxgkDdiResetFromTimeout ||
        !host.driver.table.DxgkDdiRestartFromTimeout || count == RESETS_MAX ||
        !vary_happens(VARY_IDLE_RESET, 1)) {
        return;
    }
    count++;
    dxgk_adapter_force_reset(host.adapter);
    while (resets() == before && machine_now_ns() < deadline_ns) {
        task_block(machine_now_ns() + NS_PER_MS);
    }
    dxgk_adapter_wait_idle(host.adapter, deadline_ns);
}

static void escape_nonsense(void)
{
    unsigned char bytes[ESCAPE_BYTES];
    struct dxgk_escape_request request = {
        .private_data = bytes,
        .private_size = (UINT)vary_below(VARY_ODD_QUESTIONS, sizeof bytes + 1),
    };

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)vary_below(VARY_ODD_QUESTIONS, 256);
    }
    dxgk_escape(host.adapter, &request);
}

void host_pause_between(void)
{
    if (host.adapter && vary_happens(VARY_ODD_QUESTIONS, 1)) {
        dxgk_adapter_ask(host.adapter);
        escape_nonsense();
    }
    if (host.adapter) {
        reset_idle();
    }
}
