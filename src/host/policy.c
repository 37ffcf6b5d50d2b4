/* A scheduling policy of the user's own (drydock/policy.h): translates between the scheduler's
 * table and the plug-in's, whose code runs under a node's lock and calls nobody.
 *
 * What breaks while it is called is the plug-in's; what it answers is checked before it is used. */
#include "drydock/policy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/internal.h"
#include "vidsch/vidsch.h"

#define EDGE_BYTES 64 /* behind the plug-in's state, where it has no business */
#define EDGE       0xC5

/* Stops of a node in a row, each so soon that nothing can have been done, behind which it is said
 * that nothing will be. */
#define SOON_NS   5000
#define STOPS_MAX 50000

/* Of one node; the plug-in's own state stands behind it. */
struct policy_state {
    struct list ready; /* contexts, in the order in which they became ready */
    unsigned count;
    struct drydock_context *told; /* room for all of them */
    struct vidsch_context **contexts;
    unsigned capacity;
    uint32_t last_completed; /* when it was stopped last */
    uint64_t last_stopped;   /* the packet's number, ... */
    uint64_t last_start_ns;  /* ... and its begin */
    uint32_t stop_count;     /* since anything was completed */
    _Alignas(max_align_t) unsigned char its[];
};

static bool running;                /* a function of the plug-in */
static struct policy_state *called; /* its node's state */

static struct vidsch_policy translated = {.name = "plug-in"};

static const struct drydock_policy *plugin(void)
{
    return host.options->policy;
}

/* ---- Blame ----------------------------------------------------------------------------------- */

bool host_policy_runs(void)
{
    return running;
}

static void set_outcome(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void set_outcome(const char *format, ...)
{
    char text[RECORD_TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    record_set_outcome(RUN_OUTCOME_WORKLOAD_FAULT, "policy %s: %s", host.options->policy_path,
                       text);
}

void host_policy_fault(const struct loader_fault *fault)
{
    static const char *const verbs[] = {"", " reading", " writing", " executing"};
    char where[LOADER_TEXT_MAX], access[64] = "";

    host_place_text(fault->address, where, sizeof where);
    if (fault->access != LOADER_ACCESS_NONE) {
        snprintf(access, sizeof access, "%s 0x%llx", verbs[fault->access],
                 (unsigned long long)fault->access_address);
    }
    set_outcome("%s (0x%08x)%s at %s", fault->code_name, fault->code, access, where);
    machine_halt();
}

void host_policy_hangs(const struct host_frames *frames)
{
    char where[LOADER_TEXT_MAX];

    host_place_text(frames->count ? frames->at[0] : NULL, where, sizeof where);
    set_outcome("it ran too long without returning, at %s", where);
}

void host_policy_ends(const char *how)
{
    set_outcome("it called %s", how);
}

/* ---- A call of it ---------------------------------------------------------------------------- */

static void call_begins(struct policy_state *state)
{
    called = state;
    running = true;
    record_plugged_runs(RECORD_PLUGGED_POLICY, 1);
}

/* The memory behind its state is others': who writes there is stopped before they use it. */
static void call_ends(void)
{
    const unsigned char *edge = called->its + plugin()->state_bytes;

    running = false;
    record_plugged_runs(RECORD_PLUGGED_POLICY, 0);
    for (unsigned i = 0; i < EDGE_BYTES; i++) {
        if (edge[i] != EDGE) {
            set_outcome("it wrote behind the %zu bytes of its state", plugin()->state_bytes);
            machine_halt();
        }
    }
}

/* ---- What it is told ------------------------------------------------------------------------- */

static const struct vidsch_packet *head_of(struct vidsch_context *context)
{
    return list_empty(&context->queued)
               ? NULL
               : container_of(context->queued.next, struct vidsch_packet, link);
}

/* What it has on the hardware is older than what is queued. */
static const struct vidsch_packet *oldest_of(struct vidsch_context *context)
{
    list_for_each (link, &context->node->running) {
        const struct vidsch_packet *packet = container_of(link, struct vidsch_packet, link);
        if (packet->context == context) {
            return packet;
        }
    }
    return head_of(context);
}

/* The time that a packet had is its context's once it is complete. */
static void tell(const struct vidsch_packet *packet, struct vidsch_context *context,
                 struct drydock_context *told)
{
    *told = (struct drydock_context){
        .number = context->object,
        .process = dxgk_process_number(context->process),
        .priority = (int32_t)context->priority,
        .process_priority = context->in_process_priority,
        .quantum_ns = context->quantum_ns,
        .packet = packet ? packet->sequence : 0,
        .ready_since_ns = packet ? packet->ready_ns : 0,
        .ran_ns = context->ran_ns + (packet ? packet->ran_ns : 0),
        .words = context->policy_words,
        .is_system = context->system,
    };
}

/* For one more than there are. */
static void make_room(struct policy_state *state)
{
    if (state->count < state->capacity) {
        return;
    }
    unsigned capacity = state->capacity ? 2 * state->capacity : 16;
    void *told = realloc(state->told, capacity * sizeof *state->told);
    state->told = told ? told : state->told;
    void *contexts = told ? realloc(state->contexts, capacity * sizeof *state->contexts) : NULL;
    state->contexts = contexts ? contexts : state->contexts;
    state->capacity = contexts ? capacity : state->capacity;
}

/* Of a context whose packet it told goes next: what its oldest one, on the hardware, has had. */
static uint64_t running_ns(struct vidsch_context *context, uint64_t now_ns)
{
    const struct vidsch_packet *packet = oldest_of(context);
    const struct list *first = context->node->running.next;

    if (!packet || packet == head_of(context)) {
        return 0;
    }
    return packet->ran_ns + (&packet->link == first ? now_ns - packet->start_ns : 0);
}

static unsigned tell_ready(struct policy_state *state, bool system_only, uint64_t now_ns)
{
    unsigned count = 0;

    list_for_each (link, &state->ready) {
        struct vidsch_context *context = container_of(link, struct vidsch_context, policy_link);
        if (count < state->capacity && (!system_only || context->system)) {
            tell(head_of(context), context, &state->told[count]);
            state->told[count].ran_ns += running_ns(context, now_ns);
            state->contexts[count++] = context;
        }
    }
    return count;
}

/* ---- The scheduler's table ------------------------------------------------------------------- */

static void init(void *opaque, const struct vidsch_node *node)
{
    struct policy_state *state = opaque;

    list_init(&state->ready);
    memset(state->its + plugin()->state_bytes, EDGE, EDGE_BYTES);
    if (plugin()->init) {
        call_begins(state);
        plugin()->init(state->its, node->index);
        call_ends();
    }
}

static void fini(void *opaque)
{
    struct policy_state *state = opaque;

    free(state->told);
    free(state->contexts);
}

static void on_ready(void *opaque, struct vidsch_context *context)
{
    struct policy_state *state = opaque;

    make_room(state); /* without memory the last ones wait */
    list_push_back(&state->ready, &context->policy_link);
    state->count++;
}

static void on_unready(void *opaque, struct vidsch_context *context)
{
    struct policy_state *state = opaque;

    list_remove(&context->policy_link);
    state->count--;
}

static struct vidsch_context *pick(void *opaque, bool system_only)
{
    struct policy_state *state = opaque;
    uint64_t now_ns = machine_now_ns();
    unsigned count = tell_ready(state, system_only, now_ns);

    if (count == 0) {
        return NULL;
    }
    call_begins(state);
    uint32_t chosen = plugin()->pick(state->its, state->told, count, now_ns);
    call_ends();
    if (chosen >= count) {
        set_outcome("pick() says %u of %u contexts", chosen, count);
        chosen = 0; /* the run goes on to where it can end */
    }
    return state->contexts[chosen];
}

/* Who stops everybody at once keeps a node busy for ever, and no packet of it ever ends. The node
 * asks for whoever waits, so that one stop may be said more than once. */
static void count_stop(struct policy_state *state, const struct vidsch_packet *oldest,
                       uint64_t now_ns)
{
    const struct vidsch_node *node = oldest->context->node;
    bool got_on =
        now_ns - oldest->start_ns >= SOON_NS || node->last_completed != state->last_completed;

    if (!got_on && oldest->sequence == state->last_stopped &&
        oldest->start_ns == state->last_start_ns) {
        return;
    }
    state->stop_count = got_on ? 0 : state->stop_count + 1;
    state->last_completed = node->last_completed;
    state->last_stopped = oldest->sequence;
    state->last_start_ns = oldest->start_ns;
    if (state->stop_count == STOPS_MAX) {
        set_outcome("should_preempt() stopped node %u %u times, each within %u us of the begin, "
                    "and no packet came to its end meanwhile",
                    node->index, STOPS_MAX, SOON_NS / 1000);
        machine_halt();
    }
}

static uint64_t should_preempt(void *opaque, const struct vidsch_packet *oldest,
                               uint64_t slice_since_ns, const struct vidsch_context *candidate,
                               uint64_t now_ns)
{
    struct policy_state *state = opaque;
    struct vidsch_context *next = (struct vidsch_context *)candidate;
    struct drydock_context of[2];

    if (oldest->context == candidate) {
        return MACHINE_NEVER;
    }
    tell(oldest, oldest->context, &of[0]);
    of[0].ran_ns += now_ns - oldest->start_ns;
    tell(oldest_of(next), next, &of[1]);
    call_begins(state);
    uint64_t when_ns = plugin()->should_preempt(state->its, &of[0], slice_since_ns, &of[1], now_ns);
    call_ends();
    if (when_ns <= now_ns) {
        count_stop(state, oldest, now_ns);
    }
    return when_ns;
}

static void on_done(void *opaque, struct vidsch_packet *packet, uint64_t ran_ns)
{
    struct policy_state *state = opaque;
    struct drydock_context of;

    tell(packet, packet->context, &of);
    call_begins(state);
    plugin()->ran(state->its, &of, ran_ns);
    call_ends();
}

const struct vidsch_policy *host_policy(void)
{
    if (!plugin()) {
        return host.options->policy_builtin;
    }
    translated = (struct vidsch_policy){
        .name = plugin()->name,
        .state_size = sizeof(struct policy_state) + plugin()->state_bytes + EDGE_BYTES,
        .init = init,
        .fini = fini,
        .on_ready = on_ready,
        .on_unready = on_unready,
        .pick = pick,
        .should_preempt = plugin()->should_preempt ? should_preempt : NULL,
        .on_done = plugin()->ran ? on_done : NULL,
    };
    return &translated;
}
