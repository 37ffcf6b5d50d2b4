/* One process composes, another looks at what it shows: pictures, parts that changed, statuses. */
#include "duplication_client.h"

#include <string.h>

#include "hostile_support.h"
#include "softgpu_client.h"

#define WIDTH    64u
#define HEIGHT   32u
#define SURFACES 3u
#define NOWHERE  0x1EADBEEDu

/* One picture in memory that the CPU sees. */
static D3DKMT_CREATEALLOCATION make_picture(D3DKMT_HANDLE device, D3DDDI_ALLOCATIONINFO2 *info,
                                            D3DKMT_CREATEALLOCATIONFLAGS flags)
{
    struct softgpu_umd_allocation data = {
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
        .version = SOFTGPU_UMD_VERSION,
        .flags = SOFTGPU_UMD_CPU_VISIBLE,
        .width = WIDTH,
        .height = HEIGHT,
        .format = SOFTGPU_FORMAT_BGRX8,
    };
    *info =
        (D3DDDI_ALLOCATIONINFO2){.pPrivateDriverData = &data, .PrivateDriverDataSize = sizeof data};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = device, .NumAllocations = 1, .pAllocationInfo2 = info, .Flags = flags};

    EXPECT(STATUS_SUCCESS, D3DKMTCreateAllocation2(&create));
    return create;
}

/* The first pixel, in place of which another one comes. */
static uint32_t exchange(D3DKMT_HANDLE device, D3DKMT_HANDLE allocation, uint32_t pixel)
{
    D3DKMT_LOCK2 lock = {.hDevice = device, .hAllocation = allocation};
    uint32_t found = 0;

    EXPECT(STATUS_SUCCESS, D3DKMTLock2(&lock));
    if (lock.pData) {
        found = *(volatile uint32_t *)lock.pData;
        *(volatile uint32_t *)lock.pData = pixel;
    }
    EXPECT(STATUS_SUCCESS, D3DKMTUnlock2(&(D3DKMT_UNLOCK2){device, allocation}));
    return found;
}

/* ---- Who looks ------------------------------------------------------------------------------- */

struct looker {
    struct hostile client;
    D3DKMT_HANDLE pictures[SURFACES];
    HANDLE handles[SURFACES];
};

/* What two processes know of. */
static struct {
    struct drydock_event *ready, *shown, *looked;
    D3DKMT_HANDLE adapter, device;
} meeting;

static void make_surfaces(struct looker *looker)
{
    const D3DKMT_CREATEALLOCATIONFLAGS flags = {
        .CreateResource = 1, .CreateShared = 1, .NtSecuritySharing = 1};
    D3DKMT_HANDLE device = looker->client.device;

    for (unsigned i = 0; i < SURFACES; i++) {
        D3DDDI_ALLOCATIONINFO2 info;
        D3DKMT_CREATEALLOCATION made = make_picture(device, &info, flags);
        D3DKMT_CREATEKEYEDMUTEX2 keyed = {.Flags.NtSecuritySharing = 1};
        D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.hDevice = device,
                                                     .Info = {.Type = D3DDDI_FENCE}};
        fence.Info.Flags.Shared = fence.Info.Flags.NtSecuritySharing = 1;
        EXPECT(STATUS_SUCCESS, D3DKMTCreateKeyedMutex2(&keyed));
        EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&fence));
        const D3DKMT_HANDLE objects[3] = {made.hResource, keyed.hKeyedMutex, fence.hSyncObject};
        looker->pictures[i] = info.hAllocation;
        EXPECT(STATUS_SUCCESS, D3DKMTShareObjects(3, objects, NULL, 0, &looker->handles[i]));
    }
}

static UINT count_lookers(D3DKMT_HANDLE adapter)
{
    D3DKMT_OUTPUTDUPLCONTEXTSCOUNT count = {.VidPnSourceId = 0, .OutputDuplicationCount = 77};
    D3DKMT_QUERYADAPTERINFO query = {adapter, KMTQAITYPE_OUTPUTDUPLCONTEXTSCOUNT, &count,
                                     sizeof count};

    EXPECT(STATUS_SUCCESS, D3DKMTQueryAdapterInfo(&query));
    return count.OutputDuplicationCount;
}

static void create_wrongly(const struct looker *looker)
{
    D3DKMT_CREATE_OUTPUTDUPL create = {.hAdapter = looker->client.adapter};
    HANDLE alone = NULL;
    const D3DKMT_CREATEALLOCATIONFLAGS flags = {
        .CreateResource = 1, .CreateShared = 1, .NtSecuritySharing = 1};
    D3DDDI_ALLOCATIONINFO2 info;
    D3DKMT_CREATEALLOCATION made = make_picture(looker->client.device, &info, flags);

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOutputDupl(NULL));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTCreateOutputDupl((void *)16));
    create.KeyedMutexCount = SURFACES;
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTCreateOutputDupl(&create));
    for (unsigned i = 0; i < SURFACES; i++) {
        create.KeyedMutexs[i].hSharedSurfaceNt = looker->handles[i];
    }
    create.KeyedMutexCount = 2;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOutputDupl(&create));
    create.KeyedMutexCount = UINT32_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOutputDupl(&create));
    create.KeyedMutexCount = SURFACES;
    create.VidPnSourceId = 16;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOutputDupl(&create));
    create.VidPnSourceId = 0;
    create.Flags.Reserved = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOutputDupl(&create));
    create.Flags.Reserved = 0;
    create.hAdapter = NOWHERE;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOutputDupl(&create));
    create.hAdapter = looker->client.adapter;
    /* A resource without a keyed mutex. */
    EXPECT(STATUS_SUCCESS, D3DKMTShareObjects(1, &made.hResource, NULL, 0, &alone));
    create.KeyedMutexs[2].hSharedSurfaceNt = alone;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOutputDupl(&create));
    EXPECT(0, (NTSTATUS)count_lookers(looker->client.adapter));
}

static void create_rightly(struct looker *looker)
{
    D3DKMT_CREATE_OUTPUTDUPL create = {.hAdapter = looker->client.adapter};

    EXPECT(STATUS_SUCCESS, D3DKMTCreateOutputDupl(&create));
    EXPECT((NTSTATUS)SURFACES, (NTSTATUS)create.RequiredKeyedMutexCount);
    create.KeyedMutexCount = create.RequiredKeyedMutexCount;
    for (unsigned i = 0; i < SURFACES; i++) {
        create.KeyedMutexs[i].hSharedSurfaceNt = looker->handles[i];
    }
    EXPECT(STATUS_SUCCESS, D3DKMTCreateOutputDupl(&create));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOutputDupl(&create)); /* it has one */
    for (unsigned i = 0; i < SURFACES; i++) {                          /* they are kept */
        EXPECT(STATUS_SUCCESS, drydock_close_handle(&(struct drydock_handle){looker->handles[i]}));
    }
    EXPECT(1, (NTSTATUS)count_lookers(looker->client.adapter));
}

static D3DKMT_OUTPUTDUPL_GET_FRAMEINFO frame(const struct looker *looker, NTSTATUS wanted)
{
    D3DKMT_OUTPUTDUPL_GET_FRAMEINFO info = {.hAdapter = looker->client.adapter};

    EXPECT(wanted, D3DKMTOutputDuplGetFrameInfo(&info));
    return info;
}

static NTSTATUS release(const struct looker *looker, UINT *next)
{
    D3DKMT_OUTPUTDUPL_RELEASE_FRAME frame = {.hAdapter = looker->client.adapter,
                                             .NextKeyMutexIdx = 77};
    NTSTATUS status = D3DKMTOutputDuplReleaseFrame(&frame);

    *next = frame.NextKeyMutexIdx;
    return status;
}

/* Rectangles of the frame that it has; how many. */
static unsigned read_rects(const struct looker *looker, D3DKMT_OUTPUTDUPL_METADATATYPE type,
                           void *room, UINT size, size_t element)
{
    D3DKMT_OUTPUTDUPL_METADATA data = {.hAdapter = looker->client.adapter, .Type = type};

    D3DKMTOutputDuplGetMetaData(&data); /* tells the size */
    if (data.BufferSizeRequired > 0) {
        data.BufferSizeSupplied = data.BufferSizeRequired - 1;
        data.pBuffer = room;
        EXPECT(STATUS_BUFFER_TOO_SMALL, D3DKMTOutputDuplGetMetaData(&data));
        data.BufferSizeSupplied = data.BufferSizeRequired;
        data.pBuffer = (void *)16;
        EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTOutputDuplGetMetaData(&data));
    }
    data.pBuffer = room;
    data.BufferSizeSupplied = size;
    EXPECT(STATUS_SUCCESS, D3DKMTOutputDuplGetMetaData(&data));
    return (unsigned)(data.BufferSizeRequired / element);
}

static void look_without(const struct looker *looker)
{
    D3DKMT_OUTPUTDUPL_METADATA data = {.hAdapter = looker->client.adapter};
    D3DKMT_OUTPUTDUPL_GET_POINTER_SHAPE_DATA shape = {.hAdapter = looker->client.adapter};
    D3DKMT_DESTROY_OUTPUTDUPL end = {.hAdapter = looker->client.adapter};
    UINT next;

    frame(looker, STATUS_NOT_FOUND);
    EXPECT(STATUS_NOT_FOUND, D3DKMTOutputDuplGetMetaData(&data));
    EXPECT(STATUS_NOT_FOUND, D3DKMTOutputDuplGetPointerShapeData(&shape));
    EXPECT(STATUS_NOT_FOUND, release(looker, &next));
    EXPECT(STATUS_NOT_FOUND, D3DKMTDestroyOutputDupl(&end));
    end.VidPnSourceId = 15;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyOutputDupl(&end));
}

static void look_at_first(const struct looker *looker)
{
    D3DKMT_OUTPUTDUPL_GET_POINTER_SHAPE_DATA shape = {.hAdapter = looker->client.adapter,
                                                      .BufferSizeRequired = 77};
    D3DKMT_OUTPUTDUPL_METADATA data = {.hAdapter = looker->client.adapter, .Type = 2};
    D3DKMT_MOVE_RECT moves[4];
    RECT dirty[4];
    UINT next;

    D3DKMT_OUTPUTDUPL_GET_FRAMEINFO info = frame(looker, STATUS_SUCCESS);
    EXPECT(1, (NTSTATUS)info.FrameInfo.AccumulatedFrames);
    EXPECT(1, info.FrameInfo.LastPresentTime.QuadPart > 0);
    EXPECT(1, info.FrameInfo.ProtectedContentMaskedOut);
    EXPECT((NTSTATUS)(2 * sizeof *dirty + sizeof *moves),
           (NTSTATUS)info.FrameInfo.TotalMetadataBufferSize);
    frame(looker, STATUS_INVALID_PARAMETER); /* it has one */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOutputDuplGetMetaData(&data));
    EXPECT(2, (NTSTATUS)read_rects(looker, D3DKMT_OUTPUTDUPL_METADATATYPE_DIRTY_RECTS, dirty,
                                   sizeof dirty, sizeof *dirty));
    EXPECT(8, dirty[1].right);
    EXPECT(1, (NTSTATUS)read_rects(looker, D3DKMT_OUTPUTDUPL_METADATATYPE_MOVE_RECTS, moves,
                                   sizeof moves, sizeof *moves));
    EXPECT(3, moves[0].SourcePoint.x);
    EXPECT(STATUS_SUCCESS, D3DKMTOutputDuplGetPointerShapeData(&shape));
    EXPECT(0, (NTSTATUS)shape.BufferSizeRequired);
    EXPECT(0x11, (NTSTATUS)exchange(looker->client.device, looker->pictures[0], 0));
    /* Two more come while it has this one: it stays. */
    host->event_signal(host, meeting.looked);
    host->event_wait(host, meeting.shown, DRYDOCK_NEVER);
    EXPECT(0, (NTSTATUS)exchange(looker->client.device, looker->pictures[0], 0));
    EXPECT(STATUS_SUCCESS, release(looker, &next));
    EXPECT(1, (NTSTATUS)next);
    EXPECT(STATUS_INVALID_PARAMETER, release(looker, &next));
}

static void look_at_others(const struct looker *looker)
{
    RECT dirty[64];
    UINT next;

    D3DKMT_OUTPUTDUPL_GET_FRAMEINFO info = frame(looker, STATUS_SUCCESS);
    EXPECT(2, (NTSTATUS)info.FrameInfo.AccumulatedFrames);
    EXPECT(1, info.FrameInfo.RectsCoalesced);
    EXPECT(0, info.FrameInfo.ProtectedContentMaskedOut);
    EXPECT(64, (NTSTATUS)read_rects(looker, D3DKMT_OUTPUTDUPL_METADATATYPE_DIRTY_RECTS, dirty,
                                    sizeof dirty, sizeof *dirty));
    EXPECT(100, dirty[63].right);
    EXPECT(0x33, (NTSTATUS)exchange(looker->client.device, looker->pictures[1], 0));
    EXPECT(STATUS_SUCCESS, release(looker, &next));
    EXPECT(2, (NTSTATUS)next);
    info = frame(looker, STATUS_SUCCESS); /* none since */
    EXPECT(0, (NTSTATUS)info.FrameInfo.AccumulatedFrames);
    EXPECT(STATUS_INVALID_PARAMETER, release(looker, &next));
}

static void look(void *argument)
{
    struct looker looker = {.client = hostile_open()};

    make_surfaces(&looker);
    look_without(&looker);
    create_wrongly(&looker);
    create_rightly(&looker);
    EXPECT(0, (NTSTATUS)frame(&looker, STATUS_SUCCESS).FrameInfo.AccumulatedFrames);
    host->event_signal(host, meeting.ready);
    host->event_wait(host, meeting.shown, DRYDOCK_NEVER);
    look_at_first(&looker);
    look_at_others(&looker);
    if (argument) { /* else the process's end takes it along */
        EXPECT(STATUS_SUCCESS, D3DKMTDestroyOutputDupl(&(D3DKMT_DESTROY_OUTPUTDUPL){
                                   .hAdapter = looker.client.adapter}));
        look_without(&looker);
        EXPECT(0, (NTSTATUS)count_lookers(looker.client.adapter));
    }
    hostile_close(&looker.client);
    host->event_signal(host, meeting.looked);
}

/* ---- Who composes ---------------------------------------------------------------------------- */

static D3DKMT_OUTPUTDUPLPRESENT show(const struct hostile *client, D3DKMT_HANDLE picture)
{
    return (D3DKMT_OUTPUTDUPLPRESENT){.hContext = client->context, .hSource = picture};
}

static void show_wrongly(const struct hostile *client, D3DKMT_HANDLE picture)
{
    D3DKMT_OUTPUTDUPLPRESENT present = show(client, NOWHERE);

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOutputDuplPresent(&present));
    present = show(client, picture);
    present.hContext = NOWHERE;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOutputDuplPresent(&present));
    present = show(client, picture);
    present.VidPnSourceId = UINT32_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOutputDuplPresent(&present));
    present = show(client, picture);
    present.Flags.Reserved = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOutputDuplPresent(&present));
    present.Flags.Value = 0;
    present.Flags.RemoteSession = 1;
    EXPECT(STATUS_NOT_SUPPORTED, D3DKMTOutputDuplPresent(&present));
    present = show(client, picture);
    present.BroadcastContextCount = 1;
    EXPECT(STATUS_NOT_SUPPORTED, D3DKMTOutputDuplPresent(&present));
    present = show(client, picture);
    present.PresentRegions.DirtyRectCount = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOutputDuplPresent(&present));
    present.PresentRegions.pDirtyRects = (void *)16;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTOutputDuplPresent(&present));
    present.PresentRegions.DirtyRectCount = UINT32_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOutputDuplPresent(&present));
    present = show(client, picture);
    present.PresentRegions.MoveRectCount = UINT32_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOutputDuplPresent(&present));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTOutputDuplPresentToHwQueue(&(D3DKMT_OUTPUTDUPLPRESENTTOHWQUEUE){0}));
    D3DKMT_HANDLE none = NOWHERE;
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTOutputDuplPresentToHwQueue(&(D3DKMT_OUTPUTDUPLPRESENTTOHWQUEUE){
               .hSource = picture, .BroadcastHwQueueCount = 1, .hHwQueues = &none}));
}

static void show_first(const struct hostile *client, D3DKMT_HANDLE picture)
{
    const RECT dirty[2] = {{0, 0, 4, 4}, {4, 4, 8, 8}};
    const D3DKMT_MOVE_RECT move = {{3, 3}, {16, 16, 24, 24}};
    D3DKMT_OUTPUTDUPLPRESENT present = show(client, picture);

    present.PresentRegions = (D3DKMT_PRESENT_RGNS){2, dirty, 1, &move};
    present.Flags.ProtectedContentBlankedOut = 1;
    exchange(client->device, picture, 0x11);
    EXPECT(STATUS_SUCCESS, D3DKMTOutputDuplPresent(&present));
}

static void show_others(const struct hostile *client, D3DKMT_HANDLE picture)
{
    RECT dirty[64];
    const D3DKMT_MOVE_RECT move = {{3, 3}, {90, 90, 100, 100}};
    D3DKMT_OUTPUTDUPLPRESENT present = show(client, picture);

    for (unsigned i = 0; i < 64; i++) {
        dirty[i] = (RECT){0, 0, 2, 2};
    }
    present.PresentRegions = (D3DKMT_PRESENT_RGNS){64, dirty, 0, NULL};
    exchange(client->device, picture, 0x22);
    EXPECT(STATUS_SUCCESS, D3DKMTOutputDuplPresent(&present));
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client->device}));
    exchange(client->device, picture, 0x33);
    present.PresentRegions = (D3DKMT_PRESENT_RGNS){0, NULL, 1, &move};
    EXPECT(STATUS_SUCCESS, D3DKMTOutputDuplPresent(&present));
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client->device}));
}

static void compose_for(bool destroys, const struct hostile *client, D3DKMT_HANDLE picture)
{
    struct drydock_process *process =
        host->start_process(host, "looker", look, destroys ? &meeting : NULL);

    host->event_wait(host, meeting.ready, DRYDOCK_NEVER);
    show_first(client, picture);
    host->event_signal(host, meeting.shown);
    host->event_wait(host, meeting.looked, DRYDOCK_NEVER);
    show_others(client, picture);
    host->event_signal(host, meeting.shown);
    host->event_wait(host, meeting.looked, DRYDOCK_NEVER);
    host->join(host, process);
    EXPECT(0, (NTSTATUS)count_lookers(client->adapter));
    const D3DKMT_OUTPUTDUPLPRESENT present = show(client, picture);
    EXPECT(STATUS_SUCCESS, D3DKMTOutputDuplPresent(&present)); /* nobody looks */
}

static void run_duplication(const struct drydock_workload_host *the_host)
{
    hostile_host = the_host;
    struct hostile client = hostile_open();
    D3DDDI_ALLOCATIONINFO2 info;

    make_picture(client.device, &info, (D3DKMT_CREATEALLOCATIONFLAGS){0});
    meeting.ready = host->event_create(host);
    meeting.shown = host->event_create(host);
    meeting.looked = host->event_create(host);
    show_wrongly(&client, info.hAllocation);
    compose_for(true, &client, info.hAllocation);
    compose_for(false, &client, info.hAllocation);
    host->event_destroy(host, meeting.ready);
    host->event_destroy(host, meeting.shown);
    host->event_destroy(host, meeting.looked);
    hostile_close(&client);
}

const struct drydock_workload duplication = {.abi = DRYDOCK_WORKLOAD_ABI,
                                             .name = "duplication",
                                             .description = "one shows, another looks",
                                             .run = run_duplication};

/* ---- Two who compose ------------------------------------------------------------------------- */

#define ROUNDS 6u

static void stand_by(void *unused)
{
    struct looker looker = {.client = hostile_open()};

    (void)unused;
    make_surfaces(&looker);
    create_rightly(&looker);
    host->event_signal(host, meeting.ready);
    host->event_wait(host, meeting.shown, DRYDOCK_NEVER);
    EXPECT((NTSTATUS)(2 * ROUNDS),
           (NTSTATUS)frame(&looker, STATUS_SUCCESS).FrameInfo.AccumulatedFrames);
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyOutputDupl(
                               &(D3DKMT_DESTROY_OUTPUTDUPL){.hAdapter = looker.client.adapter}));
    hostile_close(&looker.client);
}

/* Each surface is opened once for each of them, however often they take turns. */
static void run_in_turn(const struct drydock_workload_host *the_host)
{
    hostile_host = the_host;
    struct hostile clients[2] = {hostile_open(), hostile_open()};
    D3DDDI_ALLOCATIONINFO2 infos[2];

    meeting.ready = host->event_create(host);
    meeting.shown = host->event_create(host);
    for (unsigned i = 0; i < 2; i++) {
        make_picture(clients[i].device, &infos[i], (D3DKMT_CREATEALLOCATIONFLAGS){0});
    }
    struct drydock_process *process = host->start_process(host, "looker", stand_by, NULL);
    host->event_wait(host, meeting.ready, DRYDOCK_NEVER);
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        const D3DKMT_OUTPUTDUPLPRESENT present = show(&clients[i % 2], infos[i % 2].hAllocation);
        EXPECT(STATUS_SUCCESS, D3DKMTOutputDuplPresent(&present));
    }
    host->event_signal(host, meeting.shown);
    host->join(host, process);
    host->event_destroy(host, meeting.ready);
    host->event_destroy(host, meeting.shown);
    hostile_close(&clients[0]);
    hostile_close(&clients[1]);
}

const struct drydock_workload duplication_in_turn = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                     .name = "duplication in turn",
                                                     .description = "two show, another looks",
                                                     .run = run_in_turn};
