/* Waits that nobody ends: which context waits for which fence, and behind which wait the signal
 * stands that would let it go.
 *
 *     context A waits for F ──> B would signal F ──> B waits for G ──> A would signal G: a cycle
 *     process P waits for a keyed mutex ──> Q has it ──> Q waits for one, or for a fence ──> ...
 *
 * Looked for when all clients wait and nobody has anything to do. */
#include "dxgk/hwqueue_parts.h"
#include "dxgk/hwqueue_present.h"
#include "dxgk/keyed.h"
#include "dxgk/work.h"

#include <stdarg.h>
#include <stdio.h>

#define STEPS_MAX 6 /* of a chain that are told */

/* What a context, or a CPU, waits for. */
struct wanted {
    const struct dxgk_sync_core *core;
    UINT64 value;
};

struct text {
    char *at;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int used = vsnprintf(text->at, text->left, format, arguments);
    va_end(arguments);
    size_t step = (size_t)used < text->left ? (size_t)used : text->left - 1;
    text->at += step;
    text->left -= step;
}

/* The wait at the head of the context. False: it does not wait. */
static bool wait_of(const struct dxgk_adapter *adapter, const struct dxgk_context *stream,
                    struct wanted *out)
{
    list_for_each (link, &adapter->packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        if (packet->context == stream && packet->vidsch.state == VIDSCH_STATE_WAITING &&
            packet->vidsch.kind == VIDSCH_PACKET_WAIT) {
            *out = (struct wanted){packet->sync.object->core, packet->sync.value};
            return true;
        }
    }
    return false;
}

static bool signals(const struct dxgk_packet *packet, const struct wanted *wanted)
{
    if (packet->road == &dxgk_road_signal) {
        return packet->sync.object->core == wanted->core &&
               (wanted->core->object.kind != SYNC_FENCE || packet->sync.value >= wanted->value);
    }
    /* What it submits or presents, also if nothing was drawn. */
    if (dxgk_is_hwqueue(packet->context) && packet->vidsch.progress_id > 0) {
        const struct dxgk_hwqueue *queue = dxgk_hwqueue_of(packet->context);
        return queue->fence && queue->fence->core == wanted->core &&
               packet->vidsch.progress_id >= wanted->value;
    }
    return false;
}

/* The context that would end the wait, by what it has been given already; NULL: none. */
static const struct dxgk_context *signaller_of(const struct dxgk_adapter *adapter,
                                               const struct wanted *wanted)
{
    list_for_each (link, &adapter->packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        if (signals(packet, wanted)) {
            return packet->context;
        }
    }
    return NULL;
}

static const char *kind_of(const struct dxgk_context *stream)
{
    return stream->life.kind == DXGK_KIND_HW_QUEUE ? "hardware queue" : "context";
}

static void add_stream(struct text *text, const struct dxgk_context *stream)
{
    const struct dxgk_process *process = stream->device->process;

    add(text, "%s %u", kind_of(stream), stream->object);
    if (process) {
        add(text, " of \"%s\"", process->name);
    }
}

static void add_wanted(struct text *text, const struct wanted *wanted)
{
    const char *what = wanted->core->object.kind == SYNC_FENCE ? "fence" : "sync object";

    add(text, "%s %u", what, wanted->core->object.number);
    if (wanted->core->object.kind == SYNC_FENCE) {
        add(text, " at value %llu", (unsigned long long)wanted->value);
    }
}

/* Does the chain of this context's wait come back to it? */
static bool is_in_cycle(const struct dxgk_adapter *adapter, const struct dxgk_context *first)
{
    const struct dxgk_context *stream = first;
    struct wanted wanted;

    for (unsigned i = 0; i < STEPS_MAX && stream && wait_of(adapter, stream, &wanted); i++) {
        stream = signaller_of(adapter, &wanted);
        if (stream == first) {
            return true;
        }
    }
    return false;
}

static void tell_cycle(const struct dxgk_adapter *adapter, const struct dxgk_context *first,
                       struct text *text)
{
    const struct dxgk_context *stream = first;
    struct wanted wanted;

    add(text, "a cycle: ");
    add_stream(text, first);
    do {
        CHECK_THAT(wait_of(adapter, stream, &wanted));
        add(text, stream == first ? " waits for " : " would signal behind its wait for ");
        add_wanted(text, &wanted);
        stream = signaller_of(adapter, &wanted);
        add(text, ", which ");
        add_stream(text, stream);
    } while (stream != first);
    add(text, " would signal behind the first of these waits");
}

/* Nobody was given the signal. */
static void tell_loose_end(const struct dxgk_adapter *adapter, const struct dxgk_context *stream,
                           struct text *text)
{
    struct wanted wanted;

    if (wait_of(adapter, stream, &wanted) && !signaller_of(adapter, &wanted)) {
        add_stream(text, stream);
        add(text, " waits for ");
        add_wanted(text, &wanted);
        add(text, ", which nothing that was submitted signals");
    }
}

/* Work has no memory as long as a CPU looks at what it would have to leave, or to go to. */
static bool tell_unlock(const struct dxgk_adapter *adapter, struct text *text)
{
    list_for_each (link, &adapter->waiting_packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, wait_link);
        if (packet->wants_unlock) {
            add_stream(text, packet->context);
            add(text, " waits for memory that a client has locked and does not unlock");
            return true;
        }
    }
    return false;
}

/* ---- Keyed mutexes ------------------------------------------------------------------------- */

/* The process whose keyed mutex is waited for, or NULL. */
static const struct dxgk_process *next_owner(const struct dxgk_process *process)
{
    struct dxgk_keyed_wait wait;

    return process && dxgk_keyed_wait_of(process, &wait) ? wait.owner : NULL;
}

/* A process that waits for a mutex that leads back to it; NULL: none. */
static const struct dxgk_process *find_keyed_cycle(void)
{
    const struct dxgk_process *process;

    for (unsigned i = 0; (process = dxgk_keyed_waiter_at(i)) != NULL; i++) {
        const struct dxgk_process *other = next_owner(process);
        for (unsigned k = 0; k < STEPS_MAX && other && other != process; k++) {
            other = next_owner(other);
        }
        if (other == process) {
            return process;
        }
    }
    return NULL;
}

/* What the owner of a mutex waits for, if that is a fence. */
static void tell_owners_fence(const struct dxgk_adapter *adapter, const struct dxgk_process *owner,
                              struct text *text)
{
    const struct sync_item *item = dxgk_sync_cpu_wait_of(owner);

    if (!item) {
        return;
    }
    const struct wanted wanted = {container_of(item->object, struct dxgk_sync_core, object),
                                  item->value};
    const struct dxgk_context *signaller = signaller_of(adapter, &wanted);
    add(text, " and waits for ");
    add_wanted(text, &wanted);
    if (!signaller) {
        add(text, ", which nothing that was submitted signals");
        return;
    }
    struct wanted behind;
    add(text, ", which ");
    add_stream(text, signaller);
    add(text, " would signal");
    if (wait_of(adapter, signaller, &behind)) {
        add(text, " behind its wait for ");
        add_wanted(text, &behind);
    }
}

/* From one process on, as far as its wait leads. */
static void tell_keyed(const struct dxgk_adapter *adapter, const struct dxgk_process *first,
                       bool cycle, struct text *text)
{
    const struct dxgk_process *process = first;
    struct dxgk_keyed_wait wait;

    add(text, "%s\"%s\"", cycle ? "a cycle: " : "", first->name);
    for (unsigned i = 0; i < STEPS_MAX && dxgk_keyed_wait_of(process, &wait); i++) {
        add(text, " waits for keyed mutex %u with key %llu, which ", wait.number,
            (unsigned long long)wait.key);
        if (!wait.owner) {
            add(text, "was released with key %llu", (unsigned long long)wait.released);
            return;
        }
        process = wait.owner;
        add(text, "\"%s\" has", process->name);
        if (process == first) {
            return;
        }
        if (dxgk_keyed_wait_of(process, &wait)) {
            add(text, ", and that");
        } else {
            tell_owners_fence(adapter, process, text);
        }
    }
}

bool dxgk_adapter_explain_waits(const struct dxgk_adapter *adapter, char *text, size_t size)
{
    struct text out = {text, size};
    const struct dxgk_process *cycle = find_keyed_cycle(), *waiter = dxgk_keyed_waiter_at(0);

    text[0] = '\0';
    if (cycle) {
        tell_keyed(adapter, cycle, true, &out);
        return true;
    }
    list_for_each (link, &adapter->packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        if (is_in_cycle(adapter, packet->context)) {
            tell_cycle(adapter, packet->context, &out);
            return true;
        }
    }
    if (waiter) {
        tell_keyed(adapter, waiter, false, &out);
        return true;
    }
    list_for_each (link, &adapter->packets) {
        tell_loose_end(adapter, container_of(link, struct dxgk_packet, live_link)->context, &out);
        if (text[0]) {
            return true;
        }
    }
    return tell_unlock(adapter, &out);
}
