/* Doorbells that are connected and disconnected, and the sessions behind them; see doorbell.h.
 *
 *   connect:  no session ─> a packet: what the device needs is in place, the engine is on ─> OPEN
 *             ─> ConnectDoorbell ─> the client's address leads there
 *   leave:    (memory, a rest, a sleep, an idle node, the end) DisconnectDoorbell ─> nobody
 *             connects ─> the fence has come to what was queued ─> the packet is done
 *
 * What a client wrote into its last queued value is believed as far as it goes: it is the worse for
 * a client that lies, whose node is late then. */
#include "dxgk/doorbell_parts.h"
#include "dxgk/submission.h"

#include <stdio.h>
#include <string.h>

/* ---- What is in work ------------------------------------------------------------------------- */

static uint64_t word_of(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* The largest value is that of a fence that was lost: nobody's progress. */
uint64_t dxgk_doorbell_reached(const struct dxgk_doorbell *doorbell)
{
    uint64_t value = word_of((const uint64_t *)doorbell->queue->page.view);
    uint64_t before = doorbell->queue->base.vidsch.progress;

    before = before > doorbell->reached ? before : doorbell->reached;
    return value == UINT64_MAX || value < before ? before : value;
}

bool dxgk_doorbell_is_done(const struct dxgk_doorbell *doorbell)
{
    uint64_t owed = doorbell->connected ? word_of(doorbell->words.last_queued) : doorbell->owed;

    return dxgk_doorbell_reached(doorbell) >= owed;
}

void dxgk_doorbell_let_go(struct dxgk_doorbell *doorbell, D3DDDI_DOORBELLSTATUS status)
{
    if (doorbell->connected) {
        doorbell->owed = word_of(doorbell->words.last_queued);
        doorbell->connected = false;
        doorbell->apart_ns = machine_now_ns();
        io_client_lead(doorbell->words.bell, NULL);
        if (doorbell->words.second) {
            io_client_lead(doorbell->words.second, NULL);
        }
    }
    doorbell->aborted |= status == D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT;
    if (!doorbell->words.status) {
        return; /* it is being made */
    }
    __atomic_store_n(doorbell->words.status,
                     doorbell->aborted ? D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT : status,
                     __ATOMIC_RELEASE);
    wait_queue_wake(&doorbell->changed, UINT_MAX);
}

void dxgk_doorbell_settle(struct dxgk_doorbell *doorbell)
{
    bool over = doorbell->leaving || doorbell->aborted || doorbell->life.state == LIFE_DYING ||
                doorbell->queue->base.life.state == LIFE_DYING;

    if (doorbell->session && doorbell->open && over && !doorbell->calling && !doorbell->connected &&
        !doorbell->attached && dxgk_doorbell_is_done(doorbell)) {
        doorbell->open = false;
        vidsch_session_end(&doorbell->session->vidsch);
    }
}

void dxgk_doorbell_look(struct dxgk_hwqueue *queue)
{
    if (queue->doorbell && queue->doorbell->session) {
        /* What a lost client queued and never rang nobody does, and nobody is late with it. */
        vidsch_queue_set_idle(&queue->base.vidsch,
                              dxgk_doorbell_is_done(queue->doorbell) ||
                                  (queue->doorbell->aborted && queue->base.device->lost));
        if (queue->doorbell->stays && dxgk_doorbell_is_done(queue->doorbell)) {
            queue->doorbell->stays = false;
            queue->doorbell->leaving = true;
            queue->base.device->adapter->doorbells.wanted = true;
            dxgk_worker_kick(queue->base.device->adapter);
        }
        dxgk_doorbell_settle(queue->doorbell);
        wait_queue_wake(&queue->base.changed, UINT_MAX);
    }
}

bool dxgk_doorbell_wait_idle(struct dxgk_hwqueue *queue, uint64_t deadline_ns)
{
    while (queue->doorbell && queue->doorbell->session && !dxgk_doorbell_is_done(queue->doorbell)) {
        if (wait_queue_wait(&queue->base.changed, deadline_ns) == WAIT_TIMED_OUT) {
            return false;
        }
    }
    return true;
}

uint64_t dxgk_doorbell_owed(const struct dxgk_packet *packet)
{
    const struct dxgk_doorbell *doorbell = dxgk_hwqueue_of(packet->context)->doorbell;

    return doorbell->connected ? word_of(doorbell->words.last_queued) : doorbell->owed;
}

/* Of other queues of the device. */
static bool has_its_address(const struct dxgk_doorbell *doorbell, const struct dxgk_device *device)
{
    list_for_each (link, &device->contexts) {
        struct dxgk_context *context = container_of(link, struct dxgk_context, life.link);
        bool is_queue = context->life.kind == DXGK_KIND_HW_QUEUE;
        const struct dxgk_doorbell *other = is_queue ? dxgk_hwqueue_of(context)->doorbell : NULL;
        if (other && other != doorbell && other->connected &&
            other->leads_to == doorbell->leads_to) {
            return true;
        }
    }
    return false;
}

void dxgk_doorbell_state(const struct dxgk_packet *packet, char *text, size_t size)
{
    const struct dxgk_doorbell *doorbell = dxgk_hwqueue_of(packet->context)->doorbell;

    if (!doorbell || !doorbell->leads_to) {
        text[0] = '\0';
    } else if (doorbell->connected) {
        snprintf(text, size,
                 "; its client rang in vain at the address that ConnectDoorbell gave%s [DOORB-002]",
                 has_its_address(doorbell, packet->context->device)
                     ? ", which another queue has, too"
                     : "");
    } else {
        snprintf(text, size,
                 "; its doorbell was taken back %llu us ago by %s: what a client rang until then "
                 "is heard [DOORB-012]",
                 (unsigned long long)((machine_now_ns() - doorbell->apart_ns) / NS_PER_US),
                 doorbell->by_driver ? "DxgkCbDisconnectDoorbell" : "DisconnectDoorbell");
    }
}

/* ---- The road of sessions -------------------------------------------------------------------- */

static void begin(struct dxgk_packet *packet)
{
    struct dxgk_doorbell *doorbell = dxgk_hwqueue_of(packet->context)->doorbell;

    doorbell->open = true;
    wait_queue_wake(&doorbell->changed, UINT_MAX);
    if (doorbell->leaving || doorbell->aborted) { /* it was told to before there was anything */
        packet->adapter->doorbells.wanted = true;
        dxgk_worker_kick(packet->adapter);
    }
}

static void session_done(struct dxgk_packet *packet, NTSTATUS status)
{
    struct dxgk_hwqueue *queue = dxgk_hwqueue_of(packet->context);
    struct dxgk_doorbell *doorbell = queue->doorbell;

    dxgk_submission_end(packet);
    queue->pending_count--;
    doorbell->session = NULL;
    doorbell->open = doorbell->leaving = doorbell->stays = false;
    if (!NT_SUCCESS(status)) {
        dxgk_doorbell_let_go(doorbell, D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT);
    }
    wait_queue_wake(&doorbell->changed, UINT_MAX);
}

const struct dxgk_road dxgk_road_session = {
    .name = "doorbell",
    .kind = VIDSCH_PACKET_HW_QUEUE,
    .prepare = dxgk_virtual_prepare,
    .submit = begin,
    .progress = dxgk_virtual_progress,
    .recall = dxgk_virtual_recall,
    .done = session_done,
};

static NTSTATUS begin_session(struct dxgk_doorbell *doorbell)
{
    struct dxgk_hwqueue *queue = doorbell->queue;
    struct dxgk_packet *packet = dxgk_packet_new(&queue->base, &dxgk_road_session);

    if (!packet) {
        return STATUS_NO_MEMORY;
    }
    doorbell->session = packet;
    doorbell->idle_before = false;
    queue->pending_count++;
    vidsch_queue_set_idle(&queue->base.vidsch, true);
    dxgk_submission_begin(packet);
    packet->vidsch.progress_id = VIDSCH_SESSION_ID;
    dxgk_packet_push(packet);
    return STATUS_SUCCESS;
}

/* ---- Calls of the driver --------------------------------------------------------------------- */

void dxgk_doorbell_begin_call(struct dxgk_doorbell *doorbell)
{
    while (doorbell->calling) {
        wait_queue_wait(&doorbell->changed, MACHINE_NEVER);
    }
    doorbell->calling = true;
    doorbell->caller = task_self();
}

void dxgk_doorbell_end_call(struct dxgk_doorbell *doorbell)
{
    struct dxgk_adapter *adapter = doorbell->queue->base.device->adapter;

    doorbell->calling = false;
    doorbell->caller = NULL;
    wait_queue_wake(&doorbell->changed, UINT_MAX);
    adapter->doorbells.wanted = true; /* who came meanwhile left it to the worker */
    dxgk_worker_kick(adapter);
}

/* The caller is inside a call. The page has the client's address lead elsewhere on return of the
 * call: what is rung until then would be rung in vain, and its status say nothing of that. */
static void tell_detached(struct dxgk_doorbell *doorbell)
{
    struct dxgk_context *stream = &doorbell->queue->base;
    struct dxgk_adapter *adapter = stream->device->adapter;
    const DXGKARG_DISCONNECTDOORBELL arguments = {.hDoorbell = doorbell->driver_handle};

    dxgk_doorbell_let_go(doorbell, D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY);
    if (doorbell->attached && dxgk_adapter_has_hardware(adapter)) {
        (void)ddi_disconnect_doorbell(&adapter->ddi, &arguments, stream->object);
    }
    doorbell->attached = false;
}

void dxgk_doorbell_detach(struct dxgk_doorbell *doorbell)
{
    dxgk_doorbell_begin_call(doorbell);
    tell_detached(doorbell);
    dxgk_doorbell_end_call(doorbell);
    dxgk_doorbell_settle(doorbell);
}

static bool is_over(const struct dxgk_doorbell *doorbell)
{
    const struct dxgk_context *stream = &doorbell->queue->base;

    return doorbell->aborted || stream->device->lost || stream->life.state != LIFE_LIVING ||
           doorbell->life.state != LIFE_LIVING;
}

static bool leads_somewhere(const struct dxgk_doorbell *doorbell,
                            const DXGKARG_CONNECTDOORBELL *answer)
{
    return io_reaches(answer->KernelCpuVirtualAddress, 1) > 0 &&
           (!doorbell->words.second || io_reaches(answer->SecondaryKernelCpuVirtualAddress, 1) > 0);
}

static void lead(struct dxgk_doorbell *doorbell, const DXGKARG_CONNECTDOORBELL *answer)
{
    bool notify = answer->Status == D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD;

    doorbell->leads_to = answer->KernelCpuVirtualAddress;
    io_client_lead(doorbell->words.bell, answer->KernelCpuVirtualAddress);
    if (doorbell->words.second) {
        io_client_lead(doorbell->words.second, answer->SecondaryKernelCpuVirtualAddress);
    }
    doorbell->connected = true;
    doorbell->by_driver = false;
    __atomic_store_n(doorbell->words.status,
                     notify ? D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD
                            : D3DDDI_DOORBELLSTATUS_CONNECTED,
                     __ATOMIC_RELEASE);
    record_count("doorbells.connected", 1);
}

/* Its session is open. The driver may say that it is disconnected before the call has returned: it
 * gave it to another queue already. */
static NTSTATUS call_connect(struct dxgk_doorbell *doorbell)
{
    struct dxgk_context *stream = &doorbell->queue->base;
    struct dxgk_adapter *adapter = stream->device->adapter;
    DXGKARG_CONNECTDOORBELL arguments = {.hDoorbell = doorbell->driver_handle};
    unsigned told = doorbell->told;

    arguments.Flags.RequireSecondaryAddress = doorbell->words.second != NULL;
    dxgk_doorbell_begin_call(doorbell);
    NTSTATUS status = ddi_connect_doorbell(&adapter->ddi, &arguments, stream->object);
    if (NT_SUCCESS(status)) {
        doorbell->attached = told == doorbell->told;
        if (!leads_somewhere(doorbell, &arguments)) {
            tell_detached(doorbell); /* its client tries again */
        } else if (doorbell->attached && !is_over(doorbell)) {
            lead(doorbell, &arguments);
        }
    }
    dxgk_doorbell_end_call(doorbell);
    dxgk_doorbell_look(doorbell->queue);
    return status;
}

/* It is to leave, and its client had said what it would ring next: nobody but the client can bring
 * that about. */
static bool waits_for_ring(const struct dxgk_doorbell *doorbell)
{
    return doorbell->leaving && doorbell->open && !doorbell->attached && !doorbell->calling &&
           !dxgk_doorbell_is_done(doorbell);
}

/* Between the look at the session and the call nothing switches. */
static NTSTATUS connect(struct dxgk_doorbell *doorbell)
{
    for (;;) {
        NTSTATUS status = STATUS_SUCCESS;
        if (is_over(doorbell)) {
            return STATUS_DEVICE_REMOVED;
        }
        if (doorbell->connected && !doorbell->leaving) {
            return STATUS_SUCCESS;
        }
        if (!doorbell->session) {
            dxgk_wait_awake();
            status = doorbell->session ? STATUS_SUCCESS : begin_session(doorbell);
        } else if (waits_for_ring(doorbell)) {
            doorbell->leaving = false;
            doorbell->stays = true;
        } else if (!doorbell->open || doorbell->leaving || doorbell->calling) {
            wait_queue_wait(&doorbell->changed, MACHINE_NEVER);
        } else {
            return call_connect(doorbell);
        }
        if (!NT_SUCCESS(status)) {
            return status;
        }
    }
}

NTSTATUS dxgk_doorbell_connect(struct dxgk_doorbell *doorbell)
{
    struct dxgk_context *stream = &doorbell->queue->base;
    NTSTATUS status = STATUS_INVALID_HANDLE;

    dxgk_wait_awake();
    if (stream->device->lost || doorbell->aborted) {
        return STATUS_DEVICE_REMOVED;
    }
    if (life_enter(&doorbell->life)) {
        if (life_enter(&stream->life)) {
            status = connect(doorbell);
            life_leave(&stream->life);
        }
        life_leave(&doorbell->life);
    }
    return status;
}

/* Of work that was rung. */
NTSTATUS dxgk_doorbell_notify(struct dxgk_doorbell *doorbell)
{
    struct dxgk_context *stream = &doorbell->queue->base;
    struct dxgk_adapter *adapter = stream->device->adapter;
    const DXGKARG_NOTIFYWORKSUBMISSION arguments = {.hHwQueue = stream->driver_handle};
    NTSTATUS status = STATUS_INVALID_HANDLE;

    if (stream->device->lost || !dxgk_adapter_has_hardware(adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    if (life_enter(&doorbell->life)) {
        if (life_enter(&stream->life)) {
            status = ddi_notify_work_submission(&adapter->ddi, &arguments, stream->object);
            life_leave(&stream->life);
        }
        life_leave(&doorbell->life);
    }
    return status;
}
