/* A client of a paging queue that asks what it has, offers, reclaims, trims and reserves. */
#include "residency_client.h"

#include "addressed.h"
#include "hostile_support.h"

#define BLOCK_BYTES (UINT64_C(1) << 20)
#define NOWHERE     ((void *)8)
#define SOMEBODY    ((HANDLE)8)

static struct addressed client;

static void expect_that(bool holds, const char *what, int line)
{
    if (!holds) {
        host->fail(host, "residency_client.c:%d: %s does not hold", line, what);
    }
}
#define HOLDS_TRUE(condition) expect_that(condition, #condition, __LINE__)

/* ---- Budgets and reservations ---------------------------------------------------------------- */

static D3DKMT_QUERYVIDEOMEMORYINFO query(D3DKMT_MEMORY_SEGMENT_GROUP group)
{
    D3DKMT_QUERYVIDEOMEMORYINFO info = {.hAdapter = client.gpu.adapter,
                                        .MemorySegmentGroup = group};

    EXPECT(STATUS_SUCCESS, D3DKMTQueryVideoMemoryInfo(&info));
    return info;
}

static NTSTATUS reserve(UINT64 bytes)
{
    return D3DKMTChangeVideoMemoryReservation(&(D3DKMT_CHANGEVIDEOMEMORYRESERVATION){
        .hProcess = NtCurrentProcess(), .hAdapter = client.gpu.adapter, .Reservation = bytes});
}

static void refuse_queries(void)
{
    D3DKMT_QUERYVIDEOMEMORYINFO info = {.hAdapter = client.gpu.adapter, .MemorySegmentGroup = 2};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryVideoMemoryInfo(&info));
    info.MemorySegmentGroup = D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL;
    info.PhysicalAdapterIndex = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryVideoMemoryInfo(&info));
    info.PhysicalAdapterIndex = 0;
    info.hProcess = SOMEBODY;
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTQueryVideoMemoryInfo(&info));
    info.hProcess = NULL;
    info.hAdapter = client.gpu.device;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryVideoMemoryInfo(&info));
}

/* What is reserved is the process's own, whatever comes; more than half of all may not be. */
static void reserve_and_let_go(void)
{
    D3DKMT_QUERYVIDEOMEMORYINFO before = query(D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL), now;

    HOLDS_TRUE(before.Budget > 0 && before.CurrentReservation == 0);
    EXPECT(STATUS_INVALID_PARAMETER, reserve(before.AvailableForReservation + 1));
    now = query(D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL);
    HOLDS_TRUE(now.Budget == before.Budget && now.CurrentReservation == 0);
    EXPECT(STATUS_SUCCESS, reserve(before.AvailableForReservation));
    now = query(D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL);
    HOLDS_TRUE(now.CurrentReservation == before.AvailableForReservation);
    HOLDS_TRUE(now.Budget >= now.CurrentReservation && now.Budget >= before.Budget);
    HOLDS_TRUE(now.AvailableForReservation == before.AvailableForReservation);
    EXPECT(STATUS_SUCCESS, reserve(0));
    HOLDS_TRUE(query(D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL).Budget == before.Budget);
}

/* ---- Where allocations are ------------------------------------------------------------------- */

static D3DKMT_ALLOCATIONRESIDENCYSTATUS residency(const struct memory_block *block)
{
    D3DKMT_ALLOCATIONRESIDENCYSTATUS status = 0;
    const D3DKMT_QUERYALLOCATIONRESIDENCY arguments = {.hDevice = client.gpu.device,
                                                       .phAllocationList = &block->allocation,
                                                       .AllocationCount = 1,
                                                       .pResidencyStatus = &status};

    EXPECT(STATUS_SUCCESS, D3DKMTQueryAllocationResidency(&arguments));
    return status;
}

static bool is_in_memory(const struct memory_block *block)
{
    return residency(block) == D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY;
}

static bool is_nowhere(const struct memory_block *block)
{
    return residency(block) == D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT;
}

static void look_where_they_are(const struct memory_block *local, const struct memory_block *shared)
{
    struct memory_block nowhere;
    D3DKMT_QUERYALLOCATIONRESIDENCY arguments = {.hDevice = client.gpu.device,
                                                 .phAllocationList = &local->allocation,
                                                 .AllocationCount = 1,
                                                 .pResidencyStatus = NOWHERE};

    HOLDS_TRUE(is_in_memory(local));
    HOLDS_TRUE(residency(shared) == D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY);
    HOLDS_TRUE(query(D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL).CurrentUsage >= BLOCK_BYTES);
    HOLDS_TRUE(query(D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL).CurrentUsage >= BLOCK_BYTES);
    HOLDS_TRUE(addressed_make(&client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &nowhere));
    HOLDS_TRUE(is_nowhere(&nowhere));
    addressed_destroy(&client, &nowhere);
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTQueryAllocationResidency(&arguments));
    arguments.hDevice = client.gpu.adapter;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryAllocationResidency(&arguments));
}

/* ---- Offers ---------------------------------------------------------------------------------- */

static void offer(const struct memory_block *block)
{
    const D3DKMT_OFFERALLOCATIONS arguments = {.hDevice = client.gpu.device,
                                               .HandleList = &block->allocation,
                                               .NumAllocations = 1,
                                               .Priority = D3DKMT_OFFER_PRIORITY_LOW};

    EXPECT(STATUS_SUCCESS, D3DKMTOfferAllocations(&arguments));
}

static D3DDDI_RECLAIM_RESULT reclaim(const struct memory_block *block, UINT64 *fence)
{
    D3DDDI_RECLAIM_RESULT result = -1;
    D3DKMT_RECLAIMALLOCATIONS2 arguments = {.hPagingQueue = client.queue,
                                            .NumAllocations = 1,
                                            .HandleList = &block->allocation,
                                            .pResults = &result};
    NTSTATUS status = D3DKMTReclaimAllocations2(&arguments);

    *fence = arguments.PagingFenceValue;
    HOLDS_TRUE(addressed_wait_paging(&client, status, *fence, "D3DKMTReclaimAllocations2"));
    return result;
}

static UINT64 trim(UINT64 bytes, bool only_repurposed)
{
    D3DKMT_TRIMPROCESSCOMMITMENT arguments = {.cbSize = sizeof arguments,
                                              .Flags.OnlyRepurposed = only_repurposed,
                                              .DecommitRequested = bytes};

    EXPECT(STATUS_SUCCESS, D3DKMTTrimProcessCommitment(&arguments));
    return arguments.NumBytesDecommitted;
}

static void refuse_reclaims(const struct memory_block *block)
{
    D3DKMT_RECLAIMALLOCATIONS2 arguments = {
        .hPagingQueue = client.gpu.device, .NumAllocations = 1, .HandleList = &block->allocation};
    D3DKMT_TRIMPROCESSCOMMITMENT wrong = {.cbSize = sizeof wrong, .hProcess = SOMEBODY};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTReclaimAllocations2(&arguments));
    arguments.hPagingQueue = client.queue;
    arguments.pResults = NOWHERE;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTReclaimAllocations2(&arguments));
    arguments.HandleList = NOWHERE;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTReclaimAllocations2(&arguments));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTTrimProcessCommitment(&wrong));
    wrong.hProcess = NULL;
    wrong.cbSize = 4;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTTrimProcessCommitment(&wrong));
}

static void run_something(const struct memory_block *commands, const struct memory_block *target)
{
    struct command_writer writer;

    writer_begin(&writer, &client, commands);
    writer_fill(&writer, target->address, 4096, 0x5A5A5A5A);
    HOLDS_TRUE(writer_end(&writer) && addressed_wait(&client));
}

/* What was offered and is gone holds up nobody, and comes back when it is reclaimed. */
static void offer_and_reclaim(const struct memory_block *block, const struct memory_block *other,
                              const struct memory_block *commands)
{
    UINT64 fence;

    offer(block);
    refuse_reclaims(block); /* changes nothing */
    HOLDS_TRUE(reclaim(block, &fence) == D3DDDI_RECLAIM_RESULT_OK && fence == 0);
    HOLDS_TRUE(trim(BLOCK_BYTES, false) == 0); /* nothing is offered any more */

    offer(block);
    HOLDS_TRUE(trim(BLOCK_BYTES, true) == 0); /* it is in its place */
    HOLDS_TRUE(trim(1, false) == BLOCK_BYTES);
    HOLDS_TRUE(is_nowhere(block));
    run_something(commands, other);
    HOLDS_TRUE(is_nowhere(block));
    HOLDS_TRUE(reclaim(block, &fence) == D3DDDI_RECLAIM_RESULT_DISCARDED);
    HOLDS_TRUE(is_in_memory(block));
    run_something(commands, block);
    HOLDS_TRUE(reclaim(block, &fence) == D3DDDI_RECLAIM_RESULT_OK && fence == 0);
}

/* ---- Other properties ------------------------------------------------------------------------ */

static NTSTATUS update(const D3DDDI_UPDATEALLOCPROPERTY *wanted)
{
    D3DDDI_UPDATEALLOCPROPERTY arguments = *wanted;
    NTSTATUS status = D3DKMTUpdateAllocationProperty(&arguments);

    if (NT_SUCCESS(status)) {
        HOLDS_TRUE(addressed_wait_paging(&client, status, arguments.PagingFenceValue,
                                         "D3DKMTUpdateAllocationProperty"));
    }
    return status;
}

static void refuse_updates(const D3DDDI_UPDATEALLOCPROPERTY *good)
{
    D3DDDI_UPDATEALLOCPROPERTY bad[12];

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        bad[i] = *good;
    }
    bad[0].hPagingQueue = client.gpu.device;
    bad[1].hAllocation = client.queue;
    bad[2].PropertyMaskValue = 0;
    bad[3].PropertyMaskValue = 0x80000000;
    bad[4].Flags.Value = 0x80000000;
    bad[5].SupportedSegmentSet = 0;
    bad[6].SupportedSegmentSet = 0x80000000;
    bad[7].PreferredSegment.Value = 0x40000000;
    bad[8].SetPreferredSegment = 1;
    bad[8].PreferredSegment.SegmentId0 = 31;
    bad[9].SetPreferredSegment = 1;
    bad[9].PreferredSegment.SegmentId0 = 2; /* not in the set */
    bad[9].SupportedSegmentSet = 1;
    bad[10].hAllocation = 0;
    bad[11].PropertyMaskValue = 0xFFFFFFFF;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT(STATUS_INVALID_PARAMETER, update(&bad[i]));
    }
    bad[0] = *good;
    bad[0].SetUnmoveable = 1;
    EXPECT(STATUS_NOT_SUPPORTED, update(&bad[0]));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUpdateAllocationProperty(NULL));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTUpdateAllocationProperty(NOWHERE));
}

/* It goes where it is told, at once if it is there already, and not while its own client looks. */
static void move_about(const struct memory_block *block, const struct memory_block *commands)
{
    D3DDDI_UPDATEALLOCPROPERTY wanted = {.hPagingQueue = client.queue,
                                         .hAllocation = block->allocation,
                                         .SetSupportedSegmentSet = 1};
    uint32_t memory;

    HOLDS_TRUE(addressed_segments(&client, &memory, &wanted.SupportedSegmentSet));
    refuse_updates(&wanted);
    HOLDS_TRUE(is_in_memory(block));
    EXPECT(STATUS_PENDING, update(&wanted));
    HOLDS_TRUE(residency(block) == D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY);
    run_something(commands, block);
    EXPECT(STATUS_SUCCESS, update(&wanted)); /* nothing changes */

    wanted.SupportedSegmentSet |= memory;
    wanted.SetPreferredSegment = 1;
    wanted.PreferredSegment.SegmentId0 = 1;
    EXPECT(STATUS_SUCCESS, update(&wanted)); /* it may stay */
    wanted.SupportedSegmentSet = memory;
    HOLDS_TRUE(addressed_lock(&client, block) != NULL);
    EXPECT(STATUS_INVALID_PARAMETER, update(&wanted));
    addressed_unlock(&client, block);
    EXPECT(STATUS_PENDING, update(&wanted));
    HOLDS_TRUE(is_in_memory(block));

    /* By physical addresses, and back: it is mapped into the aperture, or only shown by tables. */
    wanted.PropertyMaskValue = 0;
    wanted.SetAccessedPhysically = 1;
    wanted.Flags.AccessedPhysically = 1;
    EXPECT(STATUS_PENDING, update(&wanted));
    run_something(commands, block);
    wanted.Flags.AccessedPhysically = 0;
    EXPECT(STATUS_PENDING, update(&wanted));
    run_something(commands, block);
}

static void invalidate(const struct memory_block *block)
{
    D3DKMT_INVALIDATECACHE arguments = {
        .hDevice = client.gpu.device, .hAllocation = block->allocation, .Length = BLOCK_BYTES};

    EXPECT(STATUS_SUCCESS, D3DKMTInvalidateCache(&arguments));
    arguments.Offset = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTInvalidateCache(&arguments));
    arguments.hAllocation = client.queue;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTInvalidateCache(&arguments));
}

static void run(const struct drydock_workload_host *given)
{
    struct memory_block local, shared, commands;
    bool there;

    hostile_host = given;
    if (!addressed_open(&client, given, SOFTGPU_ENGINE_COMPUTE, &there)) {
        return;
    }
    refuse_queries();
    reserve_and_let_go();
    HOLDS_TRUE(addressed_block(&client, BLOCK_BYTES,
                               SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_VRAM_ONLY, &local) &&
               addressed_block(&client, BLOCK_BYTES,
                               SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY, &shared) &&
               addressed_block(&client, 4096, SOFTGPU_UMD_VIRTUAL_ONLY, &commands));
    look_where_they_are(&local, &shared);
    offer_and_reclaim(&local, &shared, &commands);
    invalidate(&local);
    move_about(&local, &commands);
    addressed_close(&client);
}

const struct drydock_workload residency_client = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                  .name = "residency client",
                                                  .description = "offers, budgets, reservations",
                                                  .run = run};
