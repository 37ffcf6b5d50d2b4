/* Scheduling logs of nodes; see the header. */
#include "dxgk/schedule_log.h"
#include "dxgk/hwqueue_parts.h"
#include "dxgk/work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#define PAGES_EACH    2u /* one is written, the other is what was written before */
#define ENTRY_COUNT   120u
#define EARLY_ENTRY   90u  /* so that some fit until the other one is there */
#define UNINITIALISED 0xA5 /* "the rest of the buffer is" */
#define START_NS      (5 * NS_PER_S)
#define SILENT_MIN    16u
#define NOBODY_MIN    8u /* states of nobody, before that is told */

_Static_assert(sizeof(DXGK_SCHEDULING_LOG_HEADER) +
                       ENTRY_COUNT * sizeof(DXGK_SCHEDULING_LOG_ENTRY) <=
                   MACHINE_PAGE_SIZE,
               "a log is a page");

struct node_log {
    struct vidmm_dma_buffer *pages[PAGES_EACH]; /* NULL: the node has no log */
    unsigned current;
    bool is_set; /* the driver took it */
    bool told;
    bool left;          /* the other one was the log before */
    uint64_t left_hash; /* what was in it when the call had returned */
    uint32_t index, wraps;
    uint64_t stamp, time_ns; /* of the last entry */
    bool clock_is_new;       /* some entries are of before, some of after it began anew */
    uint64_t gpu_ticks, at_ns,
        rate;                /* the GPU's clock at a time of the machine's; rate 0: unknown */
    unsigned known, nobodys; /* contexts that entries named */
    const char *since;       /* nothing was written; NULL: something was */
    unsigned submissions;    /* done meanwhile */
    struct dxgk_schedule_judge judge;
};

struct dxgk_logs {
    struct vidmm_dma_pool pool;
    bool exchanging; /* the worker is in the driver for it; the logs stay */
    struct node_log nodes[VIDSCH_NODE_COUNT_MAX];
};

/* ---- Reading --------------------------------------------------------------------------------- */

static void *view_of(const struct node_log *log, unsigned page)
{
    return log->pages[page]->bytes;
}

static void say(const struct dxgk_adapter *adapter, unsigned node, const char *what, uint64_t value)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(HWQ_024),
                                             .object = adapter->object};

    contract_breach(&finding, "a scheduling log as its structures have it",
                    "in the log of node %u %s 0x%" PRIX64, node, what, value);
}

/* By the machine's clock, as far as what the driver says can be true: no entry is of the future, or
 * before the one before it. */
static uint64_t time_of(const struct node_log *log, uint64_t stamp)
{
    uint64_t now_ns = machine_now_ns(), ticks = stamp - log->gpu_ticks;
    uint64_t first_ns = log->time_ns > log->at_ns ? log->time_ns : log->at_ns;

    if (log->rate == 0 || stamp < log->gpu_ticks) {
        return first_ns;
    }
    unsigned __int128 ns = (unsigned __int128)ticks * NS_PER_S / log->rate + log->at_ns;
    return ns > now_ns ? now_ns : ns < first_ns ? first_ns : (uint64_t)ns;
}

/* By the GPU's own clock, where that is known. */
static void judge_entry(struct dxgk_adapter *adapter, unsigned node, struct dxgk_hwcontext *context,
                        UINT state)
{
    struct node_log *log = &adapter->logs->nodes[node];
    const struct dxgk_logged_entry entry = {
        .context = context,
        .state = (DXGK_SCHEDULING_LOG_CONTEXT_STATE)state,
        .at_ns = log->rate ? (uint64_t)((unsigned __int128)log->stamp * NS_PER_S / log->rate) : 0,
    };

    if (!list_empty(&adapter->natives.all)) {
        dxgk_judge_forget(&log->judge); /* commands wait for them, and only the GPU knows it */
    } else if (log->rate && context->base.node == node) {
        dxgk_judge_entry(adapter, &log->judge, &entry);
    }
}

static void take_entry(struct dxgk_adapter *adapter, unsigned node,
                       const DXGK_SCHEDULING_LOG_ENTRY *entry)
{
    struct node_log *log = &adapter->logs->nodes[node];
    UINT state = (UINT)entry->ContextStateChange.newContextState;
    struct dxgk_hwcontext *context =
        dxgk_hwcontext_named(adapter, entry->ContextStateChange.hKmdContext);

    contract_count(RULE_HWQ_024);
    if (entry->OperationType != DXGK_SCHEDULING_LOG_OPERATION_CONTEXT_STATE_CHANGE) {
        say(adapter, node, "an entry has OperationType", entry->OperationType);
        return;
    }
    if (state > DXGK_SCHEDULING_LOG_CONTEXT_STATE_READY_STANDBY) {
        say(adapter, node, "an entry has newContextState", state);
        return;
    }
    if (entry->GpuTimeStamp < log->stamp && !log->clock_is_new) {
        say(adapter, node, "GpuTimeStamp goes back, to", entry->GpuTimeStamp);
    }
    log->stamp = entry->GpuTimeStamp;
    log->known += context != NULL;
    log->nobodys += context == NULL; /* one that has ended meanwhile, mostly */
    log->time_ns = time_of(log, entry->GpuTimeStamp);
    if (context) {
        record_event(EVENT_QUEUE_STATE, context->base.object, state | (uint64_t)node << 8,
                     log->time_ns);
        judge_entry(adapter, node, context, state);
    }
}

/* How many entries are new; at most all. The log goes on behind the last of them. */
static uint32_t count_new(struct dxgk_adapter *adapter, unsigned node, uint64_t counts)
{
    struct node_log *log = &adapter->logs->nodes[node];
    uint32_t index = (uint32_t)counts, wraps = (uint32_t)(counts >> 32);
    int64_t more = ((int64_t)wraps - log->wraps) * ENTRY_COUNT + index - log->index;

    if (index >= ENTRY_COUNT || more < 0) {
        say(adapter, node,
            index >= ENTRY_COUNT ? "FirstFreeEntryIndex is beyond NumberOfEntries:"
                                 : "WraparoundCount and FirstFreeEntryIndex go back, to",
            index >= ENTRY_COUNT ? index : counts);
        more = 0;
        index = index < ENTRY_COUNT ? index : 0;
    }
    if (more > ENTRY_COUNT) {
        record_count("schedule_log.overwritten", (uint64_t)more - ENTRY_COUNT);
        dxgk_judge_forget(&log->judge);
        more = ENTRY_COUNT;
    }
    log->index = index;
    log->wraps = wraps;
    return (uint32_t)more;
}

static void read_log(struct dxgk_adapter *adapter, unsigned node)
{
    struct node_log *log = &adapter->logs->nodes[node];
    const uint8_t *bytes = view_of(log, log->current);
    uint64_t counts = __atomic_load_n((const uint64_t *)(const void *)bytes, __ATOMIC_ACQUIRE);
    uint32_t more = count_new(adapter, node, counts);
    DXGK_SCHEDULING_LOG_ENTRY entry;

    for (uint32_t i = 0; i < more; i++) {
        uint32_t at = (log->index + ENTRY_COUNT - more + i) % ENTRY_COUNT;
        memcpy(&entry, bytes + sizeof(DXGK_SCHEDULING_LOG_HEADER) + at * sizeof entry,
               sizeof entry);
        take_entry(adapter, node, &entry);
    }
    log->since = more > 0 ? NULL : log->since;
    record_count("schedule_log.entries", more);
}

/* A driver that took a log has it written; a device that was set up anew has forgotten where. */
static void judge_silence(struct dxgk_adapter *adapter, unsigned node)
{
    struct node_log *log = &adapter->logs->nodes[node];
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(HWQ_024),
                                             .object = adapter->object};

    if (log->since && log->submissions >= SILENT_MIN) {
        contract_breach(&finding,
                        "a scheduling log that is written, also when the device was set up anew",
                        "the log of node %u has no entry since %s, though hardware queues of the "
                        "node have done %u submissions since",
                        node, log->since, log->submissions);
    }
    log->since = NULL;
}

void dxgk_log_work_done(struct dxgk_adapter *adapter, unsigned node)
{
    if (adapter->logs && adapter->logs->nodes[node].since) {
        adapter->logs->nodes[node].submissions++;
    }
}

void dxgk_log_ends(const struct dxgk_hwcontext *context)
{
    struct dxgk_adapter *adapter = context->base.device->adapter;
    struct dxgk_logs *logs = adapter->logs;

    if (logs && logs->nodes[context->base.node].is_set) {
        read_log(adapter, context->base.node);
        dxgk_judge_gone(&logs->nodes[context->base.node].judge, context);
    }
}

void dxgk_log_forget(struct dxgk_adapter *adapter, unsigned node)
{
    if (adapter->logs && adapter->logs->nodes[node].is_set) {
        read_log(adapter, node);
        dxgk_judge_forget(&adapter->logs->nodes[node].judge);
    }
}

/* ---- One log behind the other ---------------------------------------------------------------- */

/* "Upon return the GPU is not allowed to write to the previous one." */
static void judge_left(struct dxgk_adapter *adapter, unsigned node)
{
    struct node_log *log = &adapter->logs->nodes[node];
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(HWQ_020),
                                             .object = adapter->object};

    if (!log->left) {
        return;
    }
    log->left = false;
    contract_count(RULE_HWQ_020);
    if (XXH3_64bits(view_of(log, log->current ^ 1), MACHINE_PAGE_SIZE) != log->left_hash) {
        contract_breach(&finding,
                        "nothing written to the previous log when SetSchedulingLogBuffer has "
                        "returned",
                        "the log that node %u had before changed after the call", node);
    }
}

static NTSTATUS set_log(struct dxgk_adapter *adapter, unsigned node, unsigned page)
{
    const struct node_log *log = &adapter->logs->nodes[node];
    DXGK_SCHEDULING_LOG_BUFFER *buffer = view_of(log, page);
    const DXGKARG_SETSCHEDULINGLOGBUFFER arguments = {
        .NodeOrdinal = node,
        .NumberOfEntries = ENTRY_COUNT,
        .LogBufferCpuVa = buffer,
        .LogBufferGpuVa = log->pages[page]->virtual_address,
        .InterruptEntry = page == 0 ? EARLY_ENTRY : ENTRY_COUNT - 1, /* that one wraps */
    };

    memset(buffer, UNINITIALISED, MACHINE_PAGE_SIZE);
    buffer->Header = (DXGK_SCHEDULING_LOG_HEADER){.NumberOfEntries = ENTRY_COUNT};
    return ddi_set_scheduling_log_buffer(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                         adapter->object);
}

/* What was written until the call has returned is in the old one. */
static void exchange(struct dxgk_adapter *adapter, unsigned node)
{
    struct node_log *log = &adapter->logs->nodes[node];
    unsigned before = log->current;

    read_log(adapter, node);
    judge_left(adapter, node);
    if (!NT_SUCCESS(set_log(adapter, node, before ^ 1))) {
        return; /* the old one goes on */
    }
    read_log(adapter, node);
    log->left = true;
    log->left_hash = XXH3_64bits(view_of(log, before), MACHINE_PAGE_SIZE);
    log->current = before ^ 1;
    log->index = log->wraps = 0;
    record_count("schedule_log.exchanged", 1);
}

void dxgk_log_told(struct dxgk_adapter *adapter, unsigned node)
{
    if (adapter->logs) {
        adapter->logs->nodes[node].told = true;
        dxgk_worker_kick(adapter);
    }
}

void dxgk_logs_work(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; adapter->logs && i < adapter->node_count; i++) {
        struct node_log *log = &adapter->logs->nodes[i];
        if (log->told && log->is_set && dxgk_adapter_has_hardware(adapter) && !adapter->asleep) {
            log->told = false;
            adapter->logs->exchanging = true;
            exchange(adapter, i);
            adapter->logs->exchanging = false;
            wait_queue_wake(&adapter->idle_changed, UINT_MAX);
        }
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static bool has_logs(const struct dxgk_adapter *adapter)
{
    return adapter->mmu.pages && ddi_has(&adapter->ddi, POINT_SetSchedulingLogBuffer);
}

uint64_t dxgk_log_addresses(const struct dxgk_adapter *adapter)
{
    uint64_t pages = 0;

    for (unsigned i = 0; has_logs(adapter) && i < adapter->node_count; i++) {
        pages += adapter->engines[i].scheduled ? PAGES_EACH : 0;
    }
    return pages * 2 * MACHINE_PAGE_SIZE; /* a page apart */
}

/* What its time stamps mean. */
static void calibrate(struct dxgk_adapter *adapter, unsigned node)
{
    struct node_log *log = &adapter->logs->nodes[node];
    DXGKARG_CALIBRATEGPUCLOCK *clock =
        ddi_has(&adapter->ddi, POINT_CalibrateGpuClock)
            ? nt_memory_hand(sizeof *clock, "pClockCalibration of CalibrateGpuClock")
            : NULL;

    if (!clock) {
        return;
    }
    memset(clock, 0, sizeof *clock);
    if (NT_SUCCESS(ddi_calibrate_gpu_clock(&adapter->ddi, node, clock))) {
        log->at_ns = machine_now_ns();
        log->gpu_ticks = clock->GpuClockCounter;
        log->rate = clock->GpuFrequency;
    }
    nt_memory_free(clock);
}

/* The GPU's clock may begin anew with it, and so do time stamps. */
static void begin_anew(struct dxgk_adapter *adapter, unsigned node)
{
    struct node_log *log = &adapter->logs->nodes[node];

    log->clock_is_new = true;
    read_log(adapter, node);
    log->clock_is_new = false;
    dxgk_judge_forget(&log->judge);
    log->stamp = 0;
    calibrate(adapter, node);
}

void dxgk_logs_begin_anew(struct dxgk_adapter *adapter, const char *since)
{
    for (unsigned i = 0; adapter->logs && i < adapter->node_count; i++) {
        struct node_log *log = &adapter->logs->nodes[i];
        if (log->is_set) {
            begin_anew(adapter, i);
            judge_silence(adapter, i);
            log->since = since;
            log->submissions = 0;
        }
    }
}

void dxgk_logs_wake(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; adapter->logs && i < adapter->node_count; i++) {
        if (adapter->logs->nodes[i].is_set) {
            begin_anew(adapter, i);
        }
    }
}

static NTSTATUS acquire_pages(struct dxgk_adapter *adapter)
{
    NTSTATUS status = STATUS_SUCCESS;

    for (unsigned i = 0; i < adapter->node_count; i++) {
        struct node_log *log = &adapter->logs->nodes[i];
        for (unsigned k = 0; adapter->engines[i].scheduled && NT_SUCCESS(status) && k < PAGES_EACH;
             k++) {
            status = vidmm_dma_acquire(&adapter->logs->pool, &log->pages[k]);
        }
    }
    dxgk_paging_kick(adapter);
    return NT_SUCCESS(status) ? dxgk_wait_paging(adapter, vidmm_paging_queued(adapter->vidmm),
                                                 machine_now_ns() + START_NS)
                              : status;
}

NTSTATUS dxgk_logs_begin(struct dxgk_adapter *adapter)
{
    const struct vidmm_dma_pool_options options = {
        .size_bytes = MACHINE_PAGE_SIZE,
        .space = &adapter->system_space.memory,
        .buffer_count_max = PAGES_EACH * VIDSCH_NODE_COUNT_MAX,
        .paging = true,
    };

    if (dxgk_log_addresses(adapter) == 0) {
        return STATUS_SUCCESS;
    }
    adapter->logs = calloc(1, sizeof *adapter->logs);
    if (!adapter->logs) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = vidmm_dma_pool_init(&adapter->logs->pool, adapter->vidmm, &options);
    if (NT_SUCCESS(status)) {
        status = acquire_pages(adapter);
    }
    for (unsigned i = 0; NT_SUCCESS(status) && i < adapter->node_count; i++) {
        if (adapter->engines[i].scheduled) {
            calibrate(adapter, i);
            /* A driver that takes none has none. */
            adapter->logs->nodes[i].is_set = NT_SUCCESS(set_log(adapter, i, 0));
            adapter->logs->nodes[i].since = "DxgkDdiSetSchedulingLogBuffer";
        }
    }
    return status;
}

/* What comes when a context ends finds none; not all does. */
static void judge_names(struct dxgk_adapter *adapter, unsigned node)
{
    const struct node_log *log = &adapter->logs->nodes[node];

    if (log->known == 0 && log->nobodys >= NOBODY_MIN) {
        say(adapter, node,
            "hKmdContext is of no hardware context, in all entries that were read:", log->nobodys);
    }
}

void dxgk_logs_end(struct dxgk_adapter *adapter)
{
    struct dxgk_logs *logs = adapter->logs;
    struct vidmm_wait wait;

    if (!logs) {
        return;
    }
    while (logs->exchanging) {
        wait_queue_wait(&adapter->idle_changed, MACHINE_NEVER);
    }
    for (unsigned i = 0; i < adapter->node_count; i++) {
        if (logs->nodes[i].is_set) {
            read_log(adapter, i);
            judge_silence(adapter, i);
            judge_left(adapter, i);
            judge_names(adapter, i);
            dxgk_judge_tell(adapter, &logs->nodes[i].judge, i);
            logs->nodes[i].is_set = false; /* the worker may be told of one more entry */
        }
        for (unsigned k = 0; k < PAGES_EACH; k++) {
            if (logs->nodes[i].pages[k]) {
                vidmm_dma_release(logs->nodes[i].pages[k]);
            }
        }
    }
    while (vidmm_dma_pool_retire(&logs->pool, &wait) == STATUS_PENDING) {
        dxgk_wait_memory(adapter, &wait, MACHINE_NEVER);
    }
    vidmm_dma_pool_fini(&logs->pool);
    free(logs);
    adapter->logs = NULL;
}
