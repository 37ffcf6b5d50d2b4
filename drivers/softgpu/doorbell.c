/* doorbell.c: hardware queues that clients submit to by themselves.
 *
 *   CreateDoorbell ─> the queue has the client's ring    ConnectDoorbell ─> ... and a doorbell
 *
 *   client: an entry in the ring, a store to its doorbell ─> the GPU fetches and runs it
 *
 * The device has few doorbells, each a page of its registers, so that one process cannot ring for
 * another. They go to those who ask: when all are taken, the one that was connected longest ago
 * loses its own, and dxgkrnl is told before. Its client finds that out when it rings, and connects
 * again; what it rang before is in the ring, and goes on.
 *
 * With the setting UserModeSubmission 2 there are none of the device: the client rings a word in
 * memory and tells us, and we ring for it. */
#include "softgpu.h"

static struct softgpu_adapter *adapter_of(const struct softgpu_doorbell *doorbell)
{
    return doorbell->queue->context->base.device->adapter;
}

NTSTATUS softgpu_query_doorbell_caps(const struct softgpu_adapter *adapter,
                                     const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_USERMODESUBMISSION_CAPS *caps = query->pOutputData;

    if (!adapter->settings.user_submission || query->OutputDataSize < sizeof(*caps)) {
        return STATUS_INVALID_PARAMETER;
    }
    RtlZeroMemory(caps, sizeof(*caps));
    caps->DoorbellSizeInBytes = SOFTGPU_DOORBELL_SIZE;
    return STATUS_SUCCESS;
}

/* ---- The device's ---------------------------------------------------------------------------- */

/* At PASSIVE_LEVEL, for we call dxgkrnl inside, which is at PASSIVE_LEVEL only: no fast mutex. */
static void lock(struct softgpu_hw *hw)
{
    (void)KeWaitForMutexObject(&hw->bells.mutex, Executive, KernelMode, FALSE, NULL);
}

static void unlock(struct softgpu_hw *hw)
{
    (void)KeReleaseMutex(&hw->bells.mutex, FALSE);
}

static void bind(struct softgpu_adapter *adapter, struct softgpu_doorbell *doorbell, ULONG bell)
{
    adapter->hw->bells.taken[bell] = doorbell;
    doorbell->bell = bell;
    doorbell->since = ++adapter->hw->bells.connections;
    softgpu_write(adapter, SOFTGPU_REG_DOORBELL(bell), doorbell->queue->slot + 1);
}

/* On return of the write nobody rings this queue any more. */
static void unbind(struct softgpu_adapter *adapter, struct softgpu_doorbell *doorbell)
{
    if (doorbell->bell != SOFTGPU_NO_BELL) {
        softgpu_write(adapter, SOFTGPU_REG_DOORBELL(doorbell->bell), 0);
        adapter->hw->bells.taken[doorbell->bell] = NULL;
        doorbell->bell = SOFTGPU_NO_BELL;
    }
}

/* The mutex is held: dxgkrnl calls nobody back from there. */
static void take_back(struct softgpu_adapter *adapter, struct softgpu_doorbell *victim)
{
    DXGKARGCB_DISCONNECTDOORBELL request;

    RtlZeroMemory(&request, sizeof(request));
    request.hHwQueue = victim->queue->kernel_handle;
    request.hDoorbell = victim->kernel_handle;
    request.DisconnectReason = D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY;
    (void)adapter->dxgk.DxgkCbDisconnectDoorbell(&request);
    /* Until it returned the client could ring: only now it is ours. */
    unbind(adapter, victim);
}

/* One that is free; or the one that was connected longest ago is made so. */
static ULONG find_bell(struct softgpu_adapter *adapter)
{
    struct softgpu_hw *hw = adapter->hw;
    ULONG bell, oldest = 0;

    for (bell = 0; bell < SOFTGPU_DOORBELL_COUNT; bell++) {
        if (hw->bells.taken[bell] == NULL) {
            return bell;
        }
        if (hw->bells.taken[bell]->since < hw->bells.taken[oldest]->since) {
            oldest = bell;
        }
    }
    take_back(adapter, hw->bells.taken[oldest]);
    return oldest;
}

/* Its entries are what the client rang before. */
void softgpu_doorbells_keep(const struct softgpu_adapter *adapter)
{
    ULONG i;

    for (i = 0; adapter->hw != NULL && i < SOFTGPU_HWQUEUE_COUNT; i++) {
        const struct softgpu_hw_queue *queue = adapter->hw->queues[i];

        if (queue != NULL && queue->doorbell != NULL) {
            queue->doorbell->first =
                softgpu_read(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_HEAD));
        }
    }
}

void softgpu_doorbells_resume(const struct softgpu_adapter *adapter)
{
    ULONG bell;

    for (bell = 0; bell < SOFTGPU_DOORBELL_COUNT; bell++) {
        const struct softgpu_doorbell *doorbell = adapter->hw->bells.taken[bell];

        if (doorbell != NULL) {
            softgpu_write(adapter, SOFTGPU_REG_DOORBELL(bell), doorbell->queue->slot + 1);
        }
    }
}

/* ---- Their life ------------------------------------------------------------------------------ */

/* What the client says is where its process sees the ring: a wrong address is its own fault, and
 * costs it its device. How long the ring may be we know from the allocation. */
static BOOLEAN read_request(const DXGKARG_CREATEDOORBELL *create, struct softgpu_doorbell *doorbell)
{
    const struct softgpu_allocation *ring = create->hRingBuffer;
    const struct softgpu_umd_doorbell *data = create->PrivateDriverData;
    ULONG entries;

    if (ring == NULL || create->PrivateDriverDataSize != sizeof(*data)) {
        return FALSE;
    }
    entries = ring->info.size_bytes / sizeof(struct softgpu_hwqueue_entry);
    if (entries == 0 || entries > SOFTGPU_HWQUEUE_RING_MAX || (entries & (entries - 1)) != 0) {
        return FALSE;
    }
    doorbell->entries = entries;
    doorbell->ring_address = (ULONGLONG)data->ring_high << 32 | data->ring_low;
    doorbell->read_address = (ULONGLONG)data->read_high << 32 | data->read_low;
    return (doorbell->ring_address & (SOFTGPU_PAGE_SIZE - 1)) == 0 &&
           (doorbell->read_address == 0 || create->hRingBufferControl != NULL);
}

static BOOLEAN make_word(struct softgpu_doorbell *doorbell)
{
    PHYSICAL_ADDRESS highest;

    highest.QuadPart = (LONGLONG)(SOFTGPU_SYSTEM_SIZE - 1);
    doorbell->word = MmAllocateContiguousMemory(SOFTGPU_DOORBELL_SIZE, highest);
    if (doorbell->word != NULL) {
        RtlZeroMemory((void *)doorbell->word, SOFTGPU_DOORBELL_SIZE);
    }
    return doorbell->word != NULL;
}

/* The queue has its ring from now on; nobody can ring for it yet. */
NTSTATUS NTAPI softgpu_create_doorbell(DXGKARG_CREATEDOORBELL *create)
{
    struct softgpu_hw_queue *queue = create->hHwQueue;
    struct softgpu_adapter *adapter = queue->context->base.device->adapter;
    struct softgpu_doorbell *doorbell;

    PAGED_CODE();

    if (!queue->users || queue->doorbell != NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    doorbell = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*doorbell), SOFTGPU_TAG_QUEUE);
    if (doorbell == NULL) {
        return STATUS_NO_MEMORY;
    }
    doorbell->queue = queue;
    doorbell->kernel_handle = create->hDoorbell;
    doorbell->bell = SOFTGPU_NO_BELL;
    if (!read_request(create, doorbell)) {
        ExFreePoolWithTag(doorbell, SOFTGPU_TAG_QUEUE);
        return STATUS_INVALID_PARAMETER;
    }
    if (adapter->settings.user_submission == SOFTGPU_USERS_TELL && !make_word(doorbell)) {
        ExFreePoolWithTag(doorbell, SOFTGPU_TAG_QUEUE);
        return STATUS_NO_MEMORY;
    }
    queue->doorbell = doorbell;
    softgpu_queue_program(adapter, queue);
    create->hDoorbell = doorbell;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_connect_doorbell(DXGKARG_CONNECTDOORBELL *connect)
{
    struct softgpu_doorbell *doorbell = connect->hDoorbell;
    struct softgpu_adapter *adapter = adapter_of(doorbell);
    ULONG bell;

    PAGED_CODE();

    if (connect->Flags.RequireSecondaryAddress) {
        return STATUS_INVALID_PARAMETER; /* our caps do not offer any */
    }
    if (doorbell->word != NULL) {
        connect->KernelCpuVirtualAddress = (void *)doorbell->word;
        connect->Status = D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD;
        return STATUS_SUCCESS;
    }
    lock(adapter->hw);
    if (doorbell->bell == SOFTGPU_NO_BELL) {
        bind(adapter, doorbell, find_bell(adapter));
    }
    bell = doorbell->bell;
    unlock(adapter->hw);
    connect->KernelCpuVirtualAddress = (UCHAR *)(void *)adapter->registers + SOFTGPU_DOORBELL(bell);
    connect->Status = D3DDDI_DOORBELLSTATUS_CONNECTED;
    return STATUS_SUCCESS;
}

/* What was rung goes on. Another queue may have taken it meanwhile. */
NTSTATUS NTAPI softgpu_disconnect_doorbell(DXGKARG_DISCONNECTDOORBELL *disconnect)
{
    struct softgpu_doorbell *doorbell = disconnect->hDoorbell;
    struct softgpu_adapter *adapter = adapter_of(doorbell);

    PAGED_CODE();

    lock(adapter->hw);
    unbind(adapter, doorbell);
    unlock(adapter->hw);
    return STATUS_SUCCESS;
}

static BOOLEAN NTAPI forget_ring(PVOID argument)
{
    struct softgpu_hw_queue *queue = argument;
    struct softgpu_adapter *adapter = queue->context->base.device->adapter;

    softgpu_write(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_CONTROL), 0);
    queue->doorbell = NULL;
    return TRUE;
}

/* It may still be connected. On return nobody reads the client's ring any more. */
NTSTATUS NTAPI softgpu_destroy_doorbell(DXGKARG_DESTROYDOORBELL *destroy)
{
    struct softgpu_doorbell *doorbell = destroy->hDoorbell;
    struct softgpu_adapter *adapter = adapter_of(doorbell);

    PAGED_CODE();

    lock(adapter->hw);
    unbind(adapter, doorbell);
    unlock(adapter->hw);
    softgpu_synchronize(adapter, forget_ring, doorbell->queue);
    if (doorbell->word != NULL) {
        MmFreeContiguousMemory((void *)doorbell->word);
    }
    ExFreePoolWithTag(doorbell, SOFTGPU_TAG_QUEUE);
    return STATUS_SUCCESS;
}

/* The word that the client wrote is the index behind its last entry; where the device has its
 * doorbells it has rung already. */
NTSTATUS NTAPI softgpu_notify_work_submission(DXGKARG_NOTIFYWORKSUBMISSION *notify)
{
    const struct softgpu_hw_queue *queue = notify->hHwQueue;
    const struct softgpu_doorbell *doorbell = queue->doorbell;

    PAGED_CODE();

    if (doorbell != NULL && doorbell->word != NULL) {
        softgpu_write(adapter_of(doorbell), SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_TAIL),
                      *doorbell->word);
    }
    return STATUS_SUCCESS;
}
