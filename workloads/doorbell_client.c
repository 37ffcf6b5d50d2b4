/* Streams of work by doorbells; see doorbell_client.h. */
#include "doorbell_client.h"

#include "../devices/softgpu/softgpu_queues.h"

#include <string.h>

#define PAGE_BYTES     4096u
#define CONNECTS_MAX   1000 /* in a row, for one submission */
#define QUEUES_AT_ONCE 3    /* of a driver whose commands nobody knows */
#define READ_OFFSET    0u   /* where the device notes its place, in the control allocation */

static bool check(struct bell_stream *stream, NTSTATUS status, const char *what)
{
    return gpu_check(&stream->client->gpu, status, what);
}

/* ---- Making ---------------------------------------------------------------------------------- */

static NTSTATUS create(struct bell_stream *stream, bool resizes, void *data, unsigned data_bytes)
{
    D3DKMT_CREATE_DOORBELL create = {
        .hHwQueue = stream->queue,
        .hRingBuffer = stream->ring.allocation,
        .hRingBufferControl = stream->control.allocation,
        .PrivateDriverDataSize = data_bytes,
        .PrivateDriverData = data,
    };

    create.Flags.ResizeRingBufferOperation = resizes;
    NTSTATUS status = D3DKMTCreateDoorbell(&create);
    if (NT_SUCCESS(status)) {
        stream->doorbell = create.hDoorbell;
        stream->bell = create.DoorbellCPUVirtualAddress;
        stream->status = create.DoorbellStatusCPUVirtualAddress;
        stream->last_queued = create.HwQueueProgressFenceLastQueuedValueCPUVirtualAddress;
    }
    return status;
}

static bool is_apart(struct bell_stream *stream)
{
    const struct drydock_workload_host *host = stream->client->gpu.host;
    bool apart = stream->bell && stream->status && stream->last_queued &&
                 *stream->status == D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY;

    if (!apart) {
        host->fail(host, "a new doorbell has not all its addresses, or is not disconnected");
    }
    return apart;
}

/* A new ring begins at its first entry. */
static bool begin_anew(struct bell_stream *stream, unsigned entries)
{
    uint32_t *words = addressed_lock(stream->client, &stream->control);

    if (!words) {
        return false;
    }
    words[READ_OFFSET / 4] = 0;
    addressed_unlock(stream->client, &stream->control);
    stream->entries = entries;
    stream->tail = 0;
    return true;
}

static bool make_doorbell(struct bell_stream *stream, unsigned entries, bool resizes)
{
    const unsigned flags = SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY;
    uint64_t read = stream->control.address + READ_OFFSET;

    if (!begin_anew(stream, entries) ||
        !addressed_block(stream->client, entries * sizeof(struct softgpu_hwqueue_entry), flags,
                         &stream->ring)) {
        return false;
    }
    struct softgpu_umd_doorbell data = {
        .ring_low = (softgpu_u32)stream->ring.address,
        .ring_high = (softgpu_u32)(stream->ring.address >> 32),
        .read_low = (softgpu_u32)read,
        .read_high = (softgpu_u32)(read >> 32),
    };
    return check(stream, create(stream, resizes, &data, sizeof data), "D3DKMTCreateDoorbell") &&
           is_apart(stream);
}

static NTSTATUS make_queue(struct bell_stream *stream, unsigned node)
{
    D3DKMT_CREATEHWCONTEXT context = {
        .hDevice = stream->client->gpu.device, .NodeOrdinal = node, .EngineAffinity = 1};
    D3DKMT_CREATEHWQUEUE queue = {.hHwContext = 0};
    NTSTATUS status = D3DKMTCreateHwContext(&context);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    stream->context = queue.hHwContext = context.hHwContext;
    queue.Flags.UserModeSubmission = 1;
    status = D3DKMTCreateHwQueue(&queue);
    if (NT_SUCCESS(status)) {
        stream->queue = queue.hHwQueue;
        stream->fence = queue.hHwQueueProgressFence;
        stream->fence_address = queue.HwQueueProgressFenceGPUVirtualAddress;
    }
    return status;
}

bool bell_open(struct bell_stream *stream, struct addressed *client, unsigned entries, bool *there)
{
    *stream = (struct bell_stream){.client = client};
    NTSTATUS status = make_queue(stream, client->node);
    *there = status != STATUS_NOT_SUPPORTED;
    if (!*there) {
        bell_close(stream);
        return true;
    }
    return check(stream, status, "D3DKMTCreateHwQueue with UserModeSubmission") &&
           addressed_block(client, PAGE_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY,
                           &stream->control) &&
           make_doorbell(stream, entries, false);
}

void bell_close(struct bell_stream *stream)
{
    if (stream->queue) {
        check(stream, D3DKMTDestroyHwQueue(&(D3DKMT_DESTROYHWQUEUE){stream->queue}),
              "D3DKMTDestroyHwQueue");
    }
    if (stream->context) {
        check(stream, D3DKMTDestroyHwContext(&(D3DKMT_DESTROYHWCONTEXT){stream->context}),
              "D3DKMTDestroyHwContext");
    }
    *stream = (struct bell_stream){.client = stream->client};
}

bool bell_resize(struct bell_stream *stream, unsigned entries)
{
    struct memory_block before = stream->ring;
    D3DKMT_DESTROY_DOORBELL destroy = {.hDoorbell = stream->doorbell};

    if (!check(stream, D3DKMTDestroyDoorbell(&destroy), "D3DKMTDestroyDoorbell") ||
        !make_doorbell(stream, entries, true)) {
        return false;
    }
    addressed_destroy(stream->client, &before);
    return true;
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* Is there a place left behind what the device has not come to yet? Else somebody waits too long,
 * for no stream here has so much under way. */
static bool has_room(struct bell_stream *stream, unsigned next)
{
    const uint32_t *words = addressed_lock(stream->client, &stream->control);
    const struct drydock_workload_host *host = stream->client->gpu.host;

    if (!words) {
        return false;
    }
    bool room = words[READ_OFFSET / 4] != next;
    addressed_unlock(stream->client, &stream->control);
    if (!room) {
        host->fail(host,
                   "the device notes its place at entry %u of a ring that has fewer entries "
                   "under way",
                   next);
    }
    return room;
}

static bool write_entry(struct bell_stream *stream, uint64_t commands, unsigned size_bytes)
{
    struct softgpu_hwqueue_entry *ring = addressed_lock(stream->client, &stream->ring);

    if (!ring) {
        return false;
    }
    ring[stream->tail] = (struct softgpu_hwqueue_entry){
        .flags = SOFTGPU_ENTRY_INTERRUPT,
        .size_bytes = size_bytes,
        .address_low = (softgpu_u32)commands,
        .address_high = (softgpu_u32)(commands >> 32),
    };
    addressed_unlock(stream->client, &stream->ring);
    return true;
}

static bool is_connected(uint64_t status)
{
    return status == D3DDDI_DOORBELLSTATUS_CONNECTED ||
           status == D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD;
}

/* Tried twice: that it does not fail is advice [DOORB-004]. */
static bool connect(struct bell_stream *stream)
{
    D3DKMT_CONNECT_DOORBELL connect = {.hDoorbell = stream->doorbell};
    const struct drydock_workload_host *host = stream->client->gpu.host;
    bool aborted = *stream->status == D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT;
    NTSTATUS status = D3DKMTConnectDoorbell(&connect);

    if (!NT_SUCCESS(status)) {
        status = D3DKMTConnectDoorbell(&connect);
    }
    host->count(host, "doorbells.connects", 1);
    return check(stream, status,
                 aborted ? "D3DKMTConnectDoorbell of a doorbell that was disconnected with "
                           "D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT, which is for a GPU that is "
                           "lost or stopped,"
                         : "D3DKMTConnectDoorbell");
}

/* The value comes right before the store: what is queued and was not rung nobody executes. */
static bool ring(struct bell_stream *stream)
{
    const struct drydock_workload_host *host = stream->client->gpu.host;
    unsigned tries = 0;
    uint64_t status;

    do {
        if (!is_connected(*stream->status) && !connect(stream)) {
            return false;
        }
        *stream->last_queued = stream->value;
        *stream->bell = stream->tail;
        status = *stream->status;
    } while (status == D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY && ++tries < CONNECTS_MAX);
    if (!is_connected(status) && stream->client->gpu.may_be_lost) {
        return false;
    }
    if (!is_connected(status)) {
        host->fail(host, "a doorbell is in status %llu, after %u tries", (unsigned long long)status,
                   tries);
        return false;
    }
    if (status == D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD) {
        D3DKMT_NOTIFY_WORK_SUBMISSION notify = {.hDoorbell = stream->doorbell};
        host->count(host, "doorbells.notices", 1);
        return check(stream, D3DKMTNotifyWorkSubmission(&notify), "D3DKMTNotifyWorkSubmission");
    }
    return true;
}

bool bell_submit(struct bell_stream *stream, uint64_t commands, unsigned size_bytes)
{
    unsigned next = (stream->tail + 1) % stream->entries;

    if (!has_room(stream, next) || !write_entry(stream, commands, size_bytes)) {
        return false;
    }
    stream->tail = next;
    stream->client->gpu.host->count(stream->client->gpu.host, "doorbells.rings", 1);
    return ring(stream);
}

bool bell_spoil(struct bell_stream *stream, uint64_t commands, unsigned size_bytes)
{
    struct softgpu_hwqueue_entry *ring = addressed_lock(stream->client, &stream->ring);

    for (unsigned i = 0; ring && i < stream->entries; i++) {
        ring[i] = (struct softgpu_hwqueue_entry){
            .size_bytes = size_bytes,
            .address_low = (softgpu_u32)commands,
            .address_high = (softgpu_u32)(commands >> 32),
        };
    }
    if (ring) {
        addressed_unlock(stream->client, &stream->ring);
    }
    return ring != NULL;
}

static bool refused(struct bell_stream *stream, NTSTATUS status, const char *what)
{
    const struct drydock_workload_host *host = stream->client->gpu.host;

    if (NT_SUCCESS(status)) {
        host->fail(host, "%s succeeded", what);
    }
    return !NT_SUCCESS(status);
}

bool bell_refuses(struct bell_stream *stream, uint64_t commands, unsigned size_bytes)
{
    const D3DKMT_SUBMITCOMMANDTOHWQUEUE submit = {.hHwQueue = stream->queue,
                                                  .HwQueueProgressFenceId = stream->value + 1,
                                                  .CommandBuffer = commands,
                                                  .CommandLength = size_bytes};
    const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE signal = {.BroadcastHwQueueCount = 1,
                                                            .BroadcastHwQueueArray = &stream->queue,
                                                            .ObjectCount = 1,
                                                            .ObjectHandleArray = &stream->fence,
                                                            .FenceValueArray = &stream->value};
    const D3DKMT_DESTROYALLOCATION2 destroy = {.hDevice = stream->client->gpu.device,
                                               .phAllocationList = &stream->ring.allocation,
                                               .AllocationCount = 1};
    struct bell_stream second = *stream;
    struct softgpu_umd_doorbell data = {.ring_low = (softgpu_u32)stream->ring.address,
                                        .ring_high = (softgpu_u32)(stream->ring.address >> 32)};

    return refused(stream, D3DKMTSubmitCommandToHwQueue(&submit),
                   "D3DKMTSubmitCommandToHwQueue for a queue of user-mode submission") &&
           refused(stream, D3DKMTSubmitSignalSyncObjectsToHwQueue(&signal),
                   "D3DKMTSubmitSignalSyncObjectsToHwQueue for a queue of user-mode submission") &&
           refused(stream, D3DKMTDestroyAllocation2(&destroy),
                   "D3DKMTDestroyAllocation2 of the ring of a doorbell that lives") &&
           refused(stream, create(&second, false, &data, sizeof data),
                   "D3DKMTCreateDoorbell for a queue that has one");
}

/* ---- Without commands ------------------------------------------------------------------------ */

static bool make_any(struct bell_stream *stream)
{
    struct drydock_standard_allocation standard = {
        .hDevice = stream->client->gpu.device,
        .kind = DRYDOCK_SURFACE_STAGING,
        .width = 64,
        .height = 16,
    };

    if (drydock_create_standard_allocation(&standard) < 0) {
        standard.kind = DRYDOCK_SURFACE_SHADOW;
        standard.format = D3DDDIFMT_X8R8G8B8;
        if (drydock_create_standard_allocation(&standard) < 0) {
            return false;
        }
    }
    stream->ring = (struct memory_block){.allocation = standard.hAllocation};
    return true;
}

/* Nothing is rung: there is nothing in the ring. */
static bool go_through(struct bell_stream *stream)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!connect(stream)) {
            return false;
        }
    }
    return is_connected(*stream->status) ||
           *stream->status == D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY;
}

bool bells_come_and_go(struct addressed *client, unsigned node, bool *there)
{
    struct bell_stream streams[QUEUES_AT_ONCE];
    uint8_t data[D3DDDI_DOORBELL_PRIVATEDATA_MAX_BYTES_WDDM3_1] = {0};
    unsigned count = 0;
    bool good = true, any = false;

    *there = false;
    for (unsigned i = 0; i < QUEUES_AT_ONCE; i++) {
        streams[i] = (struct bell_stream){.client = client};
    }
    for (; good && count < QUEUES_AT_ONCE; count++) {
        struct bell_stream *stream = &streams[count];
        if (!NT_SUCCESS(make_queue(stream, node)) || !make_any(stream)) {
            break; /* there are none, or the driver wants data that nobody here knows */
        }
        any = NT_SUCCESS(create(stream, false, NULL, 0)) ||
              NT_SUCCESS(create(stream, false, data, sizeof data));
        *there |= any;
        good = !any || (is_apart(stream) && go_through(stream));
    }
    for (unsigned i = 0; i < QUEUES_AT_ONCE; i++) {
        D3DKMT_DESTROY_DOORBELL destroy = {.hDoorbell = streams[i].doorbell};
        if (i % 2 == 0 && streams[i].doorbell) {
            good &= check(&streams[i], D3DKMTDestroyDoorbell(&destroy), "D3DKMTDestroyDoorbell");
        }
        bell_close(&streams[i]);
    }
    return good;
}
