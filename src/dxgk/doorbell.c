/* Doorbells: made and ended, and what the driver says of them; see doorbell.h.
 *
 *   CreateDoorbell ─> (connected and disconnected: doorbell_session.c) ─> its client's address
 *   leads nowhere ─> what was queued is done ─> DestroyDoorbell ─> the allocations may go
 *
 * The driver is told to disconnect before the end where a queue, or its process, ends. Where its
 * client destroys the doorbell alone DestroyDoorbell says that, too. */
#include "dxgk/doorbell_parts.h"
#include "dxgk/spoil.h"

#include <stdlib.h>

/* ---- What the driver says of them ------------------------------------------------------------ */

bool dxgk_has_doorbells(const struct dxgk_adapter *adapter)
{
    const struct ddi_adapter *ddi = &adapter->ddi;

    return adapter->features.user_submission && ddi_has(ddi, POINT_CreateDoorbell) &&
           ddi_has(ddi, POINT_ConnectDoorbell) && ddi_has(ddi, POINT_DisconnectDoorbell) &&
           ddi_has(ddi, POINT_DestroyDoorbell);
}

void dxgk_doorbells_ask(struct dxgk_adapter *adapter)
{
    DXGK_USERMODESUBMISSION_CAPS *caps = nt_memory_alloc(sizeof *caps, 0);
    bool any = false;

    for (unsigned i = 0; i < adapter->node_count; i++) {
        any |= adapter->engines[i].user_submission;
    }
    if (any && caps &&
        NT_SUCCESS(dxgk_query_adapter(adapter, DXGKQAITYPE_USERMODESUBMISSION_CAPS, NULL, 0, caps,
                                      sizeof *caps)) &&
        caps->DoorbellSizeInBytes <= DXGK_MAX_DOORBELL_SIZE_BYTES) {
        adapter->doorbells.size = caps->DoorbellSizeInBytes;
        adapter->doorbells.second_size =
            caps->Flags.SecondaryDoorbellSupported &&
                    caps->SecondaryDoorbellSizeInBytes <= DXGK_MAX_DOORBELL_SIZE_BYTES
                ? caps->SecondaryDoorbellSizeInBytes
                : 0;
    }
    nt_memory_free(caps);
    for (unsigned i = 0; i < adapter->node_count; i++) {
        adapter->engines[i].user_submission &= adapter->doorbells.size > 0;
    }
}

bool dxgk_has_hwqueue(const struct ddi_adapter *ddi, HANDLE queue)
{
    return dxgk_hwqueue_named(dxgk_adapter_of((struct ddi_adapter *)ddi), queue) != NULL;
}

/* In the driver, who may be in ConnectDoorbell of another doorbell: what comes of it is the
 * worker's. */
NTSTATUS dxgk_doorbell_disconnected(struct ddi_adapter *ddi,
                                    const DXGKARGCB_DISCONNECTDOORBELL *request)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);
    struct dxgk_hwqueue *queue = dxgk_hwqueue_named(adapter, request->hHwQueue);
    struct dxgk_doorbell *doorbell = queue ? queue->doorbell : NULL;

    if (!doorbell) {
        return STATUS_INVALID_PARAMETER;
    }
    if (doorbell->calling && doorbell->caller == task_self()) {
        return STATUS_SUCCESS; /* what this very call is about is disconnected already */
    }
    doorbell->told++;
    doorbell->by_driver = true;
    doorbell->attached = false;
    dxgk_doorbell_let_go(doorbell,
                         request->DisconnectReason == D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT
                             ? D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT
                             : D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY);
    record_count("doorbells.taken_back", 1);
    adapter->doorbells.wanted = true;
    dxgk_worker_kick(adapter);
    return STATUS_SUCCESS;
}

/* ---- Ending ---------------------------------------------------------------------------------- */

static void free_doorbell(struct dxgk_life *life)
{
    struct dxgk_doorbell *doorbell = container_of(life, struct dxgk_doorbell, life);

    life_put(&doorbell->queue->base.life);
    free(doorbell);
}

static void free_words(struct dxgk_doorbell_words *words)
{
    if (words->bell) {
        io_client_close(words->bell);
    }
    if (words->second) {
        io_client_close(words->second);
    }
    nt_memory_free(words->status);
    nt_memory_free(words->last_queued);
    *words = (struct dxgk_doorbell_words){0};
}

static void put_opening(struct dxgk_opening *opening)
{
    if (opening) {
        opening->doorbell_count--;
        dxgk_device_child_gone(opening->device); /* its end may wait for that */
        life_put(&opening->life);
    }
}

static void tell_end(struct dxgk_doorbell *doorbell)
{
    struct dxgk_context *stream = &doorbell->queue->base;
    const DXGKARG_DESTROYDOORBELL arguments = {.hDoorbell = doorbell->driver_handle};

    if (doorbell->created) {
        (void)ddi_destroy_doorbell(&stream->device->adapter->ddi, &arguments, stream->object);
    }
    doorbell->created = doorbell->attached = false;
}

/* Nothing of it is in work, and nobody is inside. Accepts what a failed start left behind. */
static void dismantle(struct dxgk_doorbell *doorbell)
{
    tell_end(doorbell);
    doorbell->queue->doorbell = NULL;
    free_words(&doorbell->words);
    put_opening(doorbell->ring);
    put_opening(doorbell->control);
    life_unlink(&doorbell->life);
    life_put(&doorbell->life);
}

static void wait_over(struct dxgk_doorbell *doorbell)
{
    dxgk_doorbell_settle(doorbell);
    while (doorbell->session || doorbell->calling) {
        wait_queue_wait(&doorbell->changed, MACHINE_NEVER);
    }
}

/* Its client alone ends it: what was rung is done first, and the driver hears of the end alone. */
NTSTATUS dxgk_doorbell_destroy(struct dxgk_doorbell *doorbell)
{
    struct dxgk_hwqueue *queue = doorbell->queue;

    if (!life_end(&doorbell->life)) {
        return STATUS_INVALID_HANDLE;
    }
    life_get(&doorbell->life);
    if (life_enter(&queue->base.life)) {
        dxgk_doorbell_begin_call(doorbell);
        doorbell->attached = false; /* it is told below */
        dxgk_doorbell_let_go(doorbell, D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY);
        dxgk_doorbell_end_call(doorbell);
        life_wait_unused(&doorbell->life);
        wait_over(doorbell);
        dismantle(doorbell);
        life_leave(&queue->base.life);
    } /* else who ends the queue ends it */
    life_put(&doorbell->life);
    return STATUS_SUCCESS;
}

void dxgk_doorbell_close(struct dxgk_hwqueue *queue)
{
    if (queue->doorbell) {
        wait_queue_wake(&queue->doorbell->changed, UINT_MAX); /* who would connect */
        if (queue->base.device->lost && queue->doorbell->session) {
            dxgk_hwcontext_give_up(queue->owner);
        }
        dxgk_doorbell_detach(queue->doorbell);
    }
}

void dxgk_doorbell_end(struct dxgk_hwqueue *queue)
{
    struct dxgk_doorbell *doorbell = queue->doorbell;

    if (!doorbell) {
        return;
    }
    if (life_end(&doorbell->life)) {
        life_wait_unused(&doorbell->life);
    }
    dxgk_doorbell_detach(doorbell); /* one that was made, or connected, meanwhile */
    wait_over(doorbell);
    dismantle(doorbell);
}

bool dxgk_doorbells_hold(struct dxgk_opening *const *openings, UINT count)
{
    for (UINT i = 0; i < count; i++) {
        if (openings[i]->doorbell_count > 0) {
            return true;
        }
    }
    return false;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static struct dxgk_opening *get_opening(struct dxgk_opening *opening)
{
    if (opening) {
        life_get(&opening->life);
        opening->doorbell_count++;
    }
    return opening;
}

static bool make_words(struct dxgk_doorbell *doorbell, bool second)
{
    const struct dxgk_doorbells *sizes = &doorbell->queue->base.device->adapter->doorbells;
    struct dxgk_doorbell_words *words = &doorbell->words;

    words->bell = io_client_open(sizes->size);
    words->second = second ? io_client_open(sizes->second_size) : NULL;
    words->status = nt_memory_client(sizeof *words->status, "the status of a doorbell");
    words->last_queued =
        nt_memory_client(sizeof *words->last_queued, "the last value queued by a doorbell");
    if (!words->bell || (second && !words->second) || !words->status || !words->last_queued) {
        return false;
    }
    *words->status = D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY;
    *words->last_queued = doorbell->owed;
    return true;
}

/* The driver may look where they are. They may be wanted elsewhere when the call is over. */
static NTSTATUS place(struct dxgk_adapter *adapter, struct dxgk_opening *opening,
                      struct vidmm_pin *pin)
{
    struct vidmm_prepare_result result;

    while (opening) {
        vidmm_pin(pin, &opening->allocation->memory, &result);
        dxgk_paging_kick(adapter);
        if (result.outcome == VIDMM_READY) {
            return dxgk_wait_paging(adapter, result.paging_sequence, MACHINE_NEVER);
        }
        if (result.outcome == VIDMM_FAILED) {
            return result.status;
        }
        dxgk_wait_memory(adapter, &result.wait, MACHINE_NEVER);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS call_create(struct dxgk_doorbell *doorbell,
                            const struct dxgk_doorbell_request *request)
{
    struct dxgk_context *stream = &doorbell->queue->base;
    struct dxgk_adapter *adapter = stream->device->adapter;
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    DXGKARG_CREATEDOORBELL arguments;
    NTSTATUS status;

    do {
        arguments = (DXGKARG_CREATEDOORBELL){
            .hHwQueue = stream->driver_handle,
            .hDoorbell = (HANDLE)(uintptr_t)doorbell->life.handle,
            .PrivateDriverDataSize = request->private_size,
            .PrivateDriverData = request->private_data,
            .hRingBuffer = doorbell->ring->allocation->driver_handle,
            .hRingBufferControl =
                doorbell->control ? doorbell->control->allocation->driver_handle : NULL,
        };
        arguments.Flags.ResizeRingBufferOperation = request->resizes;
        status = ddi_create_doorbell(&adapter->ddi, &arguments, stream->object);
    } while (dxgk_tries_again(status, &attempt));
    doorbell->created = NT_SUCCESS(status) && arguments.hDoorbell;
    doorbell->driver_handle = doorbell->created ? arguments.hDoorbell : NULL;
    return NT_SUCCESS(status) && !doorbell->created ? STATUS_INVALID_HANDLE : status;
}

static NTSTATUS create_placed(struct dxgk_doorbell *doorbell,
                              const struct dxgk_doorbell_request *request)
{
    struct dxgk_adapter *adapter = doorbell->queue->base.device->adapter;
    struct vidmm_pin pins[2] = {{0}};
    NTSTATUS status = place(adapter, doorbell->ring, &pins[0]);

    if (NT_SUCCESS(status)) {
        status = place(adapter, doorbell->control, &pins[1]);
    }
    if (NT_SUCCESS(status)) {
        status = call_create(doorbell, request);
    }
    vidmm_unpin(&pins[0]);
    vidmm_unpin(&pins[1]);
    dxgk_memory_changed(adapter);
    return status;
}

/* The caller is inside the queue, and both openings live: nothing has switched since. */
static NTSTATUS make(struct dxgk_hwqueue *queue, const struct dxgk_doorbell_request *request,
                     struct dxgk_doorbell **out)
{
    struct dxgk_doorbell *doorbell = calloc(1, sizeof *doorbell);

    if (!doorbell) {
        return STATUS_NO_MEMORY;
    }
    life_init(&doorbell->life, DXGK_KIND_DOORBELL, free_doorbell);
    life_get(&queue->base.life);
    wait_queue_init(&doorbell->changed);
    doorbell->queue = queue;
    queue->doorbell = doorbell;
    doorbell->ring = get_opening(request->ring);
    doorbell->control = get_opening(request->control);
    doorbell->owed = queue->base.vidsch.progress;
    doorbell->life.handle =
        dxgk_handle_new(DXGK_KIND_DOORBELL, &doorbell->life, queue->base.device->process);
    NTSTATUS status = doorbell->life.handle && make_words(doorbell, request->second)
                          ? create_placed(doorbell, request)
                          : STATUS_NO_MEMORY;
    if (!NT_SUCCESS(status)) {
        dismantle(doorbell);
        return status;
    }
    life_begin(&doorbell->life);
    if (doorbell->aborted || queue->base.device->lost) {
        dxgk_doorbell_let_go(doorbell, D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT);
    }
    dxgk_handle_show(doorbell->life.handle);
    *out = doorbell;
    return STATUS_SUCCESS;
}

/* Before what a client asks for: the same with private data that is spoiled, and nothing stays. */
static void make_spoiled(struct dxgk_hwqueue *queue, const struct dxgk_doorbell_request *request,
                         void *(*way)(const void *data, UINT *size))
{
    struct dxgk_doorbell_request spoiled = *request;
    struct dxgk_doorbell *doorbell;
    void *data = way(request->private_data, &spoiled.private_size);

    spoiled.private_data = data;
    if (NT_SUCCESS(make(queue, &spoiled, &doorbell))) {
        NTSTATUS status = dxgk_doorbell_destroy(doorbell);
        CHECK_THAT(NT_SUCCESS(status)); /* nobody else knows of it */
    }
    nt_memory_free(data);
}

/* One can be made for it, as far as it and the client's memory go. */
static bool is_free(const struct dxgk_hwqueue *queue, const struct dxgk_doorbell_request *request)
{
    return queue->base.life.state == LIFE_LIVING && !queue->doorbell &&
           request->ring->life.state == LIFE_LIVING &&
           (!request->control || request->control->life.state == LIFE_LIVING);
}

NTSTATUS dxgk_doorbell_create(struct dxgk_hwqueue *queue,
                              const struct dxgk_doorbell_request *request,
                              struct dxgk_doorbell **out)
{
    const struct dxgk_device *device = queue->base.device;

    dxgk_wait_awake();
    if (device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!queue->users || !is_free(queue, request)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (request->second && device->adapter->doorbells.second_size == 0) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!life_enter(&queue->base.life)) {
        return STATUS_INVALID_HANDLE;
    }
    if (vary_happens(VARY_BAD_PRIVATE_DATA, 2)) {
        make_spoiled(queue, request, dxgk_spoiled);
        /* No words: nobody looks into addresses. */
        if (request->private_size > 1 && is_free(queue, request)) {
            make_spoiled(queue, request, dxgk_halved);
        }
    }
    /* Somebody may have come meanwhile. */
    NTSTATUS status =
        is_free(queue, request) ? make(queue, request, out) : STATUS_INVALID_PARAMETER;
    life_leave(&queue->base.life);
    return status;
}

D3DKMT_HANDLE dxgk_doorbell_handle(const struct dxgk_doorbell *doorbell)
{
    return doorbell->life.handle;
}

struct dxgk_doorbell_words dxgk_doorbell_words(const struct dxgk_doorbell *doorbell)
{
    return doorbell->words;
}
