/* What Windows is recorded to answer about a client's own memory as allocations, about handles and
 * names of what is shared, and about questions that have no room. */
#include "recorded_client.h"

#include "hostile_support.h"

#include <string.h>

#define NOBODY      0x1EADBEEDu
#define HEAP_BYTES  0x10000u
#define READ_ACCESS 0x20000u /* READ_CONTROL */
#define UNTOUCHED   0xCDu

static const uint8_t told[4] = {9, 8, 7, 6}; /* by one runtime to the other */

static NTSTATUS end_resource(const struct hostile *client, D3DKMT_HANDLE resource)
{
    return D3DKMTDestroyAllocation(
        &(D3DKMT_DESTROYALLOCATION){.hDevice = client->device, .hResource = resource});
}

static NTSTATUS end_allocation(const struct hostile *client, D3DKMT_HANDLE allocation)
{
    return D3DKMTDestroyAllocation(&(D3DKMT_DESTROYALLOCATION){
        .hDevice = client->device, .phAllocationList = &allocation, .AllocationCount = 1});
}

static NTSTATUS end_sync(D3DKMT_HANDLE sync)
{
    return D3DKMTDestroySynchronizationObject(&(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){sync});
}

static void end_handle(HANDLE handle)
{
    EXPECT(STATUS_SUCCESS, drydock_close_handle(&(struct drydock_handle){handle}));
}

/* ---- Memory of the client -------------------------------------------------------------------- */

struct heap {
    D3DKMT_CREATESTANDARDALLOCATION kind;
    D3DDDI_ALLOCATIONINFO info;
    D3DKMT_CREATEALLOCATION create;
};

/* The element's private data is of no interest, and may be there. */
static void heap_init(struct heap *heap, const struct hostile *client, void *memory)
{
    static uint8_t data[6] = {1, 2, 3, 4, 5, 6};

    *heap = (struct heap){
        .kind = {.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP,
                 .ExistingHeapData.Size = HEAP_BYTES},
        .info = {.pSystemMem = memory,
                 .pPrivateDriverData = data,
                 .PrivateDriverDataSize = sizeof data},
        .create = {.hDevice = client->device,
                   .NumAllocations = 1,
                   .pAllocationInfo = &heap->info,
                   .pStandardAllocation = &heap->kind,
                   .pPrivateRuntimeData = told,
                   .PrivateRuntimeDataSize = sizeof told,
                   .Flags = {.ExistingSysMem = 1, .StandardAllocation = 1}},
    };
}

static NTSTATUS make_heap(struct heap *heap, bool resource, bool shared, bool nt_security)
{
    heap->create.Flags.CreateResource = resource;
    heap->create.Flags.CreateShared = shared;
    heap->create.Flags.NtSecuritySharing = nt_security;
    heap->create.hGlobalShare = heap->info.hAllocation = NOBODY;
    return D3DKMTCreateAllocation(&heap->create);
}

static void check_refused(const struct hostile *client, void *memory)
{
    struct heap good, bad[9];

    heap_init(&good, client, memory);
    for (unsigned i = 0; i < 9; i++) {
        bad[i] = good;
        bad[i].create.pAllocationInfo = &bad[i].info;
        bad[i].create.pStandardAllocation = &bad[i].kind;
    }
    bad[0].create.PrivateDriverDataSize = 64;
    bad[1].create.hDevice = 0;
    bad[2].create.NumAllocations = 0;
    bad[3].kind.Type = 0;
    bad[4].info.pSystemMem = NULL;
    bad[5].create.NumAllocations = 2;
    bad[6].kind.ExistingHeapData.Size = 0x1100;
    bad[7].create.Flags.ExistingSysMem = 0;
    bad[8].create.Flags.StandardAllocation = 0; /* the driver does not know its data */
    for (unsigned i = 0; i < 9; i++) {
        EXPECT(STATUS_INVALID_PARAMETER, make_heap(&bad[i], false, false, false));
    }
    EXPECT(STATUS_INVALID_PARAMETER, make_heap(&good, false, true, false));
    good.create.hResource = NOBODY;
    EXPECT(STATUS_INVALID_HANDLE, make_heap(&good, false, false, false));
}

/* Nothing is there that a left resource could be asked of, and it is its own device's. */
static void check_left(const struct hostile *client, D3DKMT_HANDLE resource)
{
    UINT priority = 0x78000000u; /* D3DDDI_ALLOCATIONPRIORITY_NORMAL */
    D3DKMT_ALLOCATIONRESIDENCYSTATUS residency;
    D3DKMT_CREATEDEVICE device = {.hAdapter = client->adapter};

    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSetAllocationPriority(&(D3DKMT_SETALLOCATIONPRIORITY){
               .hDevice = client->device, .hResource = resource, .pPriorities = &priority}));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTGetAllocationPriority(&(D3DKMT_GETALLOCATIONPRIORITY){
               .hDevice = client->device, .hResource = resource, .pPriorities = &priority}));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTQueryAllocationResidency(&(D3DKMT_QUERYALLOCATIONRESIDENCY){
               .hDevice = client->device, .hResource = resource, .pResidencyStatus = &residency}));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateDevice(&device));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyAllocation(&(D3DKMT_DESTROYALLOCATION){
                                         .hDevice = device.hDevice, .hResource = resource}));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){device.hDevice}));
}

/* A resource outlives its allocations, and nothing is added to it. */
static void check_heaps(const struct hostile *client, void *memory)
{
    struct heap heap;

    heap_init(&heap, client, memory);
    EXPECT(STATUS_SUCCESS, make_heap(&heap, false, false, false));
    EXPECT(0, (NTSTATUS)heap.create.hGlobalShare);
    EXPECT(0, (NTSTATUS)heap.create.hResource);
    EXPECT(STATUS_SUCCESS, end_allocation(client, heap.info.hAllocation));
    EXPECT(STATUS_INVALID_PARAMETER, end_allocation(client, heap.info.hAllocation));

    EXPECT(STATUS_SUCCESS, make_heap(&heap, true, false, false));
    D3DKMT_HANDLE resource = heap.create.hResource;
    D3DKMT_QUERYRESOURCEINFO query = {.hDevice = client->device, .hGlobalShare = resource};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryResourceInfo(&query));
    EXPECT(STATUS_INVALID_PARAMETER, make_heap(&heap, false, false, false)); /* to this one */
    heap.create.hResource = 0;
    EXPECT(STATUS_SUCCESS, end_resource(client, resource));
    EXPECT(STATUS_SUCCESS, make_heap(&heap, true, false, false));
    EXPECT(STATUS_SUCCESS, end_allocation(client, heap.info.hAllocation));
    EXPECT(STATUS_INVALID_PARAMETER, make_heap(&heap, false, false, false));
    check_left(client, heap.create.hResource);
    EXPECT(STATUS_SUCCESS, end_resource(client, heap.create.hResource));
    EXPECT(STATUS_INVALID_PARAMETER, end_resource(client, heap.create.hResource));
    heap.create.hResource = 0;
    EXPECT(STATUS_SUCCESS, make_heap(&heap, true, false, false)); /* left to the device's end */
    EXPECT(STATUS_SUCCESS, end_allocation(client, heap.info.hAllocation));
}

/* ---- By a number ----------------------------------------------------------------------------- */

struct buffers {
    uint8_t runtime[256], driver[4096], resource[256];
};

/* Who asks for sizes has them, and his buffer is left alone; who opens says them exactly. */
static void check_number(const struct hostile *client, void *memory)
{
    struct heap heap;
    struct buffers room;
    D3DDDI_OPENALLOCATIONINFO2 element = {0};

    memset(&room, UNTOUCHED, sizeof room);
    heap_init(&heap, client, memory);
    EXPECT(STATUS_SUCCESS, make_heap(&heap, true, true, false));
    EXPECT(2, (NTSTATUS)(heap.create.hGlobalShare & 63));
    D3DKMT_QUERYRESOURCEINFO query = {.hDevice = client->device,
                                      .hGlobalShare = heap.create.hGlobalShare,
                                      .pPrivateRuntimeData = room.runtime,
                                      .PrivateRuntimeDataSize = sizeof room.runtime};
    EXPECT(STATUS_SUCCESS, D3DKMTQueryResourceInfo(&query));
    EXPECT((NTSTATUS)sizeof told, (NTSTATUS)query.PrivateRuntimeDataSize);
    EXPECT(UNTOUCHED, (NTSTATUS)room.runtime[0]);
    D3DKMT_OPENRESOURCE open = {
        .hDevice = client->device,
        .hGlobalShare = heap.create.hGlobalShare,
        .NumAllocations = 1,
        .pOpenAllocationInfo2 = &element,
        .pPrivateRuntimeData = room.runtime,
        .PrivateRuntimeDataSize = sizeof told + 1,
        .pResourcePrivateDriverData = room.resource,
        .ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize,
        .pTotalPrivateDriverDataBuffer = room.driver,
        .TotalPrivateDriverDataBufferSize = sizeof room.driver,
    };
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenResource2(&open));
    open.PrivateRuntimeDataSize = sizeof told;
    open.ResourcePrivateDriverDataSize++;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenResource2(&open));
    open.ResourcePrivateDriverDataSize--;
    EXPECT(STATUS_SUCCESS, D3DKMTOpenResource2(&open));
    EXPECT(0, memcmp(room.runtime, told, sizeof told));
    EXPECT(1, open.TotalPrivateDriverDataBufferSize == query.TotalPrivateDriverDataSize);
    EXPECT(STATUS_SUCCESS, end_resource(client, open.hResource));
    EXPECT(STATUS_SUCCESS, end_resource(client, heap.create.hResource));
}

/* ---- By a handle, and by a name -------------------------------------------------------------- */

struct name {
    UNICODE_STRING text;
    OBJECT_ATTRIBUTES attributes;
};

static void name_init(struct name *name, const WCHAR *text)
{
    USHORT length = 0;

    while (text[length]) {
        length++;
    }
    name->text = (UNICODE_STRING){.Length = (USHORT)(length * sizeof(WCHAR)),
                                  .MaximumLength = (USHORT)((length + 1) * sizeof(WCHAR)),
                                  .Buffer = (WCHAR *)text};
    name->attributes =
        (OBJECT_ATTRIBUTES){.Length = sizeof name->attributes, .ObjectName = &name->text};
}

static NTSTATUS open_sync_name(struct name *name, DWORD access, HANDLE *handle)
{
    D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME open = {.dwDesiredAccess = access,
                                                  .pObjAttrib = &name->attributes};
    NTSTATUS status = D3DKMTOpenSyncObjectNtHandleFromName(&open);

    *handle = open.hNtHandle;
    return status;
}

static NTSTATUS open_resource_name(struct name *name, DWORD access, HANDLE *handle)
{
    D3DKMT_OPENNTHANDLEFROMNAME open = {.dwDesiredAccess = access, .pObjAttrib = &name->attributes};
    NTSTATUS status = D3DKMTOpenNtHandleFromName(&open);

    *handle = open.hNtHandle;
    return status;
}

static NTSTATUS share(D3DKMT_HANDLE object, struct name *name, HANDLE *handle)
{
    return D3DKMTShareObjects(1, &object, &name->attributes, READ_ACCESS, handle);
}

/* A name lasts as long as a handle that has it; what it named can have it again. */
static void check_sync_names(const struct hostile *client)
{
    struct name name, lower, nobodys;
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 sync = {.hDevice = client->device,
                                                .Info.Type = D3DDDI_SYNCHRONIZATION_MUTEX};
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE open = {0};
    HANDLE handle, second, wrong;

    name_init(&name, L"\\BaseNamedObjects\\DrydockSync");
    name_init(&lower, L"\\BaseNamedObjects\\drydocksync");
    name_init(&nobodys, L"\\Sessions\\1\\BaseNamedObjects\\DrydockSync");
    sync.Info.Flags.Shared = sync.Info.Flags.NtSecuritySharing = 1;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&sync));
    EXPECT(STATUS_SUCCESS, share(sync.hSyncObject, &name, &handle));
    EXPECT(STATUS_OBJECT_NAME_COLLISION, share(sync.hSyncObject, &lower, &wrong));
    EXPECT(STATUS_SUCCESS, end_sync(sync.hSyncObject));
    EXPECT(STATUS_OBJECT_NAME_NOT_FOUND, open_sync_name(&nobodys, READ_ACCESS, &wrong));
    EXPECT(STATUS_ACCESS_DENIED, open_sync_name(&lower, 0, &wrong));
    EXPECT(STATUS_OBJECT_TYPE_MISMATCH, open_resource_name(&lower, READ_ACCESS, &wrong));
    EXPECT(STATUS_SUCCESS, open_sync_name(&lower, READ_ACCESS, &second));
    end_handle(handle);
    open.hNtHandle = handle;
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTOpenSyncObjectFromNtHandle(&open));
    open.hNtHandle = second;
    EXPECT(STATUS_SUCCESS, D3DKMTOpenSyncObjectFromNtHandle(&open));
    end_handle(second);
    EXPECT(STATUS_OBJECT_NAME_NOT_FOUND, open_sync_name(&lower, READ_ACCESS, &wrong));
    EXPECT(STATUS_SUCCESS, share(open.hSyncObject, &name, &handle));
    EXPECT(STATUS_SUCCESS, open_sync_name(&lower, READ_ACCESS, &second));
    end_handle(second);
    end_handle(handle);
    EXPECT(STATUS_SUCCESS, end_sync(open.hSyncObject));
}

static void check_paths(void)
{
    static const struct {
        const WCHAR *path;
        NTSTATUS status;
    } paths[] = {
        {L"\\BaseNamedObjects\\DrydockNobody", STATUS_OBJECT_NAME_NOT_FOUND},
        {L"\\Sessions\\12\\BaseNamedObjects\\DrydockNobody", STATUS_OBJECT_NAME_NOT_FOUND},
        {L"\\Sessions\\BaseNamedObjects\\DrydockNobody", STATUS_OBJECT_PATH_NOT_FOUND},
        {L"\\Sessions\\\\BaseNamedObjects\\DrydockNobody", STATUS_OBJECT_PATH_NOT_FOUND},
        {L"\\BaseNamedObjectsX", STATUS_OBJECT_PATH_NOT_FOUND},
        {L"\\BaseNamedObjectsX\\DrydockNobody", STATUS_OBJECT_PATH_NOT_FOUND},
        {L"\\BaseNamedObjects", STATUS_OBJECT_NAME_INVALID},
        {L"\\BaseNamedObjects\\", STATUS_OBJECT_NAME_INVALID},
    };
    struct name name;
    HANDLE handle;

    for (unsigned i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        name_init(&name, paths[i].path);
        EXPECT(paths[i].status, open_sync_name(&name, READ_ACCESS, &handle));
    }
}

static void check_resource_names(const struct hostile *client, void *memory)
{
    struct heap heap;
    struct name name;
    struct buffers room;
    D3DDDI_OPENALLOCATIONINFO2 element = {0};
    D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query = {.hDevice = client->device};
    HANDLE handle, second;

    memset(&room, UNTOUCHED, sizeof room);
    name_init(&name, L"\\BaseNamedObjects\\DrydockResource");
    heap_init(&heap, client, memory);
    EXPECT(STATUS_SUCCESS, make_heap(&heap, true, true, true));
    EXPECT(0, (NTSTATUS)heap.create.hGlobalShare);
    EXPECT(STATUS_INVALID_PARAMETER, share(heap.info.hAllocation, &name, &handle));
    EXPECT(STATUS_SUCCESS, share(heap.create.hResource, &name, &handle));
    EXPECT(STATUS_SUCCESS, open_resource_name(&name, READ_ACCESS, &second));
    query.hNtHandle = second;
    query.pPrivateRuntimeData = room.runtime;
    EXPECT(STATUS_SUCCESS, D3DKMTQueryResourceInfoFromNtHandle(&query));
    EXPECT((NTSTATUS)sizeof told, (NTSTATUS)query.PrivateRuntimeDataSize);
    EXPECT(UNTOUCHED, (NTSTATUS)room.runtime[0]);
    end_handle(second);
    D3DKMT_OPENRESOURCEFROMNTHANDLE open = {
        .hDevice = client->device,
        .hNtHandle = handle,
        .NumAllocations = 1,
        .pOpenAllocationInfo2 = &element,
        .pPrivateRuntimeData = room.runtime,
        .PrivateRuntimeDataSize = sizeof told,
        .pTotalPrivateDriverDataBuffer = room.driver,
        .TotalPrivateDriverDataBufferSize = query.TotalPrivateDriverDataSize - 1,
    };
    EXPECT(STATUS_NO_MEMORY, D3DKMTOpenResourceFromNtHandle(&open));
    open.TotalPrivateDriverDataBufferSize++;
    EXPECT(STATUS_SUCCESS, D3DKMTOpenResourceFromNtHandle(&open));
    EXPECT(0, (NTSTATUS)open.hKeyedMutex);
    EXPECT(0, (NTSTATUS)open.hSyncObject);
    EXPECT(0, memcmp(room.runtime, told, sizeof told));
    EXPECT(STATUS_SUCCESS, end_resource(client, open.hResource));
    EXPECT(STATUS_SUCCESS, end_resource(client, heap.create.hResource));
    end_handle(handle);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Each handle of a process is one step behind the last, of whatever kind; what others can open has
 * numbers of its own. */
static void check_numbers(const struct hostile *client)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 first = {.hDevice = client->device,
                                                 .Info.Type = D3DDDI_SYNCHRONIZATION_MUTEX};
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 second;
    D3DKMT_CREATEKEYEDMUTEX mutex = {0};

    first.Info.Flags.Shared = 1;
    second = first;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&first));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&second));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateKeyedMutex(&mutex));
    EXPECT((NTSTATUS)(first.hSyncObject + 64), (NTSTATUS)second.hSyncObject);
    EXPECT((NTSTATUS)(second.hSyncObject + 64), (NTSTATUS)mutex.hKeyedMutex);
    EXPECT(2, (NTSTATUS)(second.Info.SharedHandle & 63));
    EXPECT(STATUS_INVALID_PARAMETER, end_sync(second.Info.SharedHandle));
    EXPECT(STATUS_SUCCESS, end_sync(first.hSyncObject));
    EXPECT(STATUS_SUCCESS, end_sync(second.hSyncObject));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyKeyedMutex(&(D3DKMT_DESTROYKEYEDMUTEX){mutex.hKeyedMutex}));
}

/* ---- Questions ------------------------------------------------------------------------------- */

static const struct {
    KMTQUERYADAPTERINFOTYPE type;
    UINT size;
} questions[] = {
    {KMTQAITYPE_CHECKDRIVERUPDATESTATUS, sizeof(BOOL)},
    {KMTQAITYPE_DRIVERVERSION, sizeof(D3DKMT_DRIVERVERSION)},
    {KMTQAITYPE_WDDM_1_2_CAPS, sizeof(D3DKMT_WDDM_1_2_CAPS)},
    {KMTQAITYPE_WDDM_1_3_CAPS, sizeof(D3DKMT_WDDM_1_3_CAPS)},
    {KMTQAITYPE_WDDM_2_0_CAPS, sizeof(D3DKMT_WDDM_2_0_CAPS)},
    {KMTQAITYPE_WDDM_2_7_CAPS, sizeof(D3DKMT_WDDM_2_7_CAPS)},
    {KMTQAITYPE_WDDM_2_9_CAPS, sizeof(D3DKMT_WDDM_2_9_CAPS)},
    {KMTQAITYPE_WDDM_3_0_CAPS, sizeof(D3DKMT_WDDM_3_0_CAPS)},
    {KMTQAITYPE_WDDM_3_1_CAPS, sizeof(D3DKMT_WDDM_3_1_CAPS)},
    {KMTQAITYPE_VIRTUALADDRESSINFO, sizeof(D3DKMT_VIRTUALADDRESSINFO)},
    {KMTQAITYPE_PHYSICALADAPTERCOUNT, sizeof(D3DKMT_PHYSICAL_ADAPTER_COUNT)},
    {KMTQAITYPE_DRIVERVERSION_RENDER, sizeof(D3DKMT_DRIVERVERSION)},
    {KMTQAITYPE_ADAPTERTYPE, sizeof(D3DKMT_ADAPTERTYPE)},
    {KMTQAITYPE_ADAPTERADDRESS_RENDER, sizeof(D3DKMT_ADAPTERADDRESS)},
    {KMTQAITYPE_GETSEGMENTSIZE, sizeof(D3DKMT_SEGMENTSIZEINFO)},
    {KMTQAITYPE_FLIPQUEUEINFO, sizeof(D3DKMT_FLIPQUEUEINFO)},
    {KMTQAITYPE_DIRECTFLIP_SUPPORT, sizeof(D3DKMT_DIRECTFLIP_SUPPORT)},
    {KMTQAITYPE_MULTIPLANEOVERLAY_SUPPORT, sizeof(D3DKMT_MULTIPLANEOVERLAY_SUPPORT)},
    {KMTQAITYPE_PANELFITTER_SUPPORT, sizeof(D3DKMT_PANELFITTER_SUPPORT)},
    {KMTQAITYPE_CROSSADAPTERRESOURCE_SUPPORT, sizeof(D3DKMT_CROSSADAPTERRESOURCE_SUPPORT)},
};

static void check_questions(const struct hostile *client)
{
    uint32_t room[64];
    D3DKMT_QUERYVIDEOMEMORYINFO memory = {.hAdapter = client->adapter,
                                          .hProcess = (HANDLE)(uintptr_t)0xDEADBEEFu};

    EXPECT(STATUS_INVALID_HANDLE, D3DKMTQueryVideoMemoryInfo(&memory));
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        D3DKMT_QUERYADAPTERINFO ask = {client->adapter, questions[i].type, NULL, questions[i].size};

        EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryAdapterInfo(&ask));
        ask.pPrivateDriverData = room;
        ask.PrivateDriverDataSize--;
        EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryAdapterInfo(&ask));
        ask.PrivateDriverDataSize++;
        memset(room, UNTOUCHED, sizeof room);
        EXPECT(STATUS_SUCCESS, D3DKMTQueryAdapterInfo(&ask));
        EXPECT(1, room[0] != 0xCDCDCDCD);
    }
}

/* ---- The registry ---------------------------------------------------------------------------- */

static NTSTATUS ask(const struct hostile *client, KMTQUERYADAPTERINFOTYPE type, void *room,
                    UINT size)
{
    return D3DKMTQueryAdapterInfo(&(D3DKMT_QUERYADAPTERINFO){client->adapter, type, room, size});
}

/* What the registry of the test's run has. */
static void check_texts(const struct hostile *client)
{
    D3DKMT_UMDFILENAMEINFO file = {.Version = KMTUMDVERSION_DX9};
    D3DKMT_ADAPTERREGISTRYINFO hardware;

    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_UMDRIVERNAME, &file, sizeof file));
    EXPECT(1, file.UmdFileName[0] == 'a' && file.UmdFileName[1] == '9' && !file.UmdFileName[2]);
    file.Version = KMTUMDVERSION_DX10;
    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_UMDRIVERNAME, &file, sizeof file));
    EXPECT(1, file.UmdFileName[0] == 'b' && !file.UmdFileName[1]);
    file.Version = KMTUMDVERSION_DX11;
    EXPECT(STATUS_NOT_FOUND, ask(client, KMTQAITYPE_UMDRIVERNAME, &file, sizeof file));
    file.Version = 4;
    EXPECT(STATUS_INVALID_PARAMETER, ask(client, KMTQAITYPE_UMDRIVERNAME, &file, sizeof file));
    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_ADAPTERREGISTRYINFO, &hardware, sizeof hardware));
    EXPECT(1, hardware.ChipType[0] == 'G' && hardware.ChipType[7] == 'e' && !hardware.ChipType[8]);
    EXPECT(0, hardware.BiosString[0]);
}

static void name_value(D3DDDI_QUERYREGISTRY_INFO *info, const char *name)
{
    for (size_t i = 0;; i++) {
        info->ValueName[i] = (unsigned char)name[i];
        if (!name[i]) {
            return;
        }
    }
}

static void check_values(const struct hostile *client)
{
    union {
        D3DDDI_QUERYREGISTRY_INFO info;
        uint8_t bytes[sizeof(D3DDDI_QUERYREGISTRY_INFO) + 64];
    } room = {.info = {.QueryType = D3DDDI_QUERYREGISTRY_SERVICEKEY, .ValueType = 4}};
    const UINT small = sizeof room.info;

    name_value(&room.info, "lanes");
    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_QUERYREGISTRY, &room, small));
    EXPECT(D3DDDI_QUERYREGISTRY_STATUS_SUCCESS, room.info.Status);
    EXPECT(4, (NTSTATUS)room.info.OutputValueSize);
    EXPECT(4, (NTSTATUS)room.info.OutputDword);
    EXPECT(STATUS_INVALID_PARAMETER, ask(client, KMTQAITYPE_QUERYREGISTRY, &room, small - 1));
    room.info.ValueType = 1;
    EXPECT(STATUS_OBJECT_TYPE_MISMATCH, ask(client, KMTQAITYPE_QUERYREGISTRY, &room, small));
    room.info.QueryType = D3DDDI_QUERYREGISTRY_ADAPTERKEY;
    EXPECT(STATUS_OBJECT_NAME_NOT_FOUND, ask(client, KMTQAITYPE_QUERYREGISTRY, &room, small));
    name_value(&room.info, "HardwareInformation.ChipType");
    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_QUERYREGISTRY, &room, small));
    EXPECT(D3DDDI_QUERYREGISTRY_STATUS_BUFFER_OVERFLOW, room.info.Status);
    EXPECT(18, (NTSTATUS)room.info.OutputValueSize);
    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_QUERYREGISTRY, &room, sizeof room));
    EXPECT(D3DDDI_QUERYREGISTRY_STATUS_SUCCESS, room.info.Status);
    EXPECT('G', room.info.OutputString[0]);
    room.info.QueryFlags.MutableValue = 1;
    EXPECT(STATUS_INVALID_PARAMETER, ask(client, KMTQAITYPE_QUERYREGISTRY, &room, sizeof room));
    room.info.QueryFlags.Value = 0;
    room.info.QueryType = D3DDDI_QUERYREGISTRY_DRIVERIMAGEPATH;
    EXPECT(STATUS_NOT_SUPPORTED, ask(client, KMTQAITYPE_QUERYREGISTRY, &room, sizeof room));
}

/* What a question names is looked at; what the driver has shows in the answer. */
static void check_answers(const struct hostile *client)
{
    D3DKMT_SEGMENTGROUPSIZEINFO groups = {0};
    D3DKMT_SEGMENTSIZEINFO sizes = {0};
    D3DKMT_QUERY_GPUMMU_CAPS mmu = {0};
    D3DKMT_OUTPUTDUPLCONTEXTSCOUNT copies = {.OutputDuplicationCount = 7};
    D3DKMT_WDDM_2_0_CAPS second = {.Value = UINT32_MAX};

    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_GETSEGMENTSIZE, &sizes, sizeof sizes));
    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_GETSEGMENTGROUPSIZE, &groups, sizeof groups));
    /* The test's device has 16 MiB; its driver keeps a little for itself. */
    EXPECT(1,
           sizes.DedicatedVideoMemorySize > 8u << 20 && sizes.DedicatedVideoMemorySize < 16u << 20);
    EXPECT(1, groups.LocalMemory == sizes.DedicatedVideoMemorySize);
    EXPECT(1, groups.NonLocalMemory == sizes.SharedSystemMemorySize && groups.NonLocalMemory > 0);
    EXPECT(0, memcmp(&groups.LegacyInfo, &sizes, sizeof sizes));
    groups.PhysicalAdapterIndex = 1;
    EXPECT(STATUS_INVALID_PARAMETER,
           ask(client, KMTQAITYPE_GETSEGMENTGROUPSIZE, &groups, sizeof groups));
    EXPECT(STATUS_NOT_SUPPORTED, ask(client, KMTQAITYPE_QUERY_GPUMMU_CAPS, &mmu, sizeof mmu));
    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_WDDM_2_0_CAPS, &second, sizeof second));
    EXPECT(0, (NTSTATUS)second.GpuMmuSupported);
    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_OUTPUTDUPLCONTEXTSCOUNT, &copies, sizeof copies));
    EXPECT(0, (NTSTATUS)copies.OutputDuplicationCount);
    copies.VidPnSourceId = 99;
    EXPECT(STATUS_INVALID_PARAMETER,
           ask(client, KMTQAITYPE_OUTPUTDUPLCONTEXTSCOUNT, &copies, sizeof copies));
    EXPECT(STATUS_NOT_SUPPORTED, ask(client, KMTQAITYPE_WSAUMDIMAGENAME, &groups, sizeof groups));
}

/* The same list as that of D3DKMTGetDisplayModeList. */
static void check_modes(const struct hostile *client)
{
    static union {
        D3DKMT_DISPLAYMODELIST list;
        uint8_t bytes[sizeof(D3DKMT_DISPLAYMODELIST) + 256 * sizeof(D3DKMT_DISPLAYMODE)];
    } room;
    static D3DKMT_DISPLAYMODE modes[256];
    D3DKMT_GETDISPLAYMODELIST other = {
        .hAdapter = client->adapter, .pModeList = modes, .ModeCount = 256};

    memset(&room, 0, sizeof room);
    EXPECT(STATUS_SUCCESS, D3DKMTGetDisplayModeList(&other));
    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_MODELIST, &room, sizeof room.list));
    EXPECT(1, other.ModeCount > 0 && room.list.ModeCount == other.ModeCount);
    EXPECT(STATUS_INVALID_PARAMETER, ask(client, KMTQAITYPE_MODELIST, &room, sizeof room.list));
    EXPECT(STATUS_SUCCESS, ask(client, KMTQAITYPE_MODELIST, &room, sizeof room));
    EXPECT(0, memcmp(room.list.pModeList, modes, other.ModeCount * sizeof modes[0]));
    room.list.ModeCount = other.ModeCount - 1;
    EXPECT(STATUS_BUFFER_TOO_SMALL, ask(client, KMTQAITYPE_MODELIST, &room, sizeof room));
    EXPECT((NTSTATUS)other.ModeCount, (NTSTATUS)room.list.ModeCount);
    EXPECT(STATUS_INVALID_PARAMETER, ask(client, KMTQAITYPE_MODELIST, &room, 4));
}

void recorded_check_shared(const struct hostile *client)
{
    struct drydock_memory memory = {.size_bytes = HEAP_BYTES};

    check_numbers(client);
    check_questions(client);
    check_answers(client);
    check_modes(client);
    check_texts(client);
    check_values(client);
    EXPECT(STATUS_SUCCESS, drydock_allocate_memory(&memory));
    check_refused(client, memory.address);
    check_heaps(client, memory.address);
    check_number(client, memory.address);
    check_sync_names(client);
    check_paths();
    check_resource_names(client, memory.address);
    EXPECT(STATUS_SUCCESS, drydock_free_memory(&memory));
}
