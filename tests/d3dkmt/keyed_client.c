/* Keyed mutexes: what is recorded of Windows, keys, time-outs, data, and owners that end. */
#include "keyed_client.h"

#include <string.h>

#include "hostile_support.h"
#include "softgpu_client.h"

#define ROUNDS   20
#define NOWHERE  0x1EADBEEDu
#define HUNDREDS 10000 /* of 100 ns: a millisecond */

static const uint8_t runtime_data[6] = {1, 2, 3, 4, 5, 6};

static D3DKMT_CREATEKEYEDMUTEX2 make(UINT64 key, bool with_data, bool nt_security)
{
    D3DKMT_CREATEKEYEDMUTEX2 create = {.InitialValue = key,
                                       .hKeyedMutex = NOWHERE,
                                       .hSharedHandle = NOWHERE,
                                       .Flags.NtSecuritySharing = nt_security};

    if (with_data) {
        create.pPrivateRuntimeData = (void *)runtime_data;
        create.PrivateRuntimeDataSize = sizeof runtime_data;
    }
    EXPECT(STATUS_SUCCESS, D3DKMTCreateKeyedMutex2(&create));
    EXPECT(nt_security, create.hSharedHandle == 0);
    EXPECT(0, (NTSTATUS)(create.hKeyedMutex & 0x3F));
    EXPECT(nt_security ? 0 : 2, (NTSTATUS)(create.hSharedHandle & 0x3F));
    return create;
}

static NTSTATUS end(D3DKMT_HANDLE mutex)
{
    return D3DKMTDestroyKeyedMutex(&(D3DKMT_DESTROYKEYEDMUTEX){mutex});
}

static D3DKMT_HANDLE open_it(D3DKMT_HANDLE shared)
{
    D3DKMT_OPENKEYEDMUTEX open = {.hSharedHandle = shared};

    EXPECT(STATUS_SUCCESS, D3DKMTOpenKeyedMutex(&open));
    EXPECT(1, open.hKeyedMutex != shared && open.hKeyedMutex != 0);
    return open.hKeyedMutex;
}

/* Waits so many units of 100 ns: 0 not at all, below 0 from now on. */
static NTSTATUS acquire(D3DKMT_HANDLE mutex, UINT64 key, LONGLONG time, UINT64 *fence_value)
{
    LARGE_INTEGER timeout = {.QuadPart = time};
    D3DKMT_ACQUIREKEYEDMUTEX acquire = {
        .hKeyedMutex = mutex, .Key = key, .pTimeout = &timeout, .FenceValue = NOWHERE};
    NTSTATUS status = D3DKMTAcquireKeyedMutex(&acquire);

    if (fence_value) {
        *fence_value = acquire.FenceValue;
    }
    return status;
}

static NTSTATUS give(D3DKMT_HANDLE mutex, UINT64 key, UINT64 fence_value)
{
    return D3DKMTReleaseKeyedMutex(
        &(D3DKMT_RELEASEKEYEDMUTEX){.hKeyedMutex = mutex, .Key = key, .FenceValue = fence_value});
}

/* ---- Handles --------------------------------------------------------------------------------- */

static void make_and_open(void)
{
    D3DKMT_CREATEKEYEDMUTEX create = {.hKeyedMutex = NOWHERE, .hSharedHandle = NOWHERE};
    D3DKMT_OPENKEYEDMUTEX open = {0};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateKeyedMutex(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateKeyedMutex2(NULL));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateKeyedMutex(&create));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenKeyedMutex(&open));
    open.hKeyedMutex = create.hKeyedMutex;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenKeyedMutex(&open));
    D3DKMT_HANDLE second = open_it(create.hSharedHandle);
    EXPECT(STATUS_INVALID_PARAMETER, end(0));
    EXPECT(STATUS_INVALID_PARAMETER, end(create.hSharedHandle));
    EXPECT(STATUS_SUCCESS, end(second));
    EXPECT(STATUS_INVALID_PARAMETER, end(second));
    EXPECT(STATUS_INVALID_PARAMETER, acquire(second, 0, 0, NULL));
    EXPECT(STATUS_INVALID_PARAMETER, give(second, 0, 0));
    EXPECT(STATUS_SUCCESS, end(create.hKeyedMutex));
    open.hSharedHandle = create.hSharedHandle; /* it goes with the last opening */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenKeyedMutex(&open));
}

/* Size 0: none are wanted. */
static void open_with_room(void)
{
    D3DKMT_CREATEKEYEDMUTEX2 bare = make(0, false, false), full = make(0, true, false);
    D3DKMT_CREATEKEYEDMUTEX2 wrong = {.PrivateRuntimeDataSize = 8};
    uint8_t room[64];
    D3DKMT_OPENKEYEDMUTEX2 open = {.hSharedHandle = bare.hSharedHandle,
                                   .PrivateRuntimeDataSize = sizeof room};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateKeyedMutex2(&wrong));
    wrong = (D3DKMT_CREATEKEYEDMUTEX2){.Flags.Value = 2};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateKeyedMutex2(&wrong));
    wrong = (D3DKMT_CREATEKEYEDMUTEX2){.pPrivateRuntimeData = room,
                                       .PrivateRuntimeDataSize = 0xFFFFFFFFu};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateKeyedMutex2(&wrong));
    wrong = (D3DKMT_CREATEKEYEDMUTEX2){.pPrivateRuntimeData = (void *)(uintptr_t)16,
                                       .PrivateRuntimeDataSize = 8};
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTCreateKeyedMutex2(&wrong));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenKeyedMutex2(&open));
    open.pPrivateRuntimeData = room;
    EXPECT(STATUS_SUCCESS, D3DKMTOpenKeyedMutex2(&open));
    EXPECT(STATUS_SUCCESS, end(open.hKeyedMutex));
    open = (D3DKMT_OPENKEYEDMUTEX2){.hSharedHandle = full.hSharedHandle};
    EXPECT(STATUS_SUCCESS, D3DKMTOpenKeyedMutex2(&open));
    EXPECT(STATUS_SUCCESS, end(open.hKeyedMutex));
    open.PrivateRuntimeDataSize = sizeof room;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenKeyedMutex2(&open));
    open.pPrivateRuntimeData = room;
    open.PrivateRuntimeDataSize = sizeof runtime_data - 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenKeyedMutex2(&open));
    memset(room, 0xCD, sizeof room);
    open.PrivateRuntimeDataSize = sizeof runtime_data;
    EXPECT(STATUS_SUCCESS, D3DKMTOpenKeyedMutex2(&open));
    EXPECT(0xCD, (NTSTATUS)room[0]);
    EXPECT(STATUS_SUCCESS, end(open.hKeyedMutex));
    EXPECT(STATUS_SUCCESS, end(bare.hKeyedMutex));
    EXPECT(STATUS_SUCCESS, end(full.hKeyedMutex));
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static LONGLONG hundreds_since(uint64_t ns)
{
    return (LONGLONG)((host->now_ns(host) - ns) / 100);
}

static void acquire_by_key(void)
{
    D3DKMT_CREATEKEYEDMUTEX2 made = make(4, false, false);
    D3DKMT_HANDLE one = made.hKeyedMutex, two = open_it(made.hSharedHandle);
    uint64_t begin_ns;
    UINT64 value;

    EXPECT(STATUS_INVALID_PARAMETER, give(one, 4, 0)); /* nobody has it */
    EXPECT(STATUS_TIMEOUT, acquire(one, 5, 0, &value));
    EXPECT((NTSTATUS)NOWHERE, (NTSTATUS)value);
    EXPECT(STATUS_SUCCESS, acquire(one, 4, 0, &value));
    EXPECT(0, (NTSTATUS)value);
    EXPECT(STATUS_TIMEOUT, acquire(one, 4, 0, NULL)); /* not twice */
    EXPECT(STATUS_INVALID_PARAMETER, give(two, 4, 0));
    begin_ns = host->now_ns(host);
    EXPECT(STATUS_TIMEOUT, acquire(two, 4, -HUNDREDS, NULL));
    EXPECT(1, hundreds_since(begin_ns) >= HUNDREDS && hundreds_since(begin_ns) < 2 * HUNDREDS);
    EXPECT(STATUS_TIMEOUT, acquire(two, 4, 1, NULL)); /* in the year 1601 */
    EXPECT(STATUS_SUCCESS, give(one, 9, 77));
    EXPECT(STATUS_TIMEOUT, acquire(two, 4, 0, NULL));
    EXPECT(STATUS_SUCCESS, acquire(two, 9, INT64_MIN, &value));
    EXPECT(77, (NTSTATUS)value);
    EXPECT(STATUS_SUCCESS, give(two, 9, 78));
    EXPECT(STATUS_SUCCESS, acquire(one, 9, INT64_MAX, &value));
    EXPECT(78, (NTSTATUS)value);
    EXPECT(STATUS_ACCESS_VIOLATION,
           D3DKMTAcquireKeyedMutex(&(D3DKMT_ACQUIREKEYEDMUTEX){
               .hKeyedMutex = two, .Key = 9, .pTimeout = (PLARGE_INTEGER)(uintptr_t)24}));
    EXPECT(STATUS_SUCCESS, end(one)); /* with the mutex */
    EXPECT(STATUS_ABANDONED, acquire(two, 9, 0, NULL));
    EXPECT(STATUS_ABANDONED, acquire(two, 9, -HUNDREDS, NULL));
    EXPECT(STATUS_SUCCESS, end(two));
}

static NTSTATUS acquire_with(D3DKMT_HANDLE mutex, void *room, UINT size)
{
    LARGE_INTEGER timeout = {.QuadPart = 0};
    D3DKMT_ACQUIREKEYEDMUTEX2 acquire = {.hKeyedMutex = mutex,
                                         .pTimeout = &timeout,
                                         .pPrivateRuntimeData = room,
                                         .PrivateRuntimeDataSize = size};

    return D3DKMTAcquireKeyedMutex2(&acquire);
}

static NTSTATUS give_with(D3DKMT_HANDLE mutex, const void *bytes, UINT size)
{
    return D3DKMTReleaseKeyedMutex2(
        &(D3DKMT_RELEASEKEYEDMUTEX2){.hKeyedMutex = mutex,
                                     .pPrivateRuntimeData = (void *)bytes,
                                     .PrivateRuntimeDataSize = size});
}

static void hand_on_data(void)
{
    D3DKMT_CREATEKEYEDMUTEX2 made = make(0, true, false);
    const uint8_t others[sizeof runtime_data] = {6, 5, 4, 3, 2, 1};
    const UINT size = sizeof runtime_data;
    uint8_t room[16];

    EXPECT(STATUS_INVALID_PARAMETER, acquire_with(made.hKeyedMutex, NULL, size));
    EXPECT(STATUS_INVALID_PARAMETER, acquire_with(made.hKeyedMutex, room, size - 1));
    EXPECT(STATUS_ACCESS_VIOLATION, acquire_with(made.hKeyedMutex, (void *)(uintptr_t)64, size));
    memset(room, 0xCD, sizeof room);
    EXPECT(STATUS_SUCCESS, acquire_with(made.hKeyedMutex, room, sizeof room));
    EXPECT(0, memcmp(room, runtime_data, size));
    EXPECT(0xCD, (NTSTATUS)room[size]);
    EXPECT(STATUS_INVALID_PARAMETER, give_with(made.hKeyedMutex, others, size - 1));
    EXPECT(STATUS_INVALID_PARAMETER, give_with(made.hKeyedMutex, NULL, size));
    EXPECT(STATUS_INVALID_PARAMETER, give_with(made.hKeyedMutex, others, 0xFFFFFFFFu));
    EXPECT(STATUS_ACCESS_VIOLATION, give_with(made.hKeyedMutex, (void *)(uintptr_t)64, size));
    EXPECT(STATUS_SUCCESS, give_with(made.hKeyedMutex, others, size));
    EXPECT(STATUS_SUCCESS, acquire_with(made.hKeyedMutex, room, size));
    EXPECT(0, memcmp(room, others, size));
    EXPECT(STATUS_SUCCESS, give_with(made.hKeyedMutex, NULL, 0)); /* they stay */
    EXPECT(STATUS_SUCCESS, acquire_with(made.hKeyedMutex, room, size));
    EXPECT(0, memcmp(room, others, size));
    EXPECT(STATUS_SUCCESS, end(made.hKeyedMutex));
}

/* ---- Two processes --------------------------------------------------------------------------- */

/* What both write, one at a time. */
struct turns {
    D3DKMT_HANDLE shared, unfinished;
    HANDLE three;
    unsigned value, wrong;
};

/* The one has the odd turns, the other the even ones. */
static void take_turns(struct turns *turns, D3DKMT_HANDLE mutex, unsigned first)
{
    D3DKMT_ACQUIREKEYEDMUTEX take = {.hKeyedMutex = mutex};

    for (unsigned turn = first; turn < ROUNDS; turn += 2) {
        take.Key = turn;
        EXPECT(STATUS_SUCCESS, D3DKMTAcquireKeyedMutex(&take));
        turns->wrong += turns->value != turn || take.FenceValue != turn * 3;
        turns->value = turn + 1;
        EXPECT(STATUS_SUCCESS, give(mutex, turn + 1, (turn + 1) * 3));
    }
}

static void open_three(const struct hostile *client, HANDLE three)
{
    D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE open = {.hNtHandle = three};
    D3DDDI_OPENALLOCATIONINFO2 info = {0};
    uint8_t bytes[256], room[8];
    D3DKMT_OPENRESOURCEFROMNTHANDLE all = {
        .hDevice = client->device,
        .hNtHandle = three,
        .NumAllocations = 1,
        .pOpenAllocationInfo2 = &info,
        .pTotalPrivateDriverDataBuffer = bytes,
        .TotalPrivateDriverDataBufferSize = sizeof bytes,
        .pKeyedMutexPrivateRuntimeData = room,
        .KeyedMutexPrivateRuntimeDataSize = 1,
    };

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenResourceFromNtHandle(&all));
    all.KeyedMutexPrivateRuntimeDataSize = sizeof room;
    EXPECT(STATUS_SUCCESS, D3DKMTOpenResourceFromNtHandle(&all));
    EXPECT(1, all.hResource != 0 && all.hKeyedMutex != 0 && all.hSyncObject != 0);
    EXPECT(STATUS_SUCCESS, D3DKMTOpenKeyedMutexFromNtHandle(&open));
    EXPECT(STATUS_SUCCESS, acquire(open.hKeyedMutex, 3, 0, NULL));
    EXPECT(STATUS_TIMEOUT, acquire(all.hKeyedMutex, 3, 0, NULL));
    EXPECT(STATUS_SUCCESS, give(open.hKeyedMutex, 3, 0));
    EXPECT(STATUS_SUCCESS, end(open.hKeyedMutex));
    EXPECT(STATUS_SUCCESS, end(all.hKeyedMutex));
    open.hNtHandle = (HANDLE)(uintptr_t)0xFFFFFFF4u;
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTOpenKeyedMutexFromNtHandle(&open));
}

/* Ends with a mutex in its hands. */
static void other_process(void *argument)
{
    struct turns *turns = argument;
    struct hostile client = hostile_open();
    D3DKMT_HANDLE mutex = open_it(turns->shared);

    take_turns(turns, mutex, 1);
    open_three(&client, turns->three);
    EXPECT(STATUS_SUCCESS, acquire(open_it(turns->unfinished), 0, 0, NULL));
    hostile_close(&client);
}

/* As they are recorded to go together, and no other way. */
static HANDLE share_three(const struct hostile *client)
{
    struct softgpu_umd_allocation data = {
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
        .version = SOFTGPU_UMD_VERSION,
        .flags = SOFTGPU_UMD_CPU_VISIBLE,
        .size_bytes = 8192,
    };
    D3DDDI_ALLOCATIONINFO2 info = {.pPrivateDriverData = &data,
                                   .PrivateDriverDataSize = sizeof data};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = client->device,
        .NumAllocations = 1,
        .pAllocationInfo2 = &info,
        .Flags = {.CreateResource = 1, .CreateShared = 1, .NtSecuritySharing = 1}};
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 sync = {.hDevice = client->device,
                                                .Info.Type = D3DDDI_SYNCHRONIZATION_MUTEX};
    D3DKMT_HANDLE mutex = make(3, true, true).hKeyedMutex, plain = make(3, true, false).hKeyedMutex;
    HANDLE handle = NULL;

    sync.Info.Flags.Shared = sync.Info.Flags.NtSecuritySharing = 1;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateAllocation2(&create));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&sync));
    const D3DKMT_HANDLE right[3] = {create.hResource, mutex, sync.hSyncObject};
    const D3DKMT_HANDLE turned[3] = {create.hResource, sync.hSyncObject, mutex};
    const D3DKMT_HANDLE unshared[3] = {create.hResource, plain, sync.hSyncObject};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(1, &mutex, NULL, 0, &handle));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(2, right, NULL, 0, &handle));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(2, right + 1, NULL, 0, &handle));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(3, turned, NULL, 0, &handle));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(3, unshared, NULL, 0, &handle));
    EXPECT(STATUS_SUCCESS, D3DKMTShareObjects(3, right, NULL, 0, &handle));
    EXPECT(STATUS_SUCCESS, end(mutex)); /* the handle keeps it */
    EXPECT(STATUS_SUCCESS, end(plain));
    return handle;
}

static void meet(const struct hostile *client)
{
    D3DKMT_CREATEKEYEDMUTEX2 made = make(0, false, false), unfinished = make(0, false, false);
    struct turns turns = {.shared = made.hSharedHandle,
                          .unfinished = unfinished.hSharedHandle,
                          .three = share_three(client)};
    struct drydock_process *other = host->start_process(host, "other", other_process, &turns);

    take_turns(&turns, made.hKeyedMutex, 0);
    host->join(host, other);
    EXPECT(ROUNDS, (NTSTATUS)turns.value);
    EXPECT(0, (NTSTATUS)turns.wrong);
    EXPECT(STATUS_ABANDONED, acquire(unfinished.hKeyedMutex, 0, 0, NULL));
    EXPECT(STATUS_SUCCESS, end(made.hKeyedMutex));
    EXPECT(STATUS_SUCCESS, drydock_close_handle(&(struct drydock_handle){turns.three}));
}

/* Who waits by an opening that another thread ends. */
static void waits_by(void *argument)
{
    const D3DKMT_HANDLE *mutex = argument;
    D3DKMT_ACQUIREKEYEDMUTEX take = {.hKeyedMutex = *mutex, .Key = 1};

    EXPECT(STATUS_INVALID_HANDLE, D3DKMTAcquireKeyedMutex(&take));
}

static void end_under_a_waiter(void)
{
    D3DKMT_CREATEKEYEDMUTEX2 made = make(0, false, false);
    D3DKMT_HANDLE second = open_it(made.hSharedHandle);
    struct drydock_process *waiter = host->start_thread(host, "waiter", waits_by, &second);

    host->sleep_until(host, host->now_ns(host) + 1000000);
    EXPECT(STATUS_SUCCESS, end(second));
    host->join(host, waiter);
    EXPECT(STATUS_SUCCESS, acquire(made.hKeyedMutex, 0, 0, NULL)); /* it was not the owner */
    /* The process's end takes it along. */
}

struct lost_room {
    D3DKMT_HANDLE mutex;
    struct drydock_memory memory;
};

static void waits_with_room(void *argument)
{
    const struct lost_room *lost = argument;
    D3DKMT_ACQUIREKEYEDMUTEX2 take = {.hKeyedMutex = lost->mutex,
                                      .Key = 1,
                                      .pPrivateRuntimeData = lost->memory.address,
                                      .PrivateRuntimeDataSize = sizeof runtime_data};

    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTAcquireKeyedMutex2(&take));
}

/* Where the answer of a wait was to go is gone when its turn comes: it does not have the mutex. */
static void lose_room(void)
{
    D3DKMT_CREATEKEYEDMUTEX2 made = make(0, true, false);
    struct lost_room lost = {made.hKeyedMutex, {.size_bytes = 4096}};
    D3DKMT_HANDLE second = open_it(made.hSharedHandle);

    EXPECT(STATUS_SUCCESS, drydock_allocate_memory(&lost.memory));
    EXPECT(STATUS_SUCCESS, acquire(second, 0, 0, NULL));
    struct drydock_process *waiter = host->start_thread(host, "waiter", waits_with_room, &lost);
    host->sleep_until(host, host->now_ns(host) + 1000000);
    EXPECT(STATUS_SUCCESS, drydock_free_memory(&lost.memory));
    EXPECT(STATUS_SUCCESS, give(second, 1, 0));
    host->join(host, waiter);
    EXPECT(STATUS_SUCCESS, acquire(second, 1, 0, NULL));
}

static void run_keyed(const struct drydock_workload_host *given)
{
    hostile_host = given;
    struct hostile client = hostile_open();
    make_and_open();
    open_with_room();
    acquire_by_key();
    hand_on_data();
    meet(&client);
    end_under_a_waiter();
    lose_room();
    hostile_close(&client);
}

const struct drydock_workload keyed = {
    .abi = DRYDOCK_WORKLOAD_ABI, .name = "keyed", .description = "keyed mutexes", .run = run_keyed};
